//! The run in a few numbers: where the time went, who ran whose data, who stole how far, how long tasks are.

use crate::trace::Trace;

use super::functions::Reach;
use super::lanes::{Lanes, Split};

#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    pub elapsed_ns: u64,
    pub threads: usize,
    pub tasks: usize,
    /// Of all threads together.
    pub split: Split,
    pub reach: Reach,
    /// Stolen tasks by hops: within a location, to the nearest others, and so on.
    pub stolen_by_hops: Vec<u64>,
    pub dealt: u64,
    /// Ran at once inside their creators.
    pub included: u64,
    /// Row: where the data was, column: where the task ran. Bytes.
    pub matrix: Vec<Vec<u64>>,
    pub length: Histogram,
    pub queued: Histogram,
}

/// Bucket `i` counts values of `i` binary digits: 0, 1, 2 to 3, 4 to 7 ... nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    pub counts: Vec<u64>,
}

impl Histogram {
    fn add(&mut self, value_ns: u64) {
        let bucket = (u64::BITS - value_ns.leading_zeros()) as usize;
        if self.counts.len() <= bucket {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
    }
}

impl Summary {
    /// Time in tasks and loops of all the time that the threads had.
    pub fn efficiency(&self) -> f64 {
        share(self.split.task_ns + self.split.chunk_ns, self.available_ns())
    }

    pub fn available_ns(&self) -> u64 {
        self.elapsed_ns.saturating_mul(self.threads as u64)
    }

    pub fn stolen(&self) -> u64 {
        self.stolen_by_hops.iter().sum()
    }
}

pub fn summary(trace: &Trace, lanes: &Lanes) -> Summary {
    let places = trace.locations.len();
    let mut summary = Summary {
        elapsed_ns: trace.end_ns,
        threads: trace.threads.len(),
        tasks: trace.tasks.len(),
        split: total(lanes),
        reach: Reach::default(),
        stolen_by_hops: Vec::new(),
        dealt: 0,
        included: 0,
        matrix: vec![vec![0; places]; places],
        length: Histogram::default(),
        queued: Histogram::default(),
    };
    for (task, &self_ns) in trace.tasks.iter().zip(&lanes.self_ns) {
        summary.reach.add(Reach::of(trace, task));
        for &(place, bytes) in trace.bytes_of(task) {
            let cell = &mut summary.matrix[place.index()][task.at.index()];
            *cell = cell.saturating_add(bytes);
        }
        if task.stolen {
            let hops = usize::from(task.hops);
            let by_hops = &mut summary.stolen_by_hops;
            by_hops.resize(by_hops.len().max(hops + 1), 0);
            by_hops[hops] += 1;
        }
        summary.dealt += u64::from(task.dealt.is_some());
        summary.included += u64::from(task.included);
        summary.length.add(self_ns);
        summary.queued.add(task.queued_ns());
    }
    summary
}

fn total(lanes: &Lanes) -> Split {
    lanes.lanes.iter().fold(Split::default(), |sum, lane| Split {
        task_ns: sum.task_ns + lane.split.task_ns,
        chunk_ns: sum.chunk_ns + lane.split.chunk_ns,
        region_ns: sum.region_ns + lane.split.region_ns,
        wait_ns: sum.wait_ns + lane.split.wait_ns,
        write_ns: sum.write_ns + lane.split.write_ns,
    })
}

/// A part of a whole, 0 of nothing.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::analysis::lanes::lanes;
    use crate::trace::example::{region, task, trace, wait};

    #[test]
    fn adds_up() {
        let trace = trace(&[
            region(9, 1, 0, (0.0, 10.0)),
            wait("barrier", 9, 1, (6.0, 10.0)),
            task(1, "a", 0, (1.0, 9.0), r#","at":0,"dealt":0,"bytes":[100,0]"#),
            task(2, "a", 1, (2.0, 6.0), r#","at":1,"from":0,"hops":1,"ready":1,"bytes":[30,10]"#),
        ]);
        let summary = summary(&trace, &lanes(&trace));
        assert_eq!((summary.elapsed_ns, summary.threads, summary.tasks), (10_000, 2, 2));
        let split = Split { task_ns: 12_000, region_ns: 2_000, wait_ns: 4_000, ..Split::default() };
        assert_eq!(summary.split, split);
        assert_eq!(summary.efficiency(), 0.6);
        assert_eq!(summary.matrix, [[100, 30], [0, 10]]);
        assert_eq!((summary.stolen_by_hops.as_slice(), summary.dealt), (&[0, 1][..], 1));
        assert_eq!((summary.length.counts[13], summary.length.counts[12]), (1, 1));
        assert_eq!((summary.queued.counts[0], summary.queued.counts[10]), (1, 1));
    }
}
