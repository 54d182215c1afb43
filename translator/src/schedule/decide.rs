//! Depth-first or breadth-first, for each loop: a pure decision with its reason.
//!
//! Rules, in this order:
//! 1. A loop with a barrier inside is breadth-first already: the program says so.
//! 2. A wish (`VICINITY_ORDER`, an attribute of the kernel) decides for all other loops.
//! 3. A kernel whose items gain nothing from each other ([`super::apart`]) is depth-first.
//! 4. A loop around a breadth-first one is breadth-first: a step that all items take together inside is one of the outer loop too.
//!    One around depth-first loops has an order of its own.
//! 5. Otherwise the tally of its accesses decides.
//!    Where it is for iterations first, and items only read a row each to compute numbers that have to follow each other,
//!    breadth-first is still better, a few rows at a time (docs/decisions/012-rows.md).
//! 6. Where items are lanes of vector code anyway, breadth-first has to be worth what it costs ([`super::worth`],
//!    docs/decisions/039-what-breadth-first-is-worth.md).
//! 7. A tie is breadth-first if iterations hand on numbers in floating point: they have to follow each
//!    other, items can be computed side by side. So is a nest without any access to shared memory that
//!    moves. Other ties are depth-first, which costs nothing.
//!
//! A loop in which items write to places until they find what they wrote is depth-first, and so are those around it
//! ([`super::claims`]). A loop that only some items run is worth asking all of them only if all may well run it ([`super::seldom`]).
//!
//! Breadth-first is only decided where it can be carried out: all items of the group run the loop, and
//! as often ([`obstacle`] says what stands against it), or by predicates ([`super::divergent`]).
//! Source: CGO'15, section 3.3.

use super::seldom::is_seldom_run_by_all;
use super::tally::Tally;
use super::wish::Wish;
use super::worth::{self, Short};
use super::{claims, divergent, paper};
use crate::analysis::Analysis;
use crate::analysis::access::{Access, AccessKind, Class, Stride};
use crate::analysis::loops::{Loop, LoopId};
use crate::view::{Callee, Function, Op, TypeKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    DepthFirst,
    BreadthFirst,
}

impl Order {
    pub const fn name(self) -> &'static str {
        match self {
            Order::DepthFirst => "dfo",
            Order::BreadthFirst => "bfo",
        }
    }
}

/// Why a loop should have its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    Barrier,
    Wished,
    /// An inner loop decided.
    Inner,
    Tally,
    /// No access prefers an order, but a vector of items can do what the iterations must do one after
    /// the other.
    Recurrence,
    Tie,
    /// Accesses prefer iterations first, but a few rows at a time can be read as vectors.
    Rows,
    /// Nothing but computation.
    Compute,
    /// No access prefers an order, and items that leave the loop at different times make vectors together.
    Vectors,
    /// The loop around it goes by predicates.
    Around,
    /// It has been made to go by predicates.
    Made,
    /// A group is a single item.
    OneItem,
    /// The program computes in vectors that fill the machine's, or that are longer than rows of the group.
    OwnVectors,
    /// Breadth-first would be better for the accesses, and is not worth its cost.
    Short(Short),
    /// Items write to places until they find what they wrote: whoever goes alone finds it at once.
    Claims,
    /// What items load, or one place, decides which of them run it, so that all of a group seldom do.
    Seldom,
    /// A few vectors go through it side by side.
    Beside,
}

