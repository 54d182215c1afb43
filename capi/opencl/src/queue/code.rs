//! The code that a launch runs: the kernel's own, or other code that was made for this local size or these ids. Of that there may be
//! several, and each block asks whose turn it is.
#![allow(unsafe_code)]

use super::reduce::Copies;
use super::scratch;
use super::special::{MOST_RIVALS, Special};
use super::walk::Walk;
use crate::core::kernel::{Block, Kernel};
use crate::core::program::executable::{EntryPoint, Executable, LaunchParameters, aligned};
use crate::os::runtime;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

#[derive(Clone)]
pub struct Code {
    own: Ready,
    special: Option<Arc<Special>>,
    /// Those of its rivals that suit the launch.
    others: [OnceLock<Option<Ready>>; MOST_RIVALS],
}

/// Code with all that a call of it needs.
#[derive(Clone)]
pub struct Ready {
    entry: EntryPoint,
    parameters: LaunchParameters,
    /// Of one work-group; copies follow, and arguments.
    scratch_bytes: usize,
    /// Of what it reduces, if they are worth it.
    copies: Option<Copies>,
    /// Keeps code loaded that is not the kernel's own.
    _executable: Option<Arc<Executable>>,
}

/// What a block runs.
pub struct Turn<'a> {
    pub code: &'a Ready,
    /// Who wants to know how long it took, and of which code.
    judge: Option<(&'a Special, usize)>,
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
    pub fn code(&self, special: Option<Arc<Special>>) -> Option<Code> {
        let own = self.ready(special.as_ref().map(|special| special.first().clone()))?;
        Some(Code { own, special, others: Default::default() })
    }

    /// The same of other code than the kernel's own, if there is any.
    pub fn ready(&self, other: Option<Arc<Executable>>) -> Option<Ready> {
        let (entry, kernel) = match &other {
            Some(other) => (other.entry(0), other.kernel(0)),
            None => (self.kernel.entry(), self.kernel.description()),
        };
        let bytes = kernel.scratch_bytes(self.items)?;
        let scratch_bytes = aligned(bytes.checked_add(self.arguments.context_offset_bytes)?)?;
        let is_disjoint = self.parameters.disjoint != 0;
        let copies = is_disjoint.then(|| Copies::of(kernel, self.arguments)).flatten();
        let copies = copies.filter(|copies| self.gains_by(copies));
        let reducing = u64::from(copies.is_some());
        let parameters = LaunchParameters { reducing, ..self.parameters };
        Some(Ready { entry, parameters, scratch_bytes, copies, _executable: other })
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

    /// What the next block runs. `make`: the code of a rival, if it suits the launch.
    pub fn turn(&self, make: impl FnOnce(&Arc<Executable>) -> Option<Ready>) -> Turn<'_> {
        let special = self.special.as_deref().filter(|special| special.has_rivals());
        let Some(special) = special else { return Turn { code: &self.own, judge: None } };
        let number = special.whose_turn();
        let Some(rival) = number.checked_sub(1) else {
            return Turn { code: &self.own, judge: Some((special, 0)) };
        };
        let made = self.others[rival].get_or_init(|| make(special.rival(rival)?));
        match made {
            Some(code) => Turn { code, judge: Some((special, number)) },
            None => Turn { code: &self.own, judge: None },
        }
    }

    /// Work-groups of so many items that a block has at least.
    pub fn least_groups(&self, items: usize, item_ns: Option<f32>) -> usize {
        self.own.copies.as_ref().map_or(0, |copies| copies.least_groups(items, item_ns))
    }
}

impl Turn<'_> {
    /// The block had so many items, and took so long.
    pub fn note(&self, items: usize, ns: u64) {
        if let Some((special, code)) = self.judge {
            special.note(code, items, ns);
        }
    }
}

impl Ready {
    /// Runs the work-groups of these steps; `None` if there is no memory for that. `words` are the arguments of the launch that it is
    /// for.
    pub fn run(&self, words: &[u64], walk: &Walk, steps: Range<usize>) -> Option<()> {
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
                walk.visit(steps, &mut |groups| {
                    let (begin, end) = (groups.start as u64, groups.end as u64);
                    (self.entry)(parameters, arguments, scratch, begin, end);
                });
                copies.iter().for_each(|copies| copies.merge(memory));
            }
        })
    }
}
