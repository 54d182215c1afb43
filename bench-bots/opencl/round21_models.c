/* Models. Sizes are tokens, tokens that look up rows, sequences. */
#include "workloads.h"

enum { HEADS = 4, DIM = 32, TILE = 32 };

static const cl_float scale = 0.25f;

enum { QUERIES, KEYS, VALUES, OUTPUT_GRADS, OUTPUTS, LOG_SUMS, DOTS, QUERY_GRADS, KEY_GRADS, VALUE_GRADS };

static double dot_of(const float *a, const float *c, int count) {
    double sum = 0.0;
    for (int k = 0; k < count; k++) {
        sum += (double)a[k] * (double)c[k];
    }
    return sum;
}

/* Row `i` of a buffer. */
static float *row_of(const struct clbench *b, int buffer, long i) { return (float *)b->buffer[buffer].host + i * DIM; }

/* The way forward is the host's. */
static void attention_back_prepare(struct clbench *b) {
    long rows = b->size * HEADS;
    for (int i = 0; i < CLBENCH_BUFFERS; i++) {
        make(b, i, (size_t)rows * sizeof(float) * (i == LOG_SUMS || i == DOTS ? 1 : DIM));
    }
    for (int i = QUERIES; i <= OUTPUT_GRADS; i++) {
        fill_between(b->buffer[i].host, rows * DIM, 2729u + (uint32_t)i, -1.0f, 1.0f);
    }
    for (long row = 0; row < rows; row++) {
        double sum = 0.0, mean[DIM] = {0.0};
        for (long key = row / b->size * b->size; key <= row; key++) {
            double share = exp((double)scale * dot_of(row_of(b, QUERIES, row), row_of(b, KEYS, key), DIM));
            sum += share;
            for (int k = 0; k < DIM; k++) {
                mean[k] += share * (double)row_of(b, VALUES, key)[k];
            }
        }
        ((float *)b->buffer[LOG_SUMS].host)[row] = (float)log(sum);
        for (int k = 0; k < DIM; k++) {
            row_of(b, OUTPUTS, row)[k] = (float)(mean[k] / sum);
        }
    }
    for (int i = QUERIES; i <= LOG_SUMS; i++) {
        up(b, i);
    }
}

static void attention_back_once(struct clbench *b) {
    cl_int length = (cl_int)b->size, rows = length * HEADS;
    struct range range = RANGE2(round_up(length, TILE), HEADS, TILE, 1);
    launch(b, "output_dots", RANGE1(round_up(rows, 64), 64), B(OUTPUTS), B(OUTPUT_GRADS), V(rows), B(DOTS));
    launch(b, "attention_back_keys", range, B(QUERIES), B(KEYS), B(VALUES), B(OUTPUT_GRADS), B(LOG_SUMS), B(DOTS), V(length), V(scale),
           B(KEY_GRADS), B(VALUE_GRADS));
    launch(b, "attention_back_queries", range, B(QUERIES), B(KEYS), B(VALUES), B(OUTPUT_GRADS), B(LOG_SUMS), B(DOTS), V(length), V(scale),
           B(QUERY_GRADS));
}

/* What a query gives to a key: its share, and how the score's gradient is. */
static double share_of(const struct clbench *b, long query, long key, double *slope) {
    double share = exp((double)scale * dot_of(row_of(b, QUERIES, query), row_of(b, KEYS, key), DIM) -
                       (double)((const float *)b->buffer[LOG_SUMS].host)[query]);
    const float *grad = row_of(b, OUTPUT_GRADS, query);
    *slope = (double)scale * share * (dot_of(row_of(b, VALUES, key), grad, DIM) - dot_of(row_of(b, OUTPUTS, query), grad, DIM));
    return share;
}

