//! The affinity line of the calling thread.
//!
//! Source: OpenMP 5.2, sections 18.3.8 and 18.3.9 (omp_display_affinity, omp_capture_affinity).

use super::affinity::{AffinityFields, expand};
use crate::team::ancestors;
use crate::{device, thread};
use vicinity_alloc::os::{affinity, process};

/// The calling thread's fields in this format; none, or an empty one, means affinity-format-var.
pub fn line(format: Option<&str>) -> String {
    let member = thread::current().member();
    let team = member.team();
    let nest = team.nest();
    let ancestor = ancestors::at_level(nest.level as i32 - 1).map_or(-1, |above| above.num as i32);
    let host = process::host_name();
    let cpus = affinity::affinity_mask().to_string();
    let fields = AffinityFields {
        team_num: nest.team_num as i32,
        num_teams: nest.num_teams as i32,
        nesting_level: nest.level as i32,
        thread_num: member.num as i32,
        num_threads: team.size() as i32,
        ancestor_tnum: ancestor,
        host: &host,
        process_id: std::process::id(),
        native_thread_id: process::native_thread_id(),
        thread_affinity: &cpus,
    };
    match format.filter(|format| !format.is_empty()) {
        Some(format) => expand(format, &fields),
        None => expand(&device::affinity_format(), &fields),
    }
}

/// Prints it on standard output, in order with what the program prints there.
pub fn show(format: Option<&str>) {
    process::print(&(line(format) + "\n"));
}
