//! The one place that writes to standard error: warnings, and the last line before an abort.
//!
//! Every message is one line, `vicinity: <text>`, written with a single `write(2)` so that lines of
//! several threads do not mix.

use std::sync::atomic::{AtomicBool, Ordering};

/// Relaxed: a wish of the user, not a protocol.
static WARNINGS: AtomicBool = AtomicBool::new(true);

/// Writes one warning line to standard error, unless warnings are off.
pub fn warn(text: &str) {
    if WARNINGS.load(Ordering::Relaxed) {
        write_stderr(text);
    }
}

/// A warning that a process is given once, however often there is cause for it.
pub struct OneWarning {
    given: AtomicBool,
}

impl OneWarning {
    pub const fn new() -> OneWarning {
        OneWarning { given: AtomicBool::new(false) }
    }

    #[cold]
    pub fn warn(&self, text: impl FnOnce() -> String) {
        // Relaxed: nothing is published with it.
        if !self.given.swap(true, Ordering::Relaxed) {
            warn(&text());
        }
    }
}

impl Default for OneWarning {
    fn default() -> Self {
        OneWarning::new()
    }
}

/// Turns warnings on or off.
pub fn set_warnings(on: bool) {
    WARNINGS.store(on, Ordering::Relaxed);
}

/// Writes what the program or its user asked to see, as it is.
pub fn show(text: &str) {
    use std::io::Write;
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Says what is wrong and aborts the process: for internal inconsistencies and for errors of the
/// program that the specification leaves undefined and that cannot be survived.
#[cold]
pub fn fatal(text: &str) -> ! {
    write_stderr(text);
    std::process::abort()
}

/// A write error here has nobody left to be told to.
fn write_stderr(text: &str) {
    use std::io::Write;
    let _ = std::io::stderr().lock().write_all(format!("vicinity: {text}\n").as_bytes());
}
