//! Finding a tool, starting it and ending it.
//!
//! The first of these whose `ompt_start_tool` returns something is the tool: the program and what is loaded with it, then
//! the libraries of OMP_TOOL_LIBRARIES in order. `OMP_TOOL=disabled` looks for none. OMP_TOOL_VERBOSE_INIT says what was
//! tried.
//!
//! Source: OpenMP 5.2, sections 19.2 (activating a first-party tool), 21.3 (its variables).
#![allow(unsafe_code)]

use super::abi::{StartResult, StartTool};
use super::{callbacks, lookup, sanitizer, threads};
use crate::report;
use crate::settings::{Settings, ToolVerboseInit};
use std::ffi::{CStr, CString};
use std::fmt::Write;
use std::sync::Once;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};
use vicinity_alloc::os::stack;

/// `_OPENMP` of the version whose interface this is.
const OPENMP: u32 = 202_111;
const RUNTIME: &CStr = c"Vicinity OpenMP";

/// The tool that is there.
static TOOL: AtomicPtr<StartResult> = AtomicPtr::new(std::ptr::null_mut());

/// The first call looks for a tool; the thread has no record yet.
pub fn start(settings: &'static Settings) {
    static STARTED: Once = Once::new();
    /// The thread that starts a tool. Relaxed: it alone finds itself there.
    static STARTER: AtomicI32 = AtomicI32::new(0);
    if STARTED.is_completed() || !settings.tool {
        return;
    }
    // SAFETY: no arguments.
    let me = unsafe { libc::gettid() };
    // A tool that comes back here while it is initialised goes on without being watched.
    if STARTER.load(Ordering::Relaxed) != me {
        STARTED.call_once(|| {
            STARTER.store(me, Ordering::Relaxed);
            let mut said = String::new();
            let found = find(settings, &mut said);
            STARTER.store(0, Ordering::Relaxed);
            tell(&settings.tool_verbose_init, &said);
            if let Some(tool) = found {
                // Release: pairs with the AcqRel in `finalize`.
                TOOL.store(tool, Ordering::Release);
                // Before the first event, which may come from inside the loader.
                _ = stack::ours();
                sanitizer::look();
                super::set_on(true);
                // SAFETY: a function without arguments that stays loaded.
                unsafe { libc::atexit(at_exit) };
            }
        });
    }
}

/// The tool that has started and wants to stay.
fn find(settings: &Settings, said: &mut String) -> Option<*mut StartResult> {
    for start in in_the_process() {
        let _ = writeln!(said, "vicinity: a tool is in the program: trying it");
        if let Some(tool) = try_tool(start, said) {
            return Some(tool);
        }
    }
    for library in settings.tool_libraries.iter().filter(|name| !name.is_empty()) {
        let _ = write!(said, "vicinity: tool library {library}: ");
        match open(library) {
            Ok(start) => match try_tool(start, said) {
                Some(tool) => return Some(tool),
                None => continue,
            },
            Err(why) => {
                let _ = writeln!(said, "{why}");
            }
        }
    }
    let _ = writeln!(said, "vicinity: no tool");
    None
}

/// The `ompt_start_tool`s of the program and of what is loaded with it, but our own: the first one of the process, and the
/// first one behind our library.
///
/// `RTLD_DEFAULT` would not do: the library is linked with `-Bsymbolic`, so that lookup begins with our own function, and a
/// library that was preloaded before us is never seen. The program's handle begins with the program.
fn in_the_process() -> impl Iterator<Item = StartTool> {
    let ours = ompt_start_tool as *const () as usize;
    // SAFETY: a handle of the program, and lookups by name.
    let (first, next) = unsafe {
        let name = c"ompt_start_tool".as_ptr();
        let process = libc::dlopen(std::ptr::null(), libc::RTLD_LAZY);
        (libc::dlsym(process, name) as usize, libc::dlsym(libc::RTLD_NEXT, name) as usize)
    };
    let next = if next == first { 0 } else { next };
    // SAFETY: whoever defines this name defines that function.
    let function = |found| unsafe { std::mem::transmute::<usize, StartTool>(found) };
    [first, next].into_iter().filter(move |&found| found != 0 && found != ours).map(function)
}

