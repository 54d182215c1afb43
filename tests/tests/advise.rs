//! `vicinity advise` and `vicinity run --advice` on whole programs: traces of programs that know nothing of Vicinity, advice for a
//! machine that is not here, and what comes of it. Where pages are, `tests/numa` checks.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use vicinity_tests::sources::UNEQUAL;
use vicinity_tests::toolchain::build_text;

/// One thread fills two arrays, which a static loop goes over, and a third of the program's variables.
const FIRST_TOUCH: &str = r#"
#include <stdio.h>
#include <stdlib.h>
enum { COUNT = 1 << 22, ROUNDS = 150 };
static double weights[1 << 20];
static double *array(void)
{
    double *block = malloc(COUNT * sizeof *block);
    for (long i = 0; i < COUNT; i++) block[i] = 1;
    return block;
}
int main(void)
{
    double *from = array();
    double *to = array();
    for (long i = 0; i < 1 << 20; i++) weights[i] = 2;
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel for schedule(static)
        for (long i = 0; i < COUNT; i++) to[i] = 0.5 * from[i] + to[i] * weights[i >> 2];
    }
    printf("%lu %lu\n", (unsigned long)from % (64 << 10), (unsigned long)to % (64 << 10));
    return 0;
}
"#;

/// Regions with next to no work.
const SHORT: &str = r#"
int main(void)
{
    static volatile int counts[64 * 16];
    for (int round = 0; round < 20000; round++) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < 4; i++) counts[i * 16]++;
    }
    return 0;
}
"#;

/// What the programs below do for a while: about a millisecond a unit.
const WORK: &str = r#"
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
static volatile double sink;
__attribute__((noinline)) static void work(int units)
{
    double x = 1;
    for (long i = 0; i < units * 400000L; i++) x = x * 0.999 + 0.5;
    sink = x;
}
"#;

/// Before the barrier the first thread is late, behind it the other.
const BARRIERS: &str = r#"
int main(void)
{
    for (int round = 0; round < 30; round++) {
#pragma omp parallel num_threads(2)
        {
            work(omp_get_thread_num() == 0 ? 9 : 3);
#pragma omp barrier
            work(omp_get_thread_num() == 0 ? 3 : 9);
        }
    }
    return 0;
}
"#;

/// Before each region one thread works alone for as long.
const SERIAL: &str = r#"
int main(void)
{
    for (int round = 0; round < 30; round++) {
        work(5);
#pragma omp parallel for num_threads(2)
        for (int i = 0; i < 2; i++) work(5);
    }
    return 0;
}
"#;

/// One thread sleeps and the other waits for it, until that has used so much of a processor, however long others take it away.
const SPINNING: &str = r#"
#include <time.h>
#include <unistd.h>
int main(void)
{
    time_t end = time(NULL) + 30;
    while (clock() < 1700 * (CLOCKS_PER_SEC / 1000) && time(NULL) < end) {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 0) usleep(20000);
    }
    work(1);
    return 0;
}
"#;

/// As many threads as it is told.
const CROWD: &str = r#"
int main(void)
{
    for (int round = 0; round < 3; round++) {
#pragma omp parallel
        work(40);
    }
    return 0;
}
"#;

/// Two threads have one processor, though there are more.
const DELAYS: &str = r#"
int main(void)
{
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&one);
    for (int at = 0; CPU_COUNT(&one) == 0; at++)
        if (CPU_ISSET(at, &all)) CPU_SET(at, &one);
    for (int round = 0; round < 20; round++) {
#pragma omp parallel num_threads(2)
        {
            sched_setaffinity(0, sizeof one, &one);
            work(10);
        }
    }
    return 0;
}
"#;

/// Each thread touches first what it uses, and computes much.
const GOOD: &str = r#"
#include <stdlib.h>
enum { COUNT = 1 << 20 };
int main(void)
{
    double *block = malloc(COUNT * sizeof *block);
    for (int round = 0; round < 20; round++) {
#pragma omp parallel for schedule(static)
        for (long i = 0; i < COUNT; i++) {
            double x = i;
            for (int k = 0; k < 40; k++) x = x * 0.5 + 1;
            block[i] = x;
        }
    }
    return block[5] < 0;
}
"#;

