//! Lets items load from global memory what they would read of a `__local` copy of it ([`crate::analysis::buffers`]), and takes the
//! copy away. The barriers around it are then for [`crate::kernel::barriers`].

use std::collections::HashMap;

use crate::analysis::buffers::{self, Copy, Why};
use crate::analysis::copied::{Made, Outside};
use crate::analysis::places::Atom;
use crate::kernel::barriers;
use crate::llvm::{Builder, Machine, Module, Opcode, Type, Value, run_passes_on};
use crate::program::failure::Failure;
use crate::report::describe::LocalArray;
use crate::schedule::{Plan, explain};
use crate::view::ValueId;

/// The arrays that [`remove`] would remove.
pub fn gone(plan: &Plan, disjoint: bool) -> Vec<ValueId> {
    let facts = barriers::facts(&plan.view, disjoint);
    let buffers = buffers::find(&plan.view.function, &plan.analysis, &facts);
    buffers.into_iter().filter(|buffer| buffer.found.is_ok()).map(|buffer| buffer.root).collect()
}

/// The arrays, of which none is removed.
pub fn kept(plan: &Plan, arguments: &[String]) -> Vec<LocalArray> {
    let stays = |root| LocalArray {
        name: explain::name(&plan.view.function, root, arguments).unwrap_or_default(),
        stays: Some("that is asked for".to_string()),
    };
    let facts = barriers::facts(&plan.view, false);
    let found = buffers::find(&plan.view.function, &plan.analysis, &facts);
    found.into_iter().map(|buffer| stays(buffer.root)).collect()
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
        // Loops that copied are empty now.
        run_passes_on(module, machine, plan.view.kernel(), "early-cse,adce,loop(loop-deletion)")
            .map_err(Failure::Internal)?;
    }
    Ok((arrays, gone))
}

fn in_words(plan: &Plan, arguments: &[String], why: Why) -> String {
    let access = |id: ValueId| explain::access_in_words(plan, arguments, id);
    match why {
        Why::Other => "it is no copy of global memory".to_string(),
        Why::Several => "several stores fill it by more than one rule, or change it".to_string(),
        Why::Size => "the size of groups is not known".to_string(),
        Why::Phase => "not all of it is stored before all read, or in a way that is not understood"
            .to_string(),
        Why::Place(id) => {
            format!("an item {}, and no copy is known to be there", access(id))
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
        let source = self.value(copy.source);
        for read in &copy.reads {
            let place = self.value(read.id);
            let builder = Builder::before(context, place);
            builder.set_debug_location(place.debug_location());
            let mut anew = Anew { whole: self, builder: &builder, known: HashMap::new() };
            let address = anew.of(&read.address);
            let condition = read.condition.as_ref().map(|made| anew.of(made));
            let load = source.duplicate();
            load.set_operand(0, address);
            load.set_debug_location(place.debug_location());
            place.replace_uses(match condition.zip(copy.outside) {
                Some((condition, outside)) => self.load_inside(load, place, condition, outside),
                None => {
                    builder.insert(load);
                    load
                }
            });
            place.erase();
        }
        copy.stores.iter().for_each(|&store| self.value(store).erase());
    }

    /// Loads in front of `place` if the condition says so; what there is then.
    fn load_inside(&self, load: Value, place: Value, condition: Value, outside: Outside) -> Value {
        let context = self.module.context();
        let behind = place.parent().expect("a read is in a block");
        let (fork, builder) = behind.only_if(context, place, condition, outside.inside);
        builder.insert(load);
        let joined = Builder::before(context, place).phi(load.ty());
        joined.add_incoming(load, builder.block());
        joined.add_incoming(self.value(outside.constant), fork);
        joined
    }

    fn value(&self, id: ValueId) -> Value {
        self.plan.view.values[id.index()]
    }
}

/// Values as another item has them, in front of a read.
struct Anew<'a> {
    whole: &'a Rewrite<'a>,
    builder: &'a Builder,
    known: HashMap<ValueId, Value>,
}

