//! What a run loses in its regions and loops, and between them.
//!
//! Each rule states what it would save at most, as a share of the elapsed time, and says nothing below [`WORTHWHILE`]. Where threads
//! had to wait for processors, nothing is said that rests on how long they took.

use serde::Serialize;

use super::WORTHWHILE;
use super::regions::{Site, Sites};
use crate::trace::Trace;
use crate::trace::analysis::{Analysis, Disturbance, Doing, Lanes, share, time};
use crate::trace::memory::Sample;

/// Work is unequal if the mean thread is busy for less than this share of the busiest one's time.
const UNEQUAL: f64 = 0.85;
/// Regions that are executed less often cost nothing to begin.
const OFTEN: usize = 50;
/// A region whose threads are busy for less than this share of it is too short.
const MOSTLY_BUSY: f64 = 0.7;
const MUCH_SERIAL: f64 = 0.1;
const MUCH_SPINNING: f64 = 0.2;
/// Gaps between regions that are named.
const MOST_GAPS: usize = 3;

/// Something that costs time, and what to do about it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// `imbalance`, `short_region`, `barriers`, `serial`, `spinning`, `crowd`, `delays`.
    pub kind: &'static str,
    /// `file:line`, or what else the construct is called; none where it is the whole run.
    pub place: Option<String>,
    pub text: String,
    pub evidence: String,
    /// Of the elapsed time, at most.
    pub saves: f64,
    /// Variables that help without a change of the program.
    pub settings: Vec<(String, String)>,
}

/// `is_own`: the run is to be repeated on the machine that was traced.
pub fn findings(trace: &Trace, analysis: &Analysis, sites: &Sites, is_own: bool) -> Vec<Finding> {
    let elapsed_ns = trace.end_ns.max(1);
    let mut found: Vec<Finding> = Vec::new();
    match analysis.disturbance {
        Some(disturbance) => found.push(disturbed(disturbance, is_own)),
        None if has_too_many_threads(trace, sites) => {}
        None => {
            for site in &sites.sites {
                found.extend(unequal(site, elapsed_ns));
                found.extend(barriers(site, elapsed_ns));
                found.extend(short(site, elapsed_ns));
            }
        }
    }
    found.extend(serial(trace, sites, elapsed_ns));
    found.extend(spinning(trace, &analysis.lanes));
    found.retain(|finding| finding.saves >= WORTHWHILE);
    found.sort_by(|a, b| b.saves.total_cmp(&a.saves));
    found
}

/// Whether a team has more threads than the program could use processors: they wait for each other then, whatever they do.
pub fn has_too_many_threads(trace: &Trace, sites: &Sites) -> bool {
    let threads = sites.sites.iter().map(|site| site.threads).max().unwrap_or(0);
    trace.processors.is_some_and(|processors| threads > processors as usize)
}

fn disturbed(disturbance: Disturbance, is_own: bool) -> Finding {
    let rest = "How long threads took says little then, so nothing is said of loops and regions.";
    let (kind, share, text) = match disturbance {
        Disturbance::Crowd { processors, most, share } => {
            let remedy = match is_own {
                true => format!("Use {processors} threads, and record again."),
                false => "Record it where each thread has a processor.".to_string(),
            };
            let start = format!(
                "More threads than processors: up to {most} worked at once on {processors}."
            );
            ("crowd", share, format!("{start} {remedy} {rest}"))
        }
        Disturbance::Delays { share } => {
            let start = "Threads waited for processors that something else had: other processes, or more threads of this one. \
                         Record it again where nothing else runs.";
            ("delays", share, format!("{start} {rest}"))
        }
    };
    let settings = match disturbance {
        Disturbance::Crowd { processors, .. } if is_own => {
            vec![("OMP_NUM_THREADS".to_string(), processors.to_string())]
        }
        _ => Vec::new(),
    };
    let evidence = disturbance.evidence();
    Finding { kind, place: None, text, evidence, saves: share, settings }
}

