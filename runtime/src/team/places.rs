//! Places in force: which processors each thread of a team is bound to, and showing that.
//!
//! Terms: a *spot* is what an implicit task has of the place list: its place and the run of places that
//! its own regions may use (place-partition-var). Binding is *on* if the environment asked for it; then
//! the list is worked out once, from what the initial thread may run on.
//!
//! Protocol: the master of a region computes the spot of every member before it posts orders; each
//! thread binds itself as it enters, if its place is another than before. The initial thread is
//! bound to the first place at its first call, other threads of the program when they meet their
//! first region. `ATTENTION` is the one flag that a region looks at when nothing of this is on.
//!
//! Source: OpenMP 5.2, sections 10.1.3 (thread affinity), 21.2.4 (OMP_DISPLAY_AFFINITY).

use super::{Member, Team};
use crate::global::{self, settings};
use crate::settings::{Partition, ProcBind, Settings, place_of, places};
use crate::thread::Thread;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use vicinity_alloc::os::{CpuSet, affinity};

/// Where an implicit task stands in the place list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// `NOWHERE` if its thread is not bound.
    pub place: u32,
    pub partition: Partition,
    /// The policy of the task's regions where `OMP_PROC_BIND` names none for their level: the clause
    /// of a region around them (`Clause::stays`).
    pub policy: Option<ProcBind>,
}

/// A proc_bind clause.
#[derive(Clone, Copy)]
pub struct Clause {
    /// As `omp_proc_bind_t` numbers it.
    pub code: i32,
    /// Whether regions inside go by it, too. libgomp has it so; by the specification, and in libomp,
    /// the clause holds for its own region alone.
    pub stays: bool,
}

impl Clause {
    fn policy(self) -> Option<ProcBind> {
        ProcBind::from_code(self.code).filter(|_| (2..=4).contains(&self.code))
    }
}

/// The place of a thread that is not bound.
pub const NOWHERE: u32 = u32::MAX;

impl Default for Spot {
    fn default() -> Spot {
        Spot { place: NOWHERE, partition: Partition::whole(0), policy: None }
    }
}

/// What a thread last showed of itself: level, number, team size, place, and the moves of its team.
pub type Shown = (u32, u32, u32, u32, u32);

// Relaxed, all three: set before the first region, and read as hints after that.
static ON: AtomicBool = AtomicBool::new(false);
static SHOW: AtomicBool = AtomicBool::new(false);
static ATTENTION: AtomicBool = AtomicBool::new(false);

static PLACES: OnceLock<Vec<CpuSet>> = OnceLock::new();

/// Takes what the environment asks for, once at start.
pub(crate) fn configure(settings: &Settings) {
    let on = settings.proc_bind(0) != ProcBind::False && settings.affinity.places.is_some();
    ON.store(on, Ordering::Relaxed);
    SHOW.store(settings.display_affinity, Ordering::Relaxed);
    ATTENTION.store(on || settings.display_affinity, Ordering::Relaxed);
}

/// Threads are bound to locations from now on.
pub(crate) fn pay_attention() {
    ATTENTION.store(true, Ordering::Relaxed);
}

/// Whether entering a region takes more than the usual.
#[inline(always)]
pub fn need_attention() -> bool {
    ATTENTION.load(Ordering::Relaxed)
}

/// The place list; empty if threads are not bound.
pub fn list() -> &'static [CpuSet] {
    global::start();
    if ON.load(Ordering::Relaxed) { PLACES.get_or_init(resolve) } else { &[] }
}

/// The processors that threads may run on: those of all places, or all that the process may use.
pub(crate) fn usable() -> CpuSet {
    match list() {
        [] => global::allowed().clone(),
        list => list.iter().flat_map(CpuSet::iter).collect(),
    }
}

fn resolve() -> Vec<CpuSet> {
    let spec = settings().affinity.places.as_ref();
    let list = spec.map(|spec| places::resolve(spec, global::allowed()));
    let list = list.unwrap_or_default();
    if list.is_empty() {
        crate::report::warn(
            "OMP_PLACES names no processor that may be used: threads are not bound",
        );
        ON.store(false, Ordering::Relaxed);
    }
    list
}

/// The policy of regions that a member starts: bind-var.
pub fn policy(member: &Member) -> ProcBind {
    let level = member.team().nest().level as usize;
    let kept = || member.spot.get().policy.filter(|_| !settings().names_proc_bind(level));
    match list() {
        [] => ProcBind::False,
        _ => kept().unwrap_or_else(|| settings().proc_bind(level)),
    }
}

/// The initial thread's member: the first place, and all places for its regions.
pub(crate) fn seat_initial(member: &Member) {
    if let list @ [_, ..] = list() {
        let partition = Partition::whole(list.len() as u32);
        member.spot.set(Spot { place: 0, partition, policy: None });
    }
}

/// A thread that is not to leave these processors: its place is the first of them, and its regions have those that follow, as far
/// as they are of them too.
pub(crate) fn seat_at(member: &Member, processors: &CpuSet) {
    let inside = |place: &&CpuSet| place.iter().all(|cpu| processors.contains(cpu));
    let list = list();
    let Some(first) = list.iter().position(|place| inside(&place)) else { return };
    let len = list[first..].iter().take_while(inside).count() as u32;
    let first = first as u32;
    member.spot.set(Spot { place: first, partition: Partition { first, len }, policy: None });
}

/// A thread that starts anew as the one member of `team` stays where it is.
pub(crate) fn inherit(outer: &Member, team: &Team) {
    if list().is_empty() {
        return;
    }
    if outer.spot.get().place == NOWHERE {
        seat_initial(outer);
    }
    team.members()[0].spot.set(outer.spot.get());
}

/// Master of a new region: says where its members go, and by which policy regions inside do.
pub(crate) fn assign(outer: &Member, team: &Team, clause: Option<Clause>) {
    if list().is_empty() {
        return;
    }
    if outer.spot.get().place == NOWHERE {
        seat_initial(outer);
    }
    let Spot { place, partition, policy: around } = outer.spot.get();
    let inside = clause.filter(|clause| clause.stays).and_then(Clause::policy).or(around);
    let policy = clause.and_then(Clause::policy).unwrap_or_else(|| policy(outer));
    let size = team.size();
    let mut moved = false;
    for member in team.members() {
        let (place, partition) = place_of(policy, member.num, size, partition, place);
        let spot = Spot { place, partition, policy: inside };
        moved |= member.spot.replace(spot).place != place;
    }
    team.moves.set(team.moves.get() + u32::from(moved));
}

/// Binds the calling thread to these processors, whatever its place is. False if it cannot run there.
pub fn bind_by_hand(cpus: &CpuSet) -> bool {
    crate::thread::current().place.set(NOWHERE);
    affinity::bind_current_thread(cpus).is_ok()
}

/// A thread that has just entered `member`: binds itself there, and shows it, where that is asked for.
#[cold]
pub(crate) fn attend(thread: &Thread, member: &Member) {
    let place = member.spot.get().place;
    if place != NOWHERE
        && place != thread.place.get()
        && let Some(cpus) = list().get(place as usize)
        && affinity::bind_current_thread(cpus).is_ok()
    {
        thread.place.set(place);
    }
    crate::locality::settle_down(thread, member);
    let nest = member.team().nest();
    if SHOW.load(Ordering::Relaxed) && nest.level > 0 {
        let team = member.team();
        let now: Shown = (nest.level, member.num, team.size(), place, team.moves.get());
        if thread.shown.replace(Some(now)) != Some(now) {
            crate::display::thread::show(None);
        }
    }
}
