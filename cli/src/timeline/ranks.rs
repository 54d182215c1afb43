//! The traces of several ranks, read as one.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use vicinity_sim::trace::analysis::Analysis;
use vicinity_sim::trace::{self, Trace};

use super::{analyse, failed};
use crate::failure::Failure;

/// Merges them, into a file if there is to be one, and reads the result.
pub fn read(paths: &[PathBuf], merged: Option<&Path>) -> Result<(Trace, Analysis), Failure> {
    let Some(path) = merged else {
        let mut text = Vec::new();
        merge(paths, &mut text)?;
        let trace = trace::read(&text).map_err(|error| failed(&paths[0], &error))?;
        return analyse(&paths[0], trace);
    };
    if paths.iter().any(|own| own == path) {
        return Err(Failure::usage(
            "the merged trace would replace one of its own: choose another name",
        ));
    }
    let cannot = |error| Failure::own(format!("cannot write {}: {error}", path.display()));
    let mut file = BufWriter::new(File::create(path).map_err(cannot)?);
    merge(paths, &mut file)?;
    file.flush().map_err(cannot)?;
    super::read_tasks(path)
}

fn merge(paths: &[PathBuf], out: &mut dyn Write) -> Result<(), Failure> {
    trace::merge(paths, out).map_err(|why| failed(&why.path, &why.error))
}
