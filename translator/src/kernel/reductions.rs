//! Reductions: numbers in memory to which items only add, say, and that nobody reads meanwhile.
//!
//! `atomic_inc(&bins[value])` asks for a line of memory that all threads want. But the order of such operations cannot be seen, nor
//! can anything of them before the kernel has ended. So a kernel whose operations on an argument's memory are all of one
//! kind, and whose results nobody uses, has a version in which a thread reduces into a copy of its own: the launch gives
//! each block of work-groups a copy that begins with what changes nothing, and takes it into the memory when the block is done. Since one
//! thread alone has the copy, its operations are loads and stores, like those on `__local` memory ([`crate::code::atomics`]): it is
//! memory of that address space.
//!
//! Source: reduction by privatization, as in OpenMP 5.2, section 5.5.8; docs/kernel-abi.md, `reductions`.

use serde::{Deserialize, Serialize};

use crate::group::launch::{self, layout};
use crate::kernel::versions::Versions;
use crate::llvm::{
    AtomicOperation, Builder, Context, Function, IntPredicate, Machine, Module, Opcode, Value,
};
use crate::report::describe::ArgumentText;

/// The address spaces of `__global` and of `__local` memory.
const GLOBAL: u32 = 1;
const LOCAL: u32 = 3;

/// What is done with the numbers in an argument's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reduction {
    /// The argument's number.
    pub argument: u32,
    pub operation: Operation,
    /// Of one number.
    pub bytes: u32,
}

/// How two numbers become one; `Min` and `Max` of signed ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    Add,
    And,
    Or,
    Xor,
    Min,
    Max,
    UnsignedMin,
    UnsignedMax,
}

impl Operation {
    fn of(operation: AtomicOperation) -> Option<Operation> {
        use AtomicOperation::*;
        Some(match operation {
            // What is subtracted from nothing is added afterwards.
            LLVMAtomicRMWBinOpAdd | LLVMAtomicRMWBinOpSub => Operation::Add,
            LLVMAtomicRMWBinOpAnd => Operation::And,
            LLVMAtomicRMWBinOpOr => Operation::Or,
            LLVMAtomicRMWBinOpXor => Operation::Xor,
            LLVMAtomicRMWBinOpMin => Operation::Min,
            LLVMAtomicRMWBinOpMax => Operation::Max,
            LLVMAtomicRMWBinOpUMin => Operation::UnsignedMin,
            LLVMAtomicRMWBinOpUMax => Operation::UnsignedMax,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Operation::Add => "add",
            Operation::And => "and",
            Operation::Or => "or",
            Operation::Xor => "xor",
            Operation::Min | Operation::UnsignedMin => "min",
            Operation::Max | Operation::UnsignedMax => "max",
        }
    }
}

/// Those of a kernel whose functions are inlined: arguments to whose memory nothing else happens.
pub fn find(kernel: Function, arguments: &[ArgumentText]) -> Vec<Reduction> {
    if kernel.instructions().any(may_reach_anything) {
        return Vec::new();
    }
    let parameters = kernel.parameters().into_iter().zip(arguments).zip(0..);
    let globals = parameters.filter(|((it, _), _)| {
        it.ty().is_pointer() && it.ty().address_space() == GLOBAL && it.is_used()
    });
    let reduction = |((parameter, text), argument): ((Value, &ArgumentText), u32)| {
        let (operation, bytes) = the_one(parameter)?;
        // An image's pixels have bounds of their own.
        text.opaque.is_none().then_some(Reduction { argument, operation, bytes })
    };
    globals.filter_map(reduction).collect()
}

/// Whether an instruction may lead to memory that no argument is known to lead to, or calls what may.
fn may_reach_anything(instruction: Value) -> bool {
    match instruction.opcode() {
        Some(Opcode::LLVMIntToPtr) => true,
        Some(Opcode::LLVMCall) => instruction.called().is_none_or(Function::has_body),
        Some(Opcode::LLVMLoad) => {
            let ty = instruction.ty();
            ty.element().unwrap_or(ty).is_pointer()
        }
        _ => false,
    }
}

/// The one operation that all that is done with an address comes to, and the bytes of its numbers.
fn the_one(address: Value) -> Option<(Operation, u32)> {
    let mut one = None;
    let mut addresses = vec![address];
    while let Some(address) = addresses.pop() {
        for user in address.users() {
            let done = match user.opcode()? {
                Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast => {
                    let is_base = user.operand(0) == address && user.ty().is_pointer();
                    addresses.push(is_base.then_some(user)?);
                    continue;
                }
                Opcode::LLVMICmp if user.operands().any(Value::is_null) => continue,
                Opcode::LLVMAtomicRMW if !user.is_used() && user.operand(1) != address => {
                    let bits = user.operand(1).ty();
                    let bits = if bits.is_integer() { bits.integer_bits() } else { 0 };
                    let is_one = matches!(bits, 32 | 64);
                    is_one.then_some((Operation::of(user.atomic_operation()?)?, bits / 8))?
                }
                _ => return None,
            };
            if *one.get_or_insert(done) != done {
                return None;
            }
        }
    }
    one
}

/// Lets operations be on memory that one thread alone has.
pub fn privatize(context: Context, kernel: Function, reductions: &[Reduction]) {
    for reduction in reductions {
        let shared = kernel.parameters()[reduction.argument as usize];
        let builder = Builder::at_start(context, kernel);
        let own = builder.address_space_cast(shared, context.pointer(LOCAL));
        redirect(context, shared, own);
    }
}

/// Lets `own` take the place of an address, but in comparisons.
fn redirect(context: Context, address: Value, own: Value) {
    for user in address.users().into_iter().filter(|&user| user != own) {
        let own = match user.opcode() {
            Some(Opcode::LLVMGetElementPtr) => {
                let builder = Builder::before(context, user);
                builder.set_debug_location(user.debug_location());
                let (ty, indices) = (user.source_type(), user.operands().skip(1));
                let (ty, indices) = (ty.expect("a step has a type"), indices.collect::<Vec<_>>());
                match user.is_inbounds() {
                    true => builder.element(ty, own, &indices),
                    false => builder.element_anywhere(ty, own, &indices),
                }
            }
            Some(Opcode::LLVMAddrSpaceCast) => own,
            Some(Opcode::LLVMAtomicRMW) => {
                user.set_operand(0, own);
                continue;
            }
            _ => continue,
        };
        redirect(context, user, own);
        if !user.is_used() {
            user.erase();
        }
    }
}

/// Makes one entry point of that of the version with copies, and that of all others.
pub fn join(module: &Module, machine: &Machine, symbol: &str, atomic: &str) {
    let versions = Versions { symbol, name: "reducing", other: atomic };
    versions.join(module, machine, &|builder, launch| {
        let word = builder.context().integer(64);
        let has_copies = launch::load_constant(builder, launch, layout::REDUCING, word);
        builder.compare(IntPredicate::LLVMIntNE, has_copies, builder.word(0))
    });
}
