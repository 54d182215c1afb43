//! Whether some item has stored the copy of a writer whenever a read asks for it.

use std::collections::BTreeMap;

use super::{Filled, Stored};
use crate::analysis::places::{Atom, Linear};
use crate::view::BlockId;

/// Pieces of a read that are looked at.
const MOST_PIECES: u32 = 200;

impl Filled<'_> {
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
pub(super) fn least(conditions: &[Linear], atom: Atom) -> i128 {
    let bounds = conditions.iter().filter_map(|sum| {
        let factor = sum.factor(atom);
        (sum.terms.len() == 1 && factor < 0)
            .then(|| (sum.constant - factor - 1).div_euclid(-factor))
    });
    bounds.max().unwrap_or(0).max(0)
}

/// The most that they let it be, if they say that.
pub(super) fn most(conditions: &[Linear], atom: Atom) -> Option<i128> {
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
