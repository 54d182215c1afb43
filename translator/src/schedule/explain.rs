//! A plan in words and plain data: what `program.json` and the report say about each loop.

use std::collections::BTreeMap;

use super::decide::Obstacle;
use super::worth::Short;
use super::{Decision, Order, Plan, Reason, Tally};
use crate::analysis::loops::LoopId;
use crate::analysis::{access, ranges};
use crate::llvm::Block;
use crate::report::describe::{Access, Loop, Range, Term};
use crate::view::{Function, ValueId, ValueKind};

/// The loops of a nest, the outer before the inner; none where they were told of with a nest around it.
pub fn nest(plan: &Plan, id: LoopId, argument_names: &[String]) -> Vec<Loop> {
    let loops = &plan.analysis.loops;
    let around = loops.around(loops.get(id).header).skip(1);
    if around.into_iter().any(|outer| plan.decisions[outer.index()].reason == Reason::Made) {
        return Vec::new();
    }
    let inside =
        |decision: &&Decision| loops.around(loops.get(decision.id).header).any(|outer| outer == id);
    let inside = plan.decisions.iter().filter(inside);
    inside.map(|decision| describe(plan, decision, argument_names)).collect()
}

/// Headers of loops that are there twice, and are told of once.
#[derive(Clone, Copy, Default)]
pub struct Copies<'a> {
    /// Those that do several iterations in one ([`crate::rows`]).
    pub several: &'a [Block],
    /// Those that do what is left when not all items go on together ([`crate::together`]).
    pub rests: &'a [Block],
}

/// Every loop, the outer before the inner; `before` are those that go by predicates now.
pub fn loops(
    plan: &Plan,
    argument_names: &[String],
    before: Vec<Loop>,
    copies: Copies,
) -> Vec<Loop> {
    let mut found = standing(plan, argument_names, copies);
    for this in before {
        let at = found.iter().position(|other| other.line > this.line).unwrap_or(found.len());
        found.insert(at, this);
    }
    found
}

fn standing(plan: &Plan, argument_names: &[String], copies: Copies) -> Vec<Loop> {
    let line = |decision: &Decision| plan.analysis.loops.get(decision.id).line;
    let is_one_of = |decision: &Decision, headers: &[Block]| {
        let mut around = plan.analysis.loops.around(plan.analysis.loops.get(decision.id).header);
        let header = |id| plan.view.blocks[plan.analysis.loops.get(id).header.index()];
        around.any(|id| headers.contains(&header(id)))
    };
    let lines = |headers: &[Block]| -> Vec<_> {
        plan.decisions.iter().filter(|it| is_one_of(it, headers)).map(line).collect()
    };
    let (at_once, together) = (lines(copies.several), lines(copies.rests));
    let is_told = |decision: &&Decision| {
        !is_one_of(decision, copies.several) && !is_one_of(decision, copies.rests)
    };
    let mut found = Vec::new();
    for decision in plan.decisions.iter().filter(is_told) {
        // A loop behind a guard has a copy for groups whose items all pass: that one is told of.
        let same = |other: &&Decision| other.id != decision.id && line(other) == line(decision);
        let copies = || plan.decisions.iter().filter(same);
        if plan.is_in_made(decision.id) {
            continue;
        }
        if decision.obstacle.is_some() && copies().any(|other| other.obstacle.is_none()) {
            continue;
        }
        let mut this = describe(plan, decision, argument_names);
        let is_apart = decision.order == Order::BreadthFirst;
        if is_apart && copies().any(|other| other.obstacle.is_some()) {
            this.why += "; in groups of which all items run it";
        }
        if at_once.contains(&line(decision)) {
            this.why += "; items read several numbers of their rows at once";
        }
        if together.contains(&line(decision)) {
            this.why += "; as long as all items of a row run it, and then each as long as it does";
        }
        found.push(this);
    }
    found
}

