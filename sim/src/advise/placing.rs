//! A recorded run of loops on a machine, with its blocks placed otherwise, and which placement is best.
//!
//! The model is that of [`crate::memory`]. What a thread moves in an execution of a construct is not recorded, so it is estimated, from
//! above by two bounds: once the part of each block between the first and the last place where it was seen, and what a core can
//! wait for, at the local latency, in nine tenths of the time in which the thread was seen with the block. The rest of its time is
//! computation. All is taken for reading.
//!
//! Time in which a thread had no processor is left out. Threads of the trace are spread evenly over the cores of a machine that is not the trace's own. The time outside of regions stays
//! as it was. `auto` is decided by `policy::repair`, from the samples there are, and pays for the pages that it moves. Files and
//! rows of the heap are where they are unless `auto` moves them. `auto` is for a whole run, so where one of these wants it, it also
//! gets what is left as it is.
//!
//! Units: picoseconds, bytes.

use std::collections::BTreeMap;

use vicinity_policy::distribution::{Distribution, Spread};
use vicinity_policy::repair::{Plan, Seen};
use vicinity_policy::topology::LocationId;

use super::uses::{Block, Member, Uses};
use super::{ENOUGH_SAMPLES, LEAST_SAMPLES};
use crate::machine::{LINE_BYTES, Machine};
use crate::memory::{Demand, Memory, Traffic};

/// Moving a byte takes about a nanosecond (`policy::repair`).
const MOVE_PS_PER_BYTE: u64 = 1000;
/// Another placement of a block must take this share less of the run.
const BETTER: f64 = 0.01;

/// Origins with most samples, for which placements are tried; the others stay as they are.
const MOST_CHOICES: usize = 32;

/// Where each part of a block is: shares of locations.
type Homes = Vec<Vec<(LocationId, f64)>>;

/// Where all blocks are, and what is moved of each.
#[derive(Clone)]
struct Placing {
    homes: Vec<Homes>,
    moved_bytes: Vec<u64>,
}

/// The uses of a trace, on a machine.
pub struct Bench<'a> {
    uses: &'a Uses,
    machine: &'a Machine,
    /// Of each member.
    team: Vec<LocationId>,
    /// Time that no placement changes.
    other_ps: u64,
    /// As it was in the trace.
    left: Vec<Homes>,
}

/// What one placement of all blocks comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    pub distribution: Distribution,
    /// Of the time of leaving all as it is.
    pub relative: f64,
}

/// Blocks that are placed alike: those of one origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Positions in `Uses::blocks`.
    pub blocks: Vec<usize>,
    /// `None`: as it is.
    pub best: Option<Distribution>,
    /// Each distribution of these blocks alone, relative to leaving all as it is.
    pub outcomes: Vec<Outcome>,
    pub samples: u32,
}

impl Choice {
    pub fn is_sure(&self) -> bool {
        self.samples >= ENOUGH_SAMPLES
    }
}

/// Distributions that a block can be given.
const CHOICES: [Distribution; 3] =
    [Distribution::Blocked, Distribution::Fine, Distribution::Coarse];
/// That one may have which only moves.
const MOVES: [Distribution; 1] = [Distribution::Auto];
/// And a whole run.
const WHOLE: [Distribution; 4] =
    [Distribution::Blocked, Distribution::Fine, Distribution::Coarse, Distribution::Auto];

