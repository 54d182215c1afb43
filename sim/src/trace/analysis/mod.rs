//! What a trace tells, as values: nothing here draws or prints.
//!
//! Units: nanoseconds, bytes; distances in SLIT units (10 is local).

mod advice;
mod data;
mod disturbance;
mod functions;
mod lanes;
mod path;
mod replay;
mod summary;

pub use advice::{Advice, bytes, time};
pub use disturbance::Disturbance;
pub use functions::{Function, Reach};
pub use lanes::{Doing, Lane, Lanes, Segment, Split, lanes};
pub use path::CriticalPath;
pub use summary::{Histogram, Summary, share};

use super::Trace;
use advice::Findings;

/// Everything that is computed from one trace.
pub struct Analysis {
    pub lanes: Lanes,
    pub summary: Summary,
    /// The one with most time first.
    pub functions: Vec<Function>,
    pub path: CriticalPath,
    pub disturbance: Option<Disturbance>,
    /// Why nothing is known of tasks' data, if nothing is.
    pub unknown_data: Option<&'static str>,
    pub advice: Vec<Advice>,
}

impl Analysis {
    pub fn of(trace: &Trace) -> Analysis {
        let lanes = lanes(trace);
        let summary = summary::summary(trace, &lanes);
        let functions = functions::functions(trace, &lanes);
        let path = path::critical_path(trace, &lanes);
        let disturbance = disturbance::disturbance(trace, &lanes);
        let unknown_data = data::unknown_data(trace, &summary);
        let found = Findings {
            trace,
            lanes: &lanes,
            summary: &summary,
            functions: &functions,
            path: &path,
            disturbance,
        };
        let advice = advice::advice(&found);
        Analysis { lanes, summary, functions, path, disturbance, unknown_data, advice }
    }
}
