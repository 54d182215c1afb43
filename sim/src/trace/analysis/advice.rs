//! What to change, in plain words, each with the numbers it rests on.
//!
//! A rule looks at what was computed and says at most a few things; thresholds stand at the top. Rules speak
//! only of what costs a noticeable share of the time, so a good run gets no advice.

use crate::trace::Trace;

use super::disturbance::Disturbance;
use super::functions::Function;
use super::lanes::Lanes;
use super::path::CriticalPath;
use super::summary::{Summary, share};

/// A task of less than this is not worth a task: creating, queueing and stealing one costs 0.1 us and more.
const SHORT_NS: f64 = 1_000.0;
/// What a task's creation and end take outside its body, where the trace is not able to tell.
const TASK_OVERHEAD_NS: f64 = 150.0;
/// A share of the time, or of a function's data, from which it is worth mentioning.
const NOTICEABLE: f64 = 0.1;
const MUCH_REMOTE: f64 = 0.4;
/// Threads that are busy for less than this share of the busiest one's time make a run imbalanced.
const IMBALANCED: f64 = 0.75;

/// A sentence, and why it is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    pub text: String,
    pub evidence: String,
}

/// Everything that the rules look at.
pub struct Findings<'a> {
    pub trace: &'a Trace,
    pub lanes: &'a Lanes,
    pub summary: &'a Summary,
    pub functions: &'a [Function],
    pub path: &'a CriticalPath,
    pub disturbance: Option<Disturbance>,
}

