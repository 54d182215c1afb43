//! Whether a new task is deferred or runs at once in place of its creator.
//!
//! OpenMP lets an implementation execute a task immediately (5.2, section 12.5: a task may be executed
//! immediately by the encountering thread or deferred). A deferred task costs an allocation, a hand-over and
//! perhaps a steal; one run at once costs a call. So a task is deferred only while the others would
//! otherwise have too little to steal, judged by the creator's own queue (lazy task creation: Mohr,
//! Kranz, Halstead 1990; adaptive cut-off: Duran, Corbalan, Ayguade 2008).
//!
//! Units: tasks.

/// Queue length that keeps thieves busy while recursion goes on below: each entry is a whole subtree.
/// With length L a recursion of depth d defers in the order of d^L tasks, all others run at once.
const RECURSIVE: u32 = 3;
/// Queue length that a loop creating many tasks fills, so that thieves can take a batch at a time.
const PRODUCER: u32 = 64;

/// True if a task without dependences should run at once.
///
/// `queued`: length of the creator's own queue. `siblings`: tasks that the creating task has deferred so
/// far: one that has deferred many is a producer, whose tasks are leaves and go in batches.
#[inline]
pub fn run_now(queued: u32, siblings: u32) -> bool {
    queued >= RECURSIVE && queued >= (siblings / 4).min(PRODUCER)
}

/// Most unfinished dependent children of one task before their creator helps to run them.
pub const DEPENDENT_BACKLOG: u32 = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recursion_defers_few_and_a_producer_many() {
        assert!(!run_now(0, 0));
        assert!(run_now(RECURSIVE, 2));
        assert!(!run_now(RECURSIVE, 1000));
        assert!(run_now(PRODUCER, 1_000_000));
    }
}
