//! The command line of the driver, and the plan it amounts to.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Parser, ValueEnum};

use crate::Failure;
use crate::contender::Contender;

/// What to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Suite {
    /// Task programs: fib, nqueens, sort, ...
    Tasks,
    /// Programs of regions, loops and barriers: neurons, multigrid, solver, search, alignment_tiles
    Loops,
    /// The programs of the paper on locality: map, reduce, vecmul, matmul, jacobi, sparselu
    Paper,
    /// Whether tasks run where their data was last: cache_sweeps
    Locality,
    /// Loops over memory that the first thread touches: triad, sparse_rows
    Sweeps,
    /// What single constructs cost: a task, a dependence, a barrier, ...
    Overheads,
    /// A whole process with one empty parallel region
    Startup,
    /// All of these
    All,
    /// OpenCL kernels: matmul_naive, row_walk, nbody, ...
    Opencl,
    /// OpenCL kernels that were written for a measurement before anything was tuned for them: wave_packet, sepia, ...
    Fresh,
    /// OpenCL kernels that share tiles in local memory, as a paper on its removal has them: product_tiled, stencil9_halo, ...
    LocalMemory,
    /// What single steps of OpenCL cost: a build, an empty kernel, a copy, ...
    OpenclCosts,
}

impl Suite {
    pub fn is_opencl(self) -> bool {
        matches!(self, Suite::Opencl | Suite::Fresh | Suite::LocalMemory | Suite::OpenclCosts)
    }
}

/// The size of the problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Class {
    /// Milliseconds: does it work at all
    Test,
    /// Tenths of a second
    Small,
    /// About a second
    Medium,
    /// Tens of seconds
    Large,
}

impl Class {
    /// The word the programs know this class by.
    pub fn word(self) -> &'static str {
        match self {
            Class::Test => "test",
            Class::Small => "small",
            Class::Medium => "medium",
            Class::Large => "large",
        }
    }
}

/// How recursive programs stop making tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Cut {
    /// Not at all: every call is a task
    None,
    /// By an if clause below a depth
    If,
    /// By a final clause below a depth
    Final,
    /// By plain calls below a depth
    Manual,
}

impl Cut {
    /// The value of `BENCH_CUT`, which is also part of the executable's name.
    pub fn word(self) -> &'static str {
        match self {
            Cut::None => "none",
            Cut::If => "if",
            Cut::Final => "final",
            Cut::Manual => "manual",
        }
    }
}

/// Who allocates the data of programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Memory {
    /// malloc
    Malloc,
    /// omp_malloc, on Vicinity, which spreads it as OMP_DATA_DISTRIBUTION says; malloc elsewhere
    #[value(name = "omp_malloc")]
    OmpMalloc,
}

impl Memory {
    /// The word of the record.
    pub fn word(self) -> &'static str {
        match self {
            Memory::Malloc => "malloc",
            Memory::OmpMalloc => "omp_malloc",
        }
    }
}

/// Which clock a comparison goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Clock {
    /// Time that passes
    Wall,
    /// Processor time of all threads, waiting ones included: it stands still while other processes run
    Cpu,
}

impl Clock {
    /// The word of the table and the record.
    pub fn word(self) -> &'static str {
        match self {
            Clock::Wall => "wall",
            Clock::Cpu => "cpu",
        }
    }
}

/// An environment variable and the values to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vary {
    pub name: String,
    pub values: Vec<String>,
}

impl FromStr for Vary {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Vary, Self::Err> {
        let (name, values) = text.split_once('=').ok_or("expected NAME=VALUE,VALUE")?;
        let values: Vec<String> = values.split(',').map(str::to_string).collect();
        if name.is_empty() || name == "OMP_NUM_THREADS" {
            return Err("a variable other than OMP_NUM_THREADS is expected before '='");
        }
        if values.iter().any(String::is_empty) {
            return Err("a value is empty");
        }
        Ok(Vary { name: name.to_string(), values })
    }
}

/// An OpenCL driver that the command line names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Driver {
    pub contender: Contender,
    pub file: PathBuf,
}

impl FromStr for Driver {
    type Err = String;

