//! The paper's programs under all settings, beside the stock runtimes, and what the simulator says of the same tasks.
//!
//! What is simulated is one recorded run. It was recorded with coarse distribution: each allocation is at one location then, so the
//! trace knows where data is, block by block.

use std::path::{Path, PathBuf};

use vicinity_bench::contender::Contender;
use vicinity_bench::options::{Class, Memory, Options, Suite, Vary};
use vicinity_bench::report::Compared;
use vicinity_output::tell;
use vicinity_policy::distribution::Distribution;
use vicinity_policy::scheduler::Scheduler;
use vicinity_policy::topology::LocationId;
use vicinity_sim::engine::{Setup, simulate};
use vicinity_sim::machine::Machine;
use vicinity_sim::recorded;

use super::file::{Program, Run};
use crate::failure::Failure;
use crate::timeline;

const SCHEDULERS: [&str; 3] = ["locality", "workstealing", "central"];
const DISTRIBUTIONS: [&str; 3] = ["standard", "fine", "coarse"];
const REPEAT: usize = 3;

/// Runs everything; `quick` takes the smallest inputs, whose figures say little. Also whether every program ran.
pub fn measure(machine: &Machine, quick: bool) -> Result<(Vec<Program>, bool), Failure> {
    let options = options(quick);
    let measured = vicinity_bench::measured(&options)?;
    let all_ran = measured.results.iter().all(|result| result.failure.is_none());
    let mut programs: Vec<Program> = Vec::new();
    for result in &measured.results {
        if programs.last().is_none_or(|program| program.name != result.name) {
            let (name, threads) = (result.name.to_string(), result.threads);
            programs.push(Program { name, threads, runs: Vec::new() });
        }
        programs.last_mut().expect("just pushed").runs.push(run(result));
    }
    programs.iter_mut().for_each(|program| predict(program, machine, &options));
    Ok((programs, all_ran))
}

fn options(quick: bool) -> Options {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let vary = |name: &str, values: &[&str]| Vary {
        name: name.to_string(),
        values: values.iter().map(|&value| value.to_string()).collect(),
    };
    Options {
        suite: Some(Suite::Paper),
        threads: vec![processors],
        repeat: if quick { 1 } else { REPEAT },
        class: if quick { Class::Test } else { Class::Medium },
        memory: Memory::OmpMalloc,
        against: vec![Contender::GccLibgomp, Contender::ClangLibomp, Contender::VicinityGcc],
        vary: vec![
            vary("VICINITY_SCHEDULER", &SCHEDULERS),
            vary("OMP_DATA_DISTRIBUTION", &DISTRIBUTIONS),
        ],
        ..Options::default()
    }
}

fn run(result: &Compared) -> Run {
    let setting = result.setting.as_deref().and_then(|setting| setting.split_once(' '));
    Run {
        contender: result.contender.name().to_string(),
        scheduler: setting.map(|(scheduler, _)| scheduler.to_string()),
        distribution: setting.map(|(_, distribution)| distribution.to_string()),
        median_ms: result.summary.map(|summary| summary.median),
        least_ms: result.summary.map(|summary| summary.min),
        most_ms: result.summary.map(|summary| summary.max),
        simulated_ms: None,
    }
}

/// Records a run, and simulates it with each scheduler and distribution.
fn predict(program: &mut Program, machine: &Machine, options: &Options) {
    tell(format!("survey: {}: recorded and simulated", program.name));
    let file = TraceFile::new();
    let vary = |name: &str, value: &str| Vary { name: name.into(), values: vec![value.into()] };
    let traced = vicinity_bench::measured(&Options {
        programs: vec![program.name.clone()],
        repeat: 1,
        against: vec![Contender::VicinityGcc],
        vary: vec![
            vary("VICINITY_TRACE", &file.0.to_string_lossy()),
            vary("OMP_DATA_DISTRIBUTION", "coarse"),
        ],
        ..options.clone()
    });
    let read = traced.map_err(Failure::from).and_then(|_| timeline::read(&file.0));
    let Ok((trace, _)) = read.inspect_err(|failure| _ = failure.report()) else { return };
    let as_recorded = recorded::program(&trace, machine);
    // The first thread fills all arrays, so by first touch they are where it is.
    let at_one = recorded::program_with_data(&trace, machine, Some(LocationId(0)));
    let distributions = [
        ("standard", Distribution::Standard, &at_one),
        ("fine", Distribution::Fine, &as_recorded),
        ("coarse", Distribution::Coarse, &as_recorded),
    ];
    for run in &mut program.runs {
        let scheduler = Scheduler::WORDS.iter().find(|it| run.scheduler.as_deref() == Some(it.0));
        let distribution =
            distributions.iter().find(|it| run.distribution.as_deref() == Some(it.0));
        let Some((scheduler, distribution)) = scheduler.zip(distribution) else { continue };
        let setup = Setup::new(machine, distribution.2, scheduler.1, distribution.1);
        let simulated = simulate(&setup).ok();
        run.simulated_ms = simulated.map(|(outcome, _)| outcome.makespan_ps as f64 / 1e9);
    }
}

/// A trace that is there for a while.
struct TraceFile(PathBuf);

impl TraceFile {
    fn new() -> TraceFile {
        let name = format!("vicinity-survey-{}.json", std::process::id());
        TraceFile(Path::new(&std::env::temp_dir()).join(name))
    }
}

impl Drop for TraceFile {
    fn drop(&mut self) {
        // If it was not written, that was said.
        let _ = std::fs::remove_file(&self.0);
    }
}
