//! Device memory routines: all devices have the host's memory, and a location's own is nearest to it.
//!
//! A device number that names no device gets nothing, or `EINVAL`, as from libgomp without
//! devices. Nothing can be associated: host pointers are device pointers.
//! Source: OpenMP 5.2, section 18.8 (device memory routines).
#![allow(unsafe_code)]

use super::copies;
use super::devices::is_there;
use crate::gomp::depend;
use crate::handle::Pointer;
use crate::kmp;
use std::ffi::{c_int, c_void};
use std::ptr::{self, NonNull};
use vicinity_alloc::engine;
use vicinity_alloc::os::memory;
use vicinity_runtime::devices;
use vicinity_runtime::task::{objects, wait};

/// Linux's error number for what makes no sense.
const EINVAL: c_int = 22;

#[unsafe(no_mangle)]
pub extern "C" fn omp_target_alloc(size: usize, device: c_int) -> *mut c_void {
    let block = match devices::location(device) {
        Some(location) => engine::allocate_at(size.max(1), location).ok(),
        None if is_there(device) => memory::heap(size.max(1), 1, false),
        None => None,
    };
    block.map_or(ptr::null_mut(), |block| block.as_ptr().cast())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_free(block: *mut c_void, device: c_int) {
    let Some(block) = NonNull::new(block.cast::<u8>()) else { return };
    // SAFETY: the program passes memory of `omp_target_alloc` for the last time.
    unsafe {
        if devices::location(device).is_some() {
            crate::allocators::free("omp_target_free", block.as_ptr().cast());
        } else if is_there(device) {
            memory::free_heap(block);
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_target_is_present(block: *const c_void, device: c_int) -> c_int {
    (block.is_null() || is_there(device)).into()
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_target_is_accessible(
    _block: *const c_void,
    _size: usize,
    device: c_int,
) -> c_int {
    is_there(device).into()
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_get_mapped_ptr(block: *const c_void, device: c_int) -> *mut c_void {
    if is_there(device) { block.cast_mut() } else { ptr::null_mut() }
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_target_associate_ptr(
    _host: *const c_void,
    _other: *const c_void,
    _size: usize,
    _offset: usize,
    _device: c_int,
) -> c_int {
    EINVAL
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_target_disassociate_ptr(_host: *const c_void, _device: c_int) -> c_int {
    EINVAL
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_memcpy(
    to: *mut c_void,
    from: *const c_void,
    length: usize,
    to_offset: usize,
    from_offset: usize,
    to_device: c_int,
    from_device: c_int,
) -> c_int {
    if !is_there(to_device) || !is_there(from_device) {
        return EINVAL;
    }
    let (to, from) = (to.wrapping_byte_add(to_offset), from.wrapping_byte_add(from_offset));
    // SAFETY: the program names `length` bytes that may be read and written (overlapping is harmless).
    unsafe { ptr::copy(from.cast::<u8>(), to.cast(), length) };
    0
}

/// Between devices, the copy is a task that a device does beside its regions; on the host alone, it is done when this returns, after
/// the dependences are met.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_memcpy_async(
    to: *mut c_void,
    from: *const c_void,
    length: usize,
    to_offset: usize,
    from_offset: usize,
    to_device: c_int,
    from_device: c_int,
    depend_count: c_int,
    depend: *mut [Pointer; 2],
) -> c_int {
    let Some(device) = copies::who([to_device, from_device]) else {
        // SAFETY: the program passes `depend_count` depend objects; the rest as for the routine called.
        return unsafe {
            meet(depend_count, depend);
            omp_target_memcpy(to, from, length, to_offset, from_offset, to_device, from_device)
        };
    };
    let (to, from) = (to.expose_provenance(), from.expose_provenance());
    let copy = move || {
        let to = ptr::with_exposed_provenance_mut(to);
        let from = ptr::with_exposed_provenance(from);
        // SAFETY: the program leaves these bytes alone until the task is complete; the rest as for the routine called.
        unsafe { omp_target_memcpy(to, from, length, to_offset, from_offset, device, device) };
    };
    // SAFETY: the program passes `depend_count` depend objects.
    copies::later(device, &unsafe { dependences(depend_count, depend) }, Box::new(copy));
    0
}

/// Fills memory with the low byte of `value`; gives `block`, or null for a device that is not there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_memset(
    block: *mut c_void,
    value: c_int,
    size: usize,
    device: c_int,
) -> *mut c_void {
    if !is_there(device) {
        return ptr::null_mut();
    }
    if size > 0 {
        // SAFETY: the program names `size` bytes that may be written.
        unsafe { ptr::write_bytes(block.cast::<u8>(), value as u8, size) };
    }
    block
}

/// See `omp_target_memcpy_async`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_memset_async(
    block: *mut c_void,
    value: c_int,
    size: usize,
    device: c_int,
    depend_count: c_int,
    depend: *mut [Pointer; 2],
) -> *mut c_void {
    let Some(device) = copies::who([device, device]) else {
        // SAFETY: the program passes `depend_count` depend objects; the rest as for the routine called.
        return unsafe {
            meet(depend_count, depend);
            omp_target_memset(block, value, size, device)
        };
    };
    let start = block.expose_provenance();
    let fill = move || {
        // SAFETY: the program leaves these bytes alone until the task is complete; the rest as for the routine called.
        unsafe { omp_target_memset(ptr::with_exposed_provenance_mut(start), value, size, device) };
    };
    // SAFETY: the program passes `depend_count` depend objects.
    copies::later(device, &unsafe { dependences(depend_count, depend) }, Box::new(fill));
    block
}

/// Waits for the dependences that depend objects name.
///
/// # Safety
/// `objects` points to `count` depend objects, unless `count` is 0 or less.
unsafe fn meet(count: c_int, objects: *mut [Pointer; 2]) {
    // SAFETY: the caller's contract.
    wait::wait_for_dependences(&unsafe { dependences(count, objects) });
}

/// What depend objects name.
///
/// # Safety
/// As for `meet`.
unsafe fn dependences(count: c_int, list: *mut [Pointer; 2]) -> depend::Items {
    let count = usize::try_from(count).unwrap_or(0);
    if count == 0 || list.is_null() {
        return depend::Items::new();
    }
    // SAFETY: the first word of a depend object of either compiler.
    if objects::leads_to_items(unsafe { list.cast::<usize>().read() }) {
        // SAFETY: the caller's contract: they are all of one compiler.
        return unsafe { kmp::depend::objects(std::slice::from_raw_parts(list.cast(), count)) };
    }
    let mut array: Vec<Pointer> = vec![ptr::null_mut(); 5];
    array[1] = ptr::without_provenance_mut(count);
    array.extend((0..count).map(|index| list.wrapping_add(index).cast()));
    // SAFETY: the array has the form that compilers pass, with depend objects alone.
    unsafe { depend::list(array.as_ptr().cast()) }
}

/// One side of a copy of a rectangle: where it starts, its offsets and extents in elements.
#[derive(Clone, Copy)]
struct Side {
    start: *mut u8,
    offsets: *const usize,
    extents: *const usize,
}

impl Side {
    /// Bytes from one index of the outermost dimension to the next, and to the first one wanted.
    ///
    /// # Safety
    /// Both arrays have `dimensions` elements.
    unsafe fn steps(self, dimensions: usize, element: usize) -> Option<(usize, usize)> {
        // SAFETY: the caller's promise.
        unsafe {
            let mut inner = (1..dimensions).map(|at| *self.extents.add(at));
            let step = inner.try_fold(element, usize::checked_mul)?;
            Some((step, step.checked_mul(*self.offsets)?))
        }
    }

    /// The same side one dimension further in, `bytes` further on.
    fn inside(self, bytes: usize) -> Side {
        Side {
            start: self.start.wrapping_add(bytes),
            offsets: self.offsets.wrapping_add(1),
            extents: self.extents.wrapping_add(1),
        }
    }
}

/// Copies a rectangle; none if its size in bytes overflows.
///
/// # Safety
/// All arrays have `dimensions` elements, at least one, and describe memory of the program.
unsafe fn copy(
    to: Side,
    from: Side,
    volume: *const usize,
    dimensions: usize,
    element: usize,
) -> Option<()> {
    // SAFETY: the caller's promise, here and for the recursion, which drops the outermost dimension.
    unsafe {
        let ((to_step, to_first), (from_step, from_first)) =
            (to.steps(dimensions, element)?, from.steps(dimensions, element)?);
        if dimensions == 1 {
            let (to, from) = (to.inside(to_first).start, from.inside(from_first).start);
            ptr::copy(from, to, element.checked_mul(*volume)?);
            return Some(());
        }
        for index in 0..*volume {
            let to = to.inside(to_first + index * to_step);
            let from = from.inside(from_first + index * from_step);
            copy(to, from, volume.add(1), dimensions - 1, element)?;
        }
    }
    Some(())
}

/// Without any memory it says how many dimensions it can copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_memcpy_rect(
    to: *mut c_void,
    from: *const c_void,
    element: usize,
    dimensions: c_int,
    volume: *const usize,
    to_offsets: *const usize,
    from_offsets: *const usize,
    to_extents: *const usize,
    from_extents: *const usize,
    to_device: c_int,
    from_device: c_int,
) -> c_int {
    let arrays = [volume, to_offsets, from_offsets, to_extents, from_extents];
    // SAFETY: the caller's.
    unsafe { rect(to, from, element, dimensions, arrays, [to_device, from_device]) }
}

/// The same, with volume, offsets and extents in arrays.
///
/// # Safety
/// The arrays have `dimensions` elements, and describe memory of the program.
unsafe fn rect(
    to: *mut c_void,
    from: *const c_void,
    element: usize,
    dimensions: c_int,
    [volume, to_offsets, from_offsets, to_extents, from_extents]: [*const usize; 5],
    devices: [c_int; 2],
) -> c_int {
    if to.is_null() && from.is_null() {
        return c_int::MAX;
    }
    if !devices.into_iter().all(is_there) || dimensions < 1 {
        return EINVAL;
    }
    let to = Side { start: to.cast(), offsets: to_offsets, extents: to_extents };
    let start = from.cast_mut().cast();
    let from = Side { start, offsets: from_offsets, extents: from_extents };
    // SAFETY: the caller's contract.
    match unsafe { copy(to, from, volume, dimensions as usize, element) } {
        Some(()) => 0,
        None => EINVAL,
    }
}

/// See `omp_target_memcpy_async`. What describes the rectangle is read before this returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_memcpy_rect_async(
    to: *mut c_void,
    from: *const c_void,
    element: usize,
    dimensions: c_int,
    volume: *const usize,
    to_offsets: *const usize,
    from_offsets: *const usize,
    to_extents: *const usize,
    from_extents: *const usize,
    to_device: c_int,
    from_device: c_int,
    depend_count: c_int,
    depend: *mut [Pointer; 2],
) -> c_int {
    let arrays = [volume, to_offsets, from_offsets, to_extents, from_extents];
    let device = copies::who([to_device, from_device]);
    let Some(device) = device.filter(|_| dimensions >= 1 && !(to.is_null() && from.is_null()))
    else {
        // SAFETY: the program passes `depend_count` depend objects; the rest as for the routine called.
        return unsafe {
            meet(depend_count, depend);
            rect(to, from, element, dimensions, arrays, [to_device, from_device])
        };
    };
    // SAFETY: the program describes memory of its own, with arrays of `dimensions` elements.
    let arrays = arrays
        .map(|array| unsafe { std::slice::from_raw_parts(array, dimensions as usize) }.to_vec());
    let sides = [&arrays[3], &arrays[4]].into_iter().zip([&arrays[1], &arrays[2]]);
    if !sides.into_iter().all(|(extents, offsets)| can_be_counted(element, extents, offsets)) {
        return EINVAL;
    }
    let (to, from) = (to.expose_provenance(), from.expose_provenance());
    let copy = move || {
        let to = ptr::with_exposed_provenance_mut(to);
        let from = ptr::with_exposed_provenance(from);
        let arrays = arrays.each_ref().map(|array| array.as_ptr());
        // SAFETY: the program leaves this memory alone until the task is complete; the rest as for the routine called.
        unsafe { rect(to, from, element, dimensions, arrays, [device; 2]) };
    };
    // SAFETY: the program passes `depend_count` depend objects.
    copies::later(device, &unsafe { dependences(depend_count, depend) }, Box::new(copy));
    0
}

/// Whether a side's bytes, and those in front of it, can be counted.
fn can_be_counted(element: usize, extents: &[usize], offsets: &[usize]) -> bool {
    let mut inside = element;
    extents.iter().zip(offsets).rev().all(|(&extent, &offset)| {
        let counts = inside.checked_mul(offset).is_some();
        let all = inside.checked_mul(extent);
        inside = all.unwrap_or(0);
        counts && all.is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_are_cut_out() {
        let from: [u16; 12] = std::array::from_fn(|at| at as u16);
        let mut to = [99u16; 6];
        let side = |start: *mut u16, offsets: &[usize; 2], extents: &[usize; 2]| Side {
            start: start.cast(),
            offsets: offsets.as_ptr(),
            extents: extents.as_ptr(),
        };
        let (to_offsets, to_extents) = ([0, 1], [2, 3]);
        let (from_offsets, from_extents) = ([1, 2], [3, 4]);
        let to_side = side(to.as_mut_ptr(), &to_offsets, &to_extents);
        let from_side = side(from.as_ptr().cast_mut(), &from_offsets, &from_extents);
        // SAFETY: the rectangles lie inside both arrays; the second call overflows before it copies.
        unsafe {
            assert!(copy(to_side, from_side, [2, 2].as_ptr(), 2, 2).is_some());
            assert!(copy(to_side, from_side, [2, 2].as_ptr(), 2, usize::MAX).is_none());
        }
        assert_eq!(to, [99, 6, 7, 99, 10, 11]);
    }
}
