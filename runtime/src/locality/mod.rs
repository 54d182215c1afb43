//! Locality: tasks are dealt to where their data is, and stolen nearest first.
//!
//! Terms: a *location* is where data can live and a queue stands; `alloc::topology` says which there are. A
//! team's *layout* says which member is where. A task's *placement* is what is known of its data and what was
//! decided with it. *Dealt* tasks stand in a location's queue; all others stay with the thread that created them.
//!
//! Who does what: `policy::deal` and `policy::search` decide; `data` finds out where a task's data is, `dealing` puts
//! it where that says, `search` looks for tasks as a `Search` demands, `seats` gives members their locations,
//! `statistics` counts.
//!
//! Invariants: 1. On a machine with one location, and no central queue, no team has a layout and nothing here runs.
//! 2. A task is dealt only to a location where its team has a thread. 3. A thread that waits for certain tasks
//! (`team::find::Choice`) takes those from any location; so however tasks were dealt, whoever waits can run what it
//! waits for, and no circle of waiters at different locations can close.
//! Source: Muddukrishna, Jonsson, Brorsson 2015, section 4.

pub mod data;
pub mod dealing;
pub mod layout;
mod machine;
pub mod near;
pub mod queue;
pub mod search;
pub mod seats;
pub mod statistics;
pub mod summary;
pub mod watch;

pub use layout::Layout;
#[cfg(all(test, not(loom)))]
pub(crate) use machine::described;
pub use machine::{Machine, machine};
pub use near::Near;

use crate::team::{Member, Team};
use crate::thread::Thread;
use vicinity_policy::topology::LocationId;

/// Master of a new region: says where its members are.
pub(crate) fn seat(outer: &Member, team: &Team) {
    if let Some(machine) = machine() {
        seats::assign(machine, outer, team);
    }
}

/// Where a member's team, or the nearest one around that is spread over locations, has it.
pub fn location_of(member: &'static Member) -> LocationId {
    let around = std::iter::successors(Some(member), |member| member.team().outer());
    let mut located = around.filter_map(|it| Some(it.team().layout()?.location(it.num)));
    located.next().unwrap_or(LocationId(0))
}

/// A thread that has just entered `member`: binds itself there, where that is asked for.
pub(crate) fn settle_down(thread: &Thread, member: &Member) {
    if let Some(machine) = machine() {
        seats::bind(machine, thread, member);
    }
}
