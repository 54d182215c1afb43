//! libomp's settings routines: `kmp_` for C and by reference for Fortran, `kmpc_` for Intel's compilers.
//!
//! What has no counterpart here is accepted and changes nothing: the number of dispatch buffers.
//! Source: LLVM OpenMP's `omp.h` and `omp_lib.h`.
#![allow(unsafe_code)]

use super::{getters, icvs, int, setters};
use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::{AtomicI32, Ordering};
use vicinity_runtime::cancel::{self, Kind};
use vicinity_runtime::settings::{Library, Settings};
use vicinity_runtime::{device, global, icv, report, thread};

// Relaxed, both: values that this module alone keeps for the program.
static BLOCKTIME_MS: AtomicI32 = AtomicI32::new(UNSET);
static LIBRARY: AtomicI32 = AtomicI32::new(UNSET);

const UNSET: c_int = -1;
/// libomp's default, in milliseconds.
const BLOCKTIME_DEFAULT_MS: c_int = 200;

const SERIAL: c_int = 1;
const TURNAROUND: c_int = 2;
const THROUGHPUT: c_int = 3;

getters! {
    blocktime() => c_int: kmp_get_blocktime kmp_get_blocktime_;
    library() => c_int: kmp_get_library kmp_get_library_;
    int(thread::known() as u32) => c_int: kmp_get_num_known_threads kmp_get_num_known_threads_;
    c_int::try_from(global::stack_bytes()).unwrap_or(c_int::MAX) => c_int:
        kmp_get_stacksize kmp_get_stacksize_;
    global::stack_bytes() => usize: kmp_get_stacksize_s kmp_get_stacksize_s_;
    set_library(SERIAL) => (): kmp_set_library_serial kmp_set_library_serial_;
    set_library(TURNAROUND) => (): kmp_set_library_turnaround kmp_set_library_turnaround_;
    set_library(THROUGHPUT) => (): kmp_set_library_throughput kmp_set_library_throughput_;
    report::set_warnings(true) => (): kmp_set_warnings_on kmp_set_warnings_on_;
    report::set_warnings(false) => (): kmp_set_warnings_off kmp_set_warnings_off_;
}

setters! {
    set_blocktime => (): value kmp_set_blocktime kmpc_set_blocktime; reference kmp_set_blocktime_;
    set_library => (): value kmp_set_library kmpc_set_library; reference kmp_set_library_;
    set_stack => (): value kmp_set_stacksize kmpc_set_stacksize; reference kmp_set_stacksize_;
    set_dispatch_buffers => ():
        value kmp_set_disp_num_buffers kmpc_set_disp_num_buffers;
        reference kmp_set_disp_num_buffers_;
}

fn blocktime() -> c_int {
    match BLOCKTIME_MS.load(Ordering::Relaxed) {
        UNSET => global::blocktime_ms().map_or(BLOCKTIME_DEFAULT_MS, int),
        asked => asked,
    }
}

fn set_blocktime(milliseconds: c_int) {
    let milliseconds = milliseconds.max(0);
    BLOCKTIME_MS.store(milliseconds, Ordering::Relaxed);
    global::set_blocktime_ms(milliseconds as u32);
}

fn library() -> c_int {
    match LIBRARY.load(Ordering::Relaxed) {
        UNSET => number_of(global::settings().library),
        asked => asked,
    }
}

fn number_of(library: Library) -> c_int {
    match library {
        Library::Serial => SERIAL,
        Library::Turnaround => TURNAROUND,
        Library::Throughput => THROUGHPUT,
    }
}

/// Serial execution is one thread a region; the other two modes differ in libomp's waiting alone,
/// which here is the block time's.
fn set_library(kind: c_int) {
    if !(SERIAL..=THROUGHPUT).contains(&kind) {
        return;
    }
    LIBRARY.store(kind, Ordering::Relaxed);
    let given = global::settings().num_threads(0).unwrap_or_else(global::processors);
    let threads = if kind == SERIAL { 1 } else { given };
    icvs::set_num_threads(int(threads));
}

