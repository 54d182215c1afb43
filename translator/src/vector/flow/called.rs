//! Functions that stay functions ([`crate::front::calls`]), for vectors of items.
//!
//! Such a function gets *versions*: functions of their own that do for all lanes of a vector what it does for one item. A version
//! is made by the same code as vector code of a kernel's regions. It is named by what it is for: how many lanes there are,
//! how each argument differs between them, and whether some may not be there.
//!
//! Terms: an argument *differs* as a value of the kernel does ([`crate::vector::facts::state`]). One for all is passed as it is, a strided
//! one as the first lane's, all others as a vector for each component. Behind them comes the mask, if there is one.
//!
//! Where lanes are not there, a function that only reads needs no version with a mask: they do what one does that is there.
//!
//! Functions for which that cannot be done, or which are too long, are called lane by lane ([`super::serial`]).

use crate::vector::memory::nowhere::Nowhere;
use std::collections::HashMap;
use std::fmt::Write;

use super::homes::Home;
use crate::code::emit;
use crate::front::calls::callees_first;
use crate::group::launch::Sizes;
use crate::group::regions::Region;
use crate::group::workgroup;
use crate::ir::copy::Copier;
use crate::kernel::versions;
use crate::llvm::{Builder, Function, Opcode, Type, Value};
use crate::vector::emit::Emitter;
use crate::vector::facts::state::{Shape, State, UNIFORM, VARYING};
use crate::vector::facts::support;
use crate::vector::memory::private::Privates;
use crate::vector::values::form::{Form, components};
use crate::vector::values::widen;
use crate::vector::{Of, Plan, Site, make};

/// The function with a body that a call calls.
pub fn callee(call: Value) -> Option<Function> {
    let called = call.is_opcode(Opcode::LLVMCall).then(|| call.called()).flatten();
    called.filter(|called| called.has_body())
}

/// Whether an instruction of a function, or of one that it calls, is one of these.
pub fn has_inside(function: Function, is: &dyn Fn(Value) -> bool) -> bool {
    callees_first(&[function])
        .expect("what calls itself is refused before")
        .into_iter()
        .any(|function| function.instructions().any(is))
}

/// Whether a function does nothing but compute and read.
fn only_reads(function: Function) -> bool {
    use Opcode::*;
    let does = |value: Value| match value.opcode() {
        Some(LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMFence) => true,
        Some(LLVMCall) if callee(value).is_some() || widen::is_only_said(value) => false,
        Some(LLVMCall) => !widen::is_simple(value),
        _ => value.is_atomic() || value.is_volatile(),
    };
    !has_inside(function, &does)
}

/// How the arguments of a call differ, and whether some lanes may not be there.
struct Use {
    arguments: Vec<State>,
    masked: bool,
}

impl Use {
    /// The name of the version for it.
    fn name(&self, function: Function, lanes: u64) -> String {
        let mut name = format!("{}.lanes{lanes}.", function.name());
        for state in &self.arguments {
            match state.shape {
                Shape::Uniform => name.push('u'),
                Shape::Varying => name.push('v'),
                Shape::Strided(stride) => {
                    write!(name, "s{stride}").expect("text");
                    let known = [(state.fits, 'f'), (state.signed, 'i'), (state.unsigned, 'n')];
                    name.extend(known.iter().filter(|it| it.0).map(|it| it.1));
                }
            }
        }
        name + if self.masked { ".some" } else { "" }
    }
}

/// The types of the vectors for a value.
fn wide(ty: Type, lanes: u64) -> Vec<Type> {
    let parts = components(ty).expect("a value of simple components");
    parts.into_iter().map(|ty| ty.vector(lanes)).collect()
}

