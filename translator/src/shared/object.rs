//! An object file, as far as it is code and constants.
//!
//! Terms: a *piece* is a section that is in memory when the code runs. Whatever is not known here makes [`read`] give
//! nothing: variables, storage of threads, symbols that are resolved at run time.
//! Source: System V ABI, chapter 4, for ELF-64.

/// What a file of 64 bits, little-endian, of ELF's first version begins with.
const MAGIC: &[u8] = b"\x7fELF\x02\x01\x01";
const RELOCATABLE: u64 = 1;
const X86_64: u64 = 62;
const SECTION_BYTES: usize = 64;
const SYMBOL_BYTES: usize = 24;
const RELOCATION_BYTES: usize = 24;

/// Types of sections.
const PROGBITS: u64 = 1;
const SYMTAB: u64 = 2;
const STRTAB: u64 = 3;
const RELA: u64 = 4;
const UNWIND: u64 = 0x7000_0001;

/// Flags of sections: in memory, code.
const ALLOC: u64 = 2;
const EXECINSTR: u64 = 4;

/// Flags that may be passed over: equal constants could be one, they are text, they belong together.
const MERGE: u64 = 0x10;
const STRINGS: u64 = 0x20;
const GROUP: u64 = 0x200;

/// Numbers of sections that are none: undefined, a value, and the first of all that are special.
const UNDEFINED: u64 = 0;
const ABSOLUTE: u64 = 0xfff1;
const SPECIAL: u64 = 0xff00;

/// Bindings and types of symbols, and what makes them visible to others.
const LOCAL: u64 = 0;
const FUNCTION: u64 = 2;
const LAST_PLAIN_TYPE: u64 = 4;
const DEFAULT: u64 = 0;

#[derive(Debug)]
pub struct Object<'a> {
    pub pieces: Vec<Piece<'a>>,
    pub symbols: Vec<Symbol<'a>>,
    pub relocations: Vec<Relocation>,
}

#[derive(Debug)]
pub struct Piece<'a> {
    pub contents: &'a [u8],
    pub alignment: usize,
    pub is_code: bool,
}

#[derive(Debug)]
pub struct Symbol<'a> {
    pub name: &'a [u8],
    /// The piece, and the offset in it; none if it is defined elsewhere, or stands for no address.
    pub place: Option<(usize, u64)>,
    pub is_global: bool,
    /// Others see it.
    pub is_exported: bool,
    pub is_function: bool,
    pub size: u64,
}

/// An address to be put into a piece.
#[derive(Debug)]
pub struct Relocation {
    pub piece: usize,
    pub offset: u64,
    pub kind: u64,
    pub symbol: usize,
    pub addend: i64,
}

struct Section<'a> {
    kind: u64,
    flags: u64,
    contents: &'a [u8],
    link: usize,
    info: usize,
    alignment: usize,
}

/// `N` bytes as a number.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(N)?)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

fn index<const N: usize>(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(number::<N>(bytes, at)?).ok()
}

/// Reads a file, if there is nothing in it but what is known here.
pub fn read(bytes: &[u8]) -> Option<Object<'_>> {
    let is_object = bytes.starts_with(MAGIC)
        && number::<2>(bytes, 16)? == RELOCATABLE
        && number::<2>(bytes, 18)? == X86_64;
    if !is_object {
        return None;
    }
    let (table, count) = (index::<8>(bytes, 40)?, index::<2>(bytes, 60)?);
    let sections: Option<Vec<Section>> =
        (0..count).map(|at| section(bytes, table.checked_add(at * SECTION_BYTES)?)).collect();
    let sections = sections?;
    let mut pieces = Vec::new();
    // The number of each section's piece.
    let mut numbers = Vec::new();
    for section in &sections {
        let is_piece = section.flags & ALLOC != 0;
        numbers.push(is_piece.then_some(pieces.len()));
        if is_piece {
            pieces.push(piece(section)?);
        }
    }
    let mut symbols = Vec::new();
    let mut relocations = Vec::new();
    for section in &sections {
        if section.kind == SYMTAB {
            let names = sections.get(section.link)?.contents;
            let entries = section.contents.chunks_exact(SYMBOL_BYTES);
            symbols = entries.map(|entry| symbol(entry, names, &numbers)).collect::<Option<_>>()?;
        }
        if section.kind == RELA
            && let Some(piece) = *numbers.get(section.info)?
        {
            for entry in section.contents.chunks_exact(RELOCATION_BYTES) {
                relocations.push(relocation(entry, piece)?);
            }
        }
    }
    Some(Object { pieces, symbols, relocations })
}

fn section(bytes: &[u8], at: usize) -> Option<Section<'_>> {
    let kind = number::<4>(bytes, at + 4)?;
    let (offset, size) = (index::<8>(bytes, at + 24)?, index::<8>(bytes, at + 32)?);
    Some(Section {
        kind,
        flags: number::<8>(bytes, at + 8)?,
        // Of others the size says nothing about the file.
        contents: match kind {
            PROGBITS | SYMTAB | STRTAB | RELA | UNWIND => {
                bytes.get(offset..offset.checked_add(size)?)?
            }
            _ => &[],
        },
        link: index::<4>(bytes, at + 40)?,
        info: index::<4>(bytes, at + 44)?,
        alignment: index::<8>(bytes, at + 48)?,
    })
}

fn piece<'a>(section: &Section<'a>) -> Option<Piece<'a>> {
    // Neither written to nor of threads.
    let is_known = matches!(section.kind, PROGBITS | UNWIND)
        && section.flags & !(ALLOC | EXECINSTR | MERGE | STRINGS | GROUP) == 0;
    let alignment = section.alignment.max(1);
    let is_fine = alignment.is_power_of_two() && alignment <= super::PAGE_BYTES;
    (is_known && is_fine).then_some(Piece {
        contents: section.contents,
        alignment,
        is_code: section.flags & EXECINSTR != 0,
    })
}

fn symbol<'a>(entry: &[u8], names: &'a [u8], numbers: &[Option<usize>]) -> Option<Symbol<'a>> {
    let name = names.get(index::<4>(entry, 0)?..)?;
    let name = name.split(|&byte| byte == 0).next()?;
    let info = number::<1>(entry, 4)?;
    let (binding, kind) = (info >> 4, info & 0xf);
    if kind > LAST_PLAIN_TYPE {
        return None;
    }
    let place = match number::<2>(entry, 6)? {
        UNDEFINED | ABSOLUTE => None,
        SPECIAL.. => return None,
        section => {
            let piece = *numbers.get(usize::try_from(section).ok()?)?;
            piece.zip(number::<8>(entry, 8))
        }
    };
    Some(Symbol {
        name,
        place,
        is_global: binding != LOCAL,
        is_exported: binding != LOCAL && number::<1>(entry, 5)? & 3 == DEFAULT,
        is_function: kind == FUNCTION,
        size: number::<8>(entry, 16)?,
    })
}

fn relocation(entry: &[u8], piece: usize) -> Option<Relocation> {
    Some(Relocation {
        piece,
        offset: number::<8>(entry, 0)?,
        kind: number::<4>(entry, 8)?,
        symbol: index::<4>(entry, 12)?,
        addend: number::<8>(entry, 16)?.cast_signed(),
    })
}
