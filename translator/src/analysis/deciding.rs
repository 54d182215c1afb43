//! Which branches decide whether a barrier is reached.
//!
//! Terms: a branch *decides* if a barrier may come on one of its ways before they have all met again (its immediate
//! post-dominator). It does so for *certain* if there is a way on which the barrier must come; else a barrier is only
//! *possible*: it is in a loop that may run no times, or behind another branch.
//! Method: the branches on which the blocks of barriers depend by control, and again those on which these depend, until there
//! are no more. A block on the path from a way up the post-dominator tree to where all have met is run whenever that
//! way is taken.
//! Who differs at a branch keeps a barrier from nobody if it is behind one of the ways alone ([`is_on_one_way`]): whoever takes
//! another one does not come to it before all have met. Where several ways lead to it (`if (a || b) barrier()`, a `break` of all
//! items inside of what some do), items that took different ones may come to it together.
//! Source: Cytron et al. 1991, section 3: control dependence is the iterated frontier of post-dominance.

use super::dominators::Tree;
use super::loops::{LoopId, Loops};
use crate::view::{BlockId, Function};

/// The blocks whose branches decide.
#[derive(Debug)]
pub struct Deciding {
    pub certain: Vec<BlockId>,
    pub possible: Vec<BlockId>,
}

impl Deciding {
    /// `post` are the post-dominators of `function`.
    pub fn find(function: &Function, post: &Tree) -> Deciding {
        let mut counts: Vec<bool> =
            function.block_ids().map(|block| function.has_barrier(block)).collect();
        let certain = depending(function, post, &counts);
        let (mut possible, mut new) = (Vec::new(), certain.clone());
        let mut known = vec![false; counts.len()];
        while !new.is_empty() {
            for block in &new {
                counts[block.index()] = true;
                known[block.index()] = true;
            }
            new = depending(function, post, &counts);
            new.retain(|block| !known[block.index()]);
            possible.extend(&new);
        }
        possible.sort();
        Deciding { certain, possible }
    }
}

/// The blocks whose branches have one that `counts` on one of their ways but not on all.
fn depending(function: &Function, post: &Tree, counts: &[bool]) -> Vec<BlockId> {
    // By block: how many there are on every way from it to the end, the block included.
    let mut ahead = vec![0; function.blocks.len()];
    for &block in post.downwards() {
        let behind = post.parent(block).map_or(0, |next| ahead[next.index()]);
        ahead[block.index()] = behind + usize::from(counts[block.index()]);
    }
    let depends = |&block: &BlockId| {
        let met = post.parent(block);
        let more = |way: &BlockId| {
            let behind = met.filter(|&end| post.dominates(end, *way));
            ahead[way.index()] > behind.map_or(0, |end| ahead[end.index()])
        };
        let Some((_, end)) = function.terminator(block) else { return false };
        let ways = &function.block(block).successors;
        !end.operands.is_empty() && ways.len() > 1 && ways.iter().any(more)
    };
    function.block_ids().filter(depends).collect()
}

