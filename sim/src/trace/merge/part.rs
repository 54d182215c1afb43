//! `Part`: one rank's file, and what must be known of it before it can be merged.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use serde_json::Value;

use super::super::error::{Error, VERSION};

/// One end of a message; times are microseconds of its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub receives: bool,
    /// World rank of the other end.
    pub peer: i64,
    pub tag: i64,
    pub communicator: String,
    pub posted: f64,
    pub ts: f64,
    pub dur: f64,
    pub tid: u64,
    pub size: u64,
}

pub struct Part {
    pub path: PathBuf,
    /// `otherData`.
    pub header: Value,
    /// World rank; none if the file does not say.
    pub rank: Option<u64>,
    pub greatest_id: u64,
    pub greatest_tid: u64,
    pub messages: Vec<Message>,
    /// Arguments of `vicinity_end`; null where the file was cut.
    pub end: Value,
}

impl Part {
    /// Reads a file for the first time.
    pub fn survey(path: &Path) -> Result<Part, Error> {
        let mut lines = open(path)?;
        let header = header(&mut lines)?;
        let mut part = Part {
            path: path.to_owned(),
            rank: header["rank"].as_u64(),
            header,
            greatest_id: 0,
            greatest_tid: 0,
            messages: Vec::new(),
            end: Value::Null,
        };
        each_event(&mut lines, &mut |event| {
            part.see(&event);
            Ok(())
        })
        .map_err(Error::Unreadable)?;
        Ok(part)
    }

    /// Reads it again: every event as a value.
    pub fn each_line(&self, act: &mut dyn FnMut(Value) -> io::Result<()>) -> io::Result<()> {
        let again = |error: Error| io::Error::other(error.to_string());
        let mut lines = open(&self.path).map_err(again)?;
        header(&mut lines).map_err(again)?;
        each_event(&mut lines, act)
    }

    pub fn locations(&self) -> u64 {
        let list = self.header["topology"]["locations"].as_array();
        list.map_or(1, |list| list.len().max(1)) as u64
    }

    fn see(&mut self, event: &Value) {
        let args = &event["args"];
        self.greatest_tid = self.greatest_tid.max(event["tid"].as_u64().unwrap_or(0));
        self.greatest_id = self.greatest_id.max(args["id"].as_u64().unwrap_or(0));
        if event["name"] == "vicinity_end" {
            self.end = args.clone();
        }
        if event["cat"] == "message" && event["ph"] == "X" {
            self.messages.push(Message {
                receives: event["name"] == "receive",
                peer: args["peer"].as_i64().unwrap_or(-1),
                tag: args["tag"].as_i64().unwrap_or(0),
                communicator: args["communicator"].as_str().unwrap_or_default().to_owned(),
                posted: args["posted"].as_f64().unwrap_or(0.0),
                ts: event["ts"].as_f64().unwrap_or(0.0),
                dur: event["dur"].as_f64().unwrap_or(0.0),
                tid: event["tid"].as_u64().unwrap_or(0),
                size: args["size"].as_u64().unwrap_or(0),
            });
        }
    }
}

type Lines = Box<dyn BufRead>;

fn open(path: &Path) -> Result<Lines, Error> {
    let file = File::open(path).map_err(Error::Unreadable)?;
    let mut plain = BufReader::new(file);
    let start = plain.fill_buf().map_err(Error::Unreadable)?;
    Ok(match start {
        [] => return Err(Error::Empty),
        [0x1f, 0x8b, ..] => Box::new(BufReader::new(MultiGzDecoder::new(plain))),
        _ => Box::new(plain),
    })
}

/// The lines before the first event.
fn header(lines: &mut Lines) -> Result<Value, Error> {
    let mut text = String::new();
    while !text.contains("\"traceEvents\":[") {
        if lines.read_line(&mut text).map_err(Error::Unreadable)? == 0 {
            return Err(Error::NotATrace);
        }
    }
    let before = text.split("\"traceEvents\":[").next().unwrap_or_default();
    let whole = format!("{}}}", before.trim_end().trim_end_matches(','));
    let mut parsed: Value = serde_json::from_str(&whole).map_err(Error::NotJson)?;
    match parsed["otherData"]["vicinity"].as_u64() {
        None => Err(Error::OtherTool),
        Some(VERSION) => Ok(parsed["otherData"].take()),
        Some(other) => Err(Error::OtherVersion(other)),
    }
}

/// Every event is a line of its own; the first that is none is where the file was cut.
fn each_event(lines: &mut Lines, act: &mut dyn FnMut(Value) -> io::Result<()>) -> io::Result<()> {
    let mut line = String::new();
    loop {
        line.clear();
        if lines.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let text = line.trim().trim_end_matches(',');
        match serde_json::from_str::<Value>(text) {
            Ok(event) if event.is_object() => act(event)?,
            _ if text.is_empty() => (),
            _ => return Ok(()),
        }
    }
}
