//! A description of a program for people: loop by loop what was decided and why, with the source's lines.

pub mod advice;
pub mod describe;
pub(crate) mod notes;

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::front::units::Place;
use crate::program::patience::LARGE_INSTRUCTIONS;
use crate::report::describe::{Access, ArgumentText, Kernel, Less, Program, Range, Term};
use crate::vector::facts::classes::Shares;

/// How much of a source line is shown.
const SHOWN_CHARACTERS: usize = 72;

/// The report on `program`, whose source is `source`.
pub fn report(program: &Program, source: &str) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let mut text = String::new();
    for kernel in &program.kernels {
        if !text.is_empty() {
            text.push('\n');
        }
        write_kernel(&mut text, kernel, &lines);
    }
    text
}

/// The source's line with this number, shortened; nothing if there is none.
fn quoted(lines: &[&str], number: u32) -> String {
    let line = (number as usize).checked_sub(1).and_then(|at| lines.get(at)).copied().unwrap_or("");
    let line = line.trim();
    match line.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}...", line[..end].trim_end()),
        None => line.to_string(),
    }
}

fn write_kernel(text: &mut String, kernel: &Kernel, lines: &[&str]) {
    let _ = writeln!(text, "kernel {}, line {}", kernel.name, kernel.line);
    if let Some(reason) = kernel.less_optimized {
        let why = match reason {
            Less::Size => format!("has more than {LARGE_INSTRUCTIONS} instructions"),
            Less::Time => "takes long to translate".to_string(),
        };
        let _ = writeln!(text, "  {why}: it is less optimized, its loops are as they are written");
        write_advice(text, "  ", advice::ON_SIZE);
    } else if kernel.loops.is_empty() {
        let _ = writeln!(text, "  no loops");
    }
    if kernel.along != 0 {
        let along = ["x", "y", "z"][kernel.along];
        let _ = writeln!(
            text,
            "  neighbours along {along} touch elements that lie together: vectors go along {along}, in groups that have a vector of items there"
        );
    }
    for number in 0..kernel.loops.len() {
        write_loop(text, kernel, number, lines);
    }
    write_straight(text, kernel);
    for done in &kernel.vectorized {
        let (width, line) = (done.width, at(lines, done.line));
        let _ = writeln!(text, "  vectorized, {width} work-items at once: {line}");
    }
    write_cost(text, kernel);
    write_strides(text, kernel);
    write_shares(text, &kernel.shares);
    for change in &kernel.changes {
        let _ = writeln!(text, "  atomic operation, {}", at(lines, change.line));
        let _ = writeln!(text, "    it becomes {}", change.became);
    }
    for left in &kernel.not_vectorized {
        let _ = writeln!(text, "  not vectorized: {}", at(lines, left.line));
        let _ = writeln!(text, "    not vectorized because: {}", left.why);
        if let Some(advice) = advice::on_vectors(&left.why) {
            write_advice(text, "    ", advice);
        }
    }
    write_ranges(text, kernel);
    if kernel.disjoint {
        let _ = writeln!(
            text,
            "  this is of launches whose buffers are different memory: there is other code for others"
        );
    }
    write_reductions(text, kernel);
    for array in &kernel.local_arrays {
        let name = &array.name;
        let _ = match &array.stays {
            Some(why) => writeln!(text, "  local array {name} stays: {why}"),
            None => {
                writeln!(text, "  local array {name} removed: items load what it was copied from")
            }
        };
    }
    if kernel.barriers.kept + kernel.barriers.removed > 0 {
        let barriers = &kernel.barriers;
        let _ = writeln!(text, "  barriers: {} kept, {} removed", barriers.kept, barriers.removed);
    }
    for stays in &kernel.barriers.stay {
        let _ = writeln!(text, "    stays: {}", at(lines, stays.line));
        let _ = writeln!(text, "      stays because: {}", stays.why);
    }
    if kernel.barriers.kept > 0 {
        write_advice(text, "  ", &advice::on_barriers(kernel));
    }
}

/// What vectors of items seem to cost, and what the driver may try.
fn write_cost(text: &mut String, kernel: &Kernel) {
    if let Some(cost) = kernel.vectors_cost {
        let _ = writeln!(text, "  vectors of items seem to cost {cost:.2} of single items");
    }
    if let Some(why) = &kernel.vectors_refused {
        let _ = writeln!(text, "  no vectors of items: {why}");
    }
    if !kernel.other_ways.is_empty() {
        let ways: Vec<&str> = kernel.other_ways.iter().map(|way| way.described()).collect();
        let ways = ways.join(", ");
        let _ = writeln!(text, "  estimates may be wrong: if it runs for long, it is tried {ways}");
    }
}

/// Arguments for which there is other code if they are 1.
fn write_strides(text: &mut String, kernel: &Kernel) {
    let name = |place: &Place| {
        let holds = |it: &&ArgumentText| (it.offset..it.offset + it.size).contains(&place.offset);
        let argument = kernel.arguments.iter().find(holds)?;
        Some(match argument.size == place.size {
            true => argument.name.clone(),
            false => format!("{} (at byte {})", argument.name, place.offset - argument.offset),
        })
    };
    let names: Vec<String> = kernel.strides.iter().filter_map(name).collect();
    if !names.is_empty() {
        let _ = writeln!(
            text,
            "  strides: {}: launches in which they are 1 get code of their own",
            names.join(", ")
        );
    }
}

