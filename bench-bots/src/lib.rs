//! The driver of the benchmarks: it builds programs, runs them on several runtimes and compares.
//!
//! Terms. A **program** is one executable built from `programs/`. A **workload** is a program with
//! arguments, or one measure of the overheads program. A **contender** is a compiler and a runtime
//! library to run a workload on. A **peer** is a contender on a stock runtime. A **series** holds
//! the samples of one workload at one number of threads on one contender.
//!
//! Runs are interleaved: every contender runs once before any runs a second time, so that a machine
//! that slows down meanwhile slows all of them down. Medians are compared, with the spread beside.
//!
//! | module | what it does |
//! |---|---|
//! | [`options`] | the command line |
//! | [`catalogue`] | the programs, whose sources are part of this library, and the workloads |
//! | [`opencl`] | the OpenCL workloads |
//! | [`contender`] | compilers and runtimes |
//! | [`entrant`] | the contenders that take part, their libraries and environment |
//! | [`compile`] | builds programs |
//! | [`launch`] | runs one process, with a time limit |
//! | [`line`] | reads the line of results a program prints |
//! | [`measure`] | the interleaved runs |
//! | [`statistics`] | medians, spreads, means of ratios |
//! | [`report`], [`record`], [`page`], [`picture`] | the table, the JSON file, the page with charts, the drawing |
//!
//! Deliberately not here: thresholds. The driver says what was measured; `results/` judges it.

pub mod catalogue;
pub mod compile;
pub mod contender;
pub mod entrant;
pub mod launch;
pub mod line;
pub mod measure;
pub mod opencl;
pub mod options;
pub mod page;
pub mod picture;
pub mod record;
pub mod report;
pub mod statistics;

use std::process::ExitCode;

pub use options::Options;

/// Why the driver could not do what it was asked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The command line asks for something that does not exist.
    Usage(String),
    /// A compiler, a library or a place to write is missing, or a program does not build.
    Setup(String),
}

/// Every measurement was taken and every result was right.
pub const EXIT_OK: u8 = 0;
/// A program failed, ran out of time or gave a wrong result; the rest was measured.
pub const EXIT_WRONG: u8 = 1;
/// The command line was not understood.
pub const EXIT_USAGE: u8 = 2;
/// Something needed is missing or does not build; nothing was measured.
pub const EXIT_SETUP: u8 = 3;

/// Does what `vicinity bench` and `vicinity-bench` do: measures, prints, records.
pub fn run(options: &Options) -> ExitCode {
    let outcome = if options.list {
        print!("{}", catalogue::listing());
        Ok(EXIT_OK)
    } else {
        bench(options)
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(Failure::Usage(text)) => {
            eprintln!("bench: {text}");
            ExitCode::from(EXIT_USAGE)
        }
        Err(Failure::Setup(text)) => {
            eprintln!("bench: {text}");
            ExitCode::from(EXIT_SETUP)
        }
    }
}

fn bench(options: &Options) -> Result<u8, Failure> {
    let plan = options.plan()?;
    let workloads = catalogue::workloads(&plan)?;
    let contenders = entrant::choose(options, &workloads)?;
    let prepared = measure::prepare(&plan, &workloads, &contenders)?;
    let load_before = record::load_average();
    if let Some(load) = load_before.filter(|&load| load > 0.5) {
        eprintln!("bench: something else is running here (load {load:.1}): expect spread");
    }
    let series = measure::measure(&plan, &workloads, &prepared);
    let results = report::compare(&workloads, &series);
    print!("{}", report::table(plan.clock, &results));
    if let Some(path) = &options.json {
        record::write(path, &plan, &prepared, load_before, &results)?;
        eprintln!("bench: wrote {}", path.display());
    }
    if let Some(path) = &options.report {
        page::write(path, &plan, &results)?;
        eprintln!("bench: wrote {}", path.display());
    }
    if let Some(path) = &options.picture {
        picture::write(path, &results)?;
        eprintln!("bench: wrote {}", path.display());
    }
    let failures = results.iter().filter(|result| result.failure.is_some()).count();
    if failures > 0 {
        eprintln!("bench: {failures} of {} series failed, see above", results.len());
    }
    Ok(if failures == 0 { EXIT_OK } else { EXIT_WRONG })
}
