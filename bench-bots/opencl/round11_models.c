/* Models. Sizes are rows of a layer, tokens, series. */
#include "workloads.h"

enum { PART = 64 };

static cl_int columns_of(const struct clbench *b) { return (cl_int)(b->size * 3 / 16 * 4 + 8); }
static cl_int depth_of(const struct clbench *b) { return (cl_int)(b->size / 8 * 4 + 4); }

static double value_of(cl_ushort word) {
    int power = word >> 10 & 31, part = word & 1023;
    double size = power == 0 ? ldexp(part, -24) : ldexp(1024 + part, power - 25);
    return word >> 15 ? -size : size;
}

/* Numbers below 1 of either sign, and now and then ones so small that they have fewer digits. */
static void fill_halves(struct clbench *b, int buffer, long count, uint32_t state) {
    cl_ushort *words = make(b, buffer, (size_t)count * sizeof *words);
    for (long i = 0; i < count; i++) {
        uint32_t word = random_word(&state), power = word % 61 == 0 ? 0 : 11 + (word >> 24) % 4;
        words[i] = (cl_ushort)((word >> 16 & 1) << 15 | power << 10 | (random_word(&state) >> 8 & 1023));
    }
    up(b, buffer);
}

static void half_product_prepare(struct clbench *b) {
    long rows = b->size, columns = columns_of(b), depth = depth_of(b);
    fill_halves(b, 0, rows * depth, 1191);
    fill_halves(b, 1, depth * columns, 1192);
    fill_between(make(b, 2, (size_t)columns * sizeof(float)), columns, 1193, -1.0f, 1.0f);
    make(b, 3, (size_t)(rows * columns) * sizeof(cl_ushort));
    up(b, 2);
}

static void half_product_once(struct clbench *b) {
    cl_int rows = (cl_int)b->size, columns = columns_of(b), depth = depth_of(b);
    launch(b, "half_product", RANGE2(round_up(columns, PART) / 4, round_up(rows, PART) / 4, 16, 16), B(0), B(1), B(2), V(rows),
           V(columns), V(depth), B(3));
}

/* A result is rounded by up to 2^-11 of it; sums of some hundred products are right to far less. */
static int half_product_check(struct clbench *b) {
    const cl_ushort *in = b->buffer[0].host, *weights = b->buffer[1].host, *got = b->buffer[3].host;
    const float *bias = b->buffer[2].host;
    long columns = columns_of(b), depth = depth_of(b), none = 0, tried = 0;
    int ok = 1;
    down(b, 3);
    for (long at = 0; ok && at < b->size * columns; at += b->size * columns / 10000 + 1, tried++) {
        double sum = bias[at % columns];
        for (long k = 0; k < depth; k++) {
            sum += value_of(in[at / columns * depth + k]) * value_of(weights[k * columns + at % columns]);
        }
        none += sum < 0.0;
        ok = near("result", at, value_of(got[at]), fmax(sum, 0.0), 5.2e-4);
    }
    return ok && same("half are below 0", 0, none * 5 > tried && none * 5 < tried * 4, 1);
}

enum { WORDS = 4003, IGNORED = -100 };

static const cl_float smoothing = 0.1f, scale = 0.25f;

/* Some scores stand out, every ninth token has no label. */
static void cross_entropy_prepare(struct clbench *b) {
    long scores = b->size * WORDS;
    float *of = make(b, 0, (size_t)scores * sizeof *of);
    cl_int *labels = make(b, 1, (size_t)b->size * sizeof *labels);
    uint32_t state = 1201;
    fill_between(of, scores, 1202, -6.0f, 6.0f);
    for (long i = 0; i < b->size; i++) {
        labels[i] = i % 9 == 4 ? IGNORED : (cl_int)(random_word(&state) % WORDS);
        of[i * WORDS + random_word(&state) % WORDS] += 15.0f * random_unit(&state);
    }
    make(b, 2, (size_t)b->size * sizeof(float)), make(b, 3, (size_t)scores * sizeof(float));
    up(b, 0), up(b, 1);
}

static void cross_entropy_once(struct clbench *b) {
    cl_int words = WORDS;
    launch(b, "cross_entropy", RANGE1((size_t)b->size * 128, 128), B(0), B(1), V(words), V(smoothing), V(scale), B(2), B(3));
}

