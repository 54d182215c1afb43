//! libgomp's task entry points.
//!
//! Source: the calls gcc 12 makes for OpenMP 5.2 chapter 12; flag values as its `gomp-constants.h` has them.
#![allow(unsafe_code)]

use super::depend;
use crate::handle::{Flag, Pointer};
use libc::{c_int, c_long, c_uint, c_void};
use vicinity_runtime::global;
use vicinity_runtime::locality::dealing::{self, Placement};
use vicinity_runtime::task::admit::{self, Admission, Clauses, Spec, admit};
use vicinity_runtime::task::deps::{self, Dependence};
use vicinity_runtime::task::record::{Body, TaskRef, flag};
use vicinity_runtime::task::series::Series;
use vicinity_runtime::task::{detach, grain, run, wait};
use vicinity_runtime::thread::{self, Thread};
use vicinity_runtime::trace;

/// Bits of `flags`.
pub mod bits {
    pub const UNTIED: u32 = 1;
    pub const FINAL: u32 = 1 << 1;
    pub const MERGEABLE: u32 = 1 << 2;
    pub const DEPEND: u32 = 1 << 3;
    pub const PRIORITY: u32 = 1 << 4;
    pub const DETACH: u32 = 1 << 13;
    /// What changes nothing here.
    pub const FREE: u32 = UNTIED | MERGEABLE;
}

/// Copies the captured variables into a task's own block: (to, from).
pub type Copy = unsafe extern "C" fn(*mut c_void, *mut c_void);

/// What a task construct captured.
#[derive(Clone, Copy)]
pub struct Captured {
    pub body: Body,
    pub data: *mut c_void,
    pub copy: Option<self::Copy>,
    pub size: usize,
    pub align: usize,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_task(
    body: Body,
    data: *mut c_void,
    copy: Option<self::Copy>,
    size: c_long,
    align: c_long,
    if_clause: Flag,
    flags: c_uint,
    depend: *const Pointer,
    priority: c_int,
    event: *mut Pointer,
) {
    // Out of line, with no more arguments than registers can pass, and each where it is: so neither path saves what the other
    // needs.
    let more = copy.map_or(0, |copy| copy as usize) | (flags & !bits::FREE) as usize;
    if more == 0 {
        // SAFETY: the caller's arguments, passed on.
        return unsafe { run_or_create(body, data, copy, size, align, if_clause) };
    }
    // SAFETY: as above.
    unsafe {
        create_any(body, data, copy, size, align, if_clause, flags, depend, priority, event);
    }
}

/// A task without dependences and the like. The common case first: its tests are a good part of what a small task costs.
///
/// # Safety
/// The compiler made `body` for `data`, which is as long and aligned as it says.
#[inline(never)]
unsafe extern "C" fn run_or_create(
    body: Body,
    data: *mut c_void,
    copy: Option<self::Copy>,
    size: c_long,
    align: c_long,
    if_clause: Flag,
) {
    if !global::cancellation()
        && let Some(thread) = thread::at_hand()
    {
        let parent = thread.task();
        let parent_flags = parent.flags();
        let undeferred = !if_clause.is_set() || parent_flags & flag::FINAL != 0;
        if undeferred || admit::surely_runs_now(thread, parent) {
            // SAFETY: the caller's contract; the body runs before the creator goes on.
            let body_of_data = move || unsafe { body(data) };
            return run::include(
                thread,
                body as usize,
                flag::inherited(parent_flags),
                body_of_data,
            );
        }
    }
    // SAFETY: the caller's contract.
    unsafe { create_plain(body, data, copy, size, align, if_clause) };
}

/// The same where it does not run at once, or more is to be asked.
///
/// # Safety
/// As above.
#[inline(never)]
unsafe extern "C" fn create_plain(
    body: Body,
    data: *mut c_void,
    copy: Option<self::Copy>,
    size: c_long,
    align: c_long,
    if_clause: Flag,
) {
    let captured = Captured { body, data, copy, size: size as usize, align: align as usize };
    let (if_clause, event) = (if_clause.is_set(), std::ptr::null_mut());
    if !run::discards(thread::current()) {
        Request { captured, if_clause, flags: 0, priority: 0, event }.create(&[]);
    }
}

/// Any task.
#[inline(never)]
unsafe extern "C" fn create_any(
    body: Body,
    data: *mut c_void,
    copy: Option<self::Copy>,
    size: c_long,
    align: c_long,
    if_clause: Flag,
    flags: c_uint,
    depend: *const Pointer,
    priority: c_int,
    event: *mut Pointer,
) {
    let thread = thread::current();
    let if_clause = if_clause.is_set();
    let only_depends = copy.is_none() && flags & !bits::FREE == bits::DEPEND;
    // SAFETY: the compiler made the body for this data.
    if only_depends && unsafe { include_unread(thread, body, data, if_clause) } {
        return;
    }
    let captured = Captured { body, data, copy, size: size as usize, align: align as usize };
    let request = Request { captured, if_clause, flags, priority, event };
    // One with an event is created all the same: the program has to get the handle.
    if flags & bits::DETACH == 0 && run::discards(thread) {
        return;
    }
    if flags & bits::DEPEND == 0 {
        return request.create(&[]);
    }
    // SAFETY: the flag says that `depend` is the compiler's array.
    unsafe { request.create_dependent(depend) };
}

/// Runs a task without reading its dependences, if nothing needs to know them. True if it did.
///
/// # Safety
/// `data` is what the compiler made `body` for.
#[inline(never)]
unsafe fn include_unread(
    thread: &'static Thread,
    body: Body,
    data: *mut c_void,
    if_clause: bool,
) -> bool {
    let parent = thread.task();
    let undeferred = !if_clause || parent.is(flag::FINAL);
    let clauses = Clauses { undeferred, ..Clauses::default() };
    let runs_now = deps::may_be_skipped(thread)
        && admit::admit_unread(thread, clauses, body as usize) != Admission::Deferred
        && !run::discards(thread);
    if runs_now {
        let flags = parent.inherited_flags();
        grain::run_inline(thread, body as usize, || {
            // SAFETY: the caller's contract.
            run::include(thread, body as usize, flags, || unsafe { body(data) });
        });
    }
    runs_now
}

struct Request {
    captured: Captured,
    if_clause: bool,
    flags: u32,
    priority: i32,
    event: *mut Pointer,
}

impl Request {
    /// Creates the task out of line, since the list takes room on the stack.
    ///
    /// # Safety
    /// `depend` is the compiler's array.
    #[inline(never)]
    unsafe fn create_dependent(&self, depend: *const Pointer) {
        let mut dependences = depend::Items::new();
        // SAFETY: the caller's contract.
        unsafe { depend::read(depend, &mut dependences) };
        self.create(&dependences);
    }

