/* Codes. Sizes are frames, blocks of text, reads. */
#include "workloads.h"

enum { STATES = 64, BITS = 256, STEPS = BITS + 6 };

static int parity(unsigned bits) { return __builtin_popcount(bits) & 1; }

/* Buffer 3, which is not the device's, has the bits that were sent. */
static void viterbi_prepare(struct clbench *b) {
    cl_char2 *received = make(b, 0, (size_t)b->size * STEPS * sizeof *received);
    uint32_t state = 631;
    make(b, 1, (size_t)b->size * BITS / 8);
    make(b, 2, (size_t)b->size * sizeof(cl_int));
    uint32_t *bits = make(b, 3, (size_t)b->size * BITS / 8);
    for (long frame = 0; frame < b->size; frame++) {
        unsigned last = 0;
        for (int t = 0; t < STEPS; t++) {
            unsigned bit = t < BITS ? random_word(&state) >> 9 & 1 : 0;
            last = last >> 1 | bit << 6;
            if (t < BITS) {
                bits[frame * (BITS / 32) + t / 32] |= bit << t % 32;
            }
            for (int k = 0; k < 2; k++) {
                int clean = parity(last & (k == 0 ? 0x79 : 0x5b)) ? -40 : 40;
                float noise = random_unit(&state) + random_unit(&state) + random_unit(&state) - 1.5f;
                received[frame * STEPS + t].s[k] = (cl_char)lrintf((float)clean + 50.0f * noise);
            }
        }
    }
    up(b, 0);
}

static void viterbi_once(struct clbench *b) {
    launch(b, "viterbi", RANGE1((size_t)b->size * STATES, STATES), B(0), B(1), B(2));
}

/* Step by step from each state to the next two; gives the best path's metric. */
static int decode(const cl_char2 *received, uint32_t *bits) {
    static unsigned char lost[STEPS][STATES];
    int metric[STATES], next[STATES], state = 0;
    for (int s = 0; s < STATES; s++) {
        metric[s] = s == 0 ? 0 : -1000000;
    }
    for (int t = 0; t < STEPS; t++) {
        for (int s = 0; s < STATES; s++) {
            next[s] = -100000000;
        }
        for (int path = 0; path < 2 * STATES; path++) {
            unsigned last = (unsigned)path, to = last >> 1;
            int here = metric[last % STATES] + (parity(last & 0x79) ? -1 : 1) * received[t].s[0] +
                       (parity(last & 0x5b) ? -1 : 1) * received[t].s[1];
            if (here > next[to]) {
                next[to] = here;
                lost[t][to] = last & 1;
            }
        }
        memcpy(metric, next, sizeof metric);
    }
    for (int t = STEPS - 1; t >= 0; t--) {
        bits[t / 32] = (t % 32 == 31 ? 0 : bits[t / 32]) | (uint32_t)(state >> 5) << t % 32;
        state = (state << 1 | lost[t][state]) % STATES;
    }
    return metric[0];
}

static int viterbi_check(struct clbench *b) {
    const uint32_t *got = b->buffer[1].host, *bits = b->buffer[3].host;
    const cl_int *metric = b->buffer[2].host;
    long wrong = 0;
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long frame = 0; ok && frame < b->size; frame++) {
        uint32_t want[STEPS / 32 + 1] = {0};
        ok = same("metric", frame, metric[frame], decode((cl_char2 *)b->buffer[0].host + frame * STEPS, want));
        for (long i = 0; ok && i < BITS / 32; i++) {
            ok = same("bits", frame * (BITS / 32) + i, got[frame * (BITS / 32) + i], want[i]);
            wrong += want[i] != bits[frame * (BITS / 32) + i];
        }
    }
    return ok && same("few wrong", 0, wrong * 20 < b->size * BITS / 32, 1);
}

enum { CAPACITY = 2048, SLOT = CAPACITY + CAPACITY / 128 + 32, HASHES = 1024 };

