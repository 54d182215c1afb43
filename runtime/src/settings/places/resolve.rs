//! From a place list to processor sets on this machine.

use super::{Ordered, PlaceInterval, PlacesSpec, ResourceInterval};
use vicinity_alloc::os::CpuSet;
use vicinity_alloc::os::cpu_set::MAX_PROCESSORS;
use vicinity_alloc::topology::{Hardware, Read, Sysfs};

/// How many processor numbers one interval may expand to: absurd lists end soon.
const MAX_NUMBERS: u32 = 1 << 20;

/// The places that a list means, given the processors the process may use.
///
/// Processors that are not allowed are left out, and so are places in which nothing remains; an
/// empty answer means that there is nothing to bind to.
pub fn resolve(spec: &PlacesSpec, allowed: &CpuSet) -> Vec<CpuSet> {
    resolve_with(spec, allowed, &|path| std::fs::read_to_string(path).ok())
}

fn resolve_with(spec: &PlacesSpec, allowed: &CpuSet, read: Read) -> Vec<CpuSet> {
    let topology = Sysfs::new(read, allowed);
    match spec {
        PlacesSpec::Abstract { level, count } => {
            let mut places = topology.parts(*level);
            places.truncate(count.map_or(usize::MAX, |count| count as usize));
            places
        }
        PlacesSpec::Explicit(list) => explicit(list, allowed),
        PlacesSpec::Ordered(ordered) => in_order(ordered, &topology),
    }
}

/// Places in the order of the list. An exclusion takes out the latest place that is equal to it.
fn explicit(list: &[PlaceInterval], allowed: &CpuSet) -> Vec<CpuSet> {
    let mut places: Vec<CpuSet> = Vec::new();
    for interval in list {
        if interval.exclude {
            let excluded = to_set(&processors(&interval.resources), 0);
            if let Some(at) = places.iter().rposition(|place| *place == excluded) {
                places.remove(at);
            }
        } else {
            repeat(interval, allowed, &mut places);
        }
    }
    places.iter().map(|place| place.intersection(allowed)).filter(|it| !it.is_empty()).collect()
}

/// Appends the places of one interval, up to the end of the machine.
fn repeat(interval: &PlaceInterval, allowed: &CpuSet, into: &mut Vec<CpuSet>) {
    let first = processors(&interval.resources);
    let (Some(lowest), Some(highest)) = (first.iter().min(), first.iter().max()) else {
        return;
    };
    let end = allowed.iter().last().map_or(0, |last| i64::from(last) + 1);
    let affordable = MAX_NUMBERS / first.len() as u32;
    for step in 0..i64::from(interval.count.min(affordable)) {
        let shift = step * interval.stride;
        let beyond = interval.stride >= 0 && lowest + shift >= end;
        let below = interval.stride <= 0 && highest + shift < 0;
        if beyond || below {
            break;
        }
        into.push(to_set(&first, shift));
    }
}

fn to_set(cpus: &[i64], shift: i64) -> CpuSet {
    cpus.iter().filter_map(|cpu| u32::try_from(cpu + shift).ok()).collect()
}

/// The processor numbers of a place, as signed numbers so that strides may lead below zero.
fn processors(resources: &[ResourceInterval]) -> Vec<i64> {
    let mut cpus: Vec<i64> = Vec::new();
    for interval in resources {
        let first = i64::from(interval.first);
        if interval.exclude {
            cpus.retain(|&cpu| cpu != first);
        } else {
            let numbers = (0..i64::from(interval.count.min(MAX_PROCESSORS)))
                .map(|step| first + step * interval.stride)
                .take_while(|cpu| (0..i64::from(MAX_PROCESSORS)).contains(cpu));
            cpus.extend(numbers);
        }
    }
    cpus.sort_unstable();
    cpus.dedup();
    cpus
}

/// A hardware thread by its rank in each level, outermost first.
struct Ranked {
    /// Socket, core in the socket, thread in the core.
    ranks: [usize; 3],
    cpu: u32,
}

fn in_order(ordered: &Ordered, topology: &Sysfs) -> Vec<CpuSet> {
    let mut threads = Vec::new();
    for (socket_rank, socket) in topology.sockets().iter().enumerate() {
        for (core_rank, core) in topology.cores(socket).iter().enumerate() {
            threads.extend(core.iter().enumerate().map(|(thread_rank, cpu)| Ranked {
                ranks: [socket_rank, core_rank, thread_rank],
                cpu,
            }));
        }
    }
    threads.sort_by_key(|thread| order_key(thread.ranks, ordered.inner_first));
    let granules = topology.parts(ordered.granularity);
    let mut places: Vec<_> = threads
        .iter()
        .filter_map(|thread| granules.iter().find(|granule| granule.contains(thread.cpu)))
        .cloned()
        .collect();
    if !places.is_empty() {
        let offset = ordered.offset as usize % places.len();
        places.rotate_left(offset);
    }
    places
}

/// The innermost `inner_first` levels, innermost first, then the others, outermost first.
fn order_key(ranks: [usize; 3], inner_first: u32) -> [usize; 3] {
    let inner = (inner_first as usize).min(ranks.len() - 1);
    std::array::from_fn(
        |at| if at < inner { ranks[ranks.len() - 1 - at] } else { ranks[at - inner] },
    )
}

#[cfg(test)]
#[path = "resolve_tests.rs"]
mod tests;
