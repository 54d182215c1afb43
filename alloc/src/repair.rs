//! `OMP_DATA_DISTRIBUTION=auto`: watches what threads use in parallel regions, and moves blocks that are far from their users.
//!
//! Terms: a *block* is one of `omp_malloc` or of the program's large ones, if nobody said where it has to be; a large variable, as
//! far as files have symbols; of other memory it is a mapping of the kernel's (an allocator's own, a file's).
//!
//! How: [`crate::touches`] says which memory threads were about to touch, the kernel (`move_pages`) where that is;
//! `policy::repair` decides, and `move_pages` moves. Nothing is protected, unmapped or bound, so nothing that the program can do with its memory changes: not fork, signals, calls of the system, locked or pinned pages (which stay where they are).
//!
//! Units: bytes, nanoseconds of processor time.

use crate::os::{mappings, memory, numa, variables};
use crate::placed::engine::Engine;
use crate::placed::{self, Wish};
use crate::topology::{self, Machine};
use crate::touches::Touch;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;
use vicinity_policy::repair::{self, Plan, Seen};
use vicinity_policy::topology::LocationId;

/// Smaller blocks stay.
pub const LEAST_BYTES: usize = 1 << 20;
/// After so many samples a part without a reason to move, a block is watched anew: the program may do something else by then.
const MOST_SAMPLES: usize = 64;
/// Pages of a block whose place is asked for, one of each part at least.
const PAGES_ASKED: usize = 256;
/// Pages moved by one call.
const BATCH: usize = 4096;

/// What is known of a block.
#[derive(Debug)]
struct Watched {
    end: usize,
    part_bytes: usize,
    seen: Seen,
    /// Processor time that threads were seen to spend with it.
    spent_ns: u64,
    next_look: u32,
    moves: u32,
}

/// A block that was moved, for whoever wants to know.
#[derive(Debug, PartialEq, Eq)]
pub struct Moved {
    pub start: usize,
    pub bytes: usize,
    pub plan: Plan,
}

#[derive(Debug, Default)]
pub struct Repair {
    /// By first address.
    blocks: BTreeMap<usize, Watched>,
    /// Large variables, of what was loaded when they were first asked for.
    variables: OnceCell<Vec<Range<usize>>>,
}

/// The kernel's mappings, cut at large variables, read when they are first needed.
struct Others<'a> {
    variables: &'a OnceCell<Vec<Range<usize>>>,
    blocks: OnceCell<Vec<Range<usize>>>,
}

impl Repair {
    /// `None` where there is nothing to choose.
    pub fn start() -> Option<Repair> {
        let engine = placed::engine().filter(|engine| engine.sites().kernel_knows())?;
        (engine.sites().spread() > 1).then(Repair::default)
    }

    /// Looks at what was sampled of so many threads, each once in `every_ns`, and moves what should be elsewhere.
    pub fn digest(&mut self, touches: &[Touch], every_ns: u64, threads: u32) -> Vec<Moved> {
        let Some(engine) = placed::engine_so_far() else { return Vec::new() };
        let machine = topology::machine();
        let Repair { blocks: known, variables } = self;
        let others = Others { variables, blocks: OnceCell::new() };
        let mut due = Vec::new();
        for touch in touches {
            // By block: one may hold several arrays that are used together (variables, the heap), so each of its parts counts.
            let mut blocks: BTreeMap<usize, (Range<usize>, Vec<usize>)> = BTreeMap::new();
            for &at in &touch.addresses {
                if let Some(block) = block_of(at, engine, &others) {
                    blocks.entry(block.start).or_insert((block, Vec::new())).1.push(at);
                }
            }
            let at = machine.location_of_processor(touch.sample.processor);
            let share_ns = every_ns / blocks.len().max(1) as u64;
            for (block, addresses) in blocks.into_values() {
                let watched = watched(known, &block);
                let used = watched.parts_with(block.start, &addresses);
                if used.is_empty() {
                    continue;
                }
                watched.spent_ns += share_ns;
                used.into_iter().for_each(|part| watched.seen.add_use(part, at));
                if watched.seen.samples() >= watched.next_look {
                    watched.next_look =
                        watched.seen.samples() + repair::between_looks(watched.seen.parts());
                    due.push(block.start);
                }
            }
        }
        due.sort_unstable();
        due.dedup();
        due.into_iter().filter_map(|start| self.look(start, threads, engine, machine)).collect()
    }

