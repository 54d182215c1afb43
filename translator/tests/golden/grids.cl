// Stencils and pictures.

kernel void five_points(global const float *a, global float *b, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
    b[y * width + x] = 0.2f * (a[y * width + x] + a[y * width + x - 1] + a[y * width + x + 1] +
                               a[(y - 1) * width + x] + a[(y + 1) * width + x]);
}

kernel void box(global const float *a, global float *b, int width, int radius) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int dy = -radius; dy <= radius; dy++)
    for (int dx = -radius; dx <= radius; dx++)
      sum += a[(y + dy) * width + x + dx];
  b[y * width + x] = sum;
}

kernel void wrapped(global const float *a, global float *b, int width) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < 5; k++)
    sum += a[y * width + (x + k) % width];
  b[y * width + x] = sum;
}

kernel void mandelbrot(global int *out, int width, float left, float step, int limit) {
  int x = get_global_id(0), y = get_global_id(1);
  float real = left + x * step, imaginary = y * step, a = 0, b = 0;
  int n = 0;
  while (n < limit && a * a + b * b < 4) {
    float next = a * a - b * b + real;
    b = 2 * a * b + imaginary;
    a = next;
    n++;
  }
  out[y * width + x] = n;
}
