//! Tests of the comparison and the table.

use std::collections::BTreeMap;

use super::*;
use crate::measure::Sample;
use crate::options::{Options, Plan};
use clap::Parser;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
}

fn workloads() -> Vec<Workload> {
    let words = ["bench", "--programs", "fib,sort"];
    let plan: Plan = Cli::parse_from(words).options.plan().expect("a plan");
    crate::catalogue::workloads(&plan).expect("two workloads")
}

fn series(workload: usize, threads: usize, contender: Contender, values: &[f64]) -> Series {
    let sample = |&value: &f64| Sample { value, fields: BTreeMap::new() };
    let samples = values.iter().map(sample).collect();
    Series { workload, threads, contender, setting: None, samples, failure: None }
}

#[test]
fn ratios_are_to_the_better_and_to_the_own_peer() {
    let all = [
        series(0, 1, Contender::GccLibgomp, &[80.0]),
        series(0, 1, Contender::ClangLibomp, &[40.0]),
        series(0, 1, Contender::VicinityGcc, &[10.0, 30.0, 20.0]),
    ];
    let results = compare(&workloads(), &all);
    assert_eq!(results[2].to_better_peer, Some(0.5));
    assert_eq!(results[2].to_own_peer, Some(0.25));
    assert_eq!(results[0].to_better_peer, None);
}

#[test]
fn speed_up_is_over_the_fewest_threads_of_the_same_contender() {
    let all = [
        series(0, 2, Contender::VicinityGcc, &[50.0]),
        series(0, 1, Contender::VicinityGcc, &[90.0]),
        series(0, 1, Contender::GccLibgomp, &[10.0]),
    ];
    let results = compare(&workloads(), &all);
    assert_eq!(results[0].speed_up, Some(1.8));
    assert_eq!(results[1].speed_up, None);
}

#[test]
fn settings_of_one_contender_are_apart() {
    let with = |setting: &str, threads, value| Series {
        setting: Some(setting.into()),
        ..series(0, threads, Contender::VicinityGcc, &[value])
    };
    let all = [with("locality", 1, 80.0), with("central", 1, 10.0), with("locality", 2, 40.0)];
    let results = compare(&workloads(), &all);
    assert_eq!(results[2].speed_up, Some(2.0));
    assert!(table(Clock::Wall, &results).contains("vicinity-gcc central"));
}

#[test]
fn other_workloads_do_not_matter() {
    let all = [
        series(0, 1, Contender::GccLibgomp, &[1.0]),
        series(1, 1, Contender::VicinityGcc, &[10.0]),
    ];
    assert_eq!(compare(&workloads(), &all)[1].to_better_peer, None);
}

#[test]
fn a_failed_series_is_a_line_of_its_own() {
    let mut failed = series(0, 1, Contender::GccLibgomp, &[]);
    failed.failure = Some("fib ended".into());
    let text = table(Clock::Wall, &compare(&workloads(), &[failed]));
    assert!(text.contains("failed"), "{text}");
}

#[test]
fn programs_are_averaged_geometrically() {
    let all = [
        series(0, 1, Contender::GccLibgomp, &[10.0]),
        series(0, 1, Contender::VicinityGcc, &[5.0]),
        series(1, 1, Contender::GccLibgomp, &[10.0]),
        series(1, 1, Contender::VicinityGcc, &[20.0]),
    ];
    // fib and sort differ in unit, so there is no mean of the two.
    assert_eq!(means(&compare(&workloads(), &all)), "");
    let mut same = workloads();
    same[1].unit = same[0].unit;
    assert!(means(&compare(&same, &all)).contains("/better 1.000"));
}
