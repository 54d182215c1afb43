//! Atomic operations of all items of a vector.
//!
//! Lanes do them in their order, each as its item would. Three things make that cheap:
//! - Operations on `__local` memory are loads and stores ([`crate::code::atomics`]); lanes that are off do theirs nowhere, so that
//!   nobody has to be asked.
//! - Operations on one address for all lanes are *combined*: the sum of the lanes' numbers, say, is added once. What each
//!   lane finds, if that is used, is what was there and the sum of the lanes before it.
//! - All others go one after another, those of the lanes that are there alone. Operations that look first do so for all
//!   lanes together; then those alone follow that would change something.

use super::access::Pattern;
use crate::code::atomics;
use crate::llvm::{AtomicOperation, Opcode, Type, Value};
use crate::vector::emit::Emitter;
use crate::vector::facts::state::Shape;
use crate::vector::values::form::{Form, components};

/// What becomes of an atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Combined,
    /// Lane by lane, by loads and stores.
    Plain,
    /// One after another: lanes that are there, and would change something if they look first.
    Each,
}

impl Way {
    /// `at`: how the address differs between lanes.
    pub fn of(operation: Value, at: Shape) -> Way {
        let sums = |known| {
            use AtomicOperation::*;
            matches!(known, LLVMAtomicRMWBinOpAdd | LLVMAtomicRMWBinOpSub)
        };
        let combines = operation.atomic_operation().is_some_and(|known| {
            reduction(known).is_some() && (sums(known) || !operation.is_used())
        });
        match atomics::is_local(operation) {
            _ if combines && at == Shape::Uniform => Way::Combined,
            true if operation.atomic_operation().is_some() => Way::Plain,
            _ => Way::Each,
        }
    }
}

/// What becomes of an operation in vector code, in words.
pub fn told(operation: Value, at: Shape) -> &'static str {
    match Way::of(operation, at) {
        Way::Combined => "one for all items of a vector, with their numbers together",
        Way::Plain => "a load and a store of each item, since one thread runs a group",
        Way::Each if atomics::looks_first(operation) => {
            "a load of each item, and itself only for those for whom it changes something"
        }
        Way::Each => "one for each item, in their order",
    }
}

/// The number that changes nothing, of so many bits.
type Nothing = fn(u32) -> i64;

/// LLVM's reduction that lets all lanes' numbers be one, and what changes nothing.
fn reduction(operation: AtomicOperation) -> Option<(&'static str, Nothing)> {
    use AtomicOperation::*;
    Some(match operation {
        LLVMAtomicRMWBinOpAdd | LLVMAtomicRMWBinOpSub => ("llvm.vector.reduce.add", |_| 0),
        LLVMAtomicRMWBinOpAnd => ("llvm.vector.reduce.and", |_| -1),
        LLVMAtomicRMWBinOpOr => ("llvm.vector.reduce.or", |_| 0),
        LLVMAtomicRMWBinOpXor => ("llvm.vector.reduce.xor", |_| 0),
        LLVMAtomicRMWBinOpMax => ("llvm.vector.reduce.smax", |bits| i64::MIN >> (64 - bits)),
        LLVMAtomicRMWBinOpMin => ("llvm.vector.reduce.smin", |bits| i64::MAX >> (64 - bits)),
        LLVMAtomicRMWBinOpUMax => ("llvm.vector.reduce.umax", |_| 0),
        LLVMAtomicRMWBinOpUMin => ("llvm.vector.reduce.umin", |_| -1),
        _ => return None,
    })
}

