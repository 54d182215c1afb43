//! Machines in hwloc's notation: `HWLOC_SYNTHETIC`.

use crate::check_complaint;
use crate::sysfs::check;
use vicinity_alloc::os::CpuSet;
use vicinity_alloc::topology::{Description, Locations, Machine};

/// Good machines, small ones.
pub const SAMPLES: &[&str] = &[
    "numa:4 core:2 pu:1",
    "package:2 l3:2 numa:1 l2:2 core:1 pu:2",
    "pack:2(memory=1GB) [numa(memory=1MB)] core:2(indexes=0,2,1,3) pu:1",
    "l3:2(size=16MB) l2:2(size=1MB) core:1 pu:1(indexes=2*2:1*2)",
];

/// Makes a machine of every kind of location of it.
pub fn synthetic(input: &[u8]) {
    let text = String::from_utf8_lossy(input).into_owned();
    let description = Description::Synthetic(text);
    check_complaint(&description.to_string());
    for &(_, kind) in Locations::WORDS {
        match Machine::described(&description, kind, &CpuSet::default()) {
            Ok(machine) => check(&machine, None),
            Err(error) => check_complaint(&error),
        }
    }
}