impl Anew<'_> {
    fn of(&mut self, made: &Made) -> Value {
        let id = match made {
            Made::Kept(id) => return self.whole.value(*id),
            Made::Sum(id, _) | Made::Again(id, _) => *id,
        };
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        let value = match made {
            Made::Kept(_) => unreachable!("it is given above"),
            Made::Sum(_, terms) => self.sum(id, terms),
            Made::Again(_, operands) => {
                let operands: Vec<Value> = operands.iter().map(|made| self.of(made)).collect();
                self.again(id, &operands)
            }
        };
        self.known.insert(id, value);
        value
    }

    /// The same instruction with other operands.
    fn again(&self, id: ValueId, operands: &[Value]) -> Value {
        let plan = self.whole.plan;
        let original = self.whole.value(id);
        let ids = &plan.view.function.instruction(id).expect("an instruction").operands;
        let copy = original.duplicate();
        for index in 0..copy.operand_count() {
            let same = |&id: &ValueId| self.whole.value(id) == original.operand(index);
            if let Some(at) = ids.iter().position(same) {
                copy.set_operand(index, operands[at]);
            }
        }
        self.builder.insert(copy);
        copy
    }

    /// A sum of products, as wide as a value.
    fn sum(&self, id: ValueId, terms: &[(i128, Vec<Atom>)]) -> Value {
        let builder = self.builder;
        let is_base = |term: &&(i128, Vec<Atom>)| match term.1.as_slice() {
            &[Atom::Value(part)] => !self.whole.value(part).ty().is_integer(),
            _ => false,
        };
        let base = terms.iter().find(is_base);
        let mut total = builder.word(0);
        for term in terms.iter().filter(|&term| Some(term) != base) {
            let parts = term.1.iter().map(|&atom| self.atom(atom));
            let factor = builder.word(term.0 as u64);
            // The constant comes second, where what asks for strides looks for it.
            let product = match parts.reduce(|product, part| builder.mul(product, part)) {
                Some(product) if term.0 == 1 => product,
                Some(product) => builder.mul(product, factor),
                None => factor,
            };
            total = builder.add(total, product);
        }
        match base.map(|(_, atoms)| atoms.as_slice()) {
            Some(&[Atom::Value(part)]) => builder.offset(self.whole.value(part), total),
            _ => builder.resize(total, self.whole.value(id).ty()),
        }
    }

    /// A number of 64 bits.
    fn atom(&self, atom: Atom) -> Value {
        match atom {
            Atom::Local(dimension) => self.asked(LOCAL_ID, dimension),
            Atom::Group(dimension) => self.asked(GROUP_ID, dimension),
            Atom::Offset(dimension) => self.asked(OFFSET, dimension),
            Atom::First(dimension) => {
                let [all, own] = [GLOBAL_ID, LOCAL_ID].map(|name| self.asked(name, dimension));
                self.builder.sub(all, own)
            }
            Atom::Value(id) => {
                let value = self.whole.value(id);
                match value.ty().integer_bits() {
                    64 => value,
                    _ => self.builder.cast(Opcode::LLVMSExt, value, self.word()),
                }
            }
            _ => unreachable!("an address is made of ids and values"),
        }
    }

    fn word(&self) -> Type {
        self.whole.module.context().integer(64)
    }

    /// An id of the item's place along a dimension.
    fn asked(&self, name: &str, dimension: u8) -> Value {
        let module = self.whole.module;
        let number = module.context().integer(32);
        let function = module.declared(name, self.word().function(&[number]));
        self.builder.call(function, &[number.constant(u64::from(dimension))])
    }
}

const LOCAL_ID: &str = "_Z12get_local_idj";
const GLOBAL_ID: &str = "_Z13get_global_idj";
const GROUP_ID: &str = "_Z12get_group_idj";
const OFFSET: &str = "_Z17get_global_offsetj";
