//! Repair: where a block of memory should be, given who used which part of it (`OMP_DATA_DISTRIBUTION=auto`).
//!
//! Terms: a *part* is one of a block's contiguous pieces of equal size; a *sample* is a moment of a thread's time that it spent
//! with a part; *home* is the location of a part's memory; *parcels* are neighbouring parts that are looked at together because
//! one alone has too few samples.
//!
//! The cost of a placement is the largest of three. *Distance*: the mean distance from users to homes. *Crowd*: how many times as
//! much the busiest home has to serve as the busiest location asks for, in units of a local access, of the whole block; and the
//! same of each part by itself, in the mean, since users of one part use it at the same time: a loop over one layer of a file of many
//! has all threads at few parts. A block that one thread touched first and all use has a crowd; one that goes round all locations
//! has none, and a middling distance; one whose parts are with their users has neither.
//!
//! What is learnt from one half of the samples is judged by the other: homes that follow chance look no better than others.
//!
//! Source: Nikolopoulos et al. 2000 for moving pages after first touch; the costs are ours, docs/decisions/056. Units: distances in
//! tenths of a local access.

use crate::topology::{LOCAL, LocationId, Topology};

/// Parts of a block.
pub const PARTS: usize = 64;
/// Parts of a very large one at most, and how large they are then: what one loop goes over may be a small piece of it.
const MOST_PARTS: usize = 1024;
const LARGE_PART_BYTES: u64 = 4 << 20;
/// Fewer samples say nothing.
pub const LEAST_SAMPLES: u32 = 64;
/// Samples of a parcel, in each half, that are enough to see whose it is.
const PARCEL_SAMPLES: u32 = 4;
/// Samples that a block needs for each location: some parcels for each, so that a thread's part ends near the end of a parcel.
const LOCATION_SAMPLES: u32 = 32;
/// With so many samples a part a block is judged even where many of its parts were never seen in use.
const MANY_SAMPLES: u32 = 2 * PARCEL_SAMPLES;
/// With fewer, one parcel in so many may be unseen.
const UNSEEN_PARCELS: usize = 16;
/// Units that go round are even if there are so many for each location.
const LEAST_UNITS_EACH: usize = 2;
/// A placement must cost less than this share of the present one; what the model leaves out is not worth less.
const WORTHWHILE: f64 = 0.85;
/// Contiguous parts must cost less than this share of pages going round, which suits later users too.
const PREFERRED: f64 = 0.85;

/// What was seen of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    locations: usize,
    /// Part by part, samples of users at each location: those of each half.
    uses: [Vec<u32>; 2],
    /// Part by part, pages at each location.
    pages: Vec<u32>,
    samples: u32,
}

/// Where a block should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    Leave,
    /// Its pages round all locations that are allowed.
    Round,
    /// Each part at a location of its own, which may be the same for all.
    Parts(Vec<LocationId>),
}

/// A plan, and which share of the time with the block it saves.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    pub plan: Plan,
    pub saves: f64,
}

impl Seen {
    pub fn new(parts: usize, locations: usize) -> Seen {
        let none = vec![0; parts * locations];
        Seen { locations, uses: [none.clone(), none.clone()], pages: none, samples: 0 }
    }

    pub fn parts(&self) -> usize {
        self.pages.len() / self.locations
    }

    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// A user at a location was found with a part. The halves take turns in each part.
    pub fn add_use(&mut self, part: usize, by: LocationId) {
        let row = part * self.locations..(part + 1) * self.locations;
        let [first, second] = &mut self.uses;
        let seen = |half: &[u32]| -> u32 { half[row.clone()].iter().sum() };
        let turn = seen(first) + (part % 2) as u32 <= seen(second);
        let half = if turn { first } else { second };
        half[row.start + by.index()] += 1;
        self.samples += 1;
    }

    /// Some of a part's memory is there.
    pub fn add_pages(&mut self, part: usize, at: LocationId, pages: u32) {
        self.pages[part * self.locations + at.index()] += pages;
    }

    /// What the block needs. Homes are chosen from `allowed`, which is not empty.
    pub fn advise(&self, topology: &Topology, allowed: &[LocationId]) -> Advice {
        self.advise_in_units(topology, allowed, 1)
    }

