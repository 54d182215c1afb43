//! Machines in hwloc's words.

use super::*;
use crate::topology::{Locations, Machine};

fn synthetic(text: &str, kind: Locations) -> Result<Machine, String> {
    let description = Description::Synthetic(text.to_owned());
    Machine::described(&description, kind, &CpuSet::from_iter([0]))
}

fn distances(machine: &Machine, from: u16) -> Vec<u16> {
    let topology = &machine.topology;
    let from = vicinity_policy::topology::LocationId(from);
    topology.locations().map(|to| topology.distance(from, to)).collect()
}

#[test]
fn nodes_of_a_machine_that_is_not_here() {
    let machine =
        synthetic("package:2 numa:2 l3:1(size=6000000) core:6 pu:1", Locations::NumaDomains);
    let machine = machine.unwrap();
    assert!(!machine.enforced);
    assert_eq!(machine.topology.len(), 4);
    assert_eq!(distances(&machine, 0), [10, 12, 20, 20]);
    assert_eq!(machine.locations[3].processors.to_string(), "18-23");
    assert_eq!(machine.topology.cache_bytes, 1_000_000);
    assert_eq!(machine.location_of_processor(7).0, 1);
    assert_eq!(machine.location_of_thread(30).0, 1);
    assert_eq!(machine.source, "HWLOC_SYNTHETIC='package:2 numa:2 l3:1(size=6000000) core:6 pu:1'");
}

#[test]
fn caches_and_cores_of_one() {
    let text = "package:2 l3:2 l2:2 core:1 pu:2";
    let caches = synthetic(text, Locations::LlCaches).unwrap();
    assert_eq!(caches.topology.len(), 4);
    assert_eq!(distances(&caches, 0), [10, 20, 20, 20]);
    let cores = synthetic(text, Locations::Cores).unwrap();
    assert_eq!(distances(&cores, 1), [15, 10, 20, 20, 20, 20, 20, 20]);
    assert_eq!(cores.locations[1].processors.to_string(), "2-3");
    assert_eq!(synthetic("numa:2 pu:3", Locations::Cores).unwrap().topology.len(), 6);
    assert_eq!(synthetic("pu:3", Locations::LlCaches).unwrap().topology.len(), 1);
}

#[test]
fn a_second_node_of_the_same_processors_is_memory() {
    let text = "package:2 [numa(memory=1GB)] [numa(memory=2GB)] core:2 pu:1";
    let machine = synthetic(text, Locations::NumaDomains).unwrap();
    let counts: Vec<u32> =
        machine.topology.locations().map(|id| machine.topology.threads(id)).collect();
    assert_eq!((counts.iter().sum::<u32>(), counts.len()), (4, 4));
    assert_eq!(counts.iter().filter(|&&count| count == 0).count(), 2);
}

#[test]
fn what_is_no_description_is_refused() {
    let words =
        ["", "x", "numa:8", "numa:0 pu:1", "pu:-1", "pu:4 numa:2", "numa:2 core:2 pu:1(", "\u{fc}"];
    for text in words {
        assert!(synthetic(text, Locations::NumaDomains).is_err(), "{text}");
    }
    let many = synthetic("core:3000 pu:1", Locations::Cores);
    assert_eq!(many.unwrap_err(), "3000 locations, 2048 are possible");
    let file = |path: &str| {
        let description = Description::Xml(path.into());
        Machine::described(&description, Locations::Cores, &CpuSet::new()).unwrap_err()
    };
    assert!(file("/nowhere/machine.xml").contains("No such file"));
    assert!(file("/proc/self/status").contains("not a file of hwloc's"));
    assert!(file("/").contains("not a file of hwloc's"));
}

/// Both ways to look at this machine show the same.
#[test]
fn hwloc_and_sysfs_agree() {
    use crate::topology::{Sysfs, read_file};
    doors::open().unwrap();
    let topology = Topology::builder().build().unwrap();
    let allowed = crate::os::affinity_mask();
    let hwloc = Described { topology, allowed: Some(allowed.clone()) };
    let sysfs = Sysfs::new(&read_file, &allowed);
    for level in [Level::Cores, Level::LlCaches, Level::NumaDomains, Level::Sockets] {
        assert_eq!(hwloc.parts(level), sysfs.parts(level), "{level:?}");
    }
    let cpu = allowed.first().unwrap();
    assert_eq!(hwloc.caches(cpu), sysfs.caches(cpu));
    assert_eq!(hwloc.core_of(cpu), sysfs.core_of(cpu));
    let nodes = sysfs.nodes();
    let known = |it: Option<Vec<u16>>| it.unwrap_or_else(|| vec![10; nodes.len()]);
    assert_eq!(known(hwloc.node_distances(&nodes)), known(sysfs.node_distances(&nodes)));
}

#[test]
fn processors_are_counted_before_hwloc_makes_them() {
    assert_eq!(processors_in("package:2 [numa(memory=1GB)] l3:4(size=1MB) 3 pu:0x10"), 384);
    assert_eq!(processors_in("core:99999999999999999999 pu:2"), u64::MAX);
    let description = Description::Synthetic("numa:1000 core:1000 pu:1".to_owned());
    let error = Described::load(&description, &CpuSet::new()).err();
    assert_eq!(error.as_deref(), Some("more than 65536 processors"));
}