    #[inline(never)]
    fn create(&self, dependences: &[Dependence]) {
        let thread = thread::current();
        let parent = thread.task();
        let placement = dealing::survey(thread, self.captured.body as usize, dependences);
        let clauses = self.clauses(parent, dealing::is_deferred(thread, placement.is_some()));
        let admission = admit(thread, parent, &self.spec(clauses, dependences));
        let needs_record = clauses.detachable || self.captured.copy.is_some();
        if admission != Admission::Deferred && !needs_record {
            return self.include(dependences, placement);
        }
        let detachable = if clauses.detachable { flag::DETACHABLE } else { 0 };
        let task = self.captured.allocate(thread, parent, self.record_flags(parent) | detachable);
        trace::depends(thread, task, dependences);
        task.priority.set(clauses.priority);
        if clauses.detachable {
            self.give_event(detach::allow_completion(task));
        }
        placement.into_iter().for_each(|placement| dealing::attach(task, placement));
        self.captured.store(thread, task);
        admit::carry_out(thread, parent, task, dependences, admission);
    }

    fn spec<'a>(&self, clauses: Clauses, dependences: &'a [Dependence]) -> Spec<'a> {
        Spec { clauses, dependences, function: self.captured.body as usize, share: None }
    }

    fn clauses(&self, parent: TaskRef, placed: bool) -> Clauses {
        let asked = if self.flags & bits::PRIORITY != 0 { self.priority } else { 0 };
        Clauses {
            undeferred: !self.if_clause || parent.is(flag::FINAL),
            detachable: self.flags & bits::DETACH != 0,
            priority: admit::priority(asked),
            placed,
        }
    }

    fn record_flags(&self, parent: TaskRef) -> u32 {
        let is_final = if self.flags & bits::FINAL != 0 { flag::FINAL } else { 0 };
        parent.inherited_flags() | is_final
    }

    /// Runs the task on the captured block itself, after its predecessors.
    fn include(&self, dependences: &[Dependence], mut placement: Option<Box<Placement>>) {
        wait::take_turn(dependences, |thread| {
            placement.iter_mut().for_each(|placement| dealing::observe(thread, placement));
            trace::next_depends(thread, dependences);
            let Captured { body, data, .. } = self.captured;
            let flags = self.record_flags(thread.task());
            grain::run_inline(thread, body as usize, || {
                // SAFETY: the compiler made the body for this data; it runs before the creator goes on.
                run::include(thread, body as usize, flags, || unsafe { body(data) });
            });
        });
    }

    /// The compiler expects the handle in the variable and at the start of the captured block.
    fn give_event(&self, handle: usize) {
        // SAFETY: with the detach flag both are places for one pointer.
        unsafe {
            self.event.cast::<usize>().write(handle);
            if !self.captured.data.is_null() {
                self.captured.data.cast::<usize>().write(handle);
            }
        }
    }
}

impl Captured {
    /// A record with this body and room for the block; its header is aligned to 64.
    pub fn allocate(&self, thread: &'static Thread, parent: TaskRef, flags: u32) -> TaskRef {
        let bytes = self.size + if self.align > 64 { self.align } else { 0 };
        let task = TaskRef::allocate(thread, parent, flags, bytes);
        task.set_entry(self.body as usize);
        task
    }

