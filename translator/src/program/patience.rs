//! Bounds the work of a translation: how much is done for a program depends on how large it is, and on how long it takes.
//!
//! Terms: the *effort* is full at first. With less, there are no analyses and no order of loops, no vectors, and quick code generation.
//! Nothing at all is left after the second limit: then the program is too large, and the log says so.
//! Method: a kernel with too many instructions gets less effort from the start. For what no count foretells, every stage asks
//! [`effort`] before it begins whether the first limit is over. But LLVM's passes cannot be interrupted, so where one of them takes
//! longer than the limit ([`limit`], [`deadline`]) the process is ended: it executes itself again, with [`VARIABLE`] set to the next
//! effort, in the same process and with the same command line. What it had in memory is gone; what the compiler had
//! made is kept by [`remember`].
//!
//! All limits are of time on processors: no clock decides what code is made, so a busy machine gets the code that an idle one
//! gets, later. What is less for the time that it took, is said to be so: whoever keeps it can have it made again.
//! That a process hangs is seen by whoever waits for it.
//!
//! Only the program asks for that ([`allow`]); in any other process that uses the library no time is looked at.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, prlimit};
use rustix::time::{ClockId, clock_gettime};
use vicinity_output::{tell, words};

/// The effort to begin with: `full`, `less` or `none`, or `auto`: as time allows.
pub const VARIABLE: &str = "VICINITY_EFFORT";
/// The limits in milliseconds, for tests: `FIRST,SECOND`, or `FIRST,SECOND,COMPILER`.
const LIMITS_VARIABLE: &str = "VICINITY_PATIENCE";
/// Where a run that is over has left what the compiler said.
const REMEMBERED: &str = "VICINITY_COMPILED";

/// How long to wait at least before time is looked at again.
const LOOK: Duration = Duration::from_millis(1);

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

/// Times on processors: of each of the translator's threads in the mean, and of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Limits {
    /// Ordinary kernels take a tenth of a second.
    first: Duration,
    /// Of one run, whatever its effort.
    second: Duration,
    compiler: Duration,
}

const LIMITS: Limits = Limits {
    first: Duration::from_secs(5),
    second: Duration::from_secs(60),
    compiler: Duration::from_secs(40),
};

impl Limits {
    fn read(text: &str) -> Option<Limits> {
        let all = text.split(',').map(|limit| limit.parse().ok().map(Duration::from_millis));
        match all.collect::<Option<Vec<Duration>>>()?[..] {
            [first, second] => Some(Limits { first, second, ..LIMITS }),
            [first, second, compiler] => Some(Limits { first, second, compiler }),
            _ => None,
        }
    }
}

/// What all threads of this process have had of processors, since it began.
fn spent() -> Duration {
    let spent = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(spent).expect("time that was spent")
}

/// A moment, from which on so many threads work.
#[derive(Clone, Copy)]
struct Begin {
    spent: Duration,
    threads: u32,
}

impl Begin {
    fn now(threads: u32) -> Begin {
        Begin { spent: spent(), threads }
    }

    /// What each thread may still have; `None` if the limit is over.
    fn left(self, limit: Duration) -> Option<Duration> {
        self.left_at(spent(), limit)
    }

    fn left_at(self, now: Duration, limit: Duration) -> Option<Duration> {
        let spent = now.saturating_sub(self.spent) / self.threads;
        limit.checked_sub(spent).filter(|left| !left.is_zero())
    }
}

struct Allowed {
    begun: OnceLock<Begin>,
    limits: Limits,
    remembered: OnceLock<PathBuf>,
}

static ALLOWED: OnceLock<Allowed> = OnceLock::new();

/// This process may be replaced by another run of the same program; not if full effort is asked for, whatever time that takes.
pub fn allow() {
    if is_full() {
        return;
    }
    let text = std::env::var(LIMITS_VARIABLE).unwrap_or_default();
    let limits = Limits::read(&text).unwrap_or_else(|| {
        if !text.is_empty() {
            let allowed = "FIRST,SECOND or FIRST,SECOND,COMPILER in milliseconds";
            tell(words::complaint(LIMITS_VARIABLE, &text, allowed, "5000,60000,40000"));
        }
        LIMITS
    });
    let allowed = Allowed { begun: OnceLock::new(), limits, remembered: OnceLock::new() };
    ALLOWED.get_or_init(|| allowed);
}

fn is_full() -> bool {
    asked() == Some(Effort::Full)
}

/// What the variable says; none where it leaves it to time.
fn asked() -> Option<Effort> {
    let named = |effort: Effort| (effort.name(), Some(effort));
    let all = [Effort::Full, Effort::Less, Effort::None].map(named);
    static ASKED: OnceLock<Option<Effort>> = OnceLock::new();
    *ASKED.get_or_init(|| words::choice(VARIABLE, &[&[("auto", None)], &all[..]].concat()))
}

