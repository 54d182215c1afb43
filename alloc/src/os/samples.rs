//! Samples of what threads do: now and then a thread of its own time, where it is in its code and what is in its registers.
//!
//! Terms: a *tick* is a signal that a thread's own timer sends to it, after so much of its processor time; a thread is *watched*
//! while its [`Tally`] is above zero, in parallel regions.
//!
//! The signal is SIGURG: programs have to expect it at any time, its default is to be ignored, and debuggers pass it on. It is
//! taken only where nobody has a handler for it, and `SA_RESTART` has calls of the system go on. The handler reads its arguments
//! and writes to static memory, nothing else. Timers count processor time, so threads that sleep get no ticks.
//!
//! Protocol: a handler claims a place of the ring (Relaxed: a number), writes it, and says that it is whole (Release: pairs with
//! the Acquire in `take`). `take` stops the claims, reads what is whole, and starts them anew. A handler that was in between then
//! writes a place that another has claimed: a sample may be mixed of two. It is one of many, and nothing but a statistic.
//!
//! Source: timer_create(2), signal-safety(7), sys/ucontext.h. Units: nanoseconds of processor time.
#![allow(unsafe_code)]

use std::mem::zeroed;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Registers of the processor as the kernel numbers them: r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp.
pub const REGISTERS: usize = 16;
const WORDS: usize = REGISTERS + 4;
const CAPACITY: usize = 4096;
/// Where the instruction's address is in the kernel's list.
const RIP: usize = 16;

/// One moment of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    pub instruction: u64,
    pub processor: u32,
    /// As its [`Tally`] numbers it.
    pub thread: u32,
    /// When, by the processor's time-stamp counter.
    pub ticks: u64,
    pub registers: [u64; REGISTERS],
}

/// A thread that is watched. Never deallocated: its timer knows it.
#[derive(Debug, Default)]
pub struct Tally {
    /// How many regions are around it.
    pub regions: AtomicU32,
    pub thread: u32,
}

struct Place {
    whole: AtomicBool,
    words: [AtomicU64; WORDS],
}

static RING: [Place; CAPACITY] = [const {
    Place { whole: AtomicBool::new(false), words: [const { AtomicU64::new(0) }; WORDS] }
}; CAPACITY];
/// The next place to be claimed; from CAPACITY on there is none.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// A thread's timer. It ends with the thread's process only, unless it is stopped.
#[derive(Clone, Copy, Debug)]
pub struct Timer(libc::timer_t);

// SAFETY: the value is a number or an address that only the kernel and the C library look at.
unsafe impl Send for Timer {}

/// Takes the signal; `false` where somebody else has it.
pub fn install() -> bool {
    // SAFETY: plain calls with structures of ours; the handler may run at any time from now on.
    unsafe {
        let mut old: libc::sigaction = zeroed();
        if libc::sigaction(libc::SIGURG, std::ptr::null(), &mut old) != 0
            || ![libc::SIG_DFL, libc::SIG_IGN].contains(&old.sa_sigaction)
        {
            return false;
        }
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = on_tick as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGURG, &action, std::ptr::null_mut()) == 0
    }
}

/// Has the calling thread sampled when it has used the processor for `first_ns` from now on, and then each time that it has for
/// `every_ns`; `None` if there are no timers left.
pub fn watch_thread(tally: &'static Tally, first_ns: u64, every_ns: u64) -> Option<Timer> {
    // SAFETY: the structures are ours; the tally lives as long as the process.
    unsafe {
        let mut event: libc::sigevent = zeroed();
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = libc::SIGURG;
        event.sigev_notify_thread_id = libc::syscall(libc::SYS_gettid) as i32;
        event.sigev_value.sival_ptr = std::ptr::from_ref(tally).cast_mut().cast();
        let mut timer: libc::timer_t = zeroed();
        if libc::timer_create(libc::CLOCK_THREAD_CPUTIME_ID, &mut event, &mut timer) != 0 {
            return None;
        }
        let time = |ns: u64| libc::timespec {
            tv_sec: (ns / 1_000_000_000) as i64,
            tv_nsec: (ns % 1_000_000_000) as i64,
        };
        let times = libc::itimerspec { it_interval: time(every_ns), it_value: time(first_ns) };
        libc::timer_settime(timer, 0, &times, std::ptr::null_mut());
        Some(Timer(timer))
    }
}

