// Barriers: in straight code, in loops, in uniform branches, with several exits and early ends.

// run 64 / 8 16 64 1: out int 64, in int 64
kernel void reverse(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), n = get_local_size(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[n - 1 - l];
}

// run 60 / 16 60 7: out int 60, in int 60
kernel void reverse_ragged(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), n = get_local_size(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[n - 1 - l];
}

// run 64 / 8 16 64 1: out int 64, in int 64
kernel void tree(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s) t[l] += t[l + s];
    }
    if (l == 0) out[get_group_id(0)] = t[0];
}

// run 64 / 8 16 64: out int 64, in int 64
kernel void scan(global int *out, global const int *in) {
    local int t[2][64];
    int l = get_local_id(0), n = get_local_size(0), now = 0;
    t[0][l] = in[get_global_id(0)];
    for (int s = 1; s < n; s *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        t[1 - now][l] = t[now][l] + (l >= s ? t[now][l - s] : 0);
        now = 1 - now;
    }
    out[get_global_id(0)] = t[now][l];
}

// run 64 / 8 16: out int 64, in int 64
kernel void rotate_many(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), n = get_local_size(0), mine = in[get_global_id(0)];
    for (int i = 0; i < 7; i++) {
        t[l] = mine + i;
        barrier(CLK_LOCAL_MEM_FENCE);
        mine = t[(l + 1) % n] * 3 - l;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = mine;
}

// run 64 / 8 16: out int 64, in int 64
kernel void barrier_in_uniform_if(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = in[g];
    if (get_group_id(0) & 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[g] = t[get_local_size(0) - 1 - l];
    } else {
        out[g] = t[l] * 2;
    }
}

// run 64 / 8 16: out int 64, in int 64
kernel void barrier_on_both_sides(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), g = get_global_id(0), n = get_local_size(0), keep = in[g] * 5;
    t[l] = in[g];
    if (get_group_id(0) & 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        keep += t[n - 1 - l];
    } else {
        barrier(CLK_LOCAL_MEM_FENCE);
        keep -= t[(l + 1) % n];
    }
    out[g] = keep;
}

// run 64 / 8 16: out int 64, in int 64
kernel void early_end_before(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), g = get_global_id(0);
    out[g] = -1;
    if (get_group_id(0) == 1) return;
    t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l ^ 1];
}

// run 64 / 8 16: out int 64, in int 64
kernel void end_between(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), g = get_global_id(0), n = get_local_size(0);
    t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = t[n - 1 - l];
    if (get_group_id(0) == 0) { out[g] = v; return; }
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = v * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[n - 1 - l] + 1;
}

// run 64 / 8 16: out int 64, in int 64
kernel void end_by_item_after_last(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t[l ^ 1] < 0) return;
    out[g] = t[l ^ 1];
    if (l & 1) return;
    out[g]++;
}

// run 64 / 8 16: out int 64, in int 64
kernel void break_by_group(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), g = get_global_id(0), w = get_group_id(0), n = get_local_size(0), mine = in[g];
    for (int i = 0; i < 6; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i > w) break;
        mine += t[(l + i) % n];
    }
    out[g] = mine;
}

// run 64 / 8 16: out int 64, in int 64
kernel void continue_by_group(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), g = get_global_id(0), w = get_group_id(0), n = get_local_size(0), mine = in[g];
    for (int i = 0; i < 6; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = mine + i;
        if ((i + w) % 3 == 0) continue;
        barrier(CLK_LOCAL_MEM_FENCE);
        mine ^= t[(l + 1) % n];
    }
    out[g] = mine;
}

// run 64 / 8 16: out int 64, in int 64
kernel void return_from_loop(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), g = get_global_id(0), w = get_group_id(0), n = get_local_size(0);
    out[g] = 5;
    for (int i = 0; i < 5; i++) {
        t[l] = in[(g + i) % 64];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[g] += t[n - 1 - l];
        if (i == w) return;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = -out[g];
}

