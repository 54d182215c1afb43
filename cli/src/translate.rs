//! `vicinity translate`: what the translator decides for each loop of a kernel, and why.
//!
//! The translator is a program of its own, so that no other part of Vicinity links a compiler; it lies beside this
//! one, or `VICINITY_TRANSLATE` names it.

use std::ffi::OsString;
use std::fs::File;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

use vicinity_output::{EXIT_CLOSED, EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_WRONG, exit_status};

use crate::failure::Failure;

pub const HELP: &str = exit_status!("0    done" "1    the kernel's source is wrong";);

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
    /// Runs the translator, which has printed what there is to say.
    pub fn execute(&self) -> Result<u8, Failure> {
        File::open(&self.source)
            .map_err(|error| Failure::own(format!("{}: {error}", self.source.display())))?;
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
        match status.code().and_then(|code| u8::try_from(code).ok()) {
            Some(known @ (EXIT_DONE | EXIT_WRONG | EXIT_USAGE | EXIT_CLOSED)) => Ok(known),
            Some(_) => Ok(EXIT_FAILED),
            None => Err(Failure::own(format!("{} ended by a signal", program.display()))),
        }
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
