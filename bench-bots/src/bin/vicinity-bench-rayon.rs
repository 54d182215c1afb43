//! Fibonacci with `rayon::join`: what the same recursion costs on Rust's work-stealing pool.
//!
//! The command line, the environment and the line of results are those of `programs/fib.c`, so that
//! the driver can run it as one more contender. `join` makes two closures a call, as fib.c makes two
//! tasks a call, and both are counted as tasks here.

use std::process::ExitCode;
use std::time::Instant;

use vicinity_output::{EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_WRONG, print, tell};

fn fib(n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (x, y) = rayon::join(|| fib(n - 1), || fib(n - 2));
    x + y
}

/// The same number by counting up.
fn fib_known(n: u32) -> u64 {
    let (mut previous, mut current) = (0, 1);
    for _ in 0..n {
        (previous, current) = (current, previous + current);
    }
    previous
}

/// The processor time of all threads of this process, by the scheduler's own count, which is good to a
/// tick. 0 where the system does not keep it.
fn cpu_seconds() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanoseconds = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    });
    nanoseconds.sum::<f64>() * 1e-9
}

/// The size asked for: `[--class CLASS] [SIZE]`, as fib.c has it.
fn size(words: &[String]) -> Option<u32> {
    match words {
        [] => Some(30),
        [flag, class] if flag == "--class" => match class.as_str() {
            "test" => Some(16),
            "small" => Some(30),
            "medium" => Some(34),
            "large" => Some(40),
            _ => None,
        },
        [size] => size.parse().ok(),
        _ => None,
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some(n) = size(&words) else {
        tell("usage: vicinity-bench-rayon [--class test|small|medium|large | SIZE]");
        return ExitCode::from(EXIT_USAGE);
    };
    let threads = std::env::var("OMP_NUM_THREADS").ok().and_then(|t| t.parse().ok()).unwrap_or(0);
    let pool = match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool,
        Err(error) => {
            tell(format!("vicinity-bench-rayon: no threads: {error}"));
            return ExitCode::from(EXIT_FAILED);
        }
    };
    let (result, seconds, cpu_seconds) = pool.install(|| {
        let (start, cpu_start) = (Instant::now(), cpu_seconds());
        let result = fib(n);
        (result, start.elapsed().as_secs_f64(), cpu_seconds() - cpu_start)
    });
    let tasks = 2 * fib_known(n + 1) - 2;
    let ok = result == fib_known(n);
    let printed = print(&format!(
        "name=fib size={n} cutoff=0 threads={} tasks={tasks} seconds={seconds:.9} \
         cpu_seconds={cpu_seconds:.9} ns_per_task={:.2} result={}\n",
        pool.current_num_threads(),
        seconds * 1e9 / tasks as f64,
        if ok { "ok" } else { "wrong" }
    ));
    match printed {
        Ok(()) => ExitCode::from(if ok { EXIT_DONE } else { EXIT_WRONG }),
        Err(unwritten) => {
            unwritten.text().iter().for_each(|why| tell(format!("vicinity-bench-rayon: {why}")));
            ExitCode::from(unwritten.status())
        }
    }
}
