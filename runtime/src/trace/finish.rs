//! How a trace begins and ends: with the process, by a signal, and across fork.
//!
//! A signal that ends the program is watched only if its action is the default one when tracing begins, and
//! its handler, once it has written what there is, lets the default action take place. Nothing is done for programs
//! that are not traced.

use super::clock::Start;
use super::json::How;
use super::{Buffer, compress, head, memory, name, os, sink, watch};
use crate::report;
use crate::settings::Settings;
use std::sync::{Once, OnceLock};
use vicinity_alloc::os::process;

/// What a child after fork needs to begin a trace of its own.
struct Plan {
    name: String,
    settings: &'static Settings,
    processors: u32,
}

static PLAN: OnceLock<Plan> = OnceLock::new();

/// Opens the trace if the settings ask for one; the first call does.
pub fn start(settings: &'static Settings, processors: u32) {
    static STARTED: Once = Once::new();
    let Some(name) = settings.vicinity.trace.clone() else { return };
    STARTED.call_once(|| {
        let plan = PLAN.get_or_init(|| Plan { name, settings, processors });
        if open(plan, Start::now()) {
            os::at_exit(at_exit);
            os::watch_signals(on_signal);
            if memory::is_on() {
                memory::start();
            }
        }
    });
}

fn open(plan: &Plan, start: Start) -> bool {
    let name = name::of_this_process(&plan.name);
    let head = head::lines(start, plan.settings, plan.processors);
    let opened = sink::open(name, start, &head);
    if let Err(why) = &opened {
        report::warn(why);
    }
    watch::set(watch::TRACE, opened.is_ok());
    opened.is_ok()
}

/// The buffers that threads get; `None` while there is no trace.
pub fn buffer() -> Option<Buffer> {
    let plan = PLAN.get().filter(|_| watch::is(watch::TRACE))?;
    Some(Buffer::of(&plan.settings.vicinity))
}

extern "C" fn at_exit() {
    memory::finish();
    if let Some(name) = sink::finish(How::Exit(process::run_delay_ns()))
        && compress::is_asked_for(&name)
    {
        compress::compress(&name);
    }
}

extern "C" fn on_signal(signal: i32, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    let _ = sink::finish(How::Signal(signal));
    os::end_by(signal, info);
}

/// In a forked child: begins a trace of its own where the file's name allows it. True if there is one.
pub fn in_child() -> bool {
    let Some(start) = sink::leave_to_parent() else { return false };
    super::recorder::all().for_each(super::recorder::Recorder::forget);
    watch::set(watch::TRACE, false);
    PLAN.get().is_some_and(|plan| plan.name.contains("%p") && open(plan, start))
}
