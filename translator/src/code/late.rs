//! Functions of the builtin library that are inlined after loops have become vectors (`library/late`).
//!
//! Until then they are declared alone, and so one call for a vectorizer, which widens it to one of the forms that
//! [`crate::front::vector_math`] tells of. The forms may be other code than the scalar function: a test of all lanes at once in front of a slow
//! way that few numbers take, or an instruction of the processor. What the processor has, functions of the library ask by
//! [`ANSWERS`]; [`answer`] puts constants in their place.

use crate::front::archive::{self, ModuleAt};
use crate::front::{import, vector_math};
use crate::llvm::{Function, Machine, Module, Opcode, Value, run_passes};
use crate::program::failure::Failure;

/// Names of the functions, and how many arguments they have, all of float.
pub const FUNCTIONS: &[(&str, usize)] = &[
    ("vicinity_rare_cos", 2),
    ("vicinity_rare_fmod", 3),
    ("vicinity_rare_rsqrt", 2),
    ("vicinity_rare_sin", 2),
    ("vicinity_rare_tan", 2),
    ("vicinity_reciprocal", 1),
    ("vicinity_rsqrt_estimate", 1),
];

/// Numbers of elements of the forms, and the letters of the instruction sets that have registers for so many floats.
pub const LANES: [(u64, char); 4] = [(2, 'b'), (4, 'b'), (8, 'd'), (16, 'e')];

/// Questions of the library, and the features of a processor that they ask for.
const ANSWERS: &[(&str, &str)] = &[
    ("vicinity_has_fma", "fma"),
    ("vicinity_has_avx", "avx"),
    ("vicinity_has_avx512f", "avx512f"),
    ("vicinity_has_avx512vl", "avx512vl"),
];

/// LLVM's attribute of functions, and calls of them, that change no register. The convention `preserve_allcc` would not keep those
/// of AVX-512.
const CHANGES_NO_REGISTER: &str = "no_caller_saved_registers";

/// Simplifies what is inlined: equal tests of the same numbers become one.
const SIMPLIFY: &str = "always-inline,globaldce,function(early-cse,simplifycfg)";

/// How many arguments the function has that is called `name`, if it is one of these.
pub fn arguments(name: &str) -> Option<usize> {
    FUNCTIONS.iter().find(|known| known.0 == name).map(|known| known.1)
}

/// The form of one of these functions that takes so many numbers at once.
pub fn form(name: &str, lanes: u64) -> Option<String> {
    let &(_, set) = LANES.iter().find(|known| known.0 == lanes)?;
    Some(vector_math::form(set, lanes, arguments(name)?, name))
}

/// Whether it is one of these functions, or a form of one.
pub fn is_late(name: &str) -> bool {
    let scalar = name.rsplit_once("v_").map_or(name, |(_, scalar)| scalar);
    arguments(scalar).is_some()
}

/// Puts constants in place of questions about the processor.
pub fn answer(module: &Module, machine: &Machine) {
    for &(name, feature) in ANSWERS {
        let Some(question) = module.function(name) else { continue };
        let answer = question.return_type().constant(u64::from(machine.has(feature)));
        for call in question.0.users() {
            call.replace_uses(answer);
            call.erase();
        }
    }
}

/// Defines and inlines what `module` calls of these functions and their forms.
pub fn inline(module: &mut Module, machine: &Machine) -> Result<(), Failure> {
    module.forget_kept();
    let (called, unused): (Vec<_>, Vec<_>) =
        declared(module).into_iter().partition(|function| function.0.is_used());
    unused.into_iter().for_each(Function::erase);
    if called.is_empty() {
        return Ok(());
    }
    let called: Vec<String> = called.into_iter().map(Function::name).collect();
    let mut modules: Vec<ModuleAt> = Vec::new();
    for at in called.iter().filter_map(|name| archive::find(name)) {
        if !modules.contains(&at) {
            modules.push(at);
        }
    }
    for at in modules {
        link(module, machine, at)?;
    }
    let context = module.context();
    for name in called {
        let function = module.function(&name).filter(|function| function.has_body());
        let function = function.ok_or_else(broken)?;
        function.set_internal();
        function.add_attribute(context, "alwaysinline");
    }
    run_passes(module, machine, SIMPLIFY).map_err(Failure::Internal)
}

/// The functions and forms of the library that are not defined yet.
fn declared(module: &Module) -> Vec<Function> {
    let is_declared = |function: &Function| !function.has_body() && is_late(&function.name());
    module.functions().into_iter().filter(is_declared).collect()
}

/// Whether it is what a form rarely calls.
fn is_slow(function: Function) -> bool {
    function.has_body() && !function.is_external()
}

fn broken() -> Failure {
    Failure::Internal("error: the builtin library is damaged".to_string())
}

/// Links what is called of one module of the library.
fn link(module: &mut Module, machine: &Machine, at: ModuleAt) -> Result<(), Failure> {
    let other = Module::from_bitcode(module.context(), at.bitcode()).ok_or_else(broken)?;
    import::retarget(&other, machine);
    answer(&other, machine);
    for function in other.functions() {
        // Of LLVM's own functions, too, which have names of the library here.
        let calls = function.0.users().into_iter().filter(|user| user.is_opcode(Opcode::LLVMCall));
        let calls: Vec<Value> = calls.collect();
        function.set_calling_convention(import::C);
        calls.iter().for_each(|call| call.set_calling_convention(import::C));
        if is_slow(function) {
            // LLVM 19 would clear halves of what was preserved.
            let features = format!("{},-vzeroupper", machine.features());
            let context = other.context();
            function.set_text_attribute(context, "target-features", &features);
            function.set_text_attribute(context, CHANGES_NO_REGISTER, "");
            calls.iter().for_each(|call| call.add_call_attribute(context, CHANGES_NO_REGISTER, ""));
        }
        if function.has_body() && function.is_external() {
            function.set_optional();
        }
    }
    if module.link(other) { Ok(()) } else { Err(broken()) }
}
