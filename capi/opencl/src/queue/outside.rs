//! Commands that no worker carries out, because their ends are up to others: messages, and files that are pipes or devices.
//!
//! Protocol: whoever makes such a command ready begins it. Either it is done at once, or somebody keeps its `Completion`, and
//! ends it later, from any thread: what is ready then goes to the workers.
//!
//! Invariant: a completion that nobody ends ends with an error, so nobody waits for ever.
#![allow(unsafe_code)]

use super::event::{Event, Ready};
use super::run;
use crate::error::{Error, Result, code};
use crate::handle::Ref;
use opencl_sys::CL_OUT_OF_RESOURCES;

/// The right to finish a command that has begun, and the duty.
pub struct Completion(Option<Ref<Event>>);

/// Begins a command; gives its completion back if it is done.
pub type Begin = Box<dyn FnOnce(Completion) -> Option<(Completion, Result)> + Send + Sync>;

impl Completion {
    pub fn end(mut self, outcome: Result) {
        self.end_once(outcome);
    }

    fn end_once(&mut self, outcome: Result) {
        if let Some(event) = self.0.take() {
            let mut ready = Ready::new();
            finish(event, outcome, &mut ready);
            ready.into_iter().for_each(run::start);
        }
    }
}

impl Drop for Completion {
    fn drop(&mut self) {
        self.end_once(Err(Error(CL_OUT_OF_RESOURCES)));
    }
}

/// A command is ready, and its job the caller's. What is ready if it is done at once is added: so a chain of such commands
/// is a loop.
pub(super) fn begin(event: Ref<Event>, begin: Begin, ready: &mut Ready) {
    event.begin();
    if let Some((mut completion, outcome)) = begin(Completion(Some(event))) {
        completion.0.take().into_iter().for_each(|event| finish(event, outcome, ready));
    }
}

fn finish(event: Ref<Event>, outcome: Result, ready: &mut Ready) {
    let status = code(outcome);
    // SAFETY: the job is whose the completion was. Memory objects go before the event is finished.
    unsafe { *event.job() = None };
    Event::release(event.end(status), status, ready);
}
