/* Learning. Sizes are a side of space, queries, a width of a frame. */
#include "workloads.h"

enum { SIDES = 27, INPUTS = 16, FOURS = 8, OUTPUTS = 4 * FOURS, NOBODY = -1, VOXELS_GROUP = 16 };

/* Whether there is anything: the shell of a ball with bumps. */
static int is_filled(const struct clbench *b, long x, long y, long z) {
    double middle = 0.5 * (double)(b->size - 1), across = (double)x - middle;
    double down = (double)y - middle, deep = (double)z - middle;
    double radius = (0.4 + 0.04 * sin(6.0 * atan2(down, across))) * (double)b->size;
    return fabs(sqrt(across * across + down * down + deep * deep) - radius) < 0.8;
}

static long voxel_count(const struct clbench *b) {
    return (long)(b->buffer[0].bytes / sizeof(cl_int4));
}

/* Slots of the table: a power of 2, of which few are taken. */
static cl_uint slot_count(const struct clbench *b) {
    cl_uint count = 64;
    while (count < 3 * voxel_count(b)) {
        count *= 2;
    }
    return count;
}

static void submanifold_conv_prepare(struct clbench *b) {
    long cells = b->size * b->size * b->size, count = 0;
    cl_int4 *voxels = malloc((size_t)cells * sizeof *voxels);
    uint32_t state = 4483;
    for (long i = 0; i < cells; i++) {
        long x = i % b->size, y = i / b->size % b->size, z = i / b->size / b->size;
        if (is_filled(b, x, y, z)) {
            cl_int4 voxel = {{(cl_int)x, (cl_int)y, (cl_int)z, 0}};
            long other = (long)(random_word(&state) % (uint32_t)(count + 1));
            voxels[count++] = voxels[other], voxels[other] = voxel;
        }
    }
    memcpy(make(b, 0, (size_t)count * sizeof *voxels), voxels, (size_t)count * sizeof *voxels);
    free(voxels);
    make(b, 1, slot_count(b) * sizeof(cl_int)), make(b, 2, slot_count(b) * sizeof(cl_int));
    make(b, 3, (size_t)count * SIDES * sizeof(cl_int));
    fill_between(make(b, 4, (size_t)count * INPUTS * sizeof(float)), count * INPUTS, 4493, -1.0f,
                 1.0f);
    fill_between(make(b, 5, SIDES * INPUTS * OUTPUTS * sizeof(float)), SIDES * INPUTS * OUTPUTS,
                 4507, -0.2f, 0.2f);
    fill_between(make(b, 6, OUTPUTS * sizeof(float)), OUTPUTS, 4513, -0.5f, 0.5f);
    make(b, 7, (size_t)count * OUTPUTS * sizeof(float));
    up(b, 0), up(b, 4), up(b, 5), up(b, 6);
}

static void submanifold_conv_once(struct clbench *b) {
    cl_int count = (cl_int)voxel_count(b);
    cl_uint mask = slot_count(b) - 1;
    struct range outputs = RANGE2(FOURS, round_up(count, VOXELS_GROUP), FOURS, VOXELS_GROUP);
    launch(b, "no_keys", RANGE1((mask + 1) / 4, 16), B(1));
    launch(b, "enter_voxels", RANGE1(round_up(count, 64), 64), B(0), V(count), V(mask), B(1), B(2));
    launch(b, "voxel_rules", RANGE2(round_up(count, 64), SIDES, 64, 1), B(0), V(count), V(mask),
           B(1), B(2), B(3));
    launch(b, "submanifold_conv", outputs, B(4), B(3), V(count), B(5), B(6), B(7));
}

/* By a table of all cells. */
static int submanifold_conv_check(struct clbench *b) {
    const cl_int4 *voxels = b->buffer[0].host;
    const float *features = b->buffer[4].host, *weights = b->buffer[5].host;
    const float *bias = b->buffer[6].host, *got = b->buffer[7].host;
    long side = b->size + 2, count = voxel_count(b);
    int *numbers = malloc((size_t)(side * side * side) * sizeof *numbers), ok = 1;
    down(b, 7);
    memset(numbers, NOBODY, (size_t)(side * side * side) * sizeof *numbers);
    for (long i = 0; i < count; i++) {
        numbers[((voxels[i].s[2] + 1) * side + voxels[i].s[1] + 1) * side + voxels[i].s[0] + 1] =
            (int)i;
    }
    for (long i = 0; ok && i < count; i++) {
        double sums[OUTPUTS];
        for (int k = 0; k < OUTPUTS; k++) {
            sums[k] = (double)bias[k];
        }
        for (long n = 0; n < SIDES; n++) {
            int other = numbers[((voxels[i].s[2] + n / 9) * side + voxels[i].s[1] + n / 3 % 3) *
                                side + voxels[i].s[0] + n % 3];
            for (long k = 0; other != NOBODY && k < INPUTS * OUTPUTS; k++) {
                sums[k % OUTPUTS] += (double)features[other * INPUTS + k / OUTPUTS] *
                    (double)weights[n * INPUTS * OUTPUTS + k];
            }
        }
        for (int k = 0; ok && k < OUTPUTS; k++) {
            ok = near("channel", i * OUTPUTS + k, (double)got[i * OUTPUTS + k], fmax(sums[k], 0.0),
                      1e-4);
        }
    }
    free(numbers);
    return ok;
}

