/* Streams of words: a sort by digits, a cipher, random paths. */

#define RADIX 16 /* values of a digit of four bits */
#define SORTERS 64 /* items of a group */
#define EACH 8 /* keys of an item, one after the other */

struct record {
    uint key;
    uint value;
};

uint digit_of(uint key, uint shift) { return (key >> shift) & (RADIX - 1); }

/* How many keys of each digit a group's part has; counts are by digit, then by group. */
__kernel void digit_count(uint records, uint shift, __global const struct record *in, __global uint *counts) {
    __local uint mine[RADIX];
    const uint item = get_local_id(0);
    if (item < RADIX) {
        mine[item] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint begin = get_group_id(0) * SORTERS * EACH;
    for (uint i = begin + item; i < min(begin + SORTERS * EACH, records); i += SORTERS) {
        atomic_inc(&mine[digit_of(in[i].key, shift)]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < RADIX) {
        counts[item * get_num_groups(0) + get_group_id(0)] = mine[item];
    }
}

/* What each item of a group gets from those before it; part[items] is the sum of all. */
uint sum_before(__local uint *part, uint mine) {
    const uint item = get_local_id(0), items = get_local_size(0);
    part[item] = mine;
    for (uint step = 1; step < items; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint other = item >= step ? part[item - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        part[item] += other;
    }
    return part[item] - mine;
}

/* Counts become places where each begins: a single group, each item of it with a part. */
__kernel void digit_begin(uint length, __global uint *counts, __local uint *part) {
    const uint each = (length + get_local_size(0) - 1) / get_local_size(0);
    const uint begin = get_local_id(0) * each, end = min(begin + each, length);
    uint sum = 0;
    for (uint i = begin; i < end; i++) {
        sum += counts[i];
    }
    sum = sum_before(part, sum);
    for (uint i = begin; i < end; i++) {
        const uint count = counts[i];
        counts[i] = sum;
        sum += count;
    }
}

/* Each record goes where its digit's begin, behind those with the same digit that came before it. */
__kernel void digit_scatter(uint records, uint shift, __global const struct record *in, __global const uint *begins,
                            __global struct record *out) {
    __local uint before[RADIX][SORTERS];
    __local uint part[SORTERS];
    __local uint digit_first[RADIX];
    const uint item = get_local_id(0);
    const uint first = get_global_id(0) * EACH, end = min(first + EACH, records);
    for (uint d = 0; d < RADIX; d++) {
        before[d][item] = 0;
    }
    for (uint i = first; i < end; i++) {
        before[digit_of(in[i].key, shift)][item]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    /* All the counters, digit after digit, are one row here: an item has RADIX of them. */
    uint sum = 0;
    for (uint k = item * RADIX; k < (item + 1) * RADIX; k++) {
        sum += before[k / SORTERS][k % SORTERS];
    }
    sum = sum_before(part, sum);
    for (uint k = item * RADIX; k < (item + 1) * RADIX; k++) {
        const uint count = before[k / SORTERS][k % SORTERS];
        before[k / SORTERS][k % SORTERS] = sum;
        sum += count;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < RADIX) {
        digit_first[item] = begins[item * get_num_groups(0) + get_group_id(0)] - before[item][0];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = first; i < end; i++) {
        const struct record record = in[i];
        const uint d = digit_of(record.key, shift);
        out[digit_first[d] + before[d][item]++] = record;
    }
}

#define ROUNDS 10
#define BYTE(word, i) (((word) >> (8 * (i))) & 0xff)

/* A column of AES's round: `table` has what the first byte of a column becomes, the other bytes the same, turned. */
uint column_of(__local const uint *table, uint a, uint b, uint c, uint d, uint key) {
    return table[BYTE(a, 0)] ^ rotate(table[BYTE(b, 1)], 8u) ^ rotate(table[BYTE(c, 2)], 16u) ^
           rotate(table[BYTE(d, 3)], 24u) ^ key;
}

/* The last round has no mixing: the table's second byte is the substitution alone. */
uint last_column_of(__local const uint *table, uint a, uint b, uint c, uint d, uint key) {
    return (BYTE(table[BYTE(a, 0)], 1) | BYTE(table[BYTE(b, 1)], 1) << 8 | BYTE(table[BYTE(c, 2)], 1) << 16 |
            BYTE(table[BYTE(d, 3)], 1) << 24) ^ key;
}

/* AES with 128 bits of key in counter mode, a block an item. The first byte of a column is a word's lowest. */
__kernel void aes_ctr(uint blocks, uint4 start, __constant uint4 *keys, __global const uint *round_table,
                      __global const uint4 *in, __global uint4 *out) {
    __local uint table[256];
    for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) {
        table[i] = round_table[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint block = get_global_id(0);
    if (block >= blocks) {
        return;
    }
    uint4 s = start;
    s.w += block;
    s ^= keys[0];
    for (int round = 1; round < ROUNDS; round++) {
        const uint4 key = keys[round];
        s = (uint4)(column_of(table, s.x, s.y, s.z, s.w, key.x), column_of(table, s.y, s.z, s.w, s.x, key.y),
                    column_of(table, s.z, s.w, s.x, s.y, key.z), column_of(table, s.w, s.x, s.y, s.z, key.w));
    }
    const uint4 key = keys[ROUNDS];
    s = (uint4)(last_column_of(table, s.x, s.y, s.z, s.w, key.x), last_column_of(table, s.y, s.z, s.w, s.x, key.y),
                last_column_of(table, s.z, s.w, s.x, s.y, key.z), last_column_of(table, s.w, s.x, s.y, s.z, key.w));
    out[block] = in[block] ^ s;
}

#define PATHS_ITEMS 64

struct market {
    float spot;
    float strike;
    float rate;
    float volatility;
    float years;
    uint steps;
};

/* Marsaglia's xorshift: four words of state. */
uint next_word(uint4 *state) {
    uint t = state->x ^ (state->x << 11);
    *state = (uint4)(state->yzw, state->w ^ (state->w >> 19) ^ t ^ (t >> 8));
    return state->w;
}

/* In (0, 1]. */
float next_unit(uint4 *state) { return ((next_word(state) >> 8) + 1) * 0x1p-24f; }

/* The price of an Asian call, whose worth is by the mean of the asset's prices: random paths, each with its mirror image. A
 * group tells its sum, and that of the squares. */
__kernel void asian_paths(struct market market, uint paths, __global const uint4 *seeds, __global float2 *sums) {
    __local float2 part[PATHS_ITEMS];
    const uint item = get_local_id(0);
    uint4 state = seeds[get_global_id(0)];
    const float span = market.years / market.steps;
    const float drift = (market.rate - 0.5f * market.volatility * market.volatility) * span;
    const float spread = market.volatility * sqrt(span), worth = exp(-market.rate * market.years);
    float2 sum = (float2)(0.0f, 0.0f);
    for (uint path = get_global_id(0); path < paths; path += get_global_size(0)) {
        float2 price = (float2)(market.spot), mean = (float2)(0.0f);
        for (uint step = 0; step < market.steps; step += 2) {
            const float far = sqrt(-2.0f * log(next_unit(&state)));
            const float turn = 2.0f * M_PI_F * next_unit(&state);
            float both[2];
            both[0] = far * cos(turn);
            both[1] = far * sin(turn);
            for (int k = 0; k < 2; k++) {
                price *= exp(drift + spread * (float2)(both[k], -both[k]));
                mean += price;
            }
        }
        const float2 paid = max(mean / market.steps - market.strike, 0.0f) * worth;
        const float both_paid = 0.5f * (paid.x + paid.y);
        sum += (float2)(both_paid, both_paid * both_paid);
    }
    part[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_of = PATHS_ITEMS / 2; half_of != 0; half_of /= 2) {
        if (item < half_of) {
            part[item] += part[item + half_of];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        sums[get_group_id(0)] = part[0];
    }
}
