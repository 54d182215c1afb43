//! The settings of this runtime's own: data distribution, scheduler, locations, trace.

use super::kinds::{
    Around, Devices, Distribution, Locations, Ranks, Reach, Scheduler, TraceCounter, TraceFull,
    value_of,
};
use super::reader::Reader;
use super::text;
use crate::ranks::Share;
use std::path::PathBuf;
use vicinity_alloc::os::CpuSet;
use vicinity_alloc::placed::rules;
use vicinity_alloc::topology::{Description, Distances, Request};

/// What the specification does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vicinity {
    pub data_distribution: Distribution,
    /// Blocks and variables that go elsewhere, as text (`vicinity_alloc::placed::rules`).
    pub placement: String,
    pub around: Around,
    pub scheduler: Scheduler,
    pub locations: Locations,
    pub reach: Reach,
    pub distances: Distances,
    pub ranks: Ranks,
    pub devices: Devices,
    /// A machine that stands in for this one: hwloc's own variables.
    pub machine: Option<Description>,
    /// Where the trace goes, `%p` still in it; `None`: no trace.
    pub trace: Option<String>,
    /// Bytes of each thread's buffer for events.
    pub trace_buffer_bytes: u64,
    pub trace_full: TraceFull,
    /// What is counted of each task; most do without.
    pub trace_counters: Vec<TraceCounter>,
    /// The trace tells of large blocks of memory, and samples who touches them.
    pub trace_memory: bool,
    /// 0: silent, 1: settings at start and a summary at exit, 2: more.
    pub verbose: u32,
    /// Whether there is a page for `vicinity top`.
    pub top: bool,
    /// Whether processors are shared with other processes of the user.
    pub share: bool,
    /// Where compiled kernels are kept; `None` where there is no such place.
    pub cache_dir: Option<PathBuf>,
}

impl Vicinity {
    pub(super) fn read(reader: &mut Reader) -> Vicinity {
        Vicinity {
            data_distribution: reader
                .read_word("OMP_DATA_DISTRIBUTION", "standard", Distribution::WORDS)
                .unwrap_or(Distribution::Standard),
            placement: reader
                .read("VICINITY_PLACEMENT", PLACEMENT_ALLOWED, "none", placement)
                .unwrap_or_default(),
            around: reader
                .read_word("VICINITY_SPREAD", "processors", Around::WORDS)
                .unwrap_or_default(),
            scheduler: reader
                .read_word("VICINITY_SCHEDULER", "locality", Scheduler::WORDS)
                .unwrap_or(Scheduler::Locality),
            locations: reader
                .read_word("VICINITY_LOCATIONS", "numa_domains", Locations::WORDS)
                .unwrap_or(Locations::NumaDomains),
            reach: reader
                .read("VICINITY_REACH", "all, or a whole number from 1 to 2147483647", "all", reach)
                .unwrap_or(Reach::All),
            distances: reader
                .read(
                    "VICINITY_DISTANCES",
                    "hierarchy, measured, or a file name",
                    "hierarchy",
                    distances,
                )
                .unwrap_or_default(),
            ranks: reader.read_word("VICINITY_RANKS", "divide", Ranks::WORDS).unwrap_or_default(),
            devices: reader
                .read_word("VICINITY_DEVICES", "none", Devices::WORDS)
                .unwrap_or_default(),
            machine: machine(reader),
            trace: reader.read("VICINITY_TRACE", "off, or a file name", "off", trace).flatten(),
            trace_buffer_bytes: reader
                .read("VICINITY_TRACE_BUFFER", BUFFER_ALLOWED, "16M", buffer_bytes)
                .unwrap_or(DEFAULT_BUFFER_BYTES),
            trace_full: reader
                .read_word("VICINITY_TRACE_FULL", "write", TraceFull::WORDS)
                .unwrap_or(TraceFull::Write),
            trace_counters: reader
                .read("VICINITY_TRACE_COUNTERS", &counters_allowed(), "none", counters)
                .unwrap_or_default(),
            trace_memory: reader.read_word("VICINITY_TRACE_MEMORY", "off", SWITCH).unwrap_or(false),
            verbose: reader
                .read_word("VICINITY_VERBOSE", "0", &[("0", 0), ("1", 1), ("2", 2)])
                .unwrap_or(0),
            top: reader.read_word("VICINITY_TOP", "off", SWITCH).unwrap_or(false),
            share: reader.read_word("VICINITY_SHARE", "off", SWITCH).unwrap_or(false),
            cache_dir: cache_dir(reader),
        }
    }
}