fn describe(plan: &Plan, decision: &Decision, argument_names: &[String]) -> Loop {
    let (function, analysis) = (&plan.view.function, &plan.analysis);
    let this = analysis.loops.get(decision.id);
    let trips = analysis.trips(decision.id).filter(|trips| trips.exact);
    let count = trips.and_then(|trips| trips.count.as_constant());
    let found = analysis.classes(decision.id);
    let accesses =
        described(function, argument_names, found.map(|(at, class)| (at, class.to_string())));
    let tally = decision.tally.counts();
    Loop {
        line: this.line.unwrap_or(0),
        depth: this.depth,
        trip_count: count.and_then(|count| u64::try_from(count).ok()),
        divergent: analysis.is_left_apart(decision.id) || analysis.is_divergent(this.header),
        order: decision.order.name().to_string(),
        rule: decision.reason.rule().to_string(),
        why: why(decision),
        tally: tally.map(|(class, count)| (class.to_string(), count)).collect::<BTreeMap<_, _>>(),
        accesses,
    }
}

/// The accesses outside of all loops, those of loops that were written out among them.
pub fn straight(plan: &Plan, argument_names: &[String]) -> Vec<Access> {
    let found = plan.analysis.straight().map(|(access, stride)| (access, format!("W{stride}")));
    described(&plan.view.function, argument_names, found)
}

/// Each access once: a loop that was written out has the same ones again and again.
fn described<'a>(
    function: &Function,
    argument_names: &[String],
    found: impl Iterator<Item = (&'a access::Access, String)>,
) -> Vec<Access> {
    let mut accesses: Vec<Access> = Vec::new();
    for (access, class) in found {
        let described = Access {
            line: access.line.unwrap_or(0),
            argument: name_of(function, access, argument_names),
            kind: access.kind.name().to_string(),
            class,
        };
        if !accesses.contains(&described) {
            accesses.push(described);
        }
    }
    accesses
}

/// What an access does, to what and where.
pub fn access_in_words(plan: &Plan, argument_names: &[String], instruction: ValueId) -> String {
    let accesses = plan.analysis.accesses.iter();
    let Some(access) = accesses.clone().find(|access| access.instruction == instruction) else {
        return "does something".to_string();
    };
    let verb = match access.kind {
        access::AccessKind::Load => "reads",
        access::AccessKind::Store => "writes",
        access::AccessKind::Atomic => "changes",
    };
    let name = name_of(&plan.view.function, access, argument_names);
    let what = name.unwrap_or_else(|| "memory".to_string());
    match access.line {
        Some(line) => format!("{verb} {what} (line {line})"),
        None => format!("{verb} {what}"),
    }
}

/// The argument or local variable behind an access, as the source calls it.
fn name_of(function: &Function, access: &access::Access, arguments: &[String]) -> Option<String> {
    let &[root] = access.roots.as_slice() else { return None };
    name(function, root, arguments)
}

/// An argument or a local variable, as the source calls it.
pub fn name(function: &Function, root: ValueId, arguments: &[String]) -> Option<String> {
    let name = match &function.value(root).kind {
        ValueKind::Argument(number) => arguments.get(*number as usize)?,
        ValueKind::Global(name) => name.rsplit('.').next()?,
        _ => return None,
    };
    (!name.is_empty()).then(|| name.to_string())
}

