//! Events become records: names are numbered, ids become positions, times start at 0.
//!
//! References to what is not in the trace (dropped events, a cut file) are dropped too. Threads and locations
//! that the file does not describe are added.

use std::collections::HashMap;

use vicinity_policy::topology::LocationId;

use super::arrows::{ArrowEnd, Arrows};
use super::error::Error;
use super::event::{Args, Category, Event, Header, Kind, Phase};
use super::link::{Linked, Raw, Unlinked};
use super::machine;
use super::memory::Memory;
use super::model::{Body, Interval, Region, Span, SpanKind, Task, Thread, Trace};
use super::odd::{Label, Odd, Oddities, TOLERANCE_NS};

#[derive(Default)]
pub struct Builder {
    names: Numbered,
    threads: Vec<SeenThread>,
    positions: HashMap<u32, u32>,
    tasks: Vec<Raw<Task>>,
    regions: Vec<Raw<Region>>,
    spans: Vec<Raw<Span>>,
    arrows: Arrows,
    bytes: Vec<(LocationId, u64)>,
    after: Vec<u64>,
    counters: Vec<f64>,
    /// One past the greatest location any event names.
    locations: u16,
    missing_events: u64,
    run_delay_ns: Option<u64>,
    memory: Memory,
    odd: Oddities,
    /// The name of the first task without a number.
    nameless: Option<String>,
    /// How the program ended, from the last line of the file.
    how: Option<String>,
}

/// The times of an event as the file has them, and which it is.
struct Times {
    ts: Option<f64>,
    dur: Option<f64>,
    label: Label,
}

