//! Events become records: names are numbered, ids become positions, times start at 0.
//!
//! References to what is not in the trace (dropped events, a cut file) are dropped too. Threads and locations
//! that the file does not describe are added.

use std::collections::HashMap;

use vicinity_policy::topology::LocationId;

use super::error::Error;
use super::event::{Args, Category, Event, Header, Kind, Phase};
use super::machine;
use super::model::{
    Body, Interval, Region, RegionIndex, Span, SpanKind, Task, TaskIndex, Thread, Trace,
};

#[derive(Default)]
pub struct Builder {
    names: Numbered,
    threads: Vec<SeenThread>,
    positions: HashMap<u32, u32>,
    tasks: Vec<Raw<Task>>,
    regions: Vec<Raw<Region>>,
    spans: Vec<Raw<Span>>,
    bytes: Vec<(LocationId, u64)>,
    after: Vec<u64>,
    counters: Vec<f64>,
    /// One past the greatest location any event names.
    locations: u16,
    missing_events: u64,
    /// How the program ended, from the last line of the file.
    how: Option<String>,
}

/// A record whose times still count from where the writer counts, and the id it refers to: of the creator of a
/// task, of who waited.
struct Raw<T> {
    value: T,
    body: Option<u64>,
    start_ns: i64,
    end_ns: i64,
    /// Of tasks.
    created_ns: i64,
    ready_ns: i64,
}

struct SeenThread {
    tid: u32,
    name: Option<String>,
    location: Option<LocationId>,
}

impl Builder {
    pub fn has_events(&self) -> bool {
        !(self.tasks.is_empty() && self.spans.is_empty() && self.regions.is_empty())
    }

    pub fn add(&mut self, event: Event) {
        match (event.ph, event.cat) {
            (Phase::Fact, _) => self.add_fact(event),
            (Phase::Complete, Category::Task) => self.add_task(event),
            (Phase::Complete, Category::Region) => self.add_region(event),
            (Phase::Complete, Category::Wait) => self.add_span(event, SpanKind::Wait),
            (Phase::Complete, Category::Chunk) => self.add_span(event, SpanKind::Chunk),
            (Phase::Complete, Category::Trace) => self.add_span(event, SpanKind::Write),
            _ => {}
        }
    }

    fn add_fact(&mut self, event: Event) {
        match event.name.as_str() {
            "thread_name" => {
                let location = event.args.location.map(|place| self.location(place));
                let thread = self.thread(event.tid) as usize;
                self.threads[thread].name = event.args.name;
                self.threads[thread].location = location;
            }
            "vicinity_end" => {
                self.missing_events = event.args.missing_events.unwrap_or(0);
                self.how = event.args.how;
            }
            _ => {}
        }
    }

    fn add_span(&mut self, event: Event, kind: SpanKind) {
        let (name, thread) = (self.names.number(event.name), self.thread(event.tid));
        let body = Body::Outside;
        let value = Span { kind, name, thread, body, start_ns: 0, end_ns: 0 };
        self.spans.push(raw(value, event.ts, event.dur, event.args.task));
    }

    fn add_region(&mut self, event: Event) {
        let (name, thread) = (self.names.number(event.name), self.thread(event.tid));
        let id = event.args.id.unwrap_or(0);
        let region = event.args.region.unwrap_or(id);
        let member = event.args.thread.unwrap_or(0);
        let value = Region { id, region, member, name, thread, start_ns: 0, end_ns: 0 };
        self.regions.push(raw(value, event.ts, event.dur, None));
    }

    fn add_task(&mut self, event: Event) {
        let args = event.args;
        let value = Task {
            id: args.id.unwrap_or(0),
            parent: Body::Outside,
            name: self.names.number(event.name),
            line: args.line.as_ref().map(|line| self.names.number(line.clone())),
            thread: self.thread(event.tid),
            created_ns: 0,
            ready_ns: 0,
            start_ns: 0,
            end_ns: 0,
            bytes: self.footprint(&args),
            after: append(&mut self.after, &args.after),
            counters: append(&mut self.counters, &args.counters),
            dealt: args.dealt.map(|place| self.location(place)),
            at: self.location(args.at.unwrap_or(0)),
            from: args.from.map(|place| self.location(place)),
            stolen: args.stolen.unwrap_or(args.from.is_some()),
            hops: args.hops.unwrap_or(0),
            included: args.kind == Some(Kind::Included),
            cut: args.cut.unwrap_or(false),
        };
        let mut task = raw(value, event.ts, event.dur, args.parent);
        task.ready_ns = args.ready.map_or(task.start_ns, nanoseconds).min(task.start_ns);
        task.created_ns = args.created.map_or(task.ready_ns, nanoseconds).min(task.ready_ns);
        self.tasks.push(task);
    }

