//! Ordered loops: regions that run in the order of the sequential loop.
//!
//! Chunks of an ordered loop are handed out front to back without gaps, so one word orders them: the
//! construct's *turn* is the first iteration of the chunk that may run its ordered regions. A member
//! passes the turn when it asks for its next chunk or, since an iteration has at most one ordered region,
//! as soon as it has ended as many of them as its chunk has iterations; so what follows an ordered region
//! in the last iteration of a chunk does not hold up the next chunk.
//!
//! Ordering: the turn is passed with Release and awaited with Acquire, so ordered regions see what those
//! before them did.
//! Source: OpenMP 5.2, section 15.10.2 (ordered construct).

use super::Seat;
use crate::aside;
use crate::sync::Ordering;
use vicinity_policy::chunks::Range;

impl Seat<'_> {
    /// Waits until this member's chunk may run its ordered regions.
    pub fn ordered_start(&self) {
        if let Some(chunk) = self.ordered_chunk() {
            self.await_turn(chunk);
        }
    }

    /// Ends an ordered region.
    pub fn ordered_end(&self) {
        let Some(chunk) = self.ordered_chunk() else { return };
        let ended = self.local.ended.get() + 1;
        self.local.ended.set(ended);
        if ended == chunk.len {
            self.pass(chunk);
        }
    }

    /// Passes the turn on behalf of the chunk the member has finished, in its turn.
    pub(super) fn pass_turn(&self) {
        if let Some(chunk) = self.local.at.get() {
            self.await_turn(chunk);
            self.pass(chunk);
        }
    }

    /// The member's chunk, if its turn is to be awaited and passed.
    fn ordered_chunk(&self) -> Option<Range> {
        let local = self.local;
        if local.open.get() && local.ordered.get() { local.at.get() } else { None }
    }

    fn await_turn(&self, chunk: Range) {
        let turn = &self.shared.ring.value(self.local.number.get()).turn;
        // Acquire: pairs with the Release in `pass`.
        aside::until(|| turn.load(Ordering::Acquire) == chunk.first || self.shared.is_cancelled());
    }

    fn pass(&self, chunk: Range) {
        self.local.at.set(None);
        // Release: pairs with the Acquire in `await_turn`.
        let turn = &self.shared.ring.value(self.local.number.get()).turn;
        turn.store(chunk.end(), Ordering::Release);
    }
}
