//! libgomp's dependence arrays.
//!
//! Two forms, both without lengths. Old: `[n, outs, addresses...]`, the out and inout ones first. New:
//! `[0, n, outs, mutexinoutsets, ins, addresses..., depobjs...]`, where a depobj is the address of
//! `{address, kind}`. An address of null with kind out is `omp_all_memory` in later compilers' arrays.
#![allow(unsafe_code)]

use crate::handle::Pointer;
use vicinity_runtime::task::deps::{Access, Dependence};

/// Kinds in a depobj, as gcc's `gomp-constants.h` numbers them.
mod kind {
    pub const IN: usize = 1;
    pub const MUTEXINOUTSET: usize = 4;
    pub const INOUTSET: usize = 5;
}

/// Most depend clauses name few addresses: those need no allocation.
pub type Items = smallvec::SmallVec<[Dependence; 8]>;

/// The items of a depend clause; none if there is no array.
///
/// # Safety
/// `array` is null or an array of one of the two forms.
pub unsafe fn list(array: *const Pointer) -> Items {
    let mut items = Items::new();
    if !array.is_null() {
        // SAFETY: the caller's contract.
        unsafe { read(array, &mut items) };
    }
    items
}

/// Adds the items of a depend clause.
///
/// # Safety
/// `array` is an array of one of the two forms.
pub unsafe fn read(array: *const Pointer, items: &mut Items) {
    // SAFETY: the first words of either form, then as many as they say.
    unsafe {
        let word = |index: usize| (*array.add(index)) as usize;
        if word(0) != 0 {
            let (total, outs) = (word(0), word(1));
            items.extend((0..total).map(|index| {
                let access = if index < outs { Access::Out } else { Access::In };
                item(word(2 + index), access)
            }));
            return;
        }
        let (total, outs, exclusive, ins) = (word(1), word(2), word(3), word(4));
        for index in 0..total {
            let access = match index {
                _ if index < outs => Access::Out,
                _ if index < outs + exclusive => Access::MutexInOutSet,
                _ if index < outs + exclusive + ins => Access::In,
                _ => {
                    let object = word(5 + index) as *const usize;
                    items.push(item(*object, of_kind(*object.add(1))));
                    continue;
                }
            };
            items.push(item(word(5 + index), access));
        }
    }
}

fn of_kind(kind: usize) -> Access {
    match kind {
        kind::IN => Access::In,
        kind::MUTEXINOUTSET => Access::MutexInOutSet,
        kind::INOUTSET => Access::InOutSet,
        _ => Access::Out,
    }
}

fn item(address: usize, access: Access) -> Dependence {
    let all_memory = address == 0 && access == Access::Out;
    Dependence {
        address: (!all_memory).then_some(address),
        length_bytes: 0,
        access,
        intensive: false,
    }
}
