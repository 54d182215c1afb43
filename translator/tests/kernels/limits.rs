//! What is too large, too long or too deep for a translation, and what the log says of it.

use vicinity_translator::report::describe::Less;

use crate::program::{Argument, Range, bytes, run_command, text, translate};

/// What the log of a build says when the program is started by itself, with this environment.
fn log_of_program(source: &str, environment: &[(&str, &str)]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("a.cl");
    std::fs::write(&file, source).expect("a source");
    let program = env!("CARGO_BIN_EXE_vicinity-translate");
    let output = std::process::Command::new(program)
        .args(["build", "--output-dir"])
        .arg(folder.path())
        .arg(&file)
        .envs(environment.iter().copied())
        .output()
        .expect("the program starts");
    let log = std::fs::read_to_string(folder.path().join("log")).expect("there is always a log");
    (output.status.code(), log)
}

#[test]
fn a_compiler_that_fails_is_a_failed_build() {
    let source = "kernel void k() {}";
    let (status, log) = log_of_program(source, &[("VICINITY_CLANG", "/absent/clang")]);
    assert!(status == Some(3) && log.contains("apt-get install clang-19"), "{log}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let crashing = folder.path().join("clang");
    std::fs::write(&crashing, "#!/bin/sh\nkill -SEGV $$\n").expect("a script");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&crashing, executable).expect("its mode can be set");
    let (status, log) = log_of_program(source, &[("VICINITY_CLANG", &text(&crashing))]);
    assert!(status == Some(1) && log.contains("the compiler crashed"), "{log}");
}

#[test]
fn a_quick_translation_is_right_too() {
    let source = "kernel void k(global int *x) { x[get_global_id(0)] = 1; }";
    let (status, log) = log_of_program(source, &[("VICINITY_EFFORT", "less")]);
    let note = "note: kernel 'k' takes long to translate: it is less optimized\n";
    assert!(status == Some(0) && log == note, "{log}");
    // No time at all for full effort, a minute for less.
    let (status, log) = log_of_program(source, &[("VICINITY_PATIENCE", "0,60000")]);
    assert!(status == Some(0) && log == note, "{log}");
}

/// A loop over items that LLVM unrolls may share its branch with a loop of the program around it, which is not to be unrolled.
#[test]
fn loops_of_the_program_are_not_unrolled_with_those_over_items() {
    let source = "kernel void k(global uint *x) {
        uint sum = get_global_id(0);
        for (uint i = 0; i < 5000; i++) sum = sum * 1664525 + (sum >> 16);
        x[get_global_id(0)] = sum;
    }";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [file, work, special] = ["a.cl", "work", "special"].map(|name| folder.path().join(name));
    std::fs::write(&file, source).expect("a source");
    run_command(&["build", "--output-dir", &text(&work), &text(&file)]).expect("a program");
    let program = text(&work.join("program.bc"));
    let size = ["--kernel", "k", "--local-size", "64,1,1", &program];
    run_command(&[&["specialize", "--output-dir", &text(&special)], &size[..]].concat())
        .expect("code for one local size");
    for made in [work, special] {
        let bytes = std::fs::metadata(made.join("program.so")).expect("code").len();
        assert!(bytes < 40_000, "{bytes} bytes");
    }
}

/// On a busy machine everything takes long; what is kept for later runs is as good as ever.
#[test]
fn what_is_kept_has_all_the_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [source, work, file] = ["a.cl", "work", "kept"].map(|name| folder.path().join(name));
    std::fs::write(&source, "kernel void k(global int *x) { x[get_global_id(0)] = 1; }")
        .expect("a source");
    let run = |words: &[&str]| {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_vicinity-translate"));
        program.env("VICINITY_PATIENCE", "0,0").args(words).status().expect("it starts")
    };
    run_command(&["build", "--output-dir", &text(&work), &text(&source)]).expect("a program");
    std::fs::write(work.join("image"), "head").expect("a head");
    let special =
        ["specialize", "--output-dir", &text(&work), "--kernel", "k", "--local-size", "8,1,1"];
    let program = text(&work.join("program.bc"));
    assert!(run(&[&special[..], &["--keep", &text(&file), &program]].concat()).success());
    let kept = std::fs::read(&file).expect("it is kept");
    let kept = String::from_utf8_lossy(&kept).replace(' ', "");
    assert!(kept.starts_with("head") && !work.exists());
    assert!(
        kept.contains("specialized_size") && kept.contains("\"less_optimized\":null"),
        "{kept}"
    );
}

