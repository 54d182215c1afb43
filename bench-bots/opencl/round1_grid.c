/* Points of a grid and their neighbours. Sizes are points along a side, and odd. */
#include "workloads.h"

static void two_pictures(struct clbench *b) {
    size_t bytes = (size_t)(b->size * b->size) * sizeof(float);
    fill_unit(make(b, 0, bytes), b->size * b->size, 120);
    make(b, 1, bytes);
    up(b, 0);
}

static long inside(long at, long n) { return at < 0 ? 0 : at >= n ? n - 1 : at; }

static void box_blur_prepare(struct clbench *b) { two_pictures(b); }

static void box_blur_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "box_blur", RANGE2(round_up(n, 16), round_up(n, 16), 16, 16), V(n), V(n), B(0), B(1));
}

static int box_blur_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    long n = b->size;
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < n * n; at++) {
        double sum = 0.0;
        for (long k = 0; k < 25; k++) {
            sum += in[inside(at / n + k / 5 - 2, n) * n + inside(at % n + k % 5 - 2, n)];
        }
        ok = near("blurred", at, got[at], sum / 25.0, 1e-5);
    }
    return ok;
}

static const float conduct = 0.1f;

static void heat3d_prepare(struct clbench *b) {
    long n = b->size;
    size_t bytes = (size_t)(n * n * n) * sizeof(float);
    fill_unit(make(b, 0, bytes), n * n * n, 121);
    memcpy(make(b, 1, bytes), b->buffer[0].host, bytes);
    up(b, 0), up(b, 1);
}

static void heat3d_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "heat3d", RANGE3(round_up(n - 2, 16), round_up(n - 2, 4), round_up(n - 2, 4), 16, 4, 4), V(n), V(n), V(n),
           V(conduct), B(0), B(1));
}

static int heat3d_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    long n = b->size;
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < n * n * n; at++) {
        long x = at % n, y = at / n % n, z = at / (n * n);
        double want = in[at];
        if (x > 0 && y > 0 && z > 0 && x < n - 1 && y < n - 1 && z < n - 1) {
            double around = (double)in[at - 1] + in[at + 1] + in[at - n] + in[at + n] + in[at - n * n] + in[at + n * n];
            want += (double)conduct * (around - 6.0 * want);
        }
        ok = near("heat", at, got[at], want, 1e-5);
    }
    return ok;
}

static void median3x3_prepare(struct clbench *b) { two_pictures(b); }

static void median3x3_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "median3x3", RANGE2(round_up(n, 16), round_up(n, 16), 16, 16), V(n), V(n), B(0), B(1));
}

static int median3x3_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    long n = b->size;
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < n * n; at++) {
        int below = 0, above = 0, equal = 0;
        for (long k = 0; k < 9; k++) {
            float other = in[inside(at / n + k / 3 - 1, n) * n + inside(at % n + k % 3 - 1, n)];
            below += other < got[at], above += other > got[at], equal += other == got[at];
        }
        ok = (equal > 0 && below <= 4 && above <= 4) || same("smaller than the median of", at, below, 4);
    }
    return ok;
}

static void sobel_prepare(struct clbench *b) {
    size_t bytes = (size_t)(b->size * b->size);
    unsigned char *in = make(b, 0, bytes);
    uint32_t state = 122;
    for (size_t i = 0; i < bytes; i++) {
        in[i] = (unsigned char)(random_word(&state) % 64);
    }
    make(b, 1, bytes);
    up(b, 0);
}

static void sobel_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "sobel", RANGE2(round_up(n, 8), round_up(n, 8), 8, 8), V(n), V(n), B(0), B(1));
}

static int sobel_check(struct clbench *b) {
    const unsigned char *in = b->buffer[0].host, *got = b->buffer[1].host;
    long n = b->size;
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < n * n; at++) {
        long x = at % n, y = at / n, want = 0;
        if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
            long across = 0, downwards = 0;
            for (long k = -1; k <= 1; k++) {
                long weight = k == 0 ? 2 : 1;
                across += weight * (in[at + k * n + 1] - in[at + k * n - 1]);
                downwards += weight * (in[at + n + k] - in[at - n + k]);
            }
            want = (long)fmin(255.0, floor(sqrt((double)(across * across + downwards * downwards))));
        }
        /* OpenCL's square root may be off by 3 units in the last place. */
        ok = labs(got[at] - want) <= 1 || same("edge", at, got[at], want);
    }
    return ok;
}

