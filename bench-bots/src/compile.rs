//! Builds a program of the catalogue with one family of compilers, unless it is built already.
//!
//! The sources are written below the build folder; an executable is fresh as long as the file
//! beside it still holds the compiler's command and the sources it was built from.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;
use crate::catalogue::{Program, Source};
use crate::contender::Family;
use crate::launch::excerpt;
use crate::options::Cut;

/// The executable of `program`, built where needed. `None` where the family has no compiler for it.
pub fn build(
    program: &Program,
    family: Family,
    cut: Cut,
    folder: &Path,
) -> Result<Option<PathBuf>, Failure> {
    let Some(compiler) = family.compiler(program.language) else {
        return Ok(None);
    };
    let cut = if program.cuts { cut } else { Cut::None };
    let name = match cut {
        Cut::None => program.name.to_string(),
        cut => format!("{}-{}", program.name, cut.word()),
    };
    let executable = folder.join(format!("{name}.{}", suffix(family)));
    let sources = folder.join("sources").join(program.name);
    let arguments = arguments(program, family, cut, &executable);
    let stamp = stamp(compiler, &arguments, program);
    let stamp_file = executable.with_extension(format!("{}.built-from", suffix(family)));
    if executable.exists() && fs::read_to_string(&stamp_file).is_ok_and(|old| old == stamp) {
        return Ok(Some(executable));
    }
    write_sources(program, &sources)?;
    let output = Command::new(compiler).args(&arguments).current_dir(&sources).output();
    match output {
        Err(error) => Err(Failure::Setup(format!(
            "{}: the compiler {compiler} cannot be started: {error}",
            program.name
        ))),
        Ok(output) if !output.status.success() => Err(Failure::Setup(format!(
            "{}: {compiler} {} failed:{}",
            program.name,
            arguments.join(" "),
            excerpt(&String::from_utf8_lossy(&output.stderr))
        ))),
        Ok(_) => {
            write(&stamp_file, &stamp)?;
            Ok(Some(executable))
        }
    }
}

/// The first line a compiler says about its version.
pub fn version(family: Family) -> Option<String> {
    let compiler = family.main_compiler();
    let output = Command::new(compiler).arg("--version").output().ok()?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_string)
}

fn suffix(family: Family) -> &'static str {
    match family {
        Family::Gcc | Family::KernelsGcc => "gcc",
        Family::Clang | Family::KernelsClang => "clang",
        Family::Tbb => "tbb",
        Family::OpenCl => "cl",
    }
}

fn arguments(program: &Program, family: Family, cut: Cut, executable: &Path) -> Vec<String> {
    let mut arguments: Vec<String> = family.flags().iter().map(|flag| flag.to_string()).collect();
    arguments.extend(program.sources.iter().map(|source| source.name.to_string()));
    if cut != Cut::None {
        arguments.push(format!("-DBENCH_CUT=BENCH_{}", cut.word().to_uppercase()));
    }
    arguments.extend(program.libraries.iter().map(|library| format!("-l{library}")));
    arguments.extend(["-lm".into(), "-o".into(), executable.display().to_string()]);
    arguments
}

fn stamp(compiler: &str, arguments: &[String], program: &Program) -> String {
    let mut stamp = format!("{compiler} {}\n", arguments.join(" "));
    for Source { name, text } in files(program) {
        stamp += &format!("==> {name}\n{text}");
    }
    stamp
}

fn files(program: &Program) -> impl Iterator<Item = &Source> {
    program.headers.iter().chain(program.sources)
}

fn write_sources(program: &Program, folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder)
        .map_err(|error| Failure::Setup(format!("cannot make {}: {error}", folder.display())))?;
    files(program).try_for_each(|source| write(&folder.join(source.name), source.text))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text)
        .map_err(|error| Failure::Setup(format!("cannot write {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Language;

    const BROKEN: Program = Program {
        name: "broken",
        language: Language::C,
        sources: &[Source { name: "broken.c", text: "this is no C\n" }],
        headers: &[],
        libraries: &[],
        cuts: false,
        places: false,
    };

    #[test]
    fn a_program_that_does_not_build_is_named_with_the_compilers_words() {
        let folder = std::env::temp_dir().join(format!("vicinity-compile-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        // A relative build folder would be looked for inside the sources.
        assert!(folder.is_absolute());
        let built = build(&BROKEN, Family::Gcc, Cut::None, &folder);
        fs::remove_dir_all(&folder).expect("the folder again");
        let Err(Failure::Setup(text)) = built else { panic!("built: {built:?}") };
        assert!(text.starts_with("broken: "), "{text}");
    }

    #[test]
    fn the_stamp_changes_with_the_command_and_with_the_text() {
        let one = stamp("gcc", &["-O2".into()], &BROKEN);
        assert_ne!(one, stamp("gcc", &["-O3".into()], &BROKEN));
        assert!(one.contains("this is no C"));
    }

    #[test]
    fn clang_has_no_fortran() {
        let fortran = Program { language: Language::Fortran, ..BROKEN };
        let built = build(&fortran, Family::Clang, Cut::None, Path::new("/nonexistent"));
        assert_eq!(built, Ok(None));
    }
}
