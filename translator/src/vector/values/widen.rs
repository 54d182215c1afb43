//! Instructions for all items of a vector: one for what they share, one vector instruction for each component of what
//! differs. What has no vector form goes item by item ([`crate::vector::flow::serial`]).

use super::form::{Form, components};
use crate::front::division;
use crate::group::ids::{self, Id};
use crate::group::quotients;
use crate::kernel::sub_groups::Exchange;
use crate::llvm::{IntPredicate, Opcode, Type, Value};
use crate::vector::emit::Emitter;
use crate::vector::facts::address::Offsets;
use crate::vector::facts::guess::Guess;
use crate::vector::facts::state::Shape;
use crate::vector::facts::sums::Term;
use crate::vector::flow::called;

/// Intrinsics that do the same to each component, overloaded with the type of their first argument.
const SIMPLE: &[&str] = &[
    "llvm.abs",
    "llvm.bitreverse",
    "llvm.bswap",
    "llvm.canonicalize",
    "llvm.ceil",
    "llvm.copysign",
    "llvm.ctlz",
    "llvm.ctpop",
    "llvm.cttz",
    "llvm.fabs",
    "llvm.floor",
    "llvm.fma",
    "llvm.fmuladd",
    "llvm.fshl",
    "llvm.fshr",
    "llvm.is.fpclass",
    "llvm.maximum",
    "llvm.maxnum",
    "llvm.minimum",
    "llvm.minnum",
    "llvm.nearbyint",
    "llvm.rint",
    "llvm.round",
    "llvm.roundeven",
    "llvm.sadd.sat",
    "llvm.smax",
    "llvm.smin",
    "llvm.sqrt",
    "llvm.ssub.sat",
    "llvm.trunc",
    "llvm.uadd.sat",
    "llvm.umax",
    "llvm.umin",
    "llvm.usub.sat",
];

/// Intrinsics that are only said, and vector code need not say.
const SAID: &[&str] = &["llvm.assume", "llvm.experimental.noalias.scope.decl", "llvm.dbg.value"];

/// Whether a call becomes one vector instruction for each component.
pub fn is_simple(call: Value) -> bool {
    call.intrinsic_name().is_some_and(|name| SIMPLE.contains(&name.as_str()))
}

pub fn is_only_said(call: Value) -> bool {
    let said = |name: String| SAID.contains(&name.as_str());
    call.is_lifetime_marker() || call.intrinsic_name().is_some_and(said)
}

