//! Memory objects: buffers, parts of buffers, and images ([`crate::core::image`]).
//!
//! Terms: a *buffer* has memory of its own, placed at locations as `OMP_DATA_DISTRIBUTION` says, or uses the
//! program's in place; so has an *image*, or it lies in a buffer or another image. A *sub-buffer* is a range of a buffer.
//!
//! Invariants: 1. All of it is ordinary memory of the process: the address never changes, a map is the address
//! itself. 2. A sub-buffer keeps its buffer alive, and so does an image what it lies in.

use super::context::{Context, LastCall};
use super::device::{ALIGNMENT_BYTES, most_bytes};
use super::image::{Image, Layout};
use super::svm::{self, Allocation};
use crate::error::{Error, Result, ensure};
use crate::handle::{Kind, Object, Ref};
use crate::info::Reply;
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// A property: the program will ask for the address, which never changes anyway.
pub const CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT: cl_mem_properties = 0x5000;
const CL_MEM_DEVICE_ADDRESS_EXT: cl_mem_info = 0x5001;

pub struct Memory {
    context: Ref<Context>,
    flags: cl_mem_flags,
    size_bytes: usize,
    storage: Storage,
    /// If it is one.
    image: Option<Image>,
    /// As the program passed them, with the zero that ends them.
    properties: Vec<cl_mem_properties>,
    maps: AtomicU32,
    last_calls: Mutex<Vec<LastCall>>,
}

pub(super) enum Storage {
    Own(Allocation),
    /// `is_shared`: it is of `clSVMAlloc`.
    Program {
        address: Address,
        is_shared: bool,
    },
    Part {
        of: Ref<Memory>,
        origin_bytes: usize,
    },
}

/// An address in the program's memory, which the program keeps for as long as the specification says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Address(*mut u8);

// SAFETY: what may be done with the memory, and by whom, is argued where it is used.
#[allow(unsafe_code)]
unsafe impl Send for Address {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for Address {}

impl Address {
    pub fn new(pointer: *const c_void) -> Address {
        Address(pointer.cast_mut().cast())
    }

    pub fn of(memory: NonNull<u8>) -> Address {
        Address(memory.as_ptr())
    }

    pub fn plus(self, bytes: usize) -> Address {
        Address(self.0.wrapping_add(bytes))
    }

    pub fn pointer(self) -> *mut u8 {
        self.0
    }

    pub fn number(self) -> usize {
        self.0 as usize
    }
}

impl Object for Memory {
    const KIND: Kind = Kind::Memory;
    const INVALID: cl_int = CL_INVALID_MEM_OBJECT;
}

pub(super) const DEVICE_ACCESS: cl_mem_flags =
    CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
const HOST_ACCESS: cl_mem_flags =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
const HOST_POINTER: cl_mem_flags =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
/// What `clCreateBuffer` takes, and what `clCreateSubBuffer` does.
pub const FLAGS: cl_mem_flags = DEVICE_ACCESS | HOST_ACCESS | HOST_POINTER;
const PART_FLAGS: cl_mem_flags = DEVICE_ACCESS | HOST_ACCESS;

/// Which of these flags exclude each other.
fn is_one_at_most(flags: cl_mem_flags, of: cl_mem_flags) -> bool {
    (flags & of).count_ones() <= 1
}

pub fn make_sense(flags: cl_mem_flags, allowed: cl_mem_flags) -> bool {
    let copies = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    let allocates = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR;
    flags & !allowed == 0
        && [DEVICE_ACCESS, HOST_ACCESS, copies, allocates]
            .iter()
            .all(|&group| is_one_at_most(flags, group))
}

impl Memory {
    /// A buffer; `host` is the program's memory, or null. What is in it is not copied yet.
    pub fn buffer(
        context: Ref<Context>,
        flags: cl_mem_flags,
        size_bytes: usize,
        host: Address,
        properties: Vec<cl_mem_properties>,
    ) -> Result<Ref<Memory>> {
        ensure(make_sense(flags, FLAGS), CL_INVALID_VALUE)?;
        ensure(size_bytes > 0 && size_bytes as u64 <= most_bytes(), CL_INVALID_BUFFER_SIZE)?;
        ensure_host(flags, host)?;
        let storage = Storage::new(&context, flags, size_bytes, host, CL_INVALID_BUFFER_SIZE)?;
        Memory::with(context, with_access(flags), size_bytes, storage, None, properties)
    }