/// Whether only one way of a branch leads to each barrier that may come before all have met at `meeting`. All items run a loop with
/// a barrier equally often, up to the barrier: what comes after another iteration of it is not on the way.
pub fn is_on_one_way(
    function: &Function,
    loops: &Loops,
    branch: BlockId,
    meeting: BlockId,
) -> bool {
    let around: Vec<LoopId> = loops.around(branch).collect();
    // The barriers that are in none of the loops around the branch, in the outermost, and so on.
    (0..=around.len()).all(|first| {
        let holding = &around[first..];
        let inside = |block| around.iter().position(|&id| loops.get(id).contains(block));
        let ends = |block: BlockId| {
            block == meeting || holding.iter().any(|&id| loops.get(id).header == block)
        };
        let mut known = vec![false; function.blocks.len()];
        function.ways(branch).into_iter().all(|way| {
            let barriers = function.behind(way, &ends).into_iter().filter(|&block| {
                function.has_barrier(block) && inside(block).unwrap_or(around.len()) == first
            });
            let mut barriers =
                barriers.map(|block| !std::mem::replace(&mut known[block.index()], true));
            barriers.all(|is_new| is_new)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::text::parse;

    /// The branches that decide for certain, and those that possibly do.
    fn found(body: &str) -> (Vec<u32>, Vec<u32>) {
        let function = parse(&format!("kernel k(n: i64, c: i1)\n{body}"));
        let found = Deciding::find(&function, &Tree::post_dominators(&function));
        let numbers = |blocks: Vec<BlockId>| blocks.iter().map(|block| block.0).collect();
        (numbers(found.certain), numbers(found.possible))
    }

    const LOOP: &str = "head:
          %k = phi [before 0] [body %next] : i64
          %more = slt %k %n
          branch %more body done
        body:
          barrier
          %next = add %k 1
          jump head
        done:";

    #[test]
    fn a_branch_around_a_loop_with_a_barrier_possibly_decides() {
        let body = format!(
            "entry:
              branch %c before other
            before:
              jump head
            {LOOP}
              jump end
            other:
              jump end
            end:
              barrier
              ret"
        );
        assert_eq!(found(&body), (vec![2], vec![0]));
    }

    #[test]
    fn a_branch_in_front_of_a_barrier_decides_for_certain() {
        let body = "entry:
              branch %c inside end
            inside:
              branch %c some end
            some:
              barrier
              jump end
            end:
              ret";
        assert_eq!(found(body), (vec![1], vec![0]));
        let after = "entry:
              branch %c inside end
            inside:
              jump end
            end:
              barrier
              ret";
        assert_eq!(found(after), (vec![], vec![]));
    }

    #[test]
    fn a_loop_around_a_loop_with_a_barrier_possibly_decides() {
        let body = format!(
            "entry:
              jump outer
            outer:
              branch %c before end
            before:
              jump head
            {LOOP}
              jump outer
            end:
              ret"
        );
        assert_eq!(found(&body), (vec![3], vec![1]));
    }

    /// Whether only one way of the first branch leads to each barrier.
    fn one_way(body: &str) -> bool {
        let function = parse(&format!("kernel k(n: i64, c: i1)\n{body}"));
        let post = Tree::post_dominators(&function);
        let loops = Loops::find(&function, &Tree::dominators(&function));
        let branch = function.block_ids().find(|&block| function.block(block).successors.len() > 1);
        let branch = branch.expect("a branch");
        let meeting = post.parent(branch).expect("all meet");
        is_on_one_way(&function, &loops, branch, meeting)
    }

    #[test]
    fn a_barrier_may_be_behind_one_way_or_behind_several() {
        let barrier = |second: &str| {
            one_way(&format!(
                "entry:
                  branch %c inside other
                other:
                  branch %c {second} end
                inside:
                  barrier
                  jump end
                end:
                  ret"
            ))
        };
        assert!(barrier("end"));
        assert!(!barrier("inside"));
    }

    #[test]
    fn a_barrier_of_the_next_iteration_is_behind_no_way_of_this_one() {
        let steps = |left: &str, right: &str, latch: &str| {
            one_way(&format!(
                "entry:
                  jump head
                head:
                  branch %c left right
                left:
                  {left}
                  branch %c latch end
                right:
                  {right}
                  branch %c latch end
                latch:
                  {latch}
                  jump head
                end:
                  ret"
            ))
        };
        assert!(steps("barrier", "", ""));
        assert!(steps("barrier", "barrier", ""));
        assert!(!steps("", "", "barrier"));
    }

    #[test]
    fn a_barrier_behind_a_loop_is_for_those_who_leave_it_at_any_time() {
        let left = |inside: &str, behind: &str| {
            one_way(&format!(
                "entry:
                  jump head
                head:
                  branch %c body after
                body:
                  {inside}
                  branch %c head end
                after:
                  {behind}
                  jump end
                end:
                  ret"
            ))
        };
        assert!(left("barrier", ""));
        assert!(!left("", "barrier"));
    }
}
