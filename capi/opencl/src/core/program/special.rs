//! A kernel compiled for some launches alone, by a process of its own: for one local size and some strides that are 1, or for ids however
//! large.
//!
//! It is kept in the cache. Where there is no cache the process is ended with the program.
//!
//! Source: docs/kernel-abi.md, `specialize`.

use super::aside::{self, MOST_AT_ONCE, MOST_AT_ONCE_BESIDE, MOST_TRIES, Request};
use super::cache::{Key, Place};
use super::description::{Description, Stride};
use super::executable::Executable;
use super::image::{Form, Image};
use super::translator;
use super::urgency::{Urgency, urgency};
use crate::os::background::Background;
use crate::os::claim;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
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
    /// For which launches, and which way, as the translator takes it.
    launches: Vec<String>,
    /// It may take longer than there is time for: how often it was tried is kept.
    counts_tries: bool,
    /// `None`: there is no folder for a cache.
    place: Option<Place>,
}

/// What launches have in common that one code is the best for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// The size of their groups, all of them whole.
    pub local: [usize; 3],
    /// A bit for each of the kernel's strides that is 1.
    pub units: u64,
}

/// Launches that code is for.
pub enum Launches<'a> {
    /// Of this case, of a kernel with these strides.
    Of(Case, &'a [Stride]),
    /// With ids of 2^31 and more, too.
    AnyIds,
}

impl Launches<'_> {
    /// As the translator takes them.
    fn words(self) -> Vec<String> {
        match self {
            Launches::Of(Case { local, units }, strides) => {
                let size = local.map(|length| length.to_string()).join(",");
                let units = Stride::bits(strides).filter(|(bit, _)| units & bit != 0);
                let units: Vec<String> =
                    units.map(|(_, stride)| format!("{}:{}", stride.offset, stride.size)).collect();
                let mut words = vec!["--local-size".to_owned(), size];
                if !units.is_empty() {
                    words.extend(["--units".to_owned(), units.join(",")]);
                }
                words
            }
            Launches::AnyIds => vec!["--any-ids".to_owned()],
        }
    }
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
    _haste: Haste,
}

/// For whom code is made.
pub enum Haste {
    /// Somebody waits for it.
    Awaited,
    /// A program that goes on meanwhile: as urgently as that runs.
    Beside(Counted),
    /// The same, less urgently.
    Behind,
}

/// One of those that are made beside the program.
pub struct Counted(());

static BESIDE: AtomicUsize = AtomicUsize::new(0);

impl Haste {
    /// Of what a program would use that goes on meanwhile, on so many processors.
    pub fn meanwhile(processors: usize) -> Haste {
        let (counted, before) = Counted::one_more();
        match urgency(before, processors) {
            Urgency::Beside => Haste::Beside(counted),
            Urgency::Behind => Haste::Behind,
        }
    }
}

