//! `vicinity-translate`: compiles OpenCL C for the OpenCL driver, in a process of its own.

use std::process::ExitCode;

use vicinity_output::tell;
use vicinity_translator::command::{execute, parse};
use vicinity_translator::patience;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        tell(format!("vicinity-translate: a fault of the translator: {panic}"));
        std::process::exit(3);
    }));
    let command = parse(std::env::args().skip(1));
    if command.as_ref().is_ok_and(|command| !command.has_time()) {
        patience::allow();
    }
    match command.and_then(|command| execute(&command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let text = failure.text();
            if !text.is_empty() {
                tell(text.trim_end());
            }
            ExitCode::from(failure.status())
        }
    }
}
