//! Where the large variables of the program and its libraries, and of any file, are, by their files' symbols.
//!
//! Units: bytes.

use super::modules;
use object::elf::FileHeader64;
use object::read::elf::{ElfFile64, ElfSymbol};
use object::{Endianness, Object, ObjectSymbol, ReadCache, SymbolKind};
use std::fs::File;
use std::ops::Range;

/// Those of so many bytes and more, by address. A file that is stripped tells of what it exports alone.
pub fn large(least_bytes: usize) -> Vec<Range<usize>> {
    let modules = modules::all().into_iter().filter(|module| module.data.len() >= least_bytes);
    let found = modules.flat_map(|module| {
        let variables = of_file(&module.file, least_bytes).unwrap_or_default();
        variables.into_iter().filter_map(move |it| {
            let start = module.bias.checked_add(it.offset)?;
            Some(start..start.checked_add(it.bytes)?)
        })
    });
    let mut all: Vec<Range<usize>> = found.collect();
    all.sort_unstable_by_key(|range| range.start);
    all.dedup();
    all
}

/// A variable of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    /// From where the file is loaded on.
    pub offset: usize,
    pub bytes: usize,
}

/// Those of so many bytes and more, in no order; `None` of a file that cannot be read.
pub fn of_file(file: &str, least_bytes: usize) -> Option<Vec<Variable>> {
    let data = ReadCache::new(File::open(file).ok()?);
    let file = ElfFile64::<Endianness, _>::parse(&data).ok()?;
    type Symbol<'a, 'b, R> = ElfSymbol<'a, 'b, FileHeader64<Endianness>, R>;
    let variable = |symbol: Symbol<'_, '_, _>| {
        let (offset, bytes) = (symbol.address() as usize, symbol.size() as usize);
        let name = || String::from_utf8_lossy(symbol.name_bytes().unwrap_or_default()).into_owned();
        let is_large = symbol.kind() == SymbolKind::Data && bytes >= least_bytes;
        is_large.then(|| Variable { name: name(), offset, bytes })
    };
    let mut all: Vec<_> = file.symbols().filter_map(variable).collect();
    all.extend(file.dynamic_symbols().filter_map(variable));
    Some(all)
}

/// A mapping cut where large variables begin and end, at the pages there: `variables` are in order.
pub fn split(mapping: &Range<usize>, variables: &[Range<usize>], page: usize) -> Vec<Range<usize>> {
    let edges = variables.iter().flat_map(|it| [it.start, it.end]);
    let inside = edges.map(|edge| edge.next_multiple_of(page)).filter(|at| mapping.contains(at));
    let mut cuts: Vec<usize> = [mapping.start, mapping.end].into_iter().chain(inside).collect();
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU8;

    const LARGE: usize = 3 << 20;

    static ARRAY: [AtomicU8; LARGE] = [const { AtomicU8::new(0) }; LARGE];

    #[test]
    fn a_large_array_of_this_program_is_found() {
        let start = (&raw const ARRAY) as usize;
        assert!(large(LARGE).contains(&(start..start + LARGE)));
        assert!(!large(LARGE + 1).iter().any(|it| it.start == start));
        assert_eq!(of_file("/no/such/file", 1), None);
        assert_eq!(of_file("/proc/self/maps", 1), None);
    }

    #[test]
    fn mappings_are_cut_at_pages() {
        let variables = [0x1800..0x4800, 0x4800..0x6000, 0x9000..0xa000];
        let parts = split(&(0x1000..0x8000), &variables, 0x1000);
        assert_eq!(parts, [0x1000..0x2000, 0x2000..0x5000, 0x5000..0x6000, 0x6000..0x8000]);
        assert_eq!(split(&(0x1000..0x8000), &[], 0x1000), vec![0x1000..0x8000; 1]);
    }
}
