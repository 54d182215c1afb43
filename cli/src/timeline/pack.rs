//! A trace as columns of numbers in text: what `page/data.js` unpacks.
//!
//! A column's bytes are ordered by significance (all lowest bytes first), which zlib compresses well; columns
//! that rise are stored as differences. Times are counted in *ticks*, so that any trace fits into 32 bits: a tick
//! is a nanosecond up to 4.2 s, and more in longer ones.

use std::io::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Map, Value, json};
use vicinity_sim::trace::analysis::{Analysis, Doing};
use vicinity_sim::trace::{Body, Interval, Task, Trace};

/// What a segment shows if it is no task, as in `page/data.js`; tasks are counted from `FIRST_TASK`.
const NOTHING: u32 = 0;
const REGION: u32 = 1;
const CHUNK: u32 = 2;
const WRITE: u32 = 3;
const WAIT: u32 = 4;
const WAITS: [&str; 5] = ["barrier", "join", "taskwait", "taskgroup", "depend"];
const FIRST_TASK: u32 = 16;

const NO_PLACE: u16 = u16::MAX;
const NO_INDEX: u32 = u32::MAX;

/// All columns of a trace, the ticks they count and where each thread's lane begins among the segments.
pub struct Packed {
    pub columns: Map<String, Value>,
    pub tick_ns: u64,
    pub lane_from: Vec<usize>,
}

pub fn pack(trace: &Trace, analysis: &Analysis) -> Packed {
    let tick_ns = trace.end_ns / u64::from(u32::MAX) + 1;
    let mut columns = Columns { trace, tick_ns, columns: Map::new() };
    columns.times(analysis);
    columns.facts(analysis);
    columns.lists();
    columns.messages();
    let lane_from = columns.lanes(analysis);
    Packed { columns: columns.columns, tick_ns, lane_from }
}

struct Columns<'a> {
    trace: &'a Trace,
    tick_ns: u64,
    columns: Map<String, Value>,
}

