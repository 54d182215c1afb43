//! Regions beside other runtimes of their process: what is asked of a thread composability manager (libtcm.so.1), and what
//! becomes of a manager that is missing, too old, or refuses.
//!
//! The real manager, beside oneTBB, is tested where both are: in the folder that `VICINITY_TEST_TCM` names (the wheels `tcmlib`
//! and `tbb` have them), or where Intel's installers put them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn dist() -> PathBuf {
    scratch().parent().expect("target").join("dist")
}

/// Builds a source of tests/share.
fn build(compiler: &str, source: &str, options: &[&str], program: &Path) {
    std::fs::create_dir_all(program.parent().expect("a folder")).expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("share").join(source);
    let mut command = Command::new(compiler);
    let built = command.arg("-O1").arg(source).args(options).arg("-o").arg(program).output();
    let built = built.unwrap_or_else(|error| panic!("cannot run {compiler}: {error}"));
    assert!(built.status.success(), "{compiler}: {}", String::from_utf8_lossy(&built.stderr));
}

/// A command on two processors with a /dev/shm of its own; none where the system does not let us make one.
fn alone() -> Option<Command> {
    let script = "mount -t tmpfs tmpfs /dev/shm && exec taskset -c 0,1 \"$@\"";
    let inside = |program: &OsStr| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]);
        command.arg(program);
        command
    };
    let works = inside(OsStr::new("true")).output().is_ok_and(|output| output.status.success());
    if !works {
        eprintln!("share_runtimes: skipped, there are no two processors or no namespaces");
        return None;
    }
    let mut command = inside(OsStr::new("timeout"));
    command.arg("60").env_remove("OMP_NUM_THREADS").env_remove("TCM_ENABLE");
    Some(command)
}

/// What a program says on standard output, and on standard error.
fn run(command: &mut Command) -> (String, String) {
    let output = command.output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let said = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{}: {said:?}", output.status);
    said
}

fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let program = scratch().join("share-managed").join("managed");
        build("gcc", "managed.c", &["-fopenmp"], &program);
        program
    })
}

/// `managed`, with a manager that has so many processors, or refuses.
fn managed(manager: &Path, processors: Option<&str>, enable: &str) -> Option<(String, String)> {
    let mut command = alone()?;
    let path = format!("{}:{}", manager.display(), dist().join("lib/omp").display());
    command.arg(program()).env("LD_LIBRARY_PATH", path).env("VICINITY_SHARE", "on");
    command.env("TCM_ENABLE", enable).env("OMP_MAX_ACTIVE_LEVELS", "4");
    command.envs(processors.map(|count| ("MANAGED", count)));
    Some(run(&mut command))
}

fn manager(name: &str, options: &[&str]) -> PathBuf {
    let folder = scratch().join("share-managed").join(name);
    let options = [&["-shared", "-fPIC", "-pthread"], options].concat();
    build("gcc", "manager.c", &options, &folder.join("libtcm.so.1"));
    folder
}

#[test]
fn regions_have_as_many_threads_as_the_manager_grants() {
    let manager = manager("whole", &[]);
    let expected = [
        ("1", "regions 1 1, demanded 4, inner 1", "asked 5, granted 1, open 0"),
        ("2", "regions 2 2, demanded 4, inner 1", "asked 4, granted 2, open 0"),
        ("0", "regions 1 1, demanded 4, inner 1", "asked 5, granted 0, open 0"),
    ];
    for (processors, sizes, asked) in expected {
        let Some((said, complained)) = managed(&manager, Some(processors), "1") else { return };
        assert!(said.starts_with(sizes) && said.ends_with(asked), "{processors}: {said}");
        assert_eq!(complained, "", "{processors}");
    }
    let Some((said, complained)) = managed(&manager, Some("1"), "0") else { return };
    assert!(said.starts_with("regions 2 2"), "it is switched off: {said}");
    assert_eq!((said.contains("asked"), complained.as_str()), (false, ""));
}

/// Unless the user has said otherwise.
#[test]
fn the_command_switches_the_manager_on() {
    let manager = manager("by-command", &[]);
    for (enable, asks) in [(None, true), (Some("0"), false)] {
        let Some(mut command) = alone() else { return };
        command.arg(dist().join("bin/vicinity")).args(["run", "--share"]).arg(program());
        command.env("LD_LIBRARY_PATH", &manager).env("MANAGED", "1");
        command.envs(enable.map(|value| ("TCM_ENABLE", value)));
        let (said, _) = run(&mut command);
        assert_eq!(
            (said.contains("asked"), said.starts_with("regions 1 1")),
            (asks, asks),
            "{said}"
        );
    }
}

#[test]
fn a_manager_that_is_missing_too_old_or_refuses_costs_a_line_at_most() {
    let (whole, old) = (manager("refusing", &[]), manager("old", &["-DOLD"]));
    let what = "no processors are shared with other runtimes of this process: libtcm.so.1";
    let cases = [
        (PathBuf::from("/nowhere"), String::new()),
        (old, format!("vicinity: {what} has no tcmRequestPermit")),
        (whole, format!("vicinity: {what} refuses (0x7ffffffe)")),
    ];
    for (folder, line) in cases {
        let Some((said, complained)) = managed(&folder, None, "1") else { return };
        assert!(said.starts_with("regions 2 2, demanded 4, inner 1"), "{said}");
        assert_eq!(complained, line);
    }
}

/// Where both libraries are.
fn installed() -> Option<Vec<PathBuf>> {
    let named = std::env::var_os("VICINITY_TEST_TCM").map(PathBuf::from);
    let intel = ["tcm", "tbb"].map(|it| Path::new("/opt/intel/oneapi").join(it).join("latest/lib"));
    let folders = named.map_or(intel.to_vec(), |folder| vec![folder]);
    let has = |name: &str| folders.iter().any(|folder| folder.join(name).exists());
    let both = has("libtcm.so.1") && has("libtbb.so.12");
    if !both {
        eprintln!("share_runtimes: SKIPPED: no libtcm.so.1 and libtbb.so.12 in {folders:?}");
    }
    both.then_some(folders)
}

#[test]
fn regions_and_tasks_of_onetbb_leave_each_other_their_processors() {
    let Some(folders) = installed() else { return };
    let program = scratch().join("share-managed").join("beside_tbb");
    build("g++", "beside_tbb.cpp", &["-fopenmp", "-ltbb"], &program);
    let Some(mut command) = alone() else { return };
    let path = std::env::join_paths(&folders).expect("paths");
    command.arg(dist().join("bin/vicinity")).args(["run", "--share"]).arg(program);
    let (said, complained) = run(command.env("LD_LIBRARY_PATH", path));
    assert_eq!(said, "alone 2, beside tasks 1, after them 2, tasks beside a region 1");
    assert_eq!(complained, "");
}
