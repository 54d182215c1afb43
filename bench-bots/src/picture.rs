//! The drawing of `--picture`: one SVG that a README can show, readable on light and on dark paper.
//!
//! Of several programs it shows *ratios*: a line a program, a panel a number of threads, a mark a contender at its
//! median over that of the better stock runtime. The scale is logarithmic, so that twice as fast and twice as
//! slow are equally far from the line at 1. Of one program, or without a stock runtime, it shows *bars* from zero
//! that end at the median, with a line from the smallest to the largest run.
//!
//! Terms: a *who* is a contender with its setting. Units: pixels of the drawing.

use std::fmt::Write as _;
use std::path::Path;

use crate::Failure;
use crate::contender::Contender;
use crate::measure::threads_word;
use crate::report::{Compared, digits};

const WIDTH: f64 = 760.0;
const LINE: f64 = 18.0;
const LABELS: f64 = 150.0;
const GAP: f64 = 24.0;
/// Above the first line: the title, the legend, the panels' names.
const TOP: f64 = 74.0;
const BOTTOM: f64 = 26.0;

/// Draws the results.
pub fn write(path: &Path, results: &[Compared]) -> Result<(), Failure> {
    std::fs::write(path, picture(results))
        .map_err(|error| Failure::Setup(format!("cannot write {}: {error}", path.display())))
}

fn picture(results: &[Compared]) -> String {
    let several = results.iter().any(|result| result.name != results[0].name);
    if several && results.iter().any(|result| result.to_better_peer.is_some()) {
        ratios(results)
    } else {
        bars(results)
    }
}

/// What appears in `all`, each once, in the order of its first appearance.
fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for one in all {
        if !seen.contains(&one) {
            seen.push(one);
        }
    }
    seen
}

/// The median over that of the better stock runtime; those themselves included.
fn ratio(results: &[Compared], result: &Compared) -> Option<f64> {
    let peers = results.iter().filter(|other| {
        other.contender.is_peer() && (other.name, other.threads) == (result.name, result.threads)
    });
    let better = peers.filter_map(|peer| Some(peer.summary?.median)).min_by(f64::total_cmp)?;
    let ratio = result.summary?.median / better;
    (ratio.is_finite() && ratio > 0.0).then_some(ratio)
}

/// A logarithmic scale from the smallest to the largest of its lines.
struct Scale {
    lines: Vec<f64>,
}

impl Scale {
    /// Lines at 1, 3, 10 and so on, down to 0.01 and up to 30, as many as the values need.
    fn around(values: &[f64]) -> Scale {
        const LINES: [f64; 8] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0];
        let least = values.iter().copied().fold(0.5, f64::min);
        let most = values.iter().copied().fold(1.0, f64::max);
        let first = LINES.iter().rposition(|&line| line <= least).unwrap_or(0);
        let last = LINES.iter().position(|&line| line >= most).unwrap_or(LINES.len() - 1);
        Scale { lines: LINES[first..=last].to_vec() }
    }

    /// From 0 at the first line to 1 at the last.
    fn at(&self, value: f64) -> f64 {
        let (first, last) = (self.lines[0].ln(), self.lines[self.lines.len() - 1].ln());
        ((value.ln() - first) / (last - first)).clamp(0.0, 1.0)
    }
}

fn ratios(results: &[Compared]) -> String {
    let names = distinct(results.iter().map(|result| result.name));
    let threads = distinct(results.iter().map(|result| result.threads));
    let everyone = distinct(results.iter().map(Compared::who));
    let values: Vec<f64> = results.iter().filter_map(|result| ratio(results, result)).collect();
    let scale = Scale::around(&values);
    let height = TOP + LINE * names.len() as f64 + BOTTOM;
    let panel = (WIDTH - LABELS) / threads.len() as f64 - GAP;
    let mut svg = head(height, "Time relative to the faster of libgomp and libomp");
    svg += &legend(results, &everyone);
    for (row, name) in names.iter().enumerate() {
        let y = TOP + LINE * (row as f64 + 0.5);
        let _ =
            writeln!(svg, "<text x='{}' y='{}' class='end'>{name}</text>", LABELS - 8.0, y + 4.0);
    }
    for (column, &count) in threads.iter().enumerate() {
        let left = LABELS + column as f64 * (panel + GAP);
        svg += &grid(&scale, left, panel, height, count);
        for result in results.iter().filter(|result| result.threads == count) {
            let Some(value) = ratio(results, result) else { continue };
            let row = names.iter().position(|&name| name == result.name).unwrap_or(0);
            let who = result.who();
            let shape = everyone.iter().position(|other| *other == who).unwrap_or(0);
            let x = left + scale.at(value) * panel;
            let y = TOP + LINE * (row as f64 + 0.5);
            let title = format!("{}, {who}: {value:.3}", result.name);
            svg += &mark(x, y, shape, class_of(result.contender), &title);
        }
    }
    svg + "</svg>\n"
}