impl Counted {
    /// It counts from now on; and how many there were before. Relaxed: a number.
    fn one_more() -> (Counted, usize) {
        (Counted(()), BESIDE.fetch_add(1, Ordering::Relaxed))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        BESIDE.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Maker {
    /// `None` if there is no translator.
    pub fn of(source: &Image) -> Option<Maker> {
        let translator = std::path::absolute(translator::find().ok()?).ok()?;
        let key = translator::key("specialize", &translator).with(&source.bitcode);
        Some(Maker { translator, key })
    }

    /// `way`: another than what seems best.
    pub fn want(
        &self,
        source: Arc<Image>,
        kernel: &str,
        launches: Launches<'_>,
        way: Option<&str>,
        counts_tries: bool,
    ) -> Wanted {
        let (kernel, mut launches) = (kernel.to_owned(), launches.words());
        launches.extend(way.into_iter().flat_map(|way| ["--way".to_owned(), way.to_owned()]));
        let place = Place::of(self.key.clone().with(&kernel).with(launches.join(" ")));
        let translator = self.translator.clone();
        Wanted { source, translator, kernel, launches, counts_tries, place }
    }
}

impl Wanted {
    /// What is in the cache: the code, or that there cannot be any.
    pub fn kept(&self) -> Option<Option<Executable>> {
        let image = self.place.as_ref()?.read()?;
        let may_try = image.hurried.is_some_and(|tries| tries < MOST_TRIES);
        (!may_try).then(|| load(&image))
    }

    /// Begins to make it.
    pub fn begin(&self, haste: Haste) -> Begun {
        let kept = self.place.as_ref().map(|place| Ok((place, self.begin_kept(place, &haste)?)));
        let begun: std::io::Result<Option<(Background, Place)>> = match kept {
            Some(Ok((place, process))) => Ok(process.map(|process| (process, place.clone()))),
            // A cache that cannot be written.
            None | Some(Err(())) => self.begin_tied().map(Some),
        };
        match begun {
            Ok(Some((process, place))) => {
                if matches!(haste, Haste::Behind) {
                    process.yield_to_others();
                }
                Begun::Making(Making { process, place, _haste: haste })
            }
            Ok(None) => Begun::Later,
            Err(_) => Begun::Impossible,
        }
    }

    fn begin_kept(&self, place: &Place, haste: &Haste) -> Result<Option<Background>, ()> {
        let most = match haste {
            Haste::Beside(_) => MOST_AT_ONCE_BESIDE,
            Haste::Awaited | Haste::Behind => MOST_AT_ONCE,
        };
        let begun = aside::claimed(place, most, |folder| {
            if self.counts_tries {
                place.write(&tried_after(place.read()));
            }
            self.start(place, &folder.path, Some(&folder.lock), None)
        });
        begun.map_err(|_| ())
    }

    fn begin_tied(&self) -> std::io::Result<(Background, Place)> {
        let folder = translator::work_folder()?;
        let (place, work) =
            (Place::elsewhere(folder.path().join("kept")), folder.path().join("work"));
        std::fs::create_dir(&work)?;
        let process = self.start(&place, &work, None, Some(folder))?;
        Ok((process, place))
    }

    fn start(
        &self,
        place: &Place,
        folder: &Path,
        lock: Option<&File>,
        tied: Option<TempDir>,
    ) -> std::io::Result<Background> {
        let mut words = vec!["--kernel", &self.kernel];
        words.extend(self.launches.iter().map(String::as_str));
        let request = Request {
            translator: &self.translator,
            verb: "specialize",
            words: &words,
            last_words: &[],
            bitcode: &self.source.bitcode,
            files: &[("image", &Image::head(&[]))],
        };
        request.start(place, folder, lock, tied)
    }
}

/// What is kept while it is tried once more.
fn tried_after(before: Option<Image>) -> Image {
    let tries = before.and_then(|image| image.hurried).unwrap_or(0);
    Image {
        form: Form::Executable,
        hurried: Some(tries.saturating_add(1)),
        bitcode: Vec::new(),
        object: Vec::new(),
        description: Vec::new(),
        log: Vec::new(),
    }
}

impl Making {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_two_is_made_beside_the_program() {
        let is_beside = |haste: &Haste| matches!(haste, Haste::Beside(_));
        let first = Haste::meanwhile(2);
        assert!(is_beside(&first) && !is_beside(&Haste::meanwhile(2)));
        drop(first);
        assert!(is_beside(&Haste::meanwhile(2)), "nobody is at it any more");
    }

    #[test]
    fn strides_that_are_1_are_named_by_their_places() {
        let strides = [24, 28, 40].map(|offset| Stride { offset, size: 4 });
        let words = |units| Launches::Of(Case { local: [8, 2, 1], units }, &strides).words();
        assert_eq!(words(0), ["--local-size", "8,2,1"]);
        assert_eq!(words(0b101), ["--local-size", "8,2,1", "--units", "24:4,40:4"]);
    }

    #[test]
    fn what_takes_too_long_is_not_tried_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::elsewhere(folder.path().join("x"));
        let source = Arc::new(tried_after(None));
        let (kernel, launches) = ("k".to_owned(), Launches::AnyIds.words());
        let (translator, kept_at) = (PathBuf::new(), Some(place.clone()));
        let wanted =
            Wanted { source, translator, kernel, launches, counts_tries: true, place: kept_at };
        for tries in 0..MOST_TRIES {
            assert!(wanted.kept().is_none(), "{tries}");
            place.write(&tried_after(place.read()));
        }
        assert!(matches!(wanted.kept(), Some(None)));
    }
}
