//! Whole environments read into settings.

use super::*;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use vicinity_policy::schedule::{Kind, Order};

fn from(variables: &[(&str, &str)]) -> (Settings, Vec<String>) {
    Settings::from_env(|name| variables.iter().find(|it| it.0 == name).map(|it| it.1.to_owned()))
}

fn settings(variables: &[(&str, &str)]) -> Settings {
    let (settings, warnings) = from(variables);
    assert!(warnings.is_empty(), "{warnings:?}");
    settings
}

#[test]
fn defaults() {
    let default = Settings::default();
    assert_eq!((default.num_threads(0), default.proc_bind(0)), (None, ProcBind::False));
    assert_eq!((default.max_active_levels, default.thread_limit), (1, NO_LIMIT));
    assert_eq!(default.schedule, Schedule::DEFAULT);
    assert_eq!((default.affinity.clone(), default.stack_size_bytes), (Affinity::default(), None));
    assert!(default.tool && !default.dynamic && !default.cancellation && !default.debug);
    assert_eq!(default.vicinity.scheduler, Scheduler::Locality);
    assert!(default.origins.is_empty());
}

#[test]
fn a_full_environment() {
    let settings = settings(&[
        ("OMP_NUM_THREADS", " 4, 3 ,2"),
        ("OMP_DYNAMIC", "true"),
        ("OMP_SCHEDULE", "monotonic:guided,5"),
        ("OMP_THREAD_LIMIT", "64"),
        ("OMP_STACKSIZE", "2M"),
        ("OMP_WAIT_POLICY", "Passive"),
        ("GOMP_SPINCOUNT", "30k"),
        ("KMP_BLOCKTIME", "50us"),
        ("OMP_CANCELLATION", "TRUE"),
        ("OMP_DISPLAY_ENV", "verbose"),
        ("OMP_DISPLAY_AFFINITY", "1"),
        ("OMP_AFFINITY_FORMAT", " %n "),
        ("OMP_MAX_TASK_PRIORITY", "9"),
        ("OMP_NUM_TEAMS", "2"),
        ("OMP_TEAMS_THREAD_LIMIT", "7"),
        ("OMP_ALLOCATOR", "omp_high_bw_mem_alloc"),
        ("OMP_DEFAULT_DEVICE", "1"),
        ("OMP_TARGET_OFFLOAD", "disabled"),
        ("OMP_TOOL", "disabled"),
        ("OMP_TOOL_LIBRARIES", "/a.so:/b.so"),
        ("OMP_TOOL_VERBOSE_INIT", "stderr"),
        ("OMP_DEBUG", "enabled"),
    ]);
    assert_eq!(settings.num_threads, [4, 3, 2]);
    assert_eq!((settings.num_threads(1), settings.num_threads(9)), (Some(3), Some(2)));
    assert_eq!(settings.max_active_levels, SUPPORTED_ACTIVE_LEVELS);
    let guided = Schedule { kind: Kind::Guided, chunk: 5, order: Order::Monotonic };
    assert_eq!((settings.dynamic, settings.schedule), (true, guided));
    assert_eq!((settings.thread_limit, settings.stack_size_bytes), (64, Some(2 << 20)));
    assert_eq!(settings.wait_policy, Some(WaitPolicy::Passive));
    assert_eq!(settings.spin_count, Some(30_000));
    assert_eq!(settings.blocktime, Some(Blocktime::Microseconds(50)));
    assert!(settings.cancellation && settings.display_affinity && settings.debug && !settings.tool);
    assert_eq!(settings.display_env, DisplayEnv::Verbose);
    assert_eq!(settings.affinity_format, " %n ");
    assert_eq!((settings.max_task_priority, settings.default_device), (9, 1));
    assert_eq!((settings.num_teams, settings.teams_thread_limit), (2, 7));
    assert_eq!(settings.allocator, AllocatorSpec::Predefined(4));
    assert_eq!(settings.target_offload, TargetOffload::Disabled);
    assert_eq!(settings.tool_libraries, ["/a.so", "/b.so"]);
    assert_eq!(settings.tool_verbose_init, ToolVerboseInit::Stderr);
    assert_eq!(settings.origins.len(), 22);
}

