/* Rows of numbers. Sizes are tokens, rows, bags and systems. */
#include "workloads.h"

enum { HEADS = 12, HEAD_DIM = 96 };
static const float log2_base = 13.287712f, scaling = 0.5f;

static void rotary_half_prepare(struct clbench *b) {
    long values = b->size * HEADS * HEAD_DIM;
    cl_ushort *in = make(b, 0, (size_t)values * sizeof *in);
    cl_int *positions = make(b, 2, (size_t)b->size * sizeof *positions);
    uint32_t state = 521;
    make(b, 1, (size_t)values * sizeof *in);
    for (long i = 0; i < values; i++) {
        /* Between 1/16 and 4, of both signs. */
        uint32_t word = random_word(&state) >> 8;
        in[i] = (cl_ushort)((word & 0x8000) | (11 + (word >> 16) % 6) << 10 | (word & 1023));
    }
    for (long token = 0; token < b->size; token++) {
        positions[token] = (cl_int)(token % 777);
    }
    up(b, 0), up(b, 2);
}

static void rotary_half_once(struct clbench *b) {
    cl_int tokens = (cl_int)b->size, heads = HEADS, head_dim = HEAD_DIM;
    launch(b, "rotary_half", RANGE3(16, HEADS, round_up(tokens, 4), 16, 1, 4), B(0), B(1), B(2), V(tokens), V(heads),
           V(head_dim), V(log2_base), V(scaling));
}

/* The nearest number of 16 bits has an error of 1/2048 of the value; a small value may be the difference of greater ones. */
static int rotary_half_check(struct clbench *b) {
    const cl_ushort *in = b->buffer[0].host, *got = b->buffer[1].host;
    const cl_int *positions = b->buffer[2].host;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size * HEADS * HEAD_DIM; i++) {
        long pair = i % (HEAD_DIM / 2), row = i - i % HEAD_DIM;
        double angle = positions[i / HEADS / HEAD_DIM] * scaling * exp2(-(double)pair * log2_base / (HEAD_DIM / 2));
        double re = half_value(in[row + pair]), im = half_value(in[row + pair + HEAD_DIM / 2]);
        double want = i - row < HEAD_DIM / 2 ? re * cos(angle) - im * sin(angle) : re * sin(angle) + im * cos(angle);
        ok = near("turned", i, half_value(got[i]), want, 1e-3);
    }
    return ok;
}

enum { COLUMNS = 4007, K = 8, ITEMS = 64 };

/* Whole multiples of 1/32, so that some values are there more than once. */
static void top_eight_prepare(struct clbench *b) {
    float *logits = make(b, 0, (size_t)b->size * COLUMNS * sizeof *logits);
    uint32_t state = 522;
    make(b, 1, (size_t)b->size * K * sizeof(cl_int));
    make(b, 2, (size_t)b->size * K * sizeof(float));
    for (long i = 0; i < b->size * COLUMNS; i++) {
        float sum = random_unit(&state) + random_unit(&state) + random_unit(&state) + random_unit(&state);
        logits[i] = floorf(5.0f * (sum - 2.0f) * 32.0f) / 32.0f;
    }
    up(b, 0);
}

static void top_eight_once(struct clbench *b) {
    cl_int columns = COLUMNS;
    launch(b, "top_eight", RANGE1((size_t)b->size * ITEMS, ITEMS), B(0), V(columns), B(1), B(2));
}

static int top_eight_check(struct clbench *b) {
    const float *logits = b->buffer[0].host, *weights = b->buffer[2].host;
    const cl_int *indices = b->buffer[1].host;
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long row = 0; ok && row < b->size; row++, logits += COLUMNS) {
        int want[K];
        double sum = 0.0;
        for (int k = 0; k < K; k++) {
            want[k] = -1;
            for (int i = 0; i < COLUMNS; i++) {
                int after = k == 0 || logits[i] < logits[want[k - 1]] || (logits[i] == logits[want[k - 1]] && i > want[k - 1]);
                want[k] = after && (want[k] < 0 || logits[i] > logits[want[k]]) ? i : want[k];
            }
            sum += exp((double)logits[want[k]] - logits[want[0]]);
        }
        for (int k = 0; ok && k < K; k++) {
            ok = same("index", K * row + k, indices[K * row + k], want[k]) &&
                 near("weight", K * row + k, weights[K * row + k], exp((double)logits[want[k]] - logits[want[0]]) / sum, 1e-5);
        }
    }
    return ok;
}

enum { WORDS = 30011, WIDTH = 48, LONGEST = 23 };

