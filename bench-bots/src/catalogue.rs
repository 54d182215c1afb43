//! The programs and workloads there are. Sources are part of this library, so that an installed
//! `vicinity bench` needs no source tree.

use crate::Failure;
use crate::opencl;
use crate::options::{Class, Cut, Plan, Suite};
use crate::rounds::ROUNDS;

/// What a program is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    C,
    Cpp,
    Fortran,
    /// A host program in C, and its kernels.
    OpenCl,
}

/// A file of `programs/` or `opencl/`.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    pub name: &'static str,
    pub text: &'static str,
}

/// An executable and what it is built from.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    pub name: &'static str,
    pub language: Language,
    /// Given to the compiler, in this order.
    pub sources: &'static [Source],
    /// Included by the sources.
    pub headers: &'static [Source],
    /// Libraries to link besides that of mathematics, by their names for `-l`.
    pub libraries: &'static [&'static str],
    /// Can be built with another way to stop making tasks (`BENCH_CUT` in `bench.h`).
    pub cuts: bool,
    /// Has data that the runtime can place (`--memory` in `bench.h`).
    pub places: bool,
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    NanosecondsPerTask,
    NanosecondsPerOperation,
    /// The parallel part of a program with coarse tasks.
    Milliseconds,
    /// A whole process, from its creation to its end.
    ProcessMilliseconds,
}

impl Unit {
    pub fn words(self) -> &'static str {
        match self {
            Unit::NanosecondsPerTask => "ns/task",
            Unit::NanosecondsPerOperation => "ns/op",
            Unit::Milliseconds => "ms",
            Unit::ProcessMilliseconds => "ms/process",
        }
    }
}

/// A program with arguments.
#[derive(Debug, Clone)]
pub struct Workload {
    pub suite: Suite,
    pub name: &'static str,
    pub program: Program,
    pub arguments: Vec<String>,
    pub unit: Unit,
    /// Runs that make one sample, which is their median.
    pub runs_per_sample: usize,
}

macro_rules! source {
    ($name:literal) => {
        Source { name: $name, text: include_str!(concat!("../programs/", $name)) }
    };
}

/// What reads the processor time of a process, for programs with tasks and with kernels.
pub const PROCESS_CLOCK: Source = source!("process_clock.h");

const BENCH_H: &[Source] = &[source!("bench.h"), source!("clock.h"), PROCESS_CLOCK];

macro_rules! c_program {
    ($name:literal, $file:literal, $language:expr) => {
        Program {
            name: $name,
            language: $language,
            sources: &[source!($file)],
            headers: BENCH_H,
            libraries: &[],
            cuts: false,
            places: false,
        }
    };
}

macro_rules! fortran_program {
    ($name:literal, $file:literal) => {
        Program {
            name: $name,
            language: Language::Fortran,
            sources: &[source!("bench_options.f90"), source!($file)],
            headers: &[],
            libraries: &[],
            cuts: false,
            places: false,
        }
    };
}

/// A program that recurses without a cut-off, unless it is built with one.
macro_rules! recursive_program {
    ($name:literal, $file:literal) => {
        Program { cuts: true, ..c_program!($name, $file, Language::C) }
    };
}

/// A program whose data the runtime can place.
macro_rules! data_program {
    ($name:literal, $file:literal) => {
        Program { places: true, ..c_program!($name, $file, Language::C) }
    };
}

const SPARSELU: Program = data_program!("sparselu", "sparselu.c");

