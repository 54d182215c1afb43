//! Numbers of threads, teams and levels as the program gives them, in clauses and to routines.
//!
//! The C interfaces pass an `int`, or an unsigned number that the program wrote as one. A negative number makes no
//! sense: it costs one line, once in a process, and counts as none.
//! Source: OpenMP 5.2, sections 10.1 (num_threads), 10.2 (num_teams, thread_limit): positive numbers.

use crate::report::OneWarning;

/// A clause with a number, or a routine that takes one.
pub struct Number {
    /// As the program spells it.
    name: &'static str,
    /// The least that is accepted. Clauses that are not there are 0.
    least: u32,
    allowed: &'static str,
    /// What holds where it makes no sense.
    otherwise: &'static str,
    refused: OneWarning,
}

pub static NUM_THREADS: Number = clause("num_threads");
pub static NUM_TEAMS: Number = clause("num_teams");
pub static THREAD_LIMIT: Number = clause("thread_limit");
pub static SET_NUM_THREADS: Number = routine("omp_set_num_threads", 1, FROM_1, "1");
pub static SET_NUM_TEAMS: Number = routine("omp_set_num_teams", 0, FROM_1, AS_BEFORE);
pub static SET_TEAMS_THREAD_LIMIT: Number =
    routine("omp_set_teams_thread_limit", 0, FROM_1, AS_BEFORE);
pub static SET_MAX_ACTIVE_LEVELS: Number =
    routine("omp_set_max_active_levels", 0, "a whole number", AS_BEFORE);

const FROM_1: &str = "a whole number from 1";
const AS_BEFORE: &str = "what held before";

const fn clause(name: &'static str) -> Number {
    routine(name, 0, FROM_1, "what holds without the clause")
}

const fn routine(
    name: &'static str,
    least: u32,
    allowed: &'static str,
    otherwise: &'static str,
) -> Number {
    Number { name, least, allowed, otherwise, refused: OneWarning::new() }
}

impl Number {
    /// What a clause says; 0 where it is not there, or makes no sense.
    #[inline]
    pub fn of(&self, count: i32) -> u32 {
        self.sense(count).unwrap_or(0)
    }

    /// The number, if it makes sense.
    #[inline]
    pub fn sense(&self, count: i32) -> Option<u32> {
        let given = u32::try_from(count).ok().filter(|&count| count >= self.least);
        if given.is_none() {
            self.refuse(count);
        }
        given
    }

    #[cold]
    fn refuse(&self, count: i32) {
        let Number { name, allowed, otherwise, .. } = self;
        self.refused
            .warn(|| format!("{name}({count}): allowed: {allowed}; used instead: {otherwise}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_make_no_sense_count_as_none() {
        for count in [-1, i32::MIN] {
            assert_eq!(NUM_THREADS.of(count), 0);
            assert_eq!(SET_NUM_TEAMS.sense(count), None);
        }
        assert_eq!((NUM_THREADS.of(0), NUM_THREADS.of(i32::MAX)), (0, i32::MAX as u32));
        assert_eq!((SET_NUM_THREADS.sense(0), SET_NUM_THREADS.sense(1)), (None, Some(1)));
    }
}
