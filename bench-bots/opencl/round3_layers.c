/* Layers of neural networks. Sizes are rows, of `conv1d_channels` the length, of `max_pool` the channels. */
#include "workloads.h"

/* The inner side is a little shorter than the outer ones. */
static cl_int inner_side(const struct clbench *b) { return (cl_int)(b->size - 5); }

static void matmul_4x4_prepare(struct clbench *b) {
    long n = b->size, k = inner_side(b);
    fill_between(make(b, 0, (size_t)(n * k) * sizeof(float)), n * k, 301, -1.0f, 1.0f);
    fill_between(make(b, 1, (size_t)(k * n) * sizeof(float)), k * n, 302, -1.0f, 1.0f);
    make(b, 2, (size_t)(n * n) * sizeof(float));
    up(b, 0), up(b, 1);
}

static void matmul_4x4_once(struct clbench *b) {
    cl_int n = (cl_int)b->size, k = inner_side(b);
    size_t items = round_up(n, 64) / 4;
    launch(b, "matmul_4x4", RANGE2(items, items, 16, 16), V(n), V(n), V(k), B(0), B(1), B(2));
}

/* Every third row, and the last one. */
static int matmul_4x4_check(struct clbench *b) {
    const float *left = b->buffer[0].host, *right = b->buffer[1].host, *got = b->buffer[2].host;
    long n = b->size, k = inner_side(b);
    double *sum = calloc((size_t)n, sizeof *sum);
    int ok = sum != NULL;
    down(b, 2);
    for (long row = (n - 1) % 3; ok && row < n; row += 3) {
        memset(sum, 0, (size_t)n * sizeof *sum);
        for (long i = 0; i < k; i++) {
            for (long column = 0; column < n; column++) {
                sum[column] += (double)left[row * k + i] * right[i * n + column];
            }
        }
        for (long column = 0; ok && column < n; column++) {
            ok = near("product", row * n + column, got[row * n + column], sum[column], 1e-4);
        }
    }
    free(sum);
    return ok;
}

enum { FEATURES = 770, NORM_ITEMS = 128 };
static const float epsilon = 1e-5f;

static void layer_norm_prepare(struct clbench *b) {
    long values = b->size * FEATURES;
    fill_between(make(b, 0, (size_t)values * sizeof(float)), values, 303, -1.0f, 3.0f);
    fill_between(make(b, 1, FEATURES * sizeof(float)), FEATURES, 304, 0.5f, 1.5f);
    fill_between(make(b, 2, FEATURES * sizeof(float)), FEATURES, 305, -0.5f, 0.5f);
    make(b, 3, (size_t)values * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2);
}

static void layer_norm_once(struct clbench *b) {
    cl_uint features = FEATURES;
    launch(b, "layer_norm", RANGE1((size_t)b->size * NORM_ITEMS, NORM_ITEMS), V(features), V(epsilon), B(0), B(1), B(2),
           B(3), LOCAL(NORM_ITEMS * sizeof(float)));
}

static int layer_norm_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *gain = b->buffer[1].host, *offset = b->buffer[2].host;
    const float *got = b->buffer[3].host;
    int ok = 1;
    down(b, 3);
    for (long row = 0; ok && row < b->size; row++, in += FEATURES, got += FEATURES) {
        double sum = 0.0, squares = 0.0;
        for (int i = 0; i < FEATURES; i++) {
            sum += in[i];
            squares += (double)in[i] * in[i];
        }
        double mean = sum / FEATURES, deviation = sqrt(squares / FEATURES - mean * mean + epsilon);
        for (int i = 0; ok && i < FEATURES; i++) {
            ok = near("normed", row * FEATURES + i, got[i], (in[i] - mean) / deviation * gain[i] + offset[i], 1e-5);
        }
    }
    return ok;
}

static const cl_int in_channels = 12, out_channels = 20, taps = 5;

static void conv1d_channels_prepare(struct clbench *b) {
    long weights = out_channels * in_channels * taps;
    fill_between(make(b, 0, (size_t)(in_channels * b->size) * sizeof(float)), in_channels * b->size, 306, -1.0f, 1.0f);
    fill_between(make(b, 1, (size_t)weights * sizeof(float)), weights, 307, -0.3f, 0.3f);
    fill_between(make(b, 2, (size_t)out_channels * sizeof(float)), out_channels, 308, -0.1f, 0.1f);
    make(b, 3, (size_t)(out_channels * b->size) * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2);
}

static void conv1d_channels_once(struct clbench *b) {
    cl_int length = (cl_int)b->size;
    launch(b, "conv1d_channels", RANGE2(round_up(length - taps + 1, 128), (size_t)out_channels, 128, 1), V(in_channels),
           V(length), V(taps), B(0), B(1), B(2), B(3));
}

