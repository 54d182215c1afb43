//! An object file, as far as it is code and constants.
//!
//! Terms: a *piece* is a section that is in memory when the code runs. Whatever is not known here makes [`read`] give
//! nothing: variables, storage of threads, symbols that are resolved at run time.

use object::elf::{self, FileHeader64, SectionHeader64, Sym64};
use object::read::elf::{FileHeader, SectionHeader, Sym};
use object::{LittleEndian, SectionIndex, StringTable};

const ENDIAN: LittleEndian = LittleEndian;

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
    pub kind: elf::RelocationType,
    pub symbol: usize,
    pub addend: i64,
}

/// Reads a file, if there is nothing in it but what is known here.
pub fn read(bytes: &[u8]) -> Option<Object<'_>> {
    let header = FileHeader64::<LittleEndian>::parse(bytes).ok()?;
    if header.e_type(ENDIAN) != elf::ET_REL || header.e_machine(ENDIAN) != elf::EM_X86_64 {
        return None;
    }
    let sections = header.sections(ENDIAN, bytes).ok()?;
    let mut pieces = Vec::new();
    // The number of each section's piece.
    let mut numbers = Vec::new();
    for section in sections.iter() {
        let is_piece = section.sh_flags(ENDIAN).contains(elf::SHF_ALLOC);
        numbers.push(is_piece.then_some(pieces.len()));
        if is_piece {
            pieces.push(piece(section, bytes)?);
        }
    }
    let table = sections.symbols(ENDIAN, bytes, elf::SHT_SYMTAB).ok()?;
    let symbols = table.iter().map(|it| symbol(it, table.strings(), &numbers));
    let symbols = symbols.collect::<Option<_>>()?;
    let mut relocations = Vec::new();
    for section in sections.iter() {
        let Some((list, _)) = section.rela(ENDIAN, bytes).ok()? else { continue };
        let Some(piece) = number_of(section.info_link(ENDIAN), &numbers)? else { continue };
        relocations.extend(list.iter().map(|entry| Relocation {
            piece,
            offset: entry.r_offset.get(ENDIAN),
            kind: entry.r_type(ENDIAN, false),
            symbol: entry.r_sym(ENDIAN, false) as usize,
            addend: entry.r_addend.get(ENDIAN),
        }));
    }
    Some(Object { pieces, symbols, relocations })
}

/// The piece that a section is, if it is one. None if there is no such section.
fn number_of(section: SectionIndex, numbers: &[Option<usize>]) -> Option<Option<usize>> {
    numbers.get(section.0).copied()
}

fn piece<'a>(section: &SectionHeader64<LittleEndian>, bytes: &'a [u8]) -> Option<Piece<'a>> {
    // Flags that may be passed over: equal constants could be one, they are text, they belong together.
    let known =
        elf::SHF_ALLOC | elf::SHF_EXECINSTR | elf::SHF_MERGE | elf::SHF_STRINGS | elf::SHF_GROUP;
    let flags = section.sh_flags(ENDIAN);
    // Neither written to nor of threads.
    let is_known = [elf::SHT_PROGBITS, elf::SHT_X86_64_UNWIND].contains(&section.sh_type(ENDIAN))
        && known.contains(flags);
    let alignment = usize::try_from(section.sh_addralign(ENDIAN)).ok()?.max(1);
    let is_fine = alignment.is_power_of_two() && alignment <= super::PAGE_BYTES;
    (is_known && is_fine).then_some(Piece {
        contents: section.data(ENDIAN, bytes).ok()?,
        alignment,
        is_code: flags.contains(elf::SHF_EXECINSTR),
    })
}

fn symbol<'a>(
    entry: &Sym64<LittleEndian>,
    names: StringTable<'a>,
    numbers: &[Option<usize>],
) -> Option<Symbol<'a>> {
    let place = match entry.st_shndx(ENDIAN) {
        elf::SHN_UNDEF | elf::SHN_ABS => None,
        special if special.0 >= elf::SHN_LORESERVE => return None,
        section => {
            let piece = number_of(SectionIndex(section.0.into()), numbers)?;
            piece.zip(Some(entry.st_value(ENDIAN)))
        }
    };
    let is_plain = entry.st_type().0 <= elf::STT_FILE.0;
    let is_global = entry.st_bind() != elf::STB_LOCAL;
    is_plain.then_some(Symbol {
        name: entry.name(ENDIAN, names).ok()?,
        place,
        is_global,
        is_exported: is_global && entry.st_visibility() == elf::STV_DEFAULT,
        is_function: entry.st_type() == elf::STT_FUNC,
        size: entry.st_size(ENDIAN),
    })
}
