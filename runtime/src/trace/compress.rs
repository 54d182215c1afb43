//! Traces whose name ends in `.gz` are compressed when the program has ended.
//!
//! Until then, and for ever if it ends by a signal, the file is plain text under the same name: a compressed
//! file that is cut cannot be read to its end, and a handler could not write one. Readers tell the two by their first bytes.

use crate::report;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{self, Write};

/// Whether a file of this name is to be compressed.
pub fn is_asked_for(name: &str) -> bool {
    name.ends_with(".gz")
}

/// Puts the file's compressed contents in its place; one line, and the file as it was, if that cannot be done.
pub fn compress(name: &str) {
    let beside = format!("{name}.{}", std::process::id());
    let done = copy(name, &beside).and_then(|()| std::fs::rename(&beside, name));
    if let Err(error) = done {
        let _ = std::fs::remove_file(&beside);
        report::warn(&format!("cannot compress the trace {name}: {error}; it is plain text"));
    }
}

fn copy(from: &str, to: &str) -> io::Result<()> {
    let mut text = File::open(from)?;
    let mut packed = GzEncoder::new(File::create_new(to)?, Compression::fast());
    io::copy(&mut text, &mut packed)?;
    packed.finish()?.flush()
}
