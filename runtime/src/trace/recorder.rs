//! `Recorder`: one thread's side of tracing: its ring of finished events and its stack of open ones.
//!
//! Terms: the *current* event is the innermost open task or region: the parent of tasks created now.
//!
//! Access: the thread itself, except for `ring` and the open events (see there).
//! Recorders are never deallocated; that of a thread which ends goes with its record to a later one.
#![allow(unsafe_code)]

use super::counters::Counters;
use super::event::{self, Extras, ID, Kind, NOWHERE, WORDS};
use super::open::OpenEvents;
use super::orders::Orders;
use super::ring::{LONGEST, Ring};
use super::{os, sink, sites};
use crate::private::Private;
use crate::report;
use crate::task::deps::Dependence;
use crate::thread::clock::ticks;
use crate::tool::ThreadFacts;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Functions whose site a thread remembers.
const REMEMBERED: usize = 64;
/// Task numbers: the thread's number above, its own count below. A double holds them exactly.
const COUNT_BITS: u32 = 36;

pub struct Recorder {
    pub gtid: u32,
    pub ring: Ring,
    overwrites: bool,
    open: OpenEvents,
    count: Private<u64>,
    /// The location where the thread was when its last region began.
    place: Private<u16>,
    current: Private<u64>,
    /// The task that was just created, when nothing was recorded since; else 0. And when.
    fresh: Private<(u64, u64)>,
    last_end: Private<u64>,
    /// The next task follows the last event directly: it starts when that ended.
    follows: Private<bool>,
    /// Of open events that created tasks with dependences, by number, outer ones first.
    orders: Private<Vec<(u64, Orders)>>,
    /// What the next task gets.
    pending: Private<Option<Box<Extras>>>,
    /// The function that names the next region; 0: its entry.
    pub region_function: Private<usize>,
    known_sites: Private<[(usize, u32); REMEMBERED]>,
    /// Holder of the sink's lock: the file knows the thread's name.
    pub introduced: Private<bool>,
    /// Of the thread that it now belongs to.
    pub counters: Private<Option<Counters>>,
    /// A worker of the pool.
    pub is_worker: bool,
    /// What a tool keeps of the thread.
    pub tool: ThreadFacts,
    next: Option<&'static Recorder>,
}

static ALL: AtomicPtr<Recorder> = AtomicPtr::new(std::ptr::null_mut());

/// Every recorder, the newest first.
pub fn all() -> impl Iterator<Item = &'static Recorder> {
    // Acquire: pairs with the Release in `Recorder::new`.
    let newest = ALL.load(Ordering::Acquire);
    // SAFETY: recorders are never deallocated.
    std::iter::successors(unsafe { newest.as_ref() }, |recorder: &&'static Recorder| recorder.next)
}

