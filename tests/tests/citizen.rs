//! What only a real process shows: a team bounded by a control group's quota, and a program with more rights than
//! its user, by itself and under `vicinity run`.
//!
//! They need root. Where the machine does not allow one of them, its test says so and passes.

use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = "#include <omp.h>\n#include <stdio.h>\n\
    int main(void) { printf(\"threads=%d\\n\", omp_get_max_threads()); return 0; }\n";
/// Says whether the loader distrusts the environment, and whether the runtime is Vicinity.
const SECURE: &str = "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <omp.h>\n#include <stdio.h>\n#include <sys/auxv.h>\n\
    int main(void) {\n\
        void *ours = omp_get_max_threads() > 0 ? dlsym(RTLD_DEFAULT, \"vicinity_version\") : 0;\n\
        printf(\"secure=%d vicinity=%d\\n\", getauxval(AT_SECURE) != 0, ours != 0);\n\
        return 0;\n\
    }\n";
/// A user without rights: nobody.
const NOBODY: u32 = 65534;

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn library() -> PathBuf {
    let library = scratch().parent().expect("target").join("dist/lib/libvicinity.so.1");
    assert!(library.exists(), "{} is not there: run `make` first", library.display());
    library
}

/// Builds the program with gcc, to find its runtime in `folder` whatever the environment says.
fn build(name: &str, folder: &Path) -> PathBuf {
    let source = scratch().join(format!("{name}.c"));
    std::fs::write(&source, PROGRAM).expect("a source file");
    let program = folder.join(name);
    let search = format!("-Wl,-rpath,{}", folder.display());
    let built = Command::new("gcc")
        .args(["-fopenmp", &search, "-o"])
        .args([&program, &source])
        .output()
        .expect("gcc starts");
    assert!(built.status.success(), "gcc: {}", String::from_utf8_lossy(&built.stderr));
    program
}

/// A folder that every user can read, with the library in it under libgomp's name.
fn open_folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("vicinity-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&folder, open.clone()).expect("its owner may");
    let runtime = folder.join("libgomp.so.1");
    std::fs::copy(library(), &runtime).expect("a copy of the library");
    std::fs::set_permissions(&runtime, open).expect("its owner may");
    folder
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

/// A group whose quota is one processor; none where this machine lets nobody make one.
fn group_of_one_processor() -> Option<PathBuf> {
    let name = format!("vicinity-test-{}", std::process::id());
    let versions: [(&str, &[(&str, &str)]); 2] = [
        ("/sys/fs/cgroup/cpu", &[("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "100000")]),
        ("/sys/fs/cgroup", &[("cpu.max", "100000 100000")]),
    ];
    versions.iter().find_map(|(mount, quota)| {
        // Only a mounted hierarchy fills a new folder with files; elsewhere it is a folder like others.
        let group = Path::new(mount).join(&name);
        std::fs::create_dir(&group).ok()?;
        let set = |&(file, value): &(&str, &str)| {
            let file = group.join(file);
            file.exists() && std::fs::write(file, value).is_ok()
        };
        let made = quota.iter().all(set);
        if !made {
            let _ = std::fs::remove_dir(&group);
        }
        made.then_some(group)
    })
}

#[test]
fn a_quota_bounds_the_team() {
    let Some(group) = group_of_one_processor() else {
        println!("not run: this machine lets the test make no control group with a quota");
        return;
    };
    let folder = open_folder("quota");
    let program = build("quota", &folder);
    let enter = format!("echo $$ > {}/cgroup.procs && exec {}", group.display(), program.display());
    let output = Command::new("sh")
        .args(["-c", &enter])
        .env_remove("OMP_NUM_THREADS")
        .output()
        .expect("a shell starts");
    let _ = std::fs::remove_dir(&group);
    let _ = std::fs::remove_dir_all(&folder);
    assert!(text(&output).contains("threads=1\n"), "{}", text(&output));
}

#[test]
fn a_program_with_more_rights_than_its_user_ignores_names_of_files() {
    let folder = open_folder("setuid");
    let program = build("setuid", &folder);
    let given = chown(&program, Some(NOBODY), Some(NOBODY)).is_ok();
    let say = || {
        let run = Command::new(&program)
            .envs([("OMP_DISPLAY_ENV", "verbose"), ("VICINITY_TRACE", "/tmp/mine.json")])
            .env("OMP_NUM_THREADS", "3")
            .output();
        text(&run.expect("the program starts"))
    };
    let shown = |text: &str| text.contains("/tmp/mine.json");
    let plain = say();
    let setuid = std::fs::Permissions::from_mode(0o4755);
    let privileged = given && std::fs::set_permissions(&program, setuid).is_ok();
    let guarded = say();
    let _ = std::fs::remove_dir_all(&folder);
    assert!(plain.contains("threads=3\n") && shown(&plain), "{plain}");
    if !privileged {
        println!("not run: only root can give a program to another user");
        return;
    }
    assert!(guarded.contains("threads=3\n"), "{guarded}");
    assert!(!shown(&guarded), "{guarded}");
}

/// Whether a process that this program starts has other rights: not where its file system ignores the bit.
fn is_privileged(program: &Path) -> bool {
    let run = Command::new(program).output();
    text(&run.expect("the program starts")).contains("secure=1")
}

#[test]
fn a_program_with_others_rights_is_refused_and_otherwise_left_alone() {
    // In a folder of its own, and linked with the system's runtime.
    let folder = std::env::temp_dir().join(format!("vicinity-others-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755))
        .expect("its owner may");
    let source = scratch().join("others.c");
    std::fs::write(&source, SECURE).expect("a source file");
    let program = folder.join("others");
    let built = Command::new("gcc").arg("-fopenmp").arg("-o").args([&program, &source]).output();
    let built = built.expect("gcc starts");
    assert!(built.status.success(), "gcc: {}", String::from_utf8_lossy(&built.stderr));
    let command = scratch().parent().expect("target").join("dist/bin/vicinity");
    assert!(command.exists(), "{} is not there: run `make` first", command.display());
    let run = |arguments: &[&str]| {
        let run = Command::new(&command).arg("run").args(arguments).output();
        let run = run.expect("the command starts");
        (run.status.code(), text(&run))
    };
    let name = program.to_str().expect("a plain name");
    let line = format!("exec {name}");
    let setuid = std::fs::Permissions::from_mode(0o4755);

    let (status, said) = run(&[name]);
    assert_eq!((status, said.as_str()), (Some(0), "secure=0 vicinity=1\n"));
    // One's own program has no other rights, whatever its bits.
    std::fs::set_permissions(&program, setuid.clone()).expect("its owner may");
    let (status, said) = run(&[name]);
    assert_eq!((status, said.as_str()), (Some(0), "secure=0 vicinity=1\n"));

    let given = chown(&program, Some(NOBODY), Some(NOBODY)).is_ok();
    if !given || std::fs::set_permissions(&program, setuid).is_err() {
        println!("not run: only root can give a program to another user");
    } else if !is_privileged(&program) {
        println!("not run: {} is on a file system that ignores set-user-ID bits", folder.display());
    } else {
        let (status, said) = run(&[name]);
        assert_eq!(status, Some(126), "{said}");
        assert!(said.contains(name) && said.contains("runs with another user's rights"), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        for arguments in [&["--unchecked", name][..], &["sh", "-c", &line]] {
            let (status, said) = run(arguments);
            assert_eq!((status, said.as_str()), (Some(0), "secure=1 vicinity=0\n"));
        }
    }
    std::fs::remove_dir_all(&folder).expect("the test's own folder");
}
