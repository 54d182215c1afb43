//! Dealing: what is known of a task's data is kept with the task, and when it becomes ready it goes to where that is.
//!
//! Protocol: the creator surveys the task's clauses (`survey`, `name_data`) and attaches a placement, which sets
//! `flag::PLACED`; tasks without one never come here. When the task becomes ready, whoever made it ready asks
//! `alloc::placed` where the data is now (a predecessor may have been the first to touch it), `policy::deal` where to go,
//! and puts the task there or, if that says so, where any other task goes. Under the central scheduler every task has
//! `flag::CENTRAL`, inherited from the implicit tasks.
//!
//! Memory: a dealt task does not stand in its creator's own queue, whose length throttles other tasks, so its
//! creator runs tasks whenever its unfinished children are a full backlog (`relieve`).

use super::data::{self, DataRange, Ranges};
use super::{Layout, statistics};
use crate::task::children::Until;
use crate::task::deps::Dependence;
use crate::task::record::{TaskRef, flag};
use crate::task::run;
use crate::team::Team;
use crate::team::find::{self, Choice, Circle};
use crate::thread::Thread;
use vicinity_alloc::placed;
use vicinity_policy::deal::{Deal, deal};
use vicinity_policy::footprint::NodeBytes;
use vicinity_policy::throttle;
use vicinity_policy::topology::LocationId;

/// What is known of a task's data, and what was decided with it.
#[derive(Default)]
pub struct Placement {
    ranges: Ranges,
    /// Decided by dependences that are marked access-intensive, however little they name.
    intensive: bool,
    /// The program's own wish.
    pub asked: Option<LocationId>,
    /// Where its data was when it became ready; empty if nobody wants to know.
    pub footprint: NodeBytes,
    pub dealt: Option<LocationId>,
    /// Where the thread was that made it ready.
    pub home: Option<LocationId>,
}

/// What `dependences` tell of the data of a task to be created, if it is worth dealing for.
#[inline(always)]
pub fn survey(
    thread: &Thread,
    function: usize,
    dependences: &[Dependence],
) -> Option<Box<Placement>> {
    survey_in(thread.member().team(), thread, function, dependences)
}

/// The same for a task of this team, whose creator may sit anywhere.
#[inline(always)]
pub fn survey_in(
    team: &Team,
    thread: &Thread,
    function: usize,
    dependences: &[Dependence],
) -> Option<Box<Placement>> {
    let layout = team.layout()?;
    if dependences.is_empty() { None } else { survey_for(layout, thread, function, dependences) }
}

#[inline(never)]
fn survey_for(
    layout: &Layout,
    thread: &Thread,
    function: usize,
    dependences: &[Dependence],
) -> Option<Box<Placement>> {
    let least = layout.least_bytes?;
    let survey = |objects: &mut _| data::of_dependences(objects, function, dependences, least);
    let ranges = thread.near.objects.with(survey);
    placement(layout, ranges, dependences.iter().any(|dependence| dependence.intensive))
}

fn placement(layout: &Layout, ranges: Ranges, intensive: bool) -> Option<Box<Placement>> {
    let least = layout.least_bytes?;
    let total = ranges.iter().map(|range| range.length_bytes as u64).fold(0, u64::saturating_add);
    let worthwhile = intensive || total >= least;
    worthwhile.then(|| Box::new(Placement { ranges, intensive, ..Placement::default() }))
}

/// The creator names the data that its new task uses (the `affinity` clause): that alone counts then.
pub fn name_data(task: TaskRef, ranges: impl Iterator<Item = DataRange>) {
    if let Some(layout) = task.team.get().and_then(Team::layout)
        && let Some(placement) = placement(layout, ranges.collect(), false)
    {
        attach(task, placement);
    }
}

/// The creator wants its new task to run at a location, where there are several.
pub fn send_to(task: TaskRef, location: LocationId) {
    if let Some(layout) = task.team.get().and_then(Team::layout)
        && location.index() < layout.topology.len()
    {
        attach(task, Box::new(Placement { asked: Some(location), ..Placement::default() }));
    }
}