// run 64 / 8 16: out int 64, in int 64
kernel void nested_loops_wait(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), g = get_global_id(0), n = get_local_size(0), sum = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            t[l] = in[g] * (i + 1) + j;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum = sum * 2 + t[(l + j + 1) % n];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        sum += i;
    }
    out[g] = sum;
}

// run 64 / 8 16: out int 64, in int 64
kernel void while_by_shared_flag(global int *out, global const int *in) {
    local int t[64], more;
    int l = get_local_id(0), g = get_global_id(0), v = abs(in[g]), steps = 0;
    if (l == 0) more = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (more) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l == 0) more = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (v > 1) { v /= 2; steps++; if (v > 1) more = 1; }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = steps;
}

// run 64 / 8 16: out int 64, in int 64
kernel void private_array_lives(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), g = get_global_id(0), n = get_local_size(0), p[8];
    for (int i = 0; i < 8; i++) p[i] = in[(g + i) % 64];
    t[l] = p[l & 7];
    barrier(CLK_LOCAL_MEM_FENCE);
    p[t[n - 1 - l] & 7] += 1000;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int i = 0; i < 8; i++) sum = sum * 3 + p[i];
    out[g] = sum;
}

// run 64 / 8 16: out float 64, in float 64
kernel void many_values_live(global float *out, global const float *in) {
    local float t[64];
    int l = get_local_id(0), g = get_global_id(0);
    float a = in[g], b = a * a, c = b + a, d = c * 0.5f;
    t[l] = d;
    barrier(CLK_LOCAL_MEM_FENCE);
    float e = t[l ^ 1] + a, f = e * b;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = f;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + t[l ^ 1];
}

// run 64 / 8 16: out int 64, in int 64
kernel void value_from_branch_lives(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), g = get_global_id(0), v;
    if (in[g] > 0) v = in[g] * 3; else v = g - in[g];
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v & 1) v += t[l ^ 1]; else v -= t[l ^ 1];
    out[g] = v;
}

// run 16x8 / 4x4 8x2 16x1: out int 128, in int 128
kernel void transpose_tile(global int *out, global const int *in) {
    local int t[16][16];
    int x = get_local_id(0), y = get_local_id(1), w = get_local_size(0), h = get_local_size(1);
    int g = get_global_id(1) * 16 + get_global_id(0);
    t[y][x] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    int k = y * w + x;
    out[g] = t[k % h][k / h];
}

// run 8x4x4 / 4x2x2 8x1x4 2x4x1: out int 128, in int 128
kernel void neighbours_3d(global int *out, global const int *in) {
    local int t[64];
    int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
    int w = get_local_size(0), h = get_local_size(1), d = get_local_size(2);
    int g = (get_global_id(2) * 4 + get_global_id(1)) * 8 + get_global_id(0);
    t[(z * h + y) * w + x] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[((d - 1 - z) * h + y) * w + x] * 3 + t[(z * h + (h - 1 - y)) * w + x] + t[(z * h + y) * w + (x + 1) % w];
}

// run 64 / 8 16: out int 64, in int 64
kernel void many_barriers_in_a_row(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    barrier(CLK_GLOBAL_MEM_FENCE);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l ^ 1];
    barrier(CLK_GLOBAL_MEM_FENCE);
}

// run 64 / 8 16: inout int 64
kernel void through_global_memory(global int *x) {
    int g = get_global_id(0), l = get_local_id(0), n = get_local_size(0), first = g - l;
    int v = x[first + n - 1 - l];
    barrier(CLK_GLOBAL_MEM_FENCE);
    x[g] = v + l;
    barrier(CLK_GLOBAL_MEM_FENCE);
    v = x[first + (l + 1) % n];
    barrier(CLK_GLOBAL_MEM_FENCE);
    x[g] = v;
}

void exchange(local int *t, int l, int by) {
    int v = t[l ^ by];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] += v;
    barrier(CLK_LOCAL_MEM_FENCE);
}