    fn from_str(text: &str) -> Result<Driver, Self::Err> {
        let (name, file) = text.split_once('=').ok_or("expected NAME=FILE")?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || !name.chars().all(plain) || file.is_empty() {
            return Err("expected NAME=FILE, a name of letters, digits, '-', '_' and '.'".into());
        }
        let contender = match Contender::from_str(name, false) {
            Ok(known @ (Contender::Pocl | Contender::IntelOpencl)) => known,
            Ok(_) => return Err(format!("{name} is another contender's name")),
            // Names live as long as the process: there are as many as the command line has.
            Err(_) => Contender::Driver(String::leak(name.into())),
        };
        Ok(Driver { contender, file: file.into() })
    }
}

/// Compare runtimes on task programs and overhead measures.
#[derive(Debug, Clone, Args)]
pub struct Options {
    /// What to measure [default: tasks; with --oversubscribe: overheads]
    #[arg(long, value_enum)]
    pub suite: Option<Suite>,
    /// Only these programs or measures, whatever their suite (see --list)
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub programs: Vec<String>,
    /// Numbers of threads [default: 1 and the number of processors]
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    pub threads: Vec<usize>,
    /// Runs of every contender
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub repeat: usize,
    /// Problem size
    #[arg(long, value_enum, default_value_t = Class::Small)]
    pub class: Class,
    /// How recursive programs (fib, nqueens, ...) stop making tasks; the others are left out unless none
    #[arg(long, value_enum, default_value_t = Cut::None)]
    pub cut: Cut,
    /// Who allocates the data of the paper's programs, sparselu, cholesky and gauss_seidel
    #[arg(long, value_enum, default_value_t = Memory::Malloc)]
    pub memory: Memory,
    /// The clock to compare by; startup knows the wall clock alone
    #[arg(long, value_enum, default_value_t = Clock::Wall)]
    pub clock: Clock,
    /// Contenders [default: all that can be found, but for openmp-gcc and openmp-clang]
    #[arg(long, value_enum, value_name = "NAME,...", value_delimiter = ',')]
    pub against: Vec<Contender>,
    /// Run Vicinity's contenders with each of these values of an environment variable; given several times, with each
    /// combination
    #[arg(long, value_name = "NAME=VALUE,...")]
    pub vary: Vec<Vary>,
    /// The folder of Vicinity's libgomp.so.1 and libomp.so.5, beside libvicinity_cl.so [default: lib/omp of this installation]
    #[arg(long, value_name = "DIR")]
    pub lib: Option<PathBuf>,
    /// An OpenCL driver (its library, or an .icd file) as one more contender, under a name of your choice; with the name pocl or
    /// intel-opencl in place of the registered one. May be repeated
    #[arg(long, value_name = "NAME=FILE")]
    pub driver: Vec<Driver>,
    /// Also write everything measured to this file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Also write a page with charts to this file
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Also draw the comparison to this file
    #[arg(long, value_name = "FILE.svg")]
    pub picture: Option<PathBuf>,
    /// Measure regions and barriers with as many and four times as many threads as processors, beside
    /// one busy process
    #[arg(long)]
    pub oversubscribe: bool,
    /// Other processes that keep a processor busy each during the measurement
    #[arg(long, value_name = "N")]
    pub busy: Option<usize>,
    /// End a run that takes longer
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub timeout: u64,
    /// Where to build the programs [default: target/bench, or the user's cache]
    #[arg(long, value_name = "DIR")]
    pub build_dir: Option<PathBuf>,
    /// List programs, with their languages and whether they know --cut and --memory, and measures
    #[arg(long)]
    pub list: bool,
}

/// The options with every default filled in.
#[derive(Debug, Clone)]
pub struct Plan {
    pub suite: Suite,
    pub programs: Vec<String>,
    pub threads: Vec<usize>,
    pub repeat: usize,
    pub class: Class,
    pub cut: Cut,
    pub memory: Memory,
    pub clock: Clock,
    pub busy: usize,
    pub oversubscribed: bool,
    pub limit: Duration,
    pub build_dir: PathBuf,
}

impl Default for Options {
    /// What an empty command line means.
    fn default() -> Options {
        #[derive(Parser)]
        struct Plain {
            #[command(flatten)]
            options: Options,
        }
        Plain::parse_from(["bench"]).options
    }
}

