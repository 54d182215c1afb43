//! Doacross loops: iterations that wait for named earlier ones.
//!
//! A doacross nest is a construct of its own beside the loop that deals the iterations: libomp announces
//! the two separately. Its members meet in a ring of their own (`super::ring`), where the first allocates
//! the marks (`super::nest`). A member alone keeps none: its iterations run in sequential order.
//! Source: OpenMP 5.2, section 15.9.5 and 15.10.2.

use super::nest::{Dimension, Nest};
use super::ring::Arrival;
use super::{Seat, doacross};
use crate::aside;
use crate::sync::AtomicU64;
use crate::tool;
use std::sync::{Arc, Mutex, PoisonError};

/// How many doacross loops a member may be ahead of another.
pub(super) const SLOTS: usize = 4;

/// What the members share: the marks.
#[derive(Default)]
pub(super) struct Meeting(Mutex<Option<Arc<[AtomicU64]>>>);

impl Meeting {
    fn cell(&self) -> std::sync::MutexGuard<'_, Option<Arc<[AtomicU64]>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates the marks of a nest; for the first member.
    fn prepare(&self, nest: &Nest) {
        *self.cell() = Some((0..nest.words()).map(|_| AtomicU64::new(0)).collect());
    }

    /// Lets go of the marks; they live on until the last member drops its share.
    pub(super) fn retire(&self) {
        *self.cell() = None;
    }
}

/// A member's own part of a doacross loop.
pub(super) struct Doacross {
    nest: Nest,
    words: Arc<[AtomicU64]>,
}

impl Seat<'_> {
    /// Enters a doacross nest. `rows_in_order`: all iterations with the same value in the first dimension
    /// run on one thread, in order.
    pub fn begin_doacross(&self, dimensions: &[Dimension], rows_in_order: bool) {
        self.end_doacross();
        if self.num_threads == 1 {
            return;
        }
        let nest = Nest::new(dimensions, rows_in_order);
        let number = self.local.doacross_number.get();
        let meeting = self.arrive_doacross(number, &nest);
        let words = meeting.and_then(|meeting| meeting.cell().clone());
        self.local.doacross_number.set(number + 1);
        // Without marks the region is being abandoned, and nobody waits any more.
        if let Some(words) = words {
            *self.local.doacross.borrow_mut() = Some(doacross::Doacross { nest, words });
        }
    }

    fn arrive_doacross(&self, number: u64, nest: &Nest) -> Option<&Meeting> {
        let ring = &self.shared.doacross;
        let mut entered = None;
        aside::until(|| match ring.try_arrive(number, 0) {
            Arrival::First(meeting) => {
                meeting.prepare(nest);
                ring.publish(number);
                entered = Some(meeting);
                true
            }
            Arrival::Later(meeting) => {
                entered = Some(meeting);
                true
            }
            Arrival::Preparing => false,
            Arrival::Occupied => self.shared.is_abandoned(),
        });
        entered
    }

    /// How many dimensions the open nest has; 0 when nothing needs to be waited for.
    pub fn doacross_dimensions(&self) -> usize {
        self.local.doacross.borrow().as_ref().map_or(0, |open| open.nest.dimensions())
    }

    /// Marks an iteration as done.
    pub fn post(&self, vector: impl Iterator<Item = i64> + Clone) {
        if tool::is_on() {
            tool::sync::doacross(true, vector.clone());
        }
        if let Some(open) = &*self.local.doacross.borrow() {
            open.nest.post(&open.words, vector);
        }
    }

    /// Waits for an iteration to be posted, unless it lies outside the nest.
    pub fn wait_for(&self, vector: impl Iterator<Item = i64> + Clone) {
        if let Some(open) = &*self.local.doacross.borrow() {
            let mark = open.nest.find(vector.clone());
            if tool::is_on() && mark.is_some() {
                tool::sync::doacross(false, vector);
            }
            aside::until(|| open.nest.is_posted(&open.words, mark) || self.shared.is_abandoned());
        }
    }

    /// Leaves the doacross nest, if one is open.
    pub fn end_doacross(&self) {
        if self.local.doacross.take().is_some() {
            let number = self.local.doacross_number.get() - 1;
            self.shared.doacross.leave(number, self.thread_num, self.num_threads, Meeting::retire);
        }
    }
}
