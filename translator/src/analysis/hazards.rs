//! Accesses that LLVM's vectorizer must not move.
//!
//! It loads what neighbours have in several parts of one structure (`x[4 * i]`, `x[4 * i + 1]`) where the first part is
//! loaded, and stores such parts where the last is stored. In loops whose iterations are said to be independent it does not look at
//! what lies between: a store to `x[4 * i + c]`, or to what another argument leads to, may be passed. Here are the
//! accesses that would pass one that may touch the same bytes; code generation keeps them out of such groups
//! (`crate::stay`).
//!
//! Terms: *partners* are accesses of one kind and size a constant number of bytes apart. Private memory counts too:
//! the arrays of all items lie behind each other. Why: docs/decisions/014-what-vectors-may-not-move.md.

use std::collections::HashMap;

use super::access::{self, AccessKind};
use super::forms::{Axis, Form, Forms};
use super::linear::{Atom, Polynomial};
use super::loops::Loops;
use super::roots::Roots;
use crate::view::{BlockId, Function, Op, Space, ValueId};

/// Comparisons above which every access with a partner is taken to be in danger.
const MOST_COMPARISONS: usize = 4_000_000;

struct Access<'a> {
    instruction: ValueId,
    block: BlockId,
    /// In reverse post-order.
    position: usize,
    pointer: ValueId,
    kind: AccessKind,
    bytes: u64,
    form: Option<&'a Form>,
}

/// `order` is a reverse post-order of the blocks. The instructions that must stay where they are.
pub fn find(
    function: &Function,
    loops: &Loops,
    forms: &Forms,
    roots: &Roots,
    order: &[BlockId],
) -> Vec<ValueId> {
    let accesses = accesses(function, forms, order);
    let groups = partners(function, forms, &accesses);
    let members: usize = groups.iter().map(Vec::len).sum();
    let all = members.saturating_mul(accesses.len()) > MOST_COMPARISONS;
    let search = Search { function, loops, roots, accesses: &accesses };
    let mut found = Vec::new();
    for group in &groups {
        let in_danger = |&number: &usize| all || search.is_in_danger(number, group);
        let endangered = group.iter().copied().filter(in_danger);
        found.extend(endangered.map(|number| accesses[number].instruction));
    }
    found.sort();
    found
}

fn accesses<'a>(function: &Function, forms: &'a Forms, order: &[BlockId]) -> Vec<Access<'a>> {
    let mut found = Vec::new();
    let all = order.iter().flat_map(|&block| function.body(block).map(move |made| (block, made)));
    for (position, (block, (id, instruction))) in all.enumerate() {
        let Some((kind, pointer, bytes)) = access::touched(function, id, instruction) else {
            continue;
        };
        if kind == AccessKind::Atomic {
            continue; // A loop with such cannot become vectors.
        }
        let form = forms.of(pointer).filter(|form| form.exact);
        found.push(Access { instruction: id, block, position, pointer, kind, bytes, form });
    }
    found
}

/// The groups of accesses that may be moved together, each in the order of positions.
fn partners(function: &Function, forms: &Forms, accesses: &[Access]) -> Vec<Vec<usize>> {
    let dimension = access::innermost_dimension(function);
    let mut groups: HashMap<_, Vec<usize>> = HashMap::new();
    for (number, this) in accesses.iter().enumerate() {
        let Some(form) = this.form else { continue };
        let step = forms.step(&form.polynomial, Axis::Item(dimension));
        let step = step.and_then(|step| step.as_constant()).map_or(0, i64::unsigned_abs);
        let is_private = function.value(this.pointer).ty.space() == Some(Space::Private);
        if is_private || step > this.bytes {
            let moving = form.polynomial.only(|monomial, _| !monomial.is_empty());
            let is_load = this.kind == AccessKind::Load;
            groups.entry((is_load, this.bytes, moving)).or_default().push(number);
        }
    }
    let mut groups: Vec<Vec<usize>> =
        groups.into_values().filter(|group| group.len() > 1).collect();
    groups.sort();
    groups
}

struct Search<'a> {
    function: &'a Function,
    loops: &'a Loops,
    roots: &'a Roots,
    accesses: &'a [Access<'a>],
}

