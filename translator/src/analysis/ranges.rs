//! The part of each pointer argument's buffer that one work-item touches, as a linear function.
//!
//! Terms: an item with global id g touches the bytes from o to o + extent, where o is `offset_bytes`
//! plus the sum of the `terms` (bytes x g of a dimension x the value of an argument, each factor if
//! there is one), and extent is `extent_bytes` plus the sum of the `extent_terms`.
//! Meaning: what tasks are placed by, so a range may be too large but its form is exact: nothing here
//! rests on the approximate rules of `forms`. Arguments that count something are taken to be not
//! negative, loops to run as often as their test allows, global offsets to be 0, groups not to be cut
//! off, and narrow arithmetic not to wrap. An argument for which no such function is known has no range.

use super::access::{Access, AccessKind};
use super::forms::Forms;
use super::linear::{Atom, Polynomial};
use super::roots::Roots;
use super::trips::Trips;
use crate::view::{Callee, Function, Op, TypeKind, ValueId, ValueKind};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term {
    pub bytes: i64,
    pub global_id: Option<u8>,
    pub times_argument: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    pub argument: u32,
    pub reads: bool,
    pub writes: bool,
    pub offset_bytes: i64,
    pub extent_bytes: i64,
    pub terms: Vec<Term>,
    pub extent_terms: Vec<Term>,
}

/// What accesses through one argument have been found to touch. Bounds are by the argument that they
/// are multiplied by, `None` for plain bytes: the lowest first byte, the highest behind the last.
#[derive(Clone, Debug, Default, PartialEq)]
struct Touched {
    items: BTreeMap<(u8, Option<u32>), i64>,
    low: BTreeMap<Option<u32>, i64>,
    high: BTreeMap<Option<u32>, i64>,
}

/// `trips` by loop.
pub fn find(
    function: &Function,
    forms: &Forms,
    accesses: &[Access],
    roots: &Roots,
    trips: &[Option<Trips>],
) -> Vec<Range> {
    let mut ranges = Vec::new();
    for (number, &argument) in function.arguments.iter().enumerate() {
        let here = || accesses.iter().filter(|access| access.roots.contains(&argument));
        if here().next().is_none() || is_passed_on(function, roots, argument) {
            continue;
        }
        let touched: Option<Vec<Touched>> =
            here().map(|access| touched(function, forms, access, argument, trips)).collect();
        let merged = touched.and_then(|all| all.into_iter().map(Some).reduce(merge)?);
        if let Some(touched) = merged {
            let reads = here().any(|access| access.kind != AccessKind::Store);
            let writes = here().any(|access| access.kind != AccessKind::Load);
            ranges.push(range(number as u32, reads, writes, &touched));
        }
    }
    ranges
}

/// Whether an address made from the argument goes where no access shows: into a call or into memory.
fn is_passed_on(function: &Function, roots: &Roots, argument: ValueId) -> bool {
    let leads = |&value: &ValueId| {
        matches!(function.value(value).ty.kind, TypeKind::Pointer(_))
            && roots.leads_to(value, argument)
    };
    function.block_ids().any(|block| {
        function.body(block).any(|(_, instruction)| match instruction.op {
            Op::Call(Callee::Unknown) | Op::Other => instruction.operands.iter().any(leads),
            Op::Store(_) => leads(&instruction.operands[0]),
            _ => false,
        })
    })
}

fn touched(
    function: &Function,
    forms: &Forms,
    access: &Access,
    argument: ValueId,
    trips: &[Option<Trips>],
) -> Option<Touched> {
    let form = forms.of(access.pointer).filter(|form| form.exact)?;
    let whole = forms.in_whole_groups(&form.polynomial)?;
    let offset = whole.minus(&Polynomial::atom(Atom::Value(argument)))?;
    let mut found = Touched::default();
    found.high.insert(None, access.bytes as i64);
    let placed = offset.terms().filter(|(monomial, _)| !monomial.iter().any(is_offset));
    for (monomial, factor) in placed {
        match *monomial {
            [Atom::Item(dimension)] => {
                found.items.insert((dimension, None), factor);
            }
            [Atom::Item(dimension), Atom::Value(value)] => {
                found.items.insert((dimension, Some(counts(function, value)?)), factor);
            }
            [Atom::Iteration(id), ref rest @ ..] => {
                let last = trips[id.index()].as_ref()?.count.minus(&Polynomial::constant(1))?;
                for (bound, times) in last.terms() {
                    let key = fixed(function, &[bound, rest].concat())?;
                    let bounds = if factor < 0 { &mut found.low } else { &mut found.high };
                    add(bounds, key, factor.checked_mul(times)?)?;
                }
            }
            _ => {
                let key = fixed(function, monomial)?;
                add(&mut found.low, key, factor)?;
                add(&mut found.high, key, factor)?;
            }
        }
    }
    Some(found)
}

fn add(bounds: &mut BTreeMap<Option<u32>, i64>, key: Option<u32>, bytes: i64) -> Option<()> {
    let bound = bounds.entry(key).or_default();
    *bound = bound.checked_add(bytes)?;
    Some(())
}

const fn is_offset(atom: &Atom) -> bool {
    matches!(atom, Atom::Offset(_))
}

/// The argument a product without ids is, `None` inside for a plain number.
fn fixed(function: &Function, monomial: &[Atom]) -> Option<Option<u32>> {
    match *monomial {
        [] => Some(None),
        [Atom::Value(value)] => counts(function, value).map(Some),
        _ => None,
    }
}

/// The number of an argument that is an integer.
fn counts(function: &Function, value: ValueId) -> Option<u32> {
    let value = function.value(value);
    match value.kind {
        ValueKind::Argument(number) if value.ty.kind == TypeKind::Integer => Some(number),
        _ => None,
    }
}

