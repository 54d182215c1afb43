//! Repeats figures 3, 7, 9 and 11 of Muddukrishna, Jonsson, Brorsson 2015 by simulation.
//!
//!     cargo run --release -p vicinity-sim --example figures -- results/locality-simulated
//!
//! writes data.json, table.txt, a picture for each figure and gains.md (what the gains rest on) into the folder. Each bar is the
//! median of five seeds. Times are relative to work stealing with fine distribution.

mod chart;
mod suite;
mod why;

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use chart::{Chart, Group};
use serde_json::{Value, json};
use vicinity_policy::distribution::Distribution::{self, Coarse, Fine, Standard};
use vicinity_policy::presets;
use vicinity_policy::scheduler::Scheduler::{self, Locality, WorkStealing};
use vicinity_sim::engine::{Setup, simulate};
use vicinity_sim::machine::Machine;
use vicinity_sim::outcome::Outcome;
use vicinity_sim::program::Program;
use vicinity_sim::programs::{Input, Kind};

const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];

/// A bar: how it is run.
#[derive(Clone, Copy)]
struct Point {
    label: &'static str,
    scheduler: Scheduler,
    distribution: Distribution,
    reach: Option<u32>,
    to_the_letter: bool,
}

const fn point(label: &'static str, scheduler: Scheduler, distribution: Distribution) -> Point {
    Point { label, scheduler, distribution, reach: None, to_the_letter: false }
}

const POLICIES: [Point; 6] = [
    point("work stealing, standard", WorkStealing, Standard),
    point("work stealing, fine", WorkStealing, Fine),
    point("work stealing, coarse", WorkStealing, Coarse),
    point("locality, standard", Locality, Standard),
    point("locality, fine", Locality, Fine),
    point("locality, coarse", Locality, Coarse),
];

/// The paper's own rules, where ours may differ.
const LETTER: [Point; 5] = [
    point("work stealing, fine", WorkStealing, Fine),
    point("work stealing, coarse", WorkStealing, Coarse),
    letter("locality, standard", Standard),
    letter("locality, fine", Fine),
    letter("locality, coarse", Coarse),
];

const fn letter(label: &'static str, distribution: Distribution) -> Point {
    Point { to_the_letter: true, ..point(label, Locality, distribution) }
}

/// Vicinities of 1, 4, 8, 16 and all home caches.
fn vicinities(to_the_letter: bool) -> Vec<Point> {
    let sizes = [(1, "1"), (4, "4"), (8, "8"), (16, "16"), (63, "63")];
    let point = |(reach, label)| Point {
        label,
        scheduler: Locality,
        distribution: Coarse,
        reach: Some(reach),
        to_the_letter,
    };
    sizes.map(point).to_vec()
}

struct Figure {
    /// Also the name of its picture.
    name: &'static str,
    title: &'static str,
    machine: &'static str,
    programs: &'static [Kind],
    points: Vec<Point>,
}

fn figures() -> Vec<Figure> {
    let numa = &[Kind::Map, Kind::Jacobi, Kind::Matmul, Kind::SparseLu, Kind::Reduction];
    let many = &[Kind::Map, Kind::Reduction, Kind::Vecmul, Kind::SparseLu];
    vec![
        Figure {
            name: "figure7",
            title: "8-node Opteron: time relative to work stealing with fine distribution",
            machine: "opteron6172",
            programs: numa,
            points: POLICIES.to_vec(),
        },
        Figure {
            name: "figure9",
            title: "TILEPro64: time relative to work stealing with fine distribution",
            machine: "tilepro64",
            programs: many,
            points: POLICIES.to_vec(),
        },
        Figure {
            name: "figure11",
            title: "TILEPro64, locality with coarse: vicinity of 1, 4, 8, 16, 63 home caches",
            machine: "tilepro64",
            programs: many,
            points: vicinities(false),
        },
        Figure {
            name: "figure7-letter",
            title: "8-node Opteron, the paper's rules to the letter",
            machine: "opteron6172",
            programs: numa,
            points: LETTER.to_vec(),
        },
        Figure {
            name: "figure9-letter",
            title: "TILEPro64, the paper's rules to the letter",
            machine: "tilepro64",
            programs: many,
            points: LETTER.to_vec(),
        },
        Figure {
            name: "figure11-letter",
            title: "TILEPro64, the paper's rules to the letter: vicinities of 1, 4, 8, 16, 63",
            machine: "tilepro64",
            programs: many,
            points: vicinities(true),
        },
    ]
}

