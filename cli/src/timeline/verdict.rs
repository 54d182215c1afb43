//! What the comparison of two runs comes to, in a sentence or two.

use vicinity_sim::trace::analysis::Analysis;

/// One run each tells nothing of smaller differences.
const NOTICEABLE: f64 = 0.05;

/// A run, as far as the verdict goes: its length, and what its threads' time went into.
pub struct Run {
    elapsed_ns: u64,
    parts: [(&'static str, u64); 4],
    /// Threads had to wait for processors.
    disturbed: bool,
}

impl Run {
    pub fn of(analysis: &Analysis) -> Run {
        let (summary, split) = (&analysis.summary, analysis.summary.split);
        let told = split.task_ns + split.chunk_ns + split.region_ns + split.wait_ns;
        Run {
            elapsed_ns: summary.elapsed_ns,
            parts: [
                ("tasks and loops", split.task_ns + split.chunk_ns),
                ("regions' own code", split.region_ns),
                ("waiting", split.wait_ns),
                ("time outside regions", summary.available_ns().saturating_sub(told)),
            ],
            disturbed: analysis.disturbance.is_some(),
        }
    }
}

/// Which run was faster, where the time of the slower one went, and how far to believe it.
pub fn verdict(a: &Run, b: &Run) -> String {
    let factor = b.elapsed_ns as f64 / (a.elapsed_ns as f64).max(1.0);
    let difference = if (factor - 1.0).abs() < NOTICEABLE {
        "A and B took equally long, as far as one run each can tell.".to_string()
    } else {
        let (slower, faster, word) = if factor > 1.0 { (b, a, "slower") } else { (a, b, "faster") };
        let more = slower.parts.iter().zip(&faster.parts);
        let more = more.map(|(slow, fast)| (slow.1.saturating_sub(fast.1), slow.0));
        let where_to = match more.max() {
            Some((ns, name)) if ns > 0 => format!(" Most of the difference lies in {name}."),
            _ => String::new(),
        };
        format!("B is {word}: it took {factor:.2} times as long as A.{where_to}")
    };
    let caution = if a.disturbed || b.disturbed {
        "Threads had to wait for processors, so times are partly chance: compare runs with at most as many threads as \
         processors, where nothing else runs."
    } else {
        "Repeat both runs before you believe a small difference."
    };
    format!("{difference} {caution}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(elapsed_ns: u64, tasks: u64, waiting: u64) -> Run {
        let parts = [("tasks and loops", tasks), ("regions' own code", 0), ("waiting", waiting)];
        let parts = [parts[0], parts[1], parts[2], ("time outside regions", 0)];
        Run { elapsed_ns, parts, disturbed: false }
    }

    #[test]
    fn the_larger_part_of_a_difference_is_named() {
        let said = verdict(&run(100, 150, 50), &run(150, 140, 160));
        assert!(said.starts_with("B is slower: it took 1.50 times as long as A."), "{said}");
        assert!(said.contains("Most of the difference lies in waiting."), "{said}");
        let said = verdict(&run(100, 190, 10), &run(60, 110, 10));
        assert!(said.starts_with("B is faster: it took 0.60 times as long as A."), "{said}");
        assert!(said.contains("Most of the difference lies in tasks and loops."), "{said}");
    }

    #[test]
    fn chance_is_not_a_difference() {
        let said = verdict(&run(100, 150, 50), &run(103, 156, 50));
        assert!(said.starts_with("A and B took equally long"), "{said}");
        let disturbed = Run { disturbed: true, ..run(100, 150, 50) };
        assert!(verdict(&disturbed, &run(100, 150, 50)).contains("partly chance"));
    }
}
