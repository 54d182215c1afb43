/* Dense matrices: products, transposition, LU decomposition, blocks of cosines. All are row by row. */

__kernel void matmul_naive(int n, __global const float *a, __global const float *b, __global float *c) {
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}

#define TILE 16

__kernel void matmul_tiled(int n, __global const float *a, __global const float *b, __global float *c) {
    __local float left[TILE][TILE], right[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int tile = 0; tile < n; tile += TILE) {
        left[y][x] = a[row * n + tile + x];
        right[y][x] = b[(tile + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++) {
            sum += left[y][k] * right[k][x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

__kernel void transpose_naive(int n, __global const float *in, __global float *out) {
    int x = get_global_id(0), y = get_global_id(1);
    out[x * n + y] = in[y * n + x];
}

__kernel void transpose_tiled(int n, __global const float *in, __global float *out) {
    __local float tile[TILE][TILE + 1];
    int x = get_local_id(0), y = get_local_id(1);
    int left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
    tile[y][x] = in[(top + y) * n + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(left + y) * n + top + x] = tile[x][y];
}

/* One step of LU: the column below the diagonal, then the rest of the matrix. */
__kernel void lu_column(int n, int k, __global float *a) {
    int row = k + 1 + get_global_id(0);
    if (row < n) {
        a[row * n + k] /= a[k * n + k];
    }
}

__kernel void lu_rest(int n, int k, __global float *a) {
    int column = k + 1 + get_global_id(0), row = k + 1 + get_global_id(1);
    if (row < n && column < n) {
        a[row * n + column] -= a[row * n + k] * a[k * n + column];
    }
}

/* The cosine transform of blocks of 8 by 8: rows of the block, then its columns. */
__kernel void dct(int width, __global const float *in, __global const float *basis, __global float *out) {
    __local float pixels[8][8], half_done[8][8];
    int x = get_local_id(0), y = get_local_id(1);
    int at = get_global_id(1) * width + get_global_id(0);
    pixels[y][x] = in[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < 8; k++) {
        sum += pixels[y][k] * basis[x * 8 + k];
    }
    half_done[y][x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0.0f;
    for (int k = 0; k < 8; k++) {
        sum += half_done[k][x] * basis[y * 8 + k];
    }
    out[at] = sum;
}
