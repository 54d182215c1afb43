//! What VICINITY_VERBOSE=1 shows: the settings at start, and at exit how tasks and their data met.

use super::statistics::{AtLocation, Totals, totals};
use super::{Machine, machine};
use crate::global::{settings, share};
use crate::report;
use crate::settings::{Distribution, Locations, Reach, Scheduler, word_of};
use std::fmt::Write;
use vicinity_alloc::os::process;
use vicinity_alloc::topology;
use vicinity_policy::deal::Deal;

/// At start, once.
pub fn begin() {
    report::show(&settings_lines());
    process::at_exit(end);
}

extern "C" fn end() {
    report::show(&text(machine(), &totals()));
}

fn settings_lines() -> String {
    let ours = &settings().vicinity;
    let found = topology::machine();
    let reach = match ours.reach {
        Reach::All => "all".to_owned(),
        Reach::Locations(count) => count.to_string(),
    };
    let bound = match machine() {
        Some(machine) if machine.binds => "workers are bound to their location",
        Some(machine) if !machine.enforced => "placement is recorded, not enforced",
        _ => "workers are not bound to locations",
    };
    let rank = share().map(|share| format!("vicinity: {share}\n")).unwrap_or_default();
    format!(
        "{rank}vicinity: scheduler {}, reach {reach}, data distribution {}\n\
         vicinity: {} of kind {} on {}; {bound}\n",
        word_of(Scheduler::WORDS, &ours.scheduler),
        word_of(Distribution::WORDS, &ours.data_distribution),
        counted(found.topology.len() as u64, "location"),
        word_of(Locations::WORDS, &ours.locations),
        found.source,
    )
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The summary.
fn text(machine: Option<&Machine>, totals: &Totals) -> String {
    let Some(machine) = machine.filter(|machine| machine.topology.len() > 1) else {
        return "vicinity: all memory and all threads are at one location\n".to_owned();
    };
    let recorded = if machine.enforced { "" } else { " (placement is recorded, not enforced)" };
    let mut text = format!(
        "vicinity: tasks that were queued at their data, and what data they named{recorded}\n"
    );
    if totals.locations.is_empty() {
        text += "vicinity:   no task named data worth queueing for, and none was stolen\n";
        text += unknown_data(machine.enforced);
        return text;
    }
    text += "vicinity:   location  queued from here  from elsewhere  run here  stolen from here   local bytes  remote bytes\n";
    let mut sum = AtLocation::default();
    for (number, at) in totals.locations.iter().enumerate() {
        text += &row(&number.to_string(), at);
        sum = add(sum, *at);
    }
    text += &row("all", &sum);
    let total = sum.bytes_local + sum.bytes_remote;
    if total > 0 {
        let percent = 100.0 * sum.bytes_local as f64 / total as f64;
        let _ = writeln!(text, "vicinity: {percent:.1} % of {} were local", size(total));
    } else {
        text += unknown_data(machine.enforced);
    }
    let why = match machine.scheduler.deal(&machine.topology) {
        Deal::LeastCost { min_bytes } => {
            format!("up to {}, or equally far from everywhere", size(min_bytes))
        }
        Deal::Home | Deal::Central | Deal::RoundRobin => "tasks are not dealt by it".to_owned(),
    };
    let kept = counted(totals.kept, "task");
    let _ = writeln!(text, "vicinity: {kept} with data stayed with their creators: {why}");
    let thefts = totals.stolen.iter().enumerate().filter(|(_, count)| **count > 0);
    let thefts: Vec<String> = thefts
        .map(|(hops, count)| format!("{count} over {}", counted(hops as u64, "hop")))
        .collect();
    let thefts = if thefts.is_empty() { "none".to_owned() } else { thefts.join(", ") };
    let _ = writeln!(text, "vicinity: thefts: {thefts}");
    text
}

/// What to do where no task's data is known.
fn unknown_data(enforced: bool) -> &'static str {
    if enforced {
        "vicinity: no task's data is known: allocate with omp_malloc, or compile with clang, whose depend clauses tell \
         how much they name (docs/locality.md)\n"
    } else {
        "vicinity: no task's data is known: on a simulated machine only memory of omp_malloc has a place (docs/locality.md)\n"
    }
}

fn add(a: AtLocation, b: AtLocation) -> AtLocation {
    AtLocation {
        dealt_home: a.dealt_home + b.dealt_home,
        dealt_elsewhere: a.dealt_elsewhere + b.dealt_elsewhere,
        ran_where_dealt: a.ran_where_dealt + b.ran_where_dealt,
        ran_away: a.ran_away + b.ran_away,
        bytes_local: a.bytes_local + b.bytes_local,
        bytes_remote: a.bytes_remote + b.bytes_remote,
    }
}

fn row(name: &str, at: &AtLocation) -> String {
    format!(
        "vicinity:   {name:>8}{:>18}{:>16}{:>10}{:>18}{:>14}{:>14}\n",
        at.dealt_home,
        at.dealt_elsewhere,
        at.ran_where_dealt,
        at.ran_away,
        size(at.bytes_local),
        size(at.bytes_remote),
    )
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_readable() {
        assert_eq!(size(1000), "1000 B");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(size(3 << 40), "3.0 TiB");
        assert_eq!(size(u64::MAX), "16777216.0 TiB");
    }

    #[test]
    fn a_summary_without_data_says_what_to_do() {
        assert!(unknown_data(true).contains("omp_malloc, or compile with clang"));
        assert!(unknown_data(false).contains("simulated machine"));
    }

    #[test]
    fn one_location_needs_one_line() {
        assert_eq!(text(None, &Totals::default()).lines().count(), 1);
    }
}
