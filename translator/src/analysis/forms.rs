//! Every integer and address as a polynomial of ids and iteration numbers, where it has such a form.
//!
//! These forms answer how an access strides and which range it touches. Unlike `shapes` they are
//! approximate: narrow arithmetic is taken not to wrap, and where a value has no such form the rules of [`super::approximate`]
//! take the one that it has nearly always. A form made by such a rule, or of arithmetic of fewer than 32 bits, is marked as not
//! exact; one that is exact is right but for multiples of 2^32. What is left is opaque: an atom of its own, which
//! moves along the axes that the value depends on, but for those along which a rule has *settled* how far.
//! Terms: an *axis* is a dimension of work-items or a loop; *induction* is a phi of a loop's header
//! that gains the same in every iteration.

use std::collections::HashSet;

use super::approximate::{self, Rules};
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    Item(u8),
    Loop(LoopId),
}

impl Axis {
    pub const fn atom(self) -> Atom {
        match self {
            Axis::Item(dimension) => Atom::Item(dimension),
            Axis::Loop(id) => Atom::Iteration(id),
        }
    }
}

pub struct Forms<'a> {
    pub(super) function: &'a Function,
    pub(super) loops: &'a Loops,
    pub rules: Rules,
    shapes: &'a [Shapes; 3],
    forms: Vec<Option<Form>>,
    /// By loop: the values inside that change from iteration to iteration.
    moves: Vec<HashSet<ValueId>>,
    /// Opaque values whose form has all of their movement along these axes.
    settled: HashSet<(ValueId, Axis)>,
}

impl<'a> Forms<'a> {
    /// `order` is a reverse post-order of the blocks.
    pub fn new(
        function: &'a Function,
        loops: &'a Loops,
        shapes: &'a [Shapes; 3],
        order: &[BlockId],
        rules: Rules,
    ) -> Forms<'a> {
        let forms = vec![None; function.values.len()];
        let mut position = vec![usize::MAX; function.blocks.len()];
        for (at, block) in order.iter().enumerate() {
            position[block.index()] = at;
        }
        let moves = loops.ids().map(|id| moving(function, loops, id, &position)).collect();
        let settled = HashSet::new();
        let mut found = Forms { function, loops, rules, shapes, forms, moves, settled };
        for id in function.value_ids() {
            if !matches!(function.value(id).kind, ValueKind::Instruction(_)) {
                found.forms[id.index()] = found.leaf(id);
            }
        }
        for &block in order {
            for (id, instruction) in function.body(block) {
                if function.value(id).ty.is_scalar_index() {
                    let form = found.transfer(id, instruction);
                    let form = form.or_else(|| found.approximated(id, instruction));
                    found.forms[id.index()] = Some(form.unwrap_or_else(|| found.opaque(id)));
                }
            }
        }
        found
    }

    pub fn of(&self, value: ValueId) -> Option<&Form> {
        self.forms[value.index()].as_ref()
    }

    pub fn shape(&self, value: ValueId, dimension: u8) -> Shape {
        self.shapes[usize::from(dimension)].of(value)
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
            _ if self.settled.contains(&(value, axis)) => false,
            Axis::Item(dimension) => {
                matches!(self.shape(value, dimension), Shape::Linear | Shape::Varying)
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

    /// A form that says how far the value moves along each axis of which a rule says it.
    fn approximated(&mut self, id: ValueId, instruction: &Instruction) -> Option<Form> {
        let steps = approximate::steps(self, instruction)?;
        let mut polynomial = self.opaque(id).polynomial;
        let is_known = |axis| match axis {
            Axis::Item(dimension) => self.shapes[usize::from(dimension)].of(id).stride().is_some(),
            Axis::Loop(_) => false,
        };
        let steps: Vec<_> = steps.into_iter().filter(|&(axis, _)| !is_known(axis)).collect();
        for (axis, step) in steps {
            polynomial = polynomial.plus(&step.times(&Polynomial::atom(axis.atom()))?)?;
            self.settled.insert((id, axis));
        }
        Some(Form { polynomial, exact: false })
    }

    fn transfer(&self, id: ValueId, instruction: &Instruction) -> Option<Form> {
        let operand = |at: usize| self.of(instruction.operands[at]).cloned();
        match &instruction.op {
            Op::Phi(_) => match self.loops.headed_by(instruction.block) {
                Some(header) => self.induction(id, instruction, header),
                None => approximate::one_of(self, &instruction.operands),
            },
            Op::Select => approximate::one_of(self, &instruction.operands[1..]),
            Op::Extremum => approximate::one_of(self, &instruction.operands),
            Op::Binary(op, wrap) if wrap.disjoint && *op == BinaryOp::Or => {
                combine(&operand(0)?, &operand(1)?, Polynomial::plus)
            }
            Op::Binary(op, _) => {
                let (a, b) = (operand(0)?, operand(1)?);
                let form = binary(*op, &a, &b).or_else(|| approximate::lead(self, *op, &a, &b))?;
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

/// What has an exact form if the operands have one.
fn binary(op: BinaryOp, a: &Form, b: &Form) -> Option<Form> {
    let number = b.polynomial.as_constant();
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
        (BinaryOp::LShr | BinaryOp::AShr, Some(by @ 0..=62)) => whole_quotient(a, 1 << by),
        (BinaryOp::UDiv | BinaryOp::SDiv, Some(by @ 1..)) => whole_quotient(a, by),
        // Narrowed to 32 bits and widened again.
        (BinaryOp::And, Some(mask)) if mask == i64::from(u32::MAX) => Some(a.clone()),
        _ => None,
    }
}

/// Divided by a number that divides all that it is made of.
fn whole_quotient(a: &Form, by: i64) -> Option<Form> {
    let divides = a.polynomial.terms().all(|(_, factor)| factor % by == 0);
    divides.then(|| Form { polynomial: a.polynomial.map(|factor| factor / by), exact: a.exact })
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
