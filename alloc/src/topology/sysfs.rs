//! This machine, as the kernel's sysfs shows it.
//!
//! Where sysfs is silent (containers without it, unusual machines), a processor is a core of its own
//! and everything is one socket, one cache and one NUMA node.
//! Source: Linux `Documentation/ABI/stable/sysfs-devices-system-cpu` and `-node`; proc(5), `Mems_allowed_list`.

use super::hardware::{Cache, Hardware, Level, Node};
use crate::os::CpuSet;
use std::path::Path;

/// Reads a file; `None` when it cannot be read. A parameter, so that tests bring their own machine.
pub type Read<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Reads the files of the machine this process runs on.
pub fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(Path::new(path)).ok()
}

const NODES: &str = "/sys/devices/system/node";
const PROCESSORS: &str = "/sys/devices/system/cpu";

/// Whether there is one NUMA node at most: one small file tells.
pub fn is_one_node(read: Read) -> bool {
    node_list(read, "online").len() <= 1
}

/// The part of the machine this process may use.
pub struct Sysfs<'a> {
    read: Read<'a>,
    allowed: &'a CpuSet,
}

impl<'a> Sysfs<'a> {
    pub fn new(read: Read<'a>, allowed: &'a CpuSet) -> Sysfs<'a> {
        Sysfs { read, allowed }
    }

    pub fn sockets(&self) -> Vec<CpuSet> {
        const FILES: &[&str] = &["topology/package_cpus_list", "topology/core_siblings_list"];
        split(self.allowed, |cpu| self.cpu_list(cpu, FILES), |_| self.allowed.clone())
    }

    pub fn cores(&self, socket: &CpuSet) -> Vec<CpuSet> {
        split(socket, |cpu| self.siblings(cpu), |cpu| CpuSet::from_iter([cpu]))
    }

    fn siblings(&self, cpu: u32) -> Option<CpuSet> {
        self.cpu_list(cpu, &["topology/core_cpus_list", "topology/thread_siblings_list"])
    }

    fn last_caches(&self, socket: &CpuSet) -> Vec<CpuSet> {
        split(socket, |cpu| self.last_cache(cpu), |_| socket.clone())
    }

    /// The processors that share this processor's largest cache.
    fn last_cache(&self, cpu: u32) -> Option<CpuSet> {
        let (_, index) = self.cache_levels(cpu).map(|(index, level)| (level, index)).max()?;
        CpuSet::from_list(&self.cache_file(cpu, index, "shared_cpu_list")?)
    }

    /// Index and level of each of a processor's caches.
    fn cache_levels(&self, cpu: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0u32..).map_while(move |index| {
            let level = self.cache_file(cpu, index, "level")?.trim().parse().ok()?;
            Some((index, level))
        })
    }

    fn cache_file(&self, cpu: u32, index: u32, name: &str) -> Option<String> {
        (self.read)(&format!("{PROCESSORS}/cpu{cpu}/cache/index{index}/{name}"))
    }

    fn cache(&self, cpu: u32, index: u32, level: u32) -> Option<Cache> {
        let kind = self.cache_file(cpu, index, "type")?;
        let bytes = cache_bytes(&self.cache_file(cpu, index, "size")?)?;
        let processors = CpuSet::from_list(&self.cache_file(cpu, index, "shared_cpu_list")?)?;
        (kind.trim() != "Instruction").then_some(Cache { level, bytes, processors })
    }

    /// The first of these files of a processor that holds a list.
    fn cpu_list(&self, cpu: u32, files: &[&str]) -> Option<CpuSet> {
        files
            .iter()
            .filter_map(|file| (self.read)(&format!("{PROCESSORS}/cpu{cpu}/{file}")))
            .find_map(|list| CpuSet::from_list(&list))
    }

    fn node(&self, number: u32) -> Option<Node> {
        let list = (self.read)(&format!("{NODES}/node{number}/cpulist"))?;
        let all = CpuSet::from_list(&list)?;
        let processors = all.intersection(self.allowed);
        let memory = (self.read)(&format!("{NODES}/node{number}/meminfo"));
        let memory_bytes = memory.and_then(|text| memory_bytes(&text)).unwrap_or(0);
        Some(Node { number, processors, is_memory_only: all.is_empty(), memory_bytes })
    }

    /// What a machine is that says nothing of nodes, or contradicts itself.
    fn only_node(&self) -> Node {
        let memory = (self.read)("/proc/meminfo").and_then(|text| memory_bytes(&text));
        let memory_bytes = memory.unwrap_or(0);
        let processors = self.allowed.clone();
        Node { number: 0, processors, is_memory_only: false, memory_bytes }
    }

    fn numa_domains(&self) -> Vec<CpuSet> {
        let parts = self.nodes().into_iter().map(|node| node.processors);
        parts.filter(|processors| !processors.is_empty()).collect()
    }
}

