//! The wheel `vicinity-openmp` that `make wheel` built, unpacked into a fresh environment as an installer does, without a
//! network: programs started by it, programs that use it, and programs that use it too late.
//!
//! A package with OpenMP is here a library that brings a copy of libgomp under a name of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use vicinity_tests::toolchain::done;

const LIBRARY: &str = "int threads(void) { int count = 0;\n\
                       #pragma omp parallel num_threads(3) reduction(+ : count)\n\
                       count++;\nreturn count; }\n";

/// Prints what a region has, and what is mapped under a runtime's name.
const SCRIPT: &str = r#"
import ctypes, os, subprocess, sys
import vicinity
if "early" in sys.argv:
    vicinity.use()
folder = os.path.dirname(os.path.abspath(__file__))
library = ctypes.CDLL(os.path.join(folder, "package.so"))
with open("/proc/self/maps") as maps:
    paths = {os.path.basename(line.strip()) for line in maps if "gomp" in os.path.basename(line)}
print(library.threads(), sorted(path for path in paths if not path.startswith("alias-")), flush=True)
if "late" in sys.argv:
    try:
        vicinity.use()
    except vicinity.TooLate as error:
        print(error)
if "early" in sys.argv:
    subprocess.run([sys.executable, __file__], check=True)
"#;

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn wheel() -> PathBuf {
    let folder = scratch().parent().expect("target").join("dist/wheels");
    let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("vicinity_openmp-") && name.ends_with(".whl")
    };
    let wheel = files.map(|file| file.path()).find(is_ours);
    wheel.unwrap_or_else(|| panic!("{} has none: run `make wheel` first", folder.display()))
}

/// A package with a copy of libgomp, in the folder that packagers' tools make for such copies.
fn package(folder: &Path) {
    let copies = folder.join("package.libs");
    std::fs::create_dir_all(&copies).expect("a folder");
    let copy = copies.join("libgomp-a34b3233.so.1.0.0");
    let libgomp = done(Command::new("gcc").arg("-print-file-name=libgomp.so.1"));
    std::fs::copy(libgomp.trim(), &copy).expect("libgomp is installed");
    done(Command::new("patchelf").args(["--set-soname", "libgomp-a34b3233.so.1.0.0"]).arg(&copy));
    let (source, object) = (folder.join("package.c"), folder.join("package.o"));
    std::fs::write(&source, LIBRARY).expect("a source file");
    done(Command::new("gcc").args(["-fopenmp", "-fPIC", "-c", "-o"]).args([&object, &source]));
    let path = "-Wl,--disable-new-dtags,-rpath,$ORIGIN/package.libs";
    let output = folder.join("package.so");
    done(Command::new("gcc").args(["-shared", path, "-o"]).args([&output, &object, &copy]));
}

#[test]
fn a_fresh_environment_runs_on_vicinity() {
    let folder = scratch().join("wheel");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let environment = folder.join("environment");
    done(Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&environment));
    let python = environment.join("bin/python");
    let asked = ["-c", "import sysconfig; print(sysconfig.get_path('platlib'))"];
    let site = done(Command::new(&python).args(asked));
    done(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel()).arg(site.trim()));
    package(&folder);
    let script = folder.join("script.py");
    std::fs::write(&script, SCRIPT).expect("a script");
    let (ours, theirs) = ("3 ['libgomp-libvicinity.so.1']\n", "3 ['libgomp-a34b3233.so.1.0.0']\n");

    let said = done(Command::new(&python).args(["-m", "vicinity", "run"]).arg(&script));
    assert_eq!(said, ours);
    let shell = ["-m", "vicinity", "run", "--why", "sh", "-c", "exec \"$@\"", "sh"];
    let said = done(Command::new(&python).args(shell).args([&python, &script]));
    assert!(said.starts_with(ours), "{said}");
    assert!(said.contains("libgomp-a34b3233.so.1.0.0 replaced, for "), "{said}");
    let said = done(Command::new(&python).arg(&script).arg("early"));
    assert_eq!(said, format!("{ours}{ours}"), "the process, and its child");

    let said = done(Command::new(&python).arg(&script).arg("late"));
    let (first, error) = said.split_once('\n').expect("two lines");
    assert_eq!(format!("{first}\n"), theirs);
    assert!(error.starts_with("vicinity.use() comes too late: /"), "{error}");
    assert!(
        error.contains("libgomp-a34b3233.so.1.0.0") && error.contains("-m vicinity run"),
        "{error}"
    );
}

/// What the name of the wheel promises.
#[test]
fn the_library_in_the_wheel_asks_for_nothing_newer_than_glibc_2_28() {
    assert!(wheel().to_string_lossy().ends_with("-py3-none-manylinux_2_28_x86_64.whl"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    let check = |library: &Path| {
        Command::new("python3")
            .arg(root.join("capi/python/pins.py"))
            .arg("--check")
            .arg(library)
            .output()
            .expect("python3 starts")
    };
    let target = scratch().parent().expect("target");
    let pinned = check(&target.join("link/pinned/libgomp-libvicinity.so.1"));
    assert!(pinned.status.success(), "{}", String::from_utf8_lossy(&pinned.stderr));
    let newest = check(&target.join("dist/lib/libvicinity.so.1"));
    assert!(
        !newest.status.success(),
        "the check can fail: the other library is for the machine that built it"
    );
}

/// Before glibc 2.34 the loader binds lazily wherever there is an auditor, and ends the process if the library has no
/// instructions for that.
#[test]
fn the_library_in_the_wheel_can_be_bound_lazily() {
    let library = scratch().parent().expect("target").join("link/pinned/libgomp-libvicinity.so.1");
    let read = Command::new("readelf").args(["-drW"]).arg(&library).output().expect("it starts");
    let said = String::from_utf8_lossy(&read.stdout);
    assert!(said.contains("R_X86_64_TLSDESC"), "what needs it is there: {said}");
    assert!(said.contains("(TLSDESC_PLT)") && !said.contains("BIND_NOW"), "{said}");
}
