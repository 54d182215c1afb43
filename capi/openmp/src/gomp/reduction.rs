//! libgomp's task reductions.
//!
//! Terms: a *descriptor* is an array of words that the compiler lays out and the runtime completes:
//! `[count, bytes a thread, alignment, allocator, next descriptor, -, -]`, then for each variable
//! `[address, offset, -]` by ascending offset. Registering replaces the alignment by the address of
//! zeroed memory, as many bytes for each thread of the team, and the last two words by a mark that
//! the registration starts here and by the memory's end. The last descriptor of a registration gets
//! the enclosing one as its next. A thread's private copy lies at memory + number * bytes + offset.
//!
//! Who sees which: a taskgroup keeps the registration it was given, a region that of its parallel
//! construct; a task uses the innermost. In worksharing constructs each thread has a descriptor of its
//! own, in a taskgroup of its own; all share the memory of the first.
//! Source: the calls gcc 12 makes; libgomp's `task.c` for the layout; OpenMP 5.2 section 5.5.
#![allow(unsafe_code)]

use super::parallel::request;
use crate::handle::Flag;
use libc::{c_uint, c_void, size_t};
use std::sync::atomic::Ordering;
use vicinity_runtime::report;
use vicinity_runtime::task::record::Body;
use vicinity_runtime::task::reduction::groups;
use vicinity_runtime::task::wait;
use vicinity_runtime::team::region;
use vicinity_runtime::thread::{Thread, current};

#[derive(Clone, Copy)]
struct Descriptor(*mut usize);

/// Words of a descriptor.
mod word {
    pub const COUNT: usize = 0;
    pub const BYTES: usize = 1;
    pub const MEMORY: usize = 2;
    pub const NEXT: usize = 4;
    pub const IS_FIRST: usize = 5;
    pub const END: usize = 6;
    pub const VARIABLES: usize = 7;
}

impl Descriptor {
    fn at(address: usize) -> Option<Descriptor> {
        (address != 0).then_some(Descriptor(address as *mut usize))
    }

    fn get(self, word: usize) -> usize {
        // SAFETY: descriptors are as long as their count says, and live while registered.
        unsafe { *self.0.add(word) }
    }

    fn set(self, word: usize, value: usize) {
        // SAFETY: as in `get`; the registering thread alone writes.
        unsafe { *self.0.add(word) = value };
    }

    fn next(self) -> Option<Descriptor> {
        Descriptor::at(self.get(word::NEXT))
    }

    /// This one and those after it, enclosing registrations included.
    fn chain(self) -> impl Iterator<Item = Descriptor> {
        std::iter::successors(Some(self), |descriptor| descriptor.next())
    }

    /// (address, offset) of each variable.
    fn variables(self) -> impl Iterator<Item = (usize, usize)> {
        let entry = |index| word::VARIABLES + 3 * index;
        let count = self.get(word::COUNT);
        (0..count).map(move |index| (self.get(entry(index)), self.get(entry(index) + 1)))
    }

    /// Where the thread numbered `num` has its copy of the variable at this offset.
    fn copy(self, num: u32, offset: usize) -> usize {
        self.get(word::MEMORY) + num as usize * self.get(word::BYTES) + offset
    }

    /// Completes the descriptors from this one to the last, with fresh memory or that of `first`.
    fn register(self, outer: Option<Descriptor>, mut first: Option<Descriptor>, members: u32) {
        let mut descriptor = self;
        loop {
            match first {
                Some(first) => [word::MEMORY, word::END]
                    .iter()
                    .for_each(|&word| descriptor.set(word, first.get(word))),
                None => descriptor.allocate(members),
            }
            first = first.and_then(Descriptor::next);
            descriptor.set(word::IS_FIRST, 0);
            match descriptor.next() {
                Some(next) => descriptor = next,
                None => break,
            }
        }
        descriptor.set(word::NEXT, outer.map_or(0, |outer| outer.0 as usize));
        self.set(word::IS_FIRST, 1);
    }

    fn allocate(self, members: u32) {
        let align = self.get(word::MEMORY).max(size_of::<usize>());
        let bytes = self.get(word::BYTES) * members as usize;
        let mut memory = std::ptr::null_mut();
        // SAFETY: the alignment is a power of two, as the compiler gave it, and `memory` a valid place.
        if unsafe { libc::posix_memalign(&mut memory, align, bytes.max(1)) } != 0 {
            report::fatal(&format!(
                "no memory for the private copies of a reduction ({bytes} bytes)"
            ));
        }
        // SAFETY: the block has that many bytes.
        unsafe { memory.cast::<u8>().write_bytes(0, bytes) };
        self.set(word::MEMORY, memory as usize);
        self.set(word::END, memory as usize + bytes);
    }

