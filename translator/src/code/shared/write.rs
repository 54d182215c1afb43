//! The bytes of a shared object.
//!
//! Layout: headers, constants, code, and what the loader asks (hash table, symbols, names), all of which is only read; in a page
//! of its own what it writes to, the dynamic section; behind that headers of sections, for people's tools.

use object::elf;
use object::write::elf::{FileHeader, ProgramHeader, SectionHeader, SectionIndex, Sym, Writer};
use object::write::{Result, StringId};
use object::{Endianness, LittleEndian};

use super::PAGE_BYTES;

/// A symbol that others find.
pub struct Export<'a> {
    pub name: &'a [u8],
    pub object: usize,
    pub piece: usize,
    pub offset: u64,
    pub size: u64,
    pub is_function: bool,
}

/// Code with all that is only read, what is written to, the same again by its name, and that the stack is no code.
const SEGMENTS: u32 = 4;
/// Constants and code begin at lines of the cache.
const PIECES_ALIGNMENT: usize = 64;
/// Where pieces begin: behind the headers of the file and of its segments.
const PIECES: usize = (64 + SEGMENTS as usize * 56).next_multiple_of(PIECES_ALIGNMENT);
/// From an offset in the file to the address of what is written to: the page behind.
const WRITTEN: u64 = PAGE_BYTES as u64;

/// A shared object that is being made.
pub struct Image {
    /// All pieces, from [`PIECES`] on.
    bytes: Vec<u8>,
    /// Where the code begins.
    code: u64,
}

/// Where in the file what is.
struct Layout {
    /// Sections of constants and code, with their names.
    constants: (SectionIndex, StringId),
    code: (SectionIndex, StringId),
    hash: u64,
    symbols: u64,
    names: u64,
    /// The end of what is only read, and of the names.
    read_end: u64,
    dynamic: u64,
    dynamic_end: u64,
}

impl Image {
    pub fn new() -> Image {
        Image { bytes: Vec::new(), code: 0 }
    }

    /// Where the next piece would be.
    fn end(&self) -> u64 {
        (PIECES + self.bytes.len()) as u64
    }

    fn align(&mut self, alignment: usize) {
        let end = (PIECES + self.bytes.len()).next_multiple_of(alignment);
        self.bytes.resize(end - PIECES, 0);
    }

    /// What follows is code; constants come before.
    pub fn begin_code(&mut self) {
        self.align(PIECES_ALIGNMENT);
        self.code = self.end();
    }

    /// Adds a piece. Its address.
    pub fn add(&mut self, contents: &[u8], alignment: usize) -> u64 {
        self.align(alignment);
        let place = self.end();
        self.bytes.extend(contents);
        place
    }