// run 64 / 8 16: out int 64, in int 64
kernel void barrier_in_called_function(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    exchange(t, l, 1);
    exchange(t, l, 2);
    if (get_group_id(0) & 1) exchange(t, l, 4);
    out[get_global_id(0)] = t[l];
}

// run 64 / 8 16: out int 64, in int 64, value int 4
kernel void loop_count_is_argument(global int *out, global const int *in, int n) {
    local int t[64];
    int l = get_local_id(0), mine = in[get_global_id(0)];
    for (int i = 0; i < n; i++) {
        t[l] = mine;
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
        int sum = 0;
        for (int k = 0; k < (int)get_local_size(0); k++) sum += t[k] * (k - l);
        work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
        mine = sum % 1000;
    }
    out[get_global_id(0)] = mine;
}

// run 64 / 8 16: out int 64, in int 64
kernel void divergent_loop_between(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), g = get_global_id(0), v = in[g];
    for (int i = 0; i < (l & 3); i++) v = v * 3 - i;
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < (t[l ^ 1] & 3); i++) v += t[i & 7] * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l ^ 2] - v;
}

// run 32 / 8 16: out int 32, in int 32
kernel void switch_by_group(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), g = get_global_id(0), n = get_local_size(0);
    t[l] = in[g];
    switch (get_group_id(0)) {
    case 0: barrier(CLK_LOCAL_MEM_FENCE); out[g] = t[n - 1 - l]; break;
    case 1: out[g] = 9;
    case 2: barrier(CLK_LOCAL_MEM_FENCE); out[g] += t[l ^ 1]; break;
    default: out[g] = 3;
    }
}

// run 64 / 8 16: out int 64, in int 64
kernel void do_while_waits(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), g = get_global_id(0), n = get_local_size(0), i = 0, v = in[g];
    do {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[(l + 3) % n] + i;
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (++i < 4);
    out[g] = v;
}

// run 64 / 8 16: out int 64, in int 64
kernel void first_item_works(global int *out, global const int *in) {
    local int t[64], sum;
    int l = get_local_id(0), g = get_global_id(0), n = get_local_size(0);
    t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) { sum = 0; for (int i = 0; i < n; i++) sum += t[i]; }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = sum - t[l];
}

// run 64 / 8 16: out int 64, in int 64
kernel void odd_even_sort(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), n = get_local_size(0);
    t[l] = in[get_global_id(0)];
    for (int phase = 0; phase < n; phase++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((l + phase) % 2 == 0 && l + 1 < n && t[l] > t[l + 1]) { int v = t[l]; t[l] = t[l + 1]; t[l + 1] = v; }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l];
}

// run 64 / 8 16 64: out int 64, in int 64
kernel void bitonic_sort(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), n = get_local_size(0);
    t[l] = in[get_global_id(0)];
    for (int k = 2; k <= n; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int o = l ^ j;
            if (o > l && ((l & k) == 0) == (t[l] > t[o])) { int v = t[l]; t[l] = t[o]; t[o] = v; }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l];
}

// Two values with the same stride, of which items see as many wrap around as not.
// run 256 / 16 64: out ulong 256, out ulong 256, out int 256
kernel void truncated_strides(global ulong *h1, global ulong *h2, global int *out) {
    local int t[64];
    size_t g = get_global_id(0), l = get_local_id(0);
    ulong a = g * 0x40000000UL, b = a + 0x40000000UL;
    h1[g] = a; h2[g] = b;
    int less = (int)a < (int)b;
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = less * 1000 + t[(l + 1) % get_local_size(0)];
}

// run 64 from 2147483640 / 16 64: out long 64, value uint 3
kernel void numbers_that_become_negative(global long *out, uint three) {
    local int t[64];
    size_t g = get_global_id(0), l = get_local_id(0);
    int narrow = (int)g;
    uint masked = (uint)g * 2;
    long wide = narrow, shifted = (long)(g << 33) >> 33, low = masked;
    int same = wide - (long)l == (long)(int)(g - l), below = narrow < (int)(g - l + three), ends = low - (long)(2 * l) < 8;
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g - 2147483640] = same * 1000 + below * 10000 + ends * 100000 + (shifted - (long)l < 0) * 1000000 + t[(l + 1) % get_local_size(0)];
}

