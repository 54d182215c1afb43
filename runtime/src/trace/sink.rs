//! The sink: the one file that all threads' events go to.
//!
//! Protocol. Whoever writes holds the lock: a thread whose buffer is full, the thread that ends the program, or a
//! handler of the signal that does. The file always ends with the closing lines; a write begins where they begin,
//! and ends with them. A buffer's tail moves on only when its events are in the file. So when a holder is interrupted
//! by a signal that ends the program, the handler, on the same thread, takes over: it writes the same events again, in the same place.
//!
//! Invariants: 1. `good` bytes of the file are whole lines that stay. 2. A holder in a handler allocates nothing.

use super::clock::{Scale, Start};
use super::event::Record;
use super::json::{self, Context, How, LONGEST_LINE, Moment};
use super::os;
use super::recorder::{self, Recorder};
use super::ring::{Found, LONGEST};
use super::text::Text;
use crate::private::Private;
use crate::report;
use crate::thread::clock::ticks;
use std::fs::File;
use std::os::fd::{IntoRawFd, RawFd};
use std::sync::atomic::{AtomicU32, Ordering};

/// Bytes gathered for one write.
const CHUNK_BYTES: usize = 256 << 10;

struct Sink {
    name: String,
    /// `None` once tracing has ended.
    file: Option<RawFd>,
    /// The closing lines can be replaced.
    regular: bool,
    /// Bytes of whole lines (invariant 1).
    good: u64,
    /// Bytes of the file, the closing lines included.
    length: u64,
    text: Text,
    start: Start,
    scale: Option<Scale>,
    pid: u32,
    written: u64,
    in_handler: bool,
}

/// The thread that holds the lock; 0: nobody.
static HOLDER: AtomicU32 = AtomicU32::new(0);
/// Owner: the holder of the lock.
static SINK: Private<Option<Sink>> = Private::new(None);

/// How long a handler waits for another thread's write to end, in naps of 0.1 ms.
const MOST_NAPS: u32 = 20_000;

/// How often a thread may end an event while its open ones are taken, before those are given up.
const MOST_TRIES: u32 = 100;

/// Runs `body` with the lock. A handler takes over from its own thread, and gives up on others after a while.
fn with_sink<R>(in_handler: bool, body: impl FnOnce(&mut Sink) -> R) -> Option<R> {
    let me = os::thread_id();
    let mut naps = 0;
    // Acquire: pairs with the Release below.
    while let Err(holder) = HOLDER.compare_exchange(0, me, Ordering::Acquire, Ordering::Relaxed) {
        if holder == me {
            break;
        }
        naps += 1;
        if in_handler && naps > MOST_NAPS {
            return None;
        }
        os::nap();
    }
    let result = SINK.with(|sink| {
        sink.as_mut().map(|sink| {
            sink.in_handler |= in_handler;
            body(sink)
        })
    });
    // Release: pairs with the Acquire above.
    HOLDER.store(0, Ordering::Release);
    result
}

/// Makes the file and writes its head; the line to be said if it cannot.
pub fn open(name: String, start: Start, head: &str) -> Result<(), String> {
    let failed =
        |error: std::io::Error| format!("cannot trace to {name}: {error}; no trace is written");
    let file =
        File::options().write(true).create(true).truncate(false).open(&name).map_err(failed)?;
    let regular = file.metadata().map_err(failed)?.is_file();
    if regular && !os::lock_file(&file) {
        let what = "another process is tracing to it; no trace is written (%p in the name keeps them apart)";
        return Err(format!("cannot trace to {name}: {what}"));
    }
    if regular {
        file.set_len(0).map_err(failed)?;
    }
    let mut sink = Sink {
        file: Some(file.into_raw_fd()),
        regular,
        good: 0,
        length: 0,
        text: Text::new(CHUNK_BYTES.max(head.len() + LONGEST_LINE)),
        start,
        scale: None,
        pid: std::process::id(),
        written: 0,
        in_handler: false,
        name,
    };
    sink.text.str(head);
    sink.flush(How::Running);
    SINK.set(Some(sink));
    Ok(())
}

/// Writes out a thread's events; how many there were. The thread itself calls this.
pub fn write_out(recorder: &Recorder) -> u64 {
    let events = with_sink(false, |sink| {
        let before = sink.written;
        sink.drain(recorder);
        sink.flush(How::Running);
        sink.written - before
    });
    events.unwrap_or_else(|| {
        recorder.ring.forget();
        0
    })
}

/// How ticks become times of this trace, if there is one.
pub fn scale() -> Option<Scale> {
    with_sink(false, |sink| sink.context().scale)
}

/// Adds lines that are no events of a thread; each begins with a comma and the end of the line before.
pub fn add_lines(lines: &str) {
    with_sink(false, |sink| {
        for line in lines.split_inclusive("}}") {
            if sink.text.room() < line.len() + LONGEST_LINE {
                sink.flush(How::Running);
            }
            sink.text.str(line);
        }
        sink.flush(How::Running);
    });
}

