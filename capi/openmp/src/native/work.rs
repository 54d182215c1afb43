//! What a task of the C API runs: a function, or a block of a range.
//!
//! A range is one task that splits off the upper half of what it has, again and again, until one grain
//! is left: so threads that steal take large contiguous runs, and nobody creates all tasks alone.
//!
//! The work lies in the task's payload. The runtime calls the payload's fourth word to destroy it, also
//! when the task is discarded; that drops the work, and with it the tickets.
#![allow(unsafe_code)]

use super::handle::Tickets;
use std::ffi::c_void;
use std::sync::Arc;
use vicinity_policy::topology::LocationId;
use vicinity_runtime::locality::dealing;
use vicinity_runtime::task::admit::{self, Clauses, admit};
use vicinity_runtime::task::deps::Dependence;
use vicinity_runtime::task::record::{Routine, TaskRef, flag};
use vicinity_runtime::task::stream::Stream;
use vicinity_runtime::task::{run, wait};
use vicinity_runtime::thread::{self, Thread};
use vicinity_runtime::trace;

/// A task's function.
pub type Function = unsafe extern "C" fn(*mut c_void);
/// A range's function: `function(begin, end, argument)`.
pub type RangeFunction = unsafe extern "C" fn(usize, usize, *mut c_void);

pub enum Work {
    Call { function: Function, argument: *mut c_void, subject: usize, _tickets: Tickets },
    Block { range: Arc<Range>, begin: usize, end: usize },
}

impl Work {
    /// What tells one kind of task from another, and names it.
    fn function(&self) -> usize {
        match self {
            Work::Call { function, subject: 0, .. } => *function as usize,
            Work::Call { subject, .. } => *subject,
            Work::Block { range, .. } if range.subject == 0 => range.function as usize,
            Work::Block { range, .. } => range.subject,
        }
    }
}

/// What the blocks of a range have in common; its tickets are counted out with the last block.
pub struct Range {
    pub function: RangeFunction,
    pub argument: *mut c_void,
    /// Most iterations in a block; at least 1.
    pub grain: usize,
    /// Others depend on the range: a block is finished only with all that it split off.
    pub awaited: bool,
    pub location: Option<LocationId>,
    /// As in the options.
    pub subject: usize,
    pub _tickets: Tickets,
}

// SAFETY: the program's pointer, handed through as it is.
unsafe impl Send for Range {}
// SAFETY: as above; everything else in it is shared by design.
unsafe impl Sync for Range {}

/// A task that is not created yet.
pub struct Spec {
    pub work: Work,
    pub dependences: Vec<Dependence>,
    pub priority: i32,
    /// Where it should run; none: where its data is.
    pub location: Option<LocationId>,
}

#[repr(C)]
struct Payload {
    /// As in `kmp_task_t`, so that the runtime finds `destroy`.
    unused: [usize; 3],
    destroy: Routine,
    work: Work,
}

impl Spec {
    /// Creates the task in a stream.
    pub fn send(self, stream: &'static Stream) {
        let Spec { work, dependences, priority, location } = self;
        let function = work.function();
        stream.submit(&dependences, |thread, root| {
            let task = allocate(thread, root, work, priority);
            place(thread, task, function, location, &dependences);
            trace::depends(thread, task, &dependences);
            task
        });
    }

    /// Creates the task as a child of the calling thread's current one, in a parallel region.
    pub fn launch(self, thread: &'static Thread) {
        if run::discards(thread) {
            return;
        }
        let parent = thread.task();
        let function = self.work.function();
        let task = allocate(thread, parent, self.work, self.priority);
        place(thread, task, function, self.location, &self.dependences);
        trace::depends(thread, task, &self.dependences);
        let clauses = Clauses {
            undeferred: parent.is(flag::FINAL),
            detachable: false,
            priority: self.priority,
            placed: dealing::is_deferred(thread, task.is(flag::PLACED)),
        };
        let dependences = &self.dependences;
        let admission =
            admit(thread, parent, &admit::Spec { clauses, dependences, ..Default::default() });
        admit::carry_out(thread, parent, task, dependences, admission);
    }
}

/// Says where a task should run, if the machine has several locations.
fn place(
    thread: &'static Thread,
    task: TaskRef,
    function: usize,
    location: Option<LocationId>,
    dependences: &[Dependence],
) {
    if let Some(location) = location {
        dealing::send_to(task, location);
    } else if let Some(team) = task.team.get()
        && let Some(placement) = dealing::survey_in(team, thread, function, dependences)
    {
        dealing::attach(task, placement);
    }
}

fn allocate(thread: &'static Thread, parent: TaskRef, work: Work, priority: i32) -> TaskRef {
    let flags = parent.inherited_flags() | flag::DESTRUCTORS;
    let task = TaskRef::allocate(thread, parent, flags, size_of::<Payload>());
    let function = work.function();
    trace::name(thread, task, function);
    // SAFETY: the payload is as large, aligned to 64 bytes, and the creator's alone.
    unsafe { task.payload().cast::<Payload>().write(Payload { unused: [0; 3], destroy, work }) };
    task.set_entry(body as *const () as usize);
    task.priority.set(priority);
    task
}

extern "C" fn body(payload: *mut c_void) {
    // SAFETY: `allocate` put it there; `destroy` is called after this.
    match unsafe { &(*payload.cast::<Payload>()).work } {
        // SAFETY: the program gave the function and its argument for each other.
        Work::Call { function, argument, .. } => unsafe { function(*argument) },
        Work::Block { range, begin, end } => run_block(range, *begin, *end),
    }
}

extern "C" fn destroy(_gtid: i32, payload: *mut c_void) -> i32 {
    // SAFETY: called once, as the last thing that uses the payload.
    unsafe { std::ptr::drop_in_place(&raw mut (*payload.cast::<Payload>()).work) };
    0
}

fn run_block(range: &Arc<Range>, begin: usize, end: usize) {
    let mut end = end;
    while end - begin > range.grain {
        // Whole grains below the middle, at least one.
        let grains = (end - begin).div_ceil(range.grain);
        let middle = begin + grains / 2 * range.grain;
        let work = Work::Block { range: range.clone(), begin: middle, end };
        let location = range.location;
        Spec { work, dependences: Vec::new(), priority: 0, location }.launch(thread::current());
        end = middle;
    }
    if begin < end {
        // SAFETY: the program gave the function and its argument for each other.
        unsafe { (range.function)(begin, end, range.argument) };
    }
    if range.awaited {
        wait::taskwait();
    }
}