impl Emitter<'_> {
    /// An instruction that is no phi and no branch; none where nothing stands for it.
    pub fn instruction(&mut self, value: Value) -> Option<Form> {
        use Opcode::*;
        match value.opcode() {
            Some(LLVMAlloca) => return None,
            Some(LLVMCall) if is_only_said(value) => return None,
            Some(LLVMLoad) => return Some(self.load(value)),
            Some(LLVMStore) => {
                self.store(value);
                return None;
            }
            Some(LLVMAtomicRMW | LLVMAtomicCmpXchg) => return self.atomic(value),
            Some(LLVMFence) => {
                self.once(value);
                return None;
            }
            _ => {}
        }
        if let Some(exchange) = Exchange::of_call(value) {
            return self.exchange(value, exchange);
        }
        if let Some(id) = Id::of_call(value) {
            let answer = ids::answer(&self.builder, id, value, &self.place);
            return Some(match self.shape(value) {
                Shape::Strided(stride) => Form::Strided(answer, stride),
                _ => Form::Uniform(answer),
            });
        }
        match self.shape(value) {
            Shape::Uniform if !value.ty().is_void() => Some(Form::Uniform(self.once(value))),
            Shape::Strided(stride) => Some(Form::Strided(self.of_first(value), stride)),
            _ if has_vector_form(value) => Some(Form::Lanes(self.widen(value))),
            _ if called::callee(value).is_some() => self.call_of_function(value),
            _ => self.serial(value),
        }
    }

    /// A copy of an instruction with uniform operands.
    pub fn once(&mut self, value: Value) -> Value {
        let operands: Vec<Value> = value.operands().collect();
        let new: Vec<Value> = operands
            .iter()
            .map(|&operand| match operand.as_function() {
                Some(_) => operand,
                None => self.first_of(operand),
            })
            .collect();
        self.copy_with(value, &new)
    }

    /// A copy of an instruction with these operands.
    pub fn copy_with(&self, value: Value, operands: &[Value]) -> Value {
        let copy = value.duplicate();
        self.builder.insert(copy);
        copy.set_debug_location(value.debug_location());
        for (index, &operand) in operands.iter().enumerate() {
            if copy.operand(index) != operand {
                copy.set_operand(index, operand);
            }
        }
        copy
    }

    /// A strided value of the first item, which maybe does not run the instruction: without promises.
    fn of_first(&mut self, value: Value) -> Value {
        use Opcode::*;
        let opcode = value.opcode().expect("an instruction");
        match opcode {
            LLVMGetElementPtr => self.address_of_first(value),
            LLVMTrunc | LLVMZExt | LLVMSExt | LLVMBitCast | LLVMPtrToInt | LLVMIntToPtr
            | LLVMAddrSpaceCast => {
                if let Some(sum) = self.extended_by_parts(value) {
                    return sum;
                }
                let from = self.first_of(value.operand(0));
                let opcode = if value.is_nonnegative() { LLVMSExt } else { opcode };
                self.builder.cast(opcode, from, value.ty())
            }
            LLVMOr => {
                let (a, b) = self.two(value);
                self.builder.add(a, b)
            }
            LLVMFreeze => self.first_of(value.operand(0)),
            LLVMCall => {
                let name = value.intrinsic_name().expect("a bound");
                let (a, b) = self.two(value);
                self.builder.intrinsic(&name, &[a.ty()], &[a, b])
            }
            LLVMSelect => {
                // Where the guess holds, all that are there choose this.
                let guess = Guess::of(value, self.facts.lanes, &|value| self.shape(value));
                if let Some(Guess::Chosen { yes, .. }) = guess {
                    return self.first_of(value.operand(if yes { 1 } else { 2 }));
                }
                let which = self.first_of(value.operand(0));
                let (yes, no) = (self.first_of(value.operand(1)), self.first_of(value.operand(2)));
                self.builder.select(which, yes, no)
            }
            LLVMSDiv => {
                let (a, b) = self.two(value);
                let made = self.builder.binary(opcode, a, b);
                // The divisor may be one that this item would not choose.
                if made.is_instruction() {
                    division::secure_one(self.context, made);
                }
                made
            }
            _ => {
                let (a, b) = self.two(value);
                self.builder.binary(opcode, a, b)
            }
        }
    }

    fn two(&mut self, value: Value) -> (Value, Value) {
        (self.first_of(value.operand(0)), self.first_of(value.operand(1)))
    }

    /// Adds up an address, of the first item.
    fn address_of_first(&mut self, value: Value) -> Value {
        let byte = self.context.integer(8);
        let base = self.first_of(value.operand(0));
        let factor = self.privates.factor(value.operand(0));
        let offsets = Offsets::of(self.machine, value);
        let word = self.context.integer(64);
        let mut at = base;
        for (index, scale) in offsets.scaled {
            let index = self.first_word_of(&Term::of_index(index, scale));
            at = match scale * factor {
                1 => self.builder.element_anywhere(byte, at, &[index]),
                scale => {
                    let bytes = self.builder.mul(index, word.signed(scale));
                    self.builder.element_anywhere(byte, at, &[bytes])
                }
            };
        }
        match offsets.constant.wrapping_mul(factor) {
            0 => at,
            bytes => self.builder.element_anywhere(byte, at, &[word.signed(bytes)]),
        }
    }

    /// The vectors of an instruction that has a vector form.
    pub fn widen(&mut self, value: Value) -> Vec<Value> {
        use Opcode::*;
        let opcode = value.opcode().expect("an instruction");
        match opcode {
            LLVMGetElementPtr => vec![self.addresses(value)],
            LLVMExtractElement => vec![self.component_at(value.operand(0), value.operand(1))],
            LLVMInsertElement => self.put(value),
            LLVMShuffleVector => self.shuffled(value),
            LLVMExtractValue => {
                let index = value.indices()[0] as usize;
                vec![self.lanes_of(value.operand(0))[index]]
            }
            LLVMInsertValue => {
                let index = value.indices()[0] as usize;
                let mut lanes = self.lanes_of(value.operand(0));
                lanes[index] = self.lane_vector(value.operand(1));
                lanes
            }
            LLVMCall => self.call(value),
            LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem => self.divide(value),
            _ => {
                let operands: Vec<Vec<Value>> =
                    value.operands().map(|operand| self.lanes_of(operand)).collect();
                let parts = operands.iter().map(Vec::len).max().unwrap_or(1);
                (0..parts)
                    .map(|part| {
                        let one = |of: &Vec<Value>| of[if of.len() == 1 { 0 } else { part }];
                        let operands: Vec<Value> = operands.iter().map(one).collect();
                        self.simple(value, opcode, &operands)
                    })
                    .collect()
            }
        }
    }

    /// The component of a vector of each item at a place, which may differ between items.
    fn component_at(&mut self, vector: Value, place: Value) -> Value {
        let components = self.lanes_of(vector);
        if let Some(place) = place.unsigned() {
            return components[place as usize];
        }
        let places = self.lane_vector(place);
        let others = components.iter().enumerate().skip(1);
        others.fold(components[0], |picked, (number, &component)| {
            let is_it = self.is_place(places, number);
            self.builder.select(is_it, component, picked)
        })
    }

    /// The components of a vector of each item, with another one at a place.
    fn put(&mut self, value: Value) -> Vec<Value> {
        let mut components = self.lanes_of(value.operand(0));
        let (new, place) = (self.lane_vector(value.operand(1)), value.operand(2));
        if let Some(place) = place.unsigned() {
            components[place as usize] = new;
            return components;
        }
        let places = self.lane_vector(place);
        for (number, component) in components.iter_mut().enumerate() {
            let is_it = self.is_place(places, number);
            *component = self.builder.select(is_it, new, *component);
        }
        components
    }

    fn is_place(&self, places: Value, number: usize) -> Value {
        let number = places.ty().splat(number as i64);
        self.builder.compare(IntPredicate::LLVMIntEQ, places, number)
    }

    fn simple(&self, value: Value, opcode: Opcode, operands: &[Value]) -> Value {
        use Opcode::*;
        let builder = &self.builder;
        let made = match opcode {
            LLVMICmp => {
                let predicate = value.int_predicate().expect("that of a comparison");
                builder.compare(predicate, operands[0], operands[1])
            }
            LLVMFCmp => builder.compare_floats(value, operands[0], operands[1]),
            LLVMSelect => builder.select(operands[0], operands[1], operands[2]),
            LLVMFNeg => builder.negate(operands[0]),
            LLVMFreeze => builder.freeze(operands[0]),
            _ if operands.len() == 1 => {
                let element = value.ty().element().filter(|_| value.ty().is_vector());
                let to = element.unwrap_or(value.ty()).vector(self.lanes);
                builder.cast(opcode, operands[0], to)
            }
            _ => builder.binary(opcode, operands[0], operands[1]),
        };
        made.take_promises_of(value);
        made
    }

    /// A division: items that are not there divide by one.
    fn divide(&mut self, value: Value) -> Vec<Value> {
        let opcode = value.opcode().expect("an instruction");
        let (above, below) = (self.lanes_of(value.operand(0)), self.lanes_of(value.operand(1)));
        let pairs = above.into_iter().zip(below);
        let divisor = value.operand(1);
        let is_shared = !value.ty().is_vector() && self.shape_here(divisor) == Shape::Uniform;
        let shared = is_shared.then(|| self.first_of(divisor));
        pairs
            .map(|(above, below)| {
                let below = match self.mask {
                    Some(mask) => self.builder.select(mask, below, below.ty().splat(1)),
                    None => below,
                };
                quotients::of_items(&self.builder, self.machine, value, [above, below], shared)
                    .unwrap_or_else(|| self.simple(value, opcode, &[above, below]))
            })
            .collect()
    }

    fn shuffled(&mut self, value: Value) -> Vec<Value> {
        let mut from = self.lanes_of(value.operand(0));
        from.extend(self.lanes_of(value.operand(1)));
        let nothing = from[0].ty().poison();
        let places = value.shuffled().into_iter();
        places.map(|place| place.map_or(nothing, |place| from[place as usize])).collect()
    }

    /// The first item's number of a term, as an address takes it.
    pub fn first_word_of(&mut self, term: &Term) -> Value {
        let number = self.first_of(term.value);
        match term.extension.opcode() {
            None => number,
            Some(extend) => self.builder.cast(extend, number, self.context.integer(64)),
        }
    }

    fn addresses(&mut self, value: Value) -> Value {
        let byte = self.context.integer(8);
        let word = self.context.integer(64);
        let factor = self.privates.factor(value.operand(0));
        let offsets = Offsets::of(self.machine, value);
        let words = word.vector(self.lanes);
        let mut at = match self.shape_here(value.operand(0)) {
            Shape::Uniform => self.first_of(value.operand(0)),
            _ => self.lane_vector(value.operand(0)),
        };
        for (index, scale) in offsets.scaled {
            let uniform = self.shape_here(index) == Shape::Uniform;
            let (index, ty) = match uniform {
                true => (self.first_of(index), word),
                false => (self.lane_vector(index), words),
            };
            let bits = index.ty().element().unwrap_or(index.ty()).integer_bits();
            let index = match bits {
                64 => index,
                _ => self.builder.cast(Opcode::LLVMSExt, index, ty),
            };
            let scale = self.element_of(scale * factor);
            at = match scale {
                Ok(ty) => self.builder.element_anywhere(ty, at, &[index]),
                Err(bytes) => {
                    let by = if uniform { word.signed(bytes) } else { words.splat(bytes) };
                    let bytes = self.builder.mul(index, by);
                    self.builder.element_anywhere(byte, at, &[bytes])
                }
            };
        }
        let constant = offsets.constant.wrapping_mul(factor);
        if constant != 0 {
            at = self.builder.element_anywhere(byte, at, &[word.signed(constant)]);
        }
        if at.ty().is_vector() { at } else { self.builder.splat(at, self.lanes) }
    }

    /// A type of so many bytes that addressing knows, or the bytes.
    fn element_of(&self, bytes: i64) -> Result<Type, i64> {
        match bytes {
            1 | 2 | 4 | 8 => Ok(self.context.integer(8 * bytes as u32)),
            _ => Err(bytes),
        }
    }

    pub fn shape_here(&self, value: Value) -> Shape {
        if !value.is_instruction() {
            return Shape::Uniform;
        }
        if self.privates_at.contains_key(&value) {
            return Shape::Varying;
        }
        self.shape_at(value, self.block)
    }

    /// Calls the vector form of a function.
    fn call(&mut self, value: Value) -> Vec<Value> {
        let arguments = value.call_arguments();
        if let Some(name) = value.intrinsic_name() {
            let operands: Vec<Vec<Value>> = arguments
                .iter()
                .map(|&argument| match argument.ty().integer_bits() {
                    // What must be a constant stays one.
                    _ if is_flag(&name, value, argument) => vec![argument],
                    _ => self.lanes_of(argument),
                })
                .collect();
            return (0..operands[0].len())
                .map(|part| {
                    let one = |of: &Vec<Value>| of[if of.len() == 1 { 0 } else { part }];
                    let operands: Vec<Value> = operands.iter().map(one).collect();
                    let made = self.builder.intrinsic(&name, &[operands[0].ty()], &operands);
                    made.take_promises_of(value);
                    made
                })
                .collect();
        }
        let operands: Vec<Value> =
            arguments.iter().map(|&argument| self.lane_vector(argument)).collect();
        vec![self.library_call(value, &operands)]
    }
}

