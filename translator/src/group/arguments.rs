//! A kernel's arguments: where each lies in the packed memory that a launch points to, and how the kernel gets it.

use crate::front::names;
use crate::group::launch::{Entry, load_constant};
use crate::group::local::LOCAL_SPACE;
use crate::llvm::{Builder, Context, Function, Machine, Type, Value};
use crate::program::failure::Failure;

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A pointer to `__global` or `__constant` memory, 8 bytes.
    Pointer { address_space: u32 },
    /// A pointer to `__local` memory: 8 bytes, its offset in the scratch memory.
    Local,
    /// The value itself.
    Value,
}

#[derive(Clone, Debug)]
pub struct Argument {
    pub kind: Kind,
    pub ty: Type,
    /// The value is a structure, which the kernel gets by address.
    pub by_address: bool,
    pub offset: u64,
    pub size: u64,
    pub alignment: u64,
}

/// Of the arguments of a kernel together: far more than a device need take.
const MOST_BYTES: u64 = 1 << 20;

/// The arguments of `kernel` and the bytes that they take together.
pub fn lay_out(
    context: Context,
    machine: &Machine,
    kernel: Function,
) -> Result<(Vec<Argument>, u64), Failure> {
    let mut offset: u64 = 0;
    let mut arguments = Vec::new();
    for (index, parameter) in kernel.parameters().into_iter().enumerate() {
        if parameter.ty().target_name().is_some() {
            return Err(Failure::Program(format!(
                "error: kernel '{}': argument {index} is of a kind that this device does not have\n",
                names::bare(&kernel.name())
            )));
        }
        let by_value = kernel.by_value_type(context, index);
        let ty = by_value.unwrap_or(parameter.ty());
        let kind = match (ty.is_pointer() && by_value.is_none(), ty.address_space()) {
            (true, LOCAL_SPACE) => Kind::Local,
            (true, address_space) => Kind::Pointer { address_space },
            (false, _) => Kind::Value,
        };
        let (size, alignment) = match kind {
            Kind::Value => (machine.size_bytes(ty), machine.alignment_bytes(ty)),
            _ => (8, 8),
        };
        offset = offset.next_multiple_of(alignment);
        if size > MOST_BYTES.saturating_sub(offset) {
            return Err(Failure::Program(format!(
                "error: kernel '{}': its arguments have more than {MOST_BYTES} bytes\n",
                names::bare(&kernel.name())
            )));
        }
        let by_address = by_value.is_some();
        arguments.push(Argument { kind, ty, by_address, offset, size, alignment });
        offset += size;
    }
    Ok((arguments, offset))
}

/// The argument as the kernel sees it, read in the head of its entry point.
pub fn read(builder: &Builder, entry: &Entry, argument: &Argument) -> Value {
    let context = builder.context();
    match argument.kind {
        Kind::Value if argument.by_address => {
            builder.offset(entry.arguments, builder.word(argument.offset))
        }
        Kind::Value | Kind::Pointer { .. } => {
            load_constant(builder, entry.arguments, argument.offset, argument.ty)
        }
        Kind::Local => {
            let word = context.integer(64);
            let offset = load_constant(builder, entry.arguments, argument.offset, word);
            let place = builder.offset(entry.scratch, offset);
            builder.address_space_cast(place, context.pointer(LOCAL_SPACE))
        }
    }
}
