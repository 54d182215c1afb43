//! Distance matrices, as `VICINITY_DISTANCES` names them.

use vicinity_alloc::topology::distances::{parse, show};

/// A plain one, and one as numactl prints it.
pub const SAMPLES: &[&str] = &[
    "# two sockets\n10 21\n21 10\n",
    "node   0   1   2 \n  0:  10  12  20 \n  1:  12  10  20 \n  2:  20  20  10 \n",
];

/// What is understood can be shown, and means the same then.
pub fn distances(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    match parse(&text) {
        Ok(matrix) => {
            assert_eq!(matrix.values.len(), matrix.size * matrix.size);
            assert_eq!(parse(&show(&matrix.values, matrix.size)), Ok(matrix));
        }
        Err(problem) => crate::check_complaint(&problem.to_string()),
    }
}
