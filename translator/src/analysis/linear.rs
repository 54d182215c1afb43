//! Polynomials with integer coefficients over what a kernel's addresses are made of.
//!
//! Terms: an *atom* is the global id of a dimension, the iteration number of a loop (from 0), a number
//! the launch fixes, or a value nothing more is known of; a *monomial* is a product of atoms, the
//! empty one stands for 1. Arithmetic is that of unbounded integers: who uses these forms either
//! accepts that a program's narrow arithmetic may wrap, or does not depend on it.
//! Limits: at most [`TERMS`] monomials of at most [`DEGREE`] atoms; what exceeds them is no polynomial.

use std::collections::BTreeMap;

use super::loops::LoopId;
use crate::view::ValueId;

/// Enough for every index expression met so far, few enough to stay cheap.
pub const TERMS: usize = 24;
pub const DEGREE: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// The global id along a dimension.
    Item(u8),
    Iteration(LoopId),
    /// Along a dimension: the group's number, its items, those of a group as it is enqueued, the offset of the first item.
    Group(u8),
    Size(u8),
    EnqueuedSize(u8),
    Offset(u8),
    Value(ValueId),
}

pub type Monomial = Vec<Atom>;

/// Invariants: no coefficient is 0; monomials are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Polynomial {
    terms: BTreeMap<Monomial, i64>,
}

impl Polynomial {
    pub fn constant(value: i64) -> Polynomial {
        Polynomial::term(Vec::new(), value)
    }

    pub fn atom(atom: Atom) -> Polynomial {
        Polynomial::term(vec![atom], 1)
    }

    fn term(monomial: Monomial, factor: i64) -> Polynomial {
        let terms = (factor != 0).then_some((monomial, factor));
        Polynomial { terms: terms.into_iter().collect() }
    }

    pub fn terms(&self) -> impl Iterator<Item = (&[Atom], i64)> {
        self.terms.iter().map(|(monomial, &factor)| (monomial.as_slice(), factor))
    }

    /// The value, if it is a constant.
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    pub fn plus(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut sum = self.clone();
        for (monomial, &factor) in &other.terms {
            let total = sum.terms.get(monomial).copied().unwrap_or(0).checked_add(factor)?;
            if total == 0 {
                sum.terms.remove(monomial);
            } else {
                sum.terms.insert(monomial.clone(), total);
            }
        }
        (sum.terms.len() <= TERMS).then_some(sum)
    }

    pub fn scaled(&self, by: i64) -> Option<Polynomial> {
        let mut product = Polynomial::default();
        for (monomial, &factor) in self.terms.iter().filter(|_| by != 0) {
            product.terms.insert(monomial.clone(), factor.checked_mul(by)?);
        }
        Some(product)
    }

    pub fn minus(&self, other: &Polynomial) -> Option<Polynomial> {
        self.plus(&other.scaled(-1)?)
    }

