//! Translations that nobody waits for, by a process of its own.
//!
//! What one makes it puts into the cache by itself, so that it may end after the program that wanted it: the next run finds it there
//! (docs/decisions/015-code-that-outlives-its-program.md). It has a minute of processor time and no other limit. How often it was
//! begun for what may take longer is kept with what is there so far, so that it is not begun for ever.
//!
//! Source: docs/kernel-abi.md, `--keep`.

use super::cache::Place;
use crate::os::background::{Background, Start};
use crate::os::claim::{self, Claim, Workplace};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;
use vicinity_output::words::choice;

/// How often what takes long is tried. Of these tries some may have been ended by others.
pub const MOST_TRIES: u8 = 3;

/// Of processor time: then it is ended.
const MOST_SECONDS: u64 = 60;

/// In one cache, by all processes together.
pub const MOST_AT_ONCE: usize = 4;
/// The same, where a program goes without the code meanwhile: it does not stand in line behind what nobody waits for.
pub const MOST_AT_ONCE_BESIDE: usize = 8;

/// When code is made aside: `VICINITY_SPECIALIZE`, for experiments and tests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// When it is worth it, and nobody waits.
    Auto,
    /// Before it is used first.
    Always,
    Never,
}

pub fn mode() -> Mode {
    const WORDS: [(&str, Mode); 3] =
        [("auto", Mode::Auto), ("always", Mode::Always), ("never", Mode::Never)];
    static MODE: LazyLock<Mode> = LazyLock::new(|| choice(VARIABLE, &WORDS));
    *MODE
}

const VARIABLE: &str = "VICINITY_SPECIALIZE";

/// Whether code is made in several ways where it is not known which is the best, and all are tried: `VICINITY_RIVALS`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rivals {
    Auto,
    /// The same, and what is found is told.
    Told,
    Never,
}

pub fn rivals() -> Rivals {
    const WORDS: [(&str, Rivals); 3] =
        [("auto", Rivals::Auto), ("told", Rivals::Told), ("never", Rivals::Never)];
    static RIVALS: LazyLock<Rivals> = LazyLock::new(|| choice("VICINITY_RIVALS", &WORDS));
    *RIVALS
}

/// What the translator is asked for.
pub struct Request<'a> {
    pub translator: &'a Path,
    pub verb: &'a str,
    /// Words between the verb and the program, and behind it.
    pub words: &'a [&'a str],
    pub last_words: &'a [&'a str],
    /// The program, in LLVM's bitcode, and other files by their names.
    pub bitcode: &'a [u8],
    pub files: &'a [(&'a str, &'a [u8])],
}

impl Request<'_> {
    /// Starts it in a folder that is its own, to put what it makes at a place.
    pub fn start(
        &self,
        place: &Place,
        folder: &Path,
        lock: Option<&File>,
        tied: Option<TempDir>,
    ) -> io::Result<Background> {
        let program = folder.join("generic.bc");
        std::fs::write(&program, self.bitcode)?;
        for (name, content) in self.files {
            std::fs::write(folder.join(name), content)?;
        }
        let file = std::path::absolute(place.path())?;
        let mut words: Vec<&OsStr> = vec![self.translator.as_ref(), self.verb.as_ref()];
        words.extend([
            "--output-dir".as_ref(),
            folder.as_os_str(),
            "--keep".as_ref(),
            file.as_ref(),
        ]);
        words.extend(self.words.iter().map(OsStr::new));
        words.push(program.as_ref());
        words.extend(self.last_words.iter().map(OsStr::new));
        let input = lock.map(AsFd::as_fd);
        let (place, most_seconds) = (Some(folder), Some(MOST_SECONDS));
        let start =
            Start { words: &words, place, input, folder: tied, most_seconds, ..Start::default() };
        Background::start(start)
    }
}

/// Has `begin` begin something in the folder for what belongs at this place; `None` if another process makes it, or
/// `most` are being made. An error: the cache cannot be written.
pub fn claimed<T>(
    place: &Place,
    most: usize,
    begin: impl FnOnce(&Workplace) -> io::Result<T>,
) -> io::Result<Option<T>> {
    place.prepare()?;
    let (above, name) = place.making().ok_or(io::ErrorKind::InvalidFilename)?;
    let Claim::Mine(folder) = claim::claim(&above, name, most)? else { return Ok(None) };
    let begun = begin(&folder);
    if begun.is_err() {
        drop(folder);
        claim::sweep(&above);
    }
    begun.map(Some)
}
