//! Messages between processes, as those tell of them who send and receive.

use super::event::{End, Kind, head};
use crate::thread::Thread;

/// One end of a message.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    pub end: End,
    /// The rank of the other end among all of the job.
    pub peer: i32,
    pub tag: i32,
    /// The same on all ranks.
    pub communicator: u64,
    pub bytes: u64,
    /// When the call began that has sent or received it, and when that was asked for; in ticks.
    pub began: u64,
    pub posted: u64,
}

/// A message was sent, or a receive is complete.
pub fn message(thread: &Thread, message: Message) {
    let Some(recorder) = thread.recorder.get() else { return };
    let ends = u64::from(message.tag as u32) << 32 | u64::from(message.peer as u32);
    let words = [
        head(Kind::Message, 0, message.end as u32),
        0,
        recorder.current(),
        ends,
        message.communicator,
        message.bytes,
        message.posted,
        0,
    ];
    recorder.note(words, message.began);
}
