/* Jacobi: heat in a plate, each sweep from one grid to another, bands of rows as tasks.
 *
 * SIZE is the number of bands, CUTOFF the rows of one; the plate is square. A task reads its band and
 * the edge rows of the two neighbours, and writes its band of the other grid. Both grids are single
 * allocations. After Muddukrishna, Jonsson, Brorsson 2015, section 5.
 */
#include "bench.h"

enum { SWEEPS = 16 };

static long bands, rows, width;

/* Row `row` of a grid with a frame around it, from -1 to bands * rows. */
static double *row_of(double *grid, long row) { return grid + (row + 1) * width; }

static void relax(double *from, double *to, long band) {
    for (long row = band * rows; row < (band + 1) * rows; row++) {
        const double *above = row_of(from, row - 1), *here = row_of(from, row);
        const double *below = row_of(from, row + 1);
        double *out = row_of(to, row);
        for (long i = 1; i < width - 1; i++) {
            out[i] = 0.25 * (above[i] + below[i] + here[i - 1] + here[i + 1]);
        }
    }
}

static double *make(void) {
    size_t bytes = (size_t)((bands * rows + 2) * width) * sizeof(double);
    double *grid = memset(bench_place(bytes), 0, bytes);
    for (long i = 0; i < width; i++) {
        row_of(grid, -1)[i] = 100.0;
    }
    return grid;
}

static void sweep_in_tasks(double *from, double *to) {
    for (long band = 0; band < bands; band++) {
        double *above = row_of(from, band * rows - 1), *here = row_of(from, band * rows);
        double *below = row_of(from, (band + 1) * rows), *out = row_of(to, band * rows);
#pragma omp task firstprivate(from, to, band)                                                      \
    depend(in : above[0 : width], here[0 : rows * width], below[0 : width])                        \
    depend(out : out[0 : rows * width])
        relax(from, to, band);
    }
#pragma omp taskwait
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {{4, 8}, {32, 48}, {64, 64}, {128, 96}};
    struct bench bench = bench_start("jacobi", classes, argc, argv);
    bands = bench.size;
    rows = bench.cutoff;
    width = bands * rows + 2;
    double *even = make(), *odd = make(), *known_even = make(), *known_odd = make();

    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        sweep_in_tasks(sweep % 2 == 0 ? even : odd, sweep % 2 == 0 ? odd : even);
    }
    struct bench_time spent = bench_since(start);

    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (long band = 0; band < bands; band++) {
            relax(sweep % 2 == 0 ? known_even : known_odd, sweep % 2 == 0 ? known_odd : known_even,
                  band);
        }
    }
    size_t bytes = (size_t)((bands * rows + 2) * width) * sizeof(double);
    int ok = memcmp(even, known_even, bytes) == 0; /* the same operations in the same order */
    bench_unplace(even);
    bench_unplace(odd);
    bench_unplace(known_even);
    bench_unplace(known_odd);
    return bench_finish(&bench, SWEEPS * bands, spent, ok);
}
