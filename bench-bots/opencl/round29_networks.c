/* Networks. Sizes are sources, packets. */
#include "workloads.h"

enum { NODES = 1021, NEIGHBOURS = 3, SHORTCUTS = 1500, WALKERS = 128 };

/* A ring whose nodes know those that are near, and some that are far: links are sorted by counting. */
static void fill_graph(struct clbench *b) {
    enum { EDGES = NODES * NEIGHBOURS + SHORTCUTS };
    static cl_ushort ends[2 * EDGES][2];
    cl_int *starts = make(b, 0, (NODES + 1) * sizeof *starts), at[NODES];
    cl_ushort *links = make(b, 1, 2 * EDGES * sizeof *links);
    for (long i = 0; i < EDGES; i++) {
        uint32_t one = (uint32_t)(i % NODES), other = (one + 1 + (uint32_t)(i / NODES)) % NODES;
        if (i >= NODES * NEIGHBOURS) {
            one = mixed_word((uint32_t)i) % 211 * 4, other = mixed_word(~(uint32_t)i) % NODES;
        }
        ends[2 * i][0] = ends[2 * i + 1][1] = (cl_ushort)one, ends[2 * i][1] = ends[2 * i + 1][0] = (cl_ushort)other;
    }
    for (long i = 0; i < 2 * EDGES; i++) {
        starts[ends[i][0] + 1]++;
    }
    for (long i = 0; i < NODES; i++) {
        starts[i + 1] += starts[i], at[i] = starts[i];
    }
    for (long i = 0; i < 2 * EDGES; i++) {
        links[at[ends[i][0]]++] = ends[i][1];
    }
    up(b, 0), up(b, 1);
}

static void betweenness_prepare(struct clbench *b) {
    fill_graph(b);
    cl_int *sources = make(b, 2, (size_t)b->size * sizeof *sources);
    for (long i = 0; i < b->size; i++) {
        sources[i] = (cl_int)(i * 389 % NODES);
    }
    make(b, 3, NODES * sizeof(cl_float));
    up(b, 2);
}

static void betweenness_once(struct clbench *b) {
    cl_int nodes = NODES;
    memset(b->buffer[3].host, 0, b->buffer[3].bytes);
    up(b, 3);
    launch(b, "betweenness", RANGE1((size_t)b->size * WALKERS, WALKERS), B(0), B(1), V(nodes), B(2), B(3));
}

/* Adds what one source gives, from its farthest nodes back to it. */
static void add_shares(const struct clbench *b, int source, double *sums) {
    const cl_int *starts = b->buffer[0].host;
    const cl_ushort *links = b->buffer[1].host;
    static double ways[NODES], shares[NODES];
    static int depth[NODES], order[NODES];
    int count = 1;
    for (int i = 0; i < NODES; i++) {
        ways[i] = shares[i] = 0.0, depth[i] = -1;
    }
    order[0] = source, ways[source] = 1.0, depth[source] = 0;
    for (int at = 0; at < count; at++) {
        for (int k = starts[order[at]]; k < starts[order[at] + 1]; k++) {
            if (depth[links[k]] < 0) {
                depth[links[k]] = depth[order[at]] + 1, order[count++] = links[k];
            }
            ways[links[k]] += depth[links[k]] > depth[order[at]] ? ways[order[at]] : 0.0;
        }
    }
    while (--count > 0) {
        int node = order[count];
        for (int k = starts[node]; k < starts[node + 1]; k++) {
            shares[links[k]] += depth[links[k]] < depth[node] ? ways[links[k]] / ways[node] * (1.0 + shares[node]) : 0.0;
        }
        sums[node] += shares[node];
    }
}

static int betweenness_check(struct clbench *b) {
    const cl_int *sources = b->buffer[2].host;
    const cl_float *got = b->buffer[3].host;
    double sums[NODES] = {0.0};
    int ok = 1;
    down(b, 3);
    for (long i = 0; i < b->size; i++) {
        add_shares(b, sources[i], sums);
    }
    for (long i = 0; ok && i < NODES; i++) {
        ok = near("score", i, (double)got[i], sums[i], 1e-4);
    }
    return ok;
}

enum { RULES = 1000, FIELDS = 5, WORDS = 32, PACKETS = 64, MOST_BOUNDS = 2 * RULES + 1, NO_RULE = 0xffff };

/* As the kernel has it. */
struct packet {
    cl_uint from, to;
    cl_ushort from_port, to_port;
    cl_uchar protocol, flags;
    cl_ushort length;
};
/* From and to which values a rule's fields are. */
struct rule {
    cl_uint low[FIELDS], high[FIELDS];
};
static struct rule rules[RULES];

/* Addresses by their first bits, ports alone, in a range, or all of them, two protocols or all. */
static void fill_rules(void) {
    uint32_t state = 4789;
    for (long i = 0; i < RULES; i++) {
        for (int k = 0; k < FIELDS; k++) {
            uint32_t word = random_word(&state) >> 8, most = k < 2 ? 0xffffffffu : k < 4 ? 0xffffu : 0xffu;
            uint32_t bits = word % 8 == 0 && k == i % 2 ? 0 : 12 + word % 21, low = mixed_word(word % 300) >> (k < 2 ? 0 : 20);
            uint32_t mask = bits == 0 ? 0 : 0xffffffffu << (32 - bits);
            rules[i].low[k] = k < 2 ? low & mask : k == 4 ? (word & 1 ? 6 : 17) : low;
            rules[i].high[k] = k < 2 ? low | ~mask : k == 4 ? rules[i].low[k] : word % 3 == 0 ? low + word % 1000 : low;
            if (k >= 2 && (word >> 6) % (k == 2 ? 8 : 3) != 0) {
                rules[i].low[k] = 0, rules[i].high[k] = most;
            }
        }
    }
}

