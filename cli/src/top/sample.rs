//! Rates and shares of an interval: the page is read at its beginning and end, and often between.
//!
//! Terms: a *look* is one reading of a page. How much of its time a thread waits is how many of the looks found it waiting. A
//! worker that fell asleep at the end of a region stays so until the next one: it waits only while the process has a region.

use std::time::{Duration, Instant};

use vicinity_alloc::os::{self, Throttling};
use vicinity_runtime::activity::page::{Contents, Reading, State};

use super::find::Page;

/// Looks in an interval: one every 20 ms, and 20 at least.
fn looks(interval: Duration) -> u32 {
    u32::try_from(interval.as_millis() / 20).unwrap_or(u32::MAX).max(20)
}

/// What a process did in an interval. Shares are from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub process: u32,
    pub name: String,
    pub threads: usize,
    pub processors: u32,
    pub regions_per_second: f64,
    pub busy: f64,
    pub waiting: f64,
    pub idle: f64,
    /// None where no task's data was known.
    pub remote: Option<f64>,
    /// Of the periods in which its group ran; none without a quota.
    pub stopped: Option<f64>,
}

/// Reports of those that are still there at the end. `pause` waits so long, and says whether to go on.
pub fn observe(
    pages: &mut Vec<Page>,
    interval: Duration,
    mut pause: impl FnMut(Duration) -> bool,
) -> Vec<Report> {
    let mut watched: Vec<_> = pages.drain(..).filter_map(Watched::begin).collect();
    let (began, count) = (Instant::now(), looks(interval));
    for look in 1..=count {
        let due = interval * look / count;
        if !pause(due.saturating_sub(began.elapsed())) {
            break;
        }
        watched.retain_mut(Watched::look);
    }
    let seconds = began.elapsed().as_secs_f64();
    let reports = watched.iter().map(|watched| watched.report(seconds)).collect();
    pages.extend(watched.into_iter().map(|watched| watched.page));
    reports
}

struct Watched {
    page: Page,
    first: Contents,
    last: Contents,
    throttling: Option<Throttling>,
    tally: Tally,
}

impl Watched {
    fn begin(page: Page) -> Option<Watched> {
        let first = page.read()?;
        let throttling = os::throttling_of(page.process);
        Some(Watched { last: first.clone(), first, throttling, tally: Tally::default(), page })
    }

    /// False when the process is gone.
    fn look(&mut self) -> bool {
        let is_there = std::path::Path::new(&format!("/proc/{}", self.page.process)).exists();
        let Some(contents) = self.page.read().filter(|_| is_there) else { return false };
        self.tally.add(&contents);
        self.last = contents;
        true
    }

    fn report(&self, seconds: f64) -> Report {
        let stopped = self.throttling.zip(os::throttling_of(self.page.process));
        report(&self.page, &self.first, &self.last, &self.tally, seconds, stopped)
    }
}

/// How many looks found how many threads in a state.
#[derive(Default)]
struct Tally {
    busy: u64,
    waiting: u64,
    idle: u64,
}

impl Tally {
    fn add(&mut self, contents: &Contents) {
        let in_region = |thread: &Reading| thread.regions_begun > thread.regions_ended;
        let has_region = contents.slots.iter().flatten().any(in_region);
        for thread in contents.slots.iter().flatten() {
            match thread.state {
                State::Runs => self.busy += 1,
                State::Waits if has_region => self.waiting += 1,
                State::Waits | State::Rests | State::Vacant => self.idle += 1,
            }
        }
    }
}

fn report(
    page: &Page,
    first: &Contents,
    last: &Contents,
    tally: &Tally,
    seconds: f64,
    throttling: Option<(Throttling, Throttling)>,
) -> Report {
    let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    let known = |part: u64, whole: u64| (whole > 0).then(|| share(part, whole));
    let seen = tally.busy + tally.waiting + tally.idle;
    let remote = grown(first, last, |thread| thread.bytes_remote);
    let local = grown(first, last, |thread| thread.bytes_local);
    let stopped = |(before, after): (Throttling, Throttling)| {
        let throttled = after.throttled.saturating_sub(before.throttled);
        share(throttled, after.periods.saturating_sub(before.periods))
    };
    Report {
        process: page.process,
        name: page.name.clone(),
        threads: last.slots.iter().flatten().count(),
        processors: last.processors,
        regions_per_second: grown(first, last, |thread| thread.regions_begun) as f64 / seconds,
        busy: share(tally.busy, seen),
        waiting: share(tally.waiting, seen),
        idle: share(tally.idle, seen),
        remote: known(remote, remote.saturating_add(local)),
        stopped: throttling.map(stopped),
    }
}

/// How much a number of all threads grew. A thread that ended leaves its slot, and its number, to the next one.
fn grown(first: &Contents, last: &Contents, number: impl Fn(&Reading) -> u64) -> u64 {
    let pairs = first.slots.iter().zip(&last.slots);
    let growth = pairs.filter_map(|(before, after)| {
        let before = before.as_ref().map_or(0, &number);
        Some(number(after.as_ref()?).saturating_sub(before))
    });
    growth.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(state: State, begun: u64, ended: u64) -> Option<Reading> {
        let (bytes_local, bytes_remote) = (begun, 3 * begun);
        Some(Reading {
            state,
            thread: 1,
            regions_begun: begun,
            regions_ended: ended,
            bytes_local,
            bytes_remote,
        })
    }

    fn contents(slots: &[Option<Reading>]) -> Contents {
        Contents { process: 1, processors: 2, slots: slots.to_vec() }
    }

    #[test]
    fn who_sleeps_behind_a_region_waits_for_nobody() {
        let mut tally = Tally::default();
        tally.add(&contents(&[thread(State::Runs, 2, 1), thread(State::Waits, 0, 0)]));
        tally.add(&contents(&[thread(State::Runs, 2, 2), thread(State::Waits, 0, 0), None]));
        assert_eq!((tally.busy, tally.waiting, tally.idle), (2, 1, 1));
    }

    #[test]
    fn numbers_grow_by_thread() {
        let first = contents(&[thread(State::Runs, 5, 5), None]);
        let last = contents(&[thread(State::Runs, 9, 9), thread(State::Runs, 2, 2)]);
        assert_eq!(grown(&first, &last, |thread| thread.regions_begun), 6);
        assert_eq!(grown(&last, &first, |thread| thread.regions_begun), 0, "it began anew");
    }

    #[test]
    fn an_interval_has_enough_looks() {
        assert_eq!(looks(Duration::from_millis(100)), 20);
        assert_eq!(looks(Duration::from_secs(2)), 100);
    }
}
