//! What an instruction does, reduced to what analyses tell apart.
//!
//! Operands stand in the instruction, in LLVM's order unless an operation says otherwise here.

use super::{BlockId, ValueId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub op: Op,
    pub operands: Vec<ValueId>,
    pub block: BlockId,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Binary(BinaryOp, NoWrap),
    Compare(Predicate),
    /// Condition, value if true, value if false.
    Select,
    /// One operand for each of these blocks.
    Phi(Vec<BlockId>),
    Cast(Cast),
    /// Base, then indices: base + constant + sum of index x scale. `inbounds`: the program promises that it stays inside an
    /// object, or points to its end.
    Address {
        constant: i64,
        scales: Vec<i64>,
        inbounds: bool,
    },
    /// Pointer.
    Load(MemoryKind),
    /// Value, pointer.
    Store(MemoryKind),
    /// Pointer, then values; yields what was there before.
    Atomic,
    /// A variable of the work-item.
    Alloca,
    Call(Callee),
    /// One of its two operands: minimum and maximum of integers.
    Extremum,
    /// A result that depends on the operands alone: floating point, vectors, intrinsics without memory.
    Pure,
    /// Condition if there are two successors, none otherwise.
    Branch,
    /// Value, then the constants of the cases.
    Switch,
    Return,
    Unreachable,
    /// No effect and no result: lifetimes, assumptions, debug records.
    Marker,
    /// Anything else; nothing is known of its result.
    Other,
}

impl Op {
    pub const fn is_terminator(&self) -> bool {
        matches!(self, Op::Branch | Op::Switch | Op::Return | Op::Unreachable)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

/// What the program promises of a result: `disjoint` is of an `or` whose operands share no bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NoWrap {
    pub signed: bool,
    pub unsigned: bool,
    pub disjoint: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Predicate {
    Equal,
    NotEqual,
    SignedLess,
    SignedLessEqual,
    SignedGreater,
    SignedGreaterEqual,
    UnsignedLess,
    UnsignedLessEqual,
    UnsignedGreater,
    UnsignedGreaterEqual,
}

impl Predicate {
    pub const fn opposite(self) -> Predicate {
        use Predicate::*;
        match self {
            Equal => NotEqual,
            NotEqual => Equal,
            SignedLess => SignedGreaterEqual,
            SignedLessEqual => SignedGreater,
            SignedGreater => SignedLessEqual,
            SignedGreaterEqual => SignedLess,
            UnsignedLess => UnsignedGreaterEqual,
            UnsignedLessEqual => UnsignedGreater,
            UnsignedGreater => UnsignedLessEqual,
            UnsignedGreaterEqual => UnsignedLess,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cast {
    /// `signed`, `unsigned`: such a number does not change.
    Truncate {
        signed: bool,
        unsigned: bool,
    },
    ZeroExtend {
        nonnegative: bool,
    },
    SignExtend,
    /// Same bits, other type: pointers and integers of one width, address spaces, freeze.
    Same,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    Plain,
    /// Volatile or atomic: two items may see different values at one address.
    Shared,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    WorkItem(WorkItem),
    /// A barrier of the whole work-group.
    Barrier,
    /// A function of the whole work-group whose result all items share.
    Collective,
    /// A question to all items that this program made: [`crate::front::library::ALL`], [`crate::front::library::VOTE`].
    Question,
    /// An item returns for good: [`crate::kernel::depart`].
    Departure,
    /// Unknown effects.
    Unknown,
}

/// Questions an item asks about its place; those with a dimension have it as their operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkItem {
    GlobalId,
    LocalId,
    GroupId,
    GlobalOffset,
    /// Items of this group: fewer than are enqueued where the range ends inside it.
    LocalSize,
    EnqueuedLocalSize,
    GlobalSize,
    GroupCount,
    Dimensions,
    GlobalLinearId,
    LocalLinearId,
    /// Anything about sub-groups.
    SubGroup,
}

impl Callee {
    /// What a function of this (mangled) name does for a whole group, if it is one of OpenCL C's.
    pub fn of_name(name: &str) -> Option<Callee> {
        if name == crate::front::library::ALL || name == crate::front::library::VOTE {
            return Some(Callee::Question);
        }
        if name == crate::kernel::depart::DEPART {
            return Some(Callee::Departure);
        }
        let bare = unmangled(name)?;
        let item = match bare {
            "get_global_id" => WorkItem::GlobalId,
            "get_local_id" => WorkItem::LocalId,
            "get_group_id" => WorkItem::GroupId,
            "get_global_offset" => WorkItem::GlobalOffset,
            "get_local_size" => WorkItem::LocalSize,
            "get_enqueued_local_size" => WorkItem::EnqueuedLocalSize,
            "get_global_size" => WorkItem::GlobalSize,
            "get_num_groups" => WorkItem::GroupCount,
            "get_work_dim" => WorkItem::Dimensions,
            "get_global_linear_id" => WorkItem::GlobalLinearId,
            "get_local_linear_id" => WorkItem::LocalLinearId,
            "barrier" | "work_group_barrier" => return Some(Callee::Barrier),
            "work_group_all" | "work_group_any" | "work_group_broadcast" => {
                return Some(Callee::Collective);
            }
            _ if bare.starts_with("work_group_reduce_") => return Some(Callee::Collective),
            _ if bare.contains("sub_group") => WorkItem::SubGroup,
            _ => return None,
        };
        Some(Callee::WorkItem(item))
    }
}

/// The name inside `_Z<length><name><parameters>`.
fn unmangled(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("_Z")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = rest[..digits].parse().ok()?;
    rest[digits..].get(..length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_a_group_are_known_by_their_mangled_names() {
        let item = |item| Some(Callee::WorkItem(item));
        assert_eq!(Callee::of_name("_Z13get_global_idj"), item(WorkItem::GlobalId));
        assert_eq!(Callee::of_name("_Z18work_group_barrierj12memory_scope"), Some(Callee::Barrier));
        assert_eq!(Callee::of_name("_Z21work_group_reduce_addi"), Some(Callee::Collective));
        assert_eq!(Callee::of_name("_Z3sinf"), None);
        assert_eq!(Callee::of_name("_Z99barrierj"), None);
        assert_eq!(Callee::of_name("barrier"), None);
    }
}
