/* Models. Sizes are tokens, rows, points. */
#include "workloads.h"

enum { BEAMS = 5, SENTENCES = 6, ROWS_OF_BEAMS = SENTENCES * BEAMS };

static const cl_float length_power = 0.7f;

/* Some beams are at their end. */
static void beam_step_prepare(struct clbench *b) {
    float *logits = make(b, 0, (size_t)(ROWS_OF_BEAMS * b->size) * sizeof *logits);
    float *totals = make(b, 1, ROWS_OF_BEAMS * sizeof *totals);
    cl_int *lengths = make(b, 2, ROWS_OF_BEAMS * sizeof *lengths);
    unsigned char *is_at_end = make(b, 3, ROWS_OF_BEAMS);
    uint32_t state = 2237;
    for (long i = 0; i < ROWS_OF_BEAMS * b->size; i++) {
        float unit = random_unit(&state);
        logits[i] = 14.0f * unit * unit * unit - 6.0f + random_unit(&state);
    }
    for (int i = 0; i < ROWS_OF_BEAMS; i++) {
        is_at_end[i] = i % 7 == 2;
        totals[i] = (is_at_end[i] ? -9.0f : -12.0f) - 3.0f * random_unit(&state);
        lengths[i] = is_at_end[i] ? 9 : 12;
    }
    make(b, 4, ROWS_OF_BEAMS * BEAMS * sizeof(float)), make(b, 5, ROWS_OF_BEAMS * BEAMS * sizeof(cl_int));
    make(b, 6, ROWS_OF_BEAMS * sizeof(float)), make(b, 7, ROWS_OF_BEAMS * sizeof(cl_int2));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void beam_step_once(struct clbench *b) {
    cl_int tokens = (cl_int)b->size, sentences = SENTENCES;
    launch(b, "beam_tops", RANGE1(ROWS_OF_BEAMS * 128, 128), B(0), V(tokens), B(1), B(4), B(5));
    launch(b, "beam_step", RANGE1(SENTENCES, 0), B(1), B(2), B(3), B(4), B(5), V(sentences), V(length_power), B(6), B(7));
}

static int by_score(const void *a, const void *c) {
    double x = *(const double *)a, y = *(const double *)c;
    return (x < y) - (x > y);
}

/* A candidate's score, from all logits. */
static double candidate(const struct clbench *b, long beam, long token, double sum) {
    const float *logits = b->buffer[0].host, *totals = b->buffer[1].host;
    const cl_int *lengths = b->buffer[2].host;
    double total = (double)totals[beam], length = (double)lengths[beam];
    if (token >= 0) {
        total += (double)logits[beam * b->size + token] - log(sum), length += 1.0;
    }
    return total / pow((5.0 + length) / 6.0, (double)length_power);
}

static int beam_step_check(struct clbench *b) {
    const float *logits = b->buffer[0].host, *scores = b->buffer[6].host;
    const unsigned char *is_at_end = b->buffer[3].host;
    const cl_int2 *choices = b->buffer[7].host;
    double *all = malloc((size_t)(BEAMS * b->size) * sizeof *all);
    int ok = 1, ends = 0;
    down(b, 6), down(b, 7);
    for (long i = 0; ok && i < SENTENCES; i++) {
        double sums[BEAMS] = {0.0};
        long count = 0;
        for (long beam = 0; beam < BEAMS; beam++) {
            for (long k = 0; k < b->size; k++) {
                sums[beam] += exp((double)logits[(i * BEAMS + beam) * b->size + k]);
            }
            for (long k = is_at_end[i * BEAMS + beam] ? -1 : 0; k < (is_at_end[i * BEAMS + beam] ? 0 : b->size); k++) {
                all[count++] = candidate(b, i * BEAMS + beam, k, sums[beam]);
            }
        }
        qsort(all, (size_t)count, sizeof *all, by_score);
        for (long k = i * BEAMS; ok && k < (i + 1) * BEAMS; k++) {
            long beam = choices[k].s[0], token = choices[k].s[1];
            ok = same("beam and token are known", k, beam >= 0 && beam < BEAMS && token < b->size, 1) &&
                 same("end", k, token < 0, is_at_end[i * BEAMS + beam]) && near("score", k, scores[k], all[k % BEAMS], 1e-4) &&
                 near("score of the choice", k, scores[k], candidate(b, i * BEAMS + beam, token, sums[beam]), 1e-4);
            ends += token < 0;
            for (long j = i * BEAMS; ok && j < k; j++) {
                ok = same("choices differ", k, choices[j].s[0] != beam || choices[j].s[1] != token, 1);
            }
        }
    }
    free(all);
    return ok && same("a beam at its end is chosen", 0, ends > 0, 1);
}

enum { BYTES = 205, DIGITS = 5, COLUMNS = BYTES * DIGITS, TOKENS = 4 };

static const cl_float4 token_scales = {{0.011f, 0.023f, 0.009f, 0.031f}};

/* Buffer 6 has the weights as they are, on this side alone. */
static void ternary_product_prepare(struct clbench *b) {
    unsigned char *bytes = make(b, 0, (size_t)(b->size * BYTES));
    signed char *weights = make(b, 6, (size_t)(b->size * COLUMNS)), *tokens = make(b, 2, COLUMNS * TOKENS);
    uint32_t state = 2239;
    for (long i = 0; i < b->size * COLUMNS; i++) {
        weights[i] = (signed char)(random_word(&state) % 3) - 1;
    }
    for (long row = 0; row < b->size; row++) {
        for (long i = 0; i < BYTES; i++) {
            int number = 0;
            for (long k = 0; k < DIGITS; k++) {
                number = number * 3 + weights[row * COLUMNS + i * DIGITS + k] + 1;
            }
            bytes[i * b->size + row] = (unsigned char)((number * 256 + 242) / 243);
        }
    }
    fill_between(make(b, 1, (size_t)b->size * sizeof(float)), b->size, 2243, 0.01f, 0.2f);
    for (long i = 0; i < COLUMNS * TOKENS; i++) {
        tokens[i] = (signed char)(random_word(&state) % 255) - 127;
    }
    make(b, 3, (size_t)b->size * sizeof(cl_float4));
    up(b, 0), up(b, 1), up(b, 2);
}

static void ternary_product_once(struct clbench *b) {
    cl_int rows = (cl_int)b->size, bytes = BYTES;
    struct range range = RANGE1(round_up(rows, 64), 64);
    launch(b, "ternary_product", range, B(0), B(1), V(rows), V(bytes), B(2), V(token_scales), B(3));
}

static int ternary_product_check(struct clbench *b) {
    const signed char *weights = b->buffer[6].host, *tokens = b->buffer[2].host;
    const float *scales = b->buffer[1].host;
    const cl_float4 *got = b->buffer[3].host;
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < b->size * TOKENS; i++) {
        long row = i / TOKENS, token = i % TOKENS, sum = 0;
        for (long k = 0; k < COLUMNS; k++) {
            sum += weights[row * COLUMNS + k] * tokens[k * TOKENS + token];
        }
        ok = near("product", i, (double)got[row].s[token], (double)sum * (double)scales[row] * (double)token_scales.s[token], 1e-5);
    }
    return ok;
}

