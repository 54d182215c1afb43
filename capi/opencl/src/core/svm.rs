//! Memory that program and kernels share: allocations of ours, with their alignment, and those that the program
//! asked for itself (`clSVMAlloc`), by address.
//!
//! The device shares all of the process's memory, so nothing but the lifetime of these is kept.

use super::memory::Address;
use crate::os::runtime;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{LazyLock, Mutex, MutexGuard};

/// Memory from `libvicinity`, at a location or distributed as `OMP_DATA_DISTRIBUTION` says.
pub struct Allocation {
    /// Where the data begins.
    address: Address,
    /// What the library gave, at that address or a little before.
    block: Address,
    size_bytes: usize,
}

impl Allocation {
    /// `None` if there is too little memory.
    pub fn new(
        size_bytes: usize,
        alignment_bytes: usize,
        location: Option<u16>,
    ) -> Option<Allocation> {
        let room = size_bytes.checked_add(alignment_bytes)?;
        let block: NonNull<u8> = runtime::allocate(room, location)?;
        let block = Address::of(block);
        let skip = block.number().next_multiple_of(alignment_bytes) - block.number();
        Some(Allocation { address: block.plus(skip), block, size_bytes })
    }

    pub fn address(&self) -> Address {
        self.address
    }

    pub fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    /// Where it begins and ends, if an address lies in it.
    pub fn around(&self, address: Address) -> Option<(usize, usize)> {
        let begin = self.address.number();
        let end = begin + self.size_bytes;
        (begin..end).contains(&address.number()).then_some((begin, end))
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        runtime::free(self.block.pointer());
    }
}

/// By address: the allocations of `clSVMAlloc`.
static SHARED: LazyLock<Mutex<BTreeMap<usize, Allocation>>> = LazyLock::new(Mutex::default);

fn shared() -> MutexGuard<'static, BTreeMap<usize, Allocation>> {
    SHARED.lock().unwrap_or_else(|held| held.into_inner())
}

/// `clSVMAlloc`: the address of new memory, until `free`.
pub fn allocate(
    size_bytes: usize,
    alignment_bytes: usize,
    location: Option<u16>,
) -> Option<Address> {
    let allocation = Allocation::new(size_bytes, alignment_bytes, location)?;
    let address = allocation.address();
    shared().insert(address.number(), allocation);
    Some(address)
}

/// How much of an allocation of `allocate` there is from this address on; `None` if it lies in none.
pub fn bytes_from(address: Address) -> Option<usize> {
    around(address).map(|(_, end)| end - address.number())
}

/// Where the allocation of `allocate` that an address lies in begins and ends.
pub fn around(address: Address) -> Option<(usize, usize)> {
    shared().range(..=address.number()).next_back()?.1.around(address)
}

/// `clSVMFree`; an address that is not of `allocate` means nothing.
pub fn free(address: Address) {
    let allocation = shared().remove(&address.number());
    drop(allocation);
}