/// Both: the items' terms must agree, the bounds grow.
fn merge(a: Option<Touched>, b: Option<Touched>) -> Option<Touched> {
    let (a, b) = (a?, b?);
    if a.items != b.items {
        return None;
    }
    let bound = |a: &BTreeMap<Option<u32>, i64>, b: &BTreeMap<Option<u32>, i64>, lower: bool| {
        let keys = a.keys().chain(b.keys()).copied();
        let of = |bounds: &BTreeMap<Option<u32>, i64>, key| bounds.get(&key).copied().unwrap_or(0);
        let pick = |key| {
            let (a, b) = (of(a, key), of(b, key));
            if lower { a.min(b) } else { a.max(b) }
        };
        keys.map(|key| (key, pick(key))).collect()
    };
    let (low, high) = (bound(&a.low, &b.low, true), bound(&a.high, &b.high, false));
    Some(Touched { items: a.items, low, high })
}

fn range(argument: u32, reads: bool, writes: bool, touched: &Touched) -> Range {
    let of = |bounds: &BTreeMap<Option<u32>, i64>, key| bounds.get(&key).copied().unwrap_or(0);
    let items = touched.items.iter().map(|(&(dimension, times), &bytes)| Term {
        bytes,
        global_id: Some(dimension),
        times_argument: times,
    });
    let times = |key: Option<u32>, bytes| {
        let term = Term { bytes, global_id: None, times_argument: key };
        (key.is_some() && bytes != 0).then_some(term)
    };
    let lows = touched.low.iter().filter_map(|(&key, &bytes)| times(key, bytes));
    let keys: std::collections::BTreeSet<Option<u32>> =
        touched.low.keys().chain(touched.high.keys()).copied().collect();
    let extent = |key| of(&touched.high, key).saturating_sub(of(&touched.low, key));
    Range {
        argument,
        reads,
        writes,
        offset_bytes: of(&touched.low, None),
        extent_bytes: extent(None),
        terms: items.chain(lows).collect(),
        extent_terms: keys.iter().filter_map(|&key| times(key, extent(key))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::view::text::parse;

    fn term(bytes: i64, global_id: Option<u8>, times_argument: Option<u32>) -> Term {
        Term { bytes, global_id, times_argument }
    }

    #[test]
    fn rows_borders_and_loops() {
        let function = parse(
            "kernel k(a: global, b: global, n: i64)
            entry:
              %x = global_id 0
              %y = global_id 1
              %row = mul %y %n
              %i = add %row %x
              %p = address %a %i*4
              %left = address %p -4
              %l = load %left : f32
              %below = add %i %n
              %q = address %a %below*4
              %m = load %q : f32
              store %l %p
              jump head
            head:
              %k = phi [entry 0] [body %next] : i64
              %c = slt %k %n
              branch %c body done
            body:
              %mine = mul %x %n
              %at = add %mine %k
              %r = address %b %at*8
              %v = load %r : f64
              %next = add %k 1
              jump head
            done:
              ret",
        );
        let [a, b] = Analysis::new(&function).ranges.try_into().unwrap();
        assert_eq!((a.argument, a.reads, a.writes), (0, true, true));
        assert_eq!((a.offset_bytes, a.extent_bytes), (-4, 8));
        assert_eq!(a.terms, [term(4, Some(0), None), term(4, Some(1), Some(2))]);
        assert_eq!(a.extent_terms, [term(4, None, Some(2))]);
        assert_eq!((b.argument, b.reads, b.writes), (1, true, false));
        assert_eq!((b.offset_bytes, b.extent_bytes), (0, 0));
        assert_eq!(b.terms, [term(8, Some(0), Some(2))]);
        assert_eq!(b.extent_terms, [term(8, None, Some(2))]);
    }

    #[test]
    fn a_fixed_size_makes_groups_and_items_one_number() {
        let kernel = |size| {
            parse(&format!(
                "kernel k(a: global) {size}
                entry:
                  %w = group_id 0
                  %l = local_id 0
                  %first = mul %w 16
                  %i = add %first %l
                  %p = address %a %i*4
                  %v = load %p : f32
                  ret"
            ))
        };
        let ranges = Analysis::new(&kernel("size 16 1 1")).ranges;
        assert_eq!(ranges[0].terms, [term(4, Some(0), None)]);
        assert!(Analysis::new(&kernel("")).ranges.is_empty());
    }

    #[test]
    fn groups_that_are_cut_off_are_taken_for_whole_ones() {
        for size in ["", "size 16 1 1", "uniform"] {
            let function = parse(&format!(
                "kernel k(a: global) {size}
                entry:
                  %w = group_id 0
                  %l = local_id 0
                  %n = local_size 0
                  %first = mul %w %n
                  %i = add %first %l
                  %p = address %a %i*4
                  %v = load %p : f32
                  ret"
            ));
            let ranges = Analysis::new(&function).ranges;
            assert_eq!(ranges[0].terms, [term(4, Some(0), None)], "{size}");
        }
    }

    #[test]
    fn what_is_not_linear_or_leaves_the_kernel_has_no_range() {
        let function = parse(
            "kernel k(a: global, b: global, c: global, n: i64)
            entry:
              %x = global_id 0
              %p = address %b %x*4
              %j = load %p : i64
              %q = address %a %j*4
              %v = load %q : f32
              %w = srem %x %n
              %r = address %c %w*4
              %u = load %r : f32
              %o = call %p : i64
              ret",
        );
        assert!(Analysis::new(&function).ranges.is_empty());
    }
}
