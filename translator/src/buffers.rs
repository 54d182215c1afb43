//! Lets items load from global memory what they would read of a `__local` copy of it ([`crate::analysis::buffers`]), and takes the
//! copy away. The barriers around it are then for [`crate::barriers`].

use std::collections::HashMap;

use crate::analysis::buffers::{self, Copy, Why};
use crate::analysis::places::{Atom, Linear};
use crate::barriers;
use crate::describe::LocalArray;
use crate::failure::Failure;
use crate::llvm::{Builder, Machine, Module, Opcode, Value, run_passes};
use crate::schedule::{Plan, explain};
use crate::view::{self, Callee, Op, ValueId, WorkItem};

/// The arrays that [`remove`] would remove.
pub fn gone(plan: &Plan, disjoint: bool) -> Vec<ValueId> {
    let facts = barriers::facts(&plan.view, disjoint);
    let buffers = buffers::find(&plan.view.function, &plan.analysis, &facts);
    buffers.into_iter().filter(|buffer| buffer.found.is_ok()).map(|buffer| buffer.root).collect()
}

/// What became of the arrays; whether any has gone, so that the plan is out of date. `arguments`: their names; `disjoint`: they lead
/// to different memory.
pub fn remove(
    module: &Module,
    machine: &Machine,
    plan: &Plan,
    arguments: &[String],
    disjoint: bool,
) -> Result<(Vec<LocalArray>, bool), Failure> {
    let function = &plan.view.function;
    let facts = barriers::facts(&plan.view, disjoint);
    let mut arrays = Vec::new();
    let mut gone = false;
    for buffer in buffers::find(function, &plan.analysis, &facts) {
        let stays = match &buffer.found {
            Ok(copy) => {
                Rewrite { module, plan }.make(copy);
                gone = true;
                None
            }
            Err(why) => Some(in_words(plan, arguments, *why)),
        };
        let name = explain::name(function, buffer.root, arguments).unwrap_or_default();
        arrays.push(LocalArray { name, stays });
    }
    if gone {
        run_passes(module, machine, "function(early-cse,adce)").map_err(Failure::Internal)?;
    }
    Ok((arrays, gone))
}

fn in_words(plan: &Plan, arguments: &[String], why: Why) -> String {
    let access = |id: ValueId| explain::access_in_words(plan, arguments, id);
    match why {
        Why::Other => "it is no copy of global memory".to_string(),
        Why::Several => "several stores fill it or change it".to_string(),
        Why::Size => "the size of groups is not known".to_string(),
        Why::Phase => "not every item stores its part, once, before all read".to_string(),
        Why::Place(id) => {
            format!("an item {}, and no one item's copy is known to be there", access(id))
        }
        Why::Address => {
            "where it is copied from depends on what each item has for itself".to_string()
        }
        Why::Written(id) => format!("an item {}, which may be what is copied", access(id)),
        Why::Reorganizes => "it brings together what is far apart in memory".to_string(),
    }
}

struct Rewrite<'a> {
    module: &'a Module,
    plan: &'a Plan,
}

impl Rewrite<'_> {
    fn make(&self, copy: &Copy) {
        let context = self.module.context();
        let value = |id: ValueId| self.plan.view.values[id.index()];
        let source = value(copy.source);
        for (read, writer) in &copy.reads {
            let read = value(*read);
            let builder = Builder::before(context, read);
            builder.set_debug_location(read.debug_location());
            let writer = [0, 1, 2].map(|dimension| self.sum(&builder, &writer[dimension]));
            let mut made = Remade { whole: self, builder: &builder, writer, known: HashMap::new() };
            let pointer =
                self.plan.view.function.instruction(copy.source).expect("a load").operands[0];
            let address = made.of(pointer);
            let load = source.duplicate();
            load.set_operand(0, address);
            builder.insert(load);
            load.set_debug_location(read.debug_location());
            read.replace_uses(load);
            read.erase();
        }
        value(copy.store).erase();
    }

    fn word(&self) -> crate::llvm::Type {
        self.module.context().integer(64)
    }

    /// An id of the item's place along a dimension.
    fn asked(&self, builder: &Builder, name: &str, dimension: u8) -> Value {
        let number = self.module.context().integer(32);
        let function = self.module.declared(name, self.word().function(&[number]));
        builder.call(function, &[number.constant(u64::from(dimension))])
    }

    fn sum(&self, builder: &Builder, sum: &Linear) -> Value {
        let mut made = builder.word(sum.constant as u64);
        for (&atom, &factor) in &sum.terms {
            let value = match atom {
                Atom::Local(dimension) => self.asked(builder, LOCAL_ID, dimension),
                Atom::Value(id) => self.signed(builder, self.plan.view.values[id.index()]),
                _ => unreachable!("a writer is made of ids and values"),
            };
            let term = builder.mul(value, builder.word(factor as u64));
            made = builder.add(made, term);
        }
        made
    }

    fn signed(&self, builder: &Builder, value: Value) -> Value {
        match value.ty().integer_bits() {
            64 => value,
            _ => builder.cast(Opcode::LLVMSExt, value, self.word()),
        }
    }
}

const LOCAL_ID: &str = "_Z12get_local_idj";
const GLOBAL_ID: &str = "_Z13get_global_idj";

/// Values as another item has them.
struct Remade<'a> {
    whole: &'a Rewrite<'a>,
    builder: &'a Builder,
    writer: [Value; 3],
    known: HashMap<ValueId, Value>,
}

impl Remade<'_> {
    fn of(&mut self, id: ValueId) -> Value {
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        let plan = self.whole.plan;
        let (function, original) = (&plan.view.function, plan.view.values[id.index()]);
        let made = match function.instruction(id) {
            None => original,
            Some(made) => match made.op {
                Op::Call(Callee::WorkItem(item @ (WorkItem::LocalId | WorkItem::GlobalId))) => {
                    self.id(function, item, made.operands[0])
                }
                _ if plan.analysis.is_one_for_all(function, id) => original,
                _ => {
                    let operands: Vec<Value> =
                        made.operands.iter().map(|&of| self.of(of)).collect();
                    self.again(original, &made.operands, &operands)
                }
            },
        };
        self.known.insert(id, made);
        made
    }

    /// The same instruction with other operands.
    fn again(&self, original: Value, ids: &[ValueId], operands: &[Value]) -> Value {
        let copy = original.duplicate();
        let values = &self.whole.plan.view.values;
        for index in 0..copy.operand_count() {
            let at = ids.iter().position(|id| values[id.index()] == original.operand(index));
            if let Some(at) = at {
                copy.set_operand(index, operands[at]);
            }
        }
        self.builder.insert(copy);
        copy
    }

    fn id(&self, function: &view::Function, item: WorkItem, dimension: ValueId) -> Value {
        let dimension = function.integer(dimension).expect("it was looked at") as u8;
        let writer = self.writer[usize::from(dimension)];
        if item == WorkItem::LocalId {
            return writer;
        }
        let own = |name| self.whole.asked(self.builder, name, dimension);
        let first = self.builder.sub(own(GLOBAL_ID), own(LOCAL_ID));
        self.builder.add(first, writer)
    }
}
