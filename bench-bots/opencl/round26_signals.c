/* Signals. Sizes are words, blocks. */
#include "workloads.h"

enum { LENGTH = 204, PARITY = 16, MESSAGE = LENGTH - PARITY, MOST_ERRORS = PARITY / 2, ORDER = 255, WORDS_GROUP = 32 };

/* Powers of 2 in the field of 256 elements, twice, and which power each element is. */
static void fill_field(unsigned char powers[2 * ORDER], unsigned char logs[256]) {
    int element = 1;
    for (int i = 0; i < 2 * ORDER; i++) {
        powers[i] = (unsigned char)element;
        if (i < ORDER) {
            logs[element] = (unsigned char)i;
        }
        element <<= 1, element ^= element > 255 ? 0x11d : 0;
    }
}

/* A product as it is defined, bit by bit. */
static int product_of(int a, int c) {
    int sum = 0;
    for (; c > 0; c >>= 1) {
        sum ^= c & 1 ? a : 0, a <<= 1, a ^= a > 255 ? 0x11d : 0;
    }
    return sum;
}

/* What is left of a word after a division by the code's polynomial, whose roots are the first powers: nothing, if it is right. */
static void rest_of(const unsigned char *word, int length, unsigned char rest[PARITY]) {
    unsigned char factors[PARITY + 1] = {1};
    for (int root = 0, element = 1; root < PARITY; root++, element = product_of(element, 2)) {
        for (int k = root + 1; k > 0; k--) {
            factors[k] = (unsigned char)(factors[k] ^ product_of(factors[k - 1], element));
        }
    }
    memset(rest, 0, PARITY);
    for (int i = 0; i < length + PARITY; i++) {
        int top = rest[0];
        memmove(rest, rest + 1, PARITY - 1), rest[PARITY - 1] = i < length ? word[i] : 0;
        for (int k = 0; k < PARITY; k++) {
            rest[k] = (unsigned char)(rest[k] ^ product_of(top, factors[k + 1]));
        }
    }
}

/* A word, and which bytes of it are sent wrong. Some words have none, some have more than can be mended. */
static int make_word(long i, unsigned char word[LENGTH], unsigned char sent[LENGTH]) {
    uint32_t state = mixed_word((uint32_t)i + 4421), kind = random_word(&state) % 8;
    int errors = kind < 2 ? 0 : kind == 2 ? MOST_ERRORS + 1 + (int)(random_word(&state) % 6) : 1 + (int)(random_word(&state) % MOST_ERRORS);
    for (int k = 0; k < MESSAGE; k++) {
        word[k] = (unsigned char)random_word(&state);
    }
    rest_of(word, MESSAGE, word + MESSAGE), memcpy(sent, word, LENGTH);
    for (int k = 0; k < errors;) {
        uint32_t place = random_word(&state) % LENGTH;
        if (sent[place] == word[place]) {
            sent[place] ^= (unsigned char)(1 + random_word(&state) % 255), k++;
        }
    }
    return errors;
}

static void reed_solomon_prepare(struct clbench *b) {
    unsigned char *received = make(b, 0, (size_t)b->size * LENGTH), word[LENGTH], sent[LENGTH];
    for (long i = 0; i < b->size; i++) {
        make_word(i, word, sent);
        for (long k = 0; k < LENGTH; k++) {
            received[k * b->size + i] = sent[k];
        }
    }
    unsigned char *powers = make(b, 1, 2 * ORDER);
    fill_field(powers, make(b, 2, 256));
    make(b, 3, (size_t)b->size * LENGTH), make(b, 4, (size_t)b->size);
    up(b, 0), up(b, 1), up(b, 2);
}

static void reed_solomon_once(struct clbench *b) {
    cl_int words = (cl_int)b->size;
    launch(b, "reed_solomon", RANGE1(round_up(words, WORDS_GROUP), WORDS_GROUP), B(0), V(words), B(1), B(2), B(3), B(4));
}