impl Search<'_> {
    /// Whether moving access `number` to one of its `partners` takes it past one that may touch the same bytes.
    fn is_in_danger(&self, number: usize, partners: &[usize]) -> bool {
        let this = &self.accesses[number];
        let partners = || partners.iter().map(|&partner| &self.accesses[partner]);
        let is_passed = |other: &Access| match this.kind {
            AccessKind::Load => {
                other.kind == AccessKind::Store
                    && self.may_precede(other, this)
                    && partners().any(|partner| self.may_precede(partner, other))
            }
            _ => {
                self.may_precede(this, other)
                    && partners().any(|partner| self.may_precede(other, partner))
            }
        };
        self.accesses.iter().any(|other| {
            other.instruction != this.instruction && is_passed(other) && self.may_meet(this, other)
        })
    }

    fn may_precede(&self, a: &Access, b: &Access) -> bool {
        a.position < b.position || self.share_a_loop(a, b)
    }

    fn share_a_loop(&self, a: &Access, b: &Access) -> bool {
        self.loops.around(a.block).any(|id| self.loops.around(b.block).any(|other| other == id))
    }

    /// Whether two accesses of one item may touch the same bytes.
    fn may_meet(&self, a: &Access, b: &Access) -> bool {
        if self.are_of_other_memory(a, b) {
            return false;
        }
        let (Some(first), Some(second)) = (a.form, b.form) else { return true };
        let apart = second.polynomial.minus(&first.polynomial).and_then(|way| way.as_constant());
        let Some(apart) = apart else { return true };
        if self.share_a_loop(a, b) && changes_in_loops(&first.polynomial) {
            return true;
        }
        if apart >= 0 { apart.unsigned_abs() < a.bytes } else { apart.unsigned_abs() < b.bytes }
    }

    fn are_of_other_memory(&self, a: &Access, b: &Access) -> bool {
        let space = |access: &Access| self.function.value(access.pointer).ty.space();
        if let (Some(first), Some(second)) = (space(a), space(b))
            && first != second
            && ![first, second].contains(&Space::Generic)
        {
            return true;
        }
        let variable = |&root: &ValueId| {
            self.function.instruction(root).is_some_and(|made| made.op == Op::Alloca)
        };
        let (first, second) = (self.roots.of(a.pointer), self.roots.of(b.pointer));
        first.iter().all(variable)
            && second.iter().all(variable)
            && first.iter().all(|root| !second.contains(root))
    }
}

/// Whether an address may be another one in another iteration of a loop.
fn changes_in_loops(address: &Polynomial) -> bool {
    address.atoms().any(|atom| matches!(atom, Atom::Iteration(_) | Atom::Value(_)))
}

#[cfg(test)]
mod tests {
    use crate::analysis::Analysis;
    use crate::view::Function;
    use crate::view::text::parse;

    fn check(body: &str, endangered: &[&str]) {
        let text = format!("kernel k(a: global, b: global, n: i64)\n{body}");
        let function = parse(&text);
        let named: Vec<_> = endangered.iter().map(|name| Function::named(&text, name)).collect();
        assert_eq!(Analysis::new(&function).must_stay(&function), named, "{body}");
    }

    const LOADS: [&str; 2] = [
        "entry:
            %g = global_id 0
            %p = address %a %g*16
            %q = address %a %g*16 +4
            %x = load %p : f32",
        "%y = load %q : f32
            ret",
    ];

    #[test]
    fn loads_do_not_pass_stores_that_may_meet_them() {
        let between = |store: &str| format!("{}\n{store}\n{}", LOADS[0], LOADS[1]);
        check(&between(""), &[]);
        check(&between("%r = address %a %g*16 %n*4\nstore %x %r"), &["y"]);
        check(&between("store %x %b"), &["y"]);
        check(&between("%r = address %a %g*16 +8\nstore %x %r"), &[]);
        check(&between("%r = address %a %g*16 +6\nstore %x %r"), &["y"]);
        check(&between("%v = alloca : private\nstore %x %v"), &[]);
    }

    #[test]
    fn neighbours_that_are_near_are_no_structures() {
        let body = format!("{}\nstore %x %b\n{}", LOADS[0], LOADS[1]).replace("*16", "*4");
        check(&body, &[]);
    }
}
