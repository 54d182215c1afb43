//! The command line of `vicinity-translate`, as docs/kernel-abi.md has it.

use std::path::PathBuf;

use vicinity_output::{print, tell, words};

use crate::front::units::Place;
use crate::program::failure::{Failure, cannot, unreadable};
use crate::program::options::{Launches, Options, Special};
use crate::program::progress::Listener;
use crate::program::way::Way;
use crate::program::{keep, patience};
use crate::report::notes;
use crate::schedule::{Order, Wish};
use crate::vector::facts::support::Wanted;
use crate::{generate, pipeline, report};

pub const USAGE: &str = "\
usage: vicinity-translate build      --output-dir DIR [--in-parts [--held]] [--header NAME=FILE]... [--reader FILE] SOURCE.cl -- OPTIONS...
       vicinity-translate compile    --output-dir DIR [--header NAME=FILE]... [--reader FILE] SOURCE.cl -- OPTIONS...
       vicinity-translate link       --output-dir DIR [--create-library | --in-parts [--held]] [--keep FILE] A.bc B.bc... -- OPTIONS...
       vicinity-translate specialize --output-dir DIR --kernel NAME (--local-size X,Y,Z [--units OFFSET:SIZE,...] | --any-ids) [--way WAY] [--keep FILE] PROGRAM.bc [-- OPTIONS...]
       vicinity-translate report     SOURCE.cl [-- OPTIONS...]
       vicinity-translate version | help
exit status: 0 done, 1 the program is wrong (DIR/log says why), 2 usage, 3 something else failed,
             141 the reader of the output has gone";

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    Build(Job),
    Compile(Job),
    Link(Job),
    Specialize(Job),
    /// What was decided about each loop and why, for people.
    Report(Job),
    Version,
    Help,
}

impl Command {
    /// Nobody waits, and what is made is kept: it must not be worse because the machine was busy meanwhile.
    pub fn has_time(&self) -> bool {
        matches!(
            self,
            Command::Specialize(Job { keep: Some(_), .. })
                | Command::Link(Job { keep: Some(_), .. })
        )
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Job {
    pub folder: PathBuf,
    pub headers: Vec<(String, PathBuf)>,
    pub inputs: Vec<PathBuf>,
    pub create_library: bool,
    /// The driver listens, and uses each kernel as soon as its code is there.
    pub in_parts: bool,
    /// It says when, behind the declaration.
    pub held: bool,
    pub kernel: Option<String>,
    pub launches: Option<Launches>,
    /// Where arguments lie that are 1.
    pub units: Vec<Place>,
    /// Reads SPIR-V, which the input is.
    pub reader: Option<PathBuf>,
    /// Another way than the one that seems best.
    pub way: Option<Way>,
    /// Where what was made is kept, in place of the folder.
    pub keep: Option<PathBuf>,
    /// Build options, still as text.
    pub options: Vec<String>,
}

/// Reads the words behind the program's name.
pub fn parse(words: impl IntoIterator<Item = String>) -> Result<Command, Failure> {
    let mut words = words.into_iter();
    let action = words.next().ok_or_else(usage)?;
    let job = parse_job(words)?;
    match action.as_str() {
        "build" => Ok(Command::Build(checked(job, 1)?)),
        "compile" => Ok(Command::Compile(checked(job, 1)?)),
        "link" => {
            let count = job.inputs.len().max(1);
            Ok(Command::Link(checked(job, count)?))
        }
        "specialize" if job.kernel.is_some() && job.launches.is_some() => {
            Ok(Command::Specialize(checked(job, 1)?))
        }
        "report" if job.inputs.len() == 1 => Ok(Command::Report(job)),
        "version" | "--version" => Ok(Command::Version),
        "help" | "--help" => Ok(Command::Help),
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
            "--create-library" => job.create_library = true,
            "--in-parts" => job.in_parts = true,
            "--held" => job.held = true,
            "--kernel" => job.kernel = Some(words.next().ok_or_else(usage)?),
            "--local-size" => {
                let text = words.next().ok_or_else(usage)?;
                job.launches = Some(Launches::Sized(parse_size(&text).ok_or_else(usage)?));
            }
            "--units" => {
                let text = words.next().ok_or_else(usage)?;
                let units: Option<Vec<Place>> = text.split(',').map(Place::parse).collect();
                job.units = units.ok_or_else(usage)?;
            }
            "--any-ids" => job.launches = Some(Launches::AnyIds),
            "--way" => {
                job.way = Some(Way::parse(&words.next().ok_or_else(usage)?).ok_or_else(usage)?);
            }
            "--reader" => job.reader = Some(words.next().ok_or_else(usage)?.into()),
            "--keep" => job.keep = Some(words.next().ok_or_else(usage)?.into()),
            option if option.starts_with("--") => return Err(usage()),
            _ => job.inputs.push(word.into()),
        }
    }
    Ok(job)
}

/// `X,Y,Z`, each at least 1.
fn parse_size(text: &str) -> Option<[u64; 3]> {
    let sizes: Option<Vec<u64>> = text.split(',').map(|size| size.parse().ok()).collect();
    let sizes: [u64; 3] = sizes?.try_into().ok()?;
    let items = sizes.iter().try_fold(1_u64, |items, &size| items.checked_mul(size))?;
    (items > 0).then_some(sizes)
}

fn checked(job: Job, inputs: usize) -> Result<Job, Failure> {
    if job.folder.as_os_str().is_empty() || job.inputs.len() != inputs {
        return Err(usage());
    }
    Ok(job)
}

/// Does it. What belongs in the build log is written there, and returned where it is an error.
pub fn execute(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Build(job) => logged(job, |options, log| {
            let compiled = pipeline::compile(
                &job.inputs[0],
                job.reader.as_deref(),
                &job.headers,
                options,
                &job.folder,
            )?;
            *log = compiled.1;
            make(&compiled.0, options, job, log)
        }),
        Command::Compile(job) => logged(job, |options, log| {
            *log = pipeline::compile(
                &job.inputs[0],
                job.reader.as_deref(),
                &job.headers,
                options,
                &job.folder,
            )?
            .1;
            Ok(())
        }),
        Command::Link(job) => {
            let made = logged(job, |options, log| {
                *log = said_before(job);
                let bitcode = pipeline::link(&job.inputs, &job.folder)?;
                if !options.create_library {
                    make(&bitcode, options, job, log)?;
                }
                Ok(())
            });
            match &job.keep {
                Some(file) => keep::keep_good(made, &job.folder, file),
                None => made,
            }
        }
        Command::Specialize(job) => {
            let made = logged(job, |options, log| {
                let bitcode = pipeline::read(&job.inputs[0])?;
                make(&bitcode, options, job, log)
            });
            match &job.keep {
                Some(file) => keep::keep(made, &job.folder, file),
                None => made,
            }
        }
        Command::Report(job) => Ok(print(&report(job)?)?),
        Command::Version => {
            Ok(print(concat!("vicinity-translate ", env!("CARGO_PKG_VERSION"), " llvm-19\n"))?)
        }
        Command::Help => Ok(print(&format!("{USAGE}\n"))?),
    }
}