#[test]
fn our_own() {
    let ours = settings(&[
        ("OMP_DATA_DISTRIBUTION", "Fine"),
        ("VICINITY_SPREAD", "Memory"),
        ("VICINITY_SCHEDULER", "central"),
        ("VICINITY_LOCATIONS", "cores"),
        ("VICINITY_REACH", "8"),
        ("VICINITY_TRACE", "/tmp/%p.json"),
        ("VICINITY_VERBOSE", "2"),
        ("VICINITY_TOP", "on"),
        ("VICINITY_SHARE", "on"),
        ("VICINITY_CACHE_DIR", "/var/cache/v"),
    ])
    .vicinity;
    assert_eq!((ours.data_distribution, ours.around), (Distribution::Fine, Around::Memory));
    assert_eq!((ours.scheduler, ours.locations), (Scheduler::Central, Locations::Cores));
    assert_eq!((ours.reach, ours.verbose, ours.top), (Reach::Locations(8), 2, true));
    assert!(ours.share);
    assert_eq!(ours.trace.as_deref(), Some("/tmp/%p.json"));
    assert_eq!(ours.cache_dir, Some(PathBuf::from("/var/cache/v")));
    assert_eq!(settings(&[("VICINITY_TRACE", "OFF")]).vicinity.trace, None);
}

#[test]
fn another_machine() {
    use vicinity_alloc::topology::{Description, Distances};
    let ours = |variables: &[(&str, &str)]| settings(variables).vicinity;
    let synthetic = ("HWLOC_SYNTHETIC", " numa:2 pu:4 ");
    let file = ("HWLOC_XMLFILE", "/m.xml");
    let described = Some(Description::Synthetic("numa:2 pu:4".into()));
    assert_eq!(ours(&[synthetic, file]).machine, described);
    assert_eq!(ours(&[file]).machine, Some(Description::Xml("/m.xml".into())));
    assert_eq!(ours(&[("HWLOC_SYNTHETIC", "")]).machine, None);
    let distances = |text| ours(&[("VICINITY_DISTANCES", text)]).distances;
    assert_eq!(distances("Measured"), Distances::Measured);
    assert_eq!(distances("hierarchy"), Distances::Hierarchy);
    assert_eq!(distances("./near.txt"), Distances::File("./near.txt".into()));
}

#[test]
fn the_cache_is_the_users() {
    let folder = |variables: &[(&str, &str)]| settings(variables).vicinity.cache_dir;
    let home = ("HOME", "/home/u");
    assert_eq!(folder(&[home]), Some(PathBuf::from("/home/u/.cache/vicinity")));
    let xdg = ("XDG_CACHE_HOME", "/c");
    assert_eq!(folder(&[home, xdg]), Some(PathBuf::from("/c/vicinity")));
    let relative = ("XDG_CACHE_HOME", "c");
    assert_eq!(folder(&[relative]), None);
}

#[test]
fn nesting() {
    let levels = |variables: &[(&str, &str)]| settings(variables).max_active_levels;
    assert_eq!(levels(&[("OMP_NESTED", "true")]), SUPPORTED_ACTIVE_LEVELS);
    assert_eq!(levels(&[("OMP_NESTED", "false"), ("OMP_NUM_THREADS", "2,2")]), 1);
    assert_eq!(levels(&[("OMP_NESTED", "true"), ("OMP_MAX_ACTIVE_LEVELS", "3")]), 3);
    assert_eq!(levels(&[("OMP_MAX_ACTIVE_LEVELS", "0")]), 0);
    assert_eq!(levels(&[("OMP_MAX_ACTIVE_LEVELS", "1000000")]), SUPPORTED_ACTIVE_LEVELS);
    assert_eq!(levels(&[("OMP_PROC_BIND", "spread,close")]), SUPPORTED_ACTIVE_LEVELS);
    let share = ("VICINITY_SHARE", "on");
    assert_eq!(levels(&[share]), SUPPORTED_ACTIVE_LEVELS);
    assert_eq!(levels(&[share, ("OMP_MAX_ACTIVE_LEVELS", "1")]), 1);
}

