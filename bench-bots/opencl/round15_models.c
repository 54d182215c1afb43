/* Models. Sizes are groups of 64 inner numbers, rows of logits, tokens. */
#include "workloads.h"

enum { NUMBERS = 768, GROUP = 64, ROWS = 4, LANES = 32 };

static const cl_float small_square = 1e-5f;

/* A matrix of bytes, and a scale for every group of them. */
static void make_bytes(struct clbench *b, int i, long count, uint32_t seed) {
    signed char *bytes = make(b, i, (size_t)count);
    cl_ushort *scales = make(b, i + 1, (size_t)(count / GROUP) * sizeof *scales);
    for (long k = 0; k < count; k++) {
        bytes[k] = (signed char)((int)(random_word(&seed) % 255) - 127);
    }
    for (long k = 0; k < count / GROUP; k++) {
        scales[k] = (cl_ushort)(5 << 10 | random_word(&seed) % 1024);
    }
    up(b, i), up(b, i + 1);
}

static void swiglu_int8_prepare(struct clbench *b) {
    long inner = b->size * GROUP;
    fill_between(make(b, 0, NUMBERS * sizeof(float)), NUMBERS, 1709, -2.0f, 2.0f);
    fill_between(make(b, 1, NUMBERS * sizeof(float)), NUMBERS, 1721, 0.5f, 1.5f);
    make_bytes(b, 2, inner * NUMBERS, 1723), make_bytes(b, 4, inner * NUMBERS, 1733), make_bytes(b, 6, inner * NUMBERS, 1741);
    make(b, 8, (size_t)inner * sizeof(float)), make(b, 9, NUMBERS * sizeof(float));
    up(b, 0), up(b, 1);
}

static void swiglu_int8_once(struct clbench *b) {
    cl_int numbers = NUMBERS, inner = (cl_int)b->size * GROUP, quads = numbers / 4, inner_quads = inner / 4;
    launch(b, "gate_and_up", RANGE2(LANES, round_up(inner, ROWS), LANES, ROWS), B(0), B(1), V(quads), V(small_square), B(2), B(3),
           B(4), B(5), V(inner), LOCAL(NUMBERS * sizeof(float)), B(8));
    launch(b, "down_and_add", RANGE2(LANES, round_up(numbers, ROWS), LANES, ROWS), B(8), V(inner_quads), B(6), B(7), B(0),
           V(numbers), B(9));
}

/* A row of a matrix by numbers. */
static double row_product(const struct clbench *b, int i, long row, long count, const double *numbers) {
    const signed char *bytes = (const signed char *)b->buffer[i].host + row * count;
    const cl_ushort *scales = (const cl_ushort *)b->buffer[i + 1].host + row * count / GROUP;
    double sum = 0.0;
    for (long k = 0; k < count; k++) {
        sum += bytes[k] * half_value(scales[k / GROUP]) * numbers[k];
    }
    return sum;
}

static int swiglu_int8_check(struct clbench *b) {
    const float *numbers = b->buffer[0].host, *gains = b->buffer[1].host;
    const float *got_inner = b->buffer[8].host, *got = b->buffer[9].host;
    long inner = b->size * GROUP;
    double normal[NUMBERS], square = 0.0, *wanted = calloc((size_t)inner, sizeof *wanted);
    int ok = 1;
    down(b, 8), down(b, 9);
    for (int i = 0; i < NUMBERS; i++) {
        square += (double)numbers[i] * (double)numbers[i];
    }
    for (int i = 0; i < NUMBERS; i++) {
        normal[i] = (double)numbers[i] * (double)gains[i] / sqrt(square / NUMBERS + (double)small_square);
    }
    for (long row = 0; ok && row < inner; row++) {
        double gate = row_product(b, 2, row, NUMBERS, normal);
        wanted[row] = gate / (1.0 + exp(-gate)) * row_product(b, 4, row, NUMBERS, normal);
        ok = near("inner number", row, got_inner[row], wanted[row], 2e-4);
    }
    for (long row = 0; ok && row < NUMBERS; row++) {
        double want = (double)numbers[row] + row_product(b, 6, row, inner, wanted);
        ok = near("number", row, (double)got[row] / 16.0, want / 16.0, 2e-4);
    }
    free(wanted);
    return ok;
}

