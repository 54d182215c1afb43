//! Kernels: a function of a program, with arguments.

mod arguments;
mod info;
mod sub_groups;

pub use arguments::{Block, Value};

use super::device::{MOST_ITEMS, facts};
use super::program::Program;
use super::program::description::{KernelDescription, Less};
use super::program::executable::{EntryPoint, Executable};
use super::program::special::{Case, Launches, Wanted};
use crate::error::{Error, Result, ensure};
use crate::handle::{Kind, Object, Ref};
use crate::queue::Tuning;
use arguments::Arguments;
use crossbeam_utils::CachePadded;
use opencl_sys::*;
use std::sync::{Arc, Mutex, MutexGuard};

pub struct Kernel {
    program: Ref<Program>,
    /// Of the program when the kernel was made.
    executable: Arc<Executable>,
    /// In the executable.
    index: usize,
    /// Padded: enqueuers lock it, and workers read the rest.
    arguments: CachePadded<Mutex<Arguments>>,
}

impl Object for Kernel {
    const KIND: Kind = Kind::Kernel;
    const INVALID: cl_int = CL_INVALID_KERNEL;
}

impl Kernel {
    pub fn named(program: &Ref<Program>, name: &str) -> Result<Ref<Kernel>> {
        let executable = program.executable()?;
        let index = executable.find(name).ok_or(Error(CL_INVALID_KERNEL_NAME))?;
        Kernel::new(program, executable, index)
    }

    /// One for each kernel of the program.
    pub fn all(program: &Ref<Program>) -> Result<Vec<Ref<Kernel>>> {
        let executable = program.executable()?;
        let count = executable.description().kernels.len();
        (0..count).map(|index| Kernel::new(program, executable.clone(), index)).collect()
    }

    fn new(
        program: &Ref<Program>,
        executable: Arc<Executable>,
        index: usize,
    ) -> Result<Ref<Kernel>> {
        let arguments = Arguments::new(executable.kernel(index));
        Kernel::with(program.clone(), executable, index, arguments)
    }

    fn with(
        program: Ref<Program>,
        executable: Arc<Executable>,
        index: usize,
        arguments: Arguments,
    ) -> Result<Ref<Kernel>> {
        program.attach_kernel();
        Ref::new(Kernel {
            program,
            executable,
            index,
            arguments: CachePadded::new(Mutex::new(arguments)),
        })
    }

    /// `clCloneKernel`: another with the same arguments.
    pub fn cloned(&self) -> Result<Ref<Kernel>> {
        let arguments = self.arguments().clone();
        Kernel::with(self.program.clone(), self.executable.clone(), self.index, arguments)
    }

    pub fn program(&self) -> &Ref<Program> {
        &self.program
    }

    /// Waits until its code is there; an error if it cannot be had. What depends on the code is not known before.
    pub fn ready(&self) -> Result {
        self.executable.ready(self.index)
    }

    pub fn description(&self) -> &KernelDescription {
        self.executable.kernel(self.index)
    }

    pub fn entry(&self) -> EntryPoint {
        self.executable.entry(self.index)
    }

    /// What was learned of it by running it.
    pub fn tuning(&self) -> &Tuning {
        self.executable.tuning(self.index)
    }

    /// The code for one case alone; none where that would not be the same kernel, it would be no better, or nobody can make it.
    pub fn special(&self, case: Case) -> Option<Wanted> {
        let program = self.executable.description();
        let is_alone = program.program_variables_bytes == 0 && program.constructors.is_empty();
        let kernel = self.description();
        let is_hurried = kernel.less_optimized == Some(Less::Time);
        let may_be_better = is_hurried || kernel.less_optimized.is_none();
        let may = is_alone && kernel.specialized_size.is_none() && may_be_better;
        if may { self.wanted(self.launches(case), None, is_hurried) } else { None }
    }

    /// The same, in another way that may be the better one.
    pub fn special_by(&self, way: &str, case: Case) -> Option<Wanted> {
        self.wanted(self.launches(case), Some(way), false)
    }

    fn launches(&self, case: Case) -> Launches<'_> {
        Launches::Of(case, &self.description().strides)
    }

    /// The code for ids however large; none where nobody can make it.
    pub fn for_any_ids(&self) -> Option<Wanted> {
        self.wanted(Launches::AnyIds, None, false)
    }

    fn wanted(
        &self,
        launches: Launches<'_>,
        way: Option<&str>,
        is_hurried: bool,
    ) -> Option<Wanted> {
        let source = self.program.image().filter(|image| !image.bitcode.is_empty())?;
        let maker = self.executable.maker(&source)?;
        Some(maker.want(source, &self.description().name, launches, way, is_hurried))
    }

    pub fn set_argument(&self, index: usize, value: Value) -> Result {
        let arguments = &self.description().arguments;
        let argument = arguments.get(index).ok_or(Error(CL_INVALID_ARG_INDEX))?;
        self.arguments().set(index, argument, value)
    }

    /// The arguments as they are now, for one launch; an error if one is not set or its object is gone.
    pub fn block(&self) -> Result<Block> {
        self.arguments().block(self.description())
    }

    /// Of local arguments and static local data together, as far as arguments are set.
    pub fn local_bytes(&self) -> usize {
        let description = self.description();
        description.local_bytes.saturating_add(self.arguments().local_bytes())
    }

    fn arguments(&self) -> MutexGuard<'_, Arguments> {
        self.arguments.lock().unwrap_or_else(|held| held.into_inner())
    }

    /// How many items a work-group may have.
    pub fn most_items(&self) -> usize {
        self.description().most_items(MOST_ITEMS, facts().private_bytes())
    }

    /// An error if the local data is more than a work-group may have, or what so many items have for themselves.
    pub fn ensure_fits(&self, items: usize) -> Result {
        ensure(self.local_bytes() as u64 <= facts().local_bytes(), CL_OUT_OF_RESOURCES)?;
        let private_bytes = self.description().scratch_bytes(items);
        let fits = private_bytes.is_some_and(|bytes| bytes <= facts().private_bytes());
        ensure(fits, CL_OUT_OF_RESOURCES)
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.program.detach_kernel();
    }
}
