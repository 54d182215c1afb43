//! Branches by where items are: whether all of a vector go one way is told by its first and its last item.
//!
//! `if (item < reach)` and `if (x > 0 && x < n - 1)` compare numbers that grow from item to item with ones that all share. If
//! none of them wraps around, the last one is below it with all others, and the first one is not below it with none of them.
//! That is a comparison of two numbers, in place of one of vectors whose bits are counted. What is told may be less than what
//! is: then items are taken to part.
//! Not here: guessed strides, and items that are not all there.

use crate::llvm::{IntPredicate, Opcode, Value, predicates};
use crate::vector::emit::{Emitter, MOST_WHOLE};
use crate::vector::facts::graph::{Edge, Node};
use crate::vector::facts::state::Shape;

/// A condition, as far as it is made of comparisons.
pub enum Condition {
    /// The same for all.
    Shared(Value),
    Order(Comparison),
    Not(Box<Condition>),
    Both(Box<[Condition; 2]>, Join),
}

/// How two conditions are one.
#[derive(Clone, Copy)]
pub struct Join {
    /// One of them is enough.
    either: bool,
    /// Where the first decides, the second may be nothing at all.
    in_turn: bool,
}

/// A comparison of a number with a stride with one that all share, the stride's number first.
#[derive(Clone, Copy)]
pub struct Comparison {
    pub number: Value,
    pub other: Value,
    pub predicate: IntPredicate,
    pub stride: i64,
    /// Whether the number surely wraps around between no two items, in the order that it is compared by.
    stays: bool,
}

/// Whether a condition holds for all, and whether it holds for none; no value where that cannot be.
struct Told {
    all: Option<Value>,
    none: Option<Value>,
}

/// Edges that all items take, where a value says so, and the instructions that the vectors of their condition are made by.
pub struct Ends {
    pub edges: Vec<(Edge, Value)>,
    parts: Vec<Value>,
}

/// Instructions of a condition that is looked at.
const MOST_PARTS: usize = 16;

