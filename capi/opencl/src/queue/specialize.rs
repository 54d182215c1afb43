//! Code for one case, a local size and strides that are 1: looked for before the first launch of that kind, made meanwhile, used when it is
//! there. And code for ids however large, which launches that need it wait for.
//!
//! States of a case: new; counted, until launches with it have taken so long that it is worth a compilation; being made, by a
//! process of its own; there, or given up. Workers see to it after their blocks: the program never waits.
//! Which cases have code, and which lose it to others, [`Favourites`] says.
//!
//! Where the translator is not sure which way is the best, other code is made, too, once the kernel has run for long enough to be worth
//! it: one way after the other. Whatever is there runs, until it is known which is the fastest ([`super::contest`]).

use super::favourites::{Favourites, Room};
use super::special::{MOST_RIVALS, Special};
use crate::core::kernel::Kernel;
use crate::core::program::aside::{Mode, Rivals, mode, rivals};
use crate::core::program::executable::Executable;
use crate::core::program::special::{Begun, Case, Haste, Making, Wanted};
use crate::os::runtime;
use smallvec::SmallVec;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

/// Of one kernel.
#[derive(Default)]
pub struct Specializations {
    cases: Mutex<Favourites<Attempt>>,
    /// Time not yet counted.
    uncounted_ns: AtomicU64,
    /// Of launches with ids of 2^31 and more, once there was one: none if it cannot be made.
    for_any_ids: OnceLock<Option<Arc<Special>>>,
}

#[derive(Default)]
struct Attempt {
    /// Since it was last begun, or tried to.
    spent_ns: u64,
    state: State<Arc<Special>>,
    /// Of code made in other ways, which may be better: one for each that was begun, in the order of the ways.
    rivals: SmallVec<[State<()>; MOST_RIVALS]>,
}

#[derive(Default)]
enum State<T> {
    #[default]
    New,
    /// It is not in the cache, or there was no room for it.
    Counted(Wanted),
    Making(Box<Making>),
    There(T),
    GivenUp,
}

/// From so much time on a case is worth it.
const WORTHWHILE_NS: u64 = 2_000_000;
/// Code that may be better, and mostly is not: it takes as long to make, and is kept for later runs.
const RIVAL_WORTHWHILE_NS: u64 = 20_000_000;
/// Workers look after it when so much time was spent in the kernel again.
const LOOK_EVERY_NS: u64 = 200_000;

/// How often code came to be there, in the whole process.
static ARRIVALS: AtomicU64 = AtomicU64::new(0);

/// Another number than before: there may be better code for some launch.
pub fn arrivals() -> u64 {
    // Acquire: pairs with the Release in `step`, whose lock whoever looks for the code takes.
    ARRIVALS.load(Ordering::Acquire)
}

/// Who asked to wait for the code does so no longer: it hangs then.
const MOST_WAITING: Duration = Duration::from_secs(30 * 60);

impl Specializations {
    fn cases(&self) -> MutexGuard<'_, Favourites<Attempt>> {
        self.cases.lock().unwrap_or_else(|held| held.into_inner())
    }

    /// The code for this case, if it is there.
    pub fn find(&self, kernel: &Kernel, case: Case) -> Option<Arc<Special>> {
        if mode() == Mode::Never {
            return None;
        }
        let mut cases = self.cases();
        let is_new = matches!(cases.used(case).state.state, State::New);
        match mode() {
            Mode::Always => finish(&mut cases, kernel, case),
            _ if is_new => step(&mut cases, kernel, case, 0),
            _ => {}
        }
        match &cases.used(case).state.state {
            State::There(special) => Some(special.clone()),
            _ => None,
        }
    }

    /// The same, if it has come meanwhile.
    pub fn there(&self, case: Case) -> Option<Arc<Special>> {
        // Who does not get the lock sees it with the next block.
        let mut cases = self.cases.try_lock().ok()?;
        match &cases.used(case).state.state {
            State::There(special) => Some(special.clone()),
            _ => None,
        }
    }

    /// The code for ids however large, which is waited for; none if it cannot be had.
    pub fn for_any_ids(&self, kernel: &Kernel) -> Option<Arc<Special>> {
        let make = || Some(Arc::new(Special::new(made(&kernel.for_any_ids()?)?)));
        self.for_any_ids.get_or_init(make).clone()
    }

    /// A block in this case took so long: goes a step on, where it is time to.
    pub fn note(&self, kernel: &Kernel, case: Case, ns: u64) {
        if mode() == Mode::Never {
            return;
        }
        // Relaxed: a number.
        let uncounted_ns = self.uncounted_ns.fetch_add(ns, Ordering::Relaxed) + ns;
        if uncounted_ns < LOOK_EVERY_NS {
            return;
        }
        // Who does not get the lock leaves it to whoever has it.
        if let Ok(mut cases) = self.cases.try_lock() {
            let spent_ns = self.uncounted_ns.swap(0, Ordering::Relaxed);
            step(&mut cases, kernel, case, spent_ns);
        }
    }
}

fn step(cases: &mut Favourites<Attempt>, kernel: &Kernel, case: Case, spent_ns: u64) {
    cases.spend(case, spent_ns);
    let room = cases.room(case, mode() == Mode::Always);
    let attempt = &mut cases.used(case).state;
    attempt.spent_ns += spent_ns;
    let was_there = matches!(attempt.state, State::There(_));
    attempt.step(kernel, case, room != Room::None);
    let is_there = matches!(attempt.state, State::There(_));
    match attempt.state {
        State::Making(_) | State::There(_) => cases.hold(case, room),
        _ => cases.let_go(case),
    }
    if is_there && !was_there {
        // Release: pairs with the Acquire in `arrivals`.
        ARRIVALS.fetch_add(1, Ordering::Release);
    }
}