enum { FDTD_STEPS = 3 };

static void fdtd2d_prepare(struct clbench *b) {
    size_t bytes = (size_t)(b->size * b->size) * sizeof(float);
    for (int i = 0; i < 4; i++) {
        make(b, i, bytes);
    }
    fill_unit(b->buffer[3].host, b->size * b->size, 123);
}

static void fdtd2d_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    memcpy(b->buffer[0].host, b->buffer[3].host, b->buffer[0].bytes);
    memset(b->buffer[1].host, 0, b->buffer[1].bytes);
    memset(b->buffer[2].host, 0, b->buffer[2].bytes);
    up(b, 0), up(b, 1), up(b, 2);
    struct range range = RANGE2(round_up(n, 32), round_up(n, 8), 32, 8);
    for (int step = 0; step < FDTD_STEPS; step++) {
        launch(b, "fdtd2d_magnetic", range, V(n), V(n), B(0), B(1), B(2));
        launch(b, "fdtd2d_electric", range, V(n), V(n), B(0), B(1), B(2));
    }
}

static void fdtd2d_serial(long n, float *ez, float *hx, float *hy) {
    for (long at = 0; at < n * n; at++) {
        hx[at] -= at / n < n - 1 ? 0.5f * (ez[at + n] - ez[at]) : 0.0f;
        hy[at] += at % n < n - 1 ? 0.5f * (ez[at + 1] - ez[at]) : 0.0f;
    }
    for (long at = n; at < n * n; at++) {
        ez[at] += at % n > 0 ? 0.5f * ((hy[at] - hy[at - 1]) - (hx[at] - hx[at - n])) : 0.0f;
    }
}

static int fdtd2d_check(struct clbench *b) {
    long n = b->size;
    float *want = calloc((size_t)(3 * n * n), sizeof(float));
    int ok = want != NULL;
    down(b, 0);
    const float *got = b->buffer[0].host;
    if (ok) {
        memcpy(want, b->buffer[3].host, b->buffer[3].bytes);
    }
    for (int step = 0; ok && step < FDTD_STEPS; step++) {
        fdtd2d_serial(n, want, want + n * n, want + 2 * n * n);
    }
    for (long at = 0; ok && at < n * n; at++) {
        ok = near("electric field", at, got[at], want[at], 1e-5);
    }
    free(want);
    return ok;
}

static const float omega = 1.2f;
static const int step_x[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, step_y[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

static void lattice_cells_prepare(struct clbench *b) {
    size_t bytes = (size_t)(b->size * b->size) * 9 * sizeof(float);
    fill_between(make(b, 0, bytes), b->size * b->size * 9, 124, 0.8f, 1.0f);
    make(b, 1, bytes);
    up(b, 0);
}

static void lattice_cells_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "lattice_cells", RANGE2(round_up(n, 64), (size_t)n, 64, 1), V(n), V(n), V(omega), B(0), B(1));
}

static int lattice_cells_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    long n = b->size;
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < n * n; at++) {
        double f[9], density = 0.0, ux = 0.0, uy = 0.0;
        for (int k = 0; k < 9; k++) {
            long x = (at % n - step_x[k] + n) % n, y = (at / n - step_y[k] + n) % n;
            f[k] = in[9 * (y * n + x) + k];
            density += f[k], ux += step_x[k] * f[k], uy += step_y[k] * f[k];
        }
        ux /= density, uy /= density;
        for (int k = 0; ok && k < 9; k++) {
            double along = step_x[k] * ux + step_y[k] * uy, share = k == 0 ? 4.0 / 9 : k < 5 ? 1.0 / 9 : 1.0 / 36;
            double rest = share * density * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * (ux * ux + uy * uy));
            ok = near("speed", 9 * at + k, got[9 * at + k], f[k] + (double)omega * (rest - f[k]), 1e-5);
        }
    }
    return ok;
}

const struct workload round1_grid_workloads[] = {
    WORKLOAD(round1_grid, box_blur, 61, 767, 2043, 4093),
    WORKLOAD(round1_grid, heat3d, 19, 103, 251, 501),
    WORKLOAD(round1_grid, median3x3, 61, 767, 2043, 4093),
    WORKLOAD(round1_grid, sobel, 61, 1021, 2043, 4093),
    WORKLOAD(round1_grid, fdtd2d, 61, 509, 2043, 4093),
    WORKLOAD(round1_grid, lattice_cells, 61, 401, 1021, 2043),
    END_OF_WORKLOADS,
};
