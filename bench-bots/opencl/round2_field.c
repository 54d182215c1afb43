/* Sparse rows, neighbours, rays, a grid in two colours, dust. Sizes are rows, queries, pixels or points along a side,
 * grains. */
#include "workloads.h"

static const cl_int ell_width = 16;

static void ellpack_prepare(struct clbench *b) {
    size_t rows = (size_t)b->size, cells = rows * (size_t)ell_width;
    cl_int *column = make(b, 0, cells * sizeof(cl_int));
    uint32_t state = 221;
    for (size_t row = 0; row < rows; row++) {
        cl_int filled = 4 + (cl_int)(random_word(&state) % 13);
        for (cl_int k = 0; k < ell_width; k++) {
            cl_int any = (cl_int)(random_word(&state) % (uint32_t)rows);
            column[(size_t)k * rows + row] = k < filled ? any : -1;
        }
    }
    fill_unit(make(b, 1, cells * sizeof(float)), (long)cells, 222);
    fill_unit(make(b, 2, rows * sizeof(float)), b->size, 223);
    make(b, 3, rows * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2);
}

static void ellpack_once(struct clbench *b) {
    cl_int rows = (cl_int)b->size;
    launch(b, "ellpack", RANGE1(round_up(b->size, 128), 128), V(rows), V(ell_width), B(0), B(1), B(2), B(3));
}

static int ellpack_check(struct clbench *b) {
    const cl_int *column = b->buffer[0].host;
    const float *value = b->buffer[1].host, *x = b->buffer[2].host, *y = b->buffer[3].host;
    int ok = 1;
    down(b, 3);
    for (long row = 0; ok && row < b->size; row++) {
        double sum = 0.0;
        for (long at = row; at < b->size * ell_width; at += b->size) {
            sum += column[at] >= 0 ? (double)value[at] * x[column[at]] : 0.0;
        }
        ok = near("row", row, y[row], sum, 1e-5);
    }
    return ok;
}

enum { BEST = 4 };
static const cl_int candidates = 517;

static void nearest_four_prepare(struct clbench *b) {
    size_t queries = (size_t)b->size;
    fill_unit(make(b, 0, 3 * queries * sizeof(float)), 3 * b->size, 224);
    fill_unit(make(b, 1, 3 * (size_t)candidates * sizeof(float)), 3 * candidates, 225);
    make(b, 2, BEST * queries * sizeof(cl_int));
    make(b, 3, BEST * queries * sizeof(float));
    up(b, 0), up(b, 1);
}

static void nearest_four_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "nearest_four", RANGE1(round_up(b->size, 64), 64), V(n), V(candidates), B(0), B(1), B(2), B(3));
}

static double square_between(const float *p, const float *q) {
    double sum = 0.0;
    for (int c = 0; c < 3; c++) {
        sum += ((double)p[c] - q[c]) * ((double)p[c] - q[c]);
    }
    return sum;
}

/* The distances in order, by insertion; which point it is may differ where two are as far. */
static int nearest_four_check(struct clbench *b) {
    const float *query = b->buffer[0].host, *point = b->buffer[1].host, *square = b->buffer[3].host;
    const cl_int *which = b->buffer[2].host;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long i = 0; ok && i < b->size; i++, query += 3, which += BEST, square += BEST) {
        double best[BEST + 1] = {1e9, 1e9, 1e9, 1e9, 1e9};
        for (long p = 0; p < candidates; p++) {
            int at = BEST;
            double d = square_between(point + 3 * p, query);
            for (; at > 0 && best[at - 1] > d; at--) {
                best[at] = best[at - 1];
            }
            best[at] = d;
        }
        for (int k = 0; ok && k < BEST; k++) {
            ok = which[k] >= 0 && which[k] < candidates && (k == 0 || which[k] != which[k - 1]);
            ok = ok && near("square", i, square[k], best[k], 1e-6) &&
                 near("square of the point", i, square_between(point + 3 * which[k], query), best[k], 1e-6);
        }
    }
    return ok;
}

