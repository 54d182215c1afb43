//! Programs of static loops in virtual time, and what `auto` makes of them.
//!
//! Terms: a *loop* has a share for each thread, and ends with a barrier; a *round* is the program's loops once. *Hand placement* is
//! what somebody would do who knows the program: each page with the thread that uses it most.
//!
//! The model is that of [`crate::memory`]: all threads of a loop work at once, at the pace of the most crowded resource of each; the
//! loop takes as long as the slowest. `auto` is watched and decided as in the runtime (`alloc::repair`): a sample of a thread each
//! so much of its time, at a place of its data by chance; `policy::repair` decides at the barriers; the master moves pages while
//! the others wait. So costs and delays of moving are counted.
//!
//! Units: bytes, picoseconds.

use crate::machine::Machine;
use crate::memory::{Demand, Memory, Traffic};
use crate::placement::Placement;
use crate::program::{Access, Builder, Program, Use};
use crate::random::Random;
use vicinity_policy::distribution::Distribution;
use vicinity_policy::repair::{self, LEAST_SAMPLES, MOST_PARTS, Plan, Seen};
use vicinity_policy::topology::LocationId;

/// What a thread does in a loop.
#[derive(Clone, Debug)]
pub struct Share {
    pub uses: Vec<Use>,
    pub compute_ps: u64,
}

/// Loops that are repeated.
pub struct Loops {
    pub title: String,
    /// Has the regions; its tasks are not used.
    pub program: Program,
    /// Loop by loop, the share of each thread.
    pub loops: Vec<Vec<Share>>,
    pub rounds: u32,
}

/// Where memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placing {
    /// The master touches everything first.
    Master,
    /// Pages go round.
    Fine,
    /// Each page is with its first user.
    Hand,
    /// As `Master`, and then repaired.
    Auto,
}

/// A program that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    pub makespan_ps: u64,
    /// Of it, the moving of pages.
    pub moving_ps: u64,
    pub moved_bytes: u64,
}

/// Threads of a machine, location after location.
pub fn threads(machine: &Machine) -> Vec<LocationId> {
    let at = |location| vec![location; machine.topology.threads(location) as usize];
    machine.topology.locations().flat_map(at).collect()
}

struct Watched {
    seen: Seen,
    part_bytes: u64,
    spent_ps: u64,
    next_look: u32,
    moves: u32,
}

struct Watcher {
    regions: Vec<Watched>,
    random: Random,
    /// Time of each thread since its last sample.
    since_ps: Vec<u64>,
    every_ps: u64,
}

/// Runs the program.
pub fn run(loops: &Loops, machine: &Machine, placing: Placing, seed: u64) -> Ran {
    let team = threads(machine);
    let how = match placing {
        Placing::Master => Distribution::Standard,
        Placing::Fine => Distribution::Fine,
        Placing::Hand | Placing::Auto => Distribution::Auto,
    };
    let mut placement = Placement::new(&loops.program, machine, how, team[0]);
    if placing == Placing::Hand {
        placement.forget();
        let shares = loops.loops.iter().flat_map(|shares| shares.iter().zip(&team));
        shares.for_each(|(share, &at)| share.uses.iter().for_each(|it| placement.touch(it, at)));
    }
    let mut watcher = (placing == Placing::Auto).then(|| Watcher::new(loops, machine, &team, seed));
    let mut ran = Ran { makespan_ps: 0, moving_ps: 0, moved_bytes: 0 };
    // Until something is moved, a loop takes as long as it took before.
    let mut known: Vec<Option<Vec<u64>>> = vec![None; loops.loops.len()];
    for _ in 0..loops.rounds {
        for (number, shares) in loops.loops.iter().enumerate() {
            let times = known[number].take();
            let times = times.unwrap_or_else(|| run_loop(shares, machine, &placement, &team));
            ran.makespan_ps += times.iter().copied().max().unwrap_or(0);
            let Some(watcher) = &mut watcher else {
                known[number] = Some(times);
                continue;
            };
            watcher.watch(shares, &times, &team);
            known[number] = Some(times);
            let bytes = watcher.repair(&mut placement, machine, team.len() as u64);
            if bytes > 0 {
                known.fill(None);
            }
            ran.moved_bytes += bytes;
            ran.moving_ps += bytes * 1000;
            ran.makespan_ps += bytes * 1000;
        }
    }
    ran
}