impl Emitter<'_> {
    /// Calls a function with a body for all items that are here.
    pub fn call_of_function(&mut self, call: Value) -> Option<Form> {
        let called = callee(call).expect("a call of a function with a body");
        let arguments = call.call_arguments();
        let states: Vec<State> = arguments.iter().map(|&it| self.state_of_argument(it)).collect();
        let guessed: Vec<Value> = arguments
            .iter()
            .zip(&states)
            .filter(|(_, state)| state.guessed && self.mask.is_none())
            .map(|(&argument, _)| argument)
            .collect();
        let imitates = self.lanes_imitate(called);
        let masked = self.mask.is_some() && !imitates;
        let as_vector = |state: State| state.guessed || imitates && state.shape != Shape::Uniform;
        let plain: Vec<State> =
            states.iter().map(|&state| if as_vector(state) { VARYING } else { state }).collect();
        let otherwise = self.version(called, Use { arguments: plain.clone(), masked });
        let Some(otherwise) = otherwise else { return self.serial(call) };
        let made = if guessed.is_empty() {
            self.call_version(call, otherwise, &plain, masked)
        } else {
            let states: Vec<State> = states.into_iter().map(State::as_guessed).collect();
            let right = Use { arguments: states.clone(), masked };
            let right = self.version(called, right).expect("the same with more known");
            let all = guessed.iter().map(|&argument| self.is_as_guessed(argument));
            let all: Vec<Value> = all.collect();
            let sure = all.into_iter().reduce(|a, b| self.builder.and(a, b)).expect("one at least");
            self.either(
                sure,
                |emitter| emitter.call_version(call, right, &states, false),
                |emitter| emitter.call_version(call, otherwise, &plain, true),
            )
        };
        (!call.ty().is_void()).then_some(Form::Lanes(made))
    }

    /// Whether lanes that are not there do what one does that is there: no function notices.
    fn lanes_imitate(&self, called: Function) -> bool {
        self.mask.is_some() && only_reads(called)
    }

    /// A vector in which lanes that are not there have what one has that is there.
    fn imitating(&self, vector: Value) -> Value {
        let Some(mask) = self.mask else { return vector };
        let one = self.builder.splat(self.some_lane(vector), self.lanes);
        self.builder.select(mask, vector, one)
    }

    /// How an argument differs, as far as a version for it is worth its code.
    fn state_of_argument(&self, argument: Value) -> State {
        match self.shape_here(argument) {
            Shape::Uniform => UNIFORM,
            Shape::Strided(_) => self.facts.of(argument),
            Shape::Varying => match self.privates_at.get(&argument) {
                Some(&(_, stride)) => State::of(Some(stride)),
                None => VARYING,
            },
        }
    }

    /// `is_rare`: few vectors go this way. What is rare, or has a mask, LLVM shall not inline: that costs time and registers.
    fn call_version(
        &mut self,
        call: Value,
        version: Function,
        states: &[State],
        is_rare: bool,
    ) -> Vec<Value> {
        let imitates = self.lanes_imitate(callee(call).expect("a call of a function with a body"));
        let mut arguments = Vec::new();
        for (argument, state) in call.call_arguments().into_iter().zip(states) {
            match state.shape {
                Shape::Varying if imitates => {
                    let lanes = self.lanes_of(argument);
                    arguments.extend(lanes.into_iter().map(|lanes| self.imitating(lanes)));
                }
                Shape::Varying => arguments.extend(self.lanes_of(argument)),
                _ => arguments.push(self.first_of(argument)),
            }
        }
        arguments.extend(self.mask.filter(|_| !imitates));
        let made = self.builder.call(version, &arguments);
        if is_rare || self.mask.is_some() {
            made.mark_call(self.context, "noinline");
        }
        let parts = if call.ty().is_void() { 0 } else { wide(call.ty(), self.lanes).len() };
        if parts == 1 {
            return vec![made];
        }
        (0..parts).map(|part| self.builder.member(made, part as u32)).collect()
    }

    /// The version of a function for such a use; none if there can be none.
    fn version(&self, function: Function, of: Use) -> Option<Function> {
        let name = of.name(function, self.lanes);
        if let Some(known) = self.function.beside(&name) {
            return Some(known);
        }
        if !support::has_versions(self.machine, function, self.lanes) {
            return None;
        }
        Version { emitter: self, function, of: &of, name: &name }.make()
    }
}

/// A version while it is made.
struct Version<'a> {
    emitter: &'a Emitter<'a>,
    function: Function,
    of: &'a Use,
    name: &'a str,
}

