/* Words: hashes of rows whose columns lie apart, a derivation of keys that needs memory, runs of equal values. */

#define PRIME_1 0x9e3779b185ebca87ul
#define PRIME_2 0xc2b2ae3d27d4eb4ful
#define PRIME_3 0x165667b19e3779f9ul
#define PRIME_4 0x85ebca77c2b2ae63ul
#define PRIME_5 0x27d4eb2f165667c5ul
#define PARTS 64
#define ROWS_GROUP 128

ulong stir(const ulong sum, const ulong word)
{
    return rotate(sum + word * PRIME_2, 31ul) * PRIME_1;
}

ulong join_sums(const ulong hash, const ulong sum)
{
    return (hash ^ stir(0, sum)) * PRIME_1 + PRIME_4;
}

/* What is left at the end: eight bytes, or four. */
ulong stir_tail_long(const ulong hash, const ulong word)
{
    return rotate(hash ^ stir(0, word), 27ul) * PRIME_1 + PRIME_4;
}

ulong stir_tail_int(const ulong hash, const uint word)
{
    return rotate(hash ^ word * PRIME_1, 23ul) * PRIME_2 + PRIME_3;
}

/* Each item hashes a row as XXH64 does: so many columns of 64 bits, and a key of 32 bits at the end of it. Work-groups count how many rows
 * go to each part. */
