//! Every integer and address as a polynomial of ids and iteration numbers, where it has such a form.
//!
//! These forms answer how an access strides and which range it touches. Unlike `shapes` they are
//! approximate: narrow arithmetic is taken not to wrap, and where a value has no such form the rules of
//! CGO'15, section 3.2.2, take the one that it has nearly always:
//! - x modulo m strides as x does (wrapping around is rare);
//! - x divided by d: what is smaller than d stands still, what is a multiple of d is divided;
//! - select, phi, minimum and maximum (borders, clamping) stride as the operand that moves, if the
//!   others move alike or stand still.
//!
//! A form made by such a rule, or of arithmetic of fewer than 32 bits, is marked as not exact; one that is exact is right but
//! for multiples of 2^32. What is left is opaque: an atom of its own, which
//! moves along the axes that the value depends on.
//! Terms: an *axis* is a dimension of work-items or a loop; *induction* is a phi of a loop's header
//! that gains the same in every iteration.

use std::collections::{BTreeSet, HashSet};

use super::linear::{Atom, Polynomial};
use super::loops::{LoopId, Loops};
use super::shape::Shape;
use super::shapes::Shapes;
use crate::view::{
    BinaryOp, BlockId, Callee, Cast, Function, Instruction, Op, ValueId, ValueKind, WorkItem,
};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    pub polynomial: Polynomial,
    pub exact: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    Item(u8),
    Loop(LoopId),
}

impl Axis {
    const fn atom(self) -> Atom {
        match self {
            Axis::Item(dimension) => Atom::Item(dimension),
            Axis::Loop(id) => Atom::Iteration(id),
        }
    }
}

pub struct Forms<'a> {
    function: &'a Function,
    loops: &'a Loops,
    shapes: &'a [Shapes; 3],
    forms: Vec<Option<Form>>,
    /// By loop: the values inside that change from iteration to iteration.
    moves: Vec<HashSet<ValueId>>,
}