/* Too many errors make a word, now and then, that is nearer to another one. */
static int reed_solomon_check(struct clbench *b) {
    const unsigned char *got = b->buffer[3].host;
    const signed char *found = b->buffer[4].host;
    int ok = 1;
    down(b, 3), down(b, 4);
    for (long i = 0; ok && i < b->size; i++) {
        unsigned char word[LENGTH], sent[LENGTH], own[LENGTH], rest[PARITY];
        int errors = make_word(i, word, sent), apart = 0, is_right = 1;
        for (long k = 0; k < LENGTH; k++) {
            own[k] = got[k * b->size + i], apart += own[k] != sent[k];
        }
        if (errors > MOST_ERRORS && found[i] >= 0) {
            rest_of(own, LENGTH, rest);
            for (int k = 0; k < PARITY; k++) {
                is_right = is_right && rest[k] == 0;
            }
            ok = same("is a word", i, is_right, 1) && same("errors", i, found[i], apart);
        } else {
            ok = same("errors", i, found[i], errors > MOST_ERRORS ? -1 : errors) &&
                 same("is mended", i, memcmp(own, errors > MOST_ERRORS ? sent : word, LENGTH) == 0, 1);
        }
    }
    return ok;
}

enum { BITS = 128, TAIL = 3, STATES = 8, BLOCKS_GROUP = 8, ROUNDS = 3, NEVER = -16000 };

/* A number between about -3 and 3, as a bell has it. */
static double noise(uint32_t *state) {
    double sum = -6.0;
    for (int k = 0; k < 12; k++) {
        sum += (double)random_unit(state);
    }
    return sum;
}

static signed char heard(int bit, uint32_t *state) {
    double value = (bit ? 10.0 : -10.0) + 7.5 * noise(state);
    return (signed char)lrint(fmin(fmax(value, -31.0), 31.0));
}

/* A step of an encoder: the check of a bit. The newest bit of the state is its highest. */
static int encode(int *state, int bit) {
    int in = bit ^ (*state >> 1 & 1) ^ (*state & 1), check = in ^ *state >> 2 ^ (*state & 1);
    *state = in << 2 | *state >> 1;
    return check;
}

/* Buffers: bits, for either encoder checks and tails, both orders, what either decoder has learned, bytes. */
static void turbo_halves_prepare(struct clbench *b) {
    signed char *bits = make(b, 0, (size_t)b->size * BITS);
    uint32_t noise_state = 4423;
    for (int encoder = 0; encoder < 2; encoder++) {
        signed char *checks = make(b, 1 + encoder, (size_t)b->size * BITS), *tails = make(b, 3 + encoder, (size_t)b->size * TAIL * 2);
        unsigned char *order = make(b, 5 + encoder, BITS);
        for (int i = 0; i < BITS; i++) {
            order[i] = (unsigned char)(encoder == 0 ? i : (15 * i + 32 * i * i) % BITS);
        }
        for (long block = 0; block < b->size; block++) {
            int state = 0;
            for (int i = 0; i < BITS; i++) {
                int bit = (int)(mixed_word((uint32_t)(block * BITS + order[i])) & 1);
                checks[block * BITS + i] = heard(encode(&state, bit), &noise_state);
                if (encoder == 0) {
                    bits[block * BITS + i] = heard(bit, &noise_state);
                }
            }
            for (int i = 0; i < TAIL; i++) {
                int bit = (state >> 1 ^ state) & 1;
                signed char *tail = tails + (block * TAIL + i) * 2;
                tail[0] = heard(bit, &noise_state), tail[1] = heard(encode(&state, bit), &noise_state);
            }
        }
    }
    make(b, 7, (size_t)b->size * BITS), make(b, 8, (size_t)b->size * BITS), make(b, 9, (size_t)b->size * BITS / 8);
    for (int i = 0; i < 7; i++) {
        up(b, i);
    }
}

static void turbo_halves_once(struct clbench *b) {
    cl_int blocks = (cl_int)b->size;
    struct range range = RANGE2(STATES, round_up(blocks, BLOCKS_GROUP), STATES, BLOCKS_GROUP);
    launch(b, "nothing_known", RANGE1((size_t)blocks * BITS, 64), B(8));
    for (int round = 0; round < ROUNDS; round++) {
        launch(b, "turbo_halves", range, B(0), B(1), B(3), B(5), V(blocks), B(8), B(7));
        launch(b, "turbo_halves", range, B(0), B(2), B(4), B(6), V(blocks), B(7), B(8));
    }
    launch(b, "hard_bits", RANGE1((size_t)blocks * BITS / 8, 16), B(0), B(7), B(8), B(9));
}

