//! Which OpenMP runtime the programs are run on, and the proof that it is the one they load.
//!
//! Ours is taken from `target/dist/lib/omp` by `LD_LIBRARY_PATH`. `VICINITY_TEST_RUNTIME=system` runs the same
//! programs on the system's libgomp and libomp instead, which shows that a program is right before it accuses us;
//! any other value is a folder to take ours from.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The dynamic linker, asked to list what it would load.
const LOADER: &str = "/lib64/ld-linux-x86-64.so.2";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// The folder with our library under the names of both runtimes.
    Vicinity(PathBuf),
    System,
}

impl Runtime {
    /// What the environment asks for; an error if our library has not been built.
    pub fn chosen(repository: &Path) -> Result<Runtime, String> {
        let folder = match env::var("VICINITY_TEST_RUNTIME") {
            Ok(asked) if asked == "system" => return Ok(Runtime::System),
            Ok(asked) if asked.contains('/') => PathBuf::from(asked),
            Ok(asked) => {
                return Err(format!("VICINITY_TEST_RUNTIME={asked}: expected system or a folder"));
            }
            Err(_) => repository.join("target/dist/lib/omp"),
        };
        for name in ["libgomp.so.1", "libomp.so.5"] {
            let path = folder.join(name);
            if !path.exists() {
                let path = path.display();
                return Err(format!(
                    "{path} is not there: run `make` first, or set VICINITY_TEST_RUNTIME=system"
                ));
            }
        }
        Ok(Runtime::Vicinity(folder))
    }

    /// The variables a run needs to load this runtime.
    pub fn variables(&self) -> Vec<(String, String)> {
        match self {
            Runtime::Vicinity(folder) => {
                // The folder above has the library under its own name, for programs of the C API.
                let above = folder.parent().unwrap_or(folder);
                let folders = format!("{}:{}", folder.display(), above.display());
                vec![("LD_LIBRARY_PATH".to_owned(), folders)]
            }
            Runtime::System => Vec::new(),
        }
    }

    /// Fails unless `object` would load its OpenMP runtime from where this one lives.
    pub fn check_loaded_by(&self, object: &Path) -> Result<(), String> {
        let Runtime::Vicinity(folder) = self else { return Ok(()) };
        let output = Command::new(LOADER)
            .arg("--list")
            .arg(object)
            .envs(self.variables())
            .output()
            .map_err(|e| format!("{LOADER}: {e}"))?;
        let ours = folder.join("libgomp.so.1").canonicalize().map_err(|e| e.to_string())?;
        let listing = String::from_utf8_lossy(&output.stdout).into_owned();
        let loaded = openmp_libraries(&listing);
        if loaded.is_empty() {
            return Err(format!("{} loads no OpenMP runtime:\n{listing}", object.display()));
        }
        for path in loaded {
            if Path::new(path).canonicalize().ok().as_deref() != Some(&ours) {
                return Err(format!("{} loads {path}, not our library", object.display()));
            }
        }
        Ok(())
    }
}

/// The paths behind libgomp, libomp, libiomp5 and libvicinity in the loader's list (`name => path (address)`).
fn openmp_libraries(listing: &str) -> Vec<&str> {
    listing
        .lines()
        .filter_map(|line| line.trim().split_once(" => "))
        .filter(|(name, _)| {
            ["libgomp.", "libomp.", "libiomp5.", "libvicinity."].iter().any(|p| name.starts_with(p))
        })
        .map(|(_, rest)| rest.rsplit_once(" (").map_or(rest, |(path, _)| path))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_list_is_read() {
        let listing = "\tlinux-vdso.so.1 (0x7f)\n\tlibgomp.so.1 => /a/lib/libgomp.so.1 (0x7f04)\n\
                       \tlibc.so.6 => /lib/libc.so.6 (0x7f)\n\tlibomp.so.5 => not found\n";
        assert_eq!(openmp_libraries(listing), ["/a/lib/libgomp.so.1", "not found"]);
    }
}
