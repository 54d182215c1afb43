//! `OMP_DISPLAY_ENV` and `omp_display_env`: the settings in force, one line each.
//!
//! Source: OpenMP 5.2, section 21.7. The version shown is that of the specification the runtime
//! follows, 5.2, whichever the compiler's `_OPENMP` is.

use crate::settings::kinds::{TraceCounter, word_of};
use crate::settings::{
    Around, Blocktime, Devices, DisplayEnv, Distribution, Library, Locations, ProcBind, Ranks,
    Reach, Scheduler, Settings, TargetOffload, ToolVerboseInit, TraceFull, WaitPolicy, allocator,
    show_schedule,
};
use vicinity_alloc::topology::{Description, Distances};

/// `_OPENMP` of OpenMP 5.2: the month of its publication.
pub const OPENMP_VERSION: i32 = 202111;

/// One setting, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The variable that sets it.
    pub name: &'static str,
    pub value: String,
    /// Named by the specification; the others appear only where everything is asked for.
    pub standard: bool,
}

/// The block that `OMP_DISPLAY_ENV` asks for, with the settings that are not of the specification
/// if `verbose`. `processors` is the default team size.
pub fn display_env(settings: &Settings, processors: u32, verbose: bool) -> String {
    let mut text = String::from("\nOPENMP DISPLAY ENVIRONMENT BEGIN\n");
    text.push_str(&format!("  _OPENMP = '{OPENMP_VERSION}'\n"));
    for entry in entries(settings, processors) {
        if entry.standard || verbose {
            text.push_str(&format!("  [host] {} = '{}'\n", entry.name, entry.value));
        }
    }
    text.push_str("OPENMP DISPLAY ENVIRONMENT END\n");
    text
}

/// Every setting with its value and where that came from, in aligned columns.
pub fn listing(settings: &Settings, processors: u32) -> String {
    let entries = entries(settings, processors);
    let width = |of: fn(&Entry) -> &str| entries.iter().map(|it| of(it).chars().count()).max();
    let names = width(|entry| entry.name).unwrap_or(0);
    let values = width(|entry| &entry.value).unwrap_or(0).min(MAX_VALUE_COLUMN);
    entries
        .iter()
        .map(|Entry { name, value, .. }| {
            let origin = match settings.origin(name) {
                None => "default".to_owned(),
                Some(variable) if variable == *name => "environment".to_owned(),
                Some(variable) => format!("environment, {variable}"),
            };
            format!("{name:names$}  {value:values$}  {origin}\n")
        })
        .collect()
}

/// Longer values push their own line's last column only, in characters.
const MAX_VALUE_COLUMN: usize = 40;

/// Every setting, those of the specification first.
pub fn entries(settings: &Settings, processors: u32) -> Vec<Entry> {
    let mut entries = standard(settings, processors);
    entries.extend(further(settings));
    entries
}

fn standard(settings: &Settings, processors: u32) -> Vec<Entry> {
    let entry = |name, value: String| Entry { name, value, standard: true };
    let num_threads = match settings.num_threads.as_slice() {
        [] => processors.to_string(),
        list => joined(list, u32::to_string),
    };
    let bind = match settings.affinity.bind.as_slice() {
        [] => word(ProcBind::WORDS, &ProcBind::False),
        list => joined(list, |policy| word(ProcBind::WORDS, policy)),
    };
    let places = settings.affinity.places.as_ref().map(ToString::to_string).unwrap_or_default();
    let wait = settings.wait_policy.map(|policy| word(WaitPolicy::WORDS, &policy));
    let offload = word(TargetOffload::WORDS, &settings.target_offload);
    vec![
        entry("OMP_NUM_THREADS", num_threads),
        entry("OMP_DYNAMIC", flag(settings.dynamic)),
        entry("OMP_SCHEDULE", show_schedule(&settings.schedule)),
        entry("OMP_MAX_ACTIVE_LEVELS", settings.max_active_levels.to_string()),
        entry("OMP_THREAD_LIMIT", settings.thread_limit.to_string()),
        entry("OMP_PROC_BIND", bind),
        entry("OMP_PLACES", places),
        entry("OMP_STACKSIZE", stack_size(settings.stack_size_bytes)),
        // Neither, unless one was asked for: nothing stands for that.
        entry("OMP_WAIT_POLICY", wait.unwrap_or_default()),
        entry("OMP_CANCELLATION", flag(settings.cancellation)),
        entry("OMP_DISPLAY_ENV", display(settings.display_env)),
        entry("OMP_DISPLAY_AFFINITY", flag(settings.display_affinity)),
        entry("OMP_AFFINITY_FORMAT", settings.affinity_format.clone()),
        entry("OMP_MAX_TASK_PRIORITY", settings.max_task_priority.to_string()),
        entry("OMP_NUM_TEAMS", settings.num_teams.to_string()),
        entry("OMP_TEAMS_THREAD_LIMIT", settings.teams_thread_limit.to_string()),
        entry("OMP_ALLOCATOR", allocator::show(&settings.allocator)),
        entry("OMP_DEFAULT_DEVICE", settings.default_device.to_string()),
        entry("OMP_TARGET_OFFLOAD", offload),
        entry("OMP_TOOL", switch(settings.tool)),
        entry("OMP_TOOL_LIBRARIES", settings.tool_libraries.join(":")),
        entry("OMP_TOOL_VERBOSE_INIT", verbose_init(&settings.tool_verbose_init)),
        entry("OMP_DEBUG", switch(settings.debug)),
    ]
}

