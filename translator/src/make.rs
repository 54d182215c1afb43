//! The work-group function of one kernel: who departs from it ([`depart`]), where its items agree ([`agree`]), which
//! arrays and barriers they need ([`buffers`], [`barriers`]), along which dimension its items follow each other
//! ([`turn`]), in which order they run its loops ([`crate::schedule`]), whether it is made for short rows, too
//! ([`short_rows`]), and the code ([`workgroup`]).

use std::collections::HashSet;

use crate::code::atomics;
use crate::group::workgroup::{self, Known, WorkGroup};
use crate::group::{ids, launch};
use crate::kernel::turn::{self, Turn};
use crate::kernel::{
    agree, alignment, barriers, buffers, chosen, depart, numbers, promote, short_rows, stay,
    sub_groups, versions,
};
use crate::llvm::{Block, Function, Machine, Module, Value};
use crate::program::failure::Failure;
use crate::program::patience::Effort;
use crate::report::describe;
use crate::rows::Rows;
use crate::schedule::beside::{self, Beside};
use crate::schedule::explain::Copies;
use crate::schedule::{Plan, Vectors, Wish, advance, insert_steps, lockstep, muster, plan};
use crate::together::{self, Together};
use crate::vector::facts::support::{self, Suits, Wanted};
use crate::vector::flow::covered;
use crate::vector::values::narrow;
use crate::view::extract::extract;

/// What a kernel's work-group function is made of.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    pub module: &'a Module,
    pub machine: &'a Machine,
    pub kernel: Function,
    pub sizes: launch::Sizes,
    pub asked: Asked,
    pub effort: Effort,
    /// How many loops over items the program has so far.
    pub first_loop: usize,
    /// How many items go together by vector code, if they can, as far as that is known.
    pub suits: Suits,
    pub buffers: Buffers,
}

/// What the user asks for, whatever is better.
#[derive(Clone, Copy)]
pub struct Asked {
    pub order: Wish,
    pub vectors: Wanted,
    /// `__local` arrays and barriers are those of the source.
    pub keeps_local: bool,
    /// Items tell what their values are, where they would go together.
    pub observe: bool,
}

impl Asked {
    /// What seems best decides.
    fn is_nothing(&self) -> bool {
        self.order == Wish::Auto && self.vectors == Wanted::Auto
    }
}

/// Which launches a function is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffers {
    Any,
    /// No two pointers among the arguments lead to the same memory.
    Disjoint,
    /// All others.
    Overlapping,
}

/// What is left to do for a function, from some step on.
type Rest<'a> = fn(Work<'a>, &mut describe::Kernel, Plan) -> Result<WorkGroup, Failure>;

impl<'a> Work<'a> {
    /// What the analyses find and the schedule decides, of the kernel as it is now.
    pub fn plan(&self) -> Plan {
        let context = self.module.context();
        let can_cut = self.sizes.uniform && self.sizes.sub_group.is_none();
        let vectors = match self.suits {
            Suits::Lanes(lanes) => Vectors::Made {
                registers: self.machine.vector_registers(),
                in_chunks: can_cut.then_some(lanes),
            },
            Suits::NotWorthIt => Vectors::NotWorthIt,
            Suits::No => Vectors::Impossible,
        };
        Plan::new(context, self.machine, self.kernel, self.sizes, self.asked.order, vectors)
    }

    /// Makes the work-group function, or two of them and what chooses.
    pub fn group(self, description: &mut describe::Kernel) -> Result<WorkGroup, Failure> {
        match sub_groups::has(self.kernel) {
            true => self.sub_groups(description),
            false => self.items(description),
        }
    }

    /// The same of a kernel whose items need not go together.
    fn items(self, description: &mut describe::Kernel) -> Result<WorkGroup, Failure> {
        if self.effort < Effort::Full {
            let view = extract(self.module.context(), self.machine, self.kernel, self.sizes);
            depart::apply_everywhere(self.module, self.kernel, &view);
            agree::apply_everywhere(self.module, self.machine, self.kernel, self.sizes)?;
            return self.build(false, false);
        }
        let plan = self.settle(description)?;
        if self.asked.keeps_local {
            description.local_arrays = buffers::kept(&plan, &description.argument_names());
            return self.along(description, plan);
        }
        self.without_arrays(description, plan)
    }

    /// Leaves out `__local` arrays that items can do without, and makes the function.
    fn without_arrays(
        self,
        description: &mut describe::Kernel,
        mut plan: Plan,
    ) -> Result<WorkGroup, Failure> {
        let gone = |disjoint| buffers::gone(&plan, disjoint);
        let may_part = self.may_part(description);
        if may_part && gone(true) != gone(false) {
            return self.part(description, plan, Work::without_arrays);
        }
        let names = description.argument_names();
        // Where it makes no difference, what is said is of what stays in any case.
        let disjoint = may_part || self.buffers == Buffers::Disjoint;
        let (arrays, gone) = buffers::remove(self.module, self.machine, &plan, &names, disjoint)?;
        if gone {
            self.module.check(self.kernel, "buffers");
            plan = self.plan();
        }
        description.local_arrays = arrays;
        let mut made = self.without_barriers(description, plan)?;
        made.narrow |= gone && !self.sizes.any_ids;
        Ok(made)
    }

