//! What is believed of addresses in memory that the host gives: buffers that use it in place, and shared virtual memory.
//!
//! The specification demands alignment for the types that a kernel accesses memory by, up to 128 bytes for `long16`. What
//! programs pass is what `malloc` gives them: multiples of 16. Moves of vectors that stop the program where memory is not
//! aligned are no faster than others where it is; so alignment beyond that is not believed, neither of an access nor of
//! a parameter. Local and private memory is ours, and as aligned as its types say.
//!
//! What `restrict` promises is a promise of one work-item. LLVM takes it for the whole function, and a barrier for a call that does not
//! touch such memory, since it is not handed the pointer; but it is where others write. So LLVM is not told; what a kernel's own
//! parameters promise is used where no barrier stands ([`crate::analysis::overlap`]).
//!
//! Source: OpenCL C 3.0, section 6.3.5 (alignment of types); LLVM's language reference, `noalias`.

use crate::llvm::{Context, Function, Module, Type, Value};

/// What the C library's `malloc` gives.
const BELIEVED_BYTES: u32 = 16;

/// Lowers the alignments in the module, and removes `noalias` of parameters.
pub fn believe_little(module: &Module) {
    let context = module.context();
    for function in module.functions().into_iter().filter(|function| function.has_body()) {
        lower_parameters(context, function);
        for instruction in function.instructions() {
            lower_access(context, instruction);
        }
    }
}

fn lower_parameters(context: Context, function: Function) {
    for (index, parameter) in function.parameters().into_iter().enumerate() {
        function.remove_parameter_attribute(context, index, "noalias");
        let claimed = function.parameter_alignment(context, index);
        if is_hosts(parameter.ty()) && claimed > u64::from(BELIEVED_BYTES) {
            function.add_parameter_attribute(context, index, "align", u64::from(BELIEVED_BYTES));
        }
    }
}

/// Atomic accesses are of 8 bytes at most.
fn lower_access(context: Context, instruction: Value) {
    let address = instruction.address();
    if address.is_some_and(|it| is_hosts(it.ty())) && instruction.alignment() > BELIEVED_BYTES {
        instruction.set_alignment(BELIEVED_BYTES);
    }
    lower_arguments(context, instruction);
}

/// Of copies of structures.
fn lower_arguments(context: Context, call: Value) {
    for (index, argument) in call.call_arguments().into_iter().enumerate() {
        if is_hosts(argument.ty()) && call.argument_alignment(context, index) > BELIEVED_BYTES {
            call.set_argument_alignment(index, BELIEVED_BYTES);
        }
    }
}

/// Whether a pointer may lead to such memory: `__global`, `__constant` or of no certain address space.
fn is_hosts(ty: Type) -> bool {
    ty.is_pointer() && matches!(ty.address_space(), 1 | 2 | 4)
}
