//! What a machine is made of, whoever describes it: the kernel's sysfs or hwloc.
//!
//! Terms: a *part* is a set of processors that belong together at a level. A *node* is a NUMA node: memory,
//! and the processors nearest to it; there are nodes without processors and nodes without memory.
//! Processors and nodes have the numbers the kernel, or the description, gives them.
//!
//! Units: bytes; distances in tenths of a local access.

use crate::os::CpuSet;

/// What a location is: the value of `VICINITY_LOCATIONS`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locations {
    #[default]
    NumaDomains,
    /// The processors that share a last-level cache.
    LlCaches,
    Cores,
}

impl Locations {
    pub const WORDS: &[(&str, Locations)] = &[
        ("numa_domains", Locations::NumaDomains),
        ("ll_caches", Locations::LlCaches),
        ("cores", Locations::Cores),
    ];
}

/// A level of parts, as `OMP_PLACES` names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Threads,
    Cores,
    LlCaches,
    NumaDomains,
    Sockets,
}

impl Level {
    pub const WORDS: &[(&str, Level)] = &[
        ("threads", Level::Threads),
        ("cores", Level::Cores),
        ("ll_caches", Level::LlCaches),
        ("numa_domains", Level::NumaDomains),
        ("sockets", Level::Sockets),
    ];
}

/// A NUMA node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub number: u32,
    /// Those that may be used.
    pub processors: CpuSet,
    /// There are no processors, whoever may use them.
    pub is_memory_only: bool,
    /// Of memory that may be used; 0 where there are only processors.
    pub memory_bytes: u64,
}

impl Node {
    /// Whether work or data is wanted there. Memory beside processors that may not be used is far from all that
    /// may.
    pub fn is_usable(&self) -> bool {
        !self.processors.is_empty() || (self.is_memory_only && self.memory_bytes > 0)
    }
}

/// A cache that holds data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// 1 is the nearest to a core.
    pub level: u32,
    pub bytes: u64,
    /// All that share it, also those that may not be used.
    pub processors: CpuSet,
}

/// A machine, asked piece by piece, because most programs need few of them.
pub trait Hardware {
    /// The parts of one level, neighbours next to each other, with the processors that may be used; parts
    /// without any do not appear.
    fn parts(&self, level: Level) -> Vec<CpuSet>;

    /// All nodes, by number.
    fn nodes(&self) -> Vec<Node>;

    /// Row by row, from each of these nodes to each; `None` where they are not known.
    fn node_distances(&self, nodes: &[Node]) -> Option<Vec<u16>>;

    /// The caches of a processor, the nearest first.
    fn caches(&self, cpu: u32) -> Vec<Cache>;

    /// The hardware threads of a processor's core, also those that may not be used.
    fn core_of(&self, cpu: u32) -> CpuSet;
}
