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

/// The process cannot go on without so much more memory: says so, which takes none, and aborts.
#[cold]
pub fn out_of_memory(bytes: usize) -> ! {
    last_line(format_args!("no memory: {bytes} bytes more are needed"))
}

/// What a panic of ours says; the process aborts after it. For `std::panic::set_hook`.
pub fn panicked(panic: &std::panic::PanicHookInfo) {
    let payload = panic.payload();
    let formatted = || payload.downcast_ref::<String>().map(String::as_str);
    let text = payload.downcast_ref::<&str>().copied().or_else(formatted).unwrap_or("no message");
    match panic.location() {
        Some(place) => last_line(format_args!("internal error at {place}: {text}")),
        None => last_line(format_args!("internal error: {text}")),
    }
}

fn last_line(text: std::fmt::Arguments) -> ! {
    use std::fmt::Write;
    use std::io::Write as _;
    let mut line = Line::new();
    let _ = write!(line, "vicinity: {text}");
    let _ = std::io::stderr().lock().write_all(line.end());
    std::process::abort()
}

/// A line of text that needs no memory but its own: what does not fit is left out, and line breaks in it are blanks.
struct Line {
    bytes: [u8; 512],
    len: usize,
}

impl Line {
    fn new() -> Line {
        Line { bytes: [0; 512], len: 0 }
    }

    /// The line with its end.
    fn end(&mut self) -> &[u8] {
        self.bytes[self.len] = b'\n';
        &self.bytes[..=self.len]
    }
}

impl std::fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let room = self.bytes.len() - 1 - self.len;
        for byte in text.bytes().take(room) {
            self.bytes[self.len] = if byte.is_ascii_control() { b' ' } else { byte };
            self.len += 1;
        }
        Ok(())
    }
}

/// A write error here has nobody left to be told to.
fn write_stderr(text: &str) {
    use std::io::Write;
    let _ = std::io::stderr().lock().write_all(format!("vicinity: {text}\n").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    #[test]
    fn a_line_is_one_line_and_no_longer_than_its_memory() {
        let mut line = Line::new();
        write!(line, "left: {}\n right: {}", 1, 2).unwrap();
        assert_eq!(line.end(), b"left: 1  right: 2\n");
        write!(line, "{}", "x".repeat(1000)).unwrap();
        assert_eq!((line.end().len(), line.end().last()), (512, Some(&b'\n')));
    }
}
