//! `vicinity advise`: what to change, from a trace: where large blocks should be, how tasks should be scheduled, what loops and
//! regions lose.
//!
//! What is computed is in `vicinity_sim::advise`; here is where blocks are in the source (`origin`, `variables`), the machine
//! (`target`), everything put together (`report`), in words (`text`), and the file that
//! `vicinity run --advice` takes (`file`) and does (`apply`).

pub mod apply;
pub mod file;
mod origin;
mod report;
mod target;
mod text;
mod variables;

use std::path::PathBuf;

use clap::Args;
use vicinity_output::{exit_status, print, tell};

use crate::failure::Failure;
use crate::survey::model;
use crate::timeline;
use report::Report;
use target::Target;

pub const HELP: &str = concat!(
    "\
From a trace to a program that does what was advised:

  vicinity run --trace run.json ./program
  vicinity advise run.json                              # for the machine of the trace
  vicinity advise run.json --machine epyc-nps4 -o program.advice
  vicinity run --advice program.advice --trace after.json ./program

",
    exit_status!("0    done";)
);

#[derive(Args)]
pub struct Advise {
    /// A trace that `vicinity run --trace` wrote; may be compressed (gzip)
    trace: PathBuf,

    /// The machine to run it on, simulated: a name as `vicinity simulate` knows, or a file that `vicinity survey` wrote
    /// [default: the one that was traced]
    #[arg(long, value_name = model::VALUE)]
    machine: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Write what can be done without changing the program to FILE, for `vicinity run --advice`
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Advise {
    pub fn execute(self) -> Result<(), Failure> {
        if self.output.as_ref() == Some(&self.trace) {
            let text = "the advice would replace the trace: choose another name with -o";
            return Err(Failure::usage(text));
        }
        let (mut trace, analysis) = timeline::read(&self.trace)?;
        let variables = variables::split(&mut trace.memory);
        let target = Target::of(&trace, self.machine.as_deref())?;
        let mut report = Report::of(&trace, &analysis, &variables, &target);
        report.note_newer_files(&trace, &self.trace);
        if let Some(output) = &self.output {
            report.file.write(output)?;
        }
        if self.json {
            print(&format!("{:#}\n", report.to_json()))?;
        } else {
            let text = text::report(&report, self.output.as_deref(), &self.trace);
            // Files below the current folder are called as people there do.
            let folder = std::env::current_dir().unwrap_or_default();
            print(&text.replace(&format!("{}/", folder.display()), ""))?;
        }
        if let Some(output) = self.output.filter(|_| report.file.is_empty()) {
            tell(format!("vicinity: {}: there is nothing in it to do", output.display()));
        }
        Ok(())
    }
}
