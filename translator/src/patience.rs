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
//! The first limit counts the time of processors, so that a busy machine, whose programs all wait, does not get poorer code, which would
//! be kept; only [`WAITING`] times as long by the clock is too long all the same. The second counts the clock's time, as the
//! driver does that waits.
//!
//! Only the program asks for that ([`allow`]); in any other process that uses the library no clock is looked at.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use vicinity_output::tell;

/// The effort to begin with: `full`, `less` or `none`.
pub const VARIABLE: &str = "VICINITY_EFFORT";
/// Both limits in milliseconds, for tests: `FIRST,SECOND`.
const LIMITS_VARIABLE: &str = "VICINITY_PATIENCE";
/// Where a run that is over has left what the compiler said.
const REMEMBERED: &str = "VICINITY_COMPILED";

/// Of each thread's time, in the mean. Ordinary kernels take a tenth of a second.
const FIRST: Duration = Duration::from_secs(5);
/// How long to wait at least before time is looked at again.
const LOOK: Duration = Duration::from_millis(1);
/// How much longer than on a processor the first limit may be by the clock.
const WAITING: u32 = 3;
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

/// A moment, by both clocks.
#[derive(Clone, Copy)]
struct Moment {
    clock: Instant,
    /// What all threads of this process have had of processors, since it began.
    processors: Duration,
}

impl Moment {
    fn now() -> Moment {
        let processors = clock_gettime(ClockId::ProcessCPUTime);
        let processors = Duration::try_from(processors).expect("time that was spent");
        Moment { clock: Instant::now(), processors }
    }

    /// What has been spent since then, by so many threads.
    fn spent(self, threads: u32) -> Spent {
        let now = Moment::now();
        let processors = now.processors.saturating_sub(self.processors) / threads;
        Spent { clock: now.clock - self.clock, processor: processors }
    }
}

/// A time by the clock, and what a thread has had of a processor then, or may have.
#[derive(Clone, Copy)]
struct Spent {
    clock: Duration,
    processor: Duration,
}

impl Spent {
    /// How long it takes at least until one of the limits is reached; nothing if it is.
    fn left(self, limit: Spent) -> Option<Duration> {
        let clock = limit.clock.checked_sub(self.clock)?;
        let left = clock.min(limit.processor.checked_sub(self.processor)?);
        (!left.is_zero()).then_some(left)
    }
}

struct Allowed {
    begun: OnceLock<(Moment, u32)>,
    first: Spent,
    second: Spent,
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
    let first = Spent { clock: first * WAITING, processor: first };
    let second = Spent { clock: second, processor: Duration::MAX };
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
        let begun = allowed.begun.get();
        begun.is_some_and(|&(begun, threads)| begun.spent(threads).left(allowed.first).is_none())
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

/// Begins the clock and the second limit, for so many threads.
pub fn deadline(threads: usize) -> Limit {
    let Some(allowed) = ALLOWED.get() else { return Limit(None) };
    let threads = u32::try_from(threads).unwrap_or(u32::MAX).max(1);
    allowed.begun.get_or_init(|| (Moment::now(), threads));
    watch(allowed, allowed.second, Effort::None)
}

/// Begins the first limit for something done with full effort.
pub fn limit(effort: Effort) -> Limit {
    match ALLOWED.get() {
        Some(allowed) if effort == Effort::Full => watch(allowed, allowed.first, Effort::Less),
        _ => Limit(None),
    }
}

fn watch(allowed: &'static Allowed, limit: Spent, next: Effort) -> Limit {
    let (ended, watch) = channel::<()>();
    let begun = Moment::now();
    let threads = allowed.begun.get().map_or(1, |&(_, threads)| threads);
    let watcher = std::thread::Builder::new().spawn(move || {
        while let Some(left) = begun.spent(threads).left(limit) {
            // The channel is closed when the work is done.
            if watch.recv_timeout(left.max(LOOK)) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
        begin_anew(allowed, next);
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
    tell(format!("vicinity-translate: cannot begin anew: {error}"));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_a_processor_is_no_effort() {
        let spent = |clock, processor| {
            let of = Duration::from_millis;
            Spent { clock: of(clock), processor: of(processor) }
        };
        let limit = spent(15_000, 5_000);
        let left = |now: Spent| now.left(limit).map(|left| left.as_millis());
        assert_eq!(left(spent(0, 0)), Some(5_000));
        assert_eq!(left(spent(10_000, 1_000)), Some(4_000));
        assert_eq!(left(spent(14_000, 1_000)), Some(1_000));
        assert_eq!(left(spent(15_000, 1_000)), None);
        assert_eq!(left(spent(5_000, 5_000)), None);
        assert_eq!(spent(0, 0).left(spent(0, 0)).map(|left| left.as_millis()), None);
    }

    #[test]
    fn time_on_processors_passes_while_there_is_work() {
        let begun = Moment::now();
        while begun.spent(2).processor.is_zero() {
            std::hint::spin_loop();
        }
    }
}
