//! The bytes of a shared object.

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

const FILE_HEADER_BYTES: u64 = 64;
const SEGMENT_BYTES: u64 = 56;
const SECTION_BYTES: u64 = 64;
const SYMBOL_BYTES: u64 = 24;

/// Sections by their numbers, and where their names are among [`NAMES`].
const NAMES: &[u8] = b"\0.hash\0.dynsym\0.dynstr\0.rodata\0.text\0.dynamic\0.shstrtab\0";
const CONSTANTS: u16 = 4;
const CODE: u16 = 5;
const SECTIONS: u16 = 8;

/// From an offset in the file to the address of what is written to: the page behind.
const WRITTEN: u64 = PAGE_BYTES as u64;

/// A shared object that is being made.
pub struct Image {
    bytes: Vec<u8>,
    hash: (u64, u64),
    symbols: (u64, u64),
    names: (u64, u64),
    /// Where constants and code begin.
    constants: u64,
    code: u64,
}

impl Image {
    /// Everything before the pieces, but what depends on where they will be.
    pub fn new(exports: &[Export]) -> Image {
        let mut image = Image {
            bytes: vec![0; (FILE_HEADER_BYTES + SEGMENTS * SEGMENT_BYTES) as usize],
            hash: (0, 0),
            symbols: (0, 0),
            names: (0, 0),
            constants: 0,
            code: 0,
        };
        let hash = image.end();
        image.put_hash_table(exports);
        image.hash = (hash, image.end());
        image.align(8);
        let symbols = image.end();
        image.bytes.resize((symbols + (1 + exports.len() as u64) * SYMBOL_BYTES) as usize, 0);
        image.symbols = (symbols, image.end());
        let names = image.end();
        image.bytes.push(0);
        for export in exports {
            image.bytes.extend(export.name);
            image.bytes.push(0);
        }
        image.names = (names, image.end());
        image
    }

    fn end(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn align(&mut self, alignment: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(alignment), 0);
    }

    fn half(&mut self, number: u16) {
        self.bytes.extend(number.to_le_bytes());
    }

    fn word(&mut self, number: u32) {
        self.bytes.extend(number.to_le_bytes());
    }

    fn long(&mut self, number: u64) {
        self.bytes.extend(number.to_le_bytes());
    }

    /// Buckets with the number of the first symbol of each, and for each symbol the next of its bucket.
    fn put_hash_table(&mut self, exports: &[Export]) {
        let buckets = exports.len().max(1);
        let mut first = vec![0_u32; buckets];
        let mut next = vec![0_u32; 1 + exports.len()];
        for (number, export) in (1..).zip(exports) {
            let bucket = &mut first[hash(export.name) as usize % buckets];
            next[number as usize] = std::mem::replace(bucket, number);
        }
        self.word(first.len() as u32);
        self.word(next.len() as u32);
        first.into_iter().chain(next).for_each(|number| self.word(number));
    }

    pub fn begin_group(&mut self, is_code: bool) {
        self.align(PIECES_ALIGNMENT);
        *(if is_code { &mut self.code } else { &mut self.constants }) = self.end();
    }

    /// Adds a piece. Its address.
    pub fn add(&mut self, contents: &[u8], alignment: usize) -> u64 {
        self.align(alignment);
        let place = self.end();
        self.bytes.extend(contents);
        place
    }

    pub fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Puts `bytes` in place of what is there.
    pub fn set(&mut self, at: usize, bytes: &[u8]) -> Option<()> {
        self.bytes.get_mut(at..at.checked_add(bytes.len())?)?.copy_from_slice(bytes);
        Some(())
    }

    /// Everything that depends on where the pieces are: `pieces` has the address of that of each export.
    pub fn finish(mut self, exports: &[Export], pieces: &[u64]) -> Option<Vec<u8>> {
        let code_end = self.end();
        self.put_symbols(exports, pieces)?;
        self.align(8);
        let dynamic = self.end();
        let entries = [
            (4, self.hash.0),
            (5, self.names.0),
            (6, self.symbols.0),
            (10, self.names.1 - self.names.0),
            (11, SYMBOL_BYTES),
            (0, 0),
        ];
        for (tag, value) in entries {
            self.long(tag);
            self.long(value);
        }
        let dynamic = (dynamic, self.end());
        let names = self.end();
        self.bytes.extend(NAMES);
        self.align(8);
        let sections = self.end();
        self.put_sections(code_end, dynamic, names);
        let mut head = Image { bytes: Vec::new(), ..self };
        head.put_header(sections);
        head.put_segments(code_end, dynamic);
        self.bytes[..head.bytes.len()].copy_from_slice(&head.bytes);
        Some(self.bytes)
    }

