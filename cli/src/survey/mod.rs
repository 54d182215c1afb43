//! `vicinity survey`: what this machine's memory does, and what programs do with it under all settings, in one file that can be
//! passed on: `vicinity simulate --machine FILE` and `vicinity advise --machine FILE` know the machine from it.
//!
//! `probe` measures memory, `programs` runs the paper's programs and simulates them on the machine that `model` makes of what was
//! measured; `file` is what is written, `text` what is shown.

mod file;
pub mod model;
mod predict;
mod probe;
mod programs;
mod text;

use std::path::PathBuf;

use clap::Args;
use vicinity_alloc::os::memory;
use vicinity_alloc::topology::{Machine, Request};
use vicinity_bench::record;
use vicinity_output::{EXIT_DONE, EXIT_WRONG, exit_status, print, tell};

use crate::failure::Failure;
use file::Location;

pub const HELP: &str = concat!(
    "\
It takes some minutes; nothing else should run. The file names no host, user or path.

  vicinity survey machine.json
  vicinity survey --show machine.json other.json     # what is in such files
  vicinity simulate --machine machine.json --sweep   # on the machine that the file tells of
  vicinity advise run.json --machine machine.json

",
    exit_status!(
        "0    done"
        "1    done, but a program failed, ran out of time or gave a wrong result";
    )
);

/// The clock where the kernel does not tell it.
const USUAL_CLOCK_MHZ: u32 = 2500;

#[derive(Args)]
pub struct Survey {
    /// Where to write it; with --show, what to show
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Show files that were written before, and measure nothing
    #[arg(long, conflicts_with_all = ["memory_only", "quick"])]
    show: bool,

    /// Measure memory alone, and no programs: no compiler is needed
    #[arg(long)]
    memory_only: bool,

    /// Take seconds: with small memory and the smallest inputs, so that figures say little
    #[arg(long)]
    quick: bool,
}

impl Survey {
    /// The status to end with.
    pub fn execute(self) -> Result<u8, Failure> {
        if self.show {
            let read = |path: &PathBuf| file::Survey::read(path).map(|it| text::report(&it));
            let texts: Vec<String> = self.files.iter().map(read).collect::<Result<_, _>>()?;
            print(&texts.join("\n"))?;
            return Ok(EXIT_DONE);
        }
        let [path] = self.files.as_slice() else {
            return Err(Failure::usage("a survey is written to one FILE; --show takes several"));
        };
        let (mut survey, mut all_ran) = (self.of_memory(), true);
        // What cannot be written is said before minutes have gone by.
        survey.write(path)?;
        if !self.memory_only {
            let model = model::of(&survey).map_err(Failure::own)?;
            (survey.programs, all_ran) = programs::measure(&model, self.quick)?;
            survey.write(path)?;
        }
        print(&text::report(&survey))?;
        tell(format!("survey: wrote {}", path.display()));
        Ok(if all_ran { EXIT_DONE } else { EXIT_WRONG })
    }

    fn of_memory(&self) -> file::Survey {
        let load_before = record::load_average();
        let machine = Machine::find(&Request::default());
        file::Survey {
            format: file::FORMAT,
            version: env!("CARGO_PKG_VERSION").to_string(),
            memory: probe::memory(&machine, self.quick),
            machine: described(&machine, load_before),
            programs: Vec::new(),
        }
    }
}

fn described(machine: &Machine, load_before: Option<f64>) -> file::Machine {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let caches = machine.cache_sizes();
    let topology = &machine.topology;
    let row = |from| topology.locations().map(|to| topology.distance(from, to)).collect();
    file::Machine {
        processor: record::processor_model(&cpuinfo).unwrap_or_else(|| "unknown".into()),
        clock_mhz: probe::clock_mhz(&cpuinfo).unwrap_or(USUAL_CLOCK_MHZ),
        last_cache_bytes: caches.last_level_bytes,
        last_cache_per_core_bytes: caches.last_level_per_core_bytes,
        private_cache_bytes: caches.private_bytes,
        page_bytes: memory::page_size() as u64,
        distances_from: machine.distances_from.clone(),
        locations: (machine.locations.iter())
            .map(|place| Location {
                processors: place.processors.len(),
                memory_bytes: place.memory_bytes,
            })
            .collect(),
        distances: topology.locations().map(row).collect(),
        load_before,
    }
}