/// Programs without a cut-off are told by the cost of a task, those with one by their time.
const TASK_PROGRAMS: &[(Program, Unit)] = &[
    (recursive_program!("fib", "fib.c"), Unit::NanosecondsPerTask),
    (recursive_program!("nqueens", "nqueens.c"), Unit::NanosecondsPerTask),
    (recursive_program!("skynet", "skynet.c"), Unit::NanosecondsPerTask),
    (recursive_program!("uts", "uts.c"), Unit::NanosecondsPerTask),
    (recursive_program!("knapsack", "knapsack.c"), Unit::NanosecondsPerTask),
    (recursive_program!("floorplan", "floorplan.c"), Unit::NanosecondsPerTask),
    (recursive_program!("health", "health.c"), Unit::NanosecondsPerTask),
    (c_program!("random_dag", "random_dag.c", Language::C), Unit::NanosecondsPerTask),
    (fortran_program!("quadrature", "quadrature.f90"), Unit::NanosecondsPerTask),
    (c_program!("sort", "sort.c", Language::C), Unit::Milliseconds),
    (SPARSELU, Unit::Milliseconds),
    (c_program!("strassen", "strassen.c", Language::C), Unit::Milliseconds),
    (c_program!("alignment", "alignment.c", Language::C), Unit::Milliseconds),
    (c_program!("fft", "fft.c", Language::C), Unit::Milliseconds),
    (c_program!("concom", "concom.c", Language::C), Unit::Milliseconds),
    (data_program!("cholesky", "cholesky.c"), Unit::Milliseconds),
    (data_program!("gauss_seidel", "gauss_seidel.c"), Unit::Milliseconds),
    (c_program!("quicksort", "quicksort.cpp", Language::Cpp), Unit::Milliseconds),
    (c_program!("mandelbrot", "mandelbrot.cpp", Language::Cpp), Unit::Milliseconds),
    (fortran_program!("heat", "heat.f90"), Unit::Milliseconds),
    (fortran_program!("conjugate_gradient", "conjugate_gradient.f90"), Unit::Milliseconds),
];

/// The programs of Muddukrishna, Jonsson, Brorsson 2015; `sparselu` is one of the task programs, too.
const PAPER_PROGRAMS: &[Program] = &[
    data_program!("map", "map.c"),
    data_program!("reduce", "reduce.c"),
    data_program!("vecmul", "vecmul.c"),
    Program { libraries: &["blas"], ..data_program!("matmul", "matmul.c") },
    data_program!("jacobi", "jacobi.c"),
];

/// Programs without tasks: many regions, loops and barriers.
const LOOP_PROGRAMS: &[Program] = &[
    c_program!("neurons", "neurons.c", Language::C),
    c_program!("multigrid", "multigrid.c", Language::C),
    c_program!("solver", "solver.c", Language::C),
    c_program!("search", "search.c", Language::C),
    c_program!("alignment_tiles", "alignment_tiles.c", Language::C),
];

/// About where on the machine tasks run.
const LOCALITY_PROGRAMS: &[Program] = &[
    data_program!("cache_sweeps", "cache_sweeps.c"),
    data_program!("cache_loops", "cache_loops.c"),
];

/// Loops over memory that the first thread touches.
const SWEEP_PROGRAMS: &[Program] =
    &[data_program!("triad", "triad.c"), data_program!("sparse_rows", "sparse_rows.c")];

/// `fib` as oneTBB has it.
pub const FIB_TBB: Program =
    Program { libraries: &["tbb"], ..c_program!("fib", "fib_tbb.cpp", Language::Cpp) };

const OVERHEADS: Program = Program {
    name: "overheads",
    language: Language::C,
    sources: &[
        source!("overheads.c"),
        source!("overheads_tasks.c"),
        source!("overheads_depends.c"),
        source!("overheads_team.c"),
    ],
    headers: &[source!("overheads.h"), source!("clock.h"), PROCESS_CLOCK],
    libraries: &[],
    cuts: false,
    places: false,
};

/// The measures of `overheads.c`, in its order. A test compares.
const MEASURES: &[&str] = &[
    "producer",
    "nested_producer",
    "taskloop",
    "taskwait",
    "deps_chain",
    "deps_independent",
    "deps_stencil",
    "deps_diamond",
    "deps_diamond_wide",
    "deps_two",
    "fork_join",
    "fork_join_apart",
    "fork_join_near",
    "barrier",
    "dynamic",
    "guided",
    "critical",
    "single",
    "reduction",
];

