/* Data. Sizes are values, values, nodes. */
#include "workloads.h"

enum { PART = 512 };

static cl_int parts_of(const struct clbench *b) { return (cl_int)((b->size + PART - 1) / PART); }

/* Segments of some values, and now and then of thousands; values whose sums need more than 32 bits. */
static void segmented_sums_prepare(struct clbench *b) {
    cl_int *values = make(b, 0, (size_t)b->size * sizeof *values);
    unsigned char *heads = make(b, 1, (size_t)b->size);
    uint32_t state = 1221;
    for (long i = 0, left = 0; i < b->size; i++, left--) {
        values[i] = (cl_int)random_word(&state);
        if (left == 0) {
            heads[i] = i > 0;
            left = 1 + (random_word(&state) % 50 == 0 ? random_word(&state) % 6000 : random_word(&state) % 40);
        }
    }
    make(b, 2, (size_t)b->size * sizeof(cl_long));
    make(b, 3, (size_t)parts_of(b) * sizeof(cl_long)), make(b, 4, (size_t)parts_of(b) * sizeof(cl_int));
    make(b, 5, (size_t)parts_of(b) * sizeof(cl_int)), make(b, 6, (size_t)parts_of(b) * sizeof(cl_long));
    up(b, 0), up(b, 1);
}

static void segmented_sums_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, parts = parts_of(b);
    launch(b, "segment_parts", RANGE1((size_t)parts * 128, 128), B(0), B(1), V(count), B(2), B(3), B(4), B(5));
    launch(b, "segment_carries", RANGE1(128, 128), B(3), B(4), V(parts), B(6));
    launch(b, "segment_add", RANGE1(round_up(count, 256), 256), B(6), B(5), V(count), B(2));
}

static int segmented_sums_check(struct clbench *b) {
    const cl_int *values = b->buffer[0].host;
    const unsigned char *heads = b->buffer[1].host;
    const cl_long *got = b->buffer[2].host;
    long sum = 0;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i++) {
        sum = (heads[i] ? 0 : sum) + values[i];
        ok = same("sum", i, got[i], sum);
    }
    return ok;
}

enum { BLOCK = 256, MOST_BITS = 40 };

struct block {
    cl_long first, least;
    cl_uint start, bits;
};

static long blocks_of(const struct clbench *b) { return (b->size + BLOCK - 1) / BLOCK; }

/* The values, which the check asks for again: times that go on, by steps that are alike within a block, and sometimes back. */
static void times_of(long blocks, cl_long *values) {
    uint32_t state = 1231;
    cl_long time = 1700000000000000;
    for (long i = 0; i < blocks * BLOCK; i++) {
        int bits = (int)(i / BLOCK * 7 % 39);
        uint64_t word = (uint64_t)random_word(&state) << 20 ^ random_word(&state);
        values[i] = time;
        time += (cl_long)(word & (((uint64_t)1 << bits) - 1)) - ((cl_long)1 << bits) / 3 + (i / BLOCK % 3) * 1000;
    }
}

/* Puts the lowest bits of a word behind those that are there. */
static void put(cl_uint *words, long bit, int bits, uint64_t word) {
    for (int k = 0; k < bits; k++, bit++) {
        words[bit / 32] |= (cl_uint)(word >> k & 1) << (bit % 32);
    }
}

static void delta_unpack_prepare(struct clbench *b) {
    long blocks = blocks_of(b), words = 0;
    cl_long *values = calloc((size_t)(blocks * BLOCK), sizeof *values);
    struct block *of = make(b, 0, (size_t)blocks * sizeof *of);
    cl_uint *packed = make(b, 1, (size_t)(blocks * BLOCK * MOST_BITS / 32 + 3) * sizeof *packed);
    times_of(blocks, values);
    for (long i = 0; i < blocks; i++) {
        const cl_long *in = values + i * BLOCK;
        cl_long least = in[1] - in[0], most = least;
        for (int k = 2; k < BLOCK; k++) {
            cl_long step = in[k] - in[k - 1];
            least = step < least ? step : least, most = step > most ? step : most;
        }
        of[i] = (struct block){in[0], least, (cl_uint)words, 0};
        while ((most - least) >> of[i].bits > 0) {
            of[i].bits++;
        }
        for (int k = 1; k < BLOCK; k++) {
            put(packed + words, (long)k * of[i].bits, (int)of[i].bits, (uint64_t)(in[k] - in[k - 1] - least));
        }
        words += BLOCK / 32 * of[i].bits;
    }
    free(values);
    make(b, 2, (size_t)b->size * sizeof *values), make(b, 3, (size_t)b->size);
    up(b, 0), up(b, 1);
}

static void delta_unpack_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    launch(b, "delta_unpack", RANGE1((size_t)blocks_of(b) * 128, 128), B(0), B(1), V(count), B(2), B(3));
}

static int delta_unpack_check(struct clbench *b) {
    const struct block *of = b->buffer[0].host;
    const cl_long *got = b->buffer[2].host;
    const unsigned char *hours = b->buffer[3].host;
    cl_long *values = calloc((size_t)(blocks_of(b) * BLOCK), sizeof *values);
    cl_uint most = 0;
    int ok = 1;
    times_of(blocks_of(b), values);
    down(b, 2), down(b, 3);
    for (long i = 0; ok && i < b->size; i++) {
        most = of[i / BLOCK].bits > most ? of[i / BLOCK].bits : most;
        ok = same("value", i, got[i], values[i]) && same("hour", i, hours[i], values[i] / 1000000 % 86400 / 3600);
    }
    free(values);
    return ok && same("some have many bits, none too many", 0, most > 33 && most <= MOST_BITS, 1);
}

