//! What each thread did at every moment: the innermost of what was going on.
//!
//! A thread that waits inside a task runs other tasks meanwhile, so intervals nest. Flattened, a lane is a
//! list of segments without gaps or overlaps; the time a task has on top of the stack is its *self time*.
//! Intervals that cross, as clocks of different cores may make them, are cut where the outer one ends.

use crate::trace::memory::Sample;
use crate::trace::{Body, RegionIndex, SpanKind, TaskIndex, Trace};

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    Nothing,
    Task(TaskIndex),
    /// In a region and in no task: code of the region itself, and the runtime.
    Region(RegionIndex),
    /// Waiting; a position in `Trace::names` says for what.
    Wait(u32),
    /// A share of the loop of this body.
    Chunk(Body),
    /// Writing the trace.
    Write,
}

/// From here to the start of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    pub start_ns: u64,
    pub doing: Doing,
}

/// A thread's time, split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split {
    pub task_ns: u64,
    pub chunk_ns: u64,
    pub region_ns: u64,
    pub wait_ns: u64,
    pub write_ns: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Lane {
    pub segments: Vec<Segment>,
    pub split: Split,
}

impl Lane {
    pub fn doing_at(&self, when_ns: u64) -> Doing {
        let next = self.segments.partition_point(|segment| segment.start_ns <= when_ns);
        next.checked_sub(1).map_or(Doing::Nothing, |at| self.segments[at].doing)
    }
}

/// All threads, and of each task its self time.
#[derive(Clone, Debug)]
pub struct Lanes {
    pub lanes: Vec<Lane>,
    pub self_ns: Vec<u64>,
    /// Intervals that end after what they lie in, by more than rounding, and so were cut.
    pub crossing: u64,
}

impl Lanes {
    /// What a thread did when it was sampled.
    pub fn doing(&self, trace: &Trace, sample: &Sample) -> Doing {
        let lane = trace.threads.iter().position(|thread| thread.tid == sample.thread);
        lane.map_or(Doing::Nothing, |lane| self.lanes[lane].doing_at(sample.when_ns))
    }
}

/// Start and length are rounded apart.
const ROUNDING_NS: u64 = 1;

struct Nested {
    start_ns: u64,
    end_ns: u64,
    doing: Doing,
}

/// Flattens every thread of the trace.
pub fn lanes(trace: &Trace) -> Lanes {
    let mut nested: Vec<Vec<Nested>> = trace.threads.iter().map(|_| Vec::new()).collect();
    for (position, region) in trace.regions.iter().enumerate() {
        let doing = Doing::Region(RegionIndex(position as u32));
        let (start_ns, end_ns) = (region.start_ns, region.end_ns);
        nested[region.thread as usize].push(Nested { start_ns, end_ns, doing });
    }
    for span in &trace.spans {
        let doing = match span.kind {
            SpanKind::Wait | SpanKind::Message => Doing::Wait(span.name),
            SpanKind::Chunk => Doing::Chunk(span.body),
            SpanKind::Write => Doing::Write,
        };
        let (start_ns, end_ns) = (span.start_ns, span.end_ns);
        nested[span.thread as usize].push(Nested { start_ns, end_ns, doing });
    }
    for (position, task) in trace.tasks.iter().enumerate() {
        let doing = Doing::Task(TaskIndex(position as u32));
        let (start_ns, end_ns) = (task.start_ns, task.end_ns);
        nested[task.thread as usize].push(Nested { start_ns, end_ns, doing });
    }
    let mut self_ns = vec![0; trace.tasks.len()];
    let mut crossing = 0;
    let flat = nested.into_iter().map(|nested| flatten(nested, &mut self_ns, &mut crossing));
    Lanes { lanes: flat.collect(), self_ns, crossing }
}

/// The innermost of nested intervals at every moment.
fn flatten(mut nested: Vec<Nested>, self_ns: &mut [u64], crossing: &mut u64) -> Lane {
    nested.sort_by_key(|item| (item.start_ns, std::cmp::Reverse(item.end_ns)));
    let mut lane = Lane::default();
    let mut open: Vec<(u64, Doing)> = Vec::new();
    for item in nested {
        lane.close(&mut open, item.start_ns, self_ns);
        let end_ns = open.last().map_or(item.end_ns, |&(outer, _)| item.end_ns.min(outer));
        *crossing += u64::from(item.end_ns > end_ns + ROUNDING_NS);
        open.push((end_ns, item.doing));
        lane.turn_to(item.start_ns, item.doing, self_ns);
    }
    lane.close(&mut open, u64::MAX, self_ns);
    lane
}

impl Lane {
    /// Ends everything open that ends by `until_ns`.
    fn close(&mut self, open: &mut Vec<(u64, Doing)>, until_ns: u64, self_ns: &mut [u64]) {
        while let Some((end_ns, _)) = open.pop_if(|(end_ns, _)| *end_ns <= until_ns) {
            let below = open.last().map_or(Doing::Nothing, |&(_, doing)| doing);
            self.turn_to(end_ns, below, self_ns);
        }
    }

    /// Accounts for what was done up to `now_ns`, and goes on to `doing`.
    fn turn_to(&mut self, now_ns: u64, doing: Doing, self_ns: &mut [u64]) {
        if let Some(last) = self.segments.last_mut() {
            let spent_ns = now_ns - last.start_ns;
            match last.doing {
                Doing::Nothing => {}
                Doing::Write => self.split.write_ns += spent_ns,
                Doing::Task(task) => {
                    self_ns[task.index()] += spent_ns;
                    self.split.task_ns += spent_ns;
                }
                Doing::Region(_) => self.split.region_ns += spent_ns,
                Doing::Wait(_) => self.split.wait_ns += spent_ns,
                Doing::Chunk(_) => self.split.chunk_ns += spent_ns,
            }
            if spent_ns == 0 {
                last.doing = doing;
                return;
            }
        }
        self.segments.push(Segment { start_ns: now_ns, doing });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::example::{region, task, trace, wait};

    #[test]
    fn the_innermost_counts() {
        let trace = trace(&[
            region(9, 1, 0, (0.0, 10.0)),
            task(1, "outer", 0, (1.0, 8.0), ""),
            wait("taskwait", 1, 0, (2.0, 7.0)),
            task(2, "inner", 0, (3.0, 6.0), ""),
            task(3, "crossing", 0, (5.0, 6.5), ""),
        ]);
        let lanes = lanes(&trace);
        assert_eq!((&lanes.self_ns[..], lanes.crossing), (&[2_000, 2_000, 1_000][..], 1));
        let (task, wait) = (|id| Doing::Task(TaskIndex(id)), Doing::Wait(trace.spans[0].name));
        let expected = [
            (0, Doing::Region(RegionIndex(0))),
            (1_000, task(0)),
            (2_000, wait),
            (3_000, task(1)),
            (5_000, task(2)),
            (6_000, wait),
            (7_000, task(0)),
            (8_000, Doing::Region(RegionIndex(0))),
            (10_000, Doing::Nothing),
        ];
        let expected = expected.map(|(start_ns, doing)| Segment { start_ns, doing });
        assert_eq!(lanes.lanes[0].segments, expected);
        let split = Split { task_ns: 5_000, region_ns: 3_000, wait_ns: 2_000, ..Split::default() };
        assert_eq!(lanes.lanes[0].split, split);
        assert_eq!(lanes.lanes[1].segments, []);
    }
}
