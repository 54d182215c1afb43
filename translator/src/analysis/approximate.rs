//! What is generously said of values that have no form of their own: quotients, remainders, choices.
//!
//! Strides only choose an order, so they may be those that a value has nearly always. A rule says of each axis by itself how far
//! the value moves along it, or nothing. There are two sets of rules:
//!
//! | | CGO'15, section 3.2.2 | ours |
//! |---|---|---|
//! | b modulo N, b of stride one | one | one; any stride of b is kept |
//! | b divided by N, b of stride one | one | zero: what is smaller than N stands still, multiples of N are divided |
//! | select, phi, minimum, maximum | the worse of zero, one, and any other, without the condition | the same |
//!
//! In both, N may be anything. Where b stands still and N moves, nothing is known. A choice between strides of which all but
//! zeros are the same has that stride: the worse of them, whatever a step is counted in. A mask of low bits is a modulus, one of
//! high bits rounds and leaves strides as they are, a shift to the right divides.
//! Not in the paper, and decided here: b of another stride than one has, divided or modulo N, an unknown one.

use std::collections::BTreeSet;

use super::forms::{Axis, Form, Forms};
use super::linear::{Atom, Polynomial};
use crate::view::{BinaryOp, Instruction, Op, ValueId, ValueKind};

/// Whose rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    #[default]
    Ours,
    Paper,
}

/// The operand that moves, if along every axis the others move as it does or stand still. Where none moves, one that is no
/// number: divisors are secured against zero by a choice between 1 and the divisor.
pub fn one_of(forms: &Forms, operands: &[ValueId]) -> Option<Form> {
    let all = known(forms, operands)?;
    let axes = axes(forms, &all);
    let still = Some(Polynomial::default());
    let leads = |lead: &&&Form| {
        axes.iter().all(|&axis| {
            let step = forms.step(&lead.polynomial, axis);
            all.iter().all(|form| {
                let other = forms.step(&form.polynomial, axis);
                other == still || other.is_some() && other == step
            })
        })
    };
    let is_number = |form: &&&Form| form.polynomial.as_constant().is_some();
    let leading: Vec<&&Form> = all.iter().filter(leads).collect();
    let lead = leading.iter().find(|form| !is_number(form)).or(leading.first())?;
    let same = all.iter().all(|form| form.polynomial == lead.polynomial);
    Some(Form { polynomial: lead.polynomial.clone(), exact: lead.exact && same })
}

/// The forms of those operands that are not undefined.
fn known<'a>(forms: &'a Forms, operands: &[ValueId]) -> Option<Vec<&'a Form>> {
    let is_known = |id: &&ValueId| !matches!(forms.function.value(**id).kind, ValueKind::Undefined);
    operands.iter().filter(is_known).map(|&id| forms.of(id)).collect()
}

/// By our rules, a form that is made of the terms of `a` alone, where the divisor or mask `b` stays the same everywhere.
pub fn lead(forms: &Forms, op: BinaryOp, a: &Form, b: &Form) -> Option<Form> {
    if forms.rules == Rules::Paper {
        return None;
    }
    let near = |polynomial| Some(Form { polynomial, exact: false });
    match (op, b.polynomial.as_constant()) {
        (BinaryOp::LShr | BinaryOp::AShr, Some(by @ 0..=62)) => near(quotient(a, 1 << by)),
        (BinaryOp::UDiv | BinaryOp::SDiv, Some(by @ 1..)) => near(quotient(a, by)),
        (BinaryOp::URem | BinaryOp::SRem, Some(by @ 1..)) => near(remainder(a, by)),
        (BinaryOp::And, Some(mask)) if is_low(mask) => near(remainder(a, mask + 1)),
        (BinaryOp::And, Some(mask)) if is_low(!mask) => near(a.polynomial.clone()),
        (BinaryOp::UDiv | BinaryOp::SDiv, None) => {
            let by = single_atom(&b.polynomial).filter(|_| stands(forms, a, b))?;
            let rest = a.polynomial.only(|monomial, _| !monomial.contains(&by) && !moves(monomial));
            near(a.polynomial.divided_by(by).plus(&rest)?)
        }
        (BinaryOp::URem | BinaryOp::SRem, None) => {
            let by = single_atom(&b.polynomial).filter(|_| stands(forms, a, b))?;
            near(a.polynomial.only(|monomial, _| !monomial.contains(&by)))
        }
        _ => None,
    }
}

/// Whether `mask` has low bits alone.
const fn is_low(mask: i64) -> bool {
    (mask as u64).wrapping_add(1).is_power_of_two()
}

/// Whether `b` stays the same along all axes that `a` or `b` may move along.
fn stands(forms: &Forms, a: &Form, b: &Form) -> bool {
    let still = Some(Polynomial::default());
    axes(forms, &[a, b]).into_iter().all(|axis| forms.step(&b.polynomial, axis) == still)
}

fn remainder(a: &Form, by: i64) -> Polynomial {
    a.polynomial.only(|monomial, factor| monomial.is_empty() || factor % by != 0)
}

/// Divided by a positive number: terms that move by less stand still.
fn quotient(a: &Form, by: i64) -> Polynomial {
    let kept = a.polynomial.only(|monomial, factor| factor.abs() >= by || !moves(monomial));
    kept.map(|factor| if factor.abs() < by { factor.signum() } else { factor / by })
}

/// Whether a monomial is an id or an iteration number alone.
fn moves(monomial: &[Atom]) -> bool {
    matches!(monomial, [Atom::Item(_) | Atom::Iteration(_)])
}

