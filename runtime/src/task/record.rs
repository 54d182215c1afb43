//! `Task`: the record of one task, explicit or implicit, and what its fields mean.
//!
//! Terms: the *executor* is the thread whose stack the task's body is on; it owns the record's private
//! fields. Before the body starts the creator owns them, and hands them over with the task.
//!
//! Layout: four cache lines, then the payload (the outlined function's data for libgomp's ABI, the
//! `kmp_task_t` for libomp's). Line 0 belongs to the executor, line 1 rarely changes after the
//! hand-over, lines 2 and 3 are written by other threads.
//!
//! Invariants: 1. A record lives until the task is gone (finished, with all descendants) and no dependence
//! map mentions it; so a task's ancestors are valid as long as it is. 2. `executor` is this thread
//! only while this thread executes the task, so a thread that reads itself there may use the private
//! counters of the task.
//! Sources: OpenMP 5.2 section 12 (tasking), 2.2 (ICVs of a data environment).
#![allow(unsafe_code)]

use super::ancestry::{Depth, Parent};
use super::children::{OwnCount, RemoteCount};
use super::deps::Edge;
use super::extra::{Extra, OwnExtra};
use super::group::Group;
use super::helpers::Helpers;
use super::slab::{Block, Header, SMALLEST_BYTES};
use crate::icv::Icvs;
use crate::private::Private;
use crate::team::Team;
use crate::thread::Thread;
use crate::tool;
use crate::trace;
use std::mem::{offset_of, size_of};
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};

/// A task's body: libgomp's outlined function, `fn(data)`.
pub type Body = unsafe extern "C" fn(*mut libc::c_void);
/// A task's body in libomp's ABI, `routine(gtid, kmp_task_t*)`.
pub type Routine = unsafe extern "C" fn(i32, *mut libc::c_void) -> i32;

/// Facts about a task that do not change once it is handed over.
pub mod flag {
    /// All descendants are included tasks (OpenMP 5.2, section 12.3).
    pub const FINAL: u32 = 1;
    pub const UNTIED: u32 = 1 << 1;
    /// The body is a `Routine` and the payload a `kmp_task_t`.
    pub const ROUTINE: u32 = 1 << 2;
    /// Completes only when its event is fulfilled as well.
    pub const DETACHABLE: u32 = 1 << 3;
    /// Its dependences are registered: a dependence map mentions it, and successors may wait for it.
    pub const DEPENDENT: u32 = 1 << 4;
    /// It holds `mutexinoutset` locks, or will before it runs.
    pub const EXCLUSIVE: u32 = 1 << 5;
    /// An implicit task, the initial one included: part of a member, never freed.
    pub const IMPLICIT: u32 = 1 << 6;
    /// No task: stands for a thread that waits for predecessors.
    pub const WAITER: u32 = 1 << 7;
    /// The payload does not start right behind the header; `Extra::data` says where.
    pub const OVERALIGNED: u32 = 1 << 8;
    /// An untied task of libomp's ABI asked to be scheduled again (set and cleared while it runs).
    pub const AGAIN: u32 = 1 << 10;
    /// Copy constructors have run for what it captured, so the body, which destroys it, must run too.
    pub const COPIED: u32 = 1 << 12;
    /// Its copy created children, which may end before it begins, or while it does: whoever ends one cannot know
    /// who executes it by then.
    pub const EARLY: u32 = 1 << 15;
    /// `kmp_task_t` holds a priority.
    pub const URGENT: u32 = 1 << 11;
    /// `Extra::placement` says what is known of its data.
    pub const PLACED: u32 = 1 << 13;
    /// Every ready task goes to a location's queue; set for all tasks or none.
    pub const CENTRAL: u32 = 1 << 14;
    /// Either: whoever makes it ready asks where it goes.
    pub const DEALT: u32 = PLACED | CENTRAL;
    /// Its executor took it out of a queue that is not its own. Its new owner: sets it.
    pub const STOLEN: u32 = 1 << 16;
    /// `kmp_task_t` names a function that destroys what the task copied.
    pub const DESTRUCTORS: u32 = 1 << 9;

    /// What the children of a task with these flags get of them.
    #[inline(always)]
    pub const fn inherited(flags: u32) -> u32 {
        flags & (FINAL | CENTRAL)
    }
}

