/* Fields. Sizes are matrices, cells along x, neutrons. */
#include "workloads.h"

enum { ORDER = 24, CELLS_OF_MATRIX = ORDER * ORDER, RARE = 37 };

/* The column of a matrix that is nothing, -1 of most. */
static int empty_column(long matrix) { return matrix % RARE == 5 ? (int)(matrix / RARE % ORDER) : -1; }

static void batched_lu_prepare(struct clbench *b) {
    long cells = b->size * CELLS_OF_MATRIX, rows = b->size * ORDER;
    float *matrices = make(b, 0, (size_t)cells * sizeof *matrices);
    fill_between(matrices, cells, 1161, -1.0f, 1.0f);
    for (long i = 0; i < cells; i++) {
        if (i % ORDER == empty_column(i / CELLS_OF_MATRIX)) {
            matrices[i] = 0.0f;
        }
    }
    fill_between(make(b, 1, (size_t)rows * sizeof(float)), rows, 1162, -1.0f, 1.0f);
    make(b, 2, (size_t)cells * sizeof(float)), make(b, 3, (size_t)rows * sizeof(cl_int));
    make(b, 4, (size_t)rows * sizeof(float)), make(b, 5, (size_t)b->size * sizeof(cl_int));
    up(b, 0), up(b, 1);
}

static void batched_lu_once(struct clbench *b) {
    launch(b, "batched_lu", RANGE1((size_t)b->size * 64, 64), B(0), B(1), B(2), B(3), B(4), B(5));
}

/* The rows of the matrix in the order of the pivots are the product of the factors, the lower of which has nothing above 1. What
 * is left grows to some units meanwhile, and is rounded up to 24 times. */
static int right_factors(const float *matrix, const float *factors, const cl_int *pivots, long at) {
    int rows[ORDER], ok = 1;
    for (int k = 0; k < ORDER; k++) {
        rows[k] = k;
    }
    for (int k = 0; ok && k < ORDER; k++) {
        ok = same("pivot's place", at + k, pivots[k] >= k && pivots[k] < ORDER, 1);
        int kept = rows[k], other = ok ? pivots[k] : k;
        rows[k] = rows[other], rows[other] = kept;
    }
    for (int i = 0; ok && i < CELLS_OF_MATRIX; i++) {
        int row = i / ORDER, column = i % ORDER;
        double sum = row <= column ? factors[i] : 0.0;
        for (int k = 0; k < row && k <= column; k++) {
            sum += (double)factors[row * ORDER + k] * factors[k * ORDER + column];
        }
        ok = near("product", at * ORDER + i, sum, matrix[rows[row] * ORDER + column], 1e-5) &&
             (row <= column || same("factor", at * ORDER + i, fabsf(factors[i]) < 1.00001f, 1));
    }
    return ok;
}

static int batched_lu_check(struct clbench *b) {
    const float *matrices = b->buffer[0].host, *rights = b->buffer[1].host;
    const float *factors = b->buffer[2].host, *solutions = b->buffer[4].host;
    const cl_int *pivots = b->buffer[3].host, *failures = b->buffer[5].host;
    int ok = 1;
    down(b, 2), down(b, 3), down(b, 4), down(b, 5);
    for (long i = 0; ok && i < b->size; i++) {
        ok = same("failure", i, failures[i], empty_column(i) + 1);
        if (!ok || failures[i] != 0) {
            continue;
        }
        const float *matrix = matrices + i * CELLS_OF_MATRIX, *x = solutions + i * ORDER;
        double largest = 1.0;
        for (int k = 0; k < ORDER; k++) {
            largest = fmax(largest, fabs(x[k]));
        }
        ok = right_factors(matrix, factors + i * CELLS_OF_MATRIX, pivots + i * ORDER, i * ORDER);
        for (int row = 0; ok && row < ORDER; row++) {
            double sum = 0.0;
            for (int k = 0; k < ORDER; k++) {
                sum += (double)matrix[row * ORDER + k] * x[k];
            }
            ok = near("left side", i * ORDER + row, (sum - rights[i * ORDER + row]) / largest, 0.0, 2e-5);
        }
    }
    return ok;
}

