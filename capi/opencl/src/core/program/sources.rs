//! Programs whose sources are also elsewhere: what they include belongs to their names in the cache.
//!
//! Which files that are, only the compiler knows, afterwards. So such a program has two names. Under the first, made from what is
//! known before, are lists of the files that were read, or seen to be absent, when it was made before, the latest first. The second is made
//! from the first, a list, and what these files have in them now: who finds a program by it would read the same files, and make the same.
//! A program that reads nothing else has the first name alone.
//!
//! Nothing is kept of what nobody can know, and nothing of files that changed meanwhile: it may be of what they were.
//!
//! Source: docs/kernel-abi.md, `reads`. The two names are those of ccache's direct mode.

use super::cache::{Key, Place};
use super::image::{self, Image};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use vicinity_alloc::os::files::read_file;

/// A list as the translator writes it: of each file `+` if it was read, `-` if it was not there, the path, and a zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reads(Vec<u8>);

impl Reads {
    /// `None`: nobody knows.
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Reads> {
        let is_record = |record: &[u8]| matches!(record.first(), Some(b'+' | b'-'));
        let ends = bytes.is_empty() || bytes.ends_with(&[0]);
        let reads = Reads(bytes);
        (ends && reads.records().all(is_record)).then_some(reads)
    }

    fn records(&self) -> impl Iterator<Item = &[u8]> {
        self.0.split_inclusive(|&byte| byte == 0).map(|record| &record[..record.len() - 1])
    }

    /// The second name, from what there is now; `None` if not all of it is.
    fn name(&self, first: &Key) -> Option<Key> {
        self.records().try_fold(first.clone().with("reads"), |key, record| {
            let (path, key) = (Path::new(OsStr::from_bytes(&record[1..])), key.with(record));
            match record[0] {
                b'+' => Some(key.with(read_file(path, MOST_BYTES).ok()?)),
                _ => (!path.exists() || path.is_dir()).then_some(key),
            }
        })
    }

    /// Whether nothing that was read changed after `begin` was written.
    pub fn is_of_before(&self, begin: &Metadata) -> bool {
        let begin = (begin.ctime(), begin.ctime_nsec());
        let read = self.records().filter(|record| record[0] == b'+');
        read.map(|record| Path::new(OsStr::from_bytes(&record[1..]))).all(|path| {
            path.metadata().is_ok_and(|file| (file.ctime(), file.ctime_nsec()) <= begin)
        })
    }
}

/// Of one file that a program includes.
const MOST_BYTES: u64 = 1 << 26;
/// Under one name.
const MOST_LISTS: usize = 8;
const MAGIC: &[u8; 16] = b"Vicinity sources";

fn to_bytes(lists: &[Reads]) -> Vec<u8> {
    let lists: Vec<&[u8]> = lists.iter().map(|list| list.0.as_slice()).collect();
    image::sealed(MAGIC, &lists)
}

fn lists(bytes: &[u8]) -> Option<Vec<Reads>> {
    image::unsealed(MAGIC, bytes)?.map(|list| Reads::from_bytes(list.to_vec())).collect()
}

/// Where in the cache a program is.
pub struct Shelf {
    first: Key,
    place: Place,
}

impl Shelf {
    /// `None` if there is no folder for a cache.
    pub fn of(first: Key) -> Option<Shelf> {
        let place = Place::of(first.clone())?;
        Some(Shelf { first, place })
    }

    /// The program, and its place.
    pub fn find(&self) -> Option<(Image, Place)> {
        let bytes = self.place.bytes()?;
        if let Some(image) = Image::from_bytes(&bytes) {
            return Some((image, self.place.clone()));
        }
        let places = lists(&bytes)?.into_iter().filter_map(|list| self.second(&list));
        places.into_iter().find_map(|place| Some((place.read()?, place)))
    }

    /// Where a program that was made while `reads` were read is to be found from now on, if it may have a place.
    pub fn place(&self, reads: &Reads) -> Option<Place> {
        if *reads == Reads::default() {
            return Some(self.place.clone());
        }
        self.note(reads);
        self.second(reads)
    }

    fn second(&self, list: &Reads) -> Option<Place> {
        Place::of(list.name(&self.first)?)
    }

    /// Has this list be the first one.
    fn note(&self, reads: &Reads) {
        let mut known = self.place.bytes().and_then(|bytes| lists(&bytes)).unwrap_or_default();
        known.retain(|list| list != reads);
        known.insert(0, reads.clone());
        known.truncate(MOST_LISTS);
        self.place.put(&to_bytes(&known));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn reads(records: &str) -> Reads {
        Reads::from_bytes(records.replace('\n', "\0").into_bytes()).unwrap()
    }

    fn name(list: &Reads) -> Option<String> {
        Some(list.name(&Key::new("build"))?.file_name())
    }

    #[test]
    fn names_follow_what_files_have_in_them_and_which_there_are() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let (there, absent) = (place("there"), place("absent"));
        let list = reads(&format!("+{}\n-{}\n", there.display(), absent.display()));
        assert_eq!(name(&list), None);
        fs::write(&there, "1").unwrap();
        let first = name(&list).unwrap();
        fs::write(&there, "2").unwrap();
        assert_ne!(name(&list).unwrap(), first);
        fs::write(&there, "1").unwrap();
        assert_eq!(name(&list).unwrap(), first);
        fs::create_dir(&absent).unwrap();
        assert_eq!(name(&list).unwrap(), first, "a folder is no header");
        fs::remove_dir(&absent).unwrap();
        fs::write(&absent, "").unwrap();
        assert_eq!(name(&list), None);
    }

    #[test]
    fn lists_are_read_as_they_were_written_and_no_others() {
        let written = [reads("+a\n-b\n"), reads("+c\n")];
        let bytes = to_bytes(&written);
        assert_eq!(lists(&bytes).unwrap(), written);
        for at in 0..bytes.len() {
            assert_eq!(lists(&bytes[..at]), None);
        }
        for unknown in ["?\0", "+a", "a\0", "\0"] {
            assert_eq!(Reads::from_bytes(unknown.into()), None, "{unknown:?}");
        }
        assert_eq!(Reads::from_bytes(Vec::new()), Some(Reads::default()));
    }

    #[test]
    fn what_changed_meanwhile_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let (header, begin) = (folder.path().join("a.h"), folder.path().join("begin"));
        fs::write(&header, "1").unwrap();
        fs::write(&begin, "").unwrap();
        let begin = begin.metadata().unwrap();
        let list = reads(&format!("+{}\n-/nowhere/b.h\n", header.display()));
        assert!(list.is_of_before(&begin));
        while list.is_of_before(&begin) {
            fs::write(&header, "2").unwrap();
        }
        fs::remove_file(&header).unwrap();
        assert!(!list.is_of_before(&begin));
    }
}
