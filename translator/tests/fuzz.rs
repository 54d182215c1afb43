//! Mutations of good input to the translator: option text, command lines, sources with headers, bitcode.
//!
//! What must hold: the program ends, of itself, with status 0, 1 or 2; where that is not 0 its log says why.
//! The same seed gives the same inputs: `VICINITY_TEST_SEED=N` runs another sequence, `VICINITY_TEST_INPUTS=N` that many
//! of what needs no process, and a hundredth of it of what does.

#[allow(dead_code)]
#[path = "../../tests/readers/src/mutate.rs"]
mod mutate;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mutate::{Random, mutated};
use vicinity_translator::program::command;
use vicinity_translator::program::failure::Failure;
use vicinity_translator::program::options::Options;

const OPTIONS: &[&str] = &[
    "-D N=4 -DNAME=\"a b\" -I include -cl-std=CL2.0 -w -Werror",
    "-cl-fast-relaxed-math -cl-opt-disable -cl-kernel-arg-info -g -create-library",
    r#"-I "C:\dir with\ blanks" -DX=\"q\" -cl-single-precision-constant"#,
];

const COMMANDS: &[&str] = &[
    "build --output-dir out --header a.h=file a.cl -- -w -D X",
    "link --output-dir out --create-library a.bc b.bc --",
    "specialize --output-dir out --kernel k --local-size 8,2,1 program.bc",
    "report a.cl -- -cl-std=CL3.0",
];

