/* Models: a picture made twice as large by weights, small adapters of a large matrix, how to move mass most cheaply. */

#define IN_CHANNELS 16
#define OUT_WIDTH 16
#define OUT_HEIGHT 8
#define TAPS 16 /* four by four */

/* The transpose of a convolution by 4 by 4 with steps of 2, which makes a picture twice as wide and high. Each new pixel has two
 * rows and two columns of old ones; those beyond the border are 0. The third dimension is the new channel, whose weights a
 * work-group keeps. */
__kernel __attribute__((reqd_work_group_size(OUT_WIDTH, OUT_HEIGHT, 1)))
void transposed_conv(__global const float *in, const int width, const int height, __global const float *weights,
                     __global const float *biases, const float slope, __global float *out)
{
    __local float own[IN_CHANNELS][TAPS];

    const int lid = get_local_id(1) * OUT_WIDTH + get_local_id(0);
    const int x = get_global_id(0), y = get_global_id(1), channel = get_global_id(2), channels = get_global_size(2);
    for (int i = lid; i < IN_CHANNELS * TAPS; i += OUT_WIDTH * OUT_HEIGHT) {
        own[i / TAPS][i % TAPS] = weights[(i / TAPS * channels + channel) * TAPS + i % TAPS];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= 2 * width || y >= 2 * height) return;

    float sum = biases[channel];
    for (int c = 0; c < IN_CHANNELS; c++) {
        for (int ky = (y + 1) % 2; ky < 4; ky += 2) {
            const int row = (y + 1 - ky) / 2;
            if (y + 1 < ky || row >= height) continue;
            for (int kx = (x + 1) % 2; kx < 4; kx += 2) {
                const int column = (x + 1 - kx) / 2;
                if (x + 1 < kx || column >= width) continue;
                sum += own[c][ky * 4 + kx] * in[(c * height + row) * width + column];
            }
        }
    }
    out[(channel * 2 * height + y) * 2 * width + x] = sum >= 0.0f ? sum : slope * sum;
}

#define LANES 32
#define LINES 4
#define QUADS 128 /* four numbers each, of a token */
#define MOST_RANK 32

/* What the adapters add to tokens: each token has one of them. It is a matrix that leads to few numbers, as many as its rank, and
 * one that leads back; a rank of 0 adds nothing. A work-group has a token. `starts` has the first number of each adapter's
 * matrices, which are both equally large. */
__kernel __attribute__((reqd_work_group_size(LANES, LINES, 1)))
void adapter_rows(__global const float4 *tokens, __global const int *adapters, __global const int *ranks,
                  __global const int *starts, __global const half *downs, __global const half *ups, const float factor,
                  __global float *out)
{
    __local float4 numbers[QUADS];
    __local float sums[LINES][LANES], few[MOST_RANK];

    const int lane = get_local_id(0), line = get_local_id(1), lid = line * LANES + lane, token = get_group_id(0);
    const int adapter = adapters[token], rank = ranks[adapter];
    __global const half *down = downs + starts[adapter], *up = ups + starts[adapter];
    for (int i = lid; i < QUADS; i += LANES * LINES) numbers[i] = tokens[token * QUADS + i];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int first = 0; first < rank; first += LINES) {
        const int row = first + line;
        float sum = 0.0f;
        if (row < rank) {
            for (int i = lane; i < QUADS; i += LANES) sum += dot(vload_half4(row * QUADS + i, down), numbers[i]);
        }
        sums[line][lane] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int step = LANES / 2; step > 0; step >>= 1) {
            if (lane < step) sums[line][lane] += sums[line][lane + step];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (lane == 0 && row < rank) few[row] = sums[line][0] * factor;
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int i = lid; i < 4 * QUADS; i += LANES * LINES) {
        float sum = 0.0f;
        for (int k = 0; k < rank; k++) sum += vload_half(i * rank + k, up) * few[k];
        out[token * 4 * QUADS + i] += sum;
    }
}

/* What the tokens have before the adapters come. */
__kernel void copy_rows(__global const float4 *from, __global float4 *to)
{
    to[get_global_id(0)] = from[get_global_id(0)];
}

#define ROW_ITEMS 64
#define ACROSS 32
#define STRANDS 8

/* Sums of exponentials are kept as (greatest exponent, sum of what the others are to it). */
float2 sum_of(const float2 one, const float2 other)
{
    const float most = fmax(one.x, other.x);
    return (float2)(most, one.y * exp(one.x - most) + other.y * exp(other.x - most));
}

__kernel void pair_costs(__global const float2 *sources, __global const float2 *sinks, const int rows, const int columns,
                         __global float *costs)
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (column >= columns || row >= rows) return;
    const float2 apart = sources[row] - sinks[column];
    costs[row * columns + column] = dot(apart, apart);
}

/* What each source pays, so that as much leaves it as it has. A work-group has a row of costs. */
__kernel __attribute__((reqd_work_group_size(ROW_ITEMS, 1, 1)))
void source_prices(__global const float *costs, const int columns, const float blur, __global const float *masses,
                   __global const float *sink_prices, __global float *prices)
{
    __local float2 sums[ROW_ITEMS];

    const int lid = get_local_id(0), row = get_group_id(0);
    float2 sum = (float2)(-1.0e30f, 0.0f);
    for (int i = lid; i < columns; i += ROW_ITEMS) {
        sum = sum_of(sum, (float2)((sink_prices[i] - costs[row * columns + i]) / blur, 1.0f));
    }
    sums[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = ROW_ITEMS / 2; step > 0; step >>= 1) {
        if (lid < step) sums[lid] = sum_of(sums[lid], sums[lid + step]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) prices[row] = blur * (log(masses[row]) - sums[0].x - log(sums[0].y));
}

/* The same for the sinks: a work-group has some columns, and every eighth row of them in each of its lines. */
__kernel __attribute__((reqd_work_group_size(ACROSS, STRANDS, 1)))
void sink_prices(__global const float *costs, const int rows, const int columns, const float blur,
                 __global const float *masses, __global const float *source_prices, __global float *prices)
{
    __local float2 sums[STRANDS][ACROSS];

    const int lane = get_local_id(0), strand = get_local_id(1), column = get_global_id(0);
    float2 sum = (float2)(-1.0e30f, 0.0f);
    if (column < columns) {
        for (int i = strand; i < rows; i += STRANDS) {
            sum = sum_of(sum, (float2)((source_prices[i] - costs[i * columns + column]) / blur, 1.0f));
        }
    }
    sums[strand][lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (strand > 0 || column >= columns) return;
    for (int i = 1; i < STRANDS; i++) sum = sum_of(sum, sums[i][lane]);
    prices[column] = blur * (log(masses[column]) - sum.x - log(sum.y));
}

/* What leaves each source, and what moving it costs. */
__kernel __attribute__((reqd_work_group_size(ROW_ITEMS, 1, 1)))
void moved_mass(__global const float *costs, const int columns, const float blur, __global const float *source_prices,
                __global const float *sink_prices, __global float2 *moved)
{
    __local float2 sums[ROW_ITEMS];

    const int lid = get_local_id(0), row = get_group_id(0);
    float2 sum = (float2)(0.0f);
    for (int i = lid; i < columns; i += ROW_ITEMS) {
        const float cost = costs[row * columns + i];
        const float mass = exp((source_prices[row] + sink_prices[i] - cost) / blur);
        sum += mass * (float2)(1.0f, cost);
    }
    sums[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = ROW_ITEMS / 2; step > 0; step >>= 1) {
        if (lid < step) sums[lid] += sums[lid + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) moved[row] = sums[0];
}
