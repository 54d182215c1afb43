//! The shape of every value, which branches items disagree at, and which blocks only some items run.
//!
//! Terms as in `shape` and `control`; one solution for each of the three dimensions.
//! Method: optimistic fixpoint over the blocks in order: everything is unknown until reached, phis
//! join, and a branch whose condition is not uniform makes the phis of its joins varying, and what its
//! loops compute varying outside of them.
//! What differs between items for all that is known, and would not if nothing wrapped around (`State::assumed`), is varying in the end.
//! Rules beyond arithmetic: a load from a uniform address is uniform, because items that see different
//! values there race; volatile and atomic ones and those of private memory (whose addresses vary) are
//! varying. Every item reaches a barrier or none: the condition of a branch that decides for certain whether one
//! is reached (`deciding`) is uniform, whatever it looks like; those that do not look like it are told of (`crate::kernel::depart` mends some of them).
//! Rules of arithmetic are in `rules`, how far values are apart in `origins`.
//! Sources: Collange 2011, section 4; CGO'15, section 3.2.

use std::collections::HashSet;

use super::alignments::Alignments;
use super::control::Influences;
use super::dominators::Tree;
use super::loops::{LoopId, Loops};
use super::origins::Made;
use super::rules::{
    self, Operand, State, Trust, UNREACHED, VARYING, both, compare, exact, extend, merge,
};
use super::shape::Shape;
use crate::view::{
    BinaryOp, BlockId, Callee, Cast, Function, Instruction, MemoryKind, NoWrap, Op, ValueId,
    ValueKind, WorkItem,
};

/// The solution along one dimension.
#[derive(Debug)]
pub struct Shapes {
    shapes: Vec<Shape>,
    /// By block: whether maybe only some of the items run it together.
    divergent: Vec<bool>,
    /// By loop: whether items may leave it in different iterations.
    left_apart: Vec<bool>,
    /// Blocks whose branches are only taken to be uniform since they decide whether a barrier is reached.
    pub claimed: Vec<BlockId>,
}

struct Solver<'a> {
    flow: &'a Flow<'a>,
    function: &'a Function,
    loops: &'a Loops,
    dimension: i64,
    states: Vec<State>,
    join: Vec<bool>,
    divergent: Vec<bool>,
    left_apart: Vec<bool>,
    /// By block: whether its branch is known to part the items.
    parts: Vec<bool>,
    /// Blocks marked as divergent, with the block that the mark ended at.
    flooded: HashSet<(Option<BlockId>, BlockId)>,
}

/// What the solver needs to know of the function, the same for every dimension.
pub struct Flow<'a> {
    function: &'a Function,
    loops: &'a Loops,
    order: &'a [BlockId],
    influences: Influences<'a>,
    alignments: &'a Alignments,
    /// The blocks whose branches decide for certain if a barrier is reached.
    deciding: &'a [BlockId],
    /// By value: whether it is the condition of such a branch.
    decides_barrier: Vec<bool>,
}

impl<'a> Flow<'a> {
    /// `order` is a reverse post-order of the blocks, `deciding` are the branches of [`super::deciding`] that do for certain.
    pub fn new(
        function: &'a Function,
        loops: &'a Loops,
        post: &'a Tree,
        order: &'a [BlockId],
        alignments: &'a Alignments,
        deciding: &'a [BlockId],
    ) -> Flow<'a> {
        let influences = Influences::new(function, loops, post, order);
        let mut decides_barrier = vec![false; function.values.len()];
        for (_, end) in deciding.iter().filter_map(|&block| function.terminator(block)) {
            decides_barrier[end.operands[0].index()] = true;
        }
        Flow { function, loops, order, influences, alignments, deciding, decides_barrier }
    }

    /// The shapes along a dimension, 0 to 2.
    pub fn solve(&self, dimension: usize) -> Shapes {
        let blocks = self.function.blocks.len();
        let mut solver = Solver {
            flow: self,
            function: self.function,
            loops: self.loops,
            dimension: dimension as i64,
            states: vec![UNREACHED; self.function.values.len()],
            join: vec![false; blocks],
            divergent: vec![false; blocks],
            left_apart: vec![false; self.loops.len()],
            parts: vec![false; blocks],
            flooded: HashSet::new(),
        };
        solver.leaves();
        let mut changed = true;
        while changed {
            changed = false;
            for &block in self.order {
                changed |= solver.visit(block);
            }
        }
        let claimed = solver.claimed();
        Shapes {
            claimed,
            shapes: solver.states.iter().map(|s| s.certain().unwrap_or(Shape::Uniform)).collect(),
            divergent: solver.divergent,
            left_apart: solver.left_apart,
        }
    }
}