impl Attempt {
    fn step(&mut self, kernel: &Kernel, case: Case, has_room: bool) {
        let pace = Pace { has_room, worthwhile_ns: WORTHWHILE_NS, spent_ns: &mut self.spent_ns };
        let want = || kernel.special(case);
        let accept = |made| Arc::new(Special::new(made));
        self.state = std::mem::take(&mut self.state).next(kernel, pace, want, accept);
        let State::There(special) = &self.state else { return };
        let special = special.clone();
        let ways = ways_of(&special);
        for (number, way) in ways.iter().enumerate() {
            if number == self.rivals.len() {
                self.rivals.push(State::New);
            }
            let rival = &mut self.rivals[number];
            let worthwhile_ns = RIVAL_WORTHWHILE_NS;
            let pace = Pace { has_room: true, worthwhile_ns, spent_ns: &mut self.spent_ns };
            let want = || kernel.special_by(way, case);
            *rival =
                std::mem::take(rival).next(kernel, pace, want, |made| special.challenge(way, made));
            if !rival.is_over() {
                return;
            }
        }
    }

    /// Nothing more will come.
    fn is_over(&self) -> bool {
        match &self.state {
            State::There(special) => {
                self.rivals.len() == ways_of(special).len()
                    && self.rivals.iter().all(State::is_over)
            }
            state => state.is_over(),
        }
    }

    fn give_up(&mut self) {
        match &self.state {
            State::There(special) => {
                self.rivals.clear();
                self.rivals.extend(ways_of(special).iter().map(|_| State::GivenUp));
            }
            _ => self.state = State::GivenUp,
        }
    }
}

/// In which code is made that may be better, one after the other.
fn ways_of(special: &Special) -> &[String] {
    let ways = &special.first().kernel(0).other_ways;
    let most = if rivals() == Rivals::Never { 0 } else { MOST_RIVALS };
    &ways[..ways.len().min(most)]
}

struct Pace<'a> {
    has_room: bool,
    /// A compilation is worth it when so much was spent.
    worthwhile_ns: u64,
    spent_ns: &'a mut u64,
}

impl<T> State<T> {
    fn is_over(&self) -> bool {
        matches!(self, State::There(_) | State::GivenUp)
    }

    /// A step further. `want`: what is to be made, if anybody can; `accept`: of what was made, and fits.
    fn next(
        self,
        kernel: &Kernel,
        pace: Pace,
        want: impl FnOnce() -> Option<Wanted>,
        accept: impl FnOnce(Executable) -> T,
    ) -> State<T> {
        let there = |made: Option<Executable>| {
            let fitting = made.filter(|made| fits(kernel, made));
            fitting.map_or(State::GivenUp, |made| State::There(accept(made)))
        };
        match self {
            State::New => {
                let Some(wanted) = want() else { return State::GivenUp };
                match if pace.has_room { wanted.kept() } else { None } {
                    Some(kept) => there(kept),
                    None => State::Counted(wanted),
                }
            }
            State::Counted(wanted) if pace.has_room && *pace.spent_ns >= pace.worthwhile_ns => {
                *pace.spent_ns = 0;
                // Another process may have made it meanwhile.
                match wanted.kept() {
                    Some(kept) => there(kept),
                    None => begin(wanted),
                }
            }
            State::Making(making) if making.is_over() => there(making.outcome()),
            same => same,
        }
    }
}

/// Goes all the way, and waits for it.
fn finish(cases: &mut Favourites<Attempt>, kernel: &Kernel, case: Case) {
    let begun = Instant::now();
    let mut spent_ns = 0;
    while !cases.used(case).state.is_over() {
        if begun.elapsed() > MOST_WAITING {
            cases.used(case).state.give_up();
        }
        step(cases, kernel, case, spent_ns);
        if spent_ns > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        spent_ns = RIVAL_WORTHWHILE_NS;
    }
}

/// The code that is wanted, from the cache or a process that is waited for.
fn made(wanted: &Wanted) -> Option<Executable> {
    let begun = Instant::now();
    let nap = || std::thread::sleep(Duration::from_millis(1));
    while begun.elapsed() < MOST_WAITING {
        if let Some(kept) = wanted.kept() {
            return kept;
        }
        match wanted.begin(Haste::Awaited) {
            Begun::Making(making) => {
                while !making.is_over() && begun.elapsed() < MOST_WAITING {
                    nap();
                }
                return making.outcome();
            }
            Begun::Later => nap(),
            Begun::Impossible => return None,
        }
    }
    None
}

fn begin<T>(wanted: Wanted) -> State<T> {
    let haste = match mode() {
        Mode::Auto => Haste::meanwhile(runtime::workers()),
        Mode::Always | Mode::Never => Haste::Awaited,
    };
    match wanted.begin(haste) {
        Begun::Making(making) => State::Making(Box::new(making)),
        Begun::Later => State::Counted(wanted),
        Begun::Impossible => State::GivenUp,
    }
}

/// It must take the arguments and the scratch memory that the generic code takes, and have its sub-groups.
fn fits(kernel: &Kernel, special: &Executable) -> bool {
    let (generic, special) = (kernel.description(), special.kernel(0));
    special.local_bytes <= generic.local_bytes
        && special.sub_group_size == generic.sub_group_size
        && special.takes(generic)
}
