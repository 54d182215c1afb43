//! Leagues on the host: `teams` regions, and host teams inside `target` regions.
//!
//! The teams of a league run one after the other on the encountering thread (docs/decisions: a league is a
//! sequence). Each has an initial task of its own, numbers, and a thread limit.
//! Source: OpenMP 5.2 section 10.2 (teams), table 2.1 (nteams-var, teams-thread-limit-var).

use crate::icv::{self, Icvs};
use crate::task::record::Body;
use crate::team::{Nest, initial};
use crate::{device, global, thread};

/// Clauses of a teams construct; 0 is a clause that is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clauses {
    /// Bounds of num_teams.
    pub lower: u32,
    pub upper: u32,
    pub thread_limit: u32,
}

impl Clauses {
    /// Teams of the league: as many as the clause allows, else what nteams-var says, else one.
    fn num_teams(&self) -> u32 {
        let asked = if self.upper != 0 { self.upper } else { self.lower };
        let asked = if asked != 0 { asked } else { device::num_teams() };
        asked.max(1)
    }
}

/// What a thread_limit clause, or teams-thread-limit-var, makes of the current task's ICVs.
fn limited(icvs: &Icvs, clause: u32) -> Icvs {
    let limit = if clause != 0 { clause } else { device::teams_thread_limit() };
    Icvs { thread_limit: if limit != 0 { limit } else { icvs.thread_limit }, ..icvs.clone() }
}

/// Runs `entry(data)` once for each team of a league.
pub fn run(entry: Body, data: *mut libc::c_void, clauses: Clauses) {
    let num_teams = clauses.num_teams();
    for team_num in 0..num_teams {
        let icvs = limited(icv::current(), clauses.thread_limit);
        initial::run(entry, data, league(team_num, num_teams), icvs);
    }
}

fn league(team_num: u32, num_teams: u32) -> Nest {
    Nest { team_num, num_teams, in_teams: true, ..Nest::default() }
}

/// In a target region: the initial task becomes the first team of a league.
pub fn become_first(clauses: Clauses) {
    let thread_limit = clauses.thread_limit;
    if thread_limit != 0 {
        icv::update(|icvs| icvs.thread_limit = thread_limit);
    }
    let num_teams = if clauses.lower != 0 { clauses.lower } else { 1 };
    set_nest(league(0, num_teams));
}

/// The initial task becomes the next team; false if it was the last.
pub fn become_next() -> bool {
    let Nest { team_num, num_teams, .. } = thread::current().member().team().nest();
    let is_next = team_num + 1 < num_teams;
    if is_next {
        set_nest(league(team_num + 1, num_teams));
    }
    is_next
}

fn set_nest(nest: Nest) {
    thread::current().member().team().order.with(|order| order.nest = nest);
}

/// Runs `entry(data)` as a target region where the calling thread is: an initial task with the device's own ICVs.
pub fn run_target(entry: Body, data: *mut libc::c_void, thread_limit: u32) {
    let current = icv::current();
    let on_device = current.on_device.is_some();
    let initial = if on_device { current.clone() } else { global::initial_icvs().clone() };
    let thread_limit = if thread_limit != 0 { thread_limit } else { initial.thread_limit };
    let nest = Nest { num_teams: 1, ..Nest::default() };
    initial::run(entry, data, nest, Icvs { thread_limit, ..initial });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clause_decides_before_the_variable() {
        let clauses = |lower, upper| Clauses { lower, upper, thread_limit: 0 };
        assert_eq!(clauses(2, 5).num_teams(), 5);
        assert_eq!(clauses(2, 0).num_teams(), 2);
        device::NUM_TEAMS.set(7);
        assert_eq!(clauses(0, 0).num_teams(), 7);
        device::NUM_TEAMS.set(0);
        assert_eq!(clauses(0, 0).num_teams(), 1);
    }
}
