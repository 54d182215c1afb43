//! The critical path: the chain of work that no number of workers makes shorter.
//!
//! `replay` gives the clocks; this walks back from the end through the last cause of every jump, and adds up
//! whose code lies on the way.

use std::collections::HashMap;

use crate::trace::{Body, TaskIndex, Trace};

use super::lanes::Lanes;
use super::replay::{Node, OUTSIDE, Replay, replay};

/// What the rounding of times may add to a path.
const MOST_LONGER: f64 = 1.01;

#[derive(Clone, Debug, PartialEq)]
pub struct CriticalPath {
    /// How long the program would take with a worker for every task.
    pub length_ns: u64,
    /// Explicit tasks on the path, last one first.
    pub tasks: Vec<TaskIndex>,
    /// On the path, by function (a position in `Trace::names`), most first.
    pub by_function: Vec<(u32, u64)>,
    /// Code of regions between their tasks, which creates them for the most part.
    pub region_ns: u64,
    /// The program outside of regions.
    pub outside_ns: u64,
}

impl CriticalPath {
    /// How much faster unlimited threads would be, at no cost and with every access as it was. Unknown where events
    /// are missing, or contradict each other so that the path is longer than the run.
    pub fn speedup(&self, trace: &Trace) -> Option<f64> {
        let possible = self.length_ns as f64 <= trace.end_ns as f64 * MOST_LONGER;
        let times = trace.end_ns as f64 / (self.length_ns as f64).max(1.0);
        (trace.whole && possible).then(|| times.max(1.0))
    }
}

pub fn critical_path(trace: &Trace, lanes: &Lanes) -> CriticalPath {
    let mut replay = replay(trace, lanes);
    let mut path = CriticalPath {
        length_ns: replay.clock_ns[OUTSIDE as usize],
        tasks: Vec::new(),
        by_function: Vec::new(),
        region_ns: 0,
        outside_ns: 0,
    };
    let mut by_function: HashMap<u32, u64> = HashMap::new();
    let (mut node, mut position_ns) = (OUTSIDE, path.length_ns);
    while position_ns > 0 {
        let (before_ns, cause) = step_back(&mut replay, node, position_ns);
        let own_ns = position_ns - before_ns;
        match replay.body(node) {
            Body::Outside => path.outside_ns += own_ns,
            Body::Region(_) => path.region_ns += own_ns,
            Body::Task(task) => {
                *by_function.entry(trace.tasks[task.index()].name).or_default() += own_ns;
                if path.tasks.last() != Some(&task) {
                    path.tasks.push(task);
                }
            }
        }
        let Some(cause) = cause else { break };
        (node, position_ns) = (cause, before_ns);
    }
    path.by_function = by_function.into_iter().collect();
    path.by_function.sort_by_key(|&(name, ns)| (std::cmp::Reverse(ns), name));
    path
}

