//! Code that tells what values really are, item by item, to be compared with what was found of them: `VICINITY_ORDER=observed`.
//!
//! Whoever loads the program brings three functions (results/scalarization has them):
//! `vicinity_observe_item(region, lane)`, where an item begins a region; `vicinity_observe_round(region, depth, loop)`, where it begins an
//! iteration of a loop that is inside of `depth` others; `vicinity_observe_value(text, region, depth, bits)`, where it makes or uses a value.
//! Blocks may be in several regions, of which each has found something else: what is told of another region than the item is in does not
//! count. Items of a row follow each other. A vector of them would go together through what is in the same iterations of all loops around it.
//!
//! The text of a value has fields with tabs between: kernel, region and number in it, line, role, class, stride, bits of the number (0: it is none, and
//! has no stride), bytes that an address is accessed by.

use super::form::components;
use crate::code::atomics;
use crate::front::names;
use crate::llvm::{
    Block, Builder, Context, Function, Machine, Module, Opcode, Type, TypeKind, Value,
};
use crate::vector::Plan;
use crate::vector::facts::classes::{Class, Finding, Role};

/// What different components of a value are told apart by.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The functions that are told.
pub struct Observer {
    context: Context,
    item: Function,
    round: Function,
    value: Function,
}

impl Observer {
    pub fn new(module: &Module) -> Observer {
        let context = module.context();
        let (number, word) = (context.integer(32), context.integer(64));
        let declared = |name: &str, parameters: &[Type]| {
            module.declared(name, context.void().function(parameters))
        };
        Observer {
            context,
            item: declared("vicinity_observe_item", &[number, word]),
            round: declared("vicinity_observe_round", &[number, number, number]),
            value: declared("vicinity_observe_value", &[context.pointer(0), number, number, word]),
        }
    }

    /// Tells that the item at `lane` of a row begins a region.
    pub fn begin(&self, builder: &Builder, region: usize, lane: Value) {
        builder.call(self.item, &[self.number(region), lane]);
    }

    fn number(&self, number: usize) -> Value {
        self.context.integer(32).constant(number as u64)
    }

    /// Lets a region tell of all values that were found in it; `region`: its number.
    pub fn watch(
        &self,
        (module, machine): (&Module, &Machine),
        kernel: Function,
        plan: &Plan,
        findings: &[Finding],
        region: usize,
    ) {
        let number = |number| self.number(number);
        let places: Vec<Option<Value>> = findings.iter().map(place).collect();
        // In front of what is told of phis, which goes to the same place.
        for (id, found) in plan.graph.loops.iter().enumerate() {
            let header = plan.graph.blocks[found.header];
            let builder = Builder::before(self.context, behind_phis(header));
            let depth = plan.graph.depth(found.header) as usize - 1;
            builder.call(self.round, &[number(region), number(depth), number(id)]);
        }
        for (at, (finding, place)) in findings.iter().zip(places).enumerate() {
            let Some(place) = place else { continue };
            let builder = Builder::before(self.context, place);
            let Some(bits) = bits(&builder, machine, finding.value) else { continue };
            let text = text(machine, kernel, (region, at), finding);
            let bytes: Vec<u64> = text.bytes().map(u64::from).chain([0]).collect();
            let text = module.table(self.context.integer(8), &bytes);
            builder.call(self.value, &[text, number(region), number(finding.depth as usize), bits]);
        }
    }
}

/// In front of which instruction a value is told: behind the one that makes it, before one that uses it.
fn place(finding: &Finding) -> Option<Value> {
    match finding.role {
        Role::Phi => finding.at.parent().map(behind_phis),
        Role::Arithmetic | Role::Load | Role::Kept => finding.at.next(),
        _ => Some(finding.at),
    }
}

fn behind_phis(block: Block) -> Value {
    block.first_after_phis().expect("a terminator behind the phis")
}

/// All bits of a value, or a number that is the same for the same value and hardly for others. None of what has no simple components.
fn bits(builder: &Builder, machine: &Machine, value: Value) -> Option<Value> {
    let word = builder.context().integer(64);
    let ty = value.ty();
    let parts = components(ty)?;
    let one = |part: Value| {
        let ty = part.ty();
        let number = if ty.is_pointer() {
            builder.cast(Opcode::LLVMPtrToInt, part, word)
        } else if ty.is_float() {
            builder.cast(
                Opcode::LLVMBitCast,
                part,
                builder.context().integer(8 * machine.size_bytes(ty) as u32),
            )
        } else {
            part
        };
        builder.resize(number, word)
    };
    if !matches!(ty.kind(), TypeKind::LLVMVectorTypeKind | TypeKind::LLVMStructTypeKind) {
        return Some(one(value));
    }
    let component = |index: usize| match ty.kind() {
        TypeKind::LLVMVectorTypeKind => builder.component(value, index as u64),
        _ => builder.member(value, index as u32),
    };
    (0..parts.len())
        .map(|index| one(component(index)))
        .reduce(|sum, part| builder.add(builder.mul(sum, builder.word(ODD)), part))
}

fn text(
    machine: &Machine,
    kernel: Function,
    (region, number): (usize, usize),
    finding: &Finding,
) -> String {
    let (class, stride) = match finding.class {
        Class::Uniform => ("uniform", 0),
        Class::Affine(stride) => ("affine", stride),
        Class::Guessed(stride) => ("guessed", stride),
        Class::Varying => ("varying", 0),
    };
    let ty = finding.value.ty();
    let bits = if ty.is_pointer() { 64 } else { ty.integer_bits() };
    let bytes = match finding.role {
        Role::LoadAddress | Role::StoreAddress => machine.size_bytes(touched(finding.at)),
        _ => 0,
    };
    let line = finding.at.source_position().map_or(0, |(line, _)| line);
    let (kernel, role) = (kernel.name(), finding.role.name());
    let kernel = names::bare(&kernel);
    format!("{kernel}\t{region}.{number}\t{line}\t{role}\t{class}\t{stride}\t{bits}\t{bytes}")
}

/// The type of what an access moves.
fn touched(access: Value) -> Type {
    match access.opcode() {
        Some(Opcode::LLVMStore) => access.operand(0).ty(),
        _ if atomics::is_one(access) => access.operand(1).ty(),
        _ => access.ty(),
    }
}
