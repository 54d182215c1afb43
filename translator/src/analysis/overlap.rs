//! Whether two addresses may lead to the same memory.
//!
//! Terms: an *object* is what an address leads into: an argument's buffer, a variable, an alloca. An argument is *distinct* if no
//! other argument leads to the memory that it leads to, where one of them writes there: the launch says so (`disjoint`), or, of
//! what one item does by itself, the program (`restrict`).
//! Sound: what is not known may overlap. [`relation`] is about objects, [`Overlap`] about accesses of one work-item, of which what
//! other items do in between is not asked.
//! Source: OpenCL C 3.0, section 6.7 (address spaces are disjoint; what is `__constant` does not change while a kernel runs); C99,
//! section 6.7.3.1 (`restrict`).

use super::roots::Roots;
use crate::view::{Function, Op, Space, ValueId, ValueKind};

pub struct Overlap<'a> {
    pub function: &'a Function,
    pub roots: &'a Roots,
    /// By number of the argument.
    pub distinct: &'a [bool],
}

/// Bytes from an address on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub address: ValueId,
    pub bytes: u64,
}

/// An address as values and a constant: the base and the indices, their scales, and what is added.
type Sum<'a> = (Vec<ValueId>, &'a [i64], i128);

impl Overlap<'_> {
    /// Of two addresses that are computed of the values of one moment.
    pub fn is_possible(&self, a: Place, b: Place) -> bool {
        let ((values_a, scales_a, at_a), (values_b, scales_b, at_b)) =
            (self.sum(a.address), self.sum(b.address));
        if (values_a, scales_a) == (values_b, scales_b) {
            return at_a < at_b + i128::from(b.bytes) && at_b < at_a + i128::from(a.bytes);
        }
        let (roots_a, roots_b) = (self.roots.of(a.address), self.roots.of(b.address));
        roots_a.iter().any(|&x| roots_b.iter().any(|&y| !self.are_apart(x, y)))
    }

    fn sum(&self, mut address: ValueId) -> Sum<'_> {
        let mut offset = 0;
        while let Some(instruction) = self.function.instruction(address) {
            let Op::Address { constant, scales, .. } = &instruction.op else { break };
            offset += i128::from(*constant);
            if !scales.is_empty() {
                return (instruction.operands.clone(), scales, offset);
            }
            address = instruction.operands[0];
        }
        (vec![address], &[], offset)
    }

    fn are_apart(&self, a: ValueId, b: ValueId) -> bool {
        relation(self.function, self.distinct, a, b) == Relation::Apart
    }
}

/// How the memory of two roots may be related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Apart,
    /// One object: addresses tell.
    Same,
    /// Two arguments of the kernel.
    Arguments,
    Unknown,
}

/// Whose memory a root leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    Alloca,
    Local,
    /// Constant memory is read alone.
    Constant,
    Argument(u32),
    Variable,
    /// In such an address space, if that is known.
    Unknown(Option<Space>),
}

/// Of two roots, for one item. `distinct`: by number of the argument.
pub fn relation(function: &Function, distinct: &[bool], a: ValueId, b: ValueId) -> Relation {
    use Memory::{Alloca, Argument, Constant, Unknown};
    let is_distinct = |number: u32| distinct.get(number as usize) == Some(&true);
    match (memory(function, a), memory(function, b)) {
        _ if a == b => Relation::Same,
        (Constant, _) | (_, Constant) => Relation::Apart,
        (Unknown(space), other) | (other, Unknown(space)) => match space.zip(other.space()) {
            Some((one, other)) if one != other => Relation::Apart,
            _ => Relation::Unknown,
        },
        (Argument(one), Argument(two)) => match is_distinct(one) || is_distinct(two) {
            true => Relation::Apart,
            false => Relation::Arguments,
        },
        (Argument(number), Memory::Variable) | (Memory::Variable, Argument(number)) => {
            if is_distinct(number) {
                Relation::Apart
            } else {
                Relation::Unknown
            }
        }
        (Alloca | Memory::Local | Memory::Variable | Argument(_), _) => Relation::Apart,
    }
}

impl Memory {
    const fn space(self) -> Option<Space> {
        match self {
            Memory::Alloca => Some(Space::Private),
            Memory::Local => Some(Space::Local),
            Memory::Constant | Memory::Argument(_) | Memory::Variable => Some(Space::Global),
            Memory::Unknown(space) => space,
        }
    }
}

fn memory(function: &Function, root: ValueId) -> Memory {
    let value = function.value(root);
    match (&value.kind, value.ty.space()) {
        (ValueKind::Instruction(made), _) if made.op == Op::Alloca => Memory::Alloca,
        (ValueKind::Argument(_) | ValueKind::Global(_), Some(Space::Local)) => Memory::Local,
        (ValueKind::Argument(_) | ValueKind::Global(_), Some(Space::Constant)) => Memory::Constant,
        (ValueKind::Argument(number), Some(Space::Global)) => Memory::Argument(*number),
        (ValueKind::Global(_), Some(Space::Global)) => Memory::Variable,
        (_, Some(Space::Generic)) => Memory::Unknown(None),
        (_, Some(Space::Constant)) => Memory::Unknown(Some(Space::Global)),
        (_, space) => Memory::Unknown(space),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::dominators;
    use crate::view::text::parse;

    const TEXT: &str = "kernel k(a: global, b: global, s: local, t: local, n: i64)
        entry:
          %p = address %a %n*4
          %q = address %p +4
          %r = address %a %n*4 +4
          %o = address %a +8
          %x = address %b %n*4
          %c = slt %n 3
          %m = select %c %a %b : global
          %l = load %p : global
          ret";

    fn possible(distinct: [bool; 2], a: (&str, u64), b: (&str, u64)) -> bool {
        let function = parse(TEXT);
        let roots = Roots::find(&function, &dominators::order(&function));
        let overlap = Overlap { function: &function, roots: &roots, distinct: &distinct };
        let place = |(name, bytes)| Place { address: Function::named(TEXT, name), bytes };
        overlap.is_possible(place(a), place(b))
    }

    #[test]
    fn constants_beside_the_same_values_decide() {
        assert!(possible([false; 2], ("p", 8), ("r", 4)));
        assert!(!possible([false; 2], ("p", 4), ("r", 4)));
        assert!(possible([true; 2], ("r", 4), ("o", 4)), "of one buffer, by an unknown index");
    }

    #[test]
    fn buffers_overlap_but_for_those_that_are_distinct() {
        assert!(possible([false; 2], ("p", 4), ("x", 4)));
        assert!(!possible([true, false], ("p", 4), ("x", 4)));
        assert!(!possible([false, true], ("p", 4), ("x", 4)));
        assert!(possible([true; 2], ("m", 4), ("x", 4)), "it may be this one");
        assert!(possible([true; 2], ("l", 4), ("x", 4)), "a pointer from memory leads anywhere");
    }

    #[test]
    fn address_spaces_and_local_arguments_are_apart() {
        assert!(!possible([false; 2], ("s", 4), ("p", 4)));
        assert!(!possible([false; 2], ("s", 4), ("t", 4)));
        assert!(possible([false; 2], ("s", 4), ("s", 4)));
    }
}
