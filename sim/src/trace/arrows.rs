//! `Arrows`: from both ends of each message to messages.

use std::collections::BTreeMap;

use super::model::Message;

/// Where an arrow begins or ends; the time counts from where the writer counts.
#[derive(Clone, Copy)]
pub struct ArrowEnd {
    /// A position in `Trace::threads`.
    pub thread: u32,
    pub ns: i64,
    pub bytes: u64,
}

/// By the arrow's number.
#[derive(Default)]
pub struct Arrows {
    from: BTreeMap<u64, ArrowEnd>,
    to: BTreeMap<u64, ArrowEnd>,
}

impl Arrows {
    pub fn add(&mut self, begins: bool, number: u64, end: ArrowEnd) {
        let ends = if begins { &mut self.from } else { &mut self.to };
        ends.insert(number, end);
    }

    /// Those with two ends, in the order of sending.
    pub fn messages(&self, origin: i64) -> Vec<Message> {
        let ns = |end: &ArrowEnd| (end.ns - origin).max(0) as u64;
        let message = |(number, from): (&u64, &ArrowEnd)| {
            let to = self.to.get(number)?;
            Some(Message {
                from: from.thread,
                from_ns: ns(from),
                to: to.thread,
                to_ns: ns(to),
                bytes: from.bytes,
            })
        };
        let mut messages: Vec<Message> = self.from.iter().filter_map(message).collect();
        messages.sort_by_key(|message| message.from_ns);
        messages
    }
}
