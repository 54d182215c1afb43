//! Machine code: LLVM's optimizations, an object file, and a shared object that the driver can load.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::code::{shared, tables};
use crate::llvm::{Context, Function, Machine, Module, Value, run_passes};
use crate::pipeline::write;
use crate::program::failure::Failure;
use crate::program::options::Optimize;
use crate::program::patience::Effort;
use crate::program::tools;

/// Libraries of the C library that machine code may call: vector mathematics and mathematics.
const LIBRARIES: &[&str] = &["-l:libmvec.so.1", "-l:libm.so.6"];

/// Lets `scalarizer` take loads and stores apart too; no second code for the case that a stride which is not known should
/// happen to be one, beside which the first is not vectorized. Branches around a few operations become choices, of six operations
/// rather than four: lanes part at a branch, and an index that was chosen still has a stride.
pub const OPTIONS: &[&str] = &[
    "-scalarize-load-store",
    "-enable-mem-access-versioning=false",
    // `hazards::MOST_PARTS`.
    "-max-interleave-group-factor=8",
    "-two-entry-phi-node-folding-threshold=6",
];

/// Runs LLVM's pipeline over work-group functions. Vectors of the program are taken apart first in those called `apart`:
/// loops over items are vectorized only where no value is a vector yet, and then use the whole width of the machine.
pub fn optimize(
    module: &Module,
    machine: &Machine,
    how: Optimize,
    effort: Effort,
    apart: &[String],
) -> Result<(), Failure> {
    let pipeline = match how {
        _ if effort < Effort::Full => "function(sroa,early-cse,simplifycfg)",
        Optimize::Yes => {
            tables::make(module);
            take_apart(module, machine, apart)?;
            "default<O3>"
        }
        Optimize::No => "default<O1>",
    };
    run_passes(module, machine, pipeline).map_err(Failure::Internal)?;
    let functions = module.functions().into_iter().filter(|function| function.has_body());
    functions.for_each(|function| function.remove_attribute(module.context(), UNWIDENED));
    Ok(())
}

/// What makes LLVM's vectorizers leave a function alone. It would keep vectors out of machine code too, so it goes before.
const UNWIDENED: &str = "noimplicitfloat";

/// Keeps LLVM's vectorizers from a function that is vectors already.
pub fn spare_vectorizers(context: Context, function: Function) {
    function.add_attribute(context, UNWIDENED);
}

/// What makes passes leave a function alone.
const UNTOUCHED: [&str; 2] = ["noinline", "optnone"];

/// Takes the program's vectors apart in the functions with these names.
fn take_apart(module: &Module, machine: &Machine, names: &[String]) -> Result<(), Failure> {
    let mut others = module.functions();
    // A kernel's versions have its name and one more behind it.
    let is_named = |function: &Function| {
        let name = function.name();
        names.iter().any(|kernel| {
            name.strip_prefix(kernel).is_some_and(|it| it.is_empty() || it.starts_with('.'))
        })
    };
    others.retain(|function| function.has_body() && !is_named(function));
    let each = others.iter().flat_map(|function| UNTOUCHED.map(|name| (function, name)));
    let added: Vec<_> = each.filter(|(function, name)| !function.has_attribute(name)).collect();
    let context = module.context();
    added.iter().for_each(|(function, name)| function.add_attribute(context, name));
    run_passes(module, machine, "function(scalarizer)").map_err(Failure::Internal)?;
    added.iter().for_each(|(function, name)| function.remove_attribute(context, name));
    Ok(())
}

/// Generates machine code, as an object file. The source's lines, which served the remarks, are left out.
pub fn object(module: &Module, machine: &Machine) -> Result<Vec<u8>, Failure> {
    module.strip_debug_information();
    align_spills(module);
    machine.emit_object(module).map_err(Failure::Internal)
}

/// What makes a function begin by aligning its part of the stack.
const ALIGNED: &str = "stackrealign";

/// Lets vectors that registers do not hold lie at multiples of their size: at others, half of those of 256 bits and all of 512 bits
/// would lie across two lines of the cache. LLVM decides about the alignment before it knows whether there will be any.
fn align_spills(module: &Module) {
    for function in module.functions().into_iter().filter(|function| function.has_body()) {
        let is_vector = |value: Value| value.ty().is_vector();
        if function.instructions().any(is_vector) {
            function.set_text_attribute(module.context(), ALIGNED, "");
        }
    }
}

/// Makes a shared object of objects; a linker is asked once in a process.
pub fn link(objects: &[Vec<u8>], path: &Path) -> Result<(), Failure> {
    link_by(tools::link, objects, path)
}

/// The same; a linker is another process, which is asked as often as one likes.
pub fn link_apart(objects: &[Vec<u8>], path: &Path) -> Result<(), Failure> {
    link_by(tools::link_apart, objects, path)
}

fn link_by(
    linker: fn(Vec<OsString>) -> Result<(), Failure>,
    objects: &[Vec<u8>],
    path: &Path,
) -> Result<(), Failure> {
    if let Some(bytes) = shared::make(objects) {
        return write(path, &bytes);
    }
    let name = |number: usize| path.with_extension(format!("{number}.o"));
    let names: Vec<PathBuf> = (0..objects.len()).map(name).collect();
    for (name, object) in names.iter().zip(objects) {
        write(name, object)?;
    }
    linker(words_for_linker(&names, path))?;
    names.iter().for_each(|name| _ = fs::remove_file(name));
    Ok(())
}

fn words_for_linker(objects: &[PathBuf], shared: &Path) -> Vec<OsString> {
    let flags = ["-shared", "-z", "now", "-z", "noexecstack", "--hash-style=gnu", "-o"];
    let mut words: Vec<OsString> = flags.map(OsString::from).to_vec();
    words.push(shared.into());
    words.extend(objects.iter().map(OsString::from));
    words.extend(["--as-needed"].iter().chain(LIBRARIES).map(OsString::from));
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::configure;

    #[test]
    fn what_is_taken_apart_leaves_the_attributes_of_others() {
        const TEXT: &str = "\
            define void @k() { ret void }\n\
            define internal void @stays() noinline { ret void }\n\
            define internal void @may_go() { ret void }\n";
        configure(OPTIONS);
        let context = Context::new();
        let module = Module::from_text(context, TEXT).expect("assembly");
        let machine = Machine::host(Effort::Full).expect("a processor");
        take_apart(&module, &machine, &["k".to_string()]).expect("it can be done");
        let has = |name: &str, attribute: &str| {
            module.function(name).expect("it is there").has_attribute(attribute)
        };
        assert!(has("stays", "noinline") && !has("stays", "optnone"));
        assert!(!has("may_go", "noinline") && !has("may_go", "optnone"));
    }
}
