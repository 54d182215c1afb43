//! What a tool may ask: the entry points of the interface, by name.
//!
//! Source: OpenMP 5.2, section 19.6 (entry points of the OMPT interface).
#![allow(unsafe_code)]

use super::abi::{Data, Frames, Interface, state, task as kind};
use super::facts::state_in;
use super::{TaskFacts, callbacks, find, mutex, of_thread};
use crate::global;
use crate::task::record::{HEADER_BYTES, TaskRef, flag};
use crate::team::{Member, places};
use crate::thread::{self, Thread};
use crate::trace;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;

/// `ompt_function_lookup_t`: none for a name that is not known.
pub unsafe extern "C" fn lookup(name: *const c_char) -> Option<Interface> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the tool passes a string.
    let name = unsafe { CStr::from_ptr(name) }.to_str().ok()?;
    let address = match name {
        "ompt_set_callback" => callbacks::set as *const (),
        "ompt_get_callback" => callbacks::get as *const (),
        "ompt_enumerate_states" => enumerate_states as *const (),
        "ompt_enumerate_mutex_impls" => enumerate_mutex_impls as *const (),
        "ompt_get_state" => get_state as *const (),
        "ompt_get_thread_data" => get_thread_data as *const (),
        "ompt_get_parallel_info" => get_parallel_info as *const (),
        "ompt_get_task_info" => get_task_info as *const (),
        "ompt_get_task_memory" => get_task_memory as *const (),
        "ompt_get_unique_id" => get_unique_id as *const (),
        "ompt_get_num_procs" => get_num_procs as *const (),
        "ompt_get_num_places" => get_num_places as *const (),
        "ompt_get_place_proc_ids" => get_place_proc_ids as *const (),
        "ompt_get_place_num" => get_place_num as *const (),
        "ompt_get_partition_place_nums" => get_partition_place_nums as *const (),
        "ompt_get_proc_id" => get_proc_id as *const (),
        "ompt_get_num_devices" => get_num_devices as *const (),
        "ompt_get_target_info" => get_target_info as *const (),
        "ompt_finalize_tool" => finalize_tool as *const (),
        _ => return None,
    };
    // SAFETY: the address of a function; the tool knows which type its name has.
    Some(unsafe { std::mem::transmute::<*const (), Interface>(address) })
}

/// The calling thread, if it is watched.
fn me() -> Option<&'static Thread> {
    thread::try_current().filter(|thread| of_thread(thread).is_some())
}

/// Writes what was asked for, where a place for it was given.
///
/// # Safety
/// `to` is null or a place for it.
unsafe fn give<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: the caller's promise.
        unsafe { to.write(value) };
    }
}

unsafe extern "C" fn enumerate_states(
    current: c_int,
    next: *mut c_int,
    name: *mut *const c_char,
) -> c_int {
    let known = state::NAMES;
    let at = match known.iter().position(|&(number, _)| number == current) {
        // From before the first one.
        _ if current == state::UNDEFINED => 0,
        Some(at) => at + 1,
        None => return 0,
    };
    let Some(&(number, text)) = known.get(at).filter(|&&(number, _)| number != state::UNDEFINED)
    else {
        return 0;
    };
    // SAFETY: the tool passes places for them.
    unsafe {
        give(next, number);
        give(name, text.as_ptr());
    }
    1
}

unsafe extern "C" fn enumerate_mutex_impls(
    current: c_int,
    next: *mut c_int,
    name: *mut *const c_char,
) -> c_int {
    if current != 0 {
        return 0;
    }
    // SAFETY: the tool passes places for them.
    unsafe {
        give(next, mutex::IMPLEMENTATION as c_int);
        give(name, c"word, spinning then sleeping".as_ptr());
    }
    1
}

unsafe extern "C" fn get_state(wait_id: *mut u64) -> c_int {
    let Some((thread, facts)) = me().and_then(|thread| Some((thread, of_thread(thread)?))) else {
        return state::WORK_SERIAL;
    };
    // SAFETY: the tool passes a place for it, or null.
    unsafe { give(wait_id, facts.wait_id.get()) };
    let (locks, waits) = (facts.lock_state.get(), TaskFacts::of(thread.task()).waits_in.get());
    match (locks, waits) {
        (0, 0) if thread.member().team().nest().level > 0 => state::WORK_PARALLEL,
        (0, 0) => state::WORK_SERIAL,
        (0, kind) => state_in(kind),
        (state, _) => state,
    }
}

extern "C" fn get_thread_data() -> *mut Data {
    me().and_then(of_thread).map_or(null_mut(), |facts| facts.data.address())
}

/// The member of a region that encloses the calling thread, level 0 being the innermost.
fn enclosing(thread: &Thread, level: c_int) -> Option<&'static Member> {
    let mut member = thread.member();
    for _ in 0..level {
        member = member.team().order.get().outer?.0;
    }
    Some(member)
}

