//! Code for one local size: looked for before the first launch with it, made meanwhile, used when it is there.
//!
//! States of a size: new; counted, until launches with it have taken so long that it is worth a compilation; being made, by a
//! process of its own; there, or given up. Workers see to it after their blocks: the program never waits.

use crate::core::kernel::Kernel;
use crate::core::program::description::KernelDescription;
use crate::core::program::executable::Executable;
use crate::core::program::special::{Begun, Making, Wanted};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Of one kernel.
#[derive(Default)]
pub struct Specializations {
    sizes: Mutex<Vec<Size>>,
    /// Time not yet counted.
    uncounted_ns: AtomicU64,
}

struct Size {
    local: [usize; 3],
    /// Since it was last begun, or tried to.
    spent_ns: u64,
    state: State,
}

enum State {
    New,
    /// It is not in the cache.
    Counted(Wanted),
    Making(Box<Making>),
    There(Arc<Executable>),
    GivenUp,
}

/// From so much time on a size is worth it.
const WORTHWHILE_NS: u64 = 2_000_000;
/// Workers look after it when so much time was spent in the kernel again.
const LOOK_EVERY_NS: u64 = 200_000;
/// A kernel gets no more sizes of its own.
const MOST_SIZES: usize = 4;

/// Who asked to wait for the code does so no longer: a translation takes a minute at most.
const MOST_WAITING: Duration = Duration::from_secs(90);

/// When a local size gets code of its own: `VICINITY_SPECIALIZE`, for experiments and tests.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// When it is worth it, and nobody waits.
    Auto,
    /// Before it is used first.
    Always,
    Never,
}

fn mode() -> Mode {
    static MODE: LazyLock<Mode> =
        LazyLock::new(|| match std::env::var("VICINITY_SPECIALIZE").as_deref() {
            Ok("always") => Mode::Always,
            Ok("never") => Mode::Never,
            _ => Mode::Auto,
        });
    *MODE
}

impl Specializations {
    fn sizes(&self) -> MutexGuard<'_, Vec<Size>> {
        self.sizes.lock().unwrap_or_else(|held| held.into_inner())
    }

    /// The code for this local size, if it is there.
    pub fn find(&self, kernel: &Kernel, local: [usize; 3]) -> Option<Arc<Executable>> {
        if mode() == Mode::Never {
            return None;
        }
        let mut sizes = self.sizes();
        let size = entry(&mut sizes, local)?;
        match mode() {
            Mode::Always => size.finish(kernel),
            _ if matches!(size.state, State::New) => size.step(kernel, 0),
            _ => {}
        }
        match &size.state {
            State::There(executable) => Some(executable.clone()),
            _ => None,
        }
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
            if let Some(size) = entry(&mut sizes, local) {
                size.step(kernel, spent_ns);
            }
        }
    }
}

fn entry(sizes: &mut Vec<Size>, local: [usize; 3]) -> Option<&mut Size> {
    match sizes.iter().position(|size| size.local == local) {
        Some(index) => sizes.get_mut(index),
        None if sizes.len() < MOST_SIZES => {
            sizes.push(Size { local, spent_ns: 0, state: State::New });
            sizes.last_mut()
        }
        None => None,
    }
}

impl Size {
    fn step(&mut self, kernel: &Kernel, spent_ns: u64) {
        self.spent_ns += spent_ns;
        self.state = match std::mem::replace(&mut self.state, State::GivenUp) {
            State::New => self.look(kernel),
            State::Counted(wanted) if self.spent_ns >= WORTHWHILE_NS => {
                self.spent_ns = 0;
                begin(kernel, wanted)
            }
            State::Making(making) => match making.is_over() {
                true => there(kernel, making.outcome()),
                false => State::Making(making),
            },
            same => same,
        };
    }

    /// Goes all the way, and waits for it.
    fn finish(&mut self, kernel: &Kernel) {
        let begun = Instant::now();
        self.step(kernel, 0);
        while !matches!(self.state, State::There(_) | State::GivenUp) {
            if begun.elapsed() > MOST_WAITING {
                self.state = State::GivenUp;
            }
            self.step(kernel, WORTHWHILE_NS);
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Code that another process, or this one before, has made is used from the first launch on.
    fn look(&self, kernel: &Kernel) -> State {
        let Some(wanted) = kernel.special(self.local) else { return State::GivenUp };
        match wanted.kept() {
            Some(kept) => there(kernel, kept),
            None => State::Counted(wanted),
        }
    }
}

fn begin(kernel: &Kernel, wanted: Wanted) -> State {
    // Another process may have made it meanwhile.
    if let Some(kept) = wanted.kept() {
        return there(kernel, kept);
    }
    match wanted.begin() {
        Begun::Making(making) => {
            if mode() == Mode::Auto {
                making.yield_to_others();
            }
            State::Making(Box::new(making))
        }
        Begun::Later => State::Counted(wanted),
        Begun::Impossible => State::GivenUp,
    }
}

/// It must take the arguments and the scratch memory that the generic code takes.
fn there(kernel: &Kernel, executable: Option<Executable>) -> State {
    let generic = kernel.description();
    let fits = |special: &Executable| {
        let special = &special.description().kernels[0];
        let places = |of: &KernelDescription| -> Vec<(usize, usize)> {
            of.arguments.iter().map(|argument| (argument.offset, argument.size)).collect()
        };
        special.local_bytes <= generic.local_bytes && places(special) == places(generic)
    };
    match executable.filter(fits) {
        Some(executable) => State::There(Arc::new(executable)),
        None => State::GivenUp,
    }
}
