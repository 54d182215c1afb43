/* Pictures: triangles in front of each other, seams of coded blocks, points of two pictures that belong together, corners that
 * get little light. */

#define SUBPIXELS 16
#define DEPTH_BITS 16
#define NOTHING 0xffffffffu

typedef struct {
    int4 x, y; /* of the corners, in parts of pixels; the last one is the first again */
    int left, right, top, bottom; /* pixels that may be inside; none where left > right */
    int depth, across, along; /* at the first corner, and its change from a part of a pixel to the next, in 4096ths */
    int colour;
} triangle_t;

/* Clips, and gives up what is too small or looks away. A corner is (x, y, depth, colour). */
__kernel void triangle_setup(__global const ushort4 *corners, const int count, const int width, const int height,
                             __global triangle_t *triangles)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const int4 a = convert_int4(corners[3 * id]), b = convert_int4(corners[3 * id + 1]), c = convert_int4(corners[3 * id + 2]);
    const int4 ab = b - a, ac = c - a;
    const int area = ab.x * ac.y - ab.y * ac.x;
    triangle_t t;
    t.x = (int4)(a.x, b.x, c.x, a.x);
    t.y = (int4)(a.y, b.y, c.y, a.y);
    t.left = max(min(a.x, min(b.x, c.x)) / SUBPIXELS, 0);
    t.right = min(max(a.x, max(b.x, c.x)) / SUBPIXELS, width - 1);
    t.top = max(min(a.y, min(b.y, c.y)) / SUBPIXELS, 0);
    t.bottom = min(max(a.y, max(b.y, c.y)) / SUBPIXELS, height - 1);
    t.depth = a.z << 12;
    t.across = t.along = 0;
    t.colour = a.w;
    if (area < 4 * SUBPIXELS * SUBPIXELS) {
        t.left = 1;
        t.right = 0;
    } else {
        t.across = (int)(((long)ab.z * ac.y - (long)ac.z * ab.y) * 4096 / area);
        t.along = (int)(((long)ac.z * ab.x - (long)ab.z * ac.x) * 4096 / area);
    }
    triangles[id] = t;
}

/* On which side of an edge, from corner i to j, a place is: below 0 is outside. A place on an edge belongs to one of its two
 * triangles. */
