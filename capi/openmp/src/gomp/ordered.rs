//! libgomp's ordered regions.
//!
//! Source: OpenMP 5.2, section 15.10.2 (ordered construct).
#![allow(unsafe_code)]

use vicinity_runtime::thread;
use vicinity_runtime::tool::abi::mutex;
use vicinity_runtime::tool::{self, mutex as told};

/// Waits for the thread's turn; a tool is told. The team's turn has the address of its worksharing as its name.
pub fn start() {
    let seat = thread::seat();
    if tool::is_on() {
        let id = std::ptr::from_ref(seat.shared).addr();
        told::acquire(mutex::ORDERED, id);
        seat.ordered_start();
        return told::acquired(mutex::ORDERED, id);
    }
    seat.ordered_start();
}

/// Passes the turn on.
pub fn end() {
    let seat = thread::seat();
    seat.ordered_end();
    if tool::is_on() {
        told::released(mutex::ORDERED, std::ptr::from_ref(seat.shared).addr());
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_ordered_start() {
    start();
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_ordered_end() {
    end();
}