impl Reason {
    /// The rule that decided, as reports name it.
    pub const fn rule(self) -> &'static str {
        match self {
            Reason::Barrier => "barrier",
            Reason::Wished => "asked for",
            Reason::Inner => "inner loop",
            Reason::Tally => "votes",
            Reason::Recurrence => "recurrence",
            Reason::Tie => "tie",
            Reason::Rows => "rows",
            Reason::Compute => "no access",
            Reason::Vectors => "left apart",
            Reason::Around => "outer loop",
            Reason::Made => "predicates",
            Reason::OneItem => "one item",
            Reason::OwnVectors => "own vectors",
            Reason::Short(Short::Few) => "few iterations",
            Reason::Short(Short::State) => "state",
            Reason::Short(Short::Crowded) => "registers",
            Reason::Claims => "claims",
            Reason::Seldom => "seldom all",
            Reason::Beside => "side by side",
        }
    }

    /// Whether the order is breadth-first by what memory or the processor gains from it.
    pub const fn is_estimated(self) -> bool {
        matches!(self, Reason::Tally | Reason::Recurrence | Reason::Rows)
    }

    /// Whether the other order than this one may be the better one all the same: caches and what data decides are estimated.
    pub const fn is_doubtful(self, order: Order) -> bool {
        match self {
            Reason::Tally => matches!(order, Order::BreadthFirst),
            Reason::Recurrence | Reason::Rows | Reason::Compute | Reason::Beside => true,
            Reason::Tie | Reason::Vectors | Reason::Short(_) | Reason::Seldom => true,
            Reason::Barrier | Reason::Made | Reason::Wished | Reason::Inner => false,
            Reason::Around | Reason::OneItem | Reason::OwnVectors | Reason::Claims => false,
        }
    }

    /// Whether the loop is breadth-first as it stands.
    pub const fn is_given(self) -> bool {
        matches!(self, Reason::Barrier | Reason::Made)
    }
}

/// Why breadth-first cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Maybe only some items run the loop.
    SomeItems,
    /// Items may leave it in different iterations.
    LeftApart,
    /// An outer loop has one of these.
    Outer,
    /// The control flow is no nest of loops.
    Irreducible,
}

#[derive(Clone, Debug)]
pub struct Decision {
    pub id: LoopId,
    pub order: Order,
    pub reason: Reason,
    /// What stands against breadth-first, where that is what the reason speaks for.
    pub obstacle: Option<Obstacle>,
    /// Breadth-first by predicates, whatever stands against it.
    pub predicated: bool,
    /// Breadth-first for the whole group, also where it is cut into chunks between barriers.
    pub of_group: bool,
    /// Of all accesses inside, those of inner loops too.
    pub tally: Tally,
}

/// Whether items are lanes of vector code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vectors {
    Made {
        /// The machine's.
        registers: u64,
        /// How many items go together, if groups of a known size that have whole vectors of them can be cut into chunks between barriers.
        in_chunks: Option<u64>,
    },
    /// They could be, and are faster one by one.
    NotWorthIt,
    Impossible,
}

/// Decides for every loop, in the order of their ids; `apart` tells why items gain nothing from each other, if so.
pub fn decide(
    function: &Function,
    analysis: &Analysis,
    wish: Wish,
    apart: Option<Reason>,
    vectors: Vectors,
) -> Vec<Decision> {
    let tally = |id| match wish {
        Wish::Paper => paper::tally(analysis, id),
        _ => tally(function, analysis, id),
    };
    let tallies: Vec<Tally> = analysis.loops.ids().map(tally).collect();
    let mut wanted: Vec<(Option<Order>, Reason)> = Vec::new();
    for id in analysis.loops.ids().rev() {
        let inner = analysis
            .loops
            .ids()
            .rev()
            .zip(&wanted)
            .filter(|&(inner, _)| analysis.loops.get(inner).parent == Some(id));
        let inner: Vec<Option<Order>> = inner.map(|(_, &(order, _))| order).collect();
        let tally = &tallies[id.index()];
        wanted.push(match wish {
            Wish::Paper => paper::want(function, analysis, id, tally, &inner),
            _ => {
                let wanted = want(function, analysis, (wish, apart), id, tally, &inner);
                weighed(function, analysis, id, wanted, vectors)
            }
        });
    }
    wanted.reverse();
    let orders: Vec<Option<Order>> = wanted.iter().map(|&(order, _)| order).collect();
    let predicated = match (wish, vectors) {
        (Wish::Auto, Vectors::Made { .. }) => vec![false; orders.len()],
        _ => divergent::predicated(function, analysis, (wish, vectors), &orders),
    };
    let mut decisions = Vec::new();
    for (id, (order, reason)) in analysis.loops.ids().zip(wanted) {
        let (order, reason) = match order {
            None if computes(analysis, &tallies, id) => {
                (Some(Order::BreadthFirst), Reason::Compute)
            }
            None if predicated[id.index()] => (Some(Order::BreadthFirst), Reason::Vectors),
            Some(Order::DepthFirst) if predicated[id.index()] => {
                (Some(Order::BreadthFirst), Reason::Around)
            }
            order => (order, reason),
        };
        let wanted = order.unwrap_or(Order::DepthFirst);
        let ours = wanted == Order::BreadthFirst && !reason.is_given();
        let obstacle = if ours { obstacle(analysis, id) } else { None };
        let predicated = predicated[id.index()];
        let some = matches!(obstacle, Some(Obstacle::SomeItems | Obstacle::Outer));
        let asks = wish == Wish::Auto && some && !predicated;
        let seldom = asks && is_seldom_run_by_all(function, analysis, id);
        let (reason, obstacle) = if seldom { (Reason::Seldom, None) } else { (reason, obstacle) };
        let stays = seldom || obstacle.is_some() && !predicated;
        let order = if stays { Order::DepthFirst } else { wanted };
        decisions.push(Decision {
            id,
            order,
            reason,
            obstacle,
            predicated,
            of_group: worth::is_of_group(function, analysis, id),
            tally: tallies[id.index()].clone(),
        });
    }
    decisions
}

