//! Accesses that LLVM's vectorizer must not move.
//!
//! It loads what neighbours have in several parts of one structure (`x[4 * i]`, `x[4 * i + 1]`) where the first part is
//! loaded, and stores such parts where the last is stored. In loops whose iterations are said to be independent it does not look at
//! what lies between: a store to `x[4 * i + c]`, or to what another argument leads to, may be passed. Here are the
//! accesses that would pass one that may touch the same bytes; code generation keeps them out of such groups
//! (`crate::kernel::stay`).
//!
//! Terms: a *part* is what one access moves of a structure: all of it, or one component of a vector, which are taken apart
//! before the vectorizer comes. *Partners* are accesses of one kind that may have parts of one size a constant number of
//! bytes apart. Where the form of an address is exact, those with the same form are: opaque values in it count as the same
//! where LLVM could find that they are (`same`). Where it is not, all that come from the same roots may be. Private memory
//! counts too: the arrays of all items lie behind each other. A call that gets addresses, such as `memcpy`, may become
//! accesses later: it stands for a store to what they lead to, and for anything's partner there.
//! Why, and what is not seen: docs/decisions/014-what-vectors-may-not-move.md.

use std::collections::HashMap;

use super::access::{self, AccessKind};
use super::forms::{Axis, Form, Forms};
use super::linear::{Atom, Polynomial};
use super::loops::Loops;
use super::roots::Roots;
use super::same::Same;
use super::shape::Shape;
use crate::view::{BlockId, Callee, Function, Instruction, Op, Space, ValueId};

/// Comparisons above which every access with a partner is taken to be in danger.
const MOST_COMPARISONS: usize = 4_000_000;

/// So far apart, addresses of the same form may be equal: forms take arithmetic of 32 bits not to wrap around.
const WRAPS_BYTES: u64 = 1 << 31;

/// Parts of a structure that the vectorizer takes together at most: `max-interleave-group-factor` in [`crate::code::emit`].
pub const MOST_PARTS: u64 = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Moves {
    Load,
    Store,
    /// A call that may load and store.
    Call,
}

struct Access<'a> {
    instruction: ValueId,
    block: BlockId,
    /// In reverse post-order.
    position: usize,
    pointer: ValueId,
    moves: Moves,
    bytes: u64,
    /// Of what it moves at once where vectors are taken apart.
    part_bytes: u64,
    /// That of the address, if it is exact.
    form: Option<&'a Form>,
}

/// Accesses that may be moved for each other's sake, by their numbers.
struct Group {
    members: Vec<usize>,
    /// What a member may be moved to, itself included.
    partners: Vec<usize>,
}

/// What the analyses before this one know.
pub struct Knowledge<'a> {
    pub function: &'a Function,
    pub loops: &'a Loops,
    pub forms: &'a Forms<'a>,
    pub roots: &'a Roots,
    /// A reverse post-order of the blocks.
    pub order: &'a [BlockId],
    /// Of a value, along the dimension in which items follow each other.
    pub shape: &'a dyn Fn(ValueId) -> Shape,
}

/// The instructions that must stay where they are.
pub fn find(known: &Knowledge) -> Vec<ValueId> {
    let accesses = accesses(known);
    let groups = groups(known, &accesses);
    let members: usize = groups.iter().map(|group| group.members.len()).sum();
    let all = members.saturating_mul(accesses.len()) > MOST_COMPARISONS;
    let search = Search { known, accesses: &accesses };
    let mut found = Vec::new();
    for group in &groups {
        let in_danger = |&number: &usize| all || search.is_in_danger(number, &group.partners);
        let endangered = group.members.iter().copied().filter(in_danger);
        found.extend(endangered.map(|number| accesses[number].instruction));
    }
    found.sort();
    found
}

