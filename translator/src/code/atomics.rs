//! Atomic operations as what they have to be: those on `__local` memory are a load and a store, for one thread runs a
//! work-group, and those that mostly change nothing look first.
//!
//! Until loops over items have become vectors they stay atomic operations, which no pass moves or takes for independent of
//! what other items do: [`make_plain`] comes after LLVM's optimizations, and vector code ([`crate::vector`]) has its own
//! order of lanes.
//!
//! Terms: an operation *looks first* if it loads what is there, and asks for the line of memory alone only where it would
//! change that: a smaller number, bits that are set already, a key of a table that somebody else has put there. A relaxed
//! operation that changes nothing is a load.

use crate::llvm::{
    AtomicOperation, Builder, Context, Function, IntPredicate, Module, Opcode, Value,
};

/// The address space of `__local` memory.
const LOCAL: u32 = 3;

/// Whether an instruction is an atomic operation, on anything.
pub fn is_one(value: Value) -> bool {
    matches!(value.opcode(), Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg))
}

/// Whether other items may see what an access does, or change what it sees, in an order that counts.
pub fn is_ordered(access: Value) -> bool {
    access.is_atomic() || access.is_volatile() || is_one(access)
}

/// Whether it is a volatile access to the memory of a group, which one item does behind the other.
pub fn keeps_items_in_turn(access: Value) -> bool {
    let is_local = |address: Value| address.ty().address_space() == LOCAL;
    access.is_volatile() && access.address().is_some_and(is_local)
}

/// Whether only the items of one group, and so one thread, come to what an atomic operation changes.
pub fn is_local(operation: Value) -> bool {
    is_one(operation)
        && operation.operand(0).ty().address_space() == LOCAL
        && becomes(operation).is_some()
}

/// Whether an operation locks memory, whatever is there.
pub fn locks(operation: Value) -> bool {
    is_one(operation) && !is_local(operation) && !looks_first(operation)
}

/// What an operation leaves of two numbers.
enum Becomes {
    /// The second one.
    New,
    Operation(Opcode),
    Intrinsic(&'static str),
    /// The third number, if what is there is the second.
    Exchanged,
}

fn becomes(operation: Value) -> Option<Becomes> {
    use AtomicOperation::*;
    let Some(known) = operation.atomic_operation() else { return Some(Becomes::Exchanged) };
    Some(match known {
        LLVMAtomicRMWBinOpXchg => Becomes::New,
        LLVMAtomicRMWBinOpAdd => Becomes::Operation(Opcode::LLVMAdd),
        LLVMAtomicRMWBinOpSub => Becomes::Operation(Opcode::LLVMSub),
        LLVMAtomicRMWBinOpAnd => Becomes::Operation(Opcode::LLVMAnd),
        LLVMAtomicRMWBinOpOr => Becomes::Operation(Opcode::LLVMOr),
        LLVMAtomicRMWBinOpXor => Becomes::Operation(Opcode::LLVMXor),
        LLVMAtomicRMWBinOpMax => Becomes::Intrinsic("llvm.smax"),
        LLVMAtomicRMWBinOpMin => Becomes::Intrinsic("llvm.smin"),
        LLVMAtomicRMWBinOpUMax => Becomes::Intrinsic("llvm.umax"),
        LLVMAtomicRMWBinOpUMin => Becomes::Intrinsic("llvm.umin"),
        LLVMAtomicRMWBinOpFAdd => Becomes::Operation(Opcode::LLVMFAdd),
        LLVMAtomicRMWBinOpFSub => Becomes::Operation(Opcode::LLVMFSub),
        LLVMAtomicRMWBinOpFMax => Becomes::Intrinsic("llvm.maxnum"),
        LLVMAtomicRMWBinOpFMin => Becomes::Intrinsic("llvm.minnum"),
        _ => return None,
    })
}

/// Does what `operation` does with these operands by a load and a store, and gives what it gives.
pub fn plainly(builder: &Builder, operation: Value, operands: &[Value]) -> Value {
    let (at, number) = (operands[0], operands[1]);
    let old = builder.load(number.ty(), at);
    let (new, result) = match becomes(operation).expect("an operation of OpenCL") {
        Becomes::New => (number, old),
        Becomes::Operation(opcode) => (builder.binary(opcode, old, number), old),
        Becomes::Intrinsic(name) => (builder.intrinsic(name, &[old.ty()], &[old, number]), old),
        Becomes::Exchanged => {
            let same = builder.compare(IntPredicate::LLVMIntEQ, old, number);
            let new = builder.select(same, operands[2], old);
            (new, builder.aggregate(operation.ty(), &[old, same]))
        }
    };
    builder.store(new, at);
    result
}

/// What becomes of an operation that one item does after another, in words; none if it stays what it is.
pub fn told(operation: Value) -> Option<&'static str> {
    match is_one(operation) {
        true if is_local(operation) => Some("a load and a store, since one thread runs a group"),
        true if looks_first(operation) => {
            Some("a load, and itself only where it changes something")
        }
        _ => None,
    }
}

