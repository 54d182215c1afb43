//! What regions, barriers, loops and reductions cost with 4 to 256 threads, in operations on cache lines that threads share: no
//! thread does more of them, and no line gets more, than grows with the logarithm of their number.
#![allow(unsafe_code)]

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Mutex;
use vicinity_policy::chunks::space::Space;
use vicinity_policy::waiting::WaitPolicy;
use vicinity_runtime::effort::{self, Effort};
use vicinity_runtime::team::region::Request;
use vicinity_runtime::team::{self, barrier, combine};
use vicinity_runtime::worksharing::Seat;
use vicinity_runtime::worksharing::plan::{How, Plan};
use vicinity_runtime::{global, thread, wait};

const ROUNDS: u64 = 3;
const CHUNKS_EACH: u64 = 8;

/// Runs `body` on a team of `size` threads.
fn parallel(size: u32, body: &(dyn Fn() + Sync)) {
    extern "C" fn enter(data: *mut c_void) {
        // SAFETY: the address of a live reference, below.
        let body = unsafe { *data.cast::<&(dyn Fn() + Sync)>() };
        body();
    }
    let data = (&raw const body).cast_mut().cast();
    team::parallel(enter, data, Request { num_threads: size, proc_bind: None });
}

/// What every thread of a team of `size` did until now.
fn efforts(size: u32) -> Vec<Effort> {
    let all = Mutex::new(vec![Effort::default(); size as usize]);
    let note = || all.lock().unwrap()[thread::current().member().num as usize] = effort::mine();
    parallel(size, &note);
    all.into_inner().unwrap()
}

/// The most that a round costs one thread, and one line.
#[derive(Default)]
struct Cost {
    writes: u64,
    looks: u64,
    one_line: u64,
    /// Writes by all.
    total: u64,
}

fn cost(size: u32, round: impl Fn()) -> Cost {
    round();
    let before = efforts(size);
    (0..ROUNDS).for_each(|_| round());
    let after = efforts(size);
    let (mut cost, mut lines) = (Cost::default(), HashMap::new());
    for (before, after) in before.iter().zip(&after) {
        let mut writes = 0;
        for (line, count) in &after.writes {
            let more = count - before.writes.get(line).unwrap_or(&0);
            writes += more;
            *lines.entry(line).or_default() += more;
        }
        cost.total += writes;
        cost.writes = cost.writes.max(writes.div_ceil(ROUNDS));
        cost.looks = cost.looks.max((after.looks - before.looks).div_ceil(ROUNDS));
    }
    cost.total /= ROUNDS;
    cost.one_line = lines.into_values().max().map_or(0, |it: u64| it.div_ceil(ROUNDS));
    cost
}

/// A loop of few chunks for each thread, and one for whoever finds nothing else.
fn share(how: How) {
    let seat = thread::seat();
    let space = Space::counted(CHUNKS_EACH * u64::from(seat.num_threads) + 1);
    seat.begin(&Plan { space, how, chunk: 1, ordered: false, merge: true }, |_| ());
    take(seat);
    seat.end();
    barrier();
}

fn take(seat: Seat) {
    // Each waits for the others: otherwise one takes everything.
    for _ in 0..CHUNKS_EACH {
        _ = seat.next();
    }
    barrier();
    while seat.next().is_some() {}
}

/// A region that is nothing but a loop, as gcc begins it.
fn parallel_loop(size: u32) {
    extern "C" fn enter(_: *mut c_void) {
        let seat = thread::seat();
        take(seat);
        seat.end();
    }
    let space = Space::counted(CHUNKS_EACH * u64::from(size) + 1);
    let plan = Plan { space, how: How::Counter, chunk: 1, ordered: false, merge: true };
    let request = Request { num_threads: size, proc_bind: None };
    team::parallel_with(enter, std::ptr::null_mut(), request, |seat| seat.preset(&plan));
}

/// Nobody counts who enters and leaves a loop that is all there is between two barriers, but the first to come.
#[test]
fn loops_between_barriers_cost_their_chunks() {
    global::start();
    wait::configure(WaitPolicy::Active, None, 1000);
    if !effort::begin() {
        return;
    }
    const SIZE: u32 = 4;
    let region = cost(SIZE, || parallel(SIZE, &|| ())).total;
    let barrier = cost(SIZE, || parallel(SIZE, &|| _ = barrier())).total - region;
    // All chunks, and for each thread the look that finds no more.
    let chunks = u64::from(SIZE) * (CHUNKS_EACH + 1) + 1;
    let two = || (0..2).for_each(|_| share(How::Counter));
    let looped = cost(SIZE, || parallel(SIZE, &two)).total;
    assert!(looped <= region + 4 * barrier + 2 * chunks + 5, "{looped}: {region}, {barrier}");
    let whole = cost(SIZE, || parallel_loop(SIZE)).total;
    assert!(whole <= region + barrier + chunks + 3, "{whole}: {region}, {barrier}");
}

fn reduction() {
    let member = thread::current().member();
    let mut value = 0u64;
    combine::combine(member, (&raw mut value).addr(), true, |_, _| ());
    barrier();
    combine::let_go(member);
}

#[test]
fn no_thread_and_no_line_bears_what_all_could_share() {
    global::start();
    // As with a processor for each thread: nobody sleeps.
    wait::configure(WaitPolicy::Active, None, 1000);
    if !effort::begin() {
        return;
    }
    // What a construct costs beside its region.
    let constructs: [(&str, fn(), u64); 5] = [
        ("region", || (), 0),
        ("barrier", || _ = barrier(), 3),
        ("static", || share(How::Blocks), 7),
        ("dynamic", || share(How::Lanes), 7 + CHUNKS_EACH + 4),
        ("sum", reduction, 8),
    ];
    for (name, body, beside) in constructs {
        for size in [4, 16, 64, 256] {
            let Cost { writes, looks, one_line, .. } = cost(size, || parallel(size, &body));
            println!(
                "{name:8} {size:4} threads: {writes:3} writes {looks:3} looks by one, {one_line:3} of one line"
            );
            let most = 8 + u64::from(size.ilog2()) + beside;
            assert!(writes <= most && one_line <= most, "{name}, {size} threads");
            // Somebody finds that no chunks are left, by looking at the lane of each thread.
            let all = if name == "dynamic" { u64::from(size) } else { 0 };
            assert!(looks <= most + all, "{name}, {size} threads");
        }
    }
}
