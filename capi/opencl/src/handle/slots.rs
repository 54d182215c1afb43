//! Slots: the memory that handles point to, which is never given back.
//!
//! A handle is the address of a slot. All slots lie in one range of addresses, reserved at the first use and
//! backed by memory as it is touched, so whether any number is the address of a slot can be told without
//! reading it, and a slot can be read whether or not its object still lives.
//!
//! States, in one word: kind of the object (8 bits, 0: free), references by the program (28 bits), references
//! of all sorts (28 bits).
//!
//! Invariants: 1. The references by the program are among all references. 2. An object lives as long as there
//! are references; nothing makes one from none. 3. Slots are used again in the order they became free, so an
//! old handle is refused for as long as possible. 4. A free slot either has no memory, or that of an object of a kind that
//! comes and goes with every command (`Kind::is_fleeting`): these slots are for that kind alone, and the next such object
//! lives there. So commands allocate nothing, and what one thread makes and another one drops does not pass through the
//! allocator. The queue of these slots knows their memory, not the slot: tools that look for lost memory look into the heap,
//! where the queue is, and not into pages of the system; an event that is lost is none of the queue's, so they find it.
//!
//! Source: OpenCL 3.0 API, 2.2 and 5 (reference counts); cl_khr_icd (the pointer that every object begins with).

#![allow(unsafe_code)]

use crate::error::{Error, Result};
use crate::sync::{AtomicPtr, AtomicU64, Ordering};
use crossbeam_queue::SegQueue;
use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::{CL_OUT_OF_RESOURCES, cl_int};
use std::ffi::c_void;
use std::ptr;
use std::sync::LazyLock;
use std::sync::atomic::AtomicUsize;

/// What an object is; 0 is a free slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    Platform = 1,
    Device,
    Context,
    Queue,
    Memory,
    Program,
    Kernel,
    Event,
    Sampler,
    CommandBuffer,
    MutableCommand,
}

impl Kind {
    /// Whether slots keep the memory of its objects.
    fn is_fleeting(self) -> bool {
        self == Kind::Event
    }
}

/// One object's place. Its first word is what the loader calls through.
#[repr(C, align(64))]
pub struct Slot {
    dispatch: AtomicPtr<cl_icd_dispatch>,
    state: AtomicU64,
    object: AtomicPtr<c_void>,
    /// How many objects have lived here.
    generation: AtomicU64,
}

/// Where the next object goes.
pub struct Place {
    pub slot: &'static Slot,
    /// Memory of an object of the same kind which is gone, or null.
    pub room: *mut c_void,
}

impl Place {
    fn bare(slot: &'static Slot) -> Place {
        Place { slot, room: ptr::null_mut() }
    }
}

const COUNT_BITS: u32 = 28;
const COUNT: u64 = (1 << COUNT_BITS) - 1;
const ONE: u64 = 1;
const ONE_OF_PROGRAM: u64 = 1 << COUNT_BITS;
/// Far from where one more reference, by each thread of a machine, would overflow.
const MOST: u64 = COUNT - (1 << 20);

/// The word of a slot.
#[derive(Clone, Copy)]
struct State(u64);

impl State {
    fn new(kind: Kind) -> State {
        State(((kind as u64) << (2 * COUNT_BITS)) | ONE)
    }

    fn is(self, kind: Kind) -> bool {
        self.0 >> (2 * COUNT_BITS) == kind as u64 && self.all() > 0
    }

    fn all(self) -> u64 {
        self.0 & COUNT
    }

    fn by_program(self) -> u64 {
        (self.0 >> COUNT_BITS) & COUNT
    }
}

impl Slot {
    /// A free slot for an object of this kind, and perhaps memory for it.
    pub fn take(kind: Kind) -> Option<Place> {
        SLOTS.take(kind)
    }

