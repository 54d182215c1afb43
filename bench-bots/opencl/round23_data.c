/* Data. Sizes are a side of a field, words, packets, numbers of a series. */
#include "workloads.h"

enum { VALUES = 64, BLOCK_WORDS = 16 };

static cl_int4 block_grid(const struct clbench *b) {
    cl_int blocks = (cl_int)(b->size + 3) / 4;
    return (cl_int4){{blocks, blocks, blocks, 0}};
}

/* Waves that end in a corner where all is 0. Numbers of a block are sorted by how fast they change, which is in the order. */
static void zfp_blocks_prepare(struct clbench *b) {
    long side = b->size, blocks = block_grid(b).s[0];
    float *field = make(b, 0, (size_t)(side * side * side) * sizeof *field);
    unsigned char *order = make(b, 1, VALUES);
    uint32_t state = 3089;
    for (long i = 0; i < side * side * side; i++) {
        double x = (double)(i % side), y = (double)(i / side % side), z = (double)(i / side / side);
        double value = exp(0.04 * x) * sin(0.21 * x + 0.1 * y) * cos(0.13 * z - 0.07 * x) + 1e-3 * ((double)random_unit(&state) - 0.5);
        field[i] = x + y + z < 0.4 * (double)side ? 0.0f : (float)value;
    }
    for (int sum = 0, at = 0; sum <= 9; sum++) {
        for (int i = 0; i < VALUES; i++) {
            if (i % 4 + i / 4 % 4 + i / 16 == sum) {
                order[at++] = (unsigned char)i;
            }
        }
    }
    make(b, 2, (size_t)(blocks * blocks * blocks * BLOCK_WORDS) * sizeof(cl_uint));
    up(b, 0), up(b, 1);
}

static void zfp_blocks_once(struct clbench *b) {
    cl_int4 blocks = block_grid(b), size = {{(cl_int)b->size, (cl_int)b->size, (cl_int)b->size, 0}};
    size_t padded = round_up(blocks.s[0], 4);
    launch(b, "zfp_blocks", RANGE3(padded, padded, padded, 4, 4, 4), B(0), V(size), V(blocks), B(1), B(2));
}

/* Right shifts round downwards. */
static void lift_line(int values[VALUES], int at, int stride) {
    int *x = values + at, *y = x + stride, *z = y + stride, *w = z + stride;
    *x = (*x + *w) >> 1, *w -= *x;
    *z = (*z + *y) >> 1, *y -= *z;
    *x = (*x + *z) >> 1, *z -= *x;
    *w = (*w + *y) >> 1, *y -= *w;
    *w += *y >> 1, *y -= *w >> 1;
}

/* The numbers of a block, in order, without signs: digits of base -2. Gives the power of the greatest value, or 0 of a block of zeros. */
static int block_numbers(const struct clbench *b, long block, cl_uint numbers[VALUES]) {
    const float *field = b->buffer[0].host;
    const unsigned char *order = b->buffer[1].host;
    long side = b->size, blocks = block_grid(b).s[0];
    int values[VALUES], power = -1000;
    float own[VALUES];
    for (long i = 0; i < VALUES; i++) {
        long x = clamped(block % blocks * 4 + i % 4, side), y = clamped(block / blocks % blocks * 4 + i / 4 % 4, side);
        own[i] = field[(clamped(block / blocks / blocks * 4 + i / 16, side) * side + y) * side + x];
        power = own[i] != 0.0f && ilogbf(own[i]) + 1 > power ? ilogbf(own[i]) + 1 : power;
    }
    for (int i = 0; i < VALUES; i++) {
        values[i] = (int)ldexp((double)own[i], 30 - power);
    }
    for (int axis = 0, stride = 1; axis < 3; axis++, stride *= 4) {
        for (int i = 0; i < VALUES; i++) {
            if (i / stride % 4 == 0) {
                lift_line(values, i, stride);
            }
        }
    }
    for (int i = 0; i < VALUES; i++) {
        numbers[i] = ((cl_uint)values[order[i]] + 0xaaaaaaaau) ^ 0xaaaaaaaau;
    }
    return power > -1000 ? power : 0;
}

