//! A recorded run as a program: what would have happened on another machine, or under another policy.
//!
//! A task does what it did: its self time, split where it created tasks and where it waited. The members of
//! a parallel region that created tasks become tasks themselves, which the root creates region after region.
//! Time outside of regions is left out.
//!
//! A recorded time contains the waiting for memory as it was then. What the model says of that, for the
//! recorded bytes and distances, alone, at the local latency of the machine to simulate, is taken off; a tenth
//! at least stays as computation. Data stay at the recorded locations (modulo the number of locations) unless
//! they are distributed `fine`: what is where is known by location only.
//!
//! Units: nanoseconds in the trace, picoseconds here.

use std::collections::BTreeMap;

use vicinity_policy::topology::LocationId;

use crate::machine::{LINE_BYTES, Machine};
use crate::program::{Access, Builder, Program, Step, TaskId, Use};
use crate::trace::analysis::{Doing, Lanes, lanes};
use crate::trace::{Body, RegionIndex, SpanKind, TaskIndex, Trace};

/// What happened in a body, in the order of time.
#[derive(Default)]
struct Story {
    events: Vec<(u64, Event)>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// It was on top of its thread until then.
    Ran {
        until_ns: u64,
    },
    Created(TaskIndex),
    Waited,
}

/// The program of a trace, for this machine.
pub fn program(trace: &Trace, machine: &Machine) -> Program {
    program_with_data(trace, machine, None)
}

/// The same, with all data at one location, where the first touch of one thread would have put them; with none, where they were.
pub fn program_with_data(trace: &Trace, machine: &Machine, at: Option<LocationId>) -> Program {
    let mut stories = stories(trace, &lanes(trace));
    let mut builder = Builder::default();
    let regions = data_regions(trace, at, &mut builder);
    let mut ids: Vec<Option<TaskId>> = vec![None; trace.tasks.len()];
    for index in deepest_first(trace) {
        let task = &trace.tasks[index.index()];
        let bytes = trace.bytes_of(task).iter().filter(|&&(_, bytes)| bytes > 0);
        let uses: Vec<Use> = bytes
            .map(|&(at, bytes)| Use::of(regions[at.index()], 0, bytes, Access::ReadWrite))
            .collect();
        let story = stories.remove(&key(Body::Task(index))).unwrap_or_default();
        let waited_ps = waited_ps(trace, index, machine);
        let mut steps = story.steps(&ids);
        take_off(&mut steps, waited_ps);
        if !uses.is_empty() {
            go_over_data(&mut steps);
        }
        let after = trace.after_of(task).iter().filter_map(|before| ids[before.index()]);
        let after: Vec<TaskId> = after.collect();
        ids[index.index()] = Some(builder.task(trace.name_of(task), &uses, &after, &steps));
    }
    let steps = root(trace, &mut stories, &mut builder, &ids);
    builder.finish(format!("{} (recorded)", trace.program), &[], &steps)
}

/// Orders bodies in maps.
fn key(body: Body) -> (u8, u32) {
    match body {
        Body::Outside => (0, 0),
        Body::Region(RegionIndex(at)) => (1, at),
        Body::Task(TaskIndex(at)) => (2, at),
    }
}

fn stories(trace: &Trace, lanes: &Lanes) -> BTreeMap<(u8, u32), Story> {
    let mut stories: BTreeMap<(u8, u32), Story> = BTreeMap::new();
    let mut tell = |body: Body, at_ns: u64, event: Event| {
        stories.entry(key(body)).or_default().events.push((at_ns, event));
    };
    for lane in &lanes.lanes {
        for (at, segment) in lane.segments.iter().enumerate() {
            let until_ns = lane.segments.get(at + 1).map_or(trace.end_ns, |next| next.start_ns);
            let ran = Event::Ran { until_ns };
            match segment.doing {
                Doing::Task(task) => tell(Body::Task(task), segment.start_ns, ran),
                Doing::Region(region) => tell(Body::Region(region), segment.start_ns, ran),
                _ => {}
            }
        }
    }
    for (at, task) in trace.tasks.iter().enumerate() {
        tell(task.parent, task.created_ns, Event::Created(TaskIndex(at as u32)));
    }
    for span in trace.spans.iter().filter(|span| span.kind == SpanKind::Wait) {
        tell(span.body, span.start_ns, Event::Waited);
    }
    stories.values_mut().for_each(|story| story.events.sort_unstable());
    stories
}

