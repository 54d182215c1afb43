//! The measurement: programs built first, then runs interleaved over contenders.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use vicinity_output::tell;

use crate::Failure;
use crate::catalogue::{BUSY, FIB_TBB, Program, Unit, Workload};
use crate::compile;
use crate::contender::{Contender, Family};
use crate::entrant::Entrant;
use crate::launch::{self, Company};
use crate::line::Line;
use crate::opencl;
use crate::options::{Clock, Memory, Plan, Suite};
use crate::statistics::summarize;

/// Everything that is needed before the first clock starts.
#[derive(Debug)]
pub struct Prepared {
    pub entrants: Vec<Entrant>,
    /// The OpenMP library each contender was seen to load.
    pub libraries: BTreeMap<Contender, PathBuf>,
    programs: BTreeMap<(&'static str, Family), PathBuf>,
    busy: Option<PathBuf>,
}

impl Prepared {
    /// What runs `workload` for a contender; `None` where it has nothing to run it with.
    fn executable<'a>(&'a self, workload: &Workload, entrant: &'a Entrant) -> Option<&'a Path> {
        match entrant.contender.family() {
            Some(family) => {
                self.programs.get(&(workload.program.name, family)).map(PathBuf::as_path)
            }
            None if workload.name == "fib" => entrant.executable.as_deref(),
            None => None,
        }
    }
}

/// One run, or the median of several short ones.
#[derive(Debug, Clone)]
pub struct Sample {
    pub value: f64,
    pub fields: BTreeMap<String, String>,
}

/// The samples of one workload, number of threads and contender.
#[derive(Debug, Clone)]
pub struct Series {
    /// Index into the workloads.
    pub workload: usize,
    pub threads: usize,
    pub contender: Contender,
    /// The values of the variables that vary ([`Entrant::setting`]).
    pub setting: Option<String>,
    pub samples: Vec<Sample>,
    /// Why there are no more samples.
    pub failure: Option<String>,
}

/// Builds what the workloads need and checks which libraries are loaded.
pub fn prepare(
    plan: &Plan,
    workloads: &[Workload],
    entrants: &[Entrant],
) -> Result<Prepared, Failure> {
    let folder = build_folder(&plan.build_dir)?;
    let mut families: Vec<Family> = entrants.iter().filter_map(|e| e.contender.family()).collect();
    families.sort();
    families.dedup();
    let mut programs = BTreeMap::new();
    for family in families {
        for workload in workloads {
            let Program { name, .. } = workload.program;
            let Some(program) = equivalent(&workload.program, family) else { continue };
            if programs.contains_key(&(name, family)) {
                continue;
            }
            match compile::build(&program, family, plan.cut, &folder) {
                Ok(Some(path)) => _ = programs.insert((name, family), path),
                Ok(None) => {}
                // What it links may not be installed; the others can still be measured.
                Err(Failure::Setup(why)) if !program.libraries.is_empty() => {
                    tell(format!("bench: without {why}"));
                }
                Err(failure) => return Err(failure),
            }
        }
    }
    let busy = match plan.busy {
        0 => None,
        _ => compile::build(&BUSY, Family::Gcc, plan.cut, &folder)?,
    };
    let mut prepared =
        Prepared { entrants: entrants.to_vec(), libraries: BTreeMap::new(), programs, busy };
    for entrant in entrants {
        let some_program = workloads.iter().find_map(|w| prepared.executable(w, entrant));
        if let Some(program) = some_program.map(Path::to_path_buf) {
            let library = entrant
                .resolve_library(&program)
                .map_err(|why| Failure::Setup(format!("{}: {why}", entrant.contender.name())))?;
            prepared.libraries.insert(entrant.contender, library);
        }
    }
    Ok(prepared)
}

/// What a family runs for a program: the program itself, or one in terms of another library.
fn equivalent(program: &Program, family: Family) -> Option<Program> {
    match family {
        Family::Gcc | Family::Clang | Family::OpenCl => Some(*program),
        Family::Tbb => (program.name == FIB_TBB.name).then_some(FIB_TBB),
        Family::KernelsGcc | Family::KernelsClang => opencl::in_c(program),
    }
}

fn build_folder(path: &Path) -> Result<PathBuf, Failure> {
    fs::create_dir_all(path)
        .and_then(|()| path.canonicalize())
        .map_err(|error| Failure::Setup(format!("cannot build in {}: {error}", path.display())))
}

/// Takes all samples. Failures end a series and are kept in it.
pub fn measure(plan: &Plan, workloads: &[Workload], prepared: &Prepared) -> Vec<Series> {
    let _company = company(plan, prepared);
    let mut all = Vec::new();
    let steps = workloads.len() * plan.threads.len();
    for (index, workload) in workloads.iter().enumerate() {
        for (turn, &threads) in plan.threads.iter().enumerate() {
            let step = index * plan.threads.len() + turn + 1;
            tell(format!("bench: {step} of {steps}: {}, {}", workload.name, threads_word(threads)));
            all.extend(interleave(plan, workload, index, threads, prepared));
        }
    }
    all
}

/// A number of threads in words.
pub fn threads_word(threads: usize) -> String {
    if threads == 1 { "1 thread".into() } else { format!("{threads} threads") }
}

fn company(plan: &Plan, prepared: &Prepared) -> Option<Company> {
    let program = prepared.busy.as_deref()?;
    match Company::start(program, plan.busy) {
        Ok(company) => Some(company),
        Err(error) => {
            tell(format!("bench: measuring without busy processes: {error}"));
            None
        }
    }
}

/// All runs of one workload at one number of threads. Who begins a round changes with each round.
fn interleave(
    plan: &Plan,
    workload: &Workload,
    index: usize,
    threads: usize,
    prepared: &Prepared,
) -> Vec<Series> {
    let mut runners: Vec<(&Entrant, &Path, Series)> = prepared
        .entrants
        .iter()
        .filter_map(|entrant| Some((entrant, prepared.executable(workload, entrant)?)))
        .map(|(entrant, program)| {
            let contender = entrant.contender;
            let setting = entrant.setting();
            let samples = Vec::new();
            let series =
                Series { workload: index, threads, contender, setting, samples, failure: None };
            (entrant, program, series)
        })
        .collect();
    let count = runners.len();
    let uncounted = uncounted(workload);
    for round in 0..uncounted + plan.repeat {
        for place in 0..count {
            let (entrant, program, series) = &mut runners[(round + place) % count];
            if series.failure.is_some() {
                continue;
            }
            match sample(plan, workload, threads, entrant, program) {
                Ok(_) if round < uncounted => {}
                Ok(sample) => series.samples.push(sample),
                Err(why) => {
                    let who = entrant.contender.name();
                    let name = workload.name;
                    let failure = format!("{name} on {who}, {}: {why}", threads_word(threads));
                    tell(format!("bench: {failure}"));
                    series.failure = Some(failure);
                }
            }
        }
    }
    runners.into_iter().map(|(_, _, series)| series).collect()
}

/// Rounds before those that count: drivers of OpenCL keep what they made of kernels for later processes.
fn uncounted(workload: &Workload) -> usize {
    usize::from(matches!(workload.suite, Suite::Opencl | Suite::Fresh))
}

fn sample(
    plan: &Plan,
    workload: &Workload,
    threads: usize,
    entrant: &Entrant,
    program: &Path,
) -> Result<Sample, String> {
    let mut values = Vec::new();
    let mut fields = BTreeMap::new();
    for _ in 0..workload.runs_per_sample {
        let mut command = entrant.command(program, threads);
        command.args(&workload.arguments);
        if plan.memory == Memory::OmpMalloc
            && workload.program.places
            && entrant.contender.is_vicinity()
        {
            command.args(["--memory", "omp_malloc"]);
        }
        let finished = launch::run(command, plan.limit)?;
        if workload.unit == Unit::ProcessMilliseconds {
            values.push(finished.wall.as_secs_f64() * 1e3);
            continue;
        }
        let line = Line::find(&finished.stdout)?;
        values.push(value_of(&line, workload.unit, plan.clock)?);
        fields = line.fields;
    }
    let value = summarize(&values).map(|summary| summary.median).ok_or("was not run")?;
    Ok(Sample { value, fields })
}

/// The value that `unit` is about. Costs are printed by the wall clock; the processor time is the same
/// part of the cost as it is of the time.
fn value_of(line: &Line, unit: Unit, clock: Clock) -> Result<f64, String> {
    let wall = match unit {
        Unit::NanosecondsPerTask => line.number("ns_per_task")?,
        Unit::NanosecondsPerOperation => line.number("ns_per_op")?,
        Unit::Milliseconds | Unit::ProcessMilliseconds => line.number("seconds")? * 1e3,
    };
    match clock {
        Clock::Wall => Ok(wall),
        Clock::Cpu => match line.number("seconds")? {
            0.0 => Err("took no time that a clock can see".into()),
            seconds => Ok(wall * line.number("cpu_seconds")? / seconds),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str =
        "name=fib tasks=1000 seconds=0.000002 cpu_seconds=0.000001 ns_per_task=2 result=ok";

    #[test]
    fn both_clocks_are_understood() {
        let line = Line::find(LINE).expect("a line");
        assert_eq!(value_of(&line, Unit::NanosecondsPerTask, Clock::Wall), Ok(2.0));
        assert_eq!(value_of(&line, Unit::NanosecondsPerTask, Clock::Cpu), Ok(1.0));
        assert_eq!(value_of(&line, Unit::Milliseconds, Clock::Cpu), Ok(0.001));
    }

    #[test]
    fn a_value_that_is_missing_is_named() {
        let line = Line::find(LINE).expect("a line");
        let error = value_of(&line, Unit::NanosecondsPerOperation, Clock::Wall);
        assert!(error.expect_err("none").contains("ns_per_op"));
    }

    #[test]
    fn one_thread_is_not_two() {
        assert_eq!(threads_word(1), "1 thread");
        assert_eq!(threads_word(8), "8 threads");
    }
}
