/* Words. Sizes are rows, pairs of blocks, values. */
#include "workloads.h"

enum { COLUMNS = 28, LEAST_COLUMNS = 2, PARTS = 64 };

static const cl_ulong seed_of_rows = 0x1234567890abcdefu;

static void xxhash_columns_prepare(struct clbench *b) {
    cl_ulong *columns = make(b, 0, (size_t)b->size * COLUMNS * sizeof *columns);
    unsigned char *widths = make(b, 1, (size_t)b->size);
    cl_uint *keys = make(b, 2, (size_t)b->size * sizeof *keys);
    uint32_t state = 4111;
    for (long i = 0; i < b->size * COLUMNS; i++) {
        uint32_t word = random_word(&state);
        columns[i] = (cl_ulong)word << 32 | mixed_word(word);
    }
    for (long i = 0; i < b->size; i++) {
        keys[i] = random_word(&state);
        widths[i] = (unsigned char)(i % 4 == 3 ? LEAST_COLUMNS + keys[i] % (COLUMNS - LEAST_COLUMNS + 1) : COLUMNS - 3);
    }
    make(b, 3, (size_t)b->size * sizeof(cl_ulong)), make(b, 4, PARTS * sizeof(cl_uint));
    up(b, 0), up(b, 1), up(b, 2);
}

static void xxhash_columns_once(struct clbench *b) {
    cl_int rows = (cl_int)b->size;
    launch(b, "no_rows", RANGE1(PARTS, PARTS), B(4));
    launch(b, "xxhash_columns", RANGE1(round_up(rows, 128), 128), B(0), B(1), B(2), V(rows), V(seed_of_rows), B(3), B(4));
}

static const cl_ulong primes[5] = {0x9e3779b185ebca87u, 0xc2b2ae3d27d4eb4fu, 0x165667b19e3779f9u, 0x85ebca77c2b2ae63u, 0x27d4eb2f165667c5u};

static cl_ulong turned(cl_ulong word, int bits) { return word << bits | word >> (64 - bits); }

static cl_ulong word_at(const unsigned char *bytes, int count) {
    cl_ulong word = 0;
    for (int i = count - 1; i >= 0; i--) {
        word = word << 8 | bytes[i];
    }
    return word;
}

static cl_ulong round_of(cl_ulong sum, cl_ulong word) { return turned(sum + word * primes[1], 31) * primes[0]; }

/* XXH64 of any bytes. */
static cl_ulong hash_of(const unsigned char *bytes, long length, cl_ulong seed) {
    cl_ulong sums[4] = {seed + primes[0] + primes[1], seed + primes[1], seed, seed - primes[0]}, hash = seed + primes[4];
    long at = 0;
    for (; at + 32 <= length; at += 32) {
        for (int i = 0; i < 4; i++) {
            sums[i] = round_of(sums[i], word_at(bytes + at + 8 * i, 8));
        }
    }
    if (at > 0) {
        hash = turned(sums[0], 1) + turned(sums[1], 7) + turned(sums[2], 12) + turned(sums[3], 18);
        for (int i = 0; i < 4; i++) {
            hash = (hash ^ round_of(0, sums[i])) * primes[0] + primes[3];
        }
    }
    hash += (cl_ulong)length;
    for (; at + 8 <= length; at += 8) {
        hash = turned(hash ^ round_of(0, word_at(bytes + at, 8)), 27) * primes[0] + primes[3];
    }
    for (; at + 4 <= length; at += 4) {
        hash = turned(hash ^ word_at(bytes + at, 4) * primes[0], 23) * primes[1] + primes[2];
    }
    for (; at < length; at++) {
        hash = turned(hash ^ bytes[at] * primes[4], 11) * primes[0];
    }
    hash = (hash ^ hash >> 33) * primes[1], hash = (hash ^ hash >> 29) * primes[2];
    return hash ^ hash >> 32;
}

