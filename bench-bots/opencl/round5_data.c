/* Data. Sizes are blocks, rows, vertices and chunks of a text. */
#include "workloads.h"

enum { BLOCK_WORDS = 16 };
static const cl_uint cipher_key[8] = {0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c, 0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c};
static const cl_uint counter = 0xfffffff0, nonce[3] = {0x09000000, 0x4a000000, 0x31415927};

static void chacha20_prepare(struct clbench *b) {
    uint32_t state = 531, *plain = make(b, 1, (size_t)b->size * BLOCK_WORDS * sizeof *plain);
    memcpy(make(b, 0, sizeof cipher_key), cipher_key, sizeof cipher_key);
    make(b, 2, (size_t)b->size * BLOCK_WORDS * sizeof *plain);
    for (long i = 0; i < b->size * BLOCK_WORDS; i++) {
        plain[i] = random_word(&state);
    }
    up(b, 0), up(b, 1);
}

/* An item has about two blocks. */
static void chacha20_once(struct clbench *b) {
    cl_uint blocks = (cl_uint)b->size;
    launch(b, "chacha20", RANGE1(round_up(b->size / 2 + 1, 128), 128), B(0), V(counter), V(nonce[0]), V(nonce[1]), V(nonce[2]),
           B(1), B(2), V(blocks));
}

static void quarter_round(uint32_t *s, int a, int b, int c, int d) {
    static const int turns[4] = {16, 12, 8, 7};
    for (int i = 0; i < 4; i++) {
        int to = i % 2 ? c : a, from = i % 2 ? d : b, turned = i % 2 ? b : d;
        s[to] += s[from];
        s[turned] ^= s[to];
        s[turned] = s[turned] << turns[i] | s[turned] >> (32 - turns[i]);
    }
}

/* Word by word, first the columns, then the diagonals. */
static void stream_of(cl_uint block, uint32_t *stream) {
    uint32_t start[BLOCK_WORDS] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    memcpy(start + 4, cipher_key, sizeof cipher_key);
    start[12] = counter + block;
    memcpy(start + 13, nonce, sizeof nonce);
    memcpy(stream, start, sizeof start);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 4; i++) {
            int shift = round % 2;
            quarter_round(stream, i, 4 + (i + shift) % 4, 8 + (i + 2 * shift) % 4, 12 + (i + 3 * shift) % 4);
        }
    }
    for (int i = 0; i < BLOCK_WORDS; i++) {
        stream[i] += start[i];
    }
}

static int chacha20_check(struct clbench *b) {
    const cl_uint *plain = b->buffer[1].host, *got = b->buffer[2].host;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size * BLOCK_WORDS; i++) {
        uint32_t stream[BLOCK_WORDS];
        if (i % BLOCK_WORDS == 0) {
            stream_of((cl_uint)(i / BLOCK_WORDS), stream);
        }
        ok = same("word", i, got[i], plain[i] ^ stream[i % BLOCK_WORDS]);
    }
    return ok;
}

enum { PROBES = 4, JOIN_ITEMS = 64 };

/* Different numbers for different i: each step can be undone. */
static uint64_t key_of(uint64_t i) {
    i = (i + 1) * 0x9e3779b97f4a7c15u;
    i = (i ^ i >> 29) * 0xbf58476d1ce4e5b9u;
    return i ^ i >> 32;
}

/* A power of two, and at least half of the slots stay free. */
static size_t slots_of(const struct clbench *b) {
    size_t slots = 64;
    while (slots < 2 * (size_t)b->size) {
        slots *= 2;
    }
    return slots;
}

/* Which row a probe asks for; some ask for none that is there. */
static uint64_t partner_of(long probe, const struct clbench *b) {
    return key_of((uint64_t)probe + 0x100000000u) % (uint64_t)(b->size + b->size / 2);
}

