//! Distances by measurement: how long a cache line takes from a core of one location to one of another.
//!
//! Two threads, each bound to the first processor of its location, hand a number to and fro. The shortest of
//! several tries counts, because what disturbs them only makes them longer. The nearest two locations are 15
//! apart, as if they shared a cache; the others in proportion. It takes about 0.3 ms a pair, so it is done
//! once: the matrix is saved under the cache folder, in a file named after the machine and its locations, and
//! read from there the next time. A file that is damaged, or another machine's, is measured anew; one that
//! cannot be written is done without.
//!
//! Source: Muddukrishna, Jonsson, Brorsson 2015, section 4 (home caches). Units: tenths of a local access.

use super::distances::{self, Matrix};
use super::layout::Place;
use crate::os::{CpuSet, affinity, files};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use vicinity_policy::topology::{LOCAL, Topology};

/// Distance of the nearest two.
const NEAREST: u128 = 15;
/// Pairs grow with the square: this many take about ten seconds.
const MAX_LOCATIONS: usize = 256;
/// Of a matrix of so many, as text.
const MOST_BYTES: u64 = 1 << 20;
const TRIES: u32 = 5;
const ROUND_TRIPS: u32 = 200;

/// The distances between locations: saved ones, or measured now. The error says why there are none.
pub fn distances(places: &[Place], cache: Option<&Path>) -> Result<Vec<u16>, String> {
    let processors = places.iter().map(|place| place.processors.first());
    let processors = processors.collect::<Option<Vec<u32>>>();
    let processors = processors.ok_or("a location without processors cannot be measured")?;
    if processors.len() > MAX_LOCATIONS {
        return Err(format!("more than {MAX_LOCATIONS} locations take too long to measure"));
    }
    let machine = identity(places);
    let file = cache.map(|folder| folder.join(file_name(&machine)));
    if let Some(known) = file.as_deref().and_then(|file| saved(file, &machine, places.len())) {
        return Ok(known);
    }
    let measured = measure(&processors)?;
    if let Some(file) = &file {
        save(file, &machine, &measured, places.len());
    }
    Ok(measured)
}

/// One line that tells this machine and its locations from others.
fn identity(places: &[Place]) -> String {
    let cpuinfo = super::sysfs::read("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split(':').nth(1));
    let lists: Vec<String> = places.iter().map(|place| place.processors.to_string()).collect();
    format!("{}; locations {}", model.unwrap_or("unknown").trim(), lists.join(" "))
}

fn file_name(machine: &str) -> String {
    format!("distances-{:016x}.txt", crate::digest::digest(machine))
}

fn heading(machine: &str) -> String {
    format!("# Vicinity: distances by core-to-core latency\n# {machine}\n")
}

/// The matrix in a file, if it is this machine's and whole.
fn saved(file: &Path, machine: &str, size: usize) -> Option<Vec<u16>> {
    let text = String::from_utf8(files::read_file(file, MOST_BYTES).ok()?).ok()?;
    let Matrix { size: found, values } =
        distances::parse(text.strip_prefix(&heading(machine))?).ok()?;
    let makes_sense = Topology::new(vec![1; size], values.clone(), 0).is_ok();
    (found == size && makes_sense).then_some(values)
}

/// Readers see the old file or the whole new one.
fn save(file: &Path, machine: &str, values: &[u16], size: usize) {
    let text = heading(machine) + &distances::show(values, size);
    let unfinished = file.with_extension(std::process::id().to_string());
    let folder = file.parent().map_or(Ok(()), files::Folder::make);
    // New: what has this name already is not ours.
    let opened = folder.and_then(|()| File::create_new(&unfinished));
    let Ok(mut opened) = opened else { return };
    let written = opened.write_all(text.as_bytes());
    if written.and_then(|()| fs::rename(&unfinished, file)).is_err() {
        let _ = fs::remove_file(&unfinished);
    }
}

/// Distances between processors, one for each location.
fn measure(processors: &[u32]) -> Result<Vec<u16>, String> {
    let size = processors.len();
    let mut times = vec![Duration::ZERO; size * size];
    for from in 0..size {
        for to in from + 1..size {
            let time = round_trip(processors[from], processors[to])?;
            times[from * size + to] = time;
            times[to * size + from] = time;
        }
    }
    Ok(in_proportion(&times, size))
}

fn in_proportion(times: &[Duration], size: usize) -> Vec<u16> {
    let apart = |at: &usize| at / size != at % size;
    let nearest = (0..times.len()).filter(apart).map(|at| times[at].as_nanos()).min();
    let nearest = nearest.unwrap_or(1).max(1);
    let distance = |at: usize| {
        if !apart(&at) {
            return LOCAL;
        }
        let scaled = (times[at].as_nanos() * NEAREST + nearest / 2) / nearest;
        u16::try_from(scaled).unwrap_or(u16::MAX)
    };
    (0..times.len()).map(distance).collect()
}

/// The line that goes to and fro, alone in its place: 128 bytes, because some processors fetch two lines.
#[repr(align(128))]
struct Ball(AtomicU32);

/// The shortest time of `ROUND_TRIPS` between two processors. The calling thread plays too, and goes back to
/// where it may run afterwards.
fn round_trip(one: u32, other: u32) -> Result<Duration, String> {
    let ball = Ball(AtomicU32::new(0));
    let start = Barrier::new(2);
    let bind = |cpu: u32| affinity::bind_current_thread(&CpuSet::from_iter([cpu]));
    let partner = || {
        let bound = bind(other);
        start.wait();
        (0..TRIES * ROUND_TRIPS).for_each(|throw| catch(&ball, 2 * throw + 1));
        bound
    };
    let before = affinity::affinity_mask();
    let time = std::thread::scope(|scope| {
        let partner = std::thread::Builder::new().spawn_scoped(scope, partner)?;
        let bound = bind(one);
        start.wait();
        let tries = (0..TRIES).map(|round| {
            let begun = Instant::now();
            let throws = round * ROUND_TRIPS..(round + 1) * ROUND_TRIPS;
            throws.for_each(|throw| catch(&ball, 2 * throw));
            begun.elapsed()
        });
        let shortest = tries.min().unwrap_or_default();
        partner.join().unwrap_or(Ok(())).and(bound).map(|()| shortest)
    });
    let _ = affinity::bind_current_thread(&before);
    time.map_err(|error| format!("processors {one} and {other}: {error}"))
}

/// Waits for the number, and hands the next one back.
fn catch(ball: &Ball, number: u32) {
    /// Polls before the processor is given up: the other may be waiting for this one.
    const PATIENCE: u32 = 10_000;
    let mut polls = 0;
    // Acquire: pairs with the Release below, on the other thread.
    while ball.0.load(Ordering::Acquire) != number {
        polls += 1;
        if polls % PATIENCE == 0 {
            std::thread::yield_now();
        }
        std::hint::spin_loop();
    }
    // Release: pairs with the Acquire above.
    ball.0.store(number + 1, Ordering::Release);
}

#[cfg(test)]
#[path = "measured_tests.rs"]
mod tests;
