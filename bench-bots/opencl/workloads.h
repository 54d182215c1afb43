/* The tables of workloads, each ended by an entry without a name, and the texts of their kernels. */
#ifndef VICINITY_WORKLOADS_H
#define VICINITY_WORKLOADS_H

#include "clbench.h"
#ifdef _OPENMP
#include "openmp.h"
#endif

/* A file of workloads and its kernels. */
#define WORKLOADS_OF(file)                                                                         \
    extern const struct workload file##_workloads[];                                               \
    CLBENCH_SOURCE(file)

WORKLOADS_OF(dense)
WORKLOADS_OF(stencil)
WORKLOADS_OF(walk)
WORKLOADS_OF(body)
WORKLOADS_OF(graph)
WORKLOADS_OF(collective)
WORKLOADS_OF(formula)

WORKLOADS_OF(round1_map)
WORKLOADS_OF(round1_grid)
WORKLOADS_OF(round1_rows)
WORKLOADS_OF(round1_group)
WORKLOADS_OF(round1_search)
WORKLOADS_OF(round1_body)

WORKLOADS_OF(round2_image)
WORKLOADS_OF(round2_tile)
WORKLOADS_OF(round2_field)

WORKLOADS_OF(round3_layers)
WORKLOADS_OF(round3_solvers)
WORKLOADS_OF(round3_words)
WORKLOADS_OF(round3_models)

WORKLOADS_OF(round4_image)
WORKLOADS_OF(round4_scene)
WORKLOADS_OF(round4_batch)
WORKLOADS_OF(round4_stream)

WORKLOADS_OF(round5_picture)
WORKLOADS_OF(round5_space)
WORKLOADS_OF(round5_numbers)
WORKLOADS_OF(round5_data)

WORKLOADS_OF(round6_image)
WORKLOADS_OF(round6_fields)
WORKLOADS_OF(round6_models)
WORKLOADS_OF(round6_codes)

WORKLOADS_OF(round7_image)
WORKLOADS_OF(round7_physics)
WORKLOADS_OF(round7_learning)
WORKLOADS_OF(round7_data)

WORKLOADS_OF(round8_image)
WORKLOADS_OF(round8_space)
WORKLOADS_OF(round8_learning)
WORKLOADS_OF(round8_data)

WORKLOADS_OF(round9_image)
WORKLOADS_OF(round9_space)
WORKLOADS_OF(round9_models)
WORKLOADS_OF(round9_numbers)

WORKLOADS_OF(round10_image)
WORKLOADS_OF(round10_space)
WORKLOADS_OF(round10_models)
WORKLOADS_OF(round10_data)

WORKLOADS_OF(round11_scene)
WORKLOADS_OF(round11_fields)
WORKLOADS_OF(round11_models)
WORKLOADS_OF(round11_data)

WORKLOADS_OF(round12_image)
WORKLOADS_OF(round12_numbers)
WORKLOADS_OF(round12_models)
WORKLOADS_OF(round12_data)

WORKLOADS_OF(round13_signal)
WORKLOADS_OF(round13_physics)
WORKLOADS_OF(round13_models)
WORKLOADS_OF(round13_data)

WORKLOADS_OF(round14_image)
WORKLOADS_OF(round14_models)
WORKLOADS_OF(round14_science)
WORKLOADS_OF(round14_data)

WORKLOADS_OF(round15_vision)
WORKLOADS_OF(round15_models)
WORKLOADS_OF(round15_science)
WORKLOADS_OF(round15_data)

WORKLOADS_OF(round16_image)
WORKLOADS_OF(round16_models)
WORKLOADS_OF(round16_science)
WORKLOADS_OF(round16_data)

WORKLOADS_OF(round17_image)
WORKLOADS_OF(round17_models)
WORKLOADS_OF(round17_science)
WORKLOADS_OF(round17_data)

