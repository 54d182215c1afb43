//! What a device answers about itself.
//!
//! Source: OpenCL 3.0 API, table 5. Of what is not offered (pipes, queues on the device),
//! sizes and numbers are 0, as the table says.

use super::{Device, extended, facts};
use crate::core::{image, platform, version};
use crate::error::Result;
use crate::handle::Ref;
use crate::info::Reply;
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr;

impl Ref<Device> {
    pub fn info(&self, name: cl_device_info, reply: Reply) -> Result {
        match name {
            CL_DEVICE_TYPE => reply.give(CL_DEVICE_TYPE_CPU),
            CL_DEVICE_MAX_COMPUTE_UNITS => reply.give(self.compute_units()),
            CL_DEVICE_PLATFORM => reply.give(platform::platform()?.handle()),
            CL_DEVICE_REFERENCE_COUNT => {
                reply.give(if self.is_root() { 1 } else { self.references() })
            }
            CL_DEVICE_PARENT_DEVICE => {
                reply.give(self.parent.as_ref().map_or(ptr::null_mut::<c_void>(), Ref::handle))
            }
            CL_DEVICE_PARTITION_MAX_SUB_DEVICES => reply.give(self.most_sub_devices()),
            CL_DEVICE_PARTITION_PROPERTIES => reply.give_all(&self.ways_to_divide()),
            CL_DEVICE_PARTITION_AFFINITY_DOMAIN => reply.give(self.affinity_domains()),
            CL_DEVICE_PARTITION_TYPE => reply.give_all(&self.partition),
            _ => identity(name, reply),
        }
    }
}

/// The most work-items of a work-group.
pub const MOST_ITEMS: usize = 4096;

/// How many items a kernel may require its sub-groups to have.
const REQUIRED_SUB_GROUP_SIZES: [usize; 3] = [8, 16, 32];
/// Of the largest data type, `long16`: what memory objects begin at.
pub const ALIGNMENT_BYTES: usize = 128;
/// Of a kernel's arguments together.
const MOST_ARGUMENT_BYTES: usize = 4096;
const MOST_CONSTANT_ARGUMENTS: u32 = 64;
const MOST_VARIABLE_BYTES: usize = 1 << 20;
/// Text is printed as it comes; the number that the specification demands at least. No conversion gives more.
pub const PRINTF_BYTES: usize = 1 << 20;
const CACHE_LINE_BYTES: u32 = 64;

const SINGLE: cl_device_fp_config = CL_FP_DENORM
    | CL_FP_INF_NAN
    | CL_FP_ROUND_TO_NEAREST
    | CL_FP_ROUND_TO_ZERO
    | CL_FP_ROUND_TO_INF
    | CL_FP_FMA
    | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
const DOUBLE: cl_device_fp_config = CL_FP_DENORM
    | CL_FP_INF_NAN
    | CL_FP_ROUND_TO_NEAREST
    | CL_FP_ROUND_TO_ZERO
    | CL_FP_ROUND_TO_INF
    | CL_FP_FMA;
const HALF: cl_device_fp_config = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA;
const SVM: cl_device_svm_capabilities = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER
    | CL_DEVICE_SVM_FINE_GRAIN_BUFFER
    | CL_DEVICE_SVM_FINE_GRAIN_SYSTEM
    | CL_DEVICE_SVM_ATOMICS;
const ATOMICS: cl_device_atomic_capabilities = CL_DEVICE_ATOMIC_ORDER_RELAXED
    | CL_DEVICE_ATOMIC_ORDER_ACQ_REL
    | CL_DEVICE_ATOMIC_ORDER_SEQ_CST
    | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
    | CL_DEVICE_ATOMIC_SCOPE_DEVICE
    | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
pub const QUEUES: cl_command_queue_properties =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

/// The largest memory object.
pub fn most_bytes() -> u64 {
    facts().memory_bytes / 2
}

