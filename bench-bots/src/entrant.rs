//! Entrants: the contenders that take part in a measurement, and the environment of their runs.
//!
//! A stock contender and its Vicinity counterpart run the very same executable; only the library
//! path differs. That the intended library is really the one loaded is asked of the dynamic loader,
//! not assumed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;
use vicinity_output::tell;

use crate::catalogue::Workload;
use crate::contender::{Contender, Family};
use crate::opencl;
use crate::options::Vary;
use crate::{Failure, Options};

/// A contender that can take part.
#[derive(Debug, Clone)]
pub struct Entrant {
    pub contender: Contender,
    /// `LD_LIBRARY_PATH` of its runs; `None` removes the variable.
    pub library_path: Option<OsString>,
    /// The executable, where it is not one of the catalogue's.
    pub executable: Option<PathBuf>,
    /// The only OpenCL driver that the loader is to find: itself, or a file that names it.
    pub driver: Option<PathBuf>,
    /// The variables of `--vary`, and their values in these runs.
    pub settings: Vec<(String, String)>,
}

impl Entrant {
    /// A command that runs `program` in this contender's environment, outside of an auditor that would give Vicinity to
    /// all of them.
    pub fn command(&self, program: &Path, threads: usize) -> Command {
        let mut command = Command::new(program);
        command.env("OMP_NUM_THREADS", threads.to_string()).env_remove("LD_AUDIT");
        // The tasks of `matmul` are the threads; the BLAS has none of its own.
        command.env("OPENBLAS_NUM_THREADS", "1");
        match &self.library_path {
            Some(path) => command.env("LD_LIBRARY_PATH", path),
            None => command.env_remove("LD_LIBRARY_PATH"),
        };
        if let Some(driver) = &self.driver {
            command.env("OCL_ICD_VENDORS", driver);
            command.envs(OPENCL_THREADS.map(|variable| (variable, threads.to_string())));
        }
        command.envs(self.contender.setting());
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The values of the variables that vary, in the order of the command line; none where nothing does.
    pub fn setting(&self) -> Option<String> {
        let values: Vec<&str> = self.settings.iter().map(|(_, value)| value.as_str()).collect();
        (!values.is_empty()).then(|| values.join(" "))
    }

    /// The library as records name it: what is part of Vicinity by its path below the installation, so that the
    /// record does not tell where that is.
    pub fn recorded(&self, library: &Path) -> String {
        let installation = match self.contender {
            Contender::VicinityGcc | Contender::VicinityClang => {
                self.library_path.as_deref().and_then(|omp| Path::new(omp).parent()?.parent())
            }
            Contender::Rayon | Contender::IntelOpencl | Contender::Driver(_) => library.parent(),
            _ if self.contender.is_vicinity() => library.parent().and_then(Path::parent),
            _ => None,
        };
        let below = installation.and_then(|folder| library.strip_prefix(folder).ok());
        below.unwrap_or(library).display().to_string()
    }

    /// Asks the loader which file `program` gets for its OpenMP library.
    pub fn resolve_library(&self, program: &Path) -> Result<PathBuf, String> {
        let Some(family) = self.contender.family() else {
            return Ok(program.to_path_buf());
        };
        if let Some(driver) = &self.driver {
            return Ok(driver.clone());
        }
        let output =
            self.command(program, 1).env("LD_TRACE_LOADED_OBJECTS", "1").output().map_err(
                |error| format!("cannot ask for the libraries of {}: {error}", program.display()),
            )?;
        let listing = String::from_utf8_lossy(&output.stdout);
        let found = resolved(&listing, family.library())
            .ok_or_else(|| format!("the loader finds no {}", family.library()))?;
        let intended = self.contender.is_vicinity().then_some(self.library_path.as_ref()).flatten();
        match intended {
            Some(folder) if !found.starts_with(folder) => Err(format!(
                "the loader takes {} in place of the one in {}",
                found.display(),
                Path::new(folder).display()
            )),
            _ => Ok(found),
        }
    }
}

/// The path after `library =>` in what the loader lists.
fn resolved(listing: &str, library: &str) -> Option<PathBuf> {
    listing.lines().find_map(|line| {
        let (name, rest) = line.trim().split_once(" => ")?;
        let path = rest.split(" (").next()?.trim();
        (name == library && path.starts_with('/')).then(|| PathBuf::from(path))
    })
}

fn is_installed(command: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(command).is_file())
}

