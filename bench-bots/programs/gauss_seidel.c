/* Gauss-Seidel sweeps over a plate of separate blocks: dependences that run as slanted fronts.
 *
 * SIZE is the number of blocks a side, CUTOFF the rows and columns of a block. A block of a sweep comes
 * after its left and upper neighbours of the same sweep and its right and lower ones of the sweep
 * before; several sweeps are under way at once. Where heat.f90 has one array, every block here is an
 * allocation of its own, and the dependences name whole blocks.
 */
#include "bench.h"

enum { SWEEPS = 12 };

static long blocks, rows;

/* Block (i, j) from -1 to `blocks`; a frame of blocks lies around the plate. */
static double **at(double **plate, long i, long j) {
    return &plate[(i + 1) * (blocks + 2) + j + 1];
}

static double **make(void) {
    size_t count = (size_t)((blocks + 2) * (blocks + 2));
    double **plate = bench_alloc(count * sizeof(double *));
    for (size_t b = 0; b < count; b++) {
        size_t bytes = (size_t)(rows * rows) * sizeof(double);
        plate[b] = memset(bench_place(bytes), 0, bytes);
    }
    for (long j = -1; j <= blocks; j++) { /* hot along the upper edge */
        for (long e = 0; e < rows * rows; e++) {
            (*at(plate, -1, j))[e] = 100.0;
        }
    }
    return plate;
}

static void drop(double **plate) {
    for (long b = 0; b < (blocks + 2) * (blocks + 2); b++) {
        bench_unplace(plate[b]);
    }
    free(plate);
}

static void relax(double *here, const double *up, const double *down, const double *left,
                  const double *right) {
    for (long i = 0; i < rows; i++) {
        for (long j = 0; j < rows; j++) {
            double above = i > 0 ? here[(i - 1) * rows + j] : up[(rows - 1) * rows + j];
            double below = i + 1 < rows ? here[(i + 1) * rows + j] : down[j];
            double before = j > 0 ? here[i * rows + j - 1] : left[i * rows + rows - 1];
            double after = j + 1 < rows ? here[i * rows + j + 1] : right[i * rows];
            here[i * rows + j] = 0.25 * (above + below + before + after);
        }
    }
}

static void sweep_in_tasks(double **plate) {
    long size = rows * rows;
    for (long i = 0; i < blocks; i++) {
        for (long j = 0; j < blocks; j++) {
            double *here = *at(plate, i, j), *up = *at(plate, i - 1, j), *down = *at(plate, i + 1, j);
            double *left = *at(plate, i, j - 1), *right = *at(plate, i, j + 1);
#pragma omp task firstprivate(here, up, down, left, right) depend(inout : here[0 : size])          \
    depend(in : up[0 : size], down[0 : size], left[0 : size], right[0 : size])
            relax(here, up, down, left, right);
        }
    }
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {{4, 8}, {20, 40}, {32, 64}, {64, 96}};
    struct bench bench = bench_start("gauss_seidel", classes, argc, argv);
    blocks = bench.size;
    rows = bench.cutoff;
    double **plate = make(), **known = make();

    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        sweep_in_tasks(plate);
    }
    struct bench_time spent = bench_since(start);

    int ok = 1; /* the dependences leave no choice that matters */
    for (long b = 0; b < SWEEPS * blocks * blocks; b++) {
        long i = b / blocks % blocks, j = b % blocks;
        relax(*at(known, i, j), *at(known, i - 1, j), *at(known, i + 1, j), *at(known, i, j - 1),
              *at(known, i, j + 1));
    }
    for (long b = 0; b < (blocks + 2) * (blocks + 2); b++) {
        ok = ok && memcmp(plate[b], known[b], (size_t)(rows * rows) * sizeof(double)) == 0;
    }
    drop(plate);
    drop(known);
    return bench_finish(&bench, SWEEPS * blocks * blocks, spent, ok);
}
