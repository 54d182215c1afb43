//! `vicinity-translate`: compiles OpenCL C for the OpenCL driver, in a process of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(vicinity_translator::program::run())
}
