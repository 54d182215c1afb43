//! Integers and addresses as sums of atoms, in one pass over the kernel.
//!
//! Promises of the program (no wrapping around) are believed: what breaks one may go to no address and decide no branch.

use super::{Atom, Known, Linear, MOST_ITEMS, Places, UNBOUNDED};
use crate::analysis::dominators;
use crate::analysis::loops::{LoopId, Loops};
use crate::view::{
    BinaryOp, BlockId, Callee, Cast, Instruction, NoWrap, Op, Predicate, TypeKind, ValueId,
    ValueKind, WorkItem,
};

/// Factors of a product at most.
const MOST_FACTORS: usize = 4;

/// Offset and size of a range together stay below this: docs/kernel-abi.md.
const MOST_ID: i128 = (1 << 63) - 1;

/// Where launches are known to be narrow, along x and y: docs/kernel-abi.md.
const MOST_NARROW_ID: i128 = (1 << 30) - 1;

const fn signed_range(bits: u32) -> (i128, i128) {
    (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
}

const fn unsigned_range(bits: u32) -> (i128, i128) {
    (0, (1 << bits) - 1)
}

impl Known {
    fn constant(number: i128) -> Known {
        Known { linear: Linear::constant(number), low: number, high: number }
    }

    fn fits(&self, (low, high): (i128, i128)) -> bool {
        self.low >= low && self.high <= high
    }

    /// Within bounds that are known in another way; none if no number is.
    fn within(self, (low, high): (i128, i128)) -> Option<Known> {
        let (low, high) = (self.low.max(low), self.high.min(high));
        (low <= high).then_some(Known { low, high, ..self })
    }

    fn plus(&self, other: &Known) -> Option<Known> {
        let linear = self.linear.plus(&other.linear)?;
        let clamp = |bound: i128| bound.clamp(-UNBOUNDED, UNBOUNDED);
        Some(Known {
            linear,
            low: clamp(self.low + other.low),
            high: clamp(self.high + other.high),
        })
    }

    fn times(&self, factor: i128) -> Option<Known> {
        let ends = [self.low.checked_mul(factor)?, self.high.checked_mul(factor)?];
        let [low, high] = ends.map(|end| end.clamp(-UNBOUNDED, UNBOUNDED));
        let linear = self.linear.times(factor)?;
        Some(Known { linear, low: low.min(high), high: low.max(high) })
    }
}

impl Places<'_> {
    pub(super) fn read_values(&mut self) {
        self.bound_places();
        let function = self.function;
        for id in function.value_ids() {
            let value = function.value(id);
            self.known[id.index()] = match value.kind {
                ValueKind::Integer(number) => Some(Known::constant(i128::from(number))),
                ValueKind::Part(of, bytes) => Some(Known {
                    linear: Linear { constant: i128::from(bytes), ..Linear::atom(Atom::Value(of)) },
                    low: -UNBOUNDED,
                    high: UNBOUNDED,
                }),
                ValueKind::Instruction(_) => None,
                _ => value.ty.is_scalar_index().then(|| self.opaque(id)),
            };
        }
        for block in dominators::order(function) {
            for (id, instruction) in function.body(block) {
                if function.value(id).ty.is_scalar_index() {
                    let wide = function.value(id).ty.bits > 64;
                    let known = if wide { None } else { self.transfer(id, instruction) };
                    let known = known.unwrap_or_else(|| self.opaque(id));
                    self.known[id.index()] = Some(known);
                }
            }
        }
    }

    /// What is known of the place of an item.
    fn bound_places(&mut self) {
        for dimension in 0..3_u8 {
            let size = self.function.size(WorkItem::EnqueuedLocalSize, usize::from(dimension));
            let most = size.map_or(MOST_ITEMS, i128::from);
            self.bounds.insert(Atom::Local(dimension), (0, most - 1));
            self.bounds.insert(Atom::Size(dimension), (1, most));
            let most_id = self.most_id(dimension);
            self.bounds.insert(Atom::First(dimension), (0, most_id));
            self.bounds.insert(Atom::Offset(dimension), (0, most_id));
            // The group's first item has an id, too.
            let groups = most_id / size.map_or(1, |size| i128::from(size.max(1)));
            self.bounds.insert(Atom::Group(dimension), (0, groups));
            let last = Linear::atom(Atom::Local(dimension)).and(1);
            let rule = last.and_then(|next| next.minus(&Linear::atom(Atom::Size(dimension))));
            self.rules.entry(Atom::Local(dimension)).or_default().extend(rule);
        }
    }

    fn most_id(&self, dimension: u8) -> i128 {
        if self.function.narrow && dimension < 2 { MOST_NARROW_ID } else { MOST_ID }
    }

    fn bits(&self, id: ValueId) -> u32 {
        self.function.value(id).ty.bits.clamp(1, 64)
    }

    /// Of which its type alone is known.
    fn opaque(&mut self, id: ValueId) -> Known {
        let ty = self.function.value(id).ty;
        let is_pointer = matches!(ty.kind, TypeKind::Pointer(_));
        let bounds = match is_pointer || ty.bits > 64 {
            true => (-UNBOUNDED, UNBOUNDED),
            false => signed_range(self.bits(id)),
        };
        self.opaque_within(id, bounds)
    }

    /// Of which these bounds are known, as a signed number.
    fn opaque_within(&mut self, id: ValueId, (low, high): (i128, i128)) -> Known {
        let atom = Atom::Value(id);
        self.bounds.insert(atom, (low, high));
        Known { linear: Linear::atom(atom), low, high }
    }

    /// The value itself, read as a signed number.
    pub(super) fn signed(&mut self, id: ValueId) -> Option<Known> {
        self.read(id, true)
    }

    pub(super) fn unsigned(&mut self, id: ValueId) -> Option<Known> {
        self.read(id, false)
    }

    fn read(&mut self, id: ValueId, signed: bool) -> Option<Known> {
        let known = self.of(id)?.clone();
        let bits = self.bits(id);
        let range = if signed { signed_range(bits) } else { unsigned_range(bits) };
        if known.fits(range) {
            return Some(known);
        }
        self.reduced(known.linear, 1 << bits, Atom::Turns(id, signed), range)
    }

    /// The number within `range` that is as much as `linear` but for multiples of `modulus`, which `atom` counts.
    fn reduced(
        &mut self,
        linear: Linear,
        modulus: i128,
        atom: Atom,
        (low, high): (i128, i128),
    ) -> Option<Known> {
        let linear = linear.plus(&Linear::atom(atom).times(modulus)?)?;
        let rules = vec![linear.and(-high)?, linear.times(-1)?.and(low)?];
        self.rules.insert(atom, rules);
        Some(Known { linear, low, high })
    }

    fn transfer(&mut self, id: ValueId, instruction: &Instruction) -> Option<Known> {
        let operands = instruction.operands.as_slice();
        match &instruction.op {
            Op::Phi(_) => match self.analysis.loops.headed_by(instruction.block) {
                Some(header) => self.induction(id, header),
                None => self.one_of(id, operands),
            },
            Op::Select => self.one_of(id, &operands[1..]),
            Op::Extremum => self.one_of(id, operands),
            Op::Binary(op, wrap) => self.binary(id, *op, *wrap, operands[0], operands[1]),
            Op::Cast(cast) => self.cast(id, *cast, operands[0]),
            Op::Address { constant, scales, .. } => {
                let mut sum = self.of(operands[0])?.linear.and(i128::from(*constant))?;
                for (&index, &scale) in operands[1..].iter().zip(scales) {
                    let index = match self.bits(index) {
                        64 => self.of(index)?.clone(),
                        _ => self.signed(index)?,
                    };
                    sum = sum.plus(&index.linear.times(i128::from(scale))?)?;
                }
                Some(Known { linear: sum, low: -UNBOUNDED, high: UNBOUNDED })
            }
            Op::Call(Callee::WorkItem(item)) => {
                let dimension = self.function.integer(*operands.first()?)?;
                self.asked(*item, u8::try_from(dimension).ok().filter(|&number| number < 3)?)
            }
            _ => None,
        }
    }

    /// One of several: within the bounds of all.
    fn one_of(&mut self, id: ValueId, operands: &[ValueId]) -> Option<Known> {
        if matches!(self.function.value(id).ty.kind, TypeKind::Pointer(_)) {
            return None;
        }
        let mut hull: Option<(i128, i128)> = None;
        for &operand in operands {
            let known = self.signed(operand)?;
            let (low, high) = hull.unwrap_or((known.low, known.high));
            hull = Some((low.min(known.low), high.max(known.high)));
        }
        Some(self.opaque_within(id, hull?))
    }

    fn asked(&self, item: WorkItem, dimension: u8) -> Option<Known> {
        let size = self.function.size(WorkItem::EnqueuedLocalSize, usize::from(dimension));
        let atom = |atom: Atom| {
            let (low, high) = self.bounds(atom);
            Some(Known { linear: Linear::atom(atom), low, high })
        };
        match item {
            WorkItem::LocalId => atom(Atom::Local(dimension)),
            WorkItem::GroupId => atom(Atom::Group(dimension)),
            WorkItem::GlobalOffset => atom(Atom::Offset(dimension)),
            WorkItem::EnqueuedLocalSize => size.map(|size| Known::constant(i128::from(size))),
            WorkItem::LocalSize if self.function.uniform_groups && size.is_some() => {
                size.map(|size| Known::constant(i128::from(size)))
            }
            WorkItem::LocalSize => atom(Atom::Size(dimension)),
            WorkItem::GlobalId => {
                let first = match size {
                    Some(size) => Linear::atom(Atom::Group(dimension))
                        .times(i128::from(size))?
                        .plus(&Linear::atom(Atom::Offset(dimension)))?,
                    None => Linear::atom(Atom::First(dimension)),
                };
                let linear = first.plus(&Linear::atom(Atom::Local(dimension)))?;
                Some(Known { linear, low: 0, high: self.most_id(dimension) })
            }
            _ => None,
        }
    }

    fn cast(&mut self, id: ValueId, cast: Cast, from: ValueId) -> Option<Known> {
        let (bits, wide) = (self.bits(id), self.bits(from));
        match cast {
            Cast::SignExtend => self.signed(from),
            Cast::ZeroExtend { nonnegative: true } => self.signed(from)?.within((0, UNBOUNDED)),
            Cast::ZeroExtend { .. } => self.unsigned(from),
            Cast::Truncate { signed, unsigned } => {
                let known = self.of(from)?.clone();
                if signed && known.fits(signed_range(wide)) {
                    return known.within(signed_range(bits));
                }
                if unsigned && known.fits(unsigned_range(wide)) {
                    return known.within(unsigned_range(bits));
                }
                Some(known)
            }
            // Of one type it is a freeze: what breaks a promise may be anything behind it.
            Cast::Same => {
                let of = |id| self.function.value(id).ty;
                let known = self.of(from).filter(|_| of(id) != of(from) && bits == wide)?;
                Some(Known { low: -UNBOUNDED, high: UNBOUNDED, ..known.clone() })
            }
        }
    }

    fn binary(
        &mut self,
        id: ValueId,
        op: BinaryOp,
        wrap: NoWrap,
        a: ValueId,
        b: ValueId,
    ) -> Option<Known> {
        let (first, second) = (self.of(a)?.clone(), self.of(b)?.clone());
        let (number, bits) = (second.linear.as_constant(), self.bits(id));
        let result = match op {
            BinaryOp::Add => first.plus(&second)?,
            BinaryOp::Or if wrap.disjoint => first.plus(&second)?,
            BinaryOp::Sub => first.plus(&second.times(-1)?)?,
            BinaryOp::Mul => match (first.linear.as_constant(), number) {
                (_, Some(factor)) => first.times(factor)?,
                (Some(factor), _) => second.times(factor)?,
                _ => self.product(&first, &second)?,
            },
            BinaryOp::Shl => {
                let by = number.filter(|&by| by >= 0 && by < i128::from(bits))?;
                first.times(1 << by)?
            }
            BinaryOp::Xor if number == Some(-1) => {
                return Known::constant(-1).plus(&first.times(-1)?);
            }
            BinaryOp::And => return self.masked(id, &first, number?),
            BinaryOp::URem | BinaryOp::SRem | BinaryOp::UDiv | BinaryOp::SDiv => {
                return self.divided(id, op, a, number.filter(|&by| by > 0)?);
            }
            BinaryOp::LShr | BinaryOp::AShr => {
                let by = number.filter(|&by| by >= 0 && by < i128::from(bits))?;
                return self.divided(id, op, a, 1 << by);
            }
            _ => return None,
        };
        let promised = |kept: bool, range: (i128, i128), result: Known| {
            let kept = kept && first.fits(range);
            // The amount of a shift is no number of the result's.
            let kept = kept && (op == BinaryOp::Shl || second.fits(range));
            if kept { result.within(range) } else { Some(result) }
        };
        let result = promised(wrap.signed || wrap.disjoint, signed_range(bits), result)?;
        promised(wrap.unsigned || wrap.disjoint, unsigned_range(bits), result)
    }

    /// The product of two sums of which all items have the same of one, term by term.
    fn product(&mut self, a: &Known, b: &Known) -> Option<Known> {
        let is_one = |known: &Known| known.linear.terms.keys().all(|&atom| self.is_for_all(atom));
        if !is_one(a) && !is_one(b) {
            return None;
        }
        let mut linear = Linear::constant(a.linear.constant.checked_mul(b.linear.constant)?);
        for (&atom, &factor) in &a.linear.terms {
            let alone = Linear::atom(atom).times(factor.checked_mul(b.linear.constant)?)?;
            linear = linear.plus(&alone)?;
            for (&other, &by) in &b.linear.terms {
                let both = Linear::atom(self.multiplied(atom, other)?);
                linear = linear.plus(&both.times(factor.checked_mul(by)?)?)?;
            }
        }
        for (&atom, &factor) in &b.linear.terms {
            let alone = Linear::atom(atom).times(factor.checked_mul(a.linear.constant)?)?;
            linear = linear.plus(&alone)?;
        }
        let corners = [a.low, a.high].map(|x| [b.low, b.high].map(|y| x.checked_mul(y)));
        let corners = corners.into_iter().flatten().collect::<Option<Vec<i128>>>()?;
        let clamp = |bound: i128| bound.clamp(-UNBOUNDED, UNBOUNDED);
        let (low, high) = (*corners.iter().min()?, *corners.iter().max()?);
        Some(Known { linear, low: clamp(low), high: clamp(high) })
    }

    /// Whether an atom is no item's own, and no iteration's.
    fn is_for_all(&self, atom: Atom) -> bool {
        match atom {
            Atom::First(_) | Atom::Group(_) | Atom::Offset(_) | Atom::Size(_) => true,
            Atom::Value(id) => self.analysis.is_one_for_all(self.function, id),
            Atom::Product(_) => self.factors(atom).into_iter().all(|part| self.is_for_all(part)),
            _ => false,
        }
    }

    fn multiplied(&mut self, a: Atom, b: Atom) -> Option<Atom> {
        let mut factors = [self.factors(a), self.factors(b)].concat();
        if factors.len() > MOST_FACTORS {
            return None;
        }
        factors.sort();
        let known = self.products.iter().position(|product| *product == factors);
        let number = known.unwrap_or_else(|| {
            self.products.push(factors);
            self.products.len() - 1
        });
        Some(Atom::Product(number as u32))
    }

    fn masked(&mut self, id: ValueId, a: &Known, mask: i128) -> Option<Known> {
        let is_low = mask >= 0 && (mask + 1) & mask == 0;
        if mask < 0 {
            return None;
        }
        if !is_low {
            return Some(self.opaque_within(id, (0, mask)));
        }
        if a.fits((0, mask)) {
            return Some(a.clone());
        }
        let quotient = self.quotient(id, a, mask + 1)?;
        let linear = a.linear.minus(&quotient.linear.times(mask + 1)?)?;
        Some(Known { linear, low: 0, high: mask })
    }

    /// Quotient or remainder by a positive number.
    fn divided(&mut self, id: ValueId, op: BinaryOp, a: ValueId, by: i128) -> Option<Known> {
        let is_signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem | BinaryOp::AShr);
        let is_rest = matches!(op, BinaryOp::URem | BinaryOp::SRem);
        let a = self.read(a, is_signed)?;
        match op {
            // These round to zero.
            BinaryOp::SRem if a.low < 0 => return Some(self.opaque_within(id, (1 - by, by - 1))),
            BinaryOp::SDiv if a.low < 0 => return None,
            _ if is_rest && a.high < by => return Some(a),
            _ => {}
        }
        let quotient = self.quotient(id, &a, by)?;
        if !is_rest {
            return Some(quotient);
        }
        let rest = a.linear.minus(&quotient.linear.times(by)?)?;
        Some(Known { linear: rest, low: 0, high: by - 1 })
    }

    /// Rounded down; of the same in another place the same atom, if nothing in it changes while an item runs.
    fn quotient(&mut self, id: ValueId, a: &Known, by: i128) -> Option<Known> {
        let (low, high) = (a.low.div_euclid(by), a.high.div_euclid(by));
        if let Some(linear) = whole_quotient(&a.linear, by) {
            return Some(Known { linear, low, high });
        }
        let same = self.quotients.iter().find(|(of, number, _)| *of == a.linear && *number == by);
        if let Some((_, _, quotient)) = same {
            return Some(quotient.clone());
        }
        let atom = Atom::Quotient(id);
        self.bounds.insert(atom, (low, high));
        let quotient = Known { linear: Linear::atom(atom), low, high };
        let rest = a.linear.minus(&quotient.linear.times(by)?)?;
        self.rules.insert(atom, vec![rest.times(-1)?, rest.and(1 - by)?]);
        if a.linear.terms.keys().all(|&part| self.is_fixed(part)) {
            self.quotients.push((a.linear.clone(), by, quotient.clone()));
        }
        Some(quotient)
    }

    /// Whether an item has the same of an atom all the time.
    fn is_fixed(&self, atom: Atom) -> bool {
        match atom {
            Atom::Iteration(_) => false,
            Atom::Value(id) | Atom::Turns(id, _) | Atom::Quotient(id) => {
                self.function.instruction(id).is_none()
            }
            Atom::Product(_) => self.factors(atom).into_iter().all(|part| self.is_fixed(part)),
            _ => true,
        }
    }

    /// A header's phi that gains a constant in every iteration.
    fn induction(&mut self, id: ValueId, header: LoopId) -> Option<Known> {
        let counting = Counting::of(self, id, header)?;
        if !self.bounds.contains_key(&Atom::Iteration(header)) {
            let phis: Vec<ValueId> =
                self.function.block(self.analysis.loops.get(header).header).instructions.clone();
            let last =
                phis.into_iter().filter_map(|phi| Counting::of(self, phi, header)?.last(self));
            let last = last.min().unwrap_or(UNBOUNDED);
            self.bounds.insert(Atom::Iteration(header), (0, last));
        }
        let (low, high) = self.bounds(Atom::Iteration(header));
        let iteration = Known { linear: Linear::atom(Atom::Iteration(header)), low, high };
        let result = counting.start.plus(&iteration.times(counting.step)?)?;
        let (bits, start) = (self.bits(id), &counting.start);
        let promised =
            |kept: bool, range: (i128, i128), result: Known| match kept && start.fits(range) {
                true => result.within(range),
                false => Some(result),
            };
        let result = promised(counting.wrap.signed, signed_range(bits), result)?;
        promised(counting.wrap.unsigned && counting.step > 0, unsigned_range(bits), result)
    }
}

