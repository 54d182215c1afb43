/* Ciphers. Sizes are keys, passwords, messages. */
#include "workloads.h"

enum { KEY = 8, DIGITS = 16 };

/* A number modulo 2^255 - 19: digits of 16 bits, which may be more or less than that for a while. */
struct field {
    int64_t digit[DIGITS];
};

static void x25519_ladder_prepare(struct clbench *b) {
    for (int i = 0; i < 2; i++) {
        cl_uint *words = make(b, i, (size_t)b->size * KEY * sizeof *words);
        for (long k = 0; k < b->size * KEY; k++) {
            words[k] = mixed_word((uint32_t)(k * 2 + i) + 2837u);
        }
        up(b, i);
    }
    make(b, 2, (size_t)b->size * KEY * sizeof(cl_uint));
}

static void x25519_ladder_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    launch(b, "x25519_ladder", RANGE1(round_up(count, 16), 16), B(0), B(1), V(count), B(2));
}

/* Carries from digit to digit; what leaves the highest one counts 38 times. */
static void carry(struct field *number) {
    for (int round = 0; round < 2 * DIGITS; round++) {
        int i = round % DIGITS;
        int64_t over = number->digit[i] >> 16;
        number->digit[i] -= over * 65536;
        number->digit[(i + 1) % DIGITS] += i == DIGITS - 1 ? over * 38 : over;
    }
}

static struct field times(struct field a, struct field c) {
    struct field product = {{0}};
    for (int i = 0; i < DIGITS * DIGITS; i++) {
        int to = i / DIGITS + i % DIGITS;
        product.digit[to % DIGITS] += a.digit[i / DIGITS] * c.digit[i % DIGITS] * (to >= DIGITS ? 38 : 1);
    }
    carry(&product);
    return product;
}

/* a + factor * c. */
static struct field plus(struct field a, int factor, struct field c) {
    for (int i = 0; i < DIGITS; i++) {
        a.digit[i] += factor * c.digit[i];
    }
    carry(&a);
    return a;
}

static struct field field_of(const cl_uint *words) {
    struct field number;
    for (int i = 0; i < DIGITS; i++) {
        number.digit[i] = words[i / 2] >> i % 2 * 16 & (i == DIGITS - 1 ? 0x7fff : 0xffff);
    }
    return number;
}

/* The word of the least number of a field's element. */
static cl_uint word_of(struct field number, int at) {
    carry(&number), carry(&number);
    for (int round = 0; round < 3; round++) {
        struct field less = number;
        less.digit[0] -= 0xffed, less.digit[DIGITS - 1] -= 0x7fff;
        for (int i = 0; i < DIGITS - 1; i++) {
            less.digit[i] -= i > 0 ? 0xffff : 0;
            int64_t over = less.digit[i] >> 16;
            less.digit[i] -= over * 65536, less.digit[i + 1] += over;
        }
        number = less.digit[DIGITS - 1] >= 0 ? less : number;
    }
    return (cl_uint)(number.digit[at * 2] | number.digit[at * 2 + 1] << 16);
}

/* The ladder, from a point and its double downwards: which of the two is doubled depends on the bit. */
static struct field climb(struct field point, const cl_uint *secret) {
    struct field x[2] = {{{1}}, point}, z[2] = {{{0}}, {{1}}}, inverse = {{1}};
    for (int bit = 254; bit >= 0; bit--) {
        int is_set = bit == 254 || (bit > 2 && (secret[bit / 32] >> bit % 32 & 1));
        struct field sum[2], difference[2];
        for (int i = 0; i < 2; i++) {
            sum[i] = plus(x[i], 1, z[i]), difference[i] = plus(x[i], -1, z[i]);
        }
        struct field across = times(sum[0], difference[1]), other = times(sum[1], difference[0]);
        struct field high = plus(across, 1, other), low = plus(across, -1, other);
        struct field square = times(sum[is_set], sum[is_set]), less = times(difference[is_set], difference[is_set]);
        struct field four = plus(square, -1, less);
        x[!is_set] = times(high, high), z[!is_set] = times(point, times(low, low));
        x[is_set] = times(square, less), z[is_set] = times(four, plus(square, 121665, four));
    }
    for (int bit = 254; bit >= 0; bit--) { /* The power 2^255 - 21. */
        inverse = times(inverse, inverse);
        inverse = bit == 2 || bit == 4 ? inverse : times(inverse, z[0]);
    }
    return times(x[0], inverse);
}