#define SIDE_OF(t, i, j, px, py)                                                                   \
    (((t).x.s##j - (t).x.s##i) * ((py) - (t).y.s##i) - ((t).y.s##j - (t).y.s##i) * ((px) - (t).x.s##i) -                 \
     (((t).y.s##j > (t).y.s##i || ((t).y.s##j == (t).y.s##i && (t).x.s##j < (t).x.s##i)) ? 1 : 0))

/* Each item has a triangle, and leaves its number at those pixels where nothing nearer has come yet. */
__kernel void raster_depth(__global const triangle_t *triangles, const int count, const int width, __global uint *nearest)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const triangle_t t = triangles[id];
    for (int y = t.top; y <= t.bottom; y++) {
        for (int x = t.left; x <= t.right; x++) {
            const int px = x * SUBPIXELS + SUBPIXELS / 2, py = y * SUBPIXELS + SUBPIXELS / 2;
            if (SIDE_OF(t, 0, 1, px, py) < 0 || SIDE_OF(t, 1, 2, px, py) < 0 || SIDE_OF(t, 2, 3, px, py) < 0) continue;
            const long depth = (t.depth + (long)t.across * (px - t.x.s0) + (long)t.along * (py - t.y.s0)) >> 12;
            const uint shown = (uint)clamp(depth, 0L, (1L << DEPTH_BITS) - 1);
            atomic_min(&nearest[y * width + x], shown << DEPTH_BITS | (uint)id);
        }
    }
}

__kernel void show_nothing(__global uint *nearest, const int pixels)
{
    const int id = get_global_id(0);
    if (id < pixels) nearest[id] = NOTHING;
}

/* The colours of what is nearest, darker where it is far. */
__kernel void shade_nearest(__global const uint *nearest, __global const triangle_t *triangles, const int pixels,
                            __global uchar4 *out)
{
    const int id = get_global_id(0);
    if (id >= pixels) return;
    const uint key = nearest[id];
    uint4 colour = (uint4)(10, 10, 40, 255);
    if (key != NOTHING) {
        const uint packed = triangles[key & 0xffff].colour, light = 255 - (key >> 24);
        colour = (uint4)((packed >> 11) << 3, (packed >> 5 & 63) << 2, (packed & 31) << 3, 255);
        colour.xyz = colour.xyz * light / 255;
    }
    out[id] = convert_uchar4(colour);
}

#define BLOCK 8

/* What differs more than this across an edge is an edge of what is shown, by how coarse the blocks' steps are. */
__constant uchar edge_limits[16] = {0, 4, 5, 6, 8, 10, 13, 17, 22, 28, 36, 45, 56, 71, 90, 113};
__constant uchar side_limits[16] = {0, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 13, 14, 16, 18};
__constant uchar most_changes[16] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5, 6, 8, 10, 13};

/* Eight pixels across an edge, `step` apart. Those of blocks that were coded alone are made much smoother. */
void smooth_across(__global uchar *middle, const int step, const int coarse, const int is_strong)
{
    const int p0 = middle[-step], p1 = middle[-2 * step], p2 = middle[-3 * step];
    const int q0 = middle[0], q1 = middle[step], q2 = middle[2 * step];
    const int edge = edge_limits[coarse], side = side_limits[coarse];
    if (abs(p0 - q0) >= edge || abs(p1 - p0) >= side || abs(q1 - q0) >= side) return;
    if (is_strong && abs(p0 - q0) < edge / 4 + 2) {
        const int p3 = middle[-4 * step], q3 = middle[3 * step];
        middle[-step] = (p2 + 2 * (p1 + p0 + q0) + q1 + 4) >> 3;
        middle[-2 * step] = (p2 + p1 + p0 + q0 + 2) >> 2;
        middle[-3 * step] = (2 * p3 + 3 * p2 + p1 + p0 + q0 + 4) >> 3;
        middle[0] = (q2 + 2 * (q1 + q0 + p0) + p1 + 4) >> 3;
        middle[step] = (q2 + q1 + q0 + p0 + 2) >> 2;
        middle[2 * step] = (2 * q3 + 3 * q2 + q1 + q0 + p0 + 4) >> 3;
        return;
    }
    int most = most_changes[coarse];
    if (abs(p2 - p0) < side) {
        const int change = (p2 + ((p0 + q0 + 1) >> 1) - 2 * p1) >> 1;
        middle[-2 * step] = p1 + clamp(change, -most, most);
    }
    if (abs(q2 - q0) < side) {
        const int change = (q2 + ((p0 + q0 + 1) >> 1) - 2 * q1) >> 1;
        middle[step] = q1 + clamp(change, -most, most);
    }
    most += (abs(p2 - p0) < side) + (abs(q2 - q0) < side);
    const int change = clamp((4 * (q0 - p0) + p1 - q1 + 4) >> 3, -most, most);
    middle[-step] = clamp(p0 + change, 0, 255);
    middle[0] = clamp(q0 - change, 0, 255);
}

/* A block is (how coarse, whether it was coded alone). An item has a place along an edge between two blocks beside each other. */
__kernel void deblock_columns(__global uchar *pixels, const int width, __global const uchar2 *blocks)
{
    const int edge = get_global_id(0) + 1, y = get_global_id(1), at = y / BLOCK * (width / BLOCK) + edge;
    const uchar2 one = blocks[at - 1], other = blocks[at];
    smooth_across(pixels + y * width + edge * BLOCK, 1, (one.x + other.x + 1) >> 1, one.y | other.y);
}

/* The same for blocks one above the other. */
__kernel void deblock_rows(__global uchar *pixels, const int width, __global const uchar2 *blocks)
{
    const int edge = get_global_id(1) + 1, x = get_global_id(0), at = edge * (width / BLOCK) + x / BLOCK;
    const uchar2 one = blocks[at - width / BLOCK], other = blocks[at];
    smooth_across(pixels + edge * BLOCK * width + x, width, (one.x + other.x + 1) >> 1, one.y | other.y);
}

__kernel void take_picture(__global const uchar4 *from, __global uchar4 *to)
{
    to[get_global_id(0)] = from[get_global_id(0)];
}

#define MATCHERS 64

/* For each point of one picture the point of the other whose 256 bits differ least, if the second best differs clearly more; -1
 * otherwise. */
__kernel __attribute__((reqd_work_group_size(MATCHERS, 1, 1)))
void orb_match(__global const ulong4 *ours, const int count, __global const ulong4 *theirs, const int their_count,
               __global int *matches)
{
    __local ulong4 tile[MATCHERS];

    const int lid = get_local_id(0), id = get_global_id(0);
    const ulong4 own = ours[min(id, count - 1)];
    int best = 257, second = 257, match = -1;
    for (int first = 0; first < their_count; first += MATCHERS) {
        const int here = min(MATCHERS, their_count - first);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < here) tile[lid] = theirs[first + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < here; i++) {
            const ulong4 bits = popcount(own ^ tile[i]);
            const int differ = (int)(bits.x + bits.y + bits.z + bits.w);
            if (differ < best) {
                second = best;
                best = differ;
                match = first + i;
            } else if (differ < second) {
                second = differ;
            }
        }
    }
    if (id < count) matches[id] = 5 * best < 4 * second ? match : -1;
}

/* Only points that chose each other stay. */
__kernel void keep_mutual(__global const int *matches, const int count, __global const int *back, __global int *kept)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const int match = matches[id];
    kept[id] = match >= 0 && back[match] == id ? match : -1;
}

