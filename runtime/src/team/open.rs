//! The open team: workers of the pool that run the tasks of streams, with no master, whoever waits.
//!
//! Terms: a *seat* is a member of the team. A *worker* is sent to one by whoever makes a task that nobody awake
//! would run (`recruit`), and goes back to the pool as soon as it has looked for tasks in vain for a moment: there it
//! waits for its next order as any worker does. A *guest* is a thread of the program that waits: it takes
//! a seat meanwhile, so that it runs tasks too. A waiter that finds all seats taken sleeps: as many threads as the settings
//! allow are at work then.
//!
//! There is one worker fewer than seats, since a thread that has work done has a processor of its own, and may be a guest; one more
//! comes only where the system says that a processor is idle.
//!
//! There is one open team in a process, made by the first stream and never given up. A forked child forgets it.
//! `seats` says why no task is left alone.

use super::find::{self, Choice, Circle};
use super::help::{Goal, help};
use super::seats::{Seats, Sitter};
use super::{Member, Nest, Order, Team, idle_entry, places, pool};
use crate::locality::{self, Layout};
use crate::sync::{Ordering, fence};
use crate::task::record::TaskRef;
use crate::task::run;
use crate::thread::{self, Thread, clock};
use crate::{futex, global, trace, wait};
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64};
use vicinity_alloc::os::processors;
use vicinity_policy::topology::LocationId;
use vicinity_policy::waiting::BRIEF_TICKS;

/// How long a worker looks for tasks in vain before it leaves, in ticks, some 3 in a nanosecond: between two launches of a program
/// passes less.
const LOOK_TICKS: u64 = 50_000;
/// Most pauses between two looks.
const MOST_PAUSES: u32 = 24;
/// More seats than this help nobody, whatever number of threads regions are to have.
const MOST_SEATS: u32 = 1024;
/// How long the system is not asked again whether a processor is idle: half a millisecond at 3 GHz.
const ASK_EVERY_TICKS: u64 = 1_500_000;

static OPEN: AtomicPtr<Team> = AtomicPtr::new(std::ptr::null_mut());
/// Threads that sleep for a word without a seat.
static OUTSIDE: AtomicU32 = AtomicU32::new(0);
/// When the system may be asked again. Relaxed: a hint.
static ASK_NOT_BEFORE: AtomicU64 = AtomicU64::new(0);

/// The worker that was sent last, while nobody has asked whether it has begun.
static SENT: AtomicPtr<pool::Worker> = AtomicPtr::new(std::ptr::null_mut());
/// When it was sent. Relaxed: a hint.
static SENT_AT: AtomicU64 = AtomicU64::new(0);
/// A worker has begun by then, or waits for a processor: 50 microseconds at 3 GHz.
const LATE_TICKS: u64 = 150_000;

/// The open team, if there is one.
pub fn get() -> Option<&'static Team> {
    // Acquire: pairs with the Release in `found`.
    let team = OPEN.load(Ordering::Acquire);
    // SAFETY: null, or a team, which is never deallocated.
    #[allow(unsafe_code)]
    unsafe {
        team.as_ref()
    }
}

/// Makes the open team, by one thread at a time (`task::stream`'s lock).
pub(crate) fn found(thread: &'static Thread) -> &'static Team {
    let icvs = global::initial_icvs();
    let mut total = icvs.num_threads.min(icvs.thread_limit).clamp(1, MOST_SEATS);
    let team = Team::take_some(&mut total);
    let nest = Nest { level: 1, active_level: 1, num_teams: 1, ..Nest::default() };
    let (entry, data) = (idle_entry, std::ptr::null_mut());
    team.begin(Order::here(total, entry, data, nest, icvs));
    if places::need_attention() {
        places::assign(thread.member(), team, None);
    }
    locality::seat(thread.member(), team);
    team.contention.set(Some(&team.group_count));
    // Where tasks are dealt to locations, each needs its threads.
    let usual = if team.layout().is_some() { total } else { (total - 1).max(1) };
    team.seats.get_or_init(|| Seats::new(total, usual));
    team.idle.stand_by();
    // Release: pairs with the Acquire in `get`.
    OPEN.store(std::ptr::from_ref(team).cast_mut(), Ordering::Release);
    team
}

/// In a forked child: its workers, and who sat at its seats, exist in the parent alone.
pub(crate) fn forget() {
    OPEN.store(std::ptr::null_mut(), Ordering::Relaxed);
    OUTSIDE.store(0, Ordering::Relaxed);
    SENT.store(std::ptr::null_mut(), Ordering::Relaxed);
}

/// Keeps other threads from the seats (for fork).
pub(crate) fn quiesced() -> Option<MutexGuard<'static, Vec<u32>>> {
    get()?.seats.get().map(Seats::quiesced)
}

/// Whether one more processor than those in use would have something to do.
fn a_processor_is_idle() -> bool {
    let now = clock::ticks();
    if now < ASK_NOT_BEFORE.load(Ordering::Relaxed) {
        return false;
    }
    ASK_NOT_BEFORE.store(now + ASK_EVERY_TICKS, Ordering::Relaxed);
    let is_idle = |runnable| runnable < global::processors() + wait::lingering();
    processors::runnable_threads().is_some_and(is_idle)
}