/// Threads go over two files, of which one is mapped behind the preloaded library's back.
const FILES: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
enum { COUNT = 1 << 21, BYTES = COUNT * sizeof(double), ROUNDS = 3000 };
int main(int argc, char **argv)
{
    (void)argc;
    int one = open(argv[1], O_RDONLY), other = open(argv[2], O_RDONLY);
    double *seen = mmap(0, BYTES, PROT_READ, MAP_PRIVATE, one, 0);
    double *hidden = (double *)syscall(SYS_mmap, 0, BYTES, PROT_READ, MAP_SHARED, other, 0);
    if (seen == MAP_FAILED || hidden == MAP_FAILED) return 1;
    volatile double sum = 0;
    for (long i = 0; i < COUNT; i += 512) sum += seen[i] + hidden[i];
    for (int round = 0; round < ROUNDS; round++) {
        double all = 0;
#pragma omp parallel for schedule(static) reduction(+ : all)
        for (long i = 0; i < COUNT; i++) all += seen[i] * hidden[i];
        sum += all;
    }
    return sum != 0;
}
"#;

/// A run that others held up has few samples: tests beside it end meanwhile.
const MOST_RUNS: usize = 100;

/// One thread allocates and fills the rows of two arrays of pointers, in turns; loops go over them, so often that to move pages
/// pays for itself where a cache holds all rows.
const ROWS: &str = r#"
#include <stdlib.h>
#include <string.h>
enum { ROWS = 512, COUNT = 4096, ROUNDS = 3000 };
static double *one[ROWS], *other[ROWS];
static double *row(void)
{
    return malloc(COUNT * sizeof(double));
}
int main(void)
{
    for (int i = 0; i < ROWS; i++) {
        one[i] = row();
        other[i] = row();
        memset(one[i], 1, COUNT * sizeof(double));
        memset(other[i], 1, COUNT * sizeof(double));
    }
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COUNT; j++) one[i][j] = 0.5 * one[i][j] + other[i][j];
    }
    return one[5][5] < 0;
}
"#;

/// Each thread allocates and fills the rows that it uses.
const OWN_ROWS: &str = r#"
#include <stdlib.h>
#include <string.h>
enum { ROWS = 1024, COUNT = 4096, ROUNDS = 400 };
static double *rows[ROWS];
int main(void)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < ROWS; i++) rows[i] = memset(malloc(COUNT * sizeof(double)), 1, COUNT * sizeof(double));
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COUNT; j++) rows[i][j] = 0.5 * rows[i][j] + 1;
    }
    return rows[5][5] < 0;
}
"#;

/// A chain of tasks goes over one array, a single task over another.
const CHAIN: &str = r#"
#include <stdlib.h>
enum { COUNT = 1 << 20 };
static void add(double *block, double what)
{
    for (long i = 0; i < COUNT; i++) block[i] += what;
}
int main(void)
{
    double *many = calloc(COUNT, sizeof *many);
    double *one = calloc(COUNT, sizeof *one);
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        for (int round = 0; round < 400; round++) add(one, 2);
        for (int round = 0; round < 400; round++) {
#pragma omp task depend(inout : many[0])
            add(many, 1);
        }
    }
    return many[5] != 400;
}
"#;

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn built(name: &str, text: &str) -> PathBuf {
    let program = scratch().join(format!("advise-{name}"));
    build_text(&program, text, &["-fopenmp", "-O2", "-g"]);
    program
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the target folder has a plain name")
}

/// The command, with so many threads.
fn command(threads: u32, arguments: &[&str]) -> Command {
    let command = scratch().parent().expect("target").join("dist/bin/vicinity");
    let mut command = Command::new(command);
    command.args(arguments).env("OMP_NUM_THREADS", threads.to_string());
    command.env_remove("LD_PRELOAD").env_remove("OMP_DATA_DISTRIBUTION");
    command
}

/// Status, output and complaints of the command with so many threads.
fn vicinity(threads: u32, arguments: &[&str]) -> (Option<i32>, String, String) {
    vicinity_on(None, threads, arguments)
}

