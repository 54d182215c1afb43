//! A kernel compiled for one local size, by a process that nobody waits for.
//!
//! What it makes it puts into the cache by itself, so that it may end after the program that wanted it: the next run finds the
//! code there before the first launch (docs/decisions/015-code-that-outlives-its-program.md). Where there is no cache it is ended with the
//! program.
//!
//! Source: docs/kernel-abi.md, `specialize`.

use super::cache::{Key, Place};
use super::description::Description;
use super::executable::Executable;
use super::image::Image;
use super::translator;
use crate::os::background::Background;
use crate::os::claim::{self, Claim};
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// What makes code for the kernels of a program, and the part of the code's name in the cache that they have in common.
pub struct Maker {
    translator: PathBuf,
    key: Key,
}

/// What code is wanted, and where it is kept.
pub struct Wanted {
    source: Arc<Image>,
    translator: PathBuf,
    kernel: String,
    size: String,
    /// `None`: there is no folder for a cache.
    place: Option<Place>,
}

/// What came of a beginning.
pub enum Begun {
    Making(Making),
    /// Another process makes it, or enough are being made: perhaps later.
    Later,
    Impossible,
}

/// The process, and where it puts what it makes.
pub struct Making {
    process: Background,
    place: Place,
}

/// In one cache, by all processes together.
const MOST_AT_ONCE: usize = 4;

impl Maker {
    /// `None` if there is no translator.
    pub fn of(source: &Image) -> Option<Maker> {
        let translator = std::path::absolute(translator::find().ok()?).ok()?;
        let key = translator::key("specialize", &translator).with(&source.bitcode);
        Some(Maker { translator, key })
    }

    pub fn want(&self, source: Arc<Image>, kernel: &str, size: [usize; 3]) -> Wanted {
        let (kernel, size) = (kernel.to_owned(), size.map(|length| length.to_string()).join(","));
        let place = Place::of(self.key.clone().with(&kernel).with(&size));
        Wanted { source, translator: self.translator.clone(), kernel, size, place }
    }
}

impl Wanted {
    /// What is in the cache: the code, or that there cannot be any.
    pub fn kept(&self) -> Option<Option<Executable>> {
        Some(load(&self.place.as_ref()?.read()?))
    }

    /// Begins to make it.
    pub fn begin(&self) -> Begun {
        let kept = self.place.as_ref().map(|place| self.begin_kept(place));
        let begun = match kept {
            // A cache that cannot be written.
            None | Some(Err(_)) => self.begin_tied().map(Begun::Making),
            Some(begun) => begun,
        };
        begun.unwrap_or(Begun::Impossible)
    }

    fn begin_kept(&self, place: &Place) -> std::io::Result<Begun> {
        let (above, name) = place.making().ok_or(std::io::ErrorKind::InvalidFilename)?;
        let Claim::Mine(folder) = claim::claim(&above, name, MOST_AT_ONCE)? else {
            return Ok(Begun::Later);
        };
        let begun = self.start(place.clone(), &folder.path, Some(&folder.lock), None);
        if begun.is_err() {
            drop(folder);
            claim::sweep(&above);
        }
        begun.map(Begun::Making)
    }

    fn begin_tied(&self) -> std::io::Result<Making> {
        let folder = translator::work_folder()?;
        let (place, work) =
            (Place::elsewhere(folder.path().join("kept")), folder.path().join("work"));
        std::fs::create_dir(&work)?;
        self.start(place, &work, None, Some(folder))
    }

    fn start(
        &self,
        place: Place,
        folder: &Path,
        lock: Option<&File>,
        tied: Option<TempDir>,
    ) -> std::io::Result<Making> {
        let program = folder.join("generic.bc");
        std::fs::write(&program, &self.source.bitcode)?;
        std::fs::write(folder.join("image"), Image::head())?;
        let file = std::path::absolute(place.path())?;
        let words: [&OsStr; 11] = [
            self.translator.as_ref(),
            "specialize".as_ref(),
            "--output-dir".as_ref(),
            folder.as_ref(),
            "--kernel".as_ref(),
            self.kernel.as_ref(),
            "--local-size".as_ref(),
            self.size.as_ref(),
            "--keep".as_ref(),
            file.as_ref(),
            program.as_ref(),
        ];
        Ok(Making { process: Background::start(&words, folder, lock, tied)?, place })
    }
}

impl Making {
    /// Nobody waits for it.
    pub fn yield_to_others(&self) {
        self.process.yield_to_others();
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        self.process.is_over()
    }

    /// What came of it, once it is over; `None` if nothing did.
    pub fn outcome(self) -> Option<Executable> {
        // A process that crashed has left its folder.
        self.place.making().iter().for_each(|(above, _)| claim::sweep(above));
        load(&self.place.read()?)
    }
}

fn load(image: &Image) -> Option<Executable> {
    let description = Description::read(&image.description).ok()?;
    let is_one = description.kernels.len() == 1 && description.constructors.is_empty();
    if is_one { Executable::load(&image.object, description).ok() } else { None }
}
