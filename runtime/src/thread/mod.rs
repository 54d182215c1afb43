//! `Thread`: what the runtime knows of one operating-system thread.
//!
//! Terms: a thread is *attached* once it has a record, which it finds through thread-local storage; pool
//! workers are attached when they start, other threads at their first call. A thread always sits on
//! a member of some team; outside every region that is the single member of its own initial team.
//!
//! Invariants: 1. Records are never deallocated: the record of a thread that ends goes to a later one,
//! so another thread may wake or send blocks to it at any time. 2. Private fields are touched by the
//! thread itself alone.
#![allow(unsafe_code)]

pub mod clock;
pub mod float_control;
pub(crate) mod stack;
pub mod tls;

pub use stack::limit_bytes as stack_limit_bytes;

use crate::activity;
use crate::aside;
use crate::errno;
use crate::locality::Near;
use crate::locality::watch::Watch;
use crate::park::Parker;
use crate::private::Private;
use crate::process_lock::ProcessLock;
use crate::share;
use crate::task::record::TaskRef;
use crate::task::slab::Slab;
use crate::team::{Member, Team, places};
use crate::tool;
use crate::trace::{self, Recorder};
use crate::worksharing::Seat;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};
use vicinity_policy::waiting::Habits;
use vicinity_policy::yielding::Yielding;
use vicinity_policy::{apart, forage};

#[repr(C)]
pub struct Thread {
    // Line 0: read and written on the task path.
    task: Private<Option<TaskRef>>,
    member: Private<Option<&'static Member>>,
    /// Its side of tracing; none while nothing is traced.
    pub recorder: Private<Option<&'static Recorder>>,
    /// Its part of the page of `vicinity top`; none while there is no page.
    pub slot: Private<Option<&'static activity::Slot>>,
    /// Below this stack address a new task is deferred rather than run at once.
    stack_floor: Private<usize>,
    /// How many tasks it runs on top of others although it is below that address.
    pub piled_up: Private<u32>,
    random: Private<u32>,
    // Other lines: not needed for each task.
    /// How its last steals went.
    pub foraging: Private<Foraging>,
    /// The floor while new tasks may run at once at all.
    lowest_floor: Private<usize>,
    /// Its tasks that are set aside.
    pub aside: aside::Here,
    /// Number in libomp's ABI: unique among living threads, the initial thread's is 0.
    pub gtid: i32,
    pub slab: Slab,
    pub near: Near,
    /// What `__kmpc_push_*` said about the next region.
    pub pushed: Private<Pushed>,
    /// It is changing the dependence map of its current task.
    pub registers: Private<bool>,
    /// It holds the lock of all streams, and so runs no task.
    pub submits: Private<bool>,
    /// How it is watched, for the repair of where memory is.
    pub watch: Private<Option<Watch>>,
    /// To be done when the thread ends.
    at_end: Private<Vec<Box<dyn FnOnce()>>>,
    /// How long its waits are.
    pub habits: Private<Habits>,
    /// It kept another thread of its team waiting for its processor when it looked last.
    pub crowded: Private<bool>,
    /// Whether its yields give time slices away.
    pub yielding: Private<Yielding>,
    /// The place it is bound to; `places::NOWHERE` if none.
    pub place: Private<u32>,
    /// When it asks whether to leave its master's processor.
    pub moves: Private<apart::Moves>,
    /// What it last showed for OMP_DISPLAY_AFFINITY.
    pub shown: Private<Option<places::Shown>>,
    /// The initial team of a thread that is not a worker, kept for its later lives.
    initial: Private<Option<&'static Team>>,
    /// Anybody wakes; on lines of its own.
    pub parker: crossbeam_utils::CachePadded<Parker>,
}

const LINE_BYTES: usize = 64;
const _: () = assert!(std::mem::offset_of!(Thread, foraging) <= LINE_BYTES);
const _: () = assert!(align_of::<Thread>().is_multiple_of(LINE_BYTES));

