//! What the process has one of: settings, the processor count, the initial ICVs.
//!
//! Started by the first call of any thread; nothing here discovers the topology.

use crate::icv::Icvs;
use crate::ranks::{self, Share};
use crate::settings::{
    AllocatorSpec, Blocktime, Devices, Library, NO_LIMIT, Settings, TargetOffload, WaitPolicy,
};
use crate::team::places;
use crate::{locality, locks, report, thread, wait};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use vicinity_alloc::handle::Handle;
use vicinity_alloc::os::{self, CpuSet, affinity_mask};
use vicinity_alloc::placed::{self, rules};
use vicinity_alloc::topology::{self, Machine};
use vicinity_alloc::traits::RawTrait;
use vicinity_policy::topology::LocationId;
use vicinity_policy::waiting::{self, Budget};

struct Global {
    settings: Settings,
    processors: u32,
    /// The processors that the first thread could run on; of a rank of MPI, those of its share.
    allowed: CpuSet,
    share: Option<Share>,
    icvs: Icvs,
}

static GLOBAL: OnceLock<Global> = OnceLock::new();
/// cancel-var. Relaxed: set once before any other thread exists.
static CANCELLATION: AtomicBool = AtomicBool::new(false);

fn global() -> &'static Global {
    GLOBAL.get_or_init(|| {
        let (settings, warnings) = Settings::from_process();
        report::set_warnings(settings.warnings);
        warnings.iter().for_each(|warning| report::warn(warning));
        let share = ranks::share(&settings);
        let threads = share.as_ref().and_then(|share| share.threads);
        let processors = threads.unwrap_or_else(os::available_processors);
        share.iter().for_each(Share::bind);
        let icvs = initial(&settings, processors);
        CANCELLATION.store(settings.cancellation, Ordering::Relaxed);
        configure_waiting(&settings, room_to_spin(share.as_ref(), processors));
        places::configure(&settings);
        topology::configure(settings.vicinity.request(
            places::usable,
            share.as_ref(),
            report::warn,
        ));
        placed::configure(placed::Configuration {
            distribution: settings.vicinity.data_distribution,
            rules: rules::parse(&settings.vicinity.placement).unwrap_or_default(),
            around: settings.vicinity.around,
            here: current_location,
            report: report::warn,
        });
        crate::activity::start(&settings, processors);
        crate::trace::memory::configure(&settings.vicinity);
        let allowed = affinity_mask();
        if settings.vicinity.share {
            crate::share::start(&allowed, processors);
        }
        crate::fork::watch();
        Global { settings, processors, allowed, share, icvs }
    })
}

/// Reads the environment, if nobody has yet.
pub fn start() {
    global();
}

pub fn settings() -> &'static Settings {
    &global().settings
}

/// Processors this process may use: affinity mask, cgroup quota, and its share among ranks of MPI.
pub fn processors() -> u32 {
    global().processors
}

/// How many processors the caller may use at this moment: programs narrow and widen that after their first call. Within regions, and
/// of threads that are bound, as many as at the start: their masks are the runtime's doing.
///
/// Source: OpenMP 5.2, section 18.2.8 ("available to the device at the time the routine is called").
pub fn processors_now() -> u32 {
    let is_ours = crate::team::ancestors::in_parallel() || !places::list().is_empty();
    if is_ours || affinity_mask() == *allowed() {
        return processors();
    }
    os::available_processors()
}

/// What this rank of MPI has of the machine; none where there is but one here.
pub fn share() -> Option<&'static Share> {
    global().share.as_ref()
}

/// The processors that the process may run on, before any thread was bound.
pub fn allowed() -> &'static CpuSet {
    &global().allowed
}

/// The location of the calling thread: of the processor it runs on at this moment, or, on a machine that is
/// not here, where its team has it.
pub fn current_location() -> LocationId {
    let machine = machine();
    if machine.enforced {
        os::current_processor().map_or(LocationId(0), |cpu| machine.location_of_processor(cpu))
    } else {
        locality::location_of(thread::current().member())
    }
}

/// The machine as the settings ask for it, found out when first asked for.
pub fn machine() -> &'static Machine {
    start();
    topology::machine()
}

pub fn initial_icvs() -> &'static Icvs {
    &global().icvs
}

/// cancel-var.
#[inline(always)]
pub fn cancellation() -> bool {
    CANCELLATION.load(Ordering::Relaxed)
}

