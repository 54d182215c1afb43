//! Short loops that walk through an item's own arrays are to be written out: an array becomes registers only where each of its
//! indices is a number that is known.
//!
//! LLVM writes out most of such loops by itself, but not
//! - nests in which an inner loop begins where the outer one stands (`for p, for q = p + 1: m[p][q]`): LLVM looks at inner loops
//!   first, whose number of iterations is known only when the outer ones are written out;
//! - permutations (`lanes[next[i]]`, where `next` is a table of constants): LLVM asks how long a loop becomes, before it knows that
//!   the accesses vanish;
//! - and of more than [`FEW_ITERATIONS`];
//! - and those that become long, such as turns of complex numbers by sines and cosines, whatever is gained by it.
//!
//! The same is done for loops with a `switch` by their counter (the eight directions from a place of a board): each iteration is left
//! with one of its cases. LLVM sees that of innermost loops alone.
//!
//! Method: a *counter* is a phi that begins at a number, or at another counter, and goes on by a number until it reaches one.
//! Such loops are marked if their counter leads to an index of a small array of the item, or decides a switch, and what they become is
//! not too long.

use super::known_indices;
use crate::ir::cfg::Flow;
use crate::llvm::{Block, Context, Function, IntPredicate, Metadata, Module, Opcode, Type, Value};

/// LLVM's pass that writes out what is marked, and nothing else: twice, for loops that begin where another one stands.
pub const PASSES: &str = "function(\
    loop-unroll<O3;full-unroll-max=0;no-partial;no-peeling;no-runtime;no-upperbound>,early-cse,simplifycfg,\
    loop-unroll<O3;full-unroll-max=0;no-partial;no-peeling;no-runtime;no-upperbound>)";

const LOOP: &str = "llvm.loop";
const MARK: &str = "llvm.loop.unroll.full";
const PARTS: &str = "llvm.loop.unroll.count";
/// What `#pragma unroll 1` becomes.
const STAYS: &str = "llvm.loop.unroll.disable";
/// What a program says itself, of a loop that is to stay or to be written out in part, begins so.
const SAID: &str = "llvm.loop.unroll.";

/// Loops of so many are written out later, if they are short: [`crate::front::prepare`].
pub const FEW_ITERATIONS: i64 = 16;
const MOST_ITERATIONS: i64 = 32;
/// Elements of an array that may become registers.
const MOST_ELEMENTS: u64 = 64;
/// Instructions that a marked loop becomes.
const MOST_INSTRUCTIONS: u64 = 1000;
/// Instructions that LLVM lets a loop become.
const SHORT: u64 = 300;

/// A loop that counts by a number, to a number.
pub struct Loop {
    pub counter: Value,
    pub begin: Value,
    pub test: Test,
    /// Inside, the header first.
    pub blocks: Vec<Block>,
    pub latch: Block,
    /// Iterations, if the counter begins at a number.
    pub count: Option<i64>,
}

/// Whether a loop goes on: while the predicate holds for its counter, which gains `step`, and `bound`.
#[derive(Clone, Copy)]
pub struct Test {
    pub step: i64,
    pub predicate: IntPredicate,
    pub bound: i64,
}

/// Marks the loops of a module; whether there are any.
pub fn mark(module: &Module) -> bool {
    let mut any = false;
    for function in module.functions().into_iter().filter(|function| function.has_body()) {
        any |= mark_in(module.context(), function);
    }
    any
}

