//! Doubles become halves by one rounding.
//!
//! The processors have no instruction for it, but for the newest: LLVM calls a function of the compiler's library then, which
//! kernels are not linked with. Our library has one (`data/convert.cl`).

use crate::front::import::SPIR_FUNCTION;
use crate::llvm::{Builder, Module, Opcode, TypeKind, Value};

/// Before builtin functions are linked: conversions from double to half become calls of one.
pub fn round_once(module: &Module) {
    for function in module.functions() {
        for block in function.blocks() {
            for conversion in block.instructions() {
                if conversion.is_opcode(Opcode::LLVMFPTrunc) && is_to_half(conversion) {
                    replace(module, conversion);
                }
            }
        }
    }
}

fn is_to_half(conversion: Value) -> bool {
    let element = |value: Value| value.ty().element().unwrap_or(value.ty()).kind();
    element(conversion) == TypeKind::LLVMHalfTypeKind
        && element(conversion.operand(0)) == TypeKind::LLVMDoubleTypeKind
}

fn replace(module: &Module, conversion: Value) {
    let (from, to) = (conversion.operand(0).ty(), conversion.ty());
    let name =
        if to.is_vector() { symbol(to.count()) } else { "_Z16convert_half_rted".to_string() };
    let rounding = module.declared(&name, to.function(&[from]));
    let builder = Builder::before(module.context(), conversion);
    builder.set_debug_location(conversion.debug_location());
    let call = builder.call(rounding, &[conversion.operand(0)]);
    call.set_calling_convention(SPIR_FUNCTION);
    conversion.replace_uses(call);
    conversion.erase();
}

/// The name of `convert_halfN_rte(doubleN)`.
fn symbol(lanes: u64) -> String {
    let name = format!("convert_half{lanes}_rte");
    format!("_Z{}{name}Dv{lanes}_d", name.len())
}
