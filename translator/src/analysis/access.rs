//! The memory accesses of a kernel, and how each strides.
//!
//! Terms: the *class* of an access in a loop is its stride from one work-item to the next (W) and from
//! one iteration to the next (L), each 0, 1 (the next element) or X (anything else, and unknown).
//! Work-items follow each other along the first dimension that has more than one. By the paper's rules a stride counts as 1
//! if the index of the *element* grows by exactly 1: an element is what the last index of the address counts, a structure where
//! its members are accessed, or what is accessed, if that is larger. By ours it does
//! up to the access's own size or 16 bytes, whichever is more, in either direction: the members of a small structure are
//! as near as neighbours (docs/decisions/038-orders-beyond-the-paper.md). Private memory is no access here: every item has its own.
//! Source: CGO'15, sections 3.2.1 and 3.2.2 (Kim et al., locality-centric thread scheduling).

use std::collections::HashSet;
use std::fmt;

use super::approximate::Rules;
use super::forms::{Axis, Forms};
use super::linear::{Atom, Polynomial};
use super::loops::{LoopId, Loops};
use super::roots::Roots;
use super::steps::Step;
use crate::view::{BlockId, Function, Instruction, Op, Space, ValueId, ValueKind};

/// A step of at most so many bytes stays near, whatever the size of the access: a quarter of a
/// cache line.
const NEAR_BYTES: u64 = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stride {
    Zero,
    One,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    pub work_item: Stride,
    pub iteration: Stride,
}

impl fmt::Display for Stride {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(match self {
            Stride::Zero => "0",
            Stride::One => "1",
            Stride::Other => "X",
        })
    }
}

impl fmt::Display for Class {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "W{}L{}", self.work_item, self.iteration)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    Load,
    Store,
    Atomic,
}

