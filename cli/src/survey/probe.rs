//! Measures memory: how long an access takes, and how much can be read, from each location's processors to each location's
//! memory.
//!
//! Latency: one processor follows a random cycle through all cache lines of a buffer, so each access waits for the one before
//! (as lmbench's lat_mem_rd does it: McVoy, Staelin 1996). Bandwidth: the processors of a location read a part of the buffer
//! each. Buffers are several times the last-level caches of a location. The best of a few passes counts: what else runs makes
//! them slower, and nothing makes them faster.

use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

use vicinity_alloc::os::{self, CpuSet, memory, numa};
use vicinity_alloc::topology::{Machine, Place};
use vicinity_output::tell;

use super::file::Memory;

const LEAST_BUFFER_BYTES: u64 = 64 << 20;
/// A buffer is so many times the caches.
const TIMES_CACHES: u64 = 4;
/// All buffers take at most this part of memory.
const PART_OF_MEMORY: u64 = 8;
const PASSES: usize = 3;
/// Accesses of a pass: so many, and so often round the buffer at most.
const STEPS: usize = 500_000;
const ROUNDS: usize = 4;
const QUICK_BUFFER_BYTES: u64 = 1 << 20;

/// A cache line; its first word is the next line of the cycle.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u64; 8]);

const LINE_BYTES: usize = size_of::<Line>();

/// Measures all pairs; `quick` takes small buffers, whose figures say little.
pub fn memory(machine: &Machine, quick: bool) -> Memory {
    let places = &machine.locations;
    let buffer_bytes = if quick { QUICK_BUFFER_BYTES } else { buffer_bytes(machine) };
    let mut latency_ns = vec![Vec::new(); places.len()];
    let mut read_mb_per_s = vec![Vec::new(); places.len()];
    let mut buffers = Vec::new();
    for (at, place) in places.iter().enumerate() {
        tell(format!("survey: memory {} of {}: {}", at + 1, places.len(), place.name));
        let buffer = buffer_on(place, buffer_bytes);
        for (from, reader) in places.iter().enumerate() {
            if let Some(first) = reader.processors.first() {
                latency_ns[from].push(latency(&buffer, first));
                read_mb_per_s[from].push(bandwidth(&[(&buffer, &reader.processors)]));
            }
        }
        buffers.push(buffer);
    }
    let own: Vec<(&[Line], &CpuSet)> =
        buffers.iter().map(Vec::as_slice).zip(places.iter().map(|it| &it.processors)).collect();
    let first = places.iter().position(|place| !place.processors.is_empty()).unwrap_or(0);
    let one: CpuSet = places[first].processors.first().into_iter().collect();
    Memory {
        buffer_bytes,
        latency_ns,
        read_mb_per_s,
        one_processor_mb_per_s: bandwidth(&[(&buffers[first], &one)]),
        together_mb_per_s: bandwidth(&own),
    }
}

/// The clock of the fastest processor now, as the kernel says.
pub fn clock_mhz(cpuinfo: &str) -> Option<u32> {
    let lines = cpuinfo.lines().filter(|line| line.starts_with("cpu MHz"));
    let values = lines.filter_map(|line| line.split_once(':')?.1.trim().parse::<f64>().ok());
    values.map(|mhz| mhz as u32).max()
}

fn buffer_bytes(machine: &Machine) -> u64 {
    let caches = machine.cache_sizes();
    let most = machine.locations.iter().map(|place| u64::from(place.processors.len())).max();
    let of_location = caches.last_level_per_core_bytes * most.unwrap_or(1);
    let wanted = TIMES_CACHES * caches.last_level_bytes.max(of_location);
    let room = memory::physical_bytes() / PART_OF_MEMORY / machine.locations.len() as u64;
    let whole = LINE_BYTES as u64;
    wanted.max(LEAST_BUFFER_BYTES).min(room).max(LINE_BYTES as u64) / whole * whole
}

/// Lines on the memory of a location, in a random cycle.
fn buffer_on(place: &Place, bytes: u64) -> Vec<Line> {
    let count = bytes as usize / LINE_BYTES;
    let mut lines: Vec<Line> = Vec::with_capacity(count);
    if let Some(node) = place.node {
        let page = memory::page_size();
        let start = (lines.as_ptr() as usize).next_multiple_of(page);
        let end = (lines.as_ptr() as usize + count * LINE_BYTES) / page * page;
        // Where the kernel has one node, or will not, pages are where it puts them.
        let _ = numa::prefer(start, end.saturating_sub(start), node);
    }
    lines.resize(count, Line([0; 8]));
    for (at, line) in lines.iter_mut().enumerate() {
        line.0[0] = at as u64;
    }
    // Sattolo (1986): exchanging each with an earlier one makes a single cycle.
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    for at in (1..count).rev() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        lines.swap(at, (random % at as u64) as usize);
    }
    lines
}