fn run(machine: &Machine, program: &Program, point: Point, seed: u64) -> Result<Outcome, String> {
    let Point { scheduler, distribution, reach, to_the_letter, .. } = point;
    let setup = Setup::new(machine, program, scheduler, distribution);
    let setup = Setup { reach, to_the_letter, seed, ..setup };
    simulate(&setup).map(|(outcome, _)| outcome).map_err(|stuck| stuck.to_string())
}

/// The outcome with the median makespan.
fn median(machine: &Machine, program: &Program, point: Point) -> Result<Outcome, String> {
    let outcomes = SEEDS.iter().map(|&seed| run(machine, program, point, seed));
    let mut outcomes = outcomes.collect::<Result<Vec<Outcome>, String>>()?;
    outcomes.sort_by_key(|outcome| outcome.makespan_ps);
    Ok(outcomes.swap_remove(SEEDS.len() / 2))
}

/// One figure: its chart, its part of the table, its data.
fn draw(figure: &Figure, table: &mut String) -> Result<(Chart, Value), Box<dyn Error>> {
    let preset = presets::named(figure.machine).ok_or("no such machine")?;
    let machine = Machine::new(preset);
    let mut groups = Vec::new();
    let mut data = Vec::new();
    writeln!(table, "{}: {}", figure.name, figure.title)?;
    for &kind in figure.programs {
        let input = Input { kind, size: kind.default_size(&machine), seed: SEEDS[0] };
        let program = input.program(&machine);
        let base = median(&machine, &program, POLICIES[1])?.makespan_ps as f64;
        writeln!(table, "  {}", program.title)?;
        let mut bars = Vec::new();
        for &point in &figure.points {
            let outcome = median(&machine, &program, point)?;
            let ratio = outcome.makespan_ps as f64 / base;
            let busy = outcome.total_busy_ps() as f64;
            writeln!(
                table,
                "    {:<26}{:>10.3} ms{:>8.3}{:>6.0} % local{:>5.0} % to distance{:>5.0} % to crowding",
                point.label,
                outcome.makespan_ps as f64 / 1e9,
                ratio,
                100.0 * outcome.local_share().unwrap_or(1.0),
                100.0 * outcome.lost_to_distance_ps as f64 / busy,
                100.0 * outcome.lost_to_crowding_ps as f64 / busy,
            )?;
            bars.push(ratio);
            data.push(json!({
                "program": kind.word(), "input": program.title, "point": point.label,
                "to_base": ratio, "makespan_ps": outcome.makespan_ps, "busy_ps": outcome.total_busy_ps(),
                "lost_to_distance_ps": outcome.lost_to_distance_ps,
                "lost_to_crowding_ps": outcome.lost_to_crowding_ps,
                "imbalance": outcome.imbalance(), "bytes_by_hops": outcome.bytes_by_hops,
                "stolen_by_hops": outcome.stolen_by_hops, "dealt": outcome.dealt,
                "ran_where_dealt": outcome.ran_where_dealt, "fingerprint": outcome.fingerprint,
            }));
        }
        groups.push(Group { label: kind.word(), bars });
    }
    writeln!(table)?;
    let labels = figure.points.iter().map(|point| point.label).collect();
    let chart = Chart { title: figure.title, labels, groups };
    let data = json!({"figure": figure.name, "machine": figure.machine, "runs": data});
    Ok((chart, data))
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: figures FOLDER")?;
    let folder = Path::new(&folder);
    let mut table = String::new();
    let mut data = Vec::new();
    for figure in figures() {
        let (chart, runs) = draw(&figure, &mut table)?;
        std::fs::write(folder.join(format!("{}.svg", figure.name)), chart.svg())?;
        data.push(runs);
    }
    std::fs::write(folder.join("figure3.svg"), suite::draw(&mut table)?.svg())?;
    std::fs::write(folder.join("gains.md"), why::gains()?)?;
    let data = json!({"base": "work stealing, fine", "seeds": SEEDS, "figures": data});
    std::fs::write(folder.join("data.json"), format!("{data:#}\n"))?;
    std::fs::write(folder.join("table.txt"), &table)?;
    print!("{table}");
    Ok(())
}
