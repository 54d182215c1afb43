//! Unified shared memory (`cl_intel_unified_shared_memory`): allocations of the program, by address.
//!
//! All memory of the process is everybody's, so whom an allocation is for (the host, a device, both) is remembered, and decides where
//! it is if that is a sub-device.

use super::context::Context;
use super::device::{ALIGNMENT_BYTES, Device, most_bytes};
use super::memory::Address;
use super::svm::Allocation;
use crate::error::{Error, Result, ensure};
use crate::handle::{Name, Ref};
use crate::info::Reply;
use opencl_sys::*;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr;
use std::sync::{LazyLock, Mutex, MutexGuard};

pub const CL_MEM_ALLOC_FLAGS_INTEL: cl_mem_properties = 0x4195;
const CL_MEM_ALLOC_TYPE_INTEL: cl_uint = 0x419a;
const CL_MEM_ALLOC_BASE_PTR_INTEL: cl_uint = 0x419b;
const CL_MEM_ALLOC_SIZE_INTEL: cl_uint = 0x419c;
const CL_MEM_ALLOC_DEVICE_INTEL: cl_uint = 0x419d;
const CL_MEM_TYPE_UNKNOWN_INTEL: cl_uint = 0x4196;

/// Whom an allocation is for; `CL_MEM_TYPE_..._INTEL`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Host = 0x4197,
    Device = 0x4198,
    Shared = 0x4199,
}

/// Where a shared allocation is touched first: by the device or by the host, not both.
const PLACEMENT: cl_bitfield = 0b110;
const WRITE_COMBINED: cl_bitfield = 0b001;

/// What the program asks for.
pub struct Wish {
    pub owner: Owner,
    pub device: Option<Ref<Device>>,
    /// In pairs, as the program passed them.
    pub properties: Vec<cl_mem_properties>,
    pub size_bytes: usize,
    /// 0: as all memory.
    pub alignment_bytes: usize,
}

struct Entry {
    memory: Allocation,
    context: Name<Context>,
    owner: Owner,
    device: Option<Ref<Device>>,
    flags: cl_bitfield,
}

static ENTRIES: LazyLock<Mutex<BTreeMap<usize, Entry>>> = LazyLock::new(Mutex::default);

fn entries() -> MutexGuard<'static, BTreeMap<usize, Entry>> {
    ENTRIES.lock().unwrap_or_else(|held| held.into_inner())
}

/// The flags among the properties.
fn flags(owner: Owner, properties: &[cl_mem_properties]) -> Result<cl_bitfield> {
    let (pairs, _) = properties.as_chunks::<2>();
    let flags = match pairs {
        [] => 0,
        [[CL_MEM_ALLOC_FLAGS_INTEL, flags]] => *flags,
        _ => return Err(Error(CL_INVALID_PROPERTY)),
    };
    let placement = if owner == Owner::Shared { PLACEMENT } else { 0 };
    let makes_sense = flags & !(WRITE_COMBINED | placement) == 0 && flags & PLACEMENT != PLACEMENT;
    ensure(makes_sense, CL_INVALID_PROPERTY)?;
    Ok(flags)
}

/// The address of new memory, until [`free`].
pub fn allocate(context: &Ref<Context>, wish: Wish) -> Result<Address> {
    let Wish { owner, device, properties, size_bytes, alignment_bytes } = wish;
    let alignment = if alignment_bytes == 0 { ALIGNMENT_BYTES } else { alignment_bytes };
    let is_alignment = alignment.is_power_of_two() && alignment <= ALIGNMENT_BYTES;
    ensure(is_alignment, CL_INVALID_VALUE)?;
    let flags = flags(owner, &properties)?;
    ensure(size_bytes > 0 && size_bytes as u64 <= most_bytes(), CL_INVALID_BUFFER_SIZE)?;
    let memory = Allocation::new(size_bytes, alignment, context.place_for(device.as_ref()));
    let memory = memory.ok_or(Error(CL_OUT_OF_RESOURCES))?;
    let address = memory.address();
    let entry = Entry { memory, context: context.name(), owner, device, flags };
    entries().insert(address.number(), entry);
    Ok(address)
}

