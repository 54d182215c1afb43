//! Tasks that are set aside (`crate::aside`): events on one thread nest, and such tasks would not.
//!
//! So what a task does before it is set aside, and what it does after, are events of their own. The second has a number of its
//! own, the same parent, and comes after the first.

use super::event::{Extras, ID, Kind, WORDS, is};
use super::recorder::Recorder;
use crate::thread::Thread;
use crate::thread::clock::ticks;

/// An event that was open on a stack that its thread has left.
pub struct SetAside {
    words: [u64; WORDS],
    ended: u64,
}

/// How many events the thread has open.
pub fn depth(thread: &Thread) -> u32 {
    thread.recorder.get().map_or(0, Recorder::depth)
}

/// The thread has left a stack on which it had opened the events from `depth` on: they end, and what goes on later is given.
pub fn set_aside(thread: &Thread, depth: u32) -> Vec<SetAside> {
    let Some(recorder) = thread.recorder.get() else { return Vec::new() };
    let ended = ticks();
    let events = recorder.end_down_to(depth, ended);
    events.into_iter().map(|words| SetAside { words, ended }).collect()
}

/// The thread is about to go on there.
pub fn taken_up(thread: &Thread, events: Vec<SetAside>) {
    let Some(recorder) = thread.recorder.get() else { return };
    events.into_iter().for_each(|event| reopen(recorder, event));
}

/// Words 3 to 6 of a task are its parent, when it was created, when it was ready, and its places.
fn reopen(recorder: &Recorder, SetAside { mut words, ended }: SetAside) {
    let now = ticks();
    words[1] = now;
    if is(words[0], Kind::Task) {
        let after = vec![words[ID]];
        let extras = Extras { depends: true, after, ..Extras::default() };
        words[ID] = recorder.number();
        (words[4], words[5]) = (ended, now);
        words[WORDS - 1] = Box::into_raw(Box::new(extras)) as u64;
    } else {
        words[ID] = recorder.current();
    }
    recorder.open(words);
}
