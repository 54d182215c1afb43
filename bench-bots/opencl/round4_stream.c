/* Streams of words. Sizes are records, blocks of 16 bytes and paths. */
#include "workloads.h"

/* Digits of four bits, sorted one by one; an even number of passes ends in the first buffer. */
enum { RADIX = 16, SORTERS = 64, EACH = 8, PASSES = 4, DIGIT_BITS = 4, SCANNERS = 256 };

struct record {
    cl_uint key, value;
};

static size_t sorting_groups(const struct clbench *b) { return round_up(b->size, SORTERS * EACH) / (SORTERS * EACH); }

/* Buffer 3 keeps the records as they were. */
static void radix_passes_prepare(struct clbench *b) {
    size_t bytes = (size_t)b->size * sizeof(struct record);
    struct record *first = make(b, 3, bytes);
    uint32_t state = 441;
    make(b, 0, bytes);
    make(b, 1, bytes);
    make(b, 2, RADIX * sorting_groups(b) * sizeof(cl_uint));
    for (long i = 0; i < b->size; i++) {
        first[i] = (struct record){random_word(&state) >> 14, (cl_uint)i};
    }
}

static void radix_passes_once(struct clbench *b) {
    cl_uint records = (cl_uint)b->size, counts = (cl_uint)(RADIX * sorting_groups(b)), shift = 0;
    struct range parts = RANGE1(sorting_groups(b) * SORTERS, SORTERS);
    memcpy(b->buffer[0].host, b->buffer[3].host, b->buffer[0].bytes);
    up(b, 0);
    for (int pass = 0; pass < PASSES; pass++, shift += DIGIT_BITS) {
        int from = pass % 2, to = 1 - from;
        launch(b, "digit_count", parts, V(records), V(shift), B(from), B(2));
        launch(b, "digit_begin", RANGE1(SCANNERS, SCANNERS), V(counts), B(2), LOCAL(SCANNERS * sizeof(cl_uint)));
        launch(b, "digit_scatter", parts, V(records), V(shift), B(from), B(2), B(to));
    }
}

/* By the digits that were sorted, and where those are equal as the records were. */
static int by_digits(const void *a, const void *b) {
    const struct record *x = a, *y = b;
    cl_uint mask = (1u << PASSES * DIGIT_BITS) - 1, left = x->key & mask, right = y->key & mask;
    return left != right ? (left > right) - (left < right) : (x->value > y->value) - (x->value < y->value);
}

static int radix_passes_check(struct clbench *b) {
    struct record *want = b->buffer[3].host;
    const struct record *got = b->buffer[0].host;
    int ok = 1;
    down(b, 0);
    qsort(want, (size_t)b->size, sizeof *want, by_digits);
    for (long i = 0; ok && i < b->size; i++) {
        ok = same("key", i, got[i].key, want[i].key) && same("value", i, got[i].value, want[i].value);
    }
    return ok;
}

enum { ROUNDS = 10, BLOCK = 16, CIPHER_ITEMS = 128 };
static const unsigned char cipher_key[BLOCK] = "a key for tests";
static const cl_uint4 start = {{0x01020304, 0x05060708, 0x090a0b0c, 77}};

/* A product of polynomials over two, modulo AES's own. */
static unsigned char product_of(unsigned a, unsigned b) {
    unsigned product = 0;
    for (; b != 0; b >>= 1, a = a & 0x80 ? (a << 1) ^ 0x11b : a << 1) {
        product ^= b & 1 ? a : 0;
    }
    return (unsigned char)product;
}

/* AES's substitution, by its definition: the inverse (a power of 254), and sums of turned bits. */
static unsigned char substitute(unsigned char byte) {
    unsigned char inverse = 1, sum = 0x63;
    for (int i = 0; i < 254; i++) {
        inverse = product_of(inverse, byte);
    }
    for (int turn = 0; turn < 5; turn++) {
        sum ^= (unsigned char)(inverse << turn | inverse >> (8 - turn));
    }
    return sum;
}

/* The round keys, one after the other. */
static void expand_key(unsigned char *keys) {
    unsigned char constant = 1;
    memcpy(keys, cipher_key, BLOCK);
    for (int i = BLOCK; i < (ROUNDS + 1) * BLOCK; i++) {
        int word = i / 4 % 4 == 0, turned = i - 4 + (word ? (i % 4 == 3 ? -3 : 1) : 0);
        unsigned char before = i / 4 % 4 == 0 ? substitute(keys[turned]) : keys[turned];
        keys[i] = keys[i - BLOCK] ^ before ^ (i % BLOCK == 0 ? constant : 0);
        constant = i % BLOCK == 0 ? product_of(constant, 2) : constant;
    }
}

static void aes_ctr_prepare(struct clbench *b) {
    uint32_t state = 442, *in = make(b, 0, (size_t)b->size * BLOCK), *table = make(b, 2, 256 * sizeof *table);
    make(b, 1, (size_t)b->size * BLOCK);
    expand_key(make(b, 3, (ROUNDS + 1) * BLOCK));
    for (long i = 0; i < b->size * 4; i++) {
        in[i] = random_word(&state);
    }
    for (unsigned i = 0; i < 256; i++) {
        uint32_t one = substitute((unsigned char)i), two = product_of(one, 2);
        table[i] = two | one << 8 | one << 16 | (two ^ one) << 24;
    }
    up(b, 0), up(b, 2), up(b, 3);
}

static void aes_ctr_once(struct clbench *b) {
    cl_uint blocks = (cl_uint)b->size;
    launch(b, "aes_ctr", RANGE1(round_up(b->size, CIPHER_ITEMS), CIPHER_ITEMS), V(blocks), V(start), B(3), B(2), B(0), B(1));
}

