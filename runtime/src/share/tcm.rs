//! Processors that other runtimes of this process have, such as oneTBB: a client of Intel's thread composability manager
//! (TCM), where the user has switched it on (`TCM_ENABLE=1`, which `vicinity run --share` sets).
//!
//! Terms: a *permit* says how many threads a client may run. A *rigid* one does not change while it is active: the size of a
//! team cannot change either.
//!
//! Protocol: a region asks for a permit for as many threads as it would have, and has no more than it gets; it gives
//! the permit back at its end. Where not even its primary thread gets one, it runs alone, without a permit.
//!
//! Invariants: 1. A manager, once found, stays loaded and connected: threads may be in regions until the process ends. 2. A
//! forked child never asks: another thread may have been inside of the manager.
//!
//! Source: the types and values of TCM's interface, version 1.6 (`tcm.h` of oneTBB).
#![allow(unsafe_code)]

use crate::report;
use crate::thread::clock;
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

const LIBRARY: &CStr = c"libtcm.so.1";
/// How often it is looked whether another runtime has loaded it meanwhile: 10 milliseconds at 3 GHz.
const LOOK_EVERY_TICKS: u64 = 30_000_000;

/// `tcm_permit_flags_t`.
const RIGID: u32 = 1 << 1;
/// `TCM_REQUEST_PRIORITY_NORMAL`.
const NORMAL_PRIORITY: i32 = i32::MAX / 4 * 2;
/// `TCM_PERMIT_STATE_ACTIVE`.
const ACTIVE: u8 = 4;
/// `TCM_RESULT_SUCCESS`.
const SUCCESS: u32 = 0;

/// `tcm_permit_request_t`.
#[repr(C)]
struct Request {
    min_threads: i32,
    max_threads: i32,
    constraints: *const c_void,
    constraints_count: u32,
    priority: i32,
    flags: u32,
    reserved: [u8; 4],
}

/// `tcm_permit_t`.
#[repr(C)]
struct Granted {
    concurrencies: *mut u32,
    masks: *mut c_void,
    size: u32,
    state: u8,
    flags: u32,
}

const _: () = assert!(size_of::<Request>() == 32 && size_of::<Granted>() == 32);

type Callback = extern "C" fn(*mut c_void, *mut c_void, u32) -> u32;
type Connect = unsafe extern "C" fn(Callback, *mut u64) -> u32;
type Ask = unsafe extern "C" fn(u64, Request, *mut c_void, *mut *mut c_void, *mut Granted) -> u32;
type GiveBack = unsafe extern "C" fn(*mut c_void) -> u32;

struct Manager {
    client: u64,
    ask: Ask,
    give_back: GiveBack,
}

/// Null until it is found. Set once.
static MANAGER: AtomicPtr<Manager> = AtomicPtr::new(std::ptr::null_mut());
static STATE: AtomicU32 = AtomicU32::new(OFF);
/// Relaxed: a hint when to look again, and whose turn it is.
static LOOKED_AT: AtomicU64 = AtomicU64::new(0);

/// Nobody asks. Relaxed, like the others: what the manager is, `MANAGER` tells.
const OFF: u32 = 0;
/// It has not been found.
const MISSING: u32 = 1;
const CONNECTED: u32 = 2;

/// A region's permit; null if it has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permit(*mut c_void);

impl Permit {
    pub const NONE: Permit = Permit(std::ptr::null_mut());
}

impl Default for Permit {
    #[inline]
    fn default() -> Permit {
        Permit::NONE
    }
}

/// Connects, if the user wants that and there is a manager.
pub fn start() {
    if std::env::var_os("TCM_ENABLE").is_some_and(|value| value == "1") {
        STATE.store(MISSING, Ordering::Relaxed);
        look(libc::RTLD_NOW | libc::RTLD_LOCAL);
    }
}

/// In a forked child.
pub fn in_child() {
    STATE.store(OFF, Ordering::Relaxed);
}

/// The threads of a region that wants so many, at least `least`, and its permit.
#[inline]
pub fn ask(least: u32, wanted: u32) -> (u32, Permit) {
    match STATE.load(Ordering::Relaxed) {
        OFF => (wanted, Permit::NONE),
        _ if wanted <= least => (wanted, Permit::NONE),
        state => ask_manager(state, least, wanted),
    }
}