    /// Frees the memory of this registration.
    fn release(self) {
        let own = |(index, descriptor): &(usize, Descriptor)| {
            *index == 0 || descriptor.get(word::IS_FIRST) == 0
        };
        for (_, descriptor) in self.chain().enumerate().take_while(own) {
            // SAFETY: `allocate` made the block, and all tasks that use it are gone.
            unsafe { libc::free(descriptor.get(word::MEMORY) as *mut c_void) };
        }
    }

    /// For a variable, or any thread's copy of one: the calling thread's copy, and the original.
    fn find(self, address: usize, num: u32) -> Option<(usize, usize)> {
        let original = |descriptor: Descriptor| {
            let (_, offset) = descriptor.variables().find(|&(original, _)| original == address)?;
            Some((descriptor.copy(num, offset), address))
        };
        let copy = |descriptor: Descriptor| {
            let memory = descriptor.get(word::MEMORY)..descriptor.get(word::END);
            if !memory.contains(&address) {
                return None;
            }
            let offset = (address - memory.start) % descriptor.get(word::BYTES);
            let exact = descriptor.variables().find(|&(_, at)| at == offset);
            Some((descriptor.copy(num, offset), exact.map_or(0, |(original, _)| original)))
        };
        self.chain().find_map(original).or_else(|| self.chain().find_map(copy))
    }
}

/// The registration that the current task uses.
fn innermost(thread: &Thread) -> Option<Descriptor> {
    let of_groups =
        || groups(thread).find_map(|group| Descriptor::at(group.reductions.get().address));
    // Acquire: pairs with the Release in `GOMP_parallel_reductions`.
    let of_region =
        || Descriptor::at(thread.member().team().reductions.cell(false).load(Ordering::Acquire));
    of_groups().or_else(of_region)
}

/// Registers with the innermost taskgroup of the current task.
fn register(descriptor: Descriptor, first: Option<Descriptor>) {
    let thread = current();
    descriptor.register(innermost(thread), first, thread.member().team().size());
    if let Some(group) = thread.task().group.get() {
        group.reductions.with(|reductions| reductions.address = descriptor.0 as usize);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_taskgroup_reduction_register(descriptor: *mut usize) {
    register(Descriptor(descriptor), None);
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_taskgroup_reduction_unregister(descriptor: *mut usize) {
    Descriptor(descriptor).release();
}

/// Replaces `count` addresses of variables, or of copies that enclosing tasks have, by those of the calling
/// thread's copies; the originals of the first `wanted` follow them in the array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_task_reduction_remap(
    count: size_t,
    wanted: size_t,
    addresses: *mut usize,
) {
    let thread = current();
    let registered = innermost(thread);
    for index in 0..count {
        // SAFETY: the compiler's array of `count` addresses and room for `wanted` more.
        let place = unsafe { &mut *addresses.add(index) };
        let found = registered.and_then(|first| first.find(*place, thread.member().num));
        let Some((copy, original)) = found else {
            report::fatal(&format!(
                "no task reduction around this task covers the item at {:#x}",
                *place
            ))
        };
        *place = copy;
        if index < wanted {
            // SAFETY: as above.
            unsafe { *addresses.add(count + index) = original };
        }
    }
}

/// A parallel region whose reductions tasks take part in; the descriptor is the first captured
/// pointer. Returns the number of threads, for the compiler's combining.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_parallel_reductions(
    body: Body,
    data: *mut c_void,
    num_threads: c_uint,
    flags: c_uint,
) -> c_uint {
    // SAFETY: the compiler puts the descriptor first.
    let descriptor = Descriptor(unsafe { *data.cast::<*mut usize>() });
    let mut size = 1;
    region::start_team(body, data, request(num_threads, flags), |team| {
        size = team.size();
        descriptor.register(None, None, size);
        // Release: pairs with the Acquire in `innermost`.
        team.reductions.cell(false).store(descriptor.0 as usize, Ordering::Release);
    });
    // SAFETY: the program's outlined function and its data.
    unsafe { body(data) };
    region::end();
    size
}

/// Every thread, before it enters a worksharing construct with reductions that tasks take part in.
pub fn begin_worksharing() {
    wait::begin_group().reductions.with(|reductions| reductions.worksharing = true);
}

/// The first thread in the construct, before any other comes in.
///
/// # Safety
/// `descriptor` is the compiler's.
pub unsafe fn register_first(descriptor: *mut usize) {
    register(Descriptor(descriptor), None);
}

/// Another thread: shares the first one's memory.
///
/// # Safety
/// Both descriptors are the compiler's, of one construct.
pub unsafe fn register_later(descriptor: *mut usize, first: *mut usize) {
    register(Descriptor(descriptor), Descriptor::at(first as usize));
}

/// Every thread, at the end of such a construct.
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_workshare_task_reduction_unregister(cancelled: Flag) {
    let thread = current();
    let registered = thread.task().group.get().map_or(0, |group| group.reductions.get().address);
    wait::end_group();
    if thread.member().num == 0
        && let Some(descriptor) = Descriptor::at(registered)
    {
        descriptor.release();
    }
    if !cancelled.is_set() {
        region::barrier();
    }
}
