//! `vicinity survey`: what it writes, and that other commands take it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn vicinity(arguments: &[&str]) -> Output {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("target");
    let mut command = Command::new("timeout");
    command.arg("120").arg(target.join("dist/bin/vicinity")).args(arguments);
    command.env_remove("OMP_NUM_THREADS").output().expect("timeout starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_survey_is_a_machine_for_other_commands() {
    let file = scratch("survey.json");
    let name = file.to_str().expect("a plain name");
    let written = vicinity(&["survey", "--quick", name]);
    assert!(written.status.success(), "{}", text(&written.stderr));
    let survey = std::fs::read_to_string(&file).expect("it is there");
    let survey: Value = serde_json::from_str(&survey).expect("JSON");
    let programs = survey["programs"].as_array().expect("a list");
    assert_eq!(programs.len(), 8);
    let (tasks, loops) = programs.split_at(6);
    // Three schedulers and five distributions, of which `auto` is not simulated; two other runtimes.
    tasks.iter().for_each(|program| assert_runs(program, "scheduler", (17, 15, 12)));
    // They end before it is known who touches what.
    loops.iter().for_each(|program| assert_runs(program, "distribution", (7, 5, 0)));
    let shown = vicinity(&["survey", "--show", name]);
    assert_eq!(text(&shown.stdout), text(&written.stdout));
    let simulated = vicinity(&["simulate", "--machine", name, "--program", "map", "--size", "8"]);
    assert!(simulated.status.success(), "{}", text(&simulated.stderr));
    assert!(text(&simulated.stdout).contains("as surveyed"), "{}", text(&simulated.stdout));
}

/// A program has so many runs, so many of them with this setting, and so many simulated.
fn assert_runs(program: &Value, setting: &str, counts: (usize, usize, usize)) {
    let runs = program["runs"].as_array().expect("a list");
    assert!(runs.iter().all(|run| run["median_ms"].is_number()), "{program}");
    let set = runs.iter().filter(|run| run[setting].is_string()).count();
    let simulated = runs.iter().filter(|run| run["simulated_ms"].is_number()).count();
    assert_eq!((runs.len(), set, simulated), counts, "{program}");
}

/// What is passed on tells nobody's name.
#[test]
fn a_survey_names_nobody() {
    let file = scratch("survey-of-memory.json");
    let written = vicinity(&["survey", "--quick", "--memory-only", file.to_str().expect("plain")]);
    assert!(written.status.success(), "{}", text(&written.stderr));
    let survey = std::fs::read_to_string(&file).expect("it is there");
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").expect("a host has a name");
    assert!(!survey.contains(&format!("\"{}\"", host.trim())), "{survey}");
    assert!(!survey.contains(env!("CARGO_TARGET_TMPDIR")), "{survey}");
}

#[test]
fn what_is_no_survey_is_refused() {
    let file = scratch("no-survey.json");
    std::fs::write(&file, "{\"format\": 1}").expect("written");
    let name = file.to_str().expect("a plain name");
    for arguments in [&["survey", "--show", name][..], &["simulate", "--machine", name]] {
        let refused = vicinity(arguments);
        assert_eq!(refused.status.code(), Some(125), "{arguments:?}");
        assert!(text(&refused.stderr).contains("is not a survey: missing field"), "{arguments:?}");
    }
    let unknown = vicinity(&["simulate", "--machine", "epic"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("known are opteron6172"), "{}", text(&unknown.stderr));
    let nowhere = vicinity(&["survey", "--quick", "/no/such/folder/survey.json"]);
    assert_eq!(nowhere.status.code(), Some(125));
}
