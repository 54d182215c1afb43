//! Along which dimensions neighbouring work-groups load the same memory in loops.
//!
//! Terms: a value *tells* a dimension if it may be another one in the next group along that dimension: it is computed from the
//! global or the group's id there. A load *serves* groups along a dimension if its address does not tell that, but one before it: row
//! after row of groups comes back to what the load touches, and other groups come between.
//! Meaning: how a launch goes through its groups, so it may err. What an item or a group keeps for itself tells all dimensions;
//! which way an item came by is not looked at.

use super::access::{Access, AccessKind, Class, Stride};
use crate::view::{BlockId, Callee, Function, Instruction, Op, Space, TypeKind, ValueId, WorkItem};

/// A set of dimensions: bit d is dimension d.
type Dimensions = u8;

const NONE: Dimensions = 0;
const ALL: Dimensions = 0b111;

/// The dimensions along which a load serves groups, of those that the kernel asks about. `accesses`: those in loops, and their classes
/// there. `order` is a reverse post-order of the blocks, `names` what the launch calls the kernel's dimensions.
pub fn dimensions<'a>(
    function: &Function,
    order: &[BlockId],
    names: [usize; 3],
    accesses: impl Iterator<Item = (&'a Access, Class)>,
) -> Vec<u8> {
    let told = told(function, order, names);
    let moves = |&(access, class): &(&Access, Class)| {
        access.kind == AccessKind::Load
            && class.iteration != Stride::Zero
            && is_global(function, access.pointer)
    };
    let loads: Vec<_> = accesses.filter(moves).map(|(it, _)| told[it.pointer.index()]).collect();
    let serves = |told: Dimensions, at: u8| told >> at & 1 == 0 && told & ((1 << at) - 1) != NONE;
    let asked = asked(function, order, names);
    let dimensions = (1..3).filter(|&at| asked >> at & 1 != 0);
    dimensions.filter(|&at| loads.iter().any(|&told| serves(told, at))).collect()
}

fn is_global(function: &Function, pointer: ValueId) -> bool {
    let kind = function.value(pointer).ty.kind;
    matches!(kind, TypeKind::Pointer(Space::Global | Space::Constant))
}

/// The dimensions that the kernel asks about.
fn asked(function: &Function, order: &[BlockId], names: [usize; 3]) -> Dimensions {
    let bodies = order.iter().flat_map(|&block| function.body(block));
    let questions = bodies.filter_map(|(_, instruction)| match instruction.op {
        Op::Call(Callee::WorkItem(asked)) => Some(answer(function, instruction, asked, names)),
        _ => None,
    });
    questions.fold(NONE, |all, told| all | told)
}

fn answer(
    function: &Function,
    call: &Instruction,
    asked: WorkItem,
    names: [usize; 3],
) -> Dimensions {
    match asked {
        WorkItem::GlobalId | WorkItem::GroupId => {
            let dimension = call.operands.first().and_then(|&at| function.integer(at));
            let name = |at: i64| usize::try_from(at).ok().and_then(|at| names.get(at));
            dimension.map_or(ALL, |at| name(at).map_or(NONE, |name| 1 << name))
        }
        WorkItem::GlobalLinearId => ALL,
        _ => NONE,
    }
}

/// By value: what it tells. Grows until nothing changes, as loops carry it round.
fn told(function: &Function, order: &[BlockId], names: [usize; 3]) -> Vec<Dimensions> {
    let mut told = vec![NONE; function.values.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (id, instruction) in order.iter().flat_map(|&block| function.body(block)) {
            let new = tells(function, instruction, names, &told);
            changed |= new != told[id.index()];
            told[id.index()] = new;
        }
    }
    told
}

fn tells(
    function: &Function,
    instruction: &Instruction,
    names: [usize; 3],
    told: &[Dimensions],
) -> Dimensions {
    let operands = || instruction.operands.iter().fold(NONE, |all, it| all | told[it.index()]);
    match instruction.op {
        Op::Call(Callee::WorkItem(asked)) => answer(function, instruction, asked, names),
        Op::Load(_) if instruction.operands.iter().all(|&it| is_global(function, it)) => operands(),
        Op::Load(_) | Op::Atomic | Op::Call(_) | Op::Other => ALL,
        _ => operands(),
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::Analysis;
    use crate::view::text::parse;

    const NOWHERE: [u8; 0] = [];

    /// Of a kernel that loads in a loop over `%k`, from the address that these lines make.
    fn served(address: &str) -> Vec<u8> {
        let text = format!(
            "kernel k(a: global, n: i32)
            entry:
              %x = global_id 0 : i32
              %y = global_id 1 : i32
              %g = group_id 1 : i32
              %l = local_id 1 : i32
              jump loop
            loop:
              %k = phi [entry 0] [loop %k1] : i32
              {address}
              %v = load %p : f32
              %k1 = add.nsw %k 1
              %c = slt %k1 %n
              branch %c loop done
            done:
              ret"
        );
        let function = parse(&text);
        Analysis::new(&function).serving(&function, [0, 1, 2])
    }

    #[test]
    fn columns_serve_the_rows_of_groups_below() {
        let column = "%r = mul %k %n\n %i = add %r %x\n %p = address %a %i*4";
        assert_eq!(served(column), [1]);
        let tile = "%s = add %k %l\n %r = mul %s %n\n %i = add %r %x\n %p = address %a %i*4";
        assert_eq!(served(tile), [1], "each item of a group loads from one row of it");
    }

    #[test]
    fn what_differs_or_never_moves_serves_none() {
        let row = "%r = mul %y %n\n %i = add %r %k\n %p = address %a %i*4";
        assert_eq!(served(row), NOWHERE, "the groups of one row");
        let of_planes = format!("%z = global_id 2 : i32\n %s = address %a %z*4\n {row}");
        assert_eq!(served(&of_planes), [2]);
        let own = "%r = mul %g %n\n %s = add %r %x\n %i = add %s %k\n %p = address %a %i*4";
        assert_eq!(served(own), NOWHERE, "no other row of groups");
        assert_eq!(served("%p = address %a %k*4"), NOWHERE, "all groups load it, as they come");
        assert_eq!(served("%p = address %a %x*4"), NOWHERE, "it does not move");
        let told = "%q = address %a %y*4\n %j = load %q : i32\n %i = add %j %x\n %m = add %i %k\n %p = address %a %m*4";
        assert_eq!(served(told), NOWHERE, "memory tells what its address does");
    }
}