#[repr(C, align(64))]
pub struct Task {
    // Line 0: the executor's.
    pub parent: Parent,
    /// `Body` or `Routine`, as an address; 0 for a task without a body.
    /// Creator: sets it. Relaxed: others read it after the hand-over, when it does not change.
    entry: AtomicUsize,
    /// Innermost taskgroup that new children join.
    pub group: Private<Option<&'static Group>>,
    pub icvs: Private<&'static Icvs>,
    /// What few tasks need; null until then. Owner: makes and frees it.
    extra: AtomicPtr<Extra>,
    executor: AtomicPtr<Thread>,
    pub own: OwnCount,
    /// Owner: changes them. Relaxed: others read those that do not change after the hand-over.
    flags: AtomicU32,
    // Line 1: set before the hand-over; read when children are created.
    pub block: Block,
    pub team: Private<Option<&'static Team>>,
    /// The taskgroup that counts this task: the one its parent had open at its creation.
    pub birth_group: Private<Option<&'static Group>>,
    /// Distance from the implicit task.
    pub depth: Depth,
    pub priority: Private<i32>,
    /// Predecessors that are not finished, plus one while the creator still adds dependences.
    pub unmet: AtomicU32,
    /// Who keeps the record of a dependent task: itself until gone, and its parent's dependence map.
    pub holds: AtomicU32,
    /// Parent's executor: entries of the dependence map that mention this task.
    pub mentions: Private<u32>,
    /// Creator: how many of `edges` are in use.
    pub linked: Private<u32>,
    // Lines 2 and 3: written by thieves and completers of children, and by completers of predecessors.
    pub remote: RemoteCount,
    pub helpers: Helpers,
    /// Edges to successors, or `deps::CLOSED` once finished.
    pub successors: AtomicPtr<Edge>,
    /// The first edges from predecessors to this task.
    pub edges: [Edge; 6],
}

pub const HEADER_BYTES: usize = 256;
const _: () = assert!(size_of::<Task>() == HEADER_BYTES);
const _: () = assert!(HEADER_BYTES <= SMALLEST_BYTES);
const _: () = assert!(offset_of!(Task, block) == offset_of!(Header, block));

/// A live task. Copies are free; whoever holds one keeps to invariant 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TaskRef(NonNull<Task>);

// SAFETY: a record may be used from any thread under the ownership rules of its fields.
unsafe impl Send for TaskRef {}

impl Deref for TaskRef {
    type Target = Task;
    #[inline(always)]
    fn deref(&self) -> &Task {
        // SAFETY: invariant 1.
        unsafe { self.0.as_ref() }
    }
}

impl TaskRef {
    /// An implicit task, which lives in its member for ever.
    pub fn implicit(task: &'static Task) -> TaskRef {
        TaskRef(NonNull::from(task))
    }

    pub fn as_ptr(self) -> *mut Task {
        self.0.as_ptr()
    }

    /// As a queue has it.
    pub fn as_non_null(self) -> NonNull<Task> {
        self.0
    }

    /// The inverse of `as_ptr`.
    ///
    /// # Safety
    /// `task` came from `as_ptr` and the task is still alive.
    pub unsafe fn from_ptr(task: *mut Task) -> TaskRef {
        // SAFETY: the caller's contract.
        TaskRef(unsafe { NonNull::new_unchecked(task) })
    }

    /// Where the payload starts; aligned to 64 bytes.
    #[inline(always)]
    pub fn payload(self) -> *mut u8 {
        // SAFETY: explicit tasks are allocated with their payload behind the header.
        unsafe { self.0.as_ptr().cast::<u8>().add(HEADER_BYTES) }
    }

    /// The last `trace::FACT_BYTES` bytes of the block, behind the payload of a task that was allocated
    /// while tracing was on.
    #[inline(always)]
    pub fn tail(self) -> *mut u8 {
        // SAFETY: within the block, which is longer than that.
        unsafe { self.0.as_ptr().cast::<u8>().add(self.block.bytes() - trace::FACT_BYTES) }
    }

    /// The bytes in front of those, for what a tool knows of the task.
    pub fn tool_tail(self) -> *mut u8 {
        // SAFETY: within the block, as above.
        unsafe { self.tail().sub(tool::FACT_BYTES) }
    }

    /// The task whose payload starts here.
    ///
    /// # Safety
    /// `payload` came from `payload()` of a live task.
    #[inline(always)]
    pub unsafe fn from_payload(payload: *mut u8) -> TaskRef {
        // SAFETY: the caller's contract.
        TaskRef(unsafe { NonNull::new_unchecked(payload.sub(HEADER_BYTES).cast()) })
    }

    /// A record for a task that runs inside its creator, a child of `parent`.
    #[inline(always)]
    pub fn allocate_included(
        thread: &'static Thread,
        parent: TaskRef,
        flags: u32,
        payload_bytes: usize,
    ) -> TaskRef {
        let Some(recorder) = thread.recorder.get() else {
            return TaskRef::allocate_unrecorded(thread, parent, flags, payload_bytes);
        };
        let bytes = with_tail(HEADER_BYTES + payload_bytes) - HEADER_BYTES;
        let task = TaskRef::allocate_unrecorded(thread, parent, flags, bytes);
        trace::created(recorder, task);
        task
    }

