//! The builtin functions of OpenCL C that a program uses, linked into it.
//!
//! [`link_builtins`] is called once for a program, before anything else happens to it: every declaration that the
//! library defines gets its definition, found by its exact mangled name. Functions that depend on the work-item
//! (`get_global_id`: [`crate::group::ids`]) and barriers ([`BARRIERS`]) are no library functions: the passes that make
//! work-item loops give them their meaning, and until then they stay calls.
//!
//! A program pays for what it uses: modules of the [`archive`] are read without the bodies of their functions, and
//! only those that something calls are linked, with what they call in turn. The functions of the C library among
//! these have plain names, which the program's own have no more ([`crate::front::names`]). Its functions are made internal first: LLVM
//! links by name only what is not.

use crate::code::late;
use crate::front::archive::{self, ModuleAt};
use crate::kernel::sub_groups::Exchange;
use crate::llvm::{Function, Machine, Module, Value};
use crate::program::failure::Failure;

/// Calls at which all work-items of a group wait for each other.
pub const BARRIERS: &[&str] =
    &["_Z7barrierj", "_Z18work_group_barrierj", "_Z18work_group_barrierj12memory_scope"];

/// Whether work-items meet at calls of the function with this name: those of a group at a barrier, those of a sub-group to bring
/// something to each other.
pub fn is_met_at(name: &str) -> bool {
    BARRIERS.contains(&name) || Exchange::of(name).is_some()
}

/// Whether it is a call at which work-items meet.
pub fn is_meeting(call: Value) -> bool {
    call.called().is_some_and(|called| is_met_at(&called.name()))
}

/// Whether it is a call at which the items of a group wait for each other.
pub fn is_barrier(call: Value) -> bool {
    call.called().is_some_and(|called| BARRIERS.contains(&called.name().as_str()))
}

/// A call behind which items go on together in a breadth-first loop: as many as keep their state together, which may be fewer than the
/// group. Made by [`crate::schedule`].
pub const STEP: &str = "vicinity_step";

/// The same for a loop that is worth the state of the whole group.
pub const GROUP_STEP: &str = "vicinity_group_step";

/// A call at which all work-items of a group wait, and learn whether what they bring holds for every one of them. Made
/// by [`crate::schedule`], as the condition of a branch in the same block.
pub const ALL: &str = "vicinity_all";

/// As [`ALL`], the number that a switch in the same block goes by: how many items bring what holds, as one of [`Vote`].
pub const VOTE: &str = "vicinity_vote";

/// What [`VOTE`] gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    None = 0,
    Some = 1,
    All = 2,
}

/// Defines in `module` what it declares and the library has.
pub fn link_builtins(
    module: &mut Module,
    machine: &Machine,
    kernels: &[String],
) -> Result<(), Failure> {
    for function in module.functions() {
        if function.has_body() && !kernels.contains(&function.name()) {
            function.set_internal();
        }
    }
    // What is linked may declare more. Each round defines all that it was asked for.
    loop {
        take_other_forms(module, machine);
        let missing = missing(module);
        if missing.is_empty() {
            return Ok(());
        }
        for &at in &missing {
            link(module, at)?;
        }
    }
}

/// Functions with a faster form that errs more, by the beginnings of their mangled names. Others are as fast as they
/// can be, or the code generator finds the faster form itself, as of a division.
const LOOSER: &[(&str, &str)] = &[("_Z5rsqrt", "_Z16__vicinity_rsqrt")];

/// Functions of halves that have another form where the machine computes with these: names, and what is behind `__vicinity_half_`.
const NATIVE: &[(&str, &str)] = &[
    ("fma", "fma"),
    ("mad", "fma"),
    ("fmax", "max"),
    ("max", "max"),
    ("fmin", "min"),
    ("min", "min"),
    ("clamp", "clamp"),
    ("sqrt", "sqrt"),
    ("ceil", "ceil"),
    ("floor", "floor"),
    ("trunc", "trunc"),
    ("rint", "rint"),
];

/// Takes other forms of declared functions: the native ones of this machine, and faster ones where every call of a function
/// allows it (`-cl-fast-relaxed-math`).
fn take_other_forms(module: &Module, machine: &Machine) {
    let is_native = machine.has("avx512fp16");
    for function in module.functions().into_iter().filter(|function| !function.has_body()) {
        let name = function.name();
        let is_loose = || function.0.users().into_iter().all(|call| call.allows_estimates());
        let looser = looser_form(&name).filter(|_| is_loose());
        let native = || if is_native { native_form(&name) } else { None };
        if let Some(other) = looser.or_else(native) {
            rename(module, function, &other);
        }
    }
}

fn looser_form(mangled: &str) -> Option<String> {
    let of_doubles = mangled.ends_with('d');
    let form = |&(exact, looser): &(&str, &str)| {
        mangled.strip_prefix(exact).map(|types| format!("{looser}{types}"))
    };
    LOOSER.iter().find_map(form).filter(|_| !of_doubles)
}

fn native_form(mangled: &str) -> Option<String> {
    NATIVE.iter().find_map(|(name, native)| {
        let types = mangled.strip_prefix(&format!("_Z{}{name}", name.len()))?;
        let of_halves = types.starts_with("Dh") || types.starts_with("Dv") && types.contains("_Dh");
        let native = format!("__vicinity_half_{native}");
        let native = format!("_Z{}{native}{types}", native.len());
        (of_halves && archive::find(&native).is_some()).then_some(native)
    })
}

/// Calls of a function become calls of another one.
fn rename(module: &Module, function: Function, to: &str) {
    match module.function(to) {
        Some(known) => function.0.replace_uses(known.0),
        None => function.0.set_name(to),
    }
}

/// The modules that define what `module` only declares.
fn missing(module: &Module) -> Vec<ModuleAt> {
    let mut modules = Vec::new();
    for function in module.functions() {
        if function.has_body() || function.is_intrinsic() || late::is_late(&function.name()) {
            continue;
        }
        if let Some(at) = archive::find(&function.name())
            && !modules.contains(&at)
        {
            modules.push(at);
        }
    }
    modules
}

/// Links what is missing of one module.
fn link(module: &mut Module, at: ModuleAt) -> Result<(), Failure> {
    let broken = || Failure::Internal("error: the builtin library is damaged".to_string());
    let other = Module::from_bitcode_lazily(module.context(), at.bitcode()).ok_or_else(broken)?;
    for function in other.functions() {
        if function.is_external() && function.has_body() {
            function.set_optional();
        }
    }
    if module.link(other) { Ok(()) } else { Err(broken()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_halves_have_native_forms_where_the_library_has_them() {
        let form = |name: &str| native_form(name).unwrap_or_default();
        assert_eq!(form("_Z3fmaDhDhDh"), "_Z19__vicinity_half_fmaDhDhDh");
        assert_eq!(form("_Z3madDv4_DhS_S_"), "_Z19__vicinity_half_fmaDv4_DhS_S_");
        assert_eq!(form("_Z4fmaxDv3_DhS_"), "_Z19__vicinity_half_maxDv3_DhS_");
        // A vector and a number are spread by the library; others are no halves.
        for other in ["_Z4fmaxDv4_DhDh", "_Z3fmafff", "_Z3maxDv4_fS_", "_Z3maxDv2_jS_", "_Z3expDh"]
        {
            assert_eq!(form(other), "", "{other}");
        }
    }
}
