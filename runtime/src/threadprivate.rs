//! Threadprivate variables of compilers that do not use thread-local storage for them, flang among them.
//!
//! Terms: the initial thread uses the original; each other thread has a *copy*, made at its first
//! access, from the *prototype* (the original's bytes before any thread used it) or by the program's
//! constructors. A *cache* is a variable of the compiler's, one for each threadprivate variable, that
//! points to a table of the threads' copies by thread number.
//!
//! Protocol: tables are only replaced by larger ones and never freed, so they may be read without the
//! lock; an entry is written by its own thread alone, with the lock held. A copy ends with its thread.
//! Source: OpenMP 5.2 section 5.2 (threadprivate).
#![allow(unsafe_code)]

use crate::process_lock::ProcessLock;
use crate::thread::Thread;
use libc::c_void;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

pub type Construct = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
pub type CopyConstruct = unsafe extern "C" fn(*mut c_void, *mut c_void) -> *mut c_void;
pub type Destroy = unsafe extern "C" fn(*mut c_void);
pub type ConstructVector = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
pub type CopyConstructVector = unsafe extern "C" fn(*mut c_void, *mut c_void, usize) -> *mut c_void;
pub type DestroyVector = unsafe extern "C" fn(*mut c_void, usize);

/// The program's functions for objects, with the number of elements where the variable is an array.
#[derive(Clone, Copy)]
pub enum Functions {
    None,
    Object(Option<Construct>, Option<CopyConstruct>, Option<Destroy>),
    Vector(Option<ConstructVector>, Option<CopyConstructVector>, Option<DestroyVector>, usize),
}

/// Bytes in large units, so that they are aligned.
pub type Prototype = Arc<[u128]>;

pub(crate) struct Variable {
    functions: Functions,
    /// None before the first access.
    prototype: Option<Prototype>,
    /// By thread number.
    copies: HashMap<i32, usize>,
    tables: Vec<&'static Table>,
}

/// The threads' copies, by thread number; 0 is none.
pub struct Table(Box<[AtomicUsize]>);

impl Table {
    /// The copy of the thread with this number, the calling one; 0: none yet.
    #[inline]
    pub fn copy(&self, gtid: i32) -> usize {
        // Relaxed: the thread's own entry.
        self.0.get(gtid as usize).map_or(0, |entry| entry.load(Ordering::Relaxed))
    }
}

/// By the original's address.
pub(crate) static VARIABLES: ProcessLock<BTreeMap<usize, Variable>> =
    ProcessLock::new(BTreeMap::new());

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
pub fn find(thread: &'static Thread, original: usize, bytes: usize) -> usize {
    let (functions, prototype) = {
        let mut variables = VARIABLES.lock();
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
    if let Some(variable) = VARIABLES.lock().get_mut(&original) {
        variable.copies.insert(thread.gtid, copy);
    }
    thread.at_end(move || end(thread.gtid, original));
    copy
}

fn end(gtid: i32, original: usize) {
    let mut variables = VARIABLES.lock();
    let Some(variable) = variables.get_mut(&original) else { return };
    let copy = variable.remove(gtid);
    let functions = variable.functions;
    let units = variable.prototype.as_ref().map_or(0, |prototype| prototype.len());
    drop(variables);
    let Some(copy) = copy else { return };
    // SAFETY: the program's destructors; `make_copy` leaked a box of `units` elements.
    unsafe {
        match functions {
            Functions::Object(.., Some(destroy)) => destroy(copy as *mut c_void),
            Functions::Vector(.., Some(destroy), count) => destroy(copy as *mut c_void, count),
            _ => (),
        }
        drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(copy as *mut u128, units)));
    }
}

/// Names the functions for a variable's copies, before its first access.
pub fn register(original: usize, functions: Functions) {
    VARIABLES.lock().entry(original).or_insert_with(|| Variable::new(functions));
}

/// Puts the calling thread's copy into the variable's table, replacing that by a larger one if need be.
pub fn remember(cache: &AtomicPtr<Table>, thread: &Thread, original: usize, copy: usize) {
    let mut variables = VARIABLES.lock();
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
