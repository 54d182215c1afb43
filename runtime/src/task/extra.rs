//! `Extra`: what few tasks need, allocated on first use so that the others stay small.

use super::deps::{self, Edge};
use super::exclusive::Lock;
use crate::icv::Icvs;
use crate::locality::dealing::Placement;
use std::sync::Arc;

#[derive(Default)]
pub struct Extra {
    /// Dependences among this task's children.
    pub map: deps::Map,
    /// Edges from predecessors beyond those that the record holds.
    pub edges: Vec<Box<Edge>>,
    /// `mutexinoutset` locks to take before the body, in address order.
    pub locks: Vec<Arc<Lock>>,
    /// How many of `locks` it has, or waits for.
    pub locks_taken: usize,
    /// The data environment's ICVs, once this task has changed one.
    pub icvs: Option<Box<Icvs>>,
    /// Where the data lies, where its alignment exceeds the record's.
    pub data: usize,
    /// What is known of its data, where that could matter.
    pub placement: Option<Box<Placement>>,
    /// Events and copies that must end with the task.
    pub event: Option<Box<super::detach::Event>>,
}
