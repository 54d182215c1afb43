/* Many against many. Sizes are bodies, points, or points along a side. */
#include "workloads.h"

static const float soft = 0.02f;
enum { TILE_ITEMS = 128 };

static void nbody_tile_prepare(struct clbench *b) {
    fill_unit(make(b, 0, (size_t)b->size * sizeof(cl_float4)), 4 * b->size, 180);
    make(b, 1, (size_t)b->size * sizeof(cl_float4));
    up(b, 0);
}

static void nbody_tile_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "nbody_tile", RANGE1((size_t)n, TILE_ITEMS), V(n), V(soft), B(0), B(1),
           LOCAL(TILE_ITEMS * sizeof(cl_float4)));
}

static int nbody_tile_check(struct clbench *b) {
    const float *body = b->buffer[0].host, *got = b->buffer[1].host;
    long n = b->size, stride = n / 200 + 1;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < n; i += stride) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (long j = 0; j < n; j++) {
            double r[3], square = soft;
            for (int c = 0; c < 3; c++) {
                r[c] = (double)body[4 * j + c] - body[4 * i + c];
                square += r[c] * r[c];
            }
            for (int c = 0; c < 3; c++) {
                sum[c] += r[c] * body[4 * j + 3] / (square * sqrt(square));
            }
        }
        for (int c = 0; ok && c < 3; c++) {
            ok = near("acceleration", 4 * i + c, got[4 * i + c] / (double)n, sum[c] / (double)n, 1e-4);
        }
    }
    return ok;
}

enum { ATOMS = 400 };
static const float spacing = 0.1f, reach = 3.0f;

static void coulomb_plane_prepare(struct clbench *b) {
    float *atom = make(b, 0, ATOMS * sizeof(cl_float4));
    fill_unit(atom, 4 * ATOMS, 181);
    for (long k = 0; k < ATOMS; k++) {
        atom[4 * k] *= spacing * (float)b->size;
        atom[4 * k + 1] *= spacing * (float)b->size;
        atom[4 * k + 2] += 0.2f;
    }
    make(b, 1, (size_t)(b->size * b->size) * sizeof(float));
    up(b, 0);
}

static void coulomb_plane_once(struct clbench *b) {
    cl_uint n = (cl_uint)b->size, atoms = ATOMS;
    cl_float reach_squared = reach * reach;
    launch(b, "coulomb_plane", RANGE2(round_up(n, 16), round_up(n, 8), 16, 8), V(n), V(n), V(spacing), V(atoms),
           V(reach_squared), B(0), B(1));
}

static int coulomb_plane_check(struct clbench *b) {
    const float *atom = b->buffer[0].host, *got = b->buffer[1].host;
    long n = b->size, stride = n * n / 20000 + 1;
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < n * n; at += stride) {
        double sum = 0.0, limit = (double)reach * reach;
        for (long k = 0; k < ATOMS; k++) {
            const float *a = atom + 4 * k;
            double dx = (double)spacing * (double)(at % n) - a[0], dy = (double)spacing * (double)(at / n) - a[1];
            double r2 = dx * dx + dy * dy + (double)a[2] * a[2], s = 1.0 - r2 / limit;
            sum += r2 < limit ? a[3] / sqrt(r2) * s * s : 0.0;
        }
        ok = near("potential", at, got[at], sum, 1e-3);
    }
    return ok;
}

enum { SAMPLES = 256 };

static void scan_points_prepare(struct clbench *b) {
    for (int i = 0; i < 7; i++) {
        long count = i < 4 ? SAMPLES : b->size;
        fill_unit(make(b, i, (size_t)count * sizeof(float)), count, 182 + (uint32_t)i);
        up(b, i);
    }
    make(b, 7, (size_t)b->size * sizeof(cl_float2));
}

static void scan_points_once(struct clbench *b) {
    cl_int points = (cl_int)b->size, samples = SAMPLES;
    launch(b, "scan_points", RANGE1(round_up(b->size, 256), 256), V(points), V(samples), B(0), B(1), B(2), B(3), B(4),
           B(5), B(6), B(7));
}

