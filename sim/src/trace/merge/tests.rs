//! Two ranks' files, written by hand, become one.

use std::path::PathBuf;

use super::super::model::{Body, Message};
use super::super::{Trace, read};
use super::*;

/// A rank that started at `ns` on the machine's clock, with one location.
fn file(name: &str, rank: &str, boot: &str, ns: u64, events: &[String], end: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("vicinity-merge-{}-{name}", std::process::id()));
    let head = format!(
        r#"{{"displayTimeUnit":"ns","otherData":{{"vicinity":1,"program":"./job","arguments":[],"pid":7,"processors":2,
"started":"2026-01-31T12:00:0{}Z","clock":{{"boot":"{boot}","ns":{ns}}},"rank":{rank},"ranks":2,"settings":{{}},
"topology":{{"kind":"numa_domains","locations":[{{"name":"node 0","cores":[0],"node":0}}],"distances":[[10]]}},
"counters":[],"notes":["a note"]}},
"traceEvents":[
"#,
        ns / 1_000_000_000
    );
    let facts = [
        r#"{"ph":"M","pid":7,"tid":0,"name":"process_name","args":{"name":"job"}}"#.to_owned(),
        r#"{"ph":"M","pid":7,"tid":0,"name":"thread_name","args":{"name":"initial","location":0}}"#
            .to_owned(),
    ];
    let last = format!(
        r#"{{"ph":"M","pid":7,"tid":0,"name":"vicinity_end","args":{{"how":"exit","missing_events":0{end}}}}}"#
    );
    let lines: Vec<String> = facts.iter().chain(events).cloned().chain([last]).collect();
    std::fs::write(&path, head + &lines.join(",\n") + "\n]}\n").expect("a file");
    path
}

fn message(name: &str, peer: u32, tag: i32, ts: f64, posted: f64, size: u64) -> String {
    format!(
        r#"{{"ph":"X","pid":7,"tid":0,"cat":"message","name":"{name}","ts":{ts},"dur":0.5,"args":{{"task":3,"peer":{peer},"tag":{tag},"communicator":"5","size":{size},"posted":{posted}}}}}"#
    )
}

fn task(id: u64, ts: f64, dur: f64, more: &str) -> String {
    format!(
        r#"{{"ph":"X","pid":7,"tid":0,"cat":"task","name":"work","ts":{ts},"dur":{dur},"args":{{"id":{id},"created":{ts},"ready":{ts},"bytes":[64],"at":0{more}}}}}"#
    )
}

fn merged(paths: &[PathBuf]) -> Result<(String, Trace), Failed> {
    let mut text = Vec::new();
    let done = merge(paths, &mut text);
    paths.iter().for_each(|path| drop(std::fs::remove_file(path)));
    done?;
    let trace = read(&text).expect("the merged trace is one");
    Ok((String::from_utf8(text).expect("text"), trace))
}

#[test]
fn ranks_become_processes_of_one_trace() {
    let flow = r#"{"ph":"s","pid":7,"tid":0,"cat":"flow","name":"after","id":3,"ts":10.0}"#;
    let a = [message("send", 1, 4, 20.0, 20.0, 8), task(3, 10.0, 50.0, ""), flow.to_owned()];
    let b = [
        message("receive", 0, 4, 30.0, 2.0, 8),
        task(3, 5.0, 40.0, r#","parent":0"#),
        task(4, 50.0, 1.0, r#","after":[3]"#),
    ];
    let paths =
        [file("b", "1", "x", 2_000_010_000, &b, ""), file("a", "0", "x", 2_000_000_000, &a, "")];
    let (text, trace) = merged(&paths).unwrap();
    assert_eq!((trace.ranks, trace.threads.len(), trace.tasks.len()), (2, 2, 3));
    let names: Vec<&str> = trace.locations.iter().map(|place| place.name.as_str()).collect();
    assert_eq!(names, ["rank 0", "rank 1"]);
    assert!(text.contains(r#""name":"rank 1: job""#) && text.contains(r#""pid":1"#), "{text}");
    assert_eq!(trace.notes, ["rank 0: a note", "rank 1: a note"]);
    assert_eq!(trace.processors, Some(4));
    // Rank 1 started 10 us later; times count from the first event, 10 us after the start of rank 0.
    let starts: Vec<u64> = trace.tasks.iter().map(|task| task.start_ns).collect();
    assert_eq!(starts, [0, 5_000, 50_000]);
    let last = &trace.tasks[2];
    assert_eq!(
        (trace.after_of(last).len(), trace.after_of(last)[0].0, last.parent),
        (1, 1, Body::Outside)
    );
    assert_eq!(trace.bytes_of(last)[0].0.0, 1);
    let arrow = Message { from: 0, from_ns: 10_000, to: 1, to_ns: 30_499, bytes: 8 };
    assert_eq!(trace.messages, [arrow]);
    assert!(!trace.whole, "no bounds for several ranks");
}

/// Two messages of one kind: the receive that was posted first, though it ended last, got the first.
#[test]
fn receives_match_in_the_order_in_which_they_were_posted() {
    let a = [
        message("send", 1, 4, 1.0, 1.0, 100),
        message("send", 1, 4, 2.0, 2.0, 200),
        message("send", 1, 9, 3.0, 3.0, 300),
    ];
    let b = [message("receive", 0, 4, 10.0, 6.0, 200), message("receive", 0, 4, 11.0, 5.0, 100)];
    let paths = [file("c", "0", "x", 0, &a, ""), file("d", "1", "x", 0, &b, "")];
    let (_, trace) = merged(&paths).unwrap();
    let arrows: Vec<(u64, u64)> = trace.messages.iter().map(|it| (it.from_ns, it.to_ns)).collect();
    assert_eq!(arrows, [(0, 10_499), (1_000, 9_499)]);
    assert!(
        trace.notes.iter().any(|note| note.starts_with("1 sends or receives have no other end"))
    );
}

#[test]
fn clocks_of_one_machine_are_stretched_and_those_of_several_are_not() {
    // After two seconds by the file, two seconds and 100 us have passed on the machine.
    let end = r#","clock_ts":2000000.000,"clock_ns":3000100000"#;
    let a = [task(3, 0.0, 1.0, ""), task(4, 2_000_000.0, 1.0, "")];
    let files = |boot| {
        [
            file(&format!("{boot}e"), "0", "x", 1_000_000_000, &a, end),
            file(&format!("{boot}f"), "1", boot, 1_000_000_000, &[], ""),
        ]
    };
    let second = |trace: &Trace| trace.tasks[1].start_ns;
    let (_, here) = merged(&files("x")).unwrap();
    assert_eq!(second(&here), 2_000_100_000);
    let (_, elsewhere) = merged(&files("y")).unwrap();
    assert_eq!(second(&elsewhere), 2_000_000_000);
    assert!(elsewhere.notes.iter().any(|note| note.contains("several machines")));
}

#[test]
fn what_cannot_be_merged_is_named() {
    let two = [file("g", "1", "x", 0, &[], ""), file("h", "1", "x", 0, &[], "")];
    let failed = merged(&two).unwrap_err();
    assert_eq!(
        (failed.error.to_string().as_str(), failed.path),
        ("is a second trace of rank 1", two[1].clone())
    );
    let missing = PathBuf::from("/no/such/trace");
    assert_eq!(merged(std::slice::from_ref(&missing)).unwrap_err().path, missing);
}
