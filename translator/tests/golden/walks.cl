// Rows and columns of a matrix, one for each work-item.

kernel void row_walk(global const float *a, global float *sums, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[i * n + k];
  sums[i] = sum;
}

kernel void column_walk(global const float *a, global float *sums, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[k * n + i];
  sums[i] = sum;
}

kernel void column_walk_guarded(global const float *a, global float *sums, int n) {
  int i = get_global_id(0);
  if (i < n) {
    float sum = 0;
    for (int k = 0; k < n; k++)
      sum += a[k * n + i];
    sums[i] = sum;
  }
}

kernel void column_walk_of_32(global const float *a, global float *sums, uint n) {
  size_t i = get_global_id(0);
  float sum = 0;
  for (uint k = 0; k < 32; k++)
    sum += a[k * n + i];
  sums[i] = sum;
}

// Rows of different lengths: items leave the loop in different iterations.
kernel void rows_of_lists(global const float *a, global const int *first, global float *sums) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = first[i]; k < first[i + 1]; k++)
    sum += a[k];
  sums[i] = sum;
}

kernel void columns_of_lists(global const float *a, global const int *length, global float *sums, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < length[i]; k++)
    sum += a[k * n + i];
  sums[i] = sum;
}

// What an item loads decides whether it walks its column.
kernel void columns_of_some(global const float *a, global const int *wanted, global float *sums, int n) {
  int i = get_global_id(0);
  if (wanted[i] == 0)
    return;
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[k * n + i];
  sums[i] = sum;
}

// Registers do not hold what two vectors of items need, not even 32 of them.
kernel void many_sums(global const float4 *all, global const float4 *own, global float4 *sums, int n) {
  int i = get_global_id(0);
  float4 me = own[i], sum = 0;
  for (int k = 0; k < n; k++) {
    float4 d = all[2 * k] - me, e = all[2 * k + 1] - me;
    float near = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 1.0f);
    float far = rsqrt(e.x * e.x + e.y * e.y + e.z * e.z + 1.0f);
    sum += d * (d.w * near * near * near) + e * (e.w * far * far * far);
  }
  sums[i] = sum;
}