impl Shapes {
    pub fn of(&self, value: ValueId) -> Shape {
        self.shapes[value.index()]
    }

    pub fn is_divergent(&self, block: BlockId) -> bool {
        self.divergent[block.index()]
    }

    pub fn is_left_apart(&self, id: LoopId) -> bool {
        self.left_apart[id.index()]
    }
}

impl Solver<'_> {
    fn leaves(&mut self) {
        for id in self.function.value_ids() {
            if !matches!(self.function.value(id).kind, ValueKind::Instruction(_)) {
                self.states[id.index()].shape = Some(Shape::Uniform);
            }
        }
    }

    /// Blocks whose branches decide whether a barrier is reached, by what is not uniform by itself where they stand.
    fn claimed(&self) -> Vec<BlockId> {
        let is_claimed = |&block: &BlockId| {
            let (_, end) = self.function.terminator(block).expect("it branches");
            let condition = end.operands[0];
            let Some(made) = self.function.instruction(condition) else { return false };
            let left = self.loops.around(made.block);
            let mut left = left.take_while(|&id| !self.loops.get(id).contains(block));
            self.loops.irreducible
                || left.any(|id| self.left_apart[id.index()])
                || !self.transfer(condition, made).certain().is_none_or(Shape::is_uniform)
        };
        self.flow.deciding.iter().copied().filter(is_claimed).collect()
    }

    /// Computes a block anew; whether anything changed.
    fn visit(&mut self, block: BlockId) -> bool {
        let mut changed = false;
        for (id, instruction) in self.function.body(block) {
            let state = if self.flow.decides_barrier[id.index()] {
                exact(Some(Shape::Uniform))
            } else if self.loops.irreducible {
                VARYING
            } else {
                self.with_origin(id, instruction, self.transfer(id, instruction))
            };
            changed |= self.states[id.index()] != state;
            self.states[id.index()] = state;
        }
        changed | self.branch(block)
    }

    /// Marks what follows if items disagree at the end of a block; whether that was not known.
    fn branch(&mut self, block: BlockId) -> bool {
        if self.function.block(block).successors.len() < 2 || self.parts[block.index()] {
            return false;
        }
        let Some((_, terminator)) = self.function.terminator(block) else { return false };
        let Some(&condition) = terminator.operands.first() else { return false };
        let shape = self.read(condition, block).certain();
        if shape.is_none_or(Shape::is_uniform) {
            return false;
        }
        self.parts[block.index()] = true;
        let influence = self.flow.influences.of(block);
        influence.joins.iter().for_each(|join| self.join[join.index()] = true);
        influence.left_apart.iter().for_each(|id| self.left_apart[id.index()] = true);
        self.flood(block);
        true
    }

    /// Marks every block from a branch up to where its ways have met again. What leads to the same end is only gone
    /// through once.
    fn flood(&mut self, branch: BlockId) {
        let end = self.flow.influences.end(branch);
        let mut work = self.function.block(branch).successors.clone();
        while let Some(block) = work.pop() {
            if Some(block) != end && self.flooded.insert((end, block)) {
                self.divergent[block.index()] = true;
                work.extend(&self.function.block(block).successors);
            }
        }
    }

    /// A value as `block` sees it: varying if it comes out of a loop that items leave apart.
    fn read(&self, value: ValueId, block: BlockId) -> State {
        let state = self.states[value.index()];
        let Some(instruction) = self.function.instruction(value) else { return state };
        let left = self.loops.around(instruction.block);
        let mut left = left.take_while(|&id| !self.loops.get(id).contains(block));
        if left.any(|id| self.left_apart[id.index()]) { VARYING } else { state }
    }

    /// The same state, and which value it is a uniform amount away from.
    fn with_origin(&self, id: ValueId, instruction: &Instruction, state: State) -> State {
        let index = self.function.value(id).ty.is_scalar_index();
        if !index || state.shape.is_none() || state.is_uniform() {
            return State { origin: None, ..state };
        }
        let meets = matches!(instruction.op, Op::Phi(_)) && self.meets(instruction);
        let before = self.states[id.index()].origin;
        let (function, loops) = (self.function, self.loops);
        let made = Made { function, loops, id, instruction, before, meets };
        let read = |at: usize| self.read(instruction.operands[at], instruction.block);
        State { origin: Some(made.origin(read)), ..state }
    }

    fn transfer(&self, id: ValueId, instruction: &Instruction) -> State {
        let operand = |at: usize| self.read(instruction.operands[at], instruction.block);
        match &instruction.op {
            Op::Phi(_) => self.phi(instruction),
            Op::Select => self.select(instruction),
            Op::Binary(op, wrap) => self.binary(*op, *wrap, id, instruction),
            Op::Compare(predicate) => {
                let end = self.function.terminator(instruction.block);
                let is_tested = end.is_some_and(|(_, end)| end.operands.first() == Some(&id));
                compare(*predicate, is_tested, operand(0), operand(1))
            }
            Op::Cast(cast) => extend(*cast, operand(0), self.function.value(id).ty.bits),
            Op::Address { scales, inbounds, .. } => {
                let whole = if *inbounds { Trust::Certain } else { Trust::Assumed };
                let base = State { origin: None, ..operand(0) };
                scales.iter().enumerate().fold(
                    State { signed: whole, unsigned: whole, ..base },
                    |sum, (at, &scale)| {
                        let index = operand(at + 1);
                        let shape = both(sum.shape, index.shape, |a, b| a.plus(b.times(scale)));
                        State { shape, ..sum }.under(index.assumed)
                    },
                )
            }
            Op::Load(MemoryKind::Plain) => {
                exact(operand(0).certain().map(|shape| shape.mixed(Shape::Uniform)))
            }
            Op::Pure | Op::Extremum => self.pure(instruction),
            Op::Call(callee) => self.call(*callee, instruction),
            Op::Load(MemoryKind::Shared) | Op::Atomic | Op::Alloca | Op::Other => VARYING,
            Op::Store(_) | Op::Branch | Op::Switch | Op::Return | Op::Unreachable | Op::Marker => {
                exact(Some(Shape::Uniform))
            }
        }
    }

    /// Whether items that come from different sides take different values from a phi. Those that come from a side without a
    /// value have another one than the rest, or none to give.
    fn meets(&self, phi: &Instruction) -> bool {
        let all = phi.operands.iter().all(|&id| !self.is_undefined(id));
        self.join[phi.block.index()] && !(all && self.is_one_value(&phi.operands))
    }

    fn is_undefined(&self, id: ValueId) -> bool {
        matches!(self.function.value(id).kind, ValueKind::Undefined)
    }

    fn phi(&self, instruction: &Instruction) -> State {
        if self.meets(instruction) {
            return VARYING;
        }
        let defined = instruction.operands.iter().filter(|&&id| !self.is_undefined(id)).copied();
        let mut defined: Vec<ValueId> = defined.collect();
        let all = defined.len() == instruction.operands.len();
        defined.dedup();
        let state = defined
            .iter()
            .fold(UNREACHED, |state, &id| merge(state, self.read(id, instruction.block)));
        // What the undefined begins with: a value that is made of itself would never be reached.
        if state.shape.is_none() && !all { exact(Some(Shape::Uniform)) } else { state }
    }

    fn is_one_value(&self, values: &[ValueId]) -> bool {
        values.windows(2).all(|pair| {
            let numbers = (self.function.integer(pair[0]), self.function.integer(pair[1]));
            pair[0] == pair[1] || matches!(numbers, (Some(a), Some(b)) if a == b)
        })
    }

    fn select(&self, instruction: &Instruction) -> State {
        let [condition, yes, no] =
            [0, 1, 2].map(|at| self.read(instruction.operands[at], instruction.block));
        match condition.certain() {
            None => UNREACHED,
            Some(Shape::Uniform) => merge(yes, no),
            Some(_) if self.is_one_value(&instruction.operands[1..3]) => yes,
            Some(_) => VARYING,
        }
    }

    fn binary(&self, op: BinaryOp, wrap: NoWrap, id: ValueId, instruction: &Instruction) -> State {
        if let Some(narrowed) = self.narrowed(op, id, instruction) {
            return narrowed;
        }
        let [a, b] = [0, 1].map(|at| {
            let id = instruction.operands[at];
            Operand {
                state: self.read(id, instruction.block),
                constant: self.function.integer(id),
                alignment: self.flow.alignments.of(id),
            }
        });
        rules::binary(op, wrap, a, b)
    }

    /// What LLVM writes for a narrowing that is widened again: a shift up and down, or a mask.
    fn narrowed(&self, op: BinaryOp, id: ValueId, instruction: &Instruction) -> Option<State> {
        let by = self.function.integer(instruction.operands[1])?;
        let first = instruction.operands[0];
        let bits = self.function.value(id).ty.bits;
        let truncate = Cast::Truncate { signed: false, unsigned: false };
        match op {
            BinaryOp::AShr if (1..i64::from(bits)).contains(&by) => {
                let above = self.function.instruction(first)?;
                let up = matches!(above.op, Op::Binary(BinaryOp::Shl, _));
                if !up || self.function.integer(above.operands[1]) != Some(by) {
                    return None;
                }
                let of = self.read(above.operands[0], instruction.block);
                Some(extend(Cast::SignExtend, extend(truncate, of, bits - by as u32), bits))
            }
            BinaryOp::And if by == i64::from(u32::MAX) => {
                let of = self.read(first, instruction.block);
                let narrow = extend(truncate, of, 32);
                Some(extend(Cast::ZeroExtend { nonnegative: false }, narrow, bits))
            }
            _ => None,
        }
    }

    fn pure(&self, instruction: &Instruction) -> State {
        let operands = instruction.operands.iter();
        let mut shapes = operands.map(|&id| self.read(id, instruction.block).certain());
        exact(shapes.try_fold(Shape::Uniform, |all, shape| Some(all.mixed(shape?))))
    }

    fn call(&self, callee: Callee, instruction: &Instruction) -> State {
        let Callee::WorkItem(item) = callee else {
            let known = matches!(callee, Callee::Collective | Callee::Question | Callee::Barrier);
            return if known { exact(Some(Shape::Uniform)) } else { VARYING };
        };
        let asked = instruction.operands.first().map(|&id| self.function.integer(id));
        let single = |at: i64| {
            self.function.local_size.is_some_and(|size| size.get(at as usize) == Some(&1))
        };
        if single(self.dimension) {
            return exact(Some(Shape::Uniform));
        }
        let shape = match (item, asked.flatten()) {
            (WorkItem::GlobalId | WorkItem::LocalId, Some(at)) if at == self.dimension => {
                Shape::Affine(1)
            }
            (WorkItem::GlobalId | WorkItem::LocalId, Some(_)) => Shape::Uniform,
            // A row further, they are as many more as the row is long: shorter in a group that is cut off.
            (WorkItem::GlobalLinearId | WorkItem::LocalLinearId, _) if self.dimension > 0 => {
                Shape::Linear
            }
            (WorkItem::GlobalLinearId | WorkItem::LocalLinearId, _) => Shape::Affine(1),
            (WorkItem::GlobalId | WorkItem::LocalId | WorkItem::SubGroup, _) => Shape::Varying,
            _ => Shape::Uniform,
        };
        exact(Some(shape))
    }
}

