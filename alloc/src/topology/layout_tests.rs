//! Locations of machines that are not here.

use super::*;
use crate::topology::Sysfs;
use crate::topology::fixture::Files;

fn laid_out(files: &Files, kind: Locations, allowed: &str) -> Layout {
    let read = |path: &str| files.read(path);
    let allowed = CpuSet::from_list(allowed).unwrap();
    layout(&Sysfs::new(&read, &allowed), kind).unwrap()
}

fn names(layout: &Layout) -> Vec<String> {
    let show = |place: &Place| format!("{}: {}", place.name, place.processors);
    layout.places.iter().map(show).collect()
}

#[test]
fn nodes_are_locations_also_without_processors() {
    let layout = laid_out(&Files::two_sockets_and_memory(), Locations::NumaDomains, "0-7");
    assert_eq!(names(&layout), ["node 0: 0-1,4-5", "node 1: 2-3,6-7", "node 4: "]);
    assert_eq!(layout.distances, [10, 21, 17, 21, 10, 28, 17, 28, 10]);
    assert_eq!(layout.nearest, [(0, 0), (1, 1), (4, 2)]);
}

#[test]
fn a_node_whose_processors_may_not_be_used_is_none() {
    let layout = laid_out(&Files::two_sockets_and_memory(), Locations::NumaDomains, "2-3");
    assert_eq!(names(&layout), ["node 1: 2-3", "node 4: "]);
    assert_eq!(layout.distances, [10, 28, 28, 10]);
    // What lies on node 0 is nearest to node 4.
    assert_eq!(layout.nearest, [(0, 1), (1, 0), (4, 1)]);
}

#[test]
fn distances_that_make_no_sense_are_guessed_from_packages() {
    let files = Files::two_sockets_and_memory().with("node/node1/distance", "10 10 10");
    let layout = laid_out(&files, Locations::NumaDomains, "0-7");
    assert_eq!(layout.distances, [10, 20, 20, 20, 10, 20, 20, 20, 10]);
    let files = Files::two_sockets_and_memory().with("node/node1/distance", "21 1 28");
    let layout = laid_out(&files, Locations::NumaDomains, "0-7");
    assert_eq!(layout.distances, [10, 20, 20, 20, 10, 20, 20, 20, 10]);
}

#[test]
fn caches_and_cores_by_what_they_share() {
    let files = Files::two_sockets_and_memory();
    let caches = laid_out(&files, Locations::LlCaches, "0-7");
    assert_eq!(names(&caches), ["cache 0: 0-1,4-5", "cache 1: 2-3,6-7"]);
    assert_eq!(caches.distances, [10, 42, 42, 10]);
    let cores = laid_out(&files, Locations::Cores, "0-2,4-6");
    assert_eq!(names(&cores), ["core 0: 0,4", "core 1: 1,5", "core 2: 2,6"]);
    assert_eq!(cores.distances, [10, 15, 42, 15, 10, 42, 42, 42, 10]);
    assert_eq!(cores.places[2].node, Some(1));
    assert_eq!(cores.nearest, [(0, 0), (1, 2), (4, 0)]);
    let clustered = files.with("cpu/cpu0/cache/index2/shared_cpu_list", "0-1,4-5");
    assert_eq!(laid_out(&clustered, Locations::Cores, "0-1").distances, [10, 12, 15, 10]);
}

#[test]
fn thresholds_are_those_of_the_caches() {
    let files = Files::two_sockets_and_memory();
    let read = |path: &str| files.read(path);
    let allowed = CpuSet::from_list("0-7").unwrap();
    let sizes = cache_sizes(&Sysfs::new(&read, &allowed), 0);
    assert_eq!(sizes.last_level_bytes, 16 << 20);
    assert_eq!(threshold_bytes(Locations::NumaDomains, sizes), 8 << 20);
    assert_eq!(threshold_bytes(Locations::Cores, sizes), 1 << 20);
    assert_eq!(threshold_bytes(Locations::Cores, CacheSizes::default()), UNKNOWN_CACHE_BYTES);
}
