//! The environment: lines of `NAME=VALUE`, as `Settings::from_env` would look them up.

use crate::check_complaint;
use std::collections::HashMap;
use vicinity_alloc::os::CpuSet;
use vicinity_runtime::display;
use vicinity_runtime::settings::{Settings, places};

/// Good settings, one a variable at least.
pub const SAMPLES: &[&str] = &[
    "OMP_NUM_THREADS=4,3,2\nOMP_DYNAMIC=true\nOMP_SCHEDULE=nonmonotonic:dynamic,4\nOMP_MAX_ACTIVE_LEVELS=3",
    "OMP_PLACES={0:4:2}:3:8,!{4},{0,1,!2}\nOMP_PROC_BIND=spread,close\nOMP_DISPLAY_ENV=verbose",
    "OMP_PLACES=ll_caches(2)\nOMP_PROC_BIND=primary\nOMP_STACKSIZE= 12 M \nOMP_WAIT_POLICY=active",
    "GOMP_CPU_AFFINITY=0-7:2 3,5\nGOMP_SPINCOUNT=300k\nOMP_CANCELLATION=1\nOMP_THREAD_LIMIT=64",
    "KMP_AFFINITY=granularity=fine,proclist=[0,1,{2,3},4-8:2],explicit\nKMP_BLOCKTIME=200ms\nKMP_STACKSIZE=2m\nKMP_LIBRARY=turnaround\nKMP_WARNINGS=off",
    "KMP_AFFINITY=verbose,scatter,1,3\nOMP_ALLOCATOR=omp_high_bw_mem_space:alignment=64,pinned=true,fallback=abort_fb",
    "OMP_AFFINITY_FORMAT=%0.8n|%{thread_affinity}|%10H|%%|%.3N\nOMP_TARGET_OFFLOAD=mandatory\nOMP_DEBUG=enabled",
    "OMP_TOOL_LIBRARIES=/a/b.so:c.so\nOMP_TOOL_VERBOSE_INIT=stderr\nOMP_NUM_TEAMS=8\nOMP_TEAMS_THREAD_LIMIT=2",
    "OMP_DATA_DISTRIBUTION=coarse\nVICINITY_SCHEDULER=workstealing\nVICINITY_LOCATIONS=ll_caches\nVICINITY_REACH=4\nVICINITY_SPREAD=memory",
    "VICINITY_TRACE=/tmp/trace-%p.json\nVICINITY_VERBOSE=2\nVICINITY_CACHE_DIR=/var/cache\nOMP_MAX_TASK_PRIORITY=9",
];

/// Reads them, shows them, and resolves their places for a machine of 12 processors.
pub fn settings(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let variables: HashMap<&str, &str> =
        text.lines().filter_map(|line| line.split_once('=')).collect();
    let (settings, warnings) =
        Settings::from_env(|name| variables.get(name).map(|value| (*value).to_owned()));
    warnings.iter().for_each(|warning| check_complaint(warning));
    for origin in &settings.origins {
        assert!(variables.contains_key(&*origin.variable), "{} is not set", origin.variable);
    }
    let listing = display::listing(&settings, 12);
    assert!(listing.lines().count() > 30, "settings are missing:\n{listing}");
    display::expand(&settings.affinity_format, &display::AffinityFields::default());
    if let Some(spec) = &settings.affinity.places {
        let allowed = CpuSet::from_list("0-11").expect("a list of processors");
        for place in places::resolve(spec, &allowed) {
            assert!(
                !place.is_empty() && place.difference(&allowed).is_empty(),
                "{spec}: {place:?}"
            );
        }
    }
}