/* Sentences of a small language, with spaces and numbers. */
static long write_text(unsigned char *text, uint32_t *state) {
    static const char *const words[] = {"the ",   "kernel ", "reads ", "a ",     "row ",    "of ",     "numbers ", "and ",
                                        "writes ", "them ",  "where ", "nobody ", "looks ",  "before ", "it ",      "returns, ",
                                        "light ", "falls ",  "on ",    "water.\n", "stones ", "sleep ",  "while ",   "rivers "};
    long n = 0, length = CAPACITY - (long)(random_word(state) % 300);
    while (n < length) {
        char word[32];
        uint32_t dice = random_word(state) >> 8;
        if (dice % 9 == 0) {
            snprintf(word, sizeof word, "%u ", dice);
        } else {
            snprintf(word, sizeof word, "%*s", dice % 31 == 1 ? 24 : 0, words[dice / 16 % 24]);
        }
        for (const char *c = word; *c != 0 && n < length; c++) {
            text[n++] = (unsigned char)*c;
        }
    }
    return length;
}

static long put_length(unsigned char *packed, long at, long length) {
    for (length -= 15; length >= 0; length -= 255) {
        packed[at++] = (unsigned char)(length < 255 ? length : 255);
    }
    return at;
}

/* Bytes as they are, then, unless this is the end, a repetition. */
static long put_sequence(unsigned char *packed, long at, const unsigned char *literal, long literals, long distance,
                         long length) {
    long rest = length - 4;
    packed[at++] = (unsigned char)((literals < 15 ? literals : 15) << 4 | (length == 0 ? 0 : rest < 15 ? rest : 15));
    at = put_length(packed, at, literals);
    memcpy(packed + at, literal, (size_t)literals);
    at += literals;
    if (length > 0) {
        packed[at++] = (unsigned char)distance;
        packed[at++] = (unsigned char)(distance >> 8);
        at = put_length(packed, at, rest);
    }
    return at;
}

/* Takes the last place where the next four bytes have been. */
static long pack(const unsigned char *text, long length, unsigned char *packed) {
    long last[HASHES], literal = 0, at = 0, i = 0;
    memset(last, -1, sizeof last);
    while (i + 8 < length) {
        uint32_t four;
        memcpy(&four, text + i, 4);
        long *place = &last[four * 2654435761u >> 22], before = *place, match = 0;
        *place = i;
        while (before >= 0 && i + match < length - 5 && text[before + match] == text[i + match]) {
            match++;
        }
        if (match >= 4) {
            at = put_sequence(packed, at, text + literal, i - literal, i - before, match);
            i += match;
            literal = i;
        } else {
            i++;
        }
    }
    return put_sequence(packed, at, text + literal, length - literal, 0, 0);
}

/* Some blocks are broken: by a distance of 0 or too great a one, or because their end is missing. Buffers 5 and 6, which are not
 * the device's, have the texts and what is to become of them. */
static void lz_blocks_prepare(struct clbench *b) {
    unsigned char *packed = make(b, 0, (size_t)b->size * SLOT), *text = make(b, 5, (size_t)b->size * CAPACITY);
    cl_uint *offsets = make(b, 1, (size_t)(b->size + 1) * sizeof *offsets);
    cl_int *wanted = make(b, 6, (size_t)b->size * sizeof *wanted);
    uint32_t state = 632;
    make(b, 2, (size_t)b->size * CAPACITY);
    make(b, 3, (size_t)b->size * sizeof(cl_int));
    make(b, 4, (size_t)b->size * sizeof(cl_uint));
    for (long block = 0; block < b->size; block++) {
        unsigned char *here = packed + offsets[block];
        wanted[block] = (cl_int)write_text(text + block * CAPACITY, &state);
        long bytes = pack(text + block * CAPACITY, wanted[block], here);
        if (block % 71 == 3) {
            /* A token of one byte and a repetition from before the beginning. */
            here[0] = 0x10, here[2] = (unsigned char)(block % 2 ? 0 : 9), here[3] = 0;
            wanted[block] = -3;
        } else if (block % 71 == 9) {
            /* Two bytes are promised, and none is there. */
            bytes = 1, here[0] = 0x20;
            wanted[block] = -1;
        } else if (block % 71 == 21) {
            /* Half of a distance. */
            bytes = 3, here[0] = 0x10;
            wanted[block] = -2;
        }
        offsets[block + 1] = offsets[block] + (cl_uint)bytes;
    }
    up(b, 0), up(b, 1);
}

