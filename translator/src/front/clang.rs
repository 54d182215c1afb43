//! OpenCL C into LLVM's bitcode, by a clang process of its own: what crashes there is a failed build.
//!
//! The code comes for a virtual processor (`spir64`) that keeps address spaces and passes vectors by value, and
//! without any optimization (`-disable-llvm-passes`), yet as if there will be some (`-O2`), so that what later
//! passes want to know (lifetimes, aliasing by type) is in it. (`-O1` would forbid them to unroll loops.)

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::child::Child;
use crate::program::failure::{Failure, cannot, unreadable};
use crate::program::options::{Optimize, Options};
use crate::program::{patience, tools};

/// One source to compile.
pub struct Source<'a> {
    pub path: &'a Path,
    /// Names under which `#include` finds these files.
    pub headers: &'a [(String, PathBuf)],
}

/// What came of it: bitcode if there were no errors, and in any case what clang said.
pub struct Compiled {
    pub bitcode: Option<Vec<u8>>,
    pub log: String,
    /// The files that it read, as [`crate::front::reads`] takes them.
    pub dependencies: Vec<u8>,
}

/// Variables that change what it reads or writes, which the options alone say here.
const VARIABLES: &[&str] = &[
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "OBJC_INCLUDE_PATH",
    "OBJCPLUS_INCLUDE_PATH",
    "CCC_OVERRIDE_OPTIONS",
    "COMPILER_PATH",
    "DEPENDENCIES_OUTPUT",
    "GCC_EXEC_PREFIX",
    "SOURCE_DATE_EPOCH",
    "SUNPRO_DEPENDENCIES",
];

/// What of OpenCL's optional parts this device has, and clang knows; everything else of its list is switched off.
/// Half needs conversions in hardware (F16C).
const EXTENSIONS: &[&str] = &[
    "cl_intel_subgroups",
    "cl_khr_3d_image_writes",
    "cl_khr_byte_addressable_store",
    "cl_khr_depth_images",
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "__opencl_c_3d_image_writes",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_fp64",
    "__opencl_c_generic_address_space",
    "__opencl_c_images",
    "__opencl_c_int64",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_read_write_images",
];

/// Those of which macros alone tell clang: for every version of the language, and since 2.0.
const MACROS: &[&str] = &[
    "cl_khr_extended_bit_ops",
    "cl_intel_required_subgroup_size",
    "cl_khr_expect_assume",
    "cl_khr_integer_dot_product",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
    "__opencl_c_subgroups",
];
const MACROS_SINCE_2: &[&str] = &[
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_work_group_collective_functions",
    "cl_ext_float_atomics",
    "__opencl_c_ext_fp32_global_atomic_add",
    "__opencl_c_ext_fp32_global_atomic_min_max",
    "__opencl_c_ext_fp32_local_atomic_add",
    "__opencl_c_ext_fp32_local_atomic_min_max",
    "__opencl_c_ext_fp64_global_atomic_add",
    "__opencl_c_ext_fp64_global_atomic_min_max",
    "__opencl_c_ext_fp64_local_atomic_add",
    "__opencl_c_ext_fp64_local_atomic_min_max",
];

/// A version of the language with these parts and no others, as options for clang.
pub fn language(standard: &str) -> Vec<String> {
    let since_2 = if standard.starts_with("CL1") { &[] } else { MACROS_SINCE_2 };
    let macros = MACROS.iter().chain(since_2).map(|name| format!("-D{name}=1"));
    let has_half = std::arch::is_x86_feature_detected!("f16c");
    let offered = EXTENSIONS.iter().filter(|&&name| name != "cl_khr_fp16" || has_half);
    let extensions = format!("-cl-ext=-all,+{}", offered.copied().collect::<Vec<_>>().join(",+"));
    let options = [format!("-cl-std={standard}"), "-Xclang".to_string(), extensions];
    // clang's header takes every spir target for a device that has all it knows; that there are images, clang says by itself.
    let spir = ["-U__SPIR__"].map(String::from);
    options.into_iter().chain(spir).chain(macros).collect()
}

/// Declarations that clang does not have, by what names of theirs begin with.
const DECLARATIONS: &str = include_str!("../../library/intel_sub_groups.h");
const DECLARED: &str = "intel_sub_group";

/// Whether a source may call something of these: by its name, or in a file that it includes.
fn may_need_declarations(source: &Source, options: &Options) -> Result<bool, Failure> {
    let text = fs::read(source.path).map_err(|error| unreadable(source.path, &error))?;
    let text = String::from_utf8_lossy(&text);
    let named = |text: &str| text.contains(DECLARED) || text.contains("include");
    Ok(named(&text) || options.compiler.iter().any(|option| named(option)))
}