unsafe extern "C" fn get_parallel_info(
    level: c_int,
    parallel: *mut *mut Data,
    size: *mut c_int,
) -> c_int {
    let Some(member) = me().filter(|_| level >= 0).and_then(|thread| enclosing(thread, level))
    else {
        return 0;
    };
    let team = member.team();
    // SAFETY: the tool passes places for them, or null.
    unsafe {
        give(parallel, team.tool.parallel.address());
        give(size, team.size() as c_int);
    }
    2
}

/// The task below the current one on the thread's stack, level 0 being that itself, with the member whose region it is in.
fn ancestor(thread: &'static Thread, level: c_int) -> Option<(TaskRef, &'static Member)> {
    let (mut task, mut member) = (thread.task(), thread.member());
    for _ in 0..level {
        (task, member) = if task.is(flag::IMPLICIT) {
            let (outer, met_by) = member.team().order.get().outer?;
            (met_by, outer)
        } else {
            (TaskFacts::of(task).below()?, member)
        };
    }
    Some((task, member))
}

/// Nobody defers an implicit task.
fn all_flags(flags: u32) -> u32 {
    flags | if flags & kind::IMPLICIT != 0 { kind::UNDEFERRED } else { 0 }
}

unsafe extern "C" fn get_task_info(
    level: c_int,
    flags: *mut c_int,
    data: *mut *mut Data,
    frame: *mut *mut Frames,
    parallel: *mut *mut Data,
    number: *mut c_int,
) -> c_int {
    let Some((task, member)) =
        me().filter(|_| level >= 0).and_then(|thread| ancestor(thread, level))
    else {
        return 0;
    };
    let facts = TaskFacts::of(task);
    // SAFETY: the tool passes places for them, or null.
    unsafe {
        give(flags, all_flags(facts.flags.get()) as c_int);
        give(data, facts.data.address());
        give(frame, facts.frames());
        give(parallel, member.team().tool.parallel.address());
        give(number, member.num as c_int);
    }
    2
}

/// The one block of memory of the current task: what it has captured. 0: there is no further one.
unsafe extern "C" fn get_task_memory(
    address: *mut *mut c_void,
    size: *mut usize,
    block: c_int,
) -> c_int {
    let task = me().map(|thread| thread.task()).filter(|task| !task.is(flag::IMPLICIT));
    let (start, bytes) = match task {
        Some(task) if block == 0 => {
            let tails = trace::FACT_BYTES + super::FACT_BYTES;
            (task.payload().cast(), task.block.bytes() - HEADER_BYTES - tails)
        }
        _ => (null_mut(), 0),
    };
    // SAFETY: the tool passes places for them, or null.
    unsafe {
        give(address, start);
        give(size, bytes);
    }
    0
}

/// Numbers that no other call gets: the thread's above, its own count below.
extern "C" fn get_unique_id() -> u64 {
    let Some((thread, facts)) = me().and_then(|thread| Some((thread, of_thread(thread)?))) else {
        return 0;
    };
    let count = facts.numbers.get() + 1;
    facts.numbers.set(count);
    (thread.gtid as u64 + 1) << 40 | count
}

extern "C" fn get_num_procs() -> c_int {
    global::processors_now() as c_int
}

extern "C" fn get_num_places() -> c_int {
    places::list().len() as c_int
}

/// The processors of a place: how many there are; they are written if there is room for all.
unsafe extern "C" fn get_place_proc_ids(place: c_int, room: c_int, ids: *mut c_int) -> c_int {
    let place = usize::try_from(place).ok().and_then(|place| places::list().get(place));
    let Some(place) = place else { return 0 };
    let count = place.len() as c_int;
    if room >= count && !ids.is_null() {
        for (at, processor) in place.iter().enumerate() {
            // SAFETY: the tool has room for `room` numbers.
            unsafe { ids.add(at).write(processor as c_int) };
        }
    }
    count
}

extern "C" fn get_place_num() -> c_int {
    match me().map(|thread| thread.member().spot.get().place) {
        Some(place) if place != places::NOWHERE => place as c_int,
        _ => -1,
    }
}

unsafe extern "C" fn get_partition_place_nums(room: c_int, numbers: *mut c_int) -> c_int {
    let Some(thread) = me() else { return 0 };
    let partition = thread.member().spot.get().partition;
    let count = partition.len as c_int;
    if room >= count && !numbers.is_null() {
        for at in 0..partition.len {
            // SAFETY: the tool has room for `room` numbers.
            unsafe { numbers.add(at as usize).write((partition.first + at) as c_int) };
        }
    }
    count
}

extern "C" fn get_proc_id() -> c_int {
    if me().is_none() {
        return -1;
    }
    // SAFETY: no arguments.
    unsafe { libc::sched_getcpu() }
}

/// The host.
extern "C" fn get_num_devices() -> c_int {
    1
}

extern "C" fn get_target_info(_device: *mut u64, _target: *mut u64, _host_op: *mut u64) -> c_int {
    0
}

extern "C" fn finalize_tool() {
    find::finalize();
}
