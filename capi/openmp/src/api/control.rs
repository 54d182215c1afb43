//! Showing the settings, pausing the host, talking to a tool, and fulfilling events from Fortran.
//!
//! Source: OpenMP 5.2, sections 18.15 (omp_display_env), 18.6 (resource relinquishing), 18.14 (tools).
#![allow(unsafe_code)]

use super::devices::is_host;
use std::ffi::{c_int, c_void};
use vicinity_runtime::settings::DisplayEnv;
use vicinity_runtime::task::detach;
use vicinity_runtime::team::places;
use vicinity_runtime::{device, global, launcher, report, thread, tool};

#[unsafe(no_mangle)]
pub extern "C" fn omp_display_env(verbose: c_int) {
    report::show(&device::environment(verbose != 0));
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_display_env_(verbose: *const i32) {
    // SAFETY: Fortran passes a valid reference.
    omp_display_env(unsafe { *verbose });
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_display_env_8_(verbose: *const i64) {
    // SAFETY: Fortran passes a valid reference.
    omp_display_env((unsafe { *verbose } != 0).into());
}

/// `omp_pause_soft` and `omp_pause_hard`. Soft keeps the threads, which sleep by themselves.
const SOFT: c_int = 1;
const HARD: c_int = 2;

/// 0 if the host was paused.
#[unsafe(no_mangle)]
pub extern "C" fn omp_pause_resource(kind: c_int, device_num: c_int) -> c_int {
    if is_host(device_num) { omp_pause_resource_all(kind) } else { -1 }
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_pause_resource_all(kind: c_int) -> c_int {
    let paused = matches!(kind, SOFT | HARD) && device::pause();
    if paused { 0 } else { -1 }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_pause_resource_(kind: *const i32, device_num: *const i32) -> i32 {
    // SAFETY: Fortran passes valid references.
    unsafe { omp_pause_resource(*kind, *device_num) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_pause_resource_all_(kind: *const i32) -> i32 {
    // SAFETY: Fortran passes a valid reference.
    omp_pause_resource_all(unsafe { *kind })
}

/// `omp_control_tool_notool` and `omp_control_tool_nocallback`.
const NO_TOOL: c_int = -2;
const NO_CALLBACK: c_int = -1;

#[unsafe(no_mangle)]
pub extern "C" fn omp_control_tool(
    command: c_int,
    modifier: c_int,
    argument: *mut c_void,
) -> c_int {
    thread::current();
    if !tool::is_on() {
        return NO_TOOL;
    }
    tool::control(command, modifier, argument).unwrap_or(NO_CALLBACK)
}

/// gfortran's: by reference. (clang's and flang's name with an underscore is the routine above.)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_control_tool_(
    command: *const i32,
    modifier: *const i32,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: Fortran passes valid references.
    unsafe { omp_control_tool(*command, *modifier, argument) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_control_tool_8_(
    command: *const i64,
    modifier: *const i64,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: Fortran passes valid references.
    unsafe { omp_control_tool(super::narrow(*command), super::narrow(*modifier), argument) }
}

/// gfortran passes the event's handle by value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_fulfill_event_(event: usize) {
    // SAFETY: the program passes an event of a task that is not complete (its obligation).
    unsafe { detach::fulfill(event) };
}

/// What must happen before the program's first call: showing the settings, and binding the initial
/// thread, whose data is then touched first where it stays. Each only if a variable asks for it, or a launcher of MPI has started several ranks here;
/// without these variables nothing is read or started. And a panic is to say one line, as everything does.
extern "C" fn at_load() {
    const SHOWING: [&str; 2] = ["OMP_DISPLAY_ENV", "OMP_DISPLAY_ENV_ALL"];
    const BINDING: [&str; 6] = [
        "OMP_PROC_BIND",
        "OMP_PLACES",
        "GOMP_CPU_AFFINITY",
        "KMP_AFFINITY",
        "OMP_PROC_BIND_ALL",
        "OMP_PLACES_ALL",
    ];
    std::panic::set_hook(Box::new(report::panicked));
    let set = |names: &[&str]| names.iter().any(|name| std::env::var_os(name).is_some());
    if set(&SHOWING) {
        match global::settings().display_env {
            DisplayEnv::Off => (),
            DisplayEnv::On => omp_display_env(0),
            DisplayEnv::Verbose => omp_display_env(1),
        }
    }
    if set(&["VICINITY_VERBOSE"]) && global::settings().vicinity.verbose > 0 {
        report::show(&vicinity_runtime::display::listing(global::settings(), global::processors()));
    }
    if launcher::local().is_some_and(|rank| rank.of > 1) {
        global::start();
    }
    if set(&BINDING) {
        global::start();
        if places::need_attention() {
            thread::current();
        }
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = at_load;
