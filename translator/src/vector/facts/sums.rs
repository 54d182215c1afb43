//! Addresses as sums: which of them differ by a number of bytes that is known.

use super::address::Offsets;
use crate::group::ids::Id;
use crate::llvm::{Machine, Opcode, Value};

/// How a number of fewer bits became a word of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    None,
    Signed,
    Unsigned,
}

/// A pointer and what is added to it: words times bytes, and a constant.
#[derive(Clone, Debug)]
pub struct Sum {
    pub root: Value,
    pub terms: Vec<Term>,
    pub constant: i64,
}

#[derive(Clone, Copy, Debug)]
pub struct Term {
    pub value: Value,
    pub extension: Extension,
    pub bytes: i64,
}

/// Operations that are followed from an index to what it is computed of.
const MOST_DEPTH: usize = 16;

impl Sum {
    pub fn of_address(machine: &Machine, address: Value) -> Sum {
        let mut sum = Sum { root: address, terms: Vec::new(), constant: 0 };
        while sum.root.is_instruction() && sum.root.is_opcode(Opcode::LLVMGetElementPtr) {
            let offsets = Offsets::of(machine, sum.root);
            sum.constant = sum.constant.wrapping_add(offsets.constant);
            for (index, bytes) in offsets.scaled {
                sum.add(Term::of_index(index, bytes), 0);
            }
            sum.root = sum.root.operand(0);
        }
        sum
    }

    /// Of a number that becomes a word by `extension`; its root is the number, too.
    pub fn of_number(value: Value, extension: Extension) -> Sum {
        let mut sum = Sum { root: value, terms: Vec::new(), constant: 0 };
        sum.add(Term { value, extension, bytes: 1 }, 0);
        sum
    }

    /// Whether it is another one plus a constant.
    pub fn is_beside(&self, other: &Sum) -> bool {
        let has = |sum: &Sum, term: &Term| sum.terms.iter().any(|known| known.is_same(term));
        self.terms.len() == other.terms.len()
            && is_same(self.root, other.root, 0)
            && self.terms.iter().all(|term| has(other, term))
    }

    fn add(&mut self, term: Term, depth: usize) {
        use Opcode::*;
        let Term { value, extension, bytes } = term;
        let constant = |value: Value| match extension {
            Extension::Unsigned => value.unsigned().map(|number| number as i64),
            _ => value.signed(),
        };
        if let Some(number) = constant(value) {
            self.constant = self.constant.wrapping_add(number.wrapping_mul(bytes));
            return;
        }
        let deep = depth == MOST_DEPTH || !value.is_instruction();
        let part = |index: usize| if deep { None } else { constant(value.operand(index)) };
        if deep {
            self.push(term);
            return;
        }
        if let Some(narrow) = term.extended() {
            self.add(narrow, depth + 1);
            return;
        }
        if let Some(addends) = term.addends() {
            // Counting on from what was counted before makes long chains, which lead to no more terms.
            let counts = addends.iter().any(|addend| constant(addend.value).is_some());
            let depth = if counts { depth } else { depth + 1 };
            addends.into_iter().for_each(|addend| self.add(addend, depth));
            return;
        }
        match value.opcode() {
            Some(LLVMMul | LLVMShl) if stays_in(value, extension) && part(1).is_some() => {
                let number = part(1).expect("it was asked");
                let times = match value.opcode() {
                    Some(LLVMShl) => 1i64.wrapping_shl(number as u32),
                    _ => number,
                };
                let bytes = bytes.wrapping_mul(times);
                self.add(Term { value: value.operand(0), extension, bytes }, depth + 1);
            }
            _ => self.push(term),
        }
    }

    fn push(&mut self, term: Term) {
        let same = |known: &Term| (known.value, known.extension) == (term.value, term.extension);
        match self.terms.iter().position(same) {
            Some(at) => {
                let bytes = self.terms[at].bytes.wrapping_add(term.bytes);
                self.terms[at].bytes = bytes;
                if bytes == 0 {
                    self.terms.swap_remove(at);
                }
            }
            None => self.terms.push(term),
        }
    }
}

