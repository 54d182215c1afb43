//! The memory accesses of a kernel, and how each strides.
//!
//! Terms: the *class* of an access in a loop is its stride from one work-item to the next (W) and from
//! one iteration to the next (L), each 0, 1 (the next element) or X (anything else, and unknown).
//! Work-items follow each other along the first dimension that has more than one. A stride counts as 1
//! up to the access's own size or 16 bytes, whichever is more: the members of a small structure are
//! as near as neighbours. Private memory is no access here: every item has its own.
//! Source: CGO'15, sections 3.2.1 and 3.2.2 (Kim et al., locality-centric thread scheduling).

use std::collections::HashSet;
use std::fmt;

use super::forms::{Axis, Forms};
use super::loops::{LoopId, Loops};
use super::roots::Roots;
use crate::view::{BlockId, Function, Instruction, Op, Space, ValueId, ValueKind};

/// A step of at most so many bytes stays near, whatever the size of the access: a quarter of a
/// cache line.
const NEAR_BYTES: u64 = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stride {
    Zero,
    One,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    pub work_item: Stride,
    pub iteration: Stride,
}

impl fmt::Display for Stride {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(match self {
            Stride::Zero => "0",
            Stride::One => "1",
            Stride::Other => "X",
        })
    }
}

impl fmt::Display for Class {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "W{}L{}", self.work_item, self.iteration)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    Load,
    Store,
    Atomic,
}

