//! Where the program called the runtime: the return address that events name.
//!
//! The stack is walked, by the tables that unwinding uses, from the event to the first frame outside of this library. So
//! entry points need not keep their return address for tools, and cost nothing while there is none. Only an event that
//! the tool asked for walks.
//!
//! Not here: frames of tasks (`facts`), for which any address within the runtime's frame will do.

use super::{here, of_thread};
use std::ffi::c_void;
use std::ops::ControlFlow;
use vicinity_alloc::os::stack;

/// The return address of the call that brought the thread into the runtime; null where the program called nothing, as when
/// a worker waits for its next region.
pub fn find() -> *const c_void {
    let ours = stack::ours();
    // Stack addresses from there on are not the program's.
    let bottom = here().and_then(of_thread).map_or(usize::MAX, |facts| facts.bottom.get());
    let (mut frames, mut found) = (0, 0);
    stack::walk(|frame| {
        frames += 1;
        if frame.stack > bottom || frames > stack::DEEPEST {
            return ControlFlow::Break(());
        }
        if ours.contains(&frame.address) {
            return ControlFlow::Continue(());
        }
        found = frame.address;
        ControlFlow::Break(())
    });
    found as *const c_void
}
