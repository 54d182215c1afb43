//! The file's JSON as serde sees it: the fields of docs/trace.md, everything else ignored.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

/// An element of `traceEvents`.
#[derive(Deserialize)]
pub struct Event {
    pub ph: Phase,
    #[serde(default)]
    pub cat: Category,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub tid: u32,
    #[serde(default)]
    pub ts: f64,
    #[serde(default)]
    pub dur: f64,
    #[serde(default)]
    pub args: Args,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
pub enum Phase {
    #[serde(rename = "X")]
    Complete,
    #[serde(rename = "M")]
    Fact,
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
    #[default]
    #[serde(other)]
    Other,
}

/// The arguments of all kinds of events; times are microseconds.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Args {
    pub id: Option<u64>,
    pub parent: Option<u64>,
    pub created: Option<f64>,
    pub ready: Option<f64>,
    pub kind: Option<Kind>,
    #[serde(deserialize_with = "list")]
    pub after: Vec<u64>,
    #[serde(deserialize_with = "list")]
    pub bytes: Vec<u64>,
    pub dealt: Option<u16>,
    pub at: Option<u16>,
    pub from: Option<u16>,
    pub hops: Option<u16>,
    pub stolen: Option<bool>,
    pub line: Option<String>,
    pub cut: Option<bool>,
    #[serde(deserialize_with = "list")]
    pub counters: Vec<f64>,
    pub region: Option<u64>,
    pub thread: Option<u32>,
    pub task: Option<u64>,
    pub name: Option<String>,
    pub location: Option<u16>,
    pub how: Option<String>,
    pub missing_events: Option<u64>,
}

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
    #[serde(default)]
    pub settings: BTreeMap<String, serde_json::Value>,
    pub topology: Option<Topology>,
    #[serde(default)]
    pub counters: Vec<String>,
    #[serde(default)]
    pub notes: Vec<String>,
}

#[derive(Default, Deserialize)]
pub struct Topology {
    #[serde(default)]
    pub kind: String,
    pub locations: Vec<Location>,
    #[serde(default)]
    pub distances: Vec<Vec<u16>>,
}

#[derive(Deserialize)]
pub struct Location {
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub cores: Vec<u32>,
}

/// A list, or null for an empty one.
fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    Option::deserialize(from).map(Option::unwrap_or_default)
}
