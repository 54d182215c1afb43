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
/// Levels of a binary recursion, beyond the logarithm of the team, at which there is one entry for each
/// thread instead: nobody has work yet, and a creator that ran a long task itself would starve the others.
const START_UP: u32 = 1;
/// Children after which a task counts as a producer: a loop whose tasks are leaves of similar size.
const PRODUCER_AFTER: u32 = 32;
/// Queue length a thread of the team that a producer fills, so that thieves can take batches.
const PRODUCER: u32 = 8;

/// True if a task without unfinished predecessors should run at once.
///
/// `queued`: length of the creator's own queue. `siblings`: children the creating task has had so far.
/// `depth`: of the creating task below its implicit task. `threads`: size of the team.
#[inline]
pub fn run_now(queued: u32, siblings: u32, depth: u32, threads: u32) -> bool {
    let enough = if siblings > PRODUCER_AFTER {
        PRODUCER.saturating_mul(threads)
    } else if depth <= START_UP + (threads | 1).ilog2() {
        threads.max(RECURSIVE)
    } else {
        RECURSIVE
    };
    queued >= enough
}

/// True if the creator of a dependent task should run a ready one before it creates more.
///
/// `unfinished`: its children that are not finished. This bounds the memory of chains, which leave nothing
/// in the queue to judge by.
#[inline]
pub fn backlog_is_full(unfinished: u32, threads: u32) -> bool {
    unfinished >= BACKLOG.saturating_mul(threads)
}

/// Unfinished children a thread of the team.
const BACKLOG: u32 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recursion_defers_few_and_a_producer_many() {
        assert!(!run_now(0, 0, 20, 2));
        assert!(run_now(RECURSIVE, 2, 20, 16));
        assert!(!run_now(RECURSIVE, 1000, 20, 2));
        assert!(run_now(2 * PRODUCER, 1_000_000, 20, 2));
        assert!(!run_now(2 * PRODUCER, 1_000_000, 20, 3));
    }

    #[test]
    fn at_the_start_every_thread_gets_one() {
        assert!(!run_now(15, 3, 0, 16));
        assert!(!run_now(15, 1, 5, 16));
        assert!(run_now(15, 1, 6, 16));
        assert!(run_now(RECURSIVE, 1, 0, 1));
    }

    #[test]
    fn a_backlog_grows_with_the_team() {
        assert!(backlog_is_full(128, 2) && !backlog_is_full(128, 3));
    }
}
