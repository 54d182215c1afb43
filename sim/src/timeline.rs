//! A simulated run as a trace file (docs/trace.md), with virtual times.
//!
//! Units: microseconds with nanosecond decimals in the file, picoseconds here.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::engine::Setup;
use crate::outcome::{Outcome, Record};
use crate::program::TaskId;

/// Version of the format.
const VERSION: u32 = 1;

/// Writes what the records of `setup` say.
pub fn write(
    to: &mut impl Write,
    setup: &Setup,
    outcome: &Outcome,
    records: &[Record],
) -> io::Result<()> {
    let header = header(setup);
    writeln!(to, "{{\"displayTimeUnit\":\"ns\",\"otherData\":{header},\n\"traceEvents\":[")?;
    for (thread, location) in locations_of_threads(outcome, records).into_iter().enumerate() {
        let name = if thread == 0 { "initial".to_string() } else { format!("worker {thread}") };
        let args = json!({"name": name, "location": location});
        let fact = json!({"ph": "M", "pid": 1, "tid": thread, "name": "thread_name", "args": args});
        writeln!(to, "{fact},")?;
    }
    for record in records {
        writeln!(to, "{},", event(setup, record))?;
    }
    let args = json!({"how": "exit", "missing_events": 0, "written_events": records.len()});
    let end = json!({"ph": "M", "pid": 1, "tid": 0, "name": "vicinity_end", "args": args});
    writeln!(to, "{end}\n]}}")
}

fn header(setup: &Setup) -> Value {
    let topology = &setup.machine.topology;
    let mut first_core = 0;
    let locations: Vec<Value> = topology
        .locations()
        .map(|at| {
            let cores = first_core..first_core + topology.threads(at);
            first_core = cores.end;
            let cores: Vec<u32> = cores.collect();
            json!({"name": format!("location {}", at.0), "cores": cores, "node": at.0})
        })
        .collect();
    let distances: Vec<Vec<u16>> = topology
        .locations()
        .map(|from| topology.locations().map(|to| topology.distance(from, to)).collect())
        .collect();
    let kind = if setup.machine.many_core { "cores" } else { "numa_domains" };
    json!({
        "vicinity": VERSION,
        "version": env!("CARGO_PKG_VERSION"),
        "program": setup.program.title,
        "arguments": [],
        "pid": 1,
        "started": "1970-01-01T00:00:00.000000000Z",
        "settings": {
            "VICINITY_SCHEDULER": format!("{:?}", setup.scheduler).to_lowercase(),
            "OMP_DATA_DISTRIBUTION": format!("{:?}", setup.distribution).to_lowercase(),
        },
        "topology": {
            "kind": kind, "locations": locations, "distances": distances, "enforced": false
        },
        "counters": [],
        "notes": [format!("simulated on {}; times are virtual", setup.machine.title)],
    })
}

/// Where each thread was; a thread that ran nothing is not told.
fn locations_of_threads(outcome: &Outcome, records: &[Record]) -> Vec<Option<u16>> {
    let mut locations = vec![None; outcome.busy_ps.len()];
    for record in records {
        locations[record.thread as usize] = Some(record.at.0);
    }
    locations
}

fn event(setup: &Setup, record: &Record) -> Value {
    let program = setup.program;
    let task = &program.tasks[record.task as usize];
    // Numbers of tasks begin with 1.
    let id = |task: TaskId| u64::from(task) + 1;
    let us = |ps: u64| (ps / 1000) as f64 / 1000.0;
    let name = &program.names[task.name as usize];
    let root = record.task == program.root;
    let args = if root {
        json!({"id": id(record.task), "region": 1, "thread": 0, "level": 1, "line": null})
    } else {
        let after: Vec<u64> = program.after_of(record.task).iter().map(|&task| id(task)).collect();
        let has_data = record.bytes.iter().any(|&bytes| bytes > 0);
        let hops = record.from.map(|from| setup.machine.topology.hops(record.at, from));
        json!({
            "id": id(record.task),
            "parent": id(task.parent),
            "created": us(record.created_ps),
            "ready": us(record.ready_ps),
            "kind": "deferred",
            "after": after,
            "bytes": has_data.then_some(&record.bytes),
            "dealt": record.dealt.map(|at| at.0),
            "at": record.at.0,
            "from": record.from.map(|at| at.0),
            "hops": hops,
            "stolen": record.from.is_some(),
            "line": null,
        })
    };
    let (start_ps, end_ps) = (record.start_ps, record.end_ps);
    json!({
        "ph": "X",
        "pid": 1,
        "tid": record.thread,
        "cat": if root { "region" } else { "task" },
        "name": name,
        "ts": us(start_ps),
        // Both ends are cut to nanoseconds, so that what nested still nests.
        "dur": (end_ps / 1000 - start_ps / 1000) as f64 / 1000.0,
        "args": args,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::simulate;
    use crate::machine::Machine;
    use crate::programs::{Input, Kind};
    use vicinity_policy::distribution::Distribution;
    use vicinity_policy::presets;
    use vicinity_policy::scheduler::Scheduler;

    #[test]
    fn what_is_written_can_be_read_and_simulated_again() {
        let machine = Machine::new(presets::named("opteron6172").unwrap());
        let program = Input { kind: Kind::Dag, size: 300, seed: 1 }.program(&machine);
        let setup = Setup::new(&machine, &program, Scheduler::Locality, Distribution::Coarse);
        let setup = Setup { record: true, ..setup };
        let (outcome, records) = simulate(&setup).unwrap();
        let mut text = Vec::new();
        write(&mut text, &setup, &outcome, &records).unwrap();
        let trace = crate::trace::read(&text).unwrap();
        assert_eq!(trace.tasks.len(), 300);
        assert!(!trace.cut);
        let again = crate::recorded::program(&trace, &machine);
        assert_eq!(again.tasks.len(), 302);
        let setup = Setup { program: &again, ..setup };
        let repeated = simulate(&setup).unwrap().0;
        let ratio = repeated.makespan_ps as f64 / outcome.makespan_ps as f64;
        assert!((0.5..2.0).contains(&ratio), "{ratio}");
    }
}
