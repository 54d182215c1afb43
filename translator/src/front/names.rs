//! Names of the program's own functions and variables, apart from all other names in a module.
//!
//! A program may call its functions, kernels and variables what it likes: `sinf`, `memcpy`, what LLVM takes for a function of
//! the C library, what the builtin library calls its own. So each gets a prefix that no C identifier has, before
//! anything is linked to it; everything later goes by the new names, and what people read by [`in_source`].

use crate::front::vector_math;
use crate::llvm::{Function, Module};

const PREFIX: &str = "program.";

/// Functions of the C library that LLVM makes calls of.
pub const OF_C: &[&str] = &["memcpy", "memset", "memmove"];

/// The name that the kernel, function or variable `name` has in a module.
pub fn own(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// Names all that the program defines, and what it declares otherwise than the C library defines it.
pub fn set_apart(module: &Module) {
    for function in module.functions().into_iter().filter(|function| !function.is_intrinsic()) {
        if function.has_body() || is_declared_otherwise(function) {
            function.0.set_name(&own(&function.name()));
        }
    }
    for global in module.globals() {
        let name = global.name();
        if global.initializer().is_some() && !name.starts_with("llvm.") {
            global.set_name(&own(&name));
        }
    }
}

fn is_declared_otherwise(function: Function) -> bool {
    let name = function.name();
    let has_type = vector_math::has_type_of_libm(function) || function.return_type().is_pointer();
    (vector_math::is_in_libm(&name) || OF_C.contains(&name.as_str())) && !has_type
}

/// The name without what [`own`] adds.
pub fn bare(name: &str) -> &str {
    name.strip_prefix(PREFIX).unwrap_or(name)
}

/// What a function or variable of a module is called in the source: `foo` for `program._Z3fooi`.
pub fn in_source(name: &str) -> &str {
    let name = bare(name);
    let Some(rest) = name.strip_prefix("_Z") else { return name };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let length: usize = rest[..digits].parse().unwrap_or(0);
    rest.get(digits..digits + length).filter(|plain| !plain.is_empty()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::in_source;

    #[test]
    fn names_are_those_of_the_source() {
        for (name, plain) in [
            ("_Z3fooi", "foo"),
            ("program._Z3fooi", "foo"),
            ("program.bar", "bar"),
            ("bar", "bar"),
            ("_Z99x", "_Z99x"),
            ("_Z", "_Z"),
            ("_Zx", "_Zx"),
        ] {
            assert_eq!(in_source(name), plain);
        }
    }
}
