// Indices that are kept within bounds, taken modulo something, or chosen: neighbours mostly find neighbours, but not always.

// run 70x3 / 16x1 32x3 7x1: out int 210, in int 210, value int 70, value int 3
kernel void clamped(global int *out, global const int *in, int width, int height) {
    int x = get_global_id(0), y = get_global_id(1), sum = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -3; dx <= 3; dx++)
            sum += (dx * 5 + dy) * in[clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1)];
    out[y * width + x] = sum;
}

// run 70 / 16 32 7: out int 70, in int 70, value int 9, value int 41
kernel void one_bound(global int *out, global const int *in, int least, int most) {
    int x = get_global_id(0);
    out[x] = in[max(x, least)] * 3 + in[min(x, most)] * 5 + in[max(69 - x, least)] * 7 + in[min(69 - x, most)] * 11;
}

// run 70 / 16 32 7: out int 70, in int 70, value uint 9, value uint 41
kernel void unsigned_bounds(global int *out, global const int *in, uint least, uint most) {
    uint x = get_global_id(0);
    out[x] = in[max(x, least)] + 3 * in[min(x, most)] + 5 * in[min(x - 20u, most)] + 7 * in[min(69u - x, most)];
}

// run 70 / 16 32 7: out int 70, in int 70, value ulong 69
kernel void bounds_of_sizes(global int *out, global const int *in, ulong last) {
    size_t x = get_global_id(0);
    out[x] = in[min(x + 5, (size_t)last)] - 3 * in[x > 2 ? x - 3 : 0];
}

// run 70 / 16 32 7: out int 70, in int 70, value int 2147483600, value int -2147483600
kernel void bounds_near_the_largest_number(global int *out, global const int *in, int up, int down) {
    int x = get_global_id(0);
    out[x] = in[min((int)((uint)x + (uint)up), 50) & 63] + 3 * in[max((int)((uint)down - (uint)x), -50) & 63] +
             5 * in[(min(x, up) + max(x, down)) & 63];
}

// run 70 / 16 32 7: out int 70, in int 70, value uint 23, value uint 1, value uint 7
kernel void periodic(global int *out, global const int *in, uint n, uint one, uint short_one) {
    uint x = get_global_id(0);
    out[x] = in[(x + 3) % n] + 3 * in[(x + 69) % 70u] + 5 * in[x % one] + 7 * in[x % short_one] + 11 * in[(x - 3) % n];
}

// run 64 / 16 32 7: out int 64, in int 64, value int 63, value int 31, value int 42, value int -1
kernel void masked_indices(global int *out, global const int *in, int all, int half_of_them, int holes, int none) {
    int x = get_global_id(0);
    out[x] = in[(x + 1) & all] + 3 * in[(x - 1) & half_of_them] + 5 * in[(x + 5) & holes] + 7 * in[(x + 3) & 63 & none] +
             11 * in[(2 * x) & 63];
}

// run 70 / 16 32 7: out int 70, in int 70, value int 70
kernel void chosen(global int *out, global const int *in, int n) {
    int x = get_global_id(0);
    int next = x == n - 1 ? 0 : x + 1, last = x == 0 ? n - 1 : x - 1, odd = in[x] & 1 ? x : 7;
    out[x] = in[next] + 3 * in[last] + 5 * in[odd] + 7 * in[in[x] > 0 ? x : n - 1];
}

// run 70 / 16 32 7: out int 71, in int 70, value int 5, value int 60
kernel void stores_within_bounds(global int *out, global const int *in, int least, int most) {
    int x = get_global_id(0);
    if (x >= least && x <= most) out[clamp(x, least, most)] = in[x];
    else out[x < least ? x : max(x, most)] = -in[x];
}

// run 70 / 16 32 7: out int 70, in int 70, value int 60
kernel void bounds_under_a_test(global int *out, global const int *in, int most) {
    int x = get_global_id(0), sum = 0;
    for (int k = 0; k < 6; k++) {
        if (in[x] % 3 == k % 3) sum += in[min(x + k, most)];
        else if (in[x] > k * 10) sum -= in[max(x - k, 0)];
        if (sum > 300) break;
    }
    out[x] = sum;
}

// run 70 / 16 32 7: out int 70, in char 70, value int 69
kernel void bytes_within_bounds(global int *out, global const char *in, int last) {
    int x = get_global_id(0);
    char at = x;
    out[x] = in[min(x + 2, last)] + 3 * in[max((int)(short)x - 2, 0)] + 5 * in[min((int)at, last)];
}

// run 70 / 16 32 7: out float4 70, in float4 70, value int 69
kernel void vectors_within_bounds(global float4 *out, global const float4 *in, int last) {
    int x = get_global_id(0);
    out[x] = in[min(x + 1, last)] - in[max(x - 1, 0)] * in[x].wzyx;
}

// The last of 4, 8 or 16 neighbours has 2^32 and a little more than the first.
// run 70 / 16 32 7: out int 70, in int 70, value uint 7
kernel void far_neighbours_within_bounds(global int *out, global const int *in, uint mask) {
    uint x = get_global_id(0);
    out[x] = in[(x * 0x55555557u) & mask] + 3 * in[(x * 0x24924925u) & 7] + 5 * in[(x * 0x11111113u) & 31] +
             7 * in[min(x * 0x24924925u, 60u)];
}

// Guessed indices that a loop goes on with.
// run 70x3 / 16x1 32x3 7x1: out int 840, in int 840, value int 70, value int 3, value int 4
kernel void neighbours_of_planes(global int *out, global const int *in, int width, int height, int depth) {
    int x = get_global_id(0), y = get_global_id(1), at = y * width + x, plane = width * height;
    int west = x == 0 ? at : at - 1, east = min(x + 1, width - 1) + y * width;
    int here = in[at];
    out[at] = here + 3 * in[west] + 5 * in[east];
    for (int k = 1; k < depth; k++) {
        at += plane;
        west += plane;
        east += plane;
        int below = here;
        here = in[at];
        out[at] = here - below + 3 * in[west] + 5 * in[east];
    }
}

// Parts whose strides cancel each other out, each of which is a guess.
// run 64 / 8 16 64: out float 128, value uint 4
kernel void spread_by_remainder(global float *out, uint part) {
    uint i = get_global_id(0), r = i % part;
    out[(i - r) * 2 + r] = i;
}

// run 64 / 8 16 64: out float 128, value uint 4
kernel void spread_by_mask(global float *out, uint part) {
    uint i = get_global_id(0), r = i & (part - 1);
    out[(i - r) * 2 + r] = i;
}

// run 64 / 8 16 64: out int 64, in int 64, value uint 4
kernel void first_of_part(global int *out, global const int *in, uint part) {
    uint i = get_global_id(0);
    out[i] = in[i - i % part] + in[min(i, 5u) - i + 60];
}