fn mark_in(context: Context, function: Function) -> bool {
    let loops = find(function);
    let ends = |phi: Value| {
        let own = loops.iter().find(|each| each.counter == phi);
        own.is_some_and(|own| own.count.is_some() && length(own, &loops) <= MOST_INSTRUCTIONS)
    };
    let mut marked: Vec<&Loop> = Vec::new();
    // Outer loops come first.
    for each in &loops {
        let follows = marked.iter().any(|outer| begins_at(each, outer));
        let is_led = each.count.is_some() && loops.iter().any(|inner| begins_at(inner, each));
        let becomes = length(each, &loops);
        let is_many = follows || is_led || each.count > Some(FEW_ITERATIONS);
        let is_long = each.count.is_some() && becomes > SHORT;
        let wanted = walks(each.counter).into_iter().any(|(walk, array)| match walk {
            Walk::ByTable => each.count.is_some(),
            Walk::Directly => is_many || is_long && known_indices::are_all(array, &ends),
        });
        let folds = each.count.is_some() && switches(each.counter) && has_inner(each);
        if (wanted || folds) && becomes <= MOST_INSTRUCTIONS && says_nothing(context, each) {
            marked.push(each);
        }
    }
    for each in &marked {
        let mark = context.metadata_node(&[context.metadata_text(MARK)]);
        let branch = each.latch.terminator().expect("a whole block");
        branch.set_metadata(context, LOOP, context.metadata_loop(&[mark]));
    }
    !marked.is_empty()
}

/// Loops of which the program says `#pragma unroll N`, so many iterations as one, and that have no more than N, are written out whole. In
/// parts, a loop of one iteration remains, which hides what it does from the analyses.
pub fn settle_parts(module: &Module) {
    let context = module.context();
    for function in module.functions().into_iter().filter(|function| function.has_body()) {
        for each in find(function) {
            let Some(count) = each.count else { continue };
            let branch = each.latch.terminator().expect("a whole block");
            let Some((parts, mut others)) = said_of_parts(context, branch) else { continue };
            if count as u64 <= parts {
                others.push(context.metadata_node(&[context.metadata_text(MARK)]));
                branch.set_metadata(context, LOOP, context.metadata_loop(&others));
            }
        }
    }
}

/// The N of a loop that ends with this branch, and what else is said of it.
fn said_of_parts(context: Context, branch: Value) -> Option<(u64, Vec<Metadata>)> {
    let parts =
        |property: &Metadata| match property.operands(context).first()?.text(context)?.as_str() {
            PARTS => property.values(context).last()?.unsigned(),
            STAYS => Some(1),
            _ => None,
        };
    // The first is the loop itself.
    let said: Vec<Metadata> = branch.metadata(context, LOOP)?.operands(context).split_off(1);
    let (counts, others): (Vec<Metadata>, Vec<Metadata>) =
        said.into_iter().partition(|property| parts(property).is_some());
    Some((parts(counts.first()?)?, others))
}

/// The loops of a function that count.
pub fn find(function: Function) -> Vec<Loop> {
    let flow = Flow::new(function.entry(), &|_| false);
    let headers = flow.blocks.iter().flat_map(|&header| header.phis());
    headers.filter_map(|phi| Loop::of(&flow, phi)).collect()
}

impl Loop {
    fn of(flow: &Flow, counter: Value) -> Option<Loop> {
        let header = counter.parent()?;
        let [one, other] = counter.incoming()[..] else { return None };
        let is_back = |(_, from): &(Value, Block)| flow.dominates(header, *from);
        let ((begin, _), (next, latch)) = match (is_back(&one), is_back(&other)) {
            (false, true) => (one, other),
            (true, false) => (other, one),
            _ => return None,
        };
        let test = header.terminator()?.condition()?;
        let predicate = test.int_predicate()?;
        if !next.is_opcode(Opcode::LLVMAdd)
            || next.operand(0) != counter
            || test.operand(0) != counter
        {
            return None;
        }
        let (step, bound) = (next.operand(1).signed()?, test.operand(1).signed()?);
        let test = Test { step, predicate, bound };
        let count = match begin.signed() {
            Some(begin) => Some(test.iterations(begin, MOST_ITERATIONS)?),
            None => None,
        };
        Some(Loop { counter, begin, test, blocks: inside(header, latch), latch, count })
    }

    pub fn contains(&self, other: &Loop) -> bool {
        self.blocks.contains(&other.blocks[0])
    }
}

