/* Models. Sizes are rows, blocks, tokens, clouds. */
#include "workloads.h"

enum { SUPER = 256, SMALL = 32, SUPER_BYTES = 144, BLOCKS = 12, TOKENS = 3 };

static const cl_ushort units[4] = {0x1400, 0x1523, 0x10f0, 0x0c11};

static void superblock_rows_prepare(struct clbench *b) {
    unsigned char *weights = make(b, 0, (size_t)(b->size * BLOCKS * SUPER_BYTES));
    uint32_t state = 2089;
    for (long i = 0; i < b->size * BLOCKS * SUPER_BYTES; i++) {
        weights[i] = (unsigned char)random_word(&state);
    }
    for (long i = 0; i < b->size * BLOCKS; i++) {
        cl_ushort both[2] = {units[random_word(&state) % 4], units[random_word(&state) % 4]};
        memcpy(weights + i * SUPER_BYTES, both, sizeof both);
    }
    fill_between(make(b, 1, TOKENS * BLOCKS * SUPER * sizeof(float)), TOKENS * BLOCKS * SUPER, 2099, -2.0f, 3.0f);
    make(b, 2, TOKENS * BLOCKS * SUPER), make(b, 3, TOKENS * BLOCKS * sizeof(float));
    make(b, 4, TOKENS * BLOCKS * (SUPER / SMALL) * sizeof(cl_short)), make(b, 5, (size_t)(b->size * TOKENS) * sizeof(float));
    up(b, 0), up(b, 1);
}

static void superblock_rows_once(struct clbench *b) {
    cl_int rows = (cl_int)b->size, blocks = BLOCKS;
    struct range range = RANGE3(32, round_up(rows, 4), TOKENS, 32, 4, 1);
    launch(b, "quantise_tokens", RANGE1(TOKENS * BLOCKS * SUPER / 4, 64), B(1), B(2), B(3), B(4));
    launch(b, "superblock_rows", range, B(0), V(rows), V(blocks), B(2), B(3), B(4), B(5));
}

/* Whether the tokens' whole numbers, scales and sums are right. */
static int numbers_are_right(struct clbench *b) {
    const float *tokens = b->buffer[1].host, *scales = b->buffer[3].host;
    const signed char *numbers = b->buffer[2].host;
    const cl_short *sums = b->buffer[4].host;
    int ok = 1;
    for (long i = 0; ok && i < TOKENS * BLOCKS * SUPER; i += SMALL) {
        long first = i / SUPER * SUPER, sum = 0;
        double most = 0.0;
        for (long k = 0; k < SUPER; k++) {
            most = fmax(most, fabs((double)tokens[first + k]));
        }
        ok = near("scale", i / SUPER, (double)scales[i / SUPER] * 127.0, most, 1e-6);
        for (long k = i; ok && k < i + SMALL; k++) {
            sum += numbers[k];
            ok = same("number is near", k, fabs((double)tokens[k] * 127.0 / most - numbers[k]) <= 0.5002, 1);
        }
        ok = ok && same("sum", i / SMALL, sums[i / SMALL], sum);
    }
    return ok;
}

static double weight_of(const unsigned char *block, long i) {
    long inner = i / SMALL, at = i % SMALL;
    long byte = block[16 + inner * (SMALL / 2) + at % (SMALL / 2)], six[2] = {0, 0};
    for (long bit = 0; bit < 12; bit++) {
        long from = bit / 6 * 48 + inner * 6 + bit % 6;
        six[bit / 6] |= (long)(block[4 + from / 8] >> from % 8 & 1) << bit % 6;
    }
    cl_ushort both[2];
    memcpy(both, block, sizeof both);
    return half_value(both[0]) * (double)(six[0] * (at < SMALL / 2 ? byte & 15 : byte >> 4)) - half_value(both[1]) * (double)six[1];
}

static int superblock_rows_check(struct clbench *b) {
    const unsigned char *weights = b->buffer[0].host;
    const signed char *numbers = b->buffer[2].host;
    const float *scales = b->buffer[3].host, *got = b->buffer[5].host;
    down(b, 2), down(b, 3), down(b, 4), down(b, 5);
    int ok = numbers_are_right(b);
    for (long row = 0; ok && row < b->size; row++) {
        double sums[TOKENS] = {0.0}, sizes[TOKENS] = {0.0};
        for (long i = 0; i < BLOCKS * SUPER; i++) {
            double weight = weight_of(weights + (row * BLOCKS + i / SUPER) * SUPER_BYTES, i % SUPER);
            for (long token = 0; token < TOKENS; token++) {
                double part = weight * numbers[token * BLOCKS * SUPER + i] * (double)scales[token * BLOCKS + i / SUPER];
                sums[token] += part, sizes[token] += fabs(part);
            }
        }
        for (long token = 0; ok && token < TOKENS; token++) {
            ok = near("product", token * b->size + row, got[token * b->size + row], sums[token], 1e-5 * fmax(1.0, sizes[token]));
        }
    }
    return ok;
}

enum { CODES = 256, LEARNERS = 64 };

static const cl_float4 rate = {{0.01f, 0.1f, 0.9f, 0.99f}};

