//! Launches: a kernel over a range of work-items, as a range of work-groups that is cut into blocks.
//!
//! Terms: a *plan* is what is decided when the launch is ready: the local size, the code, the blocks. A *part* is a
//! contiguous run of work-groups that should run at one location.
//!
//! Where there are several locations, a part goes to where most of its data is, if the description says which bytes its
//! items touch; otherwise the parts are spread over the locations in order. Either way the same part of the same
//! launch goes where it went last time. Blocks are stolen from there, nearest first.
#![allow(unsafe_code)]

use super::footprint::{self, Box3};
use super::run::{Division, Part};
use super::size::{self, Wish};
use super::{grain, scratch};
use crate::core::device::facts;
use crate::core::kernel::{Block, Kernel};
use crate::core::program::executable::{EntryPoint, Executable, LaunchParameters, SERVICES};
use crate::handle::Ref;
use crate::os::clock::now_ns;
use crate::os::runtime;
use std::ffi::c_void;
use std::sync::Arc;

/// A kernel over a range of work-items.
pub struct Launch {
    kernel: Ref<Kernel>,
    arguments: Block,
    range: Range,
    /// The locations of the queue's device.
    locations: Arc<[u16]>,
    plan: Option<Plan>,
}

pub struct Range {
    pub dimensions: usize,
    /// 1 in the dimensions there are not; offsets are 0 there.
    pub offset: [usize; 3],
    pub global: [usize; 3],
    /// `None`: to be chosen.
    pub local: Option<[usize; 3]>,
}

struct Plan {
    entry: EntryPoint,
    /// Keeps code loaded that was made for this local size.
    _special: Option<Arc<Executable>>,
    parameters: LaunchParameters,
    local: [usize; 3],
    scratch_bytes: usize,
    groups: usize,
    /// Work-groups of a block.
    grain: usize,
    /// Items of a whole work-group.
    items: usize,
    /// All groups have that many, as code that is made for one local size demands.
    whole_groups: bool,
}

/// Parts for each location: fewer would leave it to chance where the borders of data are.
const PARTS_FOR_EACH: usize = 4;

impl Launch {
    pub fn new(
        kernel: Ref<Kernel>,
        arguments: Block,
        range: Range,
        locations: Arc<[u16]>,
    ) -> Launch {
        Launch { kernel, arguments, range, locations, plan: None }
    }

    fn local_size(&self) -> [usize; 3] {
        let kernel = self.kernel.description();
        // Vectors are of 32-bit numbers more often than not.
        let lanes = kernel.vectorized.iter().map(|it| it.width as usize).max();
        let lanes = lanes.unwrap_or(0).max(facts().vector_bytes as usize / 4);
        self.range.local.unwrap_or_else(|| {
            size::choose(&Wish {
                global: self.range.global,
                dimensions: self.range.dimensions,
                lanes,
                workers: runtime::workers(),
                kept_bytes: kernel.context_bytes_per_item,
                uniform: kernel.uniform_groups,
                required: kernel.required_size,
                hint: kernel.size_hint,
            })
        })
    }

    /// It is ready: decides how it runs.
    pub fn prepare(&mut self) {
        let range = &self.range;
        let local = self.local_size();
        let tuning = self.kernel.tuning();
        let whole_groups = (0..3).all(|at| range.global[at].is_multiple_of(local[at]));
        let special = tuning.specializations.find(local).filter(|_| whole_groups);
        let (entry, kernel) = match &special {
            Some(special) => (special.entry(0), &special.description().kernels[0]),
            None => (self.kernel.entry(), self.kernel.description()),
        };
        let count = |at: usize| range.global[at].div_ceil(local[at]);
        let groups = count(0) * count(1) * count(2);
        let items: usize = local.iter().product();
        let context_offset = self.arguments.context_offset_bytes;
        let wide = |numbers: [usize; 3]| numbers.map(|number| number as u64);
        let parameters = LaunchParameters {
            work_dim: range.dimensions as u64,
            global_offset: wide(range.offset),
            global_size: wide(range.global),
            local_size: wide(local),
            group_count: wide(std::array::from_fn(count)),
            context_offset: context_offset as u64,
            services: &SERVICES,
        };
        let scratch_bytes = context_offset + kernel.context_bytes_per_item * items;
        let grain = grain::grain(groups, items, tuning.cost.item_ns(), runtime::workers());
        let _special = special.clone();
        self.plan = Some(Plan {
            entry,
            _special,
            parameters,
            local,
            scratch_bytes,
            groups,
            grain,
            items,
            whole_groups,
        });
    }