/// Loops whose threads have unequal work.
fn unequal(site: &Site, elapsed_ns: u64) -> Vec<Finding> {
    let balances = site.balances();
    let several = balances.len() > 1;
    let say = |(at, balance): (usize, &super::regions::Balance)| {
        let part = share(balance.mean_ns, balance.busiest_ns);
        if part >= UNEQUAL || balance.busiest_ns == 0 || site.has_tasks {
            return None;
        }
        let which = match several {
            true => format!(" before its barrier {} of {}", at + 1, balances.len()),
            false => String::new(),
        };
        let always = 4 * balance.same_busiest >= 3 * balance.executions;
        let (remedy, settings) = match (site.has_chunks, always) {
            (true, _) => {
                ("Its iterations are handed out already: smaller chunks even out more.", vec![])
            }
            (false, true) => (
                "The same thread has most to do each time, so iterations differ: give the loop schedule(dynamic), with chunks of \
                 some tens of iterations if they are short, or schedule(runtime) and OMP_SCHEDULE=dynamic.",
                vec![("OMP_SCHEDULE".to_string(), "dynamic".to_string())],
            ),
            (false, false) => (
                "Another thread is the last each time: something disturbs them, or iterations change. schedule(guided), or \
                 schedule(runtime) and OMP_SCHEDULE=guided, evens that out.",
                vec![("OMP_SCHEDULE".to_string(), "guided".to_string())],
            ),
        };
        Some(Finding {
            kind: "imbalance",
            place: Some(site.place().to_string()),
            text: format!("The threads of {}{which} have unequal work. {remedy}", site.place()),
            evidence: format!(
                "The busiest of {} threads works {}, the mean {} ({} executions).",
                site.threads,
                time(balance.busiest_ns as f64 / balance.executions as f64),
                time(balance.mean_ns as f64 / balance.executions as f64),
                balance.executions
            ),
            saves: share(balance.lost_ns(), elapsed_ns),
            settings,
        })
    };
    balances.iter().enumerate().filter_map(say).collect()
}

/// Barriers inside a region at which different threads are late.
fn barriers(site: &Site, elapsed_ns: u64) -> Option<Finding> {
    let lost_ns = site.lost_at_inner_barriers_ns();
    (lost_ns > 0).then(|| Finding {
        kind: "barriers",
        place: Some(site.place().to_string()),
        text: format!(
            "At the barriers inside {} different threads are late. Where a loop does not need what the one before it computed \
             in other threads' iterations, `nowait` on the earlier one saves the wait.",
            site.place()
        ),
        evidence: format!("Without them, {} executions would take {} less in all.", site.executions.len(), time(lost_ns as f64)),
        saves: share(lost_ns, elapsed_ns),
        settings: Vec::new(),
    })
}

/// Regions that take about as long to begin and end as they work.
fn short(site: &Site, elapsed_ns: u64) -> Option<Finding> {
    let count = site.executions.len();
    let busy = |pick: fn(&[u64]) -> u64| -> u64 {
        let each = site.executions.iter().map(|execution| {
            let busy: Vec<u64> = execution.parts.iter().map(|part| part.busy_ns).collect();
            pick(&busy)
        });
        each.sum()
    };
    let busiest_ns = busy(|parts| parts.iter().copied().max().unwrap_or(0));
    let work_ns = busy(|parts| parts.iter().sum());
    let region_ns = site.elapsed_ns();
    if count < OFTEN || share(busiest_ns, region_ns) >= MOSTLY_BUSY {
        return None;
    }
    let each = |ns: u64| time(ns as f64 / count as f64);
    let alone = work_ns < region_ns;
    let (remedy, saved_ns) = match alone {
        true => (
            format!("One thread would do it in {}: an `if` clause, or num_threads(1), is faster.", each(work_ns)),
            region_ns - work_ns,
        ),
        false => (
            "Put several of these regions, or the loop around them, into one region; or use fewer threads.".to_string(),
            region_ns - busiest_ns,
        ),
    };
    Some(Finding {
        kind: "short_region",
        place: Some(site.place().to_string()),
        text: format!(
            "The region at {} is too short for {} threads. {remedy}",
            site.place(),
            site.threads
        ),
        evidence: format!(
            "It takes {}, of which the busiest thread works {}; {count} executions.",
            each(region_ns),
            each(busiest_ns)
        ),
        saves: share(saved_ns, elapsed_ns),
        settings: Vec::new(),
    })
}