    /// The same where nothing is traced.
    #[inline(always)]
    pub fn allocate_unrecorded(
        thread: &'static Thread,
        parent: TaskRef,
        flags: u32,
        payload_bytes: usize,
    ) -> TaskRef {
        let task = thread.slab.allocate(HEADER_BYTES + payload_bytes).cast::<Task>();
        // SAFETY: the block is large enough, initialised by `init_fresh` when it was made, and this
        // thread's alone; free blocks own nothing that would have to be dropped.
        let task = unsafe { TaskRef(NonNull::new_unchecked(task)) };
        task.parent.set(Some(parent));
        task.group.set(parent.group.get());
        task.icvs.set(parent.icvs.get());
        task.own.reset();
        task.set_flags(flags);
        task.depth.set(parent.depth.get() + 1);
        task.team.set(parent.team.get());
        task
    }

    /// A record for a task that may be deferred, with room for `payload_bytes`; without a body until
    /// `entry` is set. The rest is set by `run::count_child` and `deps::init`.
    #[inline(always)]
    pub fn allocate(
        thread: &'static Thread,
        parent: TaskRef,
        flags: u32,
        payload_bytes: usize,
    ) -> TaskRef {
        let task = TaskRef::allocate_included(thread, parent, flags, payload_bytes);
        task.set_entry(0);
        task.priority.set(0);
        task
    }

    /// Gives the record back.
    ///
    /// # Safety
    /// The task is gone and nobody mentions it (invariant 1).
    #[inline(always)]
    pub unsafe fn free(self, thread: &'static Thread) {
        self.come_to_rest(thread);
        // SAFETY: the caller's contract; the block came from a slab.
        unsafe { thread.slab.free(self.0.as_ptr().cast()) };
    }

    /// Puts the record into the state in which free ones are (`init_fresh`).
    #[inline(always)]
    fn come_to_rest(self, thread: &'static Thread) {
        if self.has_extra() {
            self.drop_extra(thread);
        }
        if !self.own.remote_is_at_rest() {
            self.remote.reset();
        }
    }

    #[cold]
    fn drop_extra(self, thread: &'static Thread) {
        self.forget_dependences(thread);
        let extra = self.extra.swap(std::ptr::null_mut(), Ordering::Relaxed);
        // SAFETY: it came from `Box::into_raw`; the task is gone, so nobody else has its event.
        drop(unsafe { Box::from_raw(extra) });
    }

    /// Gives back a record without payload.
    ///
    /// # Safety
    /// As for `free`; and `allocate_included` made it on this thread, with no bytes of payload.
    #[inline(always)]
    pub unsafe fn free_included(self, thread: &'static Thread) {
        self.come_to_rest(thread);
        // SAFETY: the caller's contract: the block is this slab's, of the class of the smallest.
        unsafe { thread.slab.free_smallest(self.0.as_ptr().cast()) };
    }
}

/// The bytes of a record that also has a tail, aligned as its fields need it.
#[cold]
fn with_tail(bytes: usize) -> usize {
    bytes.next_multiple_of(align_of::<usize>()) + tool::FACT_BYTES + trace::FACT_BYTES
}

/// Makes a fresh block a record at rest. At rest, `extra` is empty, `remote` untouched and `helpers` zero; everything
/// else is set when the record is used.
///
/// # Safety
/// `block` is at least a header long, and the caller's alone.
pub unsafe fn init_fresh(block: *mut Header) {
    let task = block.cast::<Task>();
    // SAFETY: the caller's contract; zero is valid for every field that is not written below,
    // references included, since those are options or are set before they are read.
    unsafe {
        let keep = (&raw const (*task).block).read();
        task.cast::<u8>().write_bytes(0, HEADER_BYTES);
        (&raw mut (*task).block).write(keep);
        (&raw mut (*task).remote).write(RemoteCount::default());
    }
}

impl Task {
    /// An implicit task for a member that is set up later.
    pub fn new_implicit(icvs: &'static Icvs) -> Task {
        Task {
            parent: Parent::default(),
            entry: AtomicUsize::new(0),
            group: Private::new(None),
            icvs: Private::new(icvs),
            extra: AtomicPtr::default(),
            executor: AtomicPtr::default(),
            own: OwnCount::default(),
            flags: AtomicU32::new(flag::IMPLICIT),
            block: Block::none(),
            remote: RemoteCount::default(),
            helpers: Helpers::default(),
            team: Private::new(None),
            birth_group: Private::new(None),
            depth: Depth::default(),
            priority: Private::new(0),
            unmet: AtomicU32::new(0),
            holds: AtomicU32::new(0),
            successors: AtomicPtr::default(),
            edges: Default::default(),
            mentions: Private::new(0),
            linked: Private::new(0),
        }
    }

