//! A trace as values: the machine, the threads, the tasks and what else threads did.
//!
//! Made for a million tasks: a task is a plain record, and what has no fixed size (bytes by location,
//! predecessors, counters) lies in lists that all tasks share, of which a task has an `Interval`.
//! Units: nanoseconds since the first event of the trace, bytes.

use super::memory::Memory;
use std::ops::Range;

use vicinity_policy::topology::{LocationId, Topology};

/// A position in `Trace::tasks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskIndex(pub u32);

impl TaskIndex {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A position in `Trace::regions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegionIndex(pub u32);

impl RegionIndex {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Whose code it was that created a task, waited, or ran iterations of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Body {
    /// The program outside every region, or something that is not in the trace.
    Outside,
    /// An implicit task.
    Region(RegionIndex),
    Task(TaskIndex),
}

/// A part of a list that all tasks share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    pub start: u32,
    pub len: u32,
}

impl Interval {
    pub fn range(self) -> Range<usize> {
        let start = self.start as usize;
        start..start + self.len as usize
    }
}

/// Where data can live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    pub name: String,
    pub cores: u32,
}

/// A thread of the program, and where it was when it was first seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    pub tid: u32,
    pub name: String,
    pub location: LocationId,
}

/// One execution of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The number that the trace gives it.
    pub id: u64,
    /// What created it.
    pub parent: Body,
    /// A position in `Trace::names`.
    pub name: u32,
    /// File and line, a position in `Trace::names`.
    pub line: Option<u32>,
    /// A position in `Trace::threads`.
    pub thread: u32,
    pub created_ns: u64,
    pub ready_ns: u64,
    pub start_ns: u64,
    pub end_ns: u64,
    /// Of `Trace::bytes`: its data by location; empty where the trace knows of none.
    pub bytes: Interval,
    /// Of `Trace::after`: the tasks it depended on.
    pub after: Interval,
    /// Of `Trace::counters`: one for each of `counter_names`, or none.
    pub counters: Interval,
    /// Where it was dealt to, if it was.
    pub dealt: Option<LocationId>,
    /// Where it ran.
    pub at: LocationId,
    /// The location of the thread that it was stolen from.
    pub from: Option<LocationId>,
    /// Another thread than its creator's ran it.
    pub stolen: bool,
    /// From where it was stolen to where it ran.
    pub hops: u16,
    /// It ran at once inside its creator and was in no queue.
    pub included: bool,
    /// It was running when the program ended.
    pub cut: bool,
}

impl Task {
    /// From start to end, with everything that ran inside.
    pub fn elapsed_ns(&self) -> u64 {
        self.end_ns - self.start_ns
    }

    /// How long it was ready and did not run.
    pub fn queued_ns(&self) -> u64 {
        self.start_ns.saturating_sub(self.ready_ns)
    }
}

/// A thread's part of a parallel region: its implicit task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Of the implicit task, unique among tasks and regions.
    pub id: u64,
    /// The same for all threads of the region.
    pub region: u64,
    /// `omp_get_thread_num`: 0 for the thread that came to the region.
    pub member: u32,
    /// How many threads it has; 0 where the trace does not say.
    pub threads: u32,
    /// A position in `Trace::names`.
    pub name: u32,
    /// File and line, a position in `Trace::names`.
    pub line: Option<u32>,
    /// A position in `Trace::threads`.
    pub thread: u32,
    pub start_ns: u64,
    pub end_ns: u64,
}

/// What a thread did besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// It waited, or ran other tasks meanwhile.
    Wait,
    /// It ran iterations of a loop.
    Chunk,
    /// It sent or received a message.
    Message,
    /// It wrote events to the file.
    Write,
}

impl SpanKind {
    /// Which event it is, by the task that it names.
    pub fn event_of(self) -> &'static str {
        match self {
            SpanKind::Wait => "the wait of task",
            SpanKind::Chunk => "the chunk of task",
            SpanKind::Write => "the write of task",
            SpanKind::Message => "the message of task",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub kind: SpanKind,
    /// A position in `Trace::names`.
    pub name: u32,
    /// A position in `Trace::threads`.
    pub thread: u32,
    /// Who waited, or whose loop it was.
    pub body: Body,
    pub start_ns: u64,
    pub end_ns: u64,
}

/// A message from one thread to another, of two ranks or one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// A position in `Trace::threads`.
    pub from: u32,
    /// When it was sent.
    pub from_ns: u64,
    pub to: u32,
    /// When it had been received.
    pub to_ns: u64,
    pub bytes: u64,
}

/// Everything that one file says.
#[derive(Clone, Debug)]
pub struct Trace {
    pub program: String,
    pub arguments: Vec<String>,
    /// When time 0 of the file was, as it says.
    pub started: String,
    /// What a location is: `numa_domains`, `ll_caches`, `cores`.
    pub location_kind: String,
    /// Names and values.
    pub settings: Vec<(String, String)>,
    pub locations: Vec<Location>,
    pub topology: Topology,
    pub threads: Vec<Thread>,
    pub names: Vec<String>,
    pub tasks: Vec<Task>,
    pub regions: Vec<Region>,
    pub spans: Vec<Span>,
    /// In the order of sending; those of which both ends are known.
    pub messages: Vec<Message>,
    /// How many ranks' traces this is made of.
    pub ranks: u32,
    pub bytes: Vec<(LocationId, u64)>,
    pub after: Vec<TaskIndex>,
    pub counter_names: Vec<String>,
    pub counters: Vec<f64>,
    /// The time of the last event.
    pub end_ns: u64,
    /// How many events the writer had to drop.
    pub missing_events: u64,
    /// For which threads, all together, were ready and had no processor; none where that is not known.
    pub run_delay_ns: Option<u64>,
    /// What the writer has to say.
    pub notes: Vec<String>,
    /// The file ends in the middle: a full disk, or a copy that is not whole.
    pub cut: bool,
    /// Every event is there, up to the end of the program. What rests on all of them is unknown otherwise.
    pub whole: bool,
    /// How many processors the program could use, where that is known.
    pub processors: Option<u32>,
    /// Memory and threads are where the trace says, and not on a machine that is simulated.
    pub enforced: bool,
    pub memory: Memory,
}

impl Trace {
    pub fn name_of(&self, task: &Task) -> &str {
        &self.names[task.name as usize]
    }

    pub fn bytes_of(&self, task: &Task) -> &[(LocationId, u64)] {
        &self.bytes[task.bytes.range()]
    }

    pub fn after_of(&self, task: &Task) -> &[TaskIndex] {
        &self.after[task.after.range()]
    }

    pub fn counters_of(&self, task: &Task) -> &[f64] {
        &self.counters[task.counters.range()]
    }
}
