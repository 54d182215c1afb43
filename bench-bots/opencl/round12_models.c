/* Models. Sizes are tokens, pixels along x, tokens. */
#include "workloads.h"

enum { GROUP = 32, TILE = 16 };

static cl_int depth_of(const struct clbench *b) { return (cl_int)(GROUP * (b->size / GROUP + 3)); }
static cl_int rows_of(const struct clbench *b) { return (cl_int)(b->size * 2 + 9); }

/* Numbers of sizes that differ from group to group; one group is all 0. */
static void fill_groups(struct clbench *b, int buffer, long count, uint32_t seed) {
    float *values = make(b, buffer, (size_t)count * sizeof *values);
    fill_between(values, count, seed, -1.0f, 1.0f);
    for (long i = 0; i < count; i++) {
        values[i] *= i / GROUP == 3 ? 0.0f : 0.1f * (float)(1 + i / GROUP % 7);
    }
    make(b, buffer + 1, (size_t)count), make(b, buffer + 2, (size_t)(count / GROUP) * sizeof(float));
    up(b, buffer);
}

static void scaled_product_prepare(struct clbench *b) {
    fill_groups(b, 0, b->size * depth_of(b), 1311);
    fill_groups(b, 3, (long)rows_of(b) * depth_of(b), 1312);
    make(b, 6, (size_t)(b->size * rows_of(b)) * sizeof(float));
}

static void scaled_product_once(struct clbench *b) {
    cl_int tokens = (cl_int)b->size, rows = rows_of(b), depth = depth_of(b), words = depth / 4;
    cl_int token_values = tokens * depth, weight_values = rows * depth;
    launch(b, "quantise_rows", RANGE1(round_up(token_values, 2 * GROUP), 2 * GROUP), B(0), V(token_values), B(1), B(2));
    launch(b, "quantise_rows", RANGE1(round_up(weight_values, 2 * GROUP), 2 * GROUP), B(3), V(weight_values), B(4), B(5));
    launch(b, "scaled_product", RANGE2(round_up(rows, TILE), round_up(tokens, TILE), TILE, TILE), B(1), B(2), B(4), B(5),
           V(tokens), V(rows), V(words), B(6));
}

/* Bytes are whole numbers next to the values, in units of a scale that makes 127 of the largest. */
static int right_bytes(struct clbench *b, int buffer) {
    const float *values = b->buffer[buffer].host, *scales = b->buffer[buffer + 2].host;
    const signed char *got = b->buffer[buffer + 1].host;
    long count = (long)b->buffer[buffer + 1].bytes;
    int ok = 1;
    down(b, buffer + 1), down(b, buffer + 2);
    for (long i = 0; ok && i < count; i++) {
        double largest = 0.0, scale = scales[i / GROUP];
        for (long k = i / GROUP * GROUP; i % GROUP == 0 && k < i + GROUP; k++) {
            largest = fmax(largest, fabs(values[k]));
        }
        ok = same("byte is next", i, fabs(got[i] * scale - values[i]) <= 0.5001 * scale, 1) &&
             (i % GROUP != 0 || near("scale", i / GROUP, scale, largest / 127.0, 1e-8));
    }
    return ok;
}

/* Of the bytes that the device made. */
static int scaled_product_check(struct clbench *b) {
    const signed char *tokens = b->buffer[1].host, *weights = b->buffer[4].host;
    const float *token_scales = b->buffer[2].host, *weight_scales = b->buffer[5].host, *got = b->buffer[6].host;
    long rows = rows_of(b), depth = depth_of(b), below = 0, tried = 0;
    int ok = right_bytes(b, 0) && right_bytes(b, 3);
    down(b, 6);
    for (long at = 0; ok && at < b->size * rows; at += b->size * rows / 10000 + 1, tried++) {
        double sum = 0.0;
        for (long k = 0; k < depth; k++) {
            long left = at / rows * depth + k, right = at % rows * depth + k;
            sum += (double)tokens[left] * token_scales[left / GROUP] * weights[right] * weight_scales[right / GROUP];
        }
        below += sum < 0.0;
        ok = near("result", at, got[at], sum / (1.0 + exp(-sum)), 5e-6);
    }
    return ok && same("half are below 0", 0, below * 4 > tried && below * 4 < tried * 3, 1);
}

