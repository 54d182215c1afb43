//! Keeps the cache below a size: `VICINITY_CACHE_SIZE`.
//!
//! Who keeps something looks afterwards what there is: the first time, and whenever it has since written half of the room that there
//! was, or 1/64 of the bound. (To look takes 3 microseconds for each file, and programs build thousands.) Above the bound the files go that were not used for longest, until a quarter
//! of the bound is free, so that not everybody who comes has something to remove. A file is used when it is read, as far as the file
//! system notes that (most do so once a day), and when it is written. Several processes may do so at once: what is gone is gone.

use super::cache::UNFINISHED;
use crate::report;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const VARIABLE: &str = "VICINITY_CACHE_SIZE";
/// Thousands of programs.
const DEFAULT_BYTES: u64 = 1 << 30;

/// A file of the cache.
#[derive(Clone, Copy, Debug)]
struct Used {
    bytes: u64,
    /// Seconds and nanoseconds.
    last: (i64, i64),
}

/// The numbers of those that have to go.
fn surplus(files: &[Used], most_bytes: u64) -> Vec<usize> {
    let mut bytes: u64 = files.iter().map(|file| file.bytes).sum();
    if bytes <= most_bytes {
        return Vec::new();
    }
    let mut oldest_first: Vec<usize> = (0..files.len()).collect();
    oldest_first.sort_by_key(|&at| files[at].last);
    let is_above = |&at: &usize| {
        let is_above = bytes > most_bytes / 4 * 3;
        bytes -= files[at].bytes;
        is_above
    };
    oldest_first.into_iter().take_while(is_above).collect()
}

/// How much this process may write before it looks again.
static UNSEEN: AtomicU64 = AtomicU64::new(0);

/// Removes what is too much in the folder of the entries, to which so many bytes were written. What cannot be removed stays.
pub fn keep_below(folder: &Path, written: usize) {
    let most_bytes = most_bytes();
    let less = |unseen: u64| unseen.checked_sub(written as u64);
    if UNSEEN.fetch_update(Relaxed, Relaxed, less).is_err() {
        let there = keep_below_bytes(folder, most_bytes);
        UNSEEN.store(unseen(there, most_bytes), Relaxed);
    }
}

/// How much may be written before somebody looks again, with so many bytes there.
fn unseen(bytes: u64, most_bytes: u64) -> u64 {
    (most_bytes.saturating_sub(bytes) / 2).min(most_bytes / 64)
}

/// How many bytes are left.
fn keep_below_bytes(folder: &Path, most_bytes: u64) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let used = |path: PathBuf| {
        path.file_name().and_then(OsStr::to_str).filter(|name| is_entry(name))?;
        let file = path.symlink_metadata().ok().filter(|file| file.is_file())?;
        let (read, written) =
            ((file.atime(), file.atime_nsec()), (file.mtime(), file.mtime_nsec()));
        Some((path, Used { bytes: file.len(), last: read.max(written) }))
    };
    let files = entries.flatten().filter_map(|entry| used(entry.path()));
    let (paths, files): (Vec<PathBuf>, Vec<Used>) = files.unzip();
    let mut bytes: u64 = files.iter().map(|file| file.bytes).sum();
    for at in surplus(&files, most_bytes) {
        if fs::remove_file(&paths[at]).is_ok() {
            bytes -= files[at].bytes;
        }
    }
    bytes
}

/// Whether a file of this name is one of ours, or was to become one.
fn is_entry(name: &str) -> bool {
    let is_digest = name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_digest || name.starts_with(UNFINISHED)
}

fn most_bytes() -> u64 {
    static MOST: LazyLock<u64> = LazyLock::new(|| {
        let text = env::var_os(VARIABLE).unwrap_or_default();
        let text = text.to_string_lossy();
        if text.trim().is_empty() {
            return DEFAULT_BYTES;
        }
        parse(&text).unwrap_or_else(|| {
            let allowed = "a number of bytes, or one followed by K, M or G";
            report::misunderstood(VARIABLE, &text, allowed, "1G");
            DEFAULT_BYTES
        })
    });
    *MOST
}

fn parse(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_uppercase();
    let units = [('K', 10), ('M', 20), ('G', 30)];
    let unit = units.iter().find(|(letter, _)| text.ends_with(*letter));
    let (number, shift) =
        unit.map_or((&text[..], 0), |&(_, shift)| (&text[..text.len() - 1], shift));
    let number: u64 = number.trim_end().parse().ok()?;
    number.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let file = |bytes, last| Used { bytes, last: (last, 0) };
        let files = [file(40, 3), file(30, 1), file(20, 2), file(10, 9)];
        assert_eq!(surplus(&files, 100), [] as [usize; 0]);
        assert_eq!(surplus(&files, 99), [1], "70 are left, below three quarters");
        assert_eq!(surplus(&files, 40), [1, 2, 0]);
        assert_eq!(surplus(&files, 0), [1, 2, 0, 3]);
        assert_eq!(surplus(&[], 0), [] as [usize; 0]);
    }

    #[test]
    fn only_entries_go() {
        let folder = tempfile::tempdir().unwrap();
        let name = |name: &str| match name {
            "old" => format!("{UNFINISHED}old"),
            "middle" => "0".repeat(64),
            "new" => "f".repeat(64),
            other => other.to_owned(),
        };
        let place = |it: &str| folder.path().join(name(it));
        fs::create_dir(place("making")).unwrap();
        fs::write(place("README"), [0; 10_000]).unwrap();
        for (name, second) in [("old", 1), ("new", 3), ("middle", 2)] {
            fs::write(place(name), [0; 10_000]).unwrap();
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(second);
            let times = fs::FileTimes::new().set_accessed(time).set_modified(time);
            fs::File::options().write(true).open(place(name)).unwrap().set_times(times).unwrap();
        }
        assert_eq!(keep_below_bytes(folder.path(), 30_000), 30_000);
        assert_eq!(keep_below_bytes(folder.path(), 29_000), 20_000);
        assert_eq!(["old", "middle", "new"].map(|name| place(name).exists()), [false, true, true]);
        keep_below_bytes(folder.path(), 0);
        assert!(!place("new").exists() && place("making").exists() && place("README").exists());
        keep_below_bytes(&place("nowhere"), 0);
    }

    #[test]
    fn who_writes_little_looks_seldom() {
        assert_eq!(unseen(0, DEFAULT_BYTES), 16 << 20);
        assert_eq!(unseen(DEFAULT_BYTES - 2000, DEFAULT_BYTES), 1000, "half of the room");
        assert_eq!([unseen(5, 5), unseen(9, 5), unseen(0, 0)], [0; 3], "no room");
    }

    #[test]
    fn sizes_are_numbers_with_or_without_a_unit() {
        for (text, bytes) in
            [("0", 0), ("4096", 4096), (" 2k", 2048), ("3M ", 3 << 20), ("1 G", 1 << 30)]
        {
            assert_eq!(parse(text), Some(bytes), "{text}");
        }
        for text in ["", "G", "-1", "1T", "1.5G", "99999999999G", "much"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
