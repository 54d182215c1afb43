//! `Located`: a team's part of locality: where its members are, and the queues of tasks dealt to locations.

use crate::locality::queue::Queue;
use crate::locality::seats::Basis;
use crate::locality::{Layout, Machine};
use crate::private::Private;
use crate::task::record::TaskRef;
use crossbeam_utils::CachePadded;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};
use vicinity_policy::topology::LocationId;

/// Nothing of it is in use on a machine with one location.
#[derive(Default)]
pub struct Located {
    layout: AtomicPtr<Layout>,
    /// One for each location of the machine.
    queues: OnceLock<Box<[CachePadded<Queue<TaskRef>>]>>,
    /// Master: what the layout was made from.
    pub(crate) basis: Private<Basis>,
}

impl Located {
    /// None where locality is off.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub fn layout(&self) -> Option<&'static Layout> {
        // Acquire: pairs with the Release in `set`; the queues were made before.
        let layout = self.layout.load(Ordering::Acquire);
        // SAFETY: null, or a layout, which is never deallocated.
        unsafe { layout.as_ref() }
    }

    /// Master of a new region: the team's members are seated so.
    pub(crate) fn set(&self, layout: &'static Layout, machine: &Machine) {
        let queue = || (0..machine.topology.len()).map(|_| CachePadded::default()).collect();
        self.queues.get_or_init(queue);
        // Release: pairs with the Acquire in `layout`.
        self.layout.store(std::ptr::from_ref(layout).cast_mut(), Ordering::Release);
    }

    /// All queues.
    pub fn queues(&self) -> impl Iterator<Item = &Queue<TaskRef>> {
        self.queues.get().into_iter().flat_map(|queues| queues.iter().map(|queue| &**queue))
    }

    /// The queue of dealt tasks at a location; none before there is a layout.
    #[inline]
    pub fn queue(&self, location: LocationId) -> Option<&Queue<TaskRef>> {
        self.queues.get().map(|queues| &*queues[location.index()])
    }
}
