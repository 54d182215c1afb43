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
    // A file that has this name already is somebody else's, and stays.
    let done = File::create_new(&beside).and_then(|made| {
        let done = copy(name, made).and_then(|()| std::fs::rename(&beside, name));
        done.inspect_err(|_| _ = std::fs::remove_file(&beside))
    });
    if let Err(error) = done {
        report::warn(&format!("cannot compress the trace {name}: {error}; it is plain text"));
    }
}

fn copy(from: &str, to: File) -> io::Result<()> {
    let mut text = File::open(from)?;
    let mut packed = GzEncoder::new(to, Compression::fast());
    io::copy(&mut text, &mut packed)?;
    packed.finish()?.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_has_the_name_in_between_stays() {
        let name =
            std::env::temp_dir().join(format!("vicinity-compress-{}.gz", std::process::id()));
        let name = name.to_str().unwrap();
        let beside = format!("{name}.{}", std::process::id());
        fs::write(name, "a trace").unwrap();
        fs::write(&beside, "another's").unwrap();
        compress(name);
        assert_eq!(fs::read(name).unwrap(), b"a trace");
        assert_eq!(fs::read(&beside).unwrap(), b"another's");
        fs::remove_file(&beside).unwrap();
        compress(name);
        assert!(fs::read(name).unwrap().starts_with(&[0x1f, 0x8b]));
        assert!(!fs::exists(&beside).unwrap());
        fs::remove_file(name).unwrap();
    }
}
