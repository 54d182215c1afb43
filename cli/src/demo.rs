//! `vicinity demo`: the same executables on the runtime they were built for and on Vicinity.
//!
//! A task program in C that sorts, one that decomposes a sparse matrix, and a Fortran one. Each run
//! checks its own result; a wrong one ends the comparison with a failure.

use std::process::ExitCode;

use clap::Args;
use vicinity_bench::catalogue::{self, Workload};
use vicinity_bench::contender::{self, Contender};
use vicinity_bench::measure::{self, Series};
use vicinity_bench::statistics::summarize;
use vicinity_bench::{EXIT_OK, EXIT_WRONG, Failure as BenchFailure, Options};

use crate::failure::Failure;

/// Sorting and sparse LU decomposition in C, heat conduction in Fortran.
const PROGRAMS: [&str; 3] = ["sort", "sparselu", "heat"];

#[derive(Args)]
pub struct Demo {
    #[command(flatten)]
    options: Options,
}

/// What the runs of one program on one runtime say, as medians.
struct Cell {
    seconds: f64,
    tasks: f64,
}

impl Demo {
    /// Builds, runs, prints the table.
    pub fn execute(mut self) -> Result<ExitCode, Failure> {
        if self.options.programs.is_empty() {
            self.options.programs = PROGRAMS.map(str::to_string).to_vec();
        }
        let (workloads, series) = measure(&self.options).map_err(|failure| match failure {
            BenchFailure::Usage(text) | BenchFailure::Setup(text) => Failure::own(text),
        })?;
        print!("{}", table(&workloads, &series));
        // The driver has said what went wrong as it happened.
        let right = series.iter().all(|one| one.failure.is_none());
        if right {
            println!("\nEvery run checked its own result: all are right.");
        }
        Ok(ExitCode::from(if right { EXIT_OK } else { EXIT_WRONG }))
    }
}

fn measure(options: &Options) -> Result<(Vec<Workload>, Vec<Series>), BenchFailure> {
    let plan = options.plan()?;
    let workloads = catalogue::workloads(&plan)?;
    let entrants = contender::choose(options, &workloads)?;
    let prepared = measure::prepare(&plan, &workloads, &entrants)?;
    let series = measure::measure(&plan, &workloads, &prepared);
    Ok((workloads, series))
}

/// A line for each program, number of threads and compiler: both runtimes side by side.
fn table(workloads: &[Workload], series: &[Series]) -> String {
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
