/* Many small problems at once: attention, packed weights, channels each by itself, systems of equations. */

#define HEAD 32 /* features of a head */
#define KEYS 32 /* rows of keys and values that a group keeps */
#define QUERIES 64 /* items of a group, each with a row */

/* Causal attention without a matrix of scores: an item has a query, and goes over the keys up to its own. Weights are relative
 * to the greatest score so far; what was summed is scaled where that changes. Tensors are by head, row, feature. */
__kernel __attribute__((reqd_work_group_size(QUERIES, 1, 1)))
void attention_tile(const int rows, const float scale, __global const float *restrict queries,
                    __global const float *restrict keys, __global const float *restrict values, __global float *restrict out) {
    __local float key[KEYS][HEAD];
    __local float value[KEYS][HEAD];
    const int item = get_local_id(0), row = get_global_id(0);
    const int from = get_global_id(1) * rows * HEAD;
    float query[HEAD], sum[HEAD];
    for (int i = 0; i < HEAD; i++) {
        query[i] = row < rows ? queries[from + row * HEAD + i] * scale : 0.0f;
        sum[i] = 0.0f;
    }
    float greatest = -INFINITY, weights = 0.0f;
    const int last = min((int)(get_group_id(0) + 1) * QUERIES, rows);
    for (int first = 0; first < last; first += KEYS) {
        for (int at = item; at < KEYS * HEAD; at += QUERIES) {
            const bool there = first + at / HEAD < rows;
            key[at / HEAD][at % HEAD] = there ? keys[from + first * HEAD + at] : 0.0f;
            value[at / HEAD][at % HEAD] = there ? values[from + first * HEAD + at] : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < KEYS && first + k <= row; k++) {
            float score = 0.0f;
            for (int i = 0; i < HEAD; i++) {
                score += query[i] * key[k][i];
            }
            if (score > greatest) {
                const float shrink = exp(greatest - score);
                weights *= shrink;
                for (int i = 0; i < HEAD; i++) {
                    sum[i] *= shrink;
                }
                greatest = score;
            }
            const float weight = exp(score - greatest);
            weights += weight;
            for (int i = 0; i < HEAD; i++) {
                sum[i] += weight * value[k][i];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < rows) {
        for (int i = 0; i < HEAD; i++) {
            out[from + row * HEAD + i] = sum[i] / weights;
        }
    }
}

#define ITEMS 64
#define IN_BLOCK 32

/* Weights of four bits: what they are multiplied by, and two in each byte, first those of the block's first half. */
struct block_int4 {
    float scale;
    uchar pair[IN_BLOCK / 2];
};

/* y = W x: a group has a row of W, its items blocks of it. */
__kernel void int4_matvec(const int blocks, __global const struct block_int4 *weight, __global const float *x,
                          __global float *y) {
    __local float part[ITEMS];
    const int item = get_local_id(0), row = get_group_id(0);
    float sum = 0.0f;
    for (int i = item; i < blocks; i += ITEMS) {
        __global const struct block_int4 *block = &weight[row * blocks + i];
        __global const float *here = x + i * IN_BLOCK;
        float inner = 0.0f;
        for (int k = 0; k < IN_BLOCK / 2; k++) {
            const int low = (block->pair[k] & 0x0f) - 8, high = (block->pair[k] >> 4) - 8;
            inner += low * here[k] + high * here[k + IN_BLOCK / 2];
        }
        sum += block->scale * inner;
    }
    part[item] = sum;
    for (int stride = ITEMS / 2; stride > 0; stride >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < stride) {
            part[item] += part[item + stride];
        }
    }
    if (item == 0) {
        y[row] = part[0];
    }
}

/* A filter of SIZE x SIZE for each channel by itself, in steps of STEP, then a gain, an offset, and what is between 0 and 6.
 * Channels come last, in fours; `place` is batch, row, column and channels in one number. */
#define DEPTHWISE(NAME, SIZE, STEP)                                                                                        \
    __kernel void NAME(const int4 shape, const int2 out_shape, const uint outputs, __global const float4 *in,              \
                       __constant float4 *filter, __constant float4 *gain, __constant float4 *offset,                      \
                       __global float4 *out) {                                                                             \
        const uint place = get_global_id(0);                                                                               \
        if (place >= outputs) return;                                                                                      \
        const int fours = shape.x, width = shape.y, height = shape.z;                                                      \
        const int c = place % fours;                                                                                       \
        const int x = place / fours % out_shape.x;                                                                         \
        const int y = place / (fours * out_shape.x) % out_shape.y;                                                         \
        const int image = place / (fours * out_shape.x * out_shape.y);                                                     \
        float4 sum = (float4)(0.0f);                                                                                       \
        for (int fy = 0; fy < SIZE; fy++) {                                                                                \
            const int from_y = y * STEP + fy - SIZE / 2;                                                                   \
            if (from_y < 0 || from_y >= height) continue;                                                                  \
            for (int fx = 0; fx < SIZE; fx++) {                                                                            \
                const int from_x = x * STEP + fx - SIZE / 2;                                                               \
                if (from_x < 0 || from_x >= width) continue;                                                               \
                sum = mad(in[((image * height + from_y) * width + from_x) * fours + c], filter[(fy * SIZE + fx) * fours + c], \
                          sum);                                                                                            \
            }                                                                                                              \
        }                                                                                                                  \
        out[place] = clamp(sum * gain[c] + offset[c], 0.0f, 6.0f);                                                         \
    }

DEPTHWISE(depthwise_3x3, 3, 1)
DEPTHWISE(depthwise_5x5_by2, 5, 2)

#define ORDER 8

/* Solves many systems a x = y with small symmetric matrices by Cholesky's factors, one an item. `info` is 0, or which pivot,
 * from 1 on, is not positive; then there is no solution. */
__kernel void cholesky_8x8(const uint systems, __global const float *a, __global const float *y, __global float *x,
                           __global int *info) {
    const uint system = get_global_id(0);
    if (system >= systems) {
        return;
    }
    float l[ORDER][ORDER];
    float v[ORDER];
    for (int i = 0; i < ORDER; i++) {
        for (int j = 0; j <= i; j++) {
            l[i][j] = a[system * ORDER * ORDER + i * ORDER + j];
        }
        v[i] = y[system * ORDER + i];
    }
    for (int j = 0; j < ORDER; j++) {
        float pivot = l[j][j];
        for (int k = 0; k < j; k++) {
            pivot -= l[j][k] * l[j][k];
        }
        if (pivot <= 0.0f) {
            info[system] = j + 1;
            return;
        }
        l[j][j] = sqrt(pivot);
        for (int i = j + 1; i < ORDER; i++) {
            float left = l[i][j];
            for (int k = 0; k < j; k++) {
                left -= l[i][k] * l[j][k];
            }
            l[i][j] = left / l[j][j];
        }
    }
    for (int i = 0; i < ORDER; i++) {
        for (int k = 0; k < i; k++) {
            v[i] -= l[i][k] * v[k];
        }
        v[i] /= l[i][i];
    }
    for (int i = ORDER - 1; i >= 0; i--) {
        for (int k = i + 1; k < ORDER; k++) {
            v[i] -= l[k][i] * v[k];
        }
        v[i] /= l[i][i];
    }
    for (int i = 0; i < ORDER; i++) {
        x[system * ORDER + i] = v[i];
    }
    info[system] = 0;
}
