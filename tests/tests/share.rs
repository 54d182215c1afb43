//! Processes that share two processors: how many threads their regions get beside each other, when one is killed, and when
//! the file that they share is not what it should be.
//!
//! Each test has a /dev/shm of its own, in a mount namespace; where the system does not let us make one, nothing is tested.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Long enough for any machine; what is waited for comes within milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// The program, built once with each compiler.
fn program(compiler: &'static str) -> PathBuf {
    static BUILT: Mutex<Vec<(&str, PathBuf)>> = Mutex::new(Vec::new());
    let mut built = BUILT.lock().expect("building does not fail halfway");
    if let Some((_, program)) = built.iter().find(|it| it.0 == compiler) {
        return program.clone();
    }
    let program = build(compiler);
    built.push((compiler, program.clone()));
    program
}

fn build(compiler: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("share/told.c");
    let program = scratch().join(format!("share-{compiler}"));
    let mut build = Command::new(compiler);
    build.args(["-O1", "-fopenmp", "-pthread", "-o"]).arg(&program).arg(source);
    let built = build.output().unwrap_or_else(|error| panic!("cannot run {compiler}: {error}"));
    assert!(built.status.success(), "{compiler}: {}", String::from_utf8_lossy(&built.stderr));
    program
}

/// A program that does as it is told.
struct Told {
    child: Child,
    tells: ChildStdin,
    says: BufReader<ChildStdout>,
}

impl Told {
    fn tell(&mut self, word: &str) {
        writeln!(self.tells, "{word}").expect("it listens");
    }

    fn answer(&mut self) -> u32 {
        let mut line = String::new();
        self.says.read_line(&mut line).expect("text");
        line.trim().parse().unwrap_or_else(|_| panic!("it said {line:?}"))
    }

    fn ask(&mut self, word: &str) -> u32 {
        self.tell(word);
        self.answer()
    }

    /// The threads of a region that ends at once.
    fn region(&mut self) -> u32 {
        let threads = self.ask("region");
        self.tell("end");
        threads
    }

