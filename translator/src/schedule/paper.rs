//! The order of each loop as the paper has it, to the letter: `VICINITY_ORDER=paper`. A pure decision.
//!
//! Every load and store in the body of a loop, those of inner loops among them, votes for the direction in which its stride is
//! smaller; more votes for breadth-first than for depth-first make a loop breadth-first, a tie is depth-first. Nothing else counts:
//! neither how often an access runs, nor that a register may hold it. One conflict is known: a depth-first loop around a
//! breadth-first one becomes breadth-first. What only some items run, or leave at different times, goes by predicates.
//! Not said by the paper, and decided here: accesses of inner loops vote for the outer ones, too, by their stride along these.
//! What differs in carrying it out: docs/decisions/038-orders-beyond-the-paper.md.
//! Source: CGO'15, sections 3.2.3 and 3.4.

use super::decide::{Order, Reason, given};
use super::tally::Tally;
use crate::analysis::Analysis;
use crate::analysis::loops::LoopId;
use crate::view::Function;

/// The votes of all accesses inside.
pub fn tally(analysis: &Analysis, id: LoopId) -> Tally {
    let mut tally = Tally::default();
    for (_, class) in analysis.classes(id) {
        tally.add(class);
    }
    tally
}

/// The order of a loop, given those of the loops right inside it.
pub fn want(
    function: &Function,
    analysis: &Analysis,
    id: LoopId,
    tally: &Tally,
    inner: &[Option<Order>],
) -> (Option<Order>, Reason) {
    if let Some(reason) = given(function, analysis.loops.get(id)) {
        return (Some(Order::BreadthFirst), reason);
    }
    match tally.breadth_first().cmp(&tally.depth_first()) {
        std::cmp::Ordering::Greater => (Some(Order::BreadthFirst), Reason::Tally),
        _ if inner.contains(&Some(Order::BreadthFirst)) => {
            (Some(Order::BreadthFirst), Reason::Inner)
        }
        std::cmp::Ordering::Less => (Some(Order::DepthFirst), Reason::Tally),
        std::cmp::Ordering::Equal => (Some(Order::DepthFirst), Reason::Tie),
    }
}

#[cfg(test)]
mod tests {
    use super::super::nests::nest;
    use super::super::{Vectors, Wish, decide};
    use super::*;
    use crate::view::text::parse;
    use Order::{BreadthFirst, DepthFirst};

    fn decided(text: &str) -> Vec<(Order, Reason)> {
        let function = parse(text);
        let analysis = Analysis::by(&function, Wish::Paper.rules());
        let decisions = decide(
            &function,
            &analysis,
            Wish::Paper,
            None,
            Vectors::Made { registers: 16, in_chunks: None },
        );
        decisions.iter().map(|decision| (decision.order, decision.reason)).collect()
    }

    /// A loop over k from 0 to n, in items that `guard` lets in.
    fn walk(body: &str, guard: &str) -> String {
        format!(
            "kernel k(a: global, b: global, c: global, n: i32)
            entry:
              %g = global_id 0
              %i = trunc %g : i32
              %in = {guard}
              branch %in head done
            head:
              %k = phi [entry 0] [head %next] : i32
              %kn = mul.nsw %k %n
              {body}
              %next = add.nsw %k 1
              %t = slt %next %n
              branch %t head done
            done:
              ret"
        )
    }

    const ALL: &str = "slt 0 %n";

    /// An access to an element.
    fn access(number: u32, kind: &str, array: &str, index: &str) -> String {
        let at = format!(
            "%w{number} = sext {index} : i64\n %p{number} = address {array} %w{number}*4\n"
        );
        match kind {
            "load" => format!("{at} %v{number} = load %p{number} : f32\n"),
            _ => format!("{at} store %v0 %p{number}\n"),
        }
    }

    #[test]
    fn each_class_votes_as_the_table_says() {
        let squares = "%ii = mul.nsw %i %i\n %kk = mul.nsw %k %k\n";
        let votes = [["", "d", "d"], ["b", "", "d"], ["b", "b", ""]];
        for (l, iteration) in ["%n", "%k", "%kk"].into_iter().enumerate() {
            for (w, item) in ["%n", "%i", "%ii"].into_iter().enumerate() {
                let index = format!("{squares} %x = add.nsw {item} {iteration}\n");
                let text = walk(&(index + &access(0, "load", "%a", "%x")), ALL);
                let expected = match votes[l][w] {
                    "" => (DepthFirst, Reason::Tie),
                    "b" => (BreadthFirst, Reason::Tally),
                    _ => (DepthFirst, Reason::Tally),
                };
                assert_eq!(decided(&text), [expected], "W{w}L{l}");
            }
        }
    }

