/* Data: sums of segments, a column of a table as it is stored, the colours of a graph. */

#define ITEMS 128
#define EACH 4
#define PART (ITEMS * EACH)

/* Sums from the head of each segment on, an item four values and a group a part. The next kernels are told what a part ends with,
 * whether it has a head, and where its first one is. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void segment_parts(__global const int *values, __global const uchar *heads, const int count, __global long *sums,
                   __global long *part_sums, __global int *part_heads, __global int *first_heads)
{
    __local long ends[ITEMS];
    __local int has_head[ITEMS];
    __local int first;

    const int lid = get_local_id(0), base = get_global_id(0) * EACH;
    if (lid == 0) first = PART;
    barrier(CLK_LOCAL_MEM_FENCE);

    long running[EACH], sum = 0;
    int head = 0;
    for (int i = 0; i < EACH; i++) {
        const int at = base + i;
        if (at < count) {
            if (heads[at]) {
                if (!head) atomic_min(&first, lid * EACH + i);
                head = 1;
                sum = 0;
            }
            sum += values[at];
        }
        running[i] = sum;
    }
    ends[lid] = sum;
    has_head[lid] = head;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int step = 1; step < ITEMS; step <<= 1) {
        long before = 0;
        int any = 0;
        if (lid >= step) {
            before = ends[lid - step];
            any = has_head[lid - step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!has_head[lid]) ends[lid] += before;
        has_head[lid] |= any;
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    long carry = lid > 0 ? ends[lid - 1] : 0;
    for (int i = 0; i < EACH; i++) {
        const int at = base + i;
        if (at >= count) break;
        if (heads[at]) carry = 0;
        sums[at] = running[i] + carry;
    }
    if (lid == ITEMS - 1) {
        part_sums[get_group_id(0)] = ends[lid];
        part_heads[get_group_id(0)] = has_head[lid];
        first_heads[get_group_id(0)] = first;
    }
}

/* What is carried into each part, by one group that goes from part to part. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void segment_carries(__global const long *part_sums, __global const int *part_heads, const int parts, __global long *carries)
{
    __local long ends[ITEMS];
    __local int has_head[ITEMS];

    const int lid = get_local_id(0);
    long carry = 0;
    for (int base = 0; base < parts; base += ITEMS) {
        const int part = base + lid;
        ends[lid] = part < parts ? part_sums[part] : 0;
        has_head[lid] = part < parts ? part_heads[part] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int step = 1; step < ITEMS; step <<= 1) {
            const long before = lid >= step ? ends[lid - step] : 0;
            const int any = lid >= step ? has_head[lid - step] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (!has_head[lid]) ends[lid] += before;
            has_head[lid] |= any;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (part < parts) {
            const long before = lid > 0 ? ends[lid - 1] : 0;
            const int any = lid > 0 ? has_head[lid - 1] : 0;
            carries[part] = any ? before : before + carry;
        }
        carry = has_head[ITEMS - 1] ? ends[ITEMS - 1] : ends[ITEMS - 1] + carry;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel void segment_add(__global const long *carries, __global const int *first_heads, const int count, __global long *sums)
{
    const int at = get_global_id(0);
    if (at >= count) return;
    const int part = at / PART;
    if (at % PART < first_heads[part]) sums[at] += carries[part];
}

#define SCANNED 128 /* items; a block has two values for each */
#define HOUR 3600000000L

struct block {
    long first;  /* its first value */
    long least;  /* the least difference of neighbours */
    uint start;  /* its first word */
    uint bits;   /* that each difference has, less the least */
};

inline long difference_at(__global const uint *words, const uint i, const uint bits)
{
    const uint bit = i * bits, word = bit >> 5, shift = bit & 31;
    ulong value = (words[word] | (ulong)words[word + 1] << 32) >> shift;
    if (shift + bits > 64) value |= (ulong)words[word + 2] << (64 - shift);
    return (long)(value & ((1UL << bits) - 1));
}

/* Times in microseconds, which are stored as differences of as many bits as a block needs; also the hours of the day. */
__kernel __attribute__((reqd_work_group_size(SCANNED, 1, 1)))
void delta_unpack(__global const struct block *blocks, __global const uint *words, const int count, __global long *values,
                  __global uchar *hours)
{
    __local long sums[2][SCANNED];

    const int lid = get_local_id(0), at = get_group_id(0) * 2 * SCANNED + 2 * lid;
    const struct block block = blocks[get_group_id(0)];
    __global const uint *from = words + block.start;
    const long first = lid == 0 ? block.first : block.least + difference_at(from, 2 * lid, block.bits);
    const long second = block.least + difference_at(from, 2 * lid + 1, block.bits);

    int in = 0;
    sums[0][lid] = first + second;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < SCANNED; step <<= 1) {
        sums[1 - in][lid] = lid >= step ? sums[in][lid] + sums[in][lid - step] : sums[in][lid];
        in = 1 - in;
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const long last = sums[in][lid];
    if (at < count) {
        values[at] = last - second;
        hours[at] = (uchar)((last - second) / HOUR % 24);
    }
    if (at + 1 < count) {
        values[at + 1] = last;
        hours[at + 1] = (uchar)(last / HOUR % 24);
    }
}

/* A number of a node, as if it were random, and no two are the same. */
inline uint rank_of(uint node)
{
    node ^= node >> 16;
    node *= 0x85ebca6bu;
    node ^= node >> 13;
    node *= 0xc2b2ae35u;
    return node ^ node >> 16;
}

/* A round of Jones and Plassmann's colouring: nodes without a colour (-1) whose neighbours of higher ranks all have one take the
 * least that none of these has. `left` counts the others. */
__kernel void colour_round(__global const int *starts, __global const int *neighbours, const int nodes, __global const int *now,
                           __global int *next, __global int *left)
{
    const int node = get_global_id(0);
    if (node >= nodes) return;

    int colour = now[node];
    if (colour < 0) {
        const uint rank = rank_of(node);
        ulong used = 0;
        bool ready = true;
        for (int k = starts[node]; k < starts[node + 1]; k++) {
            const int other = neighbours[k], taken = now[other];
            if (taken >= 0) {
                used |= 1UL << taken;
            } else if (rank_of(other) > rank) {
                ready = false;
                break;
            }
        }
        if (ready) {
            const ulong least = ~used & (used + 1);
            colour = 63 - (int)clz(least);
        } else {
            atomic_inc(left);
        }
    }
    next[node] = colour;
}