/// A compiler that gets no processor for a while, as on a machine that is very busy, is waited for; one that computes without end is
/// stopped.
#[test]
fn the_compiler_s_limit_is_time_on_processors() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let clang = folder.path().join("clang");
    let with = |script: &str| {
        std::fs::write(&clang, script).expect("a script");
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&clang, executable).expect("its mode can be set");
        let limits = ("VICINITY_PATIENCE", "60000,60000,1000");
        log_of_program("kernel void k() {}", &[("VICINITY_CLANG", &text(&clang)), limits])
    };
    let (status, log) = with("#!/bin/sh\nsleep 2\nexec clang-19 \"$@\"\n");
    assert!(status == Some(0) && log.is_empty(), "{log}");
    let (status, log) = with("#!/bin/sh\nwhile :; do :; done\n");
    assert!(
        status == Some(1) && log.contains("more than 1 seconds of a processor's time"),
        "{log}"
    );
}

/// What a program that was made in a hurry is made from is in its entry: then it is made with full effort, and keeps its log.
#[test]
fn a_program_is_made_again_with_full_effort() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [source, work, file] = ["a.cl", "work", "kept"].map(|name| folder.path().join(name));
    std::fs::write(
        &source,
        "#warning told\nkernel void k(global int *x) { x[get_global_id(0)] = 1; }",
    )
    .expect("a source");
    let run = |words: &[&str]| {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_vicinity-translate"));
        program.env("VICINITY_PATIENCE", "0,60000").args(words).status().expect("it starts")
    };
    assert!(run(&["build", "--output-dir", &text(&work), &text(&source)]).success());
    let log = std::fs::read_to_string(work.join("log")).expect("a log");
    assert!(log.contains("told") && log.contains("less optimized"), "{log}");
    for (name, content) in [("image", "head".as_bytes()), ("said", log.as_bytes())] {
        std::fs::write(work.join(name), content).expect("a file");
    }
    let program = text(&work.join("program.bc"));
    assert!(
        run(&["link", "--output-dir", &text(&work), "--keep", &text(&file), &program]).success()
    );
    let kept = std::fs::read(&file).expect("it is kept");
    let kept = String::from_utf8_lossy(&kept);
    assert!(kept.starts_with("head") && kept.contains("told") && !work.exists());
    assert!(
        !kept.contains("less optimized") && kept.contains("\"less_optimized\": null"),
        "{kept}"
    );
}

/// The compiler says what it read, the environment adds nothing, and what nobody can know is said to be unknown.
#[test]
fn a_build_says_what_it_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = |name: &str| folder.path().join(name);
    for name in ["inc", "env"] {
        std::fs::create_dir(place(name)).expect("a folder");
        std::fs::write(place(name).join("v.h"), "#define V 1\n").expect("a header");
    }
    let [source, work] = ["work/program.cl", "work"].map(place);
    let reads = |code: &str| {
        std::fs::create_dir_all(&work).expect("a folder");
        std::fs::write(&source, code).expect("a source");
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_vicinity-translate"));
        program.args(["build", "--output-dir", &text(&work), &text(&source), "--", "-I"]);
        program.arg(place("inc")).env("CPATH", place("env"));
        assert!(program.status().expect("it starts").success());
        std::fs::read_to_string(work.join("reads")).expect("what it read").replace('\0', "\n")
    };
    let body = "kernel void k(global int *o) { o[0] = V; }";
    let v = format!("+{}\n-/usr/local/include/v.h\n", text(&place("inc/v.h")));
    for include in [
        "/* c */ #include \"v.h\"\n",
        "#\\\ninclude <v.h>\n",
        "%:import \"v.h\"\n",
        "#define N <v.h>\n#include N\n",
    ] {
        assert_eq!(reads(&format!("{include}{body}")), v, "{include}");
    }
    assert_eq!(reads(&format!("#define V 1\n{body}")), "");
    let maybe = "#if !__has_include(\"absent.h\")\n#define V 1\n#endif\n";
    assert_eq!(reads(&format!("{maybe}{body}")), "?\n");
}

