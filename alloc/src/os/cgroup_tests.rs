//! Quotas read from the files of machines that are not here.

use super::*;

/// The quota on a machine with these files: `(path, contents)`.
fn quota_with(files: &[(&str, &str)]) -> Option<u32> {
    quota(&|path| files.iter().find(|file| file.0 == path).map(|file| file.1.to_owned()))
}

const V2_MOUNT: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate
";

#[test]
fn version_2_takes_the_least_on_the_way_up() {
    let base = [
        ("/proc/self/cgroup", "0::/user.slice/run-1.scope\n"),
        ("/proc/self/mountinfo", V2_MOUNT),
        ("/sys/fs/cgroup/user.slice/run-1.scope/cpu.max", "max 100000\n"),
    ];
    assert_eq!(quota_with(&base), None);
    let mut with_parent = base.to_vec();
    with_parent.push(("/sys/fs/cgroup/user.slice/cpu.max", "250000 100000\n"));
    assert_eq!(quota_with(&with_parent), Some(3));
    with_parent[2].1 = "400000 100000";
    assert_eq!(quota_with(&with_parent), Some(3));
    with_parent[2].1 = "5000 100000";
    assert_eq!(quota_with(&with_parent), Some(1));
}

#[test]
fn version_2_in_a_container_with_its_own_namespace() {
    let files = [
        ("/proc/self/cgroup", "0::/\n"),
        ("/proc/self/mountinfo", V2_MOUNT),
        ("/sys/fs/cgroup/cpu.max", "200000 100000\n"),
    ];
    assert_eq!(quota_with(&files), Some(2));
}

#[test]
fn version_1_container_that_sees_the_hosts_group_names() {
    let mount = "34 31 0:29 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro master:15 - cgroup cgroup \
                 rw,cpu,cpuacct\n";
    let files = [
        ("/proc/self/cgroup", "5:cpu,cpuacct:/docker/abc\n3:memory:/docker/abc\n0::/\n"),
        ("/proc/self/mountinfo", mount),
        ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "150000\n"),
        ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
    ];
    assert_eq!(quota_with(&files), Some(2));
    // A group outside the mounted root: the mount point's limits are the process's.
    let mut outside = files;
    outside[0].1 = "5:cpu,cpuacct:/kubepods/pod7/x\n";
    assert_eq!(quota_with(&outside), Some(2));
    // A name that merely begins like the root is not below it.
    outside[0].1 = "5:cpu,cpuacct:/docker/abcdef\n";
    assert_eq!(quota_with(&outside), Some(2));
}

#[test]
fn version_1_without_a_quota_and_a_controller_named_alike() {
    let mount = "32 31 0:29 / /cg/cpuset rw - cgroup cgroup rw,cpuset\n\
                 33 31 0:30 / /cg/cpu rw - cgroup cgroup rw,cpu\n";
    let mut files = [
        ("/proc/self/cgroup", "3:cpuset:/a\n1:cpu:/a/b\n"),
        ("/proc/self/mountinfo", mount),
        ("/cg/cpu/a/b/cpu.cfs_quota_us", "-1\n"),
        ("/cg/cpu/a/b/cpu.cfs_period_us", "100000\n"),
        ("/cg/cpu/a/cpu.cfs_quota_us", "-1\n"),
        ("/cg/cpu/a/cpu.cfs_period_us", "50000\n"),
    ];
    assert_eq!(quota_with(&files), None);
    files[4].1 = "350000\n";
    assert_eq!(quota_with(&files), Some(7));
}

#[test]
fn both_versions_at_once() {
    let mounts = "1 0 0:1 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                  2 0 0:2 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
    let files = [
        ("/proc/self/cgroup", "1:cpu:/x\n0::/y\n"),
        ("/proc/self/mountinfo", mounts),
        ("/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "600000"),
        ("/sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000"),
        ("/sys/fs/cgroup/unified/y/cpu.max", "400000 100000"),
    ];
    assert_eq!(quota_with(&files), Some(4));
}

#[test]
fn a_mount_point_with_a_space_and_a_group_with_a_colon() {
    let files = [
        ("/proc/self/cgroup", "0::/a:b\n"),
        ("/proc/self/mountinfo", "1 0 0:1 / /my\\040groups rw - cgroup2 none rw\n"),
        ("/my groups/a:b/cpu.max", "100000 100000"),
    ];
    assert_eq!(quota_with(&files), Some(1));
    assert_eq!(unescape("a\\040b\\134c\\9"), "a b\\c\\9");
}

#[test]
fn a_group_above_the_namespace_root_means_the_mount_point() {
    let files = [
        ("/proc/self/cgroup", "0::/../other\n"),
        ("/proc/self/mountinfo", V2_MOUNT),
        ("/sys/fs/cgroup/cpu.max", "100000 100000"),
        ("/sys/fs/other/cpu.max", "900000 100000"),
    ];
    assert_eq!(quota_with(&files), Some(1));
}

#[test]
fn nothing_to_read_and_nonsense_mean_no_quota() {
    assert_eq!(quota_with(&[]), None);
    assert_eq!(quota_with(&[("/proc/self/cgroup", "0::/\n")]), None);
    for max in ["", "max", "0 100000", "100000 0", "x y", "-5 100000", "1e9 100000"] {
        let files = [
            ("/proc/self/cgroup", "garbage\n::\n0::/\n"),
            ("/proc/self/mountinfo", V2_MOUNT),
            ("/sys/fs/cgroup/cpu.max", max),
        ];
        assert_eq!(quota_with(&files), None, "{max}");
    }
    assert_eq!(ratio("18446744073709551615", "1"), Some(u32::MAX));
    assert_eq!(ratio("300000", "100000 "), Some(3));
}

#[test]
fn stops_are_counted_of_the_groups_with_a_quota() {
    let files = [
        ("/proc/7/cgroup", "0::/a/b\n"),
        ("/proc/self/mountinfo", V2_MOUNT),
        ("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n"),
        ("/sys/fs/cgroup/a/b/cpu.stat", "usage_usec 5\nnr_periods 1\nnr_throttled 1\n"),
        ("/sys/fs/cgroup/a/cpu.max", "250000 100000\n"),
        ("/sys/fs/cgroup/a/cpu.stat", "nr_periods 30\nnr_throttled 12\nthrottled_usec 9\n"),
    ];
    let read = |path: &str| files.iter().find(|file| file.0 == path).map(|file| file.1.to_owned());
    let expected = Throttling { periods: 30, throttled: 12 };
    assert_eq!(throttling("/proc/7", &read), Some(expected));
    assert_eq!(throttling("/proc/8", &read), None);
    let without = |path: &str| read(path).filter(|_| path != "/sys/fs/cgroup/a/cpu.max");
    assert_eq!(throttling("/proc/7", &without), None);
}
