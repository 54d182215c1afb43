//! The `vicinity` command that `make` built: what it runs, what it refuses, and with which status.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#else
#define omp_get_num_threads() 1
#endif
int main(int argc, char **argv)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "libvicinity.so.1")) { puts("on vicinity"); break; }
    for (int i = 1; i < argc; i++) puts(argv[i]);
    const char *scheduler = getenv("VICINITY_SCHEDULER");
    if (scheduler) puts(scheduler);
    return omp_get_num_threads() > 0 ? 42 : 1;
}
"#;

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// `target/dist/bin/vicinity run` with these arguments.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let command = scratch().parent().expect("target").join("dist/bin/vicinity");
    assert!(command.exists(), "{} is not there: run `make` first", command.display());
    let Output { status, stdout, stderr } = Command::new(command)
        .arg("run")
        .args(arguments)
        .env_remove("VICINITY_SCHEDULER")
        .output()
        .expect("the command starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

/// Builds the program with gcc and these options; one file for each test.
fn build(name: &str, options: &[&str]) -> PathBuf {
    let source = scratch().join(format!("{name}.c"));
    std::fs::write(&source, format!("#include <string.h>\n{PROGRAM}")).expect("a source file");
    let program = scratch().join(name);
    let built = Command::new("gcc").args(options).arg("-o").arg(&program).arg(&source).output();
    let built = built.expect("gcc starts");
    assert!(built.status.success(), "gcc: {}", String::from_utf8_lossy(&built.stderr));
    program
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the target folder has a plain name")
}

#[test]
fn a_program_runs_on_vicinity_with_its_own_arguments_and_status() {
    let program = build("command-dynamic", &["-fopenmp"]);
    let (status, said, complained) =
        run(&["--scheduler", "central", text(&program), "--help", "--", "-x"]);
    assert_eq!(said, "on vicinity\n--help\n--\n-x\ncentral\n");
    assert_eq!((status, complained.as_str()), (Some(42), ""));
}

#[test]
fn a_program_is_traced_and_shown_on_demand() {
    let program = build("command-traced", &["-fopenmp"]);
    let folder = scratch().join("command-traces");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let pattern = folder.join("run-%p.json");
    let (status, said, complained) = run(&["--trace", text(&pattern), "--verbose", text(&program)]);
    assert_eq!(status, Some(42), "{complained}");
    assert!(said.starts_with("on vicinity\n"), "{said}");
    assert!(complained.contains("VICINITY_TRACE  "), "{complained}");
    let traces: Vec<_> = std::fs::read_dir(&folder).expect("traces").flatten().collect();
    assert_eq!(traces.len(), 1);
    let name = traces[0].file_name().into_string().expect("text");
    let number = name.strip_prefix("run-").and_then(|name| name.strip_suffix(".json"));
    assert!(number.is_some_and(|number| number.parse::<u32>().is_ok()), "{name}");
    let text = std::fs::read_to_string(traces[0].path()).expect("a trace");
    let trace: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(trace["otherData"]["vicinity"], 1);
}

/// The linker drops libgomp from a program that finds all it needs in libvicinity.
#[test]
fn a_program_that_links_the_library_by_name_finds_it() {
    let library = scratch().parent().expect("target").join("dist/lib");
    let folder = format!("-L{}", text(&library));
    let program =
        build("command-named", &["-fopenmp", &folder, "-Wl,--no-as-needed", "-lvicinity"]);
    let (status, said, complained) = run(&[text(&program)]);
    assert_eq!((status, complained.as_str()), (Some(42), ""));
    assert_eq!(said, "on vicinity\n");
}

#[test]
fn programs_that_cannot_change_their_runtime_are_refused() {
    let fixed = build("command-static", &["-fopenmp", "-static"]);
    let (status, said, complained) = run(&[text(&fixed)]);
    assert_eq!((status, said.as_str()), (Some(126), ""));
    assert!(complained.contains("is linked statically"), "{complained}");
    let (status, said, _) = run(&["--unchecked", text(&fixed)]);
    assert_eq!((status, said.as_str()), (Some(42), ""));

    let plain = build("command-plain", &[]);
    let (status, _, complained) = run(&[text(&plain)]);
    assert_eq!(status, Some(126));
    assert!(complained.contains("does not link an OpenMP runtime"), "{complained}");
    let (status, said, _) = run(&["--unchecked", text(&plain)]);
    assert_eq!((status, said.as_str()), (Some(42), ""));
}

/// With gcc and malloc nothing is known of tasks' data, on a simulated machine either: the end of the run says so.
#[test]
fn a_run_whose_data_is_unknown_says_what_to_do() {
    let source = scratch().join("command-unknown.c");
    let text_of = "#include <stdlib.h>\nint main(void) {\n\
                   double *x = malloc(1 << 23);\n\
                   #pragma omp parallel\n#pragma omp single\nfor (int i = 0; i < 40; i++) {\n\
                   double *y = x + i * 1000;\n\
                   #pragma omp task depend(inout : y[0])\ny[0] = i;\n}\nreturn 42; }\n";
    std::fs::write(&source, text_of).expect("a source file");
    let program = scratch().join("command-unknown");
    let built = Command::new("gcc").args(["-fopenmp", "-o"]).args([&program, &source]).status();
    assert!(built.expect("gcc starts").success());
    let command = scratch().parent().expect("target").join("dist/bin/vicinity");
    let output = Command::new(command)
        .args(["run", "--verbose", text(&program)])
        .env("HWLOC_SYNTHETIC", "numa:2 core:2 pu:1")
        .env("OMP_NUM_THREADS", "4")
        .output()
        .expect("the command starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(42), "{said}");
    assert!(
        said.contains("no task's data is known: on a simulated machine only memory of omp_malloc"),
        "{said}"
    );
}

#[test]
fn what_is_not_there_is_said_with_the_shells_status() {
    for program in ["no-such-program-anywhere", "./no-such-program-here"] {
        let (status, _, complained) = run(&[program]);
        assert_eq!(status, Some(127), "{complained}");
        assert!(complained.starts_with("vicinity: "), "{complained}");
    }
    assert_eq!(run(&[]).0, Some(2));
    assert_eq!(run(&["--scheduler", "fastest", "true"]).0, Some(2));
}

/// An option that does not exist is not taken for a program, unless `--` says that it is one.
#[test]
fn help_fits_a_screen() {
    let vicinity = scratch().parent().expect("target").join("dist/bin/vicinity");
    let help = |arguments: &[&str]| {
        let output = Command::new(&vicinity).args(arguments).arg("--help").output();
        String::from_utf8(output.expect("the command starts").stdout).expect("text")
    };
    let all = help(&[]);
    let commands = all.split("Commands:\n").nth(1).expect("a list");
    let commands = commands.lines().map_while(|line| line.split_whitespace().next());
    let commands: Vec<&str> = commands.filter(|name| *name != "help").collect();
    assert!(commands.contains(&"run") && commands.contains(&"top"), "{commands:?}");
    for command in commands {
        for line in help(&[command]).lines() {
            assert!(line.chars().count() <= 100, "vicinity {command} --help: {line}");
        }
    }
}

#[test]
fn unknown_options_are_no_programs() {
    let (status, _, complained) = run(&["--schedular", "central", "ls"]);
    assert_eq!(status, Some(2));
    assert!(
        complained.contains("'--schedular'") && complained.contains("'--scheduler'"),
        "{complained}"
    );
    let (status, _, complained) = run(&["--threads", "4", "ls"]);
    assert_eq!(status, Some(2));
    assert!(
        complained.contains("'--threads'") && complained.contains("-- --threads"),
        "{complained}"
    );
    let (status, _, complained) = run(&["--", "--threads", "4"]);
    assert_eq!(
        (status, complained.as_str()),
        (Some(127), "vicinity: --threads: not found in PATH\n")
    );
}

#[test]
fn a_kernel_is_explained() {
    let command = scratch().parent().expect("target").join("dist/bin/vicinity");
    let source = scratch().join("command-kernel.cl");
    let translate = |text: &str| {
        std::fs::write(&source, text).expect("a source file");
        let mut output = Command::new(&command);
        output.arg("translate").arg(&source).args(["--", "-D", "N=99"]);
        let output = output.output().expect("the command starts");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (status, said, complained) = translate(
        "kernel void sum(global float *a, global float *s) {
            for (int i = 0; i < N; i++) s[get_global_id(0)] += a[get_global_id(0) * N + i];
        }",
    );
    assert_eq!((status, complained.as_str()), (Some(0), ""));
    assert!(said.contains("kernel sum, line 1") && said.contains("99 iterations"), "{said}");
    let (status, _, complained) = translate("kernel void k() { x; }");
    assert_eq!(status, Some(1));
    assert!(complained.contains("undeclared identifier 'x'"), "{complained}");
}
