// What work-groups do together.

kernel void reduction(global const float *a, global float *sums, local float *part) {
  size_t i = get_local_id(0);
  part[i] = a[get_global_id(0)];
  for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < step)
      part[i] += part[i + step];
  }
  if (i == 0)
    sums[get_group_id(0)] = part[0];
}

kernel void histogram(global const uint *values, global uint *counts, uint n) {
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&counts[values[i] & 255]);
}
