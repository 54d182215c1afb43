//! Launches in command buffers that may be changed: recorded, changed and asked.
//!
//! Each has a kernel of its own for its arguments, so what they are set by, and what a launch demands, are the functions that all
//! kernels are set and launched by.
//!
//! Source: `cl_khr_command_buffer_mutable_dispatch` 0.9.5.

use super::ends::Ends;
use super::enqueue::{numbers, range, submit_launch, work};
use super::input::{answer, optional_list, pairs, status};
use super::kernel::{argument, ensure_exec_info};
use crate::core::context::Context;
use crate::core::device::MUTABLE_FIELDS;
use crate::core::kernel::{Kernel, Value};
use crate::core::memory::Address;
use crate::error::{Error, Result, ensure};
use crate::handle::Ref;
use crate::info::Reply;
use crate::queue::{CommandBuffer, Dispatch, MutableCommand, Range, SyncPoint, Work};
use opencl_sys::*;
use std::collections::BTreeMap;
use std::ffi::c_void;

/// As the headers of Khronos have it; those of the crate have another number.
pub const BUFFER_ASSERTS: cl_command_buffer_properties_khr = 0x12B7;

pub unsafe extern "C" fn clCommandNDRangeKernelKHR(
    command_buffer: cl_command_buffer_khr,
    queue: cl_command_queue,
    properties: *const cl_command_properties_khr,
    kernel: cl_kernel,
    work_dim: cl_uint,
    global_work_offset: *const usize,
    global_work_size: *const usize,
    local_work_size: *const usize,
    num_sync_points: cl_uint,
    sync_points: *const SyncPoint,
    sync_point: *mut SyncPoint,
    mutable_handle: *mut cl_mutable_command_khr,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says, that of properties with a zero at its end.
        let (ends, list) = unsafe {
            let (count, place) = (num_sync_points, sync_point);
            (Ends::recording(command_buffer, queue, count, sync_points, place)?, pairs(properties))
        };
        let kernel = Ref::<Kernel>::of(kernel)?;
        // SAFETY: the program passes a number for each dimension, or null.
        let range =
            unsafe { range(work_dim, global_work_offset, global_work_size, local_work_size) }?;
        let Ends::Recording { buffer, waits, place } = ends else { return Ok(()) };
        let wishes = Wishes::new(&list)?;
        let asserts = wishes.asserts | buffer.property(BUFFER_ASSERTS);
        ensure(asserts == 0 || range.local.is_some(), CL_INVALID_VALUE)?;
        if list.is_empty() && mutable_handle.is_null() {
            let ends = Ends::Recording { buffer, waits, place };
            return submit_launch(ends, kernel, range, CL_COMMAND_NDRANGE_KERNEL);
        }
        let dispatch = Dispatch {
            own: kernel.cloned()?,
            kernel,
            range,
            fields: wishes.fields.unwrap_or(MUTABLE_FIELDS),
            may_lack_arguments: wishes
                .fields
                .is_some_and(|it| it & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR != 0),
            is_complete: false,
            properties: list,
        };
        let work = work_of(buffer.context(), &dispatch)?;
        let (point, handle) = buffer.record_dispatch(dispatch, work, &waits)?;
        // SAFETY: the program passes places for both, or null.
        unsafe {
            answer(place, point);
            answer(mutable_handle, handle);
        }
        Ok(())
    })
}

/// What the properties of a launch ask for.
struct Wishes {
    fields: Option<cl_mutable_dispatch_fields_khr>,
    asserts: cl_mutable_dispatch_asserts_khr,
}

impl Wishes {
    fn new(list: &[cl_command_properties_khr]) -> Result<Wishes> {
        let (mut fields, mut asserts) = (None, None);
        for &[name, value] in list.as_chunks::<2>().0 {
            let place = match name {
                CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR => {
                    ensure(value & !MUTABLE_FIELDS == 0, CL_INVALID_VALUE)?;
                    &mut fields
                }
                CL_MUTABLE_DISPATCH_ASSERTS_KHR => {
                    ensure_asserts(value)?;
                    &mut asserts
                }
                _ => return Err(Error(CL_INVALID_VALUE)),
            };
            ensure(place.replace(value).is_none(), CL_INVALID_VALUE)?;
        }
        Ok(Wishes { fields, asserts: asserts.unwrap_or(0) })
    }
}

/// The one that there is has no use: a launch may have as many work-groups as it likes.
pub fn ensure_asserts(asserts: cl_mutable_dispatch_asserts_khr) -> Result {
    let known = CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;
    ensure(asserts & !known == 0, CL_INVALID_VALUE)
}

