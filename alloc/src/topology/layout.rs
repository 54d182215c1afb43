//! From the parts of a machine to its locations and how far apart they are.
//!
//! Distances of NUMA nodes are those that the machine reports. Where it does not, nodes of one package are 12
//! apart and others 20, which is what firmware reports most often. Distances of caches and cores follow from the
//! innermost cache that two of them share: 12 if it is of level 1 or 2, 15 if it is farther out; where they
//! share none, twice the distance of their nodes, because what the other has comes by way of its memory.
//!
//! Source: Muddukrishna, Jonsson, Brorsson 2015, section 4, for the thresholds of dealing. Units: bytes; distances
//! in tenths of a local access.

use super::hardware::{Cache, Hardware, Level, Locations, Node};
use crate::os::CpuSet;
use vicinity_policy::topology::{LOCAL, Topology};

/// A location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// `node 2`, `cache 0`, `core 17`: for people.
    pub name: String,
    /// Those that may be used; empty where there is only memory.
    pub processors: CpuSet,
    /// The NUMA node that its memory is on, by the kernel's number.
    pub node: Option<u32>,
    /// Of that node; 0 where it has none that may be used.
    pub memory_bytes: u64,
}

/// The locations of a machine, without a policy's view of them.
pub struct Layout {
    pub places: Vec<Place>,
    /// Row by row.
    pub distances: Vec<u16>,
    /// Of every node of the machine, by the kernel's number: the nearest of `places`.
    pub nearest: Vec<(u32, usize)>,
    /// Where the distances come from, in words.
    pub origin: &'static str,
}

/// Distances grow with the square.
const MAX_LOCATIONS: usize = 2048;

/// Between NUMA nodes of one package and of two, where the machine does not say.
const SAME_PACKAGE: u16 = 12;
const OTHER_PACKAGE: u16 = 20;
/// Between parts that share a cache of level 1 or 2, and one farther out.
const SHARED_PRIVATE: u16 = 12;
const SHARED_LAST: u16 = 15;
const PRIVATE_LEVELS: u32 = 2;

/// The error says why there are none.
pub fn layout(hardware: &dyn Hardware, kind: Locations) -> Result<Layout, String> {
    let count = match kind {
        Locations::NumaDomains => hardware.nodes().len(),
        Locations::LlCaches => hardware.parts(Level::LlCaches).len(),
        Locations::Cores => hardware.parts(Level::Cores).len(),
    };
    if count > MAX_LOCATIONS {
        return Err(format!("{count} locations, {MAX_LOCATIONS} are possible"));
    }
    let nodes = Nodes::of(hardware);
    let (places, distances) = match kind {
        Locations::NumaDomains => nodes.as_places(),
        Locations::LlCaches => parts(hardware, Level::LlCaches, "cache", &nodes),
        Locations::Cores => parts(hardware, Level::Cores, "core", &nodes),
    };
    let origin = match kind {
        Locations::NumaDomains if nodes.are_reported => "reported by the machine",
        Locations::NumaDomains => "guessed from packages",
        Locations::LlCaches | Locations::Cores => "from the cache hierarchy",
    };
    let nearest = nodes.nearest(&places);
    Ok(Layout { places, distances, nearest, origin })
}

/// All nodes with their distances.
struct Nodes {
    list: Vec<Node>,
    /// Row by row.
    distances: Vec<u16>,
    /// Whether the distances are the machine's own.
    are_reported: bool,
}

impl Nodes {
    fn of(hardware: &dyn Hardware) -> Nodes {
        let list = hardware.nodes();
        // Firmware has been seen to say that all nodes are equally near.
        let makes_sense = |distances: &Vec<u16>| {
            let own_are_local = distances.iter().step_by(list.len() + 1).all(|&own| own == LOCAL);
            own_are_local && Topology::new(vec![1; list.len()], distances.clone(), 0).is_ok()
        };
        let reported = hardware.node_distances(&list).filter(makes_sense);
        let are_reported = reported.is_some();
        let distances = reported.unwrap_or_else(|| by_package(hardware, &list));
        Nodes { list, distances, are_reported }
    }

    /// By positions in the list.
    fn distance(&self, from: usize, to: usize) -> u16 {
        self.distances[from * self.list.len() + to]
    }

    fn as_places(&self) -> (Vec<Place>, Vec<u16>) {
        let usable: Vec<usize> =
            (0..self.list.len()).filter(|&at| self.list[at].is_usable()).collect();
        let places = usable.iter().map(|&at| &self.list[at]).map(|node| Place {
            name: format!("node {}", node.number),
            processors: node.processors.clone(),
            node: Some(node.number),
            memory_bytes: node.memory_bytes,
        });
        let rows = usable.iter().flat_map(|&from| usable.iter().map(move |&to| (from, to)));
        (places.collect(), rows.map(|(from, to)| self.distance(from, to)).collect())
    }

