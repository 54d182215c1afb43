//! Boxes of elements of images, read, written, copied, filled and mapped.
//!
//! A box becomes one of bytes: rows are as wide as their elements are long, the rest is in the image's layout.

use super::ends::Ends;
use super::input::{answer, pointer, status};
use super::rectangle::{region_of, three};
use super::transfer::map;
use crate::core::image::{Layout, element};
use crate::core::memory::{Address, Memory};
use crate::error::{Error, Result, ensure};
use crate::handle::Ref;
use crate::queue::{Copy, Fill, Shape, Work};
use opencl_sys::*;
use std::ffi::c_void;

/// A box of bytes, wherever it is.
struct Bytes {
    address: Address,
    row_pitch: usize,
    slice_pitch: usize,
}

fn layout(image: &Memory) -> Result<&Layout> {
    Ok(&image.image().ok_or(Error(CL_INVALID_MEM_OBJECT))?.layout)
}

/// A box that must lie in an image.
///
/// # Safety
/// `origin` is null or points to three numbers.
unsafe fn part(image: &Memory, origin: *const usize, region: [usize; 3]) -> Result<Bytes> {
    let layout = layout(image)?;
    // SAFETY: the caller's promise.
    let offset = layout.offset_bytes(unsafe { three(origin) }?, region)?;
    let [_, row_pitch, slice_pitch] = layout.pitch_bytes;
    Ok(Bytes { address: image.address().plus(offset), row_pitch, slice_pitch })
}

/// The same in the program's memory, with the pitches that it says; 0: rows and slices touch.
fn outside(
    layout: &Layout,
    base: *const c_void,
    region: [usize; 3],
    row_pitch: usize,
    slice_pitch: usize,
) -> Result<Bytes> {
    ensure(!base.is_null(), CL_INVALID_VALUE)?;
    let width = region[0] * layout.element_bytes();
    let is_row_array = layout.kind == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    let row = if row_pitch == 0 { width } else { row_pitch };
    let least = if is_row_array { Some(row) } else { row.checked_mul(region[1]) };
    let least = least.ok_or(Error(CL_INVALID_VALUE))?;
    let slice = if slice_pitch == 0 { least } else { slice_pitch };
    let has_slices = layout.has_slices() || slice_pitch == 0;
    ensure(row >= width && slice >= least && has_slices, CL_INVALID_VALUE)?;
    let address = Address::new(base);
    let (row_pitch, slice_pitch) = if is_row_array { (slice, slice) } else { (row, slice) };
    Ok(Bytes { address, row_pitch, slice_pitch })
}

fn copy(from: &Bytes, to: &Bytes, element_bytes: usize, region: [usize; 3]) -> Work {
    let region = [region[0] * element_bytes, region[1], region[2]];
    let [source_pitch, target_pitch] = [from, to].map(|side| [side.row_pitch, side.slice_pitch]);
    let shape = Shape::of_box(region, source_pitch, target_pitch);
    Work::Copy(Copy { source: from.address, target: to.address, shape: shape.joined() })
}

pub unsafe extern "C" fn clEnqueueReadImage(
    queue: cl_command_queue,
    image: cl_mem,
    blocking_read: cl_bool,
    origin: *const usize,
    region: *const usize,
    row_pitch: usize,
    slice_pitch: usize,
    ptr: *mut c_void,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        let image = ends.image(image)?;
        // SAFETY: the program passes three numbers for each place.
        let (from, region) = unsafe {
            let region = region_of(region)?;
            (part(&image, origin, region)?, region)
        };
        let to = outside(layout(&image)?, ptr, region, row_pitch, slice_pitch)?;
        image.ensure_host_reads()?;
        let work = copy(&from, &to, layout(&image)?.element_bytes(), region);
        ends.submit(CL_COMMAND_READ_IMAGE, work, [image], blocking_read != CL_FALSE)
    })
}

pub unsafe extern "C" fn clEnqueueWriteImage(
    queue: cl_command_queue,
    image: cl_mem,
    blocking_write: cl_bool,
    origin: *const usize,
    region: *const usize,
    input_row_pitch: usize,
    input_slice_pitch: usize,
    ptr: *const c_void,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        let image = ends.image(image)?;
        // SAFETY: the program passes three numbers for each place.
        let (to, region) = unsafe {
            let region = region_of(region)?;
            (part(&image, origin, region)?, region)
        };
        let from = outside(layout(&image)?, ptr, region, input_row_pitch, input_slice_pitch)?;
        image.ensure_host_writes()?;
        let work = copy(&from, &to, layout(&image)?.element_bytes(), region);
        ends.submit(CL_COMMAND_WRITE_IMAGE, work, [image], blocking_write != CL_FALSE)
    })
}

