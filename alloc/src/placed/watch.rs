//! Watching whether the kernel keeps to what it was asked: nodes that are full, policies it refuses.
//!
//! Pages prefer their node and go elsewhere when it is full, silently, at the moment they are touched. The
//! kernel counts such pages for each node (`numa_foreign`). The counts are read whenever memory is mapped,
//! that is at most once for 64 MiB; when one has grown, or a policy was refused, placement is *in doubt*
//! from then on: the side table is no longer believed, the kernel is asked where pages are.
//!
//! Every reason is said once.

use super::sites::Sites;
use crate::os::numa;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where a line for the user goes.
pub type Report = fn(&str);

#[derive(Debug)]
pub struct Watch {
    report: Report,
    /// Displaced pages of each site's node when the watch began.
    displaced: Vec<u64>,
    /// Relaxed, all three: they change once, and nothing else is published with them.
    doubt: AtomicBool,
    said_full: AtomicBool,
    said_refused: AtomicBool,
}

impl Watch {
    pub fn new(sites: &Sites, report: Report) -> Watch {
        let displaced =
            sites.nodes().iter().map(|&node| numa::displaced_pages(node).unwrap_or(u64::MAX));
        Watch {
            report,
            displaced: displaced.collect(),
            doubt: AtomicBool::new(false),
            said_full: AtomicBool::new(false),
            said_refused: AtomicBool::new(false),
        }
    }

    /// Whether pages may be elsewhere than the side table says.
    #[inline]
    pub fn in_doubt(&self) -> bool {
        self.doubt.load(Ordering::Relaxed)
    }

    /// Looks whether a node has been full since the last look.
    pub fn look(&self, sites: &Sites) {
        for (&node, &before) in sites.nodes().iter().zip(&self.displaced) {
            if numa::displaced_pages(node).is_some_and(|now| now > before) {
                self.full(node);
            }
        }
    }

    /// Looks whether a node has room for what is about to be mapped.
    pub fn expect(&self, node: u32, bytes: u64) {
        if numa::free_bytes(node).is_some_and(|free| free < bytes) {
            self.full(node);
        }
    }

    fn full(&self, node: u32) {
        self.doubt.store(true, Ordering::Relaxed);
        if !self.said_full.swap(true, Ordering::Relaxed) {
            (self.report)(&format!(
                "NUMA node {node} has too little free memory: part of what belongs there is on other nodes"
            ));
        }
    }

    /// The kernel would not bind memory.
    pub fn refused(&self) {
        self.doubt.store(true, Ordering::Relaxed);
        if !self.said_refused.swap(true, Ordering::Relaxed) {
            (self.report)(
                "the system does not let this process choose NUMA nodes (mbind): memory is where it is first touched",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use vicinity_policy::topology::LocationId;

    static LINES: AtomicUsize = AtomicUsize::new(0);

    fn count(_: &str) {
        LINES.fetch_add(1, Ordering::Relaxed);
    }

    #[test]
    fn says_each_reason_once() {
        let sites = Sites::enforced([(LocationId(0), 0)]);
        let watch = Watch::new(&sites, count);
        watch.look(&sites);
        watch.expect(0, 0);
        assert!(!watch.in_doubt());
        for _ in 0..3 {
            watch.refused();
            watch.full(0);
        }
        assert!(watch.in_doubt());
        assert_eq!(LINES.load(Ordering::Relaxed), 2);
    }
}
