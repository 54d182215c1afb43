//! The cache of translated programs: files in `VICINITY_CACHE_DIR`.
//!
//! Protocol: a file is written under a name of its own and then renamed, so that every process finds either nothing
//! or all of it. The name is the SHA-256 of everything that the content depends on. A file that is damaged is one
//! that is not there: it is written anew. What is no file is removed. That something cannot be read or written is never an error.
//!
//! What is in it is run. So a folder that others may write is not used, which is said once, and a file that others may write, or have
//! written, counts as damaged.
//!
//! The folder may be emptied at any time. How large it becomes: [`super::bound`].

use super::bound;
use super::image::Image;
use crate::report;
use sha2::{Digest, Sha256};
use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Once;
use vicinity_alloc::os::files::{Folder, Found};
use vicinity_alloc::os::process::is_secure_mode;

/// What a program is made from, on the way to its name.
#[derive(Clone)]
pub struct Key(Sha256);

impl Key {
    pub fn new(purpose: &str) -> Key {
        Key(Sha256::new()).with(purpose)
    }

    /// One more thing that matters. Lengths are part of it, so that no two sequences are alike.
    pub fn with(mut self, part: impl AsRef<[u8]>) -> Key {
        self.add(part.as_ref());
        self
    }

    pub fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    pub fn file_name(self) -> String {
        let digits = self.0.finalize();
        digits.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A program's place in the cache.
#[derive(Clone)]
pub struct Place(PathBuf);

/// A name has the hexadecimal digits of a SHA-256.
const NAME_BYTES: usize = 64;

/// How the names of files begin that are not whole.
pub const UNFINISHED: &str = ".new-";

/// An entry has no more.
const MOST_BYTES: u64 = 1 << 30;

/// Where in the cache those work who nobody waits for: a folder for each, of the name of what it makes.
const MAKING: &str = "making";

impl Place {
    /// `None` if there is no folder to be had by these variables.
    pub fn of(key: Key) -> Option<Place> {
        Place::in_folder(&key.file_name())
    }

    fn in_folder(name: &str) -> Option<Place> {
        let read = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let folder = folder(if is_secure_mode() { &|_| None } else { &read })?;
        Some(Place(folder.join("opencl").join(name)))
    }

    /// The place of this name, as [`Self::name`] gave it; `None` if it is none.
    pub fn named(name: &str) -> Option<Place> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_name = name.len() == NAME_BYTES && name.bytes().all(is_digit);
        Place::in_folder(is_name.then_some(name)?)
    }

    pub fn name(&self) -> Option<&str> {
        self.0.file_name()?.to_str()
    }

    /// A file elsewhere, to be used once.
    pub fn elsewhere(file: PathBuf) -> Place {
        Place(file)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Where to make it, and under which name there.
    pub fn making(&self) -> Option<(PathBuf, &str)> {
        let folder = std::path::absolute(self.0.parent()?.join(MAKING)).ok()?;
        Some((folder, self.name()?))
    }

    pub fn read(&self) -> Option<Image> {
        Image::from_bytes(&self.bytes()?)
    }

    pub fn write(&self, image: &Image) {
        let bytes = image.to_bytes();
        if self.put(&bytes) {
            self.0.parent().into_iter().for_each(|folder| bound::keep_below(folder, bytes.len()));
        }
    }

    /// The content of the file, if it is one.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        let folder = guarded(self.0.parent()?).ok()?;
        match folder.read(self.0.file_name()?, MOST_BYTES).ok()? {
            Found::Content(bytes) => Some(bytes),
            Found::Nothing => None,
            Found::Wrong => {
                // What cannot be removed stays, and nothing is kept here.
                let _ = std::fs::remove_file(&self.0).or_else(|_| std::fs::remove_dir_all(&self.0));
                None
            }
        }
    }

    /// Whether it could be kept: otherwise it is made again the next time.
    pub fn put(&self, bytes: &[u8]) -> bool {
        self.try_put(bytes).is_ok()
    }

    fn try_put(&self, bytes: &[u8]) -> io::Result<()> {
        self.prepare()?;
        let folder = self.0.parent().ok_or(io::ErrorKind::InvalidFilename)?;
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.persist(&self.0)?;
        Ok(())
    }

    /// There is a folder for it that others do not write, from now on.
    pub fn prepare(&self) -> io::Result<()> {
        let folder = self.0.parent().ok_or(io::ErrorKind::InvalidFilename)?;
        Folder::make(folder)?;
        guarded(folder).map(|_| ())
    }
}

/// The folder, open, if nobody but us can have written what is in it.
fn guarded(path: &Path) -> io::Result<Folder> {
    let folder = Folder::open(path)?;
    let Some(exposure) = folder.exposure()? else { return Ok(folder) };
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        report::warn(&format!(
            "VICINITY_CACHE_DIR: {} {exposure}; allowed: a folder that only you may write; used instead: none, kernels are compiled anew",
            path.display()
        ));
    });
    Err(io::ErrorKind::PermissionDenied.into())
}

