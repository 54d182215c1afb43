//! The interface for tools as C sees it: its types and numbers.
//!
//! Source: OpenMP 5.2, chapter 19 (OMPT), sections 19.4 and 19.5.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ffi::{c_char, c_int};

/// `ompt_data_t`: eight bytes that a tool may write, and reads back wherever it meets the same thing again.
#[repr(transparent)]
#[derive(Default)]
pub struct Data(UnsafeCell<u64>);

// SAFETY: the runtime clears it while nobody else knows of it, and passes its address on; what tools do with it is theirs.
unsafe impl Sync for Data {}

impl Data {
    pub const fn new() -> Data {
        Data(UnsafeCell::new(0))
    }

    /// What the tool has written.
    pub fn value(&self) -> u64 {
        // SAFETY: the tool writes it on the thread that creates the task, before any other thread knows the task.
        unsafe { *self.0.get() }
    }

    pub fn of(value: u64) -> Data {
        Data(UnsafeCell::new(value))
    }

    pub fn address(&self) -> *mut Data {
        self.0.get().cast()
    }

    /// Before anybody knows of what it belongs to.
    pub fn clear(&self) {
        // SAFETY: no tool has the address yet, or none that still may use it.
        unsafe { self.0.get().write(0) };
    }
}

/// `ompt_frame_t`: where on the stack a task went into the runtime, and where the runtime called it.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Frames {
    pub exit: usize,
    pub enter: usize,
    pub exit_flags: c_int,
    pub enter_flags: c_int,
}

/// `ompt_frame_runtime` with `ompt_frame_stackaddress`: some address within a frame of the runtime.
pub const RUNTIME_FRAME: c_int = 0x30;

/// Numbers of events (`ompt_callbacks_t`).
pub mod event {
    pub const THREAD_BEGIN: usize = 1;
    pub const THREAD_END: usize = 2;
    pub const PARALLEL_BEGIN: usize = 3;
    pub const PARALLEL_END: usize = 4;
    pub const TASK_CREATE: usize = 5;
    pub const TASK_SCHEDULE: usize = 6;
    pub const IMPLICIT_TASK: usize = 7;
    pub const CONTROL_TOOL: usize = 11;
    pub const SYNC_REGION_WAIT: usize = 16;
    pub const MUTEX_RELEASED: usize = 17;
    pub const DEPENDENCES: usize = 18;
    pub const TASK_DEPENDENCE: usize = 19;
    pub const WORK: usize = 20;
    pub const MASKED: usize = 21;
    pub const SYNC_REGION: usize = 23;
    pub const LOCK_INIT: usize = 24;
    pub const LOCK_DESTROY: usize = 25;
    pub const MUTEX_ACQUIRE: usize = 26;
    pub const MUTEX_ACQUIRED: usize = 27;
    pub const NEST_LOCK: usize = 28;
    pub const FLUSH: usize = 29;
    pub const CANCEL: usize = 30;
    pub const REDUCTION: usize = 31;
    pub const DISPATCH: usize = 32;
    pub const ERROR: usize = 37;
    /// The last one that there is.
    pub const LAST: usize = 38;

    /// Those that happen here, each time.
    pub const OFFERED: &[usize] = &[
        THREAD_BEGIN,
        THREAD_END,
        PARALLEL_BEGIN,
        PARALLEL_END,
        TASK_CREATE,
        TASK_SCHEDULE,
        IMPLICIT_TASK,
        CONTROL_TOOL,
        SYNC_REGION_WAIT,
        MUTEX_RELEASED,
        DEPENDENCES,
        SYNC_REGION,
        LOCK_INIT,
        LOCK_DESTROY,
        MUTEX_ACQUIRE,
        MUTEX_ACQUIRED,
        NEST_LOCK,
        CANCEL,
        ERROR,
    ];
    /// Those that happen, but are not told where the compiler divides loops or writes an instruction by itself, or where a
    /// thread waits for the predecessor of a task that it runs itself.
    pub const SOMETIMES: &[usize] = &[TASK_DEPENDENCE, WORK, MASKED, FLUSH, REDUCTION, DISPATCH];
}

/// `ompt_set_result_t`.
pub mod set_result {
    use std::ffi::c_int;

    pub const ERROR: c_int = 0;
    pub const NEVER: c_int = 1;
    pub const SOMETIMES: c_int = 3;
    pub const ALWAYS: c_int = 5;
}

/// `ompt_scope_endpoint_t`.
pub mod scope {
    use std::ffi::c_int;

    pub const BEGIN: c_int = 1;
    pub const END: c_int = 2;
}

/// `ompt_thread_t`.
pub mod thread_type {
    use std::ffi::c_int;

    pub const INITIAL: c_int = 1;
    pub const WORKER: c_int = 2;
}

/// `ompt_task_flag_t`.
pub mod task {
    pub const INITIAL: u32 = 1;
    pub const IMPLICIT: u32 = 2;
    pub const EXPLICIT: u32 = 4;
    pub const TASKWAIT: u32 = 0x10;
    pub const UNDEFERRED: u32 = 0x0800_0000;
    pub const UNTIED: u32 = 0x1000_0000;
    pub const FINAL: u32 = 0x2000_0000;
    pub const MERGEABLE: u32 = 0x4000_0000;
}

/// `ompt_task_status_t`.
pub mod status {
    use std::ffi::c_int;

    pub const COMPLETE: c_int = 1;
    pub const YIELD: c_int = 2;
    pub const CANCEL: c_int = 3;
    pub const DETACH: c_int = 4;
    pub const EARLY_FULFILL: c_int = 5;
    pub const LATE_FULFILL: c_int = 6;
    pub const SWITCH: c_int = 7;
    pub const TASKWAIT_COMPLETE: c_int = 8;
}