static const cl_int spheres = 23;

static void ray_spheres_prepare(struct clbench *b) {
    float *sphere = make(b, 0, 4 * (size_t)spheres * sizeof(float));
    uint32_t state = 226;
    for (cl_int s = 0; s < spheres; s++, sphere += 4) {
        float depth = 4.0f + 4.0f * random_unit(&state);
        sphere[0] = (random_unit(&state) - 0.5f) * depth;
        sphere[1] = (random_unit(&state) - 0.5f) * depth;
        sphere[2] = -depth;
        sphere[3] = 0.3f + 0.5f * random_unit(&state);
    }
    make(b, 1, (size_t)(b->size * b->size) * sizeof(float));
    up(b, 0);
}

static void ray_spheres_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "ray_spheres", RANGE2(round_up(n, 8), round_up(n, 8), 8, 8), V(n), V(n), V(spheres), B(0), B(1));
}

static double dot3(const double *p, const double *q) { return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]; }

/* What the ray brings, or -1 where rounding decides what it meets. */
static double ray_value(const float *sphere, const double *ray) {
    static const double light[3] = {0.6, 0.64, 0.48};
    double nearest = 1e9, value = 0.5 + 0.5 * ray[1];
    int sure = 1;
    for (cl_int s = 0; s < spheres; s++, sphere += 4) {
        double centre[3] = {sphere[0], sphere[1], sphere[2]}, radius = sphere[3], normal[3];
        double along = dot3(centre, ray);
        double inside = along * along - dot3(centre, centre) + radius * radius;
        double t = along - sqrt(fmax(inside, 0.0));
        sure = sure && fabs(inside) > 1e-3 && (inside < 0.0 || fabs(t - nearest) > 1e-3);
        if (inside > 0.0 && t < nearest) {
            for (int c = 0; c < 3; c++) {
                normal[c] = (ray[c] * t - centre[c]) / radius;
            }
            nearest = t;
            value = 0.1 + 0.9 * fmax(dot3(normal, light), 0.0);
        }
    }
    return sure ? value : -1.0;
}

static int ray_spheres_check(struct clbench *b) {
    const float *got = b->buffer[1].host;
    long n = b->size, unsure = 0;
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < n * n; at++) {
        double ray[3] = {((double)(at % n) + 0.5) / (double)n - 0.5, 0.5 - ((double)(at / n) + 0.5) / (double)n, -1.0};
        double length = sqrt(dot3(ray, ray));
        for (int c = 0; c < 3; c++) {
            ray[c] /= length;
        }
        double value = ray_value(b->buffer[0].host, ray);
        unsure += value < 0.0;
        ok = value < 0.0 || near("shade", at, got[at], value, 2e-3);
    }
    return ok && unsure * 20 < n * n;
}

static const float relax = 1.6f;

/* Buffer 2 keeps the grid as it was. */
static void red_black_prepare(struct clbench *b) {
    long points = b->size * b->size;
    size_t bytes = (size_t)points * sizeof(float);
    fill_between(make(b, 0, bytes), points, 227, -0.1f, 0.1f);
    make(b, 1, bytes);
    fill_unit(make(b, 2, bytes), points, 228);
    up(b, 0);
}

static void red_black_once(struct clbench *b) {
    cl_uint n = (cl_uint)b->size;
    memcpy(b->buffer[1].host, b->buffer[2].host, b->buffer[1].bytes);
    up(b, 1);
    for (cl_uint colour = 0; colour < 2; colour++) {
        launch(b, "red_black", RANGE2(round_up((n - 1) / 2, 32), round_up(n - 2, 8), 32, 8), V(n), V(colour), V(relax),
               B(0), B(1));
    }
}

