//! What a member is to do at a worksharing construct: the iterations and how they are dealt.
//!
//! Terms: a [`Plan`] is made anew by every member from what the compiler passed, and must come out the
//! same for all of them, as OpenMP demands of the loop's bounds and schedule.

pub use vicinity_policy::chunks;
pub use vicinity_policy::chunks::Range;
pub use vicinity_policy::chunks::space::Space;
pub use vicinity_policy::schedule::{Kind, Order, Schedule};

/// How chunks reach the members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum How {
    /// One block for each member.
    Blocks,
    /// As the team likes: blocks, or on a machine with several locations lanes of them, so that what is left of a slow
    /// member's block goes to one nearby.
    Auto,
    /// One block for each member, every one a multiple of the chunk size long.
    AlignedBlocks,
    /// Chunk after chunk, round-robin.
    Dealt,
    /// Chunk after chunk, to whoever asks.
    Counter,
    /// Chunks to whoever asks, of a member's own block while it lasts.
    Lanes,
    /// To whoever asks, in chunks that get smaller.
    Guided,
    /// In chunks that get smaller, of a member's own block while it lasts.
    GuidedLanes,
    /// As the team likes: the latter on a machine with several locations, else the former.
    GuidedInAnyOrder,
    /// To whoever asks, in chunks that get smaller and are multiples of the chunk size.
    AlignedGuided,
}

impl How {
    const ALL: [How; 10] = [
        How::Blocks,
        How::Auto,
        How::AlignedBlocks,
        How::Dealt,
        How::Counter,
        How::Lanes,
        How::Guided,
        How::GuidedLanes,
        How::GuidedInAnyOrder,
        How::AlignedGuided,
    ];

    /// Whether members have chunks of their own, which others take when they have none.
    pub(super) const fn has_lanes(self) -> bool {
        matches!(self, How::Lanes | How::GuidedLanes)
    }

    /// The inverse of `how as u32`.
    pub(super) fn from_bits(bits: u32) -> How {
        Self::ALL[bits as usize % Self::ALL.len()]
    }
}

/// A worksharing construct, as one member finds it.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub space: Space,
    pub how: How,
    /// Iterations in a chunk; at least 1.
    pub chunk: u64,
    /// The construct has `ordered` regions.
    pub ordered: bool,
    /// A member alone gets all iterations at once.
    pub merge: bool,
}

impl Plan {
    /// A loop under a schedule. `ordered` and doacross loops are monotonic, whatever else is said.
    pub const fn scheduled(space: Space, schedule: Schedule, ordered: bool) -> Plan {
        let in_order = ordered || matches!(schedule.order, Order::Monotonic);
        let how = match (schedule.kind, schedule.chunk) {
            (Kind::Auto, _) if !ordered => How::Auto,
            (Kind::Auto, _) => How::Blocks,
            (Kind::Static, 0) => How::Blocks,
            (Kind::Static, _) => How::Dealt,
            (Kind::Guided, _) if in_order => How::Guided,
            (Kind::Guided, _) => How::GuidedInAnyOrder,
            (Kind::Dynamic, _) if in_order => How::Counter,
            (Kind::Dynamic, _) => How::Lanes,
        };
        let chunk = if schedule.chunk == 0 { 1 } else { schedule.chunk };
        Plan { space, how, chunk, ordered, merge: true }
    }

    /// `count` sections, numbered from 0.
    pub const fn sections(count: u64) -> Plan {
        let space = Space::counted(count);
        Plan { space, how: How::Counter, chunk: 1, ordered: false, merge: false }
    }

    /// A construct that hands out nothing: its members only meet.
    pub const fn meeting() -> Plan {
        Plan::sections(0)
    }
}
