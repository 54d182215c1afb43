//! What tests of passes that change a kernel ask.

use crate::llvm::{Context, Function, Machine, Module, Opcode, configure, run_passes};
use crate::program::patience::Effort;

/// What the function `kernel` of `text` does after a pass and LLVM's `passes`, and what the pass says, such as whether it found something.
pub fn opcodes<Said>(
    text: &str,
    pass: impl Fn(Context, Function) -> Said,
    passes: &str,
) -> (Said, Vec<Opcode>) {
    configure(&[]);
    let module = Module::from_text(Context::new(), text).expect("LLVM's assembly");
    let kernel = module.function("kernel").expect("it is there");
    let said = pass(module.context(), kernel);
    module.verify().expect("a whole module");
    let machine = Machine::host(Effort::Full).expect("a machine");
    run_passes(&module, &machine, passes).expect("passes");
    (said, kernel.instructions().filter_map(|value| value.opcode()).collect())
}