impl<'a> Bench<'a> {
    /// `distributions`: of each block in the trace. `is_own`: the machine is the one that was recorded.
    pub fn new(
        uses: &'a Uses,
        machine: &'a Machine,
        distributions: &[Distribution],
        is_own: bool,
        other_ns: u64,
    ) -> Bench<'a> {
        let at = |number: u32| {
            let member = uses.phases.iter().find_map(|phase| phase.members.get(&number));
            member.and_then(|member| member.at).unwrap_or(LocationId(0))
        };
        let team = match is_own {
            true => (0..uses.team as u32).map(at).collect(),
            false => spread(machine, uses.team),
        };
        let mut bench = Bench { uses, machine, team, other_ps: other_ns * 1000, left: Vec::new() };
        let left = |(number, block): (usize, &Block)| match distributions[number] {
            Distribution::Standard | Distribution::Auto => bench.first_touched(block, is_own),
            how => bench.placed(block, how, number),
        };
        bench.left = uses.blocks.iter().enumerate().map(left).collect();
        bench
    }

    fn locations(&self) -> usize {
        self.machine.topology.len()
    }

    fn member(&self, number: u32) -> LocationId {
        self.team.get(number as usize).copied().unwrap_or(LocationId(0))
    }

    /// Each part where it was, or, on another machine, with whoever touched it first; where that was not seen, as the rest.
    fn first_touched(&self, block: &Block, is_own: bool) -> Homes {
        let home = |part: usize| match block.homes[part] {
            Some(home) if is_own => Some(home),
            _ => block.first[part].map(|number| self.member(number)),
        };
        let homes: Vec<Option<LocationId>> = (0..block.parts()).map(home).collect();
        let mut shares: BTreeMap<LocationId, f64> = BTreeMap::new();
        let known = homes.iter().flatten().count() as f64;
        homes.iter().flatten().for_each(|&at| *shares.entry(at).or_default() += 1.0 / known);
        let rest: Vec<(LocationId, f64)> = shares.into_iter().collect();
        homes.into_iter().map(|home| home.map_or(rest.clone(), |at| vec![(at, 1.0)])).collect()
    }

    /// As a distribution has it; `turn` is the block's place in the order of allocation.
    fn placed(&self, block: &Block, how: Distribution, turn: usize) -> Homes {
        let locations: Vec<LocationId> = self.machine.topology.locations().collect();
        let units = block.parts() as u64;
        let everywhere: Vec<_> =
            locations.iter().map(|&at| (at, 1.0 / locations.len() as f64)).collect();
        let part = |part: u64| match how {
            Distribution::Blocked => {
                vec![(Spread::Blocked { units }.location_of(part, &locations), 1.0)]
            }
            Distribution::Coarse => vec![(locations[turn % locations.len()], 1.0)],
            _ => everywhere.clone(),
        };
        (0..units).map(part).collect()
    }

    /// What `auto` makes of a block that is where it was, and the bytes that it moves.
    fn repaired(&self, number: usize) -> (Homes, u64) {
        let (block, left) = (&self.uses.blocks[number], &self.left[number]);
        let mut seen = Seen::new(block.parts(), self.locations());
        for ((part, member), count) in self.uses.by_part(number) {
            (0..count).for_each(|_| seen.add_use(part, self.member(member)));
        }
        for (part, shares) in left.iter().enumerate() {
            shares.iter().for_each(|&(at, share)| seen.add_pages(part, at, (16.0 * share) as u32));
        }
        let allowed: Vec<LocationId> = self.machine.topology.locations().collect();
        match seen.advise(&self.machine.topology, &allowed).plan {
            Plan::Leave => (left.clone(), 0),
            Plan::Round => (self.placed(block, Distribution::Fine, 0), block.bytes),
            Plan::Parts(homes) => {
                (homes.into_iter().map(|at| vec![(at, 1.0)]).collect(), block.bytes)
            }
        }
    }

    /// How long the run takes with blocks placed so.
    fn time_ps(&self, placing: &Placing) -> u64 {
        let phase = |phase: &super::uses::Phase| {
            let mut memory = Memory::new(self.machine, &vec![0; self.locations()]);
            let mut traffic = Traffic::default();
            let begin = |(&number, member): (&u32, &Member)| {
                let mut demand = Demand::default();
                traffic.clear(self.locations());
                let compute_ps =
                    self.add_traffic(member, phase.executions, &placing.homes, &mut traffic);
                memory.begin(&mut demand, &traffic, self.member(number), compute_ps);
                demand
            };
            let demands: Vec<Demand> = phase.members.iter().map(begin).collect();
            let each = demands.iter().map(|it| memory.stretched_ps(it, it.alone_ps));
            phase.executions * each.max().unwrap_or(0)
        };
        let moving_ps = placing.moved_bytes.iter().sum::<u64>() * MOVE_PS_PER_BYTE;
        self.other_ps + moving_ps + self.uses.phases.iter().map(phase).sum::<u64>()
    }

    /// Adds what a member moves in one execution; what it computes meanwhile.
    fn add_traffic(
        &self,
        member: &Member,
        executions: u64,
        homes: &[Homes],
        traffic: &mut Traffic,
    ) -> u64 {
        let busy_ps = (member.busy_ns * 1000) as f64 / executions.max(1) as f64;
        let local_ps = self.machine.latency_ps(LocationId(0), LocationId(0));
        let ps_per_byte = local_ps as f64 / (LINE_BYTES * self.machine.misses_in_flight) as f64;
        let mut waited_ps = 0.0;
        let touches: Vec<(usize, usize, u32)> =
            member.touches.iter().map(|(&(block, part), &count)| (block, part, count)).collect();
        for seen in touches.chunk_by(|one, next| one.0 == next.0) {
            let (number, low, high) = (seen[0].0, seen[0].1, seen[seen.len() - 1].1);
            let block = &self.uses.blocks[number];
            let samples: u32 = seen.iter().map(|&(.., count)| count).sum();
            let with_ps = busy_ps * f64::from(samples) / f64::from(member.samples.max(1));
            let hull: u64 = (low..=high).map(|part| block.bytes_of(part)).sum();
            let bytes = (hull as f64).min(0.9 * with_ps / ps_per_byte);
            waited_ps += bytes * ps_per_byte;
            for (part, shares) in (low..=high).zip(&homes[number][low..=high]) {
                let here = bytes * block.bytes_of(part) as f64 / hull as f64;
                for &(at, share) in shares {
                    traffic.add(at, (here * share) as u64 + 1, 0);
                }
            }
        }
        (busy_ps - waited_ps).max(busy_ps / 10.0) as u64
    }

    /// All as it was.
    fn as_it_was(&self) -> Placing {
        Placing { homes: self.left.clone(), moved_bytes: vec![0; self.left.len()] }
    }

    /// Has a block be where a distribution has it, as far as that does anything to it; `None`: where it was.
    fn put(&self, placing: &mut Placing, number: usize, how: Option<Distribution>, turn: usize) {
        let block = &self.uses.blocks[number];
        let (homes, moved_bytes) = match how {
            Some(Distribution::Auto) => self.repaired(number),
            Some(how) if !block.only_moves => (self.placed(block, how, turn), 0),
            _ => (self.left[number].clone(), 0),
        };
        (placing.homes[number], placing.moved_bytes[number]) = (homes, moved_bytes);
    }

    /// Blocks of one origin by a distribution, all others as they are.
    fn with(&self, placing: &Placing, blocks: &[usize], how: Option<Distribution>) -> Placing {
        let mut placing = placing.clone();
        for (turn, &number) in blocks.iter().enumerate() {
            self.put(&mut placing, number, how, turn);
        }
        placing
    }

    /// All blocks by one distribution.
    pub fn whole(&self) -> Vec<Outcome> {
        let base_ps = self.time_ps(&self.as_it_was()).max(1);
        let outcome = |distribution| {
            let mut placing = self.as_it_was();
            for number in 0..self.uses.blocks.len() {
                self.put(&mut placing, number, Some(distribution), number);
            }
            let relative = self.time_ps(&placing) as f64 / base_ps as f64;
            Outcome { distribution, relative }
        };
        WHOLE.into_iter().map(outcome).collect()
    }

    /// What blocks of one origin can be given.
    fn choices_for(&self, blocks: &[usize]) -> &'static [Distribution] {
        let only_moves = blocks.iter().any(|&number| self.uses.blocks[number].only_moves);
        if only_moves { &MOVES } else { &CHOICES }
    }

    /// For blocks of one origin each the best distribution, and what all of that comes to. `origins` are positions in
    /// `Uses::blocks`. Those with most samples are chosen for first, and each again when all others are known.
    pub fn choose(&self, origins: &[Vec<usize>]) -> (Vec<Choice>, f64) {
        let left = self.as_it_was();
        let base_ps = self.time_ps(&left).max(1);
        let choice = |(place, blocks): (usize, &Vec<usize>)| {
            let outcome = |distribution| {
                let placing = self.with(&left, blocks, Some(distribution));
                let relative = self.time_ps(&placing) as f64 / base_ps as f64;
                Outcome { distribution, relative }
            };
            let samples = blocks.iter().map(|&number| self.uses.blocks[number].samples).sum();
            let tried = if place < MOST_CHOICES { self.choices_for(blocks) } else { &[] };
            let outcomes = tried.iter().copied().map(outcome).collect();
            Choice { blocks: blocks.clone(), best: None, outcomes, samples }
        };
        let mut choices: Vec<Choice> = origins.iter().enumerate().map(choice).collect();
        let mut placing = left;
        for _ in 0..2 {
            for choice in choices
                .iter_mut()
                .take(MOST_CHOICES)
                .filter(|choice| choice.samples >= LEAST_SAMPLES)
            {
                let time_ps = |how| self.time_ps(&self.with(&placing, &choice.blocks, how));
                let mut best = (None, time_ps(None));
                for &how in self.choices_for(&choice.blocks) {
                    let ps = time_ps(Some(how));
                    if (ps as f64) < best.1 as f64 - BETTER * base_ps as f64 {
                        best = (Some(how), ps);
                    }
                }
                choice.best = best.0;
                placing = self.with(&placing, &choice.blocks, best.0);
            }
        }
        if choices.iter().any(|choice| choice.best == Some(Distribution::Auto)) {
            for choice in choices.iter().filter(|choice| choice.best.is_none()) {
                placing = self.with(&placing, &choice.blocks, Some(Distribution::Auto));
            }
        }
        (choices, self.time_ps(&placing) as f64 / base_ps as f64)
    }
}