#[cfg(test)]
mod tests {
    use super::super::deciding::Deciding;
    use super::*;
    use crate::analysis::dominators;
    use crate::view::text::parse;

    struct Solved {
        text: String,
        dimensions: [Shapes; 3],
    }

    fn solve(text: &str) -> Solved {
        let function = parse(text);
        let loops = Loops::find(&function, &Tree::dominators(&function));
        let post = Tree::post_dominators(&function);
        let order = dominators::order(&function);
        let alignments = Alignments::find(&function, &order);
        let deciding = Deciding::find(&function, &post).certain;
        let flow = Flow::new(&function, &loops, &post, &order, &alignments, &deciding);
        Solved { text: text.to_string(), dimensions: [0, 1, 2].map(|at| flow.solve(at)) }
    }

    impl Solved {
        fn of(&self, name: &str) -> [Shape; 3] {
            let id = Function::named(&self.text, name);
            [0, 1, 2].map(|at| self.dimensions[at].of(id))
        }
    }

    use Shape::{Affine, Linear, Uniform, Varying};

    #[test]
    fn strides_follow_arithmetic_in_each_dimension() {
        let solved = solve(
            "kernel k(a: global, n: i32)
            entry:
              %x = global_id 0
              %y = global_id 1
              %xi = trunc %x : i32
              %yi = trunc %y : i32
              %row = mul.nsw %yi %n
              %i = add.nsw %row %xi
              %wide = sext %i : i64
              %p = address %a %wide*4 +8
              %v = load %p : f32
              %u = load %a : f32
              %four = shl %x 2
              %back = sub %x %four
              %same = sub %x %x
              %wraps = add %xi %n
              %z = zext %wraps : i64
              ret",
        );
        assert_eq!(solved.of("i"), [Affine(1), Linear, Uniform]);
        assert_eq!(solved.of("p"), [Affine(4), Linear, Uniform]);
        assert_eq!(solved.of("v"), [Varying, Varying, Uniform]);
        assert_eq!(solved.of("u"), [Uniform; 3]);
        assert_eq!(solved.of("back"), [Affine(-3), Uniform, Uniform]);
        assert_eq!(solved.of("same"), [Uniform; 3]);
        assert_eq!(solved.of("wraps"), [Affine(1), Uniform, Uniform]);
        assert_eq!(solved.of("z"), [Varying, Uniform, Uniform]);
    }