/// Divided by a number that divides all that it is made of.
fn whole_quotient(sum: &Linear, by: i128) -> Option<Linear> {
    let divides = sum.constant % by == 0 && sum.terms.values().all(|factor| factor % by == 0);
    divides.then(|| Linear {
        terms: sum.terms.iter().map(|(&atom, factor)| (atom, factor / by)).collect(),
        constant: sum.constant / by,
    })
}

/// A phi that counts.
struct Counting {
    phi: ValueId,
    next: ValueId,
    start: Known,
    step: i128,
    wrap: NoWrap,
    header: LoopId,
}

impl Counting {
    fn of(places: &Places, phi: ValueId, header: LoopId) -> Option<Counting> {
        let function = places.function;
        let instruction = function.instruction(phi)?;
        let Op::Phi(incoming) = &instruction.op else { return None };
        let this = places.analysis.loops.get(header);
        if this.latches.len() != 1 || incoming.len() != 2 {
            return None;
        }
        let inside = incoming.iter().position(|&from| this.contains(from))?;
        let (next, start) = (instruction.operands[inside], instruction.operands[1 - inside]);
        if this.contains(incoming[1 - inside]) {
            return None;
        }
        let start = places.of(start)?.clone();
        let made = function.instruction(next)?;
        let number = |at: usize| places.of(made.operands[at])?.linear.as_constant();
        let (step, wrap) = match &made.op {
            Op::Binary(BinaryOp::Add, wrap) if made.operands[0] == phi => (number(1)?, *wrap),
            Op::Binary(BinaryOp::Add, wrap) if made.operands[1] == phi => (number(0)?, *wrap),
            Op::Binary(BinaryOp::Sub, wrap) if made.operands[0] == phi => {
                (number(1)?.checked_neg()?, NoWrap { unsigned: false, ..*wrap })
            }
            Op::Address { constant, scales, .. }
                if made.operands[0] == phi && scales.is_empty() =>
            {
                (i128::from(*constant), NoWrap::default())
            }
            _ => return None,
        };
        Some(Counting { phi, next, start, step, wrap, header })
    }