    #[test]
    fn every_access_votes_and_a_tie_is_depth_first() {
        // c[i] += a[k] * b[k * n + i]
        let reads = access(0, "load", "%a", "%k")
            + "%x = add.nsw %kn %i\n"
            + &access(1, "load", "%b", "%x")
            + &access(2, "load", "%c", "%i");
        assert_eq!(decided(&walk(&reads, ALL)), [(BreadthFirst, Reason::Tally)]);
        let in_place = reads + &access(3, "store", "%c", "%i");
        assert_eq!(decided(&walk(&in_place, ALL)), [(DepthFirst, Reason::Tie)]);
        // What a register could hold votes too: a[i] * b[k * n + i].
        let held = access(0, "load", "%a", "%i")
            + "%x = add.nsw %kn %i\n"
            + &access(1, "load", "%b", "%x");
        assert_eq!(decided(&walk(&held, ALL)), [(DepthFirst, Reason::Tie)]);
    }

    #[test]
    fn the_only_conflict_is_breadth_first_inside_of_depth_first() {
        let row = |by: &str, number: u32| {
            format!(
                "%m{number} = mul %i %n\n %s{number} = add %m{number} {by}
                %p{number} = address %a %s{number}*4\n %v{number} = load %p{number} : f32\n"
            )
        };
        let column = |by: &str, number: u32| {
            format!(
                "%m{number} = mul {by} %n\n %s{number} = add %m{number} %i
                %p{number} = address %b %s{number}*4\n %v{number} = load %p{number} : f32\n"
            )
        };
        let by_rows = row("%j", 1) + &row("%j", 2);
        let inside = nest(&column("%k", 0), &by_rows);
        assert_eq!(
            decided(&inside),
            [(BreadthFirst, Reason::Inner), (BreadthFirst, Reason::Tally)]
        );
        let by_columns = column("%j", 1) + &column("%j", 2);
        let around = nest(&row("%k", 0), &by_columns);
        assert_eq!(decided(&around), [(BreadthFirst, Reason::Tally), (DepthFirst, Reason::Tally)]);
        // The inner access stays where it is while the outer loop goes on, and votes there, too.
        let twice = nest(&row("%k", 0), &column("%j", 1));
        assert_eq!(decided(&twice), [(DepthFirst, Reason::Tie), (DepthFirst, Reason::Tally)]);
        let barrier = nest("barrier", &by_rows);
        assert_eq!(decided(&barrier), [(BreadthFirst, Reason::Barrier); 2]);
    }

    /// Whether a nest goes by predicates, loop by loop.
    fn predicated(text: &str) -> Vec<bool> {
        let function = parse(text);
        let analysis = Analysis::by(&function, Wish::Paper.rules());
        let decisions = decide(
            &function,
            &analysis,
            Wish::Paper,
            None,
            Vectors::Made { registers: 16, in_chunks: None },
        );
        decisions.iter().map(|decision| decision.predicated).collect()
    }

    #[test]
    fn what_only_some_items_run_keeps_its_order_by_predicates() {
        let column = "%x = add.nsw %kn %i\n".to_string() + &access(0, "load", "%a", "%x");
        let guarded = walk(&column, "slt %i 16");
        assert_eq!(decided(&guarded), [(BreadthFirst, Reason::Tally)]);
        assert_eq!(predicated(&guarded), [true]);
        assert_eq!(predicated(&walk(&column, ALL)), [false]);
        let apart = walk(&column, ALL).replace("slt %next %n", "slt %next %i");
        assert_eq!(
            (decided(&apart), predicated(&apart)),
            (vec![(BreadthFirst, Reason::Tally)], vec![true])
        );
        let row = walk("%m = mul.nsw %i %n\n %x = add.nsw %m %k\n", "slt %i 16");
        let row = row.replace("%next =", &(access(0, "load", "%a", "%x") + "%next ="));
        assert_eq!(
            (decided(&row), predicated(&row)),
            (vec![(DepthFirst, Reason::Tally)], vec![false])
        );
    }
}
