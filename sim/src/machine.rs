//! A machine to simulate: a preset, with what accesses share worked out.
//!
//! Terms: a *resource* is what delivers a limited number of bytes a second: a location's memory, a link, the
//! memory behind home caches. A *route* is the resources, besides the memory itself, that data pass between a
//! location's memory and another location's cores.
//!
//! Units: picoseconds for latencies, bytes a microsecond for resources (the same number as megabytes a second).

use std::ops::Range;

use vicinity_policy::presets::{Preset, Wires};
use vicinity_policy::topology::{LocationId, Topology};

/// Bytes that an access brings.
pub const LINE_BYTES: u64 = 64;
/// Unit of distribution where locations have memory: a page.
const PAGE_BYTES: u64 = 4096;
/// Of HyperTransport's and its likes' lanes, what is left for data (a part, and of how much): a line of 64 bytes travels with its
/// header and check (12), the request (8) and the probe traffic of its and other lines (12).
pub const LINK_EFFICIENCY: (u64, u64) = (64, 96);

/// What the simulation knows of a machine.
#[derive(Clone, Debug)]
pub struct Machine {
    pub name: String,
    pub title: String,
    pub topology: Topology,
    pub clock_mhz: u32,
    /// What is distributed: a page, or on a many-core a line.
    pub unit_bytes: u64,
    /// Locations are home caches: stores go through to them, and nothing is placed by first touch.
    pub many_core: bool,
    /// Cache in which a task's data stays from one pass over it to the next: on a many-core the L1, since lines of other home
    /// caches are not kept in a tile's own L2 (the paper switched that off).
    pub reuse_bytes: u64,
    /// Of one home cache.
    pub home_cache_bytes: u64,
    /// What a miss in a home cache adds.
    pub behind_ps: u64,
    pub misses_in_flight: u64,
    /// Row by row: one access from a location's cores to another location's memory.
    latency_ps: Vec<u64>,
    /// Of each resource: the locations' memories first.
    capacity: Vec<u64>,
    /// Row by row, from memory (row) to cores (column): parts of `routes`.
    route: Vec<Range<u32>>,
    routes: Vec<u32>,
}

impl Machine {
    pub fn new(preset: Preset) -> Machine {
        let topology = preset.topology;
        let count = topology.len();
        let pairs = || topology.locations().flat_map(|a| topology.locations().map(move |b| (a, b)));
        let local_ps = u64::from(preset.local_latency_ns) * 1000;
        let latency = |(from, to)| local_ps * u64::from(topology.distance(from, to)) / 10;
        let latency_ps = pairs().map(latency).collect();
        let mut capacity = vec![u64::from(preset.memory_mb_per_s); count];
        if let Some(behind) = preset.behind {
            capacity.push(u64::from(behind.memory_mb_per_s));
        }
        let (useful, all) = LINK_EFFICIENCY;
        let links: Vec<u64> =
            preset.link_mb_per_s.iter().map(|&mb| u64::from(mb) * useful / all).collect();
        let mut wiring = Wiring { topology: &topology, links, capacity, ends: Vec::new() };
        let mut route = Vec::new();
        let mut routes = Vec::new();
        for (memory, cores) in pairs() {
            let start = routes.len() as u32;
            if memory != cores {
                match preset.wires {
                    Wires::Direct => wiring.direct(memory, cores, &mut routes),
                    Wires::Ports => wiring.ports(memory, cores, &mut routes),
                }
            }
            route.push(start..routes.len() as u32);
        }
        let capacity = wiring.capacity;
        let many_core = preset.behind.is_some();
        Machine {
            name: preset.name.to_string(),
            title: preset.title.to_string(),
            clock_mhz: preset.clock_mhz,
            unit_bytes: if many_core { LINE_BYTES } else { PAGE_BYTES },
            many_core,
            reuse_bytes: topology.cache_bytes,
            home_cache_bytes: preset.last_cache_bytes,
            behind_ps: preset.behind.map_or(0, |behind| u64::from(behind.latency_ns) * 1000),
            misses_in_flight: u64::from(preset.misses_in_flight),
            latency_ps,
            capacity,
            route,
            routes,
            topology,
        }
    }

