/* Models: rows of weights of four bits with scales of eight, squares of a picture as tokens, statistics of a batch, boxes of objects. */

__constant float normal_levels[16] = {
    -1.0f,      -0.69619280f, -0.52507305f, -0.39491749f, -0.28444138f, -0.18477343f, -0.09105004f, 0.0f,
    0.07958030f, 0.16093020f, 0.24611230f,  0.33791524f,  0.44070983f,  0.56261700f,  0.72295684f,  1.0f};

#define LANES 32
#define ROWS_OF_GROUP 4
#define BLOCK 64 /* weights that share a scale */
#define BLOCKS_OF_SCALE 16

/* The products of a matrix's rows with a vector, a row for each 32 items. The scales of blocks are bytes, which have scales of their
 * own. */
__kernel __attribute__((reqd_work_group_size(LANES, ROWS_OF_GROUP, 1)))
void nf4_rows(__global const uchar4 *weights, __global const uchar *scales, __global const half *outer_scales, const float middle,
              __global const float4 *vector, const int rows, const int depth, __global float *product)
{
    __local float sums[ROWS_OF_GROUP][LANES];

    const int lane = get_local_id(0), line = get_local_id(1), row = get_global_id(1);
    float sum = 0.0f;
    if (row < rows) {
        __global const uchar4 *from = weights + row * (depth / 8);
        for (int i = lane; i < depth / 8; i += LANES) {
            const uchar4 pairs = from[i], low = pairs & (uchar4)(15), high = pairs >> (uchar4)(4);
            const float4 left = vector[2 * i], right = vector[2 * i + 1];
            const int block = (row * depth + 8 * i) / BLOCK;
            const float scale = middle + (scales[block] - 128) * vload_half(block / BLOCKS_OF_SCALE, outer_scales);
            float part = normal_levels[low.x] * left.x + normal_levels[high.x] * left.y;
            part += normal_levels[low.y] * left.z + normal_levels[high.y] * left.w;
            part += normal_levels[low.z] * right.x + normal_levels[high.z] * right.y;
            part += normal_levels[low.w] * right.z + normal_levels[high.w] * right.w;
            sum += scale * part;
        }
    }
    sums[line][lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = LANES / 2; step > 0; step /= 2) {
        if (lane < step) sums[line][lane] += sums[line][lane + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && row < rows) product[row] = sums[line][0];
}

#define TILE 16
#define PATCH 8
#define INPUTS (PATCH * PATCH * 3)

__constant float colour_means[3] = {0.485f, 0.456f, 0.406f}, colour_spreads[3] = {0.229f, 0.224f, 0.225f};

/* Makes a vector of each square of 8 by 8 pixels, and adds one for where it is. A work-group makes 16 numbers of 16 squares. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void patch_embed(__global const uchar *picture, const int side, __global const float *weights, __global const float *biases,
                 __global const float *places, const int width, __global float *tokens)
{
    __local float pixels[TILE][TILE + 1], filter[TILE][TILE];

    const int column = get_local_id(0), line = get_local_id(1);
    const int output = get_global_id(0), token = get_global_id(1);
    const int across = side / PATCH, count = across * across;
    const int left = token % across * PATCH, top = token / across * PATCH;
    float sum = 0.0f;
    for (int begin = 0; begin < INPUTS; begin += TILE) {
        const int input = begin + column, colour = input % 3, at = input / 3;
        float value = 0.0f;
        if (token < count) {
            const int x = left + at % PATCH, y = top + at / PATCH;
            value = (picture[(y * side + x) * 3 + colour] / 255.0f - colour_means[colour]) / colour_spreads[colour];
        }
        pixels[line][column] = value;
        filter[line][column] = output < width ? weights[(begin + line) * width + output] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int i = 0; i < TILE; i++) sum += pixels[line][i] * filter[i][column];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (token < count && output < width) tokens[token * width + output] = sum + biases[output] + places[token * width + output];
}

#define COUNTERS 128

/* Mean, sum of squares of differences from it, and number of values, of two parts together. */
float3 joined(const float3 a, const float3 b)
{
    const float count = a.z + b.z;
    if (count == 0.0f) return a;
    const float off = b.x - a.x;
    return (float3)(a.x + off * b.z / count, a.y + b.y + off * off * a.z * b.z / count, count);
}

/* A work-group finds a channel's mean and variance in a batch, and moves the averages over batches that are used later. */
__kernel __attribute__((reqd_work_group_size(COUNTERS, 1, 1)))
void batch_norm_train(__global const float *in, const int batch, const int channels, const int pixels, const float momentum,
                      __global const float2 *old_averages, __global float2 *averages, __global float2 *statistics)
{
    __local float3 parts[COUNTERS];

    const int lid = get_local_id(0), channel = get_group_id(0);
    float mean = 0.0f, squares = 0.0f;
    int count = 0;
    for (int i = lid; i < batch * pixels; i += COUNTERS) {
        const float value = in[(i / pixels * channels + channel) * pixels + i % pixels], off = value - mean;
        count++;
        mean += off / count;
        squares += off * (value - mean);
    }
    parts[lid] = (float3)(mean, squares, (float)count);
    for (int step = COUNTERS / 2; step > 0; step >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < step) parts[lid] = joined(parts[lid], parts[lid + step]);
    }
    if (lid == 0) {
        const float3 all = parts[0];
        statistics[channel] = (float2)(all.x, rsqrt(all.y / all.z + 1e-5f));
        averages[channel] = mix(old_averages[channel], (float2)(all.x, all.y / (all.z - 1.0f)), momentum);
    }
}

