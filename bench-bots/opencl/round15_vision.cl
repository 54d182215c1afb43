/* Vision: a cascade of weak judges that looks for objects, depths that neighbours agree on, what moves before a background. */

#define WINDOW 24 /* pixels of the smallest window, along either side */
#define PARTS 3   /* most rectangles of a judge */

/* A judge compares a weighted sum of rectangles (left, top, width, height) of the smallest window with a threshold; its vote is
 * one of two. A stage is some judges, and how many votes a window must have of them. */
struct judge {
    uchar4 parts[PARTS];
    char weights[4];
    float threshold, below, above;
};
struct stage {
    int first, count;
    float least;
};

/* The sum of a rectangle, from a table of the sums of all pixels above and left of each corner. */
uint rectangle(__global const uint *sums, const int stride, const int left, const int top, const int width, const int height)
{
    __global const uint *upper = sums + top * stride + left, *lower = upper + height * stride;
    return lower[width] - lower[0] - upper[width] + upper[0];
}

__kernel void clear_found(__global uint *count) { count[0] = 0; }

/* Through how many stages each window of one size gets, and which windows get through all of them. Most are out after a few
 * judges. */
__kernel void haar_cascade(__global const uint *sums, __global const uint *squares, const int width, const int height,
                           const int scale, __constant struct stage *stages, const int count, __constant struct judge *judges,
                           const int base, __global uchar *passed, __global int4 *found, const uint most, __global uint *founds)
{
    const int column = get_global_id(0), row = get_global_id(1);
    const int side = WINDOW * scale, x = column * scale, y = row * scale, stride = width + 1;
    if (x + side > width || y + side > height) return;

    const ulong area = side * side, sum = rectangle(sums, stride, x, y, side, side);
    const ulong square = rectangle(squares, stride, x, y, side, side);
    const float deviation = sqrt(fmax((float)(area * square - sum * sum), 1.0f));

    int stage = 0;
    for (; stage < count; stage++) {
        const int first = stages[stage].first, last = first + stages[stage].count;
        float votes = 0.0f;
        for (int k = first; k < last; k++) {
            int value = 0;
            for (int i = 0; i < PARTS; i++) {
                const int weight = judges[k].weights[i];
                if (weight == 0) continue;
                const int4 part = convert_int4(judges[k].parts[i]) * scale;
                value += weight * (int)rectangle(sums, stride, x + part.x, y + part.y, part.z, part.w);
            }
            votes += value < judges[k].threshold * deviation ? judges[k].below : judges[k].above;
        }
        if (votes < stages[stage].least) break;
    }
    passed[base + row * ((width - side) / scale + 1) + column] = stage;
    if (stage == count) {
        const uint at = atomic_inc(founds);
        if (at < most) found[at] = (int4)(x, y, side, scale);
    }
}

#define LEVELS 64 /* how far apart the same thing can be in two pictures */
#define DEAREST 60
#define NOWHERE 100000

/* How far a pixel is from what lies around another one: from its value and from those halfway to its neighbours. */
int off(const int value, const int before, const int here, const int after)
{
    const int one = (before + here) / 2, other = (here + after) / 2;
    const int low = min(here, min(one, other)), high = max(here, max(one, other));
    return max(0, max(low - value, value - high));
}

/* How badly each pixel of the left picture fits those at its left in the right one, by Birchfield and Tomasi. */
__kernel void fit_costs(__global const uchar *left, __global const uchar *right, const int width, const int height,
                        __global uchar *costs)
{
    const int level = get_global_id(0), x = get_global_id(1), y = get_global_id(2), other = x - level;
    if (x >= width || y >= height) return;
    int cost = DEAREST;
    if (other >= 0) {
        __global const uchar *one = left + y * width, *two = right + y * width;
        const int before = max(x - 1, 0), after = min(x + 1, width - 1);
        const int other_before = max(other - 1, 0), other_after = min(other + 1, width - 1);
        cost = min(cost, off(one[x], two[other_before], two[other], two[other_after]));
        cost = min(cost, off(two[other], one[before], one[x], one[after]));
    }
    costs[(y * width + x) * LEVELS + level] = cost;
}

