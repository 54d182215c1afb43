//! `printf` of kernels: each call's format and arguments, as text on standard output.
//!
//! Terms: a *kind* says what an argument is: its class in bits 0 to 7, the bytes of an element in bits 8 to 15, the
//! elements in bits 16 to 23, more than one of a vector. Data lies at multiples of 8 bytes, one argument after the
//! other.
//!
//! Each call is one write to the C library's buffer, which the program's own output goes through, so calls of
//! different work-items do not mix.
//!
//! Source: OpenCL C 3.0, 6.15.14; docs/kernel-abi.md.
#![allow(unsafe_code)]

use super::device::PRINTF_BYTES;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use vicinity_alloc::os::process::print;

/// Of a kind.
const INTEGER: u32 = 0;
const FLOAT: u32 = 1;
const POINTER: u32 = 2;
const TEXT: u32 = 3;

const MOST_ELEMENTS: usize = 16;

/// `vicinity_services.print`: 0, or -1 if the format and the arguments do not fit.
pub unsafe extern "C" fn vicinity_print(
    _state: *mut c_void,
    format: *const c_char,
    count: u64,
    kinds: *const u32,
    data: *const c_void,
) -> c_int {
    if format.is_null() || (count > 0 && (kinds.is_null() || data.is_null())) {
        return -1;
    }
    let mut arguments = Vec::with_capacity(count as usize);
    let mut offset = 0;
    for index in 0..count as usize {
        // SAFETY: the kernel passes as many kinds and arguments as it says.
        let (argument, bytes) = unsafe { Argument::read(*kinds.add(index), data.byte_add(offset)) };
        offset += bytes.next_multiple_of(8);
        arguments.push(argument);
    }
    // SAFETY: a text that ends with a zero.
    match text(unsafe { CStr::from_ptr(format) }.to_bytes(), &arguments) {
        Some(text) => {
            print(&text);
            0
        }
        None => -1,
    }
}

#[derive(Debug)]
enum Argument {
    /// Of so many bytes each.
    Integers(Vec<u64>, u32),
    Floats(Vec<f64>),
    Pointer(u64),
    Text(Vec<u8>),
}

impl Argument {
    /// Also the bytes that it takes.
    ///
    /// # Safety
    /// There is an argument of this kind.
    unsafe fn read(kind: u32, data: *const c_void) -> (Argument, usize) {
        let (class, bytes) = (kind & 0xff, (kind >> 8) & 0xff);
        let elements = ((kind >> 16) as usize & 0xff).clamp(1, MOST_ELEMENTS);
        // A vector of three is as long as one of four.
        let stored = if elements == 3 { 4 } else { elements };
        // SAFETY: the caller's promise.
        let element = |index: usize| unsafe {
            let place = data.byte_add(index * bytes as usize);
            match bytes {
                1 => u64::from(place.cast::<u8>().read_unaligned()),
                2 => u64::from(place.cast::<u16>().read_unaligned()),
                4 => u64::from(place.cast::<u32>().read_unaligned()),
                _ => place.cast::<u64>().read_unaligned(),
            }
        };
        let argument = match class {
            FLOAT => Argument::Floats((0..elements).map(|at| float(element(at), bytes)).collect()),
            POINTER => Argument::Pointer(element(0)),
            TEXT => {
                let text = element(0) as *const c_char;
                // SAFETY: a text that ends with a zero, or null.
                let bytes = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_bytes());
                Argument::Text(bytes.unwrap_or(b"(null)").to_vec())
            }
            _ => {
                debug_assert_eq!(class, INTEGER);
                Argument::Integers((0..elements).map(element).collect(), bytes)
            }
        };
        (argument, stored * bytes as usize)
    }
}

/// From its bits.
fn float(bits: u64, bytes: u32) -> f64 {
    match bytes {
        4 => f64::from(f32::from_bits(bits as u32)),
        2 => half(bits as u16),
        _ => f64::from_bits(bits),
    }
}

fn half(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10) & 0x1f, f64::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (fraction + 1024.0) * 2f64.powi(exponent - 25),
    }
}

/// `None` if the arguments are not what the format says.
fn text(format: &[u8], arguments: &[Argument]) -> Option<String> {
    let mut output = Vec::new();
    let mut arguments = arguments.iter();
    let mut rest = format;
    while let Some(at) = rest.iter().position(|&byte| byte == b'%') {
        output.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(b"%") {
            output.push(b'%');
            rest = after;
            continue;
        }
        let (conversion, length) = Conversion::read(rest)?;
        conversion.write(arguments.next()?, &mut output)?;
        rest = &rest[length..];
    }
    output.extend_from_slice(rest);
    Some(String::from_utf8_lossy(&output).into_owned())
}

/// `%[flags][width][.precision][vn][length]letter`
struct Conversion {
    /// Flags, width and precision.
    shape: String,
    letter: u8,
    /// Bytes of an integer that `hh`, `h`, `hl` and `l` say.
    bytes: Option<u32>,
}

impl Conversion {
    /// Also how long it is, behind the percent sign.
    fn read(text: &[u8]) -> Option<(Conversion, usize)> {
        let of_shape = |byte: &u8| b"-+ #0123456789.".contains(byte);
        let end = text.iter().position(|byte| !of_shape(byte))?;
        let shape = String::from_utf8(text[..end].to_vec()).ok()?;
        let mut rest = &text[end..];
        if let Some(after) = rest.strip_prefix(b"v") {
            let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
            rest = &after[digits..];
        }
        let lengths: [(&[u8], u32); 4] = [(b"hh", 1), (b"hl", 4), (b"h", 2), (b"l", 8)];
        let length = lengths.iter().find(|(word, _)| rest.starts_with(word));
        let bytes = length.map(|&(word, bytes)| {
            rest = &rest[word.len()..];
            bytes
        });
        let &letter = rest.first()?;
        Some((Conversion { shape, letter, bytes }, text.len() - rest.len() + 1))
    }

