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
//! An address is made anew as a sum of products, exact for 64 bits, as far as it is one; the rest is the same instructions with
//! other operands, which are those that some item had.
//! Not here: writers that are found by division, and loops by whose tests a copy is not told (`&&` with what is loaded).

use std::collections::BTreeMap;

use super::loops::LoopId;
use super::places::{Atom, Linear, Places};
use crate::view::{BlockId, Op, TypeKind, ValueId};

/// Instructions that an address is made of at most.
const MOST_MADE_OF: usize = 64;

/// Pieces of a read that are looked at.
const MOST_PIECES: u32 = 200;

/// Factors by what they multiply: sorted atoms, none a product.
type Polynomial = BTreeMap<Vec<Atom>, i128>;

/// One store, and the load whose value it stores.
pub struct Stored {
    pub block: BlockId,
    /// Of the store, and of the load.
    pub place: Linear,
    pub address: ValueId,
    /// The loops around it that no read is in.
    pub own: Vec<LoopId>,
    /// It stores where all of these are at most 0.
    pub conditions: Vec<Linear>,
}

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

    /// Whether a store copies from where the model would for its writer.
    fn is_by_rule(&self, at: usize) -> bool {
        let mut left = MOST_MADE_OF;
        self.is_same(at, self.stores[at].address, self.source_address(), &mut left)
    }

    /// Whether `a`, of an item that stores, is what `b` of the model is for the writer of the item's place.
    fn is_same(&self, at: usize, a: ValueId, b: ValueId, left: &mut usize) -> bool {
        let Some(less) = left.checked_sub(1) else { return false };
        *left = less;
        let (function, stored) = (self.places.function, &self.stores[at]);
        if function.value(a).ty != function.value(b).ty {
            return false;
        }
        let of = |id| self.places.of(id).map(|known| &known.linear);
        let sums = of(a).zip(of(b)).and_then(|(a, b)| {
            Some((self.plain(a, stored)?, self.for_writer(b, &self.writers[at])?))
        });
        if let Some((a, b)) = sums {
            return a == b;
        }
        let (made, like) = match (function.instruction(a), function.instruction(b)) {
            (None, None) => return a == b,
            (Some(a), Some(b)) => (a, b),
            _ => return false,
        };
        let pairs = made.operands.iter().zip(&like.operands);
        made.op == like.op
            && is_repeatable(&made.op)
            && made.operands.len() == like.operands.len()
            && pairs.into_iter().all(|(&a, &b)| self.is_same(at, a, b, left))
    }

    /// A sum of what an item has that stores.
    fn plain(&self, sum: &Linear, stored: &Stored) -> Option<Polynomial> {
        self.expanded(sum, &|atom| match self.only(atom, stored) {
            Some(number) => Some(Linear::constant(number)),
            None => self.is_known(atom, stored).then(|| Linear::atom(atom)),
        })
    }

    /// A sum of the model's, as it is for a writer in the first iteration of its own loops.
    fn for_writer(&self, sum: &Linear, writer: &[Linear; 3]) -> Option<Polynomial> {
        let model = &self.stores[self.model];
        self.expanded(sum, &|atom| match atom {
            Atom::Local(dimension) => Some(writer[usize::from(dimension)].clone()),
            _ if self.is_own(atom, model) => Some(Linear::default()),
            _ => self.is_shared(atom, model).then(|| Linear::atom(atom)),
        })
    }

    /// A sum in which each atom is what `of` says.
    fn expanded(&self, sum: &Linear, of: &dyn Fn(Atom) -> Option<Linear>) -> Option<Polynomial> {
        let mut all = Polynomial::from([(Vec::new(), sum.constant)]);
        for (&atom, &factor) in &sum.terms {
            let mut product = Polynomial::from([(Vec::new(), factor)]);
            for part in self.places.factors(atom) {
                product = self.multiplied(&product, &of(part)?)?;
            }
            for (atoms, factor) in product {
                let total = all.entry(atoms).or_default();
                *total = total.checked_add(factor)?;
            }
        }
        all.retain(|_, factor| *factor != 0);
        Some(all)
    }

    fn multiplied(&self, product: &Polynomial, by: &Linear) -> Option<Polynomial> {
        let mut result = Polynomial::new();
        let constant = (Vec::new(), by.constant);
        let terms = by.terms.iter().map(|(&atom, &factor)| (self.places.factors(atom), factor));
        for (atoms, factor) in terms.chain([constant]) {
            for (known, times) in product {
                let mut atoms = [known.as_slice(), &atoms].concat();
                atoms.sort();
                let total = result.entry(atoms).or_insert(0_i128);
                *total = total.checked_add(factor.checked_mul(*times)?)?;
            }
        }
        Some(result)
    }

    /// Whether some item has stored the copy of `writer` whenever a read in `block` asks for it.
    pub fn is_covered(&self, block: BlockId, writer: &[Linear; 3]) -> bool {
        let parts: Vec<Vec<Linear>> =
            (0..self.stores.len()).filter_map(|at| self.reached(at, writer)).collect();
        self.leaves_nothing(block, &mut Vec::new(), &parts, &mut MOST_PIECES.clone())
    }

    fn leaves_nothing(
        &self,
        block: BlockId,
        piece: &mut Vec<Linear>,
        parts: &[Vec<Linear>],
        left: &mut u32,
    ) -> bool {
        let Some(less) = left.checked_sub(1) else { return false };
        *left = less;
        if self.places.never(block, piece) {
            return true;
        }
        let Some((first, rest)) = parts.split_first() else { return false };
        let before = piece.len();
        let mut all = true;
        for sum in first {
            let Some(outside) = sum.times(-1).and_then(|less| less.and(1)) else { return false };
            piece.push(outside);
            all &= self.leaves_nothing(block, piece, rest, left);
            piece.pop();
            piece.push(sum.clone());
            if !all {
                break;
            }
        }
        piece.truncate(before);
        all
    }

    /// Where all of these are at most 0, some item has stored to the place of a writer, by one of the stores.
    fn reached(&self, at: usize, writer: &[Linear; 3]) -> Option<Vec<Linear>> {
        let stored = &self.stores[at];
        let mut found = Found::default();
        for (wanted, own) in writer.iter().zip(&self.writers[at]) {
            let (varying, fixed): (Vec<_>, Vec<_>) =
                own.terms.iter().partition(|&(&atom, _)| self.is_own(atom, stored));
            let fixed = fixed.into_iter().map(|(&atom, &factor)| (atom, factor)).collect();
            let fixed = Linear { terms: fixed, constant: own.constant };
            let apart = wanted.minus(&fixed)?;
            match varying.as_slice() {
                [] => found.sums.extend([apart.times(-1)?, apart]),
                &[(&atom, &factor)] if factor.abs() == 1 => {
                    found.bind(atom, apart.times(factor)?)?
                }
                // What is stored in steps of the group's size, or less.
                &[(&atom @ Atom::Local(along), &factor), (&iteration, &step)]
                    if factor.abs() == 1
                        && step * factor > 0
                        && step.abs() <= i128::from(self.size[usize::from(along)]) =>
                {
                    let distance = apart.times(factor)?;
                    found.sums.push(distance.times(-1)?);
                    found.steps.push((atom, iteration, step * factor, distance));
                }
                _ => return None,
            }
        }
        for dimension in 0..3_u8 {
            let atom = Atom::Local(dimension);
            let most = i128::from(self.size[usize::from(dimension)]) - 1;
            if found.has_step(atom) {
                continue;
            }
            let bound = found.bound.get(&atom).cloned();
            let value = bound.unwrap_or_else(|| Linear::constant(least(&stored.conditions, atom)));
            found.sums.extend([value.times(-1)?, value.and(-most)?]);
            found.bound.insert(atom, value);
        }
        for &id in &stored.own {
            let atom = Atom::Iteration(id);
            if !found.has_step(atom) {
                let value = found.bound.entry(atom).or_default();
                found.sums.push(value.times(-1)?);
            }
        }
        for condition in stored.conditions.iter().filter(|&it| !is_said_later(it, stored)) {
            let known = |atom: Atom| self.is_shared(atom, stored);
            let sum = found.applied(condition, &known)?;
            found.sums.push(sum);
        }
        Some(found.sums)
    }

    /// The address that the copy of `writer` is from, made in front of a read; `is_there` says what can be used there, `counter` what
    /// counts a loop's iterations.
    pub fn address(
        &self,
        writer: &[Linear; 3],
        is_there: &dyn Fn(ValueId) -> bool,
        counter: &dyn Fn(LoopId, i128) -> Option<Counter>,
    ) -> Option<Made> {
        let making = Making { filled: self, writer, is_there, counter };
        making.of(self.source_address(), &mut MOST_MADE_OF.clone())
    }
}

