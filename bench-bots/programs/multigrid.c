/* Poisson's equation in a square by V-cycles of multigrid: many regions, those of coarse grids
 * very short.
 *
 * SIZE is the number of cycles, CUTOFF the levels: the finest grid has 2^CUTOFF + 1 points a side.
 * Red-black smoothing, full weighting, bilinear interpolation (Brandt 1977). Checked by the
 * residual: each cycle takes most of it away.
 */
#include "bench.h"

#include <math.h>

enum { MOST_LEVELS = 13 };

struct grid {
    long side;
    double *u, *f, *rest;
};

static struct grid grids[MOST_LEVELS + 1];

static double *make_grid(long side) {
    size_t bytes = (size_t)(side * side) * sizeof(double);
    return memset(bench_alloc(bytes), 0, bytes);
}

static void smooth(const struct grid *grid, int sweeps) {
    long n = grid->side;
    double *u = grid->u, area = 1.0 / (double)((n - 1) * (n - 1));
    for (int half = 0; half < 2 * sweeps; half++) {
#pragma omp parallel for
        for (long i = 1; i < n - 1; i++) {
            for (long at = i * n + 1 + (i + half) % 2; at < i * n + n - 1; at += 2) {
                u[at] = 0.25 * (u[at - n] + u[at + n] + u[at - 1] + u[at + 1] + area * grid->f[at]);
            }
        }
    }
}

/* Computes the residual and returns its squared norm. */
static double find_rest(const struct grid *grid) {
    long n = grid->side;
    const double *u = grid->u;
    double scale = (double)((n - 1) * (n - 1)), sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 1; i < n - 1; i++) {
        for (long at = i * n + 1; at < i * n + n - 1; at++) {
            double around = u[at - n] + u[at + n] + u[at - 1] + u[at + 1];
            grid->rest[at] = grid->f[at] - scale * (4.0 * u[at] - around);
            sum += grid->rest[at] * grid->rest[at];
        }
    }
    return sum;
}

static void restrict_rest(const struct grid *fine, const struct grid *coarse) {
    long n = fine->side, m = coarse->side;
#pragma omp parallel
    {
#pragma omp for nowait
        for (long i = 1; i < m - 1; i++) {
            for (long j = 1; j < m - 1; j++) {
                const double *at = &fine->rest[2 * i * n + 2 * j];
                double sides = at[-n] + at[n] + at[-1] + at[1];
                double corners = at[-n - 1] + at[-n + 1] + at[n - 1] + at[n + 1];
                coarse->f[i * m + j] = 0.25 * at[0] + 0.125 * sides + 0.0625 * corners;
            }
        }
#pragma omp for
        for (long i = 0; i < m * m; i++) {
            coarse->u[i] = 0.0;
        }
    }
}

static void add_correction(const struct grid *coarse, const struct grid *fine) {
    long n = fine->side, m = coarse->side;
#pragma omp parallel for
    for (long i = 1; i < n - 1; i++) {
        for (long j = 1; j < n - 1; j++) {
            const double *at = &coarse->u[i / 2 * m + j / 2];
            long down = i % 2 * m, right = j % 2;
            fine->u[i * n + j] += 0.25 * (at[0] + at[down] + at[right] + at[down + right]);
        }
    }
}

static void cycle(long level) {
    if (level == 1) {
        smooth(&grids[1], 4);
        return;
    }
    smooth(&grids[level], 2);
    find_rest(&grids[level]);
    restrict_rest(&grids[level], &grids[level - 1]);
    cycle(level - 1);
    add_correction(&grids[level - 1], &grids[level]);
    smooth(&grids[level], 2);
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {{4, 6}, {60, 9}, {120, 9}, {30, 12}};
    struct bench bench = bench_start("multigrid", classes, argc, argv);
    long finest = bench.cutoff > MOST_LEVELS ? MOST_LEVELS : bench.cutoff;
    for (long level = 1; level <= finest; level++) {
        long side = (1L << level) + 1;
        grids[level] = (struct grid){side, make_grid(side), make_grid(side), make_grid(side)};
    }
    const struct grid *grid = &grids[finest];
    for (long i = 0; i < grid->side * grid->side; i++) {
        double y = (double)(i / grid->side) / (double)grid->side;
        double x = (double)(i % grid->side) / (double)grid->side;
        grid->f[i] = 10.0 * sin(3.0 * y) * cos(5.0 * x);
    }
    double before = find_rest(grid), after = before;

    struct bench_time start = bench_now();
    for (long i = 0; i < bench.size; i++) {
        cycle(finest);
        after = find_rest(grid);
    }
    struct bench_time spent = bench_since(start);
    /* Down to rounding: each cycle divides the squared residual by 10 and more. */
    int ok = after < before * fmax(pow(0.1, (double)bench.size), 1e-12);
    return bench_finish(&bench, bench.size, spent, ok);
}
