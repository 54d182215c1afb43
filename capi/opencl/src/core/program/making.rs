//! Translations under way, by a process of their own: what is declared of a program, and the code of its kernels, one after the other.
//!
//! Protocol: a thread of ours listens to the translator. It says first that the program is declared, which is when a build is over for
//! the program that asked, and waits until it may go on ([`super::seats`]); then it says of each part that its code is there; and it ends. The thread loads each part, wakes whoever
//! waits for a kernel of it, and keeps the whole in the cache in the end. A program that is not declared is there, or wrong, when the
//! translator ends.
//!
//! Whoever needs one kernel waits for its code ([`Making::wait_for`]), and whoever needs all for the end ([`Making::whole`]). What may fail between
//! the two is the translator itself, which is said in one line. Nobody wants the code any more when the last program or
//! kernel is gone: the translator is ended then, and when this process ends, if there is code to be made. If a kernel of the program was
//! used, the program is worth to be kept: it is made once more, by a process that goes on ([`super::again`]). Where all code is there,
//! what is left is to keep it, which is waited for.
//!
//! A forked child has neither the thread nor the translator: it makes the code again when it needs it.
//!
//! Source: docs/kernel-abi.md, `--in-parts`; docs/decisions/051-code-after-the-build.md and 102-early-binaries.md.

use super::bare::Home;
use super::description::Description;
use super::executable::Codes;
use super::image::{Form, Image};
use super::seats::{self, Seat};
use super::translator::{self, Failure, Job, Made, Work};
use crate::error::{Result, ensure};
use crate::os::background::Background;
use crate::os::process::{End, at_exit, listen, start_thread};
use crate::report;
use opencl_sys::CL_OUT_OF_RESOURCES;
use std::io::{PipeReader, PipeWriter, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, OnceLock, Weak};
use std::time::Duration;

/// Ends the translator with its last owner.
pub struct Making(Arc<Shared>);

/// What the thread and the owners share.
struct Shared {
    job: Job,
    /// Tied to its folder.
    process: Background,
    folder: PathBuf,
    /// The process that began it.
    owner: u32,
    declared: OnceLock<Declared>,
    over: Mutex<Option<Outcome>>,
    /// There is more code, or it is declared, or over.
    changed: Condvar,
    in_child: OnceLock<Outcome>,
    /// A kernel of it was asked for its code.
    is_used: AtomicBool,
    /// What a binary says that was asked for early.
    home: OnceLock<Option<Home>>,
    /// What its owners have, once it is declared.
    making: OnceLock<Weak<Making>>,
    /// Somebody waits for code, or nobody wants any.
    is_urgent: AtomicBool,
}

/// What a translator waits for before it makes code: a byte. Both ends, so that no signal ends who writes when it is gone.
pub type Go = (PipeReader, PipeWriter);

/// A translator that was started.
pub struct Started {
    pub process: Background,
    /// What it says.
    pub lines: PipeReader,
    pub go: Go,
    /// Where it works.
    pub folder: PathBuf,
}

/// All that is known of a program before its code is there.
pub struct Declared {
    pub description: Arc<Description>,
    pub codes: Arc<Codes>,
    /// Of bitcode alone.
    pub image: Arc<Image>,
    log: String,
}

type Outcome = std::result::Result<Arc<Image>, Failure>;

/// A hang must not last for ever. By the clock: so this is much longer than a translation takes that gets few processors. The translator
/// itself ends after a minute or two on a processor.
pub const HANGS_AFTER: Duration = Duration::from_secs(30 * 60);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|held| held.into_inner())
}

impl Making {
    /// Begins, and waits until the program is declared, or it is over.
    pub fn begin(
        job: Job,
        start: impl FnOnce() -> std::result::Result<Started, Failure>,
    ) -> std::result::Result<Made, Failure> {
        let seat = Seat::take();
        let Started { process, lines, go, folder } = start()?;
        let shared = Arc::new(Shared {
            job,
            process,
            folder,
            owner: std::process::id(),
            declared: OnceLock::new(),
            over: Mutex::new(None),
            changed: Condvar::new(),
            in_child: OnceLock::new(),
            is_used: AtomicBool::new(false),
            home: OnceLock::new(),
            making: OnceLock::new(),
            is_urgent: AtomicBool::new(false),
        });
        let work = Arc::new(Mutex::new(Some((lines, go, seat))));
        let follow = |shared: &Shared, work: &Mutex<Option<(PipeReader, Go, Seat)>>| {
            let work = lock(work).take();
            work.into_iter().for_each(|(lines, go, seat)| shared.follow(lines, &go, seat));
        };
        keep_when_done(&shared);
        let theirs = (shared.clone(), work.clone());
        if start_thread("vicinity-build", move || follow(&theirs.0, &theirs.1)).is_err() {
            follow(&shared, &work);
        }
        Making(shared).begun()
    }