static int conv1d_channels_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *weight = b->buffer[1].host, *bias = b->buffer[2].host;
    const float *got = b->buffer[3].host;
    long out_length = b->size - taps + 1;
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < out_channels * out_length; i++) {
        long channel = i / out_length, at = i % out_length;
        double sum = bias[channel];
        for (long tap = 0; tap < in_channels * taps; tap++) {
            sum += (double)weight[channel * in_channels * taps + tap] * in[tap / taps * b->size + at + tap % taps];
        }
        ok = near("convolved", i, got[i], fmax(sum, 0.0), 1e-5);
    }
    return ok;
}

enum { PLANE_SIDE = 113, POOLED_SIDE = 57 };

static void max_pool_prepare(struct clbench *b) {
    long values = b->size * PLANE_SIDE * PLANE_SIDE;
    size_t pooled = (size_t)b->size * POOLED_SIDE * POOLED_SIDE;
    fill_between(make(b, 0, (size_t)values * sizeof(float)), values, 309, -1.0f, 1.0f);
    make(b, 1, pooled * sizeof(float));
    make(b, 2, pooled * sizeof(cl_int));
    up(b, 0);
}

static void max_pool_once(struct clbench *b) {
    cl_int side = PLANE_SIDE, pooled = POOLED_SIDE;
    size_t items = round_up(pooled, 8);
    launch(b, "max_pool", RANGE3(items, items, (size_t)b->size, 8, 8, 1), V(side), V(pooled), B(0), B(1), B(2));
}

/* No pixel of the pixel's window is greater than what was found, and that is where it is said to be. */
static int max_pool_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    const cl_int *where = b->buffer[2].host;
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long i = 0; ok && i < b->size * POOLED_SIDE * POOLED_SIDE; i++) {
        const float *plane = in + i / (POOLED_SIDE * POOLED_SIDE) * PLANE_SIDE * PLANE_SIDE;
        long x = 2 * (i % POOLED_SIDE), y = 2 * (i / POOLED_SIDE % POOLED_SIDE);
        float best = -2.0f;
        long at = 0;
        for (long from_y = y > 0 ? y - 1 : 0; from_y < PLANE_SIDE && from_y <= y + 1; from_y++) {
            for (long from_x = x > 0 ? x - 1 : 0; from_x < PLANE_SIDE && from_x <= x + 1; from_x++) {
                if (plane[from_y * PLANE_SIDE + from_x] > best) {
                    at = from_y * PLANE_SIDE + from_x;
                    best = plane[at];
                }
            }
        }
        ok = near("greatest", i, got[i], best, 0.0) && same("its place", i, where[i], at);
    }
    return ok;
}

static const cl_int columns = 301, fours = 65;
static const float row_scale = 0.004f;

static void int8_product_prepare(struct clbench *b) {
    uint32_t state = 310;
    long lengths[2] = {b->size * fours * 4, columns * fours * 4};
    for (int matrix = 0; matrix < 2; matrix++) {
        signed char *bytes = make(b, matrix, (size_t)lengths[matrix]);
        for (long i = 0; i < lengths[matrix]; i++) {
            bytes[i] = (signed char)((int)(random_word(&state) >> 24) - 128);
        }
    }
    fill_between(make(b, 2, (size_t)columns * sizeof(float)), columns, 311, 0.1f, 0.4f);
    make(b, 3, (size_t)(b->size * columns));
    up(b, 0), up(b, 1), up(b, 2);
}

static void int8_product_once(struct clbench *b) {
    cl_int rows = (cl_int)b->size;
    launch(b, "int8_product", RANGE2(round_up(columns, 16), round_up(rows, 16), 16, 16), V(rows), V(columns), V(fours),
           B(0), B(1), B(2), V(row_scale), B(3));
}

static int int8_product_check(struct clbench *b) {
    const signed char *left = b->buffer[0].host, *right = b->buffer[1].host, *got = b->buffer[3].host;
    const float *scale = b->buffer[2].host;
    long length = 4 * fours;
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < b->size * columns; i++) {
        long sum = 0;
        for (long k = 0; k < length; k++) {
            sum += left[i / columns * length + k] * right[i % columns * length + k];
        }
        double value = fmin(127.0, fmax(-128.0, (double)sum * row_scale * scale[i % columns]));
        /* The nearest whole number, but for rounding before. */
        ok = fabs(got[i] - value) < 0.51 || same("byte", i, got[i], lrint(value));
    }
    return ok;
}

const struct workload round3_layers_workloads[] = {
    WORKLOAD(round3_layers, matmul_4x4, 70, 203, 509, 1021),
    WORKLOAD(round3_layers, layer_norm, 13, 301, 2003, 12007),
    WORKLOAD(round3_layers, conv1d_channels, 301, 4003, 30011, 120011),
    WORKLOAD(round3_layers, max_pool, 3, 64, 192, 768),
    WORKLOAD(round3_layers, int8_product, 19, 101, 509, 2003),
    END_OF_WORKLOADS,
};
