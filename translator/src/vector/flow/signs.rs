//! Masks between blocks, on machines without registers for masks: numbers of which the sign counts.
//!
//! LLVM keeps a vector of bits that lives in several blocks as numbers of half a register or less, and widens them for each
//! use. Here such a mask becomes numbers as wide as those that it is made of or chooses among, with all bits set for an item
//! that is in it: what comparisons give there, and what masked instructions take. LLVM's optimizations would fold that
//! back, so this comes after them.

use std::collections::{HashMap, HashSet};

use crate::ir::uses::behind;
use crate::llvm::{Builder, Context, Function, IntPredicate, Machine, Module, Opcode, Type, Value};

/// Registers that the numbers of a mask take at most.
const MOST_REGISTERS: u64 = 2;

/// Widens what lives in several blocks, in all functions of `module`.
pub fn widen(module: &Module, machine: &Machine) {
    if machine.has("avx512vl") {
        return;
    }
    for function in module.functions().into_iter().filter(|function| function.has_body()) {
        for masks in connected(function) {
            Widening::new(module.context(), machine, masks).make();
        }
    }
}

fn is_mask(value: Value) -> bool {
    let ty = value.ty();
    ty.is_vector() && ty.element().is_some_and(|bit| bit.integer_bits() == 1)
}

/// Whether a mask is made of other masks alone, lane by lane.
fn is_joint(value: Value) -> bool {
    use Opcode::*;
    matches!(value.opcode(), Some(LLVMPHI | LLVMAnd | LLVMOr | LLVMXor | LLVMSelect))
        && value.is_instruction()
        && is_mask(value)
}

fn lives_on(mask: Value) -> bool {
    let elsewhere = |user: Value| user.is_opcode(Opcode::LLVMPHI) || user.parent() != mask.parent();
    mask.is_opcode(Opcode::LLVMPHI) || mask.users().into_iter().any(elsewhere)
}

/// The masks that live in several blocks, with those that they are made of and that are made of them.
fn connected(function: Function) -> Vec<Vec<Value>> {
    let instructions = function.instructions();
    let mut known = HashSet::new();
    let mut found = Vec::new();
    for first in instructions.filter(|&value| is_mask(value) && lives_on(value)) {
        let mut masks = Vec::new();
        let mut rest = vec![first];
        while let Some(mask) = rest.pop() {
            if !known.insert(mask) {
                continue;
            }
            masks.push(mask);
            rest.extend(mask.users().into_iter().filter(|&user| is_joint(user)));
            if is_joint(mask) {
                rest.extend(mask.operands().filter(|of| of.is_instruction() && is_mask(*of)));
            }
        }
        if !masks.is_empty() {
            found.push(masks);
        }
    }
    found
}

struct Widening {
    context: Context,
    masks: Vec<Value>,
    ty: Type,
    wide: HashMap<Value, Value>,
}

impl Widening {
    fn new(context: Context, machine: &Machine, masks: Vec<Value>) -> Widening {
        let lanes = masks[0].ty().count();
        let most = MOST_REGISTERS * u64::from(machine.vector_bits()) / lanes;
        let bits = u64::from(usual_bits(&masks)).clamp(8, most.max(8));
        let ty = context.integer(bits as u32).vector(lanes);
        Widening { context, masks, ty, wide: HashMap::new() }
    }

    fn make(mut self) {
        for &phi in self.masks.iter().filter(|mask| mask.is_opcode(Opcode::LLVMPHI)) {
            let wide = Builder::before(self.context, phi).phi(self.ty);
            self.wide.insert(phi, wide);
        }
        for mask in self.masks.clone() {
            let wide = self.wide(mask);
            if mask.is_opcode(Opcode::LLVMPHI) {
                mask.incoming()
                    .into_iter()
                    .for_each(|(value, from)| wide.add_incoming(self.wide(value), from));
            }
        }
        self.masks.iter().for_each(|&mask| self.replace(mask));
        let joint: Vec<Value> = self.masks.into_iter().filter(|&mask| is_joint(mask)).collect();
        joint.iter().for_each(|mask| mask.replace_uses(mask.ty().poison()));
        joint.into_iter().for_each(Value::erase);
    }