impl Recorder {
    /// A recorder for a thread; without a buffer where a tool watches and nothing is traced. Where there is no memory for events it keeps none, and counts them: tasks have their facts
    /// whoever creates them, so all threads have a recorder or none.
    pub fn new(gtid: u32, is_worker: bool, buffer: Option<super::Buffer>) -> &'static Recorder {
        let room =
            |buffer: super::Buffer| Some((os::reserve(buffer.words, true)?, OpenEvents::room()?));
        let none: (&[_], &[_]) = (&[], &[]);
        let (finished, open) = buffer.map_or(Some(none), room).unwrap_or_else(|| {
            static SAID: Once = Once::new();
            let what =
                "no memory to trace all threads: what some of them do is missing in the trace";
            SAID.call_once(|| report::warn(what));
            none
        });
        let recorder = Box::leak(Box::new(Recorder {
            gtid,
            ring: Ring::new(finished),
            overwrites: buffer.is_some_and(|buffer| buffer.overwrites),
            open: OpenEvents::over(open),
            count: Private::new(0),
            place: Private::new(NOWHERE),
            current: Private::new(0),
            fresh: Private::default(),
            last_end: Private::new(0),
            follows: Private::new(false),
            orders: Private::default(),
            pending: Private::default(),
            region_function: Private::new(0),
            known_sites: Private::new([(0, 0); REMEMBERED]),
            introduced: Private::new(false),
            counters: Private::default(),
            is_worker,
            tool: ThreadFacts::default(),
            next: None,
        }));
        let newest = std::ptr::from_mut(recorder);
        let mut head = ALL.load(Ordering::Relaxed);
        loop {
            // SAFETY: nobody else knows the recorder yet; recorders are never deallocated.
            unsafe { (*newest).next = head.as_ref() };
            // Release: pairs with the Acquire in `all`.
            let (release, relaxed) = (Ordering::Release, Ordering::Acquire);
            match ALL.compare_exchange_weak(head, newest, release, relaxed) {
                // SAFETY: as above.
                Ok(_) => return unsafe { &*newest },
                Err(now) => head = now,
            }
        }
    }

    /// A number for a task or region.
    #[inline(always)]
    pub fn number(&self) -> u64 {
        let count = self.count.get() + 1;
        self.count.set(count);
        u64::from(self.gtid) << COUNT_BITS | count
    }

    /// Whether the task with this number was created by another thread.
    #[inline(always)]
    pub fn is_foreign(&self, id: u64) -> bool {
        id >> COUNT_BITS != u64::from(self.gtid)
    }

    /// Where the thread is; `NOWHERE` before its first region.
    #[inline(always)]
    pub fn place(&self) -> u16 {
        self.place.get()
    }

    pub fn set_place(&self, place: u16) {
        self.place.set(place);
    }

    pub fn current(&self) -> u64 {
        self.current.get()
    }

    /// When the last event ended.
    pub fn last_end(&self) -> u64 {
        self.last_end.get()
    }

    /// A task is created: its number, the moment, and what was kept for it.
    #[inline(always)]
    pub fn create(&self) -> (u64, u64, Option<Box<Extras>>) {
        let (id, now) = (self.number(), ticks());
        self.fresh.set((id, now));
        (id, now, self.pending.replace(None))
    }

    /// The moment at which this task starts.
    #[inline(always)]
    pub fn start_of(&self, id: u64) -> u64 {
        let (fresh, created) = self.fresh.get();
        if self.follows.get() {
            self.last_end.get()
        } else if fresh == id {
            created
        } else {
            ticks()
        }
    }

    /// The thread goes from one task to the next without anything between.
    pub fn follow(&self, directly: bool) {
        self.follows.set(directly);
    }

    /// Keeps for the next task, or adds to `extras`, what it comes after.
    pub fn order(&self, id: u64, dependences: &[Dependence], extras: &mut Option<Box<Extras>>) {
        let current = self.current.get();
        let after = self.orders.with(|orders| {
            if orders.last().is_none_or(|(parent, _)| *parent != current) {
                orders.push((current, Orders::default()));
            }
            orders.last_mut().map(|(_, orders)| orders.add(id, dependences)).unwrap_or_default()
        });
        let extras = extras.get_or_insert_default();
        (extras.depends, extras.after) = (true, after);
    }

    /// The same for the task that is created next.
    pub fn order_next(&self, dependences: &[Dependence]) {
        let next = u64::from(self.gtid) << COUNT_BITS | (self.count.get() + 1);
        let mut extras = None;
        self.order(next, dependences, &mut extras);
        self.pending.set(extras);
    }

    /// The current task has waited for all its children.
    pub fn forget_orders(&self) {
        let current = self.current.get();
        self.orders.with(|orders| {
            if let Some((parent, orders)) = orders.last_mut()
                && *parent == current
            {
                orders.forget();
            }
        });
    }

    /// The site of a function.
    #[inline(always)]
    pub fn site(&self, function: usize, location: usize) -> u32 {
        let slot = (function >> 4) % REMEMBERED;
        let (known, site) = self.known_sites.with(|sites| sites[slot]);
        if known == function { site } else { self.learn_site(slot, function, location) }
    }

    #[cold]
    fn learn_site(&self, slot: usize, function: usize, location: usize) -> u32 {
        let site = sites::find(function, location);
        self.known_sites.with(|sites| sites[slot] = (function, site));
        site
    }

    /// An event begins.
    #[inline(always)]
    pub fn open(&self, words: [u64; WORDS]) {
        self.follows.set(false);
        self.fresh.set((0, 0));
        let outer = self.current.replace(words[ID]);
        if !self.open.push(words, outer) {
            self.forgo(words);
        }
    }

    /// How many events are open.
    pub fn depth(&self) -> u32 {
        self.open.depth()
    }

    /// The open events from `depth` on end; those that were kept are given, outer ones first.
    pub fn end_down_to(&self, depth: u32, end: u64) -> Vec<[u64; WORDS]> {
        let inner = depth..self.open.depth();
        let words = |index| self.open.get(index).map(|(words, _)| words);
        let open = inner.clone().filter_map(words).collect();
        inner.rev().for_each(|index| self.pop(index, end));
        self.open.shrink(depth);
        open
    }

    /// An event that is not kept begins.
    #[cold]
    fn forgo(&self, words: [u64; WORDS]) {
        self.ring.miss();
        if event::is(words[0], Kind::Task) && words[WORDS - 1] != 0 {
            // SAFETY: the word comes from `Box::into_raw`, and nobody else has it.
            drop(unsafe { Box::from_raw(words[WORDS - 1] as *mut Extras) });
        }
    }

    /// Records what lasted from `began` to now; where the thread did something else meanwhile, as happening now. The record's
    /// times are set here.
    pub fn note(&self, mut words: [u64; WORDS], began: u64) {
        let now = ticks();
        let last = self.last_end.get().max(self.open.innermost_start().unwrap_or(0));
        words[1] = if began < last { now } else { began };
        words[WORDS - 1] = now;
        self.last_end.set(now);
        self.follows.set(false);
        self.fresh.set((0, 0));
        self.record(&words);
    }

    /// Whether the innermost open event is of this kind.
    pub fn is_inside(&self, kind: Kind) -> bool {
        self.open.innermost_is(kind)
    }

    /// The innermost open event of this kind ends, and with it those inside that were left open.
    #[inline(always)]
    pub fn close(&self, kind: Kind, end: u64) {
        if self.open.innermost_is(kind) {
            self.pop(self.open.depth() - 1, end);
        } else {
            self.close_around(kind, end);
        }
    }

    /// The same where it is not the innermost one.
    #[cold]
    fn close_around(&self, kind: Kind, end: u64) {
        let depth = self.open.depth();
        if self.open.is_too_deep() {
            return self.open.shrink(depth - 1);
        }
        if let Some(index) = self.open.innermost(kind) {
            (index..depth).rev().for_each(|index| self.pop(index, end));
        }
    }

    #[inline(always)]
    fn pop(&self, index: u32, end: u64) {
        let Some((mut record, outer)) = self.open.get(index) else { return };
        self.last_end.set(end);
        self.follows.set(false);
        self.fresh.set((0, 0));
        self.current.set(outer);
        if self.orders.with(|orders| !orders.is_empty()) {
            self.forget_orders_of(record[ID]);
        }
        if event::is(record[0], Kind::Task) && record[WORDS - 1] != 0 {
            self.record_long(&record, end);
        } else {
            record[WORDS - 1] = end;
            self.record(&record);
        }
        self.open.shrink(index);
    }

    /// A task or region ends: it creates no more children.
    #[cold]
    fn forget_orders_of(&self, id: u64) {
        self.orders.with(|orders| {
            orders.pop_if(|(parent, _)| *parent == id && id != self.current.get());
        });
    }

    /// A task begins: keeps what the counters have come to.
    #[inline]
    pub fn count(&self, extras: &mut Option<Box<Extras>>) {
        self.counters.with(|counters| {
            if let Some(counters) = counters {
                extras.get_or_insert_default().counters = counters.read();
            }
        });
    }

    /// Turns what the counters had come to into what they have counted since.
    fn count_since(&self, counts: &mut Vec<u64>) {
        if counts.is_empty() {
            return;
        }
        let now = self.counters.with(|counters| counters.as_mut().map(Counters::read));
        let now = now.unwrap_or_default();
        // What was counted, or nothing: a half says less than none.
        counts.truncate(if now.len() == counts.len() { now.len() } else { 0 });
        counts.iter_mut().zip(now).for_each(|(count, now)| *count = now.wrapping_sub(*count));
    }

    /// A task with extras ends.
    #[inline(never)]
    fn record_long(&self, open: &[u64; WORDS], end: u64) {
        // SAFETY: the word came from `Box::into_raw` when the task started, and is used once.
        let mut extras = unsafe { Box::from_raw(open[WORDS - 1] as *mut Extras) };
        self.count_since(&mut extras.counters);
        let mut record = [0; LONGEST];
        self.record(event::close(open, end, Some(&extras), &mut record));
    }

    #[inline(always)]
    fn record(&self, record: &[u64]) {
        if self.overwrites {
            self.ring.push_over(record);
        } else if !self.ring.push(record) {
            self.make_room(record);
        }
    }

    /// The buffer is full: its owner writes it out.
    #[cold]
    fn make_room(&self, record: &[u64]) {
        let start = self.last_end.get();
        let events = sink::write_out(self);
        self.ring.push(record);
        let end = ticks();
        // Between two events: the clock goes on from here.
        let write = [event::head(Kind::Write, 0, 0), start, events, 0, 0, 0, 0, end];
        self.ring.push(&write);
        self.last_end.set(end);
    }

    /// For whoever ends the trace: the events that are still open (see [`OpenEvents::read`]).
    pub fn open_events(&self, now: u64, each: impl FnMut(&[u64; WORDS]) -> bool) {
        self.open.read(now, each);
    }

    /// Drainer: the events before a position are in the file.
    pub fn release(&self, position: u64) {
        if !self.overwrites {
            self.ring.release(position);
        }
    }

    /// In a forked child: events that the parent will write are not the child's.
    pub fn forget(&self) {
        self.ring.forget();
        self.introduced.set(false);
        self.counters.set(None);
    }
}
