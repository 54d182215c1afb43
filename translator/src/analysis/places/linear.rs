//! Sums of whole factors times atoms.

use std::collections::BTreeMap;

use crate::analysis::loops::LoopId;
use crate::view::ValueId;

/// Terms of a sum at most: addresses with more are taken to be anywhere.
const MOST_TERMS: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// The local id along a dimension.
    Local(u8),
    /// Along a dimension: the global id of the group's first item, the group's number, the range's offset, items of the group.
    First(u8),
    Group(u8),
    Offset(u8),
    Size(u8),
    /// The number of the iteration that a loop is in, or was in last.
    Iteration(LoopId),
    Value(ValueId),
    /// How often the value has wrapped around, read as a signed or as an unsigned number.
    Turns(ValueId, bool),
    /// What the value is divided by a number, rounded down; the value may be the quotient or what remains.
    Quotient(ValueId),
    /// Several atoms multiplied: [`super::Places::factors`].
    Product(u32),
}

/// Invariant: no factor is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linear {
    pub terms: BTreeMap<Atom, i128>,
    pub constant: i128,
}

impl Linear {
    pub fn constant(constant: i128) -> Linear {
        Linear { terms: BTreeMap::new(), constant }
    }

    pub fn atom(atom: Atom) -> Linear {
        Linear { terms: BTreeMap::from([(atom, 1)]), constant: 0 }
    }

    /// None where numbers or the sum become too large, as of all operations here.
    pub fn plus(&self, other: &Linear) -> Option<Linear> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant)?;
        for (&atom, factor) in &other.terms {
            let total = sum.terms.get(&atom).copied().unwrap_or(0).checked_add(*factor)?;
            if total == 0 {
                sum.terms.remove(&atom);
            } else {
                sum.terms.insert(atom, total);
            }
        }
        (sum.terms.len() <= MOST_TERMS).then_some(sum)
    }

    pub fn times(&self, factor: i128) -> Option<Linear> {
        let mut product = Linear::constant(self.constant.checked_mul(factor)?);
        for (&atom, by) in self.terms.iter().filter(|_| factor != 0) {
            product.terms.insert(atom, by.checked_mul(factor)?);
        }
        Some(product)
    }

    pub fn minus(&self, other: &Linear) -> Option<Linear> {
        self.plus(&other.times(-1)?)
    }

    pub fn and(&self, constant: i128) -> Option<Linear> {
        let constant = self.constant.checked_add(constant)?;
        Some(Linear { constant, ..self.clone() })
    }

    pub fn as_constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    pub fn factor(&self, atom: Atom) -> i128 {
        self.terms.get(&atom).copied().unwrap_or(0)
    }
}