enum { TILE = 16, LAUNCHES = 2, STEPS = 4 };

static const cl_float2 spread = {{1.0f, 0.5f}};
static const cl_float feed = 0.055f, loss = 0.117f;

static cl_int height_of(const struct clbench *b) { return (cl_int)(b->size * 3 / 4 + 3); }

/* Seeds of the second substance in a sea of the first. */
static void gray_scott_prepare(struct clbench *b) {
    size_t cells = (size_t)(b->size * height_of(b));
    cl_float2 *now = make(b, 0, cells * sizeof *now);
    uint32_t state = 1171;
    for (size_t i = 0; i < cells; i++) {
        size_t x = i % (size_t)b->size, y = i / (size_t)b->size;
        int seed = (x / 7 * 5 + y / 9 * 3) % 11 < 3;
        now[i].s[0] = (seed ? 0.5f : 1.0f) - 0.05f * random_unit(&state);
        now[i].s[1] = (seed ? 0.25f : 0.0f) + 0.05f * random_unit(&state);
    }
    make(b, 1, cells * sizeof *now), make(b, 2, cells * sizeof *now);
    up(b, 0);
}

static void gray_scott_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = height_of(b);
    struct range range = RANGE2(round_up(width, TILE), round_up(height, TILE), TILE, TILE);
    for (int i = 0; i < LAUNCHES; i++) {
        launch(b, "gray_scott", range, B(i), V(width), V(height), V(spread), V(feed), V(loss), B(i + 1));
    }
}

/* One step of the whole field, a substance at a time: `from` and `to` have all of the first, and then all of the second. */
static void react(const double *from, double *to, long width, long height) {
    long cells = width * height;
    for (long at = 0; at < cells; at++) {
        long x = at % width, y = at / width;
        double made = from[at] * from[cells + at] * from[cells + at];
        for (int which = 0; which < 2; which++) {
            const double *of = from + which * cells;
            double around = -of[at];
            for (int k = 0; k < 9; k++) {
                long u = (x + k % 3 - 1 + width) % width, v = (y + k / 3 - 1 + height) % height;
                around += k == 4 ? 0.0 : (k % 2 == 1 ? 0.2 : 0.05) * of[v * width + u];
            }
            double change = which == 0 ? feed * (1.0 - of[at]) - made : made - loss * of[at];
            to[which * cells + at] = of[at] + (double)spread.s[which] * around + change;
        }
    }
}

/* Values below 2, rounded some ten times in each of eight steps. */
static int gray_scott_check(struct clbench *b) {
    const cl_float2 *begun = b->buffer[0].host, *got = b->buffer[LAUNCHES].host;
    long cells = b->size * height_of(b);
    double *fields = calloc((size_t)cells * 4, sizeof *fields), moved = 0.0;
    int ok = 1;
    down(b, LAUNCHES);
    for (long i = 0; i < cells * 2; i++) {
        fields[i] = begun[i % cells].s[i / cells];
    }
    for (int step = 0; step < LAUNCHES * STEPS; step++) {
        react(fields + step % 2 * cells * 2, fields + (step + 1) % 2 * cells * 2, b->size, height_of(b));
    }
    for (long i = 0; ok && i < cells * 2; i++) {
        ok = near("substance", i, got[i % cells].s[i / cells], fields[i], 5e-6);
        moved += fabs(fields[i] - begun[i % cells].s[i / cells]);
    }
    free(fields);
    return ok && same("it changes", 0, moved > 0.02 * (double)cells, 1);
}

enum { KINDS = 5, NUCLIDES = 60, POINTS = 400, MATERIALS = 8, MOST_PARTS = 200 };

struct point {
    double energy, chances[KINDS];
};

static const cl_int parts_of[MATERIALS] = {48, 5, 4, 4, 27, 21, 9, 12};
static const double shares[MATERIALS] = {0.34, 0.16, 0.14, 0.1, 0.1, 0.08, 0.05, 0.03};
static const cl_ulong seed_of_all = 0x243f6a8885a308d3u;

