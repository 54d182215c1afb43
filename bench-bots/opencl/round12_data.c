/* Data. Sizes are channels, pages, symbols. */
#include "workloads.h"

enum { ANTENNAS = 61, TIMES = 201, SIDE = 16, PAIRS = ANTENNAS * (ANTENNAS + 1) / 2 };

static void correlate_antennas_prepare(struct clbench *b) {
    long values = b->size * ANTENNAS * TIMES * 2;
    signed char *samples = make(b, 0, (size_t)values);
    uint32_t state = 1341;
    for (long i = 0; i < values; i++) {
        samples[i] = (signed char)(random_word(&state) % 256 - 128);
    }
    make(b, 1, (size_t)(b->size * PAIRS) * sizeof(cl_int2));
    up(b, 0);
}

static void correlate_antennas_once(struct clbench *b) {
    cl_int antennas = ANTENNAS, channels = (cl_int)b->size, times = TIMES;
    size_t items = round_up(ANTENNAS, SIDE) / 2;
    launch(b, "correlate", RANGE3(items, items, (size_t)channels, SIDE / 2, SIDE / 2, 1), B(0), V(antennas), V(channels),
           V(times), B(1));
}

static int correlate_antennas_check(struct clbench *b) {
    const signed char *samples = b->buffer[0].host;
    const cl_int2 *got = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long channel = 0; ok && channel < b->size; channel++) {
        for (long row = 0, pair = channel * PAIRS; row < ANTENNAS; row++) {
            for (long column = 0; ok && column <= row; column++, pair++) {
                long real = 0, other = 0;
                for (long time = 0; time < TIMES; time++) {
                    const signed char *of = samples + (time * b->size + channel) * ANTENNAS * 2;
                    real += of[2 * row] * of[2 * column] + of[2 * row + 1] * of[2 * column + 1];
                    other += of[2 * row + 1] * of[2 * column] - of[2 * row] * of[2 * column + 1];
                }
                ok = same("real part", pair, got[pair].s[0], real) && same("imaginary part", pair, got[pair].s[1], other);
            }
        }
    }
    return ok;
}

enum { LINKS = 8, ROUNDS = 15, PARTS = 16 };

static const cl_float damping = 0.85f;

/* A link: many go to pages near by, others to any page, most of all to the first ones. Each thirteenth page has none. */
static int is_linked(long pages, long i, long *from, long *to, uint32_t *state) {
    double place = random_unit(state);
    *from = i / LINKS;
    *to = i % 2 == 0 ? (*from + 1 + random_word(state) % 50) % pages : (long)(place * place * place * (double)pages);
    return *from % 13 != 4 && i % LINKS <= *from % LINKS;
}

static void page_rank_prepare(struct clbench *b) {
    long pages = b->size, from, to;
    float *ranks = make(b, 0, (size_t)pages * sizeof *ranks);
    cl_int *links = make(b, 1, (size_t)pages * sizeof *links), *starts = make(b, 2, (size_t)(pages + 1) * sizeof *starts);
    cl_int *sources = make(b, 3, (size_t)(pages * LINKS) * sizeof *sources), *places = calloc((size_t)pages, sizeof *places);
    uint32_t state = 1351;
    for (long i = 0; i < pages * LINKS; i++) {
        if (is_linked(pages, i, &from, &to, &state)) {
            links[from]++, starts[to + 1]++;
        }
    }
    for (long i = 0; i < pages; i++) {
        ranks[i] = 1.0f / (float)pages;
        starts[i + 1] += starts[i];
        places[i] = starts[i];
    }
    state = 1351;
    for (long i = 0; i < pages * LINKS; i++) {
        if (is_linked(pages, i, &from, &to, &state)) {
            sources[places[to]++] = (cl_int)from;
        }
    }
    free(places);
    make(b, 4, (size_t)pages * sizeof(float)), make(b, 5, PARTS * sizeof(float)), make(b, 6, sizeof(float));
    up(b, 1), up(b, 2), up(b, 3);
}

static void page_rank_once(struct clbench *b) {
    cl_int pages = (cl_int)b->size, parts = PARTS;
    up(b, 0);
    for (int round = 0; round < ROUNDS; round++) {
        launch(b, "rank_shares", RANGE1(PARTS * 256, 256), B(0), B(1), V(pages), B(4), B(5));
        launch(b, "rank_base", RANGE1(1, 1), B(5), V(parts), V(pages), V(damping), B(6));
        launch(b, "rank_pull", RANGE1(round_up(pages, 128), 128), B(4), B(2), B(3), B(6), V(pages), V(damping), B(0));
    }
}

