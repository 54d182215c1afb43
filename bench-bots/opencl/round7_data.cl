/* Data: sums by key, a tree over points in space, powers of great numbers. */

#define EMPTY 0xffffffffu
#define SLOTS 512 /* of a group's own table */
#define PROBES 8  /* places of it that are tried */

typedef struct {
    uint key, count;
    uint sum_low, sum_high; /* of 64 bits, by halves */
    uint least, most;
} slot_t;

typedef struct {
    uint key, count;
    float mean;
    uint least, most;
} group_t;

inline uint hash_key(uint key)
{
    key ^= key >> 16;
    key *= 0x45d9f3bu;
    key ^= key >> 16;
    key *= 0x45d9f3bu;
    return key ^ key >> 16;
}

/* Adds what is known of a key to the table of all; somebody else may be at it. */
void add_global(__global slot_t *table, const uint mask, const uint key, const uint count, const uint sum, const uint least,
                const uint most)
{
    uint at = hash_key(key) & mask;
    while (true) {
        const uint found = atomic_cmpxchg(&table[at].key, EMPTY, key);
        if (found == EMPTY || found == key) break;
        at = (at + 1) & mask;
    }
    atomic_add(&table[at].count, count);
    const uint before = atomic_add(&table[at].sum_low, sum);
    if (before + sum < before) atomic_inc(&table[at].sum_high);
    atomic_min(&table[at].least, least);
    atomic_max(&table[at].most, most);
}

/* SELECT key, count, sum, min, max WHERE first <= day < end GROUP BY key. A group has a small table of its own first; keys that
 * find no place there go to the table of all at once. */