/// Whether an argument of an intrinsic has to be a constant.
fn is_flag(name: &str, call: Value, argument: Value) -> bool {
    let last = call.call_arguments().last() == Some(&argument);
    last && matches!(name, "llvm.abs" | "llvm.ctlz" | "llvm.cttz" | "llvm.is.fpclass")
}

/// Whether an instruction picks or puts a component at a known place, or moves components.
pub fn moves_components(value: Value) -> bool {
    match value.opcode() {
        Some(Opcode::LLVMExtractElement) => value.operand(1).is_constant(),
        Some(Opcode::LLVMInsertElement) => value.operand(2).is_constant(),
        opcode => opcode == Some(Opcode::LLVMShuffleVector),
    }
}

/// Whether there is a vector form of an instruction that differs from item to item.
pub fn has_vector_form(value: Value) -> bool {
    use Opcode::*;
    let operands_are_simple = || {
        value
            .operands()
            .filter(|operand| operand.as_function().is_none())
            .all(|operand| components(operand.ty()).is_some())
    };
    let result = value.ty();
    if result.is_void() || components(result).is_none() || !operands_are_simple() {
        return false;
    }
    match value.opcode() {
        Some(LLVMCall) => is_simple(value) || super::library::has_form(value),
        Some(LLVMExtractValue | LLVMInsertValue) => value.indices().len() == 1,
        Some(LLVMGetElementPtr) => !result.is_vector(),
        Some(LLVMBitCast) => !result.is_vector() && !value.operand(0).ty().is_vector(),
        Some(
            LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMFence | LLVMLoad | LLVMStore | LLVMPHI
            | LLVMAlloca | LLVMVAArg,
        ) => false,
        Some(_) => true,
        None => false,
    }
}
