/* Networks: which nodes are on the shortest ways of others, and which rule a packet falls under. */

#define WALKERS 128 /* of a work-group */
#define MOST_NODES 1024
#define MOST_LEVELS 64
#define UNSEEN (-1)

/* Adds to a number of all work-groups. */
inline void add_float(volatile __global uint *sum, const float more)
{
    uint old = *sum, seen;
    while ((seen = atomic_cmpxchg(sum, old, as_uint(as_float(old) + more))) != old) old = seen;
}

/* Each work-group goes from one source through a graph, level after level, counts the shortest ways to
 * each node, and on the way back which share of them each node is on, after Brandes. */
__kernel __attribute__((reqd_work_group_size(WALKERS, 1, 1)))
void betweenness(__global const int *starts, __global const ushort *links, const int nodes,
                 __global const int *sources, volatile __global uint *scores)
{
    __local int depth[MOST_NODES];
    __local uint ways[MOST_NODES];
    __local float shares[MOST_NODES];
    __local ushort order[MOST_NODES];
    __local int level_starts[MOST_LEVELS + 1];
    __local int count;

    const int lid = get_local_id(0), source = sources[get_group_id(0)];
    for (int i = lid; i < nodes; i += WALKERS) {
        depth[i] = i == source ? 0 : UNSEEN;
        ways[i] = i == source ? 1 : 0;
        shares[i] = 0.0f;
    }
    if (lid == 0) {
        order[0] = source;
        level_starts[0] = 0;
        level_starts[1] = count = 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int level = 0;
    while (level_starts[level] < level_starts[level + 1]) {
        for (int i = level_starts[level] + lid; i < level_starts[level + 1]; i += WALKERS) {
            const int node = order[i];
            for (int k = starts[node]; k < starts[node + 1]; k++) {
                const int other = links[k];
                const int seen = atomic_cmpxchg(&depth[other], UNSEEN, level + 1);
                if (seen == UNSEEN) order[atomic_inc(&count)] = other;
                if (seen == UNSEEN || seen == level + 1) atomic_add(&ways[other], ways[node]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        level++;
        if (lid == 0) level_starts[level + 1] = count;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (level -= 2; level > 0; level--) {
        for (int i = level_starts[level] + lid; i < level_starts[level + 1]; i += WALKERS) {
            const int node = order[i];
            float share = 0.0f;
            for (int k = starts[node]; k < starts[node + 1]; k++) {
                const int other = links[k];
                if (depth[other] == level + 1) share += (1.0f + shares[other]) / ways[other];
            }
            shares[node] = share * ways[node];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = lid; i < nodes; i += WALKERS) {
        if (shares[i] > 0.0f) add_float(&scores[i], shares[i]);
    }
}

#define FIELDS 5
#define WORDS 32 /* of a set of rules: a bit for each rule */
#define NO_RULE 0xffffu

typedef struct {
    uint from, to;
    ushort from_port, to_port;
    uchar protocol, flags;
    ushort length;
} packet_t;

/* The last of the rising numbers from `first` to before `end` that is not more than a value. */
inline uint interval_of(__global const uint *bounds, uint first, uint end, const uint value)
{
    while (end - first > 1) {
        const uint middle = (first + end) / 2;
        if (bounds[middle] <= value) first = middle;
        else end = middle;
    }
    return first;
}

inline int lowest_bit(const uint bits)
{
    return 31 - clz(bits & -bits);
}

/* Each item finds the first rule that all fields of its packet fit. Each interval of a field's values
 * has a set of the rules that fit it, and a summary of which words of the set are not 0. */
__kernel void packet_rules(__global const packet_t *packets, const int count,
                           __constant uint *first_bounds, __global const uint *bounds,
                           __global const uint *summaries, __global const uint *sets,
                           __global ushort *rules, volatile __global uint *hits,
                           volatile __global uint *lengths)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const packet_t packet = packets[id];
    const uint values[FIELDS] = {packet.from, packet.to, packet.from_port, packet.to_port, packet.protocol};
    __global const uint *own_sets[FIELDS];
    uint summary = 0xffffffffu;
    rules[id] = NO_RULE;
    for (int i = 0; i < FIELDS; i++) {
        const uint interval = interval_of(bounds, first_bounds[i], first_bounds[i + 1], values[i]);
        summary &= summaries[interval];
        if (summary == 0) return;
        own_sets[i] = sets + interval * WORDS;
    }
    for (; summary != 0; summary &= summary - 1) {
        const int word = lowest_bit(summary);
        uint bits = own_sets[0][word];
        for (int i = 1; i < FIELDS; i++) bits &= own_sets[i][word];
        if (bits == 0) continue;
        const int rule = 32 * word + lowest_bit(bits);
        rules[id] = rule;
        atomic_inc(&hits[rule]);
        atomic_add(&lengths[rule], packet.length);
        return;
    }
}