/// An error unless an allocation of the context begins there.
pub fn ensure_beginning(context: &Ref<Context>, address: Address) -> Result {
    let entries = entries();
    let entry = entries.get(&address.number()).filter(|entry| entry.context.is(context));
    ensure(entry.is_some(), CL_INVALID_VALUE)
}

/// Where the allocation that an address lies in begins and ends.
pub fn around(address: Address) -> Option<(usize, usize)> {
    entries().range(..=address.number()).next_back()?.1.memory.around(address)
}

/// How many bytes there are from an address on of an allocation for a device alone.
pub fn device_bytes_from(address: Address) -> Option<usize> {
    let entries = entries();
    let entry = entries.range(..=address.number()).next_back()?.1;
    let (_, end) = entry.memory.around(address)?;
    (entry.owner == Owner::Device).then_some(end - address.number())
}

/// Frees the allocation that begins there, if there is one.
pub fn free(address: Address) {
    let entry = entries().remove(&address.number());
    drop(entry);
}

/// `clGetMemAllocInfoINTEL`, of any address.
pub fn info(context: &Ref<Context>, address: Address, name: cl_uint, reply: Reply) -> Result {
    let entries = entries();
    let found = entries.range(..=address.number()).next_back().map(|(_, entry)| entry);
    let around =
        found.filter(|entry| entry.memory.around(address).is_some() && entry.context.is(context));
    const FLAGS: cl_uint = CL_MEM_ALLOC_FLAGS_INTEL as cl_uint;
    match name {
        CL_MEM_ALLOC_TYPE_INTEL => {
            reply.give(around.map_or(CL_MEM_TYPE_UNKNOWN_INTEL, |entry| entry.owner as cl_uint))
        }
        CL_MEM_ALLOC_BASE_PTR_INTEL => {
            let begin = around.map_or(ptr::null_mut(), |entry| entry.memory.address().pointer());
            reply.give(begin.cast::<c_void>())
        }
        CL_MEM_ALLOC_SIZE_INTEL => reply.give(around.map_or(0, |entry| entry.memory.size_bytes())),
        CL_MEM_ALLOC_DEVICE_INTEL => {
            let device = around.and_then(|entry| entry.device.as_ref());
            reply.give(device.map_or(ptr::null_mut(), Ref::handle))
        }
        FLAGS => reply.give(around.map_or(0, |entry| entry.flags)),
        _ => Err(Error(CL_INVALID_VALUE)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_for_one_owner_and_in_one_pair() {
        let is =
            |owner, properties: &[cl_mem_properties]| flags(owner, properties).map_err(|it| it.0);
        let name = CL_MEM_ALLOC_FLAGS_INTEL;
        let wrong = Err(CL_INVALID_PROPERTY);
        assert_eq!(is(Owner::Host, &[]), Ok(0));
        assert_eq!(is(Owner::Device, &[name, 1, 0]), Ok(1));
        assert_eq!(is(Owner::Shared, &[name, 3, 0]), Ok(3));
        assert_eq!(is(Owner::Shared, &[name, 4, 0]), Ok(4));
        assert_eq!(is(Owner::Shared, &[name, 6, 0]), wrong);
        assert_eq!(is(Owner::Shared, &[name, 8, 0]), wrong);
        assert_eq!(is(Owner::Host, &[name, 2, 0]), wrong);
        assert_eq!(is(Owner::Device, &[name, 4, 0]), wrong);
        assert_eq!(is(Owner::Host, &[name, 1, name, 1, 0]), wrong);
        assert_eq!(is(Owner::Host, &[name + 1, 1, 0]), wrong);
    }
}
