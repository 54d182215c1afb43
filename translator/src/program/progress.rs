//! What the driver is told while code is made: lines on standard output (docs/kernel-abi.md, `--in-parts`).

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use vicinity_output::EXIT_CLOSED;

use crate::program::failure::{Failure, cannot};
use crate::report::describe::Program;

pub const DECLARED: &str = "declared.json";
pub const DECLARED_LOG: &str = "declared.log";

/// Somebody listens.
pub struct Listener<'a> {
    /// What was said so far.
    pub log: &'a str,
    /// Code is made when a byte comes on standard input.
    pub holds: bool,
}

/// All of the program is known but the code. Returns when code is wanted.
pub fn declared(program: &Program, listener: &Listener, folder: &Path) -> Result<(), Failure> {
    put(&folder.join(DECLARED), program.to_json().as_bytes())?;
    put(&folder.join(DECLARED_LOG), listener.log.as_bytes())?;
    tell("declared\n", folder);
    if listener.holds && io::stdin().read_exact(&mut [0]).is_err() {
        leave(folder);
    }
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
        leave(folder);
    }
}

/// Nobody is there any more who listened.
fn leave(folder: &Path) -> ! {
    let _ = fs::remove_dir_all(folder);
    std::process::exit(i32::from(EXIT_CLOSED));
}
