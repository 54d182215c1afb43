//! How often a loop runs, where its exit tests a value that gains the same in every iteration.
//!
//! Terms: the *trips* of a loop are the executions of its body: the iterations in which the test says
//! to go on, and one more if the test stands at the end of the body. With several exits the first one
//! that counts gives a bound only, and so does one whose test is known but nearly (`forms`). Groups are taken not to be cut off.
//! A loop goes over a *share* if an item's iterations are those at which its neighbour along some dimension begins: of what is to be
//! done, each item does so many, one after the other.

use super::forms::{Axis, Forms};
use super::linear::{Atom, Polynomial};
use super::loops::{Loop, LoopId, Loops};
use crate::view::{BlockId, Function, Op, Predicate};

#[derive(Clone, Debug, PartialEq)]
pub struct Trips {
    pub count: Polynomial,
    /// Whether the loop runs that often, not merely at most.
    pub exact: bool,
    /// Whether it goes over an item's share.
    pub share: bool,
}

pub fn count(function: &Function, loops: &Loops, forms: &Forms, id: LoopId) -> Option<Trips> {
    let this = loops.get(id);
    let tested = this.exits.iter().map(|&(from, _)| from);
    let tested = tested.filter(|&from| loops.innermost(from) == Some(id));
    let found: Vec<Trips> =
        tested.filter_map(|from| tested_at(function, this, forms, id, from)).collect();
    let share = found.iter().any(|trips| trips.share);
    let first = found.into_iter().next()?;
    Some(Trips { exact: first.exact && this.exits.len() == 1, share, ..first })
}

fn tested_at(
    function: &Function,
    this: &Loop,
    forms: &Forms,
    id: LoopId,
    block: BlockId,
) -> Option<Trips> {
    let (_, branch) = function.terminator(block).filter(|(_, end)| end.op == Op::Branch)?;
    let test = function.instruction(*branch.operands.first()?)?;
    let Op::Compare(predicate) = test.op else { return None };
    let goes_on = this.contains(function.block(block).successors[0]);
    let predicate = if goes_on { predicate } else { predicate.opposite() };
    let [a, b] = [0, 1].map(|at| forms.of(test.operands[at]));
    let (a, b) = (a?, b?);
    let difference = forms.in_whole_groups(&a.polynomial.minus(&b.polynomial)?)?;
    let step = forms.step(&difference, Axis::Loop(id))?.as_constant()?;
    let start = difference.only(|monomial, _| !monomial.contains(&Atom::Iteration(id)));
    let passed = passed(predicate, &start, step)?;
    let late = this.latches.contains(&block);
    let count = passed.plus(&Polynomial::constant(i64::from(late)))?;
    let begins_behind = |dimension| {
        let apart = forms.step(&a.polynomial, Axis::Item(dimension));
        let steps = forms.step(&a.polynomial, Axis::Loop(id));
        let share = steps.and_then(|step| count.times(&step));
        share.is_some_and(|share| share != Polynomial::default() && apart == Some(share))
    };
    let share = (0..3).any(begins_behind);
    Some(Trips { count, exact: a.exact && b.exact, share })
}

/// In how many iterations i from 0 on `start + step * i` compares so with 0.
fn passed(predicate: Predicate, start: &Polynomial, step: i64) -> Option<Polynomial> {
    use Predicate::{NotEqual, SignedGreater, SignedGreaterEqual, SignedLess, SignedLessEqual};
    use Predicate::{UnsignedGreater, UnsignedGreaterEqual, UnsignedLess, UnsignedLessEqual};
    let below = |distance: Polynomial, step: i64| match distance.as_constant() {
        Some(distance) => Some(Polynomial::constant(ceiling(distance.max(0), step))),
        None if step == 1 => Some(distance),
        None => None,
    };
    let one = Polynomial::constant(1);
    match predicate {
        SignedLess | UnsignedLess if step > 0 => below(start.scaled(-1)?, step),
        SignedLessEqual | UnsignedLessEqual if step > 0 => {
            below(start.scaled(-1)?.plus(&one)?, step)
        }
        SignedGreater | UnsignedGreater if step < 0 => below(start.clone(), -step),
        SignedGreaterEqual | UnsignedGreaterEqual if step < 0 => below(start.plus(&one)?, -step),
        NotEqual if step > 0 => below(start.scaled(-1)?, step),
        NotEqual if step < 0 => below(start.clone(), -step),
        _ => None,
    }
}