__kernel void group_by(__global const uint *keys, __global const ushort *values, __global const ushort *days, const uint rows,
                       const ushort first, const ushort end, __global slot_t *table, const uint mask)
{
    __local uint own_key[SLOTS], own_count[SLOTS], own_sum[SLOTS], own_least[SLOTS], own_most[SLOTS];

    for (uint s = get_local_id(0); s < SLOTS; s += get_local_size(0)) {
        own_key[s] = EMPTY;
        own_count[s] = own_sum[s] = own_most[s] = 0;
        own_least[s] = UINT_MAX;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint row = get_global_id(0); row < rows; row += get_global_size(0)) {
        if (days[row] < first || days[row] >= end) continue;
        const uint key = keys[row], value = values[row];
        uint at = hash_key(key) % SLOTS;
        int tries = 0;
        for (; tries < PROBES; tries++) {
            const uint found = atomic_cmpxchg(&own_key[at], EMPTY, key);
            if (found == EMPTY || found == key) break;
            at = (at + 1) % SLOTS;
        }
        if (tries == PROBES) {
            add_global(table, mask, key, 1, value, value, value);
        } else {
            atomic_inc(&own_count[at]);
            atomic_add(&own_sum[at], value);
            atomic_min(&own_least[at], value);
            atomic_max(&own_most[at], value);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint s = get_local_id(0); s < SLOTS; s += get_local_size(0)) {
        if (own_key[s] != EMPTY) add_global(table, mask, own_key[s], own_count[s], own_sum[s], own_least[s], own_most[s]);
    }
}

/* The slots in use, close together, of the keys that came often enough. */
__kernel void collect_groups(__global const slot_t *table, const uint slots, const uint least_count, __global group_t *groups,
                             __global uint *count)
{
    const uint at = get_global_id(0);
    if (at >= slots) return;
    const slot_t slot = table[at];
    if (slot.key == EMPTY || slot.count < least_count) return;

    const ulong sum = (ulong)slot.sum_high << 32 | slot.sum_low;
    group_t group;
    group.key = slot.key;
    group.count = slot.count;
    group.mean = (float)sum / (float)slot.count;
    group.least = slot.least;
    group.most = slot.most;
    groups[atomic_inc(count)] = group;
}

/* Two zeros after each of ten bits. */
inline uint spread(uint v)
{
    v = (v * 0x00010001u) & 0xff0000ffu;
    v = (v * 0x00000101u) & 0x0f00f00fu;
    v = (v * 0x00000011u) & 0xc30c30c3u;
    v = (v * 0x00000005u) & 0x49249249u;
    return v;
}

/* Morton's numbers of points in the unit cube. */
__kernel void morton_codes(__global const float4 *points, const int count, __global uint *codes)
{
    const int i = get_global_id(0);
    if (i >= count) return;
    const uint3 place = convert_uint3(clamp(points[i].xyz * 1024.0f, 0.0f, 1023.0f));
    codes[i] = spread(place.x) << 2 | spread(place.y) << 1 | spread(place.z);
}

/* How many bits two numbers have alike from the top; of equals the places count. */
inline int alike(__global const uint *codes, const int count, const int i, const int j)
{
    if (j < 0 || j >= count) return -1;
    const uint a = codes[i], b = codes[j];
    return a == b ? 32 + (int)clz((uint)(i ^ j)) : (int)clz(a ^ b);
}

/* A binary tree over sorted numbers, all nodes at once, after Karras. A child below 0 is a leaf, all bits turned. */
__kernel void radix_tree(__global const uint *codes, const int count, __global int2 *children, __global int *parents)
{
    const int i = get_global_id(0);
    if (i >= count - 1) return;

    const int way = alike(codes, count, i, i + 1) > alike(codes, count, i, i - 1) ? 1 : -1;
    const int outside = alike(codes, count, i, i - way);
    int most = 2;
    while (alike(codes, count, i, i + most * way) > outside) most *= 2;
    int length = 0;
    for (int step = most / 2; step >= 1; step /= 2) {
        if (alike(codes, count, i, i + (length + step) * way) > outside) length += step;
    }
    const int end = i + length * way;

    const int inside = alike(codes, count, i, end);
    int split = 0, step = length;
    do {
        step = (step + 1) / 2;
        if (alike(codes, count, i, i + (split + step) * way) > inside) split += step;
    } while (step > 1);
    const int middle = i + split * way + min(way, 0);

    const int left = min(i, end) == middle ? ~middle : middle;
    const int right = max(i, end) == middle + 1 ? ~(middle + 1) : middle + 1;
    children[i] = (int2)(left, right);
    parents[left < 0 ? count - 1 + ~left : left] = i;
    parents[right < 0 ? count - 1 + ~right : right] = i;
    if (i == 0) parents[0] = -1;
}

/* Boxes around all nodes, from the leaves up: who comes second to a node goes on. */
__kernel void fit_boxes(__global const float4 *points, const int count, __global const int2 *children,
                        __global const int *parents, __global int *visits, volatile __global float4 *low,
                        volatile __global float4 *high)
{
    const int leaf = get_global_id(0);
    if (leaf >= count) return;

    int node = parents[count - 1 + leaf];
    while (node >= 0) {
        if (atomic_inc(&visits[node]) == 0) return;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        const int2 child = children[node];
        float4 least, most;
        if (child.x < 0) {
            const float4 p = points[~child.x];
            least = p - p.w;
            most = p + p.w;
        } else {
            least = low[child.x];
            most = high[child.x];
        }
        if (child.y < 0) {
            const float4 p = points[~child.y];
            least = fmin(least, p - p.w);
            most = fmax(most, p + p.w);
        } else {
            least = fmin(least, low[child.y]);
            most = fmax(most, high[child.y]);
        }
        low[node] = least;
        high[node] = most;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        node = parents[node];
    }
}

#define LIMBS 8 /* of 32 bits, the lowest one first */
#define WINDOW 4

typedef struct {
    uint modulus[LIMBS];
    uint square[LIMBS]; /* of 2^256, modulo that */
    uint inverse;       /* of minus the lowest limb, modulo 2^32 */
} field_t;

/* a b / 2^256 by Montgomery's method. `result` may be one of the two. */
void multiply(uint *result, const uint *a, const uint *b, __constant field_t *field)
{
    uint t[LIMBS + 2];
    for (int i = 0; i < LIMBS + 2; i++) t[i] = 0;

    for (int i = 0; i < LIMBS; i++) {
        ulong carry = 0;
        for (int j = 0; j < LIMBS; j++) {
            carry += (ulong)a[j] * b[i] + t[j];
            t[j] = (uint)carry;
            carry >>= 32;
        }
        carry += t[LIMBS];
        t[LIMBS] = (uint)carry;
        t[LIMBS + 1] = (uint)(carry >> 32);

        const uint q = t[0] * field->inverse;
        carry = ((ulong)q * field->modulus[0] + t[0]) >> 32;
        for (int j = 1; j < LIMBS; j++) {
            carry += (ulong)q * field->modulus[j] + t[j];
            t[j - 1] = (uint)carry;
            carry >>= 32;
        }
        carry += t[LIMBS];
        t[LIMBS - 1] = (uint)carry;
        t[LIMBS] = t[LIMBS + 1] + (uint)(carry >> 32);
    }

    uint less[LIMBS];
    uint borrow = 0;
    for (int j = 0; j < LIMBS; j++) {
        const ulong d = (ulong)t[j] - field->modulus[j] - borrow;
        less[j] = (uint)d;
        borrow = (uint)(d >> 32) & 1;
    }
    const bool fits = t[LIMBS] == 0 && borrow;
    for (int j = 0; j < LIMBS; j++) result[j] = fits ? t[j] : less[j];
}

/* Powers modulo a number of 256 bits, four bits of the exponent at a time. Limbs lie apart, so that items read side by side. */
__kernel void modexp_256(__global const uint *bases, __global const ulong *exponents, const uint count,
                         __constant field_t *field, __global uint *powers)
{
    const uint id = get_global_id(0);
    if (id >= count) return;

    uint table[1 << WINDOW][LIMBS];
    uint x[LIMBS];
    for (int j = 0; j < LIMBS; j++) {
        x[j] = bases[j * count + id];
        table[1][j] = field->square[j];
        table[0][j] = j == 0 ? 1 : 0;
    }
    multiply(table[0], table[0], table[1], field); /* the one */
    multiply(table[1], table[1], x, field);
    for (int k = 2; k < 1 << WINDOW; k++) multiply(table[k], table[k - 1], table[1], field);

    const ulong exponent = exponents[id];
    for (int j = 0; j < LIMBS; j++) x[j] = table[0][j];
    for (int shift = 64 - WINDOW - (int)clz(exponent | 1) / WINDOW * WINDOW; shift >= 0; shift -= WINDOW) {
        for (int k = 0; k < WINDOW; k++) multiply(x, x, x, field);
        const uint digit = (uint)(exponent >> shift) & ((1 << WINDOW) - 1);
        if (digit != 0) multiply(x, x, table[digit], field);
    }

    uint one[LIMBS] = {1};
    multiply(x, x, one, field);
    for (int j = 0; j < LIMBS; j++) powers[j * count + id] = x[j];
}