/* All bits of a block without an end, then cut off. A plane ends after the last bit that is set. */
static void block_bits(const cl_uint numbers[VALUES], int power, cl_uint words[BLOCK_WORDS]) {
    static unsigned char bits[32 * VALUES * 3 + 16];
    int count = 0, known = 0;
    bits[count++] = 1;
    for (int i = 0; i < 8; i++) {
        bits[count++] = (power + 127) >> i & 1;
    }
    for (int plane = 31; plane >= 0; plane--) {
        int last = -1, at = 0;
        for (int i = 0; i < VALUES; i++) {
            last = numbers[i] >> plane & 1 ? i : last;
        }
        for (; at < known; at++) {
            bits[count++] = numbers[at] >> plane & 1;
        }
        while (at < VALUES && at <= last) {
            bits[count++] = 1;
            for (; at < VALUES - 1 && !(numbers[at] >> plane & 1); at++) {
                bits[count++] = 0;
            }
            if (at < VALUES - 1) {
                bits[count++] = 1;
            }
            at++;
        }
        if (at < VALUES) {
            bits[count++] = 0;
        }
        known = at;
    }
    for (int i = 0; i < BLOCK_WORDS * 32 && i < count; i++) {
        words[i / 32] |= (cl_uint)bits[i] << i % 32;
    }
}

/* Of many blocks not all are looked at. */
static int zfp_blocks_check(struct clbench *b) {
    const cl_uint *got = b->buffer[2].host;
    long blocks = (long)block_grid(b).s[0] * block_grid(b).s[0] * block_grid(b).s[0], step = blocks / 10007 + 1, empty = 0;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < blocks; i += step) {
        cl_uint numbers[VALUES], words[BLOCK_WORDS] = {0}, any = 0;
        int power = block_numbers(b, i, numbers);
        for (int k = 0; k < VALUES; k++) {
            any |= numbers[k];
        }
        empty += any == 0;
        if (any != 0) {
            block_bits(numbers, power, words);
        }
        for (int k = 0; ok && k < BLOCK_WORDS; k++) {
            ok = same("word", i * BLOCK_WORDS + k, got[i * BLOCK_WORDS + k], words[k]);
        }
    }
    return ok && same("some blocks are empty", empty, empty > 0 || blocks < 100, 1);
}

enum { MERGES = 1500, SLOTS = 4096, TOKENS = 256 + MERGES, MOST_LETTERS = 32 };

struct merge {
    cl_ushort left, right;
    cl_int merged;
};

static const cl_uint mask = SLOTS - 1;

/* Tokens of a word: of the pairs that are next to each other the one that was learned first is merged, one at a time. `places` has the
 * pairs' places in the order of learning, from 1 on. */
static int tokens_of(const unsigned char *letters, int count, const cl_short *places, int *tokens) {
    for (int i = 0; i < count; i++) {
        tokens[i] = letters[i];
    }
    for (;;) {
        int best = MERGES, at = 0;
        for (int i = 0; i + 1 < count; i++) {
            int place = places[tokens[i] * TOKENS + tokens[i + 1]] - 1;
            if (place >= 0 && place < best) {
                best = place, at = i;
            }
        }
        if (best == MERGES) {
            return count;
        }
        tokens[at] = 256 + best;
        memmove(tokens + at + 1, tokens + at + 2, (size_t)(count - at - 2) * sizeof *tokens);
        count--;
    }
}

