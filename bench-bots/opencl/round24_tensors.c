/* Tensors. Sizes are rows, sides of a picture, what an axis has, sides of planes. */
#include "workloads.h"

enum { FEATURES = 77 };

static const cl_float gamma_of_rows = 0.11f;

static cl_int eights(long n) { return (cl_int)round_up(n, 8); }

/* The other rows are fewer. Those that fill the last eight are 0. */
static cl_int others(const struct clbench *b) { return eights(b->size * 5 / 6 + 3); }

static void rbf_gram_prepare(struct clbench *b) {
    cl_int rows = eights(b->size), columns = others(b);
    float *left = make(b, 0, (size_t)rows * FEATURES * sizeof *left), *right = make(b, 1, (size_t)columns * FEATURES * sizeof *right);
    uint32_t state = 4001;
    for (int k = 0; k < FEATURES; k++) {
        for (long i = 0; i < b->size; i++) {
            left[k * rows + i] = random_unit(&state) - 0.5f;
        }
        for (long i = 0; i < b->size * 5 / 6 + 3; i++) {
            float other = random_unit(&state) - 0.5f;
            right[k * columns + i] = i % 5 == 0 ? left[k * rows + i * 7 % b->size] + 0.4f * other : other;
        }
    }
    make(b, 2, (size_t)rows * sizeof(float)), make(b, 3, (size_t)columns * sizeof(float));
    make(b, 4, (size_t)rows * (size_t)columns * sizeof(float));
    up(b, 0), up(b, 1);
}

static void rbf_gram_once(struct clbench *b) {
    cl_int rows = eights(b->size), columns = others(b), features = FEATURES;
    launch(b, "row_lengths", RANGE1(round_up(rows, 64), 64), B(0), V(rows), V(features), B(2));
    launch(b, "row_lengths", RANGE1(round_up(columns, 64), 64), B(1), V(columns), V(features), B(3));
    launch(b, "rbf_gram", RANGE2(round_up(columns / 8, 8), round_up(rows / 8, 2), 8, 2), B(0), V(rows), B(1), V(columns), V(features),
           V(gamma_of_rows), B(2), B(3), B(4));
}

/* Of many pairs not all are looked at. */
static int rbf_gram_check(struct clbench *b) {
    const float *left = b->buffer[0].host, *right = b->buffer[1].host, *got = b->buffer[4].host;
    long rows = eights(b->size), columns = others(b), step_on = rows * columns / 100003 + 1;
    double most = 0.0;
    int ok = 1;
    down(b, 4);
    for (long i = 0; ok && i < rows * columns; i += step_on) {
        double square = 0.0;
        for (long k = 0; k < FEATURES; k++) {
            square += pow((double)left[k * rows + i / columns] - (double)right[k * columns + i % columns], 2.0);
        }
        ok = near("likeness", i, (double)got[i], exp(-(double)gamma_of_rows * square), 1e-5);
        most = fmax(most, (double)got[i]);
    }
    return ok && same("some are near", 0, most > 0.2, 1);
}

enum { INPUTS = 8, OUTPUTS = 8 };

struct layer {
    cl_int width, height, inputs, outputs;
};

static struct layer layer_of(const struct clbench *b) {
    return (struct layer){(cl_int)b->size, (cl_int)(b->size * 3 / 4 + 1), INPUTS, OUTPUTS};
}

/* Bits of a number of half precision from -0.25 to 0.25, away from 0. */
static cl_ushort small_half(uint32_t *state) {
    uint32_t word = random_word(state);
    return (cl_ushort)((word >> 31) << 15 | (9 + word % 4) << 10 | (word >> 8 & 1023));
}

static void conv_packed_prepare(struct clbench *b) {
    struct layer layer = layer_of(b);
    size_t pixels = (size_t)(layer.width * layer.height);
    make(b, 0, INPUTS * pixels * sizeof(cl_float4));
    cl_ushort *weights = make(b, 1, OUTPUTS * INPUTS * 9 * 16 * sizeof *weights);
    make(b, 2, OUTPUTS * sizeof(cl_float4)), make(b, 3, OUTPUTS * pixels * 4 * sizeof(cl_ushort));
    uint32_t state = 4007;
    for (int i = 0; i < OUTPUTS * INPUTS * 9 * 16; i++) {
        weights[i] = small_half(&state);
    }
    fill_between(b->buffer[0].host, (long)pixels * INPUTS * 4, 4013, -1.0f, 2.0f);
    fill_between(b->buffer[2].host, OUTPUTS * 4, 4019, -0.5f, 3.0f);
    up(b, 0), up(b, 1), up(b, 2);
}

