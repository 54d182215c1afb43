//! The translator: `vicinity-translate`, another program, which compiles and links.
//!
//! Source: docs/kernel-abi.md, "Command line".

use super::again;
use super::bare::Home;
use super::cache::{Key, Place};
use super::description::{Description, Less};
use super::image::{Form, Image};
use super::making::{HANGS_AFTER, Making, Started};
use super::sources::{Reads, Shelf};
use crate::core::device::facts;
use crate::core::version;
use crate::os::background::{Background, Start};
use crate::os::library::own_folder;
use crate::os::process::End;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use tempfile::TempDir;
use vicinity_alloc::os::process::is_secure_mode;
use vicinity_output::words::choice;

/// What is to be done.
pub enum Work<'a> {
    /// Source to an executable: OpenCL C, or SPIR-V if there is a reader of it.
    Build { source: &'a [u8], reader: Option<&'a Path> },
    /// The same to an object. Headers have the names that the source includes them by.
    Compile { source: &'a [u8], reader: Option<&'a Path>, headers: Vec<(String, Arc<[u8]>)> },
    /// Objects and libraries to an executable or a library.
    Link { inputs: Vec<Arc<Image>>, to_library: bool },
}

/// What came of it.
pub enum Made {
    Whole(Arc<Image>),
    /// Code of it is still being made.
    Declared(Arc<Making>),
}

/// What went wrong.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The program is; the log says how.
    Program(String),
    /// The options are.
    Options(String),
}

const PROGRAM: &str = "vicinity-translate";
/// What a translator starts that has no compiler in itself, unless `VICINITY_CLANG` says otherwise.
const COMPILER: &str = "clang-19";
/// Its log names the file so, without the folder.
const SOURCE: &str = "program.cl";
/// What the variables say that change what the translator makes. It reads them, too, but what it complains of is not seen here.
static WORDS: LazyLock<[&str; 4]> = LazyLock::new(|| {
    let one_of = |variable, words: &[&'static str]| {
        choice(variable, &words.iter().map(|&word| (word, word)).collect::<Vec<_>>())
    };
    let order = one_of("VICINITY_ORDER", &["auto", "dfo", "bfo", "paper", "reference", "observed"]);
    let local = one_of("VICINITY_LOCAL", &["auto", "kept"]);
    let vectors = one_of("VICINITY_VECTORS", &["auto", "always", "half", "double", "never"]);
    [order, local, vectors, one_of("VICINITY_EFFORT", &["auto", "full", "less", "none"])]
});
/// What the translator says of files that it read.
const READS: &str = "reads";
/// What it writes to standard error, as far as that is wanted.
const COMPLAINTS: &str = "complaints";
const MOST_COMPLAINTS_BYTES: usize = 1 << 20;

impl Work<'_> {
    /// A bare executable to one with code.
    pub fn of_bare(image: Arc<Image>) -> Work<'static> {
        Work::Link { inputs: vec![image], to_library: false }
    }

    fn form(&self) -> Form {
        match self {
            Work::Build { .. } | Work::Link { to_library: false, .. } => Form::Executable,
            Work::Compile { .. } => Form::Object,
            Work::Link { to_library: true, .. } => Form::Library,
        }
    }

    fn verb(&self) -> &'static str {
        match self {
            Work::Build { .. } => "build",
            Work::Compile { .. } => "compile",
            Work::Link { .. } => "link",
        }
    }

    /// The cache's name for the outcome, as far as it is known before.
    fn key(&self, options: &str, translator: &Path) -> Key {
        let mut key = key(self.verb(), translator).with([self.form() as u8]);
        key.add(options.as_bytes());
        match self {
            Work::Build { source, reader } => with_files(key.with(source), reader.iter().copied()),
            Work::Compile { source, reader, headers } => {
                let key = with_files(key.with(source), reader.iter().copied());
                headers.iter().fold(key, |key, (name, text)| key.with(name).with(text))
            }
            Work::Link { inputs, .. } => {
                inputs.iter().fold(key, |key, input| key.with(&input.bitcode))
            }
        }
    }

    /// Writes the inputs and adds them to the command line.
    fn put(&self, folder: &Path, command: &mut Vec<OsString>) -> std::io::Result<()> {
        match self {
            Work::Build { source, reader } => put_source(folder, command, source, *reader, &[]),
            Work::Compile { source, reader, headers } => {
                put_source(folder, command, source, *reader, headers)
            }
            Work::Link { inputs, .. } => {
                for (index, input) in inputs.iter().enumerate() {
                    let path = folder.join(format!("{index}.bc"));
                    std::fs::write(&path, &input.bitcode)?;
                    command.push(path.into());
                }
                Ok(())
            }
        }
    }
}

