//! What a stress test's tasks see, and what they should have seen.
//!
//! Terms: a `Note` is one task of the test: how often it ran, whether it is finished (body over and event
//! fulfilled), and how much of its subtree is open. A `Cell` is one address of depend clauses. A
//! *scope* is what one task knows of its children, in order of creation.
//!
//! Invariant: atomics here are Relaxed, so that they order nothing which the runtime has left unordered.
//! Source: OpenMP 5.2 section 15.9.5 (depend clause).

use crate::engine::Plain;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use vicinity_runtime::task::deps::{Access, Dependence};

/// Addresses that the children of one task name.
pub const CELLS: usize = 5;

/// The seed of the round that runs, for messages.
pub static SEED: AtomicU64 = AtomicU64::new(0);
static NOTES: AtomicUsize = AtomicUsize::new(0);

/// Ends the process: other threads hold what a panic would leave behind.
pub fn fail(what: &str) -> ! {
    let seed = SEED.load(Relaxed);
    let text = format!("stress: {what}\nstress: repeat with VICINITY_SEED={seed}\n");
    // Past the test harness, which keeps what `eprintln` prints to itself until the test ends.
    _ = std::io::stderr().write_all(text.as_bytes());
    std::process::abort()
}

pub fn check(holds: bool, what: &str) {
    if !holds {
        fail(what);
    }
}

/// Notes that somebody still holds.
pub fn notes_alive() -> usize {
    NOTES.load(Relaxed)
}

pub struct Note {
    parent: Option<Arc<Note>>,
    runs: AtomicU32,
    /// What must still happen before the task is finished.
    parts: AtomicU32,
    /// Itself, if it is not finished, and its descendants that are not.
    open: AtomicU32,
    /// Written by the body, read by whoever has waited for it.
    trace: Plain,
}

impl Note {
    /// A task that is about to be created; it is finished after `parts` calls of `finish_part`.
    pub fn new(parent: Option<&Arc<Note>>, parts: u32) -> Arc<Note> {
        NOTES.fetch_add(1, Relaxed);
        let note = Note {
            parent: parent.cloned(),
            runs: AtomicU32::new(0),
            parts: AtomicU32::new(parts),
            open: AtomicU32::new(0),
            trace: Plain::default(),
        };
        note.and_ancestors(|note| _ = note.open.fetch_add(1, Relaxed));
        Arc::new(note)
    }

    fn and_ancestors(&self, act: impl Fn(&Note)) {
        let mut next = Some(self);
        while let Some(note) = next {
            act(note);
            next = note.parent.as_deref();
        }
    }

    /// The body starts.
    pub fn start(&self) {
        check(self.runs.fetch_add(1, Relaxed) == 0, "a task ran twice");
        self.trace.set(1);
    }

    pub fn finish_part(&self) {
        if self.parts.fetch_sub(1, Relaxed) == 1 {
            self.and_ancestors(|note| _ = note.open.fetch_sub(1, Relaxed));
        }
    }

    /// Somebody has waited for the task.
    pub fn check_finished(&self, what: &str) {
        let finished = self.parts.load(Relaxed) == 0 && self.runs.load(Relaxed) == 1;
        check(finished && self.trace.get() == 1, what);
    }

    /// Somebody has waited for the task and all its descendants.
    pub fn check_gone(&self, what: &str) {
        check(self.open.load(Relaxed) == 0, what);
        self.check_finished(what);
    }

    /// Somebody has waited for all descendants of the task, which runs.
    pub fn check_alone(&self, what: &str) {
        check(self.open.load(Relaxed) == 1, what);
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        NOTES.fetch_sub(1, Relaxed);
    }
}

#[derive(Default)]
pub struct Cell {
    /// Writers so far, counted by themselves.
    value: Plain,
    /// Members of `inoutset` sets so far.
    members: AtomicU64,
    /// Tasks of a `mutexinoutset` set that run.
    inside: AtomicU32,
}

/// How a child uses an address, and what it should find there; none where that depends on the schedule.
#[derive(Clone)]
pub struct Use {
    pub cell: usize,
    pub access: Access,
    value: Option<u64>,
    members: Option<u64>,
}

/// What a child must see when it starts.
pub struct Expectation {
    cells: Arc<[Cell; CELLS]>,
    uses: Vec<Use>,
    predecessors: Vec<Arc<Note>>,
}

pub struct Scope {
    pub note: Arc<Note>,
    cells: Arc<[Cell; CELLS]>,
    children: Vec<(Arc<Note>, Vec<Use>)>,
}

