//! Dealing: at which location's queue a task stands when it becomes ready.
//!
//! The paper deals a task whose data is larger than a cache, and is not spread evenly, to the location
//! from which its data costs least, and any other task to its creator's node. Two things differ here. A
//! task that is not dealt stays with the thread that created it (`None`), in the thread's own queue,
//! where dealing costs nothing and evenly spread data balances like work stealing instead of piling up
//! in one node's queue. And only locations with threads are chosen.
//!
//! Source: Muddukrishna, Jonsson, Brorsson 2015, section 4, "work-dealing". Units: bytes.

use crate::footprint::NodeBytes;
use crate::topology::{LocationId, Topology};

/// How tasks are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deal {
    /// Every task stays with its creator.
    Home,
    /// All to one queue.
    Central,
    /// One location after the other.
    RoundRobin,
    /// Where the data costs least, if there are more than `min_bytes` of it.
    LeastCost { min_bytes: u64 },
}

impl Deal {
    /// How a task is dealt by the one dependence that is marked access-intensive: by that alone, however
    /// little it is (the paper's algorithm for the many-core).
    pub fn by_intensive(self) -> Deal {
        match self {
            Deal::LeastCost { .. } => Deal::LeastCost { min_bytes: 0 },
            other => other,
        }
    }
}

/// Where a task is dealt; `None`: it stays with its creator.
///
/// `data`: its footprint. `turn`: a number that grows from task to task; it shares equally cheap
/// locations out.
pub fn deal(how: Deal, topology: &Topology, data: &NodeBytes, turn: u32) -> Option<LocationId> {
    match how {
        Deal::Home => None,
        Deal::Central => Some(topology.nearest_with_threads(LocationId(0))),
        Deal::RoundRobin => {
            let next = LocationId((turn as usize % topology.len()) as u16);
            Some(topology.nearest_with_threads(next))
        }
        Deal::LeastCost { min_bytes } => {
            let worthwhile = data.total() > min_bytes && !data.is_uniform();
            worthwhile.then(|| cheapest(topology, data, turn)).flatten()
        }
    }
}

/// The location with threads from which `data` costs least; `None` if it costs the same from all.
fn cheapest(topology: &Topology, data: &NodeBytes, turn: u32) -> Option<LocationId> {
    let candidates = || {
        let populated = topology.locations().filter(|&location| topology.threads(location) > 0);
        populated.map(|location| (data.cost_from(topology, location), location))
    };
    let (mut all, mut ties, mut best) = (0, 0, None);
    for (cost, location) in candidates() {
        all += 1;
        match best {
            Some((least, _)) if cost > least => {}
            Some((least, _)) if cost == least => ties += 1,
            _ => (best, ties) = (Some((cost, location)), 1),
        }
    }
    let (least, first) = best?;
    match ties {
        1 => Some(first),
        _ if ties == all => None,
        _ => {
            let mut tied = candidates().filter(|&(cost, _)| cost == least);
            tied.nth(turn as usize % ties).map(|(_, location)| location)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: Deal = Deal::LeastCost { min_bytes: 1000 };
    const L: [LocationId; 4] = [LocationId(0), LocationId(1), LocationId(2), LocationId(3)];

    /// A square: neighbours 16 apart, opposite corners 22.
    fn square(threads: [u32; 4]) -> Topology {
        let distances = vec![10, 16, 16, 22, 16, 10, 22, 16, 16, 22, 10, 16, 22, 16, 16, 10];
        Topology::new(threads.to_vec(), distances, 0).unwrap()
    }

    fn bytes(each: [u64; 4]) -> NodeBytes {
        let mut data = NodeBytes::new(4);
        L.iter().zip(each).for_each(|(&location, bytes)| data.add(location, bytes));
        data
    }

    #[test]
    fn goes_where_its_data_is() {
        let topology = square([2; 4]);
        assert_eq!(deal(LEAST, &topology, &bytes([0, 0, 2000, 0]), 0), Some(L[2]));
        assert_eq!(deal(LEAST, &topology, &bytes([900, 0, 0, 1000]), 0), Some(L[3]));
    }

    #[test]
    fn small_and_even_data_stays() {
        let topology = square([2; 4]);
        assert_eq!(deal(LEAST, &topology, &bytes([0, 0, 1000, 0]), 0), None);
        assert_eq!(deal(LEAST, &topology, &bytes([5000; 4]), 0), None);
        assert_eq!(deal(Deal::Home, &topology, &bytes([0, 0, 9000, 0]), 0), None);
    }

    #[test]
    fn an_intensive_dependence_has_no_threshold() {
        let topology = square([2; 4]);
        assert_eq!(deal(LEAST.by_intensive(), &topology, &bytes([0, 1, 0, 0]), 0), Some(L[1]));
        assert_eq!(deal(Deal::Home.by_intensive(), &topology, &bytes([0, 1, 0, 0]), 0), None);
    }

    #[test]
    fn ties_take_turns() {
        let topology = square([2; 4]);
        let data = bytes([4000, 0, 0, 4000]);
        let dealt: Vec<_> = (0..4).map(|turn| deal(LEAST, &topology, &data, turn)).collect();
        // 32 a byte from all four: nobody is better.
        assert_eq!(dealt, [None; 4]);
        let data = bytes([4000, 4000, 0, 0]);
        let dealt: Vec<_> = (0..3).map(|turn| deal(LEAST, &topology, &data, turn)).collect();
        assert_eq!(dealt, [Some(L[0]), Some(L[1]), Some(L[0])]);
    }

    #[test]
    fn memory_without_threads_gets_none() {
        let topology = square([2, 2, 0, 2]);
        let dealt: Vec<_> =
            (0..2).map(|turn| deal(LEAST, &topology, &bytes([0, 0, 2000, 0]), turn)).collect();
        assert_eq!(dealt, [Some(L[0]), Some(L[3])]);
        assert_eq!(deal(Deal::RoundRobin, &topology, &bytes([0; 4]), 6), Some(L[0]));
        assert_eq!(deal(Deal::Central, &topology, &bytes([0; 4]), 9), Some(L[0]));
    }
}
