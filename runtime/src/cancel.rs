//! Cancellation: asking for it, and finding out that somebody did.
//!
//! Nothing is interrupted: a request is noted with the team, its worksharing construct or a taskgroup,
//! and takes effect at the points where threads look: cancellation points, barriers, the next chunk of
//! a loop, the start of a task. A cancelled parallel region discards its tasks too.
//! Source: OpenMP 5.2 section 11.6 (cancellation), 11.6.1 (cancel), 11.6.2 (cancellation point).

use crate::task::group::Group;
use crate::{global, thread, tool};

/// What a cancel construct names. Loops and sections are one kind: a team is in one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Parallel,
    Worksharing,
    Taskgroup,
}

/// Asks for cancellation. True if the encountering task must leave the construct now: always, if
/// cancel-var allows cancellation.
pub fn request(kind: Kind) -> bool {
    if !global::cancellation() {
        return false;
    }
    let thread = thread::current();
    let team = thread.member().team();
    tell(kind, tool::abi::cancel::ACTIVATED);
    match kind {
        // Outside every region there is nothing to cancel, and nothing that would take it back.
        Kind::Parallel if team.outer().is_none() => (),
        Kind::Parallel => {
            team.shared.abandon();
            team.cancel();
        }
        Kind::Worksharing => team.shared.cancel(),
        Kind::Taskgroup => {
            innermost_group().inspect(|group| group.cancel());
        }
    }
    true
}

/// Tells a tool.
fn tell(kind: Kind, what: i32) {
    if tool::is_on() {
        let construct = match kind {
            Kind::Parallel => Some(tool::abi::cancel::PARALLEL),
            Kind::Worksharing => None,
            Kind::Taskgroup => Some(tool::abi::cancel::TASKGROUP),
        };
        tool::sync::cancel(construct, what);
    }
}

/// Whether cancellation of such a construct around the current task has been asked for.
pub fn is_requested(kind: Kind) -> bool {
    let is = global::cancellation() && was_requested(kind);
    if is {
        tell(kind, tool::abi::cancel::DETECTED);
    }
    is
}

fn was_requested(kind: Kind) -> bool {
    let team = thread::current().member().team();
    match kind {
        Kind::Parallel => team.is_cancelled(),
        Kind::Worksharing => team.shared.is_cancelled(),
        Kind::Taskgroup => {
            team.is_cancelled() || innermost_group().is_some_and(Group::any_cancelled)
        }
    }
}

/// The innermost taskgroup of the program's own: not one that a worksharing construct opened for its
/// reductions.
fn innermost_group() -> Option<&'static Group> {
    let group = thread::current().task().group.get()?;
    match group.outer {
        Some(outer) if group.reductions.get().worksharing => Some(outer),
        _ => Some(group),
    }
}