impl Vicinity {
    /// What these settings ask of the machine, of which ranks of MPI may have shares.
    pub fn request(
        &self,
        allowed: fn() -> CpuSet,
        share: Option<&Share>,
        warn: fn(&str),
    ) -> Request {
        Request {
            locations: self.locations,
            description: self.machine.clone(),
            part: share.and_then(Share::described).cloned(),
            distances: self.distances.clone(),
            cache_dir: self.cache_dir.clone(),
            allowed,
            warn,
        }
    }
}

fn reach(text: &str) -> Option<Reach> {
    match text.trim().eq_ignore_ascii_case("all") {
        true => Some(Reach::All),
        false => text::count(text, 1).map(Reach::Locations),
    }
}

fn distances(text: &str) -> Option<Distances> {
    const WORDS: &[(&str, Distances)] =
        &[("hierarchy", Distances::Hierarchy), ("measured", Distances::Measured)];
    let text = text.trim();
    let word = WORDS.iter().find(|word| word.0.eq_ignore_ascii_case(text));
    Some(word.map_or_else(|| Distances::File(PathBuf::from(text)), |word| word.1.clone()))
}

/// hwloc's precedence: the synthetic machine first. What is not understood is found out when the machine is
/// first asked for.
fn machine(reader: &mut Reader) -> Option<Description> {
    let synthetic = |text: &str| Some(Description::Synthetic(text.trim().to_owned()));
    let file = |text: &str| Some(Description::Xml(PathBuf::from(text)));
    let described = reader.read("HWLOC_SYNTHETIC", "a description", "this machine", synthetic);
    described.or_else(|| reader.read("HWLOC_XMLFILE", "a file name", "this machine", file))
}

/// The inner `None` is `off`.
fn trace(text: &str) -> Option<Option<String>> {
    let text = text.trim();
    Some((!text.eq_ignore_ascii_case("off")).then(|| text.to_owned()))
}

const PLACEMENT_ALLOWED: &str =
    "rules such as fine:program+0x11e9, as `vicinity run --advice` writes them";

fn placement(text: &str) -> Option<String> {
    let text = text.trim();
    rules::parse(text).map(|_| text.to_owned())
}

const SWITCH: &[(&str, bool)] = &[("off", false), ("on", true)];

const DEFAULT_BUFFER_BYTES: u64 = 16 << 20;
const BUFFER_ALLOWED: &str = "a size from 64K to 64G, such as 1M";

fn buffer_bytes(text: &str) -> Option<u64> {
    text::size_bytes(text, 1).filter(|bytes| (64 << 10..=64 << 30).contains(bytes))
}

fn counters_allowed() -> String {
    let names: Vec<_> = TraceCounter::WORDS.iter().map(|word| word.0).collect();
    format!("none, all, or a list of {}", names.join(", "))
}

fn counters(text: &str) -> Option<Vec<TraceCounter>> {
    match text.trim().to_ascii_lowercase().as_str() {
        "none" => Some(Vec::new()),
        "all" => Some(TraceCounter::WORDS.iter().map(|word| word.1).collect()),
        list => {
            let mut found = Vec::new();
            for name in list.split(',') {
                let counter = value_of(TraceCounter::WORDS, name)?;
                if !found.contains(&counter) {
                    found.push(counter);
                }
            }
            Some(found)
        }
    }
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
