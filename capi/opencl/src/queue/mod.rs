//! Queues, commands and events: a graph of tasks that the workers of `libvicinity.so.1` run.
//!
//! The entry points make a `Command` of what the program asks for, checked and complete; `Queue::submit` takes it into
//! the graph.
//!
//! Terms: the *graph* has a node for each command that is not finished, its `Event`, and an edge from each command to those
//! that must wait for it: because their wait lists name it, or because of the order of their queue. An in-order
//! queue is a chain; in an out-of-order queue commands wait for the last barrier, and barriers and markers without a
//! wait list for all commands before them.
//!
//! - `event`: nodes, edges, states; `asked`: who waits for them; `run`: what a worker does with a command that is ready; `command`: what commands
//!   are; `launch`: kernels as ranges of work-groups, `code`: what runs them; `grain`, `size`: how large blocks and work-groups are;
//!   `hand_out`: blocks to workers; `spot`: what the program's thread does itself; `part`: where they run; `reduce`: sums of one block; `footprint`: what they touch; `specialize`: code for one local size, `favourites`: for which, `special` and `contest`: which of two; `scratch`; `copy`, `fill`, `stream`.
//! - `file`: bytes to and from files; `messages`: those of MPI; `outside`: commands that no worker carries out.
//! - `recording`: command buffers; `draft`, `graph`: what is recorded, `dispatch`: may be changed, `replay`: is carried out as one command.
//!
//! Invariants: 1. A command is handed to the workers when its last predecessor is finished, not before: so a worker
//! never waits. 2. Nothing waits for a flush: commands start as soon as they may.
//! Source: OpenCL 3.0 API, 3.2.4 and 5.11 to 5.14 (queues, events, order).

mod asked;
mod code;
mod command;
mod contest;
mod copy;
mod dispatch;
mod draft;
mod event;
mod favourites;
mod file;
mod fill;
mod footprint;
mod grain;
mod graph;
mod hand_out;
mod launch;
mod messages;
mod outside;
mod part;
mod recording;
mod reduce;
mod replay;
mod run;
mod scratch;
mod size;
mod special;
mod specialize;
mod spot;
mod stream;
mod walk;

pub use command::{Command, Copy, Fill, Launch, Native, Replay, Shape, Work};
pub use dispatch::{Dispatch, MutableCommand};
pub use draft::SyncPoint;
pub use event::Event;
pub use file::{FileTransfer, Place};
pub use launch::Range;
pub use messages::{Message, request};
pub use recording::CommandBuffer;

use crate::core::context::Context;
use crate::core::device::Device;
use crate::error::{Error, Result, ensure};
use crate::handle::{Kind, Object, Ref};
use crate::info::Reply;
use crate::os::clock::now_ns;
use crate::os::runtime;
use crossbeam_utils::CachePadded;
use grain::Cost;
use opencl_sys::*;
use run::Job;
use size::Chosen;
use specialize::Specializations;
use spot::Pace;
use std::ptr;
use std::sync::{Mutex, MutexGuard};

/// What was learned of a kernel by running it.
#[derive(Default)]
pub struct Tuning {
    cost: Cost,
    chosen: Mutex<Chosen>,
    specializations: Specializations,
}

impl Tuning {
    fn chosen(&self) -> MutexGuard<'_, Chosen> {
        self.chosen.lock().unwrap_or_else(|held| held.into_inner())
    }
}

pub struct Queue {
    context: Ref<Context>,
    device: Ref<Device>,
    properties: cl_command_queue_properties,
    /// As the program passed them, with the zero that ends them; empty if it passed none.
    list: Vec<cl_queue_properties>,
    /// Padded: enqueuers change it, and workers read the rest.
    order: CachePadded<Mutex<Order>>,
}

/// What the next command may have to wait for.
#[derive(Default)]
struct Order {
    /// Out of order: commands that are not finished.
    unfinished: usize,
    /// In order: the last command, unless it is finished. Out of order: the last barrier.
    last: Option<Ref<Event>>,
    /// Out of order: other commands; all that are not finished are among them.
    others: Vec<Ref<Event>>,
    pace: Pace,
}

impl Object for Queue {
    const KIND: Kind = Kind::Queue;
    const INVALID: cl_int = CL_INVALID_COMMAND_QUEUE;
}

impl Queue {
    pub fn new(
        context: Ref<Context>,
        device: Ref<Device>,
        properties: cl_command_queue_properties,
        list: Vec<cl_queue_properties>,
    ) -> Result<Ref<Queue>> {
        ensure(runtime::is_there(), CL_OUT_OF_RESOURCES)?;
        let order = CachePadded::default();
        let queue = Ref::new(Queue { context, device, properties, list, order })?;
        queue.context.add_queue(queue.name());
        Ok(queue)
    }

    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    pub fn device(&self) -> &Ref<Device> {
        &self.device
    }

    pub fn properties(&self) -> cl_command_queue_properties {
        self.properties
    }

    fn is_profiled(&self) -> bool {
        self.properties & CL_QUEUE_PROFILING_ENABLE != 0
    }

    fn is_in_order(&self) -> bool {
        self.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0
    }