/// Nanoseconds of an access by one processor.
fn latency(lines: &[Line], processor: u32) -> f64 {
    let steps = STEPS.min(ROUNDS * lines.len());
    let chase = || {
        let _ = os::bind_current_thread(&std::iter::once(processor).collect());
        let mut at = 0;
        let pass = |_| {
            let start = Instant::now();
            for _ in 0..steps {
                at = lines[at].0[0] as usize;
            }
            black_box(at);
            start.elapsed().as_secs_f64() * 1e9 / steps as f64
        };
        (0..PASSES).map(pass).fold(f64::INFINITY, f64::min)
    };
    std::thread::scope(|scope| scope.spawn(chase).join().unwrap_or(f64::NAN))
}

/// Megabytes a second that the processors of each buffer read of it, all at once.
fn bandwidth(readers: &[(&[Line], &CpuSet)]) -> f64 {
    let jobs: Vec<(u32, &[Line])> = readers
        .iter()
        .flat_map(|&(lines, processors)| {
            let part = lines.len().div_ceil(processors.len().max(1) as usize);
            processors.iter().zip(lines.chunks(part))
        })
        .collect();
    let bytes: usize = jobs.iter().map(|job| job.1.len() * LINE_BYTES).sum();
    let barrier = &Barrier::new(jobs.len());
    let pass = |_| {
        let spans: Vec<(Instant, Instant)> = std::thread::scope(|scope| {
            let start = |&(processor, part)| scope.spawn(move || read(part, processor, barrier));
            let started: Vec<_> = jobs.iter().map(start).collect();
            started.into_iter().filter_map(|thread| thread.join().ok()).collect()
        });
        let start = spans.iter().map(|span| span.0).min();
        let end = spans.iter().map(|span| span.1).max();
        let seconds = start.zip(end).map_or(f64::NAN, |(start, end)| (end - start).as_secs_f64());
        bytes as f64 / seconds / 1e6
    };
    (0..PASSES).map(pass).fold(0.0, f64::max)
}

/// Reads all of a part, from when all are ready.
fn read(lines: &[Line], processor: u32, barrier: &Barrier) -> (Instant, Instant) {
    let _ = os::bind_current_thread(&std::iter::once(processor).collect());
    barrier.wait();
    let start = Instant::now();
    let mut sums = [0_u64; 8];
    for line in lines {
        for (sum, word) in sums.iter_mut().zip(line.0) {
            *sum = sum.wrapping_add(word);
        }
    }
    black_box(sums);
    (start, Instant::now())
}

#[cfg(test)]
mod tests {
    use super::*;
    use vicinity_alloc::topology::Request;

    #[test]
    fn a_buffer_is_one_cycle() {
        let machine = Machine::find(&Request::default());
        let lines = buffer_on(&machine.locations[0], 1 << 16);
        let (mut at, mut steps) = (0, 0);
        while steps == 0 || at != 0 {
            at = lines[at].0[0] as usize;
            steps += 1;
        }
        assert_eq!(steps, lines.len());
    }

    #[test]
    fn every_pair_is_measured() {
        let machine = Machine::find(&Request::default());
        let memory = memory(&machine, true);
        let rows = memory.latency_ns.iter().chain(&memory.read_mb_per_s);
        for (row, place) in rows.zip(machine.locations.iter().cycle()) {
            let expected = if place.processors.is_empty() { 0 } else { machine.locations.len() };
            assert_eq!(row.len(), expected);
            assert!(row.iter().all(|value| value.is_finite() && *value > 0.0), "{memory:?}");
        }
        assert!(memory.one_processor_mb_per_s > 0.0 && memory.together_mb_per_s > 0.0);
    }

    #[test]
    fn the_fastest_clock_counts() {
        let text = "cpu MHz\t\t: 2400.123\nother\t: 1\ncpu MHz\t\t: 3100.9\n";
        assert_eq!(clock_mhz(text), Some(3100));
        assert_eq!(clock_mhz(""), None);
    }
}
