//! `vicinity completions`: what a shell needs to complete the command's words, made from the command line as it is.

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use vicinity_output::print;

use crate::failure::Failure;

#[derive(Args)]
pub struct Completions {
    /// The shell that is to read it
    shell: Shell,
}

impl Completions {
    pub fn execute<C: CommandFactory>(self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut C::command(), "vicinity", &mut script);
        Ok(print(&String::from_utf8_lossy(&script))?)
    }
}
