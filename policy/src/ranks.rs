//! Ranks: how the processes of one program that run on one machine divide it.
//!
//! Terms: a *rank* is one of those processes, numbered from 0 on this machine. A *unit* is what is not divided: a core; where
//! there are more ranks than cores, a processor (a hardware thread). A *part* is what belongs together at a level: a socket,
//! the NUMA nodes in it, their last-level caches, and cores. A rank's *claim* is a number of units that it is to get.
//!
//! All claims are equal, or differ by one unit, since ranks mostly wait for the slowest. At each level, from the outermost:
//! 1. ranks take whole parts, in order, while their claims are large enough for them;
//! 2. ranks whose claims, or what is left of them, fit into what is left of a part get it there;
//! 3. what is left of the parts goes to what is left of the claims, in order.
//!
//! Each part is then divided likewise among those that got something of it. Where there are more ranks than processors, ranks
//! share: each gets a whole NUMA node, with others, and the system's scheduler has the rest.

/// Levels above the processor: socket, NUMA node, last-level cache, core.
pub const LEVELS: usize = 4;
/// Levels that make a location for ranks that share: socket and NUMA node.
const SHARED_LEVELS: usize = 2;

/// A processor: its number, and in which part of each level it is, the outermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Processor {
    pub within: [u32; LEVELS],
    pub number: u32,
}

/// The processors of rank `rank` of `ranks`.
pub fn part(processors: &[Processor], rank: u32, ranks: u32) -> Vec<u32> {
    let mut sorted = processors.to_vec();
    sorted.sort_unstable();
    let mut units: Vec<&[Processor]> = sorted.chunk_by(|a, b| a.within == b.within).collect();
    if units.len() < ranks as usize {
        units = sorted.chunks(1).collect();
    }
    if units.len() < ranks as usize {
        return shared(&sorted, rank, ranks);
    }
    let claim = |rank| Claim { rank, units: share(units.len() as u32, rank, ranks) as usize };
    let mut found = Vec::new();
    divide(&units, 0, (0..ranks).map(claim).collect(), rank, &mut found);
    found.sort_unstable();
    found
}

/// How many of `total` are for rank `rank` of `ranks`: the first ones get what is left over.
pub fn share(total: u32, rank: u32, ranks: u32) -> u32 {
    total / ranks + u32::from(rank < total % ranks)
}

/// A NUMA node for ranks that share: those next to each other get the same.
fn shared(sorted: &[Processor], rank: u32, ranks: u32) -> Vec<u32> {
    let at = u64::from(rank) * sorted.len() as u64 / u64::from(ranks);
    let Some(here) = sorted.get(at as usize) else { return Vec::new() };
    let is_near = |it: &&Processor| it.within[..SHARED_LEVELS] == here.within[..SHARED_LEVELS];
    let mut found: Vec<u32> = sorted.iter().filter(is_near).map(|it| it.number).collect();
    found.sort_unstable();
    found
}

#[derive(Clone, Copy)]
struct Claim {
    rank: u32,
    units: usize,
}

/// A part that is being divided.
struct Open<'a, 'b> {
    units: &'a [&'b [Processor]],
    claims: Vec<Claim>,
}

impl Open<'_, '_> {
    fn room(&self) -> usize {
        self.units.len() - self.claims.iter().map(|claim| claim.units).sum::<usize>()
    }

    /// Gives up to `units` to a claim, which is so much less then.
    fn give(&mut self, claim: &mut Claim, units: usize) {
        let units = units.min(claim.units).min(self.room());
        if units > 0 {
            self.claims.push(Claim { units, ..*claim });
            claim.units -= units;
        }
    }
}

