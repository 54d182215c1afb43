//! The OpenCL workloads: kernels of `opencl/`, and what single steps of the host interface cost.

use std::path::{Path, PathBuf};

use crate::catalogue::{Language, PROCESS_CLOCK, Program, Source, Unit, Workload};
use crate::options::{Class, Suite};
use crate::rounds::ROUNDS;

macro_rules! source {
    ($name:literal) => {
        Source { name: $name, text: include_str!(concat!("../opencl/", $name)) }
    };
}

/// The host programs of the suite `opencl`, and what only one of its two programs has.
macro_rules! sources {
    ($($more:expr),*) => {
        &[
            source!("opencl.c"),
            source!("common.c"),
            source!("tables.c"),
            source!("dense.c"),
            source!("stencil.c"),
            source!("walk.c"),
            source!("body.c"),
            source!("graph.c"),
            source!("collective.c"),
            source!("formula.c"),
            $($more),*
        ]
    };
}

/// What they include.
macro_rules! headers {
    ($($more:expr),*) => {
        &[
            source!("clbench.h"),
            PROCESS_CLOCK,
            source!("incbin.h"),
            source!("parameters.h"),
            source!("product.h"),
            source!("workloads.h"),
            source!("dense.cl"),
            source!("stencil.cl"),
            source!("walk.cl"),
            source!("body.cl"),
            source!("graph.cl"),
            source!("collective.cl"),
            source!("formula.cl"),
            $($more),*
        ]
    };
}

const KERNELS: Program = Program {
    name: "opencl",
    language: Language::OpenCl,
    sources: sources![source!("clbench.c")],
    headers: headers![],
    libraries: &["OpenCL"],
    cuts: false,
    places: false,
};

/// The same kernels in C with OpenMP: the host programs' data and checks, and what they launch as functions.
const KERNELS_IN_C: Program = Program {
    name: "opencl_in_c",
    language: Language::C,
    sources: sources![
        source!("openmp.c"),
        source!("openmp_dense.c"),
        source!("openmp_grid.c"),
        source!("openmp_walk.c"),
        source!("openmp_body.c"),
        source!("openmp_graph.c")
    ],
    headers: headers![source!("openmp.h")],
    libraries: &[],
    ..KERNELS
};

/// The same workloads as a program in C, where there is one.
pub fn in_c(program: &Program) -> Option<Program> {
    (program.name == KERNELS.name).then_some(KERNELS_IN_C)
}

