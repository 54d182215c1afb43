//! libomp's task reductions.
//!
//! Terms: a *registration* belongs to one taskgroup and says where the results go; the *copies* it
//! refers to are private to the threads of the team, one a variable and thread, made when a thread first asks for
//! its own. The taskgroups that the threads of a region or worksharing construct open for a reduction with the
//! `task` modifier share one set of copies; the last thread to leave combines them all.
//! A team of one works on the variables themselves.
//!
//! Protocol of the sharing: the team's cell is 0, then `BUSY` while the first thread makes the copies,
//! then their address until the last thread leaves. Each thread's place among the copies is written
//! by itself alone.
//! Source: the calls clang 19 makes; libomp's `kmp_tasking.cpp` for the layout; OpenMP 5.2 section 5.5.
#![allow(unsafe_code)]

use crate::handle::Pointer;
use libc::{c_int, c_void};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vicinity_runtime::task::group::Group;
use vicinity_runtime::task::reduction::groups_from;
use vicinity_runtime::task::wait;
use vicinity_runtime::team::Team;
use vicinity_runtime::{report, thread, wait as waiting};

/// A function of one or two addresses, whichever its use says.
type Unary = unsafe extern "C" fn(*mut c_void);
type Binary = unsafe extern "C" fn(*mut c_void, *mut c_void);

/// What the compiler says of a variable: the form whose initializer takes one address.
#[repr(C)]
pub struct OldInput {
    result: usize,
    bytes: usize,
    init: Option<Unary>,
    fini: Option<Unary>,
    combine: Binary,
    flags: u32,
}

/// The form whose initializer also gets the original.
#[repr(C)]
pub struct Input {
    result: usize,
    original: usize,
    bytes: usize,
    init: Option<Binary>,
    fini: Option<Unary>,
    combine: Binary,
    flags: u32,
}

#[derive(Clone, Copy)]
enum Init {
    Zero,
    Alone(Unary),
    From(Binary, usize),
}

/// One variable, as either form describes it.
#[derive(Clone, Copy)]
struct Variable {
    result: usize,
    bytes: usize,
    init: Init,
    fini: Option<Unary>,
    combine: Binary,
}

impl From<&OldInput> for Variable {
    fn from(input: &OldInput) -> Variable {
        let &OldInput { result, bytes, init, fini, combine, .. } = input;
        Variable { result, bytes, init: init.map_or(Init::Zero, Init::Alone), fini, combine }
    }
}

impl From<&Input> for Variable {
    fn from(input: &Input) -> Variable {
        let &Input { result, original, bytes, init, fini, combine, .. } = input;
        let original = if original == 0 { result } else { original };
        let init = init.map_or(Init::Zero, |init| Init::From(init, original));
        Variable { result, bytes, init, fini, combine }
    }
}

/// The threads' copies of some variables.
struct Copies {
    variables: Vec<Variable>,
    members: usize,
    /// By variable, then by thread; 0 is none yet.
    places: Vec<AtomicUsize>,
    /// Threads that have left, of those that share the copies.
    left: AtomicUsize,
    /// The team's cell, where threads share.
    cell: Option<&'static AtomicUsize>,
}

struct Registration {
    results: Vec<usize>,
    copies: Arc<Copies>,
}

fn layout(bytes: usize) -> Layout {
    // Copies of different threads share no cache line.
    Layout::from_size_align(bytes.max(1).next_multiple_of(64), 64)
        .unwrap_or_else(|_| report::fatal("a reduction variable is larger than the address space"))
}

impl Copies {
    fn new(
        variables: Vec<Variable>,
        members: u32,
        cell: Option<&'static AtomicUsize>,
    ) -> Arc<Copies> {
        let members = members as usize;
        let places = (0..variables.len() * members).map(|_| AtomicUsize::new(0)).collect();
        Arc::new(Copies { variables, members, places, left: AtomicUsize::new(0), cell })
    }

    /// The places of one variable's copies.
    fn places(&self, index: usize) -> &[AtomicUsize] {
        &self.places[index * self.members..(index + 1) * self.members]
    }