/// Divides units, as many as are claimed, by the parts of a level; adds those of one rank to `found`.
fn divide(
    units: &[&[Processor]],
    level: usize,
    mut claims: Vec<Claim>,
    rank: u32,
    found: &mut Vec<u32>,
) {
    if !claims.iter().any(|claim| claim.rank == rank) {
        return;
    }
    if level == LEVELS || claims.len() == 1 {
        let before = claims.iter().take_while(|claim| claim.rank != rank);
        let first: usize = before.map(|claim| claim.units).sum();
        let own = claims.iter().find(|claim| claim.rank == rank).map_or(0, |claim| claim.units);
        found.extend(
            units.iter().skip(first).take(own).flat_map(|unit| unit.iter().map(|it| it.number)),
        );
        return;
    }
    let mut parts: Vec<Open> = units
        .chunk_by(|a, b| a[0].within[level] == b[0].within[level])
        .map(|units| Open { units, claims: Vec::new() })
        .collect();
    for claim in &mut claims {
        let whole = |part: &&mut Open| part.claims.is_empty();
        for part in parts.iter_mut().filter(whole) {
            if part.units.len() <= claim.units {
                part.give(claim, part.units.len());
            }
        }
    }
    for part in &mut parts {
        for claim in claims.iter_mut() {
            if claim.units <= part.room() {
                part.give(claim, claim.units);
            }
        }
    }
    for part in &mut parts {
        claims.iter_mut().for_each(|claim| part.give(claim, claim.units));
    }
    parts.into_iter().for_each(|part| divide(part.units, level + 1, part.claims, rank, found));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sockets, nodes in each, caches in each, cores in each, threads in each. Threads of a core are numbered as Linux does:
    /// all first ones, then all second ones.
    fn machine([sockets, nodes, caches, cores, threads]: [u32; 5]) -> Vec<Processor> {
        let total = sockets * nodes * caches * cores;
        let core = |core: u32| {
            let cache = core / cores;
            let node = cache / caches;
            (0..threads).map(move |thread| Processor {
                within: [node / nodes, node, cache, core],
                number: core + thread * total,
            })
        };
        (0..total).flat_map(core).collect()
    }

    fn parts(shape: [u32; 5], ranks: u32) -> Vec<Vec<u32>> {
        let machine = machine(shape);
        (0..ranks).map(|rank| part(&machine, rank, ranks)).collect()
    }

    #[test]
    fn ranks_get_whole_nodes() {
        assert_eq!(parts([2, 2, 1, 2, 1], 4), [[0, 1], [2, 3], [4, 5], [6, 7]]);
        assert_eq!(parts([2, 2, 1, 2, 1], 2), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_eq!(parts([1, 4, 1, 1, 2], 1), [[0, 1, 2, 3, 4, 5, 6, 7]]);
    }

    #[test]
    fn ranks_share_nodes_and_not_caches_or_cores() {
        assert_eq!(parts([1, 2, 2, 2, 1], 4), [[0, 1], [2, 3], [4, 5], [6, 7]]);
        assert_eq!(parts([1, 2, 1, 2, 2], 4), [[0, 4], [1, 5], [2, 6], [3, 7]]);
        assert_eq!(parts([1, 1, 1, 3, 2], 2), [vec![0, 1, 3, 4], vec![2, 5]]);
    }

    #[test]
    fn more_ranks_than_cores_divide_hardware_threads() {
        assert_eq!(parts([1, 1, 1, 2, 2], 4), [[0], [2], [1], [3]]);
        assert_eq!(parts([1, 1, 1, 2, 2], 3), [vec![0, 2], vec![1], vec![3]]);
    }

    #[test]
    fn what_is_left_of_whole_nodes_is_divided() {
        // Three nodes of four cores for two ranks: a node each, and half of the third.
        assert_eq!(parts([1, 3, 1, 4, 1], 2), [[0, 1, 2, 3, 8, 9], [4, 5, 6, 7, 10, 11]]);
        // Two nodes of eight for three: two ranks stay in a node, the third gets what is left of both.
        let three = parts([1, 2, 1, 8, 1], 3);
        assert_eq!(three[0], [0, 1, 2, 3, 4, 5]);
        assert_eq!(three[1], [8, 9, 10, 11, 12]);
        assert_eq!(three[2], [6, 7, 13, 14, 15]);
    }

    #[test]
    fn nodes_of_different_sizes_are_divided_evenly() {
        // Two processors of one node may be used, and six of another.
        let mut machine = machine([1, 2, 1, 6, 1]);
        machine.drain(2..6);
        assert_eq!(part(&machine, 0, 2), [0, 1, 6, 7]);
        assert_eq!(part(&machine, 1, 2), [8, 9, 10, 11]);
    }

    #[test]
    fn more_ranks_than_processors_share_nodes() {
        let all = parts([1, 2, 1, 2, 1], 8);
        assert_eq!(all[..4], vec![vec![0, 1]; 4]);
        assert_eq!(all[4..], vec![vec![2, 3]; 4]);
        assert_eq!(parts([1, 1, 1, 2, 1], 3), vec![vec![0, 1]; 3]);
        assert_eq!(part(&[], 1, 2), []);
    }

    #[test]
    fn every_processor_is_somebodys_and_nobody_has_much_more() {
        for shape in [[1, 1, 1, 7, 1], [2, 1, 2, 3, 2], [2, 4, 1, 3, 1], [1, 3, 2, 2, 2]] {
            let machine = machine(shape);
            let cores = machine.len() as u32 / shape[4];
            for ranks in 1..=machine.len() as u32 {
                let parts = parts(shape, ranks);
                let mut all = parts.concat();
                all.sort_unstable();
                assert_eq!(all, (0..machine.len() as u32).collect::<Vec<_>>(), "{shape:?} {ranks}");
                let unit = if ranks <= cores { shape[4] } else { 1 };
                let sizes = parts.iter().map(|part| part.len() as u32);
                let (least, most) = (sizes.clone().min().unwrap(), sizes.max().unwrap());
                assert!(most - least <= unit, "{shape:?} {ranks}: {least} to {most}");
            }
        }
    }

    #[test]
    fn shares_add_up() {
        for (total, ranks) in [(7, 3), (2, 4), (8, 4), (0, 2)] {
            assert_eq!((0..ranks).map(|rank| share(total, rank, ranks)).sum::<u32>(), total);
        }
    }
}