impl AccessKind {
    pub const fn name(self) -> &'static str {
        match self {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Access {
    pub instruction: ValueId,
    pub block: BlockId,
    pub pointer: ValueId,
    pub kind: AccessKind,
    pub bytes: u64,
    /// Of an element.
    pub unit_bytes: u64,
    pub line: Option<u32>,
    /// What the address is computed from: pointer arguments, variables, loaded pointers.
    pub roots: Vec<ValueId>,
    /// Whether an access before it, in the same innermost loop, has the same address, for certain.
    pub again: bool,
    /// Whether the form of its address is exact.
    pub exact: bool,
    /// From one item to the next along each dimension.
    pub steps: [Step; 3],
}

/// What an instruction does to memory, at which address, and to how many bytes.
pub fn touched(
    function: &Function,
    id: ValueId,
    instruction: &Instruction,
) -> Option<(AccessKind, ValueId, u64)> {
    let (kind, pointer, moved) = match (&instruction.op, instruction.operands.as_slice()) {
        (Op::Load(_), &[pointer]) => (AccessKind::Load, pointer, id),
        (Op::Store(_), &[value, pointer]) => (AccessKind::Store, pointer, value),
        (Op::Atomic, &[pointer, value, ..]) => (AccessKind::Atomic, pointer, value),
        _ => return None,
    };
    Some((kind, pointer, function.value(moved).ty.bytes))
}

/// Every access to memory that items share, in the order of the blocks.
pub fn find(function: &Function, roots: &Roots) -> Vec<Access> {
    let mut found = Vec::new();
    for block in function.block_ids() {
        for (id, instruction) in function.body(block) {
            let Some((kind, pointer, bytes)) = touched(function, id, instruction) else { continue };
            let roots = roots.of(pointer);
            if !roots.iter().all(|&root| is_private(function, root)) {
                found.push(Access {
                    instruction: id,
                    block,
                    pointer,
                    kind,
                    bytes,
                    unit_bytes: unit_bytes(function, pointer, bytes),
                    line: function.value(id).line,
                    roots,
                    again: false,
                    exact: false,
                    steps: [Step::Unknown; 3],
                });
            }
        }
    }
    found
}

/// Addresses that are looked through for the size of an element at most.
const MOST_ADDRESSES: usize = 16;

/// Bytes of an element: the least that an index of the address counts, or what is accessed, if that is more.
fn unit_bytes(function: &Function, pointer: ValueId, bytes: u64) -> u64 {
    let (mut least, mut work, mut seen) = (u64::MAX, vec![pointer], Vec::new());
    while let Some(id) = work.pop() {
        if seen.len() == MOST_ADDRESSES || seen.contains(&id) {
            continue;
        }
        seen.push(id);
        let Some(made) = function.instruction(id) else { continue };
        match &made.op {
            Op::Address { scales, .. } => {
                least = scales.iter().fold(least, |least, scale| least.min(scale.unsigned_abs()));
                work.push(made.operands[0]);
            }
            Op::Cast(_) => work.push(made.operands[0]),
            Op::Select => work.extend(&made.operands[1..]),
            Op::Phi(_) => work.extend(&made.operands),
            _ => {}
        }
    }
    if least == u64::MAX { bytes } else { least.max(bytes) }
}

/// Says of each access how far it is from one item to the next, whether its form is exact, and whether another one before it has
/// the same address: what only nearly has the same form may be elsewhere, unless it is the same value.
pub fn compare(accesses: &mut [Access], forms: &Forms, loops: &Loops) {
    let mut seen = HashSet::new();
    for this in accesses {
        let form = forms.of(this.pointer);
        this.steps = [0, 1, 2].map(|dimension| {
            let step = form.and_then(|it| forms.step(&it.polynomial, Axis::Item(dimension)));
            Step::of(forms.shape(this.pointer, dimension), step.as_ref())
        });
        let Some(form) = form else { continue };
        this.exact = form.exact;
        let address = match form.exact {
            true => form.polynomial.clone(),
            false => Polynomial::atom(Atom::Value(this.pointer)),
        };
        this.again = !seen.insert((loops.innermost(this.block), address));
    }
}

fn is_private(function: &Function, root: ValueId) -> bool {
    let value = function.value(root);
    let variable = function.instruction(root).is_some_and(|made| made.op == Op::Alloca);
    variable
        || value.ty.space() == Some(Space::Private)
        || matches!(value.kind, ValueKind::Undefined)
}

/// The first dimension in which a group has more than one item.
pub fn innermost_dimension(function: &Function) -> u8 {
    let size = function.local_size.unwrap_or([0; 3]);
    size.iter().position(|&items| items != 1).unwrap_or(0) as u8
}

/// How an access strides in a loop around it.
pub fn classify(function: &Function, forms: &Forms, access: &Access, id: LoopId) -> Class {
    Class {
        work_item: from_item_to_item(function, forms, access),
        iteration: stride(forms, access, Axis::Loop(id)),
    }
}

/// How an access strides from one item to the next.
pub fn from_item_to_item(function: &Function, forms: &Forms, access: &Access) -> Stride {
    stride(forms, access, Axis::Item(innermost_dimension(function)))
}

fn stride(forms: &Forms, access: &Access, axis: Axis) -> Stride {
    let form = forms.of(access.pointer);
    let step = form.and_then(|form| forms.step(&form.polynomial, axis)?.as_constant());
    let is_near = |step: i64| match forms.rules {
        Rules::Paper => u64::try_from(step) == Ok(access.unit_bytes),
        Rules::Ours => step.unsigned_abs() <= access.bytes.max(NEAR_BYTES),
    };
    match step {
        Some(0) => Stride::Zero,
        Some(step) if is_near(step) => Stride::One,
        _ => Stride::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::Rules;
    use crate::analysis::Analysis;
    use crate::view::Function;
    use crate::view::text::parse;

    /// The classes of the accesses in the only loop of a kernel over `i` (the global id), k (the
    /// iteration) and n (an argument), whose body is `body`.
    fn classes(body: &str) -> String {
        classes_by(Rules::Ours, body)
    }

    fn classes_by(rules: Rules, body: &str) -> String {
        let function = kernel(body);
        let analysis = Analysis::by(&function, rules);
        let classes = analysis.loops.ids().flat_map(|id| analysis.classes(id).collect::<Vec<_>>());
        classes.map(|(_, class)| class.to_string()).collect::<Vec<_>>().join(" ")
    }

    fn kernel(body: &str) -> Function {
        parse(&format!(
            "kernel k(a: global, b: global, n: i32)
            entry:
              %g = global_id 0
              %i = trunc %g : i32
              jump head
            head:
              %k = phi [entry 0] [body %next] : i32
              %c = slt %k %n
              branch %c body done
            body:
              {body}
              %next = add.nsw %k 1
              jump head
            done:
              ret"
        ))
    }

    fn access_to(index: &str) -> String {
        format!(
            "{index}
            %wide = sext %x : i64
            %p = address %a %wide*4
            %v = load %p : f32"
        )
    }

    fn class_of(index: &str) -> String {
        classes(&access_to(index))
    }

    /// By the paper's rules.
    fn strict(index: &str) -> String {
        classes_by(Rules::Paper, &access_to(index))
    }

    #[test]
    fn strides_of_sums_and_products() {
        assert_eq!(class_of("%x = add.nsw %i 0"), "W1L0");
        assert_eq!(class_of("%x = add.nsw %k 0"), "W0L1");
        assert_eq!(class_of("%x = add.nsw %k %i"), "W1L1");
        assert_eq!(class_of("%m = mul.nsw %i %n\n %x = add.nsw %m %k"), "WXL1");
        assert_eq!(class_of("%m = mul.nsw %k %n\n %x = add.nsw %m %i"), "W1LX");
        assert_eq!(class_of("%m = mul.nsw %k %n\n %x = mul.nsw %m %i"), "WXLX");
        assert_eq!(class_of("%x = sub.nsw %n %k"), "W0L1");
        assert_eq!(class_of("%x = mul.nsw %k 4"), "W0L1");
        assert_eq!(class_of("%x = mul.nsw %k 5"), "W0LX");
    }

    #[test]
    fn rules_for_what_has_no_linear_form() {
        assert_eq!(class_of("%s = add.nsw %i %k\n %x = srem %s %n"), "W1L1");
        assert_eq!(class_of("%x = sdiv %i %n"), "W0L0");
        assert_eq!(class_of("%m = mul.nsw %i %n\n %s = add.nsw %m %k\n %x = sdiv %s %n"), "W1L0");
        assert_eq!(class_of("%x = sdiv %i 16"), "W0L0");
        assert_eq!(class_of("%m = mul.nsw %i 32\n %x = lshr %m 4"), "W1L0");
        assert_eq!(class_of("%x = and %i 15"), "W1L0");
        assert_eq!(class_of("%o = add.nsw %k 1\n %t = slt %o %n\n %x = select %t %o 0"), "W0L1");
        assert_eq!(class_of("%o = add.nsw %k 1\n %x = min %o %n"), "W0L1");
        assert_eq!(class_of("%t = slt %i %n\n %x = select %t %i %k"), "W1L1");
        assert_eq!(class_of("%d = mul.nsw %n %n\n %x = srem %i %d"), "W1L0");
        assert_eq!(class_of("%d = mul.nsw %n %n\n %x = sdiv %i %d"), "W0L0");
    }

    /// What an id and an iteration are; `f` has no stride.
    const SQUARES: &str = "%ii = mul.nsw %i %i\n %kk = mul.nsw %k %k\n";

    #[test]
    fn the_paper_has_nine_classes() {
        let of = |index: &str| strict(&format!("{SQUARES} {index}"));
        for (w, item) in [("0", "%n"), ("1", "%i"), ("X", "%ii")] {
            for (l, iteration) in [("0", "%n"), ("1", "%k"), ("X", "%kk")] {
                let index = format!("%x = add.nsw {item} {iteration}");
                assert_eq!(of(&index), format!("W{w}L{l}"));
            }
        }
    }

    #[test]
    fn strides_of_the_paper_are_of_elements_and_exactly_one() {
        for step in ["2", "4", "-1"] {
            assert_eq!(strict(&format!("%x = mul.nsw %i {step}")), "WXL0", "{step}");
            assert_eq!(strict(&format!("%x = mul.nsw %k {step}")), "W0LX", "{step}");
        }
        assert_eq!(strict("%m = mul.nsw %i 4\n %x = add.nsw %m %k"), "WXL1");
        // A member of structures of 16 bytes; one of 4 in an array of arrays; all of a vector, by its numbers.
        let member = "%m = address %a %g*16 4\n %v = load %m : f32";
        assert_eq!(classes_by(Rules::Paper, member), "W1L0");
        let nested = "%l = sext %k : i64\n %m = address %a %g*64 %l*4\n %v = load %m : f32";
        assert_eq!(classes_by(Rules::Paper, nested), "WXL1");
        let vector = "%m = address %a %g*16\n %v = load %m : f32x4";
        assert_eq!(classes_by(Rules::Paper, vector), "W1L0");
        let members = "%b4 = shl %g 2\n %m = address %a %b4*4\n %v = load %m : f32x4";
        assert_eq!(classes_by(Rules::Paper, members), "W1L0");
    }

    /// Divisors: a number, an argument, a sum, a product, secured against zero as code generation does it.
    const DIVISORS: [&str; 5] = [
        "%d = add.nsw 24 0",
        "%d = add.nsw %n 0",
        "%d = add.nsw %n -1",
        "%d = mul.nsw %n %n",
        "%e = add.nsw %n -1\n %z = eq %e 0\n %d = select %z 1 %e",
    ];

    #[test]
    fn modulus_keeps_a_stride_of_one_by_whatever_is_divided() {
        for by in DIVISORS {
            for op in ["srem", "urem"] {
                assert_eq!(strict(&format!("{by}\n %x = {op} %i %d")), "W1L0", "{by}");
                assert_eq!(strict(&format!("{by}\n %x = {op} %k %d")), "W0L1", "{by}");
                let one_on = format!("{by}\n %o = add.nsw %i 1\n %r = {op} %o %d");
                let rows = format!("{one_on}\n %m = mul.nsw %k %n\n %x = add.nsw %r %m");
                assert_eq!(strict(&rows), "W1LX", "{by}");
            }
        }
        assert_eq!(strict("%x = and %i 15"), "W1L0");
        assert_eq!(strict("%d = add.nsw %n -1\n %x = and %i %d"), "W1L0");
        assert_eq!(strict("%m = mul.nsw %i 3\n %x = srem %m %n"), "WXL0");
    }

    #[test]
    fn division_keeps_a_stride_of_one_by_whatever_is_divided() {
        for by in DIVISORS {
            for op in ["sdiv", "udiv"] {
                assert_eq!(strict(&format!("{by}\n %x = {op} %i %d")), "W1L0", "{by}");
                assert_eq!(strict(&format!("{by}\n %x = {op} %k %d")), "W0L1", "{by}");
            }
        }
        assert_eq!(strict("%x = lshr %i 4"), "W1L0");
        assert_eq!(strict("%x = lshr %i %n"), "W1L0");
        // Rounded down, as an index of rows it is as far as they are.
        assert_eq!(strict("%q = sdiv %i %n\n %x = mul.nsw %q %n"), "WXL0");
    }

    #[test]
    fn a_divisor_that_moves_is_not_known() {
        let by = |op: &str| {
            let text = format!(
                "%l = sext %k : i64
                %q = address %b %l*4
                %d = load %q : i32
                {}",
                access_to(&format!("%x = {op} %i %d"))
            );
            [Rules::Paper, Rules::Ours].map(|rules| classes_by(rules, &text))
        };
        assert_eq!(by("srem"), ["W0L1 W1LX", "W0L1 W1LX"]);
        assert_eq!(by("sdiv"), ["W0L1 W1LX", "W0L1 W0LX"]);
    }

    #[test]
    fn a_choice_is_as_far_as_the_worse_of_both() {
        let of = |a: &str, b: &str| {
            let rows = "%kn = mul.nsw %k %n\n %i2 = shl.nsw %i 1\n";
            let condition = "%w = load %b : i32\n %t = slt %w %n\n";
            let text = access_to(&format!("{rows} {condition} %x = select %t {a} {b}"));
            let by = [Rules::Paper, Rules::Ours].map(|rules| classes_by(rules, &text));
            assert_eq!(by[0], by[1], "{a} {b}");
            by[0].split(' ').next_back().unwrap().to_string()
        };
        // The meet of zero, one and any other, for each dimension; along iterations:
        for (a, b, l) in [
            ("%n", "%n", "0"),
            ("%n", "%k", "1"),
            ("%n", "%kn", "X"),
            ("%k", "%k", "1"),
            ("%k", "%kn", "X"),
            ("%kn", "%kn", "X"),
        ] {
            assert_eq!(of(a, b), format!("W0L{l}"));
            assert_eq!(of(b, a), format!("W0L{l}"));
        }
        assert_eq!(of("%i", "%k"), "W1L1");
        assert_eq!(of("%i", "%kn"), "W1LX");
        assert_eq!(of("%i", "0"), "W1L0");
        assert_eq!(strict("%t = slt %i %n\n %m = shl.nsw %i 1\n %x = select %t %i %m"), "WXL0");
        assert_eq!(strict("%x = max %i 0"), "W1L0");
    }

    #[test]
    fn addresses_repeat_where_that_is_exact_or_they_are_one_value() {
        let again = |body: &str| {
            let function = kernel(body);
            let accesses = Analysis::new(&function).accesses;
            accesses.iter().map(|access| access.again).collect::<Vec<_>>()
        };
        let pair = |x: &str, y: &str| {
            format!(
                "{x}\n {y}
                %p = address %a %x*4\n %v = load %p : f32
                %q = address %a %y*4\n %w = load %q : f32"
            )
        };
        assert_eq!(again(&pair("%x = add %g %g", "%y = shl %g 1")), [false, true]);
        assert_eq!(again(&pair("%x = srem %g 5", "%y = srem %g 7")), [false, false]);
        let same = "%x = srem %g 5\n %p = address %a %x*4\n %v = load %p : f32\n store %v %p";
        assert_eq!(again(same), [false, true]);
    }

    #[test]
    fn what_is_loaded_strides_as_it_likes() {
        let indirect = "%g4 = address %b %g*4
            %j = load %g4 : i32
            %wide = sext %j : i64
            %p = address %a %wide*4
            %v = load %p : f32";
        assert_eq!(classes(indirect), "W1L0 WXL0");
        let listed = "%kw = sext %k : i64
            %k4 = address %b %kw*4
            %j = load %k4 : i32
            %wide = sext %j : i64
            %p = address %a %wide*4
            %v = load %p : f32";
        assert_eq!(classes(listed), "W0L1 W0LX");
    }

    #[test]
    fn private_memory_is_no_access() {
        assert_eq!(classes("%p = alloca\n %q = address %p %g*4\n %v = load %q : f32"), "");
    }

    #[test]
    fn items_follow_each_other_along_the_first_dimension_that_has_some() {
        let function = parse(
            "kernel k(a: global, n: i32) size 1 64 1
            entry:
              %y = global_id 1
              jump head
            head:
              %k = phi [entry 0] [head %next]
              %p = address %a %y*4
              %v = load %p : f32
              %next = add.nsw %k 1
              %c = slt %next %n
              branch %c head done
            done:
              ret",
        );
        let analysis = Analysis::new(&function);
        let id = analysis.loops.ids().next().unwrap();
        let (_, class) = analysis.classes(id).next().unwrap();
        assert_eq!(class.to_string(), "W1L0");
    }
}
