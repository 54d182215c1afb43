//! What the translator reports on kernels, against texts that a person has read.
//!
//! `GOLDEN=write cargo test --test golden` writes the texts anew; read the difference before it is kept.

mod kept;

use vicinity_translator::command::{Job, report};

#[test]
fn reports_are_as_read() {
    kept::check("golden", "cl", &|path| {
        let job = Job { inputs: vec![path.to_path_buf()], ..Job::default() };
        let text = report(&job).unwrap_or_else(|failure| panic!("{}", failure.text()));
        // What becomes vectors, and how wide, is up to the processor.
        let mut kept = String::new();
        let mut skipped = false;
        for line in text.lines() {
            // With the advice on it.
            skipped = line.contains(" vectorized") || skipped && line.contains("  to change: ");
            if !skipped {
                kept += &format!("{line}\n");
            }
        }
        kept
    });
}
