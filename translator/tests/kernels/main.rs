//! Kernels translated, loaded and run as the driver does.

mod addresses;
mod barriers;
mod builtins;
mod complete;
mod conversions;
mod corpus;
mod declared;
mod first_and_last;
mod groups;
mod guarded;
mod integers;
mod limits;
mod members;
mod names;
mod orders;
mod parts;
mod periods;
mod plain;
mod prints;
mod program;
mod random;
mod reduced;
mod shared_loops;
mod sums;
mod told;
mod words;
