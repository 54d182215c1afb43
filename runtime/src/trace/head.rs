//! The head of the file: what is known before anything happens (docs/trace.md, `otherData`).

use super::clock::Start;
use super::counters;
use super::text::quoted;
use crate::display::environment::entries;
use crate::launcher;
use crate::settings::Settings;
use crate::settings::kinds::{Locations, word_of};
use vicinity_alloc::topology::{Machine, machine};

/// The version of the format.
const VERSION: u32 = 1;

/// The lines up to the first event, a fact about the process.
pub fn lines(start: Start, settings: &Settings, processors: u32) -> String {
    counters::find(&settings.vicinity.trace_counters);
    let rank = launcher::world();
    let program = std::env::current_exe().map(|path| path.to_string_lossy().into_owned());
    let program = program.unwrap_or_default();
    let arguments = std::env::args_os().skip(1).map(|it| quoted(&it.to_string_lossy()));
    let settings_in_force =
        entries(settings, processors).into_iter().map(|it| (it.name, quoted(&it.value)));
    let fields = [
        ("vicinity", VERSION.to_string()),
        ("version", quoted(env!("CARGO_PKG_VERSION"))),
        ("program", quoted(&program)),
        ("arguments", array(arguments)),
        ("pid", std::process::id().to_string()),
        ("processors", processors.to_string()),
        ("started", quoted(&utc(start.utc_ns))),
        ("clock", object([("boot", quoted(&boot())), ("ns", start.ns.to_string())])),
        ("rank", rank.map_or("null".to_owned(), |rank| rank.number.to_string())),
        ("ranks", rank.map_or("null".to_owned(), |rank| rank.of.to_string())),
        ("settings", object(settings_in_force)),
        ("topology", topology(machine())),
        ("counters", array(counters::names().map(quoted))),
        ("notes", array(notes().into_iter().map(|note| quoted(&note)))),
    ];
    let name = program.rsplit('/').next().unwrap_or_default();
    format!(
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{},\n\"traceEvents\":[\n\
         {{\"ph\":\"M\",\"pid\":{},\"tid\":0,\"name\":\"process_name\",\"args\":{{\"name\":{}}}}}",
        object(fields),
        std::process::id(),
        quoted(name)
    )
}

/// Which start of which machine this is; its clock counts from there. Empty where the system does not say.
fn boot() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

/// What is not in the file, and why.
fn notes() -> Vec<String> {
    counters::refusal().into_iter().collect()
}

fn topology(machine: &Machine) -> String {
    let locations = machine.locations.iter().map(|place| {
        object([
            ("name", quoted(&place.name)),
            ("cores", array(place.processors.iter().map(|cpu| cpu.to_string()))),
            ("node", place.node.map_or("null".to_owned(), |node| node.to_string())),
        ])
    });
    let topology = &machine.topology;
    let row = |from| array(topology.locations().map(|to| topology.distance(from, to).to_string()));
    object([
        ("kind", quoted(word_of(Locations::WORDS, &machine.kind))),
        ("locations", array(locations)),
        ("distances", array(topology.locations().map(row))),
        ("enforced", machine.enforced.to_string()),
    ])
}

fn array(values: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", values.into_iter().collect::<Vec<_>>().join(","))
}

fn object(fields: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let fields: Vec<_> =
        fields.into_iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

/// A moment as ISO 8601 has it. The calendar is Howard Hinnant's `civil_from_days`: years begin in March, and
/// an era has 400 of them.
fn utc(since_1970_ns: u64) -> String {
    let (seconds, ns) = (since_1970_ns / 1_000_000_000, since_1970_ns % 1_000_000_000);
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ns:09}Z")
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_calendar() {
        assert_eq!(utc(0), "1970-01-01T00:00:00.000000000Z");
        assert_eq!(utc(951_782_400_000_000_001), "2000-02-29T00:00:00.000000001Z");
        assert_eq!(utc(1_767_225_599_500_000_000), "2025-12-31T23:59:59.500000000Z");
    }
}