fn single_atom(polynomial: &Polynomial) -> Option<Atom> {
    let mut terms = polynomial.terms();
    match (terms.next(), terms.next()) {
        (Some(([atom], 1)), None) => Some(*atom),
        _ => None,
    }
}

/// How far what `instruction` makes moves along the axes of which a rule says it; `None` if no rule is about it.
pub fn steps(forms: &Forms, instruction: &Instruction) -> Option<Vec<(Axis, Polynomial)>> {
    let operands = instruction.operands.as_slice();
    let (of, step): (Vec<&Form>, Step) = match &instruction.op {
        Op::Phi(_) if forms.loops.headed_by(instruction.block).is_some() => return None,
        Op::Phi(_) | Op::Extremum => (known(forms, operands)?, &worse),
        Op::Select => (known(forms, &operands[1..])?, &worse),
        Op::Binary(op, _) => {
            let step = binary(*op)?;
            (vec![forms.of(operands[0])?, forms.of(operands[1])?], step)
        }
        _ => return None,
    };
    let along = |axis| {
        let steps: Option<Vec<Polynomial>> =
            of.iter().map(|form| forms.step(&form.polynomial, axis)).collect();
        let given = Given { rules: forms.rules, of: &of, steps: &steps? };
        Some((axis, step(&given)?))
    };
    Some(axes(forms, &of).into_iter().filter_map(along).collect())
}

/// What a rule knows of operands, along one axis.
struct Given<'a> {
    rules: Rules,
    of: &'a [&'a Form],
    steps: &'a [Polynomial],
}

type Step = &'static dyn Fn(&Given) -> Option<Polynomial>;

/// The rule for an operation with two operands.
fn binary(op: BinaryOp) -> Option<Step> {
    match op {
        BinaryOp::URem | BinaryOp::SRem => Some(&modulo),
        BinaryOp::And => Some(&masked),
        BinaryOp::UDiv | BinaryOp::SDiv => Some(&divided),
        BinaryOp::LShr | BinaryOp::AShr => Some(&shifted),
        _ => None,
    }
}

/// The worse of zero, one, and any other: the one that is not zero, if there is but one.
fn worse(given: &Given) -> Option<Polynomial> {
    let still = Polynomial::default();
    let mut moving = given.steps.iter().filter(|&step| *step != still);
    let Some(first) = moving.next() else { return Some(still) };
    moving.all(|step| step == first).then(|| first.clone())
}

fn modulo(given: &Given) -> Option<Polynomial> {
    let (step, by) = (&given.steps[0], &given.of[1].polynomial);
    match step.as_constant() {
        Some(0) => stays(&given.steps[1]),
        Some(1) => Some(step.clone()),
        _ if given.rules == Rules::Paper => None,
        _ => stays(&given.steps[1]).map(|_| match single_atom(by) {
            Some(atom) => step.only(|monomial, _| !monomial.contains(&atom)),
            None if step == by => Polynomial::default(),
            None => step.clone(),
        }),
    }
}

/// A modulus if the other operand is a mask; which of them is, shows where one of them moves.
fn masked(given: &Given) -> Option<Polynomial> {
    let [a, b] = [&given.steps[0], &given.steps[1]].map(Polynomial::as_constant);
    let number = given.of.iter().find_map(|form| form.polynomial.as_constant());
    match (a, b) {
        _ if number.is_some_and(|mask| !is_low(mask) && !is_low(!mask)) => None,
        (Some(0), Some(0)) => Some(Polynomial::default()),
        (Some(0), Some(1)) | (Some(1), Some(0)) => Some(Polynomial::constant(1)),
        _ => None,
    }
}

fn divided(given: &Given) -> Option<Polynomial> {
    quotient_step(given, &given.of[1].polynomial)
}

fn shifted(given: &Given) -> Option<Polynomial> {
    let by = match given.of[1].polynomial.as_constant() {
        Some(by @ 0..=62) => Polynomial::constant(1 << by),
        Some(_) => return None,
        None => given.of[1].polynomial.clone(),
    };
    quotient_step(given, &by)
}

fn quotient_step(given: &Given, by: &Polynomial) -> Option<Polynomial> {
    let step = &given.steps[0];
    match step.as_constant() {
        Some(0) => stays(&given.steps[1]),
        Some(1) if given.rules == Rules::Paper => Some(step.clone()),
        _ if given.rules == Rules::Paper => None,
        Some(_) => stays(&given.steps[1]),
        None if step == by => stays(&given.steps[1]).map(|_| Polynomial::constant(1)),
        None => {
            let (atom, _) = single_atom(by).zip(stays(&given.steps[1]))?;
            let rest = step.only(|monomial, _| !monomial.is_empty() && !monomial.contains(&atom));
            step.divided_by(atom).plus(&rest)
        }
    }
}

/// Zero, if the divisor stands still.
fn stays(step: &Polynomial) -> Option<Polynomial> {
    (step.as_constant() == Some(0)).then(Polynomial::default)
}

/// The axes along which any of `forms` may move.
fn axes(known: &Forms, forms: &[&Form]) -> Vec<Axis> {
    let mut loops = BTreeSet::new();
    for atom in forms.iter().flat_map(|form| form.polynomial.atoms()) {
        match atom {
            Atom::Iteration(id) => loops.extend([id]),
            Atom::Value(value) => {
                let home = known.function.instruction(value).map(|made| made.block);
                loops.extend(home.into_iter().flat_map(|block| known.loops.around(block)));
            }
            _ => {}
        }
    }
    (0..3).map(Axis::Item).chain(loops.into_iter().map(Axis::Loop)).collect()
}
