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

/// What creates the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Creator {
    /// A task that has created so many children before, and is so deep below its implicit task.
    Task { children: u32, depth: u32 },
    /// A taskloop: a producer from its first share on, since a long share that its creator ran itself
    /// must not leave the others without any.
    Loop,
}

/// True if a task without unfinished predecessors should run at once.
///
/// `queued`: length of the creator's own queue. `threads`: size of the team.
#[inline]
pub fn run_now(queued: u32, creator: Creator, threads: u32) -> bool {
    let enough = match creator {
        Creator::Task { children, depth } if children <= PRODUCER_AFTER => {
            let nobody_has_work = depth <= START_UP + (threads | 1).ilog2();
            if nobody_has_work { threads.max(RECURSIVE) } else { RECURSIVE }
        }
        Creator::Task { .. } | Creator::Loop => PRODUCER.saturating_mul(threads),
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

    fn task(children: u32, depth: u32) -> Creator {
        Creator::Task { children, depth }
    }

    #[test]
    fn recursion_defers_few_and_a_producer_many() {
        assert!(!run_now(0, task(0, 20), 2));
        assert!(run_now(RECURSIVE, task(2, 20), 16));
        assert!(!run_now(RECURSIVE, task(1000, 20), 2));
        assert!(run_now(2 * PRODUCER, task(1_000_000, 20), 2));
        assert!(!run_now(2 * PRODUCER, task(1_000_000, 20), 3));
        assert!(!run_now(RECURSIVE, Creator::Loop, 2));
    }

    #[test]
    fn at_the_start_every_thread_gets_one() {
        assert!(!run_now(15, task(3, 0), 16));
        assert!(!run_now(15, task(1, 5), 16));
        assert!(run_now(15, task(1, 6), 16));
        assert!(run_now(RECURSIVE, task(1, 0), 1));
    }

    #[test]
    fn a_backlog_grows_with_the_team() {
        assert!(backlog_is_full(128, 2) && !backlog_is_full(128, 3));
    }
}
