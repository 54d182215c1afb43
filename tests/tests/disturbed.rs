//! A busy machine: what `vicinity advise` says of a run that others disturbed. Apart from other tests, which it would disturb.

use std::path::Path;
use std::process::{Child, Command};

use serde_json::Value;
use vicinity_tests::sources::UNEQUAL;
use vicinity_tests::toolchain::build_text;

/// Processes that spin, two for each processor, until it is dropped.
struct Busy(Vec<Child>);

impl Busy {
    fn start() -> Busy {
        let spin = |_| Command::new("sh").args(["-c", "while :; do :; done"]).spawn().expect("sh");
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Busy((0..2 * processors).map(spin).collect())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // One that is gone is no matter.
            let _ = child.kill().and_then(|()| child.wait());
        }
    }
}

/// Standard output of the command.
fn vicinity(arguments: &[&str]) -> String {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("target");
    let mut command = Command::new(target.join("dist/bin/vicinity"));
    let output = command.args(arguments).env("OMP_NUM_THREADS", "2").output();
    let output = output.expect("the command starts");
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {}\n{complained}", output.status);
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_busy_machine_is_no_finding_about_loops() {
    if !Path::new("/proc/self/schedstat").exists() {
        eprintln!("skipped: this kernel does not count how long threads wait for processors");
        return;
    }
    let file = |name: &str| Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let (program, trace) = (file("disturbed"), file("disturbed.json"));
    build_text(&program, UNEQUAL, &["-fopenmp", "-O2", "-g"]);
    let text = |path: &Path| path.to_str().expect("a plain name").to_owned();
    let others = Busy::start();
    vicinity(&["run", "--trace", &text(&trace), &text(&program)]);
    drop(others);
    let advice: Value =
        serde_json::from_str(&vicinity(&["advise", &text(&trace), "--json"])).expect("JSON");
    let findings = advice["findings"].as_array().expect("a list");
    let kinds: Vec<&str> = findings.iter().filter_map(|it| it["kind"].as_str()).collect();
    assert!(kinds.contains(&"delays"), "{advice:#}");
    assert!(!kinds.contains(&"imbalance") && !kinds.contains(&"short_region"), "{advice:#}");
}
