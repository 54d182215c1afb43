/* Data. Sizes are records, texts, values of the left list. */
#include "workloads.h"

enum { RATE = 136, LANES = 25 };

/* Lengths up to three blocks; the first records have no byte, a byte less than a block, and a block. */
static void keccak_records_prepare(struct clbench *b) {
    cl_uint *starts = make(b, 1, (size_t)(b->size + 1) * sizeof *starts);
    uint32_t state = 1091;
    for (long i = 0; i < b->size; i++) {
        starts[i + 1] = starts[i] + (i == 0 ? 0 : i < 3 ? RATE - 2 + (cl_uint)i : random_word(&state) % (3 * RATE));
    }
    unsigned char *bytes = make(b, 0, starts[b->size]);
    for (cl_uint i = 0; i < starts[b->size]; i++) {
        bytes[i] = (unsigned char)random_word(&state);
    }
    make(b, 2, (size_t)b->size * sizeof(cl_ulong4));
    up(b, 0), up(b, 1);
}

static void keccak_records_once(struct clbench *b) {
    cl_uint records = (cl_uint)b->size;
    launch(b, "keccak_records", RANGE1(round_up(b->size, 32), 32), B(0), B(1), V(records), B(2));
}

static uint64_t turned(uint64_t word, int by) { return by % 64 == 0 ? word : word << by % 64 | word >> (64 - by % 64); }

/* A round by the standard's formulas for lane (x, y); its constant comes from the register that the standard gives. */
static void sha3_round(uint64_t (*a)[5], unsigned *shifts) {
    uint64_t moved[5][5], columns[5], constant = 0;
    int x = 1, y = 0, turns[5][5] = {{0}};
    for (int t = 0; t < 24; t++) {
        int next = (2 * x + 3 * y) % 5;
        turns[x][y] = (t + 1) * (t + 2) / 2;
        x = y, y = next;
    }
    for (int j = 0; j < 7; j++) {
        constant |= (uint64_t)(*shifts & 1) << ((1 << j) - 1);
        *shifts = *shifts & 0x80 ? (*shifts << 1 & 0xff) ^ 0x71 : *shifts << 1;
    }
    for (x = 0; x < 5; x++) {
        columns[x] = a[x][0] ^ a[x][1] ^ a[x][2] ^ a[x][3] ^ a[x][4];
    }
    for (int i = 0; i < LANES; i++) {
        x = i % 5, y = i / 5;
        moved[y][(2 * x + 3 * y) % 5] = turned(a[x][y] ^ columns[(x + 4) % 5] ^ turned(columns[(x + 1) % 5], 1), turns[x][y]);
    }
    for (int i = 0; i < LANES; i++) {
        x = i % 5, y = i / 5;
        a[x][y] = moved[x][y] ^ (~moved[(x + 1) % 5][y] & moved[(x + 2) % 5][y]);
    }
    a[0][0] ^= constant;
}

static void sha3_256(const unsigned char *bytes, long count, uint64_t *digest) {
    uint64_t a[5][5] = {{0}};
    for (long at = 0; at / RATE <= count / RATE; at++) {
        unsigned byte = at < count ? bytes[at] : at == count ? 0x06 : 0;
        if (at % RATE == RATE - 1 && at / RATE == count / RATE) {
            byte ^= 0x80;
        }
        long lane = at % RATE / 8;
        a[lane % 5][lane / 5] ^= (uint64_t)byte << (8 * (at % 8));
        unsigned shifts = 1;
        for (int round = 0; at % RATE == RATE - 1 && round < 24; round++) {
            sha3_round(a, &shifts);
        }
    }
    for (int i = 0; i < 4; i++) {
        digest[i] = a[i][0];
    }
}

