//! Launches: a kernel over a range of work-items, as a range of work-groups that is cut into blocks.
//!
//! Terms: a *plan* is what is decided when the launch is ready, or before its first replay: the local size and the code. Its
//! blocks are cut each time that it runs. If better code comes meanwhile, blocks that begin from then on run that.

use super::code::{Code, Ready, Subject};
use super::footprint;
use super::part::home_of;
use super::run::Division;
use super::size::{self, Wish};
use super::special::Special;
use super::walk::Walk;
use super::{grain, specialize};
use crate::core::device::facts;
use crate::core::kernel::{Block, Kernel};
use crate::core::program::executable::{Executable, LaunchParameters, SERVICES};
use crate::core::program::special::Case;
use crate::error::{Error, Result};
use crate::handle::Ref;
use crate::os::clock::now_ns;
use crate::os::runtime;
use opencl_sys::CL_OUT_OF_RESOURCES;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

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
    /// For groups that are whole.
    code: Code,
    /// For others, if there are any.
    cut: Option<Code>,
    /// Made for this case, which was not there when the launch was prepared.
    better: OnceLock<Code>,
    /// What the process had made of code by then.
    arrivals: u64,
    case: Case,
    /// Units are its steps.
    walk: Walk,
    /// Items of a whole work-group.
    items: usize,
    /// Whose turn it is, of groups that wait for each other.
    turns: Option<Turns>,
    /// So many steps, the first ones, are groups that have that many, as code that is made for one case demands.
    whole: usize,
}

/// Steps of a launch in the order in which workers come for them: by then all steps before are done, or another worker is at them.
#[derive(Default)]
struct Turns(AtomicUsize);

impl Clone for Turns {
    /// For another launch: no step of it has begun.
    fn clone(&self) -> Turns {
        Turns::default()
    }
}

impl Turns {
    /// Relaxed, here and below: nothing is told but the number.
    fn begin(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// The next steps, as many as a block has.
    fn next(&self, count: usize) -> std::ops::Range<usize> {
        let begin = self.0.fetch_add(count, Ordering::Relaxed);
        begin..begin + count
    }
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
    fn local_size(&self) -> [usize; 3] {
        let kernel = self.kernel.description();
        let Range { global, dimensions, local, .. } = self.range;
        let groupless = kernel.groupless && kernel.required_size.is_none();
        match local.filter(|_| !groupless) {
            Some(local) => local,
            None => {
                let choose = || self.chosen_size(kernel.uniform_groups && !groupless);
                self.kernel.tuning().chosen().of(global, dimensions, local, choose)
            }
        }
    }

    /// A size that the program may ask for.
    pub fn suggested_size(&self) -> [usize; 3] {
        let uniform = self.kernel.description().uniform_groups;
        self.range.local.unwrap_or_else(|| self.chosen_size(uniform))
    }

    /// `uniform`: all groups are to be whole.
    fn chosen_size(&self, uniform: bool) -> [usize; 3] {
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
            uniform,
            along: kernel.along,
            serves_rows: kernel.serves_rows,
            lines: kernel.shares_lines,
            clear: kernel.vectors_cost.is_some_and(|cost| cost <= size::CLEAR),
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
        let kernel = self.kernel.description();
        let serving = if kernel.waits_for_groups { &[] } else { &kernel.serves_groups[..] };
        let walk = Walk::new(self.counts(local), local, serving);
        let turns = kernel.waits_for_groups.then(Turns::default);
        let whole = walk.whole_steps(range.global);
        let items: usize = local.iter().product();
        // Before the code is looked for: what comes meanwhile must not be missed.
        let arrivals = specialize::arrivals();
        let general = self.general()?;
        let case = Case { local, units: self.arguments.units(&kernel.strides) };
        let special = general.clone().or_else(|| self.special(case, whole));
        let code = |special| self.subject_of(local).code(special);
        let cut = (whole < walk.steps()).then(|| code(general).ok_or(Error(CL_OUT_OF_RESOURCES)));
        let (cut, code) = (cut.transpose()?, code(special).ok_or(Error(CL_OUT_OF_RESOURCES))?);
        let better = OnceLock::new();
        self.plan = Some(Plan { code, cut, better, arrivals, case, walk, turns, items, whole });
        Ok(())
    }

    /// What its code is for, in groups of this size.
    fn subject_of(&self, local: [usize; 3]) -> Subject<'_> {
        let (kernel, arguments) = (&*self.kernel, &self.arguments);
        let (parameters, items) = (self.parameters(local), local.iter().product());
        Subject { kernel, arguments, parameters, items }
    }

