//! The device: the processors that this process may use, or, of a sub-device, some of them.

mod extended;
mod facts;
mod info;
mod partition;

use facts::with_hardware;

pub use extended::MUTABLE_FIELDS;
pub use facts::facts;
pub use info::{ALIGNMENT_BYTES, MOST_ITEMS, PRINTF_BYTES, most_bytes};
pub use partition::Wish;

use crate::handle::{Kind, Object, Ref};
use crate::os::runtime;
use opencl_sys::{CL_INVALID_DEVICE, cl_device_partition_property, cl_int};
use std::sync::OnceLock;

pub struct Device {
    /// Where sub-devices come from.
    parent: Option<Ref<Device>>,
    /// How the program asked for it, as it may ask again; empty for the whole.
    partition: Vec<cl_device_partition_property>,
    /// By the kernel's numbers, neighbours next to each other. As many as it has compute units.
    processors: Vec<u32>,
    /// Found out at the first question.
    locations: OnceLock<Vec<u16>>,
}

impl Object for Device {
    const KIND: Kind = Kind::Device;
    const INVALID: cl_int = CL_INVALID_DEVICE;
}

impl Device {
    fn new(
        parent: Option<Ref<Device>>,
        partition: Vec<cl_device_partition_property>,
        processors: Vec<u32>,
    ) -> Device {
        Device { parent, partition, processors, locations: OnceLock::new() }
    }

    pub fn root() -> Device {
        Device::new(None, Vec::new(), facts().processors.clone())
    }

    /// The whole device is not counted: retaining and releasing it does nothing.
    pub fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    pub fn processors(&self) -> &[u32] {
        &self.processors
    }

    /// Where its commands run, and its memory is.
    pub fn locations(&self) -> &[u16] {
        self.locations.get_or_init(|| match self.is_root() {
            true => runtime::all_locations().collect(),
            false => runtime::locations_of(&self.processors),
        })
    }

    pub fn compute_units(&self) -> u32 {
        self.processors.len() as u32
    }
}
