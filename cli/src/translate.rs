//! `vicinity translate`: what the translator decides for each loop of a kernel, and why.
//!
//! The translator is a program of its own, so that no other part of Vicinity links a compiler; it lies beside this
//! one, or `VICINITY_TRANSLATE` names it.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::failure::Failure;

const PROGRAM: &str = "vicinity-translate";
const VARIABLE: &str = "VICINITY_TRANSLATE";

#[derive(clap::Args)]
pub struct Translate {
    /// OpenCL C
    source: PathBuf,
    /// Build options, as for clBuildProgram
    #[arg(last = true)]
    options: Vec<OsString>,
}

impl Translate {
    /// Runs the translator; its status is ours.
    pub fn execute(&self) -> Result<ExitCode, Failure> {
        let program = program();
        let mut command = Command::new(&program);
        command.arg("report").arg(&self.source).arg("--").args(&self.options);
        let status = command.status().map_err(|error| match error.kind() {
            ErrorKind::NotFound => Failure::own(format!(
                "{} is not there; make installs it beside this program, or set {VARIABLE}",
                program.display()
            )),
            _ => Failure::own(format!("{}: {error}", program.display())),
        })?;
        let status = status.code().and_then(|code| u8::try_from(code).ok());
        status
            .map(ExitCode::from)
            .ok_or_else(|| Failure::own(format!("{} ended by a signal", program.display())))
    }
}

fn program() -> PathBuf {
    if let Some(named) = std::env::var_os(VARIABLE) {
        return named.into();
    }
    let own = std::env::current_exe().unwrap_or_default();
    let own = own.canonicalize().unwrap_or(own);
    own.parent().map(|folder| folder.join(PROGRAM)).unwrap_or_else(|| PROGRAM.into())
}