    /// Leaves out barriers that items can do without, and makes the function.
    fn without_barriers(
        self,
        description: &mut describe::Kernel,
        mut plan: Plan,
    ) -> Result<WorkGroup, Failure> {
        let gone = |disjoint| barriers::gone(&plan, disjoint);
        let may_part = self.may_part(description);
        if may_part && gone(true) != gone(false) {
            return self.part(description, plan, Work::without_barriers);
        }
        let names = description.argument_names();
        let disjoint = may_part || self.buffers == Buffers::Disjoint;
        let spared = barriers::remove(&plan, &names, disjoint);
        if spared.removed > 0 {
            self.module.check(self.kernel, "barriers");
            plan = self.plan();
        }
        description.barriers.removed = spared.removed;
        description.barriers.stay = spared.stay;
        let mut made = self.along(description, plan)?;
        made.narrow |= spared.removed > 0 && !self.sizes.any_ids;
        Ok(made)
    }

    fn may_part(&self, description: &describe::Kernel) -> bool {
        self.buffers == Buffers::Any && promote::may_have_two(self.kernel, description)
    }

    /// Makes two functions from here on: for launches whose buffers are different memory, and for others.
    fn part(
        self,
        description: &mut describe::Kernel,
        plan: Plan,
        rest: Rest<'a>,
    ) -> Result<WorkGroup, Failure> {
        let kernel = promote::overlapping(self.module.context(), self.kernel);
        let other = Work { kernel, buffers: Buffers::Overlapping, ..self };
        let other = rest(other, &mut description.clone(), other.plan())?;
        description.disjoint = true;
        let mut made = rest(Work { buffers: Buffers::Disjoint, ..self }, description, plan)?;
        promote::join(self.module, self.machine, &made.symbol, &other.symbol);
        made.unite_with(&other);
        Ok(made)
    }

    /// Decides along which dimension items follow each other, and makes the function.
    fn along(
        mut self,
        description: &mut describe::Kernel,
        mut plan: Plan,
    ) -> Result<WorkGroup, Failure> {
        if plan.apart.is_none() && self.take_numbers(&plan) {
            self.module.check(self.kernel, "numbers");
            plan = self.plan();
        }
        self.suits = self.suits(description, &plan);
        if self.suits != Suits::No {
            plan = self.plan();
        }
        let turn = match plan.apart {
            // Who prints first can be seen.
            None if !description.prints => {
                turn::decide(self.machine, self.kernel, &plan, self.sizes)
            }
            _ => Turn::No,
        };
        let (Turn::Yes(along) | Turn::Sometimes(along)) = turn else {
            return self.in_rows(description, plan);
        };
        let mut plain = None;
        if turn == Turn::Sometimes(along) {
            let work = Work {
                kernel: versions::copy(self.module.context(), self.kernel, "plain"),
                ..self
            };
            plain = Some(work.ordered(&mut description.clone(), work.plan())?);
        }
        turn::apply(self.kernel, along);
        self.module.check(self.kernel, "turn");
        let sizes = self.sizes.turned(along);
        let mut turned = Work { sizes, suits: Suits::No, ..self };
        turned.suits = turned.suits(description, &turned.plan());
        let mut made = turned.ordered(description, turned.plan())?;
        description.along = along;
        if let Some(plain) = plain {
            turn::join(self.module, self.machine, &made.symbol, &plain.symbol, along);
            made.unite_with(&plain);
        }
        Ok(made)
    }

    /// Makes the function, and a second one for rows that are shorter than its vectors, if there may be any.
    fn in_rows(
        &self,
        description: &mut describe::Kernel,
        plan: Plan,
    ) -> Result<WorkGroup, Failure> {
        let Work { module, machine, kernel, suits, .. } = *self;
        let lanes = match suits {
            Suits::Lanes(long) => {
                short_rows::lanes(kernel, self.sizes, long).map(|short| [long, short])
            }
            _ => None,
        };
        let Some(lanes) = lanes else { return self.ordered(description, plan) };
        let kernel = versions::copy(module.context(), kernel, "short");
        let short = Work { kernel, suits: Suits::Lanes(lanes[1]), ..*self };
        let short = short.ordered(&mut description.clone(), short.plan())?;
        let mut made = self.ordered(description, plan)?;
        short_rows::join(module, machine, &made.symbol, &short.symbol, lanes);
        made.unite_with(&short);
        Ok(made)
    }