/* Of many keys not all are looked at. */
static int x25519_ladder_check(struct clbench *b) {
    const cl_uint *secrets = b->buffer[0].host, *points = b->buffer[1].host, *got = b->buffer[2].host;
    long step = b->size / 211 + 1;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i += step) {
        struct field shared = climb(field_of(points + i * KEY), secrets + i * KEY);
        for (int k = 0; ok && k < KEY; k++) {
            ok = same("word", i * KEY + k, got[i * KEY + k], word_of(shared, k));
        }
    }
    return ok;
}

enum { BOXES = 1024, SUBKEYS = 18, HASH = 6 };

static const cl_uint rounds = 8;

/* In place of the digits of pi there are other words. A password is repeated, each time with a zero after it, over 18 words. */
static void bcrypt_rounds_prepare(struct clbench *b) {
    cl_uint *start = make(b, 0, (SUBKEYS + BOXES) * sizeof *start), *salts = make(b, 2, (size_t)b->size * 4 * sizeof *salts);
    cl_uint *passwords = make(b, 1, (size_t)b->size * SUBKEYS * sizeof *passwords);
    uint32_t state = 2843;
    for (uint32_t i = 0; i < SUBKEYS + BOXES; i++) {
        start[i] = mixed_word(i + 12345u);
    }
    for (long i = 0; i < b->size * 4; i++) {
        salts[i] = mixed_word((uint32_t)i + 999983u);
    }
    for (long i = 0; i < b->size; i++) {
        unsigned char letters[24];
        uint32_t length = 5 + random_word(&state) % 18;
        for (uint32_t k = 0; k < length; k++) {
            letters[k] = (unsigned char)(33 + random_word(&state) % 94);
        }
        letters[length] = 0;
        for (uint32_t k = 0; k < SUBKEYS * 4; k++) {
            passwords[i * SUBKEYS + k / 4] = passwords[i * SUBKEYS + k / 4] << 8 | letters[k % (length + 1)];
        }
    }
    make(b, 3, (size_t)b->size * HASH * sizeof(cl_uint));
    up(b, 0), up(b, 1), up(b, 2);
}

static void bcrypt_rounds_once(struct clbench *b) {
    cl_uint count = (cl_uint)b->size;
    launch(b, "bcrypt_rounds", RANGE1(round_up(b->size, 8), 8), B(0), B(1), B(2), V(count), V(rounds), B(3));
}

/* Subkeys, and after them boxes. */
static void blowfish(const cl_uint *all, cl_uint pair[2]) {
    const cl_uint *boxes = all + SUBKEYS;
    for (int i = 0; i < 16; i++) {
        cl_uint from = pair[0] ^ all[i];
        cl_uint mixed = boxes[from >> 24] + boxes[256 + (from >> 16 & 255)];
        mixed = (mixed ^ boxes[512 + (from >> 8 & 255)]) + boxes[768 + (from & 255)];
        pair[0] = pair[1] ^ mixed, pair[1] = from;
    }
    cl_uint last = pair[0] ^ all[16];
    pair[0] = pair[1] ^ all[17], pair[1] = last;
}

/* Mixes some words into the subkeys, and then makes subkeys and boxes anew with a salt. */
static void mix_in(cl_uint *all, const cl_uint *words, int count, const cl_uint *salt) {
    cl_uint pair[2] = {0, 0};
    for (int i = 0; i < SUBKEYS; i++) {
        all[i] ^= words[i % count];
    }
    for (int i = 0; i < SUBKEYS + BOXES; i += 2) {
        pair[0] ^= salt[i % 4], pair[1] ^= salt[i % 4 + 1];
        blowfish(all, pair);
        all[i] = pair[0], all[i + 1] = pair[1];
    }
}

