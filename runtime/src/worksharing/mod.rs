//! Worksharing: loops, sections and other constructs whose work the members of a team share.
//!
//! Terms: a *construct* is one encounter of a team with such a region. Its state has two parts:
//! [`Shared`], one for each team, and [`Local`], one for each member, which only that member touches. A
//! [`Seat`] is a member's view of both. Threads outside any parallel region have a seat in a team of one.
//!
//! - `plan`: what there is to do, and how it is dealt out.
//! - `ring`: how members meet at construct after construct, some ahead of others.
//! - `construct`: what they share there.
//! - `loops`, `lanes`: chunks.
//! - `ordered`, `doacross`, `nest`: iterations that wait for earlier ones.
//!
//! Protocol of a member: [`Seat::begin`], then [`Seat::next`] until it gives nothing, then [`Seat::end`].
//! A member that leaves by cancellation may skip `end`: the next `begin`, or the reset of the team, makes
//! up for it. A *preset* construct is laid down before its team starts, and members call `next` alone.
//! Who has ended a construct counts itself as leaving it when it begins the next one. At a barrier in between, or at the end of
//! the region, all members have ended it: then nobody counts ([`Local::settle`]).
//!
//! Source: OpenMP 5.2, chapter 11.

mod construct;
mod doacross;
mod lanes;
mod loops;
#[cfg(all(test, loom))]
mod model;
mod nest;
mod ordered;
pub mod plan;
pub mod ring;
#[cfg(all(test, not(loom)))]
mod tests;

pub use construct::Construct;
pub use loops::Entry;
pub use nest::Dimension;

use crate::locality::Layout;
use crate::sync::{AtomicU32, AtomicU64, Ordering};
use construct::Scratch;
use plan::{How, Plan};
use ring::Ring;
use std::cell::{Cell, RefCell};
use vicinity_policy::chunks::Range;
use vicinity_policy::chunks::raid::Pace;
use vicinity_policy::chunks::space::Space;

/// How many constructs a member may be ahead of another.
const SLOTS: usize = 16;

/// A member's place at the team's worksharing constructs.
#[derive(Clone, Copy)]
pub struct Seat<'a> {
    pub shared: &'a Shared,
    pub local: &'a Local,
    pub thread_num: u32,
    pub num_threads: u32,
    /// Where the members are; none where all are at one location.
    pub layout: Option<&'a Layout>,
}

/// A team's part of worksharing.
pub struct Shared {
    ring: Ring<Construct, SLOTS>,
    doacross: Ring<doacross::Meeting, { doacross::SLOTS }>,
    lanes: lanes::Lanes,
    /// What has been cancelled: a value of `Cancelled`.
    cancelled: AtomicU32,
    preset: Preset,
}

/// Values of `Shared::cancelled`, each including those before.
mod cancelled {
    pub const NOTHING: u32 = 0;
    pub const CONSTRUCT: u32 = 1;
    pub const REGION: u32 = 2;
}

/// A plan laid down before the team starts, which publishes it.
#[derive(Default)]
struct Preset {
    /// 1 if there is one.
    present: AtomicU32,
    how: AtomicU32,
    merge: AtomicU32,
    chunk: AtomicU64,
    start: AtomicU64,
    end: AtomicU64,
    step: AtomicU64,
    trips: AtomicU64,
}

/// A member's own part of worksharing.
#[derive(Default)]
pub struct Local {
    /// The number of the construct the member is in, or will enter next.
    number: Cell<u64>,
    open: Cell<bool>,
    /// The member is through with the construct before that, and has not counted itself as leaving it.
    owes: Cell<bool>,
    /// Constructs with a lower number are settled (see `ring`).
    settled: Cell<u64>,
    /// `None` when the member is to get no more.
    how: Cell<Option<How>>,
    space: Cell<Space>,
    chunk: Cell<u64>,
    /// Chunks in the loop, for those that are dealt by number.
    chunks: Cell<u64>,
    /// The member's lane, among those of all slots.
    lane: Cell<usize>,
    lane_tag: Cell<u8>,
    /// Chunks taken from that lane since `pace` was told of some; by the counter all that anybody has taken, as far as is known.
    taken: Cell<u64>,
    pace: Cell<Pace>,
    /// Rounds of a static schedule taken.
    round: Cell<u64>,
    ordered: Cell<bool>,
    /// The chunk the member has; kept for ordered loops only.
    at: Cell<Option<Range>>,
    /// Ordered regions the member has ended in this chunk.
    ended: Cell<u64>,
    /// The number of the doacross construct the member will enter next.
    doacross_number: Cell<u64>,
    doacross: RefCell<Option<doacross::Doacross>>,
    /// Memory for a program that enters a construct of an abandoned region.
    spare: RefCell<Scratch>,
}