    /// The same if so many neighbouring parts have to be at one location (a huge page).
    pub fn advise_in_units(
        &self,
        topology: &Topology,
        allowed: &[LocationId],
        unit_parts: usize,
    ) -> Advice {
        let leave = Advice { plan: Plan::Leave, saves: 0.0 };
        if self.samples < least_samples(self.locations) {
            return leave;
        }
        let present = self.cost(topology, |part, at| self.share(part, at));
        let evenly = 1.0 / allowed.len() as f64;
        let round = match self.parts() < LEAST_UNITS_EACH * unit_parts * allowed.len() {
            true if unit_parts > 1 => f64::INFINITY,
            _ => self.cost(topology, |_, at| if allowed.contains(&at) { evenly } else { 0.0 }),
        };
        let Some(homes) = self.homes(topology, allowed, unit_parts) else { return leave };
        let parts = self.cost(topology, |part, at| f64::from(u8::from(homes[part] == at)));
        let (plan, cost) = match parts < PREFERRED * round {
            true => (Plan::Parts(homes), parts),
            false => (Plan::Round, round),
        };
        if cost >= WORTHWHILE * present {
            return leave;
        }
        Advice { plan, saves: 1.0 - cost / present }
    }

    /// The best home of each part, by the first half. A parcel that was not seen in use goes with the one before it; while there are
    /// few samples, few may be so.
    fn homes(
        &self,
        topology: &Topology,
        allowed: &[LocationId],
        unit_parts: usize,
    ) -> Option<Vec<LocationId>> {
        let parts = self.parts();
        let parcels = (self.samples / (2 * PARCEL_SAMPLES)).clamp(1, parts as u32) as usize;
        let width = parts.div_ceil(parcels).next_multiple_of(unit_parts);
        let of_parcel: Vec<Option<LocationId>> = (0..parts)
            .step_by(width)
            .map(|first| self.home(topology, allowed, first, width.min(parts - first)))
            .collect();
        let unseen = of_parcel.iter().filter(|home| home.is_none()).count();
        let few_samples = self.samples < MANY_SAMPLES * parts as u32;
        if few_samples && unseen * UNSEEN_PARCELS > of_parcel.len() {
            return None;
        }
        let mut last = of_parcel.iter().copied().flatten().next().unwrap_or(allowed[0]);
        let filled: Vec<LocationId> = of_parcel
            .iter()
            .map(|&home| {
                last = home.unwrap_or(last);
                last
            })
            .collect();
        Some((0..parts).map(|part| filled[part / width]).collect())
    }

    fn home(
        &self,
        topology: &Topology,
        allowed: &[LocationId],
        first: usize,
        count: usize,
    ) -> Option<LocationId> {
        let uses = &self.uses[0][first * self.locations..(first + count) * self.locations];
        let far = |home: LocationId| -> u64 {
            let distance = |user| u64::from(topology.distance(LocationId(user), home));
            let by = (0..uses.len()).map(|at| (uses[at], (at % self.locations) as u16));
            by.map(|(samples, user)| u64::from(samples) * distance(user)).sum()
        };
        let seen = uses.iter().any(|&samples| samples > 0);
        allowed.iter().copied().filter(|_| seen).min_by_key(|&home| far(home))
    }

    /// Which share of a part is at a location; of a part that nobody has looked at, or touched, which share of the block.
    fn share(&self, part: usize, at: LocationId) -> f64 {
        let of =
            |pages: &[u32]| -> u32 { pages.iter().skip(at.index()).step_by(self.locations).sum() };
        let row = &self.pages[part * self.locations..(part + 1) * self.locations];
        let rows = if row.iter().any(|&pages| pages > 0) { row } else { &self.pages[..] };
        let all: u32 = rows.iter().sum();
        f64::from(of(rows)) / f64::from(all.max(1))
    }

    /// What it costs the second half of the users if this share of a part is at a location.
    fn cost(&self, topology: &Topology, share: impl Fn(usize, LocationId) -> f64) -> f64 {
        let locations = || (0..self.locations).map(|at| LocationId(at as u16));
        let mut asked = vec![0.0; self.locations];
        let mut served = vec![0.0; self.locations];
        let (mut far, mut crowded) = (0.0, 0.0);
        let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
        for part in 0..self.parts() {
            let users = &self.uses[1][part * self.locations..(part + 1) * self.locations];
            if users.iter().all(|&samples| samples == 0) {
                continue;
            }
            let here: f64 = users.iter().copied().map(f64::from).sum();
            let busiest = users.iter().copied().max().map_or(0.0, f64::from);
            let shares: Vec<f64> = locations().map(|home| share(part, home)).collect();
            crowded += here * here * most(&shares) / busiest;
            for (home, share) in locations().zip(shares) {
                for user in locations() {
                    let samples = f64::from(users[user.index()]) * share;
                    far += samples * f64::from(topology.distance(user, home));
                    served[home.index()] += samples;
                    asked[user.index()] += samples;
                }
            }
        }
        let all: f64 = asked.iter().sum::<f64>().max(1.0);
        let crowd = most(&served) / most(&asked).max(f64::MIN_POSITIVE);
        (f64::from(LOCAL) * crowd.max(crowded / all)).max(far / all)
    }
}