    fn footprint(&mut self, args: &Args) -> Interval {
        let start = self.bytes.len();
        for (place, &bytes) in args.bytes.iter().enumerate().filter(|&(_, &bytes)| bytes > 0) {
            let location = self.location(u16::try_from(place).unwrap_or(u16::MAX));
            self.bytes.push((location, bytes));
        }
        interval(start, self.bytes.len())
    }

    fn location(&mut self, place: u16) -> LocationId {
        // One less than can be numbered, so that the count fits too.
        let place = place.min(u16::MAX - 1);
        self.locations = self.locations.max(place + 1);
        LocationId(place)
    }

    fn thread(&mut self, tid: u32) -> u32 {
        *self.positions.entry(tid).or_insert_with(|| {
            self.threads.push(SeenThread { tid, name: None, location: None });
            self.threads.len() as u32 - 1
        })
    }

    /// The trace; `damage` is what the parser said where the file cannot be read on.
    pub fn finish(mut self, header: Header, damage: Option<String>) -> Result<Trace, Error> {
        let sizes = [self.tasks.len(), self.spans.len(), self.bytes.len(), self.after.len()];
        let sizes = sizes.into_iter().chain([self.counters.len(), self.regions.len()]);
        if sizes.max() >= Some(u32::MAX as usize) {
            return Err(Error::TooLarge);
        }
        let described = header.topology.unwrap_or_default();
        let location_kind = described.kind.clone();
        let (locations, topology) = machine::machine(described, usize::from(self.locations))?;
        let mut notes = header.notes;
        notes.extend(ending(self.how.as_deref(), damage.as_deref()));
        let threads = self.finish_threads();
        let (tasks, regions, spans, after) = self.link()?;
        let ends = tasks.iter().map(|task| task.end_ns).chain(spans.iter().map(|span| span.end_ns));
        let end_ns = ends.chain(regions.iter().map(|region| region.end_ns)).max().unwrap_or(0);
        let text = |(name, value)| (name, plain(value));
        Ok(Trace {
            program: header.program,
            arguments: header.arguments,
            started: header.started,
            location_kind,
            settings: header.settings.into_iter().map(text).collect(),
            locations,
            topology,
            threads,
            names: self.names.names,
            tasks,
            regions,
            spans,
            bytes: self.bytes,
            after,
            counter_names: header.counters,
            counters: self.counters,
            end_ns,
            missing_events: self.missing_events,
            notes,
            cut: damage.is_some(),
        })
    }

    /// A thread that no fact describes is where its first task ran.
    fn finish_threads(&mut self) -> Vec<Thread> {
        for task in &self.tasks {
            let thread = &mut self.threads[task.value.thread as usize];
            thread.location.get_or_insert(task.value.at);
        }
        let threads = std::mem::take(&mut self.threads).into_iter();
        let finished = threads.map(|thread| Thread {
            tid: thread.tid,
            name: thread.name.unwrap_or_else(|| format!("thread {}", thread.tid)),
            location: thread.location.unwrap_or(LocationId(0)),
        });
        finished.collect()
    }

    /// Sorts by id, and turns ids into positions.
    #[expect(clippy::type_complexity, reason = "taken apart at once")]
    fn link(&mut self) -> Result<(Vec<Task>, Vec<Region>, Vec<Span>, Vec<TaskIndex>), Error> {
        self.tasks.sort_by_key(|task| task.value.id);
        self.regions.sort_by_key(|region| region.value.id);
        if let Some(pair) = self.tasks.windows(2).find(|pair| pair[0].value.id == pair[1].value.id)
        {
            return Err(Error::Twice(pair[0].value.id));
        }
        let origin = self.origin();
        let raw_tasks = std::mem::take(&mut self.tasks);
        let raw_regions = std::mem::take(&mut self.regions);
        let ids = Ids { tasks: &raw_tasks, regions: &raw_regions };
        let mut after = Vec::with_capacity(self.after.len());
        let mut tasks = Vec::with_capacity(raw_tasks.len());
        for (position, raw) in raw_tasks.iter().enumerate() {
            let own = TaskIndex(position as u32);
            let first = after.len();
            let before = self.after[raw.value.after.range()].iter().filter_map(|&id| ids.task(id));
            after.extend(before.filter(|&other| other != own));
            let mut task = raw.value.clone();
            task.parent = ids.body(raw.body);
            if let Body::Task(parent) = task.parent
                && !raw.can_come_from(&raw_tasks[parent.index()])
            {
                task.parent = Body::Outside;
            }
            task.after = interval(first, after.len());
            task.created_ns = raw.created_ns.abs_diff(origin);
            task.ready_ns = raw.ready_ns.abs_diff(origin);
            (task.start_ns, task.end_ns) = raw.times(origin);
            tasks.push(task);
        }
        let spans = self.spans.iter().map(|raw| {
            let (start_ns, end_ns) = raw.times(origin);
            Span { body: ids.body(raw.body), start_ns, end_ns, ..raw.value.clone() }
        });
        let spans = spans.collect();
        let regions = raw_regions.iter().map(|raw| {
            let (start_ns, end_ns) = raw.times(origin);
            Region { start_ns, end_ns, ..raw.value.clone() }
        });
        Ok((tasks, regions.collect(), spans, after))
    }

