//! Writes a door for every function of hwloc: a jump to where the function is once hwloc has been loaded.
//!
//! hwlocality expects hwloc to be linked. Doors of the same names take its place, so that what is built needs
//! no hwloc where it runs, and no program pays for loading it, until a machine is described to it
//! (docs/decisions/006-hwloc.md). `src/os/hwloc/doors.rs` opens them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    assert_eq!(target, "x86_64", "the doors to hwloc are written in assembly for x86-64 alone");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let names = functions();
    let doors = out.join("doors.S");
    std::fs::write(&doors, assembly(&names)).expect("OUT_DIR can be written");
    std::fs::write(out.join("names.txt"), names.join("\n")).expect("OUT_DIR can be written");
    std::fs::write(out.join("count.rs"), names.len().to_string()).expect("OUT_DIR can be written");
    cc::Build::new().file(&doors).compile("vicinity_hwloc_doors");
}

/// What the installed library exports.
fn functions() -> Vec<String> {
    let folder = output("pkg-config", &["--variable=libdir", "hwloc"]);
    let library = Path::new(folder.trim()).join("libhwloc.so");
    println!("cargo:rerun-if-changed={}", library.display());
    let symbols = output("nm", &["-D", "--defined-only", &library.to_string_lossy()]);
    let names = symbols.lines().filter_map(|line| line.split(" T ").nth(1));
    let names: Vec<String> =
        names.filter(|name| name.starts_with("hwloc_")).map(str::to_owned).collect();
    assert!(!names.is_empty(), "{} exports nothing", library.display());
    names
}

fn output(program: &str, arguments: &[&str]) -> String {
    let run = Command::new(program).args(arguments).output();
    let run =
        run.unwrap_or_else(|error| panic!("{program}: {error} (scripts/setup.sh installs it)"));
    assert!(run.status.success(), "{program} {arguments:?} failed: is libhwloc-dev installed?");
    String::from_utf8_lossy(&run.stdout).into_owned()
}

/// The doors, and the table of where they lead, in the order of the names.
fn assembly(names: &[String]) -> String {
    let mut text = String::from(".text\n");
    // Writing into a string cannot fail.
    for (at, name) in names.iter().enumerate() {
        let _ = writeln!(text, ".globl {name}\n.hidden {name}\n.type {name}, @function\n{name}:");
        let _ = writeln!(text, "    endbr64\n    jmp *vicinity_hwloc_doors+{}(%rip)", 8 * at);
        let _ = writeln!(text, ".size {name}, . - {name}");
    }
    let _ = write!(
        text,
        ".bss\n.balign 8\n.globl vicinity_hwloc_doors\n.hidden vicinity_hwloc_doors\n\
         .type vicinity_hwloc_doors, @object\nvicinity_hwloc_doors:\n    .zero {}\n\
         .size vicinity_hwloc_doors, . - vicinity_hwloc_doors\n\
         .section .note.GNU-stack,\"\",@progbits\n",
        8 * names.len()
    );
    text
}