/* The hash of no bytes, and of one, was published. */
static int xxhash_columns_check(struct clbench *b) {
    const cl_ulong *columns = b->buffer[0].host, *got = b->buffer[3].host;
    const unsigned char *widths = b->buffer[1].host;
    const cl_uint *keys = b->buffer[2].host, *counts = b->buffer[4].host;
    long wanted[PARTS] = {0};
    int ok = hash_of(NULL, 0, 0) == 0xef46db3751d8e999u && hash_of((const unsigned char *)"a", 1, 0) == 0xd24ec4f1a98c6e5bu;
    down(b, 3), down(b, 4);
    for (long i = 0; ok && i < b->size; i++) {
        unsigned char bytes[COLUMNS * 8 + 4];
        for (long k = 0; k < widths[i] * 8; k++) {
            bytes[k] = (unsigned char)(columns[k / 8 * b->size + i] >> k % 8 * 8);
        }
        for (int k = 0; k < 4; k++) {
            bytes[widths[i] * 8 + k] = (unsigned char)(keys[i] >> k * 8);
        }
        cl_ulong want = hash_of(bytes, widths[i] * 8 + 4, seed_of_rows);
        ok = same("hash", i, (long)got[i], (long)want), wanted[want >> 58]++;
    }
    for (int i = 0; ok && i < PARTS; i++) {
        ok = same("rows of a part", i, counts[i], wanted[i]);
    }
    return ok;
}

enum { TURNS = 256, BLOCK = 32 };

static const cl_uint seed_of_blocks = 4127;

static void scrypt_mix_prepare(struct clbench *b) {
    make(b, 0, (size_t)b->size * BLOCK * sizeof(cl_uint)), make(b, 1, (size_t)b->size * TURNS * BLOCK * sizeof(cl_uint));
}

static void scrypt_mix_once(struct clbench *b) {
    cl_int items = (cl_int)b->size, turns = TURNS;
    launch(b, "first_blocks", RANGE1((size_t)b->size * BLOCK, 32), B(0), V(seed_of_blocks));
    launch(b, "scrypt_mix", RANGE1(round_up(items, 16), 16), B(0), V(items), V(turns), B(1));
}

static uint32_t left_by(uint32_t word, int bits) { return word << bits | word >> (32 - bits); }

/* Salsa20 with eight rounds, word by word. */
static void salsa_words(uint32_t words[16]) {
    static const int turns[4] = {7, 9, 13, 18};
    uint32_t x[16];
    memcpy(x, words, sizeof x);
    for (int round = 0; round < 8; round++) {
        for (int line = 0; line < 4; line++) {
            for (int i = 1; i <= 4; i++) {
                int place[3];
                for (int k = 0; k < 3; k++) {
                    int along = (line + i - k + 4) % 4;
                    place[k] = round % 2 == 0 ? along * 4 + line : line * 4 + along;
                }
                x[place[0]] ^= left_by(x[place[1]] + x[place[2]], turns[i - 1]);
            }
        }
    }
    for (int i = 0; i < 16; i++) {
        words[i] += x[i];
    }
}

static void mix_pair(uint32_t pair[BLOCK]) {
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < 16; i++) {
            pair[half * 16 + i] ^= pair[(1 - half) * 16 + i];
        }
        salsa_words(pair + half * 16);
    }
}

/* Of many pairs not all are looked at. First the example that RFC 7914 has for Salsa20/8. */
static int scrypt_mix_check(struct clbench *b) {
    const cl_uint *got = b->buffer[0].host;
    uint32_t example[16] = {0x219a877e, 0x86c93e4f, 0xe640a97c, 0x268f7141, 0x5b55eeba, 0xb5c1618c, 0x1146f80d, 0x1d3bcd6d,
                            0x19f324ee, 0x853d9bdf, 0x4b1e1214, 0x32aac55a, 0x291d0276, 0x2948c709, 0x8dc6ebed, 0x5ec2b8b8};
    uint32_t(*memory)[BLOCK] = malloc(TURNS * sizeof *memory), now[BLOCK];
    salsa_words(example);
    int ok = same("example", 0, example[0], 0x9c851fa4) && same("example", 15, example[15], 0x818f61c7);
    down(b, 0);
    for (long i = 0; ok && i < b->size; i += b->size / 307 + 1) {
        for (uint32_t k = 0; k < BLOCK; k++) {
            uint32_t word = (((uint32_t)i * BLOCK + k) ^ seed_of_blocks) * 0x9e3779b1u;
            word = (word ^ word >> 15) * 0x846ca68bu, now[k] = word ^ word >> 16;
        }
        for (int turn = 0; turn < TURNS; turn++) {
            memcpy(memory[turn], now, sizeof now), mix_pair(now);
        }
        for (int turn = 0; turn < TURNS; turn++) {
            const uint32_t *other = memory[now[16] % TURNS];
            for (int k = 0; k < BLOCK; k++) {
                now[k] ^= other[k];
            }
            mix_pair(now);
        }
        for (int k = 0; ok && k < BLOCK; k++) {
            ok = same("word", i * BLOCK + k, got[i * BLOCK + k], now[k]);
        }
    }
    free(memory);
    return ok;
}