/// Makes loads and stores of all operations on `__local` memory.
pub fn make_plain(module: &Module) {
    let functions = module.functions().into_iter().filter(|function| function.has_body());
    let blocks = functions.flat_map(Function::blocks);
    let all: Vec<Value> = blocks.flat_map(|block| block.instructions()).collect();
    for operation in all.into_iter().filter(|&value| is_local(value)) {
        let builder = Builder::before(module.context(), operation);
        let operands: Vec<Value> = operation.operands().collect();
        let result = plainly(&builder, operation, &operands);
        operation.replace_uses(result);
        operation.erase();
    }
}

/// Whether an operation changes so little that it should look first.
pub fn looks_first(operation: Value) -> bool {
    use AtomicOperation::*;
    let rarely = match operation.atomic_operation() {
        None => operation.is_opcode(Opcode::LLVMAtomicCmpXchg),
        Some(known) => {
            matches!(
                known,
                LLVMAtomicRMWBinOpMax
                    | LLVMAtomicRMWBinOpMin
                    | LLVMAtomicRMWBinOpUMax
                    | LLVMAtomicRMWBinOpUMin
                    | LLVMAtomicRMWBinOpAnd
                    | LLVMAtomicRMWBinOpOr
            ) || reads_alone(known, operation)
        }
    };
    rarely && (operation.is_relaxed() || is_local(operation))
}

/// Whether an operation adds nothing: how programs of OpenCL 1.x load atomically.
fn reads_alone(known: AtomicOperation, operation: Value) -> bool {
    use AtomicOperation::{LLVMAtomicRMWBinOpAdd, LLVMAtomicRMWBinOpSub, LLVMAtomicRMWBinOpXor};
    let adds =
        matches!(known, LLVMAtomicRMWBinOpAdd | LLVMAtomicRMWBinOpSub | LLVMAtomicRMWBinOpXor);
    adds && operation.operand(1).is_null()
}

/// Whether an operation that looks first would change what it has found: numbers, or vectors of them.
pub fn would_change(builder: &Builder, operation: Value, found: Value, number: Value) -> Value {
    use IntPredicate::{LLVMIntEQ, LLVMIntNE};
    match becomes(operation).expect("an operation of OpenCL") {
        Becomes::Exchanged => builder.compare(LLVMIntEQ, found, number),
        Becomes::Operation(opcode) => {
            builder.compare(LLVMIntNE, builder.binary(opcode, found, number), found)
        }
        Becomes::Intrinsic(name) => {
            let best = builder.intrinsic(name, &[found.ty()], &[found, number]);
            builder.compare(LLVMIntNE, best, found)
        }
        Becomes::New => unreachable!("it does not look first"),
    }
}

/// What an operation gives that has changed nothing.
pub fn unchanged(builder: &Builder, operation: Value, found: Value) -> Value {
    match operation.atomic_operation() {
        Some(_) => found,
        None => {
            let not = builder.context().integer(1).constant(0);
            builder.aggregate(operation.ty(), &[found, not])
        }
    }
}

/// Lets the operations of a function look first, of those that do: not on `__local` memory, which nobody else has.
pub fn look_first(context: Context, function: Function) {
    let all: Vec<Value> = function.instructions().collect();
    let others = all.into_iter().filter(|&value| looks_first(value) && !is_local(value));
    for operation in others {
        let builder = Builder::before(context, operation);
        let (at, number) = (operation.operand(0), operation.operand(1));
        let found = builder.load(number.ty(), at);
        found.make_relaxed();
        let changes = would_change(&builder, operation, found, number);
        let otherwise = unchanged(&builder, operation, found);
        let home = operation.parent().expect("in a block");
        let (before, inside) = home.only_if(context, operation, changes, true);
        let there = inside.block();
        operation.unlink();
        inside.insert(operation);
        if operation.is_used() {
            let first = home.first().expect("a block has a terminator");
            let result = Builder::before(context, first).phi(operation.ty());
            operation.replace_uses(result);
            result.add_incoming(operation, there);
            result.add_incoming(otherwise, before);
        }
    }
}