enum { WORDS = 4003 };

static const cl_float sharpness = 1.25f;
static const cl_uint kept_share = 58982; /* 0.9 */

static void nucleus_sample_prepare(struct clbench *b) {
    float *logits = make(b, 0, (size_t)(b->size * WORDS) * sizeof *logits);
    cl_uint *drawn = make(b, 1, (size_t)b->size * sizeof *drawn);
    uint32_t state = 1747;
    for (long i = 0; i < b->size * WORDS; i++) {
        float sum = random_unit(&state) + random_unit(&state) + random_unit(&state) + random_unit(&state) - 2.0f;
        logits[i] = sum * (1.0f + (float)(i / WORDS % 7)) - 3.0f;
    }
    for (long i = 0; i < b->size; i++) {
        drawn[i] = random_word(&state);
    }
    make(b, 2, (size_t)b->size * sizeof(cl_int)), make(b, 3, (size_t)b->size * sizeof(cl_int));
    make(b, 4, (size_t)b->size * sizeof(float));
    up(b, 0), up(b, 1);
}

static void nucleus_sample_once(struct clbench *b) {
    cl_int words = WORDS;
    launch(b, "nucleus_sample", RANGE1((size_t)b->size * 128, 128), B(0), V(words), V(sharpness), V(kept_share), B(1),
           LOCAL(WORDS * sizeof(cl_uint)), B(2), B(3), B(4));
}