/// The measures that mean something when threads outnumber processors, and how often to perform
/// them then: some runtimes take milliseconds for one.
const CROWDED_MEASURES: &[&str] = &["fork_join", "barrier", "single", "reduction"];
const CROWDED_OPERATIONS: usize = 200;
const TEST_OPERATIONS: usize = 1000;

const STARTUP: Program =
    Program { headers: &[], ..c_program!("startup", "startup.c", Language::C) };

/// A process takes a millisecond: the median of several makes one sample.
const STARTUP_RUNS: usize = 15;

/// Keeps a processor busy; see [`crate::launch::Company`].
pub const BUSY: Program = Program { headers: &[], ..c_program!("busy", "busy.c", Language::C) };

fn task_workload(suite: Suite, program: &Program, unit: Unit, class: Class) -> Workload {
    Workload {
        suite,
        name: program.name,
        program: *program,
        arguments: vec!["--class".into(), class.word().into()],
        unit,
        runs_per_sample: 1,
    }
}

fn measure_workload(name: &'static str, operations: Option<usize>) -> Workload {
    let mut arguments = vec![name.to_string()];
    if let Some(operations) = operations {
        arguments.splice(0..0, ["--operations".to_string(), operations.to_string()]);
    }
    Workload {
        suite: Suite::Overheads,
        name,
        program: OVERHEADS,
        arguments,
        unit: Unit::NanosecondsPerOperation,
        runs_per_sample: 1,
    }
}

fn startup_workload() -> Workload {
    Workload {
        suite: Suite::Startup,
        name: "startup",
        program: STARTUP,
        arguments: Vec::new(),
        unit: Unit::ProcessMilliseconds,
        runs_per_sample: STARTUP_RUNS,
    }
}

/// Every workload, with sizes as the plan asks.
fn all(plan: &Plan) -> Vec<Workload> {
    let operations = match plan {
        Plan { oversubscribed: true, .. } => Some(CROWDED_OPERATIONS),
        Plan { class: Class::Test, .. } => Some(TEST_OPERATIONS),
        _ => None,
    };
    let tasks = TASK_PROGRAMS
        .iter()
        .map(|(program, unit)| task_workload(Suite::Tasks, program, *unit, plan.class));
    let loops = LOOP_PROGRAMS
        .iter()
        .map(|program| task_workload(Suite::Loops, program, Unit::Milliseconds, plan.class));
    let paper = PAPER_PROGRAMS
        .iter()
        .map(|program| task_workload(Suite::Paper, program, Unit::Milliseconds, plan.class));
    let locality = LOCALITY_PROGRAMS.iter().map(|program| {
        task_workload(Suite::Locality, program, Unit::NanosecondsPerTask, plan.class)
    });
    let sweeps = SWEEP_PROGRAMS
        .iter()
        .map(|program| task_workload(Suite::Sweeps, program, Unit::Milliseconds, plan.class));
    let measures = MEASURES.iter().map(|name| measure_workload(name, operations));
    let programs = tasks.chain(loops).chain(paper).chain(locality).chain(sweeps);
    let openmp = programs.chain(measures).chain([startup_workload()]);
    openmp.chain(opencl::workloads(plan.class)).collect()
}

/// The workloads the plan asks for: those named, or else those of its suite.
pub fn workloads(plan: &Plan) -> Result<Vec<Workload>, Failure> {
    let mut all = all(plan);
    for name in &plan.programs {
        if !all.iter().any(|workload| workload.name == name) {
            return Err(Failure::Usage(format!(
                "no program or measure is called '{name}': see --list"
            )));
        }
    }
    all.retain(|workload| {
        if !plan.programs.is_empty() {
            return plan.programs.iter().any(|name| name == workload.name);
        }
        if plan.cut != Cut::None && !workload.program.cuts {
            return false;
        }
        let crowded = !plan.oversubscribed
            || workload.suite != Suite::Overheads
            || CROWDED_MEASURES.contains(&workload.name);
        crowded && belongs(workload, plan.suite)
    });
    let uncut = all.iter().find(|workload| plan.cut != Cut::None && !workload.program.cuts);
    if let Some(workload) = uncut {
        return Err(Failure::Usage(format!(
            "--cut: {} has no other way to stop making tasks; these have: {}",
            workload.name,
            names(TASK_PROGRAMS.iter().map(|(program, _)| program).filter(|program| program.cuts))
        )));
    }
    Ok(all)
}

