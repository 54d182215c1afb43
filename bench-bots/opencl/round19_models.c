/* Models. Sizes are outputs, widths, moments. */
#include "workloads.h"

enum { TILE = 16, TOKENS = 56, DEPTH = 512, SCALED = 64 };

static double from_fp8(unsigned bits) {
    int exponent = (int)(bits >> 3 & 15), fraction = (int)(bits & 7);
    double size = exponent == 0 ? ldexp(fraction, -9) : ldexp(8 + fraction, exponent - 10);
    return bits & 128 ? -size : size;
}

/* Weights of any bits but those that are no number. */
static void fp8_product_prepare(struct clbench *b) {
    fill_between(make(b, 0, TOKENS * DEPTH * sizeof(float)), TOKENS * DEPTH, 2351, -1.0f, 1.0f);
    unsigned char *weights = make(b, 1, (size_t)(b->size * DEPTH));
    uint32_t state = 2357;
    for (long i = 0; i < b->size * DEPTH; i++) {
        unsigned bits = random_word(&state) % 96;
        weights[i] = (unsigned char)(bits | (random_word(&state) & 128));
    }
    fill_between(make(b, 2, (size_t)(b->size * DEPTH / SCALED) * sizeof(float)), b->size * DEPTH / SCALED, 2371, 0.002f, 0.02f);
    make(b, 3, (size_t)(TOKENS * b->size) * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2);
}

static void fp8_product_once(struct clbench *b) {
    cl_int tokens = TOKENS, outputs = (cl_int)b->size, depth = DEPTH;
    struct range range = RANGE2(round_up(outputs, TILE), round_up(TOKENS, TILE), TILE, TILE);
    launch(b, "fp8_product", range, B(0), B(1), B(2), V(tokens), V(outputs), V(depth), B(3));
}

static int fp8_product_check(struct clbench *b) {
    const float *tokens = b->buffer[0].host, *scales = b->buffer[2].host, *got = b->buffer[3].host;
    const unsigned char *weights = b->buffer[1].host;
    int ok = 1;
    down(b, 3);
    for (long output = 0; ok && output < b->size; output++) {
        double row[DEPTH];
        for (long k = 0; k < DEPTH; k++) {
            row[k] = from_fp8(weights[output * DEPTH + k]) * (double)scales[(output * DEPTH + k) / SCALED];
        }
        for (long token = 0; ok && token < TOKENS; token++) {
            double sum = 0.0;
            for (long k = 0; k < DEPTH; k++) {
                sum += row[k] * (double)tokens[token * DEPTH + k];
            }
            ok = near("product", token * b->size + output, (double)got[token * b->size + output], sum, 1e-4);
        }
    }
    return ok;
}

enum { WORDS = 2, TAPS = 9, PARTS = 3, OUTPUTS = 32 * PARTS };

static void fill_bits(cl_ulong *words, long count, uint32_t seed) {
    for (long i = 0; i < count; i++) {
        cl_ulong high = random_word(&seed);
        words[i] = high << 32 | random_word(&seed);
    }
}

static void xnor_conv_prepare(struct clbench *b) {
    long pixels = b->size * b->size;
    fill_bits(make(b, 0, (size_t)(pixels * WORDS) * sizeof(cl_ulong)), pixels * WORDS, 2377);
    fill_bits(make(b, 1, OUTPUTS * TAPS * WORDS * sizeof(cl_ulong)), OUTPUTS * TAPS * WORDS, 2381);
    cl_short *thresholds = make(b, 2, OUTPUTS * sizeof *thresholds);
    for (int i = 0; i < OUTPUTS; i++) {
        thresholds[i] = (cl_short)(i % 11 * 6 - 30);
    }
    make(b, 3, (size_t)(pixels * PARTS) * sizeof(cl_uint));
    up(b, 0), up(b, 1), up(b, 2);
}

static void xnor_conv_once(struct clbench *b) {
    cl_int side = (cl_int)b->size;
    struct range range = RANGE3(round_up(side, 8), round_up(side, 8), PARTS, 8, 8, 1);
    launch(b, "xnor_conv", range, B(0), B(1), B(2), V(side), V(side), B(3));
}

/* A sum of products of 1 and -1, without any trick. */
static long bit_sum(const struct clbench *b, long x, long y, long output) {
    const cl_ulong *in = b->buffer[0].host, *filter = (const cl_ulong *)b->buffer[1].host + output * TAPS * WORDS;
    long sum = 0;
    for (long tap = 0; tap < TAPS; tap++) {
        long column = x + tap % 3 - 1, row = y + tap / 3 - 1;
        for (long k = 0; column >= 0 && row >= 0 && column < b->size && row < b->size && k < WORDS * 64; k++) {
            cl_ulong pixel = in[(row * b->size + column) * WORDS + k / 64], weight = filter[tap * WORDS + k / 64];
            sum += (pixel >> k % 64 & 1) == (weight >> k % 64 & 1) ? 1 : -1;
        }
    }
    return sum;
}

