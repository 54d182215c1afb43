//! What comparisons of integers say with their operands the other way round, and when they do not hold.

use super::IntPredicate;
use super::IntPredicate::*;

/// What holds with the operands the other way round.
pub fn turned(predicate: IntPredicate) -> IntPredicate {
    match predicate {
        LLVMIntSGT => LLVMIntSLT,
        LLVMIntSGE => LLVMIntSLE,
        LLVMIntUGT => LLVMIntULT,
        LLVMIntUGE => LLVMIntULE,
        LLVMIntSLT => LLVMIntSGT,
        LLVMIntSLE => LLVMIntSGE,
        LLVMIntULT => LLVMIntUGT,
        LLVMIntULE => LLVMIntUGE,
        LLVMIntEQ | LLVMIntNE => predicate,
    }
}

/// What holds where it does not.
pub fn opposite(predicate: IntPredicate) -> IntPredicate {
    match predicate {
        LLVMIntSGT => LLVMIntSLE,
        LLVMIntSGE => LLVMIntSLT,
        LLVMIntUGT => LLVMIntULE,
        LLVMIntUGE => LLVMIntULT,
        LLVMIntSLT => LLVMIntSGE,
        LLVMIntSLE => LLVMIntSGT,
        LLVMIntULT => LLVMIntUGE,
        LLVMIntULE => LLVMIntUGT,
        LLVMIntEQ => LLVMIntNE,
        LLVMIntNE => LLVMIntEQ,
    }
}

/// Whether it is of the order of signed numbers.
pub fn is_signed(predicate: IntPredicate) -> bool {
    matches!(predicate, LLVMIntSGT | LLVMIntSGE | LLVMIntSLT | LLVMIntSLE)
}
