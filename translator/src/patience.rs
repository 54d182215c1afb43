//! Bounds the time that a translation takes: how much is done for a program depends on how long it takes.
//!
//! Terms: the *effort* is full at first. What begins after the first limit is done with less: without the analyses and
//! the order of loops, without vectors, with quick code generation. Nothing at all is left after the second limit: then
//! the program is too large, and the log says so.
//! Method: every stage asks [`effort`] before it begins. But LLVM's passes cannot be interrupted, so where one of them takes
//! longer than the limit ([`limit`], [`deadline`]) the process is ended: it executes itself again, with [`VARIABLE`] set to the next
//! effort, in the same process and with the same command line. What it had in memory is gone; what the compiler had
//! made is kept by [`remember`].
//!
//! Only the program asks for that ([`allow`]); in any other process that uses the library no clock is looked at.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// The effort to begin with: `full`, `less` or `none`.
pub const VARIABLE: &str = "VICINITY_EFFORT";
/// Both limits in milliseconds, for tests: `FIRST,SECOND`.
const LIMITS_VARIABLE: &str = "VICINITY_PATIENCE";
/// Where a run that is over has left what the compiler said.
const REMEMBERED: &str = "VICINITY_COMPILED";

/// Ordinary kernels take a tenth of a second.
const FIRST: Duration = Duration::from_secs(5);
/// Of one run. With the compiler's limit and the first one this stays below the two minutes that the driver waits.
const SECOND: Duration = Duration::from_secs(60);

/// Instructions of a kernel beyond which nothing but less is tried: full effort would take longer than the first limit.
pub const LARGE_INSTRUCTIONS: u64 = 100_000;
/// Instructions of a kernel beyond which nothing is tried.
pub const MOST_INSTRUCTIONS: u64 = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    None,
    Less,
    Full,
}

impl Effort {
    const fn name(self) -> &'static str {
        match self {
            Effort::None => "none",
            Effort::Less => "less",
            Effort::Full => "full",
        }
    }
}

struct Allowed {
    begun: OnceLock<Instant>,
    first: Duration,
    second: Duration,
    remembered: OnceLock<PathBuf>,
}

static ALLOWED: OnceLock<Allowed> = OnceLock::new();

/// This process may be replaced by another run of the same program; not if full effort is asked for, whatever time that takes.
pub fn allow() {
    if is_full() {
        return;
    }
    let text = std::env::var(LIMITS_VARIABLE).unwrap_or_default();
    let given = text.split_once(',').and_then(|(first, second)| {
        let limit = |text: &str| text.parse().ok().map(Duration::from_millis);
        Some((limit(first)?, limit(second)?))
    });
    let (first, second) = given.unwrap_or((FIRST, SECOND));
    let allowed = Allowed { begun: OnceLock::new(), first, second, remembered: OnceLock::new() };
    ALLOWED.get_or_init(|| allowed);
}

fn is_full() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| value == Effort::Full.name())
}

/// What this run began with.
fn given() -> Effort {
    let value = std::env::var(VARIABLE).unwrap_or_default();
    let all = [Effort::None, Effort::Less];
    all.into_iter().find(|effort| effort.name() == value).unwrap_or(Effort::Full)
}

/// How much to do in a stage that begins now.
pub fn effort() -> Effort {
    let over = |allowed: &Allowed| {
        allowed.begun.get().is_some_and(|begun| begun.elapsed() >= allowed.first)
    };
    if ALLOWED.get().is_some_and(over) { given().min(Effort::Less) } else { given() }
}

/// The same for kernels of which the largest has so many instructions.
pub fn effort_for(instructions: u64) -> Effort {
    let large = instructions > LARGE_INSTRUCTIONS && !is_full();
    effort().min(if large { Effort::Less } else { Effort::Full })
}

/// A time limit that ends when this is dropped.
pub struct Limit(#[allow(dead_code)] Option<Sender<()>>); // What is not sent tells the watcher.

/// Begins the clock and the second limit.
pub fn deadline() -> Limit {
    let Some(allowed) = ALLOWED.get() else { return Limit(None) };
    allowed.begun.get_or_init(Instant::now);
    watch(allowed, allowed.second, Effort::None)
}

/// Begins the first limit for something done with full effort.
pub fn limit(effort: Effort) -> Limit {
    match ALLOWED.get() {
        Some(allowed) if effort == Effort::Full => watch(allowed, allowed.first, Effort::Less),
        _ => Limit(None),
    }
}

fn watch(allowed: &'static Allowed, limit: Duration, next: Effort) -> Limit {
    let (ended, watch) = channel::<()>();
    let watcher = std::thread::Builder::new().spawn(move || {
        // The channel is closed when the work is done.
        if watch.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            begin_anew(allowed, next);
        }
    });
    Limit(watcher.is_ok().then_some(ended)) // Without a thread there is no limit.
}

fn begin_anew(allowed: &Allowed, effort: Effort) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1)).env(VARIABLE, effort.name());
    if let Some(path) = allowed.remembered.get() {
        command.env(REMEMBERED, path);
    }
    let error = command.exec();
    eprintln!("vicinity-translate: cannot begin anew: {error}");
}

/// Keeps what the compiler said in `folder`, for a run after this one.
pub fn remember(folder: &Path, said: &str) {
    let path = folder.join("front.log");
    if let Some(allowed) = ALLOWED.get()
        && std::fs::write(&path, said).is_ok()
    {
        let _ = allowed.remembered.set(path);
    }
}

/// What the compiler said in a run before this one; its bitcode is in `folder`, too.
pub fn remembered(folder: &Path) -> Option<String> {
    let path = PathBuf::from(std::env::var_os(REMEMBERED)?);
    ALLOWED.get().filter(|_| path.parent() == Some(folder))?;
    std::fs::read_to_string(path).ok()
}

/// Ends what [`remember`] began.
pub fn forget(folder: &Path) {
    if ALLOWED.get().is_some() {
        let _ = std::fs::remove_file(folder.join("front.log"));
    }
}
