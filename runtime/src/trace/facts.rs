//! `Facts`: what is known of a task before it runs, kept behind its payload while tracing is on.
//!
//! The block that the slab gives for a task is then longer by these bytes, and they are its last ones: so a
//! record costs nothing more while tracing is off. The owner is that of the record's private fields.
#![allow(unsafe_code)]

use super::event::{Extras, NOWHERE};
use crate::private::Private;
use crate::task::TaskRef;

pub struct Facts {
    /// Its number, and above it the location of its creator (`tag`).
    tagged: Private<u64>,
    /// The number of the task or region that created it.
    pub parent: Private<u64>,
    /// When, in ticks.
    pub created: Private<u64>,
    /// When it became ready, in ticks.
    pub ready: Private<u64>,
    pub extras: Private<Option<Box<Extras>>>,
}

/// Bytes behind the payload. With a small payload they lie in its cache line.
pub const BYTES: usize = size_of::<Facts>();

/// Numbers are exact in a double; the bits above hold a location.
const PLACE_SHIFT: u32 = 53;
const PLACE_MASK: u16 = (1 << (64 - PLACE_SHIFT)) - 1;

impl Facts {
    /// Writes the facts of a fresh task.
    ///
    /// # Safety
    /// The task was allocated with `BYTES` more than its payload, and is the caller's alone.
    #[inline(always)]
    pub unsafe fn begin(
        task: TaskRef,
        (id, place): (u64, u16),
        parent: u64,
        now: u64,
        extras: Option<Box<Extras>>,
    ) {
        let facts = Facts {
            tagged: Private::new((u64::from(place) << PLACE_SHIFT) | id),
            parent: Private::new(parent),
            created: Private::new(now),
            ready: Private::new(now),
            extras: Private::new(extras),
        };
        // SAFETY: the caller's contract; what was there before owned nothing any more.
        unsafe { task.tail().cast::<Facts>().write(facts) };
    }

    pub fn id(&self) -> u64 {
        self.tagged.get() & ((1 << PLACE_SHIFT) - 1)
    }

    /// Where its creator was; `NOWHERE` if that was nowhere.
    pub fn home(&self) -> u16 {
        let place = (self.tagged.get() >> PLACE_SHIFT) as u16;
        if place == NOWHERE & PLACE_MASK { NOWHERE } else { place }
    }

    /// The facts of an explicit task.
    ///
    /// # Safety
    /// Tracing was on when the task was allocated.
    #[inline(always)]
    pub unsafe fn of<'a>(task: TaskRef) -> &'a Facts {
        // SAFETY: the caller's contract: `begin` wrote them.
        unsafe { &*task.tail().cast::<Facts>() }
    }
}
