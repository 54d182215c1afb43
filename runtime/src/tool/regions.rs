//! Events of parallel regions and their implicit tasks, and of leagues' initial tasks.

use super::abi::{self, LEAGUE_FLAGS, PARALLEL_FLAGS, scope, task};
use super::{TaskFacts, callbacks, sync};
use crate::team::{Member, Nest, Team};
use crate::thread::Thread;
use std::ptr::null_mut;

/// Whether the team is a league's or a target region's: its implicit task is an initial one.
fn is_initial(team: &Team) -> bool {
    team.nest().level == 0
}

/// Master: a region is about to start, for which the program requested so many threads (0: none were); its thread still runs the task that met it.
pub fn begins(thread: &Thread, team: &Team, requested: u32) {
    let Nest { team_num, num_teams, in_teams, .. } = team.nest();
    let is_league = is_initial(team) && in_teams;
    team.tool.in_league.set(is_league);
    // The teams of a league follow each other in one team's place, and so in the same data.
    if is_league && team_num > 0 {
        return;
    }
    team.tool.parallel.clear();
    if is_initial(team) && !is_league {
        return;
    }
    let facts = TaskFacts::of(thread.task());
    facts.is_inside(true);
    let (encountering, parallel) = (facts.data.address(), team.tool.parallel.address());
    let frame = facts.frames();
    let (requested, flags) = match requested {
        _ if is_league => (num_teams, LEAGUE_FLAGS),
        0 => (team.size(), PARALLEL_FLAGS),
        requested => (requested, PARALLEL_FLAGS),
    };
    callbacks::parallel_begin(encountering, frame, parallel, requested, flags);
}

/// A thread begins its implicit task.
pub fn entered(member: &Member) {
    let team = member.team();
    let initial = is_initial(team);
    let kind = if initial { task::INITIAL } else { task::IMPLICIT };
    let facts = &member.tool;
    facts.begin(kind);
    facts.announced.set(true);
    facts.is_called();
    let (parallel, data) = (team.tool.parallel.address(), facts.data.address());
    let number = if initial { team.nest().team_num } else { member.num };
    let size = if initial { team.nest().num_teams } else { team.size() };
    callbacks::implicit_task(scope::BEGIN, parallel, data, size, number, kind as i32);
}

/// A thread has left the barrier at the end of the region.
pub fn left(member: &Member) {
    let facts = &member.tool;
    sync::ends_in(facts, abi::sync::BARRIER_PARALLEL, null_mut());
    let kind = facts.flags.get() as i32;
    let size = if member.num == 0 { member.team().size() } else { 0 };
    callbacks::implicit_task(scope::END, null_mut(), facts.data.address(), size, member.num, kind);
}

/// Master: the region is over, and its thread runs the task again that met it.
pub fn ended(thread: &Thread, team: &Team) {
    let Nest { team_num, num_teams, .. } = team.nest();
    let is_league = team.tool.in_league.get();
    let is_silent = if is_league { team_num + 1 < num_teams } else { is_initial(team) };
    if is_silent {
        return;
    }
    let facts = TaskFacts::of(thread.task());
    let (encountering, parallel) = (facts.data.address(), team.tool.parallel.address());
    let flags = if is_league { LEAGUE_FLAGS } else { PARALLEL_FLAGS };
    callbacks::parallel_end(parallel, encountering, flags);
    facts.is_inside(false);
}