    fn write(&self, argument: &Argument, output: &mut Vec<u8>) -> Option<()> {
        match (self.letter, argument) {
            (b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'c', Argument::Integers(values, bytes)) => {
                let wide = |value: u64| self.widened(value, self.bytes.unwrap_or(*bytes));
                let one = |value: &u64| self.format_integer(wide(*value));
                join(values, one, output)
            }
            (b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G', Argument::Floats(values)) => {
                join(values, |value| self.format_float(*value), output)
            }
            (b'p', Argument::Pointer(value)) => {
                output.extend(format!("{value:#x}").bytes());
                Some(())
            }
            (b's', Argument::Text(text)) => {
                output.extend(self.format_text(text)?);
                Some(())
            }
            _ => None,
        }
    }

    /// An integer of so many bytes, as one of 8.
    fn widened(&self, value: u64, bytes: u32) -> u64 {
        let spare = 64 - 8 * bytes.clamp(1, 8);
        match self.letter {
            b'd' | b'i' => ((value << spare) as i64 >> spare) as u64,
            _ => value << spare >> spare,
        }
    }

    fn format_integer(&self, value: u64) -> Option<Vec<u8>> {
        let length = if self.letter == b'c' { "" } else { "ll" };
        let format = self.c_format(length)?;
        // SAFETY: the conversion takes one integer of this length; a character is passed as a longer one.
        formatted(|place, room| unsafe { libc::snprintf(place, room, format.as_ptr(), value) })
    }

    fn format_float(&self, value: f64) -> Option<Vec<u8>> {
        let format = self.c_format("")?;
        // SAFETY: the conversion takes one double.
        formatted(|place, room| unsafe { libc::snprintf(place, room, format.as_ptr(), value) })
    }

    fn format_text(&self, text: &[u8]) -> Option<Vec<u8>> {
        let (format, text) = (self.c_format("")?, CString::new(text).ok()?);
        let text = text.as_ptr();
        // SAFETY: the conversion takes one text that ends with a zero.
        formatted(|place, room| unsafe { libc::snprintf(place, room, format.as_ptr(), text) })
    }

    fn c_format(&self, length: &str) -> Option<CString> {
        CString::new(format!("%{}{length}{}", self.shape, char::from(self.letter))).ok()
    }
}

/// Elements of a vector, with commas between them.
fn join<T>(values: &[T], one: impl Fn(&T) -> Option<Vec<u8>>, output: &mut Vec<u8>) -> Option<()> {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            output.push(b',');
        }
        output.extend(one(value)?);
    }
    Some(())
}

/// What the C library writes, asked once for the length and once for the text; `None` if that is more than a program may print.
fn formatted(write: impl Fn(*mut c_char, usize) -> c_int) -> Option<Vec<u8>> {
    let length = usize::try_from(write(std::ptr::null_mut(), 0)).ok()?;
    if length > PRINTF_BYTES {
        return None;
    }
    let mut text = vec![0u8; length + 1];
    write(text.as_mut_ptr().cast(), text.len());
    text.truncate(length);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_the_c_librarys() {
        let is = |format: &str, arguments: &[Argument], expected: Option<&str>| {
            let found = text(format.as_bytes(), arguments);
            assert_eq!(found.as_deref(), expected, "{format}");
        };
        let int = |value: i64| Argument::Integers(vec![value as u64], 4);
        is("no arguments: 100%%\n", &[], Some("no arguments: 100%\n"));
        is("%d|%5d|%-5d|", &[int(-1), int(42), int(42)], Some("-1|   42|42   |"));
        is("%u %x", &[int(-1), int(-1)], Some("4294967295 ffffffff"));
        is("%hhd %c", &[int(0x1ff), int(65)], Some("-1 A"));
        is("%.2f", &[Argument::Floats(vec![1.005])], Some("1.00"));
        is(
            "%5.1f|%e",
            &[Argument::Floats(vec![2.25]), Argument::Floats(vec![1e10])],
            Some("  2.2|1.000000e+10"),
        );
        let vector = Argument::Floats(vec![1.0, 2.0, 3.0, 4.0]);
        is("%2.1v4hlf", &[vector], Some("1.0,2.0,3.0,4.0"));
        is("%v2hd", &[Argument::Integers(vec![0xffff, 7], 2)], Some("-1,7"));
        is("%s", &[Argument::Text(b"text".to_vec())], Some("text"));
        is("%p", &[Argument::Pointer(0x10)], Some("0x10"));
        is("%d", &[], None);
        is("%999999999d", &[int(1)], None);
        is("%99999999999d", &[int(1)], None);
        is("%f", &[int(1)], None);
        is("%", &[], None);
    }

    #[test]
    fn halves_are_numbers() {
        assert_eq!(half(0x3c00), 1.0);
        assert_eq!(half(0xc000), -2.0);
        assert_eq!(half(0x0001), 2f64.powi(-24));
        assert!(half(0x7e00).is_nan() && half(0xfc00) == f64::NEG_INFINITY);
    }
}