fn make(bitcode: &[u8], options: &Options, job: &Job, log: &mut String) -> Result<(), Failure> {
    let declares = job.in_parts.then(|| options.warnings() + log);
    let listener = declares.as_deref().map(|log| Listener { log, holds: job.held });
    let (_, said) = generate::generate(bitcode, options, &job.folder, listener)?;
    log.push_str(&said);
    Ok(())
}

/// What the log of a program said that is kept when it is made again.
fn said_before(job: &Job) -> String {
    let said = job.keep.as_ref().and_then(|_| std::fs::read(job.folder.join("said")).ok());
    notes::without_note(&String::from_utf8_lossy(&said.unwrap_or_default()))
}

/// The options of the command line, and of the environment.
fn options(job: &Job) -> Result<Options, Failure> {
    let (order, reference, observe) = words::choice(
        "VICINITY_ORDER",
        &[
            ("auto", (Wish::Auto, false, false)),
            ("dfo", (Wish::Always(Order::DepthFirst), false, false)),
            ("bfo", (Wish::Always(Order::BreadthFirst), false, false)),
            ("paper", (Wish::Paper, false, false)),
            ("reference", (Wish::Auto, true, false)),
            ("observed", (Wish::Auto, false, true)),
        ],
    );
    let mut vectors = words::choice(
        "VICINITY_VECTORS",
        &[
            ("auto", Wanted::Auto),
            ("always", Wanted::Always),
            ("half", Wanted::Half),
            ("double", Wanted::Double),
            ("never", Wanted::Never),
        ],
    );
    if observe {
        // What is found does not depend on whether vectors pay.
        vectors = Wanted::Always;
    }
    let keeps_local = words::choice("VICINITY_LOCAL", &[("auto", false), ("kept", true)]);
    let mut options = Options {
        reference,
        observe,
        order,
        vectors,
        keeps_local,
        ..Options::parse(&job.options)?
    };
    options.create_library |= job.create_library;
    job.way.into_iter().for_each(|way| way.ask(&mut options));
    if let (Some(kernel), Some(launches)) = (job.kernel.clone(), job.launches) {
        options.special = Some(Special { kernel, launches, units: job.units.clone() });
    }
    Ok(options)
}

