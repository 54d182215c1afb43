//! `vicinity top` sees what a running program does: how many threads it has, how many regions it starts, and how long they wait.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use vicinity_tests::toolchain::build_text;

/// Says that it has begun, and then runs regions for ever: the first thread works in them, the others wait for it. With `fork`
/// a child does so, and its parent waits for it; with `rest` nobody has anything to do.
const PROGRAM: &str = r#"
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
static void region(void)
{
#pragma omp parallel num_threads(4)
    if (omp_get_thread_num() == 0) usleep(2000);
}
int main(int argc, char **argv)
{
    region();
    if (argc > 1 && !strcmp(argv[1], "fork") && fork() > 0) return wait(NULL) < 0;
    region();
    printf("%d\n", (int)getpid());
    fflush(stdout);
    if (argc > 1 && !strcmp(argv[1], "rest")) pause();
    for (;;) region();
}
"#;

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn command() -> PathBuf {
    scratch().parent().expect("target").join("dist/bin/vicinity")
}

/// A program in the background, which ends with the test.
struct Running {
    child: Child,
    /// Of the process that runs the regions.
    process: u32,
}

impl Running {
    fn start(name: &str, argument: &str, top: Option<&str>) -> Running {
        let program = scratch().join(format!("top-{name}"));
        build_text(&program, PROGRAM, &["-fopenmp"]);
        let mut run = Command::new(command());
        run.arg("run")
            .arg(&program)
            .arg(argument)
            .stdout(Stdio::piped())
            .env_remove("VICINITY_TOP");
        top.map(|value| run.env("VICINITY_TOP", value));
        let mut child = run.spawn().expect("the command starts");
        let mut line = String::new();
        let said = child.stdout.take().expect("a pipe");
        BufReader::new(said).read_line(&mut line).expect("text");
        Running { child, process: line.trim().parse().expect("a process") }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.process.to_string()).status();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn top(arguments: &[&str]) -> Output {
    Command::new(command()).arg("top").args(arguments).output().expect("the command starts")
}

/// What is said of a process over an interval that is long enough for a machine with much to do.
fn watched(process: u32) -> Value {
    let output = top(&["--json", "--once", "--interval", "2", &process.to_string()]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(said["processes"].as_array().map(Vec::len), Some(1), "{said}");
    said["processes"][0].clone()
}

#[test]
fn a_program_whose_threads_wait_for_one() {
    let running = Running::start("waits", "go", None);
    let said = watched(running.process);
    assert_eq!((&said["pid"], &said["threads"]), (&running.process.into(), &4.into()), "{said}");
    assert_eq!(said["program"], "top-waits");
    let number = |name: &str| said[name].as_f64().expect("a number");
    assert!(number("regions_per_second") > 1.0, "{said}");
    assert!(number("waiting_share") > 0.1 && number("busy_share") > 0.05, "{said}");
    let sum = number("waiting_share") + number("busy_share") + number("idle_share");
    assert!((sum - 1.0).abs() < 1e-6, "{said}");
}

#[test]
fn workers_without_a_region_rest() {
    let running = Running::start("rests", "rest", None);
    let said = watched(running.process);
    assert_eq!(said["regions_per_second"], 0.0, "{said}");
    assert_eq!(
        (&said["waiting_share"], &said["idle_share"]),
        (&0.0.into(), &0.75.into()),
        "{said}"
    );
}

#[test]
fn a_forked_child_has_a_page_of_its_own() {
    let running = Running::start("forks", "fork", None);
    let said = watched(running.process);
    assert!(said["regions_per_second"].as_f64() > Some(1.0), "{said}");
    let parent = watched(running.child.id());
    assert_eq!(parent["regions_per_second"], 0.0, "{parent}");
}

#[test]
fn a_program_that_offers_nothing_is_named() {
    let running = Running::start("silent", "go", Some("off"));
    let output = top(&["--once", &running.process.to_string()]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(125), "{said}");
    assert!(said.contains(&format!("process {}", running.process)), "{said}");
    assert!(said.contains("VICINITY_TOP=on") && said.lines().count() == 1, "{said}");
}

#[test]
fn a_table_has_a_line_for_each_process() {
    let running = Running::start("table", "go", None);
    let output = top(&["--once", "--interval", "0.5"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.lines().next().is_some_and(|head| head.contains("REGIONS/S")), "{said}");
    let line = said.lines().find(|line| line.starts_with(&format!("{:>7} ", running.process)));
    assert!(line.is_some_and(|line| line.ends_with("  top-table")), "{said}");
}

/// On a terminal the table is drawn again and again until somebody presses `q`, and then the screen is as it was.
#[test]
fn the_view_on_a_terminal_ends_with_q() {
    let running = Running::start("view", "go", None);
    let view = format!(
        "stty rows 24 cols 100; exec {} top --interval 0.2 {}",
        command().display(),
        running.process
    );
    let script = "(sleep 2; printf q) | timeout --signal=KILL 60 script -qec \"$0\" /dev/null";
    let output = Command::new("sh").args(["-c", script, &view]).env("TERM", "xterm").output();
    let output = output.expect("a shell starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    let (shown, after) = said.rsplit_once("q ends").expect("the view");
    assert!(shown.contains("REGIONS/S") && shown.contains("top-view"), "{said}");
    assert!(after.contains("\x1b[?1049l"), "the other screen: {said:?}");
}
