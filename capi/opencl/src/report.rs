//! What the driver says unasked: one line at a time on standard error, and no harm where that takes nothing.

use std::io::Write;

pub fn warn(text: &str) {
    let line = format!("vicinity: {text}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// A variable's value that is not understood.
pub fn misunderstood(variable: &str, value: &str, allowed: &str, used: &str) {
    warn(&format!(
        "{variable}='{value}' is not understood; allowed: {allowed}; used instead: {used}"
    ));
}
