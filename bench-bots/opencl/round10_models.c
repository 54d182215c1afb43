/* Models. Sizes are rows of a layer, regions, series. */
#include "workloads.h"

enum { COLUMNS = 96, VALUES_OF_SIZE = 4 * COLUMNS };

static const cl_uint2 seed = {{0x2545F491u, 0x9E6C63D1u}};
static const cl_uint threshold = 429496730u; /* a tenth of all words is below */
static const cl_float scale_kept = 1.0f / 0.9f;

static void dropout_gelu_prepare(struct clbench *b) {
    long values = b->size * VALUES_OF_SIZE;
    size_t bytes = (size_t)values * sizeof(float);
    fill_between(make(b, 0, bytes), values, 1061, -3.0f, 3.0f);
    fill_between(make(b, 1, VALUES_OF_SIZE * sizeof(float)), VALUES_OF_SIZE, 1062, -1.0f, 1.0f);
    fill_between(make(b, 2, bytes), values, 1063, -2.0f, 2.0f);
    make(b, 3, bytes), make(b, 4, (size_t)values);
    up(b, 0), up(b, 1), up(b, 2);
}

static void dropout_gelu_once(struct clbench *b) {
    cl_uint count = (cl_uint)(b->size * COLUMNS), columns = COLUMNS;
    launch(b, "dropout_gelu", RANGE1(64 * 256, 256), B(0), B(1), B(2), V(count), V(columns), V(seed), V(threshold), V(scale_kept),
           B(3), B(4));
}

/* Philox with products of 64 bits, as its paper draws it: two halves that change places. */
static void random_words(uint32_t place, uint32_t *words) {
    uint32_t left[2] = {0, 0}, right[2] = {place, 0};
    for (uint32_t round = 0; round < 10; round++) {
        uint64_t first = (uint64_t)right[0] * 0xD2511F53u, second = (uint64_t)right[1] * 0xCD9E8D57u;
        uint32_t a = (uint32_t)(second >> 32) ^ left[0] ^ (seed.s[0] + round * 0x9E3779B9u);
        uint32_t c = (uint32_t)(first >> 32) ^ left[1] ^ (seed.s[1] + round * 0xBB67AE85u);
        left[0] = (uint32_t)second, left[1] = (uint32_t)first;
        right[0] = a, right[1] = c;
    }
    words[0] = right[0], words[1] = left[0], words[2] = right[1], words[3] = left[1];
}

/* `erf` is right to 16 units of 2^-24, and multiplied by at most 4; which values are kept is exact. */
static int dropout_gelu_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *bias = b->buffer[1].host, *residual = b->buffer[2].host, *got = b->buffer[3].host;
    const unsigned char *kept = b->buffer[4].host;
    long values = b->size * VALUES_OF_SIZE, dropped = 0;
    int ok = 1;
    down(b, 3), down(b, 4);
    for (long i = 0; ok && i < values; i++) {
        uint32_t words[4];
        random_words((uint32_t)(i / 4), words);
        int keep = words[i % 4] >= threshold;
        double x = (double)in[i] + bias[i % VALUES_OF_SIZE];
        dropped += !keep;
        ok = same("kept", i, kept[i], keep) &&
             near("value", i, got[i], residual[i] + (keep ? 0.5 * x * erfc(-x * sqrt(0.5)) / 0.9 : 0.0), 5e-6);
    }
    return ok && near("part that is dropped", 0, (double)dropped / (double)values, 0.1, 0.02);
}

enum { PICTURES = 2, CHANNELS = 24, WIDTH = 83, HEIGHT = 59, POOL = 7, PARTS = CHANNELS * POOL * POOL };

static const cl_float scale = 0.0625f;

struct region {
    cl_float left, top, right, bottom;
    cl_int picture;
};

/* Some hang over the border. Sides are odd numbers of sixteenths of a pixel, so that none has a multiple of POOL features, where the
 * number of samples could be rounded either way. */
