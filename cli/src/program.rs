//! What kind of program a file is, and which OpenMP runtime the system's loader would give it.
//!
//! The file itself tells whether there is anything to load at all (a static program brings its own
//! copy of everything). Which file each library name leads to depends on run paths, the cache and
//! the libraries of libraries, so the loader is asked: with `LD_TRACE_LOADED_OBJECTS` set it lists
//! what it would map and starts nothing. This is what ldd(1) does.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::Endianness;
use object::elf::{EM_X86_64, FileHeader64, PT_INTERP};
use object::read::elf::{FileHeader, ProgramHeader};

/// The names under which programs look for an OpenMP runtime; the last is that of programs that use `vicinity.h`.
pub const RUNTIME_NAMES: [&str; 5] =
    ["libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so", "libvicinity.so.1"];

const SET_USER_OR_GROUP_ID: u32 = 0o6000;

/// What a program file is, as far as choosing its libraries is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An x86-64 program that the loader completes with libraries.
    Dynamic,
    /// Everything is linked in: no library can be put in another's place.
    Static,
    /// The loader ignores `LD_LIBRARY_PATH` for it.
    SetUserId,
    /// A program for another processor or another word size.
    Foreign,
    /// Not a program of its own: an interpreter runs it and inherits the environment.
    Script,
}

/// Looks at the first bytes and the program headers of `path`.
pub fn kind_of(path: &Path) -> std::io::Result<Kind> {
    let data = fs::read(path)?;
    if !data.starts_with(b"\x7fELF") {
        return Ok(Kind::Script);
    }
    let Ok(header) = FileHeader64::<Endianness>::parse(&*data) else {
        return Ok(Kind::Foreign);
    };
    let Ok(endian) = header.endian() else {
        return Ok(Kind::Foreign);
    };
    if header.e_machine(endian) != EM_X86_64 {
        return Ok(Kind::Foreign);
    }
    let headers = header.program_headers(endian, &*data).unwrap_or_default();
    if !headers.iter().any(|segment| segment.p_type(endian) == PT_INTERP) {
        return Ok(Kind::Static);
    }
    if fs::metadata(path)?.permissions().mode() & SET_USER_OR_GROUP_ID != 0 {
        return Ok(Kind::SetUserId);
    }
    Ok(Kind::Dynamic)
}

/// The OpenMP runtimes that the loader would give `program`: the name it looks for, and the file.
///
/// Empty when it looks for none. When the loader cannot tell (a library is missing), the program
/// will say so itself when it is started.
pub fn runtimes(program: &Path, library_path: &OsStr) -> std::io::Result<Vec<(String, PathBuf)>> {
    let output = Command::new(program)
        .env("LD_TRACE_LOADED_OBJECTS", "1")
        .env("LD_LIBRARY_PATH", library_path)
        .output()?;
    Ok(parse_loaded(&String::from_utf8_lossy(&output.stdout)))
}

/// Picks the OpenMP runtimes out of lines like `libgomp.so.1 => /lib/libgomp.so.1 (0x7f...)`.
fn parse_loaded(listing: &str) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for line in listing.lines() {
        let Some((name, target)) = line.trim().split_once(" => ") else { continue };
        if RUNTIME_NAMES.contains(&name) {
            let path = target.rsplit_once(" (").map_or(target, |(path, _)| path);
            found.push((name.to_string(), PathBuf::from(path)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_runtimes_are_picked() {
        let listing = "\tlinux-vdso.so.1 (0x0000)\n\
                       \tlibgomp.so.1 => /opt/a b/libgomp.so.1 (0x0000)\n\
                       \tlibc.so.6 => /lib/libc.so.6 (0x0000)\n\
                       \tlibomp.so.5 => not found\n";
        let expected = [("libgomp.so.1", "/opt/a b/libgomp.so.1"), ("libomp.so.5", "not found")];
        let expected = expected.map(|(name, path)| (name.to_string(), PathBuf::from(path)));
        assert_eq!(parse_loaded(listing), expected);
    }

    #[test]
    fn this_test_is_a_dynamic_program_and_its_source_is_not() {
        let program = std::env::current_exe().expect("the test knows its own file");
        assert_eq!(kind_of(&program).expect("readable"), Kind::Dynamic);
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/program.rs");
        assert_eq!(kind_of(&source).expect("readable"), Kind::Script);
    }
}
