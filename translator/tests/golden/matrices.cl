// Products and transpositions.

kernel void product(global const float *a, global const float *b, global float *c, int n) {
  int column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

kernel void matrix_by_vector(global const float *a, global const float *x, global float *y, int n) {
  int row = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[row * n + k] * x[k];
  y[row] = sum;
}

kernel void transposed(global const float *a, global float *b, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  b[x * height + y] = a[y * width + x];
}

kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void blocks(global const float *a, global float *b, int width) {
  int x = get_group_id(0) * 16 + get_local_id(0);
  int y = get_group_id(1) * 16 + get_local_id(1);
  b[y * width + x] = 2 * a[y * width + x];
}

kernel void product_in_place(global const float *a, global const float *b, global float *c, int n) {
  int column = get_global_id(0), row = get_global_id(1);
  for (int k = 0; k < n; k++)
    c[row * n + column] += a[row * n + k] * b[k * n + column];
}

kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void product_in_tiles(global const float *a, global const float *b, global float *c, int n) {
  local float left[16][16], right[16][16];
  int x = get_local_id(0), y = get_local_id(1);
  int column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int t = 0; t < n / 16; t++) {
    left[y][x] = a[row * n + t * 16 + x];
    right[y][x] = b[(t * 16 + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++)
      sum += left[y][k] * right[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