pub unsafe extern "C" fn clEnqueueFillImage(
    queue: cl_command_queue,
    image: cl_mem,
    fill_color: *const c_void,
    origin: *const usize,
    region: *const usize,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    // SAFETY: the program passes lists as long as it says.
    status(|| unsafe {
        let ends = Ends::new(queue, num_events, events, event)?;
        fill_image(ends, image, fill_color, origin, region)
    })
}

/// # Safety
/// The color is null or four numbers, of a depth image one; origin and region are null or three numbers each.
pub unsafe fn fill_image(
    ends: Ends,
    image: cl_mem,
    color: *const c_void,
    origin: *const usize,
    region: *const usize,
) -> Result {
    let image = ends.image(image)?;
    ensure(!color.is_null(), CL_INVALID_VALUE)?;
    // SAFETY: the caller's promise.
    let (to, region) = unsafe {
        let region = region_of(region)?;
        (part(&image, origin, region)?, region)
    };
    let layout = layout(&image)?;
    let is_depth = layout.format.order == CL_DEPTH;
    // SAFETY: the caller's promise.
    let color = unsafe {
        match is_depth {
            true => [color.cast::<u32>().read_unaligned(), 0, 0, 0],
            false => color.cast::<[u32; 4]>().read_unaligned(),
        }
    };
    let work = Work::Fill(Fill {
        target: to.address,
        bytes: region[0] * layout.element_bytes(),
        rows: [region[1], region[2]],
        pitch_bytes: [to.row_pitch, to.slice_pitch],
        pattern: element(layout.format, color),
    });
    ends.submit(CL_COMMAND_FILL_IMAGE, work, [image], false)
}

pub unsafe extern "C" fn clEnqueueCopyImage(
    queue: cl_command_queue,
    src_image: cl_mem,
    dst_image: cl_mem,
    src_origin: *const usize,
    dst_origin: *const usize,
    region: *const usize,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    // SAFETY: the program passes lists as long as it says.
    status(|| unsafe {
        let ends = Ends::new(queue, num_events, events, event)?;
        copy_image(ends, src_image, dst_image, src_origin, dst_origin, region)
    })
}

/// # Safety
/// Origins and region are null or three numbers each.
pub unsafe fn copy_image(
    ends: Ends,
    source: cl_mem,
    target: cl_mem,
    source_origin: *const usize,
    target_origin: *const usize,
    region: *const usize,
) -> Result {
    let (read, written) = (ends.image(source)?, ends.image(target)?);
    let format = layout(&read)?.format;
    ensure(format == layout(&written)?.format, CL_IMAGE_FORMAT_MISMATCH)?;
    // SAFETY: the caller's promise.
    let (region, from, to, apart) = unsafe {
        let region = region_of(region)?;
        let from = part(&read, source_origin, region)?;
        let to = part(&written, target_origin, region)?;
        let (source, target) = (three(source_origin)?, three(target_origin)?);
        let apart = (0..3).any(|axis| source[axis].abs_diff(target[axis]) >= region[axis]);
        (region, from, to, apart)
    };
    ensure(apart || !read.is(&written), CL_MEM_COPY_OVERLAP)?;
    let work = copy(&from, &to, format.element_bytes(), region);
    ends.submit(CL_COMMAND_COPY_IMAGE, work, [read, written], false)
}

/// A box in a buffer, whose rows and slices touch.
fn packed(
    buffer: &Memory,
    offset: usize,
    element_bytes: usize,
    region: [usize; 3],
) -> Result<Bytes> {
    let row_pitch = region[0] * element_bytes;
    let slice_pitch = row_pitch * region[1];
    let address = buffer.range(offset, slice_pitch * region[2])?;
    Ok(Bytes { address, row_pitch, slice_pitch })
}

