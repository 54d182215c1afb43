//! A run as the page reads it: everything but the columns is plain JSON.

use serde_json::{Value, json};
use vicinity_sim::trace::Trace;
use vicinity_sim::trace::analysis::{Analysis, Function, Summary};

use super::pack;

/// `letter` and `title` tell the runs of a comparison apart.
pub fn run(trace: &Trace, analysis: &Analysis, letter: char, title: &str) -> Value {
    let packed = pack::pack(trace, analysis);
    let places = trace.locations.len();
    let distance = |from: usize, to: usize| {
        let id = |place: usize| vicinity_policy::topology::LocationId(place as u16);
        trace.topology.distance(id(from), id(to))
    };
    let distances: Vec<u16> =
        (0..places * places).map(|cell| distance(cell / places, cell % places)).collect();
    let threads = trace.threads.iter().map(
        |thread| json!({ "name": thread.name, "short": thread.tid, "location": thread.location.0 }),
    );
    let locations = trace.locations.iter();
    let locations = locations.map(|place| json!({ "name": place.name, "cores": place.cores }));
    let advice = analysis.advice.iter();
    let advice = advice.map(|one| json!({ "text": one.text, "evidence": one.evidence }));
    json!({
        "letter": letter,
        "title": title,
        "program": trace.program,
        "arguments": trace.arguments,
        "started": trace.started,
        "kind": trace.location_kind,
        "settings": trace.settings,
        "notes": trace.notes,
        "missing": trace.missing_events,
        "locations": locations.collect::<Vec<_>>(),
        "distances": distances,
        "threads": threads.collect::<Vec<_>>(),
        "names": trace.names,
        "counterNames": trace.counter_names,
        "endNs": trace.end_ns,
        "endTicks": trace.end_ns / packed.tick_ns,
        "tick": packed.tick_ns,
        "laneFrom": packed.lane_from,
        "summary": summary(&analysis.summary),
        "functions": analysis.functions.iter().map(|one| function(trace, one)).collect::<Vec<_>>(),
        "path": path(trace, analysis),
        "advice": advice.collect::<Vec<_>>(),
        "unknownData": analysis.unknown_data,
        "columns": packed.columns,
    })
}

fn summary(of: &Summary) -> Value {
    let split = of.split;
    let told = split.task_ns + split.chunk_ns + split.region_ns + split.wait_ns + split.write_ns;
    json!({
        "elapsed": of.elapsed_ns,
        "threads": of.threads,
        "tasks": of.tasks,
        "efficiency": of.efficiency(),
        "task": split.task_ns,
        "chunk": split.chunk_ns,
        "region": split.region_ns,
        "wait": split.wait_ns,
        "write": split.write_ns,
        "idle": of.available_ns().saturating_sub(told),
        "bytes": of.reach.bytes,
        "remote": of.reach.remote_bytes,
        "distance": of.reach.mean_distance(),
        "stolen": of.stolen_by_hops,
        "dealt": of.dealt,
        "included": of.included,
        "matrix": of.matrix,
        "length": of.length.counts,
        "queued": of.queued.counts,
    })
}

/// A row of the table of functions.
pub fn function(trace: &Trace, of: &Function) -> Value {
    json!({
        "name": trace.names[of.name as usize],
        "count": of.count,
        "total": of.total_ns,
        "mean": of.mean_ns,
        "p50": of.p50_ns,
        "p99": of.p99_ns,
        "max": of.max_ns,
        "queued": of.queued_mean_ns,
        "stolen": of.stolen,
        "bytes": of.reach.bytes,
        "remote": of.reach.remote_bytes,
        "distance": of.reach.mean_distance(),
    })
}

fn path(trace: &Trace, analysis: &Analysis) -> Value {
    let path = &analysis.path;
    let functions = path.by_function.iter();
    let functions = functions.map(|&(name, ns)| json!([trace.names[name as usize], ns]));
    json!({
        "length": path.length_ns,
        "speedup": path.speedup(trace),
        "tasks": path.tasks.len(),
        "region": path.region_ns,
        "outside": path.outside_ns,
        "functions": functions.collect::<Vec<_>>(),
    })
}