/// Whether a task with a placement goes to a queue, however full that of its creator is: most likely its place is
/// elsewhere.
#[inline]
pub fn is_deferred(thread: &Thread, placed: bool) -> bool {
    placed && thread.member().team().layout().is_some_and(|layout| layout.deal != Deal::Home)
}

/// Keeps a placement with a task that is not yet handed over.
pub fn attach(task: TaskRef, placement: Box<Placement>) {
    task.add_flags(flag::PLACED);
    task.extra(|extra| extra.placement = Some(placement));
}

/// A task is ready: deals it. False if it belongs with its creator, as most tasks do.
#[inline(never)]
pub fn deal_ready(thread: &Thread, task: TaskRef) -> bool {
    let Some(team) = task.team.get() else { return false };
    let Some(layout) = team.layout() else { return false };
    let Some(location) = choose(thread, layout, task) else { return false };
    let Some(queue) = team.located.queue(location) else { return false };
    team.set_tasked();
    queue.push(task);
    team.announce_at(layout, location);
    true
}

/// The location that a ready task goes to.
fn choose(thread: &Thread, layout: &Layout, task: TaskRef) -> Option<LocationId> {
    let turn = thread.near.turn.get();
    thread.near.turn.set(turn.wrapping_add(1));
    if !task.is(flag::PLACED) {
        return deal(layout.deal, &layout.topology, &NodeBytes::default(), turn);
    }
    task.extra(|extra| {
        let placement = extra.placement.as_mut()?;
        placement.dealt = match placement.asked {
            Some(asked) => Some(layout.topology.nearest_with_threads(asked)),
            None => thread.near.footprint.with(|footprint| {
                placement.measure(layout, footprint);
                let how =
                    if placement.intensive { layout.deal.by_intensive() } else { layout.deal };
                deal(how, &layout.topology, footprint, turn)
            }),
        };
        if layout.observes {
            let member = thread.member();
            let own_team = member.team().layout().is_some_and(|own| std::ptr::eq(own, layout));
            placement.home = own_team.then(|| layout.location(member.num));
            statistics::dealt(thread, placement.dealt, placement.home);
        }
        placement.dealt
    })
}

impl Placement {
    /// Finds out where the data is now; `footprint` is room for that.
    fn measure(&mut self, layout: &Layout, footprint: &mut NodeBytes) {
        footprint.clear(layout.topology.len());
        for range in &self.ranges {
            placed::locate(range.address, range.length_bytes, footprint);
        }
        if layout.observes {
            self.footprint = footprint.clone();
        }
    }
}

/// The calling thread begins to run a placed task, in a queue of tasks or at once.
#[inline(never)]
pub fn observe(thread: &Thread, placement: &mut Placement) {
    let member = thread.member();
    let Some(layout) = member.team().layout().filter(|layout| layout.observes) else { return };
    if placement.footprint.total() == 0 && !placement.ranges.is_empty() {
        thread.near.footprint.with(|footprint| placement.measure(layout, footprint));
    }
    statistics::ran(thread, placement, layout.location(member.num));
}

/// The same for a task that has a record.
#[inline(never)]
pub fn observe_task(thread: &Thread, task: TaskRef) {
    task.extra(|extra| {
        if let Some(placement) = &mut extra.placement {
            observe(thread, placement);
        }
    });
}

/// The creator of a task that may be dealt: runs tasks of its own while it has created enough.
#[inline(never)]
pub fn relieve(thread: &'static Thread, parent: TaskRef) {
    let member = thread.member();
    let team = member.team();
    let Some(layout) = team.layout() else { return };
    let enough = match layout.deal {
        Deal::Central => {
            let queued = team.located.queues().map(|queue| queue.len() as u32).sum();
            let creator = parent.as_creator();
            member.throttle.with(|throttle| throttle.run_now(queued, creator, team.size()))
        }
        Deal::Home | Deal::RoundRobin | Deal::LeastCost { .. } => {
            let unfinished = parent.own.awaited(&parent.remote, Until::Finished);
            throttle::backlog_is_full(unfinished, team.size())
        }
    };
    if enough
        && thread.has_stack()
        && let Some(task) =
            find::find(thread, member, Choice::DescendantsOf(parent), Circle::Everybody)
    {
        run::execute(thread, task);
    }
}
