//! The demonstration's tables: the same programs there, where their users run them today, and here.

use vicinity_bench::catalogue::Workload;
use vicinity_bench::contender::Contender;
use vicinity_bench::measure::Series;
use vicinity_bench::statistics::summarize;

/// What the runs of one program on one runtime say, as medians.
struct Cell {
    seconds: f64,
    tasks: f64,
}

/// A line for each program, number of threads and compiler: both runtimes side by side.
pub fn openmp(workloads: &[Workload], series: &[Series]) -> String {
    let mut text = format!(
        "\n{:<10}{:>8}{:>10}  {:<14}{:>11}{:>10}  {:>11}{:>10}  {:>9}\n",
        "program",
        "threads",
        "tasks",
        "built for",
        "there, ms",
        "ns/task",
        "here, ms",
        "ns/task",
        "faster"
    );
    for ours in series.iter().filter(|one| one.contender.is_vicinity()) {
        let Some(peer) = ours.contender.own_peer() else { continue };
        let theirs = series.iter().find(|one| {
            (one.contender, one.workload, one.threads) == (peer, ours.workload, ours.threads)
        });
        text += &line(workloads[ours.workload].name, peer, theirs.and_then(cell), ours);
    }
    text
}

fn line(name: &str, peer: Contender, there: Option<Cell>, ours: &Series) -> String {
    let here = cell(ours);
    let tasks = here.as_ref().or(there.as_ref()).map_or(0.0, |cell| cell.tasks);
    let faster = match (&there, &here) {
        (Some(there), Some(here)) => format!("{:.2} x", there.seconds / here.seconds),
        _ => "-".to_string(),
    };
    format!(
        "{name:<10}{:>8}{tasks:>10.0}  {:<14}{}  {}  {faster:>9}\n",
        ours.threads,
        peer.name(),
        shown(there.as_ref()),
        shown(here.as_ref())
    )
}

fn shown(cell: Option<&Cell>) -> String {
    let Some(Cell { seconds, tasks }) = cell else {
        return format!("{:>11}{:>10}", "failed", "-");
    };
    format!("{:>11.2}{:>10.1}", seconds * 1e3, seconds * 1e9 / tasks.max(1.0))
}

fn cell(series: &Series) -> Option<Cell> {
    if series.failure.is_some() {
        return None;
    }
    let median = |key: &str| {
        let values =
            series.samples.iter().filter_map(|sample| sample.fields.get(key)?.parse().ok());
        summarize(&values.collect::<Vec<f64>>()).map(|summary| summary.median)
    };
    Some(Cell { seconds: median("seconds")?, tasks: median("tasks")? })
}

/// A line for each kernel and number of threads: PoCL and Vicinity side by side.
pub fn opencl(workloads: &[Workload], series: &[Series]) -> String {
    let mut text = format!(
        "\n{:<16}{:>8}{:>11}{:>11}  {:>9}\n",
        "kernel", "threads", "there, ms", "here, ms", "faster"
    );
    let of = |contender| series.iter().filter(move |one| one.contender == contender);
    for ours in of(Contender::VicinityOpencl) {
        let same = |one: &&Series| (one.workload, one.threads) == (ours.workload, ours.threads);
        let (there, here) = (of(Contender::Pocl).find(same).and_then(value), value(ours));
        let faster = match (there, here) {
            (Some(there), Some(here)) => format!("{:.2} x", there / here),
            _ => "-".to_string(),
        };
        let shown = |ms: Option<f64>| ms.map_or("-".to_string(), |ms| format!("{ms:.2}"));
        let name = workloads[ours.workload].name;
        text += &format!(
            "{name:<16}{:>8}{:>11}{:>11}  {faster:>9}\n",
            ours.threads,
            shown(there),
            shown(here)
        );
    }
    text
}

/// The median of what was measured.
fn value(series: &Series) -> Option<f64> {
    let values: Vec<f64> = series.samples.iter().map(|sample| sample.value).collect();
    if series.failure.is_some() { None } else { Some(summarize(&values)?.median) }
}
