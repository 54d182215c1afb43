//! This machine's sysfs: lines of `PATH=CONTENT`, paths below /sys/devices/system unless they begin with a slash.

use std::collections::HashMap;
use vicinity_alloc::os::CpuSet;
use vicinity_alloc::topology::{Locations, Machine, Sysfs};

/// Two nodes with two processors each, and one with memory alone.
pub const SAMPLES: &[&str] = &[include_str!("../samples/sysfs.txt")];

/// Makes a machine of every kind of location of it.
pub fn sysfs(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let files: HashMap<&str, &str> = text.lines().filter_map(|line| line.split_once('=')).collect();
    let read = |path: &str| {
        let name = path.strip_prefix("/sys/devices/system/").unwrap_or(path);
        files.get(name).map(|content| (*content).to_owned())
    };
    let allowed = CpuSet::from_list("0-5").expect("a list of processors");
    let hardware = Sysfs::new(&read, &allowed);
    for &(_, kind) in Locations::WORDS {
        match Machine::of(&hardware, kind, true, "a test") {
            Ok(machine) => check(&machine, Some(&allowed)),
            Err(complaint) => crate::check_complaint(&complaint),
        }
    }
}

/// What must hold of every machine; `allowed` has all processors that it may have.
pub fn check(machine: &Machine, allowed: Option<&CpuSet>) {
    let locations = machine.topology.len();
    assert_eq!(machine.locations.len(), locations);
    for (place, at) in machine.locations.iter().zip(machine.topology.locations()) {
        let within = allowed.is_none_or(|all| place.processors.difference(all).is_empty());
        assert!(within, "{place:?}");
        assert_eq!(place.processors.len(), machine.topology.threads(at), "{place:?}");
    }
    for number in 0..100 {
        assert!(machine.location_of_processor(number).index() < locations);
        assert!(machine.location_of_node(number).index() < locations);
        assert!(machine.location_of_thread(number).index() < locations);
    }
}