static void hash_join_prepare(struct clbench *b) {
    uint64_t *keys = make(b, 0, (size_t)b->size * sizeof *keys), *probes = make(b, 3, PROBES * (size_t)b->size * sizeof *probes);
    cl_int *payload = make(b, 1, (size_t)b->size * sizeof *payload);
    make(b, 2, slots_of(b) * sizeof(cl_uint));
    make(b, 4, PROBES * (size_t)b->size * sizeof(cl_int));
    make(b, 5, sizeof(cl_uint));
    for (long i = 0; i < b->size; i++) {
        keys[i] = key_of((uint64_t)i);
        payload[i] = (cl_int)(7 * i % 1000003);
    }
    for (long i = 0; i < PROBES * b->size; i++) {
        probes[i] = key_of(partner_of(i, b));
    }
    up(b, 0), up(b, 1), up(b, 3);
}

static void hash_join_once(struct clbench *b) {
    cl_uint rows = (cl_uint)b->size, probes = PROBES * rows, mask = (cl_uint)slots_of(b) - 1;
    launch(b, "join_clear", RANGE1(slots_of(b), JOIN_ITEMS), B(2), B(5));
    launch(b, "join_build", RANGE1(round_up(rows, JOIN_ITEMS), JOIN_ITEMS), B(0), V(rows), B(2), V(mask));
    launch(b, "join_probe", RANGE1(round_up(rows, JOIN_ITEMS), JOIN_ITEMS), B(0), B(1), B(2), V(mask), B(3), V(probes), B(4),
           B(5));
}

static int hash_join_check(struct clbench *b) {
    const cl_int *payload = b->buffer[1].host, *got = b->buffer[4].host;
    long matches = 0;
    int ok = 1;
    down(b, 4), down(b, 5);
    for (long i = 0; ok && i < PROBES * b->size; i++) {
        long row = (long)partner_of(i, b);
        ok = same("joined", i, got[i], row < b->size ? payload[row] : -1);
        matches += row < b->size;
    }
    return ok && same("matches", 0, *(cl_uint *)b->buffer[5].host, matches);
}

enum { DEGREE = 14 };

/* Edges to vertices that are near by number, and some to any other; about a tenth of the vertices has many more. */
static void sssp_prepare(struct clbench *b) {
    cl_uint *first = make(b, 0, (size_t)(b->size + 1) * sizeof *first), edges = 0;
    cl_uint *neighbour = make(b, 1, (size_t)b->size * DEGREE * sizeof *neighbour);
    cl_ushort *weight = make(b, 2, (size_t)b->size * DEGREE * sizeof *weight);
    uint32_t state = 533;
    make(b, 3, (size_t)b->size);
    make(b, 4, (size_t)b->size * sizeof(cl_uint));
    make(b, 5, (size_t)b->size * sizeof(cl_uint));
    make(b, 6, sizeof(cl_int));
    for (long v = 0; v < b->size; v++) {
        uint32_t word = random_word(&state) >> 8, degree = word % 10 == 0 ? DEGREE : word / 16 % 6;
        for (uint32_t k = 0; k < degree; k++, edges++) {
            uint32_t any = random_word(&state) >> 4;
            neighbour[edges] = (cl_uint)((k % 4 == 0 ? any : (uint32_t)v + any % 64) % (uint32_t)b->size);
            weight[edges] = (cl_ushort)(1 + (random_word(&state) >> 8) % 999);
        }
        first[v + 1] = edges;
    }
    up(b, 0), up(b, 1), up(b, 2);
}

static void sssp_once(struct clbench *b) {
    cl_uint vertices = (cl_uint)b->size;
    cl_uint *distance = b->buffer[4].host;
    cl_int *again = b->buffer[6].host;
    memset(b->buffer[3].host, 0, (size_t)b->size);
    memset(distance, 255, (size_t)b->size * sizeof *distance);
    *(unsigned char *)b->buffer[3].host = 1;
    distance[0] = 0;
    memcpy(b->buffer[5].host, distance, (size_t)b->size * sizeof *distance);
    up(b, 3), up(b, 4), up(b, 5);
    do {
        *again = 0;
        up(b, 6);
        launch(b, "sssp_relax", RANGE1(round_up(vertices, 128), 128), B(0), B(1), B(2), B(3), B(4), B(5), V(vertices));
        launch(b, "sssp_commit", RANGE1(round_up(vertices, 128), 128), B(3), B(4), B(5), V(vertices), B(6));
        down(b, 6);
    } while (*again);
}

