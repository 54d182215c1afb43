//! Traced programs of both compilers: what is in the file, and that it can be read however the program ends.

use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// Builds `trace/work.c`; one file for each test.
fn build(compiler: &str, name: &str) -> PathBuf {
    build_from("work.c", compiler, name)
}

fn build_from(source: &str, compiler: &str, name: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("trace").join(source);
    let program = scratch().join(format!("trace-{name}-{compiler}"));
    let built = Command::new(compiler)
        .args(["-g", "-O1", "-fopenmp", "-Wall", "-o"])
        .args([&program, &source])
        .output()
        .unwrap_or_else(|error| panic!("cannot run {compiler}: {error}"));
    assert!(built.status.success(), "{compiler}: {}", String::from_utf8_lossy(&built.stderr));
    program
}

/// Runs it traced to `file`.
fn run(program: &Path, way: &str, file: &Path, variables: &[(&str, &str)]) -> Output {
    let lib = scratch().parent().expect("target").join("dist/lib/omp");
    assert!(lib.join("libgomp.so.1").exists(), "{} is empty: run `make` first", lib.display());
    Command::new(program)
        .arg(way)
        .env("LD_LIBRARY_PATH", lib)
        .env("VICINITY_TRACE", file)
        .envs(variables.iter().copied())
        .output()
        .expect("the program starts")
}

fn complaints(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A trace as a strict JSON parser sees it.
struct Trace {
    head: Value,
    events: Vec<Value>,
}

fn ns(value: &Value) -> u64 {
    (value.as_f64().expect("a time") * 1000.0).round() as u64
}

fn number(event: &Value, name: &str) -> u64 {
    event["args"][name].as_u64().unwrap_or_else(|| panic!("no {name} in {event}"))
}

impl Trace {
    fn read(file: &Path) -> Trace {
        let text =
            std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let mut whole: Value = serde_json::from_str(&text).expect("the file is whole JSON");
        let Value::Array(events) = whole["traceEvents"].take() else { panic!("no events") };
        Trace { head: whole["otherData"].take(), events }
    }

    fn of(&self, cat: &str) -> impl Iterator<Item = &Value> {
        self.events.iter().filter(move |event| event["cat"] == cat)
    }

    fn count(&self, cat: &str, name: &str) -> usize {
        self.of(cat).filter(|event| event["name"].as_str().unwrap().starts_with(name)).count()
    }

    fn end(&self) -> &Value {
        let last = self.events.last().expect("there are events");
        assert_eq!(last["name"], "vicinity_end");
        &last["args"]
    }

    /// What holds for every trace: numbers are unique, moments in order, events nest.
    fn check(&self) {
        assert_eq!(self.head["vicinity"], 1);
        let mut ids = HashSet::new();
        let mut threads: HashMap<u64, Vec<(u64, u64)>> = HashMap::new();
        for event in self.events.iter().filter(|event| event["ph"] == "X") {
            let (start, length) = (ns(&event["ts"]), ns(&event["dur"]));
            let tid = event["tid"].as_u64().expect("a thread");
            threads.entry(tid).or_default().push((start, start + length));
            if event["cat"] == "task" || event["cat"] == "region" {
                assert!(number(event, "id") > 0 && ids.insert(number(event, "id")), "{event}");
            }
            if event["cat"] == "task" {
                let args = &event["args"];
                let (created, ready) = (ns(&args["created"]), ns(&args["ready"]));
                assert!(created <= ready && ready <= start, "{event}");
                let after = args["after"].as_array().into_iter().flatten();
                assert!(after.into_iter().all(|id| id.as_u64() < args["id"].as_u64()), "{event}");
            }
        }
        for intervals in threads.values_mut() {
            intervals.sort_by_key(|&(start, end)| (start, std::cmp::Reverse(end)));
            let mut around: Vec<u64> = Vec::new();
            for &(start, end) in intervals.iter() {
                while around.pop_if(|outer| *outer <= start).is_some() {}
                // Start and length are rounded apart.
                assert!(
                    around.last().is_none_or(|&outer| end <= outer + 1),
                    "{start} to {end} sticks out"
                );
                around.push(end);
            }
        }
    }
}

const COMPILERS: [&str; 2] = ["gcc", "clang-19"];
/// fib(15) without its root, the chain, and the last hundred.
const TASKS: usize = 1972 + 40 + 100;

#[test]
fn everything_is_recorded_at_any_number_of_threads() {
    for compiler in COMPILERS {
        let program = build(compiler, "whole");
        for threads in ["1", "2", "8"] {
            let file = scratch().join(format!("whole-{compiler}-{threads}.json"));
            let output = run(&program, "", &file, &[("OMP_NUM_THREADS", threads)]);
            assert!(output.status.success() && complaints(&output).is_empty(), "{output:?}");
            let trace = Trace::read(&file);
            trace.check();
            let team: usize = threads.parse().unwrap();
            assert_eq!(trace.of("task").count(), TASKS, "{compiler}, {threads} threads");
            assert_eq!(trace.count("task", "fib:"), 1972, "{compiler}, {threads} threads");
            assert_eq!(trace.of("region").count(), team);
            assert_eq!(trace.count("wait", "join"), team);
            assert_eq!(trace.count("wait", "taskgroup"), 1);
            assert_eq!(trace.count("wait", "taskwait"), 986);
            assert!(trace.count("wait", "barrier") >= team);
            let shares = trace.of("chunk").map(|event| number(event, "count")).sum::<u64>();
            assert_eq!(shares, 256);
            assert_eq!(
                (&trace.end()["how"], &trace.end()["missing_events"]),
                (&"exit".into(), &0.into())
            );
            assert_eq!(trace.head["settings"]["OMP_NUM_THREADS"], threads);
            assert_eq!(trace.head["arguments"], Value::from(vec![""]));
            lines_are_those_of_the_source(&trace);
            the_chain_is_in_order(&trace);
        }
    }
}

fn lines_are_those_of_the_source(trace: &Trace) {
    let source =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("trace/work.c"));
    let source = source.expect("the source is there");
    let pragma = |line: &str| {
        let number: usize = line.rsplit(':').next().unwrap().parse().unwrap();
        // Compilers take the construct's line or, at -O1, the line behind it.
        source
            .lines()
            .skip(number - 1)
            .take(1)
            .chain(source.lines().skip(number - 2).take(1))
            .any(|line| line.contains("#pragma omp"))
    };
    for event in trace.of("task").chain(trace.of("region")) {
        let line = event["args"]["line"].as_str().unwrap_or_else(|| panic!("no line: {event}"));
        assert!(line.contains("work.c:") && pragma(line), "{event}");
    }
}