#[test]
fn stack_sizes_and_their_precedence() {
    let (kmp, omp, gomp) =
        (("KMP_STACKSIZE", "65536"), ("OMP_STACKSIZE", "128"), ("GOMP_STACKSIZE", "256"));
    let read = |variables: &[(&str, &str)]| {
        let settings = settings(variables);
        (settings.stack_size_bytes, settings.origin("OMP_STACKSIZE").map(str::to_owned))
    };
    assert_eq!(read(&[gomp]), (Some(256 << 10), Some("GOMP_STACKSIZE".into())));
    assert_eq!(read(&[gomp, omp]), (Some(128 << 10), Some("OMP_STACKSIZE".into())));
    assert_eq!(read(&[gomp, omp, kmp]), (Some(64 << 10), Some("KMP_STACKSIZE".into())));
}

#[test]
fn waiting() {
    let spin = |text| settings(&[("GOMP_SPINCOUNT", text)]).spin_count;
    assert_eq!(
        (spin("0"), spin("infinity"), spin("2G")),
        (Some(0), Some(u64::MAX), Some(2_000_000_000))
    );
    let block = |text| settings(&[("KMP_BLOCKTIME", text)]).blocktime;
    assert_eq!(block("200"), Some(Blocktime::Microseconds(200_000)));
    assert_eq!(block("3 ms"), Some(Blocktime::Microseconds(3_000)));
    assert_eq!(block("0us"), Some(Blocktime::Microseconds(0)));
    assert_eq!(
        (block("Infinite"), block("2147483647")),
        (Some(Blocktime::Infinite), Some(Blocktime::Infinite))
    );
}

#[test]
fn a_variable_for_all_devices_counts_where_the_plain_one_is_not_set() {
    let for_all = ("OMP_NUM_THREADS_ALL", "6");
    let settings_all = settings(&[for_all]);
    assert_eq!(settings_all.num_threads, [6]);
    assert_eq!(settings_all.origin("OMP_NUM_THREADS"), Some("OMP_NUM_THREADS_ALL"));
    assert_eq!(settings(&[for_all, ("OMP_NUM_THREADS", "5")]).num_threads, [5]);
    assert!(settings(&[("GOMP_SPINCOUNT_ALL", "5")]).spin_count.is_none());
}

#[test]
fn a_value_that_is_not_understood_costs_one_line_and_nothing_else() {
    let (settings, warnings) = from(&[("OMP_DYNAMIC", "perhaps\nnot"), ("OMP_NUM_THREADS", "2")]);
    assert_eq!(
        warnings,
        ["OMP_DYNAMIC='perhaps not' is not understood; allowed: true, false; used instead: false"]
    );
    assert_eq!(settings.num_threads, [2]);
    assert_eq!(settings.origin("OMP_DYNAMIC"), None);
}