/* The first and the last point of each table are at the ends of all energies. */
static void cross_sections_prepare(struct clbench *b) {
    struct point *tables = make(b, 0, NUCLIDES * POINTS * sizeof *tables);
    uint32_t state = 1181;
    for (int i = 0; i < NUCLIDES * POINTS; i++) {
        int at = i % POINTS, is_end = at == 0 || at == POINTS - 1;
        tables[i].energy = (at + (is_end ? 0.0 : 0.9 * random_unit(&state) - 0.45)) / (POINTS - 1.0);
        for (int k = 0; k < KINDS; k++) {
            tables[i].chances[k] = random_unit(&state);
        }
    }
    memcpy(make(b, 1, sizeof shares), shares, sizeof shares);
    cl_int *starts = make(b, 2, (MATERIALS + 1) * sizeof *starts), *nuclides = make(b, 3, MOST_PARTS * sizeof *nuclides);
    double *densities = make(b, 4, MOST_PARTS * sizeof *densities);
    for (int m = 0; m < MATERIALS; m++) {
        starts[m + 1] = starts[m] + parts_of[m];
        for (int n = starts[m]; n < starts[m + 1]; n++) {
            nuclides[n] = (cl_int)((m * 11 + (n - starts[m]) * 7) % NUCLIDES);
            densities[n] = 0.1 + random_unit(&state);
        }
    }
    make(b, 5, (size_t)b->size * KINDS * sizeof(double));
    for (int i = 0; i < 5; i++) {
        up(b, i);
    }
}

static void cross_sections_once(struct clbench *b) {
    cl_int neutrons = (cl_int)b->size, points = POINTS, materials = MATERIALS;
    launch(b, "cross_sections", RANGE1(round_up(neutrons / 3 + 1, 64), 64), V(seed_of_all), V(neutrons), B(0), V(points), B(1),
           V(materials), B(2), B(3), B(4), B(5));
}

static double next_unit(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ldexp((double)(*state >> 11), -53);
}

/* One neutron after the other, so that no word is skipped; points stand about where their numbers say. */
static int cross_sections_check(struct clbench *b) {
    const struct point *tables = b->buffer[0].host;
    const cl_int *starts = b->buffer[2].host, *nuclides = b->buffer[3].host;
    const double *densities = b->buffer[4].host, *got = b->buffer[5].host;
    uint64_t state = seed_of_all;
    int ok = 1;
    down(b, 5);
    for (long i = 0; ok && i < b->size; i++) {
        double energy = next_unit(&state), roll = next_unit(&state), sums[KINDS] = {0.0};
        int material = 0;
        for (double all = shares[0]; material < MATERIALS - 1 && roll >= all; all += shares[material]) {
            material++;
        }
        for (int n = starts[material]; n < starts[material + 1]; n++) {
            int guess = (int)(energy * (POINTS - 1.0));
            const struct point *low = tables + nuclides[n] * POINTS + (guess > 0 ? guess - 1 : 0);
            for (; low[1].energy <= energy; low++) {
            }
            double part = (energy - low->energy) / (low[1].energy - low->energy);
            for (int k = 0; k < KINDS; k++) {
                sums[k] += densities[n] * ((1.0 - part) * low->chances[k] + part * low[1].chances[k]);
            }
        }
        for (int k = 0; ok && k < KINDS; k++) {
            ok = near("sum", i * KINDS + k, got[i * KINDS + k], sums[k], 1e-12);
        }
    }
    return ok;
}

const struct workload round11_fields_workloads[] = {
    WORKLOAD(round11_fields, batched_lu, 47, 1009, 4001, 20011),
    WORKLOAD(round11_fields, gray_scott, 37, 501, 1001, 2201),
    WORKLOAD(round11_fields, cross_sections, 301, 20011, 80021, 400009),
    END_OF_WORKLOADS,
};