/* Adds what depths cost along parallel lines: a step to the next level costs little, one to any other level more. A work-group
 * goes along a line, each item has a level. */
__kernel __attribute__((reqd_work_group_size(LEVELS, 1, 1)))
void path_costs(__global const uchar *costs, const int width, const int2 origin, const int2 apart, const int2 forward,
                const int length, const int small, const int large, const int is_first, __global ushort *sums)
{
    __local int before[LEVELS + 2], least[LEVELS];

    const int level = get_local_id(0);
    int2 place = origin + apart * (int)get_group_id(0);
    before[level + 1] = 0;
    if (level < 2) before[level * (LEVELS + 1)] = NOWHERE;
    barrier(CLK_LOCAL_MEM_FENCE);

    int lowest = 0;
    for (int i = 0; i < length; i++, place += forward) {
        const int at = (place.y * width + place.x) * LEVELS + level;
        const int beside = min(before[level], before[level + 2]) + small;
        const int cost = costs[at] + min(min(before[level + 1], beside), lowest + large) - lowest;
        sums[at] = is_first ? cost : sums[at] + cost;
        barrier(CLK_LOCAL_MEM_FENCE);
        before[level + 1] = least[level] = cost;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int step = LEVELS / 2; step > 0; step >>= 1) {
            if (level < step) least[level] = min(least[level], least[level + step]);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        lowest = least[0];
    }
}

/* The cheapest level of each pixel in 1/16, or -1 if another one is nearly as cheap or if the pixel there, of the right picture,
 * would choose another one. */
__kernel void choose_levels(__global const ushort *sums, const int width, const int height, __global short *out)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    __global const ushort *own = sums + (y * width + x) * LEVELS;
    int best = 0;
    for (int level = 1; level < LEVELS; level++) {
        if (own[level] < own[best]) best = level;
    }
    out[y * width + x] = -1;
    if (best > x) return;
    for (int level = 0; level < LEVELS; level++) {
        if (abs_diff(level, best) > 1 && own[level] * 9 < own[best] * 10) return;
    }

    const int other = x - best;
    __global const ushort *row = sums + (y * width + other) * LEVELS;
    int back = 0, least = NOWHERE;
    for (int level = 0; level < LEVELS && other + level < width; level++) {
        const int cost = row[level * (LEVELS + 1)];
        if (cost < least) {
            least = cost;
            back = level;
        }
    }
    if (abs_diff(back, best) > 1) return;

    int part = 0;
    if (best > 0 && best < LEVELS - 1) {
        const int before = own[best - 1], here = own[best], after = own[best + 1];
        part = (before - after) * 8 / (before + after - 2 * here);
    }
    out[y * width + x] = best * 16 + part;
}

#define MODES 4 /* most colours that a pixel of the background can have */
#define FIRST_VARIANCE 15.0f
#define LEAST_VARIANCE 4.0f
#define MOST_VARIANCE 75.0f
#define NEAR 9.0f      /* squares of distances, relative to the variance: of a colour that is a mode's */
#define BACKGROUND 16.0f /* and of one that is not foreground */
#define BACKGROUND_WEIGHT 0.85f
#define DARKEST 0.5f

#define FOREGROUND 255
#define SHADOW 127

/* A background whose pixels have several colours each, as Stauffer and Grimson have it, the likeliest first: finds what is in
 * front of it in a frame, tells shadows, and learns from the frame. What is known of a pixel is stored mode by mode. */
