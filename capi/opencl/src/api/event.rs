//! Events.

use super::input::{created, list, objects, status};
use crate::core::context::Context;
use crate::core::memory::Address;
use crate::error::{Error, Result, ensure};
use crate::handle::Ref;
use crate::info::Reply;
use crate::queue::Event;
use opencl_sys::*;
use std::ffi::c_void;

type Notify = Option<
    unsafe extern "C" fn(event: cl_event, event_command_status: cl_int, user_data: *mut c_void),
>;

pub unsafe extern "C" fn clWaitForEvents(
    num_events: cl_uint,
    event_list: *const cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes as many events as it says.
        let events = objects::<Event>(unsafe { list(event_list, num_events as usize) }?)?;
        let context = events[0].context();
        ensure(events.iter().all(|event| event.context().is(context)), CL_INVALID_CONTEXT)?;
        Event::wait_for_all(&events)
    })
}

pub unsafe extern "C" fn clGetEventInfo(
    event: cl_event,
    name: cl_event_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the program passes room of the size it says.
    let reply = unsafe { Reply::new(size, value, size_ret) };
    status(|| Ref::<Event>::of(event)?.info(name, reply))
}

pub unsafe extern "C" fn clGetEventProfilingInfo(
    event: cl_event,
    name: cl_profiling_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the program passes room of the size it says.
    let reply = unsafe { Reply::new(size, value, size_ret) };
    status(|| Ref::<Event>::of(event)?.profile(name, reply))
}

pub unsafe extern "C" fn clRetainEvent(event: cl_event) -> cl_int {
    status(|| Ref::<Event>::retain(event))
}

pub unsafe extern "C" fn clReleaseEvent(event: cl_event) -> cl_int {
    status(|| Ref::<Event>::release(event))
}

pub unsafe extern "C" fn clCreateUserEvent(
    context: cl_context,
    errcode_ret: *mut cl_int,
) -> cl_event {
    let create = || Event::user(Ref::<Context>::of(context)?);
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(create(), errcode_ret) }
}

pub unsafe extern "C" fn clSetUserEventStatus(event: cl_event, execution_status: cl_int) -> cl_int {
    status(|| Ref::<Event>::of(event)?.set_status(execution_status))
}

pub unsafe extern "C" fn clSetEventCallback(
    event: cl_event,
    command_exec_callback_type: cl_int,
    pfn_notify: Notify,
    user_data: *mut c_void,
) -> cl_int {
    status(|| {
        let data = Address::new(user_data);
        let event = Ref::<Event>::of(event)?;
        let call = pfn_notify.ok_or(Error(CL_INVALID_VALUE))?;
        let is_known =
            [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE].contains(&command_exec_callback_type);
        ensure(is_known, CL_INVALID_VALUE)?;
        // SAFETY: the program's function, with what it asked for.
        let notify = move |event: &Ref<Event>, status| unsafe {
            call(event.handle(), status, data.pointer().cast());
        };
        event.on(command_exec_callback_type, Box::new(notify))
    })
}

/// A list of events to wait for, of the same context as the queue.
///
/// # Safety
/// `events` is null, or points to as many handles as `count` says.
pub unsafe fn wait_list(
    context: &Ref<Context>,
    count: cl_uint,
    events: *const cl_event,
) -> Result<Vec<Ref<Event>>> {
    if events.is_null() && count == 0 {
        return Ok(Vec::new());
    }
    let invalid = Error(CL_INVALID_EVENT_WAIT_LIST);
    // SAFETY: the caller's promise.
    let handles = unsafe { list(events, count as usize) }.map_err(|_| invalid)?;
    let events = objects::<Event>(handles).map_err(|_| invalid)?;
    let is_same = events.iter().all(|event| event.context().is(context));
    ensure(is_same, CL_INVALID_CONTEXT)?;
    Ok(events)
}
