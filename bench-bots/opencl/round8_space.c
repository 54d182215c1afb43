/* Space. Sizes are sites, points along a side; those of multigrid_step are odd. */
#include "workloads.h"

#include <complex.h>

enum { PARTS = 9 };

static cl_int times_of(const struct clbench *b) { return (cl_int)b->size + 3; }
static long volume_of(const struct clbench *b) { return b->size * b->size * b->size * times_of(b); }

/* The links are near 1, and need not be unitary for this. */
static void plaquettes_prepare(struct clbench *b) {
    long volume = volume_of(b);
    cl_float2 *links = make(b, 0, (size_t)volume * 4 * PARTS * sizeof *links);
    fill_between(b->buffer[0].host, volume * 4 * PARTS * 2, 841, -0.3f, 0.3f);
    for (long i = 0; i < volume * 4 * PARTS; i++) {
        links[i].s[0] += i / volume % PARTS % 4 == 0 ? 0.7f : 0.0f;
    }
    make(b, 1, (size_t)volume * sizeof(float));
    up(b, 0);
}

static void plaquettes_once(struct clbench *b) {
    cl_int side = (cl_int)b->size, times = times_of(b);
    launch(b, "plaquettes", RANGE3(round_up(side, 8), round_up(side, 4), round_up(side * times, 2), 8, 4, 2), B(0), V(side),
           V(times), B(1));
}

/* m becomes m times a link, or its adjoint. */
static void multiply(struct clbench *b, double complex *m, long direction, long site, int adjoint) {
    const cl_float2 *link = (cl_float2 *)b->buffer[0].host + direction * PARTS * volume_of(b) + site;
    double complex old[PARTS];
    memcpy(old, m, sizeof old);
    for (int i = 0; i < PARTS; i++) {
        m[i] = 0.0;
        for (int k = 0; k < 3; k++) {
            cl_float2 e = link[(adjoint ? i % 3 * 3 + k : k * 3 + i % 3) * volume_of(b)];
            m[i] += old[i / 3 * 3 + k] * (e.s[0] + (adjoint ? -1.0 : 1.0) * e.s[1] * I);
        }
    }
}

static long next_site(struct clbench *b, long site, int direction) {
    long length = direction == 3 ? times_of(b) : b->size, step = 1;
    for (int i = 0; i < direction; i++) {
        step *= b->size;
    }
    return site / step % length == length - 1 ? site - (length - 1) * step : site + step;
}

/* Around each square, link by link. */
static int plaquettes_check(struct clbench *b) {
    const float *got = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long site = 0; ok && site < volume_of(b); site += volume_of(b) / 6000 + 1) {
        double sum = 0.0;
        for (int mu = 0; mu < 4; mu++) {
            for (int nu = mu + 1; nu < 4; nu++) {
                double complex m[PARTS] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
                multiply(b, m, mu, site, 0);
                multiply(b, m, nu, next_site(b, site, mu), 0);
                multiply(b, m, mu, next_site(b, site, nu), 1);
                multiply(b, m, nu, site, 1);
                sum += 1.0 - creal(m[0] + m[4] + m[8]) / 3.0;
            }
        }
        ok = near("action", site, got[site], sum, 1e-4);
    }
    return ok;
}

static const float factor = 0.0005f, per_step_squared = 400.0f;

static long cubed(long n) { return n * n * n; }
static cl_int coarse_of(const struct clbench *b) { return (cl_int)(b->size - 1) / 2; }

static void multigrid_step_prepare(struct clbench *b) {
    long points = cubed(b->size);
    fill_between(make(b, 0, (size_t)points * sizeof(float)), points, 851, -1.0f, 1.0f);
    fill_between(make(b, 1, (size_t)points * sizeof(float)), points, 852, -500.0f, 500.0f);
    make(b, 2, (size_t)points * sizeof(float));
    make(b, 3, (size_t)cubed(coarse_of(b)) * sizeof(float));
    make(b, 4, (size_t)points * sizeof(float));
    up(b, 0), up(b, 1);
}

