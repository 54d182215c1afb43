//! Contenders: which compiler builds the program, and which library runs it.

use clap::ValueEnum;

use crate::catalogue::Language;
use crate::options::Suite;

/// A compiler and a runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Contender {
    /// Built by gcc, on the system's libgomp
    #[value(name = "gcc/libgomp", alias = "libgomp")]
    GccLibgomp,
    /// Built by clang, on the system's libomp
    #[value(name = "clang/libomp", alias = "libomp")]
    ClangLibomp,
    /// Built by gcc, on Vicinity
    #[value(name = "vicinity-gcc")]
    VicinityGcc,
    /// Built by clang, on Vicinity
    #[value(name = "vicinity-clang")]
    VicinityClang,
    /// fib with oneTBB's task groups, built by g++
    #[value(name = "tbb", alias = "onetbb")]
    Tbb,
    /// fib with rayon::join, no OpenMP at all
    #[value(name = "rayon")]
    Rayon,
    /// OpenCL on Vicinity
    #[value(name = "vicinity-opencl")]
    VicinityOpencl,
    /// The same, every loop depth-first: an item runs it before the next item begins
    #[value(name = "vicinity-dfo")]
    VicinityDfo,
    /// The same, every loop breadth-first: all items run an iteration before the next
    #[value(name = "vicinity-bfo")]
    VicinityBfo,
    /// The same as vicinity-opencl, all local arrays and barriers kept
    #[value(name = "vicinity-kept")]
    VicinityKept,
    /// The same as vicinity-opencl, every kernel that can by vectors of items
    #[value(name = "vicinity-vectors")]
    VicinityVectors,
    /// The same as vicinity-opencl, no kernel by vectors of items
    #[value(name = "vicinity-items")]
    VicinityItems,
    /// OpenCL on PoCL, as the system has it
    #[value(name = "pocl")]
    Pocl,
    /// OpenCL on Intel's runtime for processors, as the system has it
    #[value(name = "intel-opencl")]
    IntelOpencl,
    /// The kernels of the suite opencl as C with OpenMP, built by gcc for this machine, on the system's libgomp
    #[value(name = "openmp-gcc")]
    OpenmpGcc,
    /// The same, built by clang, on the system's libomp
    #[value(name = "openmp-clang")]
    OpenmpClang,
    /// OpenCL on the driver that `--driver` gives this name
    #[value(skip)]
    Driver(&'static str),
}

/// A family of compilers with one ABI of tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    Gcc,
    Clang,
    /// g++, and oneTBB in place of OpenMP's tasks.
    Tbb,
    /// gcc for the host, and a driver's own compiler for the kernels.
    OpenCl,
    /// gcc for kernels in C.
    KernelsGcc,
    /// clang for kernels in C.
    KernelsClang,
}

/// Flags of every program. No `-march`: what a distribution would ship.
const SHIPPED: &[&str] = &["-O2", "-fopenmp"];
/// OpenCL's drivers compile kernels for the machine; functions of OpenCL set no `errno`, its operations trap nowhere.
const NATIVE: &[&str] =
    &["-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-fopenmp"];
/// With glibc's vector functions, which gcc is told of in `openmp.h`.
const NATIVE_CLANG: &[&str] = &[
    "-O3",
    "-march=native",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fveclib=libmvec",
    "-fopenmp",
];

impl Family {
    /// How its compilers are called.
    pub fn flags(self) -> &'static [&'static str] {
        match self {
            Family::Gcc | Family::Clang | Family::Tbb => SHIPPED,
            Family::OpenCl => &["-O2"],
            Family::KernelsGcc => NATIVE,
            Family::KernelsClang => NATIVE_CLANG,
        }
    }

    /// The command that compiles a language; `None` where this family has none here.
    pub fn compiler(self, language: Language) -> Option<&'static str> {
        match (self, language) {
            (Family::Gcc | Family::KernelsGcc, Language::C) => Some("gcc"),
            (Family::Gcc, Language::Cpp) => Some("g++"),
            (Family::Gcc, Language::Fortran) => Some("gfortran"),
            (Family::Clang | Family::KernelsClang, Language::C) => Some("clang-19"),
            (Family::Clang, Language::Cpp) => Some("clang++-19"),
            (Family::Tbb, Language::Cpp) => Some("g++"),
            (Family::OpenCl, Language::OpenCl) => Some("gcc"),
            _ => None,
        }
    }

    /// The compiler that it cannot do without.
    pub fn main_compiler(self) -> &'static str {
        match self {
            Family::Gcc | Family::Tbb => "g++",
            Family::Clang => "clang++-19",
            Family::OpenCl | Family::KernelsGcc => "gcc",
            Family::KernelsClang => "clang-19",
        }
    }

    /// The library its programs ask the loader for.
    pub fn library(self) -> &'static str {
        match self {
            Family::Gcc | Family::KernelsGcc => "libgomp.so.1",
            Family::Clang | Family::KernelsClang => "libomp.so.5",
            Family::Tbb => "libtbb.so.12",
            Family::OpenCl => "libOpenCL.so.1",
        }
    }

    /// Where the stock library lies, for the case that the loader does not know.
    pub fn stock_folder(self) -> Option<&'static str> {
        match self {
            Family::Gcc | Family::KernelsGcc | Family::Tbb | Family::OpenCl => None,
            Family::Clang | Family::KernelsClang => Some("/usr/lib/llvm-19/lib"),
        }
    }
}

