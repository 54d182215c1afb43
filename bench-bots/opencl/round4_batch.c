/* Many small problems at once. Sizes are rows of a head, rows, pixels along a side and systems. */
#include "workloads.h"

enum { HEAD = 32, HEADS = 6, QUERIES = 64 };

static void attention_tile_prepare(struct clbench *b) {
    long values = HEADS * b->size * HEAD;
    for (int tensor = 0; tensor < 3; tensor++) {
        fill_between(make(b, tensor, (size_t)values * sizeof(float)), values, 421 + (uint32_t)tensor, -2.0f, 2.0f);
        up(b, tensor);
    }
    make(b, 3, (size_t)values * sizeof(float));
}

static void attention_tile_once(struct clbench *b) {
    cl_int rows = (cl_int)b->size;
    cl_float scale = 1.0f / sqrtf(HEAD);
    launch(b, "attention_tile", RANGE2(round_up(rows, QUERIES), HEADS, QUERIES, 1), V(rows), V(scale), B(0), B(1), B(2), B(3));
}

/* Every fifth row. No score is so great that its exponential is infinite. */
static int attention_tile_check(struct clbench *b) {
    const float *query = b->buffer[0].host, *key = b->buffer[1].host, *value = b->buffer[2].host, *got = b->buffer[3].host;
    int ok = 1;
    down(b, 3);
    for (long at = 0; ok && at < HEADS * b->size; at += 5) {
        double sum[HEAD] = {0.0}, weights = 0.0;
        for (long from = at - at % b->size; from <= at; from++) {
            double score = 0.0;
            for (int i = 0; i < HEAD; i++) {
                score += (double)query[at * HEAD + i] * key[from * HEAD + i];
            }
            double weight = exp(score / sqrt(HEAD));
            weights += weight;
            for (int i = 0; i < HEAD; i++) {
                sum[i] += weight * value[from * HEAD + i];
            }
        }
        for (int i = 0; ok && i < HEAD; i++) {
            ok = near("attended", at * HEAD + i, got[at * HEAD + i], sum[i] / weights, 1e-4);
        }
    }
    return ok;
}

enum { BLOCKS = 67, IN_BLOCK = 32, ROW_ITEMS = 64 };

/* As the kernel has it. */
struct block_int4 {
    float scale;
    unsigned char pair[IN_BLOCK / 2];
};

static void int4_matvec_prepare(struct clbench *b) {
    struct block_int4 *block = make(b, 0, (size_t)b->size * BLOCKS * sizeof *block);
    uint32_t state = 424;
    for (long i = 0; i < b->size * BLOCKS; i++) {
        block[i].scale = 0.01f + 0.02f * random_unit(&state);
        for (int k = 0; k < IN_BLOCK / 2; k++) {
            block[i].pair[k] = (unsigned char)(random_word(&state) >> 24);
        }
    }
    fill_between(make(b, 1, BLOCKS * IN_BLOCK * sizeof(float)), BLOCKS * IN_BLOCK, 425, -1.0f, 1.0f);
    make(b, 2, (size_t)b->size * sizeof(float));
    up(b, 0), up(b, 1);
}

static void int4_matvec_once(struct clbench *b) {
    cl_int blocks = BLOCKS;
    launch(b, "int4_matvec", RANGE1((size_t)b->size * ROW_ITEMS, ROW_ITEMS), V(blocks), B(0), B(1), B(2));
}

static int int4_matvec_check(struct clbench *b) {
    const struct block_int4 *block = b->buffer[0].host;
    const float *x = b->buffer[1].host, *got = b->buffer[2].host;
    int ok = 1;
    down(b, 2);
    for (long row = 0; ok && row < b->size; row++, block += BLOCKS) {
        double sum = 0.0;
        for (int i = 0; i < BLOCKS * IN_BLOCK; i++) {
            int k = i % IN_BLOCK, byte = block[i / IN_BLOCK].pair[k % (IN_BLOCK / 2)];
            sum += (double)block[i / IN_BLOCK].scale * ((k < IN_BLOCK / 2 ? byte % 16 : byte / 16) - 8) * x[i];
        }
        ok = near("row", row, got[row], sum, 1e-4);
    }
    return ok;
}

enum { CHANNELS = 36, IMAGES = 2 };

/* What a layer does to a picture. */
struct layer {
    const char *kernel;
    int size, step, in, out, filter;
};

static const struct layer layers[2] = {
    {.kernel = "depthwise_3x3", .size = 3, .step = 1, .in = 0, .out = 1, .filter = 3},
    {.kernel = "depthwise_5x5_by2", .size = 5, .step = 2, .in = 1, .out = 2, .filter = 4},
};

/* Pictures are a little lower than wide. */
static cl_int layer_height(long width) { return (cl_int)(width - width / 5); }

static long after(const struct layer *layer, long side) { return (side + layer->step - 1) / layer->step; }

static void depthwise_prepare(struct clbench *b) {
    long pixels = b->size * layer_height(b->size), values = IMAGES * pixels * CHANNELS;
    fill_between(make(b, 0, (size_t)values * sizeof(float)), values, 426, -1.0f, 1.0f);
    make(b, 1, (size_t)values * sizeof(float));
    make(b, 2, (size_t)values * sizeof(float));
    fill_between(make(b, 3, 9 * CHANNELS * sizeof(float)), 9 * CHANNELS, 427, -1.0f, 1.0f);
    fill_between(make(b, 4, 25 * CHANNELS * sizeof(float)), 25 * CHANNELS, 428, -1.0f, 1.0f);
    fill_between(make(b, 5, CHANNELS * sizeof(float)), CHANNELS, 429, 0.5f, 1.5f);
    fill_between(make(b, 6, CHANNELS * sizeof(float)), CHANNELS, 430, 0.0f, 1.0f);
    up(b, 0), up(b, 3), up(b, 4), up(b, 5), up(b, 6);
}

