//! A program's machine code, loaded: the entry points of its kernels, each as soon as it is there.
//!
//! Source: docs/kernel-abi.md.
#![allow(unsafe_code)]

use super::description::{Description, KernelDescription};
use super::image::Image;
use super::making::Making;
use super::special::Maker;
use crate::core::print;
use crate::os::library::Library;
use crate::queue::Tuning;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

/// `struct vicinity_launch`: what the work-groups of one launch have in common.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchParameters {
    pub work_dim: u64,
    pub global_offset: [u64; 3],
    pub global_size: [u64; 3],
    /// As enqueued; the last groups may be smaller.
    pub local_size: [u64; 3],
    pub group_count: [u64; 3],
    /// Where in the scratch memory the values of work-items begin that live across barriers.
    pub context_offset: u64,
    pub services: *const Services,
    /// 1: no two buffers among the arguments overlap, and no argument is a pointer that the program made itself; 0: not known.
    pub disjoint: u64,
    /// 1: arguments that the description calls reductions lead to copies that this call alone has; 0: to the program's memory.
    pub reducing: u64,
}

// SAFETY: the pointer is to services, which never change.
unsafe impl Send for LaunchParameters {}
// SAFETY: as above.
unsafe impl Sync for LaunchParameters {}

/// `struct vicinity_services`: what kernels ask of the driver.
#[repr(C)]
pub struct Services {
    pub size: u64,
    pub state: *mut c_void,
    pub print: unsafe extern "C" fn(
        state: *mut c_void,
        format: *const c_char,
        count: u64,
        kinds: *const u32,
        data: *const c_void,
    ) -> c_int,
}

// SAFETY: there is no state.
unsafe impl Sync for Services {}

pub static SERVICES: Services = Services {
    size: size_of::<Services>() as u64,
    state: std::ptr::null_mut(),
    print: print::vicinity_print,
};

/// Runs the work-groups with the numbers from `first` to `last`, `last` not included.
pub type EntryPoint = unsafe extern "C" fn(
    launch: *const LaunchParameters,
    arguments: *const c_void,
    scratch: *mut c_void,
    first: u64,
    last: u64,
);

/// Scratch memory, local arguments and the contexts in it begin at multiples of this.
pub const SCRATCH_ALIGNMENT_BYTES: usize = 128;

/// So many bytes of scratch memory, up to where others may begin; `None` if there are no such numbers.
pub fn aligned(bytes: usize) -> Option<usize> {
    bytes.checked_next_multiple_of(SCRATCH_ALIGNMENT_BYTES)
}

/// A program that runs, or will: the code of a kernel may still be made ([`super::making`]).
pub struct Executable {
    /// Of its kernels, what is known without their code.
    description: Arc<Description>,
    codes: Arc<Codes>,
    /// One for each kernel: what was learned of it.
    tunings: Vec<Tuning>,
    /// Of code for one local size; `None` if there is none.
    maker: OnceLock<Option<Maker>>,
    /// Whoever makes the code, or has made it.
    making: Option<Arc<Making>>,
    /// All of the code, where it came at once.
    library: Option<Arc<Library>>,
}

/// The code of each kernel, once it is there.
pub struct Codes(Vec<OnceLock<Code>>);

struct Code {
    entry: EntryPoint,
    /// What is known of the kernel with its code, where the program's description did not have it.
    kernel: Option<KernelDescription>,
    _library: Arc<Library>,
}

impl Codes {
    pub fn none(kernels: usize) -> Codes {
        Codes((0..kernels).map(|_| OnceLock::new()).collect())
    }

    pub fn has(&self, kernel: usize) -> bool {
        self.0[kernel].get().is_some()
    }

    /// Loads the kernels of `object`, which must be as they were declared. The error says what is wrong.
    pub fn add(
        &self,
        object: &[u8],
        of: Description,
        declared: &Description,
    ) -> Result<(), String> {
        let library = Arc::new(Library::from_bytes(object)?);
        for kernel in of.kernels {
            let is_same = |one: &KernelDescription| one.name == kernel.name && one.takes(&kernel);
            let number = declared.kernels.iter().position(is_same);
            let number = number.ok_or_else(|| format!("{} is not as declared", kernel.name))?;
            let (entry, _library) = (entry(&library, &kernel.symbol)?, library.clone());
            // Who comes second brings the same.
            _ = self.0[number].set(Code { entry, kernel: Some(kernel), _library });
        }
        Ok(())
    }
}