/// Every variable but those that take any text.
const PARTICULAR: &[&str] = &[
    "OMP_NUM_THREADS",
    "OMP_DYNAMIC",
    "OMP_SCHEDULE",
    "OMP_NESTED",
    "OMP_MAX_ACTIVE_LEVELS",
    "OMP_THREAD_LIMIT",
    "OMP_PROC_BIND",
    "OMP_PLACES",
    "GOMP_CPU_AFFINITY",
    "KMP_AFFINITY",
    "OMP_STACKSIZE",
    "GOMP_STACKSIZE",
    "KMP_STACKSIZE",
    "OMP_WAIT_POLICY",
    "GOMP_SPINCOUNT",
    "KMP_BLOCKTIME",
    "OMP_CANCELLATION",
    "OMP_DISPLAY_ENV",
    "OMP_DISPLAY_AFFINITY",
    "OMP_MAX_TASK_PRIORITY",
    "OMP_NUM_TEAMS",
    "OMP_TEAMS_THREAD_LIMIT",
    "OMP_ALLOCATOR",
    "OMP_DEFAULT_DEVICE",
    "OMP_TARGET_OFFLOAD",
    "OMP_TOOL",
    "OMP_DEBUG",
    "KMP_LIBRARY",
    "KMP_WARNINGS",
    "OMP_DATA_DISTRIBUTION",
    "VICINITY_SPREAD",
    "VICINITY_SCHEDULER",
    "VICINITY_LOCATIONS",
    "VICINITY_REACH",
    "VICINITY_RANKS",
    "VICINITY_DEVICES",
    "VICINITY_TRACE_BUFFER",
    "VICINITY_TRACE_FULL",
    "VICINITY_TRACE_COUNTERS",
    "VICINITY_TRACE_MEMORY",
    "VICINITY_PLACEMENT",
    "VICINITY_VERBOSE",
    "VICINITY_TOP",
    "VICINITY_SHARE",
];

/// Those that take any text: names of files, text to be shown, what another library understands.
const ANY_TEXT: &[&str] = &[
    "OMP_AFFINITY_FORMAT",
    "OMP_TOOL_LIBRARIES",
    "OMP_TOOL_VERBOSE_INIT",
    "VICINITY_DISTANCES",
    "VICINITY_TRACE",
    "VICINITY_CACHE_DIR",
    "HWLOC_SYNTHETIC",
    "HWLOC_XMLFILE",
];

/// Every variable that is looked up, but other names of the same: `_ALL`, and where the user's files are.
fn looked_up() -> BTreeSet<String> {
    let names = RefCell::new(BTreeSet::new());
    Settings::from_env(|name| {
        names.borrow_mut().insert(name.to_owned());
        None
    });
    let mut names = names.into_inner();
    names.retain(|name| !name.ends_with("_ALL") && !["HOME", "XDG_CACHE_HOME"].contains(&&**name));
    names
}

#[test]
fn every_variable_is_tested_below() {
    let tested: BTreeSet<_> = PARTICULAR.iter().chain(ANY_TEXT).map(|&it| it.to_owned()).collect();
    assert_eq!(looked_up(), tested);
}

#[test]
fn every_variable_has_a_section_in_the_documentation() {
    let text = include_str!("../../../docs/environment.md");
    for name in looked_up() {
        let row = |line: &str| line.starts_with("| [") && line.contains(&format!("`{name}`"));
        let section = |line: &str| line.starts_with("### ") && line.contains(&*name);
        assert!(text.lines().any(row), "{name} is not in the summary");
        assert!(text.lines().any(section), "{name} has no section");
    }
}

