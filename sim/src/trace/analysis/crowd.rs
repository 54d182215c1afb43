//! More threads at work than there are processors: the system takes turns among them, and a thread's times contain the
//! time it stood still.

use crate::trace::Trace;

use super::lanes::{Doing, Lanes};
use super::summary::share;

/// Shares of the run below this are a moment of chance, as when one team takes over from another.
const NOTICEABLE: f64 = 0.1;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crowd {
    pub processors: u32,
    /// Threads at work at once.
    pub most: u32,
    /// Of the elapsed time.
    pub share: f64,
}

/// None where the processors sufficed, or where the trace does not know how many there were.
pub fn crowd(trace: &Trace, lanes: &Lanes) -> Option<Crowd> {
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
    (share > NOTICEABLE).then_some(Crowd { processors, most: most as u32, share })
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

    fn crowd_of(processors: &str, events: &[String]) -> Option<Crowd> {
        let text = text(events).replace("\"started\"", &format!("{processors}\"started\""));
        let trace = read(text.as_bytes()).expect("a trace");
        crowd(&trace, &lanes(&trace))
    }

    #[test]
    fn threads_at_work_are_counted_and_waiting_ones_are_not() {
        let events: Vec<String> = (0..4)
            .map(|tid| task(1 + u64::from(tid), "a", tid, (f64::from(tid), 10.0), ""))
            .collect();
        let one = crowd_of("\"processors\":1,", &events);
        assert_eq!(one, Some(Crowd { processors: 1, most: 4, share: 0.9 }));
        // The example's machine has two cores.
        assert_eq!(crowd_of("", &events), Some(Crowd { processors: 2, most: 4, share: 0.8 }));
        assert_eq!(crowd_of("\"processors\":4,", &events), None);
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
