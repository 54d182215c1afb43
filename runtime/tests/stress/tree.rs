//! Random regions and tasks, and a stream of small tasks.

use crate::engine::{self, Clauses, MAX_PRIORITY};
use crate::random::Random;
use crate::witness::{CELLS, Note, Scope, check};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use vicinity_policy::topology::LocationId;
use vicinity_runtime::task::deps::{Access, Dependence};
use vicinity_runtime::task::wait;
use vicinity_runtime::{team, thread};

/// Depth of tasks in tasks and regions in tasks.
const DEEPEST: u32 = 4;

/// A parallel region of phases with barriers between; all threads of the team make tasks.
pub fn region(size: u32, random: &mut Random, parent: Option<&Arc<Note>>, depth: u32) {
    let phases: Vec<_> = (0..1 + random.below(2)).map(|_| Note::new(parent, 1)).collect();
    let one_creates = random.percent(50);
    let seed = random.next();
    engine::parallel(size, &|num| {
        let mut random = Random::new(seed ^ u64::from(num));
        let mut scope = Scope::new(phases[0].clone());
        for (index, phase) in phases.iter().enumerate() {
            if index > 0 {
                team::barrier();
                phases[index - 1].check_alone("a barrier did not wait for tasks");
            }
            scope.note = phase.clone();
            if !one_creates || num == 0 {
                steps(&mut scope, &mut random, depth);
            }
        }
    });
    phases.iter().for_each(|phase| {
        phase.check_alone("a region ended before its tasks");
        phase.finish_part();
    });
}

/// What a task, or a thread of a region, does: some steps, fewer the deeper it is.
fn steps(scope: &mut Scope, random: &mut Random, depth: u32) {
    let most = [40, 8, 5, 3, 0][depth.min(DEEPEST) as usize];
    for _ in 0..random.below(most + 1) {
        step(scope, random, depth);
    }
}

fn step(scope: &mut Scope, random: &mut Random, depth: u32) {
    match random.below(100) {
        0..5 => {
            wait::taskwait();
            scope.check_waited();
        }
        5..10 => {
            let first = scope.len();
            wait::begin_group();
            steps(scope, random, depth + 1);
            wait::end_group();
            scope.check_group(first);
        }
        10..16 => {
            let uses = uses(random);
            let expected = scope.expect(&uses);
            wait::wait_for_dependences(&scope.clause(&uses));
            expected.enter("taskwait depend did not wait");
        }
        16..20 => wait::taskyield(),
        20..22 if depth > 0 => region(1 + random.below(3), random, Some(&scope.note), depth + 1),
        20..24 => spin(random),
        _ => spawn(scope, random, depth),
    }
}

fn spin(random: &mut Random) {
    (0..random.below(400)).for_each(|_| std::hint::spin_loop());
}

/// Which addresses a task uses, and how: none, a few, or all.
fn uses(random: &mut Random) -> Vec<(usize, Access)> {
    if random.percent(3) {
        return (0..CELLS).map(|cell| (cell, Access::Out)).collect();
    }
    let mut uses = Vec::new();
    let (first, chance) = (random.below(CELLS as u32) as usize, random.below(70));
    for cell in 0..CELLS - 1 {
        if random.percent(chance) {
            let access = match random.below(10) {
                0..4 => Access::In,
                4..6 => Access::Out,
                6..8 => Access::InOutSet,
                _ => Access::MutexInOutSet,
            };
            uses.push(((first + cell) % CELLS, access));
        }
    }
    uses
}

/// How the event of a task is fulfilled.
enum Event {
    None,
    ByBody,
    /// Ordered when the body starts.
    ByOther,
    /// Ordered when the body ends: while children that it has left behind run.
    ByOtherLate,
}

