//! Whether registers hold what several vectors of items keep in a loop: a pure estimate.
//!
//! Kernels without barriers go through breadth-first loops in chunks of a few vectors ([`crate::group::chunks`]), whose state was taken to cost
//! nothing. But a chunk also needs registers for what an iteration computes, of two vectors at a time as long as nothing branches, since
//! their code is mixed, and for what all items read, which is kept for the whole chunk. What finds none is loaded
//! in each iteration, and stored if it changes. Against that stands what a chunk of several vectors gains: all read once, lines of neighbours fetched
//! once, and results that have to follow each other computed for all of its vectors meanwhile, if a processor would wait for them.
//! Terms: a loop's *chain* is how many operations have to follow each other from an iteration's numbers to the next one's; its *width*
//! how many registers a vector of items needs at most for what an iteration computes.
//! Unit: as in [`super::worth`].

use super::decide::voters;
use super::worth::{self, COMPUTED, SHORT, WAIT, WORD};
use crate::analysis::Analysis;
use crate::analysis::access::Stride;
use crate::analysis::loops::LoopId;
use crate::analysis::state;
use crate::group::chunks;
use crate::view::{BlockId, Function, Op, Type, ValueId};

/// Vectors whose computations are mixed, where no item goes another way than its neighbours.
const AT_A_TIME: u64 = 2;

/// To read four bytes of each lane that stay as they are: together with the operation that needs them.
const FIXED: f64 = 0.5;

/// Whether the vectors of a chunk lose more for want of `registers` than they gain from each other.
pub fn is_crowded(function: &Function, analysis: &Analysis, id: LoopId, registers: u64) -> bool {
    let innermost = analysis.loops.ids().all(|other| analysis.loops.get(other).parent != Some(id));
    if !innermost || analysis.is_left_apart(id) {
        return false;
    }
    let body = Body::of(function, analysis, id);
    let needs = Needs::of(&body, id);
    let vectors = chunks::fitting(needs.words);
    let fixed = needs.words.saturating_sub(body.handed_on());
    let spilled = |vectors: u64| {
        let without = needs.registers(vectors).saturating_sub(registers);
        let read = without.min(vectors * fixed);
        (FIXED * read as f64 + WORD * (without - read) as f64) / vectors as f64
    };
    let several = vectors as f64;
    let long = worth::known(analysis, id).is_none_or(|trips| trips > SHORT);
    let waits = WAIT * body.chain() as f64 - worth::computed(function, analysis, id) / COMPUTED;
    let waits = if long { waits.max(0.0) } else { 0.0 };
    let gain = (worth::reads(function, analysis, id) + waits) * (1.0 - 1.0 / several);
    gain < spilled(vectors) - spilled(1)
}

/// Whether so many vectors need more than the `registers` that there are, in an innermost loop by whose addresses neighbours are
/// side by side: what differs from item to item by the same needs none.
pub fn spills(
    function: &Function,
    analysis: &Analysis,
    id: LoopId,
    vectors: u64,
    registers: u64,
) -> bool {
    let body = Body { along_x: true, ..Body::of(function, analysis, id) };
    Needs::of(&body, id).registers(vectors) > registers
}

/// What registers are needed for in an innermost loop.
struct Needs {
    /// By a vector all the time, and for what an iteration computes.
    words: u64,
    width: u64,
    /// By all.
    shared: u64,
    at_a_time: u64,
}

impl Needs {
    fn of(body: &Body, id: LoopId) -> Needs {
        let (function, analysis) = (body.function, body.analysis);
        let words = state::bytes_per_item(function, analysis, id).div_ceil(4);
        let width = body.width();
        let shared = voters(function, analysis, id)
            .filter(|(_, class)| class.work_item == Stride::Zero)
            .map(|(access, _)| u64::from(function.value(access.instruction).ty.lanes))
            .sum();
        let parts = analysis.loops.get(id).blocks.iter().any(|&block| {
            let ends = function.terminator(block).and_then(|(_, end)| end.operands.first());
            ends.is_some_and(|&on| !analysis.is_uniform(on))
        });
        Needs { words, width, shared, at_a_time: if parts { 1 } else { AT_A_TIME } }
    }

    fn registers(&self, vectors: u64) -> u64 {
        vectors * self.words + vectors.min(self.at_a_time) * self.width + self.shared
    }
}

/// An innermost loop's instructions, one after the other.
struct Body<'a> {
    function: &'a Function,
    analysis: &'a Analysis,
    header: BlockId,
    /// What is affine along x counts as what all items share.
    along_x: bool,
    /// Where in the loop each value is computed, by its id.
    at: Vec<Option<usize>>,
    values: Vec<ValueId>,
}