enum { HIDDEN = 512 };

/* Each row has a few numbers that stick out. */
static void hadamard_rows_prepare(struct clbench *b) {
    float *rows = make(b, 0, (size_t)(b->size * HIDDEN) * sizeof *rows);
    cl_uint *signs = make(b, 1, HIDDEN / 32 * sizeof *signs);
    uint32_t state = 2251;
    fill_between(rows, b->size * HIDDEN, 2267, -1.0f, 1.0f);
    for (long i = 0; i < b->size; i++) {
        rows[i * HIDDEN + 77] += 30.0f, rows[i * HIDDEN + random_word(&state) % HIDDEN] -= 12.0f;
    }
    for (int i = 0; i < HIDDEN / 32; i++) {
        signs[i] = random_word(&state);
    }
    make(b, 2, (size_t)(b->size * HIDDEN / 2)), make(b, 3, (size_t)b->size * sizeof(float));
    up(b, 0), up(b, 1);
}

static void hadamard_rows_once(struct clbench *b) {
    launch(b, "hadamard_rows", RANGE1((size_t)b->size * 128, 128), B(0), B(1), B(2), B(3));
}

/* In place, halves first. */
static void turn(double *row, long count) {
    if (count > 1) {
        for (long i = 0; i < count / 2; i++) {
            double a = row[i], c = row[i + count / 2];
            row[i] = a + c, row[i + count / 2] = a - c;
        }
        turn(row, count / 2), turn(row + count / 2, count / 2);
    }
}

