//! Commands: what a program asks a queue to do, checked and complete.
//!
//! All memory is the process's own, so reading, writing and copying, of buffers and of shared memory, are one:
//! a `Copy`. What a command uses is kept alive in `keep`.
#![allow(unsafe_code)]

use crate::core::kernel::{Block, Kernel};
use crate::core::memory::{Address, Memory};
use crate::handle::Ref;
use opencl_sys::cl_command_type;
use smallvec::SmallVec;
use std::ffi::c_void;

pub struct Command {
    /// What `CL_EVENT_COMMAND_TYPE` answers, and what tells a barrier from a marker.
    pub kind: cl_command_type,
    pub work: Work,
    /// Memory objects that must live until it is done.
    #[allow(dead_code)]
    pub keep: SmallVec<[Ref<Memory>; 2]>,
}

pub enum Work {
    /// Markers, barriers, maps, unmaps and migrations: memory is where it is.
    Nothing,
    Copy(Copy),
    Fill(Fill),
    Kernel(Box<Launch>),
    Native(Native),
    /// A call that frees memory.
    Free(Box<dyn FnOnce() + Send>),
}

/// Rows of bytes from one place to another. The places do not overlap, unless they are the same bytes.
pub struct Copy {
    pub source: Address,
    pub target: Address,
    pub shape: Shape,
}

/// A box of bytes; one row for what is contiguous.
#[derive(Clone, std::marker::Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub row_bytes: usize,
    pub rows: usize,
    pub slices: usize,
    /// From one row or slice to the next.
    pub source_row_pitch_bytes: usize,
    pub source_slice_pitch_bytes: usize,
    pub target_row_pitch_bytes: usize,
    pub target_slice_pitch_bytes: usize,
}

impl Shape {
    pub fn contiguous(bytes: usize) -> Shape {
        Shape {
            row_bytes: bytes,
            rows: 1,
            slices: 1,
            source_row_pitch_bytes: bytes,
            source_slice_pitch_bytes: bytes,
            target_row_pitch_bytes: bytes,
            target_slice_pitch_bytes: bytes,
        }
    }
}

/// A pattern, again and again.
pub struct Fill {
    pub target: Address,
    /// A multiple of the pattern's length.
    pub bytes: usize,
    /// Of 1 to 128 bytes.
    pub pattern: SmallVec<[u8; 16]>,
}

/// A function of the program's.
pub struct Native {
    pub function: unsafe extern "C" fn(*mut c_void),
    /// A copy of the program's block, in which the memory objects are addresses by now; `None`: null.
    pub arguments: Option<Vec<u64>>,
}

/// A kernel over a range of work-items.
pub struct Launch {
    pub kernel: Ref<Kernel>,
    pub arguments: Block,
    pub dimensions: usize,
    /// 1 in the dimensions there are not; offsets are 0 there.
    pub global_offset: [usize; 3],
    pub global_size: [usize; 3],
    /// `None`: to be chosen.
    pub local_size: Option<[usize; 3]>,
}

impl Command {
    /// Carries it out, here and now.
    pub fn run(self) {
        match self.work {
            Work::Nothing => {}
            Work::Copy(copy) => copy.run(),
            Work::Fill(fill) => fill.run(),
            Work::Kernel(launch) => launch.run(),
            Work::Native(native) => native.run(),
            Work::Free(free) => free(),
        }
    }
}

impl Copy {
    fn run(&self) {
        let shape = &self.shape;
        for slice in 0..shape.slices {
            for row in 0..shape.rows {
                let source =
                    slice * shape.source_slice_pitch_bytes + row * shape.source_row_pitch_bytes;
                let target =
                    slice * shape.target_slice_pitch_bytes + row * shape.target_row_pitch_bytes;
                // SAFETY: the entry points checked that the rows lie in memory objects; the program says so of
                // its own memory.
                unsafe {
                    std::ptr::copy(
                        self.source.plus(source).pointer(),
                        self.target.plus(target).pointer(),
                        shape.row_bytes,
                    );
                }
            }
        }
    }
}

impl Fill {
    fn run(&self) {
        for at in (0..self.bytes).step_by(self.pattern.len()) {
            // SAFETY: the entry points checked that the bytes lie in a memory object, or the program says so of
            // shared memory.
            unsafe {
                self.target
                    .plus(at)
                    .pointer()
                    .copy_from_nonoverlapping(self.pattern.as_ptr(), self.pattern.len());
            }
        }
    }
}

impl Native {
    fn run(mut self) {
        let arguments = self.arguments.as_mut().map_or(std::ptr::null_mut(), |it| it.as_mut_ptr());
        // SAFETY: the program's function, with the block that it asked for.
        unsafe { (self.function)(arguments.cast()) };
    }
}

impl Launch {
    fn run(&self) {
        use crate::core::program::executable::{
            LaunchParameters, SCRATCH_ALIGNMENT_BYTES, SERVICES,
        };
        let kernel = self.kernel.description();
        let local = kernel.specialized_size.or(self.local_size).or(kernel.required_size);
        let local = local.unwrap_or([1; 3]);
        let groups: [usize; 3] =
            std::array::from_fn(|at| self.global_size[at].div_ceil(local[at].max(1)));
        let wide = |numbers: [usize; 3]| numbers.map(|number| number as u64);
        let context_offset = self.arguments.context_offset_bytes;
        let parameters = LaunchParameters {
            work_dim: self.dimensions as u64,
            global_offset: wide(self.global_offset),
            global_size: wide(self.global_size),
            local_size: wide(local),
            group_count: wide(groups),
            context_offset: context_offset as u64,
            services: &SERVICES,
        };
        let items: usize = local.iter().product();
        let bytes = context_offset + kernel.context_bytes_per_item * items;
        let mut scratch = vec![0u8; bytes + 2 * SCRATCH_ALIGNMENT_BYTES];
        let skip = scratch.as_ptr().align_offset(SCRATCH_ALIGNMENT_BYTES);
        let last = groups.iter().product::<usize>() as u64;
        // SAFETY: the function is the translator's for these arguments, and the scratch memory is as large as its
        // description says.
        unsafe {
            let scratch = scratch.as_mut_ptr().add(skip).cast();
            (self.kernel.entry())(
                &raw const parameters,
                self.arguments.pointer(),
                scratch,
                0,
                last,
            );
        }
    }
}
