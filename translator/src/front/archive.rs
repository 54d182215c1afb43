//! The builtin library as it was built into this program: an archive of bitcode modules, and an index of their symbols.
//!
//! The archive's format is that of `ar`: a line `!<arch>`, then members, each with a header of 60 bytes. The index has a line for each
//! symbol, in the order of their bytes: the symbol, a space, and the place of its module's header in the archive, in decimal
//! digits. A symbol is found by halving, so that a translation reads some lines and not all. `build.rs` makes both; so what does not
//! fit is a fault of the build.

const BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/builtins.a"));
const INDEX: &str = include_str!(concat!(env!("OUT_DIR"), "/builtins.index"));
const HEADER: usize = 60;
/// The member's length in decimal digits, inside its header.
const LENGTH: std::ops::Range<usize> = 48..58;

/// One module: where its member begins in the archive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ModuleAt(u32);

/// The module that defines `symbol`.
pub fn find(symbol: &str) -> Option<ModuleAt> {
    // Where lines begin: what is sought is in one of them, or nowhere.
    let (mut from, mut to) = (0, INDEX.len());
    while from < to {
        let middle = from + (to - from) / 2;
        let begin = INDEX[from..middle].rfind('\n').map_or(from, |at| from + at + 1);
        let end = begin + INDEX[begin..].find('\n').expect("each line ends");
        let (name, place) = read(&INDEX[begin..end]);
        match symbol.cmp(name) {
            std::cmp::Ordering::Equal => return Some(place),
            std::cmp::Ordering::Less => to = begin,
            std::cmp::Ordering::Greater => from = end + 1,
        }
    }
    None
}

/// All symbols.
pub fn symbols() -> impl Iterator<Item = &'static str> {
    INDEX.lines().map(|line| read(line).0)
}

fn read(line: &str) -> (&str, ModuleAt) {
    let (symbol, place) = line.split_once(' ').expect("a symbol and a place");
    (symbol, ModuleAt(place.parse().expect("a place")))
}

impl ModuleAt {
    /// The module's bitcode.
    pub fn bitcode(self) -> &'static [u8] {
        let offset = self.0 as usize;
        let header = &BYTES[offset..offset + HEADER];
        let digits = std::str::from_utf8(&header[LENGTH]).expect("digits in a header");
        let length: usize = digits.trim_end().parse().expect("a length in a header");
        &BYTES[offset + HEADER..offset + HEADER + length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_lead_to_bitcode_and_unknown_ones_nowhere() {
        let sine = find("_Z3sinDv4_f").expect("sin(float4) is a builtin");
        assert_eq!(&sine.bitcode()[..2], b"BC");
        assert_eq!(find("_Z3sinf"), Some(sine), "one source is one module");
        assert_ne!(find("_Z3dotff"), Some(sine));
        for nowhere in ["", "!", "_Z7nothingv", "_Z3sinf ", "~"] {
            assert_eq!(find(nowhere), None, "{nowhere}");
        }
    }

    #[test]
    fn every_symbol_has_a_module() {
        assert!(symbols().count() > 10_000);
        for symbol in symbols() {
            let module = find(symbol).expect("it is in the index");
            assert_eq!(&module.bitcode()[..2], b"BC", "{symbol}");
        }
    }
}