#[cold]
fn ask_manager(state: u32, least: u32, wanted: u32) -> (u32, Permit) {
    if state == MISSING && is_time_to_look() {
        look(libc::RTLD_NOW | libc::RTLD_NOLOAD);
    }
    // Acquire: pairs with the Release in `look`.
    let manager = MANAGER.load(Ordering::Acquire);
    // SAFETY: null, or leaked by `look`.
    match unsafe { manager.as_ref() } {
        None => (wanted, Permit::NONE),
        Some(manager) => manager.ask(least, wanted),
    }
}

/// At the end of the region, or where it does not need it.
#[inline]
pub fn give_back(permit: Permit) {
    if permit != Permit::NONE {
        // Acquire: as above.
        let manager = MANAGER.load(Ordering::Acquire);
        // SAFETY: the permit is of a manager, which was leaked by `look`.
        let manager = unsafe { manager.as_ref() };
        manager.filter(|_| STATE.load(Ordering::Relaxed) == CONNECTED).inspect(|manager| {
            // SAFETY: the permit was this client's, and nobody uses it any more.
            _ = unsafe { (manager.give_back)(permit.0) };
        });
    }
}

impl Manager {
    fn ask(&self, least: u32, wanted: u32) -> (u32, Permit) {
        let (least, wanted) = (least.min(i32::MAX as u32), wanted.min(i32::MAX as u32));
        let request = Request {
            min_threads: least as i32,
            max_threads: wanted as i32,
            constraints: std::ptr::null(),
            constraints_count: 0,
            priority: NORMAL_PRIORITY,
            flags: RIGID,
            reserved: [0; 4],
        };
        let (mut threads, mut permit) = (0, Permit::NONE);
        let mut granted = Granted {
            concurrencies: &raw mut threads,
            masks: std::ptr::null_mut(),
            size: 1,
            state: 0,
            flags: 0,
        };
        // SAFETY: the manager's function; it writes a handle, and one number through `granted`.
        let result = unsafe {
            (self.ask)(
                self.client,
                request,
                std::ptr::null_mut(),
                &raw mut permit.0,
                &raw mut granted,
            )
        };
        match (result, granted.state) {
            (SUCCESS, ACTIVE) => (threads.clamp(least, wanted), permit),
            // It would be granted later, perhaps in the middle of the region.
            (SUCCESS, _) => {
                give_back(permit);
                (least, Permit::NONE)
            }
            // It makes no sense to it.
            _ => (wanted, Permit::NONE),
        }
    }
}

fn is_time_to_look() -> bool {
    let (now, before) = (clock::ticks(), LOOKED_AT.load(Ordering::Relaxed));
    now.wrapping_sub(before) >= LOOK_EVERY_TICKS
        && LOOKED_AT.compare_exchange(before, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
}

/// Connects, if it is found in this way.
#[cold]
fn look(flags: i32) {
    // SAFETY: a name, and flags of dlopen.
    let library = unsafe { libc::dlopen(LIBRARY.as_ptr(), flags) };
    if library.is_null() {
        return;
    }
    match connect(library) {
        Ok(manager) => {
            // Release: pairs with the Acquire in `ask_manager` and `give_back`.
            MANAGER.store(Box::into_raw(Box::new(manager)), Ordering::Release);
            STATE.store(CONNECTED, Ordering::Relaxed);
        }
        Err(why) => {
            STATE.store(OFF, Ordering::Relaxed);
            let what = "no processors are shared with other runtimes of this process";
            report::warn(&format!("{what}: libtcm.so.1 {why}"));
        }
    }
}

fn connect(library: *mut c_void) -> Result<Manager, String> {
    let find = |name: &CStr| {
        // SAFETY: a library that is open, and a name.
        let found = unsafe { libc::dlsym(library, name.as_ptr()) };
        let has_none = || format!("has no {}", name.to_string_lossy());
        if found.is_null() { Err(has_none()) } else { Ok(found) }
    };
    // SAFETY: these functions have these types in all versions of its interface.
    let (connect, ask, give_back) = unsafe {
        (
            std::mem::transmute::<*mut c_void, Connect>(find(c"tcmConnect")?),
            std::mem::transmute::<*mut c_void, Ask>(find(c"tcmRequestPermit")?),
            std::mem::transmute::<*mut c_void, GiveBack>(find(c"tcmReleasePermit")?),
        )
    };
    let mut client = 0;
    // SAFETY: a function that stays, and room for a number.
    match unsafe { connect(changed, &raw mut client) } {
        SUCCESS => Ok(Manager { client, ask, give_back }),
        code => Err(format!("refuses ({code:#x})")),
    }
}

/// A permit has changed. Rigid ones do not, as long as somebody uses them.
extern "C" fn changed(_permit: *mut c_void, _argument: *mut c_void, _what: u32) -> u32 {
    SUCCESS
}