static int by_value(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* The kernel says how many words it kept; whether these are right, and the word, but for what an exponential is rounded. */
static int check_row(const float *row, double drawn, long word, long kept, double chance, long id) {
    float sorted[WORDS];
    double total = 0.0, above = 0.0, nucleus = 0.0, before = 0.0, unsure = 2e-5 * WORDS;
    long count = 0;
    memcpy(sorted, row, sizeof sorted);
    qsort(sorted, WORDS, sizeof *sorted, by_value);
    if (!same("words are kept, and one is chosen", id, kept > 0 && kept <= WORDS && word >= 0 && word < WORDS, 1)) {
        return 0;
    }
    float least = sorted[kept - 1];
    for (long i = 0; i < WORDS; i++) {
        double weight = exp(((double)row[i] - (double)sorted[0]) * (double)sharpness);
        total += weight, above += row[i] > least ? weight : 0.0, nucleus += row[i] >= least ? weight : 0.0;
        count += row[i] >= least;
        before += row[i] >= least && i < word ? weight : 0.0;
    }
    double own = exp(((double)row[word] - (double)sorted[0]) * (double)sharpness), wanted = total * kept_share / 65536.0;
    return same("kept", id, kept, count) && same("not too many", id, above < wanted + unsure, 1) &&
           same("not too few", id, nucleus > wanted - unsure, 1) && same("likely enough", id, row[word] >= least, 1) &&
           same("not before", id, nucleus * drawn > before - unsure, 1) &&
           same("not after", id, nucleus * drawn < before + own + unsure, 1) && near("chance", id, chance, own / nucleus, 1e-5);
}

static int nucleus_sample_check(struct clbench *b) {
    const float *logits = b->buffer[0].host, *chances = b->buffer[4].host;
    const cl_uint *drawn = b->buffer[1].host;
    const cl_int *words = b->buffer[2].host, *kept = b->buffer[3].host;
    int ok = 1;
    down(b, 2), down(b, 3), down(b, 4);
    for (long i = 0; ok && i < b->size; i++) {
        ok = check_row(logits + i * WORDS, (double)drawn[i] * 0x1p-32, words[i], kept[i], (double)chances[i], i);
    }
    return ok;
}

enum { CHANNELS = 64, HEADS = 6 };

static const cl_float small_variance = 1e-3f;

static void wkv_heads_prepare(struct clbench *b) {
    long values = b->size * HEADS * CHANNELS;
    static const float lows[5] = {-1.0f, -1.0f, -1.0f, -5.0f, -2.0f}, highs[5] = {1.0f, 1.0f, 1.0f, 1.0f, 2.0f};
    for (int i = 0; i < 5; i++) {
        fill_between(make(b, i, (size_t)values * sizeof(float)), values, 1753 + (uint32_t)i, lows[i], highs[i]);
    }
    fill_between(make(b, 5, HEADS * CHANNELS * sizeof(float)), HEADS * CHANNELS, 1777, 0.0f, 2.0f);
    fill_between(make(b, 6, HEADS * CHANNELS * sizeof(float)), HEADS * CHANNELS, 1783, 0.5f, 1.5f);
    fill_between(make(b, 7, HEADS * CHANNELS * CHANNELS * sizeof(float)), HEADS * CHANNELS * CHANNELS, 1787, -1.0f, 1.0f);
    make(b, 8, HEADS * CHANNELS * CHANNELS * sizeof(float)), make(b, 9, (size_t)values * sizeof(float));
    for (int i = 0; i < 8; i++) {
        up(b, i);
    }
}

static void wkv_heads_once(struct clbench *b) {
    cl_int tokens = (cl_int)b->size;
    launch(b, "fading_state", RANGE1(HEADS * CHANNELS, CHANNELS), B(0), B(1), B(2), B(3), B(5), V(tokens), B(7), B(8), B(9));
    launch(b, "level_heads", RANGE2(HEADS * CHANNELS, (size_t)tokens, CHANNELS, 1), B(4), B(6), V(small_variance), B(9));
}

/* What one token gives in a head, whose state is changed. */
static void follow_token(const struct clbench *b, long token, long head, double *state, double *sums) {
    long at = (token * HEADS + head) * CHANNELS;
    const float *askers = (const float *)b->buffer[0].host + at, *keys = (const float *)b->buffer[1].host + at;
    const float *values = (const float *)b->buffer[2].host + at, *fades = (const float *)b->buffer[3].host + at;
    const float *own_rates = (const float *)b->buffer[5].host + head * CHANNELS;
    memset(sums, 0, CHANNELS * sizeof *sums);
    for (int i = 0; i < CHANNELS; i++) {
        double ask = (double)askers[i], stays = exp(-exp((double)fades[i])), own_rate = (double)own_rates[i];
        for (int k = 0; k < CHANNELS; k++) {
            double *cell = state + i * CHANNELS + k, new = (double)keys[i] * (double)values[k];
            sums[k] += ask * (*cell + own_rate * new);
            *cell = *cell * stays + new;
        }
    }
}

static int wkv_heads_check(struct clbench *b) {
    const float *gates = b->buffer[4].host, *gains = b->buffer[6].host, *before = b->buffer[7].host;
    const float *after = b->buffer[8].host, *got = b->buffer[9].host;
    double state[CHANNELS * CHANNELS], sums[CHANNELS];
    int ok = 1;
    down(b, 8), down(b, 9);
    for (long head = 0; ok && head < HEADS; head++) {
        for (int i = 0; i < CHANNELS * CHANNELS; i++) {
            state[i] = (double)before[head * CHANNELS * CHANNELS + i];
        }
        for (long token = 0; ok && token < b->size; token++) {
            double mean = 0.0, variance = 0.0;
            follow_token(b, token, head, state, sums);
            for (int i = 0; i < CHANNELS; i++) {
                mean += sums[i] / CHANNELS;
            }
            for (int i = 0; i < CHANNELS; i++) {
                variance += (sums[i] - mean) * (sums[i] - mean) / CHANNELS;
            }
            for (long i = 0; ok && i < CHANNELS; i++) {
                long at = (token * HEADS + head) * CHANNELS + i;
                double gate = (double)gates[at], want = (sums[i] - mean) / sqrt(variance + (double)small_variance);
                want *= (double)gains[head * CHANNELS + i] * gate / (1.0 + exp(-gate));
                ok = near("value", at, got[at], want, 1e-4);
            }
        }
        for (long i = 0; ok && i < CHANNELS * CHANNELS; i++) {
            ok = near("state", head * CHANNELS * CHANNELS + i, after[head * CHANNELS * CHANNELS + i], state[i], 1e-4);
        }
    }
    return ok;
}

const struct workload round15_models_workloads[] = {
    WORKLOAD(round15_models, swiglu_int8, 3, 41, 101, 301),
    WORKLOAD(round15_models, nucleus_sample, 5, 81, 501, 3001),
    WORKLOAD(round15_models, wkv_heads, 17, 301, 1501, 7001),
    END_OF_WORKLOADS,
};