fn accesses<'a>(known: &Knowledge<'a>) -> Vec<Access<'a>> {
    let function = known.function;
    let mut found = Vec::new();
    let blocks = known.order.iter();
    let all = blocks.flat_map(|&block| function.body(block).map(move |made| (block, made)));
    for (position, (block, (id, instruction))) in all.enumerate() {
        let form = |pointer| known.forms.of(pointer).filter(|form| form.exact);
        let mut add = |moves, pointer, bytes, part_bytes, form| {
            let instruction = id;
            found.push(Access {
                instruction,
                block,
                position,
                pointer,
                moves,
                bytes,
                part_bytes,
                form,
            });
        };
        match access::touched(function, id, instruction) {
            // A loop with such cannot become vectors.
            Some((AccessKind::Atomic, ..)) => {}
            Some((kind, pointer, bytes)) => {
                let (moves, moved) = match kind {
                    AccessKind::Load => (Moves::Load, id),
                    _ => (Moves::Store, instruction.operands[0]),
                };
                let ty = function.value(moved).ty;
                let part = if ty.lanes > 1 { u64::from(ty.bits.div_ceil(8)) } else { bytes };
                add(moves, pointer, bytes, part, form(pointer));
            }
            None => {
                for pointer in addresses_given(function, instruction) {
                    add(Moves::Call, pointer, u64::MAX, 0, None);
                }
            }
        }
    }
    found
}

/// The addresses that a call of unknown effects gets.
fn addresses_given(function: &Function, instruction: &Instruction) -> Vec<ValueId> {
    if instruction.op != Op::Call(Callee::Unknown) {
        return Vec::new();
    }
    let operands = instruction.operands.iter().copied();
    operands.filter(|&operand| function.value(operand).ty.space().is_some()).collect()
}

/// Accesses of one kind to parts of one size at addresses of the same roots.
#[derive(Default)]
struct Family {
    /// Those with exact forms, by what of the form is no constant.
    exact: HashMap<Polynomial, Vec<usize>>,
    vague: Vec<usize>,
}

/// The accesses that may be moved together, each group in the order of positions.
fn groups(known: &Knowledge, accesses: &[Access]) -> Vec<Group> {
    let same = Same::find(known.function, known.order);
    let mut families: HashMap<_, Family> = HashMap::new();
    let mut calls: HashMap<Vec<ValueId>, Vec<usize>> = HashMap::new();
    for (number, this) in accesses.iter().enumerate() {
        let roots = same.all(known.roots.of(this.pointer));
        if this.moves == Moves::Call {
            calls.entry(roots).or_default().push(number);
        } else if may_be_part(known, this) {
            let is_load = this.moves == Moves::Load;
            let family = families.entry((is_load, this.part_bytes, roots)).or_default();
            let moving = this.form.and_then(|form| {
                let moving = form.polynomial.only(|monomial, _| !monomial.is_empty());
                moving.renamed(|atom| same.atom(atom))
            });
            match moving {
                Some(moving) => family.exact.entry(moving).or_default().push(number),
                None => family.vague.push(number),
            }
        }
    }
    let mut groups = Vec::new();
    for ((_, _, roots), Family { exact, vague }) in families {
        let others = [vague.as_slice(), calls.get(&roots).map_or(&[], Vec::as_slice)].concat();
        let all = exact.values().flatten().chain(&others).copied().collect();
        groups.push(Group { members: vague, partners: all });
        for members in exact.into_values() {
            groups.push(Group { partners: [members.as_slice(), &others].concat(), members });
        }
    }
    groups.retain(|group| group.partners.len() > 1 && !group.members.is_empty());
    groups.sort_by_key(|group| group.members[0]);
    groups
}

/// Whether the vectorizer may take an access for one to a part of a structure: neighbours are more than the part apart,
/// and no more than so many parts as it takes together.
fn may_be_part(known: &Knowledge, this: &Access) -> bool {
    let function = known.function;
    if function.value(this.pointer).ty.space() == Some(Space::Private) {
        return true;
    }
    let axis = Axis::Item(access::innermost_dimension(function));
    let step = match (known.shape)(this.pointer) {
        Shape::Uniform => Some(0),
        Shape::Affine(step) => Some(step),
        Shape::Linear | Shape::Varying => known.forms.of(this.pointer).and_then(|form| {
            match known.forms.step(&form.polynomial, axis) {
                Some(step) => Some(step.as_constant().unwrap_or(0)),
                // It depends on a value that has no form, or on the square of an id: no stride, unless the form is none.
                None => form.exact.then_some(0),
            }
        }),
    };
    step.is_none_or(|step| {
        let step = step.unsigned_abs();
        step > this.part_bytes && step <= this.part_bytes * MOST_PARTS
    })
}

