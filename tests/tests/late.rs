//! The library can be loaded late, by a program whose other libraries have used up the loader's room for static
//! thread-local storage: "cannot allocate memory in static TLS block" is what other runtimes say then.

use std::path::{Path, PathBuf};
use std::process::Command;
use vicinity_tests::toolchain::build_text;

/// Loads the fillers while there is room, then the library that has regions, and a filler more, which must not fit.
const PROGRAM: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int refused = 0;
    for (int i = 3; i < argc; i++)
        refused += !dlopen(argv[i], RTLD_NOW);
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library) { puts(dlerror()); return 1; }
    int (*tasks)(void) = (int (*)(void))dlsym(library, "tasks");
    int sum = 0;
    for (int i = 0; i < 100; i++) sum += tasks();
    printf("refused=%d sum=%d full=%d\n", refused > 0, sum, !dlopen(argv[2], RTLD_NOW));
    return 0;
}
"#;

const LIBRARY: &str = r#"
#include <omp.h>
int tasks(void)
{
    int sum = 0;
#pragma omp parallel num_threads(4)
#pragma omp for
    for (int i = 0; i < 100; i++)
#pragma omp task
    {
#pragma omp atomic
        sum += omp_get_thread_num() < 4;
    }
    return sum;
}
"#;

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("late");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Six copies of a library whose thread-local block has this many bytes and must be static.
fn fillers(bytes: usize) -> Vec<PathBuf> {
    let name = |copy: usize| folder().join(format!("filler-{bytes}-{copy}.so"));
    let variable = format!(
        "__thread char filler[{bytes}] __attribute__((tls_model(\"initial-exec\")));\n\
         char *use(void) {{ return filler; }}\n"
    );
    build_text(&name(0), &variable, &["-shared", "-fPIC"]);
    for copy in 1..6 {
        std::fs::copy(name(0), name(copy)).expect("a copy");
    }
    (0..6).map(name).collect()
}

#[test]
fn the_library_loads_where_no_static_storage_is_left() {
    let lib = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("target").join("dist/lib/omp");
    assert!(lib.exists(), "{} is not there: run `make` first", lib.display());
    let (program, library) = (folder().join("program"), folder().join("library.so"));
    build_text(&program, PROGRAM, &["-ldl", "-pthread"]);
    build_text(&library, LIBRARY, &["-fopenmp", "-shared", "-fPIC"]);
    let mut files: Vec<PathBuf> =
        [1024, 512, 256, 128, 64, 32, 16, 8].into_iter().flat_map(fillers).collect();
    let last = files.pop().expect("a small one");
    let output = Command::new(&program)
        .args([&library, &last])
        .args(&files)
        .env("LD_LIBRARY_PATH", lib)
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said, "refused=1 sum=10000 full=1\n", "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_library_demands_no_static_storage() {
    let lib = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("target").join("dist/lib");
    let library = lib.join("libvicinity.so.1");
    let read =
        Command::new("readelf").args(["-dW"]).arg(&library).output().expect("readelf starts");
    let entries = String::from_utf8_lossy(&read.stdout);
    assert!(entries.contains("SONAME"), "{entries}");
    assert!(!entries.contains("STATIC_TLS"), "{entries}");
}