/* The digest of no bytes is known. */
static int keccak_records_check(struct clbench *b) {
    const cl_uint *starts = b->buffer[1].host;
    const cl_ulong4 *got = b->buffer[2].host;
    int ok;
    down(b, 2);
    ok = same("nothing", 0, (long)got[0].s[0], (long)0x66d71ebff8c6ffa7u);
    for (long i = 0; ok && i < b->size; i += b->size / 3000 + 1) {
        uint64_t want[4];
        sha3_256((unsigned char *)b->buffer[0].host + starts[i], starts[i + 1] - starts[i], want);
        for (int k = 0; ok && k < 4; k++) {
            ok = same("digest", i * 4 + k, (long)got[i].s[k], (long)want[k]);
        }
    }
    return ok;
}

enum { WORDS = 5, LETTERS = 4, LONGEST = 64 };

static const cl_int lengths_of_words[WORDS] = {20, 33, 47, 63, 64};

static int letter_of_word(int word, int at) {
    uint32_t state = (uint32_t)(1101 + word * 100 + at);
    return (int)(random_word(&state) >> 13 & 3);
}

static int letter_of(const struct clbench *b, long text, long at) {
    const cl_int2 *texts = b->buffer[1].host;
    return (int)(((cl_uint *)b->buffer[0].host)[texts[text].s[0] + at / 16] >> (2 * (at % 16)) & 3);
}

/* Texts of 40 to 300 letters. Most have one of the words, with a mistake now and then. */
static void edit_bits_prepare(struct clbench *b) {
    long groups = b->size * 19;
    cl_uint *letters = make(b, 0, (size_t)groups * sizeof *letters);
    cl_int2 *texts = make(b, 1, (size_t)b->size * sizeof *texts);
    cl_ulong *masks = make(b, 2, WORDS * LETTERS * sizeof *masks);
    uint32_t state = 1111;
    for (long i = 0; i < groups; i++) {
        letters[i] = random_word(&state);
    }
    for (long text = 0; text < b->size; text++) {
        long length = 40 + random_word(&state) % 261, word = random_word(&state) % (WORDS + 1), at = random_word(&state) % 150;
        texts[text] = (cl_int2){{(cl_int)(text * 19), (cl_int)length}};
        uint32_t sure = 2 + random_word(&state) % 60;
        for (int i = 0; word < WORDS && i < lengths_of_words[word] && at < 300; i++, at++) {
            uint32_t chance = random_word(&state) % sure;
            at += chance == 0;
            if (chance != 1) {
                cl_uint *group = &letters[text * 19 + at / 16];
                *group &= ~(3u << (2 * (at % 16)));
                *group |= (cl_uint)letter_of_word((int)word, i) << (2 * (at % 16));
            }
        }
    }
    for (int word = 0; word < WORDS; word++) {
        for (int i = 0; i < lengths_of_words[word]; i++) {
            masks[word * LETTERS + letter_of_word(word, i)] |= (cl_ulong)1 << i;
        }
    }
    memcpy(make(b, 3, sizeof lengths_of_words), lengths_of_words, sizeof lengths_of_words);
    make(b, 4, (size_t)b->size * WORDS * sizeof(cl_short2));
    for (int i = 0; i < 4; i++) {
        up(b, i);
    }
}

static void edit_bits_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    launch(b, "edit_bits", RANGE2(round_up(count, 64), WORDS, 64, 1), B(0), B(1), V(count), B(2), B(3), B(4));
}

/* The table itself, column by column; a part may begin anywhere. */
static int edit_bits_check(struct clbench *b) {
    const cl_int2 *texts = b->buffer[1].host;
    const cl_short2 *got = b->buffer[4].host;
    long without = 0, tried = 0;
    int ok = 1;
    down(b, 4);
    for (long at = 0; ok && at < b->size * WORDS; at += b->size * WORDS / 4000 + 1, tried++) {
        int word = (int)(at / b->size), length = lengths_of_words[word];
        long text = at % b->size, column[LONGEST + 1], least = length, end = -1;
        for (int i = 0; i <= length; i++) {
            column[i] = i;
        }
        for (long k = 0; k < texts[text].s[1]; k++) {
            long diagonal = 0;
            for (int i = 1; i <= length; i++) {
                long best = diagonal + (letter_of_word(word, i - 1) != letter_of(b, text, k));
                best = column[i] + 1 < best ? column[i] + 1 : best;
                best = column[i - 1] + 1 < best ? column[i - 1] + 1 : best;
                diagonal = column[i], column[i] = best;
            }
            if (column[length] < least) {
                least = column[length], end = k;
            }
        }
        without += least == 0;
        ok = same("mistakes", at, got[at].s[0], least) && same("end", at, got[at].s[1], end);
    }
    return ok && same("some without mistakes", 0, without > 0 && without * 4 < tried, 1);
}

