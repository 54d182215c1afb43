//! What a team knows of the grain of its tasks with dependences: an account for each function that is a task's body.
//!
//! `policy::grain` has the arithmetic. Who runs such a task reads the clock before and after it, whether the task was
//! deferred or not, and settles the account if that changes anything: large tasks leave a full account as it is, tiny
//! ones that their creator runs an empty one. So in either of the states that last nobody writes.
//!
//! A word is an account and the mark of its function. All accesses are Relaxed: a word is all that is known, and
//! guards nothing. Threads that settle one at the same time may lose an entry, and two functions with one word take it
//! from each other, each time with new hope: that costs a task deferred in vain, or one that is not.

use super::record::TaskRef;
use crate::thread::{Thread, clock};
use std::sync::atomic::{AtomicU64, Ordering};
use vicinity_policy::grain::Grain;
use vicinity_policy::throttle;

const WORDS: usize = 64;

pub struct Grains([AtomicU64; WORDS]);

impl Default for Grains {
    fn default() -> Self {
        Grains(std::array::from_fn(|_| AtomicU64::new(0)))
    }
}

/// What tells a function from others.
#[inline(always)]
fn mark(function: usize) -> u32 {
    ((function as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32 | 1
}

impl Grains {
    #[inline(always)]
    fn word(&self, mark: u32) -> &AtomicU64 {
        &self.0[(mark >> 26) as usize % WORDS]
    }

    #[inline(always)]
    fn account(&self, mark: u32) -> Grain {
        let word = self.word(mark).load(Ordering::Relaxed);
        if (word >> 32) as u32 == mark { Grain::from_word(word as u32) } else { Grain::default() }
    }

    fn settle(&self, mark: u32, after: impl FnOnce(Grain) -> Grain) {
        let before = self.account(mark);
        let after = after(before);
        if after != before {
            let word = u64::from(mark) << 32 | u64::from(after.to_word());
            self.word(mark).store(word, Ordering::Relaxed);
        }
    }
}

/// Whether the tasks with this body are so small that their creator should run them itself.
#[inline(always)]
pub fn is_tiny(thread: &Thread, function: usize) -> bool {
    of(thread, function).is_tiny()
}

/// What is known of the tasks with this body; 0 is any.
#[inline(always)]
pub fn of(thread: &Thread, function: usize) -> Grain {
    match function {
        0 => Grain::default(),
        _ => thread.member().team().grains.account(mark(function)),
    }
}

/// Runs the `body` of a task with dependences in its creator, by the program's `function`.
#[inline(always)]
pub fn run_inline<R>(thread: &Thread, function: usize, body: impl FnOnce() -> R) -> R {
    if function == 0 || throttle::is_alone(thread.member().team().size()) {
        return body();
    }
    measure(thread, function, body, Grain::after_inline)
}

/// Runs the `body` of a task with dependences that was deferred.
pub fn run_deferred<R>(thread: &Thread, task: TaskRef, body: impl FnOnce() -> R) -> R {
    let function = task.entry();
    if function == 0 { body() } else { measure(thread, function, body, Grain::after_deferred) }
}

#[inline(always)]
fn measure<R>(
    thread: &Thread,
    function: usize,
    body: impl FnOnce() -> R,
    after: impl FnOnce(Grain, u64) -> Grain,
) -> R {
    let begin = clock::ticks();
    let result = body();
    let ticks = clock::ticks().wrapping_sub(begin);
    thread.member().team().grains.settle(mark(function), |grain| after(grain, ticks));
    result
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::task::admit::{Admission, Spec, admit, carry_out};
    use crate::task::deps::{Access, Dependence};
    use crate::task::wait::taskwait;
    use crate::team::region::{Request, parallel};
    use crate::thread;

    const TASKS: u32 = 20_000;

    extern "C" fn empty(_data: *mut libc::c_void) {}

    /// As long as its site's turn says: tiny at first, then 100 prices.
    extern "C" fn grows(_data: *mut libc::c_void) {
        let ticks = LENGTH_TICKS.load(Ordering::Relaxed);
        let begin = clock::ticks();
        while clock::ticks().wrapping_sub(begin) < ticks {
            std::hint::spin_loop();
        }
    }

    static LENGTH_TICKS: AtomicU64 = AtomicU64::new(0);

    /// How many of these tasks, each of which waits for the last that named its cell, are deferred.
    fn deferred(tasks: u32, cells: usize, body: extern "C" fn(*mut libc::c_void)) -> u32 {
        let thread = thread::current();
        let parent = thread.task();
        let function = body as *const () as usize;
        let create = |turn: u32| {
            let address = Some(64 + turn as usize % cells);
            let access = Access::Out;
            let item = Dependence { address, length_bytes: 0, access, intensive: false };
            let task = TaskRef::allocate(thread, parent, 0, 0);
            task.set_entry(function);
            let spec = Spec { dependences: &[item], function, ..Spec::default() };
            let admission = admit(thread, parent, &spec);
            carry_out(thread, parent, task, &[item], admission);
            admission == Admission::Deferred
        };
        let deferred = (0..tasks).filter(|&turn| create(turn)).count() as u32;
        taskwait();
        deferred
    }

    fn as_master(region: extern "C" fn(*mut libc::c_void)) {
        parallel(region, std::ptr::null_mut(), Request { num_threads: 2, proc_bind: None });
    }

    fn is_master() -> bool {
        thread::current().member().num == 0
    }

    #[test]
    fn a_chain_of_empty_tasks_is_run_by_its_creator() {
        extern "C" fn region(_data: *mut libc::c_void) {
            if is_master() {
                assert!(deferred(TASKS, 1, empty) < TASKS / 2);
            }
        }
        as_master(region);
    }

    #[test]
    fn tasks_that_become_large_are_spread_at_once() {
        extern "C" fn region(_data: *mut libc::c_void) {
            if is_master() {
                deferred(TASKS, 1, grows);
                let price = u64::from(vicinity_policy::grain::PRICE_TICKS);
                LENGTH_TICKS.store(100 * price, Ordering::Relaxed);
                // The first few show it, and those are held back that wait for one of them.
                assert!(deferred(64, 32, grows) >= 48);
            }
        }
        as_master(region);
    }

    #[test]
    fn functions_have_accounts_of_their_own() {
        let grains = Grains::default();
        let [one, other] = [0x40_1000, 0x40_1080].map(mark);
        (0..100).for_each(|_| grains.settle(one, |grain| grain.after_deferred(10)));
        assert!(grains.account(one).is_tiny() && !grains.account(other).is_tiny());
    }
}