    /// The earliest time in the trace.
    fn origin(&self) -> i64 {
        let tasks = self.tasks.iter().map(|raw| raw.created_ns);
        let spans = self.spans.iter().map(|raw| raw.start_ns);
        let regions = self.regions.iter().map(|raw| raw.start_ns);
        tasks.chain(spans).chain(regions).min().unwrap_or(0)
    }
}

impl<T> Raw<T> {
    fn times(&self, origin: i64) -> (u64, u64) {
        (self.start_ns.abs_diff(origin), self.end_ns.abs_diff(origin))
    }
}

impl Raw<Task> {
    /// A creator was running when it created. Of those that claim the same moment the lower id comes first, so
    /// that no chain of creators leads back to its start.
    fn can_come_from(&self, creator: &Raw<Task>) -> bool {
        (creator.start_ns, creator.value.id) < (self.created_ns, self.value.id)
    }
}

/// Finds by id; both lists are sorted by it.
struct Ids<'a> {
    tasks: &'a [Raw<Task>],
    regions: &'a [Raw<Region>],
}

impl Ids<'_> {
    fn task(&self, id: u64) -> Option<TaskIndex> {
        let found = self.tasks.binary_search_by_key(&id, |raw| raw.value.id);
        found.ok().map(|position| TaskIndex(position as u32))
    }

    fn body(&self, id: Option<u64>) -> Body {
        let Some(id) = id.filter(|&id| id != 0) else { return Body::Outside };
        if let Some(task) = self.task(id) {
            return Body::Task(task);
        }
        let found = self.regions.binary_search_by_key(&id, |raw| raw.value.id);
        found.map_or(Body::Outside, |position| Body::Region(RegionIndex(position as u32)))
    }
}

/// Each different text once.
#[derive(Default)]
struct Numbered {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Numbered {
    fn number(&mut self, name: String) -> u32 {
        if let Some(&number) = self.numbers.get(&name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.clone());
        self.numbers.insert(name, number);
        number
    }
}

fn raw<T>(value: T, ts: f64, dur: f64, body: Option<u64>) -> Raw<T> {
    let start_ns = nanoseconds(ts);
    let end_ns = start_ns + nanoseconds(dur).max(0);
    Raw { value, body, start_ns, end_ns, created_ns: start_ns, ready_ns: start_ns }
}

/// What the user should know of how the file ends.
fn ending(how: Option<&str>, damage: Option<&str>) -> Option<String> {
    if let Some(damage) = damage {
        return Some(format!("the file is damaged, what follows is lost: {damage}"));
    }
    match how {
        None | Some("exit") => None,
        Some("running") => Some(
            "the program was killed, or its trace was copied while it ran: the last events of each \
             thread are missing"
                .to_string(),
        ),
        Some(how) => Some(format!("the program ended by {how}")),
    }
}

fn append<T: Copy>(list: &mut Vec<T>, more: &[T]) -> Interval {
    let start = list.len();
    list.extend_from_slice(more);
    interval(start, list.len())
}

fn interval(start: usize, end: usize) -> Interval {
    Interval { start: start as u32, len: (end - start) as u32 }
}

/// Eleven days: sums over thousands of threads still fit into 64 bits.
const LATEST_NS: f64 = 1e15;

/// The file's times are microseconds with decimals.
fn nanoseconds(microseconds: f64) -> i64 {
    (microseconds * 1e3).round().clamp(-LATEST_NS, LATEST_NS) as i64
}

fn plain(value: serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    }
}
