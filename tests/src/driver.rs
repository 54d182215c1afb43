//! The programs of `opencl/driver`, which use OpenCL through the system's loader, on the driver that `make` built.

use std::path::{Path, PathBuf};
use std::process::Command;

/// `CARGO_TARGET_TMPDIR`, which only tests know, and what is beside it.
#[derive(Clone, Copy)]
pub struct Driver {
    pub scratch: &'static str,
}

impl Driver {
    /// A path under the scratch folder.
    pub fn scratch(self, path: &str) -> PathBuf {
        Path::new(self.scratch).join(path)
    }

    pub fn dist(self) -> PathBuf {
        Path::new(self.scratch).parent().expect("target").join("dist")
    }

    pub fn sources() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("opencl/driver")
    }

    /// Builds `source`, a file of `sources`.
    pub fn build(source: &str, program: &Path) {
        let compiler = if source.ends_with(".cpp") { "g++" } else { "gcc" };
        Driver::build_by(compiler, source, program);
    }

    pub fn build_by(compiler: &str, source: &str, program: &Path) {
        let sources = Driver::sources();
        let built = Command::new(compiler)
            .args(["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-I"])
            .args([&sources.join("include"), &sources.join(source), Path::new("-o"), program])
            .arg("-I")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../capi/include"))
            .args(["-lOpenCL", "-lm"])
            .output()
            .unwrap_or_else(|error| panic!("cannot run {compiler}: {error}"));
        assert!(built.status.success(), "{compiler}: {}", String::from_utf8_lossy(&built.stderr));
    }

    /// The program that `command` starts finds only our platform, with this cache and otherwise default settings.
    pub fn set_for(self, command: &mut Command, cache: &Path) {
        let vendors = self.dist().join("etc/OpenCL/vendors");
        assert!(
            vendors.join("vicinity.icd").exists(),
            "no driver in {vendors:?}: run `make` first"
        );
        command.env("OCL_ICD_VENDORS", vendors).env("VICINITY_CACHE_DIR", cache);
        for name in [
            "VICINITY_TRANSLATE",
            "VICINITY_ORDER",
            "VICINITY_LOCAL",
            "VICINITY_VECTORS",
            "VICINITY_RIVALS",
            "VICINITY_SPECIALIZE",
            "VICINITY_SPIRV",
        ] {
            command.env_remove(name);
        }
    }
}
