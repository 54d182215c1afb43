//! In which order work-items and loop iterations run, decided for each loop of a kernel.
//!
//! Terms: *depth-first* (DFO): one item runs the whole loop before the next item begins; *breadth-first*
//! (BFO): all items run one iteration before the next iteration begins.

pub mod advance;
pub mod again;
pub mod apart;
pub mod approach;
pub mod beside;
pub mod claims;
pub mod crowded;
pub mod decide;
pub mod divergent;
pub mod explain;
pub mod insert;
pub mod lockstep;
pub mod muster;
#[cfg(test)]
mod nests;
pub mod paper;
pub mod plan;
pub mod seldom;
pub mod tally;
pub mod wish;
pub mod worth;

pub use advance::advance;
pub use decide::{Decision, Order, Reason, Vectors, decide};
pub use insert::insert_steps;
pub use lockstep::lockstep;
pub use muster::muster;
pub use plan::Plan;
pub use tally::Tally;
pub use wish::Wish;
