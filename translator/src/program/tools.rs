//! What the translator is made of besides itself: a compiler of OpenCL C, and a linker.
//!
//! The translator that is installed has both in itself (`translator/whole`): a copy of its process becomes the compiler, and it calls the
//! linker. As another program it can be either, too, with `clang` or `ld` as the first argument. What cargo builds, for tests, starts programs of the system, `clang-19` and `ld`.

#![allow(unsafe_code)] // A symbol for the linker: no other code has that name.

use std::ffi::{CString, OsStr, OsString, c_char, c_int};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use rustix::process::Pid;

use crate::program::failure::Failure;

/// The compiler, and the Debian package that has it.
const CLANG: &str = "clang-19";

/// A program as a function: it takes the words of its command line, and gives its exit status. What it says goes to standard error.
type Tool = extern "C" fn(count: c_int, words: *const *const c_char) -> c_int;

/// The same in a copy of this process, whose number it gives at once. The copy says what there is to say on the descriptor `says`, and
/// does not know the variables called `without`, a list that ends with null.
type ToolInCopy = extern "C" fn(
    count: c_int,
    words: *const *const c_char,
    without: *const *const c_char,
    says: c_int,
) -> c_int;

/// What is in this program, if it is whole.
struct Whole {
    program: PathBuf,
    linker: Tool,
    compiler: ToolInCopy,
}

static WHOLE: OnceLock<Whole> = OnceLock::new();

/// The entry point of `translator/whole`, in place of `main`.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_translate_whole(linker: Tool, compiler: ToolInCopy) -> i32 {
    // The driver starts it by its path, so that is as good where /proc is not there.
    let called = || std::env::args_os().next().map(PathBuf::from);
    if let Some(program) = std::env::current_exe().ok().or_else(called) {
        let _ = WHOLE.set(Whole { program, linker, compiler });
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

/// Carries out `command` in a copy of this process, if it is for the compiler inside. The copy's number.
pub fn compile_in_copy(command: &Command, says: BorrowedFd) -> io::Result<Option<Pid>> {
    let Some(whole) = WHOLE.get().filter(|whole| command.get_program() == whole.program) else {
        return Ok(None);
    };
    let without = command.get_envs().filter(|(_, value)| value.is_none()).map(|(name, _)| name);
    let texts = |words: &mut dyn Iterator<Item = &OsStr>| -> io::Result<Vec<CString>> {
        Ok(words.map(|word| CString::new(word.as_bytes())).collect::<Result<_, _>>()?)
    };
    // As a program knows itself, in place of the word that would make it the compiler.
    let program = std::iter::once(command.get_program());
    let (words, without) =
        (texts(&mut program.chain(command.get_args().skip(1)))?, texts(&mut without.into_iter())?);
    let words: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();
    let without = without.iter().map(|name| name.as_ptr());
    let without: Vec<*const c_char> = without.chain([std::ptr::null()]).collect();
    let count = words.len() as c_int;
    let number = (whole.compiler)(count, words.as_ptr(), without.as_ptr(), says.as_raw_fd());
    Pid::from_raw(number).filter(|_| number > 0).map(Some).ok_or_else(io::Error::last_os_error)
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