enum { RANKERS = 64, MOST = 160 };

/* Few documents are very good. Some have the same score, and for some queries all are bad. */
static void lambda_rank_prepare(struct clbench *b) {
    int *starts = make(b, 0, (size_t)(b->size + 1) * sizeof *starts);
    uint32_t state = 4517;
    for (long i = 0; i < b->size; i++) {
        starts[i + 1] = starts[i] + 1 + (int)(random_word(&state) % (i % 3 == 0 ? MOST : 60));
    }
    long count = starts[b->size];
    float *scores = make(b, 1, (size_t)count * sizeof *scores);
    unsigned char *labels = make(b, 2, (size_t)count);
    for (long query = 0; query < b->size; query++) {
        for (long i = starts[query]; i < starts[query + 1]; i++) {
            uint32_t word = random_word(&state) % 64;
            labels[i] = (unsigned char)((word >= 40) + (word >= 52) + (word >= 58) + (word >= 62));
            labels[i] = query % 17 == 5 ? 0 : labels[i];
            scores[i] = 0.3f * labels[i] + (float)(random_word(&state) % 512) / 256.0f;
        }
    }
    make(b, 3, (size_t)count * sizeof(cl_float2)), make(b, 4, (size_t)b->size * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2);
}

static void lambda_rank_once(struct clbench *b) {
    launch(b, "lambda_rank", RANGE1((size_t)b->size * RANKERS, RANKERS), B(0), B(1), B(2), B(3),
           B(4));
}

/* Puts documents in order: by score, or by how good they are. Equal ones stay as they were. */
static void sort_documents(int *order, int count, const float *scores,
                           const unsigned char *labels) {
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && (scores != NULL ? scores[order[at - 1]] < scores[i]
                          : labels[order[at - 1]] < labels[i]); at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

static int query_is_right(const struct clbench *b, long query) {
    int start = ((const int *)b->buffer[0].host)[query];
    int count = ((const int *)b->buffer[0].host)[query + 1] - start;
    const float *scores = (const float *)b->buffer[1].host + start, *gains = b->buffer[4].host;
    const unsigned char *labels = (const unsigned char *)b->buffer[2].host + start;
    const cl_float2 *got = (const cl_float2 *)b->buffer[3].host + start;
    double discounts[MOST], push[MOST] = {0.0}, bend[MOST] = {0.0}, best = 0.0, gain = 0.0;
    int order[MOST], ok = 1;
    sort_documents(order, count, NULL, labels);
    for (int i = 0; i < count; i++) {
        best += ((1 << labels[order[i]]) - 1) / log2(i + 2.0);
    }
    sort_documents(order, count, scores, labels);
    for (int i = 0; i < count; i++) {
        discounts[order[i]] = 1.0 / log2(i + 2.0);
        gain += ((1 << labels[order[i]]) - 1) / log2(i + 2.0);
    }
    for (int i = 0; i < count * count; i++) {
        int good = i / count, bad = i % count;
        if (labels[good] > labels[bad]) {
            double chance = 1.0 / (1.0 + exp((double)scores[good] - (double)scores[bad]));
            double matters = ((1 << labels[good]) - (1 << labels[bad])) *
                fabs(discounts[good] - discounts[bad]) / best;
            push[good] += matters * chance, push[bad] -= matters * chance;
            bend[good] += matters * chance * (1.0 - chance);
            bend[bad] += matters * chance * (1.0 - chance);
        }
    }
    for (int i = 0; ok && i < count; i++) {
        ok = near("push", start + i, (double)got[i].s[0], push[i], 1e-3) &&
            near("bend", start + i, (double)got[i].s[1], bend[i], 1e-3);
    }
    return ok && near("gain", query, (double)gains[query], best > 0.0 ? gain / best : 0.0, 1e-5);
}

static int lambda_rank_check(struct clbench *b) {
    int ok = 1;
    down(b, 3), down(b, 4);
    for (long i = 0; ok && i < b->size; i++) {
        ok = query_is_right(b, i);
    }
    return ok;
}

enum { CHANNELS = 32, REACH = 4, WAYS = 2 * REACH + 1, RIGHT = 3, DOWN = -2, ACROSS = 16,
    HIGH = 8 };

static const cl_float sharp = 30.0f;

static long frame_height(const struct clbench *b) { return b->size * 3 / 4; }

/* A number between 0.125 and 2, or less than 0. */
static cl_ushort feature_bits(uint32_t *state) {
    uint32_t word = random_word(state);
    return (cl_ushort)((word & 0x83ff) | (12 + (word >> 20) % 4) << 10);
}

/* The second frame is the first one, moved, but for some pixels. */
static void cost_volume_prepare(struct clbench *b) {
    long width = b->size, height = frame_height(b), count = CHANNELS * width * height;
    cl_ushort *first = make(b, 0, (size_t)count * sizeof *first);
    cl_ushort *second = make(b, 1, (size_t)count * sizeof *second);
    uint32_t state = 4519;
    for (long i = 0; i < count; i++) {
        first[i] = feature_bits(&state);
    }
    for (long i = 0; i < count; i++) {
        long x = i % width - RIGHT, y = i / width % height - DOWN;
        int is_new = x < 0 || y < 0 || x >= width || y >= height || random_word(&state) % 8 == 0;
        second[i] = is_new ? feature_bits(&state)
            : first[(i / width / height * height + y) * width + x];
    }
    make(b, 2, (size_t)(WAYS * WAYS * width * height) * sizeof *first);
    make(b, 3, (size_t)(width * height) * sizeof(cl_float2));
    up(b, 0), up(b, 1);
}

static void cost_volume_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)frame_height(b), pixels = width * height;
    struct range range = RANGE3(round_up(width, ACROSS), round_up(height, HIGH), WAYS, ACROSS, HIGH,
                                1);
    launch(b, "cost_volume", range, B(0), B(1), V(width), V(height), B(2));
    launch(b, "likely_moves", RANGE1(round_up(pixels, 256), 256), B(2), V(pixels), V(sharp), B(3));
}

