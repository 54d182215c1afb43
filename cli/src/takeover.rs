//! What makes a program and its children run on Vicinity: files beside this command, and the loader's variables for them.
//!
//! Two things lead there. `LD_AUDIT` names the library `libvicinity-audit.so`, by which glibc's loader gives Vicinity to
//! whoever asks for an OpenMP runtime by whatever name or path ([decision 031](../../docs/decisions/031-one-runtime.md)).
//! `LD_LIBRARY_PATH` begins with the folder that holds Vicinity under the runtimes' plain names, for what asks the variable
//! itself, and the folder above it, where the library has its own name. Children inherit both, through shells and exec.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::program::Mpi;

const AUDITOR: &str = "libvicinity-audit.so";
const AUDIT: &str = "LD_AUDIT";
const PLACER: &str = "libvicinity-place.so";
const PRELOAD: &str = "LD_PRELOAD";
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

pub struct Takeover {
    /// `../lib` from the folder of this command.
    libraries: PathBuf,
}

impl Takeover {
    /// Finds the files, or says which one is missing.
    pub fn find() -> Result<Takeover, Failure> {
        let own = env::current_exe()
            .map_err(|error| Failure::own(format!("cannot find my own file: {error}")))?;
        let prefix = own.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
        let takeover = Takeover { libraries: prefix.join("lib") };
        let target = takeover.omp_folder().join("libgomp-libvicinity.so.1");
        for file in [target, takeover.libraries.join(AUDITOR)] {
            if !file.exists() {
                return Err(Failure::own(format!(
                    "{} is missing: run the command that `make` leaves in target/dist/bin, or the installed one",
                    file.display()
                )));
            }
        }
        // Neither variable can say that a colon or a semicolon is part of a path.
        let path = takeover.libraries.as_os_str().as_encoded_bytes();
        if path.iter().any(|byte| b":;".contains(byte)) {
            return Err(Failure::own(format!(
                "{}: the loader takes ':' and ';' in a path for its end; install Vicinity elsewhere",
                takeover.libraries.display()
            )));
        }
        Ok(takeover)
    }

    fn omp_folder(&self) -> PathBuf {
        self.libraries.join("omp")
    }

    /// Sets the variables for a program and all that it starts.
    pub fn apply(&self, command: &mut Command) {
        let auditor = self.libraries.join(AUDITOR);
        command.env(AUDIT, before(&[auditor.as_os_str()], AUDIT));
        let folders = [self.omp_folder(), self.libraries.clone()];
        command.env(LIBRARY_PATH, before(&folders.each_ref().map(|f| f.as_os_str()), LIBRARY_PATH));
    }

    /// The library that places the large blocks of a program and all that it starts
    /// ([decision 055](../../docs/decisions/055-memory-nobody-placed.md)).
    pub fn placer(&self) -> Result<PathBuf, Failure> {
        self.preloadable(PLACER, "run `make`")
    }

    /// The one that stands before this MPI.
    pub fn before_mpi(&self, mpi: Mpi) -> Result<PathBuf, Failure> {
        let remedy = format!("run `make mpi` where mpicc.{} is installed", mpi.name());
        self.preloadable(&format!("libvicinity-mpi-{}.so", mpi.name()), &remedy)
    }

    fn preloadable(&self, name: &str, remedy: &str) -> Result<PathBuf, Failure> {
        let library = self.libraries.join(name);
        if !library.exists() {
            return Err(Failure::own(format!("{} is missing: {remedy}", library.display())));
        }
        if library.as_os_str().as_encoded_bytes().iter().any(u8::is_ascii_whitespace) {
            return Err(Failure::own(format!(
                "{}: the loader takes a space in the path of a preloaded library for its end; install Vicinity elsewhere, or \
                 leave out --distribution and --mpi",
                library.display()
            )));
        }
        Ok(library)
    }

    /// Has libraries loaded into a program, and all that it starts, before its own.
    pub fn preload(libraries: &[PathBuf], command: &mut Command) {
        let paths: Vec<&OsStr> = libraries.iter().map(|library| library.as_os_str()).collect();
        if !paths.is_empty() {
            command.env(PRELOAD, before(&paths, PRELOAD));
        }
    }

    /// What the OpenCL loader reads in place of the system's folder.
    pub fn vendors_folder(&self) -> Result<PathBuf, Failure> {
        let prefix = self.libraries.parent().unwrap_or(Path::new("/"));
        let folder = prefix.join("etc/OpenCL/vendors");
        let file = folder.join("vicinity.icd");
        if file.exists() {
            return Ok(folder);
        }
        Err(Failure::own(format!(
            "{} is missing: the OpenCL driver is not installed",
            file.display()
        )))
    }
}

/// These, and then what the variable held that is not among them. An empty element would mean the current folder.
fn before(paths: &[&OsStr], variable: &str) -> OsString {
    let old = env::var_os(variable).unwrap_or_default();
    let old = old.as_encoded_bytes().split(|byte| *byte == b':');
    let old = old.filter(|part| {
        !part.is_empty() && !paths.iter().any(|path| path.as_encoded_bytes() == *part)
    });
    let parts: Vec<&[u8]> = paths.iter().map(|path| path.as_encoded_bytes()).chain(old).collect();
    std::os::unix::ffi::OsStringExt::from_vec(parts.join(&b':'))
}
