//! libomp's distribute loops: iterations dealt to the teams of a league, and from there to threads.
//!
//! Without a chunk size each team gets one block, and each of its threads a part of that. `upper_team` is
//! where the team's block ends. Outside a league there is one team, number 0.
//! Sources: libomp's `kmp_sched.cpp` for what arguments mean; OpenMP 5.2, section 11.6.
#![allow(unsafe_code)]

use super::dispatch_schedule::{number, parts};
use super::dispatch_variable::Variable;
use super::static_init::{Place, Share, Variables, share};
use libc::c_void;
use vicinity_runtime::thread;

/// The calling thread's team in its league.
pub fn place() -> Place {
    let nest = thread::current().member().team().nest();
    Place { member: nest.team_num, members: nest.num_teams.max(1) }
}

/// A team's block of a loop.
pub struct TeamShare<T> {
    pub bounds: (T, T),
    pub has_last: bool,
}

/// The calling thread's team's block of a loop, as a loop of its own.
pub fn team_share<T: Variable>((first, last): (T, T), step: T::Step) -> TeamShare<T> {
    let space = T::space(first, last, step);
    let share = share(space.trips, 0, 0, place());
    let bounds = match share.chunk {
        Some(chunk) => {
            let (lower, upper) = space.closed_bounds(chunk);
            (T::from_word(lower), T::from_word(upper))
        }
        None => T::empty(last, step.into() > 0),
    };
    TeamShare { bounds, has_last: share.has_last }
}

/// Bounds of a thread in the composite of distribute and a loop.
unsafe fn dist_init<T: Variable>(
    schedule: i32,
    variables: Variables<T>,
    upper_team: *mut T,
    step: T::Step,
    chunk: T::Step,
) {
    // SAFETY: the variables are the compiler's, as the callers got them.
    unsafe {
        let whole = (*variables.lower, *variables.upper);
        if variables.space(step).trips == 0 {
            *upper_team = whole.1;
            return variables.store_nothing(step);
        }
        let team = team_share(whole, step);
        (*variables.lower, *variables.upper) = team.bounds;
        *upper_team = team.bounds.1;
        let space = variables.space(step);
        if space.trips == 0 {
            return variables.store_nothing(step);
        }
        let seat = thread::seat();
        let place = Place { member: seat.thread_num, members: seat.num_threads };
        let chunk = u64::try_from(chunk.into()).unwrap_or(0);
        let own = share(space.trips, parts(schedule).number, chunk, place);
        variables.store(&space, Share { has_last: own.has_last && team.has_last, ..own });
    }
}

/// Chunks of a team when they are dealt to the teams round-robin.
unsafe fn team_init<T: Variable>(variables: Variables<T>, step: T::Step, chunk: T::Step) {
    // SAFETY: the variables are the compiler's, as the callers got them.
    unsafe {
        let space = variables.space(step);
        if space.trips == 0 {
            return variables.store_nothing(step);
        }
        let chunk = u64::try_from(chunk.into()).unwrap_or(0);
        variables.store(&space, share(space.trips, number::STATIC_CHUNKED, chunk, place()));
    }
}

/// The entry points for one type of induction variable.
macro_rules! inits {
    ($($type:ident $step:ident: $dist:ident $team:ident;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $dist(
            _location: *const c_void,
            _thread: i32,
            schedule: i32,
            last: *mut i32,
            lower: *mut $type,
            upper: *mut $type,
            upper_team: *mut $type,
            stride: *mut $step,
            step: $step,
            chunk: $step,
        ) {
            let variables = Variables::<$type> { last, lower, upper, stride };
            // SAFETY: the arguments are the compiler's.
            unsafe { dist_init(schedule, variables, upper_team, step, chunk) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $team(
            _location: *const c_void,
            _thread: i32,
            last: *mut i32,
            lower: *mut $type,
            upper: *mut $type,
            stride: *mut $step,
            step: $step,
            chunk: $step,
        ) {
            let variables = Variables::<$type> { last, lower, upper, stride };
            // SAFETY: the arguments are the compiler's.
            unsafe { team_init(variables, step, chunk) }
        }
    )*};
}

inits! {
    i32 i32: __kmpc_dist_for_static_init_4 __kmpc_team_static_init_4;
    u32 i32: __kmpc_dist_for_static_init_4u __kmpc_team_static_init_4u;
    i64 i64: __kmpc_dist_for_static_init_8 __kmpc_team_static_init_8;
    u64 i64: __kmpc_dist_for_static_init_8u __kmpc_team_static_init_8u;
}
