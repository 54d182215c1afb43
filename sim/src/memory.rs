//! What data cost: the time of going over them alone, and how much others on the same ways slow it down.
//!
//! Terms: *traffic* is what a task's work moves to and from each location. *Pace* is how many times slower
//! work proceeds than alone.
//!
//! The model. Alone, work takes its computation, plus for each line of traffic the latency of the distance
//! divided by the misses a core has in flight. A task's data that fit its share of the cache are moved once,
//! whatever the number of passes; larger data are moved once a pass. Writing on machines with pages moves
//! a line there and back, and nobody waits for the way back; a many-core's stores go through to the home cache
//! in every pass, and occupy the core as loads do. A home cache that is home to more than it holds misses in
//! proportion, and goes to the memory behind it.
//!
//! Sharing. Work asks each resource it uses for its mean rate, alone: bytes divided by time. A resource that
//! is asked for more than it delivers serves all in proportion, and work goes at the pace of its most crowded
//! resource. Paces are looked at when work begins and five times while it goes on; between that it holds
//! steady. So no resource delivers more than it can, up to that lag, and what one crowded resource holds
//! back is still counted on the others.
//!
//! Units: bytes, picoseconds, bytes a microsecond.

use vicinity_policy::topology::LocationId;

use crate::machine::{LINE_BYTES, Machine};
use crate::placement::Placement;
use crate::program::{Access, Use};

/// Shares of the work between two looks at the pace, in sixteenths: short ones first, since work that begins
/// at the same time does not see each other at the first look.
pub const SLICES: [u64; 6] = [1, 1, 2, 4, 4, 4];

/// What a task's work moves.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    reads: Vec<u64>,
    writes: Vec<u64>,
    /// Locations with any, in the order found.
    touched: Vec<LocationId>,
}

impl Traffic {
    pub fn clear(&mut self, locations: usize) {
        for at in self.touched.drain(..) {
            (self.reads[at.index()], self.writes[at.index()]) = (0, 0);
        }
        self.reads.resize(locations, 0);
        self.writes.resize(locations, 0);
    }

    /// Adds what going over all these data moves.
    pub fn add_uses(&mut self, uses: &[Use], machine: &Machine, placement: &Placement) {
        let all: u64 = uses.iter().map(Use::total_bytes).sum();
        let stays = all <= machine.reuse_bytes;
        for one in uses {
            let passes = u64::from(one.passes);
            let moved = if stays { 1 } else { passes };
            let (reads, writes) = match (one.access, machine.many_core) {
                (Access::Read, _) => (moved, 0),
                (Access::Write | Access::ReadWrite, false) => (moved, moved),
                (Access::Write, true) => (0, passes),
                (Access::ReadWrite, true) => (moved, passes),
            };
            placement.locate(one, |at, bytes| {
                self.add(at, reads * bytes, writes * bytes);
            });
        }
    }

    /// Adds bytes to and from one location.
    pub fn add(&mut self, at: LocationId, reads: u64, writes: u64) {
        if self.reads[at.index()] + self.writes[at.index()] == 0 {
            self.touched.push(at);
        }
        self.reads[at.index()] += reads;
        self.writes[at.index()] += writes;
    }

    /// Locations and bytes, both ways together.
    pub fn by_location(&self) -> impl Iterator<Item = (LocationId, u64)> + '_ {
        self.touched.iter().map(|&at| (at, self.reads[at.index()] + self.writes[at.index()]))
    }
}

/// A share of work's demand.
type Ask = (u32, u64);

/// What a core's work asks for, and how long it takes alone.
#[derive(Clone, Debug, Default)]
pub struct Demand {
    pub alone_ps: u64,
    /// The same if all data were at its own location.
    pub local_ps: u64,
    asks: Vec<Ask>,
}

/// What is asked of every resource.
pub struct Memory<'a> {
    machine: &'a Machine,
    load: Vec<u64>,
    /// Of each location's home cache: misses, in 1024ths of accesses.
    misses: Vec<u64>,
}

