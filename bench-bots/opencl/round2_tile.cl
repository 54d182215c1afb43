/* Groups that share a tile of local memory. Sizes are rounded up, and no item leaves before the last barrier. */

#define REACH 8

/* A separable filter, along the rows: a group of 64 by 4 keeps its pixels and 8 more on either side. */
__kernel void convolve_rows(int width, int height, __constant float *weight, __global const float *in,
                            __global float *out) {
    __local float tile[4][64 + 2 * REACH];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_global_id(0), y = get_global_id(1);
    int begin = get_group_id(0) * 64 - REACH;
    for (int i = lx; i < 64 + 2 * REACH; i += 64) {
        int from = begin + i;
        tile[ly][i] = y < height && from >= 0 && from < width ? in[y * width + from] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < width && y < height) {
        float sum = 0.0f;
        for (int k = -REACH; k <= REACH; k++) {
            sum += weight[k + REACH] * tile[ly][lx + REACH + k];
        }
        out[y * width + x] = sum;
    }
}

/* And down the columns: a group of 16 by 8 keeps its pixels and 8 rows more above and below. */
__kernel void convolve_columns(int width, int height, __constant float *weight, __global const float *in,
                               __global float *out) {
    __local float tile[8 + 2 * REACH][16];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_global_id(0), y = get_global_id(1);
    for (int part = 0; part < 3; part++) {
        int from = y + (part - 1) * REACH;
        tile[ly + part * REACH][lx] = x < width && from >= 0 && from < height ? in[from * width + x] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= width || y >= height) {
        return;
    }
    float sum = 0.0f;
    for (int k = 0; k <= 2 * REACH; k++) {
        sum += weight[k] * tile[ly + k][lx];
    }
    out[y * width + x] = sum;
}

/* Compaction keeps the flagged elements in their order. First: how many flagged ones are before each, in its group. */
__kernel void compact_rank(uint n, __global const uchar *flag, __global uint *rank, __global uint *total) {
    __local uint sum[2][256];
    uint item = get_local_id(0), i = get_global_id(0);
    uint mine = i < n && flag[i] != 0 ? 1 : 0;
    uint side = 0;
    sum[0][item] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint offset = 1; offset < 256; offset *= 2) {
        sum[1 - side][item] = sum[side][item] + (item >= offset ? sum[side][item - offset] : 0);
        side = 1 - side;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n) {
        rank[i] = sum[side][item] - mine;
    }
    if (item == 255) {
        total[get_group_id(0)] = sum[side][255];
    }
}

/* Second, in a single group: how many there are before each group. `total` becomes that. */
__kernel void compact_offsets(uint groups, __global uint *total, __local uint *sum) {
    uint item = get_local_id(0), items = get_local_size(0), before = 0;
    for (uint begin = 0; begin < groups; begin += items) {
        uint at = begin + item;
        uint mine = at < groups ? total[at] : 0;
        sum[item] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint offset = 1; offset < items; offset <<= 1) {
            uint add = item >= offset ? sum[item - offset] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum[item] += add;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (at < groups) {
            total[at] = before + sum[item] - mine;
        }
        before += sum[items - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* Third: each flagged element goes to its place. */
__kernel void compact_move(uint n, __global const uchar *flag, __global const uint *rank, __global const uint *offset,
                           __global const float *in, __global float *out) {
    uint i = get_global_id(0);
    if (i < n && flag[i]) {
        out[offset[get_group_id(0)] + rank[i]] = in[i];
    }
}

/* The least and the greatest of each 256 elements: an item begins with two. */
__kernel void min_max(uint n, __global const float *in, __global float2 *range) {
    __local float low[128];
    __local float high[128];
    uint item = get_local_id(0);
    uint i = get_group_id(0) * 256 + item;
    float a = i < n ? in[i] : INFINITY;
    float b = i + 128 < n ? in[i + 128] : a;
    low[item] = fmin(a, b);
    high[item] = i < n ? fmax(a, b) : -INFINITY;
    for (uint half_of = 64; half_of > 0; half_of /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_of) {
            low[item] = fmin(low[item], low[item + half_of]);
            high[item] = fmax(high[item], high[item + half_of]);
        }
    }
    if (item == 0) {
        range[get_group_id(0)] = (float2)(low[0], high[0]);
    }
}

uint next_random(uint s) {
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

/* Darts at a square, counted where they hit the quarter of a disc: by items, then by groups, then all. */
__kernel void pi_darts(uint throwers, uint throws, __global uint *hits) {
    __local uint part[64];
    uint i = get_global_id(0), item = get_local_id(0), count = 0;
    if (i < throwers) {
        uint state = (i + 1) * 2654435761u;
        for (uint k = 0; k < throws; k++) {
            state = next_random(state);
            float x = (state >> 21) * 0x1p-11f;
            state = next_random(state);
            float y = (state >> 21) * 0x1p-11f;
            if (x * x + y * y < 1.0f) {
                count++;
            }
        }
    }
    part[item] = count;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 32; s > 0; s >>= 1) {
        if (item < s) {
            part[item] += part[item + s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        atomic_add(hits, part[0]);
    }
}
