//! Programs of loops in virtual time, and what `auto` makes of them.
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

pub mod programs;

use crate::machine::Machine;
use crate::memory::{Demand, Memory, Traffic};
use crate::placement::Placement;
use crate::program::{Program, Use};
use crate::random::Random;
use std::collections::BTreeMap;
use vicinity_policy::distribution::Distribution;
use vicinity_policy::repair::{self, LEAST_SAMPLES, Plan, Seen};
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
}

/// Where memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placing {
    /// As the program does it: the master touches everything first that it initialises, users the rest.
    FirstTouch,
    /// Pages go round.
    Fine,
    /// Each page is with its first user.
    Hand,
    /// As `FirstTouch`, and then repaired.
    Auto,
}

/// A program that ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    pub makespan_ps: u64,
    /// The time at the end of each round.
    pub after_ps: Vec<u64>,
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
    /// How many pages of which part are where, since the last move.
    pages: Vec<(usize, LocationId, u32)>,
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

/// Runs so many rounds of the program.
pub fn run(loops: &Loops, machine: &Machine, placing: Placing, rounds: u64, seed: u64) -> Ran {
    let team = threads(machine);
    let how = if placing == Placing::Fine { Distribution::Fine } else { Distribution::Auto };
    let mut placement = Placement::new(&loops.program, machine, how, team[0]);
    if placing == Placing::Hand {
        placement.forget();
    }
    let shares = loops.loops.iter().flat_map(|shares| shares.iter().zip(&team));
    shares.for_each(|(share, &at)| share.uses.iter().for_each(|it| placement.touch(it, at)));
    let mut watcher = (placing == Placing::Auto).then(|| Watcher::new(loops, machine, &team, seed));
    let mut ran = Ran::default();
    // Until something is moved, a loop takes as long as it took before.
    let mut known: Vec<Option<Vec<u64>>> = vec![None; loops.loops.len()];
    for _ in 0..rounds {
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
        ran.after_ps.push(ran.makespan_ps);
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
            let part_bytes = bytes
                .div_ceil(repair::parts_of(bytes) as u64)
                .next_multiple_of(machine.unit_bytes)
                .max(1);
            let parts = bytes.div_ceil(part_bytes).max(1) as usize;
            let seen = Seen::new(parts, machine.topology.len());
            let (pages, next_look) = (Vec::new(), LEAST_SAMPLES);
            Watched { seen, pages, part_bytes, spent_ps: 0, next_look, moves: 0 }
        };
        let every_ns = repair::every_us(team.len() as u32) * 1000;
        let since_ps = |thread| (every_ns + 1 - repair::first_sample_ns(thread, every_ns)) * 1000;
        Watcher {
            regions: loops.program.regions.iter().map(|it| region(it.bytes)).collect(),
            random: Random::new(seed, 0),
            since_ps: (0..team.len() as u32).map(since_ps).collect(),
            every_ps: every_ns * 1000,
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
            watched.next_look =
                watched.seen.samples() + repair::between_looks(watched.seen.parts());
            let mut seen = watched.seen.clone();
            let per_part = watched.part_bytes / machine.unit_bytes;
            if watched.pages.is_empty() {
                watched.pages = pages_of(placement, region, per_part);
            }
            watched.pages.iter().for_each(|&(part, at, pages)| seen.add_pages(part, at, pages));
            let advice = seen.advise(&machine.topology, &allowed);
            let lost_ns = advice.saves * watched.spent_ps as f64 / 1000.0 / threads as f64;
            let bytes = placement.bytes(region);
            if advice.plan == Plan::Leave || !repair::pays(lost_ns as u64, bytes, watched.moves) {
                continue;
            }
            watched.moves += 1;
            watched.pages.clear();
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

/// How many pages of which part of a region are where.
fn pages_of(
    placement: &Placement,
    region: usize,
    pages_per_part: u64,
) -> Vec<(usize, LocationId, u32)> {
    let mut counted: BTreeMap<(usize, LocationId), u32> = BTreeMap::new();
    placement.each_page(region, |page, at| {
        *counted.entry(((page / pages_per_part) as usize, at)).or_default() += 1;
    });
    counted.into_iter().map(|((part, at), pages)| (part, at, pages)).collect()
}

#[cfg(test)]
mod tests {
    use super::programs::*;
    use super::*;
    use vicinity_policy::presets;
    use vicinity_policy::topology::Topology;

    fn machine(name: &str) -> Machine {
        Machine::new(presets::named(name).unwrap())
    }

    #[test]
    fn auto_finds_what_a_hand_would_place() {
        let machine = machine("opteron6172");
        let stream = stream(&machine, 64 << 20);
        let ps = |placing| run(&stream, &machine, placing, 400, 1).makespan_ps;
        let (master, hand) = (ps(Placing::FirstTouch), ps(Placing::Hand));
        let auto = run(&stream, &machine, Placing::Auto, 400, 1);
        assert!(master > 4 * hand, "{master} {hand}");
        assert!(auto.makespan_ps < master / 2 && auto.moved_bytes >= 3 * (56 << 20), "{auto:?}");
        assert_eq!(auto, run(&stream, &machine, Placing::Auto, 400, 1), "the same seed");
    }

    #[test]
    fn what_all_read_goes_round() {
        let machine = machine("opteron6172");
        let cg = cg(&machine, 1 << 21);
        let ps = |placing| run(&cg, &machine, placing, 100, 1).makespan_ps;
        assert!(ps(Placing::Auto) < ps(Placing::FirstTouch) / 2);
    }

    #[test]
    fn what_its_users_touched_first_stays() {
        let machine = machine("epyc-nps4");
        let stream = stream_touched_in_parallel(&machine, 64 << 20);
        let ran = |placing| run(&stream, &machine, placing, 400, 1);
        assert_eq!(ran(Placing::Auto).moved_bytes, 0);
        assert_eq!(ran(Placing::Auto).makespan_ps, ran(Placing::Hand).makespan_ps);
    }

    #[test]
    fn tasks_that_any_thread_gets_want_pages_everywhere() {
        let machine = machine("epyc-nps4");
        let health = health(&machine, 128 << 20);
        let ps = |placing| run(&health, &machine, placing, 100, 1).makespan_ps;
        assert!(ps(Placing::Auto) < ps(Placing::FirstTouch) / 2);
        assert!(ps(Placing::Fine) < ps(Placing::FirstTouch) / 3);
    }

    /// So many of a machine's locations.
    fn part_of(name: &str, count: u16) -> Machine {
        let mut preset = presets::named(name).unwrap();
        let all = &preset.topology;
        let own = || (0..count).map(LocationId);
        let cores = own().map(|at| all.threads(at)).collect();
        let distances = own().flat_map(|from| own().map(move |to| all.distance(from, to)));
        preset.topology = Topology::new(cores, distances.collect(), all.cache_bytes).unwrap();
        Machine::new(preset)
    }

    /// The programs of Xu et al. 2015, section 4, on one to four nodes that are devices: docs/devices.md has the numbers.
    #[test]
    fn programs_scale_over_devices_that_have_their_data() {
        type Maker = fn(&Machine) -> Loops;
        let programs: [(Maker, f64); 3] = [
            (|machine| product(machine, 4096), 3.3),
            (|machine| jacobi(machine, 8192), 3.8),
            (|machine| bodies(machine, 1 << 16), 3.8),
        ];
        for (make, least) in programs {
            let ms = |count, placing| {
                let machine = part_of("arm-4node", count);
                run(&make(&machine), &machine, placing, 1, 1).makespan_ps as f64 / 1e9
            };
            let mapped = [1, 4].map(|count| ms(count, Placing::Hand));
            assert!(mapped[0] / mapped[1] > least, "{mapped:?}");
        }
    }

    /// How much longer a share of STREAM takes with its data at another location, where nine of ten have theirs nearby.
    fn far_of_near(machine: &Machine) -> f64 {
        let (stream, team) = (stream(machine, 256 << 20), threads(machine));
        let mut placement = Placement::new(&stream.program, machine, Distribution::Auto, team[0]);
        placement.forget();
        let shares = &stream.loops[0];
        let each = shares.iter().zip(&team);
        each.for_each(|(share, &at)| share.uses.iter().for_each(|it| placement.touch(it, at)));
        let (mut moved, count) = (shares.clone(), team.len());
        let far: Vec<usize> = (0..count).step_by(10).collect();
        far.iter().for_each(|&one| moved[one] = shares[(one + count / 2) % count].clone());
        let mut times = run_loop(&moved, machine, &placement, &team);
        let far_ps = far.iter().map(|&one| times[one]).sum::<u64>() as f64 / far.len() as f64;
        times.sort_unstable();
        far_ps / times[count / 2] as f64
    }

    /// Klinkenberg et al. measured 2.8 on machines of two and of eight sockets: results/locality-simulated.
    #[test]
    fn far_shares_take_longer() {
        let ratios = ["opteron6172", "xeon-snc4", "arm-4node", "epyc-nps4"]
            .map(|name| far_of_near(&machine(name)));
        assert!(ratios.is_sorted() && ratios[0] > 1.6 && ratios[3] < 2.9, "{ratios:?}");
    }
}