/* Of long sequences not all rows are looked at. */
static int attention_back_check(struct clbench *b) {
    long step = b->size * HEADS / 1009 + 1;
    int ok = 1;
    down(b, QUERY_GRADS), down(b, KEY_GRADS), down(b, VALUE_GRADS);
    for (long row = 0; ok && row < b->size * HEADS; row += step) {
        double query_grad[DIM] = {0.0}, key_grad[DIM] = {0.0}, value_grad[DIM] = {0.0}, slope;
        long head = row / b->size;
        for (long other = head * b->size; other < (head + 1) * b->size; other++) {
            double share = share_of(b, other < row ? row : other, other < row ? other : row, &slope);
            for (int k = 0; k < DIM; k++) {
                query_grad[k] += other <= row ? slope * (double)row_of(b, KEYS, other)[k] : 0.0;
                key_grad[k] += other >= row ? slope * (double)row_of(b, QUERIES, other)[k] : 0.0;
                value_grad[k] += other >= row ? share * (double)row_of(b, OUTPUT_GRADS, other)[k] : 0.0;
            }
        }
        for (int k = 0; ok && k < DIM; k++) {
            ok = near("query", row * DIM + k, (double)row_of(b, QUERY_GRADS, row)[k], query_grad[k], 1e-4) &&
                 near("key", row * DIM + k, (double)row_of(b, KEY_GRADS, row)[k], key_grad[k], 1e-4) &&
                 near("value", row * DIM + k, (double)row_of(b, VALUE_GRADS, row)[k], value_grad[k], 1e-4);
        }
    }
    return ok;
}

enum { WIDTH = 128 };

static const cl_float rate = 0.05f, least = 1e-3f;

static long table_rows(const struct clbench *b) { return b->size / 2 + 1; }

/* Few rows are looked up often, many rarely or never. Weights are halves from 1 to 2 and -2 to -1. */
static void embedding_grads_prepare(struct clbench *b) {
    long tokens = b->size, table = table_rows(b), segments = 0, next = 0;
    int *own_rows = calloc((size_t)tokens, sizeof *own_rows);
    cl_int *order = make(b, 1, (size_t)tokens * sizeof *order), *starts = make(b, 2, (size_t)(table + 1) * sizeof *starts);
    cl_int *rows = make(b, 3, (size_t)table * sizeof *rows);
    cl_ushort *weights = make(b, 4, (size_t)(table * WIDTH) * sizeof *weights);
    uint32_t state = 2731;
    fill_between(make(b, 0, (size_t)(tokens * WIDTH) * sizeof(float)), tokens * WIDTH, 2741, -1.0f, 1.0f);
    for (long i = 0; i < tokens; i++) {
        float unit = random_unit(&state);
        own_rows[i] = (int)((float)(table - 1) * unit * unit * unit);
    }
    /* Sorted by counting; those of one row stay in their order. */
    int *firsts = calloc((size_t)table + 1, sizeof *firsts);
    for (long i = 0; i < tokens; i++) {
        firsts[own_rows[i] + 1]++;
    }
    for (long row = 0; row < table; row++) {
        if (firsts[row + 1] > 0) {
            rows[segments] = (int)row, starts[segments++] = (int)next;
        }
        next += firsts[row + 1], firsts[row + 1] = (int)next;
    }
    starts[segments] = (int)next;
    for (long i = 0; i < tokens; i++) {
        order[firsts[own_rows[i]]++] = (int)i;
    }
    for (long i = 0; i < table * WIDTH; i++) {
        weights[i] = (cl_ushort)(random_word(&state) % 2 << 15 | 15 << 10 | random_word(&state) % 1024);
    }
    free(own_rows), free(firsts);
    fill_unit(make(b, 5, (size_t)table * sizeof(float)), table, 2749);
    make(b, 6, (size_t)(table * WIDTH) * sizeof *weights), make(b, 7, (size_t)table * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3), up(b, 4), up(b, 5);
}

static long segments_of(const struct clbench *b) {
    const cl_int *starts = b->buffer[2].host;
    long segments = 0;
    while (starts[segments] < b->size) {
        segments++;
    }
    return segments;
}

static void embedding_grads_once(struct clbench *b) {
    struct range range = RANGE1((size_t)segments_of(b) * 32, 32);
    launch(b, "embedding_grads", range, B(0), B(1), B(2), B(3), V(rate), V(least), B(4), B(5), B(6), B(7));
}

/* Weights are rounded to 11 bits. */
static int embedding_grads_check(struct clbench *b) {
    const cl_int *order = b->buffer[1].host, *starts = b->buffer[2].host, *rows = b->buffer[3].host;
    const cl_ushort *weights = b->buffer[4].host, *got = b->buffer[6].host;
    const float *grads = b->buffer[0].host, *squares = b->buffer[5].host, *got_squares = b->buffer[7].host;
    int ok = 1;
    down(b, 6), down(b, 7);
    for (long i = 0; ok && i < segments_of(b); i++) {
        double sums[WIDTH] = {0.0}, square = 0.0;
        for (long k = 0; k < WIDTH; k++) {
            for (long place = starts[i]; place < starts[i + 1]; place++) {
                sums[k] += (double)grads[order[place] * WIDTH + k];
            }
            square += sums[k] * sums[k] / WIDTH;
        }
        square += (double)squares[rows[i]];
        ok = near("square", rows[i], (double)got_squares[rows[i]], square, 1e-4);
        for (long k = 0; ok && k < WIDTH; k++) {
            long at = rows[i] * WIDTH + k;
            double want = half_value(weights[at]) - (double)rate / (sqrt(square) + (double)least) * sums[k];
            ok = near("weight", at, half_value(got[at]), want, 5.1e-4);
        }
    }
    return ok;
}