/// Headers that it is given are known to whoever gives them; what they include in turn is not.
#[test]
fn a_compilation_does_not_say_that_it_read_what_it_was_given() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = |name: &str| folder.path().join(name);
    std::fs::create_dir(place("inc")).expect("a folder");
    for (name, code) in [
        ("inc/v.h", "#define V 1\n"),
        ("given", "#include <v.h>\n"),
        ("a.cl", "#include \"sub/w.h\"\nkernel void k(global int *o) { o[0] = V; }"),
    ] {
        std::fs::write(place(name), code).expect("a file");
    }
    let compiled = |headers: &[&str]| {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_vicinity-translate"));
        program.args(["compile", "--output-dir", &text(&place("work"))]);
        for name in headers {
            program.arg("--header").arg(format!("{name}={}", text(&place("given"))));
        }
        program.arg(place("a.cl")).args(["--", "-I"]).arg(place("inc"));
        assert!(program.status().expect("it starts").success());
        std::fs::read_to_string(place("work/reads")).expect("what it read").replace('\0', "\n")
    };
    let has = |reads: &str, path: &str| reads.contains(&format!("+{}\n", text(&place(path))));
    let said = compiled(&["sub/w.h"]);
    assert!(has(&said, "a.cl") && has(&said, "inc/v.h") && !said.contains("w.h"), "{said}");
    std::fs::write(place("given"), "#define V 2\n").expect("a header");
    let said = compiled(&["sub/w.h", "v.h"]);
    assert!(has(&said, "a.cl") && !said.contains(".h\n"), "{said}");
}

#[test]
fn an_enormous_source_is_no_trouble() {
    let comment = format!("// {}\n", "x".repeat(97));
    let source = format!("{}kernel void k(global int *x) {{ x[0] = 1; }}", comment.repeat(100_000));
    let (status, log) = log_of_program(&source, &[]);
    assert!(status == Some(0) && log.is_empty(), "{log}");
}

/// What runs out of time altogether is an error, and what the compiler said before that is not lost.
#[test]
fn a_translation_without_any_time_is_given_up() {
    let body: String = (0..300).map(|n| format!("x = pow(x, {n}.5f) + erf(x);\n")).collect();
    let source = format!(
        "#warning told\nkernel void k(global float *o) {{ float x = o[0];\n{body}o[0] = x; }}"
    );
    let (status, log) = log_of_program(&source, &[("VICINITY_PATIENCE", "60000,0")]);
    assert!(status == Some(1) && log.contains("given up after a minute"), "{log}");
    assert!(log.contains("a.cl:1:2: warning: told"), "{log}");
}

/// Asks for a size along a dimension that is not known, which is 1: only a kernel's own code can be told.
const SIZE: &str = "(int)get_global_size(1 + ((uint)x >> 31))";

/// Functions up to `f{last}`, each of which calls the one before it twice: 2^`last` calls when all are inlined, as they
/// must be where the first one asks for [`SIZE`].
fn doubling_functions(last: u32, first: &str) -> String {
    let mut source = format!("int f0(int x) {{ return x * 3 + {first}; }}\n");
    for n in 1..=last {
        let before = n - 1;
        source += &format!("int f{n}(int x) {{ return f{before}(x) ^ f{before}(x + {n}); }}\n");
    }
    source
}