/// Clauses of the next parallel or teams region, as libomp's ABI passes them ahead of it; 0 is unset.
#[derive(Clone, Copy, Default)]
pub struct Pushed {
    pub num_threads: u32,
    /// `proc_bind` as OpenMP's `omp_proc_bind_t` numbers it, plus one.
    pub proc_bind: u32,
    pub num_teams: u32,
    pub thread_limit: u32,
    /// A list of numbers of threads, for the region and those in it.
    pub threads: Option<Threads>,
    /// `num_threads(strict: ..)`: what to say if the team is smaller.
    pub strict: Option<Strict>,
}

/// The address of the compiler's array.
#[derive(Clone, Copy)]
pub struct Threads {
    pub address: usize,
    pub length: u32,
}

/// What a region says that insists on its number of threads; addresses are the compiler's, or 0.
#[derive(Clone, Copy)]
pub struct Strict {
    pub location: usize,
    pub message: usize,
    pub is_fatal: bool,
}

/// A thief's memory, in ticks of `clock`.
#[derive(Clone, Copy, Default)]
pub struct Foraging {
    /// When it came back with loot that is not used up yet; 0: none.
    pub since: u64,
    /// How many tasks that was.
    pub loot: u32,
    /// How its trips were.
    pub luck: forage::Luck,
    /// It does not steal before this moment.
    pub not_before: u64,
}

static NEXT_GTID: AtomicI32 = AtomicI32::new(0);
/// Records of threads that ended.
pub(crate) static VACANT: ProcessLock<Vec<&'static Thread>> = ProcessLock::new(Vec::new());

/// The calling thread's record; attaches the thread if this is its first call.
#[inline(always)]
pub fn current() -> &'static Thread {
    let slot = tls::get();
    if slot == 0 {
        return errno::kept(attach);
    }
    // SAFETY: the slot holds 0 or the address of a record, and records are never deallocated.
    unsafe { &*(slot as *const Thread) }
}

/// The same if it takes no call to find it: for entry points that leave all else to a function of the same arguments, and so
/// need not save them.
#[inline(always)]
pub fn at_hand() -> Option<&'static Thread> {
    // SAFETY: as in `current`.
    unsafe { (tls::at_hand() as *const Thread).as_ref() }
}

/// The record, if the thread has one.
pub fn try_current() -> Option<&'static Thread> {
    (tls::get() != 0).then(current)
}

/// How many threads have a record: the program's that made a call, and the workers.
pub fn known() -> usize {
    // Relaxed: a number for the user, out of date when it is read.
    NEXT_GTID.load(Ordering::Relaxed) as usize - VACANT.lock().len()
}

/// Identity of the current task, for locks that tasks own.
pub fn current_task_id() -> usize {
    current().task().as_ptr() as usize
}

/// Where the calling thread sits, for worksharing constructs.
#[inline(always)]
pub fn seat() -> Seat<'static> {
    current().member().at_constructs()
}

#[cold]
fn attach() -> &'static Thread {
    trace::start(crate::global::settings(), crate::global::processors());
    tool::start(crate::global::settings());
    let thread = take_record(false);
    thread.sit_down_first();
    tool::threads::initial_task_begins(thread);
    end::watch(thread);
    if crate::global::settings().vicinity.verbose > 0 {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(crate::locality::summary::begin);
    }
    thread
}

/// A record for the calling thread, a worker or one of the program's, reachable through thread-local storage.
pub(crate) fn take_record(is_worker: bool) -> &'static Thread {
    let vacant = VACANT.lock().pop();
    let thread = vacant.unwrap_or_else(|| Box::leak(Box::new(Thread::new())));
    thread.lowest_floor.set(stack::floor());
    thread.runs_new_tasks(true);
    thread.place.set(places::NOWHERE);
    thread.shown.set(None);
    thread
        .recorder
        .with(|recorder| *recorder = trace::recorder_for(thread.gtid, is_worker, *recorder));
    tls::set(std::ptr::from_ref(thread) as usize);
    activity::begins(thread);
    tool::threads::begins(thread, is_worker);
    thread
}