    #[test]
    fn narrowing_by_shifts_and_masks_keeps_strides() {
        let solved = solve(
            "kernel k(a: global, n: i64)
            entry:
              %x = global_id 0
              %up = shl %x 32
              %down = ashr %up 32
              %low = and %x 4294967295
              %y = add %x %n
              %wraps = and %y 4294967295
              %half = pure undef %x
              ret",
        );
        let first = |name| solved.of(name)[0];
        assert_eq!((first("down"), first("low")), (Affine(1), Affine(1)));
        assert_eq!((first("wraps"), first("half")), (Varying, Varying));
    }

    #[test]
    fn a_uniform_loop_under_a_divergent_guard_stays_uniform() {
        let solved = solve(
            "kernel k(a: global, n: i32)
            entry:
              %x = global_id 0
              %i = trunc %x : i32
              %c = slt %i %n
              branch %c head done
            head:
              %k = phi [entry 0] [head %k1] : i32
              %k1 = add.nsw %k 1
              %more = slt %k1 %n
              branch %more head done
            done:
              %r = phi [entry 0] [head %k1] : i32
              ret",
        );
        assert_eq!(solved.of("k"), [Uniform; 3]);
        assert_eq!(solved.of("more"), [Uniform; 3]);
        assert_eq!(solved.of("r"), [Varying, Uniform, Uniform]);
        assert!(solved.dimensions[0].is_divergent(BlockId(1)));
        assert!(!solved.dimensions[0].is_divergent(BlockId(2)));
        assert!(!solved.dimensions[0].is_left_apart(LoopId(0)));
    }

