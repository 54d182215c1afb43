//! One process with parts from gcc and from clang: one runtime, whichever name loads it.

use std::path::{Path, PathBuf};
use std::process::Command;

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn compile(compiler: &str, options: &[&str], source: &str, output: &Path) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("mixed");
    let built = Command::new(compiler)
        .args(["-O1", "-fopenmp", "-o"])
        .arg(output)
        .arg(sources.join(source))
        .args(options)
        .output()
        .unwrap_or_else(|error| panic!("cannot run {compiler}: {error}"));
    assert!(built.status.success(), "{compiler}: {}", String::from_utf8_lossy(&built.stderr));
}

/// The library built by one compiler, the program by the other.
fn build(for_main: &str, for_library: &str) -> PathBuf {
    let folder = scratch().join(format!("mixed-{for_main}"));
    std::fs::create_dir_all(&folder).expect("a folder to build in");
    compile(for_library, &["-shared", "-fPIC"], "library.c", &folder.join("libmixed.so"));
    let program = folder.join("main");
    let folder = folder.to_str().expect("the target folder has a plain name");
    let options = [&format!("-L{folder}"), "-lmixed", &format!("-Wl,-rpath,{folder}")];
    compile(for_main, &options, "main.c", &program);
    program
}

#[test]
fn parts_of_two_compilers_share_one_runtime() {
    let lib = scratch().parent().expect("target").join("dist/lib");
    assert!(lib.join("libvicinity.so.1").exists(), "{} is empty: run `make` first", lib.display());
    for (main, library) in [("gcc", "clang-19"), ("clang-19", "gcc")] {
        let program = build(main, library);
        let output = Command::new(&program).env("LD_LIBRARY_PATH", lib.join("omp")).output();
        let output = output.expect("the program starts");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let complained = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{main} calling {library}: {said}{complained}");
        assert_eq!(complained, "", "{main} calling {library}");
    }
}
