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
pub mod rounds;
pub mod statistics;

use clap::Parser;
use vicinity_output::{
    EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_WRONG, Unwritten, exit_status, print, tell,
};

pub use options::Options;

/// What belongs at the end of its help.
pub const HELP: &str = concat!(
    "All programs run with OMP_NUM_THREADS set; other OMP_, GOMP_, KMP_ and VICINITY_ variables are passed on and recorded.\n\n",
    exit_status!(
        "0    everything was measured, and every result was right"
        "1    a program failed, ran out of time or gave a wrong result; the rest was measured";
    )
);

/// Why the driver could not do what it was asked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The command line asks for something that does not exist.
    Usage(String),
    /// A compiler, a library or a place to write is missing, or a program does not build.
    Setup(String),
    /// Nobody takes what it prints.
    Output(Unwritten),
}

impl Failure {
    pub fn status(&self) -> u8 {
        match self {
            Failure::Usage(_) => EXIT_USAGE,
            Failure::Setup(_) => EXIT_FAILED,
            Failure::Output(unwritten) => unwritten.status(),
        }
    }

    /// One line for the user, where there is anything to say.
    pub fn text(&self) -> Option<String> {
        match self {
            Failure::Usage(text) | Failure::Setup(text) => Some(text.clone()),
            Failure::Output(unwritten) => unwritten.text(),
        }
    }

    /// Says it in the name of `program`; the status to end with.
    pub fn report(&self, program: &str) -> u8 {
        if let Some(text) = self.text() {
            tell(format!("{program}: {text}"));
        }
        self.status()
    }
}

impl From<Unwritten> for Failure {
    fn from(unwritten: Unwritten) -> Failure {
        Failure::Output(unwritten)
    }
}

/// The command line of a program; or what it ends with, once help, version or what is wrong are printed.
pub fn parse<T: Parser>(program: &str) -> Result<T, u8> {
    T::try_parse().map_err(|told| {
        if told.use_stderr() {
            // Where standard error takes nothing there is nobody left to be told.
            let _ = told.print();
            return EXIT_USAGE;
        }
        let printed = told.print().map_err(|error| Unwritten::from(&error));
        let printed = printed.and_then(|()| print(""));
        printed.map_or_else(|unwritten| Failure::from(unwritten).report(program), |()| EXIT_DONE)
    })
}

/// Does what `vicinity bench` and `vicinity-bench` do: measures, prints, records. The status to end with.
pub fn run(options: &Options) -> Result<u8, Failure> {
    if options.list {
        print(&catalogue::listing())?;
        return Ok(EXIT_DONE);
    }
    bench(options)
}

/// What was measured, and how.
pub struct Measured {
    pub plan: options::Plan,
    pub prepared: measure::Prepared,
    /// Runnable threads of the minute before the first run.
    pub load_before: Option<f64>,
    pub results: Vec<report::Compared>,
}

/// Measures, and says on standard error how far it is.
pub fn measured(options: &Options) -> Result<Measured, Failure> {
    let plan = options.plan()?;
    let workloads = catalogue::workloads(&plan)?;
    let contenders = entrant::choose(options, &workloads)?;
    let prepared = measure::prepare(&plan, &workloads, &contenders)?;
    let load_before = record::load_average();
    if let Some(load) = load_before.filter(|&load| load > 0.5) {
        tell(format!("bench: something else is running here (load {load:.1}): expect spread"));
    }
    let series = measure::measure(&plan, &workloads, &prepared);
    let results = report::compare(&workloads, &series);
    Ok(Measured { plan, prepared, load_before, results })
}

fn bench(options: &Options) -> Result<u8, Failure> {
    let Measured { plan, prepared, load_before, results } = measured(options)?;
    print(&report::table(plan.clock, &results))?;
    if let Some(path) = &options.json {
        record::write(path, &plan, &prepared, load_before, &results)?;
        tell(format!("bench: wrote {}", path.display()));
    }
    if let Some(path) = &options.report {
        page::write(path, &plan, &results)?;
        tell(format!("bench: wrote {}", path.display()));
    }
    if let Some(path) = &options.picture {
        picture::write(path, &results)?;
        tell(format!("bench: wrote {}", path.display()));
    }
    let failures = results.iter().filter(|result| result.failure.is_some()).count();
    if failures > 0 {
        tell(format!("bench: {failures} of {} series failed, see above", results.len()));
    }
    Ok(if failures == 0 { EXIT_DONE } else { EXIT_WRONG })
}
