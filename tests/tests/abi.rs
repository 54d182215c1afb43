//! Whole programs in C, C++ and Fortran, built by unmodified compilers and run on our library.
//!
//! `cargo test -p vicinity-tests --test abi`. `VICINITY_TEST_RUNTIME=system` runs them on the system's runtimes;
//! `VICINITY_TEST_ONLY=text` runs only those whose name holds the text; `VICINITY_TEST_LIMIT_S=10` kills a run after
//! 10 seconds in place of 60. `VICINITY_TEST_CLANG=22` builds them with that release of clang (`CPATH` and `LIBRARY_PATH` say where
//! `omp.h` and `libomp.so` are, if they are not installed beside it).

use std::path::{Path, PathBuf};
use vicinity_tests::program;
use vicinity_tests::runtime::Runtime;
use vicinity_tests::suite::{Suite, Summary};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ has a parent").to_path_buf()
}

#[test]
fn the_library_has_been_built() {
    if let Err(message) = Runtime::chosen(&repository()) {
        panic!("{message}");
    }
}

#[test]
fn every_program_passes() {
    let repository = repository();
    let abi = repository.join("tests/abi");
    let runtime = match Runtime::chosen(&repository) {
        Ok(runtime) => runtime,
        Err(message) => panic!("{message}"),
    };
    let mut programs = program::discover(&abi).expect("the programs can be read");
    if let Ok(only) = std::env::var("VICINITY_TEST_ONLY") {
        programs.retain(|p| p.name.contains(&only));
    }
    assert!(!programs.is_empty(), "no program to run");
    let limit_s = std::env::var("VICINITY_TEST_LIMIT_S").ok().and_then(|text| text.parse().ok());
    let suite = Suite {
        runtime,
        include: abi.join("include"),
        out: repository.join("target/abi"),
        limit_s: limit_s.unwrap_or(60),
    };
    let summary = suite.run(&programs);
    print(&summary);
    assert!(summary.failures.is_empty(), "{} failed, listed above", summary.failures.len());
}

fn print(summary: &Summary) {
    println!("{} programs built, {} runs", summary.jobs, summary.runs);
    for skipped in &summary.skipped {
        println!("known peer failure, not run: {skipped}");
    }
    for (time, name) in &summary.slowest {
        println!("{:6.2} s  {name}", time.as_secs_f64());
    }
    for failure in &summary.failures {
        println!("\nFAILED {}\n  repeat: {}\n{}", failure.what, failure.repeat, failure.said);
    }
}
