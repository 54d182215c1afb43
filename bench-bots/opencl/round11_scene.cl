/* Scenes: blocks of a JPEG picture, blurred points painted over each other, features of a field that a network learns. */

#define BLOCKS 16 /* of a group */

/* Where in a block the next coefficient stands. */
__constant uchar zigzag[64] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
                               41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
                               30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

/* 2048 times the cosine of k sixteenths of pi. */
#define C1 2009
#define C2 1892
#define C3 1703
#define C4 1448
#define C5 1138
#define C6 784
#define C7 400

/* Eight values from their frequencies, in place, times 2^(12 - shift). */
void from_frequencies(int *x, const int shift)
{
    const int half_unit = 1 << (shift - 1);
    const int sum = C4 * (x[0] + x[4]) + half_unit, difference = C4 * (x[0] - x[4]) + half_unit;
    const int wide = C2 * x[2] + C6 * x[6], narrow = C6 * x[2] - C2 * x[6];
    const int even[4] = {sum + wide, difference + narrow, difference - narrow, sum - wide};
    const int odd[4] = {C1 * x[1] + C3 * x[3] + C5 * x[5] + C7 * x[7], C3 * x[1] - C7 * x[3] - C1 * x[5] - C5 * x[7],
                        C5 * x[1] - C1 * x[3] + C7 * x[5] + C3 * x[7], C7 * x[1] - C5 * x[3] + C3 * x[5] - C1 * x[7]};
    for (int n = 0; n < 4; n++) {
        x[n] = (even[n] + odd[n]) >> shift;
        x[7 - n] = (even[n] - odd[n]) >> shift;
    }
}

/* Blocks of 8 x 8 pixels from their coefficients, which stand from low to high frequencies: 8 items a block, each of which has a
 * column and then a row. Columns in which all is nothing but the first are common. */
__kernel __attribute__((reqd_work_group_size(8, BLOCKS, 1)))
void idct_blocks(__global const short *coefficients, __constant ushort *steps, const int across, const int blocks,
                 __global uchar *picture)
{
    __local int tile[BLOCKS][8][9];

    const int lx = get_local_id(0), ly = get_local_id(1), block = get_global_id(1);
    const bool live = block < blocks;
    if (live) {
        for (int k = lx; k < 64; k += 8) {
            const int to = zigzag[k];
            tile[ly][to >> 3][to & 7] = coefficients[block * 64 + k] * steps[k];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    int x[8];
    if (live) {
        int any = 0;
        for (int n = 0; n < 8; n++) {
            x[n] = tile[ly][n][lx];
            if (n > 0) any |= x[n];
        }
        if (any == 0) {
            const int level = (C4 * x[0] + 256) >> 9;
            for (int n = 0; n < 8; n++) x[n] = level;
        } else {
            from_frequencies(x, 9);
        }
        for (int n = 0; n < 8; n++) tile[ly][n][lx] = x[n];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (live) {
        for (int n = 0; n < 8; n++) x[n] = tile[ly][lx][n];
        from_frequencies(x, 15);
        const int8 row = (int8)(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]) + 128;
        const size_t at = ((size_t)(block / across * 8 + lx) * across + block % across) * 8;
        vstore8(convert_uchar8_sat(row), 0, picture + at);
    }
}

#define SIDE 16
#define ITEMS (SIDE * SIDE)

/* Blurred ellipses, from the nearest to the farthest, a group a tile of the picture and an item a pixel. `shapes` has the squared
 * distance as a form of two numbers, and the opacity in w; `parts` says which of `list` touch a tile. */
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void splat_tiles(__global const float2 *centres, __global const float4 *shapes, __global const float4 *colours,
                 __global const int *parts, __global const int *list, const int width, const int height,
                 __global float4 *picture)
{
    __local float2 centre_of[ITEMS];
    __local float4 shape_of[ITEMS];
    __local float4 colour_of[ITEMS];
    __local int finished;

    const int x = get_global_id(0), y = get_global_id(1), lid = get_local_id(1) * SIDE + get_local_id(0);
    const int tile = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    const bool inside = x < width && y < height;
    const float2 here = (float2)(x + 0.5f, y + 0.5f);
    if (lid == 0) finished = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    bool done = !inside;
    if (done) atomic_inc(&finished);
    float3 light = (float3)(0.0f);
    float clear = 1.0f;
    const int end = parts[tile + 1];
    for (int first = parts[tile]; first < end; first += ITEMS) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (finished == ITEMS) break;
        if (first + lid < end) {
            const int point = list[first + lid];
            centre_of[lid] = centres[point];
            shape_of[lid] = shapes[point];
            colour_of[lid] = colours[point];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        const int count = min(ITEMS, end - first);
        for (int k = 0; k < count && !done; k++) {
            const float2 way = centre_of[k] - here;
            const float4 shape = shape_of[k];
            const float power = -0.5f * (shape.x * way.x * way.x + shape.z * way.y * way.y) - shape.y * way.x * way.y;
            if (power > 0.0f) continue;
            const float alpha = fmin(0.99f, shape.w * exp(power));
            if (alpha < 1.0f / 255.0f) continue;
            const float left = clear * (1.0f - alpha);
            if (left < 1e-4f) {
                done = true;
                atomic_inc(&finished);
                continue;
            }
            light += colour_of[k].xyz * (alpha * clear);
            clear = left;
        }
    }
    if (inside) picture[(size_t)y * width + x] = (float4)(light, clear);
}

/* The corner of a cube in a table: by its place where the table is large enough for all, else by a hash of it. */
inline uint slot_of(const uint3 corner, const uint side, const uint slots)
{
    const uint along = side + 1;
    if (along * along * along <= slots) return (corner.z * along + corner.y) * along + corner.x;
    return (corner.x ^ corner.y * 2654435761u ^ corner.z * 805459861u) & (slots - 1);
}

/* Features of points in grids that get finer from level to level, an item a point and level. */
__kernel void hash_encode(__global const float *points, const int count, __constant uint *sides, __global const float2 *tables,
                          const uint slots, const int levels, __global float2 *features)
{
    const int i = get_global_id(0), level = get_global_id(1);
    if (i >= count || level >= levels) return;

    const uint side = sides[level];
    const float3 place = vload3(i, points) * (float)side;
    const float3 low = fmin(floor(place), (float)(side - 1));
    const float3 part = place - low;
    const uint3 corner = convert_uint3(low);
    __global const float2 *table = tables + (size_t)level * slots;

    float2 sum = (float2)(0.0f);
    for (uint k = 0; k < 8; k++) {
        const uint3 which = (uint3)(k & 1, k >> 1 & 1, k >> 2);
        float weight = which.x ? part.x : 1.0f - part.x;
        weight *= which.y ? part.y : 1.0f - part.y;
        weight *= which.z ? part.z : 1.0f - part.z;
        sum += weight * table[slot_of(corner + which, side, slots)];
    }
    features[(size_t)i * levels + level] = sum;
}
