//! The first example of docs/c-api.md compiles without a warning as C and as C++, and runs.

use std::path::Path;
use std::process::Command;

#[test]
fn the_first_example_is_c_and_cpp() {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests folder has a parent");
    let page = std::fs::read_to_string(root.join("docs/c-api.md")).expect("the page");
    let code = page.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).expect("code");
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let library = scratch.parent().expect("target").join("dist/lib");
    assert!(library.join("libvicinity.so").exists(), "{}: run `make` first", library.display());
    for (compiler, standard, ending) in [("gcc", "c99", "c"), ("g++", "c++17", "cc")] {
        let source = scratch.join("example-first").with_extension(ending);
        let program = scratch.join(format!("example-first-{ending}"));
        std::fs::write(&source, code).expect("a source file");
        let built = Command::new(compiler)
            .args([&format!("-std={standard}"), "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"])
            .arg(root.join("capi/include"))
            .arg("-o")
            .args([&program, &source])
            .arg("-L")
            .arg(&library)
            .arg("-lvicinity")
            .output();
        let built = built.expect("the compiler starts");
        assert!(built.status.success(), "{compiler}: {}", String::from_utf8_lossy(&built.stderr));
        let ran = Command::new(&program).env("LD_LIBRARY_PATH", &library).status();
        assert_eq!(ran.expect("it starts").code(), Some(0), "{compiler}");
    }
}
