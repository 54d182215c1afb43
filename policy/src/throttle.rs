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
/// Queue length a thread of the team that a producer fills at first, so that thieves can take batches.
const PRODUCER: u32 = 8;
/// Growth of that length each time the producer finds its queue emptied.
const GROWTH: u32 = 8;
/// Longest queue that a producer fills because its queue was emptied.
const LONGEST: u32 = 4096;

/// What creates the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Creator {
    /// A task that has created so many children before, and is so deep below its implicit task.
    Task { children: u32, depth: u32 },
    /// A taskloop that has created so many shares before: a producer from the first one on, since a long share
    /// that its creator ran itself must not leave the others without any.
    Loop { shares: u64 },
}

/// What a thread remembers of the producer it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Throttle {
    /// Queue length a thread of the team that the producer fills.
    reserve: u32,
}

impl Throttle {
    /// True if a task without unfinished predecessors should run at once.
    ///
    /// `queued`: length of the creator's own queue. `threads`: size of the team.
    #[inline(always)]
    pub fn run_now(&mut self, queued: u32, creator: Creator, threads: u32) -> bool {
        if self.is_asked(queued, creator) {
            self.reserve = self.adjusted(creator, threads);
        }
        self.suffices(queued, creator, threads)
    }

    /// True if `run_now` is, and nothing changes for it: few instructions for the most frequent tasks.
    #[inline(always)]
    pub fn surely_runs_now(self, queued: u32, creator: Creator, threads: u32) -> bool {
        !self.is_asked(queued, creator) && self.suffices(queued, creator, threads)
    }

    /// Whether the queue is so long that tasks run at once.
    #[inline(always)]
    fn suffices(self, queued: u32, creator: Creator, threads: u32) -> bool {
        match creator {
            Creator::Task { children, depth } if children <= PRODUCER_AFTER => {
                let some_have_work = || depth > START_UP + (threads | 1).ilog2();
                queued >= RECURSIVE && (queued >= threads || some_have_work())
            }
            _ => queued >= self.reserve.saturating_mul(threads),
        }
    }

    /// Whether how far a producer fills its queue is decided anew. When it began, nobody may have asked: that child had
    /// unfinished predecessors.
    #[inline(always)]
    fn is_asked(self, queued: u32, creator: Creator) -> bool {
        creator.is_producer() && (queued == 0 || self.reserve == 0 || creator.begins_to_produce())
    }

    /// One that finds its queue empty ran a task so long that thieves took all the others meanwhile: it leaves them more
    /// the next time.
    fn adjusted(self, creator: Creator, threads: u32) -> u32 {
        let grows = self.reserve.saturating_mul(threads) < LONGEST;
        match self.reserve {
            reserve if reserve == 0 || creator.begins_to_produce() => PRODUCER,
            reserve if grows => reserve * GROWTH,
            reserve => reserve,
        }
    }
}

impl Creator {
    #[inline(always)]
    fn is_producer(self) -> bool {
        !matches!(self, Creator::Task { children, .. } if children <= PRODUCER_AFTER)
    }

    #[inline(always)]
    fn begins_to_produce(self) -> bool {
        match self {
            Creator::Task { children, .. } => children == PRODUCER_AFTER + 1,
            Creator::Loop { shares } => shares == 0,
        }
    }
}

/// True if nobody else could run a task, so that its creator may as well do so at once.
#[inline(always)]
pub fn is_alone(threads: u32) -> bool {
    threads == 1
}

/// True if the creator of dependent tasks should run one before it creates more.
///
/// `unfinished`: its children that are not finished. Until then it creates ahead, so that whoever finishes a
/// task finds its successors known and goes on with the same data while that is in the cache. How far tasks
/// of unknown worth may be ahead says `grain`.
#[inline]
pub fn backlog_is_full(unfinished: u32, threads: u32) -> bool {
    unfinished >= BACKLOG.saturating_mul(threads)
}

/// Unfinished children a thread of the team; some 80 KiB of records.
const BACKLOG: u32 = 256;

#[cfg(test)]
mod tests {
    use super::*;

    fn run_now(queued: u32, children: u32, depth: u32, threads: u32) -> bool {
        let mut throttle = Throttle { reserve: PRODUCER };
        throttle.run_now(queued, Creator::Task { children, depth }, threads)
    }

    #[test]
    fn recursion_defers_few_and_a_producer_many() {
        assert!(!run_now(0, 0, 20, 2));
        assert!(run_now(RECURSIVE, 2, 20, 16));
        assert!(!run_now(RECURSIVE, 1000, 20, 2));
        assert!(run_now(2 * PRODUCER, 1_000_000, 20, 2));
        assert!(!run_now(2 * PRODUCER, 1_000_000, 20, 3));
        assert!(!Throttle::default().run_now(RECURSIVE, Creator::Loop { shares: 0 }, 2));
    }

    #[test]
    fn at_the_start_every_thread_gets_one() {
        assert!(!run_now(15, 3, 0, 16));
        assert!(!run_now(15, 1, 5, 16));
        assert!(run_now(15, 1, 6, 16));
        assert!(run_now(RECURSIVE, 1, 0, 1));
    }

    #[test]
    fn a_producer_whose_queue_was_emptied_fills_it_further() {
        let mut throttle = Throttle::default();
        let mut longest = |shares, threads| {
            throttle.run_now(0, Creator::Loop { shares }, threads);
            (0..).find(|&queued| {
                throttle.run_now(queued.max(1), Creator::Loop { shares: 9 }, threads)
            })
        };
        assert_eq!(longest(0, 2), Some(2 * PRODUCER));
        assert_eq!(longest(1, 2), Some(2 * PRODUCER * GROWTH));
        (2..20).for_each(|shares| assert!(longest(shares, 2) < Some(LONGEST * GROWTH)));
        assert_eq!(longest(0, 2), Some(2 * PRODUCER), "the next one begins anew");
        assert_eq!(longest(1, 4096), Some(4096 * PRODUCER));
    }

    #[test]
    fn what_surely_runs_now_does_and_changes_nothing() {
        let creators = (0..40).flat_map(|n| {
            let of_task = |depth| Creator::Task { children: n, depth };
            [of_task(0), of_task(9), Creator::Loop { shares: n.into() }]
        });
        let mut sure = [0, 0];
        for creator in creators {
            for (queued, reserve, threads) in
                (0..700).map(|n| (n % 10 * 7, n / 10 % 3 * PRODUCER, n / 30))
            {
                let before = Throttle { reserve };
                let surely = before.surely_runs_now(queued, creator, threads.max(1));
                let mut after = before;
                let runs_now = after.run_now(queued, creator, threads.max(1));
                assert!(!surely || (runs_now && after == before), "{creator:?} {queued} {reserve}");
                sure[usize::from(surely)] += 1;
            }
        }
        assert!(sure.iter().all(|&times| times > 1000), "{sure:?}");
    }

    #[test]
    fn a_producer_that_was_not_asked_at_first_defers_all_the_same() {
        let mut throttle = Throttle::default();
        let later = Creator::Task { children: PRODUCER_AFTER + 2, depth: 0 };
        assert!(!throttle.run_now(0, later, 4));
        assert!(!throttle.run_now(4 * PRODUCER - 1, later, 4));
        assert!(throttle.run_now(4 * PRODUCER, later, 4));
    }

    #[test]
    fn a_backlog_grows_with_the_team() {
        assert!(backlog_is_full(512, 2) && !backlog_is_full(512, 3));
    }
}