    /// An object lives there from now on, with one reference, which is the caller's.
    pub fn fill(&self, kind: Kind, object: *mut c_void, dispatch: &'static cl_icd_dispatch) {
        self.dispatch.store(ptr::from_ref(dispatch).cast_mut(), Ordering::Relaxed);
        self.object.store(object, Ordering::Relaxed);
        // Relaxed, and no addition in one step: whoever fills a slot has it alone.
        let before = self.generation.load(Ordering::Relaxed);
        self.generation.store(before + 1, Ordering::Relaxed);
        // Release: pairs with the Acquire in `step`.
        self.state.store(State::new(kind).0, Ordering::Release);
    }

    /// The slot that a handle means, if there is one at that address.
    pub fn at(handle: *const c_void) -> Option<&'static Slot> {
        SLOTS.at(handle as usize)
    }

    /// One more reference, if an object of this kind lives here.
    #[inline]
    pub fn enter(&self, kind: Kind) -> bool {
        self.step(kind, |state| (state.all() < MOST).then_some(state.0 + ONE)).is_ok()
    }

    /// One more reference by the program.
    pub fn retain(&self, kind: Kind, invalid: cl_int) -> Result {
        let more = |state: State| (state.all() < MOST).then_some(state.0 + ONE_OF_PROGRAM + ONE);
        let full = Error(CL_OUT_OF_RESOURCES);
        self.step(kind, more).map_err(|lives| if lives { full } else { Error(invalid) })
    }

    /// One reference by the program becomes an ordinary one, which the caller has then.
    pub fn release(&self, kind: Kind, invalid: cl_int) -> Result {
        let fewer =
            |state: State| state.0.checked_sub(ONE_OF_PROGRAM).filter(|_| state.by_program() > 0);
        self.step(kind, fewer).map_err(|_| Error(invalid))
    }

    /// The caller's reference becomes the program's.
    pub fn hand_over(&self) {
        // Relaxed: the caller's reference keeps the object alive.
        self.state.fetch_add(ONE_OF_PROGRAM, Ordering::Relaxed);
    }

    /// The error says whether there is an object of this kind.
    #[inline]
    fn step(
        &self,
        kind: Kind,
        next: impl Fn(State) -> Option<u64>,
    ) -> std::result::Result<(), bool> {
        let mut seen = self.state.load(Ordering::Relaxed);
        loop {
            if !State(seen).is(kind) {
                return Err(false);
            }
            let Some(wanted) = next(State(seen)) else { return Err(true) };
            // Acquire: pairs with the Release in `fill`.
            let (won, lost) = (Ordering::Acquire, Ordering::Relaxed);
            match self.state.compare_exchange_weak(seen, wanted, won, lost) {
                Ok(_) => return Ok(()),
                Err(now) => seen = now,
            }
        }
    }

    /// One more reference for whoever has one.
    #[inline]
    pub fn share(&self) {
        // Relaxed: the caller's reference keeps the object alive.
        self.state.fetch_add(ONE, Ordering::Relaxed);
    }

    /// Gives one reference up; whether it was the last. Then the caller drops the object and calls `vacate`.
    #[inline]
    pub fn leave(&self) -> bool {
        // Release: pairs with the Acquire of whoever gives the last one up.
        let before = State(self.state.fetch_sub(ONE, Ordering::Release));
        if before.all() > 1 {
            return false;
        }
        // Acquire: pairs with the Release of every other `leave`. Not a fence: ThreadSanitizer knows of none.
        self.state.load(Ordering::Acquire);
        true
    }

    /// Gives the slot back, the object having been dropped; whether its memory stays with it.
    pub fn vacate(&'static self, kind: Kind) -> bool {
        let stays = kind.is_fleeting() && SLOTS.rooms.len() < SLOTS.most_rooms();
        let room = self.empty();
        if stays {
            SLOTS.rooms.push(Place { slot: self, room });
        } else {
            SLOTS.free.push(self);
        }
        stays
    }

    /// The memory that the object had.
    fn empty(&self) -> *mut c_void {
        let room = self.object();
        self.object.store(ptr::null_mut(), Ordering::Relaxed);
        // Relaxed: the queue of free slots orders this before the next `fill`.
        self.state.store(0, Ordering::Relaxed);
        room
    }

    /// What `fill` was given; for those who have a reference.
    #[inline]
    pub fn object(&self) -> *mut c_void {
        // Relaxed: whoever has a reference got it after `fill`.
        self.object.load(Ordering::Relaxed)
    }

    /// Which of the objects that have lived here it is; for those who have a reference.
    pub fn generation(&self) -> u64 {
        // Relaxed: whoever has a reference got it after `fill`.
        self.generation.load(Ordering::Relaxed)
    }

    /// References by the program, as it may ask for them.
    pub fn references(&self) -> u32 {
        State(self.state.load(Ordering::Relaxed)).by_program() as u32
    }

    pub fn handle(&'static self) -> *mut c_void {
        ptr::from_ref(self).cast_mut().cast()
    }
}

