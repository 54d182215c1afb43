//! Names with versions: of the platform, its extensions, the language and its optional features.

use super::device::facts;
use super::program::il;
use opencl_sys::{CL_NAME_VERSION_MAX_NAME_SIZE, cl_name_version, cl_version};

/// `CL_MAKE_VERSION`.
pub const fn version(major: u32, minor: u32, patch: u32) -> cl_version {
    (major << 22) | (minor << 12) | patch
}

pub const OPENCL: cl_version = version(3, 0, 0);
pub const PLATFORM: &str = concat!("OpenCL 3.0 Vicinity ", env!("CARGO_PKG_VERSION"));
pub const OWN: &str = env!("CARGO_PKG_VERSION");

/// Of OpenCL C, as `-cl-std` takes them. What 2.0 demands of a device beyond 3.0 (pipes, queues on the device)
/// is not here, so it is not in the list, though its language is understood.
pub const LANGUAGES: [cl_version; 4] =
    [version(1, 0, 0), version(1, 1, 0), version(1, 2, 0), version(3, 0, 0)];

/// A name, and of which version.
pub type Extension = (&'static str, cl_version);
const FIRST: cl_version = version(1, 0, 0);

/// Ours: `CL/cl_vicinity.h`.
const DATA_TRANSFER: Extension = ("cl_vicinity_data_transfer", FIRST);

pub const PLATFORM_EXTENSIONS: &[Extension] = &[
    ("cl_khr_icd", FIRST),
    ("cl_khr_extended_versioning", FIRST),
    ("cl_khr_create_command_queue", FIRST),
    ("cl_khr_priority_hints", FIRST),
    ("cl_khr_suggested_local_work_size", FIRST),
    ("cl_khr_throttle_hints", FIRST),
    DATA_TRANSFER,
];

/// Of the device, as far as this machine has what they need.
pub fn device_extensions() -> Vec<Extension> {
    let is_there = |name| match name {
        "cl_khr_fp16" => facts().has_half(),
        "cl_khr_il_program" => il::reader().is_some(),
        _ => true,
    };
    EXTENSIONS.iter().copied().filter(|&(name, _)| is_there(name)).collect()
}

/// The intermediate languages that are understood.
pub fn languages_between() -> Vec<cl_name_version> {
    let versions = il::reader().map_or(&[][..], |_| &il::VERSIONS);
    versions.iter().map(|&version| named("SPIR-V", version)).collect()
}

/// In the order of the alphabet.
const EXTENSIONS: &[Extension] = &[
    ("cl_ext_buffer_device_address", version(1, 0, 2)),
    ("cl_ext_float_atomics", FIRST),
    ("cl_intel_required_subgroup_size", FIRST),
    ("cl_intel_subgroups", FIRST),
    ("cl_intel_unified_shared_memory", version(1, 1, 0)),
    ("cl_khr_3d_image_writes", FIRST),
    ("cl_khr_byte_addressable_store", FIRST),
    ("cl_khr_command_buffer", version(0, 9, 8)),
    ("cl_khr_command_buffer_mutable_dispatch", version(0, 9, 5)),
    ("cl_khr_create_command_queue", FIRST),
    ("cl_khr_depth_images", FIRST),
    ("cl_khr_device_uuid", FIRST),
    ("cl_khr_expect_assume", FIRST),
    ("cl_khr_extended_bit_ops", FIRST),
    ("cl_khr_extended_versioning", FIRST),
    ("cl_khr_fp16", FIRST),
    ("cl_khr_fp64", FIRST),
    ("cl_khr_global_int32_base_atomics", FIRST),
    ("cl_khr_global_int32_extended_atomics", FIRST),
    ("cl_khr_icd", FIRST),
    ("cl_khr_il_program", FIRST),
    ("cl_khr_image2d_from_buffer", FIRST),
    ("cl_khr_int64_base_atomics", FIRST),
    ("cl_khr_int64_extended_atomics", FIRST),
    ("cl_khr_integer_dot_product", version(2, 0, 0)),
    ("cl_khr_local_int32_base_atomics", FIRST),
    ("cl_khr_local_int32_extended_atomics", FIRST),
    ("cl_khr_priority_hints", FIRST),
    ("cl_khr_subgroup_ballot", FIRST),
    ("cl_khr_subgroup_clustered_reduce", FIRST),
    ("cl_khr_subgroup_extended_types", FIRST),
    ("cl_khr_subgroup_non_uniform_arithmetic", FIRST),
    ("cl_khr_subgroup_non_uniform_vote", FIRST),
    ("cl_khr_subgroup_rotate", FIRST),
    ("cl_khr_subgroup_shuffle", FIRST),
    ("cl_khr_subgroup_shuffle_relative", FIRST),
    ("cl_khr_suggested_local_work_size", FIRST),
    ("cl_khr_throttle_hints", FIRST),
    DATA_TRANSFER,
];

/// Optional parts of OpenCL C 3.0; the macros that a kernel sees.
pub const FEATURES: &[&str] = &[
    "__opencl_c_3d_image_writes",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_ext_fp32_global_atomic_add",
    "__opencl_c_ext_fp32_global_atomic_min_max",
    "__opencl_c_ext_fp32_local_atomic_add",
    "__opencl_c_ext_fp32_local_atomic_min_max",
    "__opencl_c_ext_fp64_global_atomic_add",
    "__opencl_c_ext_fp64_global_atomic_min_max",
    "__opencl_c_ext_fp64_local_atomic_add",
    "__opencl_c_ext_fp64_local_atomic_min_max",
    "__opencl_c_fp64",
    "__opencl_c_generic_address_space",
    "__opencl_c_images",
    "__opencl_c_int64",
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_read_write_images",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
];

pub fn named(name: &str, version: cl_version) -> cl_name_version {
    let mut entry = cl_name_version { version, name: [0; CL_NAME_VERSION_MAX_NAME_SIZE] };
    let length = name.len().min(CL_NAME_VERSION_MAX_NAME_SIZE - 1);
    entry.name[..length].copy_from_slice(&name.as_bytes()[..length]);
    entry
}

pub fn extensions(list: &[Extension]) -> Vec<cl_name_version> {
    list.iter().map(|&(name, version)| named(name, version)).collect()
}

/// The names with a blank between them.
pub fn names(list: &[Extension]) -> String {
    list.iter().map(|&(name, _)| name).collect::<Vec<_>>().join(" ")
}

pub fn languages() -> Vec<cl_name_version> {
    LANGUAGES.iter().map(|&version| named("OpenCL C", version)).collect()
}

pub fn features() -> Vec<cl_name_version> {
    FEATURES.iter().map(|name| named(name, OPENCL)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_and_ended() {
        let entry = named(&"x".repeat(100), version(3, 0, 1));
        assert_eq!(entry.version, 0x00c0_0001);
        assert_eq!((entry.name[62], entry.name[63]), (b'x', 0));
    }
}