enum { TAPS = 9, CHANNELS = 8, OUTPUTS = 8 };

static cl_int height_of(const struct clbench *b) { return (cl_int)(b->size * 3 / 4 + 2); }

/* Most taps move by a pixel or two, some out of the picture. */
static void deformable_prepare(struct clbench *b) {
    long plane = b->size * height_of(b);
    fill_between(make(b, 0, (size_t)(plane * CHANNELS) * sizeof(float)), plane * CHANNELS, 1321, -1.0f, 1.0f);
    float *moves = make(b, 1, (size_t)(plane * 2 * TAPS) * sizeof *moves);
    uint32_t state = 1322;
    for (long i = 0; i < plane * 2 * TAPS; i++) {
        moves[i] = (random_unit(&state) - 0.5f) * (random_word(&state) % 20 == 0 ? 30.0f : 3.0f);
    }
    fill_unit(make(b, 2, (size_t)(plane * TAPS) * sizeof(float)), plane * TAPS, 1323);
    fill_between(make(b, 3, OUTPUTS * CHANNELS * TAPS * sizeof(float)), OUTPUTS * CHANNELS * TAPS, 1324, -0.5f, 0.5f);
    fill_between(make(b, 4, OUTPUTS * sizeof(float)), OUTPUTS, 1325, -1.0f, 1.0f);
    make(b, 5, (size_t)(plane * OUTPUTS) * sizeof(float));
    for (int i = 0; i < 5; i++) {
        up(b, i);
    }
}

static void deformable_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = height_of(b), channels = CHANNELS;
    launch(b, "deformable", RANGE3(round_up(width, 16), round_up(height, 8), OUTPUTS / 4, 16, 8, 1), B(0), B(1), B(2), B(3), B(4),
           V(width), V(height), V(channels), B(5));
}

/* How much a pixel counts for a place: it is a hat. */
static double hat(double off) { return fabs(off) < 1.0 ? 1.0 - fabs(off) : 0.0; }

/* All pixels of some, and no others than those that are there. */
static int deformable_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *moves = b->buffer[1].host, *masks = b->buffer[2].host, *got = b->buffer[5].host;
    const float *weights = b->buffer[3].host, *bias = b->buffer[4].host;
    long width = b->size, height = height_of(b), plane = width * height;
    int ok = 1;
    down(b, 5);
    for (long at = 0; ok && at < plane; at += plane / 4000 + 1) {
        double sums[OUTPUTS];
        for (int i = 0; i < OUTPUTS; i++) {
            sums[i] = bias[i];
        }
        for (long tap = 0; tap < TAPS; tap++) {
            double px = (double)(at % width + tap % 3 - 1) + moves[2 * tap * plane + at];
            double py = (double)(at / width + tap / 3 - 1) + moves[(2 * tap + 1) * plane + at];
            for (long k = 0; k < 16 * CHANNELS; k++) {
                long u = (long)px - 1 + k % 4, v = (long)py - 1 + k / 4 % 4, c = k / 16;
                double part = u < 0 || v < 0 || u >= width || v >= height ? 0.0 : hat(px - (double)u) * hat(py - (double)v);
                for (int i = 0; part > 0.0 && i < OUTPUTS; i++) {
                    double weight = weights[((i / 4 * CHANNELS + c) * TAPS + tap) * 4 + i % 4];
                    sums[i] += weight * part * masks[tap * plane + at] * in[c * plane + v * width + u];
                }
            }
        }
        for (int i = 0; ok && i < OUTPUTS; i++) {
            ok = near("result", i * plane + at, got[i * plane + at], sums[i], 1e-4);
        }
    }
    return ok;
}

enum { EXPERTS = 16, WIDTH = 48, FOURS = WIDTH / 4 };

/* Room for somewhat more than its share, which is less than those want that the first experts get. */
static cl_int capacity_of(const struct clbench *b) { return (cl_int)(b->size * 2 / EXPERTS * 5 / 4 + 3); }

