//! What the translator is made of besides itself: a compiler of OpenCL C, and a linker.
//!
//! The translator that is installed has both in itself (`translator/whole`): it starts itself as the compiler, with `clang` as the first
//! argument, and calls the linker. What cargo builds, for tests, starts programs of the system, `clang-19` and `ld`.

#![allow(unsafe_code)] // A symbol for the linker: no other code has that name.

use std::ffi::{CString, OsString, c_char, c_int};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use crate::failure::Failure;

/// The compiler, and the Debian package that has it.
const CLANG: &str = "clang-19";

/// A program as a function: it takes the words of its command line, and gives its exit status. What it says goes to standard error.
type Tool = extern "C" fn(count: c_int, words: *const *const c_char) -> c_int;

/// What is in this program, if it is whole.
struct Whole {
    program: PathBuf,
    linker: Tool,
}

static WHOLE: OnceLock<Whole> = OnceLock::new();

/// The entry point of `translator/whole`, in place of `main`.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_translate_whole(linker: Tool) -> i32 {
    // The driver starts it by its path, so that is as good where /proc is not there.
    let called = || std::env::args_os().next().map(PathBuf::from);
    if let Some(program) = std::env::current_exe().ok().or_else(called) {
        let _ = WHOLE.set(Whole { program, linker });
    }
    i32::from(crate::program::run())
}

/// The one that the environment names, our own, or the system's.
pub fn compiler() -> Command {
    match (std::env::var_os("VICINITY_CLANG"), WHOLE.get()) {
        (Some(named), _) => Command::new(named),
        (None, Some(whole)) => {
            let mut command = Command::new(&whole.program);
            command.arg("clang");
            command
        }
        (None, None) => Command::new(CLANG),
    }
}

/// Links, by our own linker or the system's; once in a process.
pub fn link(words: Vec<OsString>) -> Result<(), Failure> {
    match WHOLE.get() {
        Some(whole) => call(whole.linker, words),
        None => start(Command::new("ld").args(words)),
    }
}

/// The same by another process: several may be at it at once.
pub fn link_apart(words: Vec<OsString>) -> Result<(), Failure> {
    match WHOLE.get() {
        Some(whole) => start(Command::new(&whole.program).arg("ld").args(words)),
        None => start(Command::new("ld").args(words)),
    }
}

fn call(linker: Tool, words: Vec<OsString>) -> Result<(), Failure> {
    let words = std::iter::once("ld".into()).chain(words);
    let words: Result<Vec<CString>, _> = words.map(|word| CString::new(word.into_vec())).collect();
    let words = words.map_err(|error| Failure::Internal(format!("error: ld: {error}")))?;
    let pointers: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();
    match linker(pointers.len() as c_int, pointers.as_ptr()) {
        0 => Ok(()),
        status => Err(Failure::Internal(format!("error: ld: failed, with status {status}"))),
    }
}

fn start(linker: &mut Command) -> Result<(), Failure> {
    let output = linker.output().map_err(|error| {
        Failure::Internal(format!("error: ld cannot be started: {error} (Debian: binutils)"))
    })?;
    if output.status.success() {
        return Ok(());
    }
    Err(Failure::Internal(format!("error: ld: {}", String::from_utf8_lossy(&output.stderr))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn a_translator_that_is_not_whole_starts_the_programs_of_the_system() {
        let refused = link(vec!["/nowhere/a.o".into()]);
        assert!(matches!(refused, Err(Failure::Internal(text)) if text.contains("/nowhere/a.o")));
    }

    /// Its status is how many words it got that begin with a slash.
    extern "C" fn counts(count: c_int, words: *const *const c_char) -> c_int {
        // SAFETY: what `call` says.
        let words = unsafe { std::slice::from_raw_parts(words, count as usize) };
        // SAFETY: as above.
        let begins =
            |&&word: &&*const c_char| unsafe { CStr::from_ptr(word) }.to_bytes()[0] == b'/';
        words.iter().filter(begins).count() as c_int
    }

    #[test]
    fn the_linker_inside_gets_the_words_and_says_how_it_ended() {
        assert!(call(counts, vec!["-o".into(), "x".into()]).is_ok());
        let failed = call(counts, vec!["/a".into(), "/b".into()]);
        assert!(matches!(failed, Err(Failure::Internal(text)) if text.contains("status 2")));
        assert!(call(counts, vec!["a\0b".into()]).is_err());
    }
}
