//! `libvicinity.so.1`, through the functions of `vicinity.h`.
//!
//! It is loaded at the first use, from the folder of this library; where a program has it already, under
//! whichever name, that one is meant. It is never unloaded.

use super::library::{Library, own_folder};
use crate::report;
use std::ffi::{CStr, c_int, c_void};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::LazyLock;
use std::sync::atomic::AtomicU32;

const NAME: &str = "libvicinity.so.1";

/// The functions that are used, as `vicinity.h` declares them.
macro_rules! functions {
    ($($name:ident: fn($($argument:ty),* $(,)?) $(-> $answer:ty)?;)*) => {
        pub struct Runtime {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $answer)?,)*
        }

        impl Runtime {
            fn find(library: &'static Library) -> Option<Runtime> {
                $(
                    let name = concat!(stringify!($name), "\0");
                    let $name = library.symbol(CStr::from_bytes_with_nul(name.as_bytes()).ok()?)?;
                )*
                Some(Runtime {
                    $(
                        // SAFETY: the function of this name has this type in `vicinity.h`.
                        $name: unsafe {
                            std::mem::transmute::<
                                NonNull<c_void>,
                                unsafe extern "C" fn($($argument),*) $(-> $answer)?,
                            >($name)
                        },
                    )*
                })
            }
        }
    };
}

functions! {
    omp_malloc: fn(usize) -> *mut u8;
    vicinity_current_location: fn() -> c_int;
    vicinity_free: fn(*mut c_void);
    vicinity_is_traced: fn() -> c_int;
    vicinity_locate: fn(*const c_void, usize, *mut usize, usize) -> c_int;
    vicinity_location_processors: fn(c_int, *mut c_int, usize, *mut usize) -> c_int;
    vicinity_malloc_at: fn(usize, c_int) -> *mut u8;
    vicinity_num_locations: fn() -> c_int;
    vicinity_num_processors: fn() -> c_int;
    vicinity_stream_create: fn(*mut *mut c_void) -> c_int;
    vicinity_task_create: fn(Function, *mut c_void, *const Options, *mut *mut c_void) -> c_int;
    vicinity_task_range: fn(
        RangeFunction, *mut c_void, usize, usize, *const Options, *mut *mut c_void
    ) -> c_int;
    vicinity_wait_word: fn(*const AtomicU32, u32) -> c_int;
    vicinity_wake_word: fn(*const AtomicU32) -> c_int;
}

/// `vicinity_function` and `vicinity_range_function`.
pub type Function = unsafe extern "C" fn(*mut c_void);
pub type RangeFunction = unsafe extern "C" fn(usize, usize, *mut c_void);

/// `vicinity_options`.
#[repr(C)]
pub struct Options {
    size_bytes: usize,
    dependences: *const c_void,
    dependence_count: usize,
    group: *mut c_void,
    priority: c_int,
    location: c_int,
    stream: *mut c_void,
    /// What traces name the task after.
    subject: *const c_void,
}

/// Where it does not matter: `VICINITY_ANYWHERE`.
const ANYWHERE: c_int = -1;

/// One line; where standard error takes nothing the program goes on all the same.
fn say(why: &str) {
    report::warn(&format!("{why}; no OpenCL kernel can run"));
}

static RUNTIME: LazyLock<Option<Runtime>> = LazyLock::new(|| {
    let beside = own_folder().map(|folder| Library::open(&folder.join(NAME)));
    let library = match beside {
        Some(Ok(library)) => Ok(library),
        _ => Library::open(Path::new(NAME)),
    };
    match library {
        Ok(library) => {
            let found = Runtime::find(library.leak());
            if found.is_none() {
                say(&format!("{NAME} is of another version"));
            }
            found
        }
        Err(error) => {
            say(&error.to_string());
            None
        }
    }
});

/// `None` where the library is not to be found, which has been said then.
pub fn runtime() -> Option<&'static Runtime> {
    RUNTIME.as_ref()
}

