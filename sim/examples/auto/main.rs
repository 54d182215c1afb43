//! `OMP_DATA_DISTRIBUTION=auto` against other placements, for loops over memory that the master touched first.
//!
//! Prints the table of results/auto-simulated.

use std::fmt::Write;
use std::process::ExitCode;

use vicinity_policy::presets;
use vicinity_sim::loops::{Loops, Placing, cg, compute, jacobi, run, stream};
use vicinity_sim::machine::Machine;

const MACHINES: [&str; 4] = ["opteron6172", "epyc-nps4", "xeon-snc4", "arm-4node"];
const SEEDS: u64 = 5;
const MIB: u64 = 1 << 20;

fn programs(machine: &Machine) -> Vec<Loops> {
    vec![
        stream(machine, 256 * MIB, 500),
        stream(machine, 256 * MIB, 5000),
        cg(machine, 1 << 21, 500),
        cg(machine, 1 << 21, 5000),
        jacobi(machine, 8192, 300),
        jacobi(machine, 8192, 3000),
        compute(machine, 64 * MIB, 3000),
    ]
}

fn line(text: &mut String, machine: &str, loops: &Loops, preset: &Machine) {
    let median = |placing| {
        let mut runs: Vec<_> = (1..=SEEDS).map(|seed| run(loops, preset, placing, seed)).collect();
        runs.sort_by_key(|ran| ran.makespan_ps);
        runs[runs.len() / 2]
    };
    let [master, fine, hand] =
        [Placing::Master, Placing::Fine, Placing::Hand].map(|it| median(it).makespan_ps as f64);
    let auto = median(Placing::Auto);
    let best = hand.min(fine);
    let _ = writeln!(
        text,
        "| {machine} | {}, {} rounds | {:.2} | {:.2} | {:.2} | {:.2} | {:.0}% | {:.1}% | {} |",
        loops.title,
        loops.rounds,
        master / 1e12,
        fine / 1e12,
        hand / 1e12,
        auto.makespan_ps as f64 / 1e12,
        100.0 * best / auto.makespan_ps as f64,
        100.0 * auto.moving_ps as f64 / auto.makespan_ps as f64,
        auto.moved_bytes / MIB,
    );
}

fn main() -> ExitCode {
    let mut text = String::from(
        "| machine | program | master first, s | fine, s | by hand, s | auto, s | of the best | moving | moved, MiB |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for name in MACHINES {
        let Some(preset) = presets::named(name) else { continue };
        let machine = Machine::new(preset);
        programs(&machine).iter().for_each(|loops| line(&mut text, name, loops, &machine));
    }
    use std::io::Write as _;
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