    /// Makes the function of a kernel that knows of sub-groups.
    fn sub_groups(mut self, description: &mut describe::Kernel) -> Result<WorkGroup, Failure> {
        let Work { module, machine, kernel, effort, .. } = self;
        let context = module.context();
        let (width, required) = sub_groups::width(machine, kernel, context)?;
        let mut together = support::can_go_together(machine, kernel, width)
            && (required || effort == Effort::Full);
        if together {
            self.settle(description)?;
            together = depart::variable(kernel).is_none();
        }
        if !together {
            if required {
                return Err(sub_groups::cannot(kernel));
            }
            description.sub_group_size = Some(1);
            sub_groups::alone(context, kernel);
            return self.items(description);
        }
        description.sub_group_size = Some(width);
        self.suits = Suits::Lanes(width);
        let sub_group = Some(width);
        let in_rows = launch::Sizes { sub_group, any_ids: true, ..self.sizes };
        let flat = launch::Sizes { flat: true, ..in_rows };
        let make = |kernel, sizes, description: &mut describe::Kernel| {
            let work = Work { kernel, sizes, ..self };
            work.ordered(description, work.plan())
        };
        match sub_groups::rows(self.sizes, width) {
            sub_groups::Rows::Apart => make(kernel, in_rows, description),
            sub_groups::Rows::Flat => {
                sub_groups::flatten(module, kernel);
                make(kernel, flat, description)
            }
            sub_groups::Rows::Either => {
                let other = versions::copy(context, kernel, "flat");
                sub_groups::flatten(module, other);
                let other = make(other, flat, &mut description.clone())?;
                let mut made = make(kernel, in_rows, description)?;
                sub_groups::join(module, machine, &made.symbol, &other.symbol, width);
                made.unite_with(&other);
                Ok(made)
            }
        }
    }

    /// Settles who departs from the kernel, and where its items agree. The plan after that.
    fn settle(&self, description: &mut describe::Kernel) -> Result<Plan, Failure> {
        narrow::counters(self.module.context(), self.kernel);
        self.module.check(self.kernel, "narrow");
        covered::switches(self.module.context(), self.kernel);
        self.module.check(self.kernel, "covered");
        let mut plan = self.plan();
        while depart::apply(self.module, self.kernel, &plan) {
            self.module.check(self.kernel, "depart");
            plan = self.plan();
        }
        describe::explain_accesses(description, &plan);
        while self.agree(&plan)? {
            self.module.check(self.kernel, "agree");
            plan = self.plan();
        }
        for _ in 0..chosen::MOST_CHOICES {
            if !chosen::apply(self.module, self.machine, &plan.view, &plan.analysis)? {
                break;
            }
            self.module.check(self.kernel, "chosen");
            plan = self.plan();
        }
        description.undecided = agree::undecided(&plan);
        Ok(plan)
    }

    /// Whether vector code suits the kernel.
    fn suits(&self, description: &mut describe::Kernel, plan: &Plan) -> Suits {
        let alone = plan.apart.is_some() || description.prints;
        if alone || depart::variable(self.kernel).is_some() {
            return Suits::No;
        }
        let rows = Rows::find(self.machine, plan);
        let shared = shared(plan);
        let is_uniform = |value| shared.contains(&value);
        let possible = support::possible(
            self.machine,
            self.kernel,
            self.sizes,
            &rows,
            self.asked.vectors,
            &is_uniform,
        );
        let possible = match possible {
            Ok(possible) => possible,
            Err(refusal) => {
                description.vectors_refused = Some(refusal.text());
                return Suits::No;
            }
        };
        description.vectors_cost = Some(possible.cost.of_vectors());
        let may_be_short = self.sizes.enqueued.is_none() && ids::sees_rows(self.kernel);
        let pays = possible.pays(may_be_short);
        if self.asked.is_nothing() {
            description.other_ways = possible.other_ways(self.waits(plan), pays);
        }
        possible.suits(self.asked.vectors, pays)
    }

    /// Whether items of a vector of any length may wait long for others, in a loop that they leave apart.
    fn waits(&self, plan: &Plan) -> bool {
        let analysis = &plan.analysis;
        let leaves_apart = |id| analysis.is_left_apart(id) && !together::is_striding(plan, id);
        self.sizes.sub_group.is_none() && analysis.loops.ids().any(leaves_apart)
    }

    /// Whether groups are as long as they are launched, and long enough, or the kernel asks about them in any case.
    fn has_rows_of_items(&self) -> bool {
        self.sizes.sub_group.is_none()
            && (self.sizes.enqueued.is_some() || ids::sees_groups(self.kernel))
    }