/// Places to look for the library, relative to the folder of the executable: an installation or
/// `target/dist/bin`, and `target/release`.
const LIBRARY_FOLDERS: [&str; 2] = ["../lib/omp", "../dist/lib/omp"];
/// The same for the reference program of rayon.
const RAYON_PROGRAMS: [&str; 2] = ["vicinity-bench-rayon", "../../release/vicinity-bench-rayon"];

/// The name of Vicinity's own OpenCL driver.
const VICINITY_DRIVER: &str = "libvicinity_cl.so";
/// The variables that limit the threads of PoCL, of its newer versions, and of Intel's runtime.
const OPENCL_THREADS: [&str; 3] =
    ["POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT", "DPCPP_CPU_NUM_CUS"];

/// What oneTBB's development package brings.
const TBB_HEADER: &str = "/usr/include/oneapi/tbb/task_group.h";

fn beside_executable(places: &[&str]) -> Option<PathBuf> {
    let executable = std::env::current_exe().ok()?;
    let folder = executable.parent()?;
    places.iter().find_map(|place| folder.join(place).canonicalize().ok())
}

/// The contenders asked for, or all that can run the workloads and be found, and the drivers of `--driver`. One that was
/// named must be there, but for compilers of kernels in C.
pub fn choose(options: &Options, workloads: &[Workload]) -> Result<Vec<Entrant>, Failure> {
    let fits = |c: &Contender| workloads.iter().any(|w| c.fits(w.suite));
    let mut named = options.against.clone();
    named.extend(options.driver.iter().map(|driver| driver.contender));
    if let Some(other) = named.iter().find(|c| !options.against.contains(c) && !fits(c)) {
        let why = "there is nothing of OpenCL to measure (see --suite)";
        return Err(Failure::Usage(format!("--driver {}: {why}", other.name())));
    }
    let mut wanted = options.against.clone();
    if wanted.is_empty() {
        wanted.extend(Contender::value_variants().iter().filter(|contender| fits(contender)));
    }
    wanted.extend(&named);
    let mut entrants: Vec<Entrant> = Vec::new();
    for contender in wanted {
        let must = named.contains(&contender) && !contender.has_kernels_in_c()
            || (contender.is_vicinity() && options.lib.is_some());
        match enter(contender, options) {
            Ok(_) if entrants.iter().any(|e| e.contender == contender) => {}
            Ok(entrant) => entrants.extend(varied(entrant, &options.vary)),
            Err(why) if must => {
                return Err(Failure::Setup(format!("{}: {why}", contender.name())));
            }
            Err(why) => tell(format!("bench: without {}: {why}", contender.name())),
        }
    }
    if entrants.is_empty() {
        return Err(Failure::Setup("no contender can run here".into()));
    }
    Ok(entrants)
}

/// The contender as it is, or once for every combination of the variables' values.
fn varied(entrant: Entrant, all: &[Vary]) -> Vec<Entrant> {
    let all = if entrant.contender.is_vicinity() { all } else { &[] };
    all.iter().fold(vec![entrant], |entrants, vary| {
        let with = |entrant: &Entrant, value: &String| {
            let mut entrant = entrant.clone();
            entrant.settings.push((vary.name.clone(), value.clone()));
            entrant
        };
        let each = |entrant| vary.values.iter().map(move |value| with(entrant, value));
        entrants.iter().flat_map(each).collect()
    })
}

/// Finds what a contender needs, or says what is missing.
fn enter(contender: Contender, options: &Options) -> Result<Entrant, String> {
    let mut entrant =
        Entrant { contender, library_path: None, executable: None, driver: None, settings: vec![] };
    let Some(family) = contender.family() else {
        let program = beside_executable(&RAYON_PROGRAMS);
        entrant.executable =
            Some(program.ok_or("vicinity-bench-rayon is not beside this executable")?);
        return Ok(entrant);
    };
    let compiler = family.main_compiler();
    if !is_installed(compiler) {
        return Err(format!("the compiler {compiler} is not installed"));
    }
    if family == Family::Tbb && !Path::new(TBB_HEADER).exists() {
        return Err(format!("{TBB_HEADER} is not there (Debian's libtbb-dev has it)"));
    }
    if contender.is_opencl() {
        entrant.driver = Some(driver(contender, options)?);
    } else if contender.is_vicinity() {
        let folder = vicinity_folder(options.lib.as_deref())?;
        if !folder.join(family.library()).exists() {
            return Err(format!("{} has no {}", folder.display(), family.library()));
        }
        entrant.library_path = Some(folder.into_os_string());
    } else if let Some(folder) = family.stock_folder().filter(|f| Path::new(f).is_dir()) {
        entrant.library_path = Some(folder.into());
    }
    Ok(entrant)
}

