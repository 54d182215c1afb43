//! The processor quota of this process's control groups, versions 1 and 2.
//!
//! Terms: a *hierarchy* is a tree of groups, mounted somewhere; `/proc/self/cgroup` says which group
//! of each hierarchy the process is in, `/proc/self/mountinfo` where the hierarchies are mounted.
//! A group's quota bounds all groups below it, so the effective quota is the least one on the way
//! from the process's group up to the mount point. In a container the mount often shows a part of
//! the tree only (its *root*), and what is above is out of sight.
//!
//! Sources: `cgroups(7)`, `proc(5)`, Linux `admin-guide/cgroup-v2.rst` (cpu.max) and
//! `scheduler/sched-bwc.rst` (cpu.cfs_quota_us). Quotas and periods are in microseconds.

use std::borrow::Cow;

/// Reads a file; `None` when it cannot be read. A parameter, so that tests bring their own files.
type Read<'a> = &'a dyn Fn(&str) -> Option<String>;

/// How many processors the quota amounts to, rounded up and at least 1; `None` without a quota.
pub fn quota_of_this_process() -> Option<u32> {
    quota(&|path| std::fs::read_to_string(path).ok())
}

/// How often a group's processes had to stop because they had used up their quota. Counted since the group was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Throttling {
    /// Periods in which the group ran, and those of them in which it had to stop.
    pub periods: u64,
    pub throttled: u64,
}

/// What the groups of a process with a quota of their own went through, all of them added up; `None` where none has a quota.
pub fn throttling_of(process: u32) -> Option<Throttling> {
    let read: Read = &|path| std::fs::read_to_string(path).ok();
    throttling(&format!("/proc/{process}"), read)
}

fn throttling(process: &str, read: Read) -> Option<Throttling> {
    let mut sum = None;
    each_group(process, read, |version, folder| {
        if version.processors(folder, read).is_none() {
            return;
        }
        let stat = read(&format!("{folder}/cpu.stat")).unwrap_or_default();
        let value = |name: &str| {
            let fields = stat.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            fields.and_then(|value| value.trim().parse::<u64>().ok()).unwrap_or(0)
        };
        let sum = sum.get_or_insert(Throttling::default());
        sum.periods += value("nr_periods");
        sum.throttled += value("nr_throttled");
    })?;
    sum
}

fn quota(read: Read) -> Option<u32> {
    let mut least: Option<u32> = None;
    each_group("/proc/self", read, |version, folder| {
        if let Some(processors) = version.processors(folder, read) {
            least = Some(least.map_or(processors, |least| least.min(processors)));
        }
    })?;
    least
}

/// Shows `see` the folder of each group around a process that can have a quota.
fn each_group(process: &str, read: Read, mut see: impl FnMut(Version, &str)) -> Option<()> {
    let groups = read(&format!("{process}/cgroup"))?;
    let hierarchies: Vec<_> = groups.lines().filter_map(Hierarchy::parse).collect();
    if hierarchies.is_empty() {
        return None;
    }
    let mounts = read("/proc/self/mountinfo")?;
    let mounts: Vec<_> = mounts.lines().filter_map(Mount::parse).collect();
    hierarchies.iter().for_each(|hierarchy| hierarchy.each_folder(&mounts, &mut see));
    Some(())
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Version {
    V1,
    V2,
}

/// One line of `/proc/self/cgroup` that can carry a processor quota.
#[derive(PartialEq, Eq, Debug)]
struct Hierarchy<'a> {
    version: Version,
    /// The group of this process, from the hierarchy's root.
    group: &'a str,
}