fn identity(name: cl_device_info, reply: Reply) -> Result {
    match name {
        CL_DEVICE_NAME => reply.give_text(&facts().name),
        CL_DEVICE_VENDOR => reply.give_text(&facts().vendor),
        CL_DEVICE_VENDOR_ID => reply.give(vendor_number(&facts().vendor)),
        CL_DRIVER_VERSION => reply.give_text(version::OWN),
        CL_DEVICE_PROFILE => reply.give_text("FULL_PROFILE"),
        CL_DEVICE_VERSION => reply.give_text(version::PLATFORM),
        CL_DEVICE_NUMERIC_VERSION => reply.give(version::OPENCL),
        CL_DEVICE_OPENCL_C_VERSION => reply.give_text("OpenCL C 1.2 Vicinity"),
        CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR => reply.give(version::version(1, 2, 0)),
        CL_DEVICE_OPENCL_C_ALL_VERSIONS => reply.give_all(&version::languages()),
        CL_DEVICE_OPENCL_C_FEATURES => reply.give_all(&version::features()),
        CL_DEVICE_EXTENSIONS => reply.give_text(&version::names(&version::device_extensions())),
        CL_DEVICE_EXTENSIONS_WITH_VERSION => {
            reply.give_all(&version::extensions(&version::device_extensions()))
        }
        CL_DEVICE_IL_VERSION => {
            let versions = version::languages_between();
            let minor = |it: &cl_name_version| it.version >> 12 & 0x3ff;
            let names = versions.iter().map(|it| format!("SPIR-V_1.{}", minor(it)));
            reply.give_text(&names.collect::<Vec<_>>().join(" "))
        }
        CL_DEVICE_ILS_WITH_VERSION => reply.give_all(&version::languages_between()),
        CL_DEVICE_BUILT_IN_KERNELS | CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => {
            reply.give_text("")
        }
        CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION => reply.give_all::<cl_name_version>(&[]),
        _ => abilities(name, reply),
    }
}

/// By the list of vendors on the PCI bus, as the specification has it.
fn vendor_number(vendor: &str) -> cl_uint {
    match vendor {
        "GenuineIntel" => 0x8086,
        "AuthenticAMD" => 0x1022,
        _ => 0,
    }
}

fn abilities(name: cl_device_info, reply: Reply) -> Result {
    match name {
        CL_DEVICE_ERROR_CORRECTION_SUPPORT
        | CL_DEVICE_PIPE_SUPPORT
        | CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => reply.give_bool(false),
        CL_DEVICE_IMAGE_SUPPORT
        | CL_DEVICE_ENDIAN_LITTLE
        | CL_DEVICE_AVAILABLE
        | CL_DEVICE_COMPILER_AVAILABLE
        | CL_DEVICE_LINKER_AVAILABLE
        | CL_DEVICE_HOST_UNIFIED_MEMORY
        | CL_DEVICE_PREFERRED_INTEROP_USER_SYNC
        | CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT
        | CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT
        | CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => reply.give_bool(true),
        CL_DEVICE_EXECUTION_CAPABILITIES => reply.give(CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL),
        CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => reply.give(QUEUES),
        CL_DEVICE_SVM_CAPABILITIES => reply.give(SVM),
        CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES => reply.give(ATOMICS),
        CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => {
            reply.give(ATOMICS | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM)
        }
        CL_DEVICE_SINGLE_FP_CONFIG => reply.give(SINGLE),
        CL_DEVICE_DOUBLE_FP_CONFIG => reply.give(DOUBLE),
        CL_DEVICE_HALF_FP_CONFIG => reply.give(if facts().has_half() { HALF } else { 0 }),
        CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES | CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => {
            reply.give(0u64)
        }
        _ => sizes(name, reply),
    }
}

