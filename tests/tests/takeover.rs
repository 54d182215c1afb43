//! `vicinity run` gives one OpenMP runtime to a process and to all that it starts, by whatever name and path they ask for
//! theirs, and `--why` says what became of each.
//!
//! The copies of libgomp here are as Python's packages bring them: a name of their own, found by a library's old run path.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use vicinity_tests::toolchain::build_text;

/// Prints how many threads a region has and what is mapped that could be a runtime; opens what its arguments name.
const PROGRAM: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    int count = 0, ours = 0, others = 0;
    for (int i = 1; i < argc; i++) {
        void *library = dlopen(argv[i], RTLD_NOW);
        if (!library) { puts(dlerror()); return 1; }
        int (*threads)(void) = (int (*)(void))dlsym(library, "threads");
        if (threads) count = threads();
    }
#ifdef _OPENMP
#pragma omp parallel num_threads(3) reduction(+ : count)
    count++;
#endif
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        if (!strstr(line, " r-xp ")) continue;
        int is_ours = strstr(line, "libvicinity.so.1") != NULL;
        ours += is_ours;
        others += !is_ours && (strstr(line, "libgomp") || strstr(line, "libomp") || strstr(line, "libiomp"));
    }
    printf("threads=%d ours=%d others=%d\n", count, ours, others);
    return 0;
}
"#;

const LIBRARY: &str = r#"
int threads(void)
{
    int count = 0;
#pragma omp parallel num_threads(3) reduction(+ : count)
    count++;
    return count;
}
"#;

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn dist(file: &str) -> PathBuf {
    let path = scratch().parent().expect("target").join("dist").join(file);
    assert!(path.exists(), "{} is not there: run `make` first", path.display());
    path
}

