//! Programs of OpenCL that are over before code for their local size is there: the next run has it, and nobody waits for it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use vicinity_tests::driver::Driver;

const DRIVER: Driver = Driver { scratch: env!("CARGO_TARGET_TMPDIR") };

/// A test's own folders, and the program.
struct Place {
    program: PathBuf,
    cache: PathBuf,
    notes: PathBuf,
    temporary: PathBuf,
}

impl Place {
    fn new(name: &str) -> Place {
        let folder = DRIVER.scratch("opencl-brief").join(name);
        let _ = fs::remove_dir_all(&folder);
        let (program, temporary) = (folder.join("brief"), folder.join("temporary"));
        fs::create_dir_all(&temporary).expect("a folder");
        Driver::build("brief.c", &program);
        Place { program, cache: folder.join("cache"), notes: folder.join("notes"), temporary }
    }

    /// `command`, with our platform alone, and a translator that makes code for one local size as `how` says.
    fn with(&self, mut command: Command, how: &str) -> Command {
        DRIVER.set_for(&mut command, &self.cache);
        command.env("VICINITY_TRANSLATE", Driver::sources().join("slow.sh"));
        command.env("TRANSLATOR", DRIVER.dist().join("bin/vicinity-translate"));
        command.env("NOTES", &self.notes).env("HOW", how).env("TMPDIR", &self.temporary);
        command.env("VICINITY_RIVALS", "never");
        command
    }

    fn run(&self, how: &str) -> String {
        said(self.with(Command::new(&self.program), how).output())
    }

    /// The same with a translator that has no time for full effort while somebody waits.
    fn run_in_a_hurry(&self, how: &str) -> String {
        let mut command = self.with(Command::new(&self.program), how);
        said(command.env("VICINITY_PATIENCE", "0,60000").output())
    }

    /// How often code for one local size was begun.
    fn begun(&self) -> usize {
        self.count("specialize")
    }

    /// How often the translator was called for this.
    fn count(&self, verb: &str) -> usize {
        let notes = fs::read_to_string(&self.notes).unwrap_or_default();
        notes.lines().filter(|&line| line == verb).count()
    }

    /// How many entries of the cache have code that could be better.
    fn hurried(&self) -> usize {
        let entries = inside(&self.cache.join("opencl"));
        let contents = entries.iter().filter_map(|path| fs::read(path).ok());
        contents
            .filter(|it| String::from_utf8_lossy(it).contains("\"less_optimized\": \"time\""))
            .count()
    }

    /// Where code is made, and the code that is there.
    fn at_work(&self) -> Vec<PathBuf> {
        inside(&self.cache.join("opencl/making"))
    }

    fn kept(&self) -> usize {
        inside(&self.cache.join("opencl")).iter().filter(|path| path.is_file()).count()
    }

    /// Until the program and the code for one local size are in the cache.
    fn wait_for_code(&self) {
        until(|| self.kept() >= 2 && self.at_work().is_empty(), "the code is kept");
    }

    fn assert_nothing_is_left(&self) {
        assert_eq!(inside(&self.temporary), [] as [PathBuf; 0]);
    }
}

fn until(mut is_so: impl FnMut() -> bool, what: &str) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < Duration::from_secs(60), "not after a minute: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn inside(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn said(output: std::io::Result<Output>) -> String {
    let output = output.expect("the program starts");
    let complained = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}: {complained}", output.status);
    assert_eq!(complained, "");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_second_run_has_the_code_before_its_first_launch() {
    let place = Place::new("second");
    assert_eq!(place.run("slowly"), "1\n");
    place.wait_for_code();
    assert_eq!(place.run("slowly"), "2\n");
    assert_eq!((place.begun(), place.kept()), (1, 2));
    place.assert_nothing_is_left();
}

/// While its program runs it is as urgent as that; then nobody is left who would use it.
#[test]
fn code_is_not_urgent_any_more_when_its_program_is_over() {
    let place = Place::new("urgent");
    place.run("slowly");
    place.wait_for_code();
    let niceness = fs::read_to_string(place.notes.with_extension("niceness"));
    assert_eq!(niceness.expect("a number").trim(), "15");
}

