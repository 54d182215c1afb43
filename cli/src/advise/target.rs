//! The machine that advice is for: one by name, or the one that was traced.
//!
//! Of the latter the trace knows locations and distances, not latency and bandwidth: those are assumed, by the core as the machines
//! of today have them (`policy::presets`): 100 ns, 3.2 GB/s a core, links with two thirds of that.

use vicinity_policy::presets::{Preset, Wires};
use vicinity_sim::machine::Machine;
use vicinity_sim::trace::Trace;

use crate::failure::Failure;
use crate::survey::model;

const LOCAL_LATENCY_NS: u32 = 100;
const MB_PER_S_OF_CORE: u32 = 3200;
/// Fewer cores than a memory channel serves ask for this all the same.
const LEAST_MB_PER_S: u32 = 12_800;

pub struct Target {
    pub machine: Machine,
    /// It is the one that was traced.
    pub is_own: bool,
}

impl Target {
    /// The machine of this name or file, or of the trace.
    pub fn of(trace: &Trace, name: Option<&str>) -> Result<Target, Failure> {
        let machine = name.map_or_else(|| Ok(Machine::new(own(trace))), model::machine)?;
        Ok(Target { machine, is_own: name.is_none() })
    }

    /// Memory has one place, so there is nothing to choose.
    pub fn is_flat(&self) -> bool {
        self.machine.topology.len() < 2
    }
}

fn own(trace: &Trace) -> Preset {
    let topology = trace.topology.clone();
    let locations = || topology.locations();
    let cores = locations().map(|at| topology.threads(at)).max().unwrap_or(1);
    let farthest = locations()
        .flat_map(|from| locations().map(move |to| (from, to)))
        .map(|(from, to)| topology.hops(from, to))
        .max()
        .unwrap_or(0);
    let memory_mb_per_s = (cores * MB_PER_S_OF_CORE).max(LEAST_MB_PER_S);
    Preset {
        name: "traced",
        title: "the machine of the trace; latency and bandwidth are assumed",
        clock_mhz: 2500,
        last_cache_bytes: 32 << 20,
        private_cache_bytes: 512 << 10,
        local_latency_ns: LOCAL_LATENCY_NS,
        memory_mb_per_s,
        link_mb_per_s: vec![memory_mb_per_s / 3 * 2; farthest.max(1) as usize],
        wires: Wires::Ports,
        misses_in_flight: 16,
        behind: None,
        topology,
    }
}