/// What this run began with.
fn given() -> Effort {
    asked().unwrap_or(Effort::Full)
}

/// How much to do in a stage that begins now.
pub fn effort() -> Effort {
    let over = |allowed: &Allowed| {
        allowed.begun.get().is_some_and(|begun| begun.left(allowed.limits.first).is_none())
    };
    if ALLOWED.get().is_some_and(over) { given().min(Effort::Less) } else { given() }
}

/// The same for kernels of which the largest has so many instructions.
pub fn effort_for(instructions: u64) -> Effort {
    effort().min(if is_large(instructions) { Effort::Less } else { Effort::Full })
}

/// Whether kernels of so many instructions get less effort, however long they take.
pub fn is_large(instructions: u64) -> bool {
    instructions > LARGE_INSTRUCTIONS && !is_full()
}

/// A time limit that ends when this is dropped.
pub struct Limit(#[allow(dead_code)] Option<Sender<()>>); // What is not sent tells the watcher.

/// Begins to count, and the second limit, for so many threads.
pub fn deadline(threads: usize) -> Limit {
    let Some(allowed) = ALLOWED.get() else { return Limit(None) };
    let threads = u32::try_from(threads).unwrap_or(u32::MAX).max(1);
    allowed.begun.get_or_init(|| Begin::now(threads));
    watch(allowed, allowed.limits.second, Effort::None)
}

/// Begins the first limit for something done with full effort.
pub fn limit(effort: Effort) -> Limit {
    match ALLOWED.get() {
        Some(allowed) if effort == Effort::Full => {
            watch(allowed, allowed.limits.first, Effort::Less)
        }
        _ => Limit(None),
    }
}

fn watch(allowed: &'static Allowed, limit: Duration, next: Effort) -> Limit {
    let (ended, watch) = channel::<()>();
    let begun = Begin::now(allowed.begun.get().map_or(1, |begun| begun.threads));
    let watcher = std::thread::Builder::new().spawn(move || {
        while let Some(left) = begun.left(limit) {
            // The channel is closed when the work is done.
            if watch.recv_timeout(left.max(LOOK)) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
        begin_anew(allowed, next);
    });
    Limit(watcher.is_ok().then_some(ended)) // Without a thread there is no limit.
}

/// Limits the compiler, a process of that number, to so many seconds of a processor's time, and tells them.
pub fn limit_compiler(process: u32) -> Option<u64> {
    let seconds = ALLOWED.get()?.limits.compiler.as_secs().max(1);
    let process = Pid::from_raw(process.try_into().ok()?)?;
    let maximum = getrlimit(Resource::Cpu).maximum;
    let limit =
        Rlimit { current: Some(maximum.map_or(seconds, |most| most.min(seconds))), maximum };
    prlimit(Some(process), Resource::Cpu, limit).ok()?;
    limit.current
}

/// Whether a process that this signal has ended was at its limit.
pub fn is_limit(signal: i32) -> bool {
    signal == Signal::XCPU.as_raw()
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

    /// Waiting for a processor is no work: only what was had of processors counts, and of more threads more.
    #[test]
    fn limits_are_of_each_thread_s_time_on_processors() {
        let of = Duration::from_millis;
        let left = |threads, now| {
            let begun = Begin { spent: of(100), threads };
            begun.left_at(of(now), of(5000)).map(|left| left.as_millis())
        };
        assert_eq!(left(1, 100), Some(5000));
        assert_eq!(left(1, 50), Some(5000));
        assert_eq!(left(1, 4100), Some(1000));
        assert_eq!(left(4, 4100), Some(4000));
        assert_eq!(left(1, 5100), None);
        assert_eq!(left(2, 20_000), None);
    }

    #[test]
    fn time_on_processors_passes_while_there_is_work() {
        let begun = Begin::now(2);
        while begun.left(Duration::from_millis(1)).is_some() {
            std::hint::spin_loop();
        }
        let begun = Begin::now(1);
        std::thread::sleep(Duration::from_millis(5));
        assert!(begun.left(LIMITS.first).is_some());
    }

    #[test]
    fn all_limits_can_be_given() {
        let of = Duration::from_millis;
        let given = Limits { first: of(1), second: of(20), compiler: of(1000) };
        assert_eq!(Limits::read("1,20,1000"), Some(given));
        let compiler = LIMITS.compiler;
        assert_eq!(Limits::read("1,20"), Some(Limits { first: of(1), second: of(20), compiler }));
        for text in ["", "1", "1,20,x", "1,2,3,4"] {
            assert_eq!(Limits::read(text), None, "{text}");
        }
    }
}
