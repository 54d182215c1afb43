//! `vicinity run`: start a program on Vicinity instead of the OpenMP runtime it was linked with.
//!
//! The program finds Vicinity because the folder `lib/omp` beside this command, which holds it
//! under the runtimes' names, comes first in `LD_LIBRARY_PATH`. Nothing is preloaded, so programs
//! that use no OpenMP, and are started by this one, notice nothing. This process becomes the
//! program: the exit status is the program's own.
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

use crate::failure::Failure;
use crate::program::{self, Kind};
use crate::watch;

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
    /// How ready tasks are dealt to workers [default: VICINITY_SCHEDULER, else locality]
    #[arg(long, value_name = "S", help_heading = PLACEMENT)]
    scheduler: Option<Scheduler>,

    /// Where the pages of omp_malloc go [default: OMP_DATA_DISTRIBUTION, else standard]
    #[arg(long, value_name = "D", help_heading = PLACEMENT)]
    distribution: Option<Distribution>,

    /// What counts as one place for data and queues [default: VICINITY_LOCATIONS, else
    /// numa_domains]
    #[arg(long, value_name = "L", help_heading = PLACEMENT)]
    locations: Option<Locations>,

    /// Write a trace of tasks, regions and waits to FILE, for `vicinity timeline`, Perfetto or
    /// chrome://tracing; %p in it becomes the process id [default: VICINITY_TRACE, else none]
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

    /// Start PROGRAM even if it links no OpenMP runtime: for interpreters and programs that load
    /// one later. A line says of each runtime that it loads under another name, as Python's packages bring
    /// them: those are not replaced
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
enum Distribution {
    Standard,
    Fine,
    Coarse,
}

#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Locations {
    NumaDomains,
    LlCaches,
    Cores,
}

/// The word that both the command line and the environment variable use.
fn word(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|word| word.get_name().to_string()).unwrap_or_default()
}

impl Run {
    /// Becomes the program, or says why it cannot.
    pub fn execute(self) -> Result<std::convert::Infallible, Failure> {
        let omp_folder = omp_folder()?;
        let (name, arguments) = self
            .command
            .split_first()
            .ok_or_else(|| Failure::own("the command line names no program"))?;
        let program = find(Path::new(name))?;
        let library_path = library_path(&omp_folder);
        self.check(&program, &omp_folder, &library_path)?;

        let mut command = Command::new(&program);
        command.arg0(name).args(arguments).env("LD_LIBRARY_PATH", &library_path);
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
            command.env("OCL_ICD_VENDORS", vendors_folder(&omp_folder)?);
        }
        if let Some(trace) = &self.trace {
            command.env("VICINITY_TRACE", trace);
        }
        if self.verbose {
            command.env("VICINITY_VERBOSE", "1");
        }
        if self.unchecked {
            watch::begin();
        }
        let error = command.exec();
        Err(Failure::cannot_execute(format!("cannot start {}: {error}", program.display())))
    }

    /// Refuses what would silently run on another runtime.
    fn check(
        &self,
        program: &Path,
        omp_folder: &Path,
        library_path: &OsString,
    ) -> Result<(), Failure> {
        let name = program.display();
        let kind = program::kind_of(program).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Failure::not_found(format!("{name}: no such file")),
            _ => Failure::cannot_execute(format!("{name}: {error}")),
        })?;
        let refusal = match kind {
            Kind::Script => return Ok(()),
            Kind::Dynamic => None,
            Kind::Static => Some("is linked statically: its OpenMP runtime cannot be replaced"),
            Kind::SetUserId => {
                Some("runs with another user's rights: the loader ignores library paths")
            }
            Kind::Foreign => Some("is not an x86-64 program"),
        };
        if let Some(reason) = refusal {
            return Err(Failure::cannot_execute(format!("{name} {reason}")));
        }
        if self.unchecked {
            return Ok(());
        }
        let runtimes = program::runtimes(program, library_path)
            .map_err(|error| Failure::cannot_execute(format!("{name}: {error}")))?;
        if runtimes.is_empty() && !self.opencl {
            return Err(Failure::cannot_execute(format!(
                "{name} does not link an OpenMP runtime (built without -fopenmp?); \
                 --unchecked starts it all the same"
            )));
        }
        for (runtime, found) in runtimes {
            let ours = [Some(omp_folder), omp_folder.parent()];
            if !ours.contains(&found.parent()) && found.is_absolute() {
                return Err(Failure::cannot_execute(format!(
                    "{name} takes {runtime} from {}: its own run path (DT_RPATH) comes before \
                     LD_LIBRARY_PATH",
                    found.display()
                )));
            }
        }
        Ok(())
    }
}

/// `../lib/omp` from the folder of this command.
pub fn omp_folder() -> Result<PathBuf, Failure> {
    let own = env::current_exe()
        .map_err(|error| Failure::own(format!("cannot find my own file: {error}")))?;
    let prefix = own.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    let folder = prefix.join("lib/omp");
    if folder.join("libgomp.so.1").exists() {
        return Ok(folder);
    }
    Err(Failure::own(format!(
        "{} is missing: run the command that `make` leaves in target/dist/bin, or the installed one",
        folder.join("libgomp.so.1").display()
    )))
}

/// `../../etc/OpenCL/vendors` from the folder of the libraries: what the loader reads in place of the system's folder.
fn vendors_folder(omp_folder: &Path) -> Result<PathBuf, Failure> {
    let prefix = omp_folder.ancestors().nth(2).unwrap_or(Path::new("/"));
    let folder = prefix.join("etc/OpenCL/vendors");
    if folder.join("vicinity.icd").exists() {
        return Ok(folder);
    }
    let file = folder.join("vicinity.icd");
    Err(Failure::own(format!("{} is missing: the OpenCL driver is not installed", file.display())))
}

/// The folder first, the one above it, where the library has its own name, then what was there. An empty element
/// would mean the current folder.
fn library_path(omp_folder: &Path) -> OsString {
    let mut path = omp_folder.as_os_str().to_owned();
    if let Some(above) = omp_folder.parent() {
        path.push(":");
        path.push(above);
    }
    if let Some(before) = env::var_os("LD_LIBRARY_PATH").filter(|value| !value.is_empty()) {
        path.push(":");
        path.push(before);
    }
    path
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
