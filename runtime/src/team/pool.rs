//! The workers: every thread this runtime creates, whoever asked for it.
//!
//! Terms: a worker is *free* while it lies in the pool, and *reserved* while a team holds it. A team keeps
//! its workers between regions, so that starting the next one is one store a worker.
//!
//! Protocol. A worker waits for orders at its mailbox. The holder of the reservation leaves one only for a worker at rest: it
//! waits there, or is about to (`Team::all_come_to_rest`), or still sleeps at the last barrier of its region, where the release
//! left it and the holder captures it. So where processors are short a region wakes each worker once: for the next order.
//!
//! Invariant: workers are never deallocated, they end only with the process, or by `omp_pause_resource`.
#![allow(unsafe_code)]

use super::mailbox::Mailbox;
use super::whereabouts::Whereabouts;
use super::{Member, Team, open};
use crate::activity::{self, State};
use crate::errno;
use crate::park::Parker;
use crate::private::Private;
use crate::process_lock::ProcessLock;
use crate::report::OneWarning;
use crate::thread::Thread;
use crate::{effort, thread, tool, wait};
use crossbeam_utils::CachePadded;
use std::os::unix::thread::JoinHandleExt;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering, fence};

#[repr(C)]
pub struct Worker {
    /// None orders the worker to end.
    mailbox: Mailbox<&'static Member>,
    // Read by holders.
    /// Holder: the worker is captured asleep at its last barrier.
    captured: Private<bool>,
    /// The worker's thread, once it runs.
    thread: AtomicPtr<Thread>,
    // The worker's.
    whereabouts: CachePadded<Whereabouts>,
}

pub(crate) static FREE: ProcessLock<Vec<&'static Worker>> = ProcessLock::new(Vec::new());

/// Workers that have been started and have not ended. Relaxed: a number.
static LIVING: AtomicU32 = AtomicU32::new(0);

/// How many workers there are.
pub fn living() -> u32 {
    LIVING.load(Ordering::Relaxed)
}

/// Brings a team's reserved workers to `total`: free ones first, new ones then. Fewer come if threads
/// cannot be created. Returns how many are new: those count as runnable from their creation on, so that where
/// they outnumber the processors each sleeps until it is needed, in place of spinning while others are created.
pub fn reserve(total: usize, workers: &mut Vec<&'static Worker>) -> usize {
    {
        let mut free = FREE.lock();
        let keep = free.len() - total.saturating_sub(workers.len()).min(free.len());
        workers.extend(free.drain(keep..));
    }
    let before = workers.len();
    while workers.len() < total {
        wait::add_runnable(1);
        match spawn() {
            Ok(worker) => workers.push(worker),
            Err(error) => {
                wait::add_runnable(-1);
                warn_once(&error, workers.len() + 1, total + 1);
                break;
            }
        }
    }
    workers.len() - before
}

/// One worker, free or new; none if a thread cannot be created.
pub fn one() -> Option<&'static Worker> {
    let free = FREE.lock().pop();
    free.or_else(|| spawn().map_err(|error| warn_once(&error, 1, 2)).ok())
}

fn warn_once(error: &std::io::Error, got: usize, asked: usize) {
    static FEWER: OneWarning = OneWarning::new();
    FEWER.warn(|| {
        let stack_bytes = crate::global::stack_bytes();
        format!(
            "cannot create another thread with {stack_bytes} bytes of stack ({error}): \
             a team of {asked} threads was asked for, and has {got}"
        )
    });
}

/// Gives workers back that are docked, or about to dock.
pub fn release(workers: impl IntoIterator<Item = &'static Worker>) {
    FREE.lock().extend(workers);
}

/// Ends all free workers; returns how many.
pub fn end_free() -> usize {
    let free = std::mem::take(&mut *FREE.lock());
    free.iter().for_each(|worker| worker.post(None));
    free.len()
}

/// In a forked child: the workers exist in the parent alone.
pub fn forget() {
    FREE.lock().clear();
    LIVING.store(0, Ordering::Relaxed);
}

fn spawn() -> std::io::Result<&'static Worker> {
    let worker: &'static Worker = Box::leak(Box::new(Worker {
        mailbox: Mailbox::default(),
        captured: Private::new(false),
        thread: AtomicPtr::default(),
        whereabouts: Default::default(),
    }));
    let stack = crate::global::stack_bytes();
    let builder = std::thread::Builder::new().name("vicinity".into()).stack_size(stack);
    let started = errno::kept(|| builder.spawn(move || worker.live()));
    match started {
        Ok(handle) => {
            LIVING.fetch_add(1, Ordering::Relaxed);
            worker.whereabouts.name(handle.as_pthread_t());
        }
        Err(error) => {
            // SAFETY: no thread was started with it, so this is the only reference.
            drop(unsafe { Box::from_raw(std::ptr::from_ref(worker).cast_mut()) });
            return Err(error);
        }
    }
    Ok(worker)
}

impl Worker {
    /// Reservation's holder: starts a worker that is at rest on an order.
    pub fn post(&self, order: Option<&'static Member>) {
        self.leave(order);
        fence(Ordering::SeqCst);
        self.mailbox.rouse();
    }