static void lz_blocks_once(struct clbench *b) {
    cl_uint blocks = (cl_uint)b->size, capacity = CAPACITY;
    launch(b, "lz_blocks", RANGE1(round_up(b->size, 64), 64), B(0), B(1), V(blocks), V(capacity), B(2), B(3), B(4));
}

static int lz_blocks_check(struct clbench *b) {
    const unsigned char *text = b->buffer[5].host, *got = b->buffer[2].host;
    const cl_int *wanted = b->buffer[6].host, *status = b->buffer[3].host;
    const cl_uint *offsets = b->buffer[1].host, *checksum = b->buffer[4].host;
    long whole = 0;
    int ok = 1;
    down(b, 2), down(b, 3), down(b, 4);
    for (long block = 0; ok && block < b->size; block++) {
        unsigned long first = 1, second = 0;
        ok = same("status", block, status[block], wanted[block]);
        for (long i = block * CAPACITY; ok && i < block * CAPACITY + wanted[block]; i++, whole++) {
            ok = same("byte", i, got[i], text[i]);
            first = (first + text[i]) % 65521;
            second = (second + first) % 65521;
        }
        ok = ok && (wanted[block] < 0 || same("checksum", block, checksum[block], (long)(second << 16 | first)));
    }
    return ok && same("packed", 0, offsets[b->size] < whole * 7 / 10, 1);
}

enum { WORD = 21, WINDOW = 11, MOST = 32, LONGEST = 180 };
static const unsigned long word_mask = (1ul << 2 * WORD) - 1;

/* Reads of a genome that has twice as many letters as they begin at, some of them lower case, a few not known. */
static void minimizers_prepare(struct clbench *b) {
    unsigned char *letters = make(b, 0, (size_t)b->size * LONGEST), *genome = malloc((size_t)b->size * 2 + LONGEST);
    cl_uint *starts = make(b, 1, (size_t)(b->size + 1) * sizeof *starts);
    uint32_t state = 633;
    for (long i = 0; i < b->size * 2 + LONGEST; i++) {
        genome[i] = (unsigned char)"ACGT"[random_word(&state) >> 11 & 3];
    }
    for (long read = 0; read < b->size; read++) {
        uint32_t length = read % 50 == 7 ? 25 : LONGEST - random_word(&state) % 60;
        uint32_t from = random_word(&state) % (uint32_t)(b->size * 2);
        for (uint32_t i = 0; i < length; i++) {
            uint32_t dice = random_word(&state) >> 8;
            letters[starts[read] + i] = dice % 200 == 0 ? 'N' : (unsigned char)(genome[from + i] | (dice % 9 == 1 ? 32 : 0));
        }
        starts[read + 1] = starts[read] + length;
    }
    free(genome);
    make(b, 2, (size_t)b->size * MOST * sizeof(cl_ulong));
    make(b, 3, (size_t)b->size * MOST * sizeof(cl_ushort));
    make(b, 4, (size_t)b->size * sizeof(cl_uint));
    make(b, 5, (size_t)b->size * sizeof(cl_uint));
    make(b, 6, sizeof(cl_uint));
    make(b, 7, 256 * sizeof(cl_uint));
    up(b, 0), up(b, 1);
}

