/* Pictures: contrast by regions, outlines of cells, corners that can be found again. */

#define BINS 256
#define TILE_ITEMS 256

/* What each region of a picture makes of its greys: a histogram, of which no bin is higher than the limit, summed up. What is cut
 * off goes to all bins alike. A group of 16 x 16 has a region. */
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void clahe_tables(__global const uchar *src, const int width, const int height, const int tile_width, const int tile_height,
                  const float clip, __global uchar *tables)
{
    __local uint hist[BINS];
    __local uint sums[2][BINS];
    __local uint excess;

    const int lx = get_local_id(0), ly = get_local_id(1);
    const int lid = ly * 16 + lx;
    const int x0 = get_group_id(0) * tile_width, y0 = get_group_id(1) * tile_height;
    const int x1 = min(x0 + tile_width, width), y1 = min(y0 + tile_height, height);
    const uint area = max(x1 - x0, 0) * max(y1 - y0, 0);

    hist[lid] = 0;
    if (lid == 0) excess = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = y0 + ly; y < y1; y += 16) {
        for (int x = x0 + lx; x < x1; x += 16) atomic_inc(&hist[src[y * width + x]]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint limit = max(1u, (uint)(clip * area / BINS));
    if (hist[lid] > limit) {
        atomic_add(&excess, hist[lid] - limit);
        hist[lid] = limit;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[0][lid] = hist[lid] + excess / BINS + (lid < excess % BINS ? 1 : 0);
    barrier(CLK_LOCAL_MEM_FENCE);

    int now = 0;
    for (int offset = 1; offset < BINS; offset <<= 1) {
        sums[1 - now][lid] = sums[now][lid] + (lid >= offset ? sums[now][lid - offset] : 0);
        now = 1 - now;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const uint tile = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    tables[tile * BINS + lid] = convert_uchar_sat((sums[now][lid] * 255 + area / 2) / max(area, 1u));
}

/* Each pixel's new grey is between those of the four regions whose middles are around it. An item has four pixels of a row. */
__kernel void clahe_apply(__global const uchar *src, __global uchar *dst, const int width, const int height,
                          const int2 tiles, const int tile_width, const int tile_height, __global const uchar *tables)
{
    const int x4 = get_global_id(0) * 4;
    const int y = get_global_id(1);
    if (x4 >= width || y >= height) return;

    const float ty = (y + 0.5f) / tile_height - 0.5f;
    const float fy = floor(ty);
    const int upper = max((int)fy, 0), lower = min((int)fy + 1, tiles.y - 1);
    for (int x = x4; x < min(x4 + 4, width); x++) {
        const float tx = (x + 0.5f) / tile_width - 0.5f;
        const float fx = floor(tx);
        const int left = max((int)fx, 0), right = min((int)fx + 1, tiles.x - 1);
        const int grey = src[y * width + x];
        const float above = mix((float)tables[(upper * tiles.x + left) * BINS + grey],
                                (float)tables[(upper * tiles.x + right) * BINS + grey], tx - fx);
        const float below = mix((float)tables[(lower * tiles.x + left) * BINS + grey],
                                (float)tables[(lower * tiles.x + right) * BINS + grey], tx - fx);
        dst[y * width + x] = convert_uchar_sat_rte(mix(above, below, ty - fy));
    }
}

#define CELL 8
#define ANGLES 9
#define VOTE 64.0f /* of whole numbers that stand for votes */

/* Gradients' directions in each cell of 8 x 8 pixels, after Dalal and Triggs: a pixel votes for the two nearest of nine angles. A
 * group of 16 x 16 has four cells. */
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void hog_cells(__global const uchar *src, const int width, const int height, const int2 cells, __global float *histograms)
{
    __local uint votes[4][ANGLES];
    const int x = get_global_id(0), y = get_global_id(1);
    const int lid = get_local_id(1) * 16 + get_local_id(0);
    const int quarter = get_local_id(1) / CELL * 2 + get_local_id(0) / CELL;

    if (lid < 4 * ANGLES) votes[lid / ANGLES][lid % ANGLES] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (x < cells.x * CELL && y < cells.y * CELL) {
        const float dx = (float)src[y * width + min(x + 1, width - 1)] - (float)src[y * width + max(x - 1, 0)];
        const float dy = (float)src[min(y + 1, height - 1) * width + x] - (float)src[max(y - 1, 0) * width + x];
        const float strength = hypot(dx, dy);
        float angle = atan2(dy, dx);
        if (angle < 0.0f) angle += M_PI_F;
        const float at = angle * (ANGLES / M_PI_F) - 0.5f;
        const float base = floor(at);
        const int bin = ((int)base + ANGLES) % ANGLES;
        const uint second = convert_uint_rte(strength * (at - base) * VOTE);
        const uint first = convert_uint_rte(strength * (1.0f - (at - base)) * VOTE);
        atomic_add(&votes[quarter][bin], first);
        atomic_add(&votes[quarter][(bin + 1) % ANGLES], second);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (lid < 4 * ANGLES) {
        const int cx = get_group_id(0) * 2 + lid / ANGLES % 2, cy = get_group_id(1) * 2 + lid / ANGLES / 2;
        if (cx < cells.x && cy < cells.y) {
            histograms[(cy * cells.x + cx) * ANGLES + lid % ANGLES] = votes[lid / ANGLES][lid % ANGLES] / VOTE;
        }
    }
}

/* Blocks of 2 x 2 cells, made equally long; no part is longer than 0.2. */
__kernel void hog_blocks(__global const float *histograms, const int2 cells, __global float *blocks)
{
    const int bx = get_global_id(0), by = get_global_id(1);
    if (bx >= cells.x - 1 || by >= cells.y - 1) return;

    float part[4 * ANGLES];
    float square = 0.01f;
    for (int c = 0; c < 4; c++) {
        __global const float *cell = histograms + ((by + c / 2) * cells.x + bx + c % 2) * ANGLES;
        for (int a = 0; a < ANGLES; a++) {
            part[c * ANGLES + a] = cell[a];
            square += cell[a] * cell[a];
        }
    }
    float scale = rsqrt(square);
    square = 0.0001f;
    for (int i = 0; i < 4 * ANGLES; i++) {
        part[i] = fmin(part[i] * scale, 0.2f);
        square += part[i] * part[i];
    }
    scale = rsqrt(square);
    __global float *block = blocks + (size_t)(by * (cells.x - 1) + bx) * 4 * ANGLES;
    for (int i = 0; i < 4 * ANGLES; i++) block[i] = part[i] * scale;
}

#define ARC 9      /* pixels in a row that must differ */
#define BORDER 16
#define WORDS 8    /* of a descriptor */

/* Bresenham's circle of radius 3. */
__constant char2 circle[16] = {(char2)(0, -3), (char2)(1, -3), (char2)(2, -2), (char2)(3, -1), (char2)(3, 0),  (char2)(3, 1),
                               (char2)(2, 2),  (char2)(1, 3),  (char2)(0, 3),  (char2)(-1, 3), (char2)(-2, 2), (char2)(-3, 1),
                               (char2)(-3, 0), (char2)(-3, -1), (char2)(-2, -2), (char2)(-1, -3)};

inline bool has_arc(uint bits)
{
    bits |= bits << 16;
    uint run = bits;
    for (int i = 1; i < ARC; i++) run &= bits >> i;
    return (run & 0xffff) != 0;
}

/* How much a pixel is a corner, after Rosten and Drummond; 0 where it is none. */
__kernel void corner_scores(__global const uchar *src, const int width, const int height, const int threshold,
                            __global ushort *scores)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    scores[y * width + x] = 0;
    if (x < BORDER || y < BORDER || x >= width - BORDER || y >= height - BORDER) return;

    __global const uchar *centre = src + y * width + x;
    const int high = centre[0] + threshold, low = centre[0] - threshold;
    const int north = centre[-3 * width], south = centre[3 * width];
    if (north <= high && north >= low && south <= high && south >= low) return;
    const int east = centre[3], west = centre[-3];
    if (east <= high && east >= low && west <= high && west >= low) return;

    uint brighter = 0, darker = 0;
    int over = 0, under = 0;
    for (int i = 0; i < 16; i++) {
        const int value = centre[circle[i].y * width + circle[i].x];
        if (value > high) {
            brighter |= 1u << i;
            over += value - high;
        } else if (value < low) {
            darker |= 1u << i;
            under += low - value;
        }
    }
    if (has_arc(brighter) || has_arc(darker)) scores[y * width + x] = (ushort)max(over, under);
}

/* The corners that have no better one beside them, in no order. */
__kernel void keep_corners(__global const ushort *scores, const int width, const int height, const int capacity,
                           __global int2 *corners, __global int *count)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < BORDER || y < BORDER || x >= width - BORDER || y >= height - BORDER) return;
    const int score = scores[y * width + x];
    if (score == 0) return;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            const int other = scores[(y + j) * width + x + i];
            /* Of equals the first one stays. */
            if (other > score || (other == score && (j < 0 || (j == 0 && i < 0)))) return;
        }
    }
    const int slot = atomic_inc(count);
    if (slot < capacity) corners[slot] = (int2)(x, y);
}

