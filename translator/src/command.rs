//! The command line of `vicinity-translate`, as docs/kernel-abi.md has it.

use std::path::PathBuf;

use crate::failure::{Failure, cannot};
use crate::options::Options;
use crate::pipeline;

pub const USAGE: &str = "\
usage: vicinity-translate build      --output-dir DIR [--header NAME=FILE]... SOURCE.cl -- OPTIONS...
       vicinity-translate compile    --output-dir DIR [--header NAME=FILE]... SOURCE.cl -- OPTIONS...
       vicinity-translate version
exit status: 0 done, 1 the program is wrong (DIR/log says why), 2 usage, 3 something else failed";

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    Build(Job),
    Compile(Job),
    Version,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Job {
    pub folder: PathBuf,
    pub headers: Vec<(String, PathBuf)>,
    pub inputs: Vec<PathBuf>,
    /// Build options, still as text.
    pub options: Vec<String>,
}

/// Reads the words behind the program's name.
pub fn parse(words: impl IntoIterator<Item = String>) -> Result<Command, Failure> {
    let mut words = words.into_iter();
    let action = words.next().ok_or_else(usage)?;
    let job = parse_job(words)?;
    match action.as_str() {
        "build" => Ok(Command::Build(checked(job)?)),
        "compile" => Ok(Command::Compile(checked(job)?)),
        "version" => Ok(Command::Version),
        _ => Err(usage()),
    }
}

fn usage() -> Failure {
    Failure::Usage(USAGE.to_string())
}

fn parse_job(mut words: impl Iterator<Item = String>) -> Result<Job, Failure> {
    let mut job = Job::default();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--" => {
                job.options = words.collect();
                break;
            }
            "--output-dir" => job.folder = words.next().ok_or_else(usage)?.into(),
            "--header" => {
                let header = words.next().ok_or_else(usage)?;
                let (name, file) = header.split_once('=').ok_or_else(usage)?;
                job.headers.push((name.to_string(), file.into()));
            }
            option if option.starts_with("--") => return Err(usage()),
            _ => job.inputs.push(word.into()),
        }
    }
    Ok(job)
}

fn checked(job: Job) -> Result<Job, Failure> {
    if job.folder.as_os_str().is_empty() || job.inputs.len() != 1 {
        return Err(usage());
    }
    Ok(job)
}

/// Does it. What belongs in the build log is written there, and returned where it is an error.
pub fn execute(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Build(job) => logged(job, |options| {
            let (bitcode, log) =
                pipeline::compile(&job.inputs[0], &job.headers, options, &job.folder)?;
            pipeline::generate(&bitcode, options, &job.folder)?;
            Ok(log)
        }),
        Command::Compile(job) => logged(job, |options| {
            let compiled = pipeline::compile(&job.inputs[0], &job.headers, options, &job.folder)?;
            Ok(compiled.1)
        }),
        Command::Version => {
            println!("vicinity-translate {} llvm-19", env!("CARGO_PKG_VERSION"));
            Ok(())
        }
    }
}

/// The options of the command line, and of the environment.
fn options(job: &Job) -> Result<Options, Failure> {
    let reference = std::env::var("VICINITY_ORDER").is_ok_and(|order| order == "reference");
    Ok(Options { reference, ..Options::parse(&job.options)? })
}

/// Runs `work` and leaves what it says in the file `log`.
fn logged(
    job: &Job,
    work: impl FnOnce(&Options) -> Result<String, Failure>,
) -> Result<(), Failure> {
    std::fs::create_dir_all(&job.folder).map_err(|error| cannot("create", &job.folder, &error))?;
    let result = options(job).and_then(|options| work(&options));
    let log = match &result {
        Ok(log) => log.clone(),
        Err(failure) => failure.text().to_string(),
    };
    let path = job.folder.join("log");
    std::fs::write(&path, log).map_err(|error| cannot("write", &path, &error))?;
    result.map(|_| ())
}