enum { PART = 1024 };

static cl_int rights_of(const struct clbench *b) { return (cl_int)(b->size * 3 / 5 + 1); }
static cl_int parts_of(const struct clbench *b) { return (cl_int)((b->size + rights_of(b) + PART - 1) / PART); }

/* Keys that grow by little, so that many are equal, and now and then by much in one of the lists; tags tell values apart. */
static void list_of(struct clbench *b, int buffer, long count, uint32_t state) {
    cl_uint *keys = make(b, buffer, (size_t)count * sizeof *keys), key = 5;
    cl_ushort *tags = make(b, buffer + 1, (size_t)count * sizeof *tags);
    for (long i = 0; i < count; i++) {
        key += random_word(&state) % 1000 == 0 ? random_word(&state) % 2000 : random_word(&state) % 3;
        keys[i] = key;
        tags[i] = (cl_ushort)random_word(&state);
    }
    up(b, buffer), up(b, buffer + 1);
}

static void merge_lists_prepare(struct clbench *b) {
    size_t values = (size_t)(b->size + rights_of(b));
    list_of(b, 0, b->size, 1121);
    list_of(b, 2, rights_of(b), 1122);
    make(b, 4, (size_t)(parts_of(b) + 1) * sizeof(cl_int));
    make(b, 5, values * sizeof(cl_uint)), make(b, 6, values * sizeof(cl_ushort));
}

static void merge_lists_once(struct clbench *b) {
    cl_int lefts = (cl_int)b->size, rights = rights_of(b), parts = parts_of(b);
    launch(b, "merge_starts", RANGE1(round_up(parts + 1, 64), 64), B(0), V(lefts), B(2), V(rights), V(parts), B(4));
    launch(b, "merge_parts", RANGE1((size_t)parts * 128, 128), B(0), B(1), V(lefts), B(2), B(3), V(rights), B(4), B(5), B(6));
}

/* From one value to the next. */
static int merge_lists_check(struct clbench *b) {
    const cl_uint *left = b->buffer[0].host, *right = b->buffer[2].host, *got = b->buffer[5].host;
    const cl_ushort *left_tags = b->buffer[1].host, *right_tags = b->buffer[3].host, *got_tags = b->buffer[6].host;
    long lefts = b->size, rights = rights_of(b), i = 0, j = 0, equal = 0;
    int ok = 1;
    down(b, 5), down(b, 6);
    while (ok && i + j < lefts + rights) {
        long at = i + j;
        equal += i < lefts && j < rights && left[i] == right[j];
        if (j == rights || (i < lefts && left[i] <= right[j])) {
            ok = same("left key", at, got[at], left[i]) && same("left tag", at, got_tags[at], left_tags[i]);
            i++;
        } else {
            ok = same("right key", at, got[at], right[j]) && same("right tag", at, got_tags[at], right_tags[j]);
            j++;
        }
    }
    return ok && same("some are equal", 0, equal * 50 > lefts, 1);
}

const struct workload round10_data_workloads[] = {
    WORKLOAD(round10_data, keccak_records, 67, 3001, 12007, 60013),
    WORKLOAD(round10_data, edit_bits, 77, 2003, 8009, 40009),
    WORKLOAD(round10_data, merge_lists, 3001, 500009, 2000003, 10000019),
    END_OF_WORKLOADS,
};