fn put_source(
    folder: &Path,
    command: &mut Vec<OsString>,
    source: &[u8],
    reader: Option<&Path>,
    headers: &[(String, Arc<[u8]>)],
) -> std::io::Result<()> {
    if let Some(reader) = reader {
        command.extend(["--reader".into(), reader.into()]);
    }
    for (index, (name, text)) in headers.iter().enumerate() {
        let path = folder.join(format!("{index}.h"));
        std::fs::write(&path, text)?;
        let mut pair = OsString::from(name);
        pair.push("=");
        pair.push(&path);
        command.extend(["--header".into(), pair]);
    }
    let path = folder.join(SOURCE);
    std::fs::write(&path, source)?;
    command.push(path.into());
    Ok(())
}

/// The cache's name for what `verb` makes, as far as it depends on us and on the machine.
pub fn key(verb: &str, translator: &Path) -> Key {
    let mut key = with_identity(Key::new(verb).with(version::OWN), translator);
    for word in &facts().features {
        key.add(&word.to_le_bytes());
    }
    for word in *WORDS {
        key.add(word.as_bytes());
    }
    key
}

/// Another translator or compiler makes other programs: told by their files, without starting them.
fn with_identity(key: Key, translator: &Path) -> Key {
    let compiler = env::var_os("VICINITY_CLANG").unwrap_or_else(|| COMPILER.into());
    let files = [Some(translator.to_path_buf()), in_path(&compiler)];
    with_files(key, files.iter().flatten().map(PathBuf::as_path))
}

fn with_files<'a>(key: Key, files: impl Iterator<Item = &'a Path>) -> Key {
    files.fold(key, |key, file| {
        let key = key.with(file.as_os_str().as_encoded_bytes());
        let numbers = file
            .metadata()
            .map(|file| [file.size(), file.mtime() as u64, file.mtime_nsec() as u64]);
        numbers.iter().flatten().fold(key, |key, number| key.with(number.to_le_bytes()))
    })
}

/// The file of a program that is named with its folder, or is in `PATH`.
pub fn in_path(program: &OsStr) -> Option<PathBuf> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let mut candidates = env::split_paths(&folders).map(|folder| folder.join(program));
    candidates.find(|path| path.is_file())
}

/// Carries it out, or finds in the cache what came of it before.
pub fn translate(work: &Work, options: &str) -> Result<Made, Failure> {
    let translator = find().map_err(Failure::Program)?;
    let shelf = Shelf::of(work.key(options, &translator));
    if let Some((image, place)) = shelf.as_ref().and_then(Shelf::find) {
        again::improve(&image, &place, options);
        return Ok(Made::Whole(Arc::new(image)));
    }
    let links = matches!(work, Work::Link { .. });
    let job = Job { form: work.form(), links, options: options.to_owned(), shelf };
    Making::begin(job, || start(work, options, &translator))
}