/* Words of syllables. Pairs are learned from words, each from one as it is with the pairs before. */
static void bpe_merges_prepare(struct clbench *b) {
    static const char *const syllables[24] = {"ka", "ther", "on", "ing", "re", "st", "o", "men", "ta", "li", "un", "de",
                                              "pro", "er", "s", "com", "al", "i", "ble", "tra", "fi", "x", "nd", "the"};
    unsigned char *text = make(b, 0, (size_t)b->size * MOST_LETTERS);
    cl_int *starts = make(b, 1, ((size_t)b->size + 1) * sizeof *starts);
    struct merge *slots = make(b, 2, SLOTS * sizeof *slots);
    cl_short *places = make(b, 6, TOKENS * TOKENS * sizeof *places);
    uint32_t state = 3109;
    for (long i = 0; i < b->size; i++) {
        int length = 0, parts = 1 + (int)(random_word(&state) % 7);
        for (int k = 0; k < parts; k++) {
            uint32_t word = random_word(&state), pick = word % 24 * (word >> 8 & 255) >> 8;
            memcpy(text + starts[i] + length, syllables[pick], strlen(syllables[pick])), length += (int)strlen(syllables[pick]);
        }
        starts[i + 1] = starts[i] + length;
    }
    for (int i = 0; i < SLOTS; i++) {
        slots[i].merged = -1;
    }
    for (int i = 0, tries = 0; i < MERGES && tries < 200000; tries++) {
        long word = random_word(&state) % (uint32_t)b->size;
        int tokens[MOST_LETTERS], count = tokens_of(text + starts[word], starts[word + 1] - starts[word], places, tokens);
        if (count < 2) {
            continue;
        }
        int at = (int)(random_word(&state) % (uint32_t)(count - 1));
        cl_uint left = (cl_uint)tokens[at], right = (cl_uint)tokens[at + 1], slot = (left << 16 | right) * 0x9e3779b1u >> 7 & mask;
        while (slots[slot].merged >= 0) {
            slot = (slot + 1) & mask;
        }
        slots[slot] = (struct merge){(cl_ushort)left, (cl_ushort)right, 256 + i};
        places[left * TOKENS + right] = (cl_short)(++i);
    }
    make(b, 3, (size_t)b->size * MOST_LETTERS * sizeof(cl_ushort)), make(b, 4, (size_t)b->size), make(b, 5, TOKENS * sizeof(cl_int));
    up(b, 0), up(b, 1), up(b, 2);
}

static void bpe_merges_once(struct clbench *b) {
    cl_int words = (cl_int)b->size, tokens = TOKENS;
    launch(b, "unused_tokens", RANGE1(round_up(tokens, 64), 64), B(5), V(tokens));
    launch(b, "bpe_merges", RANGE1(round_up(words, 32), 0), B(0), B(1), V(words), B(2), V(mask), B(3), B(4), B(5));
}

static int bpe_merges_check(struct clbench *b) {
    const unsigned char *text = b->buffer[0].host, *counts = b->buffer[4].host;
    const cl_int *starts = b->buffer[1].host, *uses = b->buffer[5].host;
    const cl_ushort *got = b->buffer[3].host;
    long wanted[TOKENS] = {0}, merged = 0;
    int ok = 1;
    down(b, 3), down(b, 4), down(b, 5);
    for (long i = 0; ok && i < b->size; i++) {
        int tokens[MOST_LETTERS], length = starts[i + 1] - starts[i];
        int count = tokens_of(text + starts[i], length, b->buffer[6].host, tokens);
        ok = same("tokens", i, counts[i], count);
        for (int k = 0; ok && k < count; k++) {
            ok = same("token", i * MOST_LETTERS + k, got[i * MOST_LETTERS + k], tokens[k]);
            wanted[tokens[k]]++;
        }
        merged += count < length;
    }
    for (int i = 0; ok && i < TOKENS; i++) {
        ok = same("uses", i, uses[i], wanted[i]);
    }
    return ok && same("words are merged", merged, merged > b->size / 2, 1);
}

