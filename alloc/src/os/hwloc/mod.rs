//! Machines that are not here, described to hwloc: `HWLOC_SYNTHETIC` and `HWLOC_XMLFILE`.
//!
//! hwloc would read the two variables itself, but would not say when it does not understand them. A
//! description may be one of this machine (`HWLOC_THISSYSTEM=1`, which hwloc reads); then only what the process
//! may use of it counts.
//!
//! Source: hwloc 2.9 manual, "Synthetic topologies" and "Environment Variables". What hwlocality's documentation
//! does not say: a synthetic machine has no distances, and needs a level `pu`.

mod doors;

use super::CpuSet;
use super::cpu_set::MAX_PROCESSORS;
use crate::topology::{Cache, Hardware, Level, Node};
use hwlocality::Topology;
use hwlocality::object::TopologyObject;
use hwlocality::object::attributes::ObjectAttributes;
use hwlocality::object::distance::DistancesKind;
use hwlocality::object::types::{CacheType, ObjectType};
use std::fmt;
use std::path::PathBuf;

/// Where a machine is described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Description {
    /// In hwloc's notation: `numa:8 core:6 pu:1`.
    Synthetic(String),
    /// In a file, as `lstopo machine.xml` writes it.
    Xml(PathBuf),
}

impl fmt::Display for Description {
    /// The variable with its value, fit for one line.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN_CHARS: usize = 60;
        let (variable, value) = match self {
            Description::Synthetic(text) => ("HWLOC_SYNTHETIC", text.clone()),
            Description::Xml(path) => ("HWLOC_XMLFILE", path.display().to_string()),
        };
        let shown = value.chars().map(|c| if c.is_control() { ' ' } else { c });
        write!(out, "{variable}='{}'", shown.take(SHOWN_CHARS).collect::<String>())
    }
}

/// A machine as hwloc understood its description.
pub struct Described {
    topology: Topology,
    /// `None`: all of it.
    allowed: Option<CpuSet>,
}

impl Described {
    /// The error says in a few words what is wrong. `allowed`: what may be used, should it be this machine.
    pub fn load(description: &Description, allowed: &CpuSet) -> Result<Described, String> {
        doors::open()?;
        let understood = match description {
            Description::Synthetic(text) if processors_in(text) > u64::from(MAX_PROCESSORS) => {
                return Err(format!("more than {MAX_PROCESSORS} processors"));
            }
            Description::Synthetic(text) => Topology::builder()
                .from_synthetic(text)
                .ok()
                .and_then(|builder| builder.build().ok())
                .ok_or("not hwloc's notation, such as 'package:2 numa:2 core:4 pu:1'"),
            Description::Xml(path) => {
                std::fs::File::open(path).map_err(|error| error.to_string())?;
                Topology::builder()
                    .from_xml_file(path)
                    .ok()
                    .and_then(|builder| builder.build().ok())
                    .ok_or("not a file of hwloc's, such as lstopo writes")
            }
        };
        let topology = understood?;
        let allowed = topology.is_this_system().then(|| allowed.clone());
        Ok(Described { topology, allowed })
    }

    /// The same machine, of which only a part may be used, if it is not the one that this process runs on.
    pub fn limited_to(self, part: Option<&CpuSet>) -> Described {
        let allowed = self.allowed.or_else(|| part.cloned());
        Described { allowed, ..self }
    }

    /// Whether it is the machine that this process runs on.
    pub fn is_this_machine(&self) -> bool {
        self.topology.is_this_system()
    }

    fn objects(&self, kind: ObjectType) -> impl Iterator<Item = &TopologyObject> {
        self.topology.objects_with_type(kind)
    }

    fn thread(&self, cpu: u32) -> Option<&TopologyObject> {
        self.objects(ObjectType::PU).find(|thread| thread.os_index() == Some(cpu as usize))
    }

    /// Those of an object's processors that may be used.
    fn usable(&self, object: &TopologyObject) -> CpuSet {
        let all = processors(object);
        self.allowed.as_ref().map_or_else(|| all.clone(), |allowed| all.intersection(allowed))
    }

