//! OMPT: a tool that checks what it is told, with programs of gcc and of clang; how a tool is found; and the example.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use vicinity_tests::toolchain::done;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests folder has a parent")
}

fn target() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("target")
}

/// Builds a source of the repository with `compiler` and these options, for the test that calls.
fn built(compiler: &str, source: &str, name: &str, options: &[&str]) -> PathBuf {
    let test = std::thread::current().name().unwrap_or("test").to_owned();
    let folder = target().join("tool").join(test);
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(name);
    let mut command = Command::new(compiler);
    command.args(["-O1", "-g", "-Wall", "-I"]).arg(root().join("capi/include"));
    done(command.arg("-o").arg(&file).arg(root().join(source)).args(options));
    file
}

fn tool() -> PathBuf {
    built("gcc", "tests/tool/check.c", "check.so", &["-shared", "-fPIC", "-Wextra", "-Werror"])
}

fn program(compiler: &str) -> PathBuf {
    built(compiler, "tests/tool/program.c", &format!("program-{compiler}"), &["-fopenmp"])
}

fn run(program: &Path, variables: &[(&str, &str)]) -> Output {
    let ours = target().join("dist/lib/omp");
    assert!(ours.exists(), "{} is not there: run `make` first", ours.display());
    let mut command = Command::new("timeout");
    command.args(["--signal=KILL", "60"]).arg(program).env("LD_LIBRARY_PATH", &ours);
    command.env_remove("OMP_NUM_THREADS").envs(variables.iter().copied());
    command.output().expect("it starts")
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// How many of something the tool counted.
fn count(of: &str, said: &str) -> u64 {
    let word = said.split_whitespace().find_map(|word| word.strip_prefix(&format!("{of}=")));
    word.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no {of} in: {said}"))
}

#[test]
fn a_tool_is_told_what_programs_of_both_compilers_do() {
    let tool = tool();
    for compiler in ["gcc", "clang-19"] {
        let program = program(compiler);
        for round in 0..5 {
            let variables = [("OMP_TOOL_LIBRARIES", tool.to_str().expect("a path"))];
            let said = said(&run(&program, &variables));
            assert!(said.starts_with("tool: right"), "{compiler}, round {round}: {said}");
            let expected = [
                ("threads", 4),
                ("parallels", 5),
                ("implicits", 20),
                ("joins", 20),
                ("initials", 1),
                // 50, 12, and those of fib(12).
                ("tasks", 294),
                ("dependences", 13),
                ("dependent_waits", 1),
                ("groups", 1),
                ("singles", 2),
                ("criticals", 12),
                ("locks", 12),
                ("taskwaits", 232),
                ("works", 4),
                ("chunks", 20),
            ];
            for (of, number) in expected {
                assert_eq!(count(of, &said), number, "{of}, {compiler}: {said}");
            }
            // Barriers of single constructs are calls like any other in gcc's code.
            let barriers = count("barriers", &said) + count("work_barriers", &said);
            assert_eq!(barriers, 24, "{compiler}: {said}");
        }
    }
}

#[test]
fn a_league_begins_and_ends_around_its_teams() {
    for compiler in ["gcc", "clang-19"] {
        let program = built(compiler, "tests/tool/league.c", compiler, &["-fopenmp", "-rdynamic"]);
        let output = run(&program, &[]);
        assert!(output.status.success(), "{compiler}: {output:?}");
        let told = String::from_utf8_lossy(&output.stdout);
        let expected =
            "begins 3 1 1\nteam 0 of 3 1\nteam 1 of 3 1\nteam 2 of 3 1\nends 1 1 1\nregions 3\n";
        assert_eq!(told, expected, "{compiler}");
    }
}

/// Between its task and its event: which of the two is over first.
#[test]
fn a_detached_task_and_its_event_are_told_of() {
    for compiler in ["gcc", "clang-19"] {
        let program =
            built(compiler, "tests/tool/detached.c", compiler, &["-fopenmp", "-rdynamic"]);
        let output = run(&program, &[]);
        assert!(output.status.success(), "{compiler}: {output:?}");
        let told = String::from_utf8_lossy(&output.stdout);
        let early = "switch\nearly task alone\ncomplete task\n";
        let late = "body\ndetach task\nfulfilling\nlate task alone\n";
        assert!(told.starts_with(early) && told.ends_with(late), "{compiler}: {told}");
    }
}

#[test]
fn a_tool_is_looked_for_as_the_variables_say() {
    let (tool, program) = (tool(), program("gcc"));
    let tool = tool.to_str().expect("a path");
    let is_told =
        |variables: &[(&str, &str)]| said(&run(&program, variables)).contains("tool: right");
    assert!(!is_told(&[]));
    assert!(!is_told(&[("OMP_TOOL", "disabled"), ("OMP_TOOL_LIBRARIES", tool)]));
    // Libraries that are not there, or are no tools, are passed over.
    let list = format!("/no/such/tool.so:libm.so.6:{tool}");
    assert!(is_told(&[("OMP_TOOL_LIBRARIES", &list)]));
    let variables = [("OMP_TOOL_LIBRARIES", list.as_str()), ("OMP_TOOL_VERBOSE_INIT", "stderr")];
    let told = said(&run(&program, &variables));
    for line in ["/no/such/tool.so: ", "libm.so.6: it has no ompt_start_tool", "it is used"] {
        assert!(told.contains(line), "no `{line}` in: {told}");
    }
}

#[test]
fn a_tool_in_the_process_is_found_wherever_it_lies() {
    let (tool, ours) = (tool(), target().join("dist/lib/omp/libgomp.so.1"));
    let (tool, ours) = (tool.to_str().expect("a path"), ours.to_str().expect("a path"));
    for compiler in ["gcc", "clang-19"] {
        let plain = program(compiler);
        for preloaded in [tool, &format!("{tool}:{ours}"), &format!("{ours}:{tool}")] {
            let told = said(&run(&plain, &[("LD_PRELOAD", preloaded)]));
            assert!(told.contains("tool: right"), "{compiler}, {preloaded}: {told}");
        }
        let its_own = root().join("tests/tool/check.c");
        let options = ["-fopenmp", "-rdynamic", its_own.to_str().expect("a path")];
        let program = built(compiler, "tests/tool/program.c", "program-own-tool", &options);
        let told = said(&run(&program, &[]));
        assert!(told.contains("tool: right"), "{compiler}, in the program: {told}");
    }
}

#[test]
fn the_example_tool_counts() {
    let example =
        built("gcc", "examples/ompt/waiting.c", "waiting.so", &["-shared", "-fPIC", "-Werror"]);
    let variables = [("OMP_TOOL_LIBRARIES", example.to_str().expect("a path"))];
    let told = said(&run(&program("gcc"), &variables));
    assert_eq!(told.lines().filter(|line| line.contains(" regions, ")).count(), 4, "{told}");
    assert!(told.contains("(initial): 5 regions"), "{told}");
}

/// Runs a program of gcc and ThreadSanitizer with Archer; whether a race is reported.
fn has_race(program: &Path) -> bool {
    let archer = "/usr/lib/llvm-19/lib/libarcher.so";
    assert!(Path::new(archer).exists(), "{archer} is not there: run scripts/setup.sh");
    let variables =
        [("OMP_TOOL_LIBRARIES", archer), ("TSAN_OPTIONS", "ignore_noninstrumented_modules=1")];
    let output = run(program, &variables);
    let said = String::from_utf8_lossy(&output.stderr);
    let race = said.contains("WARNING: ThreadSanitizer: data race");
    assert!(race || output.status.success(), "{output:?}");
    race
}

#[test]
fn archer_finds_a_race_of_tasks_and_none_in_clean_ones() {
    let options = ["-fopenmp", "-fsanitize=thread"];
    let racy = built("gcc", "tests/tool/race.c", "racy", &options);
    let clean = built("gcc", "tests/tool/race.c", "clean", &[options[0], options[1], "-DCLEAN"]);
    // The sanitizer keeps a few accesses of each word, and may have lost the one that matters.
    assert!((0..5).any(|_| has_race(&racy)));
    assert!((0..3).all(|_| !has_race(&clean)));
}