static void minimizers_once(struct clbench *b) {
    cl_uint reads = (cl_uint)b->size;
    memset(b->buffer[6].host, 0, b->buffer[6].bytes);
    memset(b->buffer[7].host, 0, b->buffer[7].bytes);
    up(b, 6), up(b, 7);
    launch(b, "minimizers", RANGE1(round_up(b->size, 64), 64), B(0), B(1), V(reads), B(2), B(3), B(4), B(5), B(6), B(7));
}

/* The hash of the word that begins here, or the greatest number where a letter is not known. */
static unsigned long hash_here(const unsigned char *letters) {
    unsigned long forward = 0, backward = 0;
    for (int i = 0; i < WORD; i++) {
        const char *one = strchr("ACGT", letters[i] & ~32), *other = strchr("ACGT", letters[WORD - 1 - i] & ~32);
        if (one == NULL) {
            return ~0ul;
        }
        forward = forward * 4 + (unsigned long)(one - "ACGT");
        backward = backward * 4 + 3 - (unsigned long)((other == NULL ? one : other) - "ACGT");
    }
    unsigned long h = forward < backward ? forward : backward;
    h = (h * ((1ul << 21) - 1) - 1) & word_mask;
    h ^= h >> 24;
    h = h * 265 & word_mask;
    h ^= h >> 14;
    h = h * 21 & word_mask;
    h ^= h >> 28;
    return h * ((1ul << 31) + 1) & word_mask;
}

/* Window by window: those of which all words are known. */
static int landmarks(const unsigned char *letters, long length, unsigned long *words, long *places) {
    unsigned long hash[LONGEST];
    int count = 0;
    for (long i = 0; i + WORD <= length; i++) {
        hash[i] = hash_here(letters + i);
    }
    for (long i = 0; i + WORD + WINDOW - 1 <= length; i++) {
        long least = i, known = 1;
        for (long j = i; j < i + WINDOW; j++) {
            known &= hash[j] != ~0ul;
            least = hash[j] < hash[least] ? j : least;
        }
        if (known && count < MOST && (count == 0 || places[count - 1] != least)) {
            words[count] = hash[least];
            places[count++] = least;
        }
    }
    return count;
}

static int minimizers_check(struct clbench *b) {
    const cl_uint *starts = b->buffer[1].host, *first = b->buffer[4].host, *counts = b->buffer[5].host;
    const cl_ulong *words = b->buffer[2].host;
    const cl_ushort *places = b->buffer[3].host;
    long all = 0, histogram[256] = {0};
    int ok = 1;
    for (int i = 2; i < 8; i++) {
        down(b, i);
    }
    for (long read = 0; ok && read < b->size; read++) {
        unsigned long want[MOST];
        long at[MOST];
        int count = landmarks((unsigned char *)b->buffer[0].host + starts[read], starts[read + 1] - starts[read], want, at);
        ok = same("count", read, counts[read], count) &&
             (count == 0 || same("place in list", read, first[read] < b->size * MOST, 1));
        for (int i = 0; ok && i < count; i++, all++) {
            histogram[want[i] & 255]++;
            ok = same("word", read, (long)words[first[read] + (cl_uint)i], (long)want[i]) &&
                 same("place", read, places[first[read] + (cl_uint)i], at[i]);
        }
    }
    for (int i = 0; ok && i < 256; i++) {
        ok = same("histogram", i, ((cl_uint *)b->buffer[7].host)[i], histogram[i]);
    }
    return ok && same("used", 0, *(cl_uint *)b->buffer[6].host, all) && same("landmarks", 0, all > b->size * 4, 1);
}

const struct workload round6_codes_workloads[] = {
    WORKLOAD(round6_codes, viterbi, 21, 701, 2003, 8009),
    WORKLOAD(round6_codes, lz_blocks, 101, 4001, 20011, 100003),
    WORKLOAD(round6_codes, minimizers, 301, 12007, 50021, 200003),
    END_OF_WORKLOADS,
};
