/* Whole numbers and letters. Sizes are records, texts and letters. */
#include "workloads.h"

static void sha256_records_prepare(struct clbench *b) {
    uint32_t state = 331, *in = make(b, 0, (size_t)b->size * 32);
    for (long i = 0; i < 8 * b->size; i++) {
        in[i] = random_word(&state);
    }
    make(b, 1, (size_t)b->size * 32);
    up(b, 0);
}

static void sha256_records_once(struct clbench *b) {
    cl_uint records = (cl_uint)b->size;
    launch(b, "sha256_records", RANGE1(round_up(b->size, 64), 64), V(records), B(0), B(1));
}

/* The first bits of the fractions of roots of primes: the standard's constants, from where they come. */
static void fractions(uint32_t *bits, int count, long double (*root)(long double)) {
    for (int prime = 2, found = 0; found < count; prime++) {
        int divisor = 2;
        while (prime % divisor != 0) {
            divisor++;
        }
        if (divisor == prime) {
            long double value = root((long double)prime);
            bits[found++] = (uint32_t)ldexpl(value - floorl(value), 32);
        }
    }
}

static uint32_t turn(uint32_t x, int by) { return x >> by | x << (32 - by); }

static void digest(const uint32_t *record, const uint32_t *constant, uint32_t *state) {
    uint32_t w[64] = {0}, v[8];
    memcpy(w, record, 32);
    w[8] = 1u << 31, w[15] = 256;
    for (int i = 16; i < 64; i++) {
        uint32_t x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + w[i - 7] + (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
    }
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t a = v[0], e = v[4];
        uint32_t choice = (e & v[5]) ^ (~e & v[6]), majority = (a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]);
        uint32_t t1 = v[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + constant[i] + w[i];
        uint32_t t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority;
        memmove(v + 1, v, 7 * sizeof *v);
        v[0] = t1 + t2;
        v[4] += t1;
    }
    for (int i = 0; i < 8; i++) {
        state[i] += v[i];
    }
}

static int sha256_records_check(struct clbench *b) {
    const uint32_t *in = b->buffer[0].host, *got = b->buffer[1].host;
    uint32_t constant[64], start[8];
    int ok = 1;
    fractions(constant, 64, cbrtl);
    fractions(start, 8, sqrtl);
    down(b, 1);
    for (long record = 0; ok && record < b->size; record++) {
        uint32_t want[8];
        memcpy(want, start, sizeof want);
        digest(in + 8 * record, constant, want);
        for (long i = 0; ok && i < 8; i++) {
            ok = same("word", 8 * record + i, got[8 * record + i], want[i]);
        }
    }
    return ok;
}

enum { ALIGNED_ITEMS = 128 };
static const cl_int query_length = 101, text_length = 290;

/* Texts of four letters, into which parts of the query are put. */
static void smith_waterman_prepare(struct clbench *b) {
    uint32_t state = 332;
    unsigned char *query = make(b, 0, (size_t)query_length);
    unsigned char *texts = make(b, 1, (size_t)(b->size * text_length));
    for (int i = 0; i < query_length; i++) {
        query[i] = (unsigned char)"ACGT"[random_word(&state) >> 30];
    }
    for (long i = 0; i < b->size * text_length; i++) {
        texts[i] = (unsigned char)"ACGT"[random_word(&state) >> 30];
    }
    for (long text = 0; text < b->size; text++) {
        long from = (random_word(&state) >> 8) % 60, length = (random_word(&state) >> 8) % 40;
        memcpy(texts + text * text_length + 2 * from, query + from, (size_t)length);
    }
    make(b, 2, (size_t)b->size * sizeof(cl_int));
    up(b, 0), up(b, 1);
}

static void smith_waterman_once(struct clbench *b) {
    launch(b, "smith_waterman", RANGE1((size_t)b->size * ALIGNED_ITEMS, ALIGNED_ITEMS), V(query_length), V(text_length),
           B(0), B(1), B(2));
}

/* Row by row. */
static int smith_waterman_check(struct clbench *b) {
    const unsigned char *query = b->buffer[0].host, *text = b->buffer[1].host;
    const cl_int *got = b->buffer[2].host;
    int ok = 1;
    down(b, 2);
    for (long t = 0; ok && t < b->size; t++, text += text_length) {
        int row[512] = {0}, best = 0;
        for (int i = 0; i < query_length; i++) {
            for (int j = 0, corner = 0; j < text_length; j++) {
                int straight = corner + (query[i] == text[j] ? 3 : -3), above = row[j + 1] - 2, left = row[j] - 2;
                int score = straight > above ? straight : above;
                score = score > left ? score : left;
                corner = row[j + 1];
                row[j + 1] = score > 0 ? score : 0;
                best = best > score ? best : score;
            }
        }
        ok = same("best score", t, got[t], best);
    }
    return ok;
}

enum { PATTERNS = 6, COUNT_ITEMS = 128 };
static const char *const patterns[PATTERNS] = {"tata", "gattaca", "acac", "ggg", "cattag", "tttttt"};

static void pattern_count_prepare(struct clbench *b) {
    uint32_t state = 333;
    char *text = make(b, 0, (size_t)b->size), *letters = make(b, 1, 64);
    cl_uint *start = make(b, 2, (PATTERNS + 1) * sizeof *start);
    for (long i = 0; i < b->size; i++) {
        text[i] = "acgt"[random_word(&state) >> 30];
    }
    for (int p = 0; p < PATTERNS; p++) {
        start[p + 1] = start[p] + (cl_uint)strlen(patterns[p]);
        strcpy(letters + start[p], patterns[p]);
    }
    make(b, 3, PATTERNS * sizeof(cl_uint));
    up(b, 0), up(b, 1), up(b, 2);
}

/* An item tries about eight places, as far apart as there are items. */
static void pattern_count_once(struct clbench *b) {
    cl_uint length = (cl_uint)b->size;
    memset(b->buffer[3].host, 0, b->buffer[3].bytes);
    up(b, 3);
    launch(b, "pattern_count", RANGE1(round_up(b->size / 8 + 1, COUNT_ITEMS), COUNT_ITEMS), V(length), B(0), B(1), B(2),
           B(3));
}

static int pattern_count_check(struct clbench *b) {
    const char *text = b->buffer[0].host;
    const cl_uint *got = b->buffer[3].host;
    int ok = 1;
    down(b, 3);
    for (int p = 0; ok && p < PATTERNS; p++) {
        long length = (long)strlen(patterns[p]), found = 0;
        for (long at = 0; at + length <= b->size; at++) {
            found += memcmp(text + at, patterns[p], (size_t)length) == 0;
        }
        ok = same(patterns[p], p, got[p], found);
    }
    return ok;
}

const struct workload round3_words_workloads[] = {
    WORKLOAD(round3_words, sha256_records, 101, 10007, 80021, 400009),
    WORKLOAD(round3_words, smith_waterman, 5, 53, 401, 1601),
    WORKLOAD(round3_words, pattern_count, 5003, 200003, 1000003, 6000011),
    END_OF_WORKLOADS,
};
