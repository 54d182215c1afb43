//! Commands: what a program asks a queue to do, checked and complete.
//!
//! All memory is the process's own, so reading, writing and copying, of buffers and of shared memory, are one:
//! a `Copy`. What a command uses is kept alive in `keep`.
#![allow(unsafe_code)]

use super::event::Event;
use super::outside::Begin;
use super::part::home_of;
use super::run::Division;
use crate::core::context::Context;
use crate::core::memory::Memory;
use crate::error::Result;
use crate::handle::Ref;
use opencl_sys::cl_command_type;
use smallvec::SmallVec;
use std::ffi::c_void;

pub use super::copy::{Copy, Shape};
pub use super::file::FileTransfer;
pub use super::fill::Fill;
pub use super::launch::Launch;
pub use super::replay::Replay;

pub struct Command {
    /// What `CL_EVENT_COMMAND_TYPE` answers, and what tells a barrier from a marker.
    pub kind: cl_command_type,
    pub work: Work,
    /// Memory objects that must live until it is done.
    pub keep: SmallVec<[Ref<Memory>; 2]>,
}

impl Command {
    /// Whether what `other` keeps alive is kept alive by this one, too.
    pub fn uses_as_much(&self, other: &Command) -> bool {
        match (&self.work, &other.work) {
            (Work::Kernel(own), Work::Kernel(launch)) => {
                other.keep.is_empty() && own.uses_as_much(launch)
            }
            _ => false,
        }
    }
}

// Not in a box: it lies in its event, and most commands are kernels.
#[allow(clippy::large_enum_variant)]
pub enum Work {
    /// Markers, barriers, maps, unmaps and migrations: memory is where it is.
    Nothing,
    Copy(Copy),
    Fill(Fill),
    Kernel(Launch),
    Native(Native),
    /// A call that frees memory.
    Free(Option<Box<dyn FnOnce() + Send + Sync>>),
    /// In storage, which takes or gives bytes at once.
    File(FileTransfer),
    /// What is done elsewhere. None: it has begun.
    Outside(Option<Begin>),
    /// A command buffer. Its commands are not units of it: they have their own.
    Replay(Replay),
}

/// A function of the program's.
pub struct Native {
    pub function: unsafe extern "C" fn(*mut c_void),
    /// A copy of the program's block, in which the memory objects are addresses by now; `None`: null.
    pub arguments: Option<Vec<u64>>,
}

impl Work {
    /// It is ready, and about to be divided.
    pub fn prepare(&mut self) -> Result {
        match self {
            Work::Kernel(launch) => launch.prepare(),
            Work::File(file) => file.prepare(),
            _ => Ok(()),
        }
    }

    pub fn division(&self) -> Division {
        match self {
            Work::Copy(copy) => copy.division(),
            Work::Fill(fill) => fill.division(),
            Work::Kernel(launch) => launch.division(),
            Work::File(file) => file.division(),
            Work::Nothing
            | Work::Native(_)
            | Work::Free(_)
            | Work::Replay(_)
            | Work::Outside(_) => Division::WHOLE,
        }
    }

    /// How long one thread takes for all of it, in nanoseconds; none where that is not known, or it might wait for what the thread that
    /// enqueued it does next.
    pub fn expected_ns(&self) -> Option<u64> {
        match self {
            Work::Copy(copy) => Some(copy.expected_ns()),
            Work::Fill(fill) => Some(fill.expected_ns()),
            Work::Kernel(launch) => launch.expected_ns(),
            Work::Nothing => Some(0),
            Work::Native(_)
            | Work::Free(_)
            | Work::File(_)
            | Work::Replay(_)
            | Work::Outside(_) => None,
        }
    }

    /// The location that has most of the data of these units, as far as it is known.
    pub fn home(&self, first: usize, end: usize) -> Option<u16> {
        match self {
            Work::Kernel(launch) => launch.home(first, end),
            Work::Copy(copy) => home_of([copy.target_of(first, end)]),
            Work::Fill(fill) => home_of([fill.target_of(first, end)]),
            Work::File(file) => home_of([file.memory_of(first, end)]),
            Work::Nothing
            | Work::Native(_)
            | Work::Free(_)
            | Work::Replay(_)
            | Work::Outside(_) => None,
        }
    }

    /// The function that names it in traces; null: none.
    pub fn subject(&self) -> *const c_void {
        match self {
            Work::Copy(_) => copy_memory as *const c_void,
            Work::Fill(_) => fill_memory as *const c_void,
            Work::Kernel(launch) => launch.subject(),
            Work::Native(native) => native.function as *const c_void,
            Work::File(_) => transfer_file as *const c_void,
            Work::Nothing | Work::Free(_) | Work::Replay(_) | Work::Outside(_) => std::ptr::null(),
        }
    }

    /// Carries out all of it before it returns, with the workers' help if it is much, and other commands meanwhile.
    pub fn carry_out(mut self, context: Ref<Context>) -> Result {
        if self.division().is_whole() {
            return self.run_whole();
        }
        // The program does not know of it.
        Event::of_work(context, 0, self)?.wait_for_success()
    }

    /// Carries out all of it on the calling thread; nothing, if it is to be several tasks.
    pub fn carry_out_here(&mut self) -> Option<Result> {
        if let Err(error) = self.prepare() {
            return Some(Err(error));
        }
        self.division().is_whole().then(|| self.run_whole())
    }

    /// Carries out a part.
    pub fn run_units(&self, begin: usize, end: usize) -> Result {
        match self {
            Work::Copy(copy) => copy_memory(copy, begin, end),
            Work::Fill(fill) => fill_memory(fill, begin, end),
            Work::Kernel(launch) => return launch.run(begin, end),
            Work::File(file) => return transfer_file(file, begin, end),
            Work::Nothing
            | Work::Native(_)
            | Work::Free(_)
            | Work::Replay(_)
            | Work::Outside(_) => {}
        }
        Ok(())
    }

    /// Carries out all of it, where it is one task.
    pub fn run_whole(&mut self) -> Result {
        match self {
            Work::Native(native) => native.run(),
            Work::Free(free) => free.take().into_iter().for_each(|free| free()),
            _ => return self.run_units(0, self.division().units),
        }
        Ok(())
    }
}

// Functions of their own, because their names are those of the commands in traces.

#[inline(never)]
fn copy_memory(copy: &Copy, begin: usize, end: usize) {
    copy.run(begin, end);
}

#[inline(never)]
fn fill_memory(fill: &Fill, begin: usize, end: usize) {
    fill.run(begin, end);
}

#[inline(never)]
fn transfer_file(file: &FileTransfer, begin: usize, end: usize) -> Result {
    file.run(begin, end)
}

impl Native {
    fn run(&mut self) {
        let arguments = self.arguments.as_mut().map_or(std::ptr::null_mut(), |it| it.as_mut_ptr());
        // SAFETY: the program's function, with the block that it asked for.
        unsafe { (self.function)(arguments.cast()) };
    }
}