fn belongs(workload: &Workload, suite: Suite) -> bool {
    let twice = suite == Suite::Paper && workload.name == SPARSELU.name;
    let openmp = suite == Suite::All && !workload.suite.is_opencl();
    openmp || suite == workload.suite || twice
}

fn names<'a>(programs: impl Iterator<Item = &'a Program>) -> String {
    programs.map(|program| program.name).collect::<Vec<_>>().join(", ")
}

/// What `--list` prints.
pub fn listing() -> String {
    let mut text = String::from("tasks:\n");
    text.extend(TASK_PROGRAMS.iter().map(|(program, _)| listed(program)));
    text += "loops:\n";
    text.extend(LOOP_PROGRAMS.iter().map(listed));
    text += "paper (with sparselu):\n";
    text.extend(PAPER_PROGRAMS.iter().map(listed));
    text += "locality:\n";
    text.extend(LOCALITY_PROGRAMS.iter().map(listed));
    text += "sweeps:\n";
    text.extend(SWEEP_PROGRAMS.iter().map(listed));
    text += "overheads:\n";
    for name in MEASURES {
        text += &format!("  {name}\n");
    }
    text += "startup:\n  startup\n";
    let rounds = ROUNDS.iter().enumerate();
    let mut suites = vec![("opencl".to_string(), opencl::WORKLOADS)];
    suites.extend(rounds.map(|(index, round)| (format!("fresh, round {}", index + 1), *round)));
    suites.push(("local-memory".to_string(), opencl::LOCAL_MEMORY));
    suites.push(("opencl-costs".to_string(), opencl::MEASURES));
    for (suite, names) in suites {
        text += &format!("{suite}:\n");
        text.extend(names.iter().map(|name| format!("  {name}\n")));
    }
    text
}

/// A program, and which options mean something to it.
fn listed(program: &Program) -> String {
    let language = match program.language {
        Language::C => "C",
        Language::Cpp => "C++",
        Language::Fortran => "Fortran",
        Language::OpenCl => "OpenCL C",
    };
    let cut = if program.cuts { "--cut" } else { "" };
    let memory = if program.places { "--memory" } else { "" };
    let line = format!("  {:<20}{language:<9}{cut:<7}{memory}", program.name);
    line.trim_end().to_string() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_those_of_the_program() {
        let table = OVERHEADS.sources[0].text;
        let known: Vec<&str> = table
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("{\"")?.split('"').next())
            .collect();
        assert_eq!(known, MEASURES);
    }

    #[test]
    fn the_list_tells_what_programs_can() {
        let listing = listing();
        let line = |name| listing.lines().find(|line| line.trim_start().starts_with(name));
        assert_eq!(line("fib"), Some("  fib                 C        --cut"));
        assert_eq!(line("cholesky"), Some("  cholesky            C               --memory"));
        assert_eq!(line("mandelbrot"), Some("  mandelbrot          C++"));
        assert!(listing.contains("\nfresh, round 1:\n  wave_packet\n"));
    }

    #[test]
    fn names_are_unique() {
        let programs = TASK_PROGRAMS
            .iter()
            .map(|(p, _)| p)
            .chain(LOOP_PROGRAMS)
            .chain(PAPER_PROGRAMS)
            .chain(LOCALITY_PROGRAMS)
            .chain(SWEEP_PROGRAMS);
        let measures = [MEASURES, opencl::WORKLOADS, &ROUNDS.concat(), opencl::MEASURES].concat();
        let names = programs.map(|p| p.name).chain(measures);
        let mut seen = std::collections::BTreeSet::new();
        assert!(names.into_iter().all(|name| seen.insert(name)));
    }
}
