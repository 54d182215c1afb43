//! What the runtime's searches did, done again by `policy::search` alone: the same questions get the same answers, so
//! whoever drives a `Search` from the same observations (the simulator does) looks at the same queues in the same order.
//!
//! Threads on a described machine with four locations search while tasks are dealt and created; each keeps a
//! journal of what its searches saw.

#[path = "../stress/engine.rs"]
#[allow(dead_code)] // The stress test uses the rest.
mod engine;

use engine::{Clauses, parallel, task};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use vicinity_policy::search::{Action, Outcome, Search};
use vicinity_policy::topology::{LocationId, Topology};
use vicinity_runtime::locality::search::{self, Journal};
use vicinity_runtime::task::run;
use vicinity_runtime::team::find::Choice;
use vicinity_runtime::thread;

const MACHINE: &str = "numa:4 core:2 pu:1";
const LOCATIONS: u32 = 4;
const THREADS: u32 = 8;
const TASKS: u32 = 4000;

/// One search: as it began, and its steps.
struct Sweep {
    search: Search,
    steps: Vec<(u32, Outcome, Action)>,
}

#[derive(Default)]
struct Sweeps(Vec<Sweep>);

impl Journal for Sweeps {
    fn begin(&mut self, search: &Search) {
        self.0.push(Sweep { search: search.clone(), steps: Vec::new() });
    }

    fn step(&mut self, random: u32, saw: Outcome, action: Action) {
        self.0
            .last_mut()
            .expect("a search begins before its steps")
            .steps
            .push((random, saw, action));
    }
}

/// What all threads' searches did while the first created tasks, and the machine as its team saw it.
fn record() -> (Vec<Sweep>, Topology) {
    let left = AtomicU32::new(TASKS);
    let left: &'static AtomicU32 = Box::leak(Box::new(left));
    let all = Mutex::new((Vec::new(), None));
    parallel(THREADS, &|num| {
        let thread = thread::current();
        let member = thread.member();
        let layout = member.team().layout().expect("a machine with locations gives teams a layout");
        if num == 0 {
            (0..TASKS).for_each(|number| create(number, left));
        }
        let mut sweeps = Sweeps::default();
        while left.load(Relaxed) > 0 {
            match search::find(thread, member, layout, Choice::Any, true, &mut sweeps) {
                Some(task) => run::execute(thread, task),
                None => {
                    if let Some(own) = member.deque.pop() {
                        run::execute(thread, own);
                    }
                    std::thread::yield_now();
                }
            }
        }
        // Where one thread did nearly all, others hardly searched in vain so far.
        for _ in 0..2 {
            let found = search::find(thread, member, layout, Choice::Any, true, &mut sweeps);
            assert!(found.is_none(), "no task is left");
        }
        let mut all = all.lock().expect("nobody panics");
        all.0.append(&mut sweeps.0);
        all.1 = Some(layout.topology.clone());
    });
    let (sweeps, topology) = all.into_inner().expect("nobody panics");
    (sweeps, topology.expect("a thread was there"))
}

/// A task; every other one is sent to a location.
fn create(number: u32, left: &'static AtomicU32) {
    let location = (number % 2 == 1).then_some(LocationId((number / 2 % LOCATIONS) as u16));
    let clauses = Clauses {
        undeferred: false,
        forced: true,
        is_final: false,
        priority: 0,
        location,
        dependences: Vec::new(),
    };
    task(
        &clauses,
        Box::new(move || {
            left.fetch_sub(1, Relaxed); // Counts only; the region's end orders the rest.
        }),
    );
}

#[test]
fn a_search_given_what_the_runtime_saw_does_what_the_runtime_did() {
    engine::start_with(&[("HWLOC_SYNTHETIC", MACHINE)]);
    let (sweeps, topology) = record();
    for sweep in &sweeps {
        let mut search = sweep.search.clone();
        for &(random, saw, action) in &sweep.steps {
            assert_eq!(search.next(&topology, random, saw), action, "{:?}", sweep.steps);
        }
    }
    let did = |wanted: fn(&Action) -> bool| {
        sweeps.iter().flat_map(|sweep| &sweep.steps).filter(|step| wanted(&step.2)).count()
    };
    assert!(
        did(|action| matches!(action, Action::StealFrom(_))) > 0,
        "nothing was stolen from a location"
    );
    assert!(did(|action| matches!(action, Action::Raid(_))) > 10, "hardly anybody raided");
    assert!(did(|action| *action == Action::Idle) > 10, "hardly any search was in vain");
}
