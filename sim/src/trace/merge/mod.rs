//! Traces of the ranks of one job become one file, in the same format (docs/trace.md).
//!
//! Each file is read twice: first for what must be known of all of them before the first line can be written (`part`), then
//! line by line (`rewrite`): times are put on one clock (`clock`), numbers of tasks, threads and locations are made different,
//! and the process of each event is its rank. Sends and receives become pairs (`pairs`), which arrows connect.
//!
//! What is not here: what the merged file means, which the reader finds out as of any trace.

mod clock;
mod pairs;
mod part;
mod rewrite;

use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::error::Error;
use clock::Alignment;
use pairs::pairs;
use part::Part;
use rewrite::Rewriter;

/// Distance between locations of different ranks, whose data are apart: the one Linux assumes.
const APART: u64 = 20;

/// Which file cannot be merged, and why.
#[derive(Debug)]
pub struct Failed {
    pub path: PathBuf,
    pub error: Error,
}

/// Writes the traces of several ranks as one.
pub fn merge(paths: &[PathBuf], out: &mut dyn Write) -> Result<(), Failed> {
    let survey =
        |path: &PathBuf| Part::survey(path).map_err(|error| Failed { path: path.clone(), error });
    let mut parts = paths.iter().map(survey).collect::<Result<Vec<Part>, Failed>>()?;
    for (number, part) in parts.iter_mut().enumerate() {
        part.rank.get_or_insert(number as u64);
    }
    parts.sort_by_key(|part| part.rank);
    if let Some(twice) = parts.windows(2).find(|two| two[0].rank == two[1].rank) {
        let (rank, path) = (twice[1].rank.unwrap_or(0), twice[1].path.clone());
        return Err(Failed { path, error: Error::RankTwice(rank) });
    }
    write(&parts, out)
}

fn write(parts: &[Part], out: &mut dyn Write) -> Result<(), Failed> {
    let failed = |part: &Part, error: io::Error| Failed {
        path: part.path.clone(),
        error: Error::Unreadable(error),
    };
    let alignment = Alignment::of(parts);
    let found = pairs(parts);
    let notes = notes(parts, &alignment, found.alone);
    let first = &parts[0];
    let head = header(parts, &alignment, notes);
    let start = |error| failed(first, error);
    write!(out, "{{\"displayTimeUnit\":\"ns\",\"otherData\":{head},\n\"traceEvents\":[\n")
        .map_err(start)?;
    let stride = parts.iter().map(|part| part.greatest_id).max().unwrap_or(0) + 1;
    let threads = parts.iter().map(|part| part.greatest_tid).max().unwrap_or(0) + 1;
    let mut locations = 0;
    let mut rewriters = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let rewriter = Rewriter {
            rank: part.rank.unwrap_or(0),
            scale: alignment.scale(number),
            first_id: stride * number as u64,
            first_tid: threads * number as u64,
            first_location: locations,
        };
        locations += part.locations();
        part.each_line(&mut |line| rewriter.line(line, out))
            .map_err(|error| failed(part, error))?;
        rewriters.push(rewriter);
    }
    for (number, &(from, to)) in found.pairs.iter().enumerate() {
        let (sender, receiver) = (&parts[from.part], &parts[to.part]);
        let (send, receive) = (&sender.messages[from.message], &receiver.messages[to.message]);
        rewriters[from.part]
            .arrow(send, number, true, out)
            .map_err(|error| failed(sender, error))?;
        rewriters[to.part]
            .arrow(receive, number, false, out)
            .map_err(|error| failed(receiver, error))?;
    }
    let ended = |part: &&Part| part.end["how"] != "exit";
    let end = parts.iter().find(ended).unwrap_or(first);
    let sum = |field: &str| parts.iter().filter_map(|part| part.end[field].as_u64()).sum::<u64>();
    let args = json!({
        "how": end.end["how"],
        "written_events": sum("written_events"),
        "missing_events": sum("missing_events"),
        "run_delay_ns": sum("run_delay_ns"),
    });
    writeln!(
        out,
        "{{\"ph\":\"M\",\"pid\":{},\"tid\":0,\"name\":\"vicinity_end\",\"args\":{args}}}\n]}}",
        first.rank.unwrap_or(0)
    )
    .map_err(|error| failed(first, error))
}

/// `otherData`: the first rank's, with what all of them have.
fn header(parts: &[Part], alignment: &Alignment, notes: Vec<String>) -> Value {
    let mut header = parts[0].header.clone();
    let named = |part: &Part| {
        let rank = part.rank.unwrap_or(0);
        let list = part.header["topology"]["locations"].as_array().cloned().unwrap_or_default();
        let is_only = list.len() == 1;
        list.into_iter().map(move |mut location| {
            let name = location["name"].as_str().unwrap_or("location").to_owned();
            let whose = format!("rank {rank}");
            location["name"] = json!(if is_only { whose } else { format!("{whose}: {name}") });
            location
        })
    };
    let locations: Vec<Value> = parts.iter().flat_map(named).collect();
    header["topology"]["locations"] = json!(locations);
    header["topology"]["distances"] = distances(parts);
    let processors: u64 = parts.iter().filter_map(|part| part.header["processors"].as_u64()).sum();
    header["processors"] = json!(processors);
    header["merged"] = json!(parts.len());
    header["started"] = parts[alignment.earliest].header["started"].clone();
    header["notes"] = json!(notes);
    for field in ["rank", "clock"] {
        header[field] = Value::Null;
    }
    if parts.iter().any(|part| part.header["counters"] != parts[0].header["counters"]) {
        header["counters"] = json!([]);
    }
    header
}

/// Within a rank as it says; ranks are apart.
fn distances(parts: &[Part]) -> Value {
    let own = |part: usize| (0..parts[part].locations()).map(move |at| (part, at));
    let all: Vec<(usize, u64)> = (0..parts.len()).flat_map(own).collect();
    let row = |&(part, from): &(usize, u64)| -> Vec<Value> {
        let rows = &parts[part].header["topology"]["distances"];
        let told = |to: u64| rows.get(from as usize).and_then(|row| row.get(to as usize));
        let distance = |&(other, to): &(usize, u64)| match (other == part, told(to)) {
            (true, Some(distance)) => distance.clone(),
            (true, None) if from == to => json!(10),
            _ => json!(APART),
        };
        all.iter().map(distance).collect()
    };
    json!(all.iter().map(row).collect::<Vec<_>>())
}

/// What each rank has to say, and how well they fit together.
fn notes(parts: &[Part], alignment: &Alignment, alone: usize) -> Vec<String> {
    let own = parts.iter().flat_map(|part| {
        let notes = part.header["notes"].as_array().cloned().unwrap_or_default();
        let rank = part.rank.unwrap_or(0);
        notes.into_iter().map(move |note| format!("rank {rank}: {}", note.as_str().unwrap_or("")))
    });
    let mut notes: Vec<String> = own.collect();
    notes.extend(alignment.note());
    if alone > 0 {
        notes.push(format!(
            "{alone} sends or receives have no other end in these traces: a rank is missing, or it was received in a \
             way that is not recorded (docs/mpi.md)"
        ));
    }
    notes
}

#[cfg(test)]
mod tests;
