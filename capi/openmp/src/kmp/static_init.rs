//! libomp's static loops: each thread computes its own bounds from its number.
//!
//! `lower` and `upper` hold the loop's bounds, closed, on the way in and the thread's first chunk on the
//! way out; the next chunks follow at `stride`, and the compiler cuts them off at the loop's end. `last`
//! tells whether the thread has the loop's final iteration. A thread without work gets bounds that hold
//! no value. Under a distribute schedule, teams of a league take the place of threads.
//! Sources: libomp's `kmp_sched.cpp` for what arguments mean; OpenMP 5.2, section 11.5.3.
#![allow(unsafe_code)]

use super::dispatch_schedule::{number, parts};
use super::dispatch_variable::Variable;
use super::misc::Location;
use super::static_init_teams;
use libc::c_void;
use vicinity_runtime::tool::abi::work;
use vicinity_runtime::worksharing::plan::{Range, Space, chunks};
use vicinity_runtime::{thread, tool};

/// Whose bounds are asked for: one of so many threads or teams.
#[derive(Clone, Copy)]
pub struct Place {
    pub member: u32,
    pub members: u32,
}

/// A member's first chunk, and what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// `None` when there is nothing for the member.
    pub chunk: Option<Range>,
    /// Iterations from one of its chunks to the next.
    pub stride_trips: u64,
    /// Whether it has the final iteration.
    pub has_last: bool,
}

/// The member's part of `trips` iterations under a static schedule.
pub fn share(trips: u64, schedule: i32, chunk: u64, place: Place) -> Share {
    let Place { member, members } = place;
    match schedule {
        number::STATIC_CHUNKED => dealt(trips, chunk, place),
        number::STATIC_BALANCED_CHUNKED => {
            let size = chunks::aligned_share(trips, members, chunk.max(1));
            single(chunks::nth(trips, size, member.into()), trips)
        }
        _ => single(Some(chunks::block(trips, members, member)), trips),
    }
}

/// A share of one chunk.
fn single(chunk: Option<Range>, trips: u64) -> Share {
    let chunk = chunk.filter(|chunk| chunk.len > 0);
    let has_last = chunk.is_some_and(|chunk| chunk.end() == trips);
    Share { chunk, stride_trips: trips, has_last }
}

/// A share of `schedule(static, chunk)`.
fn dealt(trips: u64, chunk: u64, Place { member, members }: Place) -> Share {
    let chunk = chunk.clamp(1, trips.max(1));
    let final_chunk = chunks::count(trips, chunk).wrapping_sub(1);
    Share {
        chunk: chunks::nth(trips, chunk, member.into()),
        stride_trips: chunk.saturating_mul(members.into()),
        has_last: trips > 0 && final_chunk % u64::from(members) == u64::from(member),
    }
}

/// The compiler's variables of a static loop.
pub struct Variables<T: Variable> {
    pub last: *mut i32,
    pub lower: *mut T,
    pub upper: *mut T,
    pub stride: *mut T::Step,
}

impl<T: Variable> Variables<T> {
    /// The loop they describe.
    ///
    /// # Safety
    /// They are the compiler's.
    pub unsafe fn space(&self, step: T::Step) -> Space {
        // SAFETY: the caller's promise.
        unsafe { T::space(*self.lower, *self.upper, step) }
    }

    /// Stores a member's share, for the compiler to run.
    ///
    /// # Safety
    /// They are the compiler's.
    pub unsafe fn store(&self, space: &Space, share: Share) {
        // SAFETY: the caller's promise.
        unsafe {
            if !self.last.is_null() {
                *self.last = share.has_last.into();
            }
            *self.stride = T::stride(space.step.wrapping_mul(share.stride_trips));
            let (lower, upper) = match share.chunk {
                Some(chunk) => {
                    let (lower, upper) = space.closed_bounds(chunk);
                    (T::from_word(lower), T::from_word(upper))
                }
                None => T::empty(*self.upper, space.step.cast_signed() > 0),
            };
            *self.lower = lower;
            *self.upper = upper;
        }
    }

