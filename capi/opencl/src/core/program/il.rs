//! Programs in an intermediate language: SPIR-V, as words, and the constants in it that programs may specialize.
//!
//! It is another program that reads it, `llvm-spirv` of LLVM: without one there is no intermediate language. What it does not know
//! is written as what it knows ([`readable`]).
//!
//! Source: SPIR-V specification, sections 2.3 (physical layout), 3.20 (`SpecId`), 3.42 (instructions).

mod readable;

use crate::core::version;
use crate::error::{Error, Result, ensure};
use opencl_sys::*;
use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard};
use vicinity_alloc::os::process::is_secure_mode;

/// The versions that the oldest of the readers knows whole. What it knows of later ones, it reads, too.
pub const VERSIONS: [cl_version; 4] = [
    version::version(1, 0, 0),
    version::version(1, 1, 0),
    version::version(1, 2, 0),
    version::version(1, 3, 0),
];

/// Names of readers. Newer ones write bitcode that LLVM 19 does not read.
const READERS: [&str; 6] = [
    "llvm-spirv-19",
    "llvm-spirv-18",
    "llvm-spirv-17",
    "llvm-spirv-16",
    "llvm-spirv-15",
    "llvm-spirv-14",
];

/// The program that reads SPIR-V: what `VICINITY_SPIRV` names, or one in `PATH`. None in programs with more rights than their user.
pub fn reader() -> Option<&'static Path> {
    static READER: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
        if is_secure_mode() {
            return None;
        }
        let named = env::var_os("VICINITY_SPIRV");
        if let Some(named) = named.filter(|named| !named.is_empty()) {
            return Some(PathBuf::from(named)).filter(|path| path.is_file());
        }
        READERS.iter().find_map(|name| super::translator::in_path(name.as_ref()))
    });
    READER.as_deref()
}

const MAGIC: u32 = 0x0723_0203;
const HEADER_WORDS: usize = 5;
const WORD_BYTES: usize = size_of::<u32>();

const OP_TYPE_BOOL: u32 = 20;
const OP_TYPE_INT: u32 = 21;
const OP_TYPE_FLOAT: u32 = 22;
const OP_SPEC_CONSTANT_TRUE: u32 = 48;
const OP_SPEC_CONSTANT_FALSE: u32 = 49;
const OP_SPEC_CONSTANT: u32 = 50;
const OP_DECORATE: u32 = 71;
const SPEC_ID: u32 = 1;

pub struct Il {
    /// As the program passed it.
    bytes: Vec<u8>,
    /// What the reader gets, but for the constants that the program sets.
    words: Vec<u32>,
    /// By the program's numbers.
    constants: BTreeMap<u32, Constant>,
    /// What the program set.
    values: Mutex<BTreeMap<u32, Vec<u8>>>,
}

struct Constant {
    /// Of its instruction.
    at: usize,
    size_bytes: usize,
    is_truth: bool,
    is_signed: bool,
}

