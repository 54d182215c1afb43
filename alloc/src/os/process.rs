//! What the kernel says about the process as a whole.

#![allow(unsafe_code)]

/// Whether the process runs with more rights than its user has (set-user-ID, capabilities):
/// variables that name files are then not to be trusted.
///
/// Source: `getauxval(3)`, `AT_SECURE`.
pub fn is_secure_mode() -> bool {
    // SAFETY: no preconditions; an unknown type yields 0.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// The number of the calling thread, as `ps -L` and `/proc/PID/task` have it.
pub fn native_thread_id() -> u32 {
    // SAFETY: no preconditions; the call cannot fail.
    unsafe { libc::gettid() as u32 }
}

/// Whether the calling thread is the one that the process began with.
pub fn is_first_thread() -> bool {
    native_thread_id() == std::process::id()
}

/// How many threads the process has. Takes some microseconds.
///
/// Source: `proc_pid_status(5)`, `Threads`.
pub fn threads() -> Option<u32> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("Threads:")?.trim().parse().ok())
}

/// Nanoseconds for which threads of this process were ready to run and had no processor, all that are there added up; `None`
/// where the kernel does not count that.
///
/// Source: Documentation/scheduler/sched-stats.rst, `/proc/<pid>/schedstat`, the second number.
pub fn run_delay_ns() -> Option<u64> {
    let of_thread = |entry: std::io::Result<std::fs::DirEntry>| {
        let text = std::fs::read_to_string(entry.ok()?.path().join("schedstat")).ok()?;
        text.split(' ').nth(1)?.parse::<u64>().ok()
    };
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    let delays: Vec<u64> = threads.filter_map(of_thread).collect();
    (!delays.is_empty()).then(|| delays.iter().sum())
}

/// Linux names have 64 bytes at most, and the zero that ends them.
const HOST_NAME_BYTES: usize = 65;

/// The name of this machine; empty when the kernel does not say.
pub fn host_name() -> String {
    let mut name = [0u8; HOST_NAME_BYTES];
    // SAFETY: the kernel writes at most `name.len()` bytes into `name`.
    let status = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len()) };
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
    if status == 0 { String::from_utf8_lossy(&name[..end]).into_owned() } else { String::new() }
}

/// Prints on standard output through the C library's buffer, which the program's own output goes through.
pub fn print(text: &str) {
    let length = libc::c_int::try_from(text.len()).unwrap_or(libc::c_int::MAX);
    // SAFETY: the format takes a length and that many bytes.
    unsafe { libc::printf(c"%.*s".as_ptr(), length, text.as_ptr()) };
}

/// Has something done when the process ends by `exit` or by returning from `main`. Where there is no memory to
/// remember that, it is not done.
pub fn at_exit(act: extern "C" fn()) {
    // SAFETY: `act` is a function without arguments, and this library is never unloaded.
    unsafe { libc::atexit(act) };
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_machine_and_its_threads_have_names() {
        assert!(!super::host_name().is_empty());
        let elsewhere = std::thread::spawn(super::native_thread_id).join().unwrap();
        assert_ne!(super::native_thread_id(), elsewhere);
    }

    #[test]
    fn threads_are_counted() {
        let before = super::threads().unwrap();
        let elsewhere = std::thread::spawn(|| (super::threads(), super::is_first_thread()));
        assert_eq!((before >= 1, elsewhere.join().unwrap().1), (true, false));
    }

    /// Threads that spin, far more than there are processors, wait for one.
    #[test]
    fn waiting_for_a_processor_is_counted() {
        let Some(before) = super::run_delay_ns() else { return };
        let count = 4 * std::thread::available_parallelism().map_or(1, usize::from);
        let all_ready = std::sync::Barrier::new(count);
        let spin = || {
            all_ready.wait();
            (0..20_000_000_u64).for_each(|it| _ = std::hint::black_box(it));
            let after = super::run_delay_ns();
            all_ready.wait();
            after
        };
        let after = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..count).map(|_| scope.spawn(spin)).collect();
            threads.into_iter().filter_map(|thread| thread.join().unwrap()).max()
        });
        assert!(after.unwrap() > before, "{before} {after:?}");
    }

    #[test]
    fn tests_do_not_run_set_user_id() {
        assert!(!super::is_secure_mode());
    }
}
