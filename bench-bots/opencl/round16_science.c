/* Science. Sizes are widths of a field, matrices, tables. */
#include "workloads.h"

enum { STEPS = 3 };

static long rows_of(const struct clbench *b) { return b->size * 3 / 4 + 1; }

/* A disc with a slit, as its distance and 0.1 at most, in a flow that turns around a place and is not equally fast. */
static void weno_advect_prepare(struct clbench *b) {
    long width = b->size, height = rows_of(b), cells = width * height;
    double *start = make(b, 0, (size_t)cells * sizeof *start);
    cl_double2 *flow = make(b, 4, (size_t)cells * sizeof *flow);
    for (long i = 0; i < cells; i++) {
        double x = (double)(i % width) / (double)width, y = (double)(i / width) / (double)width;
        double off = sqrt((x - 0.5) * (x - 0.5) + (y - 0.45) * (y - 0.45)) - 0.2, slit = 0.05 - fabs(x - 0.5);
        start[i] = fmin(y < 0.55 ? fmax(off, slit) : off, 0.1);
        flow[i] = (cl_double2){{(0.38 - y) * (1.0 + 0.5 * x), (x - 0.5) * (1.0 + 0.3 * sin(6.0 * y))}};
    }
    make(b, 1, (size_t)cells * sizeof *start), make(b, 2, (size_t)cells * sizeof *start);
    make(b, 3, (size_t)cells * sizeof *start);
    up(b, 0), up(b, 4);
}

static double step_time(const struct clbench *b) { return 0.6 / (double)b->size; }

/* Which buffers a stage of a step has: those of the step's start, of the values so far, of the next ones. */
static void stage_buffers(int step, int stage, int *start, int *now, int *next) {
    *start = step == 0 ? 0 : 3;
    *now = stage == 0 ? *start : stage;
    *next = stage + 1;
}

static const cl_double shares[3] = {1.0, 0.25, 2.0 / 3.0};

static void weno_advect_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)rows_of(b);
    cl_double by = (double)width, time = step_time(b);
    struct range range = RANGE2(round_up(width, 16), round_up(height, 8), 16, 8);
    for (int i = 0; i < STEPS * 3; i++) {
        int start, now, next;
        stage_buffers(i / 3, i % 3, &start, &now, &next);
        launch(b, "weno_advect", range, B(start), B(now), B(4), V(width), V(height), V(by), V(time), V(shares[i % 3]), B(next));
    }
}

/* Five differences, of which the third ends where the slope is wanted. */
static double weno_slope(const double *d) {
    static const double wanted[3] = {0.1, 0.6, 0.3};
    double bends[3] = {d[0] - 2.0 * d[1] + d[2], d[1] - 2.0 * d[2] + d[3], d[2] - 2.0 * d[3] + d[4]};
    double tilts[3] = {d[0] - 4.0 * d[1] + 3.0 * d[2], d[1] - d[3], 3.0 * d[2] - 4.0 * d[3] + d[4]};
    double guesses[3] = {d[0] / 3.0 - 7.0 * d[1] / 6.0 + 11.0 * d[2] / 6.0, -d[1] / 6.0 + 5.0 * d[2] / 6.0 + d[3] / 3.0,
                         d[2] / 3.0 + 5.0 * d[3] / 6.0 - d[4] / 6.0};
    double sum = 0.0, all = 0.0;
    for (int i = 0; i < 3; i++) {
        double weight = wanted[i] / pow(13.0 / 12.0 * bends[i] * bends[i] + 0.25 * tilts[i] * tilts[i] + 1e-6, 2.0);
        sum += weight * guesses[i], all += weight;
    }
    return sum / all;
}

static double slope_at(const struct clbench *b, const double *now, long x, long y, long dx, long dy, double speed) {
    double differences[5], before;
    long sign = speed > 0.0 ? 1 : -1;
    for (long i = -3; i <= 2; i++) {
        long column = clamped(x + sign * dx * i, b->size), row = clamped(y + sign * dy * i, rows_of(b));
        double value = now[row * b->size + column];
        if (i > -3) {
            differences[i + 2] = (double)sign * (value - before);
        }
        before = value;
    }
    return weno_slope(differences) * (double)b->size;
}

