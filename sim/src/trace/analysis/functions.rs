//! Functions: how often each ran, for how long, and how much of its data was elsewhere.

use crate::trace::{Task, Trace};

use super::lanes::Lanes;

/// Bytes that tasks touched, and how far away they were.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reach {
    pub bytes: u64,
    pub remote_bytes: u64,
    /// Bytes times distance, in SLIT units (10 is local).
    pub cost: f64,
}

impl Reach {
    /// Of one task, from where it ran.
    pub fn of(trace: &Trace, task: &Task) -> Reach {
        let mut reach = Reach::default();
        for &(place, bytes) in trace.bytes_of(task) {
            reach.bytes = reach.bytes.saturating_add(bytes);
            if place != task.at {
                reach.remote_bytes = reach.remote_bytes.saturating_add(bytes);
            }
            reach.cost += bytes as f64 * f64::from(trace.topology.distance(task.at, place));
        }
        reach
    }

    pub fn add(&mut self, other: Reach) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.remote_bytes = self.remote_bytes.saturating_add(other.remote_bytes);
        self.cost += other.cost;
    }

    /// 0 to 1; none without data.
    pub fn remote_share(&self) -> Option<f64> {
        (self.bytes > 0).then(|| self.remote_bytes as f64 / self.bytes as f64)
    }

    /// Mean distance of a byte, 10 if all are local.
    pub fn mean_distance(&self) -> Option<f64> {
        (self.bytes > 0).then(|| self.cost / self.bytes as f64)
    }
}

/// All tasks of one name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// A position in `Trace::names`.
    pub name: u32,
    pub count: u64,
    /// Self time, as all times here.
    pub total_ns: u64,
    pub mean_ns: f64,
    pub p50_ns: u64,
    pub p99_ns: u64,
    pub max_ns: u64,
    pub queued_mean_ns: f64,
    pub stolen: u64,
    /// Tasks whose data the trace knows.
    pub with_data: u64,
    pub reach: Reach,
}

/// Every function of the trace, the one with most time first.
pub fn functions(trace: &Trace, lanes: &Lanes) -> Vec<Function> {
    let mut found: Vec<Function> = (0..trace.names.len() as u32)
        .map(|name| Function { name, ..Function::default() })
        .collect();
    let mut lengths: Vec<Vec<u64>> = vec![Vec::new(); trace.names.len()];
    for (task, &self_ns) in trace.tasks.iter().zip(&lanes.self_ns) {
        let function = &mut found[task.name as usize];
        function.count += 1;
        function.total_ns += self_ns;
        function.queued_mean_ns += task.queued_ns() as f64;
        function.stolen += u64::from(task.stolen);
        function.with_data += u64::from(!trace.bytes_of(task).is_empty());
        function.reach.add(Reach::of(trace, task));
        lengths[task.name as usize].push(self_ns);
    }
    for (function, mut lengths) in found.iter_mut().zip(lengths) {
        lengths.sort_unstable();
        let count = lengths.len().max(1) as f64;
        function.mean_ns = function.total_ns as f64 / count;
        function.queued_mean_ns /= count;
        function.p50_ns = quantile(&lengths, 0.5);
        function.p99_ns = quantile(&lengths, 0.99);
        function.max_ns = lengths.last().copied().unwrap_or(0);
    }
    found.retain(|function| function.count > 0);
    found.sort_by_key(|function| (std::cmp::Reverse(function.total_ns), function.name));
    found
}

/// The least of sorted values that is not less than this share of them.
fn quantile(sorted: &[u64], share: f64) -> u64 {
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::analysis::lanes::lanes;
    use crate::trace::example::{task, trace};

    #[test]
    fn counts_by_name() {
        let trace = trace(&[
            task(1, "a", 0, (0.0, 1.0), r#","at":0,"bytes":[30,10]"#),
            task(2, "b", 0, (1.0, 9.0), ""),
            task(3, "a", 1, (4.0, 7.0), r#","at":1,"from":0,"ready":2,"bytes":[40,0]"#),
        ]);
        let found = functions(&trace, &lanes(&trace));
        assert_eq!(
            found.iter().map(|f| trace.names[f.name as usize].as_str()).collect::<Vec<_>>(),
            ["b", "a"]
        );
        let a = &found[1];
        assert_eq!(
            (a.count, a.total_ns, a.p50_ns, a.p99_ns, a.stolen),
            (2, 4_000, 1_000, 3_000, 1)
        );
        assert_eq!((a.mean_ns, a.queued_mean_ns), (2_000.0, 1_000.0));
        assert_eq!(a.reach.remote_share(), Some(50.0 / 80.0));
        assert_eq!(a.reach.mean_distance(), Some((300.0 + 210.0 + 840.0) / 80.0));
        assert_eq!(found[0].reach.remote_share(), None);
    }
}
