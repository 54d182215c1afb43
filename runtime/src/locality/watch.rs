//! Watching threads: who is sampled, and when what they did is looked at.
//!
//! A thread is watched while it is in a parallel region: workers always, whoever begins regions while he is inside one. Masters look
//! when they have passed a barrier, at most as often as there are enough samples. Two want to know: the repair of where memory is
//! (`OMP_DATA_DISTRIBUTION=auto`), and the trace (`VICINITY_TRACE_MEMORY`). Without either all this is one load of a variable that
//! nobody writes.

use crate::process_lock::ProcessLock;
use crate::report;
use crate::thread::{self, Thread};
use crate::trace::memory;
use std::sync::atomic::{AtomicBool, Ordering};
use vicinity_alloc::os::samples::{self, Tally, Timer};
use vicinity_alloc::repair::{self, Repair};
use vicinity_alloc::touches::{self, Watcher};

/// Who watches, and for whom.
pub(crate) struct Watching {
    watcher: Watcher,
    repair: Option<Repair>,
}

/// None before somebody wants to know, and where nothing can be known.
pub(crate) static WATCHING: ProcessLock<Option<Watching>> = ProcessLock::new(None);
/// Relaxed: set once or twice, before the first region.
static ON: AtomicBool = AtomicBool::new(false);

/// Samples that are worth a look.
const ENOUGH: usize = 64;

/// How a thread is watched.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    tally: &'static Tally,
    timer: Option<Timer>,
}

/// Begins to watch for the repair of where memory is, where that is possible.
pub fn start_repair() {
    let repair = Repair::start();
    let begun = repair.is_some()
        && begin_with(|watching| {
            watching.repair = repair;
        });
    if !begun {
        report::warn(
            "OMP_DATA_DISTRIBUTION=auto: memory stays where it is (locations that are not NUMA nodes, another handler of SIGURG, or \
             no /proc)",
        );
    }
}

/// Begins to watch for the trace.
pub fn start_trace() {
    if !begin_with(|_| ()) {
        report::warn(
            "VICINITY_TRACE_MEMORY: nobody is sampled (another handler of SIGURG, or no /proc)",
        );
    }
}

fn begin_with(wish: impl FnOnce(&mut Watching)) -> bool {
    let mut watching = WATCHING.lock();
    if watching.is_none() {
        *watching = Watcher::start().map(|watcher| Watching { watcher, repair: None });
    }
    watching.as_mut().map(wish);
    ON.store(watching.is_some(), Ordering::Relaxed);
    watching.is_some()
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
        watch(thread).tally.regions.fetch_add(1, Ordering::Relaxed);
        memory::region_begins(thread);
    }
}

/// The calling thread has ended one. It may have begun before anybody was watched.
#[inline]
pub fn region_ends(thread: &'static Thread) {
    if is_on() {
        let count = &watch(thread).tally.regions;
        let _ = count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |it| it.checked_sub(1));
    }
}

/// Whether the calling thread is in a region of several threads, as far as somebody watches.
pub fn is_in_region() -> bool {
    let watch = thread::try_current().and_then(|thread| thread.watch.get());
    // Relaxed: the thread's own.
    watch.is_some_and(|watch| watch.tally.regions.load(Ordering::Relaxed) > 0)
}

/// A worker goes to work.
#[inline]
pub fn worker_enters(thread: &'static Thread) {
    if is_on() && thread.watch.get().is_none() {
        watch(thread).tally.regions.store(1, Ordering::Relaxed);
    }
}

#[cold]
fn begin(thread: &'static Thread) -> Watch {
    let tally: &'static Tally =
        Box::leak(Box::new(Tally { thread: thread.gtid as u32, ..Tally::default() }));
    let threads = crate::global::processors();
    let every_ns = touches::every_ns(threads);
    let first_ns = vicinity_policy::repair::first_sample_ns(tally.thread, every_ns);
    let timer = samples::watch_thread(tally, first_ns, every_ns);
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

/// Looks at what was sampled so far.
#[cold]
pub fn look(threads: u32) {
    let every_ns = touches::every_ns(crate::global::processors());
    let mut watching = WATCHING.lock();
    let Some(Watching { watcher, repair }) = &mut *watching else { return };
    let touches = watcher.take();
    memory::add(&touches, every_ns);
    let moved = repair.as_mut().map(|repair| repair.digest(&touches, every_ns, threads));
    drop(watching);
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
