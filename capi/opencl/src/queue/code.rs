//! The code that a launch runs: the kernel's own, or other code that was made for this local size or these ids.
#![allow(unsafe_code)]

use super::reduce::Copies;
use super::scratch;
use crate::core::kernel::{Block, Kernel};
use crate::core::program::executable::{EntryPoint, Executable, LaunchParameters, aligned};
use crate::os::runtime;
use std::sync::Arc;

#[derive(Clone)]
pub struct Code {
    entry: EntryPoint,
    parameters: LaunchParameters,
    /// Of one work-group; copies follow, and arguments.
    scratch_bytes: usize,
    /// Of what it reduces, if they are worth it.
    copies: Option<Copies>,
    /// Keeps code loaded that is not the kernel's own.
    special: Option<Arc<Executable>>,
}

/// A launch, as far as that is known before its code.
pub struct Subject<'a> {
    pub kernel: &'a Kernel,
    pub arguments: &'a Block,
    pub parameters: LaunchParameters,
    /// Of a whole work-group.
    pub items: usize,
}

impl Subject<'_> {
    /// `special`, or the kernel's own; none if groups need more memory than there are addresses.
    pub fn code(&self, special: Option<Arc<Executable>>) -> Option<Code> {
        let (entry, kernel) = match &special {
            Some(special) => (special.entry(0), special.kernel(0)),
            None => (self.kernel.entry(), self.kernel.description()),
        };
        let bytes = kernel.scratch_bytes(self.items)?;
        let scratch_bytes = aligned(bytes.checked_add(self.arguments.context_offset_bytes)?)?;
        let is_disjoint = self.parameters.disjoint != 0;
        let copies = is_disjoint.then(|| Copies::of(kernel, self.arguments)).flatten();
        let copies = copies.filter(|copies| self.gains_by(copies));
        let reducing = u64::from(copies.is_some());
        let parameters = LaunchParameters { reducing, ..self.parameters };
        Some(Code { entry, parameters, scratch_bytes, copies, special })
    }

    fn gains_by(&self, copies: &Copies) -> bool {
        let sizes = self.parameters.global_size.into_iter();
        let items = sizes.fold(1, |all: usize, size| all.saturating_mul(size as usize));
        copies.pay(items, self.kernel.tuning().cost.item_ns(), runtime::workers())
    }
}

impl Code {
    pub fn is_special(&self) -> bool {
        self.special.is_some()
    }

    /// Work-groups of so many items that a block has at least.
    pub fn least_groups(&self, items: usize, item_ns: Option<f32>) -> usize {
        self.copies.as_ref().map_or(0, |copies| copies.least_groups(items, item_ns))
    }

    /// Runs the work-groups from `begin` to `end`; `None` if there is no memory for that. `words` are the arguments of the launch
    /// that it is for.
    pub fn run(&self, words: &[u64], begin: usize, end: usize) -> Option<()> {
        let copies = self.copies.as_ref();
        let copies_bytes = copies.map_or(0, Copies::bytes);
        let arguments_at = self.scratch_bytes.checked_add(copies_bytes)?;
        let all_bytes = arguments_at.checked_add(size_of_val(words))?;
        scratch::with(all_bytes, |scratch| {
            // SAFETY: the function is the translator's for these arguments, the scratch memory is as large as its description says, and
            // behind it lie the copies and the arguments.
            unsafe {
                let arguments = scratch.byte_add(arguments_at).cast::<u64>();
                arguments.copy_from_nonoverlapping(words.as_ptr(), words.len());
                let memory = scratch.byte_add(self.scratch_bytes).cast::<u8>();
                copies.iter().for_each(|copies| copies.begin(memory, arguments));
                let (parameters, arguments) = (&raw const self.parameters, arguments.cast());
                (self.entry)(parameters, arguments, scratch, begin as u64, end as u64);
                copies.iter().for_each(|copies| copies.merge(memory));
            }
        })
    }
}
