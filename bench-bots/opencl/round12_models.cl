/* Models: a product of quantised rows, a convolution whose taps move, tokens that are sent to experts. */

#define GROUP 32 /* numbers that share a scale */
#define TILE 16

/* Rows of numbers as signed bytes, each group of 32 by a scale of its own; two groups a work-group. */
__kernel __attribute__((reqd_work_group_size(2 * GROUP, 1, 1)))
void quantise_rows(__global const float *in, const int count, __global char *out, __global float *scales)
{
    __local float sizes[2 * GROUP];

    const int i = get_global_id(0), lid = get_local_id(0);
    const float value = i < count ? in[i] : 0.0f;
    sizes[lid] = fabs(value);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = GROUP / 2; step > 0; step >>= 1) {
        if (lid % GROUP < step) sizes[lid] = fmax(sizes[lid], sizes[lid + step]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const float scale = sizes[lid / GROUP * GROUP] / 127.0f;
    if (i >= count) return;
    out[i] = scale > 0.0f ? convert_char_sat_rte(value / scale) : 0;
    if (lid % GROUP == 0) scales[i / GROUP] = scale;
}

inline int dot4(const char4 a, const char4 b)
{
    const int4 product = convert_int4(a) * convert_int4(b);
    return product.x + product.y + product.z + product.w;
}

/* Each token's product with each row of the weights, and a gate x / (1 + exp(-x)) behind it: whole numbers within a group of 32,
 * which the scales of both sides make numbers again. `words` is how many groups of four numbers a row has. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void scaled_product(__global const char4 *tokens, __global const float *token_scales, __global const char4 *weights,
                    __global const float *weight_scales, const int token_count, const int rows, const int words,
                    __global float *out)
{
    __local char4 left[TILE][GROUP / 4 + 1];
    __local char4 right[TILE][GROUP / 4 + 1];

    const int lx = get_local_id(0), ly = get_local_id(1);
    const int row = get_global_id(0), token = get_global_id(1), groups = words / (GROUP / 4);
    const int column = lx % (GROUP / 4);
    const int line = lx < GROUP / 4 ? token : (int)get_group_id(0) * TILE + ly;
    const bool some = lx < GROUP / 4 ? token < token_count : line < rows;
    __global const char4 *from = (lx < GROUP / 4 ? tokens : weights) + line * words + column;
    __local char4 *to = lx < GROUP / 4 ? &left[ly][column] : &right[ly][column];
    const int scale_row = min(row, rows - 1), scale_token = min(token, token_count - 1);

    float sum = 0.0f;
    for (int group = 0; group < groups; group++) {
        *to = some ? from[group * (GROUP / 4)] : (char4)(0);
        barrier(CLK_LOCAL_MEM_FENCE);
        int part = 0;
        #pragma unroll
        for (int k = 0; k < GROUP / 4; k++) part += dot4(left[ly][k], right[lx][k]);
        sum += part * (token_scales[scale_token * groups + group] * weight_scales[scale_row * groups + group]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < rows && token < token_count) out[token * rows + row] = sum / (1.0f + exp(-sum));
}

#define TAPS 9
#define OUTPUTS 4 /* channels of an item */

/* What is beside a picture is 0. */
inline float pixel_or_0(__global const float *plane, const int x, const int y, const int width, const int height)
{
    return x >= 0 && x < width && y >= 0 && y < height ? plane[y * width + x] : 0.0f;
}

/* A convolution of 3 x 3, whose taps are moved and weighted anew for each pixel: `moves` has the planes of x and y of each tap,
 * `masks` those of the weights. The weights of four channels of the result stand together. */
__kernel void deformable(__global const float *in, __global const float *moves, __global const float *masks,
                         __global const float4 *weights, __global const float4 *bias, const int width, const int height,
                         const int channels, __global float *out)
{
    const int x = get_global_id(0), y = get_global_id(1), block = get_global_id(2);
    if (x >= width || y >= height) return;

    const int plane = width * height, at = y * width + x;
    float4 sum = bias[block];
    for (int tap = 0; tap < TAPS; tap++) {
        const float px = x + tap % 3 - 1 + moves[2 * tap * plane + at];
        const float py = y + tap / 3 - 1 + moves[(2 * tap + 1) * plane + at];
        if (px <= -1.0f || py <= -1.0f || px >= width || py >= height) continue;

        const float mask = masks[tap * plane + at];
        const int left = (int)floor(px), top = (int)floor(py);
        const float fx = px - left, fy = py - top;
        __global const float4 *weight = weights + (block * channels) * TAPS + tap;
        for (int c = 0; c < channels; c++) {
            __global const float *from = in + c * plane;
            const float a = pixel_or_0(from, left, top, width, height), b = pixel_or_0(from, left + 1, top, width, height);
            const float d = pixel_or_0(from, left, top + 1, width, height);
            const float e = pixel_or_0(from, left + 1, top + 1, width, height);
            sum += weight[c * TAPS] * (mask * mix(mix(a, b, fx), mix(d, e, fx), fy));
        }
    }
    __global float *to = out + block * OUTPUTS * plane + at;
    to[0] = sum.x;
    to[plane] = sum.y;
    to[2 * plane] = sum.z;
    to[3 * plane] = sum.w;
}

#define EXPERTS 16
#define ITEMS 128

/* The two experts with the highest scores of each token, and how much each counts. */
__kernel void expert_choose(__global const float *scores, const int tokens, __global uchar2 *choices, __global float2 *shares)
{
    const int token = get_global_id(0);
    if (token >= tokens) return;

    float first = -INFINITY, second = -INFINITY;
    uchar2 best = (uchar2)(0);
    for (int i = 0; i < EXPERTS / 4; i++) {
        const float4 four = vload4(token * (EXPERTS / 4) + i, scores);
        const float each[4] = {four.x, four.y, four.z, four.w};
        for (int k = 0; k < 4; k++) {
            if (each[k] > first) {
                second = first;
                best.y = best.x;
                first = each[k];
                best.x = 4 * i + k;
            } else if (each[k] > second) {
                second = each[k];
                best.y = 4 * i + k;
            }
        }
    }
    const float other = exp(second - first);
    choices[token] = best;
    shares[token] = (float2)(1.0f, other) / (1.0f + other);
}

/* A group an expert: the tokens that chose it, in their order, until it is full. `places` says where each choice of a token
 * stands, -1 for those that found no place. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void expert_lists(__global const uchar2 *choices, const int tokens, const int capacity, __global int *lists, __global int *counts,
                  __global int2 *places)
{
    __local ushort sums[ITEMS];

    const int lid = get_local_id(0), expert = get_group_id(0);
    int taken = 0;
    for (int base = 0; base < tokens; base += ITEMS) {
        const int token = base + lid;
        bool first = false, second = false;
        if (token < tokens) {
            const uchar2 choice = choices[token];
            first = choice.x == expert;
            second = choice.y == expert;
        }
        const bool mine = first || second;
        sums[lid] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int step = 1; step < ITEMS; step <<= 1) {
            const ushort before = lid >= step ? sums[lid - step] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            sums[lid] += before;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (mine) {
            const int place = taken + sums[lid] - 1;
            const bool fits = place < capacity;
            if (fits) lists[expert * capacity + place] = token;
            __global int *to = (__global int *)(places + token) + second;
            *to = fits ? expert * capacity + place : -1;
        }
        taken += sums[ITEMS - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) counts[expert] = min(taken, capacity);
}

/* What an expert makes of its tokens: four numbers an item, a row of items a place. A factor for each number of each expert is
 * in `layer`, behind them all a summand for each. */
__kernel void expert_apply(__global const float4 *tokens, __global const int *lists, __global const int *counts,
                           __global const float4 *layer, const int capacity, const int width, __global float4 *results)
{
    const int column = get_global_id(0), place = get_global_id(1), expert = get_global_id(2);
    if (column >= width || place >= counts[expert]) return;

    const int at = expert * capacity + place;
    const float4 value = tokens[lists[at] * width + column];
    const float4 x = value * layer[expert * width + column] + layer[(EXPERTS + expert) * width + column];
    results[at * width + column] = 0.5f * x * (1.0f + tanh(0.79788456f * (x + 0.044715f * x * x * x)));
}

__kernel void expert_merge(__global const float4 *tokens, __global const float4 *results, __global const int2 *places,
                           __global const float2 *shares, const int count, const int width, __global float4 *out)
{
    for (int i = get_global_id(0); i < count * width; i += get_global_size(0)) {
        const int token = i / width, column = i % width;
        const int2 place = places[token];
        const float2 share = shares[token];
        float4 sum = tokens[i];
        if (place.x >= 0) sum += share.x * results[place.x * width + column];
        if (place.y >= 0) sum += share.y * results[place.y * width + column];
        out[i] = sum;
    }
}
