//! The program: a command line in, an exit status out.

pub(crate) mod child;
pub mod command;
pub mod failure;
pub(crate) mod keep;
pub mod options;
pub mod patience;
pub(crate) mod progress;
pub(crate) mod tools;
pub mod way;

use vicinity_output::tell;

use crate::program::command::{execute, parse};

/// Does what the arguments of the process say.
pub fn run() -> u8 {
    std::panic::set_hook(Box::new(|panic| {
        tell(format!("vicinity-translate: a fault of the translator: {panic}"));
        std::process::exit(3);
    }));
    let command = parse(std::env::args().skip(1));
    if command.as_ref().is_ok_and(|command| !command.has_time()) {
        patience::allow();
    }
    match command.and_then(|command| execute(&command)) {
        Ok(()) => 0,
        Err(failure) => {
            let text = failure.text();
            if !text.is_empty() {
                tell(text.trim_end());
            }
            failure.status()
        }
    }
}
