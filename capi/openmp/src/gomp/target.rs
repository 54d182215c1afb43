//! libgomp's target constructs, on the host and on its locations (`vicinity_runtime::devices`), which share its memory.
//!
//! A target region is a task; its code gets the array of addresses (or values) of what was mapped. These are
//! the originals; variables that are firstprivate are copied first. A device's own thread runs what is for
//! it; a task with `nowait` is detached meanwhile. Data constructs keep their order among dependent tasks; those
//! that map data for longer than a region have its pages move to the device's location.
//! Source: the calls gcc 12 makes; kinds and arguments as its `gomp-constants.h` has them; OpenMP 5.2
//! section 13 (devices), 3.2.9 (target-offload-var).
#![allow(unsafe_code)]

use super::depend;
use super::target_capture::Capture;
use crate::api::copies;
use crate::handle::Pointer;
use libc::{c_int, c_uint, size_t};
use vicinity_alloc::repair;
use vicinity_runtime::clause::THREAD_LIMIT as THREAD_LIMIT_CLAUSE;
use vicinity_runtime::settings::TargetOffload;
use vicinity_runtime::task::admit::{self, Clauses, Spec, admit};
use vicinity_runtime::task::record::{Body, TaskRef, flag};
use vicinity_runtime::task::{detach, run, wait};
use vicinity_runtime::trace;
use vicinity_runtime::{devices, global, icv, report, teams, thread};

const NOWAIT: u32 = 1;

/// Device numbers that stand for something else.
mod device {
    /// default-device-var.
    pub const DEFAULT: i32 = -1;
    /// The if clause says no.
    pub const FALLBACK: i32 = -2;
}

/// The device that a construct is for; none: where the calling thread is. A program that insists on a device that is not
/// there cannot go on.
pub fn device_of(number: c_int) -> Option<c_int> {
    let asked = if number == device::DEFAULT { icv::current().default_device } else { number };
    if asked == device::FALLBACK || icv::current().on_device.is_some() {
        return None;
    }
    if devices::location(asked).is_some() {
        return Some(asked);
    }
    let mandatory = global::settings().target_offload == TargetOffload::Mandatory;
    if !mandatory || asked == devices::count() {
        return None;
    }
    report::warn(&format!(
        "OMP_TARGET_OFFLOAD is mandatory, but there is no device {asked} other than the host"
    ));
    std::process::exit(1);
}

/// The value of the thread_limit clause among a target construct's arguments; 0 without one.
///
/// # Safety
/// `arguments` is null, or an array that ends with null.
unsafe fn thread_limit(mut arguments: *const usize) -> u32 {
    const DEVICES: usize = 0x7f;
    const VALUE_FOLLOWS: usize = 0x80;
    const WHICH: usize = 0xff00;
    const THREAD_LIMIT: usize = 2 << 8;
    if arguments.is_null() {
        return 0;
    }
    // SAFETY: the caller's contract; each entry is one word, or two where it says so.
    unsafe {
        while *arguments != 0 {
            let word = *arguments;
            arguments = arguments.add(1);
            let value = if word & VALUE_FOLLOWS != 0 {
                arguments = arguments.add(1);
                *arguments.sub(1)
            } else {
                word >> 16
            };
            if word & DEVICES == 0 && word & WHICH == THREAD_LIMIT {
                // Its low half: a negative number that the program wrote.
                return THREAD_LIMIT_CLAUSE.of(value as i32);
            }
        }
    }
    0
}