/// What is to be done for a launch; nothing yet, if it lacks arguments and may.
fn work_of(context: &Ref<Context>, dispatch: &Dispatch) -> Result<Option<Work>> {
    match work(context, dispatch.own.clone(), dispatch.range.clone()) {
        Err(Error(CL_INVALID_KERNEL_ARGS)) if dispatch.may_lack_arguments => Ok(None),
        work => work.map(Some),
    }
}

pub unsafe extern "C" fn clUpdateMutableCommandsKHR(
    command_buffer: cl_command_buffer_khr,
    num_configs: cl_uint,
    config_types: *const cl_command_buffer_update_type_khr,
    configs: *const *const c_void,
) -> cl_int {
    status(|| {
        let buffer = Ref::<CommandBuffer>::of(command_buffer)?;
        buffer.ensure_mutable()?;
        let count = num_configs as usize;
        // SAFETY: the program passes lists as long as it says.
        let (types, configs) =
            unsafe { (optional_list(config_types, count)?, optional_list(configs, count)?) };
        let is_dispatch = |&of: &_| of == CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;
        ensure(types.iter().all(is_dispatch), CL_INVALID_VALUE)?;
        ensure(configs.iter().all(|config| !config.is_null()), CL_INVALID_VALUE)?;
        let mut changed = BTreeMap::<u32, (Range, Dispatch)>::new();
        for config in configs {
            // SAFETY: the program passes what the type says.
            let config = unsafe { &*config.cast::<cl_mutable_dispatch_config_khr>() };
            let number = Ref::<MutableCommand>::of(config.command)?.number_in(&buffer)?;
            let (first, before) = match changed.remove(&number) {
                Some(earlier) => earlier,
                None => buffer.dispatch(number).map(|it| (it.range.clone(), it))?,
            };
            // SAFETY: as above.
            changed.insert(number, (first, unsafe { after(before, config) }?));
        }
        let change = |(number, (before, dispatch)): (u32, (Range, Dispatch))| {
            let work = work_of(buffer.context(), &dispatch)?;
            let is_as_uniform = before.is_uniform() == dispatch.range.is_uniform();
            ensure(is_as_uniform, CL_INVALID_OPERATION)?;
            Ok((number, dispatch, work))
        };
        buffer.change(changed.into_iter().map(change).collect::<Result<_>>()?)
    })
}

/// The launch as the program wants it.
///
/// # Safety
/// The lists are as long as they are said to be, and sizes have a number for each dimension.
unsafe fn after(before: Dispatch, config: &cl_mutable_dispatch_config_khr) -> Result<Dispatch> {
    let mut dispatch = before;
    let Range { dimensions, offset, global, local } = &mut dispatch.range;
    let is_same = config.work_dim == 0 || config.work_dim as usize == *dimensions;
    let may = |is_wanted: bool, field| {
        ensure(!is_wanted || dispatch.fields & field != 0, CL_INVALID_OPERATION)
    };
    ensure(is_same, CL_INVALID_OPERATION)?;
    may(!config.global_work_offset.is_null(), CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR)?;
    may(!config.global_work_size.is_null(), CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR)?;
    may(!config.local_work_size.is_null(), CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR)?;
    may(config.num_args > 0 || config.num_svm_args > 0, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR)?;
    may(config.num_exec_infos > 0, CL_MUTABLE_DISPATCH_EXEC_INFO_KHR)?;
    // SAFETY: the caller's promise.
    unsafe {
        *offset = numbers(config.global_work_offset, *dimensions, 0).unwrap_or(*offset);
        *global = numbers(config.global_work_size, *dimensions, 1).unwrap_or(*global);
        *local = numbers(config.local_work_size, *dimensions, 1).or(*local);
        let arguments = optional_list(config.arg_list, config.num_args as usize)?;
        let shared = optional_list(config.arg_svm_list, config.num_svm_args as usize)?;
        let infos = optional_list(config.exec_info_list, config.num_exec_infos as usize)?;
        if !arguments.is_empty() || !shared.is_empty() {
            dispatch.own = dispatch.own.cloned()?;
        }
        for it in arguments {
            dispatch
                .own
                .set_argument(it.arg_index as usize, argument(it.arg_size, it.arg_value)?)?;
        }
        for it in shared {
            let value = Value::Shared(Address::new(it.arg_value));
            dispatch.own.set_argument(it.arg_index as usize, value)?;
        }
        let ensure_info = |it: &cl_mutable_dispatch_exec_info_khr| {
            ensure_exec_info(it.param_name, it.param_value_size, it.param_value)
        };
        infos.iter().try_for_each(ensure_info)?;
    }
    Ok(dispatch)
}

pub unsafe extern "C" fn clGetMutableCommandInfoKHR(
    command: cl_mutable_command_khr,
    name: cl_mutable_command_info_khr,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the program passes room of the size it says.
    let reply = unsafe { Reply::new(size, value, size_ret) };
    status(|| Ref::<MutableCommand>::of(command)?.info(name, reply))
}
