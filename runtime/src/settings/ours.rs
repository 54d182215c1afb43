//! The settings of this runtime's own: data distribution, scheduler, locations, trace.

use super::kinds::{Distribution, Locations, Reach, Scheduler};
use super::reader::Reader;
use super::text;
use std::path::PathBuf;

/// What the specification does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vicinity {
    pub data_distribution: Distribution,
    pub scheduler: Scheduler,
    pub locations: Locations,
    pub reach: Reach,
    /// Where the trace goes, `%p` still in it; `None`: no trace.
    pub trace: Option<String>,
    /// 0: silent, 1: settings at start and a summary at exit, 2: more.
    pub verbose: u32,
    /// Where compiled kernels are kept; `None` where there is no such place.
    pub cache_dir: Option<PathBuf>,
}

impl Vicinity {
    pub(super) fn read(reader: &mut Reader) -> Vicinity {
        Vicinity {
            data_distribution: reader
                .read_word("OMP_DATA_DISTRIBUTION", "standard", Distribution::WORDS)
                .unwrap_or(Distribution::Standard),
            scheduler: reader
                .read_word("VICINITY_SCHEDULER", "locality", Scheduler::WORDS)
                .unwrap_or(Scheduler::Locality),
            locations: reader
                .read_word("VICINITY_LOCATIONS", "numa_domains", Locations::WORDS)
                .unwrap_or(Locations::NumaDomains),
            reach: reader
                .read("VICINITY_REACH", "all, or a whole number from 1", "all", reach)
                .unwrap_or(Reach::All),
            trace: reader.read("VICINITY_TRACE", "off, or a file name", "off", trace).flatten(),
            verbose: reader
                .read_word("VICINITY_VERBOSE", "0", &[("0", 0), ("1", 1), ("2", 2)])
                .unwrap_or(0),
            cache_dir: cache_dir(reader),
        }
    }
}

fn reach(text: &str) -> Option<Reach> {
    match text.trim().eq_ignore_ascii_case("all") {
        true => Some(Reach::All),
        false => text::count(text, 1).map(Reach::Locations),
    }
}

/// The inner `None` is `off`.
fn trace(text: &str) -> Option<Option<String>> {
    let text = text.trim();
    Some((!text.eq_ignore_ascii_case("off")).then(|| text.to_owned()))
}

/// `VICINITY_CACHE_DIR`, or the user's cache folder as the XDG base directory specification has it.
fn cache_dir(reader: &mut Reader) -> Option<PathBuf> {
    let path = |text: &str| Some(PathBuf::from(text));
    if let Some(folder) = reader.read("VICINITY_CACHE_DIR", "a folder", "the user's cache", path) {
        return Some(folder);
    }
    let absolute = |name| reader.raw(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME");
    let caches = caches.or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(caches.join("vicinity"))
}
