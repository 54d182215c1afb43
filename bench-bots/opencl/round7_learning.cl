/* Learning: a convolution by way of fewer products, boxes that say the same, a sequence that is remembered. */

#define TILE 16

/* Filters of 3 x 3 as Winograd's method F(2 x 2, 3 x 3) wants them: 16 numbers each, one after the other over all filters. */
__kernel void winograd_filters(__global const float *filters, const int count, __global float *turned)
{
    const int f = get_global_id(0);
    if (f >= count) return;
    __global const float *w = filters + f * 9;
    float half_way[4][3];
    for (int i = 0; i < 3; i++) {
        const float a = w[i], b = w[3 + i], c = w[6 + i];
        half_way[0][i] = a;
        half_way[1][i] = 0.5f * (a + b + c);
        half_way[2][i] = 0.5f * (a - b + c);
        half_way[3][i] = c;
    }
    for (int j = 0; j < 4; j++) {
        const float a = half_way[j][0], b = half_way[j][1], c = half_way[j][2];
        turned[(j * 4 + 0) * count + f] = a;
        turned[(j * 4 + 1) * count + f] = 0.5f * (a + b + c);
        turned[(j * 4 + 2) * count + f] = 0.5f * (a - b + c);
        turned[(j * 4 + 3) * count + f] = c;
    }
}

/* Squares of 4 x 4 of each channel, which overlap by two; beyond the border there is 0. */
__kernel void winograd_input(__global const float *in, const int side, const int tiles, const int channels,
                             __global float *turned)
{
    const int tx = get_global_id(0), ty = get_global_id(1), c = get_global_id(2);
    if (tx >= tiles || ty >= tiles) return;

    float d[4][4], t[4][4];
    __global const float *plane = in + (size_t)c * side * side;
    for (int j = 0; j < 4; j++) {
        const int y = ty * 2 - 1 + j;
        for (int i = 0; i < 4; i++) {
            const int x = tx * 2 - 1 + i;
            d[j][i] = x >= 0 && y >= 0 && x < side && y < side ? plane[y * side + x] : 0.0f;
        }
    }
    for (int i = 0; i < 4; i++) {
        t[0][i] = d[0][i] - d[2][i];
        t[1][i] = d[1][i] + d[2][i];
        t[2][i] = d[2][i] - d[1][i];
        t[3][i] = d[1][i] - d[3][i];
    }
    const int step = channels * tiles * tiles;
    __global float *to = turned + (c * tiles + ty) * tiles + tx;
    for (int j = 0; j < 4; j++) {
        to[(j * 4 + 0) * step] = t[j][0] - t[j][2];
        to[(j * 4 + 1) * step] = t[j][1] + t[j][2];
        to[(j * 4 + 2) * step] = t[j][2] - t[j][1];
        to[(j * 4 + 3) * step] = t[j][1] - t[j][3];
    }
}

/* Sixteen products of matrices: filters (outputs x channels) by squares (channels x places). An item has four places in a row. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void winograd_products(__global const float *filters, __global const float *squares, const int outputs, const int channels,
                       const int places, __global float *products)
{
    __local float a[TILE][TILE + 1];
    __local float4 b[TILE][TILE];

    const int lx = get_local_id(0), ly = get_local_id(1);
    const int place = get_global_id(0) * 4, output = get_global_id(1), which = get_global_id(2);
    filters += which * outputs * channels;
    squares += which * channels * places;

    float4 sum = (float4)(0.0f);
    for (int first = 0; first < channels; first += TILE) {
        const int c = first + lx, row = first + ly;
        a[ly][lx] = output < outputs && c < channels ? filters[output * channels + c] : 0.0f;
        float4 four = (float4)(0.0f);
        if (row < channels) {
            __global const float *from = squares + row * places;
            if (place + 3 < places) {
                four = vload4(0, from + place);
            } else {
                if (place < places) four.x = from[place];
                if (place + 1 < places) four.y = from[place + 1];
                if (place + 2 < places) four.z = from[place + 2];
            }
        }
        b[ly][lx] = four;
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < TILE; k++) sum = mad((float4)(a[ly][k]), b[k][lx], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (output >= outputs) return;
    __global float *to = products + (which * outputs + output) * places;
    if (place + 3 < places) {
        vstore4(sum, 0, to + place);
    } else {
        if (place < places) to[place] = sum.x;
        if (place + 1 < places) to[place + 1] = sum.y;
        if (place + 2 < places) to[place + 2] = sum.z;
    }
}

/* Back to pictures, 2 x 2 pixels an item; what is negative becomes 0. */
__kernel void winograd_output(__global const float *products, __global const float *bias, const int outputs, const int side,
                              const int tiles, __global float *out)
{
    const int tx = get_global_id(0), ty = get_global_id(1), o = get_global_id(2);
    if (tx >= tiles || ty >= tiles) return;

    const int step = outputs * tiles * tiles;
    __global const float *from = products + (o * tiles + ty) * tiles + tx;
    float t[2][4];
    for (int i = 0; i < 4; i++) {
        const float m0 = from[i * step], m1 = from[(4 + i) * step], m2 = from[(8 + i) * step], m3 = from[(12 + i) * step];
        t[0][i] = m0 + m1 + m2;
        t[1][i] = m1 - m2 - m3;
    }
    for (int j = 0; j < 2; j++) {
        const float2 pair = (float2)(t[j][0] + t[j][1] + t[j][2], t[j][1] - t[j][2] - t[j][3]);
        const float2 lit = fmax(pair + bias[o], 0.0f);
        const int x = tx * 2, y = ty * 2 + j;
        if (y >= side) break;
        __global float *row = out + ((size_t)o * side + y) * side;
        row[x] = lit.x;
        if (x + 1 < side) row[x + 1] = lit.y;
    }
}

