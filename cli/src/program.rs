//! What kind of program a file is, and whether it can get to an OpenMP runtime.
//!
//! The file itself tells whether there is anything to load at all (a static program brings its own
//! copy of everything). Which files a program is completed with depends on run paths, the cache and
//! the libraries of libraries, so the loader is asked: with `LD_TRACE_LOADED_OBJECTS` set it lists
//! what it would map and starts nothing. This is what ldd(1) does. Only glibc's loader knows the variable.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::elf::{EM_X86_64, FileHeader64, PT_INTERP};
use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol};

/// What the names of OpenMP runtimes begin with; the last is that of programs that use `vicinity.h`.
const RUNTIME_STEMS: [&str; 4] = ["libgomp", "libomp", "libiomp", "libvicinity"];

/// What the file names of glibc's loader begin with, on every architecture.
const GLIBC_LOADER: &str = "ld-linux";

/// Parts of the C library, which has every function there is.
const C_LIBRARY: [&str; 7] =
    ["libc", "libm", "libdl", "libpthread", "librt", "libgcc_s", "ld-linux"];

/// Functions by which a program gets at more than what it was linked with: libraries, or other programs.
const GATES: [&str; 13] = [
    "dlopen",
    "dlmopen",
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "popen",
    "posix_spawn",
    "posix_spawnp",
    "system",
];

/// Bits of a file's mode: it starts with its owner's rights, or with its group's. Without the right to execute, the
/// second bit means something else.
const SET_USER: u32 = 0o4000;
const SET_GROUP: u32 = 0o2010;

/// What a program file is, as far as choosing its libraries is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An x86-64 program that the loader completes with libraries.
    Dynamic,
    /// Everything is linked in: no library can be put in another's place.
    Static,
    /// The loader ignores the variables that lead to Vicinity for it.
    SetUserId,
    /// Completed by the loader of another C library, as musl's.
    OtherLoader(String),
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
    let interpreters = headers.iter().filter(|segment| segment.p_type(endian) == PT_INTERP);
    let Some(interpreter) = interpreters.filter_map(|it| it.data(endian, &*data).ok()).next()
    else {
        return Ok(Kind::Static);
    };
    let loader = String::from_utf8_lossy(interpreter).trim_end_matches('\0').to_string();
    if !base_name(&loader).starts_with(GLIBC_LOADER) {
        return Ok(Kind::OtherLoader(loader));
    }
    let file = fs::metadata(path)?;
    // Where there is no /proc, any such bit counts.
    let starter = fs::metadata("/proc/self").map(|here| Identity::of(&here)).ok();
    if changes_rights(file.mode(), Identity::of(&file), starter) {
        return Ok(Kind::SetUserId);
    }
    Ok(Kind::Dynamic)
}

/// A user and a group, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    user: u32,
    group: u32,
}

impl Identity {
    fn of(file: &fs::Metadata) -> Identity {
        Identity { user: file.uid(), group: file.gid() }
    }
}

/// Whether a file of this mode and owner starts with other rights than those of who starts it.
fn changes_rights(mode: u32, owner: Identity, starter: Option<Identity>) -> bool {
    let user = mode & SET_USER != 0 && starter.is_none_or(|starter| starter.user != owner.user);
    let group =
        mode & SET_GROUP == SET_GROUP && starter.is_none_or(|starter| starter.group != owner.group);
    user || group
}

/// Whether a dynamic program can get to an OpenMP runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prospect {
    /// It was linked with one, or one of its libraries was.
    Links,
    /// It may load one, as interpreters do, or start a program that has one, as shells do.
    MayLoadOrStart,
    /// Neither.
    Nothing,
}

/// An MPI library, by its interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mpi {
    OpenMpi,
    /// MPICH, and those that share its interface: Intel's, MVAPICH, Cray's.
    Mpich,
}

impl Mpi {
    /// As files of ours are named.
    pub fn name(self) -> &'static str {
        match self {
            Mpi::OpenMpi => "openmpi",
            Mpi::Mpich => "mpich",
        }
    }

    /// By the name of its library: Open MPI's is `libmpi.so.40`, that of the interface that MPICH's family shares `libmpi.so.12`, and
    /// Debian's MPICH `libmpich.so.12`.
    fn of(library: &str) -> Option<Mpi> {
        let name = base_name(library);
        if name.starts_with("libmpich.so") || name.starts_with("libmpi.so.12") {
            return Some(Mpi::Mpich);
        }
        name.starts_with("libmpi.so.").then_some(Mpi::OpenMpi)
    }
}

/// The MPI that a program of glibc was linked with, or one of its libraries was.
pub fn mpi_of(program: &Path) -> std::io::Result<Option<Mpi>> {
    Ok(loaded_by(program)?.iter().find_map(|(name, _)| Mpi::of(name)))
}

/// Whether the program was built with a sanitizer whose library has to come before all others.
pub fn checks_memory(program: &Path) -> bool {
    const SANITIZERS: [&str; 4] = ["libasan", "libhwasan", "libtsan", "liblsan"];
    let is_one = |name: &str| SANITIZERS.iter().any(|stem| base_name(name).starts_with(stem));
    loaded_by(program).is_ok_and(|libraries| libraries.iter().any(|(name, _)| is_one(name)))
}

/// Asks the loader what it would map for a program of glibc. A library that is missing counts by its name: the program says
/// so itself when it is started.
pub fn prospect(program: &Path) -> std::io::Result<Prospect> {
    let libraries = loaded_by(program)?;
    if libraries.iter().any(|(name, _)| is_runtime(name)) {
        return Ok(Prospect::Links);
    }
    let own =
        libraries.iter().filter(|(name, _)| !is_c_library(name)).map(|(_, path)| path.as_path());
    let gates = std::iter::once(program).chain(own).any(has_gate);
    Ok(if gates { Prospect::MayLoadOrStart } else { Prospect::Nothing })
}