impl Executable {
    /// The error says what is wrong.
    pub fn load(object: &[u8], description: Description) -> Result<Executable, String> {
        let library = Arc::new(Library::from_bytes(object)?);
        let code = |kernel: &KernelDescription| {
            let (entry, _library) = (entry(&library, &kernel.symbol)?, library.clone());
            Ok(OnceLock::from(Code { entry, kernel: None, _library }))
        };
        let codes = description.kernels.iter().map(code).collect::<Result<_, String>>()?;
        call_all(&library, &description.constructors)?;
        let (description, codes) = (Arc::new(description), Arc::new(Codes(codes)));
        let mut executable = Executable::with(description, codes, None);
        executable.library = Some(library);
        Ok(executable)
    }

    /// Of which the code is being made.
    pub fn declared(making: Arc<Making>) -> Executable {
        let declared = making.declared();
        let (description, codes) = (declared.description.clone(), declared.codes.clone());
        Executable::with(description, codes, Some(making))
    }

    fn with(
        description: Arc<Description>,
        codes: Arc<Codes>,
        making: Option<Arc<Making>>,
    ) -> Executable {
        let tunings = description.kernels.iter().map(|_| Tuning::default()).collect();
        let maker = OnceLock::new();
        Executable { description, codes, tunings, maker, making, library: None }
    }

    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Waits until the code of this kernel is there; an error if it cannot be had.
    pub fn ready(&self, kernel: usize) -> crate::error::Result {
        let Some(making) = &self.making else { return Ok(()) };
        making.use_it();
        if self.codes.has(kernel) { Ok(()) } else { making.wait_for(kernel) }
    }

    /// What is known of a kernel: all of it, once it is ready.
    pub fn kernel(&self, kernel: usize) -> &KernelDescription {
        let code = self.codes.0[kernel].get();
        code.and_then(|code| code.kernel.as_ref()).unwrap_or(&self.description.kernels[kernel])
    }

    /// Of a kernel that is ready.
    pub fn entry(&self, kernel: usize) -> EntryPoint {
        self.codes.0[kernel].get().expect("it is ready").entry
    }

    pub fn tuning(&self, kernel: usize) -> &Tuning {
        &self.tunings[kernel]
    }

    /// What makes code of it for one local size, from `source`.
    pub fn maker(&self, source: &Image) -> Option<&Maker> {
        self.maker.get_or_init(|| Maker::of(source)).as_ref()
    }

    /// The number of the kernel of that name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.description.kernels.iter().position(|kernel| kernel.name == name)
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        // Those that are not there were missed by nobody so far.
        let library = self.library.iter();
        library.for_each(|library| _ = call_all(library, &self.description.destructors));
    }
}

fn entry(library: &Library, symbol: &str) -> Result<EntryPoint, String> {
    let missing = || format!("{symbol} is missing");
    let name = CString::new(symbol).map_err(|_| missing())?;
    let address = library.symbol(&name).ok_or_else(missing)?;
    // SAFETY: the translator's word that this function has this type.
    Ok(unsafe { std::mem::transmute::<NonNull<c_void>, EntryPoint>(address) })
}

/// Initializers and finalizers of program-scope variables: kernels of one work-item, without arguments.
fn call_all(library: &Library, symbols: &[String]) -> Result<(), String> {
    let launch = LaunchParameters {
        work_dim: 1,
        global_offset: [0; 3],
        global_size: [1; 3],
        local_size: [1; 3],
        group_count: [1; 3],
        context_offset: 0,
        services: &SERVICES,
        disjoint: 0,
        reducing: 0,
    };
    let mut scratch = Scratch([0; 4096]);
    for symbol in symbols {
        let call = entry(library, symbol)?;
        // SAFETY: the translator's word that the function takes no arguments; they keep nothing for others in the
        // scratch memory.
        unsafe { call(&raw const launch, std::ptr::null(), (&raw mut scratch).cast(), 0, 1) };
    }
    Ok(())
}

#[repr(C, align(128))]
struct Scratch([u8; 4096]);
