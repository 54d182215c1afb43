//! What clang made for a virtual processor becomes code for this one.
//!
//! Triple, data layout and processor features are set; functions lose the calling conventions of `spir64` and what
//! would keep them from being inlined. Which functions are kernels is remembered by name, since nothing else tells
//! afterwards. Types that only that processor has are spelled out ([`crate::front::opaque`]).

use crate::front::{library, opaque};
use crate::llvm::{Builder, Context, Function, Machine, Module, Opcode, Type, Value, run_passes};
use crate::program::failure::Failure;
use crate::program::patience::Effort;

/// LLVM's numbers for the conventions of kernels and of functions on `spir64`.
const SPIR_KERNEL: u32 = 76;
pub const SPIR_FUNCTION: u32 = 75;
/// And of functions of C.
pub const C: u32 = 0;
/// The address space of `__global` memory.
const GLOBAL_SPACE: u32 = 1;

/// A function that calls itself as the last thing it does becomes a loop: OpenCL C (3.0, section 6.11) forbids recursion, other
/// drivers accept this one, and programs have it.
const LOOPS_OF_LAST_CALLS: &str = "function(mem2reg,simplifycfg,tailcallelim)";

fn calls_itself(function: Function) -> bool {
    function.instructions().any(|call| call.called() == Some(function))
}

/// The names of the kernels in `module`.
pub fn kernels(module: &Module) -> Vec<String> {
    let kernel =
        |function: &Function| function.has_body() && function.calling_convention() == SPIR_KERNEL;
    module.functions().into_iter().filter(kernel).map(|function| function.name()).collect()
}

/// Leaves the kernels called `names` alone, with what they use.
pub fn select(module: &Module, machine: &Machine, names: &[String]) -> Result<(), Failure> {
    for function in module.functions().into_iter().filter(|function| function.has_body()) {
        if !names.contains(&function.name()) {
            function.set_internal();
        }
    }
    for global in module.globals() {
        if global.initializer().is_some() && global.name() != "llvm.used" {
            global.set_internal();
        }
    }
    run_passes(module, machine, "globaldce").map_err(Failure::Internal)
}

fn is_variable(global: &Value) -> bool {
    global.is_global_variable()
        && !global.is_global_constant()
        && global.ty().address_space() == GLOBAL_SPACE
}

/// Whether the program keeps variables from kernel to kernel.
pub fn has_variables(module: &Module) -> bool {
    module.globals().iter().any(is_variable)
}

/// Bytes of these variables.
pub fn variables_bytes(module: &Module, machine: &Machine) -> u64 {
    let variables = module.globals().into_iter().filter(is_variable);
    variables.map(|global| machine.size_bytes(global.content_type())).sum()
}

/// Reads bitcode, as the front end or an earlier run wrote it.
pub fn read(context: Context, bitcode: &[u8]) -> Result<Module, Failure> {
    let unreadable = || Failure::Program("error: this is not bitcode of LLVM 19\n".to_string());
    let module = Module::from_bitcode(context, bitcode).ok_or_else(unreadable)?;
    module.verify().map_err(|_| unreadable())?;
    if module.functions().into_iter().any(calls_itself) {
        let machine = Machine::host(Effort::Less).map_err(Failure::Internal)?;
        run_passes(&module, &machine, LOOPS_OF_LAST_CALLS).map_err(Failure::Internal)?;
    }
    // Values of these types come from functions alone.
    if !module.functions().into_iter().any(has_opaque) {
        return Ok(module);
    }
    let text = opaque::spell_out(&module.to_string());
    let broken = |text| Failure::Internal(format!("events and images: {text}"));
    Module::from_text(context, &text).map_err(broken)
}

/// Whether a function takes or gives a value of a type that is spelled out.
fn has_opaque(function: Function) -> bool {
    let parameters = function.parameters().into_iter().map(Value::ty);
    let names = parameters.chain([function.return_type()]).filter_map(Type::target_name);
    names.into_iter().any(|name| opaque::meaning(&name).is_some())
}

/// Makes `module` one for `machine`.
pub fn retarget(module: &Module, machine: &Machine) {
    module.retarget(machine);
    for function in module.functions() {
        retarget_function(function, module.context(), machine);
    }
}

/// The same for one function.
pub fn retarget_function(function: Function, context: Context, machine: &Machine) {
    if matches!(function.calling_convention(), SPIR_KERNEL | SPIR_FUNCTION) {
        function.set_calling_convention(C);
    }
    if !is_met_at(function) {
        function.remove_attribute(context, CONVERGENT);
    }
    if !function.has_body() {
        return;
    }
    prepare(function, context, machine);
    own_structures(function, context, machine);
    for block in function.blocks() {
        for instruction in block.instructions() {
            if instruction.is_opcode(Opcode::LLVMCall) {
                soften(instruction, context);
            }
        }
    }
}

/// What clang says of every function and every call in OpenCL C, and what is true of those alone that several items meet at.
const CONVERGENT: &str = "convergent";

fn is_met_at(function: Function) -> bool {
    library::is_met_at(&function.name())
}

fn soften(call: Value, context: Context) {
    let called = call.called();
    if called.is_none_or(|called| !called.is_intrinsic()) {
        call.set_calling_convention(C);
    }
    if !called.is_some_and(is_met_at) {
        call.remove_call_attribute(context, CONVERGENT);
    }
}

/// Attributes of a function that has a body.
fn prepare(function: Function, context: Context, machine: &Machine) {
    for name in ["noinline", "optnone", "optsize", "minsize"] {
        function.remove_attribute(context, name);
    }
    for name in ["frame-pointer", "stack-protector-buffer-size"] {
        function.remove_text_attribute(name);
    }
    function.set_text_attribute(context, "target-cpu", machine.cpu());
    function.set_text_attribute(context, "target-features", machine.features());
    let width = machine.vector_bits().to_string();
    function.set_text_attribute(context, "prefer-vector-width", &width);
}

/// A structure that is passed by value gets a place of its own, since the program may write to it: what the
/// parameter points to is shared by all work-items. Where the program only reads, the copy is optimized away.
fn own_structures(function: Function, context: Context, machine: &Machine) {
    for (index, parameter) in function.parameters().into_iter().enumerate() {
        let Some(ty) = function.by_value_type(context, index) else { continue };
        let builder = Builder::at_start(context, function);
        let own = builder.alloca(ty);
        own.set_alignment(machine.alignment_bytes(ty) as u32);
        parameter.replace_uses(own);
        builder.copy_bytes(own, parameter, machine.size_bytes(ty), machine.alignment_bytes(ty));
    }
}
