//! The small enumerations that settings are made of, each with the words users write for it.
//!
//! `WORDS` of a type lists every accepted spelling; the first spelling of a value is the one shown.
//! Sources: OpenMP 5.2, chapter 21 (environment variables); numbers of `omp_proc_bind_t` and
//! `omp_display_env`: `omp.h`.

pub use vicinity_alloc::topology::Locations;
pub use vicinity_policy::distribution::{Around, Distribution};
pub use vicinity_policy::scheduler::Scheduler;

/// What happens to events when a thread's buffer for them is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFull {
    /// The thread writes them out.
    Write,
    /// New ones take the place of the oldest.
    DropOldest,
}

impl TraceFull {
    pub const WORDS: &[(&str, TraceFull)] =
        &[("write", TraceFull::Write), ("drop_oldest", TraceFull::DropOldest)];
}

/// What is counted of each task in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceCounter {
    Cycles,
    Instructions,
    /// Cycles in which nothing could go on for want of data.
    StallCycles,
    /// Reads that the last-level cache did not have.
    LlcMisses,
    /// Reads that another node's memory had to answer.
    RemoteAccesses,
    TlbMisses,
    BranchMisses,
    PageFaults,
    /// Nanoseconds on a processor.
    CpuTime,
    /// Context switches.
    Switches,
}

impl TraceCounter {
    pub const WORDS: &[(&str, TraceCounter)] = &[
        ("page_faults", TraceCounter::PageFaults),
        ("cpu_time", TraceCounter::CpuTime),
        ("switches", TraceCounter::Switches),
        ("cycles", TraceCounter::Cycles),
        ("instructions", TraceCounter::Instructions),
        ("stall_cycles", TraceCounter::StallCycles),
        ("llc_misses", TraceCounter::LlcMisses),
        ("remote_accesses", TraceCounter::RemoteAccesses),
        ("tlb_misses", TraceCounter::TlbMisses),
        ("branch_misses", TraceCounter::BranchMisses),
    ];
}

/// How the threads of a team are assigned to places (`bind-var`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcBind {
    False,
    /// Bound, in a way of the implementation's choice: as `Close`.
    True,
    Primary,
    Close,
    Spread,
}

impl ProcBind {
    pub const WORDS: &[(&str, ProcBind)] = &[
        ("FALSE", ProcBind::False),
        ("TRUE", ProcBind::True),
        ("PRIMARY", ProcBind::Primary),
        ("MASTER", ProcBind::Primary),
        ("CLOSE", ProcBind::Close),
        ("SPREAD", ProcBind::Spread),
    ];

    /// The value of `omp_proc_bind_t`.
    pub fn code(self) -> i32 {
        self as i32
    }

    /// The policy with this value of `omp_proc_bind_t`.
    pub fn from_code(code: i32) -> Option<ProcBind> {
        Self::WORDS.iter().map(|word| word.1).find(|policy| policy.code() == code)
    }
}

/// What a waiting thread is asked to do (`wait-policy-var`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitPolicy {
    Active,
    Passive,
}

impl WaitPolicy {
    pub const WORDS: &[(&str, WaitPolicy)] =
        &[("ACTIVE", WaitPolicy::Active), ("PASSIVE", WaitPolicy::Passive)];
}

/// What libomp's programs say of the machine they run on (`KMP_LIBRARY`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// Regions have one thread.
    Serial,
    /// The machine is the program's alone: waiting is active.
    Turnaround,
    Throughput,
}

impl Library {
    pub const WORDS: &[(&str, Library)] = &[
        ("serial", Library::Serial),
        ("turnaround", Library::Turnaround),
        ("throughput", Library::Throughput),
    ];
}

/// How long a thread spins before it sleeps (`KMP_BLOCKTIME`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocktime {
    Infinite,
    Microseconds(u64),
}

/// Whether the settings are printed at start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisplayEnv {
    Off,
    On,
    /// With the settings that are not of the specification.
    Verbose,
}

/// What a `target` region does where there is no device (`target-offload-var`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetOffload {
    Default,
    Mandatory,
    Disabled,
}

impl TargetOffload {
    pub const WORDS: &[(&str, TargetOffload)] = &[
        ("DEFAULT", TargetOffload::Default),
        ("MANDATORY", TargetOffload::Mandatory),
        ("DISABLED", TargetOffload::Disabled),
    ];
}

/// Where a tool's start-up report goes (`tool-verbose-init-var`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolVerboseInit {
    Disabled,
    Stdout,
    Stderr,
    File(String),
}

/// How far a worker steals (`VICINITY_REACH`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    All,
    /// The number of locations in a vicinity, the worker's own included; at least 1.
    Locations(u32),
}

/// Which devices there are beside the host (`VICINITY_DEVICES`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Devices {
    #[default]
    None,
    /// Each location that has processors.
    Locations,
}

impl Devices {
    /// Every accepted spelling.
    pub const WORDS: &[(&str, Devices)] =
        &[("none", Devices::None), ("locations", Devices::Locations)];
}

/// Whether ranks of MPI on one machine divide it (`VICINITY_RANKS`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranks {
    #[default]
    Divide,
    Ignore,
}

impl Ranks {
    pub const WORDS: &[(&str, Ranks)] = &[("divide", Ranks::Divide), ("ignore", Ranks::Ignore)];
}

/// The word shown for a value.
pub fn word_of<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> &'static str {
    words.iter().find(|word| word.1 == *value).map_or("", |word| word.0)
}

/// The value a word stands for, in any case.
pub fn value_of<T: Copy>(words: &[(&str, T)], text: &str) -> Option<T> {
    words.iter().find(|word| word.0.eq_ignore_ascii_case(text.trim())).map(|word| word.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binding_codes_are_those_of_omp_h() {
        let codes: Vec<_> = (0..5).map(ProcBind::from_code).collect();
        assert_eq!(codes[2], Some(ProcBind::Primary));
        assert_eq!(ProcBind::Spread.code(), 4);
        assert!(codes.iter().all(Option::is_some));
        assert_eq!(ProcBind::from_code(5), None);
    }

    #[test]
    fn words_are_found_in_any_case_and_shown_in_one() {
        assert_eq!(value_of(ProcBind::WORDS, " Master "), Some(ProcBind::Primary));
        assert_eq!(word_of(ProcBind::WORDS, &ProcBind::Primary), "PRIMARY");
        assert_eq!(value_of(Scheduler::WORDS, "fifo"), None);
    }
}