/// Time in which one thread works, after Amdahl (1967).
fn serial(trace: &Trace, sites: &Sites, elapsed_ns: u64) -> Option<Finding> {
    let mut all: Vec<(u64, u64, &str)> = sites
        .sites
        .iter()
        .flat_map(|site| site.executions.iter().map(|it| (it.start_ns, it.end_ns, site.place())))
        .collect();
    all.sort_unstable();
    let threads = sites.sites.iter().map(|site| site.threads).max()?;
    let (mut until_ns, mut serial_ns) = (0, 0);
    let mut gaps: std::collections::BTreeMap<&str, u64> = std::collections::BTreeMap::new();
    for (start_ns, end_ns, place) in all {
        let gap_ns = start_ns.saturating_sub(until_ns);
        serial_ns += gap_ns;
        *gaps.entry(place).or_default() += gap_ns;
        until_ns = until_ns.max(end_ns);
    }
    serial_ns += trace.end_ns.saturating_sub(until_ns);
    let part = share(serial_ns, elapsed_ns);
    if part < MUCH_SERIAL {
        return None;
    }
    let mut gaps: Vec<_> = gaps.into_iter().filter(|&(_, ns)| ns > serial_ns / 20).collect();
    gaps.sort_by_key(|&(_, ns)| std::cmp::Reverse(ns));
    let named: Vec<String> = gaps
        .iter()
        .take(MOST_GAPS)
        .map(|(place, ns)| format!("{} before {place}", time(*ns as f64)))
        .collect();
    let lies =
        if named.is_empty() { String::new() } else { format!(" It lies {}.", named.join(", ")) };
    Some(Finding {
        kind: "serial",
        place: None,
        text: format!(
            "One thread works alone for {:.0}% of the time. With any number of threads the run cannot become more than {:.1} \
             times as fast as now (Amdahl's law): share that work out, or look whether it has to be done.{lies}",
            100.0 * part,
            1.0 / part.max(f64::MIN_POSITIVE)
        ),
        evidence: format!(
            "{} of {} are outside of regions of several threads.",
            time(serial_ns as f64),
            time(elapsed_ns as f64)
        ),
        saves: part * (1.0 - 1.0 / threads as f64),
        settings: Vec::new(),
    })
}