/// Locks a mutex whose holders never panic halfway.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Thread {
    fn new() -> Thread {
        // Relaxed: a number, nothing is published with it.
        let gtid = NEXT_GTID.fetch_add(1, Ordering::Relaxed);
        Thread {
            task: Private::new(None),
            member: Private::new(None),
            recorder: Private::new(None),
            slot: Private::new(activity::slot_of(gtid)),
            stack_floor: Private::new(0),
            piled_up: Private::new(0),
            lowest_floor: Private::new(0),
            aside: aside::Here::default(),
            foraging: Private::default(),
            habits: Private::default(),
            crowded: Private::default(),
            yielding: Private::default(),
            random: Private::new(0x9E37_79B9 ^ (gtid as u32).wrapping_mul(0x85EB_CA6B) | 1),
            gtid,
            slab: Slab::default(),
            near: Near::default(),
            pushed: Private::default(),
            registers: Private::new(false),
            submits: Private::new(false),
            watch: Private::new(None),
            at_end: Private::default(),
            place: Private::new(places::NOWHERE),
            moves: Private::default(),
            shown: Private::new(None),
            initial: Private::new(None),
            parker: Default::default(),
        }
    }

    /// Seats a thread outside every region on its initial team.
    fn sit_down_first(&'static self) {
        let team = self.initial.get().unwrap_or_else(|| Team::initial(self));
        self.initial.set(Some(team));
        if self.gtid == 0 && places::need_attention() {
            places::seat_initial(&team.members()[0]);
        }
        team.members()[0].enter(self);
        if let Some(icvs) = share::natives::initial_icvs() {
            self.task().icvs.set(icvs);
        }
    }

    #[inline(always)]
    pub fn task(&self) -> TaskRef {
        // SAFETY: a thread that is attached, or is being handed an order, has a current task.
        unsafe { self.task.get().unwrap_unchecked() }
    }

    #[inline(always)]
    pub fn set_task(&self, task: TaskRef) {
        self.task.set(Some(task));
    }

    #[inline(always)]
    pub fn member(&self) -> &'static Member {
        // SAFETY: as for `task`.
        unsafe { self.member.get().unwrap_unchecked() }
    }

    /// The same for a worker that may not have had an order yet.
    pub fn last_member(&self) -> Option<&'static Member> {
        self.member.get()
    }

    pub fn set_member(&self, member: &'static Member) {
        self.member.set(Some(member));
    }

    /// Whether the stack still has room to run new tasks on top of the current one.
    #[inline(always)]
    pub fn has_stack(&self) -> bool {
        stack::here() > self.stack_floor.get()
    }

    /// Whether it may run new tasks inside their creator.
    pub fn runs_new_tasks(&self, may: bool) {
        self.stack_floor.set(if may { self.lowest_floor.get() } else { usize::MAX });
    }

    /// The next number of a xorshift generator (Marsaglia 2003), period 2^32 - 1.
    pub fn random(&self) -> u32 {
        let mut x = self.random.get();
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        self.random.set(x);
        x
    }

    /// Has something done when the thread ends, by the thread itself.
    pub fn at_end(&self, last_act: impl FnOnce() + 'static) {
        self.at_end.with(|acts| acts.push(Box::new(last_act)));
    }

    /// Leaves the record to a later thread.
    pub(crate) fn vacate(&'static self) {
        self.at_end.replace(Vec::new()).into_iter().for_each(|act| act());
        tool::threads::ends(self);
        activity::goes_to(self, activity::State::Vacant);
        self.slab.flush();
        tls::set(0);
        VACANT.lock().push(self);
    }
}

/// Learning that a foreign thread ends.
mod end {
    use super::{Thread, tls};
    use std::sync::OnceLock;

    static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();

    /// Arranges that `goodbye` runs when the calling thread ends.
    pub fn watch(thread: &'static Thread) {
        let key = KEY.get_or_init(|| {
            let mut key = 0;
            // SAFETY: `key` is a valid place, `goodbye` has the type of a destructor.
            (unsafe { libc::pthread_key_create(&mut key, Some(goodbye)) } == 0).then_some(key)
        });
        if let Some(key) = key {
            // SAFETY: the key exists. A failure costs the reuse of one record.
            unsafe { libc::pthread_setspecific(*key, std::ptr::from_ref(thread).cast()) };
        }
    }

    extern "C" fn goodbye(record: *mut libc::c_void) {
        // SAFETY: the value `watch` stored: a record, which is never deallocated.
        let thread: &'static Thread = unsafe { &*record.cast() };
        if tls::get() == record as usize {
            thread.member().team().dissolve_hot();
            thread.vacate();
        }
    }
}