impl<'a> Hierarchy<'a> {
    /// `4:cpu,cpuacct:/group` (version 1) or `0::/group` (version 2).
    fn parse(line: &'a str) -> Option<Hierarchy<'a>> {
        let mut fields = line.splitn(3, ':');
        let (number, controllers, group) = (fields.next()?, fields.next()?, fields.next()?);
        let version = match controllers {
            "" if number == "0" => Version::V2,
            _ if controllers.split(',').any(|controller| controller == "cpu") => Version::V1,
            _ => return None,
        };
        Some(Hierarchy { version, group })
    }

    /// The folders of this group and those around it, up to the mount point.
    fn each_folder(&self, mounts: &[Mount], see: &mut impl FnMut(Version, &str)) {
        let mut candidates = mounts.iter().filter(|mount| mount.version == self.version);
        let Some(first) = candidates.next() else { return };
        let (mount, below) = std::iter::once(first)
            .chain(candidates)
            .find_map(|mount| Some((mount, mount.below_root(self.group)?)))
            // The group is not under any mounted root (a container that sees the host's names):
            // its own limits are then those at the mount point.
            .unwrap_or((first, ""));
        let mut folder = format!("{}{below}", mount.point);
        loop {
            see(self.version, &folder);
            match folder.rfind('/') {
                Some(parent) if folder.len() > mount.point.len() => folder.truncate(parent),
                _ => return,
            }
        }
    }
}

impl Version {
    /// The quota of one group, in processors.
    fn processors(self, folder: &str, read: Read) -> Option<u32> {
        match self {
            Version::V2 => {
                let max = read(&format!("{folder}/cpu.max"))?;
                let mut fields = max.split_ascii_whitespace();
                ratio(fields.next()?, fields.next().unwrap_or("100000"))
            }
            Version::V1 => {
                let quota = read(&format!("{folder}/cpu.cfs_quota_us"))?;
                if quota.starts_with('-') {
                    return None;
                }
                ratio(&quota, &read(&format!("{folder}/cpu.cfs_period_us"))?)
            }
        }
    }
}

/// `quota / period` rounded up; `None` when either is no positive number (`max`, `-1`).
fn ratio(quota_us: &str, period_us: &str) -> Option<u32> {
    let quota: u64 = quota_us.trim().parse().ok()?;
    let period: u64 = period_us.trim().parse().ok().filter(|&period| period > 0)?;
    (quota > 0).then(|| u32::try_from(quota.div_ceil(period)).unwrap_or(u32::MAX))
}

/// One line of `/proc/self/mountinfo` that mounts a hierarchy with the processor controller.
#[derive(PartialEq, Eq, Debug)]
struct Mount<'a> {
    version: Version,
    /// The group shown at the mount point.
    root: Cow<'a, str>,
    point: Cow<'a, str>,
}

impl<'a> Mount<'a> {
    /// `ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAG...] - TYPE SOURCE SUPER_OPTIONS`
    fn parse(line: &'a str) -> Option<Mount<'a>> {
        let (place, kind) = line.split_once(" - ")?;
        let mut kind = kind.split(' ');
        let version = match kind.next()? {
            "cgroup2" => Version::V2,
            "cgroup" if kind.nth(1)?.split(',').any(|option| option == "cpu") => Version::V1,
            _ => return None,
        };
        let mut place = place.split(' ').skip(3);
        let root = unescape(place.next()?);
        let point = unescape(place.next()?);
        Some(Mount { version, root, point })
    }

    /// The part of a group's name below this mount's root, `""` or `/a/b`; `None` if not below it.
    fn below_root<'g>(&self, group: &'g str) -> Option<&'g str> {
        if group.split('/').any(|part| part == "..") {
            return None;
        }
        let below = group.strip_prefix(self.root.trim_end_matches('/'))?;
        match below {
            "" | "/" => Some(""),
            _ => below.starts_with('/').then_some(below),
        }
    }
}

/// Undoes mountinfo's octal escapes: `\040` is a space.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 4).filter(|_| bytes[at] == b'\\');
        let code = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        plain.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 4 } else { 1 };
    }
    Cow::Owned(String::from_utf8_lossy(&plain).into_owned())
}

#[cfg(test)]
#[path = "cgroup_tests.rs"]
mod tests;