impl Options {
    /// Fills in the defaults, or says which value makes no sense.
    pub fn plan(&self) -> Result<Plan, Failure> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        if self.threads.contains(&0) {
            return Err(Failure::Usage("--threads: 0 threads cannot run anything".into()));
        }
        if self.repeat == 0 {
            return Err(Failure::Usage("--repeat: at least 1 run is needed".into()));
        }
        let mut drivers: Vec<Contender> = self.driver.iter().map(|d| d.contender).collect();
        drivers.sort();
        if let Some(twice) = drivers.windows(2).find(|pair| pair[0] == pair[1]) {
            let name = twice[0].name();
            return Err(Failure::Usage(format!("--driver: {name} is named more than once")));
        }
        let threads = match (self.threads.is_empty(), self.oversubscribe) {
            (false, _) => self.threads.clone(),
            (true, true) => vec![processors, 4 * processors],
            (true, false) if processors == 1 => vec![1],
            (true, false) => vec![1, processors],
        };
        let mut varied: Vec<&str> = self.vary.iter().map(|vary| vary.name.as_str()).collect();
        varied.sort_unstable();
        if let Some(twice) = varied.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Failure::Usage(format!("--vary: {} is named more than once", twice[0])));
        }
        let suite = if self.oversubscribe { Suite::Overheads } else { Suite::Tasks };
        let executable = std::env::current_exe().unwrap_or_default();
        Ok(Plan {
            suite: self.suite.unwrap_or(suite),
            programs: self.programs.clone(),
            threads,
            repeat: self.repeat,
            class: self.class,
            cut: self.cut,
            memory: self.memory,
            clock: self.clock,
            busy: self.busy.unwrap_or(usize::from(self.oversubscribe)),
            oversubscribed: self.oversubscribe,
            limit: Duration::from_secs(self.timeout),
            build_dir: self.build_dir.clone().unwrap_or_else(|| default_build_dir(&executable)),
        })
    }
}

/// `target/bench` when the executable lies under a folder `target`, else the user's cache.
fn default_build_dir(executable: &Path) -> PathBuf {
    let target = executable.ancestors().find(|a| a.file_name().is_some_and(|n| n == "target"));
    if let Some(target) = target {
        return target.join("bench");
    }
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))
        .unwrap_or_else(std::env::temp_dir);
    cache.join("vicinity").join("bench")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        options: Options,
    }

    fn parse(words: &[&str]) -> Options {
        Cli::try_parse_from(std::iter::once(&"bench").chain(words)).expect("parses").options
    }

    #[test]
    fn lists_are_split_at_commas() {
        let options = parse(&["--threads", "1,2,8", "--against", "gcc/libgomp,vicinity-gcc"]);
        assert_eq!(options.threads, [1, 2, 8]);
        assert_eq!(options.against, [Contender::GccLibgomp, Contender::VicinityGcc]);
    }

    #[test]
    fn oversubscription_means_more_threads_than_processors_and_company() {
        let plan = parse(&["--oversubscribe"]).plan().expect("a plan");
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        assert_eq!(plan.threads, [processors, 4 * processors]);
        assert_eq!(plan.busy, 1);
        assert_eq!(plan.suite, Suite::Overheads);
    }

    #[test]
    fn a_variable_has_values() {
        let vary = parse(&["--vary", "VICINITY_REACH=1,all"]).vary;
        assert_eq!((vary[0].name.as_str(), vary[0].values.len()), ("VICINITY_REACH", 2));
        for nonsense in ["X", "=1", "X=", "X=1,", "OMP_NUM_THREADS=1,2"] {
            assert!(nonsense.parse::<Vary>().is_err(), "{nonsense}");
        }
    }

    #[test]
    fn a_driver_has_a_name_of_its_own() {
        let driver = |text: &str| text.parse::<Driver>().map(|driver| driver.contender);
        assert_eq!(driver("new=/lib/libnew.so"), Ok(Contender::Driver("new")));
        assert_eq!(driver("intel-opencl=a=b.so"), Ok(Contender::IntelOpencl));
        for nonsense in
            ["/lib/libnew.so", "=x", "new=", "a b=x", "vicinity-dfo=x", "gcc/libgomp=x", "libomp=x"]
        {
            assert!(driver(nonsense).is_err(), "{nonsense}");
        }
        assert!(parse(&["--driver", "a=x", "--driver", "a=y"]).plan().is_err());
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(parse(&["--threads", "0"]).plan().is_err());
        assert!(parse(&["--repeat", "0"]).plan().is_err());
        assert!(parse(&["--vary", "A=1", "--vary", "A=2"]).plan().is_err());
    }

    #[test]
    fn programs_are_built_under_target() {
        let built = default_build_dir(Path::new("/src/target/release/vicinity-bench"));
        assert_eq!(built, Path::new("/src/target/bench"));
    }
}
