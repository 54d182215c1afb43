//! Whose copy lies at a place of a `__local` array, and the address that it was copied from.
//!
//! Terms: several *stores* fill an array. One of them is the *model*: its place tells items apart. The *writer* of any place is
//! the local id of the item that the model would store there by, whether there is such an item or not: left of the group are -1 and
//! so on. All stores copy *by one rule* if each copies from where the model would copy from for the writer of its place. Then
//! what lies at a place that any of them has stored to is what lies where the model's address leads for its writer.
//!
//! A store's *conditions* say which items store in which iterations of its *own* loops, those that no read is in. A read is covered
//! if there is no moment at which its writer is the writer of no store's place whose conditions hold. That is asked
//! piece by piece: what the first store does not cover, the second must, and so on.
//!
//! Of a store that stores a constant outside of what it copies, the condition belongs to the rule, as the address does.
//!
//! An address is made anew as a sum of products, exact for 64 bits, as far as it is one; the rest is the same instructions with
//! other operands, which are those that some item had.
//! Parts: [`rule`] compares stores, [`covered`] asks who has stored, [`making`] makes values anew.
//! Not here: writers that are found by division, and loops by whose tests a copy is not told (`&&` with what is loaded).

mod covered;
mod making;
mod rule;

pub use making::{Counter, Made, Present};

use covered::{least, most};

use super::loops::LoopId;
use super::places::{Atom, Linear, Places};
use crate::view::{BlockId, ValueId};

/// Instructions that an address is made of at most.
const MOST_MADE_OF: usize = 64;

/// One store, and the load whose value it stores.
pub struct Stored {
    pub block: BlockId,
    /// Of the store, and of the load.
    pub place: Linear,
    pub address: ValueId,
    /// What it stores without loading, and when.
    pub outside: Option<Outside>,
    /// The loops around it that no read is in.
    pub own: Vec<LoopId>,
    /// It stores where all of these are at most 0.
    pub conditions: Vec<Linear>,
}

/// A store of what was loaded where a condition is `inside`, and elsewhere of a constant: the border of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outside {
    pub condition: ValueId,
    pub inside: bool,
    pub constant: ValueId,
}

/// An array and all that fills it.
pub struct Filled<'a> {
    places: &'a Places<'a>,
    size: [u64; 3],
    model: usize,
    /// How far apart items along each dimension store by the model, farthest first.
    factors: Vec<(i128, usize)>,
    stores: &'a [Stored],
    /// By store.
    writers: Vec<[Linear; 3]>,
}

impl<'a> Filled<'a> {
    /// None if they do not copy by one rule.
    pub fn find(places: &'a Places<'a>, size: [u64; 3], stores: &'a [Stored]) -> Option<Self> {
        (0..stores.len()).find_map(|model| Filled::by(places, size, stores, model))
    }

    fn by(
        places: &'a Places<'a>,
        size: [u64; 3],
        stores: &'a [Stored],
        model: usize,
    ) -> Option<Self> {
        let place = &stores[model].place;
        let mut factors: Vec<(i128, usize)> = (0..3)
            .map(|dimension| (place.factor(Atom::Local(dimension as u8)), dimension))
            .filter(|&(factor, dimension)| factor != 0 && size[dimension] > 1)
            .collect();
        factors.sort_by_key(|&(factor, _)| std::cmp::Reverse(factor.abs()));
        let told = |dimension: usize| factors.iter().any(|&(_, used)| used == dimension);
        if (0..3).any(|dimension| size[dimension] > 1 && !told(dimension)) {
            return None;
        }
        let mut filled = Filled { places, size, model, factors, stores, writers: Vec::new() };
        for stored in stores {
            let writer = filled.writer(&filled.place(stored)?)?;
            if writer
                .iter()
                .flat_map(|sum| sum.terms.keys())
                .any(|&it| !filled.is_known(it, stored))
            {
                return None;
            }
            filled.writers.push(writer);
        }
        let by_rule = |at: usize| filled.is_by_rule(at);
        let apart = |one: usize| (0..=one).all(|other| filled.writers_are_told(one, other));
        let is_plain = stores.len() == 1 && stores[0].own.is_empty();
        let all = is_plain || (0..stores.len()).all(|at| by_rule(at) && apart(at));
        all.then_some(filled)
    }

    /// The model's source.
    pub fn source_address(&self) -> ValueId {
        self.stores[self.model].address
    }

    pub fn outside(&self) -> Option<Outside> {
        self.stores[self.model].outside
    }

    pub fn model(&self) -> usize {
        self.model
    }

