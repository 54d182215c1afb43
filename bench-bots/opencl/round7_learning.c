/* Learning. Sizes are pixels along a side, boxes, channels. */
#include "workloads.h"

enum { CHANNELS = 40, OUTPUTS = 36, FORMS = 16 };

static cl_int tiles_of(const struct clbench *b) { return (cl_int)(b->size + 1) / 2; }

static void winograd_prepare(struct clbench *b) {
    size_t pixels = (size_t)(b->size * b->size), places = (size_t)(tiles_of(b) * tiles_of(b));
    fill_between(make(b, 0, pixels * CHANNELS * sizeof(float)), (long)pixels * CHANNELS, 741, -1.0f, 1.0f);
    fill_between(make(b, 1, OUTPUTS * CHANNELS * 9 * sizeof(float)), OUTPUTS * CHANNELS * 9, 742, -0.2f, 0.2f);
    fill_between(make(b, 2, OUTPUTS * sizeof(float)), OUTPUTS, 743, -0.5f, 0.5f);
    make(b, 3, FORMS * OUTPUTS * CHANNELS * sizeof(float));
    make(b, 4, FORMS * CHANNELS * places * sizeof(float));
    make(b, 5, FORMS * OUTPUTS * places * sizeof(float));
    make(b, 6, pixels * OUTPUTS * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2);
}

static void winograd_once(struct clbench *b) {
    cl_int side = (cl_int)b->size, tiles = tiles_of(b), places = tiles * tiles;
    cl_int channels = CHANNELS, outputs = OUTPUTS, filters = OUTPUTS * CHANNELS;
    size_t across = round_up(tiles, 8);
    launch(b, "winograd_filters", RANGE1(round_up(filters, 64), 64), B(1), V(filters), B(3));
    launch(b, "winograd_input", RANGE3(across, across, CHANNELS, 8, 8, 1), B(0), V(side), V(tiles), V(channels), B(4));
    launch(b, "winograd_products", RANGE3(round_up((places + 3) / 4, 16), round_up(OUTPUTS, 16), FORMS, 16, 16, 1), B(3), B(4),
           V(outputs), V(channels), V(places), B(5));
    launch(b, "winograd_output", RANGE3(across, across, OUTPUTS, 8, 8, 1), B(5), B(2), V(outputs), V(side), V(tiles), B(6));
}

/* The convolution as it is defined. */
static double convolved(struct clbench *b, long o, long y, long x) {
    const float *in = b->buffer[0].host, *filter = b->buffer[1].host;
    double sum = ((float *)b->buffer[2].host)[o];
    long side = b->size;
    for (long c = 0; c < CHANNELS; c++) {
        for (long k = 0; k < 9; k++) {
            long at_x = x + k % 3 - 1, at_y = y + k / 3 - 1;
            if (at_x >= 0 && at_y >= 0 && at_x < side && at_y < side) {
                sum += (double)in[(c * side + at_y) * side + at_x] * filter[(o * CHANNELS + c) * 9 + k];
            }
        }
    }
    return fmax(0.0, sum);
}

static int winograd_check(struct clbench *b) {
    const float *got = b->buffer[6].host;
    long side = b->size, count = side * side * OUTPUTS, stride = count / 60000 + 1;
    int ok = 1;
    down(b, 6);
    for (long at = 0; ok && at < count; at += stride) {
        ok = near("pixel", at, got[at], convolved(b, at / (side * side), at / side % side, at % side), 1e-4);
    }
    return ok;
}

enum { BLOCK = 64, KINDS = 3, CHOOSERS = 128 };
static const float limit = 0.5f;

static cl_int words_of(const struct clbench *b) { return (cl_int)(b->size + BLOCK - 1) / BLOCK; }

/* Boxes crowd around some things. Corners are whole numbers, so that areas are exact. */
static void box_overlaps_prepare(struct clbench *b) {
    cl_float4 *corners = make(b, 0, (size_t)b->size * sizeof *corners);
    cl_int *kinds = make(b, 1, (size_t)b->size * sizeof *kinds);
    uint32_t state = 751;
    for (long i = 0; i < b->size; i++) {
        uint32_t thing = random_word(&state) % (uint32_t)(b->size / 12 + 1);
        float x = (float)(thing * 7919u % 1500u), y = (float)(thing * 104729u % 900u);
        float half_x = (float)(20u + thing * 31u % 60u), half_y = (float)(20u + thing * 17u % 80u), jitter[4];
        for (int c = 0; c < 4; c++) {
            jitter[c] = (float)(random_word(&state) >> 9 & 31) - 15.0f;
        }
        corners[i] = (cl_float4){{x - half_x + jitter[0], y - half_y + jitter[1],
                                  x + half_x + jitter[2], y + half_y + jitter[3]}};
        kinds[i] = (cl_int)((thing + (random_word(&state) >> 10) % 8 / 7) % KINDS);
    }
    make(b, 2, (size_t)b->size * (size_t)words_of(b) * sizeof(cl_ulong));
    make(b, 3, (size_t)b->size);
    make(b, 4, sizeof(cl_int));
    up(b, 0), up(b, 1);
}

static void box_overlaps_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, words = words_of(b);
    launch(b, "box_overlaps", RANGE2((size_t)words * BLOCK, (size_t)words, BLOCK, 1), V(count), V(limit), B(0), B(1), B(2));
    launch(b, "box_choice", RANGE1(CHOOSERS, CHOOSERS), V(count), V(words), B(2), B(3), B(4),
           LOCAL((size_t)words * sizeof(cl_ulong)));
}

