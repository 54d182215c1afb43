//! OpenMP tasks and MPI: the programs of tests/mpi with both compilers and each MPI that is installed, on ranks of one machine,
//! by `vicinity run --mpi`. An MPI is installed if its compiler is; then `make` has built the library before it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

use vicinity_tests::ranks::apart;

const COMPILERS: [&str; 2] = ["gcc", "clang-19"];

#[derive(Clone, Copy)]
struct Mpi {
    name: &'static str,
    /// What its mpirun needs on a machine with fewer processors than ranks.
    options: &'static [&'static str],
}

const ALL: [Mpi; 2] =
    [Mpi { name: "openmpi", options: &["--oversubscribe"] }, Mpi { name: "mpich", options: &[] }];

fn installed() -> impl Iterator<Item = Mpi> {
    let folders: Vec<_> =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    ALL.into_iter().filter(move |mpi| {
        folders.iter().any(|folder| folder.join(format!("mpicc.{}", mpi.name)).exists())
    })
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests folder has a parent")
}

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn dist() -> PathBuf {
    scratch().parent().expect("target").join("dist")
}

/// Ranks of several tests at a time would wait for each other's processors.
fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Mpi {
    fn build(self, program: &str, compiler: &str) -> PathBuf {
        let output = scratch().join(format!("mpi-{program}-{}-{compiler}", self.name));
        let library = dist().join("lib");
        let wrapper = format!("-lvicinity-mpi-{}", self.name);
        let built = Command::new(format!("mpicc.{}", self.name))
            .env("OMPI_CC", compiler)
            .env("MPICH_CC", compiler)
            .args(["-O2", "-fopenmp", "-rdynamic", "-o"])
            .arg(&output)
            .arg(root().join(format!("tests/mpi/{program}.c")))
            .arg("-I")
            .arg(root().join("capi/include"))
            .args(["-lm", "-ldl"])
            .args(if program == "detach" { vec!["-L", text(&library), &wrapper] } else { vec![] })
            .output()
            .expect("the compiler of MPI starts");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        output
    }

    /// `mpirun -n RANKS vicinity run OPTIONS PROGRAM`, for ten minutes at most.
    fn run(self, ranks: u32, threads: u32, options: &[&str], program: &[&str]) -> Output {
        let mut launcher = Command::new("timeout");
        let _apart = apart(&mut launcher);
        launcher
            .args(["--kill-after=5", "600", &format!("mpirun.{}", self.name)])
            .args(self.options)
            .args(["-n", &ranks.to_string()])
            .arg(dist().join("bin/vicinity"))
            .arg("run")
            .args(options)
            .args(program)
            .env("OMP_NUM_THREADS", threads.to_string())
            .env("LD_LIBRARY_PATH", dist().join("lib"))
            .output()
            .expect("timeout starts")
    }

    /// The same with `--mpi`; the program is to pass.
    fn passes(self, ranks: u32, threads: u32, program: &[&str]) {
        let output = self.run(ranks, threads, &["--mpi"], program);
        let (said, complained) = (lossy(&output.stdout), lossy(&output.stderr));
        assert!(
            output.status.success() && said.ends_with("PASS\n"),
            "{program:?} on {ranks} ranks with {threads} threads of {}: {} {said} {complained}",
            self.name,
            output.status
        );
        assert_eq!(complained, "", "{program:?}");
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the target folder has a plain name")
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// On two and four ranks, with one and two threads each: fewer than tasks.
fn passes_everywhere(program: &str, arguments: &[&str]) {
    let _alone = alone();
    for mpi in installed() {
        for compiler in COMPILERS {
            let built = mpi.build(program, compiler);
            let command: Vec<&str> =
                std::iter::once(text(&built)).chain(arguments.iter().copied()).collect();
            mpi.passes(2, 1, &command);
            mpi.passes(4, 2, &command);
        }
    }
}

#[test]
fn tasks_that_outnumber_threads_exchange_halos_by_all_calls_that_wait() {
    passes_everywhere("halo", &["1920"]);
}

/// 100,000 tasks of two ranks, once for each MPI.
#[test]
fn a_hundred_thousand_tasks_exchange_halos() {
    let _alone = alone();
    for mpi in installed() {
        let built = mpi.build("halo", "gcc");
        mpi.passes(2, 2, &[text(&built), "100032"]);
    }
}

#[test]
fn collectives_wait_in_tasks_in_any_order() {
    passes_everywhere("collectives", &[]);
}

#[test]
fn a_stencil_is_right_by_tasks() {
    passes_everywhere("stencil", &["tasks", "128", "64", "16", "15"]);
}

#[test]
fn a_stencil_is_right_by_phases() {
    passes_everywhere("stencil", &["phases", "128", "64", "16", "15"]);
}

#[test]
fn a_factorisation_is_right_by_tasks() {
    passes_everywhere("cholesky", &["tasks", "12", "16"]);
}

#[test]
fn a_factorisation_is_right_by_phases() {
    passes_everywhere("cholesky", &["phases", "12", "16"]);
}

#[test]
fn tasks_complete_with_their_messages() {
    passes_everywhere("detach", &[]);
}

#[test]
fn errors_of_messages_are_what_calls_return() {
    let _alone = alone();
    for mpi in installed() {
        let built = mpi.build("faults", "gcc");
        mpi.passes(2, 1, &[text(&built), "errors"]);
        mpi.passes(2, 2, &[text(&built), "errors"]);
    }
}

#[test]
fn a_wrong_communicator_or_a_killed_rank_ends_all() {
    let _alone = alone();
    for mpi in installed() {
        let built = mpi.build("faults", "gcc");
        for fault in ["communicator", "kill"] {
            let output = mpi.run(2, 2, &["--mpi"], &[text(&built), fault]);
            let status = output.status.code();
            assert!(!output.status.success(), "{fault}");
            assert!(
                status.is_some_and(|code| code != 124),
                "{fault} does not end by itself: {status:?}"
            );
        }
    }
}

/// An MPI that gives too few threads costs one line, and changes nothing else.
#[test]
fn a_refused_thread_level_is_one_line() {
    let _alone = alone();
    for mpi in installed() {
        let built = mpi.build("faults", "gcc");
        let output = mpi.run(2, 2, &["--mpi"], &[text(&built), "level"]);
        assert!(output.status.success());
        assert_eq!(lossy(&output.stdout), "PASS\n");
        let complained = lossy(&output.stderr);
        let lines: Vec<&str> = complained.lines().collect();
        assert!(
            lines.len() == 1 && lines[0].contains("does not give MPI_THREAD_MULTIPLE"),
            "{complained}"
        );
    }
}

#[test]
fn the_example_builds_and_passes() {
    let _alone = alone();
    for mpi in installed() {
        let compiler = format!("MPICC=mpicc.{}", mpi.name);
        let made = Command::new("make")
            .arg("-C")
            .arg(root().join("examples"))
            .args(["-B", "ring", &compiler])
            .output()
            .expect("make starts");
        assert!(made.status.success(), "{}", lossy(&made.stderr));
        mpi.passes(4, 1, &[text(&root().join("examples/ring"))]);
    }
}

/// MPICH's functions for Fortran call those of C, but for some of `mpi_f08`; for these and for Open MPI there are functions of our own.
#[test]
fn tasks_of_fortran_programs_wait_without_their_threads() {
    let _alone = alone();
    for mpi in installed() {
        for interface in ["USE_MPI", "USE_MPIFH", "USE_F08"] {
            for program in ["tasks", "forms"] {
                let output = scratch().join(format!("mpi-{program}-{}-{interface}", mpi.name));
                let built = Command::new(format!("mpif90.{}", mpi.name))
                    .args([&format!("-D{interface}"), "-O1", "-fopenmp", "-J"])
                    .arg(scratch())
                    .arg("-o")
                    .arg(&output)
                    .arg(root().join("tests/mpi").join(program).with_extension("F90"))
                    .output()
                    .expect("the compiler of MPI starts");
                assert!(built.status.success(), "{}", lossy(&built.stderr));
                mpi.passes(2, 2, &[text(&output)]);
            }
        }
    }
}

#[test]
fn a_program_without_mpi_is_refused() {
    let command = dist().join("bin/vicinity");
    let refused = |arguments: &[&str]| {
        let output = Command::new(&command).arg("run").args(arguments).output().expect("it starts");
        (output.status.code(), lossy(&output.stderr))
    };
    let (status, said) = refused(&["--mpi", "--unchecked", "/bin/true"]);
    assert_eq!(status, Some(126), "{said}");
    assert!(
        said.contains("/bin/true does not link MPI") && said.contains("--mpi=openmpi"),
        "{said}"
    );
    assert_eq!(refused(&["--mpi=other", "/bin/true"]).0, Some(2));
}