/// What the specification does not name: the other runtimes' variables and our own.
fn further(settings: &Settings) -> Vec<Entry> {
    let entry = |name, value: String| Entry { name, value, standard: false };
    let ours = &settings.vicinity;
    let spin = match settings.spin_count {
        None => String::new(),
        Some(u64::MAX) => "INFINITE".to_owned(),
        Some(count) => count.to_string(),
    };
    let blocktime = match settings.blocktime {
        None => String::new(),
        Some(Blocktime::Infinite) => "INFINITE".to_owned(),
        Some(Blocktime::Microseconds(time_us)) => format!("{time_us}us"),
    };
    let reach = match ours.reach {
        Reach::All => "all".to_owned(),
        Reach::Locations(count) => count.to_string(),
    };
    let distances = match &ours.distances {
        Distances::Hierarchy => "hierarchy".to_owned(),
        Distances::Measured => "measured".to_owned(),
        Distances::File(path) => path.display().to_string(),
    };
    let (synthetic, file) = match &ours.machine {
        None => (String::new(), String::new()),
        Some(Description::Synthetic(text)) => (text.clone(), String::new()),
        Some(Description::Xml(path)) => (String::new(), path.display().to_string()),
    };
    let counters = match &*ours.trace_counters {
        [] => "none".to_owned(),
        list => joined(list, |counter| word(TraceCounter::WORDS, counter)),
    };
    let cache = ours.cache_dir.as_ref().map(|path| path.display().to_string());
    vec![
        entry("GOMP_SPINCOUNT", spin),
        entry("KMP_BLOCKTIME", blocktime),
        entry("KMP_LIBRARY", word(Library::WORDS, &settings.library)),
        entry("KMP_WARNINGS", flag(settings.warnings)),
        entry("OMP_DATA_DISTRIBUTION", word(Distribution::WORDS, &ours.data_distribution)),
        entry("VICINITY_PLACEMENT", ours.placement.clone()),
        entry("VICINITY_SPREAD", word(Around::WORDS, &ours.around)),
        entry("VICINITY_SCHEDULER", word(Scheduler::WORDS, &ours.scheduler)),
        entry("VICINITY_LOCATIONS", word(Locations::WORDS, &ours.locations)),
        entry("VICINITY_REACH", reach),
        entry("VICINITY_DISTANCES", distances),
        entry("VICINITY_RANKS", word(Ranks::WORDS, &ours.ranks)),
        entry("VICINITY_DEVICES", word(Devices::WORDS, &ours.devices)),
        entry("HWLOC_SYNTHETIC", synthetic),
        entry("HWLOC_XMLFILE", file),
        entry("VICINITY_TRACE", ours.trace.clone().unwrap_or_else(|| "off".to_owned())),
        entry("VICINITY_TRACE_BUFFER", size(ours.trace_buffer_bytes)),
        entry("VICINITY_TRACE_FULL", word(TraceFull::WORDS, &ours.trace_full)),
        entry("VICINITY_TRACE_COUNTERS", counters),
        entry("VICINITY_TRACE_MEMORY", if ours.trace_memory { "on" } else { "off" }.to_owned()),
        entry("VICINITY_VERBOSE", ours.verbose.to_string()),
        entry("VICINITY_TOP", if ours.top { "on" } else { "off" }.to_owned()),
        entry("VICINITY_SHARE", if ours.share { "on" } else { "off" }.to_owned()),
        entry("VICINITY_CACHE_DIR", cache.unwrap_or_default()),
    ]
}

fn word<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> String {
    word_of(words, value).to_owned()
}

fn joined<T>(list: &[T], show: impl Fn(&T) -> String) -> String {
    list.iter().map(show).collect::<Vec<_>>().join(",")
}

fn flag(on: bool) -> String {
    if on { "TRUE" } else { "FALSE" }.to_owned()
}

fn switch(on: bool) -> String {
    if on { "ENABLED" } else { "DISABLED" }.to_owned()
}

fn display(setting: DisplayEnv) -> String {
    match setting {
        DisplayEnv::Off => flag(false),
        DisplayEnv::On => flag(true),
        DisplayEnv::Verbose => "VERBOSE".to_owned(),
    }
}

/// 0 is the system's default.
fn stack_size(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "0".to_owned(), size)
}