/// Each reader of x comes after its writer, and each writer after the readers before it.
fn the_chain_is_in_order(trace: &Trace) {
    let mut chain: Vec<_> =
        trace.of("task").filter(|it| it["name"].as_str().unwrap().starts_with("chain:")).collect();
    chain.sort_by_key(|event| number(event, "id"));
    assert_eq!(chain.len(), 40);
    for pair in chain.windows(2) {
        let after = pair[1]["args"]["after"].as_array().expect("it comes after something");
        assert!(after.contains(&pair[0]["args"]["id"]), "{} after {}", pair[1], pair[0]);
        assert!(ns(&pair[1]["ts"]) >= ns(&pair[0]["ts"]) + ns(&pair[0]["dur"]));
    }
}

#[test]
fn a_program_that_ends_in_the_middle_leaves_a_whole_file() {
    let ends = [
        ("segv", None, "signal 11"),
        ("deep", None, "signal 11"),
        ("abort", None, "signal 6"),
        ("term", None, "signal 15"),
        ("kill", None, "running"),
        ("exit", Some(3), "exit"),
        ("quick", Some(4), "exit"),
        ("handler", Some(5), "exit"),
    ];
    for compiler in COMPILERS {
        let program = build(compiler, "ends");
        for (way, status, how) in ends {
            let file = scratch().join(format!("ends-{compiler}-{way}.json"));
            let output = run(&program, way, &file, &[("OMP_NUM_THREADS", "4")]);
            assert_eq!(output.status.code(), status, "{way}: {output:?}");
            let trace = Trace::read(&file);
            trace.check();
            assert_eq!(trace.end()["how"], how, "{compiler} {way}");
            if how != "running" {
                assert!(trace.of("task").count() >= 2012, "{compiler} {way}");
                assert!(trace.events.iter().any(|event| event["args"]["cut"] == true));
            }
        }
    }
}

#[test]
fn a_child_has_a_trace_of_its_own_where_its_name_allows_it() {
    let program = build("gcc", "fork");
    let folder = scratch().join("trace-fork");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, files) in [("one.json", 1), ("%p.json", 3)] {
        let output = run(&program, "fork", &folder.join(name), &[]);
        assert!(output.status.success() && complaints(&output).is_empty(), "{output:?}");
        let traces: Vec<_> = std::fs::read_dir(&folder).expect("files").flatten().collect();
        assert_eq!(traces.len(), files);
        traces.iter().for_each(|file| Trace::read(&file.path()).check());
    }
}

