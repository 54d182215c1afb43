//! `libvicinity.so.1`, through the functions of `vicinity.h`.
//!
//! It is loaded at the first use, from the folder of this library; where a program has it already, under
//! whichever name, that one is meant. It is never unloaded.

use super::library::{Library, own_folder};
use std::ffi::{CStr, c_void};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::LazyLock;

const NAME: &str = "libvicinity.so.1";

/// The functions that are used, as `vicinity.h` declares them.
macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $answer:ty)?;)*) => {
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
    vicinity_free: fn(*mut c_void);
}

static RUNTIME: LazyLock<Option<Runtime>> = LazyLock::new(|| {
    let beside = own_folder().map(|folder| Library::open(&folder.join(NAME)));
    let library = match beside {
        Some(Ok(library)) => Ok(library),
        _ => Library::open(Path::new(NAME)),
    };
    match library {
        Ok(library) => Runtime::find(library.leak()),
        Err(error) => {
            eprintln!("vicinity: {error}; no OpenCL kernel can run");
            None
        }
    }
});

/// `None` where the library is not to be found, which has been said then.
pub fn runtime() -> Option<&'static Runtime> {
    RUNTIME.as_ref()
}

/// Memory, distributed as the settings say; `None` if there is too little.
pub fn allocate(bytes: usize) -> Option<NonNull<u8>> {
    // SAFETY: no preconditions.
    NonNull::new(unsafe { (runtime()?.omp_malloc)(bytes) })
}

/// Gives memory of `allocate` back.
pub fn free(block: *mut u8) {
    if let Some(runtime) = runtime() {
        // SAFETY: whatever it is, the library knows its own blocks.
        unsafe { (runtime.vicinity_free)(block.cast()) };
    }
}
