/* Models. Sizes are columns of a picture, columns of pictures, vectors. */
#include "workloads.h"

enum { IN_CHANNELS = 32, OUT_CHANNELS = 48, TAP_WEIGHTS = 9 * IN_CHANNELS };

static const cl_int zero_point = 119, out_zero_point = 7;

static void quant_conv_prepare(struct clbench *b) {
    long pixels = b->size * (b->size + 3);
    unsigned char *picture = make(b, 0, (size_t)pixels * IN_CHANNELS);
    signed char *weights = make(b, 1, OUT_CHANNELS * TAP_WEIGHTS);
    cl_int *bias = make(b, 2, OUT_CHANNELS * sizeof *bias), *factors = make(b, 3, OUT_CHANNELS * sizeof *factors);
    cl_int *shifts = make(b, 4, OUT_CHANNELS * sizeof *shifts);
    uint32_t state = 1489;
    for (long i = 0; i < pixels * IN_CHANNELS; i++) {
        picture[i] = (unsigned char)(random_word(&state) % 256);
    }
    for (int i = 0; i < OUT_CHANNELS * TAP_WEIGHTS; i++) {
        weights[i] = (signed char)(random_word(&state) % 255 - 127);
    }
    for (int i = 0; i < OUT_CHANNELS; i++) {
        bias[i] = (cl_int)(random_word(&state) % 40001) - 15000;
        factors[i] = (cl_int)(0x40000000u + random_word(&state) % 0x3fffffffu);
        shifts[i] = 8 + (cl_int)(random_word(&state) % 3);
    }
    make(b, 5, (size_t)pixels * OUT_CHANNELS);
    for (int i = 0; i < 5; i++) {
        up(b, i);
    }
}

static void quant_conv_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = width + 3;
    struct range range = RANGE3(round_up(width, 8), round_up(height, 8), OUT_CHANNELS / 4, 8, 8, 1);
    launch(b, "quant_conv", range, B(0), B(1), B(2), B(3), B(4), V(width), V(height), V(zero_point), V(out_zero_point), B(5));
}

/* The sum of a channel of a pixel. Weights are by four channels, tap, four channels read, channel, channel read. */
static long quant_sum(const struct clbench *b, long x, long y, long channel) {
    const unsigned char *picture = b->buffer[0].host;
    const signed char *weights = (const signed char *)b->buffer[1].host + channel / 4 * 4 * TAP_WEIGHTS + channel % 4 * 4;
    long sum = ((const cl_int *)b->buffer[2].host)[channel];
    for (long tap = 0; tap < 9; tap++) {
        long row = y + tap / 3 - 1, column = x + tap % 3 - 1;
        if (row >= 0 && row < b->size + 3 && column >= 0 && column < b->size) {
            const unsigned char *from = picture + (row * b->size + column) * IN_CHANNELS;
            for (long i = 0; i < IN_CHANNELS; i++) {
                sum += (from[i] - zero_point) * weights[tap * 4 * IN_CHANNELS + i / 4 * 16 + i % 4];
            }
        }
    }
    return sum;
}

static int quant_conv_check(struct clbench *b) {
    const unsigned char *got = b->buffer[5].host;
    const cl_int *factors = b->buffer[3].host, *shifts = b->buffer[4].host;
    long values = b->size * (b->size + 3) * OUT_CHANNELS, between = 0, checked = 0;
    int ok = 1;
    down(b, 5);
    for (long i = 0; ok && i < values; i += values / 2000000 + 1, checked++) {
        long channel = i % OUT_CHANNELS, pixel = i / OUT_CHANNELS;
        double sum = (double)quant_sum(b, pixel % b->size, pixel / b->size, channel);
        double high = floor(sum * factors[channel] / 2147483648.0 + 0.5);
        double want = floor(high / (1 << shifts[channel]) + 0.5) + out_zero_point;
        want = fmin(fmax(want, out_zero_point), 255.0);
        ok = same("value", i, got[i], (long)want);
        between += want > out_zero_point && want < 255.0;
    }
    return ok && same("many are not cut", 0, between * 4 > checked, 1);
}

enum { PICTURES = 2, CHANNELS = 64, GROUP_CHANNELS = 8 };

static const cl_float least_square = 1e-5f;

/* Halves of sizes from 2^-5 to 2, half of them negative. */
static void fill_halves(cl_ushort *values, long count, uint32_t seed) {
    for (long i = 0; i < count; i++) {
        uint32_t word = random_word(&seed) >> 8;
        values[i] = (cl_ushort)((word >> 3 & 0x8000) | (10 + word % 6) << 10 | (word >> 6 & 1023));
    }
}

static void group_norm_silu_prepare(struct clbench *b) {
    long values = PICTURES * CHANNELS * b->size * (b->size - 2);
    fill_halves(make(b, 0, (size_t)values * sizeof(cl_ushort)), values, 1493);
    fill_halves(make(b, 1, CHANNELS * sizeof(cl_ushort)), CHANNELS, 1499);
    fill_halves(make(b, 2, CHANNELS * sizeof(cl_ushort)), CHANNELS, 1511);
    make(b, 3, (size_t)values * sizeof(cl_ushort));
    up(b, 0), up(b, 1), up(b, 2);
}

