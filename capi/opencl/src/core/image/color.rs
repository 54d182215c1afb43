//! One color as an element of an image, for filling; kernels have the same in `translator/library/image/write.cl`.
//!
//! Source: OpenCL 3.0 API, 8.3 (conversions: to nearest, and to the last number there is); IEC 61966-2-1 (sRGB).

#![allow(non_upper_case_globals)]

use super::format::{Format, Numbers};
use opencl_sys::*;
use smallvec::SmallVec;

/// Four numbers as the program passes them: `cl_float4`, `cl_int4` or `cl_uint4`, by the format.
pub type Color = [u32; 4];

pub type Element = SmallVec<[u8; 16]>;

/// The element that means a color.
pub fn element(format: Format, color: Color) -> Element {
    let [r, g, b, a] = color;
    let arranged = match format.order {
        CL_A => [a; 4],
        CL_RA => [r, a, r, a],
        CL_BGRA => [b, g, r, a],
        CL_ARGB => [a, r, g, b],
        CL_ABGR => [a, b, g, r],
        CL_sRGBA => [curved(r), curved(g), curved(b), a],
        _ => color,
    };
    let channels = arranged.into_iter().take(format.channels());
    channels.flat_map(|bits| channel(format, bits)).collect()
}

/// A channel's bytes.
fn channel(format: Format, bits: u32) -> SmallVec<[u8; 4]> {
    let whole = match format.numbers() {
        Numbers::Signed => {
            let most = i32::MAX >> (32 - 8 * format.channel_bytes());
            (bits as i32).clamp(-most - 1, most) as u32
        }
        Numbers::Unsigned => bits.min(u32::MAX >> (32 - 8 * format.channel_bytes())),
        Numbers::Float => real(format.channel, f32::from_bits(bits)),
    };
    SmallVec::from_slice(&whole.to_le_bytes()[..format.channel_bytes()])
}

fn real(channel: cl_channel_type, value: f32) -> u32 {
    // What is no number becomes the least.
    let scaled = |by: f32, least: f32| (value * by).max(least).min(by).round_ties_even() as i32;
    match channel {
        CL_UNORM_INT8 => scaled(255.0, 0.0) as u32,
        CL_UNORM_INT16 => scaled(65535.0, 0.0) as u32,
        CL_SNORM_INT8 => scaled(127.0, -128.0) as u32,
        CL_SNORM_INT16 => scaled(32767.0, -32768.0) as u32,
        CL_HALF_FLOAT => u32::from(half(value)),
        _ => value.to_bits(),
    }
}

/// To sRGB.
fn curved(bits: u32) -> u32 {
    let value = f32::from_bits(bits);
    let c = if value > 0.0 { f64::from(value.min(1.0)) } else { 0.0 };
    let curved = if c < 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (curved as f32).to_bits()
}

/// The nearest number of 16 bits; of two, the even one.
fn half(value: f32) -> u16 {
    let sign = ((value.to_bits() >> 16) & 0x8000) as u16;
    let size = value.abs();
    if size.is_nan() {
        return sign | 0x7e00;
    }
    // Below 2^-14 the steps are of 2^-24; from 65520 on the nearest is infinite.
    if size < 2f32.powi(-14) {
        return sign | (f64::from(size) * 2f64.powi(24)).round_ties_even() as u16;
    }
    if size >= 65520.0 {
        return sign | 0x7c00;
    }
    let bits = size.to_bits() - ((127 - 15) << 23);
    let rounded = (bits + 0x0fff + ((bits >> 13) & 1)) >> 13;
    sign | rounded as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(order: u32, channel: u32, color: [f32; 4]) -> Vec<u8> {
        element(Format { order, channel }, color.map(f32::to_bits)).to_vec()
    }

    #[test]
    fn colors_are_rounded_and_limited() {
        assert_eq!(of(CL_RGBA, CL_UNORM_INT8, [0.0, 0.5, 2.0, f32::NAN]), [0, 128, 255, 0]);
        assert_eq!(of(CL_BGRA, CL_UNORM_INT8, [0.0, 0.2, 0.4, 1.0]), [102, 51, 0, 255]);
        assert_eq!(of(CL_RG, CL_SNORM_INT8, [-1.0, 1.0, 0.0, 0.0]), [0x81, 0x7f]);
        assert_eq!(of(CL_sRGBA, CL_UNORM_INT8, [0.0, 0.214_041_14, 1.0, 0.5]), [0, 128, 255, 128]);
        let whole = |channel, color: [i32; 4]| {
            element(Format { order: CL_RGBA, channel }, color.map(|number| number as u32)).to_vec()
        };
        assert_eq!(whole(CL_SIGNED_INT8, [-1000, -1, 1, 1000]), [0x80, 0xff, 1, 0x7f]);
        assert_eq!(whole(CL_UNSIGNED_INT8, [-1, 0, 255, 256]), [255, 0, 255, 255]);
    }

    #[test]
    fn halves_are_rounded_to_even() {
        let table = [
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65519.9, 0x7bff),
            (65520.0, 0x7c00),
            (1.0 + 1.0 / 2048.0, 0x3c00),
            (1.0 + 3.0 / 2048.0, 0x3c02),
            (2f32.powi(-14), 0x0400),
            (2f32.powi(-24), 0x0001),
            (2f32.powi(-25), 0x0000),
            (f32::INFINITY, 0x7c00),
        ];
        for (value, bits) in table {
            assert_eq!(half(value), bits, "{value}");
        }
    }
}