enum { KV_HEADS = 2, SHARE = 4, HEAD = 64, SPLIT = 128, MOST = 1000, SPLITS = (MOST + SPLIT - 1) / SPLIT };

static const cl_float head_scale = 0.125f;

/* Sequences have 1 to 1000 tokens. Scales are halves from 2^-6 to 2^-5. */
static void split_decode_prepare(struct clbench *b) {
    long caches = b->size * KV_HEADS, places = caches * MOST;
    fill_between(make(b, 0, (size_t)(caches * SHARE * HEAD) * sizeof(float)), caches * SHARE * HEAD, 2753, -1.0f, 1.0f);
    cl_int *lengths = make(b, 5, (size_t)b->size * sizeof *lengths);
    uint32_t state = 2767;
    for (int i = 1; i < 5; i += 2) {
        signed char *numbers = make(b, i, (size_t)(places * HEAD));
        cl_ushort *scales = make(b, i + 1, (size_t)places * sizeof *scales);
        for (long k = 0; k < places * HEAD; k++) {
            numbers[k] = (signed char)random_word(&state);
        }
        for (long k = 0; k < places; k++) {
            scales[k] = (cl_ushort)(9 << 10 | random_word(&state) % 1024);
        }
    }
    for (long i = 0; i < b->size; i++) {
        lengths[i] = 1 + (int)(random_word(&state) % MOST);
    }
    make(b, 6, (size_t)(caches * SHARE * SPLITS * HEAD) * sizeof(float)), make(b, 7, (size_t)(caches * SHARE * SPLITS) * sizeof(cl_float2));
    make(b, 8, (size_t)(caches * SHARE * HEAD) * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3), up(b, 4), up(b, 5);
}

static void split_decode_once(struct clbench *b) {
    cl_int most = MOST, splits = SPLITS;
    struct range range = RANGE3(SPLITS * HEAD, KV_HEADS, (size_t)b->size, HEAD, 1, 1);
    struct range all = RANGE3(HEAD, KV_HEADS * SHARE, (size_t)b->size, HEAD, 1, 1);
    launch(b, "split_decode", range, B(0), B(1), B(2), B(3), B(4), B(5), V(most), V(head_scale), B(6), B(7));
    launch(b, "combine_splits", all, B(6), B(7), B(5), V(splits), B(8));
}

static int split_decode_check(struct clbench *b) {
    const float *queries = b->buffer[0].host, *got = b->buffer[8].host;
    const signed char *keys = b->buffer[1].host, *values = b->buffer[3].host;
    const cl_ushort *key_scales = b->buffer[2].host, *value_scales = b->buffer[4].host;
    const cl_int *lengths = b->buffer[5].host;
    int ok = 1;
    down(b, 8);
    for (long i = 0; ok && i < b->size * KV_HEADS * SHARE; i++) {
        double all = 0.0, mean[HEAD] = {0.0};
        for (long at = i / SHARE * MOST; at < i / SHARE * MOST + lengths[i / SHARE / KV_HEADS]; at++) {
            double score = 0.0;
            for (int k = 0; k < HEAD; k++) {
                score += (double)queries[i * HEAD + k] * keys[at * HEAD + k] * half_value(key_scales[at]);
            }
            double share = exp((double)head_scale * score);
            all += share;
            for (int k = 0; k < HEAD; k++) {
                mean[k] += share * values[at * HEAD + k] * half_value(value_scales[at]);
            }
        }
        for (int k = 0; ok && k < HEAD; k++) {
            ok = near("output", i * HEAD + k, (double)got[i * HEAD + k], mean[k] / all, 1e-4);
        }
    }
    return ok;
}

const struct workload round21_models_workloads[] = {
    WORKLOAD(round21_models, attention_back, 75, 203, 501, 1501),
    WORKLOAD(round21_models, embedding_grads, 301, 10007, 60013, 300007),
    WORKLOAD(round21_models, split_decode, 3, 17, 101, 403),
    END_OF_WORKLOADS,
};
