//! Every builtin function that clang's header declares is in the library, or the translator's own.

use std::process::Command;

use vicinity_translator::front::library::BARRIERS;
use vicinity_translator::front::{archive, clang};
use vicinity_translator::group::ids;
use vicinity_translator::kernel::sub_groups::Exchange;

/// In names of functions that a device need not have: images of several samples, pipes, kernels that enqueue kernels.
const LEFT_OUT: &[&str] =
    &["msaa", "pipe", "reserve", "ndrange", "clkevent", "user_event", "queue"];

#[test]
fn the_library_has_every_builtin() {
    for standard in ["CL1.2", "CL2.0", "CL3.0"] {
        let declared = declared(standard);
        assert!(declared.len() > 8000, "{standard}: {}", declared.len());
        let missing: Vec<&String> = declared
            .iter()
            .filter(|name| {
                archive::find(name).is_none()
                    && ids::Id::of(name).is_none()
                    && !BARRIERS.contains(&name.as_str())
                    && Exchange::of(name).is_none()
                    && !LEFT_OUT.iter().any(|part| name.contains(part))
            })
            .collect();
        assert!(missing.is_empty(), "{standard}: {missing:?}");
    }
}

/// The mangled names of what clang's header declares for the extensions that we offer.
fn declared(standard: &str) -> Vec<String> {
    let clang = |arguments: &[&str]| {
        let output = Command::new("clang-19")
            .args(["-x", "cl", "-target", "spir64", "-cl-no-stdinc", "-Wno-everything"])
            .args(clang::language(standard))
            .args(arguments)
            .output()
            .expect("clang-19 is installed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("clang writes text")
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let include = folder.path().join("include.cl");
    std::fs::write(&include, "#include <opencl-c.h>\n").expect("it can be written");
    // Pragmas switch extensions on that are not there.
    let header = clang(&["-E", "-P", &include.to_string_lossy()]);
    // A declaration becomes a definition, for which clang writes the mangled name. Types with two names are
    // declared twice; one definition is enough.
    let twice = |one: &str| {
        ["atomic_uintptr_t *, uintptr_t", "atomic_intptr_t *, intptr_t"]
            .iter()
            .any(|two| one.contains(two))
    };
    let mut definitions = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n".to_string();
    let lines: Vec<&str> = header.lines().filter(|line| !line.starts_with('#')).collect();
    for statement in lines.join("\n").split_inclusive(';') {
        let one = statement.split_whitespace().collect::<Vec<_>>().join(" ");
        if !one.contains("overloadable") || !one.ends_with(");") || one.starts_with("typedef") {
            definitions += statement;
        } else if !twice(&one) {
            definitions +=
                &format!("{} {{ __builtin_unreachable(); }}\n", one.trim_end_matches(';'));
        }
    }
    let source = folder.path().join("definitions.cl");
    std::fs::write(&source, definitions).expect("it can be written");
    let assembly = clang(&["-S", "-emit-llvm", "-o", "-", &source.to_string_lossy()]);
    let names = assembly.lines().filter(|line| line.starts_with("define")).filter_map(|line| {
        let name = &line[line.find('@')? + 1..];
        Some(name[..name.find('(')?].to_string())
    });
    names.collect()
}
