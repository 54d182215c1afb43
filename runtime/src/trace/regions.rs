//! Hooks of regions, of waiting in them, and of worksharing.

use super::event::{Kind, Wait, head};
use crate::locality;
use crate::private::Private;
use crate::team::{Member, Team};
use crate::thread::clock::ticks;
use crate::thread::{self, Thread};
use crate::tool;
use std::sync::atomic::{AtomicU64, Ordering};
use vicinity_policy::chunks::Range;

/// A team's side of tracing.
#[derive(Default)]
pub struct TeamTrace {
    /// Master: the region's number and site, and the task that met it. Workers read them after their order.
    region: Private<(u64, u32, u64)>,
    /// When the last region ended that this team ran, in ticks.
    released: AtomicU64,
}

/// The function that names the next region of this thread, and where clang says it is.
#[inline(always)]
pub fn next_region(thread: &Thread, function: usize, location: usize) {
    if let Some(recorder) = thread.recorder.get() {
        recorder.site(function, location);
        recorder.region_function.set(function);
    }
}

/// Master: a region is about to start. Before its workers get their orders.
#[inline(always)]
pub fn region_begins(thread: &Thread, team: &Team, entry: usize, requested: u32) {
    if let Some(recorder) = thread.recorder.get() {
        let function = match recorder.region_function.replace(0) {
            0 => entry,
            function => function,
        };
        let site = recorder.site(function, 0);
        team.trace.region.set((recorder.number(), site, recorder.current()));
        if tool::is_on() {
            tool::regions::begins(thread, team, requested);
        }
    }
}

/// A thread begins its part of a region.
#[inline(always)]
pub fn region_entered(thread: &Thread, member: &'static Member) {
    if let Some(recorder) = thread.recorder.get() {
        let team = member.team();
        recorder.set_place(locality::location_of(member).0);
        let (number, site, parent) = team.trace.region.get();
        recorder.open([
            head(Kind::Region, 0, site),
            ticks(),
            recorder.number(),
            number,
            u64::from(team.size()) << 32 | u64::from(member.num),
            team.nest().level.into(),
            parent,
            std::ptr::from_ref(&team.trace.released) as u64,
        ]);
        if tool::is_on() {
            tool::regions::entered(member);
        }
    }
}

/// A thread runs tasks at this member from now on, outside of every region.
#[inline(always)]
pub fn placed(thread: &Thread, member: &'static Member) {
    if let Some(recorder) = thread.recorder.get() {
        recorder.set_place(locality::location_of(member).0);
    }
}

/// All threads have arrived at a region's end; whoever came last says so before it lets the others go.
#[inline(always)]
pub fn region_released(thread: &Thread, team: &Team) {
    if thread.recorder.get().is_some() {
        // Release: pairs with the Acquire in `Recorder::open_events`; members see it behind the barrier.
        team.trace.released.store(ticks(), Ordering::Release);
    }
}

/// A thread's part of a region is over. It may have slept since the end: then it ended when the last one arrived.
#[inline(always)]
pub fn region_left(thread: &Thread, member: &Member) {
    if let Some(recorder) = thread.recorder.get() {
        let team = member.team();
        let released = team.trace.released.load(Ordering::Relaxed);
        let end = if team.size() > 1 { released.max(recorder.last_end()) } else { ticks() };
        recorder.close(Kind::Region, end);
        if tool::is_on() {
            tool::regions::left(member);
        }
    }
}

/// Master: a region is over, and its thread runs the task again that met it.
#[inline(always)]
pub fn region_ended(thread: &Thread, team: &Team) {
    if thread.recorder.get().is_some() && tool::is_on() {
        tool::regions::ended(thread, team);
    }
}

/// The current task, or implicit task, begins to wait.
#[inline(always)]
pub fn waits(thread: &Thread, wait: Wait) {
    if let Some(recorder) = thread.recorder.get() {
        let task = recorder.current();
        recorder.open([head(Kind::Wait, 0, wait as u32), ticks(), task, 0, 0, 0, 0, 0]);
        if tool::is_on() {
            tool::sync::waits(thread, wait);
        }
    }
}

/// The innermost wait is over.
#[inline(always)]
pub fn goes_on(thread: &Thread) {
    if let Some(recorder) = thread.recorder.get() {
        recorder.close(Kind::Wait, ticks());
        if tool::is_on() {
            tool::sync::goes_on(thread);
        }
    }
}

/// A taskgroup begins.
#[inline(always)]
pub fn group_begins(thread: &Thread) {
    if thread.recorder.get().is_some() && tool::is_on() {
        tool::sync::group_begins(thread);
    }
}

/// The current task's children are finished, and it knows.
#[inline(always)]
pub fn children_done(thread: &Thread) {
    if let Some(recorder) = thread.recorder.get() {
        recorder.forget_orders();
    }
}

/// A thread gets a share of worksharing construct `number` of its region, or, with `None`, learns that there is no more; what
/// it had before is done.
#[cold]
pub fn chunk(range: Option<Range>, number: u64) {
    if tool::is_on()
        && let Some(range) = range
    {
        tool::sync::chunk(range.first, range.len);
    }
    let Some(recorder) = thread::try_current().and_then(|thread| thread.recorder.get()) else {
        return;
    };
    let now = ticks();
    if recorder.is_inside(Kind::Chunk) {
        recorder.close(Kind::Chunk, now);
    }
    if let Some(Range { first, len }) = range {
        recorder.open([head(Kind::Chunk, 0, 0), now, recorder.current(), first, len, number, 0, 0]);
    }
}