enum { MOST_EDGES = 60, EDGES_OF_NODE = 4 };

/* Edges to near nodes, far ones and hubs, which are nodes that many have an edge to; no node has more than MOST_EDGES. */
static long edges_of(const struct clbench *b, cl_int *degrees, cl_int2 *edges) {
    uint32_t state = 1241;
    long nodes = b->size, count = 0;
    for (long i = 0; i < nodes * EDGES_OF_NODE; i++) {
        long from = i / EDGES_OF_NODE, to = random_word(&state) % (uint32_t)nodes;
        if (i % 4 != 0) {
            to = i % 4 == 1 ? to / 31 * 31 : (from + 1 + random_word(&state) % 40) % nodes;
        }
        if (from != to && degrees[from] < MOST_EDGES && degrees[to] < MOST_EDGES) {
            degrees[from]++, degrees[to]++;
            edges[count++] = (cl_int2){{(cl_int)from, (cl_int)to}};
        }
    }
    return count;
}

static void colour_graph_prepare(struct clbench *b) {
    long nodes = b->size;
    cl_int2 *edges = calloc((size_t)(nodes * EDGES_OF_NODE), sizeof *edges);
    cl_int *places = calloc((size_t)nodes, sizeof *places), *starts = make(b, 0, (size_t)(nodes + 1) * sizeof *starts);
    long count = edges_of(b, starts + 1, edges);
    for (long i = 0; i < nodes; i++) {
        starts[i + 1] += starts[i];
        places[i] = starts[i];
    }
    cl_int *neighbours = make(b, 1, (size_t)count * 2 * sizeof *neighbours);
    for (long i = 0; i < count; i++) {
        neighbours[places[edges[i].s[0]]++] = edges[i].s[1];
        neighbours[places[edges[i].s[1]]++] = edges[i].s[0];
    }
    free(edges), free(places);
    memset(make(b, 2, (size_t)nodes * sizeof(cl_int)), -1, (size_t)nodes * sizeof(cl_int));
    make(b, 3, (size_t)nodes * sizeof(cl_int)), make(b, 4, sizeof(cl_int)), make(b, 5, (size_t)nodes * sizeof(cl_int));
    up(b, 0), up(b, 1);
}

/* Two rounds at a time, from one buffer of colours to the other and back, until none is left in the second. */
static void colour_graph_once(struct clbench *b) {
    cl_int nodes = (cl_int)b->size, *left = b->buffer[4].host;
    struct range range = RANGE1(round_up(nodes, 128), 128);
    up(b, 2);
    do {
        launch(b, "colour_round", range, B(0), B(1), V(nodes), B(2), B(3), B(4));
        *left = 0;
        up(b, 4);
        launch(b, "colour_round", range, B(0), B(1), V(nodes), B(3), B(2), B(4));
        down(b, 4);
    } while (*left > 0);
}

struct ranked {
    uint32_t rank;
    cl_int node;
};

static int from_high_to_low(const void *a, const void *b) {
    uint32_t x = ((const struct ranked *)a)->rank, y = ((const struct ranked *)b)->rank;
    return (x < y) - (x > y);
}

/* Murmur's last steps. */
static uint32_t mixed(uint32_t word) {
    word = (word ^ word >> 16) * 0x85ebca6bu;
    word = (word ^ word >> 13) * 0xc2b2ae35u;
    return word ^ word >> 16;
}

/* One node after the other, from the highest rank on. */
static int colour_graph_check(struct clbench *b) {
    const cl_int *starts = b->buffer[0].host, *neighbours = b->buffer[1].host;
    struct ranked *order = calloc((size_t)b->size, sizeof *order);
    cl_int *want = calloc((size_t)b->size, sizeof *want), *got = b->buffer[5].host, colours = 0;
    int ok = 1;
    for (long i = 0; i < b->size; i++) {
        order[i] = (struct ranked){mixed((uint32_t)i), (cl_int)i};
        want[i] = -1;
    }
    qsort(order, (size_t)b->size, sizeof *order, from_high_to_low);
    cl_need(clEnqueueReadBuffer(b->queue, b->buffer[2].device, CL_TRUE, 0, b->buffer[5].bytes, got, 0, NULL, NULL),
            "clEnqueueReadBuffer");
    for (long i = 0; ok && i < b->size; i++) {
        unsigned char taken[MOST_EDGES + 2] = {0};
        cl_int node = order[i].node, colour = 0;
        for (cl_int k = starts[node]; k < starts[node + 1]; k++) {
            taken[want[neighbours[k]] + 1] = 1;
        }
        for (; taken[colour + 1]; colour++) {
        }
        want[node] = colour;
        colours = colour >= colours ? colour + 1 : colours;
        ok = same("colour", node, got[node], colour);
    }
    free(order), free(want);
    return ok && same("some colours", 0, colours > 3 && colours < 30, 1);
}

const struct workload round11_data_workloads[] = {
    WORKLOAD(round11_data, segmented_sums, 4001, 1000003, 4000037, 20000003),
    WORKLOAD(round11_data, delta_unpack, 10501, 1000003, 4000037, 20000003),
    WORKLOAD(round11_data, colour_graph, 307, 30011, 120011, 600011),
    END_OF_WORKLOADS,
};
