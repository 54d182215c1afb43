//! What the host device has one of, and programs may change while they run: the limits of teams
//! regions, the affinity format, and the host's threads as a resource.
//!
//! All values are independent of each other, so all accesses are Relaxed.
//! Source: OpenMP 5.2, table 2.3 (ICVs of device scope), section 18.6 (omp_pause_resource).

use crate::global::{self, settings};
use crate::process_lock::ProcessLock;
use crate::team::pool;
use crate::thread;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// A number that the environment gives and the program may replace.
pub struct Replaceable {
    /// `UNSET` until the program sets it.
    own: AtomicU32,
}

const UNSET: u32 = u32::MAX;

impl Replaceable {
    const fn new() -> Replaceable {
        Replaceable { own: AtomicU32::new(UNSET) }
    }

    pub fn set(&self, value: u32) {
        self.own.store(value, Ordering::Relaxed);
    }

    fn or(&self, given: impl FnOnce() -> u32) -> u32 {
        match self.own.load(Ordering::Relaxed) {
            UNSET => given(),
            own => own,
        }
    }
}

/// nteams-var, as `omp_set_num_teams` sets it.
pub static NUM_TEAMS: Replaceable = Replaceable::new();
/// teams-thread-limit-var, as `omp_set_teams_thread_limit` sets it.
pub static TEAMS_THREAD_LIMIT: Replaceable = Replaceable::new();

/// nteams-var; 0 when there is no limit.
pub fn num_teams() -> u32 {
    NUM_TEAMS.or(|| settings().num_teams)
}

/// teams-thread-limit-var; 0 when there is no limit.
pub fn teams_thread_limit() -> u32 {
    TEAMS_THREAD_LIMIT.or(|| settings().teams_thread_limit)
}

/// Bytes of a new thread's stack as the program asked for them; 0: it did not.
static STACK_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Gives threads that are created from now on a stack of this size.
pub fn set_stack_bytes(bytes: usize) {
    STACK_BYTES.store(bytes, Ordering::Relaxed);
}

pub(crate) fn asked_stack_bytes() -> Option<usize> {
    Some(STACK_BYTES.load(Ordering::Relaxed)).filter(|&bytes| bytes != 0)
}

/// affinity-format-var, once a program has set it.
pub(crate) static FORMAT: ProcessLock<Option<String>> = ProcessLock::new(None);

/// affinity-format-var.
pub fn affinity_format() -> String {
    FORMAT.lock().as_ref().unwrap_or(&settings().affinity_format).clone()
}

pub fn set_affinity_format(text: String) {
    *FORMAT.lock() = Some(text);
}

/// Gives up what the host's threads hold: the calling thread's teams and every free worker. False
/// inside a parallel region, where nothing can be given up.
pub fn pause() -> bool {
    thread::current();
    end_workers().is_some()
}

/// The same, by any thread; how many workers end.
pub fn end_workers() -> Option<usize> {
    if let Some(thread) = thread::try_current() {
        let team = thread.member().team();
        if team.nest().level > 0 {
            return None;
        }
        team.dissolve_hot();
    }
    Some(pool::end_free())
}

/// Gives the workers that the calling thread keeps for its next region back to the pool. Outside of
/// regions only.
pub fn release_workers() {
    thread::current().member().team().dissolve_hot();
}

/// What a thread gets that asks for the settings by `omp_display_env`.
pub fn environment(verbose: bool) -> String {
    crate::display::display_env(settings(), global::processors(), verbose)
}