/// Nobody who waits for the program's end, or for the end of its output, waits for the code.
#[test]
fn a_pipeline_ends_with_its_program() {
    let place = Place::new("pipeline");
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$0\" 4>&1 | cat"]).arg(&place.program);
    assert_eq!(said(place.with(shell, "slowly").output()), "1\n");
    assert_eq!((place.kept(), place.at_work().len()), (1, 1), "it is still being made");
    place.wait_for_code();
    assert_eq!(place.run("slowly"), "2\n");
    place.assert_nothing_is_left();
}

#[test]
fn code_outlives_a_program_that_is_killed() {
    let place = Place::new("killed");
    let mut command = place.with(Command::new(&place.program), "slowly");
    let mut child = command.arg("killed").stdout(Stdio::piped()).spawn().expect("it starts");
    let mut printed = String::new();
    let stdout = BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut printed);
    assert_eq!((stdout.expect("a line"), printed.as_str()), (2, "1\n"));
    until(|| place.kept() == 1 && place.begun() == 1, "the program is kept, its code begun");
    child.kill().expect("it runs");
    assert_eq!(child.wait().expect("it ends").signal(), Some(9));
    place.wait_for_code();
    assert_eq!(place.run("slowly"), "2\n");
}

#[test]
fn programs_that_run_at_once_have_it_made_once() {
    let place = Place::new("crowd");
    place.run("slowly");
    let start = |_| {
        let mut command = place.with(Command::new(&place.program), "slowly");
        command.stdout(Stdio::null()).spawn().expect("it starts")
    };
    for mut child in (0..3).map(start).collect::<Vec<_>>() {
        assert!(child.wait().expect("it ends").success());
    }
    place.wait_for_code();
    assert_eq!(place.begun(), 1);
}

/// A folder that a process left that was ended is removed by the next one.
#[test]
fn what_a_crash_leaves_is_removed() {
    let place = Place::new("crash");
    assert_eq!(place.run("never"), "1\n");
    let left = place.cache.join("opencl/making/left");
    fs::create_dir_all(left.join("deeper")).expect("a folder");
    // The one that crashes may still be at it.
    while place.begun() < 2 {
        assert_eq!(place.run("slowly"), "1\n");
    }
    assert!(!left.exists());
    place.wait_for_code();
    assert_eq!(place.run("slowly"), "2\n");
    place.assert_nothing_is_left();
}

/// Code that was made with less effort for want of time is not kept for ever.
#[test]
fn a_program_made_in_a_hurry_is_made_again() {
    let place = Place::new("hurry");
    assert_eq!(place.run_in_a_hurry("slowly"), "1\n");
    place.wait_for_code();
    assert_eq!(place.hurried(), 0);
    // The second run has what was made since: the program, and its code for one local size.
    assert_eq!(place.run("at once"), "2\n");
    let calls = ["build", "link", "specialize"].map(|verb| place.count(verb));
    assert_eq!((calls, place.kept()), ([1; 3], 2));
    place.assert_nothing_is_left();
}

/// What takes longer than there is time for is tried three times, not by every run.
#[test]
fn what_does_not_end_is_not_begun_for_ever() {
    let place = Place::new("endless");
    let tries = || ["link", "specialize"].map(|verb| place.count(verb));
    for _ in 0..12 {
        assert_eq!(place.run_in_a_hurry("never"), "1\n");
    }
    assert_eq!((tries(), place.hurried()), ([3; 2], 1));
    assert_eq!(place.count("build"), 1, "the program is there all the same");
}

/// There the code is the program's alone, and ends with it.
#[test]
fn without_a_cache_nothing_outlives_the_program() {
    let place = Place::new("nowhere");
    for cache in ["/proc", "/dev/full"] {
        let mut command = place.with(Command::new(&place.program), "slowly");
        assert_eq!(said(command.env("VICINITY_CACHE_DIR", cache).output()), "1\n");
        place.assert_nothing_is_left();
    }
}