    /// Asks where a block is, and moves it if that has paid by now.
    fn look(
        &mut self,
        start: usize,
        threads: u32,
        engine: &Engine,
        machine: &Machine,
    ) -> Option<Moved> {
        let watched = self.blocks.get_mut(&start)?;
        let bytes = watched.end - start;
        let mut seen = watched.seen.clone();
        if !watched.ask(start, engine, &mut seen) {
            self.blocks.remove(&start);
            return None;
        }
        let sites = engine.sites();
        let allowed = &sites.locations()[..sites.spread()];
        let advice = seen.advise(&machine.topology, allowed);
        let lost_ns = advice.saves * watched.spent_ns as f64 / f64::from(threads.max(1));
        if advice.plan == Plan::Leave || !repair::pays(lost_ns as u64, bytes as u64, watched.moves)
        {
            if watched.seen.samples() as usize >= MOST_SAMPLES * watched.seen.parts() {
                watched.forget();
            }
            return None;
        }
        watched.forget();
        watched.moves += 1;
        let (part_bytes, end) = (watched.part_bytes, watched.end);
        let unit = engine.unit_bytes(start, bytes);
        let unit_parts = (unit / part_bytes).max(1);
        let advice = seen.advise_in_units(&machine.topology, allowed, unit_parts);
        if advice.plan == Plan::Leave {
            return None;
        }
        let site = |address: usize| {
            // A huge page or piece goes as a whole, to where its middle should be.
            let middle = (address / unit * unit + unit / 2).clamp(start, end - 1);
            match &advice.plan {
                Plan::Parts(homes) => sites.site_of(homes[(middle - start) / part_bytes]),
                _ => Some(sites.scattered(address, unit.ilog2() as u8) as u16),
            }
        };
        move_block(start, bytes, |address| sites.node(site(address)?)).ok()?;
        engine.moved(start, bytes);
        Some(Moved { start, bytes, plan: advice.plan })
    }
}

/// What is known of a block, of nothing if it has become another.
fn watched<'a>(known: &'a mut BTreeMap<usize, Watched>, block: &Range<usize>) -> &'a mut Watched {
    let watched = known.entry(block.start).or_insert_with(|| Watched::new(block));
    if !is_the_same(block, watched.end) {
        *watched = Watched::new(block);
    }
    watched
}

impl Watched {
    fn new(block: &Range<usize>) -> Watched {
        let page = memory::page_size();
        let parts = repair::parts_of(block.len() as u64);
        let part_bytes = block.len().div_ceil(parts).next_multiple_of(page);
        let locations = topology::machine().topology.len();
        let seen = Seen::new(block.len().div_ceil(part_bytes), locations);
        Watched {
            end: block.end,
            part_bytes,
            seen,
            spent_ns: 0,
            next_look: repair::LEAST_SAMPLES,
            moves: 0,
        }
    }

    fn forget(&mut self) {
        let locations = topology::machine().topology.len();
        self.seen = Seen::new(self.seen.parts(), locations);
        (self.spent_ns, self.next_look) = (0, repair::LEAST_SAMPLES);
    }