    fn begun(self) -> std::result::Result<Made, Failure> {
        let shared = &self.0;
        let mut over = lock(&shared.over);
        while over.is_none() && shared.declared.get().is_none() {
            over = shared.changed.wait(over).unwrap_or_else(|held| held.into_inner());
        }
        match &*over {
            Some(outcome) => outcome.clone().map(Made::Whole),
            None => {
                drop(over);
                let making = Arc::new(self);
                _ = making.0.making.set(Arc::downgrade(&making));
                Ok(Made::Declared(making))
            }
        }
    }

    pub fn declared(&self) -> &Declared {
        self.0.declared.get().expect("it began with that")
    }

    /// A kernel of it is used.
    pub fn use_it(&self) {
        // Relaxed: nothing else is known by it. A store for every launch would take the line from other threads.
        if !self.0.is_used.load(Relaxed) {
            self.0.is_used.store(true, Relaxed);
        }
    }

    /// The program of bitcode alone, which the cache will have, if it was asked for while its code was being made: it stays that,
    /// since its size was told. `None` if there is nothing but to wait for the whole.
    pub fn early(&self) -> Option<Image> {
        let shared = &self.0;
        if !shared.is_in_child() {
            let over = lock(&shared.over);
            if over.is_none() {
                shared.home.get_or_init(|| shared.job.home(&shared.folder));
            }
        }
        let home = shared.home.get()?.as_ref()?;
        Some(home.put_in(&self.declared().image))
    }

    /// The same program, which gave such a binary and is not over.
    pub fn of(home: &Home, bare: &Image) -> Option<Arc<Making>> {
        // The lock is let go before any of them may be dropped, which takes others.
        let all: Vec<_> = lock(&ALL).iter().filter_map(Weak::upgrade).collect();
        all.into_iter().filter(|shared| shared.is(home, bare)).find_map(|shared| {
            let owned = shared.making.get().and_then(Weak::upgrade);
            // What nobody owns goes on if there is only to keep it; then an owner changes nothing.
            owned.or_else(|| shared.has_all().then(|| Arc::new(Making(shared))))
        })
    }

    /// Waits for the code of a kernel; an error if it cannot be had.
    pub fn wait_for(&self, kernel: usize) -> Result {
        let (shared, codes) = (&self.0, &self.declared().codes);
        if shared.is_in_child() {
            _ = self.whole();
        } else {
            if !codes.has(kernel) {
                shared.urge();
            }
            let mut over = lock(&shared.over);
            while over.is_none() && !codes.has(kernel) {
                over = shared.changed.wait(over).unwrap_or_else(|held| held.into_inner());
            }
        }
        ensure(codes.has(kernel), CL_OUT_OF_RESOURCES)
    }

    /// Waits for all of it.
    pub fn whole(&self) -> Outcome {
        let shared = &self.0;
        if shared.is_in_child() {
            return shared.in_child.get_or_init(|| self.again()).clone();
        }
        shared.urge();
        let mut over = lock(&shared.over);
        loop {
            match &*over {
                Some(outcome) => return outcome.clone(),
                None => over = shared.changed.wait(over).unwrap_or_else(|held| held.into_inner()),
            }
        }
    }

    /// The log so far: when it is over it may say more.
    pub fn log(&self) -> String {
        let declared = &self.declared().log;
        let over = (!self.0.is_in_child()).then(|| lock(&self.0.over).clone()).flatten();
        match over {
            None => declared.clone(),
            Some(Ok(image)) => String::from_utf8_lossy(&image.log).into_owned(),
            Some(Err(failure)) => declared.clone() + failure.text(),
        }
    }

    /// In a forked child.
    fn again(&self) -> Outcome {
        let declared = self.declared();
        let work = Work::of_bare(declared.image.clone());
        let image = match translator::translate(&work, &self.0.job.options)? {
            Made::Whole(image) => image,
            Made::Declared(making) => making.whole()?,
        };
        self.0.add(&image.object, &image.description).map_err(Failure::Program)?;
        Ok(image)
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        if !self.0.is_in_child() && !self.0.has_all() {
            self.0.leave();
            self.0.process.end();
            self.0.urge();
        }
    }
}

impl Shared {
    fn is_in_child(&self) -> bool {
        self.owner != std::process::id()
    }

    /// Whether it gave a binary that says this.
    fn is(&self, home: &Home, bare: &Image) -> bool {
        let says_so = self.home.get().is_some_and(|it| it.as_ref() == Some(home));
        let has = |declared: &Declared| declared.image.bitcode == bare.bitcode;
        says_so && !self.is_in_child() && self.declared.get().is_some_and(has)
    }

    /// Listens until it is over.
    fn follow(&self, lines: PipeReader, go: &Go, mut seat: Seat) {
        let is_in_time = listen(lines, HANGS_AFTER, |line| self.hear(line, go, &mut seat));
        let end = if is_in_time { self.process.wait() } else { End::TimeOut };
        let outcome = self.job.outcome(&self.folder, end).and_then(|image| self.complete(image));
        if let Err(failure) = &outcome {
            self.complain(failure);
        }
        // The folder goes before anybody may end the process.
        self.process.end();
        *lock(&self.over) = Some(outcome);
        self.changed.notify_all();
    }

