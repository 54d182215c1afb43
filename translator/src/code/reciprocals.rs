//! Divisions of vectors by way of an estimate, where the program relaxes its mathematics (`-cl-fast-relaxed-math`).
//!
//! LLVM's own way gives what is no number where a divisor is 0 or infinite, since Newton's step multiplies both. Programs
//! with relaxed mathematics divide by 0 all the same, as where a ray meets the planes of a box, and count on an infinity. The
//! reciprocals of the library (`library/late/reciprocal.cl`) give that.
//!
//! Source: OpenCL C 3.0, section 7.4, relative error of `x / y` with relaxed mathematics: 2.5 units in the last place.

use crate::code::late;
use crate::llvm::{Builder, Function, Module, Opcode, Value};

/// Vectors of fewer lanes are divided as they are.
const FEWEST_LANES: u64 = 4;

/// Computes such divisions in `module` by reciprocals, which [`late::inline`] is to define.
pub fn take(module: &Module) {
    for function in module.functions().into_iter().filter(|function| function.has_body()) {
        take_in(module, function);
    }
}

fn take_in(module: &Module, function: Function) {
    let found = function.instructions().filter(|&value| is_relaxed(value));
    for division in found.collect::<Vec<Value>>() {
        let builder = Builder::before(module.context(), division);
        builder.set_debug_location(division.debug_location());
        let reciprocal = reciprocal(module, &builder, division.operand(1));
        division.replace_uses(builder.multiply_as(division, division.operand(0), reciprocal));
        division.erase();
    }
}

/// LLVM has a better way to divide by a square root.
fn is_relaxed(value: Value) -> bool {
    let is_root = |value: Value| value.intrinsic_name().is_some_and(|name| name == "llvm.sqrt");
    let lanes = || value.ty().count();
    value.is_opcode(Opcode::LLVMFDiv)
        && value.ty().is_vector()
        && value.ty().element().is_some_and(|lane| lane.float_bits() == 32)
        && lanes() >= FEWEST_LANES
        && lanes().is_power_of_two()
        && value.allows_reciprocals()
        && !is_root(value.operand(1))
        && !(value.operand(1).is_opcode(Opcode::LLVMFMul)
            && value.operand(1).operands().any(is_root))
}

fn reciprocal(module: &Module, builder: &Builder, divisor: Value) -> Value {
    let lanes = divisor.ty().count();
    let Some(form) = late::form("vicinity_reciprocal", lanes) else {
        let half = |first| builder.piece(divisor, first, lanes / 2);
        let halves = [half(0), half(lanes / 2)];
        return builder.joined(&halves.map(|half| reciprocal(module, builder, half)));
    };
    let function = module.declared(&form, divisor.ty().function(&[divisor.ty()]));
    builder.call(function, &[divisor])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::Context;

    /// The functions called once such a division is taken, and whether there still is one.
    fn taken(division: &str) -> (Vec<String>, bool) {
        let text = format!(
            "declare <8 x float> @llvm.sqrt.v8f32(<8 x float>)
            define void @kernel(<32 x float> %wide, <8 x float> %a, <8 x float> %b, <2 x float> %pair, ptr %to) {{
              %root = call <8 x float> @llvm.sqrt.v8f32(<8 x float> %b)
              %q = fdiv {division}
              store volatile <8 x float> %root, ptr %to
              ret void
            }}"
        );
        let module = Module::from_text(Context::new(), &text).expect("LLVM's assembly");
        take(&module);
        module.verify().expect("a whole module");
        let kernel = module.function("kernel").expect("the kernel");
        let called = kernel.instructions().filter_map(Value::called).map(Function::name);
        let called = called.filter(|name| late::is_late(name)).collect();
        (called, kernel.instructions().any(|value| value.is_opcode(Opcode::LLVMFDiv)))
    }

    #[test]
    fn relaxed_divisions_of_vectors_become_products() {
        let form = |lanes, set| format!("_ZGV{set}N{lanes}v_vicinity_reciprocal");
        assert_eq!(taken("arcp <8 x float> %a, %b"), (vec![form(8, 'd')], false));
        let twice = vec![form(16, 'e'), form(16, 'e')];
        assert_eq!(taken("fast <32 x float> %wide, %wide"), (twice, false));
    }

    #[test]
    fn other_divisions_stay() {
        for stays in
            ["<8 x float> %a, %b", "arcp <8 x float> %a, %root", "arcp <2 x float> %pair, %pair"]
        {
            assert_eq!(taken(stays), (vec![], true), "{stays}");
        }
    }
}