pub fn advice(of: &Findings<'_>) -> Vec<Advice> {
    let about_functions = short_tasks(of).into_iter().chain(remote_data(of));
    let mut all: Vec<Advice> =
        of.disturbance.map(disturbed).into_iter().chain(about_functions).collect();
    // Events that are missing look like idle threads, and threads that stand still like long tasks.
    let rules: &[fn(&Findings<'_>) -> Option<Advice>] = match of.disturbance {
        _ if !of.trace.whole => &[],
        Some(_) => &[outside],
        None => &[serial_creation, long_chain, imbalance, waiting, outside],
    };
    all.extend(rules.iter().filter_map(|rule| rule(of)));
    all
}

fn disturbed(disturbance: Disturbance) -> Advice {
    let text = match disturbance {
        Disturbance::Crowd { processors, most, .. } => format!(
            "More threads than processors: up to {most} worked at once on {processors}, so tasks took longer than \
             their work, by chance. Run with OMP_NUM_THREADS={processors} before anything else; advice that rests \
             on how long tasks took is held back."
        ),
        Disturbance::Delays { .. } => {
            "Threads waited for processors that something else had: other processes, or more threads of this one. Record \
             it again where nothing else runs; advice that rests on how long tasks took is held back."
                .to_string()
        }
    };
    Advice { text, evidence: disturbance.evidence() }
}

fn short_tasks(of: &Findings<'_>) -> Vec<Advice> {
    let noticeable = of.functions.iter().filter(|function| {
        let overhead_ns = function.count as f64 * TASK_OVERHEAD_NS;
        function.count >= 100
            && function.mean_ns < SHORT_NS
            && overhead_ns > NOTICEABLE * of.summary.split.task_ns as f64
    });
    let say = |function: &Function| {
        let overhead_ns = function.count as f64 * TASK_OVERHEAD_NS;
        let part = overhead_ns / (overhead_ns + function.total_ns as f64);
        Advice {
            text: format!(
                "Tasks of `{}` take {}: about {:.0}% of their time is task overhead. Merge several into one, or \
                 set a cut-off below which no task is made (`if`, `final`, or a plain call).",
                name(of, function),
                time(function.mean_ns),
                part * 100.0
            ),
            evidence: format!(
                "{} tasks of {} on average (99% below {}); making and ending one costs about {}.",
                function.count,
                time(function.mean_ns),
                time(function.p99_ns as f64),
                time(TASK_OVERHEAD_NS)
            ),
        }
    };
    noticeable.map(say).take(3).collect()
}

fn remote_data(of: &Findings<'_>) -> Vec<Advice> {
    let all = of.summary.reach.remote_bytes;
    let noticeable = of.functions.iter().filter_map(|function| {
        let remote = function.reach.remote_share()?;
        let much = remote >= MUCH_REMOTE && share(function.reach.remote_bytes, all) >= NOTICEABLE;
        // A few tasks do not speak for the others.
        let much = much && share(function.with_data, function.count) >= NOTICEABLE;
        much.then_some((function, remote))
    });
    let one_place = held_by_one(of.summary);
    let say = |(function, remote): (&Function, f64)| {
        let cause = match one_place {
            Some((place, part)) => format!(
                "its data came from one location ({}, {:.0}% of all bytes). Allocate each block by itself with \
                 `omp_malloc` and OMP_DATA_DISTRIBUTION=coarse, or touch it first where it will be used.",
                of.trace.locations[place].name,
                part * 100.0
            ),
            None if of.summary.dealt < of.summary.tasks as u64 / 2 => {
                "its data is spread over locations, and most tasks ran where they were created. Give \
                 dependences their sizes (array sections), so that tasks are dealt to their data \
                 (VICINITY_SCHEDULER=locality), and allocate blocks with `omp_malloc`, coarse."
                    .to_string()
            }
            None => "tasks were dealt to their data, and much of it is elsewhere all the same. Allocate what one \
                     task uses together, so that it lies at one location, and have enough tasks for each \
                     location, so that fewer are stolen."
                .to_string(),
        };
        Advice {
            text: format!(
                "{:.0}% of the bytes of `{}` are remote: {cause}",
                remote * 100.0,
                name(of, function)
            ),
            evidence: format!(
                "{} of {} were at another location; mean distance {:.1} where 10 is local. {} of {} tasks were \
                 stolen.",
                bytes(function.reach.remote_bytes),
                bytes(function.reach.bytes),
                function.reach.mean_distance().unwrap_or(0.0),
                function.stolen,
                function.count
            ),
        }
    };
    noticeable.map(say).take(3).collect()
}

/// The location that holds nearly everything, and its share.
fn held_by_one(summary: &Summary) -> Option<(usize, f64)> {
    let held = summary
        .matrix
        .iter()
        .map(|row| row.iter().fold(0_u64, |sum, &bytes| sum.saturating_add(bytes)))
        .enumerate();
    let (place, most) = held.max_by_key(|&(_, bytes)| bytes)?;
    let part = share(most, summary.reach.bytes);
    (part > 0.8 && summary.matrix.len() > 1).then_some((place, part))
}

fn serial_creation(of: &Findings<'_>) -> Option<Advice> {
    let part = share(of.path.region_ns, of.path.length_ns);
    let bound = of.path.length_ns as f64 > 0.5 * of.summary.elapsed_ns as f64;
    let shared = of.summary.threads > 1 && of.summary.tasks > 0;
    (part > 0.4 && bound && shared).then(|| Advice {
        text: "One thread creates the tasks, and that is what the run waits for. Create them from several \
               threads (a `taskloop`, tasks that create tasks, `single` replaced by a worksharing loop), or make \
               them larger."
            .to_string(),
        evidence: format!(
            "{:.0}% of the critical path ({} of {}) is code of regions between tasks.",
            part * 100.0,
            time(of.path.region_ns as f64),
            time(of.path.length_ns as f64)
        ),
    })
}

fn long_chain(of: &Findings<'_>) -> Option<Advice> {
    let &(function, ns) = of.path.by_function.first()?;
    let (part, speedup) = (share(ns, of.path.length_ns), of.path.speedup(of.trace)?);
    let waits = of.summary.efficiency() < 0.8 && of.summary.threads > 1;
    (speedup < 1.5 && part > 0.5 && waits).then(|| Advice {
        text: format!(
            "More threads will not help: the longest chain of tasks that wait for each other is {} of {}. Split \
             `{}`, or let fewer of its tasks depend on each other.",
            time(of.path.length_ns as f64), time(of.summary.elapsed_ns as f64),
            of.trace.names[function as usize]
        ),
        evidence: format!(
            "{} tasks on the critical path; {:.0}% of it is `{}`. Upper bound with unlimited threads: \
             {speedup:.2}x.",
            of.path.tasks.len(), part * 100.0, of.trace.names[function as usize]
        ),
    })
}

fn imbalance(of: &Findings<'_>) -> Option<Advice> {
    let busy: Vec<u64> =
        of.lanes.lanes.iter().map(|lane| lane.split.task_ns + lane.split.chunk_ns).collect();
    let (most, total) = (busy.iter().copied().max()?, busy.iter().sum::<u64>());
    let mean = total as f64 / busy.len() as f64;
    let waits = share(of.summary.split.wait_ns, of.summary.available_ns()) > NOTICEABLE;
    let few = of.functions.iter().max_by_key(|function| function.max_ns)?;
    let matters = share(most, of.summary.elapsed_ns) > 0.25;
    (busy.len() > 1 && mean < IMBALANCED * most as f64 && waits && matters).then(|| Advice {
        text: format!(
            "Threads have unequal work: the busiest works {}, the average {}. Make the largest tasks smaller, \
             create them first, or give them a priority.",
            time(most as f64), time(mean)
        ),
        evidence: format!(
            "The longest task is one of `{}` with {}; {:.0}% of the threads' time is waiting.",
            name(of, few), time(few.max_ns as f64),
            share(of.summary.split.wait_ns, of.summary.available_ns()) * 100.0
        ),
    })
}

fn waiting(of: &Findings<'_>) -> Option<Advice> {
    let part = share(of.summary.split.wait_ns, of.summary.available_ns());
    let names = of.trace.spans.iter().map(|span| of.trace.names[span.name as usize].as_str());
    let barriers = names.filter(|&name| name == "barrier").count();
    let speedup = of.path.speedup(of.trace)?;
    let enough_tasks = speedup > 1.5;
    (part > 0.25 && enough_tasks && barriers > of.summary.threads).then(|| Advice {
        text: "Threads wait at barriers while there would be work for more of them. Replace barriers between \
               phases by dependences (`depend`), or add `nowait` where the next loop does not need this one."
            .to_string(),
        evidence: format!(
            "{:.0}% of the threads' time is waiting, in {barriers} waits at barriers. Upper bound with unlimited \
             threads: {speedup:.1}x.",
            part * 100.0
        ),
    })
}

fn outside(of: &Findings<'_>) -> Option<Advice> {
    let part = share(of.path.outside_ns, of.summary.elapsed_ns);
    (part > 0.3 && of.summary.threads > 1).then(|| Advice {
        text: "Much of the run is outside parallel regions, where one thread works. Move that work into tasks, \
               or look whether it needs to be done."
            .to_string(),
        evidence: format!(
            "{:.0}% of the elapsed time, {}, lies outside every region.",
            part * 100.0, time(of.path.outside_ns as f64)
        ),
    })
}

fn name<'a>(of: &Findings<'a>, function: &Function) -> &'a str {
    &of.trace.names[function.name as usize]
}

