//! `Event`: what is recorded, as words.
//!
//! Terms: an event is *open* from its start until its end, and lies on its thread's stack of open events; when it ends
//! it becomes a record in the thread's ring.
//!
//! Layout, in words: 0 the head: kind (bits 0..8), length of the record (8..19, see `ring`), flags (19..32), site (32..64).
//! 1 start, in ticks. 2 to 6 by kind, see `Event`. 7 of an open event: its `Extras`, or the end of its team's region; of a record: the end, in
//! ticks. From 8, of a record with `flag::EXTRAS`: the three lengths of what follows (16 bits each), tasks it comes after, bytes by
//! location, counters.

use super::ring::{LONGEST, len_bits};

/// Words of an event without extras.
pub const WORDS: usize = 8;
/// Where the number of a task or region is; of a wait or chunk, that of the current one.
pub const ID: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    Task = 1,
    Region = 2,
    Wait = 3,
    Chunk = 4,
    Write = 5,
    Message = 6,
}

/// Which end of a message it is; in place of a message's site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum End {
    Send,
    Receive,
}

impl End {
    pub const NAMES: [&str; 2] = ["send", "receive"];
}

/// What a thread waits for; in place of a wait's site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Wait {
    Barrier,
    Join,
    Taskwait,
    Taskgroup,
    Depend,
}

impl Wait {
    pub const NAMES: [&str; 5] = ["barrier", "join", "taskwait", "taskgroup", "depend"];
}

pub mod flag {
    pub const INCLUDED: u64 = 1;
    pub const STOLEN: u64 = 1 << 1;
    pub const DETACHED: u64 = 1 << 2;
    /// The program ended meanwhile.
    pub const CUT: u64 = 1 << 3;
    pub const EXTRAS: u64 = 1 << 4;
    /// It named dependences, so that other tasks may come after it.
    pub const DEPENDS: u64 = 1 << 5;
}

const FLAG_SHIFT: u32 = 19;
const FLAG_MASK: u64 = 0x1fff;

pub const fn head(kind: Kind, flags: u64, site: u32) -> u64 {
    kind as u64 | len_bits(WORDS) | flags << FLAG_SHIFT | (site as u64) << 32
}

/// Whether this head is of this kind.
#[inline(always)]
pub fn is(head: u64, kind: Kind) -> bool {
    head as u8 == kind as u8
}

pub const fn with_flags(head: u64, flags: u64) -> u64 {
    head | flags << FLAG_SHIFT
}

/// Where a task was dealt, runs and came from: locations, `NOWHERE` if there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    pub dealt: u16,
    pub at: u16,
    pub from: u16,
    pub hops: u16,
}

pub const NOWHERE: u16 = u16::MAX;

impl Places {
    pub fn word(self) -> u64 {
        [self.dealt, self.at, self.from, self.hops]
            .iter()
            .rev()
            .fold(0, |word, &place| word << 16 | u64::from(place))
    }

    pub fn of(word: u64) -> Places {
        let place = |index: u32| (word >> (16 * index)) as u16;
        Places { dealt: place(0), at: place(1), from: place(2), hops: place(3) }
    }
}

/// What few tasks have.
#[derive(Default, Debug)]
pub struct Extras {
    /// The function that names the task, where that is not the record's `entry`; 0: it is.
    pub function: usize,
    /// The task has a `depend` clause.
    pub depends: bool,
    pub after: Vec<u64>,
    /// Footprint by location; empty if unknown.
    pub bytes: Vec<u64>,
    /// What the thread's counters had come to when the task began; empty if nothing is counted.
    pub counters: Vec<u64>,
}

/// A record as it is read back. Words 2 to 6 of each kind are those fields in this order.
#[derive(Debug, PartialEq, Eq)]
pub enum Event<'a> {
    Task {
        id: u64,
        parent: u64,
        created: u64,
        ready: u64,
        places: Places,
        after: &'a [u64],
        bytes: &'a [u64],
        counters: &'a [u64],
    },
    /// `thread` and `threads` share a word, as do `level` and nothing else.
    Region {
        id: u64,
        number: u64,
        thread: u32,
        threads: u32,
        level: u64,
        parent: u64,
    },
    Wait {
        task: u64,
    },
    Chunk {
        task: u64,
        first: u64,
        count: u64,
        number: u64,
    },
    Write {
        events: u64,
    },
    /// `peer` and `tag` share a word; the other end's world rank. `posted`: when it was begun, in ticks.
    Message {
        task: u64,
        peer: i32,
        tag: i32,
        communicator: u64,
        bytes: u64,
        posted: u64,
    },
}

/// A record: what all kinds have, and the rest.
#[derive(Debug, PartialEq, Eq)]
pub struct Record<'a> {
    pub flags: u64,
    pub site: u32,
    pub start: u64,
    pub end: u64,
    pub event: Event<'a>,
}

