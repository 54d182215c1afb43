//! What LLVM says about the loops over work-items: which became vectors, and why others did not.
//!
//! LLVM's remarks are text that begins with a place in the source. The loops of items get places of their own: the line
//! where their region begins, and as column [`FIRST_COLUMN`] and the loop's number in the program. Source columns
//! are smaller, or the remark is taken for that of another loop, which costs a line of a report.

use crate::llvm::Diagnostic;
use crate::report::describe::{Change, NotVectorized, Program, Vectorized};

/// Columns from here on are numbers of loops; the debug information has room for 65535.
pub const FIRST_COLUMN: u32 = 30_000;
const LAST_COLUMN: u32 = 65_535;

/// LLVM's options that make it say something about vectors.
pub const OPTIONS: &[&str] = &[
    "-pass-remarks=loop-vectorize",
    "-pass-remarks-missed=loop-vectorize",
    "-pass-remarks-analysis=loop-vectorize",
];

/// A loop over the items of one region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemLoop {
    pub line: u32,
    /// The region has a loop of the program inside.
    pub is_outer: bool,
    /// How many items go together, if it has vector code of its own.
    pub lanes: Option<u32>,
    /// What became of its atomic operations.
    pub changes: Vec<Change>,
}

/// The column that stands for the loop with this number.
pub fn column(number: usize) -> u32 {
    FIRST_COLUMN.saturating_add(number as u32).min(LAST_COLUMN)
}

/// What became of one loop.
#[derive(Debug, Default, PartialEq, Eq)]
struct Outcome {
    width: Option<u32>,
    why: Option<String>,
}

/// Adds what was said to the descriptions; `loops` holds those of each kernel, in the order of their numbers.
pub fn add(program: &mut Program, loops: &[Vec<ItemLoop>], said: &[Diagnostic]) {
    let count = loops.iter().map(Vec::len).sum();
    let mut outcomes: Vec<Outcome> = (0..count).map(|_| Outcome::default()).collect();
    for diagnostic in said {
        note(&mut outcomes, &diagnostic.text);
    }
    let mut outcomes = outcomes.into_iter();
    for (kernel, loops) in program.kernels.iter_mut().zip(loops) {
        for (item_loop, outcome) in loops.iter().zip(&mut outcomes) {
            let line = item_loop.line;
            item_loop.changes.iter().for_each(|it| add_new(&mut kernel.changes, it.clone()));
            if let Some(width) = item_loop.lanes.or(outcome.width) {
                add_new(&mut kernel.vectorized, Vectorized { line, width });
            } else if item_loop.is_outer {
                let why = "a loop of the program is inside the loop over work-items".to_string();
                add_new(&mut kernel.not_vectorized, NotVectorized { line, why });
            } else if let Some(why) = outcome.why {
                add_new(&mut kernel.not_vectorized, NotVectorized { line, why });
            }
        }
    }
}

/// Blocks that several regions begin with tell nothing new.
fn add_new<T: PartialEq>(list: &mut Vec<T>, entry: T) {
    if !list.contains(&entry) {
        list.push(entry);
    }
}

fn note(outcomes: &mut [Outcome], text: &str) {
    let Some((place, remark)) = text.split_once(": ") else { return };
    let column = place.rsplit(':').next().and_then(|column| column.parse::<u32>().ok());
    let number = column.and_then(|column| column.checked_sub(FIRST_COLUMN));
    let Some(outcome) = number.and_then(|number| outcomes.get_mut(number as usize)) else { return };
    if let Some(width) = remark.strip_prefix("vectorized loop (vectorization width: ") {
        let digits = width.split(|c: char| !c.is_ascii_digit()).next();
        outcome.width = digits.and_then(|digits| digits.parse().ok());
    } else if let Some(why) = remark.strip_prefix("loop not vectorized: ") {
        outcome.why = Some(why.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_those_of_their_loops() {
        let mut outcomes = vec![Outcome::default(), Outcome::default(), Outcome::default()];
        for text in [
            "a.cl:3:30000: vectorized loop (vectorization width: 16, interleaved count: 4)",
            "a.cl:9:30001: loop not vectorized: call instruction cannot be vectorized",
            "a.cl:9:30001: loop not vectorized",
            "a.cl:9:5: vectorized loop (vectorization width: 4, interleaved count: 1)",
            "<unknown>:0:0: loop not vectorized",
            "odd",
            "a.cl:1:30009: vectorized loop (vectorization width: 8)",
        ] {
            note(&mut outcomes, text);
        }
        assert_eq!(outcomes[0].width, Some(16));
        assert_eq!(outcomes[1].why.as_deref(), Some("call instruction cannot be vectorized"));
        assert_eq!(outcomes[2], Outcome::default());
    }
}