/// Blocks of at most so many bytes begin as zeros, as those do that are fresh pages. Programs count on it for the little state that
/// their kernels keep from launch to launch: other drivers have it so, though the specification does not.
const ZEROED_BYTES: usize = 64 << 10;

/// Memory at a location, or distributed as the settings say; `None` if there is too little.
pub fn allocate(bytes: usize, location: Option<u16>) -> Option<NonNull<u8>> {
    let runtime = runtime()?;
    // SAFETY: no preconditions.
    let block = NonNull::new(unsafe {
        match location {
            Some(location) => (runtime.vicinity_malloc_at)(bytes, location.into()),
            None => (runtime.omp_malloc)(bytes),
        }
    })?;
    if bytes <= ZEROED_BYTES {
        // SAFETY: a block of so many bytes, which nobody else knows.
        unsafe { block.write_bytes(0, bytes) };
    }
    Some(block)
}

/// Gives memory of `allocate` back.
pub fn free(block: *mut u8) {
    if let Some(runtime) = runtime() {
        // SAFETY: whatever it is, the library knows its own blocks.
        unsafe { (runtime.vicinity_free)(block.cast()) };
    }
}

/// The stream that all commands are tasks of.
struct Stream(Options);

// SAFETY: the pointer in it is the stream's name, which any thread may use.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

static STREAM: LazyLock<Option<Stream>> = LazyLock::new(|| {
    let mut stream = std::ptr::null_mut();
    // SAFETY: a place for the stream.
    let made = unsafe { (runtime()?.vicinity_stream_create)(&raw mut stream) } == 0;
    made.then(|| Stream(options(stream, None, std::ptr::null())))
});

fn options(stream: *mut c_void, location: Option<u16>, subject: *const c_void) -> Options {
    Options {
        size_bytes: size_of::<Options>(),
        dependences: std::ptr::null(),
        dependence_count: 0,
        group: std::ptr::null_mut(),
        priority: 0,
        location: location.map_or(ANYWHERE, c_int::from),
        stream,
        subject,
    }
}

/// Whether commands can be carried out.
pub fn is_there() -> bool {
    STREAM.is_some()
}

/// A task that a worker runs soon, at that location if it can be, under the name of that function. False: there is none,
/// and nothing is called.
///
/// # Safety
/// The function may be called with the argument, once, by any thread.
#[must_use]
pub unsafe fn task(
    function: Function,
    argument: *mut c_void,
    location: Option<u16>,
    subject: *const c_void,
) -> bool {
    let (Some(runtime), Some(Stream(stream))) = (runtime(), &*STREAM) else { return false };
    let options = options(stream.stream, location, subject);
    let handle = std::ptr::null_mut();
    // SAFETY: the caller's promise.
    unsafe { (runtime.vicinity_task_create)(function, argument, &options, handle) == 0 }
}

/// Tasks that workers run soon, of `grain` numbers below `count` each. False: there are none, and nothing is called.
///
/// # Safety
/// The function may be called with the argument by any threads, for every number once.
#[must_use]
pub unsafe fn range(
    function: RangeFunction,
    argument: *mut c_void,
    count: usize,
    grain: usize,
    location: Option<u16>,
    subject: *const c_void,
) -> bool {
    let (Some(runtime), Some(Stream(stream))) = (runtime(), &*STREAM) else { return false };
    let options = options(stream.stream, location, subject);
    let handle = std::ptr::null_mut();
    // SAFETY: the caller's promise.
    unsafe {
        (runtime.vicinity_task_range)(function, argument, count, grain, &options, handle) == 0
    }
}

/// Returns when the word is not `value`, running tasks meanwhile.
pub fn wait(word: &AtomicU32, value: u32) {
    if let Some(runtime) = runtime() {
        // SAFETY: a live word.
        unsafe { (runtime.vicinity_wait_word)(word, value) };
    }
}