    fn last_caches(&self) -> Vec<CpuSet> {
        let mut parts: Vec<CpuSet> = Vec::new();
        for thread in self.objects(ObjectType::PU) {
            let last = thread.ancestors().filter(|above| data_cache(above).is_some()).last();
            let package = || thread.first_ancestor_with_type(ObjectType::Package);
            let part = self.usable(last.or_else(package).unwrap_or(self.topology.root_object()));
            if parts.last() != Some(&part) && !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts
    }
}

impl Hardware for Described {
    fn parts(&self, level: Level) -> Vec<CpuSet> {
        let kind = match level {
            Level::Threads => ObjectType::PU,
            Level::Cores => ObjectType::Core,
            Level::Sockets => ObjectType::Package,
            Level::LlCaches | Level::NumaDomains => ObjectType::NUMANode,
        };
        let parts: Vec<CpuSet> = match level {
            Level::LlCaches => self.last_caches(),
            Level::NumaDomains => self.nodes().into_iter().map(|node| node.processors).collect(),
            _ => self.objects(kind).map(|object| self.usable(object)).collect(),
        };
        let parts: Vec<CpuSet> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        match level {
            // A description may leave these levels out.
            Level::Cores if parts.is_empty() => self.parts(Level::Threads),
            Level::Sockets if parts.is_empty() => vec![self.usable(self.topology.root_object())],
            _ => parts,
        }
    }

    /// Where several nodes are nearest to the same processors, the first has them, and the others are memory.
    fn nodes(&self) -> Vec<Node> {
        let mut taken = CpuSet::new();
        let mut nodes: Vec<Node> = Vec::new();
        for object in self.objects(ObjectType::NUMANode) {
            let all = processors(object).difference(&taken);
            taken = taken.iter().chain(all.iter()).collect();
            let own = self.allowed.as_ref().map_or_else(|| all.clone(), |it| all.intersection(it));
            nodes.push(Node {
                number: object.os_index().and_then(|index| u32::try_from(index).ok()).unwrap_or(0),
                processors: own,
                is_memory_only: all.is_empty(),
                memory_bytes: object.total_memory(),
            });
        }
        nodes
    }

    fn node_distances(&self, nodes: &[Node]) -> Option<Vec<u16>> {
        let known = self.topology.distances_with_type(None, ObjectType::NUMANode).ok()?;
        let latency = known.iter().find(|it| it.kind().contains(DistancesKind::MEANS_LATENCY))?;
        let number = |object: Option<&TopologyObject>| object.and_then(TopologyObject::os_index);
        let columns: Vec<Option<usize>> = latency.objects().map(number).collect();
        let column = |node: &Node| columns.iter().position(|it| *it == Some(node.number as usize));
        let places = nodes.iter().map(column).collect::<Option<Vec<usize>>>()?;
        let pairs = places.iter().flat_map(|&from| places.iter().map(move |&to| (from, to)));
        let distance =
            |(from, to)| u16::try_from(*latency.distances().get(from * columns.len() + to)?).ok();
        pairs.map(distance).collect()
    }

    fn caches(&self, cpu: u32) -> Vec<Cache> {
        let above = self.thread(cpu).map(TopologyObject::ancestors);
        above.into_iter().flatten().filter_map(data_cache).collect()
    }

    fn core_of(&self, cpu: u32) -> CpuSet {
        let core = self.thread(cpu).and_then(|it| it.first_ancestor_with_type(ObjectType::Core));
        core.map_or_else(|| CpuSet::from_iter([cpu]), processors)
    }
}

/// How many processors a machine in hwloc's notation has: hwloc itself would take any number for good, and the
/// system's memory with it.
fn processors_in(text: &str) -> u64 {
    let counts = text.split_ascii_whitespace().filter_map(|level| {
        let count = level.split_once(':').map_or(level, |(_, count)| count);
        let (digits, radix) = count.strip_prefix("0x").map_or((count, 10), |hex| (hex, 16));
        let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
        (end > 0).then(|| u64::from_str_radix(&digits[..end], radix).unwrap_or(u64::MAX))
    });
    counts.fold(1, |all, count| all.saturating_mul(count.max(1)))
}

fn processors(object: &TopologyObject) -> CpuSet {
    let Some(set) = object.cpuset() else {
        return CpuSet::new();
    };
    // A set may be without end; what counts is where our sets end.
    let set = set.iter_set().take(MAX_PROCESSORS as usize);
    set.filter_map(|index| u32::try_from(usize::from(index)).ok()).collect()
}

fn data_cache(object: &TopologyObject) -> Option<Cache> {
    let Some(ObjectAttributes::Cache(cache)) = object.attributes() else {
        return None;
    };
    let is_data = cache.cache_type() != CacheType::Instruction;
    let bytes = cache.size().map_or(0, std::num::NonZeroU64::get);
    let level = cache.depth() as u32;
    is_data.then(|| Cache { level, bytes, processors: processors(object) })
}

#[cfg(test)]
mod tests;
