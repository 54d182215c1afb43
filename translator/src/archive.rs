//! The builtin library as it was built into this program: an archive of bitcode modules with an index of their symbols.
//!
//! The format is that of `ar`: a line `!<arch>`, then members, each with a header of 60 bytes. The first member, `/`, is the
//! index: how many symbols there are, for each the offset of its module's header (both big-endian numbers of 32 bits),
//! then the names, each with a nul behind it. `build.rs` makes it; so what does not fit is a fault of the build.

use std::collections::HashMap;
use std::sync::OnceLock;

const BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/builtins.a"));
const MAGIC: &[u8] = b"!<arch>\n";
const HEADER: usize = 60;
/// The member's length in decimal digits, inside its header.
const LENGTH: std::ops::Range<usize> = 48..58;

/// One module: where its member begins in the archive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ModuleAt(u32);

/// The modules by the symbols that they define.
pub struct Index {
    modules: HashMap<&'static [u8], ModuleAt>,
}

/// The index, read when it is first asked for.
pub fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(Index::read)
}

impl Index {
    fn read() -> Index {
        assert!(BYTES.starts_with(MAGIC), "the builtin library is an archive");
        let table = member(MAGIC.len());
        let count = number(table, 0);
        let (offsets, names) = table[4..].split_at(count * 4);
        let names = names.split(|&byte| byte == 0).take(count).enumerate();
        let mut modules = HashMap::with_capacity(count);
        modules.extend(names.map(|(at, name)| (name, ModuleAt(number(offsets, at * 4) as u32))));
        Index { modules }
    }

    /// The module that defines `symbol`.
    pub fn find(&self, symbol: &str) -> Option<ModuleAt> {
        self.modules.get(symbol.as_bytes()).copied()
    }

    /// All symbols.
    pub fn symbols(&self) -> impl Iterator<Item = String> {
        self.modules.keys().map(|name| String::from_utf8_lossy(name).into_owned())
    }
}

impl ModuleAt {
    /// The module's bitcode.
    pub fn bitcode(self) -> &'static [u8] {
        member(self.0 as usize)
    }
}

/// The contents of the member whose header is at `offset`.
fn member(offset: usize) -> &'static [u8] {
    let header = &BYTES[offset..offset + HEADER];
    let digits = std::str::from_utf8(&header[LENGTH]).expect("digits in a header");
    let length: usize = digits.trim_end().parse().expect("a length in a header");
    &BYTES[offset + HEADER..offset + HEADER + length]
}

fn number(bytes: &[u8], at: usize) -> usize {
    let four = bytes[at..at + 4].try_into().expect("four bytes");
    u32::from_be_bytes(four) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_lead_to_bitcode_and_unknown_ones_nowhere() {
        let sine = index().find("_Z3sinDv4_f").expect("sin(float4) is a builtin");
        assert_eq!(&sine.bitcode()[..2], b"BC");
        assert_eq!(index().find("_Z3sinf"), Some(sine), "one source is one module");
        assert_ne!(index().find("_Z3dotff"), Some(sine));
        assert_eq!(index().find("_Z7nothingv"), None);
        assert_eq!(index().find(""), None);
    }

    #[test]
    fn every_symbol_has_a_module() {
        assert!(index().symbols().count() > 10_000);
        for symbol in index().symbols() {
            let module = index().find(&symbol).expect("it is in the index");
            assert_eq!(&module.bitcode()[..2], b"BC", "{symbol}");
        }
    }
}
