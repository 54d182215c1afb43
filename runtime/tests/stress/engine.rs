//! OpenMP's constructs as functions over closures: what the C boundary does for compilers, done for the
//! stress test, which sits on the runtime's own interface.
//!
//! Terms: a task's *body* is a closure that moves into the task's payload; running it consumes it, so a
//! body that is dropped with its task shows up as a `Note` left over.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::sync::Once;
use vicinity_policy::topology::LocationId;
use vicinity_runtime::locality::dealing;
use vicinity_runtime::task::admit::{self, Spec, admit};
use vicinity_runtime::task::deps::Dependence;
use vicinity_runtime::task::detach;
use vicinity_runtime::task::record::{TaskRef, flag};
use vicinity_runtime::task::stream::Stream;
use vicinity_runtime::team::region::Request;
use vicinity_runtime::thread::Thread;
use vicinity_runtime::{global, team, thread};

pub const MAX_PRIORITY: i32 = 3;
const MAX_LEVELS: &str = "4";

pub type Body = Box<dyn FnOnce() + Send>;

/// The clauses of a task construct.
pub struct Clauses {
    /// `if(0)`: the creator runs it before it goes on.
    pub undeferred: bool,
    /// Deferred even where the runtime would rather run it at once.
    pub forced: bool,
    pub is_final: bool,
    pub priority: i32,
    /// Where it should run, on a machine with several locations.
    pub location: Option<LocationId>,
    pub dependences: Vec<Dependence>,
}

/// Settles the environment before the runtime reads it, which it does once.
pub fn start() {
    start_with(&[]);
}

/// The same, with more variables.
pub fn start_with(more: &[(&str, &str)]) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: all tests of this process call this first, and none touches the environment before.
        unsafe {
            std::env::set_var("OMP_MAX_TASK_PRIORITY", MAX_PRIORITY.to_string());
            std::env::set_var("OMP_MAX_ACTIVE_LEVELS", MAX_LEVELS);
            std::env::set_var("OMP_DYNAMIC", "false");
            more.iter().for_each(|(name, value)| std::env::set_var(name, value));
        }
        global::start();
    });
}

/// Runs `body(thread_num)` on a team of at most `size` threads.
pub fn parallel(size: u32, body: &(dyn Fn(u32) + Sync)) {
    extern "C" fn enter(data: *mut c_void) {
        // SAFETY: the address of a live reference, below.
        let body = unsafe { *data.cast::<&(dyn Fn(u32) + Sync)>() };
        body(thread::current().member().num);
    }
    let data = (&raw const body).cast_mut().cast();
    team::parallel(enter, data, Request { num_threads: size, proc_bind: None });
}

/// The task construct.
pub fn task(clauses: &Clauses, body: Body) {
    create(clauses, false, |_| body);
}

/// The task construct with a detach clause: `body` gets the event's handle.
pub fn detached_task(clauses: &Clauses, body: impl FnOnce(usize) + Send + 'static) {
    create(clauses, true, |task| {
        let event = detach::allow_completion(task);
        Box::new(move || body(event))
    });
}

fn create(clauses: &Clauses, detachable: bool, body: impl FnOnce(TaskRef) -> Body) {
    let thread = thread::current();
    let parent = thread.task();
    let wishes = admit::Clauses {
        undeferred: clauses.undeferred || parent.is(flag::FINAL),
        detachable,
        priority: clauses.priority,
        placed: clauses.forced,
    };
    let dependences = &clauses.dependences;
    let function = run as *const () as usize;
    let spec = Spec { clauses: wishes, dependences, function, share: None };
    let admission = admit(thread, parent, &spec);
    let detachable = if detachable { flag::DETACHABLE } else { 0 };
    let is_final = if clauses.is_final { flag::FINAL } else { 0 };
    let flags = parent.inherited_flags() | is_final | detachable;
    let task = allocate(thread, parent, clauses, flags, body);
    admit::carry_out(thread, parent, task, dependences, admission);
}

/// Fulfills the event with this handle; once for each event.
pub fn fulfill(event: usize) {
    // SAFETY: the handle comes from `detached_task`, and its task waits for this call.
    unsafe { detach::fulfill(event) };
}

/// A task in a stream.
pub fn task_in(stream: &'static Stream, clauses: &Clauses, body: Body) {
    stream.submit(&clauses.dependences, |thread, root| {
        allocate(thread, root, clauses, root.inherited_flags(), |_| body)
    });
}

/// The function of all tasks, long and short ones: what is known of one says little of the next.
unsafe extern "C" fn run(payload: *mut c_void) {
    // SAFETY: the payload holds the body that `allocate` put there, and tasks run once.
    let body = unsafe { payload.cast::<Body>().read() };
    body();
}

fn allocate(
    thread: &'static Thread,
    parent: TaskRef,
    clauses: &Clauses,
    flags: u32,
    body: impl FnOnce(TaskRef) -> Body,
) -> TaskRef {
    let task = TaskRef::allocate(thread, parent, flags, size_of::<Body>());
    task.set_entry(run as *const () as usize);
    task.priority.set(clauses.priority);
    if let Some(location) = clauses.location {
        dealing::send_to(task, location);
    }
    let body = body(task);
    // SAFETY: the payload has room for a body, and nobody else knows the task yet.
    unsafe { task.payload().cast::<Body>().write(body) };
    task
}

/// A plain variable of the tested program: only what the runtime promises keeps its accesses apart.
#[derive(Default)]
pub struct Plain(UnsafeCell<u64>);

// SAFETY: dependences, waits and barriers order all accesses; that they do is what the test checks
// (ThreadSanitizer reports a pair that they leave unordered).
unsafe impl Sync for Plain {}

impl Plain {
    pub fn get(&self) -> u64 {
        // SAFETY: as for `Sync`. Volatile: read anew each time.
        unsafe { self.0.get().read_volatile() }
    }

    pub fn set(&self, value: u64) {
        // SAFETY: as for `Sync`.
        unsafe { self.0.get().write_volatile(value) };
    }
}
