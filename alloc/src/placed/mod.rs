//! Memory placed at locations: allocating it, freeing it, and saying where it is.
//!
//! Terms: a *location* is where data can live; a *site* is the position of one that has memory; a *unit* is what
//! is placed, a page of whatever size; a *granule* is 64 KiB of addresses; a *run* is granules that belong
//! together, a *span* a run that small blocks share; a *region* is 64 MiB of addresses with one rule of placement.
//!
//! - [`plan`] decides how a request is met; [`classes`] are the sizes of small blocks.
//! - [`shard`] packs small blocks, [`region`] cuts runs, [`own`] maps what is large.
//! - [`word`], [`slot`] and [`index`] are the side table: what every granule is, read without locks.
//! - [`others`] binds memory of others, [`pages`] asks the kernel where it is, [`watch`] whether it keeps to what we asked.
//! - [`sites`] are the locations with memory; [`engine`] is all of it together.
//!
//! Here is the engine of the process. It exists only where there is something to place: on a machine of one
//! location memory is the C heap's, and nobody asks where it is.
//!
//! Source: Muddukrishna, Jonsson, Brorsson 2015, section 3. Units: bytes, unless the name says otherwise.

pub mod classes;
pub mod engine;
pub mod index;
pub mod others;
pub mod own;
pub mod pages;
pub mod plan;
pub mod region;
pub mod rules;
pub mod shard;
pub mod sites;
pub mod slot;
pub mod watch;
pub mod word;

use crate::os::numa;
use crate::topology::{self, Locations, Machine, Place};
use engine::Engine;
use sites::{Numbering, Sites};
use std::sync::OnceLock;
use vicinity_policy::distribution::{Around, Distribution};
use vicinity_policy::footprint::NodeBytes;
use vicinity_policy::topology::LocationId;

pub use engine::Misuse;
pub use plan::{Request, Wish};

/// What the settings say, and what only the caller knows.
pub struct Configuration {
    /// OMP_DATA_DISTRIBUTION.
    pub distribution: Distribution,
    /// VICINITY_PLACEMENT.
    pub rules: Vec<rules::Rule>,
    /// VICINITY_SPREAD.
    pub around: Around,
    /// The location of the calling thread.
    pub here: fn() -> LocationId,
    /// Where a line for the user goes.
    pub report: watch::Report,
}

impl Default for Configuration {
    fn default() -> Configuration {
        let (distribution, here) = (Distribution::Standard, || LocationId(0));
        let rules = Vec::new();
        Configuration { distribution, rules, around: Around::default(), here, report: |_| {} }
    }
}

static CONFIGURATION: OnceLock<Configuration> = OnceLock::new();
static ENGINE: OnceLock<Option<Engine>> = OnceLock::new();

/// Says what is wanted; the first who says so is heard.
pub fn configure(configuration: Configuration) {
    let _ = CONFIGURATION.set(configuration);
}

fn configuration() -> &'static Configuration {
    CONFIGURATION.get_or_init(Configuration::default)
}

/// OMP_DATA_DISTRIBUTION.
pub fn distribution() -> Distribution {
    configuration().distribution
}

/// Which blocks and variables go elsewhere.
pub fn rules() -> &'static [rules::Rule] {
    &configuration().rules
}

/// The engine of this process, made at the first call; `None` where there is one location.
#[inline]
pub fn engine() -> Option<&'static Engine> {
    ENGINE.get_or_init(|| build(topology::machine())).as_ref()
}

/// The same, if there was a call before.
pub fn engine_so_far() -> Option<&'static Engine> {
    ENGINE.get()?.as_ref()
}

/// Adds how many of `bytes` at `address` are at each location.
#[inline]
pub fn locate(address: usize, bytes: usize, data: &mut NodeBytes) {
    if let Some(engine) = engine() {
        engine.locate(address, bytes, data);
    }
}

/// The location of a page that the kernel has on `node`; on a machine that is not here, the one that was planned for it, if any.
pub fn location_now(address: usize, node: i32) -> Option<LocationId> {
    let Some(engine) = engine() else { return Some(LocationId(0)) };
    if engine.sites().kernel_knows() {
        return engine.sites().location_of_node(node);
    }
    let mut bytes = NodeBytes::new(topology::machine().topology.len());
    engine.locate(address, 1, &mut bytes);
    let at = bytes.as_slice().iter().position(|&bytes| bytes > 0)?;
    Some(LocationId(at as u16))
}

/// The wish for memory at a location, or at the nearest to it that has memory; `None` where there is one location.
pub fn wish_at(location: LocationId) -> Option<Wish> {
    let sites = engine()?.sites();
    let near = topology::machine().topology.near(location);
    near.iter().find_map(|&site| sites.site_of(site)).map(Wish::At)
}

/// The wish for memory at one of these locations: the one nearest to the calling thread, or the one whose turn it is.
pub fn wish_among(locations: &[LocationId], turn: Option<usize>) -> Option<Wish> {
    let chosen = match turn {
        Some(turn) => *locations.get(turn % locations.len().max(1))?,
        None => {
            let near = topology::machine().topology.near((configuration().here)());
            *near.iter().find(|location| locations.contains(location))?
        }
    };
    wish_at(chosen)
}

/// The block of ours that an address is in: first address and size in bytes. Plain heap blocks are not
/// known.
pub fn block_of(address: usize) -> Option<(usize, usize)> {
    engine_so_far()?.block_of(address)
}

/// Memory is bound where locations are NUMA nodes of this machine.
fn build(machine: &'static Machine) -> Option<Engine> {
    if machine.topology.len() < 2 {
        return None;
    }
    let places = || machine.topology.locations().zip(&machine.locations);
    let sites = if machine.enforced && machine.kind == Locations::NumaDomains {
        let with_memory = places().filter(|(_, place)| place.memory_bytes > 0);
        Sites::enforced(with_memory.filter_map(|(id, place)| Some((id, place.node?))))
    } else {
        let has_memory = places().any(|(_, place)| place.memory_bytes > 0);
        let counts = |place: &Place| place.memory_bytes > 0 || !has_memory;
        Sites::remembered(places().filter(|(_, place)| counts(place)).map(|(id, _)| id))
    };
    if sites.count() == 0 {
        return None;
    }
    let Configuration { here, report, around, .. } = configuration();
    let has_processors = |location| machine.topology.threads(location) > 0;
    let sites = sites.spread_over(|it| *around == Around::Memory || has_processors(it));
    let numbering = numbering_of(sites.spread_nodes()).unwrap_or_default();
    let sites = sites.numbered(numbering);
    // The nearest site of each location.
    let nearest: Vec<u16> = machine
        .topology
        .locations()
        .map(|from| machine.topology.near(from).iter().find_map(|&to| sites.site_of(to)))
        .map(Option::unwrap_or_default)
        .collect();
    let here = move || nearest.get(here().index()).copied().unwrap_or(0);
    let threads = machine.topology.locations().map(|location| machine.topology.threads(location));
    Some(Engine::new(sites, threads.sum::<u32>() as usize, Box::new(here), *report))
}

/// How this kernel numbers units that go round so many nodes, where it matters: one page shows it.
fn numbering_of(nodes: &[u32]) -> Option<Numbering> {
    if nodes.len() < 2 || nodes.len().is_power_of_two() {
        return None;
    }
    let (number, node) = numa::interleaved_page(nodes)?;
    let place = nodes.iter().position(|&it| it == node)?;
    Some(Numbering::found(number, place, nodes.len()))
}
