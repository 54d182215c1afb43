//! Launches: a kernel over a range of work-items, as a range of work-groups that is cut into blocks.
//!
//! Terms: a *plan* is what is decided when the launch is ready, or before its first replay: the local size and the code. Its
//! blocks are cut each time that it runs.
#![allow(unsafe_code)]

use super::footprint::{self, Box3};
use super::part::home_of;
use super::reduce::Copies;
use super::run::Division;
use super::size::{self, Wish};
use super::{grain, scratch};
use crate::core::device::facts;
use crate::core::kernel::{Block, Kernel};
use crate::core::program::executable::{EntryPoint, Executable, LaunchParameters, SERVICES};
use crate::error::{Error, Result};
use crate::handle::Ref;
use crate::os::clock::now_ns;
use crate::os::runtime;
use opencl_sys::CL_OUT_OF_RESOURCES;
use std::ffi::c_void;
use std::sync::Arc;

/// A kernel over a range of work-items.
#[derive(Clone)]
pub struct Launch {
    kernel: Ref<Kernel>,
    arguments: Block,
    range: Range,
    plan: Option<Plan>,
}

#[derive(Clone)]
pub struct Range {
    pub dimensions: usize,
    /// 1 in the dimensions there are not; offsets are 0 there.
    pub offset: [usize; 3],
    pub global: [usize; 3],
    /// `None`: to be chosen.
    pub local: Option<[usize; 3]>,
}

impl Range {
    /// Whether all groups have the same size, if the program said one.
    pub fn is_uniform(&self) -> bool {
        let is_whole =
            |local: [usize; 3]| (0..3).all(|at| self.global[at].is_multiple_of(local[at]));
        self.local.is_none_or(is_whole)
    }

    /// Whether all ids are below 2^30, along the dimensions that vectors may go.
    fn is_narrow(&self) -> bool {
        (0..2).all(|at| self.offset[at] + self.global[at] <= 1 << 30)
    }
}

#[derive(Clone)]
struct Plan {
    entry: EntryPoint,
    /// Keeps code loaded that was made for this local size.
    _special: Option<Arc<Executable>>,
    local: [usize; 3],
    /// Work-groups along each dimension.
    counts: [usize; 3],
    /// Of one work-group; arguments follow.
    scratch_bytes: usize,
    /// Items of a whole work-group.
    items: usize,
    /// All groups have that many, as code that is made for one local size demands.
    whole_groups: bool,
    /// Of what its blocks reduce.
    copies: Option<Copies>,
    parameters: LaunchParameters,
}

impl Launch {
    pub fn new(kernel: Ref<Kernel>, arguments: Block, range: Range) -> Launch {
        Launch { kernel, arguments, range, plan: None }
    }

    /// Whether what `other` keeps alive is kept alive by this one, too.
    pub fn uses_as_much(&self, other: &Launch) -> bool {
        self.kernel.is(&other.kernel) && self.arguments.uses_as_much(&other.arguments)
    }

    /// The size of its groups, which is the program's or ours.
    pub fn local_size(&self) -> [usize; 3] {
        let kernel = self.kernel.description();
        let Range { global, dimensions, local, .. } = self.range;
        match local.filter(|_| !kernel.groupless || kernel.required_size.is_some()) {
            Some(local) => local,
            None => {
                let choose = || self.chosen_size();
                self.kernel.tuning().chosen().of(global, dimensions, local, choose)
            }
        }
    }

    fn chosen_size(&self) -> [usize; 3] {
        let kernel = self.kernel.description();
        // Vectors are of 32-bit numbers more often than not.
        let lanes = kernel.vectorized.iter().map(|it| it.width as usize).max();
        let lanes = lanes.unwrap_or(0).max(facts().vector_bytes as usize / 4);
        let wish = Wish {
            global: self.range.global,
            dimensions: self.range.dimensions,
            lanes,
            most_items: self.kernel.most_items(),
            workers: runtime::workers(),
            kept_bytes: kernel.context_bytes_per_item,
            uniform: kernel.uniform_groups,
            turned: kernel.turned,
            required: kernel.required_size,
            hint: kernel.size_hint,
        };
        match self.range.local {
            Some(local) => size::grow(&wish, local),
            None => size::choose(&wish),
        }
    }

    /// It is ready: decides how it runs. An error if its groups need more memory than there are addresses.
    pub fn prepare(&mut self) -> Result {
        let range = &self.range;
        let local = self.local_size();
        let whole_groups = (0..3).all(|at| range.global[at].is_multiple_of(local[at]));
        let special = self.special(local, whole_groups)?;
        let (entry, kernel) = match &special {
            Some(special) => (special.entry(0), special.kernel(0)),
            None => (self.kernel.entry(), self.kernel.description()),
        };
        let counts = std::array::from_fn(|at| range.global[at].div_ceil(local[at]));
        let items: usize = local.iter().product();
        let private_bytes = kernel.scratch_bytes(items);
        let local_bytes = self.arguments.context_offset_bytes;
        let scratch_bytes = private_bytes
            .and_then(|bytes| scratch::aligned(bytes.checked_add(local_bytes)?))
            .ok_or(Error(CL_OUT_OF_RESOURCES))?;
        let _special = special.clone();
        let mut parameters = self.parameters(local, counts);
        let copies = match parameters.disjoint {
            0 => None,
            _ => Copies::of(kernel, &self.arguments).filter(|copies| self.gains_by(copies)),
        };
        parameters.reducing = u64::from(copies.is_some());
        self.plan = Some(Plan {
            entry,
            _special,
            local,
            counts,
            scratch_bytes,
            items,
            whole_groups,
            copies,
            parameters,
        });
        Ok(())
    }

