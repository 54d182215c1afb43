// `__local` copies of global memory that items can do without, and such that only look like them.
// options -cl-std=CL3.0 -cl-uniform-work-group-size

#define GROUP(x, y) __attribute__((reqd_work_group_size(x, y, 1)))

// run 32x32 / 8x8: out float 1024, in float 1024, in float 1024, value int 32
GROUP(8, 8) kernel void product(global float *restrict c, constant float *a, constant float *b, int n) {
    local float left[8][8], right[8][8];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int tile = 0; tile < n; tile += 8) {
        left[y][x] = a[row * n + tile + x];
        right[y][x] = b[(tile + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++) sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

// run 64x64 / 32x2: out int 4096, in int 4096, in int 4096, value int 64
GROUP(32, 2) kernel void long_rows(global int *restrict c, constant int *a, constant int *b, int n) {
    local int left[2][32];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1);
    uint sum = 0;
    for (int tile = 0; tile < n; tile += 32) {
        left[y][x] = a[row * n + tile + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 32; k++) sum += (uint)left[y][k] * (uint)b[(tile + k) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

// run 64x64 / 16x16: out int 4096, in int 4096, value int 64
GROUP(16, 16) kernel void transposed(global int *restrict out, constant int *in, int n) {
    local int t[16][17];
    int x = get_local_id(0), y = get_local_id(1);
    int left = get_group_id(0) * 16, top = get_group_id(1) * 16;
    t[y][x] = in[(top + y) * n + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(left + y) * n + top + x] = t[x][y];
}

// run 128 / 16: out int 128, in int 130
GROUP(16, 1) kernel void clamped_neighbours(global int *restrict out, constant int *in) {
    local int t[16];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = in[g + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l] + (l < 15 ? t[l + 1] : 0) * 3 + (l > 0 ? t[l - 1] : 0) * 5 + t[15 - l];
}

// run 128 / 16: out int 128, in int 130
GROUP(16, 1) kernel void halo(global int *restrict out, constant int *in) {
    local int t[18];
    int l = get_local_id(0), g = get_global_id(0);
    t[l + 1] = in[g + 1];
    if (l == 0) t[0] = in[g];
    if (l == 15) t[17] = in[g + 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l] + t[l + 1] * 3 + t[l + 2] * 5;
}

// run 128 / 16: inout int 128
GROUP(16, 1) kernel void in_place(global int *restrict a) {
    local int t[16];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = a[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[g] = t[15 - l];
}

// run 128 / 16: inout int 128, in int 128
GROUP(16, 1) kernel void written_between(global int *a, global const int *b) {
    local int t[16];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = a[g];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    a[g] = b[g];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    a[g] += t[l] * 3;
}

// run 128 / 16: out int 128, in int 128, value int 5
GROUP(16, 1) kernel void written_again(global int *restrict out, constant int *in, int n) {
    local int t[16];
    int l = get_local_id(0), g = get_global_id(0), sum = 0;
    t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < n; i++) {
        sum += t[(l + i) & 15];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = sum;
}

// run 128 / 16: out int 128, in int 160, value int 3
GROUP(16, 1) kernel void of_the_iteration_before(global int *restrict out, constant int *in, int n) {
    local int t[16];
    int l = get_local_id(0), g = get_global_id(0), sum = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0) sum = sum * 3 + t[15 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = in[g + i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = sum;
}

// run 128 / 16: out int 128, in int 160, value int 3
GROUP(16, 1) kernel void last_of_a_loop(global int *restrict out, constant int *in, int n) {
    local int t[16];
    int l = get_local_id(0), g = get_global_id(0);
    for (int i = 0; i < n; i++) t[l] = in[g + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[15 - l];
}

// run 128 / 16: out int 128, in int 128, value int 9
GROUP(16, 1) kernel void some_items_copy(global int *restrict out, constant int *in, int n) {
    local int t[16];
    int l = get_local_id(0), g = get_global_id(0);
    if (l < n) t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = l < n ? t[n - 1 - l] : 7;
}

// run 64 / 16: out int 64, in int 64, in int 64
GROUP(16, 1) kernel void by_an_index(global int *restrict out, constant int *in, constant int *index) {
    local int t[16], u[16];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = in[g];
    u[l] = in[index[g] & 63];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[index[g] & 15] * 3 + u[15 - l];
}

// run 64 / 16: out int 64, in int 64, value int 37
GROUP(16, 1) kernel void by_what_all_share(global int *restrict out, constant int *in, int n) {
    local int t[16];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = in[(g + n) & 63];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int k = 0; k < 16; k++) sum = sum * 3 + t[k];
    out[g] = sum + t[n & 15];
}

// run 64 / 16: out int 64, in long 64, value int 37
GROUP(16, 1) kernel void parts_of_a_copy(global int *restrict out, constant long *in, int n) {
    local long t[16];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *part = (local int *)t;
    out[g] = part[(l * 2 + 3) & 31] + (int)t[l ^ 1];
}

// run 64 / 16: out int 64, in int 100, local int 16
GROUP(16, 1) kernel void argument(global int *restrict out, constant int *in, local int *t) {
    int l = get_local_id(0), g = get_global_id(0);
    t[15 - l] = in[g * 3 % 100];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l] * 2 + t[15 - l];
}

// run 64 from 5 / 16: out int 128, in int 128, value short 16380
GROUP(16, 1) kernel void narrow(global int *restrict out, constant int *in, short n) {
    local int t[16];
    int l = get_local_id(0), g = get_global_id(0);
    // Wraps around within a group.
    ushort at = (ushort)((ushort)(n * 4) + (ushort)g);
    t[l] = in[at & 127];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l] + t[15 - l] * 3;
}

// run 64 / 16: inout int 64, inout int 64
GROUP(16, 1) kernel void counted(global int *restrict a, global int *restrict z) {
    local int t[16];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = a[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&z[t[15 - l] & 7], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[g] = t[15 - l];
}

// run 32x32 / 8x8: out float 1024, in float 1024, in float 1024, value int 32
GROUP(8, 8) kernel void product_of_global(global float *c, global const float *a, global const float *b, int n) {
    local float left[8][8], right[8][8];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int tile = 0; tile < n; tile += 8) {
        left[y][x] = a[row * n + tile + x];
        right[y][x] = b[(tile + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++) sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

// run 128 / 16: out int 128, in int 144
GROUP(16, 1) kernel void reversed_of_global(global int *out, global const int *in) {
    local int t[16];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = in[g + 16];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[15 - l] * 3 + t[l];
}

// run 32x32 / 16x8: out float 1024, in float 1224, value int 34
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

// run 128 / 16: out int 128, in int 140
GROUP(16, 1) kernel void row_with_more(global int *out, global const int *in) {
    local int t[16 + 9];
    int l = get_local_id(0), first = get_group_id(0) * 16, sum = 0;
    for (int i = l; i < 16 + 9; i += 16) t[i] = in[first + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 10; k++) sum = sum * 3 + t[l + k];
    out[get_global_id(0)] = sum;
}

// run 128 / 16: out int 128, in int 600, value int 60
GROUP(16, 1) kernel void table_of_all(global int *out, global const int *in, int n) {
    local int t[64];
    int l = get_local_id(0), sum = 0;
    for (int i = l; i < n; i += get_local_size(0)) t[i] = in[i * 2 - i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++) sum = sum * 3 + t[k] * l;
    out[get_global_id(0)] = sum;
}

// run 32x32 / 8x8: out int 1024, in int 1600, value int 40
GROUP(8, 8) kernel void tile_with_more(global int *out, global const int *in, int row) {
    local int t[12][12];
    int x = get_local_id(0), y = get_local_id(1), sum = 0;
    int left = get_group_id(0) * 8, top = get_group_id(1) * 8;
    for (int j = y; j < 12; j += 8)
        for (int i = x; i < 12; i += 8) t[j][i] = in[(top + j) * row + left + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++) sum = sum * 3 + t[y + j][x + i];
    out[get_global_id(1) * 32 + get_global_id(0)] = sum;
}

// run 128 / 16: out int 128, in int 128, value int 128
GROUP(16, 1) kernel void clamped_ends(global int *out, global const int *in, int n) {
    local int t[18];
    int l = get_local_id(0), g = get_global_id(0);
    t[l + 1] = in[min(max(g, 0), n - 1)];
    if (l == 0) t[0] = in[min(max(g - 1, 0), n - 1)];
    if (l == 15) t[17] = in[min(max(g + 1, 0), n - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l] + t[l + 1] * 3 + t[l + 2] * 5;
}

// run 128 / 16: out int 128, in int 256, value int 3
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

// run 128 / 16: out int 128, in int 256, value int 3
GROUP(16, 1) kernel void ends_in_each_iteration(global int *out, global const int *in, int n) {
    local int t[24];
    int l = get_local_id(0), g = get_global_id(0), sum = 0;
    for (int i = 0; i < n; i++) {
        t[l + 4] = in[g + i * 4 + 4];
        if (l < 4) {
            t[l] = in[g + i * 4];
            t[l + 20] = in[g + i * 4 + 20];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 9; k++) sum = sum * 3 + t[l + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = sum;
}

// run 128 / 16: out int 128, in int 128
GROUP(16, 1) kernel void holes(global int *out, global const int *in) {
    local int t[18];
    int l = get_local_id(0), g = get_global_id(0);
    if (l < 7 || l > 8) t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = l < 7 ? t[6 - l] : l > 8 ? t[l] : 1;
}

// run 64 / 16: out int 64, in int 128
GROUP(16, 1) kernel void first_and_second(global int *out, global const int *in) {
    local int t[32];
    int l = get_local_id(0), g = get_global_id(0);
    for (int i = 0; i < 2; i++) t[l + 16 * i] = in[g + 16 * i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[31 - l] + t[l + 7] * 3;
}
