//! Boxes of bytes in buffers, read, written and copied.
//!
//! Terms: a box has a width in bytes, rows and slices (`region`), lies at an origin of the same three, and in memory
//! where a row begins so many bytes after the one before it (its pitch; 0: the rows touch).

use super::ends::Ends;
use super::input::status;
use crate::core::memory::{Address, Memory};
use crate::error::{Error, Result, ensure};
use crate::queue::{Copy, Shape, Work};
use opencl_sys::*;
use std::ffi::c_void;

/// How one side of a copy lies in memory.
#[derive(Clone, Copy)]
struct Side {
    origin: [usize; 3],
    row_pitch: usize,
    slice_pitch: usize,
}

impl Side {
    /// # Safety
    /// `origin` is null or points to three numbers.
    unsafe fn new(
        origin: *const usize,
        row_pitch: usize,
        slice_pitch: usize,
        region: [usize; 3],
    ) -> Result<Side> {
        // SAFETY: the caller's promise.
        let origin = unsafe { three(origin) }?;
        let row_pitch = if row_pitch == 0 { region[0] } else { row_pitch };
        let least = region[1].checked_mul(row_pitch).ok_or(Error(CL_INVALID_VALUE))?;
        let slice_pitch = if slice_pitch == 0 { least } else { slice_pitch };
        ensure(row_pitch >= region[0] && slice_pitch >= least, CL_INVALID_VALUE)?;
        ensure(slice_pitch.is_multiple_of(row_pitch), CL_INVALID_VALUE)?;
        Ok(Side { origin, row_pitch, slice_pitch })
    }

    /// Bytes before the box, and up to its end; `None` if there are no such numbers.
    fn extent(&self, region: [usize; 3]) -> Option<(usize, usize)> {
        let [x, y, z] = self.origin;
        let start = z.checked_mul(self.slice_pitch)?;
        let start = start.checked_add(y.checked_mul(self.row_pitch)?)?.checked_add(x)?;
        let slices = (region[2] - 1).checked_mul(self.slice_pitch)?;
        let rows = (region[1] - 1).checked_mul(self.row_pitch)?;
        let end = start.checked_add(slices)?.checked_add(rows)?.checked_add(region[0])?;
        Some((start, end))
    }

    /// Where the box begins in a buffer that it must lie in.
    fn inside(&self, buffer: &Memory, region: [usize; 3]) -> Result<Address> {
        let (start, end) = self.extent(region).ok_or(Error(CL_INVALID_VALUE))?;
        ensure(end <= buffer.size_bytes(), CL_INVALID_VALUE)?;
        Ok(buffer.address().plus(start))
    }

    /// Where it begins in the program's memory.
    fn at(&self, base: *const c_void, region: [usize; 3]) -> Result<Address> {
        ensure(!base.is_null(), CL_INVALID_VALUE)?;
        let (start, _) = self.extent(region).ok_or(Error(CL_INVALID_VALUE))?;
        Ok(Address::new(base).plus(start))
    }
}

/// # Safety
/// `pointer` is null or points to three numbers.
pub unsafe fn three(pointer: *const usize) -> Result<[usize; 3]> {
    ensure(!pointer.is_null(), CL_INVALID_VALUE)?;
    // SAFETY: the caller's promise.
    Ok(unsafe { pointer.cast::<[usize; 3]>().read() })
}

/// # Safety
/// `pointer` is null or points to three numbers.
pub unsafe fn region_of(pointer: *const usize) -> Result<[usize; 3]> {
    // SAFETY: the caller's promise.
    let region = unsafe { three(pointer) }?;
    ensure(!region.contains(&0), CL_INVALID_VALUE)?;
    Ok(region)
}

fn copy(from: Side, to: Side, source: Address, target: Address, region: [usize; 3]) -> Work {
    let [source_pitch, target_pitch] = [from, to].map(|side| [side.row_pitch, side.slice_pitch]);
    let shape = Shape::of_box(region, source_pitch, target_pitch);
    Work::Copy(Copy { source, target, shape })
}

pub unsafe extern "C" fn clEnqueueReadBufferRect(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking_read: cl_bool,
    buffer_origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    buffer_row_pitch: usize,
    buffer_slice_pitch: usize,
    host_row_pitch: usize,
    host_slice_pitch: usize,
    ptr: *mut c_void,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says, and three numbers for each place.
        let (ends, region) =
            unsafe { (Ends::new(queue, num_events, events, event)?, region_of(region)?) };
        let buffer = ends.buffer(buffer)?;
        // SAFETY: as above.
        let (from, to) = unsafe {
            (
                Side::new(buffer_origin, buffer_row_pitch, buffer_slice_pitch, region)?,
                Side::new(host_origin, host_row_pitch, host_slice_pitch, region)?,
            )
        };
        let (source, target) = (from.inside(&buffer, region)?, to.at(ptr, region)?);
        buffer.ensure_host_reads()?;
        let work = copy(from, to, source, target, region);
        ends.submit(CL_COMMAND_READ_BUFFER_RECT, work, [buffer], blocking_read != CL_FALSE)
    })
}