    /// Other code than the kernel's own, if this launch needs it, or goes better with it.
    fn special(&self, local: [usize; 3], whole_groups: bool) -> Result<Option<Arc<Executable>>> {
        let specializations = &self.kernel.tuning().specializations;
        if self.kernel.description().narrow && !self.range.is_narrow() {
            let code = specializations.for_any_ids(&self.kernel);
            return code.map(Some).ok_or(Error(CL_OUT_OF_RESOURCES));
        }
        Ok(if whole_groups { specializations.find(&self.kernel, local) } else { None })
    }

    fn parameters(&self, local: [usize; 3], counts: [usize; 3]) -> LaunchParameters {
        // No two of its buffers overlap.
        let disjoint = self.arguments.are_disjoint(&self.kernel.description().arguments);
        let wide = |numbers: [usize; 3]| numbers.map(|number| number as u64);
        LaunchParameters {
            work_dim: self.range.dimensions as u64,
            global_offset: wide(self.range.offset),
            global_size: wide(self.range.global),
            local_size: wide(local),
            group_count: wide(counts),
            context_offset: self.arguments.context_offset_bytes as u64,
            services: &SERVICES,
            disjoint: u64::from(disjoint),
            reducing: 0,
        }
    }

    fn gains_by(&self, copies: &Copies) -> bool {
        let items = self.range.global.iter().fold(1, |all: usize, &size| all.saturating_mul(size));
        copies.pay(items, self.kernel.tuning().cost.item_ns(), runtime::workers())
    }

    /// The kernel, whichever code of it runs.
    pub fn subject(&self) -> *const c_void {
        self.kernel.entry() as *const c_void
    }

    pub fn division(&self) -> Division {
        let Some(plan) = &self.plan else { return Division::WHOLE };
        let units = plan.counts.iter().product();
        // What is known of the cost by now: a launch may be replayed long after it was prepared.
        let item_ns = self.kernel.tuning().cost.item_ns();
        let grain = grain::grain(units, plan.items, item_ns, runtime::workers());
        let least = plan.copies.as_ref().map(|copies| copies.least_groups(plan.items, item_ns));
        Division { units, grain: grain.max(least.unwrap_or(0)) }
    }

    /// How long one thread takes for all of it, if that is known. Of a kernel that is given shared memory it is not: it might wait for a
    /// word that the program writes there.
    pub fn expected_ns(&self) -> Option<u64> {
        let item_ns = self.kernel.tuning().cost.item_ns()?;
        let items = self.range.global.iter().fold(1.0, |all, &size| all * size as f64);
        (!self.arguments.has_shared).then_some((f64::from(item_ns) * items) as u64)
    }

    /// Runs the work-groups from `begin` to `end`; an error if there is no memory for that.
    pub fn run(&self, begin: usize, end: usize) -> Result {
        let Some(plan) = &self.plan else { return Ok(()) };
        let (start, parameters) = (now_ns(), &plan.parameters);
        let words = self.arguments.words();
        let copies_bytes = plan.copies.as_ref().map_or(0, Copies::bytes);
        let arguments_at = plan.scratch_bytes.saturating_add(copies_bytes);
        let all_bytes = arguments_at.saturating_add(size_of_val(words));
        let done = scratch::with(all_bytes, |scratch| {
            // SAFETY: the function is the translator's for these arguments, the scratch memory is as large as
            // its description says, and behind it lie the copies and the arguments.
            unsafe {
                let arguments = scratch.byte_add(arguments_at).cast::<u64>();
                arguments.copy_from_nonoverlapping(words.as_ptr(), words.len());
                let memory = scratch.byte_add(plan.scratch_bytes).cast::<u8>();
                plan.copies.iter().for_each(|copies| copies.begin(memory, arguments));
                let (parameters, arguments) = (&raw const *parameters, arguments.cast());
                (plan.entry)(parameters, arguments, scratch, begin as u64, end as u64);
                plan.copies.iter().for_each(|copies| copies.merge(memory));
            }
        });
        done.ok_or(Error(CL_OUT_OF_RESOURCES))?;
        let ns = now_ns() - start;
        let tuning = self.kernel.tuning();
        tuning.cost.note((end - begin) * plan.items, ns);
        if plan.whole_groups {
            tuning.specializations.note(&self.kernel, plan.local, ns);
        }
        Ok(())
    }

    /// Where most of the data of these work-groups is, if the description says which bytes its items touch.
    pub fn home(&self, first: usize, end: usize) -> Option<u16> {
        let plan = self.plan.as_ref()?;
        let groups = Box3::around(first, end, plan.counts);
        let items = groups.items(plan.local, self.range.global).shifted(self.range.offset);
        let kernel = self.kernel.description();
        home_of(kernel.ranges.iter().filter_map(|range| {
            let memory = self.arguments.memory.iter().find(|(index, _)| *index == range.argument);
            let (_, memory) = memory?;
            let number = |index: usize| self.arguments.number(kernel.arguments.get(index)?);
            let (offset, length) = footprint::bytes(range, &items, number, memory.size_bytes())?;
            Some((memory.address().plus(offset), length))
        }))
    }
}