/// Whether the nest around a loop accesses no shared memory.
fn computes(analysis: &Analysis, tallies: &[Tally], id: LoopId) -> bool {
    let around = analysis.loops.around(analysis.loops.get(id).header);
    around.last().is_some_and(|outermost| tallies[outermost.index()].is_empty())
}

/// What is wanted, if it is worth what it costs.
fn weighed(
    function: &Function,
    analysis: &Analysis,
    id: LoopId,
    wanted: (Option<Order>, Reason),
    vectors: Vectors,
) -> (Option<Order>, Reason) {
    if !wanted.1.is_given()
        && wanted.1 != Reason::Wished
        && claims::are_made_in(function, analysis, id)
    {
        return (Some(Order::DepthFirst), Reason::Claims);
    }
    let breadth_first = wanted.0 == Some(Order::BreadthFirst);
    if !breadth_first || !wanted.1.is_estimated() {
        return wanted;
    }
    // Nothing but vectors is worth it that items wait for each other.
    if vectors == Vectors::NotWorthIt && analysis.is_left_apart(id) {
        return (None, Reason::Tie);
    }
    // Where there is no vector code, a loop that is left apart goes by predicates in memory, which have to be worth it, too.
    let (registers, in_chunks) = match vectors {
        Vectors::Made { registers, in_chunks } => (registers, in_chunks),
        _ if analysis.is_left_apart(id) => (u64::MAX, None),
        _ => return wanted,
    };
    let whole = |lanes| function.local_size.is_some_and(|[x, ..]| x % lanes == 0);
    let in_chunks = in_chunks.is_some_and(whole);
    match worth::falls_short(function, analysis, id, registers, in_chunks) {
        Some(short) => (Some(Order::DepthFirst), Reason::Short(short)),
        None => wanted,
    }
}

/// The accesses of a loop that vote. One address votes once however often it is accessed, and not at all
/// if it stays the same while the loop only reads: then a register holds what is there. Both for certain alone.
pub fn voters<'a>(
    function: &Function,
    analysis: &'a Analysis,
    id: LoopId,
) -> impl Iterator<Item = (&'a Access, Class)> {
    let reads_only = analysis.loops.get(id).blocks.iter().all(|&block| {
        let mut body = function.body(block);
        body.all(|(_, at)| !matches!(at.op, Op::Store(_) | Op::Atomic | Op::Call(Callee::Unknown)))
    });
    analysis.classes(id).filter(move |(access, class)| {
        let held = reads_only && access.exact && class.iteration == Stride::Zero;
        !access.again && !held
    })
}

/// Their votes.
fn tally(function: &Function, analysis: &Analysis, id: LoopId) -> Tally {
    let mut tally = Tally::default();
    voters(function, analysis, id).for_each(|(_, class)| tally.add(class));
    tally
}

