//! SPIR-V into LLVM's bitcode, by LLVM's own translator of it, a process of its own: what crashes there is a failed build.
//!
//! It writes what clang makes of OpenCL C: kernels and functions of `spir64` with its address spaces, and builtin functions by
//! their mangled names. An older one writes an older bitcode, which LLVM reads and writes anew.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::front::clang::{self, Compiled};
use crate::front::import;
use crate::llvm::Context;
use crate::program::failure::{Failure, cannot};

/// Has `reader` read `source`; `scratch` is a folder for files in between.
pub fn compile(reader: &Path, source: &Path, scratch: &Path) -> Result<Compiled, Failure> {
    let output = scratch.join("front.bc");
    let mut command = Command::new(reader);
    command.args(["-r", "--spirv-target-env=CL2.0", "-o"]).arg(&output).arg(source);
    let log = clang::run(&mut command)?;
    let mut text = without_trace(&log.text);
    if !log.succeeded {
        text.push_str("error: this SPIR-V cannot be read\n");
        return Ok(Compiled { bitcode: None, log: text, dependencies: Vec::new() });
    }
    let bytes = fs::read(&output).map_err(|error| cannot("read", &output, &error))?;
    let module = import::read(Context::new(), &bytes)?;
    Ok(Compiled { bitcode: Some(module.to_bitcode()), log: text, dependencies: Vec::new() })
}

/// What the reader said before it crashed, if it did: the rest are addresses in itself.
fn without_trace(text: &str) -> String {
    let is_trace =
        |line: &&str| line.starts_with("PLEASE submit") || line.starts_with("Stack dump");
    text.split_inclusive('\n').take_while(|line| !is_trace(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_leaves_what_was_said_before() {
        let said = "reader: not implemented\n";
        let dump = "PLEASE submit a bug report\nStack dump:\n0. reader -r a.spv\n";
        assert_eq!(without_trace(&format!("{said}{dump}")), said);
        assert_eq!(without_trace(said), said);
    }
}
