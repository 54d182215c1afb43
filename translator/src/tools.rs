//! What the translator starts: a compiler of OpenCL C, and a linker.
//!
//! The translator that is installed has both in itself (`translator/whole`): it starts itself, with `clang` or `ld` as the first
//! argument. What cargo builds, for tests, starts programs of the system, `clang-19` and `ld`.

#![allow(unsafe_code)] // A symbol for the linker: no other code has that name.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// The compiler, and the Debian package that has it.
const CLANG: &str = "clang-19";

/// This program, if it has both in itself.
static WHOLE: OnceLock<PathBuf> = OnceLock::new();

/// The entry point of `translator/whole`, in place of `main`.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_translate_whole() -> i32 {
    // The driver starts it by its path, so that is as good where /proc is not there.
    let called = || std::env::args_os().next().map(PathBuf::from);
    if let Some(program) = std::env::current_exe().ok().or_else(called) {
        let _ = WHOLE.set(program);
    }
    i32::from(crate::program::run())
}

/// The one that the environment names, our own, or the system's.
pub fn compiler() -> Command {
    match std::env::var_os("VICINITY_CLANG") {
        Some(named) => Command::new(named),
        None => own("clang").unwrap_or_else(|| Command::new(CLANG)),
    }
}

pub fn linker() -> Command {
    own("ld").unwrap_or_else(|| Command::new("ld"))
}

fn own(tool: &str) -> Option<Command> {
    let mut command = Command::new(WHOLE.get()?);
    command.arg(tool);
    Some(command)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_translator_that_is_not_whole_starts_the_programs_of_the_system() {
        assert_eq!(super::linker().get_program(), "ld");
        assert_eq!(super::linker().get_args().count(), 0);
    }
}
