//! Where each access of a kernel goes, as a linear function that is exact, and whether two items may meet there.
//!
//! Terms: an *atom* is a whole number that an item has at a moment: its local id, what a uniform value is, the number of an
//! iteration, or a value of which nothing is known but its bounds. A *place* is an address as a sum of factors times atoms. Unlike
//! the forms of [`super::forms`], places are sound: where arithmetic may wrap around, an atom of its own counts how often it does
//! ([`Atom::Turns`]), so that code generation may rest on them. What is not linear is an atom that may be anything its type allows.
//! *Rules* of an atom, and *guards* of a block (what the branches say that lead there), are sums that are at most 0.
//! Parts: [`linear`] has the sums, [`values`] makes them of a kernel's values, [`guards`] of its branches, [`meeting`] asks whether
//! two different items may touch the same bytes, by way of [`super::inequalities`].
//! Source: Huang et al., "Accelerating OpenCL kernels on CPUs by eliminating local memory" (FITEE 16(11), 2015), sections 3 and 4.1.2.

mod guards;
mod linear;
mod meeting;
mod values;

pub use linear::{Atom, Linear};
pub use meeting::{Moment, Spot};

use std::collections::HashMap;

use super::Analysis;
use crate::view::{BlockId, Function, ValueId};

/// Items that a group has at most: docs/kernel-abi.md.
const MOST_ITEMS: i128 = 4096;

/// Beyond all numbers that programs have; sums of them stay within 128 bits.
const UNBOUNDED: i128 = 1 << 100;

/// An integer or an address: the sum is what the value is, but for multiples of 2 to its width, and lies within the bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    pub linear: Linear,
    pub low: i128,
    pub high: i128,
}

/// What is known of a kernel's places.
pub struct Places<'a> {
    pub function: &'a Function,
    pub analysis: &'a Analysis,
    known: Vec<Option<Known>>,
    /// The least and the most that an atom is, for those that have such.
    bounds: HashMap<Atom, (i128, i128)>,
    rules: HashMap<Atom, Vec<Linear>>,
    /// Of what, by which number, and how it is called.
    quotients: Vec<(Linear, i128, Known)>,
    /// Of each product: its factors, in order, none of them a product.
    products: Vec<Vec<Atom>>,
    /// By block: what holds whenever it runs.
    guards: Vec<Vec<Linear>>,
    /// Of edges that a condition leads to: what the condition is, where that can be said to the full.
    conditions: HashMap<(BlockId, BlockId), Vec<Linear>>,
}

impl<'a> Places<'a> {
    pub fn find(function: &'a Function, analysis: &'a Analysis) -> Places<'a> {
        let mut places = Places {
            function,
            analysis,
            known: vec![None; function.values.len()],
            bounds: HashMap::new(),
            rules: HashMap::new(),
            quotients: Vec::new(),
            products: Vec::new(),
            guards: vec![Vec::new(); function.blocks.len()],
            conditions: HashMap::new(),
        };
        places.read_values();
        places.read_guards();
        places
    }

    pub fn of(&self, value: ValueId) -> Option<&Known> {
        self.known[value.index()].as_ref()
    }

    /// What holds whenever a block runs.
    pub fn guards(&self, block: BlockId) -> &[Linear] {
        &self.guards[block.index()]
    }

    /// When the branch of `from` goes on to `to`: where all of this holds, and nowhere else. None if that cannot be said so.
    pub fn condition(&self, from: BlockId, to: BlockId) -> Option<&[Linear]> {
        self.conditions.get(&(from, to)).map(Vec::as_slice)
    }

    /// The factors of an atom: itself, if it is no product.
    pub fn factors(&self, atom: Atom) -> Vec<Atom> {
        match atom {
            Atom::Product(number) => self.products[number as usize].clone(),
            _ => vec![atom],
        }
    }

    fn bounds(&self, atom: Atom) -> (i128, i128) {
        self.bounds.get(&atom).copied().unwrap_or((-UNBOUNDED, UNBOUNDED))
    }
}
