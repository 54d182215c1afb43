//! The first example of docs/c-api.md compiles without a warning as C and as C++, and runs; so does that of docs/tutorial.md.

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

/// The tutorial's program on a machine that is pretended: in one allocation all data are at one location, and tasks are dealt
/// nowhere else; in allocations of their own every location gets some.
#[test]
fn the_example_of_the_tutorial_has_the_problem_and_its_mend() {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests folder has a parent");
    let dist = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("target").join("dist");
    let place = format!("VICINITY={}", dist.display());
    let made =
        Command::new("make").arg("-C").arg(root.join("examples")).args(["-B", &place]).status();
    assert!(made.expect("make starts").success());
    let busy_locations = |how: &str| {
        let output = Command::new(root.join("examples/placement"))
            .arg(how)
            .env("HWLOC_SYNTHETIC", "numa:4 l3:1(size=512KB) core:2 pu:1")
            .env("OMP_NUM_THREADS", "8")
            .env("OMP_DATA_DISTRIBUTION", "coarse")
            .env("VICINITY_VERBOSE", "1")
            .env("LD_LIBRARY_PATH", dist.join("lib/omp"))
            .output()
            .expect("it starts");
        assert!(output.status.success());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let table = said.split("queued from here").nth(1).expect("a table");
        let rows = table.lines().skip(1).take(4).map(|line| {
            let numbers = line.split_whitespace().skip(2).take(2);
            numbers.map(|number| number.parse::<u32>().expect("a number of tasks")).sum::<u32>()
        });
        rows.filter(|&queued| queued > 0).count()
    };
    assert_eq!(busy_locations("together"), 1);
    assert_eq!(busy_locations("apart"), 4);
}
