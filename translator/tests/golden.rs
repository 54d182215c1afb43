//! What the translator reports on kernels, against texts that a person has read.
//!
//! `GOLDEN=write cargo test --test golden` writes the texts anew; read the difference before it is kept.

use std::fs;
use std::path::Path;

use vicinity_translator::command::{Job, report};

#[test]
fn reports_are_as_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let write = std::env::var_os("GOLDEN").is_some_and(|value| value == "write");
    let mut wrong = Vec::new();
    let entries = fs::read_dir(&folder).expect("the folder is there");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.extension().is_none_or(|ending| ending != "cl") {
            continue;
        }
        let job = Job { inputs: vec![path.clone()], ..Job::default() };
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
        let text = kept;
        let kept = path.with_extension("txt");
        if write {
            fs::write(&kept, text).expect("the text can be written");
        } else if fs::read_to_string(&kept).unwrap_or_default() != text {
            wrong.push(format!("{}:\n{text}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "reports differ from the kept texts; now:\n{}", wrong.join("\n"));
}