/// Wakes whoever waits for the word, which was changed.
pub fn wake(word: &AtomicU32) {
    if let Some(runtime) = runtime() {
        // SAFETY: a live word.
        unsafe { (runtime.vicinity_wake_word)(word) };
    }
}

/// Whether tasks are recorded.
pub fn is_traced() -> bool {
    static TRACED: LazyLock<bool> = LazyLock::new(|| {
        // SAFETY: no preconditions.
        runtime().is_some_and(|runtime| unsafe { (runtime.vicinity_is_traced)() } != 0)
    });
    *TRACED
}

/// How many threads run tasks at a time.
pub fn workers() -> usize {
    static WORKERS: LazyLock<usize> = LazyLock::new(|| {
        // SAFETY: no preconditions.
        let count = runtime().map_or(1, |runtime| unsafe { (runtime.vicinity_num_processors)() });
        usize::try_from(count).unwrap_or(1).max(1)
    });
    *WORKERS
}

/// How many locations there are.
pub fn locations() -> usize {
    static LOCATIONS: LazyLock<usize> = LazyLock::new(|| {
        // SAFETY: no preconditions.
        let count = runtime().map_or(1, |runtime| unsafe { (runtime.vicinity_num_locations)() });
        usize::try_from(count).unwrap_or(1).max(1)
    });
    *LOCATIONS
}

/// Their numbers.
pub fn all_locations() -> std::ops::Range<u16> {
    0..u16::try_from(locations()).unwrap_or(u16::MAX)
}

/// Where the calling thread is.
pub fn current_location() -> u16 {
    // SAFETY: no preconditions.
    let location = runtime().map_or(0, |runtime| unsafe { (runtime.vicinity_current_location)() });
    u16::try_from(location).unwrap_or(0)
}

/// The locations with any of these processors, or all if there are none such.
pub fn locations_of(processors: &[u32]) -> Vec<u16> {
    let all = all_locations();
    let Some(runtime) = runtime().filter(|_| all.len() > 1) else { return all.collect() };
    let has_one = |location: &u16| {
        let mut own: [c_int; 1024] = [0; 1024];
        let mut count = 0;
        // SAFETY: room for as many numbers as are asked for, and for their count.
        let code = unsafe {
            let (own, capacity) = (own.as_mut_ptr(), own.len());
            (runtime.vicinity_location_processors)(
                (*location).into(),
                own,
                capacity,
                &raw mut count,
            )
        };
        let own = &own[..if code == 0 { count.min(own.len()) } else { 0 }];
        own.iter().any(|&one| u32::try_from(one).is_ok_and(|one| processors.contains(&one)))
    };
    let some: Vec<u16> = all.clone().filter(has_one).collect();
    if some.is_empty() { all.collect() } else { some }
}

/// Adds how many of the bytes lie at each location, by some of them.
pub fn locate(address: *const u8, length_bytes: usize, bytes: &mut [usize]) {
    const SAMPLES: usize = 32;
    const PAGE_BYTES: usize = 4096;
    /// The golden ratio: its multiples fall between each other, in step with nothing that memory is distributed by.
    const RATIO: f64 = 0.618_033_988_749_895;
    let Some(runtime) = runtime() else { return };
    let samples = length_bytes.div_ceil(PAGE_BYTES).min(SAMPLES);
    let mut here = vec![0; bytes.len()];
    for sample in 0..samples {
        let at = (sample as f64 * RATIO).fract() * length_bytes as f64;
        // SAFETY: memory of the process is only asked about; there is room for as many numbers as are said.
        unsafe {
            let (places, count) = (here.as_mut_ptr(), here.len());
            let address = address.wrapping_add(at as usize);
            (runtime.vicinity_locate)(address.cast(), 1, places, count);
        }
        bytes
            .iter_mut()
            .zip(&here)
            .for_each(|(sum, is_here)| *sum += is_here * length_bytes / samples);
    }
}