const SOURCES: &[&str] = &[
    r#"#include "head.h"
kernel void walk(global const float *a, global float *b, int n) {
    int i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[i * n + k] * SCALE;
    if (i % 3 == 1) b[i] = sum; else b[i] = scaled(sum);
}
"#,
    r#"#include "head.h"
kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void tiles(global int4 *x, local int *room, uint4 many) {
    size_t l = get_local_id(0);
    private int own[8];
    for (int k = 0; k < 8; k++) {
        room[l] = x[get_global_id(0)].s0 + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        own[k] = room[(l + 1) % 16] << many.y;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    int16 v = vload16(0, own);
    x[get_global_id(0)] = v.even.lo + v.odd.hi + convert_int4_sat(many);
    printf("%d %v4d\n", own[3], x[0]);
    atomic_add(room, work_group_reduce_add(own[1]));
}
"#,
    r#"typedef struct { char c; long l; float3 f; } thing;
constant int table[] = {1, 2, 3};
float deep(float x, int n) { switch (n & 3) { case 0: return sin(x); case 1: return x; } return pow(x, 2.0f); }
kernel void things(global thing *t, thing one, double d) {
    while (t[get_global_id(1)].c < one.c) { t[get_group_id(0)].f.y = deep(d, one.l); one.l -= table[one.l % 3]; if (one.l < 0) return; }
    do { one.c++; } while (one.c < 100);
}
"#,
];

const HEADERS: &[&str] =
    &["#define SCALE 2.0f\nfloat scaled(float x) { return x * SCALE; }\n#pragma once\n"];

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn seed() -> u64 {
    number("VICINITY_TEST_SEED", 1)
}

#[test]
fn no_options_are_too_odd() {
    let mut random = Random::new(seed());
    for _ in 0..number("VICINITY_TEST_INPUTS", 4000) {
        let text = String::from_utf8_lossy(&mutated(OPTIONS, &mut random)).into_owned();
        if let Err(failure) = Options::parse(std::slice::from_ref(&text)) {
            assert!(matches!(failure, Failure::Usage(_)), "{text:?}: {failure:?}");
            assert!(failure.text().starts_with("error: "), "{text:?}: {failure:?}");
        }
        let line = String::from_utf8_lossy(&mutated(COMMANDS, &mut random)).into_owned();
        if let Err(failure) = command::parse(line.split(' ').map(String::from)) {
            assert!(matches!(failure, Failure::Usage(_)), "{line:?}: {failure:?}");
        }
    }
}

/// Far longer than any of these takes.
const LIMIT: Duration = Duration::from_secs(100);

/// Runs the program; whether it did what it was asked for.
fn run(folder: &Path, words: &[&str], which: &str) -> bool {
    let mut child = Command::new(env!("CARGO_BIN_EXE_vicinity-translate"))
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(folder.join("said")).expect("a file"))
        .spawn()
        .expect("the program starts");
    let end = Instant::now() + LIMIT;
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is our child") {
            break status;
        }
        if Instant::now() > end {
            let _ = child.kill();
            panic!("{which}: {words:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let log = fs::read(folder.join("out/log")).unwrap_or_default();
    let said = String::from_utf8_lossy(&log);
    let usage = fs::read_to_string(folder.join("said")).unwrap_or_default();
    assert!(matches!(status.code(), Some(0..=2)), "{which}: {words:?}: {status}: {said}");
    let told = said.contains("error") || usage.contains("error") || usage.contains("usage: ");
    assert!(told || status.success(), "{which}: {words:?}: {status}: {said:?} {usage:?}");
    status.success()
}

/// A folder for one input; it is left where a check fails.
fn inputs(what: &str, run_one: impl Fn(&Path, &mut Random, &str)) {
    let seed = seed();
    let mut random = Random::new(seed);
    for at in 0..number("VICINITY_TEST_INPUTS", 4000) / 100 {
        let folder = tempfile::tempdir().expect("a temporary folder").keep();
        let which = format!("{what}, VICINITY_TEST_SEED={seed}, input {at}, {}", folder.display());
        run_one(&folder, &mut random, &which);
        let _ = fs::remove_dir_all(folder);
    }
}

fn write(folder: &Path, name: &str, content: &[u8]) {
    fs::write(folder.join(name), content).expect("a file");
}

#[test]
fn sources_are_translated_or_refused() {
    inputs("source", |folder, random, which| {
        let header = match random.below(3) {
            0 => mutated(HEADERS, random),
            _ => HEADERS[0].into(),
        };
        write(folder, "a.cl", &mutated(SOURCES, random));
        write(folder, "file.h", &header);
        let options = match random.below(4) {
            0 => String::from_utf8_lossy(&mutated(OPTIONS, random)).replace('\0', " "),
            _ => "-cl-std=CL3.0".to_string(),
        };
        let words = ["build", "--output-dir", "out", "--header", "head.h=file.h", "a.cl", "--"];
        run(folder, &[&words[..], &[options.as_str()]].concat(), which);
    });
}

#[test]
fn damaged_bitcode_is_refused() {
    let made = tempfile::tempdir().expect("a temporary folder");
    write(made.path(), "a.cl", SOURCES[0].replace("#include \"head.h\"", HEADERS[0]).as_bytes());
    assert!(run(made.path(), &["compile", "--output-dir", "out", "a.cl"], "a good source"));
    let good = fs::read(made.path().join("out/program.bc")).expect("bitcode");
    inputs("bitcode", |folder, random, which| {
        let mut bytes = good.clone();
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.drain(at..at + 1)),
            _ => bytes.insert(at, random.word() as u8),
        }
        write(folder, "a.bc", &bytes);
        let words = match random.below(2) {
            0 => &["link", "--output-dir", "out", "a.bc", "a.bc"][..],
            _ => &[
                "specialize",
                "--output-dir",
                "out",
                "--kernel",
                "walk",
                "--local-size",
                "8,1,1",
                "a.bc",
            ],
        };
        assert!(!run(folder, words, which), "{which}: damaged, but translated");
    });
}

#[test]
fn command_lines_are_carried_out_or_refused() {
    inputs("command line", |folder, random, which| {
        write(folder, "a.cl", SOURCES[2].as_bytes());
        write(folder, "file", HEADERS[0].as_bytes());
        let line = String::from_utf8_lossy(&mutated(COMMANDS, random)).replace('\0', "");
        // Only what stays in the folder.
        if !line.contains('/') && !line.contains("..") {
            run(folder, &line.split(' ').collect::<Vec<_>>(), which);
        }
    });
}