/// How long each thread takes for its share.
fn run_loop(
    shares: &[Share],
    machine: &Machine,
    placement: &Placement,
    team: &[LocationId],
) -> Vec<u64> {
    let mut memory = Memory::new(machine, &vec![0; machine.topology.len()]);
    let mut traffic = Traffic::default();
    let begin = |(share, &at): (&Share, &LocationId)| {
        let mut demand = Demand::default();
        traffic.clear(machine.topology.len());
        traffic.add_uses(&share.uses, machine, placement);
        memory.begin(&mut demand, &traffic, at, share.compute_ps);
        demand
    };
    let demands: Vec<Demand> = shares.iter().zip(team).map(begin).collect();
    demands.iter().map(|demand| memory.stretched_ps(demand, demand.alone_ps)).collect()
}

impl Watcher {
    fn new(loops: &Loops, machine: &Machine, team: &[LocationId], seed: u64) -> Watcher {
        let region = |bytes: u64| {
            let part_bytes =
                bytes.div_ceil(MOST_PARTS as u64).next_multiple_of(machine.unit_bytes).max(1);
            let parts = bytes.div_ceil(part_bytes).max(1) as usize;
            let seen = Seen::new(parts, machine.topology.len());
            Watched { seen, part_bytes, spent_ps: 0, next_look: LEAST_SAMPLES, moves: 0 }
        };
        Watcher {
            regions: loops.program.regions.iter().map(|it| region(it.bytes)).collect(),
            random: Random::new(seed, 0),
            since_ps: vec![0; team.len()],
            every_ps: repair::every_us(team.len() as u32) * 1_000_000,
        }
    }

    /// Samples the threads of a loop that took so long.
    fn watch(&mut self, shares: &[Share], times: &[u64], team: &[LocationId]) {
        for (thread, (share, &took_ps)) in shares.iter().zip(times).enumerate() {
            self.since_ps[thread] += took_ps;
            while self.since_ps[thread] >= self.every_ps && !share.uses.is_empty() {
                self.since_ps[thread] -= self.every_ps;
                // One of what it uses at that moment has all; the share of each is the same.
                let one = &share.uses[self.random.below(share.uses.len() as u32) as usize];
                let row = u64::from(self.random.below(one.rows));
                let within = self.random.next_u64() % one.bytes.max(1);
                let watched = &mut self.regions[one.region as usize];
                let part = (one.start + row * one.stride + within) / watched.part_bytes;
                watched.seen.add_use(part as usize, team[thread]);
                watched.spent_ps += self.every_ps;
            }
        }
    }

    /// Moves what should be elsewhere; how many bytes that were.
    fn repair(&mut self, placement: &mut Placement, machine: &Machine, threads: u64) -> u64 {
        let allowed: Vec<LocationId> = machine.topology.locations().collect();
        let mut moved = 0;
        for (region, watched) in self.regions.iter_mut().enumerate() {
            if watched.seen.samples() < watched.next_look {
                continue;
            }
            watched.next_look = watched.seen.samples() + LEAST_SAMPLES;
            let mut seen = watched.seen.clone();
            let per_part = watched.part_bytes / machine.unit_bytes;
            placement.each_page(region, |page, at| {
                seen.add_pages((page / per_part) as usize, at, 1);
            });
            let advice = seen.advise(&machine.topology, &allowed);
            let lost_ns = advice.saves * watched.spent_ps as f64 / 1000.0 / threads as f64;
            let bytes = placement.bytes(region);
            if advice.plan == Plan::Leave || !repair::pays(lost_ns as u64, bytes, watched.moves) {
                continue;
            }
            watched.moves += 1;
            watched.seen = Seen::new(watched.seen.parts(), machine.topology.len());
            (watched.spent_ps, watched.next_look) = (0, LEAST_SAMPLES);
            moved += placement.repair(region, |page| match &advice.plan {
                Plan::Parts(homes) => homes[(page / per_part) as usize],
                _ => allowed[page as usize % allowed.len()],
            });
        }
        moved
    }
}

/// Bytes of a double.
const ELEMENT_BYTES: u64 = 8;

/// A part of each of `regions`, thread by thread.
fn split(
    machine: &Machine,
    regions: &[(u32, Access)],
    bytes: u64,
    cycles_per_element: u64,
) -> Vec<Share> {
    let count = threads(machine).len() as u64;
    let part = |thread: u64| {
        let cut = |at: u64| bytes / ELEMENT_BYTES * at / count * ELEMENT_BYTES;
        let (start, end) = (cut(thread), cut(thread + 1));
        let uses =
            regions.iter().map(|&(region, access)| Use::of(region, start, end - start, access));
        let cycles = (end - start) / ELEMENT_BYTES * cycles_per_element;
        Share {
            uses: uses.collect(),
            compute_ps: cycles * 1_000_000 / u64::from(machine.clock_mhz),
        }
    };
    (0..count).map(part).collect()
}