impl<'a> Forms<'a> {
    /// `order` is a reverse post-order of the blocks.
    pub fn new(
        function: &'a Function,
        loops: &'a Loops,
        shapes: &'a [Shapes; 3],
        order: &[BlockId],
    ) -> Forms<'a> {
        let forms = vec![None; function.values.len()];
        let mut position = vec![usize::MAX; function.blocks.len()];
        for (at, block) in order.iter().enumerate() {
            position[block.index()] = at;
        }
        let moves = loops.ids().map(|id| moving(function, loops, id, &position)).collect();
        let mut found = Forms { function, loops, shapes, forms, moves };
        for id in function.value_ids() {
            if !matches!(function.value(id).kind, ValueKind::Instruction(_)) {
                found.forms[id.index()] = found.leaf(id);
            }
        }
        for &block in order {
            for (id, instruction) in function.body(block) {
                if function.value(id).ty.is_scalar_index() {
                    let form = found.transfer(id, instruction).unwrap_or_else(|| found.opaque(id));
                    found.forms[id.index()] = Some(form);
                }
            }
        }
        found
    }

    pub fn of(&self, value: ValueId) -> Option<&Form> {
        self.forms[value.index()].as_ref()
    }

    /// A form as it is in groups that are not cut off.
    pub fn in_whole_groups(&self, form: &Polynomial) -> Option<Polynomial> {
        (0..3u8).try_fold(form.clone(), |form, dimension| {
            form.with(Atom::Size(dimension), &whole_size(self.function, dimension))
        })
    }

    /// What one step along `axis` adds to the form; `None` if that is no polynomial.
    pub fn step(&self, form: &Polynomial, axis: Axis) -> Option<Polynomial> {
        let opaque = form.atoms().any(|atom| match atom {
            Atom::Value(value) => self.depends(value, axis),
            _ => false,
        });
        if opaque { None } else { form.step(axis.atom()) }
    }

    /// Whether an opaque value moves along an axis.
    pub fn depends(&self, value: ValueId, axis: Axis) -> bool {
        match axis {
            Axis::Item(dimension) => {
                let shape = self.shapes[usize::from(dimension)].of(value);
                matches!(shape, Shape::Linear | Shape::Varying)
            }
            Axis::Loop(id) => self.moves[id.index()].contains(&value),
        }
    }

    fn leaf(&self, id: ValueId) -> Option<Form> {
        let value = self.function.value(id);
        let polynomial = match value.kind {
            ValueKind::Integer(number) => Polynomial::constant(number),
            _ if value.ty.is_scalar_index() => Polynomial::atom(Atom::Value(id)),
            _ => return None,
        };
        Some(Form { polynomial, exact: true })
    }

    /// A value of its own; the strides that its shape knows are kept.
    fn opaque(&self, id: ValueId) -> Form {
        let mut polynomial = Polynomial::atom(Atom::Value(id));
        for dimension in 0..3u8 {
            if let Shape::Affine(stride) = self.shapes[usize::from(dimension)].of(id) {
                let term = Polynomial::atom(Atom::Item(dimension)).scaled(stride);
                polynomial = term.and_then(|term| polynomial.plus(&term)).unwrap_or(polynomial);
            }
        }
        Form { polynomial, exact: true }
    }

    fn transfer(&self, id: ValueId, instruction: &Instruction) -> Option<Form> {
        let operand = |at: usize| self.of(instruction.operands[at]).cloned();
        match &instruction.op {
            Op::Phi(_) => match self.loops.headed_by(instruction.block) {
                Some(header) => self.induction(id, instruction, header),
                None => self.one_of(&instruction.operands),
            },
            Op::Select => self.one_of(&instruction.operands[1..]),
            Op::Extremum => self.one_of(&instruction.operands),
            Op::Binary(op, wrap) if wrap.disjoint && *op == BinaryOp::Or => {
                combine(&operand(0)?, &operand(1)?, Polynomial::plus)
            }
            Op::Binary(op, _) => {
                let form = binary(*op, &operand(0)?, &operand(1)?)?;
                Some(Form { exact: form.exact && !self.is_narrow(id), ..form })
            }
            Op::Cast(Cast::Truncate { .. }) if self.is_narrow(id) => None,
            Op::Cast(_) => operand(0),
            Op::Address { constant, scales, .. } => {
                let mut sum = operand(0)?;
                sum.polynomial = sum.polynomial.plus(&Polynomial::constant(*constant))?;
                for (at, &scale) in scales.iter().enumerate() {
                    let index = operand(at + 1)?;
                    let term = Form { polynomial: index.polynomial.scaled(scale)?, ..index };
                    sum = combine(&sum, &term, Polynomial::plus)?;
                }
                Some(sum)
            }
            Op::Call(Callee::WorkItem(item)) => {
                let asked = *instruction.operands.first()?;
                self.asked(*item, u8::try_from(self.function.integer(asked)?).ok()?)
            }
            _ => None,
        }
    }

    /// Whether a number has so few bits that it wraps around in earnest.
    fn is_narrow(&self, id: ValueId) -> bool {
        self.function.value(id).ty.bits < 32
    }

    fn asked(&self, item: WorkItem, dimension: u8) -> Option<Form> {
        if dimension > 2 {
            return None;
        }
        let whole = || whole_size(self.function, dimension);
        let polynomial = match item {
            WorkItem::GlobalId => Polynomial::atom(Atom::Item(dimension)),
            WorkItem::GroupId => Polynomial::atom(Atom::Group(dimension)),
            WorkItem::GlobalOffset => Polynomial::atom(Atom::Offset(dimension)),
            WorkItem::LocalSize if self.function.uniform_groups => whole(),
            WorkItem::LocalSize => Polynomial::atom(Atom::Size(dimension)),
            WorkItem::EnqueuedLocalSize => whole(),
            // The items of a group that is cut off at the end are numbered as if it were not.
            WorkItem::LocalId => Polynomial::atom(Atom::Item(dimension))
                .minus(&Polynomial::atom(Atom::Group(dimension)).times(&whole())?)?
                .minus(&Polynomial::atom(Atom::Offset(dimension)))?,
            _ => return None,
        };
        Some(Form { polynomial, exact: true })
    }

    /// A header's phi that gains the same in every iteration.
    fn induction(&self, id: ValueId, phi: &Instruction, header: LoopId) -> Option<Form> {
        let Op::Phi(incoming) = &phi.op else { return None };
        let this = self.loops.get(header);
        let pairs = || incoming.iter().zip(&phi.operands);
        let mut starts = pairs().filter(|(from, _)| !this.contains(**from));
        let (start, next) = (starts.next(), pairs().find(|(from, _)| this.contains(**from)));
        if starts.next().is_some() || this.latches.len() != 1 {
            return None;
        }
        let gain = self.gain(id, *next?.1, header, 0)?;
        let gain = Form { exact: gain.exact && !self.is_narrow(id), ..gain };
        let moved = gain.polynomial.times(&Polynomial::atom(Atom::Iteration(header)))?;
        combine(self.of(*start?.1)?, &Form { polynomial: moved, ..gain }, Polynomial::plus)
    }

    /// What `value` is more than `phi`, if that stays the same while the loop runs.
    fn gain(&self, phi: ValueId, value: ValueId, id: LoopId, depth: u32) -> Option<Form> {
        if value == phi {
            return Some(Form { polynomial: Polynomial::default(), exact: true });
        }
        let instruction = self.function.instruction(value).filter(|_| depth < 16)?;
        let fixed = |at: usize| {
            let operand = instruction.operands[at];
            self.of(operand).filter(|_| !self.moves[id.index()].contains(&operand)).cloned()
        };
        let before = |at: usize| self.gain(phi, instruction.operands[at], id, depth + 1);
        match &instruction.op {
            Op::Binary(BinaryOp::Add, _) => match before(0) {
                Some(gain) => combine(&gain, &fixed(1)?, Polynomial::plus),
                None => combine(&before(1)?, &fixed(0)?, Polynomial::plus),
            },
            Op::Binary(BinaryOp::Sub, _) => combine(&before(0)?, &fixed(1)?, Polynomial::minus),
            Op::Cast(_) => {
                let narrow = self.is_narrow(value) || self.is_narrow(instruction.operands[0]);
                before(0).map(|gain| Form { exact: gain.exact && !narrow, ..gain })
            }
            Op::Address { constant, scales, .. } => {
                let mut sum = before(0)?;
                sum.polynomial = sum.polynomial.plus(&Polynomial::constant(*constant))?;
                for (at, &scale) in scales.iter().enumerate() {
                    let index = fixed(at + 1)?;
                    let term = Form { polynomial: index.polynomial.scaled(scale)?, ..index };
                    sum = combine(&sum, &term, Polynomial::plus)?;
                }
                Some(sum)
            }
            _ => None,
        }
    }

    /// The operand that moves, if along every axis the others move as it does or stand still. Where none moves, one that is no
    /// number: divisors are secured against zero by a choice between 1 and the divisor.
    fn one_of(&self, operands: &[ValueId]) -> Option<Form> {
        let known = |id: &&ValueId| !matches!(self.function.value(**id).kind, ValueKind::Undefined);
        let forms: Option<Vec<&Form>> =
            operands.iter().filter(known).map(|&id| self.of(id)).collect();
        let forms = forms?;
        let axes = self.axes(&forms);
        let still = Some(Polynomial::default());
        let leads = |lead: &&&Form| {
            axes.iter().all(|&axis| {
                let step = self.step(&lead.polynomial, axis);
                forms.iter().all(|form| {
                    let other = self.step(&form.polynomial, axis);
                    other == still || other.is_some() && other == step
                })
            })
        };
        let is_number = |form: &&&Form| form.polynomial.as_constant().is_some();
        let leading: Vec<&&Form> = forms.iter().filter(leads).collect();
        let lead = leading.iter().find(|form| !is_number(form)).or(leading.first())?;
        let same = forms.iter().all(|form| form.polynomial == lead.polynomial);
        Some(Form { polynomial: lead.polynomial.clone(), exact: lead.exact && same })
    }

    /// The axes along which any of `forms` may move.
    fn axes(&self, forms: &[&Form]) -> Vec<Axis> {
        let mut loops = BTreeSet::new();
        for atom in forms.iter().flat_map(|form| form.polynomial.atoms()) {
            match atom {
                Atom::Iteration(id) => loops.extend([id]),
                Atom::Value(value) => {
                    let home = self.function.instruction(value).map(|made| made.block);
                    loops.extend(home.into_iter().flat_map(|block| self.loops.around(block)));
                }
                _ => {}
            }
        }
        (0..3).map(Axis::Item).chain(loops.into_iter().map(Axis::Loop)).collect()
    }
}