/// What the implicit tasks of a region at this level have other than their creator: lists, of a clause or in the
/// environment, give each level its own number of threads.
pub fn inherited(icvs: &Icvs, level: u32) -> Option<Icvs> {
    if let Some(list) = &icvs.later_threads {
        return (!list.is_empty()).then(|| {
            let mut own = icvs.clone();
            own.set_threads(list);
            own
        });
    }
    let num_threads = *settings().num_threads.get(level as usize)?;
    (num_threads != icvs.num_threads).then(|| Icvs { num_threads, ..icvs.clone() })
}

/// Stack size of a new thread: what the environment says, else the system's default for threads.
pub fn stack_bytes() -> usize {
    let given = || settings().stack_size_bytes.map(|bytes| bytes as usize);
    let asked = crate::device::asked_stack_bytes().or_else(given);
    asked.or_else(crate::thread::stack_limit_bytes).unwrap_or(8 << 20).max(64 << 10)
}

fn initial(settings: &Settings, processors: u32) -> Icvs {
    Icvs {
        num_threads: match settings.library {
            Library::Serial => 1,
            _ => settings.num_threads(0).unwrap_or(processors),
        },
        later_threads: None,
        dynamic: settings.dynamic,
        schedule: settings.schedule,
        max_active_levels: settings.max_active_levels,
        thread_limit: if settings.thread_limit == NO_LIMIT {
            u32::MAX
        } else {
            settings.thread_limit
        },
        default_allocator: default_allocator(&settings.allocator),
        default_device: default_device(settings),
        on_device: None,
    }
}

/// Where the only device is the host, number 0, a program that must not run there has none until it asks for
/// one (OpenMP 5.2, section 21.2.8: omp_invalid_device).
fn default_device(settings: &Settings) -> i32 {
    const INVALID: i32 = -4;
    let host_alone = settings.vicinity.devices == Devices::None;
    let mandatory = settings.target_offload == TargetOffload::Mandatory;
    if host_alone && mandatory && settings.default_device == 0 {
        return INVALID;
    }
    i32::try_from(settings.default_device).unwrap_or(i32::MAX)
}

/// KMP_BLOCKTIME in whole milliseconds.
pub fn blocktime_ms() -> Option<u32> {
    let implied = match settings().wait_policy() {
        Some(WaitPolicy::Active) => Some(NO_LIMIT),
        Some(WaitPolicy::Passive) => Some(0),
        None => None,
    };
    as_milliseconds(settings().blocktime).or(implied)
}

pub fn as_milliseconds(blocktime: Option<Blocktime>) -> Option<u32> {
    blocktime.map(|time| match time {
        Blocktime::Infinite => NO_LIMIT,
        Blocktime::Microseconds(us) => u32::try_from(us / 1000).unwrap_or(NO_LIMIT),
    })
}

/// How long threads spin before they sleep, from now on.
pub fn set_blocktime_ms(milliseconds: u32) {
    let asked = Budget::of_microseconds(u64::from(milliseconds) * 1000);
    let room = room_to_spin(share(), processors());
    wait::configure(waiting::WaitPolicy::Unspecified, Some(asked), room);
}

/// OMP_ALLOCATOR as a handle: a space with traits becomes an allocator now.
fn default_allocator(spec: &AllocatorSpec) -> usize {
    match spec {
        AllocatorSpec::Predefined(handle) => *handle as usize,
        AllocatorSpec::Space { space, traits } => {
            let traits: Vec<RawTrait> = traits
                .iter()
                .map(|&(key, value)| RawTrait { key: key as i32, value: value as usize })
                .collect();
            let made = vicinity_alloc::handle::init_by_name(*space as usize, &traits);
            if made == Handle::NULL { Handle::DEFAULT_MEMORY.0 } else { made.0 }
        }
    }
}

/// How many threads may run before those that wait give way.
fn room_to_spin(share: Option<&Share>, processors: u32) -> u32 {
    match share {
        Some(share) if share.is_crowded => 0,
        _ => processors,
    }
}

fn configure_waiting(settings: &Settings, room: u32) {
    let policy = match settings.wait_policy() {
        None => waiting::WaitPolicy::Unspecified,
        Some(WaitPolicy::Active) => waiting::WaitPolicy::Active,
        Some(WaitPolicy::Passive) => waiting::WaitPolicy::Passive,
    };
    let blocktime = settings.blocktime.map(|time| match time {
        Blocktime::Infinite => Budget::of_ticks(u64::MAX),
        Blocktime::Microseconds(us) => Budget::of_microseconds(us),
    });
    let asked = settings.spin_count.map(Budget::of_pauses).or(blocktime);
    wait::configure(policy, asked, room);
    locks::set_spin_limit(wait::budget().pauses.min(1000) as u32);
}