/// The translator's file: what `VICINITY_TRANSLATE` names, or beside this library.
pub fn find() -> Result<PathBuf, String> {
    let named = env::var_os("VICINITY_TRANSLATE").filter(|name| !name.is_empty());
    if let Some(named) = named.filter(|_| !is_secure_mode()) {
        return Ok(PathBuf::from(named));
    }
    let folder = own_folder().unwrap_or_default();
    let beside = [folder.join("../bin").join(PROGRAM), folder.join(PROGRAM)];
    let found = beside.iter().find(|path| path.is_file()).cloned();
    found.ok_or_else(|| {
        format!("{} is missing: Vicinity is not installed completely\n", beside[0].display())
    })
}

/// Starts the translator in a folder of its own.
fn start(work: &Work, options: &str, translator: &Path) -> Result<Started, Failure> {
    let failed =
        |error: std::io::Error| Failure::Program(format!("no folder to work in: {error}\n"));
    let folder = work_folder().map_err(failed)?;
    let path = folder.path().to_path_buf();
    let mut words: Vec<OsString> =
        vec![translator.into(), work.verb().into(), "--output-dir".into(), (&path).into()];
    if work.form() == Form::Executable {
        words.extend(["--in-parts".into(), "--held".into()]);
    }
    work.put(&path, &mut words).map_err(failed)?;
    words.extend(["--".into(), options.into()]);
    let words: Vec<&OsStr> = words.iter().map(OsString::as_os_str).collect();
    let complaints = File::create(path.join(COMPLAINTS)).map_err(failed)?;
    let started = std::io::pipe().and_then(|(lines, writer)| {
        let go = std::io::pipe()?;
        let (input, output, errors) =
            (Some(go.0.as_fd()), Some(writer.as_fd()), Some(complaints.as_fd()));
        let folder = Some(folder);
        let start = Start { words: &words, input, output, errors, folder, ..Start::default() };
        Ok(Started { process: Background::start(start)?, lines, go, folder: path })
    });
    started.map_err(|error| {
        Failure::Program(format!("{} cannot be started: {error}\n", translator.display()))
    })
}

/// What is to come of a translation.
pub struct Job {
    form: Form,
    links: bool,
    pub options: String,
    shelf: Option<Shelf>,
}

impl Job {
    /// What came of it, from the folder of a translator that ended so. It is kept in the cache.
    pub fn outcome(&self, folder: &Path, end: End) -> Result<Image, Failure> {
        let read = |name: &str| std::fs::read(folder.join(name)).unwrap_or_default();
        let log = clean(&read("log"), folder);
        let description = read("program.json");
        let image = Image {
            form: self.form,
            hurried: is_hurried(&description).then_some(0),
            bitcode: read("program.bc"),
            object: read("program.so"),
            description,
            log: log.clone().into_bytes(),
        };
        let is_whole = match image.form {
            Form::Executable => !image.object.is_empty() && !image.description.is_empty(),
            Form::Object | Form::Library => !image.bitcode.is_empty(),
        };
        if is_whole && matches!(end, End::Exit(0) | End::Unknown) {
            self.keep(&image, folder);
            return Ok(image);
        }
        let mut complaints = read(COMPLAINTS);
        complaints.truncate(MOST_COMPLAINTS_BYTES);
        Err(failure(end, log, String::from_utf8_lossy(&complaints).into_owned()))
    }

    /// Where a whole program will be, of which the translator has said in `folder` what it read; `None` if nothing can be kept.
    pub fn home(&self, folder: &Path) -> Option<Home> {
        let place = self.place(folder)?;
        place.prepare().ok()?;
        Home::new(&place, &self.options)
    }

    /// Has a program of this bitcode, whose translator is ended before it is done, made for the next run. In `folder` it has said what it read.
    pub fn leave(&self, bitcode: &[u8], log: &str, folder: &Path) {
        self.place(folder).iter().for_each(|place| {
            again::finish(bitcode, log.as_bytes(), place, &self.options);
        });
    }

    fn keep(&self, image: &Image, folder: &Path) {
        self.place(folder).iter().for_each(|place| {
            place.write(image);
            again::improve(image, place, &self.options);
        });
    }