enum { KINDS = 7, BUCKETS = 1024, KEY = 40, MOST_BYTES = 160 };

enum { IS_TCP, IS_UDP, IS_OTHER, IS_PART, IS_BROKEN, IS_SHORT, IS_FOREIGN };

struct flow {
    cl_uint hash;
    cl_uchar kind, queue;
    cl_ushort network;
};

/* The sum that makes a header right, in its place. */
static void sum_header(unsigned char *header, int length) {
    uint32_t sum = 0;
    for (int i = 0; i < length; i++) {
        sum += i == 10 || i == 11 ? 0u : (uint32_t)header[i] << (i % 2 == 0 ? 8 : 0);
    }
    while (sum > 0xffff) {
        sum = sum % 0x10000 + sum / 0x10000;
    }
    header[10] = (unsigned char)(~sum >> 8), header[11] = (unsigned char)~sum;
}

/* Writes a packet of one of 800 flows; a few are broken. Gives its length. */
static int write_packet(unsigned char *packet, uint32_t *state) {
    uint32_t word = random_word(state), flow = mixed_word(random_word(state) % 800), at = 12;
    int options = word % 16 == 3 ? 8 : 0, length = 64 + (int)(word >> 8) % 80, protocol = (int)(flow % 3);
    for (int i = 0; i < MOST_BYTES; i++) {
        packet[i] = (unsigned char)(random_word(state) >> 8);
    }
    for (uint32_t tags = flow % 5 == 0 ? 1 + flow % 2 : 0; tags > 0; tags--, at += 4) {
        packet[at] = 0x81, packet[at + 1] = 0;
    }
    packet[at] = 8, packet[at + 1] = word >> 20 == 77 ? 6 : 0;
    unsigned char *header = packet + at + 2;
    header[0] = (unsigned char)(0x45 + options / 4), header[9] = (unsigned char)(protocol == 0 ? 6 : protocol == 1 ? 17 : 1);
    header[6] = (unsigned char)(word % 41 == 0 ? 0x20 : 0x40), header[7] = (unsigned char)(word % 53 == 0 ? 9 : 0);
    for (uint32_t i = 0; i < 8; i++) {
        header[12 + i] = (unsigned char)(flow >> (i * 3));
    }
    for (uint32_t i = 0; i < 4; i++) {
        header[20 + options + (int)i] = (unsigned char)(flow >> (i * 7));
    }
    sum_header(header, 20 + options);
    header[8] ^= word % 97 == 0;
    return word % 67 == 0 ? 20 + (int)(word >> 8) % 40 : length;
}

