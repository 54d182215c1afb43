//! Code for one local size: made meanwhile, used when it is there.
//!
//! States of a size: counted, until launches with it have taken so long that it is worth a compilation; being made, by a
//! process of its own; there, or given up. Workers see to it after their blocks: the program never waits.

use crate::core::kernel::Kernel;
use crate::core::program::Image;
use crate::core::program::description::KernelDescription;
use crate::core::program::executable::Executable;
use crate::core::program::special::{self, Begun, Making};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};
use std::time::Duration;

/// Of one kernel.
#[derive(Default)]
pub struct Specializations {
    sizes: Mutex<Vec<Size>>,
    /// Time not yet counted.
    uncounted_ns: AtomicU64,
}

struct Size {
    local: [usize; 3],
    spent_ns: u64,
    state: State,
}

enum State {
    Counted,
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
        let mut sizes = self.sizes();
        if mode() == Mode::Always {
            entry(&mut sizes, local)?.finish(kernel);
        }
        match &sizes.iter().find(|size| size.local == local)?.state {
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
            sizes.push(Size { local, spent_ns: 0, state: State::Counted });
            sizes.last_mut()
        }
        None => None,
    }
}

impl Size {
    fn step(&mut self, kernel: &Kernel, spent_ns: u64) {
        self.spent_ns += spent_ns;
        self.state = match std::mem::replace(&mut self.state, State::GivenUp) {
            State::Counted if self.spent_ns >= WORTHWHILE_NS => self.begin(kernel),
            State::Making(making) => match making.is_over() {
                true => there(kernel, making.outcome()),
                false => State::Making(making),
            },
            same => same,
        };
    }

    /// Goes all the way, and waits for it.
    fn finish(&mut self, kernel: &Kernel) {
        self.step(kernel, WORTHWHILE_NS);
        while let State::Making(_) = self.state {
            std::thread::sleep(Duration::from_millis(1));
            self.step(kernel, 0);
        }
    }

    fn begin(&self, kernel: &Kernel) -> State {
        let source = kernel.special_source();
        let begin = |source: Arc<Image>| {
            special::begin(&source.bitcode, &kernel.description().name, self.local)
        };
        match source.and_then(begin) {
            Some(Begun::Done(executable)) => there(kernel, Some(executable)),
            Some(Begun::Making(making)) => State::Making(Box::new(making)),
            None => State::GivenUp,
        }
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
