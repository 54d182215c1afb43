//! Runs LLVM's own passes, by the names that `opt -passes=` takes.

use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::transforms::pass_builder::*;

use super::{Function, Machine, Module, c_text};

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

/// What keeps optional passes from a function.
const LEFT_ALONE: &str = "optnone";

/// Runs passes of functions over `function` alone: what is known of others stays true.
pub fn run_passes_on(
    module: &Module,
    machine: &Machine,
    function: Function,
    passes: &str,
) -> Result<(), String> {
    let context = module.context();
    let is_other = |it: &Function| *it != function && it.has_body();
    let mut others: Vec<Function> = module.functions().into_iter().filter(is_other).collect();
    others.retain(|it| !it.has_attribute(LEFT_ALONE));
    others.iter().for_each(|it| it.add_attribute(context, LEFT_ALONE));
    let result = run_passes(module, machine, &format!("function({passes})"));
    others.iter().for_each(|it| it.remove_attribute(context, LEFT_ALONE));
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{Context, configure};
    use crate::program::patience::Effort;

    #[test]
    fn other_functions_stay_as_they_are() {
        configure(&[]);
        let useless =
            |name| format!("define void @{name}(i32 %a) {{ %b = add i32 %a, 1 ret void }}");
        let text = ["first", "second"].map(useless).concat();
        let module = Module::from_text(Context::new(), &text).expect("LLVM's assembly");
        let machine = Machine::host(Effort::Full).expect("a machine");
        let [first, second] =
            ["first", "second"].map(|it| module.function(it).expect("it is there"));
        run_passes_on(&module, &machine, first, "adce").expect("a pass");
        assert_eq!([first, second].map(|it| it.instructions().count()), [1, 2]);
        run_passes_on(&module, &machine, second, "adce").expect("a pass");
        assert_eq!(second.instructions().count(), 1);
    }
}
