//! From a kernel to the function that runs work-groups of it.

pub(crate) mod absent;
pub(crate) mod arguments;
pub(crate) mod carried;
pub mod chunks;
pub mod crossing;
pub(crate) mod cuts;
pub mod groups;
pub mod ids;
pub mod items;
pub mod launch;
pub mod local;
pub(crate) mod long_quotients;
pub(crate) mod maker;
pub mod memory;
pub mod quotients;
pub mod reference;
pub mod regions;
pub mod sections;
pub mod slots;
pub mod storage;
pub(crate) mod ways;
pub mod workgroup;
