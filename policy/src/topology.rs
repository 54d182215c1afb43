//! A machine as the policies see it: locations, the threads at each, and how far apart they are.
//!
//! Terms: a *location* is where data can live and a queue stands (a NUMA node, a shared cache, a core).
//! A *distance* is a relative cost of access with 10 for local memory, as in ACPI's System Locality
//! Distance Information Table (ACPI 6.5, section 5.2.17). A *hop* is one class of distances: 0 is the
//! location itself, 1 the nearest others, and so on. The paper does not say the unit of its distances; the source of its runtime,
//! MIR, searches by hops.
//!
//! Invariants: 1. There is at least one location. 2. A location is nearer to itself than any other.
//! 3. Distances need not be symmetric.
//!
//! Source: Muddukrishna, Jonsson, Brorsson 2015, section 4. Units: distances in tenths of a local access.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A location's number, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocationId(pub u16);

impl LocationId {
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Distance of a location to itself.
pub const LOCAL: u16 = 10;
/// Distances that differ by less than a quarter are one hop class: measured ones are never quite equal.
const CLASS_WIDTH: (u32, u32) = (5, 4);

/// Why a distance matrix makes no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// No location, or more than can be numbered.
    Locations(usize),
    /// Not a square of the number of locations.
    Size { expected: usize, found: usize },
    /// A location that is not nearer to itself than to another (both by number).
    NotNearest { from: usize, to: usize },
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Malformed::Locations(count) => {
                write!(f, "{count} locations; there must be 1 to {}", u16::MAX)
            }
            Malformed::Size { expected, found } => {
                write!(
                    f,
                    "{found} distances; there must be {expected}, one for each pair of locations"
                )
            }
            Malformed::NotNearest { from, to } => {
                write!(f, "location {from} is not nearer to itself than to location {to}")
            }
        }
    }
}

impl std::error::Error for Malformed {}

/// How far apart locations are.
#[derive(Debug, PartialEq, Eq)]
struct Distances {
    /// Row by row: from a location to each.
    slit: Vec<u16>,
    hops: Vec<u16>,
    /// Row by row: all locations by distance from one, itself first, then by number.
    near: Vec<LocationId>,
    /// Row by row: at which place of the row above each location is.
    rank: Vec<u16>,
}

/// A machine, or the part of it that a team has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    distances: Arc<Distances>,
    /// Of each location: how many threads are there.
    threads: Vec<u32>,
    /// Bytes of data above which a task is worth dealing: the last-level cache per core, or the private cache
    /// where locations are caches or cores.
    pub cache_bytes: u64,
}

impl Topology {
    /// `threads`: how many processors each location has. `distances`: row by row, in SLIT units.
    pub fn new(
        threads: Vec<u32>,
        distances: Vec<u16>,
        cache_bytes: u64,
    ) -> Result<Topology, Malformed> {
        let count = threads.len();
        if count == 0 || count > usize::from(u16::MAX) {
            return Err(Malformed::Locations(count));
        }
        if distances.len() != count * count {
            return Err(Malformed::Size { expected: count * count, found: distances.len() });
        }
        let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
        let itself = |from: usize| distances[from * count + from];
        if let Some((from, to)) = pairs.into_iter().find(|&(from, to)| {
            itself(from) == 0 || (from != to && distances[from * count + to] <= itself(from))
        }) {
            return Err(Malformed::NotNearest { from, to });
        }
        let distances = Arc::new(Distances::new(count, distances));
        Ok(Topology { distances, threads, cache_bytes })
    }

    /// One location for everything.
    pub fn flat(threads: u32) -> Topology {
        let distances = Arc::new(Distances::new(1, vec![LOCAL]));
        Topology { distances, threads: vec![threads], cache_bytes: 0 }
    }

    /// The same machine as a team sees it that has `threads` of its own at each location.
    pub fn with_threads(&self, threads: Vec<u32>) -> Topology {
        assert_eq!(threads.len(), self.len(), "one count for each location");
        Topology { threads, ..self.clone() }
    }

    /// Number of locations.
    #[expect(clippy::len_without_is_empty, reason = "there is always one")]
    #[inline]
    pub fn len(&self) -> usize {
        self.threads.len()
    }

    pub fn locations(&self) -> impl Iterator<Item = LocationId> + use<> {
        (0..self.len()).map(|index| LocationId(index as u16))
    }

    /// Threads at a location; 0 for memory without processors.
    #[inline]
    pub fn threads(&self, location: LocationId) -> u32 {
        self.threads[location.index()]
    }

    /// In SLIT units.
    #[inline]
    pub fn distance(&self, from: LocationId, to: LocationId) -> u16 {
        self.distances.slit[from.index() * self.len() + to.index()]
    }

    #[inline]
    pub fn hops(&self, from: LocationId, to: LocationId) -> u32 {
        u32::from(self.distances.hops[from.index() * self.len() + to.index()])
    }

    /// All locations by distance from one, itself first.
    #[inline]
    pub fn near(&self, from: LocationId) -> &[LocationId] {
        let count = self.len();
        &self.distances.near[from.index() * count..][..count]
    }