static void conv_packed_once(struct clbench *b) {
    struct layer layer = layer_of(b);
    launch(b, "conv_packed", RANGE3(round_up((layer.width + 3) / 4, 4), round_up(layer.height, 4), OUTPUTS, 4, 4, 1), B(0), V(layer), B(1),
           B(2), B(3));
}

static double convolved(const struct clbench *b, long channel, long x, long y) {
    const float *input = b->buffer[0].host, *bias = b->buffer[2].host;
    const cl_ushort *weights = b->buffer[1].host;
    struct layer layer = layer_of(b);
    double sum = (double)bias[channel];
    for (long from = 0; from < INPUTS * 4; from++) {
        for (long k = 0; k < 9; k++) {
            long column = x + k % 3 - 1, row = y + k / 3 - 1;
            if (column >= 0 && row >= 0 && column < layer.width && row < layer.height) {
                long at = ((from / 4 * layer.height + row) * layer.width + column) * 4 + from % 4;
                long weight = ((channel / 4 * INPUTS + from / 4) * 9 + k) * 16 + from % 4 * 4 + channel % 4;
                sum += (double)input[at] * half_value(weights[weight]);
            }
        }
    }
    return fmin(fmax(sum, 0.0), 6.0);
}

static int conv_packed_check(struct clbench *b) {
    const cl_ushort *got = b->buffer[3].host;
    struct layer layer = layer_of(b);
    long pixels = (long)layer.width * layer.height, step_on = pixels * OUTPUTS * 4 / 50021 + 1, inside = 0, seen = 0;
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < pixels * OUTPUTS * 4; i += step_on, seen++) {
        long pixel = i / 4 % pixels;
        double want = convolved(b, i / 4 / pixels * 4 + i % 4, pixel % layer.width, pixel / layer.width);
        ok = near("channel", i, half_value(got[i]), want, 1e-3);
        inside += want > 0.0 && want < 6.0;
    }
    return ok && same("most are not cut", inside, inside > seen / 3, 1);
}

enum { AXES = 5, ORDERS = 4 };

struct permutation {
    cl_int extents[AXES], strides[AXES], count;
};

/* Batches, heads, windows, channels: five axes of a tensor, and in which order its copies have them. */
static const int orders[ORDERS][AXES] = {{0, 3, 1, 4, 2}, {4, 2, 0, 1, 3}, {2, 0, 4, 3, 1}, {3, 4, 1, 2, 0}};

static void source_extents(const struct clbench *b, cl_int extents[AXES]) {
    cl_int n = (cl_int)b->size;
    cl_int all[AXES] = {4, n, 7, n + 3, 18};
    memcpy(extents, all, sizeof all);
}

static struct permutation permutation_of(const struct clbench *b, int which) {
    struct permutation order = {.count = 1};
    cl_int extents[AXES];
    source_extents(b, extents);
    for (int i = 0; i < AXES; i++) {
        order.count *= extents[i];
        order.extents[i] = extents[orders[which][i]], order.strides[i] = 1;
        for (int k = orders[which][i] + 1; k < AXES; k++) {
            order.strides[i] *= extents[k];
        }
    }
    return order;
}

