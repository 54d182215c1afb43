//! A seeded stress test of the task engine: random task trees and dependence graphs on teams of
//! several sizes, nested regions, groups, waits, priorities, and events that another thread fulfills.
//!
//! Each task draws what it does from a generator of its own, whose seed its creator drew; so a seed fixes
//! the tree, and the schedule alone differs from run to run. Tasks record what they see and compare
//! (`witness`).
//!
//! `VICINITY_SEED` sets the first round's seed (default: the clock's), `VICINITY_STRESS_SECONDS` how long
//! rounds follow each other.

mod engine;
mod random;
mod streams;
mod tree;
mod witness;

use random::Random;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use witness::{SEED, check, fail};

const TEAM_SIZES: [u32; 5] = [1, 2, 3, 8, 17];
/// A round takes milliseconds; one that takes this long hangs.
const HANGS_AFTER: Duration = Duration::from_secs(90);

/// One test at a time: they measure.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    engine::start();
    turn
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

fn first_seed() -> u64 {
    let clock = || SystemTime::UNIX_EPOCH.elapsed().map_or(1, |now| now.as_micros() as u64);
    number("VICINITY_SEED").unwrap_or_else(clock)
}

/// Rounds begun and ended, of all tests.
static ROUNDS: AtomicU64 = AtomicU64::new(0);

/// Ends the process if no round ends for long.
fn watch_for_hangs() {
    static WATCHED: Once = Once::new();
    let watch = || {
        let mut seen = (u64::MAX, Instant::now());
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let now = ROUNDS.load(Relaxed);
            if now != seen.0 {
                seen = (now, Instant::now());
            } else if seen.1.elapsed() > HANGS_AFTER {
                fail("a round hangs");
            }
        }
    };
    WATCHED.call_once(|| drop(std::thread::spawn(watch)));
}

/// Waits for the threads that fulfill events to let go of what they know.
fn wait_for_notes() {
    let since = Instant::now();
    while witness::notes_alive() > 0 {
        check(since.elapsed() < Duration::from_secs(20), "a task's body was never run or dropped");
        std::thread::yield_now();
    }
}

/// Runs rounds for some seconds, `usual` if the environment does not say, each with a seed of its own.
fn rounds(usual: u64, mut round: impl FnMut(&mut Random)) {
    let _turn = alone();
    watch_for_hangs();
    let budget = Duration::from_secs(number("VICINITY_STRESS_SECONDS").unwrap_or(usual));
    let (start, first) = (Instant::now(), first_seed());
    let before = ROUNDS.load(Relaxed);
    while start.elapsed() < budget {
        let seed = first + ROUNDS.load(Relaxed) - before;
        SEED.store(seed, Relaxed);
        round(&mut Random::new(seed));
        ROUNDS.fetch_add(1, Relaxed);
    }
    println!("{} rounds from seed {first}", ROUNDS.load(Relaxed) - before);
    // The watch stays: what follows must end too.
    ROUNDS.fetch_add(1, Relaxed);
}

fn tree(random: &mut Random) {
    let size = TEAM_SIZES[random.below(TEAM_SIZES.len() as u32) as usize];
    tree::region(size, random, None, 0);
}

#[test]
fn random_trees_keep_the_rules() {
    rounds(4, |random| {
        tree(random);
        wait_for_notes();
    });
}

/// The same on a machine with several locations, one of them without threads in small teams, to which tasks are sent at
/// random: under each scheduler, in processes of their own because the environment is read once.
#[test]
fn random_trees_keep_the_rules_wherever_tasks_are_dealt() {
    in_processes("random_trees_keep_the_rules");
}

fn in_processes(test: &str) {
    let kinds = [("locality", "all"), ("locality", "1"), ("workstealing", "all"), ("central", "2")];
    for (scheduler, reach) in kinds {
        let own = std::env::current_exe().expect("a test knows its own file");
        let status = std::process::Command::new(own)
            .args(["--exact", test, "--nocapture"])
            .env("HWLOC_SYNTHETIC", "numa:4 core:2 pu:1")
            .env("VICINITY_LOCATIONS", "cores")
            .env("VICINITY_SCHEDULER", scheduler)
            .env("VICINITY_REACH", reach)
            .env("VICINITY_STRESS_SECONDS", "2")
            .status();
        assert!(status.is_ok_and(|it| it.success()), "scheduler {scheduler}, reach {reach}");
    }
}

#[test]
fn streams_keep_the_order() {
    rounds(3, |random| {
        let threads = 1 + random.below(5);
        streams::round(random, threads, 600);
    });
}

#[test]
fn streams_keep_the_order_wherever_tasks_are_dealt() {
    in_processes("streams_keep_the_order");
}

/// Threads of the program with regions of their own, some in pairs of sizes, beside others with streams: all take their
/// workers from one pool, and give them back.
fn regions_beside_streams(random: &mut Random) {
    std::thread::scope(|scope| {
        let mut own = || random.split();
        let (mut one, mut two, mut three) = (own(), own(), own());
        scope.spawn(move || streams::round(&mut one, 2, 300));
        scope.spawn(move || (0..3).for_each(|_| tree(&mut two)));
        scope.spawn(move || tree::resize(&mut three, 60));
    });
    wait_for_notes();
}

#[test]
fn regions_and_streams_share_the_workers() {
    rounds(3, regions_beside_streams);
}

#[test]
fn regions_and_streams_share_the_workers_wherever_tasks_are_dealt() {
    in_processes("regions_and_streams_share_the_workers");
}

#[test]
fn teams_shrink_and_grow() {
    rounds(2, |random| tree::resize(random, 400));
}

#[test]
fn teams_shrink_and_grow_at_several_locations() {
    in_processes("teams_shrink_and_grow");
}

/// Resident memory in bytes, in pages of 4 KiB.
fn resident_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
}

#[test]
fn memory_is_bounded() {
    const GROWTH_BYTES: u64 = 24 << 20;
    let _turn = alone();
    let rounds = |count: u32| (0..count).for_each(|_| tree::stream(3, 3000));
    rounds(4);
    let before = resident_bytes();
    rounds(40);
    let growth = resident_bytes().saturating_sub(before);
    // A record takes 320 bytes: 40 rounds that leaked theirs would leave 100 MiB.
    check(growth < GROWTH_BYTES, &format!("memory grew by {growth} bytes"));
}
