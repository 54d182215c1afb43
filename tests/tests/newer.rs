//! Programs of compilers that cannot be installed: what such a compiler emits, written by hand, and linked with a
//! stand-in for the runtime of that release, so that the program asks for its version nodes. Then they run on the library.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use vicinity_tests::releases::{Answer, Releases};
use vicinity_tests::toolchain::done;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests folder has a parent")
}

fn target() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("target")
}

/// A libgomp.so.1 with all that gcc's releases export and the library should: nodes and names, no code.
fn stand_in(folder: &Path) -> PathBuf {
    let releases = Releases::read(root());
    let mut nodes: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for (release, group) in releases.groups() {
        if release.starts_with("gcc-") && group.answer == Answer::Exported {
            nodes.entry(group.node.clone()).or_default().extend(&group.symbols);
        }
    }
    let (mut script, mut code) = (String::new(), "\t.text\n".to_owned());
    let mut defined = std::collections::BTreeSet::new();
    // From the last node, so that a symbol under two of them stands under the newer one.
    for (node, symbols) in nodes.iter().rev() {
        let fresh: Vec<_> = symbols.iter().filter(|name| defined.insert(**name)).collect();
        let listed: String = fresh.iter().map(|name| format!(" {name};")).collect();
        let scope = if listed.is_empty() { "" } else { " global:" };
        writeln!(script, "{node} {{{scope}{listed} }};").expect("a string");
        for name in fresh {
            writeln!(code, "\t.globl {name}\n\t.type {name}, @function\n{name}:")
                .expect("a string");
        }
    }
    code.push_str("\tud2\n\t.section .note.GNU-stack,\"\",@progbits\n");
    let (map, source) = (folder.join("libgomp.map"), folder.join("libgomp.s"));
    fs::write(&map, script).expect("a version script");
    fs::write(&source, code).expect("assembly");
    let library = folder.join("libgomp.so.1");
    let mut link = Command::new("gcc");
    link.args(["-shared", "-nostdlib", "-Wl,-soname,libgomp.so.1", "-o"]).arg(&library);
    done(link.arg(format!("-Wl,--version-script={}", map.display())).arg(&source));
    library
}

fn build(name: &str, folder: &Path, runtime: &Path) -> PathBuf {
    let (source, program) = (root().join(format!("tests/newer/{name}.c")), folder.join(name));
    let mut compile = Command::new("gcc");
    compile.args(["-O1", "-g", "-std=gnu11", "-Wall", "-Werror", "-I"]);
    compile.arg(root().join("tests/abi/include")).arg("-o").arg(&program).arg(&source);
    done(compile.arg(runtime));
    program
}

#[test]
fn programs_of_newer_compilers_start_and_are_right() {
    let folder = target().join("newer");
    fs::create_dir_all(&folder).expect("a folder");
    let runtime = stand_in(&folder);
    let ours = target().join("dist/lib/omp");
    assert!(ours.exists(), "{} is not there: run `make` first", ours.display());
    for (name, node) in [("gcc_16", "GOMP_6.0.1"), ("gcc_17", "GOMP_6.0.2")] {
        let program = build(name, &folder, &runtime);
        let asked = done(Command::new("objdump").arg("-p").arg(&program));
        assert!(asked.contains(node), "{name} does not ask for {node}:\n{asked}");
        for threads in ["1", "4"] {
            let mut run = Command::new("timeout");
            run.args(["--signal=KILL", "60"]).arg(&program).env("OMP_NUM_THREADS", threads);
            done(run.env("LD_LIBRARY_PATH", &ours));
        }
    }
}