impl Hardware for Sysfs<'_> {
    /// By socket, in it by core or cache.
    fn parts(&self, level: Level) -> Vec<CpuSet> {
        let in_sockets = |parts: &dyn Fn(&CpuSet) -> Vec<CpuSet>| {
            self.sockets().iter().flat_map(parts).collect::<Vec<_>>()
        };
        match level {
            Level::Sockets => self.sockets(),
            Level::NumaDomains => self.numa_domains(),
            Level::LlCaches => in_sockets(&|socket| self.last_caches(socket)),
            Level::Cores => in_sockets(&|socket| self.cores(socket)),
            Level::Threads => {
                let cores = in_sockets(&|socket| self.cores(socket));
                cores.iter().flat_map(CpuSet::iter).map(|cpu| CpuSet::from_iter([cpu])).collect()
            }
        }
    }

    fn nodes(&self) -> Vec<Node> {
        let usable = memory_nodes(self.read);
        let numbers = node_list(self.read, "online");
        let nodes = numbers.iter().filter_map(|number| self.node(number)).map(|node| Node {
            memory_bytes: if usable.contains(node.number) { node.memory_bytes } else { 0 },
            ..node
        });
        let nodes: Vec<Node> = nodes.collect();
        if nodes.iter().all(|node| node.processors.is_empty()) {
            return vec![self.only_node()];
        }
        nodes
    }

    fn node_distances(&self, nodes: &[Node]) -> Option<Vec<u16>> {
        // A row has a number for each node online, in the order of their numbers.
        let columns: Vec<u32> = node_list(self.read, "online").iter().collect();
        let row = |from: &Node| {
            let text = (self.read)(&format!("{NODES}/node{}/distance", from.number))?;
            let row: Vec<u16> =
                text.split_ascii_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
            let column = |to: &Node| columns.iter().position(|&number| number == to.number);
            nodes.iter().map(|to| row.get(column(to)?).copied()).collect::<Option<Vec<u16>>>()
        };
        let rows = nodes.iter().map(row).collect::<Option<Vec<_>>>();
        rows.map(|rows| rows.concat())
    }

    fn caches(&self, cpu: u32) -> Vec<Cache> {
        let caches = self.cache_levels(cpu);
        let mut caches: Vec<Cache> =
            caches.filter_map(|(index, level)| self.cache(cpu, index, level)).collect();
        caches.sort_by_key(|cache| cache.level);
        caches
    }

    fn core_of(&self, cpu: u32) -> CpuSet {
        let mut core = self.siblings(cpu).unwrap_or_default();
        core.insert(cpu);
        core
    }
}

/// Numbers of nodes, by one of the files that list them. They look like processor lists.
fn node_list(read: Read, file: &str) -> CpuSet {
    let list = read(&format!("{NODES}/{file}"));
    list.and_then(|list| CpuSet::from_list(&list)).unwrap_or_default()
}

/// The nodes whose memory this process may use; all, where the kernel does not say.
fn memory_nodes(read: Read) -> CpuSet {
    let status = read("/proc/self/status").unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("Mems_allowed_list:"));
    list.and_then(CpuSet::from_list).unwrap_or_else(|| node_list(read, "online"))
}

/// `Node 0 MemTotal:  32768 kB`, or without the node.
fn memory_bytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find(|line| line.contains("MemTotal:"))?;
    let kibibytes = line.split_ascii_whitespace().rev().nth(1)?;
    kibibytes.parse::<u64>().ok()?.checked_mul(1024)
}

/// `512K`, `32M`
fn cache_bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, unit) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(digits) => (digits, text.as_bytes()[digits.len()]),
        None => (text, b'B'),
    };
    let shift = match unit {
        b'K' => 10,
        b'M' => 20,
        b'G' => 30,
        _ => 0,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// Splits a set into groups, asking for the group of one processor of each; `otherwise` is used
/// where there is no answer.
fn split(
    whole: &CpuSet,
    group_of: impl Fn(u32) -> Option<CpuSet>,
    otherwise: impl Fn(u32) -> CpuSet,
) -> Vec<CpuSet> {
    let mut rest = whole.clone();
    let mut groups = Vec::new();
    while let Some(cpu) = rest.first() {
        let mut group = group_of(cpu).unwrap_or_else(|| otherwise(cpu)).intersection(&rest);
        // Whatever sysfs says, a processor is in its own group.
        group.insert(cpu);
        rest = rest.difference(&group);
        groups.push(group);
    }
    groups
}

#[cfg(test)]
#[path = "sysfs_tests.rs"]
mod tests;