    /// The parts that some addresses are in, each once.
    fn parts_with(&self, start: usize, addresses: &[usize]) -> Vec<usize> {
        let inside = addresses.iter().filter(|&&at| at < self.end);
        let mut parts: Vec<usize> = inside.map(|at| (at - start) / self.part_bytes).collect();
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    /// Adds where some pages of each part are; `false` if none is anywhere, or the kernel does not say.
    fn ask(&self, start: usize, engine: &Engine, seen: &mut Seen) -> bool {
        let of_part = (PAGES_ASKED / seen.parts()).max(1);
        let step = (self.part_bytes / of_part).max(memory::page_size());
        let addresses: Vec<usize> = (start..self.end).step_by(step).collect();
        let mut nodes = vec![-1; addresses.len()];
        if numa::nodes_of(&addresses, &mut nodes).is_err() {
            return false;
        }
        let mut any = false;
        for (address, node) in addresses.into_iter().zip(nodes) {
            if let Some(at) = engine.sites().location_of_node(node) {
                seen.add_pages((address - start) / self.part_bytes, at, 1);
                any = true;
            }
        }
        any
    }
}

/// Whether what is known of a block up to that end is worth keeping: heaps grow bit by bit, and what was added is not watched before
/// it is half as much again.
fn is_the_same(block: &Range<usize>, end: usize) -> bool {
    end <= block.end && block.len() <= (end - block.start) / 2 * 3
}

impl Others<'_> {
    fn block_of(&self, address: usize) -> Option<Range<usize>> {
        let variables = self.variables.get_or_init(|| variables::large(LEAST_BYTES));
        let blocks = self.blocks.get_or_init(|| {
            let page = memory::page_size();
            let parts = |mapping| variables::split(&mapping, variables, page);
            mappings::data().into_iter().flat_map(parts).collect()
        });
        blocks.iter().find(|range| range.contains(&address)).cloned()
    }
}

/// The block that an address is in, if it may be moved.
fn block_of(address: usize, engine: &Engine, others: &Others) -> Option<Range<usize>> {
    let block = match engine.block_of(address) {
        Some(_) if engine.wish_of(address) != Wish::Standard => return None,
        Some((start, bytes)) => start..start + bytes,
        None => others.block_of(address)?,
    };
    (block.len() >= LEAST_BYTES).then_some(block)
}

/// Moves the whole pages of a range to a location, where the kernel does that; what it does not move stays.
pub fn bring(start: usize, bytes: usize, to: LocationId) {
    let machine = topology::machine();
    let page = memory::page_size();
    let first = start.next_multiple_of(page);
    let end = start.saturating_add(bytes) / page * page;
    let node = machine.locations[to.index()].node;
    if machine.enforced && node.is_some() && first < end {
        // What is refused stays where it is: the program has it all the same.
        let _ = move_block(first, end - first, |_| node);
        if let Some(engine) = placed::engine_so_far() {
            engine.moved(first, end - first);
        }
    }
}

/// Moves each page of a block to the node that is said for it.
fn move_block(
    start: usize,
    bytes: usize,
    node: impl Fn(usize) -> Option<u32>,
) -> Result<(), numa::Refused> {
    let page = memory::page_size();
    let pages: Vec<(usize, u32)> = (start..start + bytes)
        .step_by(page)
        .filter_map(|address| Some((address, node(address)?)))
        .collect();
    for batch in pages.chunks(BATCH) {
        let (addresses, nodes): (Vec<usize>, Vec<u32>) = batch.iter().copied().unzip();
        numa::move_pages(&addresses, &nodes)?;
        // A page that is in use for a moment ends the call for all behind it, so what is left is moved one by one.
        let mut now = vec![-1; addresses.len()];
        numa::nodes_of(&addresses, &mut now)?;
        for (&(address, node), now) in batch.iter().zip(now) {
            if now >= 0 && now != node as i32 {
                numa::move_pages(&[address], &[node])?;
            }
        }
    }
    Ok(())
}

/// What a location is called in a line for the user.
pub fn described(plan: &Plan) -> String {
    match plan {
        Plan::Parts(homes) => {
            let mut locations: Vec<LocationId> = homes.clone();
            locations.sort_unstable();
            locations.dedup();
            match &locations[..] {
                [one] => format!("all of it to location {}", one.0),
                several => format!("its parts to {} locations", several.len()),
            }
        }
        _ => "its pages round the locations".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_one_block_count_each() {
        let watched = Watched::new(&(1 << 30..(1 << 30) + (4 << 20)));
        assert_eq!(watched.part_bytes, 1 << 16);
        let at = |offset: usize| (1 << 30) + offset;
        let used = [at(2 << 20), at(100), at((2 << 20) + 8), at(5 << 20), at(200)];
        assert_eq!(watched.parts_with(1 << 30, &used), [0, 32]);
    }
}