pub unsafe extern "C" fn clEnqueueWriteBufferRect(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking_write: cl_bool,
    buffer_origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    buffer_row_pitch: usize,
    buffer_slice_pitch: usize,
    host_row_pitch: usize,
    host_slice_pitch: usize,
    ptr: *const c_void,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says, and three numbers for each place.
        let (ends, region) =
            unsafe { (Ends::new(queue, num_events, events, event)?, region_of(region)?) };
        let buffer = ends.buffer(buffer)?;
        // SAFETY: as above.
        let (to, from) = unsafe {
            (
                Side::new(buffer_origin, buffer_row_pitch, buffer_slice_pitch, region)?,
                Side::new(host_origin, host_row_pitch, host_slice_pitch, region)?,
            )
        };
        let (source, target) = (from.at(ptr, region)?, to.inside(&buffer, region)?);
        buffer.ensure_host_writes()?;
        let work = copy(from, to, source, target, region);
        ends.submit(CL_COMMAND_WRITE_BUFFER_RECT, work, [buffer], blocking_write != CL_FALSE)
    })
}

pub unsafe extern "C" fn clEnqueueCopyBufferRect(
    queue: cl_command_queue,
    src_buffer: cl_mem,
    dst_buffer: cl_mem,
    src_origin: *const usize,
    dst_origin: *const usize,
    region: *const usize,
    src_row_pitch: usize,
    src_slice_pitch: usize,
    dst_row_pitch: usize,
    dst_slice_pitch: usize,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    // SAFETY: the program passes lists as long as it says.
    status(|| unsafe {
        let ends = Ends::new(queue, num_events, events, event)?;
        copy_buffer_rect(
            ends,
            src_buffer,
            dst_buffer,
            src_origin,
            dst_origin,
            region,
            src_row_pitch,
            src_slice_pitch,
            dst_row_pitch,
            dst_slice_pitch,
        )
    })
}

/// # Safety
/// Origins and region are null or three numbers each. Pitches are of rows and slices.
#[allow(clippy::too_many_arguments)] // Those of the entry points.
pub unsafe fn copy_buffer_rect(
    ends: Ends,
    source: cl_mem,
    target: cl_mem,
    source_origin: *const usize,
    target_origin: *const usize,
    region: *const usize,
    source_row: usize,
    source_slice: usize,
    target_row: usize,
    target_slice: usize,
) -> Result {
    // SAFETY: the caller's promise.
    let region = unsafe { region_of(region) }?;
    let (read, written) = (ends.buffer(source)?, ends.buffer(target)?);
    // SAFETY: as above.
    let (from, to) = unsafe {
        (
            Side::new(source_origin, source_row, source_slice, region)?,
            Side::new(target_origin, target_row, target_slice, region)?,
        )
    };
    if read.is(&written) {
        let is_alike = from.row_pitch == to.row_pitch && from.slice_pitch == to.slice_pitch;
        ensure(is_alike, CL_INVALID_VALUE)?;
    }
    let (source, target) = (from.inside(&read, region)?, to.inside(&written, region)?);
    ensure(!do_overlap(&from, &to, source, target, region), CL_MEM_COPY_OVERLAP)?;
    let work = copy(from, to, source, target, region);
    ends.submit(CL_COMMAND_COPY_BUFFER_RECT, work, [read, written], false)
}

/// Whether two boxes have bytes in common; exact where their pitches are the same.
fn do_overlap(
    from: &Side,
    to: &Side,
    source: Address,
    target: Address,
    region: [usize; 3],
) -> bool {
    let (low, high) = (source.number().min(target.number()), source.number().max(target.number()));
    let length = |side: &Side| side.extent(region).map_or(usize::MAX, |(start, end)| end - start);
    let is_apart =
        if low == source.number() { high - low >= length(from) } else { high - low >= length(to) };
    if is_apart {
        return false;
    }
    if from.row_pitch != to.row_pitch || from.slice_pitch != to.slice_pitch {
        return true;
    }
    // One box is the other moved by `distance` bytes: they meet where a move by whole rows and slices, and less
    // than a width, is as far.
    let distance = (high - low) as i128;
    let (row, slice) = (from.row_pitch as i128, from.slice_pitch as i128);
    let near = |value: i128, most: usize| value.abs() < most as i128;
    (0..=1).any(|slice_carry| {
        let slices = distance / slice + slice_carry;
        let rest = distance - slices * slice;
        (-1..=1).any(|row_carry| {
            let rows = rest / row + row_carry;
            near(slices, region[2]) && near(rows, region[1]) && near(rest - rows * row, region[0])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(a: [usize; 3], b: [usize; 3], region: [usize; 3]) -> bool {
        let side = |origin| Side { origin, row_pitch: 10, slice_pitch: 100 };
        let at = |side: &Side| {
            let (start, _) = side.extent(region).unwrap();
            Address::new((0x1000 + start) as *const c_void)
        };
        let (a, b) = (side(a), side(b));
        do_overlap(&a, &b, at(&a), at(&b), region)
    }

    /// By trying every byte.
    fn overlap_slowly(a: [usize; 3], b: [usize; 3], region: [usize; 3]) -> bool {
        let bytes = |origin: [usize; 3]| {
            let mut all = std::collections::BTreeSet::new();
            for z in 0..region[2] {
                for y in 0..region[1] {
                    let row = (origin[2] + z) * 100 + (origin[1] + y) * 10 + origin[0];
                    all.extend(row..row + region[0]);
                }
            }
            all
        };
        !bytes(a).is_disjoint(&bytes(b))
    }

    #[test]
    fn boxes_meet_or_do_not() {
        for x in 0..8 {
            for y in 0..7 {
                for z in 0..3 {
                    for region in [[3, 3, 2], [1, 1, 1], [8, 2, 1], [10, 4, 2]] {
                        let (a, b) = ([2, 2, 1], [x, y, z]);
                        let expected = overlap_slowly(a, b, region);
                        assert_eq!(overlap(a, b, region), expected, "{b:?} {region:?}");
                        assert_eq!(overlap(b, a, region), expected, "{b:?} {region:?}");
                    }
                }
            }
        }
    }
}