impl Test {
    /// How often it holds for a counter that begins so; none if that is never or more than `most` times.
    pub fn iterations(self, begin: i64, most: i64) -> Option<i64> {
        use IntPredicate::*;
        let Test { step, predicate, bound } = self;
        let holds = |at: i64| match predicate {
            LLVMIntSLT => at < bound,
            LLVMIntSLE => at <= bound,
            LLVMIntSGT => at > bound,
            LLVMIntSGE => at >= bound,
            LLVMIntULT => (at as u64) < bound as u64,
            LLVMIntULE => at as u64 <= bound as u64,
            LLVMIntNE => at != bound,
            _ => false,
        };
        let at = |iteration: i64| step.checked_mul(iteration)?.checked_add(begin);
        let count = (0..=most).find(|&count| at(count).is_none_or(|at| !holds(at)))?;
        (count > 0 && at(count).is_some()).then_some(count)
    }
}

/// The blocks from which `latch` is reached without leaving by `header`, which comes first.
fn inside(header: Block, latch: Block) -> Vec<Block> {
    let mut blocks = vec![header];
    let mut rest = vec![latch];
    while let Some(block) = rest.pop() {
        if !blocks.contains(&block) {
            blocks.push(block);
            rest.extend(block.predecessors());
        }
    }
    blocks
}

/// Whether a loop's counter begins at the one of another loop, or a number away from it.
fn begins_at(each: &Loop, outer: &Loop) -> bool {
    let begin = each.begin;
    let away = begin.is_opcode(Opcode::LLVMAdd) && begin.operand(1).is_constant();
    begin == outer.counter || away && begin.operand(0) == outer.counter
}

/// Instructions, when it is written out and those loops inside it that may be.
fn length(each: &Loop, loops: &[Loop]) -> u64 {
    let times = |block: &Block| {
        let around =
            loops.iter().filter(|inner| each.contains(inner) && inner.blocks.contains(block));
        around
            .map(|inner| inner.count.or(each.count).unwrap_or(1) as u64)
            .fold(1, u64::saturating_mul)
    };
    let lengths = each
        .blocks
        .iter()
        .map(|block| times(block).saturating_mul(block.instructions().len() as u64));
    lengths.fold(0, u64::saturating_add)
}

/// Whether a loop has another one inside: LLVM does not see then what becomes of its cases.
fn has_inner(each: &Loop) -> bool {
    let is_back = |block: &Block, to: &Block| *to == each.blocks[0] && *block == each.latch;
    let flow = Flow::new(each.blocks[0], &|_| false);
    each.blocks.iter().any(|block| {
        let successors = block.successors();
        successors.iter().any(|to| {
            each.blocks.contains(to) && !is_back(block, to) && flow.dominates(*to, *block)
        })
    })
}

/// Whether a counter decides which case of a `switch` an iteration takes.
fn switches(counter: Value) -> bool {
    counter.users().into_iter().any(|user| user.is_opcode(Opcode::LLVMSwitch))
}

/// How a counter leads to an index of a small private array.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Walk {
    Directly,
    /// By way of a table of constants.
    ByTable,
}

/// Which arrays a counter leads to.
fn walks(counter: Value) -> Vec<(Walk, Value)> {
    use Opcode::*;
    let mut numbers = vec![(counter, Walk::Directly)];
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&(number, walk)) = numbers.get(at) {
        at += 1;
        for user in number.users() {
            let next = match user.opcode() {
                Some(LLVMGetElementPtr) if user.operand(0) != number => match user.root() {
                    table if known_indices::is_table(table) => Walk::ByTable,
                    array if is_small(array) => {
                        found.push((walk, array));
                        continue;
                    }
                    _ => continue,
                },
                Some(LLVMLoad | LLVMPHI | LLVMSExt | LLVMZExt | LLVMTrunc) => walk,
                Some(LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMURem | LLVMSRem) => walk,
                _ => continue,
            };
            if numbers.iter().all(|&(number, _)| number != user) {
                numbers.push((user, next));
            }
        }
    }
    found
}

fn is_small(array: Value) -> bool {
    array.allocated_type().is_some_and(|ty| elements(ty) <= MOST_ELEMENTS)
}

fn elements(ty: Type) -> u64 {
    ty.element().map_or(1, |element| ty.count().saturating_mul(elements(element)))
}

fn says_nothing(context: Context, each: &Loop) -> bool {
    let branch = each.latch.terminator().expect("a whole block");
    let Some(said) = branch.metadata(context, LOOP) else { return true };
    let texts = said.operands(context).into_iter().flat_map(|one| one.operands(context));
    !texts.into_iter().any(|text| text.text(context).is_some_and(|text| text.starts_with(SAID)))
}