impl<'a> Body<'a> {
    fn of(function: &'a Function, analysis: &'a Analysis, id: LoopId) -> Body<'a> {
        let this = analysis.loops.get(id);
        let order = crate::analysis::dominators::order(function);
        let blocks = order.into_iter().filter(|&block| this.contains(block));
        let values: Vec<ValueId> =
            blocks.flat_map(|block| function.block(block).instructions.clone()).collect();
        let mut at = vec![None; function.values.len()];
        values.iter().enumerate().for_each(|(place, value)| at[value.index()] = Some(place));
        Body { function, analysis, header: this.header, along_x: false, at, values }
    }

    fn is_varying(&self, value: ValueId) -> bool {
        let stride = self.analysis.shape(value)[0].stride();
        !self.analysis.is_uniform(value) && (!self.along_x || stride.is_none())
    }

    fn phi(&self, value: ValueId) -> Option<&'a [ValueId]> {
        let made = self.function.instruction(value)?;
        let is_phi = made.block == self.header && matches!(made.op, Op::Phi(_));
        is_phi.then_some(made.operands.as_slice())
    }

    /// Registers for what an iteration hands on to the next one.
    fn handed_on(&self) -> u64 {
        let phis = self
            .values
            .iter()
            .filter(|&&value| self.phi(value).is_some() && self.is_varying(value));
        phis.map(|&value| words(self.function.value(value).ty)).sum()
    }

    /// Operations that follow each other from the header's phis to what they become, at most.
    fn chain(&self) -> usize {
        let mut lengths: Vec<Option<usize>> = vec![None; self.values.len()];
        for (place, &value) in self.values.iter().enumerate() {
            let Some(made) = self.function.instruction(value).filter(|_| self.is_varying(value))
            else {
                continue;
            };
            lengths[place] = match self.phi(value) {
                Some(_) => Some(0),
                None => {
                    let before =
                        made.operands.iter().filter_map(|of| lengths[self.at[of.index()]?]);
                    let computes = matches!(
                        made.op,
                        Op::Binary(..) | Op::Pure | Op::Select | Op::Extremum | Op::Load(_)
                    );
                    before.max().map(|length| length + usize::from(computes))
                }
            };
        }
        let nexts = self.values.iter().filter_map(|&value| self.phi(value)).flatten();
        nexts.filter_map(|next| lengths[self.at[next.index()]?]).max().unwrap_or(0)
    }

    /// Registers for what differs from item to item, but for what the header's phis are and become.
    fn width(&self) -> u64 {
        let mut last: Vec<usize> = (0..self.values.len()).collect();
        let mut is_next = vec![false; self.values.len()];
        for (place, &value) in self.values.iter().enumerate() {
            let Some(made) = self.function.instruction(value) else { continue };
            for of in made.operands.iter().filter_map(|of| self.at[of.index()]) {
                last[of] = last[of].max(place);
                is_next[of] |= self.phi(value).is_some();
            }
        }
        let mut needed = vec![0; self.values.len() + 1];
        for (place, &value) in self.values.iter().enumerate() {
            let is_kept = self.phi(value).is_some() || is_next[place];
            if !is_kept && self.is_varying(value) {
                let words = words(self.function.value(value).ty);
                (place..last[place]).for_each(|at| needed[at] += words);
            }
        }
        needed.into_iter().max().unwrap_or(0)
    }
}

/// Registers for a vector of items' values; addresses are in others.
fn words(ty: Type) -> u64 {
    if ty.space().is_some() { 0 } else { u64::from(ty.lanes) * u64::from(ty.bits.div_ceil(32)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::text::parse;

    /// A loop over what all items read, with `sums` and as many numbers of each item's own: it takes `steps` operations, one after
    /// the other, to add to each sum; `follows` makes the first of them wait for the iteration before.
    fn crowded(sums: usize, steps: usize, follows: bool, registers: u64) -> bool {
        let of = |one: &dyn Fn(usize) -> String| (0..sums).map(one).collect::<String>();
        let begin = if follows { "%s0" } else { "%o" };
        let function = parse(&format!(
            "kernel k(a: global, b: global, n: i32)
            entry:
              %g = global_id 0
              %q = address %b %g*64
              {}
              jump head
            head:
              %k = phi [entry 0] [head %k1] : i32
              {}
              %w = sext %k : i64
              %p = address %a %w*16
              %o = load %p : f32x4
              {}
              {}
              {}
              %k1 = add.nsw %k 1
              %c = slt %k1 %n
              branch %c head done
            done:
              ret",
            of(&|at| format!("%h{at} = address %q {at}\n %m{at} = load %h{at} : f32\n")),
            of(&|at| format!("%s{at} = phi [entry 0] [head %t{at}] : f32\n")),
            of(&|at| format!("%d{at} = pure %o %m{at} : f32\n")),
            (0..steps)
                .map(|at| {
                    let before = if at == 0 { begin.to_string() } else { format!("%x{}", at - 1) };
                    format!("%x{at} = pure {before} %d0 : f32\n")
                })
                .collect::<String>(),
            of(&|at| format!("%t{at} = pure %s{at} %d{at} %x{} : f32\n", steps - 1)),
        ));
        let analysis = Analysis::new(&function);
        is_crowded(&function, &analysis, LoopId(0), registers)
    }

    #[test]
    fn many_sums_of_two_vectors_find_no_registers() {
        assert!(crowded(3, 8, false, 16));
        assert!(!crowded(3, 8, false, 32));
        assert!(!crowded(1, 8, false, 16));
    }

    #[test]
    fn vectors_that_would_be_waited_for_are_worth_being_stored() {
        assert!(crowded(3, 12, false, 16));
        assert!(!crowded(3, 12, true, 16));
    }
}