/// The range of addresses.
struct Slots {
    /// Null if not even the smallest range could be had.
    base: *const Slot,
    capacity: usize,
    /// How many have been used at all.
    used: AtomicUsize,
    free: SegQueue<&'static Slot>,
    /// Free slots with memory.
    rooms: SegQueue<Place>,
}

// SAFETY: the pointer is to slots, which are atomics; it never changes. Nobody else knows the memory of free slots.
unsafe impl Send for Slots {}
// SAFETY: as above.
unsafe impl Sync for Slots {}

static SLOTS: LazyLock<Slots> = LazyLock::new(Slots::reserve);

/// Of addresses; memory is taken page by page as slots are used.
const MOST_BYTES: usize = 1 << 30;
const LEAST_BYTES: usize = 1 << 16;
/// Free slots that stay unused before the first of them is used again.
const REST: usize = 256;
/// Free slots that keep their memory, which is less than a kilobyte each.
const MOST_ROOMS: usize = 4096;

impl Slots {
    fn reserve() -> Slots {
        let mut bytes = MOST_BYTES;
        let mut base: *const Slot = ptr::null();
        while base.is_null() && bytes >= LEAST_BYTES {
            base = map(bytes);
            bytes /= 2;
        }
        let capacity = if base.is_null() { 0 } else { bytes * 2 / size_of::<Slot>() };
        let (free, rooms) = (SegQueue::new(), SegQueue::new());
        Slots { base, capacity, used: AtomicUsize::new(0), free, rooms }
    }

    /// So few that there are slots for other kinds even in the smallest range.
    fn most_rooms(&self) -> usize {
        MOST_ROOMS.min(self.capacity / 4)
    }

    fn take(&self, kind: Kind) -> Option<Place> {
        let bare = || self.free.pop().map(Place::bare);
        let used_before = || if kind.is_fleeting() { self.rooms.pop() } else { bare() };
        let resting = if kind.is_fleeting() { self.rooms.len() } else { self.free.len() };
        if resting > REST
            && let Some(place) = used_before()
        {
            return Some(place);
        }
        // Relaxed: the number alone matters.
        let claim = |used: usize| (used < self.capacity).then_some(used + 1);
        match self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, claim) {
            Ok(index) => Some(Place::bare(self.slot(index))),
            Err(_) => used_before().or_else(bare),
        }
    }

    fn at(&self, address: usize) -> Option<&'static Slot> {
        let offset = address.checked_sub(self.base as usize)?;
        let index = offset / size_of::<Slot>();
        let is_slot = index < self.capacity && offset.is_multiple_of(size_of::<Slot>());
        is_slot.then(|| self.slot(index))
    }

    fn slot(&self, index: usize) -> &'static Slot {
        debug_assert!(index < self.capacity);
        // SAFETY: the index is in the range, which is mapped for ever; zeroed memory is a free slot.
        unsafe { &*self.base.add(index) }
    }
}

