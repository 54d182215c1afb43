//! Measuring, saving and finding again.

use super::*;
use crate::os;
use std::path::PathBuf;

/// A folder of a test's own, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("vicinity-{name}-{}", std::process::id());
        Folder(std::env::temp_dir().join(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn place(cpu: u32) -> Place {
    let processors = CpuSet::from_iter([cpu]);
    Place { name: format!("core {cpu}"), processors, node: Some(0), memory_bytes: 1 }
}

#[test]
fn what_was_measured_is_found_again() {
    let processors: Vec<u32> = os::affinity_mask().iter().take(2).collect();
    let [one, other] = processors[..] else {
        return;
    };
    let places = [place(one), place(other)];
    let folder = Folder::new("measured");
    let measured = distances(&places, Some(&folder.0)).unwrap();
    assert_eq!(measured, [10, 15, 15, 10]);
    let machine = identity(&places);
    let file = folder.0.join(file_name(&machine));
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1);
    // What the file says counts from now on, unless it is damaged.
    let other = heading(&machine) + "10 33\n33 10\n";
    std::fs::write(&file, &other).unwrap();
    assert_eq!(distances(&places, Some(&folder.0)).unwrap(), [10, 33, 33, 10]);
    for damaged in ["", "10 33\n33 10\n", &other[..other.len() - 4], "# x\n# y\n10 33\n33 10\n"] {
        std::fs::write(&file, damaged).unwrap();
        assert_eq!(distances(&places, Some(&folder.0)).unwrap(), measured, "{damaged}");
    }
    // What is no file is not waited for, and not read without end.
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    assert_eq!(distances(&places, Some(&folder.0)).unwrap(), measured);
    assert!(file.symlink_metadata().unwrap().is_file(), "it was replaced");
}

#[test]
fn a_folder_that_cannot_be_written_is_done_without() {
    let folder = Folder::new("unwritable");
    std::fs::write(&folder.0, "a file").unwrap();
    save(&folder.0.join("below").join("x.txt"), "m", &[10], 1);
    save(&folder.0, "m", &[10], 1);
    let _ = std::fs::remove_file(&folder.0);
}

#[test]
fn the_nearest_two_are_as_if_they_shared_a_cache() {
    let times: Vec<Duration> = [0, 40, 100, 40, 0, 1_000_000_000, 100, 1_000_000_000, 0]
        .map(Duration::from_nanos)
        .to_vec();
    assert_eq!(in_proportion(&times, 3), [10, 15, 38, 15, 10, 65535, 38, 65535, 10]);
    assert_eq!(in_proportion(&[Duration::ZERO], 1), [10]);
}

#[test]
fn memory_alone_cannot_be_measured() {
    let bare = Place { processors: CpuSet::new(), ..place(0) };
    assert!(distances(&[place(0), bare], None).unwrap_err().contains("without processors"));
    let many: Vec<Place> = (0..300).map(place).collect();
    assert!(distances(&many, None).unwrap_err().contains("256"));
    assert!(round_trip(0, 65_000).unwrap_err().contains("65000"));
}