// Every item goes through a window of its own; all windows are as wide as the others.
// run 64 / 16 7 64: out int 64, in int 96, value int 3, value uint 2
kernel void windows(global int *out, global const int *in, int radius, uint step) {
    local int t[64];
    int g = get_global_id(0), l = get_local_id(0), sum = 0;
    for (int j = g - radius; j <= g + radius; j++) sum += in[j + 16];
    for (uint j = g; j < g + 5u * step; j += step) sum += in[j] * 3;
    for (int j = g * radius; j < g * radius + radius; j++) sum += in[j % 96] * 7;
    t[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (global const int *p = in + g; p != in + g + radius; p++) sum += *p + t[(l + *p % 2 + 1) % get_local_size(0)];
    out[g] = sum;
}

// Barriers that may come and do not, behind branches at which items differ.
// run 64 / 16 64: out int 64, in int 64, local int 64, value int 0
kernel void barrier_that_nobody_meets(global int *out, global const int *in, local int *t, int n) {
    int g = get_global_id(0), l = get_local_id(0), x;
    if (in[g] > 0) {
        x = 1;
        for (int k = 0; k < n; k++) { barrier(CLK_LOCAL_MEM_FENCE); x += k; }
    } else x = 2;
    t[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l ^ 1];
}

// All agree in each group that meets barriers; in no group do all take both ways.
// run 64 / 16 64: out int 64, in int 64, local int 64, value int 3, value int 200
kernel void barriers_where_all_agree(global int *out, global const int *in, local int *t, int n, int most) {
    int g = get_global_id(0), l = get_local_id(0), x = in[g];
    if (x < most) {
        for (int k = 0; k < n; k++) {
            t[l] = x + k;
            barrier(CLK_LOCAL_MEM_FENCE);
            x = t[(l + 1) % get_local_size(0)];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    } else x = 2;
    if (x > most) for (int k = 0; k < n; k++) { barrier(CLK_LOCAL_MEM_FENCE); x++; }
    out[g] = x;
}

// run 64 / 16 64: out int 64, in int 64, local int 64, value int 0
kernel void barriers_on_both_ways_that_nobody_meets(global int *out, global const int *in, local int *t, int n) {
    int g = get_global_id(0), l = get_local_id(0), x = in[g];
    t[l] = x;
    if (x > 0) {
        for (int k = 0; k < n; k++) { barrier(CLK_LOCAL_MEM_FENCE); x += t[l ^ 1]; barrier(CLK_LOCAL_MEM_FENCE); t[l] = x; }
        x += 5;
    } else {
        x *= 3;
        if (n) { barrier(CLK_LOCAL_MEM_FENCE); x -= t[l ^ 3]; }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l ^ 1] - x;
}

// run 64 / 16 64: out int 64, in int 64, local int 64, value int 0
kernel void labels_around_barriers_that_nobody_meets(global int *out, global const int *in, local int *t, int n) {
    int g = get_global_id(0), l = get_local_id(0), x = in[g], y = 0;
    switch (x & 7) {
    case 0: case 3: y = 4; break;
    case 1: for (int k = 0; k < n; k++) { barrier(CLK_LOCAL_MEM_FENCE); y += t[l ^ k]; }
    case 2: y += x; break;
    case 5: y = 9; if (n > 3) barrier(CLK_LOCAL_MEM_FENCE);
    default: y -= 2 * x;
    }
    t[l] = y;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l ^ 1] + y;
}

// run 64 / 16 64: out int 64, in int 64, local int 64, value int 0, value int 5
kernel void barriers_that_nobody_meets_in_steps(global int *out, global const int *in, local int *t, int n, int steps) {
    int g = get_global_id(0), l = get_local_id(0), x = in[g], sum = 0;
    for (int i = 0; i < steps; i++) {
        int z = x * (i + 1) + in[(g + i) & 63];
        if ((z & 3) == 1) {
            sum += z;
            for (int k = 0; k < n; k++) { barrier(CLK_LOCAL_MEM_FENCE); sum += t[l ^ 1]; }
        } else if ((z & 3) == 2) sum -= i;
        t[l] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        x += t[l ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = x + sum;
}

// run 64 / 16 64: out int 64, in int 64, local int 64, value int 0
kernel void barriers_that_nobody_meets_in_ways_of_ways(global int *out, global const int *in, local int *t, int n) {
    int g = get_global_id(0), l = get_local_id(0), x = in[g], y = 1;
    if (x > -40) {
        y += x;
        if (x & 1) {
            for (int k = 0; k < n; k++) {
                barrier(CLK_LOCAL_MEM_FENCE);
                if (n > 7) barrier(CLK_LOCAL_MEM_FENCE);
                y += t[l ^ 1];
            }
            y *= 2;
        } else {
            if (y & 4) y ^= 64;
            else if (n) { t[l] = y; barrier(CLK_LOCAL_MEM_FENCE); y = t[l ^ 2]; }
            y += 3;
        }
        if (y & 2) y -= 11;
    }
    t[l] = y;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l ^ 1] + y;
}

// Items leave a loop when they like, from its head and from its middle.
// run 64 / 16 64: out int 64, in int 64, local int 64, value int 0, value int 9
kernel void barriers_that_nobody_meets_in_loops_left_apart(global int *out, global const int *in, local int *t, int n, int most) {
    int g = get_global_id(0), l = get_local_id(0), x = in[g], y = 0, i;
    for (i = 0; i < (x & 15); i++) {
        y += in[(g + i) & 63];
        if (i > most - (y & 3)) { y += 1000; break; }
        for (int k = 0; k < n; k++) { barrier(CLK_LOCAL_MEM_FENCE); y += t[l ^ 1]; }
        if (i == 12) break;
        x ^= (y & 1) << 2;
    }
    t[l] = y + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int z = t[l ^ 1] * x + i;
    do {
        z += 3;
        if (n > 2) barrier(CLK_LOCAL_MEM_FENCE);
    } while (z % 7 > 2);
    out[g] = z;
}

// run 64 / 16 64: out int 64, in int 64, local int 64, value int 0, value int 4
kernel void loops_beside_barriers_that_nobody_meets(global int *out, global const int *in, local int *t, int n, int m) {
    int g = get_global_id(0), l = get_local_id(0), x = in[g];
    float sum = 0;
    if (x > 10) {
        for (int i = 0; i < m * 4; i++) sum += in[(g * m + i) & 63] * 0.5f;
        for (int k = 0; k < n; k++) { t[l] = x; barrier(CLK_LOCAL_MEM_FENCE); sum += t[l ^ 1]; }
    } else {
        for (int i = 0; i < (x & 7); i++) sum -= i;
    }
    t[l] = (int)sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < m; i++) x += t[(l + i) % get_local_size(0)];
    out[g] = x;
}

// run 64 / 16 64: out int 64, in int 64, local int 64, value int 0
kernel void vectors_beside_barriers_that_nobody_meets(global int *out, global const int *in, local int *t, int n) {
    int g = get_global_id(0), l = get_local_id(0), own[4] = {1, 2, 3, 4};
    int4 v = (int4)(in[g], g, l, n);
    if (v.x > 0) {
        v.yz += v.x;
        own[g & 3] = v.y;
        for (int k = 0; k < n; k++) { barrier(CLK_LOCAL_MEM_FENCE); v.w += t[l ^ 1]; }
    } else {
        v = v.wzyx;
        own[v.x & 3] += 7;
    }
    t[l] = v.x + v.y + own[l & 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l ^ 1] * 10 + v.z - v.w + own[2];
}

// Ways that come together in front of a barrier, which all meet or nobody.
// run 64 / 16 64: out int 64, in int 64, local int 64, value int 3, value int 0
kernel void ways_that_come_together_at_barriers(global int *out, global const int *in, local int *t, int n, int never) {
    int g = get_global_id(0), l = get_local_id(0), x = in[g], y = 0;
    switch (x & 3) {
    case 0: y = 4; if (never) break;
    case 1: y += x; out[g] = y; if (never > 1) break;
    default: for (int k = 0; k < n; k++) { t[l] = y + k; barrier(CLK_LOCAL_MEM_FENCE); y += t[l ^ 1]; barrier(CLK_LOCAL_MEM_FENCE); }
    }
    out[g] += y;
}

// run 64 / 16 64: out int 64, in int 64, local int 64, value int 0
kernel void ways_that_come_together_and_meet_no_barrier(global int *out, global const int *in, local int *t, int n) {
    int g = get_global_id(0), l = get_local_id(0), x = in[g], y = 1;
    switch (x & 7) {
    case 0: y += 4; break;
    case 1: y *= x;
    case 2: out[g] = 7; y -= 3;
    case 3: if (n > 8) { y ^= x; barrier(CLK_LOCAL_MEM_FENCE); y += t[l ^ 1]; }
        out[g] += 11;
        break;
    case 5: for (int k = 0; k < n; k++) barrier(CLK_LOCAL_MEM_FENCE);
    }
    t[l] = y;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] += t[l ^ 1];
}