/// The folder of Vicinity's OpenMP libraries.
fn vicinity_folder(lib: Option<&Path>) -> Result<PathBuf, String> {
    let folder = match lib {
        Some(folder) => folder.canonicalize().ok(),
        None => beside_executable(&LIBRARY_FOLDERS),
    };
    folder.ok_or_else(|| match lib {
        Some(folder) => format!("{} is not there", folder.display()),
        None => "Vicinity's lib/omp is not there; build it with make, or say --lib".into(),
    })
}

/// The OpenCL driver of a contender: the one that the command line names, or its own.
fn driver(contender: Contender, options: &Options) -> Result<PathBuf, String> {
    let named = options.driver.iter().find(|driver| driver.contender == contender);
    let file = match (named, contender) {
        (Some(named), _) => named.file.clone(),
        (None, Contender::Pocl) => return opencl::registered("pocl"),
        (None, Contender::IntelOpencl) => return opencl::registered("intel"),
        _ => vicinity_folder(options.lib.as_deref())?.with_file_name(VICINITY_DRIVER),
    };
    file.canonicalize().map_err(|error| format!("{}: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loaders_listing_is_understood() {
        let listing = "\tlinux-vdso.so.1 (0x00007ffd)\n\tlibgomp.so.1 => /opt/v/libgomp.so.1 (0x7f)\n\
                       \tlibomp.so.5 => not found\n";
        assert_eq!(resolved(listing, "libgomp.so.1"), Some("/opt/v/libgomp.so.1".into()));
        assert_eq!(resolved(listing, "libomp.so.5"), None);
        assert_eq!(resolved(listing, "libc.so.6"), None);
    }

    fn entrant(contender: Contender, library_path: &str) -> Entrant {
        let library_path = Some(library_path.into());
        Entrant { contender, library_path, executable: None, driver: None, settings: vec![] }
    }

    /// Who measures from within `vicinity run` compares with the peers themselves.
    #[test]
    fn no_contender_runs_under_an_auditor() {
        let peer = entrant(Contender::ClangLibomp, "/usr/lib/llvm-19/lib");
        let command = peer.command(Path::new("program"), 2);
        assert!(command.get_envs().any(|set| set == ("LD_AUDIT".as_ref(), None)));
    }

    #[test]
    fn records_do_not_tell_where_vicinity_is() {
        let ours = entrant(Contender::VicinityGcc, "/home/me/vicinity/lib/omp");
        let library = Path::new("/home/me/vicinity/lib/omp/libgomp.so.1");
        assert_eq!(ours.recorded(library), "lib/omp/libgomp.so.1");
        let rayon = Path::new("/home/me/vicinity/bin/vicinity-bench-rayon");
        assert_eq!(entrant(Contender::Rayon, "").recorded(rayon), "vicinity-bench-rayon");
        let intel = Path::new("/home/me/lib/libintelocl.so");
        assert_eq!(entrant(Contender::IntelOpencl, "").recorded(intel), "libintelocl.so");
        let other = entrant(Contender::Driver("mine"), "");
        assert_eq!(other.recorded(Path::new("/home/me/libmine.so")), "libmine.so");
        let stock = Path::new("/usr/lib/llvm-19/lib/libomp.so.5");
        let peer = entrant(Contender::ClangLibomp, "/usr/lib/llvm-19/lib");
        assert_eq!(peer.recorded(stock), "/usr/lib/llvm-19/lib/libomp.so.5");
    }

    #[test]
    fn only_vicinity_is_varied() {
        let vary = ["VICINITY_REACH=1,all", "VICINITY_SPREAD=processors"];
        let vary = vary.map(|text| text.parse().expect("a variable"));
        let ours = varied(entrant(Contender::VicinityGcc, "/lib"), &vary);
        let command = ours[0].command(Path::new("fib"), 1);
        assert!(command.get_envs().any(|(name, value)| {
            name == "VICINITY_REACH" && value.is_some_and(|value| value == "1")
        }));
        let settings: Vec<String> = ours.iter().filter_map(Entrant::setting).collect();
        assert_eq!(settings, ["1 processors", "all processors"]);
        assert_eq!(varied(entrant(Contender::ClangLibomp, "/lib"), &vary).len(), 1);
    }

    #[test]
    fn a_library_folder_that_is_not_there_is_named() {
        let error = vicinity_folder(Some(Path::new("/nonexistent/omp")));
        assert!(error.expect_err("not there").contains("/nonexistent/omp"));
    }
}
