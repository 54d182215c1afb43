// Functions of whole work-groups, asynchronous copies, attributes, shapes of launches.

// run 64 / 8 16 64: out int 64, in int 64
kernel void reduce(global int *out, global const int *in) {
    int v = in[get_global_id(0)];
    out[get_global_id(0)] = work_group_reduce_add(v) + work_group_reduce_min(v) * 3 + work_group_reduce_max(v) * 5;
}

// run 64 / 8 16 64: out int 64, in int 64
kernel void scans(global int *out, global const int *in) {
    int v = in[get_global_id(0)];
    out[get_global_id(0)] = work_group_scan_inclusive_add(v) * 3 + work_group_scan_exclusive_add(v) + work_group_scan_inclusive_max(v) * 7;
}

// run 64 / 8 16: out int 64, in int 64
kernel void broadcast(global int *out, global const int *in) {
    int v = in[get_global_id(0)];
    out[get_global_id(0)] = work_group_broadcast(v, 3) + v;
}

// run 64 / 8 16: out int 64, in int 64
kernel void any_and_all(global int *out, global const int *in) {
    int v = in[get_global_id(0)];
    out[get_global_id(0)] = (work_group_any(v > 95) != 0) + 2 * (work_group_all(v > -97) != 0);
}

// run 64 / 8 16: out int 64, in int 64
kernel void reduce_in_a_loop(global int *out, global const int *in) {
    int v = in[get_global_id(0)];
    for (int i = 0; i < 3; i++) v = (v + work_group_reduce_add(v)) % 1000;
    out[get_global_id(0)] = v;
}

// run 64 / 8 16: out int 64, in int 64
kernel void copies(global int *out, global const int *in) {
    local int t[64];
    int n = get_local_size(0), first = get_group_id(0) * n;
    event_t e = async_work_group_copy(t, in + first, n, 0);
    wait_group_events(1, &e);
    int v = t[n - 1 - get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[get_local_id(0)] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + first, t, n, 0);
    wait_group_events(1, &e);
}

// run 16 / 8 16: out int 16, in int 64
kernel void strided_copies(global int *out, global const int *in) {
    local int t[64];
    int n = get_local_size(0);
    event_t e = async_work_group_strided_copy(t, in + get_group_id(0) * n, n, 2, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = t[get_local_id(0)];
}

// run 32 / 8: out int 32, in int 32
__attribute__((reqd_work_group_size(8, 1, 1))) kernel void required_size(global int *out, global const int *in) {
    local int t[8];
    t[get_local_id(0)] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[7 - get_local_id(0)] + get_local_size(0);
}

// run 32 / 8 16: out float 32, in float 32
__attribute__((vec_type_hint(float4))) kernel void hint(global float *out, global const float *in) {
    out[get_global_id(0)] = in[get_global_id(0)] * 3.0f;
}

// run 1 / 1: out int 8, in int 8
kernel void one_item(global int *out, global const int *in) { for (int i = 0; i < 8; i++) out[7 - i] = in[i] * i; }

// run 32 / 8 16: out int 32, in int 32
kernel void nothing_in_common(global int *restrict out, global const int *restrict in) { out[get_global_id(0)] = in[get_global_id(0)]; }

// run 64 / 8 16: out int 64, in int 64, value short -7, value uchar 200, value float 1.5, value int4 3
kernel void values(global int *out, global const int *in, short s, uchar u, float f, int4 v) {
    out[get_global_id(0)] = in[get_global_id(0)] + s + u + (int)(f * 4) + v.x + v.w;
}

// run 64 / 8 16: out int 64, in int 64
kernel void prefetched(global int *out, global const int *in) {
    prefetch(in + get_global_id(0), 4);
    out[get_global_id(0)] = in[get_global_id(0)] + 1;
}

// run 1000 / 64 100 1: out int 1000, in int 1000
kernel void many_groups(global int *out, global const int *in) {
    int g = get_global_id(0);
    out[g] = in[g] * 2 + (g > 0 ? in[g - 1] : 0);
}

// The last group of a range that its size does not divide has fewer items than are required: get_local_size says so.
// run 85 / 64: out float16 85
__attribute__((reqd_work_group_size(64, 1, 1))) kernel void fewer_than_required(global float16 *out) {
    local float16 space[8];
    local float *t = (local float *)space;
    size_t l = get_local_id(0), n = get_local_size(0);
    t[l] = -1.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16) t[n + l] = 100.0f + l;
    barrier(CLK_LOCAL_MEM_FENCE);
    float16 v = vload16(0, t + n), w = v * 2.0f;
    w = w + v * v; w = w - v * 0.5f; w = w + v; w = w * 0.25f; w = w + v; w = w - v * 0.125f;
    out[get_global_id(0)] = w;
}

// run 85 / 64: out uchar16 85
__attribute__((reqd_work_group_size(64, 1, 1))) kernel void bytes_behind_fewer(global uchar16 *out) {
    local uchar16 space[64 * 2 + 1];
    local uchar *t = (local uchar *)space;
    size_t l = get_local_id(0), n = get_local_size(0);
    for (int i = 0; i < 16; i++) t[n + 16 * l + i] = l + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = vload16(0, t + n + 16 * l);
}