    /// The byte at an address.
    pub fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at.checked_sub(PIECES)?).copied()
    }

    /// Puts `bytes` in place of what is at an address.
    pub fn set(&mut self, at: usize, bytes: &[u8]) -> Option<()> {
        let at = at.checked_sub(PIECES)?;
        self.bytes.get_mut(at..at.checked_add(bytes.len())?)?.copy_from_slice(bytes);
        Some(())
    }

    /// The whole file: `pieces` has the address of the piece of each export.
    pub fn finish(self, exports: &[Export], pieces: &[u64]) -> Option<Vec<u8>> {
        let mut file = Vec::new();
        self.write(exports, pieces, &mut file).ok()?;
        Some(file)
    }

    fn write(&self, exports: &[Export], pieces: &[u64], file: &mut Vec<u8>) -> Result<()> {
        let mut writer = Writer::new(Endianness::Little, true, file);
        let names: Vec<StringId> =
            exports.iter().map(|export| writer.add_dynamic_string(export.name)).collect();
        let symbols = 1 + exports.len() as u32;
        let layout = self.reserve(&mut writer, symbols)?;
        write_headers(&mut writer, &layout)?;
        writer.pad_until(PIECES as u64);
        writer.write(&self.bytes);
        writer.write_hash(symbols, symbols, |number| {
            Some(elf::hash(exports[(number as usize).checked_sub(1)?].name))
        });
        writer.write_null_dynamic_symbol();
        for ((export, piece), name) in exports.iter().zip(pieces).zip(names) {
            let address = piece.wrapping_add(export.offset);
            let kind = if export.is_function { elf::STT_FUNC } else { elf::STT_OBJECT };
            let section = if address < self.code { layout.constants.0 } else { layout.code.0 };
            let name = writer.dynamic_string_offset(Some(name));
            writer.write_dynamic_symbol(&Sym {
                st_name: name,
                section: Some(section.0),
                st_info: elf::SymbolInfo::new(elf::STB_GLOBAL, kind),
                st_other: elf::STV_DEFAULT.into(),
                st_shndx: elf::SHN_UNDEF,
                st_value: address,
                st_size: export.size,
            });
        }
        writer.write_dynstr();
        writer.write_align_dynamic();
        for (tag, value) in [
            (elf::DT_HASH, layout.hash),
            (elf::DT_STRTAB, layout.names),
            (elf::DT_SYMTAB, layout.symbols),
            (elf::DT_STRSZ, layout.read_end - layout.names),
            (elf::DT_SYMENT, size_of::<elf::Sym64<LittleEndian>>() as u64),
            (elf::DT_NULL, 0),
        ] {
            writer.write_dynamic(tag, value)?;
        }
        writer.write_shstrtab();
        self.write_section_headers(&mut writer, &layout);
        Ok(())
    }

    /// Room for everything, in the order of the file, for so many symbols.
    fn reserve(&self, writer: &mut Writer, symbols: u32) -> Result<Layout> {
        writer.reserve_null_dynamic_symbol_index();
        (1..symbols).for_each(|_| _ = writer.reserve_dynamic_symbol_index());
        writer.reserve_null_section_index();
        let constants = (writer.reserve_section_index(), writer.add_section_name(b".rodata"));
        let code = (writer.reserve_section_index(), writer.add_section_name(b".text"));
        writer.reserve_hash_section_index();
        writer.reserve_dynsym_section_index();
        writer.reserve_dynstr_section_index();
        writer.reserve_dynamic_section_index();
        writer.reserve_shstrtab_section_index();
        writer.reserve_file_header();
        writer.reserve_program_headers(SEGMENTS);
        writer.reserve_until(self.end());
        let layout = Layout {
            constants,
            code,
            hash: writer.reserve_hash(symbols, symbols),
            symbols: writer.reserve_dynsym(),
            names: writer.reserve_dynstr()?,
            read_end: writer.reserved_len(),
            dynamic: writer.reserve_dynamic(6),
            dynamic_end: writer.reserved_len(),
        };
        writer.reserve_shstrtab()?;
        writer.reserve_section_headers();
        Ok(layout)
    }

    fn write_section_headers(&self, writer: &mut Writer, layout: &Layout) {
        writer.write_null_section_header();
        let code_flags = elf::SHF_ALLOC | elf::SHF_EXECINSTR;
        for ((_, name), flags, begin, end) in [
            (layout.constants, elf::SHF_ALLOC, PIECES as u64, self.code),
            (layout.code, code_flags, self.code, self.end()),
        ] {
            let name = writer.section_name_offset(Some(name));
            writer.write_section_header(&SectionHeader {
                sh_name: name,
                sh_type: elf::SHT_PROGBITS,
                sh_flags: flags,
                sh_addr: begin,
                sh_offset: begin,
                sh_size: end - begin,
                sh_link: 0,
                sh_info: 0,
                sh_addralign: PIECES_ALIGNMENT as u64,
                sh_entsize: 0,
            });
        }
        writer.write_hash_section_header(layout.hash);
        writer.write_dynsym_section_header(layout.symbols, 1);
        writer.write_dynstr_section_header(layout.names);
        writer.write_dynamic_section_header(layout.dynamic + WRITTEN);
        writer.write_shstrtab_section_header();
    }
}

fn write_headers(writer: &mut Writer, layout: &Layout) -> Result<()> {
    writer.write_file_header(&FileHeader {
        os_abi: elf::ELFOSABI_NONE,
        abi_version: 0,
        e_type: elf::ET_DYN,
        e_machine: elf::EM_X86_64,
        e_entry: 0,
        e_flags: Default::default(),
    })?;
    writer.write_align_program_headers();
    let (read, written) = (elf::PF_R | elf::PF_X, elf::PF_R | elf::PF_W);
    let bytes = layout.dynamic_end - layout.dynamic;
    let dynamic = (layout.dynamic, layout.dynamic + WRITTEN, bytes);
    for (p_type, p_flags, (offset, address, bytes), p_align) in [
        (elf::PT_LOAD, read, (0, 0, layout.read_end), WRITTEN),
        (elf::PT_LOAD, written, dynamic, WRITTEN),
        (elf::PT_DYNAMIC, written, dynamic, 8),
        (elf::PT_GNU_STACK, written, (0, 0, 0), 16),
    ] {
        writer.write_program_header(&ProgramHeader {
            p_type,
            p_flags,
            p_offset: offset,
            p_vaddr: address,
            p_paddr: address,
            p_filesz: bytes,
            p_memsz: bytes,
            p_align,
        });
    }
    Ok(())
}