#[test]
fn a_name_that_asks_for_it_is_compressed_at_the_end() {
    let program = build("gcc", "packed");
    let (file, plain) = (scratch().join("packed.json.gz"), scratch().join("plain.json"));
    let output = run(&program, "", &file, &[]);
    assert!(output.status.success() && complaints(&output).is_empty(), "{output:?}");
    let text = Command::new("gzip").arg("-dc").arg(&file).output().expect("gzip starts");
    assert!(text.status.success(), "{text:?}");
    std::fs::write(&plain, &text.stdout).expect("a file");
    let trace = Trace::read(&plain);
    trace.check();
    assert_eq!(trace.of("task").count(), TASKS);
    assert!(std::fs::metadata(&file).expect("a file").len() < text.stdout.len() as u64 / 4);
}

#[test]
fn a_taskloop_begins_with_a_block_at_each_thread() {
    let machine = [("HWLOC_SYNTHETIC", "numa:2 core:2 pu:1"), ("OMP_NUM_THREADS", "4")];
    for compiler in ["gcc", "clang-19"] {
        let program = build_from("taskloop.c", compiler, "taskloop");
        let file = scratch().join("taskloop.json");
        assert!(run(&program, "", &file, &machine).status.success());
        let trace = Trace::read(&file);
        trace.check();
        let dealt: Vec<_> = trace.of("task").map(|task| &task["args"]["dealt"]).collect();
        assert_eq!(
            dealt.len(),
            64 + 4,
            "{compiler}: tasks of the loop, and a block for each thread"
        );
        for location in 0..2 {
            let blocks = dealt.iter().filter(|dealt| ***dealt == location).count();
            assert_eq!(blocks, 2, "{compiler}: blocks dealt to location {location}");
        }
        let names: HashSet<_> = trace.of("task").map(|task| task["name"].to_string()).collect();
        assert_eq!(names.len(), 1, "{compiler}: {names:?}");
    }
}

/// Flow events as the Trace Event Format has them: one beginning for each number, not after any of its ends, and both within
/// the task that they are about.
#[test]
fn dependences_are_arrows_in_other_viewers() {
    for compiler in COMPILERS {
        let program = build(compiler, "arrows");
        let file = scratch().join(format!("arrows-{compiler}.json"));
        assert!(run(&program, "", &file, &[("OMP_NUM_THREADS", "4")]).status.success());
        let trace = Trace::read(&file);
        trace.check();
        let starts: HashMap<(u64, u64), &Value> = trace
            .of("task")
            .map(|task| ((task["tid"].as_u64().unwrap(), ns(&task["ts"])), task))
            .collect();
        let task_at = |arrow: &Value| {
            let place = (arrow["tid"].as_u64().expect("a thread"), ns(&arrow["ts"]));
            *starts.get(&place).unwrap_or_else(|| panic!("{arrow} binds to nothing"))
        };
        let mut begun: HashMap<u64, &Value> = HashMap::new();
        for arrow in trace.of("flow").filter(|arrow| arrow["ph"] == "s") {
            let id = arrow["id"].as_u64().expect("a number");
            assert_eq!(number(task_at(arrow), "id"), id, "{arrow}");
            assert!(begun.insert(id, arrow).is_none(), "{id} begins twice");
        }
        let mut edges = 0;
        for arrow in trace.of("flow").filter(|arrow| arrow["ph"] == "f") {
            assert_eq!((&arrow["bp"], &arrow["name"]), (&"e".into(), &"after".into()), "{arrow}");
            let id = arrow["id"].as_u64().expect("a number");
            let start = begun.get(&id).unwrap_or_else(|| panic!("{arrow} has no beginning"));
            assert!(
                ns(&start["ts"]) <= ns(&arrow["ts"]) && start["pid"] == arrow["pid"],
                "{arrow}"
            );
            let after = task_at(arrow)["args"]["after"].as_array().expect("predecessors");
            assert!(after.iter().any(|before| before.as_u64() == Some(id)), "{arrow}");
            edges += 1;
        }
        let named = trace.of("task").filter_map(|task| task["args"]["after"].as_array());
        assert_eq!(edges, named.map(Vec::len).sum::<usize>(), "{compiler}");
        assert!(edges >= 39, "{compiler}: the chain alone has 39");
    }
}

