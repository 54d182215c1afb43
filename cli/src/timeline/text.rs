//! The summary, the advice and the comparison for the terminal.

use std::fmt::Write;

use vicinity_sim::trace::Trace;
use vicinity_sim::trace::analysis::{Analysis, Function, bytes, share, time};

use super::differences::Difference;
use super::verdict::{Run, verdict};

const NAME_WIDTH: usize = 28;
const MOST_FUNCTIONS: usize = 20;

/// What `vicinity timeline --text` prints. Writing into a string cannot fail.
pub fn report(trace: &Trace, of: &Analysis) -> String {
    let mut text = numbers(trace, of);
    functions(&mut text, trace, of);
    for advice in &of.advice {
        let _ = writeln!(text, "\n* {}\n  ({})", advice.text, advice.evidence);
    }
    text
}

/// What is said of the whole run.
fn numbers(trace: &Trace, of: &Analysis) -> String {
    let (summary, path) = (&of.summary, &of.path);
    let part = |ns: u64| format!("{:.1}%", share(ns, summary.available_ns()) * 100.0);
    let split = summary.split;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "Elapsed          {} on {} threads",
        time(summary.elapsed_ns as f64),
        summary.threads
    );
    let _ = writeln!(
        text,
        "Efficiency       {:.1}% of the threads' time is in tasks and loops",
        summary.efficiency() * 100.0
    );
    let _ = writeln!(
        text,
        "Time             tasks {}, loops {}, regions' own code {}, waiting {}",
        part(split.task_ns),
        part(split.chunk_ns),
        part(split.region_ns),
        part(split.wait_ns)
    );
    let stolen = summary.stolen_by_hops.iter().enumerate().filter(|&(_, &count)| count > 0);
    let stolen: Vec<String> =
        stolen.map(|(hops, count)| format!("{count} over {hops} hops")).collect();
    let stolen = if stolen.is_empty() { "none".to_string() } else { stolen.join(", ") };
    let _ = writeln!(
        text,
        "Tasks            {}; stolen: {stolen}; dealt by their data: {}",
        summary.tasks, summary.dealt
    );
    if let Some(remote) = summary.reach.remote_share() {
        let distance = summary.reach.mean_distance().unwrap_or(0.0);
        let _ = writeln!(
            text,
            "Data             {}, {:.1}% remote, mean distance {distance:.1} (10 is local)",
            bytes(summary.reach.bytes),
            remote * 100.0
        );
    }
    if trace.ranks > 1 {
        let sent: u64 = trace.messages.iter().map(|message| message.bytes).sum();
        let (ranks, count) = (trace.ranks, trace.messages.len());
        let _ = writeln!(text, "Messages         {count} between {ranks} ranks, {}", bytes(sent));
    }
    if let Some(unknown) = of.unknown_data {
        let _ = writeln!(text, "Data             {unknown}");
    }
    let _ = match path.speedup(trace) {
        Some(speedup) => writeln!(
            text,
            "Critical path    {}; upper bound with unlimited threads: {speedup:.2}x\n",
            time(path.length_ns as f64)
        ),
        None if trace.ranks > 1 => writeln!(
            text,
            "Critical path    unknown: ranks wait for messages, which its replay does not know\n"
        ),
        None => writeln!(
            text,
            "Critical path    unknown: events are missing, or contradict each other\n"
        ),
    };
    text
}

/// The functions that take the most time.
fn functions(text: &mut String, trace: &Trace, of: &Analysis) {
    let _ = writeln!(
        text,
        "{:<NAME_WIDTH$}{:>10}{:>11}{:>11}{:>11}{:>9}",
        "Function", "count", "total", "mean", "p99", "remote"
    );
    for function in of.functions.iter().take(MOST_FUNCTIONS) {
        let _ = writeln!(
            text,
            "{:<NAME_WIDTH$}{:>10}{:>11}{:>11}{:>11}{:>9}",
            name(&trace.names[function.name as usize]),
            function.count,
            time(function.total_ns as f64),
            time(function.mean_ns),
            time(function.p99_ns as f64),
            remote(function)
        );
    }
}

