/* Data: shards that make up for lost ones, a filter before a join, a lightest forest. */

#define SHARDS 10 /* of which each product is made */
#define CODERS 64

/* A sum of products of shards in the field of 256 elements, for each row of a matrix: products are powers of the sum of
 * logarithms. An item has four bytes of each shard, and a work-group one row. Shards of data are in an array of their own. */
__kernel __attribute__((reqd_work_group_size(CODERS, 1, 1)))
void shard_products(__global const uchar4 *data, __global const uchar4 *parity, const int words, __constant int *order,
                    __constant uchar *matrix, __global const uchar *logs, __global const uchar *powers, __global uchar4 *out)
{
    __local uchar log_of[256], power[512];

    const int lid = get_local_id(0), word = get_global_id(0), row = get_global_id(1);
    for (int i = lid; i < 256; i += CODERS) log_of[i] = logs[i];
    for (int i = lid; i < 512; i += CODERS) power[i] = powers[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (word >= words) return;

    uchar4 sum = (uchar4)(0);
    for (int i = 0; i < SHARDS; i++) {
        const uchar factor = matrix[row * SHARDS + i];
        if (factor == 0) continue;
        const int shard = order[i], more = log_of[factor];
        const uchar4 bytes = shard < SHARDS ? data[shard * words + word] : parity[(shard - SHARDS) * words + word];
        sum.x ^= bytes.x ? power[log_of[bytes.x] + more] : 0;
        sum.y ^= bytes.y ? power[log_of[bytes.y] + more] : 0;
        sum.z ^= bytes.z ? power[log_of[bytes.z] + more] : 0;
        sum.w ^= bytes.w ? power[log_of[bytes.w] + more] : 0;
    }
    out[row * words + word] = sum;
}

#define BLOCK_WORDS 16 /* of 32 bits, of the filter, in which all of a key's bits are */

/* Two independent numbers of a key. */
uint2 key_hashes(ulong key)
{
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccdUL;
    key ^= key >> 33;
    key *= 0xc4ceb9fe1a85ec53UL;
    key ^= key >> 33;
    return (uint2)((uint)key, (uint)(key >> 32));
}

__kernel void clear_words(__global uint *words, const uint count, __global uint *taken)
{
    const uint i = get_global_id(0);
    if (i < count) words[i] = 0;
    if (i == 0) *taken = 0;
}

/* Four bits of one block for each key of the small table. */
__kernel void bloom_build(__global const ulong *keys, const uint count, const uint blocks, __global uint *filter)
{
    const uint i = get_global_id(0);
    if (i >= count) return;
    const uint2 hashes = key_hashes(keys[i]);
    __global uint *block = filter + hashes.x % blocks * BLOCK_WORDS;
    for (uint bit = 0; bit < 4; bit++) {
        const uint place = hashes.y >> (8 * bit) & 255;
        atomic_or(&block[place >> 5 | (bit & 1) << 3], 1u << (place & 31));
    }
}

/* Rows of the large table whose key may be in the small one: each work-group gathers its own and takes room for them at once. */
__kernel void bloom_probe(__global const ulong *keys, __global const uint *amounts, const uint count, const uint least,
                          const uint blocks, __global const uint *filter, __global uint *rows, __global uint *taken)
{
    __local uint kept, base;

    const uint row = get_global_id(0), lid = get_local_id(0);
    if (lid == 0) kept = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    bool may = row < count && amounts[row] >= least;
    if (may) {
        const uint2 hashes = key_hashes(keys[row]);
        __global const uint *block = filter + hashes.x % blocks * BLOCK_WORDS;
        for (uint bit = 0; bit < 4 && may; bit++) {
            const uint place = hashes.y >> (8 * bit) & 255;
            may = block[place >> 5 | (bit & 1) << 3] >> (place & 31) & 1;
        }
    }
    uint place = 0;
    if (may) place = atomic_inc(&kept);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) base = atomic_add(taken, kept);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (may) rows[base + place] = row;
}

/* An edge of a graph; no two weigh the same. */
struct edge {
    int from, to;
    uint weight;
};

__kernel void forest_start(__global int *tree, __global int *parent, const int count)
{
    const int i = get_global_id(0);
    if (i < count) tree[i] = parent[i] = i;
}

__kernel void forest_reset(__global uint *lightest, const int count, __global int *joined)
{
    const int i = get_global_id(0);
    if (i < count) lightest[i] = UINT_MAX;
    if (i == 0) *joined = 0;
}

/* The weight of the lightest edge that leaves each tree. */
__kernel void forest_lightest(__global const struct edge *edges, const int count, __global const int *tree,
                              __global uint *lightest)
{
    for (int i = get_global_id(0); i < count; i += get_global_size(0)) {
        const struct edge edge = edges[i];
        const int a = tree[edge.from], b = tree[edge.to];
        if (a == b) continue;
        if (edge.weight < lightest[a]) atomic_min(&lightest[a], edge.weight);
        if (edge.weight < lightest[b]) atomic_min(&lightest[b], edge.weight);
    }
}

/* Takes these edges: a tree hangs below the one at the other end; of two that chose the same edge, that of the higher number. */
__kernel void forest_join(__global const struct edge *edges, const int count, __global const int *tree,
                          __global const uint *lightest, __global int *parent, __global uchar *taken, __global int *joined)
{
    for (int i = get_global_id(0); i < count; i += get_global_size(0)) {
        const struct edge edge = edges[i];
        const int a = tree[edge.from], b = tree[edge.to];
        if (a == b) continue;
        const bool of_a = lightest[a] == edge.weight, of_b = lightest[b] == edge.weight;
        if (!of_a && !of_b) continue;
        taken[i] = 1;
        if (of_a && !(of_b && a < b)) parent[a] = b;
        if (of_b && !(of_a && b < a)) parent[b] = a;
        *joined = 1;
    }
}

/* The tree of each node: the end of the way up. */
__kernel void forest_climb(__global int *tree, __global const int *parent, const int count)
{
    const int i = get_global_id(0);
    if (i >= count) return;
    int at = tree[i];
    while (parent[at] != at) at = parent[at];
    tree[i] = at;
}
