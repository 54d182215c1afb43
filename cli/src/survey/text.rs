//! A survey in a page of text: the machine, its memory, and for each program what was measured beside what was simulated.
//!
//! Times of programs of tasks are relative to work stealing with fine distribution, as in the paper, those of loops to memory by
//! first touch; measured and simulated each to its own: below 1 is faster.

use std::fmt::Write;

use super::file::{Machine, Memory, Program, Run, Survey};

/// Writing into a string cannot fail.
pub fn report(survey: &Survey) -> String {
    let mut text = String::new();
    machine(&mut text, &survey.machine);
    memory(&mut text, &survey.memory);
    survey.programs.iter().for_each(|it| program(&mut text, it));
    if !survey.programs.is_empty() {
        text += "\nrelative: of tasks to workstealing with fine, of loops to standard; measured and simulated each to its own; below 1 is faster.\n";
        if let Some((count, mean, most)) = differences(&survey.programs) {
            let _ = writeln!(
                text,
                "Simulated and measured ratios of {count} settings differ by a factor of {mean:.2} in the geometric mean, \
                 {most:.2} at most."
            );
        }
    }
    text
}

fn machine(text: &mut String, machine: &Machine) {
    let processors: u32 = machine.locations.iter().map(|it| it.processors).sum();
    let _ = writeln!(
        text,
        "{}: {processors} processors, {} locations",
        machine.processor,
        machine.locations.len()
    );
    if let Some(load) = machine.load_before.filter(|&load| load > 0.5) {
        let _ = writeln!(text, "Something else was running (load {load:.1}): expect spread.");
    }
    let _ = writeln!(text, "Distances: {}", machine.distances_from);
    if machine.locations.len() > 1 {
        let rows: Vec<Vec<f64>> =
            machine.distances.iter().map(|row| row.iter().map(|&it| it.into()).collect()).collect();
        matrix(text, &rows);
    }
}

fn memory(text: &mut String, memory: &Memory) {
    text.push_str("\nLatency, ns, from processors (row) to memory (column):\n");
    matrix(text, &memory.latency_ns);
    text.push_str("Read by all processors of a location, MB/s:\n");
    matrix(text, &memory.read_mb_per_s);
    let _ = writeln!(text, "Read by one processor: {:.0} MB/s", memory.one_processor_mb_per_s);
    let _ = writeln!(text, "Read by all, each nearby: {:.0} MB/s", memory.together_mb_per_s);
}

fn matrix(text: &mut String, rows: &[Vec<f64>]) {
    for (from, row) in rows.iter().enumerate().filter(|(_, row)| !row.is_empty()) {
        let cells: String = row.iter().map(|value| format!("{value:>8.0}")).collect();
        let _ = writeln!(text, "  {from:>3}:{cells}");
    }
}

fn program(text: &mut String, program: &Program) {
    let _ = writeln!(
        text,
        "\n{:<16}{:<15}{:<14}{:>10}{:>10}{:>10}{:>11}{:>11}",
        program.name, "", "", "ms", "least", "most", "relative", "simulated"
    );
    let (measured, simulated) = base(program);
    for run in &program.runs {
        let word = |it: &Option<String>| it.clone().unwrap_or_default();
        let number = |it: Option<f64>, digits: usize| {
            it.map_or_else(|| "-".to_string(), |it| format!("{it:.digits$}"))
        };
        let _ = writeln!(
            text,
            "  {:<14}{:<15}{:<14}{:>10}{:>10}{:>10}{:>11}{:>11}",
            run.contender,
            word(&run.scheduler),
            word(&run.distribution),
            number(run.median_ms, 1),
            number(run.least_ms, 1),
            number(run.most_ms, 1),
            number(ratio(run.median_ms, measured), 3),
            number(ratio(run.simulated_ms, simulated), 3)
        );
    }
}

/// What the others are relative to: measured, and simulated.
fn base(program: &Program) -> (Option<f64>, Option<f64>) {
    let is_base = |run: &&Run| {
        let setting = (run.scheduler.as_deref(), run.distribution.as_deref());
        matches!(setting, (Some("workstealing"), Some("fine")) | (None, Some("standard")))
    };
    let base = program.runs.iter().find(is_base);
    (base.and_then(|run| run.median_ms), base.and_then(|run| run.simulated_ms))
}

fn ratio(of: Option<f64>, to: Option<f64>) -> Option<f64> {
    of.zip(to.filter(|&to| to > 0.0)).map(|(of, to)| of / to)
}

/// How many settings were both measured and simulated, and the factor between the ratios: geometric mean, and most.
fn differences(programs: &[Program]) -> Option<(usize, f64, f64)> {
    let of_program = |program: &Program| -> Vec<f64> {
        let (measured, simulated) = base(program);
        let factor = |run: &Run| {
            let (a, b) = (ratio(run.median_ms, measured)?, ratio(run.simulated_ms, simulated)?);
            (a > 0.0 && b > 0.0).then(|| (a / b).ln().abs())
        };
        program.runs.iter().filter_map(factor).collect()
    };
    let all: Vec<f64> = programs.iter().flat_map(of_program).collect();
    let most = all.iter().copied().fold(0.0, f64::max);
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    (!all.is_empty()).then(|| (all.len(), mean.exp(), most.exp()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::file::tests::example;

    fn run(scheduler: &str, distribution: &str, ms: f64, simulated: f64) -> Run {
        Run {
            contender: "vicinity-gcc".into(),
            scheduler: Some(scheduler.into()),
            distribution: Some(distribution.into()),
            median_ms: Some(ms),
            least_ms: Some(ms),
            most_ms: Some(ms),
            simulated_ms: Some(simulated),
        }
    }

    #[test]
    fn measured_and_simulated_stand_side_by_side() {
        let runs =
            vec![run("workstealing", "fine", 100.0, 50.0), run("locality", "coarse", 80.0, 20.0)];
        let program = Program { name: "map".into(), threads: 8, runs };
        let text = report(&Survey { programs: vec![program], ..example() });
        assert!(text.contains("Fast One: 8 processors, 3 locations\n"), "{text}");
        assert!(text.contains("    1:     150      90     310\n"), "{text}");
        let line = text.lines().find(|line| line.contains("coarse")).unwrap();
        assert!(line.ends_with("0.800      0.400"), "{text}");
        assert!(text.contains("of 2 settings differ by a factor of 1.41"), "{text}");
        assert!(text.contains("2.00 at most"), "{text}");
    }

    #[test]
    fn memory_alone_is_a_survey_too() {
        let text = report(&example());
        assert!(
            text.contains("Read by all, each nearby: 80000 MB/s\n") && !text.contains("relative")
        );
    }
}
