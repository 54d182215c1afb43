/* Pictures: which pixels hang together, a picture at another size, the cheapest way from top to bottom. */

#define NOTHING 0xffffffffu

/* Where a pixel's tree ends. */
inline uint root_of(volatile __global const uint *labels, uint at)
{
    uint above = labels[at];
    while (above != at) {
        at = above;
        above = labels[at];
    }
    return at;
}

/* Makes two trees one: the root with the greater number goes below the other, whoever else is at it. */
void unite(volatile __global uint *labels, uint a, uint b)
{
    bool done = false;
    while (!done) {
        a = root_of(labels, a);
        b = root_of(labels, b);
        if (a < b) {
            const uint before = atomic_min(&labels[b], a);
            done = before == b;
            b = before;
        } else if (b < a) {
            const uint before = atomic_min(&labels[a], b);
            done = before == a;
            a = before;
        } else {
            done = true;
        }
    }
}

/* Each pixel is a tree of its own, or hangs on the one at its left that is as bright. Those of 0 are background. */
__kernel void label_start(__global const uchar *picture, const int width, const int height, __global uint *labels,
                          __global uint *areas)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const uint at = y * width + x;
    const uchar mine = picture[at];
    uint label = NOTHING;
    if (mine != 0) label = x > 0 && picture[at - 1] == mine ? at - 1 : at;
    labels[at] = label;
    areas[at] = 0;
}

/* Unites with the pixel above. Where the neighbours to the left are united too, that says nothing new. */
__kernel void label_merge(__global const uchar *picture, const int width, const int height, volatile __global uint *labels)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height || y == 0) return;
    const uint at = y * width + x;
    const uchar mine = picture[at];
    if (mine == 0 || picture[at - width] != mine) return;
    if (x > 0 && picture[at - 1] == mine && picture[at - width - 1] == mine) return;
    unite(labels, at, at - width);
}

/* The root's number is the label of all, and the root knows how many there are. */
__kernel void label_finish(const int width, const int height, __global uint *labels, __global uint *areas)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const uint at = y * width + x;
    if (labels[at] == NOTHING) return;
    const uint root = root_of(labels, at);
    labels[at] = root;
    atomic_inc(&areas[root]);
}

#define LOBES 3

/* Lanczos' window of a distance in pixels. */
inline float lanczos_weight(const float x)
{
    const float t = fabs(x);
    if (t < 1e-4f) return 1.0f;
    if (t >= LOBES) return 0.0f;
    return LOBES * sinpi(t) * sinpi(t / LOBES) / (M_PI_F * M_PI_F * t * t);
}

/* Rows of another width. `scale` is how many old pixels a new one is wide; beyond the border the last pixel goes on. */
__kernel void lanczos_rows(__global const uchar4 *in, const int width, const int height, const int new_width,
                           const float scale, __global float4 *out)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= new_width || y >= height) return;

    const float stretch = fmax(scale, 1.0f);
    const float centre = (x + 0.5f) * scale - 0.5f;
    const int first = (int)ceil(centre - LOBES * stretch), last = (int)floor(centre + LOBES * stretch);
    float4 sum = (float4)(0.0f);
    float total = 0.0f;
    for (int i = first; i <= last; i++) {
        const float weight = lanczos_weight((i - centre) / stretch);
        sum += weight * convert_float4(in[y * width + clamp(i, 0, width - 1)]);
        total += weight;
    }
    out[y * new_width + x] = sum / total;
}

/* The same for columns, and back to bytes. */
__kernel void lanczos_columns(__global const float4 *in, const int width, const int height, const int new_height,
                              const float scale, __global uchar4 *out)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= new_height) return;

    const float stretch = fmax(scale, 1.0f);
    const float centre = (y + 0.5f) * scale - 0.5f;
    const int first = (int)ceil(centre - LOBES * stretch), last = (int)floor(centre + LOBES * stretch);
    float4 sum = (float4)(0.0f);
    float total = 0.0f;
    for (int i = first; i <= last; i++) {
        const float weight = lanczos_weight((i - centre) / stretch);
        sum += weight * in[clamp(i, 0, height - 1) * width + x];
        total += weight;
    }
    out[y * width + x] = convert_uchar4_sat_rte(sum / total);
}

