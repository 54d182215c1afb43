//! Which functions of the C library a kernel may call, and their vector forms.
//!
//! Each call of such a function is told the names of its forms in libmvec, one for each width of register, by the attribute
//! `vector-function-abi-variant`; LLVM's loop vectorizer then widens a loop of calls into calls of such a form. The names
//! are those of the vector function ABI of x86-64: `_ZGV`, the instruction set (`b` SSE, `d` AVX2, `e` AVX-512), `N` for no
//! mask, the number of elements, a `v` for each argument, and the scalar name. LLVM drops what nothing calls, so the forms
//! are declared as used.
//!
//! A form is used only where its error stays within the bounds of OpenCL C 3.0, section 7.4, on all numbers it can meet,
//! infinities and NaN included: tests/math measures that. The float forms of log and exp10 do not: 3.6 and 3.7 units
//! where 3 are allowed; nor those of cbrt for 4 and 8 numbers: 2.8 units where 2 are (the library computes them itself,
//! `library/math/exponential.cl` and `powers.cl`).
//!
//! Sources: "Vector Function Application Binary Interface" (x86-64, version 0.9.6); LLVM's language reference.

use std::collections::HashMap;

use crate::code::late;
use crate::llvm::{Function, Machine, Module, Type, Value};

/// A function of the C library: its name for double, how many arguments, and whether the forms of libmvec for float and
/// double serve.
struct Known {
    name: &'static str,
    arguments: usize,
    float: bool,
    double: bool,
}

const fn vector(name: &'static str, arguments: usize) -> Known {
    Known { name, arguments, float: true, double: true }
}

const fn only_double(name: &'static str) -> Known {
    Known { name, arguments: 1, float: false, double: true }
}

const fn scalar(name: &'static str) -> Known {
    Known { name, arguments: 0, float: false, double: false }
}

const FUNCTIONS: &[Known] = &[
    vector("acos", 1),
    vector("acosh", 1),
    vector("asin", 1),
    vector("asinh", 1),
    vector("atan", 1),
    vector("atan2", 2),
    vector("atanh", 1),
    only_double("cbrt"),
    vector("cos", 1),
    vector("cosh", 1),
    vector("erf", 1),
    vector("erfc", 1),
    vector("exp", 1),
    only_double("exp10"),
    vector("exp2", 1),
    vector("expm1", 1),
    scalar("fmod"),
    vector("hypot", 2),
    scalar("lgamma_r"),
    only_double("log"),
    vector("log10", 1),
    vector("log1p", 1),
    vector("log2", 1),
    vector("pow", 2),
    scalar("remainder"),
    vector("sin", 1),
    vector("sinh", 1),
    vector("tan", 1),
    vector("tanh", 1),
    scalar("tgamma"),
];

/// The function of that name, and whether it is its form for float.
fn known(name: &str) -> Option<(&'static Known, bool)> {
    let float = |known: &&Known| match known.name.strip_suffix("_r") {
        Some(base) => name.strip_prefix(base) == Some("f_r"),
        None => name.strip_prefix(known.name) == Some("f"),
    };
    if let Some(known) = FUNCTIONS.iter().find(|known| known.name == name) {
        return Some((known, false));
    }
    FUNCTIONS.iter().find(float).map(|known| (known, true))
}

/// Whether `name` is found in the C library when a program is loaded.
pub fn is_in_libm(name: &str) -> bool {
    known(name).is_some()
}

/// Whether a function with such a name takes and gives what that of the C library does.
pub fn has_type_of_libm(function: Function) -> bool {
    let Some((_, float)) = known(&function.name()) else { return false };
    let bits = if float { 32 } else { 64 };
    let is_number = |ty: Type| ty.float_bits() == bits;
    let mut parameters = function.parameters().into_iter().map(Value::ty);
    is_number(function.return_type()) && parameters.all(|ty| is_number(ty) || ty.is_pointer())
}

/// Tells every call of libm and of late functions in `module` what vector forms its function has.
pub fn annotate(module: &Module, machine: &Machine) {
    let mut forms: HashMap<Function, String> = HashMap::new();
    let mut declared = Vec::new();
    for function in module.functions().into_iter().filter(|function| !function.has_body()) {
        let names = match known(&function.name()) {
            Some((known, float)) => names(known, float, machine),
            None => late_names(&function.name()),
        };
        if !names.is_empty() {
            declared
                .extend(names.iter().map(|(name, lanes)| declare(module, function, name, *lanes)));
            let text: Vec<String> =
                names.iter().map(|(name, _)| format!("{name}({name})")).collect();
            forms.insert(function, text.join(","));
        }
    }
    if declared.is_empty() {
        return;
    }
    module.keep(&declared);
    for function in module.functions() {
        for call in function.instructions() {
            if let Some(text) = call.called().and_then(|called| forms.get(&called)) {
                call.add_call_attribute(module.context(), "vector-function-abi-variant", text);
            }
        }
    }
}

/// The forms that this machine can run, narrowest first: names and numbers of elements.
fn names(known: &Known, float: bool, machine: &Machine) -> Vec<(String, u64)> {
    if !(if float { known.float } else { known.double }) {
        return Vec::new();
    }
    let suffix = if float { "f" } else { "" };
    let widest = machine.vector_bits();
    [('b', 128, true), ('d', 256, machine.has("avx2")), ('e', 512, machine.has("avx512f"))]
        .into_iter()
        .filter(|&(_, bits, can)| can && bits <= widest)
        .map(|(set, bits, _)| {
            let lanes = u64::from(bits) / if float { 32 } else { 64 };
            (form(set, lanes, known.arguments, &format!("{}{suffix}", known.name)), lanes)
        })
        .collect()
}

/// The forms of a function of [`late`], which any machine can run.
fn late_names(name: &str) -> Vec<(String, u64)> {
    let of_lanes = |&(lanes, _): &(u64, char)| Some((late::form(name, lanes)?, lanes));
    late::LANES.iter().filter_map(of_lanes).collect()
}

/// The name of the form of a function that takes vectors, as the vector function ABI has it.
pub fn form(set: char, lanes: u64, arguments: usize, name: &str) -> String {
    format!("_ZGV{set}N{lanes}{}_{name}", "v".repeat(arguments))
}

/// Declares a vector form of `scalar`, which like it touches no memory.
fn declare(module: &Module, scalar: Function, name: &str, lanes: u64) -> Value {
    let parameters: Vec<_> =
        scalar.parameters().iter().map(|parameter| parameter.ty().vector(lanes)).collect();
    let ty = scalar.return_type().vector(lanes).function(&parameters);
    let form = module.add_function(name, ty);
    for attribute in ["nounwind", "willreturn"] {
        form.add_attribute(module.context(), attribute);
    }
    form.0
}

#[cfg(test)]
mod tests {
    use super::{is_in_libm, known};

    #[test]
    fn functions_are_known_in_both_precisions_and_no_others() {
        for name in ["sin", "sinf", "exp10", "exp10f", "lgamma_r", "lgammaf_r", "erff", "fmodf"] {
            assert!(is_in_libm(name), "{name}");
        }
        for name in ["", "f", "si", "sinff", "lgamma_rf", "cbrtl", "printf"] {
            assert!(!is_in_libm(name), "{name}");
        }
        assert!(known("erff").is_some_and(|(known, float)| known.name == "erf" && float));
    }
}
