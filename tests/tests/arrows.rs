//! Traces of several ranks: each rank's file, and what `vicinity timeline` makes of all of them, with each MPI that is
//! installed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use vicinity_tests::browser::Browser;
use vicinity_tests::ranks::apart;

const KINDS: [(&str, &[&str]); 2] = [("openmpi", &["--oversubscribe"]), ("mpich", &[])];

/// Messages of tests/mpi/arrows.c, those of both ranks.
const MESSAGES: usize = 28;
/// Those of tests/mpi/commands.c that arrive; one more is sent.
const OF_COMMANDS: usize = 21;

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

fn command() -> PathBuf {
    scratch().parent().expect("target").join("dist/bin/vicinity")
}

fn succeeded(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{said}{complained}", output.status);
    assert_eq!(complained, "");
    said
}

/// Runs `arrows` on two ranks; their traces.
fn traces(test: &str, kind: &str, options: &[&str]) -> [PathBuf; 2] {
    traces_of("arrows", &[], test, kind, options)
}

/// Runs a program of tests/mpi, with further options of `vicinity run`.
fn traces_of(name: &str, how: &[&str], test: &str, kind: &str, options: &[&str]) -> [PathBuf; 2] {
    let folder = scratch().join(format!("arrows-{test}-{kind}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let program = folder.join(name);
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut compiler = Command::new(format!("mpicc.{kind}"));
    compiler.args(["-O1", "-fopenmp", "-I"]).arg(tests.join("../capi/include"));
    compiler.arg("-o").arg(&program).arg(tests.join("mpi").join(name).with_extension("c"));
    let built = compiler.arg("-lOpenCL").output();
    succeeded(&built.expect("the compiler of MPI starts"));
    let mut launcher = Command::new("timeout");
    let _apart = apart(&mut launcher);
    let run = launcher
        .args(["120", &format!("mpirun.{kind}")])
        .args(options)
        .args(["-n", "2"])
        .arg(command())
        .args(["run", "--mpi"])
        .args(how)
        .arg("--trace")
        .arg(folder.join("a.json"))
        .arg(&program)
        .env("OMP_NUM_THREADS", "2")
        .output();
    assert_eq!(succeeded(&run.expect("timeout starts")), "PASS\n");
    [folder.join("a.rank0.json"), folder.join("a.rank1.json")]
}

fn events(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let whole: Value = serde_json::from_str(&text).expect("JSON");
    whole["traceEvents"].as_array().cloned().expect("events")
}

/// Arrows by number: beginning and end.
fn arrows(events: &[Value]) -> BTreeMap<u64, [Option<&Value>; 2]> {
    let mut arrows: BTreeMap<u64, [Option<&Value>; 2]> = BTreeMap::new();
    for event in events.iter().filter(|event| event["cat"] == "message") {
        let at = match event["ph"].as_str() {
            Some("s") => 0,
            Some("f") => 1,
            _ => continue,
        };
        arrows.entry(event["id"].as_u64().expect("a number")).or_default()[at] = Some(event);
    }
    arrows
}

/// In a browser: arrows are drawn, and nothing lands on the console.
fn look_at(page: &Path) {
    let Some(browser) = Browser::start(scratch(), (1400, 900)) else { return };
    browser.open(page);
    browser.until("window.timeline && window.timeline.frames.drawn > 0");
    let script = "let drawn = 0; const drawing = timeline.drawing, arrow = drawing.arrow;
        drawing.arrow = (...places) => { drawn += places.every(Number.isFinite); arrow.apply(drawing, places); };
        timeline.stale = true; timeline.paint(); return drawn;";
    assert_eq!(browser.evaluate(script), MESSAGES);
    assert_eq!(browser.log(), Vec::<String>::new());
}

#[test]
fn the_traces_of_all_ranks_become_one_with_arrows() {
    for (kind, options) in installed() {
        let ranks = traces("page", kind, options);
        let merged = ranks[0].with_file_name("all.json");
        let said = Command::new(command())
            .arg("timeline")
            .args(&ranks)
            .arg("--merged")
            .arg(&merged)
            .output();
        assert!(succeeded(&said.expect("it starts")).contains("a.html"), "{kind}");
        let events = events(&merged);
        let arrows = arrows(&events);
        assert_eq!(arrows.len(), MESSAGES, "{kind}");
        for ends in arrows.values() {
            let [Some(from), Some(to)] = ends else { panic!("{kind}: half an arrow: {ends:?}") };
            assert_ne!(from["pid"], to["pid"], "{kind}: {from} {to}");
            // One clock, to a microsecond.
            let (sent, received) = (from["ts"].as_f64(), to["ts"].as_f64());
            assert!(
                sent.zip(received).is_some_and(|(sent, received)| sent < received + 1.0),
                "{kind}: {from} {to}"
            );
        }
        let page = std::fs::read_to_string(ranks[0].with_file_name("a.html")).expect("a page");
        assert!(page.contains("\"rank 1") && page.contains("messageReceived"), "{kind}");
        assert!(!page.contains("no other end"), "{kind}: all messages are pairs");
        look_at(&ranks[0].with_file_name("a.html"));
    }
}

/// A command is one end of an arrow, and another command or a plain call the other.
#[test]
fn messages_of_commands_have_arrows() {
    for (kind, options) in installed() {
        let ranks = traces_of("commands", &["--opencl"], "commands", kind, options);
        let merged = ranks[0].with_file_name("all.json");
        let mut command = Command::new(command());
        command.arg("timeline").args(&ranks).arg("--merged").arg(&merged);
        let said = command.output().expect("it starts");
        let complained = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.status.success(), "{kind}: {complained}");
        assert!(
            complained.contains("1 sends or receives have no other end"),
            "{kind}: {complained}"
        );
        let events = events(&merged);
        let arrows = arrows(&events);
        assert_eq!(arrows.len(), OF_COMMANDS, "{kind}");
        for ends in arrows.values() {
            let [Some(from), Some(to)] = ends else { panic!("{kind}: half an arrow: {ends:?}") };
            assert_ne!(from["pid"], to["pid"], "{kind}: {from} {to}");
            assert_eq!(from["args"], to["args"], "{kind}: {from} {to}");
        }
    }
}

#[test]
fn the_summary_counts_messages_and_names_no_critical_path() {
    for (kind, options) in installed() {
        let ranks = traces("text", kind, options);
        let said = Command::new(command()).args(["timeline", "--text"]).args(&ranks).output();
        let said = succeeded(&said.expect("it starts"));
        assert!(
            said.contains(&format!("Messages         {MESSAGES} between 2 ranks, 112 B")),
            "{said}"
        );
        assert!(said.contains("Critical path    unknown: ranks wait for messages"), "{said}");
        let twice =
            Command::new(command()).args(["timeline", "--text"]).args([&ranks[1]; 2]).output();
        let twice = twice.expect("it starts");
        let complained = String::from_utf8_lossy(&twice.stderr).into_owned();
        assert_eq!(twice.status.code(), Some(125), "{complained}");
        assert!(complained.contains("a.rank1.json: is a second trace of rank 1"), "{complained}");
    }
}
