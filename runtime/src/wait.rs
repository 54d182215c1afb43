//! Waiting for a condition that another thread of the team makes true soon.

/// Returns when `done` does. Spins, then yields the processor; for waits without tasks to help with.
pub fn until(mut done: impl FnMut() -> bool) {
    let mut rounds = 0u32;
    while !done() {
        rounds += 1;
        if rounds < 200 {
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}