/// A folder of the test's own.
fn folder(name: &str) -> PathBuf {
    let folder = scratch().join(format!("takeover-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn text(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

fn libgomp() -> PathBuf {
    let found = Command::new("gcc").arg("-print-file-name=libgomp.so.1").output();
    let found = String::from_utf8(found.expect("gcc starts").stdout).expect("text");
    std::fs::canonicalize(found.trim()).expect("libgomp is installed")
}

/// A copy of libgomp under a name and with a soname of its own, written into the file over the old one.
fn copy_of_libgomp(folder: &Path, name: &str, soname: &str) -> PathBuf {
    let copy = folder.join(name);
    std::fs::copy(libgomp(), &copy).expect("a copy");
    let done = Command::new("patchelf").args(["--set-soname", soname]).arg(&copy).output();
    let done = done.expect("patchelf is installed: run scripts/setup.sh");
    assert!(done.status.success(), "patchelf: {}", text(&done).1);
    copy
}

/// A library that needs this runtime and finds it where it lies, before any variable is asked.
fn library_with(folder: &Path, name: &str, runtime: &Path) -> PathBuf {
    let library = folder.join(name);
    let object = folder.join(format!("{name}.o"));
    build_text(&object, LIBRARY, &["-fopenmp", "-fPIC", "-c"]);
    let path = format!("-Wl,--disable-new-dtags,-rpath,{}", folder.display());
    let linked = Command::new("gcc")
        .args(["-shared", "-o"])
        .args([&library, &object, &runtime.to_path_buf()])
        .arg(path)
        .status();
    assert!(linked.expect("gcc starts").success());
    library
}

fn run(options: &[&str], command: &[&Path]) -> Output {
    let mut running = Command::new(dist("bin/vicinity"));
    running.arg("run").args(options).args(command).env_remove("VICINITY_WHY");
    running.output().expect("the command starts")
}

#[test]
fn renamed_copies_in_packages_are_replaced_by_one_library() {
    let folder = folder("renamed");
    let name = "libgomp-a34b3233.so.1.0.0";
    let runtime = copy_of_libgomp(&folder, name, name);
    let first = library_with(&folder, "first.so", &runtime);
    let second_name = "libgomp-e985bcbb.so.1.0.0";
    let second_runtime = copy_of_libgomp(&folder, second_name, second_name);
    let second = library_with(&folder, "second.so", &second_runtime);
    let llvm = folder.join("libomp-0a1b2c3d.so");
    std::fs::copy(&runtime, &llvm).expect("a copy");
    let program = folder.join("interpreter");
    build_text(&program, PROGRAM, &["-ldl"]);

    let command = [program.as_path(), &first, &second, &llvm];
    let (said, why) = text(&run(&["--why"], &command));
    assert_eq!(said, "threads=3 ours=1 others=0\n", "{why}");
    for (runtime, asker) in [(name, &first), (second_name, &second)] {
        let line = format!("]: {runtime} replaced, for {}", asker.display());
        assert!(why.lines().any(|said| said.ends_with(&line)), "{line} in {why}");
    }
    let (said, _) = text(&Command::new(&program).args(&command[1..]).output().expect("it starts"));
    assert_eq!(said, "threads=3 ours=0 others=3\n", "without vicinity run");
}

#[test]
fn children_are_reached_through_shells_and_exec() {
    let folder = folder("children");
    let program = folder.join("program");
    build_text(&program, PROGRAM, &["-fopenmp", "-ldl"]);
    let script = folder.join("script.sh");
    let lines = format!("#!/bin/sh\n{0}\n(cd / && env {0})\nexec {0}\n", program.display());
    std::fs::write(&script, lines).expect("a script");
    let (said, why) = text(&run(&["--why"], &[Path::new("sh"), &script]));
    assert_eq!(said, "threads=3 ours=1 others=0\n".repeat(3), "{why}");
    assert_eq!(why.matches("libgomp.so.1 replaced, for program").count(), 3, "{why}");
}

/// A program's own run path of the old kind comes before `LD_LIBRARY_PATH`, and not before the auditor.
#[test]
fn a_run_path_of_the_program_does_not_keep_its_runtime() {
    let folder = folder("path");
    let program = folder.join("program");
    let path = libgomp().parent().expect("a folder").display().to_string();
    let option = format!("-Wl,--disable-new-dtags,-rpath,{path}");
    build_text(&program, PROGRAM, &["-fopenmp", "-ldl", &option]);
    let (said, why) = text(&run(&[], &[&program]));
    assert_eq!((said.as_str(), why.as_str()), ("threads=3 ours=1 others=0\n", ""));
}

/// An environment of conda: its programs find `lib/libgomp.so.1` beside them, a link to the runtime that was chosen for all of it.
#[test]
fn an_environment_with_links_to_the_chosen_runtime_is_reached() {
    let folder = folder("conda");
    for name in ["bin", "lib"] {
        std::fs::create_dir(folder.join(name)).expect("a folder");
    }
    let lib = folder.join("lib");
    let chosen = copy_of_libgomp(&lib, "libomp.so", "libomp.so");
    for name in ["libgomp.so.1", "libiomp5.so"] {
        std::os::unix::fs::symlink("libomp.so", lib.join(name)).expect("a link");
    }
    let library = library_with(&lib, "library.so", &chosen);
    let program = folder.join("bin/program");
    let option = "-Wl,--disable-new-dtags,-rpath,$ORIGIN/../lib";
    build_text(&program, PROGRAM, &["-fopenmp", "-ldl", option]);
    let intel = lib.join("libiomp5.so");
    let command = [program.as_path(), &library, &intel];
    let (said, why) = text(&run(&["--why"], &command));
    assert_eq!(said, "threads=6 ours=1 others=0\n", "{why}");
    assert!(why.contains("libgomp.so.1 replaced") && !why.contains("not replaced"), "{why}");

    // The package that chooses Vicinity for an environment.
    std::fs::copy(dist("lib/libvicinity.so.1"), lib.join("libvicinity.so.1")).expect("a copy");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packages/conda/mutex.sh");
    let done = Command::new("sh").arg(script).env("PREFIX", &folder).status();
    assert!(done.expect("sh starts").success());
    let (said, _) = text(&Command::new(&program).output().expect("it starts"));
    assert_eq!(said, "threads=3 ours=1 others=0\n", "without vicinity run");
}

/// The loader ends a program when a name that is a path leads to an object that has it under another one.
#[test]
fn a_runtime_that_a_library_needs_by_its_path_ends_no_program() {
    let folder = folder("slash");
    let path = folder.join("libgomp-00000001.so.1");
    let runtime = copy_of_libgomp(&folder, "libgomp-00000001.so.1", path.to_str().expect("text"));
    let library = library_with(&folder, "library.so", &runtime);
    let program = folder.join("program");
    build_text(&program, PROGRAM, &["-fopenmp", "-ldl"]);
    let output = run(&["--why"], &[&program, &library]);
    let (said, why) = text(&output);
    assert_eq!(output.status.code(), Some(0), "{why}");
    assert_eq!(said, "threads=6 ours=1 others=1\n", "{why}");
    assert!(why.contains("not replaced: needed by its path"), "{why}");

    let alone = folder.join("alone");
    build_text(&alone, PROGRAM, &["-ldl"]);
    let (said, why) = text(&run(&["--why"], &[&alone, &library]));
    assert_eq!(said, "threads=3 ours=1 others=0\n", "the first is replaced: {why}");
}

#[test]
fn what_cannot_be_replaced_is_said() {
    let folder = folder("linked-in");
    let program = folder.join("program");
    let found = Command::new("gcc").arg("-print-file-name=libgomp.a").output().expect("gcc starts");
    let archive = String::from_utf8(found.stdout).expect("text");
    let object = folder.join("program.o");
    build_text(&object, PROGRAM, &["-fopenmp", "-c"]);
    build_text(&program, "int unused;", &[object.to_str().expect("text"), archive.trim(), "-ldl"]);
    let (said, why) = text(&run(&["--why", "--unchecked"], &[&program]));
    assert_eq!(said, "threads=3 ours=0 others=0\n", "{why}");
    assert!(why.contains("program not replaced: an OpenMP runtime is linked into it"), "{why}");

    let (_, why) = text(&run(&["--why", "--unchecked"], &[Path::new("true")]));
    assert!(why.ends_with("]: no OpenMP runtime was asked for\n"), "{why}");
}

#[test]
fn programs_of_another_c_library_are_refused_and_not_started() {
    let folder = folder("musl");
    let program = folder.join("program");
    let loader = "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1";
    build_text(&program, PROGRAM, &["-fopenmp", "-ldl", loader]);
    let output = run(&[], &[&program]);
    let (said, why) = text(&output);
    assert_eq!((output.status.code(), said.as_str()), (Some(126), ""));
    assert!(why.contains("is completed by /lib/ld-musl-x86_64.so.1, which is not"), "{why}");
}

/// It shares nothing with the process that it lives in, and watches no calls.
#[test]
fn the_auditor_needs_nothing_and_watches_no_calls() {
    let auditor = dist("lib/libvicinity-audit.so");
    let (headers, _) =
        text(&Command::new("objdump").arg("-p").arg(&auditor).output().expect("objdump starts"));
    assert!(!headers.contains("NEEDED") && !headers.contains(" TLS "), "{headers}");
    let (symbols, _) = text(
        &Command::new("nm")
            .args(["-D", "--format=just-symbols"])
            .arg(&auditor)
            .output()
            .expect("nm starts"),
    );
    assert_eq!(symbols, "la_objopen\nla_objsearch\nla_version\n");
}

#[test]
fn an_auditor_without_its_library_replaces_nothing() {
    let folder = folder("alone");
    let auditor = folder.join("libvicinity-audit.so");
    std::fs::copy(dist("lib/libvicinity-audit.so"), &auditor).expect("a copy");
    let program = folder.join("program");
    build_text(&program, PROGRAM, &["-fopenmp", "-ldl"]);
    let output =
        Command::new(&program).env("LD_AUDIT", &auditor).env_remove("LD_LIBRARY_PATH").output();
    let (said, why) = text(&output.expect("it starts"));
    assert_eq!(said, "threads=3 ours=0 others=1\n");
    assert!(why.contains("cannot be read: no OpenMP runtime is replaced"), "{why}");
}
