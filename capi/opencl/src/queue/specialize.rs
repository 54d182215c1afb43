//! Code for one local size: looked for before the first launch with it, made meanwhile, used when it is there. And code for ids
//! however large, which launches that need it wait for.
//!
//! States of a size: new; counted, until launches with it have taken so long that it is worth a compilation; being made, by a
//! process of its own; there, or given up. Workers see to it after their blocks: the program never waits.
//! Which sizes have code, and which lose it to others, [`Favourites`] says.

use super::favourites::{Favourites, Room};
use crate::core::kernel::Kernel;
use crate::core::program::aside::{Mode, mode};
use crate::core::program::executable::Executable;
use crate::core::program::special::{Begun, Haste, Making, Wanted};
use crate::os::runtime;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

/// Of one kernel.
#[derive(Default)]
pub struct Specializations {
    sizes: Mutex<Favourites<Attempt>>,
    /// Time not yet counted.
    uncounted_ns: AtomicU64,
    /// Of launches with ids of 2^31 and more, once there was one: none if it cannot be made.
    for_any_ids: OnceLock<Option<Arc<Executable>>>,
}

#[derive(Default)]
struct Attempt {
    /// Since it was last begun, or tried to.
    spent_ns: u64,
    state: State,
}

#[derive(Default)]
enum State {
    #[default]
    New,
    /// It is not in the cache, or there was no room for it.
    Counted(Wanted),
    Making(Box<Making>),
    There(Arc<Executable>),
    GivenUp,
}

/// From so much time on a size is worth it.
const WORTHWHILE_NS: u64 = 2_000_000;
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
    fn sizes(&self) -> MutexGuard<'_, Favourites<Attempt>> {
        self.sizes.lock().unwrap_or_else(|held| held.into_inner())
    }

    /// The code for this local size, if it is there.
    pub fn find(&self, kernel: &Kernel, local: [usize; 3]) -> Option<Arc<Executable>> {
        if mode() == Mode::Never {
            return None;
        }
        let mut sizes = self.sizes();
        let is_new = matches!(sizes.used(local).state.state, State::New);
        match mode() {
            Mode::Always => finish(&mut sizes, kernel, local),
            _ if is_new => step(&mut sizes, kernel, local, 0),
            _ => {}
        }
        match &sizes.used(local).state.state {
            State::There(executable) => Some(executable.clone()),
            _ => None,
        }
    }

    /// The code for this local size, if it has come meanwhile.
    pub fn there(&self, local: [usize; 3]) -> Option<Arc<Executable>> {
        // Who does not get the lock sees it with the next block.
        let mut sizes = self.sizes.try_lock().ok()?;
        match &sizes.used(local).state.state {
            State::There(executable) => Some(executable.clone()),
            _ => None,
        }
    }

    /// The code for ids however large, which is waited for; none if it cannot be had.
    pub fn for_any_ids(&self, kernel: &Kernel) -> Option<Arc<Executable>> {
        let make = || Some(Arc::new(made(&kernel.for_any_ids()?)?));
        self.for_any_ids.get_or_init(make).clone()
    }

    /// A block with this local size took so long: goes a step on, where it is time to.
    pub fn note(&self, kernel: &Kernel, local: [usize; 3], ns: u64) {
        if mode() == Mode::Never {
            return;
        }
        // Relaxed: a number.
        let uncounted_ns = self.uncounted_ns.fetch_add(ns, Ordering::Relaxed) + ns;
        if uncounted_ns < LOOK_EVERY_NS {
            return;
        }
        // Who does not get the lock leaves it to whoever has it.
        if let Ok(mut sizes) = self.sizes.try_lock() {
            let spent_ns = self.uncounted_ns.swap(0, Ordering::Relaxed);
            step(&mut sizes, kernel, local, spent_ns);
        }
    }
}

fn step(sizes: &mut Favourites<Attempt>, kernel: &Kernel, local: [usize; 3], spent_ns: u64) {
    sizes.spend(local, spent_ns);
    let room = sizes.room(local, mode() == Mode::Always);
    let attempt = &mut sizes.used(local).state;
    attempt.spent_ns += spent_ns;
    let is_worth_it = attempt.spent_ns >= WORTHWHILE_NS && room != Room::None;
    let before = std::mem::replace(&mut attempt.state, State::GivenUp);
    let was_there = matches!(before, State::There(_));
    let next = match before {
        State::New => look(kernel, local, room),
        State::Counted(wanted) if is_worth_it => {
            attempt.spent_ns = 0;
            begin(kernel, wanted)
        }
        State::Making(making) => match making.is_over() {
            true => there(kernel, making.outcome()),
            false => State::Making(making),
        },
        same => same,
    };
    match next {
        State::Making(_) | State::There(_) => sizes.hold(local, room),
        _ => sizes.let_go(local),
    }
    let is_new = matches!(next, State::There(_)) && !was_there;
    sizes.used(local).state.state = next;
    if is_new {
        // Release: pairs with the Acquire in `arrivals`.
        ARRIVALS.fetch_add(1, Ordering::Release);
    }
}

/// Goes all the way, and waits for it.
fn finish(sizes: &mut Favourites<Attempt>, kernel: &Kernel, local: [usize; 3]) {
    let begun = Instant::now();
    let mut spent_ns = 0;
    while !matches!(sizes.used(local).state.state, State::There(_) | State::GivenUp) {
        if begun.elapsed() > MOST_WAITING {
            sizes.used(local).state.state = State::GivenUp;
        }
        step(sizes, kernel, local, spent_ns);
        if spent_ns > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        spent_ns = WORTHWHILE_NS;
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

/// Code that another process, or this one before, has made is used from the first launch on.
fn look(kernel: &Kernel, local: [usize; 3], room: Room) -> State {
    let Some(wanted) = kernel.special(local) else { return State::GivenUp };
    let kept = if room == Room::None { None } else { wanted.kept() };
    match kept {
        Some(kept) => there(kernel, kept),
        None => State::Counted(wanted),
    }
}

fn begin(kernel: &Kernel, wanted: Wanted) -> State {
    // Another process may have made it meanwhile.
    if let Some(kept) = wanted.kept() {
        return there(kernel, kept);
    }
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
fn there(kernel: &Kernel, executable: Option<Executable>) -> State {
    let generic = kernel.description();
    let fits = |special: &Executable| {
        let special = special.kernel(0);
        special.local_bytes <= generic.local_bytes
            && special.sub_group_size == generic.sub_group_size
            && special.takes(generic)
    };
    match executable.filter(fits) {
        Some(executable) => State::There(Arc::new(executable)),
        None => State::GivenUp,
    }
}
