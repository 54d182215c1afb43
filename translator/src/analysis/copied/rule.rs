//! Whether all stores to an array copy by one rule: what each does, and what the model would for the writer of its place.

use std::collections::BTreeMap;

use super::making::is_repeatable;
use super::{Filled, MOST_MADE_OF, Stored};
use crate::analysis::places::{Atom, Linear};
use crate::view::ValueId;

/// Factors by what they multiply: sorted atoms, none a product.
pub(super) type Polynomial = BTreeMap<Vec<Atom>, i128>;

impl Filled<'_> {
    /// Whether a store copies from where the model would for its writer, and what it does, when it does.
    pub(super) fn is_by_rule(&self, at: usize) -> bool {
        let mut left = MOST_MADE_OF;
        let model = self.outside();
        let is_so_outside = match (self.stores[at].outside, model) {
            (None, None) => true,
            (Some(own), Some(model)) => {
                own.inside == model.inside
                    && own.constant == model.constant
                    && self.is_same(at, own.condition, model.condition, &mut left)
            }
            _ => false,
        };
        is_so_outside && self.is_same(at, self.stores[at].address, self.source_address(), &mut left)
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
    pub(super) fn for_writer(&self, sum: &Linear, writer: &[Linear; 3]) -> Option<Polynomial> {
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

    pub(super) fn multiplied(&self, product: &Polynomial, by: &Linear) -> Option<Polynomial> {
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
}