static void multigrid_step_once(struct clbench *b) {
    cl_int n = (cl_int)b->size, m = coarse_of(b);
    size_t fine_x = round_up(n, 16), fine = round_up(n, 4), coarse_x = round_up(m, 16), coarse = round_up(m, 4);
    launch(b, "residual", RANGE3(fine_x, fine, round_up(n, 2), 16, 4, 2), B(0), B(1), V(n), V(per_step_squared), B(2));
    launch(b, "restrict_grid", RANGE3(coarse_x, coarse, round_up(m, 2), 16, 4, 2), B(2), V(n), V(m), B(3));
    launch(b, "prolong_add", RANGE3(fine_x, fine, round_up(n, 2), 16, 4, 2), B(3), B(0), V(n), V(m), V(factor), B(4));
}

static double value_at(const float *grid, long n, long x, long y, long z) {
    return x < 0 || y < 0 || z < 0 || x >= n || y >= n || z >= n ? 0.0 : grid[(z * n + y) * n + x];
}

/* Each fine point gives its share to all coarse ones around it. */
static void spread_residual(struct clbench *b, double *coarse) {
    const float *u = b->buffer[0].host, *f = b->buffer[1].host;
    long n = b->size, m = coarse_of(b);
    for (long at = 0; at < cubed(n); at++) {
        long x = at % n, y = at / n % n, z = at / n / n;
        double around = value_at(u, n, x - 1, y, z) + value_at(u, n, x + 1, y, z) + value_at(u, n, x, y - 1, z) +
                        value_at(u, n, x, y + 1, z) + value_at(u, n, x, y, z - 1) + value_at(u, n, x, y, z + 1);
        double rest = f[at] + (around - 6.0 * u[at]) * per_step_squared;
        for (int i = 0; i < 8; i++) {
            long to_x = x / 2 - (i & 1), to_y = y / 2 - (i >> 1 & 1), to_z = z / 2 - (i >> 2);
            int wanted = !((x & 1) && (i & 1)) && !((y & 1) && (i & 2)) && !((z & 1) && (i & 4));
            if (wanted && to_x >= 0 && to_y >= 0 && to_z >= 0 && to_x < m && to_y < m && to_z < m) {
                double share = (x & 1 ? 0.5 : 0.25) * (y & 1 ? 0.5 : 0.25) * (z & 1 ? 0.5 : 0.25);
                coarse[(to_z * m + to_y) * m + to_x] += share * rest;
            }
        }
    }
}

static int multigrid_step_check(struct clbench *b) {
    const float *u = b->buffer[0].host, *got_coarse = b->buffer[3].host, *got = b->buffer[4].host;
    long n = b->size, m = coarse_of(b);
    double *coarse = calloc((size_t)cubed(m), sizeof *coarse);
    int ok = 1;
    down(b, 3), down(b, 4);
    spread_residual(b, coarse);
    for (long at = 0; ok && at < cubed(m); at++) {
        ok = fabs(got_coarse[at] - coarse[at]) < 0.01 || near("coarse", at, got_coarse[at], coarse[at], 0.0);
    }
    for (long at = 0; ok && at < cubed(n); at++) {
        double want = u[at];
        for (int i = 0; i < 8; i++) {
            /* Of two halves both are the same point where it is a coarse one's. */
            long x = (at % n - 1 + (i & 1)) >> 1, y = (at / n % n - 1 + (i >> 1 & 1)) >> 1, z = (at / n / n - 1 + (i >> 2)) >> 1;
            want += factor * value_at(got_coarse, m, x, y, z) / 8.0;
        }
        ok = near("better", at, got[at], want, 1e-4);
    }
    free(coarse);
    return ok;
}

static const float level = 0.2f;

static cl_uint room_of(const struct clbench *b) { return (cl_uint)(b->size * b->size * 50); }

/* A wave of three directions with drops in it. Cells' numbers are exact in a float up to 256 points a side. */
static void iso_surface_prepare(struct clbench *b) {
    long n = b->size;
    float *field = make(b, 0, (size_t)cubed(n) * sizeof *field);
    for (long at = 0; at < cubed(n); at++) {
        double step = 9.0 / (double)n;
        double x = (double)(at % n) * step, y = (double)(at / n % n) * step, z = (double)(at / n / n) * step;
        field[at] = (float)(sin(x) * cos(y) + sin(y) * cos(z) + sin(z) * cos(x) - 0.5 / (0.1 + cubed((long)x % 3)));
    }
    make(b, 1, room_of(b) * 3 * sizeof(cl_float4));
    make(b, 2, sizeof(cl_uint));
    up(b, 0);
}