impl Emitter<'_> {
    /// For the edges out of a block whether all items of a whole vector take it, where the first and the last item tell. An
    /// edge that cannot be all items' is left out.
    pub fn by_order(&mut self, block: usize) -> Option<Ends> {
        let branch = self.graph.blocks[block].terminator()?;
        let targets: Vec<usize> =
            branch.successors().iter().filter_map(|&to| self.graph.number_of(to)).collect();
        let &[yes, no] = targets.as_slice() else { return None };
        let mut parts = Vec::new();
        let condition = self.condition_of(block, &mut parts)?;
        let Told { all, none } = self.told(&condition);
        let edge = |to, every: Option<Value>| Some((Edge { from: block, to }, every?));
        let edges = [edge(yes, all), edge(no, none)].into_iter().flatten().collect();
        Some(Ends { edges, parts })
    }

    /// Whether the first and the last item are asked where a block ends.
    pub fn asks_ends(&self, block: usize) -> bool {
        self.mask.is_none() && self.depth() < MOST_WHOLE && self.area(Node::Block(block)).is_some()
    }

    /// The instructions of a block that are only asked for where items part.
    pub fn late_parts(&self, block: usize) -> Vec<Value> {
        let mut parts = Vec::new();
        if !self.asks_ends(block) || self.condition_of(block, &mut parts).is_none() {
            return Vec::new();
        }
        let end = self.graph.blocks[block].terminator();
        // Each stands behind what it uses.
        let mut late: Vec<Value> = Vec::new();
        for &part in parts.iter().rev() {
            if part.users().iter().all(|user| Some(*user) == end || late.contains(user)) {
                late.push(part);
            }
        }
        late
    }

    /// Makes what was left out of the block, where items part.
    pub fn make_late(&mut self, ends: &Ends) {
        for &part in &ends.parts {
            if !self.here.contains_key(&part) {
                let form = self.instruction(part).expect("a condition has a value");
                self.here.insert(part, form);
            }
        }
    }

    /// What decides at the end of a block, and its parts.
    pub fn condition_of(&self, block: usize, parts: &mut Vec<Value>) -> Option<Condition> {
        let branch = self.graph.blocks[block].terminator()?;
        let parts_two_ways =
            branch.is_opcode(Opcode::LLVMBr) && self.graph.successors[block].len() == 2;
        let condition = branch.condition().filter(|_| parts_two_ways)?;
        self.parts_of(condition, block, parts)
    }

    /// None if a part is something else. `made` gets the instructions that are not the same for all, each behind what it uses.
    fn parts_of(&self, condition: Value, block: usize, made: &mut Vec<Value>) -> Option<Condition> {
        use Opcode::*;
        if self.is_shared(condition, block) {
            return Some(Condition::Shared(condition));
        }
        // What it is made of is known where it is.
        let is_here = condition.parent() == Some(self.graph.blocks[block]);
        if !is_here || made.len() >= MOST_PARTS || condition.ty().integer_bits() != 1 {
            return None;
        }
        let mut part = |index: usize| self.parts_of(condition.operand(index), block, made);
        let mut both = |a: usize, b: usize, join: Join| {
            Some(Condition::Both(Box::new([part(a)?, part(b)?]), join))
        };
        let at = |index: usize| condition.operand(index).unsigned();
        let found = match condition.opcode()? {
            LLVMICmp => self.comparison(condition, block).map(Condition::Order),
            LLVMAnd => both(0, 1, Join { either: false, in_turn: false }),
            LLVMOr => both(0, 1, Join { either: true, in_turn: false }),
            LLVMSelect if at(2) == Some(0) => both(0, 1, Join { either: false, in_turn: true }),
            LLVMSelect if at(1) == Some(1) => both(0, 2, Join { either: true, in_turn: true }),
            LLVMXor if at(1) == Some(1) => Some(Condition::Not(Box::new(part(0)?))),
            _ => None,
        };
        made.push(condition);
        found
    }

    fn is_shared(&self, value: Value, block: usize) -> bool {
        !value.is_instruction() || self.shape_at(value, block) == Shape::Uniform
    }

    fn comparison(&self, compare: Value, block: usize) -> Option<Comparison> {
        let predicate = compare.int_predicate()?;
        let (a, b) = (compare.operand(0), compare.operand(1));
        let (number, other, predicate) = match (self.is_shared(a, block), self.is_shared(b, block))
        {
            (false, true) => (a, b, predicate),
            (true, false) => (b, a, predicates::turned(predicate)),
            _ => return None,
        };
        let Shape::Strided(stride) = self.shape_at(number, block) else { return None };
        let state = self.facts.of(number);
        let bits = number.ty().integer_bits();
        let reach = self.reach(stride)?;
        let suits = bits > 0 && !state.guessed && (bits == 64 || reach >> bits == 0);
        let stays = state.stays(predicates::is_signed(predicate));
        suits.then_some(Comparison { number, other, predicate, stride, stays })
    }

    /// How far the last item is from the first.
    fn reach(&self, stride: i64) -> Option<i64> {
        stride.checked_abs()?.checked_mul(self.lanes as i64 - 1)
    }

    fn told(&mut self, condition: &Condition) -> Told {
        match condition {
            &Condition::Shared(value) => {
                let one = self.first_of(value);
                Told { all: Some(one), none: Some(self.builder.not(one)) }
            }
            Condition::Order(comparison) => self.told_by_ends(*comparison),
            Condition::Not(condition) => {
                let Told { all, none } = self.told(condition);
                Told { all: none, none: all }
            }
            Condition::Both(parts, join) => {
                let [a, b] = [self.told(&parts[0]), self.told(&parts[1])];
                match join.either {
                    true => Told {
                        all: self.one_of(a.all, b.all, *join),
                        none: self.both_of(a.none, b.none, *join),
                    },
                    false => Told {
                        all: self.both_of(a.all, b.all, *join),
                        none: self.one_of(a.none, b.none, *join),
                    },
                }
            }
        }
    }

    fn both_of(&self, a: Option<Value>, b: Option<Value>, join: Join) -> Option<Value> {
        Some(self.builder.and(a?, self.settled(b?, join)))
    }

    fn one_of(&self, a: Option<Value>, b: Option<Value>, join: Join) -> Option<Value> {
        let b = b.map(|b| self.settled(b, join));
        match (a, b) {
            (Some(a), Some(b)) => Some(self.builder.or(a, b)),
            (a, b) => a.or(b),
        }
    }

    fn settled(&self, second: Value, join: Join) -> Value {
        if join.in_turn { self.builder.freeze(second) } else { second }
    }

    /// What the least and the greatest of the numbers tell.
    fn told_by_ends(&mut self, comparison: Comparison) -> Told {
        use IntPredicate::*;
        let Comparison { number, other, predicate, stride, stays } = comparison;
        let (first, other) = (self.first_of(number), self.first_of(other));
        let ty = first.ty();
        let builder = &self.builder;
        let reach = self.reach(stride).expect("one that suits");
        let last = builder.add(first, ty.signed(if stride < 0 { -reach } else { reach }));
        let (least, greatest) = if stride < 0 { (last, first) } else { (first, last) };
        if matches!(predicate, LLVMIntEQ | LLVMIntNE) {
            // One of them is the other only if that is no farther from the least than the greatest is.
            let apart = builder.sub(other, least);
            let far = Some(builder.compare(LLVMIntUGT, apart, ty.signed(reach)));
            return match predicate {
                LLVMIntEQ => Told { all: None, none: far },
                _ => Told { all: far, none: None },
            };
        }
        let below = matches!(predicate, LLVMIntSLT | LLVMIntSLE | LLVMIntULT | LLVMIntULE);
        let (for_all, for_none) = if below { (greatest, least) } else { (least, greatest) };
        let all = builder.compare(predicate, for_all, other);
        let none = builder.compare(predicates::opposite(predicate), for_none, other);
        if stays {
            return Told { all: Some(all), none: Some(none) };
        }
        let order = if predicates::is_signed(predicate) { LLVMIntSLE } else { LLVMIntULE };
        let ordered = builder.compare(order, least, greatest);
        Told { all: Some(builder.and(ordered, all)), none: Some(builder.and(ordered, none)) }
    }
}
