//! The format of `OMP_AFFINITY_FORMAT`, `omp_display_affinity` and `omp_capture_affinity`.
//!
//! A *field* is `%[[[0].]size]type`: `size` is the least width, `.` means right-justified, `0` (with
//! the point) fills with zeros on the left, `type` is a letter or a name in braces; `%%` is a percent
//! sign. Other types show as `undefined`.
//! Source: OpenMP 5.2, section 21.2.5 (OMP_AFFINITY_FORMAT), table 21.2 (field types).

use std::fmt::Write;

/// What the fields of one thread show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AffinityFields<'a> {
    pub team_num: i32,
    pub num_teams: i32,
    pub nesting_level: i32,
    pub thread_num: i32,
    pub num_threads: i32,
    /// Thread number of the ancestor one level up; -1 where there is none.
    pub ancestor_tnum: i32,
    pub host: &'a str,
    pub process_id: u32,
    pub native_thread_id: u32,
    /// The processors the thread may run on, as a list: `0-3,8`.
    pub thread_affinity: &'a str,
}

/// Wider fields are cut to this, in characters: a format is user input.
const MAX_WIDTH: usize = 4096;

/// Replaces the fields of a format by their values.
pub fn expand(format: &str, fields: &AffinityFields) -> String {
    let mut text = String::with_capacity(format.len() + 32);
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if let Some(literal) = after.strip_prefix('%') {
            text.push('%');
            rest = literal;
        } else if after.is_empty() {
            text.push('%');
            rest = after;
        } else {
            let (field, after) = Field::parse(after);
            field.write(fields, &mut text);
            rest = after;
        }
    }
    text.push_str(rest);
    text
}

/// A field, as its format asks for it.
struct Field<'a> {
    zeros: bool,
    right: bool,
    width: usize,
    /// A letter or a long name; empty when the braces do not close.
    kind: &'a str,
}

enum Value<'a> {
    Number(i64),
    Text(&'a str),
}

impl<'a> Field<'a> {
    /// Takes a field from the text after its percent sign.
    fn parse(text: &'a str) -> (Field<'a>, &'a str) {
        let (zeros, text) = match text.strip_prefix("0.") {
            Some(after) => (true, after),
            None => (false, text),
        };
        let (right, text) = match text.strip_prefix('.') {
            Some(after) if !zeros => (true, after),
            _ => (zeros, text),
        };
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let width = match &text[..digits] {
            "" => 0,
            number => number.parse().unwrap_or(MAX_WIDTH).min(MAX_WIDTH),
        };
        let text = &text[digits..];
        let (kind, rest) = match text.strip_prefix('{') {
            Some(long) => long.split_once('}').unwrap_or(("", "")),
            None => text.split_at(text.chars().next().map_or(0, char::len_utf8)),
        };
        (Field { zeros, right, width, kind }, rest)
    }

    fn write(&self, fields: &AffinityFields, out: &mut String) {
        let width = self.width;
        // Writing to a string cannot fail.
        let _ = match self.value(fields) {
            Value::Number(number) if self.zeros => write!(out, "{number:0width$}"),
            Value::Number(number) if self.right => write!(out, "{number:>width$}"),
            Value::Number(number) => write!(out, "{number:<width$}"),
            Value::Text(text) if self.right => write!(out, "{text:>width$}"),
            Value::Text(text) => write!(out, "{text:<width$}"),
        };
    }

    fn value<'v>(&self, fields: &AffinityFields<'v>) -> Value<'v> {
        let number = |number: i32| Value::Number(i64::from(number));
        match self.kind {
            "t" | "team_num" => number(fields.team_num),
            "T" | "num_teams" => number(fields.num_teams),
            "L" | "nesting_level" => number(fields.nesting_level),
            "n" | "thread_num" => number(fields.thread_num),
            "N" | "num_threads" => number(fields.num_threads),
            "a" | "ancestor_tnum" => number(fields.ancestor_tnum),
            "H" | "host" => Value::Text(fields.host),
            "P" | "process_id" => Value::Number(i64::from(fields.process_id)),
            "i" | "native_thread_id" => Value::Number(i64::from(fields.native_thread_id)),
            "A" | "thread_affinity" => Value::Text(fields.thread_affinity),
            _ => Value::Text("undefined"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(format: &str) -> String {
        let fields = AffinityFields {
            team_num: 1,
            num_teams: 2,
            nesting_level: 3,
            thread_num: 4,
            num_threads: 5,
            ancestor_tnum: -1,
            host: "node",
            process_id: 1234,
            native_thread_id: 5678,
            thread_affinity: "0-3,8",
        };
        expand(format, &fields)
    }

    #[test]
    fn letters_and_names_mean_the_same() {
        assert_eq!(expanded("%t %T %L %n %N %a %H %P %i %A"), "1 2 3 4 5 -1 node 1234 5678 0-3,8");
        assert_eq!(
            expanded(
                "%{team_num} %{num_teams} %{nesting_level} %{thread_num} %{num_threads} \
                 %{ancestor_tnum} %{host} %{process_id} %{native_thread_id} %{thread_affinity}"
            ),
            expanded("%t %T %L %n %N %a %H %P %i %A")
        );
    }

    #[test]
    fn widths_sides_and_zeros() {
        assert_eq!(expanded("[%6n][%.6n][%0.6n]"), "[4     ][     4][000004]");
        assert_eq!(expanded("[%8H][%.8{host}][%0.8H]"), "[node    ][    node][    node]");
        assert_eq!(expanded("[%0.5a][%2P][%12A][%.n]"), "[-0001][1234][0-3,8       ][4]");
        assert_eq!(expanded("[%05n]"), "[4    ]");
    }

    #[test]
    fn everything_else() {
        assert_eq!(expanded(""), "");
        assert_eq!(expanded("100%% %"), "100% %");
        assert_eq!(expanded("%x|%{colour}|%{host"), "undefined|undefined|undefined");
        assert_eq!(expanded("%5"), "undefined");
        assert_eq!(expanded("\u{fc}%\u{df}\u{e4}"), "\u{fc}undefined\u{e4}");
        assert_eq!(expanded("%99999999999999999999n").len(), MAX_WIDTH);
        assert_eq!(expanded("%%n%%%n"), "%n%4");
    }
}
