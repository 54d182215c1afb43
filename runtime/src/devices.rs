//! Locations as devices of OpenMP: `VICINITY_DEVICES=locations`.
//!
//! Each location that has processors is a device, numbered as locations are; the host's number is how many there are. A thread
//! of its own, started with the first job, stands for a device: an initial thread whose regions spread over the
//! location's processors alone. It runs jobs one after the other in the order of their posting, as in Xu et al. 2015, section
//! 5.2, and several devices run theirs at the same time. A second thread, likewise, makes the device's copies, so that these go
//! on beside its regions. Memory is the host's.
//!
//! Protocol: whoever posts a job appends it under the lock, adds one to `posted`, and wakes. The thread of the queue reads `posted`
//! before it looks for a job, and sleeps while that has not changed, so no job is overlooked.
//! Source: OpenMP 5.2, section 1.3 (execution model), 13.8 (target).

use crate::locality::{self, seats::Span};
use crate::process_lock::ProcessLock;
use crate::report::OneWarning;
use crate::settings::{Devices, TargetOffload};
use crate::team::places;
use crate::{futex, global, icv, thread};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use vicinity_alloc::os::bind_current_thread;
use vicinity_policy::topology::LocationId;

pub type Job = Box<dyn FnOnce() + Send>;

struct Device {
    location: LocationId,
    processors: u32,
    /// Jobs of each queue so far: what its thread sleeps on.
    posted: [AtomicU32; 2],
}

/// The queues of a device.
#[derive(Clone, Copy)]
pub enum Queue {
    Regions,
    Copies,
}

/// What lies before a thread of a device.
#[derive(Default)]
pub(crate) struct Line {
    jobs: VecDeque<Job>,
    has_thread: bool,
}

/// Of each device, a line for each of its queues.
pub(crate) static LINES: ProcessLock<Vec<[Line; 2]>> = ProcessLock::new(Vec::new());

fn all() -> &'static [Device] {
    static ALL: OnceLock<Vec<Device>> = OnceLock::new();
    ALL.get_or_init(find)
}

fn find() -> Vec<Device> {
    let settings = global::settings();
    let wanted = settings.vicinity.devices == Devices::Locations;
    if !wanted || settings.target_offload == TargetOffload::Disabled {
        return Vec::new();
    }
    let topology = &global::machine().topology;
    let device = |location| Device {
        location,
        processors: topology.threads(location),
        posted: [const { AtomicU32::new(0) }; 2],
    };
    topology.locations().map(device).filter(|device| device.processors > 0).collect()
}

/// How many there are beside the host.
pub fn count() -> i32 {
    all().len() as i32
}

/// Where a device is; none for the host, and for numbers of no device.
pub fn location(number: i32) -> Option<LocationId> {
    all().get(usize::try_from(number).ok()?).map(|device| device.location)
}

/// How many processors the current device has.
pub fn processors() -> u32 {
    let devices = all();
    if devices.is_empty() {
        return global::processors_now();
    }
    let current = icv::current().on_device.and_then(|number| devices.get(usize::from(number)));
    current.map_or_else(global::processors_now, |device| device.processors)
}

/// Has a device do this, some time; the caller does it itself if the device's thread cannot be had.
pub fn post(number: i32, queue: Queue, job: Job) {
    let at = usize::try_from(number).unwrap_or(usize::MAX);
    let Some(device) = all().get(at) else { return job() };
    {
        let mut lines = LINES.lock();
        lines.resize_with(all().len(), Default::default);
        let line = &mut lines[at][queue as usize];
        line.has_thread = line.has_thread || start(at, queue);
        if line.has_thread {
            line.jobs.push_back(job);
        } else {
            drop(lines);
            return job();
        }
    }
    // Release: pairs with the Acquire in `live`.
    let posted = &device.posted[queue as usize];
    posted.fetch_add(1, Ordering::Release);
    futex::wake(posted, 1);
}

/// Has a device do this, and waits until it is done.
pub fn run(number: i32, job: Job) {
    let done = Arc::new(AtomicU32::new(0));
    let tell = done.clone();
    post(
        number,
        Queue::Regions,
        Box::new(move || {
            job();
            // Release: pairs with the Acquire below.
            tell.store(1, Ordering::Release);
            futex::wake(&tell, 1);
        }),
    );
    // Acquire: pairs with the Release above.
    while done.load(Ordering::Acquire) == 0 {
        futex::wait(&done, 0);
    }
}

fn start(at: usize, queue: Queue) -> bool {
    static NONE: OneWarning = OneWarning::new();
    let what = match queue {
        Queue::Regions => "device",
        Queue::Copies => "copies",
    };
    let builder = std::thread::Builder::new().name(format!("{what} {at}"));
    let started = builder.stack_size(global::stack_bytes()).spawn(move || live(at, queue));
    if let Err(error) = &started {
        NONE.warn(|| {
            format!(
                "cannot create a thread of device {at} ({error}): what it was for is done on the host"
            )
        });
    }
    started.is_ok()
}

fn live(at: usize, queue: Queue) {
    let device = &all()[at];
    settle(at, device);
    let posted = &device.posted[queue as usize];
    loop {
        // Acquire: pairs with the Release in `post`.
        let so_far = posted.load(Ordering::Acquire);
        let next = |lines: &mut [Line; 2]| lines[queue as usize].jobs.pop_front();
        let job = LINES.lock().get_mut(at).and_then(next);
        match job {
            Some(job) => job(),
            None => futex::wait(posted, so_far),
        }
    }
}

/// The calling thread is the device from now on.
fn settle(at: usize, device: &Device) {
    let member = thread::current().member();
    let place = &global::machine().locations[device.location.index()];
    places::seat_at(member, &place.processors);
    if let Some(machine) = locality::machine() {
        member.span.set(Span::of(machine, device.location));
        if machine.binds {
            // A failure leaves it where it may run.
            let _ = bind_current_thread(&place.processors);
        }
    }
    icv::update(|icvs| {
        icvs.num_threads = device.processors;
        icvs.on_device = Some(at as u16);
    });
}

/// In a forked child: the threads exist in the parent alone, and so do what they had to do.
pub fn in_child() {
    LINES.lock().clear();
}
