//! The machine: its locations, how far apart they are, and where processors and memory belong.
//!
//! Terms: a *location* is where data can live and a queue stands: a NUMA node, a shared cache, or a core. A
//! machine is *enforced* if it is the one this process runs on, so that memory and threads can be put at its
//! locations; on another one, described to hwloc, placement is recorded only.
//!
//! Protocol: `configure` says once what is wanted, before anybody asks. `machine` finds out at the first
//! question and never again.
//!
//! Invariants: 1. A location has processors that may be used, or memory that may be. 2. Every node and
//! processor number maps to a location, also one that is not ours: to the nearest. 3. A machine with one
//! node is known for one after reading one small file.
//!
//! What is not here: the environment, which the caller reads; writing to standard error, which `Request::warn`
//! does.

pub mod distances;
#[cfg(test)]
mod fixture;
mod hardware;
mod layout;
mod measured;
mod sysfs;

pub use crate::os::hwloc::{Described, Description};
pub use hardware::{Cache, Hardware, Level, Locations, Node};
pub use layout::{CacheSizes, Place};
pub use sysfs::{Read, Sysfs, read as read_file};

use crate::os::{self, CpuSet};
use layout::Layout;
use std::path::PathBuf;
use std::sync::OnceLock;
use vicinity_policy::topology::{LocationId, Topology};

/// Where distances come from: the value of `VICINITY_DISTANCES`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Distances {
    /// What the machine reports of its nodes; of caches and cores, what follows from what they share.
    #[default]
    Hierarchy,
    Measured,
    File(PathBuf),
}

/// What is wanted of the machine.
pub struct Request {
    pub locations: Locations,
    /// A machine to stand in for this one.
    pub description: Option<Description>,
    /// Its processors that may be used, if it is not here; none: all.
    pub part: Option<CpuSet>,
    pub distances: Distances,
    /// Where what was measured is kept.
    pub cache_dir: Option<PathBuf>,
    /// The processors that may be used.
    pub allowed: fn() -> CpuSet,
    /// Takes one line a problem.
    pub warn: fn(&str),
}

impl Default for Request {
    fn default() -> Request {
        Request {
            locations: Locations::default(),
            description: None,
            part: None,
            distances: Distances::default(),
            cache_dir: None,
            allowed: os::affinity_mask,
            warn: |_| {},
        }
    }
}

/// A machine as the policies see it, with what that means for processors and memory.
#[derive(Clone, Debug)]
pub struct Machine {
    pub topology: Topology,
    /// One for each location of `topology`.
    pub locations: Vec<Place>,
    pub kind: Locations,
    /// False: this is not the machine the process runs on; placement is recorded, not enforced.
    pub enforced: bool,
    /// Where the description comes from, in words.
    pub source: String,
    /// Where the distances come from, in words.
    pub distances_from: String,
    /// `None`: not looked for yet.
    caches: Option<CacheSizes>,
    /// By the kernel's number: the location of each processor that may be used.
    by_processor: Vec<LocationId>,
    /// By the kernel's number of a node.
    by_node: Vec<LocationId>,
    /// Those that may be used, by location: thread `n` of a machine that is not here stands for the `n`th.
    processors: Vec<u32>,
}

static REQUEST: OnceLock<Request> = OnceLock::new();
static MACHINE: OnceLock<Machine> = OnceLock::new();

/// Says what is wanted; the first who says so is heard.
pub fn configure(request: Request) {
    let _ = REQUEST.set(request);
}

/// The machine, found out at the first call.
pub fn machine() -> &'static Machine {
    MACHINE.get_or_init(|| Machine::find(REQUEST.get_or_init(Request::default)))
}

impl Machine {
    /// The machine that is asked for, or this one where that makes no sense.
    pub fn find(request: &Request) -> Machine {
        let allowed = (request.allowed)();
        let described = request.description.as_ref().and_then(|description| {
            let hardware = Described::load(description, &allowed);
            let hardware = hardware.map(|it| it.limited_to(request.part.as_ref()));
            let machine =
                hardware.and_then(|it| Machine::of_described(&it, description, request.locations));
            let complain = |error| {
                (request.warn)(&format!("{description}: {error}; used instead: this machine"))
            };
            machine.map_err(complain).ok()
        });
        let machine = described.unwrap_or_else(|| Machine::here(request, &allowed));
        machine.measure_up(request)
    }