impl Contender {
    pub fn name(self) -> &'static str {
        match self {
            Contender::GccLibgomp => "gcc/libgomp",
            Contender::ClangLibomp => "clang/libomp",
            Contender::VicinityGcc => "vicinity-gcc",
            Contender::VicinityClang => "vicinity-clang",
            Contender::Tbb => "tbb",
            Contender::Rayon => "rayon",
            Contender::VicinityOpencl => "vicinity-opencl",
            Contender::VicinityDfo => "vicinity-dfo",
            Contender::VicinityBfo => "vicinity-bfo",
            Contender::VicinityKept => "vicinity-kept",
            Contender::VicinityVectors => "vicinity-vectors",
            Contender::VicinityItems => "vicinity-items",
            Contender::Pocl => "pocl",
            Contender::IntelOpencl => "intel-opencl",
            Contender::OpenmpGcc => "openmp-gcc",
            Contender::OpenmpClang => "openmp-clang",
            Contender::Driver(name) => name,
        }
    }

    pub fn family(self) -> Option<Family> {
        match self {
            Contender::GccLibgomp | Contender::VicinityGcc => Some(Family::Gcc),
            Contender::ClangLibomp | Contender::VicinityClang => Some(Family::Clang),
            Contender::Tbb => Some(Family::Tbb),
            Contender::Rayon => None,
            Contender::OpenmpGcc => Some(Family::KernelsGcc),
            Contender::OpenmpClang => Some(Family::KernelsClang),
            _ => Some(Family::OpenCl),
        }
    }

    pub fn is_opencl(self) -> bool {
        self.family() == Some(Family::OpenCl)
    }

    /// Whether it runs kernels as C, which only those have who name it: it is no driver of OpenCL.
    pub fn has_kernels_in_c(self) -> bool {
        matches!(self, Contender::OpenmpGcc | Contender::OpenmpClang)
    }

    /// Whether a contender that nobody named takes part in a suite.
    pub fn fits(self, suite: Suite) -> bool {
        let only_named = match self {
            Contender::VicinityKept => suite != Suite::LocalMemory,
            Contender::VicinityVectors | Contender::VicinityItems => true,
            other => other.has_kernels_in_c(),
        };
        suite.is_opencl() == self.is_opencl() && !only_named
    }

    pub fn is_vicinity(self) -> bool {
        use Contender::{VicinityClang, VicinityGcc, VicinityOpencl};
        matches!(self, VicinityOpencl | VicinityGcc | VicinityClang) || self.setting().is_some()
    }

    /// The variable of Vicinity's environment that makes a contender what it is, and its value.
    pub fn setting(self) -> Option<(&'static str, &'static str)> {
        match self {
            Contender::VicinityDfo => Some(("VICINITY_ORDER", "dfo")),
            Contender::VicinityBfo => Some(("VICINITY_ORDER", "bfo")),
            Contender::VicinityKept => Some(("VICINITY_LOCAL", "kept")),
            Contender::VicinityVectors => Some(("VICINITY_VECTORS", "always")),
            Contender::VicinityItems => Some(("VICINITY_VECTORS", "never")),
            _ => None,
        }
    }

    /// The stock contender that runs the same executable.
    pub fn own_peer(self) -> Option<Contender> {
        match self {
            Contender::VicinityGcc => Some(Contender::GccLibgomp),
            Contender::VicinityClang => Some(Contender::ClangLibomp),
            _ if self.is_vicinity() => Some(Contender::Pocl),
            _ => None,
        }
    }

    /// Whether this is a stock runtime of OpenMP or OpenCL.
    pub fn is_peer(self) -> bool {
        use Contender::{ClangLibomp, Driver, GccLibgomp, IntelOpencl, Pocl};
        matches!(self, GccLibgomp | ClangLibomp | Pocl | IntelOpencl | Driver(_))
            || self.has_kernels_in_c()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_command_line() {
        for contender in Contender::value_variants() {
            let value = contender.to_possible_value().expect("not skipped");
            assert_eq!(value.get_name(), contender.name());
        }
    }

    #[test]
    fn what_keeps_local_arrays_is_compared_where_they_count() {
        let in_suite = |suite| Contender::VicinityKept.fits(suite);
        assert!(
            in_suite(Suite::LocalMemory) && !in_suite(Suite::Opencl) && !in_suite(Suite::Tasks)
        );
    }
}
