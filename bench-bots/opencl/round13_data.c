/* Data. Sizes are words of a shard, rows of a table, nodes. */
#include "workloads.h"

enum { SHARDS = 10, PARITY = 4 };

static const int lost_shards[PARITY] = {1, 4, 6, 9};

/* A product in the field of 256 elements, bit by bit. */
static int field_product(int a, int b) {
    int product = 0;
    for (; b > 0; b >>= 1, a = a << 1 ^ (a >= 128 ? 0x11d : 0)) {
        product ^= b & 1 ? a : 0;
    }
    return product;
}

static int field_inverse(int a) {
    int inverse = 1;
    while (field_product(a, inverse) != 1) {
        inverse++;
    }
    return inverse;
}

/* A shard of parity of the shards of data: no square part of this matrix is singular. */
static int parity_factor(int row, int column) { return field_inverse((SHARDS + row) ^ column); }

/* The matrix that gives lost shards of those that are left: the inverse of what made the latter. */
static void make_recovery(const cl_int *order, unsigned char *recovery) {
    int both[SHARDS][2 * SHARDS] = {{0}};
    for (int i = 0; i < SHARDS; i++) {
        for (int j = 0; j < SHARDS; j++) {
            both[i][j] = order[i] < SHARDS ? order[i] == j : parity_factor(order[i] - SHARDS, j);
        }
        both[i][SHARDS + i] = 1;
    }
    for (int step = 0; step < SHARDS; step++) {
        int pivot = step, inverse;
        while (both[pivot][step] == 0) {
            pivot++;
        }
        inverse = field_inverse(both[pivot][step]);
        for (int j = 0; j < 2 * SHARDS; j++) {
            int value = both[pivot][j];
            both[pivot][j] = both[step][j], both[step][j] = field_product(value, inverse);
        }
        for (int i = 0; i < SHARDS; i++) {
            for (int j = 0, factor = both[i][step]; i != step && j < 2 * SHARDS; j++) {
                both[i][j] ^= field_product(factor, both[step][j]);
            }
        }
    }
    for (int i = 0; i < PARITY * SHARDS; i++) {
        recovery[i] = (unsigned char)both[lost_shards[i / SHARDS]][SHARDS + i % SHARDS];
    }
}

static void erasure_code_prepare(struct clbench *b) {
    size_t bytes = (size_t)b->size * 4;
    unsigned char *data = make(b, 0, SHARDS * bytes), *logs = make(b, 6, 256), *powers = make(b, 7, 512);
    unsigned char *matrix = make(b, 3, PARITY * SHARDS);
    cl_int *plain = make(b, 2, SHARDS * sizeof *plain), *order = make(b, 4, SHARDS * sizeof *order);
    uint32_t state = 1549;
    for (size_t i = 0; i < SHARDS * bytes; i++) {
        data[i] = (unsigned char)(random_word(&state) >> 12);
    }
    for (int i = 0, value = 1; i < 512; i++, value = field_product(value, 2)) {
        powers[i] = (unsigned char)value, logs[value] = (unsigned char)(i % 255);
    }
    for (int i = 0, lost = 0; i < SHARDS; i++) {
        plain[i] = i;
        order[i] = lost < PARITY && i == lost_shards[lost] ? SHARDS + lost++ : i;
    }
    for (int i = 0; i < PARITY * SHARDS; i++) {
        matrix[i] = (unsigned char)parity_factor(i / SHARDS, i % SHARDS);
    }
    make_recovery(order, make(b, 5, PARITY * SHARDS));
    make(b, 1, PARITY * bytes), make(b, 8, PARITY * bytes);
    for (int i = 0; i < 8; i++) {
        up(b, i);
    }
}

static void erasure_code_once(struct clbench *b) {
    cl_int words = (cl_int)b->size;
    struct range range = RANGE2(round_up(words, 64), PARITY, 64, 1);
    launch(b, "shard_products", range, B(0), B(8), V(words), B(2), B(3), B(6), B(7), B(1));
    launch(b, "shard_products", range, B(0), B(1), V(words), B(4), B(5), B(6), B(7), B(8));
}