/* Of many passwords not all are looked at. */
static int bcrypt_rounds_check(struct clbench *b) {
    static const cl_uint none[4] = {0, 0, 0, 0};
    static const char text[] = "OrpheanBeholderScryDoubt";
    const cl_uint *start = b->buffer[0].host, *passwords = b->buffer[1].host, *salts = b->buffer[2].host, *got = b->buffer[3].host;
    long step = b->size / 211 + 1;
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < b->size; i += step) {
        cl_uint all[SUBKEYS + BOXES];
        memcpy(all, start, sizeof all);
        mix_in(all, passwords + i * SUBKEYS, SUBKEYS, salts + i * 4);
        for (cl_uint round = 0; round < rounds; round++) {
            mix_in(all, passwords + i * SUBKEYS, SUBKEYS, none);
            mix_in(all, salts + i * 4, 4, none);
        }
        for (int k = 0; ok && k < HASH; k += 2) {
            cl_uint pair[2] = {0, 0};
            for (int letter = 0; letter < 8; letter++) {
                pair[letter / 4] = pair[letter / 4] << 8 | (unsigned char)text[k * 4 + letter];
            }
            for (int time = 0; time < 64; time++) {
                blowfish(all, pair);
            }
            ok = same("hash", i * HASH + k, got[i * HASH + k], pair[0]) && same("hash", i * HASH + k + 1, got[i * HASH + k + 1], pair[1]);
        }
    }
    return ok;
}

static const cl_ulong2 tag_key = {{0x66e94bd4ef8a2c3bu, 0x884cfa59ca342b2eu}};

/* Messages of 20 to 1500 bytes. */
static void ghash_tags_prepare(struct clbench *b) {
    cl_uint *starts = make(b, 1, (size_t)(b->size + 1) * sizeof *starts);
    cl_ulong2 *masks = make(b, 2, (size_t)b->size * sizeof *masks);
    uint32_t state = 2851;
    for (long i = 0; i < b->size; i++) {
        starts[i + 1] = starts[i] + 20 + random_word(&state) % 1481;
        for (int k = 0; k < 2; k++) {
            masks[i].s[k] = (cl_ulong)random_word(&state) << 32 | random_word(&state);
        }
    }
    unsigned char *messages = make(b, 0, starts[b->size]);
    for (cl_uint i = 0; i < starts[b->size]; i++) {
        messages[i] = (unsigned char)(random_word(&state) >> 8);
    }
    make(b, 3, (size_t)b->size * sizeof *masks);
    up(b, 0), up(b, 1), up(b, 2);
}

static void ghash_tags_once(struct clbench *b) {
    cl_uint count = (cl_uint)b->size;
    launch(b, "ghash_tags", RANGE1(round_up(b->size, 64), 64), B(0), B(1), V(count), V(tag_key), B(2), B(3));
}

/* The product with the key, a bit at a time from the first one. */
static void times_key(cl_ulong value[2]) {
    cl_ulong sum[2] = {0, 0}, multiple[2] = {tag_key.s[0], tag_key.s[1]};
    for (int i = 0; i < 128; i++) {
        cl_ulong is_set = value[i / 64] >> (63 - i % 64) & 1, is_odd = multiple[1] & 1;
        sum[0] ^= is_set * multiple[0], sum[1] ^= is_set * multiple[1];
        multiple[1] = multiple[1] >> 1 | multiple[0] << 63;
        multiple[0] = multiple[0] >> 1 ^ is_odd * 0xe1u << 56;
    }
    value[0] = sum[0], value[1] = sum[1];
}

/* Of many messages not all are looked at. */
static int ghash_tags_check(struct clbench *b) {
    const unsigned char *messages = b->buffer[0].host;
    const cl_uint *starts = b->buffer[1].host;
    const cl_ulong2 *masks = b->buffer[2].host, *got = b->buffer[3].host;
    long step = b->size / 2003 + 1;
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < b->size; i += step) {
        cl_ulong sum[2] = {0, 0};
        cl_uint length = starts[i + 1] - starts[i];
        for (cl_uint at = 0; at < length; at++) {
            sum[at % 16 / 8] ^= (cl_ulong)messages[starts[i] + at] << (56 - at % 8 * 8);
            if (at % 16 == 15 || at == length - 1) {
                times_key(sum);
            }
        }
        sum[1] ^= (cl_ulong)length * 8;
        times_key(sum);
        for (int k = 0; ok && k < 2; k++) {
            ok = same("tag", i * 2 + k, (long)got[i].s[k], (long)(sum[k] ^ masks[i].s[k]));
        }
    }
    return ok;
}

const struct workload round22_ciphers_workloads[] = {
    WORKLOAD(round22_ciphers, x25519_ladder, 3, 101, 601, 5003),
    WORKLOAD(round22_ciphers, bcrypt_rounds, 3, 61, 403, 3001),
    WORKLOAD(round22_ciphers, ghash_tags, 33, 4003, 30011, 100003),
    END_OF_WORKLOADS,
};