fn sizes(name: cl_device_info, reply: Reply) -> Result {
    let facts = facts();
    match name {
        CL_DEVICE_MAX_CLOCK_FREQUENCY => reply.give(facts.clock_mhz),
        CL_DEVICE_ADDRESS_BITS => reply.give(usize::BITS),
        CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => reply.give(3u32),
        CL_DEVICE_MAX_WORK_GROUP_SIZE => reply.give(MOST_ITEMS),
        CL_DEVICE_MAX_WORK_ITEM_SIZES => reply.give_all(&[MOST_ITEMS; 3]),
        CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
            reply.give(facts.vector_bytes as usize / size_of::<cl_float>())
        }
        CL_DEVICE_MAX_MEM_ALLOC_SIZE | CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => {
            reply.give(most_bytes())
        }
        CL_DEVICE_GLOBAL_MEM_SIZE => reply.give(facts.memory_bytes),
        CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => reply.give(CL_READ_WRITE_CACHE),
        CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => reply.give(CACHE_LINE_BYTES),
        CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => {
            reply.give(facts.caches.last().map_or(0, |cache| cache.bytes))
        }
        CL_DEVICE_LOCAL_MEM_TYPE => reply.give(CL_GLOBAL),
        CL_DEVICE_LOCAL_MEM_SIZE => reply.give(facts.local_bytes()),
        CL_DEVICE_MAX_CONSTANT_ARGS => reply.give(MOST_CONSTANT_ARGUMENTS),
        CL_DEVICE_MAX_PARAMETER_SIZE => reply.give(MOST_ARGUMENT_BYTES),
        CL_DEVICE_MEM_BASE_ADDR_ALIGN => reply.give(ALIGNMENT_BYTES as cl_uint * 8),
        CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => reply.give(ALIGNMENT_BYTES as cl_uint),
        CL_DEVICE_PROFILING_TIMER_RESOLUTION => reply.give(1usize),
        CL_DEVICE_PRINTF_BUFFER_SIZE => reply.give(PRINTF_BYTES),
        CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE | CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => {
            reply.give(MOST_VARIABLE_BYTES)
        }
        // Natural alignment will do.
        CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
        | CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT
        | CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => reply.give(0u32),
        _ => images(name, reply),
    }
}

/// What there may be of images, which are memory like other memory: as much as other devices have.
fn images(name: cl_device_info, reply: Reply) -> Result {
    match name {
        CL_DEVICE_IMAGE2D_MAX_WIDTH | CL_DEVICE_IMAGE2D_MAX_HEIGHT => reply.give(image::MOST_2D),
        CL_DEVICE_IMAGE3D_MAX_WIDTH
        | CL_DEVICE_IMAGE3D_MAX_HEIGHT
        | CL_DEVICE_IMAGE3D_MAX_DEPTH => reply.give(image::MOST_3D),
        CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => reply.give(image::MOST_OF_BUFFER),
        CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => reply.give(image::MOST_LAYERS),
        CL_DEVICE_MAX_READ_IMAGE_ARGS => reply.give(128u32),
        CL_DEVICE_MAX_WRITE_IMAGE_ARGS | CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => reply.give(64u32),
        CL_DEVICE_MAX_SAMPLERS => reply.give(16u32),
        // Of images in buffers, in elements: any pitch and any address will do.
        CL_DEVICE_IMAGE_PITCH_ALIGNMENT | CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => {
            reply.give(1u32)
        }
        _ => vectors(name, reply),
    }
}

/// Work-items are what is put into vectors, so vectors in the source are not preferred.
fn vectors(name: cl_device_info, reply: Reply) -> Result {
    let lanes = |bytes: u32| facts().vector_bytes / bytes;
    match name {
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE => reply.give(1u32),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF => reply.give(u32::from(facts().has_half())),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => {
            reply.give(if facts().has_half() { lanes(2) } else { 0 })
        }
        CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR => reply.give(lanes(1)),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT => reply.give(lanes(2)),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_INT | CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => {
            reply.give(lanes(4))
        }
        CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG | CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => {
            reply.give(lanes(8))
        }
        _ => not_offered(name, reply),
    }
}

fn not_offered(name: cl_device_info, reply: Reply) -> Result {
    match name {
        CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE
        | CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE
        | CL_DEVICE_MAX_ON_DEVICE_QUEUES
        | CL_DEVICE_MAX_ON_DEVICE_EVENTS
        | CL_DEVICE_MAX_PIPE_ARGS
        | CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS
        | CL_DEVICE_PIPE_MAX_PACKET_SIZE => reply.give(0u32),
        // Those of one item.
        CL_DEVICE_MAX_NUM_SUB_GROUPS => reply.give(MOST_ITEMS as cl_uint),
        CL_DEVICE_SUB_GROUP_SIZES_INTEL => reply.give_all(&REQUIRED_SUB_GROUP_SIZES),
        _ => extended::info(name, reply),
    }
}