static void embedding_bags_prepare(struct clbench *b) {
    unsigned char *table = make(b, 0, (size_t)WORDS * WIDTH);
    cl_float2 *scale_bias = make(b, 1, WORDS * sizeof *scale_bias);
    cl_uint *offsets = make(b, 2, (size_t)(b->size + 1) * sizeof *offsets);
    cl_uint *rows = make(b, 3, (size_t)b->size * LONGEST * sizeof *rows);
    uint32_t state = 523;
    make(b, 4, (size_t)b->size * WIDTH * sizeof(float));
    for (long i = 0; i < (long)WORDS * WIDTH; i++) {
        table[i] = (unsigned char)(random_word(&state) >> 24);
    }
    for (long i = 0; i < WORDS; i++) {
        scale_bias[i] = (cl_float2){{0.001f + 0.01f * random_unit(&state), -1.0f - random_unit(&state)}};
    }
    for (long bag = 0; bag < b->size; bag++) {
        /* Some bags are empty. */
        offsets[bag + 1] = offsets[bag] + (random_word(&state) >> 8) % (LONGEST + 1);
        for (cl_uint i = offsets[bag]; i < offsets[bag + 1]; i++) {
            /* Words of small numbers are more usual. */
            float u = random_unit(&state);
            rows[i] = (cl_uint)(u * u * u * (float)(WORDS - 1));
        }
    }
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void embedding_bags_once(struct clbench *b) {
    cl_uint columns = WIDTH, bags = (cl_uint)b->size;
    launch(b, "embedding_bags", RANGE2(16, round_up(bags, 16), 16, 16), B(0), B(1), V(columns), B(2), B(3), V(bags), B(4));
}

static int embedding_bags_check(struct clbench *b) {
    const unsigned char *table = b->buffer[0].host;
    const cl_float2 *scale_bias = b->buffer[1].host;
    const cl_uint *offsets = b->buffer[2].host, *rows = b->buffer[3].host;
    const float *got = b->buffer[4].host;
    int ok = 1;
    down(b, 4);
    for (long at = 0; ok && at < b->size * WIDTH; at++) {
        cl_uint begin = offsets[at / WIDTH], end = offsets[at / WIDTH + 1];
        double sum = 0.0;
        for (cl_uint i = begin; i < end; i++) {
            sum += (double)table[(long)rows[i] * WIDTH + at % WIDTH] * scale_bias[rows[i]].s[0] + scale_bias[rows[i]].s[1];
        }
        ok = near("mean", at, got[at], end > begin ? sum / (end - begin) : 0.0, 1e-5);
    }
    return ok;
}

enum { EQUATIONS = 117, GROUP = 128 };

/* The diagonal is greater than both others together. What is beside the matrix must not be used. */
static void tridiagonal_prepare(struct clbench *b) {
    long values = b->size * EQUATIONS;
    float *part[4];
    uint32_t state = 524;
    for (int i = 0; i < 4; i++) {
        part[i] = make(b, i, (size_t)values * sizeof(float));
    }
    make(b, 4, (size_t)values * sizeof(float));
    for (long i = 0; i < values; i++) {
        part[0][i] = i % EQUATIONS == 0 ? NAN : random_unit(&state) - 1.0f;
        part[1][i] = 2.1f + random_unit(&state);
        part[2][i] = i % EQUATIONS == EQUATIONS - 1 ? NAN : random_unit(&state) - 1.0f;
        part[3][i] = 4.0f * random_unit(&state) - 2.0f;
    }
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void tridiagonal_once(struct clbench *b) {
    cl_int n = EQUATIONS;
    launch(b, "tridiagonal", RANGE1((size_t)b->size * GROUP, GROUP), B(0), B(1), B(2), B(3), B(4), V(n));
}

/* By elimination, from above and back. */
static int tridiagonal_check(struct clbench *b) {
    const float *lower = b->buffer[0].host, *diagonal = b->buffer[1].host, *upper = b->buffer[2].host;
    const float *right = b->buffer[3].host, *got = b->buffer[4].host;
    int ok = 1;
    down(b, 4);
    for (long system = 0; ok && system < b->size; system++) {
        double c[EQUATIONS], d[EQUATIONS], x = 0.0;
        long from = system * EQUATIONS;
        for (int i = 0; i < EQUATIONS; i++) {
            double below = i == 0 ? 0.0 : lower[from + i], pivot = diagonal[from + i] - (i == 0 ? 0.0 : below * c[i - 1]);
            c[i] = i == EQUATIONS - 1 ? 0.0 : upper[from + i] / pivot;
            d[i] = (right[from + i] - (i == 0 ? 0.0 : below * d[i - 1])) / pivot;
        }
        for (int i = EQUATIONS - 1; ok && i >= 0; i--) {
            x = d[i] - c[i] * x;
            ok = near("unknown", from + i, got[from + i], x, 1e-4);
        }
    }
    return ok;
}

const struct workload round5_numbers_workloads[] = {
    WORKLOAD(round5_numbers, rotary_half, 21, 1003, 4001, 16001),
    WORKLOAD(round5_numbers, top_eight, 5, 203, 1009, 4001),
    WORKLOAD(round5_numbers, embedding_bags, 77, 30011, 200003, 800011),
    WORKLOAD(round5_numbers, tridiagonal, 13, 3001, 12007, 50021),
    END_OF_WORKLOADS,
};
