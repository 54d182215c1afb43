//! Programs that are linked with the library in `target/dist/lib/omp` start with that folder alone, by whatever name
//! they were linked, and run on it.

use std::path::{Path, PathBuf};
use std::process::Command;
use vicinity_tests::toolchain::done;

const PROGRAM: &str = r#"
#include <stdio.h>
#include <string.h>
int main(void)
{
    int count = 0;
#pragma omp parallel num_threads(3) reduction(+ : count)
    count++;
    char line[512];
    int ours = 0, others = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        ours |= strstr(line, "libvicinity.so.1") != NULL;
        others |= strstr(line, "libgomp") || strstr(line, "libomp") || strstr(line, "libiomp");
    }
    printf("threads=%d ours=%d others=%d\n", count, ours, others);
    return 0;
}
"#;

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn folder() -> PathBuf {
    let folder = scratch().parent().expect("target").join("dist/lib/omp");
    assert!(folder.exists(), "{} is not there: run `make` first", folder.display());
    folder
}

fn compilers() -> Vec<&'static str> {
    let there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let clangs = ["clang-19", "clang"];
    ["gcc"].into_iter().chain(clangs.into_iter().find(there)).collect()
}

/// Compiles with one command and links with another one, whose options are `options`.
fn build(name: &str, compiler: &str, options: &[&str]) -> PathBuf {
    let source = scratch().join(format!("{name}.c"));
    std::fs::write(&source, PROGRAM).expect("a source file");
    let (object, program) = (scratch().join(format!("{name}.o")), scratch().join(name));
    let opens = ["-fopenmp", "-c", "-o"];
    done(Command::new(compiler).args(opens).arg(&object).arg(&source));
    let mut link = Command::new(compiler);
    link.arg(&object).arg("-L").arg(folder()).args(options).arg("-o").arg(&program);
    done(&mut link);
    program
}

#[test]
fn a_program_linked_in_the_folder_starts_with_that_folder_alone() {
    let lines: [(&str, &[&str]); 4] = [
        ("omp", &["-lomp"]),
        ("iomp5", &["-liomp5"]),
        ("driver", &["-fopenmp"]),
        ("pthread", &["-pthread", "-Wl,--as-needed", "-lomp", "-lm"]),
    ];
    for compiler in compilers() {
        for (what, options) in lines {
            let program = build(&format!("link-{compiler}-{what}"), compiler, options);
            let said = done(Command::new(&program).env("LD_LIBRARY_PATH", folder()));
            assert_eq!(said, "threads=3 ours=1 others=0\n", "{compiler} {options:?}");
        }
    }
    let program = build("link-gcc-gomp", "gcc", &["-lgomp"]);
    let said = done(Command::new(&program).env("LD_LIBRARY_PATH", folder()));
    assert_eq!(said, "threads=3 ours=1 others=0\n");
}

#[test]
fn a_program_with_the_folder_as_its_run_path_needs_no_variable() {
    let path = format!("-Wl,-rpath,{}", folder().display());
    for compiler in compilers() {
        for library in ["-lomp", "-liomp5", "-fopenmp"] {
            let name = format!("link-path-{compiler}{library}");
            let program = build(&name, compiler, &[library, &path]);
            let said = done(Command::new(&program).env_remove("LD_LIBRARY_PATH"));
            assert_eq!(said, "threads=3 ours=1 others=0\n", "{compiler} {library}");
        }
    }
}