    /// Reservation's holder: the same for several. They stay reserved meanwhile.
    pub fn post_each<'a>(orders: impl Iterator<Item = (&'a Worker, &'static Member)> + Clone) {
        orders.clone().for_each(|(worker, member)| worker.leave(Some(member)));
        fence(Ordering::SeqCst);
        orders.for_each(|(worker, _)| worker.mailbox.rouse());
    }

    fn leave(&self, order: Option<&'static Member>) {
        // Before the order is there: a worker that was not captured may carry it out at once and be reserved by somebody else.
        let was_captured = self.captured.get();
        order.inspect(|member| member.team().seen.wakes(member.num));
        self.mailbox.leave(order);
        if was_captured {
            self.let_go();
        }
    }

    /// The same, for a worker that is to run beside the caller.
    pub fn send(&self, member: &'static Member) {
        if self.mailbox.is_asleep() {
            self.whereabouts.part();
        }
        self.post(Some(member));
    }

    /// By a thread that waits for what the worker was sent to do: if it has not begun, it does so elsewhere.
    pub fn keep_off(&self) {
        self.whereabouts.keep_off(|| self.mailbox.is_posted());
    }

    /// Reservation's holder: returns when the worker is at rest after a region of this team.
    pub fn come_to_rest(&self, team: &Team) {
        effort::looks(1);
        if !self.captured.get() && !self.mailbox.is_done() {
            let captured = || self.parker().is_some_and(|parker| team.idle.capture(parker));
            wait::until_beside(team.size() - 1, || {
                self.captured.set(captured());
                self.captured.get() || self.mailbox.is_done()
            });
        }
    }

    /// Reservation's holder: returns when the worker is docked.
    pub fn dock(&self, team: &Team) {
        self.come_to_rest(team);
        self.let_go();
        wait::until_beside(team.size() - 1, || self.mailbox.is_done());
    }

    fn let_go(&self) {
        if self.captured.replace(false) {
            self.parker().inspect(|parker| parker.resume());
        }
    }

    fn parker(&self) -> Option<&'static Parker> {
        // Acquire: pairs with the Release in `live`.
        let thread = self.thread.load(Ordering::Acquire);
        // SAFETY: threads' records are never deallocated.
        unsafe { thread.as_ref() }.map(|thread: &'static Thread| &*thread.parker)
    }

    fn live(&'static self) {
        let thread = thread::take_record(true);
        let bottom = 0u8;
        tool::threads::lives_below(thread, std::hint::black_box(&raw const bottom).addr());
        // Release: pairs with the Acquire in `parker`.
        self.thread.store(std::ptr::from_ref(thread).cast_mut(), Ordering::Release);
        let mut place = None;
        while let Some(member) = self.await_order(thread, place) {
            // Whatever it was sent to do: who sent it elsewhere before may still look after it.
            self.whereabouts.settle();
            match member.team().seats.get() {
                None => place = Some(super::region::run_as_worker(thread, member)),
                Some(seats) => {
                    open::serve(thread, member, seats, || release([self]));
                    place = Some(std::ptr::from_ref(seats).addr());
                }
            }
            self.mailbox.finish();
        }
        thread.vacate();
        LIVING.fetch_sub(1, Ordering::Relaxed);
    }

    /// `place`: what it did last.
    fn await_order(&self, thread: &Thread, place: Option<usize>) -> Option<&'static Member> {
        activity::goes_to(thread, State::Rests);
        let mut wait = wait::Wait::resting_after(place, thread);
        while !self.mailbox.is_posted() {
            if wait.spin() {
                continue;
            }
            self.whereabouts.note_bed();
            thread.last_member().inspect(|member| member.goes_to_sleep());
            wait.sleep(|| self.mailbox.sleep());
        }
        wait.end();
        activity::goes_to(thread, State::Runs);
        self.mailbox.take()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::team::region::{Request, parallel};
    use vicinity_alloc::os::{CpuSet, affinity};

    /// Who sent a worker elsewhere may look after it when it already has its order for a region, and send it off a
    /// processor: it comes back to all of them there too.
    #[test]
    fn a_region_runs_wherever_its_workers_may() {
        extern "C" fn note_mask(masks: *mut libc::c_void) {
            let member = thread::current().member();
            // SAFETY: the array below, an entry for each thread.
            unsafe {
                (*masks.cast::<[CpuSet; 2]>())[member.num as usize] = affinity::affinity_mask()
            };
        }
        let run = || {
            let mut masks = [CpuSet::default(), CpuSet::default()];
            let outer = thread::current().member();
            let team = outer.team_for(2).0;
            // The region counts it as runnable itself.
            wait::add_runnable(-1);
            let worker = team.workers.with(|workers| workers[0]);
            let processor = affinity::current_processor().expect("the kernel says");
            worker.whereabouts.forbid(processor, || true);
            let request = Request { num_threads: 2, proc_bind: None };
            parallel(note_mask, (&raw mut masks).cast(), request);
            masks
        };
        // A thread of its own, with no team yet.
        let [master, worker] = std::thread::spawn(run).join().expect("a region");
        assert_eq!(master, worker);
    }
}