/// Makes a record of an open event that ends.
pub fn close<'a>(
    open: &[u64; WORDS],
    end: u64,
    extras: Option<&Extras>,
    record: &'a mut [u64; LONGEST],
) -> &'a [u64] {
    record[..WORDS].copy_from_slice(open);
    record[WORDS - 1] = end;
    let Some(extras) = extras else { return &record[..WORDS] };
    let mut at = WORDS + 1;
    let mut lengths = 0;
    for (index, list) in [&extras.after, &extras.bytes, &extras.counters].into_iter().enumerate() {
        let fitting = list.len().min(LONGEST - at);
        record[at..at + fitting].copy_from_slice(&list[..fitting]);
        lengths |= (fitting as u64) << (16 * index);
        at += fitting;
    }
    record[WORDS] = lengths;
    let flags = flag::EXTRAS | if extras.depends { flag::DEPENDS } else { 0 };
    record[0] = with_flags(record[0], flags) & !len_bits(0x7ff) | len_bits(at);
    &record[..at]
}

impl<'a> Record<'a> {
    /// Reads a record back; `None` if it is none.
    pub fn of(words: &'a [u64]) -> Option<Record<'a>> {
        let [head, start, a, b, c, d, e, end, ..] = *words else { return None };
        let flags = head >> FLAG_SHIFT & FLAG_MASK;
        let lists = if flags & flag::EXTRAS != 0 { words.get(WORDS..)? } else { &[] };
        let event = match head as u8 {
            1 => {
                let [after, bytes, counters] = split(lists)?;
                let places = Places::of(e);
                Event::Task {
                    id: a,
                    parent: b,
                    created: c,
                    ready: d,
                    places,
                    after,
                    bytes,
                    counters,
                }
            }
            2 => {
                let (thread, threads) = (c as u32, (c >> 32) as u32);
                Event::Region { id: a, number: b, thread, threads, level: d, parent: e }
            }
            3 => Event::Wait { task: a },
            4 => Event::Chunk { task: a, first: b, count: c, number: d },
            5 => Event::Write { events: a },
            6 => {
                let (peer, tag) = (b as i32, (b >> 32) as i32);
                Event::Message { task: a, peer, tag, communicator: c, bytes: d, posted: e }
            }
            _ => return None,
        };
        Some(Record { flags, site: (head >> 32) as u32, start, end, event })
    }
}

/// The three lists behind a record.
fn split(words: &[u64]) -> Option<[&[u64]; 3]> {
    let Some((&lengths, mut rest)) = words.split_first() else { return Some([&[]; 3]) };
    let mut lists: [&[u64]; 3] = [&[]; 3];
    for (index, list) in lists.iter_mut().enumerate() {
        let length = (lengths >> (16 * index)) as u16;
        (*list, rest) = rest.split_at_checked(length.into())?;
    }
    Some(lists)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::trace::ring::len_of;

    #[test]
    fn a_task_comes_back_as_it_was_recorded() {
        let places = Places { dealt: 3, at: 0, from: NOWHERE, hops: 2 };
        let open = [head(Kind::Task, flag::STOLEN, 7), 10, 5, 1, 8, 9, places.word(), 0];
        let mut record = [0; LONGEST];
        let plain = close(&open, 20, None, &mut record);
        assert_eq!(len_of(plain[0]), WORDS);
        let read = Record::of(plain).unwrap();
        assert_eq!((read.flags, read.site, read.start, read.end), (flag::STOLEN, 7, 10, 20));
        let none: &[u64] = &[];
        let expected = |after, bytes, counters| Event::Task {
            id: 5,
            parent: 1,
            created: 8,
            ready: 9,
            places,
            after,
            bytes,
            counters,
        };
        assert_eq!(read.event, expected(none, none, none));
        let extras = Extras {
            after: vec![2, 3],
            bytes: vec![100],
            counters: vec![1, 2, 3],
            ..Extras::default()
        };
        let long = close(&open, 20, Some(&extras), &mut record);
        assert_eq!(len_of(long[0]), long.len());
        assert_eq!(Record::of(long).unwrap().event, expected(&[2, 3], &[100], &[1, 2, 3]));
    }

    #[test]
    fn lists_that_are_too_long_are_cut() {
        let open = [head(Kind::Task, 0, 0); WORDS];
        let extras = Extras { after: vec![1; 5000], ..Extras::default() };
        let mut record = [0; LONGEST];
        let long = close(&open, 20, Some(&extras), &mut record);
        assert_eq!((long.len(), len_of(long[0])), (LONGEST, LONGEST));
        assert!(Record::of(long).is_some());
    }

    #[test]
    fn a_message_comes_back_as_it_was_recorded() {
        let ends = u64::from(-1i32 as u32) << 32 | 3;
        let words = [head(Kind::Message, 0, End::Receive as u32), 10, 5, ends, 77, 64, 8, 20];
        let read = Record::of(&words).unwrap();
        assert_eq!(End::NAMES[read.site as usize], "receive");
        let expected =
            Event::Message { task: 5, peer: 3, tag: -1, communicator: 77, bytes: 64, posted: 8 };
        assert_eq!(read.event, expected);
    }

    #[test]
    fn what_is_no_record_is_refused() {
        assert_eq!(Record::of(&[1, 2, 3]), None);
        assert_eq!(Record::of(&[99; WORDS]), None);
        let lying = [with_flags(head(Kind::Task, 0, 0), flag::EXTRAS), 0, 0, 0, 0, 0, 0, 0, 9];
        assert_eq!(Record::of(&lying), None);
    }
}
