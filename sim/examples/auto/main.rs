//! `OMP_DATA_DISTRIBUTION=auto` against other placements, for programs over memory that the master touched first.
//!
//! Prints the table of results/auto-simulated: each program for so many rounds as take five minutes with the best placement.

use std::fmt::Write;
use std::process::ExitCode;

use vicinity_policy::presets;
use vicinity_sim::loops::programs::*;
use vicinity_sim::loops::{Loops, Placing, Ran, run};
use vicinity_sim::machine::Machine;

const MACHINES: [&str; 4] = ["opteron6172", "epyc-nps4", "xeon-snc4", "arm-4node"];
const SEEDS: u64 = 3;
const MIB: u64 = 1 << 20;
const LASTING_PS: u64 = 300_000_000_000_000;

fn programs(machine: &Machine) -> Vec<Loops> {
    vec![
        stream(machine, 256 * MIB),
        stream_touched_in_parallel(machine, 256 * MIB),
        cg(machine, 1 << 21),
        jacobi(machine, 8192),
        compute(machine, 64 * MIB),
        weights(machine, 32, 128 * MIB, false),
        weights(machine, 32, 128 * MIB, true),
        alignment(machine, 4 * MIB),
        fft(machine, 256 * MIB),
        health(machine, 256 * MIB),
        sort(machine, 256 * MIB),
        sparse_lu(machine, 32, 256),
        strassen(machine, 128 * MIB),
        cholesky(machine, 32, 256),
        jacobi_tasks(machine, 8192),
    ]
}

/// The auto run of the median.
fn median(loops: &Loops, machine: &Machine, rounds: u64) -> Ran {
    let of = |seed| run(loops, machine, Placing::Auto, rounds, seed);
    let mut runs: Vec<Ran> = (1..=SEEDS).map(of).collect();
    runs.sort_by_key(|ran| ran.makespan_ps);
    runs.swap_remove(runs.len() / 2)
}

/// The first moment of a run from which on `is_good` holds at the end of each round, in seconds; where there is none, its end.
fn from_s(ran: &Ran, is_good: impl Fn(u64, u64) -> bool) -> f64 {
    let ends = ran.after_ps.iter().enumerate();
    let bad = ends.filter(|&(round, &ps)| !is_good(round as u64 + 1, ps)).last();
    bad.map_or(0.0, |(_, &ps)| ps as f64 / 1e12)
}

fn line(text: &mut String, machine: &Machine, loops: &Loops) {
    let round = |placing| run(loops, machine, placing, 1, 1).makespan_ps;
    let [first, fine, hand] = [Placing::FirstTouch, Placing::Fine, Placing::Hand].map(round);
    let best = first.min(fine).min(hand);
    let rounds = LASTING_PS.div_ceil(best);
    let auto = median(loops, machine, rounds);
    let s = |ps: u64| ps as f64 / 1e12;
    let _ = writeln!(
        text,
        "| {} | {} | {:.0} | {:.1} | {:.1} | {:.1} | {:.0}% | {:.1} | {} | {:.1} | {:.1} |",
        machine.name,
        loops.title,
        s(first * rounds),
        s(fine * rounds),
        s(hand * rounds),
        s(auto.makespan_ps),
        100.0 * (best * rounds) as f64 / auto.makespan_ps as f64,
        s(auto.moving_ps),
        auto.moved_bytes / MIB,
        from_s(&auto, |round, ps| ps * 4 <= best * round * 5),
        from_s(&auto, |round, ps| ps * 100 <= first * round * 103),
    );
}

/// A table that all read, as the program has it, round the locations, and with a copy at each.
fn copies(text: &mut String, machine: &Machine) {
    let ms = |copies, placing| {
        let loops = table(machine, 256 * MIB, copies);
        run(&loops, machine, placing, 1, 1).makespan_ps as f64 / 1e9
    };
    let [first, fine] = [Placing::FirstTouch, Placing::Fine].map(|placing| ms(false, placing));
    let own = ms(true, Placing::FirstTouch);
    let made_ms = (256 * MIB * (machine.topology.len() as u64 - 1)) as f64 / 1e6;
    let _ = writeln!(
        text,
        "| {} | {first:.0} | {fine:.0} | {own:.0} | {:.2} | {made_ms:.0} |",
        machine.name,
        own / fine
    );
}

fn main() -> ExitCode {
    let mut text = String::from(
        "| machine | program | as it is, s | fine, s | by hand, s | auto, s | of the best | moving, s | moved, MiB | 80% from, s | \
         no 3% behind from, s |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let named = MACHINES.iter().filter_map(|name| presets::named(name));
    let machines: Vec<Machine> = named.map(Machine::new).collect();
    for machine in &machines {
        programs(machine).iter().for_each(|loops| line(&mut text, machine, loops));
    }
    text += "\n| machine | table of 256 MiB as it is, ms | fine, ms | a copy at each location, ms | of fine | to make them, ms |\n\
             |---|---|---|---|---|---|\n";
    machines.iter().for_each(|machine| copies(&mut text, machine));
    use std::io::Write as _;
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