    /// Runs the body as an included task on a copy of the block, after `complete` has seen it.
    pub fn on_copy(&self, series: &mut Series, complete: impl FnOnce(*mut c_void)) {
        let mut block = vec![0u8; self.size + self.align];
        let to = align_up(block.as_mut_ptr(), self.align).cast();
        series.run(|| {
            // SAFETY: the block has the size and alignment that the compiler named.
            unsafe {
                self.copy_to(to);
                complete(to);
                (self.body)(to);
            }
        });
    }

    /// Runs `body` with a copy of the captured block, which copies by bytes, in place of it.
    pub fn with_own_block(&self, body: impl FnOnce(&Captured)) {
        let mut block = vec![0u8; self.size + self.align];
        let data = align_up(block.as_mut_ptr(), self.align.max(1)).cast();
        // SAFETY: the block has the size and alignment that the compiler named.
        unsafe { self.copy_to(data) };
        body(&Captured { data, ..*self });
    }

    /// # Safety
    /// `to` has the captured block's size and alignment.
    unsafe fn copy_to(&self, to: *mut c_void) {
        // SAFETY: the caller's contract, and the compiler's function; the blocks do not overlap.
        unsafe {
            match self.copy {
                Some(copy) => copy(to, self.data),
                None => std::ptr::copy_nonoverlapping(self.data.cast::<u8>(), to.cast(), self.size),
            }
        }
    }

    /// Puts body and captured variables into a deferred task, and returns their address. Copy
    /// constructors run as the new task.
    pub fn store(&self, thread: &'static Thread, task: TaskRef) -> *mut c_void {
        let to = align_up(task.payload(), self.align.max(1));
        if self.align > 64 {
            task.add_flags(flag::OVERALIGNED);
            task.extra(|extra| extra.data = to as usize);
        }
        let parent = thread.task();
        if self.copy.is_some() {
            task.add_flags(flag::COPIED | flag::EARLY);
            run::enter(thread, task);
        }
        // SAFETY: the block has the size and alignment that the compiler named.
        unsafe { self.copy_to(to.cast()) };
        if self.copy.is_some() {
            thread.set_task(parent);
            // Tasks that the constructors made count in the shared word until a thread executes this one.
            task.leave();
            if task.own.created() == 0 {
                task.drop_flags(flag::EARLY);
            }
        }
        to.cast()
    }
}

fn align_up(address: *mut u8, align: usize) -> *mut u8 {
    address.map_addr(|address| (address + align - 1) & !(align - 1))
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_taskwait() {
    wait::taskwait();
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_taskwait_depend(depend: *const *mut c_void) {
    // SAFETY: the compiler's array.
    let dependences = unsafe { depend::list(depend) };
    wait::wait_for_dependences(&dependences);
}

/// Does not wait itself: what follows, and depends on the same, does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_taskwait_depend_nowait(depend: *const Pointer) {
    let thread = thread::current();
    // SAFETY: the compiler's array.
    let dependences = unsafe { depend::list(depend) };
    let empty = TaskRef::allocate(thread, thread.task(), 0, 0);
    trace::depends(thread, empty, &dependences);
    admit::defer(thread, thread.task(), empty, &dependences);
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_taskyield() {
    wait::taskyield();
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_taskgroup_start() {
    wait::begin_group();
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_taskgroup_end() {
    wait::end_group();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
    use vicinity_runtime::team::region::{Request, parallel};

    static COPIED_FOR: AtomicPtr<vicinity_runtime::task::record::Task> =
        AtomicPtr::new(std::ptr::null_mut());
    static RAN: AtomicU32 = AtomicU32::new(0);

    /// A copy constructor runs as the new task, which has not begun after it: whoever ends a task that the constructor
    /// created counts it in the word that all threads share.
    #[test]
    fn a_task_is_nobodys_between_its_copy_and_its_start() {
        extern "C" fn copy(_to: *mut c_void, _from: *mut c_void) {
            // Relaxed: read by the same thread.
            COPIED_FOR.store(thread::current().task().as_ptr(), Ordering::Relaxed);
        }
        extern "C" fn run(_data: *mut c_void) {
            RAN.fetch_add(1, Ordering::Relaxed);
        }
        extern "C" fn region(_data: *mut c_void) {
            let thread = thread::current();
            if thread.member().num > 0 {
                return;
            }
            let (parent, mut variable) = (thread.task(), 0u64);
            let data = (&raw mut variable).cast();
            let captured = Captured { body: run, data, copy: Some(copy), size: 8, align: 8 };
            let task = captured.allocate(thread, parent, 0);
            captured.store(thread, task);
            assert_eq!(COPIED_FOR.load(Ordering::Relaxed), task.as_ptr());
            assert!(thread.task() == parent && !task.runs_on(thread));
            run::defer(thread, task, parent);
        }
        parallel(region, std::ptr::null_mut(), Request { num_threads: 2, proc_bind: None });
        assert_eq!(RAN.load(Ordering::Relaxed), 1);
    }
}
