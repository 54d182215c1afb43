/* Barriers that are needed and such that are not. */

__attribute__((reqd_work_group_size(16, 1, 1))) kernel void own(global int *out, global const int *in) {
    local int t[16];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l] + t[l];
    barrier(CLK_LOCAL_MEM_FENCE);
}

__attribute__((reqd_work_group_size(16, 1, 1))) kernel void next(global int *out, global const int *in) {
    local int t[16];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[(l + 1) & 15];
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* The one in the loop is needed as long as the next iteration writes. */
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void rounds(global int *out, global const int *in, int n) {
    local int t[16];
    int l = get_local_id(0), g = get_global_id(0), sum = 0;
    for (int i = 0; i < n; i++) {
        t[l] = in[g + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += t[15 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = sum;
}

/* Of any size: another row may have the same. */
kernel void any_size(global int *out, global const int *in, local int *t) {
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l];
}

/* What one argument leads to is ordered, by whatever fence; two arguments only if the fence says so. */
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void buffers(global int *a, global int *b, global int *c) {
    int g = get_global_id(0);
    int v = a[g ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[g] = v;
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[g] = v + c[g];
    barrier(CLK_GLOBAL_MEM_FENCE);
    c[g] = v;
}

/* Both arrays are copies of memory that nobody writes; the barriers are for them alone. */
__attribute__((reqd_work_group_size(8, 8, 1)))
kernel void tiles(global float *c, constant float *a, constant float *b, int n) {
    local float left[8][8], right[8][8];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int tile = 0; tile < n; tile += 8) {
        left[y][x] = a[row * n + tile + x];
        right[y][x] = b[(tile + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++) {
            sum += left[y][k] * right[k][x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

/* A transposition: the copy makes both accesses contiguous. */
__attribute__((reqd_work_group_size(8, 8, 1)))
kernel void turned(global float *out, constant float *in, int n) {
    local float t[8][9];
    int x = get_local_id(0), y = get_local_id(1);
    t[y][x] = in[(get_group_id(1) * 8 + y) * n + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(get_group_id(0) * 8 + y) * n + get_group_id(1) * 8 + x] = t[x][y];
}

/* Of the borders, other stores are copies. */
__attribute__((reqd_work_group_size(16, 1, 1)))
kernel void borders(global float *out, constant float *in) {
    local float t[18];
    int l = get_local_id(0), g = get_global_id(0);
    t[l + 1] = in[g + 1];
    if (l == 0) t[0] = in[g];
    if (l == 15) t[17] = in[g + 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l] + t[l + 1] + t[l + 2];
}
