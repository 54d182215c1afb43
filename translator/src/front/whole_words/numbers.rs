//! The numbers that the vectors of a web become.

use std::collections::HashMap;

use super::web::{Does, Web, does, stores};
use crate::ir::cfg::Flow;
use crate::llvm::{Builder, Context, Function, Opcode, Type, Value};

/// Makes numbers of the vectors of a web of `kernel`.
pub fn make(context: Context, kernel: Function, web: &Web) {
    let blocks = Flow::new(kernel.entry(), &|_| false).blocks;
    let instructions = blocks.iter().flat_map(|block| block.instructions());
    let members: Vec<Value> = instructions.filter(|it| web.members.contains(it)).collect();
    let mut numbers = Numbers { context, kernel, of: HashMap::new() };
    for &member in &members {
        let number = numbers.made_of(member);
        numbers.of.insert(member, number);
    }
    members.iter().for_each(|&phi| numbers.complete(phi));
    members.iter().for_each(|&member| numbers.replace(member));
    members.iter().for_each(|member| member.erase());
}

/// The numbers that vectors of a kernel have become.
struct Numbers {
    context: Context,
    kernel: Function,
    of: HashMap<Value, Value>,
}

impl Numbers {
    /// The number that a member of a web becomes; what phis become has no operands yet.
    fn made_of(&mut self, member: Value) -> Value {
        let ty = self.number_type(member);
        let builder = Builder::before(self.context, member);
        match does(member) {
            Does::Bits(_) if member.is_opcode(Opcode::LLVMPHI) => builder.phi(ty),
            Does::Bits(of) => {
                let of: Vec<Value> = of.into_iter().map(|vector| self.number(vector)).collect();
                match (member.opcode().expect("an instruction"), &of[..]) {
                    (Opcode::LLVMSelect, &[yes, no]) => builder.select(member.operand(0), yes, no),
                    (opcode, &[a, b]) => builder.binary(opcode, a, b),
                    (_, of) => builder.freeze(of[0]),
                }
            }
            Does::Turn(of, components) => {
                let bits = u64::from(ty.integer_bits()) / member.ty().count();
                let number = self.number(of);
                builder.intrinsic(
                    "llvm.fshl",
                    &[ty],
                    &[number, number, ty.constant(components * bits)],
                )
            }
            Does::Load => {
                let load = builder.load(ty, member.operand(0));
                load.set_alignment(member.alignment());
                load.take_metadata_of(self.context, member);
                load
            }
            Does::FromNumber => member.operand(0),
            Does::Other => unreachable!("an input of a web"),
        }
    }

    fn number_type(&self, vector: Value) -> Type {
        let ty = vector.ty();
        let bits = ty.element().map_or(0, |element| element.integer_bits());
        self.context.integer(bits * ty.count() as u32)
    }

    /// The number of any vector. One that does not come from a web may lack a component: all bits of its number are there.
    fn number(&mut self, vector: Value) -> Value {
        if let Some(&number) = self.of.get(&vector) {
            return number;
        }
        let ty = self.number_type(vector);
        let builder = self.behind(vector);
        let whole = vector.constant_lanes().is_some();
        let vector_of_all = if whole { vector } else { builder.freeze(vector) };
        let number = builder.cast(Opcode::LLVMBitCast, vector_of_all, ty);
        self.of.insert(vector, number);
        number
    }

    /// Where what is made of a value is at hand for all that use the value.
    fn behind(&self, value: Value) -> Builder {
        if !value.is_instruction() {
            return Builder::at_start(self.context, self.kernel);
        }
        let next = match value.is_opcode(Opcode::LLVMPHI) {
            true => value.parent().and_then(|block| block.first_after_phis()),
            false => value.next(),
        };
        Builder::before(self.context, next.expect("a block has a terminator"))
    }

    /// Gives a phi what comes from where.
    fn complete(&mut self, phi: Value) {
        for (vector, from) in phi.incoming() {
            let number = self.number(vector);
            self.of[&phi].add_incoming(number, from);
        }
    }

    /// Lets those who use a vector use its number.
    fn replace(&mut self, member: Value) {
        let number = self.of[&member];
        let vector = self.behind(member).cast(Opcode::LLVMBitCast, number, member.ty());
        for store in member.users().into_iter().filter(|&user| stores(user, member)) {
            store.set_operand(0, number);
        }
        member.replace_uses(vector);
    }
}
