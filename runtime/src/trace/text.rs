//! `Text`: JSON put together in a block of memory that never grows, so that a signal handler may do it.

/// Bytes that are gathered before they go to the file.
pub struct Text {
    bytes: Box<[u8]>,
    len: usize,
}

impl Text {
    pub fn new(capacity: usize) -> Text {
        Text { bytes: vec![0; capacity].into(), len: 0 }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn room(&self) -> usize {
        self.bytes.len() - self.len
    }

    /// Forgets what came after the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Adds bytes; callers make room for them first, and what does not fit is cut off.
    #[inline]
    pub fn push(&mut self, bytes: &[u8]) {
        let fitting = bytes.len().min(self.room());
        self.bytes[self.len..self.len + fitting].copy_from_slice(&bytes[..fitting]);
        self.len += fitting;
    }

    pub fn str(&mut self, text: &str) {
        self.push(text.as_bytes());
    }

    /// A whole number.
    pub fn number(&mut self, mut value: u64) {
        let mut digits = [0; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (value % 10) as u8;
            value /= 10;
            if value == 0 {
                break;
            }
        }
        self.push(&digits[at..]);
    }

    /// Nanoseconds as microseconds with three decimals.
    pub fn time(&mut self, ns: u64) {
        self.number(ns / 1000);
        let rest = ns % 1000;
        let digit = |place: u64| b'0' + (rest / place % 10) as u8;
        self.push(&[b'.', digit(100), digit(10), digit(1)]);
    }

    /// An array of whole numbers.
    pub fn numbers(&mut self, values: &[u64]) {
        self.str("[");
        for (index, &value) in values.iter().enumerate() {
            self.str(if index == 0 { "" } else { "," });
            self.number(value);
        }
        self.str("]");
    }
}

/// Text as a JSON string, quotes included (RFC 8259, section 7).
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if c < ' ' => quoted.push_str(&format!("\\u{:04x}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(fill: impl FnOnce(&mut Text)) -> String {
        let mut text = Text::new(100);
        fill(&mut text);
        String::from_utf8(text.bytes().to_vec()).unwrap()
    }

    #[test]
    fn numbers_are_written_as_they_are() {
        for value in [0, 7, 10, 12345, u64::MAX] {
            assert_eq!(text(|text| text.number(value)), value.to_string());
        }
        assert_eq!(text(|text| text.numbers(&[])), "[]");
        assert_eq!(text(|text| text.numbers(&[1, 20, 3])), "[1,20,3]");
    }

    #[test]
    fn times_are_microseconds_with_nanoseconds_behind_the_point() {
        for (ns, shown) in [(0, "0.000"), (7, "0.007"), (999, "0.999"), (1_234_567, "1234.567")] {
            assert_eq!(text(|text| text.time(ns)), shown);
        }
    }

    #[test]
    fn strings_are_escaped() {
        assert_eq!(quoted("a \"b\" \\ \n é"), "\"a \\\"b\\\" \\\\ \\u000a é\"");
    }

    #[test]
    fn what_does_not_fit_is_cut_off() {
        let mut text = Text::new(3);
        text.str("abcdef");
        assert_eq!((text.bytes(), text.room()), (&b"abc"[..], 0));
        text.truncate(1);
        assert_eq!(text.bytes(), b"a");
    }
}