impl Emitter<'_> {
    /// Does an atomic operation for each item that is there; gives what they find.
    pub fn atomic(&mut self, operation: Value) -> Option<Form> {
        match Way::of(operation, self.shape_here(operation.operand(0))) {
            Way::Combined => self.combined(operation).map(|found| Form::Lanes(vec![found])),
            Way::Plain => Some(Form::Lanes(self.plain(operation))),
            Way::Each if self.mask.is_none() && !atomics::looks_first(operation) => {
                self.serial(operation)
            }
            Way::Each => Some(Form::Lanes(self.each(operation))),
        }
    }

    /// Once for all lanes. There is one at least: code that touches memory is jumped over if nobody is there.
    fn combined(&mut self, operation: Value) -> Option<Value> {
        let known = operation.atomic_operation().expect("an operation that combines");
        let (reduction, nothing) = reduction(known).expect("an operation that combines");
        let at = self.first_of(operation.operand(0));
        let number = operation.operand(1);
        let is_sum = reduction == "llvm.vector.reduce.add";
        if is_sum && !operation.is_used() && self.shape_here(number) == Shape::Uniform {
            let each = self.first_of(number);
            let all = self.times_lanes(each);
            self.change(operation, &[at, all]);
            return None;
        }
        let all = self.lane_vector(number);
        let nothing = all.ty().splat(nothing(number.ty().integer_bits()));
        let there = match self.mask {
            Some(mask) => self.builder.select(mask, all, nothing),
            None => all,
        };
        if !operation.is_used() {
            let whole = self.builder.intrinsic(reduction, &[all.ty()], &[there]);
            self.change(operation, &[at, whole]);
            return None;
        }
        let up_to = self.summed_up(there);
        let whole = self.builder.component(up_to, self.lanes - 1);
        let found = self.change(operation, &[at, whole]);
        let before = self.builder.sub(up_to, there);
        let found = self.builder.splat(found, self.lanes);
        let opcode = match known {
            AtomicOperation::LLVMAtomicRMWBinOpSub => Opcode::LLVMSub,
            _ => Opcode::LLVMAdd,
        };
        Some(self.builder.binary(opcode, found, before))
    }

    /// A number as often as there are lanes.
    fn times_lanes(&self, each: Value) -> Value {
        let count = match self.mask {
            None => each.ty().constant(self.lanes),
            Some(mask) => {
                let bits = self.bits_of(mask);
                let bits = self.builder.resize(bits, each.ty());
                self.builder.intrinsic("llvm.ctpop", &[bits.ty()], &[bits])
            }
        };
        self.builder.mul(each, count)
    }

    /// Sums of each lane's number and of those before it.
    fn summed_up(&self, vector: Value) -> Value {
        let lanes = self.lanes as u32;
        let distances = (0..).map(|step| 1u32 << step).take_while(|&distance| distance < lanes);
        distances.fold(vector, |sums, distance| {
            let from = |lane: u32| lane.checked_sub(distance).unwrap_or(lanes);
            let places: Vec<u32> = (0..lanes).map(from).collect();
            let before = self.builder.shuffle(sums, sums.ty().zero(), &places);
            self.builder.add(sums, before)
        })
    }

    /// One operation, of a lane or of what all share.
    pub(in crate::vector) fn change(&self, operation: Value, operands: &[Value]) -> Value {
        match atomics::is_local(operation) {
            true => atomics::plainly(&self.builder, operation, operands),
            false => self.copy_with(operation, operands),
        }
    }

    /// By a load and a store of each lane.
    fn plain(&mut self, operation: Value) -> Vec<Value> {
        let places = self.places_of_change(operation.operand(0));
        let mut found = self.nothing(operation.ty());
        for (&place, lane) in places.iter().zip(0..) {
            let numbers = operation.operands().skip(1).map(|it| self.lane(it, lane));
            let operands: Vec<Value> = [place].into_iter().chain(numbers).collect();
            let result = atomics::plainly(&self.builder, operation, &operands);
            if operation.is_used() {
                found = self.insert_into(&found, result, lane);
            }
        }
        found
    }

    fn nothing(&self, ty: Type) -> Vec<Value> {
        let parts = components(ty).expect("simple values");
        parts.into_iter().map(|ty| ty.vector(self.lanes).poison()).collect()
    }

    /// Where each lane's number is; a place of its own nowhere for one that is off, so that none waits for another there.
    fn places_of_change(&mut self, address: Value) -> Vec<Value> {
        let Some(mask) = self.mask else {
            return (0..self.lanes).map(|lane| self.place_of(address, lane)).collect();
        };
        let nowhere = self.builder.address_space_cast(self.nowhere.stored, address.ty());
        let byte = self.context.integer(8);
        let places = (0..self.lanes as i64).map(|lane| lane % NOWHERE_NUMBERS * NUMBER_BYTES);
        let places: Vec<Value> =
            places.map(|bytes| self.context.integer(64).signed(bytes)).collect();
        let own = Type::constant_vector(&places);
        let nowhere = self.builder.element_anywhere(byte, nowhere, &[own]);
        let there = self.lane_vector(address);
        let chosen = self.builder.select(mask, there, nowhere);
        (0..self.lanes).map(|lane| self.builder.component(chosen, lane)).collect()
    }

    /// A lane's address: of what it is computed of here, which the machine adds up while it loads.
    fn place_of(&mut self, address: Value, lane: u64) -> Value {
        if !self.is_sum_here(address) {
            return self.lane(address, lane);
        }
        let operands: Vec<Value> = address.operands().map(|it| self.lane(it, lane)).collect();
        self.copy_with(address, &operands)
    }

    /// One after another.
    fn each(&mut self, operation: Value) -> Vec<Value> {
        let mut found = self.nothing(operation.ty());
        let mut mask = self.all_or(self.mask);
        if atomics::looks_first(operation) {
            let number = self.lane_vector(operation.operand(1));
            let seen = self.seen(operation, number.ty());
            let changes = atomics::would_change(&self.builder, operation, seen, number);
            mask = self.narrow(Some(mask), changes);
            found[0] = seen;
            found[1..].fill(self.mask_type().zero());
        }
        self.one_by_one(operation, mask, found)
    }

    /// What is there before any lane changes it.
    fn seen(&mut self, operation: Value, wide: Type) -> Value {
        let address = operation.operand(0);
        let one = wide.element().expect("a vector");
        if self.shape_here(address) == Shape::Uniform {
            let at = self.first_of(address);
            let seen = self.builder.load(one, at);
            seen.make_relaxed();
            return self.builder.splat(seen, self.lanes);
        }
        let mut seen = wide.poison();
        for (place, lane) in
            self.places(address, Pattern::Anywhere, self.nowhere.loaded).into_iter().zip(0..)
        {
            let loaded = self.builder.load(one, place);
            loaded.make_relaxed();
            seen = self.builder.with_component(seen, lane, loaded);
        }
        seen
    }
}

/// Room for the numbers of lanes that are off.
const NOWHERE_NUMBERS: i64 = 16;
const NUMBER_BYTES: i64 = 8;