/// Where memory is limited some threads have no room for events. What they do is counted, and tasks go from them to others
/// and back as they are.
#[test]
fn threads_without_room_for_events_are_counted() {
    for compiler in COMPILERS {
        let program = build_from("captures.c", compiler, "captures");
        let limited = scratch().join(format!("captures-{compiler}.sh"));
        // Room for the buffers of two threads.
        let script = format!("ulimit -v 11500000\nexec {}\n", program.display());
        std::fs::write(&limited, script).expect("a file");
        let file = scratch().join(format!("captures-{compiler}.json"));
        let variables = [("OMP_NUM_THREADS", "8"), ("VICINITY_TRACE_BUFFER", "4G")];
        let lib = scratch().parent().expect("target").join("dist/lib/omp");
        for _ in 0..4 {
            let output = Command::new("sh")
                .arg(&limited)
                .env("LD_LIBRARY_PATH", &lib)
                .env("VICINITY_TRACE", &file)
                .envs(variables)
                .output()
                .expect("a shell");
            assert!(output.status.success(), "{compiler}: {output:?}");
            let said = complaints(&output);
            assert!(said.lines().count() == 1 && said.contains("no memory to trace"), "{said}");
            let trace = Trace::read(&file);
            trace.check();
            assert!(trace.end()["missing_events"].as_u64() > Some(0), "{compiler}");
        }
    }
}

#[test]
fn tasks_carry_the_counters_that_the_machine_has() {
    let program = build("gcc", "counters");
    let file = scratch().join("counters.json");
    let output = run(&program, "", &file, &[("VICINITY_TRACE_COUNTERS", "all")]);
    assert!(output.status.success() && complaints(&output).is_empty(), "{output:?}");
    let trace = Trace::read(&file);
    trace.check();
    let names: Vec<_> = trace.head["counters"].as_array().expect("names").iter().collect();
    let notes = trace.head["notes"].to_string();
    for refused in ["cycles", "page_faults"] {
        let granted = names.iter().any(|name| *name == refused);
        // With its space: `stall_cycles` is another one.
        let noted = notes.contains(&format!(" {refused} ("));
        assert!(granted != noted, "{refused}: {names:?} {notes}");
    }
    let time = names.iter().position(|name| *name == "cpu_time");
    for task in trace.of("task") {
        let counts = task["args"]["counters"].as_array().map_or(0, Vec::len);
        assert_eq!(counts, names.len(), "{task}");
        if let Some(time) = time {
            assert!(task["args"]["counters"][time].as_u64() > Some(0), "{task}");
        }
    }
}

#[test]
fn a_full_buffer_is_written_out_or_loses_the_oldest() {
    let program = build("gcc", "buffer");
    let small = ("VICINITY_TRACE_BUFFER", "64K");
    let file = scratch().join("buffer.json");
    let variables = [small, ("OMP_NUM_THREADS", "1"), ("VICINITY_TRACE_FULL", "write")];
    assert!(run(&program, "", &file, &variables).status.success());
    let trace = Trace::read(&file);
    trace.check();
    assert_eq!(trace.of("task").count(), TASKS);
    assert!(trace.of("trace").count() > 0, "the thread wrote its buffer out");
    let variables = [small, ("OMP_NUM_THREADS", "1"), ("VICINITY_TRACE_FULL", "drop_oldest")];
    assert!(run(&program, "", &file, &variables).status.success());
    let trace = Trace::read(&file);
    trace.check();
    let missing = trace.end()["missing_events"].as_u64().unwrap() as usize;
    assert!(missing > 0 && trace.of("region").count() == 1);
    assert!(trace.of("task").count() + missing >= TASKS);
}

#[test]
fn a_file_that_cannot_be_written_costs_one_line() {
    let program = build("gcc", "full");
    for (file, says) in [
        ("/dev/full", "cannot write the trace /dev/full: No space left on device"),
        ("/no/such/folder/trace.json", "cannot trace to /no/such/folder/trace.json: No such file"),
    ] {
        let output = run(&program, "", Path::new(file), &[]);
        assert!(output.status.success() && !output.stdout.is_empty(), "{output:?}");
        let complained = complaints(&output);
        assert!(complained.starts_with(&format!("vicinity: {says}")), "{complained}");
        assert_eq!(complained.lines().count(), 1, "{complained}");
    }
}

/// What a stream gets cannot be replaced: it is whole once the program has ended.
#[test]
fn a_pipe_gets_a_whole_trace_too() {
    let program = build("gcc", "pipe");
    let output = run(&program, "", Path::new("/dev/stderr"), &[("OMP_NUM_THREADS", "2")]);
    let text = complaints(&output);
    let whole: Value = serde_json::from_str(&text).expect("whole JSON");
    assert!(whole["traceEvents"].as_array().is_some_and(|events| events.len() > TASKS));
}