pub unsafe extern "C" fn clEnqueueCopyImageToBuffer(
    queue: cl_command_queue,
    src_image: cl_mem,
    dst_buffer: cl_mem,
    src_origin: *const usize,
    region: *const usize,
    dst_offset: usize,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    // SAFETY: the program passes lists as long as it says.
    status(|| unsafe {
        let ends = Ends::new(queue, num_events, events, event)?;
        copy_image_to_buffer(ends, src_image, dst_buffer, src_origin, region, dst_offset)
    })
}

/// # Safety
/// Origins and region are null or three numbers each.
pub unsafe fn copy_image_to_buffer(
    ends: Ends,
    source: cl_mem,
    target: cl_mem,
    origin: *const usize,
    region: *const usize,
    offset: usize,
) -> Result {
    let (image, buffer) = (ends.image(source)?, ends.buffer(target)?);
    ensure_apart(&image, &buffer)?;
    // SAFETY: the caller's promise.
    let (from, region) = unsafe {
        let region = region_of(region)?;
        (part(&image, origin, region)?, region)
    };
    let element_bytes = layout(&image)?.element_bytes();
    let to = packed(&buffer, offset, element_bytes, region)?;
    let work = copy(&from, &to, element_bytes, region);
    ends.submit(CL_COMMAND_COPY_IMAGE_TO_BUFFER, work, [image, buffer], false)
}

pub unsafe extern "C" fn clEnqueueCopyBufferToImage(
    queue: cl_command_queue,
    src_buffer: cl_mem,
    dst_image: cl_mem,
    src_offset: usize,
    dst_origin: *const usize,
    region: *const usize,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    // SAFETY: the program passes lists as long as it says.
    status(|| unsafe {
        let ends = Ends::new(queue, num_events, events, event)?;
        copy_buffer_to_image(ends, src_buffer, dst_image, src_offset, dst_origin, region)
    })
}

/// # Safety
/// Origins and region are null or three numbers each.
pub unsafe fn copy_buffer_to_image(
    ends: Ends,
    source: cl_mem,
    target: cl_mem,
    offset: usize,
    origin: *const usize,
    region: *const usize,
) -> Result {
    let (buffer, image) = (ends.buffer(source)?, ends.image(target)?);
    ensure_apart(&image, &buffer)?;
    // SAFETY: the caller's promise.
    let (to, region) = unsafe {
        let region = region_of(region)?;
        (part(&image, origin, region)?, region)
    };
    let element_bytes = layout(&image)?.element_bytes();
    let from = packed(&buffer, offset, element_bytes, region)?;
    let work = copy(&from, &to, element_bytes, region);
    ends.submit(CL_COMMAND_COPY_BUFFER_TO_IMAGE, work, [buffer, image], false)
}

/// An error if a row of the image lies in the buffer itself.
fn ensure_apart(image: &Memory, buffer: &Ref<Memory>) -> Result {
    let is_its_own = image.whole().is_some_and(|whole| {
        whole.is(buffer) && layout(image).is_ok_and(|it| it.kind == CL_MEM_OBJECT_IMAGE1D_BUFFER)
    });
    ensure(!is_its_own, CL_INVALID_MEM_OBJECT)
}

pub unsafe extern "C" fn clEnqueueMapImage(
    queue: cl_command_queue,
    image: cl_mem,
    blocking_map: cl_bool,
    map_flags: cl_map_flags,
    origin: *const usize,
    region: *const usize,
    image_row_pitch: *mut usize,
    image_slice_pitch: *mut usize,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
    errcode_ret: *mut cl_int,
) -> *mut c_void {
    let mapped = || {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        let image = ends.image(image)?;
        let layout = *layout(&image)?;
        // SAFETY: the program passes three numbers for each place.
        let part = unsafe { part(&image, origin, region_of(region)?) }?;
        ensure(!image_row_pitch.is_null(), CL_INVALID_VALUE)?;
        ensure(!image_slice_pitch.is_null() || !layout.has_slices(), CL_INVALID_VALUE)?;
        let blocking = blocking_map != CL_FALSE;
        let address = map(ends, CL_COMMAND_MAP_IMAGE, image, part.address, map_flags, blocking)?;
        // SAFETY: the program passes places for numbers, the second one may be null.
        unsafe {
            answer(image_row_pitch, layout.row_pitch_bytes);
            answer(image_slice_pitch, layout.slice_pitch_bytes());
        }
        Ok(address)
    };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { pointer(mapped(), errcode_ret) }
}
