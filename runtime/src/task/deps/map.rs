//! The dependence map of one task: address to the sets of children that later children may wait for.

use super::{Access, Dependence, is_finished, link};
use crate::task::exclusive::{self, Lock};
use crate::task::record::{TaskRef, flag};
use crate::task::run;
use crate::thread::Thread;
use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// Tasks of a set beyond which successors wait for one empty task that waits for them all, so that n
/// successors of m predecessors need n + m edges.
const JOIN_ABOVE: usize = 8;
/// Entries below which the map is never swept.
const SWEEP_ABOVE: usize = 256;

#[derive(Default)]
pub struct Map {
    entries: HashMap<usize, Entry, BuildHasherDefault<AddressHasher>>,
    /// The last task that named `omp_all_memory`: addresses not in the map wait for it.
    all: Option<TaskRef>,
    /// Entries at which finished ones are swept out.
    sweep_at: usize,
}

struct Entry {
    access: Access,
    current: Tasks,
    previous: Tasks,
    /// The lock of a `mutexinoutset` set.
    lock: Option<Arc<Lock>>,
}

/// A list of tasks: usually one.
#[derive(Default)]
struct Tasks {
    first: Option<TaskRef>,
    rest: Vec<TaskRef>,
    /// Length of `rest` at which finished tasks are dropped.
    prune_at: usize,
}

impl Map {
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.all.is_none()
    }

    pub(super) fn first_unmet(&self, dependences: &[Dependence]) -> Option<TaskRef> {
        let unmet = |task: &TaskRef| !is_finished(*task);
        if self.entries.is_empty() {
            return self.all.filter(unmet);
        }
        dependences.iter().find_map(|dependence| match dependence.address {
            Some(address) => match self.entries.get(&address) {
                Some(entry) => entry.awaited(dependence.access).iter().find(unmet),
                None => self.all.filter(unmet),
            },
            None => self.everything().find(unmet),
        })
    }

    /// All tasks that a task naming `omp_all_memory` waits for.
    fn everything(&self) -> impl Iterator<Item = TaskRef> {
        let entries = self
            .entries
            .values()
            .flat_map(|entry| entry.current.iter().chain(entry.previous.iter()));
        self.all.into_iter().chain(entries)
    }

    /// Adds the edges of a waiter and remembers nothing.
    pub(super) fn link_only(&self, waiter: TaskRef, dependences: &[Dependence]) {
        for dependence in dependences {
            match dependence.address.map(|address| self.entries.get(&address)) {
                Some(Some(entry)) => {
                    entry.awaited(dependence.access).iter().for_each(|task| link(task, waiter));
                }
                Some(None) => self.all.into_iter().for_each(|task| link(task, waiter)),
                None => self.everything().for_each(|task| link(task, waiter)),
            }
        }
    }

    /// The locks of the `mutexinoutset` sets that these dependences join, in address order.
    pub(super) fn locks(&self, dependences: &[Dependence]) -> Vec<Arc<Lock>> {
        let exclusive = dependences.iter().filter(|item| item.access == Access::MutexInOutSet);
        let mut addresses: Vec<usize> = exclusive.filter_map(|item| item.address).collect();
        addresses.sort_unstable();
        addresses.dedup();
        let entries = addresses.iter().filter_map(|address| self.entries.get(address));
        entries.filter_map(|entry| entry.lock.clone()).collect()
    }

    /// Adds the edges of a child and remembers it.
    pub(super) fn register(
        &mut self,
        thread: &'static Thread,
        parent: TaskRef,
        task: TaskRef,
        dependences: &[Dependence],
    ) {
        let mut locks: Vec<(usize, Arc<Lock>)> = Vec::new();
        for dependence in dependences {
            let Some(address) = dependence.address else {
                self.register_all(thread, task);
                continue;
            };
            let entry = match self.entries.entry(address) {
                Slot::Occupied(entry) => entry.into_mut(),
                Slot::Vacant(slot) => slot.insert(Entry::after(self.all)),
            };
            entry.register(thread, parent, task, dependence.access);
            locks.extend(entry.lock.iter().map(|lock| (address, lock.clone())));
        }
        locks.sort_unstable_by_key(|(address, _)| *address);
        locks.dedup_by_key(|(address, _)| *address);
        locks.iter().for_each(|(_, lock)| exclusive::require(task, lock));
        if self.entries.len() >= self.sweep_at.max(SWEEP_ABOVE) {
            self.sweep(thread);
        }
    }

    fn register_all(&mut self, thread: &'static Thread, task: TaskRef) {
        self.everything().for_each(|before| link(before, task));
        mention(task);
        self.clear(thread);
        self.all = Some(task);
    }

    /// Drops entries whose tasks are all finished (invariant 3).
    fn sweep(&mut self, thread: &'static Thread) {
        self.entries.retain(|_, entry| {
            let keep = !entry.current.iter().chain(entry.previous.iter()).all(is_finished);
            if !keep {
                entry.current.clear(thread);
                entry.previous.clear(thread);
            }
            keep
        });
        self.sweep_at = self.entries.len() * 2;
    }

    /// Drops what is finished, to get memory back.
    pub fn forget_finished(&mut self, thread: &'static Thread) {
        self.sweep(thread);
        for entry in self.entries.values_mut() {
            entry.current.prune(thread);
            entry.previous.prune(thread);
        }
    }

    /// Forgets everything; all tasks in it are finished, or those that follow wait for another.
    pub fn clear(&mut self, thread: &'static Thread) {
        if let Some(all) = self.all.take() {
            all.drop_mention(thread);
        }
        for (_, mut entry) in self.entries.drain() {
            entry.current.clear(thread);
            entry.previous.clear(thread);
        }
    }
}

