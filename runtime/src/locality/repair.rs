//! Repair in the runtime: which threads are watched, and when what they did is looked at.
//!
//! A thread is watched while it is in a parallel region: workers always, whoever begins regions while he is inside one. Masters look
//! when they have passed a barrier, at most as often as there are enough samples. Without `OMP_DATA_DISTRIBUTION=auto` all this is
//! one load of a variable that nobody writes.

use crate::process_lock::ProcessLock;
use crate::report;
use crate::thread::Thread;
use std::sync::atomic::{AtomicBool, Ordering};
use vicinity_alloc::os::samples::{self, Tally, Timer};
use vicinity_alloc::repair::{self, Repair};

/// What was seen so far; none before the first region, and where nothing can be done.
pub(crate) static REPAIR: ProcessLock<Option<Repair>> = ProcessLock::new(None);
/// Relaxed: set once, by whoever starts the first region.
static ON: AtomicBool = AtomicBool::new(false);

/// Samples that are worth a look.
const ENOUGH: usize = 64;

/// How a thread is watched.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    tally: &'static Tally,
    timer: Option<Timer>,
}

/// Begins to watch, where that is possible.
pub fn start() {
    let repair = Repair::start();
    if repair.is_none() {
        report::warn(
            "OMP_DATA_DISTRIBUTION=auto: memory stays where it is (locations that are not NUMA nodes, another handler of SIGURG, or \
             no /proc)",
        );
    }
    ON.store(repair.is_some(), Ordering::Relaxed);
    *REPAIR.lock() = repair;
}

#[inline(always)]
fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// The calling thread begins a region of several threads.
#[inline]
pub fn region_begins(thread: &'static Thread) {
    if is_on() {
        // Relaxed: the thread's own, which its signals read.
        watch(thread).tally.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// The calling thread has ended one. It may have begun before anybody was watched.
#[inline]
pub fn region_ends(thread: &'static Thread) {
    if is_on() {
        let count = &watch(thread).tally.0;
        let _ = count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |it| it.checked_sub(1));
    }
}

/// A worker goes to work.
#[inline]
pub fn worker_enters(thread: &'static Thread) {
    if is_on() && thread.watch.get().is_none() {
        watch(thread).tally.0.store(1, Ordering::Relaxed);
    }
}

#[cold]
fn begin(thread: &'static Thread) -> Watch {
    let tally: &'static Tally = Box::leak(Box::default());
    let threads = crate::global::processors();
    let timer = samples::watch_thread(tally, repair::every_ns(threads));
    let watch = Watch { tally, timer };
    thread.watch.set(Some(watch));
    thread.at_end(move || {
        if let Some(timer) = thread.watch.replace(None).and_then(|watch| watch.timer) {
            timer.stop();
        }
    });
    watch
}

fn watch(thread: &'static Thread) -> Watch {
    thread.watch.get().unwrap_or_else(|| begin(thread))
}

/// A master has passed a barrier of so many threads.
#[inline]
pub fn passed(threads: u32) {
    if is_on() && samples::pending() >= ENOUGH {
        look(threads);
    }
}

#[cold]
fn look(threads: u32) {
    let every_ns = repair::every_ns(crate::global::processors());
    let mut repair = REPAIR.lock();
    let moved = repair.as_mut().map(|repair| repair.digest(every_ns, threads));
    drop(repair);
    if crate::global::settings().vicinity.verbose > 0 {
        for it in moved.iter().flatten() {
            let (mib, how) = (it.bytes >> 20, repair::described(&it.plan));
            report::show(&format!("vicinity: moved {mib} MiB at {:#x}: {how}\n", it.start));
        }
    }
}

/// A forked child has none of its parent's timers.
pub fn in_child(thread: &Thread) {
    thread.watch.set(None);
}
