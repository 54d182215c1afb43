//! Machines by name, as plain values: for simulations and tests on machines that are not here.
//!
//! Terms: a location's *memory* is its memory controller with what hangs on it, or on the many-core the
//! home cache. A *link* is the way from one location's threads to another location's memory.
//!
//! Distances are those that the machines' firmware reports (ACPI SLIT), or what the paper's runtime uses.
//! They overstate the latency across sockets of today's machines; the policies go by them all the same,
//! because on the real machine they do. Bandwidths are peak values computed from channels and lanes.
//! The three of today have an assumed 16 misses in flight.
//! Latencies are of idle memory with pages too many for the TLB where a source says so, and rounded.
//!
//! Sources, with each machine. Units: distances in tenths of a local access, bytes, nanoseconds, megabytes
//! (10^6 bytes) per second, megahertz.

use crate::topology::{LOCAL, Topology};

/// What a simulation needs to know of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preset {
    pub name: &'static str,
    /// What it is, in one line.
    pub title: &'static str,
    /// Locations with their cores, distances, and the threshold of dealing.
    pub topology: Topology,
    /// Clock of a core with all cores at work.
    pub clock_mhz: u32,
    /// Last-level caches of a location, all together.
    pub last_cache_bytes: u64,
    /// Of one core.
    pub private_cache_bytes: u64,
    /// Of an access to the location's own memory; farther ones take `distance / 10` times as long.
    pub local_latency_ns: u32,
    /// What one location's memory delivers.
    pub memory_mb_per_s: u32,
    /// What one link delivers, by hops: the first is for 1 hop.
    pub link_mb_per_s: Vec<u32>,
    pub wires: Wires,
    /// Cache lines that a core can wait for at the same time.
    pub misses_in_flight: u32,
    /// On a many-core: the memory behind its home caches.
    pub behind: Option<Behind>,
}

/// What accesses to other locations' memory share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wires {
    /// Two locations one hop apart have a link, both ways; what goes farther passes two of them.
    Direct,
    /// A location has, for each number of hops, one way in and one way out.
    Ports,
}

/// The memory behind home caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Behind {
    /// What a miss in the home cache adds.
    pub latency_ns: u32,
    /// Of all controllers together.
    pub memory_mb_per_s: u32,
}

type Maker = fn() -> Preset;
const PRESETS: &[(&str, Maker)] = &[
    ("opteron6172", opteron6172),
    ("tilepro64", tilepro64),
    ("xeon-snc4", xeon_snc4),
    ("epyc-nps4", epyc_nps4),
    ("arm-4node", arm_4node),
];

/// Every name, in the order they are listed for users.
pub fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|&(name, _)| name)
}

/// The machine of this name.
pub fn named(name: &str) -> Option<Preset> {
    let preset = PRESETS.iter().find(|&&(known, _)| known.eq_ignore_ascii_case(name));
    preset.map(|&(_, make)| make())
}

/// The paper's NUMA machine: four packages of two dies of six cores.
///
/// Distances: its firmware's 10, 16 and 22, laid out as AMD wires four G34 packages ("Direct Connect
/// Architecture 2.0", AMD 2010): a die is one HyperTransport hop from the other die of its package and from
/// the dies of equal parity in the others, two from the rest. Memory: AnandTech, March 2010 (show/2978): the
/// 1.8 GHz northbridge limits a die to 14.4 GB/s. Links: HyperTransport 3 at 6.4 GT/s, 8 bits wide between
/// packages (chipsandcheese.com, "AMD's Magny Cours and HyperTransport Interconnect"; 16 bits in a
/// package). A core has eight miss buffers (AMD, Software Optimization Guide for Family 10h). Latency: between 54 ns (J. McCalpin, "AMD Opteron Local Memory Latency Chart", 2010: open
/// pages, four sockets) and 98 ns (AnandTech, Opteron 6174). Of the 6 MiB of L3, HT Assist takes 1.
fn opteron6172() -> Preset {
    let wired = |from: usize, to: usize| match () {
        () if from == to => LOCAL,
        () if from / 2 == to / 2 || from % 2 == to % 2 => 16,
        () => 22,
    };
    Preset {
        name: "opteron6172",
        title: "4 x AMD Opteron 6172: 8 NUMA nodes of 6 cores",
        topology: machine(8, 6, wired, (5 << 20) / 6),
        clock_mhz: 2100,
        last_cache_bytes: 5 << 20,
        private_cache_bytes: 512 << 10,
        local_latency_ns: 75,
        memory_mb_per_s: 14_400,
        link_mb_per_s: vec![6_400; 2],
        wires: Wires::Direct,
        misses_in_flight: 8,
        behind: None,
    }
}

