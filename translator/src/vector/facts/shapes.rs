//! How a value differs between the items of one vector, which follow each other along x.
//!
//! The terms are those of [`super::state`].
//!
//! Invariant: what is not guessed holds whatever the numbers are, for all items that run the instruction. `nsw` is believed
//! of additions also where the first item of a vector does not run them; `nuw` of sums, where it is the smallest.
//! Source: Collange, "Identifying scalar behavior in CUDA kernels" (2011), section 4.

use std::collections::{HashMap, HashSet};

use super::address::Offsets;
use super::graph::{Edge, Graph, LoopId, Node};
use super::guess::{Guess, Modulo, made_to_addresses, masked_low_half, shifted_low_half};
use super::state::{NUMBERED, Shape, State, UNIFORM, VARYING};
use crate::group::ids::Id;
use crate::kernel::sub_groups::Exchange;
use crate::llvm::{IntPredicate, Machine, Opcode, Value};
use crate::vector::flow::control::Control;
use crate::vector::memory::private::Privates;

/// What the analysis rests on.
pub struct Known<'a> {
    pub machine: &'a Machine,
    pub graph: &'a Graph,
    pub privates: &'a Privates,
    /// Variables that stand for what comes from elsewhere, and how that differs between items.
    pub slots: &'a HashMap<Value, State>,
    /// Whether an instruction gives all items of a group the same.
    pub is_uniform: &'a dyn Fn(Value) -> bool,
    /// Ids may be 2^31 and more.
    pub any_ids: bool,
    /// Items of a vector.
    pub lanes: u64,
}

/// What was found of a region.
pub struct Facts {
    states: HashMap<Value, State>,
    pub control: Control,
    /// Items of a vector.
    pub lanes: u64,
    /// Something rests on global ids along x being less than 2^31.
    pub narrow_launch: bool,
}

impl Facts {
    pub fn find(known: &Known) -> Facts {
        let mut solver = Solver {
            known,
            states: HashMap::new(),
            addresses: made_to_addresses(known.graph),
            control: Control::find(known.graph, &|_| false),
            narrow_launch: false,
        };
        loop {
            solver.settle();
            let control = Control::find(known.graph, &|block| solver.branch_varies(block));
            if control == solver.control {
                break;
            }
            solver.control = control;
        }
        let Solver { states, control, narrow_launch, .. } = solver;
        Facts { states, control, lanes: known.lanes, narrow_launch }
    }

    /// Of an instruction of the region, where it is computed.
    pub fn of(&self, value: Value) -> State {
        self.states.get(&value).copied().unwrap_or(UNIFORM)
    }
}

struct Solver<'a> {
    known: &'a Known<'a>,
    states: HashMap<Value, State>,
    /// Numbers that addresses are made of.
    addresses: HashSet<Value>,
    control: Control,
    narrow_launch: bool,
}