/// Kernels as textbooks and vendors' guides have them, written for a measurement before anything was tuned for them.
const FRESH: Program = Program {
    name: "opencl_fresh",
    sources: &[
        source!("opencl.c"),
        source!("clbench.c"),
        source!("common.c"),
        source!("fresh.c"),
        source!("round1_map.c"),
        source!("round1_grid.c"),
        source!("round1_rows.c"),
        source!("round1_group.c"),
        source!("round1_search.c"),
        source!("round1_body.c"),
        source!("round2_image.c"),
        source!("round2_tile.c"),
        source!("round2_field.c"),
        source!("round3_layers.c"),
        source!("round3_solvers.c"),
        source!("round3_words.c"),
        source!("round3_models.c"),
        source!("round4_image.c"),
        source!("round4_scene.c"),
        source!("round4_batch.c"),
        source!("round4_stream.c"),
        source!("round5_picture.c"),
        source!("round5_space.c"),
        source!("round5_numbers.c"),
        source!("round5_data.c"),
        source!("round6_image.c"),
        source!("round6_fields.c"),
        source!("round6_models.c"),
        source!("round6_codes.c"),
        source!("round7_image.c"),
        source!("round7_physics.c"),
        source!("round7_learning.c"),
        source!("round7_data.c"),
        source!("round8_image.c"),
        source!("round8_space.c"),
        source!("round8_learning.c"),
        source!("round8_data.c"),
        source!("round9_image.c"),
        source!("round9_space.c"),
        source!("round9_models.c"),
        source!("round9_numbers.c"),
        source!("round10_image.c"),
        source!("round10_space.c"),
        source!("round10_models.c"),
        source!("round10_data.c"),
        source!("round11_scene.c"),
        source!("round11_fields.c"),
        source!("round11_models.c"),
        source!("round11_data.c"),
        source!("round12_image.c"),
        source!("round12_numbers.c"),
        source!("round12_models.c"),
        source!("round12_data.c"),
        source!("round13_signal.c"),
        source!("round13_physics.c"),
        source!("round13_models.c"),
        source!("round13_data.c"),
        source!("round14_image.c"),
        source!("round14_models.c"),
        source!("round14_science.c"),
        source!("round14_data.c"),
        source!("round15_vision.c"),
        source!("round15_models.c"),
        source!("round15_science.c"),
        source!("round15_data.c"),
        source!("round16_image.c"),
        source!("round16_models.c"),
        source!("round16_science.c"),
        source!("round16_data.c"),
        source!("round17_image.c"),
        source!("round17_models.c"),
        source!("round17_science.c"),
        source!("round17_data.c"),
        source!("round18_image.c"),
        source!("round18_models.c"),
        source!("round18_science.c"),
        source!("round18_data.c"),
        source!("round18_graphs.c"),
        source!("round19_image.c"),
        source!("round19_models.c"),
        source!("round19_sound.c"),
        source!("round19_science.c"),
        source!("round19_data.c"),
        source!("round20_scene.c"),
        source!("round20_models.c"),
        source!("round20_markets.c"),
        source!("round20_robots.c"),
        source!("round20_data.c"),
        source!("round21_media.c"),
        source!("round21_maps.c"),
        source!("round21_engineering.c"),
        source!("round21_models.c"),
        source!("round21_data.c"),
        source!("round22_instruments.c"),
        source!("round22_ciphers.c"),
        source!("round22_shapes.c"),
        source!("round22_molecules.c"),
        source!("round22_models.c"),
        source!("round23_radio.c"),
        source!("round23_earth.c"),
        source!("round23_pictures.c"),
        source!("round23_steps.c"),
        source!("round23_data.c"),
        source!("round24_tensors.c"),
        source!("round24_science.c"),
        source!("round24_games.c"),
        source!("round24_figures.c"),
        source!("round24_words.c"),
        source!("round25_algebra.c"),
        source!("round25_fields.c"),
        source!("round25_pictures.c"),
        source!("round25_streams.c"),
        source!("round25_choices.c"),
        source!("round26_numbers.c"),
        source!("round26_models.c"),
        source!("round26_scans.c"),
        source!("round26_worlds.c"),
        source!("round26_signals.c"),
        source!("round27_secrets.c"),
        source!("round27_scenes.c"),
        source!("round27_sciences.c"),
        source!("round27_learning.c"),
        source!("round27_rows.c"),
        source!("round28_pictures.c"),
        source!("round28_physics.c"),
        source!("round28_shapes.c"),
        source!("round28_learning.c"),
        source!("round28_records.c"),
        source!("round29_waves.c"),
        source!("round29_models.c"),
        source!("round29_media.c"),
        source!("round29_networks.c"),
        source!("round29_matter.c"),
    ],
    headers: &[
        source!("clbench.h"),
        PROCESS_CLOCK,
        source!("incbin.h"),
        source!("workloads.h"),
        source!("round1_map.cl"),
        source!("round1_grid.cl"),
        source!("round1_rows.cl"),
        source!("round1_group.cl"),
        source!("round1_search.cl"),
        source!("round1_body.cl"),
        source!("round2_image.cl"),
        source!("round2_tile.cl"),
        source!("round2_field.cl"),
        source!("round3_layers.cl"),
        source!("round3_solvers.cl"),
        source!("round3_words.cl"),
        source!("round3_models.cl"),
        source!("round4_image.cl"),
        source!("round4_scene.cl"),
        source!("round4_batch.cl"),
        source!("round4_stream.cl"),
        source!("round5_picture.cl"),
        source!("round5_space.cl"),
        source!("round5_numbers.cl"),
        source!("round5_data.cl"),
        source!("round6_image.cl"),
        source!("round6_fields.cl"),
        source!("round6_models.cl"),
        source!("round6_codes.cl"),
        source!("round7_image.cl"),
        source!("round7_physics.cl"),
        source!("round7_learning.cl"),
        source!("round7_data.cl"),
        source!("round8_image.cl"),
        source!("round8_space.cl"),
        source!("round8_learning.cl"),
        source!("round8_data.cl"),
        source!("round9_image.cl"),
        source!("round9_space.cl"),
        source!("round9_models.cl"),
        source!("round9_numbers.cl"),
        source!("round10_image.cl"),
        source!("round10_space.cl"),
        source!("round10_models.cl"),
        source!("round10_data.cl"),
        source!("round11_scene.cl"),
        source!("round11_fields.cl"),
        source!("round11_models.cl"),
        source!("round11_data.cl"),
        source!("round12_image.cl"),
        source!("round12_numbers.cl"),
        source!("round12_models.cl"),
        source!("round12_data.cl"),
        source!("round13_signal.cl"),
        source!("round13_physics.cl"),
        source!("round13_models.cl"),
        source!("round13_data.cl"),
        source!("round14_image.cl"),
        source!("round14_models.cl"),
        source!("round14_science.cl"),
        source!("round14_data.cl"),
        source!("round15_vision.cl"),
        source!("round15_models.cl"),
        source!("round15_science.cl"),
        source!("round15_data.cl"),
        source!("round16_image.cl"),
        source!("round16_models.cl"),
        source!("round16_science.cl"),
        source!("round16_data.cl"),
        source!("round17_image.cl"),
        source!("round17_models.cl"),
        source!("round17_science.cl"),
        source!("round17_data.cl"),
        source!("round18_image.cl"),
        source!("round18_models.cl"),
        source!("round18_science.cl"),
        source!("round18_data.cl"),
        source!("round18_graphs.cl"),
        source!("round19_image.cl"),
        source!("round19_models.cl"),
        source!("round19_sound.cl"),
        source!("round19_science.cl"),
        source!("round19_data.cl"),
        source!("round20_scene.cl"),
        source!("round20_models.cl"),
        source!("round20_markets.cl"),
        source!("round20_robots.cl"),
        source!("round20_data.cl"),
        source!("round21_media.cl"),
        source!("round21_maps.cl"),
        source!("round21_engineering.cl"),
        source!("round21_models.cl"),
        source!("round21_data.cl"),
        source!("round22_instruments.cl"),
        source!("round22_ciphers.cl"),
        source!("round22_shapes.cl"),
        source!("round22_molecules.cl"),
        source!("round22_models.cl"),
        source!("round23_radio.cl"),
        source!("round23_earth.cl"),
        source!("round23_pictures.cl"),
        source!("round23_steps.cl"),
        source!("round23_data.cl"),
        source!("round24_tensors.cl"),
        source!("round24_science.cl"),
        source!("round24_games.cl"),
        source!("round24_figures.cl"),
        source!("round24_words.cl"),
        source!("round25_algebra.cl"),
        source!("round25_fields.cl"),
        source!("round25_pictures.cl"),
        source!("round25_streams.cl"),
        source!("round25_choices.cl"),
        source!("round26_numbers.cl"),
        source!("round26_models.cl"),
        source!("round26_scans.cl"),
        source!("round26_worlds.cl"),
        source!("round26_signals.cl"),
        source!("round27_secrets.cl"),
        source!("round27_scenes.cl"),
        source!("round27_sciences.cl"),
        source!("round27_learning.cl"),
        source!("round27_rows.cl"),
        source!("round28_pictures.cl"),
        source!("round28_physics.cl"),
        source!("round28_shapes.cl"),
        source!("round28_learning.cl"),
        source!("round28_records.cl"),
        source!("round29_waves.cl"),
        source!("round29_models.cl"),
        source!("round29_media.cl"),
        source!("round29_networks.cl"),
        source!("round29_matter.cl"),
    ],
    ..KERNELS
};