/// Rounded up; both are not negative.
const fn ceiling(distance: i64, step: i64) -> i64 {
    distance / step + (distance % step != 0) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::view::text::parse;

    fn trips(header: &str) -> Option<Trips> {
        let function = parse(&format!(
            "kernel k(n: i32)
            entry:
              jump head
            {header}
            done:
              ret"
        ));
        let analysis = Analysis::new(&function);
        analysis.trips(LoopId(0)).cloned()
    }

    fn constant(header: &str) -> Option<i64> {
        trips(header)?.count.as_constant()
    }

    #[test]
    fn tests_at_the_top_count_what_passes() {
        let top = |start: &str, gain: &str, test: &str| {
            constant(&format!(
                "head:
                  %i = phi [entry {start}] [body %j] : i32
                  %c = {test}
                  branch %c body done
                body:
                  %j = {gain}
                  jump head"
            ))
        };
        assert_eq!(top("0", "add.nsw %i 1", "slt %i 10"), Some(10));
        assert_eq!(top("0", "add.nsw %i 3", "slt %i 10"), Some(4));
        assert_eq!(top("10", "add.nsw %i -1", "sgt %i 0"), Some(10));
        assert_eq!(top("1", "add.nsw %i 1", "sle %i 10"), Some(10));
        assert_eq!(top("0", "add.nsw %i 1", "ne %i 10"), Some(10));
        assert_eq!(top("20", "add.nsw %i 1", "slt %i 10"), Some(0));
        assert_eq!(top("1", "shl %i 1", "slt %i 10"), None);
    }

    #[test]
    fn a_test_at_the_end_counts_one_more() {
        let bottom = "head:
              %i = phi [entry 0] [head %j] : i32
              %j = add.nsw %i 1
              %c = slt %j 10
              branch %c head done";
        assert_eq!(constant(bottom), Some(10));
        let turned = "head:
              %i = phi [entry 0] [head %j] : i32
              %j = add.nsw %i 1
              %c = eq %j 10
              branch %c done head";
        assert_eq!(constant(turned), Some(10));
    }

    #[test]
    fn a_second_exit_leaves_a_bound() {
        let two = "head:
              %i = phi [entry 0] [next %j] : i32
              %c = slt %i %n
              branch %c body done
            body:
              %p = call : i32
              %q = slt %p 0
              branch %q done next
            next:
              %j = add.nsw %i 1
              jump head";
        let found = trips(two).unwrap();
        assert!(!found.exact);
        assert_eq!(found.count, Polynomial::atom(Atom::Value(crate::view::ValueId(0))));
    }

    #[test]
    fn shares_begin_where_those_of_neighbours_end() {
        let share = |first: &str, bound: &str| {
            let found = trips(&format!(
                "head:
                  %g = global_id 1
                  %y = trunc %g : i32
                  %f = mul.nsw %y {first}
                  %e = add.nsw %f {bound}
                  %l = min %e 1000
                  jump walk
                walk:
                  %i = phi [head %f] [walk %j] : i32
                  %j = add.nsw %i 1
                  %c = slt %j %l
                  branch %c walk done"
            ))
            .unwrap();
            assert!(!found.exact, "it may end before");
            (found.share, found.count.as_constant())
        };
        assert_eq!(share("4", "4"), (true, Some(4)));
        assert_eq!(share("%n", "%n"), (true, None));
        assert_eq!(share("2", "4"), (false, Some(4)));
        assert_eq!(share("0", "4"), (false, Some(4)));
    }
}
