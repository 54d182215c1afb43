//! What the driver says unasked: one line at a time on standard error, and no harm where that takes nothing.

use vicinity_output::{tell, words};

pub fn warn(text: &str) {
    tell(format!("vicinity: {text}"));
}

/// A variable's value that is not understood.
pub fn misunderstood(variable: &str, value: &str, allowed: &str, used: &str) {
    tell(words::complaint(variable, value, allowed, used));
}
