//! Chunks: entering a construct, taking work from it, leaving it.
//!
//! Where chunks come from, by [`How`]: static blocks and rounds are computed by each member alone; a
//! counter of *chunks* serves dynamic loops, so that it cannot overflow before the loop is through;
//! nonmonotonic dynamic loops, and on a machine with several locations guided ones, have lanes (`super::lanes`) for all chunks but
//! the final one; other guided loops exchange a counter of iterations.
//! The counters are Relaxed throughout: they hand out numbers and publish nothing, and the slot's
//! publication orders them after their preparation.

use super::construct::Construct;
use super::lanes::{Loot, MOST_CHUNKS, MOST_MEMBERS};
use super::plan::{How, Plan};
use super::ring::{Arrival, Ring};
use super::{Local, SLOTS, Seat};
use crate::aside;
use crate::sync::Ordering;
use crate::thread::clock;
use crate::wait;
use crate::{effort, tool, trace};
use std::ffi::c_void;
use vicinity_policy::chunks::space::Space;
use vicinity_policy::chunks::{self, Range};

/// Loops with fewer chunks for each member are dealt by a counter: finding the lanes empty at the end
/// costs as much as so many contended increments.
const FEWEST_CHUNKS_EACH: u64 = 8;

/// The same on a machine with several locations, where a counter would hand an iteration to another location each time.
const FEWEST_CHUNKS_EACH_TO_STAY: u64 = 1;

/// Chunks of each member where the team decides: the last thief takes home so little of the work.
const CHUNKS_EACH: u64 = 16;

