//! `Team` and `Member`: the threads of one parallel region, and a thread's place among them.
//!
//! Terms: a *member* is a place in a team: number, queue, implicit task and worksharing state; a thread sits on
//! one member at a time. The *master* is the thread that met the parallel construct, number 0. A *hot*
//! team is one its master keeps for the next region, with its workers reserved. A *solo* team has one
//! member: serialized regions and the initial team of each thread.
//!
//! Protocol of a region (`region.rs`): the master sets the region's fields, posts an order to each
//! worker, runs its own implicit task, and waits at `join`, where everybody helps with tasks until all
//! have arrived and all tasks are gone.
//!
//! Invariants: 1. Teams are never deallocated: a team that is too small goes to a list of spares.
//! 2. The region's fields are written by the master while every worker is at rest, and read by
//! workers between their order and the release of `join`; the master knows at that release that they are at rest, unless they
//! may look at the team behind it (`is_looked_at_behind`) or sleep on.
//! Source: OpenMP 5.2 section 10.1 (parallel).

pub mod ancestors;
mod apart;
pub mod barrier;
pub mod combine;
mod deque;
pub mod find;
pub mod help;
mod hesitation;
pub mod idle;
pub mod initial;
mod located;
mod mailbox;
pub mod open;
mod own;
pub mod places;
pub mod pool;
pub mod region;
mod seats;
mod seen;
mod shortage;
pub mod single;
mod size;
mod sleepers;
mod store;
mod whereabouts;

use crate::aside;
use crate::icv::Icvs;
use crate::locality::{Layout, seats::Span};
use crate::park::Parker;
use crate::private::Private;
use crate::task::ancestry::{Awaited, Glimpse};
use crate::task::detach::Event;
use crate::task::grain::Grains;
use crate::task::priority::{self, PriorityQueue};
use crate::task::record::{Body, Task, TaskRef};
use crate::thread::{self, Thread, float_control::FloatControl};
use crate::worksharing::{Local, Seat, Shared};
use barrier::Barrier;
use crossbeam_deque::Injector;
use crossbeam_utils::CachePadded;
use idle::Idle;
pub use located::Located;
use own::OwnQueue;
use std::collections::VecDeque;
use std::mem::offset_of;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};
use vicinity_policy::grain::Haste;
use vicinity_policy::throttle::Throttle;
use vicinity_policy::topology::LocationId;

pub use region::{barrier, parallel, parallel_with};
pub(crate) use shortage::until_there_is_memory;
pub(crate) use store::TEAMS;
use store::idle_entry;