    /// The function that is its body.
    #[inline(always)]
    pub fn entry(&self) -> usize {
        self.entry.load(Ordering::Relaxed)
    }

    /// Creator: the function that is its body.
    #[inline(always)]
    pub fn set_entry(&self, function: usize) {
        self.entry.store(function, Ordering::Relaxed);
    }

    #[inline(always)]
    pub fn is(&self, flag: u32) -> bool {
        self.flags() & flag != 0
    }

    #[inline(always)]
    pub fn flags(&self) -> u32 {
        self.flags.load(Ordering::Relaxed)
    }

    /// Owner: these flags and no others.
    #[inline(always)]
    pub fn set_flags(&self, flags: u32) {
        self.flags.store(flags, Ordering::Relaxed);
    }

    /// Owner: these flags too.
    #[inline(always)]
    pub fn add_flags(&self, flags: u32) {
        self.set_flags(self.flags() | flags);
    }

    /// Owner: without these flags.
    #[inline(always)]
    pub fn drop_flags(&self, flags: u32) {
        self.set_flags(self.flags() & !flags);
    }

    /// Whether an included task has left no trace in its record.
    #[inline(always)]
    pub fn is_as_new(&self) -> bool {
        self.own.created() == 0 && !self.has_extra()
    }

    /// The flags that children get from this task.
    #[inline(always)]
    pub fn inherited_flags(&self) -> u32 {
        flag::inherited(self.flags())
    }

    /// Whether `thread` executes this task (invariant 2).
    #[inline(always)]
    pub fn runs_on(&self, thread: &Thread) -> bool {
        // Relaxed: only `thread` itself stores its own address here.
        std::ptr::eq(self.executor.load(Ordering::Relaxed), thread)
    }

    /// The body starts, or goes on, on `thread`.
    #[inline(always)]
    pub fn start_on(&self, thread: &Thread) {
        self.executor.store(std::ptr::from_ref(thread).cast_mut(), Ordering::Relaxed);
    }

    /// The body is over, or suspended to go on elsewhere.
    pub fn leave(&self) {
        self.executor.store(std::ptr::null_mut(), Ordering::Relaxed);
    }

    /// The thread that sleeps for this task's children, to be woken.
    pub fn executor(&self) -> Option<&'static Thread> {
        // Relaxed: read by whoever ended a countdown, ordered by that word's AcqRel.
        let thread = self.executor.load(Ordering::Relaxed);
        // SAFETY: threads' records are never deallocated.
        unsafe { thread.as_ref() }
    }

    #[inline(always)]
    fn has_extra(&self) -> bool {
        !self.extra.load(Ordering::Relaxed).is_null()
    }

    /// The part that few tasks need, if it was made.
    #[inline(always)]
    pub fn extra_so_far(&self) -> Option<&Extra> {
        // Relaxed: made by the owner, or by the creator, whose hand-over came before.
        // Acquire: pairs with the Release in `make_extra`: who looks for an ancestor reads what its executor may just have made.
        let extra = self.extra.load(Ordering::Acquire);
        // SAFETY: null, or what `make_extra` leaked; it is freed with the task.
        unsafe { extra.as_ref() }
    }

    /// Owner: the same, made on first use.
    #[inline]
    pub fn make_extra(&self) -> &Extra {
        self.extra_so_far().unwrap_or_else(|| {
            let extra = Box::into_raw(Box::<Extra>::default());
            // Release: pairs with the Acquire in `extra_so_far`.
            self.extra.store(extra, Ordering::Release);
            // SAFETY: as in `extra_so_far`.
            unsafe { &*extra }
        })
    }

    /// Owner: its own part of that, made on first use.
    pub fn extra<R>(&self, body: impl FnOnce(&mut OwnExtra) -> R) -> R {
        self.make_extra().own.with(body)
    }

    /// Owner: the same, if it was made.
    #[inline(always)]
    pub fn extra_if_any<R>(&self, body: impl FnOnce(&mut OwnExtra) -> R) -> Option<R> {
        self.extra_so_far().map(|extra| extra.own.with(body))
    }

    /// Owner, in a forked child: what was there is left to the parent.
    pub fn abandon_extra(&self) {
        self.extra.store(std::ptr::null_mut(), Ordering::Relaxed);
    }
}
