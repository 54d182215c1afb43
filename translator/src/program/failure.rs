//! Why nothing was translated, and the exit status that says whose fault it is.

use vicinity_output::{EXIT_CLOSED, Unwritten};

/// What the driver, or a person, has to know about a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The program is wrong; the text belongs in the build log.
    Program(String),
    /// The command line or the build options are wrong.
    Usage(String),
    /// Something of ours, or of the machine: a compiler that is not there, a full disk.
    Internal(String),
    /// Nobody takes what is printed.
    Output(Unwritten),
}

impl Failure {
    pub fn status(&self) -> u8 {
        match self {
            Failure::Program(_) => 1,
            Failure::Usage(_) => 2,
            Failure::Internal(_) | Failure::Output(Unwritten::Failed(_)) => 3,
            Failure::Output(Unwritten::Closed) => EXIT_CLOSED,
        }
    }

    /// Nothing where there is nothing to say.
    pub fn text(&self) -> String {
        match self {
            Failure::Program(text) | Failure::Usage(text) | Failure::Internal(text) => text.clone(),
            Failure::Output(unwritten) => unwritten.text().unwrap_or_default(),
        }
    }
}

impl From<Unwritten> for Failure {
    fn from(unwritten: Unwritten) -> Failure {
        Failure::Output(unwritten)
    }
}

/// For file operations on what a person or the driver named.
pub fn cannot(what: &str, path: &std::path::Path, error: &std::io::Error) -> Failure {
    Failure::Internal(format!("{}: cannot {what}: {error}", path.display()))
}

/// For a file that the command line names.
pub fn unreadable(path: &std::path::Path, error: &std::io::Error) -> Failure {
    Failure::Usage(format!("error: {}: cannot read: {error}", path.display()))
}