#[repr(C)]
pub struct Member {
    // Lines 0 and 1: written when a region begins, if at all, and read by anybody.
    /// `omp_get_thread_num`.
    pub num: u32,
    /// Set once, before anybody else knows the member.
    team: Private<Option<&'static Team>>,
    thread: AtomicPtr<Thread>,
    /// Master of the team writes it (invariant 2 of the module).
    pub spot: Private<places::Spot>,
    /// Master of the team writes it, likewise: the part of the machine that regions of its own spread over.
    pub span: Private<Span>,
    // On lines of its own: see there.
    pub implicit: Task,
    // Further lines: its thread's alone.
    /// Deferred tasks. Its thread: puts them there, and takes the newest.
    pub deque: OwnQueue,
    /// Others know of the tasks that are there, which it may not run itself.
    told: Private<bool>,
    /// What it waits in, if it sleeps inside a tied task.
    awaited: Awaited,
    /// What decides whether a new task is put there.
    pub throttle: Private<Throttle>,
    /// How long it waits for predecessors of tiny tasks.
    pub haste: Private<Haste>,
    /// Single constructs met in this region.
    pub singles: Private<u32>,
    /// How the reduction goes that it is in.
    pub combining: Private<combine::How>,
    pub local: Local,
    /// Of its implicit task.
    pub tool: crate::tool::TaskFacts,
    /// Teams kept for the next region this member starts: solo, and larger.
    hot: [Private<Option<&'static Team>>; 2],
    // On lines of their own: others write them.
    /// What it offers its parent in a reduction.
    pub offer: CachePadded<combine::Offer>,
}

const LINE_BYTES: usize = 64;
const _: () = assert!(offset_of!(Member, span) < 2 * LINE_BYTES);
const _: () = assert!(offset_of!(Member, implicit).is_multiple_of(LINE_BYTES));
const _: () = assert!(offset_of!(Member, deque).is_multiple_of(LINE_BYTES));
const _: () = assert!(offset_of!(Member, offer).is_multiple_of(LINE_BYTES));

/// Where a team stands in the nest of regions.
#[derive(Clone, Copy, Default)]
pub struct Nest {
    pub level: u32,
    pub active_level: u32,
    /// The league's team this belongs to, and how many there are.
    pub team_num: u32,
    pub num_teams: u32,
    /// Whether a teams region encloses it.
    pub in_teams: bool,
}

/// What a region keeps until its end, because somebody may still point to it.
#[derive(Default)]
#[allow(clippy::vec_box, reason = "others point to the boxes' contents, which must not move")]
struct Kept {
    /// ICV snapshots, for tasks.
    icvs: Vec<Box<Icvs>>,
    /// Events of discarded tasks, for whoever fulfills them.
    events: Vec<Box<Event>>,
}

/// What the master says of a region (invariant 2).
#[derive(Clone, Copy)]
pub struct Order {
    pub size: u32,
    pub entry: Body,
    pub data: *mut libc::c_void,
    pub nest: Nest,
    pub icvs: &'static Icvs,
    /// The master's processor, which workers leave to it.
    pub avoid: Option<u32>,
    /// The master's, which workers take over.
    pub float_control: FloatControl,
    /// The member that started the region, and the task it was running; none for an initial team.
    pub outer: Option<(&'static Member, TaskRef)>,
}

impl Order {
    /// What the calling thread says of a region that no member of another team starts.
    pub fn here(
        size: u32,
        entry: Body,
        data: *mut libc::c_void,
        nest: Nest,
        icvs: &'static Icvs,
    ) -> Order {
        let float_control = FloatControl::here();
        Order { size, entry, data, nest, icvs, avoid: None, float_control, outer: None }
    }
}

/// The locks of a team, held across a fork.
pub(crate) struct Quiet {
    _kept: MutexGuard<'static, Kept>,
    _priority: MutexGuard<'static, priority::Queue>,
    _dealt: Vec<crate::sync::MutexGuard<'static, VecDeque<TaskRef>>>,
}

#[repr(C)]
pub struct Team {
    // Read by all members, written by their master between regions; line 0 by all who begin.
    members: &'static [CachePadded<Member>],
    /// `order.size`, for threads that look at the queues while no region, or the next one, runs: a worker
    /// that is captured during its last look, a thread elsewhere that has fulfilled an event. Relaxed:
    /// what they do with an old size is harmless, and so is a new one, which may not count the worker.
    size: AtomicU32,
    /// Regions that have begun.
    regions: AtomicU32,
    /// Set before the first task is deferred in this region, so that waiting looks for tasks. A hint to
    /// threads that are awake; for those that fall asleep it is ordered by the fences of `idle`.
    tasked: AtomicBool,
    /// The region was cancelled.
    cancelled: AtomicBool,
    /// Whether there may be something in `kept`.
    keeps: AtomicBool,
    pub order: Private<Order>,
    /// Tasks that were dealt to locations, and where the members are.
    pub located: Located,
    /// Master: workers reserved for members 1, 2, ...
    workers: Private<Vec<&'static pool::Worker>>,
    /// Master: the epoch of `rest` before they arrive there, from the beginning of a large region on.
    resting: Private<Option<u32>>,
    /// Threads of the contention group beyond the initial one, counted in the group's first team if their number has a limit.
    pub contention: Private<size::Group>,
    /// Master: how often a member got another place; then all show where they are (OpenMP 5.2, 21.2.4).
    pub moves: Private<u32>,
    pub trace: crate::trace::TeamTrace,
    pub tool: crate::tool::TeamFacts,
    /// Set for the open team alone.
    seats: OnceLock<seats::Seats>,
    sleepers: sleepers::Sleepers,
    seen: seen::Seen,
    // On lines of their own, each: what members write.
    pub shared: Shared,
    pub barrier: Barrier,
    pub join: Barrier,
    /// Where workers of a large region arrive that look at it no more.
    rest: Barrier,
    pub idle: Idle,
    /// Ready tasks that belong in nobody's own queue.
    pub injector: Injector<TaskRef>,
    pub priority: CachePadded<PriorityQueue>,
    pub single: CachePadded<single::Shared>,
    /// What its tasks with dependences are worth.
    pub grains: CachePadded<Grains>,
    /// What the region has claimed of the processors that are shared. Its master writes it, and others read what would be beside it.
    pub part: CachePadded<crate::share::Part>,
    // Seldom written.
    /// Task reductions of the region.
    pub reductions: crate::task::reduction::Shared,
    /// The count of the contention group, where this is its first team.
    pub group_count: AtomicU32,
    kept: Mutex<Kept>,
}

// Who arrives last at a region's end has them at hand: it read that line when it began.
const _: () = assert!(offset_of!(Team, keeps) < LINE_BYTES);
const _: () = assert!(offset_of!(Team, shared).is_multiple_of(LINE_BYTES));
const _: () = assert!(offset_of!(Team, barrier).is_multiple_of(LINE_BYTES));
const _: () = assert!(offset_of!(Team, idle).is_multiple_of(LINE_BYTES));
const _: () = assert!(offset_of!(Team, injector).is_multiple_of(LINE_BYTES));

#[allow(unsafe_code)]
// SAFETY: `Order::data` is the program's pointer, handed through as it is.
unsafe impl Sync for Team {}
#[allow(unsafe_code)]
// SAFETY: as above.
unsafe impl Send for Team {}

impl Member {
    #[inline(always)]
    pub fn team(&self) -> &'static Team {
        // SAFETY: `Team::build` sets it before it hands the member out.
        #[allow(unsafe_code)]
        unsafe {
            self.team.get().unwrap_unchecked()
        }
    }