impl AccessKind {
    pub const fn name(self) -> &'static str {
        match self {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Access {
    pub instruction: ValueId,
    pub block: BlockId,
    pub pointer: ValueId,
    pub kind: AccessKind,
    pub bytes: u64,
    pub line: Option<u32>,
    /// What the address is computed from: pointer arguments, variables, loaded pointers.
    pub roots: Vec<ValueId>,
    /// Whether an access before it, in the same innermost loop, has the same address.
    pub again: bool,
}

/// What an instruction does to memory, at which address, and to how many bytes.
pub fn touched(
    function: &Function,
    id: ValueId,
    instruction: &Instruction,
) -> Option<(AccessKind, ValueId, u64)> {
    let (kind, pointer, moved) = match (&instruction.op, instruction.operands.as_slice()) {
        (Op::Load(_), &[pointer]) => (AccessKind::Load, pointer, id),
        (Op::Store(_), &[value, pointer]) => (AccessKind::Store, pointer, value),
        (Op::Atomic, &[pointer, value, ..]) => (AccessKind::Atomic, pointer, value),
        _ => return None,
    };
    Some((kind, pointer, function.value(moved).ty.bytes))
}

/// Every access to memory that items share, in the order of the blocks.
pub fn find(function: &Function, roots: &Roots) -> Vec<Access> {
    let mut found = Vec::new();
    for block in function.block_ids() {
        for (id, instruction) in function.body(block) {
            let Some((kind, pointer, bytes)) = touched(function, id, instruction) else { continue };
            let roots = roots.of(pointer);
            if !roots.iter().all(|&root| is_private(function, root)) {
                let line = function.value(id).line;
                let again = false;
                found.push(Access {
                    instruction: id,
                    block,
                    pointer,
                    kind,
                    bytes,
                    line,
                    roots,
                    again,
                });
            }
        }
    }
    found
}

/// Marks accesses whose address another one before them has.
pub fn mark_repeated(accesses: &mut [Access], forms: &Forms, loops: &Loops) {
    let mut seen = HashSet::new();
    for this in accesses {
        let Some(address) = forms.of(this.pointer) else { continue };
        this.again = !seen.insert((loops.innermost(this.block), address));
    }
}

fn is_private(function: &Function, root: ValueId) -> bool {
    let value = function.value(root);
    let variable = function.instruction(root).is_some_and(|made| made.op == Op::Alloca);
    variable
        || value.ty.space() == Some(Space::Private)
        || matches!(value.kind, ValueKind::Undefined)
}

/// The first dimension in which a group has more than one item.
pub fn innermost_dimension(function: &Function) -> u8 {
    let size = function.local_size.unwrap_or([0; 3]);
    size.iter().position(|&items| items != 1).unwrap_or(0) as u8
}

/// How an access strides in a loop around it.
pub fn classify(function: &Function, forms: &Forms, access: &Access, id: LoopId) -> Class {
    Class {
        work_item: from_item_to_item(function, forms, access),
        iteration: stride(forms, access, Axis::Loop(id)),
    }
}

/// How an access strides from one item to the next.
pub fn from_item_to_item(function: &Function, forms: &Forms, access: &Access) -> Stride {
    stride(forms, access, Axis::Item(innermost_dimension(function)))
}

fn stride(forms: &Forms, access: &Access, axis: Axis) -> Stride {
    let form = forms.of(access.pointer);
    let step = form.and_then(|form| forms.step(&form.polynomial, axis)?.as_constant());
    match step {
        Some(0) => Stride::Zero,
        Some(step) if step.unsigned_abs() <= access.bytes.max(NEAR_BYTES) => Stride::One,
        _ => Stride::Other,
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::Analysis;
    use crate::view::text::parse;

    /// The classes of the loads in the only loop of a kernel over `i` (the global id), k (the
    /// iteration) and n (an argument), whose body is `body`.
    fn classes(body: &str) -> String {
        let function = parse(&format!(
            "kernel k(a: global, b: global, n: i32)
            entry:
              %g = global_id 0
              %i = trunc %g : i32
              jump head
            head:
              %k = phi [entry 0] [body %next] : i32
              %c = slt %k %n
              branch %c body done
            body:
              {body}
              %next = add.nsw %k 1
              jump head
            done:
              ret"
        ));
        let analysis = Analysis::new(&function);
        let classes = analysis.loops.ids().flat_map(|id| analysis.classes(id).collect::<Vec<_>>());
        classes.map(|(_, class)| class.to_string()).collect::<Vec<_>>().join(" ")
    }

    fn class_of(index: &str) -> String {
        classes(&format!(
            "{index}
            %wide = sext %x : i64
            %p = address %a %wide*4
            %v = load %p : f32"
        ))
    }

    #[test]
    fn strides_of_sums_and_products() {
        assert_eq!(class_of("%x = add.nsw %i 0"), "W1L0");
        assert_eq!(class_of("%x = add.nsw %k 0"), "W0L1");
        assert_eq!(class_of("%x = add.nsw %k %i"), "W1L1");
        assert_eq!(class_of("%m = mul.nsw %i %n\n %x = add.nsw %m %k"), "WXL1");
        assert_eq!(class_of("%m = mul.nsw %k %n\n %x = add.nsw %m %i"), "W1LX");
        assert_eq!(class_of("%m = mul.nsw %k %n\n %x = mul.nsw %m %i"), "WXLX");
        assert_eq!(class_of("%x = sub.nsw %n %k"), "W0L1");
        assert_eq!(class_of("%x = mul.nsw %k 4"), "W0L1");
        assert_eq!(class_of("%x = mul.nsw %k 5"), "W0LX");
    }

    #[test]
    fn rules_for_what_has_no_linear_form() {
        assert_eq!(class_of("%s = add.nsw %i %k\n %x = srem %s %n"), "W1L1");
        assert_eq!(class_of("%x = sdiv %i %n"), "W0L0");
        assert_eq!(class_of("%m = mul.nsw %i %n\n %s = add.nsw %m %k\n %x = sdiv %s %n"), "W1L0");
        assert_eq!(class_of("%x = sdiv %i 16"), "W0L0");
        assert_eq!(class_of("%m = mul.nsw %i 32\n %x = lshr %m 4"), "W1L0");
        assert_eq!(class_of("%x = and %i 15"), "W1L0");
        assert_eq!(class_of("%o = add.nsw %k 1\n %t = slt %o %n\n %x = select %t %o 0"), "W0L1");
        assert_eq!(class_of("%o = add.nsw %k 1\n %x = min %o %n"), "W0L1");
        assert_eq!(class_of("%t = slt %i %n\n %x = select %t %i %k"), "WXLX");
    }

    #[test]
    fn what_is_loaded_strides_as_it_likes() {
        let indirect = "%g4 = address %b %g*4
            %j = load %g4 : i32
            %wide = sext %j : i64
            %p = address %a %wide*4
            %v = load %p : f32";
        assert_eq!(classes(indirect), "W1L0 WXL0");
        let listed = "%kw = sext %k : i64
            %k4 = address %b %kw*4
            %j = load %k4 : i32
            %wide = sext %j : i64
            %p = address %a %wide*4
            %v = load %p : f32";
        assert_eq!(classes(listed), "W0L1 W0LX");
    }

    #[test]
    fn private_memory_is_no_access() {
        assert_eq!(classes("%p = alloca\n %q = address %p %g*4\n %v = load %q : f32"), "");
    }

    #[test]
    fn items_follow_each_other_along_the_first_dimension_that_has_some() {
        let function = parse(
            "kernel k(a: global, n: i32) size 1 64 1
            entry:
              %y = global_id 1
              jump head
            head:
              %k = phi [entry 0] [head %next]
              %p = address %a %y*4
              %v = load %p : f32
              %next = add.nsw %k 1
              %c = slt %next %n
              branch %c head done
            done:
              ret",
        );
        let analysis = Analysis::new(&function);
        let id = analysis.loops.ids().next().unwrap();
        let (_, class) = analysis.classes(id).next().unwrap();
        assert_eq!(class.to_string(), "W1L0");
    }
}
