//! Machines that are not here, as their sysfs shows them.

use super::*;
use crate::topology::fixture::Files;

fn bytes(nodes: &[Node]) -> Vec<u64> {
    nodes.iter().map(|node| node.memory_bytes).collect()
}

#[test]
fn nodes_with_and_without_processors() {
    let files = Files::two_sockets_and_memory();
    let read = |path: &str| files.read(path);
    let allowed = CpuSet::from_list("0-7").unwrap();
    let nodes = Sysfs::new(&read, &allowed).nodes();
    let lists: Vec<_> = nodes.iter().map(|node| node.processors.to_string()).collect();
    assert_eq!(lists, ["0-1,4-5", "2-3,6-7", ""]);
    assert_eq!(bytes(&nodes), [32 << 30, 32 << 30, 128 << 30]);
    assert_eq!(nodes.iter().map(|node| node.number).collect::<Vec<_>>(), [0, 1, 4]);
    assert!(!is_one_node(&read));
}

#[test]
fn distances_are_those_of_the_nodes_asked_for() {
    let files = Files::two_sockets_and_memory();
    let read = |path: &str| files.read(path);
    let allowed = CpuSet::from_list("0-7").unwrap();
    let sysfs = Sysfs::new(&read, &allowed);
    let nodes = sysfs.nodes();
    let all = sysfs.node_distances(&nodes).unwrap();
    assert_eq!(all, [10, 21, 17, 21, 10, 28, 17, 28, 10]);
    assert_eq!(sysfs.node_distances(&nodes[1..]).unwrap(), [10, 28, 28, 10]);
    for broken in ["", "10 21", "10 x 17", "10 99999 17"] {
        let files = files.with("node/node1/distance", broken);
        let read = |path: &str| files.read(path);
        assert_eq!(Sysfs::new(&read, &allowed).node_distances(&nodes), None, "{broken}");
    }
}

#[test]
fn memory_that_may_not_be_used_is_none() {
    let files = Files::two_sockets_and_memory();
    let files = files.with("/proc/self/status", "Name:\tx\nMems_allowed_list:\t1\n");
    let read = |path: &str| files.read(path);
    let allowed = CpuSet::from_list("0-7").unwrap();
    let nodes = Sysfs::new(&read, &allowed).nodes();
    assert_eq!(bytes(&nodes), [0, 32 << 30, 0]);
    assert!(nodes[0].is_usable() && !nodes[2].is_usable());
}

#[test]
fn caches_from_near_to_far_without_those_of_instructions() {
    let files = Files::two_sockets_and_memory();
    let read = |path: &str| files.read(path);
    let allowed = CpuSet::from_list("0-7").unwrap();
    let sysfs = Sysfs::new(&read, &allowed);
    let caches = sysfs.caches(2);
    let levels: Vec<_> = caches.iter().map(|cache| (cache.level, cache.bytes)).collect();
    assert_eq!(levels, [(1, 32 << 10), (2, 1 << 20), (3, 16 << 20)]);
    assert_eq!(caches[2].processors.to_string(), "2-3,6-7");
    assert_eq!(sysfs.core_of(2).to_string(), "2,6");
}

#[test]
fn without_sysfs_there_is_one_node() {
    let nothing = |_: &str| None;
    let allowed = CpuSet::from_list("0-2").unwrap();
    let sysfs = Sysfs::new(&nothing, &allowed);
    assert_eq!(sysfs.nodes().len(), 1);
    assert_eq!(sysfs.nodes()[0].processors, allowed);
    assert_eq!((sysfs.caches(0), sysfs.core_of(1).to_string()), (vec![], "1".to_owned()));
    assert!(is_one_node(&nothing));
}

#[test]
fn sizes_have_units() {
    assert_eq!(cache_bytes("512K\n"), Some(512 << 10));
    assert_eq!(cache_bytes("32M"), Some(32 << 20));
    assert_eq!((cache_bytes("64"), cache_bytes("1G")), (Some(64), Some(1 << 30)));
    for text in ["", "K", "-1K", "1.5M", "99999999999999999999", "18446744073709551615G", "\u{e9}"]
    {
        assert_eq!(cache_bytes(text), None, "{text}");
    }
    assert_eq!(memory_bytes("MemTotal:  16 kB\nMemFree: 4 kB\n"), Some(16 << 10));
    for text in ["", "MemTotal:", "MemTotal: x kB", "MemTotal: kB"] {
        assert_eq!(memory_bytes(text), None, "{text}");
    }
}
