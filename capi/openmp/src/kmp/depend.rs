//! libomp's dependence arrays: records of address, length and kind.
#![allow(unsafe_code)]

use crate::gomp::depend::Items;
use vicinity_runtime::task::deps::{Access, Dependence};

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Item {
    address: usize,
    length_bytes: usize,
    kind: u8,
}

/// Values of `kind`, as libomp's `kmp_depend_info` has them.
mod kind {
    pub const IN: u8 = 1;
    pub const MUTEXINOUTSET: u8 = 4;
    pub const INOUTSET: u8 = 8;
    pub const ALL_MEMORY: u8 = 0x80;
}

/// The items of a depend clause: those that may name an address twice, and those that do not.
///
/// # Safety
/// Each array has as many items as its count; it may be null if there are none.
pub unsafe fn lists(
    count: libc::c_int,
    items: *const Item,
    alias_free_count: libc::c_int,
    alias_free: *const Item,
) -> Items {
    // SAFETY: the caller's contract.
    let (items, alias_free) = unsafe { (slice(count, items), slice(alias_free_count, alias_free)) };
    items.iter().chain(alias_free).map(dependence).collect()
}

/// The items that depend objects hold.
///
/// # Safety
/// Each points to an item behind a record whose first word is how many there are.
pub unsafe fn objects(objects: &[*const Item]) -> Items {
    let items = objects.iter().flat_map(|&first| {
        // SAFETY: the caller's contract.
        unsafe { std::slice::from_raw_parts(first, (*first.sub(1)).address) }
    });
    items.map(dependence).collect()
}

unsafe fn slice<'a>(count: libc::c_int, items: *const Item) -> &'a [Item] {
    if count <= 0 || items.is_null() {
        return &[];
    }
    // SAFETY: the caller's contract.
    unsafe { std::slice::from_raw_parts(items, count as usize) }
}

fn dependence(item: &Item) -> Dependence {
    let access = match item.kind & 0xf {
        kind::IN => Access::In,
        kind::MUTEXINOUTSET => Access::MutexInOutSet,
        kind::INOUTSET => Access::InOutSet,
        _ => Access::Out,
    };
    let all_memory = item.kind & kind::ALL_MEMORY != 0 || item.address == usize::MAX;
    Dependence {
        address: (!all_memory).then_some(item.address),
        length_bytes: item.length_bytes,
        access,
        intensive: false,
    }
}
