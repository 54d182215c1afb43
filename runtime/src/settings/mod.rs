//! What the environment asks of the runtime: read once, kept as plain values.
//!
//! Terms: an *internal control variable* (ICV) is a value of the specification that controls a
//! program's execution; a *setting* is an ICV's initial value or one of our own knobs.
//! `Settings::from_env` is pure: it is given a way to look up variables and answers with settings and
//! warnings; it prints nothing and reads no topology. What needs the machine (the number of
//! processors, what a place list means) is left to the caller.
//!
//! A value that is not understood never stops the program: it costs one line that names the variable,
//! the value, what is allowed, and what is used instead. A variable that is blank counts as not set.
//!
//! Source: OpenMP 5.2, chapter 21 and table 2.1 (ICV defaults). Sizes are in bytes.

pub mod affinity;
pub mod allocator;
pub mod bind;
pub mod kinds;
mod ours;
pub mod places;
mod process;
mod reader;
mod schedule;
mod standard;
mod text;

pub use affinity::Affinity;
pub use allocator::AllocatorSpec;
pub use bind::{Partition, place_of};
pub use kinds::*;
pub use ours::Vicinity;
pub use reader::Origin;
pub use schedule::show as show_schedule;

use reader::Reader;
use vicinity_policy::schedule::Schedule;

/// How many nested active levels are supported.
pub const SUPPORTED_ACTIVE_LEVELS: u32 = 255;

/// What stands for "no limit" where a setting is an `int` of the C interface.
pub const NO_LIMIT: u32 = i32::MAX as u32;

/// Every setting, as it is when the program starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `OMP_NUM_THREADS`: the team size at each nesting level, the last for all deeper ones. Empty:
    /// as many as there are processors.
    pub num_threads: Vec<u32>,
    pub dynamic: bool,
    pub schedule: Schedule,
    pub max_active_levels: u32,
    /// `NO_LIMIT` unless set.
    pub thread_limit: u32,
    pub affinity: Affinity,
    /// Bytes of a new thread's stack; `None`: the system's default.
    pub stack_size_bytes: Option<u64>,
    pub wait_policy: Option<WaitPolicy>,
    /// `KMP_LIBRARY`.
    pub library: Library,
    /// `KMP_WARNINGS`: whether anything is said of what is wrong and can be survived.
    pub warnings: bool,
    /// `GOMP_SPINCOUNT`: polls before sleeping; `u64::MAX` is for ever.
    pub spin_count: Option<u64>,
    pub blocktime: Option<Blocktime>,
    pub cancellation: bool,
    pub display_env: DisplayEnv,
    pub display_affinity: bool,
    pub affinity_format: String,
    pub max_task_priority: u32,
    /// 0: not set.
    pub num_teams: u32,
    /// 0: not set.
    pub teams_thread_limit: u32,
    pub allocator: AllocatorSpec,
    pub default_device: u32,
    pub target_offload: TargetOffload,
    pub tool: bool,
    pub tool_libraries: Vec<String>,
    pub tool_verbose_init: ToolVerboseInit,
    pub debug: bool,
    pub vicinity: Vicinity,
    /// Which variable gave a setting its value, for those that are not at their default.
    pub origins: Vec<Origin>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::from_env(|_| None).0
    }
}

impl Settings {
    /// Settings from variables looked up with `get`, and one warning a value that makes no sense.
    pub fn from_env(get: impl Fn(&str) -> Option<String>) -> (Settings, Vec<String>) {
        let mut reader = Reader::new(&get);
        let settings = standard::read(&mut reader);
        (Settings { origins: reader.origins, ..settings }, reader.warnings)
    }

    /// Settings from this process's environment. Where the program has more rights than its user,
    /// variables that name files do not count.
    pub fn from_process() -> (Settings, Vec<String>) {
        let variables = process::Variables::of_this_process();
        Settings::from_env(|name| variables.get(name))
    }

    /// The variable that gave this setting its value, unless it is at its default.
    pub fn origin(&self, setting: &str) -> Option<&str> {
        let origin = self.origins.iter().find(|origin| origin.setting == setting)?;
        Some(&origin.variable)
    }

    /// The binding policy of teams at a nesting level: 0 for the outermost.
    pub fn proc_bind(&self, level: usize) -> ProcBind {
        let list = &self.affinity.bind;
        list.get(level).or(list.last()).copied().unwrap_or(ProcBind::False)
    }

    /// Whether `OMP_PROC_BIND` has an entry for this level: the last one of a list holds further in, too.
    pub fn names_proc_bind(&self, level: usize) -> bool {
        level < self.affinity.bind.len()
    }

    /// How threads wait, as `OMP_WAIT_POLICY` has it, or `KMP_LIBRARY` where that is not set.
    pub fn wait_policy(&self) -> Option<WaitPolicy> {
        let implied = (self.library == Library::Turnaround).then_some(WaitPolicy::Active);
        self.wait_policy.or(implied)
    }

    /// The team size asked for at a nesting level: 0 for the outermost.
    pub fn num_threads(&self, level: usize) -> Option<u32> {
        self.num_threads.get(level).or(self.num_threads.last()).copied()
    }
}

#[cfg(test)]
mod tests;