/// Compiles; `scratch` is a folder for files in between.
pub fn compile(source: &Source, options: &Options, scratch: &Path) -> Result<Compiled, Failure> {
    let (output, dependencies) = (scratch.join("front.bc"), scratch.join("front.d"));
    let mut command = tools::compiler();
    VARIABLES.iter().for_each(|variable| _ = command.env_remove(variable));
    command.args(["--no-default-config", "-MD", "-MF"]).arg(&dependencies);
    command.args(["-x", "cl", "-target", "spir64", "-O2", "-Xclang", "-disable-llvm-passes"]);
    command.args(["-emit-llvm", "-c", "-gline-tables-only", "-cl-kernel-arg-info"]);
    // docs/decisions/021-types-of-pointers.md
    command.arg("-fno-strict-aliasing");
    command.args(["-fno-color-diagnostics", "-fno-crash-diagnostics", "-o"]).arg(&output);
    command.args(language(options.standard.as_deref().unwrap_or("CL1.2")));
    // What it warns of samplers is of other devices: a sampler may leave the filter out.
    command.arg("-Wno-spir-compat");
    // The device's version, of which clang cannot know.
    command.arg("-D__OPENCL_VERSION__=300");
    if options.optimize == Optimize::No {
        command.arg("-cl-opt-disable");
    }
    if !source.headers.is_empty() {
        command.arg("-I").arg(place_headers(source.headers, &scratch.join("headers"))?);
    }
    if may_need_declarations(source, options)? {
        let header = scratch.join("intel_sub_groups.h");
        fs::write(&header, DECLARATIONS).map_err(|error| cannot("write", &header, &error))?;
        command.arg("-include").arg(header);
    }
    command.args(&options.compiler).arg("--").arg(source.path);
    let log = match run(&mut command)? {
        // It calls itself for what is nested, or a long sum.
        log if log.crashed => run(&mut with_more_stack(&command))?,
        log => log,
    };
    let bitcode = match log.succeeded {
        true => Some(fs::read(&output).map_err(|error| cannot("read", &output, &error))?),
        false => None,
    };
    let dependencies = fs::read(&dependencies).unwrap_or_default();
    Ok(Compiled { bitcode, log: log.text, dependencies })
}

/// Makes a folder in which each header lies under its name.
fn place_headers(headers: &[(String, PathBuf)], folder: &Path) -> Result<PathBuf, Failure> {
    for (name, file) in headers {
        let inside = Path::new(name).components().all(|part| {
            matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir)
        });
        if !inside || name.is_empty() {
            return Err(Failure::Usage(format!("--header {name}: not a name below a folder")));
        }
        let place = folder.join(name);
        let parent = place.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| cannot("create", parent, &error))?;
        fs::copy(file, &place).map_err(|error| unreadable(file, &error))?;
    }
    Ok(folder.to_path_buf())
}

pub struct Log {
    pub succeeded: bool,
    /// It died of a signal.
    pub crashed: bool,
    pub text: String,
}

/// The same command with as large a stack as there may be, a gigabyte at most.
fn with_more_stack(command: &Command) -> Command {
    const SCRIPT: &str =
        r#"ulimit -s 1048576 2>/dev/null || ulimit -s "$(ulimit -Hs)"; exec "$0" "$@""#;
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", SCRIPT]).arg(command.get_program()).args(command.get_args());
    VARIABLES.iter().for_each(|variable| _ = shell.env_remove(variable));
    shell
}

/// Runs a compiler to its end, or to that of its time.
pub fn run(command: &mut Command) -> Result<Log, Failure> {
    let child = Child::start(command).map_err(|error| {
        let program = command.get_program().to_string_lossy().into_owned();
        Failure::Internal(match error.kind() {
            std::io::ErrorKind::NotFound => format!(
                "error: {program} is not installed; OpenCL C is compiled with it \
                 (Debian: apt-get install clang-19 libclang-common-19-dev)"
            ),
            _ => format!("error: {program} cannot be started: {error}"),
        })
    })?;
    let limit = patience::limit_compiler(child.number());
    let broken = |error: std::io::Error| Failure::Internal(format!("waiting for clang: {error}"));
    let (status, bytes) = child.wait().map_err(broken)?;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    let stopped = status.signal().is_some_and(patience::is_limit);
    match limit {
        Some(seconds) if stopped => {
            text = format!(
                "error: the compiler was stopped: it took more than {seconds} seconds of a processor's time\n"
            )
        }
        _ if status.code().is_none() => {
            text.push_str(&format!("error: the compiler crashed ({status})\n"));
        }
        _ => {}
    }
    let succeeded = status.success();
    let crashed = status.code().is_none() && !stopped;
    if !succeeded && text.contains("opencl-c-base.h") && text.contains("file not found") {
        text.push_str("note: Debian has this file in libclang-common-19-dev\n");
    }
    Ok(Log { succeeded, crashed, text })
}
