//! What the simulator says of recorded programs on the machine that was surveyed, setting by setting.

use vicinity_policy::distribution::Distribution;
use vicinity_policy::scheduler::Scheduler;
use vicinity_policy::topology::LocationId;
use vicinity_sim::advise::placing::Bench;
use vicinity_sim::advise::{LEAST_SAMPLES, regions, uses};
use vicinity_sim::engine::{Setup, simulate};
use vicinity_sim::machine::Machine;
use vicinity_sim::recorded;
use vicinity_sim::trace::Trace;
use vicinity_sim::trace::analysis::Analysis;

use super::file::Program;

/// Tasks with each scheduler and distribution, in virtual time, but for `auto`: what it samples there is not in the model.
pub fn tasks(program: &mut Program, (trace, _): (Trace, Analysis), machine: &Machine) {
    let as_recorded = recorded::program(&trace, machine);
    // The first thread fills all arrays, so by first touch they are where it is.
    let at_one = recorded::program_with_data(&trace, machine, Some(LocationId(0)));
    for run in &mut program.runs {
        let scheduler = Scheduler::WORDS.iter().find(|it| run.scheduler.as_deref() == Some(it.0));
        let distribution = run.distribution.as_deref().and_then(distribution);
        let modelled = distribution.filter(|&it| it != Distribution::Auto);
        let Some((scheduler, distribution)) = scheduler.zip(modelled) else { continue };
        let work = if distribution == Distribution::Standard { &at_one } else { &as_recorded };
        let setup = Setup::new(machine, work, scheduler.1, distribution);
        let simulated = simulate(&setup).ok();
        run.simulated_ms = simulated.map(|(outcome, _)| outcome.makespan_ps as f64 / 1e9);
    }
}

/// Loops with each distribution, by the model of `vicinity advise`, if the run was long enough to tell who touches what. It was
/// recorded with memory by first touch.
pub fn sweeps(program: &mut Program, (trace, analysis): (Trace, Analysis), machine: &Machine) {
    if trace.memory.samples.len() < LEAST_SAMPLES as usize {
        return;
    }
    let sites = regions::sites(&trace, &analysis.lanes);
    let uses = uses::uses(&trace, &sites, &analysis.lanes);
    let in_regions_ns: u64 = sites.sites.iter().map(|site| site.elapsed_ns()).sum();
    let as_it_was = vec![Distribution::Standard; uses.blocks.len()];
    let is_own = true;
    // Only the time of the loops is measured.
    let outcomes = Bench::new(&uses, machine, &as_it_was, is_own, 0).whole();
    let recorded_ms = in_regions_ns as f64 / 1e6;
    for run in &mut program.runs {
        let relative = match run.distribution.as_deref().and_then(distribution) {
            Some(Distribution::Standard) => Some(1.0),
            known => {
                outcomes.iter().find(|it| Some(it.distribution) == known).map(|it| it.relative)
            }
        };
        run.simulated_ms = relative.map(|relative| relative * recorded_ms);
    }
}

fn distribution(word: &str) -> Option<Distribution> {
    Distribution::WORDS.iter().find(|known| known.0 == word).map(|known| known.1)
}
