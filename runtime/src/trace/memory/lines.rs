//! The lines that a trace has of memory (docs/trace.md, Memory).

use super::rows::Batch;
use super::{Block, Kind};
use crate::trace::clock::Scale;
use crate::trace::{sink, text::quoted};
use std::fmt::Write;
use vicinity_alloc::os::modules::Module;
use vicinity_alloc::topology;
use vicinity_alloc::touches::Touch;

/// Samples of a line.
const SAMPLES: usize = 128;

/// Lines, each with the comma that parts it from the one before.
pub struct Lines {
    text: String,
    scale: Option<Scale>,
}

impl Lines {
    pub fn begin() -> Lines {
        Lines { text: String::new(), scale: sink::scale() }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    fn add(&mut self, name: &str, arguments: std::fmt::Arguments<'_>) {
        let process = std::process::id();
        // Writing into a string cannot fail.
        let _ = write!(
            self.text,
            ",\n{{\"ph\":\"M\",\"pid\":{process},\"tid\":0,\"name\":\"{name}\",\"args\":{{{arguments}}}}}"
        );
    }

    /// Microseconds from the start of the trace.
    fn time(&self, ticks: u64) -> String {
        let ns = self.scale.map_or(0, |scale| scale.ns(ticks));
        format!("{}.{:03}", ns / 1000, ns % 1000)
    }

    pub fn module(&mut self, module: &Module) {
        let (file, addresses) = (quoted(&module.file), &module.addresses);
        self.add(
            "vicinity_module",
            format_args!(
                "\"file\":{file},\"start\":{},\"end\":{},\"bias\":{}",
                addresses.start, addresses.end, module.bias
            ),
        );
    }

    pub fn block(&mut self, block: &Block, distribution: &str) {
        let (name, more) = match block.kind {
            Kind::File => ("vicinity_file", format!("\"file\":{}", quoted(&block.path))),
            Kind::Heap => ("vicinity_block", "\"of\":\"heap\"".to_owned()),
            Kind::Rows => return,
            Kind::Variables => ("vicinity_block", "\"of\":\"variables\"".to_owned()),
        };
        let since = self.time(block.since);
        let origin: Vec<String> = block.origin.iter().map(usize::to_string).collect();
        self.add(
            name,
            format_args!(
                "\"block\":{},\"since\":{since},\"start\":{},\"size\":{},{more},\
                 \"distribution\":\"{distribution}\",\"origin\":[{}]",
                block.number,
                block.start,
                block.bytes,
                origin.join(",")
            ),
        );
    }

    pub fn rows(&mut self, batch: &Batch) {
        let Batch { block, rows, taken_bytes, .. } = batch;
        let since = self.time(block.since);
        let origin: Vec<String> = block.origin.iter().map(usize::to_string).collect();
        self.add(
            "vicinity_rows",
            format_args!(
                "\"block\":{},\"since\":{since},\"start\":{},\"size\":{},\"rows\":{rows},\"row\":{},\"origin\":[{}]",
                block.number,
                block.start,
                block.bytes,
                taken_bytes / rows,
                origin.join(",")
            ),
        );
    }

    /// Where pages are; `beginner`: where a region begins, the thread that begins it.
    pub fn homes(
        &mut self,
        block: &Block,
        beginner: Option<u32>,
        homes: &Option<(usize, Vec<i32>)>,
    ) {
        let Some((step, homes)) = homes else { return };
        let now = self.time(crate::thread::clock::ticks());
        let homes: Vec<String> = homes.iter().map(i32::to_string).collect();
        let beginner = beginner.map_or("null".to_owned(), |thread| thread.to_string());
        self.add(
            "vicinity_homes",
            format_args!(
                "\"block\":{},\"when\":{now},\"beginner\":{beginner},\"step\":{step},\"homes\":[{}]",
                block.number,
                homes.join(",")
            ),
        );
    }

    /// Samples: thread, microseconds, location, address of the instruction, and then block and offset of what it touches.
    pub fn samples(
        &mut self,
        touches: &[Touch],
        every_ns: u64,
        mut blocks: impl FnMut(&Touch) -> Vec<(u64, usize)>,
    ) {
        let machine = topology::machine();
        for part in touches.chunks(SAMPLES) {
            let mut list = String::new();
            for touch in part {
                let sample = &touch.sample;
                let at = machine
                    .enforced
                    .then(|| i32::from(machine.location_of_processor(sample.processor).0));
                let _ = write!(
                    list,
                    "{}[{},{},{},{}",
                    if list.is_empty() { "" } else { "," },
                    sample.thread,
                    self.time(sample.ticks),
                    at.unwrap_or(-1),
                    sample.instruction
                );
                for (block, offset) in blocks(touch) {
                    let _ = write!(list, ",{block},{offset}");
                }
                list.push(']');
            }
            self.add("vicinity_samples", format_args!("\"every\":{every_ns},\"samples\":[{list}]"));
        }
    }
}