struct Search<'a> {
    known: &'a Knowledge<'a>,
    accesses: &'a [Access<'a>],
}

impl Search<'_> {
    /// Whether moving access `number` to one of its `partners` takes it past one that may touch the same bytes.
    fn is_in_danger(&self, number: usize, partners: &[usize]) -> bool {
        let this = &self.accesses[number];
        let partners = || partners.iter().map(|&partner| &self.accesses[partner]);
        let is_passed = |other: &Access| match this.moves {
            Moves::Load => {
                other.moves != Moves::Load
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
        self.known
            .loops
            .around(a.block)
            .any(|id| self.known.loops.around(b.block).any(|other| other == id))
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
        if apart.unsigned_abs() >= WRAPS_BYTES {
            return true;
        }
        if apart >= 0 { apart.unsigned_abs() < a.bytes } else { apart.unsigned_abs() < b.bytes }
    }

    fn are_of_other_memory(&self, a: &Access, b: &Access) -> bool {
        let space = |access: &Access| self.known.function.value(access.pointer).ty.space();
        if let (Some(first), Some(second)) = (space(a), space(b))
            && first != second
            && ![first, second].contains(&Space::Generic)
        {
            return true;
        }
        let variable = |&root: &ValueId| {
            self.known.function.instruction(root).is_some_and(|made| made.op == Op::Alloca)
        };
        let (first, second) = (self.known.roots.of(a.pointer), self.known.roots.of(b.pointer));
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
    fn neighbours_that_are_near_or_far_apart_are_no_structures() {
        let far = format!("{}\nstore %x %b\n{}", LOADS[0], LOADS[1]);
        for step in ["*4", "*36", "*256"] {
            check(&far.replace("*16", step), &[]);
        }
        check(&far.replace("*16", "*32"), &["y"]);
    }

    #[test]
    fn components_of_vectors_are_parts() {
        let between = |load: &str, store: &str| {
            let body = format!("{}\n{store}\n{}", LOADS[0], LOADS[1]);
            body.replace("f32", load).replace("%q = address %a %g*16 +4", "%q = address %a %g*16")
        };
        check(&between("f32x4", "store 7 %b"), &["y"]);
        check(&between("f64x2", "store 7 %b"), &["y"]);
        check(&between("f32x4", ""), &[]);
        // Whole, they are neighbours.
        check(&between("i64", "store 7 %b").replace("*16", "*8"), &[]);
    }

    #[test]
    fn what_may_be_the_same_address_is_a_partners() {
        let body = |index: &str, other: &str| {
            format!(
                "entry:
                %g = global_id 0
                {index}
                %p = address %a %g*16 %i*4
                %x = load %p : f32
                store %x %b
                {other}
                %q = address %a %g*16 %j*4 +4
                %y = load %q : f32
                ret"
            )
        };
        // LLVM may know that nothing is stored between two loads of one index; not so of two indices.
        check(&body("%i = load %b", "%j = load %b"), &["y"]);
        check(&body("%o = address %b +8\n%i = load %b", "%j = load %o"), &[]);
        // Forms of what is chosen are not exact.
        let choice = "%c = slt %n 3\n%i = select %c %n 8";
        check(&body(choice, "%j = same %i"), &["y"]);
        check(&body(choice, "%j = same %i").replace("global_id 0", "global_id 1"), &[]);
    }

    #[test]
    fn calls_may_touch_what_they_are_given() {
        let between = |call: &str| format!("{}\n{call}\n{}", LOADS[0], LOADS[1]);
        check(&between("call %a %n"), &["y"]);
        check(&between("call %b %n"), &["y"]);
        check(&between("call %n"), &[]);
        check(&between("%v = alloca : private\ncall %v"), &[]);
    }
}