/// In the largest unit that leaves a whole number.
fn size(bytes: u64) -> String {
    let units = [("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10), ("B", 1)];
    let unit = units.iter().find(|(_, size)| bytes.is_multiple_of(*size));
    unit.map_or_else(String::new, |(name, size)| format!("{}{name}", bytes / size))
}

fn verbose_init(setting: &ToolVerboseInit) -> String {
    match setting {
        ToolVerboseInit::Disabled => "DISABLED".to_owned(),
        ToolVerboseInit::Stdout => "STDOUT".to_owned(),
        ToolVerboseInit::Stderr => "STDERR".to_owned(),
        ToolVerboseInit::File(name) => name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(variables: &[(&str, &str)]) -> Settings {
        let get = |name: &str| variables.iter().find(|it| it.0 == name).map(|it| it.1.to_owned());
        Settings::from_env(get).0
    }

    #[test]
    fn the_block_has_the_form_of_the_specification() {
        let text = display_env(&settings(&[("OMP_NUM_THREADS", "4,2")]), 9, false);
        let lines: Vec<_> = text.trim_start().lines().collect();
        assert_eq!(lines[0], "OPENMP DISPLAY ENVIRONMENT BEGIN");
        assert_eq!(lines[1], "  _OPENMP = '202111'");
        assert_eq!(lines[2], "  [host] OMP_NUM_THREADS = '4,2'");
        assert_eq!(lines.last(), Some(&"OPENMP DISPLAY ENVIRONMENT END"));
        assert_eq!(lines.len(), 26);
        assert!(!text.contains("VICINITY_") && !text.contains("KMP_"));
    }

    #[test]
    fn verbose_adds_what_the_specification_does_not_name() {
        let text = display_env(&settings(&[]), 9, true);
        assert!(text.contains("  [host] OMP_NUM_THREADS = '9'\n"));
        assert!(text.contains("  [host] VICINITY_SCHEDULER = 'locality'\n"));
        assert!(text.contains("  [host] GOMP_SPINCOUNT = ''\n"));
        assert!(text.contains("  [host] OMP_WAIT_POLICY = ''\n"), "threads are neither by default");
    }

    /// What is shown can be given back: it means the same.
    #[test]
    fn values_shown_are_values_understood() {
        let given = [
            ("OMP_NUM_THREADS", "8,2"),
            ("OMP_SCHEDULE", "NONMONOTONIC:GUIDED,8"),
            ("OMP_PROC_BIND", "SPREAD,CLOSE"),
            ("OMP_PLACES", "{0,1}:4:2,!{4,5}"),
            ("OMP_STACKSIZE", "1536K"),
            ("OMP_WAIT_POLICY", "ACTIVE"),
            ("OMP_MAX_ACTIVE_LEVELS", "3"),
            ("OMP_ALLOCATOR", "omp_default_mem_space:pinned=true"),
            ("OMP_TARGET_OFFLOAD", "MANDATORY"),
            ("OMP_TOOL_VERBOSE_INIT", "/tmp/log"),
            ("OMP_DISPLAY_ENV", "VERBOSE"),
            ("GOMP_SPINCOUNT", "INFINITE"),
            ("KMP_BLOCKTIME", "7us"),
            ("KMP_LIBRARY", "turnaround"),
            ("KMP_WARNINGS", "FALSE"),
            ("VICINITY_REACH", "4"),
            ("VICINITY_DISTANCES", "near.txt"),
            ("VICINITY_RANKS", "ignore"),
            ("VICINITY_DEVICES", "locations"),
            ("HWLOC_SYNTHETIC", "numa:8 core:6 pu:1"),
            ("VICINITY_TRACE", "t.json"),
            ("VICINITY_TRACE_BUFFER", "3M"),
            ("VICINITY_TRACE_FULL", "drop_oldest"),
            ("VICINITY_TRACE_COUNTERS", "cycles,page_faults"),
            ("VICINITY_TRACE_MEMORY", "on"),
            ("VICINITY_PLACEMENT", "fine:program+0x11e9<program+0x30"),
        ];
        let first = settings(&given);
        let shown: Vec<_> = entries(&first, 1).into_iter().map(|it| (it.name, it.value)).collect();
        for (name, value) in given {
            assert!(shown.contains(&(name, value.to_owned())), "{name}: {shown:?}");
        }
        let again: Vec<_> = shown
            .iter()
            .filter(|it| !(it.0 == "OMP_STACKSIZE" && it.1 == "0"))
            .filter(|it| !(it.1 == "0" && it.0.contains("TEAMS")))
            .map(|it| (it.0, it.1.as_str()))
            .collect();
        let second = settings(&again);
        assert_eq!(Settings { origins: vec![], ..second }, Settings { origins: vec![], ..first });
    }

    #[test]
    fn the_listing_says_where_values_came_from() {
        let text = listing(&settings(&[("KMP_STACKSIZE", "64k"), ("OMP_DYNAMIC", "true")]), 2);
        let words = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
            line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words("OMP_STACKSIZE"), "64K environment, KMP_STACKSIZE");
        assert_eq!(words("OMP_DYNAMIC"), "TRUE environment");
        assert_eq!(words("OMP_NUM_THREADS"), "2 default");
        assert_eq!(words("OMP_THREAD_LIMIT"), format!("{} default", crate::settings::NO_LIMIT));
        let column = |line: &str| line.find("default");
        let columns: Vec<_> = text.lines().filter_map(column).collect();
        assert!(columns.iter().filter(|&&at| at == columns[0]).count() > 20, "{text}");
    }
}