    /// The best code that there is by now: a launch may last longer than it takes to make code for its case.
    fn best<'a>(&self, plan: &'a Plan) -> &'a Code {
        if plan.code.is_special() || plan.whole == 0 {
            return &plan.code;
        }
        if let Some(better) = plan.better.get() {
            return better;
        }
        if plan.arrivals == specialize::arrivals() {
            return &plan.code;
        }
        let special = self.kernel.tuning().specializations.there(plan.case);
        let special = special.filter(|special| self.suits(special.first()));
        let code = special.and_then(|special| self.subject_of(plan.case.local).code(Some(special)));
        code.map_or(&plan.code, |code| plan.better.get_or_init(|| code))
    }

    /// Whether code for one case is right for all ids of this launch.
    fn suits(&self, special: &Executable) -> bool {
        !special.kernel(0).narrow || self.range.is_narrow()
    }

    /// Code that may be better than what the plan has.
    fn rival(&self, plan: &Plan, executable: &Arc<Executable>) -> Option<Ready> {
        let executable = Some(executable.clone()).filter(|it| self.suits(it))?;
        self.subject_of(plan.case.local).ready(Some(executable))
    }

    /// Other code than the kernel's own, if this launch needs it.
    fn general(&self) -> Result<Option<Arc<Special>>> {
        if !self.kernel.description().narrow || self.range.is_narrow() {
            return Ok(None);
        }
        let code = self.kernel.tuning().specializations.for_any_ids(&self.kernel);
        code.map(Some).ok_or(Error(CL_OUT_OF_RESOURCES))
    }

    /// Code with which its `whole` groups go better.
    fn special(&self, case: Case, whole: usize) -> Option<Arc<Special>> {
        let specializations = &self.kernel.tuning().specializations;
        let special = (whole > 0).then(|| specializations.find(&self.kernel, case))?;
        special.filter(|special| self.suits(special.first()))
    }

    /// Work-groups along each dimension.
    fn counts(&self, local: [usize; 3]) -> [usize; 3] {
        std::array::from_fn(|at| self.range.global[at].div_ceil(local[at]))
    }

    fn parameters(&self, local: [usize; 3]) -> LaunchParameters {
        // No two of its buffers overlap.
        let disjoint = self.arguments.are_disjoint(&self.kernel.description().arguments);
        let wide = |numbers: [usize; 3]| numbers.map(|number| number as u64);
        LaunchParameters {
            work_dim: self.range.dimensions as u64,
            global_offset: wide(self.range.offset),
            global_size: wide(self.range.global),
            local_size: wide(local),
            group_count: wide(self.counts(local)),
            context_offset: self.arguments.context_offset_bytes as u64,
            services: &SERVICES,
            disjoint: u64::from(disjoint),
            reducing: 0,
        }
    }

    /// The kernel, whichever code of it runs.
    pub fn subject(&self) -> *const c_void {
        self.kernel.entry() as *const c_void
    }

    /// How it is cut into blocks, which begin anew.
    pub fn division(&self) -> Division {
        let Some(plan) = &self.plan else { return Division::WHOLE };
        plan.turns.iter().for_each(Turns::begin);
        let units = plan.walk.steps();
        // What is known of the cost by now: a launch may be replayed long after it was prepared.
        let item_ns = self.kernel.tuning().cost.item_ns();
        let grain = grain::grain(units, plan.items, item_ns, runtime::workers());
        Division { units, grain: grain.max(plan.code.least_groups(plan.items, item_ns)) }
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
        let turns = plan.turns.as_ref();
        let steps = turns.map_or(begin..end, |turns| turns.next(end - begin));
        let border = plan.whole.clamp(steps.start, steps.end);
        if steps.start < border {
            let ns = self.run_by(self.best(plan), plan, steps.start..border)?;
            self.kernel.tuning().specializations.note(&self.kernel, plan.case, ns);
        }
        if let Some(cut) = plan.cut.as_ref().filter(|_| border < steps.end) {
            self.run_by(cut, plan, border..steps.end)?;
        }
        Ok(())
    }

    /// How long it took, in nanoseconds.
    fn run_by(&self, code: &Code, plan: &Plan, steps: std::ops::Range<usize>) -> Result<u64> {
        let turn = code.turn(|executable| self.rival(plan, executable));
        let (start, items) = (now_ns(), steps.len() * plan.items);
        let done = turn.code.run(self.arguments.words(), &plan.walk, steps);
        done.ok_or(Error(CL_OUT_OF_RESOURCES))?;
        let ns = now_ns() - start;
        turn.note(items, ns);
        self.kernel.tuning().cost.note(items, ns);
        Ok(ns)
    }

    /// Where most of the data of these work-groups is, if the description says which bytes its items touch.
    pub fn home(&self, first: usize, end: usize) -> Option<u16> {
        let plan = self.plan.as_ref()?;
        let groups = plan.walk.around(first..end);
        let items = groups.items(plan.case.local, self.range.global).shifted(self.range.offset);
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
