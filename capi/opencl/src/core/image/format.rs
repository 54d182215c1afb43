//! Formats of images: the order of the channels, and the type of each.
//!
//! Terms: a format is *valid* if the specification has it, and *offered* if images of a kind and a use may have it. Offered are those
//! that a full profile demands, 8-bit colors in every order, and what programs of the years before 2.0 ask for: alpha, intensity and luminance.
//! Source: OpenCL 3.0 API, tables 15, 16, 17 (orders and types) and section 5.3.1.4 (the least that must be offered).

#![allow(non_upper_case_globals)]

use opencl_sys::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub order: cl_channel_order,
    pub channel: cl_channel_type,
}

/// What a channel of a color is to a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    Float,
    Signed,
    Unsigned,
}

const NORMALIZED: [cl_channel_type; 4] =
    [CL_UNORM_INT8, CL_UNORM_INT16, CL_SNORM_INT8, CL_SNORM_INT16];
const WHOLE: [cl_channel_type; 6] = [
    CL_SIGNED_INT8,
    CL_SIGNED_INT16,
    CL_SIGNED_INT32,
    CL_UNSIGNED_INT8,
    CL_UNSIGNED_INT16,
    CL_UNSIGNED_INT32,
];
const REAL: [cl_channel_type; 2] = [CL_HALF_FLOAT, CL_FLOAT];
const PACKED: [cl_channel_type; 3] = [CL_UNORM_SHORT_565, CL_UNORM_SHORT_555, CL_UNORM_INT_101010];
const OF_BYTES: [cl_channel_type; 4] =
    [CL_UNORM_INT8, CL_SNORM_INT8, CL_SIGNED_INT8, CL_UNSIGNED_INT8];

impl Format {
    pub fn of(format: cl_image_format) -> Format {
        Format { order: format.image_channel_order, channel: format.image_channel_data_type }
    }

    pub fn answer(self) -> cl_image_format {
        cl_image_format { image_channel_order: self.order, image_channel_data_type: self.channel }
    }

    /// Whether the specification has it.
    pub fn is_valid(self) -> bool {
        let is = |types: &[cl_channel_type]| types.contains(&self.channel);
        match self.order {
            CL_R | CL_A | CL_RG | CL_RA | CL_RGBA | CL_Rx | CL_RGx => {
                is(&NORMALIZED) || is(&WHOLE) || is(&REAL)
            }
            CL_INTENSITY | CL_LUMINANCE => is(&NORMALIZED) || is(&REAL),
            CL_RGB | CL_RGBx => is(&PACKED),
            CL_ARGB | CL_BGRA | CL_ABGR => is(&OF_BYTES),
            CL_sRGB | CL_sRGBA | CL_sRGBx | CL_sBGRA => is(&[CL_UNORM_INT8]),
            CL_DEPTH => is(&[CL_UNORM_INT16, CL_FLOAT]),
            _ => false,
        }
    }

    /// Whether images of this kind with these flags may have it.
    pub fn is_offered(self, kind: cl_mem_object_type, flags: cl_mem_flags) -> bool {
        offered(kind, flags).contains(&self)
    }

    pub fn channels(self) -> usize {
        match self.order {
            CL_R | CL_A | CL_INTENSITY | CL_LUMINANCE | CL_DEPTH => 1,
            CL_RG | CL_RA => 2,
            _ => 4,
        }
    }

    pub fn channel_bytes(self) -> usize {
        match self.channel {
            CL_UNORM_INT8 | CL_SNORM_INT8 | CL_SIGNED_INT8 | CL_UNSIGNED_INT8 => 1,
            CL_SIGNED_INT32 | CL_UNSIGNED_INT32 | CL_FLOAT => 4,
            _ => 2,
        }
    }

    pub fn element_bytes(self) -> usize {
        self.channels() * self.channel_bytes()
    }

    pub fn numbers(self) -> Numbers {
        match self.channel {
            CL_SIGNED_INT8 | CL_SIGNED_INT16 | CL_SIGNED_INT32 => Numbers::Signed,
            CL_UNSIGNED_INT8 | CL_UNSIGNED_INT16 | CL_UNSIGNED_INT32 => Numbers::Unsigned,
            _ => Numbers::Float,
        }
    }

    /// Whether an image of this format may be made of one of the other, in place.
    pub fn may_stand_for(self, other: Format) -> bool {
        let pair = (other.order, self.order);
        let is_pair = matches!(
            pair,
            (CL_RGBA, CL_sRGBA) | (CL_sRGBA, CL_RGBA) | (CL_R, CL_DEPTH) | (CL_DEPTH, CL_R)
        );
        self.channel == other.channel && is_pair
    }
}

/// All formats of images of a kind, for this use by kernels.
pub fn offered(kind: cl_mem_object_type, flags: cl_mem_flags) -> Vec<Format> {
    let colors = || NORMALIZED.iter().chain(&WHOLE).chain(&REAL);
    let all = [CL_R, CL_RG, CL_RGBA, CL_A, CL_RA].into_iter();
    let grey = [CL_INTENSITY, CL_LUMINANCE].into_iter();
    let shades = || NORMALIZED.iter().chain(&REAL);
    let mut formats: Vec<Format> = all
        .flat_map(|order| colors().map(move |&channel| Format { order, channel }))
        .chain(grey.flat_map(|order| shades().map(move |&channel| Format { order, channel })))
        .chain([CL_BGRA, CL_ARGB, CL_ABGR].map(|order| Format { order, channel: CL_UNORM_INT8 }))
        .collect();
    if matches!(kind, CL_MEM_OBJECT_IMAGE2D | CL_MEM_OBJECT_IMAGE2D_ARRAY) {
        let depths = [CL_UNORM_INT16, CL_FLOAT];
        formats.extend(depths.map(|channel| Format { order: CL_DEPTH, channel }));
    }
    // Nobody writes these: that is an extension of its own.
    if flags & CL_MEM_READ_ONLY != 0 && kind != CL_MEM_OBJECT_IMAGE1D_BUFFER {
        formats.push(Format { order: CL_sRGBA, channel: CL_UNORM_INT8 });
    }
    formats
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_offered_is_valid_and_has_elements_of_a_power_of_two() {
        for kind in CL_MEM_OBJECT_IMAGE2D..=CL_MEM_OBJECT_IMAGE1D_BUFFER {
            for format in offered(kind, CL_MEM_READ_ONLY) {
                assert!(format.is_valid(), "{format:?}");
                assert!(format.element_bytes().is_power_of_two(), "{format:?}");
            }
        }
        assert!(!Format { order: CL_BGRA, channel: CL_FLOAT }.is_valid());
        assert_eq!(offered(CL_MEM_OBJECT_IMAGE3D, CL_MEM_READ_WRITE).len(), 75);
        assert_eq!(offered(CL_MEM_OBJECT_IMAGE2D, CL_MEM_READ_ONLY).len(), 78);
    }
}