__kernel void background_mixture(__global const uchar4 *frame, const int pixels, const int from, const float rate,
                                 const int is_first, __global int *used, __global float *weights, __global float *variances,
                                 __global float4 *means, __global uchar *mask)
{
    const int id = get_global_id(0);
    if (id >= pixels) return;
    const float3 colour = convert_float4(frame[from + id]).xyz;
    float weight[MODES], variance[MODES];
    float3 mean[MODES];
    int modes = is_first ? 0 : used[id];
    for (int i = 0; i < modes; i++) {
        weight[i] = weights[i * pixels + id];
        variance[i] = variances[i * pixels + id];
        mean[i] = means[i * pixels + id].xyz;
    }

    /* What the pixel is. */
    int kind = FOREGROUND, match = -1;
    float so_far = 0.0f;
    for (int i = 0; i < modes && match < 0; i++) {
        const float3 apart = colour - mean[i];
        const float square = dot(apart, apart);
        if (so_far < BACKGROUND_WEIGHT) {
            if (square < BACKGROUND * variance[i]) {
                kind = 0;
            } else if (kind == FOREGROUND) {
                const float share = dot(colour, mean[i]) / fmax(dot(mean[i], mean[i]), 1.0f);
                const float3 off = share * mean[i] - colour;
                if (share >= DARKEST && share < 1.0f && dot(off, off) < BACKGROUND * variance[i] * share * share) kind = SHADOW;
            }
        }
        if (square < NEAR * variance[i]) match = i;
        so_far += weight[i];
    }
    mask[id] = kind;

    /* What is to be learned. */
    for (int i = 0; i < modes; i++) weight[i] *= 1.0f - rate;
    if (match >= 0) {
        weight[match] += rate;
        const float part = rate / weight[match];
        const float3 apart = colour - mean[match];
        mean[match] += part * apart;
        variance[match] = clamp(variance[match] + part * (dot(apart, apart) - variance[match]), LEAST_VARIANCE, MOST_VARIANCE);
    } else {
        match = modes < MODES ? modes++ : MODES - 1;
        weight[match] = match == 0 ? 1.0f : rate;
        variance[match] = FIRST_VARIANCE;
        mean[match] = colour;
    }
    for (int i = match; i > 0 && weight[i] > weight[i - 1]; i--) {
        const float one = weight[i], spread = variance[i];
        const float3 middle = mean[i];
        weight[i] = weight[i - 1], variance[i] = variance[i - 1], mean[i] = mean[i - 1];
        weight[i - 1] = one, variance[i - 1] = spread, mean[i - 1] = middle;
    }

    float sum = 0.0f;
    for (int i = 0; i < modes; i++) sum += weight[i];
    for (int i = 0; i < modes; i++) {
        weights[i * pixels + id] = weight[i] / sum;
        variances[i * pixels + id] = variance[i];
        means[i * pixels + id] = (float4)(mean[i], 0.0f);
    }
    used[id] = modes;
}

#define TILE_WIDTH 32
#define TILE_HEIGHT 8

/* What most of the nine pixels around each one are; those beyond the border are background. */
__kernel __attribute__((reqd_work_group_size(TILE_WIDTH, TILE_HEIGHT, 1)))
void most_of_nine(__global const uchar *mask, const int width, const int height, __global uchar *out)
{
    __local uchar tile[TILE_HEIGHT + 2][TILE_WIDTH + 2];

    const int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    const int left = get_group_id(0) * TILE_WIDTH - 1, top = get_group_id(1) * TILE_HEIGHT - 1;
    for (int i = ly * TILE_WIDTH + lx; i < (TILE_WIDTH + 2) * (TILE_HEIGHT + 2); i += TILE_WIDTH * TILE_HEIGHT) {
        const int column = left + i % (TILE_WIDTH + 2), row = top + i / (TILE_WIDTH + 2);
        const bool inside = column >= 0 && column < width && row >= 0 && row < height;
        tile[i / (TILE_WIDTH + 2)][i % (TILE_WIDTH + 2)] = inside && mask[row * width + column] == FOREGROUND;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= width || y >= height) return;
    int count = 0;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) count += tile[ly + row][lx + column];
    }
    out[y * width + x] = count >= 5 ? FOREGROUND : 0;
}
