//! Whether threads stood still for want of a processor. Their times contain that, so they say little of their work.

use crate::trace::Trace;

use super::lanes::{Doing, Lanes};
use super::summary::share;

/// Shares of the run below this are a moment of chance, as when one team takes over from another.
const NOTICEABLE: f64 = 0.1;
/// Shares of the threads' time below this change little.
const NOTICEABLE_DELAY: f64 = 0.05;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Disturbance {
    /// More threads were at work than there are processors: the system takes turns among them.
    Crowd {
        processors: u32,
        /// Threads at work at once.
        most: u32,
        /// Of the elapsed time.
        share: f64,
    },
    /// Threads were ready and did not run: other processes had the processors, or waiting threads, or the quota was used up.
    Delays {
        /// Of the time of all threads.
        share: f64,
    },
}

impl Disturbance {
    /// What was seen, as a sentence.
    pub fn evidence(self) -> String {
        match self {
            Disturbance::Crowd { share, .. } => format!(
                "For {:.0}% of the elapsed time more threads were at work than there are processors.",
                share * 100.0
            ),
            Disturbance::Delays { share } => format!(
                "For {:.0}% of their time threads were ready to run and had no processor.",
                share * 100.0
            ),
        }
    }
}

/// None where threads had the processors that they needed, or where the trace does not know.
pub fn disturbance(trace: &Trace, lanes: &Lanes) -> Option<Disturbance> {
    crowd(trace, lanes).or_else(|| delays(trace))
}

fn delays(trace: &Trace) -> Option<Disturbance> {
    let of_all = trace.end_ns.saturating_mul(trace.threads.len() as u64);
    let share = share(trace.run_delay_ns?, of_all);
    (share > NOTICEABLE_DELAY).then_some(Disturbance::Delays { share })
}

/// None where the processors sufficed, or where the trace does not know how many there were.
fn crowd(trace: &Trace, lanes: &Lanes) -> Option<Disturbance> {
    let cores = trace.locations.iter().map(|place| place.cores).sum();
    let of_machine = (trace.enforced && cores > 0).then_some(cores);
    let processors = trace.processors.or(of_machine)?;
    if trace.threads.len() <= processors as usize {
        return None;
    }
    let (mut at_work, mut most, mut crowded_ns, mut since_ns) = (0, 0, 0, 0);
    for (at_ns, change) in changes(trace, lanes) {
        if at_work > i64::from(processors) {
            crowded_ns += at_ns - since_ns;
        }
        (at_work, since_ns) = (at_work + change, at_ns);
        most = at_work.max(most);
    }
    let share = share(crowded_ns, trace.end_ns);
    (share > NOTICEABLE).then_some(Disturbance::Crowd { processors, most: most as u32, share })
}

/// When a thread begins to work, and when it ceases.
fn changes(trace: &Trace, lanes: &Lanes) -> Vec<(u64, i64)> {
    let mut changes = Vec::new();
    for lane in &lanes.lanes {
        let mut was_at_work = false;
        for segment in &lane.segments {
            let is_at_work =
                matches!(segment.doing, Doing::Task(_) | Doing::Region(_) | Doing::Chunk(_));
            if is_at_work != was_at_work {
                changes.push((segment.start_ns, if is_at_work { 1 } else { -1 }));
            }
            was_at_work = is_at_work;
        }
        if was_at_work {
            changes.push((trace.end_ns, -1));
        }
    }
    // At one moment those that cease come first: a thread that takes over makes no crowd.
    changes.sort_unstable();
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::analysis::lanes::lanes;
    use crate::trace::example::{task, text};
    use crate::trace::read;

    fn crowd_of(processors: &str, events: &[String]) -> Option<Disturbance> {
        let text = text(events).replace("\"started\"", &format!("{processors}\"started\""));
        let trace = read(text.as_bytes()).expect("a trace");
        disturbance(&trace, &lanes(&trace))
    }

    #[test]
    fn threads_at_work_are_counted_and_waiting_ones_are_not() {
        let events: Vec<String> = (0..4)
            .map(|tid| task(1 + u64::from(tid), "a", tid, (f64::from(tid), 10.0), ""))
            .collect();
        let one = crowd_of("\"processors\":1,", &events);
        assert_eq!(one, Some(Disturbance::Crowd { processors: 1, most: 4, share: 0.9 }));
        // The example's machine has two cores.
        let two = Disturbance::Crowd { processors: 2, most: 4, share: 0.8 };
        assert_eq!(crowd_of("", &events), Some(two));
        assert_eq!(crowd_of("\"processors\":4,", &events), None);
    }

    #[test]
    fn delays_count_where_there_is_no_crowd() {
        let events = [task(1, "a", 0, (0.0, 10.0), ""), task(2, "a", 1, (0.0, 10.0), "")];
        let of = |delay_ns: u64| {
            let end = format!("\"run_delay_ns\":{delay_ns},\"missing_events\"");
            let text = text(&events).replace("\"missing_events\"", &end);
            let trace = read(text.as_bytes()).expect("a trace");
            disturbance(&trace, &lanes(&trace))
        };
        assert_eq!(of(5_000), Some(Disturbance::Delays { share: 0.25 }));
        assert_eq!(of(500), None);
    }

    #[test]
    fn threads_that_take_turns_are_no_crowd() {
        let turns: Vec<String> = (0..4)
            .map(|tid| {
                let start = 10.0 * f64::from(tid);
                task(1 + u64::from(tid), "a", tid, (start, start + 10.0), "")
            })
            .collect();
        assert_eq!(crowd_of("\"processors\":1,", &turns), None);
    }
}
