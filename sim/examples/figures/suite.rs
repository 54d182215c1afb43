//! Figure 3: programs of the Barcelona suite with pages round the nodes, relative to first touch, under work stealing.

use std::error::Error;
use std::fmt::Write;

use vicinity_policy::presets;
use vicinity_sim::loops::programs::{alignment, fft, health, sort, sparse_lu, strassen};
use vicinity_sim::loops::{Loops, Placing, run};
use vicinity_sim::machine::Machine;

use crate::chart::{Chart, Group};

const MIB: u64 = 1 << 20;

pub fn draw(table: &mut String) -> Result<Chart, Box<dyn Error>> {
    let machine = Machine::new(presets::named("opteron6172").ok_or("no such machine")?);
    let title = "8-node Opteron, work stealing: pages round the nodes, relative to first touch";
    let programs: [(&str, Loops); 6] = [
        ("alignment", alignment(&machine, 4 * MIB)),
        ("fft", fft(&machine, 256 * MIB)),
        ("health", health(&machine, 256 * MIB)),
        ("sort", sort(&machine, 256 * MIB)),
        ("sparselu", sparse_lu(&machine, 32, 256)),
        ("strassen", strassen(&machine, 128 * MIB)),
    ];
    writeln!(table, "figure3: {title}")?;
    let mut groups = Vec::new();
    for (label, program) in programs {
        let ps = |placing| run(&program, &machine, placing, 1, 1).makespan_ps as f64;
        let ratio = ps(Placing::Fine) / ps(Placing::FirstTouch);
        writeln!(table, "  {:<40}{ratio:>8.3}", program.title)?;
        groups.push(Group { label, bars: vec![1.0, ratio] });
    }
    writeln!(table)?;
    Ok(Chart { title, labels: vec!["first touch", "fine"], groups })
}