fn set_stack(bytes: c_int) {
    kmp_set_stacksize_s(usize::try_from(bytes).unwrap_or(0));
}

fn set_dispatch_buffers(_count: c_int) {}

/// Smaller than this is this, as for libomp.
const STACK_LEAST_BYTES: usize = 64 << 10;

#[unsafe(no_mangle)]
pub extern "C" fn kmp_set_stacksize_s(bytes: usize) {
    device::set_stack_bytes(bytes.max(STACK_LEAST_BYTES));
}

#[unsafe(no_mangle)]
pub extern "C" fn kmpc_set_stacksize_s(bytes: usize) {
    kmp_set_stacksize_s(bytes);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn kmp_set_stacksize_s_(bytes: *const usize) {
    // SAFETY: Fortran passes a valid reference.
    kmp_set_stacksize_s(unsafe { *bytes });
}

/// Whether the innermost region of a kind was cancelled: 1 parallel, 2 loop, 3 sections, 4 taskgroup.
#[unsafe(no_mangle)]
pub extern "C" fn kmp_get_cancellation_status(kind: c_int) -> c_int {
    let kind = match kind {
        1 => Kind::Parallel,
        2 | 3 => Kind::Worksharing,
        4 => Kind::Taskgroup,
        _ => return 0,
    };
    cancel::is_requested(kind).into()
}

#[unsafe(no_mangle)]
pub extern "C" fn kmp_get_cancellation_status_(kind: c_int) -> c_int {
    kmp_get_cancellation_status(kind)
}

/// Settings as in the environment, `NAME=value` with `|` between them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kmp_set_defaults(text: *const c_char) {
    if !text.is_null() {
        // SAFETY: the program passes a C string.
        set_defaults(&unsafe { CStr::from_ptr(text) }.to_string_lossy());
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn kmpc_set_defaults(text: *const c_char) {
    // SAFETY: as above.
    unsafe { kmp_set_defaults(text) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn kmp_set_defaults_(text: *const c_char, len: c_int) {
    let Ok(len) = usize::try_from(len) else { return };
    if !text.is_null() {
        // SAFETY: Fortran passes a string and its length.
        let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), len) };
        set_defaults(&String::from_utf8_lossy(bytes));
    }
}

/// Takes over what can still change once the runtime runs; says so of what cannot.
fn set_defaults(text: &str) {
    let pairs: Vec<_> = text.split('|').filter_map(|pair| pair.split_once('=')).collect();
    let get =
        |name: &str| pairs.iter().find(|pair| pair.0.trim() == name).map(|pair| pair.1.into());
    let (settings, warnings) = Settings::from_env(get);
    warnings.iter().for_each(|warning| report::warn(warning));
    for origin in &settings.origins {
        if !adopt(origin.setting, &settings) {
            let name = &origin.variable;
            report::warn(&format!("kmp_set_defaults: {name} can be set in the environment only"));
        }
    }
}

fn adopt(setting: &str, from: &Settings) -> bool {
    match setting {
        "OMP_NUM_THREADS" => {
            from.num_threads(0).into_iter().for_each(|count| icvs::set_num_threads(int(count)));
        }
        "OMP_DYNAMIC" => icv::update(|icvs| icvs.dynamic = from.dynamic),
        "OMP_SCHEDULE" => icv::update(|icvs| icvs.schedule = from.schedule),
        "OMP_MAX_ACTIVE_LEVELS" => {
            icv::update(|icvs| icvs.max_active_levels = from.max_active_levels);
        }
        "OMP_STACKSIZE" => {
            from.stack_size_bytes.into_iter().for_each(|bytes| kmp_set_stacksize_s(bytes as usize));
        }
        "KMP_BLOCKTIME" => {
            global::as_milliseconds(from.blocktime)
                .into_iter()
                .for_each(|ms| set_blocktime(int(ms)));
        }
        "KMP_LIBRARY" => set_library(number_of(from.library)),
        "KMP_WARNINGS" => report::set_warnings(from.warnings),
        "OMP_AFFINITY_FORMAT" => device::set_affinity_format(from.affinity_format.clone()),
        _ => return false,
    }
    true
}
