/* Pictures: noise, a sensor's colours, a film's motion, a scanned page. */

#define TILE 16
#define SEARCH 5 /* how far away alike patches are looked for */
#define PATCH 1
#define HALO (SEARCH + PATCH)
#define SPAN (TILE + 2 * HALO)

/* Non-local means: each pixel becomes the mean of those around it, and the more alike two patches are, the more a pixel weighs. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void nonlocal_means(__global const float *src, __global float *dst, const int width, const int height, const float inv_h2)
{
    __local float tile[SPAN][SPAN + 1];
    const int lx = get_local_id(0);
    const int ly = get_local_id(1);
    const int left = (int)get_group_id(0) * TILE - HALO;
    const int top = (int)get_group_id(1) * TILE - HALO;

    for (int j = ly; j < SPAN; j += TILE) {
        const int sy = clamp(top + j, 0, height - 1);
        for (int i = lx; i < SPAN; i += TILE) {
            const int sx = clamp(left + i, 0, width - 1);
            tile[j][i] = src[sy * width + sx];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int x = get_global_id(0);
    const int y = get_global_id(1);
    if (x >= width || y >= height) return;

    const int cx = lx + HALO;
    const int cy = ly + HALO;
    float sum = 0.0f, total = 0.0f;
    for (int dy = -SEARCH; dy <= SEARCH; ++dy) {
        for (int dx = -SEARCH; dx <= SEARCH; ++dx) {
            float dist = 0.0f;
            for (int py = -PATCH; py <= PATCH; ++py) {
                for (int px = -PATCH; px <= PATCH; ++px) {
                    const float d = tile[cy + py][cx + px] - tile[cy + dy + py][cx + dx + px];
                    dist += d * d;
                }
            }
            const float w = native_exp(-dist * inv_h2);
            sum += w * tile[cy + dy][cx + dx];
            total += w;
        }
    }
    dst[y * width + x] = sum / total;
}

typedef struct {
    int width, height, pitch;
    int black;     /* what the sensor tells without light */
    float4 balance; /* to sixteenths of a byte's unit */
} sensor_t;

inline int mirrored(int i, int n)
{
    return i < 0 ? -i : (i >= n ? 2 * n - 2 - i : i);
}

#define RAW(dx, dy) ((int)raw[mirrored(y + (dy), s.height) * s.pitch + mirrored(x + (dx), s.width)] - s.black)
#define CROSS1 (RAW(-1, 0) + RAW(1, 0) + RAW(0, -1) + RAW(0, 1))
#define CROSS2 (RAW(-2, 0) + RAW(2, 0) + RAW(0, -2) + RAW(0, 2))
#define DIAGONAL (RAW(-1, -1) + RAW(1, -1) + RAW(-1, 1) + RAW(1, 1))

/* Colours of a sensor with red, green / green, blue in each square of four pixels, by the filters of Malvar, He and Cutler. */
__kernel void demosaic(const sensor_t s, __global const ushort *raw, __global uchar4 *rgba)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    if (x >= s.width || y >= s.height) return;

    const int centre = RAW(0, 0);
    int4 c = (int4)(0);
    if (((x ^ y) & 1) == 0) {
        const int green = 8 * centre + 4 * CROSS1 - 2 * CROSS2;
        const int other = 12 * centre + 4 * DIAGONAL - 3 * CROSS2;
        c = (y & 1) ? (int4)(other, green, 16 * centre, 0) : (int4)(16 * centre, green, other, 0);
    } else {
        const int along = 10 * centre + 8 * (RAW(-1, 0) + RAW(1, 0)) - 2 * (RAW(-2, 0) + RAW(2, 0)) - 2 * DIAGONAL +
                          RAW(0, -2) + RAW(0, 2);
        const int across = 10 * centre + 8 * (RAW(0, -1) + RAW(0, 1)) - 2 * (RAW(0, -2) + RAW(0, 2)) - 2 * DIAGONAL +
                           RAW(-2, 0) + RAW(2, 0);
        c = (y & 1) ? (int4)(across, 16 * centre, along, 0) : (int4)(along, 16 * centre, across, 0);
    }
    float4 f = convert_float4(c) * s.balance;
    f.w = 255.0f;
    rgba[y * s.width + x] = convert_uchar4_sat_rte(f);
}

