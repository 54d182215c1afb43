//! Everything into the kernels: calls are inlined, local variables get names in registers.
//!
//! After this pass a kernel is one function; what it still calls are LLVM's intrinsics, functions of the
//! C mathematics library, [`crate::ids`] and barriers. Recursion and functions that nobody defines end here.

use std::collections::{HashMap, HashSet};

use crate::failure::Failure;
use crate::ids;
use crate::llvm::{Function, Machine, Module, run_passes};
use crate::patience::{Effort, MOST_INSTRUCTIONS};
use crate::printf::PRINTF;
use crate::vector_math;

/// LLVM's passes before the analyses: registers in place of variables, and no code that cannot run. Short loops of known
/// length are written out, so that arrays which items index by their counters become registers too: those of up to 16
/// iterations, whose test runs once more.
const SIMPLIFY: &str = "always-inline,globaldce,function(sroa,early-cse,simplifycfg,\
    instcombine<no-verify-fixpoint>,simplifycfg,\
    loop-unroll<O3;full-unroll-max=17;no-partial;no-peeling;no-runtime;no-upperbound>,\
    sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,mergereturn)";

/// The same with less effort: the time that writing out loops takes grows with the square of their number.
const SIMPLIFY_LESS: &str = "always-inline,globaldce,function(sroa,early-cse,simplifycfg,\
                             instcombine<no-verify-fixpoint>,simplifycfg,mergereturn)";

/// Inlines and simplifies.
pub fn prepare(
    module: &Module,
    machine: &Machine,
    kernels: &[String],
    effort: Effort,
) -> Result<(), Failure> {
    if let Some(name) = recursive(module) {
        return Err(Failure::Program(format!(
            "error: function '{name}' calls itself, which OpenCL C does not allow\n"
        )));
    }
    let context = module.context();
    for function in module.functions().into_iter().filter(|function| function.has_body()) {
        if !kernels.contains(&function.name()) {
            function.set_internal();
        }
        function.add_attribute(context, "alwaysinline");
    }
    let passes = if effort < Effort::Full { SIMPLIFY_LESS } else { SIMPLIFY };
    run_passes(module, machine, passes).map_err(Failure::Internal)?;
    for name in kernels {
        let kernel = module.function(name).expect("kernels are not removed");
        ids::spell_out_dimensions(context, kernel);
    }
    refuse_unknown(module)
}

/// How many instructions each of `kernels` has when all that it calls is inlined, about. Too many are an error.
pub fn sizes(module: &Module, kernels: &[String]) -> Result<Vec<u64>, Failure> {
    if recursive(module).is_some() {
        return Ok(Vec::new()); // An error that is told of later.
    }
    let mut known: HashMap<Function, u64> = HashMap::new();
    let mut sizes = Vec::new();
    for name in kernels {
        let Some(kernel) = module.function(name) else { continue };
        // Every function behind those that it calls, without recursion of our own.
        let mut work = vec![kernel];
        while let Some(&function) = work.last() {
            let called: Vec<Function> = calls(function).collect();
            let unknown: HashSet<Function> =
                called.iter().copied().filter(|one| !known.contains_key(one)).collect();
            if unknown.is_empty() || known.contains_key(&function) {
                let own: usize = function.blocks().iter().map(|b| b.instructions().len()).sum();
                let inlined = called.iter().map(|one| known[one]);
                known.insert(function, inlined.fold(own as u64, u64::saturating_add));
                work.pop();
            }
            work.extend(unknown);
        }
        let size = known[&kernel];
        if size > MOST_INSTRUCTIONS {
            return Err(Failure::Program(format!(
                "error: kernel '{name}' is too large: with the functions that it calls it has {size} instructions, \
                 and at most {MOST_INSTRUCTIONS} are translated\n"
            )));
        }
        sizes.push(size);
    }
    Ok(sizes)
}

/// The functions with bodies that `function` calls, each as often as it does.
fn calls(function: Function) -> impl Iterator<Item = Function> {
    let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
    instructions.filter_map(|call| call.called()).filter(|called| called.has_body())
}

/// A function from which calls lead back to it.
fn recursive(module: &Module) -> Option<String> {
    let mut done: HashMap<Function, bool> = HashMap::new();
    // Depth first, without recursion of our own: (function, its callees, how many of them are done).
    for root in module.functions().into_iter().filter(|function| function.has_body()) {
        if done.contains_key(&root) {
            continue;
        }
        let mut path = vec![(root, callees(root), 0)];
        done.insert(root, false);
        while let Some((function, called, at)) = path.last_mut() {
            let Some(&next) = called.get(*at) else {
                done.insert(*function, true);
                path.pop();
                continue;
            };
            *at += 1;
            match done.get(&next) {
                Some(true) => {}
                Some(false) => return Some(next.name()),
                None => {
                    done.insert(next, false);
                    path.push((next, callees(next), 0));
                }
            }
        }
    }
    None
}

/// The functions with bodies that `function` calls, each once.
fn callees(function: Function) -> Vec<Function> {
    let mut seen = HashSet::new();
    calls(function).filter(|&called| seen.insert(called)).collect()
}

/// Functions that may be left: those of the C library are found when the program is loaded, calls of the other are
/// lowered later.
const EXTERNAL: &[&str] = &["memcpy", "memset", "memmove", PRINTF];

fn refuse_unknown(module: &Module) -> Result<(), Failure> {
    let mut unknown = Vec::new();
    for function in module.functions() {
        let name = function.name();
        let known = function.has_body()
            || function.is_intrinsic()
            || !function.0.is_used()
            || ids::Id::of(&name).is_some()
            || vector_math::is_in_libm(&name)
            || crate::library::BARRIERS.contains(&name.as_str())
            || EXTERNAL.contains(&name.as_str());
        if !known {
            unknown.push(format!("error: function '{}' is not defined\n", plain_name(&name)));
        }
    }
    for global in module.globals() {
        if global.initializer().is_none() && global.is_used() {
            unknown.push(format!("error: variable '{}' is not defined\n", global.name()));
        }
    }
    if unknown.is_empty() { Ok(()) } else { Err(Failure::Program(unknown.concat())) }
}

/// `foo` of `_Z3fooi`.
fn plain_name(mangled: &str) -> &str {
    let Some(rest) = mangled.strip_prefix("_Z") else { return mangled };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let length: usize = rest[..digits].parse().unwrap_or(0);
    rest.get(digits..digits + length).filter(|name| !name.is_empty()).unwrap_or(mangled)
}

#[cfg(test)]
mod tests {
    use super::plain_name;

    #[test]
    fn names_are_those_of_the_source() {
        for (mangled, plain) in
            [("_Z3fooi", "foo"), ("bar", "bar"), ("_Z99x", "_Z99x"), ("_Z", "_Z"), ("_Zx", "_Zx")]
        {
            assert_eq!(plain_name(mangled), plain);
        }
    }
}
