//! Loop schedules: the value of `run-sched-var` and of a `schedule` clause.
//!
//! Terms: a *chunk* is a contiguous run of iterations given to one thread at a time.
//! Source: OpenMP 5.2, section 11.5.3 (schedule clause) and 2.3.1 (run-sched-var).

/// How iterations are dealt to the threads of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Static,
    Dynamic,
    Guided,
    Auto,
}

/// Whether a thread must see its chunks in increasing logical order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Unspecified,
    Monotonic,
    Nonmonotonic,
}

/// A loop schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    pub kind: Kind,
    /// Iterations in a chunk; 0 when not given.
    pub chunk: u64,
    pub order: Order,
}

impl Schedule {
    /// run-sched-var where the environment says nothing: as in libomp, and the one without run-time cost.
    pub const DEFAULT: Schedule =
        Schedule { kind: Kind::Static, chunk: 0, order: Order::Unspecified };
}