/* From page to page, as links go. Sums of some thousand ranks are rounded at each. */
static int page_rank_check(struct clbench *b) {
    const float *got = b->buffer[0].host;
    const cl_int *links = b->buffer[1].host;
    long pages = b->size, from, to;
    double *ranks = calloc((size_t)pages * 2, sizeof *ranks), *next = ranks + pages, highest = 0.0;
    int ok = 1;
    down(b, 0);
    for (long i = 0; i < pages; i++) {
        ranks[i] = 1.0 / (double)pages;
    }
    for (int round = 0; round < ROUNDS; round++) {
        double lost = 0.0;
        uint32_t state = 1351;
        memset(next, 0, (size_t)pages * sizeof *next);
        for (long i = 0; i < pages * LINKS; i++) {
            if (is_linked(pages, i, &from, &to, &state)) {
                next[to] += ranks[from] / links[from];
            }
        }
        for (long i = 0; i < pages; i++) {
            lost += links[i] == 0 ? ranks[i] : 0.0;
        }
        for (long i = 0; i < pages; i++) {
            ranks[i] = (1.0 - (double)damping + (double)damping * lost) / (double)pages + (double)damping * next[i];
        }
    }
    for (long i = 0; ok && i < pages; i++) {
        ok = near("rank", i, got[i] * (double)pages, ranks[i] * (double)pages, 3e-5);
        highest = fmax(highest, ranks[i] * (double)pages);
    }
    free(ranks);
    return ok && same("some page is high", 0, highest > 5.0, 1);
}

enum { SYMBOLS = 512, SHORT = 8, LONGEST = 15 };

struct code {
    cl_ushort table[1 << SHORT];
    cl_uint firsts[LONGEST + 2];
    cl_ushort begins[LONGEST + 2];
    cl_uchar symbols[256];
};

/* How many symbols have codes of each length; a few codes of the longest are of no symbol. */
static const unsigned char of_length[LONGEST + 1] = {0, 0, 1, 2, 3, 4, 4, 4, 8, 8, 16, 20, 40, 50, 40, 56};

static void make_code(struct code *code) {
    cl_uint next = 0, symbol = 0;
    for (int length = 0; length <= LONGEST; length++) {
        code->firsts[length] = next, code->begins[length] = (cl_ushort)symbol;
        for (int k = 0; k < of_length[length]; k++, symbol++) {
            code->symbols[symbol] = (cl_uchar)(symbol * 77 + 13);
            for (cl_uint i = next; length <= SHORT && i < next + (1u << (LONGEST - length)); i += 1 << (LONGEST - SHORT)) {
                code->table[i >> (LONGEST - SHORT)] = (cl_ushort)(code->symbols[symbol] << 4 | length);
            }
            next += 1u << (LONGEST - length);
        }
    }
    code->firsts[LONGEST + 1] = 1 << LONGEST;
}

/* A symbol by its place in the code, as often as its code is short: what a random word begins with. */
static int drawn(const struct code *code, uint32_t *state, int *length, cl_uint *bits) {
    cl_uint word;
    do {
        word = random_word(state) >> (31 - LONGEST) & ((1 << LONGEST) - 1);
    } while (word >= code->firsts[LONGEST] + of_length[LONGEST]);
    for (*length = 1; word >= code->firsts[*length + 1]; ++*length) {
    }
    *bits = word >> (LONGEST - *length);
    return code->begins[*length] + (int)(*bits - (code->firsts[*length] >> (LONGEST - *length)));
}

static void huffman_blocks_prepare(struct clbench *b) {
    long blocks = (b->size + SYMBOLS - 1) / SYMBOLS, at = 0;
    struct code *code = make(b, 0, sizeof *code);
    cl_uint *words = make(b, 1, (size_t)(b->size * LONGEST / 32 + 4) * sizeof *words), bits;
    cl_uint *starts = make(b, 2, (size_t)blocks * sizeof *starts);
    uint32_t state = 1361;
    int length;
    make_code(code);
    make(b, 3, (size_t)b->size);
    for (long i = 0; i < b->size; i++) {
        if (i % SYMBOLS == 0) {
            starts[i / SYMBOLS] = (cl_uint)at;
        }
        drawn(code, &state, &length, &bits);
        for (int k = length - 1; k >= 0; k--, at++) {
            words[at / 32] |= (bits >> k & 1) << (31 - at % 32);
        }
    }
    up(b, 0), up(b, 1), up(b, 2);
}

static void huffman_blocks_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    launch(b, "huffman_blocks", RANGE1(round_up((count + SYMBOLS - 1) / SYMBOLS, 64), 64), B(0), B(1), B(2), V(count), B(3));
}

/* What was drawn. */
static int huffman_blocks_check(struct clbench *b) {
    const struct code *code = b->buffer[0].host;
    const cl_uchar *got = b->buffer[3].host;
    uint32_t state = 1361;
    cl_uint bits;
    long long_ones = 0;
    int ok = 1, length;
    down(b, 3);
    for (long i = 0; ok && i < b->size; i++) {
        ok = same("symbol", i, got[i], code->symbols[drawn(code, &state, &length, &bits)]);
        long_ones += length > SHORT;
    }
    return ok && same("some codes are long", 0, long_ones * 40 > b->size, 1);
}

const struct workload round12_data_workloads[] = {
    WORKLOAD(round12_data, correlate_antennas, 3, 11, 41, 201),
    WORKLOAD(round12_data, page_rank, 501, 20011, 100003, 600011),
    WORKLOAD(round12_data, huffman_blocks, 5003, 500009, 2000003, 10000019),
    END_OF_WORKLOADS,
};
