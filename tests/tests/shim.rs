//! The C and assembly under `capi/openmp/shim` on its own, against stand-ins for the Rust side.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests folder has a parent")
}

/// Compiles `sources` (relative to the repository) and runs the program, which must exit with 0.
fn build_and_run(compiler: &str, name: &str, optimization: &str, sources: &[&str]) {
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let status = Command::new(compiler)
        .current_dir(root())
        .args([
            optimization,
            "-fno-omit-frame-pointer",
            "-Wall",
            "-Wextra",
            "-Wno-cast-function-type",
            "-rdynamic",
            "-o",
        ])
        .arg(&program)
        .args(sources)
        .status()
        .unwrap_or_else(|error| panic!("cannot run {compiler}: {error}"));
    assert!(status.success(), "{compiler} could not build {name}");
    let output = Command::new(&program).output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{name} ({optimization}): {} {said}", output.status);
}

#[test]
fn a_microtask_gets_every_argument_and_can_throw() {
    let sources = ["tests/shim/microtask.cc", "capi/openmp/shim/microtask.S"];
    build_and_run("c++", "shim-microtask-O0", "-O0", &sources);
    build_and_run("c++", "shim-microtask-O2", "-O2", &sources);
}

#[test]
fn variadic_entry_points_gather_their_arguments() {
    let sources = ["tests/shim/variadic.c", "capi/openmp/shim/variadic.c"];
    build_and_run("cc", "shim-variadic-O0", "-O0", &sources);
    build_and_run("cc", "shim-variadic-O2", "-O2", &sources);
}

#[test]
fn big_atomics_compute_under_the_lock() {
    let sources = ["tests/shim/atomics.c", "capi/openmp/shim/atomics.c"];
    build_and_run("cc", "shim-atomics-O0", "-O0", &sources);
    build_and_run("cc", "shim-atomics-O2", "-O2", &sources);
}

#[test]
fn quadruple_precision_is_not_lost_on_the_way() {
    let sources = ["tests/shim/quad.c", "capi/openmp/shim/quad.c"];
    build_and_run("cc", "shim-quad-O0", "-O0", &sources);
    build_and_run("cc", "shim-quad-O2", "-O2", &sources);
}