/* Distances are right if no edge makes one less, and each but the first one's is made by an edge. */
static int sssp_check(struct clbench *b) {
    const cl_uint *first = b->buffer[0].host, *neighbour = b->buffer[1].host, *got = b->buffer[4].host;
    const cl_ushort *weight = b->buffer[2].host;
    unsigned char *made = calloc((size_t)b->size, 1);
    long reached = 0;
    int ok = 1;
    down(b, 4);
    made[0] = got[0] == 0;
    for (long v = 0; ok && v < b->size; v++) {
        for (cl_uint e = first[v]; ok && got[v] != UINT32_MAX && e < first[v + 1]; e++) {
            ok = same("not too far", neighbour[e], got[neighbour[e]] <= got[v] + weight[e], 1);
            made[neighbour[e]] |= got[neighbour[e]] == got[v] + weight[e];
        }
    }
    for (long v = 0; ok && v < b->size; v++) {
        ok = same("made", v, made[v], got[v] != UINT32_MAX);
        reached += got[v] != UINT32_MAX;
    }
    free(made);
    return ok && same("most are reached", 0, reached > b->size / 2, 1);
}

enum { CHUNK = 2048, CHUNK_ITEMS = 128 };

/* Fields of some letters, some of them in quotes, with commas and ends of lines there too. */
static void csv_fields_prepare(struct clbench *b) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz 0123456789-.:";
    unsigned char *text = make(b, 0, (size_t)b->size * CHUNK);
    uint32_t state = 534;
    make(b, 1, (size_t)b->size * sizeof(cl_uint));
    make(b, 2, (size_t)b->size * sizeof(cl_uint2));
    for (long at = 0; at < b->size * CHUNK;) {
        uint32_t word = random_word(&state) >> 8, length = word % 13;
        int quoted = word / 16 % 5 == 0;
        for (uint32_t k = 0; k < length + 2 * (uint32_t)quoted && at < b->size * CHUNK; k++, at++) {
            uint32_t here = random_word(&state) >> 8;
            int quote = quoted && (k == 0 || k == length + 1);
            text[at] = (unsigned char)(quote ? '"' : quoted && here % 6 == 0 ? ",\n"[here / 8 % 2] : letters[here % 40]);
        }
        if (at < b->size * CHUNK) {
            text[at++] = word / 128 % 8 == 0 ? '\n' : ',';
        }
    }
    up(b, 0);
}

/* The host makes sums of the quotes between the two kernels. */
static void csv_fields_once(struct clbench *b) {
    cl_uint *quotes = b->buffer[1].host, sum = 0;
    struct range range = RANGE1((size_t)b->size * CHUNK_ITEMS, CHUNK_ITEMS);
    launch(b, "csv_quotes", range, B(0), B(1));
    down(b, 1);
    for (long chunk = 0; chunk < b->size; chunk++) {
        cl_uint here = quotes[chunk];
        quotes[chunk] = sum;
        sum += here;
    }
    up(b, 1);
    launch(b, "csv_fields", range, B(0), B(1), B(2));
}

static int csv_fields_check(struct clbench *b) {
    const unsigned char *text = b->buffer[0].host;
    const cl_uint2 *got = b->buffer[2].host;
    int quoted = 0, ok = 1;
    down(b, 2);
    for (long chunk = 0; ok && chunk < b->size; chunk++) {
        long commas = 0, ends = 0;
        for (int i = 0; i < CHUNK; i++, text++) {
            quoted ^= *text == '"';
            commas += !quoted && *text == ',';
            ends += !quoted && *text == '\n';
        }
        ok = same("commas", chunk, got[chunk].s[0], commas) && same("ends", chunk, got[chunk].s[1], ends);
    }
    return ok;
}

const struct workload round5_data_workloads[] = {
    WORKLOAD(round5_data, chacha20, 301, 100003, 400009, 1000003),
    WORKLOAD(round5_data, hash_join, 301, 40009, 300007, 1000003),
    WORKLOAD(round5_data, sssp, 301, 30011, 200003, 1000003),
    WORKLOAD(round5_data, csv_fields, 7, 1501, 8009, 30011),
    END_OF_WORKLOADS,
};