#define BLOCK 16
#define REACH 8
#define WINDOW (BLOCK + 2 * REACH - 1)

/* Where each block of 16 x 16 pixels comes from in the frame before: a group has a block, an item one of the 256 places. The
 * lowest bits of a cost are the place, so the least cost tells it. */
__kernel __attribute__((reqd_work_group_size(BLOCK, BLOCK, 1)))
void block_motion(__global const uchar *now, __global const uchar *before, const int width, const int height,
                  const uint lambda, __global short2 *motion, __global uint *cost)
{
    __local uchar block[BLOCK * BLOCK];
    __local uchar window[WINDOW * WINDOW];
    __local uint best[BLOCK * BLOCK];

    const int lx = get_local_id(0), ly = get_local_id(1);
    const int lid = ly * BLOCK + lx;
    const int bx = get_group_id(0) * BLOCK, by = get_group_id(1) * BLOCK;

    block[lid] = now[min(by + ly, height - 1) * width + min(bx + lx, width - 1)];
    for (int i = lid; i < WINDOW * WINDOW; i += BLOCK * BLOCK) {
        const int wx = clamp(bx - REACH + i % WINDOW, 0, width - 1);
        const int wy = clamp(by - REACH + i / WINDOW, 0, height - 1);
        window[i] = before[wy * width + wx];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    uint sad = 0;
    for (int j = 0; j < BLOCK; j++) {
        for (int i = 0; i < BLOCK; i++) {
            sad += abs_diff(block[j * BLOCK + i], window[(ly + j) * WINDOW + lx + i]);
        }
    }
    sad += lambda * (abs(lx - REACH) + abs(ly - REACH));
    best[lid] = (sad << 8) | lid;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int s = BLOCK * BLOCK / 2; s > 0; s >>= 1) {
        if (lid < s) best[lid] = min(best[lid], best[lid + s]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) {
        const uint b = get_group_id(1) * get_num_groups(0) + get_group_id(0);
        const int place = best[0] & 255;
        motion[b] = (short2)(place % BLOCK - REACH, place / BLOCK - REACH);
        cost[b] = best[0] >> 8;
    }
}

#define SCAN 128

/* Sums from a row's begin on; a group has a row. */
__kernel void sum_rows(__global const uchar *page, __global uint *sums, const uint width)
{
    __local uint buf[2][SCAN];
    __local uint carry;
    const uint lid = get_local_id(0), row = get_group_id(0);
    if (lid == 0) carry = 0;
    for (uint start = 0; start < width; start += SCAN) {
        const uint x = start + lid;
        int in = 0;
        buf[0][lid] = x < width ? page[row * width + x] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint offset = 1; offset < SCAN; offset <<= 1) {
            buf[1 - in][lid] = lid >= offset ? buf[in][lid] + buf[in][lid - offset] : buf[in][lid];
            in = 1 - in;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (x < width) sums[row * width + x] = carry + buf[in][lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid == SCAN - 1) carry += buf[in][lid];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel void sum_columns(__global uint *sums, const uint width, const uint height)
{
    const uint x = get_global_id(0);
    if (x >= width) return;
    uint sum = 0;
    for (uint y = 0; y < height; y++) {
        sum += sums[y * width + x];
        sums[y * width + x] = sum;
    }
}

/* Ink is what is some percent darker than the mean of the square around it. */
__kernel void local_threshold(__global const uchar *page, __global const uint *sums, __global uchar *ink, const int width,
                              const int height, const int radius, const uint percent)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const int x0 = max(x - radius, 0) - 1, x1 = min(x + radius, width - 1);
    const int y0 = max(y - radius, 0) - 1, y1 = min(y + radius, height - 1);
    uint sum = sums[y1 * width + x1];
    if (x0 >= 0) sum -= sums[y1 * width + x0];
    if (y0 >= 0) sum -= sums[y0 * width + x1];
    if (x0 >= 0 && y0 >= 0) sum += sums[y0 * width + x0];
    const uint area = (x1 - x0) * (y1 - y0);
    ink[y * width + x] = page[y * width + x] * area * 100u < sum * (100u - percent) ? 0 : 255;
}
