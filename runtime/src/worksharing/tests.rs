//! Teams of plain threads at worksharing constructs: every iteration once, whatever the schedule, the
//! pace of the members and what came before.

use super::plan::{How, Plan, Range, chunks};
use super::{Dimension, Entry, Local, Seat, Shared};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use vicinity_policy::chunks::space::Space;
use vicinity_policy::schedule::{Kind, Order, Schedule};

/// Runs `body` on every member of a team.
fn team(shared: &Shared, members: u32, body: impl Fn(Seat) + Sync) {
    std::thread::scope(|scope| {
        for thread_num in 0..members {
            let body = &body;
            scope.spawn(move || {
                let local = Local::new();
                body(Seat {
                    shared,
                    local: &local,
                    thread_num,
                    num_threads: members,
                    layout: None,
                });
            });
        }
    });
}

fn plan(trips: u64, how: How, chunk: u64) -> Plan {
    Plan { space: Space::counted(trips), how, chunk, ordered: false, merge: true }
}

fn counters(count: u64) -> Vec<AtomicU32> {
    (0..count).map(|_| AtomicU32::new(0)).collect()
}

fn drain(seat: &Seat, seen: &[AtomicU32]) {
    while let Some(range) = seat.next() {
        assert!(range.len > 0);
        for iteration in range.first..range.end() {
            seen[usize::try_from(iteration).unwrap()].fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn assert_once(seen: &[AtomicU32]) {
    assert!(seen.iter().all(|times| times.load(Ordering::Relaxed) == 1));
}

/// A small generator, so that a failure can be run again from its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

#[test]
fn nowait_loops_of_all_schedules_run_every_iteration_once() {
    const LOOPS: usize = 60;
    for seed in 0..12 {
        let mut random = Random(seed);
        let members = random.below(5) as u32 + 1;
        let plans: Vec<Plan> = (0..LOOPS)
            .map(|_| {
                let how = How::from_bits(random.below(10) as u32);
                plan(random.below(200), how, random.below(9) + 1)
            })
            .collect();
        let seen: Vec<_> = plans.iter().map(|plan| counters(plan.space.trips)).collect();
        let shared = Shared::new(5);
        team(&shared, members, |seat| {
            let mut random = Random(seed ^ u64::from(seat.thread_num) << 32);
            for (plan, seen) in plans.iter().zip(&seen) {
                seat.begin(plan, |_| ());
                drain(&seat, seen);
                seat.end();
                if random.below(4) == 0 {
                    std::thread::yield_now();
                }
            }
        });
        for seen in &seen {
            assert_once(seen);
        }
    }
}

#[test]
fn a_preset_loop_needs_no_beginning_and_the_next_region_starts_anew() {
    let shared = Shared::new(4);
    for members in [1, 2, 4, 3] {
        for how in
            [How::Lanes, How::Counter, How::Guided, How::GuidedLanes, How::Blocks, How::Dealt]
        {
            shared.reset();
            let (local, layout) = (Local::new(), None);
            let (thread_num, num_threads) = (0, members);
            let first = Seat { shared: &shared, local: &local, thread_num, num_threads, layout };
            first.preset(&plan(101, how, 3));
            let (seen, after) = (counters(101), counters(50));
            team(&shared, members, |seat| {
                drain(&seat, &seen);
                seat.end();
                assert_eq!(seat.next(), None);
                seat.begin(&plan(50, how, 2), |_| ());
                drain(&seat, &after);
                seat.end();
            });
            assert_once(&seen);
            assert_once(&after);
        }
    }
}

/// Loops of all schedules, most with a barrier behind them, in many more rounds than there are slots.
#[test]
fn loops_before_a_barrier_are_settled_by_it() {
    const LOOPS: u64 = 90;
    for members in [2, 3] {
        let (shared, barrier) = (Shared::new(4), Barrier::new(members as usize));
        let trips = |number| number * 7 % 40;
        let seen: Vec<_> = (0..LOOPS).map(|number| counters(trips(number))).collect();
        team(&shared, members, |seat| {
            for (number, seen) in (0..).zip(&seen) {
                let how = How::from_bits(number as u32 % 10);
                seat.begin(&plan(trips(number), how, 1 + number % 3), |construct| {
                    construct.provide_scratch(8);
                });
                drain(&seat, seen);
                // A member that was cancelled does not end the loop.
                if number % 5 != u64::from(seat.thread_num) {
                    seat.end();
                }
                if number % 4 != 3 {
                    barrier.wait();
                    seat.local.settle();
                    barrier.wait();
                }
            }
        });
        seen.iter().for_each(|seen| assert_once(seen));
    }
}

#[test]
fn the_first_member_prepares_for_the_others() {
    let shared = Shared::new(4);
    let (firsts, marker) = (AtomicUsize::new(0), 7u8);
    team(&shared, 4, |seat| {
        for _ in 0..200 {
            let entry = seat.begin(&Plan::meeting(), |construct| {
                construct.leave_message((&raw const marker).cast_mut().cast());
                construct.provide_scratch(20);
                firsts.fetch_add(1, Ordering::Relaxed);
            });
            let (Entry::First(construct) | Entry::Later(construct)) = entry else { panic!() };
            assert_eq!(construct.message().cast_const().cast(), &raw const marker);
            assert!(!construct.scratch().is_null());
            assert_eq!(seat.next(), None);
            seat.end();
        }
    });
    assert_eq!(firsts.load(Ordering::Relaxed), 200);
}

#[test]
fn a_member_alone_gets_a_loop_at_once_and_sections_one_by_one() {
    let shared = Shared::new(4);
    team(&shared, 1, |seat| {
        for how in
            [How::Lanes, How::Counter, How::Guided, How::GuidedLanes, How::Dealt, How::Blocks]
        {
            seat.begin(&plan(1000, how, 1), |_| ());
            assert_eq!(seat.next().map(|range| range.len), Some(1000));
            assert_eq!(seat.next(), None);
        }
        seat.begin(&Plan::sections(3), |_| ());
        let sections: Vec<_> = std::iter::from_fn(|| seat.next_section()).collect();
        assert_eq!(sections, [0, 1, 2]);
    });
}

#[test]
fn whoever_runs_the_last_iteration_runs_nothing_after_it() {
    let shared = Shared::new(4);
    team(&shared, 3, |seat| {
        for (trips, how) in
            (1..200).flat_map(|trips| [(trips, How::Lanes), (trips, How::GuidedLanes)])
        {
            seat.begin(&plan(trips, how, 2), |_| ());
            while let Some(range) = seat.next() {
                if range.end() == trips {
                    assert_eq!(seat.next(), None);
                }
            }
            seat.end();
        }
    });
}

#[test]
fn guided_chunks_are_halves_of_a_members_own_block_and_never_less_than_the_chunk() {
    let (shared, barrier) = (Shared::new(4), Barrier::new(4));
    team(&shared, 4, |seat| {
        seat.begin(&plan(6400, How::GuidedLanes, 4), |_| ());
        let block = chunks::block(6400 / 4 - 1, 4, seat.thread_num);
        let first = seat.next();
        assert_eq!(first, Some(Range { first: 4 * block.first, len: 4 * block.len.div_ceil(2) }));
        barrier.wait();
        while let Some(range) = seat.next() {
            assert!(range.len % 4 == 0 && range.len <= 800, "{range:?}");
        }
        seat.end();
    });
}

#[test]
fn ordered_regions_run_in_order() {
    for (kind, chunk) in
        [(Kind::Static, 0), (Kind::Static, 3), (Kind::Dynamic, 1), (Kind::Guided, 2)]
    {
        let schedule = Schedule { kind, chunk, order: Order::Unspecified };
        let shared = Shared::new(4);
        let orders: Vec<_> = (0..20).map(|_| AtomicU64::new(0)).collect();
        team(&shared, 3, |seat| {
            for order in &orders {
                let plan = Plan::scheduled(Space::counted(50), schedule, true);
                seat.begin(&plan, |_| ());
                while let Some(range) = seat.next() {
                    for iteration in range.first..range.end() {
                        if iteration % 7 == 3 {
                            continue;
                        }
                        seat.ordered_start();
                        let before = order.swap(iteration + 1, Ordering::Relaxed);
                        assert!(before <= iteration);
                        seat.ordered_end();
                    }
                }
                seat.end();
            }
        });
    }
}

#[test]
fn doacross_iterations_wait_for_their_sources() {
    const ROWS: i64 = 12;
    for (columns, in_order) in [(5, true), (70, true), (70, false), (1, false)] {
        let shared = Shared::new(4);
        let barrier = Barrier::new(3);
        let cells = counters((ROWS * columns) as u64);
        team(&shared, 3, |seat| {
            let dimensions = [ROWS, columns].map(|trips| Dimension::counted(trips as u64));
            let at = |i: i64, j: i64| &cells[(i * columns + j) as usize];
            for round in 1..6u32 {
                seat.begin_doacross(&dimensions, in_order);
                seat.begin(&plan(ROWS as u64, How::Counter, 1), |_| ());
                while let Some(range) = seat.next() {
                    let i = range.first as i64;
                    for j in 0..columns {
                        seat.wait_for([i - 1, j].into_iter());
                        seat.wait_for([i, j - 1].into_iter());
                        assert!(i == 0 || at(i - 1, j).load(Ordering::Relaxed) >= round);
                        at(i, j).fetch_add(1, Ordering::Relaxed);
                        seat.post([i, j].into_iter());
                    }
                }
                seat.end();
                seat.end_doacross();
                barrier.wait();
            }
        });
        assert!(cells.iter().all(|times| times.load(Ordering::Relaxed) == 5));
    }
}

#[test]
fn cancellation_stops_a_construct_and_the_barrier_ends_it() {
    let shared = Shared::new(4);
    let barrier = Barrier::new(3);
    let (done, after) = (AtomicU64::new(0), counters(20));
    team(&shared, 3, |seat| {
        for how in [How::Lanes, How::Counter, How::Dealt] {
            seat.begin(&plan(1 << 20, how, 1), |_| ());
            while let Some(range) = seat.next() {
                done.fetch_add(1, Ordering::Relaxed);
                if range.first >= 100 {
                    shared.cancel();
                    break;
                }
            }
            if barrier.wait().is_leader() {
                shared.clear_cancelled();
            }
            barrier.wait();
        }
        seat.begin(&plan(20, How::Dealt, 1), |_| ());
        drain(&seat, &after);
        seat.end();
    });
    assert_once(&after);
    assert!(done.load(Ordering::Relaxed) < 1 << 20);
}

#[test]
fn an_abandoned_region_holds_nobody_up() {
    let shared = Shared::new(4);
    team(&shared, 2, |seat| {
        if seat.thread_num == 0 {
            seat.begin(&plan(10, How::Lanes, 1), |_| ());
            std::thread::sleep(std::time::Duration::from_millis(5));
            shared.abandon();
            return;
        }
        for _ in 0..30 {
            seat.begin(&plan(10, How::Lanes, 1), |_| ());
            while seat.next().is_some() {}
            seat.end();
        }
    });
    shared.reset();
    let seen = counters(64);
    team(&shared, 2, |seat| {
        seat.begin(&plan(64, How::Lanes, 1), |_| ());
        drain(&seat, &seen);
        seat.end();
    });
    assert_once(&seen);
}