    pub(super) fn with(
        context: Ref<Context>,
        flags: cl_mem_flags,
        size_bytes: usize,
        storage: Storage,
        layout: Option<Layout>,
        properties: Vec<cl_mem_properties>,
    ) -> Result<Ref<Memory>> {
        let (maps, last_calls) = (AtomicU32::new(0), Mutex::default());
        let image =
            layout.map(|layout| Image { layout, described: layout.describe(storage.address()) });
        Ref::new(Memory {
            context,
            flags,
            size_bytes,
            storage,
            image,
            properties,
            maps,
            last_calls,
        })
    }

    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    pub fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    pub fn address(&self) -> Address {
        self.storage.address()
    }

    pub fn flags(&self) -> cl_mem_flags {
        self.flags
    }

    /// What it is besides its memory, if it is an image.
    pub fn image(&self) -> Option<&Image> {
        self.image.as_ref()
    }

    /// What it is a part of.
    pub fn whole(&self) -> Option<&Ref<Memory>> {
        match &self.storage {
            Storage::Part { of, .. } => Some(of),
            _ => None,
        }
    }

    /// Whether it lies in memory of `clSVMAlloc`.
    fn is_shared(&self) -> bool {
        match &self.storage {
            Storage::Own(_) => false,
            Storage::Program { is_shared, .. } => *is_shared,
            Storage::Part { of, .. } => of.is_shared(),
        }
    }

    /// Whether the program may ask for the address.
    fn tells_address(&self) -> bool {
        match &self.storage {
            Storage::Part { of, .. } => of.tells_address(),
            _ => self.properties.starts_with(&[CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1]),
        }
    }

    /// The address of a range that must lie inside.
    pub fn range(&self, offset_bytes: usize, size_bytes: usize) -> Result<Address> {
        let end = offset_bytes.checked_add(size_bytes);
        ensure(end.is_some_and(|end| end <= self.size_bytes), CL_INVALID_VALUE)?;
        Ok(self.address().plus(offset_bytes))
    }

    /// An error if the program said that its own code would not read it.
    pub fn ensure_host_reads(&self) -> Result {
        let not = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
        ensure(self.flags & not == 0, CL_INVALID_OPERATION)
    }

    /// An error if the program said that its own code would not write it.
    pub fn ensure_host_writes(&self) -> Result {
        let not = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
        ensure(self.flags & not == 0, CL_INVALID_OPERATION)
    }

    /// Counts a map; as the program may ask for the number, nothing else depends on it.
    pub fn map(&self) {
        // Relaxed: a number for people.
        self.maps.fetch_add(1, Ordering::Relaxed);
    }

    pub fn unmap(&self) {
        let fewer = |maps: u32| maps.checked_sub(1);
        // Relaxed: a number for people.
        let _ = self.maps.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer);
    }

    pub fn before_the_end(&self, call: LastCall) {
        self.last_calls.lock().unwrap_or_else(|held| held.into_inner()).push(call);
    }
}

impl Storage {
    /// `too_small`: the error where memory of `clSVMAlloc` does not have so many bytes.
    pub(super) fn new(
        context: &Ref<Context>,
        flags: cl_mem_flags,
        size_bytes: usize,
        host: Address,
        too_small: cl_int,
    ) -> Result<Storage> {
        if flags & CL_MEM_USE_HOST_PTR != 0 {
            let room = svm::bytes_from(host);
            ensure(room.is_none_or(|room| size_bytes <= room), too_small)?;
            return Ok(Storage::Program { address: host, is_shared: room.is_some() });
        }
        let own = Allocation::new(size_bytes, ALIGNMENT_BYTES, context.place());
        Ok(Storage::Own(own.ok_or(Error(CL_MEM_OBJECT_ALLOCATION_FAILURE))?))
    }

    fn address(&self) -> Address {
        match self {
            Storage::Own(own) => own.address(),
            Storage::Program { address, .. } => *address,
            Storage::Part { of, origin_bytes } => of.address().plus(*origin_bytes),
        }
    }
}

/// An error unless there is a pointer of the program's where the flags ask for one, and only there.
pub(super) fn ensure_host(flags: cl_mem_flags, host: Address) -> Result {
    let needs_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
    ensure(needs_host != host.0.is_null(), CL_INVALID_HOST_PTR)
}

