//! A trace of a run that never was, of any size: what the browser draws in the tests.
//!
//! Blocks of a grid are swept phase by phase; a task depends on its block and the neighbours in the phase before
//! and runs where its block is, unless another thread has nothing to do. Every eighth phase sums up instead, in
//! short tasks. All members of the region wait at its end and run tasks meanwhile, as real ones do.
//! The same shape and seed give the same bytes. Units: nanoseconds.

use std::io::{self, Write};

#[derive(Clone, Copy)]
pub struct Shape {
    pub locations: usize,
    pub threads: usize,
    pub phases: usize,
    pub blocks: usize,
    /// How much longer a task takes on remote data, in percent.
    pub remote_cost: u64,
    pub seed: u64,
}

impl Shape {
    pub const SMALL: Shape =
        Shape { locations: 4, threads: 16, phases: 40, blocks: 64, remote_cost: 60, seed: 1 };

    /// About this many tasks.
    pub fn of_tasks(tasks: usize) -> Shape {
        Shape {
            locations: 8,
            threads: 64,
            phases: tasks / 512,
            blocks: 512,
            remote_cost: 60,
            seed: 7,
        }
    }

    /// Writes the file.
    pub fn write(self, out: &mut dyn Write) -> io::Result<()> {
        Run { shape: self, random: self.seed, free: vec![2_000; self.threads] }.write(out)
    }

    fn location_of_thread(self, thread: usize) -> usize {
        thread * self.locations / self.threads
    }

    fn home(self, block: usize) -> usize {
        block * self.locations / self.blocks
    }
}

struct Run {
    shape: Shape,
    random: u64,
    /// When each thread has nothing to do any more.
    free: Vec<u64>,
}

const BLOCK_BYTES: u64 = 96 << 10;
const CREATION_NS: u64 = 90;