/// The order a loop should have, `None` if it does not care, and why.
fn want(
    function: &Function,
    analysis: &Analysis,
    (wish, apart): (Wish, Option<Reason>),
    id: LoopId,
    tally: &Tally,
    inner: &[Option<Order>],
) -> (Option<Order>, Reason) {
    if let Some(reason) = given(function, analysis.loops.get(id)) {
        return (Some(Order::BreadthFirst), reason);
    }
    if let Wish::Always(order) = wish {
        return (Some(order), Reason::Wished);
    }
    if let Some(reason) = apart {
        return (Some(Order::DepthFirst), reason);
    }
    if inner.contains(&Some(Order::BreadthFirst)) {
        return (Some(Order::BreadthFirst), Reason::Inner);
    }
    match tally.breadth_first().cmp(&tally.depth_first()) {
        std::cmp::Ordering::Greater => (Some(Order::BreadthFirst), Reason::Tally),
        std::cmp::Ordering::Less if inner.is_empty() && are_rows(function, analysis, id) => {
            (Some(Order::BreadthFirst), Reason::Rows)
        }
        std::cmp::Ordering::Less => (Some(Order::DepthFirst), Reason::Tally),
        std::cmp::Ordering::Equal if inner.is_empty() && recurs(function, analysis, id) => {
            (Some(Order::BreadthFirst), Reason::Recurrence)
        }
        std::cmp::Ordering::Equal => (None, Reason::Tie),
    }
}

/// Why a loop is breadth-first as it stands, if it is.
pub fn given(function: &Function, this: &Loop) -> Option<Reason> {
    if this.blocks.iter().any(|&block| function.has_barrier(block)) {
        Some(Reason::Barrier)
    } else {
        divergent::is_made(function, this).then_some(Reason::Made)
    }
}

/// Whether an iteration needs numbers that the one before it computed in floating point, whose order
/// of operations is the program's.
pub fn recurs(function: &Function, analysis: &Analysis, id: LoopId) -> bool {
    let header = analysis.loops.get(id).header;
    let mut phis = function.body(header).filter(|(_, at)| matches!(at.op, Op::Phi(_)));
    phis.any(|(value, _)| {
        function.value(value).ty.kind == TypeKind::Float && !analysis.is_uniform(value)
    })
}

/// Whether the loop does nothing with memory but read rows, one for each item, and does so in an order that is the
/// program's: item by item it takes one number at a time, and a few rows side by side stay in the cache.
fn are_rows(function: &Function, analysis: &Analysis, id: LoopId) -> bool {
    let reads = |(access, class): (&Access, Class)| {
        access.kind == AccessKind::Load && class.iteration != Stride::Other
    };
    let together = !function.block_ids().any(|block| function.has_barrier(block));
    together
        && !analysis.is_left_apart(id)
        && recurs(function, analysis, id)
        && analysis.classes(id).all(reads)
}

