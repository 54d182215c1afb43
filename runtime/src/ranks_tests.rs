//! Which part of a machine each rank gets, on machines that are not here.

use super::*;

const FOUR_NODES: &str = "package:2 numa:2 l3:1 core:2 pu:2";

fn settings(variables: &[(&str, &str)]) -> Settings {
    let get = |name: &str| variables.iter().find(|it| it.0 == name).map(|it| it.1.to_owned());
    Settings::from_env(get).0
}

/// The share of a rank on a described machine, as if it were this one.
fn decided(
    machine: &str,
    variables: &[(&str, &str)],
    rank: u32,
    of: u32,
    quota: Option<u32>,
) -> Share {
    let hardware = Description::Synthetic(machine.to_owned());
    let hardware = load(&hardware, &CpuSet::new()).expect("hwloc knows it");
    let all: CpuSet = processors(&hardware).iter().map(|it| it.number).collect();
    let seen = Seen { allowed: all.clone(), launcher: Some(all), quota };
    let rank = Rank { number: rank, of, variable: "MPI_LOCALRANKID" };
    decide(&settings(variables), rank, &seen, &hardware, true)
}

fn shown(of: u32, variables: &[(&str, &str)]) -> Vec<String> {
    let share = |rank| decided(FOUR_NODES, variables, rank, of, None);
    (0..of)
        .map(share)
        .map(|share| match (share.part, share.threads) {
            (Part::Own(own) | Part::Described(own), threads) => {
                format!("{own}: {}", threads.unwrap())
            }
            (Part::Whole(why), threads) => format!("{why}: {threads:?}"),
        })
        .collect()
}

#[test]
fn ranks_divide_nodes_then_cores() {
    assert_eq!(shown(2, &[]), ["0-7: 8", "8-15: 8"]);
    assert_eq!(shown(4, &[]), ["0-3: 4", "4-7: 4", "8-11: 4", "12-15: 4"]);
    assert_eq!(shown(8, &[])[..3], ["0-1: 2", "2-3: 2", "4-5: 2"]);
    // Two ranks stay in a socket each, and the third gets the core that is left in both.
    assert_eq!(shown(3, &[]), ["0-5: 6", "8-13: 6", "6-7,14-15: 4"]);
    assert_eq!(shown(16, &[])[..2], ["0: 1", "1: 1"]);
    assert_eq!(shown(32, &[])[..9], [vec!["0-3: 1"; 8], vec!["4-7: 1"]].concat());
}

#[test]
fn abstract_places_lie_in_the_part() {
    let places = [("OMP_PLACES", "cores"), ("OMP_PROC_BIND", "close"), ("OMP_NUM_THREADS", "2")];
    assert_eq!(shown(4, &places)[1], "4-7: 4");
}

#[test]
fn what_the_user_or_the_launcher_has_arranged_stays() {
    let why = |variables: &[(&str, &str)]| shown(4, variables)[1].clone();
    assert_eq!(why(&[("OMP_PLACES", "{0},{1}")]), "its places name processors: None");
    assert_eq!(why(&[("GOMP_CPU_AFFINITY", "0-3")]), "its places name processors: None");
    assert_eq!(why(&[("OMP_PROC_BIND", "false")]), "OMP_PROC_BIND is false: Some(4)");
    let many = "OMP_NUM_THREADS is more than it would have processors: None";
    assert_eq!(why(&[("OMP_NUM_THREADS", "5")]), many);
    let two = CpuSet::from_iter([0, 1]);
    let hardware = Sysfs::new(&|_| None, &two);
    let rank = Rank { number: 0, of: 2, variable: "MPI_LOCALRANKID" };
    for launcher in [None, Some(CpuSet::from_iter(0..8))] {
        let seen = Seen { allowed: two.clone(), launcher, quota: None };
        let share = decide(&settings(&[]), rank, &seen, &hardware, true);
        assert_eq!(share.part, Part::Whole("it was started with processors of its own"));
        assert_eq!(share.threads, None);
    }
}

/// Threads are of the machine that is here, processors of the one that is described.
#[test]
fn machines_that_are_not_here_are_divided() {
    let hardware = load(&Description::Synthetic(FOUR_NODES.to_owned()), &CpuSet::new()).unwrap();
    let here = CpuSet::from_iter(0..6);
    let seen = Seen { allowed: here.clone(), launcher: Some(here), quota: None };
    let rank = Rank { number: 3, of: 4, variable: "MPI_LOCALRANKID" };
    let share = decide(&settings(&[]), rank, &seen, &hardware, false);
    assert_eq!(share.described().map(CpuSet::to_string).as_deref(), Some("12-15"));
    assert_eq!(share.threads, Some(1));
}

#[test]
fn a_quota_is_divided_too() {
    let threads = |rank| decided(FOUR_NODES, &[], rank, 4, Some(6)).threads;
    assert_eq!([threads(0), threads(1), threads(2), threads(3)], [2, 2, 1, 1].map(Some));
    assert_eq!(decided(FOUR_NODES, &[], 3, 4, Some(2)).threads, Some(1));
}

#[test]
fn ranks_that_outnumber_processors_are_crowded() {
    let crowded = |of, quota| decided(FOUR_NODES, &[], 0, of, quota).is_crowded;
    assert_eq!([crowded(16, None), crowded(17, None)], [false, true]);
    assert_eq!([crowded(4, Some(4)), crowded(4, Some(3))], [false, true]);
}

#[test]
fn a_share_is_told_in_words() {
    let share = decided(FOUR_NODES, &[], 1, 4, None);
    let expected =
        "rank 1 of 4 on this machine: processors 4-7; 4 threads unless it asks for others";
    assert_eq!(share.to_string(), expected);
    let share = decided(FOUR_NODES, &[("OMP_PLACES", "{0}")], 0, 2, None);
    assert!(
        share.to_string().ends_with("not divided, because its places name processors"),
        "{share}"
    );
    let share = decided(FOUR_NODES, &[], 0, 32, None);
    let expected = "; waiting threads sleep at once, as ranks outnumber processors";
    assert!(share.to_string().ends_with(expected), "{share}");
}
