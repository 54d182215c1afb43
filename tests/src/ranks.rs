//! Programs of several ranks.

use std::process::Command;
use tempfile::TempDir;

/// Gives a launcher a folder of its own for as long as that lives. Those of Open MPI make one that all of a user have in common, and fail
/// where two make it at once.
pub fn apart(launcher: &mut Command) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    launcher.env("OMPI_MCA_orte_tmpdir_base", folder.path());
    folder
}