impl Columns<'_> {
    fn ticks(&self, ns: u64) -> u32 {
        // `tick_ns` makes everything up to the end of the trace fit.
        (ns / self.tick_ns) as u32
    }

    fn u32(&mut self, name: &str, rising: bool, values: impl Iterator<Item = u32>) {
        let mut last = 0;
        let values: Vec<[u8; 4]> = values
            .map(|value| {
                let before = std::mem::replace(&mut last, if rising { value } else { 0 });
                value.wrapping_sub(before).to_le_bytes()
            })
            .collect();
        self.columns.insert(name.into(), column("u32", rising, &values));
    }

    fn u16(&mut self, name: &str, values: impl Iterator<Item = u16>) {
        let values: Vec<[u8; 2]> = values.map(u16::to_le_bytes).collect();
        self.columns.insert(name.into(), column("u16", false, &values));
    }

    fn f64(&mut self, name: &str, values: impl Iterator<Item = f64>) {
        let values: Vec<[u8; 8]> = values.map(f64::to_le_bytes).collect();
        self.columns.insert(name.into(), column("f64", false, &values));
    }

    fn times(&mut self, analysis: &Analysis) {
        let (trace, tick_ns) = (self.trace, self.tick_ns);
        let ticks = move |ns: u64| (ns / tick_ns) as u32;
        let tasks = || trace.tasks.iter();
        self.u32("created", true, tasks().map(|task| ticks(task.created_ns)));
        self.u32("ready", true, tasks().map(|task| ticks(task.ready_ns)));
        self.u32("start", true, tasks().map(|task| ticks(task.start_ns)));
        let length = |task: &Task| ticks(task.end_ns) - ticks(task.start_ns);
        self.u32("length", false, tasks().map(length));
        self.u32("self", false, analysis.lanes.self_ns.iter().map(|&ns| ticks(ns)));
    }

    fn facts(&mut self, analysis: &Analysis) {
        let trace = self.trace;
        let tasks = || trace.tasks.iter();
        self.f64("id", tasks().map(|task| task.id as f64));
        self.u32("name", false, tasks().map(|task| task.name));
        self.u32("line", false, tasks().map(|task| task.line.unwrap_or(NO_INDEX)));
        self.u32("thread", false, tasks().map(|task| task.thread));
        let parent = |task: &Task| match task.parent {
            Body::Task(parent) => parent.0,
            Body::Region(_) | Body::Outside => NO_INDEX,
        };
        self.u32("parent", true, tasks().map(parent));
        self.u16("at", tasks().map(|task| task.at.0));
        self.u16("from", tasks().map(|task| task.from.map_or(NO_PLACE, |place| place.0)));
        self.u16("dealt", tasks().map(|task| task.dealt.map_or(NO_PLACE, |place| place.0)));
        self.u16("hops", tasks().map(|task| task.hops));
        let mut on_path = vec![false; trace.tasks.len()];
        analysis.path.tasks.iter().for_each(|task| on_path[task.index()] = true);
        let flags = |(task, on_path): (&Task, bool)| {
            let flags = [task.included, task.stolen, task.cut, on_path];
            flags.iter().enumerate().map(|(bit, &set)| u16::from(set) << bit).sum()
        };
        self.u16("flags", tasks().zip(on_path).map(flags));
    }

    fn messages(&mut self) {
        let (trace, tick_ns) = (self.trace, self.tick_ns);
        let ticks = move |ns: u64| (ns.min(trace.end_ns) / tick_ns) as u32;
        let messages = || trace.messages.iter();
        self.u32("messageFrom", false, messages().map(|message| message.from));
        self.u32("messageSent", true, messages().map(|message| ticks(message.from_ns)));
        self.u32("messageTo", false, messages().map(|message| message.to));
        self.u32("messageReceived", true, messages().map(|message| ticks(message.to_ns)));
    }

    /// What tasks have a varying number of: where each one's begin, and one list for all.
    fn lists(&mut self) {
        let trace = self.trace;
        self.starts("bytesFrom", |task| task.bytes);
        let bytes = || trace.tasks.iter().flat_map(|task| trace.bytes_of(task));
        self.u16("bytesPlace", bytes().map(|&(place, _)| place.0));
        self.f64("bytesCount", bytes().map(|&(_, bytes)| bytes as f64));
        self.starts("afterFrom", |task| task.after);
        let after = trace.tasks.iter().flat_map(|task| trace.after_of(task));
        self.u32("after", true, after.map(|task| task.0));
        self.starts("countersFrom", |task| task.counters);
        let counters = trace.tasks.iter().flat_map(|task| trace.counters_of(task));
        self.f64("counters", counters.copied());
    }

    fn starts(&mut self, name: &str, of: impl Fn(&Task) -> Interval) {
        let mut next = 0;
        let mut starts = vec![0];
        for task in &self.trace.tasks {
            next += of(task).len;
            starts.push(next);
        }
        self.u32(name, true, starts.into_iter());
    }

    fn lanes(&mut self, analysis: &Analysis) -> Vec<usize> {
        let trace = self.trace;
        let mut from = vec![0];
        let (mut starts, mut what) = (Vec::new(), Vec::new());
        for lane in &analysis.lanes.lanes {
            for segment in &lane.segments {
                starts.push(self.ticks(segment.start_ns));
                what.push(shown(trace, segment.doing));
            }
            from.push(starts.len());
        }
        self.u32("segmentStart", true, starts.into_iter());
        self.u32("segmentWhat", true, what.into_iter());
        from
    }
}

fn shown(trace: &Trace, doing: Doing) -> u32 {
    match doing {
        Doing::Nothing => NOTHING,
        Doing::Region(_) => REGION,
        Doing::Chunk(_) => CHUNK,
        Doing::Write => WRITE,
        Doing::Wait(name) => {
            let known = WAITS.iter().position(|wait| *wait == trace.names[name as usize]);
            WAIT + known.map_or(0, |position| 1 + position as u32)
        }
        Doing::Task(task) => FIRST_TASK + task.0,
    }
}

/// One column as the page reads it.
fn column<const WIDTH: usize>(kind: &str, delta: bool, values: &[[u8; WIDTH]]) -> Value {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(5));
    let planes = (0..WIDTH).flat_map(|plane| values.iter().map(move |value| value[plane]));
    let planes: Vec<u8> = planes.collect();
    let written = encoder.write_all(&planes).and_then(|()| encoder.finish());
    let packed = written.expect("writing into memory does not fail");
    json!({ "type": kind, "delta": delta, "data": BASE64_STANDARD.encode(packed) })
}