#define BLOCK 64

typedef struct {
    float4 corners; /* left, top, right, bottom */
    int kind;
} box_t;

/* Whether two boxes of a kind have more than `limit` of both in common. */
inline bool is_same(const float4 a, const float4 b, const float limit)
{
    const float2 low = fmax(a.xy, b.xy), high = fmin(a.zw, b.zw);
    const float2 both = fmax(high - low, 0.0f);
    const float common = both.x * both.y;
    const float2 one = a.zw - a.xy, other = b.zw - b.xy;
    return common > limit * (one.x * one.y + other.x * other.y - common);
}

/* For each box, in the order of their scores, which of the later ones say the same: bits of 64 boxes in a word. */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void box_overlaps(const int count, const float limit, __global const float4 *corners, __global const int *kinds,
                  __global ulong *masks)
{
    __local box_t others[BLOCK];

    const int row_block = get_group_id(1), column_block = get_group_id(0);
    if (row_block > column_block) return;

    const int lid = get_local_id(0);
    const int columns = min(count - column_block * BLOCK, BLOCK);
    if (lid < columns) {
        others[lid].corners = corners[column_block * BLOCK + lid];
        others[lid].kind = kinds[column_block * BLOCK + lid];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int mine = row_block * BLOCK + lid;
    if (mine >= count) return;
    const float4 box = corners[mine];
    const int kind = kinds[mine];
    ulong bits = 0;
    for (int i = row_block == column_block ? lid + 1 : 0; i < columns; i++) {
        if (others[i].kind == kind && is_same(box, others[i].corners, limit)) bits |= 1UL << i;
    }
    masks[(size_t)mine * get_num_groups(0) + column_block] = bits;
}

/* One group goes down the list: a box that no better one removed stays, and removes others. */
__kernel void box_choice(const int count, const int words, __global const ulong *masks, __global uchar *kept,
                         __global int *kept_count, __local ulong *removed)
{
    const int lid = get_local_id(0), items = get_local_size(0);
    for (int w = lid; w < words; w += items) removed[w] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    int chosen = 0;
    for (int i = 0; i < count; i++) {
        const bool stays = !(removed[i / BLOCK] >> (i % BLOCK) & 1);
        if (stays) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int w = i / BLOCK + lid; w < words; w += items) removed[w] |= masks[(size_t)i * words + w];
            chosen++;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (lid == 0) kept[i] = stays;
    }
    if (lid == 0) *kept_count = chosen;
}

#define STATES 16 /* numbers that a channel remembers */
#define STEPS 16  /* tokens that a group reads at a time */
#define CHANNELS 64

inline float softplus(const float x)
{
    return x > 20.0f ? x : log1p(exp(x));
}

/* A state space with a choice, after Gu and Dao: how fast a channel forgets, what it takes and what it says all depend on the
 * token. An item has a channel of a sequence. */
__kernel __attribute__((reqd_work_group_size(CHANNELS, 1, 1)))
void state_scan(const int tokens, const int channels, __global const float *x, __global const float *gate,
                __global const float *pace, __global const float *pace_bias, __global const float *decay,
                __global const float *into, __global const float *outof, __global const float *skip, __global float *y)
{
    __local float4 b[STEPS][STATES / 4];
    __local float4 c[STEPS][STATES / 4];

    const int lid = get_local_id(0);
    const int channel = get_global_id(0);
    const int sequence = get_global_id(1);
    const bool active = channel < channels;
    const int safe = active ? channel : channels - 1;

    float4 state[STATES / 4], rate[STATES / 4];
    for (int s = 0; s < STATES / 4; s++) {
        state[s] = (float4)(0.0f);
        rate[s] = -exp(vload4(s, decay + safe * STATES));
    }
    const float bias = pace_bias[safe], direct = skip[safe];

    for (int first = 0; first < tokens; first += STEPS) {
        const int steps = min(STEPS, tokens - first);
        const size_t row = (size_t)sequence * tokens + first;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid / 4 < steps) {
            b[lid / 4][lid % 4] = vload4(lid, into + row * STATES);
            c[lid / 4][lid % 4] = vload4(lid, outof + row * STATES);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!active) continue;

        for (int t = 0; t < steps; t++) {
            const size_t at = (row + t) * channels + channel;
            const float now = x[at];
            const float delta = softplus(pace[at] + bias);
            float sum = now * direct;
            for (int s = 0; s < STATES / 4; s++) {
                state[s] = state[s] * exp(delta * rate[s]) + b[t][s] * (delta * now);
                sum += dot(state[s], c[t][s]);
            }
            const float z = gate[at];
            y[at] = sum * z / (1.0f + exp(-z));
        }
    }
}
