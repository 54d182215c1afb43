//! The machine that a trace describes, completed where it says less than its events use.

use vicinity_policy::topology::{LOCAL, Topology};

use super::error::Error;
use super::event;
use super::model::Location;

/// Distance to another location where the trace tells none: the one Linux assumes.
const REMOTE: u16 = 20;
/// Most locations: distances take the square of it. There are machines with 2,048 cores.
const LOCATIONS_MAX: usize = 4096;
/// Most locations that a trace may name and not describe.
const UNTOLD_MAX: usize = 256;

/// `used`: one past the greatest location that events name.
pub fn machine(
    described: event::Topology,
    used: usize,
) -> Result<(Vec<Location>, Topology), Error> {
    let told = described.locations.len();
    if used > told.max(UNTOLD_MAX) || told > LOCATIONS_MAX {
        return Err(Error::Location { used, told });
    }
    let mut locations: Vec<Location> = described
        .locations
        .into_iter()
        .map(|location| Location { name: location.name, cores: location.cores.len() as u32 })
        .collect();
    for number in told..used.max(1) {
        locations.push(Location { name: format!("location {number}"), cores: 0 });
    }
    let count = locations.len();
    let distances = if described.distances.is_empty() || told < count {
        let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
        pairs.map(|(from, to)| if from == to { LOCAL } else { REMOTE }).collect()
    } else {
        described.distances.concat()
    };
    let cores = locations.iter().map(|location| location.cores).collect();
    let topology = Topology::new(cores, distances, 0).map_err(Error::Topology)?;
    Ok((locations, topology))
}