/// Kernels that share tiles in local memory, after those by which Huang et al. (FITEE 16(11), 2015) tell what their removal brings.
const LOCAL: Program = Program {
    name: "opencl_local",
    sources: &[
        source!("opencl.c"),
        source!("clbench.c"),
        source!("common.c"),
        source!("local.c"),
        source!("local_dense.c"),
        source!("local_grid.c"),
        source!("local_body.c"),
    ],
    headers: &[
        source!("clbench.h"),
        PROCESS_CLOCK,
        source!("incbin.h"),
        source!("product.h"),
        source!("workloads.h"),
        source!("local_dense.cl"),
        source!("local_grid.cl"),
        source!("local_body.cl"),
    ],
    ..KERNELS
};

const COSTS: Program = Program {
    name: "opencl_costs",
    sources: &[
        source!("costs.c"),
        source!("sequence.c"),
        source!("clbench.c"),
        source!("common.c"),
    ],
    headers: &[
        source!("clbench.h"),
        PROCESS_CLOCK,
        source!("incbin.h"),
        source!("sequence.h"),
        source!("costs.cl"),
    ],
    ..KERNELS
};

/// The workloads of the C sources, in the order of their tables there. A test compares.
pub const WORKLOADS: &[&str] = &[
    "matmul_naive",
    "matmul_tiled",
    "transpose_naive",
    "transpose_tiled",
    "lu",
    "dct",
    "stencil2d",
    "stencil3d",
    "fdtd",
    "lattice_boltzmann",
    "row_walk",
    "column_walk",
    "row_walk_branch",
    "vector_add",
    "gather",
    "nbody",
    "cutoff",
    "mriq",
    "kmeans",
    "streamcluster",
    "particle_filter",
    "bfs",
    "spmv",
    "histogram_global",
    "histogram_local",
    "binary_search",
    "wavefront",
    "scan",
    "tree_reduction",
    "black_scholes",
    "mandelbrot_set",
];