    /// Whether its regions have so many threads in the end.
    fn comes_to(&mut self, threads: u32) -> bool {
        let begin = Instant::now();
        while self.region() != threads {
            if begin.elapsed() > PATIENCE {
                return false;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        true
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A namespace with a /dev/shm of its own, which `sleep` keeps.
struct Place {
    keeper: Child,
    compiler: &'static str,
    program: PathBuf,
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}

impl Place {
    /// With a file system that is mounted with these options there.
    fn with(compiler: &'static str, options: &str) -> Option<Place> {
        if std::thread::available_parallelism().map_or(1, |count| count.get()) < 2 {
            eprintln!("share: skipped, there is only one processor");
            return None;
        }
        let script =
            format!("mount -t tmpfs -o {options} tmpfs /dev/shm && echo here && exec sleep 600");
        let mut keeper = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut line = String::new();
        BufReader::new(keeper.stdout.take()?).read_line(&mut line).ok()?;
        if line.trim() != "here" {
            let _ = keeper.wait();
            eprintln!("share: skipped, the system lets nobody mount a file system");
            return None;
        }
        Some(Place { keeper, compiler, program: program(compiler) })
    }

    fn new(compiler: &'static str) -> Option<Place> {
        Place::with(compiler, "size=1m")
    }

    /// A command inside.
    fn inside(&self) -> Command {
        let mut command = Command::new("nsenter");
        let process = self.keeper.id().to_string();
        command.args(["--preserve-credentials", "--user", "--mount", "-t", &process]);
        command
    }

    fn sh(&self, script: &str) {
        let status = self.inside().args(["sh", "-c", script]).status().expect("a shell");
        assert!(status.success(), "{script}");
    }

    /// The program on two processors that it shares.
    fn command(&self) -> Command {
        let lib = scratch().parent().expect("target").join("dist/lib/omp");
        let mut command = self.inside();
        command.args(["taskset", "-c", "0,1"]).arg(&self.program);
        command.env("LD_LIBRARY_PATH", lib).env("VICINITY_SHARE", "on");
        command.env_remove("OMP_NUM_THREADS");
        command
    }

    fn start(&self) -> Told {
        let mut command = self.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let tells = child.stdin.take().expect("a pipe");
        let says = BufReader::new(child.stdout.take().expect("a pipe"));
        Told { child, tells, says }
    }

    /// What one region of the program has, and what it says on standard error.
    fn once(&self) -> (String, String) {
        let mut command = self.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        child.stdin.take().expect("a pipe").write_all(b"region\nend\n").expect("it listens");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{} {:?}", self.compiler, output.status);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        (text(&output.stdout), text(&output.stderr))
    }
}

const COMPILERS: [&str; 2] = ["gcc", "clang-19"];

#[test]
fn a_region_gets_what_is_free_and_what_it_demands() {
    for compiler in COMPILERS {
        let Some(place) = Place::new(compiler) else { return };
        let (mut one, mut other) = (place.start(), place.start());
        assert_eq!(one.ask("region"), 2, "{compiler}: it is alone");
        assert_eq!(other.ask("region"), 1, "{compiler}: both processors are taken");
        other.tell("end");
        assert_eq!(other.ask("demand"), 2, "{compiler}: num_threads");
        one.tell("end");
        assert_eq!(one.ask("region"), 1, "{compiler}: the other one has two threads");
        one.tell("end");
        other.tell("end");
        assert!(one.comes_to(2) && other.comes_to(2), "{compiler}: each is alone again");
    }
}

#[test]
fn threads_that_sleep_lend_their_processors() {
    for compiler in COMPILERS {
        let Some(place) = Place::new(compiler) else { return };
        let (mut one, mut other) = (place.start(), place.start());
        assert_eq!(one.ask("event"), 2, "{compiler}");
        assert!(other.comes_to(2), "{compiler}: nobody runs in the first one's region");
        one.tell("end");
        assert!(one.comes_to(2) && other.comes_to(2), "{compiler}: nothing was lost");
    }
}

#[test]
fn a_process_that_is_gone_holds_nothing() {
    for compiler in COMPILERS {
        let Some(place) = Place::new(compiler) else { return };
        let (mut one, mut other) = (place.start(), place.start());
        assert_eq!(one.ask("region"), 2, "{compiler}");
        assert_eq!(other.region(), 1, "{compiler}");
        one.kill();
        assert!(other.comes_to(2), "{compiler}: the first one was killed");
        let mut third = place.start();
        assert!(third.ask("exec") >= 1, "{compiler}");
        assert!(other.comes_to(2), "{compiler}: another program is there now");
        assert!(third.child.try_wait().is_ok_and(|status| status.is_none()), "it still runs");
    }
}

#[test]
fn a_child_of_fork_shares_with_its_parents_siblings() {
    for compiler in COMPILERS {
        let Some(place) = Place::new(compiler) else { return };
        let (mut one, mut other) = (place.start(), place.start());
        assert_eq!((one.region(), one.ask("fork")), (2, 0), "{compiler}");
        assert!(one.comes_to(2), "{compiler}: in the child");
        assert_eq!(one.ask("region"), 2, "{compiler}");
        assert_eq!(other.region(), 1, "{compiler}: the child has them");
        one.tell("end");
        assert!(other.comes_to(2), "{compiler}");
    }
}

#[test]
fn threads_of_one_process_share_as_well() {
    for compiler in COMPILERS {
        let Some(place) = Place::new(compiler) else { return };
        let mut one = place.start();
        assert_eq!(one.ask("inner"), 11, "{compiler}: regions in a region of two");
        assert_eq!(one.ask("pool"), 404, "{compiler}: four threads, one each");
    }
}

#[test]
fn what_is_wrong_with_the_file_costs_a_line() {
    let damage = [
        ("head -c 16384 /dev/zero | tr '\\0' x", "it is damaged"),
        ("head -c 100 /dev/zero", "it does not have 16384 bytes"),
        ("head -c 99999 /dev/zero", "it does not have 16384 bytes"),
    ];
    for compiler in COMPILERS {
        let Some(place) = Place::new(compiler) else { return };
        assert_eq!(place.once(), ("2".to_owned(), String::new()), "{compiler}");
        for (content, why) in damage {
            place.sh(&format!("f=$(ls /dev/shm/vicinity-share-*) && {content} > $f"));
            let (threads, said) = place.once();
            assert!(said.contains(why) && said.lines().count() == 1, "{compiler}: {said}");
            assert_eq!(threads, "2", "{compiler}: {why}");
        }
        place.sh("rm /dev/shm/vicinity-share-*");
        assert_eq!(place.once().1, "", "{compiler}: a new one is made");
        place.sh("chmod 644 /dev/shm/vicinity-share-*");
        let (threads, said) = place.once();
        assert!(said.contains("its mode is 644") && threads == "2", "{compiler}: {said}");
    }
}

#[test]
fn records_full_of_nonsense_are_cleared() {
    for compiler in COMPILERS {
        let Some(place) = Place::new(compiler) else { return };
        assert_eq!(place.once().0, "2", "{compiler}");
        place.sh(
            "f=$(ls /dev/shm/vicinity-share-*) && head -c 16376 /dev/zero | tr '\\0' '\\377' | \
             dd of=$f bs=1 seek=8 conv=notrunc status=none",
        );
        let mut one = place.start();
        assert!(one.comes_to(2), "{compiler}");
    }
}

#[test]
fn there_may_be_no_room_for_the_file() {
    for (options, why) in [("size=8k", "there is no memory for it"), ("ro", "it cannot be opened")]
    {
        for compiler in COMPILERS {
            let Some(place) = Place::with(compiler, options) else { return };
            let (threads, said) = place.once();
            assert_eq!(threads, "2", "{compiler} {options}");
            assert!(said.contains(why) && said.lines().count() == 1, "{compiler}: {said}");
        }
    }
}