    /// The number of the last iteration at most, by a test against a constant.
    fn last(&self, places: &Places) -> Option<i128> {
        let this = places.analysis.loops.get(self.header);
        let always = |block: BlockId| places.analysis.dominators.dominates(block, this.latches[0]);
        let tests = this.exits.iter().map(|&(from, _)| from);
        let tests =
            tests.filter(|&from| always(from) && self.is_innermost(&places.analysis.loops, from));
        tests.filter_map(|block| self.passes(places, block)).min()
    }

    fn is_innermost(&self, loops: &Loops, block: BlockId) -> bool {
        loops.innermost(block) == Some(self.header)
    }

    /// How often the test at the end of a block says to go on.
    fn passes(&self, places: &Places, block: BlockId) -> Option<i128> {
        use Predicate::{NotEqual, SignedGreater, SignedGreaterEqual, SignedLess, SignedLessEqual};
        use Predicate::{UnsignedLess, UnsignedLessEqual};
        let (function, this) = (places.function, places.analysis.loops.get(self.header));
        let (_, branch) = function.terminator(block).filter(|(_, end)| end.op == Op::Branch)?;
        let test = function.instruction(*branch.operands.first()?)?;
        let Op::Compare(predicate) = test.op else { return None };
        let goes_on = this.contains(function.block(block).successors[0]);
        let predicate = if goes_on { predicate } else { predicate.opposite() };
        let ahead = match test.operands[0] {
            tested if tested == self.phi => 0,
            tested if tested == self.next => self.step,
            _ => return None,
        };
        let limit = places.of(test.operands[1])?.linear.as_constant()?;
        let (least, most) = signed_range(places.bits(self.phi));
        if !self.start.fits((least, most)) {
            return None;
        }
        let (low, high) = (self.start.low + ahead, self.start.high + ahead);
        let unsigned = matches!(predicate, UnsignedLess | UnsignedLessEqual);
        if unsigned && (self.start.low < 0 || limit < 0) {
            return None;
        }
        let rounds = |distance: i128, step: i128| (distance + step - 1).div_euclid(step).max(0);
        match predicate {
            SignedLess | UnsignedLess | SignedLessEqual | UnsignedLessEqual if self.step > 0 => {
                let or_equal = matches!(predicate, SignedLessEqual | UnsignedLessEqual);
                let limit = limit + i128::from(or_equal);
                (limit + self.step <= most && high <= most).then(|| rounds(limit - low, self.step))
            }
            SignedGreater | SignedGreaterEqual if self.step < 0 => {
                let limit = limit - i128::from(predicate == SignedGreaterEqual);
                (limit + self.step >= least && low >= least)
                    .then(|| rounds(high - limit, -self.step))
            }
            NotEqual if low == high && self.step != 0 && (least..=most).contains(&low) => {
                let distance = limit - low;
                let whole = distance % self.step == 0 && distance / self.step >= 0;
                whole.then(|| distance / self.step)
            }
            _ => None,
        }
    }
}
