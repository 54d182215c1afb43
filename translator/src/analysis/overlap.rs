//! Whether two accesses of one work-item may touch the same memory.
//!
//! Terms: an *object* is what an address leads into: an argument's buffer, a variable, an alloca. An argument is *distinct* if no
//! other argument leads to the memory that it leads to, where one of them writes there: the program says so (`restrict`), or the
//! launch (`disjoint`).
//! Sound: what is not known may overlap. What other items do between two accesses is not asked here.
//! Source: OpenCL C 3.0, section 6.7 (address spaces are disjoint); C99, section 6.7.3.1 (`restrict`).

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

    /// Whether what two roots lead to is different memory.
    fn are_apart(&self, a: ValueId, b: ValueId) -> bool {
        use ValueKind::{Argument, Global, Instruction};
        let [x, y] = [a, b].map(|root| self.function.value(root));
        let [space, other] = [x, y].map(|value| value.ty.space());
        match (space, other) {
            (Some(Space::Generic) | None, _) | (_, Some(Space::Generic) | None) => return false,
            (Some(space), Some(other)) if memory(space) != memory(other) => return true,
            _ => {}
        }
        let is_alloca = |kind: &ValueKind| matches!(kind, Instruction(it) if it.op == Op::Alloca);
        match (&x.kind, &y.kind) {
            _ if a == b => false,
            (Argument(one), Argument(two)) => {
                let is_distinct = |number: u32| self.distinct.get(number as usize) == Some(&true);
                space == Some(Space::Local) || is_distinct(*one) || is_distinct(*two)
            }
            (Argument(_), Global(_)) | (Global(_), Argument(_)) | (Global(_), Global(_)) => true,
            (one, two) => is_alloca(one) && is_alloca(two),
        }
    }
}

/// A buffer may be an argument that is `__global` and one that is `__constant`.
fn memory(space: Space) -> Space {
    if space == Space::Constant { Space::Global } else { space }
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
