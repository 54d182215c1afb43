//! Contexts: the devices that objects are for, and the memory shared with them.

use super::device::Device;
use crate::error::{Error, Result, ensure};
use crate::handle::{Kind, Name, Object, Ref};
use crate::info::Reply;
use crate::os::runtime;
use crate::queue::Queue;
use opencl_sys::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

pub struct Context {
    devices: Vec<Ref<Device>>,
    /// As the program passed them, with the zero that ends them; empty if it passed none.
    properties: Vec<cl_context_properties>,
    last_calls: Mutex<Vec<LastCall>>,
    /// How many allocations were placed.
    turn: AtomicUsize,
    /// Those that live are among them.
    queues: Mutex<Vec<Name<Queue>>>,
}

/// A function of the program that is to be called when an object goes.
pub struct LastCall(Box<dyn FnOnce() + Send>);

impl LastCall {
    pub fn new(call: impl FnOnce() + Send + 'static) -> LastCall {
        LastCall(Box::new(call))
    }

    /// In the reverse order of registration, as the specification has it.
    pub fn make_all(calls: &mut Vec<LastCall>) {
        while let Some(LastCall(call)) = calls.pop() {
            call();
        }
    }
}

impl Object for Context {
    const KIND: Kind = Kind::Context;
    const INVALID: cl_int = CL_INVALID_CONTEXT;
}

impl Context {
    /// `properties` in pairs, the zero at the end included.
    pub fn new(
        devices: Vec<Ref<Device>>,
        properties: Vec<cl_context_properties>,
    ) -> Result<Ref<Context>> {
        ensure(!devices.is_empty(), CL_INVALID_VALUE)?;
        let (last_calls, turn, queues) = (Mutex::default(), AtomicUsize::new(0), Mutex::default());
        Ref::new(Context { devices, properties, last_calls, turn, queues })
    }

    pub fn devices(&self) -> &[Ref<Device>] {
        &self.devices
    }

    /// Where its next memory is to be: at one of its devices' locations after the other. `None` if they have all there
    /// are.
    pub fn place(&self) -> Option<u16> {
        self.next_place(&self.devices)
    }

    /// The same for memory that is meant for one of them, if it is known for which.
    pub fn place_for(&self, device: Option<&Ref<Device>>) -> Option<u16> {
        self.next_place(device.map_or(&self.devices[..], std::slice::from_ref))
    }

    fn next_place(&self, devices: &[Ref<Device>]) -> Option<u16> {
        let has = |location: &u16| devices.iter().any(|it| it.locations().contains(location));
        if devices.iter().any(|device| device.is_root())
            || runtime::all_locations().all(|it| has(&it))
        {
            return None;
        }
        let own: Vec<u16> = runtime::all_locations().filter(has).collect();
        // Relaxed: a number.
        own.get(self.turn.fetch_add(1, Ordering::Relaxed) % own.len().max(1)).copied()
    }

    /// An error unless the device is one of the context's, or part of one.
    pub fn ensure_device(&self, device: &Ref<Device>) -> Result {
        let is_own = self.devices.iter().any(|own| own.is(device));
        ensure(is_own, CL_INVALID_DEVICE)
    }

    /// A queue is there that was not.
    pub fn add_queue(&self, queue: Name<Queue>) {
        let mut queues = self.queues();
        if queues.len() == queues.capacity() {
            queues.retain(|queue| queue.object().is_ok());
        }
        queues.push(queue);
    }

    /// Returns when all commands are finished that are in its queues now.
    pub fn finish(&self) -> Result {
        let queues: Vec<Name<Queue>> = self.queues().clone();
        queues.into_iter().filter_map(|queue| queue.object().ok()).try_for_each(|it| it.finish())
    }

    fn queues(&self) -> MutexGuard<'_, Vec<Name<Queue>>> {
        self.queues.lock().unwrap_or_else(|held| held.into_inner())
    }

    pub fn before_the_end(&self, call: LastCall) {
        self.last_calls.lock().unwrap_or_else(|held| held.into_inner()).push(call);
    }
}

impl Ref<Context> {
    pub fn info(&self, name: cl_context_info, reply: Reply) -> Result {
        match name {
            CL_CONTEXT_REFERENCE_COUNT => reply.give(self.references()),
            CL_CONTEXT_NUM_DEVICES => reply.give(self.devices.len() as cl_uint),
            CL_CONTEXT_DEVICES => {
                let handles: Vec<*mut c_void> = self.devices.iter().map(Ref::handle).collect();
                reply.give_all(&handles)
            }
            CL_CONTEXT_PROPERTIES => reply.give_all(&self.properties),
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        LastCall::make_all(self.last_calls.get_mut().unwrap_or_else(|held| held.into_inner()));
    }
}