/// The workloads of the suite `local-memory`, in the order of their tables. A test compares.
pub const LOCAL_MEMORY: &[&str] = &[
    "product_tiled",
    "dct8x8_blocks",
    "product_naive",
    "fdtd3d_planes",
    "stencil9_halo",
    "nbody_shared",
];

/// What programs are told that are measured when there is need, also while others use the machine: the least of some runs.
const LEAST_ARGUMENTS: [&str; 5] = ["--least", "--runs", "25", "--warm-up", "0.05"];

/// What tells whether a kernel works needs no warm-up.
fn kernel_arguments(class: Class) -> &'static [&'static str] {
    if class == Class::Test { &["--warm-up", "0", "--runs", "1"] } else { &[] }
}

/// The measures of `costs.c`, in its order. A test compares.
pub const MEASURES: &[&str] = &[
    "cl_platform",
    "cl_context",
    "cl_build_cold",
    "cl_build_cached",
    "cl_build20_cold",
    "cl_build20_cached",
    "cl_whole20_cold",
    "cl_first_cold",
    "cl_first_launch",
    "cl_empty",
    "cl_enqueue",
    "cl_flush",
    "cl_hosts2",
    "cl_hosts8",
    "cl_short1",
    "cl_short3",
    "cl_short10",
    "cl_short30",
    "cl_short1_awaited",
    "cl_short10_awaited",
    "cl_group1",
    "cl_group16",
    "cl_group256",
    "cl_write",
    "cl_read",
    "cl_copy",
    "cl_fill",
    "cl_map",
    "cl_create",
    "memory_copy",
    "memory_fill",
];