fn spawn(scope: &mut Scope, random: &mut Random, depth: u32) {
    let uses = if random.percent(60) { uses(random) } else { Vec::new() };
    let clauses = Clauses {
        undeferred: random.percent(8),
        forced: random.percent(40),
        is_final: random.percent(4),
        priority: if random.percent(15) { random.below(MAX_PRIORITY as u32 + 1) as i32 } else { 0 },
        location: random.percent(30).then(|| LocationId(random.below(4) as u16)),
        dependences: scope.clause(&uses),
    };
    let event = match random.below(100) {
        0..4 => Event::ByBody,
        4..8 => Event::ByOther,
        8..14 => Event::ByOtherLate,
        _ => Event::None,
    };
    let detached = !matches!(event, Event::None);
    let expected = scope.expect(&uses);
    let note = Note::new(Some(&scope.note), 1 + u32::from(detached));
    scope.add(note.clone(), &expected);
    let mut random = random.split();
    let mut body = move |handle: Option<usize>| {
        note.start();
        expected.around(|| {
            if let (Event::ByOther, Some(handle)) = (&event, handle) {
                fulfill_elsewhere(handle, note.clone(), random.below(3000));
            }
            spin(&mut random);
            steps(&mut Scope::new(note.clone()), &mut random, depth + 1);
            match (&event, handle) {
                (Event::ByBody, Some(handle)) => {
                    note.finish_part();
                    engine::fulfill(handle);
                }
                (Event::ByOtherLate, Some(handle)) => {
                    fulfill_elsewhere(handle, note.clone(), random.below(300));
                }
                _ => (),
            }
        });
        note.finish_part();
    };
    match detached {
        true => engine::detached_task(&clauses, move |handle| body(Some(handle))),
        false => engine::task(&clauses, Box::new(move || body(None))),
    }
}

/// Has a thread outside of every team fulfill an event after a while.
fn fulfill_elsewhere(handle: usize, note: Arc<Note>, pauses: u32) {
    type Order = (usize, Arc<Note>, u32);
    static ORDERS: OnceLock<Mutex<Sender<Order>>> = OnceLock::new();
    let orders = ORDERS.get_or_init(|| {
        let (sender, orders) = channel::<Order>();
        std::thread::spawn(move || {
            for (handle, note, pauses) in orders {
                (0..pauses).for_each(|_| std::hint::spin_loop());
                note.finish_part();
                drop(note);
                engine::fulfill(handle);
            }
        });
        Mutex::new(sender)
    });
    let orders = orders.lock().unwrap_or_else(PoisonError::into_inner);
    // The receiver never ends.
    _ = orders.send((handle, note, pauses));
}

/// Regions one after the other whose team shrinks and grows, of two sizes for a while: workers that fall asleep at the end
/// of one look around while the next begins without them. Some have tasks.
pub fn resize(random: &mut Random, regions: u32) {
    const SIZES: [u32; 5] = [2, 3, 5, 8, 17];
    let mut any = || SIZES[random.below(SIZES.len() as u32) as usize];
    let sizes = [any(), any()];
    let tasks = random.below(3);
    for index in 0..regions {
        let entered = AtomicU32::new(0);
        let done = Arc::new(AtomicU32::new(0));
        let size = AtomicU32::new(0);
        engine::parallel(sizes[index as usize % 2], &|num| {
            entered.fetch_add(1, Relaxed);
            size.store(thread::seat().num_threads, Relaxed);
            for _ in 0..if num == 0 { tasks } else { 0 } {
                let done = done.clone();
                engine::task(&forced(Vec::new()), Box::new(move || _ = done.fetch_add(1, Relaxed)));
            }
        });
        check(entered.into_inner() == size.into_inner(), "a thread of the team did not run");
        check(done.load(Relaxed) == tasks, "a region ended before its tasks");
    }
}

/// Chains of small tasks, some of them with descendants that outlive them.
pub fn stream(size: u32, tasks: usize) {
    engine::parallel(size, &|_| {
        let places = [0u8; 16];
        for index in 0..tasks {
            let address = Some((&raw const places[index % places.len()]).addr());
            let access = if index.is_multiple_of(3) { Access::In } else { Access::Out };
            let dependences =
                vec![Dependence { address, length_bytes: 0, access, intensive: false }];
            engine::task(
                &forced(dependences),
                Box::new(|| engine::task(&forced(Vec::new()), Box::new(|| ()))),
            );
        }
    });
}

fn forced(dependences: Vec<Dependence>) -> Clauses {
    Clauses {
        undeferred: false,
        forced: true,
        is_final: false,
        priority: 0,
        location: None,
        dependences,
    }
}
