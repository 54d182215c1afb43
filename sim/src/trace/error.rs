//! Why a file is not a trace that can be shown: one line for the user each.

use std::fmt;

use vicinity_policy::topology::Malformed;

/// The version of the format that this reader knows: `otherData.vicinity`.
pub const VERSION: u64 = 1;

#[derive(Debug)]
pub enum Error {
    /// It cannot be read, or its compressed data are damaged before the first event.
    Unreadable(std::io::Error),
    Empty,
    /// Where, and what the parser says.
    NotJson(serde_json::Error),
    /// JSON, and no object with `traceEvents`.
    NotATrace,
    /// Trace events, and no `otherData.vicinity`.
    OtherTool,
    OtherVersion(u64),
    /// It ends before the first event.
    CutTooEarly,
    /// `otherData` has a field of the wrong type.
    Header(serde_json::Error),
    /// An event with a field of the wrong type.
    Event {
        field: String,
        error: serde_json::Error,
    },
    Topology(Malformed),
    /// Events name a location that the header does not describe.
    Location {
        used: usize,
        told: usize,
    },
    /// More tasks, bytes or edges than can be numbered.
    TooLarge,
    /// Two tasks or regions with the same number.
    Twice(u64),
    /// A task of this name has no number.
    NoId(String),
    /// Of the traces to be merged, another one is of this rank, too.
    RankTwice(u64),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unreadable(error) => write!(f, "cannot be read: {error}"),
            Error::Empty => f.write_str(
                "is empty: the program wrote no trace (did it end by a signal, or run without tasks?)",
            ),
            Error::NotJson(error) => write!(f, "is not JSON: {error}"),
            Error::NotATrace => {
                f.write_str("is JSON, but no trace: there is no list of `traceEvents`")
            }
            Error::OtherTool => f.write_str(
                "is a trace of another tool: `otherData.vicinity` is missing (VICINITY_TRACE=file writes ours)",
            ),
            Error::OtherVersion(version) => write!(
                f,
                "is a trace of version {version}, and this command knows version {VERSION}"
            ),
            Error::CutTooEarly => f.write_str("ends before its first event: nothing to show"),
            Error::Header(error) => {
                write!(f, "has a header (`otherData`) that makes no sense: {error}")
            }
            Error::Event { field, error } if field.is_empty() => {
                write!(f, "has an event that makes no sense: {error}")
            }
            Error::Event { field, error } => {
                write!(f, "has an event whose `{field}` makes no sense: {error}")
            }
            Error::Topology(error) => write!(f, "describes an impossible machine: {error}"),
            Error::Location { used, told } => {
                write!(f, "names {used} locations, and describes {told}")
            }
            Error::TooLarge => {
                write!(f, "is too large: more than {} tasks or dependences", u32::MAX)
            }
            Error::Twice(id) => write!(f, "has two tasks or regions with the `id` {id}"),
            Error::NoId(name) => write!(f, "has a task `{name}` without an `id`"),
            Error::RankTwice(rank) => write!(f, "is a second trace of rank {rank}"),
        }
    }
}

impl std::error::Error for Error {}
