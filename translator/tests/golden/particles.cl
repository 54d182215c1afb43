// All against all, and clusters.

kernel void bodies(global const float4 *at, global float *potential, int n) {
  int i = get_global_id(0);
  float4 here = at[i];
  float sum = 0;
  for (int j = 0; j < n; j++) {
    float4 apart = at[j] - here;
    float square = apart.x * apart.x + apart.y * apart.y + apart.z * apart.z + 0.01f;
    sum += apart.w / square;
  }
  potential[i] = sum;
}

kernel void nearest(global const float *features, global const float *clusters, global int *member,
                    int points, int count, int dimensions) {
  int i = get_global_id(0);
  int best = 0;
  float least = MAXFLOAT;
  for (int c = 0; c < count; c++) {
    float distance = 0;
    for (int d = 0; d < dimensions; d++) {
      float apart = features[d * points + i] - clusters[c * dimensions + d];
      distance += apart * apart;
    }
    if (distance < least) {
      least = distance;
      best = c;
    }
  }
  member[i] = best;
}

kernel void gathered(global const float *x, global const int *at, global float *y, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += x[at[k * n + i]];
  y[i] = sum;
}