static int weno_advect_check(struct clbench *b) {
    const double *got = b->buffer[3].host, *before = b->buffer[0].host;
    const cl_double2 *flow = b->buffer[4].host;
    long width = b->size, cells = width * rows_of(b), moved = 0;
    double *values = calloc((size_t)cells * 4, sizeof *values);
    int ok = 1;
    down(b, 3);
    memcpy(values, before, (size_t)cells * sizeof *values);
    for (int i = 0; i < STEPS * 3; i++) {
        int start, now, next;
        stage_buffers(i / 3, i % 3, &start, &now, &next);
        for (long k = 0; k < cells; k++) {
            double x = flow[k].s[0], y = flow[k].s[1];
            double rate = x * slope_at(b, values + now * cells, k % width, k / width, 1, 0, x) +
                          y * slope_at(b, values + now * cells, k % width, k / width, 0, 1, y);
            double carried = values[now * cells + k] - step_time(b) * rate;
            values[next * cells + k] = (1.0 - shares[i % 3]) * values[start * cells + k] + shares[i % 3] * carried;
        }
    }
    for (long i = 0; ok && i < cells; i++) {
        ok = near("value", i, got[i], values[3 * cells + i], 1e-9);
        moved += fabs(got[i] - before[i]) > 1e-5;
    }
    free(values);
    return ok && same("values move", 0, moved > cells / 10, 1);
}

enum { ROWS = 24, COLUMNS = 16, SVD_ITEMS = 64, MOST_SWEEPS = 20 };

/* Matrices some of whose columns are nearly alike or small. */
static void jacobi_svd_prepare(struct clbench *b) {
    long numbers = b->size * ROWS * COLUMNS;
    float *matrices = make(b, 0, (size_t)numbers * sizeof *matrices);
    uint32_t state = 1987;
    for (long i = 0; i < numbers; i++) {
        int is_odd = i / (ROWS * COLUMNS) % 2 == 1;
        matrices[i] = random_unit(&state) - 0.5f;
        if (i % COLUMNS % 5 == 4) {
            matrices[i] = 0.05f * matrices[i] + (is_odd ? matrices[i - 1] : 0.0f);
        }
    }
    make(b, 1, (size_t)(b->size * COLUMNS) * sizeof(float)), make(b, 2, (size_t)numbers * sizeof(float));
    make(b, 3, (size_t)(b->size * COLUMNS * COLUMNS) * sizeof(float)), make(b, 4, (size_t)b->size * sizeof(cl_int));
    up(b, 0);
}

static void jacobi_svd_once(struct clbench *b) {
    cl_int most = MOST_SWEEPS;
    launch(b, "jacobi_svd", RANGE2((size_t)b->size * 8, 8, 8, 8), B(0), V(most), B(1), B(2), B(3), B(4));
}

/* Whether vectors have length 1 and are at right angles. */
static int are_square(const char *what, const float *vectors, int count, int length) {
    int ok = 1;
    for (int i = 0; ok && i < count * count; i++) {
        double sum = 0.0;
        for (int k = 0; k < length; k++) {
            sum += (double)vectors[i / count * length + k] * (double)vectors[i % count * length + k];
        }
        ok = near(what, i, sum, i / count == i % count, 3e-5);
    }
    return ok;
}

/* Vectors like these and values from which the matrix comes again are the right ones. */
static int jacobi_svd_check(struct clbench *b) {
    const float *matrices = b->buffer[0].host, *values = b->buffer[1].host, *lefts = b->buffer[2].host, *rights = b->buffer[3].host;
    const cl_int *sweeps = b->buffer[4].host;
    int ok = 1;
    down(b, 1), down(b, 2), down(b, 3), down(b, 4);
    for (long id = 0; ok && id < b->size; id++) {
        const float *left = lefts + id * COLUMNS * ROWS, *right = rights + id * COLUMNS * COLUMNS;
        ok = are_square("left", left, COLUMNS, ROWS) && are_square("right", right, COLUMNS, COLUMNS) &&
             same("sweeps are few", id, sweeps[id] > 2 && sweeps[id] < MOST_SWEEPS, 1);
        for (long i = 0; ok && i < ROWS * COLUMNS; i++) {
            double sum = 0.0;
            for (long k = 0; k < COLUMNS; k++) {
                double across = (double)left[k * ROWS + i / COLUMNS] * (double)values[id * COLUMNS + k];
                sum += across * (double)right[k * COLUMNS + i % COLUMNS];
            }
            ok = near("number", id * ROWS * COLUMNS + i, sum, matrices[id * ROWS * COLUMNS + i], 1e-5);
        }
    }
    return ok;
}

