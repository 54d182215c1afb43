//! Sines and cosines of one angle: forms that share most of the work.
//!
//! Alone, a sine or a cosine goes by half turns, for which one polynomial is enough. Where a function asks for both of the same
//! angle, as transforms and rotations do, forms that go by quarter turns compute the same two polynomials, of which LLVM keeps one
//! copy (`library/math/circle.cl`).

use std::collections::HashMap;

use crate::llvm::{Function, Machine, Module, Opcode, Value, run_passes};
use crate::program::failure::Failure;

/// The functions of float, alone and beside the other.
const SINE: [&str; 2] = ["_Z3sinf", "vicinity_sine_of_both"];
const COSINE: [&str; 2] = ["_Z3cosf", "vicinity_cosine_of_both"];

/// Takes the forms that share work wherever both are asked for. The library is not linked yet.
pub fn share(module: &Module, machine: &Machine) -> Result<(), Failure> {
    let [Some(sine), Some(cosine)] = [SINE, COSINE].map(|[alone, _]| module.function(alone)) else {
        return Ok(());
    };
    if [sine, cosine].iter().any(|function| function.has_body()) {
        return Ok(());
    }
    // Equal angles become one value.
    run_passes(module, machine, "function(sroa,early-cse)").map_err(Failure::Internal)?;
    for function in module.functions().into_iter().filter(|function| function.has_body()) {
        let sines = calls_by_angle(function, sine);
        let cosines = calls_by_angle(function, cosine);
        for (angle, calls) in &sines {
            let Some(others) = cosines.get(angle) else { continue };
            let both = [(calls, SINE, sine), (others, COSINE, cosine)];
            for (calls, [_, shared], alone) in both {
                let shared = module.declared(shared, alone.ty());
                calls.iter().for_each(|call| call.set_operand(call.operand_count() - 1, shared.0));
            }
        }
    }
    Ok(())
}

fn calls_by_angle(function: Function, called: Function) -> HashMap<Value, Vec<Value>> {
    let mut calls: HashMap<Value, Vec<Value>> = HashMap::new();
    for call in function.instructions() {
        if call.is_opcode(Opcode::LLVMCall) && call.called() == Some(called) {
            calls.entry(call.operand(0)).or_default().push(call);
        }
    }
    calls
}