fn open(library: &str) -> Result<StartTool, String> {
    let name = CString::new(library).map_err(|_| "no name of a file".to_owned())?;
    // SAFETY: loads a library that the user named.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY) };
    if handle.is_null() {
        // SAFETY: dlopen failed on this thread, so there is a text, or none.
        let why = unsafe { libc::dlerror().cast_const().as_ref().map(|why| CStr::from_ptr(why)) };
        let why =
            why.map_or("it cannot be loaded".into(), |why| why.to_string_lossy().into_owned());
        return Err(why);
    }
    // SAFETY: the handle is open.
    let found = unsafe { libc::dlsym(handle, c"ompt_start_tool".as_ptr()) } as usize;
    if found == 0 {
        // SAFETY: nobody uses it.
        unsafe { libc::dlclose(handle) };
        return Err("it has no ompt_start_tool".to_owned());
    }
    // SAFETY: as in `in_the_process`.
    Ok(unsafe { std::mem::transmute::<usize, StartTool>(found) })
}

fn try_tool(start: StartTool, said: &mut String) -> Option<*mut StartResult> {
    // SAFETY: the function of a tool; its answer lives until it is finalized.
    let tool = unsafe { start(OPENMP, RUNTIME.as_ptr()).as_ref() };
    let Some(tool) = tool else {
        let _ = writeln!(said, "it does not want to be used");
        return None;
    };
    let kept = tool.initialize.is_some_and(|initialize| {
        // SAFETY: the tool's own function; the host is device 0.
        unsafe { initialize(lookup::lookup, 0, tool.tool_data.address()) != 0 }
    });
    let _ = writeln!(said, "{}", if kept { "it is used" } else { "its initialization failed" });
    if !kept {
        callbacks::forget();
        return None;
    }
    Some(std::ptr::from_ref(tool).cast_mut())
}

fn tell(how: &ToolVerboseInit, said: &str) {
    match how {
        ToolVerboseInit::Disabled => {}
        ToolVerboseInit::Stdout => {
            // Who closed its output does not want to read it.
            let _ = std::io::Write::write_all(&mut std::io::stdout(), said.as_bytes());
        }
        ToolVerboseInit::Stderr => report::show(said),
        ToolVerboseInit::File(name) => {
            if let Err(why) = std::fs::write(name, said) {
                report::warn(&format!("OMP_TOOL_VERBOSE_INIT={name}: {why}"));
            }
        }
    }
}

extern "C" fn at_exit() {
    finalize();
}

/// Ends the tool: `ompt_finalize_tool`, or the end of the process. Once.
pub fn finalize() {
    // AcqRel: pairs with the Release in `start`; one thread alone finds the tool.
    let tool = TOOL.swap(std::ptr::null_mut(), Ordering::AcqRel);
    // SAFETY: the tool's answer lives until here.
    let Some(tool) = (unsafe { tool.as_ref() }) else { return };
    threads::workers_end();
    threads::process_ends();
    super::set_on(false);
    callbacks::forget();
    if let Some(finalize) = tool.finalize {
        // SAFETY: the tool's own function.
        unsafe { finalize(tool.tool_data.address()) };
    }
}

/// In a forked child: the tool watches the parent alone.
pub fn in_child() {
    TOOL.store(std::ptr::null_mut(), Ordering::Relaxed);
    super::set_on(false);
    callbacks::forget();
}

/// The one of a library without a tool, as programs are linked with. A program or library that defines it is the tool.
#[unsafe(no_mangle)]
pub extern "C" fn ompt_start_tool(
    _version: u32,
    _runtime: *const libc::c_char,
) -> *mut StartResult {
    std::ptr::null_mut()
}
