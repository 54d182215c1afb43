//! Regions of one thread that start anew: a team of a league, a target region on the host.
//!
//! Their implicit task is an initial task: outside every parallel region, and the first of a contention
//! group of its own.
//! Source: OpenMP 5.2 sections 1.3 (execution model), 10.2 (teams), 13.8 (target).

use super::{Nest, Order, places, region};
use crate::icv::Icvs;
use crate::task::record::Body;
use crate::thread;
use crate::trace;

/// Runs `entry(data)` as the calling thread's new initial task.
pub fn run(entry: Body, data: *mut libc::c_void, nest: Nest, icvs: Icvs) {
    let thread = thread::current();
    let outer = thread.member();
    let (team, _) = outer.team_for(1);
    let icvs = team.keep(Box::new(icvs));
    let around = Some((outer, thread.task()));
    team.begin(Order { outer: around, ..Order::here(1, entry, data, nest, icvs) });
    team.contention.set(Some(&team.group_count));
    if places::need_attention() {
        places::inherit(outer, team);
    }
    team.members()[0].spot.set(outer.spot.get());
    team.members()[0].span.set(outer.span.get());
    trace::region_begins(thread, team, entry as usize, 0);
    team.members()[0].enter(thread);
    trace::region_entered(thread, &team.members()[0]);
    // SAFETY: the program's outlined function and its data, as the compiler's ABI passes them.
    #[allow(unsafe_code)]
    unsafe {
        entry(data)
    };
    region::end();
}
