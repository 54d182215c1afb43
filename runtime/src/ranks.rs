//! Ranks of MPI on one machine: which part of it is this process's ([decision 059](../../docs/decisions/059-ranks-on-one-machine.md)).
//!
//! The launcher says which of how many the process is ([`crate::launcher`]). If it has not bound the process, and the user
//! named no processors, ranks divide what all of them may use as `policy::ranks` has it: each comes to its own part without
//! asking the others. The first thread is bound to the part, and threads that it starts are so by inheritance; `allowed`
//! processors, places and locations are those of the part from then on.

use crate::launcher::{self, Rank};
use crate::settings::places::PlacesSpec;
use crate::settings::{ProcBind, Ranks, Settings};
use std::fmt;
use vicinity_alloc::os::{self, CpuSet, affinity_mask, ancestors};
use vicinity_alloc::topology::{Described, Description, Hardware, Level, Sysfs, read_file};
use vicinity_policy::ranks::{self, Processor};

/// What this process has of the machine that it is on with other ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    pub rank: Rank,
    pub part: Part,
    /// The default size of teams; none: as without the other ranks.
    pub threads: Option<u32>,
    /// There are more ranks than processors: whoever waits by spinning keeps another rank from running.
    pub is_crowded: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// These processors.
    Own(CpuSet),
    /// These, of a machine that is described and not here: nothing is bound.
    Described(CpuSet),
    /// All, for this reason.
    Whole(&'static str),
}

/// What is seen of the process.
struct Seen {
    /// The processors that it may use, and those that its launcher may.
    allowed: CpuSet,
    launcher: Option<CpuSet>,
    quota: Option<u32>,
}

/// The share of this process; none if it is no rank, or the only one here, or ranks do not count.
pub fn share(settings: &Settings) -> Option<Share> {
    let rank = launcher::local()?;
    if rank.of == 1 || settings.vicinity.ranks == Ranks::Ignore {
        return None;
    }
    let seen = Seen {
        allowed: affinity_mask(),
        launcher: ancestors::processors_of_launcher(rank.variable, rank.number),
        quota: os::quota_of_this_process(),
    };
    let allowed = &seen.allowed;
    let described = settings.vicinity.machine.as_ref().and_then(|it| load(it, allowed));
    Some(match &described {
        Some(machine) => decide(settings, rank, &seen, machine, machine.is_this_machine()),
        None => decide(settings, rank, &seen, &Sysfs::new(&read_file, allowed), true),
    })
}

/// Complaints are made where the machine is looked at for other reasons.
fn load(description: &Description, allowed: &CpuSet) -> Option<Described> {
    Described::load(description, allowed).ok()
}

fn decide(
    settings: &Settings,
    rank: Rank,
    seen: &Seen,
    hardware: &dyn Hardware,
    is_here: bool,
) -> Share {
    let usable = seen.allowed.len();
    let at_once = seen.quota.map_or(usable, |quota| quota.min(usable));
    let is_crowded = seen.launcher.as_ref() == Some(&seen.allowed) && rank.of > at_once;
    let whole = |why, threads| Share { rank, part: Part::Whole(why), threads, is_crowded };
    if seen.launcher.as_ref() != Some(&seen.allowed) {
        return whole("it was started with processors of its own", None);
    }
    if matches!(settings.affinity.places, Some(PlacesSpec::Explicit(_))) {
        return whole("its places name processors", None);
    }
    let own = ranks::part(&processors(hardware), rank.number, rank.of);
    let own: CpuSet = own.into_iter().collect();
    if settings.num_threads(0).is_some_and(|asked| asked > own.len()) {
        return whole("OMP_NUM_THREADS is more than it would have processors", None);
    }
    let fair = |total| ranks::share(total, rank.number, rank.of);
    let threads = if is_here && usable >= rank.of { own.len() } else { fair(usable) };
    let threads = Some(threads.min(seen.quota.map_or(u32::MAX, fair)).max(1));
    if settings.affinity.bind.first() == Some(&ProcBind::False) {
        return whole("OMP_PROC_BIND is false", threads);
    }
    let part = if is_here { Part::Own(own) } else { Part::Described(own) };
    Share { rank, part, threads, is_crowded }
}

impl Share {
    /// Binds the calling thread to the part, if that is on this machine.
    pub fn bind(&self) {
        if let Part::Own(own) = &self.part {
            // A failure leaves the thread where it may run.
            let _ = os::bind_current_thread(own);
        }
    }

    /// The part of a machine that is not here.
    pub fn described(&self) -> Option<&CpuSet> {
        match &self.part {
            Part::Described(own) => Some(own),
            Part::Own(_) | Part::Whole(_) => None,
        }
    }
}

/// All processors that may be used, with the parts that they are in.
fn processors(hardware: &dyn Hardware) -> Vec<Processor> {
    const LEVELS: [Level; ranks::LEVELS] =
        [Level::Sockets, Level::NumaDomains, Level::LlCaches, Level::Cores];
    let levels = LEVELS.map(|level| hardware.parts(level));
    let number_in = |parts: &[CpuSet], cpu| {
        // Whoever is in no part, as on a machine that contradicts itself, is in one with its like.
        parts.iter().position(|part| part.contains(cpu)).unwrap_or(parts.len()) as u32
    };
    let threads = hardware.parts(Level::Threads);
    let numbers = threads.iter().flat_map(CpuSet::iter);
    let processor = |number| Processor {
        within: levels.each_ref().map(|parts| number_in(parts, number)),
        number,
    };
    numbers.map(processor).collect()
}

impl fmt::Display for Share {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "rank {} of {} on this machine: ", self.rank.number, self.rank.of)?;
        match &self.part {
            Part::Own(processors) | Part::Described(processors) => {
                write!(out, "processors {processors}")?
            }
            Part::Whole(why) => write!(out, "not divided, because {why}")?,
        }
        match self.threads {
            None => Ok(()),
            Some(1) => write!(out, "; 1 thread unless it asks for others"),
            Some(threads) => write!(out, "; {threads} threads unless it asks for others"),
        }?;
        match self.is_crowded {
            true => write!(out, "; waiting threads sleep at once, as ranks outnumber processors"),
            false => Ok(()),
        }
    }
}

#[cfg(all(test, not(loom)))]
#[path = "ranks_tests.rs"]
mod tests;