/// Translates in a folder of its own, and describes what came out.
pub fn report(job: &Job) -> Result<String, Failure> {
    let temporary = std::env::temp_dir();
    let made = tempfile::Builder::new().prefix("vicinity-report-").tempdir_in(&temporary);
    let made = made.map_err(|error| cannot("create a folder", &temporary, &error))?;
    let (folder, source) = (made.path(), &job.inputs[0]);
    let translated = options(job).and_then(|options| {
        let warnings = options.warnings();
        if !warnings.is_empty() {
            tell(warnings.trim_end());
        }
        let (bitcode, _) =
            pipeline::compile(source, job.reader.as_deref(), &job.headers, &options, folder)?;
        generate::generate(&bitcode, &options, folder, None)
    });
    let (program, _) = translated?;
    let text = std::fs::read(source).map_err(|error| unreadable(source, &error))?;
    Ok(report::report(&program, &String::from_utf8_lossy(&text)))
}

/// What the log says of a translation that did not come to an end.
const UNFINISHED: &str = "error: the translator ended before its time\n";

/// Runs `work` and leaves what it says in the file `log`: what `work` was given to add to, and why it failed.
fn logged(
    job: &Job,
    work: impl FnOnce(&Options, &mut String) -> Result<(), Failure>,
) -> Result<(), Failure> {
    std::fs::create_dir_all(&job.folder).map_err(|error| cannot("create", &job.folder, &error))?;
    let path = job.folder.join("log");
    let write =
        |text: &str| std::fs::write(&path, text).map_err(|error| cannot("write", &path, &error));
    write(UNFINISHED)?;
    let mut log = String::new();
    let options = options(job);
    // What is made again has a log that begins with them.
    let warnings = options.as_ref().ok().filter(|_| job.keep.is_none()).map(Options::warnings);
    let result = options.and_then(|options| work(&options, &mut log));
    patience::forget(&job.folder);
    log.insert_str(0, &warnings.unwrap_or_default());
    if let Err(failure) = &result {
        log.push_str(&failure.text());
    }
    write(&log)?;
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Command, Failure> {
        parse(text.split(' ').map(String::from))
    }

    #[test]
    fn commands_are_what_the_contract_says() {
        let Ok(Command::Build(job)) = parsed("build --output-dir d --header a.h=f a.cl -- -w -D X")
        else {
            panic!("a build");
        };
        assert_eq!(job.headers, [("a.h".to_string(), "f".into())]);
        assert_eq!(job.options, ["-w", "-D", "X"]);
        let Ok(Command::Link(job)) = parsed("link --output-dir d --create-library a.bc b.bc --")
        else {
            panic!("a link");
        };
        assert!(job.create_library && job.inputs.len() == 2);
        let Ok(Command::Specialize(job)) =
            parsed("specialize --output-dir d --kernel k --local-size 8,2,1 p.bc")
        else {
            panic!("a specialization");
        };
        assert_eq!((job.launches, &job.keep), (Some(Launches::Sized([8, 2, 1])), &None));
        assert!(!Command::Specialize(job).has_time());
        let Ok(Command::Specialize(job)) =
            parsed("specialize --output-dir d --kernel k --local-size 8,2,1 --keep f p.bc")
        else {
            panic!("a specialization");
        };
        assert_eq!(job.keep, Some("f".into()));
        assert!(Command::Specialize(job).has_time());
        let has_time = |text| parsed(text).is_ok_and(|command| command.has_time());
        assert!(
            has_time("link --output-dir d --keep f a.bc") && !has_time("link --output-dir d a.bc")
        );
    }

    #[test]
    fn other_commands_are_refused() {
        for text in [
            "",
            "make",
            "build",
            "build a.cl",
            "build --output-dir d",
            "build --output-dir d a b",
            "build --output-dir d --header a a.cl",
            "build --odd --output-dir d a.cl",
            "link --output-dir d",
            "specialize --output-dir d --kernel k p.bc",
            "specialize --output-dir d --kernel k --local-size 8,2,1 p.bc --keep",
            "specialize --output-dir d --kernel k --local-size 0,1,1 p.bc",
            "specialize --output-dir d --kernel k --local-size 1,1 p.bc",
            "specialize --output-dir d --kernel k --local-size 4294967296,4294967296,1 p.bc",
        ] {
            assert!(matches!(parsed(text), Err(Failure::Usage(_))), "{text}");
        }
    }
}