/* The best score of each state after each step, from the first one on, or to the last one. `heard` has what each step heard. */
static void score_states(int heard_at[BITS + TAIL][2], int is_back, int scores[BITS + TAIL + 1][STATES]) {
    for (int i = 0; i < (BITS + TAIL + 1) * STATES; i++) {
        scores[i / STATES][i % STATES] = (is_back ? i == (BITS + TAIL) * STATES : i == 0) ? 0 : 4 * NEVER;
    }
    for (int n = 0; n < BITS + TAIL; n++) {
        int i = is_back ? BITS + TAIL - 1 - n : n;
        for (int k = 0; k < 2 * STATES; k++) {
            int from = k / 2, to = k / 2, bit = k % 2, check = encode(&to, bit);
            int step = (bit ? heard_at[i][0] : -heard_at[i][0]) + (check ? heard_at[i][1] : -heard_at[i][1]);
            int *own = is_back ? &scores[i][from] : &scores[i + 1][to], other = is_back ? scores[i + 1][to] : scores[i][from];
            *own = other + step > *own ? other + step : *own;
        }
    }
}

/* What a decoder learns of a block: `order` says which bits its steps have. */
static void learn(const struct clbench *b, int encoder, long block, const signed char *known, signed char *learned) {
    const signed char *bits = (signed char *)b->buffer[0].host + block * BITS;
    const signed char *checks = (signed char *)b->buffer[1 + encoder].host + block * BITS;
    const signed char *tails = (signed char *)b->buffer[3 + encoder].host + block * TAIL * 2;
    const unsigned char *order = b->buffer[5 + encoder].host;
    int heard_at[BITS + TAIL][2], ahead[BITS + TAIL + 1][STATES], behind[BITS + TAIL + 1][STATES];
    for (int i = 0; i < BITS + TAIL; i++) {
        heard_at[i][0] = i < BITS ? bits[order[i]] + known[order[i]] : tails[(i - BITS) * 2];
        heard_at[i][1] = i < BITS ? checks[i] : tails[(i - BITS) * 2 + 1];
    }
    score_states(heard_at, 0, ahead), score_states(heard_at, 1, behind);
    for (int i = 0; i < BITS; i++) {
        int best[2] = {8 * NEVER, 8 * NEVER};
        for (int k = 0; k < 2 * STATES; k++) {
            int to = k / 2, bit = k % 2, check = encode(&to, bit);
            int step = (bit ? heard_at[i][0] : -heard_at[i][0]) + (check ? heard_at[i][1] : -heard_at[i][1]);
            int score = ahead[i][k / 2] + behind[i + 1][to] + step;
            best[bit] = score > best[bit] ? score : best[bit];
        }
        int more = ((best[1] - best[0]) / 2 - heard_at[i][0]) * 3 / 4;
        learned[order[i]] = (signed char)(more > 127 ? 127 : more < -128 ? -128 : more);
    }
}

/* The same decoders with scores that never end, and whether most bits are those that were sent. */
static int turbo_halves_check(struct clbench *b) {
    const signed char *bits = b->buffer[0].host, *got[2] = {b->buffer[7].host, b->buffer[8].host};
    const unsigned char *bytes = b->buffer[9].host;
    long wrong = 0, wrong_before = 0;
    int ok = 1;
    down(b, 7), down(b, 8), down(b, 9);
    for (long block = 0; ok && block < b->size; block++) {
        signed char learned[2][BITS] = {{0}};
        for (int round = 0; round < 2 * ROUNDS; round++) {
            learn(b, round % 2, block, learned[1 - round % 2], learned[round % 2]);
        }
        for (int i = 0; ok && i < BITS; i++) {
            long at = block * BITS + i;
            int bit = bytes[at / 8] >> (7 - i % 8) & 1, sent = (int)(mixed_word((uint32_t)at) & 1);
            ok = same("first", at, got[0][at], learned[0][i]) && same("second", at, got[1][at], learned[1][i]) &&
                 same("bit", at, bit, bits[at] + learned[0][i] + learned[1][i] > 0);
            wrong += bit != sent, wrong_before += (bits[at] > 0) != sent;
        }
    }
    return ok && same("fewer are wrong", 0, wrong * 10 < wrong_before, 1);
}

const struct workload round26_signals_workloads[] = {
    WORKLOAD(round26_signals, reed_solomon, 41, 2011, 7001, 30011),
    WORKLOAD(round26_signals, turbo_halves, 13, 251, 1009, 4001),
    END_OF_WORKLOADS,
};