impl Entry {
    /// An address nobody named since `all`.
    fn after(all: Option<TaskRef>) -> Entry {
        let mut current = Tasks::default();
        all.into_iter().for_each(|task| {
            mention(task);
            current.first = Some(task);
        });
        Entry { access: Access::Out, current, previous: Tasks::default(), lock: None }
    }

    /// Whether a task with this access joins the current set.
    fn joins(&self, access: Access) -> bool {
        access == self.access && access != Access::Out && !self.current.is_empty()
    }

    /// The tasks that a task with this access waits for (invariant 1).
    fn awaited(&self, access: Access) -> &Tasks {
        if self.joins(access) { &self.previous } else { &self.current }
    }

    fn register(
        &mut self,
        thread: &'static Thread,
        parent: TaskRef,
        task: TaskRef,
        access: Access,
    ) {
        if !self.joins(access) {
            let old = std::mem::take(&mut self.current);
            let mut before = std::mem::replace(&mut self.previous, old);
            mention(task);
            self.current.first = Some(task);
            before.clear(thread);
            self.access = access;
            self.lock = (access == Access::MutexInOutSet).then(Arc::default);
            if access != Access::Out && self.previous.len() > JOIN_ABOVE {
                self.join_previous(thread, parent);
            }
            self.previous.iter().for_each(|before| link(before, task));
            if access == Access::Out {
                // Later tasks wait for this one, which waits for these.
                self.previous.clear(thread);
            }
        } else {
            self.previous.iter().for_each(|before| link(before, task));
            mention(task);
            self.current.push(thread, task);
        }
    }

    /// Replaces a large previous set by one empty task that waits for it.
    fn join_previous(&mut self, thread: &'static Thread, parent: TaskRef) {
        let join = TaskRef::allocate(thread, parent, flag::DEPENDENT, 0);
        super::init(join);
        run::count_child(join, parent);
        self.previous.iter().for_each(|before| link(before, join));
        mention(join);
        // Relaxed: the creator still holds the only guard.
        join.holds.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.previous.clear(thread);
        self.previous.first = Some(join);
        if super::is_last_unmet(join) {
            run::enqueue(thread, join);
        }
    }
}

fn mention(task: TaskRef) {
    task.mentions.set(task.mentions.get() + 1);
}

impl Tasks {
    fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.rest.len()
    }

    fn iter(&self) -> impl Iterator<Item = TaskRef> {
        self.first.into_iter().chain(self.rest.iter().copied())
    }

    /// Adds a task that is already mentioned; drops finished ones when the list has doubled.
    fn push(&mut self, thread: &'static Thread, task: TaskRef) {
        if self.rest.len() >= self.prune_at.max(16) {
            self.prune(thread);
        }
        self.rest.push(task);
    }

    fn prune(&mut self, thread: &'static Thread) {
        self.rest.retain(|&old| {
            let keep = !is_finished(old);
            if !keep {
                old.drop_mention(thread);
            }
            keep
        });
        self.prune_at = self.rest.len() * 2;
    }

    fn clear(&mut self, thread: &'static Thread) {
        self.first.take().into_iter().for_each(|task| task.drop_mention(thread));
        self.rest.drain(..).for_each(|task| task.drop_mention(thread));
    }
}

/// Hashes an address: multiplication by 2^64 over the golden ratio (Knuth, volume 3, section 6.4), folded
/// so that the low bits, which the table uses, depend on all.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(self.0 as usize ^ usize::from(byte)));
    }

    fn write_usize(&mut self, address: usize) {
        let product = u128::from(address as u64) * 0x9E37_79B9_7F4A_7C15_u128;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}