/// Items of a group along a dimension as it is enqueued.
fn whole_size(function: &Function, dimension: u8) -> Polynomial {
    match function.size(WorkItem::EnqueuedLocalSize, usize::from(dimension)) {
        Some(size) => Polynomial::constant(size as i64),
        None => Polynomial::atom(Atom::EnqueuedSize(dimension)),
    }
}

fn combine(
    a: &Form,
    b: &Form,
    with: impl Fn(&Polynomial, &Polynomial) -> Option<Polynomial>,
) -> Option<Form> {
    Some(Form { polynomial: with(&a.polynomial, &b.polynomial)?, exact: a.exact && b.exact })
}

fn binary(op: BinaryOp, a: &Form, b: &Form) -> Option<Form> {
    let number = b.polynomial.as_constant();
    let near = |polynomial| Some(Form { polynomial, exact: false });
    match (op, number) {
        (BinaryOp::Add, _) => combine(a, b, Polynomial::plus),
        (BinaryOp::Sub, _) => combine(a, b, Polynomial::minus),
        (BinaryOp::Mul, _) => combine(a, b, Polynomial::times),
        (BinaryOp::Xor, Some(-1)) => {
            let last = Form { polynomial: Polynomial::constant(-1), exact: true };
            combine(&last, a, Polynomial::minus)
        }
        (BinaryOp::Shl, Some(by @ 0..=62)) => {
            Some(Form { polynomial: a.polynomial.scaled(1 << by)?, exact: a.exact })
        }
        (BinaryOp::LShr | BinaryOp::AShr, Some(by @ 0..=62)) => Some(quotient(a, 1 << by)),
        (BinaryOp::UDiv | BinaryOp::SDiv, Some(by @ 1..)) => Some(quotient(a, by)),
        (BinaryOp::URem | BinaryOp::SRem, Some(by @ 1..)) => {
            near(a.polynomial.only(|monomial, factor| monomial.is_empty() || factor % by != 0))
        }
        // Narrowed to 32 bits and widened again.
        (BinaryOp::And, Some(mask)) if mask == i64::from(u32::MAX) => Some(a.clone()),
        // A mask of the low bits is a modulus; one of the high bits rounds down.
        (BinaryOp::And, Some(mask)) if (mask as u64).wrapping_add(1).is_power_of_two() => {
            binary(BinaryOp::URem, a, &Form { polynomial: Polynomial::constant(mask + 1), ..*b })
        }
        (BinaryOp::And, Some(mask)) if (!mask as u64).wrapping_add(1).is_power_of_two() => {
            near(a.polynomial.clone())
        }
        (BinaryOp::UDiv | BinaryOp::SDiv, None) => {
            let by = single_atom(&b.polynomial)?;
            let rest = a.polynomial.only(|monomial, _| !monomial.contains(&by) && !moves(monomial));
            near(a.polynomial.divided_by(by).plus(&rest)?)
        }
        (BinaryOp::URem | BinaryOp::SRem, None) => {
            let by = single_atom(&b.polynomial)?;
            near(a.polynomial.only(|monomial, _| !monomial.contains(&by)))
        }
        _ => None,
    }
}