static int hadamard_rows_check(struct clbench *b) {
    const float *rows = b->buffer[0].host, *scales = b->buffer[3].host;
    const cl_uint *signs = b->buffer[1].host;
    const unsigned char *packed = b->buffer[2].host;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long row = 0; ok && row < b->size; row++) {
        double turned[HIDDEN], most = 0.0;
        for (long i = 0; i < HIDDEN; i++) {
            turned[i] = (double)rows[row * HIDDEN + i] * (signs[i / 32] >> i % 32 & 1 ? -1.0 : 1.0);
        }
        turn(turned, HIDDEN);
        for (long i = 0; i < HIDDEN; i++) {
            turned[i] /= sqrt(HIDDEN), most = fmax(most, fabs(turned[i]));
        }
        ok = near("scale", row, (double)scales[row] * 7.0, most, 1e-5);
        for (long i = 0; ok && i < HIDDEN; i++) {
            int number = packed[(row * HIDDEN + i) / 2] >> i % 2 * 4 & 15;
            number -= number > 7 ? 16 : 0;
            ok = same("number is near", row * HIDDEN + i, fabs(turned[i] * 7.0 / most - number) <= 0.5002, 1);
        }
    }
    return ok;
}

enum { CLOUDS = 6, PARTS = 8, FITS = 2 };

struct cloud {
    cl_float4 centre, precision;
    cl_float log_share, unused[3];
};

static void first_clouds(struct cloud *clouds) {
    for (int i = 0; i < CLOUDS; i++) {
        clouds[i] = (struct cloud){.log_share = -1.8f, .precision = {{1.0f, 1.0f, 1.0f, 1.0f}}};
        for (int k = 0; k < 4; k++) {
            clouds[i].centre.s[k] = (float)((i + 1) * (k + 2) % 5) - 2.0f;
        }
    }
}

static void cloud_fit_prepare(struct clbench *b) {
    cl_float4 *points = make(b, 0, (size_t)b->size * sizeof *points);
    uint32_t state = 2269;
    for (long i = 0; i < b->size; i++) {
        long cloud = random_word(&state) % 17 % CLOUDS;
        for (int k = 0; k < 4; k++) {
            float sum = 0.0f;
            for (int n = 0; n < 4; n++) {
                sum += random_unit(&state) - 0.5f;
            }
            points[i].s[k] = (float)((cloud + 1) * (k + 2) % 5) - 1.6f + sum * (0.6f + 0.2f * (float)cloud);
        }
    }
    make(b, 1, CLOUDS * sizeof(struct cloud)), make(b, 2, (size_t)(b->size * CLOUDS) * sizeof(float));
    make(b, 3, (size_t)b->size * sizeof(float)), make(b, 4, CLOUDS * PARTS * 3 * sizeof(cl_float4));
    up(b, 0);
}

static void cloud_fit_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, parts = PARTS;
    first_clouds(b->buffer[1].host);
    up(b, 1);
    for (int i = 0; i < FITS; i++) {
        launch(b, "point_shares", RANGE1(round_up(count, 32), 0), B(0), V(count), B(1), B(2), B(3));
        launch(b, "cloud_sums", RANGE2(PARTS * 64, CLOUDS, 64, 1), B(0), V(count), B(2), B(4));
        launch(b, "fit_clouds", RANGE1(CLOUDS, 0), B(4), V(parts), V(count), B(1));
    }
}

