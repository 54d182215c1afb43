/* Grids. Sizes are points along a side, a multiple of 16. */
#include "parameters.h"
#include "workloads.h"

static void stencil2d_prepare(struct clbench *b) {
    size_t bytes = (size_t)(b->size * b->size) * sizeof(float);
    fill_unit(make(b, 0, bytes), b->size * b->size, 5);
    make(b, 1, bytes);
    up(b, 0);
}

static void stencil2d_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "stencil2d", RANGE2((size_t)n, (size_t)n, 64, 4), V(n), V(n), B(0), B(1));
}

static int stencil2d_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    long n = b->size;
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < n * n; at++) {
        long x = at % n, y = at / n;
        double want = in[at];
        if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
            const float *p = in + at;
            double sides = (double)p[-1] + p[1] + p[-n] + p[n];
            double corners = (double)p[-n - 1] + p[-n + 1] + p[n - 1] + p[n + 1];
            want = 0.25 * p[0] + 0.15 * sides + 0.0375 * corners;
        }
        ok = near("point", at, got[at], want, 1e-5);
    }
    return ok;
}

static void stencil3d_prepare(struct clbench *b) {
    long points = b->size * b->size * b->size;
    fill_unit(make(b, 0, (size_t)points * sizeof(float)), points, 6);
    make(b, 1, (size_t)points * sizeof(float));
    up(b, 0);
}

static void stencil3d_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "stencil3d", RANGE3((size_t)n, (size_t)n, (size_t)n, 16, 4, 1), V(n), B(0), B(1));
}

static int stencil3d_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    long n = b->size;
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < n * n * n; at++) {
        long x = at % n, y = at / n % n, z = at / n / n;
        const float *p = in + at;
        double want = p[0];
        if (x > 0 && y > 0 && z > 0 && x < n - 1 && y < n - 1 && z < n - 1) {
            want = 0.4 * p[0] + 0.1 * ((double)p[-1] + p[1] + p[-n] + p[n] + p[-n * n] + p[n * n]);
        }
        ok = near("point", at, got[at], want, 1e-5);
    }
    return ok;
}

static const float weights[RADIUS + 1] = {0.4f, 0.05f, 0.03f, 0.015f, 0.005f};

static long padded(const struct clbench *b) { return b->size + 2 * RADIUS; }

static void fdtd_prepare(struct clbench *b) {
    long points = padded(b) * padded(b) * padded(b);
    fill_unit(make(b, 0, (size_t)points * sizeof(float)), points, 7);
    make(b, 1, (size_t)points * sizeof(float));
    memcpy(make(b, 2, sizeof weights), weights, sizeof weights);
    up(b, 0), up(b, 1), up(b, 2);
}

static void fdtd_once(struct clbench *b) {
    cl_int n = (cl_int)b->size, row = (cl_int)padded(b), plane = row * row;
    launch(b, "fdtd", RANGE2((size_t)n, (size_t)n, 16, 16), V(n), V(row), V(plane), B(2), B(0), B(1));
}

static int fdtd_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    long n = b->size, row = padded(b), plane = row * row;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < n * n * n; i++) {
        long at = (i / n / n + RADIUS) * plane + (i / n % n + RADIUS) * row + i % n + RADIUS;
        double want = (double)weights[0] * in[at];
        for (long r = 1; r <= RADIUS; r++) {
            const float *p = in + at;
            want += (double)weights[r] * ((double)p[r] + p[-r] + p[r * row] + p[-r * row] + p[r * plane] + p[-r * plane]);
        }
        ok = near("point", at, got[at], want, 1e-5);
    }
    return ok;
}

static void lattice_boltzmann_prepare(struct clbench *b) {
    long cells = 9 * b->size * b->size;
    float *f = make(b, 0, (size_t)cells * sizeof(float));
    fill_unit(f, cells, 8);
    for (long i = 0; i < cells; i++) {
        f[i] = 0.1f + 0.01f * f[i];
    }
    make(b, 1, (size_t)cells * sizeof(float));
}

static void lattice_boltzmann_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    up(b, 0);
    for (int step = 0; step < STEPS; step++) {
        const struct argument in = B(step % 2), out = B((step + 1) % 2);
        launch(b, "lattice", RANGE2((size_t)n, (size_t)n, 64, 1), V(n), V(relaxation), in, out);
    }
}

static void relax(long n, double rate, const double *in, double *out) {
    static const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    for (long i = 0; i < n * n; i++) {
        double f[9], density = 0.0, vx = 0.0, vy = 0.0;
        for (int d = 0; d < 9; d++) {
            f[d] = in[d * n * n + (i / n - dy[d] + n) % n * n + (i % n - dx[d] + n) % n];
            density += f[d], vx += f[d] * dx[d], vy += f[d] * dy[d];
        }
        vx /= density, vy /= density;
        for (int d = 0; d < 9; d++) {
            double share = d == 0 ? 4.0 / 9 : d < 5 ? 1.0 / 9 : 1.0 / 36;
            double along = 3.0 * (dx[d] * vx + dy[d] * vy);
            double rest = share * density * (1.0 + along + 0.5 * along * along - 1.5 * (vx * vx + vy * vy));
            out[d * n * n + i] = f[d] + rate * (rest - f[d]);
        }
    }
}

static int lattice_boltzmann_check(struct clbench *b) {
    long n = b->size, cells = 9 * n * n;
    double *field[2] = {malloc((size_t)cells * sizeof(double)), malloc((size_t)cells * sizeof(double))};
    const float *f = b->buffer[0].host;
    int ok = field[0] != NULL && field[1] != NULL;
    for (long i = 0; ok && i < cells; i++) {
        field[0][i] = f[i];
    }
    for (int step = 0; ok && step < STEPS; step++) {
        relax(n, (double)relaxation, field[step % 2], field[(step + 1) % 2]);
    }
    down(b, STEPS % 2);
    const float *got = b->buffer[STEPS % 2].host;
    for (long i = 0; ok && i < cells; i++) {
        ok = near("density", i, got[i], field[STEPS % 2][i], 1e-5);
    }
    free(field[0]);
    free(field[1]);
    return ok;
}

const struct workload stencil_workloads[] = {
    WORKLOAD(stencil, stencil2d, 64, 1536, 4096, 8192),
    WORKLOAD(stencil, stencil3d, 16, 128, 256, 512),
    WORKLOAD(stencil, fdtd, 16, 112, 224, 384),
    WORKLOAD(stencil, lattice_boltzmann, 64, 512, 1024, 2048),
    END_OF_WORKLOADS,
};