/* Byte by byte, as the standard has it: column after column, substituted, rows turned, columns mixed, the key added. */
static void encrypt(const unsigned char *substitution, const unsigned char *keys, unsigned char *block) {
    static const unsigned char mix[4] = {2, 3, 1, 1};
    for (int i = 0; i < BLOCK; i++) {
        block[i] ^= keys[i];
    }
    for (int round = 1; round <= ROUNDS; round++) {
        unsigned char turned[BLOCK];
        for (int i = 0; i < BLOCK; i++) {
            turned[i] = substitution[block[(i + 4 * (i % 4)) % BLOCK]];
        }
        for (int i = 0; i < BLOCK; i++) {
            unsigned char sum = round == ROUNDS ? turned[i] : 0;
            for (int k = 0; round < ROUNDS && k < 4; k++) {
                sum ^= product_of(turned[i / 4 * 4 + k], mix[(k - i % 4 + 4) % 4]);
            }
            block[i] = sum ^ keys[BLOCK * round + i];
        }
    }
}

/* Every fifth block. */
static int aes_ctr_check(struct clbench *b) {
    const unsigned char *in = b->buffer[0].host, *keys = b->buffer[3].host, *got = b->buffer[1].host;
    unsigned char substitution[256];
    int ok = 1;
    down(b, 1);
    for (int i = 0; i < 256; i++) {
        substitution[i] = substitute((unsigned char)i);
    }
    for (long block = 0; ok && block < b->size; block += 5) {
        cl_uint4 counter = start;
        unsigned char stream[BLOCK];
        counter.s[3] += (cl_uint)block;
        memcpy(stream, &counter, BLOCK);
        encrypt(substitution, keys, stream);
        for (long i = 0; ok && i < BLOCK; i++) {
            ok = same("byte", block * BLOCK + i, got[block * BLOCK + i], in[block * BLOCK + i] ^ stream[i]);
        }
    }
    return ok;
}

/* As the kernel has it. */
struct market {
    cl_float spot, strike, rate, volatility, years;
    cl_uint steps;
};

enum { PATHS_ITEMS = 64 };
static const struct market market = {
    .spot = 100.0f, .strike = 103.0f, .rate = 0.03f, .volatility = 0.25f, .years = 1.5f, .steps = 26};

/* An item has about four paths. */
static size_t asian_items(const struct clbench *b) { return round_up(b->size / 4 + 1, PATHS_ITEMS); }

static void asian_paths_prepare(struct clbench *b) {
    size_t items = asian_items(b);
    uint32_t state = 443, *seeds = make(b, 0, items * sizeof(cl_uint4));
    make(b, 1, items / PATHS_ITEMS * sizeof(cl_float2));
    for (size_t i = 0; i < 4 * items; i++) {
        seeds[i] = random_word(&state) | 1u;
    }
    up(b, 0);
}

static void asian_paths_once(struct clbench *b) {
    cl_uint paths = (cl_uint)b->size;
    launch(b, "asian_paths", RANGE1(asian_items(b), PATHS_ITEMS), V(market), V(paths), B(0), B(1));
}

static double unit_after(uint32_t *state) {
    uint32_t t = state[0] ^ state[0] << 11;
    memmove(state, state + 1, 3 * sizeof *state);
    state[3] ^= state[3] >> 19 ^ t ^ t >> 8;
    return ((state[3] >> 8) + 1) * 0x1p-24;
}

/* What a path and its mirror image pay, in the mean. */
static double paid_by(uint32_t *state) {
    double span = market.years / (double)market.steps, logarithm[2] = {0.0, 0.0}, mean[2] = {0.0, 0.0}, paid = 0.0;
    for (cl_uint step = 0; step < market.steps; step += 2) {
        double far = sqrt(-2.0 * log(unit_after(state))), turn = 2.0 * M_PI * unit_after(state);
        for (int k = 0; k < 4; k++) {
            double normal = far * (k < 2 ? cos(turn) : sin(turn)) * (k % 2 ? -1.0 : 1.0);
            logarithm[k % 2] += (market.rate - 0.5 * market.volatility * market.volatility) * span +
                                market.volatility * sqrt(span) * normal;
            mean[k % 2] += market.spot * exp(logarithm[k % 2]) / market.steps;
        }
    }
    for (int k = 0; k < 2; k++) {
        paid += 0.5 * fmax(mean[k] - market.strike, 0.0) * exp(-market.rate * market.years);
    }
    return paid;
}

/* The same paths in double precision, group by group. */
static int asian_paths_check(struct clbench *b) {
    const float *got = b->buffer[1].host;
    uint32_t *state = b->buffer[0].host;
    long items = (long)asian_items(b);
    int ok = 1;
    down(b, 1);
    for (long group = 0; ok && group < items / PATHS_ITEMS; group++) {
        double sum = 0.0, squares = 0.0;
        for (long item = group * PATHS_ITEMS; item < (group + 1) * PATHS_ITEMS; item++, state += 4) {
            for (long path = item; path < b->size; path += items) {
                double paid = paid_by(state);
                sum += paid;
                squares += paid * paid;
            }
        }
        ok = near("sum", group, got[2 * group], sum, 1e-4) && near("squares", group, got[2 * group + 1], squares, 1e-4);
    }
    return ok;
}

const struct workload round4_stream_workloads[] = {
    WORKLOAD(round4_stream, radix_passes, 1501, 200003, 500009, 1000003),
    WORKLOAD(round4_stream, aes_ctr, 301, 100003, 400009, 1000003),
    WORKLOAD(round4_stream, asian_paths, 301, 40009, 200003, 600011),
    END_OF_WORKLOADS,
};
