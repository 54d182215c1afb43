//! Code of a kernel that is not the program's own, and others beside it that may be better.

use super::contest::{Contest, MOST_CODES, drawn};
use crate::core::program::aside::{Rivals, rivals};
use crate::core::program::executable::Executable;
use crate::report::warn;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Code for one local size, or for ids however large; the same made in other ways; and which of them is the fastest, as far as that is
/// known.
pub struct Special {
    first: Arc<Executable>,
    rivals: [OnceLock<Rival>; MOST_RIVALS],
    /// How many blocks began.
    drawn: AtomicU64,
    /// A bit for each code that may be the fastest, as `contest` says. Relaxed: a hint; all codes are right, and a launch that does not
    /// see one yet runs the first.
    those_in: AtomicU8,
    contest: Mutex<Contest>,
}

struct Rival {
    /// As the translator names it.
    way: String,
    executable: Arc<Executable>,
}

pub const MOST_RIVALS: usize = MOST_CODES - 1;

/// Nothing but the first code is there.
const ALONE: u8 = 1;

impl Special {
    pub fn new(executable: Executable) -> Special {
        let (first, rivals) = (Arc::new(executable), Default::default());
        let (drawn, those_in) = (AtomicU64::new(0), AtomicU8::new(ALONE));
        Special { first, rivals, drawn, those_in, contest: Mutex::default() }
    }

    pub fn first(&self) -> &Arc<Executable> {
        &self.first
    }

    pub fn rival(&self, number: usize) -> Option<&Arc<Executable>> {
        Some(&self.rivals[number].get()?.executable)
    }

    pub fn has_rivals(&self) -> bool {
        self.rivals[0].get().is_some()
    }

    /// From now on blocks run this code, too, which was made in another way, until it is known which is the fastest.
    pub fn challenge(&self, way: &str, by: Executable) {
        let mut contest = self.contest.lock().unwrap_or_else(|held| held.into_inner());
        let place = self.rivals.iter().find(|place| place.get().is_none());
        let rival = Rival { way: way.to_owned(), executable: Arc::new(by) };
        if place.is_some_and(|place| place.set(rival).is_ok()) {
            contest.join();
            self.those_in.store(contest.those_in(), Ordering::Relaxed);
        }
    }

    /// Which code the next block runs: 0 for the first, else that of a rival.
    pub fn whose_turn(&self) -> usize {
        let those_in = self.those_in.load(Ordering::Relaxed);
        match those_in.is_power_of_two() {
            true => those_in.trailing_zeros() as usize,
            false => drawn(self.drawn.fetch_add(1, Ordering::Relaxed), those_in),
        }
    }

    /// A block of `items` by this code took `ns`.
    pub fn note(&self, code: usize, items: usize, ns: u64) {
        // Who does not get the lock leaves his block out.
        if let Ok(mut contest) = self.contest.try_lock() {
            let is_found = contest.note(code, items, ns);
            self.those_in.store(contest.those_in(), Ordering::Relaxed);
            if is_found && rivals() == Rivals::Told {
                warn(&self.finding(&contest));
            }
        }
    }

    /// Which code is the fastest, for people.
    fn finding(&self, contest: &Contest) -> String {
        let kernel = self.first.kernel(0);
        let [x, y, z] = kernel.specialized_size.unwrap_or([1; 3]);
        let ways = self.rivals.iter().filter_map(|rival| Some(rival.get()?.way.as_str()));
        let ways: Vec<&str> = std::iter::once("as chosen").chain(ways).collect();
        let times = ways.iter().zip(contest.means_ns()).filter(|&(_, ns)| ns > 0.0);
        let times: Vec<String> = times.map(|(way, ns)| format!("{way} {ns:.3}")).collect();
        let best = ways[contest.those_in().trailing_zeros() as usize];
        let (name, times) = (&kernel.name, times.join(", "));
        format!("{name}, groups of {x} x {y} x {z}: {best} (ns an item: {times})")
    }
}
