//! A trace file, and what is computed of it.

use crate::check_complaint;
use vicinity_sim::trace::analysis::Analysis;
use vicinity_sim::trace::{Body, Trace, read};

/// One with every kind of event.
pub const SAMPLES: &[&str] = &[include_str!("../samples/trace.json")];

/// Reads it, follows every index in it, and adds it up.
pub fn trace(input: &[u8]) {
    match read(input) {
        Ok(trace) => {
            check_indices(&trace);
            Analysis::of(&trace);
        }
        Err(error) => check_complaint(&error.to_string()),
    }
}

fn check_indices(trace: &Trace) {
    assert_eq!(trace.locations.len(), trace.topology.len(), "locations and distances");
    for thread in &trace.threads {
        assert!(thread.location.index() < trace.topology.len(), "{thread:?}");
    }
    for task in &trace.tasks {
        trace.name_of(task);
        assert!(trace.bytes_of(task).iter().all(|(at, _)| at.index() < trace.topology.len()));
        assert!(trace.after_of(task).iter().all(|other| other.index() < trace.tasks.len()));
        assert!(task.start_ns <= task.end_ns && task.end_ns <= trace.end_ns, "{task:?}");
        match task.parent {
            Body::Task(parent) => assert!(parent.index() < trace.tasks.len(), "{task:?}"),
            Body::Region(region) => assert!(region.index() < trace.regions.len(), "{task:?}"),
            Body::Outside => {}
        }
    }
    for span in &trace.spans {
        assert!(span.start_ns <= span.end_ns && span.end_ns <= trace.end_ns, "{span:?}");
    }
}
