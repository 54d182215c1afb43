//! The line of results: what every program prints, as `key=value` words on one line.
//!
//! A line must say `name=` and `result=ok`. Its value is one of `ns_per_task` and `ns_per_op`, or
//! `seconds`; the rest (threads, tasks, memory growth) is kept as it came.

use std::collections::BTreeMap;

/// The words of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub fields: BTreeMap<String, String>,
}

impl Line {
    /// Finds the one line of results in what a program printed, and checks its verdict.
    pub fn find(output: &str) -> Result<Line, String> {
        let mut lines = output.lines().filter(|line| line.starts_with("name="));
        let text = lines.next().ok_or("printed no line of results")?;
        if lines.next().is_some() {
            return Err("printed more than one line of results".into());
        }
        let line = Line { fields: text.split_whitespace().map(split).collect::<Result<_, _>>()? };
        match line.fields.get("result").map(String::as_str) {
            Some("ok") => Ok(line),
            Some(other) => Err(format!("says that its result is {other}")),
            None => Err("does not say whether its result is right".into()),
        }
    }

    /// A value as a number.
    pub fn number(&self, key: &str) -> Result<f64, String> {
        let text = self.fields.get(key).ok_or(format!("does not say its {key}"))?;
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
            _ => Err(format!("says {key}={text}, which is no measure")),
        }
    }
}

fn split(word: &str) -> Result<(String, String), String> {
    match word.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_string(), value.to_string())),
        _ => Err(format!("printed '{word}' where key=value belongs")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "name=fib size=27 threads=2 tasks=832038 seconds=0.07 ns_per_task=84.1 result=ok\n";

    #[test]
    fn a_line_is_found_among_other_output() {
        let line = Line::find(&format!("hello\n{GOOD}bye\n")).expect("a line");
        assert_eq!(line.fields["name"], "fib");
        assert_eq!(line.number("ns_per_task"), Ok(84.1));
    }

    #[test]
    fn fortran_leaves_out_the_leading_zero() {
        let line = Line::find("name=heat seconds=.25 result=ok").expect("a line");
        assert_eq!(line.number("seconds"), Ok(0.25));
    }

    #[test]
    fn a_wrong_result_is_an_error() {
        let error = Line::find("name=fib seconds=1 result=wrong").expect_err("wrong");
        assert!(error.contains("wrong"));
        assert!(Line::find("name=fib seconds=1").is_err());
    }

    #[test]
    fn nothing_two_lines_and_broken_words_are_errors() {
        assert!(Line::find("").is_err());
        assert!(Line::find(&format!("{GOOD}{GOOD}")).is_err());
        assert!(Line::find("name=fib oops result=ok").is_err());
    }

    #[test]
    fn a_measure_must_be_a_number() {
        let line = Line::find("name=fib seconds=nan result=ok").expect("a line");
        assert!(line.number("seconds").is_err());
        assert!(line.number("missing").is_err());
    }
}
