//! Kernels whose items gain nothing from each other's company: they run one after the other, each to its end, and the
//! vectors of the program stay whole. A pure decision.
//!
//! Two kinds: a group is a single item; or the program computes in vectors that fill the machine's, such as `uint16`
//! on one of 512 bits, or that are longer than a row of the group, such as `float8` in groups of 2 x 2. Taken apart, those would
//! need a register for each number of an item, which no machine has, and the loads that bring sixteen numbers at once would
//! gather them one by one. An item's vector is a whole line of the cache, too, so that neither order of items shares lines.

use super::decide::Reason;
use crate::analysis::Analysis;
use crate::analysis::loops::LoopId;
use crate::view::{BlockId, Function, Op, Type, TypeKind, ValueId};

/// Iterations that a loop is taken to have, where nobody knows, and at most.
const TRIPS: u64 = 8;
const MOST_TRIPS: i64 = 64;
/// Loops deeper than this count no more than it.
const DEEPEST: usize = 4;
/// An instruction for a whole vector; one for a part of it counts less.
const WHOLE: u64 = 64;

/// Why items run apart, `None` if they do not; `vector_bits` are the machine's.
pub fn apart(function: &Function, analysis: &Analysis, vector_bits: u32) -> Option<Reason> {
    let alone = function.local_size.is_some_and(|size| size.iter().product::<u64>() == 1);
    let fills = || fills_vectors(function, analysis, vector_bits);
    if alone {
        Some(Reason::OneItem)
    } else if fills() {
        Some(Reason::OwnVectors)
    } else {
        None
    }
}

/// Whether at least half of what the items do, each for itself, is done in vectors as wide as the machine's, or longer than rows.
fn fills_vectors(function: &Function, analysis: &Analysis, vector_bits: u32) -> bool {
    let trips = |id: LoopId| match analysis.trips(id).and_then(|trips| trips.count.as_constant()) {
        Some(count) => count.clamp(1, MOST_TRIPS) as u64,
        None => TRIPS,
    };
    let weight =
        |block: BlockId| analysis.loops.around(block).take(DEEPEST).map(trips).product::<u64>();
    // A vector of a short row's items is half as long at most.
    let row = function.local_size.map(row);
    let fills_row = |lanes: u32| row.is_some_and(|items| u64::from(lanes) >= 2 * items);
    let is_wide = |id: ValueId| {
        let ty = function.value(id).ty;
        let fills = ty.bits * ty.lanes >= vector_bits || fills_row(ty.lanes);
        is_number(ty) && ty.lanes > 1 && fills
    };
    // What is made of one number of such a vector is made of the others, too, and becomes a vector again.
    let mut parts = vec![None; function.values.len()];
    let (mut whole, mut all) = (0, 0);
    for block in function.block_ids() {
        for (id, at) in function.body(block) {
            let of = |&it: &ValueId| match is_wide(it) {
                true => Some(function.value(it).ty.lanes),
                false => parts[it.index()],
            };
            let made = match at.op {
                Op::Binary(..) | Op::Select | Op::Extremum | Op::Pure | Op::Load(_) => id,
                Op::Store(_) => at.operands[0],
                _ => continue,
            };
            let part = at.operands.iter().find_map(of).filter(|_| !is_wide(made));
            parts[id.index()] = part;
            let ty = function.value(made).ty;
            if is_number(ty) && !(ty.lanes == 1 && analysis.is_uniform(id)) {
                let times = WHOLE * weight(block) / u64::from(part.unwrap_or(1));
                all += times;
                whole += if part.is_some() || is_wide(made) { times } else { 0 };
            }
        }
    }
    whole > 0 && 2 * whole >= all
}

/// How many items follow each other in groups of this size: a row of one item is no row ([`crate::kernel::turn`]).
fn row([x, y, z]: [u64; 3]) -> u64 {
    if x == 1 { y.max(z) } else { x }
}

const fn is_number(ty: Type) -> bool {
    matches!(ty.kind, TypeKind::Integer | TypeKind::Float)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::text::parse;

    /// A loop that turns `word` numbers round and adds them up, for groups of `size` items.
    fn sums(word: &str, size: &str) -> Option<Reason> {
        let function = parse(&format!(
            "kernel k(a: global, n: i64) {size}
            entry:
              %g = global_id 0
              %p = address %a %g*64
              %x = load %p : {word}
              jump head
            head:
              %k = phi [entry 0] [head %k1]
              %s = phi [entry %x] [head %t] : {word}
              %r = pure %s : {word}
              %t = add %r %x : {word}
              %k1 = add %k 1
              %c = slt %k1 %n
              branch %c head done
            done:
              store %t %p
              ret"
        ));
        apart(&function, &Analysis::new(&function), 512)
    }

    #[test]
    fn vectors_as_wide_as_the_machines_stay_whole() {
        assert_eq!(sums("i32x16", ""), Some(Reason::OwnVectors));
        assert_eq!(sums("f64x8", "size 64 1 1"), Some(Reason::OwnVectors));
        for narrower in ["f32x8", "f32x4", "f32"] {
            assert_eq!(sums(narrower, ""), None, "{narrower}");
        }
    }

    #[test]
    fn vectors_twice_as_long_as_a_row_stay_whole() {
        assert_eq!(sums("f32x8", "size 4 4 1"), Some(Reason::OwnVectors));
        assert_eq!(sums("f32x4", "size 2 2 1"), Some(Reason::OwnVectors));
        assert_eq!(sums("f32x4", "size 4 4 1"), None);
        assert_eq!(sums("f32x4", "size 1 4 1"), None);
        assert_eq!(sums("f32x8", "size 1 1 4"), Some(Reason::OwnVectors));
        assert_eq!(sums("f32", "size 2 2 1"), None);
    }

    /// What was a function of a vector is a row of functions of its numbers.
    #[test]
    fn parts_of_a_vector_count_as_parts() {
        let parts: String = (0..32)
            .map(|n| format!("%e{n} = pure %x : f32\n %a{n} = add %e{n} %e{n} : f32\n"))
            .collect();
        let function = parse(&format!(
            "kernel k(a: global)
            entry:
              %g = global_id 0
              %p = address %a %g*64
              %x = load %p : f32x16
              {parts}
              %y = pure %a0 %a31 : f32x16
              store %y %p
              ret"
        ));
        assert_eq!(apart(&function, &Analysis::new(&function), 512), Some(Reason::OwnVectors));
        assert_eq!(apart(&function, &Analysis::new(&function), 1024), None);
    }

    #[test]
    fn a_single_item_has_no_company() {
        assert_eq!(sums("f32", "size 1 1 1"), Some(Reason::OneItem));
        assert_eq!(sums("f32", "size 1 2 1"), None);
    }
}
