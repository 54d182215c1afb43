//! The programs of `tests/numa` on topologies that are not this machine's (HWLOC_SYNTHETIC), without an emulator.
//!
//! Placement is recorded there and not enforced, so the programs compare what happens with `vicinity_locate` instead of
//! with the kernel.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Four locations of two processors, with caches that are smaller than the tasks' data.
const FOUR: &str = "numa:4 l3:1(size=512KB) core:2 pu:1";

fn tests() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn library() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("target");
    let library = target.join("dist/lib");
    assert!(library.join("libvicinity.so.1").exists(), "{}: run `make` first", library.display());
    library
}

fn build(compiler: &str, program: &str) -> PathBuf {
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{program}.{compiler}"));
    let root = tests().parent().expect("tests/ has a parent");
    let built = Command::new(compiler)
        .args(["-O1", "-std=gnu11", "-fopenmp", "-I"])
        .arg(tests().join("numa/include"))
        .arg("-I")
        .arg(tests().join("abi/include"))
        .arg("-I")
        .arg(root.join("capi/include"))
        .arg("-o")
        .arg(&output)
        .arg(tests().join(format!("numa/programs/{program}.c")))
        .arg("-L")
        .arg(library())
        .arg("-lvicinity")
        .output()
        .unwrap_or_else(|error| panic!("{compiler}: {error}"));
    assert!(built.status.success(), "{compiler}: {}", String::from_utf8_lossy(&built.stderr));
    output
}

/// Runs it built by both compilers.
fn run(program: &str, arguments: &[&str], variables: &[(&str, &str)]) {
    run_of(&["gcc", "clang-19"], program, arguments, variables);
}

fn run_of(compilers: &[&str], program: &str, arguments: &[&str], variables: &[(&str, &str)]) {
    for compiler in compilers {
        let library = library();
        let folders = format!("{}:{}", library.join("omp").display(), library.display());
        let output = Command::new("timeout")
            .arg("120")
            .arg(build(compiler, program))
            .args(arguments)
            .env("LD_LIBRARY_PATH", folders)
            .env("HWLOC_SYNTHETIC", FOUR)
            .env("OMP_NUM_THREADS", "8")
            .env_remove("VICINITY_TEST_TRUTH")
            .envs(variables.iter().copied())
            .output()
            .expect("the program starts");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let complained = String::from_utf8_lossy(&output.stderr).into_owned();
        let status = output.status;
        assert!(status.success(), "{program}, {compiler}: {status}\n{said}{complained}");
        println!("{program}, {compiler}:\n{said}");
    }
}

#[test]
fn memory_is_recorded_where_the_distribution_says() {
    run("policies", &["standard"], &[]);
    run("policies", &["fine"], &[("OMP_DATA_DISTRIBUTION", "fine")]);
    run("policies", &["coarse"], &[("OMP_DATA_DISTRIBUTION", "coarse")]);
    run("allocators", &[], &[]);
    run("locate", &[], &[]);
}

#[test]
fn tasks_run_where_their_data_is_recorded() {
    run("tasks", &["depend", "75"], &[]);
    run("tasks", &["native", "75"], &[]);
    run("tasks", &["depend"], &[("VICINITY_SCHEDULER", "workstealing")]);
}

/// clang compiles target regions as plain code.
#[test]
fn locations_are_devices_where_that_is_asked_for() {
    let devices = ("VICINITY_DEVICES", "locations");
    for program in ["devices_nowait", "devices_matrix", "devices_jacobi", "devices_bodies"] {
        run(program, &["4", "2"], &[devices]);
    }
    run_of(&["gcc"], "devices", &["4", "2"], &[devices]);
    run_of(&["gcc"], "devices", &["4", "2"], &[devices, ("OMP_TARGET_OFFLOAD", "mandatory")]);
    run_of(&["gcc"], "devices", &["4", "2"], &[devices, ("OMP_PLACES", "cores")]);
}