#define LOOKS 12

/* Where a pixel is in space: depths are along the line of sight. */
float3 place_of(__global const float *depths, const int x, const int y, const int width, const int height, const float focus)
{
    const int column = clamp(x, 0, width - 1), row = clamp(y, 0, height - 1);
    const float depth = depths[row * width + column];
    return (float3)((column - 0.5f * width) / focus, (row - 0.5f * height) / focus, 1.0f) * depth;
}

/* How much of a pixel's light is kept off by what is around it. Where a pixel looks depends on its place in a square of four by
 * four. */
__kernel void screen_occlusion(__global const float *depths, const int width, const int height, const float focus,
                               __constant char2 *looks, const float reach, __global float *light)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const float3 here = place_of(depths, x, y, width, height, focus);
    const float3 across = place_of(depths, x + 1, y, width, height, focus) - place_of(depths, x - 1, y, width, height, focus);
    const float3 along = place_of(depths, x, y + 1, width, height, focus) - place_of(depths, x, y - 1, width, height, focus);
    const float3 normal = normalize(cross(along, across));
    const int pattern = (y % 4 * 4 + x % 4) * LOOKS;
    float kept = 0.0f;
    for (int i = 0; i < LOOKS; i++) {
        const char2 look = looks[pattern + i];
        const float3 to = place_of(depths, x + look.x, y + look.y, width, height, focus) - here;
        const float squared = dot(to, to), near = fmax(1.0f - squared / (reach * reach), 0.0f);
        kept += near * fmax(dot(normal, to) * rsqrt(squared + 1.0e-4f) - 0.1f, 0.0f);
    }
    light[y * width + x] = fmax(1.0f - 2.0f * kept / LOOKS, 0.0f);
}

/* Takes the pattern away: a mean of four by four pixels, in which those at other depths count little. */
__kernel void smooth_light(__global const float *light, __global const float *depths, const int width, const int height,
                           __global float *out)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const float depth = depths[y * width + x];
    float sum = 0.0f, all = 0.0f;
    for (int row = max(y - 2, 0); row < min(y + 2, height); row++) {
        for (int column = max(x - 2, 0); column < min(x + 2, width); column++) {
            const float off = depths[row * width + column] - depth, weight = exp(-20.0f * off * off);
            sum += weight * light[row * width + column];
            all += weight;
        }
    }
    out[y * width + x] = sum / all;
}