/// A number that a run is compared by, where it is known.
type Value = fn(&Trace, &Analysis) -> Option<f64>;

/// What `vicinity compare` prints.
pub fn comparison(
    (a, of_a): (&Trace, &Analysis),
    (b, of_b): (&Trace, &Analysis),
    rows: &[Difference<'_>],
) -> String {
    let mut text = format!("{:<NAME_WIDTH$}{:>11}{:>11}{:>9}\n", "", "A", "B", "B / A");
    let both = |value: Value| (value(a, of_a), value(b, of_b));
    let times: [(&str, Value); 4] = [
        ("elapsed", |trace, _| Some(trace.end_ns as f64)),
        ("time in tasks", |_, of| Some(of.summary.split.task_ns as f64)),
        ("waiting", |_, of| Some(of.summary.split.wait_ns as f64)),
        ("critical path", |trace, of| of.path.speedup(trace).map(|_| of.path.length_ns as f64)),
    ];
    for (what, value) in times {
        let (a, b) = both(value);
        let shown = |value: Option<f64>| value.map_or("unknown".to_string(), time);
        let factor = factor(a.unwrap_or(0.0), b.unwrap_or(0.0));
        let _ = writeln!(text, "{what:<NAME_WIDTH$}{:>11}{:>11}{factor:>9}", shown(a), shown(b));
    }
    let shares: [(&str, Value); 2] = [
        ("efficiency", |_, of| Some(of.summary.efficiency())),
        ("remote bytes", |_, of| of.summary.reach.remote_share()),
    ];
    for (what, value) in shares {
        let (a, b) = both(value);
        let shown = |value: Option<f64>| {
            value.map_or("unknown".to_string(), |share| format!("{:.1}%", share * 100.0))
        };
        let _ = writeln!(text, "{what:<NAME_WIDTH$}{:>11}{:>11}", shown(a), shown(b));
    }
    let unknown: &[(&str, &Analysis)] = match of_a.unknown_data == of_b.unknown_data {
        true => &[("A, B", of_a)],
        false => &[("A", of_a), ("B", of_b)],
    };
    for (run, of) in unknown {
        if let Some(unknown) = of.unknown_data {
            let _ = writeln!(text, "{run}: {unknown}");
        }
    }
    let _ = write!(text, "\n{}", verdict(&Run::of(of_a), &Run::of(of_b)));
    let _ = writeln!(
        text,
        "\n{:<NAME_WIDTH$}{:>11}{:>11}{:>9}{:>11}{:>11}{:>10}{:>10}",
        "Function", "total A", "total B", "B / A", "mean A", "mean B", "remote A", "remote B"
    );
    for row in rows {
        let total =
            |side: Option<&Function>| side.map_or("-".to_string(), |f| time(f.total_ns as f64));
        let mean = |side: Option<&Function>| side.map_or("-".to_string(), |f| time(f.mean_ns));
        let remote = |side: Option<&Function>| side.map_or("-".to_string(), remote);
        let ns = |side: Option<&Function>| side.map_or(0.0, |f| f.total_ns as f64);
        let _ = writeln!(
            text,
            "{:<NAME_WIDTH$}{:>11}{:>11}{:>9}{:>11}{:>11}{:>10}{:>10}",
            name(row.name),
            total(row.a),
            total(row.b),
            factor(ns(row.a), ns(row.b)),
            mean(row.a),
            mean(row.b),
            remote(row.a),
            remote(row.b)
        );
    }
    text
}

fn remote(function: &Function) -> String {
    function.reach.remote_share().map_or("-".to_string(), |share| format!("{:.1}%", share * 100.0))
}

fn factor(a: f64, b: f64) -> String {
    if a > 0.0 && b > 0.0 { format!("{:.2} x", b / a) } else { "-".to_string() }
}

/// Cut to the column, with a space behind.
fn name(full: &str) -> String {
    if full.chars().count() < NAME_WIDTH {
        return full.to_string();
    }
    full.chars().take(NAME_WIDTH - 2).chain(['~']).collect()
}