static int erasure_code_check(struct clbench *b) {
    const unsigned char *data = b->buffer[0].host, *parity = b->buffer[1].host, *matrix = b->buffer[3].host;
    const unsigned char *found = b->buffer[8].host;
    long bytes = b->size * 4;
    int ok = 1;
    down(b, 1), down(b, 8);
    for (long i = 0; ok && i < PARITY * bytes; i++) {
        ok = same("byte found again", i, found[i], data[lost_shards[i / bytes] * bytes + i % bytes]);
    }
    for (long i = 0; ok && i < PARITY * bytes; i += bytes / 50000 + 1) {
        int want = 0;
        for (int shard = 0; shard < SHARDS; shard++) {
            want ^= field_product(data[shard * bytes + i % bytes], matrix[i / bytes * SHARDS + shard]);
        }
        ok = same("byte of parity", i, parity[i], want);
    }
    return ok;
}

enum { BLOCK_WORDS = 16, SMALLER = 16 };

static const cl_uint least_amount = 250;

static void bloom_join_prepare(struct clbench *b) {
    size_t blocks = (size_t)(b->size / SMALLER / 32 + 1), filter_bytes = blocks * BLOCK_WORDS * sizeof(cl_uint);
    cl_ulong *keys = make(b, 0, (size_t)(b->size / SMALLER) * sizeof *keys), *rows = make(b, 1, (size_t)b->size * sizeof *rows);
    cl_uint *amounts = make(b, 2, (size_t)b->size * sizeof *amounts);
    uint32_t state = 1553;
    for (long i = 0; i < b->size / SMALLER; i++) {
        keys[i] = (cl_ulong)random_word(&state) << 32 | random_word(&state);
    }
    for (long i = 0; i < b->size; i++) {
        cl_ulong other = (cl_ulong)random_word(&state) << 32 | random_word(&state);
        rows[i] = random_word(&state) % 5 == 0 ? keys[other % (cl_ulong)(b->size / SMALLER)] : other;
        amounts[i] = random_word(&state) % 1000;
    }
    make(b, 3, filter_bytes), make(b, 4, (size_t)b->size * sizeof(cl_uint)), make(b, 5, sizeof(cl_uint));
    up(b, 0), up(b, 1), up(b, 2);
}

static void bloom_join_once(struct clbench *b) {
    cl_uint count = (cl_uint)b->size, keys = count / SMALLER, blocks = keys / 32 + 1, words = blocks * BLOCK_WORDS;
    launch(b, "clear_words", RANGE1(round_up(words, 128), 128), B(3), V(words), B(5));
    launch(b, "bloom_build", RANGE1(round_up(keys, 128), 128), B(0), V(keys), V(blocks), B(3));
    launch(b, "bloom_probe", RANGE1(round_up(count, 128), 128), B(1), B(2), V(count), V(least_amount), V(blocks), B(3), B(4),
           B(5));
}

/* The place of one of a key's four bits in the filter. */
static cl_uint bloom_bit(cl_ulong key, cl_uint blocks, int bit) {
    key = (key ^ key >> 33) * 0xff51afd7ed558ccdul;
    key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53ul;
    key ^= key >> 33;
    return (cl_uint)key % blocks * BLOCK_WORDS * 32 + (cl_uint)(bit % 2) * 256 + (cl_uint)(key >> (32 + 8 * bit) & 255);
}

static int bloom_join_check(struct clbench *b) {
    const cl_ulong *keys = b->buffer[0].host, *rows = b->buffer[1].host;
    const cl_uint *amounts = b->buffer[2].host, *got = b->buffer[4].host, *taken = b->buffer[5].host;
    cl_uint blocks = (cl_uint)(b->size / SMALLER / 32 + 1), wanted = 0;
    unsigned char *filter = calloc(blocks, BLOCK_WORDS * 32), *seen = calloc(1, (size_t)b->size);
    int ok = 1;
    down(b, 4), down(b, 5);
    for (long i = 0; i < b->size / SMALLER * 4; i++) {
        filter[bloom_bit(keys[i / 4], blocks, (int)(i % 4))] = 1;
    }
    ok = same("not more than all", 0, *taken <= (cl_uint)b->size, 1);
    for (cl_uint i = 0; ok && i < *taken; i++) {
        ok = same("a row that is there", i, got[i] < (cl_uint)b->size, 1) && same("once", i, seen[got[i]]++, 0);
    }
    for (long i = 0; ok && i < b->size; i++) {
        int may = amounts[i] >= least_amount;
        for (int bit = 0; bit < 4; bit++) {
            may = may && filter[bloom_bit(rows[i], blocks, bit)];
        }
        ok = same("row", i, seen[i], may);
        wanted += (cl_uint)may;
    }
    free(filter), free(seen);
    return ok && same("few rows are left", 0, wanted > 0 && wanted < (cl_uint)b->size / 4, 1);
}

