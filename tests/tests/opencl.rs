//! The programs of `tests/opencl`, in C, through the system's loader of OpenCL, which is told of our driver alone.
//!
//! `cargo test -p vicinity-tests --test opencl`; `VICINITY_TEST_ONLY=text` runs only those whose name holds the text.
//! Each runs under several settings: threads, locations, an empty cache and a filled one.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Variables of one run each.
const SETTINGS: [&[(&str, &str)]; 5] = [
    &[],
    &[("OMP_NUM_THREADS", "1")],
    &[("OMP_NUM_THREADS", "5")],
    &[("HWLOC_SYNTHETIC", "numa:4 core:2 pu:1"), ("OMP_NUM_THREADS", "8")],
    &[("HWLOC_SYNTHETIC", "numa:2 core:4 pu:1"), ("VICINITY_REACH", "1"), ("OMP_NUM_THREADS", "8")],
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ has a parent")
}

fn built() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("target");
    let dist = target.join("dist");
    for file in
        ["etc/OpenCL/vendors/vicinity.icd", "lib/libvicinity.so.1", "bin/vicinity-translate"]
    {
        assert!(dist.join(file).exists(), "{}: run `make` first", dist.join(file).display());
    }
    dist
}

fn programs() -> Vec<PathBuf> {
    let only = std::env::var("VICINITY_TEST_ONLY").unwrap_or_default();
    let folder = root().join("tests/opencl");
    let files = std::fs::read_dir(folder).expect("the folder can be read").flatten();
    let is_program = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.ends_with(".c") && name.contains(&only)
    };
    let mut programs: Vec<PathBuf> = files.map(|file| file.path()).filter(is_program).collect();
    programs.sort();
    programs
}

fn compile(program: &Path, folder: &str) -> PathBuf {
    let name = program.file_stem().expect("a name");
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join("opencl").join(folder).join(name);
    std::fs::create_dir_all(output.parent().expect("a folder")).expect("a folder for the programs");
    let done = Command::new("cc")
        .args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-o"])
        .arg(&output)
        .arg(program)
        .args(["-lOpenCL", "-lm"])
        .output()
        .expect("cc starts");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{}: {said}", program.display());
    output
}

#[test]
fn every_program_passes_under_all_settings() {
    let vendors = built().join("etc/OpenCL/vendors");
    let cache = tempfile("cache");
    let mut failures = Vec::new();
    for program in programs() {
        let output = compile(&program, "plain");
        for settings in SETTINGS {
            let run = Command::new("timeout")
                .arg("120")
                .arg(&output)
                .env("OCL_ICD_VENDORS", &vendors)
                .env("VICINITY_CACHE_DIR", &cache)
                .envs(settings.iter().copied())
                .output()
                .expect("the program starts");
            if !run.status.success() {
                let said = String::from_utf8_lossy(&run.stderr);
                failures.push(format!("{settings:?} {}: {}\n{said}", output.display(), run.status));
            }
        }
    }
    _ = std::fs::remove_dir_all(cache);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn traces_name_kernels_and_commands() {
    let (trace, cache) = (tempfile("trace.json"), tempfile("traced"));
    let run = Command::new("timeout")
        .arg("120")
        .arg(compile(&root().join("tests/opencl/queues.c"), "traced"))
        .env("OCL_ICD_VENDORS", built().join("etc/OpenCL/vendors"))
        .env("VICINITY_CACHE_DIR", &cache)
        .env("VICINITY_TRACE", &trace)
        .output()
        .expect("the program starts");
    assert!(run.status.success(), "{}: {}", run.status, String::from_utf8_lossy(&run.stderr));
    let text = std::fs::read_to_string(&trace).expect("the trace");
    for name in ["\"name\":\"add\"", "\"name\":\"scale\"", "\"name\":\"copy_memory:"] {
        assert!(text.contains(name), "no task has {name}");
    }
    _ = std::fs::remove_dir_all(cache);
    _ = std::fs::remove_file(trace);
}

/// A file or folder that is not there yet.
fn tempfile(what: &str) -> PathBuf {
    let folder = format!("opencl-{}-{what}", std::process::id());
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder)
}
