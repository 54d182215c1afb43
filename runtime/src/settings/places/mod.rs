//! Place lists: what `OMP_PLACES` and its older relatives say, and the processors that means.
//!
//! Terms: a *place* is a set of processors a thread may be bound to; a *resource* is a processor in
//! an explicit list. A list is kept as it was parsed and resolved when first needed, because
//! resolving reads the topology and most programs never bind threads.
//!
//! Sources: OpenMP 5.2, section 21.1.6 (OMP_PLACES); libgomp manual, GOMP_CPU_AFFINITY; LLVM OpenMP
//! documentation, KMP_AFFINITY.

mod parse;
mod resolve;

pub use parse::{cpu_affinity, places, proc_list};
pub use resolve::resolve;
pub use vicinity_alloc::topology::Level;

use std::fmt;

/// A place list that is not resolved yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlacesSpec {
    /// One place a hardware part, at most `count` of them.
    Abstract {
        level: Level,
        count: Option<u32>,
    },
    Explicit(Vec<PlaceInterval>),
    Ordered(Ordered),
}

/// `{...}:count:stride`: `count` places, each `stride` processors after the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceInterval {
    /// `!{...}`: the latest place equal to this one is taken out of the list.
    pub exclude: bool,
    pub resources: Vec<ResourceInterval>,
    pub count: u32,
    pub stride: i64,
}

/// `first:count:stride` inside a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceInterval {
    /// `!first`: this processor is taken out of what the place holds so far.
    pub exclude: bool,
    pub first: u32,
    pub count: u32,
    pub stride: i64,
}

/// Hardware threads in an order of `KMP_AFFINITY`; thread `i` of a team takes the `i`-th.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ordered {
    /// How many of the innermost levels (thread, core, socket) come first in the order, 0 to 2;
    /// 0 is compact, 2 is scatter.
    pub inner_first: u32,
    /// What is bound to: the part of this level that holds the hardware thread.
    pub granularity: Level,
    /// Places to skip at the start; they come last.
    pub offset: u32,
}

impl fmt::Display for PlacesSpec {
    /// As `OMP_PLACES` would have it.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlacesSpec::Abstract { level, count } => {
                write!(out, "{}", super::kinds::word_of(Level::WORDS, level))?;
                count.map_or(Ok(()), |count| write!(out, "({count})"))
            }
            PlacesSpec::Explicit(list) => separated(out, list),
            PlacesSpec::Ordered(ordered) => {
                let level = super::kinds::word_of(Level::WORDS, &ordered.granularity);
                let order = if ordered.inner_first == 0 { "compact" } else { "scattered" };
                write!(out, "{level}, {order}")
            }
        }
    }
}

impl fmt::Display for PlaceInterval {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{{", if self.exclude { "!" } else { "" })?;
        separated(out, &self.resources)?;
        write!(out, "}}")?;
        interval(out, self.count, self.stride)
    }
}

impl fmt::Display for ResourceInterval {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", if self.exclude { "!" } else { "" }, self.first)?;
        interval(out, self.count, self.stride)
    }
}

fn interval(out: &mut fmt::Formatter<'_>, count: u32, stride: i64) -> fmt::Result {
    match (count, stride) {
        (1, _) => Ok(()),
        (_, 1) => write!(out, ":{count}"),
        _ => write!(out, ":{count}:{stride}"),
    }
}

fn separated<T: fmt::Display>(out: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        write!(out, "{}{item}", if index == 0 { "" } else { "," })?;
    }
    Ok(())
}