/* Both colours again, on the grid as it was. */
static int red_black_check(struct clbench *b) {
    const float *source = b->buffer[0].host, *got = b->buffer[1].host;
    float *u = b->buffer[2].host;
    long n = b->size;
    int ok = 1;
    down(b, 1);
    for (long colour = 0; colour < 2; colour++) {
        for (long at = n; at < n * (n - 1); at++) {
            long x = at % n, y = at / n;
            if (x > 0 && x < n - 1 && (x + y + colour) % 2 == 1) {
                double mean = 0.25 * ((double)u[at - 1] + u[at + 1] + u[at - n] + u[at + n] - source[at]);
                u[at] = (float)(u[at] + (double)relax * (mean - u[at]));
            }
        }
    }
    for (long at = 0; ok && at < n * n; at++) {
        ok = near("grid", at, got[at], u[at], 1e-5);
    }
    return ok;
}

enum { GRAIN = 7 };
static const float time_step = 0.01f, lifetime = 3.0f, wind = 1.5f;

/* Buffer 1 keeps the grains as they were. */
static void dust_prepare(struct clbench *b) {
    size_t bytes = GRAIN * (size_t)b->size * sizeof(float);
    make(b, 0, bytes);
    float *grain = make(b, 1, bytes);
    uint32_t state = 229;
    for (long i = 0; i < b->size; i++, grain += GRAIN) {
        for (int c = 0; c < 6; c++) {
            grain[c] = 2.0f * random_unit(&state) - (c == 1 ? 0.0f : 1.0f);
        }
        grain[1] *= 0.02f; /* near the ground: some touch it */
        grain[6] = lifetime * random_unit(&state);
    }
}

static void dust_once(struct clbench *b) {
    cl_uint n = (cl_uint)b->size;
    memcpy(b->buffer[0].host, b->buffer[1].host, b->buffer[0].bytes);
    up(b, 0);
    launch(b, "dust", RANGE1(round_up(b->size, 256), 256), V(n), V(time_step), V(lifetime), V(wind), B(0));
}

/* A grain after the step. */
static void fly(const float *before, double *after) {
    double step = time_step, square = 0.0;
    for (int c = 0; c < GRAIN; c++) {
        after[c] = before[c];
    }
    after[6] += step;
    if (after[6] > lifetime) {
        after[6] -= lifetime;
        after[0] = -1.0, after[3] = wind, after[4] = after[5] = 0.0;
        return;
    }
    for (int c = 3; c < 6; c++) {
        square += after[c] * after[c];
    }
    double drag = 1.0 - 0.3 * step * sqrt(square);
    after[3] = wind + (after[3] - wind) * drag;
    after[4] = after[4] * drag - 9.81 * step;
    after[5] *= drag;
    for (int c = 0; c < 3; c++) {
        after[c] += after[3 + c] * step;
    }
    if (after[1] < 0.0) {
        after[1] = after[4] = 0.0;
    }
}

static int dust_check(struct clbench *b) {
    const float *got = b->buffer[0].host, *before = b->buffer[1].host;
    int ok = 1;
    down(b, 0);
    for (long i = 0; ok && i < b->size; i++, got += GRAIN, before += GRAIN) {
        double after[GRAIN];
        fly(before, after);
        /* Rounding decides which of those at the end of their life begin again, and which touch the ground. */
        int close = after[6] < 1e-5 || fabs(after[6] - lifetime) < 1e-5 || (after[1] != 0.0 && after[1] < 1e-5) ||
                    (after[1] == 0.0 && got[1] != 0.0f && got[1] < 1e-5f);
        for (int c = 0; ok && !close && c < GRAIN; c++) {
            ok = near("grain", GRAIN * i + c, got[c], after[c], 1e-5);
        }
    }
    return ok;
}

const struct workload round2_field_workloads[] = {
    WORKLOAD(round2_field, ellpack, 1003, 200003, 2000003, 8000003),
    WORKLOAD(round2_field, nearest_four, 203, 3003, 50003, 500003),
    WORKLOAD(round2_field, ray_spheres, 61, 253, 1019, 4093),
    WORKLOAD(round2_field, red_black, 77, 1021, 4093, 8189),
    WORKLOAD(round2_field, dust, 1003, 300003, 2000003, 8000003),
    END_OF_WORKLOADS,
};
