//! What threads do at this moment, for `vicinity top`: a page that each writes its part of, and another process reads.
//!
//! Terms: a thread's *slot* is its part of the page (`page`); its number is the thread's `gtid`. Threads beyond the last slot
//! have none.
//!
//! Protocol: a slot is written by its thread alone, with plain stores, and read by other processes with no more order than that
//! each number is whole. No clock is read: who wants to know how long threads wait, looks often.
//!
//! Off unless `VICINITY_TOP` says otherwise; then a thread's `slot` is none, and the places where something is counted look at
//! that: where a region begins and ends, where a thread finds nothing to do, and where the data of a task is looked at.
//! Never where tasks are made or run.
#![allow(unsafe_code)]

pub mod page;

use crate::settings::Settings;
use crate::thread::{self, Thread};
pub use page::{Slot, State};
use std::ffi::CStr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use vicinity_alloc::os;

const FILE: &CStr = c"vicinity-top";

/// The page's head; null where there is none.
static PAGE: AtomicPtr<page::Head> = AtomicPtr::new(std::ptr::null_mut());

/// Makes the page, if the settings ask for it: before the first thread has a record.
pub fn start(settings: &Settings, processors: u32) {
    if settings.vicinity.top {
        open(processors);
    }
}

fn open(processors: u32) {
    let Some(memory) = os::shared::page(FILE, page::BYTES) else { return };
    let head: *mut page::Head = memory.cast().as_ptr();
    let (process, slots) = (std::process::id(), page::SLOTS as u32);
    let slot_bytes = page::SLOT_BYTES as u32;
    let (magic, version) = (page::MAGIC, page::VERSION);
    // SAFETY: the memory is new, aligned to a page, and larger than the head.
    unsafe { head.write(page::Head { magic, version, slot_bytes, slots, process, processors }) };
    // Release: pairs with the Acquire in `slot_of`.
    PAGE.store(head, Ordering::Release);
}

/// The slot of a thread with this number.
pub fn slot_of(gtid: i32) -> Option<&'static Slot> {
    // Acquire: pairs with the Release in `open`.
    let head = PAGE.load(Ordering::Acquire);
    let number = usize::try_from(gtid).ok().filter(|&number| number < page::SLOTS)?;
    // SAFETY: behind the head there are `SLOTS` slots, zeroed at first, and the page is never unmapped.
    (!head.is_null()).then(|| unsafe { &*head.cast::<Slot>().add(1 + number) })
}

/// In a forked child: the page is the parent's, the child gets one of its own.
pub fn in_child() {
    let head = PAGE.swap(std::ptr::null_mut(), Ordering::Relaxed);
    if head.is_null() {
        return;
    }
    // SAFETY: the parent's page is mapped here, too, and its head does not change.
    open(unsafe { (*head).processors });
    if let Some(thread) = thread::try_current() {
        thread.slot.set(slot_of(thread.gtid));
        begins(thread);
    }
}

/// The thread has its record.
pub fn begins(thread: &Thread) {
    if let Some(slot) = thread.slot.get() {
        slot.thread.store(os::process::native_thread_id(), Ordering::Relaxed);
        set(slot, State::Runs);
    }
}

/// From now on the thread does this.
#[inline]
pub fn goes_to(thread: &Thread, state: State) {
    if let Some(slot) = thread.slot.get() {
        set(slot, state);
    }
}

/// The thread is the primary thread of a region that begins.
#[inline]
pub fn region_begins(thread: &Thread) {
    if let Some(slot) = thread.slot.get() {
        add(&slot.regions_begun, 1);
    }
}

#[inline]
pub fn region_ends(thread: &Thread) {
    if let Some(slot) = thread.slot.get() {
        add(&slot.regions_ended, 1);
    }
}

/// The thread runs a task that has so many bytes of data here and elsewhere.
pub fn finds_data(thread: &Thread, local: u64, remote: u64) {
    if let Some(slot) = thread.slot.get() {
        add(&slot.bytes_local, local);
        add(&slot.bytes_remote, remote);
    }
}

fn set(slot: &Slot, state: State) {
    // Relaxed, as all accesses: a number for a reader in another process, nothing is published with it.
    slot.state.store(state as u32, Ordering::Relaxed);
}

fn add(count: &AtomicU64, more: u64) {
    // One writer: a load and a store.
    count.store(count.load(Ordering::Relaxed).wrapping_add(more), Ordering::Relaxed);
}
