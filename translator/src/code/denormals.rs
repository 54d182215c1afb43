//! Denormal numbers are zero, in kernels of programs that allow it (`-cl-denorms-are-zero`).
//!
//! An operation that has or makes one takes some hundred cycles on Intel's processors, for all lanes of a vector. So entry points of
//! such kernels tell the processor to take them for zero, and tell it otherwise when they return. What computes with them meanwhile may be any
//! function that they call: a result that is denormal is zero, too.
//!
//! Sources: OpenCL 3.0 API, section 5.8.6.3; Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, section 10.2.3
//! (MXCSR: bit 6, denormals are zeros; bit 15, flush to zero).

use crate::llvm::{Builder, Function, Module, Opcode};

/// What clang says of functions of such a program: [`crate::program::options`] asks it to.
const ALLOWED: &str = "denormal-fp-math";

const ARE_ZERO: u64 = 1 << 6 | 1 << 15;

/// Whether a program allows it for this function.
pub fn may_be_zero(function: Function) -> bool {
    function.text_attribute(ALLOWED).is_some()
}

/// Takes off what is said of functions other than kernels, so that those of a program and of the library are alike.
pub fn forget(module: &Module, kernels: &[String]) {
    let functions = module.functions().into_iter();
    let others = functions.filter(|function| !kernels.contains(&function.name()));
    others.for_each(|function| function.remove_text_attribute(ALLOWED));
}

/// Lets the entry point of this name begin and end so.
pub fn flush(module: &Module, symbol: &str) {
    let context = module.context();
    let entry = module.function(symbol).expect("the entry point that was made");
    let start = Builder::at_start(context, entry);
    let integer = context.integer(32);
    let (before, inside) = (start.alloca(integer), start.alloca(integer));
    start.intrinsic("llvm.x86.sse.stmxcsr", &[], &[before]);
    let state = start.or(start.load(integer, before), integer.constant(ARE_ZERO));
    start.store(state, inside);
    start.intrinsic("llvm.x86.sse.ldmxcsr", &[], &[inside]);
    for end in entry.instructions().filter(|it| it.is_opcode(Opcode::LLVMRet)).collect::<Vec<_>>() {
        Builder::before(context, end).intrinsic("llvm.x86.sse.ldmxcsr", &[], &[before]);
    }
}
