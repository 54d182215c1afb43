//! One clock for all ranks.
//!
//! Processes of one machine have one clock, which each file names at its start and at its end: so what the file counts is
//! shifted and stretched between the two. Machines have clocks of their own: there the time of day at the start has to do, which is
//! as good as the machines agree about it.

use super::part::Part;

/// From a file's microseconds to those of the merged trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    pub shift_us: f64,
    pub stretch: f64,
}

impl Scale {
    pub fn time(self, us: f64) -> f64 {
        rounded(self.shift_us + us * self.stretch)
    }

    pub fn length(self, us: f64) -> f64 {
        rounded(us * self.stretch)
    }
}

/// To nanoseconds, as files have them.
fn rounded(us: f64) -> f64 {
    (us * 1e3).round() / 1e3
}

pub struct Alignment {
    scales: Vec<Scale>,
    /// The rank that started first.
    pub earliest: usize,
    is_one_clock: bool,
}

impl Alignment {
    pub fn of(parts: &[Part]) -> Alignment {
        let boot = |part: &Part| part.header["clock"]["boot"].as_str().unwrap_or("").to_owned();
        let first = boot(&parts[0]);
        let is_one_clock = !first.is_empty() && parts.iter().all(|part| boot(part) == first);
        let of_machine = |part: &Part| part.header["clock"]["ns"].as_u64();
        let of_day = |part: &Part| part.header["started"].as_str().and_then(nanoseconds);
        let start = |part| if is_one_clock { of_machine(part) } else { of_day(part) };
        let starts: Vec<u64> = parts.iter().map(|part| start(part).unwrap_or(0)).collect();
        let earliest = (0..starts.len()).min_by_key(|&at| starts[at]).unwrap_or(0);
        let scale = |(part, &ns): (&Part, &u64)| Scale {
            shift_us: (ns - starts[earliest]) as f64 / 1e3,
            stretch: if is_one_clock { stretch(part, ns) } else { 1.0 },
        };
        let scales = parts.iter().zip(&starts).map(scale).collect();
        Alignment { scales, earliest, is_one_clock }
    }

    pub fn scale(&self, part: usize) -> Scale {
        self.scales[part]
    }

    pub fn note(&self) -> Option<String> {
        let note = "the ranks ran on several machines, whose clocks may differ: messages may seem to arrive too early";
        (!self.is_one_clock).then(|| note.to_owned())
    }
}

/// The least length from which two clocks tell how fast they go: a second.
const LEAST_US: f64 = 1e6;

fn stretch(part: &Part, start_ns: u64) -> f64 {
    let end = (part.end["clock_ts"].as_f64(), part.end["clock_ns"].as_u64());
    match end {
        (Some(ts), Some(ns)) if ts >= LEAST_US && ns > start_ns => {
            (ns - start_ns) as f64 / 1e3 / ts
        }
        _ => 1.0,
    }
}

/// Of 1970-01-01 in the count below.
const EPOCH_DAYS: u64 = 719_469;

/// `2026-01-31T12:00:00.123456789Z` as nanoseconds since 1970: days are counted as in the calendar of Gregory, by years
/// that begin in March.
fn nanoseconds(text: &str) -> Option<u64> {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<u64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (year, month) =
        if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day;
    let seconds = days.checked_sub(EPOCH_DAYS)? * 86_400
        + number(11..13)? * 3600
        + number(14..16)? * 60
        + number(17..19)?;
    let fraction = text.get(19..).unwrap_or("").trim_matches(['.', 'Z']);
    let fraction = format!("{fraction:0<9}").get(..9)?.parse::<u64>().ok()?;
    Some(seconds * 1_000_000_000 + fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_ordered_across_months_and_years() {
        let at = |text| nanoseconds(text).unwrap();
        let second = 1_000_000_000;
        assert_eq!(at("2027-01-01T00:00:00Z") - at("2026-12-31T23:59:59.5Z"), second / 2);
        assert_eq!(at("2028-03-01T00:00:00Z") - at("2028-02-29T00:00:00Z"), 86_400 * second);
        assert_eq!(
            at("2026-03-01T00:00:00.000000001Z") - at("2026-02-28T00:00:00Z"),
            86_400 * second + 1
        );
        assert_eq!(at("1970-01-01T00:00:01Z"), second);
        assert_eq!(nanoseconds("yesterday"), None);
    }
}
