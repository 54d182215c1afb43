//! Whether the trace knows whose data tasks used, and what a user can do if it does not.

use crate::trace::Trace;

use super::summary::Summary;

/// Why it knows nothing, and what to do; nothing where it does, or where there are no tasks.
pub fn unknown_data(trace: &Trace, summary: &Summary) -> Option<&'static str> {
    if summary.tasks == 0 || summary.reach.bytes > 0 {
        return None;
    }
    let recorded = !trace.enforced || trace.location_kind != "numa_domains";
    Some(match () {
        () if trace.locations.len() < 2 => {
            "No task's data is known: this machine has one location, so all memory is local and what \
             tasks use is not recorded. To see it, trace with HWLOC_SYNTHETIC set and memory of omp_malloc (docs/locality.md)."
        }
        () if recorded => {
            "No task's data is known: with simulated locations only memory of omp_malloc has a place. Allocate with \
             omp_malloc, and name the data in `depend` clauses (docs/locality.md)."
        }
        () => {
            "No task's data is known. Allocate with omp_malloc, or compile with clang, whose `depend` clauses tell how \
             much they name; less than a core's share of the cache is not looked at (docs/locality.md)."
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::trace::analysis::Analysis;
    use crate::trace::example::{task, text};
    use crate::trace::read;

    fn said(bytes: &str, locations: &str) -> Option<&'static str> {
        let trace =
            text(&[task(1, "a", 0, (0.0, 1.0), bytes)]).replace("\"enforced\":true", locations);
        Analysis::of(&read(trace.as_bytes()).expect("a trace")).unknown_data
    }

    #[test]
    fn advice_fits_the_machine() {
        assert_eq!(said(r#","bytes":[7,0]"#, r#""enforced":true"#), None);
        let real = said("", r#""enforced":true"#).expect("nothing is known");
        assert!(real.contains("compile with clang"), "{real}");
        let simulated = said(r#","bytes":null"#, r#""enforced":false"#).expect("nothing is known");
        assert!(simulated.contains("simulated locations"), "{simulated}");
    }
}
