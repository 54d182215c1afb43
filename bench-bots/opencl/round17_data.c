/* Data. Sizes are cities, chunks, fields, documents. */
#include "workloads.h"

enum { TOURISTS = 64, TOUR_GROUPS = 40 };

/* A tour along a circle whose cities lie beside it; the best shortcut undoes a part that goes the wrong way. */
static void two_opt_prepare(struct clbench *b) {
    cl_float2 *cities = make(b, 0, (size_t)b->size * sizeof *cities);
    uint32_t state = 2011;
    for (long i = 0; i < b->size; i++) {
        long at = i > b->size / 5 && i < b->size / 2 ? b->size / 5 + b->size / 2 - i : i;
        double angle = 6.283185307 * (double)at / (double)b->size;
        double off = 300.0 + 40.0 * (double)random_unit(&state);
        cities[i] = (cl_float2){{(float)(500.0 + off * cos(angle)), (float)(500.0 + off * sin(angle))}};
    }
    make(b, 1, (size_t)b->size * sizeof(float));
    make(b, 2, TOUR_GROUPS * sizeof(float)), make(b, 3, TOUR_GROUPS * sizeof(cl_int));
    up(b, 0);
}

static void two_opt_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    launch(b, "tour_steps", RANGE1(round_up(count, 16), 0), B(0), V(count), B(1));
    launch(b, "two_opt", RANGE1(TOUR_GROUPS * TOURISTS, TOURISTS), B(0), V(count), B(1), B(2), B(3));
}

static double apart(const cl_float2 *cities, long i, long j) {
    return hypot((double)cities[i].s[0] - (double)cities[j].s[0], (double)cities[i].s[1] - (double)cities[j].s[1]);
}

static int two_opt_check(struct clbench *b) {
    const cl_float2 *cities = b->buffer[0].host;
    const float *gains = b->buffer[2].host;
    const cl_int *moves = b->buffer[3].host;
    long all = b->size * (b->size - 1) / 2, move = 0;
    double *wanted = calloc((size_t)all, sizeof *wanted), best[TOUR_GROUPS], most = 0.0;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (int i = 0; i < TOUR_GROUPS; i++) {
        best[i] = -1.0;
    }
    for (long j = 1; j < b->size; j++) {
        for (long i = 0; i < j; i++, move++) {
            long after = (j + 1) % b->size, group = move / TOURISTS % TOUR_GROUPS;
            wanted[move] = apart(cities, i, i + 1) + apart(cities, j, after) - apart(cities, i, j) - apart(cities, i + 1, after);
            best[group] = fmax(best[group], wanted[move]);
        }
    }
    for (long i = 0; ok && i < TOUR_GROUPS; i++) {
        long told = moves[i];
        int is_known = told >= 0 && told < all && told / TOURISTS % TOUR_GROUPS == i;
        ok = (best[i] < 0.0 && told == INT32_MAX) ||
             (same("group looks at move", i, is_known, 1) && near("gain", i, gains[i], best[i], 2e-3) &&
              near("gain of the move", i, wanted[told], best[i], 2e-3));
        most = fmax(most, best[i]);
    }
    free(wanted);
    return ok && same("a shortcut gains much", 0, most > 100.0, 1);
}

enum { SYMBOLS = 200, SLOTS = 4096, CHUNK = 501, MOST_BYTES = 1100 };

/* The shares of symbols, some frequent and some rare, that fill all slots. */
static void share_slots(cl_ushort2 *shares, unsigned char *symbols) {
    unsigned begin = 0;
    for (unsigned i = 0; i < SYMBOLS; i++) {
        unsigned size = i + 1 == SYMBOLS ? SLOTS - begin : 1 + 700 / (1 + i * i / 3) + i % 7;
        shares[i] = (cl_ushort2){{(cl_ushort)begin, (cl_ushort)size}};
        memset(symbols + begin, (int)i, size);
        begin += size;
    }
}

/* A chunk from its last symbol to its first; bytes go before those that are there. Gives the first one. */
static unsigned char *encode_chunk(const unsigned char *chunk, const cl_ushort2 *shares, unsigned char *end) {
    uint32_t states[2] = {1u << 23, 1u << 23};
    for (int i = CHUNK - 1; i >= 0; i--) {
        uint32_t *state = &states[i % 2], begin = shares[chunk[i]].s[0], size = shares[chunk[i]].s[1];
        while (*state >= size << 19) {
            *--end = (unsigned char)*state, *state >>= 8;
        }
        *state = (*state / size << 12) + *state % size + begin;
    }
    for (int i = 7; i >= 0; i--) {
        *--end = (unsigned char)(states[i / 4] >> i % 4 * 8);
    }
    return end;
}

