//! What our programs end with, and what they do where nobody takes what they print: `vicinity` with every subcommand,
//! `vicinity-translate` and the benchmarks' programs. The statuses are those of `output/src/lib.rs` (decision 027).

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use vicinity_tests::trace::Shape;

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// One of the programs that `make` installs.
fn program(name: &str) -> Command {
    let path = scratch().parent().expect("target").join("dist/bin").join(name);
    assert!(path.exists(), "{} is not there: run `make` first", path.display());
    let mut command = Command::new(path);
    command.env_remove("VICINITY_TRANSLATE");
    command
}

/// A line of words; TRACE and KERNEL are files that are right, WRONG a kernel that is not.
fn words(line: &str) -> Vec<String> {
    let file = |word: &str| match word {
        "TRACE" => trace().display().to_string(),
        "KERNEL" => kernels()[0].display().to_string(),
        "WRONG" => kernels()[1].display().to_string(),
        "PAGE" => scratch().join("statuses.html").display().to_string(),
        "SCRATCH" => scratch().join("statuses-build").display().to_string(),
        word => word.to_string(),
    };
    line.split_whitespace().map(file).collect()
}

/// A trace that there is nothing to say about.
fn trace() -> &'static Path {
    static TRACE: OnceLock<PathBuf> = OnceLock::new();
    TRACE.get_or_init(|| {
        let mut bytes = Vec::new();
        Shape::SMALL.write(&mut bytes).expect("memory takes it");
        let text = String::from_utf8(bytes).expect("text");
        let quiet =
            text.replace(r#"["This machine counts no cycles; page faults stand in."]"#, "[]");
        let path = scratch().join("statuses.json");
        std::fs::write(&path, quiet).expect("a file");
        path
    })
}

/// A kernel that is right and one that is not. Written once: a test that writes a file anew has the program of another test
/// read an empty one.
fn kernels() -> &'static [PathBuf; 2] {
    static KERNELS: OnceLock<[PathBuf; 2]> = OnceLock::new();
    KERNELS.get_or_init(|| {
        let written = |name: &str, text: &str| {
            let path = scratch().join(format!("statuses-{name}.cl"));
            std::fs::write(&path, text).expect("a source file");
            path
        };
        [
            written("right", "kernel void k(global int *a) { a[get_global_id(0)] = 1; }"),
            written("wrong", "kernel void k() { x; }"),
        ]
    })
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Everything that prints to standard output and takes less than a second.
const PRINTING: &[(&str, &str)] = &[
    ("vicinity", "--help"),
    ("vicinity", "--version"),
    ("vicinity", "help"),
    ("vicinity", "help simulate"),
    ("vicinity", "run --help"),
    ("vicinity", "info"),
    ("vicinity", "info --help"),
    ("vicinity", "bench --list"),
    ("vicinity", "bench --help"),
    ("vicinity", "demo --help"),
    ("vicinity", "timeline --text TRACE"),
    ("vicinity", "timeline TRACE -o PAGE"),
    ("vicinity", "timeline --help"),
    ("vicinity", "compare TRACE TRACE"),
    ("vicinity", "compare --help"),
    ("vicinity", "simulate --program fib --size 5"),
    ("vicinity", "simulate --program fib --size 5 --scheduler central --distribution fine"),
    ("vicinity", "simulate --program fib --size 5 --json"),
    ("vicinity", "simulate --help"),
    ("vicinity", "translate KERNEL"),
    ("vicinity", "translate --help"),
    ("vicinity-translate", "report KERNEL"),
    ("vicinity-translate", "version"),
    ("vicinity-translate", "help"),
    ("vicinity-bench-rayon", "--class test"),
];

#[test]
fn a_full_disk_costs_one_line_and_a_status() {
    for &(name, line) in PRINTING {
        let full = File::options().write(true).open("/dev/full").expect("Linux has it");
        let output = program(name).args(words(line)).stdout(full).output().expect("it starts");
        let said = complaint(&output);
        let status = if name == "vicinity-translate" { 3 } else { 125 };
        assert_eq!(output.status.code(), Some(status), "{name} {line}: {said}");
        assert!(
            said.contains("cannot write to standard output: No space left"),
            "{name} {line}: {said}"
        );
        assert_eq!(said.lines().count(), 1, "{name} {line}: {said}");
    }
}

#[test]
fn a_reader_that_has_gone_costs_no_line() {
    for &(name, line) in PRINTING {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = program(name).args(words(line)).stdout(writer).output().expect("it starts");
        let said = complaint(&output);
        assert_eq!((output.status.code(), said.as_str()), (Some(141), ""), "{name} {line}");
    }
}