/// Tasks whose creators come after them; those of one creator in the order of creation.
fn deepest_first(trace: &Trace) -> Vec<TaskIndex> {
    let mut depths: Vec<u32> = vec![0; trace.tasks.len()];
    for at in 0..trace.tasks.len() {
        // Creators are usually recorded before; follow the chain where not, at most its whole length.
        let (mut depth, mut body) = (0, trace.tasks[at].parent);
        while let Body::Task(parent) = body {
            if depth as usize > trace.tasks.len() {
                break;
            }
            if parent.index() < at {
                depth += depths[parent.index()] + 1;
                break;
            }
            depth += 1;
            body = trace.tasks[parent.index()].parent;
        }
        depths[at] = depth;
    }
    let mut order: Vec<TaskIndex> = (0..trace.tasks.len() as u32).map(TaskIndex).collect();
    order.sort_by_key(|at| std::cmp::Reverse(depths[at.index()]));
    order
}

/// A region for each recorded location, as large as the largest footprint there; all at `at`, if there is one.
fn data_regions(trace: &Trace, at: Option<LocationId>, builder: &mut Builder) -> Vec<u32> {
    let mut most = vec![0; trace.topology.len()];
    for &(at, bytes) in &trace.bytes {
        most[at.index()] = bytes.max(most[at.index()]);
    }
    let region = |(recorded, &bytes): (usize, &u64)| {
        builder.recorded_region(bytes, at.unwrap_or(LocationId(recorded as u16)))
    };
    most.iter().enumerate().map(region).collect()
}

/// What the model says the task waited for memory, where it ran.
fn waited_ps(trace: &Trace, index: TaskIndex, machine: &Machine) -> u64 {
    let task = &trace.tasks[index.index()];
    let local_ps = machine.latency_ps(LocationId(0), LocationId(0));
    let wait = |&(at, bytes): &(LocationId, u64)| {
        let latency_ps = local_ps * u64::from(trace.topology.distance(task.at, at)) / 10;
        bytes / (LINE_BYTES * machine.misses_in_flight) * latency_ps
    };
    trace.bytes_of(task).iter().map(wait).sum()
}

impl Story {
    fn steps(&self, ids: &[Option<TaskId>]) -> Vec<Step> {
        let mut steps = Vec::new();
        let compute = |steps: &mut Vec<Step>, from_ns: u64, until_ns: u64| {
            if until_ns > from_ns {
                steps.push(Step::Compute { compute_ps: (until_ns - from_ns) * 1000 });
            }
        };
        // From when on the body is on top of its thread, and until when, as far as is known.
        let (mut from_ns, mut until_ns) = (0, 0);
        for &(at_ns, event) in &self.events {
            let split_ns = at_ns.min(until_ns);
            compute(&mut steps, from_ns, split_ns);
            from_ns = from_ns.max(split_ns);
            match event {
                Event::Ran { until_ns: until } => (from_ns, until_ns) = (at_ns, until),
                Event::Created(child) => {
                    steps.extend(ids[child.index()].map(Step::Create));
                }
                Event::Waited => steps.push(Step::Wait),
            }
        }
        compute(&mut steps, from_ns, until_ns);
        steps
    }
}

/// Takes waiting for memory off the computation, evenly; a tenth stays.
fn take_off(steps: &mut [Step], waited_ps: u64) {
    let total_ps: u64 = steps.iter().map(compute_of).sum();
    let keep_ps = total_ps.saturating_sub(waited_ps).max(total_ps / 10);
    for step in steps {
        if let Step::Compute { compute_ps } = step {
            let share = u128::from(*compute_ps) * u128::from(keep_ps) / u128::from(total_ps.max(1));
            *compute_ps = share as u64;
        }
    }
}

