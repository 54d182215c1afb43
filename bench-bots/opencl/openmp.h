/* The kernels of the suite `opencl` as C with OpenMP, to compare with: the same data, checks and timing.
 *
 * Built with OpenMP, the tables of workloads name these functions in place of those that launch kernels. A function stands for a run: it
 * computes, as C for processors is written, what the kernels do, and what OpenCL times in launches is timed between `begin` and `end`. A
 * buffer's `device` is ordinary memory here.
 */
#ifndef VICINITY_OPENMP_H
#define VICINITY_OPENMP_H

#include "clbench.h"

/* The device's side of buffer `i`. */
static inline void *memory(const struct clbench *b, int i) { return b->buffer[i].device; }

/* What lies between these is timed. */
static inline void begin(struct clbench *b) {
    b->cpu_s -= cpu_now_s();
    b->kernel_s -= now_s();
}
static inline void end(struct clbench *b) {
    b->kernel_s += now_s();
    b->cpu_s += cpu_now_s();
}

static inline long least_of(long a, long b) { return a < b ? a : b; }

/* OpenCL allows results that are off by 3 or 4 units in the last place, which the vector forms of glibc's functions keep to. Its header
 * offers them under -ffast-math alone, and clang has -fveclib. */
#if defined __GNUC__ && !defined __clang__
#pragma omp declare simd notinbranch
float expf(float);
#pragma omp declare simd notinbranch
float logf(float);
#pragma omp declare simd notinbranch
float sinf(float);
#pragma omp declare simd notinbranch
float cosf(float);
#endif

#define OPENMP_WORKLOAD(name) void name##_openmp(struct clbench *b);
OPENMP_WORKLOAD(matmul_naive)
OPENMP_WORKLOAD(matmul_tiled)
OPENMP_WORKLOAD(transpose_naive)
OPENMP_WORKLOAD(transpose_tiled)
OPENMP_WORKLOAD(lu)
OPENMP_WORKLOAD(dct)
OPENMP_WORKLOAD(stencil2d)
OPENMP_WORKLOAD(stencil3d)
OPENMP_WORKLOAD(fdtd)
OPENMP_WORKLOAD(lattice_boltzmann)
OPENMP_WORKLOAD(row_walk)
OPENMP_WORKLOAD(column_walk)
OPENMP_WORKLOAD(row_walk_branch)
OPENMP_WORKLOAD(vector_add)
OPENMP_WORKLOAD(gather)
OPENMP_WORKLOAD(nbody)
OPENMP_WORKLOAD(cutoff)
OPENMP_WORKLOAD(mriq)
OPENMP_WORKLOAD(kmeans)
OPENMP_WORKLOAD(streamcluster)
OPENMP_WORKLOAD(particle_filter)
OPENMP_WORKLOAD(bfs)
OPENMP_WORKLOAD(spmv)
OPENMP_WORKLOAD(histogram_global)
OPENMP_WORKLOAD(histogram_local)
OPENMP_WORKLOAD(binary_search)
OPENMP_WORKLOAD(wavefront)
OPENMP_WORKLOAD(scan)
OPENMP_WORKLOAD(tree_reduction)
OPENMP_WORKLOAD(black_scholes)
OPENMP_WORKLOAD(mandelbrot_set)

#endif