impl<'a> Memory<'a> {
    /// `held`: bytes at each location.
    pub fn new(machine: &'a Machine, held: &[u64]) -> Memory<'a> {
        let miss = |&bytes: &u64| match machine.many_core {
            true => 1024 - 1024 * machine.home_cache_bytes.min(bytes) / bytes.max(1),
            false => 0,
        };
        let misses = held.iter().map(|bytes| if *bytes == 0 { 0 } else { miss(bytes) }).collect();
        Memory { machine, load: vec![0; machine.capacity().len()], misses }
    }

    /// Time alone of `lines` from each of `sources`, computation included, into `demand`, which is asked for
    /// from now on.
    pub fn begin(
        &mut self,
        demand: &mut Demand,
        traffic: &Traffic,
        at: LocationId,
        compute_ps: u64,
    ) {
        demand.asks.clear();
        let (mut waits_ps, mut local_ps) = (0, 0);
        for &memory in &traffic.touched {
            let waited = traffic.reads[memory.index()]
                + if self.machine.many_core { traffic.writes[memory.index()] } else { 0 };
            let behind_ps = self.misses[memory.index()] * self.machine.behind_ps / 1024;
            let wait = |latency_ps: u64| {
                scaled(waited, latency_ps + behind_ps, LINE_BYTES * self.machine.misses_in_flight)
            };
            waits_ps += wait(self.machine.latency_ps(at, memory));
            local_ps += wait(self.machine.latency_ps(at, at));
        }
        demand.alone_ps = compute_ps + waits_ps;
        demand.local_ps = compute_ps + local_ps;
        let alone_ps = demand.alone_ps.max(1);
        let rate = |bytes: u64| scaled(bytes, 1_000_000, alone_ps);
        for &memory in &traffic.touched {
            let (reads, writes) =
                (rate(traffic.reads[memory.index()]), rate(traffic.writes[memory.index()]));
            demand.asks.push((memory.0.into(), reads + writes));
            let misses = self.misses[memory.index()];
            if misses > 0 {
                demand.asks.push((self.machine.behind() as u32, (reads + writes) * misses / 1024));
            }
            let way = |route: &'a [u32], rate| route.iter().map(move |&link| (link, rate));
            if reads > 0 {
                demand.asks.extend(way(self.machine.route(memory, at), reads));
            }
            if writes > 0 {
                demand.asks.extend(way(self.machine.route(at, memory), writes));
            }
        }
        for &(resource, rate) in &demand.asks {
            self.load[resource as usize] += rate;
        }
    }

    pub fn end(&mut self, demand: &Demand) {
        for &(resource, rate) in &demand.asks {
            self.load[resource as usize] -= rate;
        }
    }

    /// How long `alone_ps` of this work takes now.
    pub fn stretched_ps(&self, demand: &Demand, alone_ps: u64) -> u64 {
        let capacity = self.machine.capacity();
        let mut worst = (1, 1);
        for &(resource, _) in &demand.asks {
            let (load, can) = (self.load[resource as usize], capacity[resource as usize]);
            if load * worst.1 > worst.0 * can {
                worst = (load, can);
            }
        }
        scaled(alone_ps, worst.0, worst.1)
    }
}

/// `value * by / over`; divisions of wide numbers are slow, and seldom needed.
fn scaled(value: u64, by: u64, over: u64) -> u64 {
    match value.checked_mul(by) {
        Some(product) => product / over,
        None => (u128::from(value) * u128::from(by) / u128::from(over)) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Builder;
    use vicinity_policy::distribution::Distribution;
    use vicinity_policy::presets;

    const MB: u64 = 1 << 20;

    fn demand(name: &str, how: Distribution, at: u16, passes: u32) -> (Demand, u64) {
        let machine = Machine::new(presets::named(name).unwrap());
        let mut builder = Builder::default();
        builder.region(MB, true);
        let program = builder.finish("test".into(), &[], &[]);
        let placement = Placement::new(&program, &machine, how, LocationId(0));
        let mut memory = Memory::new(&machine, &placement.held(&program));
        let uses = [Use { passes, ..Use::of(0, 0, MB / 2, Access::Read) }];
        let mut traffic = Traffic::default();
        traffic.clear(machine.topology.len());
        traffic.add_uses(&uses, &machine, &placement);
        let mut demand = Demand::default();
        memory.begin(&mut demand, &traffic, LocationId(at), 1000);
        let crowd: Vec<Demand> = (0..5)
            .map(|_| {
                let mut other = Demand::default();
                memory.begin(&mut other, &traffic, LocationId(at), 1000);
                other
            })
            .collect();
        let stretched = memory.stretched_ps(&demand, demand.alone_ps);
        crowd.iter().for_each(|other| memory.end(other));
        memory.end(&demand);
        assert!(memory.load.iter().all(|&load| load == 0));
        (demand, stretched)
    }

    #[test]
    fn farther_costs_more() {
        // 8192 lines, eight at a time.
        let near = demand("opteron6172", Distribution::Coarse, 0, 1).0;
        assert_eq!((near.alone_ps, near.local_ps), (1000 + 1024 * 75_000, 1000 + 1024 * 75_000));
        let far = demand("opteron6172", Distribution::Coarse, 3, 1).0;
        assert_eq!((far.alone_ps, far.local_ps), (1000 + 1024 * 165_000, near.local_ps));
    }

    #[test]
    fn data_that_stay_in_the_cache_are_moved_once() {
        let once = demand("opteron6172", Distribution::Coarse, 0, 1).0;
        assert_eq!(demand("opteron6172", Distribution::Coarse, 0, 9).0.alone_ps, once.alone_ps);
        // Half a megabyte does not stay in 64 KiB.
        let tile = |passes| demand("tilepro64", Distribution::Coarse, 0, passes).0.alone_ps - 1000;
        assert_eq!(tile(9), 9 * tile(1));
    }

    #[test]
    fn six_cores_share_one_memory() {
        let (near, stretched) = demand("opteron6172", Distribution::Coarse, 0, 1);
        // Six times 512 KiB in the time that 14.4 GB/s take for them.
        let expected_ps = 6 * (MB / 2) * 1_000_000 / 14_400;
        assert!(stretched.abs_diff(expected_ps) < expected_ps / 1000, "{stretched}");
        assert!(stretched > 2 * near.alone_ps);
    }
}
