//! Which siblings a task comes after by its `depend` clause, for the trace.
//!
//! The runtime forgets predecessors once they are finished, and looks at no dependences where none can matter.
//! A reader that replays a program on another machine must know them all. So while tracing is on, the
//! creator of tasks keeps, for every address, who used it last.
//!
//! Terms: a *set* is a run of tasks with the same kind of access that do not wait for each other (readers,
//! `inoutset`, `mutexinoutset`), or a single writer. The `current` set of an address comes after all of `previous`.
//! Source: OpenMP 5.2 section 15.9.5 (depend clause), 15.9.5.1 (omp_all_memory).

use crate::task::deps::{Access, Dependence};
use std::collections::HashMap;

/// Who used the addresses that the children of one task named.
#[derive(Default)]
pub struct Orders {
    uses: HashMap<usize, Use>,
    /// The last task that named all memory: it comes before whoever names an address first.
    all: Option<u64>,
}

#[derive(Default)]
struct Use {
    previous: Vec<u64>,
    current: Vec<u64>,
    kind: Option<Access>,
}

impl Use {
    fn after(all: Option<u64>) -> Use {
        Use {
            previous: Vec::new(),
            current: all.into_iter().collect(),
            kind: all.map(|_| Access::Out),
        }
    }

    /// Adds a task; returns those that it comes directly after.
    fn add(&mut self, task: u64, access: Access) -> &[u64] {
        if self.kind != Some(access) || access == Access::Out {
            self.previous = std::mem::take(&mut self.current);
            self.kind = Some(access);
        }
        if self.current.last() != Some(&task) {
            self.current.push(task);
        }
        &self.previous
    }
}

impl Orders {
    /// Adds a task with these dependences; returns those that it comes directly after, in rising order.
    pub fn add(&mut self, task: u64, dependences: &[Dependence]) -> Vec<u64> {
        let mut after = Vec::new();
        for dependence in dependences {
            match dependence.address {
                Some(address) => {
                    let used = self.uses.entry(address).or_insert_with(|| Use::after(self.all));
                    after.extend(used.add(task, dependence.access));
                }
                None => {
                    let uses = self.uses.values_mut();
                    uses.for_each(|used| after.extend(used.add(task, Access::Out)));
                    after.extend(self.all.replace(task));
                }
            }
        }
        after.sort_unstable();
        after.dedup();
        after.retain(|&other| other != task);
        after
    }

    /// All children so far are finished, and the parent has waited for it.
    pub fn forget(&mut self) {
        self.uses.clear();
        self.all = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(address: usize, access: Access) -> Dependence {
        Dependence { address: Some(address), length_bytes: 0, access, intensive: false }
    }

    #[test]
    fn readers_come_after_the_writer_and_the_next_writer_after_them() {
        let mut orders = Orders::default();
        assert!(orders.add(1, &[on(8, Access::Out)]).is_empty());
        assert_eq!(orders.add(2, &[on(8, Access::In)]), [1]);
        assert_eq!(orders.add(3, &[on(8, Access::In)]), [1]);
        assert_eq!(orders.add(4, &[on(8, Access::Out)]), [2, 3]);
        assert_eq!(orders.add(5, &[on(8, Access::Out), on(16, Access::In)]), [4]);
    }

    #[test]
    fn a_set_waits_for_what_was_before_and_not_for_itself() {
        let mut orders = Orders::default();
        orders.add(1, &[on(8, Access::In)]);
        assert_eq!(orders.add(2, &[on(8, Access::InOutSet)]), [1]);
        assert_eq!(orders.add(3, &[on(8, Access::InOutSet)]), [1]);
        assert_eq!(orders.add(4, &[on(8, Access::MutexInOutSet)]), [2, 3]);
    }

    #[test]
    fn all_memory_is_everything_named_so_far() {
        let mut orders = Orders::default();
        orders.add(1, &[on(8, Access::In)]);
        orders.add(2, &[on(16, Access::Out)]);
        let all = Dependence { address: None, ..on(0, Access::Out) };
        assert_eq!(orders.add(3, &[all]), [1, 2]);
        assert_eq!(orders.add(4, &[on(8, Access::In), on(24, Access::In)]), [3]);
        orders.forget();
        assert!(orders.add(5, &[on(8, Access::Out)]).is_empty());
    }

    #[test]
    fn a_task_that_names_an_address_twice_does_not_come_after_itself() {
        let mut orders = Orders::default();
        let twice = [on(8, Access::In), on(8, Access::Out)];
        assert!(orders.add(1, &twice).is_empty());
        assert_eq!(orders.add(2, &twice), [1]);
    }
}
