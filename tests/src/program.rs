//! A test program: one source file and what its header comment asks for.
//!
//! Terms. *Header*: the comment lines (`//` or `!`) at the top of the file, before anything else.
//! *Directive*: a header line `key: value`. The keys:
//!
//! | key | value |
//! |---|---|
//! | `env` | `NAME=VALUE ...`, set for the run (`OMP_NUM_THREADS` here wins over the thread counts) |
//! | `args` | arguments of the program |
//! | `flags` | more flags for every compiler |
//! | `compilers` | which of the language's compilers build it: `gcc`, `clang`, `gfortran`, `flang` |
//! | `threads` | the thread counts to run it at, in place of 1, 2, 8 and 33 |
//! | `shared` | a source file in the same folder to build as a shared object; its path is the first argument |
//! | `openmp` | `no`: the program itself (not its shared object) is built without OpenMP |
//! | `peer-fails` | `libgomp REASON` or `libomp REASON`: the system's runtime is known not to pass |
//!
//! A file whose name ends in `_shared.c` is a part of another program, not a program.

use std::fs;
use std::path::{Path, PathBuf};

/// The thread counts every program runs at unless it says otherwise.
pub const THREADS: [usize; 4] = [1, 2, 8, 33];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    Cpp,
    Fortran,
}

impl Language {
    pub const ALL: [Language; 3] = [Language::C, Language::Cpp, Language::Fortran];

    pub fn folder(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Cpp => "cpp",
            Language::Fortran => "fortran",
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Cpp => "cpp",
            Language::Fortran => "f90",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Program {
    pub name: String,
    pub source: PathBuf,
    pub language: Language,
    pub env: Vec<(String, String)>,
    pub args: Vec<String>,
    pub flags: Vec<String>,
    /// Empty: every compiler of the language.
    pub compilers: Vec<String>,
    pub threads: Vec<usize>,
    pub shared: Option<PathBuf>,
    pub openmp: bool,
    /// (runtime, reason)
    pub peer_fails: Vec<(String, String)>,
}

impl Program {
    /// Reads the header of `source`; an unknown directive is an error, so that a typing slip cannot hide.
    pub fn read(source: &Path, language: Language) -> Result<Program, String> {
        let text = fs::read_to_string(source).map_err(|e| format!("{}: {e}", source.display()))?;
        let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut program = Program {
            name,
            source: source.to_path_buf(),
            language,
            env: Vec::new(),
            args: Vec::new(),
            flags: Vec::new(),
            compilers: Vec::new(),
            threads: THREADS.to_vec(),
            shared: None,
            openmp: true,
            peer_fails: Vec::new(),
        };
        for (key, value) in directives(&text) {
            program.apply(key, value).map_err(|e| format!("{}: {e}", source.display()))?;
        }
        Ok(program)
    }

    fn apply(&mut self, key: &str, value: &str) -> Result<(), String> {
        let words = || value.split_whitespace().map(str::to_owned);
        match key {
            "env" => {
                for word in words() {
                    let (name, value) = word.split_once('=').ok_or("env wants NAME=VALUE")?;
                    self.env.push((name.to_owned(), value.to_owned()));
                }
            }
            "args" => self.args = words().collect(),
            "flags" => self.flags = words().collect(),
            "compilers" => self.compilers = words().collect(),
            "threads" => {
                self.threads = words()
                    .map(|w| w.parse().map_err(|_| format!("threads: not a number: {w}")))
                    .collect::<Result<_, _>>()?;
            }
            "shared" => self.shared = Some(self.source.with_file_name(value)),
            "openmp" => self.openmp = value != "no",
            "peer-fails" => {
                let (runtime, reason) =
                    value.split_once(' ').ok_or("peer-fails wants a runtime and a reason")?;
                self.peer_fails.push((runtime.to_owned(), reason.to_owned()));
            }
            _ => return Err(format!("unknown directive `{key}`")),
        }
        Ok(())
    }
}

/// The `key: value` lines of the header. Its first line is prose, and so is every line without a lower-case key.
fn directives(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines()
        .map_while(|line| line.strip_prefix("//").or_else(|| line.strip_prefix('!')))
        .skip(1)
        .filter_map(|line| line.trim().split_once(": "))
        .filter(|(key, _)| key.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'))
        .map(|(key, value)| (key, value.trim()))
}

/// Every program under `root` (which has one folder a language), by language and name.
pub fn discover(root: &Path) -> Result<Vec<Program>, String> {
    let mut programs = Vec::new();
    for language in Language::ALL {
        let folder = root.join(language.folder());
        let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut sources: Vec<PathBuf> = entries
            .filter_map(|entry| entry.ok().map(|e| e.path()))
            .filter(|p| p.extension().is_some_and(|e| e == language.extension()))
            .filter(|p| !p.file_stem().unwrap_or_default().to_string_lossy().ends_with("_shared"))
            .collect();
        sources.sort();
        for source in sources {
            programs.push(Program::read(&source, language)?);
        }
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_ends_at_the_first_line_of_code() {
        let text =
            "// cancels: every kind.\n// env: A=1 B=2\n// threads: 1 2\nint x;\n// args: no\n";
        let found: Vec<_> = directives(text).collect();
        assert_eq!(found, [("env", "A=1 B=2"), ("threads", "1 2")]);
    }

    #[test]
    fn fortran_headers_read_the_same() {
        let found: Vec<_> = directives("! Loops.\n! compilers: gfortran\nprogram p\n").collect();
        assert_eq!(found, [("compilers", "gfortran")]);
    }
}