    fn here(request: &Request, allowed: &CpuSet) -> Machine {
        let kind = request.locations;
        if kind == Locations::NumaDomains && sysfs::is_one_node(&sysfs::read) {
            return Machine::single(allowed, kind);
        }
        let hardware = Sysfs::new(&sysfs::read, allowed);
        Machine::of(&hardware, kind, true, "this machine").unwrap_or_else(|error| {
            let word =
                Locations::WORDS.iter().find(|word| word.1 == kind).map_or("", |word| word.0);
            (request.warn)(&format!(
                "VICINITY_LOCATIONS={word}: {error}; used instead: one location"
            ));
            Machine::single(allowed, kind)
        })
    }

    /// A machine that is described to hwloc; the error says what is wrong.
    pub fn described(
        description: &Description,
        kind: Locations,
        allowed: &CpuSet,
    ) -> Result<Machine, String> {
        Machine::of_described(&Described::load(description, allowed)?, description, kind)
    }

    fn of_described(
        hardware: &Described,
        description: &Description,
        kind: Locations,
    ) -> Result<Machine, String> {
        Machine::of(hardware, kind, hardware.is_this_machine(), &description.to_string())
    }

    /// All of this machine as one location.
    fn single(allowed: &CpuSet, kind: Locations) -> Machine {
        let place = Place {
            name: "node 0".to_owned(),
            processors: allowed.clone(),
            node: Some(0),
            memory_bytes: os::memory::physical_bytes(),
        };
        let topology = Topology::flat(allowed.len().max(1));
        Machine::new(topology, vec![place], &[], kind, true, "this machine")
    }

    /// The locations of one kind of a machine; the error says why there are none.
    pub fn of(
        hardware: &dyn Hardware,
        kind: Locations,
        enforced: bool,
        source: &str,
    ) -> Result<Machine, String> {
        let Layout { places, distances, nearest, origin } = layout::layout(hardware, kind)?;
        let threads = places.iter().map(|place| place.processors.len()).collect();
        let first = places.iter().find_map(|place| place.processors.first());
        let first = first.ok_or("it has no processor that may be used")?;
        let caches = layout::cache_sizes(hardware, first);
        let cache_bytes = layout::threshold_bytes(kind, caches);
        let topology = Topology::new(threads, distances, cache_bytes);
        let topology = topology.map_err(|malformed| malformed.to_string())?;
        let machine = Machine::new(topology, places, &nearest, kind, enforced, source);
        Ok(Machine { distances_from: origin.to_owned(), caches: Some(caches), ..machine })
    }

    /// The same machine with the distances that are asked for, if they can be had.
    fn measure_up(self, request: &Request) -> Machine {
        let (named, matrix, origin) = match &request.distances {
            Distances::Hierarchy => return self,
            Distances::Measured if self.locations.len() == 1 => return self,
            Distances::Measured => {
                let measured = match self.enforced {
                    true => measured::distances(&self.locations, request.cache_dir.as_deref()),
                    false => Err("a machine that is not here cannot be measured".to_owned()),
                };
                ("measured".to_owned(), measured, "measured between cores".to_owned())
            }
            Distances::File(path) => {
                let path = path.display().to_string();
                let matrix = distances::load(path.as_ref()).map(|matrix| matrix.values);
                let origin = format!("file {path}");
                (path, matrix, origin)
            }
        };
        let applied = matrix.and_then(|distances| {
            let threads = self.topology.locations().map(|id| self.topology.threads(id)).collect();
            let topology = Topology::new(threads, distances, self.topology.cache_bytes);
            topology.map_err(|malformed| malformed.to_string())
        });
        match applied {
            Ok(topology) => Machine { topology, distances_from: origin, ..self },
            Err(error) => {
                let instead = &self.distances_from;
                (request.warn)(&format!(
                    "VICINITY_DISTANCES='{named}': {error}; used instead: distances {instead}"
                ));
                self
            }
        }
    }

