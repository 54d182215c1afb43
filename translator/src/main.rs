//! `vicinity-translate`: compiles OpenCL C for the OpenCL driver, in a process of its own.

use std::process::ExitCode;

use vicinity_translator::command::{execute, parse};

fn main() -> ExitCode {
    vicinity_translator::patience::allow();
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("vicinity-translate: a fault of the translator: {panic}");
        std::process::exit(3);
    }));
    match parse(std::env::args().skip(1)).and_then(|command| execute(&command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{}", failure.text().trim_end());
            ExitCode::from(failure.status())
        }
    }
}