/// So many threads over the cores of a machine, evenly.
fn spread(machine: &Machine, threads: usize) -> Vec<LocationId> {
    let of = |at| vec![at; machine.topology.threads(at) as usize];
    let cores: Vec<LocationId> = machine.topology.locations().flat_map(of).collect();
    let core = |thread: usize| match threads <= cores.len() {
        true => cores[thread * cores.len() / threads],
        false => cores[thread % cores.len()],
    };
    (0..threads).map(core).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::uses::{Pattern, Phase};
    use vicinity_policy::presets;

    const PARTS: usize = 64;

    /// A team of 8, which goes over a block of 64 MiB 100 times, `who` says by which member each part is touched.
    fn uses_of(who: impl Fn(usize, u32) -> u32, first: u32) -> Uses {
        let mut members: BTreeMap<u32, Member> = BTreeMap::new();
        for number in 0..8 {
            let member = Member { busy_ns: 500_000_000, ..Member::default() };
            members.insert(number, member);
        }
        for part in 0..PARTS {
            for sample in 0..8 {
                let member = members.get_mut(&who(part, sample)).unwrap();
                member.samples += 1;
                *member.touches.entry((0, part)).or_default() += 1;
            }
        }
        let block = Block {
            index: 0,
            bytes: 64 << 20,
            part_bytes: 1 << 20,
            first: vec![Some(first); PARTS],
            homes: vec![None; PARTS],
            samples: 8 * PARTS as u32,
            own_bytes: 64 << 20,
            only_moves: false,
            in_tasks: BTreeMap::new(),
        };
        Uses { phases: vec![Phase { executions: 100, members }], blocks: vec![block], team: 8 }
    }

    fn best(uses: &Uses) -> (Option<Distribution>, f64) {
        let machine = Machine::new(presets::named("epyc-nps4").unwrap());
        let bench = Bench::new(uses, &machine, &[Distribution::Standard], false, 0);
        let (choices, relative) = bench.choose(&[vec![0]]);
        (choices[0].best, relative)
    }

    #[test]
    fn a_static_loop_over_what_one_thread_touched_gets_contiguous_parts() {
        let uses = uses_of(|part, _| part as u32 / 8, 0);
        assert_eq!(uses.pattern(0), (Pattern::OwnParts, 8));
        let (how, relative) = best(&uses);
        assert_eq!(how, Some(Distribution::Blocked));
        assert!(relative < 0.8, "{relative}");
    }

    #[test]
    fn what_is_used_everywhere_goes_round() {
        let uses = uses_of(|_, sample| sample, 0);
        assert_eq!(uses.pattern(0), (Pattern::Everywhere, 8));
        let machine = Machine::new(presets::named("epyc-nps4").unwrap());
        let bench = Bench::new(&uses, &machine, &[Distribution::Standard], false, 0);
        let whole = bench.whole();
        let of = |how| whole.iter().find(|it| it.distribution == how).unwrap().relative;
        assert!(of(Distribution::Fine) < 0.9 && of(Distribution::Auto) < 0.95, "{whole:?}");
    }

    #[test]
    fn what_its_users_touched_first_stays() {
        let mut uses = uses_of(|part, _| part as u32 / 8, 0);
        uses.blocks[0].first = (0..PARTS).map(|part| Some(part as u32 / 8)).collect();
        assert_eq!(best(&uses), (None, 1.0));
    }

    #[test]
    fn files_are_moved_or_stay() {
        let mut uses = uses_of(|part, _| part as u32 / 8, 0);
        uses.blocks[0].only_moves = true;
        let (how, relative) = best(&uses);
        assert_eq!(how, Some(Distribution::Auto));
        assert!(relative < 0.95, "{relative}");
        let machine = Machine::new(presets::named("epyc-nps4").unwrap());
        let whole = Bench::new(&uses, &machine, &[Distribution::Standard], false, 0).whole();
        let changes: Vec<Distribution> =
            whole.iter().filter(|it| it.relative != 1.0).map(|it| it.distribution).collect();
        assert_eq!(changes, [Distribution::Auto]);
    }

    #[test]
    fn few_samples_choose_nothing() {
        let mut uses = uses_of(|part, _| part as u32 / 8, 0);
        uses.blocks[0].samples = 10;
        assert_eq!(best(&uses).0, None);
    }
}