static void expert_route_prepare(struct clbench *b) {
    long tokens = b->size, places = (long)EXPERTS * capacity_of(b);
    float *scores = make(b, 0, (size_t)(tokens * EXPERTS) * sizeof *scores);
    fill_unit(scores, tokens * EXPERTS, 1331);
    for (long i = 0; i < tokens * EXPERTS; i++) {
        scores[i] *= i % EXPERTS < 3 ? 2.4f : 2.2f;
    }
    fill_between(make(b, 1, (size_t)(tokens * WIDTH) * sizeof(float)), tokens * WIDTH, 1332, -1.0f, 1.0f);
    fill_between(make(b, 2, 2 * EXPERTS * WIDTH * sizeof(float)), 2 * EXPERTS * WIDTH, 1333, -2.0f, 2.0f);
    make(b, 3, EXPERTS * sizeof(cl_int)), make(b, 4, (size_t)tokens * sizeof(cl_uchar2));
    make(b, 5, (size_t)tokens * sizeof(cl_float2)), make(b, 6, (size_t)places * sizeof(cl_int));
    make(b, 7, (size_t)tokens * sizeof(cl_int2)), make(b, 8, (size_t)(places * WIDTH) * sizeof(float));
    make(b, 9, (size_t)(tokens * WIDTH) * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2);
}

static void expert_route_once(struct clbench *b) {
    cl_int tokens = (cl_int)b->size, capacity = capacity_of(b), width = FOURS;
    launch(b, "expert_choose", RANGE1(round_up(tokens, 64), 64), B(0), V(tokens), B(4), B(5));
    launch(b, "expert_lists", RANGE1(EXPERTS * 128, 128), B(4), V(tokens), V(capacity), B(6), B(3), B(7));
    launch(b, "expert_apply", RANGE3(16, round_up(capacity, 8), EXPERTS, 16, 8, 1), B(1), B(6), B(3), B(2), V(capacity), V(width),
           B(8));
    launch(b, "expert_merge", RANGE1(8192, 0), B(1), B(8), B(7), B(5), V(tokens), V(width), B(9));
}

/* What an expert makes of a number. */
static double applied(const float *layer, long expert, long at, double value) {
    double x = value * layer[expert * WIDTH + at] + layer[(EXPERTS + expert) * WIDTH + at];
    return 0.5 * x * (1.0 + tanh((double)0.79788456f * (x + (double)0.044715f * x * x * x)));
}

/* One token after the other. */
static int expert_route_check(struct clbench *b) {
    const float *scores = b->buffer[0].host, *in = b->buffer[1].host, *layer = b->buffer[2].host, *got = b->buffer[9].host;
    const cl_int *counts = b->buffer[3].host;
    long wanted[EXPERTS] = {0}, capacity = capacity_of(b), dropped = 0;
    int ok = 1;
    down(b, 3), down(b, 9);
    for (long token = 0; ok && token < b->size; token++) {
        const float *of = scores + token * EXPERTS;
        double shares[2], kept[2];
        int best[2] = {-1, -1};
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < EXPERTS; i++) {
                if (i != best[0] && (best[k] < 0 || of[i] > of[best[k]])) {
                    best[k] = i;
                }
            }
        }
        for (int k = 0; k < 2; k++) {
            shares[k] = 1.0 / (1.0 + exp((double)of[best[1 - k]] - of[best[k]]));
            kept[k] = wanted[best[k]]++ < capacity ? shares[k] : 0.0;
            dropped += kept[k] == 0.0;
        }
        for (long i = 0; ok && i < WIDTH; i++) {
            double value = in[token * WIDTH + i], sum = value;
            for (int k = 0; k < 2; k++) {
                sum += kept[k] * applied(layer, best[k], i, value);
            }
            ok = near("number", token * WIDTH + i, got[token * WIDTH + i], sum, 2e-6);
        }
    }
    for (int i = 0; ok && i < EXPERTS; i++) {
        ok = same("tokens", i, counts[i], wanted[i] < capacity ? wanted[i] : capacity);
    }
    return ok && same("some found no place", 0, dropped > 0 && dropped * 4 < b->size, 1);
}

const struct workload round12_models_workloads[] = {
    WORKLOAD(round12_models, scaled_product, 45, 151, 401, 1201),
    WORKLOAD(round12_models, deformable, 35, 121, 301, 1001),
    WORKLOAD(round12_models, expert_route, 301, 8009, 30011, 150001),
    END_OF_WORKLOADS,
};
