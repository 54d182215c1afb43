//! A machine to simulate: one by name, or one that somebody surveyed.

use std::path::Path;

use vicinity_policy::presets::{self, Preset, Wires};
use vicinity_policy::topology::{LocationId, Topology};
use vicinity_sim::machine::{LINE_BYTES, LINK_EFFICIENCY, Machine};

use super::file::Survey;
use crate::failure::Failure;

/// What `--machine` takes.
pub const VALUE: &str = "NAME|FILE";

/// The machine of this name, or of the survey in this file.
pub fn machine(name: &str) -> Result<Machine, Failure> {
    if let Some(preset) = presets::named(name) {
        return Ok(Machine::new(preset));
    }
    let path = Path::new(name);
    if !path.exists() {
        let known = presets::names().collect::<Vec<_>>().join(", ");
        return Err(Failure::usage(format!(
            "--machine {name}: no machine is called so, and there is no such file of `vicinity survey`; known are {known}"
        )));
    }
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let model = of(&Survey::read(path)?);
    let mut model = model.map_err(|why| Failure::own(format!("{name}: {why}")))?;
    model.name = stem.unwrap_or_default();
    Ok(model)
}

/// The machine of a survey; the error says why it cannot be simulated.
pub fn of(survey: &Survey) -> Result<Machine, String> {
    let (machine, memory) = (&survey.machine, &survey.memory);
    let threads: Vec<u32> = machine.locations.iter().map(|it| it.processors).collect();
    let processors: u32 = threads.iter().sum();
    let cache_bytes = machine.last_cache_per_core_bytes;
    let distances = machine.distances.concat();
    let topology = Topology::new(threads, distances, cache_bytes).map_err(|it| it.to_string())?;
    let own = |rows: &[Vec<f64>]| {
        let own = rows.iter().enumerate().filter_map(|(at, row)| row.get(at).copied());
        mean(own).ok_or("no location has both processors and memory")
    };
    let local_ns = own(&memory.latency_ns)?;
    let memory_mb_per_s = own(&memory.read_mb_per_s)? as u32;
    // Little's law: what is under way is what arrives in the time that it takes.
    let in_flight = memory.one_processor_mb_per_s * local_ns / 1000.0 / LINE_BYTES as f64;
    let preset = Preset {
        name: "surveyed",
        title: "",
        clock_mhz: machine.clock_mhz,
        last_cache_bytes: cache_bytes * u64::from(processors) / machine.locations.len() as u64,
        private_cache_bytes: machine.private_cache_bytes,
        local_latency_ns: local_ns as u32,
        memory_mb_per_s,
        link_mb_per_s: links(survey, &topology, memory_mb_per_s),
        wires: Wires::Ports,
        misses_in_flight: (in_flight.round() as u32).max(1),
        behind: None,
        topology,
    };
    let title =
        format!("{}: {} locations, as surveyed", machine.processor, machine.locations.len());
    let measured =
        |from: LocationId, to: LocationId| memory.latency_ns[from.index()].get(to.index()).copied();
    let mut model = Machine::new(preset).with_latencies(measured);
    model.title = title;
    Ok(model)
}

/// What links carry, by hops: what arrived over them, and what that travels with.
fn links(survey: &Survey, topology: &Topology, otherwise: u32) -> Vec<u32> {
    let pairs = || topology.locations().flat_map(|a| topology.locations().map(move |b| (a, b)));
    let farthest = pairs().map(|(a, b)| topology.hops(a, b)).max().unwrap_or(0).max(1);
    let (useful, all) = LINK_EFFICIENCY;
    let of_hops = |hops| {
        let far = pairs().filter(|&(from, to)| topology.hops(from, to) == hops);
        let rows = &survey.memory.read_mb_per_s;
        let arrived = far.filter_map(|(from, to)| rows[from.index()].get(to.index()).copied());
        mean(arrived).map_or(otherwise, |mb| (mb * all as f64 / useful as f64) as u32)
    };
    (1..=farthest).map(of_hops).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::file::tests::example;

    #[test]
    fn a_surveyed_machine_has_what_was_measured() {
        let machine = of(&example()).unwrap();
        let l = LocationId;
        assert_eq!(machine.topology.threads(l(2)), 0);
        assert_eq!(machine.latency_ps(l(0), l(0)), 100_000);
        assert_eq!(machine.latency_ps(l(1), l(2)), 310_000);
        // Nobody is there who could measure: by distance.
        assert_eq!(machine.latency_ps(l(2), l(0)), 95_000 * 3);
        assert_eq!(machine.capacity()[0], 40_000);
        // Two ways of 21,000 MB a second on average, and what 10,000 arrived over.
        let link =
            |memory, cores| machine.capacity()[machine.route(l(memory), l(cores))[0] as usize];
        assert!((20_999..=21_000).contains(&link(0, 1)), "{}", link(0, 1));
        assert_eq!(link(2, 1), 10_000);
        assert_eq!(machine.misses_in_flight, 19);
    }

    #[test]
    fn machines_that_make_no_sense_are_refused() {
        let mut survey = example();
        survey.machine.distances[0][1] = 5;
        assert!(of(&survey).unwrap_err().contains("not nearer to itself"));
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let failure = machine("epic").unwrap_err();
        assert!(format!("{failure:?}").contains("epyc-nps4"), "{failure:?}");
    }
}
