//! A taskloop on a machine with several locations: its shares are spread in contiguous blocks, one for each thread of
//! the team, in the order of the threads' locations.
//!
//! A block is a task that is sent to its location and creates its shares there, as its own children; threads of
//! the same location steal from it first. So the same iterations start at the same location each time the loop runs, and
//! repeated sweeps over the same arrays find their pages and caches there, while the cost is one dealt task a thread
//! however many shares there are. Nothing has to be remembered: loops over the same range are cut alike.
//!
//! Not spread: loops that a task below the implicit ones meets, which are one of many, and have idle threads
//! only by chance; loops with fewer shares than threads.
#![allow(unsafe_code)]

use super::record::{TaskRef, flag};
use super::run;
use crate::locality::dealing;
use crate::thread::Thread;
use crate::trace;
use std::ops::Range;
use vicinity_policy::deal::Deal;

/// Creates shares, as children of the thread's current task.
pub type Create<'a> = &'a (dyn Fn(&'static Thread, Range<u64>) + Sync);

/// A block's payload.
struct Block {
    create: Create<'static>,
    shares: Range<u64>,
}

/// Whether the shares of a taskloop that `parent`, the current task, meets are spread.
pub fn are_spread(thread: &Thread, parent: TaskRef, shares: u64) -> bool {
    let team = thread.member().team();
    let deals = team.layout().is_some_and(|layout| {
        matches!(layout.deal, Deal::LeastCost { .. }) && layout.topology.len() > 1
    });
    deals && parent.is(flag::IMPLICIT) && shares >= u64::from(team.size())
}

/// Creates the blocks of a loop whose body is the program's `function`.
///
/// # Safety
/// `create` lives until the taskgroup that the current task has open ends.
pub unsafe fn spread(
    thread: &'static Thread,
    parent: TaskRef,
    function: usize,
    shares: u64,
    create: Create,
) {
    let team = thread.member().team();
    let Some(layout) = team.layout() else { return };
    let size = u64::from(team.size());
    let first = |num: u32| (u128::from(shares) * u128::from(num) / u128::from(size)) as u64;
    for num in 0..team.size() {
        let flags = parent.inherited_flags();
        let task = TaskRef::allocate(thread, parent, flags, size_of::<Block>());
        // SAFETY: the caller's promise; the block is gone when the group ends.
        let create = unsafe { std::mem::transmute::<Create<'_>, Create<'static>>(create) };
        let block = Block { create, shares: first(num)..first(num + 1) };
        // SAFETY: the payload is as large, aligned to 64 bytes, and the creator's alone.
        unsafe { task.payload().cast::<Block>().write(block) };
        task.set_entry(body as *const () as usize);
        trace::name(thread, task, function);
        dealing::send_to(task, layout.location(num));
        run::defer(thread, task, parent);
    }
}

extern "C" fn body(payload: *mut libc::c_void) {
    // SAFETY: `spread` put it there; there is nothing to drop in it.
    let block = unsafe { payload.cast::<Block>().read() };
    (block.create)(crate::thread::current(), block.shares);
}
