//! `vicinity run`: start a program on Vicinity instead of the OpenMP runtime it was linked with.
//!
//! The program and all that it starts find Vicinity by variables of the loader ([`crate::takeover`]). Nothing is preloaded
//! unless memory that nobody placed is to be placed, or tasks are to wait for messages of MPI, so processes that use no OpenMP
//! notice nothing. This process becomes the program: the exit status is the program's own.
//!
//! OpenCL programs find their platforms by vendor files; with `--opencl` the loader is told of ours alone.

use std::env;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, ValueEnum};
use vicinity_output::exit_status;

use crate::advise::apply::apply;
use crate::advise::file::Advice;
use crate::failure::Failure;
use crate::program::{self, Kind, Mpi, Prospect};
use crate::takeover::Takeover;

pub const HELP: &str = concat!(
    "Options of vicinity stand before PROGRAM, and what follows PROGRAM is passed on to it.\n\
     OMP_NUM_THREADS says how many threads it has, as without vicinity (docs/environment.md).\n\n",
    exit_status!(
        ;
        "126  the program was found, and cannot be run on Vicinity"
        "127  the program was not found"
        "else what the program returned"
    )
);

const PLACEMENT: &str = "Placement";
const OBSERVING: &str = "What can be seen";

#[derive(Args)]
pub struct Run {
    /// How ready tasks are assigned to workers [default: VICINITY_SCHEDULER, else locality]
    #[arg(long, value_name = "S", help_heading = PLACEMENT)]
    scheduler: Option<Scheduler>,

    /// Where memory goes: OMP_DATA_DISTRIBUTION (docs/environment.md), and but for standard also for large blocks of
    /// malloc, new and allocate, and for large mappings (docs/locality.md) [default: OMP_DATA_DISTRIBUTION for omp_malloc alone]
    #[arg(long, value_name = "D", help_heading = PLACEMENT)]
    distribution: Option<Distribution>,

    /// What counts as one place for data and queues [default: VICINITY_LOCATIONS, else
    /// numa_domains]
    #[arg(long, value_name = "L", help_heading = PLACEMENT)]
    locations: Option<Locations>,

    /// Do what `vicinity advise -o FILE` wrote. Options of this command, and variables that are set, come first
    /// [default: none]
    #[arg(long, value_name = "FILE", help_heading = PLACEMENT)]
    advice: Option<PathBuf>,

    /// Write a trace of tasks, regions, waits and of who touches which memory to FILE, for `vicinity timeline`,
    /// `vicinity advise`, Perfetto or chrome://tracing; %p in it becomes the process id, and ranks of MPI get names
    /// of their own [default: VICINITY_TRACE, else none]
    #[arg(long, value_name = "FILE", help_heading = OBSERVING)]
    trace: Option<PathBuf>,

    /// Count this of every task in the trace: all, or names such as page_faults,cycles (docs/trace.md lists
    /// them) [default: VICINITY_TRACE_COUNTERS, else none]
    #[arg(long, value_name = "LIST", help_heading = OBSERVING)]
    counters: Option<String>,

    /// Show settings and machine at the start, and at the end where tasks ran
    #[arg(long, help_heading = OBSERVING)]
    verbose: bool,

    /// Also run OpenCL kernels on Vicinity, which is the only platform PROGRAM finds then; it need not link an
    /// OpenMP runtime
    #[arg(long)]
    opencl: bool,

    /// Have tasks that wait for messages of MPI give their processor to others (docs/mpi.md). Which MPI it is, PROGRAM's
    /// libraries say, or the value does
    #[arg(long, value_name = "MPI", num_args = 0..=1, require_equals = true, default_missing_value = "auto")]
    mpi: Option<MpiChoice>,

    /// Share the processors with other programs that run with this option: regions take those that are free, and give them
    /// back while they wait (docs/sharing.md) [default: VICINITY_SHARE, else not]
    #[arg(long)]
    share: bool,

    /// Say of each OpenMP runtime of PROGRAM and of what it starts whether it was replaced, and if not why, in a line on
    /// standard error [default: VICINITY_WHY, else not]
    #[arg(long, help_heading = OBSERVING)]
    why: bool,

    /// Start PROGRAM even if it has no OpenMP runtime that can be replaced, for the sake of the programs that it starts
    #[arg(long)]
    unchecked: bool,

    /// The program, by path or by name in PATH, and its arguments
    #[arg(required = true, trailing_var_arg = true)]
    #[arg(value_names = ["PROGRAM", "ARGS"], num_args = 1..)]
    command: Vec<OsString>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Scheduler {
    Locality,
    Workstealing,
    Central,
}

#[derive(Clone, Copy, ValueEnum)]
enum MpiChoice {
    Auto,
    Openmpi,
    Mpich,
}

#[derive(Clone, Copy, ValueEnum)]
enum Distribution {
    Standard,
    Fine,
    Coarse,
    Blocked,
    Auto,
}

#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Locations {
    NumaDomains,
    LlCaches,
    Cores,
}

impl MpiChoice {
    fn of(self, program: &Path) -> Result<Mpi, Failure> {
        match self {
            MpiChoice::Openmpi => Ok(Mpi::OpenMpi),
            MpiChoice::Mpich => Ok(Mpi::Mpich),
            MpiChoice::Auto => program::mpi_of(program).ok().flatten().ok_or_else(|| {
                Failure::cannot_execute(format!(
                    "{} does not link MPI (Open MPI's libmpi.so.40, or MPICH's libmpi.so.12 or libmpich.so.12); \
                     --mpi=openmpi or --mpi=mpich says which one it loads later",
                    program.display()
                ))
            }),
        }
    }
}