/// The form of OpenMP 4.0: no firstprivate variables, no tasks.
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_target(
    device: c_int,
    body: Body,
    _unused: Pointer,
    _count: size_t,
    addresses: *mut Pointer,
    _sizes: *const size_t,
    _kinds: *const u8,
) {
    match device_of(device) {
        None => teams::run_target(body, addresses.cast(), 0),
        Some(device) => {
            let addresses = addresses.expose_provenance();
            let run = move || {
                teams::run_target(body, std::ptr::with_exposed_provenance_mut(addresses), 0)
            };
            devices::run(device, Box::new(run));
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_target_ext(
    device: c_int,
    body: Body,
    count: size_t,
    addresses: *mut Pointer,
    sizes: *const size_t,
    kinds: *const u16,
    flags: c_uint,
    depend: *const Pointer,
    arguments: *const usize,
) {
    let device = device_of(device);
    let thread = thread::current();
    let parent = thread.task();
    if run::discards(thread) {
        return;
    }
    // SAFETY: the compiler's arrays, of `count` items.
    let capture = unsafe {
        Capture::new(body, thread_limit(arguments), device, count, addresses, sizes, kinds)
    };
    // SAFETY: the compiler's array, or null.
    let dependences = unsafe { depend::list(depend) };
    let undeferred = flags & NOWAIT == 0 || parent.is(flag::FINAL);
    let detachable = device.is_some() && !undeferred;
    let clauses = Clauses { undeferred, detachable, ..Clauses::default() };
    let spec = Spec { clauses, dependences: &dependences, ..Spec::default() };
    let admission = admit(thread, parent, &spec);
    let more = if detachable { flag::DETACHABLE } else { 0 };
    let task = TaskRef::allocate(thread, parent, parent.inherited_flags() | more, capture.bytes());
    let (entry, event) = match device {
        None => (Capture::run as *const (), 0),
        Some(_) if undeferred => (Capture::run_there as *const (), 0),
        Some(_) => (Capture::send as *const (), detach::allow_completion(task)),
    };
    task.set_entry(entry as usize);
    trace::name(thread, task, body as usize);
    trace::depends(thread, task, &dependences);
    // SAFETY: the payload has room for the capture.
    unsafe { capture.store(task.payload().cast(), event) };
    admit::carry_out(thread, parent, task, &dependences, admission);
}

/// A construct that would only move data: keeps its place among dependent tasks.
///
/// # Safety
/// `depend` is the compiler's array, or null.
unsafe fn keep_order(flags: c_uint, depend: *const Pointer) {
    let thread = thread::current();
    if depend.is_null() || run::discards(thread) {
        return;
    }
    // SAFETY: the caller's contract.
    let dependences = unsafe { depend::list(depend) };
    if flags & NOWAIT == 0 {
        return wait::wait_for_dependences(&dependences);
    }
    let empty = TaskRef::allocate(thread, thread.task(), 0, 0);
    trace::depends(thread, empty, &dependences);
    admit::defer(thread, thread.task(), empty, &dependences);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_target_update_ext(
    device: c_int,
    _count: size_t,
    _addresses: *mut Pointer,
    _sizes: *const size_t,
    _kinds: *const u16,
    flags: c_uint,
    depend: *const Pointer,
) {
    device_of(device);
    // SAFETY: the compiler's array, or null.
    unsafe { keep_order(flags, depend) };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_target_enter_exit_data(
    device: c_int,
    count: size_t,
    addresses: *mut Pointer,
    sizes: *const size_t,
    kinds: *const u16,
    flags: c_uint,
    depend: *const Pointer,
) {
    let device = device_of(device);
    // SAFETY: the compiler's arrays; `depend` may be null.
    unsafe {
        let later = device.filter(|_| flags & NOWAIT != 0);
        if let Some(device) = later.and_then(|device| copies::who([device; 2])) {
            let mapped = mapped(count, addresses, sizes, kinds);
            let job = move || bring(device, mapped);
            return copies::later(device, &depend::list(depend), Box::new(job));
        }
        keep_order(flags, depend);
        if let Some(device) = device {
            bring(device, mapped(count, addresses, sizes, kinds));
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_target_update(
    device: c_int,
    _unused: Pointer,
    _count: size_t,
    _addresses: *mut Pointer,
    _sizes: *const size_t,
    _kinds: *const u8,
) {
    device_of(device);
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_target_data(
    device: c_int,
    _unused: Pointer,
    _count: size_t,
    _addresses: *mut Pointer,
    _sizes: *const size_t,
    _kinds: *const u8,
) {
    device_of(device);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_target_data_ext(
    device: c_int,
    count: size_t,
    addresses: *mut Pointer,
    sizes: *const size_t,
    kinds: *const u16,
) {
    if let Some(device) = device_of(device) {
        // SAFETY: the compiler's arrays.
        bring(device, unsafe { mapped(count, addresses, sizes, kinds) });
    }
}

/// What is mapped, but for what leaves the device: addresses and lengths.
///
/// # Safety
/// The arrays have `count` items.
unsafe fn mapped(
    count: size_t,
    addresses: *const Pointer,
    sizes: *const size_t,
    kinds: *const u16,
) -> Vec<(usize, usize)> {
    /// Low bytes of kinds: alloc, to, from, tofrom, and those with `always`.
    const MAPPED: [u16; 7] = [0, 1, 2, 3, 0x11, 0x12, 0x13];
    // SAFETY: the caller's contract.
    let item = |at| unsafe { (*addresses.add(at), *sizes.add(at), *kinds.add(at) & 0xff) };
    let items = (0..count).map(item).filter(|(.., kind)| MAPPED.contains(kind));
    items.map(|(address, bytes, _)| (address.addr(), bytes)).collect()
}

/// Has the pages of what is mapped move to the device's location. Data of less than a page stays.
fn bring(device: c_int, mapped: Vec<(usize, usize)>) {
    let Some(location) = devices::location(device) else { return };
    for (address, bytes) in mapped {
        repair::bring(address, bytes, location);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_target_end_data() {}

/// A program brings code for devices, which stays unused.
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_offload_register_ver(
    _version: c_uint,
    _host_table: Pointer,
    _device_type: c_int,
    _device_data: Pointer,
) {
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_offload_register(
    _host_table: Pointer,
    _device_type: c_int,
    _device_data: Pointer,
) {
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_offload_unregister_ver(
    _version: c_uint,
    _host_table: Pointer,
    _device_type: c_int,
    _device_data: Pointer,
) {
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_offload_unregister(
    _host_table: Pointer,
    _device_type: c_int,
    _device_data: Pointer,
) {
}
