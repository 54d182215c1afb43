/* Pictures: a new size, other colours, a filter. Sizes are pixels along a side, of `planar_yuv` all of them. */
#include "workloads.h"

static void fill_bytes(unsigned char *bytes, size_t count, uint32_t seed) {
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (unsigned char)(random_word(&seed) >> 24);
    }
}

/* Half as large again as the source. */
static cl_int source_side(const struct clbench *b) { return (cl_int)(b->size * 2 / 3); }

static void resize_bilinear_prepare(struct clbench *b) {
    size_t side = (size_t)source_side(b), bytes = 4 * side * side;
    fill_bytes(make(b, 0, bytes), bytes, 201);
    make(b, 1, 4 * (size_t)(b->size * b->size));
    up(b, 0);
}

static void resize_bilinear_once(struct clbench *b) {
    cl_int n = (cl_int)b->size, from = source_side(b);
    launch(b, "resize_bilinear", RANGE2(round_up(n, 16), round_up(n, 8), 16, 8), V(from), V(from), V(n), V(n), B(0),
           B(1));
}

/* Channel `c` at a place of the source. */
static double sample(const unsigned char *in, long side, double x, double y, int c) {
    long left = (long)floor(x), top = (long)floor(y);
    double sum = 0.0;
    for (int corner = 0; corner < 4; corner++) {
        int right = corner % 2, bottom = corner / 2;
        double share = (right ? x - left : 1.0 - (x - left)) * (bottom ? y - top : 1.0 - (y - top));
        sum += share * in[4 * (clamped(top + bottom, side) * side + clamped(left + right, side)) + c];
    }
    return sum;
}

static int resize_bilinear_check(struct clbench *b) {
    const unsigned char *in = b->buffer[0].host, *got = b->buffer[1].host;
    long n = b->size, side = source_side(b);
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < 4 * n * n; i++) {
        double scale = (double)side / (double)n;
        double x = (double)(i / 4 % n + 0.5) * scale - 0.5, y = (double)(i / 4 / n + 0.5) * scale - 0.5;
        double value = sample(in, side, x, y, (int)(i % 4));
        /* The nearest whole number, but for rounding of the place before. */
        ok = fabs(got[i] - value) < 0.6 || same("resized", i, got[i], lrint(value));
    }
    return ok;
}

static void planar_yuv_prepare(struct clbench *b) {
    fill_bytes(make(b, 0, 3 * (size_t)b->size), 3 * (size_t)b->size, 202);
    for (int plane = 1; plane <= 3; plane++) {
        make(b, plane, (size_t)b->size);
    }
    up(b, 0);
}

static void planar_yuv_once(struct clbench *b) {
    cl_uint n = (cl_uint)b->size;
    launch(b, "planar_yuv", RANGE1(round_up(b->size, 1024), 0), V(n), B(0), B(1), B(2), B(3));
}

static int planar_yuv_check(struct clbench *b) {
    static const int weight[3][3] = {{66, 129, 25}, {-38, -74, 112}, {112, -94, -18}}, base[3] = {16, 128, 128};
    const unsigned char *p = b->buffer[0].host;
    int ok = 1;
    for (int plane = 0; plane < 3; plane++) {
        const unsigned char *got = b->buffer[1 + plane].host;
        const int *w = weight[plane];
        down(b, 1 + plane);
        for (long i = 0; ok && i < b->size; i++) {
            double value = (w[0] * p[3 * i] + w[1] * p[3 * i + 1] + w[2] * p[3 * i + 2] + 128) / 256.0;
            ok = same("plane", i, got[i], (long)floor(value) + base[plane]);
        }
    }
    return ok;
}

enum { REACH = 3, TAPS = 2 * REACH + 1 };

static void filter_7x7_prepare(struct clbench *b) {
    long pixels = b->size * b->size;
    fill_unit(make(b, 0, (size_t)pixels * sizeof(float)), pixels, 203);
    make(b, 1, (size_t)pixels * sizeof(float));
    fill_between(make(b, 2, TAPS * TAPS * sizeof(float)), TAPS * TAPS, 204, -0.1f, 0.2f);
    up(b, 0), up(b, 2);
}

static void filter_7x7_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "filter_7x7", RANGE2(round_up(n, 16), round_up(n, 16), 16, 16), V(n), V(n), B(2), B(0), B(1));
}

static int filter_7x7_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host, *weight = b->buffer[2].host;
    long n = b->size;
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < n * n; at++) {
        double sum = 0.0;
        for (int tap = 0; tap < TAPS * TAPS; tap++) {
            long x = at % n + tap % TAPS - REACH, y = at / n + tap / TAPS - REACH;
            sum += x >= 0 && x < n && y >= 0 && y < n ? (double)weight[tap] * in[y * n + x] : 0.0;
        }
        ok = near("filtered", at, got[at], sum, 1e-5);
    }
    return ok;
}

const struct workload round2_image_workloads[] = {
    WORKLOAD(round2_image, resize_bilinear, 61, 509, 2039, 4091),
    WORKLOAD(round2_image, planar_yuv, 1003, 1000003, 8000003, 32000003),
    WORKLOAD(round2_image, filter_7x7, 45, 253, 1019, 2045),
    END_OF_WORKLOADS,
};