impl Extension {
    /// LLVM's operation that makes a word of a number, if it is none yet.
    pub fn opcode(self) -> Option<Opcode> {
        match self {
            Extension::None => None,
            Extension::Signed => Some(Opcode::LLVMSExt),
            Extension::Unsigned => Some(Opcode::LLVMZExt),
        }
    }
}

impl Term {
    /// An index of a getelementptr: those of fewer bits are extended as signed numbers.
    pub fn of_index(index: Value, bytes: i64) -> Term {
        let extension = match index.ty().integer_bits() {
            64 => Extension::None,
            _ => Extension::Signed,
        };
        Term { value: index, extension, bytes }
    }

    /// What a word is extended of.
    pub fn extended(&self) -> Option<Term> {
        let extension = match self.value.opcode() {
            _ if self.extension != Extension::None => return None,
            Some(Opcode::LLVMSExt) => Extension::Signed,
            Some(Opcode::LLVMZExt) if self.value.is_nonnegative() => Extension::Signed,
            Some(Opcode::LLVMZExt) => Extension::Unsigned,
            _ => return None,
        };
        Some(Term { value: self.value.operand(0), extension, bytes: self.bytes })
    }

    /// The two whose sum it is.
    pub fn addends(&self) -> Option<[Term; 2]> {
        use Opcode::*;
        let &Term { value, extension, bytes } = self;
        let second = match value.opcode() {
            Some(LLVMAdd) if stays_in(value, extension) => bytes,
            Some(LLVMSub) if stays_in(value, extension) => bytes.wrapping_neg(),
            Some(LLVMOr) if value.is_disjoint() => bytes,
            _ => return None,
        };
        let first = Term { value: value.operand(0), extension, bytes };
        Some([first, Term { value: value.operand(1), extension, bytes: second }])
    }

    /// Whether it is a multiple of the same word.
    fn is_alike(&self, other: &Term) -> bool {
        self.extension == other.extension && is_same(self.value, other.value, 0)
    }

    fn is_same(&self, other: &Term) -> bool {
        self.bytes == other.bytes && self.is_alike(other)
    }
}

/// Whether two values are the same by what computes them: the variables of an item that it is computed of are not written in between.
fn is_same(a: Value, b: Value, depth: usize) -> bool {
    use Opcode::*;
    if a == b {
        return true;
    }
    let computed = |value: Value| value.is_instruction() && depth < MOST_DEPTH;
    if !computed(a) || !computed(b) || a.opcode() != b.opcode() || a.ty() != b.ty() {
        return false;
    }
    let operands = || {
        let pairs = a.operands().zip(b.operands());
        a.operand_count() == b.operand_count()
            && pairs.into_iter().all(|(a, b)| is_same(a, b, depth + 1))
    };
    match a.opcode() {
        Some(LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMAnd | LLVMOr | LLVMXor) => operands(),
        Some(LLVMSExt | LLVMZExt | LLVMTrunc | LLVMAddrSpaceCast) => operands(),
        Some(LLVMGetElementPtr) => a.source_type() == b.source_type() && operands(),
        Some(LLVMLoad) => a.operand(0) == b.operand(0) && a.operand(0).is_opcode(LLVMAlloca),
        Some(LLVMCall) => {
            let id = |value: Value| Id::of_call(value);
            id(a).is_some() && a.called() == b.called() && operands()
        }
        _ => false,
    }
}

/// Whether the word of a sum or a product is that of the words of its operands.
fn stays_in(value: Value, extension: Extension) -> bool {
    let (signed, unsigned) = value.no_wrap();
    match extension {
        Extension::None => true,
        Extension::Signed => signed,
        Extension::Unsigned => unsigned,
    }
}
