//! At which locations the members of a team are, and binding threads there.
//!
//! Terms: the machine's processors are numbered location by location; a *span* is a run of them, which goes round at
//! the end. Each member has one: the part of the machine that its own regions spread over.
//!
//! Where threads are bound to places, a member is where its place is. Otherwise members are spread over the span
//! of the thread that starts the region, in order, so that each location gets members in proportion to its
//! processors. The first span of a thread begins at the location it is running on, or at location 0 on a
//! machine that is not this one. Workers are then bound to all processors of their location, unless
//! OMP_PROC_BIND=false forbids it; threads of the program are left alone.

use super::{Machine, layout};
use crate::task::record::flag;
use crate::team::{Member, Team, places};
use crate::thread::Thread;
use vicinity_alloc::os::affinity;
use vicinity_policy::deal::Deal;
use vicinity_policy::topology::LocationId;

/// Processors `first`, `first + 1`, ..., `len` of them; nothing yet if `len` is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    first: u32,
    len: u32,
}

impl Span {
    /// The processors of a location.
    pub(crate) fn of(machine: &Machine, location: LocationId) -> Span {
        let threads = |location| machine.topology.threads(location);
        let first =
            machine.topology.locations().take_while(|&it| it != location).map(threads).sum();
        Span { first, len: threads(location) }
    }

    /// The part of member `num` of `size`.
    fn part(self, num: u32, size: u32) -> Span {
        let at = |num: u32| (u64::from(num) * u64::from(self.len) / u64::from(size)) as u32;
        Span { first: self.first + at(num), len: (at(num + 1) - at(num)).max(1) }
    }
}

/// What a team's seats were made from: the same again gives the same seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Basis {
    span: Span,
    size: u32,
    /// How often members got another place.
    moves: u32,
}

/// Master of a new region: says where its members are.
pub(crate) fn assign(machine: &Machine, outer: &Member, team: &Team) {
    if outer.span.get().len == 0 {
        outer.span.set(first_span(machine));
    }
    let span = outer.span.get();
    let size = team.size();
    let basis = Basis { span, size, moves: team.moves.get() };
    if team.located.basis.replace(basis) == basis {
        return;
    }
    let list = if machine.enforced { places::list() } else { &[] };
    let at = team.members().iter().map(|member| {
        let part = span.part(member.num, size);
        member.span.set(part);
        let place = list.get(member.spot.get().place as usize);
        let processor = place.and_then(|place| place.first());
        processor.map_or_else(
            || location_of(machine, part.first),
            |it| machine.location_of_processor(it),
        )
    });
    let layout = layout::of(machine, at.collect());
    team.located.set(layout, machine);
    let central = if layout.deal == Deal::Central { flag::CENTRAL } else { 0 };
    team.members().iter().for_each(|member| member.implicit.set_flags(flag::IMPLICIT | central));
}

/// All processors, beginning with those of the location where the calling thread runs.
fn first_span(machine: &Machine) -> Span {
    let here = || affinity::current_processor().map(|it| machine.location_of_processor(it));
    let here = if machine.enforced { here() } else { None };
    let first = here.map_or(0, |here| Span::of(machine, here).first);
    Span { first, len: total(machine) }
}

fn total(machine: &Machine) -> u32 {
    machine.topology.locations().map(|location| machine.topology.threads(location)).sum()
}

/// The location of the processor with this number in the order of locations.
fn location_of(machine: &Machine, processor: u32) -> LocationId {
    let mut left = processor % total(machine).max(1);
    let mut all = machine.topology.locations();
    let found = all.find(|&location| {
        let here = machine.topology.threads(location);
        let found = left < here;
        left = left.saturating_sub(here);
        found
    });
    found.unwrap_or(LocationId(0))
}

/// A worker that has just entered `member`: binds itself to its location's processors.
pub(crate) fn bind(machine: &Machine, thread: &Thread, member: &Member) {
    let Some(layout) = member.team().layout() else { return };
    let location = layout.location(member.num);
    let is_worker = member.num > 0 || !member.team().has_master();
    let due = machine.binds && is_worker && thread.near.bound.get() != Some(location);
    if due && affinity::bind_current_thread(&machine.locations[location.index()].processors).is_ok()
    {
        thread.near.bound.set(Some(location));
    }
}