#define SPAN 256     /* items of a group */
#define BAND 32      /* rows that a launch goes down */
#define FAR 0x3fffffff

/* How much a pixel differs from those around it. */
__kernel void seam_energy(__global const uchar *grey, const int width, const int height, __global int *energy)
{
    const int x = get_global_id(0), y = get_global_id(1), frame = get_global_id(2);
    if (x >= width || y >= height) return;
    __global const uchar *from = grey + (size_t)frame * width * height;
    const int left = max(x - 1, 0), right = min(x + 1, width - 1);
    const int up = max(y - 1, 0), down = min(y + 1, height - 1);
    const int across = (int)from[y * width + right] - from[y * width + left];
    const int along = (int)from[down * width + x] - from[up * width + x];
    energy[((size_t)frame * height + y) * width + x] = abs(across) + abs(along);
}

/* The least cost from the top to each pixel of a band of rows. A group knows BAND columns more at both sides than it writes, of
 * which one more is wrong in each row. */
__kernel __attribute__((reqd_work_group_size(SPAN, 1, 1)))
void seam_band(__global const int *energy, const int width, const int height, const int top, __global int *cost)
{
    __local int row[2][SPAN];

    const int lid = get_local_id(0);
    const int x = (int)get_group_id(0) * (SPAN - 2 * BAND) + lid - BAND;
    const bool inside = x >= 0 && x < width;
    const bool mine = inside && lid >= BAND && lid < SPAN - BAND;
    const size_t frame = (size_t)get_global_id(1) * width * height;
    energy += frame;
    cost += frame;

    int start = FAR;
    if (inside) start = top == 0 ? 0 : cost[(top - 1) * width + x];
    row[0][lid] = start;
    barrier(CLK_LOCAL_MEM_FENCE);

    const int end = min(top + BAND, height);
    for (int y = top; y < end; y++) {
        const int now = (y - top) & 1;
        const int left = row[now][max(lid - 1, 0)], right = row[now][min(lid + 1, SPAN - 1)];
        int best = min(row[now][lid], min(left, right));
        best = inside ? best + energy[y * width + x] : FAR;
        row[now ^ 1][lid] = best;
        if (mine) cost[y * width + x] = best;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* The end of the cheapest way, which a group looks for, and the way back up, which one item goes. */
__kernel __attribute__((reqd_work_group_size(SPAN, 1, 1)))
void seam_trace(__global const int *cost, const int width, const int height, __global int *seam)
{
    __local int2 least[SPAN];

    const int lid = get_local_id(0), frame = get_group_id(0);
    cost += (size_t)frame * width * height;
    seam += frame * height;

    int2 best = (int2)(FAR, width);
    for (int x = lid; x < width; x += SPAN) {
        const int here = cost[(height - 1) * width + x];
        if (here < best.x) best = (int2)(here, x);
    }
    least[lid] = best;
    for (int half_way = SPAN / 2; half_way > 0; half_way >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_way) {
            const int2 other = least[lid + half_way];
            if (other.x < least[lid].x || (other.x == least[lid].x && other.y < least[lid].y)) least[lid] = other;
        }
    }
    if (lid != 0) return;

    int x = least[0].y;
    for (int y = height - 1; y >= 0; y--) {
        seam[y] = x;
        if (y == 0) break;
        __global const int *above = cost + (y - 1) * width;
        int next = x;
        if (x > 0 && above[x - 1] <= above[next]) next = x - 1;
        if (x + 1 < width && above[x + 1] < above[next]) next = x + 1;
        x = next;
    }
}