/* Of large pictures not all pixels are looked at. */
static int xnor_conv_check(struct clbench *b) {
    const cl_short *thresholds = b->buffer[2].host;
    const cl_uint *got = b->buffer[3].host;
    long step = b->size * b->size / 4001 + 1;
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < b->size * b->size; i += step) {
        for (long output = 0; ok && output < OUTPUTS; output++) {
            long is_set = bit_sum(b, i % b->size, i / b->size, output) >= thresholds[output];
            ok = same("bit", i * OUTPUTS + output, got[i * PARTS + output / 32] >> output % 32 & 1, is_set);
        }
    }
    return ok;
}

enum { CHANNELS = 24, LAYERS = 3, SQUARE = CHANNELS * CHANNELS };

/* The weights of all layers are the same. */
static void gated_dilation_prepare(struct clbench *b) {
    fill_between(make(b, 0, (size_t)(CHANNELS * b->size) * sizeof(float)), CHANNELS * b->size, 2383, -1.0f, 1.0f);
    fill_between(make(b, 1, SQUARE * sizeof(cl_float4)), SQUARE * 4, 2389, -0.3f, 0.3f);
    fill_between(make(b, 2, CHANNELS * sizeof(cl_float2)), CHANNELS * 2, 2393, -0.5f, 0.5f);
    fill_between(make(b, 3, SQUARE * sizeof(cl_float2)), SQUARE * 2, 2399, -0.3f, 0.3f);
    for (int i = 4; i < 8; i++) {
        make(b, i, (size_t)(CHANNELS * b->size) * sizeof(float));
    }
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void gated_dilation_once(struct clbench *b) {
    cl_int times = (cl_int)b->size;
    struct range range = RANGE2(round_up(times, 64), CHANNELS, 64, 1);
    for (cl_int layer = 0; layer < LAYERS; layer++) {
        cl_int dilation = 1 << 2 * layer, from = layer == 0 ? 0 : 5 + layer % 2, to = 6 - layer % 2;
        launch(b, "gated_dilation", range, B(from), B(1), B(2), V(times), V(dilation), B(4));
        launch(b, "mix_channels", range, B(from), B(4), B(3), V(times), V(layer), B(to), B(7));
    }
}

/* A layer at a moment, from `in` to `out`, both with all channels of a moment together. */
static void layer_at(const struct clbench *b, const double *in, long time, long dilation, double *out, double *skip) {
    const cl_float4 *weights = b->buffer[1].host;
    const cl_float2 *biases = b->buffer[2].host, *mixes = b->buffer[3].host;
    double gated[CHANNELS];
    for (long k = 0; k < CHANNELS; k++) {
        double sums[2] = {(double)biases[k].s[0], (double)biases[k].s[1]};
        for (long i = 0; i < CHANNELS * 2; i++) {
            const cl_float4 *weight = weights + k * CHANNELS + i / 2;
            sums[i % 2] += (double)weight->s[i % 2] * in[time * CHANNELS + i / 2];
            sums[i % 2] += time < dilation ? 0.0 : (double)weight->s[2 + i % 2] * in[(time - dilation) * CHANNELS + i / 2];
        }
        gated[k] = tanh(sums[0]) / (1.0 + exp(-sums[1]));
    }
    for (long k = 0; k < CHANNELS; k++) {
        out[time * CHANNELS + k] = in[time * CHANNELS + k];
        for (long i = 0; i < CHANNELS; i++) {
            out[time * CHANNELS + k] += (double)mixes[k * CHANNELS + i].s[0] * gated[i];
            skip[time * CHANNELS + k] += (double)mixes[k * CHANNELS + i].s[1] * gated[i];
        }
    }
}

static int gated_dilation_check(struct clbench *b) {
    const float *first = b->buffer[0].host, *got = b->buffer[6 - (LAYERS - 1) % 2].host, *skips = b->buffer[7].host;
    size_t bytes = (size_t)(CHANNELS * b->size) * sizeof(double);
    double *layers[2] = {malloc(bytes), malloc(bytes)}, *skip = malloc(bytes);
    int ok = 1;
    down(b, 6 - (LAYERS - 1) % 2), down(b, 7);
    for (long i = 0; i < CHANNELS * b->size; i++) {
        layers[0][i] = (double)first[i % CHANNELS * b->size + i / CHANNELS], skip[i] = 0.0;
    }
    for (int layer = 0; layer < LAYERS; layer++) {
        for (long time = 0; time < b->size; time++) {
            layer_at(b, layers[layer % 2], time, 1L << 2 * layer, layers[1 - layer % 2], skip);
        }
    }
    for (long i = 0; ok && i < CHANNELS * b->size; i++) {
        long at = i % CHANNELS * b->size + i / CHANNELS;
        ok = near("channel", at, (double)got[at], layers[LAYERS % 2][i], 1e-4) && near("skip", at, (double)skips[at], skip[i], 1e-4);
    }
    free(layers[0]), free(layers[1]), free(skip);
    return ok;
}

const struct workload round19_models_workloads[] = {
    WORKLOAD(round19_models, fp8_product, 40, 203, 2001, 8001),
    WORKLOAD(round19_models, xnor_conv, 17, 40, 201, 803),
    WORKLOAD(round19_models, gated_dilation, 101, 1003, 20011, 200003),
    END_OF_WORKLOADS,
};