/// Processor time that waiting threads used up: a thread that sleeps is not sampled. Where it is seen says little: it may be in the
/// C library, giving way to others.
fn spinning(trace: &Trace, lanes: &Lanes) -> Option<Finding> {
    let all = trace.memory.samples.len();
    let waits =
        |sample: &&Sample| matches!(lanes.doing(trace, sample), Doing::Wait(_) | Doing::Nothing);
    let spun = trace.memory.samples.iter().filter(waits).count();
    let part = spun as f64 / all.max(1) as f64;
    // Where events are missing, nobody knows who waited.
    if trace.missing_events > 0 || all < super::ENOUGH_SAMPLES as usize || part < MUCH_SPINNING {
        return None;
    }
    let used = time(spun as f64 * trace.memory.every_ns as f64);
    Some(Finding {
        kind: "spinning",
        place: None,
        text: format!(
            "Waiting threads used {used} of processor time. That costs no time where the program has its processors to itself; \
             where it shares them, or where power counts, OMP_WAIT_POLICY=passive has threads sleep."
        ),
        evidence: format!("{spun} of {all} samples were of threads that waited."),
        saves: WORTHWHILE,
        settings: vec![("OMP_WAIT_POLICY".into(), "passive".into())],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::regions;
    use crate::trace::example::{region, trace, wait};

    fn found(events: &[String]) -> Vec<Finding> {
        let trace = trace(events);
        let analysis = Analysis::of(&trace);
        findings(&trace, &analysis, &regions::sites(&trace, &analysis.lanes), true)
    }

    /// Regions of two threads: each begins at `start` and takes `length`, and the threads work so long.
    fn regions_of(times: impl Iterator<Item = (f64, f64, f64, f64)>) -> Vec<String> {
        let mut events = Vec::new();
        for (at, (start, length, first, second)) in times.enumerate() {
            let (id, end) = (10 * at as u64 + 10, start + length);
            for (member, busy) in [(0, first), (1, second)] {
                events.push(region(id + u64::from(member), id, member, (start, end)));
                events.push(wait("join", id + u64::from(member), member, (start + busy, end)));
            }
        }
        events
    }

    #[test]
    fn unequal_loops_are_named() {
        let found =
            found(&regions_of((0..10).map(|at| (100.0 * f64::from(at), 100.0, 100.0, 40.0))));
        assert_eq!(
            (found.len(), found[0].kind, found[0].place.as_deref()),
            (1, "imbalance", Some("main:1"))
        );
        assert!((found[0].saves - 0.3).abs() < 1e-9, "{found:?}");
        assert!(found[0].text.contains("schedule(dynamic)"), "{found:?}");
    }

    #[test]
    fn good_runs_get_nothing() {
        assert_eq!(
            found(&regions_of((0..10).map(|at| (100.0 * f64::from(at), 100.0, 99.0, 98.0)))),
            []
        );
    }

    #[test]
    fn short_regions_are_named() {
        let found = found(&regions_of((0..100).map(|at| (10.0 * f64::from(at), 10.0, 2.0, 2.0))));
        assert_eq!((found.len(), found[0].kind), (1, "short_region"));
        assert!(found[0].text.contains("One thread would do it in 4.00 us"), "{found:?}");
    }

    #[test]
    fn serial_parts_are_bounded_by_amdahl() {
        let found =
            found(&regions_of((0..10).map(|at| (200.0 * f64::from(at), 100.0, 100.0, 100.0))));
        assert_eq!((found.len(), found[0].kind), (1, "serial"));
        assert!(
            found[0].text.contains("for 47% of the time") && found[0].text.contains("2.1"),
            "{found:?}"
        );
    }

    /// Before the barrier one thread is late, behind it the other: together they have as much to do.
    #[test]
    fn barriers_that_cost_more_than_unequal_work_are_named() {
        let mut events = Vec::new();
        for at in 0..10 {
            let (id, start) = (10 * at + 10, 40.0 * at as f64);
            for (member, (first, second)) in [(0, (20.0, 40.0)), (1, (10.0, 40.0))] {
                let body = id + member;
                let lane = member as u32;
                events.push(region(body, id, lane, (start, start + 40.0)));
                events.push(wait("barrier", body, lane, (start + first, start + 20.0)));
                let done = if member == 0 { start + 30.0 } else { start + second };
                events.push(wait("join", body, lane, (done, start + 40.0)));
            }
        }
        let found = found(&events);
        let barriers: Vec<&Finding> = found.iter().filter(|it| it.kind == "barriers").collect();
        let [it] = &barriers[..] else { panic!("{found:?}") };
        assert!((it.saves - 0.25).abs() < 1e-9 && it.text.contains("`nowait`"), "{it:?}");
    }

    /// A sample a microsecond of the second thread, which waits in the last quarter of each region.
    #[test]
    fn waiting_that_uses_processors_is_named() {
        let regions = (0..4).map(|at| (100.0 * f64::from(at), 100.0, 86.0, 75.0));
        let mut trace = trace(&regions_of(regions));
        trace.memory.every_ns = 1000;
        let sample = |number: u64| Sample {
            thread: 1,
            when_ns: 1000 * number + 500,
            at: None,
            instruction: 0,
            touches: Vec::new(),
        };
        trace.memory.samples = (0..400).map(sample).collect();
        let said = |trace: &Trace| {
            let analysis = Analysis::of(trace);
            findings(trace, &analysis, &regions::sites(trace, &analysis.lanes), true)
        };
        let [it] = &said(&trace)[..] else { panic!("{:?}", said(&trace)) };
        assert_eq!(
            (it.kind, it.evidence.as_str()),
            ("spinning", "100 of 400 samples were of threads that waited.")
        );
        assert_eq!(it.settings, [("OMP_WAIT_POLICY".to_string(), "passive".to_string())]);
        // The first thread works for longer, and sleeps then.
        trace.memory.samples.retain(|sample| sample.when_ns % 100_000 < 86_000);
        trace.memory.samples.iter_mut().for_each(|sample| sample.thread = 0);
        assert_eq!(said(&trace), []);
    }
}
