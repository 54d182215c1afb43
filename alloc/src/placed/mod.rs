//! Memory placed at locations: allocating it, freeing it, and saying where it is.
//!
//! Terms: a *location* is where data can live; a *site* is the position of one that has memory; a *unit* is what
//! is placed, a page of whatever size; a *granule* is 64 KiB of addresses; a *run* is granules that belong
//! together, a *span* a run that small blocks share; a *region* is 64 MiB of addresses with one rule of placement.
//!
//! - [`plan`] decides how a request is met; [`classes`] are the sizes of small blocks.
//! - [`shard`] packs small blocks, [`region`] cuts runs, [`own`] maps what is large.
//! - [`word`], [`slot`] and [`index`] are the side table: what every granule is, read without locks.
//! - [`pages`] asks the kernel about memory of others, [`watch`] whether it keeps to what we asked.
//! - [`sites`] are the locations with memory; [`engine`] is all of it together.
//!
//! Here is the engine of the process. It exists only where there is something to place: on a machine of one
//! location memory is the C heap's, and nobody asks where it is.
//!
//! Source: Muddukrishna, Jonsson, Brorsson 2015, section 3. Units: bytes, unless the name says otherwise.

pub mod classes;
pub mod engine;
pub mod index;
pub mod own;
pub mod pages;
pub mod plan;
pub mod region;
pub mod shard;
pub mod sites;
pub mod slot;
pub mod watch;
pub mod word;

use engine::Engine;
use sites::Sites;
use std::sync::OnceLock;
use vicinity_policy::distribution::Distribution;
use vicinity_policy::footprint::NodeBytes;

pub use engine::Misuse;
pub use plan::{Request, Wish};

/// What the settings say.
struct Configuration {
    distribution: Distribution,
    report: watch::Report,
}

static CONFIGURATION: OnceLock<Configuration> = OnceLock::new();
static ENGINE: OnceLock<Engine> = OnceLock::new();

/// Says what OMP_DATA_DISTRIBUTION is and where lines for the user go. The first call counts.
pub fn configure(distribution: Distribution, report: watch::Report) {
    CONFIGURATION.get_or_init(|| Configuration { distribution, report });
}

/// OMP_DATA_DISTRIBUTION.
pub fn distribution() -> Distribution {
    CONFIGURATION.get().map_or(Distribution::Standard, |it| it.distribution)
}

/// Makes the engine of this process, for a machine of several locations. The first call counts.
pub fn start(sites: Sites, processors: usize, here: engine::Here) -> &'static Engine {
    let report = CONFIGURATION.get().map_or(silent as watch::Report, |it| it.report);
    ENGINE.get_or_init(|| Engine::new(sites, processors, here, report))
}

/// Before anybody is configured there is nobody to tell.
fn silent(_: &str) {}

/// The engine of this process; `None` where there is one location.
pub fn engine() -> Option<&'static Engine> {
    ENGINE.get()
}

/// Adds how many of `bytes` at `address` are at each location.
#[inline]
pub fn locate(address: usize, bytes: usize, data: &mut NodeBytes) {
    if let Some(engine) = engine() {
        engine.locate(address, bytes, data);
    }
}

/// The block of ours that an address is in: first address and size in bytes. Plain heap blocks are not
/// known.
pub fn block_of(address: usize) -> Option<(usize, usize)> {
    engine()?.block_of(address)
}
