//! The compilers, and building a program with one of them into `target/abi`.
//!
//! A build is skipped when its output is newer than the program, what it includes, and the compiler. A compiler
//! that is not installed is an error, not a skipped test: `.ci/run` and the README say what to install.

use crate::program::{Language, Program};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    Gcc,
    Clang,
    Gfortran,
    Flang,
}

impl Compiler {
    /// The compilers `program` is to be built with.
    pub fn for_program(program: &Program) -> Vec<Compiler> {
        let all: &[Compiler] = match program.language {
            Language::C | Language::Cpp => &[Compiler::Gcc, Compiler::Clang],
            Language::Fortran => &[Compiler::Gfortran, Compiler::Flang],
        };
        let wanted = |c: &Compiler| {
            program.compilers.is_empty() || program.compilers.iter().any(|n| n == c.name())
        };
        all.iter().copied().filter(wanted).collect()
    }

    pub fn name(self) -> &'static str {
        match self {
            Compiler::Gcc => "gcc",
            Compiler::Clang => "clang",
            Compiler::Gfortran => "gfortran",
            Compiler::Flang => "flang",
        }
    }

    /// The system runtime that its programs load.
    pub fn peer(self) -> &'static str {
        match self {
            Compiler::Gcc | Compiler::Gfortran => "libgomp",
            Compiler::Clang | Compiler::Flang => "libomp",
        }
    }

    fn command(self, language: Language) -> String {
        let name = match (self, language) {
            (Compiler::Gcc, Language::Cpp) => "g++",
            (Compiler::Gcc, _) => "gcc",
            (Compiler::Clang, Language::Cpp) => "clang++",
            (Compiler::Clang, _) => "clang",
            (Compiler::Gfortran, _) => "gfortran",
            (Compiler::Flang, _) => "flang-new",
        };
        match self {
            Compiler::Clang => format!("{name}-{}", clang_release()),
            Compiler::Flang => format!("{name}-{CLANG_RELEASE}"),
            Compiler::Gcc | Compiler::Gfortran => name.to_owned(),
        }
    }

    /// Where its programs go: another release of clang has a folder of its own.
    fn folder(self) -> String {
        match clang_release() {
            release if self == Compiler::Clang && release != CLANG_RELEASE => {
                format!("clang-{release}")
            }
            _ => self.name().to_owned(),
        }
    }

    fn common_flags(self, language: Language) -> &'static [&'static str] {
        match (self, language) {
            (Compiler::Gfortran, _) => &["-O1", "-g", "-cpp", "-Wall", "-Wno-unused"],
            (Compiler::Flang, _) => &["-O1", "-cpp"],
            (_, Language::Cpp) => &["-O1", "-g", "-std=c++17", "-Wall", "-Wno-unknown-pragmas"],
            _ => &["-O1", "-g", "-std=gnu11", "-Wall", "-Wno-unknown-pragmas"],
        }
    }
}

/// The release of clang and flang that `scripts/setup.sh` installs.
const CLANG_RELEASE: &str = "19";

/// The release of clang that builds the programs.
fn clang_release() -> String {
    std::env::var("VICINITY_TEST_CLANG").unwrap_or_else(|_| CLANG_RELEASE.to_owned())
}

/// What building a program leaves.
#[derive(Clone, Debug)]
pub struct Built {
    pub executable: PathBuf,
    pub shared: Option<PathBuf>,
}

/// Builds `program` under `out` (a folder a compiler); `include` holds the shared headers.
pub fn build(
    program: &Program,
    compiler: Compiler,
    include: &Path,
    out: &Path,
) -> Result<Built, String> {
    let folder = out.join(compiler.folder()).join(program.language.folder());
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut built = Built { executable: folder.join(&program.name), shared: None };
    if let Some(source) = &program.shared {
        let object = folder.join(format!("lib{}.so", program.name));
        let flags = ["-fopenmp", "-fPIC", "-shared"].map(str::to_owned);
        compile(program, compiler, include, source, &object, &flags)?;
        built.shared = Some(object);
    }
    let mut flags = program.flags.clone();
    if program.openmp {
        flags.insert(0, "-fopenmp".to_owned());
    }
    compile(program, compiler, include, &program.source, &built.executable, &flags)?;
    Ok(built)
}

fn compile(
    program: &Program,
    compiler: Compiler,
    include: &Path,
    source: &Path,
    output: &Path,
    flags: &[String],
) -> Result<(), String> {
    if is_fresh(output, source, include) {
        return Ok(());
    }
    let mut command = Command::new(compiler.command(program.language));
    command.args(compiler.common_flags(program.language)).arg("-I").arg(include).arg("-o");
    command.arg(output).arg(source);
    // Libraries must follow the source; the order of the other flags does not matter.
    command.args(flags).arg("-lm").arg("-lpthread").arg("-ldl");
    if let (Compiler::Gfortran | Compiler::Flang, Some(folder)) = (compiler, output.parent()) {
        command.current_dir(folder);
    }
    let result = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if result.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}\n{}", String::from_utf8_lossy(&result.stderr)))
}

/// Runs a command outside of every auditor, which must succeed; what it says, on both outputs.
pub fn done(command: &mut Command) -> String {
    let output = command.env_remove("LD_AUDIT").output();
    let output = output.unwrap_or_else(|why| panic!("{command:?}: {why}"));
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(output.status.success(), "{command:?}: {text}");
    text
}

/// Builds a C program or library with gcc; its source is written beside it.
pub fn build_text(output: &Path, source: &str, options: &[&str]) {
    let file = output.with_extension("c");
    fs::write(&file, source).expect("a source file");
    done(Command::new("gcc").arg("-o").arg(output).arg(&file).args(options));
}

fn is_fresh(output: &Path, source: &Path, include: &Path) -> bool {
    let Some(built) = modified(output) else { return false };
    let headers = fs::read_dir(include).into_iter().flatten().filter_map(|e| e.ok());
    let newest = headers.filter_map(|e| modified(&e.path())).chain(modified(source)).max();
    newest.is_some_and(|n| n < built)
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|m| m.modified()).ok()
}
