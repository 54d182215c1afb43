//! This process's own mappings, and the bytes of its code, as the kernel shows them.
//!
//! Source: proc_pid_maps(5), proc_pid_mem(5). Units: bytes.

use std::fs::{self, File};
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Private memory that is not code, with the program's stack left out, and mapped files, by address.
pub fn data() -> Vec<Range<usize>> {
    parse(&fs::read_to_string("/proc/self/maps").unwrap_or_default())
}

/// Mapped files that can be read and are not code, with their paths, by address.
pub fn files() -> Vec<(Range<usize>, String)> {
    files_in(&fs::read_to_string("/proc/self/maps").unwrap_or_default())
}

fn files_in(text: &str) -> Vec<(Range<usize>, String)> {
    let file = |(range, _, name): (Range<usize>, &str, &str)| {
        is_file(name).then(|| (range, name.to_owned()))
    };
    readable(text).filter_map(file).collect()
}

fn parse(text: &str) -> Vec<Range<usize>> {
    let range = |(range, access, name): (Range<usize>, &str, &str)| {
        let is_data = access.ends_with('p') || is_file(name);
        let is_special = name.starts_with("[v") || name == "[stack]";
        (is_data && !is_special).then_some(range)
    };
    readable(text).filter_map(range).collect()
}

/// What is not code, with its access and name. A line is `start-end rwxp offset device inode path`.
fn readable(text: &str) -> impl Iterator<Item = (Range<usize>, &str, &str)> {
    text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let (range, access, name) = (words.next()?, words.next()?, words.nth(3));
        let (start, end) = range.split_once('-')?;
        // A path may have spaces.
        let name = name.map_or("", |name| &line[name.as_ptr() as usize - line.as_ptr() as usize..]);
        let address = |word| usize::from_str_radix(word, 16).ok();
        let is_readable = access.starts_with('r') && !access.contains('x');
        is_readable.then_some((address(start)?..address(end)?, access, name.trim_end()))
    })
}

/// Whether a mapping of that name is of a file: other shared memory is mostly some processes', and devices have no pages.
fn is_file(name: &str) -> bool {
    let others = ["/dev/", "/SYSV", "/memfd:", "/anon_hugepage"];
    name.starts_with('/') && !others.iter().any(|other| name.starts_with(other))
}

/// What the kernel has a mapping in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// Some are huge now.
    Huge,
    /// Single ones, as it was told.
    Single,
    /// Single ones, or pieces of several.
    Any,
}

/// What the mapping that an address is in consists of.
pub fn grain_of(address: usize) -> Grain {
    grain_in(&fs::read_to_string("/proc/self/smaps").unwrap_or_default(), address)
}

/// What `/proc/self/smaps` says of the mapping that an address is in: lines of the form `AnonHugePages:   2048 kB`, and
/// `VmFlags: rd wr nh` with what it was told.
pub(crate) fn lines_of(text: &str, address: usize) -> impl Iterator<Item = &str> {
    let holds = move |line: &str| {
        let (start, end) = line.split_whitespace().next()?.split_once('-')?;
        let address_of = |word| usize::from_str_radix(word, 16).ok();
        Some((address_of(start)?..address_of(end)?).contains(&address))
    };
    let lines = text.lines().skip_while(move |line| holds(line) != Some(true)).skip(1);
    lines.take_while(move |line| holds(line).is_none())
}

fn grain_in(text: &str, address: usize) -> Grain {
    let is_huge = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap_or_default();
        let some = words.next().is_some_and(|count| count != "0");
        ["AnonHugePages:", "ShmemPmdMapped:", "FilePmdMapped:"].contains(&name) && some
    };
    let is_single = |line: &str| line.starts_with("VmFlags:") && line.contains(" nh");
    let has = |is: &dyn Fn(&str) -> bool| lines_of(text, address).any(is);
    match (has(&is_huge), has(&is_single)) {
        (true, _) => Grain::Huge,
        (false, true) => Grain::Single,
        (false, false) => Grain::Any,
    }
}

/// The bytes of the process's memory, read so that addresses without any are no harm.
#[derive(Debug)]
pub struct Own(File);

impl Own {
    /// `None` where the kernel does not show them.
    pub fn open() -> Option<Own> {
        File::open("/proc/self/mem").ok().map(Own)
    }

    /// Bytes from an address on, as many as there are up to `most`.
    pub fn read(&self, address: u64, most: usize) -> Vec<u8> {
        let mut bytes = vec![0; most];
        let read = self.0.read_at(&mut bytes, address).unwrap_or(0);
        bytes.truncate(read);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_told_from_code() {
        let text = "\
00400000-00401000 r-xp 00000000 08:01 131 /bin/program
00401000-00402000 rw-p 00000000 08:01 131 /bin/program with a space
7f0000000000-7f0000100000 rw-p 00000000 00:00 0
7f0000200000-7f0000300000 ---p 00000000 00:00 0
7f0000300000-7f0000400000 rw-s 00000000 00:05 7 /dev/shm/x
7f0000400000-7f0000500000 r--p 00000000 08:01 9 /data/weights
7f0000600000-7f0000700000 r--s 00000000 08:01 9 /data/weights
7f0000700000-7f0000800000 rw-s 00000000 00:01 4 /memfd:window (deleted)
7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]
7ffc00022000-7ffc00024000 r--p 00000000 00:00 0 [vvar]
nonsense
";
        let starts: Vec<usize> = parse(text).iter().map(|range| range.start).collect();
        let wanted = [0x40_1000, 0x7f00_0000_0000, 0x7f00_0040_0000, 0x7f00_0060_0000];
        assert_eq!(starts, wanted);
        let paths: Vec<String> = files_in(text).into_iter().map(|(_, path)| path).collect();
        assert_eq!(paths, ["/bin/program with a space", "/data/weights", "/data/weights"]);
    }

    #[test]
    fn huge_pages_are_found_and_where_there_will_be_none() {
        let text = "\
00400000-00401000 r-xp 00000000 08:01 131 /bin/program
Size:                  4 kB
AnonHugePages:         0 kB
7f0000000000-7f0000400000 rw-p 00000000 00:00 0
Size:               4096 kB
AnonHugePages:      2048 kB
FilePmdMapped:         0 kB
VmFlags: rd wr mr mw me ac
7f0000400000-7f0000500000 rw-p 00000000 00:00 0
AnonHugePages:         0 kB
VmFlags: rd wr mr mw me ac nh
7f0000600000-7f0000700000 rw-p 00000000 00:00 0
VmFlags: rd wr mr mw me ac
";
        let at = [0x40_0000, 0x7f00_0010_0000, 0x7f00_0040_0000, 0x7f00_0060_0000, 5];
        let wanted = [Grain::Any, Grain::Huge, Grain::Single, Grain::Any, Grain::Any];
        assert_eq!(at.map(|address| grain_in(text, address)), wanted);
    }

    #[test]
    fn own_memory_is_read_and_what_is_not_there_is_not() {
        let Some(own) = Own::open() else { return };
        let text = b"forty-two";
        assert_eq!(own.read(text.as_ptr() as u64, 5), b"forty");
        assert!(own.read(0, 5).is_empty());
        let here = text.as_ptr() as usize;
        assert!(data().iter().any(|range| range.contains(&here)));
    }
}
