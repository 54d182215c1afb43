//! Programs of several ranks.

use std::process::Command;
use tempfile::TempDir;

/// Gives a launcher a folder of its own for as long as that lives, and lets any user start it. Those of Open MPI make a folder that all of
/// a user have in common, and fail where two make it at once; they refuse the superuser.
pub fn apart(launcher: &mut Command) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    launcher.env("OMPI_MCA_orte_tmpdir_base", folder.path());
    launcher.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    folder
}
