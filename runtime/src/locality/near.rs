//! `Near`: what a thread remembers for locality.

use super::data::Objects;
use super::statistics::Tally;
use crate::private::Private;
use vicinity_policy::footprint::NodeBytes;
use vicinity_policy::topology::LocationId;

/// Owner: the thread.
#[derive(Default)]
pub struct Near {
    /// The location whose processors it was bound to.
    pub bound: Private<Option<LocationId>>,
    /// Searches in a row that found nothing.
    pub sweeps: Private<u32>,
    /// Where it last raided with success.
    pub raided: Private<Option<LocationId>>,
    /// Where its last task from another location's queue came from, since it last looked.
    pub loot_from: Private<Option<LocationId>>,
    /// What it has counted.
    pub tally: Private<Option<&'static Tally>>,
    /// Grows with each task that it deals.
    pub turn: Private<u32>,
    /// Where the data of the task is that it is dealing.
    pub footprint: Private<NodeBytes>,
    /// How large the objects are that tasks name by their address alone.
    pub objects: Private<Objects>,
}
