//! `vicinity demo`: programs as they are, where their users run them today and on Vicinity.
//!
//! First OpenMP: a task program in C that sorts, one that decomposes a sparse matrix, and a Fortran one, the same executables
//! on the runtime they were built for and on Vicinity. Then OpenCL: three kernels on PoCL, where it is installed, and on
//! Vicinity. Last a timeline of the sorting. Each run checks its own result; a wrong one makes the demonstration fail.

mod table;

use std::path::Path;
use std::process::{Command, Stdio};

use clap::Args;
use vicinity_bench::catalogue::{self, Workload};
use vicinity_bench::contender::Contender;
use vicinity_bench::entrant;
use vicinity_bench::measure::{self, Series};
use vicinity_bench::opencl;
use vicinity_bench::options::Suite;
use vicinity_bench::{Failure as BenchFailure, Options};
use vicinity_output::{EXIT_DONE, EXIT_WRONG, print, tell};

use crate::failure::Failure;

/// Sorting and sparse LU decomposition in C, heat conduction in Fortran.
const PROGRAMS: [&str; 3] = ["sort", "sparselu", "heat"];
/// What is traced.
const TRACED: &str = "sort";
/// A matrix product without tiles, bodies that attract each other, prices of options.
const KERNELS: [&str; 3] = ["matmul_naive", "nbody", "black_scholes"];

#[derive(Args)]
pub struct Demo {
    #[command(flatten)]
    options: Options,
}

impl Demo {
    /// Builds, runs, prints the tables, writes the timeline.
    pub fn execute(mut self) -> Result<u8, Failure> {
        let all = self.options.programs.is_empty();
        if all {
            self.options.programs = PROGRAMS.map(str::to_string).to_vec();
        }
        let mut right = show(&self.options, "OpenMP: the same executables", table::openmp)?;
        if all {
            let kernels = Options {
                programs: KERNELS.map(str::to_string).to_vec(),
                suite: Some(Suite::Opencl),
                against: opencl_contenders(),
                ..self.options.clone()
            };
            right &=
                show(&kernels, "OpenCL: the same kernels on PoCL and on Vicinity", table::opencl)?;
        }
        if right {
            print("\nEvery run checked its own result: all are right.\n")?;
        }
        if all {
            timeline(&self.options.plan()?.build_dir)?;
        }
        Ok(if right { EXIT_DONE } else { EXIT_WRONG })
    }
}

/// Vicinity, and PoCL where it is installed.
fn opencl_contenders() -> Vec<Contender> {
    let mut contenders = vec![Contender::VicinityOpencl];
    match opencl::registered("pocl") {
        Ok(_) => contenders.push(Contender::Pocl),
        Err(why) => tell(format!("demo: without pocl: {why}")),
    }
    contenders
}

/// Measures and prints; whether all results were right. The driver has said what went wrong as it happened.
fn show(
    options: &Options,
    title: &str,
    table: fn(&[Workload], &[Series]) -> String,
) -> Result<bool, Failure> {
    let (workloads, series) = measure(options)?;
    print(&format!("\n{title}\n{}", table(&workloads, &series)))?;
    Ok(series.iter().all(|one| one.failure.is_none()))
}

fn measure(options: &Options) -> Result<(Vec<Workload>, Vec<Series>), BenchFailure> {
    let plan = options.plan()?;
    let workloads = catalogue::workloads(&plan)?;
    let entrants = entrant::choose(options, &workloads)?;
    let prepared = measure::prepare(&plan, &workloads, &entrants)?;
    let series = measure::measure(&plan, &workloads, &prepared);
    Ok((workloads, series))
}

/// Traces the sorting that was built for the first table, and makes a page of it.
fn timeline(folder: &Path) -> Result<(), Failure> {
    let (program, trace, page) =
        (folder.join(format!("{TRACED}.gcc")), folder.join("demo.json"), folder.join("demo.html"));
    if !program.exists() {
        return Ok(());
    }
    let own = std::env::current_exe()
        .map_err(|error| Failure::own(format!("cannot find my own file: {error}")))?;
    let mut run = Command::new(&own);
    run.arg("run").arg("--trace").arg(&trace).arg(&program).args(["--class", "test"]);
    let mut draw = Command::new(&own);
    draw.arg("timeline").arg(&trace).arg("-o").arg(&page);
    for mut step in [run, draw] {
        let status = step.stdout(Stdio::null()).status();
        if !status.is_ok_and(|status| status.success()) {
            return Err(Failure::own(format!("the timeline could not be made: {step:?}")));
        }
    }
    Ok(print(&format!("\nA timeline of {TRACED}, to open in a browser: {}\n", page.display()))?)
}