fn vicinity_on(
    machine: Option<&str>,
    threads: u32,
    arguments: &[&str],
) -> (Option<i32>, String, String) {
    let mut command = command(threads, arguments);
    if let Some(machine) = machine {
        command.env("HWLOC_SYNTHETIC", machine);
    }
    let output = command.output().expect("the command starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A trace of a machine that does nothing else: tests run side by side, and delay each other.
fn traced(name: &str, program: &Path, threads: u32) -> PathBuf {
    traced_with(name, program, threads, &[])
}

fn traced_with(name: &str, program: &Path, threads: u32, arguments: &[&str]) -> PathBuf {
    let trace = scratch().join(format!("advise-{name}.json"));
    let arguments = [&["run", "--trace", text(&trace), text(program)], arguments].concat();
    let (status, _, said) = vicinity(threads, &arguments);
    assert_eq!(status, Some(0), "{said}");
    leave_out_delays(&trace);
    trace
}

/// As if threads had never had to wait for a processor.
fn leave_out_delays(trace: &Path) {
    let lines = std::fs::read_to_string(trace).expect("a trace");
    let (before, delay) = lines.split_once("\"run_delay_ns\":").unwrap_or((&lines, ","));
    let after = delay.trim_start_matches(|digit: char| digit.is_ascii_digit());
    std::fs::write(trace, format!("{before}\"run_delay_ns\":0{after}")).expect("written");
}

fn advice_on(trace: &Path, more: &[&str]) -> Value {
    advice_for("epyc-nps4", trace, more)
}

fn advice_for(machine: &str, trace: &Path, more: &[&str]) -> Value {
    let arguments = [&["advise", text(trace), "--json", "--machine", machine], more].concat();
    let (status, json, said) = vicinity(1, &arguments);
    assert_eq!(status, Some(0), "{said}");
    serde_json::from_str(&json).expect("JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// The line of a text that holds this, from 1.
fn line_of(text: &str, part: &str) -> usize {
    1 + text.lines().position(|line| line.contains(part)).expect("the text has it")
}

#[test]
fn what_one_thread_touched_first_is_found_placed_and_seen_again() {
    let program = built("first", FIRST_TOUCH);
    let trace = traced("first", &program, 8);
    let file = scratch().join("advise-first.advice");
    let advice = advice_on(&trace, &["-o", text(&file)]);
    let called_from = |part| format!(":{}", line_of(FIRST_TOUCH, part));
    let malloc = called_from("malloc(");
    for call in ["*from = array", "*to = array"] {
        let is_it = |block: &&Value| {
            let place = |name: &str| block[name].as_str().unwrap_or_default().to_string();
            place("place").ends_with(&malloc) && place("called_from").ends_with(&called_from(call))
        };
        let block = list(&advice["blocks"]).iter().find(is_it);
        let block = block.unwrap_or_else(|| panic!("no block of `{call}`: {advice:#}"));
        assert_eq!(
            (&block["pattern"], &block["bytes"]),
            (&"own_parts".into(), &(32 << 20).into()),
            "{block:#}"
        );
        assert!(block["first_touched_by_one_thread"].as_f64() > Some(0.9), "{block:#}");
        assert!(block["best"].is_string(), "{block:#}");
    }
    let weights = list(&advice["blocks"]).iter().find(|block| block["variable"] == "weights");
    assert!(weights.is_some(), "{advice:#}");
    assert!(advice["placements"][0]["relative"].as_f64() < Some(0.97), "{advice:#}");
    assert_eq!(list(&advice["advice"]["blocks"]).len(), 2, "{advice:#}");

    // On that machine, simulated: its blocks are Vicinity's now, and the second trace says so.
    let machine = "numa:8 core:1 pu:1";
    let again = scratch().join("advise-first-again.json");
    let arguments = ["run", "--advice", text(&file), "--trace", text(&again), text(&program)];
    let (status, output, said) = vicinity_on(Some(machine), 8, &arguments);
    assert_eq!((status, output.as_str()), (Some(0), "0 0\n"), "{said}");
    let (status, json, _) = vicinity_on(Some(machine), 8, &["advise", text(&again), "--json"]);
    let after: Value = serde_json::from_str(&json).expect("JSON");
    let placed = |block: &&Value| {
        block["place"].as_str().unwrap_or_default().ends_with(&malloc)
            && block["distribution"] != "standard"
    };
    assert_eq!(
        (status, list(&after["blocks"]).iter().filter(placed).count()),
        (Some(0), 2),
        "{after:#}"
    );
}

#[test]
fn mapped_files_are_told_by_their_name_and_are_for_auto() {
    let program = built("files", FILES);
    let files = ["seen", "hidden"].map(|name| scratch().join(format!("advise-files {name}")));
    let zeroes = vec![0; 16 << 20];
    files.iter().for_each(|file| std::fs::write(file, &zeroes).expect("a file"));
    let arguments = files.each_ref().map(|file| text(file));
    let out = scratch().join("advise-files.advice");
    // A run that others held up has few samples.
    let advice = || {
        let trace = traced_with("files", &program, 8, &arguments);
        advice_for("arm-4node", &trace, &["-o", text(&out)])
    };
    let settings = |advice: &Value| advice["advice"]["settings"]["OMP_DATA_DISTRIBUTION"].clone();
    let advice = (0..MOST_RUNS).map(|_| advice()).find(|advice| settings(advice) == "auto");
    let advice = advice.expect("in one of many runs");
    let of = |file: &Path| {
        let block = list(&advice["blocks"]).iter().find(|block| block["file"] == text(file));
        block.unwrap_or_else(|| panic!("no block of {}: {advice:#}", file.display()))
    };
    let (seen, hidden) = (of(&files[0]), of(&files[1]));
    for block in [seen, hidden] {
        assert_eq!(block["bytes"], 16 << 20, "{block:#}");
        let tried = block["relative"].as_object().expect("an object").keys();
        assert_eq!(tried.collect::<Vec<_>>(), ["auto"], "{block:#}");
    }
    let mapped_at = seen["mapped_at"].as_str().unwrap_or_default();
    assert!(mapped_at.ends_with(&format!(":{}", line_of(FILES, "= mmap("))), "{seen:#}");
    assert_eq!(hidden["mapped_at"], Value::Null, "{hidden:#}");
    assert_eq!(list(&advice["advice"]["blocks"]).len(), 0, "{advice:#}");
    let arguments = [&["run", "--advice", text(&out), text(&program)], &arguments[..]].concat();
    assert_eq!(vicinity_on(Some("numa:8 core:1 pu:1"), 8, &arguments).0, Some(0));
}

/// Rows of one line are told of together, wherever it was called from.
#[test]
fn rows_of_an_array_of_pointers_are_told_together_and_are_for_auto() {
    let program = built("rows", ROWS);
    let out = scratch().join("advise-rows.advice");
    // A run that others held up has few samples.
    let advice = || {
        let trace = traced("rows", &program, 8);
        (advice_for("arm-4node", &trace, &["-o", text(&out)]), trace)
    };
    let settings = |advice: &Value| advice["advice"]["settings"]["OMP_DATA_DISTRIBUTION"].clone();
    let found = (0..MOST_RUNS).map(|_| advice()).find(|(advice, _)| settings(advice) == "auto");
    let (advice, trace) = found.expect("in one of many runs");
    let place = format!(":{}", line_of(ROWS, "return malloc"));
    for call in ["one[i] = row", "other[i] = row"] {
        let called_from = format!(":{}", line_of(ROWS, call));
        let ends_with = |block: &Value, name: &str, end: &str| {
            block[name].as_str().unwrap_or_default().ends_with(end)
        };
        let is_it = |block: &&Value| {
            ends_with(block, "place", &place) && ends_with(block, "called_from", &called_from)
        };
        let block = list(&advice["blocks"]).iter().find(is_it);
        let block = block.unwrap_or_else(|| panic!("no rows of `{call}`: {advice:#}"));
        let number = |name: &str| block[name].as_u64().expect("a number");
        // Not all are told of where telling took long.
        assert!((400..=600).contains(&number("count")), "{block:#}");
        assert!((32 << 10..40 << 10).contains(&number("row_bytes")), "{block:#}");
        assert_eq!(block["rule_of_thumb"], "coarse", "{block:#}");
        assert!(block["first_touched_by_one_thread"].as_f64() > Some(0.9), "{block:#}");
    }
    let (status, said, _) = vicinity(1, &["advise", text(&trace), "--machine", "arm-4node"]);
    assert!(status == Some(0) && said.contains("rows allocated at "), "{said}");
    assert!(said.contains(" blocks of 32.0 KiB, "), "{said}");
}

#[test]
fn rows_that_their_users_allocated_stay() {
    let program = built("own-rows", OWN_ROWS);
    let line = format!(":{}", line_of(OWN_ROWS, "malloc("));
    // While others run, a block may have too few samples to tell.
    let is_told = || {
        let advice = advice_on(&traced("own-rows", &program, 4), &[]);
        let blocks = list(&advice["blocks"]).iter();
        // The first thread's stack is another than the workers'.
        let blocks: Vec<&Value> = blocks.filter(|it| said(&it["place"]).ends_with(&line)).collect();
        assert!(blocks.iter().all(|block| block["best"].is_null()), "{blocks:#?}");
        let of_workers =
            |block: &&&Value| block["first_touched_by_one_thread"].as_f64() < Some(0.1);
        let of_workers = blocks.iter().find(of_workers);
        of_workers.is_some_and(|block| block["pattern"] == "own_parts")
    };
    assert!((0..MOST_RUNS).any(|_| is_told()), "in one of many runs");
}

/// Whichever threads run them.
#[test]
fn the_rule_of_thumb_counts_tasks() {
    let program = built("chain", CHAIN);
    let advice = advice_on(&traced("chain", &program, 2), &[]);
    let of = |part| {
        let line = format!(":{}", line_of(CHAIN, part));
        let is_it = |block: &&Value| block["place"].as_str().unwrap_or_default().ends_with(&line);
        let block = list(&advice["blocks"]).iter().find(is_it);
        block.unwrap_or_else(|| panic!("no block of `{part}`: {advice:#}"))
    };
    let (many, one) = (of("*many = "), of("*one = "));
    assert!(many["tasks"].as_u64() > Some(8), "{many:#}");
    assert_eq!((&many["count"], &many["rule_of_thumb"]), (&1.into(), &"fine".into()), "{many:#}");
    assert_eq!((&one["tasks"], &one["rule_of_thumb"]), (&1.into(), &"standard".into()), "{one:#}");
}

#[test]
fn unequal_loops_are_named_by_their_line() {
    let program = built("unequal", UNEQUAL);
    let advice = advice_on(&traced("unequal", &program, 2), &[]);
    let finding = list(&advice["findings"]).iter().find(|finding| finding["kind"] == "imbalance");
    let finding = finding.unwrap_or_else(|| panic!("{advice:#}"));
    let place = finding["place"].as_str().unwrap_or_default();
    let line = line_of(UNEQUAL, "#pragma omp");
    assert!(place.ends_with(&format!(":{line}")), "{finding:#}");
    assert!(finding["saves"].as_f64() > Some(0.03), "{finding:#}");
}

/// Other programs may hold up any one run.
#[test]
fn short_regions_are_named() {
    let program = built("short", SHORT);
    let is_found = |_| {
        let advice = advice_on(&traced("short", &program, 2), &[]);
        list(&advice["findings"]).iter().any(|finding| finding["kind"] == "short_region")
    };
    assert!((0..MOST_RUNS).any(is_found), "in one of many runs");
}

/// The advice for the machine that a program was traced on, and its finding of this kind; `delays` are left out unless they are
/// what is looked for. Other programs may hold up any one run.
fn finding(kind: &str, program: &str, threads: u32, policy: &str) -> (Value, Value) {
    let built = built(kind, &format!("{WORK}{program}"));
    let trace = scratch().join(format!("advise-{kind}.json"));
    let once = || {
        let arguments = ["run", "--trace", text(&trace), text(&built)];
        let mut command = command(threads, &arguments);
        let output = command.env("OMP_WAIT_POLICY", policy).output().expect("the command starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        if kind != "delays" {
            leave_out_delays(&trace);
        }
        let (status, json, said) = vicinity(1, &["advise", text(&trace), "--json"]);
        assert_eq!(status, Some(0), "{said}");
        let advice: Value = serde_json::from_str(&json).expect("JSON");
        let found = list(&advice["findings"]).iter().find(|it| it["kind"] == kind).cloned();
        found.ok_or(advice.clone()).map(|found| (advice, found))
    };
    let mut last = Value::Null;
    for _ in 0..6 {
        match once() {
            Ok(found) => return found,
            Err(advice) => last = advice,
        }
    }
    panic!("never {kind} in six runs: {last:#}")
}

/// `program.c:7`, of the line that holds this.
fn place_in(kind: &str, program: &str, part: &str) -> String {
    format!("advise-{kind}.c:{}", line_of(&format!("{WORK}{program}"), part))
}

fn said(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[test]
fn barriers_at_which_threads_are_late_in_turns_are_named() {
    let (_, found) = finding("barriers", BARRIERS, 2, "passive");
    let place = place_in("barriers", BARRIERS, "#pragma omp parallel");
    assert!(said(&found["place"]).ends_with(&place), "{found:#}");
    assert!(said(&found["text"]).contains("`nowait`"), "{found:#}");
}

#[test]
fn work_between_regions_is_named_by_the_region_behind_it() {
    let (_, found) = finding("serial", SERIAL, 2, "passive");
    let place = place_in("serial", SERIAL, "#pragma omp parallel");
    let text = said(&found["text"]);
    assert!(text.contains("Amdahl") && text.contains(&place), "{found:#}");
}

#[test]
fn threads_that_wait_and_use_processors_are_named() {
    let (advice, found) = finding("spinning", SPINNING, 2, "active");
    assert!(said(&found["evidence"]).contains("samples were of threads that waited"), "{found:#}");
    assert_eq!(advice["advice"]["settings"]["OMP_WAIT_POLICY"], "passive", "{advice:#}");
}

#[test]
fn more_threads_than_processors_are_named() {
    let processors = std::thread::available_parallelism().expect("a number").get();
    let (advice, found) = finding("crowd", CROWD, 4 * processors as u32, "passive");
    assert!(said(&found["text"]).contains("More threads than processors"), "{found:#}");
    let settings = &advice["advice"]["settings"];
    assert_eq!(settings["OMP_NUM_THREADS"], processors.to_string(), "{advice:#}");
    let kinds = ["imbalance", "barriers", "short_region"];
    let others = list(&advice["findings"]).iter().filter(|it| kinds.contains(&said(&it["kind"])));
    assert_eq!(others.count(), 0, "times say nothing then: {advice:#}");
}

#[test]
fn threads_that_wait_for_a_processor_are_named() {
    let processors = std::thread::available_parallelism().expect("a number").get();
    if processors < 2 || !Path::new("/proc/self/schedstat").exists() {
        eprintln!("skipped: there is one processor, or nobody counts how long threads wait for it");
        return;
    }
    let (_, found) = finding("delays", DELAYS, 2, "passive");
    assert!(said(&found["text"]).contains("more threads of this one"), "{found:#}");
}

#[test]
fn where_nothing_is_to_gain_nothing_is_placed() {
    let program = built("good", GOOD);
    let trace = traced("good", &program, 2);
    let advice = advice_on(&trace, &[]);
    assert_eq!(list(&advice["advice"]["blocks"]).len(), 0, "{advice:#}");
    let best = list(&advice["placements"]).iter().filter_map(|it| it["relative"].as_f64());
    assert!(best.fold(1.0, f64::min) > 0.97, "{advice:#}");
    // Samples that meet an access to memory are few here.
    let is_said = |trace: PathBuf| {
        let (status, said, _) = vicinity(1, &["advise", text(&trace)]);
        assert_eq!(status, Some(0));
        said.contains("has one location, so it")
    };
    let again = (0..5).map(|_| traced("good", &program, 2));
    assert!(std::iter::once(trace).chain(again).any(is_said), "never in six runs");
}

#[test]
fn broken_files_are_told_by_their_field() {
    let program = built("broken", GOOD);
    let file = scratch().join("advise-broken.advice");
    for (content, expected) in [
        ("{}", "`vicinity_advice` is missing"),
        ("x", "is not JSON"),
        (r#"{"vicinity_advice":9}"#, "`vicinity_advice` is not 1"),
        (
            r#"{"vicinity_advice":1,"program":"a","machine":"b","blocks":[{"place":"x","origin":["y"],"distribution":"fine"}]}"#,
            "`blocks[0].origin[0]` is not FILE+0xOFFSET",
        ),
    ] {
        std::fs::write(&file, content).expect("a file");
        let (status, output, said) = vicinity(1, &["run", "--advice", text(&file), text(&program)]);
        assert_eq!((status, output.as_str()), (Some(125), ""), "{said}");
        assert!(said.contains(expected) && said.lines().count() == 1, "{content}: {said}");
    }
    let (status, _, said) = vicinity(1, &["advise", "/no/such/trace"]);
    assert_eq!((status, said.lines().count()), (Some(125), 1), "{said}");
}

#[test]
fn a_trace_without_memory_says_so() {
    let program = built("plain", GOOD);
    let trace = scratch().join("advise-plain.json");
    let command = scratch().parent().expect("target").join("dist/bin/vicinity");
    let status = Command::new(command)
        .args(["run", "--trace", text(&trace), text(&program)])
        .env("VICINITY_TRACE_MEMORY", "off")
        .status()
        .expect("the command starts");
    assert!(status.success());
    let (status, said, _) = vicinity(1, &["advise", text(&trace)]);
    assert_eq!(status, Some(0));
    assert!(said.contains("tells nothing of memory"), "{said}");
}
