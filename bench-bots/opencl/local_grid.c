/* Grids in local memory. Sizes are points along a side without the border: of `stencil9_halo` a multiple of 16, of
 * `fdtd3d_planes` one of 32. */
#include "workloads.h"

enum { STEPS = 4 };
static const cl_float centre = 0.25f, beside = 0.15f, corner = 0.0375f;

static long padded(const struct clbench *b) { return b->size + 2; }

/* Both grids have the same border, because no step writes it. */
static void stencil9_halo_prepare(struct clbench *b) {
    long points = padded(b) * padded(b);
    float *first = make(b, 0, (size_t)points * sizeof(float));
    fill_unit(first, points, 1104);
    memcpy(make(b, 1, (size_t)points * sizeof(float)), first, (size_t)points * sizeof(float));
    up(b, 1);
}

static void stencil9_halo_once(struct clbench *b) {
    cl_int row = (cl_int)padded(b);
    size_t n = (size_t)b->size;
    up(b, 0);
    for (int step = 0; step < STEPS; step++) {
        const struct argument in = B(step % 2), out = B((step + 1) % 2);
        launch(b, "stencil9_halo", RANGE2(n, n, 16, 16), V(row), V(centre), V(beside), V(corner), in, out);
    }
}

static void step_of_nine(long n, long row, const double *in, double *out) {
    for (long i = 0; i < n * n; i++) {
        const double *p = in + (i / n + 1) * row + i % n + 1;
        double sides = p[-1] + p[1] + p[-row] + p[row];
        double corners = p[-row - 1] + p[-row + 1] + p[row - 1] + p[row + 1];
        out[p - in] = (double)centre * p[0] + (double)beside * sides + (double)corner * corners;
    }
}

static int stencil9_halo_check(struct clbench *b) {
    long row = padded(b), points = row * row;
    double *field[2] = {malloc((size_t)points * sizeof(double)), malloc((size_t)points * sizeof(double))};
    const float *first = b->buffer[0].host;
    int ok = field[0] != NULL && field[1] != NULL;
    for (long i = 0; ok && i < points; i++) {
        field[0][i] = field[1][i] = first[i];
    }
    for (int step = 0; ok && step < STEPS; step++) {
        step_of_nine(b->size, row, field[step % 2], field[(step + 1) % 2]);
    }
    down(b, STEPS % 2);
    const float *got = b->buffer[STEPS % 2].host;
    for (long i = 0; ok && i < points; i++) {
        ok = near("point", i, got[i], field[STEPS % 2][i], 1e-5);
    }
    free(field[0]);
    free(field[1]);
    return ok;
}

enum { RADIUS = 16, WIDE = 32, HIGH = 32 };

static long with_border(const struct clbench *b) { return b->size + 2 * RADIUS; }

static void fdtd3d_planes_prepare(struct clbench *b) {
    long row = with_border(b), points = row * row * row;
    fill_unit(make(b, 0, (size_t)points * sizeof(float)), points, 1105);
    make(b, 1, (size_t)points * sizeof(float));
    float *weight = make(b, 2, (RADIUS + 1) * sizeof(float));
    for (int i = 0; i <= RADIUS; i++) {
        weight[i] = 0.25f / (float)((i + 1) * (i + 1));
    }
    up(b, 0), up(b, 1), up(b, 2);
}

static void fdtd3d_planes_once(struct clbench *b) {
    cl_int planes = (cl_int)b->size, row = (cl_int)with_border(b), plane = row * row;
    size_t n = (size_t)b->size;
    launch(b, "fdtd3d_planes", RANGE2(n, n, WIDE, HIGH), V(planes), V(row), V(plane), B(2), B(0), B(1));
}

static int fdtd3d_planes_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host, *weight = b->buffer[2].host;
    long n = b->size, row = with_border(b), plane = row * row, stride = n * n * n / 1000000 + 1;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < n * n * n; i += stride) {
        long at = (i / n / n + RADIUS) * plane + (i / n % n + RADIUS) * row + i % n + RADIUS;
        const float *p = in + at;
        double want = (double)weight[0] * p[0];
        for (long r = 1; r <= RADIUS; r++) {
            want += (double)weight[r] * ((double)p[r] + p[-r] + p[r * row] + p[-r * row] + p[r * plane] + p[-r * plane]);
        }
        ok = near("point", at, got[at], want, 1e-5);
    }
    return ok;
}

const struct workload local_grid_workloads[] = {
    WORKLOAD(local_grid, fdtd3d_planes, 32, 128, 192, 320),
    WORKLOAD(local_grid, stencil9_halo, 64, 2048, 4096, 8192),
    END_OF_WORKLOADS,
};
