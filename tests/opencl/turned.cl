// Neighbours along y touch elements that lie together, those along x do not: vectors go along y where groups have items there.

// run 40x48 / 4x16 5x20 1x48 40x1 8x8 16x32: out int 1920, in int 1920
kernel void rows_by_x(global int *out, global const int *in) {
    int row = get_global_id(0), column = get_global_id(1), width = get_global_size(1);
    out[row * width + column] = in[row * width + column] * 3 + row * 100000;
}

// run 36x50 / 16x16 3x25 36x1 1x50 12x17: out float 1800, in float 1800
kernel void transposition(global float *out, global const float *in) {
    int x = get_global_id(0), y = get_global_id(1);
    out[x * 50 + y] = in[y * 36 + x];
}

// run 20x33 from 3x2 / 4x16 5x33 20x17 20x1: out int 1000, in int 1000
kernel void offsets(global int *out, global const int *in) {
    int x = get_global_id(0), y = get_global_id(1);
    out[x * 40 + y] = in[y * 25 + x] + get_global_offset(0) * 1000 + get_global_offset(1) * 100000;
}

// run 18x40 / 6x20 3x16 18x2 1x40 5x7: out int 720
kernel void places(global int *out) {
    int at = get_global_id(0) * get_global_size(1) + get_global_id(1);
    int x = get_local_id(0) + 50 * get_group_id(0) + 500 * get_local_size(0) + 20000 * get_num_groups(0);
    int y = get_local_id(1) + 50 * get_group_id(1) + 500 * get_local_size(1) + 20000 * get_num_groups(1);
    out[at] = x * 1000 + y + get_enqueued_local_size(0) * 7 + get_enqueued_local_size(1);
}

// run 6x20x3 / 3x20x1 2x16x3 6x5x3 6x1x1: out int 360, in int 360
kernel void three_dimensions(global int *out, global const int *in) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int at = (z * get_global_size(0) + x) * get_global_size(1) + y;
    out[at] = in[at] + 100 * x + 10000 * y + 1000000 * z + 7 * get_group_id(2) + get_local_size(2);
}

// As the rows of C's arrays, whose last index is the fastest.
// run 3x5x40 / 3x5x20 1x1x40 3x1x16 3x5x1 1x5x8: out int 600, in int 600
kernel void last_is_fastest(global int *out, global const int *in) {
    int i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);
    int at = (i * get_global_size(1) + j) * get_global_size(2) + k;
    int before = k > 0 ? in[at - 1] : 0, above = j > 0 ? in[at - 40] : 1, last = i > 0 ? in[at - 200] : 2;
    out[at] = in[at] * 7 + before * 3 - above * 2 + last + get_local_id(2) * 1000 + get_group_id(0) * 100000;
}

// run 20x3x24 from 1x2x3 / 4x3x12 20x1x24 20x3x1: out float 1900, in float 2000
kernel void planes_become_columns(global float *out, global const float *in) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int from = clamp(x, 0, 19) + 20 * (y - 2) + 60 * (z - 3);
    out[(x * 3 + y - 2) * 28 + z] = in[from] * 2.0f + get_global_offset(2);
}

// run 24x32 / 8x16 12x32 24x1 3x20: out float 768, in float 768, in float 1024, value int 24
kernel void product(global float *out, global const float *a, global const float *b, int n) {
    int row = get_global_id(0), column = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++) {
        sum += a[row * 32 + k] * b[k * 32 + column];
    }
    out[row * 32 + column] = sum;
}

// run 12x32 / 4x16 12x32 6x8 3x32: out int 384, in int 384
kernel void rotated_rows(global int *out, global const int *in) {
    local int row[12][32];
    int x = get_local_id(0), y = get_local_id(1), height = get_local_size(1);
    int at = get_global_id(0) * 32 + get_global_id(1), kept = in[at] * 5;
    row[x][y] = in[at] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    int next = row[x][(y + 1) % height];
    barrier(CLK_LOCAL_MEM_FENCE);
    row[x][y] = next * 2 + kept;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = row[x][height - 1 - y] + kept + next;
}

// run 10x40 / 5x20 10x16 10x1 1x40: out int 400, in int 400
kernel void some_leave(global int *out, global const int *in) {
    int x = get_global_id(0), y = get_global_id(1), at = x * 40 + y;
    if ((x + y) % 3 == 0) return;
    int sum = 0;
    for (int k = y; k < 40; k += 1 + in[at] % 3 * (in[at] % 3)) {
        sum += in[x * 40 + k];
    }
    out[at] = sum;
}

// run 8x32 / 4x16 8x32 8x1: out int 256, in int 256, local int 256
kernel void given_memory(global int *out, global const int *in, local int *own) {
    int x = get_local_id(0), y = get_local_id(1), height = get_local_size(1), mine[3];
    int at = get_global_id(0) * 32 + get_global_id(1);
    for (int i = 0; i < 3; i++) {
        mine[i] = i + at;
    }
    own[x * height + y] = in[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = own[x * height + (height - 1 - y)] + mine[(in[at] & 1) + (x & 1)];
}

// run 9x40 / 3x20 9x40 9x2: out int 1080
kernel void in_turns(global int *out) {
    int x = get_global_id(0), y = get_global_id(1);
    for (int k = 0; k < 3; k++) {
        out[(k * 9 + x) * 40 + y] = k * 10000 + x * 100 + y;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

// run 16x32 / 4x16 16x32 16x1: out int 512, in int 512
kernel void summed(global int *out, global const int *in) {
    int at = get_global_id(0) * 32 + get_global_id(1);
    out[at] = in[at] + work_group_reduce_add(in[at]) + get_local_linear_id() * 1000;
}

// Scans go by the items' linear numbers, along x first, along whichever dimension vectors go.
// run 16x32 / 4x16 16x32 16x1 3x20 1x32: out int 512, out int 512, out int 512, in int 512
kernel void scans(global int *before, global int *most, global int *least, global const int *in) {
    int x = get_global_id(0), y = get_global_id(1), at = x * 32 + y, v = in[at];
    before[at] = work_group_scan_inclusive_add(v) + 10000 * work_group_scan_exclusive_add(v);
    most[at] = work_group_scan_exclusive_max(v);
    least[at] = work_group_scan_inclusive_min(v);
}

// What numbers add up to in floating point depends on their order, which is one for all code of a launch.
// run 16x32 / 4x16 16x32 16x1 3x20: out float 512, out float 512, in float 512
kernel void sums_of_floats(global float *sums, global float *scanned, global const float *in) {
    int x = get_global_id(0), y = get_global_id(1), at = x * 32 + y;
    float v = in[at] * 1e7f + 1.0f / (1 + at);
    sums[at] = work_group_reduce_add(v);
    scanned[at] = work_group_scan_inclusive_add(v);
}

// The order of items makes no difference to these.
// run 16x32 / 4x16 16x32 16x1 3x20: out int 512, out int 512, in int 512
kernel void shared_results(global int *sums, global int *others, global const int *in) {
    int x = get_global_id(0), y = get_global_id(1), at = x * 32 + y, v = in[at];
    sums[at] = work_group_reduce_add(v) + work_group_reduce_min(v) * 1000;
    others[at] = work_group_broadcast(v, get_local_size(0) - 1, get_local_size(1) / 2) * 4 + work_group_any(v > 95) * 2 + work_group_all(v < 99);
}

// run 7x36 / 7x18 1x36 7x4: out double 252, in float 252, value float4 3
kernel void wide(global double *out, global const float *in, float4 factor) {
    int at = get_global_id(0) * 36 + get_global_id(1);
    out[at] = in[at] * factor.x + factor.w;
}