/* What lies below 0 is made less. */
__kernel void normalise_leaky(__global const float4 *in, const int quads, const int channels, const int quads_of_channel,
                              __global const float2 *statistics, __global const float2 *weights, __global float4 *out)
{
    for (int i = get_global_id(0); i < quads; i += get_global_size(0)) {
        const int channel = i / quads_of_channel % channels;
        const float2 known = statistics[channel], weight = weights[channel];
        const float4 value = (in[i] - known.x) * (known.y * weight.x) + weight.y;
        out[i] = select(value, 0.1f * value, value < 0.0f);
    }
}

#define KINDS 20
#define ANCHORS 3

__constant float2 anchors[ANCHORS] = {(float2)(10.0f, 13.0f), (float2)(33.0f, 23.0f), (float2)(30.0f, 61.0f)};

typedef struct {
    float x, y, width, height;
    float score;
    int kind, picture, cell;
} box_t;

float logistic(const float value)
{
    return 1.0f / (1.0f + exp(-value));
}

/* Looks for objects in what a network found for each cell of a grid: a box, whether there is anything, and what it is. */
__kernel void yolo_boxes(__global const float *found, const int side, const float stride, const float threshold, const int most,
                         __global int *count, __global box_t *boxes)
{
    const int cells = side * side, cell = get_global_id(0), anchor = get_global_id(1), picture = get_global_id(2);
    if (cell >= cells) return;
    __global const float *from = found + (picture * ANCHORS + anchor) * (5 + KINDS) * cells + cell;
    const float is_any = logistic(from[4 * cells]);
    if (is_any < threshold) return;
    int kind = 0;
    float highest = from[5 * cells];
    for (int i = 1; i < KINDS; i++) {
        const float value = from[(5 + i) * cells];
        if (value > highest) {
            highest = value;
            kind = i;
        }
    }
    const float score = is_any * logistic(highest);
    if (score < threshold) return;
    const int place = atomic_inc(count);
    if (place >= most) return;
    box_t box;
    box.x = (2.0f * logistic(from[0]) - 0.5f + cell % side) * stride;
    box.y = (2.0f * logistic(from[cells]) - 0.5f + cell / side) * stride;
    box.width = pown(2.0f * logistic(from[2 * cells]), 2) * anchors[anchor].x;
    box.height = pown(2.0f * logistic(from[3 * cells]), 2) * anchors[anchor].y;
    box.score = score;
    box.kind = kind;
    box.picture = picture;
    box.cell = anchor * cells + cell;
    boxes[place] = box;
}

__kernel void no_boxes(__global int *count)
{
    *count = 0;
}