/// The paper's many-core: a mesh of 8 by 8 tiles whose caches are homes of data; one tile is not the
/// program's, the paper's largest vicinity is 63.
///
/// Distances: those of the paper's runtime (MIR), 38 and 2 a mesh hop against 10 for the own cache: 4 to 6.6
/// times. Latency: 8 cycles of the L2 cache at 700 MHz. Links: a mesh network is 32 bits wide. The L2 cache is
/// the home cache, so what is private to a core, and the threshold of dealing, is its L1 cache. Memory: four
/// controllers of 64-bit DDR2-800. The home cache's own bandwidth, 8 bytes a cycle, the 100 ns behind it and
/// one miss at a time, for a core that executes in order, are our assumptions.
fn tilepro64() -> Preset {
    const SIDE: usize = 8;
    let mesh = |from: usize, to: usize| match () {
        () if from == to => LOCAL,
        () => {
            let hops = (from / SIDE).abs_diff(to / SIDE) + (from % SIDE).abs_diff(to % SIDE);
            38 + 2 * hops as u16
        }
    };
    Preset {
        name: "tilepro64",
        title: "Tilera TILEPro64: 63 cores with a home cache each, in a mesh",
        topology: machine(SIDE * SIDE - 1, 1, mesh, 8 << 10),
        clock_mhz: 700,
        last_cache_bytes: 64 << 10,
        private_cache_bytes: 8 << 10,
        local_latency_ns: 11,
        memory_mb_per_s: 5_600,
        link_mb_per_s: vec![2_800; 3],
        wires: Wires::Ports,
        misses_in_flight: 1,
        behind: Some(Behind { latency_ns: 100, memory_mb_per_s: 25_600 }),
    }
}

/// Two sockets of 56 cores with sub-NUMA clustering.
///
/// Distances: numactl on such a machine. Caches: 2 MiB L2 a core, 105 MiB L3 a socket. Memory: two channels
/// of DDR5-4800 a cluster. Links: the mesh carries what the memory delivers; four UPI 2.0 links of 24 lanes
/// at 16 GT/s are shared by four clusters. Latency: the order of what Intel's Memory Latency Checker prints
/// on this generation, our rounding.
fn xeon_snc4() -> Preset {
    Preset {
        name: "xeon-snc4",
        title: "2 x Intel Xeon Platinum 8480+, SNC-4: 8 NUMA nodes of 14 cores",
        topology: machine(8, 14, |from, to| sockets(from, to, 4, 21), (105 << 20) / 56),
        clock_mhz: 3000,
        last_cache_bytes: (105 << 20) / 4,
        private_cache_bytes: 2 << 20,
        local_latency_ns: 110,
        memory_mb_per_s: 76_800,
        link_mb_per_s: vec![76_800, 48_000],
        wires: Wires::Ports,
        misses_in_flight: 16,
        behind: None,
    }
}

/// Two sockets of 64 cores in eight L3 groups, four NUMA nodes a socket.
///
/// Distances: numactl on such a machine. Caches: 512 KiB L2 a core, 32 MiB L3 for eight cores. Memory: two
/// channels of DDR4-3200 a node. Links: the I/O die carries what the memory delivers; four xGMI links of 16
/// lanes at 16 GT/s are shared by four nodes. Latency: AnandTech, August 2019 (show/14694), 113 ns at NPS4,
/// of the generation before.
fn epyc_nps4() -> Preset {
    Preset {
        name: "epyc-nps4",
        title: "2 x AMD EPYC 7763, NPS4: 8 NUMA nodes of 16 cores in 2 L3 groups",
        topology: machine(8, 16, |from, to| sockets(from, to, 4, 32), (32 << 20) / 8),
        clock_mhz: 2450,
        last_cache_bytes: 64 << 20,
        private_cache_bytes: 512 << 10,
        local_latency_ns: 113,
        memory_mb_per_s: 51_200,
        link_mb_per_s: vec![51_200, 32_000],
        wires: Wires::Ports,
        misses_in_flight: 16,
        behind: None,
    }
}