    fn new(
        topology: Topology,
        locations: Vec<Place>,
        nearest: &[(u32, usize)],
        kind: Locations,
        enforced: bool,
        source: &str,
    ) -> Machine {
        let ids = || topology.locations().zip(&locations);
        let by_processor =
            table(ids().flat_map(|(id, place)| place.processors.iter().map(move |cpu| (cpu, id))));
        let by_node = table(nearest.iter().map(|&(node, at)| (node, LocationId(at as u16))));
        let processors = ids().flat_map(|(_, place)| place.processors.iter());
        let mut processors: Vec<u32> = processors.collect();
        processors.sort_unstable();
        Machine {
            topology,
            locations,
            kind,
            enforced,
            source: source.to_owned(),
            distances_from: "of one location".to_owned(),
            caches: None,
            by_processor,
            by_node,
            processors,
        }
    }

    /// The caches of one processor; all are taken to be alike.
    pub fn cache_sizes(&self) -> CacheSizes {
        let of_this_machine = || {
            let all = &self.locations[0].processors;
            let first = all.first().unwrap_or(0);
            layout::cache_sizes(&Sysfs::new(&sysfs::read, all), first)
        };
        self.caches.unwrap_or_else(of_this_machine)
    }

    /// Where a processor belongs; the first location for one that may not be used.
    #[inline]
    pub fn location_of_processor(&self, cpu: u32) -> LocationId {
        self.by_processor.get(cpu as usize).copied().unwrap_or(LocationId(0))
    }

    /// The location of a node's memory, or the nearest to it. Where several are on the node, the first.
    #[inline]
    pub fn location_of_node(&self, node: u32) -> LocationId {
        self.by_node.get(node as usize).copied().unwrap_or(LocationId(0))
    }

    /// Where thread number `thread` belongs on a machine that is not here: its threads take the processors
    /// in the order of their numbers, again and again.
    pub fn location_of_thread(&self, thread: u32) -> LocationId {
        let at = thread as usize % self.processors.len().max(1);
        self.processors.get(at).map_or(LocationId(0), |&cpu| self.location_of_processor(cpu))
    }
}

/// A table from small numbers to locations; the first location where there is none.
fn table(entries: impl Iterator<Item = (u32, LocationId)>) -> Vec<LocationId> {
    let mut table = Vec::new();
    for (number, location) in entries {
        let at = number as usize;
        if table.len() <= at {
            table.resize(at + 1, LocationId(0));
        }
        table[at] = location;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixture::Files;

    fn machine_of(kind: Locations, allowed: &str) -> Machine {
        let files = Files::two_sockets_and_memory();
        let read = |path: &str| files.read(path);
        let allowed = CpuSet::from_list(allowed).unwrap();
        Machine::of(&Sysfs::new(&read, &allowed), kind, false, "a test").unwrap()
    }

    #[test]
    fn processors_nodes_and_threads_have_locations() {
        let machine = machine_of(Locations::NumaDomains, "0-7");
        let at = |cpu| machine.location_of_processor(cpu).0;
        assert_eq!([at(0), at(2), at(5), at(7), at(99)], [0, 1, 0, 1, 0]);
        let node = |number| machine.location_of_node(number).0;
        assert_eq!([node(0), node(1), node(4), node(77)], [0, 1, 2, 0]);
        let threads: Vec<u16> =
            (0..10).map(|thread| machine.location_of_thread(thread).0).collect();
        assert_eq!(threads, [0, 0, 1, 1, 0, 0, 1, 1, 0, 0]);
        let counts = machine.topology.locations().map(|id| machine.topology.threads(id));
        assert_eq!(counts.collect::<Vec<_>>(), [4, 4, 0]);
        assert_eq!(machine.topology.cache_bytes, 8 << 20);
    }

    #[test]
    fn this_machine_makes_sense() {
        for kind in [Locations::NumaDomains, Locations::LlCaches, Locations::Cores] {
            let request = Request { locations: kind, ..Request::default() };
            let machine = Machine::find(&request);
            assert_eq!(machine.topology.len(), machine.locations.len());
            assert!(machine.enforced);
            let all: CpuSet =
                machine.locations.iter().flat_map(|place| place.processors.iter()).collect();
            assert_eq!(all, os::affinity_mask(), "{kind:?}");
        }
    }
}