/// Writes all that there is, and closes the file; its name if the program has ended by itself, and the file is whole.
pub fn finish(how: How) -> Option<String> {
    let name = with_sink(matches!(how, How::Signal(_)), |sink| {
        sink.file?;
        if sink.in_handler {
            // What was being gathered was not written, and is still in a buffer.
            sink.text.truncate(0);
            recorder::all().for_each(|recorder| recorder.introduced.set(false));
        }
        recorder::all().for_each(|recorder| sink.end(recorder));
        sink.flush(how.since(sink.start));
        let is_whole = matches!(how, How::Exit(_)) && sink.file.is_some() && sink.regular;
        sink.close();
        is_whole.then(|| std::mem::take(&mut sink.name))
    });
    name.flatten()
}

/// In a forked child: the file is the parent's. The moment that times count from.
pub fn leave_to_parent() -> Option<Start> {
    // Relaxed: the child has one thread. The parent's holder does not exist here.
    HOLDER.store(0, Ordering::Relaxed);
    let sink = SINK.replace(None)?;
    sink.file.inspect(|&file| os::close(file));
    // Its threads are new, and have waited for nothing yet.
    Some(Start { run_delay_ns: Some(0), ..sink.start })
}

impl Sink {
    fn context(&mut self) -> Context {
        let scale = *self.scale.get_or_insert_with(|| Scale::measure(self.start));
        Context { pid: self.pid, scale }
    }

    /// Adds the events of a thread that have ended; the position behind them.
    fn drain(&mut self, recorder: &Recorder) -> u64 {
        let mut record = [0; LONGEST];
        let mut position = recorder.ring.oldest();
        loop {
            match recorder.ring.read(position, &mut record) {
                Found::Nothing => break,
                Found::Gone(oldest) => position = oldest,
                Found::Record(words) => {
                    self.add(recorder, &record[..words]);
                    position += words as u64;
                    if self.is_full() {
                        self.flush(How::Running);
                        recorder.release(position);
                    }
                }
            }
        }
        self.flush(How::Running);
        recorder.release(position);
        position
    }

    fn is_full(&self) -> bool {
        self.text.room() < 2 * LONGEST_LINE
    }

    fn add(&mut self, recorder: &Recorder, words: &[u64]) {
        let context = self.context();
        let introduced = recorder.introduced.replace(true);
        if let Some(record) = Record::of(words) {
            if !introduced {
                let place = recorder.place();
                json::thread(&mut self.text, self.pid, recorder.gtid, recorder.is_worker, place);
            }
            json::event(&mut self.text, context, recorder.gtid, &record);
            self.written += 1;
        }
    }

    /// Adds all events of a thread: those that have ended, and those still open, which end now. The thread may go on
    /// meanwhile, so both are taken again if it has ended any.
    fn end(&mut self, recorder: &Recorder) {
        for _ in 0..MOST_TRIES {
            let position = self.drain(recorder);
            let before = (self.written, recorder.introduced.get());
            recorder.open_events(ticks(), |words| {
                self.add(recorder, words);
                !self.is_full()
            });
            if recorder.ring.is_end(position) {
                return self.flush(How::Running);
            }
            self.text.truncate(0);
            self.written = before.0;
            recorder.introduced.set(before.1);
        }
    }

    /// Writes what was gathered, and the closing lines.
    fn flush(&mut self, how: How) {
        let Some(file) = self.file else { return self.text.truncate(0) };
        let lines = self.text.len();
        if self.regular || how != How::Running {
            let missing = recorder::all().map(|recorder| recorder.ring.missing()).sum();
            self.end_lines(how, missing);
        }
        let place = self.regular.then_some(self.good);
        match os::write_all(file, self.text.bytes(), place) {
            Ok(()) => {
                let length = self.good + self.text.len() as u64;
                if self.regular && length < self.length {
                    os::truncate(file, length);
                }
                (self.length, self.good) = (length, self.good + lines as u64);
            }
            Err(error) => self.fail(error),
        }
        self.text.truncate(0);
    }

    fn end_lines(&mut self, how: How, missing: u64) {
        let machine_ns = os::clocks_ns().0;
        // Before the first event nobody has measured how long a tick is.
        let trace_ns = self.scale.map(|scale| scale.ns(ticks()));
        let trace_ns = trace_ns.unwrap_or(machine_ns.saturating_sub(self.start.ns));
        let now = Moment { trace_ns, machine_ns };
        json::end(&mut self.text, self.pid, how, (self.written, missing), now);
    }

    /// The file takes no more: cuts it back to whole lines, says so once, and ends tracing.
    fn fail(&mut self, error: i32) {
        if let Some(file) = self.file.filter(|_| self.regular) {
            os::truncate(file, self.good);
            self.text.truncate(0);
            let missing = recorder::all().map(|recorder| recorder.ring.missing()).sum();
            self.end_lines(How::Error(error), missing);
            // There may be room for these lines now; if not, the file is cut, and readers know.
            let _ = os::write_all(file, self.text.bytes(), Some(self.good));
        }
        if !self.in_handler {
            let error = std::io::Error::from_raw_os_error(error);
            let name = &self.name;
            report::warn(&format!(
                "cannot write the trace {name}: {error}; tracing ends, the program goes on"
            ));
        }
        self.close();
    }

    fn close(&mut self) {
        if let Some(file) = self.file.take() {
            os::close(file);
        }
    }
}