fn compute_of(step: &Step) -> u64 {
    match *step {
        Step::Compute { compute_ps } | Step::Work { compute_ps } => compute_ps,
        Step::Create(_) | Step::Wait => 0,
    }
}

/// The longest computation is what goes over the task's data.
fn go_over_data(steps: &mut Vec<Step>) {
    let longest = (0..steps.len()).max_by_key(|&at| compute_of(&steps[at]));
    match longest.map(|at| &mut steps[at]) {
        Some(step @ Step::Compute { .. }) => *step = Step::Work { compute_ps: compute_of(step) },
        _ => steps.push(Step::Work { compute_ps: 0 }),
    }
}

/// Region after region, the members that created tasks.
fn root(
    trace: &Trace,
    stories: &mut BTreeMap<(u8, u32), Story>,
    builder: &mut Builder,
    ids: &[Option<TaskId>],
) -> Vec<Step> {
    let mut teams: BTreeMap<(u64, u64), Vec<RegionIndex>> = BTreeMap::new();
    for (at, region) in trace.regions.iter().enumerate() {
        let start = trace.regions.iter().filter(|other| other.region == region.region);
        let start_ns = start.map(|other| other.start_ns).min().unwrap_or(0);
        teams.entry((start_ns, region.region)).or_default().push(RegionIndex(at as u32));
    }
    let outside = stories.remove(&key(Body::Outside)).unwrap_or_default();
    let mut steps = outside.steps(ids);
    for members in teams.into_values() {
        let mut created = false;
        for member in members {
            let story = stories.remove(&key(Body::Region(member))).unwrap_or_default();
            let body = story.steps(ids);
            if body.iter().any(|step| matches!(step, Step::Create(_))) {
                let name = &trace.names[trace.regions[member.index()].name as usize];
                steps.push(Step::Create(builder.task(name, &[], &[], &body)));
                created = true;
            }
        }
        if created {
            steps.push(Step::Wait);
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::example;
    use vicinity_policy::presets;

    #[test]
    fn a_recorded_run_becomes_a_program() {
        let task = |id, times, more: &str| example::task(id, "work", 1, times, more);
        let trace = example::trace(&[
            example::region(1, 1, 0, (0.0, 50.0)),
            example::wait("barrier", 1, 0, (10.0, 50.0)),
            task(
                2,
                (10.0, 30.0),
                r#","parent":1,"created":4.0,"ready":4.0,"at":1,"bytes":[0,65536]"#,
            ),
            task(3, (30.0, 45.0), r#","parent":1,"created":8.0,"ready":30.0,"at":1,"after":[2]"#),
        ]);
        let machine = Machine::new(presets::named("opteron6172").unwrap());
        let program = program(&trace, &machine);
        assert_eq!(program.tasks.len(), 4);
        let member = program.tasks.iter().position(|task| task.depth == 1).unwrap() as TaskId;
        assert_eq!(
            program.steps_of(member),
            [
                Step::Compute { compute_ps: 4_000_000 },
                Step::Create(0),
                Step::Compute { compute_ps: 4_000_000 },
                Step::Create(1),
                Step::Compute { compute_ps: 2_000_000 },
                Step::Wait,
            ]
        );
        // 1024 lines, eight at a time, of 75 ns.
        let alone_ps = 20_000_000 - 128 * 75_000;
        assert_eq!(program.steps_of(0), [Step::Work { compute_ps: alone_ps }]);
        assert_eq!(program.steps_of(1), [Step::Compute { compute_ps: 15_000_000 }]);
        assert_eq!(program.after_of(1), [0]);
        assert_eq!(program.regions[1].recorded, Some(LocationId(1)));
        assert_eq!(program.steps_of(program.root).len(), 2);
        let elsewhere = program_with_data(&trace, &machine, Some(LocationId(3)));
        assert_eq!(elsewhere.regions[1].recorded, Some(LocationId(3)));
    }
}
