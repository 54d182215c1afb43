//! What our programs print, and how they end when nobody takes it.
//!
//! Rust's own printing macros panic where a write fails, and Rust ignores the signal that ends other programs when their
//! reader goes (`vicinity info | head -1`). So a program prints its results with `print`, says everything else with `tell`,
//! and ends with `Unwritten::status` where its results were not taken. A rule of `tests/tests/tidy` keeps the macros out.
//!
//! What variables of the environment say in one of a few words is read by `words`.
//!
//! The exit statuses of all programs are here too, so that a number means the same everywhere. 125 is that of env(1) for
//! failures of its own.
//!
//! Source of `EXIT_CLOSED`: a shell reports 128 and the number of the signal, and SIGPIPE is 13.

pub mod words;

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

/// It is done, and all was right.
pub const EXIT_DONE: u8 = 0;
/// It is done, and something that was looked at is wrong: a kernel's source, a program's result.
pub const EXIT_WRONG: u8 = 1;
/// The command line makes no sense: an option or a value that does not exist.
pub const EXIT_USAGE: u8 = 2;
/// It could not be done: a file cannot be read or written, something that is needed is missing.
pub const EXIT_FAILED: u8 = 125;
/// The reader has gone: what a shell reports of a program that SIGPIPE ended.
pub const EXIT_CLOSED: u8 = 141;

/// The text about them at the end of a help, between what comes before and after those that all programs share.
#[macro_export]
macro_rules! exit_status {
    ($($first:literal)* ; $($last:literal)*) => {
        concat!(
            "Exit status:\n",
            $("  ", $first, "\n",)*
            "  2    the command line makes no sense: an option or a value that does not exist\n",
            "  125  it could not be done: a file cannot be read or written, something needed is missing\n",
            "  141  the reader of the output has gone",
            $("\n  ", $last,)*
        )
    };
}

/// Standard output did not take what it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unwritten {
    /// Its reader has gone: it has seen what it wanted, and nothing is to be said.
    Closed,
    /// A full disk or the like, in the system's words.
    Failed(String),
}

/// Writes to standard output, whole or not at all as far as the caller can tell.
pub fn print(text: &str) -> Result<(), Unwritten> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| (&error).into())
}

/// One line to standard error. Where that takes nothing there is nobody left to be told.
pub fn tell(line: impl Display) {
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}

impl From<&io::Error> for Unwritten {
    fn from(error: &io::Error) -> Unwritten {
        match error.kind() {
            ErrorKind::BrokenPipe => Unwritten::Closed,
            _ => Unwritten::Failed(error.to_string()),
        }
    }
}

impl Unwritten {
    /// What to say of it, if anything.
    pub fn text(&self) -> Option<String> {
        match self {
            Unwritten::Closed => None,
            Unwritten::Failed(why) => Some(format!("cannot write to standard output: {why}")),
        }
    }

    /// What the program ends with.
    pub fn status(&self) -> u8 {
        match self {
            Unwritten::Closed => EXIT_CLOSED,
            Unwritten::Failed(_) => EXIT_FAILED,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_reader_that_went_costs_no_line() {
        let closed = Unwritten::from(&io::Error::from(ErrorKind::BrokenPipe));
        assert_eq!((closed.text(), closed.status()), (None, EXIT_CLOSED));
        let full = Unwritten::from(&io::Error::from(ErrorKind::StorageFull));
        assert_eq!(full.status(), EXIT_FAILED);
        assert!(
            full.text().is_some_and(|text| text.starts_with("cannot write to standard output: "))
        );
    }
}