    /// Says that the loop has no iterations; the bounds, which say so themselves, stay.
    ///
    /// # Safety
    /// They are the compiler's.
    pub unsafe fn store_nothing(&self, step: T::Step) {
        // SAFETY: the caller's promise.
        unsafe {
            if !self.last.is_null() {
                *self.last = 0;
            }
            *self.stride = step;
        }
    }
}

/// What a tool calls the construct: by its schedule, and by what the compiler says of its location.
fn kind_of_work(schedule: i32, flags: i32) -> i32 {
    const SECTIONS: i32 = 0x400;
    match parts(schedule).number {
        number::DISTRIBUTE_CHUNKED | number::DISTRIBUTE => work::DISTRIBUTE,
        _ if flags & SECTIONS != 0 => work::SECTIONS,
        _ => work::LOOP_STATIC,
    }
}

unsafe fn init<T: Variable>(
    location: *const Location,
    schedule: i32,
    variables: Variables<T>,
    step: T::Step,
    chunk: T::Step,
) {
    // SAFETY: the variables are the compiler's, as the callers got them.
    unsafe {
        if tool::is_on() {
            return init_watched(location, schedule, variables, step, chunk);
        }
        deal(schedule, &variables, step, chunk);
    }
}

/// The same, and tells a tool.
#[cold]
unsafe fn init_watched<T: Variable>(
    location: *const Location,
    schedule: i32,
    variables: Variables<T>,
    step: T::Step,
    chunk: T::Step,
) {
    // SAFETY: as in `init`; the location is null or the compiler's.
    unsafe {
        let flags = location.as_ref().map_or(0, |location| location.flags);
        tool::sync::work_begins(kind_of_work(schedule, flags), variables.space(step).trips);
        if let Some(first) = deal(schedule, &variables, step, chunk) {
            tool::sync::chunk(first.first, first.len);
        }
    }
}

/// Stores the calling thread's share; its first chunk.
#[inline(always)]
unsafe fn deal<T: Variable>(
    schedule: i32,
    variables: &Variables<T>,
    step: T::Step,
    chunk: T::Step,
) -> Option<Range> {
    // SAFETY: as in `init`.
    unsafe {
        let space = variables.space(step);
        if space.trips == 0 {
            variables.store_nothing(step);
            return None;
        }
        let chunk = u64::try_from(chunk.into()).unwrap_or(0);
        let seat = thread::seat();
        let threads = Place { member: seat.thread_num, members: seat.num_threads };
        let (schedule, place) = match parts(schedule).number {
            number::DISTRIBUTE_CHUNKED => (number::STATIC_CHUNKED, static_init_teams::place()),
            number::DISTRIBUTE => (0, static_init_teams::place()),
            number => (number, threads),
        };
        let share = match place.members {
            1 => single(Some(chunks::block(space.trips, 1, 0)), space.trips),
            _ => share(space.trips, schedule, chunk, place),
        };
        variables.store(&space, share);
        share.chunk
    }
}

/// The entry points, one for each type of induction variable.
macro_rules! inits {
    ($($name:ident: $type:ident $step:ident;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            location: *const Location,
            _thread: i32,
            schedule: i32,
            last: *mut i32,
            lower: *mut $type,
            upper: *mut $type,
            stride: *mut $step,
            step: $step,
            chunk: $step,
        ) {
            let variables = Variables::<$type> { last, lower, upper, stride };
            // SAFETY: the arguments are the compiler's.
            unsafe { init(location, schedule, variables, step, chunk) }
        }
    )*};
}

inits! {
    __kmpc_for_static_init_4: i32 i32;
    __kmpc_for_static_init_4u: u32 i32;
    __kmpc_for_static_init_8: i64 i64;
    __kmpc_for_static_init_8u: u64 i64;
}

/// A static loop holds nothing that would have to be given back; a tool is told.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_for_static_fini(_location: *const c_void, _thread: i32) {
    if tool::is_on() {
        tool::sync::leaves();
    }
}

