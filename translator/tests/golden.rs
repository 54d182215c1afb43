//! What the translator reports on kernels, against texts that a person has read.
//!
//! `GOLDEN=write cargo test --test golden` writes the texts anew; read the difference before it is kept.

mod kept;

use std::fmt::Write;
use std::path::Path;

use vicinity_translator::code::{emit, remarks};
use vicinity_translator::front::import;
use vicinity_translator::llvm::{Context, Machine, configure};
use vicinity_translator::pipeline;
use vicinity_translator::program::options::Options;
use vicinity_translator::program::patience::Effort;
use vicinity_translator::report::describe::Program;
use vicinity_translator::report::report;

#[test]
fn reports_are_as_read() {
    kept::check("golden", "cl", &|path| {
        let (cpu, features) = PROCESSORS[0];
        let source = std::fs::read_to_string(path).expect("the source can be read");
        report(&described(path, cpu, features), &source)
    });
}

/// Processors with vectors of 256 and of 512 bits: the level of x86-64, and what LLVM calls its features.
const PROCESSORS: [(&str, &str); 2] = [
    ("x86-64-v3", "+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+popcnt"),
    (
        "x86-64-v4",
        "+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+popcnt,\
         +avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl",
    ),
];

/// The description of `source` for a processor.
fn described(source: &Path, cpu: &str, features: &str) -> Program {
    configure(&[remarks::OPTIONS, emit::OPTIONS].concat());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = Options::default();
    let (bitcode, _) = pipeline::compile(source, None, &[], &options, folder.path())
        .unwrap_or_else(|failure| panic!("{}", failure.text()));
    let context = Context::new();
    let diagnostics = context.collect_diagnostics();
    let mut module = import::read(context, &bitcode).expect("bitcode");
    let machine = Machine::new("x86_64-unknown-linux-gnu", cpu, features, Effort::Full)
        .expect("LLVM knows the processor");
    let names = import::kernels(&module);
    let (mut program, loops) =
        pipeline::translate(&mut module, &machine, &options, &names, Effort::Full)
            .unwrap_or_else(|failure| panic!("{}", failure.text()));
    remarks::add(&mut program, &loops, &diagnostics.borrow());
    program
}

/// The kernels of `source`, each with the loops over items that became vectors on a processor and those that did not.
fn widths(source: &Path, cpu: &str, features: &str) -> String {
    let program = described(source, cpu, features);
    let mut text = format!("{cpu}\n");
    for kernel in &program.kernels {
        let mut lines: Vec<(u32, String)> = Vec::new();
        let made = kernel.vectorized.iter();
        lines.extend(made.map(|made| (made.line, made.width.to_string())));
        lines.extend(kernel.not_vectorized.iter().map(|left| (left.line, left.why.clone())));
        lines.sort();
        let lines: Vec<String> =
            lines.iter().map(|(line, what)| format!("line {line}: {what}")).collect();
        writeln!(text, "  {}: {}", kernel.name, lines.join("; ")).expect("text");
    }
    text
}

#[test]
fn vectors_are_as_wide_as_read() {
    kept::check("widths", "cl", &|path| {
        PROCESSORS.map(|(cpu, features)| widths(path, cpu, features)).concat()
    });
}

/// The kernels of `source`, each with how many of its values are of which class, by what they are.
fn shares(source: &Path) -> String {
    let (cpu, features) = PROCESSORS[0];
    let mut text = String::new();
    for kernel in described(source, cpu, features).kernels {
        let width = kernel.vectorized.first().map_or(1, |made| made.width);
        writeln!(text, "{}, {width} items", kernel.name).expect("text");
        for (role, shares) in &kernel.shares {
            let (uniform, affine) = (shares.uniform, shares.affine);
            let (guessed, varying) = (shares.guessed, shares.varying);
            writeln!(
                text,
                "  {role}: {uniform} uniform, {affine} affine, {guessed} guessed, {varying} varying"
            )
            .expect("text");
        }
    }
    text
}

#[test]
fn values_differ_between_items_as_read() {
    kept::check("shares", "cl", &shares);
}