static long learned_of(const struct clbench *b) { return b->size * CODES - 77; }

/* What codes mean: of the first memory from -1 to 1, of the second one from 0 to 1, denser where it is small. */
static void adam_eight_bit_prepare(struct clbench *b) {
    long count = learned_of(b);
    float *slopes = make(b, 1, (size_t)count * sizeof *slopes), *sizes = make(b, 3, (size_t)(b->size * 2) * sizeof *sizes);
    float *values = make(b, 4, 2 * CODES * sizeof *values);
    unsigned char *codes = make(b, 2, (size_t)(count * 2));
    uint32_t state = 2111;
    fill_between(make(b, 0, (size_t)count * sizeof(float)), count, 2113, -1.0f, 1.0f);
    for (long i = 0; i < count; i++) {
        float unit = 2.0f * random_unit(&state) - 1.0f;
        slopes[i] = i / CODES % 19 == 7 ? 0.0f : unit * unit * unit;
        codes[2 * i] = (unsigned char)random_word(&state), codes[2 * i + 1] = (unsigned char)random_word(&state);
    }
    for (long i = 0; i < b->size; i++) {
        sizes[2 * i] = i == 3 ? 0.0f : 0.2f + random_unit(&state), sizes[2 * i + 1] = i == 3 ? 0.0f : 0.1f + random_unit(&state);
    }
    for (int i = 0; i < CODES; i++) {
        double at = ((double)i - 127.0) / 128.0;
        values[i] = (float)(at * fabs(at) * (i == 255 ? 1.0 : 0.98)), values[CODES + i] = (float)pow((double)i / 255.0, 3.0);
    }
    make(b, 5, (size_t)count * sizeof(float)), make(b, 6, (size_t)(count * 2)), make(b, 7, (size_t)(b->size * 2) * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3), up(b, 4);
}

static void adam_eight_bit_once(struct clbench *b) {
    cl_int count = (cl_int)learned_of(b);
    struct range range = RANGE1((size_t)b->size * LEARNERS, LEARNERS);
    launch(b, "adam_eight_bit", range, B(0), B(1), V(count), B(2), B(3), B(4), V(rate), B(5), B(6), B(7));
}

/* Whether a code's value is as near to a share as any. */
static int is_nearest(const float *values, int code, double share) {
    double least = 1e30;
    for (int i = 0; i < CODES; i++) {
        least = fmin(least, fabs((double)values[i] - share));
    }
    return fabs((double)values[code] - share) <= least + 4e-6;
}

static int adam_eight_bit_check(struct clbench *b) {
    const float *weights = b->buffer[0].host, *slopes = b->buffer[1].host, *sizes = b->buffer[3].host, *values = b->buffer[4].host;
    const float *new_weights = b->buffer[5].host, *new_sizes = b->buffer[7].host;
    const unsigned char *codes = b->buffer[2].host, *new_codes = b->buffer[6].host;
    int ok = 1;
    down(b, 5), down(b, 6), down(b, 7);
    for (long first = 0; ok && first < learned_of(b); first += CODES) {
        double memories[CODES][2], most[2] = {1e-30, 1e-30};
        const float *size = sizes + first / CODES * 2, *new_size = new_sizes + first / CODES * 2;
        long end = first + CODES < learned_of(b) ? first + CODES : learned_of(b);
        for (long i = first; ok && i < end; i++) {
            double slope = slopes[i], *memory = memories[i - first];
            for (int k = 0; k < 2; k++) {
                double share = (double)rate.s[2 + k], past = (double)size[k] * (double)values[k * CODES + codes[2 * i + k]];
                memory[k] = share * past + (1.0 - share) * (k == 0 ? slope : slope * slope);
                most[k] = fmax(most[k], fabs(memory[k]));
            }
            double wanted = (double)weights[i] * (1.0 - (double)rate.s[0] * (double)rate.s[1]) -
                            (double)rate.s[0] * memory[0] / (sqrt(memory[1]) + 1e-6);
            ok = near("weight", i, new_weights[i], wanted, 1e-4);
        }
        for (int k = 0; ok && k < 2; k++) {
            ok = same("size is right", first / CODES * 2 + k, fabs((double)new_size[k] - most[k]) <= 1e-5 * most[k], 1);
            for (long i = first; ok && i < end; i++) {
                ok = same("code is right", 2 * i + k,
                          is_nearest(values + k * CODES, new_codes[2 * i + k], memories[i - first][k] / most[k]), 1);
            }
        }
    }
    return ok;
}

enum { INPUTS = 48, OUTPUTS = 42, CURVE_PARTS = 8, KNOTS = CURVE_PARTS + 3 };

static void spline_edges_prepare(struct clbench *b) {
    fill_between(make(b, 0, (size_t)(b->size * INPUTS) * sizeof(float)), b->size * INPUTS, 2129, -1.2f, 1.2f);
    fill_between(make(b, 1, INPUTS * KNOTS * OUTPUTS * sizeof(float)), INPUTS * KNOTS * OUTPUTS, 2131, -1.0f, 1.0f);
    fill_between(make(b, 2, INPUTS * OUTPUTS * sizeof(float)), INPUTS * OUTPUTS, 2137, -1.0f, 1.0f);
    make(b, 3, (size_t)(b->size * OUTPUTS) * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2);
}

