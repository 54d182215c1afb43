/* Fields: a room from pictures of depth, a magnet, a sparse matrix of small blocks. */

typedef struct {
    float4 row[3];        /* from the room to the camera */
    float fx, fy, cx, cy; /* of the camera */
    int width, height;
} view_t;

/* One picture of depth goes into a grid of signed distances to the nearest surface, each with a weight. */
__kernel void tsdf_fuse(const view_t view, __global const ushort *depth, const int3 grid, const float voxel,
                        const float truncation, __global short2 *voxels)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int z = get_global_id(2);
    if (x >= grid.x || y >= grid.y || z >= grid.z) return;

    const float4 p = (float4)((x + 0.5f) * voxel, (y + 0.5f) * voxel, (z + 0.5f) * voxel, 1.0f);
    const float3 c = (float3)(dot(view.row[0], p), dot(view.row[1], p), dot(view.row[2], p));
    if (c.z < 0.1f) return;

    const float2 plane = c.xy / c.z;
    const int u = convert_int_rte(plane.x * view.fx + view.cx);
    const int v = convert_int_rte(plane.y * view.fy + view.cy);
    if (u < 0 || v < 0 || u >= view.width || v >= view.height) return;

    const ushort millimetres = depth[v * view.width + u];
    if (millimetres == 0) return; /* the sensor saw nothing there */

    const float stretch = sqrt(plane.x * plane.x + plane.y * plane.y + 1.0f);
    const float distance_now = millimetres * 0.001f * stretch - length(c);
    if (distance_now < -truncation) return;

    const size_t at = ((size_t)z * grid.y + y) * grid.x + x;
    const short2 old = voxels[at];
    const float now = fmin(1.0f, distance_now / truncation);
    const float mean = (old.x * (float)old.y + now * 32767.0f) / (old.y + 1);
    voxels[at] = (short2)(convert_short_sat_rte(mean), min((short)(old.y + 1), (short)64));
}

/* Random words by a counter, after Salmon, Moraes, Dror and Shaw. */
uint4 philox(uint4 counter, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        const uint high0 = mul_hi(0xd2511f53u, counter.x);
        const uint low0 = 0xd2511f53u * counter.x;
        const uint high1 = mul_hi(0xcd9e8d57u, counter.z);
        const uint low1 = 0xcd9e8d57u * counter.z;
        counter = (uint4)(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
        key += (uint2)(0x9e3779b9u, 0xbb67ae85u);
    }
    return counter;
}

/* Metropolis' rule for the spins of one colour of a chess board. Each colour has an array of its own, with half of the columns;
 * an item has four spins of a row. `accept` is by the sum of the neighbours, in units of the spin. */
__kernel void ising_sweep(__global char *mine, __global const char *other, const uint half_width, const uint height,
                          const uint colour, const uint sweep, const uint2 key, __constant uint *accept)
{
    const uint quad = get_global_id(0);
    const uint row = get_global_id(1);
    if (quad * 4 >= half_width || row >= height) return;

    const uint above = row == 0 ? height - 1 : row - 1;
    const uint below = row == height - 1 ? 0 : row + 1;
    const char4 spin = vload4(quad, mine + row * half_width);
    const char4 same_row = vload4(quad, other + row * half_width);
    int4 sum = convert_int4(vload4(quad, other + above * half_width)) + convert_int4(vload4(quad, other + below * half_width)) +
               convert_int4(same_row);
    if ((row + colour) & 1) {
        const uint next = quad * 4 + 4 == half_width ? 0 : quad * 4 + 4;
        sum += convert_int4((char4)(same_row.yzw, other[row * half_width + next]));
    } else {
        const uint previous = quad == 0 ? half_width - 1 : quad * 4 - 1;
        sum += convert_int4((char4)(other[row * half_width + previous], same_row.xyz));
    }

    const uint4 dice = philox((uint4)(quad, row, sweep, colour), key);
    const int4 index = (convert_int4(spin) * sum + 4) / 2;
    const uint4 limit = (uint4)(accept[index.x], accept[index.y], accept[index.z], accept[index.w]);
    vstore4(select(spin, -spin, convert_char4(dice <= limit)), quad, mine + row * half_width);
}

/* The sum of all spins, and of all products of neighbours. */
__kernel void ising_totals(__global const char *black, __global const char *white, const uint half_width, const uint height,
                           __global int *totals, __local int2 *scratch)
{
    const uint lid = get_local_id(0);
    int2 sum = (int2)(0);
    for (uint i = get_global_id(0); i < half_width * height; i += get_global_size(0)) {
        const uint row = i / half_width, column = i % half_width;
        const uint above = (row + height - 1) % height, below = (row + 1) % height;
        const uint beside = (row & 1) ? (column + 1) % half_width : (column + half_width - 1) % half_width;
        const int around = white[above * half_width + column] + white[below * half_width + column] +
                           white[row * half_width + column] + white[row * half_width + beside];
        sum += (int2)(black[i] + white[i], black[i] * around);
    }
    scratch[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint stride = get_local_size(0) / 2; stride > 0; stride >>= 1) {
        if (lid < stride) scratch[lid] += scratch[lid + stride];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) {
        atomic_add(&totals[0], scratch[0].x);
        atomic_add(&totals[1], scratch[0].y);
    }
}

#define LANES 16 /* one an element of a block */

/* y = alpha A x + beta y, where A has blocks of 4 x 4. A group has four rows of blocks; an item stays with one element of all the
 * blocks of its row. */
__kernel __attribute__((reqd_work_group_size(4 * LANES, 1, 1)))
void block_sparse(const int rows, __global const int *row_begin, __global const int *columns, __global const float *blocks,
                  const float alpha, __global const float *x, const float beta, __global float *y)
{
    __local float part[4 * LANES];
    const int lid = get_local_id(0);
    const int lane = lid % LANES;
    const int row = get_group_id(0) * 4 + lid / LANES;
    const int r = lane % 4, c = lane / 4; /* blocks are stored column by column */

    float sum = 0.0f;
    if (row < rows) {
        const int end = row_begin[row + 1];
        for (int i = row_begin[row]; i < end; ++i) {
            sum = fma(blocks[(size_t)i * LANES + lane], x[columns[i] * 4 + c], sum);
        }
    }
    part[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 8) part[lid] += part[lid + 8];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 4) part[lid] += part[lid + 4];
    barrier(CLK_LOCAL_MEM_FENCE);

    if (row < rows && lane < 4) {
        const int at = row * 4 + r;
        y[at] = alpha * part[lid] + (beta == 0.0f ? 0.0f : beta * y[at]);
    }
}