/// The same of Intel's compilers, for loops that are distributed too.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_dist_for_static_fini(location: *const c_void, thread: i32) {
    __kmpc_for_static_fini(location, thread);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs one member's loop the way the compiler's code does, chunk after chunk, and gives the values.
    fn run<T: Variable + Into<i128>>(
        (first, last, step): (T, T, T::Step),
        schedule: i32,
        chunk: u64,
        place: Place,
    ) -> (Vec<i128>, bool) {
        let (mut flag, mut lower, mut upper, mut stride) = (7, first, last, step);
        let variables = Variables {
            last: &raw mut flag,
            lower: &raw mut lower,
            upper: &raw mut upper,
            stride: &raw mut stride,
        };
        // SAFETY: the variables above.
        unsafe {
            let space = variables.space(step);
            variables.store(&space, share(space.trips, schedule, chunk, place));
        }
        let (lower, upper, end): (i128, i128, i128) = (lower.into(), upper.into(), last.into());
        let (step, stride) = (i128::from(step.into()), i128::from(stride.into()));
        let mut values = Vec::new();
        let mut offset = 0;
        loop {
            let (from, to) = (lower + offset, upper + offset);
            let inside = |at: i128| if step > 0 { at <= to.min(end) } else { at >= to.max(end) };
            let before = values.len();
            let mut at = from;
            while inside(at) {
                values.push(at);
                at += step;
            }
            if schedule != number::STATIC_CHUNKED || values.len() == before {
                return (values, flag != 0);
            }
            offset += stride;
        }
    }

    /// Checks that the members together run every value once, and that one of them has the last.
    fn check<T: Variable + Into<i128>>(bounds: (T, T, T::Step), values: &[i128]) {
        for schedule in [34, number::STATIC_CHUNKED, number::STATIC_BALANCED_CHUNKED] {
            for members in 2..6 {
                for chunk in [1, 2, 4, 8] {
                    let mut all = Vec::new();
                    for member in 0..members {
                        let (own, last) = run(bounds, schedule, chunk, Place { member, members });
                        assert_eq!(
                            last,
                            own.last() == values.last(),
                            "{schedule} {members} {chunk}"
                        );
                        all.extend(own);
                    }
                    all.sort_unstable();
                    let mut wanted = values.to_vec();
                    wanted.sort_unstable();
                    assert_eq!(all, wanted, "{schedule} {members} {chunk}");
                }
            }
        }
    }

    fn values(first: i128, last: i128, step: i128) -> Vec<i128> {
        (0..).map(|trip| first + trip * step).take_while(|&at| (last - at) * step >= 0).collect()
    }

    #[test]
    fn members_share_a_loop_of_every_type() {
        for trips in 1..20 {
            for step in [1, 3, -1, -5] {
                let far = step * (trips - 1);
                check((10, 10 + far, step), &values(10, (10 + far).into(), step.into()));
                let base = 1000u32;
                let last = base.wrapping_add_signed(far);
                check((base, last, step), &values(base.into(), last.into(), step.into()));
                let (from, step, far) = (-7i64, i64::from(step), i64::from(far));
                check(
                    (from, from + far, step),
                    &values(from.into(), (from + far).into(), step.into()),
                );
                let base = 1u64 << 63;
                let last = base.wrapping_add_signed(far);
                check((base, last, step), &values(base.into(), last.into(), step.into()));
            }
        }
    }

    #[test]
    fn loops_may_end_where_their_type_does() {
        for trips in [1, 2, 3, 7] {
            let far = trips - 1;
            let (low, high) = (i32::MAX - far, i32::MAX);
            check((low, high, 1), &values(low.into(), high.into(), 1));
            let (low, high) = (i32::MIN, i32::MIN + far);
            check((high, low, -1), &values(high.into(), low.into(), -1));
            let low = u64::MAX - u64::from(far.unsigned_abs());
            check((low, u64::MAX, 1), &values(low.into(), u64::MAX.into(), 1));
            check((far.unsigned_abs(), 0u32, -1), &values(far.into(), 0, -1));
        }
    }
}