static void depthwise_once(struct clbench *b) {
    for (const struct layer *layer = layers; layer < layers + 2; layer++) {
        cl_int width = (cl_int)b->size, height = layer_height(width);
        cl_int4 shape = {{CHANNELS / 4, width, height, IMAGES}};
        cl_int2 out_shape = {{(cl_int)after(layer, width), (cl_int)after(layer, height)}};
        cl_uint outputs = (cl_uint)(IMAGES * out_shape.s[0] * out_shape.s[1] * (CHANNELS / 4));
        launch(b, layer->kernel, RANGE1(round_up(outputs, 128), 128), V(shape), V(out_shape), V(outputs), B(layer->in),
               B(layer->filter), B(5), B(6), B(layer->out));
    }
}

static double filtered(struct clbench *b, const struct layer *layer, const float *in, long x, long y, int channel) {
    const float *filter = b->buffer[layer->filter].host, *gain = b->buffer[5].host, *offset = b->buffer[6].host;
    double sum = 0.0;
    for (int k = 0; k < layer->size * layer->size; k++) {
        long from_x = x * layer->step + k % layer->size - layer->size / 2;
        long from_y = y * layer->step + k / layer->size - layer->size / 2;
        if (from_x >= 0 && from_x < b->size && from_y >= 0 && from_y < layer_height(b->size)) {
            sum += (double)filter[k * CHANNELS + channel] * in[(from_y * b->size + from_x) * CHANNELS + channel];
        }
    }
    return fmin(6.0, fmax(0.0, sum * gain[channel] + offset[channel]));
}

/* Every third value of each layer, from what the layer got. */
static int depthwise_check(struct clbench *b) {
    int ok = 1;
    for (const struct layer *layer = layers; layer < layers + 2; layer++) {
        long width = after(layer, b->size), height = after(layer, layer_height(b->size));
        long of_picture = b->size * layer_height(b->size) * CHANNELS;
        const float *in = b->buffer[layer->in].host, *got = b->buffer[layer->out].host;
        down(b, layer->out);
        for (long i = 0; ok && i < IMAGES * width * height * CHANNELS; i += 3) {
            long x = i / CHANNELS % width, y = i / CHANNELS / width % height, image = i / CHANNELS / width / height;
            ok = near(layer->kernel, i, got[i], filtered(b, layer, in + image * of_picture, x, y, (int)(i % CHANNELS)), 1e-4);
        }
    }
    return ok;
}

enum { ORDER = 8, BAD_EVERY = 89 };

/* Products of a matrix and its own transpose, with 1 more on the diagonal; some get a diagonal that makes them indefinite. */
static void cholesky_8x8_prepare(struct clbench *b) {
    uint32_t state = 431;
    float *a = make(b, 0, (size_t)b->size * ORDER * ORDER * sizeof *a);
    fill_between(make(b, 1, (size_t)b->size * ORDER * sizeof(float)), b->size * ORDER, 432, -3.0f, 3.0f);
    make(b, 2, (size_t)b->size * ORDER * sizeof(float));
    make(b, 3, (size_t)b->size * sizeof(cl_int));
    for (long system = 0; system < b->size; system++, a += ORDER * ORDER) {
        float factor[ORDER][ORDER];
        fill_between(factor[0], ORDER * ORDER, random_word(&state), -1.0f, 1.0f);
        for (int i = 0; i < ORDER * ORDER; i++) {
            a[i] = i / ORDER == i % ORDER ? 1.0f : 0.0f;
            for (int k = 0; k < ORDER; k++) {
                a[i] += factor[i / ORDER][k] * factor[i % ORDER][k];
            }
        }
        if (system % BAD_EVERY == 0) {
            long bad = system / BAD_EVERY % ORDER;
            a[bad * ORDER + bad] = -1.0f;
        }
    }
    up(b, 0), up(b, 1);
}

static void cholesky_8x8_once(struct clbench *b) {
    cl_uint systems = (cl_uint)b->size;
    launch(b, "cholesky_8x8", RANGE1(round_up(b->size, 64), 64), V(systems), B(0), B(1), B(2), B(3));
}

/* The solution is put into the equations. */
static int cholesky_8x8_check(struct clbench *b) {
    const float *a = b->buffer[0].host, *y = b->buffer[1].host, *x = b->buffer[2].host;
    const cl_int *info = b->buffer[3].host;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long system = 0; ok && system < b->size; system++, a += ORDER * ORDER, y += ORDER, x += ORDER) {
        int bad = system % BAD_EVERY == 0;
        ok = same("status", system, info[system], bad ? system / BAD_EVERY % ORDER + 1 : 0);
        for (int i = 0; ok && !bad && i < ORDER; i++) {
            double left = 0.0;
            for (int j = 0; j < ORDER; j++) {
                left += (double)a[i * ORDER + j] * x[j];
            }
            ok = near("left side", system * ORDER + i, left, y[i], 1e-4);
        }
    }
    return ok;
}

const struct workload round4_batch_workloads[] = {
    WORKLOAD(round4_batch, attention_tile, 77, 301, 701, 2003),
    WORKLOAD(round4_batch, int4_matvec, 13, 3001, 8009, 20011),
    WORKLOAD(round4_batch, depthwise, 13, 81, 181, 301),
    WORKLOAD(round4_batch, cholesky_8x8, 301, 20011, 60013, 150001),
    END_OF_WORKLOADS,
};