/* The sum of a square of 3 x 3. */
inline int blurred(__global const uchar *at, const int width)
{
    int sum = 0;
    for (int j = -1; j <= 1; j++) {
        const int3 row = convert_int3(vload3(0, at + j * width - 1));
        sum += row.x + row.y + row.z;
    }
    return sum;
}

/* 256 bits about each corner: which of two places is darker. Groups of 32 go through the list; an item makes eight bits. */
__kernel void describe_corners(__global const uchar *src, const int width, __global const int2 *corners,
                               __global const int *count, const int capacity, __constant char4 *pairs,
                               __global uint *descriptors)
{
    __local uint bytes[4 * WORDS];
    const int lid = get_local_id(0);
    const int all = min(*count, capacity);
    for (int corner = get_group_id(0); corner < all; corner += get_num_groups(0)) {
        const int2 at = corners[corner];
        __global const uchar *centre = src + at.y * width + at.x;
        uint bits = 0;
        for (int i = 0; i < 8; i++) {
            const char4 p = pairs[lid * 8 + i];
            const int one = blurred(centre + p.y * width + p.x, width);
            const int other = blurred(centre + p.w * width + p.z, width);
            bits |= (uint)(one < other) << i;
        }
        bytes[lid] = bits;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < WORDS) {
            descriptors[corner * WORDS + lid] =
                bytes[4 * lid] | bytes[4 * lid + 1] << 8 | bytes[4 * lid + 2] << 16 | bytes[4 * lid + 3] << 24;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
