//! Programs whose commands send and receive messages, with each MPI that `scripts/setup.sh` installs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use vicinity_tests::driver::Driver;
use vicinity_tests::ranks::apart;

const DRIVER: Driver = Driver { scratch: env!("CARGO_TARGET_TMPDIR") };

/// The ends of the names of their compilers and launchers.
const KINDS: [&str; 2] = ["openmpi", "mpich"];

/// Builds one of the programs in `tests/opencl/driver` with an MPI, once for all tests.
fn build(source: &str, kind: &str) -> PathBuf {
    static BUILT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let folder = DRIVER.scratch("opencl-messages").join(kind);
    fs::create_dir_all(&folder).expect("a folder to build in");
    let program = folder.join(source.replace('.', "-"));
    let mut built_before = BUILT.lock().expect("builds do not panic twice");
    if built_before.insert(program.clone()) {
        Driver::build_by(&format!("mpicc.{kind}"), source, &program);
    }
    program
}

/// Runs a program on so many ranks, more than there are processors if need be. One that hangs is ended, with status 124.
fn run(source: &str, kind: &str, ranks: &str, argument: &str, workers: &str) -> Output {
    launch(&build(source, kind), kind, ranks, argument, workers)
}

fn launch(program: &Path, kind: &str, ranks: &str, argument: &str, workers: &str) -> Output {
    let mut command = Command::new("timeout");
    let _apart = apart(&mut command);
    command.arg("300").arg(format!("mpirun.{kind}"));
    if kind == "openmpi" {
        command.arg("--oversubscribe");
    }
    command.args(["-n", ranks]).arg(program).arg(argument);
    DRIVER.set_for(&mut command, &DRIVER.scratch("opencl-messages/cache"));
    command.env("OMP_NUM_THREADS", workers).output().expect("timeout starts")
}

#[test]
fn messages_arrive_and_fail_as_commands_do() {
    for kind in KINDS {
        for (ranks, workers) in [("2", "1"), ("2", "2"), ("4", "2")] {
            let output = run("messages.c", kind, ranks, "", workers);
            let said = String::from_utf8_lossy(&output.stdout);
            let complained = String::from_utf8_lossy(&output.stderr);
            let is_well = output.status.success() && said.is_empty();
            assert!(is_well, "{kind}, {ranks} ranks: {}\n{said}{complained}", output.status);
        }
    }
}

#[test]
fn without_threads_of_mpi_commands_are_refused_in_one_line() {
    let reasons = [
        ("uninitialized", "MPI is not initialized"),
        ("serialized", "MPI was initialized without MPI_THREAD_MULTIPLE (MPI_Init_thread)"),
        ("finalized", "MPI is finalized"),
    ];
    for kind in KINDS {
        for (when, reason) in reasons {
            let output = run("messages_refused.c", kind, "1", when, "2");
            let said = String::from_utf8_lossy(&output.stdout);
            let complained = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && said.is_empty(), "{kind}, {when}: {said}");
            let line = format!("vicinity: {reason}; no OpenCL command can send or receive");
            let lines = complained.lines().filter(|line| line.starts_with("vicinity:"));
            assert_eq!(lines.collect::<Vec<_>>(), [&line], "{kind}, {when}");
        }
    }
}

/// The example of docs/opencl-mpi.md: heat flows from the first rank to the second, and all of it is in the file.
#[test]
fn the_example_computes_and_writes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder above");
    for kind in KINDS {
        let place = format!("VICINITY={}", DRIVER.dist().display());
        let mut make = Command::new("make");
        make.arg("-C").arg(root.join("examples")).args(["-B", "messages", &place]);
        let made = make.arg(format!("MPICC=mpicc.{kind}")).output().expect("make starts");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let file = DRIVER.scratch("opencl-messages").join(format!("heat-{kind}"));
        let _ = fs::remove_file(&file);
        let argument = file.to_str().expect("a path");
        let output = launch(&root.join("examples/messages"), kind, "2", argument, "2");
        let said = String::from_utf8_lossy(&output.stdout);
        let mut lines: Vec<&str> = said.lines().collect();
        lines.sort_unstable();
        let expected = ["rank 0: from 1.000 to 0.520", "rank 1: from 0.480 to 0.000"];
        assert_eq!(lines, expected, "{kind}: {}", String::from_utf8_lossy(&output.stderr));
        let bytes = fs::read(&file).expect("the file");
        let (numbers, rest) = bytes.as_chunks::<4>();
        let heat: f64 = numbers.iter().map(|&number| f64::from(f32::from_le_bytes(number))).sum();
        assert_eq!((numbers.len(), rest.len(), heat.round()), (200_000, 0, 100_000.0), "{kind}");
    }
}

/// MPI ends the others; no command is left waiting.
#[test]
fn a_rank_that_is_killed_ends_the_job() {
    for kind in KINDS {
        let output = run("messages_lost.c", kind, "2", "", "2");
        let code = output.status.code();
        assert!(code != Some(0) && code != Some(124), "{kind}: {}", output.status);
    }
}