impl Times {
    fn of(event: &Event, what: &'static str, id: Option<u64>) -> Times {
        Times { ts: event.ts, dur: event.dur, label: Label { what, id: id.unwrap_or(0) } }
    }
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
            (Phase::Complete, Category::Message) => self.add_span(event, SpanKind::Message),
            (Phase::From | Phase::To, Category::Message) => self.add_arrow(event),
            _ => {}
        }
    }

    /// A record of an event; what its times say that cannot be is noted.
    fn raw<T>(&mut self, value: T, event: &Times, body: Option<u64>) -> Raw<T> {
        for (field, time) in [("ts", event.ts), ("dur", event.dur)] {
            if time.is_none() {
                self.odd.add(Odd::Missing(field), event.label);
            }
        }
        let start_ns = self.nanoseconds("ts", event.ts.unwrap_or(0.0), event.label);
        let length_ns = self.nanoseconds("dur", event.dur.unwrap_or(0.0), event.label);
        if length_ns < 0 {
            self.odd.add(Odd::NegativeLength, event.label);
        }
        let end_ns = start_ns + length_ns.max(0);
        Raw { value, body, start_ns, end_ns, created_ns: start_ns, ready_ns: start_ns }
    }

    /// The file's times are microseconds with decimals.
    fn nanoseconds(&mut self, field: &'static str, microseconds: f64, event: Label) -> i64 {
        let ns = (microseconds * 1e3).round();
        if ns.abs() > LATEST_NS {
            self.odd.add(Odd::FarAway(field), event);
        }
        ns.clamp(-LATEST_NS, LATEST_NS) as i64
    }

    /// The earlier of a moment that an event names and one that must not be before it.
    fn not_after(&mut self, ns: i64, limit_ns: i64, odd: Odd, event: Label) -> i64 {
        if ns > limit_ns + TOLERANCE_NS {
            self.odd.add(odd, event);
        }
        ns.min(limit_ns)
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
                self.run_delay_ns = event.args.run_delay_ns;
                self.how = event.args.how;
            }
            name => self.memory.add(name, event.args),
        }
    }

    fn add_span(&mut self, event: Event, kind: SpanKind) {
        let times = Times::of(&event, kind.event_of(), event.args.task);
        let (name, thread) = (self.names.number(event.name), self.thread(event.tid));
        let body = Body::Outside;
        let value = Span { kind, name, thread, body, start_ns: 0, end_ns: 0 };
        let span = self.raw(value, &times, event.args.task);
        self.spans.push(span);
    }

    fn add_arrow(&mut self, event: Event) {
        let label = Label { what: "message", id: event.id.unwrap_or(0) };
        let ns = self.nanoseconds("ts", event.ts.unwrap_or(0.0), label);
        let thread = self.thread(event.tid);
        let bytes = event.args.size.unwrap_or(0);
        let end = ArrowEnd { thread, ns, bytes };
        self.arrows.add(event.ph == Phase::From, event.id.unwrap_or(0), end);
    }

    fn add_region(&mut self, event: Event) {
        let times = Times::of(&event, "region", event.args.id);
        let (name, thread) = (self.names.number(event.name), self.thread(event.tid));
        let id = event.args.id.unwrap_or(0);
        let region = event.args.region.unwrap_or(id);
        let member = event.args.thread.unwrap_or(0);
        let line = event.args.line.map(|line| self.names.number(line));
        let threads = event.args.threads.unwrap_or(0);
        let value =
            Region { id, region, member, threads, name, line, thread, start_ns: 0, end_ns: 0 };
        let region = self.raw(value, &times, None);
        self.regions.push(region);
    }

    fn add_task(&mut self, event: Event) {
        let id = event.args.id.unwrap_or(0);
        if id == 0 {
            self.nameless.get_or_insert_with(|| event.name.clone());
        }
        let times = Times::of(&event, "task", event.args.id);
        let args = event.args;
        let value = Task {
            id,
            parent: Body::Outside,
            name: self.names.number(event.name),
            line: args.line.as_ref().map(|line| self.names.number(line.clone())),
            thread: self.thread(event.tid),
            created_ns: 0,
            ready_ns: 0,
            start_ns: 0,
            end_ns: 0,
            bytes: self.footprint(&args),
            after: append(&mut self.after, args.after.as_deref().unwrap_or_default()),
            counters: append(&mut self.counters, args.counters.as_deref().unwrap_or_default()),
            dealt: args.dealt.map(|place| self.location(place)),
            at: self.location(args.at.unwrap_or(0)),
            from: args.from.map(|place| self.location(place)),
            stolen: args.stolen.unwrap_or(args.from.is_some()),
            hops: args.hops.unwrap_or(0),
            included: args.kind == Some(Kind::Included),
            cut: args.cut.unwrap_or(false),
        };
        let mut task = self.raw(value, &times, args.parent);
        if let Some(ready) = args.ready {
            let ready_ns = self.nanoseconds("ready", ready, times.label);
            task.ready_ns = self.not_after(ready_ns, task.start_ns, Odd::ReadyTooLate, times.label);
        }
        task.created_ns = task.ready_ns;
        if let Some(created) = args.created {
            let created_ns = self.nanoseconds("created", created, times.label);
            task.created_ns =
                self.not_after(created_ns, task.ready_ns, Odd::CreatedTooLate, times.label);
        }
        self.tasks.push(task);
    }

    fn footprint(&mut self, args: &Args) -> Interval {
        let start = self.bytes.len();
        for (place, &bytes) in
            args.bytes.iter().flatten().enumerate().filter(|&(_, &bytes)| bytes > 0)
        {
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
        if let Some(name) = self.nameless {
            return Err(Error::NoId(name));
        }
        let sizes = [self.tasks.len(), self.spans.len(), self.bytes.len(), self.after.len()];
        let sizes = sizes.into_iter().chain([self.counters.len(), self.regions.len()]);
        if sizes.max() >= Some(u32::MAX as usize) {
            return Err(Error::TooLarge);
        }
        let described = header.topology.unwrap_or_default();
        let (location_kind, enforced) = (described.kind.clone(), described.enforced);
        let (locations, topology) = machine::machine(described, usize::from(self.locations))?;
        let mut notes = header.notes;
        let ending = ending(self.how.as_deref(), damage.as_deref());
        let threads = self.finish_threads();
        let whole = self.is_whole() && damage.is_none();
        let unlinked = Unlinked {
            tasks: self.tasks,
            regions: self.regions,
            spans: self.spans,
            after: self.after,
        };
        let origin = unlinked.origin();
        let Linked { tasks, regions, spans, after } = unlinked.link(whole, &mut self.odd)?;
        let messages = self.arrows.messages(origin);
        self.memory.begin_at(origin);
        notes.extend(self.odd.lines().chain(ending));
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
            messages,
            ranks: header.merged.unwrap_or(1),
            bytes: self.bytes,
            after,
            counter_names: header.counters,
            counters: self.counters,
            end_ns,
            missing_events: self.missing_events,
            run_delay_ns: self.run_delay_ns,
            notes,
            cut: damage.is_some(),
            // What ranks wait for are messages, which the replay of a run does not know.
            whole: whole && header.merged.is_none(),
            processors: header.processors,
            enforced,
            memory: self.memory,
        })
    }

    /// The last line says that all were written. A signal's handler writes them too.
    fn is_whole(&self) -> bool {
        let ended = |how: &str| how == "exit" || how.starts_with("signal ");
        self.missing_events == 0 && self.how.as_deref().is_some_and(ended)
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

fn plain(value: serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    }
}