    /// Whether an atom is the same for all items and in all iterations of a store's own loops.
    fn is_shared(&self, atom: Atom, stored: &Stored) -> bool {
        let (places, loops) = (self.places, &self.places.analysis.loops);
        match atom {
            Atom::Value(id) => {
                let made = places.function.instruction(id);
                let inside = |made: &crate::view::Instruction| {
                    stored.own.iter().any(|&own| loops.get(own).contains(made.block))
                };
                places.analysis.is_one_for_all(places.function, id) && !made.is_some_and(inside)
            }
            Atom::Iteration(id) => {
                !stored.own.contains(&id) && loops.around(stored.block).any(|around| around == id)
            }
            Atom::Product(_) => {
                self.places.factors(atom).into_iter().all(|part| self.is_shared(part, stored))
            }
            Atom::Turns(..) | Atom::Quotient(_) | Atom::Local(_) => false,
            _ => true,
        }
    }

    /// Whether an atom is of those that tell which item stores in which iteration, or shared.
    fn is_known(&self, atom: Atom, stored: &Stored) -> bool {
        self.is_own(atom, stored) || self.is_shared(atom, stored)
    }

    fn is_own(&self, atom: Atom, stored: &Stored) -> bool {
        match atom {
            Atom::Local(_) => true,
            Atom::Iteration(id) => stored.own.contains(&id),
            _ => false,
        }
    }

    fn is_zero(&self, atom: Atom) -> bool {
        matches!(atom, Atom::Local(at) if self.size[usize::from(at)] == 1)
    }

    /// The place of a store, with the numbers of ids that its conditions leave but one for.
    fn place(&self, stored: &Stored) -> Option<Linear> {
        let mut place = Linear::constant(stored.place.constant);
        for (&atom, &factor) in &stored.place.terms {
            let value = match self.only(atom, stored) {
                Some(number) => Linear::constant(number),
                None => Linear::atom(atom),
            };
            place = place.plus(&value.times(factor)?)?;
        }
        Some(place)
    }

    /// The only local id that stores along a dimension, if there is but one.
    fn only(&self, atom: Atom, stored: &Stored) -> Option<i128> {
        let Atom::Local(dimension) = atom else { return None };
        let last = i128::from(self.size[usize::from(dimension)]) - 1;
        let low = least(&stored.conditions, atom);
        (low == most(&stored.conditions, atom).unwrap_or(last).min(last)).then_some(low)
    }

    /// The writer of a place.
    pub fn writer(&self, place: &Linear) -> Option<[Linear; 3]> {
        let model = &self.stores[self.model];
        let fixed = model.place.terms.iter().filter(|&(&atom, _)| !self.is_own(atom, model));
        let fixed = Linear { terms: fixed.map(|(&at, &by)| (at, by)).collect(), constant: 0 };
        if !fixed.terms.keys().all(|&atom| self.is_shared(atom, model)) {
            return None;
        }
        let rest = place.minus(&fixed)?;
        let mut writer: [Linear; 3] = Default::default();
        for (&atom, &factor) in rest.terms.iter().filter(|&(&atom, _)| !self.is_zero(atom)) {
            let &(by, dimension) = self.factors.iter().find(|(by, _)| factor % by == 0)?;
            writer[dimension] = writer[dimension].plus(&Linear::atom(atom).times(factor / by)?)?;
        }
        let (digits, own) = (self.digits(place.constant)?, self.digits(model.place.constant)?);
        for dimension in 0..3 {
            writer[dimension].constant += digits[dimension] - own[dimension];
        }
        Some(writer)
    }

    /// A constant as rows, elements of a row and so on.
    fn digits(&self, constant: i128) -> Option<[i128; 3]> {
        let (mut digits, mut rest) = ([0; 3], constant);
        for &(by, dimension) in &self.factors {
            digits[dimension] = rest.div_euclid(by);
            rest = rest.rem_euclid(by);
        }
        (rest == 0).then_some(digits)
    }

    /// Whether no two stores, by any items, store to one place whose writers are two.
    fn writers_are_told(&self, one: usize, other: usize) -> bool {
        let sides = [one, other].map(|at| (&self.stores[at].place, self.stores[at].block));
        let writers = [&self.writers[one], &self.writers[other]];
        let shared = |id: LoopId| !self.stores[one].own.contains(&id);
        let loops = &self.places.analysis.loops;
        let together: Vec<LoopId> =
            loops.around(self.stores[one].block).filter(|&id| shared(id)).collect();
        self.places.are_one_where_they_meet(sides, writers, &together)
    }
}