/// Into how many parts a block is divided.
pub fn parts_of(bytes: u64) -> usize {
    ((bytes / LARGE_PART_BYTES) as usize).clamp(PARTS, MOST_PARTS)
}

/// Samples without which a block stays where it is.
pub fn least_samples(locations: usize) -> u32 {
    LEAST_SAMPLES.max(LOCATION_SAMPLES * locations as u32)
}

/// Samples of a block between two looks at it.
pub fn between_looks(parts: usize) -> u32 {
    LEAST_SAMPLES.max(parts as u32)
}

/// Microseconds of a thread's time from one sample to the next, if there are so many threads: all together two thousand times a
/// second, which costs a master less than a hundredth of its time, and none oftener than Linux looks at its timers.
pub fn every_us(threads: u32) -> u64 {
    u64::from(threads.max(8)) * 500
}

/// When a thread's first sample comes, in nanoseconds of its time: threads begin together and run loops of equal length, and would
/// all be sampled at the same place of the same loops, again and again. Multiples of the golden ratio spread any number of threads
/// evenly.
pub fn first_sample_ns(thread: u32, every_ns: u64) -> u64 {
    let of_interval = thread.wrapping_add(1).wrapping_mul(0x9E37_79B9);
    let product = u128::from(every_ns) * u128::from(of_interval);
    1 + (product >> 32) as u64
}

/// Nanoseconds that moving a byte takes: pages are allocated, copied and mapped anew, at about a gigabyte a second.
const MOVE_NS_PER_BYTE: u64 = 1;
/// After so many moves a block stays.
const MOST_MOVES: u32 = 8;