/// STREAM's four kernels over three arrays of so many bytes.
pub fn stream(machine: &Machine, bytes: u64, rounds: u32) -> Loops {
    let mut builder = Builder::default();
    let [a, b, c] = [0; 3].map(|_| builder.region(bytes, true));
    let (r, w) = (Access::Read, Access::Write);
    let kernels: [&[(u32, Access)]; 4] = [
        &[(a, r), (c, w)],
        &[(c, r), (b, w)],
        &[(a, r), (b, r), (c, w)],
        &[(b, r), (c, r), (a, w)],
    ];
    let loops = kernels.iter().map(|kernel| split(machine, kernel, bytes, 1)).collect();
    let title = format!("stream: three arrays of {} MiB", bytes >> 20);
    Loops { title, program: builder.finish("stream".into(), &[], &[]), loops, rounds }
}

/// Conjugate gradients: a sparse matrix by rows (values and columns), whose rows reach anywhere in the vector they are multiplied
/// with, and loops over vectors.
pub fn cg(machine: &Machine, rows: u64, rounds: u32) -> Loops {
    const PER_ROW: u64 = 12;
    let mut builder = Builder::default();
    let (matrix_bytes, vector_bytes) = (rows * PER_ROW * 12, rows * ELEMENT_BYTES);
    let matrix = builder.region(matrix_bytes, true);
    let [p, q, x, r] = [0; 4].map(|_| builder.region(vector_bytes, true));
    let mut product = split(machine, &[(matrix, Access::Read)], matrix_bytes, 1);
    for (share, own) in
        product.iter_mut().zip(split(machine, &[(q, Access::Write)], vector_bytes, 1))
    {
        share.uses.extend(own.uses);
        share.uses.push(Use::of(p, 0, vector_bytes, Access::Read));
    }
    let (read, write) = (Access::Read, Access::ReadWrite);
    let updates = split(machine, &[(p, read), (q, read), (x, write), (r, write)], vector_bytes, 4);
    let direction = split(machine, &[(r, read), (p, write)], vector_bytes, 2);
    let title = format!("cg: {rows} rows of {PER_ROW}");
    let program = builder.finish("cg".into(), &[], &[]);
    Loops { title, program, loops: vec![product, updates, direction], rounds }
}

/// Jacobi's method on a square of doubles, rows split among the threads, from one array into another and back.
pub fn jacobi(machine: &Machine, side: u64, rounds: u32) -> Loops {
    let bytes = side * side * ELEMENT_BYTES;
    let mut builder = Builder::default();
    let [from, to] = [0; 2].map(|_| builder.region(bytes, true));
    let sweep = |a, b| split(machine, &[(a, Access::Read), (b, Access::Write)], bytes, 3);
    let loops = vec![sweep(from, to), sweep(to, from)];
    let title = format!("jacobi: {side} x {side}");
    Loops { title, program: builder.finish("jacobi".into(), &[], &[]), loops, rounds }
}

/// A loop whose data fits the caches: nothing is to be gained.
pub fn compute(machine: &Machine, bytes: u64, rounds: u32) -> Loops {
    let mut builder = Builder::default();
    let array = builder.region(bytes, true);
    let loops = vec![split(machine, &[(array, Access::ReadWrite)], bytes, 200)];
    let title = format!("compute: 200 cycles for each element of {} MiB", bytes >> 20);
    Loops { title, program: builder.finish("compute".into(), &[], &[]), loops, rounds }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vicinity_policy::presets;

    fn machine(name: &str) -> Machine {
        Machine::new(presets::named(name).unwrap())
    }

    #[test]
    fn auto_finds_what_a_hand_would_place() {
        let machine = machine("opteron6172");
        let stream = stream(&machine, 64 << 20, 400);
        let ps = |placing| run(&stream, &machine, placing, 1).makespan_ps;
        let (master, hand) = (ps(Placing::Master), ps(Placing::Hand));
        let auto = run(&stream, &machine, Placing::Auto, 1);
        assert!(master > 4 * hand, "{master} {hand}");
        assert!(auto.makespan_ps < master / 2 && auto.moved_bytes >= 3 * (56 << 20), "{auto:?}");
        assert_eq!(auto, run(&stream, &machine, Placing::Auto, 1), "the same seed, the same run");
    }

    #[test]
    fn what_all_read_goes_round() {
        let machine = machine("opteron6172");
        let cg = cg(&machine, 1 << 21, 100);
        let auto = run(&cg, &machine, Placing::Auto, 1).makespan_ps;
        assert!(auto < run(&cg, &machine, Placing::Master, 1).makespan_ps / 2);
    }
}
