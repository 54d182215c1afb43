//! Place lists resolved on machines that are not here.

use super::super::Level;
use super::super::places;
use super::*;

/// Two sockets of two cores of two threads: core `c` has threads `c` and `c + 4`, sockets hold cores
/// 0-1 and 2-3, a last-level cache is a core pair's, the second node has no processors.
fn two_sockets(path: &str) -> Option<String> {
    let rest = path.strip_prefix("/sys/devices/system/")?;
    let text = match rest {
        "node/online" => "0-2",
        "node/node0/cpulist" => "0-1,4-5",
        "node/node1/cpulist" => "",
        "node/node2/cpulist" => "2-3,6-7",
        _ => {
            let (cpu, file) = rest.strip_prefix("cpu/cpu")?.split_once('/')?;
            let core = cpu.parse::<u32>().ok()? % 4;
            let socket = if core < 2 { "0-1,4-5" } else { "2-3,6-7" };
            match file {
                "topology/package_cpus_list" | "cache/index2/shared_cpu_list" => socket,
                "topology/core_cpus_list" => return Some(format!("{core},{}\n", core + 4)),
                "cache/index0/level" | "cache/index1/level" => "1",
                "cache/index2/level" => "3",
                _ => return None,
            }
        }
    };
    Some(text.to_owned())
}

fn resolved_by(read: Read, text: &str, allowed: &str) -> Vec<String> {
    let allowed = CpuSet::from_list(allowed).unwrap();
    let spec = places(text).unwrap();
    resolve_with(&spec, &allowed, read).iter().map(CpuSet::to_string).collect()
}

fn resolved(text: &str, allowed: &str) -> Vec<String> {
    resolved_by(&two_sockets, text, allowed)
}

#[test]
fn abstract_names() {
    assert_eq!(resolved("sockets", "0-7"), ["0-1,4-5", "2-3,6-7"]);
    assert_eq!(resolved("numa_domains", "0-7"), ["0-1,4-5", "2-3,6-7"]);
    assert_eq!(resolved("ll_caches", "0-7"), ["0-1,4-5", "2-3,6-7"]);
    assert_eq!(resolved("cores", "0-7"), ["0,4", "1,5", "2,6", "3,7"]);
    assert_eq!(resolved("threads", "0-7"), ["0", "4", "1", "5", "2", "6", "3", "7"]);
    assert_eq!(resolved("threads(3)", "0-7"), ["0", "4", "1"]);
    assert_eq!(resolved("cores(99)", "0-7").len(), 4);
}

#[test]
fn only_allowed_processors_appear() {
    assert_eq!(resolved("sockets", "1,5"), ["1,5"]);
    assert_eq!(resolved("cores", "1-2,6"), ["1", "2,6"]);
    assert_eq!(resolved("numa_domains", "2"), ["2"]);
    assert_eq!(resolved("{0,1},{2,3},{9}", "1-2"), ["1", "2"]);
    assert!(resolved("{4}", "0-3").is_empty());
    assert!(resolved("cores", "").is_empty());
}

#[test]
fn without_sysfs_a_processor_is_a_core_of_one_socket() {
    let nothing = |_: &str| None;
    assert_eq!(resolved_by(&nothing, "cores", "0-2"), ["0", "1", "2"]);
    for level in ["sockets", "ll_caches", "numa_domains"] {
        assert_eq!(resolved_by(&nothing, level, "0-2"), ["0-2"], "{level}");
    }
}

#[test]
fn sysfs_that_contradicts_itself_loses_no_processor() {
    let wrong = |_: &str| Some("7".to_owned());
    assert_eq!(resolved_by(&wrong, "cores", "0-2"), ["0", "1", "2"]);
    assert_eq!(resolved_by(&wrong, "sockets", "0,7"), ["0,7"]);
    assert_eq!(resolved_by(&wrong, "numa_domains", "0-2"), ["0-2"]);
}

#[test]
fn intervals_strides_and_exclusions() {
    assert_eq!(resolved("{0:2}:4:2", "0-7"), ["0-1", "2-3", "4-5", "6-7"]);
    assert_eq!(resolved("{6:2}:4:-2", "0-7"), ["6-7", "4-5", "2-3", "0-1"]);
    assert_eq!(resolved("{0:4:2}", "0-7"), ["0,2,4,6"]);
    assert_eq!(resolved("{0:8,!3,!4}", "0-7"), ["0-2,5-7"]);
    assert_eq!(resolved("{0}:4,!{1}", "0-7"), ["0", "2", "3"]);
    assert_eq!(resolved("!2,0:4", "0-7"), ["0", "1", "2", "3"]);
    assert_eq!(resolved("{7:2:-1,!6}", "0-7"), ["7"]);
    assert_eq!(resolved("{3}:4:-1", "0-7"), ["3", "2", "1", "0"]);
    assert_eq!(resolved("{0}:3:0", "0-7"), ["0", "0", "0"]);
    assert_eq!(resolved("{0},{0}", "0-7"), ["0", "0"]);
}

#[test]
fn an_exclusion_takes_out_the_latest_equal_place() {
    assert_eq!(resolved("1,2,1,!1", "0-7"), ["1", "2"]);
    assert_eq!(resolved("1,3,3,!3,!{5:3:-1,!4,!5},2,!{4}", "0-7"), ["1", "2"]);
    // Equal as written, not merely alike on this machine.
    assert_eq!(resolved("{0,8},!{0,9}", "0-7"), ["0"]);
}

#[test]
fn absurd_numbers_end_soon() {
    assert_eq!(resolved("{0}:4294967295", "0-7").len(), 8);
    assert_eq!(resolved("{0:4294967295}", "0-7"), ["0-7"]);
    assert_eq!(resolved("{0}:4294967295:4294967295", "0-7"), ["0"]);
    assert_eq!(resolved("{4294967295}:9:-4294967295", "0-7").len(), 0);
}

fn ordered(inner_first: u32, granularity: Level, offset: u32) -> Vec<String> {
    let spec = PlacesSpec::Ordered(Ordered { inner_first, granularity, offset });
    let allowed = CpuSet::from_list("0-7").unwrap();
    resolve_with(&spec, &allowed, &two_sockets).iter().map(CpuSet::to_string).collect()
}

#[test]
fn compact_fills_a_core_first_and_scatter_last() {
    assert_eq!(ordered(0, Level::Threads, 0), ["0", "4", "1", "5", "2", "6", "3", "7"]);
    assert_eq!(ordered(1, Level::Threads, 0), ["0", "1", "2", "3", "4", "5", "6", "7"]);
    assert_eq!(ordered(2, Level::Threads, 0), ["0", "2", "1", "3", "4", "6", "5", "7"]);
    assert_eq!(ordered(0, Level::Threads, 3)[..3], ["5", "2", "6"]);
    assert_eq!(ordered(2, Level::Cores, 9)[..3], ["2,6", "1,5", "3,7"]);
}