// run 64 / 16 64: out int 64, in int 64, local int 64, value int 3
kernel void either_is_enough_for_barriers(global int *out, global const int *in, local int *t, int n) {
    int g = get_global_id(0), l = get_local_id(0), x = in[g], y = 1;
    if (x > 0 || (out[g] = y = 3 * x, n > 2)) {
        for (int k = 0; k < n; k++) { t[l] = y; barrier(CLK_LOCAL_MEM_FENCE); y += t[l ^ 1] - k; barrier(CLK_LOCAL_MEM_FENCE); }
        y++;
    }
    out[g] += y;
}

// run 64 / 16 64: out int 64, in int 64, local int 64, value int 4, value int 9
kernel void steps_that_all_could_end_where_some_are(global int *out, global const int *in, local int *t, int n, int last) {
    int g = get_global_id(0), l = get_local_id(0), x = in[g], y = 0;
    for (int i = 0; i < n; i++) {
        if (x > i) { y += x; out[g] = y; if (i == last) break; } else y -= i;
        t[l] = y;
        barrier(CLK_LOCAL_MEM_FENCE);
        x += t[l ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] += x + y;
}

// There is no other way than those of the labels.
// run 64 / 16 64: out int 64, in int 64, local int 64
kernel void labels_for_all_there_is(global int *out, global const int *in, local int *t) {
    int g = get_global_id(0), l = get_local_id(0), x;
    switch (in[g] & 3) {
    case 0: x = 5; out[g] = 1; break;
    case 1: x = in[g]; break;
    case 2: x = 7; out[g] = 3; break;
    case 3: x = l; break;
    }
    t[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] += t[l ^ 1] + x;
}

// Some items come to a loop with a barrier, which runs no times, and a copy of it without the barrier may go breadth-first: where
// all items are asked which way they go, those ways do not meet before the loop.
// run 32x4 / 16x2 8x1: out int 128, in int 64, value int 7
kernel void a_loop_beside_an_unmet_barrier(global int *x, global const int *u, int n) {
    int l = get_local_id(0) + get_local_size(0) * get_local_id(1), g = get_global_id(0) + get_global_size(0) * get_global_id(1);
    int a = x[g], d = l, c = 3;
    switch (d % 5) {
    case 0:
        if (l < 16) {
            c++;
        } else {
            while (n < 7) {
                barrier(CLK_LOCAL_MEM_FENCE);
                a++;
            }
        }
        break;
    case 1:
        for (int i = 0; i < 2; i++) {
            a ^= u[i];
            d -= 2;
        }
        break;
    default:;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    x[g] = a + 3 * d + 5 * c;
}
