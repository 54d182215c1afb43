//! Events as lines of JSON (docs/trace.md). Nothing here allocates.

use super::clock::{Scale, Start};
use super::event::{End, Event, NOWHERE, Places, Record, Wait, flag};
use super::ring::LONGEST;
use super::sites;
use super::text::Text;

/// Bytes that any event fits in: its numbers, of 20 digits and a comma at most, its site's two texts, and its arrows.
pub const LONGEST_LINE: usize = LONGEST * 21 + 2 * LONGEST_NAME + 512 + (MOST_ARROWS + 1) * 160;
/// Bytes of a site's name or line; longer ones are left out.
const LONGEST_NAME: usize = 4096;

/// Arrows that end at a task; `args.after` has all its predecessors.
const MOST_ARROWS: usize = 64;

/// What all events of a process have in common.
#[derive(Clone, Copy)]
pub struct Context {
    pub pid: u32,
    pub scale: Scale,
}

/// How the trace stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum How {
    Running,
    /// By itself; and for how many nanoseconds threads had waited for a processor.
    Exit(Option<u64>),
    Signal(i32),
    /// The file took no more: the number of the error.
    Error(i32),
}

impl How {
    /// The same, with the waiting since the trace began.
    pub fn since(self, start: Start) -> How {
        match self {
            How::Exit(delay) => How::Exit(
                delay.zip(start.run_delay_ns).map(|(now, before)| now.saturating_sub(before)),
            ),
            other => other,
        }
    }
}

/// One event of thread `tid`, with the comma that parts it from the one before.
pub fn event(text: &mut Text, context: Context, tid: u32, record: &Record) {
    let scale = &context.scale;
    let name = |text: &mut Text| text.str(site_name(record.site));
    match record.event {
        Event::Task { .. } => begin(text, context, tid, "task", name),
        Event::Region { .. } => begin(text, context, tid, "region", name),
        Event::Wait { .. } => begin(text, context, tid, "wait", |text| {
            text.str("\"");
            text.str(Wait::NAMES.get(record.site as usize).unwrap_or(&"wait"));
            text.str("\"");
        }),
        Event::Chunk { .. } => begin(text, context, tid, "chunk", |text| text.str("\"chunk\"")),
        Event::Write { .. } => begin(text, context, tid, "trace", |text| text.str("\"write\"")),
        Event::Message { .. } => begin(text, context, tid, "message", |text| {
            text.str("\"");
            text.str(End::NAMES.get(record.site as usize).unwrap_or(&"message"));
            text.str("\"");
        }),
    }
    let start = scale.ns(record.start);
    text.str(",\"ts\":");
    text.time(start);
    text.str(",\"dur\":");
    text.time(scale.ns(record.end).saturating_sub(start));
    text.str(",\"args\":{");
    arguments(text, scale, record);
    if record.flags & flag::CUT != 0 {
        text.str(",\"cut\":true");
    }
    text.str("}}");
    arrows(text, context, tid, record);
}

/// For other viewers: the beginning of the arrows from a task to those after it, and the ends of those from its predecessors.
/// An arrow has the number of the task that it comes from; both ends bind to the event that is open at their moment, which
/// is the start of their task.
fn arrows(text: &mut Text, context: Context, tid: u32, record: &Record) {
    let Event::Task { id, after, .. } = record.event else { return };
    let mut arrow = |head: &str, id: u64| {
        text.str(head);
        text.number(context.pid.into());
        field(text, "tid", tid.into());
        text.str(",\"cat\":\"flow\",\"name\":\"after\"");
        field(text, "id", id);
        text.str(",\"ts\":");
        text.time(context.scale.ns(record.start));
        text.str("}");
    };
    let ends = after.iter().take(MOST_ARROWS);
    ends.for_each(|&before| arrow(",\n{\"ph\":\"f\",\"bp\":\"e\",\"pid\":", before));
    if record.flags & flag::DEPENDS != 0 {
        arrow(",\n{\"ph\":\"s\",\"pid\":", id);
    }
}

fn begin(text: &mut Text, context: Context, tid: u32, cat: &str, name: impl FnOnce(&mut Text)) {
    text.str(",\n{\"ph\":\"X\",\"pid\":");
    text.number(context.pid.into());
    field(text, "tid", tid.into());
    text.str(",\"cat\":\"");
    text.str(cat);
    text.str("\",\"name\":");
    name(text);
}

fn site_name(site: u32) -> &'static str {
    let name = sites::get(site).map_or("\"task\"", |site| &site.name);
    if name.len() > LONGEST_NAME { "\"(long name)\"" } else { name }
}

fn site_line(text: &mut Text, site: u32) {
    text.str(",\"line\":");
    let line = sites::get(site).map_or("null", |site| &site.line);
    text.str(if line.len() > LONGEST_NAME { "null" } else { line });
}

fn field(text: &mut Text, name: &str, value: u64) {
    text.str(",\"");
    text.str(name);
    text.str("\":");
    text.number(value);
}

fn signed(text: &mut Text, name: &str, value: i32) {
    text.str(",\"");
    text.str(name);
    text.str(if value < 0 { "\":-" } else { "\":" });
    text.number(value.unsigned_abs().into());
}