/// All of them.
pub fn workloads(class: Class) -> impl Iterator<Item = Workload> {
    let plain = kernels(Suite::Opencl, KERNELS, WORKLOADS.iter(), class, kernel_arguments(class));
    let rounds = ROUNDS.iter().copied().flatten();
    let fresh = kernels(Suite::Fresh, FRESH, rounds, class, &LEAST_ARGUMENTS);
    let local = kernels(Suite::LocalMemory, LOCAL, LOCAL_MEMORY.iter(), class, &LEAST_ARGUMENTS);
    let costs = MEASURES.iter().map(|&name| Workload {
        suite: Suite::OpenclCosts,
        name,
        program: COSTS,
        arguments: vec![name.into()],
        unit: Unit::NanosecondsPerOperation,
        runs_per_sample: 1,
    });
    plain.chain(fresh).chain(local).chain(costs)
}

/// Kernels of a program, told their class and `more`.
fn kernels(
    suite: Suite,
    program: Program,
    names: impl Iterator<Item = &'static &'static str>,
    class: Class,
    more: &'static [&'static str],
) -> impl Iterator<Item = Workload> {
    names.map(move |&name| Workload {
        suite,
        name,
        program,
        arguments: [&["--class", class.word()], more, &[name]]
            .concat()
            .into_iter()
            .map(String::from)
            .collect(),
        unit: Unit::Milliseconds,
        runs_per_sample: 1,
    })
}

/// Where drivers are registered with the loader.
const VENDORS: &str = "/etc/OpenCL/vendors";

/// The file that names a driver, by the beginning of its name.
pub fn registered(beginning: &str) -> Result<PathBuf, String> {
    let files =
        std::fs::read_dir(VENDORS).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = files.filter(|path| is_vendor_file(path, beginning)).collect();
    found.sort();
    found.into_iter().next().ok_or_else(|| format!("{VENDORS} has no {beginning}*.icd"))
}

fn is_vendor_file(path: &Path, beginning: &str) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with(beginning) && name.ends_with(".icd")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names in the tables of workloads of a program's files with names that begin so.
    fn entries(program: Program, beginning: &str) -> Vec<&'static str> {
        let files = program.sources.iter().filter(|source| source.name.starts_with(beginning));
        let lines = files.flat_map(|source| source.text.lines());
        let entries = lines.filter_map(|line| line.trim_start().strip_prefix("WORKLOAD("));
        entries.filter_map(|entry| entry.split(", ").nth(1)).collect()
    }

    #[test]
    fn rounds_are_those_of_the_files() {
        for (index, round) in ROUNDS.iter().enumerate() {
            assert_eq!(entries(FRESH, &format!("round{}_", index + 1)), *round);
        }
        assert_eq!(entries(FRESH, "").len(), ROUNDS.concat().len());
    }

    #[test]
    fn workloads_and_measures_are_those_of_the_programs() {
        assert_eq!(entries(KERNELS, ""), WORKLOADS);
        assert_eq!(entries(LOCAL, ""), LOCAL_MEMORY);
        let entries = COSTS.sources[0].text.lines();
        let known: Vec<&str> = entries
            .filter_map(|line| line.trim_start().strip_prefix("{\"")?.split('"').next())
            .collect();
        assert_eq!(known, MEASURES);
    }

    /// Every workload has a function in C, which its table takes by name.
    #[test]
    fn kernels_in_c_are_those_of_opencl() {
        let header = KERNELS_IN_C.headers.iter().find(|header| header.name == "openmp.h");
        let lines = header.expect("listed").text.lines();
        let names =
            lines.filter_map(|line| line.strip_prefix("OPENMP_WORKLOAD(")?.strip_suffix(')'));
        assert_eq!(names.collect::<Vec<_>>(), WORKLOADS);
    }

    #[test]
    fn vendor_files_are_told_by_their_names() {
        assert!(is_vendor_file(Path::new("/etc/OpenCL/vendors/pocl.icd"), "pocl"));
        assert!(!is_vendor_file(Path::new("/etc/OpenCL/vendors/pocl.icd.old"), "pocl"));
        assert!(!is_vendor_file(Path::new("/etc/OpenCL/vendors/intel64.icd"), "pocl"));
    }
}