__kernel __attribute__((reqd_work_group_size(ROWS_GROUP, 1, 1)))
void xxhash_columns(__global const ulong *columns, __global const uchar *widths, __global const uint *keys, const int rows,
                    const ulong seed, __global ulong *hashes, __global uint *counts)
{
    __local uint own_counts[PARTS];

    const int id = get_global_id(0), lid = get_local_id(0);
    if (lid < PARTS) own_counts[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < rows) {
        const int words = widths[id];
        ulong hash = seed + PRIME_5;
        int k = 0;
        if (words >= 4) {
            ulong a = seed + PRIME_1 + PRIME_2, b = seed + PRIME_2, c = seed, d = seed - PRIME_1;
            for (; k + 4 <= words; k += 4) {
                a = stir(a, columns[(ulong)k * rows + id]);
                b = stir(b, columns[(ulong)(k + 1) * rows + id]);
                c = stir(c, columns[(ulong)(k + 2) * rows + id]);
                d = stir(d, columns[(ulong)(k + 3) * rows + id]);
            }
            hash = rotate(a, 1ul) + rotate(b, 7ul) + rotate(c, 12ul) + rotate(d, 18ul);
            hash = join_sums(join_sums(join_sums(join_sums(hash, a), b), c), d);
        }
        hash += (ulong)(words * 8 + 4);
        for (; k < words; k++) hash = stir_tail_long(hash, columns[(ulong)k * rows + id]);
        hash = stir_tail_int(hash, keys[id]);
        hash ^= hash >> 33;
        hash *= PRIME_2;
        hash ^= hash >> 29;
        hash *= PRIME_3;
        hash ^= hash >> 32;
        hashes[id] = hash;
        atomic_inc(&own_counts[hash >> 58]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < PARTS && own_counts[lid] > 0) atomic_add(&counts[lid], own_counts[lid]);
}

__kernel void no_rows(__global uint *counts)
{
    counts[get_global_id(0)] = 0;
}

/* A block of Salsa20 as its four diagonals. */
typedef struct {
    uint4 a, b, c, d;
} salsa_t;

salsa_t both(const salsa_t x, const salsa_t y)
{
    salsa_t result;
    result.a = x.a ^ y.a;
    result.b = x.b ^ y.b;
    result.c = x.c ^ y.c;
    result.d = x.d ^ y.d;
    return result;
}

/* Eight rounds, after which the block is added. */
salsa_t salsa_eight(const salsa_t block)
{
    salsa_t x = block;
    for (int i = 0; i < 4; i++) {
        x.b ^= rotate(x.a + x.d, (uint4)(7));
        x.c ^= rotate(x.b + x.a, (uint4)(9));
        x.d ^= rotate(x.c + x.b, (uint4)(13));
        x.a ^= rotate(x.d + x.c, (uint4)(18));
        x.b = x.b.wxyz;
        x.c = x.c.zwxy;
        x.d = x.d.yzwx;
        x.d ^= rotate(x.a + x.b, (uint4)(7));
        x.c ^= rotate(x.d + x.a, (uint4)(9));
        x.b ^= rotate(x.c + x.d, (uint4)(13));
        x.a ^= rotate(x.b + x.c, (uint4)(18));
        x.b = x.b.yzwx;
        x.c = x.c.zwxy;
        x.d = x.d.wxyz;
    }
    x.a += block.a;
    x.b += block.b;
    x.c += block.c;
    x.d += block.d;
    return x;
}

uint4 load_diagonal(__global const uint *words, const int first)
{
    return (uint4)(words[first & 15], words[(first + 5) & 15], words[(first + 10) & 15], words[(first + 15) & 15]);
}

salsa_t load_block(__global const uint *words)
{
    salsa_t block;
    block.a = load_diagonal(words, 0);
    block.b = load_diagonal(words, 4);
    block.c = load_diagonal(words, 8);
    block.d = load_diagonal(words, 12);
    return block;
}

void store_diagonal(__global uint *words, const int first, const uint4 values)
{
    words[first & 15] = values.x;
    words[(first + 5) & 15] = values.y;
    words[(first + 10) & 15] = values.z;
    words[(first + 15) & 15] = values.w;
}

void store_block(__global uint *words, const salsa_t block)
{
    store_diagonal(words, 0, block.a);
    store_diagonal(words, 4, block.b);
    store_diagonal(words, 8, block.c);
    store_diagonal(words, 12, block.d);
}

/* Blocks are kept so that those of all items for a turn lie together. */
void keep_block(__global uint4 *kept, const int stride, const salsa_t block)
{
    kept[0] = block.a;
    kept[stride] = block.b;
    kept[2 * stride] = block.c;
    kept[3 * stride] = block.d;
}

salsa_t kept_block(__global const uint4 *kept, const int stride)
{
    salsa_t block;
    block.a = kept[0];
    block.b = kept[stride];
    block.c = kept[2 * stride];
    block.d = kept[3 * stride];
    return block;
}

/* Each item mixes two blocks as scrypt does: it fills memory with what they become, then reads it where the blocks say. */
__kernel void scrypt_mix(__global uint *blocks, const int items, const int turns, __global uint4 *memory)
{
    const int id = get_global_id(0);
    if (id >= items) return;
    salsa_t low = load_block(blocks + id * 32), high = load_block(blocks + id * 32 + 16);
    for (int i = 0; i < turns; i++) {
        __global uint4 *place = memory + (size_t)i * 8 * items + id;
        keep_block(place, items, low);
        keep_block(place + 4 * items, items, high);
        low = salsa_eight(both(low, high));
        high = salsa_eight(both(high, low));
    }
    for (int i = 0; i < turns; i++) {
        __global const uint4 *place = memory + (size_t)(high.a.x & (turns - 1)) * 8 * items + id;
        low = both(low, kept_block(place, items));
        high = both(high, kept_block(place + 4 * items, items));
        low = salsa_eight(both(low, high));
        high = salsa_eight(both(high, low));
    }
    store_block(blocks + id * 32, low);
    store_block(blocks + id * 32 + 16, high);
}

__kernel void first_blocks(__global uint *blocks, const uint seed)
{
    const uint id = get_global_id(0);
    uint word = (id ^ seed) * 0x9e3779b1u;
    word = (word ^ word >> 15) * 0x846ca68bu;
    blocks[id] = word ^ word >> 16;
}

#define RUNS_GROUP 256
#define EACH 4
#define KINDS 16

/* Which of four values begin a run. */
uchar4 heads_of(__global const ushort *values, const int at, const int count)
{
    uchar4 heads = (uchar4)(0);
    if (at >= count) return heads;
    heads.x = at == 0 || values[at] != values[at - 1];
    if (at + 1 < count) heads.y = values[at + 1] != values[at];
    if (at + 2 < count) heads.z = values[at + 2] != values[at + 1];
    if (at + 3 < count) heads.w = values[at + 3] != values[at + 2];
    return heads;
}

/* A work-group's sums up to and with each item, by doubling how far they reach. */
int group_scan(const int own, __local int *sums)
{
    const int lid = get_local_id(0), size = get_local_size(0);
    int from = 0;
    sums[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int offset = 1; offset < size; offset <<= 1) {
        const int to = size - from;
        sums[to + lid] = sums[from + lid] + (lid >= offset ? sums[from + lid - offset] : 0);
        from = to;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return sums[from + lid];
}

/* A work-group counts the runs that begin in its part. */
__kernel __attribute__((reqd_work_group_size(RUNS_GROUP, 1, 1)))
void count_runs(__global const ushort *values, const int count, __global int *group_runs)
{
    __local int sum;

    if (get_local_id(0) == 0) sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uchar4 heads = heads_of(values, get_global_id(0) * EACH, count);
    const int own = heads.x + heads.y + heads.z + heads.w;
    if (own > 0) atomic_add(&sum, own);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) group_runs[get_group_id(0)] = sum;
}

/* One work-group adds up the counts before each one, a part after the other. */
__kernel __attribute__((reqd_work_group_size(RUNS_GROUP, 1, 1)))
void scan_runs(__global int *group_runs, const int groups, __global int *all, __global uint *longest)
{
    __local int sums[2 * RUNS_GROUP];
    __local int total;

    const int lid = get_local_id(0);
    int before = 0;
    for (int start = 0; start < groups; start += RUNS_GROUP) {
        const int own = start + lid < groups ? group_runs[start + lid] : 0;
        const int sum = group_scan(own, sums);
        if (start + lid < groups) group_runs[start + lid] = before + sum - own;
        if (lid == RUNS_GROUP - 1) total = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        before += total;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) *all = before;
    if (lid < KINDS) longest[lid] = 0;
}

/* Each item writes the runs that begin in four values to their places. */
__kernel __attribute__((reqd_work_group_size(RUNS_GROUP, 1, 1)))
void run_starts(__global const ushort *values, const int count, __global const int *group_runs, __global int *starts)
{
    __local int sums[2 * RUNS_GROUP];

    const int at = get_global_id(0) * EACH;
    const uchar4 heads = heads_of(values, at, count);
    const int own = heads.x + heads.y + heads.z + heads.w;
    int to = group_runs[get_group_id(0)] + group_scan(own, sums) - own;
    if (heads.x) starts[to++] = at;
    if (heads.y) starts[to++] = at + 1;
    if (heads.z) starts[to++] = at + 2;
    if (heads.w) starts[to++] = at + 3;
}

/* Each item packs a run: its value above its length. What is longest is kept for each kind of value. */
__kernel void run_lengths(__global const ushort *values, const int count, __global const int *starts, __global const int *all,
                          __global uint *runs, volatile __global uint *longest)
{
    const int id = get_global_id(0);
    if (id >= *all) return;
    const int start = starts[id], end = id + 1 < *all ? starts[id + 1] : count;
    const uint value = values[start], length = min(end - start, 0xffff);
    runs[id] = value << 16 | length;
    if (longest[value & (KINDS - 1)] < length) atomic_max(&longest[value & (KINDS - 1)], length);
}
