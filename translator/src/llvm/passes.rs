//! Runs LLVM's own passes, by the names that `opt -passes=` takes.

use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::transforms::pass_builder::*;

use super::{Machine, Module, c_text};

/// Runs `pipeline` over the module.
pub fn run_passes(module: &Module, machine: &Machine, pipeline: &str) -> Result<(), String> {
    let text = c_text(pipeline);
    let options = llvm!(LLVMCreatePassBuilderOptions());
    let error = llvm!(LLVMRunPasses(module.raw, text.as_ptr(), machine.raw(), options));
    llvm!(LLVMDisposePassBuilderOptions(options));
    if error.is_null() {
        return Ok(());
    }
    let message = llvm!(LLVMGetErrorMessage(error));
    let copy = llvm!(std::ffi::CStr::from_ptr(message)).to_string_lossy().into_owned();
    llvm!(LLVMDisposeErrorMessage(message));
    Err(format!("{pipeline}: {copy}"))
}