    /// In the cache.
    fn place(&self, folder: &Path) -> Option<Place> {
        self.shelf.as_ref()?.place(&self.reads(folder)?)
    }

    /// The files that the translator read, if that is known, and none of them changed since this one was written. Nothing but
    /// what is linked is read for that.
    fn reads(&self, folder: &Path) -> Option<Reads> {
        if self.links {
            return Some(Reads::default());
        }
        let reads = Reads::from_bytes(std::fs::read(folder.join(READS)).ok()?)?;
        let begin = folder.join(SOURCE).metadata().ok()?;
        Some(reads).filter(|reads| reads.is_of_before(&begin))
    }
}

/// Of a translator that ended so, without what was wanted.
fn failure(end: End, log: String, complaints: String) -> Failure {
    match end {
        End::Exit(2) => Failure::Options(either(log, complaints)),
        End::Exit(1) | End::Unknown => Failure::Program(either(log, complaints)),
        End::Exit(_) | End::Signal(_) | End::TimeOut => {
            // What is in the log may have been told to standard error, too.
            let complaints =
                if log.contains(complaints.trim()) { String::new() } else { complaints };
            let why = format!("{}{}{PROGRAM} {}\n", lines(log), lines(complaints), said(&end));
            Failure::Program(why)
        }
    }
}

impl Failure {
    pub fn text(&self) -> &str {
        match self {
            Failure::Program(text) | Failure::Options(text) => text,
        }
    }
}

/// Whether more could be done for a kernel of this description, by somebody with more time.
fn is_hurried(description: &[u8]) -> bool {
    let description = Description::read(description);
    let mut kernels = description.iter().flat_map(|description| &description.kernels);
    kernels.any(|kernel| kernel.less_optimized == Some(Less::Time))
}

fn said(end: &End) -> String {
    match end {
        End::Exit(0) => "ended without a program".to_owned(),
        End::Exit(status) => format!("failed, with status {status}"),
        End::Signal(signal) => format!("crashed, by signal {signal}"),
        End::TimeOut => format!(
            "was ended after {} minutes by the clock: it hangs, or gets no processor",
            HANGS_AFTER.as_secs() / 60
        ),
        End::Unknown => "ended".to_owned(),
    }
}

fn either(log: String, complaints: String) -> String {
    if log.trim().is_empty() { complaints } else { log }
}

/// Text that ends with its last line, or is empty.
fn lines(mut text: String) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// The log, without the folder that the program knows nothing of.
pub fn clean(log: &[u8], folder: &Path) -> String {
    let folder = format!("{}/", folder.display());
    String::from_utf8_lossy(log).replace(&folder, "")
}

/// A folder of our own, where there is room for one.
pub fn work_folder() -> std::io::Result<TempDir> {
    let make = |place: &OsStr| tempfile::Builder::new().prefix("vicinity-").tempdir_in(place);
    make(env::temp_dir().as_os_str()).or_else(|error| make("/dev/shm".as_ref()).map_err(|_| error))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Not by what the program is like, which nobody knows then.
    #[test]
    fn a_hang_is_called_one() {
        let said = said(&End::TimeOut);
        assert_eq!(said, "was ended after 30 minutes by the clock: it hangs, or gets no processor");
    }

    #[test]
    fn what_more_time_makes_better_is_told_from_what_it_does_not() {
        let description = |less: &str| {
            let kernel = r#""name": "k", "symbol": "k", "arguments": [], "arguments_bytes": 0"#;
            format!(r#"{{"version": 1, "kernels": [{{{kernel}, "less_optimized": {less}}}]}}"#)
        };
        let is = |less: &str| is_hurried(description(less).as_bytes());
        assert!(is(r#""time""#));
        assert!(!is("null") && !is(r#""size""#) && !is_hurried(b"no description"));
        assert!(Description::read(description("null").as_bytes()).is_ok());
    }
}