    fn order(&self) -> MutexGuard<'_, Order> {
        self.order.lock().unwrap_or_else(|held| held.into_inner())
    }

    /// One of its commands is finished; `is_followed`: another waits for it because of the queue's order, and is not the last
    /// one then.
    fn finished(&self, event: &Ref<Event>, is_followed: bool) {
        let is_in_order = self.is_in_order();
        if is_in_order && is_followed {
            return;
        }
        let mut order = self.order();
        let is_idle = if is_in_order {
            order.last.as_ref().is_some_and(|last| last.is(event))
        } else {
            order.unfinished -= 1;
            order.unfinished == 0
        };
        let gone = is_idle.then(|| (order.last.take(), std::mem::take(&mut order.others)));
        // What is dropped may be the last reference to an event, so not within the lock.
        drop(order);
        drop(gone);
    }

    /// The program waits for one of its commands.
    fn waited(&self) {
        self.order().pace.waited();
    }

    /// Commands have been handed over when they came in.
    pub fn flush(&self) -> Result {
        Ok(())
    }

    /// Returns when all commands are finished, running some meanwhile.
    pub fn finish(&self) -> Result {
        let events: Vec<Ref<Event>> = {
            let mut order = self.order();
            order.pace.waited();
            order.others.iter().chain(&order.last).cloned().collect()
        };
        events.iter().for_each(|event| event.wait());
        Ok(())
    }
}

/// Finished events are forgotten when there are so many, and twice as many as were left the last time.
const MANY: usize = 64;

impl Order {
    /// In order: `event` waits for the last command. What is returned is to be dropped outside of the lock.
    fn append(&mut self, event: &Ref<Event>) -> Option<Ref<Event>> {
        let last = self.last.replace(event.clone());
        last.iter().for_each(|last| last.precede(event));
        last
    }

    /// Out of order: likewise for what it must wait for.
    fn insert(
        &mut self,
        event: &Ref<Event>,
        is_barrier: bool,
        waits_for_all: bool,
    ) -> Option<Ref<Event>> {
        self.unfinished += 1;
        self.last.iter().for_each(|barrier| barrier.precede(event));
        if waits_for_all {
            self.others.iter().for_each(|other| other.precede(event));
        }
        if !is_barrier {
            if self.others.len() >= MANY && self.others.len() == self.others.capacity() {
                self.others.retain(|other| !other.is_finished());
                let room = self.others.len() * 2 + MANY;
                self.others.reserve_exact(room.saturating_sub(self.others.len()));
            }
            self.others.push(event.clone());
            return None;
        }
        self.last.replace(event.clone())
    }
}

impl Ref<Queue> {
    /// Takes a command in; it runs after the events it waits for. `is_awaited`: the program waits for it.
    pub fn submit(
        &self,
        command: Command,
        waits: &[Ref<Event>],
        is_awaited: bool,
    ) -> Result<Ref<Event>> {
        let kind = command.kind;
        let expected_ns = if waits.is_empty() { command.work.expected_ns() } else { None };
        let event = Event::of(self.clone(), kind, Job::new(command))?;
        waits.iter().for_each(|wait| wait.precede_by_list(&event));
        let waits_for_all =
            waits.is_empty() && matches!(kind, CL_COMMAND_BARRIER | CL_COMMAND_MARKER);
        let mut order = self.order();
        let before = if self.is_in_order() {
            order.append(&event)
        } else {
            order.insert(&event, kind == CL_COMMAND_BARRIER, waits_for_all)
        };
        order.pace.enqueued();
        let most_ns = order.pace.most_ns(runtime::workers(), is_awaited);
        let is_behind = order.pace.follows(before.as_ref().is_some_and(|it| !it.is_finished()));
        drop(order);
        drop(before);
        match expected_ns.filter(|_| is_behind && !is_awaited) {
            Some(ns) => {
                event.let_go();
                self.let_catch_up(&event, ns);
            }
            None => event.let_go_within(most_ns),
        }
        Ok(event)
    }

    /// The same at once, if the queue is idle and the command brief, and nobody asks for its event: then it needs none. Nothing if it has to
    /// be submitted.
    pub fn carry_out(&self, command: &mut Command, is_awaited: bool) -> Option<Result> {
        let may_be_here = self.is_in_order() && !runtime::is_traced() && runtime::locations() == 1;
        let ns = if may_be_here { command.work.expected_ns() } else { None }?;
        let mut order = self.order();
        if order.last.is_some() || ns > order.pace.most_ns(runtime::workers(), is_awaited) {
            return None;
        }
        // Within the lock: who enqueues meanwhile comes after it, and who waits for the queue waits for it.
        let outcome = command.work.carry_out_here()?;
        order.pace.enqueued();
        if is_awaited {
            order.pace.waited();
        }
        Some(outcome)
    }

    /// An event that takes so long follows others: waits a moment, if the worker may have finished all of them then.
    fn let_catch_up(&self, last: &Ref<Event>, ns: u64) {
        let catch_up_ns = self.order().pace.catch_up_ns(ns, now_ns());
        if catch_up_ns > 0 && !last.is_finished_within(catch_up_ns) {
            self.order().pace.waited_in_vain();
        }
    }

    pub fn info(&self, name: cl_command_queue_info, reply: Reply) -> Result {
        match name {
            CL_QUEUE_CONTEXT => reply.give(self.context.handle()),
            CL_QUEUE_DEVICE => reply.give(self.device.handle()),
            CL_QUEUE_REFERENCE_COUNT => reply.give(self.references()),
            CL_QUEUE_PROPERTIES => reply.give(self.properties),
            CL_QUEUE_PROPERTIES_ARRAY => reply.give_all(&self.list),
            // Of queues on the device, which there are none.
            CL_QUEUE_SIZE => Err(Error(CL_INVALID_COMMAND_QUEUE)),
            CL_QUEUE_DEVICE_DEFAULT => reply.give(ptr::null_mut()),
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }
}