    /// The numbers of a mask; of those that are not made of others behind where it is computed.
    fn wide(&mut self, mask: Value) -> Value {
        if let Some(&wide) = self.wide.get(&mask) {
            return wide;
        }
        let wide = match is_joint(mask) {
            true => self.join(mask),
            false if mask.is_instruction() => {
                self.extend(&Builder::before(self.context, behind(mask)), mask)
            }
            false if mask.is_constant() => {
                return self.extend(&Builder::new(self.context), mask);
            }
            // What the function is given.
            false => {
                let function = self.masks[0].parent().expect("in a block").function();
                self.extend(&Builder::at_start(self.context, function), mask)
            }
        };
        self.wide.insert(mask, wide);
        wide
    }

    fn extend(&self, builder: &Builder, mask: Value) -> Value {
        builder.cast(Opcode::LLVMSExt, mask, self.ty)
    }

    fn join(&mut self, mask: Value) -> Value {
        use Opcode::*;
        let parts: Vec<Value> = mask
            .operands()
            .map(|part| if is_mask(part) { self.wide(part) } else { part })
            .collect();
        let builder = Builder::before(self.context, mask);
        let opcode = mask.opcode().expect("an instruction");
        if opcode != LLVMSelect {
            return builder.binary(opcode, parts[0], parts[1]);
        }
        let (which, yes, no) = (parts[0], parts[1], parts[2]);
        if !which.ty().is_vector() {
            return builder.select(which, yes, no);
        }
        // What a choice leaves out may be poison.
        if no.is_null() {
            return builder.and(which, builder.freeze(yes));
        }
        let is_in = builder.compare(IntPredicate::LLVMIntSLT, which, self.ty.zero());
        builder.select(is_in, yes, no)
    }

    /// Gives the users of a mask, but those that are made anew, what they take of the numbers.
    fn replace(&self, mask: Value) {
        let wide = self.wide[&mask];
        let here = |user: Value| user.parent() == mask.parent();
        let mut users = mask.users();
        users.retain(|&user| !is_joint(user) && user != wide && (is_joint(mask) || !here(user)));
        for user in users {
            if user.is_opcode(Opcode::LLVMSExt) && user.ty() == self.ty {
                user.replace_uses(wide);
                user.erase();
                continue;
            }
            let builder = Builder::before(self.context, user);
            let bits = builder.compare(IntPredicate::LLVMIntSLT, wide, self.ty.zero());
            for index in 0..user.operand_count() {
                if user.operand(index) == mask {
                    user.set_operand(index, bits);
                }
            }
        }
    }
}

/// How wide the numbers are that most of the masks compare or choose among.
fn usual_bits(masks: &[Value]) -> u32 {
    let mut counts: HashMap<u32, usize> = HashMap::new();
    for mask in masks {
        let compared = mask.operands().next().filter(|_| !is_joint(*mask));
        let chosen = mask.users().into_iter().filter(|user| !is_joint(*user));
        let widths = compared.map(Value::ty).into_iter().chain(chosen.map(Value::ty));
        for bits in widths.filter_map(element_bits) {
            *counts.entry(bits).or_default() += 1;
        }
    }
    counts.into_iter().max_by_key(|&(bits, count)| (count, bits)).map_or(32, |(bits, _)| bits)
}

/// Bits of the elements of a vector of numbers.
fn element_bits(ty: Type) -> Option<u32> {
    let element = ty.element().filter(|_| ty.is_vector())?;
    let bits = element.integer_bits().max(element.float_bits());
    (8..=64).contains(&bits).then_some(bits)
}
