//! What events say that cannot be, and what is made of it all the same: one line for each kind.
//!
//! Clocks of different cores may differ by a few nanoseconds, so moments contradict each other only from `TOLERANCE_NS` on.

use std::collections::BTreeMap;
use std::fmt;

/// Below this, two moments may have been taken on cores whose clocks differ.
pub const TOLERANCE_NS: i64 = 1_000;

/// A field, and what is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Odd {
    /// The field that every such event has.
    Missing(&'static str),
    NegativeLength,
    /// The field of that time.
    FarAway(&'static str),
    ReadyTooLate,
    CreatedTooLate,
    /// The field that refers to it.
    NotThere(&'static str),
    ParentTooLate,
    PredecessorTooLate,
}

impl Odd {
    fn says(self) -> String {
        match self {
            Odd::Missing(field) => format!("no `{field}`: 0 is taken instead"),
            Odd::NegativeLength => "a negative `dur`: 0 is taken instead".to_string(),
            Odd::FarAway(field) => {
                format!("a `{field}` more than eleven days away: it is cut to that")
            }
            Odd::ReadyTooLate => {
                "a `ready` after its start: its start is taken instead".to_string()
            }
            Odd::CreatedTooLate => {
                "a `created` after it was ready: when it was ready is taken instead".to_string()
            }
            Odd::NotThere(field) => {
                let article = if field.starts_with('a') { "an" } else { "a" };
                format!(
                    "{article} `{field}` that is not in the trace, though it is whole: it is left out"
                )
            }
            Odd::ParentTooLate => {
                "a `parent` that began after its creation: none is taken instead".to_string()
            }
            Odd::PredecessorTooLate => {
                "an `after` with a task that ended after its start: it is kept".to_string()
            }
        }
    }
}

/// Which event it is about.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    pub what: &'static str,
    pub id: u64,
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.what, self.id)
    }
}

/// How often each was found, and where first.
#[derive(Default)]
pub struct Oddities {
    found: BTreeMap<Odd, (u64, Label)>,
}

impl Oddities {
    pub fn add(&mut self, odd: Odd, first: Label) {
        self.found.entry(odd).or_insert((0, first)).0 += 1;
    }

    /// A line for each kind.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.found.iter().map(|(odd, (count, first))| match count {
            1 => format!("{first} has {}", odd.says()),
            _ => format!("{first} has {} ({count} events in all)", odd.says()),
        })
    }
}
