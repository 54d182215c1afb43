//! Which thread touched which part of which block, in which region: samples, put together.
//!
//! Terms: a *part* is one of a block's contiguous pieces of equal size, as in `policy::repair`; a *phase* is all executions of a
//! construct; a *member* is a thread by its number in the team.

use std::collections::{BTreeMap, BTreeSet};

use vicinity_policy::repair::PARTS;
use vicinity_policy::topology::LocationId;

use super::regions::Sites;
use crate::trace::analysis::{Doing, Lanes};
use crate::trace::memory::{self, Kind};
use crate::trace::{RegionIndex, TaskIndex, Trace};

const PAGE_BYTES: u64 = 4096;
/// Samples that say whose some neighbouring parts are.
const PARCEL_SAMPLES: u32 = 4;

/// What a member of the team did in all executions of a construct.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Member {
    /// Where it was, in the trace.
    pub at: Option<LocationId>,
    pub busy_ns: u64,
    pub samples: u32,
    /// By block and part.
    pub touches: BTreeMap<(usize, usize), u32>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phase {
    pub executions: u64,
    /// By number.
    pub members: BTreeMap<u32, Member>,
}

/// A block that was seen in use.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// A position in `Memory::blocks`.
    pub index: usize,
    pub bytes: u64,
    pub part_bytes: u64,
    /// Of `bytes`, what is the block's own; the rest is others'.
    pub own_bytes: u64,
    /// Nothing but `auto` has it elsewhere: its pages are there, or come, without anybody asking where.
    pub only_moves: bool,
    /// Who touched each part first, as far as that was seen: the member, 0 also for what was touched before the first region.
    pub first: Vec<Option<u32>>,
    /// Where each part was last, where the trace knows.
    pub homes: Vec<Option<LocationId>>,
    pub samples: u32,
    /// Those of them that were inside of explicit tasks, by task.
    pub in_tasks: BTreeMap<TaskIndex, u32>,
}

/// Who works on blocks, for rules that count tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// How many explicit tasks were seen with them; none where threads mostly use them outside of tasks.
    pub tasks: Option<usize>,
    /// Nearly all of it is one task's, or, without tasks, one thread's.
    pub is_one: bool,
}

/// How threads share a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    OneThread,
    /// Each thread has parts that others do not touch.
    OwnParts,
    Everywhere,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Uses {
    /// One for each site that was executed.
    pub phases: Vec<Phase>,
    /// Those with most samples first.
    pub blocks: Vec<Block>,
    /// Threads of the largest team.
    pub team: usize,
}

impl Block {
    pub fn parts(&self) -> usize {
        self.first.len()
    }

    fn new(index: usize, described: &memory::Block) -> Block {
        let bytes = described.bytes;
        let part_bytes = bytes.div_ceil(PARTS as u64).next_multiple_of(PAGE_BYTES);
        let parts = bytes.div_ceil(part_bytes) as usize;
        let (first, homes) = (vec![None; parts], vec![None; parts]);
        let (own_bytes, only_moves) = match described.kind {
            Kind::Rows { count, row_bytes } => ((count * row_bytes).min(bytes), true),
            Kind::File(_) => (bytes, true),
            Kind::Heap | Kind::Variables => (bytes, false),
        };
        let (samples, in_tasks) = (0, BTreeMap::new());
        Block { index, bytes, part_bytes, own_bytes, only_moves, first, homes, samples, in_tasks }
    }

    /// The block's own bytes of a part; the last may be shorter.
    pub fn bytes_of(&self, part: usize) -> u64 {
        let bytes = self.part_bytes.min(self.bytes - part as u64 * self.part_bytes);
        ((bytes as f64 * self.own_bytes as f64 / self.bytes as f64) as u64).max(1)
    }

    /// Which share of what is known of it was touched first by member 0.
    pub fn first_by_master(&self) -> f64 {
        let known = self.first.iter().flatten().count();
        let master = self.first.iter().filter(|&&first| first == Some(0)).count();
        master as f64 / known.max(1) as f64
    }
}

