//! The driver from outside: every program and every measure builds, runs and is right on the system's
//! libgomp; errors are reported with the documented exit status. Needs gcc, g++ and gfortran.

use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder of this test's own, removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("vicinity-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind in the temporary folder spoils no other test.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn bench(folder: &Folder, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_vicinity-bench"))
        .arg("--build-dir")
        .arg(folder.0.join("build"))
        .args(words)
        .output()
        .expect("the driver starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn everything_runs_and_is_right() {
    let folder = Folder::new("everything");
    let json = folder.0.join("out.json");
    let json_name = json.display().to_string();
    let words =
        "--suite all --class test --repeat 1 --threads 2 --against gcc/libgomp,rayon --json";
    let mut words: Vec<&str> = words.split(' ').collect();
    words.push(&json_name);
    let output = bench(&folder, &words);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));

    let record: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&json).expect("a record")).expect("is JSON");
    let series = record["series"].as_array().expect("series");
    let listed = bench(&folder, &["--list"]);
    let listing = String::from_utf8_lossy(&listed.stdout).into_owned();
    let openmp = listing.split("opencl:").next().expect("the first part");
    let lines = openmp.lines().filter_map(|line| line.strip_prefix("  "));
    for name in lines.filter_map(|line| line.split_whitespace().next()) {
        let measured =
            series.iter().any(|s| s["program"] == name && s["summary"]["median"].is_f64());
        assert!(measured, "{name} was not measured");
    }
    let rayon: Vec<_> = series.iter().filter(|s| s["contender"] == "rayon").collect();
    assert_eq!(rayon.len(), 1, "rayon takes part in fib alone");
}

#[test]
fn opencl_runs_where_a_driver_is() {
    let vendors = std::fs::read_dir("/etc/OpenCL/vendors").into_iter().flatten().flatten();
    let pocl = |name: &str| name.starts_with("pocl") && name.ends_with(".icd");
    if !vendors.into_iter().any(|entry| pocl(&entry.file_name().to_string_lossy())) {
        eprintln!("PoCL is not installed: nothing to run on");
        return;
    }
    let folder = Folder::new("opencl");
    for (suite, one) in [("opencl", "row_walk"), ("fresh", "row_softmax")] {
        let words = format!("--suite {suite} --class test --repeat 1 --threads 2 --against pocl");
        let output = bench(&folder, &words.split(' ').collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(String::from_utf8_lossy(&output.stdout).contains(one));
    }
}

/// A compiler that is not there is told, and the other is measured.
#[test]
fn kernels_run_as_c_with_openmp() {
    let folder = Folder::new("kernels-in-c");
    let words =
        "--suite opencl --class test --repeat 1 --threads 2 --against openmp-gcc,openmp-clang";
    let output = bench(&folder, &words.split(' ').collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    let measured = |contender: &str| table.lines().filter(|line| line.contains(contender)).count();
    assert_eq!(measured(" openmp-gcc "), vicinity_bench::opencl::WORKLOADS.len(), "{table}");
    let clang = !stderr(&output).contains("without openmp-clang");
    assert_eq!(measured(" openmp-clang ") > 0, clang, "{table}");
}

#[test]
fn an_unknown_program_is_a_usage_error() {
    let folder = Folder::new("unknown");
    let output = bench(&folder, &["--programs", "nonesuch"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("nonesuch"));
}

#[test]
fn a_library_that_is_not_there_is_named() {
    let folder = Folder::new("library");
    let output = bench(&folder, &["--against", "vicinity-gcc", "--lib", "/nonexistent/omp"]);
    assert_eq!(output.status.code(), Some(125));
    assert!(stderr(&output).contains("/nonexistent/omp"), "{}", stderr(&output));
}

#[test]
fn a_driver_that_is_not_there_is_named() {
    let folder = Folder::new("vendor");
    let words = "--programs row_walk --driver new=/nonexistent/libnew.so";
    let output = bench(&folder, &words.split(' ').collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(125));
    assert!(stderr(&output).contains("/nonexistent/libnew.so"), "{}", stderr(&output));
    let output = bench(&folder, &["--programs", "fib", "--driver", "new=/nonexistent/libnew.so"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("nothing of OpenCL"), "{}", stderr(&output));
}

/// A library that does not load makes the programs fail before main; that must not pass for a result.
#[test]
fn a_library_that_does_not_load_is_a_failure() {
    let folder = Folder::new("broken");
    std::fs::write(folder.0.join("libgomp.so.1"), "no library").expect("written");
    let lib = folder.0.display().to_string();
    let words =
        ["--programs", "fib", "--class", "test", "--against", "vicinity-gcc", "--lib", &lib];
    let output = bench(&folder, &words);
    assert_ne!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("vicinity-gcc"), "{}", stderr(&output));
}
