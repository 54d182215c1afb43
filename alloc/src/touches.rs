//! What threads are about to touch: samples of them, and which memory the instructions ahead name.

use crate::operands;
use crate::os::mappings::Own;
use crate::os::samples::{self, Sample};
use vicinity_policy::repair;

/// Bytes of code read at a time.
const CODE_BYTES: usize = 64;

/// One moment of a thread, and addresses outside of its stack that it was about to touch then.
#[derive(Clone, Debug)]
pub struct Touch {
    pub sample: Sample,
    pub addresses: Vec<usize>,
}

/// The process, as it is read to decode its instructions.
#[derive(Debug)]
pub struct Watcher(Own);

impl Watcher {
    /// `None` where the kernel does not show the process to itself, or somebody else has the signal.
    pub fn start() -> Option<Watcher> {
        let own = Own::open()?;
        samples::install().then_some(Watcher(own))
    }

    /// What was sampled since the last call.
    pub fn take(&self) -> Vec<Touch> {
        let touch = |sample| {
            let addresses = operands::addresses(&sample, |at| self.0.read(at, CODE_BYTES));
            Touch { sample, addresses }
        };
        samples::take().into_iter().map(touch).collect()
    }
}

/// Nanoseconds of a thread's time from one sample to the next, if there are so many threads.
pub fn every_ns(threads: u32) -> u64 {
    repair::every_us(threads) * 1000
}
