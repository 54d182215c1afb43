//! A description of a program for people: loop by loop what was decided and why, with the source's lines.

use std::fmt::Write;

use crate::describe::{Kernel, Loop, Program, Range, Term};

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
    if kernel.loops.is_empty() {
        let _ = writeln!(text, "  no loops");
    }
    for this in &kernel.loops {
        write_loop(text, this, lines);
    }
    for done in &kernel.vectorized {
        let width = done.width;
        let _ = writeln!(text, "  vectorized, {width} work-items at once: line {}", done.line);
    }
    for left in &kernel.not_vectorized {
        let _ = writeln!(text, "  not vectorized: line {}: {}", left.line, left.why);
    }
    for range in &kernel.ranges {
        write_range(text, kernel, range);
    }
    if kernel.barriers.kept + kernel.barriers.removed > 0 {
        let barriers = &kernel.barriers;
        let _ = writeln!(text, "  barriers: {} kept, {} removed", barriers.kept, barriers.removed);
    }
}

fn write_loop(text: &mut String, this: &Loop, lines: &[&str]) {
    let indent = "  ".repeat(this.depth as usize);
    let _ = writeln!(text, "{indent}loop, line {}: {}", this.line, quoted(lines, this.line));
    let order = if this.order == "bfo" { "breadth-first" } else { "depth-first" };
    let trips = this.trip_count.map_or(String::new(), |count| format!(", {count} iterations"));
    let _ = writeln!(text, "{indent}  {order}{trips}: {}", this.why);
    for access in &this.accesses {
        let name = access.argument.as_deref().unwrap_or("-");
        let (class, kind, line) = (&access.class, &access.kind, access.line);
        let _ = writeln!(text, "{indent}    {class} {kind} {name}, line {line}");
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