#[test]
fn what_grows_without_bound_is_refused() {
    let mut source = doubling_functions(40, SIZE);
    source += "kernel void k(global int *o) { o[get_global_id(0)] = f40(o[0]); }";
    let log = translate(&source, "").err().expect("it is too large");
    assert!(log.contains("kernel 'k' is too large") && log.contains("at most 1000000"), "{log}");
}

/// A kernel that full effort would take long for is translated with less at once, and is right.
#[test]
fn large_kernels_are_translated_with_less_effort() {
    let mut source = doubling_functions(14, SIZE);
    source += "kernel void k(global int *o) { o[get_global_id(0)] = f14(get_global_id(0)); }";
    let program = translate(&source, "").unwrap_or_else(|log| panic!("{log}"));
    assert_eq!(program.description.kernels[0].less_optimized, Some(Less::Size));
    let mut out = [0_i32; 8];
    let range = Range::line(8, 4);
    program.run("k", range, &mut [Argument::Buffer(bytes(&mut out))]);
    let expected: Vec<i32> = (0..8).map(|x| doubling(14, x)).collect();
    assert_eq!(out, expected.as_slice());
}

fn doubling(n: i32, x: i32) -> i32 {
    match n {
        0 => x.wrapping_mul(3).wrapping_add(1),
        _ => doubling(n - 1, x) ^ doubling(n - 1, x.wrapping_add(n)),
    }
}

/// Of what is too much to inline, functions stay functions: then it is no longer too large, and is fully optimized.
#[test]
fn large_functions_stay_functions() {
    let source = doubling_functions(22, "1")
        + "kernel void k(global int *o) { int i = get_global_id(0); if (o[i] < 8) o[i] = f22(o[i]); }
           kernel void line(global int *o) { o[get_global_id(0)] = f3(o[get_global_id(0)]); }";
    let program = translate(&source, "").unwrap_or_else(|log| panic!("{log}"));
    let kernels = &program.description.kernels;
    assert_eq!((kernels[0].name.as_str(), kernels[0].less_optimized), ("k", None));
    assert!(kernels.iter().all(|kernel| !kernel.vectorized.is_empty()));
    let range = Range::line(4, 4);
    for (kernel, depth) in [("k", 22), ("line", 3)] {
        let mut numbers = [0_i32, 1, 2, 3];
        program.run(kernel, range, &mut [Argument::Buffer(bytes(&mut numbers))]);
        let expected: Vec<i32> = (0..4).map(|x| doubling(depth, x)).collect();
        assert_eq!(numbers, expected.as_slice(), "{kernel}");
    }
}

/// They are told which item calls them.
#[test]
fn large_functions_that_ask_for_their_item_stay_functions() {
    let first = "(get_local_id(0) + (int)get_global_size(1) == 1 + (x & 3)) * (int)get_group_id(0)";
    let source = doubling_functions(22, first)
        + "kernel void k(global int *o) { size_t i = get_global_id(0); if (o[i] < 8) o[i] = f22(o[i]); }";
    let program = translate(&source, "").unwrap_or_else(|log| panic!("{log}"));
    assert_eq!(program.description.kernels[0].less_optimized, None);
    let mut numbers = [0_i32, 1, 2, 3, 4, 5, 6, 7];
    program.run("k", Range::line(8, 4), &mut [Argument::Buffer(bytes(&mut numbers))]);
    fn expected(n: i32, x: i32, item: i32) -> i32 {
        match n {
            0 => x.wrapping_mul(3).wrapping_add(i32::from(item % 4 == x & 3) * (item / 4)),
            _ => expected(n - 1, x, item) ^ expected(n - 1, x.wrapping_add(n), item),
        }
    }
    let expected: Vec<i32> = (0..8).map(|item| expected(22, item, item)).collect();
    assert_eq!(numbers, expected.as_slice());
}