/// From a moment on a node's clock to its last jump before, or to its start: when that was, and whose clock
/// goes on from there. Nobody's at the very beginning.
fn step_back(replay: &mut Replay, node: Node, position_ns: u64) -> (u64, Option<Node>) {
    let last = &mut replay.last_join[node as usize];
    // Moments only go back, so jumps after this one are never needed again.
    while let Some(join) = replay.joins.get(*last as usize) {
        *last = join.previous;
        if join.after_ns <= position_ns {
            return (join.after_ns, Some(join.cause));
        }
    }
    if node == OUTSIDE {
        return (0, None);
    }
    (replay.start_ns[node as usize], Some(replay.start_cause[node as usize]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::analysis::lanes::lanes;
    use crate::trace::example::{region, task, trace, wait};

    fn path(events: &[String]) -> (CriticalPath, Trace) {
        let trace = trace(events);
        (critical_path(&trace, &lanes(&trace)), trace)
    }

    fn functions(path: &CriticalPath, trace: &Trace) -> Vec<(String, u64)> {
        let named = |&(name, ns): &(u32, u64)| (trace.names[name as usize].clone(), ns);
        path.by_function.iter().map(named).collect()
    }

    /// One thread creates four tasks of 2 us in 1 us, runs two of them, as does another one.
    #[test]
    fn independent_tasks_cost_one() {
        let created = |at: f64| format!(r#","parent":90,"created":{at}"#);
        let (path, trace) = path(&[
            region(90, 1, 0, (0.0, 6.0)),
            region(91, 1, 1, (0.0, 6.0)),
            wait("join", 90, 0, (1.0, 6.0)),
            wait("join", 91, 1, (0.0, 6.0)),
            task(1, "a", 0, (1.0, 3.0), &created(0.25)),
            task(2, "a", 0, (3.0, 5.0), &created(0.5)),
            task(3, "a", 1, (1.0, 3.0), &created(0.75)),
            task(4, "a", 1, (3.0, 5.0), &created(1.0)),
        ]);
        assert_eq!((path.length_ns, path.region_ns, path.outside_ns), (3_000, 1_000, 0));
        assert_eq!(functions(&path, &trace), [("a".to_string(), 2_000)]);
        assert_eq!(path.tasks, [TaskIndex(3)]);
        assert_eq!(path.speedup(&trace), Some(2.0));
    }

    #[test]
    fn dependences_and_waits_are_followed() {
        let (path, trace) = path(&[
            region(90, 1, 0, (1.0, 20.0)),
            wait("taskwait", 90, 0, (2.0, 14.0)),
            task(1, "first", 0, (2.0, 5.0), r#","parent":90,"created":1.5"#),
            task(2, "second", 0, (5.0, 9.0), r#","parent":90,"created":1.5,"after":[1]"#),
            task(3, "alone", 0, (9.0, 14.0), r#","parent":90,"created":1.75"#),
            task(4, "last", 0, (15.0, 20.0), r#","parent":90,"created":15"#),
            r#"{"ph":"X","cat":"wait","name":"taskwait","tid":1,"ts":0,"dur":22,"args":{}}"#
                .to_string(),
        ]);
        // 1 before the region, 0.5 to the creation, 3 + 4, then 1 to the last creation, 5, and 2 after it.
        assert_eq!(path.length_ns, 1_000 + 500 + 7_000 + 1_000 + 5_000 + 2_000);
        assert_eq!((path.region_ns, path.outside_ns), (1_500, 3_000));
        let expected = [("last", 5_000), ("second", 4_000), ("first", 3_000)];
        assert_eq!(functions(&path, &trace), expected.map(|(name, ns)| (name.to_string(), ns)));
        assert_eq!(path.tasks, [3, 1, 0].map(TaskIndex));
    }

    #[test]
    fn members_meet_at_barriers() {
        let (path, _) = path(&[
            region(90, 1, 0, (0.0, 20.0)),
            region(91, 1, 1, (0.0, 20.0)),
            // Both phases last as long as the slower member: 8 and 10.
            wait("barrier", 90, 0, (2.0, 8.0)),
            wait("join", 91, 1, (10.0, 18.0)),
        ]);
        assert_eq!((path.length_ns, path.region_ns), (20_000, 20_000));
    }

    #[test]
    fn what_ran_inside_its_creator_stays_there() {
        let inside = |id, times| task(id, "a", 0, times, r#","parent":90,"kind":"included""#);
        let (path, _) =
            path(&[region(90, 1, 0, (0.0, 9.0)), inside(1, (1.0, 4.0)), inside(2, (4.0, 8.0))]);
        assert_eq!((path.length_ns, path.region_ns), (9_000, 2_000));
    }

    #[test]
    fn nonsense_ends() {
        let (path, trace) = path(&[
            task(1, "a", 0, (0.0, 4.0), r#","parent":2,"after":[2]"#),
            task(2, "b", 0, (0.0, 4.0), r#","parent":1,"after":[1],"created":3"#),
            task(3, "c", 1, (4.0, 4.0), r#","parent":3,"after":[3]"#),
            region(4, 1, 0, (2.0, 9.0)),
            wait("barrier", 4, 0, (1.0, 1.0)),
        ]);
        assert!(path.length_ns <= trace.end_ns);
    }
}
