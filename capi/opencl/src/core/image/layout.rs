//! Where the elements of an image are: its axes, as commands and kernels count along them.
//!
//! Terms: an image has three *axes*; those behind its own have one element. The layers of an array are the axis behind those of a
//! layer: y of a one-dimensional array, z of a two-dimensional one. A *box* is a range along each axis.
//! Source: OpenCL 3.0 API, 5.3.1.5 (descriptors); docs/kernel-abi.md (what a kernel is given).

use super::format::Format;
use crate::core::device::most_bytes;
use crate::core::memory::Address;
use crate::error::{Error, Result, ensure};
use opencl_sys::*;

/// Elements along an axis.
pub const MOST_2D: usize = 16384;
pub const MOST_3D: usize = 2048;
pub const MOST_LAYERS: usize = 2048;
pub const MOST_OF_BUFFER: usize = 1 << 27;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub kind: cl_mem_object_type,
    pub format: Format,
    /// Elements along each axis.
    pub size: [usize; 3],
    /// From one to the next along each.
    pub pitch_bytes: [usize; 3],
    /// What `CL_IMAGE_ROW_PITCH` answers.
    pub row_pitch_bytes: usize,
}

impl Layout {
    /// As the program describes it, for memory of its own or, if `has_pitch`, of somebody else's.
    pub fn new(format: Format, wanted: &cl_image_desc, has_pitch: bool) -> Result<Layout> {
        ensure(wanted.num_mip_levels == 0 && wanted.num_samples == 0, CL_INVALID_IMAGE_DESCRIPTOR)?;
        let (size, most) = extents(wanted)?;
        ensure(!size.contains(&0), CL_INVALID_IMAGE_DESCRIPTOR)?;
        ensure(size.iter().zip(most).all(|(&size, most)| size <= most), CL_INVALID_IMAGE_SIZE)?;
        let pitches = [wanted.image_row_pitch, wanted.image_slice_pitch];
        ensure(has_pitch || pitches == [0, 0], CL_INVALID_IMAGE_DESCRIPTOR)?;
        let element = format.element_bytes();
        let is_array = wanted.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        let has_slices = is_array
            || matches!(wanted.image_type, CL_MEM_OBJECT_IMAGE2D_ARRAY | CL_MEM_OBJECT_IMAGE3D);
        let slice_pitch = if has_slices { wanted.image_slice_pitch } else { 0 };
        let row = pitch(wanted.image_row_pitch, size[0] * element, element)?;
        let rows = if is_array { 1 } else { size[1] };
        let least = row.checked_mul(rows).ok_or(Error(CL_INVALID_IMAGE_SIZE))?;
        let slice = pitch(slice_pitch, least, row)?;
        let pitch_bytes = if is_array { [element, slice, slice] } else { [element, row, slice] };
        let (kind, row_pitch_bytes) = (wanted.image_type, row);
        let layout = Layout { kind, format, size, pitch_bytes, row_pitch_bytes };
        let bytes = layout.checked_bytes().filter(|&bytes| bytes as u64 <= most_bytes());
        ensure(bytes.is_some(), CL_INVALID_IMAGE_SIZE)?;
        Ok(layout)
    }

    fn checked_bytes(&self) -> Option<usize> {
        let last = if self.kind == CL_MEM_OBJECT_IMAGE1D_ARRAY { 1 } else { 2 };
        self.pitch_bytes[last].checked_mul(self.size[last])
    }

    /// Of all its elements, and of what is between them.
    pub fn size_bytes(&self) -> usize {
        self.checked_bytes().unwrap_or(usize::MAX)
    }

    pub fn element_bytes(&self) -> usize {
        self.pitch_bytes[0]
    }

    /// Which axis counts layers, of an array.
    fn layers(&self) -> Option<usize> {
        match self.kind {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => Some(1),
            CL_MEM_OBJECT_IMAGE2D_ARRAY => Some(2),
            _ => None,
        }
    }

    /// Whether there is a distance from slice to slice to speak of.
    pub fn has_slices(&self) -> bool {
        self.layers().is_some() || self.kind == CL_MEM_OBJECT_IMAGE3D
    }

    /// 0 where there are no slices.
    pub fn slice_pitch_bytes(&self) -> usize {
        match self.kind {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => self.pitch_bytes[1],
            _ if self.has_slices() => self.pitch_bytes[2],
            _ => 0,
        }
    }

    /// What `CL_IMAGE_HEIGHT`, `CL_IMAGE_DEPTH` and `CL_IMAGE_ARRAY_SIZE` answer.
    pub fn height_depth_layers(&self) -> [usize; 3] {
        let height = match self.kind {
            CL_MEM_OBJECT_IMAGE2D | CL_MEM_OBJECT_IMAGE2D_ARRAY | CL_MEM_OBJECT_IMAGE3D => {
                self.size[1]
            }
            _ => 0,
        };
        let depth = if self.kind == CL_MEM_OBJECT_IMAGE3D { self.size[2] } else { 0 };
        [height, depth, self.layers().map_or(0, |axis| self.size[axis])]
    }

    /// Where a box begins that must lie inside.
    pub fn offset_bytes(&self, origin: [usize; 3], region: [usize; 3]) -> Result<usize> {
        let is_inside = (0..3).all(|axis| {
            let end = origin[axis].checked_add(region[axis]);
            region[axis] > 0 && end.is_some_and(|end| end <= self.size[axis])
        });
        ensure(is_inside, CL_INVALID_VALUE)?;
        Ok((0..3).map(|axis| origin[axis] * self.pitch_bytes[axis]).sum())
    }