/// `lanes`: what each thread of the trace did.
pub fn uses(trace: &Trace, sites: &Sites, lanes: &Lanes) -> Uses {
    let mut uses = Uses { team: 0, ..Uses::default() };
    for site in &sites.sites {
        let mut phase = Phase { executions: site.executions.len() as u64, ..Phase::default() };
        for part in site.executions.iter().flat_map(|execution| &execution.parts) {
            phase.members.entry(part.member).or_default().busy_ns += part.busy_ns;
        }
        uses.team = uses.team.max(site.threads);
        uses.phases.push(phase);
    }
    for region in trace.regions.iter().enumerate() {
        if let Some(site) = sites.site_of(RegionIndex(region.0 as u32))
            && let Some(member) = uses.phases[site].members.get_mut(&region.1.member)
        {
            member.at = Some(trace.threads[region.1.thread as usize].location);
        }
    }
    add_blocks(trace, &mut uses);
    add_samples(trace, sites, lanes, &mut uses);
    uses.leave_out_standing_still(trace);
    uses.sort_blocks();
    uses
}

/// Blocks with what was seen of their pages.
fn add_blocks(trace: &Trace, uses: &mut Uses) {
    for (index, described) in trace.memory.blocks.iter().enumerate() {
        let mut block = Block::new(index, described);
        for look in trace.memory.looks.iter().filter(|look| look.block == described.number) {
            for (at, &home) in look.homes.iter().enumerate().filter(|&(_, &home)| home != -1) {
                let part = (at as u64 * look.step / block.part_bytes) as usize;
                let Some(first) = block.first.get_mut(part) else { continue };
                if look.beginner.is_some() {
                    *first = Some(0);
                }
                block.homes[part] = u16::try_from(home).ok().map(LocationId);
            }
        }
        uses.blocks.push(block);
    }
}

fn add_samples(trace: &Trace, sites: &Sites, lanes: &Lanes, uses: &mut Uses) {
    let numbers: BTreeMap<u64, usize> =
        trace.memory.blocks.iter().enumerate().map(|(at, block)| (block.number, at)).collect();
    let of_thread = Regions::of(trace);
    for sample in &trace.memory.samples {
        let Some(region) = of_thread.at(sample.thread, sample.when_ns) else { continue };
        let Some(site) = sites.site_of(region) else { continue };
        let number = trace.regions[region.index()].member;
        let Some(member) = uses.phases[site].members.get_mut(&number) else { continue };
        let doing = lanes.doing(trace, sample);
        let waits = matches!(doing, Doing::Wait(_));
        if waits || super::is_runtime(&trace.memory, sample.instruction) {
            continue;
        }
        member.samples += 1;
        for &(block, offset) in &sample.touches {
            let Some(&at) = numbers.get(&block) else { continue };
            let block = &mut uses.blocks[at];
            let part = (offset / block.part_bytes) as usize;
            if part < block.parts() {
                block.first[part].get_or_insert(number);
                block.samples += 1;
                if let Doing::Task(task) = doing {
                    *block.in_tasks.entry(task).or_default() += 1;
                }
                *member.touches.entry((at, part)).or_default() += 1;
            }
        }
    }
}

impl Uses {
    /// Threads that were busy by the clock and had no processor did nothing meanwhile: their time is scaled to what they were
    /// sampled for.
    fn leave_out_standing_still(&mut self, trace: &Trace) {
        let members = || self.phases.iter().flat_map(|phase| phase.members.values());
        let busy_ns: u64 = members().map(|member| member.busy_ns).sum();
        let samples: u64 = members().map(|member| u64::from(member.samples)).sum();
        if samples < u64::from(super::LEAST_SAMPLES) {
            return;
        }
        let computed = (samples * trace.memory.every_ns) as f64 / busy_ns.max(1) as f64;
        for member in self.phases.iter_mut().flat_map(|phase| phase.members.values_mut()) {
            member.busy_ns = (member.busy_ns as f64 * computed.min(1.0)) as u64;
        }
    }

    /// Leaves out what was never seen in use, and numbers the others anew.
    fn sort_blocks(&mut self) {
        let mut order: Vec<usize> =
            (0..self.blocks.len()).filter(|&at| self.blocks[at].samples > 0).collect();
        order.sort_by_key(|&at| (std::cmp::Reverse(self.blocks[at].samples), at));
        let position: BTreeMap<usize, usize> =
            order.iter().enumerate().map(|(new, &old)| (old, new)).collect();
        for member in self.phases.iter_mut().flat_map(|phase| phase.members.values_mut()) {
            let touches = std::mem::take(&mut member.touches).into_iter();
            member.touches =
                touches.map(|((block, part), count)| ((position[&block], part), count)).collect();
        }
        self.blocks = order.iter().map(|&at| self.blocks[at].clone()).collect();
    }