/// After a task was queued in the open team, for which nobody was woken: sends a worker if there is room; to a
/// location, if the task is in a queue there.
#[cold]
pub(super) fn recruit(team: &'static Team, seats: &Seats, at: Option<(&Layout, LocationId)>) {
    if !seats.have_room(a_processor_is_idle) {
        return;
    }
    let takers = at.map(|(layout, location)| layout.takers(location));
    let Some(num) = seats.take(Sitter::Worker, takers) else { return };
    match pool::one() {
        Some(worker) => {
            wait::add_runnable(1);
            SENT_AT.store(clock::ticks(), Ordering::Relaxed);
            worker.send(&team.members()[num as usize]);
            // Release: pairs with the Acquire in `make_way`, which looks into the worker.
            SENT.store(std::ptr::from_ref(worker).cast_mut(), Ordering::Release);
        }
        None => seats.give_back(num, Sitter::Worker),
    }
}

/// A thread waits, and runs tasks meanwhile: sees to it that the worker sent last does not wait for its processor.
#[inline]
fn make_way() {
    if !SENT.load(Ordering::Relaxed).is_null()
        && clock::ticks().wrapping_sub(SENT_AT.load(Ordering::Relaxed)) >= LATE_TICKS
    {
        // Acquire: pairs with the Release in `recruit`.
        let worker = SENT.swap(std::ptr::null_mut(), Ordering::Acquire);
        // SAFETY: null, or a worker, which is never deallocated.
        #[allow(unsafe_code)]
        unsafe { worker.as_ref() }.inspect(|worker| worker.keep_off());
    }
}

/// A worker's part: runs tasks until there are none, and leaves; `dock` brings it back to the pool.
pub(super) fn serve(
    thread: &'static Thread,
    member: &'static Member,
    seats: &Seats,
    dock: impl FnOnce(),
) {
    member.enter(thread);
    member.is_seen();
    trace::placed(thread, member);
    let (mut in_vain_since, mut pauses) = (None, 0);
    loop {
        if let Some(task) = find::find(thread, member, Choice::Any, Circle::Everybody) {
            run::execute(thread, task);
            trace::follows(thread, true);
            (in_vain_since, pauses) = (None, 0);
            continue;
        }
        let now = clock::ticks();
        if now.wrapping_sub(*in_vain_since.get_or_insert(now)) >= LOOK_TICKS {
            break;
        }
        (0..pauses).for_each(|_| std::hint::spin_loop());
        pauses = (pauses + 1).min(MOST_PAUSES);
    }
    trace::follows(thread, false);
    member.dissolve_hot();
    wait::add_runnable(-1);
    leave(thread, member, seats, Sitter::Worker, dock);
}

/// Gives the seat back; from then on it is another's. Sees to tasks that came meanwhile.
fn leave(
    thread: &'static Thread,
    member: &'static Member,
    seats: &Seats,
    sitter: Sitter,
    dock: impl FnOnce(),
) {
    let team = member.team();
    member.implicit.leave();
    member.goes_to_sleep();
    thread.slab.flush();
    // Before the seat is vacant: who takes it then finds this worker in the pool.
    dock();
    seats.give_back(member.num, sitter);
    fence(Ordering::SeqCst);
    team.recruit_for_all(seats);
}

/// A thread of the program at a seat of the open team, until it is dropped.
pub struct Guest {
    thread: &'static Thread,
    seats: &'static Seats,
    before: (&'static Member, TaskRef),
}

/// Takes a seat for the calling thread, if there is an open team that it does not sit in, with a vacant seat.
pub fn sit_down() -> Option<Guest> {
    let team = get()?;
    let thread = thread::current();
    let seats = team.seats.get()?;
    let before = (thread.member(), thread.task());
    if std::ptr::eq(before.0.team(), team) || !seats.any_vacant() {
        return None;
    }
    let num = seats.take(Sitter::Guest, None::<std::iter::Empty<u32>>)?;
    let member: &'static Member = &team.members()[num as usize];
    member.seat(thread);
    member.is_seen();
    Some(Guest { thread, seats, before })
}

impl Drop for Guest {
    fn drop(&mut self) {
        let member = self.thread.member();
        self.thread.set_member(self.before.0);
        self.thread.set_task(self.before.1);
        leave(self.thread, member, self.seats, Sitter::Guest, || ());
    }
}

/// Waits until `word` is not `value`, running tasks of streams meanwhile. Whoever changes the word calls `wake_word`.
pub fn wait_word(word: &AtomicU32, value: u32) {
    let goal = Changed { word, value };
    if goal.is_met() {
        return;
    }
    let thread = thread::current();
    if get().is_some_and(|team| std::ptr::eq(thread.member().team(), team)) {
        return help(thread, Choice::Any, &goal);
    }
    // It cannot help with what it waits for: spinning for longer takes processor time for nothing.
    let mut patience = wait::Patience::at_most(BRIEF_TICKS);
    while !goal.is_met() {
        if let Some(_guest) = sit_down() {
            return help(thread, Choice::Any, &goal);
        }
        if !patience.spin() {
            // SeqCst: before the kernel looks at the word; pairs with the fence in `wake_word`.
            OUTSIDE.fetch_add(1, Ordering::SeqCst);
            futex::wait(word, value);
            OUTSIDE.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Wakes whoever waits for `word` to change; it has changed. The memory behind it may be gone already.
pub fn wake_word(word: *const AtomicU32) {
    if let Some(team) = get()
        && team.idle.anyone_asleep()
    {
        team.idle.wake_all(team.parkers());
    }
    fence(Ordering::SeqCst);
    if OUTSIDE.load(Ordering::Relaxed) != 0 {
        futex::wake_all(word);
    }
}

struct Changed<'a> {
    word: &'a AtomicU32,
    value: u32,
}

impl Goal for Changed<'_> {
    fn is_met(&self) -> bool {
        // Acquire: pairs with the Release of whoever changed it.
        let is_met = self.word.load(Ordering::Acquire) != self.value;
        if !is_met {
            make_way();
        }
        is_met
    }
}