/// Instructions that do the same again.
fn is_repeatable(op: &Op) -> bool {
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

/// Whether another condition says as much, and more of later iterations.
fn is_said_later(condition: &Linear, stored: &Stored) -> bool {
    stored.conditions.iter().any(|other| {
        let more = other.minus(condition);
        more.is_some_and(|more| {
            let later = |(atom, &factor): (&Atom, &i128)| {
                matches!(atom, Atom::Iteration(id) if stored.own.contains(id)) && factor > 0
            };
            more.constant >= 0 && !more.terms.is_empty() && more.terms.iter().all(later)
        })
    })
}

/// The least that conditions on an atom alone let it be, not below 0.
fn least(conditions: &[Linear], atom: Atom) -> i128 {
    let bounds = conditions.iter().filter_map(|sum| {
        let factor = sum.factor(atom);
        (sum.terms.len() == 1 && factor < 0)
            .then(|| (sum.constant - factor - 1).div_euclid(-factor))
    });
    bounds.max().unwrap_or(0).max(0)
}

/// The most that they let it be, if they say that.
fn most(conditions: &[Linear], atom: Atom) -> Option<i128> {
    let bounds = conditions.iter().filter_map(|sum| {
        let factor = sum.factor(atom);
        (sum.terms.len() == 1 && factor > 0).then(|| (-sum.constant).div_euclid(factor))
    });
    bounds.min()
}

/// The item and the iterations by which a store reaches a place.
#[derive(Default)]
struct Found {
    bound: BTreeMap<Atom, Linear>,
    /// A local id and an iteration: what remains of a distance divided by a step, and how often it is in it.
    steps: Vec<(Atom, Atom, i128, Linear)>,
    /// What has to hold.
    sums: Vec<Linear>,
}

impl Found {
    fn has_step(&self, atom: Atom) -> bool {
        self.steps.iter().any(|step| step.0 == atom || step.1 == atom)
    }

    fn bind(&mut self, atom: Atom, value: Linear) -> Option<()> {
        if let Some(other) = self.bound.get(&atom) {
            let apart = value.minus(other)?;
            self.sums.extend([apart.times(-1)?, apart]);
        } else {
            self.bound.insert(atom, value);
        }
        Some(())
    }

    fn applied(&self, sum: &Linear, is_shared: &dyn Fn(Atom) -> bool) -> Option<Linear> {
        let mut result = Linear::constant(sum.constant);
        for (local, iteration, step, distance) in &self.steps {
            let (factor, other) = (sum.factor(*local), sum.factor(*iteration));
            result = match other {
                // The item along that dimension for which it says most.
                0 => result.and(factor.checked_mul(step - 1)?.max(0))?,
                _ if other == factor.checked_mul(*step)? => {
                    result.plus(&distance.times(factor)?)?
                }
                _ => return None,
            };
        }
        for (&atom, &factor) in sum.terms.iter().filter(|&(&atom, _)| !self.has_step(atom)) {
            let value = match self.bound.get(&atom) {
                Some(value) => value.clone(),
                None if is_shared(atom) => Linear::atom(atom),
                None => return None,
            };
            result = result.plus(&value.times(factor)?)?;
        }
        Some(result)
    }
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
    is_there: &'a dyn Fn(ValueId) -> bool,
    counter: &'a dyn Fn(LoopId, i128) -> Option<Counter>,
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
                    let counter = (self.counter)(id, *product.values().next()?)?;
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
                (self.is_there)(part) && (is_number || is_address(part))
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