static int scan_points_check(struct clbench *b) {
    const float *sample[4], *at[3], *got = b->buffer[7].host;
    long stride = b->size / 2000 + 1;
    int ok = 1;
    for (int c = 0; c < 7; c++) {
        *(c < 4 ? &sample[c] : &at[c - 4]) = b->buffer[c].host;
    }
    down(b, 7);
    for (long i = 0; ok && i < b->size; i += stride) {
        double re = 0.0, im = 0.0;
        for (long k = 0; k < SAMPLES; k++) {
            double angle = 0.0;
            for (int c = 0; c < 3; c++) {
                angle += 6.283185307179586 * sample[c][k] * at[c][i];
            }
            re += sample[3][k] * cos(angle), im += sample[3][k] * sin(angle);
        }
        ok = near("real", i, got[2 * i], re, 1e-3) && near("imaginary", i, got[2 * i + 1], im, 1e-3);
    }
    return ok;
}

/* Atoms of a lattice that is a little disturbed, a row of 32 a side; lists of those within two rows, with others among
 * them that are too far away. */
enum { NEIGHBOURS = 64, SIDE = 32 };
static const float pair_reach = 2.2f;

static void pair_force_prepare(struct clbench *b) {
    long n = b->size;
    float *position = make(b, 0, (size_t)n * sizeof(cl_float4));
    cl_int *neighbour = make(b, 1, (size_t)n * NEIGHBOURS * sizeof(cl_int));
    uint32_t state = 190;
    for (long i = 0; i < n; i++) {
        long place[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
        for (int c = 0; c < 3; c++) {
            position[4 * i + c] = (float)place[c] + 0.2f * random_unit(&state);
        }
    }
    for (long at = 0; at < n * NEIGHBOURS; at++) {
        long i = at % n, k = at / n;
        long other = i + (k % 4 - 1) + SIDE * (k / 4 % 4 - 1) + SIDE * SIDE * (k / 16 - 1);
        other = (other + n) % n;
        neighbour[at] = (cl_int)(other == i ? (i + 7) % n : other);
    }
    make(b, 2, (size_t)n * sizeof(cl_float4));
    up(b, 0), up(b, 1);
}

static void pair_force_once(struct clbench *b) {
    cl_int atoms = (cl_int)b->size, most = NEIGHBOURS;
    cl_float reach_squared = pair_reach * pair_reach;
    launch(b, "pair_force", RANGE1(round_up(b->size, 64), 64), V(atoms), V(most), V(reach_squared), B(0), B(1), B(2));
}

static int pair_force_check(struct clbench *b) {
    const float *position = b->buffer[0].host, *got = b->buffer[2].host;
    const cl_int *neighbour = b->buffer[1].host;
    double limit = (double)pair_reach * pair_reach;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i++) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (long k = 0; k < NEIGHBOURS; k++) {
            const float *other = position + 4 * neighbour[k * b->size + i];
            double d[3], r2 = 0.0;
            for (int c = 0; c < 3; c++) {
                d[c] = (double)position[4 * i + c] - other[c];
                r2 += d[c] * d[c];
            }
            double inverse6 = 1.0 / (r2 * r2 * r2), strength = inverse6 / r2 * (1.5 * inverse6 - 2.0);
            for (int c = 0; c < 3; c++) {
                sum[c] += r2 < limit ? d[c] * strength : 0.0;
            }
        }
        for (int c = 0; ok && c < 3; c++) {
            /* A pair at the very end of the reach counts or does not by rounding: it adds some 0.003. */
            ok = near("force", 4 * i + c, got[4 * i + c], sum[c], 1e-2);
        }
    }
    return ok;
}

const struct workload round1_body_workloads[] = {
    WORKLOAD(round1_body, nbody_tile, 256, 2048, 16384, 65536),
    WORKLOAD(round1_body, coulomb_plane, 61, 189, 509, 1021),
    WORKLOAD(round1_body, scan_points, 1003, 10007, 100003, 400009),
    WORKLOAD(round1_body, pair_force, 4099, 30011, 400009, 1000003),
    END_OF_WORKLOADS,
};
