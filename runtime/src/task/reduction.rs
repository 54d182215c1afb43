//! Task reductions: who keeps the descriptors that tasks look their private copies up in.
//!
//! Both ABIs describe reductions in memory of their own form; a taskgroup, and a region with a `task`
//! modifier, keeps the address, and inner groups see the descriptors of outer ones.
//! Source: OpenMP 5.2 section 5.5.4 (task reductions).

use super::group::Group;
use crate::thread::Thread;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Descriptors of one taskgroup, in the form of the ABI that registered them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reductions {
    /// 0 if the group has none.
    pub address: usize,
    /// The group belongs to a worksharing construct, which opened it for its reductions alone.
    pub worksharing: bool,
}

/// Descriptors that a whole region shares: of the parallel construct, and of one worksharing construct.
#[derive(Default)]
pub struct Shared([AtomicUsize; 2]);

impl Shared {
    /// The cell of the parallel construct (false) or the worksharing construct (true).
    pub fn cell(&self, worksharing: bool) -> &AtomicUsize {
        &self.0[usize::from(worksharing)]
    }

    /// The region is over. Relaxed: published with the next region's orders.
    pub fn clear(&self) {
        self.0.iter().for_each(|cell| cell.store(0, Ordering::Relaxed));
    }
}

/// The taskgroups around the current task, innermost first.
pub fn groups(thread: &Thread) -> impl Iterator<Item = &'static Group> {
    groups_from(thread.task().group.get())
}

/// A taskgroup and those around it.
pub fn groups_from(group: Option<&Group>) -> impl Iterator<Item = &Group> {
    std::iter::successors(group, |group| group.outer)
}