static void spline_edges_once(struct clbench *b) {
    cl_int tokens = (cl_int)b->size, outputs = OUTPUTS;
    struct range range = RANGE2(round_up(outputs, 16), round_up(tokens, 8), 16, 8);
    launch(b, "spline_edges", range, B(0), V(tokens), V(outputs), B(1), B(2), B(3));
}

/* A bell of four parts, each of length 1, that is a third degree of its place in each of them. */
static double bell(double at) {
    double far = fabs(at);
    return far < 1.0 ? 2.0 / 3.0 - far * far + far * far * far / 2.0 : far < 2.0 ? pow(2.0 - far, 3.0) / 6.0 : 0.0;
}

static int spline_edges_check(struct clbench *b) {
    const float *inputs = b->buffer[0].host, *coefficients = b->buffer[1].host, *shares = b->buffer[2].host;
    const float *got = b->buffer[3].host;
    int ok = 1;
    down(b, 3);
    for (long token = 0; ok && token < b->size; token++) {
        double sums[OUTPUTS] = {0.0};
        for (long i = 0; i < INPUTS; i++) {
            double x = (double)inputs[token * INPUTS + i], place = (fmax(fmin(x, 1.0), -1.0) + 1.0) * CURVE_PARTS / 2;
            for (long k = 0; k < KNOTS; k++) {
                double part = bell(place - (double)(k - 1));
                for (long o = 0; part > 0.0 && o < OUTPUTS; o++) {
                    sums[o] += part * (double)coefficients[(i * KNOTS + k) * OUTPUTS + o];
                }
            }
            for (long o = 0; o < OUTPUTS; o++) {
                sums[o] += (double)shares[i * OUTPUTS + o] * x / (1.0 + exp(-x));
            }
        }
        for (long o = 0; ok && o < OUTPUTS; o++) {
            ok = near("output", token * OUTPUTS + o, got[token * OUTPUTS + o], sums[o], 3e-5);
        }
    }
    return ok;
}

enum { SEEKERS = 64, POINTS = 1021, WANTED = 48 };

/* Points at whole places, so that distances are exact: on a sheet that bends, and some anywhere. */
static void farthest_points_prepare(struct clbench *b) {
    float *points = make(b, 0, (size_t)(b->size * POINTS * 3) * sizeof *points);
    uint32_t state = 2141;
    for (long i = 0; i < b->size * POINTS; i++) {
        float x = floorf(1000.0f * random_unit(&state)), y = floorf(1000.0f * random_unit(&state));
        int is_off = random_word(&state) % 50 == 0;
        points[3 * i] = x, points[3 * i + 1] = y;
        points[3 * i + 2] = is_off ? floorf(900.0f * random_unit(&state)) : floorf(300.0f + 200.0f * sinf(0.006f * (x + 2.0f * y)));
    }
    make(b, 1, (size_t)(b->size * WANTED) * sizeof(cl_int)), make(b, 2, (size_t)(b->size * WANTED) * sizeof(float));
    up(b, 0);
}

static void farthest_points_once(struct clbench *b) {
    cl_int points = POINTS, wanted = WANTED;
    launch(b, "farthest_points", RANGE1((size_t)b->size * SEEKERS, SEEKERS), B(0), V(points), V(wanted), B(1), B(2));
}

static int farthest_points_check(struct clbench *b) {
    const float *points = b->buffer[0].host, *reaches = b->buffer[2].host;
    const cl_int *chosen = b->buffer[1].host;
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long cloud = 0; ok && cloud < b->size; cloud++) {
        const float *own = points + cloud * POINTS * 3;
        double nearest[POINTS];
        long last = 0;
        for (long i = 0; i < POINTS; i++) {
            nearest[i] = 1e30;
        }
        for (long k = 0; ok && k < WANTED; k++) {
            long next = 0;
            ok = same("chosen", cloud * WANTED + k, chosen[cloud * WANTED + k], last);
            for (long i = 0; i < POINTS; i++) {
                double squared = 0.0;
                for (long axis = 0; axis < 3; axis++) {
                    squared += pow((double)own[3 * i + axis] - (double)own[3 * last + axis], 2.0);
                }
                nearest[i] = fmin(nearest[i], squared);
                next = nearest[i] > nearest[next] ? i : next;
            }
            ok = ok && near("reach", cloud * WANTED + k, reaches[cloud * WANTED + k], sqrt(nearest[next]), 1e-6);
            last = next;
        }
    }
    return ok;
}

const struct workload round17_models_workloads[] = {
    WORKLOAD(round17_models, superblock_rows, 21, 301, 1501, 12007),
    WORKLOAD(round17_models, adam_eight_bit, 13, 301, 2003, 30011),
    WORKLOAD(round17_models, spline_edges, 33, 501, 6007, 30011),
    WORKLOAD(round17_models, farthest_points, 3, 21, 101, 1009),
    END_OF_WORKLOADS,
};
