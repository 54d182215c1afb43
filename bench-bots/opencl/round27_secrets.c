/* Secrets. Sizes are packets, items with 32 blocks each, streams. */
#include "workloads.h"

enum { TAG = 16, LONGEST = 1460, TAG_GROUP = 64 };

static void poly1305_tags_prepare(struct clbench *b) {
    cl_uint *starts = make(b, 1, (size_t)(b->size + 1) * sizeof *starts), *keys;
    uint32_t state = 4441;
    for (long i = 0; i < b->size; i++) {
        uint32_t kind = random_word(&state) % 4, length = random_word(&state) % (LONGEST + 1);
        starts[i + 1] = starts[i] + (kind == 0 ? LONGEST : kind == 1 ? length % 64 : length);
    }
    unsigned char *bytes = make(b, 0, starts[b->size] + 1);
    for (long i = 0; i < (long)starts[b->size]; i++) {
        bytes[i] = (unsigned char)random_word(&state);
    }
    keys = make(b, 2, (size_t)b->size * sizeof(cl_uint8));
    for (long i = 0; i < b->size * 8; i++) {
        keys[i] = random_word(&state);
    }
    make(b, 3, (size_t)b->size * sizeof(cl_uint4));
    up(b, 0), up(b, 1), up(b, 2);
}

static void poly1305_tags_once(struct clbench *b) {
    cl_int packets = (cl_int)b->size;
    launch(b, "poly1305_tags", RANGE1(round_up(packets, TAG_GROUP), TAG_GROUP), B(0), B(1), B(2),
           V(packets), B(3));
}

/* Adds a number of 17 bytes to another one. */
static void add_bytes(unsigned sum[TAG + 1], const unsigned more[TAG + 1]) {
    for (unsigned i = 0, carry = 0; i <= TAG; i++) {
        carry += sum[i] + more[i], sum[i] = carry & 255, carry >>= 8;
    }
}

/* Multiplies by `r` and takes what is above 130 bits five times. */
static void multiply_bytes(unsigned sum[TAG + 1], const unsigned r[TAG + 1]) {
    unsigned product[TAG + 1], carry = 0;
    for (int i = 0; i <= TAG; i++) {
        product[i] = 0;
        for (int k = 0; k <= TAG; k++) {
            product[i] += sum[k] * (k <= i ? r[i - k] : 320 * r[i + TAG + 1 - k]);
        }
    }
    for (int i = 0; i < TAG; i++) {
        carry += product[i], sum[i] = carry & 255, carry >>= 8;
    }
    carry += product[TAG], sum[TAG] = carry & 3, carry = 5 * (carry >> 2);
    for (int i = 0; i < TAG; i++) {
        carry += sum[i], sum[i] = carry & 255, carry >>= 8;
    }
    sum[TAG] += carry;
}

/* The tag, a byte at a time. */
static void tag_of(const unsigned char *bytes, long length, const unsigned char key[32],
                   unsigned sum[TAG + 1]) {
    static const unsigned less[TAG + 1] = {5, [TAG] = 252};
    unsigned r[TAG + 1] = {0}, block[TAG + 1], kept[TAG + 1];
    memset(sum, 0, (TAG + 1) * sizeof *sum);
    for (unsigned i = 0; i < TAG; i++) {
        r[i] = key[i] & (i % 4 == 3 ? 15u : i % 4 == 0 && i > 0 ? 252u : 255u);
    }
    for (long at = 0; at < length; at += TAG) {
        for (int i = 0; i <= TAG; i++) {
            int is_end = i == TAG || at + i == length;
            block[i] = at + i < length && i < TAG ? bytes[at + i]
                : is_end && (i < TAG || at + i <= length);
        }
        add_bytes(sum, block), multiply_bytes(sum, r);
    }
    memcpy(kept, sum, sizeof kept), add_bytes(sum, less);
    if (sum[TAG] & 128) {
        memcpy(sum, kept, sizeof kept);
    }
    for (int i = 0; i <= TAG; i++) {
        block[i] = i < TAG ? key[TAG + i] : 0;
    }
    add_bytes(sum, block);
}

static int poly1305_tags_check(struct clbench *b) {
    const unsigned char *bytes = b->buffer[0].host, *keys = b->buffer[2].host;
    const unsigned char *got = b->buffer[3].host;
    const cl_uint *starts = b->buffer[1].host;
    unsigned want[TAG + 1];
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < b->size; i++) {
        tag_of(bytes + starts[i], (long)(starts[i + 1] - starts[i]), keys + 32 * i, want);
        for (int k = 0; ok && k < TAG; k++) {
            ok = same("tag", TAG * i + k, got[TAG * i + k], want[k]);
        }
    }
    return ok;
}

enum { ROUNDS = 31, LANES = 32, CHECKED = 7 };

static const uint64_t nonce = 0x5eed0f32b10c0000;
static const unsigned char table[16] = {12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2};

/* Keys of the rounds, from one of 80 bits of which `low` has the lowest 16. */
static void fill_round_keys(cl_ulong keys[ROUNDS + 1], uint64_t high, uint64_t low) {
    for (uint64_t round = 1; round <= ROUNDS + 1; round++) {
        keys[round - 1] = high;
        uint64_t top = high << 61 | low << 45 | high >> 19, bottom = high >> 3 & 0xffff;
        high = (top & ~(UINT64_C(15) << 60)) | (uint64_t)table[top >> 60] << 60;
        high ^= round >> 1, low = bottom ^ (round & 1) << 15;
    }
}

