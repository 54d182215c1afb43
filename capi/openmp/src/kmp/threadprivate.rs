//! libomp's threadprivate variables: for compilers that do not use thread-local storage for them, flang
//! among them.
//!
//! Terms: the initial thread uses the original; each other thread has a *copy*, made at its first
//! access, from the *prototype* (the original's bytes before any thread used it) or by the program's
//! constructors. A *cache* is a variable of the compiler's, one for each threadprivate variable, that
//! points to a table of the threads' copies by thread number.
//!
//! Protocol: tables are only replaced by larger ones and never freed, so they may be read without the
//! lock; an entry is written by its own thread alone, with the lock held. A copy ends with its thread.
//! Source: the calls clang and flang 19 make; OpenMP 5.2 section 5.2 (threadprivate).
#![allow(unsafe_code)]

use crate::handle::Pointer;
use libc::{c_int, c_void, size_t};
use std::collections::HashMap;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use vicinity_runtime::thread::{self, Thread};

type Construct = unsafe extern "C" fn(Pointer) -> Pointer;
type CopyConstruct = unsafe extern "C" fn(Pointer, Pointer) -> Pointer;
type Destroy = unsafe extern "C" fn(Pointer);
type ConstructVector = unsafe extern "C" fn(Pointer, size_t) -> Pointer;
type CopyConstructVector = unsafe extern "C" fn(Pointer, Pointer, size_t) -> Pointer;
type DestroyVector = unsafe extern "C" fn(Pointer, size_t);

/// The program's functions for objects, with the number of elements where the variable is an array.
#[derive(Clone, Copy)]
enum Functions {
    None,
    Object(Option<Construct>, Option<CopyConstruct>, Option<Destroy>),
    Vector(Option<ConstructVector>, Option<CopyConstructVector>, Option<DestroyVector>, size_t),
}

/// Bytes in large units, so that they are aligned.
type Prototype = Arc<[u128]>;

struct Variable {
    functions: Functions,
    /// None before the first access.
    prototype: Option<Prototype>,
    /// By thread number.
    copies: HashMap<i32, usize>,
    tables: Vec<&'static Table>,
}

/// The threads' copies, by thread number; 0 is none.
pub struct Table(Box<[AtomicUsize]>);

/// By the original's address.
static VARIABLES: LazyLock<Mutex<HashMap<usize, Variable>>> = LazyLock::new(Mutex::default);

fn variables() -> MutexGuard<'static, HashMap<usize, Variable>> {
    VARIABLES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Variable {
    fn new(functions: Functions) -> Variable {
        Variable { functions, prototype: None, copies: HashMap::new(), tables: Vec::new() }
    }

    /// What the original held before any thread used it.
    fn prototype(&mut self, original: usize, bytes: usize) -> Prototype {
        let see = || {
            let mut prototype = vec![0u128; bytes.div_ceil(16)];
            // SAFETY: the original has that many bytes, and the prototype as many or more.
            unsafe {
                let to = prototype.as_mut_ptr().cast::<u8>();
                std::ptr::copy_nonoverlapping(original as *const u8, to, bytes);
            }
            prototype.into()
        };
        self.prototype.get_or_insert_with(see).clone()
    }

    /// The thread numbered `gtid` ends: takes its copy from everybody's sight.
    fn remove(&mut self, gtid: i32) -> Option<usize> {
        for table in &self.tables {
            if let Some(entry) = table.0.get(gtid as usize) {
                // Relaxed: the thread's own entry.
                entry.store(0, Ordering::Relaxed);
            }
        }
        self.copies.remove(&gtid)
    }
}

/// A new copy, from the prototype or by the program's constructor.
fn make_copy(functions: Functions, prototype: &Prototype) -> usize {
    let copy = Box::leak(prototype.to_vec().into_boxed_slice()).as_mut_ptr().cast::<c_void>();
    let from = prototype.as_ptr().cast_mut().cast::<c_void>();
    // SAFETY: the program's functions for this variable, and memory of its size.
    unsafe {
        match functions {
            Functions::Object(Some(construct), ..) => _ = construct(copy),
            Functions::Object(None, Some(copy_construct), _) => _ = copy_construct(copy, from),
            Functions::Vector(Some(construct), .., count) => _ = construct(copy, count),
            Functions::Vector(None, Some(copy_construct), _, count) => {
                _ = copy_construct(copy, from, count);
            }
            _ => (),
        }
    }
    copy as usize
}