/// The flags with what kernels may do if the program says nothing of that.
pub(super) fn with_access(flags: cl_mem_flags) -> cl_mem_flags {
    if flags & DEVICE_ACCESS == 0 { flags | CL_MEM_READ_WRITE } else { flags }
}

impl Ref<Memory> {
    /// A range of this buffer.
    pub fn part(
        &self,
        flags: cl_mem_flags,
        origin_bytes: usize,
        size_bytes: usize,
    ) -> Result<Ref<Memory>> {
        let is_buffer = self.image.is_none() && !matches!(self.storage, Storage::Part { .. });
        ensure(is_buffer, CL_INVALID_MEM_OBJECT)?;
        let flags = self.part_flags(flags)?;
        let end = origin_bytes.checked_add(size_bytes);
        ensure(end.is_some_and(|end| end <= self.size_bytes), CL_INVALID_VALUE)?;
        ensure(size_bytes > 0, CL_INVALID_BUFFER_SIZE)?;
        ensure(origin_bytes.is_multiple_of(ALIGNMENT_BYTES), CL_MISALIGNED_SUB_BUFFER_OFFSET)?;
        let storage = Storage::Part { of: self.clone(), origin_bytes };
        Memory::with(self.context.clone(), flags, size_bytes, storage, None, Vec::new())
    }

    /// The flags of a part, which has those of the whole where it has none; they may not allow more.
    pub(super) fn part_flags(&self, flags: cl_mem_flags) -> Result<cl_mem_flags> {
        ensure(make_sense(flags, PART_FLAGS), CL_INVALID_VALUE)?;
        ensure(!widens(self.flags, flags), CL_INVALID_VALUE)?;
        let inherit = |group: cl_mem_flags| {
            if flags & group == 0 { self.flags & group } else { flags & group }
        };
        Ok(inherit(DEVICE_ACCESS) | inherit(HOST_ACCESS) | self.flags & HOST_POINTER)
    }

    pub fn info(&self, name: cl_mem_info, reply: Reply) -> Result {
        let uses_host = self.flags & CL_MEM_USE_HOST_PTR != 0;
        match name {
            CL_MEM_TYPE => {
                let image = self.image.as_ref().map(|image| image.layout.kind);
                reply.give(image.unwrap_or(CL_MEM_OBJECT_BUFFER))
            }
            CL_MEM_FLAGS => reply.give(self.flags),
            CL_MEM_SIZE => reply.give(self.size_bytes),
            CL_MEM_HOST_PTR => {
                let address = if uses_host { self.address().pointer() } else { ptr::null_mut() };
                reply.give(address.cast::<c_void>())
            }
            CL_MEM_MAP_COUNT => reply.give(self.maps.load(Ordering::Relaxed)),
            CL_MEM_REFERENCE_COUNT => reply.give(self.references()),
            CL_MEM_CONTEXT => reply.give(self.context.handle()),
            CL_MEM_ASSOCIATED_MEMOBJECT => {
                reply.give(self.whole().map_or(ptr::null_mut(), Ref::handle))
            }
            CL_MEM_OFFSET => reply.give(match &self.storage {
                Storage::Part { origin_bytes, .. } => *origin_bytes,
                _ => 0,
            }),
            CL_MEM_USES_SVM_POINTER => reply.give_bool(self.is_shared()),
            CL_MEM_PROPERTIES => reply.give_all(&self.properties),
            // The same for each device.
            CL_MEM_DEVICE_ADDRESS_EXT => {
                ensure(self.tells_address(), CL_INVALID_OPERATION)?;
                let address = self.address().number() as u64;
                reply.give_all(&vec![address; self.context.devices().len()])
            }
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }
}

/// Whether a sub-buffer's flags allow what its buffer's do not.
fn widens(whole: cl_mem_flags, part: cl_mem_flags) -> bool {
    let excluded = [
        (CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY),
        (CL_MEM_READ_ONLY, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY),
        (CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY),
        (CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY),
        (CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY),
    ];
    excluded.iter().any(|&(has, not)| whole & has != 0 && part & not != 0)
}

impl Drop for Memory {
    fn drop(&mut self) {
        LastCall::make_all(self.last_calls.get_mut().unwrap_or_else(|held| held.into_inner()));
    }
}