/// The word that both the command line and the environment variable use.
fn word(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|word| word.get_name().to_string()).unwrap_or_default()
}

impl Run {
    /// Becomes the program, or says why it cannot.
    pub fn execute(self) -> Result<std::convert::Infallible, Failure> {
        let takeover = Takeover::find()?;
        let (name, arguments) = self
            .command
            .split_first()
            .ok_or_else(|| Failure::own("the command line names no program"))?;
        let program = find(Path::new(name))?;
        self.check(&program)?;

        let mut command = Command::new(&program);
        command.arg0(name).args(arguments);
        takeover.apply(&mut command);
        let advice = self.advice.as_deref().map(Advice::read).transpose()?.unwrap_or_default();
        Takeover::preload(&self.preloaded(&takeover, &program, &advice)?, &mut command);
        apply(&advice, &program, &mut command);
        let memory = if self.hears_of_memory() { "on" } else { "off" };
        let settings = [
            ("VICINITY_SCHEDULER", self.scheduler.as_ref().map(word)),
            ("OMP_DATA_DISTRIBUTION", self.distribution.as_ref().map(word)),
            ("VICINITY_LOCATIONS", self.locations.as_ref().map(word)),
            ("VICINITY_TRACE_COUNTERS", self.counters),
        ];
        for (variable, value) in settings {
            if let Some(value) = value {
                command.env(variable, value);
            }
        }
        if self.opencl {
            command.env("OCL_ICD_VENDORS", takeover.vendors_folder()?);
        }
        if let Some(trace) = &self.trace {
            command.env("VICINITY_TRACE", trace);
            command.env("VICINITY_TRACE_MEMORY", memory);
        }
        if self.verbose {
            command.env("VICINITY_VERBOSE", "1");
        }
        if env::var_os("VICINITY_TOP").is_none() {
            command.env("VICINITY_TOP", "on");
        }
        if self.share {
            command.env("VICINITY_SHARE", "on");
            // Other runtimes of the program share with its regions where they can.
            if env::var_os("TCM_ENABLE").is_none() {
                command.env("TCM_ENABLE", "1");
            }
        }
        if self.why {
            command.env("VICINITY_WHY", "1");
        }
        let error = command.exec();
        Err(Failure::cannot_execute(format!("cannot start {}: {error}", program.display())))
    }

    /// The libraries that are to stand before the program's own.
    fn preloaded(
        &self,
        takeover: &Takeover,
        program: &Path,
        advice: &Advice,
    ) -> Result<Vec<PathBuf>, Failure> {
        let asked = self.distribution.is_some_and(|it| !matches!(it, Distribution::Standard));
        let places = asked || advice.places();
        let hears = self.hears_of_memory() && !program::checks_memory(program);
        let placer = match places {
            true => Some(takeover.placer()),
            // A trace without blocks is better than none.
            false => takeover.placer().ok().filter(|_| hears).map(Ok),
        };
        let mpi = self.mpi.map(|mpi| takeover.before_mpi(mpi.of(program)?));
        placer.into_iter().chain(mpi).collect()
    }

    /// Whether the trace tells of memory, which VICINITY_TRACE_MEMORY=off refuses.
    fn hears_of_memory(&self) -> bool {
        let refused =
            env::var_os("VICINITY_TRACE_MEMORY").is_some_and(|it| it.eq_ignore_ascii_case("off"));
        self.trace.is_some() && !refused
    }

    /// Refuses what would silently run on another runtime, or on none.
    fn check(&self, program: &Path) -> Result<(), Failure> {
        let name = program.display();
        let unreadable = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound => Failure::not_found(format!("{name}: no such file")),
            _ => Failure::cannot_execute(format!("{name}: {error}")),
        };
        let kind = program::kind_of(program).map_err(unreadable)?;
        let refusal = match kind {
            _ if self.unchecked => return Ok(()),
            Kind::Script => return Ok(()),
            Kind::Dynamic if self.opencl => return Ok(()),
            Kind::Dynamic => match program::prospect(program).map_err(unreadable)? {
                Prospect::Links | Prospect::MayLoadOrStart => return Ok(()),
                Prospect::Nothing => {
                    "does not link an OpenMP runtime (built without -fopenmp?), and cannot load one later"
                        .to_string()
                }
            },
            Kind::Static => {
                "is linked statically: its OpenMP runtime cannot be replaced".to_string()
            }
            Kind::SetUserId => {
                "runs with another user's rights: the loader ignores the variables that lead to Vicinity".to_string()
            }
            Kind::OtherLoader(loader) => format!(
                "is completed by {loader}, which is not the loader of glibc: its OpenMP runtime cannot be replaced"
            ),
            Kind::Foreign => "is not an x86-64 program".to_string(),
        };
        Err(Failure::cannot_execute(format!(
            "{name} {refusal}; --unchecked starts it all the same"
        )))
    }
}

/// The file that `name` means: a path if it contains a slash, else the first match in PATH.
fn find(name: &Path) -> Result<PathBuf, Failure> {
    if name.as_os_str().as_encoded_bytes().contains(&b'/') {
        return Ok(name.to_path_buf());
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|candidate| candidate.is_file())
        .ok_or_else(|| Failure::not_found(format!("{}: not found in PATH", name.display())))
}
