//! The file's JSON as serde sees it: the fields of docs/trace.md, everything else ignored.
//!
//! Events are read field by field, so that an error can say which field it is about: serde's own say what was expected
//! and where, and not in what. `Where` remembers it on the way out.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

/// The fields in which the parser stopped, the innermost first.
#[derive(Default)]
pub struct Where(RefCell<Vec<&'static str>>);

impl Where {
    fn is_in(&self, field: &'static str) {
        self.0.borrow_mut().push(field);
    }

    /// `args.at`; nothing if it was in none.
    pub fn path(&self) -> String {
        let names = self.0.borrow();
        names.iter().rev().copied().collect::<Vec<_>>().join(".")
    }
}

/// Which of a list of names a key is.
struct Name(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Option<usize>, D::Error> {
        from.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Name {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field's name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Option<usize>, E> {
        Ok(self.0.iter().position(|known| *known == name))
    }
}

/// Reads an object by its fields: values, and objects that are read so themselves.
macro_rules! by_field {
    ($reader:ident for $type:ident { $($field:ident),* ; $($object:ident by $inner:ident),* }) => {
        pub struct $reader<'w>(pub &'w Where);

        impl<'de> DeserializeSeed<'de> for $reader<'_> {
            type Value = $type;

            fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<$type, D::Error> {
                from.deserialize_map(self)
            }
        }

        impl<'de> Visitor<'de> for $reader<'_> {
            type Value = $type;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$type, A::Error> {
                const NAMES: &[&str] = &[$(stringify!($field),)* $(stringify!($object),)*];
                let mut value = $type::default();
                while let Some(found) = map.next_key_seed(Name(NAMES))? {
                    let Some(name) = found.map(|at| NAMES[at]) else {
                        map.next_value::<IgnoredAny>()?;
                        continue;
                    };
                    $(if name == stringify!($field) {
                        value.$field = map.next_value().inspect_err(|_| self.0.is_in(name))?;
                        continue;
                    })*
                    $(if name == stringify!($object) {
                        let object = map.next_value_seed($inner(self.0));
                        value.$object = object.inspect_err(|_| self.0.is_in(name))?;
                    })*
                }
                Ok(value)
            }
        }
    };
}

/// An element of `traceEvents`.
#[derive(Default)]
pub struct Event {
    pub ph: Phase,
    pub cat: Category,
    pub name: String,
    pub tid: u32,
    pub id: Option<u64>,
    pub ts: Option<f64>,
    pub dur: Option<f64>,
    pub args: Args,
}

by_field!(EventReader for Event { ph, cat, name, tid, id, ts, dur; args by ArgsReader });

#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
pub enum Phase {
    #[serde(rename = "X")]
    Complete,
    #[serde(rename = "M")]
    Fact,
    /// An arrow begins, or ends.
    #[serde(rename = "s")]
    From,
    #[serde(rename = "f")]
    To,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    Task,
    Region,
    Wait,
    Chunk,
    Trace,
    Message,
    #[default]
    #[serde(other)]
    Other,
}

/// The arguments of all kinds of events; times are microseconds. A list that is null is an empty one.
#[derive(Default)]
pub struct Args {
    pub id: Option<u64>,
    pub parent: Option<u64>,
    pub created: Option<f64>,
    pub ready: Option<f64>,
    pub kind: Option<Kind>,
    pub after: Option<Vec<u64>>,
    pub bytes: Option<Vec<u64>>,
    pub dealt: Option<u16>,
    pub at: Option<u16>,
    pub from: Option<u16>,
    pub hops: Option<u16>,
    pub stolen: Option<bool>,
    pub line: Option<String>,
    pub cut: Option<bool>,
    pub counters: Option<Vec<f64>>,
    pub region: Option<u64>,
    pub thread: Option<u32>,
    pub task: Option<u64>,
    pub name: Option<String>,
    pub location: Option<u16>,
    pub how: Option<String>,
    pub missing_events: Option<u64>,
    pub run_delay_ns: Option<u64>,
    pub threads: Option<u32>,
    pub file: Option<String>,
    pub start: Option<u64>,
    pub end: Option<u64>,
    pub bias: Option<u64>,
    pub block: Option<u64>,
    pub size: Option<u64>,
    pub of: Option<String>,
    pub distribution: Option<String>,
    pub origin: Option<Vec<u64>>,
    pub when: Option<f64>,
    pub beginner: Option<u32>,
    pub step: Option<u64>,
    pub homes: Option<Vec<i32>>,
    pub every: Option<u64>,
    pub samples: Option<Vec<Vec<f64>>>,
    pub rows: Option<u64>,
    pub row: Option<u64>,
}

by_field!(ArgsReader for Args {
    id, parent, created, ready, kind, after, bytes, dealt, at, from, hops, stolen, line, cut, counters, region,
    thread, task, name, location, how, missing_events, run_delay_ns, threads, file, start, end, bias, block, size, of, distribution,
    origin, when, beginner, step, homes, every, samples, rows, row;
});

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Included,
    #[serde(other)]
    Deferred,
}

/// `otherData`.
#[derive(Deserialize)]
pub struct Header {
    pub vicinity: Option<u64>,
    #[serde(default)]
    pub program: String,
    #[serde(default)]
    pub arguments: Vec<String>,
    #[serde(default)]
    pub started: String,
    /// How many processors the program could use.
    pub processors: Option<u32>,
    #[serde(default)]
    pub settings: BTreeMap<String, serde_json::Value>,
    pub topology: Option<Topology>,
    #[serde(default)]
    pub counters: Vec<String>,
    #[serde(default)]
    pub notes: Vec<String>,
    /// How many ranks' traces this was made of.
    pub merged: Option<u32>,
}

#[derive(Deserialize)]
pub struct Topology {
    #[serde(default)]
    pub kind: String,
    pub locations: Vec<Location>,
    #[serde(default)]
    pub distances: Vec<Vec<u16>>,
    #[serde(default = "is_real")]
    pub enforced: bool,
}

impl Default for Topology {
    fn default() -> Topology {
        Topology {
            kind: String::new(),
            locations: Vec::new(),
            distances: Vec::new(),
            enforced: is_real(),
        }
    }
}

/// A machine is real unless its trace says otherwise.
fn is_real() -> bool {
    true
}

#[derive(Deserialize)]
pub struct Location {
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub cores: Vec<u32>,
}
