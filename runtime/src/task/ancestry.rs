//! Whether one task descends from another: asked of each task that a thread finds while it waits for certain ones.
//!
//! The way up is as long as the tree of tasks is deep there. A chain in which each task creates the next is as deep as it is long,
//! so all its ways together would grow with the square of its length. So a task whose way was long notes where it led, before it
//! runs; a way that comes by takes the note in place of the parents between.
//!
//! Invariant: a note names an ancestor, which lives for as long as the task, and is made before the task has descendants.

use super::record::TaskRef;

/// A task that is more steps below another than this notes that one.
const FAR: u32 = 32;

impl TaskRef {
    /// Whether `self` is `ancestor` or one of its descendants; by a thread that has taken the task out of its queue, or has that
    /// queue's lock.
    #[inline(always)]
    pub fn descends_from(self, ancestor: TaskRef) -> bool {
        self.parent.get() == Some(ancestor) || self.is_below(ancestor)
    }

    #[inline(never)]
    fn is_below(self, ancestor: TaskRef) -> bool {
        let depth = ancestor.depth.get();
        let (mut task, mut steps) = (self, 0);
        while task.depth.get() > depth {
            let Some(next) = task.noted(depth).or_else(|| task.parent.get()) else {
                return false;
            };
            (task, steps) = (next, steps + 1);
        }
        if steps > FAR {
            self.make_extra().note_ancestor(task);
        }
        task == ancestor
    }

    /// The ancestor that is noted, if it is at this depth or below.
    fn noted(self, depth: u32) -> Option<TaskRef> {
        let ancestor = self.extra_so_far()?.ancestor()?;
        (ancestor.depth.get() >= depth).then_some(ancestor)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::thread;

    /// Each task of a chain is asked for its ancestors when it is found, and is then the parent of the next.
    #[test]
    fn ancestors_of_a_long_chain_are_found_in_few_steps() {
        const LENGTH: usize = 2000;
        let thread = thread::current();
        let root = thread.task();
        let mut chain = vec![root];
        for _ in 0..LENGTH {
            let parent = *chain.last().unwrap();
            let task = TaskRef::allocate(thread, parent, 0, 0);
            assert!(task.descends_from(root));
            chain.push(task);
        }
        let noted = chain.iter().filter(|task| task.extra_so_far().is_some()).count();
        assert!((LENGTH / 40..LENGTH / 20).contains(&noted), "{noted} noted their ancestor");
        let last = chain[LENGTH];
        for depth in [0, 1, 31, 33, 500, LENGTH - 1, LENGTH] {
            assert!(last.descends_from(chain[depth]), "{depth}");
            assert!(!chain[depth].descends_from(last) || depth == LENGTH);
        }
        let beside = TaskRef::allocate(thread, root, 0, 0);
        assert!(!last.descends_from(beside));
        chain[1..].iter().chain([&beside]).for_each(|task| {
            // SAFETY: nobody else knew of it.
            #[allow(unsafe_code)]
            unsafe {
                task.free(thread)
            }
        });
    }
}