/// Two sockets of two dies of 32 Arm cores.
///
/// Distances: what the kernel prints on Kunpeng 920 machines. Caches: 512 KiB L2 and 1 MiB of L3 a core.
/// Memory: four channels of DDR4-2933 a die. Links: in a package, what the memory delivers; between packages
/// one Hydra port of 240 Gbit/s a die. Latency: our rounding of what is reported for the family.
fn arm_4node() -> Preset {
    const SLIT: [[u16; 4]; 4] =
        [[10, 12, 20, 22], [12, 10, 22, 24], [20, 22, 10, 12], [22, 24, 12, 10]];
    Preset {
        name: "arm-4node",
        title: "2 x Kunpeng 920: 4 NUMA nodes of 32 Arm cores",
        topology: machine(4, 32, |from, to| SLIT[from][to], 1 << 20),
        clock_mhz: 2600,
        last_cache_bytes: 32 << 20,
        private_cache_bytes: 512 << 10,
        local_latency_ns: 100,
        memory_mb_per_s: 93_800,
        link_mb_per_s: vec![93_800, 30_000],
        wires: Wires::Ports,
        misses_in_flight: 16,
        behind: None,
    }
}

/// `each` nodes a socket, 12 apart in it and `across` between sockets.
fn sockets(from: usize, to: usize, each: usize, across: u16) -> u16 {
    match () {
        () if from == to => LOCAL,
        () if from / each == to / each => 12,
        () => across,
    }
}

fn machine(
    locations: usize,
    cores: u32,
    distance: impl Fn(usize, usize) -> u16,
    cache_bytes: u64,
) -> Topology {
    let pairs = (0..locations).flat_map(|from| (0..locations).map(move |to| (from, to)));
    let distances = pairs.map(|(from, to)| distance(from, to)).collect();
    let topology = Topology::new(vec![cores; locations], distances, cache_bytes);
    topology.expect("the matrices above are square, and least on the diagonal")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::LocationId;

    fn farthest(topology: &Topology) -> u32 {
        let hops = |from| topology.locations().map(move |to| (from, to));
        let pairs = topology.locations().flat_map(hops);
        pairs.map(|(from, to)| topology.hops(from, to)).max().unwrap_or(0)
    }

    #[test]
    fn every_name_is_a_machine_with_a_link_for_each_hop() {
        assert_eq!(names().count(), 5);
        for name in names() {
            let preset = named(name).unwrap();
            assert_eq!(preset.name, name);
            assert_eq!(preset.link_mb_per_s.len() as u32, farthest(&preset.topology), "{name}");
            assert!(preset.topology.cache_bytes <= preset.last_cache_bytes, "{name}");
        }
        assert_eq!(named("Opteron6172"), named("opteron6172"));
        assert_eq!(named("cray1"), None);
    }

    #[test]
    fn the_machines_of_the_paper() {
        let opteron = named("opteron6172").unwrap().topology;
        let row = |from| {
            let from = LocationId(from);
            opteron.locations().map(|to| opteron.distance(from, to)).collect::<Vec<_>>()
        };
        assert_eq!(row(0), [10, 16, 16, 22, 16, 22, 16, 22]);
        assert_eq!(row(5), [22, 16, 22, 16, 16, 10, 22, 16]);
        let cores = |topology: &Topology| -> u32 {
            topology.locations().map(|location| topology.threads(location)).sum()
        };
        assert_eq!(cores(&opteron), 48);
        let tile = named("tilepro64").unwrap().topology;
        assert_eq!((tile.len(), cores(&tile)), (63, 63));
        let corner = tile.near(LocationId(0));
        assert_eq!(corner[1..3], [LocationId(1), LocationId(8)]);
        assert_eq!(tile.distance(LocationId(0), *corner.last().unwrap()), 38 + 2 * 13);
    }
}
