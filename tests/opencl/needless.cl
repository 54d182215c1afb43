// Barriers that no two items need, and such that only seem so: the results show where one is taken away that is needed.

// run 64 / 16: out int 64, in int 64
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void own_elements(global int *out, global const int *in) {
    local int t[16];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = in[g] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] += l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l] ^ 5;
    barrier(CLK_LOCAL_MEM_FENCE);
}

// run 64 / 16: out int 64, in int 64
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void neighbours(global int *out, global const int *in) {
    local int t[17];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = in[g];
    if (l == 15) t[16] = 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    int next = t[l + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = next + l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[15 - l] + next;
}

// run 64 / 16: out int 64, in int 64
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void last_item(global int *out, global const int *in) {
    local int t[32];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = in[g];
    t[l + 16] = in[g] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    // Only the last one has another's.
    out[g] = t[min(l + 1, 15)] + (l == 0 ? t[16 + 15] : t[16 + l]);
}

// run 64 / 16: out int 64, in int 64
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void around_the_ring(global int *out, global const int *in) {
    local int t[16], u[16];
    int l = get_local_id(0), g = get_global_id(0);
    t[l % 16] = in[g];
    u[(l + 16) % 16] = in[g] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l & 15] + u[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[(l + 1) % 16] = u[(l + 15) & 15];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] += t[l];
}

// run 64 / 16: out int 64, in int 64
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void backwards(global int *out, global const int *in) {
    local int t[31];
    int l = get_local_id(0), g = get_global_id(0);
    t[30 - 2 * l] = in[g];
    if (l < 15) t[29 - 2 * l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[30 - 2 * l];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] += t[2 * l];
}

// run 64 / 16: out int 64, in int 64, value int 6
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void sides(global int *out, global const int *in, int n) {
    local int t[2][16];
    int l = get_local_id(0), g = get_global_id(0);
    t[0][l] = in[g];
    for (int i = 0; i < n; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        t[(i + 1) & 1][l] = t[i & 1][(l + 1) & 15] + i;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[n & 1][l];
}

// run 64 / 16: out int 64, in int 64, value int 6
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void carried(global int *out, global const int *in, int n) {
    local int t[16];
    int l = get_local_id(0), g = get_global_id(0), sum = 0;
    for (int i = 0; i < n; i++) {
        // Within an iteration everyone has its own; the next one has a neighbour's.
        int at = (l + i) & 15;
        sum += i == 0 ? in[g] : t[at];
        t[at] = sum + i;
        sum ^= t[at] >> 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = sum;
}

// run 64 / 16: out int 64, in int 64, value int 5
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void loop_of_own(global int *out, global const int *in, int n) {
    local int t[16];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = in[g];
    for (int i = 0; i < n; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = t[l] * 3 + i;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = t[l];
}

// run 16x16 / 8x4: out int 256, in int 256
__attribute__((reqd_work_group_size(8, 4, 1))) kernel void rectangle(global int *out, global const int *in) {
    local int t[4][8], u[8][4];
    int x = get_local_id(0), y = get_local_id(1);
    int g = get_global_id(1) * 16 + get_global_id(0);
    t[y][x] = in[g];
    u[x][y] = in[g] * 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    int own = t[y][x] + u[x][y];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[y][x] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = own + t[y ^ 1][x];
}

// run 16x16 / 8x4: out int 256, in int 256
__attribute__((reqd_work_group_size(8, 4, 1))) kernel void rows_that_overlap(global int *out, global const int *in) {
    local int t[64];
    int x = get_local_id(0), y = get_local_id(1);
    int g = get_global_id(1) * 16 + get_global_id(0);
    // Rows of eight, seven apart.
    if (x < 7) t[y * 7 + x] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = y < 3 ? t[y * 7 + x] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[y * 9 + x] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[y * 9 + x];
}

// run 32x4 / 8 8x2 4x4 1: out int 128, in int 128
kernel void sizes_of_any_kind(global int *out, global const int *in) {
    local int t[4096];
    int l = get_local_id(0), g = get_global_id(1) * 32 + get_global_id(0);
    int own = get_local_id(1) * get_local_size(0) + l;
    t[own] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = t[own];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(1) == 0) t[l] = v + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l] + v;
}

// run 64 from 32 / 16: inout int 128, in int 64
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void global_memory(global int *a, global const int *in) {
    int g = get_global_id(0), l = get_local_id(0);
    a[g] = a[g] * 2 + l;
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[g] += 3;
    barrier(CLK_GLOBAL_MEM_FENCE);
    int v = a[g - l + (l + 1) % 16];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[g] ^= v;
}

// run 64 / 16: inout int 64, out int 64
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void local_fence_of_one_argument(global int *a, global int *out) {
    int g = get_global_id(0), l = get_local_id(0);
    a[g] += l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = a[g ^ 1];
}

// run 64 / 16: inout int 64, in int 64, value uint 268435456
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void wraps_around(global int *out, global const int *in, uint n) {
    local int t[4];
    int l = get_local_id(0), g = get_global_id(0);
    // All have the same place where the product wraps around: 16 times n is 2 to the 32nd.
    uint at = (uint)l * (n * 16u);
    if (l == 3) t[at & 3] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[at & 3];
    uint far = ((uint)l << 30) >> 30;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 4) t[far] = l * 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] += t[far];
}

// run 64 / 16: out int 64, in int 64
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void narrow_index(global int *out, global const int *in) {
    local int t[256];
    int l = get_local_id(0), g = get_global_id(0);
    uchar at = (uchar)(l * 32);
    if (l < 8) t[at] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[at];
}

// run 64 / 1: out int 64, in int 64
__attribute__((reqd_work_group_size(1, 1, 1))) kernel void single_items(global int *out, global const int *in) {
    local int t[4];
    int g = get_global_id(0);
    t[g & 3] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[(g + 1) & 3] = t[g & 3] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[(g + 1) & 3];
}

// run 64 / 16: out int 64, in int 64
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void parts_of_words(global int *out, global const int *in) {
    local int t[16];
    local short *h = (local short *)t;
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = h[l] + h[2 * l + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    h[2 * l] = (short)l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] += t[l];
}

// run 64 / 16: out int 64, in int 64
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void halves(global int *out, global const int *in) {
    local int t[16];
    int l = get_local_id(0), g = get_global_id(0);
    if (l < 8) t[l] = in[g];
    if (l >= 8) t[l] = -in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = l < 8 ? t[l + 8] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 7) t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = l >= 7 ? t[l] : v;
}

// run 64 / 16: out int 64, in int 64, out int 4
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void counters(global int *out, global const int *in, global int *z) {
    local int bins[16];
    int l = get_local_id(0), g = get_global_id(0);
    bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[in[g] & 15], l);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = bins[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&z[get_group_id(0)]);
}

// run 64 / 16: inout int 64, in int 64, inout int 64
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void between_buffers(global int *a, global const int *b, global int *c) {
    int l = get_local_id(0), g = get_global_id(0), first = g - l;
    a[g] += b[first + 15 - l];
    barrier(CLK_GLOBAL_MEM_FENCE);
    c[g] = b[first + (l ^ 3)] + a[g];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[g] = c[first + (l ^ 1)];
}
