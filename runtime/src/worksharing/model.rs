//! Loom models: every interleaving of two members at successive constructs of a ring with one slot, and
//! of two members that take and steal chunks. Loom reports a missing Acquire or Release as a race on the
//! cell.
//!
//! Run with `make models`.
#![allow(unsafe_code)]

use super::lanes::{Lanes, Loot};
use super::ring::{Arrival, Ring};
use crate::team::barrier::Barrier;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use vicinity_policy::chunks::raid::Pace;

/// What a construct shares: its number, written by the first member and by the last.
#[derive(Default)]
struct Note(UnsafeCell<u64>);

// SAFETY: the ring's protocol, which the model checks, orders all accesses.
unsafe impl Sync for Note {}

impl Note {
    fn write(&self, number: u64) {
        // SAFETY: loom watches that nobody else is at the cell.
        self.0.with_mut(|number_at| unsafe { *number_at = number });
    }

    fn read(&self) -> u64 {
        // SAFETY: loom watches that nobody writes the cell.
        self.0.with(|number_at| unsafe { *number_at })
    }
}

/// Goes into a construct.
fn meet(ring: &Ring<Note, 1>, construct: u64, settled: u64) {
    let note = loop {
        match ring.try_arrive(construct, settled) {
            Arrival::First(note) => {
                note.write(construct + 1);
                ring.publish(construct);
                break note;
            }
            Arrival::Later(note) => break note,
            Arrival::Preparing | Arrival::Occupied => thread::yield_now(),
        }
    };
    assert_eq!(note.read(), construct + 1);
}

/// Goes through two constructs.
fn attend(ring: &Ring<Note, 1>, num: u32) {
    for construct in 0..2 {
        meet(ring, construct, 0);
        ring.leave(construct, num, 2, |note| note.write(0));
    }
}

/// Goes through two constructs with a barrier between them, which settles the first.
fn attend_settled(ring: &Ring<Note, 1>, barrier: &Barrier, num: u32) {
    meet(ring, 0, 0);
    let seen = barrier.epoch();
    if barrier.arrive(num, 2) {
        barrier.release();
    } else {
        while barrier.epoch() == seen {
            thread::yield_now();
        }
    }
    meet(ring, 1, 1);
    ring.leave(1, num, 2, |note| note.write(0));
}

#[test]
fn nobody_need_leave_a_construct_before_a_barrier() {
    loom::model(|| {
        let shared = Arc::new((Ring::<Note, 1>::new(2), Barrier::new(2)));
        let other = Arc::clone(&shared);
        let member = thread::spawn(move || attend_settled(&other.0, &other.1, 1));
        attend_settled(&shared.0, &shared.1, 0);
        member.join().unwrap();
    });
}

#[test]
fn members_meet_at_every_construct() {
    loom::model(|| {
        let ring = Arc::new(Ring::<Note, 1>::new(2));
        let other = Arc::clone(&ring);
        let member = thread::spawn(move || attend(&other, 1));
        attend(&ring, 0);
        member.join().unwrap();
    });
}

/// Takes chunks until none is left; gives a bit for each. All are tiny.
fn take_all(lanes: &Lanes, member: u32) -> u32 {
    let team = lanes.team(0, 2, (1, member, 3));
    let tiny = Pace::default().begun_at(1).after(1, 2);
    let mut taken = 0;
    team.enter();
    loop {
        let chunk = match lanes.take(lanes.index(0, member)) {
            Some(chunk) => chunk,
            None => match team.raid(0..2, tiny, true) {
                Loot::Chunk(chunk) => chunk,
                _ => return taken,
            },
        };
        assert_eq!(taken & 1 << chunk, 0);
        taken |= 1 << chunk;
    }
}

#[test]
fn every_chunk_is_taken_once() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let lanes = Arc::new(Lanes::new(2, 1));
        lanes.clear(0, 2);
        let other = Arc::clone(&lanes);
        let member = thread::spawn(move || take_all(&other, 1));
        let mine = take_all(&lanes, 0);
        let theirs = member.join().unwrap();
        assert_eq!((mine | theirs, mine & theirs), (0b111, 0));
    });
}
