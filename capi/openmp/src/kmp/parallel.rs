//! libomp's parallel regions, barriers and thread numbers.
#![allow(unsafe_code)]

use super::misc::Location;
use super::num_threads;
use crate::handle::Pointer;
use libc::{c_int, c_void};
use vicinity_runtime::clause::NUM_THREADS;
use vicinity_runtime::team::Team;
use vicinity_runtime::team::places::Clause;
use vicinity_runtime::team::region::{self, Request};
use vicinity_runtime::thread::{self, Pushed, Strict, Thread};
use vicinity_runtime::{icv, tool, trace};

/// An outlined function: (global thread number, bound thread number, captured variables...).
pub type Microtask = unsafe extern "C" fn(*const i32, *const i32);

unsafe extern "C" {
    /// Calls a microtask with any number of arguments (capi/openmp/shim/microtask.S).
    fn vicinity_invoke_microtask(
        body: Microtask,
        gtid: *const i32,
        bound: *const i32,
        count: c_int,
        arguments: *const Pointer,
        frame: *mut usize,
    );
}

/// A microtask with its arguments.
#[derive(Clone, Copy)]
pub struct Call {
    pub body: Microtask,
    pub count: c_int,
    pub arguments: *const Pointer,
}

impl Call {
    /// Runs it as the calling thread.
    pub fn run(&self) {
        let thread = thread::current();
        let Call { body, count, arguments } = *self;
        let member = thread.member();
        let (bound, frame) = (member.num as i32, member.tool.exit());
        // SAFETY: the compiler made the microtask for these arguments; the frame is noted where the member's facts are.
        unsafe { vicinity_invoke_microtask(body, &thread.gtid, &bound, count, arguments, frame) };
    }
}

/// The entry of a region that runs a microtask: `data` is its call.
pub extern "C" fn enter(data: *mut c_void) {
    // SAFETY: every region with this entry has a call that outlives the region.
    unsafe { (*data.cast::<Call>()).run() };
}

/// The clauses pushed ahead of the construct.
pub fn request(thread: &Thread) -> Request {
    let Pushed { num_threads, proc_bind, num_teams, thread_limit, .. } = thread.pushed.get();
    thread.pushed.set(Pushed { num_teams, thread_limit, ..Pushed::default() });
    let clause = |bind| Clause { code: bind as i32, stays: false };
    Request { num_threads, proc_bind: proc_bind.checked_sub(1).map(clause) }
}

/// `__kmpc_fork_call` behind its variable argument list.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_kmp_fork_call(
    location: Pointer,
    count: c_int,
    body: Microtask,
    arguments: *const Pointer,
) {
    let mut call = Call { body, count, arguments };
    fork(location, &mut call, true);
}

fn fork(location: Pointer, call: &mut Call, condition: bool) {
    let thread = thread::current();
    let Pushed { threads, strict, .. } = thread.pushed.get();
    let mut request = request(thread);
    if !condition {
        request.num_threads = 1;
    }
    trace::next_region(thread, call.body as usize, location as usize);
    if threads.is_none() && strict.is_none() {
        return region::parallel(enter, std::ptr::from_mut(call).cast(), request);
    }
    let mut run = || fork_strictly(call, request, strict.filter(|_| condition));
    match threads {
        // SAFETY: pushed just before.
        Some(threads) => icv::with_threads(&unsafe { num_threads::list(threads) }, run),
        None => run(),
    }
}

/// A region that may insist on its number of threads.
fn fork_strictly(call: &mut Call, request: Request, strict: Option<Strict>) {
    let data = std::ptr::from_mut(call).cast();
    let check = |team: &Team| {
        strict.inspect(|strict| num_threads::check(strict, request.num_threads, team.size()));
    };
    region::start_team(enter, data, request, check);
    enter(data);
    region::end();
}

/// A parallel construct with an if clause; one argument.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_fork_call_if(
    location: Pointer,
    _count: c_int,
    body: Microtask,
    condition: c_int,
    argument: Pointer,
) {
    let arguments = [argument];
    let count = c_int::from(!argument.is_null());
    let mut call = Call { body, count, arguments: arguments.as_ptr() };
    fork(location, &mut call, condition != 0);
}

/// A region of one thread, whose body the compiler calls itself.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_serialized_parallel(_location: Pointer, _gtid: c_int) {
    extern "C" fn nothing(_data: *mut c_void) {}
    let request = Request { num_threads: 1, ..request(thread::current()) };
    region::start(nothing, std::ptr::null_mut(), request, |_| ());
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_serialized_parallel(_location: Pointer, _gtid: c_int) {
    region::end();
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_barrier(location: *const Location, _gtid: c_int) {
    if tool::is_on() {
        // SAFETY: null, or the compiler's location.
        unsafe { tell_kind(location) };
    }
    region::barrier();
}

/// Tells a tool whether a barrier is a construct, as the compiler's location does.
///
/// # Safety
/// `location` is null or the compiler's.
#[cold]
unsafe fn tell_kind(location: *const Location) {
    const EXPLICIT: i32 = 0x20;
    // SAFETY: the caller's promise.
    let flags = unsafe { location.as_ref() }.map_or(EXPLICIT, |location| location.flags);
    let is_construct = flags & EXPLICIT != 0;
    tool::sync::next_barrier(if is_construct {
        tool::abi::sync::BARRIER_EXPLICIT
    } else {
        tool::abi::sync::BARRIER_WORKSHARE
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_cancel_barrier(location: *const Location, _gtid: c_int) -> c_int {
    if tool::is_on() {
        // SAFETY: null, or the compiler's location.
        unsafe { tell_kind(location) };
    }
    region::barrier().into()
}

/// A barrier after which one thread, the one that gets true, goes on with a master block.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_barrier_master_nowait(_location: Pointer, _gtid: c_int) -> c_int {
    region::barrier();
    (thread::current().member().num == 0).into()
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_global_thread_num(_location: Pointer) -> c_int {
    thread::current().gtid
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_global_num_threads(_location: Pointer) -> c_int {
    thread::current().member().team().size() as c_int
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_bound_thread_num(_location: Pointer) -> c_int {
    thread::current().member().num as c_int
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_bound_num_threads(_location: Pointer) -> c_int {
    thread::current().member().team().size() as c_int
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_in_parallel(_location: Pointer) -> c_int {
    (thread::current().member().team().nest().active_level > 0).into()
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_push_num_threads(_location: Pointer, _gtid: c_int, count: c_int) {
    push(|pushed| pushed.num_threads = NUM_THREADS.of(count));
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_push_proc_bind(_location: Pointer, _gtid: c_int, bind: c_int) {
    push(|pushed| pushed.proc_bind = bind.max(0) as u32 + 1);
}

pub fn push(change: impl FnOnce(&mut Pushed)) {
    thread::current().pushed.with(change);
}
