//! Small traces for the tests of this module: two locations of one thread each, 21 apart.

use super::{Trace, read};

pub const HEADER: &str = r#""otherData":{"vicinity":1,"program":"./example","arguments":["-n","2"],
"started":"2026-01-31T12:00:00Z","settings":{"OMP_NUM_THREADS":"2"},"topology":{"kind":"numa_domains",
"locations":[{"name":"node 0","cores":[0],"node":0},{"name":"node 1","cores":[1],"node":1}],
"distances":[[10,21],[21,10]],"enforced":true},"counters":["page_faults"],"notes":["no cycles here"]}"#;

/// The text of a file with these events.
pub fn text(events: &[String]) -> String {
    let mut lines = vec![
        fact("thread_name", 0, r#""name":"initial","location":0"#),
        fact("thread_name", 1, r#""name":"worker 1","location":1"#),
    ];
    lines.extend_from_slice(events);
    lines.push(fact("vicinity_end", 0, r#""how":"exit","missing_events":0,"written_events":9"#));
    format!("{{\"displayTimeUnit\":\"ns\",{HEADER},\"traceEvents\":[\n{}\n]}}\n", lines.join(",\n"))
}

/// The trace that a file with these events gives.
pub fn trace(events: &[String]) -> Trace {
    read(text(events).as_bytes()).expect("a readable trace")
}

/// A task from `start` to `end` (microseconds), with more fields of its arguments: `,"at":1`.
pub fn task(id: u64, name: &str, tid: u32, (start, end): (f64, f64), more: &str) -> String {
    event("task", name, tid, (start, end), &format!(r#""id":{id}{more}"#))
}

/// A member's part of a region; `id` is its implicit task.
pub fn region(id: u64, region: u64, tid: u32, times: (f64, f64)) -> String {
    event("region", "main:1", tid, times, &format!(r#""id":{id},"region":{region},"thread":{tid}"#))
}

/// A wait of the task or implicit task `body`.
pub fn wait(name: &str, body: u64, tid: u32, times: (f64, f64)) -> String {
    event("wait", name, tid, times, &format!(r#""task":{body}"#))
}

fn event(cat: &str, name: &str, tid: u32, (start, end): (f64, f64), args: &str) -> String {
    let dur = end - start;
    format!(
        r#"{{"ph":"X","pid":7,"tid":{tid},"cat":"{cat}","name":"{name}","ts":{start},"dur":{dur},"args":{{{args}}}}}"#
    )
}

fn fact(name: &str, tid: u32, args: &str) -> String {
    format!(r#"{{"ph":"M","pid":7,"tid":{tid},"name":"{name}","args":{{{args}}}}}"#)
}