static void permute_five_prepare(struct clbench *b) {
    static const size_t bytes[ORDERS] = {4, 2, 2, 2}, result_bytes[ORDERS] = {4, 2, 2, 1};
    size_t count = (size_t)permutation_of(b, 0).count;
    for (int i = 0; i < ORDERS; i++) {
        make(b, i, count * bytes[i]), make(b, ORDERS + i, count * result_bytes[i]);
    }
    cl_uint *words = b->buffer[0].host;
    cl_ushort *shorts = b->buffer[1].host, *pairs = b->buffer[2].host, *halves = b->buffer[3].host;
    for (size_t i = 0; i < count; i++) {
        words[i] = mixed_word((uint32_t)i), shorts[i] = (cl_ushort)(words[i] >> 5), pairs[i] = (cl_ushort)(words[i] >> 9);
        halves[i] = (cl_ushort)((words[i] >> 30 & 1) << 15 | (8 + words[i] % 10) << 10 | (words[i] >> 12 & 1023));
    }
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static const cl_float scale = 20.0f;

static void permute_five_once(struct clbench *b) {
    struct permutation order[ORDERS];
    for (int i = 0; i < ORDERS; i++) {
        order[i] = permutation_of(b, i);
    }
    struct range items = RANGE3(64, 32, (size_t)(order[0].count + 2047) / 2048, 0, 0, 0);
    launch(b, "permute_words", items, B(0), V(order[0]), B(4));
    launch(b, "permute_shorts", items, B(1), V(order[1]), B(5));
    launch(b, "permute_pairs", items, B(2), V(order[2]), B(6));
    launch(b, "permute_quantised", items, B(3), V(order[3]), V(scale), B(7));
}

static int permute_five_check(struct clbench *b) {
    const cl_uint *words = b->buffer[0].host, *got_words = b->buffer[4].host;
    const cl_ushort *shorts = b->buffer[1].host, *pairs = b->buffer[2].host, *halves = b->buffer[3].host;
    const cl_ushort *got_shorts = b->buffer[5].host, *got_pairs = b->buffer[6].host;
    const cl_char *got_whole = b->buffer[7].host;
    cl_int extents[AXES];
    long count = permutation_of(b, 0).count;
    int ok = 1;
    source_extents(b, extents);
    down(b, 4), down(b, 5), down(b, 6), down(b, 7);
    /* From the source's side: where does each value go? */
    for (long from = 0; ok && from < count; from++) {
        long place[AXES], to[ORDERS];
        for (long i = AXES - 1, rest = from; i >= 0; i--) {
            place[i] = rest % extents[i], rest /= extents[i];
        }
        for (int which = 0; which < ORDERS; which++) {
            to[which] = 0;
            for (int i = 0; i < AXES; i++) {
                to[which] = to[which] * extents[orders[which][i]] + place[orders[which][i]];
            }
        }
        double whole = fmax(fmin(half_value(halves[from]) * (double)scale, 127.0), -128.0);
        ok = same("word", from, got_words[to[0]], words[from]) && same("short", from, got_shorts[to[1]], shorts[from]) &&
             same("pair", from, got_pairs[to[2]], pairs[from]) && same("whole number", from, fabs(got_whole[to[3]] - whole) <= 0.5001, 1);
    }
    return ok;
}

enum { PLANES = 6 };

struct enlargement {
    cl_int planes, height, width, tall, wide;
    cl_float down, across;
};

static struct enlargement enlargement_of(const struct clbench *b) {
    cl_int n = (cl_int)b->size;
    struct enlargement size = {.planes = PLANES, .height = n * 3 / 4 + 2, .width = n, .tall = n * 5 / 4, .wide = n * 7 / 4};
    size.down = (float)size.height / (float)size.tall, size.across = (float)size.width / (float)size.wide;
    return size;
}

static void bicubic_planes_prepare(struct clbench *b) {
    struct enlargement size = enlargement_of(b);
    long pixels = (long)size.planes * size.height * size.width;
    fill_between(make(b, 0, (size_t)pixels * sizeof(float)), pixels, 4021, -1.0f, 1.0f);
    make(b, 1, (size_t)size.planes * (size_t)size.tall * (size_t)size.wide * sizeof(float));
    up(b, 0);
}

static void bicubic_planes_once(struct clbench *b) {
    struct enlargement size = enlargement_of(b);
    launch(b, "bicubic_planes", RANGE1(round_up((long)size.planes * size.tall * size.wide, 256), 0), B(0), V(size), B(1));
}

static double cubic_share(double off) {
    double a = -0.75, x = fabs(off);
    return x <= 1.0 ? (a + 2.0) * x * x * x - (a + 3.0) * x * x + 1.0 : x < 2.0 ? a * (x * x * x - 5.0 * x * x + 8.0 * x - 4.0) : 0.0;
}

static int bicubic_planes_check(struct clbench *b) {
    const float *from = b->buffer[0].host, *got = b->buffer[1].host;
    struct enlargement size = enlargement_of(b);
    long pixels = (long)size.tall * size.wide, step_on = pixels * size.planes / 200003 + 1;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < pixels * size.planes; i += step_on) {
        double x = ((double)(i % size.wide) + 0.5) * (double)size.across - 0.5, sum = 0.0;
        double y = ((double)(i / size.wide % size.tall) + 0.5) * (double)size.down - 0.5;
        for (long row = (long)floor(y) - 1; row < (long)floor(y) + 3; row++) {
            for (long column = (long)floor(x) - 1; column < (long)floor(x) + 3; column++) {
                long at = (i / pixels * size.height + clamped(row, size.height)) * size.width + clamped(column, size.width);
                sum += cubic_share(x - (double)column) * cubic_share(y - (double)row) * (double)from[at];
            }
        }
        ok = near("pixel", i, (double)got[i], sum, 1e-3);
    }
    return ok;
}

const struct workload round24_tensors_workloads[] = {
    WORKLOAD(round24_tensors, rbf_gram, 37, 1907, 4003, 8011),
    WORKLOAD(round24_tensors, conv_packed, 13, 251, 503, 1207),
    WORKLOAD(round24_tensors, permute_five, 3, 45, 91, 203),
    WORKLOAD(round24_tensors, bicubic_planes, 17, 307, 613, 1511),
    END_OF_WORKLOADS,
};
