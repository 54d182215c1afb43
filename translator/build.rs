//! Compiles the builtin library, `library/`, into the archive that [`archive`](src/front/archive.rs) reads.
//!
//! Every source becomes one module of bitcode, `data/convert.cl` one for each type it converts to. They are compiled for
//! `spir64`, as kernels are, so that names are mangled alike, and optimized as far as that can be done for a processor
//! that is not known yet. `llvm-ar` adds an index from symbols to modules, which is put in order here.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

#[path = "src/front/opaque.rs"]
mod opaque;

/// Types that numbers are converted to.
const NUMBERS: &[&str] = &[
    "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double",
];

/// One compilation.
struct Unit {
    source: PathBuf,
    defines: Vec<String>,
    output: PathBuf,
}

fn main() {
    let library = PathBuf::from("library");
    let output = PathBuf::from(env::var("OUT_DIR").expect("cargo says where output goes"));
    println!("cargo::rerun-if-changed=library");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/front/opaque.rs");
    println!("cargo::rerun-if-env-changed=VICINITY_CLANG");

    let units = units(&library, &output);
    let next = Mutex::new(units.iter());
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let unit = next.lock().expect("no worker panics with the list").next();
                    let Some(unit) = unit else { break };
                    compile(unit);
                }
            });
        }
    });
    let whole = output.join("builtins.a");
    archive(&units, &whole);
    let index = index(&fs::read(&whole).expect("the archive was made"));
    fs::write(output.join("builtins.index"), index).expect("the index can be written");
}

/// All compilations, in an order that does not change from machine to machine.
fn units(library: &Path, output: &Path) -> Vec<Unit> {
    let mut sources = Vec::new();
    find_sources(library, &mut sources);
    sources.sort();
    let mut units = Vec::new();
    for source in sources {
        let name = source.strip_prefix(library).expect("below it").to_string_lossy();
        let name = name.replace(['/', '.'], "_");
        if name == "data_convert_cl" {
            for to in NUMBERS {
                units.push(Unit {
                    source: source.clone(),
                    defines: vec![format!("-DTO={to}"), format!("-DTO_{}", to.to_uppercase())],
                    output: output.join(format!("{name}_{to}.bc")),
                });
            }
        } else {
            let output = output.join(format!("{name}.bc"));
            units.push(Unit { source, defines: Vec::new(), output });
        }
    }
    units
}

fn find_sources(folder: &Path, sources: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the library's sources") {
        let path = entry.expect("an entry of a folder").path();
        if path.is_dir() {
            find_sources(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "cl" || extension == "c") {
            sources.push(path);
        }
    }
}

/// For everything: what `library.h` warns of on purpose is left out.
const FLAGS: &[&str] = &[
    "-target",
    "spir64",
    "-O2",
    "-fno-strict-aliasing",
    // What can be vectorized, and how, is known when the library is linked.
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-emit-llvm",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unused-parameter",
    "-Wno-unused-function",
    "-Wno-atomic-alignment",
];

fn compile(unit: &Unit) {
    let mut flags: Vec<&str> = FLAGS.to_vec();
    match unit.source.extension().and_then(|extension| extension.to_str()) {
        Some("cl") => flags.extend(["-x", "cl", "-cl-std=CL3.0", "-cl-no-stdinc"]),
        _ => flags.extend(["-x", "c", "-std=gnu17", "-ffreestanding", "-fconvergent-functions"]),
    }
    let text = fs::read_to_string(&unit.source).expect("a source is text");
    if ["event_t", "sampler_t", "image"].iter().any(|of| text.contains(of)) {
        // Only spir64 has these types, and kernels do not keep them.
        let assembly = unit.output.with_extension("ll");
        run(clang()
            .args(&flags)
            .arg("-S")
            .args(&unit.defines)
            .arg("-o")
            .arg(&assembly)
            .arg(&unit.source));
        let text = fs::read_to_string(&assembly).expect("clang wrote it");
        fs::write(&assembly, opaque::spell_out(&text)).expect("it can be written again");
        run(clang()
            .args(["-x", "ir", "-c", "-emit-llvm", "-target", "spir64", "-o"])
            .arg(&unit.output)
            .arg(&assembly));
    } else {
        run(clang()
            .args(&flags)
            .arg("-c")
            .args(&unit.defines)
            .arg("-o")
            .arg(&unit.output)
            .arg(&unit.source));
    }
}

fn clang() -> Command {
    Command::new(env::var("VICINITY_CLANG").unwrap_or_else(|_| "clang-19".to_string()))
}

/// Puts the modules into an archive with an index.
fn archive(units: &[Unit], path: &Path) {
    let _ = fs::remove_file(path);
    let modules = units.iter().map(|unit| &unit.output);
    run(Command::new("llvm-ar-19").arg("rcsD").arg(path).args(modules));
}

/// The symbols of an archive in the order of their bytes, each with the place of its module: `src/front/archive.rs` says how.
///
/// `ar` has them in its first member: how many there are, for each the place of its module (big-endian numbers of 32 bits), then the
/// names, each with a nul behind it.
fn index(archive: &[u8]) -> String {
    const MAGIC_AND_HEADER: usize = 8 + 60;
    let table = &archive[MAGIC_AND_HEADER..];
    let number = |at: usize| u32::from_be_bytes(table[at..at + 4].try_into().expect("four bytes"));
    let count = number(0) as usize;
    let names = table[4 + 4 * count..].split(|&byte| byte == 0).take(count);
    let mut lines: Vec<(String, u32)> = names
        .enumerate()
        .map(|(at, name)| (String::from_utf8_lossy(name).into_owned(), number(4 + 4 * at)))
        .collect();
    lines.sort();
    lines.dedup_by(|a, b| a.0 == b.0);
    lines.iter().map(|(name, place)| format!("{name} {place}\n")).collect()
}

fn run(command: &mut Command) {
    let status = command.status();
    let done = status.as_ref().is_ok_and(|status| status.success());
    assert!(done, "{command:?}: {status:?} (Debian: clang-19 libclang-common-19-dev llvm-19)");
}
