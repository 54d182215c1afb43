//! Tasks created outside every parallel region: kept until their thread waits, then run by a team.
//!
//! A team needs a master that takes part in it, and outside of regions the program's thread is busy
//! elsewhere. So its tasks are gathered, and the first wait opens one region for all of them.
#![allow(unsafe_code)]

use super::work::Spec;
use std::cell::RefCell;
use std::ffi::c_void;
use vicinity_runtime::task::stream::Stream;
use vicinity_runtime::team::region::{self, Request};
use vicinity_runtime::thread;
use vicinity_runtime::{device, task::record::Body};

thread_local! {
    static BATCH: RefCell<Vec<Spec>> = const { RefCell::new(Vec::new()) };
}

pub fn is_outside() -> bool {
    thread::current().member().team().nest().level == 0
}

/// Creates the task, in its stream if it has one; keeps it for later if the caller is outside of regions.
pub fn submit(spec: Spec, stream: Option<&'static Stream>) {
    if let Some(stream) = stream {
        spec.send(stream);
    } else if is_outside() {
        BATCH.with_borrow_mut(|batch| batch.push(spec));
    } else {
        spec.launch(thread::current());
    }
}

/// Runs the calling thread's batch, if it is outside of regions and has one.
pub fn run() {
    if is_outside() && BATCH.with_borrow(|batch| !batch.is_empty()) {
        with_team(0, || {
            let batch = BATCH.take();
            batch.into_iter().for_each(|spec| spec.launch(thread::current()));
        });
    }
}

/// Opens a region of `threads` (0: as many as the settings say) in which the caller alone runs
/// `body` and everybody runs tasks.
pub fn with_team(threads: u32, body: impl FnOnce()) {
    let mut body = Some(body);
    let entry = entry_of(&body);
    let request = Request { num_threads: threads, ..Request::default() };
    region::parallel(entry, (&raw mut body).cast(), request);
    let thread = thread::current();
    if thread.gtid != 0 && is_outside() {
        // Threads come and go: only the initial one keeps its workers for the next time.
        device::release_workers();
    }
}

fn entry_of<F: FnOnce()>(_body: &Option<F>) -> Body {
    extern "C" fn entry<F: FnOnce()>(body: *mut c_void) {
        if thread::current().member().num == 0 {
            // SAFETY: `with_team` keeps the body until the region ends; the master alone takes it.
            let body = unsafe { (*body.cast::<Option<F>>()).take() };
            body.into_iter().for_each(|body| body());
        }
    }
    entry::<F>
}
