//! The parallel regions of a trace, by construct.
//!
//! Terms: a *site* is a construct, an *execution* one time that a team went through it; a *stretch* is what lies between two
//! barriers of an execution, the last one ends with the region. A thread is *busy* while it does not wait.

use std::collections::BTreeMap;

use crate::trace::analysis::{Doing, Lane, Lanes};
use crate::trace::{Body, RegionIndex, SpanKind, Trace};

/// Sites with more stretches are told of as a whole.
const MOST_STRETCHES: usize = 16;

/// One thread's part of an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    pub member: u32,
    pub busy_ns: u64,
    /// The same from barrier to barrier.
    pub stretches_ns: Vec<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Execution {
    pub start_ns: u64,
    pub end_ns: u64,
    pub parts: Vec<Part>,
}

/// A construct, and each time that it was executed by several threads.
#[derive(Clone, Debug)]
pub struct Site {
    pub name: String,
    /// `file:line`, where it is known.
    pub line: Option<String>,
    pub threads: usize,
    /// In the order of time.
    pub executions: Vec<Execution>,
    /// Threads got shares of a loop from the runtime.
    pub has_chunks: bool,
    /// Tasks were created in it.
    pub has_tasks: bool,
}

/// What threads did between two barriers, all executions together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Balance {
    /// Sum of the busiest thread's time, and of the mean.
    pub busiest_ns: u64,
    pub mean_ns: u64,
    /// Executions in which the busiest thread was the most frequent one.
    pub same_busiest: u64,
    pub executions: u64,
}

impl Balance {
    pub fn lost_ns(&self) -> u64 {
        self.busiest_ns - self.mean_ns.min(self.busiest_ns)
    }
}

/// The constructs of a trace, and of each region's part the position of its site.
pub struct Sites {
    pub sites: Vec<Site>,
    of_region: Vec<Option<usize>>,
}

impl Sites {
    pub fn site_of(&self, region: RegionIndex) -> Option<usize> {
        self.of_region[region.index()]
    }
}

/// What lies in each region's part.
struct Marks {
    /// When its barriers ended, in the order of time.
    barriers: BTreeMap<u32, Vec<u64>>,
    has_chunks: Vec<bool>,
    has_tasks: Vec<bool>,
}

impl Marks {
    fn of(trace: &Trace) -> Marks {
        let none = vec![false; trace.regions.len()];
        let (has_chunks, has_tasks) = (none.clone(), none);
        let mut marks = Marks { barriers: BTreeMap::new(), has_chunks, has_tasks };
        for span in &trace.spans {
            let Body::Region(at) = span.body else { continue };
            match span.kind {
                SpanKind::Wait if trace.names[span.name as usize] == "barrier" => {
                    marks.barriers.entry(at.0).or_default().push(span.end_ns);
                }
                SpanKind::Chunk => marks.has_chunks[at.index()] = true,
                _ => {}
            }
        }
        for task in &trace.tasks {
            if let Body::Region(at) = task.parent {
                marks.has_tasks[at.index()] = true;
            }
        }
        marks.barriers.values_mut().for_each(|ends| ends.sort_unstable());
        marks
    }
}

pub fn sites(trace: &Trace, lanes: &Lanes) -> Sites {
    let busy: Vec<Busy> = lanes.lanes.iter().map(|lane| Busy::of(lane, trace.end_ns)).collect();
    let mut marks = Marks::of(trace);
    let mut sizes: BTreeMap<u64, usize> = BTreeMap::new();
    trace.regions.iter().for_each(|region| *sizes.entry(region.region).or_default() += 1);
    let mut sites: Vec<Site> = Vec::new();
    let mut numbers: BTreeMap<(u32, Option<u32>), usize> = BTreeMap::new();
    let mut of_region = vec![None; trace.regions.len()];
    let mut executions: BTreeMap<(usize, u64), Execution> = BTreeMap::new();
    for (at, region) in trace.regions.iter().enumerate() {
        if sizes[&region.region] < 2 {
            continue;
        }
        let text = |name: u32| trace.names[name as usize].clone();
        let site = *numbers.entry((region.name, region.line)).or_insert_with(|| {
            let (name, line) = (text(region.name), region.line.map(text));
            let (threads, executions) = (0, Vec::new());
            sites.push(Site {
                name,
                line,
                threads,
                executions,
                has_chunks: false,
                has_tasks: false,
            });
            sites.len() - 1
        });
        of_region[at] = Some(site);
        sites[site].has_chunks |= marks.has_chunks[at];
        sites[site].has_tasks |= marks.has_tasks[at];
        let mut ends = marks.barriers.remove(&(at as u32)).unwrap_or_default();
        ends.push(region.end_ns);
        let busy = &busy[region.thread as usize];
        let mut from_ns = region.start_ns;
        let stretches_ns: Vec<u64> = ends
            .iter()
            .map(|&end_ns| busy.between(std::mem::replace(&mut from_ns, end_ns), end_ns))
            .collect();
        let execution = executions
            .entry((site, region.region))
            .or_insert_with(|| Execution { start_ns: u64::MAX, ..Execution::default() });
        execution.start_ns = execution.start_ns.min(region.start_ns);
        execution.end_ns = execution.end_ns.max(region.end_ns);
        let busy_ns = stretches_ns.iter().sum();
        execution.parts.push(Part { member: region.member, busy_ns, stretches_ns });
    }
    for ((site, _), mut execution) in executions {
        execution.parts.sort_by_key(|part| part.member);
        sites[site].threads = sites[site].threads.max(execution.parts.len());
        sites[site].executions.push(execution);
    }
    sites.iter_mut().for_each(|site| site.executions.sort_by_key(|it| it.start_ns));
    Sites { sites, of_region }
}