fn loaded_by(program: &Path) -> std::io::Result<Vec<(String, PathBuf)>> {
    let output = Command::new(program)
        .env("LD_TRACE_LOADED_OBJECTS", "1")
        .env_remove("LD_AUDIT")
        .env_remove("LD_PRELOAD")
        .output()?;
    Ok(parse_loaded(&String::from_utf8_lossy(&output.stdout)))
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `libgomp.so.1`, `libgomp-a34b3233.so.1.0.0`, `libomp140.so`; not `libomptarget.so`.
fn is_runtime(name: &str) -> bool {
    let rest = RUNTIME_STEMS.iter().find_map(|stem| base_name(name).strip_prefix(stem));
    rest.is_some_and(|rest| {
        rest.contains(".so") && !rest.starts_with(|c: char| c.is_alphabetic() || c == '_')
    })
}

fn is_c_library(name: &str) -> bool {
    let stem = base_name(name).split(['.', '-']).next().unwrap_or_default();
    C_LIBRARY.contains(&stem) || base_name(name).starts_with(GLIBC_LOADER)
}

/// Whether the file imports one of the functions that lead to more. What cannot be read may.
fn has_gate(path: &Path) -> bool {
    let Ok(data) = fs::read(path) else { return true };
    let Ok(file) = ElfFile64::<Endianness>::parse(&*data) else { return true };
    file.dynamic_symbols()
        .filter(|symbol| symbol.is_undefined())
        .any(|symbol| symbol.name().is_ok_and(|name| GATES.contains(&name)))
}

/// Names and paths out of lines like `libgomp.so.1 => /lib/libgomp.so.1 (0x7f...)`.
fn parse_loaded(listing: &str) -> Vec<(String, PathBuf)> {
    let lines = listing.lines().filter_map(|line| line.trim().split_once(" => "));
    let path =
        |target: &str| PathBuf::from(target.rsplit_once(" (").map_or(target, |(path, _)| path));
    lines.map(|(name, target)| (name.to_string(), path(target))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rights_of_others_count() {
        let (own, other) = (Identity { user: 7, group: 8 }, Identity { user: 0, group: 9 });
        for (mode, owner, changes) in [
            (0o755, other, false),
            (0o4755, other, true),
            (0o4755, own, false),
            (0o2755, other, true),
            (0o2755, own, false),
            // Mandatory locking, on file systems that have it.
            (0o2644, other, false),
            (0o6755, Identity { user: 7, group: 9 }, true),
        ] {
            assert_eq!(changes_rights(mode, owner, Some(own)), changes, "{mode:o} {owner:?}");
        }
        assert!(changes_rights(0o4755, own, None));
    }

    #[test]
    fn libraries_and_their_paths_are_picked() {
        let listing = "\tlinux-vdso.so.1 (0x0000)\n\
                       \tlibgomp.so.1 => /opt/a b/libgomp.so.1 (0x0000)\n\
                       \tlibomp.so.5 => not found\n\
                       \t/lib64/ld-linux-x86-64.so.2 (0x0000)\n";
        let expected = [("libgomp.so.1", "/opt/a b/libgomp.so.1"), ("libomp.so.5", "not found")];
        let expected = expected.map(|(name, path)| (name.to_string(), PathBuf::from(path)));
        assert_eq!(parse_loaded(listing), expected);
    }

    #[test]
    fn runtimes_are_known_by_their_names() {
        for name in
            ["libgomp.so.1", "/opt/libgomp-a34b3233.so.1.0.0", "libomp-19.so", "libiomp5.so"]
        {
            assert!(is_runtime(name), "{name}");
        }
        for name in
            ["libompd.so", "libomptarget.so.19", "libgomp.txt", "libvicinity_cl.so", "libc.so.6"]
        {
            assert!(!is_runtime(name), "{name}");
        }
        for name in ["libc.so.6", "/lib64/ld-linux-x86-64.so.2", "libm.so.6", "libm-2.31.so"] {
            assert!(is_c_library(name), "{name}");
        }
        assert!(!is_c_library("libmvec2.so.1") && !is_c_library("libcurl.so.4"));
    }

    #[test]
    fn an_mpi_is_known_by_its_name() {
        for (name, mpi) in [
            ("libmpi.so.40", Some(Mpi::OpenMpi)),
            ("/opt/lib/libmpi.so.40.30.4", Some(Mpi::OpenMpi)),
            ("libmpich.so.12", Some(Mpi::Mpich)),
            ("libmpi.so.12", Some(Mpi::Mpich)),
            ("libmpi_cxx.so.40", None),
            ("libmpifort.so.12", None),
        ] {
            assert_eq!(Mpi::of(name), mpi, "{name}");
        }
    }

    #[test]
    fn a_program_that_starts_others_may_start_one_with_openmp() {
        let shell = Path::new("/bin/sh");
        assert_eq!(prospect(shell).expect("the loader tells"), Prospect::MayLoadOrStart);
        let plain = Path::new("/bin/true");
        assert_eq!(prospect(plain).expect("the loader tells"), Prospect::Nothing);
    }

    #[test]
    fn this_test_is_a_dynamic_program_and_its_source_is_not() {
        let program = std::env::current_exe().expect("the test knows its own file");
        assert_eq!(kind_of(&program).expect("readable"), Kind::Dynamic);
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/program.rs");
        assert_eq!(kind_of(&source).expect("readable"), Kind::Script);
    }
}