    #[test]
    fn what_a_divergent_loop_counts_varies_outside() {
        let solved = solve(
            "kernel k(a: global, n: i32)
            entry:
              %x = global_id 0
              jump head
            head:
              %k = phi [entry 0] [head %k1] : i64
              %k1 = add %k 1
              %more = slt %k1 %x
              branch %more head done
            done:
              %r = add %k1 1
              ret",
        );
        assert_eq!(solved.of("k1"), [Uniform; 3]);
        assert_eq!(solved.of("r"), [Varying, Uniform, Uniform]);
        assert!(solved.dimensions[0].is_left_apart(LoopId(0)));
        assert!(!solved.dimensions[1].is_left_apart(LoopId(0)));
    }

    #[test]
    fn a_barrier_in_a_loop_makes_its_condition_uniform() {
        let solved = solve(
            "kernel k(a: global, n: i32)
            entry:
              %x = global_id 0
              %p = address %a %x*4
              %m = load %p : i32
              jump head
            head:
              %k = phi [entry 0] [body %k1] : i32
              %more = slt %k %m
              branch %more body done
            body:
              barrier
              %k1 = add.nsw %k 1
              jump head
            done:
              %r = add %k 1
              ret",
        );
        assert_eq!(solved.of("m"), [Varying, Uniform, Uniform]);
        assert_eq!(solved.of("r"), [Uniform; 3]);
        assert!(!solved.dimensions[0].is_divergent(BlockId(2)));
    }

