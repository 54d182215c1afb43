/* Pictures: where things moved between two frames, how far away they are to two eyes, layers laid over each other. */

#define TILE 16
#define REACH 3      /* of the window around a pixel */
#define EDGE (TILE + 2 * REACH + 2)
#define CORNERED 0.02f /* the least part of its trace's square that a tensor's determinant is where there is a corner */
#define TEXTURE 800.0f /* the least trace */

/* A picture between its pixels. */
inline float grey_between(__global const uchar *picture, const int width, const int height, const float x, const float y)
{
    const float column = clamp(x, 0.0f, width - 1.0f), row = clamp(y, 0.0f, height - 1.0f);
    const int left = (int)column, top = (int)row;
    const int right = min(left + 1, width - 1), bottom = min(top + 1, height - 1);
    const float above = mix((float)picture[top * width + left], (float)picture[top * width + right], column - left);
    const float below = mix((float)picture[bottom * width + left], (float)picture[bottom * width + right], column - left);
    return mix(above, below, row - top);
}

/* Optical flow after Lucas and Kanade: the window's shift that explains the second frame best, by Newton's steps. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void lucas_kanade(__global const uchar *before, __global const uchar *after, const int width, const int height,
                  const int steps, const float enough, __global float2 *flow)
{
    __local float tile[EDGE][EDGE];

    const int lx = get_local_id(0), ly = get_local_id(1);
    const int x = get_global_id(0), y = get_global_id(1);
    const int left = x - lx - REACH - 1, top = y - ly - REACH - 1;
    for (int j = ly; j < EDGE; j += TILE)
        for (int i = lx; i < EDGE; i += TILE)
            tile[j][i] = before[clamp(top + j, 0, height - 1) * width + clamp(left + i, 0, width - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= width || y >= height) return;

    float xx = 0.0f, xy = 0.0f, yy = 0.0f;
    for (int j = ly + 1; j <= ly + 2 * REACH + 1; j++) {
        for (int i = lx + 1; i <= lx + 2 * REACH + 1; i++) {
            const float gx = 0.5f * (tile[j][i + 1] - tile[j][i - 1]);
            const float gy = 0.5f * (tile[j + 1][i] - tile[j - 1][i]);
            xx += gx * gx;
            xy += gx * gy;
            yy += gy * gy;
        }
    }

    float2 shift = (float2)(0.0f);
    const float determinant = xx * yy - xy * xy, trace = xx + yy;
    if (trace > TEXTURE && determinant > CORNERED * trace * trace) {
        for (int step = 0; step < steps; step++) {
            float2 pull = (float2)(0.0f);
            for (int j = 0; j <= 2 * REACH; j++) {
                for (int i = 0; i <= 2 * REACH; i++) {
                    const int u = lx + i + 1, v = ly + j + 1;
                    const float gx = 0.5f * (tile[v][u + 1] - tile[v][u - 1]);
                    const float gy = 0.5f * (tile[v + 1][u] - tile[v - 1][u]);
                    const float seen = grey_between(after, width, height, x + i - REACH + shift.x, y + j - REACH + shift.y);
                    pull += (tile[v][u] - seen) * (float2)(gx, gy);
                }
            }
            const float2 change = (float2)(yy * pull.x - xy * pull.y, xx * pull.y - xy * pull.x) / determinant;
            shift += change;
            if (dot(change, change) < enough * enough) break;
        }
    }
    flow[y * width + x] = shift;
}

#define WIDE 4       /* of the census window, to each side */
#define HIGH 3
#define DISPARITIES 32
#define UNSURE 90    /* percent of the second best cost that the best must not exceed */

/* The census of each pixel of both pictures: which of those around it are darker. */
__kernel void census_bits(__global const uchar *pictures, const int width, const int height, __global ulong *census)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;

    const size_t skip = get_global_id(2) * (size_t)width * height;
    __global const uchar *picture = pictures + skip;
    ulong bits = 0;
    if (x >= WIDE && y >= HIGH && x < width - WIDE && y < height - HIGH) {
        const uchar centre = picture[y * width + x];
        for (int j = -HIGH; j <= HIGH; j++)
            for (int i = -WIDE; i <= WIDE; i++)
                if (i != 0 || j != 0) bits = bits << 1 | (picture[(y + j) * width + x + i] < centre);
    }
    census[skip + y * width + x] = bits;
}

/* How far to the left the right eye sees what the left one has here, in sixteenths of a pixel; -1 where nobody can tell. */
__kernel void stereo_match(__global const ulong *census, const int width, const int height, __global short *disparity)
{
    __global const ulong *left = census, *right = census + (size_t)width * height;
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;

    disparity[y * width + x] = -1;
    if (x < WIDE + DISPARITIES || x >= width - WIDE - 1 || y <= HIGH || y >= height - HIGH - 1) return;

    ushort cost[DISPARITIES];
    int best = 0;
    for (int d = 0; d < DISPARITIES; d++) {
        int sum = 0;
        for (int j = -1; j <= 1; j++) {
            const int row = (y + j) * width;
            for (int i = -1; i <= 1; i++) sum += popcount(left[row + x + i] ^ right[row + x + i - d]);
        }
        cost[d] = sum;
        if (sum < cost[best]) best = d;
    }
    int second = 0x7fff;
    for (int d = 0; d < DISPARITIES; d++)
        if (abs_diff(d, best) > 1) second = min(second, (int)cost[d]);
    if (cost[best] * 100 > second * UNSURE) return;

    int finer = best * 16;
    if (best > 0 && best < DISPARITIES - 1) {
        const int before = cost[best - 1], after = cost[best + 1];
        const int bend = before + after - 2 * cost[best];
        if (bend > 0) finer += 8 * (before - after) / bend;
    }
    disparity[y * width + x] = finer;
}

enum { NORMAL, MULTIPLY, SCREEN, OVERLAY, DARKEN };

struct layer {
    int left, top, width, height;
    int first;       /* pixel among all layers' */
    int mode;
    float opacity;
    int visible;
};

/* Layers over paper, the lowest first. */
__kernel void over_layers(__global const uchar4 *pixels, __global const struct layer *layers, const int count,
                          const uchar4 paper, __global uchar4 *out)
{
    const int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
    float3 below = convert_float3(paper.xyz) / 255.0f;
    for (int i = 0; i < count; i++) {
        const struct layer layer = layers[i];
        const int u = x - layer.left, v = y - layer.top;
        if (!layer.visible || u < 0 || v < 0 || u >= layer.width || v >= layer.height) continue;

        const float4 pixel = convert_float4(pixels[layer.first + v * layer.width + u]) / 255.0f;
        const float alpha = pixel.w * layer.opacity;
        if (alpha == 0.0f) continue;
        const float3 above = pixel.xyz;
        float3 blended;
        switch (layer.mode) {
        case MULTIPLY:
            blended = above * below;
            break;
        case SCREEN:
            blended = above + below - above * below;
            break;
        case OVERLAY:
            blended = select(1.0f - 2.0f * (1.0f - above) * (1.0f - below), 2.0f * above * below, below < 0.5f);
            break;
        case DARKEN:
            blended = fmin(above, below);
            break;
        default:
            blended = above;
        }
        below = mix(below, blended, alpha);
    }
    out[y * width + x] = convert_uchar4_sat_rte((float4)(below, 1.0f) * 255.0f);
}
