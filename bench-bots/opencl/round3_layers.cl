/* Layers of neural networks, for inference. */

#define BLOCK 64 /* outputs along a side of a group's block */
#define DEPTH 16
#define SIDE 16 /* work-items along a side of a group */
#define EACH (BLOCK / SIDE)

/* c = a b: a group has a block of 64 x 64 outputs, each of its items 4 x 4 of them, in registers. */
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void matmul_4x4(const int m, const int n, const int k, const __global float *restrict a,
                const __global float *restrict b, __global float *restrict c) {
    __local float a_tile[DEPTH][BLOCK + 1];
    __local float b_tile[DEPTH][BLOCK];
    const int tx = get_local_id(0), ty = get_local_id(1);
    const int item = ty * SIDE + tx;
    const int row0 = get_group_id(1) * BLOCK, column0 = get_group_id(0) * BLOCK;
    float sum[EACH][EACH];
    for (int i = 0; i < EACH; i++) {
        for (int j = 0; j < EACH; j++) {
            sum[i][j] = 0.0f;
        }
    }
    for (int k0 = 0; k0 < k; k0 += DEPTH) {
        for (int at = item; at < BLOCK * DEPTH; at += SIDE * SIDE) {
            const int row = row0 + at / DEPTH, inner = k0 + at % DEPTH;
            a_tile[at % DEPTH][at / DEPTH] = row < m && inner < k ? a[row * k + inner] : 0.0f;
        }
        for (int at = item; at < BLOCK * DEPTH; at += SIDE * SIDE) {
            const int inner = k0 + at / BLOCK, column = column0 + at % BLOCK;
            b_tile[at / BLOCK][at % BLOCK] = inner < k && column < n ? b[inner * n + column] : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int inner = 0; inner < DEPTH; inner++) {
            float left[EACH], right[EACH];
            for (int i = 0; i < EACH; i++) {
                left[i] = a_tile[inner][ty * EACH + i];
                right[i] = b_tile[inner][tx + i * SIDE];
            }
            for (int i = 0; i < EACH; i++) {
                for (int j = 0; j < EACH; j++) {
                    sum[i][j] += left[i] * right[j];
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < EACH; i++) {
        for (int j = 0; j < EACH; j++) {
            const int row = row0 + ty * EACH + i, column = column0 + tx + j * SIDE;
            if (row < m && column < n) {
                c[row * n + column] = sum[i][j];
            }
        }
    }
}

/* The sum of what the items of a group bring, a power of two of them; all of them get it. */
float group_total(__local float *part, float mine) {
    uint item = get_local_id(0);
    part[item] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_of = get_local_size(0) / 2; half_of > 0; half_of >>= 1) {
        if (item < half_of) {
            part[item] += part[item + half_of];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float total = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return total;
}

/* A group has a row: mean 0 and variance 1, then a gain and an offset for each feature. */
__kernel void layer_norm(uint features, float epsilon, __global const float *in, __global const float *gain,
                         __global const float *offset, __global float *out, __local float *part) {
    __global const float *row = in + get_group_id(0) * features;
    __global float *result = out + get_group_id(0) * features;
    float sum = 0.0f;
    for (uint i = get_local_id(0); i < features; i += get_local_size(0)) {
        sum += row[i];
    }
    float mean = group_total(part, sum) / features;
    float squares = 0.0f;
    for (uint i = get_local_id(0); i < features; i += get_local_size(0)) {
        float away = row[i] - mean;
        squares += away * away;
    }
    float scale = rsqrt(group_total(part, squares) / features + epsilon);
    for (uint i = get_local_id(0); i < features; i += get_local_size(0)) {
        result[i] = (row[i] - mean) * scale * gain[i] + offset[i];
    }
}

/* A convolution along time with channels, then the rectifier. `weight` is by output channel, input channel, tap. */
__kernel void conv1d_channels(int in_channels, int length, int taps, __global const float *in,
                              __constant float *weight, __constant float *bias, __global float *out) {
    int at = get_global_id(0), channel = get_global_id(1);
    int out_length = length - taps + 1;
    if (at >= out_length) {
        return;
    }
    float sum = bias[channel];
    for (int c = 0; c < in_channels; c++) {
        for (int tap = 0; tap < taps; tap++) {
            sum += weight[(channel * in_channels + c) * taps + tap] * in[c * length + at + tap];
        }
    }
    out[channel * out_length + at] = max(sum, 0.0f);
}

/* The greatest of 3 x 3 in steps of 2, with a border of 1 that never wins, and where it was. */
__kernel void max_pool(int side, int out_side, __global const float *restrict in, __global float *restrict out,
                       __global int *restrict where) {
    int x = get_global_id(0), y = get_global_id(1), channel = get_global_id(2);
    if (x >= out_side || y >= out_side) {
        return;
    }
    __global const float *plane = in + channel * side * side;
    float best = -INFINITY;
    int best_at = -1;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            int from_x = 2 * x + dx, from_y = 2 * y + dy;
            if (from_x >= 0 && from_x < side && from_y >= 0 && from_y < side) {
                float value = plane[from_y * side + from_x];
                if (value > best) {
                    best = value;
                    best_at = from_y * side + from_x;
                }
            }
        }
    }
    int to = (channel * out_side + y) * out_side + x;
    out[to] = best;
    where[to] = best_at;
}

/* A product of bytes: rows of `a` with rows of `b`, each of 4 `fours` bytes, scaled back to bytes. */
__kernel void int8_product(int rows, int columns, int fours, __global const char4 *a, __global const char4 *b,
                           __global const float *column_scale, float row_scale, __global char *out) {
    int column = get_global_id(0);
    int row = get_global_id(1);
    if (row >= rows || column >= columns) {
        return;
    }
    int sum = 0;
    for (int i = 0; i < fours; i++) {
        int4 p = convert_int4(a[row * fours + i]) * convert_int4(b[column * fours + i]);
        sum += p.x + p.y + p.z + p.w;
    }
    out[row * columns + column] = convert_char_sat_rte(sum * row_scale * column_scale[column]);
}
