//! `Seats`: who may take part in the open team, and the wake-up that is not lost when somebody leaves it.
//!
//! Protocol.
//! - Who leaves: (l1) gives its seat back, (l2) SeqCst fence, (l3) looks at every queue; if there is a task it sends a
//!   worker as a producer does.
//! - A thread that makes work: (p1) pushes the task, (p2) SeqCst fence, (p3) asks for room; where there is some it takes
//!   a seat and sends a worker there.
//!
//! Why no task is left alone: the two fences are totally ordered. If (p2) comes first, (l3) sees the task. If (l2)
//! comes first, (p3) sees the vacant seat. Where there is no room, somebody sits at every seat and looks for tasks before
//! he leaves.
//!
//! Invariants: 1. A seat's number is in `vacant`, or somebody has it, who alone may use that member. 2. `seated` and `workers`
//! are changed after `vacant`: they are at least the number of seats that are taken for good.

use crate::sync::{AtomicU32, Ordering};
use crate::thread;
use std::sync::{Mutex, MutexGuard};

/// Who sits at a seat: a worker of the pool, or a thread of the program that waits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sitter {
    Worker,
    Guest,
}

pub struct Seats {
    /// Members where nobody sits.
    vacant: Mutex<Vec<u32>>,
    /// How many sit. Relaxed, like `workers`: ordered by the two fences.
    seated: AtomicU32,
    /// How many of these are workers.
    workers: AtomicU32,
    total: u32,
    /// Up to so many workers are sent without asking whether a processor is idle.
    usual: u32,
}

impl Seats {
    /// Members 0 to `total` - 1.
    pub fn new(total: u32, usual: u32) -> Seats {
        Seats {
            vacant: Mutex::new((0..total).rev().collect()),
            seated: AtomicU32::new(0),
            workers: AtomicU32::new(0),
            total,
            usual,
        }
    }

    /// Whether one more worker should come; `is_idle` says whether there is a processor for it.
    pub fn have_room(&self, is_idle: impl FnOnce() -> bool) -> bool {
        let workers = self.workers.load(Ordering::Relaxed);
        self.any_vacant() && (workers < self.usual || is_idle())
    }

    /// Whether any seat is vacant.
    pub fn any_vacant(&self) -> bool {
        self.seated.load(Ordering::Relaxed) < self.total
    }

    /// Takes a seat: the first of `preferred` that is vacant, or any if none is preferred.
    pub fn take(
        &self,
        sitter: Sitter,
        preferred: Option<impl Iterator<Item = u32>>,
    ) -> Option<u32> {
        let num = {
            let mut vacant = thread::lock(&self.vacant);
            match preferred {
                None => vacant.pop(),
                Some(mut nums) => nums
                    .find_map(|num| vacant.iter().position(|&it| it == num))
                    .map(|index| vacant.remove(index)),
            }
        };
        if num.is_some() {
            self.seated.fetch_add(1, Ordering::Relaxed);
            self.workers.fetch_add(u32::from(sitter == Sitter::Worker), Ordering::Relaxed);
        }
        num
    }

    /// Gives a seat back (l1).
    pub fn give_back(&self, num: u32, sitter: Sitter) {
        thread::lock(&self.vacant).push(num);
        self.seated.fetch_sub(1, Ordering::Relaxed);
        self.workers.fetch_sub(u32::from(sitter == Sitter::Worker), Ordering::Relaxed);
    }

    /// Keeps other threads from the seats (for fork).
    pub fn quiesced(&self) -> MutexGuard<'_, Vec<u32>> {
        thread::lock(&self.vacant)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn seats_are_taken_once_and_the_last_by_a_worker_for_idle_processors_or_guests() {
        use Sitter::{Guest, Worker};
        let seats = Seats::new(3, 2);
        let any = |sitter| seats.take(sitter, None::<std::iter::Empty<u32>>);
        assert_eq!(seats.take(Worker, Some([2, 0].into_iter())), Some(2));
        assert_eq!(seats.take(Worker, Some([2].into_iter())), None);
        assert!(seats.have_room(|| false));
        assert_eq!(any(Worker), Some(0));
        assert!(!seats.have_room(|| false) && seats.have_room(|| true) && seats.any_vacant());
        assert_eq!((any(Guest), any(Worker)), (Some(1), None));
        assert!(!seats.have_room(|| true) && !seats.any_vacant());
        seats.give_back(0, Worker);
        assert!(seats.have_room(|| false), "the guest is no worker");
        assert_eq!(any(Worker), Some(0));
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use crate::sync::fence;
    use loom::sync::Arc;

    fn send(seats: &Seats) -> bool {
        seats.have_room(|| false)
            && seats.take(Sitter::Worker, None::<std::iter::Empty<u32>>).is_some()
    }

    /// A task pushed while the only worker leaves: one of the two sends a worker for it.
    #[test]
    fn a_task_is_never_left_alone() {
        loom::model(|| {
            let shared = Arc::new((Seats::new(1, 1), AtomicU32::new(0)));
            assert!(send(&shared.0));
            let producer = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    shared.1.store(1, Ordering::Relaxed);
                    fence(Ordering::SeqCst);
                    send(&shared.0)
                })
            };
            shared.0.give_back(0, Sitter::Worker);
            fence(Ordering::SeqCst);
            let queued = shared.1.load(Ordering::Relaxed) != 0;
            let sent_here = queued && send(&shared.0);
            let sent_there = producer.join().unwrap();
            assert!(sent_here != sent_there, "one worker is sent, and one only");
        });
    }
}
