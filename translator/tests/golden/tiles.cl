// `__local` arrays that several stores fill, and what becomes of them.
#define GROUP(x, y) __attribute__((reqd_work_group_size(x, y, 1)))

GROUP(16, 8) kernel void points_around(global float *out, global const float *in, int row) {
    local float t[10][18];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_global_id(0) + 1, line = get_global_id(1) + 1, at = line * row + column;
    t[y + 1][x + 1] = in[at];
    if (x == 0) t[y + 1][0] = in[at - 1];
    if (x == 15) t[y + 1][17] = in[at + 1];
    if (y == 0) t[0][x + 1] = in[at - row];
    if (y == 7) t[9][x + 1] = in[at + row];
    if (x == 0 && y == 0) t[0][0] = in[at - row - 1];
    if (x == 15 && y == 0) t[0][17] = in[at - row + 1];
    if (x == 0 && y == 7) t[9][0] = in[at + row - 1];
    if (x == 15 && y == 7) t[9][17] = in[at + row + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++) sum = sum * 0.5f + t[y + dy][x + dx];
    out[get_global_id(1) * 32 + get_global_id(0)] = sum;
}

GROUP(16, 1) kernel void row_with_more(global int *out, global const int *in) {
    local int t[16 + 9];
    int l = get_local_id(0), first = get_group_id(0) * 16, sum = 0;
    for (int i = l; i < 16 + 9; i += 16) t[i] = in[first + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 10; k++) sum = sum * 3 + t[l + k];
    out[get_global_id(0)] = sum;
}

GROUP(16, 1) kernel void table_of_all(global int *out, global const int *in, int n) {
    local int t[64];
    int l = get_local_id(0), sum = 0;
    for (int i = l; i < n; i += get_local_size(0)) t[i] = in[i * 2 - i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++) sum = sum * 3 + t[k] * l;
    out[get_global_id(0)] = sum;
}

GROUP(16, 1) kernel void ends_of_elsewhere(global int *out, global const int *in, int n) {
    local int t[18];
    int l = get_local_id(0), g = get_global_id(0), sum = 0;
    for (int i = 0; i < n; i++) {
        t[l + 1] = in[g + i];
        if (l == 0) t[0] = in[g + i + 100];
        if (l >= 15) t[l + 2] = in[g + i + 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum = sum * 3 + t[l] + t[l + 2] * 5;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = sum;
}

GROUP(16, 1) kernel void holes(global int *out, global const int *in) {
    local int t[18];
    int l = get_local_id(0), g = get_global_id(0);
    if (l < 7 || l > 8) t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = l < 7 ? t[6 - l] : l > 8 ? t[l] : 1;
}

/* Zero outside of the image. */
GROUP(16, 16) kernel void border(global float *out, global const float *in, int w, int h) {
    local float t[18][18];
    int x = get_local_id(0), y = get_local_id(1), left = get_group_id(0) * 16 - 1, top = get_group_id(1) * 16 - 1;
    for (int b = y; b < 18; b += 16)
        for (int a = x; a < 18; a += 16) {
            int c = left + a, d = top + b;
            t[b][a] = c >= 0 && c < w && d >= 0 && d < h ? in[d * w + c] : 0;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(1) * w + get_global_id(0)] = t[y][x + 1] + t[y + 2][x + 1] + t[y + 1][x] + t[y + 1][x + 2];
}

GROUP(64, 1) kernel void copied_by_the_group(global float *out, global const float *in, local float *t) {
    event_t copied = async_work_group_copy(t, in + get_group_id(0) * 64, 80, 0);
    wait_group_events(1, &copied);
    float sum = 0;
    for (int k = 0; k < 16; k++) sum = sum * 0.5f + t[get_local_id(0) + k];
    out[get_global_id(0)] = sum;
}

/* Seven rows are read about each item's own. */
GROUP(16, 16) kernel void filter_of_seven(global float *out, global const float *in, constant float *weights, int w) {
    local float t[22][22];
    int x = get_local_id(0), y = get_local_id(1), left = get_group_id(0) * 16, top = get_group_id(1) * 16;
    for (int b = y; b < 22; b += 16)
        for (int a = x; a < 22; a += 16) t[b][a] = in[(top + b) * (w + 6) + left + a];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int j = 0; j < 7; j++)
        for (int i = 0; i < 7; i++) sum += weights[j * 7 + i] * t[y + j][x + i];
    out[get_global_id(1) * w + get_global_id(0)] = sum;
}
