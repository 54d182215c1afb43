//! Programs of OpenCL whose kernels get their code after the build, one after the other, by a translator that is held back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use vicinity_tests::driver::Driver;

const DRIVER: Driver = Driver { scratch: env!("CARGO_TARGET_TMPDIR") };

/// A test's own folders, and the program.
struct Place {
    folder: PathBuf,
    program: PathBuf,
}

/// What a program did.
struct Ran {
    complaints: String,
    /// Processes and folders of translators.
    translators: Vec<(String, PathBuf)>,
    entries: usize,
}

impl Place {
    fn new(name: &str) -> Place {
        let folder = DRIVER.scratch("opencl-parts").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("temporary")).expect("a folder");
        let program = folder.join("parts");
        Driver::build("parts.c", &program);
        Place { folder, program }
    }

    fn run(&self, what: &str, how: &str) -> Ran {
        self.run_and_make(what, how, "never")
    }

    /// `aside`: whether code is made that nobody waits for.
    fn run_and_make(&self, what: &str, how: &str, aside: &str) -> Ran {
        let translator = DRIVER.dist().join("bin/vicinity-translate");
        let (notes, cache) = (self.folder.join("notes"), self.folder.join("cache"));
        let _ = fs::remove_file(&notes);
        let mut command = Command::new(&self.program);
        command.args([Path::new(what), &self.folder.join("go"), &translator]);
        DRIVER.set_for(&mut command, &cache);
        command.env("VICINITY_SPECIALIZE", aside);
        command.env("TMPDIR", self.folder.join("temporary")).env("TRANSLATOR", &translator);
        command.env("NOTES", &notes).env("HOW", how).env("GO", self.folder.join("go"));
        command.env("BINARY", self.folder.join("binary"));
        command.env("VICINITY_TRANSLATE", Driver::sources().join("held.sh"));
        let output = command.output().expect("the program starts");
        let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.is_empty(), "{what}: {said}{complaints}");
        let notes = fs::read_to_string(notes).unwrap_or_default();
        let translators = notes.lines().map(|line| {
            let (process, folder) = line.split_once(' ').expect("two words");
            (process.to_owned(), PathBuf::from(folder))
        });
        Ran { complaints, translators: translators.collect(), entries: self.entries() }
    }

    fn entries(&self) -> usize {
        let entries = fs::read_dir(self.folder.join("cache/opencl")).into_iter().flatten();
        entries.flatten().filter(|entry| entry.path().is_file()).count()
    }
}

impl Ran {
    fn leaves_nothing(&self) {
        for (process, folder) in &self.translators {
            assert!(!Path::new("/proc").join(process).exists(), "{process} is still there");
            assert!(!folder.exists(), "{folder:?} is still there");
        }
    }
}

#[test]
fn a_launch_waits_for_its_own_kernel_alone() {
    let place = Place::new("order");
    let ran = place.run("order", "");
    assert_eq!((ran.complaints.as_str(), ran.translators.len(), ran.entries), ("", 1, 1));
    ran.leaves_nothing();
}

#[test]
fn a_translator_that_dies_later_fails_the_launches_that_need_it() {
    let ran = Place::new("crash").run("crash", "crash");
    let expected = "vicinity: 2 kernels, 'second' among them, have no code: \
        vicinity-translate crashed, by signal 11\n";
    assert_eq!(ran.complaints, expected);
    assert_eq!((ran.translators.len(), ran.entries), (2, 1), "nothing is kept of the first");
    ran.leaves_nothing();
}

#[test]
fn nothing_is_left_of_what_nobody_wants_any_more() {
    for what in ["release", "exit"] {
        let ran = Place::new(what).run(what, "");
        assert_eq!((ran.complaints.as_str(), ran.translators.len(), ran.entries), ("", 1, 0));
        ran.leaves_nothing();
    }
}

#[test]
fn the_next_run_has_the_code_of_a_program_that_ended_before_it_was_there() {
    for what in ["release", "exit"] {
        let place = Place::new(&format!("again-{what}"));
        let ran = place.run_and_make(what, "", "auto");
        assert_eq!((ran.complaints.as_str(), ran.translators.len() <= 2), ("", true), "{what}");
        // The translator that goes on is held back, too.
        fs::write(place.folder.join("go"), "").expect("a file");
        let since = Instant::now();
        while place.entries() == 0 {
            assert!(since.elapsed() < Duration::from_secs(120), "{what}: nothing is kept");
            std::thread::sleep(Duration::from_millis(5));
        }
        let again = place.run_and_make(what, "", "never");
        assert_eq!((again.translators.len(), again.entries), (0, 1), "{what}: it was kept");
    }
}

#[test]
fn what_was_never_used_is_not_made_for_later_runs() {
    let place = Place::new("unused");
    let ran = place.run_and_make("unused", "", "auto");
    assert_eq!((ran.complaints.as_str(), ran.translators.len(), ran.entries), ("", 1, 0));
    ran.leaves_nothing();
    assert!(!place.folder.join("cache/opencl/making").exists());
}

#[test]
fn a_forked_child_makes_the_code_by_itself() {
    let ran = Place::new("child").run("child", "");
    assert_eq!((ran.complaints.as_str(), ran.translators.len()), ("", 1));
    assert_eq!(ran.entries, 2, "the child's is linked");
    ran.leaves_nothing();
}

#[test]
fn a_binary_waits_for_no_code_and_finds_it_later() {
    let place = Place::new("early");
    let ran = place.run("early", "");
    assert_eq!((ran.complaints.as_str(), ran.translators.len(), ran.entries), ("", 1, 1));
    ran.leaves_nothing();
    let ran = place.run("later", "");
    assert_eq!((ran.complaints.as_str(), ran.translators.len(), ran.entries), ("", 0, 1));
    fs::remove_dir_all(place.folder.join("cache")).expect("the cache");
    let ran = place.run("later", "");
    assert_eq!((ran.complaints.as_str(), ran.translators.len(), ran.entries), ("", 1, 1));
    ran.leaves_nothing();
}

#[test]
fn many_programs_are_translated_few_at_a_time() {
    let ran = Place::new("many").run("many", "");
    assert_eq!((ran.complaints.as_str(), ran.translators.len(), ran.entries), ("", 12, 12));
    ran.leaves_nothing();
}

#[test]
fn the_log_is_there_at_once_and_whole_in_the_end() {
    let place = Place::new("notes");
    let ran = place.run("notes", "");
    assert_eq!(ran.complaints, "");
    ran.leaves_nothing();
}