/// The lines of one panel, and what they stand for.
fn grid(scale: &Scale, left: f64, panel: f64, height: f64, threads: usize) -> String {
    let (top, bottom) = (TOP - 4.0, height - BOTTOM + 2.0);
    let mut svg = format!(
        "<text x='{left}' y='{}' class='bold'>{}</text>\n",
        TOP - 12.0,
        threads_word(threads)
    );
    for &line in &scale.lines {
        let x = left + scale.at(line) * panel;
        let class = if line == 1.0 { "one" } else { "grid" };
        let _ = writeln!(
            svg,
            "<line x1='{x:.1}' x2='{x:.1}' y1='{top}' y2='{bottom}' class='{class}'/>\
             <text x='{x:.1}' y='{}' class='middle'>{line}</text>",
            bottom + 14.0
        );
    }
    svg
}

fn legend(results: &[Compared], everyone: &[String]) -> String {
    let mut x = 12.0;
    let mut svg = String::new();
    for (shape, who) in everyone.iter().enumerate() {
        let contender = results.iter().find(|result| result.who() == *who);
        let class = contender.map_or("other", |result| class_of(result.contender));
        svg += &mark(x, 38.0, shape, class, who);
        let _ = writeln!(svg, "<text x='{}' y='42'>{who}</text>", x + 10.0);
        x += 34.0 + 6.6 * who.len() as f64;
    }
    svg
}

/// A small shape of its own for each contender, so that colour is not needed to tell them apart.
fn mark(x: f64, y: f64, shape: usize, class: &str, title: &str) -> String {
    let outline = match shape % 6 {
        0 => format!("<circle cx='{x:.1}' cy='{y:.1}' r='4'"),
        1 => path(x, y, "-5,0 0,-5 5,0 0,5"),
        2 => path(x, y, "-4,-4 4,-4 4,4 -4,4"),
        3 => path(x, y, "-5,4 0,-5 5,4"),
        4 => path(x, y, "-5,-4 0,5 5,-4"),
        _ => path(x, y, "-5,-1.5 5,-1.5 5,1.5 -5,1.5"),
    };
    format!("{outline} class='mark {class}'><title>{title}</title>{}\n", closing(&outline))
}

fn path(x: f64, y: f64, points: &str) -> String {
    format!("<polygon transform='translate({x:.1} {y:.1})' points='{points}'")
}

fn closing(outline: &str) -> &'static str {
    if outline.starts_with("<circle") { "</circle>" } else { "</polygon>" }
}

fn bars(results: &[Compared]) -> String {
    const LEFT: f64 = 260.0;
    const TOP: f64 = 36.0;
    let longest = results.iter().filter_map(|r| r.summary).map(|s| s.max).fold(0.0, f64::max);
    let scale = if longest > 0.0 { (WIDTH - 80.0 - LEFT) / longest } else { 0.0 };
    let unit = results.first().map_or("", |result| result.unit.words());
    let names = distinct(results.iter().map(|result| result.name));
    let title = format!("{}: {unit}, shorter is faster", names.join(", "));
    let mut svg = head(TOP + LINE * results.len() as f64 + 6.0, &title);
    for (row, result) in results.iter().enumerate() {
        let y = TOP + LINE * row as f64;
        let program = if names.len() > 1 { format!("{}, ", result.name) } else { String::new() };
        let _ = write!(
            svg,
            "<text x='{}' y='{}' class='end'>{program}{}, {}</text>",
            LEFT - 8.0,
            y + 11.0,
            result.who(),
            threads_word(result.threads)
        );
        let Some(summary) = result.summary else {
            let _ = writeln!(svg, "<text x='{LEFT}' y='{}'>failed</text>", y + 11.0);
            continue;
        };
        let at = |value: f64| LEFT + value * scale;
        let _ = writeln!(
            svg,
            "<rect x='{LEFT}' y='{y}' width='{:.1}' height='13' class='{}'/>\
             <line x1='{:.1}' x2='{:.1}' y1='{mid}' y2='{mid}' class='one'/>\
             <text x='{:.1}' y='{}'>{}</text>",
            summary.median * scale,
            class_of(result.contender),
            at(summary.min),
            at(summary.max),
            at(summary.max) + 6.0,
            y + 11.0,
            digits(summary.median),
            mid = y + 6.5,
        );
    }
    svg + "</svg>\n"
}