/// A time with a unit that keeps it short.
pub fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        ns if ns < 1e3 => return format!("{ns:.0} ns"),
        ns if ns < 1e6 => (ns / 1e3, "us"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    let decimals = if value < 10.0 {
        2
    } else if value < 100.0 {
        1
    } else {
        0
    };
    format!("{value:.decimals$} {unit}")
}

/// A size with a unit that keeps it short.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let (mut value, mut unit) = (bytes as f64, "B");
    for next in UNITS {
        if value < 1024.0 {
            break;
        }
        (value, unit) = (value / 1024.0, next);
    }
    let decimals = usize::from(unit != "B" && value < 100.0);
    format!("{value:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use crate::trace::analysis::Analysis;
    use crate::trace::example::{region, task, trace, wait};

    fn advice(events: &[String]) -> Vec<String> {
        Analysis::of(&trace(events)).advice.into_iter().map(|one| one.text).collect()
    }

    /// Two threads that wait at the end of a region while they run tasks.
    fn team(end: f64) -> Vec<String> {
        vec![
            region(90, 1, 0, (0.0, end)),
            region(91, 1, 1, (0.0, end)),
            wait("join", 90, 0, (0.0, end)),
            wait("join", 91, 1, (0.0, end)),
        ]
    }

    fn both_busy(length: f64, count: u64, more: &str) -> Vec<String> {
        let mut events = team(length * count as f64);
        for id in 0..count {
            let (start, end) = (length * id as f64, length * (id + 1) as f64);
            let more = |at| format!(r#","parent":90,"created":0,"at":{at}{more}"#);
            events.push(task(1000 + id, "foo:1", 0, (start, end), &more(0)));
            events.push(task(9000 + id, "foo:1", 1, (start, end), &more(1)));
        }
        events
    }

    #[test]
    fn a_good_run_gets_none() {
        assert_eq!(advice(&both_busy(100.0, 200, "")), [""; 0]);
    }

    #[test]
    fn short_tasks_are_named() {
        let found = advice(&both_busy(0.4, 200, ""));
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("Tasks of `foo:1` take 400 ns: about 27%"), "{found:?}");
    }

    #[test]
    fn remote_data_is_blamed_on_where_it_lies() {
        let found = advice(&both_busy(100.0, 20, r#","bytes":[900,100]"#));
        assert_eq!(found.len(), 1);
        let start =
            "50% of the bytes of `foo:1` are remote: its data came from one location (node 0, 90%";
        assert!(found[0].starts_with(start), "{found:?}");
    }

    #[test]
    fn spread_data_depends_on_whether_tasks_were_dealt() {
        let found = advice(&both_busy(100.0, 20, r#","bytes":[500,500]"#));
        assert!(found[0].contains("its data is spread over locations"), "{found:?}");
        let found = advice(&both_busy(100.0, 20, r#","bytes":[500,500],"dealt":0"#));
        assert!(found[0].contains("tasks were dealt to their data"), "{found:?}");
    }

    #[test]
    fn a_creator_that_cannot_keep_up_is_seen() {
        let mut events = vec![
            region(90, 1, 0, (0.0, 110.0)),
            region(91, 1, 1, (0.0, 110.0)),
            wait("join", 91, 1, (0.0, 110.0)),
        ];
        for id in 0..50 {
            let start = 2.0 * id as f64 + 2.0;
            let more = format!(r#","parent":90,"created":{start}"#);
            events.push(task(1 + id, "foo:1", 1, (start + 0.1, start + 1.9), &more));
        }
        let found = advice(&events);
        assert!(found.iter().any(|text| text.starts_with("One thread creates")), "{found:?}");
    }

    #[test]
    fn a_chain_is_seen() {
        let mut events = team(100.0);
        for id in 0..10 {
            let start = 10.0 * id as f64;
            let more = format!(r#","parent":90,"created":0,"after":[{id}]"#);
            events.push(task(1 + id, "link:1", 0, (start, start + 10.0), &more));
        }
        let found = advice(&events);
        assert!(
            found.iter().any(|text| text.starts_with("More threads will not help")),
            "{found:?}"
        );
    }

    #[test]
    fn unequal_work_is_seen() {
        let mut events = team(100.0);
        events.push(task(1, "long:1", 0, (0.0, 100.0), r#","parent":90,"created":0"#));
        events.push(task(2, "short:1", 1, (0.0, 20.0), r#","parent":90,"created":0"#));
        let found = advice(&events);
        assert!(
            found.iter().any(|text| text.starts_with("Threads have unequal work")),
            "{found:?}"
        );
    }

    #[test]
    fn barriers_are_seen() {
        let mut events = vec![region(90, 1, 0, (0.0, 80.0)), region(91, 1, 1, (0.0, 80.0))];
        for phase in 0..8_u64 {
            let start = 10.0 * phase as f64;
            let (busy, idle) = (phase % 2, 1 - phase % 2);
            for half in [0.0, 5.0] {
                let more = r#","parent":90,"created":0"#;
                let id = 1 + 2 * phase + u64::from(half > 0.0);
                events.push(task(id, "a:1", busy as u32, (start + half, start + half + 5.0), more));
            }
            events.push(wait("barrier", 90 + idle, idle as u32, (start, start + 10.0)));
        }
        let found = advice(&events);
        assert!(found.iter().any(|text| text.starts_with("Threads wait at barriers")), "{found:?}");
    }

    #[test]
    fn serial_parts_are_seen() {
        let mut events = both_busy(10.0, 10, "");
        events.push(wait("taskwait", 0, 0, (0.0, 200.0)));
        let found = advice(&events);
        assert!(
            found.iter().any(|text| text.starts_with("Much of the run is outside")),
            "{found:?}"
        );
    }
}