/// Zeroed pages that exist once they are touched; null if there are no addresses for them.
fn map(bytes: usize) -> *const Slot {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping, wherever the kernel likes.
    let start = unsafe { libc::mmap(ptr::null_mut(), bytes, protection, flags, -1, 0) };
    if start == libc::MAP_FAILED { ptr::null() } else { start.cast() }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use crate::api::DISPATCH;
    use loom::sync::Arc;

    /// A slot with an object, to which one reference of the program's belongs. Objects are numbers here; 0 is one that was
    /// dropped.
    fn slot(kind: Kind, object: usize) -> Slot {
        let (state, generation) = (AtomicU64::new(0), AtomicU64::new(0));
        let slot = Slot {
            dispatch: AtomicPtr::new(ptr::null_mut()),
            state,
            object: AtomicPtr::new(ptr::null_mut()),
            generation,
        };
        slot.fill(kind, object as *mut c_void, &DISPATCH);
        slot.hand_over();
        slot
    }

    /// Gives a reference up, as `Ref` does: whether the object went.
    fn leave(slot: &Slot) -> bool {
        let is_last = slot.leave();
        if is_last {
            slot.empty();
        }
        is_last
    }

    fn release(slot: &Slot) -> bool {
        slot.release(Kind::Memory, -1).is_ok() && leave(slot)
    }

    /// One thread releases the object while another looks it up: it goes once, and not under anybody's eyes.
    #[test]
    fn an_object_lives_while_somebody_uses_it() {
        loom::model(|| {
            let slot = Arc::new(slot(Kind::Memory, 7));
            let other = slot.clone();
            let user = loom::thread::spawn(move || {
                if !other.enter(Kind::Memory) {
                    return None;
                }
                assert_eq!(other.object() as usize, 7);
                Some(leave(&other))
            });
            let went_here = release(&slot);
            let went_there = user.join().unwrap();
            assert!(went_here != went_there.unwrap_or(false), "it goes once");
            assert!(!slot.enter(Kind::Memory));
        });
    }

    /// The same where the memory stays and the next object lives there: he sees one of the two, and the same as long as he has
    /// it.
    #[test]
    fn memory_that_stays_has_one_object_at_a_time() {
        use loom::sync::atomic::AtomicUsize;
        loom::model(|| {
            let shared = Arc::new((slot(Kind::Event, 7), AtomicUsize::new(1)));
            let other = shared.clone();
            let user = loom::thread::spawn(move || {
                if other.0.enter(Kind::Event) {
                    let content = other.1.load(Ordering::Relaxed);
                    assert_eq!(other.1.load(Ordering::Relaxed), content);
                    assert!(content != 0 && other.0.object() as usize == 7);
                    return other.0.leave();
                }
                false
            });
            let release = || shared.0.release(Kind::Event, -1).is_ok() && shared.0.leave();
            if release() {
                shared.1.store(0, Ordering::Relaxed);
                let room = shared.0.empty();
                shared.1.store(2, Ordering::Relaxed);
                shared.0.fill(Kind::Event, room, &DISPATCH);
            }
            user.join().unwrap();
        });
    }

    /// Two threads release what the program has one reference to: one is refused.
    #[test]
    fn a_reference_is_released_once() {
        loom::model(|| {
            let slot = Arc::new(slot(Kind::Memory, 7));
            let other = slot.clone();
            let thread = loom::thread::spawn(move || release(&other));
            let went_here = release(&slot);
            assert!(went_here != thread.join().unwrap());
        });
    }

    /// The slot is used again while somebody looks up the old handle: he gets the old object, the new one whole where it is of
    /// the same kind, or nothing.
    #[test]
    fn an_old_handle_means_no_half_of_a_new_object() {
        for kind in [Kind::Memory, Kind::Event] {
            loom::model(move || {
                let slot = Arc::new(slot(Kind::Memory, 7));
                let other = slot.clone();
                let user = loom::thread::spawn(move || {
                    if other.enter(Kind::Memory) {
                        let object = other.object() as usize;
                        assert!(object == 7 || (object == 8 && kind == Kind::Memory), "{object}");
                        leave(&other);
                    }
                });
                if release(&slot) {
                    slot.fill(kind, 8 as *mut c_void, &DISPATCH);
                }
                user.join().unwrap();
            });
        }
    }
}