WORKLOADS_OF(round18_image)
WORKLOADS_OF(round18_models)
WORKLOADS_OF(round18_science)
WORKLOADS_OF(round18_data)
WORKLOADS_OF(round18_graphs)

WORKLOADS_OF(round19_image)
WORKLOADS_OF(round19_models)
WORKLOADS_OF(round19_sound)
WORKLOADS_OF(round19_science)
WORKLOADS_OF(round19_data)

WORKLOADS_OF(round20_scene)
WORKLOADS_OF(round20_models)
WORKLOADS_OF(round20_markets)
WORKLOADS_OF(round20_robots)
WORKLOADS_OF(round20_data)

WORKLOADS_OF(round21_media)
WORKLOADS_OF(round21_maps)
WORKLOADS_OF(round21_engineering)
WORKLOADS_OF(round21_models)
WORKLOADS_OF(round21_data)

WORKLOADS_OF(round22_instruments)
WORKLOADS_OF(round22_ciphers)
WORKLOADS_OF(round22_shapes)
WORKLOADS_OF(round22_molecules)
WORKLOADS_OF(round22_models)

WORKLOADS_OF(round23_radio)
WORKLOADS_OF(round23_earth)
WORKLOADS_OF(round23_pictures)
WORKLOADS_OF(round23_steps)
WORKLOADS_OF(round23_data)

WORKLOADS_OF(round24_tensors)
WORKLOADS_OF(round24_science)
WORKLOADS_OF(round24_games)
WORKLOADS_OF(round24_figures)
WORKLOADS_OF(round24_words)

WORKLOADS_OF(round25_algebra)
WORKLOADS_OF(round25_fields)
WORKLOADS_OF(round25_pictures)
WORKLOADS_OF(round25_streams)
WORKLOADS_OF(round25_choices)

WORKLOADS_OF(round26_numbers)
WORKLOADS_OF(round26_models)
WORKLOADS_OF(round26_scans)
WORKLOADS_OF(round26_worlds)
WORKLOADS_OF(round26_signals)

WORKLOADS_OF(round27_secrets)
WORKLOADS_OF(round27_scenes)
WORKLOADS_OF(round27_sciences)
WORKLOADS_OF(round27_learning)
WORKLOADS_OF(round27_rows)

WORKLOADS_OF(round28_pictures)
WORKLOADS_OF(round28_physics)
WORKLOADS_OF(round28_shapes)
WORKLOADS_OF(round28_learning)
WORKLOADS_OF(round28_records)

WORKLOADS_OF(round29_waves)
WORKLOADS_OF(round29_models)
WORKLOADS_OF(round29_media)
WORKLOADS_OF(round29_networks)
WORKLOADS_OF(round29_matter)

WORKLOADS_OF(local_dense)
WORKLOADS_OF(local_grid)
WORKLOADS_OF(local_body)

/* The tables of the suite that this program is: tables.c, fresh.c or local.c has them. NULL ends them. */
extern const struct workload *const workload_tables[];

/* What several runs of a workload begin with, or do between their kernels: not timed. */
void particle_filter_weigh(struct clbench *b);
void bfs_start(struct clbench *b);
void histogram_start(struct clbench *b);
void wavefront_start(struct clbench *b);

/* One entry of a table: its functions are NAME_prepare, NAME_once and NAME_check. With OpenMP NAME_openmp runs in place of NAME_once, which
 * nobody calls then, so that nothing of OpenCL is linked. */
#ifdef _OPENMP
#define RUN_OF(name) name##_openmp
#else
#define RUN_OF(name) name##_once
#endif
#define WORKLOAD(file, name, test, small, medium, large)                                           \
    {#name, file##_cl, file##_cl_end, {test, small, medium, large}, name##_prepare, RUN_OF(name), name##_check}
#define END_OF_WORKLOADS {NULL, NULL, NULL, {0, 0, 0, 0}, NULL, NULL, NULL}

#endif