    fn take_numbers(&self, plan: &Plan) -> bool {
        let shared = shared(plan);
        let is_uniform = |value| shared.contains(&value);
        numbers::apply(self.module.context(), self.machine, self.kernel, &is_uniform)
    }

    fn agree(&self, plan: &Plan) -> Result<bool, Failure> {
        agree::apply(self.module, self.machine, self.kernel, &plan.view, &plan.analysis)
    }

    /// Decides the order of the kernel's loops, inserts what carries it out, and makes the function.
    fn ordered(
        &self,
        description: &mut describe::Kernel,
        mut plan: Plan,
    ) -> Result<WorkGroup, Failure> {
        let Work { module, machine, kernel, .. } = *self;
        let (together, several) = self.copies(&mut plan);
        let mut predicated = Vec::new();
        while let Some(id) = lockstep(module, machine, kernel, &plan)? {
            module.check(kernel, "lockstep");
            predicated.extend(describe::explain_nest(description, &plan, id));
            plan = self.plan();
        }
        if muster(module, machine, kernel, &plan)? {
            module.check(kernel, "muster");
            plan = self.plan();
        }
        if advance(module.context(), &plan) {
            module.check(kernel, "advance");
            plan = self.plan();
        }
        let beside = self.beside(&mut plan, &together);
        describe::explain_loops(
            description,
            &plan,
            predicated,
            Copies { several: &several, rests: &together.rests },
        );
        if self.asked.is_nothing() {
            let in_vectors = matches!(self.suits, Suits::Lanes(_));
            description.other_ways.extend(plan.other_ways(in_vectors));
        }
        let keeps_vectors = plan.apart.is_some() && self.sizes.sub_group.is_none();
        let strides_far = plan.strides_far();
        description.serves_rows = plan.serves_rows();
        description.shares_lines = plan.shares_lines();
        description.serves_groups = plan.analysis.serving(&plan.view.function, self.sizes.order());
        description
            .serves_groups
            .extend(description.shares_lines.map(|it| self.sizes.order()[it.along] as u8));
        plan.mark_shared(module.context());
        alignment::apply(&plan.view, &plan.analysis);
        stay::apply(module.context(), &plan.view, &plan.analysis);
        insert_steps(module, &plan);
        beside::insert(module, &beside);
        module.check(kernel, "insert");
        self.build(strides_far, keeps_vectors)
    }

    /// Puts copies in front of loops that vectors of items can go through in larger steps: those that all items of a row go through
    /// together, and the headers of those that do several iterations in one.
    fn copies(&self, plan: &mut Plan) -> (Together, Vec<Block>) {
        let Work { module, machine, kernel, .. } = *self;
        let mut together = Together::default();
        if !matches!(self.suits, Suits::Lanes(_)) {
            return (together, Vec::new());
        }
        if self.has_rows_of_items() {
            together = together::apply(module, plan);
        }
        if !together.copies.is_empty() {
            module.check(kernel, "together");
            *plan = self.plan();
        }
        let several = Rows::find(machine, plan).apply(module.context());
        if !several.is_empty() {
            module.check(kernel, "rows");
            *plan = self.plan();
        }
        (together, several)
    }

    /// Decides through which copies vectors go side by side.
    fn beside(&self, plan: &mut Plan, together: &Together) -> Vec<Beside> {
        match self.suits {
            Suits::Lanes(lanes) if self.asked.order == Wish::Auto => {
                beside::choose(plan, &together.copies, lanes, self.machine.vector_registers())
            }
            _ => Vec::new(),
        }
    }

    /// `strides_far`: neighbours touch memory far apart; `keeps_vectors`: those of the program.
    fn build(&self, strides_far: bool, keeps_vectors: bool) -> Result<WorkGroup, Failure> {
        let is_uniform = &|value| plan::is_shared(self.module.context(), value);
        let brief = self.effort < Effort::Full;
        let Work { module, machine, kernel, sizes, first_loop, suits, asked, .. } = *self;
        let lanes = match suits {
            Suits::Lanes(lanes) if !brief || sizes.sub_group.is_some() => Some(lanes),
            _ => None,
        };
        if lanes.is_none() && !brief {
            atomics::look_first(module.context(), kernel);
            module.check(kernel, "look_first");
        }
        let known =
            Known { is_uniform, strides_far, keeps_vectors, brief, lanes, observe: asked.observe };
        workgroup::build(module, machine, kernel, sizes, first_loop, &known)
    }
}

/// What is computed that is one for all items of a group.
fn shared(plan: &Plan) -> HashSet<Value> {
    let function = &plan.view.function;
    let ids = function.value_ids().zip(&plan.view.values);
    let ids = ids.filter(|&(id, _)| function.instruction(id).is_some());
    let of_all = ids.filter(|&(id, _)| plan.analysis.is_one_for_all(function, id));
    of_all.map(|(_, &value)| value).collect()
}