/// Whether moving a block of `bytes` has paid for itself by now had it been done at the beginning: `lost_ns` of elapsed time
/// would have been saved. Each earlier move doubles what the next one has to bring.
pub fn pays(lost_ns: u64, bytes: u64, earlier_moves: u32) -> bool {
    let costs_ns = bytes * MOVE_NS_PER_BYTE;
    earlier_moves < MOST_MOVES && lost_ns >= costs_ns << earlier_moves
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(locations: usize) -> Topology {
        let far = |at: usize| if at / locations == at % locations { 10 } else { 20 };
        let distances = (0..locations * locations).map(far).collect();
        Topology::new(vec![4; locations], distances, 1 << 20).unwrap()
    }

    fn all(count: u16) -> Vec<LocationId> {
        (0..count).map(LocationId).collect()
    }

    /// A block of 64 parts at location 0; `user` says who uses a part in each of 32 rounds.
    fn touched_by_one(user: impl Fn(usize, usize) -> u16) -> Seen {
        let mut seen = Seen::new(64, 4);
        for round in 0..32 {
            (0..64).for_each(|part| seen.add_use(part, LocationId(user(part, round))));
        }
        (0..64).for_each(|part| seen.add_pages(part, LocationId(0), 4));
        seen
    }

    fn random(part: usize, round: usize) -> u16 {
        let mixed = (part * 64 + round).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 61) as u16 % 4
    }

    #[test]
    fn a_static_loop_gets_contiguous_parts() {
        let advice = touched_by_one(|part, _| part as u16 / 16).advise(&machine(4), &all(4));
        let expected = (0..64).map(|part| LocationId(part / 16)).collect();
        assert_eq!(advice.plan, Plan::Parts(expected));
        assert_eq!(advice.saves, 0.75, "four times as much is served where it is asked for");
    }

    #[test]
    fn huge_pages_that_are_too_large_stay() {
        let seen = touched_by_one(|part, _| part as u16 / 16);
        let plan = |unit_parts| seen.advise_in_units(&machine(4), &all(4), unit_parts).plan;
        assert_eq!(plan(16), plan(1));
        assert_eq!(plan(64), Plan::Leave, "all of it can only be elsewhere");
        let anywhere = touched_by_one(random);
        let plan = |unit_parts| anywhere.advise_in_units(&machine(4), &all(4), unit_parts).plan;
        assert_eq!((plan(8), plan(64)), (Plan::Round, Plan::Leave));
    }

    #[test]
    fn users_anywhere_get_pages_everywhere() {
        let advice = touched_by_one(random).advise(&machine(4), &all(4));
        assert_eq!(advice.plan, Plan::Round);
    }

    #[test]
    fn one_user_gets_all_of_it() {
        let advice = touched_by_one(|_, _| 2).advise(&machine(4), &all(4));
        assert_eq!(advice.plan, Plan::Parts(vec![LocationId(2); 64]));
        assert_eq!(advice.saves, 0.5);
        let nearest_with_memory = touched_by_one(|_, _| 2).advise(&machine(4), &[LocationId(1)]);
        assert_eq!(nearest_with_memory.plan, Plan::Leave, "no nearer than it is");
    }

    #[test]
    fn what_is_well_placed_stays() {
        let mut seen = Seen::new(64, 4);
        for at in 0..64 * 32 {
            seen.add_use(at % 64, LocationId((at % 64 / 16) as u16));
        }
        (0..64).for_each(|part| seen.add_pages(part, LocationId(part as u16 / 16), 1));
        assert_eq!(seen.advise(&machine(4), &all(4)).plan, Plan::Leave);
        assert_eq!(touched_by_one(|_, _| 0).advise(&machine(4), &all(4)).plan, Plan::Leave);
    }

    #[test]
    fn few_samples_say_nothing_and_some_say_it_coarsely() {
        let mut seen = Seen::new(64, 4);
        (0..64).for_each(|part| seen.add_pages(part, LocationId(0), 1));
        for at in 0..127 {
            seen.add_use(at / 2, LocationId((at / 32) as u16));
        }
        assert_eq!(seen.advise(&machine(4), &all(4)).plan, Plan::Leave);
        seen.add_use(63, LocationId(3));
        let Plan::Parts(homes) = seen.advise(&machine(4), &all(4)).plan else { panic!("{seen:?}") };
        assert_eq!([homes[0], homes[20], homes[40], homes[63]], [0, 1, 2, 3].map(LocationId));
    }

    #[test]
    fn what_nobody_was_seen_with_waits_for_more_samples() {
        let mut seen = Seen::new(64, 4);
        (0..64).for_each(|part| seen.add_pages(part, LocationId(0), 1));
        for at in 0..300 {
            seen.add_use(at % 32, LocationId(1));
        }
        assert_eq!(seen.advise(&machine(4), &all(4)).plan, Plan::Leave);
        (0..1000).for_each(|at| seen.add_use(at % 32, LocationId(1)));
        assert_eq!(seen.advise(&machine(4), &all(4)).plan, Plan::Parts(vec![LocationId(1); 64]));
    }

    /// Half of the locations go over each part at once, a part after the other: no home of its own is good enough for it.
    #[test]
    fn what_several_use_at_once_goes_round() {
        let advice = touched_by_one(|part, round| part as u16 % 2 * 2 + random(part, round) % 2);
        let advice = advice.advise(&machine(4), &all(4));
        assert_eq!(advice.plan, Plan::Round);
    }

    #[test]
    fn large_blocks_have_more_parts() {
        let parts = [1 << 20, 256 << 20, 1 << 30, 1 << 40].map(parts_of);
        assert_eq!(parts, [64, 64, 256, 1024]);
        assert_eq!(parts.map(between_looks), [64, 64, 256, 1024]);
    }

    #[test]
    fn a_few_parcels_may_be_unseen() {
        let mut seen = Seen::new(64, 4);
        (0..64).for_each(|part| seen.add_pages(part, LocationId(0), 1));
        let seen_parts = (0..64).filter(|part| !(12..16).contains(part));
        seen_parts.flat_map(|part| [part; 4]).for_each(|part| seen.add_use(part, LocationId(1)));
        assert_eq!(seen.advise(&machine(4), &all(4)).plan, Plan::Parts(vec![LocationId(1); 64]));
    }

    #[test]
    fn threads_are_sampled_one_after_the_other() {
        for threads in [2, 7, 64, 112] {
            let mut firsts: Vec<u64> = (0..threads).map(|it| first_sample_ns(it, 56_000)).collect();
            firsts.sort_unstable();
            let gaps = firsts.windows(2).map(|pair| pair[1] - pair[0]);
            assert!(firsts[0] > 0 && firsts[firsts.len() - 1] <= 56_000);
            assert!(gaps.max().unwrap() <= 2 * 56_000 / u64::from(threads), "{firsts:?}");
        }
    }

    #[test]
    fn a_move_has_to_pay() {
        assert!(pays(1 << 30, 1 << 30, 0) && !pays(1 << 30, 1 << 30, 1));
        assert!(pays(1 << 31, 1 << 30, 1) && !pays(u64::MAX, 1, MOST_MOVES));
        assert!(!pays((1 << 30) - 1, 1 << 30, 0));
    }
}
