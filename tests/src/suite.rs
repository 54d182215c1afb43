//! Builds and runs programs, a few at a time, and says exactly how to repeat what failed.
//!
//! Terms. *Job*: one program with one compiler: built once, checked for the runtime it loads, then run at every
//! thread count. A run that does not end within the limit is killed with all it started and is a failure.

use crate::program::Program;
use crate::runtime::Runtime;
use crate::toolchain::{self, Built, Compiler};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub struct Suite {
    pub runtime: Runtime,
    /// The folder of the shared headers.
    pub include: PathBuf,
    /// Where builds go: `target/abi`.
    pub out: PathBuf,
    /// Seconds before a run is killed.
    pub limit_s: u32,
}

#[derive(Debug)]
pub struct Failure {
    pub what: String,
    pub repeat: String,
    pub said: String,
}

#[derive(Default, Debug)]
pub struct Summary {
    pub jobs: usize,
    pub runs: usize,
    pub failures: Vec<Failure>,
    /// Known shortcomings of the system's runtimes, not run.
    pub skipped: Vec<String>,
    /// The slowest runs, slowest first.
    pub slowest: Vec<(Duration, String)>,
}

struct Job<'a> {
    program: &'a Program,
    compiler: Compiler,
}

impl Suite {
    /// Runs every program with every compiler of its own, as many jobs at a time as there are processors.
    pub fn run(&self, programs: &[Program]) -> Summary {
        let mut summary = Summary::default();
        let mut jobs = Vec::new();
        for program in programs {
            for compiler in Compiler::for_program(program) {
                match self.known_failure(program, compiler) {
                    Some(reason) => summary.skipped.push(reason),
                    None => jobs.push(Job { program, compiler }),
                }
            }
        }
        summary.jobs = jobs.len();
        let next = AtomicUsize::new(0);
        let shared = Mutex::new(summary);
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
                scope.spawn(|| {
                    // Relaxed: only hands out indices; the jobs were written before the threads began.
                    while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        self.run_job(job, &shared);
                    }
                });
            }
        });
        let mut summary = shared.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        summary.slowest.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
        summary.slowest.truncate(8);
        summary
    }

    fn known_failure(&self, program: &Program, compiler: Compiler) -> Option<String> {
        if self.runtime != Runtime::System {
            return None;
        }
        let known = program.peer_fails.iter().find(|(runtime, _)| runtime == compiler.peer())?;
        Some(format!("{} ({}): {} {}", program.name, compiler.name(), known.0, known.1))
    }

    fn run_job(&self, job: &Job, shared: &Mutex<Summary>) {
        let label = format!("{}/{}", job.compiler.name(), job.program.name);
        let fail = |what: String, repeat: String, said: String| {
            lock(shared).failures.push(Failure { what, repeat, said });
        };
        let built = match toolchain::build(job.program, job.compiler, &self.include, &self.out) {
            Ok(built) => built,
            Err(said) => return fail(format!("{label} does not build"), String::new(), said),
        };
        let object = built.shared.as_ref().unwrap_or(&built.executable);
        if let Err(said) = self.runtime.check_loaded_by(object) {
            return fail(format!("{label} would test another library"), String::new(), said);
        }
        for &threads in &job.program.threads {
            let mut command = self.command(job.program, &built, threads);
            let start = Instant::now();
            let outcome = command.output();
            let name = format!("{label} at {threads} threads");
            lock(shared).runs += 1;
            lock(shared).slowest.push((start.elapsed(), name.clone()));
            let too_long = start.elapsed() >= Duration::from_secs(self.limit_s.into());
            let trouble = match outcome {
                Ok(output) => trouble_in(&output, too_long),
                Err(error) => Some(("does not start".to_owned(), error.to_string())),
            };
            if let Some((what, said)) = trouble {
                fail(format!("{name} {what}"), repeat_line(&command), said);
            }
        }
    }

    fn command(&self, program: &Program, built: &Built, threads: usize) -> Command {
        let mut command = Command::new("timeout");
        command.arg("--signal=KILL").arg(self.limit_s.to_string()).arg(&built.executable);
        command.args(&built.shared).args(&program.args);
        for name in ["OMP_NUM_THREADS", "OMP_SCHEDULE", "OMP_WAIT_POLICY", "LD_LIBRARY_PATH"] {
            command.env_remove(name);
        }
        command.env("OMP_NUM_THREADS", threads.to_string());
        command.envs(self.runtime.variables());
        command.envs(program.env.iter().map(|(name, value)| (name, value)));
        command.current_dir(built.executable.parent().unwrap_or(Path::new(".")));
        command
    }
}

fn lock(shared: &Mutex<Summary>) -> std::sync::MutexGuard<'_, Summary> {
    shared.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// What went wrong and what the program said, if it did not succeed.
fn trouble_in(output: &Output, too_long: bool) -> Option<(String, String)> {
    if output.status.success() {
        return None;
    }
    let what = match output.status.code() {
        _ if too_long => "did not end in time".to_owned(),
        Some(code) if code > 128 => format!("died of signal {}", code - 128),
        Some(code) => format!("exited with {code}"),
        None => output.status.to_string(),
    };
    let mut said = String::from_utf8_lossy(&output.stderr).into_owned();
    said.push_str(&String::from_utf8_lossy(&output.stdout));
    let shortened: String = said.lines().take(12).map(|line| format!("    {line}\n")).collect();
    Some((what, shortened))
}

/// The command as one would type it.
fn repeat_line(command: &Command) -> String {
    let mut words: Vec<String> = vec!["env".to_owned()];
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            words.push(format!("{}={}", name.to_string_lossy(), value.to_string_lossy()));
        }
    }
    words.push(command.get_program().to_string_lossy().into_owned());
    words.extend(command.get_args().map(|a| a.to_string_lossy().into_owned()));
    words.join(" ")
}
