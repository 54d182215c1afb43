//! Which programs are declared before there is code, and what is said meanwhile.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use vicinity_translator::report::describe::Program;

fn command(source: &str, words: &[&str]) -> (TempDir, PathBuf, Command) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (file, work) = (folder.path().join("a.cl"), folder.path().join("work"));
    std::fs::write(&file, source).expect("a source");
    let mut command = Command::new(env!("CARGO_BIN_EXE_vicinity-translate"));
    command.args(["build", "--in-parts", "--output-dir"]).arg(&work).args(words).arg(&file);
    command.args(["--", "-cl-std=CL3.0"]);
    (folder, work, command)
}

/// The exit status, the lines, and the folder.
fn built(source: &str, environment: &[(&str, &str)]) -> (Option<i32>, Vec<String>, TempDir) {
    let (folder, _, mut command) = command(source, &[]);
    let output = command.envs(environment.iter().copied()).output().expect("it starts");
    let lines = String::from_utf8(output.stdout).expect("text").lines().map(String::from).collect();
    (output.status.code(), lines, folder)
}

fn description(folder: &Path, name: &str) -> Program {
    let text = std::fs::read_to_string(folder.join("work").join(name)).expect("a description");
    serde_json::from_str(&text).expect("a description")
}

#[test]
fn each_kernel_is_told_of_and_the_whole_is_as_ever() {
    let source = "float twice(float x) { return 2 * sin(x); }
        kernel void a(global float *x) { x[get_global_id(0)] = twice(1); }
        kernel __attribute__((reqd_work_group_size(4, 1, 1)))
        void b(global float *x, local double *y, float4 z, char w) { y[0] = w; x[0] = y[0] + z.x; }
        kernel void c(global int *x) { printf(\"%d\", x[0]); }";
    let (status, mut lines, folder) = built(source, &[]);
    assert_eq!((status, lines.remove(0).as_str()), (Some(0), "declared"));
    lines.sort();
    assert_eq!(lines, ["part 0", "part 1", "part 2"]);
    let declared = description(folder.path(), "declared.json");
    let whole = description(folder.path(), "program.json");
    let names = |of: &Program| of.kernels.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&declared), ["a", "b", "c"]);
    assert_eq!(names(&whole), names(&declared));
    for (number, (early, late)) in declared.kernels.iter().zip(&whole.kernels).enumerate() {
        let alone = description(folder.path(), &format!("program.{number}.json"));
        assert_eq!(names(&alone), std::slice::from_ref(&late.name));
        let places = |of: &[vicinity_translator::report::describe::ArgumentText]| {
            of.iter().map(|it| (it.kind.clone(), it.offset, it.size)).collect::<Vec<_>>()
        };
        assert_eq!(places(&early.arguments), places(&late.arguments));
        assert_eq!(early.arguments_bytes, late.arguments_bytes);
        assert_eq!(
            (&early.attributes, early.required_size),
            (&late.attributes, late.required_size)
        );
        assert_eq!(early.uniform_groups, late.uniform_groups);
    }
}

#[test]
fn what_may_be_wrong_is_not_declared() {
    let plain = "kernel void k(global int *x) { x[0] = 1; }";
    let cases = [
        (0, plain.to_owned(), ""),
        (1, format!("void nowhere(void); {plain} kernel void l() {{ nowhere(); }}"), ""),
        (0, format!("global int kept = 5; {plain} kernel void l() {{ kept++; }}"), ""),
        (1, "int f(int x) { return x > 1 ? f(x - 1) * f(x - 2) - 1 : x; } kernel void k(global int *x) { *x = f(*x); }".into(), ""),
        (0, plain.to_owned(), "less"),
        (1, "kernel __attribute__((intel_reqd_sub_group_size(7))) void k(global int *x) { *x = get_sub_group_size(); }".into(), ""),
    ];
    for (number, (status, source, effort)) in cases.iter().enumerate() {
        let (found, lines, _folder) = built(source, &[("VICINITY_EFFORT", effort)]);
        assert_eq!(found, Some(*status), "{source}");
        assert_eq!(lines.is_empty(), number > 0, "{source}: {lines:?}");
    }
}

#[test]
fn nobody_is_told_in_vain() {
    let (_folder, work, mut command) = command("kernel void k() {} kernel void l() {}", &[]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(141));
    assert!(!work.exists());
}

/// A translator that is held makes code when a byte comes, and leaves nothing when none can come any more.
#[test]
fn code_waits_for_a_word() {
    let held = || {
        let source = "kernel void k(global int *x) { x[0] = 1; }";
        let (folder, work, mut command) = command(source, &["--held"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        (folder, work, command)
    };
    let (folder, work, mut command) = held();
    let mut child = command.spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    assert_eq!(lines.next().expect("a line").expect("text"), "declared");
    assert!(!work.join("program.so").exists());
    child.stdin.take().expect("a pipe").write_all(&[1]).expect("it listens");
    assert_eq!(lines.next().expect("a line").expect("text"), "part 0");
    assert!(child.wait().expect("it ends").success() && work.join("program.so").exists());
    drop(folder);

    let (_folder, work, mut command) = held();
    let mut child = command.spawn().expect("it starts");
    drop(child.stdin.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(141));
    assert!(!work.exists());
}