/// The reason, as a sentence without its end.
fn why(decision: &Decision) -> String {
    let order = match decision.obstacle {
        Some(_) if !decision.predicated => Order::BreadthFirst,
        _ => decision.order,
    };
    let wanted = match order {
        Order::DepthFirst => "depth-first",
        Order::BreadthFirst => "breadth-first",
    };
    let reason = match decision.reason {
        Reason::Barrier => "it has a barrier, so items run each iteration together".to_string(),
        Reason::Wished => format!("{wanted} was asked for"),
        Reason::Inner => format!("a loop inside is better {wanted}"),
        Reason::Tally => votes(&decision.tally),
        Reason::Recurrence => {
            "iterations build on each other, items do not: they can be vectors".to_string()
        }
        Reason::Rows => {
            format!(
                "{}, but iterations build on each other, and a few rows at a time can be vectors",
                votes(&decision.tally)
            )
        }
        Reason::Compute => {
            "no access to shared memory prefers an order, and items that go together make vectors"
                .to_string()
        }
        Reason::Tie => votes(&decision.tally),
        Reason::Short(short) => format!("{}, but {}", votes(&decision.tally), falls(short)),
        Reason::Claims => {
            "items write to places until they find what they wrote, which whoever goes alone does at once"
                .to_string()
        }
        Reason::Seldom => {
            format!(
                "{}, but what items load, or one place, decides who runs it: seldom all",
                votes(&decision.tally)
            )
        }
        Reason::Beside => {
            format!(
                "{}, and registers hold what several vectors of items keep that go through it side by side",
                votes(&decision.tally)
            )
        }
        Reason::Vectors => {
            format!("{}, and items that go together make vectors", votes(&decision.tally))
        }
        Reason::Around => "items run each iteration of the loop around it together".to_string(),
        Reason::Made => "it goes by predicates".to_string(),
        Reason::OneItem => "a group is a single work-item".to_string(),
        Reason::OwnVectors => {
            "the work-items' own vectors fill the machine's or are longer than rows of the group, and stay whole".to_string()
        }
    };
    let obstacle = match decision.obstacle {
        None => return reason,
        Some(_) if decision.predicated => {
            return format!("{reason}; by predicates: items that have left it wait for the rest");
        }
        Some(Obstacle::SomeItems) => "maybe only some work-items run this loop",
        Some(Obstacle::LeftApart) => "work-items leave this loop in different iterations",
        Some(Obstacle::Outer) => "work-items run the loop around it at different times",
        Some(Obstacle::Irreducible) => "the control flow is no nest of loops",
    };
    format!("{reason}, but {obstacle}")
}

/// What breadth-first falls short by.
const fn falls(short: Short) -> &'static str {
    match short {
        Short::Few => {
            "in so few iterations an item's lines stay in the cache until its neighbours come"
        }
        Short::State => "what each item keeps would go through memory in every iteration",
        Short::Crowded => "registers do not hold what several vectors of items need",
    }
}

fn votes(tally: &Tally) -> String {
    let (breadth, depth) = (tally.breadth_first(), tally.depth_first());
    let accesses = |count: u32, order: &str| match count {
        1 => format!("1 access prefers {order}"),
        _ => format!("{count} accesses prefer {order}"),
    };
    match (breadth, depth) {
        (1.., _) if breadth == depth => {
            format!("as many accesses prefer items first as iterations first, {depth}")
        }
        (0, 0) => "no access prefers an order".to_string(),
        (_, 0) => accesses(breadth, "items first"),
        (0, _) => accesses(depth, "iterations first"),
        _ => format!("{}, {depth} iterations first", accesses(breadth, "items first")),
    }
}

/// What each argument's buffer is touched at.
pub fn ranges(plan: &Plan) -> Vec<Range> {
    plan.analysis.ranges.iter().map(range).collect()
}

fn range(found: &ranges::Range) -> Range {
    let access = match (found.reads, found.writes) {
        (true, true) => "read_write",
        (false, true) => "write",
        _ => "read",
    };
    let term = |term: &ranges::Term| Term {
        bytes: term.bytes,
        global_id: term.global_id.map(u32::from),
        times_argument: term.times_argument,
    };
    Range {
        argument: found.argument,
        access: access.to_string(),
        offset_bytes: found.offset_bytes,
        extent_bytes: found.extent_bytes,
        terms: found.terms.iter().map(term).collect(),
        extent_terms: found.extent_terms.iter().map(term).collect(),
    }
}
