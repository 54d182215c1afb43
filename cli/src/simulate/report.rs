//! Simulated runs as text and JSON.

use std::fmt::Write;

use serde_json::{Value, json};
use vicinity_policy::distribution::Distribution;
use vicinity_policy::scheduler::Scheduler;
use vicinity_sim::machine::Machine;
use vicinity_sim::outcome::Outcome;

use super::{Named, Run, word_of};

fn scheduler(run: &Run) -> &'static str {
    word_of(Scheduler::WORDS, run.scheduler)
}

fn distribution(run: &Run) -> &'static str {
    word_of(Distribution::WORDS, run.distribution)
}

fn ms(ps: u64) -> f64 {
    ps as f64 / 1e9
}

/// Part of all busy time, in percent.
fn percent(part_ps: u64, run: &Run) -> f64 {
    100.0 * part_ps as f64 / run.outcome.total_busy_ps().max(1) as f64
}

/// The share of local bytes; a dash where no task has data.
fn local(outcome: &Outcome) -> String {
    let share = outcome.local_share();
    share.map_or("-".to_string(), |share| format!("{:.0}%", 100.0 * share))
}

/// A line for each run.
pub fn table(machine: &Machine, programs: &[Named], runs: &[Run], bases: &[u64]) -> String {
    let mut text = format!("{}\n", machine.title);
    for (number, named) in programs.iter().enumerate() {
        // Writing into a string cannot fail.
        let _ = write!(
            text,
            "\n{}\n{:<14}{:<10}{:>6}{:>12}{:>9}{:>8}{:>10}{:>10}{:>9}{:>9}{:>9}\n",
            named.program.title,
            "scheduler",
            "data",
            "reach",
            "time, ms",
            "to base",
            "local",
            "distance",
            "crowding",
            "balance",
            "dealt",
            "stolen"
        );
        for run in runs.iter().filter(|run| run.program == number) {
            let outcome = &run.outcome;
            let _ = writeln!(
                text,
                "{:<14}{:<10}{:>6}{:>12.3}{:>9.3}{:>8}{:>9.0}%{:>9.0}%{:>9.2}{:>9}{:>9}",
                scheduler(run),
                distribution(run),
                run.reach.map_or("all".to_string(), |reach| reach.to_string()),
                ms(outcome.makespan_ps),
                outcome.makespan_ps as f64 / bases[number].max(1) as f64,
                local(outcome),
                percent(outcome.lost_to_distance_ps, run),
                percent(outcome.lost_to_crowding_ps, run),
                outcome.imbalance(),
                outcome.dealt,
                outcome.stolen()
            );
        }
    }
    text + "\nTo base: time relative to work stealing with fine distribution. Local: bytes from the own \
            location, - where no task's data is known.\nDistance, crowding: parts of busy time lost to remote access and to sharing. \
            Balance: busiest thread to mean.\n"
}

/// Everything about one run.
pub fn full(machine: &Machine, named: &Named, run: &Run, base_ps: u64) -> String {
    let outcome = &run.outcome;
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<22}{value}");
    };
    line("Machine", machine.title.clone());
    line("Program", named.program.title.clone());
    let reach = run.reach.map_or("all".to_string(), |reach| format!("the nearest {reach}"));
    line(
        "Policy",
        format!("{}, {} distribution, reach {reach}", scheduler(run), distribution(run)),
    );
    line("Tasks, threads", format!("{}, {}", outcome.tasks, outcome.busy_ps.len()));
    let ratio = outcome.makespan_ps as f64 / base_ps.max(1) as f64;
    line(
        "Time",
        format!("{:.3} ms, {ratio:.3} of work stealing with fine data", ms(outcome.makespan_ps)),
    );
    line(
        "Lost to distance",
        format!("{:.1} % of busy time", percent(outcome.lost_to_distance_ps, run)),
    );
    line(
        "Lost to crowding",
        format!("{:.1} % of busy time", percent(outcome.lost_to_crowding_ps, run)),
    );
    line("Busiest thread", format!("{:.2} of the mean", outcome.imbalance()));
    let all: u64 = outcome.bytes_by_hops.iter().sum();
    let known = match all {
        0 => "no task's data is known".to_string(),
        _ => parts(&outcome.bytes_by_hops, all),
    };
    line("Bytes by hops", known);
    let dealt = format!("{}, of which {} ran there", outcome.dealt, outcome.ran_where_dealt);
    line("Dealt to their data", dealt);
    line("Run at once", outcome.run_at_once.to_string());
    line("Stolen by hops", parts(&outcome.stolen_by_hops, outcome.stolen()));
    line("Queues", "longest, mean, tasks run, by location".to_string());
    for (at, longest) in outcome.longest_queue.iter().enumerate() {
        let (mean, ran) = (outcome.mean_queue[at], outcome.tasks_by_location[at]);
        line("", format!("{at:>3}{longest:>9}{mean:>11.2}{ran:>9}"));
    }
    text
}

/// Numbers with their shares.
fn parts(numbers: &[u64], all: u64) -> String {
    let part = |(hops, &number): (usize, &u64)| {
        format!("{hops}: {number} ({:.0} %)", 100.0 * number as f64 / all.max(1) as f64)
    };
    numbers.iter().enumerate().map(part).collect::<Vec<_>>().join(", ")
}

pub fn json(
    machine: &Machine,
    programs: &[Named],
    runs: &[Run],
    bases: &[u64],
    seed: u64,
) -> String {
    let runs: Vec<Value> = runs
        .iter()
        .map(|run| {
            json!({
                "program": programs[run.program].name,
                "input": programs[run.program].program.title,
                "scheduler": scheduler(run),
                "distribution": distribution(run),
                "reach": run.reach,
                "to_base": run.outcome.makespan_ps as f64 / bases[run.program].max(1) as f64,
                "imbalance": run.outcome.imbalance(),
                "local_share": run.outcome.local_share(),
                "outcome": run.outcome,
            })
        })
        .collect();
    let all = json!({
        "machine": machine.name,
        "base": "workstealing, fine",
        "seed": seed,
        "runs": runs,
    });
    format!("{all:#}\n")
}