impl Il {
    /// `CL_INVALID_VALUE`: this is no SPIR-V.
    pub fn new(bytes: &[u8]) -> Result<Il> {
        let (chunks, rest) = bytes.as_chunks::<WORD_BYTES>();
        ensure(rest.is_empty() && chunks.len() >= HEADER_WORDS, CL_INVALID_VALUE)?;
        let mut words: Vec<u32> = chunks.iter().map(|&chunk| u32::from_le_bytes(chunk)).collect();
        if words[0] == MAGIC.swap_bytes() {
            words.iter_mut().for_each(|word| *word = word.swap_bytes());
        }
        let major = words[1] >> 16;
        ensure(words[0] == MAGIC && major == 1, CL_INVALID_VALUE)?;
        let words = readable::readable(&words).ok_or(Error(CL_INVALID_VALUE))?;
        let constants = constants(&words).ok_or(Error(CL_INVALID_VALUE))?;
        Ok(Il { bytes: bytes.to_vec(), words, constants, values: Mutex::default() })
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Sets the constant of that number for the builds to come.
    pub fn specialize(&self, id: u32, value: &[u8]) -> Result {
        let constant = self.constants.get(&id).ok_or(Error(CL_INVALID_SPEC_ID))?;
        ensure(value.len() == constant.size_bytes, CL_INVALID_VALUE)?;
        self.values().insert(id, value.to_vec());
        Ok(())
    }

    /// The bytes of the module with the constants that were set.
    pub fn specialized(&self) -> Vec<u8> {
        let mut words = self.words.clone();
        for (id, value) in self.values().iter() {
            self.constants[id].put(&mut words, value);
        }
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn values(&self) -> MutexGuard<'_, BTreeMap<u32, Vec<u8>>> {
        self.values.lock().unwrap_or_else(|held| held.into_inner())
    }
}

impl Constant {
    /// Numbers of fewer bits than a word are extended to one.
    fn put(&self, words: &mut [u32], value: &[u8]) {
        if self.is_truth {
            let is_true = value.iter().any(|&byte| byte != 0);
            let opcode = if is_true { OP_SPEC_CONSTANT_TRUE } else { OP_SPEC_CONSTANT_FALSE };
            words[self.at] = words[self.at] & !0xffff | opcode;
            return;
        }
        let is_negative = self.is_signed && value.last().is_some_and(|byte| byte & 0x80 != 0);
        let fill = if is_negative { 0xff } else { 0 };
        for (index, chunk) in value.chunks(WORD_BYTES).enumerate() {
            let mut word = [fill; WORD_BYTES];
            word[..chunk.len()].copy_from_slice(chunk);
            words[self.at + 3 + index] = u32::from_le_bytes(word);
        }
    }
}

/// The instructions: where each begins, and its words; `None` for one of no words or beyond the end.
fn instructions(words: &[u32]) -> impl Iterator<Item = Option<(usize, &[u32])>> {
    let mut at = HEADER_WORDS;
    std::iter::from_fn(move || {
        let begin = at;
        let count = (*words.get(begin)? >> 16) as usize;
        let instruction = words.get(begin..begin + count).filter(|_| count > 0);
        at = if instruction.is_some() { begin + count } else { words.len() };
        Some(instruction.map(|instruction| (begin, instruction)))
    })
}

/// The constants that have a number; `None` if these are not instructions.
fn constants(words: &[u32]) -> Option<BTreeMap<u32, Constant>> {
    let (mut numbers, mut types) = (BTreeMap::new(), BTreeMap::new());
    let mut found = BTreeMap::new();
    for instruction in instructions(words) {
        let (at, instruction) = instruction?;
        match (instruction[0] & 0xffff, &instruction[1..]) {
            (OP_DECORATE, &[target, SPEC_ID, number]) => _ = numbers.insert(target, number),
            (OP_TYPE_BOOL, &[id]) => _ = types.insert(id, (1, true, false)),
            (OP_TYPE_INT, &[id, bits, signed]) => {
                _ = types.insert(id, (bits as usize / 8, false, signed != 0));
            }
            (OP_TYPE_FLOAT, &[id, bits, ..]) => {
                _ = types.insert(id, (bits as usize / 8, false, false));
            }
            (OP_SPEC_CONSTANT_TRUE | OP_SPEC_CONSTANT_FALSE, &[ty, id])
            | (OP_SPEC_CONSTANT, &[ty, id, ..]) => {
                let Some(number) = numbers.get(&id) else { continue };
                let &(size_bytes, is_truth, is_signed) = types.get(&ty)?;
                let has_room = instruction.len() >= 3 + size_bytes.div_ceil(WORD_BYTES);
                (is_truth || has_room).then_some(())?;
                found.insert(*number, Constant { at, size_bytes, is_truth, is_signed });
            }
            _ => {}
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Constants of a truth (7), a signed short (8) and a double (9).
    fn module() -> Vec<u8> {
        let mut words = vec![MAGIC, 0x0001_0200, 0, 20, 0];
        let mut add = |opcode: u32, operands: &[u32]| {
            words.push((operands.len() as u32 + 1) << 16 | opcode);
            words.extend(operands);
        };
        add(OP_DECORATE, &[11, SPEC_ID, 7]);
        add(OP_DECORATE, &[12, SPEC_ID, 8]);
        add(OP_DECORATE, &[13, SPEC_ID, 9]);
        add(OP_TYPE_BOOL, &[1]);
        add(OP_TYPE_INT, &[2, 16, 1]);
        add(OP_TYPE_FLOAT, &[3, 64]);
        add(OP_SPEC_CONSTANT_TRUE, &[1, 11]);
        add(OP_SPEC_CONSTANT, &[2, 12, 5]);
        add(OP_SPEC_CONSTANT, &[3, 13, 0, 0]);
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn constants_are_set_by_their_numbers() {
        let bytes = module();
        let il = Il::new(&bytes).unwrap();
        assert_eq!(il.specialized(), bytes);
        assert_eq!(il.specialize(6, &[0]), Err(Error(CL_INVALID_SPEC_ID)));
        assert_eq!(il.specialize(8, &[0; 4]), Err(Error(CL_INVALID_VALUE)));
        il.specialize(7, &[0]).unwrap();
        il.specialize(8, &(-3_i16).to_le_bytes()).unwrap();
        il.specialize(9, &1.5_f64.to_le_bytes()).unwrap();
        assert_eq!(il.bytes(), bytes);
        let (chunks, _) = bytes.as_chunks::<4>();
        let before: Vec<u32> = chunks.iter().map(|&it| u32::from_le_bytes(it)).collect();
        let after = il.specialized();
        let (chunks, _) = after.as_chunks::<4>();
        let after: Vec<u32> = chunks.iter().map(|&it| u32::from_le_bytes(it)).collect();
        let changed: Vec<(u32, u32)> =
            before.into_iter().zip(after).filter(|(old, new)| old != new).collect();
        let word = 3 << 16;
        let truth = (word | OP_SPEC_CONSTANT_TRUE, word | OP_SPEC_CONSTANT_FALSE);
        assert_eq!(changed, [truth, (5, 0xffff_fffd), (0, 0x3ff8_0000)]);
    }

    #[test]
    fn what_is_no_module_is_refused() {
        let bytes = module();
        let is_one = |bytes: &[u8]| Il::new(bytes).is_ok();
        let swapped: Vec<u8> =
            bytes.chunks(4).flat_map(|word| word.iter().rev().copied()).collect();
        assert!(is_one(&bytes) && is_one(&swapped));
        assert_eq!(Il::new(&swapped).unwrap().specialized(), bytes);
        for cut in 0..bytes.len() {
            // Between instructions it may end.
            assert!(cut % 4 == 0 && cut >= 20 || !is_one(&bytes[..cut]), "{cut}");
        }
        for (at, byte) in [(0, 0), (6, 2), (20, 0), (22, 0), (23, 0xff)] {
            let mut damaged = bytes.clone();
            damaged[at] = byte;
            assert!(!is_one(&damaged) || at == 20, "{at}");
        }
    }
}
