//! Which cases of a kernel have code of their own: a bounded set, in which those stay that are used.
//!
//! Terms: a *case* is a local size, and which strides are 1. Of each *known* case it is known how long the kernel ran with it *recently*: all
//! times are halved whenever the kernel has run for [`HALVED_EVERY_NS`]. Some of them *hold* a place for code.
//! Policy: while there are places, a case gets one. Then it takes that of the case with the least recent time, if it has [`OUTWEIGHS`] times
//! as much. So a program that tries one size after the other, each for as long, fills the places once and does not exchange them; the
//! size that it decides for has one soon. Of cases without a place, those are forgotten that were not used for longest.
//!
//! A pure value: it is told what ran, and what is tried for a case lies in `T`, which it does not look at.
//! Units: nanoseconds of work-groups, on all workers together.

use crate::core::program::special::Case;

/// Favourites that hold places.
pub const MOST_HOLDING: usize = 8;
/// Favourites that are known.
const MOST_KNOWN: usize = 64;
const OUTWEIGHS: u64 = 2;
const HALVED_EVERY_NS: u64 = 256_000_000;

pub struct Favourites<T> {
    known: Vec<Known<T>>,
    /// Since times were halved.
    noted_ns: u64,
    uses: u64,
}

pub struct Known<T> {
    case: Case,
    recent_ns: u64,
    /// The number of its last use.
    last_use: u64,
    holds: bool,
    pub state: T,
}

/// Whether a case may hold a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    Free,
    /// That of this case, which loses what it has.
    Of(Case),
    None,
}

impl<T> Default for Favourites<T> {
    fn default() -> Favourites<T> {
        Favourites { known: Vec::new(), noted_ns: 0, uses: 0 }
    }
}

impl<T: Default> Favourites<T> {
    /// This case is used.
    pub fn used(&mut self, case: Case) -> &mut Known<T> {
        self.uses += 1;
        let at = match self.known.iter().position(|it| it.case == case) {
            Some(at) => at,
            None => {
                self.forget();
                let (recent_ns, holds, state) = (0, false, T::default());
                self.known.push(Known { case, recent_ns, last_use: 0, holds, state });
                self.known.len() - 1
            }
        };
        self.known[at].last_use = self.uses;
        &mut self.known[at]
    }

    /// The kernel ran so long in this case.
    pub fn spend(&mut self, case: Case, ns: u64) {
        let it = self.used(case);
        it.recent_ns = it.recent_ns.saturating_add(ns);
        self.noted_ns = self.noted_ns.saturating_add(ns);
        if self.noted_ns >= HALVED_EVERY_NS {
            self.noted_ns = 0;
            self.known.iter_mut().for_each(|it| it.recent_ns /= 2);
        }
    }

    /// Where there is room for this case; `at_once`: it must have it, whoever loses it.
    pub fn room(&self, case: Case, at_once: bool) -> Room {
        let recent_ns = self.of(case).map_or(0, |it| it.recent_ns);
        let others = self.known.iter().filter(|it| it.holds && it.case != case);
        if others.clone().count() < MOST_HOLDING {
            return Room::Free;
        }
        let least = others.min_by_key(|it| (it.recent_ns, it.last_use));
        let loses = |it: &&Known<T>| at_once || recent_ns > OUTWEIGHS * it.recent_ns;
        least.filter(loses).map_or(Room::None, |it| Room::Of(it.case))
    }

    /// It holds a place from now on; it is known. Whoever holds the place of `room` loses it, with what it has.
    pub fn hold(&mut self, case: Case, room: Room) {
        for it in &mut self.known {
            if room == Room::Of(it.case) {
                (it.holds, it.state) = (false, T::default());
            }
            it.holds |= it.case == case;
        }
        debug_assert!(self.known.iter().filter(|it| it.holds).count() <= MOST_HOLDING);
    }

    /// It has nothing to hold a place for.
    pub fn let_go(&mut self, case: Case) {
        self.known.iter_mut().filter(|it| it.case == case).for_each(|it| it.holds = false);
    }