/// The style of a contender's marks and bars.
pub fn class_of(contender: Contender) -> &'static str {
    if contender.is_vicinity() {
        "ours"
    } else if contender.is_peer() {
        "peer"
    } else {
        "other"
    }
}

/// The beginning of a drawing, with its title. A README shows it as an image, where only the style knows whether
/// the paper is dark.
fn head(height: f64, title: &str) -> String {
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' width='{WIDTH}' role='img' \
         aria-label='{title}'>\n<style>\n\
         text {{ font: 12px system-ui, sans-serif; fill: #1f2328; }}\n\
         .bold {{ font-weight: 600; }} .end {{ text-anchor: end; }} .middle {{ text-anchor: middle; font-size: 10px; }}\n\
         .grid {{ stroke: #d0d7de; }} .one {{ stroke: #1f2328; }}\n\
         .ours {{ fill: #1b7f5c; }} .peer {{ fill: #8a93a6; }} .other {{ fill: #c08a3e; }}\n\
         .mark {{ fill-opacity: .85; }}\n\
         @media (prefers-color-scheme: dark) {{\n\
         text {{ fill: #e6edf3; }} .grid {{ stroke: #3d444d; }} .one {{ stroke: #e6edf3; }}\n\
         .ours {{ fill: #3fb68b; }} .peer {{ fill: #9aa4b5; }}\n}}\n</style>\n\
         <text x='8' y='18' class='bold'>{title}</text>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Unit;
    use crate::options::Suite;
    use crate::statistics::summarize;

    fn result(name: &'static str, threads: usize, contender: Contender, value: f64) -> Compared {
        Compared {
            name,
            suite: Suite::Tasks,
            unit: Unit::NanosecondsPerTask,
            threads,
            contender,
            setting: None,
            summary: summarize(&[value]),
            values: vec![value],
            to_better_peer: contender.is_vicinity().then_some(0.1),
            to_own_peer: None,
            speed_up: None,
            extras: Vec::new(),
            failure: None,
        }
    }

    #[test]
    fn several_programs_are_marks_on_a_logarithmic_scale() {
        let results = [
            result("fib", 1, Contender::GccLibgomp, 40.0),
            result("fib", 1, Contender::VicinityGcc, 4.0),
            result("sort", 1, Contender::GccLibgomp, 10.0),
        ];
        let svg = picture(&results);
        assert!(svg.contains("fib, vicinity-gcc: 0.100"), "{svg}");
        assert!(svg.contains("fib, gcc/libgomp: 1.000"), "{svg}");
        assert!(svg.contains("<text x='150' y='62' class='bold'>1 thread</text>"), "{svg}");
    }

    #[test]
    fn one_program_is_bars_from_zero() {
        let results = [
            result("fib", 2, Contender::GccLibgomp, 200.0),
            result("fib", 2, Contender::VicinityGcc, 100.0),
        ];
        let svg = picture(&results);
        assert!(svg.contains("width='420.0' height='13' class='peer'"), "{svg}");
        assert!(svg.contains("width='210.0' height='13' class='ours'"), "{svg}");
    }

    #[test]
    fn nothing_measured_is_still_a_drawing() {
        let failed = Compared { summary: None, ..result("fib", 2, Contender::GccLibgomp, 1.0) };
        assert!(picture(&[failed]).contains(">failed</text>"));
        assert!(picture(&[]).ends_with("</svg>\n"));
    }

    #[test]
    fn equal_ratios_are_equally_far_apart() {
        let scale = Scale::around(&[0.1, 2.0]);
        assert_eq!(scale.lines, [0.1, 0.3, 1.0, 3.0]);
        let steps = [scale.at(0.5) - scale.at(0.25), scale.at(1.0) - scale.at(0.5)];
        assert!((steps[0] - steps[1]).abs() < 1e-12);
        assert_eq!((scale.at(0.001), scale.at(100.0)), (0.0, 1.0));
    }
}