/* Sums of 32 exponentials an item, then seven of pairs: some 40 units of 2^-24, and as much of a total of thousands. */
static int cross_entropy_check(struct clbench *b) {
    const float *scores = b->buffer[0].host, *losses = b->buffer[2].host, *got = b->buffer[3].host;
    const cl_int *labels = b->buffer[1].host;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long token = 0; ok && token < b->size; token += b->size / 500 + 1) {
        const float *of = scores + token * WORDS;
        double sum = 0.0, loss = 0.0;
        int some = labels[token] != IGNORED;
        for (long i = 0; i < WORDS; i++) {
            sum += exp((double)of[i]);
        }
        for (long i = 0; ok && i < WORDS; i++) {
            double wanted = (i == labels[token] ? 1.0 - smoothing : 0.0) + (double)smoothing / WORDS;
            double part = exp((double)of[i]) / sum;
            loss -= some ? wanted * log(part) : 0.0;
            ok = near("gradient", token * WORDS + i, got[token * WORDS + i], some ? scale * (part - wanted) : 0.0, 2e-6);
        }
        ok = ok && near("loss", token, losses[token], loss, 1e-5);
    }
    return ok;
}

enum { LENGTH = 128, QUERIES = 3, BAND = 24, LEAST = 108 };

static double moment_of(const float *values, long count, int power) {
    double sum = 0.0;
    for (long i = 0; i < count; i++) {
        sum += power == 1 ? values[i] : (double)values[i] * values[i];
    }
    return sum / (double)count;
}

/* Waves, whose tempo varies in series; queries are scaled. */
static void time_warp_prepare(struct clbench *b) {
    float *queries = make(b, 0, QUERIES * LENGTH * sizeof *queries);
    float *series = make(b, 1, (size_t)b->size * LENGTH * sizeof *series);
    cl_int *lengths = make(b, 2, (size_t)b->size * sizeof *lengths);
    uint32_t state = 1211;
    for (int i = 0; i < QUERIES * LENGTH; i++) {
        queries[i] = (float)(sin(i % LENGTH * 0.1 * (1 + i / LENGTH)) + 0.5 * sin(i % LENGTH * 0.33));
    }
    for (float *query = queries; query < queries + QUERIES * LENGTH; query += LENGTH) {
        double mean = moment_of(query, LENGTH, 1), wide = sqrt(moment_of(query, LENGTH, 2) - mean * mean);
        for (int k = 0; k < LENGTH; k++) {
            query[k] = (float)((query[k] - mean) / wide);
        }
    }
    for (long i = 0; i < b->size; i++) {
        double at = 0.0, tempo = 0.1 * (1.0 + (double)(i % QUERIES));
        lengths[i] = i % 4 == 0 ? LENGTH : (cl_int)(LEAST + random_word(&state) % (LENGTH + 1 - LEAST));
        for (int k = 0; k < lengths[i]; k++) {
            at += 0.6 + 0.8 * random_unit(&state);
            series[i * LENGTH + k] = (float)(2.0 * sin(at * tempo) + sin(at * 0.33) + 0.4 * random_unit(&state) + 0.5);
        }
    }
    make(b, 3, (size_t)b->size * QUERIES * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2);
}

static void time_warp_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, band = BAND;
    launch(b, "time_warp", RANGE2((size_t)count * LENGTH, QUERIES, LENGTH, 1), B(0), B(1), B(2), V(count), V(band), B(3));
}

/* Row by row. */
static double warped(const float *query, const float *series, long length) {
    double mean = moment_of(series, length, 1), wide = sqrt(moment_of(series, length, 2) - mean * mean), row[LENGTH + 1];
    for (long j = 0; j <= length; j++) {
        row[j] = j == 0 ? 0.0 : INFINITY;
    }
    for (long i = 0; i < LENGTH; i++) {
        double diagonal = row[0];
        row[0] = INFINITY;
        for (long j = 0; j < length; j++) {
            double off = query[i] - (series[j] - mean) / wide, best = fmin(diagonal, fmin(row[j], row[j + 1]));
            diagonal = row[j + 1];
            row[j + 1] = labs(i - j) <= BAND ? best + off * off : INFINITY;
        }
    }
    return sqrt(row[length]);
}

/* Scaled values are right to some 2^-22; a way has up to 255 squares, whose sum is right to as much times that of differences. */
static int time_warp_check(struct clbench *b) {
    const float *queries = b->buffer[0].host, *series = b->buffer[1].host, *got = b->buffer[3].host;
    const cl_int *lengths = b->buffer[2].host;
    double alike = 0.0, others = 0.0;
    int ok = 1;
    down(b, 3);
    for (long at = 0; ok && at < b->size * QUERIES; at += b->size * QUERIES / 3000 + 1) {
        long i = at % b->size, query = at / b->size;
        double want = warped(queries + query * LENGTH, series + i * LENGTH, lengths[i]);
        ok = near("distance", at, got[at], want, 3e-5);
        *(i % QUERIES == query ? &alike : &others) += want;
    }
    return ok && same("series are near their queries", 0, alike < others / 3.0, 1);
}

const struct workload round11_models_workloads[] = {
    WORKLOAD(round11_models, half_product, 75, 701, 1103, 2003),
    WORKLOAD(round11_models, cross_entropy, 11, 801, 3209, 16007),
    WORKLOAD(round11_models, time_warp, 13, 301, 1201, 6007),
    END_OF_WORKLOADS,
};