/* Buffer 6 has the symbols, on this side alone. */
static void rans_streams_prepare(struct clbench *b) {
    long count = b->size * CHUNK, bytes = 0;
    unsigned char *symbols = make(b, 2, SLOTS), *stream = make(b, 0, (size_t)(b->size * MOST_BYTES));
    unsigned char *plain = make(b, 6, (size_t)count), room[MOST_BYTES];
    cl_ushort2 *shares = make(b, 3, SYMBOLS * sizeof *shares);
    cl_int *starts = make(b, 1, (size_t)b->size * sizeof *starts);
    uint32_t state = 2017;
    share_slots(shares, symbols);
    for (long i = 0; i < count; i++) {
        plain[i] = i / CHUNK % 8 == 3 ? (unsigned char)(random_word(&state) % SYMBOLS) : symbols[random_word(&state) % SLOTS];
    }
    for (long i = 0; i < b->size; i++) {
        unsigned char *first = encode_chunk(plain + i * CHUNK, shares, room + MOST_BYTES);
        starts[i] = (cl_int)bytes;
        memcpy(stream + bytes, first, (size_t)(room + MOST_BYTES - first));
        bytes += room + MOST_BYTES - first;
    }
    make(b, 4, (size_t)count);
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void rans_streams_once(struct clbench *b) {
    cl_int chunks = (cl_int)b->size, length = CHUNK;
    launch(b, "rans_streams", RANGE1(round_up(chunks, 16), 0), B(0), B(1), V(chunks), V(length), B(2), B(3), B(4));
}

static int rans_streams_check(struct clbench *b) {
    const unsigned char *got = b->buffer[4].host, *plain = b->buffer[6].host;
    int ok = 1;
    down(b, 4);
    for (long i = 0; ok && i < b->size * CHUNK; i++) {
        ok = same("symbol", i, got[i], plain[i]);
    }
    return ok;
}

enum { LONGEST_FIELD = 32 };

/* A field: whole numbers, prices, measures with exponents, and now and then something else. Gives its length. */
static int write_field(char *text, uint32_t *state, unsigned char *is_flawed) {
    static const char *const flawed[8] = {"", "-", "12..5", "1e", "NaN", "0x1f", "7 7", "1234567890123456"};
    uint32_t kind = random_word(state) % 50, number = random_word(state);
    int negative = random_word(state) % 3 == 0;
    *is_flawed = kind == 0;
    if (kind == 0) {
        return sprintf(text, "%s", flawed[number % 8]);
    }
    if (kind < 20) {
        return sprintf(text, "%s%u", negative ? "-" : kind < 4 ? " +" : "", number >> (number & 31));
    }
    if (kind < 40) {
        return sprintf(text, "%*s%u.%02u", (int)(number % 4), negative ? "-" : "", number >> 13, number % 100);
    }
    return sprintf(text, "%s%u.%0*uE%d", negative ? "-" : "", number % 10, (int)(1 + kind % 9), number >> 18 & 7u,
                   (int)(number >> 4) % 10 - 4);
}

/* Buffer 6 has which fields are flawed, on this side alone. */
static void decimal_fields_prepare(struct clbench *b) {
    unsigned char *is_flawed = make(b, 6, (size_t)b->size);
    char *text = make(b, 0, (size_t)(b->size * LONGEST_FIELD));
    cl_int *ends = make(b, 1, (size_t)b->size * sizeof *ends), length = 0;
    uint32_t state = 2027;
    for (long i = 0; i < b->size; i++) {
        length += write_field(text + length, &state, is_flawed + i);
        ends[i] = length;
    }
    make(b, 2, (size_t)b->size * sizeof(double)), make(b, 3, (size_t)b->size), make(b, 4, sizeof(cl_int));
    up(b, 0), up(b, 1);
}

static void decimal_fields_once(struct clbench *b) {
    cl_int fields = (cl_int)b->size;
    launch(b, "none_flawed", RANGE1(1, 1), B(4));
    launch(b, "decimal_fields", RANGE1(round_up(fields, 100), 100), B(0), B(1), V(fields), B(2), B(3), B(4));
}

static int decimal_fields_check(struct clbench *b) {
    const char *text = b->buffer[0].host;
    const cl_int *ends = b->buffer[1].host, *flawed = b->buffer[4].host;
    const double *values = b->buffer[2].host;
    const unsigned char *marks = b->buffer[3].host, *is_flawed = b->buffer[6].host;
    long count = 0;
    int ok = 1;
    down(b, 2), down(b, 3), down(b, 4);
    for (long i = 0; ok && i < b->size; i++) {
        char field[LONGEST_FIELD + 1] = {0};
        long begin = i == 0 ? 0 : ends[i - 1];
        memcpy(field, text + begin, (size_t)(ends[i] - begin));
        double wanted = is_flawed[i] ? 0.0 : strtod(field, NULL);
        ok = same("mark", i, marks[i], is_flawed[i]) && same("value is exact", i, values[i] == wanted, 1);
        count += is_flawed[i];
    }
    return ok && same("flawed", 0, flawed[0], count) && same("some are flawed", 0, count > b->size / 200, 1);
}

enum { HASHES = 64, BAND = 4, BUCKETS = 1009, MOST_WORDS = 120 };

/* Documents of which every third one is like that before it. */
static void minhash_sets_prepare(struct clbench *b) {
    cl_uint *words = make(b, 0, (size_t)(b->size * MOST_WORDS) * sizeof *words);
    cl_int *starts = make(b, 1, (size_t)(b->size + 1) * sizeof *starts);
    cl_uint2 *functions = make(b, 2, HASHES * sizeof *functions);
    uint32_t state = 2029;
    for (long i = 0; i < b->size; i++) {
        cl_int length = i % 3 == 2 ? starts[i] - starts[i - 1] : (cl_int)(8 + random_word(&state) % (MOST_WORDS - 8));
        for (cl_int k = starts[i]; k < starts[i] + length; k++) {
            words[k] = i % 3 == 2 && random_word(&state) % 20 > 0 ? words[k - length] : random_word(&state);
        }
        starts[i + 1] = starts[i] + length;
    }
    for (int i = 0; i < HASHES; i++) {
        functions[i] = (cl_uint2){{random_word(&state) | 1u, random_word(&state)}};
    }
    make(b, 3, (size_t)(b->size * HASHES) * sizeof(cl_uint));
    make(b, 4, (size_t)(b->size * HASHES / BAND) * sizeof(cl_uint)), make(b, 5, HASHES / BAND * BUCKETS * sizeof(cl_int));
    up(b, 0), up(b, 1), up(b, 2);
}

static void minhash_sets_once(struct clbench *b) {
    cl_int documents = (cl_int)b->size, buckets = BUCKETS;
    launch(b, "empty_buckets", RANGE1(HASHES / BAND * BUCKETS, 0), B(5));
    launch(b, "minhash_sets", RANGE2(HASHES, round_up(documents, 4), 32, 4), B(0), B(1), V(documents), B(2), B(3));
    launch(b, "fill_buckets", RANGE1(round_up(documents * (HASHES / BAND), 64), 64), B(3), V(documents), V(buckets), B(4), B(5));
}

static int minhash_sets_check(struct clbench *b) {
    const cl_uint *words = b->buffer[0].host, *least = b->buffer[3].host, *keys = b->buffer[4].host;
    const cl_int *starts = b->buffer[1].host, *buckets = b->buffer[5].host;
    const cl_uint2 *functions = b->buffer[2].host;
    long counts[HASHES / BAND * BUCKETS] = {0}, alike = 0;
    int ok = 1;
    down(b, 3), down(b, 4), down(b, 5);
    for (long i = 0; ok && i < b->size * HASHES; i++) {
        long document = i / HASHES, hash = i % HASHES;
        cl_uint smallest = UINT32_MAX;
        for (long k = starts[document]; k < starts[document + 1]; k++) {
            cl_uint value = functions[hash].s[0] * words[k] + functions[hash].s[1];
            value ^= value >> 15;
            smallest = value < smallest ? value : smallest;
        }
        ok = same("least", i, least[i], smallest);
        alike += document % 3 == 2 && smallest == least[i - HASHES];
        if (ok && hash % BAND == BAND - 1) {
            cl_uint key = 2166136261u;
            for (int k = BAND - 1; k >= 0; k--) {
                key = (key ^ least[i - k]) * 16777619u;
            }
            ok = same("key", i / BAND, keys[i / BAND], key);
            counts[hash / BAND * BUCKETS + (key >> 7) % BUCKETS]++;
        }
    }
    for (long i = 0; ok && i < HASHES / BAND * BUCKETS; i++) {
        ok = same("bucket", i, buckets[i], counts[i]);
    }
    return ok && same("some are alike", 0, alike > b->size / 3 * HASHES / 2, 1);
}

const struct workload round17_data_workloads[] = {
    WORKLOAD(round17_data, two_opt, 101, 1003, 3001, 8009),
    WORKLOAD(round17_data, rans_streams, 21, 401, 3001, 30011),
    WORKLOAD(round17_data, decimal_fields, 1009, 30011, 300007, 3000017),
    WORKLOAD(round17_data, minhash_sets, 50, 1003, 20011, 100003),
    END_OF_WORKLOADS,
};