static void roi_align_prepare(struct clbench *b) {
    fill_between(make(b, 0, PICTURES * CHANNELS * WIDTH * HEIGHT * sizeof(float)), PICTURES * CHANNELS * WIDTH * HEIGHT, 1071, -1.0f,
                 1.0f);
    struct region *regions = make(b, 1, (size_t)b->size * sizeof *regions);
    uint32_t state = 1072;
    for (long i = 0; i < b->size; i++) {
        uint32_t most = i % 4 == 0 ? 8000 : 2500;
        float wide = (float)(2 * (random_word(&state) % most) + 401) / 16.0f;
        float high = (float)(2 * (random_word(&state) % most) + 401) / 16.0f;
        regions[i].left = (float)(random_word(&state) % (WIDTH * 16)) - 60.0f;
        regions[i].top = (float)(random_word(&state) % (HEIGHT * 16)) - 60.0f;
        regions[i].right = regions[i].left + wide, regions[i].bottom = regions[i].top + high;
        regions[i].picture = (cl_int)(i % PICTURES);
    }
    make(b, 2, (size_t)b->size * PARTS * sizeof(float));
    up(b, 0), up(b, 1);
}

static void roi_align_once(struct clbench *b) {
    cl_int channels = CHANNELS, width = WIDTH, height = HEIGHT, count = (cl_int)b->size * PARTS;
    launch(b, "roi_align", RANGE1(round_up(count / 2, 128), 128), B(0), V(channels), V(width), V(height), V(scale), B(1), V(count),
           B(2));
}

static double held(double at, double end) { return fmin(end - 1.0, fmax(0.0, at)); }

/* A sample as a sum of tents. Whether it is clear on which side of the outer border it is. */
static int sample_of(const float *plane, double x, double y, double *sum) {
    double off_x = fmax(-1.0 - x, x - WIDTH), off_y = fmax(-1.0 - y, y - HEIGHT);
    if (fabs(off_x) < 1e-3 || fabs(off_y) < 1e-3) {
        return 0;
    }
    x = held(x, WIDTH), y = held(y, HEIGHT);
    for (long v = (long)y; off_x < 0.0 && off_y < 0.0 && v <= (long)y + 1 && v < HEIGHT; v++) {
        for (long u = (long)x; u <= (long)x + 1 && u < WIDTH; u++) {
            *sum += (1.0 - fabs(x - (double)u)) * (1.0 - fabs(y - (double)v)) * plane[v * WIDTH + u];
        }
    }
    return 1;
}

/* Samples' places are below 2^8 and right to some 2^-16, features differ by at most 2 from pixel to pixel. */
static int roi_align_check(struct clbench *b) {
    const float *features = b->buffer[0].host, *got = b->buffer[2].host;
    const struct region *regions = b->buffer[1].host;
    long count = b->size * PARTS, unclear = 0, outside = 0;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < count; i++) {
        const struct region *r = &regions[i / PARTS];
        const float *plane = features + (r->picture * CHANNELS + i / (POOL * POOL) % CHANNELS) * WIDTH * HEIGHT;
        double wide = ((double)r->right - r->left) / 16.0 / POOL, high = ((double)r->bottom - r->top) / 16.0 / POOL, sum = 0.0;
        long across = (long)wide + 1, samples = across * ((long)high + 1);
        int clear = 1;
        for (long k = 0; clear && k < samples; k++) {
            double x = (double)(i % POOL) + ((double)(k % across) + 0.5) / (double)across;
            double y = (double)(i / POOL % POOL) + ((double)(k / across) + 0.5) * (double)across / (double)samples;
            clear = sample_of(plane, r->left / 16.0 - 0.5 + x * wide, r->top / 16.0 - 0.5 + y * high, &sum);
        }
        unclear += !clear, outside += clear && sum == 0.0;
        ok = !clear || near("feature", i, got[i], sum / (double)samples, 1e-4);
    }
    return ok && same("most are clear", 0, unclear * 20 < count, 1) && same("some are outside", 0, outside > 0 && outside * 2 < count, 1);
}

enum { MOMENTS = 150 };

