//! What a trace tells, as values: nothing here draws or prints.
//!
//! Units: nanoseconds, bytes; distances in SLIT units (10 is local).

mod advice;
mod functions;
mod lanes;
mod path;
mod replay;
mod summary;

pub use advice::{Advice, bytes, time};
pub use functions::{Function, Reach};
pub use lanes::{Doing, Lane, Lanes, Segment, Split, lanes};
pub use path::CriticalPath;
pub use summary::{Histogram, Summary, share};

use super::Trace;

/// Everything that is computed from one trace.
pub struct Analysis {
    pub lanes: Lanes,
    pub summary: Summary,
    /// The one with most time first.
    pub functions: Vec<Function>,
    pub path: CriticalPath,
    pub advice: Vec<Advice>,
}

impl Analysis {
    pub fn of(trace: &Trace) -> Analysis {
        let lanes = lanes(trace);
        let summary = summary::summary(trace, &lanes);
        let functions = functions::functions(trace, &lanes);
        let path = path::critical_path(trace, &lanes);
        let advice = advice::advice(trace, &lanes, &summary, &functions, &path);
        Analysis { lanes, summary, functions, path, advice }
    }
}
