//! Memory that program and kernels share: allocations of ours, with their alignment, and those that the program
//! asked for itself (`clSVMAlloc`), by address.
//!
//! The device shares all of the process's memory, so nothing but the lifetime of these is kept.

use super::memory::Address;
use crate::os::runtime;
use std::collections::HashMap;
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
}

impl Drop for Allocation {
    fn drop(&mut self) {
        runtime::free(self.block.pointer());
    }
}

/// By address: the allocations of `clSVMAlloc`.
static SHARED: LazyLock<Mutex<HashMap<usize, Allocation>>> = LazyLock::new(Mutex::default);

fn shared() -> MutexGuard<'static, HashMap<usize, Allocation>> {
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

/// How much memory begins there, if it is of `allocate`.
pub fn size_bytes(address: Address) -> Option<usize> {
    shared().get(&address.number()).map(|allocation| allocation.size_bytes)
}

/// `clSVMFree`; an address that is not of `allocate` means nothing.
pub fn free(address: Address) {
    let allocation = shared().remove(&address.number());
    drop(allocation);
}
