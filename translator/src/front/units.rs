//! Strides that a program passes as arguments, and that mostly are 1.
//!
//! Kernels of linear algebra ask for `x[i * incx]`, so that a row of a matrix is a vector, too. Neighbours touch numbers that lie
//! anywhere then, as far as code for all launches can know: each is loaded by itself. Code for launches in which the stride is 1 knows
//! that they lie side by side.
//!
//! Terms: a *place* is where an integer lies in the memory that a launch's arguments take, by value: as an argument, a component of a
//! vector, or a member of a structure. A *stride* multiplies what differs between items or iterations, in an index.
//!
//! Source: the increments of the BLAS (Lawson et al. 1979), which most callers leave at 1.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::group::arguments::{self, Argument, Kind};
use crate::group::ids::Id;
use crate::llvm::{Context, Function, Machine, Opcode, Value};
use crate::program::failure::Failure;
use crate::vector::facts::address::Offsets;

/// In bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    pub offset: u64,
    pub size: u64,
}

impl Place {
    /// `OFFSET:SIZE`.
    pub fn parse(text: &str) -> Option<Place> {
        let (offset, size) = text.split_once(':')?;
        Some(Place { offset: offset.parse().ok()?, size: size.parse().ok()? })
    }
}

/// Operations that are followed from a number to what it is computed of, and to an address that is computed of it.
const MOST_OPERATIONS: usize = 6;

/// The arguments that are strides, in the order of their places.
pub fn find(context: Context, machine: &Machine, kernel: Function) -> Result<Vec<Place>, Failure> {
    let (arguments, _) = arguments::lay_out(context, machine, kernel)?;
    let all = integers(machine, kernel, &arguments).into_iter();
    let strides = all.filter(|(_, values)| values.iter().any(|&value| is_stride(value)));
    Ok(strides.map(|(place, _)| place).collect())
}

/// Takes what lies at these places for 1.
pub fn apply(
    context: Context,
    machine: &Machine,
    kernel: Function,
    units: &[Place],
) -> Result<(), Failure> {
    if units.is_empty() {
        return Ok(());
    }
    let (arguments, _) = arguments::lay_out(context, machine, kernel)?;
    for (place, values) in integers(machine, kernel, &arguments) {
        if units.contains(&place) {
            values.iter().for_each(|value| value.replace_uses(value.ty().constant(1)));
        }
    }
    Ok(())
}

/// The integers among the arguments, each with the values in the kernel that are it.
fn integers(
    machine: &Machine,
    kernel: Function,
    arguments: &[Argument],
) -> BTreeMap<Place, Vec<Value>> {
    let mut found: BTreeMap<Place, Vec<Value>> = BTreeMap::new();
    let mut add = |value: Value, offset: u64| {
        if matches!(value.ty().integer_bits(), 8 | 16 | 32 | 64) {
            let size = machine.size_bytes(value.ty());
            found.entry(Place { offset, size }).or_default().push(value);
        }
    };
    for (parameter, argument) in kernel.parameters().into_iter().zip(arguments) {
        match argument.kind {
            Kind::Value if argument.by_address => {
                for (load, offset) in loads(machine, parameter).unwrap_or_default() {
                    add(load, argument.offset + offset);
                }
            }
            Kind::Value => {
                add(parameter, argument.offset);
                for (component, index) in components(parameter) {
                    let bytes = machine.size_bytes(component.ty());
                    add(component, argument.offset + index * bytes);
                }
            }
            Kind::Pointer { .. } | Kind::Local => {}
        }
    }
    found
}

fn components(vector: Value) -> Vec<(Value, u64)> {
    let users = if vector.ty().is_vector() { vector.users() } else { Vec::new() };
    let picks = users.into_iter().filter(|user| user.is_opcode(Opcode::LLVMExtractElement));
    picks.filter_map(|user| Some((user, user.operand(1).unsigned()?))).collect()
}

/// What is loaded of a structure, from where in it; none if anything but reading may be done to it.
fn loads(machine: &Machine, structure: Value) -> Option<Vec<(Value, u64)>> {
    let (mut found, mut places) = (Vec::new(), vec![(structure, Some(0_i64))]);
    while let Some((place, offset)) = places.pop() {
        for user in place.users() {
            match user.opcode()? {
                Opcode::LLVMGetElementPtr if user.operand(0) == place => {
                    let Offsets { constant, scaled } = Offsets::of(machine, user);
                    let known = offset.filter(|_| scaled.is_empty());
                    places.push((user, known.and_then(|offset| offset.checked_add(constant))));
                }
                Opcode::LLVMLoad if !user.is_volatile() => {
                    let offset = offset.and_then(|offset| u64::try_from(offset).ok());
                    found.extend(offset.map(|offset| (user, offset)));
                }
                // What is not loaded by itself may be copied.
                Opcode::LLVMCall if user.copies().is_some_and(|(to, _)| to != place) => {}
                _ => return None,
            }
        }
    }
    Some(found)
}

/// Whether a number multiplies what moves, in an address.
fn is_stride(number: Value) -> bool {
    number.users().into_iter().any(|user| match user.opcode() {
        Some(Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMTrunc) => is_stride(user),
        Some(Opcode::LLVMMul) => {
            user.operands().any(|factor| moves(factor, 0)) && leads_to_memory(user, 0)
        }
        _ => false,
    })
}

/// Whether a number is another one for other items, or in other iterations of a loop.
fn moves(number: Value, depth: usize) -> bool {
    let is_followed = number.is_instruction() && depth < MOST_OPERATIONS;
    is_followed
        && (number.is_opcode(Opcode::LLVMPHI)
            || Id::of_call(number).is_some()
            || number.operands().any(|operand| moves(operand, depth + 1)))
}

fn leads_to_memory(number: Value, depth: usize) -> bool {
    use Opcode::*;
    let leads = |user: Value| match user.opcode() {
        Some(LLVMGetElementPtr) => true,
        Some(LLVMAdd | LLVMSub | LLVMOr | LLVMMul | LLVMShl | LLVMZExt | LLVMSExt | LLVMTrunc) => {
            depth < MOST_OPERATIONS && leads_to_memory(user, depth + 1)
        }
        _ => false,
    };
    number.users().into_iter().any(leads)
}