/* Levels that drift; one value in eleven is not known, and every seventh series ends early. */
static void kalman_series_prepare(struct clbench *b) {
    long series = b->size;
    float *values = make(b, 0, (size_t)(series * MOMENTS) * sizeof *values);
    cl_int *lengths = make(b, 1, (size_t)series * sizeof *lengths);
    cl_float4 *noises = make(b, 2, (size_t)series * sizeof *noises);
    uint32_t state = 1081;
    for (long i = 0; i < series; i++) {
        double level = 4.0 * random_unit(&state) - 2.0, trend = 0.1 * random_unit(&state) - 0.05;
        lengths[i] = i % 7 == 2 ? (cl_int)(random_word(&state) % MOMENTS) : MOMENTS;
        noises[i] = (cl_float4){{0.05f + 0.1f * random_unit(&state), 0.002f, 0.3f + random_unit(&state), 0.0f}};
        for (long moment = 0; moment < MOMENTS; moment++) {
            level += trend + 0.5 * random_unit(&state) - 0.25, trend += 0.04 * random_unit(&state) - 0.02;
            values[moment * series + i] = random_word(&state) % 11 == 0 ? NAN : (float)(level + 2.0 * random_unit(&state) - 1.0);
        }
    }
    make(b, 3, (size_t)(series * MOMENTS) * sizeof(float)), make(b, 4, (size_t)series * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void kalman_series_once(struct clbench *b) {
    cl_int series = (cl_int)b->size;
    launch(b, "kalman_series", RANGE1(round_up(series, 64), 64), B(0), B(1), V(series), B(2), B(3), B(4));
}

/* A step in Joseph's form: matrices, and a covariance as a sum of squares. */
static double kalman_step(double *state, double (*p)[2], const cl_float4 *noise, double value) {
    const double move[2][2] = {{1.0, 1.0}, {0.0, 1.0}};
    double keep[2][2] = {{1.0, 0.0}, {0.0, 1.0}}, gain[2] = {0.0, 0.0}, moved[2][2] = {{0.0}}, kept[2][2] = {{0.0}};
    for (int i = 0; i < 16; i++) {
        int r = i & 1, c = i >> 1 & 1, j = i >> 2 & 1, k = i >> 3;
        moved[r][c] += move[r][j] * p[j][k] * move[c][k] + (j == 0 && k == 0 && r == c ? noise->s[r] : 0.0);
    }
    state[0] += state[1];
    double variance = moved[0][0] + noise->s[2], off = value - state[0];
    if (!isnan(value)) {
        for (int r = 0; r < 2; r++) {
            gain[r] = moved[r][0] / variance;
            keep[r][0] -= gain[r];
            state[r] += gain[r] * off;
        }
    }
    for (int i = 0; i < 16; i++) {
        int r = i & 1, c = i >> 1 & 1, j = i >> 2 & 1, k = i >> 3;
        kept[r][c] += keep[r][j] * moved[j][k] * keep[c][k] + (j == 0 && k == 0 ? gain[r] * noise->s[2] * gain[c] : 0.0);
    }
    memcpy(p, kept, sizeof kept);
    return isnan(value) ? 0.0 : -0.5 * (log(2.0 * acos(-1.0)) + log(variance) + off * off / variance);
}

/* Errors of a step, some 2^-24 of levels below 60, fade as the filter forgets, in about ten steps; those of the likelihood add up. */
static int kalman_series_check(struct clbench *b) {
    const float *values = b->buffer[0].host, *got = b->buffer[3].host, *got_likely = b->buffer[4].host;
    const cl_int *lengths = b->buffer[1].host;
    const cl_float4 *noises = b->buffer[2].host;
    long series = b->size;
    int ok = 1;
    down(b, 3), down(b, 4);
    for (long i = 0; ok && i < series; i++) {
        double state[2] = {0.0, 0.0}, p[2][2] = {{10.0, 0.0}, {0.0, 1.0}}, likely = 0.0;
        for (long moment = 0; ok && moment < MOMENTS; moment++) {
            long at = moment * series + i;
            if (moment < lengths[i]) {
                likely += kalman_step(state, p, &noises[i], values[at]);
            }
            ok = near("level", at, got[at], moment < lengths[i] ? state[0] : 0.0, 5e-5);
        }
        ok = ok && near("likelihood", i, got_likely[i], likely, 2e-4);
    }
    return ok;
}

const struct workload round10_models_workloads[] = {
    WORKLOAD(round10_models, dropout_gelu, 31, 1501, 6007, 30011),
    WORKLOAD(round10_models, roi_align, 7, 61, 251, 1201),
    WORKLOAD(round10_models, kalman_series, 101, 8009, 32003, 150001),
    END_OF_WORKLOADS,
};