fn arguments(text: &mut Text, scale: &Scale, record: &Record) {
    match record.event {
        Event::Task { id, parent, created, ready, places, after, bytes, counters } => {
            text.str("\"id\":");
            text.number(id);
            field(text, "parent", parent);
            text.str(",\"created\":");
            text.time(scale.ns(created));
            text.str(",\"ready\":");
            text.time(scale.ns(ready));
            let included = record.flags & flag::INCLUDED != 0;
            text.str(if included { ",\"kind\":\"included\"" } else { ",\"kind\":\"deferred\"" });
            list(text, "after", after);
            if bytes.is_empty() {
                text.str(",\"bytes\":null")
            } else {
                list(text, "bytes", bytes)
            }
            locations(text, places);
            let stolen = record.flags & flag::STOLEN != 0;
            text.str(if stolen { ",\"stolen\":true" } else { ",\"stolen\":false" });
            site_line(text, record.site);
            if record.flags & flag::DETACHED != 0 {
                text.str(",\"detached\":true");
            }
            list(text, "counters", counters);
        }
        Event::Region { id, number, thread, threads, level, parent } => {
            text.str("\"id\":");
            text.number(id);
            field(text, "region", number);
            field(text, "thread", thread.into());
            field(text, "threads", threads.into());
            field(text, "level", level);
            field(text, "parent", parent);
            site_line(text, record.site);
        }
        Event::Wait { task } => {
            text.str("\"task\":");
            text.number(task);
        }
        Event::Chunk { task, first, count, number } => {
            text.str("\"task\":");
            text.number(task);
            field(text, "first", first);
            field(text, "count", count);
            field(text, "loop", number);
        }
        Event::Write { events } => {
            text.str("\"events\":");
            text.number(events);
        }
        Event::Message { task, peer, tag, communicator, bytes, posted } => {
            text.str("\"task\":");
            text.number(task);
            signed(text, "peer", peer);
            signed(text, "tag", tag);
            // As text: it has more digits than a double.
            text.str(",\"communicator\":\"");
            text.number(communicator);
            text.str("\"");
            field(text, "size", bytes);
            text.str(",\"posted\":");
            text.time(scale.ns(posted));
        }
    }
}

/// A list, unless it is empty.
fn list(text: &mut Text, name: &str, values: &[u64]) {
    if !values.is_empty() {
        text.str(",\"");
        text.str(name);
        text.str("\":");
        text.numbers(values);
    }
}

fn locations(text: &mut Text, places: Places) {
    let all =
        [("dealt", places.dealt), ("at", places.at), ("from", places.from), ("hops", places.hops)];
    for (name, place) in all {
        text.str(",\"");
        text.str(name);
        text.str("\":");
        location(text, place);
    }
}

fn location(text: &mut Text, place: u16) {
    if place == NOWHERE { text.str("null") } else { text.number(place.into()) }
}

fn fact(text: &mut Text, pid: u32, tid: u32, name: &str) {
    text.str(",\n{\"ph\":\"M\",\"pid\":");
    text.number(pid.into());
    field(text, "tid", tid.into());
    text.str(",\"name\":\"");
    text.str(name);
    text.str("\",\"args\":{");
}

/// What a thread is called, where it stands, and its place among the others.
pub fn thread(text: &mut Text, pid: u32, tid: u32, is_worker: bool, place: u16) {
    fact(text, pid, tid, "thread_name");
    text.str("\"name\":\"");
    match (tid, is_worker) {
        (0, _) => text.str("initial"),
        (_, true) => text.str("worker "),
        (_, false) => text.str("thread "),
    }
    if tid != 0 {
        text.number(tid.into());
    }
    text.str("\",\"location\":");
    location(text, place);
    text.str("}}");
    fact(text, pid, tid, "thread_sort_index");
    text.str("\"sort_index\":");
    let place = if place == NOWHERE { 0 } else { u64::from(place) };
    text.number(place << 20 | u64::from(tid));
    text.str("}}");
}

/// One moment on two clocks, in nanoseconds: of the trace, and of the machine.
#[derive(Clone, Copy)]
pub struct Moment {
    pub trace_ns: u64,
    pub machine_ns: u64,
}

/// The closing lines.
pub fn end(text: &mut Text, pid: u32, how: How, (written, missing): (u64, u64), now: Moment) {
    fact(text, pid, 0, "vicinity_end");
    text.str("\"how\":\"");
    match how {
        How::Running => text.str("running"),
        How::Exit(_) => text.str("exit"),
        How::Signal(signal) => {
            text.str("signal ");
            text.number(signal as u64);
        }
        How::Error(error) => {
            text.str("error ");
            text.number(error as u64);
        }
    }
    text.str("\"");
    field(text, "written_events", written);
    field(text, "missing_events", missing);
    if let How::Exit(Some(run_delay_ns)) = how {
        field(text, "run_delay_ns", run_delay_ns);
    }
    text.str(",\"clock_ts\":");
    text.time(now.trace_ns);
    field(text, "clock_ns", now.machine_ns);
    text.str("}}\n]}\n");
}