    /// The copy of the thread numbered `num`, made now if need be.
    fn copy(&self, index: usize, num: usize) -> usize {
        let place = &self.places(index)[num];
        // Relaxed: the thread's own.
        let known = place.load(Ordering::Relaxed);
        if known != 0 {
            return known;
        }
        let variable = &self.variables[index];
        // SAFETY: the layout is not empty.
        let memory = unsafe { alloc_zeroed(layout(variable.bytes)) };
        if memory.is_null() {
            report::out_of_memory(variable.bytes);
        }
        // SAFETY: the compiler's initializer for such a variable.
        unsafe {
            match variable.init {
                Init::Zero => (),
                Init::Alone(init) => init(memory.cast()),
                Init::From(init, original) => init(memory.cast(), original as *mut c_void),
            }
        }
        // Relaxed: others compare it, and read what it points to only after the group's end.
        place.store(memory as usize, Ordering::Relaxed);
        memory as usize
    }

    /// Whether `address` lies in some thread's copy.
    fn owns(&self, index: usize, address: usize) -> bool {
        let bytes = self.variables[index].bytes;
        // Relaxed: the caller got the address from a task that had that copy.
        let starts = self.places(index).iter().map(|place| place.load(Ordering::Relaxed));
        starts.into_iter().any(|start| start != 0 && (start..start + bytes).contains(&address))
    }

    /// Combines all copies into the results, and ends them. All tasks that used them are gone.
    fn finish(&self, results: &[usize]) {
        for (index, (variable, &result)) in self.variables.iter().zip(results).enumerate() {
            for place in self.places(index) {
                // Relaxed: the end of the taskgroups has synchronized.
                let copy = place.swap(0, Ordering::Relaxed) as *mut c_void;
                if copy.is_null() {
                    continue;
                }
                // SAFETY: the compiler's functions for such a variable; `copy` made the memory.
                unsafe {
                    (variable.combine)(result as *mut c_void, copy);
                    if let Some(fini) = variable.fini {
                        fini(copy);
                    }
                    dealloc(copy.cast(), layout(variable.bytes));
                }
            }
        }
    }
}

impl Registration {
    fn find(&self, address: usize, num: usize) -> Option<usize> {
        let is_it =
            |&index: &usize| self.results[index] == address || self.copies.owns(index, address);
        let index = (0..self.results.len()).find(is_it)?;
        Some(self.copies.copy(index, num))
    }

    /// The thread's taskgroup has ended: the only thread, or the last of those that share, combines.
    fn finish(self) {
        let Some(cell) = self.copies.cell else { return self.copies.finish(&self.results) };
        // AcqRel: the last sees what the others' tasks wrote.
        if self.copies.left.fetch_add(1, Ordering::AcqRel) + 1 == self.copies.members {
            self.copies.finish(&self.results);
            // Release: pairs with the Acquire in `share`, though a barrier comes between.
            let shared = cell.swap(0, Ordering::Release);
            // SAFETY: `share` put it there, and nobody else looks before the next construct.
            drop(unsafe { Arc::from_raw(shared as *const Copies) });
        }
    }
}

/// Gives the group a registration; all of one team's groups that share name a `cell`.
fn register(group: &Group, registration: Registration) {
    let address = Box::into_raw(Box::new(registration)) as usize;
    group.reductions.with(|reductions| reductions.address = address);
}

/// What the current task's innermost taskgroup registered, for `finish` after the group's end.
pub fn registered() -> usize {
    thread::current().task().group.get().map_or(0, |group| group.reductions.get().address)
}

/// A taskgroup with this registration has ended.
pub fn finish(registered: usize) {
    if registered != 0 {
        // SAFETY: `register` made the box, and the group that knew it is gone.
        unsafe { Box::from_raw(registered as *mut Registration) }.finish();
    }
}

/// The compiler's array as variables.
///
/// # Safety
/// `data` has `count` items of type `T`.
unsafe fn variables<T>(count: c_int, data: *const T) -> Vec<Variable>
where
    for<'a> Variable: From<&'a T>,
{
    // SAFETY: the caller's contract.
    unsafe { std::slice::from_raw_parts(data, count.max(0) as usize) }
        .iter()
        .map(Variable::from)
        .collect()
}

