//! The task functions of `vicinity.h`.
#![allow(unsafe_code)]

use super::batch;
use super::handle::{Handle, Tickets};
use super::options::{Options, RawOptions};
use super::status::{Outcome, Status, code};
use super::work::{Function, Range, RangeFunction, Spec, Work};
use std::ffi::{c_int, c_void};
use std::sync::Arc;
use vicinity_runtime::task::wait;
use vicinity_runtime::{global, icv};

/// A handle for the program, if it wants one.
fn new_handle(wanted: *mut *const Handle) -> Option<Arc<Handle>> {
    (!wanted.is_null()).then(Arc::default)
}

/// # Safety
/// `place` is a place for a pointer if there is a handle.
unsafe fn hand_over(handle: Option<Arc<Handle>>, place: *mut *const Handle) {
    if let Some(handle) = handle {
        // SAFETY: the caller's promise.
        unsafe { place.write(handle.give()) };
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_task_create(
    function: Option<Function>,
    argument: *mut c_void,
    options: *const RawOptions,
    task: *mut *const Handle,
) -> c_int {
    let create = || {
        let function = function.ok_or(Status::Argument)?;
        // SAFETY: the program passes valid options, or none.
        let Options { dependences, group, priority, location, target, subject } =
            unsafe { Options::read(options) }?;
        let handle = new_handle(task);
        let (stream, all) = target.map(|it| (it.stream, it.tasks)).unzip();
        let _tickets = Tickets::new(handle.clone(), group, all);
        let work = Work::Call { function, argument, subject, _tickets };
        // SAFETY: the program passes a place for the handle, or none. It is there before the task runs.
        unsafe { hand_over(handle, task) };
        batch::submit(Spec { work, dependences, priority, location }, stream);
        Ok(())
    };
    code(create())
}

/// Blocks for each thread, where the program does not say how large a block is.
const BLOCKS_PER_THREAD: usize = 8;

fn default_grain(count: usize) -> usize {
    let threads = icv::current().num_threads.min(global::processors().max(1)) as usize;
    count.div_ceil(threads.max(1) * BLOCKS_PER_THREAD).max(1)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_task_range(
    function: Option<RangeFunction>,
    argument: *mut c_void,
    count: usize,
    grain: usize,
    options: *const RawOptions,
    task: *mut *const Handle,
) -> c_int {
    let create = || {
        let function = function.ok_or(Status::Argument)?;
        // SAFETY: the program passes valid options, or none.
        let Options { dependences, group, priority, location, target, subject } =
            unsafe { Options::read(options) }?;
        let handle = new_handle(task);
        let (stream, all) = target.map(|it| (it.stream, it.tasks)).unzip();
        let _tickets = Tickets::new(handle.clone(), group, all);
        let grain = if grain == 0 { default_grain(count) } else { grain };
        let awaited = !dependences.is_empty();
        let range =
            Arc::new(Range { function, argument, grain, awaited, location, subject, _tickets });
        // SAFETY: as in `vicinity_task_create`.
        unsafe { hand_over(handle, task) };
        // An empty range without dependences is finished; with them it keeps others in order.
        if count > 0 || awaited {
            let work = Work::Block { range, begin: 0, end: count };
            batch::submit(Spec { work, dependences, priority, location }, stream);
        }
        Ok(())
    };
    code(create())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_wait(task: *const Handle) -> c_int {
    // SAFETY: the program passes a handle for the last time, or null.
    code(unsafe { Handle::take(task) }.map(|handle| handle.wait()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_release(task: *const Handle) -> c_int {
    // SAFETY: the program passes a handle for the last time, or null.
    code(unsafe { Handle::take(task) }.map(drop))
}

/// 1 or 0; a negative code for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_is_finished(task: *const Handle) -> c_int {
    // SAFETY: the program passes a live handle, or null.
    match unsafe { Handle::borrow(task) } {
        Ok(handle) => handle.is_finished().into(),
        Err(status) => status as c_int,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_wait_all() -> c_int {
    batch::run();
    wait::taskwait();
    code(Ok(()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_run(
    function: Option<Function>,
    argument: *mut c_void,
    threads: c_int,
) -> c_int {
    let run = || -> Outcome {
        let function = function.ok_or(Status::Argument)?;
        let threads = u32::try_from(threads).map_err(|_| Status::Argument)?;
        batch::run();
        // SAFETY: the program gave the function and its argument for each other.
        batch::with_team(threads, || unsafe { function(argument) });
        Ok(())
    };
    code(run())
}