/// Whether a task that uses an address one way waits for an earlier one that uses it the other way.
fn conflict(earlier: Access, later: Access) -> bool {
    earlier != later || earlier == Access::Out
}

impl Scope {
    pub fn new(note: Arc<Note>) -> Scope {
        Scope { note, cells: Arc::default(), children: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.children.len()
    }

    /// A depend clause as the runtime gets it; using all cells is `omp_all_memory`.
    pub fn clause(&self, uses: &[(usize, Access)]) -> Vec<Dependence> {
        if uses.len() == CELLS {
            return vec![Dependence {
                address: None,
                length_bytes: 0,
                access: Access::Out,
                intensive: false,
            }];
        }
        let address = |cell: usize| Some((&raw const self.cells[cell]).addr());
        uses.iter()
            .map(|&(cell, access)| Dependence {
                address: address(cell),
                length_bytes: 0,
                access,
                intensive: false,
            })
            .collect()
    }

    /// What a task with these uses must see if it is created now.
    pub fn expect(&self, uses: &[(usize, Access)]) -> Expectation {
        let before = |cell: usize, kinds: &[Access]| {
            let earlier = self.children.iter().flat_map(|(_, uses)| uses);
            earlier.filter(|it| it.cell == cell && kinds.contains(&it.access)).count() as u64
        };
        let uses = uses.iter().map(|&(cell, access)| {
            let writers = before(cell, &[Access::Out, Access::MutexInOutSet]);
            let members = before(cell, &[Access::InOutSet]);
            Use {
                cell,
                access,
                value: (access != Access::MutexInOutSet).then_some(writers),
                members: (access != Access::InOutSet).then_some(members),
            }
        });
        let uses: Vec<Use> = uses.collect();
        let waits_for = |earlier: &[Use]| {
            uses.iter().any(|later| {
                earlier.iter().any(|it| it.cell == later.cell && conflict(it.access, later.access))
            })
        };
        let predecessors = self.children.iter().filter(|(_, earlier)| waits_for(earlier));
        let predecessors = predecessors.map(|(note, _)| note.clone()).collect();
        Expectation { cells: self.cells.clone(), uses, predecessors }
    }

    /// Remembers a child.
    pub fn add(&mut self, child: Arc<Note>, expectation: &Expectation) {
        self.children.push((child, expectation.uses.clone()));
    }

    /// A taskwait is over: all children are finished, and what they wrote is there.
    pub fn check_waited(&self) {
        self.children.iter().for_each(|(note, _)| note.check_finished("taskwait did not wait"));
        for cell in 0..CELLS {
            self.expect(&[(cell, Access::In)]).enter("taskwait did not wait for a dependent task");
        }
    }

    /// A taskgroup is over, which began when there were `first` children.
    pub fn check_group(&self, first: usize) {
        let group = &self.children[first..];
        group.iter().for_each(|(note, _)| note.check_gone("taskgroup did not wait"));
    }
}

impl Expectation {
    /// The task starts, or a wait for it is over.
    pub fn enter(&self, what: &str) {
        self.predecessors.iter().for_each(|note| note.check_finished(what));
        for it in &self.uses {
            let cell = &self.cells[it.cell];
            let holds = it.value.is_none_or(|value| cell.value.get() == value)
                && it.members.is_none_or(|members| cell.members.load(Relaxed) == members);
            check(holds, what);
        }
    }

    /// The task uses what it named, around `body`.
    pub fn around(&self, body: impl FnOnce()) {
        self.enter("a task started before a predecessor was finished");
        for it in &self.uses {
            let cell = &self.cells[it.cell];
            match it.access {
                Access::In => (),
                Access::Out => cell.value.set(cell.value.get() + 1),
                Access::InOutSet => _ = cell.members.fetch_add(1, Relaxed),
                Access::MutexInOutSet => {
                    let alone = cell.inside.fetch_add(1, Relaxed) == 0;
                    check(alone, "two tasks of a mutexinoutset set ran at a time");
                    cell.value.set(cell.value.get() + 1);
                }
            }
        }
        body();
        for it in &self.uses {
            let cell = &self.cells[it.cell];
            if it.access == Access::MutexInOutSet {
                cell.inside.fetch_sub(1, Relaxed);
            }
            let own = u64::from(it.access == Access::Out);
            let kept = it.value.is_none_or(|value| cell.value.get() == value + own);
            check(kept, "a successor started before a task was finished");
        }
    }
}
