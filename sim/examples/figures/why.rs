//! What the gains rest on: with what the advised setting is compared, and how much a core computes between its accesses.

use std::fmt::Write;

use vicinity_policy::distribution::Distribution::{Coarse, Fine, Standard};
use vicinity_policy::presets;
use vicinity_policy::scheduler::Scheduler::{Locality, WorkStealing};
use vicinity_sim::machine::Machine;
use vicinity_sim::programs::{Input, Kind};

use crate::{Point, median, point};

/// Programs with the machine and what is advised there.
const PROGRAMS: [(&str, Kind, Point); 8] = [
    ("opteron6172", Kind::Map, point("", Locality, Coarse)),
    ("opteron6172", Kind::Matmul, point("", Locality, Coarse)),
    ("opteron6172", Kind::Jacobi, point("", Locality, Fine)),
    ("opteron6172", Kind::Reduction, point("", Locality, Fine)),
    ("tilepro64", Kind::Map, point("", Locality, Coarse)),
    ("tilepro64", Kind::Vecmul, point("", Locality, Coarse)),
    ("tilepro64", Kind::SparseLu, point("", Locality, Coarse)),
    ("tilepro64", Kind::Reduction, point("", Locality, Fine)),
];
/// How many times as fast computation is.
const SPEEDS: [u32; 4] = [1, 2, 4, 1000];

/// A table: the time saved by what is advised.
pub fn gains() -> Result<String, String> {
    let mut text = String::from(
        "| machine | program | computation | of standard data, % | of fine, % | of coarse, % |\n|---|---|---|---|---|---|\n",
    );
    for (name, kind, advised) in PROGRAMS {
        for speed in SPEEDS {
            let machine = Machine::new(presets::named(name).ok_or("no such machine")?);
            let clock_mhz = machine.clock_mhz * speed;
            let machine = machine.with_clock(clock_mhz);
            let input = Input { kind, size: kind.default_size(&machine), seed: 1 };
            let program = input.program(&machine);
            let best = median(&machine, &program, advised)?.makespan_ps as f64;
            let mut saved = Vec::new();
            for distribution in [Standard, Fine, Coarse] {
                let base = point("", WorkStealing, distribution);
                let base = median(&machine, &program, base)?.makespan_ps as f64;
                saved.push(format!("{:.0}", 100.0 * (1.0 - best / base)));
            }
            let how = match speed {
                1 => "as assumed".to_string(),
                1000 => "none".to_string(),
                _ => format!("1/{speed}"),
            };
            // Writing into a string cannot fail.
            let _ = writeln!(text, "| {name} | {} | {how} | {} |", kind.word(), saved.join(" | "));
        }
    }
    Ok(text)
}