impl Solver<'_> {
    /// Goes through the region until nothing changes. States only become less known.
    fn settle(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for block in 0..self.known.graph.blocks.len() {
                for value in self.known.graph.blocks[block].instructions() {
                    if value.is_terminator() {
                        continue;
                    }
                    let Some(new) = self.transfer(value, block) else { continue };
                    let old = self.states.get(&value).copied();
                    let new = match old {
                        Some(old) if old != new => old.lower(new),
                        _ => new,
                    };
                    if old != Some(new) {
                        changed = true;
                        self.states.insert(value, new);
                    }
                }
            }
        }
    }

    fn branch_varies(&self, block: usize) -> bool {
        let end = self.known.graph.blocks[block].terminator();
        let Some(condition) = end.and_then(Value::condition) else { return false };
        self.at(condition, block).is_some_and(|state| state.shape != Shape::Uniform)
    }

    /// What is known of a value where a block uses it; none if it is not reached yet.
    fn at(&self, value: Value, user: usize) -> Option<State> {
        if !value.is_instruction() {
            return Some(UNIFORM);
        }
        if let Some(private) = self.known.privates.get(value) {
            return Some(State::of(Some(private.stride())));
        }
        let graph = self.known.graph;
        let home = graph.number_of(value.parent().expect("in a block"));
        let Some(home) = home else { return Some(UNIFORM) };
        if self.control.parts_behind(graph, home, user) {
            return Some(VARYING);
        }
        self.states.get(&value).copied()
    }

    fn transfer(&mut self, value: Value, block: usize) -> Option<State> {
        if (self.known.is_uniform)(value) && !value.is_opcode(Opcode::LLVMPHI) {
            return Some(UNIFORM);
        }
        if let Some(id) = Id::of_call(value) {
            return Some(self.asked(id, value));
        }
        let state = self.computed(value, block)?;
        // Where guessed strides cancel each other out, nobody would ask whether they hold.
        let rests_on_guess = || {
            value.operands().any(|operand| self.states.get(&operand).is_some_and(|it| it.guessed))
        };
        Some(if state.shape == Shape::Uniform && rests_on_guess() { VARYING } else { state })
    }

    fn computed(&mut self, value: Value, block: usize) -> Option<State> {
        use Opcode::*;
        let at = |index: usize| self.at(value.operand(index), block);
        match value.opcode()? {
            LLVMPHI => self.phi(value, block),
            LLVMAlloca => Some(UNIFORM),
            LLVMLoad => self.load(value, block),
            LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMOr | LLVMAShr | LLVMLShr | LLVMAnd
            | LLVMXor => {
                let (a, b) = (at(0)?, at(1)?);
                Some(self.or_guessed(value, block, self.arithmetic(value, block, a, b)))
            }
            LLVMTrunc | LLVMZExt | LLVMSExt => Some(self.resized(value, at(0)?)),
            LLVMBitCast | LLVMPtrToInt | LLVMIntToPtr | LLVMAddrSpaceCast => {
                let state = at(0)?;
                let kept = !value.ty().is_float() && !value.operand(0).ty().is_float();
                let same = kept && !value.ty().is_vector() && !value.operand(0).ty().is_vector();
                Some(if same || state.shape == Shape::Uniform { state } else { VARYING })
            }
            LLVMGetElementPtr => self.address(value, block),
            LLVMFreeze => at(0),
            LLVMSelect => {
                let (which, yes, no) = (at(0)?, at(1)?, at(2)?);
                let same = value.operand(1) == value.operand(2);
                match which.shape == Shape::Uniform || same {
                    true => Some(yes.join(no)),
                    false => Some(self.or_guessed(value, block, VARYING)),
                }
            }
            LLVMICmp => {
                let (a, b) = (at(0)?, at(1)?);
                let alike = a.shape == b.shape && !a.guessed && !b.guessed;
                let uniform = alike && (a.shape == Shape::Uniform || keeps_order(value, a, b));
                Some(if uniform { UNIFORM } else { VARYING })
            }
            LLVMCall if Exchange::of_call(value).is_some() => {
                let known = |index| at(index).map(|state| state.shape == Shape::Uniform);
                Some(match Exchange::of_call(value)? {
                    Exchange::Shuffle if !known(0)? && !known(1)? => VARYING,
                    _ => UNIFORM,
                })
            }
            LLVMCall => {
                let pure = value.intrinsic_name().is_some()
                    || crate::vector::values::library::has_form(value)
                    || value.called().is_some_and(|called| {
                        crate::front::vector_math::is_in_libm(&called.name())
                            && value.call_arguments().iter().all(|a| !a.ty().is_pointer())
                    });
                Some(self.or_guessed(value, block, self.by_operands(value, block, pure)?))
            }
            LLVMURem | LLVMSRem | LLVMUDiv | LLVMSDiv => {
                Some(self.or_guessed(value, block, self.by_operands(value, block, true)?))
            }
            LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMFence | LLVMStore => Some(VARYING),
            _ => self.by_operands(value, block, true),
        }
    }

    /// Uniform if all operands are.
    fn by_operands(&self, value: Value, block: usize, pure: bool) -> Option<State> {
        for operand in value.operands().filter(|operand| operand.as_block().is_none()) {
            if operand.as_function().is_none() && self.at(operand, block)?.shape != Shape::Uniform {
                return Some(VARYING);
            }
        }
        Some(if pure { UNIFORM } else { VARYING })
    }

    fn asked(&mut self, id: Id, call: Value) -> State {
        match id {
            Id::GlobalId | Id::LocalId if call.operand(0).unsigned() == Some(0) => {
                let rests = id == Id::GlobalId && !self.known.any_ids;
                self.narrow_launch |= rests;
                State { fits: rests || id == Id::LocalId, ..NUMBERED }
            }
            Id::LocalLinearId | Id::SubGroupLocalId => NUMBERED,
            Id::GlobalLinearId => State { fits: false, ..NUMBERED },
            _ => UNIFORM,
        }
    }

    fn phi(&self, phi: Value, block: usize) -> Option<State> {
        let graph = self.known.graph;
        let incoming: Vec<(Value, usize)> = phi
            .incoming()
            .into_iter()
            .filter_map(|(value, from)| Some((value, graph.number_of(from)?)))
            .filter(|&(_, from)| graph.successors[from].contains(&block))
            .collect();
        let reached = incoming.iter().filter_map(|&(value, _)| self.at(value, block));
        let joined = reached.reduce(State::join)?;
        let first = incoming[0].0;
        let same = incoming.iter().all(|&(value, _)| value == first);
        let apart = !same && self.come_apart(&incoming, block);
        // A guess is asked again where it is used, of what the value is computed of: a phi has nothing to ask.
        Some(if apart || joined.guessed { VARYING } else { joined })
    }

    /// Whether items of a vector may come to a block by different ones of these edges.
    fn come_apart(&self, incoming: &[(Value, usize)], block: usize) -> bool {
        let graph = self.known.graph;
        let scope = graph.scope_of(block);
        let header = scope.filter(|&id| graph.loops[id].header == block);
        if self.leave_one_apart(incoming, block) {
            return true;
        }
        let Some(id) = header else {
            return self.control.is_meeting(Node::Block(block));
        };
        let inside = |from: usize| graph.is_inside(from, scope);
        let back: Vec<usize> =
            incoming.iter().map(|&(_, from)| from).filter(|&from| inside(from)).collect();
        let entries = incoming.len() - back.len();
        let partial = |&from: &usize| {
            graph.node_of(from, scope).is_some_and(|node| self.parts_at(node, from))
        };
        back.len() > 1 && back.iter().any(partial)
            || entries > 1 && self.control.is_meeting(Node::Loop(id))
    }

    /// Whether two of these edges leave a loop that items leave apart: an item that has gone by one stays there while others go on to the
    /// other.
    fn leave_one_apart(&self, incoming: &[(Value, usize)], block: usize) -> bool {
        let sources: HashSet<usize> = incoming.iter().map(|&(_, from)| from).collect();
        let mut left: HashSet<LoopId> = HashSet::new();
        sources.into_iter().any(|from| {
            let by = self.known.graph.left_by(Edge { from, to: block });
            let mut apart = by.into_iter().filter(|&id| self.control.is_left_apart(id));
            apart.any(|id| !left.insert(id))
        })
    }

    fn parts_at(&self, node: Node, from: usize) -> bool {
        self.control.is_partial(node)
            || self.control.area(node).is_some()
            || self.branch_varies(from)
    }

    fn load(&self, load: Value, block: usize) -> Option<State> {
        let from = load.operand(0);
        if let Some(&state) = self.known.slots.get(&from) {
            return Some(state);
        }
        if load.is_volatile() || load.is_atomic() {
            return Some(VARYING);
        }
        let uniform = self.at(from, block)?.shape == Shape::Uniform;
        Some(if uniform { UNIFORM } else { VARYING })
    }

    fn arithmetic(&self, value: Value, block: usize, a: State, b: State) -> State {
        use Opcode::*;
        if a.shape == Shape::Uniform && b.shape == Shape::Uniform {
            return UNIFORM;
        }
        if value.ty().is_vector() {
            return VARYING;
        }
        let number = value.operand(1).signed();
        let (stride_a, stride_b) = (a.shape.stride(), b.shape.stride());
        let guessed = a.guessed || b.guessed;
        let stride = match value.opcode() {
            Some(LLVMAdd) => both(stride_a, stride_b, i64::wrapping_add),
            Some(LLVMOr) if value.is_disjoint() => both(stride_a, stride_b, i64::wrapping_add),
            Some(LLVMSub) => both(stride_a, stride_b, i64::wrapping_sub),
            // All bits turned: what is missing to -1.
            Some(LLVMXor) if number == Some(-1) => stride_a.map(i64::wrapping_neg),
            Some(LLVMMul | LLVMShl) if stride_a == Some(0) && stride_b == Some(0) => Some(0),
            Some(LLVMMul) => both(stride_a, number, i64::wrapping_mul),
            Some(LLVMShl) => {
                let factor = number.filter(|by| (0..63).contains(by)).map(|by| 1 << by);
                both(stride_a, factor, i64::wrapping_mul)
            }
            Some(LLVMAShr | LLVMLShr) => return self.widened(value, block, number),
            Some(LLVMAnd) => return self.masked(value, block),
            _ => None,
        };
        if guessed && stride == Some(0) {
            return State::guessed(stride);
        }
        let mut state = State::of(stride);
        if let Shape::Strided(_) = state.shape {
            let (nsw, nuw) = match value.opcode() {
                Some(LLVMOr) => (true, true),
                Some(LLVMXor) => (true, false),
                Some(LLVMSub) => (value.no_wrap().0, false),
                _ => value.no_wrap(),
            };
            state.signed = nsw && a.signed && b.signed;
            state.unsigned = nuw && a.unsigned && b.unsigned && stride > Some(0);
            state.guessed = guessed;
        }
        state
    }

    /// What is shifted up and down again: the low half, widened, times what of the shift up remains.
    fn widened(&self, value: Value, block: usize, by: Option<i64>) -> State {
        let Some(low) = shifted_low_half(value) else { return VARYING };
        let up = 32 - by.expect("a known shift") as u32;
        let state = self.low_half_times(low.number, block, up);
        match state.shape {
            Shape::Strided(stride) if !low.is_plain() => {
                let shape = Shape::strided(stride.wrapping_mul(low.times));
                State { shape, fits: false, guessed: true, ..state }
            }
            _ => state,
        }
    }

    /// What a mask takes the low half of, shifted up or not.
    fn masked(&self, value: Value, block: usize) -> State {
        masked_low_half(value).map_or(VARYING, |(low, by)| self.low_half_times(low, block, by))
    }

    fn low_half_times(&self, low: Value, block: usize, by: u32) -> State {
        let inner = self.at(low, block).map_or(VARYING, State::low_half);
        match inner.shape {
            Shape::Strided(stride) if by > 0 => {
                State { shape: Shape::strided(stride.wrapping_shl(by)), fits: false, ..inner }
            }
            _ => inner,
        }
    }

    /// What is known of a value, or else is guessed of it.
    fn or_guessed(&self, value: Value, block: usize, known: State) -> State {
        match known == VARYING {
            true => self.kept_within(value, block).unwrap_or(VARYING),
            false => known,
        }
    }

    /// A number within bounds, modulo something or chosen, of which addresses are made.
    fn kept_within(&self, value: Value, block: usize) -> Option<State> {
        if !self.addresses.contains(&value) {
            return None;
        }
        let at = |value: Value| self.at(value, block).unwrap_or(VARYING);
        let guess = Guess::of(value, self.known.lanes, &|value| at(value).shape)?;
        let from = match guess {
            Guess::Within { number, signed, .. } => {
                let from = at(number);
                from.stays(signed).then_some(from)?
            }
            Guess::Modulo { kind, .. } => {
                let from = [0, 1].map(|index| at(value.operand(index)));
                let from = from.into_iter().find(|state| state.shape.stride() > Some(0))?;
                State { fits: false, signed: kind == Modulo::Signed, unsigned: true, ..from }
            }
            Guess::Quotient { .. } | Guess::Shifted { .. } => State::guessed(Some(0)),
            Guess::Chosen { yes, .. } => match at(value.operand(if yes { 1 } else { 2 })) {
                UNIFORM => State::guessed(Some(0)),
                state => state,
            },
        };
        Some(State { guessed: true, ..from })
    }

    fn resized(&self, value: Value, from: State) -> State {
        let Shape::Strided(stride) = from.shape else { return from };
        let bits = value.ty().integer_bits();
        let sure = from.stays_in(value);
        if bits == 0 {
            return VARYING;
        }
        match value.opcode() {
            Some(Opcode::LLVMTrunc) => match bits {
                32.. if from.fits => from,
                16.. if from.guessed => State::guessed(Some(stride)),
                16.. => State::of(Some(stride)),
                _ => VARYING,
            },
            Some(Opcode::LLVMSExt) => State { guessed: from.guessed || !sure, ..from },
            _ => State { guessed: from.guessed || !sure, signed: true, unsigned: true, ..from },
        }
    }

    fn address(&self, value: Value, block: usize) -> Option<State> {
        if value.ty().is_vector() {
            return self.by_operands(value, block, true);
        }
        let base = self.at(value.operand(0), block)?;
        let offsets = Offsets::of(self.known.machine, value);
        let factor = self.known.privates.factor(value.operand(0));
        let mut sum = base.shape.stride();
        let mut guessed = base.guessed;
        for &(index, scale) in &offsets.scaled {
            let state = self.at(index, block)?;
            // An index of fewer bits is extended.
            let narrow = index.ty().integer_bits() < 64 && state.shape != Shape::Uniform;
            guessed |= state.guessed;
            let stride = state.shape.stride().filter(|_| !narrow || state.signed);
            sum = both(sum, stride.map(|stride| stride.wrapping_mul(scale * factor)), |a, b| {
                a.wrapping_add(b)
            });
        }
        Some(if guessed { State::guessed(sum) } else { State::of(sum) })
    }
}

/// Whether numbers with the same stride compare alike in all items: always for equality, otherwise where none of them wraps around, not even
/// that of a first item that is off. As unsigned numbers such an item's may: `(ulong)(i - n)` behind a guard `i >= n`.
fn keeps_order(compare: Value, a: State, b: State) -> bool {
    use IntPredicate::*;
    let strided = matches!(a.shape, Shape::Strided(_));
    strided
        && match compare.int_predicate() {
            Some(LLVMIntEQ | LLVMIntNE) => true,
            Some(LLVMIntSLT | LLVMIntSLE | LLVMIntSGT | LLVMIntSGE) => a.signed && b.signed,
            _ => a.fits && b.fits,
        }
}

fn both(a: Option<i64>, b: Option<i64>, with: impl Fn(i64, i64) -> i64) -> Option<i64> {
    Some(with(a?, b?))
}