static void group_norm_silu_once(struct clbench *b) {
    cl_int channels = CHANNELS, pixels = (cl_int)(b->size * (b->size - 2));
    size_t groups = PICTURES * CHANNELS / GROUP_CHANNELS;
    launch(b, "group_norm_silu", RANGE1(groups * 128, 128), B(0), B(1), B(2), V(channels), V(pixels), V(least_square), B(3));
}

static int group_norm_silu_check(struct clbench *b) {
    const cl_ushort *in = b->buffer[0].host, *scales = b->buffer[1].host, *offsets = b->buffer[2].host, *got = b->buffer[3].host;
    long pixels = b->size * (b->size - 2), count = pixels * GROUP_CHANNELS;
    int ok = 1;
    down(b, 3);
    for (long first = 0; ok && first < PICTURES * CHANNELS; first += GROUP_CHANNELS) {
        double mean = 0.0, square = 0.0;
        for (long i = first * pixels; i < first * pixels + count; i++) {
            mean += half_value(in[i]) / (double)count;
        }
        for (long i = first * pixels; i < first * pixels + count; i++) {
            square += (half_value(in[i]) - mean) * (half_value(in[i]) - mean) / (double)count;
        }
        for (long i = first * pixels; ok && i < first * pixels + count; i++) {
            long channel = i / pixels % CHANNELS;
            double value = (half_value(in[i]) - mean) / sqrt(square + (double)least_square);
            value = value * half_value(scales[channel]) + half_value(offsets[channel]);
            ok = near("value", i, half_value(got[i]), value / (1.0 + exp(-value)), 6e-4);
        }
    }
    return ok;
}

enum { PARTS = 16, PART_FLOATS = 8, CODES = 256, QUERIES = 5, CHUNK = 1024 };

static void pq_scan_prepare(struct clbench *b) {
    long chunks = (b->size + CHUNK - 1) / CHUNK;
    unsigned char *codes = make(b, 0, (size_t)b->size * PARTS);
    float *queries = make(b, 1, QUERIES * PARTS * PART_FLOATS * sizeof *queries);
    float *centres = make(b, 2, PARTS * CODES * PART_FLOATS * sizeof *centres);
    uint32_t state = 1523;
    for (long i = 0; i < b->size * PARTS; i++) {
        codes[i] = (unsigned char)(random_word(&state) % CODES);
    }
    fill_between(queries, QUERIES * PARTS * PART_FLOATS, 1531, -1.0f, 1.0f);
    fill_between(centres, PARTS * CODES * PART_FLOATS, 1543, -1.0f, 1.0f);
    make(b, 3, QUERIES * PARTS * CODES * sizeof(float));
    make(b, 4, (size_t)(QUERIES * chunks) * sizeof(float)), make(b, 5, (size_t)(QUERIES * chunks) * sizeof(cl_int));
    make(b, 6, QUERIES * sizeof(cl_int)), make(b, 7, QUERIES * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2);
}

static void pq_scan_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, chunks = (count + CHUNK - 1) / CHUNK, queries = QUERIES;
    launch(b, "part_distances", RANGE3(CODES, PARTS, QUERIES, 64, 1, 1), B(1), B(2), B(3));
    launch(b, "chunk_nearest", RANGE2((size_t)chunks * 128, QUERIES, 128, 1), B(0), V(count), B(3), B(4), B(5));
    launch(b, "query_nearest", RANGE1(64, 64), B(4), B(5), V(chunks), V(queries), B(6), B(7));
}

/* The nearest one's distance, and that of the one found, which are the same unless two are as near. */
static int pq_scan_check(struct clbench *b) {
    const unsigned char *codes = b->buffer[0].host;
    const float *queries = b->buffer[1].host, *centres = b->buffer[2].host, *distances = b->buffer[7].host;
    const cl_int *found = b->buffer[6].host;
    int ok = 1;
    down(b, 6), down(b, 7);
    for (long query = 0; ok && query < QUERIES; query++) {
        double table[PARTS * CODES] = {0.0}, nearest = INFINITY, of_found = INFINITY;
        for (long i = 0; i < PARTS * CODES * PART_FLOATS; i++) {
            long part = i / PART_FLOATS / CODES;
            double off = (double)queries[(query * PARTS + part) * PART_FLOATS + i % PART_FLOATS] - (double)centres[i];
            table[i / PART_FLOATS] += off * off;
        }
        for (long i = 0; i < b->size; i++) {
            double sum = 0.0;
            for (long part = 0; part < PARTS; part++) {
                sum += table[part * CODES + codes[i * PARTS + part]];
            }
            nearest = fmin(nearest, sum);
            of_found = i == found[query] ? sum : of_found;
        }
        ok = near("distance", query, distances[query], nearest, 1e-5) && near("found", query, of_found, nearest, 1e-5);
    }
    return ok;
}

const struct workload round13_models_workloads[] = {
    WORKLOAD(round13_models, quant_conv, 9, 25, 81, 301),
    WORKLOAD(round13_models, group_norm_silu, 11, 51, 151, 401),
    WORKLOAD(round13_models, pq_scan, 2003, 60013, 400009, 1500007),
    END_OF_WORKLOADS,
};