/// `VICINITY_CACHE_DIR`, or the user's cache folder as the XDG base directory specification has it.
fn folder(read: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let own = read("VICINITY_CACHE_DIR").map(PathBuf::from);
    let user = || read("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || read("HOME").map(|home| Path::new(&home).join(".cache"));
    own.or_else(|| user().or_else(home).map(|path| path.join("vicinity")))
}

#[cfg(test)]
mod tests {
    use super::super::image::Form;
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn image() -> Image {
        let (object, description) = (vec![1, 2, 3], Vec::new());
        Image {
            form: Form::Executable,
            hurried: None,
            bitcode: vec![9],
            object,
            description,
            log: Vec::new(),
        }
    }

    #[test]
    fn what_was_written_is_read_until_it_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place(folder.path().join("opencl/x"));
        assert_eq!(place.read(), None);
        place.write(&image());
        assert_eq!(place.read(), Some(image()));
        std::fs::write(&place.0, b"damaged").unwrap();
        assert_eq!(place.read(), None);
        place.write(&image());
        assert_eq!(place.read(), Some(image()));
        let left = std::fs::read_dir(folder.path().join("opencl")).unwrap().count();
        assert_eq!(left, 1, "no temporary file stays");
    }

    /// Nobody waits for a pipe, and a device without end is not read.
    #[test]
    fn what_is_no_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place(folder.path().join("x"));
        let pipe = || assert!(std::process::Command::new("mkfifo").arg(&place.0).status().is_ok());
        let link = || std::os::unix::fs::symlink("/dev/zero", &place.0).unwrap();
        let deep = || std::fs::create_dir_all(place.0.join("deeper")).unwrap();
        for wrong in [&pipe as &dyn Fn(), &link, &deep] {
            wrong();
            assert_eq!(place.read(), None);
            place.write(&image());
            assert_eq!(place.read(), Some(image()));
            std::fs::remove_file(&place.0).unwrap();
        }
    }

    #[test]
    fn what_others_may_write_is_not_loaded() {
        let mode = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        let folder = tempfile::tempdir().unwrap();
        let place = Place(folder.path().join("x"));
        place.write(&image());
        mode(&place.0, 0o666);
        assert_eq!(place.read(), None);
        place.write(&image());
        assert_eq!(place.read(), Some(image()), "it was replaced");
        mode(folder.path(), 0o777);
        assert_eq!(place.read(), None);
        assert!(place.prepare().is_err());
    }

    #[test]
    fn a_place_that_cannot_be_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("opencl"), b"a file").unwrap();
        let place = Place(folder.path().join("opencl/x"));
        place.write(&image());
        assert_eq!(place.read(), None);
    }

    #[test]
    fn folders_are_chosen_by_the_environment() {
        let of = |set: &[(&str, &str)]| {
            let set: Vec<(String, OsString)> =
                set.iter().map(|&(name, value)| (name.into(), value.into())).collect();
            folder(&|name| set.iter().find(|it| it.0 == name).map(|it| it.1.clone()))
        };
        assert_eq!(of(&[("VICINITY_CACHE_DIR", "/c"), ("HOME", "/h")]), Some("/c".into()));
        let xdg = [("XDG_CACHE_HOME", "/x"), ("HOME", "/h")];
        assert_eq!(of(&xdg), Some("/x/vicinity".into()));
        assert_eq!(of(&[("HOME", "/h")]), Some("/h/.cache/vicinity".into()));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn keys_tell_sequences_apart() {
        let name = |parts: &[&str]| {
            parts.iter().fold(Key::new("build"), |key, part| key.with(part)).file_name()
        };
        assert_eq!(name(&["a", "b"]), name(&["a", "b"]));
        assert_ne!(name(&["a", "b"]), name(&["ab", ""]));
        assert_eq!(name(&[]).len(), 64);
    }
}