#[cfg(test)]
mod tests {
    use super::IntPredicate::*;
    use super::*;

    #[test]
    fn iterations_are_counted_as_far_as_they_are_few() {
        let iterations = |begin, step, predicate, bound| {
            Test { step, predicate, bound }.iterations(begin, MOST_ITERATIONS)
        };
        assert_eq!(iterations(0, 1, LLVMIntSLT, 3), Some(3));
        assert_eq!(iterations(0, 5, LLVMIntSLT, 25), Some(5));
        assert_eq!(iterations(4, -1, LLVMIntSGE, 0), Some(5));
        assert_eq!(iterations(0, 1, LLVMIntULE, 31), Some(32));
        assert_eq!(iterations(0, 1, LLVMIntNE, 7), Some(7));
        assert_eq!(iterations(0, 1, LLVMIntULE, 32), None);
        assert_eq!(iterations(0, 2, LLVMIntNE, 7), None);
        assert_eq!(iterations(3, 1, LLVMIntSLT, 3), None);
        assert_eq!(iterations(0, i64::MAX, LLVMIntSGE, 0), None);
    }

    /// Whether the loop is marked that adds `length` times to each of eight numbers; `also` is done with the array at place `%by`.
    fn is_marked(length: usize, also: &str) -> bool {
        let sums: String =
            (1..=length).map(|at| format!("  %s{at} = add i32 %s{}, %by\n", at - 1)).collect();
        let text = format!(
            "define void @kernel(i32 %by) {{
            entry:
              %array = alloca [8 x i32]
              br label %head
            head:
              %at = phi i32 [ 0, %entry ], [ %next, %body ]
              %more = icmp slt i32 %at, 8
              br i1 %more, label %body, label %done
            body:
              %place = getelementptr [8 x i32], ptr %array, i32 0, i32 %at
              %s0 = load i32, ptr %place
            {sums}  store i32 %s{length}, ptr %place
              %next = add i32 %at, 1
              br label %head
            done:
              {also}
              ret void
            }}"
        );
        let module = Module::from_text(Context::new(), &text).expect("LLVM's assembly");
        mark(&module)
    }

    #[test]
    fn long_loops_are_marked_where_an_array_becomes_registers() {
        assert!(is_marked(50, ""));
        assert!(!is_marked(20, ""), "LLVM looks after it");
        assert!(!is_marked(200, ""), "too long");
        let anywhere = "%any = getelementptr [8 x i32], ptr %array, i32 0, i32 %by
              store i32 0, ptr %any";
        assert!(!is_marked(50, anywhere));
        assert!(is_marked(50, &anywhere.replace("i32 %by", "i32 7")));
        assert!(!is_marked(50, "store ptr %array, ptr null"));
    }

    /// Eight directions, and steps in each for as long as `%more` says; `switched`: the number that decides what a step is.
    fn are_directions_marked(switched: &str, steps: &str) -> bool {
        let text = format!(
            "define void @kernel(i32 %by, i1 %more, ptr %out) {{
            entry:
              br label %head
            head:
              %at = phi i32 [ 0, %entry ], [ %next, %latch ]
              %on = icmp slt i32 %at, 8
              br i1 %on, label %body, label %done
            body:
              switch i32 {switched}, label %other [ i32 0, label %first ]
            first:
              store i32 1, ptr %out
              br label %step
            other:
              store i32 2, ptr %out
              br label %step
            step:
              {steps}
            latch:
              %next = add i32 %at, 1
              br label %head
            done:
              ret void
            }}"
        );
        let module = Module::from_text(Context::new(), &text).expect("LLVM's assembly");
        mark(&module)
    }

    #[test]
    fn loops_are_marked_that_a_switch_goes_by_if_llvm_does_not_look_into_them() {
        const STEPS: &str = "br i1 %more, label %step, label %latch";
        assert!(are_directions_marked("%at", STEPS));
        assert!(!are_directions_marked("%by", STEPS));
        assert!(!are_directions_marked("%at", "br label %latch"), "LLVM looks after it");
    }
}