    /// Its turn comes now.
    fn urge(&self) {
        // Relaxed: the lock of the seats is taken behind it, by whoever looks, too.
        if !self.is_urgent.swap(true, Relaxed) {
            seats::look_again();
        }
    }

    /// A line of the translator's. What cannot be read now is missed in the end.
    fn hear(&self, line: &str, go: &Go, seat: &mut Seat) {
        if line == "declared" {
            self.declare();
            self.tell_all();
            seat.wait_for_turn(&self.is_urgent);
            _ = (&go.1).write_all(&[1]);
            return;
        }
        if let Some(number) = line.strip_prefix("part ") {
            let read =
                |ending| std::fs::read(self.folder.join(format!("program.{number}.{ending}")));
            if let (Ok(object), Ok(description)) = (read("so"), read("json")) {
                _ = self.add(&object, &description);
            }
        }
        self.tell_all();
    }

    fn tell_all(&self) {
        // Who looked before this waits by now.
        drop(lock(&self.over));
        self.changed.notify_all();
    }

    fn declare(&self) {
        let read = |name| std::fs::read(self.folder.join(name)).unwrap_or_default();
        let Ok(description) = Description::read(&read("declared.json")) else { return };
        let log = translator::clean(&read("declared.log"), &self.folder);
        let codes = Arc::new(Codes::none(description.kernels.len()));
        let image = Image {
            form: Form::Executable,
            hurried: None,
            bitcode: read("program.bc"),
            object: Vec::new(),
            description: Vec::new(),
            log: Vec::new(),
        };
        let (description, image) = (Arc::new(description), Arc::new(image));
        // A translator that begins anew may say it twice.
        _ = self.declared.set(Declared { description, codes, image, log });
    }

    fn add(&self, object: &[u8], description: &[u8]) -> std::result::Result<(), String> {
        let Some(declared) = self.declared.get() else { return Ok(()) };
        declared.codes.add(object, Description::read(description)?, &declared.description)
    }

    /// What was declared has all its code, from the whole if not before.
    fn complete(&self, image: Image) -> Outcome {
        if self.missing().next().is_some() {
            let added = self.add(&image.object, &image.description);
            added.map_err(|error| Failure::Program(format!("cannot be loaded: {error}\n")))?;
        }
        Ok(Arc::new(image))
    }

    /// Ends before the code is there: for the next run it will be.
    fn leave(&self) {
        let Some(declared) = self.declared.get().filter(|_| self.is_used.load(Relaxed)) else {
            return;
        };
        // One that is over has failed, or has been kept.
        if self.over.try_lock().is_ok_and(|over| over.is_none()) {
            self.job.leave(&declared.image.bitcode, &declared.log, &self.folder);
        }
    }

    /// Whether all code is there; what was made may still have to be kept.
    fn has_all(&self) -> bool {
        self.declared.get().is_some() && self.missing().next().is_none()
    }

    /// The kernels that have no code.
    fn missing(&self) -> impl Iterator<Item = &str> {
        self.declared.get().into_iter().flat_map(|declared| {
            let kernels = declared.description.kernels.iter().enumerate();
            let missing = kernels.filter(|&(number, _)| !declared.codes.has(number));
            missing.map(|(_, kernel)| kernel.name.as_str())
        })
    }

    /// A build that was over before cannot fail any more: says so.
    fn complain(&self, failure: &Failure) {
        let mut missing = self.missing();
        let (Some(first), false) = (missing.next(), self.process.is_ended()) else { return };
        let who = match missing.count() {
            0 => format!("kernel '{first}' has"),
            others => format!("{} kernels, '{first}' among them, have", others + 1),
        };
        let why = failure.text().lines().rev().find(|line| !line.trim().is_empty());
        report::warn(&format!("{who} no code: {}", why.unwrap_or("for no reason that is known")));
    }
}

/// All that are not over, as far as is known.
static ALL: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

/// What all of the code is there of is kept before the process ends; what else was used is left to a process that goes on.
fn keep_when_done(shared: &Arc<Shared>) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| at_exit(keep_all));
    let mut all = lock(&ALL);
    all.retain(|one| one.strong_count() > 0);
    all.push(Arc::downgrade(shared));
}

/// Keeping what was made takes some milliseconds. If it does not end, the process does.
const MOST_KEEPING: Duration = Duration::from_secs(2);

extern "C" fn keep_all() {
    // A thread that still runs may hold a lock.
    let Ok(all) = ALL.try_lock() else { return };
    for shared in all.iter().filter_map(Weak::upgrade).filter(|shared| !shared.is_in_child()) {
        if shared.has_all() {
            let over = lock(&shared.over);
            _ = shared.changed.wait_timeout_while(over, MOST_KEEPING, |over| over.is_none());
        } else {
            shared.leave();
        }
    }
}
