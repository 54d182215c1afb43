//! What the build log says of barriers that maybe not all items of a group reach.

use std::path::Path;

use crate::describe::{Kernel, Program};

/// How each of them ends.
const END: &str = "the last one's decision is taken\n";

/// The notes on all kernels.
pub fn on_barriers(program: &Program) -> String {
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
pub fn is_on_barriers(line: &str) -> bool {
    line.starts_with("note: ") && line.ends_with(END)
}