    fn put_symbols(&mut self, exports: &[Export], pieces: &[u64]) -> Option<()> {
        const GLOBAL: u8 = 1 << 4;
        let mut name = 1_u32;
        let mut at = self.symbols.0 + SYMBOL_BYTES;
        for (export, piece) in exports.iter().zip(pieces) {
            let address = piece.checked_add(export.offset)?;
            let section = if address < self.code { CONSTANTS } else { CODE };
            let mut entry = Vec::with_capacity(SYMBOL_BYTES as usize);
            entry.extend(name.to_le_bytes());
            entry.extend([GLOBAL | if export.is_function { 2 } else { 1 }, 0]);
            entry.extend(section.to_le_bytes());
            entry.extend(address.to_le_bytes());
            entry.extend(export.size.to_le_bytes());
            self.set(at as usize, &entry)?;
            name += export.name.len() as u32 + 1;
            at += SYMBOL_BYTES;
        }
        Some(())
    }

    fn put_header(&mut self, sections: u64) {
        self.bytes.extend(*b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
        self.half(3); // A shared object,
        self.half(62); // for x86-64.
        self.word(1);
        self.long(0);
        self.long(FILE_HEADER_BYTES);
        self.long(sections);
        self.word(0);
        let sizes = [FILE_HEADER_BYTES, SEGMENT_BYTES, SEGMENTS, SECTION_BYTES];
        sizes.into_iter().for_each(|size| self.half(size as u16));
        self.half(SECTIONS);
        self.half(SECTIONS - 1);
    }

    /// Code with all that is only read, what is written to, the same again by its name, and that the stack is no code.
    fn put_segments(&mut self, code_end: u64, dynamic: (u64, u64)) {
        const READ: u32 = 4;
        const WRITE: u32 = 2;
        const EXECUTE: u32 = 1;
        let (place, size) = (dynamic.0, dynamic.1 - dynamic.0);
        let (written, page) = (place + WRITTEN, PAGE_BYTES as u64);
        let segments = [
            (1, READ | EXECUTE, 0, 0, code_end, page),
            (1, READ | WRITE, place, written, size, page),
            (2, READ | WRITE, place, written, size, 8),
            (0x6474_e551, READ | WRITE, 0, 0, 0, 16),
        ];
        for (kind, flags, place, address, size, alignment) in segments {
            self.word(kind);
            self.word(flags);
            for number in [place, address, address, size, size, alignment] {
                self.long(number);
            }
        }
    }

    fn put_sections(&mut self, code_end: u64, dynamic: (u64, u64), names: u64) {
        const ALLOC: u64 = 2;
        let (constants, code) = (self.constants, self.code);
        let written = (dynamic.0 + WRITTEN, dynamic);
        let plain = |range: (u64, u64)| (range.0, range);
        // Name, type, flags, address and extent, linked section, what it says besides, alignment, size of an entry.
        let sections = [
            (0, 0, 0, plain((0, 0)), 0, 0, 0, 0),
            (1, 5, ALLOC, plain(self.hash), 2, 0, 4, 4),
            (7, 11, ALLOC, plain(self.symbols), 3, 1, 8, SYMBOL_BYTES),
            (15, 3, ALLOC, plain(self.names), 0, 0, 1, 0),
            (23, 1, ALLOC, plain((constants, code)), 0, 0, PIECES_ALIGNMENT as u64, 0),
            (31, 1, ALLOC | 4, plain((code, code_end)), 0, 0, PIECES_ALIGNMENT as u64, 0),
            (37, 6, ALLOC | 1, written, 3, 0, 8, 16),
            (46, 3, 0, (0, (names, names + NAMES.len() as u64)), 0, 0, 1, 0),
        ];
        for (name, kind, flags, (address, (begin, end)), link, info, alignment, entry) in sections {
            self.word(name);
            self.word(kind);
            for number in [flags, address, begin, end - begin] {
                self.long(number);
            }
            self.word(link);
            self.word(info);
            self.long(alignment);
            self.long(entry);
        }
    }
}

/// How many segments there are.
const SEGMENTS: u64 = 4;
/// Constants and code begin at lines of the cache.
const PIECES_ALIGNMENT: usize = 64;

/// ELF's hash of a name.
fn hash(name: &[u8]) -> u32 {
    name.iter().fold(0_u32, |hash, &byte| {
        let hash = (hash << 4).wrapping_add(u32::from(byte));
        let high = hash & 0xf000_0000;
        (hash ^ (high >> 24)) & !high
    })
}
