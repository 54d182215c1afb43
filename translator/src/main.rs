//! `vicinity-translate`: compiles OpenCL C for the OpenCL driver, in a process of its own.

use std::process::ExitCode;

use vicinity_translator::command::{execute, parse};

fn main() -> ExitCode {
    match parse(std::env::args().skip(1)).and_then(|command| execute(&command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{}", failure.text().trim_end());
            ExitCode::from(failure.status())
        }
    }
}