/// What the launch may give copies of.
fn write_reductions(text: &mut String, kernel: &Kernel) {
    for reduction in &kernel.reductions {
        let name = &kernel.arguments[reduction.argument as usize].name;
        let (operation, bits) = (reduction.operation.name(), reduction.bytes * 8);
        let _ = writeln!(
            text,
            "  {name} is reduced ({operation}, {bits} bits): where a launch gives copies of it, threads do so by themselves"
        );
    }
}

/// How much of vector code is once for all items, goes by a stride, or is there for each.
fn write_shares(text: &mut String, shares: &BTreeMap<String, Shares>) {
    let of = |role: &str| {
        let Shares { uniform, affine, guessed, varying } = shares.get(role)?;
        Some(format!("{uniform} {affine} {guessed} {varying}"))
    };
    let told: Vec<String> = [
        ("arithmetic", "arithmetic"),
        ("load_addresses", "loads"),
        ("store_addresses", "stores"),
        ("branches", "branches"),
    ]
    .into_iter()
    .filter_map(|(role, name)| Some(format!("{name} {}", of(role)?)))
    .collect();
    if !told.is_empty() {
        let _ = writeln!(
            text,
            "  vectorized; how many values are uniform, strided, strided by a guess, varying: {}",
            told.join(", ")
        );
    }
}

/// A line by its number, and what stands there.
fn at(lines: &[&str], number: u32) -> String {
    format!("line {number}: {}", quoted(lines, number)).trim_end_matches([' ', ':']).to_string()
}

fn write_advice(text: &mut String, indent: &str, advice: &str) {
    let _ = writeln!(text, "{indent}  to change: {advice}");
}

fn write_loop(text: &mut String, kernel: &Kernel, number: usize, lines: &[&str]) {
    let this = &kernel.loops[number];
    let indent = "  ".repeat(this.depth as usize);
    let _ = writeln!(text, "{indent}loop, {}", at(lines, this.line));
    let order = if this.order == "bfo" { "breadth-first" } else { "depth-first" };
    let trips = this.trip_count.map_or(String::new(), |count| format!(", {count} iterations"));
    let _ = writeln!(text, "{indent}  {order}{trips}, rule \"{}\": {}", this.rule, this.why);
    for access in &this.accesses {
        write_access(text, &indent, access);
    }
    for advice in advice::on_loop(kernel, number) {
        write_advice(text, &indent, &advice);
    }
}

fn write_access(text: &mut String, indent: &str, access: &Access) {
    let name = access.argument.as_deref().unwrap_or("-");
    let (class, kind, line) = (&access.class, &access.kind, access.line);
    let _ = writeln!(text, "{indent}    {class} {kind} {name}, line {line}");
}

/// What is accessed outside of loops, where there is something to say of it.
fn write_straight(text: &mut String, kernel: &Kernel) {
    let (accesses, advice) = advice::outside_loops(kernel);
    if !accesses.is_empty() && !kernel.loops.is_empty() {
        let _ = writeln!(text, "  outside of loops");
    }
    for access in accesses {
        write_access(text, "", access);
    }
    for advice in advice {
        write_advice(text, "  ", &advice);
    }
}

/// What items touch of each buffer, also where that is not known.
fn write_ranges(text: &mut String, kernel: &Kernel) {
    for (number, argument) in kernel.arguments.iter().enumerate() {
        let known = kernel.ranges.iter().find(|range| range.argument as usize == number);
        let is_buffer = matches!(argument.kind.as_str(), "global" | "constant");
        match known {
            Some(range) => write_range(text, kernel, range),
            None if is_buffer && kernel.less_optimized.is_none() => {
                let name = &argument.name;
                let _ = writeln!(text, "  {name}: what item g touches is not known beforehand");
            }
            None => {}
        }
    }
}

fn write_range(text: &mut String, kernel: &Kernel, range: &Range) {
    let argument = &kernel.arguments[range.argument as usize].name;
    let access = match range.access.as_str() {
        "read_write" => "reads and writes",
        "write" => "writes",
        _ => "reads",
    };
    let from = sum(kernel, range.offset_bytes, &range.terms);
    let bytes = sum(kernel, range.extent_bytes, &range.extent_terms);
    let _ = writeln!(text, "  {argument}: item g {access} {bytes} bytes from {from}");
}

fn sum(kernel: &Kernel, constant: i64, terms: &[Term]) -> String {
    let mut parts: Vec<String> = terms.iter().map(|term| product(kernel, term)).collect();
    if constant != 0 || parts.is_empty() {
        parts.push(constant.to_string());
    }
    parts.join(" + ").replace("+ -", "- ")
}

fn product(kernel: &Kernel, term: &Term) -> String {
    let mut factors = vec![term.bytes.to_string()];
    factors.extend(
        term.global_id.map(|dimension| format!("g{}", ["x", "y", "z"][dimension as usize])),
    );
    factors
        .extend(term.times_argument.map(|number| kernel.arguments[number as usize].name.clone()));
    factors.join("*")
}
