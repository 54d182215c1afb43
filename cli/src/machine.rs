//! The machine as text: its locations, caches, pages, and how far apart the locations are.

use std::fmt::Write;

use vicinity_alloc::os::memory;
use vicinity_alloc::topology::{Locations, Machine, Place};

/// Wider matrices are not shown: what is said about them is.
const SHOWN_LOCATIONS: usize = 64;

pub fn report(machine: &Machine) -> String {
    let mut text = String::new();
    // Writing into a string cannot fail.
    let _ = write!(text, "Machine          {}", machine.source);
    let _ = writeln!(text, "{}", if machine.enforced { "" } else { ", simulated" });
    if !machine.enforced {
        let _ = writeln!(text, "Placement        recorded, not enforced");
    }
    let kind = Locations::WORDS.iter().find(|word| word.1 == machine.kind);
    let kind = kind.map_or("", |word| word.0);
    let count = machine.locations.len();
    let _ = writeln!(text, "Locations        {count}, {kind}");
    text.push_str(&locations(&machine.locations));
    let caches = machine.cache_sizes();
    let _ = writeln!(
        text,
        "Caches           last level {}, {} a core; private {}",
        size(caches.last_level_bytes),
        size(caches.last_level_per_core_bytes),
        size(caches.private_bytes)
    );
    let huge = memory::huge_page_bytes();
    let huge = huge
        .map_or_else(|| "no huge ones".to_owned(), |bytes| format!("huge {}", size(bytes as u64)));
    let _ = writeln!(text, "Pages            {}, {huge}", size(memory::page_size() as u64));
    let _ = writeln!(text, "Distances        {}", machine.distances_from);
    text.push_str(&distances(machine));
    text
}

fn locations(places: &[Place]) -> String {
    let line = |(number, place): (usize, &Place)| {
        let processors = match place.processors.is_empty() {
            true => "no processors".to_owned(),
            false => format!("processors {}", place.processors),
        };
        let memory = match place.memory_bytes {
            0 => "no memory".to_owned(),
            bytes => size(bytes),
        };
        let node = place.node.map_or_else(String::new, |node| format!(" on node {node}"));
        format!("  {number:>3}  {:<10} {processors}; {memory}{node}\n", place.name)
    };
    places.iter().enumerate().map(line).collect()
}

fn distances(machine: &Machine) -> String {
    let topology = &machine.topology;
    if topology.len() == 1 {
        return String::new();
    }
    if topology.len() > SHOWN_LOCATIONS {
        return format!("  more than {SHOWN_LOCATIONS} locations: not shown\n");
    }
    let row = |cells: Vec<String>| cells.concat() + "\n";
    let heading = topology.locations().map(|to| format!("{:>5}", to.0)).collect();
    let mut text = format!("      {}", row(heading));
    for from in topology.locations() {
        let cells = topology.locations().map(|to| format!("{:>5}", topology.distance(from, to)));
        text += &format!("  {:>3}:{}", from.0, row(cells.collect()));
    }
    text
}

/// In the largest unit of which there is at least one; a dash where it is not known.
fn size(bytes: u64) -> String {
    const UNITS: [(&str, u32); 4] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match UNITS.iter().find(|unit| bytes >> unit.1 > 0) {
        None if bytes == 0 => "-".to_owned(),
        None => format!("{bytes} B"),
        Some((name, shift)) if bytes.is_multiple_of(1 << shift) => {
            format!("{} {name}", bytes >> shift)
        }
        Some((name, shift)) => format!("{:.1} {name}", bytes as f64 / (1u64 << shift) as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vicinity_alloc::os::CpuSet;
    use vicinity_alloc::topology::Description;

    fn of(text: &str, kind: Locations) -> String {
        let description = Description::Synthetic(text.to_owned());
        report(&Machine::described(&description, kind, &CpuSet::new()).unwrap())
    }

    #[test]
    fn a_simulated_machine_says_so() {
        let text = of("package:2 numa:1 l3:1 l2:4 core:1 pu:1", Locations::NumaDomains);
        assert!(text.contains("simulated\nPlacement        recorded, not enforced\n"), "{text}");
        assert!(text.contains("Locations        2, numa_domains\n"), "{text}");
        assert!(text.contains("    1  node 1     processors 4-7; 1 GiB on node 1\n"), "{text}");
        assert!(text.contains("          0    1\n    0:   10   20\n    1:   20   10\n"), "{text}");
        assert!(text.contains("guessed from packages"));
    }

    #[test]
    fn wide_matrices_are_left_out() {
        assert!(of("core:80 pu:1", Locations::Cores).contains("more than 64 locations: not shown"));
    }

    #[test]
    fn sizes_for_people() {
        assert_eq!((size(0), size(512), size(4096)), ("-".into(), "512 B".into(), "4 KiB".into()));
        assert_eq!((size(3 << 29), size(873_813)), ("1.5 GiB".into(), "853.3 KiB".into()));
    }
}