    /// For each node the first of the places that are nearest to it.
    fn nearest(&self, places: &[Place]) -> Vec<(u32, usize)> {
        let position = |node: Option<u32>| self.list.iter().position(|it| Some(it.number) == node);
        let homes: Vec<usize> =
            places.iter().map(|place| position(place.node).unwrap_or(0)).collect();
        let nearest = |at: usize| (0..homes.len()).min_by_key(|&to| self.distance(at, homes[to]));
        let nodes = self.list.iter().enumerate();
        nodes.map(|(at, node)| (node.number, nearest(at).unwrap_or(0))).collect()
    }

    /// Position of the node that a part belongs to.
    fn home(&self, part: &CpuSet) -> usize {
        let holds = |node: &Node| part.first().is_some_and(|cpu| node.processors.contains(cpu));
        self.list.iter().position(holds).unwrap_or(0)
    }
}

fn parts(
    hardware: &dyn Hardware,
    level: Level,
    what: &str,
    nodes: &Nodes,
) -> (Vec<Place>, Vec<u16>) {
    let parts = hardware.parts(level);
    let caches: Vec<Vec<Cache>> =
        parts.iter().map(|part| part.first().map_or(vec![], |cpu| hardware.caches(cpu))).collect();
    let homes: Vec<usize> = parts.iter().map(|part| nodes.home(part)).collect();
    let places = parts.iter().zip(&homes).enumerate().map(|(number, (part, &home))| Place {
        name: format!("{what} {number}"),
        processors: part.clone(),
        node: nodes.list.get(home).map(|node| node.number),
        memory_bytes: nodes.list.get(home).map_or(0, |node| node.memory_bytes),
    });
    let shared = |from: usize, to: usize| {
        let to = parts[to].first()?;
        let caches = caches[from].iter().filter(|cache| cache.processors.contains(to));
        caches.map(|cache| cache.level).min()
    };
    let distance = |(from, to): (usize, usize)| match shared(from, to) {
        _ if from == to => LOCAL,
        Some(level) if level <= PRIVATE_LEVELS => SHARED_PRIVATE,
        Some(_) => SHARED_LAST,
        None => nodes.distance(homes[from], homes[to]).saturating_mul(2),
    };
    (places.collect(), pairs(parts.len()).map(distance).collect())
}

fn by_package(hardware: &dyn Hardware, nodes: &[Node]) -> Vec<u16> {
    let packages = hardware.parts(Level::Sockets);
    let package = |at: usize| {
        let cpu = nodes[at].processors.first()?;
        packages.iter().position(|package| package.contains(cpu))
    };
    let distance = |(from, to)| match (package(from), package(to)) {
        _ if from == to => LOCAL,
        (Some(one), Some(other)) if one == other => SAME_PACKAGE,
        _ => OTHER_PACKAGE,
    };
    pairs(nodes.len()).map(distance).collect()
}

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |from| (0..count).map(move |to| (from, to)))
}

/// Sizes that decide whether a task's data is worth moving the task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheSizes {
    /// The last-level cache of a processor, whole.
    pub last_level_bytes: u64,
    /// Divided among the cores that share it.
    pub last_level_per_core_bytes: u64,
    /// The largest that no other core shares.
    pub private_bytes: u64,
}

/// Sizes of a processor's caches; 0 where they are not known.
pub fn cache_sizes(hardware: &dyn Hardware, cpu: u32) -> CacheSizes {
    let core = hardware.core_of(cpu);
    let caches = hardware.caches(cpu);
    let Some(last) = caches.last() else {
        return CacheSizes::default();
    };
    let private = caches.iter().rev().find(|cache| cache.processors.difference(&core).is_empty());
    let sharing = u64::from(last.processors.len().div_ceil(core.len().max(1)).max(1));
    CacheSizes {
        last_level_bytes: last.bytes,
        last_level_per_core_bytes: last.bytes / sharing,
        private_bytes: private.map_or(0, |cache| cache.bytes),
    }
}

/// What is taken for a cache that is not known: a usual private one.
const UNKNOWN_CACHE_BYTES: u64 = 1 << 20;

/// Bytes of data above which a task is worth dealing.
pub fn threshold_bytes(kind: Locations, sizes: CacheSizes) -> u64 {
    let bytes = match kind {
        Locations::NumaDomains => sizes.last_level_per_core_bytes,
        Locations::LlCaches | Locations::Cores => sizes.private_bytes,
    };
    if bytes == 0 { UNKNOWN_CACHE_BYTES } else { bytes }
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
