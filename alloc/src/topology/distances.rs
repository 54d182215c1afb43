//! Distance matrices as text: what `VICINITY_DISTANCES` names, and what was measured and saved.
//!
//! A row a line, from one location to each; whole numbers from 1 to 65,535, with blanks or commas between
//! them. What stands before a `:` is the row's name. Empty lines, lines that begin with `#`, and the heading
//! `node 0 1 2 ...` say nothing. So what `numactl --hardware` prints below "node distances:" can stand as it is.
//!
//! Units: tenths of a local access, which is the least in its row.

use std::fmt;
use std::io::Read;
use std::path::Path;

/// A square of distances, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// How many rows, and columns.
    pub size: usize,
    pub values: Vec<u16>,
}

/// What is wrong with a text; lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    Empty,
    NotDistance { line: usize, word: String },
    Ragged { line: usize, found: usize, expected: usize },
    NotSquare { rows: usize, columns: usize },
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Empty => write!(out, "no distances in it"),
            Problem::NotDistance { line, word } => {
                write!(out, "line {line}: '{word}' is not a number from 1 to 65535")
            }
            Problem::Ragged { line, found, expected } => {
                write!(out, "line {line}: {found} distances, {expected} in the rows before")
            }
            Problem::NotSquare { rows, columns } => {
                write!(out, "{rows} rows of {columns} distances, not a square")
            }
        }
    }
}

/// Longest part of a wrong word that is shown, in characters.
const SHOWN_CHARS: usize = 20;

/// Reads a matrix.
pub fn parse(text: &str) -> Result<Matrix, Problem> {
    let mut values = Vec::new();
    let mut columns = None;
    let mut rows = 0;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with("node") {
            continue;
        }
        let row = line.split_once(':').map_or(line, |(_, row)| row);
        let before = values.len();
        for word in row.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
            values.push(distance(word).ok_or_else(|| not_distance(at + 1, word))?);
        }
        let found = values.len() - before;
        let expected = *columns.get_or_insert(found);
        if found != expected {
            return Err(Problem::Ragged { line: at + 1, found, expected });
        }
        rows += 1;
    }
    match columns {
        None | Some(0) => Err(Problem::Empty),
        Some(columns) if columns != rows => Err(Problem::NotSquare { rows, columns }),
        Some(size) => Ok(Matrix { size, values }),
    }
}

fn distance(word: &str) -> Option<u16> {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|&distance| is_number && distance > 0)
}

fn not_distance(line: usize, word: &str) -> Problem {
    let shown = word.chars().filter(|c| !c.is_control()).take(SHOWN_CHARS);
    Problem::NotDistance { line, word: shown.collect() }
}

/// Larger files hold no matrix of ours: 2,048 locations have 4 million distances of 6 characters at most.
const MAX_FILE_BYTES: u64 = 32 << 20;

/// Reads a matrix from a file; the error says what is wrong.
pub fn load(path: &Path) -> Result<Matrix, String> {
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    parse(&String::from_utf8_lossy(&bytes)).map_err(|problem| problem.to_string())
}

/// A matrix as text that `parse` understands.
pub fn show(values: &[u16], size: usize) -> String {
    let line = |row: &[u16]| {
        let row: Vec<String> = row.iter().map(|distance| format!("{distance:3}")).collect();
        row.join(" ") + "\n"
    };
    values.chunks(size.max(1)).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_in_its_ways() {
        let expected = Matrix { size: 2, values: vec![10, 21, 20, 10] };
        let numactl = "node   0   1 \n  0:  10  21 \n  1:  20  10 \n";
        for text in ["10 21\n20 10", "# mine\n10,21\n\n20, 10\n", numactl, "\t10 21\r\n20 10\r\n"] {
            assert_eq!(parse(text), Ok(expected.clone()), "{text}");
        }
        assert_eq!(parse(&show(&expected.values, 2)), Ok(expected));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let wrong = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(wrong(""), "no distances in it");
        assert_eq!(wrong("0:\n1:\n"), "no distances in it");
        assert_eq!(wrong("10 x"), "line 1: 'x' is not a number from 1 to 65535");
        assert_eq!(wrong("10 21\n0 10"), "line 2: '0' is not a number from 1 to 65535");
        assert_eq!(wrong("10 21\n# x\n20"), "line 3: 1 distances, 2 in the rows before");
        assert_eq!(wrong("10 21"), "1 rows of 2 distances, not a square");
        for text in ["65536", "-1", "+1", "1.5", "99999999999999999999", "\u{1b}[31m", "\u{fc}"] {
            assert!(wrong(text).starts_with("line 1: '"), "{text}");
            assert!(!wrong(text).contains('\u{1b}'));
        }
    }
}
