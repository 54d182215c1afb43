/* Models. Sizes are rows, a picture's side, pictures, pictures. */
#include "workloads.h"

enum { DEPTH = 1024, BLOCK = 64, BLOCKS_OF_SCALE = 16 };

static const cl_float middle = 0.04f;

static const float levels[16] = {-1.0f,       -0.69619280f, -0.52507305f, -0.39491749f, -0.28444138f, -0.18477343f,
                                 -0.09105004f, 0.0f,         0.07958030f,  0.16093020f,  0.24611230f,  0.33791524f,
                                 0.44070983f,  0.56261700f,  0.72295684f,  1.0f};

/* Outer scales are halves from 2^-13 to 2^-12. */
static void nf4_rows_prepare(struct clbench *b) {
    long blocks = b->size * DEPTH / BLOCK, outer = blocks / BLOCKS_OF_SCALE;
    unsigned char *weights = make(b, 0, (size_t)b->size * DEPTH / 2), *scales = make(b, 1, (size_t)blocks);
    cl_ushort *outer_scales = make(b, 2, (size_t)outer * sizeof *outer_scales);
    uint32_t state = 2521;
    for (long i = 0; i < b->size * DEPTH / 2; i++) {
        weights[i] = (unsigned char)random_word(&state);
    }
    for (long i = 0; i < blocks; i++) {
        scales[i] = (unsigned char)random_word(&state);
    }
    for (long i = 0; i < outer; i++) {
        outer_scales[i] = (cl_ushort)(2 << 10 | random_word(&state) % 1024);
    }
    fill_between(make(b, 3, DEPTH * sizeof(float)), DEPTH, 2531, -1.0f, 1.0f);
    make(b, 4, (size_t)b->size * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void nf4_rows_once(struct clbench *b) {
    cl_int rows = (cl_int)b->size, depth = DEPTH;
    struct range range = RANGE2(32, round_up(rows, 4), 32, 4);
    launch(b, "nf4_rows", range, B(0), B(1), B(2), V(middle), B(3), V(rows), V(depth), B(4));
}

static int nf4_rows_check(struct clbench *b) {
    const unsigned char *weights = b->buffer[0].host, *scales = b->buffer[1].host;
    const cl_ushort *outer_scales = b->buffer[2].host;
    const float *vector = b->buffer[3].host, *got = b->buffer[4].host;
    int ok = 1;
    down(b, 4);
    for (long row = 0; ok && row < b->size; row++) {
        double sum = 0.0;
        for (long i = row * DEPTH; i < (row + 1) * DEPTH; i++) {
            double outer = half_value(outer_scales[i / BLOCK / BLOCKS_OF_SCALE]);
            double scale = (double)middle + (scales[i / BLOCK] - 128) * outer;
            sum += scale * (double)levels[weights[i / 2] >> i % 2 * 4 & 15] * (double)vector[i % DEPTH];
        }
        ok = near("product", row, (double)got[row], sum, 2e-5);
    }
    return ok;
}

enum { PATCH = 8, INPUTS = PATCH * PATCH * 3, WIDTH = 96 };

static void patch_embed_prepare(struct clbench *b) {
    long bytes = b->size * b->size * 3, numbers = b->size / PATCH * (b->size / PATCH) * WIDTH;
    unsigned char *picture = make(b, 0, (size_t)bytes);
    uint32_t state = 2539;
    for (long i = 0; i < bytes; i++) {
        picture[i] = (unsigned char)random_word(&state);
    }
    fill_between(make(b, 1, INPUTS * WIDTH * sizeof(float)), INPUTS * WIDTH, 2543, -0.1f, 0.1f);
    fill_between(make(b, 2, WIDTH * sizeof(float)), WIDTH, 2549, -1.0f, 1.0f);
    fill_between(make(b, 3, (size_t)numbers * sizeof(float)), numbers, 2551, -0.5f, 0.5f);
    make(b, 4, (size_t)numbers * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void patch_embed_once(struct clbench *b) {
    cl_int side = (cl_int)b->size, width = WIDTH;
    struct range range = RANGE2(round_up(WIDTH, 16), round_up(b->size / PATCH * (b->size / PATCH), 16), 16, 16);
    launch(b, "patch_embed", range, B(0), V(side), B(1), B(2), B(3), V(width), B(4));
}

/* A square's pixels as a network takes them. */
static void square_of(const struct clbench *b, long token, double inputs[INPUTS]) {
    const double means[3] = {0.485, 0.456, 0.406}, spreads[3] = {0.229, 0.224, 0.225};
    const unsigned char *picture = b->buffer[0].host;
    long across = b->size / PATCH, left = token % across * PATCH, top = token / across * PATCH;
    for (long i = 0; i < INPUTS; i++) {
        long x = left + i / 3 % PATCH, y = top + i / 3 / PATCH;
        inputs[i] = (picture[(y * b->size + x) * 3 + i % 3] / 255.0 - means[i % 3]) / spreads[i % 3];
    }
}

static int patch_embed_check(struct clbench *b) {
    const float *weights = b->buffer[1].host, *biases = b->buffer[2].host, *places = b->buffer[3].host, *got = b->buffer[4].host;
    int ok = 1;
    down(b, 4);
    for (long token = 0; ok && token < b->size / PATCH * (b->size / PATCH); token++) {
        double inputs[INPUTS];
        square_of(b, token, inputs);
        for (long k = 0; ok && k < WIDTH; k++) {
            double sum = (double)biases[k] + (double)places[token * WIDTH + k];
            for (long i = 0; i < INPUTS; i++) {
                sum += inputs[i] * (double)weights[i * WIDTH + k];
            }
            ok = near("token", token * WIDTH + k, (double)got[token * WIDTH + k], sum, 5e-5);
        }
    }
    return ok;
}

enum { CHANNELS = 40, PIXELS = 14 * 14 };

static const cl_float momentum = 0.1f;

/* Channels have means and variances of their own. */
static void batch_norm_train_prepare(struct clbench *b) {
    long count = b->size * CHANNELS * PIXELS;
    float *in = make(b, 0, (size_t)count * sizeof *in);
    fill_between(in, count, 2557, -1.0f, 1.0f);
    for (long i = 0; i < count; i++) {
        long channel = i / PIXELS % CHANNELS;
        in[i] = in[i] * (0.3f + 0.1f * (float)channel) + (float)(channel % 7) - 2.0f;
    }
    fill_unit(make(b, 1, CHANNELS * sizeof(cl_float2)), CHANNELS * 2, 2579);
    fill_between(make(b, 2, CHANNELS * sizeof(cl_float2)), CHANNELS * 2, 2591, -1.0f, 1.0f);
    make(b, 3, CHANNELS * sizeof(cl_float2)), make(b, 4, CHANNELS * sizeof(cl_float2)), make(b, 5, (size_t)count * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2);
}

static void batch_norm_train_once(struct clbench *b) {
    cl_int batch = (cl_int)b->size, channels = CHANNELS, pixels = PIXELS;
    cl_int quads_of_channel = PIXELS / 4, quads = batch * CHANNELS * quads_of_channel;
    struct range range = RANGE1(CHANNELS * 128, 128);
    launch(b, "batch_norm_train", range, B(0), V(batch), V(channels), V(pixels), V(momentum), B(1), B(3), B(4));
    launch(b, "normalise_leaky", RANGE1(128 * 64, 64), B(0), V(quads), V(channels), V(quads_of_channel), B(4), B(2), B(5));
}

static int channel_is_right(const struct clbench *b, long channel) {
    const float *in = b->buffer[0].host, *got = b->buffer[5].host;
    const cl_float2 *old = b->buffer[1].host, *weights = b->buffer[2].host, *averages = b->buffer[3].host;
    double count = (double)(b->size * PIXELS), mean = 0.0, square = 0.0, share = (double)momentum;
    for (long i = 0; i < b->size * PIXELS; i++) {
        mean += (double)in[(i / PIXELS * CHANNELS + channel) * PIXELS + i % PIXELS] / count;
    }
    for (long i = 0; i < b->size * PIXELS; i++) {
        square += pow((double)in[(i / PIXELS * CHANNELS + channel) * PIXELS + i % PIXELS] - mean, 2.0);
    }
    double average = (1.0 - share) * (double)old[channel].s[0] + share * mean;
    double variance = (1.0 - share) * (double)old[channel].s[1] + share * square / (count - 1.0);
    int ok = near("average", channel, (double)averages[channel].s[0], average, 1e-5) &&
             near("variance", channel, (double)averages[channel].s[1], variance, 1e-5);
    for (long i = 0; ok && i < b->size * PIXELS; i++) {
        long at = (i / PIXELS * CHANNELS + channel) * PIXELS + i % PIXELS;
        double value = ((double)in[at] - mean) / sqrt(square / count + 1e-5);
        value = value * (double)weights[channel].s[0] + (double)weights[channel].s[1];
        ok = near("value", at, (double)got[at], value < 0.0 ? 0.1 * value : value, 1e-4);
    }
    return ok;
}

static int batch_norm_train_check(struct clbench *b) {
    int ok = 1;
    down(b, 3), down(b, 5);
    for (long channel = 0; ok && channel < CHANNELS; channel++) {
        ok = channel_is_right(b, channel);
    }
    return ok;
}

enum { GRID = 26, CELLS = GRID * GRID, ANCHORS = 3, KINDS = 20, PARTS = 5 + KINDS };

static const cl_float stride = 16.0f, threshold = 0.4f;

struct box {
    float x, y, width, height, score;
    int kind, picture, cell;
};

/* In most cells there is nothing. */
static void yolo_boxes_prepare(struct clbench *b) {
    long count = b->size * ANCHORS * PARTS * CELLS;
    float *found = make(b, 0, (size_t)count * sizeof *found);
    fill_between(found, count, 2593, -4.0f, 2.0f);
    make(b, 1, sizeof(cl_int)), make(b, 2, (size_t)(b->size * ANCHORS * CELLS / 2) * sizeof(struct box));
    up(b, 0);
}

static void yolo_boxes_once(struct clbench *b) {
    cl_int side = GRID, most = (cl_int)(b->size * ANCHORS * CELLS / 2);
    struct range range = RANGE3(round_up(CELLS, 64), ANCHORS, (size_t)b->size, 64, 1, 1);
    launch(b, "no_boxes", RANGE1(1, 0), B(1));
    launch(b, "yolo_boxes", range, B(0), V(side), V(stride), V(threshold), V(most), B(1), B(2));
}

static double logistic(double value) { return 1.0 / (1.0 + exp(-value)); }

/* The score of a cell, or 0 where there is nothing, and the box. */
static double box_of(const struct clbench *b, long picture, long cell, double box[4], long *kind) {
    static const double sizes[ANCHORS][2] = {{10, 13}, {33, 23}, {30, 61}};
    const float *found = b->buffer[0].host;
    double values[PARTS], is_any;
    *kind = 0;
    for (long i = 0; i < PARTS; i++) {
        values[i] = (double)found[((picture * ANCHORS + cell / CELLS) * PARTS + i) * CELLS + cell % CELLS];
        *kind = i > 5 && values[i] > values[5 + *kind] ? i - 5 : *kind;
    }
    is_any = logistic(values[4]);
    box[0] = (2.0 * logistic(values[0]) - 0.5 + (double)(cell % GRID)) * (double)stride;
    box[1] = (2.0 * logistic(values[1]) - 0.5 + (double)(cell % CELLS / GRID)) * (double)stride;
    box[2] = pow(2.0 * logistic(values[2]), 2.0) * sizes[cell / CELLS][0];
    box[3] = pow(2.0 * logistic(values[3]), 2.0) * sizes[cell / CELLS][1];
    return is_any * logistic(values[5 + *kind]);
}

/* A score that almost is the threshold may count or not. */
static int yolo_boxes_check(struct clbench *b) {
    const cl_int *count = b->buffer[1].host;
    const struct box *got = b->buffer[2].host;
    long cells = b->size * ANCHORS * CELLS, kind;
    unsigned char *is_found = calloc((size_t)cells, 1);
    double box[4];
    down(b, 1), down(b, 2);
    int ok = same("some boxes are found", 0, count[0] > 0 && count[0] < cells / 2, 1);
    for (long i = 0; ok && i < count[0]; i++) {
        long at = (long)got[i].picture * ANCHORS * CELLS + got[i].cell;
        ok = same("box is new", i, at >= 0 && at < cells && !is_found[at], 1);
        is_found[ok ? at : 0] = 1;
        double score = ok ? box_of(b, got[i].picture, got[i].cell, box, &kind) : 0.0;
        ok = ok && same("kind", i, got[i].kind, kind) && near("score", i, (double)got[i].score, score, 1e-5) &&
             near("x", i, (double)got[i].x, box[0], 1e-4) && near("y", i, (double)got[i].y, box[1], 1e-4) &&
             near("width", i, (double)got[i].width, box[2], 1e-4) && near("height", i, (double)got[i].height, box[3], 1e-4);
    }
    for (long i = 0; ok && i < cells; i++) {
        double score = box_of(b, i / (ANCHORS * CELLS), i % (ANCHORS * CELLS), box, &kind);
        ok = fabs(score - (double)threshold) < 1e-5 || same("is found", i, is_found[i], score > (double)threshold);
    }
    free(is_found);
    return ok;
}

const struct workload round20_models_workloads[] = {
    WORKLOAD(round20_models, nf4_rows, 99, 2003, 20011, 50021),
    WORKLOAD(round20_models, patch_embed, 40, 208, 600, 2000),
    WORKLOAD(round20_models, batch_norm_train, 3, 101, 803, 4001),
    WORKLOAD(round20_models, yolo_boxes, 3, 61, 503, 1009),
    END_OF_WORKLOADS,
};
