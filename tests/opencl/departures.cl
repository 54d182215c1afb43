// Items that return where others go on to a barrier: not OpenCL C by the letter, and what is meant is plain.

// run 112 / 16 28 112: out int 112, value int 100, local int 112
kernel void range_cut_off(global int *out, int n, local int *t) {
    int g = get_global_id(0), l = get_local_id(0);
    if (g >= n) return;
    t[l] = g;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = 1 + t[l / 2];
}

// run 64 / 16 64: out int 64, in int 64, local int 64, value int 12
kernel void return_between_steps(global int *out, global const int *in, local int *t, int n) {
    int g = get_global_id(0), l = get_local_id(0), sum = 0;
    t[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++) {
        if (in[g] < k * 13 - 90) { out[g] = -sum; return; }
        t[l] = in[(g + k) & 63];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += t[l ^ 1] + k;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = sum;
}

// run 64 / 16 64: out int 64, in int 64, local int 64, value int 1
kernel void return_from_inside(global int *out, global const int *in, local int *t, int u) {
    int g = get_global_id(0), l = get_local_id(0);
    t[l] = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = in[g];
    if (v > 10) {
        v += 7;
        if (u) { out[g] = 5; return; }
    } else {
        if (v < -50) return;
        v -= 2;
    }
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l ^ 3] + v;
}

// run 128 / 16 64: out int 128, in int 128, local int 64, value int 100
kernel void strided_steps(global int *out, global const int *in, local int *t, int n) {
    int l = get_local_id(0), w = get_local_size(0), sum = 0;
    t[l] = l;
    for (int i = l; i < n; i += w) {
        t[l] = in[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += t[l ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int k = 0; k < 5; k++) sum = sum * 3 + in[(l + k) & 127];
    out[get_global_id(0)] = sum;
}

// run 64 / 16 64: out int 64, in int 64, local int 64, value int 30
kernel void return_from_search(global int *out, global const int *in, local int *t, int n) {
    int g = get_global_id(0), l = get_local_id(0), v = in[g];
    for (int i = 0; i < n; i++) {
        v = v * 5 + in[(g + i) & 63];
        if ((v & 31) == 7) { out[g] = i; return; }
    }
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l] + 1000;
}

// run 64 / 16 64: out int 64, in int 64, local int 64
kernel void labels_that_return(global int *out, global const int *in, local int *t) {
    int g = get_global_id(0), l = get_local_id(0), v = in[g];
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    switch (t[l ^ 1] & 7) {
    case 0: case 1: out[g] = 1; return;
    case 2: v *= 2; break;
    case 3: case 4: v += 5; return;
    default: v ^= 21;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v < 0) return;
    out[g] = t[l] + t[l & 60];
}

// run 64 / 8 64: out int 64, in int 64, local int 64
kernel void fewer_and_fewer(global int *out, global const int *in, local int *t) {
    int g = get_global_id(0), l = get_local_id(0), w = get_local_size(0);
    t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = w / 2; s > 0; s >>= 1) {
        if (l >= s) return;
        t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_group_id(0)] = t[0];
}

// run 64 / 16 64: out int 64, in int 1024, local int 64, value int 50
kernel void columns_behind_return(global int *out, global const int *in, local int *t, int n) {
    int g = get_global_id(0), l = get_local_id(0);
    if (g >= n) return;
    int sum = 0;
    for (int k = 0; k < 16; k++) sum += in[k * 64 + g];
    t[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++) sum = sum * 3 + in[(k * 64 + g) & 1023] + t[l];
    if (sum & 1) for (int k = 0; k < (sum & 15); k++) sum += in[(k * 64 + g) & 1023];
    out[g] = sum;
}

// run 48x8 / 16x4 48x8 8x2: out int 384, value int 37, value int 5, local int 384
kernel void corner_of_a_plane(global int *out, int width, int height, local int *t) {
    int x = get_global_id(0), y = get_global_id(1);
    int l = get_local_id(1) * get_local_size(0) + get_local_id(0);
    if (x >= width || y >= height) return;
    t[l] = x * 100 + y;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[y * 48 + x] = t[l & ~1] + 1;
}

