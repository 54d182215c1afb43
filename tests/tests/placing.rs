//! `vicinity run --distribution`: a program that knows nothing of Vicinity gets its large blocks from it, on a machine of several
//! locations that is not this one, and everything else from the C library. Where pages are, `tests/numa` checks.

use std::path::{Path, PathBuf};
use std::process::Command;
use vicinity_tests::toolchain::build_text;

/// Prints which blocks begin where those of Vicinity do, and goes through every routine; small blocks of glibc never begin there.
const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <malloc.h>
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_ours(void *block) { return block && (uintptr_t)block % (64 << 10) == 0; }

static void *churn(void *seed)
{
    unsigned state = (unsigned)(uintptr_t)seed;
    void *held[16] = {0};
    for (int i = 0; i < 3000; i++) {
        state = state * 1103515245 + 12345;
        int at = state >> 8 & 15;
        size_t size = (size_t)1 << (state >> 16 & 21);
        if (state & 1) {
            free(held[at]);
            held[at] = state & 2 ? malloc(size) : calloc(1, size);
        } else {
            held[at] = realloc(held[at], size);
        }
        if (!held[at]) abort();
        memset(held[at], i, size < 100 ? size : 100);
        ((char *)held[at])[size - 1] = 1;
    }
    for (int i = 0; i < 16; i++) free(held[i]);
    return NULL;
}

int main(void)
{
    void *large = malloc(4 << 20), *small = malloc(500000), *grown = malloc(100);
    grown = realloc(grown, 8 << 20);
    char *line = NULL;
    size_t room = 0;
    FILE *self = fopen("/proc/self/maps", "r");
    while (getline(&line, &room, self) > 0) continue;
    fclose(self);
    free(line);
    printf("large %d, small %d, grown %d\n", is_ours(large), is_ours(small), is_ours(grown));
    pthread_t threads[8];
    for (uintptr_t i = 0; i < 8; i++) pthread_create(&threads[i], NULL, churn, (void *)(i + 1));
    for (int i = 0; i < 6; i++) {
        pid_t child = fork();
        if (child == 0) {
            free(large);
            churn((void *)99);
#pragma omp parallel num_threads(2)
            churn((void *)(uintptr_t)omp_get_thread_num());
            _exit(7);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (WEXITSTATUS(status) != 7) { puts("child failed"); return 1; }
    }
    for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
    free(large); free(small); free(grown);
    struct rlimit limit = {512 << 20, 512 << 20};
    setrlimit(RLIMIT_AS, &limit);
    void *held[1000];
    int count = 0;
    while (count < 1000 && (held[count] = malloc(3 << 20))) count++;
    printf("exhausted %d\n", count > 10 && count < 1000);
    while (count > 0) free(held[--count]);
    return 0;
}
"#;

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn built(name: &str, options: &[&str]) -> PathBuf {
    let program = scratch().join(format!("placing-{name}"));
    build_text(&program, PROGRAM, options);
    program
}

/// Status and output under these arguments of `vicinity run`, on four locations.
fn run(arguments: &[&str], program: &Path) -> (Option<i32>, String) {
    let command = scratch().parent().expect("target").join("dist/bin/vicinity");
    let output = Command::new(command)
        .arg("run")
        .args(arguments)
        .arg(program)
        .env("HWLOC_SYNTHETIC", "numa:4 core:2 pu:1")
        .env_remove("OMP_DATA_DISTRIBUTION")
        .env_remove("LD_PRELOAD")
        .output()
        .expect("the command starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), said + &String::from_utf8_lossy(&output.stderr))
}

#[test]
fn large_blocks_are_placed_and_small_ones_are_not() {
    let program = built("ours", &["-fopenmp", "-O1", "-pthread"]);
    for distribution in ["fine", "coarse", "blocked", "auto"] {
        let (status, said) = run(&["--distribution", distribution], &program);
        assert_eq!(said, "large 1, small 0, grown 1\nexhausted 1\n", "{distribution}");
        assert_eq!(status, Some(0));
    }
}

#[test]
fn nothing_is_placed_unasked() {
    let program = built("none", &["-fopenmp", "-O1", "-pthread"]);
    for arguments in [&[][..], &["--distribution", "standard"]] {
        let (status, said) = run(arguments, &program);
        assert_eq!(said, "large 0, small 0, grown 0\nexhausted 1\n", "{arguments:?}");
        assert_eq!(status, Some(0));
    }
}

/// An allocator as programs link it in, without all that the C library has.
const OWN: &str = r#"
void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), __libc_free(void *);
void *malloc(size_t size) { return __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return __libc_realloc(block, size); }
void free(void *block) { __libc_free(block); }
__attribute__((constructor)) static void other_routines(void)
{
    void *block = NULL;
    if (posix_memalign(&block, 64, 4 << 20) != 0) abort();
    free(block);
}
"#;

/// Such a program keeps it for all its blocks.
#[test]
fn a_program_with_its_own_allocator_keeps_it() {
    let own = format!("{PROGRAM}{OWN}");
    let program = scratch().join("placing-own");
    build_text(&program, &own, &["-fopenmp", "-O1", "-pthread", "-rdynamic"]);
    let (status, said) = run(&["--distribution", "fine"], &program);
    assert_eq!(said, "large 0, small 0, grown 0\nexhausted 1\n");
    assert_eq!(status, Some(0));
}

/// What runs without OpenMP under the same variables has the C library's memory.
#[test]
fn other_programs_notice_nothing() {
    let (status, said) = run(&["--unchecked", "--distribution", "fine"], Path::new("true"));
    assert_eq!((status, said.as_str()), (Some(0), ""));
}