    /// Samples of a block by part and member.
    pub fn by_part(&self, block: usize) -> BTreeMap<(usize, u32), u32> {
        let mut found: BTreeMap<(usize, u32), u32> = BTreeMap::new();
        for phase in &self.phases {
            for (&number, member) in &phase.members {
                for (&(_, part), &count) in member.touches.range((block, 0)..(block + 1, 0)) {
                    *found.entry((part, number)).or_default() += count;
                }
            }
        }
        found
    }

    /// Who works on these blocks.
    pub fn work(&self, blocks: &[usize]) -> Work {
        let blocks_in = || blocks.iter().map(|&at| &self.blocks[at]);
        let samples: u32 = blocks_in().map(|block| block.samples).sum();
        let in_tasks: u32 = blocks_in().flat_map(|block| block.in_tasks.values()).sum();
        if 2 * in_tasks <= samples {
            let is_one = blocks.iter().all(|&at| self.pattern(at).0 == Pattern::OneThread);
            return Work { tasks: None, is_one };
        }
        let tasks: BTreeSet<TaskIndex> =
            blocks_in().flat_map(|block| block.in_tasks.keys().copied()).collect();
        let is_one = blocks_in().all(|block| {
            let most = block.in_tasks.values().copied().max().unwrap_or(0);
            10 * most >= 9 * block.in_tasks.values().sum::<u32>()
        });
        Work { tasks: Some(tasks.len()), is_one }
    }

    /// How its users share blocks of one origin, and how many they are: as that with most samples is shared, but that several threads
    /// have parts of their own also where each has a block.
    pub fn pattern_of(&self, blocks: &[usize]) -> (Pattern, usize) {
        let samples = |&&at: &&usize| self.blocks[at].samples;
        let Some(&largest) = blocks.iter().max_by_key(samples) else {
            return (Pattern::Everywhere, 0);
        };
        let (mut users, mut main_users) = (BTreeSet::new(), BTreeSet::new());
        for &block in blocks {
            let mut of_block: BTreeMap<u32, u32> = BTreeMap::new();
            for ((_, member), count) in self.by_part(block) {
                *of_block.entry(member).or_default() += count;
            }
            main_users.extend(of_block.iter().max_by_key(|it| it.1).map(|(&member, _)| member));
            users.extend(of_block.into_keys());
        }
        match self.pattern(largest).0 {
            Pattern::OneThread if main_users.len() > 1 => (Pattern::OwnParts, users.len()),
            pattern => (pattern, users.len()),
        }
    }

    /// How its users share a block, and how many they are.
    pub fn pattern(&self, block: usize) -> (Pattern, usize) {
        let by_part = self.by_part(block);
        let all = self.blocks[block].samples;
        // Neighbouring parts count as one while there are few samples.
        let parts = self.blocks[block].parts();
        let width = parts.div_ceil((all / PARCEL_SAMPLES).clamp(1, parts as u32) as usize);
        let mut members: BTreeMap<u32, u32> = BTreeMap::new();
        let mut parcels: BTreeMap<usize, BTreeMap<u32, u32>> = BTreeMap::new();
        for (&(part, member), &count) in &by_part {
            *members.entry(member).or_default() += count;
            *parcels.entry(part / width).or_default().entry(member).or_default() += count;
        }
        let most = members.values().copied().max().unwrap_or(0);
        // How often another sample of a parcel is its main user's; the main user's first one says nothing.
        let (mut again, mut others) = (0, 0);
        for users in parcels.values() {
            let main = users.values().copied().max().unwrap_or(0);
            (again, others) = (again + main - 1, others + users.values().sum::<u32>() - 1);
        }
        let pattern = match () {
            () if 10 * most >= 9 * all => Pattern::OneThread,
            // Parts at the border of two threads are both's.
            () if others > 0 && 10 * again >= 7 * others => Pattern::OwnParts,
            () => Pattern::Everywhere,
        };
        (pattern, members.len())
    }
}

/// The regions that each thread was in, by start.
struct Regions {
    of_thread: BTreeMap<u32, Vec<(u64, u64, RegionIndex)>>,
}

