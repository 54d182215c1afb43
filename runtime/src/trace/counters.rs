//! `Counters`: the processor's and the system's counters, read when a task begins and when it ends.
//!
//! Terms: a counter is *refused* where the machine does not have it, or does not let this process have it; the rest
//! are *granted*. What is granted is found out once, before the file's head is written, and is the same for all
//! threads. A thread that gets none after all records none.
//!
//! A thread's counters are one group of Linux's perf events: a read gives them all, as of one moment. The processor's
//! count what the program itself does, not the kernel on its behalf.
//! Which event a name stands for on which processor: docs/trace.md, Counters. Source: perf_event_open(2).

use super::os;
use crate::settings::kinds::{TraceCounter, word_of};
use perf_event::events::{Cache, CacheOp, CacheResult, Event, Hardware, Software, WhichCache};
use perf_event::{Builder, Counter, Group};
use std::io;
use std::os::fd::AsRawFd;
use std::sync::OnceLock;

pub struct Counters {
    group: Group,
    /// In the order of `granted`.
    members: Vec<Counter>,
}

struct Found {
    granted: Vec<TraceCounter>,
    refused: Vec<(TraceCounter, io::Error)>,
}

static FOUND: OnceLock<Found> = OnceLock::new();

/// Finds out which of the counters can be had; the first call does.
pub fn find(wanted: &[TraceCounter]) {
    FOUND.get_or_init(|| {
        let (granted, refused) = grant(wanted, |which| Counters::open(which).map(drop));
        Found { granted, refused }
    });
}

/// The largest part of `wanted` that `open` accepts as a whole, taking them in order.
fn grant(
    wanted: &[TraceCounter],
    open: impl Fn(&[TraceCounter]) -> io::Result<()>,
) -> (Vec<TraceCounter>, Vec<(TraceCounter, io::Error)>) {
    let (mut granted, mut refused) = (Vec::new(), Vec::new());
    for &counter in wanted {
        granted.push(counter);
        if let Err(why) = open(&granted) {
            granted.pop();
            refused.push((counter, why));
        }
    }
    (granted, refused)
}

/// The names of the counters in the trace.
pub fn names() -> impl Iterator<Item = &'static str> {
    let found = FOUND.get().into_iter();
    found.flat_map(|found| &found.granted).map(|counter| word_of(TraceCounter::WORDS, counter))
}

/// One line about the counters that could not be had, if any.
pub fn refusal() -> Option<String> {
    let refused = &FOUND.get()?.refused;
    let one = |(counter, why): &(TraceCounter, io::Error)| {
        format!("{} ({why})", word_of(TraceCounter::WORDS, counter))
    };
    let list: Vec<_> = refused.iter().map(one).collect();
    (!list.is_empty()).then(|| {
        format!(
            "not counted, because this machine has no such counter or does not let this process read it: {}; \
             times, footprints and distances tell what memory cost",
            list.join(", ")
        )
    })
}

impl Counters {
    /// The calling thread's; `None` where none were asked for, granted, or left.
    pub fn of_this_thread() -> Option<Counters> {
        let granted = &FOUND.get()?.granted;
        if granted.is_empty() { None } else { Counters::open(granted).ok() }
    }

    /// The system's counters count what the kernel does for the program, where the process may know.
    fn open(which: &[TraceCounter]) -> io::Result<Counters> {
        match Counters::open_with(which, true) {
            Err(why) if why.kind() == io::ErrorKind::PermissionDenied => {
                Counters::open_with(which, false)
            }
            opened => opened,
        }
    }

    fn open_with(which: &[TraceCounter], kernel: bool) -> io::Result<Counters> {
        let mut group = Group::new()?;
        os::close_on_exec(group.as_raw_fd());
        let mut members = Vec::with_capacity(which.len());
        for counter in which {
            let event = event(*counter);
            let include_kernel = kernel && matches!(event, Event::Software(_));
            let mut builder = Builder::new().group(&mut group).kind(event);
            builder.exclude_kernel(!include_kernel);
            let member = builder.build()?;
            os::close_on_exec(member.as_raw_fd());
            members.push(member);
        }
        group.enable()?;
        Ok(Counters { group, members })
    }

    /// What they have come to, in the order of `names`; nothing if the system will not say.
    pub fn read(&mut self) -> Vec<u64> {
        match self.group.read() {
            Ok(counts) => self.members.iter().map(|member| counts[member]).collect(),
            Err(_) => Vec::new(),
        }
    }
}

fn event(counter: TraceCounter) -> Event {
    let read_misses = |which| {
        let (operation, result) = (CacheOp::READ, CacheResult::MISS);
        Event::Cache(Cache { which, operation, result })
    };
    match counter {
        TraceCounter::Cycles => Hardware::CPU_CYCLES.into(),
        TraceCounter::Instructions => Hardware::INSTRUCTIONS.into(),
        TraceCounter::StallCycles => Hardware::STALLED_CYCLES_BACKEND.into(),
        TraceCounter::LlcMisses => read_misses(WhichCache::LL),
        TraceCounter::RemoteAccesses => read_misses(WhichCache::NODE),
        TraceCounter::TlbMisses => read_misses(WhichCache::DTLB),
        TraceCounter::BranchMisses => Hardware::BRANCH_MISSES.into(),
        TraceCounter::PageFaults => Software::PAGE_FAULTS.into(),
        TraceCounter::CpuTime => Software::TASK_CLOCK.into(),
        TraceCounter::Switches => Software::CONTEXT_SWITCHES.into(),
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use TraceCounter::{Cycles, Instructions, PageFaults};

    #[test]
    fn what_is_refused_does_not_keep_the_rest_away() {
        let no_cycles = |which: &[TraceCounter]| match which.contains(&Cycles) {
            true => Err(io::Error::from_raw_os_error(libc::ENOENT)),
            false => Ok(()),
        };
        let (granted, refused) = grant(&[PageFaults, Cycles, Instructions], no_cycles);
        assert_eq!(granted, [PageFaults, Instructions]);
        assert_eq!(refused.len(), 1);
        assert_eq!(refused[0].0, Cycles);
    }

    #[test]
    fn page_faults_are_counted_where_the_system_lets_us() {
        let Ok(mut counters) = Counters::open(&[PageFaults]) else { return };
        let before = counters.read();
        // Fresh memory; how many pages a fault brings in is up to the system.
        let pages = vec![1u8; 8 << 20];
        assert_eq!(std::hint::black_box(&pages)[5], 1);
        let after = counters.read();
        assert!(after[0] > before[0], "{before:?} {after:?}");
    }
}
