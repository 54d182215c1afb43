//! Machine code: LLVM's optimizations, an object file, and a shared object that the driver can load.

use std::path::Path;
use std::process::Command;

use crate::failure::Failure;
use crate::llvm::{Machine, Module, run_passes};
use crate::options::Optimize;

/// Libraries of the C library that machine code may call: vector mathematics and mathematics.
const LIBRARIES: &[&str] = &["-l:libmvec.so.1", "-l:libm.so.6"];

/// Runs LLVM's pipeline over work-group functions.
pub fn optimize(module: &Module, machine: &Machine, how: Optimize) -> Result<(), Failure> {
    let pipeline = match how {
        Optimize::Yes => "default<O3>",
        Optimize::No => "default<O1>",
    };
    run_passes(module, machine, pipeline).map_err(Failure::Internal)
}

/// Writes `program.so` into `folder`.
pub fn shared_object(module: &Module, machine: &Machine, folder: &Path) -> Result<(), Failure> {
    let object = folder.join("program.o");
    machine.emit_object(module, &object).map_err(Failure::Internal)?;
    let mut linker = Command::new("ld");
    linker.args(["-shared", "-z", "now", "-z", "noexecstack", "--hash-style=gnu", "-o"]);
    linker.arg(folder.join("program.so")).arg(&object).arg("--as-needed").args(LIBRARIES);
    let output = linker.output().map_err(|error| {
        Failure::Internal(format!("error: ld cannot be started: {error} (Debian: binutils)"))
    })?;
    let _ = std::fs::remove_file(&object);
    if output.status.success() {
        return Ok(());
    }
    Err(Failure::Internal(format!("error: ld: {}", String::from_utf8_lossy(&output.stderr))))
}