/// Standard error that takes nothing changes no status: there is nobody to be told.
#[test]
fn what_cannot_be_said_changes_nothing() {
    for (name, line, status) in [
        ("vicinity", "info", 0),
        ("vicinity", "--nosuch", 2),
        ("vicinity", "timeline /no/such/trace", 125),
        ("vicinity", "run no-such-program-anywhere", 127),
        ("vicinity", "bench --programs nosuch", 2),
        ("vicinity", "translate WRONG", 1),
        ("vicinity-translate", "nosuch", 2),
        ("vicinity-bench-rayon", "nosuch", 2),
    ] {
        let full = File::options().write(true).open("/dev/full").expect("Linux has it");
        let mut command = program(name);
        let ended = command.args(words(line)).stdout(Stdio::null()).stderr(full).status();
        assert_eq!(ended.expect("it starts").code(), Some(status), "{name} {line}");
    }
}

/// Runs `vicinity` with this line.
fn ends_with(line: &str, status: i32) {
    let output = program("vicinity").args(words(line)).output().expect("it starts");
    let said = complaint(&output);
    assert_eq!(output.status.code(), Some(status), "vicinity {line}: {said}");
    // What clap says of a command line takes more lines; ours is one.
    if status >= 125 {
        let last = said.lines().last().unwrap_or_default();
        assert!(last.starts_with("vicinity: "), "vicinity {line}: {said}");
    }
}

#[test]
fn a_status_means_the_same_in_top_and_completions() {
    ends_with("completions bash", 0);
    ends_with("completions tcl", 2);
    ends_with("top --once --interval 0.1", 0);
    ends_with("top --once 4294967295", 125);
    ends_with("top --interval 0", 2);
}

#[test]
fn a_status_means_the_same_everywhere() {
    let cases = [
        ("", 2),
        ("--nosuch", 2),
        ("nosuch", 2),
        ("--version", 0),
        ("help", 0),
        ("run", 2),
        ("run --nosuch ls", 2),
        ("run --scheduler fastest ls", 2),
        ("run /etc/passwd", 126),
        ("run no-such-program-anywhere", 127),
        ("info", 0),
        ("info --nosuch", 2),
        ("bench --programs nosuch", 2),
        ("bench --threads 0", 2),
        ("bench --repeat 0", 2),
        (
            "bench --programs fib --against vicinity-gcc --lib /no/such/folder --build-dir SCRATCH",
            125,
        ),
        ("demo --programs nosuch", 2),
        ("demo --threads 0", 2),
        (
            "demo --programs fib --against vicinity-gcc --lib /no/such/folder --build-dir SCRATCH",
            125,
        ),
        ("timeline", 2),
        ("timeline --text TRACE", 0),
        ("timeline TRACE -o TRACE", 2),
        ("timeline TRACE -o /no/such/folder/page.html", 125),
        ("timeline /no/such/trace", 125),
        ("compare TRACE", 2),
        ("compare TRACE /no/such/trace", 125),
        ("simulate --machine nosuch", 2),
        ("simulate --program nosuch", 2),
        ("simulate --program fib --threads 0", 2),
        ("simulate --program fib --threads 9999", 2),
        ("simulate --program fib --size 0", 2),
        ("simulate --reach 0", 2),
        ("simulate --trace x.json", 2),
        ("simulate --from-trace /no/such/trace", 125),
        (
            "simulate --program fib --size 5 --scheduler central --distribution fine --trace /no/such/f",
            125,
        ),
        ("translate", 2),
        ("translate KERNEL", 0),
        ("translate WRONG", 1),
        ("translate KERNEL -- -nosuch", 0),
        ("translate KERNEL -- -cl-std=nosuch", 2),
        ("translate /no/such/kernel.cl", 125),
    ];
    cases.into_iter().for_each(|(line, status)| ends_with(line, status));
    let absent = program("vicinity")
        .args(words("translate KERNEL"))
        .env("VICINITY_TRANSLATE", "/no/such/translator")
        .output();
    assert_eq!(absent.expect("it starts").status.code(), Some(125));
}

/// Each help explains its own statuses, and no other command's.
#[test]
fn a_help_speaks_of_its_own_command() {
    let help = |line: &str| {
        let output = program("vicinity").args(words(line)).output().expect("it starts");
        String::from_utf8(output.stdout).expect("text")
    };
    for command in [
        "run",
        "info",
        "top",
        "bench",
        "demo",
        "timeline",
        "compare",
        "simulate",
        "survey",
        "translate",
        "completions",
    ] {
        let text = help(&format!("{command} --help"));
        assert!(text.contains("Exit status:") && text.contains("  125  "), "{command}: {text}");
        let others = ["bench:", "translate:", "run:"].map(|other| text.contains(other));
        assert_eq!(others, [false; 3], "{command}: {text}");
    }
    assert!(help("--version").starts_with("vicinity 0."));
    assert!(help("help run").contains("Options of vicinity stand before PROGRAM"));
}
