//! Programs under all settings, beside the stock runtimes, and what the simulator says of the same work: the paper's programs of
//! tasks, under each scheduler and distribution, and loops over memory that the first thread touches, under each distribution.

use std::path::{Path, PathBuf};

use vicinity_bench::contender::Contender;
use vicinity_bench::options::{Class, Memory, Options, Suite, Vary};
use vicinity_bench::report::Compared;
use vicinity_output::tell;
use vicinity_policy::distribution::Distribution;
use vicinity_sim::machine::Machine;
use vicinity_sim::trace::Trace;
use vicinity_sim::trace::analysis::Analysis;

use super::file::{Program, Run};
use super::predict;
use crate::failure::Failure;
use crate::timeline;

const SCHEDULERS: [&str; 3] = ["locality", "workstealing", "central"];
const REPEAT: usize = 3;

/// A kind of programs, and how they are run.
struct Kind {
    suite: Suite,
    /// By which the runtime's decisions are varied.
    settings: Vec<Vary>,
    /// In which one run is recorded.
    recorded: &'static str,
    predict: fn(&mut Program, (Trace, Analysis), &Machine),
}

/// Runs everything; `quick` takes the smallest inputs, whose figures say little. Also whether every program ran.
pub fn measure(machine: &Machine, quick: bool) -> Result<(Vec<Program>, bool), Failure> {
    let (mut programs, mut all_ran) = (Vec::new(), true);
    for kind in [tasks(), sweeps()] {
        let (of_kind, ran) = of_kind(&kind, machine, quick)?;
        programs.extend(of_kind);
        all_ran &= ran;
    }
    Ok((programs, all_ran))
}

/// What is simulated is one recorded run. With coarse distribution each allocation is at one location, so the trace knows where
/// data is, block by block.
fn tasks() -> Kind {
    let settings = vec![vary("VICINITY_SCHEDULER", &SCHEDULERS), distributions()];
    Kind { suite: Suite::Paper, settings, recorded: "coarse", predict: predict::tasks }
}

fn sweeps() -> Kind {
    let settings = vec![distributions()];
    Kind { suite: Suite::Sweeps, settings, recorded: "standard", predict: predict::sweeps }
}

fn distributions() -> Vary {
    let every: Vec<&str> = Distribution::WORDS.iter().map(|known| known.0).collect();
    vary("OMP_DATA_DISTRIBUTION", &every)
}

fn vary(name: &str, values: &[&str]) -> Vary {
    let values = values.iter().map(|&value| value.to_string()).collect();
    Vary { name: name.to_string(), values }
}

fn of_kind(kind: &Kind, machine: &Machine, quick: bool) -> Result<(Vec<Program>, bool), Failure> {
    let options = options(kind, quick);
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
    for program in &mut programs {
        tell(format!("survey: {}: recorded and simulated", program.name));
        match record(program, kind, &options) {
            Ok(trace) => (kind.predict)(program, trace, machine),
            Err(failure) => _ = failure.report(),
        }
    }
    Ok((programs, all_ran))
}

fn options(kind: &Kind, quick: bool) -> Options {
    Options {
        suite: Some(kind.suite),
        threads: vec![std::thread::available_parallelism().map_or(1, usize::from)],
        repeat: if quick { 1 } else { REPEAT },
        class: if quick { Class::Test } else { Class::Medium },
        memory: Memory::OmpMalloc,
        against: vec![Contender::GccLibgomp, Contender::ClangLibomp, Contender::VicinityGcc],
        vary: kind.settings.clone(),
        ..Options::default()
    }
}

/// Settings are words in the order of `Kind::settings`; the distribution is the last.
fn run(result: &Compared) -> Run {
    let words: Vec<&str> = result.setting.as_deref().unwrap_or_default().split(' ').collect();
    let scheduler = if words.len() > 1 { words.first() } else { None };
    let distribution = words.last().filter(|word| !word.is_empty());
    Run {
        contender: result.contender.name().to_string(),
        scheduler: scheduler.map(ToString::to_string),
        distribution: distribution.map(ToString::to_string),
        median_ms: result.summary.map(|summary| summary.median),
        least_ms: result.summary.map(|summary| summary.min),
        most_ms: result.summary.map(|summary| summary.max),
        simulated_ms: None,
    }
}

/// A run of a program, with what its trace tells.
fn record(program: &Program, kind: &Kind, options: &Options) -> Result<(Trace, Analysis), Failure> {
    let file = TraceFile::new();
    vicinity_bench::measured(&Options {
        programs: vec![program.name.clone()],
        repeat: 1,
        against: vec![Contender::VicinityGcc],
        vary: vec![
            vary("VICINITY_TRACE", &[&file.0.to_string_lossy()]),
            vary("VICINITY_TRACE_MEMORY", &["on"]),
            vary("OMP_DATA_DISTRIBUTION", &[kind.recorded]),
        ],
        ..options.clone()
    })?;
    timeline::read(&file.0)
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