impl Timer {
    /// No ticks any more.
    pub fn stop(self) {
        // SAFETY: a timer of this process that was not deleted before.
        unsafe { libc::timer_delete(self.0) };
    }
}

extern "C" fn on_tick(
    _signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // SAFETY: the kernel passes both to handlers with SA_SIGINFO, and for a timer the value that `watch_thread` gave it.
    let (machine, thread) = unsafe {
        let tally = (*info).si_value().sival_ptr.cast::<Tally>();
        // Relaxed: the thread's own value.
        if (*info).si_code != libc::SI_TIMER
            || tally.is_null()
            || (*tally).regions.load(Ordering::Relaxed) == 0
        {
            return;
        }
        (&(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs, (*tally).thread)
    };
    if NEXT.load(Ordering::Relaxed) >= CAPACITY {
        return;
    }
    let Some(place) = RING.get(NEXT.fetch_add(1, Ordering::Relaxed)) else { return };
    for (word, &register) in place.words.iter().zip(&machine[..REGISTERS]) {
        word.store(register as u64, Ordering::Relaxed);
    }
    place.words[REGISTERS].store(machine[RIP] as u64, Ordering::Relaxed);
    let processor = super::current_processor().unwrap_or(0);
    // SAFETY: reads a counter that every processor of this kind has.
    let ticks = unsafe { core::arch::x86_64::_rdtsc() };
    let rest = [u64::from(processor), u64::from(thread), ticks];
    for (word, value) in place.words[REGISTERS + 1..].iter().zip(rest) {
        word.store(value, Ordering::Relaxed);
    }
    // Release: pairs with the Acquire in `take`.
    place.whole.store(true, Ordering::Release);
}

/// About how many samples there are.
#[inline]
pub fn pending() -> usize {
    NEXT.load(Ordering::Relaxed).min(CAPACITY)
}

/// What was sampled since the last call.
pub fn take() -> Vec<Sample> {
    let claimed = NEXT.swap(CAPACITY, Ordering::Relaxed).min(CAPACITY);
    let read = |place: &Place| {
        // Acquire: pairs with the Release in `on_tick`.
        place.whole.swap(false, Ordering::Acquire).then(|| {
            let words = place.words.each_ref().map(|word| word.load(Ordering::Relaxed));
            let registers = std::array::from_fn(|register| words[register]);
            let [instruction, processor, thread, ticks] =
                std::array::from_fn(|word| words[REGISTERS + word]);
            let (processor, thread) = (processor as u32, thread as u32);
            Sample { instruction, processor, thread, ticks, registers }
        })
    };
    let samples = RING[..claimed].iter().filter_map(read).collect();
    NEXT.store(0, Ordering::Relaxed);
    samples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_sampled_while_it_is_watched() {
        static TALLY: Tally = Tally { regions: AtomicU32::new(0), thread: 7 };
        assert!(install());
        let Some(timer) = watch_thread(&TALLY, 1, 1_000_000) else { return };
        let spin = |until: usize| {
            let mut rounds = 0u64;
            while pending() < until && rounds < 300_000_000 {
                rounds = std::hint::black_box(rounds + 1);
            }
        };
        TALLY.regions.store(1, Ordering::Relaxed);
        spin(3);
        TALLY.regions.store(0, Ordering::Relaxed);
        let samples = take();
        timer.stop();
        assert!(samples.len() >= 3, "{samples:?}");
        assert!(samples.iter().all(|sample| sample.thread == 7), "{samples:?}");
        assert!(samples.is_sorted_by_key(|sample| sample.ticks), "{samples:?}");
        let here = a_thread_is_sampled_while_it_is_watched as *const () as u64;
        let near = |sample: &Sample| sample.instruction.abs_diff(here) < 1 << 30;
        assert!(samples.iter().all(near), "{here:#x} {samples:?}");
        assert!(!install(), "the handler is there already");
    }
}
