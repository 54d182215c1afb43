/* Matrices, row by row: a product with tiles in local memory and without, and the cosine transform of blocks of an image. */

#define TILE 16

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void product_naive(int n, __global const float *a, __global const float *b, __global float *c) {
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}

/* The group goes along a band of rows of `a` and a band of columns of `b`, tile by tile. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void product_tiled(int n, __global const float *a, __global const float *b, __global float *c) {
    __local float of_a[TILE][TILE], of_b[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1), across = get_group_id(0), down = get_group_id(1);
    int first_a = n * TILE * down, last_a = first_a + n - 1;
    float sum = 0.0f;
    for (int at_a = first_a, at_b = TILE * across; at_a <= last_a; at_a += TILE, at_b += TILE * n) {
        of_a[y][x] = a[at_a + n * y + x];
        of_b[y][x] = b[at_b + n * y + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++) {
            sum += of_a[y][k] * of_b[k][x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[(TILE * down + y) * n + TILE * across + x] = sum;
}

/* Items of a group along x and y, and the pixels of its part of the image. */
#define ACROSS 32
#define DOWN 2
#define HIGH (8 * DOWN)

/* The eight values `apart` from each other in local memory become their cosine transform: sums and differences of mirrored
 * values give the even and the odd coefficients. */
void transform_eight(__local float *at, int apart) {
    float sum[4], difference[4];
    for (int i = 0; i < 4; i++) {
        float one = at[i * apart], other = at[(7 - i) * apart];
        sum[i] = one + other;
        difference[i] = one - other;
    }
    float outer = sum[0] + sum[3], inner = sum[1] + sum[2];
    float outer_step = sum[0] - sum[3], inner_step = sum[1] - sum[2];
    at[0] = 0.35355339f * (outer + inner);
    at[4 * apart] = 0.35355339f * (outer - inner);
    at[2 * apart] = 0.46193977f * outer_step + 0.19134172f * inner_step;
    at[6 * apart] = 0.19134172f * outer_step - 0.46193977f * inner_step;
    float d0 = difference[0], d1 = difference[1], d2 = difference[2], d3 = difference[3];
    at[apart] = 0.49039264f * d0 + 0.41573481f * d1 + 0.27778512f * d2 + 0.09754516f * d3;
    at[3 * apart] = 0.41573481f * d0 - 0.09754516f * d1 - 0.49039264f * d2 - 0.27778512f * d3;
    at[5 * apart] = 0.27778512f * d0 - 0.49039264f * d1 + 0.09754516f * d2 + 0.41573481f * d3;
    at[7 * apart] = 0.09754516f * d0 - 0.27778512f * d1 + 0.41573481f * d2 - 0.49039264f * d3;
}

/* An item loads eight pixels of a column, transforms eight of a row, then its column again, and stores that. */
__kernel __attribute__((reqd_work_group_size(ACROSS, DOWN, 1)))
void dct8x8_blocks(int width, __global const float *in, __global float *out) {
    __local float tile[HIGH][ACROSS + 1];
    int x = get_local_id(0), y = get_local_id(1);
    int across = get_group_id(0), down = get_group_id(1);
    int at = (down * HIGH + 8 * y) * width + across * ACROSS + x;
    for (int i = 0; i < 8; i++) {
        tile[8 * y + i][x] = in[at + i * width];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    transform_eight(&tile[8 * y + x % 8][x - x % 8], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    transform_eight(&tile[8 * y][x], ACROSS + 1);
    for (int i = 0; i < 8; i++) {
        out[at + i * width] = tile[8 * y + i][x];
    }
}
