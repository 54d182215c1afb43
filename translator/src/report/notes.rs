//! What the build log says of barriers that maybe not all items of a group reach, and of kernels for which less was done.

use std::path::Path;

use crate::program::patience::LARGE_INSTRUCTIONS;
use crate::report::describe::{Kernel, Less, Program};

/// How each of them ends.
const END: &str = "the last one's decision is taken\n";

/// All notes on a program.
pub fn of(program: &Program) -> String {
    on_barriers(program) + &on_effort(program)
}

/// The notes on all kernels.
fn on_barriers(program: &Program) -> String {
    let of = |kernel: &Kernel| kernel.undecided.iter().map(|line| note(kernel, *line)).collect();
    program.kernels.iter().map(of).collect::<Vec<String>>().concat()
}

fn note(kernel: &Kernel, line: u32) -> String {
    let file = Path::new(&kernel.file).file_name().unwrap_or_default().to_string_lossy();
    format!(
        "note: {file}:{line}: kernel '{}': here it is decided whether a barrier is reached, which must be the same for all \
         work-items of a group; {END}",
        kernel.name
    )
}

/// Whether a line of a log is such a note.
fn is_on_barriers(line: &str) -> bool {
    line.starts_with("note: ") && line.ends_with(END)
}

/// How what the log says of less effort ends.
const LESS_OPTIMIZED: &str = "less optimized\n";

/// What the log says of kernels that were translated with less effort.
fn on_effort(program: &Program) -> String {
    let size = format!("more than {LARGE_INSTRUCTIONS} instructions");
    let time = "long to translate";
    let of = |reason: Less, [one, many, what]: [&str; 3]| {
        let is = |kernel: &&Kernel| kernel.less_optimized == Some(reason);
        let mut less = program.kernels.iter().filter(is).map(|kernel| &kernel.name);
        let (first, others) = (less.next()?, less.count());
        Some(match others {
            0 => format!("note: kernel '{first}' {one} {what}: it is {LESS_OPTIMIZED}"),
            _ => format!(
                "note: {} kernels, '{first}' among them, {many} {what}: they are {LESS_OPTIMIZED}",
                others + 1
            ),
        })
    };
    let notes = [of(Less::Size, ["has", "have", &size]), of(Less::Time, ["takes", "take", time])];
    notes.into_iter().flatten().collect()
}

/// What a log said before notes were added to it.
pub fn without_note(log: &str) -> String {
    let is_note = |line: &&str| {
        line.starts_with("note: ") && line.ends_with(LESS_OPTIMIZED) || is_on_barriers(line)
    };
    log.split_inclusive('\n').filter(|line| !is_note(line)).collect()
}
