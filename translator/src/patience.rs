//! Bounds the time that a translation takes: one that takes too long begins anew with less optimization.
//!
//! LLVM's passes cannot be interrupted, so the process is: after [`LIMIT`] it executes itself again, with
//! [`VARIABLE`] set to `less`, in the same process and with the same command line. What it had in memory is gone, what it
//! had written is written again. Where [`VARIABLE`] is set, it is as it says, whatever time that takes.
//!
//! Only the program asks for that ([`allow`]); in any other process that uses the library nothing is limited.

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// How much optimization: `full`, or `less`.
pub const VARIABLE: &str = "VICINITY_EFFORT";
const LESS: &str = "less";
/// Ordinary kernels take a tenth of a second.
const LIMIT: Duration = Duration::from_secs(5);

static ALLOWED: OnceLock<()> = OnceLock::new();

/// This process may be replaced by another run of the same program.
pub fn allow() {
    ALLOWED.get_or_init(|| ());
}

/// Whether this run is to be quick.
pub fn is_short() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| value == LESS)
}

/// A time limit that ends when this is dropped.
pub struct Limit(#[allow(dead_code)] Option<Sender<()>>); // What is not sent tells the watcher.

/// Begins a time limit, where that is allowed and the environment does not say how much optimization is wanted.
pub fn limit() -> Limit {
    if ALLOWED.get().is_none() || std::env::var_os(VARIABLE).is_some() {
        return Limit(None);
    }
    let (ended, watch) = channel::<()>();
    let watcher = std::thread::Builder::new().spawn(move || {
        // The channel is closed when the work is done.
        if watch.recv_timeout(LIMIT) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            begin_anew();
        }
    });
    Limit(watcher.is_ok().then_some(ended)) // Without a thread there is no limit.
}

fn begin_anew() {
    let Ok(program) = std::env::current_exe() else { return };
    let error = Command::new(program).args(std::env::args_os().skip(1)).env(VARIABLE, LESS).exec();
    eprintln!("vicinity-translate: cannot begin anew: {error}");
}
