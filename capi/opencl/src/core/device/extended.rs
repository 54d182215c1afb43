//! What a device answers about extensions.
//!
//! Sources: `cl_ext_float_atomics`, `cl_intel_unified_shared_memory`, `cl_khr_command_buffer`, `cl_khr_command_buffer_mutable_dispatch`, `cl_khr_device_uuid`,
//! `cl_khr_integer_dot_product`.

#![allow(non_upper_case_globals)]

use super::facts;
use super::info::QUEUES;
use crate::core::version;
use crate::error::{Error, Result};
use crate::info::Reply;
use opencl_sys::*;
use sha2::{Digest, Sha256};

const CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT: cl_device_info = 0x4231;
const CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT: cl_device_info = 0x4232;
const CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT: cl_device_info = 0x4233;
/// Load, store and exchange; addition and subtraction; minimum and maximum: in global memory.
const GLOBAL_FP_ATOMICS: cl_bitfield = 0b111;
/// All of it, in local memory, too.
const FP_ATOMICS: cl_bitfield = GLOBAL_FP_ATOMICS | GLOBAL_FP_ATOMICS << 16;
/// From `CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL` to `CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL`.
const FIRST_USM_CAPABILITIES: cl_device_info = 0x4190;
const LAST_USM_CAPABILITIES: cl_device_info = 0x4194;
/// Access, atomic access, both at the same time as the host.
const USM: cl_bitfield = 0b1111;

/// What may be changed of a recorded launch: all there is.
pub const MUTABLE_FIELDS: cl_mutable_dispatch_fields_khr = CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
    | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
    | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;

pub fn info(name: cl_device_info, reply: Reply) -> Result {
    match name {
        CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT
        | CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT => reply.give(FP_ATOMICS),
        CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT => reply.give::<cl_bitfield>(0),
        FIRST_USM_CAPABILITIES..=LAST_USM_CAPABILITIES => reply.give(USM),
        CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR => reply.give(
            CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR
                | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR,
        ),
        CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR => {
            reply.give::<cl_command_queue_properties>(0)
        }
        CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR => reply.give(MUTABLE_FIELDS),
        CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR => reply.give(QUEUES),
        CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR => reply.give(
            CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR
                | CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR,
        ),
        // No kind of it is said to be faster than the products one by one.
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR
        | CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR => {
            reply.give([CL_FALSE; 6])
        }
        CL_DEVICE_UUID_KHR => {
            let facts = facts();
            let features =
                facts.features.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
            reply.give(uuid(&[
                b"device",
                facts.vendor.as_bytes(),
                facts.name.as_bytes(),
                &features,
            ]))
        }
        CL_DRIVER_UUID_KHR => reply.give(uuid(&[b"driver", version::OWN.as_bytes()])),
        CL_DEVICE_LUID_VALID_KHR => reply.give_bool(false),
        CL_DEVICE_LUID_KHR => reply.give([0u8; CL_LUID_SIZE_KHR]),
        CL_DEVICE_NODE_MASK_KHR => reply.give(0u32),
        _ => Err(Error(CL_INVALID_VALUE)),
    }
}

/// A universal number (RFC 9562, version 8) for what these parts are, the same in every process.
fn uuid(parts: &[&[u8]]) -> [u8; 16] {
    let hash = parts.iter().fold(Sha256::new_with_prefix("Vicinity"), |hash, part| {
        hash.chain_update((part.len() as u64).to_le_bytes()).chain_update(part)
    });
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_other_things_are_others() {
        let one = uuid(&[b"device", b"a", b"bc"]);
        assert_eq!(one, uuid(&[b"device", b"a", b"bc"]));
        assert_ne!(one, uuid(&[b"device", b"ab", b"c"]));
        assert_eq!((one[6] >> 4, one[8] >> 6), (8, 2));
    }
}