/* For a point: logarithms of shares; gives that of their sum. */
static double log_shares(const cl_float4 *point, const double clouds[CLOUDS][9], double *logs) {
    double most = -1e300, sum = 0.0;
    for (int i = 0; i < CLOUDS; i++) {
        logs[i] = clouds[i][8];
        for (int k = 0; k < 4; k++) {
            double off = (double)point->s[k] - clouds[i][k];
            logs[i] -= 0.5 * off * off * clouds[i][4 + k];
        }
        most = fmax(most, logs[i]);
    }
    for (int i = 0; i < CLOUDS; i++) {
        sum += exp(logs[i] - most);
    }
    return most + log(sum);
}

/* Makes clouds fit better. */
static void fit(const struct clbench *b, double clouds[CLOUDS][9]) {
    const cl_float4 *points = b->buffer[0].host;
    double sums[CLOUDS][9] = {{0.0}}, logs[CLOUDS];
    for (long p = 0; p < b->size; p++) {
        double all = log_shares(&points[p], clouds, logs);
        for (int i = 0; i < CLOUDS; i++) {
            double share = exp(logs[i] - all);
            sums[i][8] += share;
            for (int k = 0; k < 4; k++) {
                double place = (double)points[p].s[k];
                sums[i][k] += share * place, sums[i][4 + k] += share * place * place;
            }
        }
    }
    for (int i = 0; i < CLOUDS; i++) {
        clouds[i][8] = log(sums[i][8] / (double)b->size);
        for (int k = 0; k < 4; k++) {
            clouds[i][k] = sums[i][k] / sums[i][8];
            double variance = fmax(sums[i][4 + k] / sums[i][8] - clouds[i][k] * clouds[i][k], 1e-3);
            clouds[i][4 + k] = 1.0 / variance, clouds[i][8] -= 0.5 * log(variance);
        }
    }
}

static int cloud_fit_check(struct clbench *b) {
    const struct cloud *got = b->buffer[1].host;
    const float *likely = b->buffer[3].host;
    struct cloud first[CLOUDS];
    double clouds[CLOUDS][9], logs[CLOUDS];
    int ok = 1;
    down(b, 1), down(b, 3);
    first_clouds(first);
    for (int i = 0; i < CLOUDS; i++) {
        for (int k = 0; k < 4; k++) {
            clouds[i][k] = (double)first[i].centre.s[k], clouds[i][4 + k] = 1.0;
        }
        clouds[i][8] = (double)first[i].log_share;
    }
    for (int i = 0; ok && i < FITS; i++) {
        for (long p = 0; ok && i + 1 == FITS && p < b->size; p++) {
            ok = near("likely", p, (double)likely[p], log_shares((const cl_float4 *)b->buffer[0].host + p, clouds, logs), 1e-3);
        }
        fit(b, clouds);
    }
    for (int i = 0; ok && i < CLOUDS; i++) {
        for (int k = 0; ok && k < 4; k++) {
            ok = near("centre", i, (double)got[i].centre.s[k], clouds[i][k], 1e-3) &&
                 near("precision", i, (double)got[i].precision.s[k], clouds[i][4 + k], 2e-3);
        }
        ok = ok && near("share", i, (double)got[i].log_share, clouds[i][8], 1e-3);
    }
    return ok;
}

const struct workload round18_models_workloads[] = {
    WORKLOAD(round18_models, beam_step, 301, 32003, 100003, 500009),
    WORKLOAD(round18_models, ternary_product, 99, 5003, 30011, 100003),
    WORKLOAD(round18_models, hadamard_rows, 11, 301, 4001, 40009),
    WORKLOAD(round18_models, cloud_fit, 1009, 30011, 200003, 2000003),
    END_OF_WORKLOADS,
};
