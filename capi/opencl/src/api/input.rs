//! What the program passes, as values: lists, texts, places for answers.
//!
//! Each function's safety is what the specification demands of the program: a pointer that is not null points to
//! as many elements as its number says, texts end with a zero, places for answers have room.

use crate::error::{Error, Result, code, ensure};
use crate::handle::{Object, Ref};
use opencl_sys::{CL_INVALID_VALUE, CL_OUT_OF_HOST_MEMORY, CL_SUCCESS, cl_int};
use std::ffi::{CStr, c_char, c_void};

/// A list that must have elements, and a pointer that belongs to it.
pub unsafe fn list<'a, T>(pointer: *const T, count: usize) -> Result<&'a [T]> {
    ensure(!pointer.is_null() && count > 0, CL_INVALID_VALUE)?;
    // SAFETY: the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// A list that may be empty; then its pointer must be null.
pub unsafe fn optional_list<'a, T>(pointer: *const T, count: usize) -> Result<&'a [T]> {
    if pointer.is_null() && count == 0 {
        return Ok(&[]);
    }
    // SAFETY: the caller's promise.
    unsafe { list(pointer, count) }
}

/// The numbers in so many bytes; none if there are none, or part of one.
pub unsafe fn sizes(pointer: *const c_void, bytes: usize) -> Option<Vec<usize>> {
    if pointer.is_null() || bytes == 0 || !bytes.is_multiple_of(size_of::<usize>()) {
        return None;
    }
    let numbers = pointer.cast::<usize>();
    // SAFETY: the caller's promise; a program need not align them.
    let number = |at| unsafe { numbers.add(at).read_unaligned() };
    Some((0..bytes / size_of::<usize>()).map(number).collect())
}

/// An empty list with room for as many elements as the program says, which may be more than there is memory for.
pub fn room<T>(count: usize) -> Result<Vec<T>> {
    let mut room = Vec::new();
    room.try_reserve_exact(count).map_err(|_| Error(CL_OUT_OF_HOST_MEMORY))?;
    Ok(room)
}

/// The live objects of a list of handles.
pub fn objects<T: Object>(handles: &[*mut c_void]) -> Result<Vec<Ref<T>>> {
    let mut objects = room(handles.len())?;
    for &handle in handles {
        objects.push(Ref::of(handle)?);
    }
    Ok(objects)
}

/// The elements before the zero that ends a list, and that zero, if there is a list. Elements come in pairs: a
/// zero at an even position ends it.
pub unsafe fn pairs<T: Copy + Default + PartialEq>(pointer: *const T) -> Vec<T> {
    let mut elements = Vec::new();
    if pointer.is_null() {
        return elements;
    }
    // SAFETY: the caller's promise: the list goes on until there is a zero at an even position.
    unsafe {
        while *pointer.add(elements.len()) != T::default() {
            elements.push(*pointer.add(elements.len()));
            elements.push(*pointer.add(elements.len()));
        }
    }
    elements.push(T::default());
    elements
}

/// The elements before the zero that ends a list; `None` if it is null.
pub unsafe fn until_zero<'a, T: Default + PartialEq>(pointer: *const T) -> Option<&'a [T]> {
    if pointer.is_null() {
        return None;
    }
    let mut length = 0;
    // SAFETY: the caller's promise: the list goes on until there is a zero.
    unsafe {
        while *pointer.add(length) != T::default() {
            length += 1;
        }
        Some(std::slice::from_raw_parts(pointer, length))
    }
}

/// Text; null is none at all.
pub unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// Text of a length that is given, or that ends with a zero if that is 0.
pub unsafe fn bytes<'a>(pointer: *const c_char, length: usize) -> Result<&'a [u8]> {
    ensure(!pointer.is_null(), CL_INVALID_VALUE)?;
    // SAFETY: the caller's promise.
    Ok(unsafe {
        match length {
            0 => CStr::from_ptr(pointer).to_bytes(),
            _ => std::slice::from_raw_parts(pointer.cast(), length),
        }
    })
}

/// Writes an answer, if it is wanted.
pub unsafe fn answer<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: the caller's promise.
        unsafe { place.write(value) };
    }
}

/// Gives out some of what there is: `capacity` at most to `places`, and the number of all to `count`.
pub unsafe fn answer_list(
    all: &[*mut c_void],
    capacity: u32,
    places: *mut *mut c_void,
    count: *mut u32,
) -> Result {
    let has_room = places.is_null() == (capacity == 0);
    ensure(has_room && !(places.is_null() && count.is_null()), CL_INVALID_VALUE)?;
    for (index, &handle) in all.iter().take(capacity as usize).enumerate() {
        // SAFETY: the caller's promise.
        unsafe { places.add(index).write(handle) };
    }
    // SAFETY: the caller's promise.
    unsafe { answer(count, all.len() as u32) };
    Ok(())
}

/// Ends an entry point that makes an object: the handle, or null, and the error code.
pub unsafe fn created<T: Object>(made: Result<Ref<T>>, error: *mut cl_int) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { pointer(made.map(Ref::into_handle), error) }
}

/// Ends an entry point that answers a pointer.
pub unsafe fn pointer(made: Result<*mut c_void>, error: *mut cl_int) -> *mut c_void {
    let (value, status) = match made {
        Ok(value) => (value, CL_SUCCESS),
        Err(Error(status)) => (std::ptr::null_mut(), status),
    };
    // SAFETY: the caller's promise.
    unsafe { answer(error, status) };
    value
}

/// Ends an entry point that answers an error code, with `?` inside.
pub fn status(act: impl FnOnce() -> Result) -> cl_int {
    code(act())
}