    /// The same machine with latencies that were measured, in nanoseconds, where `of` knows them: from cores to memory.
    pub fn with_latencies(mut self, of: impl Fn(LocationId, LocationId) -> Option<f64>) -> Machine {
        for from in self.topology.locations() {
            for memory in self.topology.locations() {
                let at = from.index() * self.topology.len() + memory.index();
                let measured = of(from, memory).map(|ns| (ns * 1000.0) as u64);
                self.latency_ps[at] = measured.unwrap_or(self.latency_ps[at]);
            }
        }
        self
    }

    /// The same machine with cores of another clock, and memory as it was.
    pub fn with_clock(self, clock_mhz: u32) -> Machine {
        Machine { clock_mhz, ..self }
    }

    /// Of one access by a core at `from`.
    pub fn latency_ps(&self, from: LocationId, memory: LocationId) -> u64 {
        self.latency_ps[from.index() * self.topology.len() + memory.index()]
    }

    /// What each resource delivers; the first are the memories.
    pub fn capacity(&self) -> &[u64] {
        &self.capacity
    }

    /// The memory behind the home caches.
    pub fn behind(&self) -> usize {
        self.topology.len()
    }

    /// What data pass on the way.
    pub fn route(&self, memory: LocationId, cores: LocationId) -> &[u32] {
        let range = self.route[memory.index() * self.topology.len() + cores.index()].clone();
        &self.routes[range.start as usize..range.end as usize]
    }
}

/// Numbers the links as routes first need them.
struct Wiring<'a> {
    topology: &'a Topology,
    links: Vec<u64>,
    capacity: Vec<u64>,
    /// What is known of the links so far: ends or port, and the resource.
    ends: Vec<((usize, usize, u32), u32)>,
}

impl Wiring<'_> {
    fn link(&mut self, ends: (usize, usize, u32), hops: u32) -> u32 {
        if let Some(&(_, link)) = self.ends.iter().find(|(known, _)| *known == ends) {
            return link;
        }
        let link = self.capacity.len() as u32;
        self.capacity.push(self.links[(hops as usize - 1).min(self.links.len() - 1)]);
        self.ends.push((ends, link));
        link
    }

    /// One link for neighbours; two through a neighbour of both for others, through different ones for
    /// different pairs.
    fn direct(&mut self, memory: LocationId, cores: LocationId, routes: &mut Vec<u32>) {
        let topology = self.topology;
        let near = |a, b| topology.hops(a, b) == 1;
        let between: Vec<LocationId> = topology
            .locations()
            .filter(|&at| near(memory, at) && near(at, cores) && !near(memory, cores))
            .collect();
        let mut hop = |from: LocationId, to: LocationId| {
            routes.push(self.link((from.index(), to.index(), 0), 1));
        };
        if between.is_empty() {
            hop(memory, cores);
        } else {
            let via = between[(memory.index() + cores.index()) / 2 % between.len()];
            hop(memory, via);
            hop(via, cores);
        }
    }

    /// Out of one location and into the other, among the traffic that goes as far.
    fn ports(&mut self, memory: LocationId, cores: LocationId, routes: &mut Vec<u32>) {
        let hops = self.topology.hops(cores, memory);
        let nowhere = usize::MAX;
        routes.push(self.link((memory.index(), nowhere, hops), hops));
        routes.push(self.link((nowhere, cores.index(), hops), hops));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vicinity_policy::presets;

    #[test]
    fn opterons_share_their_links() {
        let machine = Machine::new(presets::named("opteron6172").unwrap());
        let l = LocationId;
        assert_eq!(machine.latency_ps(l(0), l(0)), 75_000);
        assert_eq!(machine.latency_ps(l(0), l(3)), 165_000);
        assert!(machine.route(l(4), l(4)).is_empty());
        assert_eq!(machine.route(l(0), l(2)).len(), 1);
        assert_eq!(machine.route(l(0), l(3)).len(), 2);
        // Four links in packages and six among the dies of each parity, in both directions.
        assert_eq!(machine.capacity().len(), 8 + 2 * (4 + 6 + 6));
        assert_eq!(machine.capacity()[8], 6_400 * 64 / 96);
    }

    #[test]
    fn every_machine_has_routes() {
        for name in presets::names() {
            let machine = Machine::new(presets::named(name).unwrap());
            for from in machine.topology.locations() {
                for to in machine.topology.locations() {
                    assert_eq!(machine.route(from, to).is_empty(), from == to, "{name}");
                }
            }
        }
    }
}