impl Regions {
    fn of(trace: &Trace) -> Regions {
        let mut of_thread: BTreeMap<u32, Vec<(u64, u64, RegionIndex)>> = BTreeMap::new();
        for (at, region) in trace.regions.iter().enumerate() {
            let tid = trace.threads[region.thread as usize].tid;
            let times = (region.start_ns, region.end_ns, RegionIndex(at as u32));
            of_thread.entry(tid).or_default().push(times);
        }
        of_thread.values_mut().for_each(|regions| regions.sort_unstable_by_key(|it| it.0));
        Regions { of_thread }
    }

    /// The innermost region of a thread at a moment: the last that began before and is not over.
    fn at(&self, tid: u32, when_ns: u64) -> Option<RegionIndex> {
        let regions = self.of_thread.get(&tid)?;
        let next = regions.partition_point(|&(start_ns, ..)| start_ns <= when_ns);
        // Few are nested.
        let around = regions[..next].iter().rev().take(8);
        around.into_iter().find(|&&(_, end_ns, _)| when_ns <= end_ns).map(|&(.., at)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::regions;
    use crate::trace::analysis::lanes;
    use crate::trace::example::{region, task, trace};
    use crate::trace::memory::{Block, Sample};

    /// What two threads are seen to do with a block of 1 MiB for 64 us; between the given moments, thread 0 runs tasks.
    fn seen(tasks: &[(f64, f64)], threads: u32) -> Uses {
        let mut events = vec![region(1, 1, 0, (0.0, 64.0)), region(2, 1, 1, (0.0, 64.0))];
        for (at, &times) in tasks.iter().enumerate() {
            events.push(task(10 + at as u64, "row:7", 0, times, r#","parent":1"#));
        }
        let mut trace = trace(&events);
        trace.memory.blocks.push(Block {
            number: 1,
            start: 1 << 20,
            bytes: 1 << 20,
            kind: Kind::Heap,
            distribution: "standard".to_string(),
            origin: vec![7],
        });
        let sample = |us: u64| Sample {
            thread: us as u32 % threads,
            when_ns: us * 1000 + 500,
            at: None,
            instruction: 0,
            touches: vec![(1, us << 14)],
        };
        trace.memory.samples = (0..64).map(sample).collect();
        let lanes = lanes(&trace);
        uses(&trace, &regions::sites(&trace, &lanes), &lanes)
    }

    #[test]
    fn tasks_are_counted_where_there_are_some() {
        let many: Vec<(f64, f64)> =
            (0..16).map(|at| (4.0 * f64::from(at), 4.0 * f64::from(at) + 4.0)).collect();
        let chain = seen(&many, 1);
        assert_eq!(chain.pattern(0).0, Pattern::OneThread, "they are one thread's");
        assert_eq!(chain.work(&[0]), Work { tasks: Some(16), is_one: false });
        assert_eq!(seen(&[(0.0, 64.0)], 1).work(&[0]), Work { tasks: Some(1), is_one: true });
        // Next to nothing is done by the second one.
        let uneven = seen(&[(0.0, 60.0), (60.0, 64.0)], 1);
        assert_eq!(uneven.work(&[0]), Work { tasks: Some(2), is_one: true });
    }

    #[test]
    fn blocks_of_one_line_that_are_each_a_threads_are_parts_of_their_own() {
        let mut uses = seen(&[], 1);
        uses.blocks.push(uses.blocks[0].clone());
        assert_eq!(uses.pattern_of(&[0]), (Pattern::OneThread, 1));
        let phase = &mut uses.phases[0];
        let touches = phase.members[&0].touches.iter();
        let touches = touches.map(|(&(_, part), &count)| ((1, part), count)).collect();
        phase.members.insert(1, Member { touches, ..Member::default() });
        assert_eq!(
            (uses.pattern(0).0, uses.pattern(1).0),
            (Pattern::OneThread, Pattern::OneThread)
        );
        assert_eq!(uses.pattern_of(&[0, 1]), (Pattern::OwnParts, 2));
    }

    #[test]
    fn threads_are_counted_where_most_is_done_outside_of_tasks() {
        let first = [(0.0, 20.0)];
        assert_eq!(seen(&first, 1).work(&[0]), Work { tasks: None, is_one: true });
        assert_eq!(seen(&first, 2).work(&[0]), Work { tasks: None, is_one: false });
        assert_eq!(seen(&[], 2).work(&[0]), Work { tasks: None, is_one: false });
    }
}