static void present_slices_prepare(struct clbench *b) {
    fill_round_keys(make(b, 0, (ROUNDS + 1) * sizeof(cl_ulong)), 0x0123456789abcdef, 0xfedc);
    cl_ulong *plain = make(b, 1, (size_t)b->size * LANES * sizeof *plain);
    for (long i = 0; i < b->size * LANES; i++) {
        plain[i] = (uint64_t)mixed_word((uint32_t)(2 * i + 4447)) << 32 |
            mixed_word((uint32_t)(2 * i + 4448));
    }
    make(b, 2, (size_t)b->size * LANES * sizeof(cl_ulong));
    up(b, 0), up(b, 1);
}

static void present_slices_once(struct clbench *b) {
    launch(b, "present_slices", RANGE1((size_t)b->size, 0), B(0), V(nonce), B(1), B(2));
}

/* A block as the cipher is defined. */
static uint64_t encrypted(uint64_t block, const cl_ulong keys[ROUNDS + 1]) {
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t mixed = block ^ keys[round], next = 0;
        for (int i = 0; i < 64; i++) {
            uint64_t bit = (uint64_t)(table[mixed >> (i / 4 * 4) & 15] >> i % 4 & 1);
            next |= bit << (i == 63 ? 63 : i * 16 % 63);
        }
        block = next;
    }
    return block ^ keys[ROUNDS];
}

/* What its authors say that zeros become, and some of the blocks. */
static int present_slices_check(struct clbench *b) {
    const cl_ulong *keys = b->buffer[0].host, *plain = b->buffer[1].host, *got = b->buffer[2].host;
    cl_ulong zero_keys[ROUNDS + 1];
    fill_round_keys(zero_keys, 0, 0), down(b, 2);
    int ok = same("known block", 0, encrypted(0, zero_keys) == 0x5579c1387b228445, 1);
    for (long i = 0; ok && i < b->size * LANES; i += CHECKED) {
        uint64_t want = plain[i] ^ encrypted(nonce + (uint64_t)i, keys);
        ok = same("high half", i, (long)(got[i] >> 32), (long)(want >> 32)) &&
             same("low half", i, (long)(got[i] & UINT32_MAX), (long)(want & UINT32_MAX));
    }
    return ok;
}

enum { WORDS = 624, AHEAD = 397, TURNS = 20, TWISTERS = 128 };

/* How the generator's authors make a stream of a seed. */
static void seed_stream(uint32_t *words, uint32_t seed) {
    words[0] = seed;
    for (uint32_t i = 1; i < WORDS; i++) {
        words[i] = 1812433253u * (words[i - 1] ^ words[i - 1] >> 30) + i;
    }
}

static void twister_normals_prepare(struct clbench *b) {
    cl_uint *states = make(b, 0, (size_t)b->size * WORDS * sizeof *states);
    for (long i = 0; i < b->size; i++) {
        seed_stream(states + i * WORDS, 5489u + (uint32_t)i);
    }
    make(b, 1, (size_t)b->size * TURNS * WORDS / 2 * sizeof(cl_float2));
    up(b, 0);
}

static void twister_normals_once(struct clbench *b) {
    cl_int turns = TURNS;
    launch(b, "twister_normals", RANGE1((size_t)b->size * TWISTERS, TWISTERS), B(0), V(turns),
           B(1));
}

/* A turn in place, word after word. */
static void turn_stream(uint32_t *words) {
    for (int i = 0; i < WORDS; i++) {
        uint32_t both = (words[i] & 0x80000000u) | (words[(i + 1) % WORDS] & 0x7fffffffu);
        words[i] = words[(i + AHEAD) % WORDS] ^ both >> 1 ^ (both & 1 ? 0x9908b0dfu : 0);
    }
}

static uint32_t next_word(const uint32_t *words, int i) {
    uint32_t word = words[i];
    word ^= word >> 11, word ^= word << 7 & 0x9d2c5680u, word ^= word << 15 & 0xefc60000u;
    return word ^ word >> 18;
}

/* The first number that a stream of the usual seed gives is known. */
static int twister_normals_check(struct clbench *b) {
    const cl_float2 *got = b->buffer[1].host;
    uint32_t words[WORDS];
    int ok = 1;
    down(b, 1);
    for (long stream = 0; ok && stream < b->size; stream++) {
        seed_stream(words, 5489u + (uint32_t)stream);
        for (long turn = 0; ok && turn < TURNS; turn++) {
            turn_stream(words);
            ok = stream + turn > 0 || same("first word", 0, next_word(words, 0), 3499211612);
            for (int i = 0; ok && i < WORDS / 2; i++) {
                long at = (turn * b->size + stream) * (WORDS / 2) + i;
                double far = sqrt(-2.0 * log(((next_word(words, 2 * i) >> 8) + 1) * 0x1p-24));
                double angle = 2.0 * acos(-1.0) * 0x1p-24 * (next_word(words, 2 * i + 1) >> 8);
                ok = near("first normal", at, (double)got[at].s[0], far * cos(angle), 1e-3) &&
                     near("second normal", at, (double)got[at].s[1], far * sin(angle), 1e-3);
            }
        }
    }
    return ok;
}

const struct workload round27_secrets_workloads[] = {
    WORKLOAD(round27_secrets, poly1305_tags, 37, 5003, 20011, 70001),
    WORKLOAD(round27_secrets, present_slices, 19, 2003, 7001, 30011),
    WORKLOAD(round27_secrets, twister_normals, 3, 101, 307, 1009),
    END_OF_WORKLOADS,
};