    /// The kernel, whichever code of it runs.
    pub fn subject(&self) -> *const c_void {
        self.kernel.entry() as *const c_void
    }

    pub fn division(&self) -> Division {
        match &self.plan {
            Some(plan) => Division { units: plan.groups, grain: plan.grain },
            None => Division::WHOLE,
        }
    }

    /// Runs the work-groups from `begin` to `end`.
    pub fn run(&self, begin: usize, end: usize) {
        let Some(plan) = &self.plan else { return };
        let start = now_ns();
        scratch::with(plan.scratch_bytes, |scratch| {
            let (parameters, arguments) = (&raw const plan.parameters, self.arguments.pointer());
            // SAFETY: the function is the translator's for these arguments, and the scratch memory is as large as
            // its description says.
            unsafe { (plan.entry)(parameters, arguments, scratch, begin as u64, end as u64) };
        });
        let ns = now_ns() - start;
        let tuning = self.kernel.tuning();
        tuning.cost.note((end - begin) * plan.items, ns);
        if plan.whole_groups {
            tuning.specializations.note(&self.kernel, plan.local, ns);
        }
    }

    /// Where its blocks should run.
    pub fn parts(&self) -> Vec<Part> {
        let Some(plan) = &self.plan else { return Vec::new() };
        let places = self.locations.len();
        if places < 2 {
            return match self.locations[..] {
                [only] if runtime::locations() > 1 => {
                    vec![Part { first: 0, count: plan.groups, location: Some(only) }]
                }
                _ => Vec::new(),
            };
        }
        let blocks = plan.groups.div_ceil(plan.grain);
        let parts = (places * PARTS_FOR_EACH).min(blocks);
        let border = |part: usize| (part * blocks / parts * plan.grain).min(plan.groups);
        let part = |index: usize| {
            let (first, end) = (border(index), border(index + 1));
            let spread = self.locations[index * places / parts];
            let location =
                self.location_of(plan, first, end).filter(|at| self.locations.contains(at));
            Part { first, count: end - first, location: Some(location.unwrap_or(spread)) }
        };
        (0..parts).map(part).filter(|part| part.count > 0).collect()
    }

    /// Where most of the data of these work-groups is, as far as it is known.
    fn location_of(&self, plan: &Plan, first: usize, end: usize) -> Option<u16> {
        let counts = plan.parameters.group_count.map(|count| count as usize);
        let groups = Box3::around(first, end, counts);
        let items = groups.items(plan.local, self.range.global).shifted(self.range.offset);
        let mut bytes = vec![0; runtime::locations()];
        let kernel = self.kernel.description();
        for range in &kernel.ranges {
            let memory = self.arguments.memory.iter().find(|(index, _)| *index == range.argument);
            let Some((_, memory)) = memory else { continue };
            let number = |index: usize| self.arguments.number(kernel.arguments.get(index)?);
            if let Some((offset, length)) =
                footprint::bytes(range, &items, number, memory.size_bytes())
            {
                runtime::locate(memory.address().plus(offset).pointer(), length, &mut bytes);
            }
        }
        let most = (0..bytes.len()).max_by_key(|&at| (bytes[at], std::cmp::Reverse(at)))?;
        (bytes[most] > 0).then_some(most as u16)
    }
}
