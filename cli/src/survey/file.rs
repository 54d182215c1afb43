//! The file of a survey: what was measured on a machine. It names nobody: no host, no user, no path, no variable.
//!
//! Units: bytes, nanoseconds, milliseconds, megabytes (10^6 bytes) a second; distances in tenths of a local access. Matrices
//! have a row for each location's processors and a column for each location's memory; a location without processors has an
//! empty row.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// Changes when a field changes its meaning.
pub const FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Survey {
    pub format: u32,
    /// Of Vicinity.
    pub version: String,
    pub machine: Machine,
    pub memory: Memory,
    /// None where memory alone was measured.
    pub programs: Vec<Program>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's model, as the kernel has it.
    pub processor: String,
    pub clock_mhz: u32,
    /// One last-level cache.
    pub last_cache_bytes: u64,
    /// A core's part of it.
    pub last_cache_per_core_bytes: u64,
    pub private_cache_bytes: u64,
    pub page_bytes: u64,
    /// Who says the distances, in words.
    pub distances_from: String,
    pub locations: Vec<Location>,
    pub distances: Vec<Vec<u16>>,
    /// Runnable threads of the minute before, by what else was going on; none where the system does not say.
    pub load_before: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Location {
    pub processors: u32,
    pub memory_bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Each buffer that was read.
    pub buffer_bytes: u64,
    /// One access after the other by one processor.
    pub latency_ns: Vec<Vec<f64>>,
    /// Read by all processors of a location.
    pub read_mb_per_s: Vec<Vec<f64>>,
    /// Read by one processor from the nearest memory.
    pub one_processor_mb_per_s: f64,
    /// Read by all processors of all locations, each from the memory of its own.
    pub together_mb_per_s: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    pub name: String,
    pub threads: usize,
    pub runs: Vec<Run>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub contender: String,
    /// Both none on other runtimes than Vicinity.
    pub scheduler: Option<String>,
    pub distribution: Option<String>,
    /// None if it failed.
    pub median_ms: Option<f64>,
    pub least_ms: Option<f64>,
    pub most_ms: Option<f64>,
    /// The same tasks, as a trace has them, simulated on this machine.
    pub simulated_ms: Option<f64>,
}

impl Survey {
    pub fn read(path: &Path) -> Result<Survey, Failure> {
        let wrong = |why: String| Failure::own(format!("{}: {why}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        Survey::parse(&text).map_err(|why| wrong(format!("is not a survey: {why}")))
    }

    fn parse(text: &str) -> Result<Survey, String> {
        let survey: Survey = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if survey.format != FORMAT {
            return Err(format!("its format is {}, this version reads {FORMAT}", survey.format));
        }
        let locations = &survey.machine.locations;
        let matrices = [&survey.memory.latency_ns, &survey.memory.read_mb_per_s];
        let fits = |rows: &Vec<Vec<f64>>| {
            let full = |(row, at): (&Vec<f64>, &Location)| {
                row.len() == if at.processors == 0 { 0 } else { locations.len() }
                    && row.iter().all(|value| value.is_finite() && *value > 0.0)
            };
            rows.len() == locations.len() && rows.iter().zip(locations).all(full)
        };
        let square = |rows: &Vec<Vec<u16>>| {
            rows.len() == locations.len() && rows.iter().all(|row| row.len() == locations.len())
        };
        if !matrices.into_iter().all(fits) || !square(&survey.machine.distances) {
            return Err("a matrix does not have a value for each pair of locations".into());
        }
        Ok(survey)
    }

    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(self).map_err(|error| error.to_string());
        let written = text
            .and_then(|text| std::fs::write(path, text + "\n").map_err(|error| error.to_string()));
        written.map_err(|why| Failure::own(format!("{}: cannot be written: {why}", path.display())))
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Two locations of four processors, and one that is memory alone.
    pub fn example() -> Survey {
        let location = |processors| Location { processors, memory_bytes: 8 << 30 };
        Survey {
            format: FORMAT,
            version: "0.1.0".into(),
            machine: Machine {
                processor: "Fast One".into(),
                clock_mhz: 3000,
                last_cache_bytes: 32 << 20,
                last_cache_per_core_bytes: 8 << 20,
                private_cache_bytes: 512 << 10,
                page_bytes: 4096,
                distances_from: "the firmware".into(),
                locations: vec![location(4), location(4), location(0)],
                distances: vec![vec![10, 20, 30], vec![20, 10, 30], vec![30, 30, 10]],
                load_before: Some(0.1),
            },
            memory: Memory {
                buffer_bytes: 64 << 20,
                latency_ns: vec![vec![100.0, 150.0, 300.0], vec![150.0, 90.0, 310.0], vec![]],
                read_mb_per_s: vec![
                    vec![40_000.0, 20_000.0, 10_000.0],
                    vec![22_000.0, 40_000.0, 10_000.0],
                    vec![],
                ],
                one_processor_mb_per_s: 12_800.0,
                together_mb_per_s: 80_000.0,
            },
            programs: Vec::new(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let text = serde_json::to_string(&example()).unwrap();
        assert_eq!(Survey::parse(&text), Ok(example()));
    }

    #[test]
    fn broken_files_are_told_by_what_is_wrong() {
        let with = |change: fn(&mut Survey)| {
            let mut survey = example();
            change(&mut survey);
            Survey::parse(&serde_json::to_string(&survey).unwrap()).unwrap_err()
        };
        assert!(with(|it| it.format = 9).contains("format is 9"));
        assert!(with(|it| it.memory.latency_ns[2].push(1.0)).contains("matrix"));
        assert!(with(|it| it.memory.read_mb_per_s[0][1] = 0.0).contains("matrix"));
        assert!(with(|it| _ = it.machine.distances.pop()).contains("matrix"));
        assert!(Survey::parse("{}").unwrap_err().contains("format"));
    }
}