/// What has too much memory of its own leaves some of it to functions that it calls.
#[test]
fn large_functions_with_much_memory_stay_functions() {
    let mut source = String::new();
    for n in 0..40 {
        source += &format!(
            "int f{n}(int x) {{
                int a[1024];
                for (int i = 0; i < 1024; i++) a[i] = x + i * {n};
                return a[x & 1023];
            }}\n"
        );
    }
    let cases: Vec<String> = (0..40).map(|n| format!("case {n}: return f{n}(x);")).collect();
    source += &format!("int one(int x) {{ switch (x) {{ {} }} return 0; }}\n", cases.concat());
    source += &format!("int many(int x) {{ return {}; }}\n", vec!["one(x)"; 400].join(" + "));
    source += "kernel void k(global int *o) { o[get_global_id(0)] = many(get_global_id(0)); }";
    let program = translate(&source, "").unwrap_or_else(|log| panic!("{log}"));
    assert_eq!(program.description.kernels[0].less_optimized, None);
    let mut out = [0_i32; 8];
    program.run("k", Range::line(8, 4), &mut [Argument::Buffer(bytes(&mut out))]);
    let expected: Vec<i32> = (0..8).map(|x| 400 * (x + x * x)).collect();
    assert_eq!(out, expected.as_slice());
}

#[test]
fn what_nests_too_deeply_is_an_error() {
    let deep = |open: &str, close: &str| {
        let (open, close) = (open.repeat(5000), close.repeat(5000));
        format!("kernel void k(global int *o) {{ o[0] = {open}1{close}; }}")
    };
    let log = translate(&deep("(", ")"), "").err().expect("it nests too deeply");
    assert!(log.contains("nesting level exceeded"), "{log}");
    let log = translate(&deep("(", ""), "").err().expect("it is not closed");
    assert!(log.contains("error"), "{log}");
}

/// A sum is a nest of as many operations, which no limit of the compiler holds off: it needs more stack.
#[test]
fn a_long_sum_is_translated() {
    let sum: Vec<String> =
        (0..20_000).map(|n| format!("b[i + {}] * {}.0f", n % 64, n % 3)).collect();
    let source = format!(
        "kernel void k(global float *o, global const float *b) {{
            int i = get_global_id(0);
            float x = {};
            o[i] = x;
        }}",
        sum.join(" + ")
    );
    let program = translate(&source, "").unwrap_or_else(|log| panic!("{log}"));
    let (mut out, mut ones) = ([0.0_f32; 1], [1.0_f32; 64]);
    let mut arguments = [Argument::Buffer(bytes(&mut out)), Argument::Buffer(bytes(&mut ones))];
    program.run("k", Range::line(1, 1), &mut arguments);
    assert_eq!(out, [19_999.0]);
}

/// How much local memory there is, the driver knows: it refuses the launch by what the description says.
#[test]
fn much_local_memory_is_told_of() {
    let source = "kernel void k(global int *o) {
        local int room[1 << 24];
        room[get_local_id(0)] = o[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        o[get_global_id(0)] = room[get_local_id(0) ^ 1];
    }";
    let program = translate(source, "").unwrap_or_else(|log| panic!("{log}"));
    assert_eq!(program.description.kernels[0].local_bytes, 4 << 24);
}

#[test]
fn what_we_have_not_written_is_not_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("other.bc");
    let output = text(&folder.path().join("out"));
    for content in [&b""[..], b"BC\xc0\xde", b"\x7fELF", &[0; 4096]] {
        std::fs::write(&file, content).expect("a file");
        let special = ["specialize", "--output-dir", &output, "--kernel", "k", "--local-size"];
        for words in [
            &["link", "--output-dir", &output, &text(&file)][..],
            &[&special[..], &["8,1,1", &text(&file)]].concat(),
        ] {
            let said = run_command(words).expect_err("it is not ours");
            assert_eq!(
                said,
                "error: other.bc: not what vicinity-translate has written, or damaged\n"
            );
        }
    }
}

#[test]
fn arguments_that_are_too_large_are_refused_by_the_kernel_s_name() {
    let source = "struct large { char bytes[1 << 21]; };
        kernel void k(global char *out, struct large it) { *out = it.bytes[0]; }";
    let log = translate(source, "").err().expect("they are too large");
    assert!(log.contains("kernel 'k': its arguments have more than 1048576 bytes"), "{log}");
}