/// What is legal: blanks around it, any case, the ends of a range. None of it is the default.
const LEGAL: &[(&str, &[&str])] = &[
    ("OMP_NUM_THREADS", &[" 3 ", "2147483647", " 4 , 3,2 "]),
    ("OMP_DYNAMIC", &["True", " TRUE\t", "1", "yes", "ON"]),
    ("OMP_SCHEDULE", &["DyNamic", " guided , 7 ", "monotonic:static,2147483647"]),
    ("OMP_NESTED", &["True"]),
    ("OMP_MAX_ACTIVE_LEVELS", &[" 0 ", "3", "2147483647"]),
    ("OMP_THREAD_LIMIT", &[" 1", "2147483646"]),
    ("OMP_PROC_BIND", &["Close", " SPREAD , close "]),
    ("OMP_PLACES", &["Cores", " threads ( 4 ) ", "{ 0 , 1 } , {2:4:2}"]),
    ("GOMP_CPU_AFFINITY", &[" 0 3 1-2 ", "0,1"]),
    ("KMP_AFFINITY", &["Compact", " granularity = FINE , scatter , 1 , 3 "]),
    ("OMP_STACKSIZE", &[" 12 m ", "1B", "512k"]),
    ("GOMP_STACKSIZE", &["128 "]),
    ("KMP_STACKSIZE", &["2M", "18446744073709551615"]),
    ("OMP_WAIT_POLICY", &["Active", " PASSIVE "]),
    ("GOMP_SPINCOUNT", &["Infinity", " 30K ", "18446744073709551615", "0"]),
    ("KMP_BLOCKTIME", &["Infinite", " 50 US ", "0", "2147483647"]),
    ("OMP_CANCELLATION", &["True"]),
    ("OMP_DISPLAY_ENV", &["Verbose", " true "]),
    ("OMP_DISPLAY_AFFINITY", &["TRUE"]),
    ("OMP_MAX_TASK_PRIORITY", &[" 1 ", "2147483647"]),
    ("OMP_NUM_TEAMS", &["1", "2147483647 "]),
    ("OMP_TEAMS_THREAD_LIMIT", &["1", " 2147483647"]),
    ("OMP_ALLOCATOR", &["OMP_High_BW_mem_alloc", "omp_default_mem_space : Pinned = TRUE"]),
    ("OMP_DEFAULT_DEVICE", &["1 ", "2147483647"]),
    ("OMP_TARGET_OFFLOAD", &["Mandatory", " disabled "]),
    ("OMP_TOOL", &["Disabled"]),
    ("OMP_DEBUG", &["ENABLED "]),
    ("KMP_LIBRARY", &["Serial", " TURNAROUND "]),
    ("KMP_WARNINGS", &["Off", " 0 "]),
    ("OMP_DATA_DISTRIBUTION", &["Fine", " COARSE "]),
    ("VICINITY_SPREAD", &["Memory", " PROCESSORS "]),
    ("VICINITY_SCHEDULER", &["Central", " WORKSTEALING "]),
    ("VICINITY_LOCATIONS", &["Cores", " LL_caches "]),
    ("VICINITY_REACH", &[" 1 ", "2147483647"]),
    ("VICINITY_RANKS", &["Ignore", " IGNORE "]),
    ("VICINITY_DEVICES", &["Locations", " LOCATIONS "]),
    ("VICINITY_TRACE_BUFFER", &[" 64K ", "64g"]),
    ("VICINITY_TRACE_FULL", &["Drop_Oldest "]),
    ("VICINITY_TRACE_COUNTERS", &["All", " Cycles , PAGE_FAULTS "]),
    ("VICINITY_TRACE_MEMORY", &["On", " off "]),
    ("VICINITY_PLACEMENT", &[" fine:a.out+0x11e9<libx.so+0x30;", "coarse:a+0x4060,4096"]),
    ("VICINITY_VERBOSE", &[" 1", "2 "]),
    ("VICINITY_TOP", &["ON", " off"]),
    ("VICINITY_SHARE", &["On ", "OFF"]),
];

#[test]
fn what_is_legal_is_taken_in_any_case_and_with_blanks() {
    let named: BTreeSet<_> = LEGAL.iter().map(|it| it.0).collect();
    assert_eq!(named, PARTICULAR.iter().copied().collect());
    for &(name, values) in LEGAL {
        for &value in values {
            let Settings { origins, .. } = settings(&[(name, value)]);
            assert!(origins.iter().any(|it| it.variable == name), "{name}={value}");
            assert_ne!(settings(&[(name, value)]), Settings::default(), "{name}={value}");
        }
    }
}

/// With other text behind it, or in front, what is legal is legal no more.
#[test]
fn text_around_a_value_is_not_passed_over() {
    for &(name, values) in LEGAL {
        for value in values {
            for wrong in [format!("{value} x"), format!("{value};4"), format!("${value}")] {
                let (settings, warnings) = from(&[(name, &wrong)]);
                assert_eq!(warnings.len(), 1, "{name}={wrong}");
                assert_eq!(settings, Settings::default(), "{name}={wrong}");
            }
        }
    }
}