/// `ompt_parallel_flag_t`: the runtime calls the region's body; it is a team's.
pub const PARALLEL_FLAGS: c_int = (0x8000_0000u32 | 2) as c_int;

/// The same of a league.
pub const LEAGUE_FLAGS: c_int = 0x4000_0000 | 2;

/// `ompt_sync_region_t`.
pub mod sync {
    use std::ffi::c_int;

    pub const BARRIER_EXPLICIT: c_int = 3;
    pub const TASKWAIT: c_int = 5;
    pub const TASKGROUP: c_int = 6;
    pub const REDUCTION: c_int = 7;
    pub const BARRIER_WORKSHARE: c_int = 8;
    pub const BARRIER_PARALLEL: c_int = 9;
}

/// `ompt_mutex_t`.
pub mod mutex {
    use std::ffi::c_int;

    pub const LOCK: c_int = 1;
    pub const TEST_LOCK: c_int = 2;
    pub const NEST_LOCK: c_int = 3;
    pub const TEST_NEST_LOCK: c_int = 4;
    pub const CRITICAL: c_int = 5;
    pub const ATOMIC: c_int = 6;
    pub const ORDERED: c_int = 7;
}

/// `ompt_work_t`.
pub mod work {
    use std::ffi::c_int;

    pub const SECTIONS: c_int = 2;
    pub const SINGLE_EXECUTOR: c_int = 3;
    pub const SINGLE_OTHER: c_int = 4;
    pub const DISTRIBUTE: c_int = 6;
    pub const TASKLOOP: c_int = 7;
    pub const SCOPE: c_int = 8;
    pub const LOOP_STATIC: c_int = 10;
    pub const LOOP_DYNAMIC: c_int = 11;
    pub const LOOP_GUIDED: c_int = 12;
}

/// `ompt_state_t`.
pub mod state {
    use std::ffi::c_int;

    pub const WORK_SERIAL: c_int = 0;
    pub const WORK_PARALLEL: c_int = 1;
    pub const WAIT_BARRIER_PARALLEL: c_int = 0x11;
    pub const WAIT_BARRIER_WORKSHARE: c_int = 0x12;
    pub const WAIT_BARRIER_EXPLICIT: c_int = 0x14;
    pub const WAIT_TASKWAIT: c_int = 0x20;
    pub const WAIT_TASKGROUP: c_int = 0x21;
    pub const WAIT_MUTEX: c_int = 0x40;
    pub const UNDEFINED: c_int = 0x102;

    pub const NAMES: &[(c_int, &std::ffi::CStr)] = &[
        (WORK_SERIAL, c"ompt_state_work_serial"),
        (WORK_PARALLEL, c"ompt_state_work_parallel"),
        (WAIT_BARRIER_PARALLEL, c"ompt_state_wait_barrier_implicit_parallel"),
        (WAIT_BARRIER_WORKSHARE, c"ompt_state_wait_barrier_implicit_workshare"),
        (WAIT_BARRIER_EXPLICIT, c"ompt_state_wait_barrier_explicit"),
        (WAIT_TASKWAIT, c"ompt_state_wait_taskwait"),
        (WAIT_TASKGROUP, c"ompt_state_wait_taskgroup"),
        (WAIT_MUTEX, c"ompt_state_wait_mutex"),
        (UNDEFINED, c"ompt_state_undefined"),
    ];
}

/// `ompt_cancel_flag_t`.
pub mod cancel {
    use std::ffi::c_int;

    pub const PARALLEL: c_int = 1;
    pub const SECTIONS: c_int = 2;
    pub const LOOP: c_int = 4;
    pub const TASKGROUP: c_int = 8;
    pub const ACTIVATED: c_int = 0x10;
    pub const DETECTED: c_int = 0x20;
    pub const DISCARDED: c_int = 0x40;
}

/// `ompt_dispatch_t`.
pub mod dispatch {
    use std::ffi::c_int;

    pub const SECTION: c_int = 2;
    pub const LOOP_CHUNK: c_int = 3;
    pub const DISTRIBUTE_CHUNK: c_int = 5;
    pub const TASKLOOP_CHUNK: c_int = 4;
}

/// `ompt_dispatch_chunk_t`.
#[repr(C)]
pub struct Chunk {
    pub first: u64,
    pub count: u64,
}

/// `ompt_dependence_t`.
#[repr(C)]
pub struct Dependence {
    pub variable: u64,
    pub kind: c_int,
}

/// `ompt_dependence_type_t`.
pub mod dependence {
    use std::ffi::c_int;

    pub const IN: c_int = 1;
    pub const INOUT: c_int = 3;
    pub const MUTEXINOUTSET: c_int = 4;
    pub const SOURCE: c_int = 5;
    pub const SINK: c_int = 6;
    pub const INOUTSET: c_int = 7;
    pub const OUT_ALL_MEMORY: c_int = 34;
}

/// `ompt_interface_fn_t`.
pub type Interface = unsafe extern "C" fn();
/// `ompt_function_lookup_t`.
pub type Lookup = unsafe extern "C" fn(*const c_char) -> Option<Interface>;

/// `ompt_start_tool_result_t`.
#[repr(C)]
pub struct StartResult {
    pub initialize: Option<unsafe extern "C" fn(Lookup, c_int, *mut Data) -> c_int>,
    pub finalize: Option<unsafe extern "C" fn(*mut Data)>,
    pub tool_data: Data,
}

/// `ompt_start_tool`.
pub type StartTool = unsafe extern "C" fn(u32, *const c_char) -> *mut StartResult;