impl Run {
    fn below(&mut self, limit: u64) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
        (self.random >> 33) % limit
    }

    fn write(mut self, out: &mut dyn Write) -> io::Result<()> {
        let Shape { phases, blocks, threads, .. } = self.shape;
        self.header(out)?;
        let created =
            |phase: usize, block: usize| 2_000 + (phase * blocks + block) as u64 * CREATION_NS;
        let all_created = created(phases, 0);
        self.free[0] = all_created;
        let mut before = vec![0_u64; blocks];
        for phase in 0..phases {
            let mut ends = vec![0; blocks];
            for (block, end) in ends.iter_mut().enumerate() {
                let reach = block.saturating_sub(1)..(block + 2).min(blocks);
                let ready = before[reach.clone()].iter().copied().max().unwrap_or(0);
                let times = [created(phase, block), ready.max(created(phase, block))];
                *end = self.task(out, phase, block, times)?;
            }
            before = ends;
        }
        let end = before.iter().chain(&self.free).copied().max().unwrap_or(0) + 500;
        for thread in 0..threads {
            let from = if thread == 0 { all_created } else { 1_500 };
            let body = 1_000_000_000 + thread;
            event(out, "wait", "join", thread, from, end, &format!("\"task\":{body}"))?;
            let args =
                format!("\"id\":{body},\"region\":1,\"thread\":{thread},\"threads\":{threads}");
            event(out, "region", "main:20", thread, 1_000, end + 200, &args)?;
        }
        writeln!(
            out,
            r#"{{"ph":"M","pid":7,"tid":0,"name":"vicinity_end","args":{{"how":"exit","missing_events":0}}}}"#
        )?;
        writeln!(out, "]}}")
    }

    fn header(&self, out: &mut dyn Write) -> io::Result<()> {
        let Shape { locations, threads, .. } = self.shape;
        let per_location = threads / locations;
        let list = |count: usize, item: &dyn Fn(usize) -> String| {
            (0..count).map(item).collect::<Vec<_>>().join(",")
        };
        let places = list(locations, &|place| {
            let cores = list(per_location, &|core| (place * per_location + core).to_string());
            format!(r#"{{"name":"node {place}","cores":[{cores}],"node":{place}}}"#)
        });
        let distances = list(locations, &|from| {
            let far = |to: usize| {
                if from == to {
                    10
                } else if from / 2 == to / 2 {
                    16
                } else {
                    22
                }
            };
            format!("[{}]", list(locations, &|to| far(to).to_string()))
        });
        writeln!(
            out,
            r#"{{"displayTimeUnit":"ns","otherData":{{"vicinity":1,"program":"/home/user/heat","arguments":["512"],"#
        )?;
        writeln!(
            out,
            r#""started":"2026-01-31T12:00:00Z","settings":{{"VICINITY_SCHEDULER":"locality","OMP_DATA_DISTRIBUTION":"coarse"}},"#
        )?;
        writeln!(
            out,
            r#""topology":{{"kind":"numa_domains","locations":[{places}],"distances":[{distances}],"enforced":true}},"#
        )?;
        writeln!(
            out,
            r#""counters":["page_faults"],"notes":["This machine counts no cycles; page faults stand in."]}},"#
        )?;
        writeln!(out, "\"traceEvents\":[")?;
        for thread in 0..threads {
            let name = if thread == 0 { "initial".into() } else { format!("worker {thread}") };
            let place = self.shape.location_of_thread(thread);
            writeln!(
                out,
                r#"{{"ph":"M","pid":7,"tid":{thread},"name":"thread_name","args":{{"name":"{name}","location":{place}}}}},"#
            )?;
        }
        Ok(())
    }

    /// Chooses a thread, writes the task, and returns when it ends.
    fn task(
        &mut self,
        out: &mut dyn Write,
        phase: usize,
        block: usize,
        [created, ready]: [u64; 2],
    ) -> io::Result<u64> {
        let shape = self.shape;
        let home = shape.home(block);
        let sums = phase % 8 == 7;
        let work = if sums {
            1_500 + self.below(600)
        } else {
            14_000 + self.below(9_000) + (block as u64 % 7) * 900
        };
        let soonest = |threads: &mut dyn Iterator<Item = usize>, free: &[u64]| {
            threads.min_by_key(|&t| free[t])
        };
        let mut at_home = (0..shape.threads).filter(|&t| shape.location_of_thread(t) == home);
        let own = soonest(&mut at_home, &self.free).unwrap_or(0);
        let any = soonest(&mut (0..shape.threads), &self.free).unwrap_or(0);
        let stolen = self.free[own].max(ready) > self.free[any].max(ready) + 22_000;
        let thread = if stolen { any } else { own };
        let at = shape.location_of_thread(thread);
        let start = self.free[thread].max(ready) + 120 + self.below(200);
        let slower = if at == home { 0 } else { work * shape.remote_cost / 100 };
        let end = start + work + slower;
        self.free[thread] = end;
        let id = phase * shape.blocks + block + 1;
        let near = block.saturating_sub(1)..(block + 2).min(shape.blocks);
        let before: Vec<String> = if phase == 0 {
            Vec::new()
        } else {
            near.map(|other| ((phase - 1) * shape.blocks + other + 1).to_string()).collect()
        };
        let mut bytes = vec![0; shape.locations];
        bytes[home] = BLOCK_BYTES;
        bytes[shape.home((block + 1).min(shape.blocks - 1))] += BLOCK_BYTES / 8;
        let hops = if at == home {
            0
        } else if at / 2 == home / 2 {
            1
        } else {
            2
        };
        let from =
            if stolen { format!("{home},\"hops\":{hops}") } else { "null,\"hops\":null".into() };
        let (name, line) =
            if sums { ("residual:48", "heat.c:48") } else { ("sweep:31", "heat.c:31") };
        let args = format!(
            r#""id":{id},"parent":1000000000,"created":{},"ready":{},"kind":"deferred","after":[{}],"bytes":{bytes:?},"dealt":{home},"at":{at},"from":{from},"stolen":{stolen},"line":"{line}","counters":[{}]"#,
            micro(created),
            micro(ready),
            before.join(","),
            self.below(3)
        );
        if self.below(40) == 0 && !sums {
            nested(out, id, thread, at, (start + work / 4, start + work / 2))?;
        }
        event(out, "task", name, thread, start, end, &args)?;
        Ok(end)
    }
}

/// A task that waits for one that runs inside it.
fn nested(
    out: &mut dyn Write,
    id: usize,
    thread: usize,
    at: usize,
    (start, end): (u64, u64),
) -> io::Result<()> {
    let child = 2_000_000_000 + id;
    let args = format!(r#""id":{child},"parent":{id},"kind":"included","bytes":null,"at":{at}"#);
    event(out, "task", "refine:57", thread, start + 50, end - 50, &args)?;
    event(out, "wait", "taskwait", thread, start, end, &format!("\"task\":{id}"))
}

fn micro(ns: u64) -> String {
    format!("{}.{:03}", ns / 1000, ns % 1000)
}

fn event(
    out: &mut dyn Write,
    cat: &str,
    name: &str,
    thread: usize,
    start: u64,
    end: u64,
    args: &str,
) -> io::Result<()> {
    writeln!(
        out,
        r#"{{"ph":"X","pid":7,"tid":{thread},"cat":"{cat}","name":"{name}","ts":{},"dur":{},"args":{{{args}}}}},"#,
        micro(start),
        micro(end - start)
    )
}