    /// What a kernel is given of it.
    pub fn describe(&self, data: Address) -> Described {
        Described {
            data,
            pitch_bytes: self.pitch_bytes.map(|bytes| bytes as u64),
            size: self.size.map(|elements| elements as u32),
            order: self.format.order,
            channel: self.format.channel,
        }
    }
}

/// `struct vicinity_image` of docs/kernel-abi.md.
#[repr(C)]
pub struct Described {
    data: Address,
    pitch_bytes: [u64; 3],
    size: [u32; 3],
    order: u32,
    channel: u32,
}

/// Elements along each axis, and the most there may be.
fn extents(wanted: &cl_image_desc) -> Result<([usize; 3], [usize; 3])> {
    let (width, height) = (wanted.image_width, wanted.image_height);
    let layers = wanted.image_array_size;
    Ok(match wanted.image_type {
        CL_MEM_OBJECT_IMAGE1D => ([width, 1, 1], [MOST_2D, 1, 1]),
        CL_MEM_OBJECT_IMAGE1D_BUFFER => ([width, 1, 1], [MOST_OF_BUFFER, 1, 1]),
        CL_MEM_OBJECT_IMAGE1D_ARRAY => ([width, layers, 1], [MOST_2D, MOST_LAYERS, 1]),
        CL_MEM_OBJECT_IMAGE2D => ([width, height, 1], [MOST_2D, MOST_2D, 1]),
        CL_MEM_OBJECT_IMAGE2D_ARRAY => ([width, height, layers], [MOST_2D, MOST_2D, MOST_LAYERS]),
        CL_MEM_OBJECT_IMAGE3D => ([width, height, wanted.image_depth], [MOST_3D; 3]),
        _ => return Err(Error(CL_INVALID_IMAGE_DESCRIPTOR)),
    })
}

/// The distance that the program asks for, or the least there can be.
fn pitch(asked: usize, least: usize, unit: usize) -> Result<usize> {
    let bytes = if asked == 0 { least } else { asked };
    ensure(bytes >= least && bytes.is_multiple_of(unit), CL_INVALID_IMAGE_DESCRIPTOR)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    const FLOATS: Format = Format { order: CL_RGBA, channel: CL_FLOAT };

    fn wanted(kind: cl_mem_object_type, size: [usize; 4], pitches: [usize; 2]) -> cl_image_desc {
        cl_image_desc {
            image_type: kind,
            image_width: size[0],
            image_height: size[1],
            image_depth: size[2],
            image_array_size: size[3],
            image_row_pitch: pitches[0],
            image_slice_pitch: pitches[1],
            num_mip_levels: 0,
            num_samples: 0,
            buffer: ptr::null_mut(),
        }
    }

    #[test]
    fn layers_are_the_axis_behind_their_own() {
        let rows = wanted(CL_MEM_OBJECT_IMAGE1D_ARRAY, [3, 0, 0, 5], [64, 128]);
        let rows = Layout::new(FLOATS, &rows, true).unwrap();
        assert_eq!((rows.size, rows.pitch_bytes[1]), ([3, 5, 1], 128));
        assert_eq!((rows.row_pitch_bytes, rows.slice_pitch_bytes()), (64, 128));
        assert_eq!(rows.height_depth_layers(), [0, 0, 5]);
        assert_eq!(rows.offset_bytes([1, 2, 0], [2, 3, 1]), Ok(16 + 256));
        assert_eq!(rows.offset_bytes([1, 2, 0], [2, 4, 1]), Err(Error(CL_INVALID_VALUE)));
        let planes = wanted(CL_MEM_OBJECT_IMAGE2D_ARRAY, [3, 4, 0, 5], [0, 0]);
        let planes = Layout::new(FLOATS, &planes, false).unwrap();
        assert_eq!((planes.size, planes.pitch_bytes), ([3, 4, 5], [16, 48, 192]));
        assert_eq!(planes.size_bytes(), 960);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let code = |desc: cl_image_desc, has_pitch| {
            Layout::new(FLOATS, &desc, has_pitch).map(|_| ()).map_err(|Error(code)| code)
        };
        let plane = |size, pitches| wanted(CL_MEM_OBJECT_IMAGE2D, size, pitches);
        let descriptor = Err(CL_INVALID_IMAGE_DESCRIPTOR);
        assert_eq!(code(plane([4, 4, 0, 0], [64, 0]), true), Ok(()));
        assert_eq!(code(plane([4, 4, 0, 0], [64, 0]), false), descriptor);
        assert_eq!(code(plane([4, 4, 0, 0], [63, 0]), true), descriptor);
        assert_eq!(code(plane([4, 4, 0, 0], [72, 0]), true), descriptor);
        assert_eq!(code(plane([4, 0, 0, 0], [0, 0]), true), descriptor);
        assert_eq!(code(plane([MOST_2D + 1, 4, 0, 0], [0, 0]), true), Err(CL_INVALID_IMAGE_SIZE));
        assert_eq!(code(plane([4, 4, 0, 0], [1 << 62, 0]), true), Err(CL_INVALID_IMAGE_SIZE));
    }
}