/// How a member came into a construct.
pub enum Entry<'a> {
    /// It was the first, and has prepared the construct.
    First(&'a Construct),
    /// Another member was.
    Later(&'a Construct),
    /// The region is being cancelled, and the member cannot enter any more: there is no work.
    Refused,
}

impl<'a> Seat<'a> {
    /// Enters a construct. The first member to arrive runs `prepare` before any other comes in.
    pub fn begin(&self, plan: &Plan, prepare: impl FnOnce(&Construct)) -> Entry<'a> {
        self.end();
        self.leave();
        let plan = &self.chosen(plan);
        let entry = self.arrive(plan, prepare);
        match entry {
            Entry::First(construct) | Entry::Later(construct) => self.sit(plan, construct),
            Entry::Refused => self.local.number.set(self.local.number.get() + 1),
        }
        entry
    }

    /// The plan, with what it leaves to the team decided: the same for all members.
    fn chosen(&self, plan: &Plan) -> Plan {
        match plan.how {
            How::Auto if self.layout.is_some() && !plan.ordered => {
                let chunks = u64::from(self.num_threads) * CHUNKS_EACH;
                Plan { how: How::Lanes, chunk: (plan.space.trips / chunks).max(1), ..*plan }
            }
            How::Auto => Plan { how: How::Blocks, ..*plan },
            How::GuidedInAnyOrder if self.layout.is_some() => {
                Plan { how: How::GuidedLanes, ..*plan }
            }
            How::GuidedInAnyOrder => Plan { how: How::Guided, ..*plan },
            _ => *plan,
        }
    }

    fn arrive(&self, plan: &Plan, prepare: impl FnOnce(&Construct)) -> Entry<'a> {
        let (ring, number) = (&self.shared.ring, self.local.number.get());
        if self.num_threads == 1 {
            let construct = ring.arrive_alone(number);
            construct.prepare(plan.ordered);
            prepare(construct);
            return Entry::First(construct);
        }
        let mut prepare = Some(prepare);
        let mut entry = Entry::Refused;
        let settled = self.local.settled.get();
        aside::until(|| match ring.try_arrive(number, settled) {
            Arrival::First(construct) => {
                self.prepare(plan, construct);
                if let Some(prepare) = prepare.take() {
                    prepare(construct);
                }
                ring.publish(number);
                entry = Entry::First(construct);
                true
            }
            Arrival::Later(construct) => {
                entry = Entry::Later(construct);
                true
            }
            Arrival::Preparing => false,
            Arrival::Occupied => self.shared.is_abandoned(),
        });
        entry
    }

    /// Readies the shared state for this plan.
    fn prepare(&self, plan: &Plan, construct: &Construct) {
        construct.prepare(plan.ordered);
        if self.dealt_by(plan).has_lanes() && construct.prepare_lanes(self.num_threads) {
            self.shared.lanes.clear(self.slot(), self.num_threads);
        }
    }

    /// The plan's way of dealing, unless this team or loop is too large for it, or too small to gain.
    fn dealt_by(&self, plan: &Plan) -> How {
        let fits = || {
            let each = match self.layout {
                None => FEWEST_CHUNKS_EACH,
                Some(_) => FEWEST_CHUNKS_EACH_TO_STAY,
            };
            let fewest = each * u64::from(self.num_threads);
            let chunks = chunks::count(plan.space.trips, plan.chunk);
            self.num_threads <= MOST_MEMBERS && (fewest..=MOST_CHUNKS).contains(&chunks)
        };
        match plan.how {
            How::Lanes if !fits() => How::Counter,
            How::GuidedLanes if !fits() => How::Guided,
            how => how,
        }
    }

    /// Takes the member's own notes of a construct it has entered.
    fn sit(&self, plan: &Plan, construct: &Construct) {
        let local = self.local;
        let alone = self.num_threads == 1 && plan.merge;
        let how = if alone { How::Blocks } else { self.dealt_by(plan) };
        local.open.set(true);
        if tool::is_on() {
            tool::sync::enters(plan);
        }
        local.how.set(Some(how));
        local.space.set(plan.space);
        local.chunk.set(plan.chunk);
        local.chunks.set(chunks::count(plan.space.trips, plan.chunk));
        local.round.set(0);
        local.taken.set(0);
        local.ordered.set(plan.ordered && self.num_threads > 1);
        local.at.set(None);
        if how.has_lanes() {
            local.lane_tag.set(construct.lane_tag());
            local.lane.set(self.shared.lanes.index(self.slot(), self.thread_num));
            local.pace.set(local.pace.get().begun());
            self.lanes().enter();
        }
    }

    /// The open construct's slot of the ring.
    fn slot(&self) -> usize {
        Ring::<Construct, SLOTS>::index(self.local.number.get())
    }

    fn lanes(&self) -> super::lanes::Team<'a> {
        let local = self.local;
        let in_lanes = local.chunks.get().saturating_sub(1);
        let loop_ = (local.lane_tag.get(), self.thread_num, in_lanes);
        self.shared.lanes.team(self.slot(), self.num_threads, loop_)
    }

    /// The members whose chunks this one takes when it has no more, in that order.
    fn victims(&self) -> impl Iterator<Item = u32> + use<'a> {
        let (me, members) = (self.thread_num, self.num_threads);
        let near = self.layout.map(|layout| layout.others_near(me));
        let around = if near.is_some() { 0 } else { members };
        let next = (1..around).map(move |distance| (me + distance) % members);
        near.into_iter().flatten().chain(next)
    }

    /// What the open construct shares.
    fn construct(&self) -> &'a Construct {
        self.shared.ring.value(self.local.number.get())
    }

    /// The values of the open construct's iterations.
    pub fn space(&self) -> Space {
        self.local.space.get()
    }

    /// The next run of logical iterations for this member; `None` when there is no more. Enters the
    /// preset construct if the member is in none.
    #[inline]
    pub fn next(&self) -> Option<Range> {
        let range = self.next_share();
        if trace::is_watched() {
            trace::chunk(range, self.local.number.get());
        }
        range
    }

    /// What most chunks of loops are taken by, as calls of little else.
    #[inline(always)]
    fn next_share(&self) -> Option<Range> {
        let local = self.local;
        match local.how.get() {
            Some(How::Lanes) if !self.shared.is_cancelled() => {
                match self.shared.lanes.take(local.lane.get()) {
                    Some(number) => {
                        local.taken.set(local.taken.get() + 1);
                        self.numbered(number)
                    }
                    None => (*self).raid(),
                }
            }
            Some(How::Counter) if !local.ordered.get() && !self.shared.is_cancelled() => {
                self.numbered(self.next_number())
            }
            _ => (*self).next_of_any(),
        }
    }

    #[inline(never)]
    fn next_of_any(self) -> Option<Range> {
        if !self.local.open.get() && !self.enter_preset() {
            return None;
        }
        if self.local.ordered.get() {
            self.pass_turn();
        }
        if self.shared.is_cancelled() && !self.shared.is_abandoned() {
            return None;
        }
        let range = self.take();
        if self.local.ordered.get() {
            self.local.at.set(range);
            self.local.ended.set(0);
        }
        range
    }

    /// Enters the construct laid down before the team started, if it is still to come.
    #[cold]
    fn enter_preset(&self) -> bool {
        if self.local.number.get() != 0 {
            return false;
        }
        match self.shared.preset_plan() {
            Some(plan) => !matches!(self.begin(&plan, |_| ()), Entry::Refused),
            None => false,
        }
    }

    fn take(&self) -> Option<Range> {
        let local = self.local;
        let (trips, chunk) = (self.space().trips, local.chunk.get());
        let (members, member) = (self.num_threads, self.thread_num);
        match local.how.get()? {
            How::Lanes => match self.shared.lanes.take(local.lane.get()) {
                Some(number) => self.numbered(number),
                None => self.raid(),
            },
            How::GuidedLanes => match self.lanes().take_half() {
                Some(chunks) => Some(self.merged(chunks)),
                None => self.raid(),
            },
            How::Counter => self.numbered(self.next_number()),
            How::Guided | How::GuidedInAnyOrder => {
                self.shrink(trips, |left| chunks::guided(left, members, chunk))
            }
            How::AlignedGuided => {
                self.shrink(trips, |left| chunks::guided_aligned(left, members, chunk))
            }
            How::Dealt => chunks::dealt(trips, chunk, members, member, self.round()),
            How::Blocks | How::Auto if self.round() > 0 => None,
            How::Blocks | How::Auto => {
                Some(chunks::block(trips, members, member)).filter(|block| block.len > 0)
            }
            How::AlignedBlocks if self.round() > 0 => None,
            How::AlignedBlocks => {
                chunks::nth(trips, chunks::aligned_share(trips, members, chunk), member.into())
            }
        }
    }

    /// The chunk with a number.
    #[inline(always)]
    fn numbered(&self, number: u64) -> Option<Range> {
        let local = self.local;
        chunks::nth_of(local.space.get().trips, local.chunk.get(), local.chunks.get(), number)
    }

    /// Several chunks of the member's lane as one.
    fn merged(&self, chunks: Range) -> Range {
        let local = self.local;
        local.taken.set(local.taken.get() + chunks.len);
        let chunk = local.chunk.get();
        Range { first: chunks.first * chunk, len: chunks.len * chunk }
    }

    /// A chunk for a member whose lane is empty: of another's, where that pays, or the final one.
    #[cold]
    fn raid(self) -> Option<Range> {
        let (local, lanes, now) = (self.local, self.lanes(), clock::ticks());
        let pace = local.pace.get().after(local.taken.replace(0), now);
        let look = |has_waited| {
            lanes.raid(self.victims().take_while(|_| self.has_final()), pace, has_waited)
        };
        let loot = match look(false) {
            Loot::Soon(ticks) => {
                wait::pause(ticks);
                look(true)
            }
            loot => loot,
        };
        local.pace.set(pace);
        match loot {
            Loot::Chunk(number) => {
                local.taken.set(1);
                local.pace.set(pace.begun_at(clock::ticks()));
                self.numbered(number)
            }
            Loot::Soon(_) | Loot::Nothing => self.take_final(),
        }
    }

    /// The final chunk of a loop with lanes, which is in no lane: whoever finds the lanes empty first takes
    /// it, and takes nothing after it. A member's last chunk is thus the one with the greatest iteration
    /// whenever it has the loop's last, as the compilers' code for lastprivate expects.
    fn take_final(self) -> Option<Range> {
        self.local.how.set(None);
        let last = self.local.chunks.get().checked_sub(1)?;
        if self.has_final() && self.count() == 0 { self.numbered(last) } else { None }
    }

    /// Whether nobody has taken the final chunk yet. When somebody has, he has found all lanes empty: others need not look.
    fn has_final(&self) -> bool {
        self.construct().next.load(Ordering::Relaxed) == 0
    }

    /// The round of a static schedule, which this call completes.
    fn round(&self) -> u64 {
        self.local.round.replace(self.local.round.get() + 1)
    }

    /// The number of the next chunk of the counter. Where there may be none any more, most often looks alone: all members can look
    /// at the same time, but only one after the other can add.
    #[inline(always)]
    fn next_number(&self) -> u64 {
        let (local, members) = (self.local, u64::from(self.num_threads));
        let chunks = local.chunks.get();
        if local.taken.get() + members >= chunks {
            effort::looks(1);
            let next = self.construct().next.load(Ordering::Relaxed);
            if next >= chunks {
                return next;
            }
        }
        let number = self.count();
        local.taken.set(number + 1);
        number
    }

    /// The number of the next chunk.
    fn count(&self) -> u64 {
        let next = &self.construct().next;
        if self.num_threads > 1 {
            effort::writes(next);
            return next.fetch_add(1, Ordering::Relaxed);
        }
        let number = next.load(Ordering::Relaxed);
        next.store(number + 1, Ordering::Relaxed);
        number
    }

    /// Takes a chunk whose size depends on how many iterations are left.
    fn shrink(&self, trips: u64, size: impl Fn(u64) -> u64) -> Option<Range> {
        let next = &self.construct().next;
        let mut first = next.load(Ordering::Relaxed);
        while first < trips {
            let len = size(trips - first);
            let taken = first + len;
            effort::writes(next);
            match next.compare_exchange_weak(first, taken, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(Range { first, len }),
                Err(now) => first = now,
            }
        }
        None
    }

    /// The number of the next section, from 0, or `None` behind the last.
    pub fn next_section(&self) -> Option<u64> {
        self.next().map(|range| range.first)
    }

    /// Whether a member has entered a construct and not left it.
    pub fn is_open(&self) -> bool {
        self.local.open.get()
    }

    /// Ends the construct the member is in, if any. Does not wait for the others.
    pub fn end(&self) {
        self.local.end();
    }

    /// Leaves the construct that the member has ended, unless it is settled.
    fn leave(&self) {
        if self.local.owes.replace(false) {
            let before = self.local.number.get() - 1;
            self.shared.ring.leave(before, self.thread_num, self.num_threads, Construct::retire);
        }
    }

    /// Lays down the team's first construct; for the seat of the first member, before any other starts.
    pub fn preset(&self, plan: &Plan) {
        self.shared.preset(plan);
        if self.num_threads > 1 {
            let plan = &self.chosen(plan);
            if let Arrival::First(construct) = self.shared.ring.try_arrive(0, 0) {
                self.prepare(plan, construct);
                self.shared.ring.publish(0);
            }
        }
    }

    /// Zeroed memory for a program that was refused entry to a construct with shared memory.
    pub fn spare_scratch(&self, bytes: usize) -> *mut c_void {
        self.local.spare.borrow_mut().provide(bytes)
    }
}

impl Local {
    fn end(&self) {
        if self.open.replace(false) {
            if trace::is_watched() {
                trace::chunk(None, self.number.get());
                tool::sync::leaves();
            }
            self.how.set(None);
            self.owes.set(true);
            self.number.set(self.number.get() + 1);
        }
    }

    /// All members have come to a barrier: they are through with every construct before it. One that was cancelled may be open.
    #[inline]
    pub fn settle(&self) {
        self.end();
        if self.owes.replace(false) {
            self.settled.set(self.number.get());
        }
    }
}