    /// Where it sits at worksharing constructs.
    #[inline(always)]
    pub fn at_constructs(&self) -> Seat<'_> {
        let team = self.team();
        Seat {
            shared: &team.shared,
            local: &self.local,
            thread_num: self.num,
            num_threads: team.size(),
            layout: team.layout(),
        }
    }

    /// The member of an implicit task.
    pub fn of_implicit(task: TaskRef) -> &'static Member {
        debug_assert!(task.is(crate::task::record::flag::IMPLICIT));
        let offset = offset_of!(Member, implicit);
        // SAFETY: implicit tasks are fields of members, which are never deallocated.
        #[allow(unsafe_code)]
        unsafe {
            &*task.as_ptr().cast::<u8>().sub(offset).cast::<Member>()
        }
    }

    /// Whether this thread sits here, and so may use the member's queue.
    pub fn is_seat_of(&self, thread: &Thread) -> bool {
        // Relaxed: only `thread` itself stores its own address here.
        std::ptr::eq(self.thread.load(Ordering::Relaxed), thread)
    }

    /// Its thread's place to sleep; none before the first thread sat here.
    pub fn parker(&self) -> Option<&'static Parker> {
        // Acquire: pairs with the Release in `enter`.
        let thread = self.thread.load(Ordering::Acquire);
        // SAFETY: threads' records are never deallocated.
        #[allow(unsafe_code)]
        unsafe { thread.as_ref() }.map(|thread: &'static Thread| &*thread.parker)
    }

    /// Seats `thread` here and makes the implicit task its current one; binds it where that is asked for.
    pub fn enter(&'static self, thread: &'static Thread) {
        self.seat(thread);
        if places::need_attention() {
            places::attend(thread, self);
        }
    }

    /// Seats `thread` here and leaves it on the processor where it is.
    #[inline(always)]
    fn seat(&'static self, thread: &'static Thread) {
        // Release: pairs with the Acquire in `parker`.
        if !std::ptr::eq(self.thread.load(Ordering::Relaxed), thread) {
            self.thread.store(std::ptr::from_ref(thread).cast_mut(), Ordering::Release);
        }
        let task = &self.implicit;
        task.icvs.set(self.team().order.read(|order| order.icvs));
        task.start_on(thread);
        self.singles.set(0);
        self.local.reset();
        thread.set_member(self);
        thread.set_task(TaskRef::implicit(task));
        if aside::is_on() {
            aside::sits_down(thread, self);
        }
    }
}

impl Team {
    #[inline(always)]
    pub fn size(&self) -> u32 {
        self.size.load(Ordering::Relaxed)
    }

    pub fn nest(&self) -> Nest {
        self.order.read(|order| order.nest)
    }