static void packet_flows_prepare(struct clbench *b) {
    unsigned char *bytes = make(b, 0, (size_t)b->size * MOST_BYTES + MOST_BYTES), *key = make(b, 2, KEY), *queues = make(b, 3, 128);
    cl_int *starts = make(b, 1, ((size_t)b->size + 1) * sizeof *starts);
    uint32_t state = 3119;
    for (long i = 0; i < b->size; i++) {
        starts[i + 1] = starts[i] + write_packet(bytes + starts[i], &state);
    }
    for (int i = 0; i < KEY; i++) {
        key[i] = (unsigned char)mixed_word((uint32_t)i + 31u);
    }
    for (int i = 0; i < 128; i++) {
        queues[i] = (unsigned char)(i % 12);
    }
    make(b, 4, (size_t)b->size * sizeof(struct flow)), make(b, 5, KINDS * sizeof(cl_int)), make(b, 6, BUCKETS * sizeof(cl_uint2));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void packet_flows_once(struct clbench *b) {
    cl_int packets = (cl_int)b->size;
    launch(b, "no_packets", RANGE1(BUCKETS, 256), B(5), B(6));
    launch(b, "packet_flows", RANGE1(round_up(packets, 128), 128), B(0), B(1), V(packets), B(2), B(3), B(4), B(5), B(6));
}

/* Reads a packet, and tells its kind. Copies the bytes that tell its flow, and says how many they are. */
static int packet_kind(const unsigned char *packet, int length, unsigned char *input, int *known, int *network) {
    int at = 12;
    if (length < 34) {
        return IS_SHORT;
    }
    for (; packet[at] == 0x81 && packet[at + 1] == 0 && at + 6 <= length; at += 4) {
        *network = (packet[at + 2] * 256 + packet[at + 3]) % 4096;
    }
    const unsigned char *header = packet + at + 2;
    int room = length - at - 2, own = header[0] % 16 * 4;
    if (packet[at] != 8 || packet[at + 1] != 0) {
        return IS_FOREIGN;
    }
    if (room < 20) {
        return IS_SHORT;
    }
    if (header[0] / 16 != 4 || own < 20 || own > room) {
        return IS_BROKEN;
    }
    unsigned char summed[60];
    memcpy(summed, header, (size_t)own), sum_header(summed, own);
    if (memcmp(summed + 10, header + 10, 2) != 0) {
        return IS_BROKEN;
    }
    memcpy(input, header + 12, 8), *known = 8;
    if ((header[6] & 0x3f) != 0 || header[7] != 0) {
        return IS_PART;
    }
    if (header[9] != 6 && header[9] != 17) {
        return IS_OTHER;
    }
    if (own + 8 > room) {
        return IS_SHORT;
    }
    memcpy(input + 8, header + own, 4), *known = 12;
    return header[9] == 6 ? IS_TCP : IS_UDP;
}

/* Each bit of the input that is set adds the key's 32 bits from its place on. */
static cl_uint toeplitz(const unsigned char *key, const unsigned char *input, int length) {
    cl_uint hash = 0;
    for (int bit = 0; bit < 32 * 8 * length; bit++) {
        int at = bit / 32, place = at + bit % 32;
        unsigned both = input[at / 8] >> (7 - at % 8) & key[place / 8] >> (7 - place % 8) & 1u;
        hash ^= (cl_uint)both << (31 - bit % 32);
    }
    return hash;
}

static int packet_flows_check(struct clbench *b) {
    const unsigned char *bytes = b->buffer[0].host, *key = b->buffer[2].host, *queues = b->buffer[3].host;
    const cl_int *starts = b->buffer[1].host, *kinds = b->buffer[5].host;
    const struct flow *got = b->buffer[4].host;
    const cl_uint2 *buckets = b->buffer[6].host;
    long wanted[KINDS] = {0}, sums[BUCKETS][2] = {{0}};
    int ok = 1;
    down(b, 4), down(b, 5), down(b, 6);
    for (long i = 0; ok && i < b->size; i++) {
        unsigned char input[12] = {0};
        int known = 0, network = 0, length = starts[i + 1] - starts[i];
        int kind = packet_kind(bytes + starts[i], length, input, &known, &network);
        cl_uint hash = toeplitz(key, input, known);
        ok = same("kind", i, got[i].kind, kind) && same("hash", i, got[i].hash, hash) && same("network", i, got[i].network, network) &&
             same("queue", i, got[i].queue, known > 0 ? queues[hash % 128] : 0);
        wanted[kind]++, sums[hash % BUCKETS][0] += known > 0, sums[hash % BUCKETS][1] += known > 0 ? length : 0;
    }
    for (int i = 0; ok && i < KINDS; i++) {
        ok = same("packets of a kind", i, kinds[i], wanted[i]) && same("some packets", i, kinds[i] > 0 || b->size < 10000, 1);
    }
    for (int i = 0; ok && i < BUCKETS; i++) {
        ok = same("packets", i, buckets[i].s[0], sums[i][0]) && same("bytes", i, buckets[i].s[1], sums[i][1]);
    }
    return ok;
}

enum { WINDOW = 64, NEAREST = 16 };

struct window {
    cl_double mean, inverse, slope, change;
};

struct repeats {
    cl_int motif, discord;
    cl_float motif_distance, discord_distance;
};

/* A walk with a beat; at two places it does the same. */
static void matrix_profile_prepare(struct clbench *b) {
    double *series = make(b, 0, (size_t)b->size * sizeof *series), walk = 0.0;
    uint32_t state = 3121;
    for (long i = 0; i < b->size; i++) {
        walk += (double)random_unit(&state) - 0.5;
        series[i] = walk + 2.0 * sin(0.3 * (double)i);
    }
    for (long i = 0; i < WINDOW; i++) {
        series[b->size * 3 / 4 + i] = series[b->size / 4 + i] + 0.01 * (double)random_unit(&state);
    }
    size_t count = (size_t)(b->size - WINDOW + 1);
    make(b, 1, count * sizeof(struct window)), make(b, 2, count * sizeof(cl_uint)), make(b, 3, sizeof(struct repeats));
    up(b, 0);
}

static void matrix_profile_once(struct clbench *b) {
    cl_int count = (cl_int)b->size - WINDOW + 1, length = WINDOW, nearest = NEAREST;
    launch(b, "series_windows", RANGE1(round_up(count, 64), 64), B(0), V(count), V(length), B(1), B(2));
    launch(b, "matrix_profile", RANGE1(round_up(count - nearest, 64), 64), B(0), B(1), V(count), V(length), V(nearest), B(2));
    launch(b, "series_repeats", RANGE1(256, 256), B(2), V(count), V(length), B(3));
}

/* How windows are alike, by their definition. */
static double correlation(const double *a, const double *c) {
    double means[2] = {0.0}, sums[3] = {0.0};
    for (int i = 0; i < WINDOW; i++) {
        means[0] += a[i] / WINDOW, means[1] += c[i] / WINDOW;
    }
    for (int i = 0; i < WINDOW; i++) {
        double x = a[i] - means[0], y = c[i] - means[1];
        sums[0] += x * x, sums[1] += y * y, sums[2] += x * y;
    }
    return sums[2] / sqrt(sums[0] * sums[1]);
}

/* Not all windows are looked at, but those that are reported. */
static int matrix_profile_check(struct clbench *b) {
    const double *series = b->buffer[0].host;
    const float *got = b->buffer[2].host;
    const struct repeats *repeats = b->buffer[3].host;
    long count = b->size - WINDOW + 1, step = count / 307 + 1;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long i = 0; ok && i < count; i += step) {
        double best = -1.0;
        for (long k = 0; k < count; k++) {
            best = labs(i - k) >= NEAREST ? fmax(best, correlation(series + i, series + k)) : best;
        }
        ok = near("likeness", i, (double)got[i], 1.0 + best, 1e-6);
    }
    ok = ok && same("windows", 0, repeats->motif >= 0 && repeats->motif < count && repeats->discord >= 0 && repeats->discord < count, 1);
    for (long i = 0; ok && i < count; i++) {
        ok = same("a better motif", i, got[i] > got[repeats->motif], 0) && same("a better discord", i, got[i] < got[repeats->discord], 0);
    }
    return ok && near("motif", 0, (double)repeats->motif_distance, sqrt(2.0 * WINDOW * (2.0 - (double)got[repeats->motif])), 1e-4) &&
           near("discord", 0, (double)repeats->discord_distance, sqrt(2.0 * WINDOW * (2.0 - (double)got[repeats->discord])), 1e-4);
}

const struct workload round23_data_workloads[] = {
    WORKLOAD(round23_data, zfp_blocks, 11, 83, 203, 403),
    WORKLOAD(round23_data, bpe_merges, 307, 20011, 100003, 600011),
    WORKLOAD(round23_data, packet_flows, 301, 100003, 400009, 2000003),
    WORKLOAD(round23_data, matrix_profile, 307, 3001, 10007, 40009),
    END_OF_WORKLOADS,
};