fn results(variables: &[Variable]) -> Vec<usize> {
    variables.iter().map(|variable| variable.result).collect()
}

/// Registers variables with the innermost taskgroup, and returns it.
fn open(variables: Vec<Variable>) -> Pointer {
    let thread = thread::current();
    let Some(group) = thread.task().group.get() else {
        report::fatal("a task reduction outside every taskgroup")
    };
    let members = thread.member().team().size();
    if members > 1 {
        let results = results(&variables);
        register(group, Registration { results, copies: Copies::new(variables, members, None) });
    }
    std::ptr::from_ref(group).cast_mut().cast()
}

const BUSY: usize = 1;

/// Opens a taskgroup whose copies the whole team shares.
fn open_shared(worksharing: bool, variables: Vec<Variable>) -> Pointer {
    let team = thread::current().member().team();
    let group = wait::begin_group();
    if team.size() > 1 {
        let results = results(&variables);
        register(group, Registration { results, copies: share(team, worksharing, variables) });
    }
    std::ptr::from_ref(group).cast_mut().cast()
}

fn share(team: &'static Team, worksharing: bool, variables: Vec<Variable>) -> Arc<Copies> {
    let cell = team.reductions.cell(worksharing);
    // Relaxed: losing needs the Acquire below, winning publishes by the Release below.
    if cell.compare_exchange(0, BUSY, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
        let copies = Copies::new(variables, team.size(), Some(cell));
        // Release: pairs with the Acquire below.
        cell.store(Arc::into_raw(copies.clone()) as usize, Ordering::Release);
        return copies;
    }
    waiting::until(|| cell.load(Ordering::Relaxed) != BUSY);
    // Acquire: pairs with the Release above.
    let shared = cell.load(Ordering::Acquire) as *const Copies;
    // SAFETY: the cell keeps one reference until the last thread has left.
    unsafe {
        Arc::increment_strong_count(shared);
        Arc::from_raw(shared)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_task_reduction_init(
    _gtid: c_int,
    count: c_int,
    data: *const OldInput,
) -> Pointer {
    // SAFETY: the compiler's array.
    open(unsafe { variables(count, data) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_taskred_init(
    _gtid: c_int,
    count: c_int,
    data: *const Input,
) -> Pointer {
    // SAFETY: the compiler's array.
    open(unsafe { variables(count, data) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_task_reduction_modifier_init(
    _location: Pointer,
    _gtid: c_int,
    worksharing: c_int,
    count: c_int,
    data: *const OldInput,
) -> Pointer {
    // SAFETY: the compiler's array.
    open_shared(worksharing != 0, unsafe { variables(count, data) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_taskred_modifier_init(
    _location: Pointer,
    _gtid: c_int,
    worksharing: c_int,
    count: c_int,
    data: *const Input,
) -> Pointer {
    // SAFETY: the compiler's array.
    open_shared(worksharing != 0, unsafe { variables(count, data) })
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_task_reduction_modifier_fini(
    location: Pointer,
    gtid: c_int,
    _worksharing: c_int,
) {
    super::task_waits::__kmpc_end_taskgroup(location, gtid);
}

/// The calling thread's copy of a variable, which is named by the original's address or that of
/// another thread's copy; in the taskgroup `group` or, if that is null, the innermost, or one around.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_task_reduction_get_th_data(
    _gtid: c_int,
    group: *const Group,
    address: usize,
) -> usize {
    let thread = thread::current();
    let member = thread.member();
    if member.team().size() == 1 {
        return address;
    }
    // SAFETY: null, or a group that is open.
    let group = unsafe { group.as_ref() }.or(thread.task().group.get());
    let found = groups_from(group).find_map(|group| {
        let registered = group.reductions.get().address as *const Registration;
        // SAFETY: `register` made it, and it lives as long as its group.
        unsafe { registered.as_ref() }?.find(address, member.num as usize)
    });
    found.unwrap_or_else(|| {
        report::fatal(&format!(
            "no task reduction around this task covers the item at {address:#x}"
        ))
    })
}
