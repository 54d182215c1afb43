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
