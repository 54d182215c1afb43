//! Where addresses come from, through arithmetic, casts, phis and selects.
//!
//! Terms: the *roots* of a value are what it is computed from on its ways as an address: arguments, variables,
//! loaded pointers. A value that is not made of another address is its own root.
//! Method: one set for each value that has other roots than itself, shared along chains; phis grow until nothing
//! changes.

use std::rc::Rc;

use crate::view::{BlockId, Function, Instruction, Op, ValueId, ValueKind};

#[derive(Debug)]
pub struct Roots {
    /// By value: its roots, sorted; `None` if it is its own.
    of: Vec<Option<Rc<[ValueId]>>>,
}

impl Roots {
    /// `order` is a reverse post-order of the blocks.
    pub fn find(function: &Function, order: &[BlockId]) -> Roots {
        let mut found = Roots { of: vec![None; function.values.len()] };
        let nothing: Rc<[ValueId]> = Rc::new([]);
        for id in function.value_ids() {
            if let ValueKind::Part(of, _) = function.value(id).kind {
                found.of[id.index()] = Some(Rc::new([of]));
            }
        }
        let bodies = || order.iter().flat_map(|&block| function.body(block));
        for (id, instruction) in bodies() {
            if sources(instruction).is_some() {
                found.of[id.index()] = Some(nothing.clone());
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (id, instruction) in bodies() {
                let Some(sources) = sources(instruction) else { continue };
                let new = found.union(sources);
                if found.of[id.index()].as_deref() != Some(&*new) {
                    found.of[id.index()] = Some(new);
                    changed = true;
                }
            }
        }
        found
    }

    pub fn of(&self, value: ValueId) -> Vec<ValueId> {
        self.of[value.index()].as_deref().map_or_else(|| vec![value], <[ValueId]>::to_vec)
    }

    pub fn leads_to(&self, value: ValueId, root: ValueId) -> bool {
        match &self.of[value.index()] {
            Some(roots) => roots.binary_search(&root).is_ok(),
            None => value == root,
        }
    }

    fn union(&self, sources: &[ValueId]) -> Rc<[ValueId]> {
        if let &[source] = sources
            && let Some(roots) = &self.of[source.index()]
        {
            return roots.clone();
        }
        let mut all: Vec<ValueId> = sources.iter().flat_map(|&source| self.of(source)).collect();
        all.sort();
        all.dedup();
        all.into()
    }
}

/// The operands that an instruction takes its address from, if it makes one of others.
fn sources(instruction: &Instruction) -> Option<&[ValueId]> {
    match instruction.op {
        Op::Address { .. } | Op::Cast(_) => Some(&instruction.operands[..1]),
        Op::Phi(_) => Some(&instruction.operands),
        Op::Select => Some(&instruction.operands[1..]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::dominators;
    use crate::view::text::parse;

    #[test]
    fn addresses_come_from_arguments_through_loops_and_choices() {
        let text = "kernel k(a: global, b: global, n: i32)
            entry:
              %c = slt %n 0
              %s = select %c %a %b : global
              jump head
            head:
              %p = phi [entry %a] [head %q] : global
              %q = address %p +4
              %l = load %q : global
              %r = address %l +4
              %d = slt %n 1
              branch %d head done
            done:
              ret";
        let function = parse(text);
        let roots = Roots::find(&function, &dominators::order(&function));
        let of = |name| roots.of(Function::named(text, name));
        let [a, b] = [function.arguments[0], function.arguments[1]];
        assert_eq!((of("s"), of("q")), (vec![a, b], vec![a]));
        assert_eq!(of("r"), [Function::named(text, "l")]);
        assert!(roots.leads_to(Function::named(text, "s"), b));
        assert!(!roots.leads_to(Function::named(text, "p"), b));
    }
}