static int by_number(const void *a, const void *b) {
    cl_uint x = *(const cl_uint *)a, y = *(const cl_uint *)b;
    return (x > y) - (x < y);
}

/* The first values of a field's intervals, in which no rule begins or ends; gives how many. */
static cl_uint bounds_of(int field, cl_uint *bounds) {
    cl_uint some[MOST_BOUNDS] = {0}, count = 1, kept = 0;
    for (long i = 0; i < RULES; i++) {
        some[count++] = rules[i].low[field];
        some[count] = rules[i].high[field] + 1, count += some[count] != 0;
    }
    qsort(some, count, sizeof *some, by_number);
    for (cl_uint i = 0; i < count; i++) {
        if (i == 0 || some[i] != some[i - 1]) {
            bounds[kept++] = some[i];
        }
    }
    return kept;
}

static void fill_sets(struct clbench *b) {
    cl_uint *firsts = make(b, 1, (FIELDS + 1) * sizeof *firsts);
    cl_uint *bounds = make(b, 2, FIELDS * MOST_BOUNDS * sizeof *bounds);
    cl_uint *summaries = make(b, 3, FIELDS * MOST_BOUNDS * sizeof *summaries);
    cl_uint *sets = make(b, 4, FIELDS * MOST_BOUNDS * WORDS * sizeof *sets);
    for (int k = 0; k < FIELDS; k++) {
        firsts[k + 1] = firsts[k] + bounds_of(k, bounds + firsts[k]);
        for (cl_uint at = firsts[k]; at < firsts[k + 1]; at++) {
            for (cl_uint i = 0; i < RULES; i++) {
                cl_uint fits = rules[i].low[k] <= bounds[at] && bounds[at] <= rules[i].high[k];
                sets[at * WORDS + i / 32] |= fits << i % 32, summaries[at] |= fits << i / 32;
            }
        }
    }
    up(b, 1), up(b, 2), up(b, 3), up(b, 4);
}

/* Three of four packets fit some rule, others hardly one. */
static void packet_rules_prepare(struct clbench *b) {
    struct packet *packets = make(b, 0, (size_t)b->size * sizeof *packets);
    uint32_t state = 4793;
    fill_rules(), fill_sets(b);
    for (long i = 0; i < b->size; i++) {
        const struct rule *rule = rules + (random_word(&state) >> 8) % RULES;
        cl_uint value[FIELDS], is_wild = (random_word(&state) >> 8) % 4 == 0;
        for (int k = 0; k < FIELDS; k++) {
            uint64_t wide = (uint64_t)rule->high[k] - rule->low[k] + 1, word = random_word(&state);
            value[k] = is_wild && k % 3 == 0 ? mixed_word((uint32_t)word) : rule->low[k] + (cl_uint)(word * wide >> 32);
        }
        packets[i] = (struct packet){value[0], value[1], (cl_ushort)value[2], (cl_ushort)value[3],
            (cl_uchar)value[4], 0, (cl_ushort)(64 + random_word(&state) % 1400)};
    }
    make(b, 5, (size_t)b->size * sizeof(cl_ushort));
    make(b, 6, RULES * sizeof(cl_uint)), make(b, 7, RULES * sizeof(cl_uint));
    up(b, 0);
}

static void packet_rules_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    for (int i = 6; i < 8; i++) {
        memset(b->buffer[i].host, 0, b->buffer[i].bytes), up(b, i);
    }
    launch(b, "packet_rules", RANGE1(round_up(b->size, PACKETS), PACKETS), B(0), V(count), B(1), B(2), B(3), B(4), B(5),
           B(6), B(7));
}

/* Rule after rule. */
static long first_rule(const struct packet *packet) {
    cl_uint value[FIELDS] = {packet->from, packet->to, packet->from_port, packet->to_port, packet->protocol};
    for (long i = 0; i < RULES; i++) {
        int fits = 1;
        for (int k = 0; k < FIELDS && fits; k++) {
            fits = rules[i].low[k] <= value[k] && value[k] <= rules[i].high[k];
        }
        if (fits) {
            return i;
        }
    }
    return NO_RULE;
}

static int packet_rules_check(struct clbench *b) {
    const struct packet *packets = b->buffer[0].host;
    const cl_ushort *got = b->buffer[5].host;
    const cl_uint *hits = b->buffer[6].host, *lengths = b->buffer[7].host;
    static cl_uint counts[RULES], sums[RULES];
    long fitting = 0;
    int ok = 1;
    down(b, 5), down(b, 6), down(b, 7);
    for (long i = 0; ok && i < b->size; i++) {
        long want = first_rule(packets + i);
        ok = same("rule", i, got[i], want);
        if (want != NO_RULE) {
            counts[want]++, sums[want] += packets[i].length, fitting++;
        }
    }
    for (long i = 0; ok && i < RULES; i++) {
        ok = same("packets", i, hits[i], counts[i]) && same("lengths", i, lengths[i], sums[i]);
    }
    return ok && same("some fit none", 0, fitting * 2 > b->size && fitting * 20 < 19 * b->size, 1);
}

const struct workload round29_networks_workloads[] = {
    WORKLOAD(round29_networks, betweenness, 5, 101, 401, 1021),
    WORKLOAD(round29_networks, packet_rules, 501, 60013, 250007, 1000003),
    END_OF_WORKLOADS,
};