    /// Which position `to` has in `near(from)`.
    #[inline]
    pub fn rank(&self, from: LocationId, to: LocationId) -> usize {
        usize::from(self.distances.rank[from.index() * self.len() + to.index()])
    }

    /// Positions in `near(from)` of the locations as far away as the one at position `at`.
    pub(crate) fn equally_far(&self, from: LocationId, at: usize) -> Range<usize> {
        let near = self.near(from);
        let far = self.distance(from, near[at]);
        let same = |position: &usize| self.distance(from, near[*position]) == far;
        let start = (0..at).rev().take_while(same).last().unwrap_or(at);
        let end = (at..near.len()).take_while(same).last().unwrap_or(at) + 1;
        start..end
    }

    /// Most threads at any location: the paper's "cores per node".
    pub fn threads_per_location(&self) -> u32 {
        self.threads.iter().copied().max().unwrap_or(0)
    }

    /// The nearest location to `from` that has threads, itself if it has.
    pub fn nearest_with_threads(&self, from: LocationId) -> LocationId {
        let mut near = self.near(from).iter().copied();
        near.find(|&location| self.threads(location) > 0).unwrap_or(from)
    }
}

impl Distances {
    fn new(count: usize, slit: Vec<u16>) -> Distances {
        let starts = class_starts(count, &slit);
        let hop = |place: usize| {
            let itself = place / count == place % count;
            if itself { 0 } else { starts.partition_point(|&start| start <= slit[place]) as u16 }
        };
        let hops = (0..slit.len()).map(hop).collect();
        let near = (0..count).flat_map(|from| {
            let mut row: Vec<LocationId> = (0..count).map(|to| LocationId(to as u16)).collect();
            row.sort_by_key(|to| slit[from * count + to.index()]);
            row
        });
        let near: Vec<LocationId> = near.collect();
        let mut rank = vec![0; near.len()];
        for (place, to) in near.iter().enumerate() {
            rank[place / count * count + to.index()] = (place % count) as u16;
        }
        Distances { slit, hops, near, rank }
    }
}

/// The least distance of each hop class from 1 up.
fn class_starts(count: usize, slit: &[u16]) -> Vec<u16> {
    let apart = |place: &usize| place / count != place % count;
    let mut values: Vec<u16> = (0..slit.len()).filter(apart).map(|place| slit[place]).collect();
    values.sort_unstable();
    let mut starts: Vec<u16> = Vec::new();
    for value in values {
        let (wide, narrow) = CLASS_WIDTH;
        if starts.last().is_none_or(|&start| u32::from(value) * narrow >= u32::from(start) * wide) {
            starts.push(value);
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    const L: [LocationId; 4] = [LocationId(0), LocationId(1), LocationId(2), LocationId(3)];

    fn square() -> Topology {
        #[rustfmt::skip]
        let distances = vec![
            10, 16, 16, 22,
            16, 10, 22, 16,
            16, 22, 10, 16,
            22, 16, 16, 10,
        ];
        Topology::new(vec![2, 2, 0, 2], distances, 1 << 20).unwrap()
    }

    #[test]
    fn orders_by_distance() {
        let square = square();
        assert_eq!(square.near(L[1]), [L[1], L[0], L[3], L[2]]);
        assert!(
            L.iter().all(|&from| (0..4).all(|at| square.rank(from, square.near(from)[at]) == at))
        );
        assert_eq!(square.hops(L[1], L[1]), 0);
        assert_eq!((square.hops(L[1], L[3]), square.hops(L[1], L[2])), (1, 2));
        assert_eq!(square.equally_far(L[1], 1), 1..3);
        assert_eq!(square.equally_far(L[1], 2), 1..3);
        assert_eq!(square.equally_far(L[1], 0), 0..1);
        assert_eq!(square.equally_far(L[1], 3), 3..4);
        assert_eq!(square.nearest_with_threads(L[2]), L[0]);
    }

    #[test]
    fn measured_distances_fall_into_classes() {
        let measured = vec![10, 20, 41, 21, 10, 44, 43, 40, 10];
        let topology = Topology::new(vec![1; 3], measured, 0).unwrap();
        assert_eq!((topology.hops(L[0], L[1]), topology.hops(L[0], L[2])), (1, 2));
        assert_eq!((topology.hops(L[1], L[0]), topology.hops(L[1], L[2])), (1, 2));
    }

    #[test]
    fn says_what_is_wrong() {
        let text = |result: Result<Topology, Malformed>| result.unwrap_err().to_string();
        assert!(text(Topology::new(vec![], vec![], 0)).starts_with("0 locations"));
        assert!(text(Topology::new(vec![1; 2], vec![10; 3], 0)).contains("must be 4"));
        assert!(text(Topology::new(vec![1; 2], vec![10, 10, 20, 10], 0)).contains("location 0"));
        assert!(text(Topology::new(vec![1], vec![0], 0)).contains("location 0"));
    }
}
