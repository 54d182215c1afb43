//! Reading numbers, words and sizes out of the text of a variable.
//!
//! All of these are total: what is not understood is `None`, never a panic, whatever the text.

/// A position in a text; blanks between tokens are skipped.
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Cursor<'a> {
        Cursor { rest: text.trim() }
    }

    /// Takes this character if it comes next.
    pub fn eat(&mut self, expected: char) -> bool {
        let rest = self.rest.trim_start();
        match rest.strip_prefix(expected) {
            Some(after) => self.rest = after,
            None => return false,
        }
        true
    }

    /// Takes a word of letters and underscores; empty when none comes next.
    pub fn word(&mut self) -> &'a str {
        self.take_while(|c| c.is_ascii_alphabetic() || c == '_')
    }

    /// Takes a number without a sign.
    pub fn number(&mut self) -> Option<u32> {
        self.take_while(|c| c.is_ascii_digit()).parse().ok()
    }

    /// Takes a number that is at least 1.
    pub fn positive(&mut self) -> Option<u32> {
        self.number().filter(|&number| number > 0)
    }

    /// Takes a number with an optional sign.
    pub fn signed(&mut self) -> Option<i64> {
        let negative = self.eat('-');
        if !negative {
            self.eat('+');
        }
        let number = i64::from(self.number()?);
        Some(if negative { -number } else { number })
    }

    pub fn at_end(&self) -> bool {
        self.rest.trim_start().is_empty()
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest.trim_start();
        let end = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        let (token, after) = rest.split_at(end);
        self.rest = after;
        token
    }
}

pub fn boolean(text: &str) -> Option<bool> {
    const WORDS: &[(&str, bool)] = &[
        ("true", true),
        ("false", false),
        ("1", true),
        ("0", false),
        ("yes", true),
        ("no", false),
        ("on", true),
        ("off", false),
        ("enabled", true),
        ("disabled", false),
    ];
    super::kinds::value_of(WORDS, text)
}

/// A whole number of at least `least`, and not larger than an `int`: these values leave through interfaces made
/// of `int`.
pub fn count(text: &str, least: u32) -> Option<u32> {
    let text = text.trim();
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|number| (least..=i32::MAX as u32).contains(number))
}

/// A number with one of these suffix letters (any case) as factor; `plain` is the factor without.
pub fn scaled(text: &str, plain: u64, suffixes: &[(char, u64)]) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..digits].parse().ok()?;
    let mut suffix = text[digits..].trim_start().chars();
    let factor = match suffix.next() {
        None => plain,
        Some(letter) => {
            let letter = letter.to_ascii_lowercase();
            suffixes.iter().find(|known| known.0 == letter)?.1
        }
    };
    if suffix.next().is_some() {
        return None;
    }
    number.checked_mul(factor)
}

/// A size in bytes: `64M`, `8192`; `plain` is the unit of a number without one.
pub fn size_bytes(text: &str, plain: u64) -> Option<u64> {
    const UNITS: &[(char, u64)] =
        &[('b', 1), ('k', 1 << 10), ('m', 1 << 20), ('g', 1 << 30), ('t', 1 << 40)];
    scaled(text, plain, UNITS).filter(|&bytes| bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size_bytes("2", 1024), Some(2048));
        assert_eq!(size_bytes("3 m", 1024), Some(3 << 20));
        assert_eq!(size_bytes("10B", 1024), Some(10));
        assert_eq!(size_bytes("1G", 1), Some(1 << 30));
        for text in ["", "k", "-1", "1kb", "1x", "0", "1 2", "99999999999999999999", "17179869184g"]
        {
            assert_eq!(size_bytes(text, 1024), None, "{text}");
        }
    }

    #[test]
    fn counts() {
        assert_eq!(count(" 4 ", 1), Some(4));
        assert_eq!(count("0", 1), None);
        assert_eq!(count("0", 0), Some(0));
        assert_eq!(count("2147483647", 1), Some(i32::MAX as u32));
        for text in ["", "2147483648", "99999999999999999999999", "-1", "+1", "1.5", "4x", "four"] {
            assert_eq!(count(text, 0), None, "{text}");
        }
    }

    #[test]
    fn booleans() {
        assert_eq!(boolean("TRUE"), Some(true));
        assert_eq!(boolean(" 0"), Some(false));
        assert_eq!(boolean("maybe"), None);
    }

    #[test]
    fn a_cursor_skips_blanks_but_joins_nothing() {
        let mut cursor = Cursor::new(" cores ( 12 ) : -3 4");
        assert_eq!(cursor.word(), "cores");
        assert!(cursor.eat('('));
        assert_eq!(cursor.number(), Some(12));
        assert!(cursor.eat(')') && cursor.eat(':') && !cursor.eat(':'));
        assert_eq!(cursor.signed(), Some(-3));
        assert_eq!((cursor.number(), cursor.number(), cursor.at_end()), (Some(4), None, true));
    }
}