    fn of(&self, case: Case) -> Option<&Known<T>> {
        self.known.iter().find(|it| it.case == case)
    }

    /// Makes room for one more to be known.
    fn forget(&mut self) {
        if self.known.len() < MOST_KNOWN {
            return;
        }
        let idle = self.known.iter().enumerate().filter(|(_, it)| !it.holds);
        if let Some((at, _)) = idle.min_by_key(|(_, it)| it.last_use) {
            self.known.swap_remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIAL_NS: u64 = 1_000_000;

    fn size(number: usize) -> Case {
        Case { local: [number, 1, 1], units: 0 }
    }

    /// What a driver does that gives places as soon as it may.
    fn run(sizes: &mut Favourites<bool>, number: usize, ns: u64) -> bool {
        let case = size(number);
        sizes.spend(case, ns);
        if !sizes.used(case).state {
            let room = sizes.room(case, false);
            if room != Room::None {
                sizes.hold(case, room);
                sizes.used(case).state = true;
            }
        }
        sizes.used(case).state
    }

    fn holding(sizes: &Favourites<bool>) -> Vec<usize> {
        let mut all: Vec<usize> =
            sizes.known.iter().filter(|size| size.holds).map(|size| size.case.local[0]).collect();
        all.sort_unstable();
        all
    }

    /// A program that tries many sizes, each for as long, and then uses one of them.
    #[test]
    fn the_size_that_is_decided_for_gets_a_place_after_any_number_of_trials() {
        let mut sizes = Favourites::default();
        for number in 0..MOST_HOLDING {
            assert!(run(&mut sizes, number, TRIAL_NS));
        }
        for number in MOST_HOLDING..60 {
            assert!(!run(&mut sizes, number, TRIAL_NS), "{number}: no exchange for a trial");
        }
        assert!(!run(&mut sizes, 33, TRIAL_NS));
        assert!(run(&mut sizes, 33, 1));
        assert_eq!(holding(&sizes), [1, 2, 3, 4, 5, 6, 7, 33]);
        assert!(!sizes.used(size(0)).state, "what it had is gone");
    }

    #[test]
    fn what_is_used_stays_while_others_come() {
        let mut sizes = Favourites::default();
        for number in 0..500 {
            assert!(run(&mut sizes, 1000, 3 * TRIAL_NS), "{number}");
            run(&mut sizes, number, TRIAL_NS);
        }
        assert!(holding(&sizes).contains(&1000));
    }

    #[test]
    fn what_was_used_long_ago_gives_way() {
        let mut sizes = Favourites::default();
        for number in 0..MOST_HOLDING {
            run(&mut sizes, number, HALVED_EVERY_NS);
        }
        let launches = (1..).find(|_| run(&mut sizes, 100, TRIAL_NS)).unwrap();
        assert!(launches < 2 * HALVED_EVERY_NS / TRIAL_NS, "{launches}");
    }

    #[test]
    fn few_are_known_and_those_with_places_are() {
        let mut sizes = Favourites::default();
        for number in 0..10_000 {
            run(&mut sizes, number, 1);
        }
        assert_eq!(sizes.known.len(), MOST_KNOWN);
        assert_eq!(holding(&sizes), (0..MOST_HOLDING).collect::<Vec<usize>>());
        sizes.let_go(size(3));
        assert!(run(&mut sizes, 20_000, 1));
        assert!(holding(&sizes).contains(&20_000));
    }

    #[test]
    fn who_must_have_a_place_gets_that_of_the_least_used() {
        let mut sizes = Favourites::default();
        for number in 0..MOST_HOLDING {
            run(&mut sizes, number, TRIAL_NS + number as u64);
        }
        sizes.used(size(50));
        assert_eq!(sizes.room(size(50), false), Room::None);
        assert_eq!(sizes.room(size(50), true), Room::Of(size(0)));
        assert_eq!(sizes.room(size(5), false), Room::Free, "it has one");
    }
}