#[test]
fn nonsense_everywhere_gives_the_defaults() {
    let long = "9".repeat(5000) + "!";
    for nonsense in [
        "?",
        "-",
        "-1",
        "1.5",
        "1e9",
        "99999999999999999999999",
        "18446744073709551616",
        "\u{fc}\u{df}",
        "{{{{",
        "1,2,,",
        ":::",
        "=",
        "4x4",
        &long,
        "\u{1b}[31m",
    ] {
        for &name in PARTICULAR {
            let (settings, warnings) = from(&[(name, nonsense)]);
            assert_eq!(warnings.len(), 1, "{name}={nonsense}: {warnings:?}");
            assert!(warnings[0].starts_with(name) && warnings[0].len() < 400, "{}", warnings[0]);
            assert!(!warnings[0].chars().any(char::is_control));
            assert!(
                warnings[0].contains("; allowed: ") && warnings[0].contains("; used instead: ")
            );
            assert_eq!(settings, Settings::default(), "{name}={nonsense}");
        }
    }
}

#[test]
fn blank_is_not_set() {
    for &name in PARTICULAR {
        for blank in ["", "  ", "\t"] {
            assert_eq!(settings(&[(name, blank)]), Settings::default(), "{name}");
        }
    }
}

/// Pieces that values are made of, whole or broken.
const PIECES: &[&str] = &[
    "1",
    "0",
    "4294967295",
    "99999999999999999999",
    "-",
    ",",
    ":",
    "{",
    "}",
    "!",
    "(",
    ")",
    "[",
    "]",
    "=",
    " ",
    "%",
    "cores",
    "threads",
    "static",
    "guided",
    "monotonic",
    "true",
    "false",
    "close",
    "spread",
    "compact",
    "scatter",
    "explicit",
    "proclist",
    "granularity",
    "fine",
    "verbose",
    "k",
    "M",
    "us",
    "infinite",
    "omp_default_mem_space",
    "omp_default_mem_alloc",
    "alignment",
    "pinned",
    "\u{e9}",
    "\n",
];

/// Xorshift: the same values for the same seed.
struct Random(u64);

impl Random {
    fn seeded(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn text(&mut self, pieces: &[&str], most: usize) -> String {
        (0..self.below(most)).map(|_| pieces[self.below(pieces.len())]).collect()
    }
}

/// Whatever the text: no panic, at most a line of warning a variable, places that end, and settings
/// whose display can be read back.
#[test]
fn random_values_are_survived() {
    let allowed = vicinity_alloc::os::CpuSet::from_list("0-7").unwrap();
    for seed in 1..3000 {
        let mut random = Random::seeded(seed);
        let variables: Vec<_> = (0..4)
            .map(|_| (PARTICULAR[random.below(PARTICULAR.len())], random.text(PIECES, 7)))
            .collect();
        let given: Vec<_> = variables.iter().map(|it| (it.0, it.1.as_str())).collect();
        let (settings, warnings) = from(&given);
        assert!(warnings.len() <= given.len(), "seed {seed}: {warnings:?}");
        assert!(warnings.iter().all(|it| !it.chars().any(char::is_control)), "seed {seed}");
        if let Some(list) = &settings.affinity.places {
            assert!(places::resolve(list, &allowed).iter().all(|place| !place.is_empty()));
        }
    }
}

/// Place lists in particular: what is understood is shown so that it means the same.
#[test]
fn random_place_lists_are_survived() {
    const PIECES: &[&str] =
        &["0", "1", "7", "{0", "{1,2", "}", "}", ":", ":2", ",", ",", "!", "-1", "65535", "{0:9:0"];
    let allowed = vicinity_alloc::os::CpuSet::from_list("0-7").unwrap();
    let mut understood = 0;
    for seed in 1..20_000 {
        let text = Random::seeded(seed).text(PIECES, 9);
        let Some(list) = places::places(&text) else {
            continue;
        };
        understood += 1;
        assert_eq!(places::places(&list.to_string()).as_ref(), Some(&list), "{text}");
        assert!(places::resolve(&list, &allowed).iter().all(|place| !place.is_empty()), "{text}");
    }
    assert!(understood > 500, "{understood}");
}