/// What stands against running a loop breadth-first.
pub fn obstacle(analysis: &Analysis, id: LoopId) -> Option<Obstacle> {
    let this = analysis.loops.get(id);
    if analysis.loops.irreducible {
        Some(Obstacle::Irreducible)
    } else if analysis.is_left_apart(id) {
        Some(Obstacle::LeftApart)
    } else if this.parent.is_some_and(|outer| obstacle(analysis, outer).is_some()) {
        Some(Obstacle::Outer)
    } else if analysis.is_divergent(this.header) {
        Some(Obstacle::SomeItems)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::nests::nest;
    use super::*;
    use crate::view::text::parse;

    fn decided(text: &str, wish: Wish) -> Vec<(Order, Reason)> {
        let function = parse(text);
        let analysis = Analysis::new(&function);
        let decisions = decide(&function, &analysis, wish, None, Vectors::Impossible);
        decisions.iter().map(|decision| (decision.order, decision.reason)).collect()
    }

    /// A loop over k from 0 to n that loads through `index`, in items that `guard` lets in.
    fn walk(index: &str, guard: &str) -> String {
        format!(
            "kernel k(a: global, n: i32)
            entry:
              %g = global_id 0
              %i = trunc %g : i32
              %in = {guard}
              branch %in head done
            head:
              %k = phi [entry 0] [body %next] : i32
              %c = slt %k %n
              branch %c body done
            body:
              {index}
              %wide = sext %x : i64
              %p = address %a %wide*4
              %v = load %p : f32
              %next = add.nsw %k 1
              jump head
            done:
              ret"
        )
    }

    const ROW: &str = "%m = mul.nsw %i %n\n %x = add.nsw %m %k";
    const COLUMN: &str = "%m = mul.nsw %k %n\n %x = add.nsw %m %i";
    const ALL: &str = "slt 0 %n";

    use Order::{BreadthFirst, DepthFirst};

    #[test]
    fn rows_are_walked_depth_first_and_columns_breadth_first() {
        assert_eq!(decided(&walk(ROW, ALL), Wish::Auto), [(DepthFirst, Reason::Tally)]);
        assert_eq!(decided(&walk(COLUMN, ALL), Wish::Auto), [(BreadthFirst, Reason::Tally)]);
        let diagonal = "%x = add.nsw %k %i";
        assert_eq!(decided(&walk(diagonal, ALL), Wish::Auto), [(DepthFirst, Reason::Tie)]);
    }

    #[test]
    fn rows_that_are_summed_up_are_walked_breadth_first() {
        let text = walk(ROW, ALL)
            .replace("%c = slt", "%s = phi [entry 0] [body %t] : f32\n %c = slt")
            .replace("%next =", "%t = pure %s %v : f32\n %next =");
        assert_eq!(decided(&text, Wish::Auto), [(BreadthFirst, Reason::Rows)]);
        let stored = text.replace("%next =", "store %t %p\n %next =");
        assert_eq!(decided(&stored, Wish::Auto), [(DepthFirst, Reason::Tally)]);
        let together = text.replace("done:", "done:\n barrier");
        assert_eq!(decided(&together, Wish::Auto), [(DepthFirst, Reason::Tally)]);
    }

    #[test]
    fn wishes_come_true_where_they_can() {
        let bfo = Wish::Always(BreadthFirst);
        assert_eq!(decided(&walk(ROW, ALL), bfo), [(BreadthFirst, Reason::Wished)]);
        let dfo = Wish::Always(DepthFirst);
        assert_eq!(decided(&walk(COLUMN, ALL), dfo), [(DepthFirst, Reason::Wished)]);
        let guarded = walk(COLUMN, "slt %i %n");
        assert_eq!(decided(&guarded, bfo), [(DepthFirst, Reason::Wished)]);
        assert_eq!(decided(&guarded, Wish::Auto), [(DepthFirst, Reason::Tally)]);
    }

    #[test]
    fn what_only_computes_is_vectorized_across_items() {
        let text = walk("%x = add.nsw %k %i", ALL).replace("%v = load %p : f32", "");
        assert_eq!(decided(&text, Wish::Auto), [(BreadthFirst, Reason::Compute)]);
        let guarded = walk("%x = add.nsw %k %i", "slt %i %n").replace("%v = load %p : f32", "");
        assert_eq!(decided(&guarded, Wish::Auto), [(DepthFirst, Reason::Compute)]);
    }

    #[test]
    fn what_cannot_be_vectors_goes_together_where_neighbours_share_lines() {
        let counts = |place: &str, space: &str| {
            let inside = format!(
                "%p = address %a %k*4\n %j = load %p : i32\n %w = zext %j : i64
                %q = address %s {place}*4\n %old = atomic %q %n : i32"
            );
            let text = search(&inside).replace("mul %k 3", "add %k %n").replace("a: global", space);
            decided(&text, Wish::Auto)
        };
        let together = [(BreadthFirst, Reason::Tally)];
        let alone = [(DepthFirst, Reason::Tally)];
        assert_eq!(counts("%w", "a: global"), together);
        assert_eq!(counts("%w", "a: local"), alone, "its lines are in the cache");
        assert_eq!(counts("%n", "a: global"), [(DepthFirst, Reason::Tally)], "maybe a lock");
    }

    #[test]
    fn what_is_left_apart_has_to_be_worth_its_state_without_vectors_too() {
        let sum = |kept: &str| {
            let inside = format!(
                "%p = address %a %k*4\n %v = load %p : f32
                %q = address %s %k2*4\n %old = atomic %q %n : i32\n %t = pure %m %v {kept} : f32"
            );
            search(&inside)
                .replace("mul %k 3", "add %k %n")
                .replace("%k2*4", "%k*4")
                .replace("jump head", "%h = address %a %g*64\n %w = load %h : f32x16\n jump head")
                .replace("[head %k1]\n", "[head %k1]\n %m = phi [entry 0] [head %t] : f32\n")
                .replace("done:", "done:\n barrier")
        };
        assert_eq!(decided(&sum(""), Wish::Auto), [(BreadthFirst, Reason::Tally)]);
        let state = [(DepthFirst, Reason::Short(Short::State))];
        assert_eq!(decided(&sum("%w"), Wish::Auto), state);
    }

    /// What is decided where items are lanes of vector code, for groups of `size` items.
    fn in_vectors(text: &str, size: &str) -> Vec<(Order, Reason)> {
        let all = in_chunks(text, size, None);
        all.iter().map(|decision| (decision.order, decision.reason)).collect()
    }

    fn in_chunks(text: &str, size: &str, in_chunks: Option<u64>) -> Vec<Decision> {
        let function = parse(&text.replace("n: i32)", &format!("n: i32) {size}")));
        let analysis = Analysis::new(&function);
        let vectors = Vectors::Made { registers: 16, in_chunks };
        decide(&function, &analysis, Wish::Auto, None, vectors)
    }

    #[test]
    fn between_barriers_a_chunk_keeps_its_state_in_registers() {
        let sum = |index: &str, space: &str| {
            walk(index, ALL)
                .replace("%c = slt", "%s = phi [entry 0] [body %t] : f32\n %c = slt")
                .replace("%next =", "%t = pure %s %v %g : f32\n %next =")
                .replace("slt %k %n", "slt %k 16")
                .replace("a: global", &format!("a: {space}"))
                .replace("done:", "done:\n barrier")
        };
        let chosen = |text: &str, size: &str, lanes: u64| {
            let decision = in_chunks(text, size, Some(lanes)).remove(0);
            (decision.order, decision.reason, decision.of_group)
        };
        let row = sum("%x = add.nsw %k 0", "local");
        let state = Reason::Short(Short::State);
        assert_eq!(chosen(&row, "size 64 4 1", 8), (BreadthFirst, Reason::Tally, false));
        assert_eq!(chosen(&row, "size 60 4 1", 8), (DepthFirst, state, false));
        assert_eq!(chosen(&row, "", 8), (DepthFirst, state, false));
        // Sixteen numbers of each item leave registers for one vector, which gains nothing from others.
        let wide = row
            .replace("%in =", "%h = address %a %g*64\n %w = load %h : f32x16\n %in =")
            .replace("pure %s %v", "pure %w %s %v");
        let crowded = Reason::Short(Short::Crowded);
        assert_eq!(chosen(&wide, "size 64 4 1", 8), (DepthFirst, crowded, false));
        // Lines of global memory are worth the state of all.
        let column = sum(COLUMN, "global");
        assert_eq!(chosen(&column, "size 64 4 1", 8), (BreadthFirst, Reason::Tally, true));
    }

    #[test]
    fn items_are_not_asked_for_what_they_seldom_all_do() {
        let guarded = |guard: &str| {
            let load = "%h = address %a %g*4\n %w = load %h : i32\n %in =";
            walk(COLUMN, guard).replace("%in =", load)
        };
        let by_place = decided(&guarded("slt %i %n"), Wish::Auto);
        assert_eq!(by_place, [(DepthFirst, Reason::Tally)], "where all run it, breadth-first");
        let by_data = guarded("slt %w %n");
        assert_eq!(decided(&by_data, Wish::Auto), [(DepthFirst, Reason::Seldom)]);
        assert_eq!(in_vectors(&by_data, ""), [(DepthFirst, Reason::Seldom)]);
        let bfo = Wish::Always(BreadthFirst);
        assert_eq!(decided(&by_data, bfo), [(DepthFirst, Reason::Wished)]);
    }

    #[test]
    fn loops_of_few_iterations_gain_nothing_from_lines_that_neighbours_share() {
        let times =
            |count: &str| walk(COLUMN, ALL).replace("slt %k %n", &format!("slt %k {count}"));
        let few = [(DepthFirst, Reason::Short(Short::Few))];
        assert_eq!(in_vectors(&times("4"), ""), few);
        assert_eq!(in_vectors(&times("20"), ""), [(BreadthFirst, Reason::Tally)]);
        assert_eq!(in_vectors(&times("%n"), ""), [(BreadthFirst, Reason::Tally)]);
        assert_eq!(decided(&times("4"), Wish::Auto), [(BreadthFirst, Reason::Tally)]);
        // A share of the rows: from n times the id along y to n rows on, or the end.
        let share = walk(COLUMN, ALL)
            .replace("%in =", "%y = global_id 1\n %r = trunc %y : i32\n %f = mul.nsw %r %n\n %e = add.nsw %f %n\n %l = min %e 999\n %in =")
            .replace("[entry 0]", "[entry %f]")
            .replace("slt %k %n", "slt %k %l");
        let chosen = in_vectors(&share, "size 64 1 1");
        assert_eq!(chosen, few);
        // What all items read is worth it in few iterations, too, if there is enough of it.
        let read = |bits: &str| {
            let text = walk("%x = add.nsw %k 0", ALL).replace("slt %k %n", "slt %k 8");
            in_vectors(&text.replace("load %p : f32", &format!("load %p : {bits}")), "")
        };
        assert_eq!(
            (read("f32"), read("f32x4")),
            (few.to_vec(), vec![(BreadthFirst, Reason::Tally)])
        );
    }

    #[test]
    fn state_that_goes_through_memory_has_to_be_worth_it() {
        let sum = |index: &str, kept: &str| {
            walk(index, ALL)
                .replace("%in =", "%h = address %a %g*64\n %w = load %h : f32x16\n %in =")
                .replace("%c = slt", "%s = phi [entry 0] [body %t] : f32\n %c = slt")
                .replace("%next =", &format!("%t = pure %s %v {kept} : f32\n %next ="))
        };
        let together = |text: &str| text.replace("done:", "done:\n barrier");
        let shared = sum("%x = add.nsw %k 0", "");
        assert_eq!(in_vectors(&shared, ""), [(BreadthFirst, Reason::Tally)]);
        let state = [(DepthFirst, Reason::Short(Short::State))];
        assert_eq!(in_vectors(&together(&sum("%x = add.nsw %k 0", "%w")), ""), state);
        // Columns of an unknown length are worth a sum, and not much more.
        assert_eq!(in_vectors(&together(&sum(COLUMN, "")), ""), [(BreadthFirst, Reason::Tally)]);
        assert_eq!(in_vectors(&together(&sum(COLUMN, "%w")), ""), state);
        // A small group has it in registers.
        let small = in_vectors(&together(&sum(COLUMN, "%w")), "size 3 1 1");
        assert_eq!(small, [(BreadthFirst, Reason::Tally)]);
        // Nothing is gained from the lines of local memory.
        let tile = together(&sum(COLUMN, "")).replace("a: global", "a: local");
        assert_eq!(in_vectors(&tile.replace("slt %k %n", "slt %k 20"), ""), state);
        // Nor by short sums, however much is computed meanwhile.
        let busy: String = (0..20).map(|n| format!("%b{n} = pure %v %g : f32\n")).collect();
        let near =
            together(&sum("%x = add.nsw %k %g", "")).replace("%t =", &format!("{busy} %t ="));
        assert_eq!(in_vectors(&near, ""), [(BreadthFirst, Reason::Recurrence)]);
        assert_eq!(in_vectors(&near.replace("slt %k %n", "slt %k 11"), ""), state);
    }

    #[test]
    fn inner_loops_decide_and_barriers_already_have() {
        let column = "%m = mul %k %n\n %x = add %m %i\n %p = address %a %x*4\n %v = load %p : f32";
        assert_eq!(
            decided(&nest(column, ""), Wish::Auto),
            [(BreadthFirst, Reason::Inner), (BreadthFirst, Reason::Tally)]
        );
        let barrier = [(BreadthFirst, Reason::Barrier); 2];
        assert_eq!(decided(&nest("barrier", ""), Wish::Always(DepthFirst)), barrier);
        let row = "%m = mul %i %n\n %x = add %m %k\n %p = address %a %x*4\n %v = load %p : f32";
        let columns = "%y = mul %j %n\n %z = add %y %i\n %q = address %a %z*4\n %w = load %q : f32
                       %z2 = add %z %n\n %q2 = address %a %z2*4\n %w2 = load %q2 : f32\n";
        assert_eq!(
            decided(&nest(row, columns), Wish::Auto),
            [(BreadthFirst, Reason::Tally), (DepthFirst, Reason::Tally)]
        );
        // The inner loop does not care; the outer one walks columns.
        let outer = "%m = mul %j %n\n %s = add %m %i\n %x = add %s %k\n %p = address %a %x*4
                     %v = load %p : f32";
        assert_eq!(
            decided(&nest(outer, ""), Wish::Auto),
            [(BreadthFirst, Reason::Tally), (DepthFirst, Reason::Tie)]
        );
    }

    /// A loop that each item leaves when it likes.
    fn search(inside: &str) -> String {
        format!(
            "kernel k(a: global, s: local, n: i64)
            entry:
              %g = global_id 0
              jump head
            head:
              %k = phi [entry %g] [head %k1]
              {inside}
              %k1 = call : i64
              %k2 = add %k1 %k
              %c = slt %k2 %n
              branch %c head done
            done:
              ret"
        )
        .replace("call : i64", "mul %k 3")
    }

    #[test]
    fn loops_left_at_different_times_are_vectorized_if_no_access_objects() {
        let chosen = |inside: &str| decided(&search(inside), Wish::Auto);
        assert_eq!(chosen(""), [(BreadthFirst, Reason::Compute)]);
        let indirect = "%p = address %a %k*4\n %j = load %p : i32";
        assert_eq!(chosen(indirect), [(BreadthFirst, Reason::Vectors)]);
        let atomic = "%p = address %a %k*4\n %j = atomic %p %n : i64";
        assert_eq!(chosen(atomic), [(DepthFirst, Reason::Tie)]);
        let fill = "%p = address %s %k*4\n store %n %p";
        assert_eq!(chosen(fill), [(DepthFirst, Reason::Tie)]);
        let of_global = fill.replace("%s", "%a");
        assert_eq!(chosen(&of_global), [(BreadthFirst, Reason::Vectors)]);
        let computed = fill.replace("%n", "%k");
        assert_eq!(chosen(&computed), [(BreadthFirst, Reason::Vectors)]);
        // Not where vector code of our own has been found to be slower than the items one by one.
        let alone = |text: &str| {
            let function = parse(text);
            let analysis = Analysis::new(&function);
            let all = decide(&function, &analysis, Wish::Auto, None, Vectors::NotWorthIt);
            all.iter().map(|decision| (decision.order, decision.reason)).collect::<Vec<_>>()
        };
        assert_eq!(alone(&search(indirect)), [(DepthFirst, Reason::Tie)]);
        // Also where only vectors do at once what iterations do one after the other.
        let sum = search(&format!(
            "%s = phi [entry 0] [head %t] : f32\n {indirect}\n %t = pure %s %j : f32"
        ));
        assert_eq!(decided(&sum, Wish::Auto), [(BreadthFirst, Reason::Recurrence)]);
        assert_eq!(alone(&sum), [(DepthFirst, Reason::Tie)]);
        // Neighbours' atomic operations on one line after the other: their order counts, if processors share the lines.
        let neighbours = search(atomic).replace("mul %k 3", "add %k %n");
        assert_eq!(decided(&neighbours, Wish::Auto), [(BreadthFirst, Reason::Tally)]);
        let own = neighbours.replace("a: global", "a: local");
        assert_eq!(decided(&own, Wish::Auto), [(DepthFirst, Reason::Tally)]);
        let dfo = Wish::Always(DepthFirst);
        assert_eq!(decided(&search(indirect), dfo), [(DepthFirst, Reason::Wished)]);
        let bfo = Wish::Always(BreadthFirst);
        assert_eq!(decided(&search(atomic), bfo), [(BreadthFirst, Reason::Wished)]);
    }

    #[test]
    fn searches_inside_of_a_loop_are_done_item_by_item() {
        let text = "kernel k(a: global, b: global, n: i64)
            entry:
              %g = global_id 0
              jump outer
            outer:
              %i = phi [entry %g] [latch %i1]
              %p = address %b %i*4
              %v = load %p : i32
              jump head
            head:
              %k = phi [outer %i] [head %k1]
              %q = address %a %k*4
              %j = load %q : i32
              %k1 = mul %k 3
              %c = slt %k1 %n
              branch %c head latch
            latch:
              %i1 = add %i %n
              %d = slt %i1 %n
              branch %d outer done
            done:
              ret";
        let searched = decided(text, Wish::Auto);
        assert_eq!(searched, [(DepthFirst, Reason::Tally), (DepthFirst, Reason::Tie)]);
        // Inside, they keep to what neighbours share.
        let near = text.replace("%a %k*4", "%a %i*4");
        let gone = decided(&near, Wish::Auto);
        assert_eq!(gone[0], (BreadthFirst, Reason::Tally));
    }
}
