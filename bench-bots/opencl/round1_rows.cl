/* Rows of a matrix: an item a row, a group a row, a square of items a square of the matrix. */

__kernel void row_sums(uint rows, uint columns, __global const float *a, __global float *sums) {
    uint row = get_global_id(0);
    if (row < rows) {
        float sum = 0.0f;
        for (uint column = 0; column < columns; column++) {
            sum += a[row * columns + column];
        }
        sums[row] = sum;
    }
}

/* The exponentials of a row, scaled so that they add to 1; the largest is taken away before. */
__kernel void row_softmax(int rows, int columns, __global const float *in, __global float *out) {
    int row = get_global_id(0);
    if (row >= rows) {
        return;
    }
    __global const float *from = in + row * columns;
    __global float *to = out + row * columns;
    float largest = -INFINITY;
    for (int i = 0; i < columns; i++) {
        largest = fmax(largest, from[i]);
    }
    float sum = 0.0f;
    for (int i = 0; i < columns; i++) {
        float e = exp(from[i] - largest);
        to[i] = e;
        sum += e;
    }
    for (int i = 0; i < columns; i++) {
        to[i] /= sum;
    }
}

/* A group takes a row times the vector; its items' parts are added in local memory. */
__kernel void matvec_group(uint columns, __global const float *a, __global const float *x, __global float *y,
                           __local float *part) {
    uint item = get_local_id(0), items = get_local_size(0), row = get_group_id(0);
    float sum = 0.0f;
    for (uint column = item; column < columns; column += items) {
        sum += a[row * columns + column] * x[column];
    }
    part[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_of = items / 2; half_of > 0; half_of >>= 1) {
        if (item < half_of) {
            part[item] += part[item + half_of];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        y[row] = part[0];
    }
}

__kernel void transpose_guarded(uint width, uint height, __global const float *in, __global float *out) {
    uint x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height) {
        out[x * height + y] = in[y * width + x];
    }
}

#define SIDE 32
#define ROWS 8

/* A square of 32 by 32 through local memory by 32 by 8 items, four elements each. */
__kernel void transpose_32x8(int width, int height, __global const float *in, __global float *out) {
    __local float square[SIDE][SIDE + 1];
    int x = get_group_id(0) * SIDE + get_local_id(0);
    int y = get_group_id(1) * SIDE + get_local_id(1);
    for (int j = 0; j < SIDE; j += ROWS) {
        if (x < width && y + j < height) {
            square[get_local_id(1) + j][get_local_id(0)] = in[(y + j) * width + x];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * SIDE + get_local_id(0);
    y = get_group_id(0) * SIDE + get_local_id(1);
    for (int j = 0; j < SIDE; j += ROWS) {
        if (x < height && y + j < width) {
            out[(y + j) * height + x] = square[get_local_id(0)][get_local_id(1) + j];
        }
    }
}