enum { RUNS_GROUP = 256, EACH = 4, KINDS = 16 };

static long group_count(const struct clbench *b) { return (long)(round_up(b->size, RUNS_GROUP * EACH) / (RUNS_GROUP * EACH)); }

/* Most runs are short, some have thousands of values. */
static void run_lengths_prepare(struct clbench *b) {
    cl_ushort *values = make(b, 0, (size_t)b->size * sizeof *values);
    uint32_t state = 4129;
    for (long i = 0, left = 0; i < b->size; i++, left--) {
        if (left == 0) {
            uint32_t word = random_word(&state);
            left = word % 64 == 0 ? word >> 8 & 4095 : word >> 8 & 7, left++;
            values[i] = (cl_ushort)(word >> 20 & 255);
        } else {
            values[i] = values[i - 1];
        }
    }
    make(b, 1, (size_t)group_count(b) * sizeof(cl_int)), make(b, 2, sizeof(cl_int)), make(b, 3, KINDS * sizeof(cl_uint));
    make(b, 4, (size_t)b->size * sizeof(cl_int)), make(b, 5, (size_t)b->size * sizeof(cl_uint));
    up(b, 0);
}

static void run_lengths_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, groups = (cl_int)group_count(b);
    struct range items = RANGE1((size_t)groups * RUNS_GROUP, RUNS_GROUP);
    launch(b, "count_runs", items, B(0), V(count), B(1));
    launch(b, "scan_runs", RANGE1(RUNS_GROUP, RUNS_GROUP), B(1), V(groups), B(2), B(3));
    launch(b, "run_starts", items, B(0), V(count), B(1), B(4));
    launch(b, "run_lengths", RANGE1((size_t)b->size, 0), B(0), V(count), B(4), B(2), B(5), B(3));
}

static int run_lengths_check(struct clbench *b) {
    const cl_ushort *values = b->buffer[0].host;
    const cl_int *all = b->buffer[2].host;
    const cl_uint *longest = b->buffer[3].host, *got = b->buffer[5].host;
    long runs = 0, wanted[KINDS] = {0};
    int ok = 1;
    down(b, 2), down(b, 3), down(b, 5);
    for (long i = 0, end; ok && i < b->size; i = end) {
        for (end = i + 1; end < b->size && values[end] == values[i];) {
            end++;
        }
        long length = end - i < 65535 ? end - i : 65535;
        ok = same("run", runs, got[runs], values[i] * 65536L + length), runs++;
        wanted[values[i] % KINDS] = length > wanted[values[i] % KINDS] ? length : wanted[values[i] % KINDS];
    }
    ok = ok && same("runs", 0, *all, runs);
    for (int i = 0; ok && i < KINDS; i++) {
        ok = same("longest", i, longest[i], wanted[i]);
    }
    return ok;
}

const struct workload round24_words_workloads[] = {
    WORKLOAD(round24_words, xxhash_columns, 301, 300007, 1000003, 2000003),
    WORKLOAD(round24_words, scrypt_mix, 17, 403, 2003, 8009),
    WORKLOAD(round24_words, run_lengths, 3001, 2000003, 8000009, 30000001),
    END_OF_WORKLOADS,
};
