//! `mutexinoutset`: tasks of one set that may run in any order, but never two at a time.
//!
//! Protocol. Each set of such tasks on one address has a lock. A task whose predecessors are finished takes
//! its locks in address order, without blocking a thread: where one is held, the task joins the lock's
//! waiting list and goes on from there when the holder hands the lock over. With all locks it is
//! ready. Taking locks in one global order excludes deadlock.
//! Source: OpenMP 5.2 section 15.9.5 (depend clause).

use super::record::TaskRef;
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

#[derive(Default)]
pub struct Lock(Mutex<State>);

#[derive(Default)]
struct State {
    held: bool,
    waiting: VecDeque<TaskRef>,
}

impl Lock {
    /// Takes the lock for `task`, or puts it on the waiting list.
    fn acquire(&self, task: TaskRef) -> bool {
        let mut state = crate::thread::lock(&self.0);
        if state.held {
            state.waiting.push_back(task);
            return false;
        }
        state.held = true;
        true
    }

    /// Takes the lock if nobody has it.
    fn try_acquire(&self) -> bool {
        !std::mem::replace(&mut crate::thread::lock(&self.0).held, true)
    }

    /// Hands the lock to the first waiting task, if there is one.
    fn release(&self) -> Option<TaskRef> {
        let mut state = crate::thread::lock(&self.0);
        let next = state.waiting.pop_front();
        state.held = next.is_some();
        next
    }
}

/// Adds a lock that `task`, an `EXCLUSIVE` one, needs; called by its creator in ascending address order.
pub fn require(task: TaskRef, lock: &Arc<Lock>) {
    task.extra(|extra| extra.locks.push(lock.clone()));
}

/// The task's predecessors are finished: takes its locks. True if it has them all and is ready.
pub fn take_all(task: TaskRef) -> bool {
    loop {
        let lock = task.extra(|extra| {
            let lock = extra.locks.get(extra.locks_taken).cloned();
            extra.locks_taken += usize::from(lock.is_some());
            lock
        });
        match lock {
            None => return true,
            // Once on the waiting list the task is the lock holder's.
            Some(lock) if !lock.acquire(task) => return false,
            Some(_) => (),
        }
    }
}

/// The same for a task whose creator takes the locks for it, and waits on no list: takes as many more as it can.
pub fn try_rest(task: TaskRef) -> bool {
    task.extra(|extra| {
        while let Some(lock) = extra.locks.get(extra.locks_taken) {
            if !lock.try_acquire() {
                return false;
            }
            extra.locks_taken += 1;
        }
        true
    })
}

/// The task is finished: hands its locks on; `ready` gets each task that has all of its own now.
pub fn give_back(task: TaskRef, ready: impl FnMut(TaskRef)) {
    hand_on(&task.extra(|extra| std::mem::take(&mut extra.locks)), ready);
}

/// The locks of an undeferred task, whose thread takes them itself.
#[derive(Default)]
pub struct Held {
    /// In ascending address order.
    locks: Vec<Arc<Lock>>,
    taken: Cell<usize>,
}

impl Held {
    pub fn new(locks: Vec<Arc<Lock>>) -> Held {
        Held { locks, taken: Cell::new(0) }
    }

    /// Takes as many more as it can; true once it has all.
    pub fn try_all(&self) -> bool {
        while let Some(lock) = self.locks.get(self.taken.get()) {
            if !lock.try_acquire() {
                return false;
            }
            self.taken.set(self.taken.get() + 1);
        }
        true
    }

    /// Hands the locks on; `ready` gets each task that has all of its own now.
    pub fn give_back(self, ready: impl FnMut(TaskRef)) {
        hand_on(&self.locks, ready);
    }
}

fn hand_on(locks: &[Arc<Lock>], mut ready: impl FnMut(TaskRef)) {
    for next in locks.iter().filter_map(|lock| lock.release()) {
        if take_all(next) {
            ready(next);
        }
    }
}