// run 64 / 16 64: out int 64, in int 64, local int 64
kernel void forever_but_for_returns(global int *out, global const int *in, local int *t) {
    int g = get_global_id(0), l = get_local_id(0), v = in[g];
    for (int k = 0;; k++) {
        if (v + k > 90) { out[g] = k; return; }
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v += (t[l] & 3) + 1;
    }
}

// run 64 / 16 64: out int 64, out int 64, value int 60
kernel void range_before_steps_that_may_be_none(global int *out, global int *sums, int n) {
    int g = get_global_id(0);
    if (g >= n) return;
    for (int s = n / 4; s > 0; s >>= 1) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        sums[g] += s;
    }
    out[g] = 1000;
}

// run 64 / 16 64: out int 64, out int 64, in int 64, local int 64
kernel void two_ways_to_one_end(global int *out, global int *seen, global const int *in, local int *t) {
    int g = get_global_id(0), l = get_local_id(0), v = in[g], r;
    t[l] = v;
    if (v < -50) { r = v; goto end; }
    seen[g] = v;
    if (v > 50) { r = 2; goto end; }
    seen[g] += 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    seen[g] += t[l ^ 1];
    return;
end:
    out[g] = r;
}

// run 64 / 16 64: out int 64, out int 64, in int 64, local int 64, value int 4
kernel void labels_to_one_end(global int *out, global int *seen, global const int *in, local int *t, int n) {
    int g = get_global_id(0), l = get_local_id(0), v = in[g], r = 5;
    t[l] = v;
    switch (v & 7) {
    case 1: case 3: case 6: r = v; goto end;
    case 2: case 4: r = 9; seen[g] = 3;
    }
    seen[g] += v;
    for (int k = 0; k < n; k++) {
        if (in[(g + k) & 63] > 90) { r = 4; goto end; }
        t[l] += k;
        barrier(CLK_LOCAL_MEM_FENCE);
        seen[g] += t[l ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (seen[g] > 200) { r = 100; goto end; }
    }
    seen[g] += t[l];
end:
    out[g] = r;
}

// Of those that have not returned, some go on to where a barrier would be; it is in no iteration.
// run 112 / 16 28 112: out int 112, in int 112, local int 112, value int 100, value int 0
kernel void returns_before_barriers_that_nobody_meets(global int *out, global const int *in, local int *t, int last, int n) {
    int g = get_global_id(0), l = get_local_id(0), w = get_local_size(0), x = in[g];
    t[l] = 1;
    if (g >= last) return;
    if (x > 0) {
        if (x > 90) return;
        for (int k = 0; k < n; k++) { barrier(CLK_LOCAL_MEM_FENCE); x += t[l]; }
        x += 3;
    } else x = -2 * x;
    t[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[(l + 1) % w] + x;
}

// All that are left agree.
// run 112 / 16 28 112: out int 112, in int 112, local int 112, value int 100, value int 3
kernel void returns_before_barriers_that_all_others_meet(global int *out, global const int *in, local int *t, int last, int n) {
    int g = get_global_id(0), l = get_local_id(0), w = get_local_size(0), x = in[g];
    t[l] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g >= last) return;
    if (x < 1000 + g) {
        for (int k = 0; k < n; k++) { t[l] = x; barrier(CLK_LOCAL_MEM_FENCE); x += t[(l + 1) % w]; barrier(CLK_LOCAL_MEM_FENCE); }
        x += 3;
    } else x = -2 * x;
    out[g] = x;
}

// run 64 / 16 64: out int 64, in int 64, local int 64, value int 0
kernel void returns_beside_barriers_that_nobody_meets(global int *out, global const int *in, local int *t, int n) {
    int g = get_global_id(0), l = get_local_id(0), x = in[g], y;
    t[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x > 0) {
        y = 1;
        for (int k = 0; k < n; k++) { barrier(CLK_LOCAL_MEM_FENCE); y += t[l]; }
    } else y = 2;
    if (y == 1) { out[g] = x; return; }
    for (int k = 0; k < n; k++) { barrier(CLK_LOCAL_MEM_FENCE); y += t[l]; }
    if (n) return;
    out[g] = t[l ^ 1] + y;
}
