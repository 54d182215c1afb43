//! LLVM 19 through its C interface: thin handles with safe methods, and nothing that decides.
//!
//! Terms: a *handle* ([`Value`], [`Type`], [`Block`], [`Metadata`]) is a pointer into LLVM's memory that is
//! copied freely; a [`Context`] owns types, constants and metadata, a [`Module`] functions and globals.
//!
//! Invariants:
//! 1. A context is never disposed of. The translator is a short-lived process that holds one; so handles of
//!    types, constants and metadata never dangle.
//! 2. A handle of something that belongs to a module is used only while that module lives, and one of something
//!    erased is used no more. `Block::erase`, `Value::erase` and dropping a `Module` are the only ends of life,
//!    and the passes that call them hold no other handle of the thing.
//! 3. Handles are neither `Send` nor `Sync`: a context and everything in it stay on one thread.
//! 4. Methods that make sense only for some kinds (an opcode, an incoming block) check the kind first, since
//!    LLVM-C does not.
//!
//! Sources: llvm-c/Core.h of LLVM 19. Every block of unsafe code is the macro [`llvm!`].

#![allow(unsafe_code)]

/// Calls LLVM-C.
macro_rules! llvm {
    ($($call:tt)*) => {{
        // SAFETY: the arguments are live handles of one context on this thread, of the kind that the function
        // wants (invariants 1 to 4 of the module), or pointers to locals with the lengths given beside them.
        #[allow(unused_unsafe)]
        unsafe { $($call)* }
    }};
}

mod block;
mod builder;
mod context;
mod function;
mod machine;
mod module;
mod passes;
pub mod predicates;
mod types;
mod value;
mod vectors;

use std::ffi::{CStr, CString, c_char};

pub use block::Block;
pub use builder::Builder;
pub use context::{Context, Diagnostic, Severity, configure};
pub use function::Function;
pub use llvm_sys::{
    LLVMAtomicRMWBinOp as AtomicOperation, LLVMIntPredicate as IntPredicate, LLVMOpcode as Opcode,
    LLVMRealPredicate as RealPredicate, LLVMTypeKind as TypeKind,
};
pub use machine::Machine;
pub use module::Module;
pub use passes::{run_passes, run_passes_on};
pub use types::Type;
pub use value::{Metadata, Value};

/// A string of LLVM's that the caller owns.
fn owned_text(text: *mut c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: LLVM gave a nul-terminated string of its own allocation; it is copied, then given back once.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        llvm_sys::core::LLVMDisposeMessage(text);
        copy
    }
}

/// A string of LLVM's with a length, which stays LLVM's.
fn borrowed_text(text: *const c_char, length: usize) -> String {
    if text.is_null() || length == 0 {
        return String::new();
    }
    // SAFETY: LLVM gave this many bytes, alive as long as the thing they name; they are copied at once.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// What is in a buffer of LLVM's that the caller owns.
fn taken_bytes(buffer: llvm_sys::prelude::LLVMMemoryBufferRef) -> Vec<u8> {
    use llvm_sys::core::{LLVMDisposeMemoryBuffer, LLVMGetBufferSize, LLVMGetBufferStart};
    let (start, size) = (llvm!(LLVMGetBufferStart(buffer)), llvm!(LLVMGetBufferSize(buffer)));
    let bytes = llvm!(std::slice::from_raw_parts(start.cast::<u8>(), size)).to_vec();
    llvm!(LLVMDisposeMemoryBuffer(buffer));
    bytes
}

/// For parameters that take nul-terminated text; a nul inside ends the text there.
fn c_text(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).expect("no nul byte before the first one")
}