/* What the volume has of a pixel, and the move that follows from it. */
static int pixel_is_right(const struct clbench *b, const double *first, const double *second,
                          long at, double move[2]) {
    const cl_ushort *got = b->buffer[2].host;
    long width = b->size, height = frame_height(b), pixels = width * height;
    double all = 0.0;
    int ok = 1;
    move[0] = move[1] = 0.0;
    for (long way = 0; ok && way < WAYS * WAYS; way++) {
        long right = way % WAYS - REACH, below = way / WAYS - REACH, x = at % width + right;
        long y = at / width + below;
        double sum = 0.0, value = half_value(got[way * pixels + at]);
        double weight = exp((double)sharp * value);
        for (long k = 0; x >= 0 && y >= 0 && x < width && y < height && k < CHANNELS; k++) {
            sum += first[k * pixels + at] * second[k * pixels + y * width + x] / CHANNELS;
        }
        ok = near("fits", way * pixels + at, value, sum < 0.0 ? 0.1 * sum : sum, 1e-3);
        all += weight, move[0] += weight * (double)right, move[1] += weight * (double)below;
    }
    move[0] /= all, move[1] /= all;
    return ok;
}

static int cost_volume_check(struct clbench *b) {
    const cl_float2 *moves = b->buffer[3].host;
    long pixels = b->size * frame_height(b), count = CHANNELS * pixels, known = 0;
    double *values = malloc((size_t)count * 2 * sizeof *values), move[2];
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long i = 0; i < 2 * count; i++) {
        values[i] = half_value(((const cl_ushort *)b->buffer[i / count].host)[i % count]);
    }
    for (long i = 0; ok && i < pixels; i++) {
        ok = pixel_is_right(b, values, values + count, i, move) &&
            near("right", i, (double)moves[i].s[0], move[0], 1e-3) &&
             near("down", i, (double)moves[i].s[1], move[1], 1e-3);
        known += fabs(move[0] - RIGHT) < 0.5 && fabs(move[1] - DOWN) < 0.5;
    }
    free(values);
    return ok && same("most moves are known", known, known > pixels / 2, 1);
}

const struct workload round27_learning_workloads[] = {
    WORKLOAD(round27_learning, submanifold_conv, 12, 40, 80, 200),
    WORKLOAD(round27_learning, lambda_rank, 19, 701, 3001, 10007),
    WORKLOAD(round27_learning, cost_volume, 21, 100, 240, 640),
    END_OF_WORKLOADS,
};
