//! Compares series and prints them as a table.
//!
//! Ratios are medians over medians, so below 1 is faster. **To the better peer**: to whichever stock
//! runtime is faster on this workload at this number of threads. **To the own peer**: to the stock
//! runtime that ran the very same executable, which leaves the compilers out of the comparison.

use crate::catalogue::{Unit, Workload};
use crate::contender::Contender;
use crate::measure::{Series, threads_word};
use crate::options::{Clock, Suite};
use crate::statistics::{Summary, geometric_mean, summarize};

/// What one series amounts to beside the others.
#[derive(Debug, Clone)]
pub struct Compared {
    pub name: &'static str,
    pub suite: Suite,
    pub unit: Unit,
    pub threads: usize,
    pub contender: Contender,
    /// The values of the variables that vary.
    pub setting: Option<String>,
    pub summary: Option<Summary>,
    pub values: Vec<f64>,
    pub to_better_peer: Option<f64>,
    pub to_own_peer: Option<f64>,
    /// Against the same contender at the fewest threads measured.
    pub speed_up: Option<f64>,
    /// Medians of what else the program says: memory growth, the slowest operation.
    pub extras: Vec<(&'static str, f64)>,
    pub failure: Option<String>,
}

impl Compared {
    /// Who ran: the contender, and the setting where several are compared.
    pub fn who(&self) -> String {
        match &self.setting {
            Some(setting) => format!("{} {setting}", self.contender.name()),
            None => self.contender.name().to_string(),
        }
    }
}

/// Values of a program's line that are shown beside its main one.
const EXTRAS: [&str; 2] = ["growth_kib", "worst_ns"];

/// Sums up all series and sets them in relation.
pub fn compare(workloads: &[Workload], series: &[Series]) -> Vec<Compared> {
    series
        .iter()
        .map(|one| {
            let workload = &workloads[one.workload];
            let values: Vec<f64> = one.samples.iter().map(|sample| sample.value).collect();
            let summary = summarize(&values);
            let median = summary.map(|s| s.median);
            let peers = alike(series, one).filter(|other| other.contender.is_peer());
            let better = peers.filter_map(median_of).min_by(f64::total_cmp);
            let own = one.contender.own_peer().and_then(|own| {
                alike(series, one).find(|other| other.contender == own).and_then(median_of)
            });
            let ours = if one.contender.is_peer() { None } else { median };
            Compared {
                name: workload.name,
                suite: workload.suite,
                unit: workload.unit,
                threads: one.threads,
                contender: one.contender,
                setting: one.setting.clone(),
                summary,
                to_better_peer: ratio(ours, better),
                to_own_peer: ratio(ours, own),
                speed_up: ratio(fewest_threads(series, one).and_then(median_of), median),
                extras: extras(one),
                values,
                failure: one.failure.clone(),
            }
        })
        .collect()
}

/// The series of the same workload and threads, this one included.
fn alike<'a>(all: &'a [Series], one: &'a Series) -> impl Iterator<Item = &'a Series> {
    all.iter().filter(|other| other.workload == one.workload && other.threads == one.threads)
}

/// The series of the same workload and contender with the fewest threads, if those are fewer.
fn fewest_threads<'a>(all: &'a [Series], one: &Series) -> Option<&'a Series> {
    all.iter()
        .filter(|other| other.workload == one.workload && other.contender == one.contender)
        .filter(|other| other.setting == one.setting)
        .min_by_key(|other| other.threads)
        .filter(|other| other.threads < one.threads)
}

fn median_of(series: &Series) -> Option<f64> {
    let values: Vec<f64> = series.samples.iter().map(|sample| sample.value).collect();
    summarize(&values).map(|summary| summary.median)
}

fn ratio(of: Option<f64>, to: Option<f64>) -> Option<f64> {
    match (of, to) {
        (Some(of), Some(to)) if to > 0.0 => Some(of / to),
        _ => None,
    }
}

fn extras(series: &Series) -> Vec<(&'static str, f64)> {
    let median = |key: &str| {
        let values = series.samples.iter().filter_map(|s| s.fields.get(key)?.parse().ok());
        summarize(&values.collect::<Vec<f64>>()).map(|summary| summary.median)
    };
    EXTRAS.iter().filter_map(|key| Some((*key, median(key)?))).collect()
}

/// A line a series, and the geometric means of the ratios below.
pub fn table(clock: Clock, results: &[Compared]) -> String {
    let wide = results.iter().map(|result| result.who().len() + 1).fold(15, usize::max);
    let mut text = format!(
        "{:<18}{:>8}  {:<wide$}{:>11}{:>11}{:>11} {:<10}{:>9}{:>9}{:>9}\n",
        "program",
        "threads",
        "contender",
        "median",
        "min",
        "max",
        "unit",
        "/better",
        "/own",
        "speed-up"
    );
    let mut last = ("", 0);
    for result in results {
        let group = (result.name, result.threads);
        let (name, threads) =
            if group == last { ("", String::new()) } else { (group.0, group.1.to_string()) };
        last = group;
        text += &format!("{name:<18}{threads:>8}  {:<wide$}", result.who());
        text += &row(result);
        text.push('\n');
    }
    text += &format!("\nby the {} clock; ", clock.word());
    text += "min and max are over the runs; /better: median over that of the better stock runtime, /own: \
             over that of\nthe stock runtime with the same executable (below 1 is faster); speed-up: \
             over the fewest threads.\n";
    text + &means(results)
}

fn row(result: &Compared) -> String {
    let Some(summary) = result.summary else {
        return format!("{:>11}", "failed");
    };
    let mut text = format!(
        "{:>11}{:>11}{:>11} {:<10}{:>9}{:>9}{:>9}",
        digits(summary.median),
        digits(summary.min),
        digits(summary.max),
        result.unit.words(),
        optional(result.to_better_peer),
        optional(result.to_own_peer),
        optional(result.speed_up),
    );
    for (key, value) in &result.extras {
        text += &format!("  {key}={value:.0}");
    }
    text
}

/// Four significant digits or so, without exponents.
pub fn digits(value: f64) -> String {
    match value {
        v if v >= 1000.0 => format!("{v:.0}"),
        v if v >= 100.0 => format!("{v:.1}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v => format!("{v:.3}"),
    }
}

fn optional(value: Option<f64>) -> String {
    value.map_or("-".to_string(), |value| format!("{value:.3}"))
}

/// Geometric means over the programs of each suite, for every contender that has ratios.
fn means(results: &[Compared]) -> String {
    let group_of = |r: &Compared| (r.suite, r.unit, r.threads, r.who());
    let mut groups: Vec<(Suite, Unit, usize, String)> = Vec::new();
    for result in results.iter().filter(|result| result.to_better_peer.is_some()) {
        let group = group_of(result);
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    let mut text = String::new();
    for group in groups {
        let members: Vec<&Compared> = results.iter().filter(|r| group_of(r) == group).collect();
        let mean = |pick: fn(&Compared) -> Option<f64>| {
            geometric_mean(&members.iter().filter_map(|r| pick(r)).collect::<Vec<_>>())
        };
        if members.len() > 1 {
            text += &format!(
                "geometric mean of {} in {}, {}, {}: /better {}, /own {}\n",
                members.len(),
                group.1.words(),
                threads_word(group.2),
                group.3,
                optional(mean(|r| r.to_better_peer)),
                optional(mean(|r| r.to_own_peer)),
            );
        }
    }
    text
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
