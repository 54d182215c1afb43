//! `OMP_SCHEDULE`: `[modifier:]kind[,chunk]`.
//!
//! Source: OpenMP 5.2, section 21.2.1.

use super::kinds::{value_of, word_of};
use super::text::count;
use vicinity_policy::schedule::{Kind, Order, Schedule};

const KINDS: &[(&str, Kind)] = &[
    ("STATIC", Kind::Static),
    ("DYNAMIC", Kind::Dynamic),
    ("GUIDED", Kind::Guided),
    ("AUTO", Kind::Auto),
    // Libomp's names for relatives of the standard kinds.
    ("STATIC_STEAL", Kind::Dynamic),
    ("TRAPEZOIDAL", Kind::Guided),
];

const ORDERS: &[(&str, Order)] =
    &[("MONOTONIC", Order::Monotonic), ("NONMONOTONIC", Order::Nonmonotonic)];

/// Parses a schedule. A dynamic or guided one without a chunk gets the standard's, 1.
pub fn parse(text: &str) -> Option<Schedule> {
    let (order, rest) = match text.split_once(':') {
        Some((order, rest)) => (value_of(ORDERS, order)?, rest),
        None => (Order::Unspecified, text),
    };
    let (kind, chunk) = match rest.split_once(',') {
        Some((kind, chunk)) => (kind, Some(u64::from(count(chunk, 1)?))),
        None => (rest, None),
    };
    let kind = value_of(KINDS, kind)?;
    let chunk = match kind {
        Kind::Static => chunk.unwrap_or(0),
        Kind::Dynamic | Kind::Guided => chunk.unwrap_or(1),
        // The choice is the implementation's, whatever was asked.
        Kind::Auto => 1,
    };
    Some(Schedule { kind, chunk, order })
}

/// The text that `parse` understands as this schedule.
pub fn show(schedule: &Schedule) -> String {
    let mut text = String::new();
    if schedule.order != Order::Unspecified {
        text.push_str(word_of(ORDERS, &schedule.order));
        text.push(':');
    }
    text.push_str(word_of(KINDS, &schedule.kind));
    let usual = u64::from(schedule.kind != Kind::Static);
    if schedule.chunk != usual {
        text.push_str(&format!(",{}", schedule.chunk));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_understood_and_shown_alike() {
        for (text, shown) in [
            ("dynamic", "DYNAMIC"),
            ("Guided , 7", "GUIDED,7"),
            ("static", "STATIC"),
            ("static,4", "STATIC,4"),
            ("auto", "AUTO"),
            ("auto,3", "AUTO"),
            ("trapezoidal,13", "GUIDED,13"),
            ("static_steal", "DYNAMIC"),
            ("monotonic:dynamic,2", "MONOTONIC:DYNAMIC,2"),
            (" nonmonotonic : guided", "NONMONOTONIC:GUIDED"),
        ] {
            assert_eq!(parse(text).map(|it| show(&it)).as_deref(), Some(shown), "{text}");
        }
        assert_eq!(parse("dynamic").map(|it| it.chunk), Some(1));
        assert_eq!(parse("static").map(|it| it.chunk), Some(0));
    }

    #[test]
    fn what_is_no_schedule_is_refused() {
        for text in [
            "",
            "fast",
            "static,",
            "static,0",
            "static,-1",
            "static,x",
            "dynamic,2147483648",
            "dynamic 4",
            "simd:static",
            "monotonic:",
            ":static",
            "static,1,2",
            "runtime",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