    #[test]
    fn comparing_equal_strides_is_uniform_if_nothing_wraps() {
        let solve = |truncation: &str| {
            solve(&format!(
                "kernel k(n: i32)
                entry:
                  %x = global_id 0
                  %l = local_id 0
                  %xi = {truncation} %x : i32
                  %li = {truncation} %l : i32
                  %lw = add %li %n
                  %d = slt %xi %lw
                  %e = eq %xi %lw
                  %t = select %d %xi 7 : i32
                  %ln = add.nsw %li %n
                  %early = slt %xi %ln
                  branch %d next next
                next:
                  %c = slt %xi %ln
                  %s = select %c %xi 7 : i32
                  branch %c done done
                done:
                  ret"
            ))
        };
        let solved = solve("trunc.nsw");
        let first = |name| solved.of(name)[0];
        assert_eq!((first("c"), first("d"), first("e")), (Uniform, Varying, Uniform));
        assert_eq!((first("s"), first("t"), first("early")), (Linear, Varying, Varying));
        let solved = solve("trunc");
        let first = |name| solved.of(name)[0];
        assert_eq!((first("c"), first("d"), first("e")), (Varying, Varying, Uniform));
    }

    #[test]
    fn fixed_sizes_make_single_items_uniform() {
        let solved = solve(
            "kernel k(n: i32) size 16 4 1
            entry:
              %z = global_id 2
              %v = load.shared %z : i32
              %y = local_id 1
              %p = alloca
              %q = load %p : i32
              ret",
        );
        assert_eq!(solved.of("z"), [Uniform; 3]);
        assert_eq!(solved.of("y"), [Uniform, Affine(1), Uniform]);
        assert_eq!(solved.of("v"), [Varying; 3]);
        assert_eq!(solved.of("q"), [Varying; 3]);
    }

    #[test]
    fn what_begins_undefined_is_what_is_made_of_it() {
        let solved = solve(
            "kernel k(a: global, n: i64)
            entry:
              %x = global_id 0
              %p = address %a %x*4
              %v = load %p : i64
              jump loop
            loop:
              %s = phi [entry undef] [loop %t] : i64
              %t = add %s %v
              %c = slt %n 3
              branch %c loop done
            done:
              ret",
        );
        assert_eq!(solved.of("t")[0], Varying);
    }

    /// Thousands of branches, one behind the other, that leave to the same place.
    #[test]
    fn what_leads_to_the_same_end_is_gone_through_once() {
        const BRANCHES: usize = 20_000;
        let mut text = String::from("kernel k(n: i64)\nentry:\n%x = global_id 0\njump at0\n");
        for at in 0..BRANCHES {
            let next = at + 1;
            text += &format!("at{at}:\n%c{at} = slt %x {at}\nbranch %c{at} done at{next}\n");
        }
        text += &format!("at{BRANCHES}:\njump done\ndone:\nret");
        let solved = solve(&text);
        let first = &solved.dimensions[0];
        assert!(first.is_divergent(BlockId(2)) && first.is_divergent(BlockId(BRANCHES as u32)));
        assert!(
            !first.is_divergent(BlockId(1)) && !first.is_divergent(BlockId(BRANCHES as u32 + 2))
        );
    }
}