impl Version<'_> {
    fn make(&self) -> Option<Function> {
        let Emitter { context, machine, lanes, place, .. } = *self.emitter;
        let source = versions::copy(context, self.function, "lanes");
        let slots = self.take_parameters(source);
        let states: HashMap<Value, State> =
            slots.iter().map(|&(slot, number)| (slot, self.of.arguments[number])).collect();
        let mut privates = Privates::default();
        let is_own = |alloca: &Value| !states.contains_key(alloca);
        let allocas: Vec<Value> = source.allocas().filter(is_own).collect();
        allocas.iter().for_each(|&alloca| privates.add(machine, alloca, lanes, true));
        let (is_uniform, sizes) = (&|_| false, Sizes::default());
        let of = Of { machine, privates: &privates, slots: &states, is_uniform, sizes, lanes };
        let Some(plan) = Plan::new(&Region::whole(source), &of) else {
            source.erase();
            return None;
        };
        let version = self.declare();
        let head = version.append_block(context, "head");
        let begin = version.append_block(context, "begin");
        let builder = Builder::at_end(context, head);
        let mut copier = Copier::new(context, head);
        let homes = self.fill_slots(&builder, source, version, &slots, &mut copier);
        let byte = context.integer(8);
        let mut privates_at = HashMap::new();
        for alloca in allocas {
            let private = privates.get(alloca).expect("each was added");
            let room = builder.alloca(byte.array(private.bytes * lanes));
            room.set_alignment(private.alignment.max(64) as u32);
            privates_at.insert(alloca, (room, private.stride()));
        }
        let nowhere = Nowhere::new(&builder);
        builder.branch(begin);
        let site = Site {
            context,
            machine,
            function: version,
            head,
            lanes,
            copier,
            place,
            privates: &privates,
            privates_at,
            slots: &homes,
            nowhere,
            row_end: None,
        };
        let mask = self.of.masked.then(|| *version.parameters().last().expect("the mask"));
        make(&plan, site, begin, mask, &mut |emitter| leave(emitter, source));
        source.erase();
        debug_assert!(version.is_valid(), "{}", self.name);
        Some(version)
    }

    /// A variable in the place of each parameter that is not one for all; with its number.
    fn take_parameters(&self, source: Function) -> Vec<(Value, usize)> {
        let builder = Builder::at_start(self.emitter.context, source);
        let parameters = source.parameters().into_iter().enumerate();
        parameters
            .filter(|&(number, _)| self.of.arguments[number].shape != Shape::Uniform)
            .map(|(number, parameter)| {
                let slot = builder.alloca(parameter.ty());
                parameter.replace_uses(builder.load(parameter.ty(), slot));
                (slot, number)
            })
            .collect()
    }

    fn declare(&self) -> Function {
        let Emitter { context, machine, lanes, .. } = *self.emitter;
        let mut parameters = Vec::new();
        for (parameter, state) in self.function.parameters().iter().zip(&self.of.arguments) {
            match state.shape {
                Shape::Varying => parameters.extend(wide(parameter.ty(), lanes)),
                _ => parameters.push(parameter.ty()),
            }
        }
        if self.of.masked {
            parameters.push(self.emitter.mask_type());
        }
        let result = self.function.return_type();
        let result = match result.is_void() {
            true => result,
            false => match wide(result, lanes)[..] {
                [one] => one,
                ref several => context.structure(several),
            },
        };
        let version = self.function.declare_beside(self.name, result.function(&parameters));
        workgroup::dress(version, context, machine);
        emit::spare_vectorizers(context, version);
        version.set_internal();
        version
    }

    /// Writes the version's parameters to the variables that stand for them.
    fn fill_slots(
        &self,
        builder: &Builder,
        source: Function,
        version: Function,
        slots: &[(Value, usize)],
        copier: &mut Copier,
    ) -> HashMap<Value, Home> {
        let lanes = self.emitter.lanes;
        let mut given = version.parameters().into_iter();
        let mut next = || given.next().expect("a parameter for each component");
        let mut homes = HashMap::new();
        for (number, (parameter, state)) in
            source.parameters().into_iter().zip(&self.of.arguments).enumerate()
        {
            let ty = parameter.ty();
            let mut keep = |ty: Type| {
                let at = builder.alloca(ty);
                builder.store(next(), at);
                at
            };
            let home = match state.shape {
                Shape::Uniform => {
                    copier.values.insert(parameter, next());
                    continue;
                }
                Shape::Strided(stride) => Home::Strided(keep(ty), ty, stride),
                Shape::Varying => {
                    Home::Lanes(wide(ty, lanes).into_iter().map(|ty| (keep(ty), ty)).collect())
                }
            };
            let slot = slots.iter().find(|slot| slot.1 == number).expect("one for each");
            homes.insert(slot.0, home);
        }
        homes
    }
}

/// Gives what the function returns, for all lanes.
fn leave(emitter: &mut Emitter, source: Function) {
    let end = emitter.graph.blocks[emitter.block].terminator().expect("a return");
    if source.return_type().is_void() {
        emitter.builder.return_void();
        return;
    }
    let lanes = emitter.lanes_of(end.operand(0));
    let made = match lanes[..] {
        [one] => one,
        ref several => {
            let types: Vec<Type> = several.iter().map(|vector| vector.ty()).collect();
            emitter.builder.aggregate(emitter.context.structure(&types), several)
        }
    };
    emitter.builder.return_value(made);
}
