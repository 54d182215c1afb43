//! The machine's parts as sysfs shows them: sockets, cores, caches and NUMA domains as processor sets.
//!
//! Where sysfs is silent (containers without it, unusual machines), a processor is a core of its own
//! and everything is one socket, one cache and one NUMA domain.
//! Source: Linux `Documentation/ABI/stable/sysfs-devices-system-cpu` and `-node`.

use super::Level;
use vicinity_alloc::os::CpuSet;

/// Reads a file; `None` when it cannot be read. A parameter, so that tests bring their own machine.
pub type Read<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The part of the machine this process may use.
pub struct Topology<'a> {
    read: Read<'a>,
    allowed: &'a CpuSet,
}

impl<'a> Topology<'a> {
    pub fn new(read: Read<'a>, allowed: &'a CpuSet) -> Topology<'a> {
        Topology { read, allowed }
    }

    /// The parts of one level, neighbours next to each other: by socket, in it by core or cache.
    /// Parts without an allowed processor do not appear.
    pub fn parts(&self, level: Level) -> Vec<CpuSet> {
        match level {
            Level::Sockets => self.sockets(),
            Level::NumaDomains => self.numa_domains(),
            Level::LlCaches => self.sockets().iter().flat_map(|part| self.caches(part)).collect(),
            Level::Cores => self.sockets().iter().flat_map(|part| self.cores(part)).collect(),
            Level::Threads => {
                let cores = self.parts(Level::Cores);
                cores.iter().flat_map(CpuSet::iter).map(|cpu| CpuSet::from_iter([cpu])).collect()
            }
        }
    }

    pub fn sockets(&self) -> Vec<CpuSet> {
        const FILES: &[&str] = &["topology/package_cpus_list", "topology/core_siblings_list"];
        split(self.allowed, |cpu| self.cpu_list(cpu, FILES), |_| self.allowed.clone())
    }

    pub fn cores(&self, socket: &CpuSet) -> Vec<CpuSet> {
        const FILES: &[&str] = &["topology/core_cpus_list", "topology/thread_siblings_list"];
        split(socket, |cpu| self.cpu_list(cpu, FILES), |cpu| CpuSet::from_iter([cpu]))
    }

    fn caches(&self, socket: &CpuSet) -> Vec<CpuSet> {
        split(socket, |cpu| self.last_cache(cpu), |_| socket.clone())
    }

    /// The processors that share this processor's largest cache.
    fn last_cache(&self, cpu: u32) -> Option<CpuSet> {
        let file = |index: u32, name: &str| {
            (self.read)(&format!("/sys/devices/system/cpu/cpu{cpu}/cache/index{index}/{name}"))
        };
        let (_, index) = (0u32..)
            .map_while(|index| Some((file(index, "level")?.trim().parse::<u32>().ok()?, index)))
            .max()?;
        CpuSet::from_list(&file(index, "shared_cpu_list")?)
    }

    fn numa_domains(&self) -> Vec<CpuSet> {
        let nodes = (self.read)("/sys/devices/system/node/online");
        let nodes = nodes.and_then(|list| CpuSet::from_list(&list)).unwrap_or_default();
        let domains: Vec<_> = nodes
            .iter()
            .filter_map(|node| (self.read)(&format!("/sys/devices/system/node/node{node}/cpulist")))
            .filter_map(|list| CpuSet::from_list(&list))
            .map(|domain| domain.intersection(self.allowed))
            .filter(|domain| !domain.is_empty())
            .collect();
        if domains.is_empty() && !self.allowed.is_empty() {
            return vec![self.allowed.clone()];
        }
        domains
    }

    /// The first of these files of a processor that holds a list.
    fn cpu_list(&self, cpu: u32, files: &[&str]) -> Option<CpuSet> {
        files
            .iter()
            .filter_map(|file| (self.read)(&format!("/sys/devices/system/cpu/cpu{cpu}/{file}")))
            .find_map(|list| CpuSet::from_list(&list))
    }
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