    pub fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut product = Polynomial::default();
        for (a, &x) in &self.terms {
            for (b, &y) in &other.terms {
                let mut monomial = [a.as_slice(), b].concat();
                monomial.sort();
                if monomial.len() > DEGREE {
                    return None;
                }
                product = product.plus(&Polynomial::term(monomial, x.checked_mul(y)?))?;
            }
        }
        Some(product)
    }

    /// What each step of `atom` adds: exact where it is of first degree, `None` otherwise.
    pub fn step(&self, atom: Atom) -> Option<Polynomial> {
        let mut step = Polynomial::default();
        for (monomial, &factor) in &self.terms {
            match monomial.iter().filter(|&&has| has == atom).count() {
                0 => {}
                1 => {
                    let rest = monomial.iter().copied().filter(|&has| has != atom).collect();
                    step = step.plus(&Polynomial::term(rest, factor))?;
                }
                _ => return None,
            }
        }
        Some(step)
    }

    /// The terms that `keep` keeps.
    pub fn only(&self, keep: impl Fn(&[Atom], i64) -> bool) -> Polynomial {
        let terms = self.terms.iter().filter(|(monomial, factor)| keep(monomial, **factor));
        Polynomial { terms: terms.map(|(monomial, &factor)| (monomial.clone(), factor)).collect() }
    }

    /// With other atoms in the place of some; none where that makes it too large.
    pub fn renamed(&self, mut new: impl FnMut(Atom) -> Atom) -> Option<Polynomial> {
        let mut renamed = Polynomial::default();
        for (monomial, &factor) in &self.terms {
            let mut monomial: Monomial = monomial.iter().map(|&atom| new(atom)).collect();
            monomial.sort();
            renamed = renamed.plus(&Polynomial::term(monomial, factor))?;
        }
        Some(renamed)
    }

    /// The same with `value` in the place of an atom.
    pub fn with(&self, atom: Atom, value: &Polynomial) -> Option<Polynomial> {
        let mut result = Polynomial::default();
        for (monomial, &factor) in &self.terms {
            let (same, others): (Vec<Atom>, Vec<Atom>) =
                monomial.iter().partition(|&&has| has == atom);
            let start = Polynomial::term(others, factor);
            let term = same.iter().try_fold(start, |product, _| product.times(value))?;
            result = result.plus(&term)?;
        }
        Some(result)
    }

    /// Every coefficient through `change`.
    pub fn map(&self, change: impl Fn(i64) -> i64) -> Polynomial {
        let terms = self.terms.iter().map(|(monomial, &factor)| (monomial.clone(), change(factor)));
        Polynomial { terms: terms.filter(|&(_, factor)| factor != 0).collect() }
    }

    /// The quotient of the terms that `divisor` divides as a factor, others left out.
    pub fn divided_by(&self, divisor: Atom) -> Polynomial {
        let mut quotient = Polynomial::default();
        for (monomial, &factor) in &self.terms {
            if let Some(at) = monomial.iter().position(|&atom| atom == divisor) {
                let mut rest = monomial.clone();
                rest.remove(at);
                quotient.terms.insert(rest, factor);
            }
        }
        quotient
    }

    /// Of how many atoms its longest monomial is the product.
    pub fn degree(&self) -> usize {
        self.terms.keys().map(Vec::len).max().unwrap_or(0)
    }

    pub fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        self.terms.keys().flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x() -> Polynomial {
        Polynomial::atom(Atom::Item(0))
    }

    fn n() -> Polynomial {
        Polynomial::atom(Atom::Value(ValueId(3)))
    }

    #[test]
    fn arithmetic_cancels_and_multiplies_out() {
        let one = Polynomial::constant(1);
        let next = x().plus(&one).unwrap();
        let rows = next.times(&n()).unwrap().minus(&x().times(&n()).unwrap()).unwrap();
        assert_eq!(rows, n());
        assert_eq!(next.minus(&x()).unwrap().as_constant(), Some(1));
        assert_eq!(x().minus(&x()).unwrap().as_constant(), Some(0));
        assert_eq!(x().as_constant(), None);
    }

    #[test]
    fn steps_are_what_stands_beside_the_atom() {
        let address = x().times(&n()).unwrap().scaled(4).unwrap().plus(&n()).unwrap();
        assert_eq!(address.step(Atom::Item(0)), n().scaled(4));
        assert_eq!(address.step(Atom::Item(1)), Some(Polynomial::default()));
        assert_eq!(x().times(&x()).unwrap().step(Atom::Item(0)), None);
        assert_eq!(address.with(Atom::Item(0), &n()), {
            n().times(&n()).unwrap().scaled(4).unwrap().plus(&n())
        });
        assert_eq!(address.divided_by(Atom::Value(ValueId(3))), {
            x().scaled(4).unwrap().plus(&Polynomial::constant(1)).unwrap()
        });
    }

    #[test]
    fn what_grows_too_large_is_no_polynomial() {
        let mut power = x();
        for _ in 1..DEGREE {
            power = power.times(&x()).unwrap();
        }
        assert_eq!(power.times(&x()), None);
        assert_eq!(Polynomial::constant(i64::MAX).scaled(2), None);
        assert_eq!(Polynomial::constant(i64::MAX).plus(&Polynomial::constant(1)), None);
    }
}
