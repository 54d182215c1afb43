//! What the driver is told while code is made: lines on standard output (docs/kernel-abi.md, `--in-parts`).

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use vicinity_output::EXIT_CLOSED;

use crate::program::failure::{Failure, cannot};
use crate::report::describe::Program;

pub const DECLARED: &str = "declared.json";
pub const DECLARED_LOG: &str = "declared.log";

/// All of the program is known but the code; `log` is what was said so far.
pub fn declared(program: &Program, log: &str, folder: &Path) -> Result<(), Failure> {
    put(&folder.join(DECLARED), program.to_json().as_bytes())?;
    put(&folder.join(DECLARED_LOG), log.as_bytes())?;
    tell("declared\n", folder);
    Ok(())
}

/// The code of the kernels that this describes is in the folder.
pub fn part(number: usize, program: &Program, folder: &Path) -> Result<(), Failure> {
    put(&folder.join(format!("program.{number}.json")), program.to_json().as_bytes())?;
    tell(&format!("part {number}\n"), folder);
    Ok(())
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    fs::write(path, bytes).map_err(|error| cannot("write", path, &error))
}

/// Who listened is gone, if nobody takes it: then nobody wants the rest, or removes the folder.
fn tell(line: &str, folder: &Path) {
    let mut output = io::stdout().lock();
    if output.write_all(line.as_bytes()).and_then(|()| output.flush()).is_err() {
        let _ = fs::remove_dir_all(folder);
        std::process::exit(i32::from(EXIT_CLOSED));
    }
}