impl Shared {
    /// For a team of up to `capacity` members.
    pub fn new(capacity: u32) -> Shared {
        Shared {
            ring: Ring::new(capacity),
            doacross: Ring::new(capacity),
            lanes: lanes::Lanes::new(capacity, SLOTS),
            cancelled: AtomicU32::new(cancelled::NOTHING),
            preset: Preset::default(),
        }
    }

    /// Makes everything as new for the team's next region; all its members must be at rest, and their
    /// [`Local::reset`] must follow.
    pub fn reset(&self) {
        let cut_short = self.is_abandoned();
        self.ring.reset(cut_short, Construct::abandon);
        self.doacross.reset(true, doacross::Meeting::retire);
        // Relaxed, all: the start of the team's region publishes them.
        for word in [&self.preset.present, &self.cancelled] {
            if word.load(Ordering::Relaxed) != 0 {
                word.store(0, Ordering::Relaxed);
            }
        }
    }

    /// Describes the team's first construct before the team starts, after [`Shared::reset`].
    fn preset(&self, plan: &Plan) {
        let preset = &self.preset;
        // Relaxed, all: the start of the team's region publishes them.
        preset.how.store(plan.how as u32, Ordering::Relaxed);
        preset.merge.store(plan.merge.into(), Ordering::Relaxed);
        preset.chunk.store(plan.chunk, Ordering::Relaxed);
        preset.start.store(plan.space.start, Ordering::Relaxed);
        preset.end.store(plan.space.end, Ordering::Relaxed);
        preset.step.store(plan.space.step, Ordering::Relaxed);
        preset.trips.store(plan.space.trips, Ordering::Relaxed);
        preset.present.store(1, Ordering::Relaxed);
    }

    /// The plan laid down by [`Shared::preset`].
    fn preset_plan(&self) -> Option<Plan> {
        let preset = &self.preset;
        // Relaxed, all: the member learned of its region after the preset was made.
        if preset.present.load(Ordering::Relaxed) == 0 {
            return None;
        }
        Some(Plan {
            space: Space {
                start: preset.start.load(Ordering::Relaxed),
                end: preset.end.load(Ordering::Relaxed),
                step: preset.step.load(Ordering::Relaxed),
                trips: preset.trips.load(Ordering::Relaxed),
            },
            how: How::from_bits(preset.how.load(Ordering::Relaxed)),
            chunk: preset.chunk.load(Ordering::Relaxed),
            ordered: false,
            merge: preset.merge.load(Ordering::Relaxed) != 0,
        })
    }

    /// Cancels the loop or sections construct the team is in: no more chunks are handed out.
    pub fn cancel(&self) {
        // Release: pairs with the Acquire in `is_cancelled`.
        self.cancelled.fetch_max(cancelled::CONSTRUCT, Ordering::Release);
    }

    /// Whether the construct the team is in, or all of its region, has been cancelled.
    pub fn is_cancelled(&self) -> bool {
        // Acquire: pairs with the Release in `cancel` and `abandon`.
        self.cancelled.load(Ordering::Acquire) != cancelled::NOTHING
    }

    /// Ends the cancellation of a construct, by the barrier at its end, when all members have arrived.
    pub fn clear_cancelled(&self) {
        // Relaxed: nobody cancels while all members are in the barrier, whose release publishes it.
        if self.cancelled.load(Ordering::Relaxed) == cancelled::CONSTRUCT {
            self.cancelled.store(cancelled::NOTHING, Ordering::Relaxed);
        }
    }

    /// Cancels the parallel region: members stop waiting for one another here.
    pub fn abandon(&self) {
        // Release: pairs with the Acquire in `is_cancelled` and `is_abandoned`.
        self.cancelled.store(cancelled::REGION, Ordering::Release);
    }

    fn is_abandoned(&self) -> bool {
        // Acquire: pairs with the Release in `abandon`.
        self.cancelled.load(Ordering::Acquire) == cancelled::REGION
    }
}

impl Local {
    pub fn new() -> Local {
        Local::default()
    }

    /// Makes the member ready for another region; by the member, when it joins the team.
    pub fn reset(&self) {
        self.number.set(0);
        self.open.set(false);
        self.owes.set(false);
        self.settled.set(0);
        self.how.set(None);
        self.doacross_number.set(0);
        if let Ok(mut open) = self.doacross.try_borrow_mut() {
            *open = None;
        }
    }
}
