//! Streams under stress: several threads create tasks in streams of their own and in a common one, wait in every way,
//! and come and go.
//!
//! Each address has a cell that its tasks write in turn: dependences alone keep them in order.

use crate::engine::{self, Clauses, Plain};
use crate::random::Random;
use crate::witness::check;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use vicinity_policy::topology::LocationId;
use vicinity_runtime::task::deps::{Access, Dependence};
use vicinity_runtime::task::stream::Stream;
use vicinity_runtime::team::open;

const CELLS: usize = 4;

#[derive(Default)]
struct Cells {
    values: [Arc<Plain>; CELLS],
    expected: [u64; CELLS],
}

/// A round: `threads` threads, each with `tasks` tasks.
pub fn round(random: &mut Random, threads: u32, tasks: u32) {
    let common = Stream::create();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let random = random.split();
            scope.spawn(move || host(random, common, tasks));
        }
    });
    common.retire();
}

fn host(mut random: Random, common: &'static Stream, tasks: u32) {
    let own = Stream::create();
    let mut cells = Cells::default();
    let left = Arc::new(AtomicU32::new(1));
    for number in 0..u64::from(tasks) {
        let index = random.below(CELLS as u32) as usize;
        let stream = if index == 0 { common } else { own };
        // After so many readers a set's tasks wait for one that waits for them all.
        let readers = if random.percent(5) { random.below(14) } else { 0 };
        for _ in 0..readers {
            let (cell, expected) = (cells.values[index].clone(), cells.expected[index]);
            let address = Some(Arc::as_ptr(&cell) as usize);
            let left = left.clone();
            left.fetch_add(1, Relaxed);
            let body = Box::new(move || {
                check(cell.get() == expected, "a reader did not come between two writers");
                done(&left);
            });
            engine::task_in(stream, &clauses(vec![dependence(address, Access::In)], None), body);
        }
        let access = if readers > 0 { Access::InOutSet } else { Access::Out };
        cells.expected[index] = cells.expected[index].wrapping_mul(31) + number;
        let cell = cells.values[index].clone();
        let address = Some(Arc::as_ptr(&cell) as usize);
        let left = left.clone();
        left.fetch_add(1, Relaxed);
        let children = if random.percent(10) { random.below(4) } else { 0 };
        let body = Box::new(move || {
            cell.set(cell.get().wrapping_mul(31) + number);
            (0..children).for_each(|_| engine::task(&clauses(Vec::new(), None), Box::new(|| ())));
            done(&left);
        });
        let location = random.percent(20).then(|| LocationId(random.below(4) as u16));
        engine::task_in(stream, &clauses(vec![dependence(address, access)], location), body);
        if random.percent(1) {
            std::thread::sleep(std::time::Duration::from_micros(u64::from(random.below(300))));
        }
    }
    done(&left);
    loop {
        // Acquire: pairs with the Release in `done`.
        let now = left.load(Acquire);
        if now == 0 {
            break;
        }
        open::wait_word(&left, now);
    }
    for (value, expected) in cells.values.iter().zip(cells.expected) {
        check(value.get() == expected, "tasks of one address ran out of order, or twice");
    }
    own.retire();
}

fn dependence(address: Option<usize>, access: Access) -> Dependence {
    Dependence { address, length_bytes: 1 << 20, access, intensive: false }
}

fn clauses(dependences: Vec<Dependence>, location: Option<LocationId>) -> Clauses {
    let (undeferred, forced, is_final, priority) = (false, false, false, 0);
    Clauses { undeferred, forced, is_final, priority, location, dependences }
}

/// Counts one out, and wakes the waiter with the last.
fn done(left: &AtomicU32) {
    let word = std::ptr::from_ref(left);
    // Release: pairs with the Acquire in `host`.
    left.fetch_sub(1, Release);
    open::wake_word(word);
}
