//! Addresses and conditions of a writer, made anew in front of a read.

use super::rule::Polynomial;
use super::{Filled, MOST_MADE_OF};
use crate::analysis::loops::LoopId;
use crate::analysis::places::{Atom, Linear};
use crate::view::{Op, TypeKind, ValueId};

/// A value made anew in front of a read.
#[derive(Clone, Debug)]
pub enum Made {
    /// One that is there.
    Kept(ValueId),
    /// A sum of products, as wide as a value.
    Sum(ValueId, Vec<(i128, Vec<Atom>)>),
    /// The same instruction with other operands.
    Again(ValueId, Vec<Made>),
}

/// What there is in front of a read.
pub struct Present<'a> {
    pub is_there: &'a dyn Fn(ValueId) -> bool,
    /// What counts a loop's iterations.
    pub counter: &'a dyn Fn(LoopId, i128) -> Option<Counter>,
}

impl Filled<'_> {
    /// A value of the model's, as it would be for a writer.
    pub fn made(&self, value: ValueId, writer: &[Linear; 3], present: &Present) -> Option<Made> {
        Making { filled: self, writer, present }.of(value, &mut MOST_MADE_OF.clone())
    }
}

/// Instructions that do the same again.
pub(super) fn is_repeatable(op: &Op) -> bool {
    matches!(
        op,
        Op::Binary(..)
            | Op::Cast(_)
            | Op::Address { .. }
            | Op::Select
            | Op::Compare(_)
            | Op::Extremum
    )
}
/// A number that is `first` in a loop's first iteration, and `step` more in each that follows.
pub struct Counter {
    pub value: ValueId,
    pub first: i128,
    pub step: i128,
}

/// An address on the way to a read.
struct Making<'a> {
    filled: &'a Filled<'a>,
    writer: &'a [Linear; 3],
    present: &'a Present<'a>,
}

impl Making<'_> {
    fn of(&self, id: ValueId, left: &mut usize) -> Option<Made> {
        *left = left.checked_sub(1)?;
        let places = self.filled.places;
        let known = places.of(id).map(|known| &known.linear);
        if let Some(sum) = known.and_then(|sum| self.filled.for_writer(sum, self.writer)) {
            return self.sum(id, sum);
        }
        let Some(made) = places.function.instruction(id) else { return Some(Made::Kept(id)) };
        if !is_repeatable(&made.op) {
            return None;
        }
        let operands = made.operands.iter().map(|&operand| self.of(operand, left));
        Some(Made::Again(id, operands.collect::<Option<_>>()?))
    }

    fn sum(&self, id: ValueId, sum: Polynomial) -> Option<Made> {
        let function = self.filled.places.function;
        let mut all = Polynomial::new();
        for (atoms, factor) in sum {
            let mut product = Polynomial::from([(Vec::new(), factor)]);
            for atom in atoms {
                let mut by = Linear::atom(atom);
                if let Atom::Iteration(id) = atom {
                    let counter = (self.present.counter)(id, *product.values().next()?)?;
                    if product.values().any(|factor| factor % counter.step != 0) {
                        return None;
                    }
                    product.values_mut().for_each(|factor| *factor /= counter.step);
                    by = Linear::atom(Atom::Value(counter.value)).and(-counter.first)?;
                }
                product = self.filled.multiplied(&product, &by)?;
            }
            for (atoms, factor) in product {
                *all.entry(atoms).or_default() += factor;
            }
        }
        all.retain(|_, factor| *factor != 0);
        let is_address = |id: ValueId| matches!(function.value(id).ty.kind, TypeKind::Pointer(_));
        let is_fine = |atom: &Atom| match *atom {
            Atom::Value(part) => {
                let ty = function.value(part).ty;
                let is_number = ty.kind == TypeKind::Integer && ty.bits <= 64;
                (self.present.is_there)(part) && (is_number || is_address(part))
            }
            Atom::Local(_) | Atom::Group(_) | Atom::Offset(_) | Atom::First(_) => true,
            _ => false,
        };
        let bases = all.iter().filter(|(atoms, _)| {
            atoms.iter().any(|atom| matches!(*atom, Atom::Value(part) if is_address(part)))
        });
        let bases: Vec<_> = bases.collect();
        let is_based = match bases.as_slice() {
            [] => !is_address(id),
            [(atoms, factor)] => is_address(id) && atoms.len() == 1 && **factor == 1,
            _ => false,
        };
        let fine = is_based && all.keys().flatten().all(is_fine);
        fine.then(|| {
            Made::Sum(id, all.into_iter().map(|(atoms, factor)| (factor, atoms)).collect())
        })
    }
}