impl Site {
    /// `src/heat.c:18`, or what else it is called.
    pub fn place(&self) -> &str {
        self.line.as_deref().unwrap_or(&self.name)
    }

    pub fn elapsed_ns(&self) -> u64 {
        self.executions.iter().map(|it| it.end_ns - it.start_ns).sum()
    }

    /// How many stretches each execution has; `None` where they differ, or are too many to tell apart.
    fn stretches(&self) -> Option<usize> {
        let count = |execution: &Execution| {
            let first = execution.parts.first()?.stretches_ns.len();
            execution.parts.iter().all(|part| part.stretches_ns.len() == first).then_some(first)
        };
        let first = count(self.executions.first()?)?;
        let alike = self.executions.iter().all(|execution| count(execution) == Some(first));
        (alike && first <= MOST_STRETCHES).then_some(first)
    }

    /// Stretch by stretch how equal the work was; the whole region as one where stretches cannot be told apart.
    pub fn balances(&self) -> Vec<Balance> {
        match self.stretches() {
            Some(count) => {
                (0..count).map(|at| self.balance(|part| part.stretches_ns[at])).collect()
            }
            None => vec![self.balance(|part| part.busy_ns)],
        }
    }

    fn balance(&self, busy: impl Fn(&Part) -> u64) -> Balance {
        let mut balance = Balance::default();
        let mut busiest: BTreeMap<u32, u64> = BTreeMap::new();
        for execution in &self.executions {
            let all = execution.parts.iter().map(&busy);
            let mean_ns = all.sum::<u64>() / execution.parts.len().max(1) as u64;
            let Some(most) = execution.parts.iter().max_by_key(|part| busy(part)) else { continue };
            *busiest.entry(most.member).or_default() += 1;
            balance.busiest_ns += busy(most);
            balance.mean_ns += mean_ns;
            balance.executions += 1;
        }
        balance.same_busiest = busiest.values().copied().max().unwrap_or(0);
        balance
    }

    /// What the barriers inside cost beyond what the threads' whole work takes: the sum of the busiest thread of each stretch less
    /// the busiest of the whole.
    pub fn lost_at_inner_barriers_ns(&self) -> u64 {
        let Some(count) = self.stretches().filter(|&count| count > 1) else { return 0 };
        let lost = |execution: &Execution| {
            let longest =
                |at: usize| execution.parts.iter().map(move |part| part.stretches_ns[at]).max();
            let apart: u64 = (0..count).filter_map(longest).sum();
            let together = execution.parts.iter().map(|part| part.busy_ns).max().unwrap_or(0);
            apart.saturating_sub(together)
        };
        self.executions.iter().map(lost).sum()
    }
}

/// How long a thread had been busy at each change.
struct Busy {
    at: Vec<(u64, u64, bool)>,
}

impl Busy {
    fn of(lane: &Lane, end_ns: u64) -> Busy {
        let mut at = Vec::with_capacity(lane.segments.len() + 1);
        let mut sum_ns = 0;
        for (index, segment) in lane.segments.iter().enumerate() {
            let is_busy =
                matches!(segment.doing, Doing::Task(_) | Doing::Region(_) | Doing::Chunk(_));
            at.push((segment.start_ns, sum_ns, is_busy));
            let until_ns = lane.segments.get(index + 1).map_or(end_ns, |next| next.start_ns);
            if is_busy {
                sum_ns += until_ns.saturating_sub(segment.start_ns);
            }
        }
        Busy { at }
    }

    fn before(&self, moment_ns: u64) -> u64 {
        let next = self.at.partition_point(|&(start_ns, ..)| start_ns <= moment_ns);
        let Some(&(start_ns, sum_ns, is_busy)) = next.checked_sub(1).map(|at| &self.at[at]) else {
            return 0;
        };
        sum_ns + if is_busy { moment_ns - start_ns } else { 0 }
    }

    fn between(&self, from_ns: u64, until_ns: u64) -> u64 {
        self.before(until_ns).saturating_sub(self.before(from_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::analysis::lanes;
    use crate::trace::example::{region, trace, wait};

    #[test]
    fn stretches_end_at_barriers() {
        let trace = trace(&[
            region(1, 1, 0, (0.0, 30.0)),
            region(2, 1, 1, (0.0, 30.0)),
            wait("barrier", 1, 0, (10.0, 10.0)),
            wait("barrier", 2, 1, (4.0, 10.0)),
            wait("join", 1, 0, (16.0, 30.0)),
            wait("join", 2, 1, (30.0, 30.0)),
        ]);
        let found = sites(&trace, &lanes(&trace));
        let [site] = &found.sites[..] else { panic!("one construct") };
        assert_eq!((site.threads, site.executions.len()), (2, 1));
        let stretches = |at: usize| &site.executions[0].parts[at].stretches_ns[..];
        assert_eq!((stretches(0), stretches(1)), (&[10_000, 6_000][..], &[4_000, 20_000][..]));
        let balances = site.balances();
        assert_eq!((balances[0].lost_ns(), balances[1].lost_ns()), (3_000, 7_000));
        // 10 and 20 us apart; 24 us without the barrier.
        assert_eq!(site.lost_at_inner_barriers_ns(), 6_000);
        assert_eq!(found.site_of(RegionIndex(1)), Some(0));
    }
}
