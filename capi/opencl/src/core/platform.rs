//! The one platform and its one device.

use super::device::Device;
use super::version;
use crate::error::{Error, Result};
use crate::handle::{Kind, Object, Ref};
use crate::info::Reply;
use opencl_sys::*;
use std::sync::LazyLock;

pub struct Platform {
    device: Ref<Device>,
}

impl Object for Platform {
    const KIND: Kind = Kind::Platform;
    const INVALID: cl_int = CL_INVALID_PLATFORM;
}

static PLATFORM: LazyLock<Result<Ref<Platform>>> = LazyLock::new(|| {
    let device = Ref::new(Device::root())?;
    Ref::new(Platform { device })
});

/// The platform; there is none only where there is no memory at all.
pub fn platform() -> Result<&'static Ref<Platform>> {
    PLATFORM.as_ref().map_err(|&error| error)
}

/// The platform that a handle means; programs may pass null for the one there is.
pub fn of(handle: cl_platform_id) -> Result<&'static Ref<Platform>> {
    let platform = platform()?;
    let is_meant = handle.is_null() || handle == platform.handle();
    if is_meant { Ok(platform) } else { Err(Error(CL_INVALID_PLATFORM)) }
}

impl Platform {
    pub fn device(&self) -> &Ref<Device> {
        &self.device
    }

    pub fn info(&self, name: cl_platform_info, reply: Reply) -> Result {
        match name {
            CL_PLATFORM_PROFILE => reply.give_text("FULL_PROFILE"),
            CL_PLATFORM_VERSION => reply.give_text(version::PLATFORM),
            CL_PLATFORM_NAME | CL_PLATFORM_VENDOR => reply.give_text("Vicinity"),
            CL_PLATFORM_EXTENSIONS => {
                reply.give_text(&version::names(version::PLATFORM_EXTENSIONS))
            }
            CL_PLATFORM_HOST_TIMER_RESOLUTION => reply.give(1u64),
            CL_PLATFORM_NUMERIC_VERSION => reply.give(version::OPENCL),
            CL_PLATFORM_EXTENSIONS_WITH_VERSION => {
                reply.give_all(&version::extensions(version::PLATFORM_EXTENSIONS))
            }
            CL_PLATFORM_ICD_SUFFIX_KHR => reply.give_text("VICINITY"),
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }
}

/// Whether a device of these types is wanted; the one there is is a CPU, and the default.
pub fn offers(types: cl_device_type) -> Result<bool> {
    const KNOWN: cl_device_type = CL_DEVICE_TYPE_DEFAULT
        | CL_DEVICE_TYPE_CPU
        | CL_DEVICE_TYPE_GPU
        | CL_DEVICE_TYPE_ACCELERATOR
        | CL_DEVICE_TYPE_CUSTOM;
    if types != CL_DEVICE_TYPE_ALL && (types == 0 || types & !KNOWN != 0) {
        return Err(Error(CL_INVALID_DEVICE_TYPE));
    }
    Ok(types & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT) != 0)
}