enum { DEGREE = 4 };

struct edge {
    cl_int from, to;
    cl_uint weight;
};

static void boruvka_prepare(struct clbench *b) {
    long nodes = b->size, count = nodes * DEGREE;
    struct edge *edges = make(b, 0, (size_t)count * sizeof *edges);
    uint32_t state = 1559;
    for (long i = 0; i < count; i++) {
        uint32_t from = random_word(&state) % (uint32_t)nodes, farthest = i % 3 == 0 ? (uint32_t)nodes - 1 : 40;
        uint32_t to = (from + 1 + random_word(&state) % farthest) % (uint32_t)nodes;
        edges[i] = (struct edge){(cl_int)from, (cl_int)to, (cl_uint)i};
    }
    for (long i = count - 1; i > 0; i--) {
        long other = random_word(&state) % (uint32_t)(i + 1);
        cl_uint weight = edges[i].weight;
        edges[i].weight = edges[other].weight, edges[other].weight = weight;
    }
    make(b, 1, (size_t)nodes * sizeof(cl_int)), make(b, 2, (size_t)nodes * sizeof(cl_int));
    make(b, 3, (size_t)nodes * sizeof(cl_uint)), make(b, 4, (size_t)count), make(b, 5, sizeof(cl_int));
    up(b, 0);
}

static void boruvka_once(struct clbench *b) {
    cl_int nodes = (cl_int)b->size, count = nodes * DEGREE;
    const cl_int *joined = b->buffer[5].host;
    struct range of_nodes = RANGE1(round_up(nodes, 128), 128), of_edges = RANGE1(4096, 128);
    memset(b->buffer[4].host, 0, b->buffer[4].bytes);
    up(b, 4);
    launch(b, "forest_start", of_nodes, B(1), B(2), V(nodes));
    do {
        launch(b, "forest_reset", of_nodes, B(3), V(nodes), B(5));
        launch(b, "forest_lightest", of_edges, B(0), V(count), B(1), B(3));
        launch(b, "forest_join", of_edges, B(0), V(count), B(1), B(3), B(2), B(4), B(5));
        launch(b, "forest_climb", of_nodes, B(1), B(2), V(nodes));
        down(b, 5);
    } while (*joined != 0);
}

static cl_int root_of(cl_int *up_from, cl_int node) {
    for (; up_from[node] != node; node = up_from[node]) {
        up_from[node] = up_from[up_from[node]];
    }
    return node;
}

/* By Kruskal's way: edges from the lightest on, each that joins two trees. */
static int boruvka_check(struct clbench *b) {
    const struct edge *edges = b->buffer[0].host;
    const unsigned char *taken = b->buffer[4].host;
    long count = b->size * DEGREE, joins = 0;
    cl_int *by_weight = calloc((size_t)(count + b->size), sizeof *by_weight), *up_from = by_weight + count;
    int ok = 1;
    down(b, 4);
    for (long i = 0; i < count; i++) {
        by_weight[edges[i].weight] = (cl_int)i;
        up_from[i % b->size] = (cl_int)(i % b->size);
    }
    for (long i = 0; ok && i < count; i++) {
        const struct edge *edge = edges + by_weight[i];
        cl_int a = root_of(up_from, edge->from), other = root_of(up_from, edge->to);
        up_from[a] = other;
        ok = same("edge", by_weight[i], taken[by_weight[i]], a != other);
        joins += a != other;
    }
    free(by_weight);
    return ok && same("most nodes are in a tree", 0, joins > b->size / 2, 1);
}

const struct workload round13_data_workloads[] = {
    WORKLOAD(round13_data, erasure_code, 301, 7001, 50021, 600011),
    WORKLOAD(round13_data, bloom_join, 3001, 300007, 2000003, 10000019),
    WORKLOAD(round13_data, boruvka, 501, 12007, 60013, 400009),
    END_OF_WORKLOADS,
};