/// The calling thread's copy. The program's constructor runs without the lock: it may use such
/// variables itself.
fn find(thread: &'static Thread, original: usize, bytes: usize) -> usize {
    let (functions, prototype) = {
        let mut variables = variables();
        let new = || Variable::new(Functions::None);
        let variable = variables.entry(original).or_insert_with(new);
        let prototype = variable.prototype(original, bytes);
        if thread.gtid == 0 {
            return original;
        }
        if let Some(&copy) = variable.copies.get(&thread.gtid) {
            return copy;
        }
        (variable.functions, prototype)
    };
    let copy = make_copy(functions, &prototype);
    if let Some(variable) = variables().get_mut(&original) {
        variable.copies.insert(thread.gtid, copy);
    }
    thread.at_end(move || end(thread.gtid, original));
    copy
}

fn end(gtid: i32, original: usize) {
    let mut variables = variables();
    let Some(variable) = variables.get_mut(&original) else { return };
    let copy = variable.remove(gtid);
    let functions = variable.functions;
    let units = variable.prototype.as_ref().map_or(0, |prototype| prototype.len());
    drop(variables);
    let Some(copy) = copy else { return };
    // SAFETY: the program's destructors; `make_copy` leaked a box of `units` elements.
    unsafe {
        match functions {
            Functions::Object(.., Some(destroy)) => destroy(copy as Pointer),
            Functions::Vector(.., Some(destroy), count) => destroy(copy as Pointer, count),
            _ => (),
        }
        drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(copy as *mut u128, units)));
    }
}

/// Puts the calling thread's copy into the variable's table, replacing that by a larger one if need be.
fn remember(cache: &AtomicPtr<Table>, thread: &Thread, original: usize, copy: usize) {
    let mut variables = variables();
    let Some(variable) = variables.get_mut(&original) else { return };
    // Relaxed: replaced with the lock held, as here.
    // SAFETY: null, or a table that was leaked.
    let old: Option<&'static Table> = unsafe { cache.load(Ordering::Relaxed).as_ref() };
    let number = thread.gtid as usize;
    let table = match old {
        Some(table) if number < table.0.len() => table,
        _ => {
            let copies = &variable.copies;
            let entry = |gtid: usize| copies.get(&(gtid as i32)).copied().unwrap_or(0);
            let len = (number + 1).next_power_of_two().max(64);
            let entries = (0..len).map(|gtid| AtomicUsize::new(entry(gtid))).collect();
            let table: &'static Table = Box::leak(Box::new(Table(entries)));
            variable.tables.push(table);
            // Release: pairs with the Acquire in `__kmpc_threadprivate_cached`.
            cache.store(std::ptr::from_ref(table).cast_mut(), Ordering::Release);
            table
        }
    };
    // Relaxed: read by the same thread.
    table.0[number].store(copy, Ordering::Relaxed);
}

/// The address of the calling thread's copy of the variable at `original`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_threadprivate_cached(
    _location: Pointer,
    _gtid: c_int,
    original: usize,
    bytes: size_t,
    cache: *const AtomicPtr<Table>,
) -> usize {
    let thread = thread::current();
    // SAFETY: the compiler's static variable, which starts as null.
    let cache = unsafe { &*cache };
    // Acquire: pairs with the Release in `remember`.
    // SAFETY: null, or a table that was leaked.
    let table = unsafe { cache.load(Ordering::Acquire).as_ref() };
    if let Some(entry) = table.and_then(|table| table.0.get(thread.gtid as usize)) {
        // Relaxed: the thread's own entry.
        let copy = entry.load(Ordering::Relaxed);
        if copy != 0 {
            return copy;
        }
    }
    let copy = find(thread, original, bytes);
    remember(cache, thread, original, copy);
    copy
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_threadprivate(
    _location: Pointer,
    _gtid: c_int,
    original: usize,
    bytes: size_t,
) -> usize {
    find(thread::current(), original, bytes)
}

/// Names the functions for a variable's copies, before its first access.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_threadprivate_register(
    _location: Pointer,
    original: usize,
    construct: Option<Construct>,
    copy_construct: Option<CopyConstruct>,
    destroy: Option<Destroy>,
) {
    let functions = Functions::Object(construct, copy_construct, destroy);
    variables().entry(original).or_insert_with(|| Variable::new(functions));
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_threadprivate_register_vec(
    _location: Pointer,
    original: usize,
    construct: Option<ConstructVector>,
    copy_construct: Option<CopyConstructVector>,
    destroy: Option<DestroyVector>,
    count: size_t,
) {
    let functions = Functions::Vector(construct, copy_construct, destroy, count);
    variables().entry(original).or_insert_with(|| Variable::new(functions));
}