static void iso_surface_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    cl_uint room = room_of(b);
    *(cl_uint *)b->buffer[2].host = 0;
    up(b, 2);
    launch(b, "iso_surface", RANGE3(round_up(n - 1, 32), round_up(n - 1, 2), round_up(n - 1, 2), 32, 2, 2), B(0), V(n), V(level),
           V(room), B(1), B(2));
}

/* What of a cell does not depend on the order of its triangles: how many they are, and their corners' sum. */
struct cell {
    long triangles;
    double sum[3];
};

/* A path from corner 0 to 7, one axis after the other, is a tetrahedron. Two inside and two outside make four crossings, of which
 * both triangles have the middle two. */
static void cut_cell(struct clbench *b, long at, struct cell *cell) {
    static const int orders[6][2] = {{1, 2}, {2, 1}, {2, 4}, {4, 2}, {4, 1}, {1, 4}};
    const float *field = b->buffer[0].host;
    long n = b->size;
    for (int t = 0; t < 6; t++) {
        int corner[4] = {0, orders[t][0], orders[t][0] + orders[t][1], 7}, sides[4], ins = 0, crossings = 0;
        double value[4], position[4][3];
        for (int c = 0; c < 4; c++) {
            long x = at % n + (corner[c] & 1), y = at / n % n + (corner[c] >> 1 & 1), z = at / n / n + (corner[c] >> 2);
            value[c] = field[(z * n + y) * n + x];
            position[c][0] = (double)x, position[c][1] = (double)y, position[c][2] = (double)z;
            sides[c] = value[c] > level;
            ins += sides[c];
        }
        cell->triangles += ins == 2 ? 2 : ins & 1;
        for (int i = 0; i < 4; i++) {
            for (int o = 0; o < 4; o++) {
                if (sides[i] && !sides[o]) {
                    double part = (level - value[i]) / (value[o] - value[i]);
                    double times = ins == 2 && (crossings == 1 || crossings == 2) ? 2.0 : 1.0;
                    for (int axis = 0; axis < 3; axis++) {
                        cell->sum[axis] += times * (position[i][axis] + part * (position[o][axis] - position[i][axis]));
                    }
                    crossings++;
                }
            }
        }
    }
}

static int iso_surface_check(struct clbench *b) {
    const cl_float4 *points = b->buffer[1].host;
    long n = b->size, triangles = 0;
    struct cell *got = calloc((size_t)cubed(n), sizeof *got);
    int ok = 1;
    down(b, 1), down(b, 2);
    long count = *(cl_uint *)b->buffer[2].host;
    ok = same("room is enough", 0, count <= (long)room_of(b), 1);
    for (long i = 0; ok && i < count; i++) {
        struct cell *cell = &got[(long)points[3 * i].s[3]];
        cell->triangles++;
        for (int k = 0; k < 9; k++) {
            cell->sum[k % 3] += points[3 * i + k / 3].s[k % 3];
        }
    }
    for (long at = 0; ok && at < cubed(n); at++) {
        struct cell want = {0, {0.0, 0.0, 0.0}};
        if (at % n < n - 1 && at / n % n < n - 1 && at / n / n < n - 1) {
            cut_cell(b, at, &want);
        }
        triangles += want.triangles;
        ok = same("triangles", at, got[at].triangles, want.triangles);
        for (int axis = 0; ok && axis < 3; axis++) {
            ok = near("corners", at * 3 + axis, got[at].sum[axis], want.sum[axis], 1e-3);
        }
    }
    free(got);
    return ok && same("count", 0, count, triangles) && same("some", 0, triangles > n * n, 1);
}

const struct workload round8_space_workloads[] = {
    WORKLOAD(round8_space, plaquettes, 5, 9, 14, 22),
    WORKLOAD(round8_space, multigrid_step, 21, 65, 97, 201),
    WORKLOAD(round8_space, iso_surface, 23, 61, 109, 250),
    END_OF_WORKLOADS,
};
