//! The machine that teams are spread over, and how tasks are scheduled on it.

use super::watch;
use crate::global::settings;
use crate::settings::{Distribution, Reach};
use crate::team::places;
use std::ops::Deref;
use std::sync::OnceLock;
use vicinity_alloc::topology;
use vicinity_policy::deal::Deal;
use vicinity_policy::scheduler::Scheduler;

pub struct Machine {
    found: &'static topology::Machine,
    pub scheduler: Scheduler,
    /// How many locations a vicinity holds; none: all.
    pub reach: Option<u32>,
    /// Workers are bound to their location.
    pub binds: bool,
    /// Somebody wants to know what becomes of tasks.
    pub observes: bool,
    /// Somebody wants to know of all tasks with data, also of those whose data does not matter.
    pub surveys: bool,
}

impl Deref for Machine {
    type Target = topology::Machine;

    fn deref(&self) -> &topology::Machine {
        self.found
    }
}

static MACHINE: OnceLock<Option<Machine>> = OnceLock::new();

/// None where locality is off: with one location and no central queue.
#[inline]
pub fn machine() -> Option<&'static Machine> {
    MACHINE.get_or_init(find).as_ref()
}

fn find() -> Option<Machine> {
    let settings = settings();
    let ours = &settings.vicinity;
    let found = topology::machine();
    let several = found.topology.len() > 1;
    if !several && ours.scheduler != Scheduler::Central {
        return None;
    }
    let binds = several && found.enforced && settings.affinity.bind.is_empty();
    if binds {
        places::pay_attention();
    }
    if several && found.enforced && ours.data_distribution == Distribution::Auto {
        watch::start_repair();
    }
    let reach = match ours.reach {
        Reach::All => None,
        Reach::Locations(count) => Some(count),
    };
    let surveys = ours.verbose > 0 || ours.trace.is_some();
    let observes = surveys || ours.top;
    Some(Machine { found, scheduler: ours.scheduler, reach, binds, observes, surveys })
}

impl Machine {
    /// Bytes of data from which on a task is of interest: where it could be dealt for them, or any if somebody
    /// observes.
    pub fn least_bytes(&self) -> Option<u64> {
        match self.scheduler.deal(&self.topology) {
            _ if self.surveys && self.topology.len() > 1 => Some(1),
            Deal::LeastCost { min_bytes } => Some(min_bytes.saturating_add(1)),
            Deal::Home | Deal::Central | Deal::RoundRobin => None,
        }
    }
}

/// Machines that are not here.
#[cfg(all(test, not(loom)))]
pub(crate) mod described {
    use super::*;
    use vicinity_alloc::topology::{Description, Locations};

    /// Four nodes of two cores, each core a location.
    pub fn eight_cores() -> Machine {
        let description = Description::Synthetic("numa:4 core:2 pu:1".to_owned());
        let allowed = vicinity_alloc::os::affinity_mask();
        let found = topology::Machine::described(&description, Locations::Cores, &allowed);
        Machine {
            found: Box::leak(Box::new(found.expect("hwloc knows it"))),
            scheduler: Scheduler::Locality,
            reach: None,
            binds: false,
            observes: false,
            surveys: false,
        }
    }
}
