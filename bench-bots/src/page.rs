//! The page of `--report`: a chart a program, one self-contained HTML file.
//!
//! Each chart has a bar for every contender and number of threads: its end is the median, a line over
//! it spans the smallest and the largest run. Bars of one chart share a scale from zero, so their
//! lengths compare. Nothing is fetched from anywhere.

use std::fmt::Write as _;
use std::path::Path;

use crate::Failure;
use crate::measure::threads_word;
use crate::options::Plan;
use crate::picture::class_of;
use crate::report::{Compared, digits};

/// Of a bar and the gap below it, and where bars begin and end, in pixels of the drawing.
const BAR: f64 = 14.0;
const STEP: f64 = 20.0;
const LEFT: f64 = 200.0;
const RIGHT: f64 = 640.0;

/// Writes the page.
pub fn write(path: &Path, plan: &Plan, results: &[Compared]) -> Result<(), Failure> {
    std::fs::write(path, page(plan, results))
        .map_err(|error| Failure::Setup(format!("cannot write {}: {error}", path.display())))
}

fn page(plan: &Plan, results: &[Compared]) -> String {
    let mut text = String::from(HEAD);
    let _ = writeln!(
        text,
        "<p>Class {}, {} runs of each, {} clock, data by {}. Shorter bars are faster; a bar ends at \
         the median, the line over it spans all runs.</p>\n<main>",
        plan.class.word(),
        plan.repeat,
        plan.clock.word(),
        plan.memory.word()
    );
    let mut names: Vec<&str> = results.iter().map(|result| result.name).collect();
    names.dedup();
    for name in names {
        let members: Vec<&Compared> = results.iter().filter(|r| r.name == name).collect();
        text += &chart(name, &members);
    }
    text + "</main>\n</html>\n"
}

fn chart(name: &str, members: &[&Compared]) -> String {
    let longest = members.iter().filter_map(|r| r.summary).map(|s| s.max).fold(0.0, f64::max);
    let scale = if longest > 0.0 { (RIGHT - LEFT) / longest } else { 0.0 };
    let height = STEP * members.len() as f64;
    let unit = members.first().map_or("", |r| r.unit.words());
    let mut text = format!(
        "<figure><figcaption>{name} <small>{unit}</small></figcaption>\n\
         <svg viewBox='0 0 760 {height}' role='img' aria-label='{name}, {unit}'>\n"
    );
    for (row, result) in members.iter().enumerate() {
        text += &bar(row as f64 * STEP, scale, result);
    }
    text + "</svg></figure>\n"
}

fn bar(top: f64, scale: f64, result: &Compared) -> String {
    let middle = top + BAR / 2.0;
    let baseline = top + BAR - 3.0;
    let label = format!("{}, {}", result.who(), threads_word(result.threads));
    let mut text = format!("<text x='{}' y='{baseline}' class='label'>{label}</text>", LEFT - 6.0);
    let Some(summary) = result.summary else {
        let _ = writeln!(text, "<text x='{LEFT}' y='{baseline}'>failed</text>");
        return text;
    };
    let at = |value: f64| LEFT + value * scale;
    let ratio = result
        .to_better_peer
        .map_or(String::new(), |ratio| format!(" ({ratio:.2} of the better peer)"));
    let _ = writeln!(
        text,
        "<rect x='{LEFT}' y='{top}' width='{:.1}' height='{BAR}' class='{}'><title>{label}: median {:.3}, \
         {:.3} to {:.3}{ratio}</title></rect><line x1='{:.1}' x2='{:.1}' y1='{middle}' y2='{middle}'/>\
         <text x='{:.1}' y='{baseline}'>{}</text>",
        summary.median * scale,
        class_of(result.contender),
        summary.median,
        summary.min,
        summary.max,
        at(summary.min),
        at(summary.max),
        at(summary.max) + 6.0,
        digits(summary.median),
    );
    text
}

const HEAD: &str = "<!doctype html>\n<html lang='en'>\n<meta charset='utf-8'>\n\
<meta name='viewport' content='width=device-width'>\n<title>Vicinity and its peers</title>\n<style>\n\
:root { color-scheme: light dark; --ours: #1b7f5c; --peer: #8a93a6; --other: #c08a3e; }\n\
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1560px; margin: 2rem auto; padding: 0 1rem; }\n\
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(30rem, 1fr)); gap: 1.5rem; }\n\
figure { margin: 0; } figcaption { font-weight: 600; } small { font-weight: 400; opacity: .7; }\n\
svg { width: 100%; } text { font-size: 11px; fill: currentColor; } .label { text-anchor: end; }\n\
line { stroke: currentColor; } .ours { fill: var(--ours); } .peer { fill: var(--peer); }\n\
.other { fill: var(--other); }\n</style>\n<h1>Vicinity and its peers</h1>\n";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Unit;
    use crate::contender::Contender;
    use crate::options::{Options, Suite};
    use crate::statistics::summarize;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        options: Options,
    }

    fn result(contender: Contender, values: &[f64]) -> Compared {
        Compared {
            name: "fib",
            suite: Suite::Tasks,
            unit: Unit::NanosecondsPerTask,
            threads: 2,
            contender,
            setting: None,
            summary: summarize(values),
            values: values.to_vec(),
            to_better_peer: None,
            to_own_peer: None,
            speed_up: None,
            extras: Vec::new(),
            failure: None,
        }
    }

    #[test]
    fn bars_are_as_long_as_medians() {
        let plan = Cli::parse_from(["bench"]).options.plan().expect("a plan");
        let results = [
            result(Contender::GccLibgomp, &[100.0, 200.0, 220.0]),
            result(Contender::VicinityGcc, &[50.0]),
            result(Contender::ClangLibomp, &[]),
        ];
        let page = page(&plan, &results);
        assert!(page.contains("width='400.0' height='14' class='peer'"), "{page}");
        assert!(page.contains("width='100.0' height='14' class='ours'"), "{page}");
        assert!(page.contains(">failed</text>"));
        assert!(!page.contains("http"), "nothing is fetched");
    }
}
