//! `Rewriter`: a rank's events as events of the merged trace.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::clock::Scale;
use super::part::Message;

/// Arguments that are moments, and those that are numbers of tasks or regions, and of locations.
const MOMENTS: [&str; 3] = ["created", "ready", "posted"];
const NUMBERS: [&str; 4] = ["id", "parent", "task", "region"];
const LOCATIONS: [&str; 4] = ["dealt", "at", "from", "location"];

pub struct Rewriter {
    pub rank: u64,
    pub scale: Scale,
    /// What is added to numbers.
    pub first_id: u64,
    pub first_tid: u64,
    pub first_location: u64,
}

impl Rewriter {
    /// Writes an event, but for the last one of its file.
    pub fn line(&self, mut event: Value, out: &mut dyn Write) -> io::Result<()> {
        if event["name"] == "vicinity_end" {
            return Ok(());
        }
        event["pid"] = json!(self.rank);
        event["tid"] = json!(self.first_tid + event["tid"].as_u64().unwrap_or(0));
        if let Some(ts) = event["ts"].as_f64() {
            event["ts"] = json!(self.scale.time(ts));
        }
        if let Some(dur) = event["dur"].as_f64() {
            event["dur"] = json!(self.scale.length(dur));
        }
        if let Some(id) = event["id"].as_u64() {
            event["id"] = json!(self.first_id + id);
        }
        if let Some(args) = event.get_mut("args") {
            self.arguments(args);
        }
        if event["name"] == "process_name" {
            let name = event["args"]["name"].as_str().unwrap_or_default();
            event["args"]["name"] = json!(format!("rank {}: {name}", self.rank));
        }
        writeln!(out, "{event},")
    }

    fn arguments(&self, args: &mut Value) {
        let Some(args) = args.as_object_mut() else { return };
        let mut change = |names: &[&str], to: &dyn Fn(&Value) -> Option<Value>| {
            for name in names {
                if let Some(value) = args.get_mut(*name)
                    && let Some(new) = to(value)
                {
                    *value = new;
                }
            }
        };
        change(&MOMENTS, &|value| Some(json!(self.scale.time(value.as_f64()?))));
        // 0 is no task.
        let number =
            |value: &Value| Some(json!(self.first_id + value.as_u64().filter(|&id| id > 0)?));
        change(&NUMBERS, &number);
        change(&["after"], &|value| Some(value.as_array()?.iter().filter_map(number).collect()));
        change(&LOCATIONS, &|value| Some(json!(self.first_location + value.as_u64()?)));
        // By location: the other ranks' come before.
        change(&["bytes"], &|value| {
            let others = (0..self.first_location).map(|_| json!(0));
            Some(others.chain(value.as_array()?.iter().cloned()).collect())
        });
    }

    /// An end of the arrow of pair `number`: where the send began, or where the receive was over.
    pub fn arrow(
        &self,
        message: &Message,
        number: usize,
        begins: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        // Within the event, so that viewers find it there.
        let within = if begins || message.dur < 0.002 { 0.0 } else { message.dur - 0.001 };
        let mut event = json!({
            "ph": if begins { "s" } else { "f" },
            "pid": self.rank,
            "tid": self.first_tid + message.tid,
            "cat": "message",
            "name": "message",
            "id": number,
            "ts": self.scale.time(message.ts + within),
            "args": { "size": message.size },
        });
        if !begins {
            event["bp"] = json!("e");
        }
        writeln!(out, "{event},")
    }
}