static double share(const cl_float4 *a, const cl_float4 *b) {
    double width = fmin(a->s[2], b->s[2]) - fmax(a->s[0], b->s[0]);
    double height = fmin(a->s[3], b->s[3]) - fmax(a->s[1], b->s[1]);
    double common = width > 0.0 && height > 0.0 ? width * height : 0.0;
    double one = (double)(a->s[2] - a->s[0]) * (a->s[3] - a->s[1]), other = (double)(b->s[2] - b->s[0]) * (b->s[3] - b->s[1]);
    return common / (one + other - common);
}

/* Of masks only the halves above the diagonal were written. */
static int box_overlaps_check(struct clbench *b) {
    const cl_float4 *corners = b->buffer[0].host;
    const cl_int *kinds = b->buffer[1].host;
    const cl_ulong *masks = b->buffer[2].host;
    const unsigned char *kept = b->buffer[3].host;
    unsigned char *gone = calloc(1, (size_t)b->size);
    long words = words_of(b), chosen = 0;
    int ok = 1;
    down(b, 2), down(b, 3), down(b, 4);
    for (long i = 0; ok && i < b->size; i++) {
        ok = same("kept", i, kept[i], !gone[i]);
        chosen += !gone[i];
        for (long j = i + 1; ok && j < b->size; j++) {
            int alike = kinds[i] == kinds[j] && share(&corners[i], &corners[j]) > 0.5;
            ok = same("bit", i * b->size + j, (long)(masks[i * words + j / BLOCK] >> j % BLOCK & 1), alike);
            gone[j] |= alike && !gone[i];
        }
    }
    free(gone);
    return ok && same("chosen", 0, *(cl_int *)b->buffer[4].host, chosen) && same("some go", 0, chosen * 4 < b->size * 3, 1);
}

enum { STATES = 16, TOKENS = 121, SEQUENCES = 3 };

static void state_scan_prepare(struct clbench *b) {
    long rows = SEQUENCES * TOKENS, all = rows * b->size;
    fill_between(make(b, 0, (size_t)all * sizeof(float)), all, 761, -1.0f, 1.0f);
    fill_between(make(b, 1, (size_t)all * sizeof(float)), all, 762, -3.0f, 3.0f);
    fill_between(make(b, 2, (size_t)all * sizeof(float)), all, 763, -3.0f, 1.0f);
    fill_between(make(b, 3, (size_t)b->size * sizeof(float)), b->size, 764, -1.0f, 0.0f);
    fill_between(make(b, 4, (size_t)b->size * STATES * sizeof(float)), b->size * STATES, 765, -1.0f, 2.0f);
    fill_between(make(b, 5, (size_t)rows * STATES * sizeof(float)), rows * STATES, 766, -1.0f, 1.0f);
    fill_between(make(b, 6, (size_t)rows * STATES * sizeof(float)), rows * STATES, 767, -1.0f, 1.0f);
    fill_between(make(b, 7, (size_t)b->size * sizeof(float)), b->size, 768, -1.0f, 1.0f);
    make(b, 8, (size_t)all * sizeof(float));
    for (int i = 0; i < 8; i++) {
        up(b, i);
    }
}

static void state_scan_once(struct clbench *b) {
    cl_int tokens = TOKENS, channels = (cl_int)b->size;
    launch(b, "state_scan", RANGE2(round_up(channels, 64), SEQUENCES, 64, 1), V(tokens), V(channels), B(0), B(1), B(2), B(3),
           B(4), B(5), B(6), B(7), B(8));
}

/* A channel of a sequence, token by token. */
static int remembers(struct clbench *b, long sequence, long channel) {
    const float *in[9];
    double state[STATES] = {0.0};
    int ok = 1;
    for (int i = 0; i < 9; i++) {
        in[i] = b->buffer[i].host;
    }
    for (long t = 0; ok && t < TOKENS; t++) {
        long row = sequence * TOKENS + t, at = row * b->size + channel;
        double delta = log1p(exp((double)in[2][at] + in[3][channel])), sum = (double)in[0][at] * in[7][channel];
        for (long s = 0; s < STATES; s++) {
            state[s] *= exp(-delta * exp(in[4][channel * STATES + s]));
            state[s] += delta * in[0][at] * in[5][row * STATES + s];
            sum += state[s] * in[6][row * STATES + s];
        }
        ok = near("output", at, in[8][at], sum * in[1][at] / (1.0 + exp(-in[1][at])), 1e-4);
    }
    return ok;
}

static int state_scan_check(struct clbench *b) {
    int ok = 1;
    down(b, 8);
    for (long channel = 0; ok && channel < b->size; channel++) {
        for (long sequence = 0; ok && sequence < SEQUENCES; sequence++) {
            ok = remembers(b, sequence, channel);
        }
    }
    return ok;
}

const struct workload round7_learning_workloads[] = {
    WORKLOAD(round7_learning, winograd, 17, 57, 201, 501),
    WORKLOAD(round7_learning, box_overlaps, 301, 4001, 10007, 20011),
    WORKLOAD(round7_learning, state_scan, 70, 601, 3001, 12007),
    END_OF_WORKLOADS,
};