/// Divided by a positive number: terms that move by less stand still.
fn quotient(a: &Form, by: i64) -> Form {
    if a.polynomial.terms().all(|(_, factor)| factor % by == 0) {
        return Form { polynomial: a.polynomial.map(|factor| factor / by), exact: a.exact };
    }
    let kept = a.polynomial.only(|monomial, factor| factor.abs() >= by || !moves(monomial));
    let shrink = |factor: i64| if factor.abs() < by { factor.signum() } else { factor / by };
    Form { polynomial: kept.map(shrink), exact: false }
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

/// Which values change from one iteration of a loop to the next; loads do if their address does. `position` is that of
/// blocks in a reverse post-order.
fn moving(function: &Function, loops: &Loops, id: LoopId, position: &[usize]) -> HashSet<ValueId> {
    let this = loops.get(id);
    let mut blocks = this.blocks.clone();
    blocks.sort_by_key(|block| position[block.index()]);
    let mut moving = HashSet::new();
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &blocks {
            for (value, instruction) in function.body(block) {
                let own = match instruction.op {
                    Op::Phi(_) => block == this.header,
                    Op::Atomic | Op::Other | Op::Call(Callee::Unknown) => true,
                    _ => false,
                };
                let moved = own || instruction.operands.iter().any(|from| moving.contains(from));
                changed |= moved && moving.insert(value);
            }
        }
    }
    moving
}
