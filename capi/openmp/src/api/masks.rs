//! libomp's affinity masks: a thread asks and says which processors it runs on.
//!
//! A mask is a handle; the program creates and destroys it. Routines return 0, or -1 for a mask that is
//! null or a processor that cannot exist, or -2 for one that the process may not use.
//! Source: LLVM OpenMP documentation, "Intel affinity API"; its `omp.h`.
#![allow(unsafe_code)]

use std::ffi::c_int;
use vicinity_alloc::os::CpuSet;
use vicinity_runtime::global;
use vicinity_runtime::team::places;

/// A mask as the program holds it.
type Mask = *mut CpuSet;

const FAILED: c_int = -1;
const NOT_ALLOWED: c_int = -2;

/// Defines a routine under the names that take its arguments in the same way.
macro_rules! masks {
    ($($name:ident)+ => $does:ident $arguments:tt -> $result:ty) => {
        $(masks!(@one $name $does $arguments $result);)+
    };
    (@one $name:ident $does:ident ($($argument:ident: $type:ty),*) $result:ty) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            // SAFETY: the program passes masks that it created and has not destroyed.
            unsafe { $does($($argument),*) }
        }
    };
}

masks!(kmp_create_affinity_mask kmp_create_affinity_mask_ => create(mask: *mut Mask) -> ());
masks!(kmp_destroy_affinity_mask kmp_destroy_affinity_mask_ => destroy(mask: *mut Mask) -> ());
masks!(kmp_set_affinity kmp_set_affinity_ => bind(mask: *mut Mask) -> c_int);
masks!(kmp_get_affinity kmp_get_affinity_ => ask(mask: *mut Mask) -> c_int);
masks!(kmp_set_affinity_mask_proc kmpc_set_affinity_mask_proc =>
    insert(processor: c_int, mask: *mut Mask) -> c_int);
masks!(kmp_unset_affinity_mask_proc kmpc_unset_affinity_mask_proc =>
    remove(processor: c_int, mask: *mut Mask) -> c_int);
masks!(kmp_get_affinity_mask_proc kmpc_get_affinity_mask_proc =>
    contains(processor: c_int, mask: *mut Mask) -> c_int);
masks!(kmp_set_affinity_mask_proc_ => insert_by(processor: *const i32, mask: *mut Mask) -> c_int);
masks!(kmp_unset_affinity_mask_proc_ => remove_by(processor: *const i32, mask: *mut Mask) -> c_int);
masks!(kmp_get_affinity_mask_proc_ => contains_by(processor: *const i32, mask: *mut Mask) -> c_int);

super::getters! {
    highest() => c_int: kmp_get_affinity_max_proc kmp_get_affinity_max_proc_;
    unbind() => c_int: kmp_set_thread_affinity_mask_initial;
}

/// One above the highest processor that the process may use.
fn highest() -> c_int {
    global::allowed().iter().last().map_or(0, |last| last as c_int + 1)
}

/// Lets the calling thread run where the process started.
fn unbind() -> c_int {
    if places::bind_by_hand(global::allowed()) { 0 } else { FAILED }
}

/// # Safety
/// `mask` is null or a place for a handle; so for all functions below.
unsafe fn create(mask: *mut Mask) {
    if !mask.is_null() {
        // SAFETY: the caller's promise.
        unsafe { mask.write(Box::into_raw(Box::default())) };
    }
}

/// The set behind a handle, if there is one.
unsafe fn set<'a>(mask: *mut Mask) -> Option<&'a mut CpuSet> {
    // SAFETY: a handle is null or came from `create` and was not destroyed.
    unsafe { mask.as_ref()?.as_mut() }
}

unsafe fn destroy(mask: *mut Mask) {
    // SAFETY: the handle came from `create`; it is forgotten here.
    unsafe {
        if let Some(set) = set(mask) {
            drop(Box::from_raw(set));
            mask.write(std::ptr::null_mut());
        }
    }
}

unsafe fn bind(mask: *mut Mask) -> c_int {
    // SAFETY: the caller's promise.
    match unsafe { set(mask) } {
        Some(cpus) if places::bind_by_hand(cpus) => 0,
        _ => FAILED,
    }
}

unsafe fn ask(mask: *mut Mask) -> c_int {
    // SAFETY: the caller's promise.
    let Some(cpus) = (unsafe { set(mask) }) else { return FAILED };
    *cpus = vicinity_alloc::os::affinity_mask();
    0
}

/// Runs `body` on the set, with a processor that the process may use.
unsafe fn with(
    mask: *mut Mask,
    processor: c_int,
    body: impl Fn(&mut CpuSet, u32) -> c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    let Some(cpus) = (unsafe { set(mask) }) else { return FAILED };
    match u32::try_from(processor) {
        Ok(_) if processor >= highest() => FAILED,
        Ok(cpu) if global::allowed().contains(cpu) => body(cpus, cpu),
        Ok(_) => NOT_ALLOWED,
        Err(_) => FAILED,
    }
}

unsafe fn insert(processor: c_int, mask: *mut Mask) -> c_int {
    let insert = |cpus: &mut CpuSet, cpu| {
        cpus.insert(cpu);
        0
    };
    // SAFETY: the caller's promise.
    unsafe { with(mask, processor, insert) }
}

unsafe fn remove(processor: c_int, mask: *mut Mask) -> c_int {
    let remove = |cpus: &mut CpuSet, cpu| {
        cpus.remove(cpu);
        0
    };
    // SAFETY: the caller's promise.
    unsafe { with(mask, processor, remove) }
}

/// 1 if it is in the mask; 0 also for one that the process may not use.
unsafe fn contains(processor: c_int, mask: *mut Mask) -> c_int {
    // SAFETY: the caller's promise.
    match unsafe { with(mask, processor, |cpus, cpu| cpus.contains(cpu).into()) } {
        NOT_ALLOWED => 0,
        answer => answer,
    }
}

unsafe fn insert_by(processor: *const i32, mask: *mut Mask) -> c_int {
    // SAFETY: Fortran passes a valid reference.
    unsafe { insert(*processor, mask) }
}

unsafe fn remove_by(processor: *const i32, mask: *mut Mask) -> c_int {
    // SAFETY: Fortran passes a valid reference.
    unsafe { remove(*processor, mask) }
}

unsafe fn contains_by(processor: *const i32, mask: *mut Mask) -> c_int {
    // SAFETY: Fortran passes a valid reference.
    unsafe { contains(*processor, mask) }
}
