//! One thread, two bodies of the same policies: a program that runs on the runtime, and its recorded tasks in
//! `vicinity simulate`, run in the same order.

use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

/// The tasks of a trace in the order of their starts, each by its name and how deep it is below the first ones.
fn order(trace: &Path) -> Vec<(usize, String)> {
    let text = std::fs::read_to_string(trace).expect("the trace");
    let whole: Value = serde_json::from_str(&text).expect("JSON");
    let events = whole["traceEvents"].as_array().expect("events").iter();
    let mut tasks: Vec<_> = events.filter(|event| event["cat"] == "task").collect();
    let time = |task: &Value, name: &str| task[name].as_f64().expect("a time");
    // Of two that start at once the longer is around the other.
    tasks.sort_by(|a, b| {
        time(a, "ts").total_cmp(&time(b, "ts")).then(time(b, "dur").total_cmp(&time(a, "dur")))
    });
    let id = |task: &Value, name: &str| task["args"][name].as_u64().expect("a number");
    let parents: HashMap<_, _> =
        tasks.iter().map(|task| (id(task, "id"), id(task, "parent"))).collect();
    let depth = |task: u64| std::iter::successors(parents.get(&task), |it| parents.get(it)).count();
    tasks.iter().map(|task| (depth(id(task, "id")), task["name"].to_string())).collect()
}

#[test]
fn one_thread_runs_tasks_in_the_order_that_is_simulated() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let dist = scratch.parent().expect("target").join("dist");
    let (program, real, simulated) =
        (scratch.join("order"), scratch.join("order.json"), scratch.join("order-simulated.json"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("trace/order.c");
    let mut built = Command::new("gcc");
    built.args(["-g", "-O1", "-fopenmp", "-o"]).args([&program, &source]);
    assert!(built.status().expect("gcc starts").success());
    let ran = Command::new(&program)
        .env("LD_LIBRARY_PATH", dist.join("lib/omp"))
        .env("OMP_NUM_THREADS", "1")
        .env("VICINITY_TRACE", &real)
        .output();
    assert!(ran.expect("the program starts").status.success());
    for scheduler in ["workstealing", "locality"] {
        let output = Command::new(dist.join("bin/vicinity"))
            .args(["simulate", "--threads", "1", "--distribution", "standard"])
            .args(["--scheduler", scheduler])
            .args(["--from-trace".as_ref(), real.as_os_str(), "--trace".as_ref()])
            .arg(&simulated)
            .output()
            .expect("vicinity starts");
        assert!(output.status.success(), "{output:?}");
        let expected = order(&real);
        assert_eq!(expected.len(), 2 * 33 + 10);
        // The simulated program is a task itself, the first and around all others.
        let found = order(&simulated).split_off(1);
        let found: Vec<_> = found.into_iter().map(|(depth, name)| (depth - 1, name)).collect();
        assert_eq!(found, expected, "{scheduler}");
    }
}
