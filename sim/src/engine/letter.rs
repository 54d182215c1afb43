//! The paper's rules to the letter, for comparison with those of `policy`.
//!
//! Algorithm 1: a task whose data is larger than the cache, and whose bytes at the locations have a standard deviation other than 0, goes
//! to the first location from which it costs least; every other to the queue of its creator's location. Algorithm 3, on the
//! many-core, asks nothing about the deviation, and only under coarse distribution. Stealing there is within fixed, disjoint
//! rectangles of the mesh (the paper's figure 4), and leaves nothing; on NUMA machines a thief leaves as many tasks as the distance
//! in hops times the cores of a location, for however long it has found nothing.
//!
//! Source: Muddukrishna, Jonsson, Brorsson 2015, section 4.

use vicinity_policy::footprint::NodeBytes;
use vicinity_policy::topology::{LocationId, Topology};

/// Tiles in a row of the mesh.
const COLUMNS: usize = 8;

/// The vicinities of a many-core: so many columns and rows of tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangles {
    columns: usize,
    rows: usize,
}

impl Rectangles {
    /// For 1, 4, 8, 16 tiles; all of them for other sizes.
    pub fn of(tiles: u32) -> Rectangles {
        let (columns, rows) = match tiles {
            1 => (1, 1),
            4 => (2, 2),
            8 => (4, 2),
            16 => (4, 4),
            _ => (COLUMNS, usize::MAX),
        };
        Rectangles { columns, rows }
    }

    pub fn together(self, one: LocationId, other: LocationId) -> bool {
        let of = |at: LocationId| {
            (at.index() % COLUMNS / self.columns, at.index() / COLUMNS / self.rows)
        };
        of(one) == of(other)
    }
}

/// Where a task is queued, by what it uses. `min_bytes`: what a cache holds; `even_stays`: the question about the deviation is asked.
pub fn deal(
    topology: &Topology,
    data: &NodeBytes,
    home: LocationId,
    min_bytes: u64,
    even_stays: bool,
) -> LocationId {
    let is_even = data.as_slice().windows(2).all(|pair| pair[0] == pair[1]);
    if data.total() <= min_bytes || (even_stays && is_even) {
        return home;
    }
    topology.locations().min_by_key(|&at| data.cost_from(topology, at)).unwrap_or(home)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(bytes: &[u64]) -> NodeBytes {
        let mut data = NodeBytes::new(bytes.len());
        bytes.iter().enumerate().for_each(|(at, &more)| data.add(LocationId(at as u16), more));
        data
    }

    #[test]
    fn only_what_is_exactly_even_stays() {
        let topology = Topology::new(vec![1; 3], vec![10, 16, 22, 16, 10, 16, 22, 16, 10], 0);
        let topology = topology.unwrap();
        let home = LocationId(2);
        let dealt = |bytes, even_stays| deal(&topology, &data(bytes), home, 1000, even_stays);
        assert_eq!(dealt(&[500, 500, 500], true), home);
        assert_eq!(dealt(&[500, 500, 500], false), LocationId(1));
        assert_eq!(dealt(&[501, 500, 500], true), LocationId(1), "the most central one");
        assert_eq!(dealt(&[900, 0, 0], true), home, "it fits the cache");
        assert_eq!(dealt(&[1100, 0, 0], true), LocationId(0));
    }

    #[test]
    fn vicinities_are_disjoint_rectangles() {
        let sizes = |tiles| {
            let all = || (0..63).map(LocationId);
            let count = |at| all().filter(|&it| Rectangles::of(tiles).together(at, it)).count();
            (count(LocationId(0)), count(LocationId(62)))
        };
        assert_eq!([1, 4, 8, 16, 63].map(sizes), [(1, 1), (4, 3), (8, 7), (16, 15), (63, 63)]);
        let square = Rectangles::of(4);
        assert!(square.together(LocationId(0), LocationId(9)));
        assert!(!square.together(LocationId(1), LocationId(2)), "neighbours, in two squares");
    }
}
