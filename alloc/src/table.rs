//! What must be known about an allocation when it is freed or resized.
//!
//! Nothing is written in front of the program's memory, so allocations with a pool, a large
//! alignment, pinned pages or a loud fallback are remembered here by address. All others are not,
//! and freeing them costs one load of a counter that says their shard is empty, or a failed look-up.
//!
//! Protocol: a shard's counter changes under its mutex. A thread that frees memory has been told its
//! address by the thread that allocated it, and so sees the counter at 1 at least if the memory is
//! remembered.
//!
//! Shards are ordered maps, because those can be made in constants and can answer for an address
//! inside an allocation.

use crate::handle::Allocator;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is remembered of one allocation.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) allocator: Arc<Allocator>,
    /// What the program asked for.
    pub(crate) size_bytes: usize,
    /// What the allocator's pool was charged.
    pub(crate) charge_bytes: usize,
    pub(crate) origin: Origin,
}

/// Where an allocation lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// In the C heap.
    Heap,
    /// In pages of its own, so many bytes.
    Pages(usize),
    /// Where [`crate::placed`] put it.
    Placed,
}

const SHARDS: usize = 64;

/// One cache line pair each.
#[repr(align(128))]
struct Shard {
    count: AtomicUsize,
    map: Mutex<BTreeMap<usize, Record>>,
}

pub(crate) struct Table {
    shards: [Shard; SHARDS],
}

impl Table {
    pub(crate) const fn new() -> Table {
        Table { shards: [const { Shard::new() }; SHARDS] }
    }

    pub(crate) fn insert(&self, address: usize, record: Record) {
        let shard = self.shard(address);
        let mut map = shard.lock();
        let before = map.insert(address, record);
        debug_assert!(before.is_none(), "an address was allocated twice");
        // Relaxed: see the protocol; read in `remove`.
        shard.count.store(map.len(), Relaxed);
    }

    pub(crate) fn contains(&self, address: usize) -> bool {
        let shard = self.shard(address);
        // Relaxed: as in `remove`.
        shard.count.load(Relaxed) != 0 && shard.lock().contains_key(&address)
    }

    pub(crate) fn remove(&self, address: usize) -> Option<Record> {
        let shard = self.shard(address);
        // Relaxed: see the protocol; written in `insert`.
        if shard.count.load(Relaxed) == 0 {
            return None;
        }
        let mut map = shard.lock();
        let record = map.remove(&address);
        // Relaxed: see the protocol.
        shard.count.store(map.len(), Relaxed);
        record
    }

    /// The locks of all shards.
    pub(crate) fn quiesced(&self) -> Vec<MutexGuard<'_, BTreeMap<usize, Record>>> {
        self.shards.iter().map(Shard::lock).collect()
    }

    /// Neighbouring blocks, and blocks on neighbouring pages, go to different shards.
    fn shard(&self, address: usize) -> &Shard {
        let mixed = (address >> 4) ^ (address >> 12) ^ (address >> 20);
        &self.shards[mixed % SHARDS]
    }
}

impl Shard {
    const fn new() -> Shard {
        Shard { count: AtomicUsize::new(0), map: Mutex::new(BTreeMap::new()) }
    }

    /// No holder of the mutex panics between changes that belong together.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, Record>> {
        self.map.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
