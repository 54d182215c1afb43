//! Ranks of MPI on this machine, with each MPI that is installed: which processors and how many threads they get.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use vicinity_tests::ranks::apart;

/// The ends of the names of their compilers and launchers, and what keeps ranks from being bound.
const KINDS: [(&str, &[&str]); 2] =
    [("openmpi", &["--oversubscribe", "--bind-to", "none"]), ("mpich", &[])];

fn installed() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&path).collect();
    KINDS.into_iter().filter(move |(kind, _)| {
        folders.iter().any(|folder| folder.join(format!("mpicc.{kind}")).exists())
    })
}

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// Each test has a program of its own: they run at once.
fn build(test: &str, kind: &str) -> PathBuf {
    let output = scratch().join(format!("ranks-{test}-{kind}"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("mpi/share.c");
    let mut command = Command::new(format!("mpicc.{kind}"));
    let built = command.args(["-O1", "-fopenmp", "-o"]).arg(&output).arg(source).status();
    assert!(built.expect("the compiler of MPI starts").success());
    output
}

/// Lines of all ranks that `vicinity run` was started for. Each rank writes a file of its own: a launcher may mix the lines
/// of several, or cut them in two.
fn run(
    kind: &str,
    options: &[&str],
    ranks: usize,
    command: &[&str],
    variables: &[(&str, &str)],
) -> Vec<String> {
    let said = tempfile::tempdir().expect("a folder");
    let mut launcher = Command::new("timeout");
    let _apart = apart(&mut launcher);
    let output = launcher
        .args(["60", &format!("mpirun.{kind}")])
        .args(options)
        .args(["-n", &ranks.to_string()])
        .args(["sh", "-c", "exec \"$@\" > \"$SAID/$$\"", "sh"])
        .arg(scratch().parent().expect("target").join("dist/bin/vicinity"))
        .args(command)
        .env("SAID", said.path())
        .env_remove("OMP_NUM_THREADS")
        .envs(variables.iter().copied())
        .output()
        .expect("timeout starts");
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{kind} {command:?}: {}\n{complained}", output.status);
    let files = std::fs::read_dir(said.path()).expect("the folder").map(|it| it.expect("a file"));
    let texts = files.map(|file| std::fs::read_to_string(file.path()).expect("text"));
    let mut lines: Vec<String> =
        texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    lines.sort();
    lines
}

/// The processors of each rank: numbers between `may use` and `;`.
fn processors(lines: &[String]) -> Vec<BTreeSet<usize>> {
    let of = |line: &String| {
        let list = line.split_once("may use ")?.1.split_once(';')?.0;
        Some(list.split(' ').filter_map(|word| word.parse().ok()).collect())
    };
    lines.iter().filter_map(of).collect()
}

fn here() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[test]
fn ranks_that_are_not_bound_have_processors_of_their_own() {
    for (kind, options) in installed() {
        let program = build("parts", kind);
        let command = ["run", program.to_str().expect("a plain name")];
        let lines = run(kind, options, 2, &command, &[]);
        let parts = processors(&lines);
        assert_eq!(parts.len(), 2, "{lines:?}");
        if here() > 1 {
            assert!(parts[0].is_disjoint(&parts[1]), "{kind}: {lines:?}");
            assert_eq!(parts[0].len() + parts[1].len(), here(), "{kind}: {lines:?}");
        }
        for (line, part) in lines.iter().zip(&parts) {
            let expected = format!("; team of {}, {} processors", part.len(), part.len());
            assert!(here() == 1 || line.ends_with(&expected), "{kind}: {line}");
        }
    }
}

#[test]
fn more_ranks_than_processors_have_one_thread_each() {
    for (kind, options) in installed() {
        let program = build("crowd", kind);
        let command = ["run", program.to_str().expect("a plain name")];
        for line in run(kind, options, here() + 1, &command, &[]) {
            assert!(line.ends_with("; team of 1, 1 processors"), "{kind}: {line}");
        }
    }
}

#[test]
fn the_division_can_be_switched_off_and_is_not_made_twice() {
    for (kind, options) in installed() {
        let program = build("switch", kind);
        let program = program.to_str().expect("a plain name");
        let alone = format!("team of {}, {} processors", here(), here());
        for line in run(kind, options, 2, &["run", program], &[("VICINITY_RANKS", "ignore")]) {
            assert!(line.ends_with(&alone), "{kind}: {line}");
        }
        let bound = ["run", "--unchecked", "taskset", "1", program];
        for line in run(kind, options, 2, &bound, &[]) {
            assert!(line.ends_with("may use 0; team of 1, 1 processors"), "{kind}: {line}");
        }
    }
}

#[test]
fn a_described_machine_is_divided_by_its_nodes() {
    let machine = [("HWLOC_SYNTHETIC", "package:2 numa:2 l3:1 core:3 pu:2")];
    for (kind, options) in installed() {
        let lines = run(kind, options, 4, &["info"], &machine);
        let shares: Vec<&String> = lines.iter().filter(|line| line.starts_with("Share ")).collect();
        let places = lines.iter().filter(|line| line.contains("on node"));
        let expected = ["0-5", "6-11", "12-17", "18-23"];
        for (rank, (share, processors)) in shares.iter().zip(expected).enumerate() {
            let expected = format!("rank {rank} of 4 on this machine: processors {processors};");
            assert!(share.contains(&expected), "{kind}: {share}");
        }
        assert_eq!((shares.len(), places.count()), (4, 4), "{kind}: {lines:?}");
    }
}
