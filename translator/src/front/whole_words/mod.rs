//! Short vectors of integers whose bits are one number, as that number.
//!
//! Hashes that were written for processors of 32 bits keep a word of 64 bits in a `uint2`, and turn it by
//! `as_uint2(rotate(as_ulong(x), n))`. Between such turns there are bit operations alone, which are the same for the whole word. As
//! vectors of two, each turn would put two registers together, and take them apart again.
//!
//! Method: values of one vector type that meet in bit operations, phis and selections are one *web*. A web becomes numbers if more of
//! its values are seen as a number than as a vector; those that are seen as vectors, by their components say, are turned back.

mod numbers;
mod web;

use std::collections::HashSet;

use self::web::{Web, seen_as_number};
use crate::group::regions::Region;
use crate::llvm::{Context, Function, Value};
use crate::vector::facts::graph::Graph;

/// LLVM's passes that take away casts there and back.
pub const PASSES: &str = "function(instsimplify)";

/// Lets webs of a kernel be numbers where that is less work; whether there is one.
pub fn apply(context: Context, kernel: Function) -> bool {
    let mut seen = HashSet::new();
    let seeds: Vec<Value> = kernel.instructions().filter_map(seen_as_number).collect();
    let webs: Vec<Web> = seeds.into_iter().filter_map(|seed| Web::of(seed, &mut seen)).collect();
    if webs.is_empty() {
        return false;
    }
    let graph = Graph::new(&Region::whole(kernel));
    let mut found = false;
    for web in webs.iter().filter(|web| web.pays(&|value| often(graph.as_ref(), value))) {
        numbers::make(context, kernel, web);
        found = true;
    }
    found
}

/// How often a value may be made, for one time that the kernel runs: a loop has eight iterations.
fn often(graph: Option<&Graph>, value: Value) -> u64 {
    let block = value.is_instruction().then(|| value.parent()).flatten();
    let depth =
        graph.zip(block).and_then(|(graph, block)| Some(graph.depth(graph.number_of(block)?)));
    8_u64.saturating_pow(depth.unwrap_or(0).min(8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::tested;
    use crate::llvm::Opcode;

    /// What a function of this body does after the pass, and whether it found something.
    fn opcodes(body: &str) -> (bool, Vec<Opcode>) {
        let text = format!(
            "define void @kernel(ptr %at, i32 %x, <2 x i32> %v, i1 %c) {{ {body} }}
            declare i64 @llvm.fshl.i64(i64, i64, i64)"
        );
        tested::opcodes(&text, apply, PASSES)
    }

    #[test]
    fn a_word_of_a_hash_is_one_number() {
        use Opcode::*;
        let (found, left) = opcodes(
            "%a = load <2 x i32>, ptr %at, align 8
            %b = xor <2 x i32> %a, <i32 5, i32 7>
            %n = bitcast <2 x i32> %b to i64
            %t = call i64 @llvm.fshl.i64(i64 %n, i64 %n, i64 9)
            %w = bitcast i64 %t to <2 x i32>
            %m = and <2 x i32> %w, %b
            %s = shufflevector <2 x i32> %m, <2 x i32> poison, <2 x i32> <i32 1, i32 0>
            store <2 x i32> %s, ptr %at, align 8
            ret void",
        );
        assert!(found);
        assert_eq!(left, [LLVMLoad, LLVMXor, LLVMCall, LLVMAnd, LLVMCall, LLVMStore, LLVMRet]);
    }

    #[test]
    fn phis_of_words_are_phis_of_numbers() {
        let (found, left) = opcodes(
            "br label %head
            head:
            %a = phi <2 x i32> [ zeroinitializer, %0 ], [ %w, %head ]
            %n = bitcast <2 x i32> %a to i64
            %t = call i64 @llvm.fshl.i64(i64 %n, i64 %n, i64 9)
            %w = bitcast i64 %t to <2 x i32>
            br i1 %c, label %head, label %done
            done:
            store <2 x i32> %a, ptr %at, align 8
            ret void",
        );
        assert!(found && !left.contains(&Opcode::LLVMBitCast), "{left:?}");
    }

    #[test]
    fn what_is_seen_by_components_stays() {
        let (found, _) = opcodes(
            "%a = load <2 x i32>, ptr %at, align 8
            %b = xor <2 x i32> %a, %v
            %n = bitcast <2 x i32> %b to i64
            store i64 %n, ptr %at, align 8
            %c0 = extractelement <2 x i32> %b, i32 0
            store i32 %c0, ptr %at, align 4
            ret void",
        );
        assert!(!found);
    }

    #[test]
    fn a_vector_that_lacks_a_component_gives_a_number_of_any_bits() {
        let (found, left) = opcodes(
            "%half = insertelement <2 x i32> poison, i32 %x, i32 0
            %b = xor <2 x i32> %half, splat (i32 1)
            %n = bitcast <2 x i32> %b to i64
            %m = bitcast <2 x i32> %b to i64
            %s = sub i64 %n, 3
            %t = mul i64 %m, %s
            store i64 %t, ptr %at, align 8
            ret void",
        );
        assert!(found && left.contains(&Opcode::LLVMFreeze), "{left:?}");
    }
}