enum { MOST_KINDS = 40 };

/* Tables of 2 to 40 kinds; in every third one the cases differ. */
static void chi_square_prepare(struct clbench *b) {
    cl_int *starts = make(b, 1, (size_t)(b->size + 1) * sizeof *starts);
    cl_ushort2 *counts = make(b, 0, (size_t)(b->size * MOST_KINDS) * sizeof *counts);
    uint32_t state = 1993;
    for (long i = 0; i < b->size; i++) {
        cl_int kinds = 2 + (cl_int)(random_word(&state) % (i % 4 == 0 ? MOST_KINDS - 1 : 6));
        starts[i + 1] = starts[i] + kinds;
        for (cl_int k = starts[i]; k < starts[i + 1]; k++) {
            float expected = 2000.0f * powf(random_unit(&state), 3.0f), more = i % 3 == 0 ? 0.3f * random_unit(&state) : 0.0f;
            for (int side = 0; side < 2; side++) {
                float noise = -6.0f, mean = expected * (side == 0 ? 1.0f + more : 1.7f);
                for (int part = 0; part < 12; part++) {
                    noise += random_unit(&state);
                }
                counts[k].s[side] = (cl_ushort)fmaxf(mean + noise * sqrtf(mean) - 0.5f, k == starts[i] ? 5.0f : 0.0f);
            }
        }
    }
    make(b, 2, (size_t)b->size * sizeof(cl_float2)), make(b, 3, (size_t)b->size);
    up(b, 0), up(b, 1);
}

static void chi_square_once(struct clbench *b) {
    cl_int tables = (cl_int)b->size;
    launch(b, "chi_square", RANGE1(round_up(tables, 64), 64), B(0), B(1), V(tables), B(2), B(3));
}

/* How likely a statistic is: by the one for two degrees of freedom less, and so on, down to a known function. */
static double chance_of(double statistic, int freedom) {
    double x = statistic / 2.0, a = freedom % 2 == 0 ? 1.0 : 0.5, chance = freedom % 2 == 0 ? exp(-x) : erfc(sqrt(x));
    for (; a < freedom / 2.0 - 0.1 && x > 0.0; a += 1.0) {
        chance += exp(a * log(x) - x - lgamma(a + 1.0));
    }
    return freedom == 0 ? 1.0 : chance;
}

static int chi_square_check(struct clbench *b) {
    const cl_ushort2 *counts = b->buffer[0].host;
    const cl_int *starts = b->buffer[1].host;
    const cl_float2 *results = b->buffer[2].host;
    const unsigned char *freedoms = b->buffer[3].host;
    long unlikely = 0, likely = 0, empty = 0;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long i = 0; ok && i < b->size; i++) {
        double sides[2] = {0.0}, statistic = 0.0, chance;
        int kinds = 0;
        for (long k = starts[i]; k < starts[i + 1]; k++) {
            sides[0] += counts[k].s[0], sides[1] += counts[k].s[1];
            kinds += counts[k].s[0] + counts[k].s[1] > 0;
        }
        for (long k = 2 * starts[i]; k < 2 * starts[i + 1]; k++) {
            double both = counts[k / 2].s[0] + counts[k / 2].s[1], expected = both * sides[k % 2] / (sides[0] + sides[1]);
            statistic += both > 0.0 ? pow(counts[k / 2].s[k % 2] - expected, 2.0) / expected : 0.0;
        }
        chance = chance_of(statistic, kinds - 1);
        ok = same("freedoms", i, freedoms[i], kinds - 1) && near("statistic", i, results[i].s[0], statistic, 1e-4) &&
             near("chance", i, results[i].s[1], chance, 2e-4) &&
             (chance < 1e-30 || near("its logarithm", i, log((double)results[i].s[1]), log(chance), 2e-3));
        unlikely += chance < 0.001, likely += chance > 0.05, empty += kinds < starts[i + 1] - starts[i];
    }
    return ok && same("tables are of all kinds", 0, unlikely > b->size / 20 && likely > b->size / 4 && empty > b->size / 100, 1);
}

const struct workload round16_science_workloads[] = {
    WORKLOAD(round16_science, weno_advect, 45, 181, 501, 1501),
    WORKLOAD(round16_science, jacobi_svd, 7, 61, 501, 5003),
    WORKLOAD(round16_science, chi_square, 301, 12007, 100003, 600011),
    END_OF_WORKLOADS,
};
