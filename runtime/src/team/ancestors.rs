//! The teams around the calling thread.
//!
//! Source: OpenMP 5.2, sections 18.2.17 to 18.2.20 (levels, ancestors, team sizes).

use super::Member;
use crate::thread;

/// The member that the calling thread, or its ancestor, is at a nesting level: 0 is the initial
/// team. None for a level that does not enclose the thread.
pub fn at_level(level: i32) -> Option<&'static Member> {
    let level = u32::try_from(level).ok()?;
    let mut member = thread::current().member();
    if level > member.team().nest().level {
        return None;
    }
    while member.team().nest().level > level {
        member = member.team().outer()?;
    }
    Some(member)
}

/// Whether the calling thread is in an active parallel region.
pub fn in_parallel() -> bool {
    thread::current().member().team().nest().active_level > 0
}