    pub fn outer(&self) -> Option<&'static Member> {
        self.order.read(|order| order.outer).map(|(member, _)| member)
    }

    /// Whether a thread of the program runs its regions as member 0.
    pub(crate) fn has_master(&self) -> bool {
        self.seats.get().is_none()
    }

    /// The members in use.
    #[inline(always)]
    pub fn members(&self) -> &[CachePadded<Member>] {
        &self.members[..self.size() as usize]
    }

    /// The queue of member `num`, for thieves.
    pub fn queue(&self, num: u32) -> &OwnQueue {
        &self.members[num as usize].deque
    }

    /// Whether tasks were deferred in this region.
    #[inline(always)]
    pub fn is_tasked(&self) -> bool {
        // Acquire: pairs with the Release in `set_tasked`. Whoever has not seen yet that it was released from a region without
        // tasks, and learns here of those of the next one, sees the release as well.
        self.tasked.load(Ordering::Acquire)
    }

    #[inline(always)]
    pub fn set_tasked(&self) {
        if !self.tasked.load(Ordering::Relaxed) {
            // Release: pairs with the Acquire in `is_tasked`.
            self.tasked.store(true, Ordering::Release);
        }
    }

    /// Where the members are; none where all are at one location.
    #[inline(always)]
    pub fn layout(&self) -> Option<&'static Layout> {
        self.located.layout()
    }

    /// Whether any queue that `member` may take from holds a task. Not for a member that the region does not have: a
    /// worker that its master captured during this look for a smaller one.
    pub fn has_work_for(&self, member: &Member) -> bool {
        if !self.injector.is_empty() || !self.priority.is_empty() {
            return true;
        }
        match self.layout() {
            // Thousands of threads that fall asleep look thousands of times each, if they look for nothing.
            None => self.is_tasked() && self.any_queue(|queue| !queue.is_empty()),
            Some(layout) => {
                let mut near =
                    layout.seat(member.num).into_iter().flat_map(|at| layout.vicinity(at));
                near.any(|&at| {
                    self.located.queue(at).is_some_and(|queue| !queue.is_empty())
                        || layout.members_at(at).iter().any(|&num| !self.queue(num).is_empty())
                })
            }
        }
    }

    fn any_queue(&self, is: impl Fn(&OwnQueue) -> bool) -> bool {
        self.members().iter().any(|member| is(&member.deque))
    }

    /// Whether any queue holds a task that descends from `ancestor`.
    pub fn has_work_below(&self, ancestor: TaskRef) -> bool {
        self.has_shared_work(|task| task.descends_from(ancestor))
            || (self.is_tasked() && self.any_queue(|queue| queue.holds_below(ancestor)))
    }

    /// Whether any queue holds a task.
    fn has_any_work(&self) -> bool {
        self.has_shared_work(|_| true) || self.members.iter().any(|member| !member.deque.is_empty())
    }

    /// Whether a queue that belongs to no member holds a task that `allows` accepts, or may hold one.
    pub fn has_shared_work(&self, allows: impl Fn(TaskRef) -> bool) -> bool {
        !self.injector.is_empty()
            || (!self.priority.is_empty() && self.priority.holds(&allows))
            || self.located.queues().any(|queue| queue.holds(&allows))
    }

    /// Those of all members that sleep: for a thread that has just called `Idle::anyone`, or knows of them otherwise.
    pub fn parkers(&self) -> impl Iterator<Item = &'static Parker> + Clone {
        let asleep = self.sleepers.among(self.size());
        asleep.filter_map(|num| self.members[num as usize].parker())
    }

    /// After the calling thread made a task visible in its queue: wakes a thread that may run it, if one sleeps.
    #[inline(always)]
    pub fn announce_work(&'static self, task: TaskRef) {
        if self.idle.anyone() {
            self.wake_for_work(task);
        }
    }

    #[cold]
    fn wake_for_work(&'static self, task: TaskRef) {
        let task = Glimpse::of(task.as_non_null());
        let bound = || self.bound_parkers(move |awaited| awaited.is_above(task));
        let woken =
            self.idle.anyone_asleep() && (self.wakes_free() || self.idle.wake_bound(bound()));
        self.recruit_unless(woken, None);
    }

    /// After tasks came into the queue of the calling thread that it has not created, or before it falls asleep with some there:
    /// wakes one that may run any, if one sleeps, and all that may run one of these.
    #[inline]
    pub fn announce_queue(&'static self, queue: &OwnQueue) {
        if self.idle.anyone() {
            self.wake_for_queue(queue);
        }
    }

    #[cold]
    fn wake_for_queue(&'static self, queue: &OwnQueue) {
        let mut woken = false;
        if self.idle.anyone_asleep() {
            woken = self.wakes_free();
            self.idle.wake_all(self.bound_parkers(|awaited| queue.has_any_for(awaited)));
        }
        self.recruit_unless(woken, None);
    }

    /// Those of threads that sleep inside tied tasks and wait for what `is`.
    fn bound_parkers(
        &'static self,
        is: impl Fn(&Awaited) -> bool,
    ) -> impl Iterator<Item = &'static Parker> {
        let asleep = self.sleepers.among(self.size()).map(|num| &self.members[num as usize]);
        asleep.filter(move |member| is(&member.awaited)).filter_map(|member| member.parker())
    }

    /// After the calling thread left tasks in another's queue from which it took some: wakes a thread that may run anything, if
    /// one sleeps. The others were woken when they were queued, or saw them before they slept.
    #[inline]
    pub fn announce_again(&'static self) {
        if self.idle.anyone() {
            self.wake_free();
        }
    }

    #[cold]
    fn wake_free(&'static self) {
        let woken = self.idle.anyone_asleep() && self.wakes_free();
        self.recruit_unless(woken, None);
    }

    /// Wakes a thread that may run anything. True if one slept.
    fn wakes_free(&self) -> bool {
        match self.layout() {
            None => self.idle.wake_free(self.parkers()),
            Some(layout) => self.idle.wake_free(self.parkers_near(layout)),
        }
    }

    /// Those of the members that may take from the calling thread's queue.
    fn parkers_near(&self, layout: &Layout) -> impl Iterator<Item = &'static Parker> + Clone {
        let here = layout.location(thread::current().member().num);
        self.parkers_of(layout.takers(here))
    }

    /// The open team: sends a worker for a task, if nobody was woken for it.
    fn recruit_unless(&'static self, woken: bool, at: Option<(&Layout, LocationId)>) {
        if let Some(seats) = self.seats.get()
            && !woken
        {
            open::recruit(self, seats, at);
        }
    }

    /// The open team, after somebody left it: sends workers for the tasks that are queued, to the locations that they
    /// were dealt to.
    fn recruit_for_all(&'static self, seats: &seats::Seats) {
        let dealt =
            |at: &LocationId| self.located.queue(*at).is_some_and(|queue| !queue.is_empty());
        if let Some(layout) = self.layout() {
            let locations = layout.topology.locations().filter(dealt);
            locations.for_each(|at| open::recruit(self, seats, Some((layout, at))));
        }
        let elsewhere = !self.injector.is_empty()
            || !self.priority.is_empty()
            || self.any_queue(|queue| !queue.is_empty());
        if elsewhere {
            open::recruit(self, seats, None);
        }
    }

    /// After a task was dealt to a location: wakes a thread that may take it from there, if all of them sleep
    /// within tied tasks every one that does.
    pub fn announce_at(&'static self, layout: &Layout, location: LocationId) {
        if self.idle.anyone() {
            let free = self.parkers_of(layout.takers(location));
            let woken = self.idle.wake_free_or_bound(free, self.parkers());
            self.recruit_unless(woken, Some((layout, location)));
        }
    }

    /// Those of the members with these numbers that sleep, likewise.
    fn parkers_of(
        &self,
        members: impl Iterator<Item = u32> + Clone,
    ) -> impl Iterator<Item = &'static Parker> + Clone {
        let asleep = members.filter(|&num| self.sleepers.contains(num));
        asleep.filter_map(|num| self.members[num as usize].parker())
    }

    /// After a task was put into a shared queue by a thread that may not run it: wakes whoever may.
    #[cold]
    pub fn announce_to_all(&'static self) {
        if self.idle.anyone() {
            let woken = self.idle.anyone_asleep() && self.idle.wake_free_or_all(self.parkers());
            self.recruit_unless(woken, None);
        }
    }

    /// The region is cancelled: threads that wait at its barriers go on to its end.
    pub fn cancel(&self) {
        // Release: pairs with the Acquire in `is_cancelled`.
        self.cancelled.store(true, Ordering::Release);
        if self.idle.anyone() {
            self.idle.wake_all(self.parkers());
        }
    }

    #[inline(always)]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    /// Keeps other threads from the team's locks (for fork).
    pub(crate) fn quiesced(&'static self) -> Quiet {
        Quiet {
            _kept: thread::lock(&self.kept),
            _priority: self.priority.quiesced(),
            _dealt: self.located.queues().map(|queue| queue.quiesced()).collect(),
        }
    }

    /// Keeps an ICV snapshot until the region ends; the reference is for tasks of the region.
    pub fn keep(&self, snapshot: Box<Icvs>) -> &'static Icvs {
        // SAFETY: the box stays where it is until the region ends, and its tasks before that.
        #[allow(unsafe_code)]
        let reference = unsafe { &*std::ptr::from_ref(&*snapshot) };
        self.keeper().icvs.push(snapshot);
        reference
    }

    /// Keeps the event of a discarded task until the region ends.
    pub fn keep_event(&self, event: Box<Event>) {
        self.keeper().events.push(event);
    }

    fn keeper(&self) -> MutexGuard<'_, Kept> {
        // Relaxed: as in `finish`.
        self.keeps.store(true, Ordering::Relaxed);
        thread::lock(&self.kept)
    }
}
